/*
 * Tensix coprocessor core: what is in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the core's own files; everybody else has tensix_core.h.
 */

#ifndef TENSIX_CORE_STRUCT_H
#define TENSIX_CORE_STRUCT_H

#include "derived/derived.h"
#include "hazard/hazard.h"
#include "tensix_core.h"

/*
 * What has been reported of a configuration and still holds, by bank, so that it
 * is not said again with each instruction; no state.
 */
typedef struct TensixReported {
    uint32_t rounding[TENSIX_CFG_BANKS];      /* bits of ALU_ROUNDING_MODE */
    uint32_t pack[TENSIX_CFG_BANKS];          /* TensixPackPlan.problems */
    uint32_t pack_formats[TENSIX_CFG_BANKS];  /* between which is no conversion */
    uint32_t pack_operands;                   /* of PACR, which are ignored */
} TensixReported;

struct TensixCore {
    TensixState s;
    TensixHost host;
    bool tells_hazards;            /* by tensix_set_hazards() */
    TensixIsa isa;                 /* the chosen build */
    TensixExecTable *tables;       /* its functions */
    TensixSignals signals;
    uint32_t cost;                 /* of the last instruction, beyond a step */
    uint64_t hand_over_at;         /* when this UNPACR ends; 0: at once */
    TensixRecorder record;         /* what happened; no state */
    TensixDerived derived;         /* made from s */
    TensixHazards hazards;         /* what the checker remembers */
    TensixReported reported;
    TensixObserver *observer;      /* the host's, or NULL */
};

#endif
