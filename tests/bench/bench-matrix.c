/*
 * Benchmark of the core: the Matrix Unit's rows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Their scalar reference is the unit tests' oracle, one datum after the other.
 */

#include <string.h>

#include "../unit/matrix-oracle.h"
#include "bench-reference.h"
#include "num/num.h"
#include "decode/tensix_fields.h"

enum {
    BLOCK = 2,                     /* instr_mod of the moves: many rows */
    PHASE = 3,                     /* both operands' low mantissa bits */
};

static uint32_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return *x >> 33;
}

/* Both banks full of numbers around 1; Dst around their sums. */
static void set_up(TensixState *s, uint32_t format, bool wide, bool int8)
{
    uint64_t x = 1;
    uint32_t *cell = &s->src[0][0][0][0];
    uint16_t *dst = &s->dst[0][0];

    for (unsigned n = 0; n < sizeof(s->src) / sizeof(*cell); n++) {
        uint32_t e = int8 ? NUM_INT8_EXPONENT : 120 + next_random(&x) % 12;

        cell[n] = (next_random(&x) & 0x7f8) << 8 | e;
    }
    for (unsigned n = 0; n < TENSIX_DST_ROWS * TENSIX_COLUMNS; n++) {
        dst[n] = (next_random(&x) & 0xff00) | (120 + next_random(&x) % 16);
    }
    for (unsigned n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        s->src_client[n / 2][n % 2] = TENSIX_CLIENT_MATRIX_UNIT;
        s->src_format[n / 2][n % 2] = format;
    }
    s->cfg[0][1] = (uint32_t)wide << 29 | (uint32_t)int8 << 31;
}

static void setup_bf16(TensixState *s)
{
    set_up(s, TENSIX_FMT_BF16, false, false);
}

static void setup_multiply(TensixState *s)
{
    setup_bf16(s);
    s->rwc[BENCH_THREAD].FidelityPhase = PHASE;
}

static void setup_multiply_fp32(TensixState *s)
{
    set_up(s, TENSIX_FMT_BF16, true, false);
    s->rwc[BENCH_THREAD].FidelityPhase = PHASE;
}

static void setup_int8(TensixState *s)
{
    set_up(s, TENSIX_FMT_INT8, true, true);
}

static void reference_mvmul(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(MVMUL));
}

static void reference_elwadd(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(ELWADD));
}

static void reference_elwmul(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(ELWMUL));
}

static void reference_gapool(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(GAPOOL));
}

static void reference_gmpool(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(GMPOOL));
}

static void reference_mova2d(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(MOVA2D, .instr_mod = BLOCK));
}

static void reference_movb2d(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(MOVB2D, .movb2d_instr_mod = BLOCK));
}

static void reference_movd2a(TensixState *s)
{
    matrix_oracle(s, BENCH_THREAD, TT(MOVD2A, .instr_mod = BLOCK));
}

void bench_matrix_rows(BenchRow *rows)
{
    const BenchRow all[BENCH_MATRIX_ROWS] = {
        { "mvmul_bf16", TT(MVMUL),
          reference_mvmul, setup_multiply },
        { "mvmul_bf16_fp32", TT(MVMUL),
          reference_mvmul, setup_multiply_fp32 },
        { "mvmul_int8", TT(MVMUL),
          reference_mvmul, setup_int8 },
        { "elwadd", TT(ELWADD),
          reference_elwadd, setup_bf16 },
        { "elwmul", TT(ELWMUL),
          reference_elwmul, setup_multiply },
        { "gapool", TT(GAPOOL),
          reference_gapool, setup_multiply },
        { "gmpool", TT(GMPOOL),
          reference_gmpool, setup_bf16 },
        { "mova2d", TT(MOVA2D, .instr_mod = BLOCK),
          reference_mova2d, setup_bf16 },
        { "movb2d", TT(MOVB2D, .movb2d_instr_mod = BLOCK),
          reference_movb2d, setup_bf16 },
        { "movd2a", TT(MOVD2A, .instr_mod = BLOCK),
          reference_movd2a, setup_bf16 },
    };

    memcpy(rows, all, sizeof(all));
}
