/*
 * Kernels written with SFPLOADMACRO give what the same work does one
 * instruction after the other: reciprocals, exponentials, integer products.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md.  The kernels do what tt-llk's do on Blackhole, with the
 * same schedules.
 */

#include "vector-macro.h"

/* Addresses before the one that the counters point to. */
enum { ONE_BACK = -2u & 0x3ff, TWO_BACK = -4u & 0x3ff };

/* The approximation alone, one vector a cycle. */
static void recip_7b_setup(void)
{
    SIMPLE(SFPARECIP, 0, 0, 12, 0);
    sequence(0, SEQUENCE(SEQ(T0, 0, VD16), 0, 0, SEQ(STORE, 1, VD16)));
    misc(0, 1);
}

static void recip_7b_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, SRCB, STAY, 0);
        SIMPLE(SFPARECIP, 0, 0, 0, 0);
        store(0, SRCB, NEXT, 0);
    }
}

static void recip_7b_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 0, SRCB, NEXT, 0);
    }
    nops(2);
}

/*
 * Reciprocal corrected by one step of Newton's: x and t share a register, which
 * works only because a multiply-add's result comes two cycles after its start.
 */
enum { RECIP_X = 1, RECIP_T = 1 };

static void recip_8b_setup(void)
{
    SIMPLE(SFPARECIP, 0, 0, 12, 0);
    mad(ZERO, ZERO, 0, 13, 8);     /* to LReg[LReg[7]] */
    mad(RECIP_X, 0, PROGRAM0, 14, 0);
    SIMPLE(SFPIADD, 0, RECIP_T, 15, 4);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), SEQ(T1, 0, 0), 0, SEQ(STORE, 0, AS_VB)));
    sequence(1, SEQUENCE(SEQ(T3, 5, AS_VB | VD16), SEQ(T2, 0, AS_VB | VD16), 0,
                         SEQ(STORE, 2, VD16)));
    sequence(2, SEQUENCE(0, 0, 0, SEQ(STORE, 1, VD16)));
    misc(SRCB, 0);
    load_imm(0, 0x80000000);
    load_imm(7, RECIP_X);
}

static void recip_8b_straight(void)
{
    load_imm(2, 0x8000);
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, SRCB, STAY, 0);
        mad(ZERO, ZERO, 0, 1, 0);
        SIMPLE(SFPARECIP, 0, 0, 0, 0);
        SIMPLE(SFPOR, 0, 2, 0, 0);
        mad(1, 0, PROGRAM0, 1, 0);
        SIMPLE(SFPSHFT, -16u & 0xfff, 1, 1, 5);
        SIMPLE(SFPIADD, 0, 1, 0, 4);
        store(0, SRCB, NEXT, 0);
    }
}

/* Three loads for each vector; the third belongs to the vector before last. */
static void recip_8b_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS + 2; n++) {
        unsigned y = 3 + n % 3;

        if (n < VECTORS) {
            macro(0, y, SRCB, STAY, 0);
        } else {
            nops(1);
        }
        if (n >= 2) {
            macro(2, RECIP_T, LO16, n < VECTORS ? STAY : NEXT, TWO_BACK);
        } else {
            nops(1);
        }
        if (n < VECTORS) {
            macro(1, y, LO16_ONLY, NEXT, 0);
        } else {
            nops(1);
        }
    }
    nops(1);
}

/*
 * y * (1 + e + e^2 + e^3) with e = 1 - x * y: Dest keeps e and y between the
 * five loads that each vector takes, and four macros overlap.
 */
enum { RECIP_E, RECIP_T2, RECIP_Z, RECIP_Y };

static void recip_24b_setup(void)
{
    SIMPLE(SFPARECIP, 0, 0, 12, 0);
    mad(RECIP_E, RECIP_E, 0, 13, 0);
    mad(RECIP_T2, RECIP_E, RECIP_Z, 14, 0);
    SIMPLE(SFPSWAP, 0, ONE, 15, 1);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, 0, SEQ(STORE, 6, VD16)));
    sequence(1, SEQUENCE(SEQ(T0, 0, VD16), SEQ(T1, 2, 0), 0, SEQ(STORE, 2, 0)));
    sequence(2, SEQUENCE(SEQ(T3, 2, AS_VB), SEQ(T2, 0, 0), 0, 0));
    sequence(3, SEQUENCE(0, SEQ(T2, 1, AS_VB | VD16), 0, SEQ(STORE, 3, VD16)));
    misc(0, 0xf);
}

static void recip_24b_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, FP32, STAY, 0);
        SIMPLE(SFPARECIP, 0, 0, 1, 0);
        mad(0, 1, ONE, 2, 1);
        mad(2, 2, 2, 3, 0);
        mad(3, 2, 2, 3, 0);
        SIMPLE(SFPSWAP, 0, ONE, 3, 1);
        mad(3, 1, 1, 0, 0);
        store(0, FP32, NEXT, 0);
    }
}

/* Vector n begins while n - 1 ends. */
static void recip_24b_scheduled(void)
{
    for (unsigned n = 0; n <= VECTORS; n++) {
        bool begins = n < VECTORS, ends = n > 0;

        if (begins) {
            macro(0, RECIP_Y, FP32, STAY, 0);
        } else {
            nops(1);
        }
        macro(2, RECIP_T2, FP32, STAY, ONE_BACK);
        if (begins) {
            macro(1, RECIP_E, FP32, STAY, 0);
        } else {
            nops(1);
        }
        mad(RECIP_E, RECIP_Y, ONE, RECIP_E, 1);
        if (ends) {
            macro(3, RECIP_Z, FP32, NEXT, ONE_BACK);
        } else {
            load(7, FP32, NEXT, 0);
        }
    }
    nops(4);
}

/*
 * exp as 2^(x / ln 2) written into exponent and mantissa: A * x + B rounded to
 * an integer, 15 bits up.
 */
enum {
    EXP_A = PROGRAM1, EXP_B = PROGRAM2, EXP_LOWEST = 14, EXP_SHIFT = 14,
    EXP_GROUP = 8,
};

static void exp_constants(uint32_t lreg14)
{
    configure(EXP_A, 0x43b8aa3b);  /* 256 / ln 2 */
    configure(EXP_B, 0x46fde9a3);  /* 127 * 256 and a correction */
    configure(14, lreg14);
}

/* What is below the least argument is raised to it first, in Dest. */
static void exp_clamped_setup(void)
{
    exp_constants(0xc2b10000);     /* -88.5 */
    configure(0, (uint32_t)TENSIX_OP_SFPSWAP << 24 | EXP_LOWEST << 4 | 1);
    mad(EXP_A, 0, EXP_B, 13, 0);
    round_to(0, 14, 14);
    SIMPLE(SFPSHFT, 15, 0, 15, 1);
    sequence(0, SEQUENCE(SEQ(T3, 3, AS_VB | VD16), SEQ(T1, 0, AS_VB), SEQ(T2, 2, 0),
                         SEQ(STORE, 4, VD16)));
    sequence(1, SEQUENCE(SEQ(T0, 0, 0), 0, 0, SEQ(STORE, 2, 0)));
    configure(8, 0);               /* delays by cycle */
}

static void exp_clamped_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, SRCB, STAY, 0);
        SIMPLE(SFPSWAP, 0, EXP_LOWEST, 0, 9);
        mad(EXP_A, 0, EXP_B, 0, 0);
        round_to(0, 0, 6);
        SIMPLE(SFPSHFT, 15, 0, 0, 1);
        store(0, SRCB, NEXT, 0);
    }
}

static void exp_clamped_scheduled(void)
{
    for (unsigned group = 0; group < VECTORS; group += EXP_GROUP) {
        for (unsigned n = 0; n < EXP_GROUP; n++) {
            macro(1, n & 3, SRCB, STAY, 2 * n);
            nops(n < EXP_GROUP - 1);
        }
        for (unsigned n = 0; n < EXP_GROUP; n++) {
            macro(0, n & 3, SRCB, STAY, 2 * n);
        }
        nops(1);
        run(TT(INCRWC, .rwc_d = 8));
        run(TT(INCRWC, .rwc_d = 8));
    }
    nops(3);
}

/* Without that, and the sign of the integer kept: four vectors overlap. */
static void exp_setup(void)
{
    exp_constants(15);
    mad(EXP_A, 0, EXP_B, 13, 0);
    round_to(0, 14, 7);
    SIMPLE(SFPSETSGN, 0, 4, 15, 0);
    sequence(0, SEQUENCE(SEQ(T3, 5, AS_VB | VD16), SEQ(T1, 0, AS_VB), SEQ(T2, 3, 0),
                         SEQ(STORE, 6, VD16)));
    misc(SRCB, 0);
}

static void exp_shift(unsigned vb, unsigned vd)
{
    run(TT(SFPSHFT2, .imm12_math = vb, .lreg_src_c = EXP_SHIFT, .lreg_dest = vd,
           .instr_mod1 = 5));
}

static void exp_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, SRCB, STAY, 0);
        mad(EXP_A, 0, EXP_B, 0, 0);
        round_to(0, 0, 7);
        exp_shift(0, 1);
        SIMPLE(SFPSETSGN, 0, 1, 0, 0);
        store(0, SRCB, NEXT, 0);
    }
}

static void exp_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS + 2; n++) {
        if (n < VECTORS) {
            macro(0, n & 3, SRCB, NEXT, 0);
        } else {
            nops(1);
        }
        exp_shift((n + 2) & 3, 4);
    }
    nops(2);
}

/* 16-bit products; where the result goes decides what a macro can do alone. */
enum { FIRST = 0, SECOND = 64, APART = 128 };

static void mul_setup(void)
{
    run(TT(SFPMUL24, .lreg_src_a = 0, .lreg_src_c = ZERO, .lreg_dest = 12));
    sequence(0, SEQUENCE(0, SEQ(T0, 0, AS_VB | VD16), 0, SEQ(STORE, 2, VD16)));
    sequence(1, SEQUENCE(0, SEQ(T0, 1, AS_VB | VD16), 0, SEQ(STORE, 3, VD16)));
    misc(0, 3);
}

static void mul_straight_to(unsigned second, unsigned result)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, FIRST);
        load(1, UINT16, STAY, second);
        run(TT(SFPMUL24, .lreg_src_a = 0, .lreg_src_b = 1, .lreg_src_c = ZERO));
        store(0, UINT16, NEXT, result);
    }
}

static void square_straight(void)
{
    mul_straight_to(FIRST, FIRST);
}

static void square_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 0, UINT16, NEXT, FIRST);
    }
    nops(3);
}

static void mul_straight(void)
{
    mul_straight_to(SECOND, FIRST);
}

static void mul_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, SECOND);
        macro(0, 1, UINT16, NEXT, FIRST);
    }
    nops(3);
}

static void mul_apart_straight(void)
{
    mul_straight_to(SECOND, APART);
}

/* The macro only names the place; what it loads is overwritten in time. */
static void mul_apart_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, FIRST);
        macro(1, 1, UINT16, STAY, APART);
        load(1, UINT16, NEXT, SECOND);
    }
    nops(3);
}

#define KERNEL(name) { #name, name##_setup, name##_straight, name##_scheduled }
#define MUL_KERNEL(name) { #name, mul_setup, name##_straight, name##_scheduled }

void test_vector_arithmetic_kernels(TensixIsa isa)
{
    static const VectorKernel kernels[] = {
        KERNEL(recip_7b), KERNEL(recip_8b), KERNEL(recip_24b),
        KERNEL(exp_clamped), KERNEL(exp),
        MUL_KERNEL(square), MUL_KERNEL(mul), MUL_KERNEL(mul_apart),
    };

    test_vector_kernel_list(kernels, sizeof(kernels) / sizeof(kernels[0]), isa);
}
