/*
 * What is reported once for each site, until the tile is reset.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A past that is executed again (histories, delays) has to come to the same
 * reports: what it met first is forgotten when its state is loaded.  So is all
 * of it when another state is.  By one thread at a time: the hart's, or with the
 * BQL held.
 */

#ifndef HW_TENSTORRENT_TENSIX_ONCE_H
#define HW_TENSTORRENT_TENSIX_ONCE_H

#include "qemu/notify.h"

struct TensixHart;

typedef struct TensixOnce {
    struct TensixHart *hart;       /* any of the tile */
    GHashTable *sites;             /* by key: the turn that met it first */
    Notifier reset, load;
} TensixOnce;

void tensix_once_init(TensixOnce *o, struct TensixHart *hart);
void tensix_once_finish(TensixOnce *o);

/* Is this the first time?  Of too many keys all are new again. */
bool tensix_once(TensixOnce *o, uint32_t key);

void tensix_once_forget(TensixOnce *o);

#endif
