/*
 * Benchmark of the core: UNPACR of 1024 datums to SrcA, and its scalar form.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md; the tile is contiguous, of one row of 1024 datums.
 */

#include "bench-reference.h"
#include "decode/tensix_fields.h"

enum {
    DATUMS = 1024,
    FORMAT_BF16 = 5, FORMAT_BFP8 = 6, FORMAT_BFP4 = 7,
    /* configuration words (cfg_defines.h of Blackhole) */
    WORD_UNP0_BASE = 49,
    WORD_TILE_DESCRIPTOR = 64,
    WORD_OUT_FORMAT = 72,
    WORD_L1_BASE = 76,
    THREAD_WORD_SRCA_SET = 5,
    SET_OVRD_WITH_ADDR = 1 << 2,
    UNCOMPRESSED = 1 << 4,
    HEADER = 16,                   /* bytes of L1 before the tile */
    SKIPPED_ROWS = 4,
};

/* The datums' format; the output address of row 4 in bytes. */
static void setup(TensixState *s, uint32_t format, uint32_t bytes)
{
    uint32_t *cfg = s->cfg[0];

    cfg[WORD_TILE_DESCRIPTOR] = format | UNCOMPRESSED | DATUMS << 16;
    cfg[WORD_TILE_DESCRIPTOR + 1] = 1;
    cfg[WORD_OUT_FORMAT] = format;
    cfg[WORD_L1_BASE] = 0;
    cfg[WORD_UNP0_BASE] = SKIPPED_ROWS * TENSIX_COLUMNS * bytes;
    s->thread_cfg[BENCH_THREAD][THREAD_WORD_SRCA_SET] = SET_OVRD_WITH_ADDR;
    s->adc[BENCH_THREAD][TENSIX_ADC_UNP0].channel[1].X = DATUMS - 1;
}

static void setup_bf16(TensixState *s)
{
    setup(s, FORMAT_BF16, 2);
}

static void setup_bfp8(TensixState *s)
{
    setup(s, FORMAT_BFP8, 1);
}

static void setup_bfp4(TensixState *s)
{
    setup(s, FORMAT_BFP4, 1);
}

static uint32_t cell(uint32_t sign, uint32_t exponent, uint32_t mantissa7)
{
    return sign << 18 | mantissa7 << 11 | exponent;
}

static uint32_t from_bf16(uint32_t x)
{
    return cell(x >> 15, x >> 7 & 255, x & 127);
}

/* Sign and seven bits without a hidden one. */
static uint32_t from_bfp8(uint32_t x, uint32_t exponent)
{
    uint32_t magnitude = x * 2 % 256, shift;

    if (!magnitude) {
        return cell(x >> 7, x >> 7 ? 255 : 0, 0);
    }
    shift = __builtin_clz(magnitude) - 24;
    return cell(x >> 7, (exponent - shift) & 255, magnitude << shift & 127);
}

static void ref_bf16(TensixState *s)
{
    const uint8_t *in = bench_l1 + HEADER;

    for (unsigned n = 0; n < DATUMS; n++) {
        s->src[TENSIX_SRCA][0][n / 16][n % 16] =
            from_bf16(in[2 * n] | in[2 * n + 1] << 8);
    }
}

static void ref_bfp8(TensixState *s)
{
    const uint8_t *exponents = bench_l1 + HEADER;
    const uint8_t *in = exponents + DATUMS / 16;

    for (unsigned n = 0; n < DATUMS; n++) {
        s->src[TENSIX_SRCA][0][n / 16][n % 16] =
            from_bfp8(in[n], exponents[n / 16]);
    }
}

static void ref_bfp4(TensixState *s)
{
    const uint8_t *exponents = bench_l1 + HEADER;
    const uint8_t *in = exponents + DATUMS / 16;

    for (unsigned n = 0; n < DATUMS; n++) {
        s->src[TENSIX_SRCA][0][n / 16][n % 16] =
            from_bfp8((in[n / 2] >> n % 2 * 4 & 15) << 4, exponents[n / 16]);
    }
}

void bench_unpack_rows(BenchRow *rows)
{
    rows[0] = (BenchRow) { "unpacr_bf16", TT(UNPACR, .Last = 1), ref_bf16,
                           setup_bf16 };
    rows[1] = (BenchRow) { "unpacr_bfp8", TT(UNPACR, .Last = 1), ref_bfp8,
                           setup_bfp8 };
    rows[2] = (BenchRow) { "unpacr_bfp4", TT(UNPACR, .Last = 1), ref_bfp4,
                           setup_bfp4 };
}
