/*
 * What the files of the debug hardware share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_DEBUG_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_DEBUG_INTERNAL_H

#include "hw/tenstorrent/tensix_debug.h"

#define TENSIX_BUS_WORDS 4

/* What DBG_BUS_CTRL selects (WH DebugDaisychain.md). */
typedef struct TensixBusSelect {
    uint32_t daisy, signal;
    uint32_t word;                 /* 0..3 of the 128 bits */
    bool enabled;
} TensixBusSelect;

TensixBusSelect tensix_debug_bus_select(const TensixDebugState *s);

/*
 * One word of a group of 128 bits; bits that are no state of ours read 0.
 * *known: whether any bit of the word has a meaning here.  BQL held.
 */
uint32_t tensix_debug_bus_word(TensixDebugState *s, uint32_t daisy,
                               uint32_t signal, uint32_t word, bool *known);

/* DBG_RD_DATA: the selected word; reported once if nothing is there. */
uint32_t tensix_debug_bus_read(TensixDebugState *s, const TensixAccess *a);

/* A store to DBG_L1_MEM_REG2, which has been made; old: the value before. */
void tensix_debug_sampler_control(TensixDebugState *s, const TensixAccess *a,
                                  uint32_t old);

/* Of a state that was loaded: a series that never got to its end is none. */
bool tensix_debug_sampler_valid(const TensixDebugSampler *p);

void tensix_debug_sampler_init(TensixDebugState *s);
void tensix_debug_sampler_finish(TensixDebugState *s);
void tensix_debug_sampler_reset(TensixDebugState *s);

/* A word of tile control's registers. */
static inline uint32_t tensix_debug_register(const TensixDebugState *s,
                                             uint32_t offset)
{
    return s->tile_ctrl->value[offset / 4];
}

#endif
