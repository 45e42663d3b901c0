/*
 * The unpacker's oracle: conversions, then the list of datums, then places.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md, FormatConversion.md, FloatBitPatterns.md, ADCs.md.
 */

#include <stdlib.h>
#include <string.h>

#include "unpack-oracle.h"

/* --- conversions: through sign, exponent and ten bits of mantissa --- */

typedef struct Number {
    uint32_t sign, exponent, mantissa;
    bool wide;                     /* eight bits of exponent */
} Number;

bool oracle_is_block_float(uint32_t format)
{
    return format % 4 >= 2 && format != O_FP8 && format != O_INT8;
}

uint32_t oracle_datum_bits(uint32_t format)
{
    if (format % 4 < 3) {
        return 32 >> format % 4;
    }
    return format < 8 ? 4 : 2;
}

/* Magnitude of seven bits without a hidden one, under a shared exponent. */
static Number block_float(uint32_t datum, uint32_t bits, uint32_t exponent,
                          bool wide)
{
    uint32_t magnitude = datum % (1u << (bits - 1)) << (8 - bits);
    Number n = { .sign = datum >> (bits - 1), .wide = wide };

    if (magnitude == 0) {
        n.exponent = n.sign ? (wide ? 255 : 31) : 0;
        return n;
    }
    for (n.exponent = exponent; magnitude < 64; magnitude *= 2) {
        n.exponent--;
    }
    n.exponent %= wide ? 256 : 32;
    n.mantissa = (magnitude - 64) * 16;
    return n;
}

static Number from_fp32(uint32_t x, uint32_t out)
{
    Number n = { x >> 31, x >> 23 & 255, x >> 13 & 1023, out != O_FP16 };

    if (out == O_BF16) {
        n.mantissa = n.exponent ? n.mantissa & ~7u : 0;
    } else if (out == O_FP16) {
        if (n.exponent < 112) {
            n.exponent = n.mantissa = 0;
        } else if (n.exponent > 143) {
            n.exponent = 31;
            n.mantissa = 1023;
        } else {
            n.exponent -= 112;
        }
    }
    return n;
}

static Number from_fp8(uint32_t x, bool e4m3)
{
    Number n = { .sign = x >> 7 };
    bool ones = x % 128 == 127;

    if (e4m3) {
        n.exponent = x / 8 % 16 ? x / 8 % 16 + 8 : 0;
        n.mantissa = x % 8 * 128 + (ones ? 127 : 0);
    } else {
        n.exponent = x >> 2 & 31;
        n.mantissa = x % 4 * 256 + (ones ? 255 : 0);
    }
    return n;
}

static Number from_int8(uint32_t x, bool is_unsigned)
{
    Number n = { .sign = !is_unsigned && x > 127 };

    n.mantissa = is_unsigned ? x : x % 128;
    n.exponent = n.mantissa ? 16 : 0;
    return n;
}

static Number convert_number(const UnpackCase *k, uint32_t x, uint32_t exponent)
{
    if (oracle_is_block_float(k->in)) {
        return block_float(x, oracle_datum_bits(k->in), exponent,
                           k->in == O_BFP8 || k->in == O_BFP4 || k->in == O_BFP2);
    }
    switch (k->in) {
    case O_FP32:
        return from_fp32(x, k->out);
    case O_BF16:
        return (Number) { x >> 15, x >> 7 & 255, x % 128 * 8, true };
    case O_FP16:
        return (Number) { x >> 15, x >> 10 & 31, x % 1024, false };
    case O_FP8:
        return from_fp8(x, k->e4m3);
    case O_INT8:
        return from_int8(x, k->is_unsigned);
    default:
        abort();
    }
}

/* FP32, TF32 or INT32 in Dst32b: the exponent after seven bits of mantissa. */
static uint32_t in_dst32(uint32_t x)
{
    return x >> 31 << 31 | (x >> 16 & 127) << 24 | (x >> 23 & 255) << 16 |
           (x & 0xffff);
}

uint32_t oracle_convert(const UnpackCase *k, uint32_t datum, uint32_t exponent)
{
    Number n;

    if (k->zero) {
        return 0;
    }
    if (k->to_dst && oracle_datum_bits(k->out) == 32) {
        return in_dst32(datum);
    }
    if (k->in == O_INT16) {
        return k->to_dst ? datum : datum / 256 << 11 | datum % 256;
    }
    n = convert_number(k, datum, exponent);
    if (!k->to_dst) {
        return n.sign << 18 | n.mantissa << 8 | n.exponent;
    }
    return n.wide ? n.sign << 15 | n.mantissa / 8 << 8 | n.exponent
                  : n.sign << 15 | n.mantissa << 5 | n.exponent;
}

/* --- configuration --- */

enum { SEC = 64, SEC_WORDS = 48 };

static void put_bits(uint32_t *word, unsigned low, unsigned width, uint32_t value)
{
    uint32_t mask = (width < 32 ? (1u << width) - 1 : UINT32_MAX) << low;

    *word = (*word & ~mask) | (value << low & mask);
}

static uint32_t which_context(const UnpackCase *k)
{
    return k->multi ? (k->context + k->context_offset) % 8 : 0;
}

/* Words 64 to 95 of the unpacker's section (cfg_defines.h of Blackhole). */
static void setup_section(uint32_t *w, const UnpackCase *k)
{
    uint32_t n = which_context(k), high = n / 4;

    w[0] = (k->override_format ? 13 : k->in) | !k->compressed << 4 |
           (uint32_t)k->no_exponents << 5 | k->x_dim << 16;
    w[1] = k->y_dim | k->z_dim << 16;
    w[2] = k->w_dim;
    w[3] = k->digest << 24;
    put_bits(&w[8], 0, 4, k->override_format ? 13 : k->out);
    put_bits(&w[8], 6, 2, 3);
    put_bits(&w[8], 8, 1, k->transpose);
    put_bits(&w[8], 9, 1, k->tilize);
    put_bits(&w[8], 10, 1, k->row_update);
    put_bits(&w[8], 11, 1, k->to_dst);
    put_bits(&w[8], 12, 2, k->upsample_rate);
    put_bits(&w[8], 14, 1, k->override_format);
    put_bits(&w[8], 15, 1, k->interleave);
    if (k->tilize) {
        put_bits(&w[8], 16, 12, k->stride);
    } else {
        put_bits(&w[8], 16 + n % 4 * 4, 4, k->column_shift);
    }
    put_bits(&w[9], n % 4 + high * 16, 1, !k->compressed);
    put_bits(&w[9], 4 + n % 4 + high * 16, 1, k->to_dst);
    put_bits(&w[9], 8, 1, k->forced);
    w[12 + n] = k->base;
    put_bits(&w[20 + n % 4 / 2], n % 2 * 16, 16, k->context_out);
    if (k->multi && k->unpacker == 0) {
        put_bits(&w[0], 16, 16, 0x5555);
        put_bits(&w[22 + n % 4 / 2], n % 2 * 16, 16, k->x_dim);
    }
    put_bits(&w[28 + n % 4], 0, 16, k->offset);
    put_bits(&w[28 + n % 4], 16 + high * 8, 4, k->in);
    put_bits(&w[28 + n % 4], 20 + high * 8, 4, k->out);
    put_bits(&w[7], 22, 1, k->e4m3);
}

uint32_t oracle_setup(CoreFixture *f, const UnpackCase *k)
{
    TensixState *s = &f->core.s;
    uint32_t *w = s->cfg[k->state_id];

    memset(s->cfg, 0, sizeof(s->cfg));
    memset(s->thread_cfg, 0, sizeof(s->thread_cfg));
    setup_section(w + SEC + SEC_WORDS * k->unpacker, k);
    w[1] = (uint32_t)k->is_unsigned << (15 + k->unpacker);
    put_bits(&w[k->unpacker ? 62 : 50], 0, 8, k->exponent);
    put_bits(&w[k->unpacker ? 62 : 50], 8, 1, k->add_context_out);
    w[k->unpacker ? 61 : 49] = k->out_base;
    w[k->unpacker ? 58 : 56] = k->y_stride << 16;
    w[k->unpacker ? 59 : 57] = k->w_stride << 16 | k->z_stride;
    s->thread_cfg[k->thread][0] = k->state_id;
    s->thread_cfg[k->thread][k->unpacker ? 6 : 5] =
        k->set_base | (k->unpacker == 0 && k->ovrd_address ? 4 : 0);
    s->thread_cfg[k->thread][41] = k->context_offset << (k->unpacker ? 8 : 0);
    s->src_row[k->unpacker][k->thread] = k->src_row;
    s->unpack_context[k->thread][k->unpacker] = k->use_counter ? k->context : 5;
    return TT(UNPACR, .Unpack_block_selection = k->unpacker,
              .AddrMode = k->increments, .Last = 1,
              .CfgContextId = k->use_counter ? 7 : k->context,
              .AddrCntContextId = k->context_adc, .OvrdThreadId = k->multi,
              .SetDatValid = k->flip, .ZeroWrite2 = k->zero,
              .AutoIncContextID = k->use_counter);
}

/* --- the list of datums --- */

enum { MOST_DATUMS = 1 << 17 };

typedef struct List {
    uint32_t cell[MOST_DATUMS];
    uint32_t count;
} List;

static uint32_t bits_at(const uint8_t *l1, uint64_t at, uint32_t width)
{
    uint64_t x = 0;

    for (uint32_t n = 0; n < width; n++) {
        x |= (uint64_t)(l1[(at + n) / 8] >> (at + n) % 8 & 1) << n;
    }
    return x;
}

static uint32_t at_least_one(uint32_t x)
{
    return x ? x : 1;
}

static uint32_t bytes_to_16(uint32_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Where the parts of a tile begin, in bytes. */
typedef struct Tile {
    uint32_t rows, exponents, datums;
} Tile;

static Tile tile_of(const UnpackCase *k)
{
    uint32_t planes = at_least_one(k->z_dim) * at_least_one(k->w_dim);
    uint32_t datums = k->x_dim * k->y_dim * planes;
    Tile t;

    t.rows = t.exponents = (k->base + k->offset + 1 + k->digest) * 16;
    if (k->compressed) {
        t.exponents += bytes_to_16((k->y_dim * planes + 1) * 2);
    }
    t.datums = t.exponents;
    if (oracle_is_block_float(k->in) && !k->forced &&
        (oracle_datum_bits(k->in) == 8 || !k->no_exponents)) {
        t.datums += bytes_to_16((datums + 15) / 16);
    }
    return t;
}

/* Bit address of datum `index` of the tile, the n-th to be read. */
static uint64_t datum_at(const UnpackCase *k, const Tile *t, uint32_t index,
                         uint32_t n)
{
    uint32_t bits = oracle_datum_bits(k->in), width = bits > 8 ? 32 : 16;

    if (k->compressed) {
        return t->datums * 8ull + index / 32 * (bits + 4) * 32 + index % 32 * bits;
    }
    if (k->tilize) {
        return t->datums * 8ull + (uint64_t)(index - n) * bits +
               (uint64_t)(n / width) * k->stride * 128 + n % width * bits;
    }
    return t->datums * 8ull + (uint64_t)index * bits;
}

/* Adds the datum at `index` and, from a compressed tile, its zeroes. */
static void add_datum(List *list, const uint8_t *l1, const UnpackCase *k,
                      const Tile *t, uint32_t index, uint32_t n)
{
    uint32_t bits = oracle_datum_bits(k->in), exponent = k->exponent, zeroes;
    uint64_t at = datum_at(k, t, index, n);

    if (oracle_is_block_float(k->in) && !k->forced) {
        exponent = l1[t->exponents + index / 16];
    }
    list->cell[list->count++] = oracle_convert(k, bits_at(l1, at, bits), exponent);
    if (k->compressed && !k->zero) {
        zeroes = bits_at(l1, t->datums * 8ull + index / 32 * (bits + 4) * 32 +
                             32 * bits + index % 32 * 4, 4);
        while (zeroes--) {
            list->cell[list->count++] = 0;
        }
    }
}

static void read_plain(List *list, const uint8_t *l1, const UnpackCase *k,
                       const Tile *t, uint32_t row, const TensixAdc *adc)
{
    uint32_t first = row * k->x_dim + adc->channel[0].X;
    uint32_t count = adc->channel[1].X + 1 - adc->channel[0].X;

    for (uint32_t n = 0; n < count; n++) {
        add_datum(list, l1, k, t, first + n, n);
    }
}

/* From the row's first datum on; then X cuts the list. */
static void read_compressed(List *list, const uint8_t *l1, const UnpackCase *k,
                            const Tile *t, uint32_t row, const TensixAdc *adc)
{
    uint32_t first = bits_at(l1, (t->rows + row * 2ull) * 8, 16);
    uint32_t end = bits_at(l1, (t->rows + row * 2ull + 2) * 8, 16);
    uint32_t x = adc->channel[0].X, last = adc->channel[1].X;
    bool whole = x == 0 && last == k->x_dim - 1;

    for (uint32_t n = 0; whole ? n < end - first : list->count <= last; n++) {
        add_datum(list, l1, k, t, first + n, n);
    }
    if (!whole) {
        list->count = last + 1 - x;
        memmove(list->cell, list->cell + x, list->count * sizeof(list->cell[0]));
    }
}

/* --- where they go --- */

static void into_dst(TensixState *s, const UnpackCase *k, uint32_t row,
                     uint32_t column, uint32_t cell)
{
    row = (row - 4) % 1024;
    if (oracle_datum_bits(k->out) == 32) {
        row = (row / 8 * 16 + row % 8) % 1024;
        s->dst[row][column] = cell >> 16;
        s->dst[row + 8][column] = cell;
    } else {
        s->dst[row][column] = cell;
    }
    s->dst_row_valid[row] = 1;
}

static void into_src(TensixState *s, const UnpackCase *k, uint32_t row,
                     uint32_t column, uint32_t cell)
{
    uint32_t (*bank)[16] = s->src[k->unpacker][s->unpack_bank[k->unpacker]];

    if (k->unpacker == 1) {
        bank[(row + k->src_row) % 64][column] = cell;
        return;
    }
    if (row < 4 || column < k->column_shift) {
        return;
    }
    row = row - 4 + (k->ovrd_address ? 0 : k->src_row);
    column -= k->column_shift;
    if (k->transpose) {
        bank[row / 16 * 16 + column][row % 16] = cell;
    } else {
        bank[row][column] = cell;
    }
}

static uint32_t first_place(const TensixState *s, const UnpackCase *k)
{
    const TensixAdcChannel *adc = &s->adc[k->thread][k->unpacker].channel[1];
    uint32_t bytes = oracle_datum_bits(k->out) < 8 ? 1
                                                   : oracle_datum_bits(k->out) / 8;
    uint32_t place = (k->out_base + adc->Y * k->y_stride + adc->Z * k->z_stride +
                      adc->W * k->w_stride) / bytes;

    if (k->multi && k->unpacker == 0) {
        place = k->context_out + (k->to_dst || k->add_context_out ? place : 0);
    }
    return place;
}

/* Would the last of `places` places be outside the bank?  SrcB's rows wrap. */
static bool outside(const UnpackCase *k, uint32_t place, uint32_t places)
{
    uint32_t end = (place + places + 15) / 16;

    return k->unpacker == 0 && !k->to_dst && end > (k->ovrd_address ? 68 : 20);
}

static bool place_list(TensixState *s, const UnpackCase *k, const List *list)
{
    uint32_t step = 1u << k->upsample_rate, place = first_place(s, k);

    if (outside(k, place, list->count * step)) {
        return false;
    }
    for (uint32_t n = 0; n < list->count * step; n++, place++) {
        uint32_t cell = n % step ? 0 : list->cell[n / step];

        if (n % step && k->interleave) {
            continue;
        }
        if (k->to_dst) {
            into_dst(s, k, place / 16, place % 16, cell);
        } else {
            into_src(s, k, place / 16, place % 16, cell);
        }
    }
    return true;
}

/* --- counters --- */

static void count_up(TensixState *s, const UnpackCase *k)
{
    uint32_t adcs = 1u << k->thread;

    if (k->multi && k->context_adc) {
        adcs |= 1u << k->context_adc;
    }
    for (unsigned t = 0; t < 3; t++) {
        TensixAdcChannel *ch = s->adc[t][k->unpacker].channel;

        if (adcs >> t & 1) {
            ch[0].Z = (ch[0].Z + k->increments % 4) % 8192;
            ch[0].Y = (ch[0].Y + k->increments / 4 % 4) % 8192;
            ch[1].Z = (ch[1].Z + k->increments / 16 % 4) % 8192;
            ch[1].Y = (ch[1].Y + k->increments / 64 % 4) % 8192;
        }
    }
    if (k->multi && k->use_counter) {
        s->unpack_context[k->thread][k->unpacker] = (which_context(k) + 1) % 8;
    }
}

static void give_bank(TensixState *s, const UnpackCase *k)
{
    uint32_t u = k->unpacker, bank = s->unpack_bank[u];

    if (k->flip) {
        s->src_client[u][bank] = TENSIX_CLIENT_MATRIX_UNIT;
        s->src_format[u][bank] = k->out;
        s->unpack_bank[u] = !bank;
        s->src_row[u][k->thread] = k->set_base * 16;
    } else if (k->row_update) {
        s->src_row[u][k->thread] = (k->src_row + 16 + k->set_base * 16) % 64;
    }
}

bool oracle_unpack(TensixState *s, const uint8_t *l1, const UnpackCase *k)
{
    static List list;
    uint32_t adc_thread = k->multi && k->context_adc ? k->context_adc : k->thread;
    const TensixAdc *xy = &s->adc[adc_thread][k->unpacker];
    const TensixAdcChannel *zw = &s->adc[k->thread][k->unpacker].channel[0];
    uint32_t plane = zw->W % 256 * at_least_one(k->z_dim) + zw->Z % 256;
    uint32_t row = plane * k->y_dim + xy->channel[0].Y % 256;
    Tile t = tile_of(k);

    list.count = 0;
    if (k->compressed) {
        read_compressed(&list, l1, k, &t, row, xy);
    } else {
        read_plain(&list, l1, k, &t, row, xy);
    }
    if (!place_list(s, k, &list)) {
        return false;
    }
    count_up(s, k);
    give_bank(s, k);
    return true;
}
