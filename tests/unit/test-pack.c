/*
 * Packer: PACR against an oracle that counts in whole numbers and reals.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md, EdgeMasking.md, Downsampling.md,
 * OutputAddressGenerator.md; BH PACR.md.
 */

#include <math.h>
#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "pack-oracle.h"
#include "tap.h"
#include "config/config.h"
#include "frontend/frontend.h"

enum {
    ROUNDS = 2000,
    BASE_UNIT = 0x100,             /* L1 address of the stream, 16 bytes each */
    BASE = (BASE_UNIT + 1) * 16,
    EXP_UNITS = 4,
    WINDOW = 2048,                 /* bytes of L1 that a test may change */
    TRIALS = 20000,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CoreFixture f;
static uint8_t want[WINDOW];

/* --- configuration --- */

static void put(unsigned word, unsigned low, uint32_t value)
{
    for (unsigned bank = 0; bank < 2; bank++) {
        f.core.s.cfg[bank][word] |= value << low;
    }
}

#define PUT(name, value) put(CFG_##name##_WORD, CFG_##name##_LOW, value)

/* Row 0 of Dst on, 16 datums a row, to BASE; every column passes. */
static void configure(const Setup *s)
{
    memset(f.core.s.cfg, 0, sizeof(f.core.s.cfg));
    memset(f.core.s.adc, 0, sizeof(f.core.s.adc));
    memset(&f.core.s.packer, 0, sizeof(f.core.s.packer));
    PUT(ALU_FORMAT_SPEC_REG2_Dstacc, s->early);
    PUT(THCON_SEC0_REG1_In_data_format, s->early);
    PUT(THCON_SEC0_REG1_Out_data_format, s->late);
    PUT(THCON_SEC0_REG1_Disable_zero_compress, 1);
    PUT(THCON_SEC0_REG1_L1_Dest_addr, BASE_UNIT);
    PUT(THCON_SEC0_REG1_Exp_section_size, EXP_UNITS);
    PUT(THCON_SEC0_REG1_Pac_LF8_4b_exp, s->e4m3);
    PUT(THCON_SEC0_REG1_Pack_L1_Acc, s->accumulate);
    PUT(THCON_SEC0_REG1_Downsample_mask, s->downsample);
    PUT(PCK_DEST_RD_CTRL_Read_32b_data, s->wide);
    PUT(PCK_DEST_RD_CTRL_Read_int8, s->raw);
    PUT(PCK_DEST_RD_CTRL_Read_unsigned, s->is_unsigned);
    PUT(PCK_DEST_RD_CTRL_Round_10b_mant, s->round_10b);
    PUT(STACC_RELU_ApplyRelu, s->relu);
    PUT(STACC_RELU_ReluThreshold, s->threshold);
    PUT(PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    PUT(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        f.core.s.adc[t][TENSIX_ADC_PACK].channel[1].X = 15;
    }
}

/* --- one PACR of up to four rows against the oracle --- */

static unsigned width_of(unsigned format)
{
    static const unsigned width[] = { 32, 16, 8, 4, 32, 16, 8, 4,
                                      32, 16, 8, 2, 32, 16, 8, 2 };

    return width[format];
}

static void put_bits(uint8_t *to, unsigned at, unsigned width, uint32_t value)
{
    for (unsigned n = 0; n < width; n++, at++) {
        to[at / 8] &= ~(1u << at % 8);
        to[at / 8] |= (value >> n & 1) << at % 8;
    }
}

static Parts datum(const Setup *s, unsigned row, unsigned column)
{
    const TensixState *t = &f.core.s;
    unsigned high = s->wide ? row / 8 * 16 + row % 8 : row;

    return pack_relu(s, pack_early(s, pack_parse(s, t->dst[high][column],
                                  s->wide ? t->dst[high + 8][column] : 0)));
}

/* Datums first..first+n-1 of the stream form a block. */
static void put_block(const Setup *s, const Parts *p, unsigned n,
                      unsigned first, unsigned block)
{
    unsigned width = width_of(s->late);
    int shared = 0;

    for (unsigned j = 0; j < n; j++) {
        shared = p[j].exponent > shared ? p[j].exponent : shared;
    }
    want[block] = shared;
    for (unsigned j = 0; j < n; j++) {
        uint32_t m = pack_block_magnitude(p[j], shared) >> (8 - width);
        uint32_t sign = m && p[j].sign ? 1u << (width - 1) : 0;

        put_bits(want + EXP_UNITS * 16, (first + j) * width, width, m | sign);
    }
}

static void pad_want(unsigned from)
{
    while (from % 16) {
        want[from++] = 0;
    }
}

/* The stream of the rows in `mask` from row 0 on, closed. */
static void oracle(const Setup *s, unsigned mask, unsigned columns)
{
    unsigned width = width_of(s->late), at = 0, block = 0;
    unsigned start = width < 16 ? EXP_UNITS * 16 : 0;
    unsigned keep = s->downsample ? s->downsample : 0xffff;

    for (unsigned row = 0; row < 4; row++) {
        Parts p[16];
        unsigned n = 0;

        for (unsigned column = 0; column < columns; column++) {
            if (mask >> row & keep >> column & 1) {
                p[n++] = datum(s, row, column);
            }
        }
        for (unsigned j = 0; j < n; j++) {
            if (!pack_is_bfp_a(s->late) && !pack_is_bfp_b(s->late)) {
                put_bits(want + start, (at + j) * width, width,
                         pack_late(s, p[j]));
            } else {
                p[j] = pack_late_parts(s, p[j]);
            }
        }
        if (mask >> row & 1 && (pack_is_bfp_a(s->late) || pack_is_bfp_b(s->late))) {
            put_block(s, p, n, at, block++);
        }
        at += n;
    }
    put_bits(want + start, at * width, -(at * width) % 8, 0);
    pad_want(start + (at * width + 7) / 8);
    pad_want(block);
}

static void fill_dst(void)
{
    for (unsigned row = 0; row < 16; row++) {
        f.core.s.dst_row_valid[row] = 1;
        for (unsigned column = 0; column < 16; column++) {
            uint32_t r = fixture_random(&f);

            f.core.s.dst[row][column] = r >> 31 ? r : (r & 0x8007) | 0x70;
        }
    }
}

/* False, and a remark, if L1 is not as the oracle has it. */
static bool same(const Setup *s, const char *what)
{
    for (unsigned n = 0; n < WINDOW; n++) {
        if (f.l1[BASE + n] != want[n]) {
            diag("%s: format %u to %u, wide %d raw %d: byte %u is %02x, "
                 "wanted %02x", what, s->early, s->late, s->wide, s->raw, n,
                 f.l1[BASE + n], want[n]);
            return false;
        }
    }
    return true;
}

static bool pack_once(const Setup *s, unsigned mask, unsigned columns,
                      const char *what)
{
    for (unsigned n = 0; n < 512; n++) {
        want[n] = f.l1[BASE + n] = n;
    }
    oracle(s, mask, columns);
    fixture_clear_violations(&f);
    fixture_exec(&f, 0, TT(PACR, .Last = 1, .ReadIntfSel = mask));
    if (f.violation_count) {
        diag("%s: %s", what, f.violation_text);
        return false;
    }
    return same(s, what);
}

/* --- tests --- */

static const Setup float_setups[] = {
    { 1, 0 }, { 1, 1 }, { 1, 5 }, { 1, 10 }, { 1, 10, .e4m3 = true },
    { 1, 4 }, { 1, 1, .raw = true }, { 1, 0, .raw = true },
    { 1, 1, .round_10b = true }, { 1, 10, .round_10b = true, .e4m3 = true },
    { 2, 0 }, { 2, 5 }, { 2, 1 }, { 2, 1, .raw = true }, { 10, 10, .raw = true },
    { 5, 0 }, { 5, 5 }, { 5, 1 }, { 5, 4 }, { 5, 10 }, { 5, 5, .raw = true },
    { 5, 0, .raw = true }, { 6, 0 }, { 6, 5 }, { 4, 4 }, { 4, 1 },
};

static const Setup wide_setups[] = {
    { 0, 0, true }, { 0, 1, true }, { 0, 5, true }, { 0, 10, true },
    { 0, 10, true, .e4m3 = true }, { 1, 1, true, .round_10b = true },
    { 1, 10, true, .round_10b = true, .e4m3 = true }, { 4, 4, true },
    { 4, 1, true }, { 5, 5, true }, { 5, 0, true }, { 5, 5, true, true },
    { 6, 5, true }, { 6, 0, true }, { 6, 5, true, true },
};

static const unsigned block_formats[] = { 6, 7, 15, 2, 3, 11 };

/* Every 16-bit cell through every conversion that starts from 16 bits. */
static bool exhaustive_16(const Setup *s)
{
    configure(s);
    memset(f.core.s.dst_row_valid, 1, sizeof(f.core.s.dst_row_valid));
    for (unsigned value = 0; value < 65536; value += 64) {
        for (unsigned n = 0; n < 64; n++) {
            f.core.s.dst[n / 16][n % 16] = value + n;
        }
        if (!pack_once(s, 0xf, 16, "exhaustive")) {
            return false;
        }
    }
    return true;
}

static void test_exhaustive(const char *isa)
{
    for (unsigned n = 0; n < COUNT(float_setups); n++) {
        const Setup *s = &float_setups[n];

        ok(exhaustive_16(s), "%s: all cells, format %u to %u%s%s", isa,
           s->early, s->late, s->raw ? ", raw" : "",
           s->round_10b ? ", 10 bits" : "");
    }
}

/* All mantissas against all shared exponents and distances from them. */
static bool exhaustive_blocks(unsigned format)
{
    Setup s = { TENSIX_FMT_BF16, format, .raw = true };

    configure(&s);
    memset(f.core.s.dst_row_valid, 1, sizeof(f.core.s.dst_row_valid));
    for (unsigned n = 0; n < 256 * 10 * 2; n++) {
        unsigned shared = n / 20, away = n / 2 % 10;

        for (unsigned j = 0; j < 64; j++) {
            unsigned e = j % 16 == 0 ? shared
                                     : shared > away ? shared - away : 0;
            unsigned m = (n % 2 * 64 + j + n / 2) % 128;

            f.core.s.dst[j / 16][j % 16] = (j & 1) << 15 | m << 8 | e;
        }
        if (!pack_once(&s, 0xf, 16, "blocks")) {
            return false;
        }
    }
    return true;
}

static void test_blocks(const char *isa)
{
    for (unsigned n = 0; n < COUNT(block_formats); n++) {
        ok(exhaustive_blocks(block_formats[n]),
           "%s: blocks of format %u, all mantissas and exponents", isa,
           block_formats[n]);
    }
}

static Setup random_setup(void)
{
    uint32_t r = fixture_random(&f);
    Setup s = r & 1 ? float_setups[(r >> 8) % COUNT(float_setups)]
                    : wide_setups[(r >> 8) % COUNT(wide_setups)];

    if (r & 2 && !s.round_10b && s.late != 10) {
        s.late = block_formats[(r >> 16) % COUNT(block_formats)];
    }
    s.relu = r >> 4 & 3;
    s.threshold = fixture_random(&f) & 0x7fff;
    if (s.early != TENSIX_FMT_BFP8A || r & 8) {
        s.threshold |= 0x400;      /* no denormal */
    }
    s.downsample = r & 4 ? fixture_random(&f) & 0xffff : 0;
    return s;
}

static void test_random(const char *isa)
{
    bool good = true;

    for (unsigned n = 0; n < TRIALS && good; n++) {
        Setup s = random_setup();
        uint32_t r = fixture_random(&f);
        unsigned mask = r & 15 ? r & 15 : 15;
        unsigned columns = r & 16 ? 16 : 1 + (r >> 8) % 16;

        configure(&s);
        f.core.s.adc[0][TENSIX_ADC_PACK].channel[1].X = columns - 1;
        fill_dst();
        good = pack_once(&s, mask, columns, "random");
    }
    ok(good, "%s: random conversions, rows, columns, ReLU, downsampling", isa);
}

/* --- integers --- */

static void test_int8(const char *isa)
{
    bool good = true;

    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned descales = n / 128 & 1, shift = n % 32 * descales;
        Setup s = { TENSIX_FMT_INT8, TENSIX_FMT_INT8, .wide = true,
                    .raw = n / 32 & 1, .is_unsigned = n / 64 & 1 };

        configure(&s);
        PUT(INT_DESCALE_Enable, descales);
        PUT(INT_DESCALE_VALUES_SEC0_Value, n % 32);
        fill_dst();
        fixture_exec(&f, 0, TT(PACR, .Last = 1));
        for (unsigned j = 0; j < 64; j++) {
            uint32_t high = f.core.s.dst[j / 16][j % 16];
            uint32_t low = f.core.s.dst[j / 16 + 8][j % 16];
            uint32_t x = (high & 0x8000) << 16 | (high & 0xff) << 23 |
                         (high >> 8 & 0x7f) << 16 | low;

            good = good && f.l1[BASE + EXP_UNITS * 16 + j] ==
                           pack_int8(&s, x, shift);
        }
    }
    ok(good, "%s: INT32 to INT8 and UINT8, every value of INT_DESCALE", isa);
}

/* --- addresses and edges --- */

/* Storage of a BF16 in Dst as its bits. */
static uint16_t bf16_of(uint16_t cell)
{
    return (cell & 0x8000) | (cell & 0xff) << 7 | (cell >> 8 & 0x7f);
}

static void test_edges(const char *isa)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16, .raw = true };
    bool good = true;

    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t r = fixture_random(&f), sets = fixture_random(&f);
        unsigned set = r & 3, mode = r >> 2 & 1;
        uint16_t masks[4];

        configure(&s);
        fill_dst();
        f.core.s.cfg[0][CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] = mode << 16;
        PUT(PCK_EDGE_TILE_ROW_SET_SELECT_select, set);
        f.core.s.cfg[0][20 + set] = sets;
        for (unsigned k = 0; k < 4; k++) {
            masks[k] = fixture_random(&f);
            put(24 + k, 0, masks[k]);
        }
        for (unsigned k = 0; k < 4; k++) {
            fixture_exec(&f, 0, TT(PACR, .Last = k == 3));
        }
        for (unsigned j = 0; j < 256; j++) {
            uint16_t cell = f.core.s.dst[j / 16 % 4][j % 16], got;
            uint16_t x = (cell & 0x8000) | (cell & 0xff) << 7 |
                         (cell >> 8 & 0x7f);

            memcpy(&got, &f.l1[BASE + 2 * j], 2);
            if (!(masks[sets >> j / 16 * 2 & 3] >> j % 16 & 1)) {
                x = mode ? 0xff80 : 0;
            }
            good = good && got == x;
        }
    }
    ok(good, "%s: edge masks by tile row, to zero and to minus infinity", isa);
}

/* Tile positions count faces first; the masks of rows are chosen by face. */
static void test_edges_transposed(const char *isa)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16, .raw = true };
    enum { FACE_SELECT = 1, SETS_OF_ROWS = 20, SETS_OF_FACES = 36, MASKS = 24 };
    bool good = true;

    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t faces = fixture_random(&f);
        uint8_t set_of[4];         /* of row 0, by the set of its face */
        uint16_t masks[4];

        configure(&s);
        fill_dst();
        f.core.s.cfg[0][CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] = 0;
        PUT(PACK_COUNTERS_SEC0_pack_yz_transposed, 1);
        PUT(PCK_EDGE_TILE_FACE_SET_SELECT_select, FACE_SELECT);
        PUT(PCK_EDGE_TILE_FACE_SET_SELECT_enable, 1);
        put(SETS_OF_FACES + FACE_SELECT, 0, faces);
        for (unsigned k = 0; k < 4; k++) {
            uint32_t rows = fixture_random(&f);

            put(SETS_OF_ROWS + k, 0, rows);
            set_of[k] = rows & 3;
            masks[k] = fixture_random(&f);
            put(MASKS + k, 0, masks[k]);
        }
        for (unsigned k = 0; k < 4; k++) {
            fixture_exec(&f, 0, TT(PACR, .Last = k == 3));
        }
        for (unsigned j = 0; j < 256; j++) {
            uint16_t got, mask = masks[set_of[faces >> j / 16 * 2 & 3]];

            memcpy(&got, &f.l1[BASE + 2 * j], 2);
            good = good && got == (mask >> j % 16 & 1
                                   ? bf16_of(f.core.s.dst[j / 16 % 4][j % 16])
                                   : 0);
        }
    }
    ok(good, "%s: edge masks by face, of transposed tiles", isa);
}

/* Rows from a column other than the first one: what is left of each. */
static void test_first_column(const char *isa)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16, .raw = true };
    bool good = true;

    for (unsigned first = 1; first < 16; first++) {
        unsigned count = 16 - first;

        configure(&s);
        fill_dst();
        PUT(PCK0_ADDR_CTRL_XY_REG_0_Xstride, sizeof(uint16_t));
        f.core.s.adc[0][TENSIX_ADC_PACK].channel[0].X = first;
        fixture_exec(&f, 0, TT(PACR, .Last = 1));
        for (unsigned j = 0; j < 4 * count; j++) {
            uint16_t got;

            memcpy(&got, &f.l1[BASE + 2 * j], 2);
            good = good && got == bf16_of(f.core.s.dst[j / count]
                                                      [first + j % count]);
        }
    }
    ok(good, "%s: rows from another column than the first one", isa);
}

/* The last address below the limit, and the first one that goes back. */
static void test_limit(void)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16, .raw = true };
    enum { FIFO = 2, UNIT = 16, PATTERN = 0xa5 };

    for (unsigned beyond = 0; beyond < 2; beyond++) {
        unsigned at = beyond ? BASE - 2 * FIFO * UNIT : BASE;
        uint16_t got;

        configure(&s);
        fill_dst();
        /* counted in two units, of which the second one is below it too */
        PUT(THCON_SEC0_REG9_Pack_0_2_limit_address, BASE_UNIT / 2 - beyond);
        PUT(THCON_SEC0_REG9_Pack_0_2_fifo_size, FIFO);
        memset(&f.l1[BASE - 64], PATTERN, 128);
        fixture_exec(&f, 0, TT(PACR, .Last = 1, .ReadIntfSel = 1));
        memcpy(&got, &f.l1[at], 2);
        ok_eq(got, bf16_of(f.core.s.dst[0][0]), "output address %s the limit",
              beyond ? "beyond" : "at");
        ok_eq(f.l1[beyond ? BASE : BASE - 2 * FIFO * UNIT], PATTERN,
              "and nowhere else");
    }
}

static void test_addresses(void)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16, .raw = true };
    TensixAdc *adc = &f.core.s.adc[2][TENSIX_ADC_PACK];
    uint16_t got;

    configure(&s);
    fill_dst();
    PUT(PCK0_ADDR_CTRL_XY_REG_0_Ystride, 32);
    PUT(PCK0_ADDR_CTRL_XY_REG_1_Ystride, 48);
    PUT(PCK0_ADDR_CTRL_ZW_REG_1_Zstride, 256);
    f.core.s.thread_cfg[2][37] = 4 | 1 << 6 | 1 << 14;
    adc->channel[0].Y = 8;
    adc->channel[1].Y = 2;
    adc->channel[1].Z = 1;
    fixture_exec(&f, 2, TT(PACR, .Last = 1, .ReadIntfSel = 2));
    memcpy(&got, &f.l1[BASE + 2 * 48 + 256], 2);
    ok_eq(got, (f.core.s.dst[9][0] & 0x8000) |
                 (f.core.s.dst[9][0] & 0xff) << 7 |
                 (f.core.s.dst[9][0] >> 8 & 0x7f),
            "row Y + 1 goes to the address of channel 1");
    ok_eq(adc->channel[0].Y, 12, "YsrcIncr");
    ok_eq(adc->channel[1].Y, 3, "YdstIncr");
    ok_eq(adc->channel[1].Z, 2, "ZdstIncr");
}

static void test_stream(void)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BFP4, .raw = true };

    configure(&s);
    fill_dst();
    memset(&f.l1[BASE], 0xee, 128);
    fixture_exec(&f, 0, TT(PACR, .ReadIntfSel = 1));
    ok_eq(f.core.s.packer.open, 1, "without Last the stream stays open");
    fixture_exec(&f, 0, TT(PACR, .ReadIntfSel = 3, .Last = 1, .ZeroWrite = 1));
    ok_eq(f.l1[BASE + 1], 0, "ZeroWrite: shared exponent 0");
    ok_eq(f.l1[BASE + 64 + 23], 0, "ZeroWrite: datums 0");
    ok_eq(f.l1[BASE + 64 + 31], 0, "Last fills 16 bytes with zeroes");
    ok_eq(f.l1[BASE + 64 + 32], 0xee, "and no more");
    ok_eq(f.l1[BASE + 15], 0, "exponents too");
    ok_eq(f.l1[BASE + 16], 0xee, "and no more");
    ok_eq(f.core.s.packer.open, 0, "Last closes the stream");
}

/* The fast way of a stream that is open leaves the report to the slow one. */
static void test_reserved(void)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16 };
    const TensixInsn again = {
        .valid = 1,
        .word = TT(PACR) | 1 << 23,
        .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
    };

    configure(&s);
    fill_dst();
    fixture_clear_violations(&f);
    fixture_exec(&f, 0, TT(PACR));
    ok_eq(f.violation_count, 0, "a stream is opened");
    tensix_execute(&f.core, &again);    /* by the plan that is there */
    ok_eq(f.violation_count, 1, "a bit that PACR does not have is reported");
}

/* ReLU's mode, written between two PACRs of a stream, holds for the second. */
static void test_changed_between(void)
{
    static const Setup s = { TENSIX_FMT_BF16, TENSIX_FMT_BF16 };
    unsigned word = CFG_STACC_RELU_ApplyRelu_WORD, negative = 0;

    configure(&s);
    fill_dst();
    fixture_exec(&f, 0, TT(PACR, .ReadIntfSel = 0xf));
    fixture_exec(&f, 0, TT(PACR, .ReadIntfSel = 0xf));
    tensix_cfg_store(&f.core, 0, word, f.core.s.cfg[0][word] |
                     1u << CFG_STACC_RELU_ApplyRelu_LOW,
                     UINT32_MAX);
    fixture_exec(&f, 0, TT(PACR, .ReadIntfSel = 0xf, .Last = 1));
    for (unsigned n = 1; n < 128; n += 2) {
        negative += f.l1[BASE + n] >> 7;
        ok_eq(f.l1[BASE + 256 + n] >> 7, 0, "after the ReLU, datum %u", n / 2);
    }
    ok(negative > 0, "before it there are negative ones");
}

/* --- accumulation --- */

static double half_value(uint16_t x, bool bf16)
{
    int e = bf16 ? x >> 7 & 255 : x >> 10 & 31;
    double m = bf16 ? 1 + (x & 127) / 128.0 : 1 + (x & 1023) / 1024.0;

    return e ? ldexp(m, e - (bf16 ? 127 : 15)) * (x >> 15 ? -1 : 1) : 0;
}

/* Numbers near each other, so that sums are ordinary or cancel. */
static bool accumulate_half(bool bf16)
{
    unsigned format = bf16 ? TENSIX_FMT_BF16 : TENSIX_FMT_FP16;
    Setup s = { format, format, .raw = true, .accumulate = true };
    bool good = true;

    configure(&s);
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint16_t old[64], got[64], x[64];

        fill_dst();
        for (unsigned j = 0; j < 64; j++) {
            uint16_t cell = f.core.s.dst[j / 16][j % 16];
            unsigned e = bf16 ? 100 + cell % 16 : 12 + cell % 8;

            x[j] = (cell & 0x8000) | e << (bf16 ? 7 : 10) |
                   (cell >> 8 & 0x7f);
            old[j] = x[j] ^ (fixture_random(&f) & 0x80ff);
            f.core.s.dst[j / 16][j % 16] = bf16
                ? tensix_num_dst_encode_bf16(x[j])
                : tensix_num_dst_encode_fp16(x[j]);
        }
        memcpy(&f.l1[BASE], old, sizeof(old));
        fixture_exec(&f, 0, TT(PACR, .Last = 1));
        memcpy(got, &f.l1[BASE], sizeof(got));
        for (unsigned j = 0; j < 64; j++) {
            double sum = half_value(old[j], bf16) + half_value(x[j], bf16);
            double error = fabs(half_value(got[j], bf16) - sum);
            int e;

            frexp(sum, &e);
            /* nearest: at most half a unit in the last place */
            good = good && error <= ldexp(1, e - (bf16 ? 9 : 12));
        }
    }
    return good;
}

/* Where a sum is not what IEEE has: bits in L1, bits added, bits then. */
typedef struct Corner {
    uint16_t old, added, sum;
    const char *what;
} Corner;

static const Corner bf16_corners[] = {
    { 0x7f80, 0xff80, 0x7fc0, "Inf - Inf" },
    { 0xff80, 0xff80, 0xff80, "-Inf - Inf" },
    { 0x3f80, 0xff80, 0xff80, "1 - Inf" },
    { 0x7f80, 0xbf80, 0x7f80, "Inf - 1" },
    { 0xffc1, 0x7f7f, 0xff80, "a NaN in L1 counts as infinite" },
    { 0x0000, 0x7fc0, 0x7f80, "an added NaN is a number that overflows" },
    { 0x7f7f, 0x7f7f, 0x7f80, "overflow" },
    { 0x8081, 0x0080, 0x8000, "underflow keeps the sign" },
    { 0x0081, 0x8080, 0x0000, "underflow keeps the sign" },
    { 0x0001, 0x8001, 0x0000, "denormals are zero" },
    { 0x8000, 0x8001, 0x8000, "-0 - 0" },
    { 0xc000, 0x4000, 0x0000, "x - x" },
};

static const Corner fp16_corners[] = {
    { 0x3c00, 0xbc00, 0x0000, "x - x" },
    { 0x77ff, 0xf7ff, 0x0000, "x - x with exponent 29" },
    { 0x7800, 0xf800, 0x7fff, "x - x with exponent 30" },
    { 0xffff, 0x7fff, 0x7fff, "x - x with exponent 31" },
    { 0x7bff, 0x7bff, 0x7fff, "exponent 31 is a number" },
    { 0x7c00, 0x7c00, 0x7fff, "overflow" },
    { 0xfc00, 0xfc00, 0xffff, "overflow" },
    { 0x0400, 0x8600, 0x8000, "exponent 0: zero" },
    { 0x0400, 0x8401, 0xffff, "further down: the maximum" },
    { 0x8400, 0x0401, 0x7fff, "further down: the maximum" },
    { 0x03ff, 0x83ff, 0x0000, "denormals are zero" },
};

static void check_corners(const char *isa, bool bf16, const Corner *corners,
                          unsigned n)
{
    unsigned format = bf16 ? TENSIX_FMT_BF16 : TENSIX_FMT_FP16;
    Setup s = { format, format, .raw = true, .accumulate = true };

    configure(&s);
    memset(f.core.s.dst_row_valid, 1, sizeof(f.core.s.dst_row_valid));
    for (const Corner *k = corners; k < corners + n; k++) {
        uint16_t got;

        f.core.s.dst[0][0] = bf16 ? tensix_num_dst_encode_bf16(k->added)
                                  : tensix_num_dst_encode_fp16(k->added);
        memcpy(&f.l1[BASE], &k->old, sizeof(k->old));
        fixture_exec(&f, 0, TT(PACR, .Last = 1));
        memcpy(&got, &f.l1[BASE], sizeof(got));
        ok_eq(got, k->sum, "%s: accumulated %s: %s", isa,
              bf16 ? "BF16" : "FP16", k->what);
    }
}

static void test_accumulate_corners(const char *isa)
{
    check_corners(isa, true, bf16_corners, COUNT(bf16_corners));
    check_corners(isa, false, fp16_corners, COUNT(fp16_corners));
}

static void test_accumulate(const char *isa)
{
    static const Setup s = { 0, 0, .wide = true, .accumulate = true };
    bool good = true;

    for (unsigned n = 0; n < ROUNDS; n++) {
        float old[64], got[64];

        configure(&s);
        fill_dst();
        for (unsigned j = 0; j < 64; j++) {
            old[j] = ldexpf((int)fixture_random(&f), -(int)(n % 40));
        }
        memcpy(&f.l1[BASE], old, sizeof(old));
        fixture_exec(&f, 0, TT(PACR, .Last = 1));
        memcpy(got, &f.l1[BASE], sizeof(got));
        for (unsigned j = 0; j < 64; j++) {
            Parts p = datum(&s, j / 16, j % 16);
            uint32_t bits = p.exponent ? pack_join(p, 8, 23) : 0, a, b;
            float x, sum;

            memcpy(&x, &bits, sizeof(x));
            sum = old[j] + x;
            memcpy(&a, &sum, sizeof(a));
            memcpy(&b, &got[j], sizeof(b));
            good = good && (a == b || (sum != sum && b == 0x7fc00000));
        }
    }
    ok(good, "%s: L1 accumulation in FP32 is IEEE addition", isa);
    ok(accumulate_half(true), "%s: L1 accumulation in BF16 rounds to nearest",
       isa);
    ok(accumulate_half(false), "%s: L1 accumulation in FP16 rounds to nearest",
       isa);
    test_accumulate_corners(isa);
}

/* --- no configuration and no word does harm --- */

static void test_safety(const char *isa)
{
    for (unsigned n = 0; n < TRIALS; n++) {
        for (unsigned w = 0; w < TENSIX_CFG_WORDS; w++) {
            f.core.s.cfg[0][w] = fixture_random(&f);
            f.core.s.cfg[1][w] = fixture_random(&f);
        }
        if (n & 1) {
            f.core.s.cfg[0][69] %= FIXTURE_L1_SIZE / 16;
        }
        for (unsigned d = 0; d < 8; d++) {
            uint32_t r = fixture_random(&f);

            ((uint32_t *)&f.core.s.adc[1][TENSIX_ADC_PACK])[d * 2] =
                r & (r >> 30 ? 0x1f : 0x3ffff);
        }
        for (unsigned k = 0; k < 3; k++) {
            fixture_exec(&f, 1, TENSIX_OP_PACR << 24 |
                                (fixture_random(&f) & 0xffffff));
        }
    }
    ok(true, "%s: random configuration: nothing outside L1", isa);
}

int main(void)
{
    fixture_init(&f);
    for (int isa = 0; isa < TENSIX_ISAS; isa++) {
        const char *name = tensix_isa_names[isa];

        if (!tensix_set_isa(&f.core, isa)) {
            diag("%s: not on this machine", name);
            continue;
        }
        test_exhaustive(name);
        test_blocks(name);
        test_random(name);
        test_int8(name);
        test_edges(name);
        test_edges_transposed(name);
        test_first_column(name);
        test_accumulate(name);
        test_safety(name);
        fixture_init(&f);
    }
    test_addresses();
    test_limit();
    test_stream();
    test_reserved();
    test_changed_between();
    return done_testing();
}
