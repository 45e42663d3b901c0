/*
 * What is reported once for each site, until the tile is reset.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_once.h"

enum { MOST_SITES = 4096 };

void tensix_once_forget(TensixOnce *o)
{
    g_hash_table_remove_all(o->sites);
}

static void tile_is_reset(Notifier *n, void *data)
{
    tensix_once_forget(container_of(n, TensixOnce, reset));
}

static gboolean is_not_before(gpointer key, gpointer turn, gpointer place)
{
    return (intptr_t)turn >= *(const int64_t *)place;
}

/* Without an axis each turn began at place 0. */
static void state_is_loaded(Notifier *n, void *data)
{
    TensixOnce *o = container_of(n, TensixOnce, load);
    int64_t place = tensix_axis_has(o->hart) ? tensix_axis_place() : 0;

    g_hash_table_foreach_remove(o->sites, is_not_before, &place);
}

void tensix_once_init(TensixOnce *o, TensixHart *hart)
{
    o->hart = hart;
    o->sites = g_hash_table_new(NULL, NULL);
    o->reset.notify = tile_is_reset;
    o->load.notify = state_is_loaded;
    tensix_bus_subscribe(hart->bus, TENSIX_ON_RESET, &o->reset);
    tensix_bus_subscribe(hart->bus, TENSIX_ON_LOAD, &o->load);
}

void tensix_once_finish(TensixOnce *o)
{
    tensix_bus_unsubscribe(o->hart->bus, TENSIX_ON_RESET, &o->reset);
    tensix_bus_unsubscribe(o->hart->bus, TENSIX_ON_LOAD, &o->load);
    g_hash_table_destroy(o->sites);
}

bool tensix_once(TensixOnce *o, uint32_t key)
{
    intptr_t turn = tensix_axis_turn(o->hart);

    if (g_hash_table_contains(o->sites, GUINT_TO_POINTER(key))) {
        return false;
    }
    if (g_hash_table_size(o->sites) >= MOST_SITES) {
        tensix_once_forget(o);
    }
    g_hash_table_insert(o->sites, GUINT_TO_POINTER(key), (gpointer)turn);
    return true;
}
