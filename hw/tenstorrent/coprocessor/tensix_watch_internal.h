/*
 * Breaks and watches of a tile: what the device's files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_WATCH_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_WATCH_INTERNAL_H

#include "hw/tenstorrent/tensix_watch.h"

/* What the user asked for. */
typedef struct TensixStop {
    uint32_t id;
    char *text;                    /* the command's words */
    bool is_violation;
    int category;                  /* of violations; -1: any */
} TensixStop;

typedef struct TensixWatcher {
    TensixObserver observer;
    GPtrArray *stops;              /* of TensixStop */
    uint32_t next_id;
    bool writers;                  /* observes always */
    TensixHartRange ranges[TENSIX_BREAKS + 1]; /* of L1, for the harts */
    unsigned range_count;
    uint8_t *l1_before;            /* L1, where it is watched */
} TensixWatcher;

/* "dest 4", of the hit's first cell; a field of configuration that changed. */
void tensix_watch_place_text(const TensixHit *hit, GString *text);

/* The fields of a space, NULL if it is none of configuration. */
const TensixCfgTable *tensix_watch_cfg_table(TensixSpace space);

/* The line of a stop. */
void tensix_watch_hit_text(const TensixHit *hit, GString *text);

/* The hart whose thread this is, in the middle of an access; or NULL. */
TensixHart *tensix_watch_running_hart(TensixCopState *cop);

#endif
