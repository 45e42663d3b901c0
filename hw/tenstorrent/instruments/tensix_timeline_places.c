/*
 * The file of a timeline: which places of programs its events are from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each event that is written comes by here, so a pc that was seen a moment ago
 * is found in a table without collisions to resolve; only others go to the set.
 */

#include "qemu/osdep.h"
#include "tensix_timeline_places.h"

enum {
    LATELY = 4096,                 /* a power of 2 */
    SITES = 2,                     /* pcs of an event, at most */
    NOWHERE = -1,
    MOST_PLACES = 1 << 16,         /* to look one up may take a millisecond */
};

/* Which number of an event is a hart, which ones are pcs of it. */
typedef struct Sites {
    int hart, pc[SITES];
} Sites;

struct TensixPlaces {
    Sites sites[TENSIX_EVENTS];
    uint64_t lately[LATELY];       /* key_of(); 0: none */
    GHashTable *keys;              /* all of them */
};

/* --- what is in an event --- */

/* Which number of the kind has this name. */
static int number_called(const TensixEventDef *def, const char *name)
{
    g_auto(GStrv) names = g_strsplit(def->details, " ", -1);

    for (int n = 0; names[n]; n++) {
        if (!strcmp(names[n], name)) {
            return n;
        }
    }
    return NOWHERE;
}

/* Numbers of an event lie where the instruction's do, after the kind. */
static Sites sites_of(const TensixEventDef *def)
{
    const int kind = sizeof(uint32_t);

    if (def->form == TENSIX_FORM_INSN) {
        return (Sites) {
            (offsetof(TensixInsn, origin.hart) - kind) / kind,
            { (offsetof(TensixInsn, origin.pc) - kind) / kind, NOWHERE },
        };
    }
    return (Sites) {
        number_called(def, "hart"),
        { number_called(def, "pc"), number_called(def, "target") },
    };
}

static uint64_t key_of(uint32_t hart, uint32_t pc)
{
    return (uint64_t)(hart + 1) << 32 | pc;
}

/* --- remembering --- */

TensixPlaces *tensix_places_new(void)
{
    TensixPlaces *p = g_new0(TensixPlaces, 1);

    for (int kind = 0; kind < TENSIX_EVENTS; kind++) {
        p->sites[kind] = kind == TENSIX_EVENT_NONE
                         ? (Sites) { NOWHERE, { NOWHERE, NOWHERE } }
                         : sites_of(&tensix_events[kind]);
    }
    p->keys = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return p;
}

void tensix_places_free(TensixPlaces *p)
{
    g_hash_table_destroy(p->keys);
    g_free(p);
}

void tensix_places_discard(TensixPlaces *p)
{
    memset(p->lately, 0, sizeof(p->lately));
    g_hash_table_remove_all(p->keys);
}

static void note(TensixPlaces *p, uint32_t hart, uint32_t pc)
{
    uint64_t key = key_of(hart, pc);
    uint64_t *lately = &p->lately[(pc / sizeof(uint32_t) ^ hart << 9) % LATELY];

    if (*lately != key && hart < TENSIX_HART_NONE) {
        *lately = key;
        if (g_hash_table_size(p->keys) < MOST_PLACES) {
            g_hash_table_add(p->keys, g_memdup2(&key, sizeof(key)));
        }
    }
}

void tensix_places_record(TensixPlaces *p, const TensixEvent *event,
                          uint64_t count)
{
    for (; count; count--, event++) {
        const Sites *sites = &p->sites[event->kind % TENSIX_EVENTS];

        for (int n = 0; n < SITES && sites->hart >= 0 && sites->pc[n] >= 0;
             n++) {
            note(p, event->number[sites->hart], event->number[sites->pc[n]]);
        }
    }
}

/* --- telling --- */

static void append_frame_line(GString *text, const TensixFrame *frame)
{
    g_string_append_printf(text, "%s%s\t%s\t", text->len ? "\n" : "",
                           frame->function ?: "", frame->file ?: "");
    if (frame->file) {
        g_string_append_printf(text, "%u", frame->line);
    }
}

static void append_text(GArray *events, const GString *text)
{
    for (size_t at = 0; at < text->len; at += TENSIX_PLACE_BYTES) {
        TensixEvent event = { .kind = TENSIX_EVENT_TEXT };

        memcpy(event.number, text->str + at,
               MIN(text->len - at, TENSIX_PLACE_BYTES));
        g_array_append_val(events, event);
    }
}

static void append_place(GArray *events, TensixSources *sources, uint64_t key)
{
    uint32_t hart = (key >> 32) - 1, pc = key;
    g_autoptr(GPtrArray) frames = tensix_sources_frames(sources, hart, pc);
    g_autoptr(GString) text = g_string_new(NULL);
    TensixEvent event = { .kind = TENSIX_EVENT_PLACE };

    for (unsigned i = 0; i < frames->len; i++) {
        append_frame_line(text, g_ptr_array_index(frames, i));
    }
    if (text->len) {
        event.number[0] = hart;
        event.number[1] = pc;
        event.number[2] = text->len;
        g_array_append_val(events, event);
        append_text(events, text);
    }
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t one = **(uint64_t *const *)a, other = **(uint64_t *const *)b;

    return one < other ? -1 : one > other;
}

GArray *tensix_places_take(TensixPlaces *p, TensixSources *sources)
{
    GArray *events = g_array_new(false, true, sizeof(TensixEvent));
    unsigned count;
    g_autofree gpointer *keys = g_hash_table_get_keys_as_array(p->keys, &count);

    qsort(keys, count, sizeof(*keys), compare_keys);   /* the same each time */
    for (unsigned i = 0; i < count; i++) {
        append_place(events, sources, *(const uint64_t *)keys[i]);
    }
    tensix_places_discard(p);
    return events;
}
