/*
 * Vector Unit: cells of Dst to lanes and back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOAD.md, BH SFPSTORE.md.  Two neighbouring columns of a row make a
 * 32-bit word, and such words of four rows are in the order of the lanes: so a
 * vector is the lower or the upper halves of 32 words, and nothing moves
 * between lanes.  Each format is a function of a word; loops are built for it.
 */

#include "num/num.h"
#include "regs/regfile.h"
#include "vector/vector_cells.h"

enum {
    MAX_FP16 = 0x7fff,
    TO_LOW_HALF = DST_LOW_HALF_ROWS * TENSIX_COLUMNS,
};

static const uint32_t UPPER = 0xffff0000, LOWER = 0x0000ffff;

/* Pairs of columns, the even one in the low half. */
static inline SimdU read_pairs(const uint16_t *rows, int lane)
{
    return simd_load(rows + 2 * lane);
}

static inline void write_pairs(uint16_t *rows, int lane, SimdU pair)
{
    simd_store(rows + 2 * lane, pair);
}

/* Lane l's column is odd; rows are alike, so that many masks are the same. */
static inline SimdMask odd_mask(uint32_t odd, int lane)
{
    return simd_mask(odd >> lane % VECTOR_COLUMNS);
}

/* --- loads --- */

/*
 * A lane's value, but for the lower half of a wide one.  cell: 16 bits are the
 * upper half, what is below is undefined.  old: what the register holds; inf:
 * lanes where the largest FP16 is infinite.
 */
typedef SimdU LoadValue(SimdU cell, SimdU old, SimdMask inf);

static inline SimdU sign_of(SimdU cell)
{
    return cell & 0x80000000u;
}

/* x to the right; its sign stays, too. */
static inline SimdU signed_shr(SimdU x, int by)
{
    return (SimdU)((SimdI)x >> by);
}

static inline SimdU load_bf16(SimdU cell, SimdU old, SimdMask inf)
{
    return (cell << 7 & 0x7f800000u) | (signed_shr(cell, 8) & 0x807f0000u);
}

static inline SimdU load_fp16(SimdU cell, SimdU old, SimdMask inf)
{
    const uint32_t exponent = 0x001f0000, magnitude = MAX_FP16 << 16;
    const SimdU zero = { 0 };
    SimdU rebias = simd_select(simd_test(cell, simd_splat(exponent)),
                               simd_splat(NUM_FP16_REBIAS << 23), zero);
    SimdU value = ((cell & exponent) << 7) + rebias + (cell >> 8 & 0x007fe000u);

    inf &= simd_eq(cell & magnitude, simd_splat(magnitude));
    return sign_of(cell) | simd_select(inf, simd_splat(NUM_FP32_INF), value);
}

static inline SimdU load_int8(SimdU cell, SimdU old, SimdMask inf)
{
    return sign_of(cell) | (cell >> 21 & 0xff);
}

static inline SimdU load_int10(SimdU cell, SimdU old, SimdMask inf)
{
    return sign_of(cell) | (cell >> 21 & 0x3ff);
}

static inline SimdU load_int16(SimdU cell, SimdU old, SimdMask inf)
{
    return sign_of(cell) | (cell >> 16 & 0x7fff);
}

static inline SimdU load_lower(SimdU cell, SimdU old, SimdMask inf)
{
    return cell >> 16;
}

static inline SimdU load_upper(SimdU cell, SimdU old, SimdMask inf)
{
    return cell & UPPER;
}

static inline SimdU load_lower_only(SimdU cell, SimdU old, SimdMask inf)
{
    return (old & UPPER) | cell >> 16;
}

static inline SimdU load_upper_only(SimdU cell, SimdU old, SimdMask inf)
{
    return (old & LOWER) | (cell & UPPER);
}

static inline SimdU load_zero(SimdU cell, SimdU old, SimdMask inf)
{
    return (SimdU) { 0 };
}

static inline TensixResult load_each(uint32_t *d, const uint16_t *rows,
                                     uint32_t lanes,
                                     uint32_t odd_lanes, uint32_t inf, bool wide,
                                     LoadValue *value)
{
    Simd32 r;

    SIMD_EACH(l) {
        SimdMask odd = odd_mask(odd_lanes, l);
        SimdU cell = simd_shl_where(~odd, read_pairs(rows, l), 16);
        SimdU x = value(cell, simd_load(&d[l]), simd_mask(inf >> l));

        if (wide) {
            x |= simd_shr_where(odd, read_pairs(rows + TO_LOW_HALF, l),
                                16) & LOWER;
        }
        r.v[l / SIMD_LANES] = x;
    }
    simd_put32(d, &r, lanes);
    return TENSIX_DONE;
}

#define LOAD_CELLS(name, wide, value) \
    static TensixResult name(uint32_t *d, const uint16_t *rows, uint32_t lanes, \
                             uint32_t odd, uint32_t inf) \
    { \
        return load_each(d, rows, lanes, odd, inf, wide, value); \
    }

LOAD_CELLS(load_cells_fp16, false, load_fp16)
LOAD_CELLS(load_cells_bf16, false, load_bf16)
LOAD_CELLS(load_cells_32, true, load_bf16)
LOAD_CELLS(load_cells_int8, false, load_int8)
LOAD_CELLS(load_cells_int10, false, load_int10)
LOAD_CELLS(load_cells_int16, false, load_int16)
LOAD_CELLS(load_cells_lower, false, load_lower)
LOAD_CELLS(load_cells_upper, false, load_upper)
LOAD_CELLS(load_cells_lower_only, false, load_lower_only)
LOAD_CELLS(load_cells_upper_only, false, load_upper_only)
LOAD_CELLS(load_cells_zero, false, load_zero)

TensixLoadCells *const tensix_vector_load_cells[FMT_COUNT] = {
    [FMT_FP16] = load_cells_fp16,
    [FMT_BF16] = load_cells_bf16,
    [FMT_FP32] = load_cells_32,
    [FMT_INT32] = load_cells_32,
    [FMT_INT8] = load_cells_int8,
    [FMT_UINT16] = load_cells_lower,
    [FMT_HI16] = load_cells_upper,
    [FMT_INT16] = load_cells_int16,
    [FMT_LO16] = load_cells_lower,
    [FMT_INT32_ALL] = load_cells_32,
    [FMT_ZERO] = load_cells_zero,
    [FMT_INT32_SM] = load_cells_32,
    [FMT_INT8_COMP] = load_cells_int10,
    [FMT_LO16_ONLY] = load_cells_lower_only,
    [FMT_HI16_ONLY] = load_cells_upper_only,
};

/* --- stores --- */

/*
 * What a lane becomes: as a cell, 16 bits in the upper half and zeroes below; as
 * the cell of a wide one's low half, 16 bits in the lower half and zeroes above.
 */
typedef SimdU StoreValue(SimdU x);

/* x, but zero for denormals. */
static inline SimdU flush(SimdU x, SimdU of)
{
    return simd_select(simd_test(of, simd_splat(NUM_FP32_INF)), x,
                       (SimdU) { 0 });
}

/* The upper half as BF16's bits lie in Dst; denormals become signed zeroes. */
static inline SimdU store_bf16(SimdU x)
{
    return flush(x << 8 & 0x7f000000u, x) | (signed_shr(x, 7) & 0x80ff0000u);
}

static inline SimdU store_bits(SimdU x)
{
    return (x << 8 & 0x7f000000u) | (signed_shr(x, 7) & 0x80ff0000u);
}

/* Truncates; too small gives signed zero, too large and NaN the maximum. */
static inline SimdU store_fp16(SimdU x)
{
    SimdU exponent = (x >> 23 & 0xff) - NUM_FP16_REBIAS;
    SimdU value = (x >> 8 & 0x7fe0) | exponent;
    SimdMask large = simd_lt((SimdI) { 0 } + NUM_FP16_EXP_MAX, (SimdI)exponent);
    SimdMask some = simd_lt((SimdI) { 0 }, (SimdI)exponent);

    value = simd_select(large, simd_splat(MAX_FP16), value);
    return sign_of(x) | simd_select(some, value << 16, (SimdU) { 0 });
}

static inline SimdU store_int8(SimdU x)
{
    return sign_of(x) | (x & 0x3ff) << 21 | NUM_INT8_EXPONENT << 16;
}

static inline SimdU store_int16(SimdU x)
{
    return sign_of(x) | (x & 0x7fff) << 16;
}

static inline SimdU store_lower(SimdU x)
{
    return x << 16;
}

static inline SimdU store_upper(SimdU x)
{
    return x & UPPER;
}

static inline SimdU store_zero(SimdU x)
{
    return (SimdU) { 0 };
}

static inline SimdU low_lower(SimdU x)
{
    return x & LOWER;
}

static inline SimdU low_flushed(SimdU x)
{
    return flush(x & LOWER, x);
}

static inline SimdU low_upper(SimdU x)
{
    return x >> 16;
}

/* Bits of `taken` come from pair, which has no others. */
static inline void merge_pairs(uint16_t *rows, int lane, SimdU pair,
                               SimdU taken)
{
    write_pairs(rows, lane, (read_pairs(rows, lane) & ~taken) | pair);
}

/* SIMD_LANES lanes, as store_each(); lanes: all ones where to store. */
static inline void store_some(const uint32_t *x, uint16_t *rows, int l,
                              SimdU lanes,
                              SimdMask odd, StoreValue *value, StoreValue *low)
{
    SimdU lane = simd_load(&x[l]);
    SimdU taken = simd_shl_where(odd, simd_splat(LOWER), 16) & lanes;

    merge_pairs(rows, l, simd_shr_where(~odd, value(lane), 16) & lanes, taken);
    if (low) {
        merge_pairs(rows + TO_LOW_HALF, l,
                    simd_shl_where(odd, low(lane), 16) & lanes, taken);
    }
}

/* All lanes, to odd columns. */
static inline void store_odd(const uint32_t *x, uint16_t *rows, int l,
                             StoreValue *value, StoreValue *low)
{
    SimdU lane = simd_load(&x[l]);

    merge_pairs(rows, l, value(lane), simd_splat(UPPER));
    if (low) {
        merge_pairs(rows + TO_LOW_HALF, l, low(lane) << 16, simd_splat(UPPER));
    }
}

/* All lanes, to even columns. */
static inline void store_even(const uint32_t *x, uint16_t *rows, int l,
                              StoreValue *value, StoreValue *low)
{
    SimdU lane = simd_load(&x[l]);

    merge_pairs(rows, l, value(lane) >> 16, simd_splat(LOWER));
    if (low) {
        merge_pairs(rows + TO_LOW_HALF, l, low(lane), simd_splat(LOWER));
    }
}

/*
 * low: the value for DST_LOW_HALF_ROWS further on, or NULL.  Mostly it is all lanes
 * and no column exchanged: that has separate loops.
 */
static inline TensixResult store_each(const uint32_t *x, uint16_t *rows,
                                      uint32_t lanes,
                                      uint32_t odd, StoreValue *value, StoreValue *low)
{
    if (lanes != VECTOR_ALL_LANES || (odd && odd != VECTOR_ALL_LANES)) {
        SIMD_EACH(l) {
            store_some(x, rows, l, simd_expand(simd_mask(lanes >> l)),
                       odd_mask(odd, l),
                       value, low);
        }
    } else if (odd) {
        SIMD_EACH(l) {
            store_odd(x, rows, l, value, low);
        }
    } else {
        SIMD_EACH(l) {
            store_even(x, rows, l, value, low);
        }
    }
    return TENSIX_DONE;
}

#define STORE_CELLS(name, value, low) \
    static TensixResult name(const uint32_t *x, uint16_t *rows, uint32_t lanes, \
                             uint32_t odd) \
    { \
        return store_each(x, rows, lanes, odd, value, low); \
    }

STORE_CELLS(store_cells_fp16, store_fp16, NULL)
STORE_CELLS(store_cells_bf16, store_bf16, NULL)
STORE_CELLS(store_cells_fp32, store_bf16, low_flushed)
STORE_CELLS(store_cells_int32, store_bits, low_lower)
STORE_CELLS(store_cells_int8, store_int8, NULL)
STORE_CELLS(store_cells_int16, store_int16, NULL)
STORE_CELLS(store_cells_lower, store_lower, NULL)
STORE_CELLS(store_cells_upper, store_upper, NULL)
STORE_CELLS(store_cells_opaque, store_upper, low_lower)
STORE_CELLS(store_cells_swapped, store_lower, low_upper)
STORE_CELLS(store_cells_zero, store_zero, NULL)

TensixStoreCells *const tensix_vector_store_cells[FMT_COUNT] = {
    [FMT_FP16] = store_cells_fp16,
    [FMT_BF16] = store_cells_bf16,
    [FMT_FP32] = store_cells_fp32,
    [FMT_INT32] = store_cells_int32,
    [FMT_INT8] = store_cells_int8,
    [FMT_UINT16] = store_cells_lower,
    [FMT_HI16] = store_cells_opaque,
    [FMT_INT16] = store_cells_int16,
    [FMT_LO16] = store_cells_swapped,
    [FMT_INT32_ALL] = store_cells_int32,
    [FMT_ZERO] = store_cells_zero,
    [FMT_INT32_SM] = store_cells_int32,
    [FMT_INT8_COMP] = store_cells_int8,
    [FMT_LO16_ONLY] = store_cells_lower,
    [FMT_HI16_ONLY] = store_cells_upper,
};
