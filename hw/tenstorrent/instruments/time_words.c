/*
 * Estimated cycles: what an instruction's word alone decides.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Programs execute few words, many times each.  What depends on figures as well
 * is kept as long as these: they are read before any word is.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/observe/observe.h"
#include "time_internal.h"

/* Arithmetic of the Matrix Unit passes all of its stages. */
static bool is_sum(const TimeWord *w)
{
    enum { STAGES = 5 };           /* WH MatrixUnit.md */

    return w->port == TENSIX_UNIT_MATRIX && w->timing.latency >= STAGES;
}

void time_find_out(const TensixTime *t, TimeWord *w, uint32_t word)
{
    const TensixTraits *traits = tensix_traits_of(word);

    *w = (TimeWord) {
        .word = word, .is_known = true,
        .port = tensix_port(word), .unit = tensix_insns[word >> 24].unit,
        .moves_to_src = traits->moves_to_srca || traits->moves_to_srcb,
        .fills_gap = traits->fills_gap,
        .waits_for_bank = tensix_insn_waits_for_bank(word),
        .is_timed = tensix_insn_is_timed(word),
    };
    if (w->is_timed) {
        tensix_insn_timing(word, &w->timing);
        w->timing = time_replaced(t, word, w->timing);
    }
    w->is_sum = is_sum(w);
    w->is_vector = w->port == TENSIX_UNIT_VECTOR;
}
