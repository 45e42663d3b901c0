/*
 * Matrix Unit, one datum after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "matrix-oracle-internal.h"

/* The configuration word that moves rows, and its bits. */
enum { DEST_ACCESS = 220, SWIZZLE_32B = 1, REMAP_ADDRS = 2 };

Kind oracle_kind_of(unsigned format)
{
    switch (format) {
    case 4:
        return KIND_TF32;
    case 1: case 2: case 3: case 10: case 11: case 12: case 13: case 14:
        return KIND_FP16;
    default:
        return KIND_BF16;
    }
}

static Context open_context(TensixState *s, unsigned thread, uint32_t word)
{
    const uint16_t *tc = s->thread_cfg[thread];
    const uint32_t *cfg = s->cfg[tc[0] & 1];
    Context c = { s, thread, word, s->matrix_bank[0], s->matrix_bank[1] };

    c.format_a = bits(cfg[0], 4, 1) ? bits(cfg[0], 0, 4) : bits(cfg[1], 17, 4);
    c.format_a = tc[2] & 1 ? c.format_a : s->src_format[0][c.bank_a];
    c.phase = (s->rwc[thread].FidelityPhase + (tc[11] & 3)) & 3;
    c.keep_b = bits(cfg[2], 0, 1);
    c.kind = oracle_kind_of(c.format_a);
    c.wide = bits(cfg[1], 29, 1);
    if (bits(cfg[1], 31, 1)) {
        c.kind = KIND_INT8;
        c.wide = true;
    }
    if (tc[55] & 1) {
        c.kind = KIND_FP16;
        c.wide = false;
    }
    return c;
}

uint32_t oracle_dst_first(const Context *c, unsigned count)
{
    uint32_t row = bits(c->word, 0, 10) +
                   c->s->thread_cfg[c->thread][1] % 4096 +
                   c->s->rwc[c->thread].Dst +
                   (c->s->cfg[c->s->thread_cfg[c->thread][0] & 1][6] & 0xffff);

    return row % 1024 / count * count;
}

/* --- rows of Dst --- */

/* Where remap_addrs puts each group of eight rows out of 64. */
static unsigned remapped(unsigned row)
{
    static const unsigned eights[] = { 0, 4, 1, 5, 2, 6, 3, 7 };

    return row / 64 * 64 + eights[row / 8 % 8] * 8 + row % 8;
}

/* Where swizzle_32b puts each group of four rows out of 32. */
static unsigned swizzled(unsigned row)
{
    static const unsigned fours[] = { 0, 2, 1, 3, 6, 4, 7, 5 };

    return row / 32 * 32 + fours[row / 4 % 8] * 4 + row % 4;
}

/* Adj16 and Adj32 of BH Dst.md; Dst16b may be the high halves of Dst32b. */
static unsigned place(const Context *c, unsigned row, bool wide)
{
    const TensixState *s = c->s;
    uint32_t access = s->cfg[s->thread_cfg[c->thread][0] & 1][DEST_ACCESS];

    row = access & REMAP_ADDRS ? remapped(row) : row;
    if (!wide && !s->dst16b_is_high_half) {
        return row;
    }
    row = access & SWIZZLE_32B ? swizzled(row) : row;
    return (row % 512 / 8 * 16) | (row & 0x207);
}

uint32_t oracle_dst_read(const Context *c, unsigned row, unsigned j, bool wide,
                         uint32_t undefined)
{
    unsigned at = place(c, row, wide);

    if (!c->s->dst_row_valid[at]) {
        return wide ? undefined : undefined & 0xffff;
    }
    return wide ? (uint32_t)c->s->dst[at][j] << 16 | c->s->dst[at + 8][j]
        : c->s->dst[at][j];
}

void oracle_dst_write(const Context *c, unsigned row, unsigned j, bool wide,
                      uint32_t x)
{
    unsigned at = place(c, row, wide);

    if (wide) {
        c->s->dst[at][j] = x >> 16;
        c->s->dst[at + 8][j] = x;
    } else {
        c->s->dst[at][j] = x;
    }
}

/* Written rows are valid once all their columns have been read. */
void oracle_dst_validate(const Context *c, unsigned row, bool wide)
{
    c->s->dst_row_valid[place(c, row, wide)] = 1;
}

/* --- numbers: value * 2^exponent, exponents biased as in Dst --- */

typedef struct Number {
    bool negative;
    int exponent;
    int64_t mantissa;
} Number;

/* m / 2^d, ties up. */
static int64_t round_up(int64_t m, int d)
{
    if (d <= 0) {
        return m;
    }
    return d > 60 ? 0 : (m + (1ll << (d - 1))) >> d;
}

/* A group's sum: in units of 2^exponent. */
typedef struct Sum {
    int64_t value;
    int exponent;
} Sum;

/* Position of the highest one of x > 0. */
static int height(int64_t x)
{
    return 63 - __builtin_clzll(x);
}

/*
 * Dst and sums to a new number, docs/numerics.rst, "Accumulation": 24 bits, or
 * in 16-bit Dst 8 or 11 bits on top of 13 zeroes.
 */
static Number accumulate(Number dst, const Sum *sums, unsigned count, bool wide,
                         Kind kind)
{
    int keep = kind == KIND_FP16 ? 11 : 8;
    int top = dst.mantissa ? dst.exponent : 0;
    int64_t total;
    Number r = { false, 0, 0 };

    for (unsigned k = 0; k < count; k++) {
        top = sums[k].exponent > top ? sums[k].exponent : top;
    }
    if (top <= 0) {
        return r;
    }
    total = round_up(dst.mantissa, top - dst.exponent);
    total = wide ? total : round_up(total, 13) * 8192;
    total = dst.negative ? -total : total;
    for (unsigned k = 0; k < count; k++) {
        int64_t x = round_up(sums[k].value * 8192, top - sums[k].exponent);

        total += wide ? x : round_up(x, 13) * 8192;
    }
    if (!total) {
        return r;
    }
    r.negative = total < 0;
    total = r.negative ? -total : total;
    r.exponent = top + height(total) - 23;
    keep = wide ? 24 : keep;
    if (height(total) >= keep) {
        int drop = height(total) + 1 - keep;

        total = round_up(total, drop);
        r.exponent += total >> keep;           /* carry: all zeroes below */
    }
    r.mantissa = total >>
                 (height(total) >= keep ? height(total) + 1 - keep : 0);
    r.mantissa <<= keep - 1 - height(r.mantissa);
    r.mantissa <<= 24 - keep;
    return r.exponent > 0 ? r : (Number) { false, 0, 0 };
}

static Number dst_number(uint32_t x, bool wide, Kind kind)
{
    Number n = { x >> (wide ? 31 : 15) };

    if (wide) {
        n.exponent = bits(x, 16, 8);
        n.mantissa = 0x800000 | bits(x, 24, 7) << 16 | (x & 0xffff);
    } else if (kind == KIND_FP16) {
        n.exponent = bits(x, 0, 5);
        n.mantissa = 0x800000 | bits(x, 5, 10) << 13;
    } else {
        n.exponent = bits(x, 0, 8);
        n.mantissa = 0x800000 | bits(x, 8, 7) << 16;
    }
    n.mantissa = n.exponent ? n.mantissa : 0;
    return n;
}

static uint32_t dst_bits(Number n, bool wide, Kind kind)
{
    uint32_t m = n.mantissa & 0x7fffff;
    uint32_t e = n.exponent;

    if (!wide && kind == KIND_FP16) {
        return (uint32_t)n.negative << 15 |
               (e > 31 ? 0x7fff : (m >> 13) << 5 | e);
    }
    if (n.exponent >= 255) {
        e = 255;
        m = 0;
    }
    if (wide) {
        return (uint32_t)n.negative << 31 | (m >> 16) << 24 | e << 16 |
               (m & 0xffff);
    }
    return (uint32_t)n.negative << 15 | (m >> 16) << 8 | e;
}

/* --- cells --- */

static Number cell_number(uint32_t cell, Kind kind, bool keep_zero)
{
    Number n = { cell >> 18 & 1 };
    uint32_t m = bits(cell, 8, 10);

    n.exponent = bits(cell, 0, kind == KIND_FP16 ? 5 : 8);
    n.mantissa = n.exponent || keep_zero ? 1024 + m : 0;
    return n;
}

static int64_t cell_integer(uint32_t cell, uint32_t mask, bool keep_zero)
{
    int64_t m = bits(cell, 8, 10) & mask;

    if (!bits(cell, 0, 8) && !keep_zero) {
        m = 0;
    }
    return cell >> 18 & 1 ? -m : m;
}

static uint32_t mask_a(const Context *c)
{
    return c->phase & 1 ? 31 : 7 << 5;
}

static uint32_t mask_b(const Context *c)
{
    return c->phase & 2 ? 15 : 63 << 4;
}

static int product_bias(const Context *c)
{
    int bias = c->kind != KIND_FP16 ? -127 : c->wide ? 97 : -15;

    return bias - (c->phase & 1 ? 5 : 0) - (c->phase & 2 ? 7 : 0);
}

/* A product in the phase's bits; exponent unbiased twice, biased once. */
static Number product(const Context *c, uint32_t a, uint32_t b)
{
    Number x = cell_number(a, c->kind, false),
           y = cell_number(b, c->kind, c->keep_b);
    Number p = { x.negative != y.negative,
                 x.exponent + y.exponent + product_bias(c) };

    if (!x.mantissa || !y.mantissa) {
        p.exponent = product_bias(c) > 0 ? product_bias(c) : 0;
        return p;
    }
    x.mantissa = c->phase & 1 ? x.mantissa / 2 % 32 : x.mantissa / 64;
    y.mantissa = c->phase & 2 ? y.mantissa % 16 * 8 : y.mantissa / 16;
    p.mantissa = x.mantissa * y.mantissa;
    return p;
}

static Sum add_terms(const Number *terms, unsigned count)
{
    Sum sum = { 0, terms[0].exponent };

    for (unsigned k = 1; k < count; k++) {
        sum.exponent = terms[k].exponent > sum.exponent ? terms[k].exponent
            : sum.exponent;
    }
    if (sum.exponent <= 0) {
        return (Sum) { 0, 0 };
    }
    for (unsigned k = 0; k < count; k++) {
        int64_t m = round_up(terms[k].mantissa,
                             sum.exponent - terms[k].exponent);

        sum.value += terms[k].negative ? -m : m;
    }
    return sum;
}

static void add_to_dst(const Context *c, unsigned row, unsigned j,
                       const Sum *sums, unsigned count, bool accumulated)
{
    Number dst = { false, 0, 0 };

    if (accumulated) {
        dst = dst_number(oracle_dst_read(c, row, j, c->wide, 0), c->wide, c->kind);
    }
    oracle_dst_write(c, row, j, c->wide,
              dst_bits(accumulate(dst, sums, count, c->wide, c->kind), c->wide,
                       c->kind));
}

static void add_integer(const Context *c, unsigned row, unsigned j, int64_t x,
                        bool accumulated)
{
    uint32_t old = oracle_dst_read(c, row, j, true, 0), sign;
    int64_t value = (int64_t)bits(old, 16, 8) << 23 | bits(old, 24, 7) << 16 |
                    (old & 0xffff);

    x += !accumulated ? 0 : old >> 31 ? -value : value;
    x = x > INT32_MAX ? INT32_MAX : x < -INT32_MAX ? -INT32_MAX : x;
    sign = x < 0;
    x = sign ? -x : x;
    oracle_dst_write(c, row, j, true,
              sign << 31 | bits(x, 16, 7) << 24 | bits(x, 23, 8) << 16 |
                  (x & 0xffff));
}

/* --- multiplication --- */

static void dot(const Context *c, unsigned row, unsigned j, unsigned row_a,
                unsigned row_b)
{
    Number terms[16];
    Sum sums[2];
    int64_t integer = 0;

    for (unsigned k = 0; k < 16; k++) {
        uint32_t a = c->s->src[0][c->bank_a][(row_a + k) % 64][j];
        uint32_t b = c->s->src[1][c->bank_b][row_b][k];

        if (c->kind == KIND_INT8) {
            integer += cell_integer(a, mask_a(c), false) *
                       cell_integer(b, mask_b(c), c->keep_b);
        } else {
            terms[k] = product(c, a, b);
        }
    }
    if (c->kind == KIND_INT8) {
        add_integer(c, row, j, integer, true);
        return;
    }
    sums[0] = add_terms(terms, 8);
    sums[1] = add_terms(terms + 8, 8);
    add_to_dst(c, row, j, sums, 2, true);
}

static void multiply(const Context *c, unsigned count, bool broadcast)
{
    const TensixRwc *rwc = &c->s->rwc[c->thread];
    uint32_t first = broadcast ? oracle_dst_first(c, 1) & (1024 - 7)
                               : oracle_dst_first(c, count);

    for (unsigned k = 0; k < count; k++) {
        for (unsigned j = 0; j < 16; j++) {
            dot(c, first + k * (broadcast ? 2 : 1), j, rwc->SrcA / 8 * 8,
                broadcast ? rwc->SrcB : rwc->SrcB / 8 * 8 + k);
        }
        /* the broadcast marks the neighbours of two rows, and not its second */
        if (broadcast && k >= 2) {
            oracle_dst_validate(c, (first ^ 1) + 2 * k, c->wide);
        }
        if (!broadcast || k != 1) {
            oracle_dst_validate(c, first + k * (broadcast ? 2 : 1), c->wide);
        }
    }
}

/* --- element by element --- */

static Sum elw_sum(const Context *c, uint32_t a, uint32_t b, bool subtract)
{
    Number x = cell_number(a, c->kind, false), y;
    bool rebias = c->wide && c->kind == KIND_FP16;
    int less = (c->phase & 1 ? 5 : 0) + (c->phase & 2 ? 7 : 0);
    Sum sum;

    b ^= subtract ? 1u << 18 : 0;
    /* all zeroes are nothing even where exponent 0 counts */
    y = cell_number(b, c->kind, c->keep_b);
    if (!y.exponent && y.mantissa == 1024 && !y.negative) {
        y.mantissa = 0;
    }
    x.exponent = x.mantissa ? x.exponent : 0;
    y.exponent = y.mantissa ? y.exponent : 0;
    sum.exponent = x.exponent > y.exponent ? x.exponent : y.exponent;
    x.mantissa = round_up(x.mantissa, sum.exponent - x.exponent);
    y.mantissa = round_up(y.mantissa, sum.exponent - y.exponent);
    sum.value = (x.negative ? -x.mantissa : x.mantissa) +
        (y.negative ? -y.mantissa : y.mantissa);
    if (!sum.exponent) {
        sum.exponent = rebias ? 97 : 0;
        sum.value = c->phase && !rebias ? 0 : sum.value;
        return sum;
    }
    sum.exponent += (rebias ? 112 : 0) - less;
    if (sum.exponent <= 0) {
        return (Sum) { 0, rebias ? 97 : 0 };
    }
    return sum;
}

static void elw_cell(const Context *c, unsigned opcode, unsigned row,
                     unsigned j, uint32_t a,
                     uint32_t b)
{
    bool accumulated = opcode == OP_ELWMUL || bits(c->word, 21, 1);
    Number p;
    Sum sum;

    if (c->kind == KIND_INT8) {
        int64_t x = cell_integer(a, opcode == OP_ELWMUL ? mask_a(c) : 1023,
                                 false);
        int64_t y = cell_integer(b, opcode == OP_ELWMUL ? mask_b(c) : 1023,
                                 c->keep_b);

        x = opcode == OP_ELWMUL ? x * y : opcode == OP_ELWSUB ? x - y : x + y;
        add_integer(c, row, j, x, accumulated);
        return;
    }
    if (opcode == OP_ELWMUL) {
        p = product(c, a, b);
        sum = add_terms(&p, 1);
    } else {
        sum = elw_sum(c, a, b, opcode == OP_ELWSUB);
    }
    add_to_dst(c, row, j, &sum, 1, accumulated);
}

static void elementwise(const Context *c, unsigned opcode)
{
    const TensixRwc *rwc = &c->s->rwc[c->thread];
    bool one_row = bits(c->word, 20, 1), column0 = bits(c->word, 19, 1);
    uint32_t first = oracle_dst_first(c, 8);

    for (unsigned k = 0; k < 8; k++) {
        unsigned row_b = one_row ? rwc->SrcB : rwc->SrcB / 8 * 8 + k;

        for (unsigned j = 0; j < 16; j++) {
            elw_cell(c, opcode, first + k, j,
                     c->s->src[0][c->bank_a][rwc->SrcA / 8 * 8 + k][j],
                     c->s->src[1][c->bank_b][row_b][column0 ? 0 : j]);
        }
        oracle_dst_validate(c, first + k, c->wide);
    }
}

/* --- maximum (WH GMPOOL.md) --- */

typedef struct Datum {
    int sign;                      /* 1 or -1 */
    int exponent, mantissa;
} Datum;

static int order(Datum d)
{
    return d.sign * (d.exponent * 1024 + d.mantissa);
}

static Datum pool_read(uint32_t x, Kind style)
{
    Datum d = { x >> 31 ? -1 : 1 };

    switch (style) {
    case KIND_INT8:
        d.mantissa = bits(x, 0, 10);
        d.exponent = bits(x, 10, 6) | bits(x, 24, 3) << 6;
        break;
    case KIND_FP16:
        d.exponent = bits(x, 16, 5) + 15;
        d.mantissa = bits(x, 21, 10);
        break;
    default:
        d.exponent = bits(x, 16, 8) + 127;
        d.mantissa = bits(x, 24, 7) * 8 +
                     (style == KIND_TF32 ? bits(x, 13, 3) : 0);
        break;
    }
    return d;
}

static uint32_t pool_write(Datum d, Kind style)
{
    uint32_t sign = d.sign < 0 ? 0x80000000u : 0;

    switch (style) {
    case KIND_INT8:
        return sign + d.exponent % 8 * 1024 + d.mantissa;
    case KIND_FP16:
        return d.exponent % 64 ? sign + ((uint32_t)d.mantissa << 21) +
                                 bits(d.exponent - 15, 0, 5) * 65536 : 0;
    default:
        return d.exponent ? sign + ((uint32_t)(d.mantissa / 8) << 24) +
                                bits(d.exponent - 127, 0, 8) * 65536 +
                                (style == KIND_TF32 ? d.mantissa % 8 * 8192 : 0)
                          : 0;
    }
}

static Datum pool_cell(const Context *c, uint32_t a, uint32_t b)
{
    Datum d = { 1, 0, 0 };

    if (!bits(b, 0, 8)) {
        return (Datum) { -1, 511, 1023 };
    }
    if (!bits(a, 0, 8)) {
        return d;
    }
    d.sign = bits(a, 18, 1) ? -1 : 1;
    d.mantissa = bits(a, 8, 10);
    if (c->kind == KIND_FP16) {
        d.exponent = a % 32 + b % 32;
    } else if (c->kind != KIND_INT8) {
        d.exponent = a % 256 + b % 256;
    }
    return d;
}

/* Datum style of Dst; KIND_INT8 means integer "32". */
static Kind pool_kind(const Context *c, bool index)
{
    if (c->kind == KIND_INT8) {
        return KIND_INT8;
    }
    if (c->kind == KIND_TF32) {
        return index ? KIND_INT8 : c->wide ? KIND_TF32 : KIND_BF16;
    }
    return c->wide && !index ? KIND_TF32 : c->kind;
}

static uint32_t pool_column(const Context *c, unsigned j, uint32_t old,
                            bool index)
{
    static const unsigned codes[8] = { 0, 3, 6, 1, 4, 7, 2, 5 };
    static const unsigned visits[16] = {
        4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15
    };
    const TensixRwc *rwc = &c->s->rwc[c->thread];
    Kind style = pool_kind(c, index);
    Datum max = pool_read(old, style);
    uint32_t high = (old + 256) & 0xf00, low = old & 0xff;

    for (unsigned n = 0; n < 16; n++) {
        unsigned k = visits[n];
        Datum d = pool_cell(c,
                            c->s->src[0][c->bank_a][rwc->SrcA / 16 * 16 + k][j],
                            c->s->src[1][c->bank_b][rwc->SrcB / 8 * 8][k]);

        if (order(d) >= order(max)) {
            max = d;
            low = k < 8 ? (high / 16 + codes[k]) & 0xff : low;
        }
    }
    if (!index) {
        return pool_write(max, style);
    }
    return (style == KIND_INT8 ? 0 : pool_write(max, style)) | high | low;
}

static void max_pool(const Context *c)
{
    bool index = bits(c->word, 14, 1);
    uint32_t first = oracle_dst_first(c, 4);
    uint32_t result[4][16];

    for (unsigned j = 0; j < 16; j++) {
        uint32_t old = oracle_dst_read(c, first, j, c->wide, UINT32_MAX);

        result[0][j] = pool_column(c, j, c->wide ? old : old << 16, index);
        for (unsigned k = 1; k < 4; k++) {
            old = oracle_dst_read(c, first + k, j, c->wide, UINT32_MAX);
            result[k][j] = index && c->wide ? (old + 256) & 0xf00 : 0;
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned j = 0; j < 16; j++) {
            oracle_dst_write(c, first + k, j, c->wide,
                      c->wide ? result[k][j] : result[k][j] >> 16);
        }
        oracle_dst_validate(c, first + k, c->wide);
    }
}

bool matrix_oracle(TensixState *s, unsigned thread, uint32_t word)
{
    Context c = open_context(s, thread, word);
    unsigned opcode = word >> 24;

    switch (opcode) {
    case OP_MVMUL:
        multiply(&c, bits(word, 19, 1) ? 4 : 8, bits(word, 19, 1));
        return true;
    case OP_DOTPV:
        multiply(&c, 8, false);
        return true;
    case OP_GAPOOL:
        multiply(&c, 4, false);
        return true;
    case OP_GMPOOL:
        max_pool(&c);
        return true;
    case OP_ELWADD:
    case OP_ELWSUB:
    case OP_ELWMUL:
        elementwise(&c, opcode);
        return true;
    default:
        return oracle_move(&c, opcode);
    }
}
