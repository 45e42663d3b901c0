/*
 * Matrix Unit: matrix multiplication and element-wise instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md, DOTPV.md, ELWADD.md, ELWSUB.md and ELWMUL.md with their
 * Blackhole parts.
 */

#include "matrix/matrix.h"
#include "regs/regfile.h"

/* instr_mod19 of the element-wise instructions. */
enum { ELW_COLUMN0 = 1 << 0, ELW_ROW = 1 << 1 };

enum {
    ALIGN_8 = 7,                   /* rows are multiples of eight */
    BROADCAST_ROWS = 4,            /* MVMUL's broadcast: rows 0, 2, 4 and 6 */
    BROADCAST_STEP = 2,
    BROADCAST_DST_MASK = 0x400 - 7,
};

/* The 16 rows of SrcA that a dot product takes start at a multiple of eight. */
static void multiply_rows(TensixCore *c, const TensixInsn *i,
                          const MatrixMode *mode, const MatrixRows *rows,
                          bool broadcast)
{
    const TensixRwc *rwc = &c->s.rwc[i->thread];
    MatrixRowsB b = {
        .first = rwc->SrcB & SRC_ROW_MASK & (broadcast ? ~0 : ~ALIGN_8),
        .step = !broadcast,
    };

    tensix_matrix_multiply(c, i, mode, rows,
                           rwc->SrcA & SRC_ROW_MASK & ~ALIGN_8, &b);
}

static uint8_t *row_valid(TensixCore *c, uint32_t thread, uint32_t row,
                          bool wide)
{
    return &c->s.dst_row_valid[wide ? tensix_dst_adj32(c, thread, row)
                                    : tensix_dst_adj16(c, thread, row)];
}

/*
 * MVMUL with one row of SrcB for rows first, +2, +4 and +6 of Dst.  Of their
 * valid flags it does not set the second, and sets two neighbours' instead
 * (core/DEVIATIONS.md, 2.6).
 */
static void multiply_broadcast(TensixCore *c, const TensixInsn *i,
                               const MatrixMode *mode, uint32_t first)
{
    uint8_t *second = row_valid(c, i->thread, first + 2, mode->wide);
    uint8_t *third = row_valid(c, i->thread, (first ^ 1) + 4, mode->wide);
    uint8_t *fourth = row_valid(c, i->thread, (first ^ 1) + 6, mode->wide);
    uint8_t was_valid = *second;
    MatrixRows rows;

    if (!(*second & *third & *fourth)) {
        tensix_violation(c, i, TENSIX_UNPREDICTABLE_VALUE,
                         "MVMUL broadcasts into undefined rows of Dest: row %u "
                         "keeps its flag, rows %u and %u get one",
                         (unsigned)first + 2, (unsigned)(first ^ 1) + 4,
                         (unsigned)(first ^ 1) + 6);
    }
    MATRIX_READS_ROWS(c, i->thread, first, BROADCAST_ROWS, BROADCAST_STEP,
                      mode->wide);
    tensix_matrix_rows(c, i->thread, &rows, first, BROADCAST_ROWS,
                       BROADCAST_STEP, mode->wide, 0);
    multiply_rows(c, i, mode, &rows, true);
    *second = was_valid;
    *third = *fourth = 1;
    TENSIX_WRITES_DST(c, third - c->s.dst_row_valid, 1);
    TENSIX_WRITES_DST(c, fourth - c->s.dst_row_valid, 1);
    if (mode->wide) {
        TENSIX_WIDE_DST(c, third - c->s.dst_row_valid, 1);
        TENSIX_WIDE_DST(c, fourth - c->s.dst_row_valid, 1);
    }
}

TensixResult tensix_exec_MVMUL(TensixCore *c, const TensixInsn *i)
{
    uint32_t dst = OPERAND(i, MVMUL, dst) + tensix_dst_base(c, i->thread);
    MatrixMode mode;
    MatrixRows rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_A | MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    tensix_matrix_mode(c, i, &mode);
    if (OPERAND(i, MVMUL, instr_mod19)) {
        multiply_broadcast(c, i, &mode, dst & BROADCAST_DST_MASK);
    } else {
        MATRIX_READS_ROWS(c, i->thread, dst & ~ALIGN_8, MATRIX_ROWS, 1, mode.wide);
        tensix_matrix_rows(c, i->thread, &rows, dst & ~ALIGN_8, MATRIX_ROWS, 1,
                           mode.wide, 0);
        multiply_rows(c, i, &mode, &rows, false);
    }
    return tensix_matrix_finish(c, i->thread, OPERAND(i, MVMUL, clear_dvalid),
                                OPERAND(i, MVMUL, addr_mode));
}

/* MVMUL without the broadcast; its instr_mod19 and dest_accum_en do nothing. */
TensixResult tensix_exec_DOTPV(TensixCore *c, const TensixInsn *i)
{
    uint32_t dst = OPERAND(i, DOTPV, dst) + tensix_dst_base(c, i->thread);
    MatrixMode mode;
    MatrixRows rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_A | MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    tensix_matrix_mode(c, i, &mode);
    MATRIX_READS_ROWS(c, i->thread, dst & ~ALIGN_8, MATRIX_ROWS, 1, mode.wide);
    tensix_matrix_rows(c, i->thread, &rows, dst & ~ALIGN_8, MATRIX_ROWS, 1,
                       mode.wide, 0);
    multiply_rows(c, i, &mode, &rows, false);
    return tensix_matrix_finish(c, i->thread, OPERAND(i, DOTPV, clear_dvalid),
                                OPERAND(i, DOTPV, addr_mode));
}

/* Checks the first row, which is used whatever the tile's size. */
static void check_integers(TensixCore *c, const TensixInsn *i,
                           const MatrixElwOp *e)
{
    uint32_t columns_b = e->b_column0 ? 1 : TENSIX_COLUMNS;

    if (tensix_matrix_foreign(e->a[0], TENSIX_COLUMNS) |
        tensix_matrix_foreign(e->b, columns_b)) {
        tensix_matrix_report_foreign(c, i);
    }
}

#ifdef TENSIX_OBSERVED
static void record_elw_reads(TensixCore *c, const TensixInsn *i,
                             const MatrixElwOp *e, uint32_t dst, bool wide)
{
    const TensixRwc *rwc = &c->s.rwc[i->thread];
    bool one_row = OPERAND(i, ELWADD, instr_mod19) & ELW_ROW;

    TENSIX_READS_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA],
                     rwc->SrcA & SRC_ROW_MASK & ~ALIGN_8, MATRIX_ROWS);
    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB],
                     rwc->SrcB & SRC_ROW_MASK & (one_row ? ~0 : ~ALIGN_8),
                     one_row ? 1 : MATRIX_ROWS);
    if (e->accumulate) {
        MATRIX_READS_ROWS(c, i->thread, dst & ~ALIGN_8, MATRIX_ROWS, 1, wide);
    }
}
#endif

/* All three have ELWADD's layout. */
static TensixResult elw(TensixCore *c, const TensixInsn *i, MatrixElw op,
                        bool accumulate)
{
    const TensixRwc *rwc = &c->s.rwc[i->thread];
    uint32_t dst = OPERAND(i, ELWADD, dst) + tensix_dst_base(c, i->thread);
    uint32_t mod = OPERAND(i, ELWADD, instr_mod19);
    MatrixElwOp e = {
        .b_step = mod & ELW_ROW ? 0 : TENSIX_COLUMNS,
        .b_column0 = mod & ELW_COLUMN0,
        .accumulate = accumulate,
        .op = op,
    };
    MatrixMode mode;
    MatrixRows rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_A | MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    tensix_matrix_mode(c, i, &mode);
    if (__builtin_expect(!mode.flush_b, false)) {
        tensix_matrix_report_kept_zeroes(c, i);
    }
    TENSIX_NOTE(record_elw_reads(c, i, &e, dst, mode.wide));
    tensix_matrix_rows(c, i->thread, &rows, dst & ~ALIGN_8, MATRIX_ROWS, 1,
                       mode.wide, 0);
    e.a = &tensix_matrix_src(c, TENSIX_SRCA)[rwc->SrcA & SRC_ROW_MASK & ~ALIGN_8];
    e.b = tensix_matrix_src(c, TENSIX_SRCB)[rwc->SrcB & SRC_ROW_MASK &
                                            (mod & ELW_ROW ? ~0 : ~ALIGN_8)];
    if (mode.style == MATRIX_INT8) {
        check_integers(c, i, &e);
        tensix_matrix_elw_int8(&mode, &rows, &e);
    } else {
        if (mode.phase && op != MATRIX_ELW_MUL) {
            tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                             "fidelity phase %u divides the sum",
                             (unsigned)mode.phase);
        }
        if (mode.wide) {
            tensix_matrix_elw_float(&mode, &rows, &e);
        } else {
            tensix_matrix_elw_float16(&mode, &rows, &e);
        }
    }
    return tensix_matrix_finish(c, i->thread, OPERAND(i, ELWADD, clear_dvalid),
                                OPERAND(i, ELWADD, addr_mode));
}

TensixResult tensix_exec_ELWADD(TensixCore *c, const TensixInsn *i)
{
    return elw(c, i, MATRIX_ELW_ADD, OPERAND(i, ELWADD, dest_accum_en));
}

TensixResult tensix_exec_ELWSUB(TensixCore *c, const TensixInsn *i)
{
    return elw(c, i, MATRIX_ELW_SUB, OPERAND(i, ELWSUB, dest_accum_en));
}

/* Accumulates always; dest_accum_en is ignored. */
TensixResult tensix_exec_ELWMUL(TensixCore *c, const TensixInsn *i)
{
    return elw(c, i, MATRIX_ELW_MUL, true);
}
