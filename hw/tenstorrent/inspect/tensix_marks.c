/*
 * What a kernel leaves: named moments, and the differences between two.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A moment is a copy of the core's state.  They are a debugger's, not the
 * tile's: no reset and no snapshot knows them.
 */

#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-tenstorrent-state.h"
#include "qapi/util.h"
#include "tensix_query.h"

enum { MAX_MARKS = 16 };

/* --- what differs --- */

void tensix_query_change(const TensixNamedValue *value, TensixChange *change)
{
    QEMU_BUILD_BUG_ON((int)TENSIX_STATE_GROUP__MAX != TENSIX_NAMED_GROUPS);
    *change = (TensixChange) {
        .group = value->group, .name = g_strdup(value->name),
        .before = value->before, .after = value->after,
    };
}

static void add_change(void *opaque, const TensixNamedValue *value)
{
    TensixChangeList ***tail = opaque;
    TensixChange *change = g_new0(TensixChange, 1);

    tensix_query_change(value, change);
    QAPI_LIST_APPEND(*tail, change);
}

static TensixChangeList *changes_between(const TensixState *before,
                                         const TensixState *after)
{
    TensixChangeList *list = NULL, **tail = &list;

    tensix_named_changes(before, after, add_change, &tail);
    return list;
}

static void add_field(void *opaque, const TensixNamedValue *value)
{
    TensixStateFieldList ***tail = opaque;
    TensixStateField *field = g_new0(TensixStateField, 1);

    field->group = value->group;
    field->name = g_strdup(value->name);
    field->value = value->after;
    QAPI_LIST_APPEND(*tail, field);
}

TensixStateFieldList *qmp_query_tensix_state(const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixStateFieldList *list = NULL, **tail = &list;
    TensixState *nothing;

    if (cop) {
        nothing = qemu_memalign(__alignof(TensixState), sizeof(*nothing));
        memset(nothing, 0, sizeof(*nothing));
        tensix_named_changes(nothing, tensix_cop_state(cop), add_field, &tail);
        qemu_vfree(nothing);
        tensix_cop_release(cop);
    }
    return list;
}

/* --- marks --- */

TensixState *tensix_query_copy(const TensixState *state)
{
    TensixState *copy = qemu_memalign(__alignof(TensixState), sizeof(*copy));

    *copy = *state;
    return copy;
}

void qmp_tensix_mark(const char *name, const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);

    if (!cop) {
        return;
    }
    if (g_hash_table_size(tensix_cop_marks(cop)) >= MAX_MARKS &&
        !g_hash_table_contains(tensix_cop_marks(cop), name)) {
        error_setg(errp, "there are %d marks already: tensix-unmark one",
                   MAX_MARKS);
    } else {
        g_hash_table_replace(tensix_cop_marks(cop), g_strdup(name),
                             tensix_query_copy(tensix_cop_state(cop)));
    }
    tensix_cop_release(cop);
}

void qmp_tensix_unmark(const char *name, const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);

    if (!cop) {
        return;
    }
    if (!g_hash_table_remove(tensix_cop_marks(cop), name)) {
        error_setg(errp, "there is no mark '%s'", name);
    }
    tensix_cop_release(cop);
}

/* The mark's state, or NULL with errp set. */
static const TensixState *find_mark(TensixCopState *cop, const char *name,
                                    Error **errp)
{
    const TensixState *state = g_hash_table_lookup(tensix_cop_marks(cop), name);

    if (!state) {
        error_setg(errp, "there is no mark '%s': tensix-mark makes one", name);
    }
    return state;
}

TensixChangeList *qmp_query_tensix_changes(const char *since, const char *until,
                                           const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    const TensixState *before, *after;
    TensixChangeList *list = NULL;

    if (!cop) {
        return NULL;
    }
    before = find_mark(cop, since, errp);
    after = !before ? NULL : until ? find_mark(cop, until, errp)
                                   : tensix_cop_state(cop);
    if (after) {
        list = changes_between(before, after);
    }
    tensix_cop_release(cop);
    return list;
}
