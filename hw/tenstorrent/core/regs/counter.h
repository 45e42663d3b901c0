/*
 * Counters with a checkpoint, the "Cr" copy: RWCs and ADCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH RWCs.md and ADCs.md.  A counter is a pair of fields of TensixRwc or
 * TensixAdcChannel, for example Dst and Dst_Cr; its mask is its width.
 */

#ifndef TENSIX_COUNTER_H
#define TENSIX_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Widths of the ADCs on Blackhole: 18 bits X, 13 bits Y, Z and W (ADCs.md). */
enum { ADC_X_MASK = 0x3ffff, ADC_YZW_MASK = 0x1fff };

/* Counter and checkpoint := value. */
static inline void tensix_counter_set(uint32_t *counter, uint32_t *cr,
                                      uint32_t value, uint32_t mask)
{
    *counter = *cr = value & mask;
}

/* The counter alone += step. */
static inline void tensix_counter_add(uint32_t *counter, uint32_t step,
                                      uint32_t mask)
{
    *counter = (*counter + step) & mask;
}

/* Counter and checkpoint := checkpoint + step. */
static inline void tensix_counter_add_cr(uint32_t *counter, uint32_t *cr,
                                         uint32_t step, uint32_t mask)
{
    *counter = *cr = (*cr + step) & mask;
}

/* One ADDR_MOD's work on a counter: Clear before CR before Incr. */
static inline void tensix_counter_advance(uint32_t *counter, uint32_t *cr,
                                          uint32_t step, bool clear,
                                          bool use_cr, uint32_t mask)
{
    if (clear) {
        *counter = *cr = 0;
    } else if (use_cr) {
        tensix_counter_add_cr(counter, cr, step, mask);
    } else {
        tensix_counter_add(counter, step, mask);
    }
}

#endif
