/*
 * The Dst window of the T harts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "vector/vector_ops.h"
#include "tap.h"

enum { UINT32, INT32, FP16, BF16, INT16, INT8, RESERVED6, RESERVED7 };

static CoreFixture f;

static const unsigned width[] = { 4, 4, 2, 2, 2, 1 };

/* Cfg word 3 of bank `bank`: T0's section at bit 14, T1's at 19, T2's at 24. */
static void choose(unsigned thread, unsigned bank, unsigned fmt, bool raw,
                   bool is_unsigned)
{
    uint32_t section = raw | is_unsigned << 1 | fmt << 2;

    f.core.s.thread_cfg[thread][0] = bank;
    f.core.s.cfg[bank][3] = section << (14 + 5 * thread);
    f.core.s.cfg[!bank][3] = ~(section << (14 + 5 * thread));
}

static uint64_t field(uint64_t x, int high, int low)
{
    return x >> low & ((2ull << (high - low)) - 1);
}

/* Bits of an element, most significant field first, from storage and back. */
static uint32_t unpack(unsigned fmt, uint32_t x)
{
    switch (fmt) {
    case UINT32:
    case INT32:                    /* S M7 E8 M16 to S E8 M7 M16 */
        return field(x, 31, 31) << 31 | field(x, 23, 16) << 23 |
               field(x, 30, 24) << 16 | field(x, 15, 0);
    case FP16:                     /* S M10 E5 to S E5 M10 */
        return field(x, 15, 15) << 15 | field(x, 4, 0) << 10 | field(x, 14, 5);
    case BF16:
        return field(x, 15, 15) << 15 | field(x, 7, 0) << 7 | field(x, 14, 8);
    default:
        return x;
    }
}

static uint32_t twos_complement(uint32_t x, unsigned bits)
{
    int64_t magnitude = field(x, bits - 2, 0);

    return field(x >> (bits - 1) & 1 ? -magnitude : magnitude, bits - 1, 0);
}

/* What a load of the element must give. */
static uint32_t load_oracle(unsigned fmt, bool raw, bool is_unsigned,
                            uint32_t cell)
{
    if (fmt == INT8) {
        uint32_t magnitude = field(cell, raw || is_unsigned ? 12 : 11, 5);
        bool negative = !raw && !is_unsigned && cell >> 15;

        return field(negative ? 0x100 - magnitude : magnitude, 7, 0);
    }
    if (fmt == INT16) {
        return raw || is_unsigned ? cell : twos_complement(cell, 16);
    }
    if (raw) {
        return cell;
    }
    return fmt == INT32 ? twos_complement(unpack(fmt, cell), 32)
                        : unpack(fmt, cell);
}

/* What a store must leave in Dst, except int8. */
static uint32_t store_inverse(unsigned fmt, bool raw, bool is_unsigned,
                              uint32_t value)
{
    unsigned bits = 8 * width[fmt];
    bool integer = fmt == INT32 ? !raw : fmt == INT16 && !raw && !is_unsigned;

    if (integer && value >> (bits - 1)) {
        int64_t negative = (int64_t)value - (1ll << bits);
        int64_t magnitude = -negative >= 1ll << (bits - 1)
                                ? (1ll << (bits - 1)) - 1
                                : -negative;

        value = 1u << (bits - 1) | (uint32_t)magnitude;
    }
    if (raw) {
        return value;
    }
    switch (fmt) {
    case FP16:
        return field(value, 15, 15) << 15 | field(value, 9, 0) << 5 |
               field(value, 14, 10);
    case BF16:
        return field(value, 15, 15) << 15 | field(value, 6, 0) << 8 |
               field(value, 14, 7);
    case INT16:
        return value;
    default:
        return field(value, 31, 31) << 31 | field(value, 22, 16) << 24 |
               field(value, 30, 23) << 16 | field(value, 15, 0);
    }
}

static uint32_t get_cell(unsigned fmt, unsigned n)
{
    unsigned row = n / 16, column = n % 16;

    if (width[fmt] == 4) {
        unsigned high = row / 8 * 16 + row % 8;

        return (uint32_t)f.core.s.dst[high][column] << 16 |
               f.core.s.dst[high + 8][column];
    }
    return f.core.s.dst[row][column];
}

static void set_cell(unsigned fmt, unsigned n, uint32_t value)
{
    unsigned row = n / 16, column = n % 16;

    if (width[fmt] == 4) {
        unsigned high = row / 8 * 16 + row % 8;

        f.core.s.dst[high][column] = value >> 16;
        f.core.s.dst[high + 8][column] = value;
    } else {
        f.core.s.dst[row][column] = value;
    }
}

static uint32_t load(unsigned thread, uint32_t offset, unsigned size,
                     bool *defined)
{
    uint8_t bytes[4] = { 0xaa, 0xaa, 0xaa, 0xaa };

    *defined = tensix_dest_window_read(&f.core, thread, offset, bytes, size);
    return bytes[0] | (size > 1 ? bytes[1] << 8 : 0) |
           (size > 2 ? bytes[2] << 16 | (uint32_t)bytes[3] << 24 : 0);
}

static bool store(unsigned thread, uint32_t offset, unsigned size,
                  uint32_t value)
{
    uint8_t bytes[4] = { value, value >> 8, value >> 16, value >> 24 };

    return tensix_dest_window_write(&f.core, thread, offset, bytes, size);
}

/* Some 32-bit values, or all 16-bit ones. */
static uint32_t pattern(unsigned fmt, unsigned n)
{
    static const uint32_t edges[] = {
        0,          1,          0x7fffffff, 0x80000000,
        0x80000001, 0xffffffff, 0x3f800000, 0x80ff0000,
    };

    if (width[fmt] < 4) {
        return n & 0xffff;
    }
    return n < 8 ? edges[n] : fixture_random(&f);
}

static void test_loads(unsigned fmt, bool raw, bool is_unsigned)
{
    unsigned wrong = 0,
             elements = fmt == UINT32 || fmt == INT32 ? 512 * 16 : 1024 * 16;
    unsigned thread = (fmt + raw) % 3;

    choose(thread, raw ^ is_unsigned, fmt, raw, is_unsigned);
    for (unsigned n = 0; n < 0x10000; n++) {
        unsigned at = n * 7 % elements;
        bool defined;
        uint32_t cell = pattern(fmt, n), got;

        set_cell(fmt, at, cell);
        got = load(thread, at * width[fmt], width[fmt], &defined);
        wrong += !defined || got != load_oracle(fmt, raw, is_unsigned, cell);
    }
    ok_eq(wrong, 0, "fmt %u, no_swizzle %u, unsigned %u: loads", fmt, raw,
          is_unsigned);
}

static void test_stores(unsigned fmt, bool raw, bool is_unsigned)
{
    unsigned wrong = 0,
             elements = fmt == UINT32 || fmt == INT32 ? 512 * 16 : 1024 * 16;
    unsigned thread = (fmt + is_unsigned) % 3;

    choose(thread, raw, fmt, raw, is_unsigned);
    for (unsigned n = 0; n < 0x10000; n++) {
        unsigned at = n * 11 % elements;
        uint32_t value = pattern(fmt, n);

        set_cell(fmt, at, ~value);
        wrong += !store(thread, at * width[fmt], width[fmt], value);
        wrong +=
            get_cell(fmt, at) != store_inverse(fmt, raw, is_unsigned, value);
    }
    ok_eq(wrong, 0, "fmt %u, no_swizzle %u, unsigned %u: stores", fmt, raw,
          is_unsigned);
}

/* The page's own examples of the bug: -1 is stored as -129, and so on. */
static void test_int8_stores(void)
{
    static const struct {
        uint8_t value;
        uint16_t plain, is_signed;
    } cases[] = {
        { 0x00, 0x0000, 0x0000 },
        { 0x01, 0x0030, 0x0030 },
        { 0x7f, 0x0ff0, 0x0ff0 },
        { 0x80, 0x1010, 0x8000 | 0xff << 5 | 16 },  /* 0x180 - 0x80 - 1 */
        { 0x81, 0x1030, 0x8000 | 0xff << 5 | 16 },
        { 0x82, 0x1050, 0x8000 | 0xfe << 5 | 16 },
        { 0xfe, 0x1fd0, 0x8000 | 0x82 << 5 | 16 },
        { 0xff, 0x1ff0, 0x8000 | 0x81 << 5 | 16 },
    };

    for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
        choose(0, 0, INT8, false, false);
        store(0, 33 + n, 1, cases[n].value);
        ok_eq(get_cell(INT8, 33 + n), cases[n].is_signed, "int8 0x%02x",
              cases[n].value);
        choose(0, 0, INT8, false, true);
        store(0, 33 + n, 1, cases[n].value);
        ok_eq(get_cell(INT8, 33 + n), cases[n].plain, "uint8 0x%02x",
              cases[n].value);
        choose(0, 0, INT8, true, false);
        store(0, 33 + n, 1, cases[n].value);
        ok_eq(get_cell(INT8, 33 + n), cases[n].plain, "raw int8 0x%02x",
              cases[n].value);
    }
}

/* Which accesses are defined, for all formats, sizes and some offsets. */
static bool defined_oracle(unsigned thread, unsigned fmt, uint32_t offset,
                           unsigned size)
{
    uint64_t end = fmt == INT8 ? 0x4000 : 0x8000;

    if (fmt >= RESERVED6 || offset % size || offset + (uint64_t)size > end) {
        return false;
    }
    return thread == 2 ? size >= width[fmt] : size == width[fmt];
}

static void test_defined(void)
{
    static const uint32_t offsets[] = {
        0,      1,      2,      3,      4,          6,
        8,      15,     16,     0x3ff0, 0x3fff,     0x4000,
        0x7ff0, 0x7ffc, 0x7fff, 0x8000, 0xfffffff0, 0xffffffff,
    };
    static TensixState before;
    unsigned wrong = 0, dirty = 0, count[2] = { 0, 0 };
    uint8_t bytes[16];

    for (unsigned n = 0; n < 3 * 8 * 5 * 18; n++) {
        unsigned thread = n % 3, fmt = n / 3 % 8, size = 1u << n / 24 % 5;
        uint32_t offset = offsets[n / 120];
        bool want = defined_oracle(thread, fmt, offset, size);

        choose(thread, 0, fmt, true, false);
        before = f.core.s;
        memset(bytes, 0x55, sizeof(bytes));
        wrong += tensix_dest_window_read(&f.core, thread, offset, bytes,
                                         size) != want;
        dirty += !want && bytes[size - 1];
        wrong += tensix_dest_window_write(&f.core, thread, offset, bytes,
                                          size) != want;
        dirty += !want && memcmp(&before, &f.core.s, sizeof(before));
        count[want]++;
    }
    ok_eq(wrong, 0, "widths, alignment, ends, reserved formats");
    ok_eq(dirty, 0, "an undefined access reads zeroes and writes nothing");
    ok(count[0] && count[1], "there were both kinds");
    ok(!tensix_dest_window_read(&f.core, 3, 0, bytes, 4) &&
       !tensix_dest_window_write(&f.core, 7, 0, bytes, 4), "no such thread");
    ok(!tensix_dest_window_read(&f.core, 2, 0, bytes, 3) &&
       !tensix_dest_window_write(&f.core, 2, 0, bytes, 0), "no such size");
}

/* T2 takes sixteen bytes at once: the same as one element after the other. */
static void test_multiple(unsigned fmt)
{
    uint8_t got[16], want[16];
    unsigned wrong = 0;

    choose(2, 1, fmt, false, false);
    for (unsigned n = 0; n < 1024; n++) {
        f.core.s.dst[n % 1024][n % 16] = fixture_random(&f);
    }
    for (uint32_t offset = 0; offset < 0x4000; offset += 16) {
        tensix_dest_window_read(&f.core, 2, offset, got, 16);
        for (unsigned k = 0; k < 16; k += width[fmt]) {
            tensix_dest_window_read(&f.core, 2, offset + k, &want[k],
                                    width[fmt]);
        }
        wrong += memcmp(got, want, 16) != 0;
        for (unsigned k = 0; k < 16; k++) {
            got[k] = fixture_random(&f) & 0x7f;
        }
        tensix_dest_window_write(&f.core, 2, offset, got, 16);
        for (unsigned k = 0; k < 16; k += width[fmt]) {
            tensix_dest_window_read(&f.core, 2, offset + k, &want[k],
                                    width[fmt]);
        }
        wrong += memcmp(got, want, 16) != 0;
    }
    ok_eq(wrong, 0, "fmt %u: T2 accesses several elements", fmt);
}

static void test_validity(void)
{
    bool defined;

    choose(1, 0, UINT32, false, false);
    f.core.s.dst[16 + 2][5] = 0x1234;            /* 32-bit row 10 */
    f.core.s.dst_row_valid[16 + 2] = 0;
    ok_eq(load(1, (10 * 16 + 5) * 4, 4, &defined), 0,
          "an undefined row reads as zero");
    ok(defined, "and that is defined");
    store(1, (10 * 16 + 6) * 4, 4, 0x3f800000);
    ok_eq(f.core.s.dst_row_valid[16 + 2], 1, "a store makes the row valid");
    ok_eq(load(1, (10 * 16 + 6) * 4, 4, &defined), 0x3f800000,
          "and is read back");
}

/* Remapping concerns the window too: 32-bit row 8 is physical row 0x40. */
static void test_remap(void)
{
    choose(0, 0, UINT32, true, false);
    f.core.s.cfg[0][220] = f.core.s.cfg[1][220] = 2;
    tensix_derived_invalidate(&f.core);
    store(0, (8 * 16 + 1) * 4, 4, 0xcafe1234);
    ok_eq(f.core.s.dst[0x40][1], 0xcafe, "remapped row: high half");
    ok_eq(f.core.s.dst[0x48][1], 0x1234, "remapped row: low half");
    choose(0, 0, BF16, true, false);
    store(0, (8 * 16 + 1) * 2, 2, 0xbeef);
    ok_eq(f.core.s.dst[0x20][1], 0xbeef, "remapped 16-bit row");
}

/* A debugger sees a scheduled store done, but does not make it happen. */
static void test_peek(void)
{
    enum { FP32_MODE = 3, LREG = 2 };
    TensixState before;
    uint32_t got = 0;

    choose(1, 0, UINT32, false, false);
    memset(f.core.s.dst, 0, sizeof(f.core.s.dst));
    f.core.s.vu.lreg[LREG][0] = 0x40490fdb;
    f.core.s.macro.active = 1;
    f.core.s.macro.insn.thread = 1;
    f.core.s.macro.slot[VECTOR_SUB_STORE][0] = (TensixScheduled) {
        .lanes = ~0u, .word = TT(SFPSTORE, .lreg_ind = LREG), .vd = LREG,
        .mod0 = FP32_MODE,
    };
    tensix_state_loaded(&f.core);
    before = f.core.s;
    ok(tensix_dest_window_peek(&f.core, 1, 0, &got, 4), "a peek is defined");
    ok_eq(got, 0x40490fdb, "and sees what has been scheduled");
    fixture_ok_state(&f, &before, "which it leaves scheduled");
    ok(tensix_dest_window_read(&f.core, 1, 0, &got, 4), "so is a load");
    ok_eq(got, 0x40490fdb, "with the same value");
    ok_eq(f.core.s.macro.active, 0, "which has let it run");
    got = 0;
    ok(tensix_dest_window_peek(&f.core, 1, 2, &got, 2), "a peek of half of it");
    ok_eq(got, 0x4049, "is the upper half");
    ok(!tensix_dest_window_read(&f.core, 1, 2, &got, 2), "no load has that width");
    ok(!tensix_dest_window_peek(&f.core, 1, 0x7fff, &got, 2),
       "no peek goes beyond the window");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned n = 0; n < 6 * 4; n++) {
        test_loads(n % 6, n / 6 & 1, n / 12);
        if (n % 6 != INT8) {
            test_stores(n % 6, n / 6 & 1, n / 12);
        }
    }
    test_int8_stores();
    test_defined();
    for (unsigned fmt = UINT32; fmt <= INT8; fmt++) {
        test_multiple(fmt);
    }
    test_validity();
    test_remap();
    test_peek();
    return done_testing();
}
