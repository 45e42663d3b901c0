/*
 * Hazards: for each rule a program that breaks it, and what mends it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hazard_table.h.inc.  A broken program is reported once, by rule, with both
 * instructions; beside it are the same program with what is missing, and those
 * that are only similar: they are silent.
 */

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "config/config.h"

enum {
    THREAD = 1, OTHER = 2, PC = 0x1000, LENGTH = 14,
    SCRATCH = 209, SOME_WORD = 41,         /* unused */
    BF16 = 2, FP32 = 3,
    NONE = 99,                     /* of the first: no instruction */

    C_SCALAR = 1 << 0, C_PACK = 1 << 3, C_MATRIX = 1 << 4, C_VECTOR = 1 << 11,
    C_CONFIG = 1 << 12,
    B_SYNC = 1 << 1, B_SCALAR = 1 << 5, B_MATRIX = 1 << 6, B_CONFIG = 1 << 7,
    B_VECTOR = 1 << 8,
};

static CoreFixture f;

/* What was reported. */
static struct {
    unsigned count;                /* of hazards */
    char text[400];
    TensixViolation last;
} got;

static void violation(void *opaque, const TensixViolation *v)
{
    if (v->category == TENSIX_HAZARD) {
        got.count++;
        got.last = *v;
        snprintf(got.text, sizeof(got.text), "%s", v->text);
    }
}

/* --- set-ups --- */

/* The Matrix Unit has bank 0 of both; numbers that change what they go to. */
static void start(void)
{
    TensixState *s = &f.core.s;

    fixture_init(&f);
    f.core.host.violation = violation;
    fixture_give_src(&f, TENSIX_FMT_BF16);
    s->vu.use_lane_flags = 0;
    s->gpr[THREAD][4] = 1;
    tensix_state_loaded(&f.core);
    memset(&got, 0, sizeof(got));
    tensix_set_hazards(&f.core, true);
}

static void no_banks(void)
{
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        f.core.s.src_client[src][0] = TENSIX_CLIENT_UNPACKERS;
        f.core.s.unpack_bank[src] = 0;
    }
}

static void no_scoreboard(void)
{
    for (unsigned bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
        f.core.s.cfg[bank][CFG_CHICKEN_BITS_sfpu_scbd_disable_WORD] |=
            1u << CFG_CHICKEN_BITS_sfpu_scbd_disable_LOW;
    }
}

/* Lanes 0 to 15 are off. */
static void some_lanes(void)
{
    f.core.s.vu.use_lane_flags = UINT32_MAX;
    f.core.s.vu.lane_flags = 0xffff0000;
}

/* Lanes 16 to 31 run whatever their flags are. */
static void some_flags(void)
{
    f.core.s.vu.use_lane_flags = 0xffff;
}

/* LReg[7] names LReg 3 in all lanes. */
static void to_lreg3(void)
{
    for (unsigned l = 0; l < TENSIX_LANES; l++) {
        f.core.s.vu.lreg[7][l] = 3;
    }
}

/* --- programs --- */

#define NOP TT(NOP)
#define SFPNOP TT(SFPNOP)
#define MAD(vd) TT(SFPMAD, .lreg_src_b = 1, .lreg_src_c = 2, .lreg_dest = vd)
#define WAIT(block, condition) \
    TT(STALLWAIT, .stall_res = block, .wait_res = condition)
#define AND(vb, vc, vd) \
    TT(SFPAND, .instr_mod1 = 1, .imm12_math = vb, .lreg_c = vc, .lreg_dest = vd)
#define OR(vb, vc, vd) \
    TT(SFPOR, .instr_mod1 = 1, .imm12_math = vb, .lreg_c = vc, .lreg_dest = vd)
#define IADD(vc, vd, mod) \
    TT(SFPIADD, .instr_mod1 = mod, .lreg_c = vc, .lreg_dest = vd)
#define SHFT(vc, vd, mod) \
    TT(SFPSHFT, .instr_mod1 = mod, .lreg_c = vc, .lreg_dest = vd)
#define SWAP(vc, vd, mod) \
    TT(SFPSWAP, .instr_mod1 = mod, .lreg_src_c = vc, .lreg_dest = vd)
#define SHFT2(vb, vc, vd, mod) \
    TT(SFPSHFT2, .instr_mod1 = mod, .lreg_src_c = vc, .lreg_dest = vd, \
       .imm12_math = vb)
#define SET_LANE_CONFIG(value) \
    TT(SFPCONFIG, .instr_mod1 = 1, .config_dest = 15, .imm16_math = value)
#define MOV(vc, vd) TT(SFPMOV, .lreg_c = vc, .lreg_dest = vd)
#define LOAD(format, row) \
    TT(SFPLOAD, .instr_mod0 = format, .dest_reg_addr = row)
#define STORE(format, row) \
    TT(SFPSTORE, .instr_mod0 = format, .dest_reg_addr = row)
#define MACRO(format, row) \
    TT(SFPLOADMACRO, .instr_mod0 = format, .dest_reg_addr = row)
#define WRCFG(gpr, word) TT(WRCFG, .GprAddress = gpr, .CfgReg = word)
#define RDCFG(gpr, word) TT(RDCFG, .GprAddress = gpr, .CfgReg = word)
#define SHIFTMASK(word) TT(CFGSHIFTMASK, .CfgReg = word)
#define STREAM(word) TT(STREAMWRCFG, .CfgReg = word)
#define ADD(a, b) TT(ADDDMAREG, .OpARegIndex = a, .OpBRegIndex = b)
#define LOADIND(gpr) TT(LOADIND, .DataRegIndex = gpr, .SizeSel = 1)
#define ATINCGET(gpr) TT(ATINCGET, .DataRegIndex = gpr, .AddrRegIndex = 1)
#define LOADREG(gpr) TT(LOADREG, .TdmaDataRegIndex = gpr)
#define DMANOP TT(DMANOP)
#define SETDVALID TT(SETDVALID, .setvalid = 1)
#define GIVE_BACK TT(CLEARDVALID, .cleardvalid = 1)
#define NOP_SETDVALID TT(UNPACR_NOP, .Unpack_Pop = 1, .Clr_to1_fmt_Ctrl = 3)
#define ADDING TT(ELWADD, .dest_accum_en = 1)

/* Templates 0 and 1, then sequence 0, then the macro. */
#define SCHEDULE(template0, template1, sequence) \
    template0, template1, \
    TT(SFPLOADI, .instr_mod0 = 10, .imm16 = (sequence) & 0xffff), \
    TT(SFPLOADI, .instr_mod0 = 8, .imm16 = (sequence) >> 16), \
    TT(SFPCONFIG, .config_dest = 4), MACRO(BF16, 0)
#define PART(kind, delay) ((uint32_t)(kind) | (delay) << 3)
#define SIMPLE(part) (part)
#define MAD_UNIT(part) ((part) << 8)
#define ROUND(part) ((part) << 16)
#define STORE_UNIT(part) ((part) << 24)

typedef struct Program {
    const char *name;
    const char *rule;              /* NULL: silent */
    unsigned first, second;        /* which two, by index */
    uint32_t words[LENGTH];        /* to the first 0 */
    void (*setup)(void);
} Program;

enum { MOST_PROGRAMS = 128 };

static Program programs[MOST_PROGRAMS];
static unsigned program_count;

static void add(const Program *rows, size_t size)
{
    memcpy(&programs[program_count], rows, size);
    program_count += size / sizeof(rows[0]);
}

static void add_hidden_reads(void)
{
    const Program rows[] = {
        { "SFPAND of VB", "sfpand-vb", 0, 1, { MAD(3), AND(3, 5, 4) } },
        { "SFPAND of VB, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, AND(3, 5, 4) } },
        { "SFPAND whose VC is seen", NULL, 0, 0, { MAD(3), AND(3, 3, 4) } },
        { "SFPAND of VD", NULL, 0, 0, { MAD(3), TT(SFPAND, .lreg_dest = 3) } },

        { "SFPOR of VB", "sfpor-vb", 0, 1, { MAD(3), OR(3, 5, 4) } },
        { "SFPOR of VB, fixed", NULL, 0, 0, { MAD(3), SFPNOP, OR(3, 5, 4) } },

        { "SFPIADD to VD", "sfpiadd-vd", 0, 1, { MAD(3), IADD(5, 3, 4) } },
        { "SFPIADD to VD, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, IADD(5, 3, 4) } },
        { "SFPIADD to VD after any NOP", NULL, 0, 0,
          { MAD(3), NOP, IADD(5, 3, 4) } },
        { "SFPIADD of an immediate", NULL, 0, 0, { MAD(3), IADD(5, 3, 5) } },
        { "SFPIADD whose VC is seen", NULL, 0, 0, { MAD(3), IADD(3, 3, 4) } },
        { "SFPIADD of another one", NULL, 0, 0, { MAD(2), IADD(5, 3, 4) } },
        { "SFPIADD after SFPMUL24", "sfpiadd-vd", 0, 1,
          { TT(SFPMUL24, .lreg_dest = 3, .lreg_src_c = 9), IADD(5, 3, 4) } },
        { "SFPIADD after SFPADDI", "sfpiadd-vd", 0, 1,
          { TT(SFPADDI, .lreg_dest = 3), IADD(5, 3, 4) } },
        { "SFPIADD after an indirect VD stalls", NULL, 0, 0,
          { TT(SFPLUT, .instr_mod0 = 8), IADD(5, 3, 4) }, .setup = to_lreg3 },
        { "SFPIADD in some lanes", "sfpiadd-vd", 0, 1,
          { MAD(3), IADD(5, 3, 4) },
          .setup = some_lanes },
        { "SFPIADD in the other lanes", NULL, 0, 0,
          { MAD(3), TT(SFPCOMPC), IADD(5, 3, 4) }, .setup = some_lanes },
    };

    add(rows, sizeof(rows));
}

static void add_hidden_reads_of_others(void)
{
    const Program rows[] = {
        { "SFPSHFT of VD", "sfpshft-vd", 0, 1, { MAD(3), SHFT(5, 3, 0) } },
        { "SFPSHFT of VD, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, SHFT(5, 3, 0) } },
        { "SFPSHFT of VC", NULL, 0, 0, { MAD(3), SHFT(5, 3, 5) } },

        { "SFPCONFIG of LReg[0]", "sfpconfig-lreg0", 0, 1,
          { MAD(0), TT(SFPCONFIG, .config_dest = 11) } },
        { "SFPCONFIG of LReg[0], fixed", NULL, 0, 0,
          { MAD(0), SFPNOP, TT(SFPCONFIG, .config_dest = 11) } },
        { "SFPCONFIG of an immediate", NULL, 0, 0,
          { MAD(0), TT(SFPCONFIG, .config_dest = 11, .instr_mod1 = 1) } },

        { "SFPSWAP that compares", "sfpswap-first-cycle", 0, 1,
          { MAD(3), SWAP(3, 4, 1) } },
        { "SFPSWAP that compares, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, SWAP(3, 4, 1) } },
        { "SFPSWAP after an indirect VD", "sfpswap-first-cycle", 0, 1,
          { TT(SFPLUT, .instr_mod0 = 8), SWAP(3, 4, 1) }, .setup = to_lreg3 },
        { "SFPSWAP that only swaps", NULL, 0, 0, { MAD(3), SWAP(3, 4, 0) } },

        { "SFPSHFT2 that rotates", "sfpshft2-shuffle", 0, 1,
          { MAD(3), SHFT2(0, 3, 4, 3) } },
        { "SFPSHFT2 that rotates, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, SHFT2(0, 3, 4, 3) } },
        { "SFPSHFT2 that copies", NULL, 0, 0, { MAD(3), SHFT2(0, 3, 4, 0) } },

        { "SFPSHFT2 of VB", "sfpshft2-vb", 0, 1,
          { MAD(3), SHFT2(3, 5, 4, 5) } },
        { "SFPSHFT2 of VB, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, SHFT2(3, 5, 4, 5) } },
    };

    add(rows, sizeof(rows));
}

static void add_vector(void)
{
    const Program rows[] = {
        { "without a scoreboard", "sfpu-scoreboard-off", 0, 1,
          { MAD(3), MOV(3, 4) }, .setup = no_scoreboard },
        { "without a scoreboard, fixed", NULL, 0, 0,
          { MAD(3), SFPNOP, MOV(3, 4) }, .setup = no_scoreboard },
        { "with a scoreboard", NULL, 0, 0, { MAD(3), MOV(3, 4) } },

        { "DISABLE_BACKDOOR_LOAD", "sfpconfig-backdoor", 0, 1,
          { SET_LANE_CONFIG(2), IADD(5, 12, 4) } },
        { "DISABLE_BACKDOOR_LOAD, fixed", NULL, 0, 0,
          { SET_LANE_CONFIG(2), SFPNOP, IADD(5, 12, 4) } },
        { "DISABLE_BACKDOOR_LOAD without VD 12", NULL, 0, 0,
          { SET_LANE_CONFIG(2), IADD(5, 3, 4) } },
        { "DISABLE_BACKDOOR_LOAD as it was", NULL, 0, 0,
          { SET_LANE_CONFIG(0), IADD(5, 12, 4) } },

        { "SFPSETCC after a reset", "lane-flags-disabled", NONE, 0,
          { TT(SFPSETCC) } },
        { "SFPGT that sets flags", "lane-flags-disabled", NONE, 0,
          { TT(SFPGT, .instr_mod1 = 1) } },
        { "SFPLE that sets flags", "lane-flags-disabled", NONE, 1,
          { TT(SFPENCC), TT(SFPLE, .instr_mod1 = 1) } },
        { "SFPGT and SFPLE with a result", NULL, 0, 0,
          { TT(SFPGT, .instr_mod1 = 8), TT(SFPLE, .instr_mod1 = 8) } },
        { "SFPSETCC after SFPENCC", NULL, 0, 0,
          { TT(SFPENCC, .imm12_math = 3, .instr_mod1 = 10), TT(SFPSETCC) } },
        { "SFPSETCC while some lanes use their flag", NULL, 0, 0,
          { TT(SFPSETCC) }, .setup = some_flags },
    };

    add(rows, sizeof(rows));
}

static void add_macros(void)
{
    const Program rows[] = {
        { "macro: MAD's result", "sfploadmacro-mad", 5, 5,
          { SCHEDULE(MAD(12), TT(SFPABS, .lreg_dest = 13),
                     MAD_UNIT(PART(4, 0)) | SIMPLE(PART(5, 1))) } },
        { "macro: MAD's result, fixed", NULL, 0, 0,
          { SCHEDULE(MAD(12), TT(SFPABS, .lreg_dest = 13),
                     MAD_UNIT(PART(4, 0)) | SIMPLE(PART(5, 2))) } },
        { "macro: MAD's result stored", "sfploadmacro-mad", 5, 5,
          { SCHEDULE(MAD(12), SFPNOP,
                     MAD_UNIT(PART(4, 2)) | STORE_UNIT(PART(3, 3))) } },
        { "macro: MAD's result stored, fixed", NULL, 0, 0,
          { SCHEDULE(MAD(12), SFPNOP,
                     MAD_UNIT(PART(4, 2)) | STORE_UNIT(PART(3, 4))) } },

        { "macro: the template's register stored", NULL, 0, 0,
          { SCHEDULE(MAD(12), TT(SFPSTORE, .lreg_ind = 13),
                     MAD_UNIT(PART(4, 2)) | STORE_UNIT(PART(5, 3) | 0x80)) } },
        { "macro: the loaded register stored", "sfploadmacro-mad", 5, 5,
          { SCHEDULE(MAD(12), TT(SFPSTORE, .lreg_ind = 13),
                     MAD_UNIT(PART(4, 2)) | STORE_UNIT(PART(5, 3))) } },
        { "macro: MAD's result rounded", "sfploadmacro-mad", 5, 5,
          { SCHEDULE(MAD(12), TT(SFP_STOCH_RND, .lreg_dest = 13),
                     MAD_UNIT(PART(4, 0)) | ROUND(PART(5, 1))) } },
        { "macro: another register rounded", NULL, 0, 0,
          { SCHEDULE(MAD(12), TT(SFP_STOCH_RND, .lreg_dest = 13),
                     MAD_UNIT(PART(4, 0) | 0x40) | ROUND(PART(5, 1))) } },
        { "macro: Round after SFPSWAP", "sfploadmacro-swap", 5, 5,
          { SCHEDULE(TT(SFP_STOCH_RND, .lreg_dest = 12), SWAP(2, 13, 1),
                     ROUND(PART(4, 1)) | SIMPLE(PART(5, 0))) } },
        { "macro: SFPSHFT2 that shuffles nothing", NULL, 0, 0,
          { SCHEDULE(SHFT2(0, 2, 12, 5), TT(SFPABS, .lreg_dest = 13),
                     ROUND(PART(4, 0)) | SIMPLE(PART(5, 1))) } },

        { "macro: MAD beside SFPSWAP", "sfploadmacro-swap", 5, 5,
          { SCHEDULE(MAD(12), SWAP(2, 13, 1),
                     MAD_UNIT(PART(4, 0)) | SIMPLE(PART(5, 0))) } },
        { "macro: MAD beside SFPSWAP, fixed", NULL, 0, 0,
          { SCHEDULE(MAD(12), SWAP(2, 13, 1),
                     MAD_UNIT(PART(4, 3)) | SIMPLE(PART(5, 0))) } },
        { "macro: SFPNOP beside SFPSWAP", NULL, 0, 0,
          { SCHEDULE(MAD(12), SWAP(2, 13, 1),
                     MAD_UNIT(PART(2, 0)) | SIMPLE(PART(5, 0))) } },

        { "macro: after SFPSHFT2", "sfploadmacro-sfpshft2", 5, 5,
          { SCHEDULE(SHFT2(0, 2, 12, 3), TT(SFPABS, .lreg_dest = 13),
                     ROUND(PART(4, 0)) | SIMPLE(PART(5, 1))) } },
        { "macro: after SFPSHFT2, fixed", NULL, 0, 0,
          { SCHEDULE(SHFT2(0, 2, 12, 3), TT(SFPABS, .lreg_dest = 13),
                     ROUND(PART(4, 0)) | SIMPLE(PART(5, 2))) } },
    };

    add(rows, sizeof(rows));
}

static void add_dest(void)
{
    const Program rows[] = {
        { "SFPLOAD after MVMUL", "dest-sfpload", 0, 1,
          { TT(MVMUL), LOAD(BF16, 4) } },
        { "SFPLOAD two NOPs after MVMUL", "dest-sfpload", 0, 3,
          { TT(MVMUL), NOP, NOP, LOAD(BF16, 4) } },
        { "SFPLOAD after MVMUL, fixed", NULL, 0, 0,
          { TT(MVMUL), NOP, NOP, NOP, LOAD(BF16, 4) } },
        { "SFPLOAD after MVMUL, fixed by a wait", NULL, 0, 0,
          { TT(MVMUL), WAIT(B_VECTOR, C_MATRIX), LOAD(BF16, 4) } },
        { "SFPLOAD after MVMUL, a wait for the other", "dest-sfpload", 0, 2,
          { TT(MVMUL), WAIT(B_VECTOR, C_VECTOR), LOAD(BF16, 4) } },
        { "SFPLOAD after MVMUL, a wait that does not block it",
          "dest-sfpload", 0, 2,
          { TT(MVMUL), WAIT(B_SYNC, C_MATRIX), LOAD(BF16, 4) } },
        { "SFPLOAD after MVMUL, a wait that blocked another one", NULL, 0, 0,
          { TT(MVMUL), WAIT(B_SYNC, C_MATRIX), TT(SEMPOST), LOAD(BF16, 4) } },
        { "SFPLOAD of other rows", NULL, 0, 0, { TT(MVMUL), LOAD(BF16, 8) } },
        { "SFPLOAD of 32 bits", NULL, 0, 0, { TT(MVMUL), LOAD(FP32, 4) } },

        { "SFPLOADMACRO after ELWADD", "dest-sfploadmacro", 0, 1,
          { TT(ELWADD), MACRO(BF16, 0) } },
        { "SFPLOADMACRO after ELWADD, fixed", NULL, 0, 0,
          { TT(ELWADD), NOP, NOP, NOP, MACRO(BF16, 0) } },

        { "MVMUL after SFPSTORE", "dest-sfpstore", 0, 1,
          { STORE(BF16, 4), TT(MVMUL) } },
        { "MVMUL after SFPSTORE, fixed", NULL, 0, 0,
          { STORE(BF16, 4), WAIT(B_MATRIX, C_VECTOR), TT(MVMUL) } },
        { "ELWADD that does not read after SFPSTORE", NULL, 0, 0,
          { STORE(BF16, 4), TT(ELWADD) } },

        { "ELWADD after MOVA2D", "dest-move", 0, 1, { TT(MOVA2D), ADDING } },
        { "ELWADD after MOVA2D, fixed", NULL, 0, 0,
          { TT(MOVA2D), NOP, NOP, NOP, ADDING } },
        { "ELWADD that does not add", NULL, 0, 0, { TT(MOVA2D), TT(ELWADD) } },
    };

    add(rows, sizeof(rows));
}

static void add_config(void)
{
    const Program rows[] = {
        { "WRCFG", "wrcfg", 0, 1, { WRCFG(4, 2), TT(MVMUL) } },
        { "WRCFG, fixed", NULL, 0, 0, { WRCFG(4, 2), NOP, TT(MVMUL) } },
        { "WRCFG of what is there", NULL, 0, 0, { WRCFG(5, 2), TT(MVMUL) } },
        { "WRCFG of what others use", NULL, 0, 0,
          { WRCFG(4, CFG_UNP0_ADDR_BASE_REG_0_Base_WORD), TT(MVMUL) } },

        { "CFGSHIFTMASK", "cfgshiftmask", 0, 1, { SHIFTMASK(2), TT(MVMUL) } },
        { "CFGSHIFTMASK, fixed", NULL, 0, 0,
          { SHIFTMASK(2), NOP, TT(MVMUL) } },

        { "STREAMWRCFG", "streamwrcfg", 0, 4,
          { STREAM(2), NOP, NOP, NOP, TT(MVMUL) } },
        { "STREAMWRCFG, fixed", NULL, 0, 0,
          { STREAM(2), WAIT(B_MATRIX, C_CONFIG), TT(MVMUL) } },

        { "STREAMWRCFG overtaken", "streamwrcfg-order", 0, 1,
          { STREAM(SOME_WORD), RDCFG(5, SOME_WORD) } },
        { "STREAMWRCFG overtaken, fixed", NULL, 0, 0,
          { STREAM(SOME_WORD), WAIT(B_CONFIG, C_CONFIG),
            RDCFG(5, SOME_WORD) } },
        { "STREAMWRCFG after another", NULL, 0, 0,
          { STREAM(SOME_WORD), STREAM(SOME_WORD) } },
    };

    add(rows, sizeof(rows));
}

static void add_config_order(void)
{
    const Program rows[] = {
        { "CFG_STATE_ID in a bundle", "state-id", 0, 2,
          { TT(SETC16, .setc16_value = 1), NOP, TT(MVMUL) } },
        { "CFG_STATE_ID in a bundle, fixed", NULL, 0, 0,
          { TT(SETC16, .setc16_value = 1), NOP, NOP, NOP, TT(MVMUL) } },
        { "CFG_STATE_ID as it was", NULL, 0, 0, { TT(SETC16), TT(MVMUL) } },

        { "the packer's configuration", "pack-config", 0, 2,
          { TT(PACR, .Last = 1), NOP,
            TT(RMWCIB0, .CfgRegAddr = 18, .Data = 2, .Mask = 2) } },
        { "the packer's configuration, fixed", NULL, 0, 0,
          { TT(PACR, .Last = 1), WAIT(B_CONFIG, C_PACK),
            TT(RMWCIB0, .CfgRegAddr = 18, .Data = 2, .Mask = 2) } },
        { "the packer's next address", NULL, 0, 0,
          { TT(PACR, .Last = 1),
            WRCFG(4, CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD) } },
    };

    add(rows, sizeof(rows));
}

static void add_gprs(void)
{
    const Program rows[] = {
        { "RDCFG", "rdcfg", 0, 1, { RDCFG(5, SOME_WORD), WRCFG(5, SCRATCH) } },
        { "RDCFG, fixed", NULL, 0, 0,
          { RDCFG(5, SOME_WORD), NOP, WRCFG(5, SCRATCH) } },
        { "RDCFG as matrix multiplication does it", NULL, 0, 0,
          { RDCFG(5, SOME_WORD), ADD(5, 6) } },

        { "LOADIND", "loadind", 0, 1, { LOADIND(8), ADD(8, 6) } },
        { "LOADIND, fixed", NULL, 0, 0,
          { LOADIND(8), WAIT(B_SCALAR, C_SCALAR), ADD(8, 6) } },
        { "LOADIND, fixed by FLUSHDMA", NULL, 0, 0,
          { LOADIND(8), TT(FLUSHDMA, .FlushSpec = 1), ADD(8, 6) } },
        { "LOADIND, fixed by DMANOPs", NULL, 0, 0,
          { LOADIND(8), DMANOP, DMANOP, DMANOP, DMANOP, DMANOP, DMANOP, DMANOP,
            ADD(8, 6) } },
        { "LOADIND of four GPRs", "loadind", 0, 2,
          { TT(LOADIND, .DataRegIndex = 8), DMANOP, ADD(11, 6) } },

        { "LOADREG", "loadreg", 0, 1, { LOADREG(8), WRCFG(8, SCRATCH) } },
        { "LOADREG, fixed", NULL, 0, 0,
          { LOADREG(8), WAIT(B_CONFIG, C_SCALAR), WRCFG(8, SCRATCH) } },

        { "ATINCGET", "atincget", 0, 9,
          { ATINCGET(8), DMANOP, DMANOP, DMANOP, DMANOP, DMANOP, DMANOP, DMANOP,
            DMANOP, ADD(8, 6) } },
        { "ATINCGET, fixed", NULL, 0, 0,
          { ATINCGET(8), WAIT(B_SCALAR, C_SCALAR), ADD(8, 6) } },
    };

    add(rows, sizeof(rows));
}

static void add_banks(void)
{
    const Program rows[] = {
        { "SETDVALID", "setdvalid", 0, 2, { SETDVALID, SETDVALID, SETDVALID },
          .setup = no_banks },
        { "SETDVALID, fixed", NULL, 0, 0,
          { SETDVALID, SETDVALID, GIVE_BACK, SETDVALID }, .setup = no_banks },

        { "UNPACR_NOP", "unpacr-nop-setdvalid", 0, 2,
          { SETDVALID, SETDVALID, NOP_SETDVALID }, .setup = no_banks },
        { "UNPACR_NOP, fixed", NULL, 0, 0,
          { SETDVALID, SETDVALID, GIVE_BACK, NOP_SETDVALID },
          .setup = no_banks },

        { "MOVD2A", "movd2a-movd2b", 1, 2,
          { SETDVALID, TT(CLEARDVALID, .cleardvalid = 1, .reset = 2),
            TT(MOVD2A) },
          .setup = no_banks },
        { "MOVD2A, fixed", NULL, 0, 0, { SETDVALID, TT(MOVD2A) },
          .setup = no_banks },
        { "MOVD2B that was never given a bank", "movd2a-movd2b", NONE, 0,
          { TT(MOVD2B) }, .setup = no_banks },
    };

    add(rows, sizeof(rows));
}

static void push(unsigned n, uint32_t word)
{
    TensixOrigin origin = { PC + 4 * n, TENSIX_HART_TRISC1 };

    tensix_push(&f.core, THREAD, word, origin);
}

static void push_all(const Program *p, unsigned first)
{
    for (unsigned n = 0; n < LENGTH && p->words[n]; n++) {
        push(first + n, p->words[n]);
    }
}

static void run(const Program *p)
{
    start();
    if (p->setup) {
        p->setup();
    }
    push_all(p, 0);
}

/* The rule, the first instruction as text, and the second as the origin. */
static void ok_reported(const Program *p)
{
    char rule[64], first[64] = "no instruction";

    snprintf(rule, sizeof(rule), "%s: ", p->rule);
    if (p->first != NONE) {
        snprintf(first, sizeof(first), "trisc1 pc 0x%08x (", PC + 4 * p->first);
    }
    ok_eq(got.count, 1, "%s: one hazard", p->name);
    ok(!strncmp(got.text, rule, strlen(rule)) && strstr(got.text, first) &&
           strstr(got.text, "missing: "), "%s: %s", p->name, got.text);
    ok(got.last.origin.pc == PC + 4 * p->second &&
          got.last.origin.hart == TENSIX_HART_TRISC1 &&
          got.last.word == p->words[p->second], "%s: the second", p->name);
}

static void test_programs(void)
{
    for (unsigned n = 0; n < program_count; n++) {
        const Program *p = &programs[n];

        run(p);
        if (p->rule) {
            ok_reported(p);
        } else if (!ok(got.count == 0, "%s: silent", p->name)) {
            diag("%s", got.text);
        }
    }
}

/* A rule without a broken program or a fixed one would not be tested. */
static void test_every_rule_is_here(void)
{
    static const char *const rules[] = {
#define HAZARD(rule, name, what, missing, document) name,
#include "decode/hazard_table.h.inc"
#undef HAZARD
    };

    for (unsigned k = 0; k < sizeof(rules) / sizeof(rules[0]); k++) {
        bool found = false;

        for (unsigned n = 0; n < program_count; n++) {
            found |= programs[n].rule && !strcmp(programs[n].rule, rules[k]);
        }
        ok(found, "%s has a broken program", rules[k]);
    }
}

static void test_off(void)
{
    for (unsigned n = 0; n < program_count; n++) {
        start();
        if (programs[n].setup) {
            programs[n].setup();
        }
        tensix_set_hazards(&f.core, false);
        push_all(&programs[n], 0);
        if (got.count) {
            break;
        }
    }
    ok(got.count == 0, "nothing is reported unless asked for");
    ok(f.core.derived.slow == 0, "and words take the fast path");
}

static void test_once(void)
{
    const Program *p = &programs[0];

    run(p);
    push_all(p, 0);
    ok_eq(got.count, 1, "a loop is reported once");
    push_all(p, 8);
    ok_eq(got.count, 2, "the same words elsewhere again");
    tensix_reset(&f.core);
    push_all(p, 0);
    ok_eq(got.count, 3, "after a reset again");
}

/* More sites than one bucket of those that are known has. */
static void test_sites(void)
{
    enum { SITES = 64 };

    start();
    for (unsigned n = 0; n < 2 * SITES; n++) {
        push_all(&programs[0], n % SITES * 2);
    }
    ok_eq(got.count, SITES, "%u sites, all of them twice: each once", SITES);
}

/* All that is executed again from there is reported again, and nothing else. */
static void test_trail(void)
{
    static TensixTrail trail;
    static TensixState state;
    const Program *p = &programs[0];

    start();
    push(0, p->words[0]);
    state = f.core.s;
    tensix_get_trail(&f.core, &trail);
    push(1, p->words[1]);
    ok_eq(got.count, 1, "what began before a snapshot is reported");
    for (unsigned known = 0; known < 2; known++) {
        f.core.s = state;
        tensix_state_loaded(&f.core);
        tensix_set_trail(&f.core, &trail);
        push(1, p->words[1]);
        ok_eq(got.count, 2, "known %u: once more from there", known);
        f.core.s = state;
        tensix_state_loaded(&f.core);
        push(1, p->words[1]);
        ok_eq(got.count, 2, "without the trail nothing came before");
        got.count = 1;
    }
}

/* Each word of a trail in turn has a number that no thread and no hart has. */
static void test_malformed_trail(void)
{
    static TensixTrail trail, malformed;
    size_t size = offsetof(TensixHazards, site) / sizeof(uint32_t);
    unsigned instructions, refused = 0;

    memset(&trail, 0, sizeof(trail));
    ok(tensix_trail_valid(&trail), "a trail of nothing is valid");
    for (size_t n = 0; n < size; n++) {
        malformed = trail;
        ((uint32_t *)&malformed.hazards)[n] = 99;
        refused += !tensix_trail_valid(&malformed);
    }
    /* valid, thread and hart of each */
    instructions = TENSIX_THREADS * (4 * TENSIX_HAZARD_RECORDS + 6) +
            2 * TENSIX_SRCS * TENSIX_SRC_BANKS;
    ok_eq(refused, 3 * instructions, "exactly the malformed words are refused");
}

/* Between threads there is no order that could be relied on. */
static void test_other_thread(void)
{
    start();
    push(0, MAD(3));
    tensix_push(&f.core, OTHER, IADD(5, 3, 4),
                (TensixOrigin) { PC, TENSIX_HART_TRISC2 });
    ok_eq(got.count, 0, "another thread's instruction is not the next one");
    push(1, IADD(5, 3, 4));
    ok_eq(got.count, 1, "and comes between no two");
}

static void test_expansion(void)
{
    start();
    push(0, TT(REPLAY, .load_mode = 1, .len = 2));
    push(1, MAD(3));
    push(2, IADD(5, 3, 4));
    ok_eq(got.count, 0, "recording executes nothing");
    push(3, TT(REPLAY, .len = 2));
    ok_eq(got.count, 1, "the replay is reported");
    ok(strstr(got.text, "trisc1 pc 0x0000100c, REPLAY slot 0 from trisc1 "
              "pc 0x00001004 (") != NULL,
       "where the first comes from: %s", got.text);
    ok_eq(got.last.replay_slot, 1, "where the second comes from");
}

/* A MOP of one word, and what follows it. */
static unsigned reported_after_mop(uint32_t word, uint32_t next)
{
    start();
    fixture_mop_cfg(&f, THREAD, 1, 0);
    fixture_mop_cfg(&f, THREAD, 3, word);
    push(0, TT(MOP, .mop_type = 0));
    push(1, next);
    return got.count;
}

/* The MOP expander pauses for a cycle after a MOP. */
static void test_mop(void)
{
    ok_eq(reported_after_mop(WRCFG(4, 2), TT(MVMUL)), 0,
          "after a MOP there is a cycle");
    ok_eq(f.core.s.executed[TENSIX_UNIT_CFG], 1, "the MOP was expanded");
    ok_eq(reported_after_mop(TT(MVMUL), LOAD(BF16, 4)), 1, "but only one");
    ok(strstr(got.text, "pc 0x00001000, MOP word 0 (") != NULL, "%s",
       got.text);
}

/* An instruction that must wait is checked once. */
static void test_retry(void)
{
    start();
    no_banks();
    push(0, WRCFG(4, 2));
    push(1, TT(MVMUL));
    ok_eq(got.count, 1, "reported when it comes");
    push(2, LOAD(BF16, 4));
    tensix_push(&f.core, OTHER, TT(SETDVALID, .setvalid = 3),
                (TensixOrigin) { PC, TENSIX_HART_TRISC2 });
    ok_eq(f.core.s.executed[TENSIX_UNIT_VECTOR], 1, "both have continued");
    ok_eq(got.count, 2, "not again when it continues; the next one is");
    ok(!strncmp(got.text, "dest-sfpload: ", 14), "%s", got.text);
}

/* Of the Vector, Scalar and Configuration Units: they seldom wait. */
static uint32_t any_word(void)
{
    uint32_t word;
    unsigned unit;

    do {
        word = fixture_random(&f);
        unit = tensix_insns[word >> 24].unit;
    } while (unit != TENSIX_UNIT_VECTOR && unit != TENSIX_UNIT_THCON &&
             unit != TENSIX_UNIT_CFG);
    return word;
}

/* Whatever is pushed, nothing but what is reported changes. */
static void test_any_words(void)
{
    enum { ROUNDS = 60, WORDS = 200 };
    static TensixState with;
    unsigned differ = 0, hazards = 0;

    for (unsigned n = 0; n < 2 * ROUNDS; n++) {
        start();
        f.random_state += n / 2;
        fixture_randomise(&f);
        tensix_set_hazards(&f.core, n % 2 == 0);
        for (unsigned k = 0; k < WORDS; k++) {
            TensixOrigin origin = { PC + 4 * k, TENSIX_HART_TRISC1 };

            /* the slow path in both */
            tensix_push_queued(&f.core, THREAD, any_word(), origin);
        }
        hazards += got.count;
        if (n % 2 == 0) {
            with = f.core.s;
        } else {
            differ += memcmp(&with, &f.core.s, sizeof(with)) != 0;
        }
    }
    ok_eq(differ, 0, "telling changes nothing");
    ok(hazards > 0, "random words are hazardous: %u", hazards);
}

int main(void)
{
    add_hidden_reads();
    add_hidden_reads_of_others();
    add_vector();
    add_macros();
    add_dest();
    add_config();
    add_config_order();
    add_gprs();
    add_banks();
    test_every_rule_is_here();
    test_programs();
    test_off();
    test_once();
    test_sites();
    test_trail();
    test_malformed_trail();
    test_other_thread();
    test_expansion();
    test_mop();
    test_retry();
    test_any_words();
    return done_testing();
}
