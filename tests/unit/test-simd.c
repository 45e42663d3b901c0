/*
 * The functions of simd.h in every build against scalar loops.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "frontend/host_isa.h"
#include "simd-forms.h"
#include "tap.h"
#include "tensix_internal.h"

enum { ROUNDS = 4000, UNTOUCHED = 0x55 };

/* As a SimdForm, of vectors of so many bytes. */
typedef void Scalar(SimdVector *out, const SimdVector *in, unsigned bytes);

static bool is_denormal(uint32_t x)
{
    return !(x >> 23 & 0xff) && x << 1;
}

/* An expression in elements a, b, c of a vector's lanes, and their number n. */
#define SCALAR(name, member, expression) \
    static void scalar_##name(SimdVector *out, const SimdVector *in, \
                              unsigned bytes) \
    { \
        unsigned count = bytes / sizeof(in->member[0]); \
        \
        for (unsigned n = 0; n < count; n++) { \
            __typeof__(in->member[0]) a = in[0].member[n]; \
            __typeof__(in->member[0]) b = in[1].member[n]; \
            __typeof__(in->member[0]) c = in[2].member[n]; \
            \
            (void)a, (void)b, (void)c; \
            out->member[n] = (expression); \
        } \
    }

static bool mask_bit(const SimdVector *in, unsigned lane)
{
    return in[2].u32[0] >> lane & 1;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Element n of a vector's 16-bit pairs: that of its lane, first or second. */
#define FIRST(v, n) ((v).i16[2 * (n)])
#define SECOND(v, n) ((v).i16[2 * (n) + 1])

SCALAR(choose, u32, (c & a) | (~c & b))
SCALAR(select_by, u32, c >> 31 ? a : b)
SCALAR(eq, u32, a == b ? -1u : 0)
SCALAR(lt, i32, a < b ? -1 : 0)
SCALAR(unless, u32, a >> 31 && !mask_bit(in, n) ? -1u : 0)
SCALAR(test, u32, a & b ? -1u : 0)
SCALAR(test_where, u32, mask_bit(in, n) && (a & b) ? -1u : 0)
SCALAR(lt16, i16, a < b ? -1 : 0)
SCALAR(eq8, u8, a == b ? 0xff : 0)
SCALAR(below8, u8, a < b ? 0xff : 0)
SCALAR(xor_where, u32, mask_bit(in, n) ? a ^ b : a)
SCALAR(add_where8, u8, c & 0x80 ? a + b : a)
SCALAR(sub_where8, u8, c & 0x80 ? a - b : a)
SCALAR(negate_by, u32, b >> 31 ? -a : a)
SCALAR(select, u32, mask_bit(in, n) ? a : b)
SCALAR(select8, u8, c & 0x80 ? a : b)
SCALAR(keep, u32, mask_bit(in, n) ? a : 0)
SCALAR(keep_sum, u32, mask_bit(in, n) ? a + b : 0)
SCALAR(keep_nonzero, u32, mask_bit(in, n) && a ? b : 0)
SCALAR(nonzero, u32, mask_bit(in, n) && a ? 1 : 0)
SCALAR(keep16, i16, b < c ? a : 0)
SCALAR(keep8, u8, c & 0x80 ? a : 0)
SCALAR(negative, i32, a < 0 ? -1 : 0)
SCALAR(negative8, i8, a < 0 ? -1 : 0)
SCALAR(mask, u32, mask_bit(in, n) ? -1u : 0)
SCALAR(expand, i32, b < 0 ? -1 : 0)
SCALAR(abnormal, u32, (a >> 23 & 0xff) % 0xff == 0 ? -1u : 0)
SCALAR(irregular, u32, is_denormal(a) || is_denormal(b) || is_denormal(c) ||
       (c >> 23 & 0xff) == 0xff ? -1u : 0)
SCALAR(splat, u32, in->u32[0])
SCALAR(splat_signed, i32, in->i32[0])
SCALAR(splat16, i16, in->i16[0])
SCALAR(splat8, u8, in->u8[0])
SCALAR(splat_pair, u16, in->u16[1 + n % 2])
SCALAR(splat_part, u8, in->u8[n % 16])
SCALAR(load, u8, in->u8[n + 1])
SCALAR(load_half, u32, in->u16[n])
SCALAR(load_quarter, u32, in->u8[n])
SCALAR(load_half16, u16, in->u8[n])
SCALAR(load_twice, u16, in->u16[n / 2])
SCALAR(max, i32, a > b ? a : b)
SCALAR(min, i32, a < b ? a : b)
SCALAR(min_unsigned, u32, a < b ? a : b)
SCALAR(shr, u32, b < 32 ? a >> b : 0)
SCALAR(shl, u32, b < 32 ? a << b : 0)
SCALAR(sar, i32, (uint32_t)b < 32 ? a >> b : a < 0 ? -1 : 0)
SCALAR(abs, u32, (int32_t)a < 0 ? -a : a)
SCALAR(shl_where, u32, mask_bit(in, n) ? a << SIMD_FORM_SHIFT : a)
SCALAR(shr_where, u32, mask_bit(in, n) ? a >> SIMD_FORM_SHIFT : a)
SCALAR(splat_float, u32, bits_of(SIMD_FORM_FLOAT(in->i32[0])))
SCALAR(multiply_add, u32,
       bits_of((double)SIMD_FORM_FACTOR(a) * SIMD_FORM_FACTOR(b) +
               (float)(int32_t)c))
SCALAR(shift, u32, b >> 31 ? a >> (-b & 31) : a << (b & 31))
SCALAR(shr_sticky, u32,
       b > 31 ? 0 : a >> b && a >> b << b != a ? a >> b | 1 : a >> b)
SCALAR(mul_even, u64, (a & UINT32_MAX) * (b & UINT32_MAX))
SCALAR(mul_odd, u64, (a >> 32) * (b >> 32))
SCALAR(upper_halves, u64, a >> 32 | b >> 32 << 32)
SCALAR(lower_halves, u64, (a & UINT32_MAX) | b << 32)
SCALAR(max16, i16, a > b ? a : b)
SCALAR(min16, i16, a < b ? a : b)
SCALAR(abs16, i16, a < 0 ? -a : a)
SCALAR(min_unsigned16, u16, a < b ? a : b)
SCALAR(zip, u32, (a & 0xffff) | b << 16)
SCALAR(unzip_a, u32, a & 0xffff)
SCALAR(unzip_b, u32, a >> 16)
SCALAR(blend, u16, n % 2 ? b : a)
SCALAR(swap, u16, in->u16[n ^ 1])
SCALAR(both_a, u16, in->u16[n & ~1u])
SCALAR(both_b, u16, in->u16[n | 1])
SCALAR(first_of_pairs, i32, FIRST(in[0], n))
SCALAR(second_of_pairs, i32, SECOND(in[0], n))
SCALAR(load_two, u16, in[n % 2].u16[n / 2])
SCALAR(shl16, u16, b < 16 ? a << b : 0)
SCALAR(sar16, i16, (uint16_t)b < 16 ? a >> b : a < 0 ? -1 : 0)
SCALAR(weight, u16, a < 16 ? 4096 >> a : 0)
SCALAR(dot_pairs, u32, (uint32_t)(FIRST(in[0], n) * FIRST(in[1], n)) +
                       (uint32_t)(SECOND(in[0], n) * SECOND(in[1], n)))
SCALAR(mul_round, i16, (a * b + 0x4000) >> 15)
SCALAR(mul_high16, u16, (uint32_t)a * b >> 16)
SCALAR(min8, u8, a < b ? a : b)
SCALAR(shuffle8, u8, b & 0x80 ? 0 : in->u8[(n & ~15u) + b % 16])
SCALAR(look_up, u8, b & 0x80 ? 0 : in->u8[b % 16])
SCALAR(zip_first8, u8, in[n % 2].u8[(n & ~15u) + n % 16 / 2])
SCALAR(zip_last8, u8, in[n % 2].u8[(n & ~15u) + 8 + n % 16 / 2])
/* word n % 4 of part n / 4 */
SCALAR(arrange8, u32, in->u32[bytes / 16 * (n % 4) + n / 4])
SCALAR(narrow16, u16, n < bytes / 4 ? in[0].u32[n] : in[1].u32[n - bytes / 4])
SCALAR(narrow8, u8, n < bytes / 2 ? in[0].u16[n] : in[1].u16[n - bytes / 2])

static void scalar_bits(SimdVector *out, const SimdVector *in, unsigned bytes)
{
    uint32_t bits = 0;

    for (unsigned n = 0; n < bytes / 4; n++) {
        bits |= in->u32[n] >> 31 << n;
    }
    for (unsigned n = 0; n < bytes / 4; n++) {
        out->u32[n] = bits;
    }
}

static void scalar_any(SimdVector *out, const SimdVector *in, unsigned bytes)
{
    bool any = false;

    for (unsigned n = 0; n < bytes; n++) {
        any |= in[0].u8[n] & in[2].u8[n];
    }
    for (unsigned n = 0; n < bytes / 4; n++) {
        out->u32[n] = any;
    }
}

static void scalar_least8(SimdVector *out, const SimdVector *in, unsigned bytes)
{
    for (unsigned n = 0; n < bytes; n++) {
        uint8_t least = 0xff;

        for (unsigned k = 0; k < 16; k++) {
            uint8_t x = in->u8[(n & ~15u) + k];

            least = x < least ? x : least;
        }
        out->u8[n] = least;
    }
}

static void scalar_store_firsts8(SimdVector *out, const SimdVector *in,
                                 unsigned bytes)
{
    for (unsigned n = 0; n < bytes / 16; n++) {
        out->u8[n] = in->u8[16 * n];
    }
}

static void scalar_put32(SimdVector *out, const SimdVector *in, unsigned bytes)
{
    for (unsigned n = 0; n < 32; n++) {
        if (in[2].u32[0] >> n & 1) {
            out[n / 16].u32[n % 16] = in[n / 16].u32[n % 16];
        }
    }
}

static void scalar_load_twice_two(SimdVector *out, const SimdVector *in,
                                  unsigned bytes)
{
    unsigned count = bytes / 2;

    for (unsigned n = 0; n < 2 * count; n++) {
        out[n / count].u16[n % count] = in->u16[n / 2];
    }
}

static void scalar_interleave16(SimdVector *out, const SimdVector *in,
                                unsigned bytes)
{
    unsigned count = bytes / 2;

    for (unsigned n = 0; n < 2 * count; n++) {
        out[n / count].u16[n % count] = in[n % 2].u16[n / 2];
    }
}

static void scalar_store_half(SimdVector *out, const SimdVector *in,
                              unsigned bytes)
{
    for (unsigned n = 0; n < bytes / 4; n++) {
        out->u16[n] = in->u32[n];
    }
}

static void scalar_store_two(SimdVector *out, const SimdVector *in,
                             unsigned bytes)
{
    for (unsigned n = 0; n < bytes / 2; n++) {
        out[n % 2].u16[n / 2] = in->u16[n];
    }
}

#define NAME_ROW(name) #name,
#define SCALAR_ROW(name) scalar_##name,
static const char *const names[] = { SIMD_FORMS(NAME_ROW) };
static Scalar *const scalars[] = { SIMD_FORMS(SCALAR_ROW) };

/* Bits that operands may have, where a function has conditions; 0: all. */
static const uint32_t operand_bits[SIMD_FORM_COUNT] = {
    [SIMD_FORM_weight] = 0x07ff07ff,
    [SIMD_FORM_narrow16] = 0x0000ffff,
    [SIMD_FORM_narrow8] = 0x00ff00ff,
};

static uint32_t random32(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 16;
}

/* Random, small, or what is special in one of the widths. */
static uint32_t random_word(unsigned kind)
{
    static const uint32_t special[] = {
        0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x7f800000, 0xff800000,
        0x00800000, 0x007fffff, 0x80008000, 0x7fff7fff, 0x80007fff, 0x00010001,
        0xff800180, 0x7f807f80, 0x000f0010,
    };

    switch (kind) {
    case 0:
        return random32() & 0x3f;
    case 1:
        return random32() & 0x001f001f;
    case 2:
        return random32() & 0x0f0f0f0f;
    case 3:
        return special[random32() % (sizeof(special) / sizeof(special[0]))];
    case 4:
        return 0;
    default:
        return random32();
    }
}

static void make_operands(SimdVector in[3], uint32_t bits)
{
    for (unsigned v = 0; v < 3; v++) {
        unsigned kind = random32() % 8;

        for (unsigned n = 0; n < 16; n++) {
            in[v].u32[n] = random_word(kind) & (bits ? bits : -1u);
        }
    }
    if (random32() % 4 == 0) {
        in[1].u32[random32() % 16] = in[0].u32[0];
        in[1] = random32() % 2 ? in[0] : in[1];
    }
    if (random32() % 4 == 0) {
        memset(&in[2], 0, sizeof(in[2]));
        in[2].u8[random32() % 64] = random32();
    }
}

static void show(const char *what, const SimdVector *v)
{
    diag("%s: %08x %08x %08x %08x ...", what, v->u32[0], v->u32[1], v->u32[2],
         v->u32[3]);
}

static bool agrees(const SimdBuild *build, unsigned form)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        SimdVector in[3], got[2], want[2];

        make_operands(in, operand_bits[form]);
        memset(got, UNTOUCHED, sizeof(got));
        memset(want, UNTOUCHED, sizeof(want));
        build->form[form](got, in);
        scalars[form](want, in, build->bytes);
        if (memcmp(got, want, sizeof(got))) {
            show("a", &in[0]);
            show("b", &in[1]);
            show("c", &in[2]);
            show("got", &got[0]);
            show("want", &want[0]);
            return false;
        }
    }
    return true;
}

static void test_build(const SimdBuild *build, const char *name)
{
    for (unsigned form = 0; form < SIMD_FORM_COUNT; form++) {
        ok(agrees(build, form), "%s: simd_%s", name, names[form]);
    }
}

int main(void)
{
    test_build(&simd_build_plain, "plain");
    test_build(&simd_build, "portable");
#ifdef SIMD_LEVELS
    if (tensix_isa_on_host(TENSIX_ISA_AVX2)) {
        test_build(&simd_build_avx2, "avx2");
    } else {
        skip("avx2", "not on this host or in this build");
    }
    if (tensix_isa_on_host(TENSIX_ISA_AVX512)) {
        test_build(&simd_build_avx512, "avx512");
    } else {
        skip("avx512", "not on this host or in this build");
    }
#endif
    return done_testing();
}
