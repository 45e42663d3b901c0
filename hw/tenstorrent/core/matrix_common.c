/*
 * Matrix Unit: formats, rows of Dst and banks, as every instruction of it
 * needs them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH SrcASrcB.md ("Implied data format"), WH MVMUL.md, BH Dst.md.
 */

#include <string.h>

#include "matrix.h"

bool tensix_matrix_waits(TensixCore *c, const TensixInsn *i, uint32_t banks)
{
    static const TensixWaitReason reasons[TENSIX_SRCS] = {
        [TENSIX_SRCA] = TENSIX_WAIT_SRCA_MATRIX,
        [TENSIX_SRCB] = TENSIX_WAIT_SRCB_MATRIX,
    };

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        uint32_t bank = c->s.matrix_bank[src];

        if (banks >> src & 1 &&
            !tensix_src_owned_by(c, src, bank, TENSIX_CLIENT_MATRIX_UNIT)) {
            tensix_retry(c, i, reasons[src], bank);
            return true;
        }
    }
    return false;
}

uint32_t tensix_matrix_format_a(const TensixCore *c, uint32_t thread)
{
    if (!THREAD_CFG_GET(c, thread, DISABLE_IMPLIED_SRCA_FMT_Base)) {
        return c->s.src_format[TENSIX_SRCA][c->s.matrix_bank[TENSIX_SRCA] &
                                            SRC_BANK_MASK];
    }
    return CFG_GET(c, thread, ALU_FORMAT_SPEC_REG_SrcA_override)
           ? CFG_GET(c, thread, ALU_FORMAT_SPEC_REG_SrcA_val)
           : CFG_GET(c, thread, ALU_FORMAT_SPEC_REG0_SrcA);
}

uint32_t tensix_matrix_format_b(const TensixCore *c, uint32_t thread)
{
    if (!THREAD_CFG_GET(c, thread, DISABLE_IMPLIED_SRCB_FMT_Base)) {
        return c->s.src_format[TENSIX_SRCB][c->s.matrix_bank[TENSIX_SRCB] &
                                            SRC_BANK_MASK];
    }
    return CFG_GET(c, thread, ALU_FORMAT_SPEC_REG_SrcB_override)
           ? CFG_GET(c, thread, ALU_FORMAT_SPEC_REG_SrcB_val)
           : CFG_GET(c, thread, ALU_FORMAT_SPEC_REG1_SrcB);
}

MatrixStyle tensix_matrix_style(uint32_t format)
{
    if (format == TENSIX_FMT_TF32) {
        return MATRIX_TF32;
    }
    return tensix_num_format_is_bf16(format) ? MATRIX_BF16 : MATRIX_FP16;
}

static uint32_t man_mask(MatrixStyle style)
{
    return style == MATRIX_BF16 ? SRC_MAN7_MASK : SRC_MAN_MASK;
}

/*
 * SrcB is read in its own format as far as BF16 and TF32 go, and in SrcA's
 * otherwise: the pages know only SrcA's, ttsim refuses FP16 beside BF16.
 */
static void set_float_masks(TensixCore *c, const TensixInsn *i, MatrixMode *m)
{
    MatrixStyle b = tensix_matrix_style(tensix_matrix_format_b(c, i->thread));

    if ((b == MATRIX_FP16) != (m->style == MATRIX_FP16)) {
        tensix_violation(
            c, i, TENSIX_UNPREDICTABLE_VALUE,
            "SrcA format %u with SrcB format %u: SrcA's is used for both",
            (unsigned)tensix_matrix_format_a(c, i->thread),
            (unsigned)tensix_matrix_format_b(c, i->thread));
        b = m->style;
    }
    m->exp_mask = m->style == MATRIX_FP16 ? SRC_EXP5_MASK : SRC_EXP_MASK;
    m->man_mask_a = man_mask(m->style);
    m->man_mask_b = man_mask(b);
}

MatrixMode tensix_matrix_mode(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    MatrixMode m = {
        .flush_b = !CFG_GET(c, t, ALU_ACC_CTRL_Zero_Flag_disabled_src),
        .phase = (c->s.rwc[t].FidelityPhase +
                  THREAD_CFG_GET(c, t, FIDELITY_BASE_Phase)) & 3,
    };

    if (THREAD_CFG_GET(c, t, FP16A_FORCE_Enable)) {
        m.style = MATRIX_FP16;
    } else if (CFG_GET(c, t, ALU_ACC_CTRL_INT8_math_enabled)) {
        m.style = MATRIX_INT8;
        m.wide = true;
        return m;
    } else {
        m.style = tensix_matrix_style(tensix_matrix_format_a(c, t));
        m.wide = CFG_GET(c, t, ALU_ACC_CTRL_Fp32_enabled);
    }
    set_float_masks(c, i, &m);
    return m;
}

/* An undefined row reads as all zeroes or, by GMPOOL, as all ones. */
static void define_row(TensixCore *c, uint32_t row, bool wide,
                       uint16_t identity)
{
    if (!c->s.dst_row_valid[row]) {
        c->s.dst_row_valid[row] = 1;
        memset(c->s.dst[row], (uint8_t)identity, sizeof(c->s.dst[row]));
        if (wide) {
            memset(c->s.dst[row + DST_LOW_HALF_ROWS], (uint8_t)identity,
                   sizeof(c->s.dst[row]));
        }
    }
}

void tensix_matrix_rows(TensixCore *c, uint32_t thread, MatrixRows *rows,
                        uint32_t first, uint32_t count, uint32_t step,
                        bool wide, uint16_t identity)
{
    uint32_t physical = 0, of = UINT32_MAX;

    rows->count = count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t row = (first + k * step) & DST_ROW_MASK;

        /* both adjustments keep four aligned rows together */
        if ((row & ~3u) != of) {
            of = row & ~3u;
            physical = wide ? tensix_dst_adj32(c, thread, of)
                : tensix_dst_adj16(c, thread, of);
        }
        row = physical + (row & 3);
        define_row(c, row, wide, identity);
        rows->high[k] = c->s.dst[row];
        rows->low[k] = c->s.dst[row + (wide ? DST_LOW_HALF_ROWS : 0)];
    }
}

TensixResult tensix_matrix_finish(TensixCore *c, uint32_t thread,
                                  uint32_t clear_dvalid, uint32_t addr_mode)
{
    if (clear_dvalid) {
        tensix_matrix_release(c, thread, clear_dvalid);
    }
    c->s.last_row_a = c->s.rwc[thread].SrcA;
    tensix_apply_addr_mod(c, thread, addr_mode);
    return TENSIX_DONE;
}
