/*
 * One fidelity phase of Dest += SrcB x SrcA on a tile of 32 x 32: sixteen
 * MVMUL in the REPLAY buffer, and the address modifiers between them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For TRISC1: set_up_phase_modifiers() and record_phase() once; then each
 * TT_PLAY_PHASE is a phase, four of which (HiFi4) multiply all bits of numbers
 * with up to 11 significant bits, one (LoFi) the upper ones.
 * (WH MVMUL.md, RWCs.md, BH REPLAY.md)
 */

#ifndef BLACKHOLE_TILE_MVMUL_H
#define BLACKHOLE_TILE_MVMUL_H

#include "blackhole-tile/kernel.h"

enum {
    PHASE_LENGTH = 16,
    EIGHT_ROWS = 8,                /* one MVMUL's of SrcB and Dest */
};

#define TT_PLAY_PHASE TT(REPLAY, .len = PHASE_LENGTH)

/* What follows an MVMUL; faces of SrcB and SrcA are 0 1 over 2 3. */
enum {
    LOWER_HALF,      /* of this face of SrcB */
    NEXT_FACE_OF_A,  /* on its right, with the same face of SrcB */
    LOWER_FACE_OF_B, /* and back to the left face of SrcA */
    SECOND_TERM = 4, /* lower faces of SrcA, right ones of SrcB, Dest again */
    PHASE_END,
};

/* Address modifiers 0, 1, 2, 4 and 5 */
static inline void set_up_phase_modifiers(void)
{
    SET_ADDR_MOD(LOWER_HALF, .srcb = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_ADDR_MOD(NEXT_FACE_OF_A, .srca = { .incr = 16 }, .srcb = { .cr = 1 },
                 .dest = { .incr = EIGHT_ROWS });
    SET_ADDR_MOD(LOWER_FACE_OF_B, .srca = { .cr = 1 },
                 .srcb = { .incr = 32, .cr = 1 },
                 .dest = { .incr = EIGHT_ROWS });
    /* SrcB: 32 + 48 is 16 in six bits */
    SET_ADDR_MOD(SECOND_TERM, .srca = { .incr = 32, .cr = 1 },
                 .srcb = { .incr = 48, .cr = 1 }, .dest = { .cr = 1 });
    SET_ADDR_MOD(PHASE_END, .srca = { .clr = 1 }, .srcb = { .clr = 1 },
                 .dest = { .clr = 1 }, .fidelity = { .incr = 1 });
}

#define MVMUL_FOUR(last) do { \
        TTINSN(MVMUL, .addr_mode = LOWER_HALF); \
        TTINSN(MVMUL, .addr_mode = NEXT_FACE_OF_A); \
        TTINSN(MVMUL, .addr_mode = LOWER_HALF); \
        TTINSN(MVMUL, .addr_mode = (last)); \
    } while (0)

/* REPLAY slots 0 to 15 */
static inline void record_phase(void)
{
    TTINSN(REPLAY, .load_mode = 1, .len = PHASE_LENGTH);
    MVMUL_FOUR(LOWER_FACE_OF_B);
    MVMUL_FOUR(SECOND_TERM);
    MVMUL_FOUR(LOWER_FACE_OF_B);
    MVMUL_FOUR(PHASE_END);
}

#endif
