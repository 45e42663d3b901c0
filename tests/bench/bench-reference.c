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

/* --- table, order, lanes, conversion, flags --- */

/* BH SFPLUTFP32.md: FP16 whose largest exponent means 0. */
static uint32_t lut16_to_fp32(uint32_t x)
{
    uint32_t exponent = x >> 10 & 31;

    return (x & 0x8000) << 16 | (exponent == 31 ? 0 : exponent + 112) << 23 |
           (x & 0x3ff) << 13;
}

/* Six entries, the last two meet at 3.0: bits of positive floats compare. */
void bench_ref_sfplutfp32(TensixState *s)
{
    static const uint32_t ends[5] = {
        0x3f000000, 0x3f800000, 0x3fc00000, 0x40000000, 0x40400000,
    };

    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t b = s->vu.lreg[3][lane] & ~SIGN;
        unsigned entry = 0, shift;

        if (!lane_enabled(s, lane)) {
            continue;
        }
        while (entry < 5 && b >= ends[entry]) {
            entry++;
        }
        shift = entry % 2 * 16;
        s->vu.lreg[BENCH_LUT_VD][lane] = bench_ref_fma(
            lut16_to_fp32(s->vu.lreg[entry / 2][lane] >> shift), b,
            lut16_to_fp32(s->vu.lreg[4 + entry / 2][lane] >> shift));
    }
}

/* BH SFPSWAP.md: sign and magnitude in order, -0 below +0. */
static int32_t order(uint32_t x)
{
    return x & SIGN ? (int32_t)~(x & ~SIGN) : (int32_t)x;
}

void bench_ref_sfpswap(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t *c = &s->vu.lreg[BENCH_VC][lane];
        uint32_t *d = &s->vu.lreg[BENCH_VD][lane];

        if (lane_enabled(s, lane) && order(*c) < order(*d)) {
            uint32_t swap = *c;

            *c = *d;
            *d = swap;
        }
    }
}

/* BH SFPTRANSP.md: four registers as a 4x4 matrix of groups of 8 lanes. */
void bench_ref_sfptransp(TensixState *s)
{
    for (unsigned cell = 0; cell < 2 * 4 * 4 * 8; cell++) {
        unsigned base = cell / 128 * 4, i = cell / 32 % 4, j = cell / 8 % 4;
        unsigned lane_i = i * 8 + cell % 8, lane_j = j * 8 + cell % 8;
        uint32_t ij = s->vu.lreg[base + i][lane_j];
        uint32_t ji = s->vu.lreg[base + j][lane_i];

        if (j < i && lane_enabled(s, lane_j)) {
            s->vu.lreg[base + i][lane_j] = ji;
        }
        if (j < i && lane_enabled(s, lane_i)) {
            s->vu.lreg[base + j][lane_i] = ij;
        }
    }
}

/* BH SFPCAST_IntFloat.md: sign and magnitude to FP32, nearest even. */
static uint32_t int_to_float(uint32_t x)
{
    uint32_t magnitude = x & ~SIGN, exponent = 157, result;

    if (!magnitude) {
        return x;
    }
    for (; !(magnitude & SIGN); exponent--) {
        magnitude <<= 1;
    }
    result = (exponent << 23) + (magnitude >> 8);
    if ((magnitude & 0x80) && (magnitude & 0x17f)) {
        result++;
    }
    return (x & SIGN) + result;
}

void bench_ref_sfpcast(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        if (lane_enabled(s, lane)) {
            s->vu.lreg[BENCH_VD][lane] =
                int_to_float(s->vu.lreg[BENCH_VC][lane]);
        }
    }
}

/* BH SFPMOV.md: a copy. */
void bench_ref_sfpmov(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        if (lane_enabled(s, lane)) {
            s->vu.lreg[BENCH_VD][lane] = s->vu.lreg[BENCH_VC][lane];
        }
    }
}

/* BH SFPSETCC.md: is the register not 0? */
void bench_ref_sfpsetcc(TensixState *s)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t bit = 1u << lane;

        if (lane_enabled(s, lane)) {
            bool flag = (s->vu.use_lane_flags & bit) &&
                        s->vu.lreg[BENCH_VC][lane];

            s->vu.lane_flags = flag ? s->vu.lane_flags | bit
                                    : s->vu.lane_flags & ~bit;
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
