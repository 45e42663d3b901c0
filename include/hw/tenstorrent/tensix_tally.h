/*
 * How often a hart executes each instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that tallies runs blocks of code that were translated for that.
 * Others pay nothing.
 */

#ifndef HW_TENSTORRENT_TENSIX_TALLY_H
#define HW_TENSTORRENT_TENSIX_TALLY_H

#include "hw/tenstorrent/tensix_hart.h"

enum {
    TENSIX_TALLY_INSN = 4,         /* bytes */
    TENSIX_TALLY_WORDS = TENSIX_L1_SIZE / TENSIX_TALLY_INSN,
};

/*
 * From the hart's next block on, each instruction that it executes counts, or
 * not any more.  No hart runs, and the BQL is held.  Returns TENSIX_TALLY_WORDS
 * counts, by address in L1, which live as long as the hart and are never reset.
 * An access that stalls and is repeated counts once.  It is no state, and
 * outlives resets.
 */
const uint64_t *tensix_hart_tally(TensixHart *hart, bool on);

/* The instruction at pc, which has been counted, is going to be repeated. */
void tensix_hart_untally(TensixHart *hart, uint32_t pc);

#endif
