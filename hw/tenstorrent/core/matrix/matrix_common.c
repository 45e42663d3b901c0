/*
 * Matrix Unit: formats, rows of Dst and banks, as every instruction of it
 * needs them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH SrcASrcB.md ("Implied data format"), WH MVMUL.md, BH Dst.md.
 */

#include <string.h>

#include "matrix/matrix.h"
#include "config/config.h"
#include "regs/regfile.h"

bool tensix_matrix_must_wait(TensixCore *c, const TensixInsn *i, uint32_t src)
{
    static const TensixWaitReason reasons[TENSIX_SRCS] = {
        [TENSIX_SRCA] = TENSIX_WAIT_SRCA_MATRIX,
        [TENSIX_SRCB] = TENSIX_WAIT_SRCB_MATRIX,
    };

    tensix_retry(c, i, reasons[src], c->s.matrix_bank[src]);
    return true;
}

/* Is there nothing in SrcB's bank, as after UNPACR_NOP?  Then no format matters. */
static __attribute__((noinline)) bool srcb_is_zero(const TensixCore *c)
{
    const TensixSrcRow *rows = tensix_matrix_src(c, TENSIX_SRCB);
    uint32_t any = 0;

    for (uint32_t row = 0; row < TENSIX_SRC_ROWS; row++) {
        for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
            any |= rows[row][j];
        }
    }
    return !any;
}

void tensix_matrix_report_kept_zeroes(TensixCore *c, const TensixInsn *i)
{
    tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                     "Zero_Flag_disabled_src is 1: cells of SrcB with exponent "
                     "0, zeroes too, count with their hidden one (the bit is "
                     "for moves)");
}

static void check_format(TensixCore *c, const TensixInsn *i, const char *src,
                         uint32_t format)
{
    if (!tensix_matrix_format_exists(format)) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "there is no format %u for %s: taken for FP16",
                         (unsigned)format, src);
    }
}

/*
 * SrcA's format decides how wide the exponents of both operands are; mantissas
 * count whole in every format (core/DEVIATIONS.md, 2.6).  ttsim refuses FP16
 * beside another format.
 */
static void set_exponents(TensixCore *c, const TensixInsn *i, MatrixMode *m)
{
    uint32_t format_b = tensix_matrix_format_b(c, i->thread);
    MatrixStyle b = tensix_matrix_style(format_b);

    if (b == MATRIX_FP16 || m->style == MATRIX_FP16) {
        check_format(c, i, "SrcA", tensix_matrix_format_a(c, i->thread));
        check_format(c, i, "SrcB", format_b);
    }
    if ((b == MATRIX_FP16) != (m->style == MATRIX_FP16) && !srcb_is_zero(c)) {
        tensix_violation(
            c, i, TENSIX_UNPREDICTABLE_VALUE,
            "SrcA format %s with SrcB format %s: SrcA's is used for both",
            tensix_format_name(tensix_matrix_format_a(c, i->thread)),
            tensix_format_name(format_b));
    }
    m->exp_mask = m->style == MATRIX_FP16 ? SRC_EXP5_MASK : SRC_EXP_MASK;
}

/* ALU_ROUNDING_MODE's fields that would change results here. */
typedef struct RoundingMode {
    uint8_t low;
    const char *text;
} RoundingMode;

static const RoundingMode rounding_modes[] = {
    { CFG_ALU_ROUNDING_MODE_Fpu_srnd_en_LOW,
      "stochastic rounding (Fpu_srnd_en), done to nearest" },
    { CFG_ALU_ROUNDING_MODE_GS_LF_LOW, "ALU_ROUNDING_MODE_GS_LF has no effect" },
    { CFG_ALU_ROUNDING_MODE_Bfp8_HF_LOW,
      "ALU_ROUNDING_MODE_Bfp8_HF has no effect" },
};

enum {
    ROUNDING_BITS = 1 << CFG_ALU_ROUNDING_MODE_Fpu_srnd_en_LOW |
                    1 << CFG_ALU_ROUNDING_MODE_GS_LF_LOW |
                    1 << CFG_ALU_ROUNDING_MODE_Bfp8_HF_LOW,
};

static inline uint32_t rounding_bits(const TensixCore *c, uint32_t thread)
{
    return c->s.cfg[tensix_cfg_bank(c, thread)]
                   [CFG_ALU_ROUNDING_MODE_Fpu_srnd_en_WORD] & ROUNDING_BITS;
}

/* Those of the bits that have not been reported since they were set. */
static void report_rounding(TensixCore *c, const TensixInsn *i)
{
    uint32_t *reported = &c->reported.rounding[tensix_cfg_bank(c, i->thread)];
    uint32_t bits = rounding_bits(c, i->thread), new = bits & ~*reported;

    *reported = bits;
    for (unsigned n = 0; n < sizeof(rounding_modes) / sizeof(rounding_modes[0]);
         n++) {
        if (new >> rounding_modes[n].low & 1) {
            tensix_violation(c, i, TENSIX_UNPREDICTABLE_VALUE, "%s",
                             rounding_modes[n].text);
        }
    }
}

static inline __attribute__((always_inline))
void find_mode(TensixCore *c, const TensixInsn *i, MatrixMode *m)
{
    uint32_t t = i->thread;
    const TensixPlace *place = &c->derived.place[t];

    m->flush_b = place->flush_b;
    m->phase = (c->s.rwc[t].FidelityPhase + place->phase) & 3;
    m->exp_mask = 0;
    if (place->forced) {
        m->style = MATRIX_FP16;
        m->wide = false;
    } else if (place->integers) {
        m->style = MATRIX_INT8;
        m->wide = true;
        return;
    } else {
        m->style = tensix_matrix_style(tensix_matrix_format_a(c, t));
        m->wide = place->fp32;
    }
    set_exponents(c, i, m);
}

/* A separate function, so that the common case saves no registers. */
static __attribute__((noinline))
void report_and_find_mode(TensixCore *c, const TensixInsn *i, MatrixMode *m)
{
    report_rounding(c, i);
    find_mode(c, i, m);
}

void tensix_matrix_mode(TensixCore *c, const TensixInsn *i, MatrixMode *m)
{
    if (__builtin_expect(rounding_bits(c, i->thread) != 0, false)) {
        report_and_find_mode(c, i, m);
        return;
    }
    find_mode(c, i, m);
}

void tensix_matrix_report_foreign(TensixCore *c, const TensixInsn *i)
{
    tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                     "cells with an exponent other than 16 and 0 are read as "
                     "integers");
}

/* Undefined rows read as all zeroes or, by GMPOOL, as all ones. */
static void define_rows(TensixCore *c, uint32_t first, uint32_t step, bool wide,
                        uint16_t identity)
{
    static const uint8_t none_valid[MATRIX_BLOCK];
    uint8_t *valid = &c->s.dst_row_valid[first];

    if (step == 1 && !wide && !memcmp(valid, none_valid, MATRIX_BLOCK)) {
        memset(valid, 1, MATRIX_BLOCK);
        memset(&c->s.dst[first], (uint8_t)identity,
               MATRIX_BLOCK * sizeof(c->s.dst[0]));
        return;
    }
    for (uint32_t row = first; row < first + MATRIX_BLOCK; row += step) {
        if (c->s.dst_row_valid[row]) {
            continue;
        }
        c->s.dst_row_valid[row] = 1;
        memset(c->s.dst[row], (uint8_t)identity, sizeof(c->s.dst[row]));
        if (wide) {
            memset(c->s.dst[row + DST_LOW_HALF_ROWS], (uint8_t)identity,
                   sizeof(c->s.dst[row]));
        }
    }
}

#ifdef TENSIX_OBSERVED
/* Rows of one block that the instruction is about to write. */
static inline void record_matrix_rows(TensixCore *c, uint32_t first,
                                      uint32_t step, bool wide)
{
    for (uint32_t row = first; row < first + MATRIX_BLOCK; row += step) {
        tensix_observe_write(c, TENSIX_SPACE_DST, row, 1);
        if (wide) {
            tensix_observe_write(c, TENSIX_SPACE_DST, row + DST_LOW_HALF_ROWS,
                                 1);
            tensix_observe_wide(c, row, 1);
        }
    }
}
#endif

#ifdef TENSIX_OBSERVED
void tensix_matrix_note_reads(TensixCore *c, uint32_t thread, uint32_t first,
                              uint32_t count, uint32_t step, bool wide)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t row = first + k * step;

        row = wide ? tensix_dst_adj32(c, thread, row)
                   : tensix_dst_adj16(c, thread, row);
        TENSIX_READS_DST(c, row, 1);
        if (wide) {
            TENSIX_READS_DST(c, row + DST_LOW_HALF_ROWS, 1);
        }
    }
}
#endif

void tensix_matrix_rows(TensixCore *c, uint32_t thread, MatrixRows *rows,
                        uint32_t first, uint32_t count, uint32_t step,
                        bool wide, uint16_t identity)
{
    static const uint8_t all_valid[MATRIX_BLOCK] = { 1, 1, 1, 1 };

    rows->count = count;
    rows->step = step;
    for (uint32_t block = 0; block < count * step / MATRIX_BLOCK; block++) {
        uint32_t row = first + block * MATRIX_BLOCK;

        row = wide ? tensix_dst_adj32(c, thread, row)
                   : tensix_dst_adj16(c, thread, row);
        if (memcmp(&c->s.dst_row_valid[row], all_valid, MATRIX_BLOCK)) {
            define_rows(c, row, step, wide, identity);
        }
        TENSIX_NOTE(record_matrix_rows(c, row, step, wide));
        rows->block[block] = &c->s.dst[row];
    }
}
