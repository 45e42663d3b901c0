/*
 * What units note of LRegs, where nothing depends on lanes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_LREGS_H
#define TENSIX_LREGS_H

#include "observe/observe.h"

/* LRegs, a bit each, that an instruction reads and writes. */
void tensix_observe_lregs(TensixObserver *o, uint32_t read, uint32_t written);

/* What a hit shows of a cell of that size. */
void tensix_hit_values(TensixHit *hit, const uint8_t *old, const uint8_t *new,
                       uint32_t size);

#endif
