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
#include "tensix_trail.h"

struct TensixCore {
    TensixState s;
    TensixHost host;
    bool reports_hazards;          /* by tensix_set_hazards() */
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
    TensixDelays *delays;          /* the host's, or NULL */
};

#endif
