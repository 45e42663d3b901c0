/*
 * Properties of instructions: property by property, which ones have it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * insn_table.h.inc has them instruction by instruction; a wrong cell there is
 * found here, whether or not a program shows it.  Figures are those of the pages
 * that the rows name.  Of formats only what other tests do not find.
 */

#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "decode/sfpu_formats.h"
#include "num/num_formats.h"
#include "tap.h"
#include "vector/vector_lregs.h"

#define GPR_ARITHMETIC \
    "ADDDMAREG SUBDMAREG MULDMAREG CMPDMAREG BITWOPDMAREG SHIFTDMAREG"
#define BINARY "ELWADD ELWSUB"
#define DOT "MVMUL DOTPV ELWMUL"
#define POOL "GAPOOL GMPOOL"
#define RMW "RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3"
#define LATE_MAD \
    "SFPMAD SFPADD SFPMUL SFPADDI SFPMULI SFPLUT SFPLUTFP32 SFPMUL24"

/* Mnemonics, with spaces between, that have this value. */
typedef struct Having {
    const char *names;
    uint32_t value;
} Having;

static bool has_name(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at += length) {
        if ((at == names || at[-1] == ' ') && strchr(" ", at[length])) {
            return true;
        }
    }
    return false;
}

static uint32_t expected(const Having *rows, const char *name)
{
    for (; rows->names; rows++) {
        if (has_name(rows->names, name)) {
            return rows->value;
        }
    }
    return 0;
}

/* Does each name stand for an instruction?  Else a row would say nothing. */
static unsigned names_of_nothing(const Having *rows)
{
    unsigned words = 0, found = 0;

    for (; rows->names; rows++) {
        words++;
        for (const char *c = rows->names; *c; c++) {
            words += *c == ' ';
        }
        for (unsigned op = 0; op < 256; op++) {
            found += tensix_insns[op].mnemonic &&
                     has_name(rows->names, tensix_insns[op].mnemonic);
        }
    }
    return words - found;
}

/* All that have another value than 0 for the member are listed. */
#define COLUMN(member, ...) do { \
        static const Having rows[] = { __VA_ARGS__, { NULL, 0 } }; \
        unsigned wrong = names_of_nothing(rows); \
        \
        for (unsigned op = 0; op < 256; op++) { \
            const char *name = tensix_insns[op].mnemonic; \
            uint32_t want = name ? expected(rows, name) : 0; \
            \
            if (tensix_traits[op].member != want) { \
                diag("%s: %u, not %u", name ? name : "none", \
                     (unsigned)tensix_traits[op].member, (unsigned)want); \
                wrong++; \
            } \
        } \
        ok_eq(wrong, 0, #member); \
    } while (0)

static void test_timing(void)
{
    COLUMN(occupancy,
           { DOT " " BINARY " " POOL " MOVA2D MOVB2D MOVDBGA2D", 1 },
           { "MOVB2A MOVD2A SHIFTXB", 2 }, { "MOVD2B", 4 },
           { LATE_MAD, 1 }, { "SFPSWAP SFPSHFT2", 2 },
           { GPR_ARITHMETIC " STOREIND STOREREG LOADIND LOADREG", 3 },
           { "ATSWAP ATINCGET", 3 }, { "ATINCGETPTR ATCAS", 15 },
           { "REG2FLOP FLUSHDMA CFGSHIFTMASK", 2 },
           { "WRCFG RDCFG STREAMWRCFG", 1 });
    COLUMN(latency,
           { DOT " " BINARY " " POOL, 5 },
           { "MOVA2D MOVB2D MOVDBGA2D MOVB2A MOVD2B", 4 },
           { "MOVD2A SHIFTXB", 2 },
           { LATE_MAD " SFPSWAP SFPSHFT2", 2 },
           { GPR_ARITHMETIC " STOREIND STOREREG", 3 },
           { "LOADIND LOADREG", 10 }, { "ATSWAP", 12 }, { "ATINCGET", 27 },
           { "ATINCGETPTR ATCAS", 15 },
           { "REG2FLOP FLUSHDMA CFGSHIFTMASK WRCFG RDCFG", 2 },
           { "STREAMWRCFG", 5 });
    COLUMN(duration,
           { "UNPACR", DURATION_UNPACKED }, { "PACR", DURATION_PACKED },
           { "XMOV", DURATION_MOVED }, { GPR_ARITHMETIC, DURATION_GPR_GROUPS },
           { "SFPSHFT2", DURATION_SHUFFLE });
}

static void test_order(void)
{
    COLUMN(order,
           { DOT " " BINARY " " POOL " MOVA2D MOVB2D", ORDER_MATRIX },
           { "SETRWC", ORDER_SETRWC }, { "INCRWC", ORDER_COUNTERS },
           { "ZEROACC", ORDER_ZEROACC },
           { GPR_ARITHMETIC " DMANOP SETDMAREG", ORDER_GPRS },
           { "SFPLOAD SFPSTORE", ORDER_VECTOR_DST },
           { "SFPLOADMACRO SFPCONFIG", ORDER_MATRIX_OR_VECTOR });
    COLUMN(rwc_move,
           { DOT " " BINARY " " POOL " MOVA2D MOVB2D", RWC_ADDR_MOD },
           { "SFPLOAD SFPSTORE", RWC_PARTIAL_ADDR_MOD },
           { "SETRWC", RWC_ITSELF });
    COLUMN(addr_mod,
           { DOT " " BINARY " MOVA2D MOVB2D", 14 }, { POOL, 15 });
    COLUMN(latch,
           { "STALLWAIT", TENSIX_LATCH_CONDITIONS },
           { "SEMWAIT", TENSIX_LATCH_SEMAPHORES },
           { "STREAMWAIT", TENSIX_LATCH_STREAM });
    COLUMN(held_by_all, { "NOP", true });
    COLUMN(mop_skips, { "NOP", true });
    COLUMN(never_lasts, { "UNPACR_NOP", true });
    COLUMN(runs_in_reset, { "DMANOP SETDMAREG", true });
    COLUMN(checks_reserved, { "PACR", true });
}

static void test_dst_and_banks(void)
{
    COLUMN(dst_written,
           { DOT " " BINARY, DST_8 }, { POOL, DST_4 },
           { "MOVA2D MOVDBGA2D", DST_1_OR_8 }, { "MOVB2D", DST_1_4_OR_8 },
           { "SFPSTORE", DST_LANES });
    COLUMN(dst_read,
           { DOT, DST_8 }, { BINARY, DST_8_IF_ADDED }, { POOL, DST_4 },
           { "MOVD2A MOVD2B", DST_1_OR_4 },
           { "SFPLOAD SFPLOADMACRO", DST_LANES });
    COLUMN(banks_over,
           { "SETDVALID", BANKS_SETDVALID }, { "UNPACR", BANKS_UNPACR },
           { "UNPACR_NOP", BANKS_UNPACR_NOP });
    COLUMN(banks_back, { DOT " " BINARY " " POOL " SETRWC CLEARDVALID", true });
    COLUMN(moves_to_srca, { "MOVD2A", true });
    COLUMN(moves_to_srcb, { "MOVD2B", true });
}

static void test_config_and_gprs(void)
{
    COLUMN(uses_no_config,
           { "SETRWC INCRWC CLEARDVALID CLREXPHIST GATESRCRST ZEROSRC", true },
           { "PACR_SETREG", true });
    COLUMN(config,
           { "RDCFG", CONFIG_USE_READ }, { "WRCFG", CONFIG_USE_FROM_GPRS },
           { RMW, CONFIG_USE_BYTE }, { "CFGSHIFTMASK", CONFIG_USE_MASKED },
           { "STREAMWRCFG", CONFIG_USE_LATE });
    COLUMN(config_width,
           { "RDCFG WRCFG STREAMWRCFG", 11 }, { RMW " CFGSHIFTMASK", 8 });
    COLUMN(config_byte, { "RMWCIB1", 1 }, { "RMWCIB2", 2 }, { "RMWCIB3", 3 });
    COLUMN(gprs_read,
           { GPR_ARITHMETIC, GPR_A | GPR_B_OR_CONST },
           { "LOADIND", GPR_A | GPR_OFFSET },
           { "STOREIND", GPR_A | GPR_OFFSET | GPR_STOREIND },
           { "STOREREG", GPR_TDMA }, { "ATSWAP ATINCGET", GPR_A | GPR_B },
           { "ATCAS ATINCGETPTR REG2FLOP", GPR_A },
           { "WRCFG", GPR_CFG_OR_QUAD });
    COLUMN(gprs_late,
           { "LOADIND", GPR_LOADIND }, { "LOADREG", GPR_TDMA },
           { "ATINCGET", GPR_B }, { "RDCFG", GPR_CFG });
    COLUMN(flushes, { "FLUSHDMA", true });
}

static void test_hazards(void)
{
    COLUMN(hazard,
           { "MOVA2D MOVB2D MOVDBGA2D", HAZARD_DST_MOVE },
           { "MOVD2A MOVD2B", HAZARD_MOVD2SRC },
           { "SFPLOAD", HAZARD_DST_LOAD }, { "SFPLOADMACRO", HAZARD_DST_MACRO },
           { "SFPSTORE", HAZARD_DST_STORE }, { "WRCFG", HAZARD_WRCFG },
           { "CFGSHIFTMASK", HAZARD_CFGSHIFTMASK },
           { "STREAMWRCFG", HAZARD_STREAMWRCFG }, { "RDCFG", HAZARD_RDCFG },
           { "LOADIND", HAZARD_LOADIND }, { "LOADREG", HAZARD_LOADREG },
           { "ATINCGET", HAZARD_ATINCGET }, { "SETC16", HAZARD_STATE_ID },
           { "PACR", HAZARD_PACK_CONFIG }, { "SETDVALID", HAZARD_SETDVALID },
           { "UNPACR_NOP", HAZARD_UNPACR_NOP });
}

/* --- by operands --- */

static void test_operands(void)
{
    ok_eq(tensix_insn_order(TT(SETRWC, .clear_ab_vld = 1)), ORDER_MATRIX,
          "SETRWC that gives a bank back");
    ok_eq(tensix_insn_order(TT(SETRWC, .BitMask = 4)), ORDER_COUNTERS,
          "SETRWC of counters");
    ok_eq(tensix_insn_order(TT(SETRWC, .BitMask = 16)), ORDER_MATRIX_OR_VECTOR,
          "SETRWC with an undefined bit");
    ok_eq(tensix_insn_order(TT(ZEROACC, .clear_mode = 1)),
          ORDER_MATRIX_OR_VECTOR, "ZEROACC of 16 rows");
    ok_eq(tensix_insn_order(TT(ZEROACC, .clear_mode = 2)), ORDER_MATRIX,
          "ZEROACC of a half");
    ok_eq(tensix_insn_order(TT(SFPLOAD, .instr_mod0 = FMT_INT32_ALL)),
          ORDER_MATRIX_OR_VECTOR, "SFPLOAD by the stack pointer");
    ok_eq(tensix_insn_order(TT(SFPSTORE, .instr_mod0 = FMT_INT32)),
          ORDER_VECTOR, "SFPSTORE");
    ok_eq(tensix_insn_order(TT(UNPACR, .Unpack_block_selection = 1)),
          ORDER_UNPACK1, "UNPACR of unpacker 1");
    ok_eq(tensix_insn_order(TT(MOVD2A)), ORDER_MATRIX_OR_VECTOR, "MOVD2A");
    ok_eq(tensix_insn_order(TT(SETADCXX)), ORDER_NONE, "SETADCXX");
    ok_eq(tensix_insn_dst_written(TT(MOVB2D, .movb2d_instr_mod = 4)), 4,
          "MOVB2D of four rows");
    ok_eq(tensix_insn_dst_written(TT(MOVB2D, .movb2d_instr_mod = 2)), 8,
          "MOVB2D of a row to eight");
    ok_eq(tensix_insn_dst_written(TT(MOVA2D, .instr_mod = 2)), 8,
          "MOVA2D of eight rows");
    ok_eq(tensix_insn_dst_read(TT(MOVD2B, .instr_mod = 2)), 4,
          "MOVD2B of four rows");
    ok_eq(tensix_insn_dst_read(TT(ELWADD)), 0, "ELWADD");
    ok_eq(tensix_insn_dst_read(TT(ELWSUB, .dest_accum_en = 1)), 8,
          "ELWSUB that adds to Dst");
    ok_eq(tensix_insn_occupancy(TT(SFPSHFT2, .instr_mod1 = 1)), 1,
          "SFPSHFT2 that does not shuffle");
    ok_eq(tensix_insn_occupancy(TT(SFPSHFT2, .instr_mod1 = 3)), 2,
          "SFPSHFT2 that shuffles");
}

static void test_gprs(void)
{
    ok_eq(tensix_insn_gprs_read(TT(ADDDMAREG, .OpARegIndex = 3,
                                   .OpBRegIndex = 5)), 1 << 3 | 1 << 5,
          "ADDDMAREG of two GPRs");
    ok_eq(tensix_insn_gprs_read(TT(SUBDMAREG, .OpARegIndex = 3,
                                   .OpBRegIndex = 5, .OpBisConst = 1)), 1 << 3,
          "SUBDMAREG of a constant");
    ok_eq(tensix_insn_gprs_read(TT(STOREIND, .AddrRegIndex = 1,
                                   .DataRegIndex = 5, .OffsetIndex = 7)),
          1 << 1 | 0xf << 4 | 1 << 3, "STOREIND of four GPRs");
    ok_eq(tensix_insn_gprs_read(TT(STOREIND, .DataRegIndex = 5, .SizeSel = 1)),
          1 | 1 << 5, "STOREIND of one");
    ok_eq(tensix_insn_gprs_late(TT(LOADIND, .DataRegIndex = 9)), 0xf << 8,
          "LOADIND of four");
    ok_eq(tensix_insn_gprs_late(TT(LOADIND, .DataRegIndex = 9, .SizeSel = 2)),
          1 << 9, "LOADIND of less");
    ok_eq(tensix_insn_gprs_read(TT(WRCFG, .GprAddress = 6, .wr128b = 1)),
          0xf << 4, "WRCFG of four");
    ok_eq(tensix_insn_gprs_late(TT(RDCFG, .GprAddress = 6)), 1 << 6, "RDCFG");
    ok_eq(tensix_insn_config_word(TT(RDCFG, .CfgReg = 220)), 220,
          "word of RDCFG");
    ok_eq(tensix_insn_config_word(TT(RMWCIB2, .CfgRegAddr = 40)), 40,
          "word of RMWCIB2");
}

static void test_bank_modes(void)
{
    ok_eq(tensix_insn_banks_over(TT(SETDVALID, .setvalid = 3)), 3, "SETDVALID");
    ok_eq(tensix_insn_banks_over(TT(UNPACR, .SetDatValid = 1,
                                    .Unpack_block_selection = 1)), 2,
          "UNPACR to SrcB");
    ok_eq(tensix_insn_banks_over(TT(UNPACR, .SetDatValid = 1,
                                    .SearchCacheFlush = 1)), 0,
          "UNPACR that unpacks nothing");
    ok_eq(tensix_insn_banks_over(TT(UNPACR_NOP, .Unpack_Pop = 1,
                                    .Clr_to1_fmt_Ctrl = 3)), 1,
          "UNPACR_NOP that only hands over");
    ok_eq(tensix_insn_waits_for_bank(TT(UNPACR_NOP, .Clr_to1_fmt_Ctrl = 3)),
          false, "and does not wait");
    ok_eq(tensix_insn_waits_for_bank(TT(UNPACR_NOP)), true,
          "UNPACR_NOP that clears waits");
    ok_eq(tensix_insn_banks_back(TT(CLEARDVALID, .cleardvalid = 2)), 2,
          "CLEARDVALID");
    ok_eq(tensix_insn_banks_back(TT(MOVD2A, .src = 63)), 0, "MOVD2A");
}

/* --- the logic that stalls for late results of MAD (BH SFPMAD.md) --- */

enum { SEES_VA = 1, SEES_VB = 2, SEES_VC = 4, SEES_VD = 8, SEES_LREGS = 16 };

static uint32_t registers_of(uint32_t sees, const TensixVectorOp *op)
{
    return (sees & SEES_VA ? 1u << op->va : 0) |
           (sees & SEES_VB ? 1u << op->vb : 0) |
           (sees & SEES_VC ? 1u << op->vc : 0) |
           (sees & SEES_VD ? 1u << op->vd : 0) | sees / SEES_LREGS;
}

/* SFPSHFT2's and SFP_STOCH_RND's depend on their modes. */
static uint32_t seen_by(const Having *rows, uint32_t opcode,
                        const TensixVectorOp *op)
{
    static const uint8_t shft2[] = { 0, 0, 0, 0, 0, SEES_VD | SEES_VC, SEES_VD };
    bool by_vb = op->mod == 4 || op->mod == 5;

    if (opcode == TENSIX_OP_SFP_STOCH_RND) {
        return registers_of(by_vb ? SEES_VB | SEES_VC : SEES_VC, op);
    }
    if (strcmp(tensix_insns[opcode].mnemonic, "SFPSHFT2")) {
        return registers_of(expected(rows, tensix_insns[opcode].mnemonic), op);
    }
    if (op->mod < 2) {
        return 0xf;
    }
    return op->mod < sizeof(shft2) ? registers_of(shft2[op->mod], op) : 0;
}

static void test_stalling_logic(void)
{
    static const Having rows[] = {
        { "SFPSTORE SFPMULI SFPADDI", SEES_VD },
        { "SFPDIVP2 SFPEXEXP SFPEXMAN SFPIADD SFPSHFT SFPSETCC SFPMOV", SEES_VC },
        { "SFPABS SFPNOT SFPLZ SFPCAST SFPARECIP", SEES_VC },
        { "SFPSETEXP SFPSETMAN SFPSETSGN SFPXOR SFPLE SFPGT SFPAND SFPOR",
          SEES_VC | SEES_VD },
        { "SFPMAD SFPADD SFPMUL SFPMUL24", SEES_VA | SEES_VB | SEES_VC },
        { "SFPTRANSP", 0xff * SEES_LREGS }, { "SFPLUT", 0xf * SEES_LREGS },
        { "SFPLUTFP32", 0x7f * SEES_LREGS }, { NULL, 0 },
    };

    ok_eq(names_of_nothing(rows), 0, "each is an instruction");
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        unsigned wrong = 0;

        for (unsigned n = 0; tensix_vector_rows[opcode].is_vector && n < 4096;
             n++) {
            TensixInsn i = { .word = opcode << 24 | (n * 0x2545f5u & 0xffffff) };
            TensixVectorOp op = tensix_vector_decode(&i);
            TensixVectorUse use = tensix_vector_use(&op);

            wrong += (use.seen | use.also_seen) != seen_by(rows, opcode, &op);
        }
        if (tensix_vector_rows[opcode].is_vector) {
            ok_eq(wrong, 0, "what the logic sees of %s",
                  tensix_insns[opcode].mnemonic);
        }
    }
}

/* --- formats: what no conversion shows --- */

static void test_formats(void)
{
    for (uint32_t n = 0; n < TENSIX_FORMATS; n++) {
        const TensixFormat *format = &tensix_formats[n];
        uint32_t pack_bits = n == 12 ? 32 : n == 13 ? 16 : 0;

        ok_eq(format->no_threshold, n == TENSIX_FMT_BFP2A, "%s: no threshold",
              format->name);
        ok_eq(format->pack_bits, pack_bits, "%s: packed without a format",
              format->name);
    }
}

int main(void)
{
    test_formats();
    test_stalling_logic();
    test_timing();
    test_order();
    test_dst_and_banks();
    test_config_and_gprs();
    test_hazards();
    test_operands();
    test_gprs();
    test_bank_modes();
    return done_testing();
}
