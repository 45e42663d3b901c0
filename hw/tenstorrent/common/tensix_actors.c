/*
 * Places in programs: numbers for actors, whatever they do there how often.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_actors.h"

enum { LATEST = 1024 };

struct TensixActors {
    GPtrArray *actors;             /* of TensixActor, place 1 first */
    GHashTable *numbers;           /* of them */
    uint32_t latest[LATEST];       /* by hash: what was added there last, or 0 */
};

static guint place_hash(gconstpointer key)
{
    const TensixActor *by = key;

    return by->pc ^ by->word * 31 ^ by->hart ^ by->thread << 4;
}

static gboolean place_equal(gconstpointer a, gconstpointer b)
{
    const TensixActor *p = a, *q = b;

    return p->pc == q->pc && p->word == q->word && p->hart == q->hart &&
           p->thread == q->thread && p->kind == q->kind &&
           p->tile_x == q->tile_x && p->tile_y == q->tile_y;
}

TensixActors *tensix_actors_new(void)
{
    TensixActors *p = g_new0(TensixActors, 1);

    p->actors = g_ptr_array_new_with_free_func(g_free);
    p->numbers = g_hash_table_new(place_hash, place_equal);
    return p;
}

void tensix_actors_free(TensixActors *p)
{
    if (p) {
        g_hash_table_destroy(p->numbers);
        g_ptr_array_unref(p->actors);
        g_free(p);
    }
}

static uint32_t find_or_add(TensixActors *p, const TensixActor *by)
{
    gpointer number = g_hash_table_lookup(p->numbers, by);

    if (!number) {
        g_ptr_array_add(p->actors, g_memdup2(by, sizeof(*by)));
        number = GUINT_TO_POINTER(p->actors->len);
        g_hash_table_insert(p->numbers,
                            g_ptr_array_index(p->actors, p->actors->len - 1),
                            number);
    }
    return GPOINTER_TO_UINT(number);
}

uint32_t tensix_actors_add(TensixActors *p, const TensixActor *by)
{
    uint32_t *latest = &p->latest[(by->pc / 4 ^ by->word) % LATEST];

    if (!*latest || !place_equal(by, tensix_actors_get(p, *latest))) {
        *latest = find_or_add(p, by);
    }
    return *latest;
}

uint32_t tensix_actors_count(const TensixActors *p)
{
    return p->actors->len;
}

const TensixActor *tensix_actors_get(const TensixActors *p, uint32_t place)
{
    return g_ptr_array_index(p->actors, place - 1);
}
