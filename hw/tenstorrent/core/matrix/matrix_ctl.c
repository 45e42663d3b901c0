/*
 * Matrix Unit: counters, clearing, and the owners of the Src banks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH SETRWC.md, INCRWC.md, ZEROACC.md, ZEROSRC.md, CLEARDVALID.md,
 * SETDVALID.md, GATESRCRST.md; Blackhole's fields and deviations as in the
 * Blackhole parts of those pages and in core/DEVIATIONS.md.
 */

#include <string.h>

#include "matrix/matrix.h"
#include "config/config.h"
#include "observe/note.h"
#include "regs/regfile.h"
#include "tensix_soft_reset.h"

/* SETRWC's BitMask, and rwc_cr of SETRWC and INCRWC; bits of clear_ab_vld. */
enum {
    RWC_A = 1 << 0,
    RWC_B = 1 << 1,
    RWC_D = 1 << 2,
    RWC_FIDELITY = 1 << 3,
    RWC_UNDEFINED = 3 << 4,
    RWC_C_TO_CR = 1 << 3,
    CLEAR_SRCA = 1 << 0,
    CLEAR_SRCB = 1 << 1,
};

enum { CLEARDVALID_RESET = 1 << 0, CLEARDVALID_KEEP_READING = 1 << 1 };

/* ZEROACC's clear_mode. */
enum { ZEROACC_ROW, ZEROACC_16_ROWS, ZEROACC_HALF, ZEROACC_ALL };

enum {
    ZEROACC_ROW_FIELD = 0x3ff,
    ZEROACC_BLOCK_FIELD = 0xff,
    ZEROACC_BLOCK_ROWS = 16,
};

static void set_rwc_src(uint32_t *counter, uint32_t *cr, bool from_cr,
                        uint32_t value)
{
    tensix_counter_set(counter, cr, (from_cr ? *cr : 0) + value, SRC_ROW_MASK);
}

static void set_rwc_dst(TensixRwc *rwc, uint32_t cr, uint32_t value)
{
    uint32_t base = 0;

    if (cr & RWC_C_TO_CR) {
        base = rwc->Dst;
    } else if (cr & RWC_D) {
        base = rwc->Dst_Cr;
    }
    tensix_counter_set(&rwc->Dst, &rwc->Dst_Cr, base + value, DST_ROW_MASK);
}

/* The pointer moves on even where CLR_DVALID_* keeps the bank (WH SETRWC.md). */
void tensix_matrix_release(TensixCore *c, uint32_t thread, uint32_t clear)
{
    TENSIX_NOTE(tensix_unwritten_release(c, clear));
    if (clear & CLEAR_SRCA) {
        tensix_matrix_release_bank(
            c, TENSIX_SRCA,
            !THREAD_CFG_GET(c, thread, CLR_DVALID_SrcA_Disable));
    }
    if (clear & CLEAR_SRCB) {
        tensix_matrix_release_bank(
            c, TENSIX_SRCB,
            !THREAD_CFG_GET(c, thread, CLR_DVALID_SrcB_Disable));
    }
}

TensixResult tensix_exec_SETRWC(TensixCore *c, const TensixInsn *i)
{
    TensixRwc *rwc = &c->s.rwc[i->thread];
    uint32_t mask = OPERAND(i, SETRWC, BitMask);
    uint32_t cr = OPERAND(i, SETRWC, rwc_cr);

    if (mask & RWC_UNDEFINED) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR, "SETRWC mask 0x%x",
                         (unsigned)mask);
    }
    if (mask & RWC_A) {
        set_rwc_src(&rwc->SrcA, &rwc->SrcA_Cr, cr & RWC_A,
                    OPERAND(i, SETRWC, rwc_a));
    }
    if (mask & RWC_B) {
        set_rwc_src(&rwc->SrcB, &rwc->SrcB_Cr, cr & RWC_B,
                    OPERAND(i, SETRWC, rwc_b));
    }
    if (mask & RWC_D || cr & RWC_C_TO_CR) {
        set_rwc_dst(rwc, cr, OPERAND(i, SETRWC, rwc_d));
    }
    if (mask & RWC_FIDELITY) {
        rwc->FidelityPhase = 0;
    }
    tensix_matrix_release(c, i->thread, OPERAND(i, SETRWC, clear_ab_vld));
    return TENSIX_DONE;
}

TensixResult tensix_exec_INCRWC(TensixCore *c, const TensixInsn *i)
{
    TensixRwc *rwc = &c->s.rwc[i->thread];
    uint32_t cr = OPERAND(i, INCRWC, rwc_cr);

    tensix_counter_advance(&rwc->SrcA, &rwc->SrcA_Cr, OPERAND(i, INCRWC, rwc_a),
                           false, cr & RWC_A, SRC_ROW_MASK);
    tensix_counter_advance(&rwc->SrcB, &rwc->SrcB_Cr, OPERAND(i, INCRWC, rwc_b),
                           false, cr & RWC_B, SRC_ROW_MASK);
    tensix_counter_advance(&rwc->Dst, &rwc->Dst_Cr, OPERAND(i, INCRWC, rwc_d),
                           false, cr & RWC_D, DST_ROW_MASK);
    return TENSIX_DONE;
}

/*
 * Block of a 16-row ZEROACC: relative to the half (or quarter) that the Matrix
 * Unit works in, unless DEST_ACCESS_CFG_zeroacc_absolute_tile_mode is set.
 */
static uint32_t zeroacc_block(TensixCore *c, const TensixInsn *i, bool wide)
{
    uint32_t where = OPERAND(i, ZEROACC, where) & ZEROACC_ROW_FIELD;
    uint32_t base = tensix_dst_base(c, i->thread);

    if (where > ZEROACC_BLOCK_FIELD) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "block %u: 8 bits are used", (unsigned)where);
        where &= ZEROACC_BLOCK_FIELD;
    }
    if (!CFG_GET(c, i->thread, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode)) {
        if (wide && (base & 0x300)) {
            where += 16;
        } else if (!wide && (base & 0x200)) {
            where += 32;
        }
    }
    return where;
}

/* wrong: what rows that are cleared should not be. */
static void set_valid(TensixCore *c, uint32_t row, uint32_t count, bool valid,
                      TensixMark wrong)
{
    if (valid) {
        TENSIX_WRITES_DST(c, row, count);
    } else {
        TENSIX_CLEARS_DST(c, row, count, wrong);
    }
    memset(&c->s.dst_row_valid[row], valid, count);
}

static void zeroacc_16_rows(TensixCore *c, const TensixInsn *i, bool valid)
{
    bool wide = OPERAND(i, ZEROACC, use_32_bit_mode);
    uint32_t block = zeroacc_block(c, i, wide);
    uint32_t blocks = TENSIX_DST_ROWS / ZEROACC_BLOCK_ROWS / (wide ? 2 : 1);

    if (block >= blocks) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "block %u of %u does nothing", (unsigned)block,
                         (unsigned)blocks);
        return;
    }
    for (uint32_t k = 0; k < ZEROACC_BLOCK_ROWS; k++) {
        uint32_t row = block * ZEROACC_BLOCK_ROWS + k;

        row = wide ? tensix_dst_adj32(c, i->thread, row)
                   : tensix_dst_adj16(c, i->thread, row);
        set_valid(c, row, 1, valid,
                  wide ? TENSIX_MARK_NARROW : TENSIX_MARK_WIDE);
        if (wide) {
            TENSIX_WIDE_DST(c, row, 1);
        }
    }
}

static void zeroacc_row(TensixCore *c, const TensixInsn *i, bool valid)
{
    uint32_t row = OPERAND(i, ZEROACC, where) + tensix_dst_base(c, i->thread);
    bool wide = tensix_dst_is_32b(c, i->thread);

    row = wide ? tensix_dst_adj32(c, i->thread, row)
               : tensix_dst_adj16(c, i->thread, row);
    set_valid(c, row, 1, valid, wide ? TENSIX_MARK_NARROW : TENSIX_MARK_WIDE);
}

static void zeroacc_rows(TensixCore *c, const TensixInsn *i, bool valid)
{
    uint32_t half = TENSIX_DST_ROWS / 2;
    uint32_t first = 0, count = TENSIX_DST_ROWS;

    switch (OPERAND(i, ZEROACC, clear_mode)) {
    case ZEROACC_ROW:
        zeroacc_row(c, i, valid);
        return;
    case ZEROACC_16_ROWS:
        zeroacc_16_rows(c, i, valid);
        return;
    case ZEROACC_HALF:
        first = (OPERAND(i, ZEROACC, where) & 1) * half;
        count = half;
        break;
    default:
        break;
    }
    set_valid(c, first, count, valid, TENSIX_MARKS);
}

TensixResult tensix_exec_ZEROACC(TensixCore *c, const TensixInsn *i)
{
    bool revert = OPERAND(i, ZEROACC, clear_zero_flags);
    uint32_t mode = OPERAND(i, ZEROACC, clear_mode);
    bool wide_block =
        mode == ZEROACC_16_ROWS && OPERAND(i, ZEROACC, use_32_bit_mode);

    if (c->s.soft_reset & RESET_ZEROACC) {
        return TENSIX_DONE;
    }
    /* LLK's workaround uses the wide block form; nothing else is defined */
    if (revert && !wide_block) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "ZEROACC with clear_zero_flags");
    }
    zeroacc_rows(c, i, revert);
    if (mode == ZEROACC_ROW || mode == ZEROACC_16_ROWS) {
        tensix_apply_addr_mod(c, i->thread, OPERAND(i, ZEROACC, addr_mode));
    }
    return TENSIX_DONE;
}

/* zero_val concerns SrcA only. */
TensixResult tensix_exec_ZEROSRC(TensixCore *c, const TensixInsn *i)
{
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        bool minus_inf = src == TENSIX_SRCA && OPERAND(i, ZEROSRC, zero_val);
        uint32_t value = minus_inf ? SRC_VALUE_MASK : 0;
        uint32_t bank = OPERAND(i, ZEROSRC, write_mode) ? c->s.matrix_bank[src]
                                                        : c->s.unpack_bank[src];

        if (!(OPERAND(i, ZEROSRC, src_mask) >> src & 1)) {
            continue;
        }
        tensix_src_fill(c, src, bank, value);
        if (OPERAND(i, ZEROSRC, bank_mask)) {
            tensix_src_fill(c, src, bank ^ 1, value);
        }
    }
    return TENSIX_DONE;
}

TensixResult tensix_exec_CLEARDVALID(TensixCore *c, const TensixInsn *i)
{
    uint32_t reset = OPERAND(i, CLEARDVALID, reset);
    uint32_t clear = OPERAND(i, CLEARDVALID, cleardvalid);

    if (reset & CLEARDVALID_RESET) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "CLEARDVALID with reset drops Src banks");
        tensix_src_reset_banks(c);
        return TENSIX_DONE;
    }
    TENSIX_NOTE(tensix_unwritten_release(c, clear));
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        if (!(clear >> src & 1)) {
            continue;
        }
        tensix_src_set_client(c, src, c->s.matrix_bank[src],
                              TENSIX_CLIENT_UNPACKERS);
        if (!(reset & CLEARDVALID_KEEP_READING)) {
            tensix_src_flip_matrix_bank(c, src);
        }
    }
    return TENSIX_DONE;
}

/* Un-gates the operand pipelines, which show nowhere: no model of them is kept. */
TensixResult tensix_exec_GATESRCRST(TensixCore *c, const TensixInsn *i)
{
    return TENSIX_DONE;
}
