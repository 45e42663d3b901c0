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
    g_autofree char *plain = NULL, *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    plain = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    text = tensix_sources_annotate(e->sources, plain);
    if (e->text) {
        line(e, name, text);
    } else {
        qdict_put_str(e->stack[e->depth], name, text);
    }
}

/* --- rows of a register file --- */

enum {
    SCREEN_COLUMNS = 80,
    CELLS_IN_A_LINE = 8,           /* of a longer row: 32 lanes are a 4 x 8 grid */
    FLOAT_WIDTH = 8,
    FLOAT_DIGITS = 4,              /* significant ones, if they fit */
    CELL_TEXT = 24,
};

/* The row's lines: each has eight cells, below each other. */
static void print_row(TensixEmit *e, const char *name, int n, int width,
                      void (*print)(const void *cells, int i, char *text),
                      const void *cells)
{
    int per_line = MIN(n, CELLS_IN_A_LINE);
    int label = e->depth * 2 + strlen(name) + 1;
    char text[CELL_TEXT];

    g_string_append_printf(e->text, "%*s%s:", e->depth * 2, "", name);
    if (label + per_line * (width + 1) > SCREEN_COLUMNS) {
        label = e->depth * 2 + 1;
        g_string_append_printf(e->text, "\n%*s", label, "");
    }
    for (int i = 0; i < n; i++) {
        if (i && i % per_line == 0) {
            g_string_append_printf(e->text, "\n%*s", label, "");
        }
        print(cells, i, text);
        g_string_append_printf(e->text, " %*s", width, text);
    }
    g_string_append_c(e->text, '\n');
}

/* Hexadecimal cells with their number of digits. */
typedef struct RawCells {
    const uint32_t *cells;
    int digits;
} RawCells;

static void print_raw(const void *cells, int i, char *text)
{
    const RawCells *raw = cells;

    snprintf(text, CELL_TEXT, "%0*x", raw->digits, raw->cells[i]);
}

void tensix_emit_raw_row(TensixEmit *e, const char *name, const uint32_t *cells,
                         int n, int hex_digits)
{
    RawCells raw = { cells, hex_digits };
    QList *list;

    if (e->text) {
        print_row(e, name, n, hex_digits, print_raw, &raw);
        return;
    }
    list = qlist_new();
    for (int i = 0; i < n; i++) {
        qlist_append(list, qnum_from_uint(cells[i]));
    }
    qdict_put(e->stack[e->depth], name, list);
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

/* With as many digits as there is room for: -1.2e-05, but -1.234. */
static void print_float(const void *cells, int i, char *text)
{
    int digits = FLOAT_DIGITS;

    do {
        snprintf(text, CELL_TEXT, "%.*g", digits, ((const float *)cells)[i]);
    } while (strlen(text) > FLOAT_WIDTH && --digits);
}

void tensix_emit_float_row(TensixEmit *e, const char *name, const float *cells,
                           int n)
{
    QList *list;

    if (e->text) {
        print_row(e, name, n, FLOAT_WIDTH, print_float, cells);
        return;
    }
    list = qlist_new();
    for (int i = 0; i < n; i++) {
        append_float(list, cells[i]);
    }
    qdict_put(e->stack[e->depth], name, list);
}
