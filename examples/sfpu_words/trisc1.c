/*
 * Y = sigmoid(X), TRISC1: SrcA to Dest, and a function on each number there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A vector is 32 numbers: four rows of Dest, the even or the odd columns, so 32
 * vectors are a tile.  All arithmetic is in fp32.  (BH SFPMAD.md, SFPSHFT.md,
 * SFPARECIP.md, SFPSTOCHRND_FloatFloat.md)
 */

#include "sfpu.h"

/* Address modifiers */
enum { STAY, NEXT_BLOCK, NEXT_VECTOR };

enum {
    EIGHT_ROWS = 8,                /* one MOVA2D's */
    VECTOR_STEP = 2,               /* in rows; odd columns are one row on */
    VECTORS = TILE_DATUMS / 32,
    EXPONENT_SHIFT = 23,           /* fp32 */
};

/* LRegs; those up to 7 can be written */
enum { L_X, L_N, L_POWER, L_SUM, L_RESULT, L_A, L_B, L_TWO };

/* LReg d = a * b + c */
#define MAD(d, a, b, c) \
    TTINSN(SFPMAD, .lreg_dest = (d), .lreg_src_a = (a), .lreg_src_b = (b), \
           .lreg_src_c = (c))
/* LReg d = c - a * b */
#define MAD_NEGATIVE(d, a, b, c) \
    TTINSN(SFPMAD, .lreg_dest = (d), .lreg_src_a = (a), .lreg_src_b = (b), \
           .lreg_src_c = (c), .instr_mod1 = SFPMAD_NEGATE_A)

/* x becomes at most 80 and at least -80: the powers below are ordinary. */
static inline void clamp(void)
{
    SFP_LOAD_FP32(L_A, -80.0f);
    SFP_LOAD_FP32(L_B, 80.0f);
    /* the first becomes the smaller one: x <= 80, then x >= -80 */
    TTINSN(SFPSWAP, .lreg_dest = L_X, .lreg_src_c = L_B,
           .instr_mod1 = SFPSWAP_MIN_MAX);
    TTINSN(SFPSWAP, .lreg_dest = L_A, .lreg_src_c = L_X,
           .instr_mod1 = SFPSWAP_MIN_MAX);
}

/*
 * L_POWER = e^-x = 2^n * 2^f, where n is the integer nearest to -x / ln 2.
 * Adding 1.5 * 2^23 leaves n in the low bits of the sum.
 */
static inline void split(void)
{
    SFP_LOAD_FP32(L_A, 1.4426950409f);         /* 1 / ln 2 */
    SFP_LOAD_FP32(L_B, 12582912.0f);
    MAD_NEGATIVE(L_N, L_A, L_X, L_B);
    /* f = -x / ln 2 - n, between -1/2 and 1/2 */
    TTINSN(SFPMAD, .lreg_dest = L_POWER, .lreg_src_a = L_N,
           .lreg_src_b = LREG_ONE, .lreg_src_c = L_B,
           .instr_mod1 = SFPMAD_NEGATE_C);
    TTINSN(SFPMAD, .lreg_dest = L_X, .lreg_src_a = L_A, .lreg_src_b = L_X,
           .lreg_src_c = L_POWER,
           .instr_mod1 = SFPMAD_NEGATE_A | SFPMAD_NEGATE_C);
}

#define POLYNOMIAL_STEP(coefficient) do { \
        SFP_LOAD_FP32(L_A, coefficient); \
        MAD(L_POWER, L_POWER, L_X, L_A); \
    } while (0)

/* 2^f, with an error below 2^-18 of it; then n into the exponent */
static inline void power_of_two(void)
{
    SFP_LOAD_FP32(L_POWER, 0.0095701f);
    POLYNOMIAL_STEP(0.05591786f);
    POLYNOMIAL_STEP(0.24024745f);
    POLYNOMIAL_STEP(0.69312181f);
    POLYNOMIAL_STEP(0.99999926f);
    TTINSN(SFPSHFT, .lreg_dest = L_N, .imm12_math = EXPONENT_SHIFT,
           .instr_mod1 = SFPSHFT_IMMEDIATE);
    TTINSN(SFPIADD, .lreg_dest = L_POWER, .lreg_c = L_N,
           .instr_mod1 = SFPIADD_NO_CC);
}

/* r *= 2 - s * r: twice as many bits of 1 / s are right afterwards. */
static inline void newton(void)
{
    MAD_NEGATIVE(L_A, L_SUM, L_RESULT, L_TWO);
    MAD(L_RESULT, L_RESULT, L_A, LREG_ZERO);
}

/* L_RESULT = 1 / (1 + L_POWER) */
static inline void reciprocal(void)
{
    MAD(L_SUM, L_POWER, LREG_ONE, LREG_ONE);
    SFP_LOAD_FP32(L_TWO, 2.0f);
    TTINSN(SFPARECIP, .lreg_dest = L_RESULT, .lreg_c = L_SUM,
           .instr_mod1 = SFPARECIP_RECIPROCAL);
    newton();
    newton();
}

/* One vector of Dest; the counter of rows moves on to the next. */
static void sigmoid(void)
{
    TTINSN(SFPLOAD, .lreg_ind = L_X, .instr_mod0 = SFP_FORMAT_BF16,
           .sfpu_addr_mode = STAY);
    clamp();
    split();
    power_of_two();
    reciprocal();
    TTINSN(SFP_STOCH_RND, .lreg_dest = L_RESULT, .lreg_src_c = L_RESULT,
           .instr_mod1 = SFP_STOCH_RND_FP32_TO_BF16);
    TTINSN(SFPSTORE, .lreg_ind = L_RESULT, .instr_mod0 = SFP_FORMAT_BF16,
           .sfpu_addr_mode = NEXT_VECTOR);
}

static void set_up(void)
{
    set_up_math();
    SET_ADDR_MOD(NEXT_BLOCK, .srca = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_ADDR_MOD(NEXT_VECTOR, .dest = { .incr = VECTOR_STEP });
    SET_MOP_LOOP(.outer = 1, .inner = TILE_ROWS / EIGHT_ROWS,
                 .op0 = TT(MOVA2D, .addr_mode = NEXT_BLOCK,
                           .instr_mod = MOVA2D_8_ROWS));
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
}

static void compute(uint32_t half)
{
    begin_dest_half(half);
    RUN_MOP_LOOP();
    TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA, .BitMask = RWC_ALL);
    /* SFPLOAD must not overtake what the Matrix Unit writes */
    TTINSN(STALLWAIT, .stall_res = BLOCK_SFPU, .wait_res = UNTIL_MATH_DONE);
    for (unsigned i = 0; i < VECTORS; i++) {
        sigmoid();
    }
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    end_dest_half();
}

int main(void)
{
    set_up();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        compute(tile % DEST_HALVES);
    }
    return 0;
}
