/*
 * Matrix multiplication, TRISC1: Dest += SrcB x SrcA, tile after tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sixteen MVMUL in the REPLAY buffer are one fidelity phase of a tile; the MOP
 * plays them for each phase and each tile of a chunk, then gives both Src
 * banks back.  (WH MVMUL.md, RWCs.md, SrcASrcB.md)
 */

#include "matmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

enum {
    THREAD_CFG_ADDR_MOD_BIAS_0 = 47,
    PHASE_LENGTH = 16,
    BANK_A_AND_B = 3,
    ALL_RWCS = 0xF,
    WHOLE_DEST = 3,                /* clear_mode of ZEROACC */
    BLOCK_MATH = 1 << 6,
    UNTIL_MATH_DONE = 1 << 4,
    EIGHT_ROWS = 8,                /* one MVMUL's of SrcB and Dest */
};

/* Halfwords of an address modifier. */
enum { A_CR = 1 << 6, A_CLEAR = 1 << 7, B_CR = 1 << 14, B_CLEAR = 1 << 15 };
enum { DEST_CR = 1 << 10, DEST_CLEAR = 1 << 11, NEXT_PHASE = 1 << 13 };
#define A_ROWS(n) (n)
#define B_ROWS(n) ((n) << 8)

#define ADDRESS_MODIFIER(i, ab, dest) do { \
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_AB_0 + (i), \
               .setc16_value = (ab)); \
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_DST_0 + (i), \
               .setc16_value = (dest)); \
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_BIAS_0 + (i)); \
    } while (0)

/* What follows an MVMUL; faces of SrcB and SrcA are 0 1 over 2 3. */
enum {
    LOWER_HALF,      /* of this face of SrcB */
    NEXT_FACE_OF_A,  /* on its right, with the same face of SrcB */
    LOWER_FACE_OF_B, /* and back to the left face of SrcA */
    SECOND_TERM = 4, /* lower faces of SrcA, right ones of SrcB, Dest again */
    PHASE_END,
};

static void set_up_address_modifiers(void)
{
    ADDRESS_MODIFIER(LOWER_HALF, B_ROWS(EIGHT_ROWS), EIGHT_ROWS);
    ADDRESS_MODIFIER(NEXT_FACE_OF_A, A_ROWS(16) | B_CR, EIGHT_ROWS);
    ADDRESS_MODIFIER(LOWER_FACE_OF_B, A_CR | B_ROWS(32) | B_CR, EIGHT_ROWS);
    /* B: 32 + 48 is 16 in six bits */
    ADDRESS_MODIFIER(SECOND_TERM, A_ROWS(32) | A_CR | B_ROWS(48) | B_CR,
                     DEST_CR);
    ADDRESS_MODIFIER(PHASE_END, A_CLEAR | B_CLEAR, DEST_CLEAR | NEXT_PHASE);
}

#define FOUR(last) do { \
        TTINSN(MVMUL, .addr_mode = LOWER_HALF); \
        TTINSN(MVMUL, .addr_mode = NEXT_FACE_OF_A); \
        TTINSN(MVMUL, .addr_mode = LOWER_HALF); \
        TTINSN(MVMUL, .addr_mode = (last)); \
    } while (0)

static void record_phase(void)
{
    TTINSN(REPLAY, .load_mode = 1, .len = PHASE_LENGTH);
    FOUR(LOWER_FACE_OF_B);
    FOUR(SECOND_TERM);
    FOUR(LOWER_FACE_OF_B);
    FOUR(PHASE_END);
}

static void set_up_mop(void)
{
    const uint32_t play = TT(REPLAY, .len = PHASE_LENGTH);
    const uint32_t words[] = {
        1, SHARED->phases, TT_NOP,
        TT(SETRWC, .clear_ab_vld = BANK_A_AND_B, .BitMask = ALL_RWCS), TT_NOP,
        play, TT_NOP, play, play,
    };

    write_mop(words);
}

/* Waits for a half of Dest and works in it from now on. */
static void begin_tile(uint32_t half)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_MATH, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    if (half) {
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET,
               .setc16_value = DEST_HALF_ROWS);
    } else {
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET);
    }
}

static void end_tile(void)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

static uint32_t half, mop_count = 1;

static void multiply(uint32_t command)
{
    if (command & UNIT_FIRST) {
        begin_tile(half);
    }
    write_mop_count(0, command & UNIT_COUNT, &mop_count);
    TTINSN(MOP, .mop_type = 1);
    if (command & UNIT_LAST) {
        end_tile();
        half ^= 1;
    }
}

int main(void)
{
    set_up_address_modifiers();
    record_phase();
    set_up_mop();
    TTINSN(ZEROACC, .clear_mode = WHOLE_DEST);
    TTINSN(SETRWC, .BitMask = ALL_RWCS);
    for (;;) {
        uint32_t command = PCBUF_OWN;

        for (uint32_t n = command >> UNIT_REPEAT_LOW; n; n--) {
            multiply(command);
        }
    }
}
