/*
 * Breaks and watches of a tile: what the device's files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_WATCH_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_WATCH_INTERNAL_H

#include "hw/tenstorrent/tensix_watch.h"

/* "dest 4", of the hit's first cell; a field of configuration that changed. */
void tensix_watch_place_text(const TensixHit *hit, GString *text);

/* The field that a place names, or NULL. */
const TensixCfgField *tensix_place_field(const TensixPlace *place);

/* Are reads of the space known, too? */
bool tensix_watch_has_reads(TensixSpace space);

/* The fields of a space, NULL if it is none of configuration. */
const TensixCfgTable *tensix_watch_cfg_table(TensixSpace space);

/* The field of a configuration word that has changed first, or NULL. */
const TensixCfgField *tensix_watch_changed_field(const TensixHit *hit);

/* How many bytes a value of the space has, as lines show it. */
unsigned tensix_watch_value_bytes(TensixSpace space);

/* The first column or lane of a hit's values. */
uint32_t tensix_watch_first(const TensixHit *hit);

/*
 * Where the expansion of the active instruction was written down: nowhere if it
 * is none.  In the middle of it, core locked.
 */
TensixRecorded tensix_watch_recorded(const TensixCopState *cop,
                                     const TensixActor *by);

/* The line of a stop. */
void tensix_watch_hit_text(const TensixHit *hit, const TensixRecorded *recorded,
                           GString *text);

/* QMP's event of the stop in this line; path: of several tiles, this one. */
void tensix_watch_send_hit(const TensixHit *hit, const TensixRecorded *recorded,
                           const char *line, const char *path);

#endif
