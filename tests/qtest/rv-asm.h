/*
 * Just enough of an RV32I assembler for the few instructions that a test lets
 * a hart run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef RV_ASM_H
#define RV_ASM_H

#define RV_MAX_WORDS 128

/* Registers of the test programs */
enum { RV_ZERO, RV_T0 = 5, RV_T1, RV_T2, RV_S0, RV_S1, RV_A0, RV_A1, RV_A2 };

typedef struct RvProgram {
    uint32_t word[RV_MAX_WORDS];
    unsigned count;
} RvProgram;

static inline void rv_emit(RvProgram *p, uint32_t word)
{
    g_assert_cmpuint(p->count, <, RV_MAX_WORDS);
    p->word[p->count++] = word;
}

static inline void rv_addi(RvProgram *p, unsigned rd, unsigned rs, int imm)
{
    rv_emit(p, (uint32_t)imm << 20 | rs << 15 | rd << 7 | 0x13);
}

/* rd = value: always two words */
static inline void rv_li(RvProgram *p, unsigned rd, uint32_t value)
{
    int low = (int)(value << 20) >> 20;

    rv_emit(p, ((value - low) & 0xfffff000u) | rd << 7 | 0x37);
    rv_addi(p, rd, rd, low);
}

static inline void rv_lw(RvProgram *p, unsigned rd, unsigned base, int offset)
{
    rv_emit(p, (uint32_t)offset << 20 | base << 15 | 2 << 12 | rd << 7 | 0x03);
}

static inline void rv_sw(RvProgram *p, unsigned rs, unsigned base, int offset)
{
    uint32_t imm = offset;

    rv_emit(p, (imm >> 5 & 0x7f) << 25 | rs << 20 | base << 15 | 2 << 12 |
               (imm & 0x1f) << 7 | 0x23);
}

static inline void rv_fence(RvProgram *p)
{
    rv_emit(p, 0x0ff0000f);
}

/* Jumps back (or stays) at word number `target`. */
static inline void rv_jump(RvProgram *p, unsigned target)
{
    uint32_t imm = (target - p->count) * 4;

    rv_emit(p, (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3ff) << 21 |
               (imm >> 11 & 1) << 20 | (imm >> 12 & 0xff) << 12 | 0x6f);
}

/* Jumps back to `target` if the registers differ. */
static inline void rv_bne(RvProgram *p, unsigned rs1, unsigned rs2,
                          unsigned target)
{
    uint32_t imm = (target - p->count) * 4;

    rv_emit(p, (imm >> 12 & 1) << 31 | (imm >> 5 & 0x3f) << 25 | rs2 << 20 |
               rs1 << 15 | 1 << 12 | (imm >> 1 & 0xf) << 8 |
               (imm >> 11 & 1) << 7 | 0x63);
}

#endif
