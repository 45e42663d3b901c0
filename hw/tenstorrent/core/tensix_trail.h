/*
 * Tensix coprocessor core: what it remembers beside its state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The trail says what is reported and what is run next, but no instruction
 * depends on it: a reset or a loaded state begins it anew.  Where the past is to
 * be executed again exactly, the trail is saved and loaded with the state.
 */

#ifndef TENSIX_TRAIL_H
#define TENSIX_TRAIL_H

#include "hazard/hazard.h"
#include "tensix_core.h"

/*
 * What has been reported of a configuration and still holds, by bank, so that
 * it is not said again with each instruction.
 */
typedef struct TensixReported {
    uint32_t rounding[TENSIX_CFG_BANKS];      /* bits of ALU_ROUNDING_MODE */
    uint32_t pack[TENSIX_CFG_BANKS];          /* TensixPackPlan.problems */
    uint32_t pack_formats[TENSIX_CFG_BANKS];  /* that do not convert */
    uint32_t pack_operands;                   /* of PACR, which are ignored */
} TensixReported;

typedef struct TensixTrail {
    TensixSignals signals;
    TensixHazards hazards;
    TensixReported reported;
} TensixTrail;

void tensix_get_trail(const TensixCore *c, TensixTrail *trail);

/* After tensix_state_loaded(), with the state of then. */
void tensix_set_trail(TensixCore *c, const TensixTrail *trail);

/* False: it holds what the core could not bear (migration). */
bool tensix_trail_valid(const TensixTrail *trail);

#endif
