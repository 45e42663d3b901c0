/*
 * What a kernel has left, as text and for QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "../common/tensix_insn_info.h"
#include "../inspect/tensix_query.h"
#include "tensix_left.h"

enum { LINES = 32 };               /* values in the text */

#define PARTIAL ", since leaks=report began in its middle,"

/* A value that was left. */
typedef struct Leftover {
    char *name;
    uint32_t offset, mask;
    uint32_t value;
    TensixActor writer;            /* event 0: not known */
} Leftover;

struct TensixLeft {
    GPtrArray *values;             /* Leftover, of the latest kernel */
    uint64_t number;               /* of that kernel */
};

static void leftover_free(gpointer data)
{
    Leftover *l = data;

    g_free(l->name);
    g_free(l);
}

TensixLeft *tensix_left_new(void)
{
    TensixLeft *left = g_new0(TensixLeft, 1);

    left->values = g_ptr_array_new_with_free_func(leftover_free);
    return left;
}

void tensix_left_free(TensixLeft *left)
{
    if (left) {
        g_ptr_array_unref(left->values);
        g_free(left);
    }
}

/* Nothing if the writer is not known. */
static void append_actor(GString *text, const char *what, const TensixActor *by)
{
    if (by && by->event) {
        g_string_append_printf(text, "\n    %s ", what);
        tensix_actor_text(by, text);
    }
}

static TensixActorInfo *actor_info(const TensixActor *by)
{
    TensixActorInfo *info = g_new0(TensixActorInfo, 1);

    tensix_actor_info(by, NULL, info);
    return info;
}

/* --- what it has left --- */

typedef struct Listing {
    const TensixChangers *c;
    GPtrArray *values;
    TensixLeakList *list, **tail;
    GString *text;
    unsigned count;
} Listing;

static const TensixActor *actor_of(const TensixChangers *c, uint32_t place)
{
    return tensix_actors_get(tensix_changers_places(c), place);
}

static void append_value(Listing *l, const TensixNamedValue *value,
                         const TensixActor *writer, const TensixActor *user)
{
    if (l->count++ >= LINES) {
        return;
    }
    g_string_append_printf(l->text, "\n  %s: 0x%x, was 0x%x", value->name,
                           value->after, value->before);
    append_actor(l->text, "written by", writer);
    append_actor(l->text, "used since by", user);
}

static void keep_value(Listing *l, const TensixNamedValue *value,
                       const TensixActor *writer)
{
    Leftover *leftover = g_new0(Leftover, 1);

    *leftover = (Leftover) {
        g_strdup(value->name), value->offset, value->mask, value->after,
    };
    if (writer) {
        leftover->writer = *writer;
    }
    g_ptr_array_add(l->values, leftover);
}

static void list_value(void *opaque, const TensixNamedValue *value)
{
    Listing *l = opaque;
    const TensixChanged *last =
        tensix_changers_last(l->c, value->offset, value->mask);
    uint32_t place = last ? tensix_changers_user(l->c, value->offset, value->mask,
                                                 last->last) : 0;
    const TensixActor *writer = last ? actor_of(l->c, last->place) : NULL;
    const TensixActor *user = place ? actor_of(l->c, place) : NULL;
    TensixLeak *leak = g_new0(TensixLeak, 1);

    tensix_query_change(value, qapi_TensixLeak_base(leak));
    leak->writer = writer ? actor_info(writer) : NULL;
    leak->user = user ? actor_info(user) : NULL;
    QAPI_LIST_APPEND(l->tail, leak);
    keep_value(l, value, writer);
    append_value(l, value, writer, user);
}

/* --- what it has used --- */

/* Its first user in this kernel, before the kernel has changed it; or 0. */
static uint32_t stale_user(const TensixChangers *c, const Leftover *l)
{
    const TensixChanged *first = tensix_changers_first(c, l->offset, l->mask);

    return tensix_changers_early_user(c, l->offset, l->mask,
                                      first ? first->first : UINT64_MAX);
}

static void append_stale(const TensixLeft *left, const TensixChangers *c,
                         uint64_t number, GString *text)
{
    unsigned count = 0;

    for (unsigned n = 0; n < left->values->len; n++) {
        const Leftover *l = g_ptr_array_index(left->values, n);
        uint32_t user = stale_user(c, l);

        if (!user || count++ >= LINES) {
            continue;
        }
        if (count == 1) {
            g_string_append_printf(text, "\ntensix: leaks: kernel %" PRIu64
                                   " has used what kernel %" PRIu64
                                   " left behind:", number, left->number);
        }
        g_string_append_printf(text, "\n  %s: 0x%x", l->name, l->value);
        append_actor(text, "written by", &l->writer);
        append_actor(text, "used by", actor_of(c, user));
    }
    if (count > LINES) {
        g_string_append_printf(text, "\n  and %u more", count - LINES);
    }
}

TensixLeakList *tensix_left_report(TensixLeft *left, const TensixChangers *c,
                                   uint64_t number, bool partial,
                                   const TensixState *before,
                                   const TensixState *after, GString *text)
{
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(leftover_free);
    g_autoptr(GString) used = g_string_new(NULL);
    Listing l = { .c = c, .values = values, .text = text };
    size_t end;

    l.tail = &l.list;
    append_stale(left, c, number, used);
    g_string_append_printf(text, "tensix: leaks: kernel %" PRIu64 " left behind%s",
                           number, partial ? PARTIAL : "");
    end = text->len;
    tensix_named_changes(before, after, list_value, &l);
    g_string_insert(text, end, l.count ? ":" : " nothing");
    if (l.count > LINES) {
        g_string_append_printf(text, "\n  and %u more", l.count - LINES);
    }
    g_string_append(text, used->str);
    g_ptr_array_unref(left->values);
    left->values = g_steal_pointer(&values);
    left->number = number;
    return l.list;
}
