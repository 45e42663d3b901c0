/*
 * How long instructions take at least.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the order of events: see insn_table.h.inc.
 */

#ifndef TENSIX_TIMING_H
#define TENSIX_TIMING_H

#include "decode/traits.h"
#include "tensix_core_struct.h"

/*
 * The shortest that instruction i can take, from the operands, counters and
 * configuration as they are before it is executed; whatever these are, it is
 * cheap and defined.  Each unpacker is a separate unit for occupancy, but
 * for the `issue` cycles of UNPACR, in which neither takes another one.  What
 * else follows an instruction is in the pages that its row names.
 */
void tensix_timing(const TensixCore *c, const TensixInsn *i,
                   TensixTiming *timing);

/* Something is not over before that cycle. */
static inline void tensix_at_least(uint64_t *at, uint64_t cycle)
{
    if (cycle > *at) {
        *at = cycle;
    }
}

#endif
