/*
 * C = A x B, TRISC1: Dest += SrcB x SrcA.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md: one fidelity phase multiplies some bits of SrcA by some of SrcB;
 * four of them (HiFi4) are the whole product of numbers in bf16.
 */

#include "blackhole-tile/mvmul.h"
#include "matmul.h"

enum { PHASES = 4 };

static void set_up(void)
{
    set_up_math();
    set_up_phase_modifiers();
    record_phase();
    /* the phases, then the banks back to the unpackers */
    SET_MOP_LOOP(.outer = 1, .inner = PHASES, .op0 = TT_PLAY_PHASE,
                 .end0 = TT(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB,
                            .BitMask = RWC_ALL));
}

/* Dest is all zeroes before: TRISC2 leaves it so. */
static void multiply(uint32_t half)
{
    begin_dest_half(half);
    for (uint32_t k = 0; k < SHARED->inner; k++) {
        RUN_MOP_LOOP();
    }
    end_dest_half();
}

int main(void)
{
    uint32_t tiles = SHARED->rows * SHARED->columns;

    set_up();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        multiply(tile % DEST_HALVES);
    }
    return 0;
}
