/*
 * One description of some state, two forms: text for a person, QDict for QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <math.h>
#include "qobject/qlist.h"
#include "qobject/qnum.h"
#include "qobject/qstring.h"
#include "tensix_emit.h"

void tensix_emit_init_text(TensixEmit *e, GString *text)
{
    *e = (TensixEmit) { .text = text };
}

void tensix_emit_init_qdict(TensixEmit *e)
{
    *e = (TensixEmit) { .stack = { qdict_new() } };
}

QDict *tensix_emit_finish_qdict(TensixEmit *e)
{
    return e->stack[0];
}

static void line(TensixEmit *e, const char *name, const char *value)
{
    g_string_append_printf(e->text, "%*s%s: %s\n", e->depth * 2, "", name,
                           value);
}

void tensix_emit_open(TensixEmit *e, const char *fmt, ...)
{
    g_autofree char *name = NULL;
    va_list ap;

    va_start(ap, fmt);
    name = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_assert(e->depth + 1 < TENSIX_EMIT_DEPTH);
    if (e->text) {
        g_string_append_printf(e->text, "%*s%s\n", e->depth * 2, "", name);
    } else {
        QDict *group = qdict_new();

        qdict_put(e->stack[e->depth], name, group);
        e->stack[e->depth + 1] = group;
    }
    e->depth++;
}

void tensix_emit_close(TensixEmit *e)
{
    e->depth--;
}

void tensix_emit_uint(TensixEmit *e, const char *name, uint64_t value)
{
    if (e->text) {
        g_autofree char *text = g_strdup_printf("%" PRIu64, value);

        line(e, name, text);
    } else {
        qdict_put(e->stack[e->depth], name, qnum_from_uint(value));
    }
}

void tensix_emit_hex(TensixEmit *e, const char *name, uint64_t value)
{
    if (e->text) {
        g_autofree char *text = g_strdup_printf("0x%" PRIx64, value);

        line(e, name, text);
    } else {
        qdict_put(e->stack[e->depth], name, qnum_from_uint(value));
    }
}

void tensix_emit_string(TensixEmit *e, const char *name, const char *fmt, ...)
{
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    if (e->text) {
        line(e, name, text);
    } else {
        qdict_put_str(e->stack[e->depth], name, text);
    }
}

void tensix_emit_raw_row(TensixEmit *e, const char *name, const uint32_t *cells,
                         int n, int hex_digits)
{
    QList *list = e->text ? NULL : qlist_new();
    g_autoptr(GString) row = g_string_new(NULL);

    for (int i = 0; i < n; i++) {
        if (list) {
            qlist_append(list, qnum_from_uint(cells[i]));
        } else {
            g_string_append_printf(row, "%s%0*x", i ? " " : "", hex_digits,
                                   cells[i]);
        }
    }
    if (list) {
        qdict_put(e->stack[e->depth], name, list);
    } else {
        line(e, name, row->str);
    }
}

/* JSON has no infinities and no NaN: they go as strings. */
static void append_float(QList *list, float value)
{
    if (isfinite(value)) {
        qlist_append(list, qnum_from_double(value));
    } else {
        qlist_append_str(list, isnan(value) ? "nan"
                               : value < 0  ? "-inf"
                                            : "inf");
    }
}

void tensix_emit_float_row(TensixEmit *e, const char *name, const float *cells,
                           int n)
{
    QList *list = e->text ? NULL : qlist_new();
    g_autoptr(GString) row = g_string_new(NULL);

    for (int i = 0; i < n; i++) {
        if (list) {
            append_float(list, cells[i]);
        } else {
            g_string_append_printf(row, "%s%10.4g", i ? " " : "", cells[i]);
        }
    }
    if (list) {
        qdict_put(e->stack[e->depth], name, list);
    } else {
        line(e, name, row->str);
    }
}
