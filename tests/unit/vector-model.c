/*
 * The Vector Unit one lane after the other, as the pages define it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include <string.h>

#include "../bench/bench-reference.h"
#include "vector-model.h"
#include "decode/tensix_fields.h"

#define SIGN 0x80000000u
#define ONE 0x3f800000u

/* One lane of one instruction; old is the state before it. */
typedef struct Lane {
    TensixVectorUnit *vu;
    const TensixVectorUnit *old;
    uint32_t word;
    unsigned op, mod, vd, vc, vb, va, imm12, imm16;
    unsigned n;                    /* the lane */
    bool enabled;
} Lane;

static uint32_t reg(const Lane *l, unsigned n)
{
    return l->old->lreg[n][l->n];
}

static void put(const Lane *l, unsigned n, uint32_t value)
{
    if (l->enabled && n < 8) {
        l->vu->lreg[n][l->n] = value;
    }
}

static bool bit(uint32_t x, unsigned n)
{
    return x >> n & 1;
}

static bool flag(const Lane *l)
{
    return bit(l->old->lane_flags, l->n);
}

static bool use_flag(const Lane *l)
{
    return bit(l->old->use_lane_flags, l->n);
}

static void set(uint32_t *bits, unsigned n, bool value)
{
    *bits = (*bits & ~(1u << n)) | (uint32_t)value << n;
}

static void set_flag(const Lane *l, bool value)
{
    set(&l->vu->lane_flags, l->n, value);
}

/* Some instructions set flags only with an ordinary VD, and then invert. */
static void integer_flags(const Lane *l, bool compare, bool value, bool invert)
{
    bool result = compare ? value : flag(l);

    if (l->enabled && l->vd < 8) {
        set_flag(l, invert ? !result : result);
    }
}

static uint32_t draw(const Lane *l)
{
    uint32_t state = l->old->prng[l->n];
    unsigned ones = bit(state, 0) + bit(state, 1) + bit(state, 21) + bit(state, 31);

    if (l->enabled) {
        l->vu->prng[l->n] = state / 2 | (ones % 2 ? 0 : SIGN);
    }
    return state;
}

/* --- fields of numbers --- */

static uint32_t join(unsigned sign, unsigned exponent, unsigned mantissa)
{
    return (uint32_t)sign << 31 | (exponent & 255) << 23 | (mantissa & 0x7fffff);
}

static void fields(const Lane *l)
{
    uint32_t c = reg(l, l->vc), b = reg(l, l->vb);
    unsigned sign = c >> 31, exponent = c >> 23 & 255, mantissa = c & 0x7fffff;

    switch (l->op) {
    case TENSIX_OP_SFPDIVP2:
        if (!bit(l->mod, 0)) {
            exponent = l->imm12;
        } else if (exponent != 255) {
            exponent += l->imm12;
        }
        break;
    case TENSIX_OP_SFPSETEXP:
        exponent = bit(l->mod, 0) ? l->imm12 : bit(l->mod, 1) ? b >> 23 : b;
        break;
    case TENSIX_OP_SFPSETMAN:
        mantissa = bit(l->mod, 0) ? l->imm12 * 2048 : b;
        break;
    case TENSIX_OP_SFPSETSGN:
        sign = bit(l->mod, 0) ? l->imm12 & 1 : b >> 31;
        break;
    default:                       /* SFPEXMAN */
        sign = 0;
        exponent = bit(l->mod, 0) ? 0 : 1;
        break;
    }
    put(l, l->vd, join(sign, exponent, mantissa));
}

static void exexp(const Lane *l)
{
    int32_t e = (int32_t)(reg(l, l->vc) >> 23 & 255) - (bit(l->mod, 0) ? 0 : 127);

    put(l, l->vd, e);
    integer_flags(l, bit(l->mod, 1), e < 0, bit(l->mod, 3));
}

static void absolute(const Lane *l)
{
    uint32_t x = reg(l, l->vc);
    bool nan = (x & 0x7fffffff) > 0x7f800000;

    if (bit(x, 31)) {
        x = !bit(l->mod, 0) ? 0 - x : nan ? x : x - SIGN;
    }
    put(l, l->vd, x);
}

/* --- integers --- */

static int32_t signed12(unsigned imm)
{
    return imm >= 2048 ? (int32_t)imm - 4096 : (int32_t)imm;
}

static void logic(const Lane *l)
{
    uint32_t c = reg(l, l->vc), d = reg(l, l->vd);
    uint32_t b = bit(l->mod, 0) ? reg(l, l->va) : d;

    switch (l->op) {
    case TENSIX_OP_SFPAND:
        put(l, l->vd, b & c);
        break;
    case TENSIX_OP_SFPOR:
        put(l, l->vd, b | c);
        break;
    case TENSIX_OP_SFPXOR:
        put(l, l->vd, d ^ c);
        break;
    default:
        put(l, l->vd, ~c);
        break;
    }
}

static void leading_zeroes(const Lane *l)
{
    uint32_t c = reg(l, l->vc) & (bit(l->mod, 2) ? 0x7fffffff : 0xffffffff);
    unsigned count = 0;

    while (count < 32 && !bit(c, 31 - count)) {
        count++;
    }
    put(l, l->vd, count);
    integer_flags(l, bit(l->mod, 1), c != 0, bit(l->mod, 3));
}

static void add_integer(const Lane *l)
{
    uint32_t c = reg(l, l->vc), d = reg(l, l->vd), sum;

    if (bit(l->mod, 0)) {
        sum = c + (uint32_t)signed12(l->imm12);
    } else {
        sum = bit(l->mod, 1) ? c - d : c + d;
    }
    put(l, l->vd, sum);
    integer_flags(l, !bit(l->mod, 2), (int32_t)sum < 0, bit(l->mod, 3));
}

static uint32_t shifted(uint32_t x, int32_t by, bool arithmetic)
{
    uint32_t n = (by >= 0 ? (uint32_t)by : 0 - (uint32_t)by) % 32;

    if (by >= 0) {
        return x << n;
    }
    return arithmetic && bit(x, 31) ? ~(~x >> n) : x >> n;
}

static void shift(const Lane *l)
{
    bool imm = bit(l->mod, 0);
    uint32_t x = reg(l, imm && bit(l->mod, 2) ? l->vc : l->vd);

    put(l, l->vd, shifted(x, imm ? signed12(l->imm12) : (int32_t)reg(l, l->vc),
                          bit(l->mod, 1)));
}

static void move(const Lane *l)
{
    const TensixLoadMacro *m = &l->old->load_macro;
    Lane always = *l;
    uint32_t x = 0;

    always.enabled |= l->mod == 2;
    if (!bit(l->mod, 3)) {
        x = reg(l, l->vc) ^ (bit(l->mod, 0) ? SIGN : 0);
    } else if (l->vc < 4) {
        x = m->instruction_template[l->vc][l->n];
    } else if (l->vc < 8) {
        x = m->sequence[l->vc - 4][l->n];
    } else if (l->vc == 8) {
        x = m->misc[l->n];
    } else if (l->vc == 9) {
        x = draw(l);
    } else if (l->vc == 15) {
        x = l->old->lane_config[l->n];
    }
    put(&always, l->vd, x);
}

/* --- floating point --- */

static void put_mad(const Lane *l, uint32_t value)
{
    put(l, bit(l->mod, 3) ? reg(l, 7) & 15 : l->vd, value);
}

static void multiply_add(const Lane *l)
{
    uint32_t a = reg(l, bit(l->mod, 2) ? reg(l, 7) & 15 : l->va);
    uint32_t b = reg(l, l->vb) ^ (bit(l->mod, 0) ? SIGN : 0);
    uint32_t c = reg(l, l->vc) ^ (bit(l->mod, 1) ? SIGN : 0);

    put_mad(l, bench_ref_fma(a, b, c));
}

static void immediate_mad(const Lane *l)
{
    uint32_t c = reg(l, l->vd) ^ (bit(l->mod, 1) ? SIGN : 0);
    uint32_t imm = (uint32_t)l->imm16 << 16;

    put_mad(l, l->op == TENSIX_OP_SFPADDI ? bench_ref_fma(imm, ONE, c)
                                          : bench_ref_fma(imm, c, 0));
}

static uint32_t shift_add24(uint32_t p, uint32_t z)
{
    int exponent = z >> 23 & 255, top = exponent > 129 ? exponent : 129;
    uint32_t grs = (0x800000 + (z & 0x7fffff)) * 8, by = (top - exponent) % 32, m;

    if (exponent == 0) {
        return p;
    }
    p >>= (top - 129) % 32;
    m = grs >> by;
    if (m) {
        p = (p + m + (((m << by) ^ grs) > 65535 ? 65536 : 0)) % 0x800000;
    }
    return p;
}

static void multiply24(const Lane *l)
{
    uint64_t a = reg(l, bit(l->mod, 2) ? reg(l, 7) & 15 : l->va), b = reg(l, l->vb);
    uint64_t low = a * b % 0x800000;
    uint64_t high = a % 0x800000 * (b % 0x800000) / 0x800000;

    put_mad(l, shift_add24(bit(l->mod, 0) ? high : low, reg(l, l->vc)));
}

/* --- tables --- */

static float as_float(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint32_t as_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static uint32_t lut8(unsigned x)
{
    x &= 255;
    return x == 255 ? 0 : join(x >> 7, 127 - (x >> 4 & 7), (x & 15) << 19);
}

static uint32_t lut16(unsigned x)
{
    unsigned exponent = x >> 10 & 31;

    return join(x >> 15 & 1, exponent == 31 ? 0 : 112 + exponent, (x & 0x3ff) << 13);
}

static void finish_lut(const Lane *l, uint32_t a, uint32_t c)
{
    uint32_t input = reg(l, 3), d = bench_ref_fma(a, input & ~SIGN, c);

    put_mad(l, bit(l->mod, 2) ? (d & ~SIGN) | (input & SIGN) : d);
}

static void lut(const Lane *l)
{
    float b = as_float(reg(l, 3) & ~SIGN);
    uint32_t coefficients = reg(l, b < 1.0f ? 0 : b < 2.0f ? 1 : 2);

    finish_lut(l, lut8(coefficients >> 8), lut8(coefficients));
}

static void lut_fp32(const Lane *l)
{
    static const float cuts[] = { 0.5f, 1.0f, 1.5f, 2.0f };
    float b = as_float(reg(l, 3) & ~SIGN), last = (l->mod & 3) == 3 ? 4.0f : 3.0f;
    unsigned i = b < 1.0f ? 0 : b < 2.0f ? 1 : 2, piece = 0;

    if (!bit(l->mod, 1)) {
        finish_lut(l, reg(l, i), reg(l, 4 + i));
        return;
    }
    if (bit(l->mod, 3)) {
        finish_lut(l, lut16(reg(l, i) >> 16), lut16(reg(l, i)));
        return;
    }
    while (piece < 4 && !(b < cuts[piece])) {
        piece++;
    }
    piece += piece == 4 && !(b < last);
    finish_lut(l, lut16(reg(l, piece / 2) >> 16 * (piece % 2)),
               lut16(reg(l, 4 + piece / 2) >> 16 * (piece % 2)));
}

/* --- rounding --- */

static void cast(const Lane *l)
{
    uint32_t c = reg(l, l->vc), magnitude = c & ~SIGN, random, norm, d;
    int zeroes = 0;

    if (l->mod & 2) {
        if (bit(c, 31)) {
            c = (0 - c) | (bit(l->mod, 0) ? SIGN : 0);
        }
        put(l, l->vd, c);
        return;
    }
    random = bit(l->mod, 0) ? draw(l) >> 9 : 0;
    while (magnitude && !bit(magnitude << zeroes, 31)) {
        zeroes++;
    }
    norm = magnitude << zeroes;
    d = magnitude ? ((uint32_t)(157 - zeroes) << 23) + norm / 256 : 0;
    if (bit(l->mod, 0)) {
        d += (norm & 254) > (random & 254);
    } else {
        d += norm % 256 > 128 || (norm % 256 == 128 && bit(norm, 8));
    }
    put(l, l->vd, (c & SIGN) + d);
}

static uint32_t round_float(uint32_t x, unsigned dropped, uint32_t threshold)
{
    unsigned exponent = x >> 23 & 255;
    uint32_t rest = x % (1u << dropped);

    if (exponent == 0) {
        return 0;
    }
    if (exponent == 255) {
        return x & 0xff800000;
    }
    return x - rest + (rest >= threshold >> (23 - dropped) ? 1u << dropped : 0);
}

/* An integer from `scaled` / 2^23, in sign and magnitude. */
static uint32_t round_integer(uint64_t scaled, uint32_t threshold, uint64_t max,
                              bool negative)
{
    uint64_t m = scaled / 0x800000 + (scaled % 0x800000 >= threshold);

    m = m > max ? max : m;
    return m && negative ? SIGN | (uint32_t)m : (uint32_t)m;
}

static uint32_t float_to_integer(uint32_t c, uint32_t threshold, uint32_t max,
                                 bool keep_sign)
{
    int exponent = (int)(c >> 23 & 255) - 127;
    uint64_t m = 0x800000 + (c & 0x7fffff);
    bool negative = keep_sign && bit(c, 31);

    if (exponent < -1) {
        return 0;
    }
    if (exponent >= 16) {
        return negative ? SIGN | max : max;
    }
    return round_integer(exponent < 0 ? m / 2 : m << exponent, threshold, max, negative);
}

static void stochastic_round(const Lane *l)
{
    static const uint32_t max[8] = { 0, 0, 255, 127, 255, 127, 65535, 32767 };
    unsigned flavour = l->mod & 7, mode = l->word >> 21 & 3;
    uint32_t c = reg(l, l->vc), threshold = draw(l) & 0x7fffff, by, r;

    threshold = mode == 0 ? 0x400000 : mode == 2 ? 0x7fffff : threshold;
    if (flavour < 2) {
        r = round_float(c, flavour ? 16 : 13, threshold);
    } else if (flavour == 4 || flavour == 5) {
        by = bit(l->mod, 3) ? l->word >> 16 & 31 : reg(l, l->vb) & 31;
        r = round_integer((uint64_t)(c & ~SIGN) << 23 >> by, threshold, max[flavour],
                          flavour == 5 && bit(c, 31));
    } else {
        r = float_to_integer(c, threshold, max[flavour], flavour & 1);
    }
    put(l, l->vd, r);
}

/* --- comparisons --- */

static bool sm_smaller(uint32_t c, uint32_t d)
{
    if (bit(c, 31) != bit(d, 31)) {
        return bit(c, 31);
    }
    return bit(c, 31) ? c > d : c < d;
}

static void set_cc(const Lane *l)
{
    int32_t c = (int32_t)reg(l, l->vc);
    bool results[4] = { c < 0, c != 0, c >= 0, c == 0 };
    bool value = bit(l->mod, 0) ? l->imm12 & 1 : results[l->mod >> 1 & 3];

    if (l->enabled) {
        set_flag(l, use_flag(l) && !bit(l->mod, 3) && value);
    }
}

static void compare(const Lane *l)
{
    bool r = sm_smaller(reg(l, l->vc), reg(l, l->vd)) ^ (l->op == TENSIX_OP_SFPLE);
    unsigned depth = l->vu->flag_stack_depth;
    TensixFlagStackEntry *top = depth ? &l->vu->flag_stack[depth - 1] : NULL;

    if (bit(l->mod, 3)) {
        put(l, l->vd, r ? 0xffffffff : 0);
    }
    if (bit(l->mod, 0) && l->enabled) {
        set_flag(l, r);
    }
    if (bit(l->mod, 1) && top) {
        bool was = bit(top->lane_flags, l->n);

        set(&top->lane_flags, l->n, bit(l->mod, 2) ? was || r : was && r);
    }
}

static bool swaps(const Lane *l)
{
    /* rows whose VD becomes the minimum, a bit a row of eight lanes */
    static const uint8_t min_rows[16] = { 0, 15, 3, 5, 9, 1, 2, 4, 8 };
    uint32_t c = reg(l, l->vc), d = reg(l, l->vd);
    bool ordered = c == d ? c >> 31 : sm_smaller(c, d);
    bool swap = bit(min_rows[l->mod], l->n / 8) ? ordered : !ordered;

    return l->mod == 0 || swap != bit(l->old->lane_config[l->n], 8);
}

static void swap(const Lane *l)
{
    bool index = bit(l->old->lane_config[l->n], 2);
    unsigned limit = index ? 4 : 8, c = 4 + l->vc % 4, d = 4 + l->vd % 4;

    if (!swaps(l)) {
        return;
    }
    if (l->vc < limit) {
        put(l, l->vc, reg(l, l->vd));
    }
    if (l->vd < limit) {
        put(l, l->vd, reg(l, l->vc));
    }
    if (index) {
        put(l, c, reg(l, d));
        put(l, d, reg(l, c));
    }
}

/* --- stack of flags --- */

static bool boolean_op(unsigned mod, bool a, bool b)
{
    /* bit 2a + b of the operation's truth table */
    static const uint8_t truth[13] = { 0, 0xa, 0x5, 0x8, 0xe, 0x4, 0xd, 0x2, 0xb, 0x1,
                                       0x7, 0x6, 0x9 };

    return bit(truth[mod], 2 * a + b);
}

static void push_lane(const Lane *l)
{
    unsigned depth = l->old->flag_stack_depth;
    TensixFlagStackEntry *top = &l->vu->flag_stack[l->mod ? depth - 1 : depth];
    bool was = bit(top->lane_flags, l->n), now = flag(l), use = use_flag(l);

    if (l->mod == 13) {
        now = !now;
        set_flag(l, now);
    } else if (l->mod >= 14) {
        now = l->mod == 14;
        use = true;
    } else if (l->mod) {
        now = boolean_op(l->mod, was, now);
    }
    set(&top->lane_flags, l->n, now);
    set(&top->use_lane_flags, l->n, use);
    l->vu->flag_stack_depth = depth + !l->mod;
}

static void pop_lane(const Lane *l)
{
    unsigned depth = l->old->flag_stack_depth;
    TensixFlagStackEntry top = depth ? l->old->flag_stack[depth - 1]
                                     : (TensixFlagStackEntry) { 0, 0 };
    bool now = bit(top.lane_flags, l->n), use = bit(top.use_lane_flags, l->n);

    if (l->mod == 13) {
        now = !flag(l);
        use = use_flag(l);
    } else if (l->mod >= 14) {
        now = l->mod == 14;
        use = true;
    } else if (l->mod) {
        now = boolean_op(l->mod, flag(l), now);
    }
    set_flag(l, now);
    set(&l->vu->use_lane_flags, l->n, use);
    l->vu->flag_stack_depth = depth - (l->mod == 0 && depth);
}

static void complement_lane(const Lane *l)
{
    unsigned depth = l->old->flag_stack_depth;
    TensixFlagStackEntry top = depth ? l->old->flag_stack[depth - 1]
                                     : (TensixFlagStackEntry) { ~0u, ~0u };

    set_flag(l, bit(top.use_lane_flags, l->n) && use_flag(l) &&
             bit(top.lane_flags, l->n) && !flag(l));
}

static void enable_lane(const Lane *l)
{
    if (bit(l->mod, 1)) {
        set(&l->vu->use_lane_flags, l->n, l->imm12 & 1);
    } else if (bit(l->mod, 0)) {
        set(&l->vu->use_lane_flags, l->n, !use_flag(l));
    }
    set_flag(l, bit(l->mod, 3) ? bit(l->imm12, 1) : true);
}

/* --- across lanes --- */

static uint32_t rotated(const Lane *l, bool wrap)
{
    unsigned k = l->n % 8;

    return k ? l->old->lreg[l->vc][l->n - 1] : wrap ? l->old->lreg[l->vc][l->n + 7] : 0;
}

static void shift2(const Lane *l)
{
    if (l->mod < 3) {
        for (unsigned k = 0; k < 3; k++) {
            put(l, k, reg(l, k + 1));
        }
        put(l, 3, l->mod == 0 ? 0 : l->mod == 2 ? rotated(l, true)
            : l->n < 24 ? l->old->lreg[0][l->n + 8] : 0);
    } else if (l->mod < 5) {
        put(l, l->vd, rotated(l, l->mod == 3));
    } else {
        put(l, l->vd, shifted(reg(l, l->vb), l->mod == 5 ? (int32_t)reg(l, l->vc)
                                                         : signed12(l->imm12), false));
    }
}

static void transpose(const Lane *l)
{
    for (unsigned k = 0; k < 8; k++) {
        put(l, k, l->old->lreg[k / 4 * 4 + l->n / 8][k % 4 * 8 + l->n % 8]);
    }
}

/*
 * --- approximations: what the page's tables turn out to be ---
 *
 * Reciprocal: 1 / m to nearest at the middle of each 128th of 1 <= m < 2.
 * Exponential: e^x at the lower end of the 65536 numbers that share their upper
 * halves, its lower half cut off and that of x put there.
 */

uint32_t vector_model_reciprocal(uint32_t x)
{
    unsigned exponent = x >> 23;
    double middle = 1 + ((x >> 16 & 127) + 0.5) / 128;

    if (exponent == 0) {
        return 0x7f800000;
    }
    return exponent >= 253
           ? 0 : join(0, 253 - exponent, (uint32_t)(lround(256 / middle) - 128) << 16);
}

uint32_t vector_model_exponential(uint32_t x)
{
    float f = as_float(x);
    uint32_t low = x & 0xffff;

    if (x >> 23 == 0) {
        return ONE;
    }
    if (f < 0.015625f) {
        return 0x3f810000 + low;
    }
    if (!(f < 2.0f)) {
        return 0x40800000 + low;
    }
    return (as_bits((float)exp(as_float(x - low))) & ~0xffffu) | low;
}

static void approximate(const Lane *l)
{
    uint32_t x = reg(l, l->vc), magnitude = x & ~SIGN;

    if (l->mod == 1) {
        put(l, l->vd, bit(reg(l, l->vb), 31) ? vector_model_reciprocal(magnitude) : x);
    } else {
        put(l, l->vd, (x & SIGN) + (l->mod ? vector_model_exponential(magnitude)
                                           : vector_model_reciprocal(magnitude)));
    }
}

/* --- dispatch --- */

static void (*const lane_of[256])(const Lane *l) = {
    [TENSIX_OP_SFPDIVP2] = fields, [TENSIX_OP_SFPSETEXP] = fields,
    [TENSIX_OP_SFPSETMAN] = fields, [TENSIX_OP_SFPSETSGN] = fields,
    [TENSIX_OP_SFPEXMAN] = fields, [TENSIX_OP_SFPEXEXP] = exexp,
    [TENSIX_OP_SFPABS] = absolute, [TENSIX_OP_SFPAND] = logic, [TENSIX_OP_SFPOR] = logic,
    [TENSIX_OP_SFPXOR] = logic, [TENSIX_OP_SFPNOT] = logic,
    [TENSIX_OP_SFPLZ] = leading_zeroes, [TENSIX_OP_SFPIADD] = add_integer,
    [TENSIX_OP_SFPSHFT] = shift, [TENSIX_OP_SFPMOV] = move,
    [TENSIX_OP_SFPMAD] = multiply_add, [TENSIX_OP_SFPADD] = multiply_add,
    [TENSIX_OP_SFPMUL] = multiply_add, [TENSIX_OP_SFPADDI] = immediate_mad,
    [TENSIX_OP_SFPMULI] = immediate_mad, [TENSIX_OP_SFPMUL24] = multiply24,
    [TENSIX_OP_SFPLUT] = lut, [TENSIX_OP_SFPLUTFP32] = lut_fp32,
    [TENSIX_OP_SFPCAST] = cast,
    [TENSIX_OP_SFP_STOCH_RND] = stochastic_round, [TENSIX_OP_SFPSETCC] = set_cc,
    [TENSIX_OP_SFPGT] = compare, [TENSIX_OP_SFPLE] = compare, [TENSIX_OP_SFPSWAP] = swap,
    [TENSIX_OP_SFPPUSHC] = push_lane, [TENSIX_OP_SFPPOPC] = pop_lane,
    [TENSIX_OP_SFPCOMPC] = complement_lane, [TENSIX_OP_SFPENCC] = enable_lane,
    [TENSIX_OP_SFPSHFT2] = shift2, [TENSIX_OP_SFPTRANSP] = transpose,
    [TENSIX_OP_SFPARECIP] = approximate,
};

/* Fields as most instructions have them; VB of SFPAND and SFPOR is in va. */
static Lane decode(TensixVectorUnit *vu, const TensixVectorUnit *old, uint32_t word)
{
    Lane l = {
        .vu = vu, .old = old, .word = word, .op = word >> 24, .mod = word & 15,
        .vd = word >> 4 & 15, .vc = word >> 8 & 15, .vb = word >> 12 & 15,
        .va = word >> 16 & 15, .imm12 = word >> 12 & 0xfff, .imm16 = word >> 8 & 0xffff,
    };

    switch (l.op) {
    case TENSIX_OP_SFPLUT:
        l.mod = word >> 16 & 15;
        l.vd = word >> 20 & 15;
        break;
    case TENSIX_OP_SFPAND:
    case TENSIX_OP_SFPOR:
        l.va = l.vb;
        break;
    case TENSIX_OP_SFPSETEXP:
    case TENSIX_OP_SFPSETMAN:
    case TENSIX_OP_SFPSETSGN:
        l.vb = l.vd;
        break;
    default:
        break;
    }
    return l;
}

static bool lane_enabled(const TensixVectorUnit *vu, unsigned n)
{
    if (bit(vu->lane_config[n % 8], 12 + n / 8)) {
        return false;
    }
    return bit(vu->use_lane_flags, n) ? bit(vu->lane_flags, n) : true;
}

bool vector_model(TensixVectorUnit *vu, uint32_t word)
{
    TensixVectorUnit old = *vu;
    Lane l = decode(vu, &old, word);

    if (!lane_of[l.op]) {
        return false;
    }
    for (l.n = 0; l.n < TENSIX_LANES; l.n++) {
        l.enabled = lane_enabled(&old, l.n);
        if (l.vd < 12 || bit(old.lane_config[l.n], 1)) {
            lane_of[l.op](&l);
        } else {
            vu->load_macro.instruction_template[l.vd - 12][l.n] = word;
        }
    }
    return true;
}
