/*
 * Configuration Unit: back-end configuration written and read by instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH BackendConfiguration.md, ConfigurationUnit.md and the instructions' pages.
 * The hardware pipelines these instructions and software separates a write from
 * its use; here each is complete before the next one starts.
 */

#include <string.h>

#include "config/config.h"
#include "num/num_prng.h"
#include "observe/note.h"
#include "tensix_internal.h"
#include "tensix_soft_reset.h"

#define WHOLE_WORD UINT32_MAX

static bool held_in_reset(const TensixCore *c, uint32_t word)
{
    return c->s.soft_reset & RESET_THCON &&
           word >= TENSIX_CFG_THCON_BASE && word < TENSIX_CFG_GLOBAL_BASE;
}

/* What was reported of ALU_ROUNDING_MODE and no longer holds is discarded. */
static void discard_rounding_report(TensixCore *c, uint32_t bank)
{
    c->reported.rounding[bank] &=
        c->s.cfg[bank][CFG_ALU_ROUNDING_MODE_Fpu_srnd_en_WORD];
}

/* --- derived.place --- */

/* Bit n: AddrMod n changes a counter, or has a bit that means nothing. */
static uint32_t moving_addr_mods(const uint16_t *cfg)
{
    enum { ADDR_MODS = 8 };
    uint32_t moves = 0;

    for (unsigned n = 0; n < ADDR_MODS; n++, cfg++) {
        moves |= ((cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX] |
                   cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX] |
                   cfg[THREAD_CFG_ADDR_MOD_BIAS_SEC0_BiasIncr_INDEX]) != 0) << n;
    }
    return moves;
}

/* A bank's format by Config, unless it is implied (WH SrcASrcB.md). */
#define FORMAT(c, t, src, name, spec) \
    (!THREAD_CFG_GET(c, t, DISABLE_IMPLIED_##src##_FMT_Base) \
     ? TENSIX_FORMAT_IMPLIED \
     : CFG_GET(c, t, ALU_FORMAT_SPEC_REG_##name##_override) \
     ? CFG_GET(c, t, ALU_FORMAT_SPEC_REG_##name##_val) \
     : CFG_GET(c, t, ALU_FORMAT_SPEC_##spec))

void tensix_update_place(TensixCore *c, uint32_t thread)
{
    c->derived.place[thread] = (TensixPlace) {
        .dst_base = CFG_GET(c, thread, DEST_REGW_BASE_Base) +
                    THREAD_CFG_GET(c, thread, DEST_TARGET_REG_CFG_MATH_Offset),
        .sp_base = CFG_GET(c, thread, DEST_SP_BASE_Base),
        .moves = moving_addr_mods(c->s.thread_cfg[thread]),
        .straight = !CFG_GET(c, thread, DEST_ACCESS_CFG_remap_addrs) &&
                    !c->s.dst16b_is_high_half,
        .forced = THREAD_CFG_GET(c, thread, FP16A_FORCE_Enable),
        .integers = CFG_GET(c, thread, ALU_ACC_CTRL_INT8_math_enabled),
        .fp32 = CFG_GET(c, thread, ALU_ACC_CTRL_Fp32_enabled),
        .flush_b = !CFG_GET(c, thread, ALU_ACC_CTRL_Zero_Flag_disabled_src),
        .phase = THREAD_CFG_GET(c, thread, FIDELITY_BASE_Phase),
        .format[TENSIX_SRCA] = FORMAT(c, thread, SRCA, SrcA, REG0_SrcA),
        .format[TENSIX_SRCB] = FORMAT(c, thread, SRCB, SrcB, REG1_SrcB),
    };
}

/* --- writes --- */

/* Config is written here and in tensix_cfg_clear(), and nowhere else. */
static void put_word(TensixCore *c, uint32_t bank, uint32_t word,
                     uint32_t value)
{
    uint32_t *at = &c->s.cfg[bank][word];

    bool counts = (*at ^ value) & ~tensix_cfg_tile_bits(word);

    *at = value;
    if (counts) {
        c->derived.config[bank]++;
        tensix_update_places(c);
    }
    tensix_note_write(c, TENSIX_SPACE_CONFIG, bank * TENSIX_CFG_WORDS + word, 1);
}

void tensix_cfg_clear(TensixCore *c, uint32_t bank, uint32_t first,
                      uint32_t end)
{
    memset(&c->s.cfg[bank][first], 0, (end - first) * sizeof(uint32_t));
    c->derived.config[bank]++;
    tensix_update_places(c);
    tensix_note_write(c, TENSIX_SPACE_CONFIG, bank * TENSIX_CFG_WORDS + first,
                      end - first);
}

static void invalidate_code(const TensixCore *c, uint32_t word)
{
    uint32_t harts = word & CFG_RISCV_IC_INVALIDATE_InvalidateAll_MASK;

    if (harts && c->host.invalidate_code) {
        c->host.invalidate_code(c->host.opaque, harts);
    }
}

/*
 * Config[bank][word] := value in the bits of mask.  A whole-word write to
 * STATE_RESET_EN clears the bank below the global words, a partial one
 * (RMWCIB) is plain; global words go to both banks; THCON's words keep still
 * while soft reset holds them.  A word that does not exist is ignored: callers
 * report it.  A write of PRNG_SEED seeds, one of RISCV_IC_INVALIDATE empties the
 * instruction caches of the harts whose bits it sets (B, T0, T1, T2, NC).
 * (BH BackendConfiguration.md, SoftReset.md; WH InstructionCache.md)
 */
void tensix_cfg_store(TensixCore *c, uint32_t bank, uint32_t word,
                      uint32_t value, uint32_t mask)
{
    if (word >= TENSIX_CFG_WORDS || held_in_reset(c, word)) {
        return;
    }
    if (word == CFG_STATE_RESET_EN_WORD && mask == WHOLE_WORD) {
        tensix_cfg_clear(c, bank, 0, TENSIX_CFG_GLOBAL_BASE);
        discard_rounding_report(c, bank);
        return;
    }
    value = (c->s.cfg[bank][word] & ~mask) | (value & mask);
    put_word(c, bank, word, value);
    if (word == CFG_ALU_ROUNDING_MODE_Fpu_srnd_en_WORD) {
        discard_rounding_report(c, bank);
    }
    if (word >= TENSIX_CFG_GLOBAL_BASE) {
        put_word(c, bank ^ 1, word, value);
    }
    if (word == CFG_PRNG_SEED_Seed_Val_WORD) {
        tensix_prng_seed(&c->s.vu, value);
    }
    if (word == CFG_RISCV_IC_INVALIDATE_InvalidateAll_WORD) {
        invalidate_code(c, value & mask);
    }
}

/* Store by an instruction: into the bank of its thread. */
static void cfg_store(TensixCore *c, const TensixInsn *i, uint32_t word,
                      uint32_t value)
{
    tensix_cfg_store(c, tensix_cfg_bank(c, i->thread), word, value, WHOLE_WORD);
}

static TensixResult bad_index(TensixCore *c, const TensixInsn *i,
                              uint32_t index)
{
    return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                            "configuration index %u does not exist",
                            (unsigned)index);
}

/*
 * SETC16: ThreadConfig[own thread][index] := 16 bits.  Any write to the
 * unpackers' MISC_CFG also restarts the thread's context counters.
 */
TensixResult tensix_exec_SETC16(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, SETC16, setc16_reg);

    if (index >= TENSIX_THREAD_CFG_WORDS) {
        return bad_index(c, i, index);
    }
    c->s.thread_cfg[i->thread][index] = OPERAND(i, SETC16, setc16_value);
    tensix_update_place(c, i->thread);
    tensix_note_write(c, TENSIX_SPACE_THREAD_CONFIG,
                      i->thread * TENSIX_THREAD_CFG_WORDS + index, 1);
    if (index == THREAD_CFG_UNPACK_MISC_CFG_CfgContextCntReset_0_INDEX) {
        memset(c->s.unpack_context[i->thread], 0,
               sizeof(c->s.unpack_context[0]));
    }
    return TENSIX_DONE;
}

/* WRCFG: one word, or four aligned ones, from GPRs into Config. */
TensixResult tensix_exec_WRCFG(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, WRCFG, CfgReg);
    uint32_t gpr = OPERAND(i, WRCFG, GprAddress);
    unsigned count = 1;

    if (index >= TENSIX_CFG_WORDS) {
        return bad_index(c, i, index);
    }
    if (OPERAND(i, WRCFG, wr128b)) {
        index &= ~3u;
        gpr &= ~3u;
        count = 4;
    }
    for (unsigned n = 0; n < count; n++) {
        cfg_store(c, i, index + n, c->s.gpr[i->thread][gpr + n]);
    }
    return TENSIX_DONE;
}

/* RDCFG: GPR := one word of Config. */
TensixResult tensix_exec_RDCFG(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, RDCFG, CfgReg);

    if (index >= TENSIX_CFG_WORDS) {
        return bad_index(c, i, index);
    }
    c->s.gpr[i->thread][OPERAND(i, RDCFG, GprAddress)] =
        c->s.cfg[tensix_cfg_bank(c, i->thread)][index];
    return TENSIX_DONE;
}

/* RMWCIB<byte>: up to eight bits of one byte of a Config word. */
static TensixResult rmwcib(TensixCore *c, const TensixInsn *i, unsigned byte)
{
    uint32_t index = OPERAND(i, RMWCIB0, CfgRegAddr);
    unsigned shift = byte * 8;

    if (index >= TENSIX_CFG_WORDS) {
        return bad_index(c, i, index);
    }
    tensix_cfg_store(c, tensix_cfg_bank(c, i->thread), index,
                     OPERAND(i, RMWCIB0, Data) << shift,
                     OPERAND(i, RMWCIB0, Mask) << shift);
    return TENSIX_DONE;
}

TensixResult tensix_exec_RMWCIB0(TensixCore *c, const TensixInsn *i)
{
    return rmwcib(c, i, 0);
}

TensixResult tensix_exec_RMWCIB1(TensixCore *c, const TensixInsn *i)
{
    return rmwcib(c, i, 1);
}

TensixResult tensix_exec_RMWCIB2(TensixCore *c, const TensixInsn *i)
{
    return rmwcib(c, i, 2);
}

TensixResult tensix_exec_RMWCIB3(TensixCore *c, const TensixInsn *i)
{
    return rmwcib(c, i, 3);
}

/*
 * STREAMWRCFG: Config word := register of a NoC overlay stream, which one of
 * the thread's four STREAM_ID_SYNC fields names.
 */
TensixResult tensix_exec_STREAMWRCFG(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, STREAMWRCFG, CfgReg);
    uint32_t offset = OPERAND(i, STREAMWRCFG, StreamRegAddr) * sizeof(uint32_t);
    uint32_t stream = tensix_sync_stream(
        c, i->thread, OPERAND(i, STREAMWRCFG, stream_id_sel));
    uint32_t value = 0;

    if (index >= TENSIX_CFG_WORDS) {
        return bad_index(c, i, index);
    }
    if (c->host.stream_read) {
        value = c->host.stream_read(c->host.opaque, stream, offset);
    }
    cfg_store(c, i, index, value);
    return TENSIX_DONE;
}

static uint32_t rotate_right(uint32_t x, unsigned amount)
{
    return x >> amount | x << (-amount & 31);
}

/* SCRATCH_SEC[n].val; the fourth name selects the issuing thread's section. */
static uint32_t scratch_value(const TensixCore *c, uint32_t thread,
                              uint32_t select)
{
    uint32_t n = select < TENSIX_THREADS ? select : thread;

    return c->s.cfg[0][CFG_SCRATCH_SEC0_val_WORD + n];
}

/* AluMode of CFGSHIFTMASK. */
static uint32_t shiftmask_alu(uint32_t mode, uint32_t value, uint32_t operand)
{
    enum {
        ALU_OR,
        ALU_AND,
        ALU_XOR,
        ALU_ADD,
        ALU_ORN,
        ALU_ANDN,
        ALU_XORN,
        ALU_SUB
    };

    switch (mode) {
    case ALU_OR:
        return value | operand;
    case ALU_AND:
        return value & operand;
    case ALU_XOR:
        return value ^ operand;
    case ALU_ADD:
        return value + operand;
    case ALU_ORN:
        return value | ~operand;
    case ALU_ANDN:
        return value & ~operand;
    case ALU_XORN:
        return value ^ ~operand;
    case ALU_SUB:
    default:
        return value - operand;
    }
}

/*
 * CFGSHIFTMASK: a field of Config is replaced by, or combined with, the low
 * bits of a scratch word.
 */
TensixResult tensix_exec_CFGSHIFTMASK(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, CFGSHIFTMASK, CfgReg);
    uint32_t rotate = OPERAND(i, CFGSHIFTMASK, right_cshift_amt);
    uint32_t mask = (2u << OPERAND(i, CFGSHIFTMASK, mask_width)) - 1;
    uint32_t scratch = scratch_value(c, i->thread,
                                     OPERAND(i, CFGSHIFTMASK, scratch_sel));
    uint32_t value;

    if (index >= TENSIX_CFG_WORDS) {
        return bad_index(c, i, index);
    }
    value = c->s.cfg[tensix_cfg_bank(c, i->thread)][index];
    if (!OPERAND(i, CFGSHIFTMASK, disable_mask_on_old_val)) {
        value &= ~rotate_right(mask, rotate);
    }
    value = shiftmask_alu(OPERAND(i, CFGSHIFTMASK, operation), value,
                          rotate_right(scratch & mask, rotate));
    cfg_store(c, i, index, value);
    return TENSIX_DONE;
}

/* --- the window --- */

/* Layout of the configuration window, in words (BH BackendConfiguration.md). */
enum {
    VIEW_BANK1 = TENSIX_CFG_WORDS,
    VIEW_DUAL = 2 * TENSIX_CFG_WORDS,
    VIEW_THREAD = 3 * TENSIX_CFG_WORDS,
    VIEW_END = VIEW_THREAD + TENSIX_THREADS * TENSIX_THREAD_CFG_WORDS,
};

uint32_t tensix_cfg_read(const TensixCore *c, uint32_t offset)
{
    uint32_t word = offset / sizeof(uint32_t);

    if (word < VIEW_BANK1) {
        return c->s.cfg[0][word];
    }
    if (word < VIEW_DUAL) {
        return c->s.cfg[1][word - VIEW_BANK1];
    }
    if (word < VIEW_THREAD) {
        return c->s.cfg[0][word - VIEW_DUAL];
    }
    if (word < VIEW_END) {
        word -= VIEW_THREAD;
        return c->s.thread_cfg[word / TENSIX_THREAD_CFG_WORDS]
                              [word % TENSIX_THREAD_CFG_WORDS];
    }
    return 0;
}

bool tensix_cfg_put(TensixCore *c, uint32_t offset, uint32_t value)
{
    uint32_t word = offset / sizeof(uint32_t);

    if (word < VIEW_DUAL) {
        tensix_cfg_store(c, word / TENSIX_CFG_WORDS, word % TENSIX_CFG_WORDS,
                         value, ~0u);
        return true;
    }
    if (word < VIEW_THREAD) {
        for (uint32_t bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
            tensix_cfg_store(c, bank, word - VIEW_DUAL, value, ~0u);
        }
        return true;
    }
    return false;
}
