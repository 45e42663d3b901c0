/*
 * One fidelity phase of Dest += SrcB x SrcA on a tile of 32 x 32: sixteen
 * MVMUL in the REPLAY buffer, and the address modifiers between them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md, RWCs.md, BH REPLAY.md.
 */

#ifndef FIRMWARE_MVMUL_H
#define FIRMWARE_MVMUL_H

#include "tensix.h"

enum {
    THREAD_CFG_ADDR_MOD_BIAS_0 = 47,
    PHASE_LENGTH = 16,
    EIGHT_ROWS = 8,                /* one MVMUL's of SrcB and Dest */
};

#define TT_PLAY_PHASE TT(REPLAY, .len = PHASE_LENGTH)

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

static inline void set_up_phase_modifiers(void)
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

static inline void record_phase(void)
{
    TTINSN(REPLAY, .load_mode = 1, .len = PHASE_LENGTH);
    FOUR(LOWER_FACE_OF_B);
    FOUR(SECOND_TERM);
    FOUR(LOWER_FACE_OF_B);
    FOUR(PHASE_END);
}

#endif
