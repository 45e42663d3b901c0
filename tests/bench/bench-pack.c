/*
 * Benchmark of the core: the packer's rows, a tile of 1024 datums each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md; the conversions of WH Packers/FormatConversion.md, written here
 * one datum after the other.
 */

#include <string.h>

#include "bench-reference.h"
#include "num/num.h"
#include "decode/tensix_fields.h"

enum {
    DATUMS = 1024,
    ROWS_A_PACR = 4,
    PACRS = DATUMS / (ROWS_A_PACR * TENSIX_COLUMNS),
    BASE_UNIT = BENCH_L1_SIZE / 32 - 1,  /* the stream: upper half of L1 */
    BASE = (BASE_UNIT + 1) * 16,
    EXP_UNITS = DATUMS / TENSIX_COLUMNS / 16,
    ADC_Y_MASK = 0x1fff,
};

static uint8_t reference_l1[BENCH_L1_SIZE];

static uint32_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return *x >> 33;
}

static void set_up(TensixState *s, uint32_t early, uint32_t late, bool wide)
{
    uint32_t *cfg = s->cfg[0];
    uint64_t x = 1;

    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < TENSIX_COLUMNS; column++) {
            s->dst[row][column] = next_random(&x);
        }
    }
    cfg[1] = early << 25;          /* ALU_FORMAT_SPEC_REG2_Dstacc */
    cfg[12] = (wide ? 64u : 32u) << 16;  /* Ystride: bytes of a row */
    cfg[18] = wide;                /* PCK_DEST_RD_CTRL_Read_32b_data */
    cfg[24] = 0xffff;              /* PCK_EDGE_OFFSET_SEC0_mask */
    cfg[28] = 16 << 8;             /* pack_reads_per_xy_plane */
    cfg[68] = EXP_UNITS << 16;     /* THCON_SEC0_REG1_Exp_section_size */
    cfg[69] = BASE_UNIT;           /* L1_Dest_addr */
    cfg[70] = early << 8 | late << 4 | 1;  /* not compressed */
    s->thread_cfg[BENCH_THREAD][37] = ROWS_A_PACR;  /* YsrcIncr */
    s->adc[BENCH_THREAD][TENSIX_ADC_PACK].channel[1].X = 15;
    memset(reference_l1, 0, sizeof(reference_l1));
    memset(bench_l1 + BASE, 0, sizeof(bench_l1) - BASE);
}

static void setup_bf16(TensixState *s)
{
    set_up(s, TENSIX_FMT_BF16, TENSIX_FMT_BF16, false);
}

static void setup_bfp8(TensixState *s)
{
    set_up(s, TENSIX_FMT_BF16, TENSIX_FMT_BFP8, false);
}

static void setup_fp32(TensixState *s)
{
    set_up(s, TENSIX_FMT_FP32, TENSIX_FMT_FP32, true);
}

/* Sign, mantissa, exponent to BF16; no NaN, no denormals. */
static uint32_t bf16(uint16_t cell)
{
    uint32_t e = cell & 0xff, m = cell >> 8 & 0x7f;

    if (e == 0) {
        return 0;
    }
    return (cell & 0x8000) | e << 7 | (e == 255 ? 0 : m);
}

/* First row of the tile; the counter advances by a tile. */
static uint32_t tile_row(TensixState *s)
{
    TensixAdcChannel *ch = &s->adc[BENCH_THREAD][TENSIX_ADC_PACK].channel[0];
    uint32_t row = ch->Y;

    ch->Y = (ch->Y + DATUMS / TENSIX_COLUMNS) & ADC_Y_MASK;
    return row;
}

static void reference_bf16(TensixState *s)
{
    uint32_t row = tile_row(s);

    for (unsigned n = 0; n < DATUMS; n++) {
        uint16_t x = bf16(s->dst[(row + n / 16) % TENSIX_DST_ROWS][n % 16]);

        memcpy(reference_l1 + BASE + 2 * n, &x, sizeof(x));
    }
}

static void reference_fp32(TensixState *s)
{
    uint32_t row = tile_row(s);

    for (unsigned n = 0; n < DATUMS; n++) {
        uint32_t at = (row + n / 16) % (TENSIX_DST_ROWS / 2);
        uint32_t cell, x;

        at = at / 8 * 16 + at % 8;
        cell = s->dst[at][n % 16];
        x = (cell & 0x8000) << 16 | (cell & 0xff) << 23 |
            (cell >> 8 & 0x7f) << 16 | s->dst[at + 8][n % 16];
        memcpy(reference_l1 + BASE + 4 * n, &x, sizeof(x));
    }
}

/* One block: half up, no more than 127; a zero has no sign. */
static void reference_block(const uint16_t *row, uint8_t *exponent,
                            uint8_t *out)
{
    uint32_t shared = 0;

    for (unsigned n = 0; n < TENSIX_COLUMNS; n++) {
        uint32_t e = bf16(row[n]) >> 7 & 0xff;

        shared = e > shared ? e : shared;
    }
    *exponent = shared;
    for (unsigned n = 0; n < TENSIX_COLUMNS; n++) {
        uint32_t x = bf16(row[n]), e = x >> 7 & 0xff;
        uint32_t m = e ? (x & 0x7f) + 128 : 0;

        m = shared - e > 7 ? 0 : (m + (1u << (shared - e))) >> (shared - e + 1);
        m = m > 127 ? 127 : m;
        out[n] = m ? m | (x >> 15) << 7 : 0;
    }
}

static void reference_bfp8(TensixState *s)
{
    uint32_t row = tile_row(s);

    for (unsigned n = 0; n < DATUMS / TENSIX_COLUMNS; n++) {
        reference_block(s->dst[(row + n) % TENSIX_DST_ROWS],
                        reference_l1 + BASE + n,
                        reference_l1 + BASE + EXP_UNITS * 16 +
                        n * TENSIX_COLUMNS);
    }
}

static bool same_l1(void)
{
    return !memcmp(reference_l1 + BASE, bench_l1 + BASE,
                   sizeof(bench_l1) - BASE);
}

void bench_pack_rows(BenchRow *rows)
{
    const uint32_t pacr = TT(PACR), last = TT(PACR, .Last = 1);
    const BenchRow all[BENCH_PACK_ROWS] = {
        { "pacr_bf16", pacr, reference_bf16, setup_bf16, PACRS, last, same_l1 },
        { "pacr_bfp8", pacr, reference_bfp8, setup_bfp8, PACRS, last, same_l1 },
        { "pacr_fp32", pacr, reference_fp32, setup_fp32, PACRS, last, same_l1 },
    };

    memcpy(rows, all, sizeof(all));
}
