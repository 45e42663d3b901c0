/*
 * Benchmark of the core: the plain scalar form of each measured instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "bench-reference.h"

#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define CANONICAL_NAN 0x7fc00000u
#define LREG_ONE 10                /* constant 1.0 */
#define LREG_ZERO 9                /* constant 0.0 */

/* --- one lane of SFPMAD (BH SFPMAD.md, Miscellaneous/FMA) --- */

typedef struct Float {
    uint32_t sign;
    int32_t exponent;              /* biased */
    uint32_t mantissa;             /* 24 bits with the hidden one, 0: zero */
} Float;

static Float unpack(uint32_t bits)
{
    Float f = { bits & SIGN, bits >> 23 & 255, 0 };

    if (f.exponent) {
        f.mantissa = (bits & 0x7fffff) | 0x800000;
    }
    return f;
}

static bool is_nan(const Float *f)
{
    return f->exponent == 255 && f->mantissa != 0x800000;
}

static bool is_inf(const Float *f)
{
    return f->exponent == 255 && f->mantissa == 0x800000;
}

/* Result if an operand is special or the product overflows; else false. */
static bool fma_special(const Float *x, const Float *y, const Float *z,
                        int32_t exponent, uint32_t *out)
{
    uint32_t sign = x->sign ^ y->sign;
    bool product_inf = is_inf(x) || is_inf(y);

    if (is_nan(x) || is_nan(y) || is_nan(z) ||
        (is_inf(x) && !y->mantissa) || (is_inf(y) && !x->mantissa) ||
        (product_inf && is_inf(z) && sign != z->sign)) {
        *out = CANONICAL_NAN;
    } else if (is_inf(z)) {
        *out = z->sign | INFINITE;
    } else if (product_inf || exponent >= 255) {
        *out = sign | INFINITE;
    } else {
        return false;
    }
    return true;
}

/* Shift right; what is lost sticks to the lowest bit, if a bit is left. */
static uint64_t align(uint64_t m, int32_t by)
{
    uint64_t kept = by > 63 ? 0 : m >> by;

    return kept ? kept | ((kept << by) != m) : 0;
}

/* sum * 2^exponent, sum with its one at bit 26 if normal: round and pack. */
static uint32_t round_and_pack(uint32_t sign, int32_t exponent, uint64_t sum)
{
    int32_t right = 37 - __builtin_clzll(sum);
    uint32_t bits;

    exponent += right;
    if (exponent >= 255) {
        return sign | INFINITE;
    }
    if (exponent <= 0) {
        exponent = 0;
        right++;
    }
    if (right > 0) {
        sum = (sum >> right) | ((sum & (uint64_t)(right | 1)) != 0);
    } else {
        sum <<= -right;
    }
    bits = ((uint32_t)exponent << 23) + (sum >> 3 & 0x7fffff);
    bits += (sum & 7) + (bits & 1) > 4;
    return bits >> 23 ? sign | bits : sign;
}

uint32_t bench_ref_fma(uint32_t x_bits, uint32_t y_bits, uint32_t z_bits)
{
    Float x = unpack(x_bits), y = unpack(y_bits), z = unpack(z_bits);
    uint32_t p_sign = x.sign ^ y.sign, result;
    int32_t exponent = x.exponent + y.exponent - 127, top;
    uint64_t exact = (uint64_t)x.mantissa * y.mantissa;
    uint64_t p = exact >> 20 | ((exact & 0xfffff) != 0);
    uint64_t addend = (uint64_t)z.mantissa << 3;
    bool p_larger;

    if (fma_special(&x, &y, &z, exponent, &result)) {
        return result;
    }
    if (!exact || exponent < 0) {
        return addend ? z_bits : z.sign & p_sign;
    }
    top = exponent > z.exponent ? exponent : z.exponent;
    p = align(p, top - exponent);
    addend = align(addend, top - z.exponent);
    p_larger = p >= addend;
    if (p_sign == z.sign) {
        p += addend;
    } else {
        p = p_larger ? p - addend : addend - p;
    }
    return p ? round_and_pack(p_larger ? p_sign : z.sign, top, p) :
               z.sign & p_sign;
}

/* --- 32 lanes --- */

/* BH SFPENCC.md: flags decide only where they are in use. */
static bool lane_enabled(const TensixState *s, unsigned lane)
{
    return !(s->vu.use_lane_flags >> lane & 1) ||
           (s->vu.lane_flags >> lane & 1);
}

static void fma_lanes(TensixState *s, unsigned a, unsigned b, unsigned c)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        if (lane_enabled(s, lane)) {
            s->vu.lreg[BENCH_VD][lane] = bench_ref_fma(s->vu.lreg[a][lane],
                                                       s->vu.lreg[b][lane],
                                                       s->vu.lreg[c][lane]);
        }
    }
}

void bench_ref_sfpmad(TensixState *s)
{
    fma_lanes(s, BENCH_VA, BENCH_VB, BENCH_VC);
}

void bench_ref_sfpadd(TensixState *s)
{
    fma_lanes(s, LREG_ONE, BENCH_VB, BENCH_VC);
}

void bench_ref_sfpmul(TensixState *s)
{
    fma_lanes(s, BENCH_VA, BENCH_VB, LREG_ZERO);
}

/* BH SFPIADD.md: register plus register, no condition code. */
void bench_ref_sfpiadd(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        if (lane_enabled(s, lane)) {
            s->vu.lreg[BENCH_VD][lane] += s->vu.lreg[BENCH_VC][lane];
        }
    }
}

/* BH SFPSHFT.md: by the register's signed amount. */
void bench_ref_sfpshft(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        int32_t amount = (int32_t)s->vu.lreg[BENCH_VC][lane];
        uint32_t *x = &s->vu.lreg[BENCH_VD][lane];

        if (!lane_enabled(s, lane)) {
            continue;
        }
        if (amount >= 0) {
            *x <<= amount & 31;
        } else {
            *x >>= -(uint32_t)amount & 31;
        }
    }
}

/* --- Dest, rows 0 to 3 (BH SFPLOAD.md, SFPSTORE.md, Dst.md) --- */

static unsigned lane_row(unsigned lane)
{
    return lane / 8;
}

static unsigned lane_column(unsigned lane)
{
    return lane % 8 * 2;
}

/* S,M7,E8 as stored <-> S,E8,M7 */
static uint32_t from_storage(uint32_t x)
{
    return (x & 0x8000) | (x & 0xff) << 7 | (x >> 8 & 0x7f);
}

static uint32_t to_storage(uint32_t x)
{
    return (x & 0x8000) | (x & 0x7f) << 8 | (x >> 7 & 0xff);
}

static uint32_t flush(uint32_t x)
{
    return x & INFINITE ? x : x & SIGN;
}

/* A row that was invalidated reads 0. */
static uint32_t cell(const TensixState *s, unsigned row, unsigned lane)
{
    return s->dst_row_valid[row] ? s->dst[row][lane_column(lane)] : 0;
}

static void set_cell(TensixState *s, unsigned row, unsigned lane, uint32_t x)
{
    s->dst[row][lane_column(lane)] = x;
    s->dst_row_valid[row] = 1;
}

void bench_ref_sfpload_bf16(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        if (lane_enabled(s, lane)) {
            s->vu.lreg[BENCH_VD][lane] =
                from_storage(cell(s, lane_row(lane), lane)) << 16;
        }
    }
}

void bench_ref_sfpload_fp32(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        unsigned row = lane_row(lane);

        if (lane_enabled(s, lane)) {
            s->vu.lreg[BENCH_VD][lane] = from_storage(cell(s, row, lane)) << 16
                                         | cell(s, row + 8, lane);
        }
    }
}

void bench_ref_sfpstore_bf16(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t x = flush(s->vu.lreg[BENCH_VA][lane]);

        if (lane_enabled(s, lane)) {
            set_cell(s, lane_row(lane), lane, to_storage(x >> 16));
        }
    }
}

void bench_ref_sfpstore_fp32(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t x = flush(s->vu.lreg[BENCH_VA][lane]);
        unsigned row = lane_row(lane);

        if (lane_enabled(s, lane)) {
            set_cell(s, row, lane, to_storage(x >> 16));
            s->dst[row + 8][lane_column(lane)] = x;
        }
    }
}
