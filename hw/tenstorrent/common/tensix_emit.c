/*
 * State as text for a person: names and values, a line each, indented.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <math.h>
#include "qemu/timer.h"
#include "tensix_emit.h"

#define PLACES_NS (20 * SCALE_MS)

enum {
    SCREEN_COLUMNS = 80,
    INDENT = 2,                    /* of a group's members */
    SURE_PLACES = 64,        /* strings that are resolved regardless of time */
};

void tensix_emit_open(TensixEmit *e, const char *fmt, ...)
{
    va_list ap;

    g_string_append_printf(e->text, "%*s", e->depth * INDENT, "");
    va_start(ap, fmt);
    g_string_append_vprintf(e->text, fmt, ap);
    va_end(ap);
    g_string_append_c(e->text, '\n');
    e->depth++;
}

void tensix_emit_close(TensixEmit *e)
{
    e->depth--;
}

/* Words go to the next line where they would leave the screen. */
static void append_wrapped(TensixEmit *e, int column, const char *value)
{
    g_auto(GStrv) words = g_strsplit(value, " ", -1);
    int indent = (e->depth + 1) * INDENT;

    for (char **word = words; *word; word++) {
        int length = strlen(*word);

        if (word != words && column + 1 + length > SCREEN_COLUMNS) {
            g_string_append_printf(e->text, "\n%*s%s", indent, "", *word);
            column = indent + length;
        } else {
            g_string_append_printf(e->text, " %s", *word);
            column += 1 + length;
        }
    }
    g_string_append_c(e->text, '\n');
}

static void line(TensixEmit *e, const char *name, const char *value)
{
    g_string_append_printf(e->text, "%*s%s:", e->depth * INDENT, "", name);
    append_wrapped(e, e->depth * INDENT + strlen(name) + 1, value);
}

void tensix_emit_uint(TensixEmit *e, const char *name, uint64_t value)
{
    g_autofree char *text = g_strdup_printf("%" PRIu64, value);

    line(e, name, text);
}

void tensix_emit_hex(TensixEmit *e, const char *name, uint64_t value)
{
    g_autofree char *text = g_strdup_printf("0x%" PRIx64, value);

    line(e, name, text);
}

/* A lookup takes time, during which the text's reader holds the machine. */
static bool may_look_up(TensixEmit *e)
{
    if (!e->strings++) {
        e->places_until = get_clock() + PLACES_NS;
    }
    return e->strings <= SURE_PLACES || get_clock() < e->places_until;
}

void tensix_emit_string(TensixEmit *e, const char *name, const char *fmt, ...)
{
    g_autofree char *plain = NULL, *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    plain = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    text = tensix_sources_annotate(may_look_up(e) ? e->sources : NULL, plain);
    line(e, name, text);
}

/* --- rows of a register file --- */

enum {
    CELLS_IN_A_LINE = 8,           /* of a longer row: 32 lanes are a 4 x 8 grid */
    NUMBER_WIDTH = 8,
    NUMBER_DIGITS = 4,              /* significant ones, if they fit */
    CELL_TEXT = 24,
};

static void print_raw(const TensixCells *cells, int i, char *text)
{
    snprintf(text, CELL_TEXT, "%0*x", cells->digits, cells->raw[i]);
}

/* With as many digits as fit: -1.2e-05, but -1.234. */
static void print_number(const TensixCells *cells, int i, char *text)
{
    int digits = NUMBER_DIGITS;

    do {
        snprintf(text, CELL_TEXT, "%.*g", digits, cells->numbers[i]);
    } while (strlen(text) > NUMBER_WIDTH && --digits);
}

static void print_cell(const TensixCells *cells, int i, char *text)
{
    (cells->numbers ? print_number : print_raw)(cells, i, text);
}

/* The row's lines: each has eight cells, below each other. */
static void print_grid(TensixEmit *e, const char *name,
                       const TensixCells *cells)
{
    int width = cells->numbers ? NUMBER_WIDTH : cells->digits;
    int per_line = MIN(cells->count, CELLS_IN_A_LINE);
    int label = e->depth * INDENT + strlen(name) + 1;
    char text[CELL_TEXT];

    g_string_append_printf(e->text, "%*s%s:", e->depth * INDENT, "", name);
    if (label + per_line * (width + 1) > SCREEN_COLUMNS) {
        label = e->depth * INDENT + 1;
        g_string_append_printf(e->text, "\n%*s", label, "");
    }
    for (int i = 0; i < cells->count; i++) {
        if (i && i % per_line == 0) {
            g_string_append_printf(e->text, "\n%*s", label, "");
        }
        print_cell(cells, i, text);
        g_string_append_printf(e->text, " %*s", width, text);
    }
    g_string_append_c(e->text, '\n');
}

/* Raw cells decide: two numbers may differ and print as the same text. */
static bool all_equal(const TensixCells *cells)
{
    for (int i = 1; i < cells->count; i++) {
        if (cells->raw[i] != cells->raw[0]) {
            return false;
        }
    }
    return true;
}

static double cell_value(const TensixCells *cells, int i)
{
    return cells->numbers ? cells->numbers[i] : cells->raw[i];
}

/* What each cell has more than the one before it; 0 if that differs. */
static double common_step(const TensixCells *cells)
{
    double start = cell_value(cells, 0);
    double step = cell_value(cells, 1) - start;

    for (int i = 1; i < cells->count; i++) {
        if (cell_value(cells, i) != start + i * step) {
            return 0;
        }
    }
    return step;
}

/* "0000 to 001e in steps of 2" */
static void print_steps(TensixEmit *e, const TensixCells *cells, double step)
{
    char first[CELL_TEXT], last[CELL_TEXT];

    print_cell(cells, 0, first);
    print_cell(cells, cells->count - 1, last);
    g_string_append_printf(e->text, "%s to %s in steps of ", first, last);
    if (cells->numbers) {
        g_string_append_printf(e->text, "%.*g\n", NUMBER_DIGITS, step);
    } else {
        g_string_append_printf(e->text, "%s%x\n", step < 0 ? "-" : "",
                               (uint32_t)fabs(step));
    }
}

void tensix_emit_cells(TensixEmit *e, const char *name,
                       const TensixCells *cells)
{
    bool long_row = cells->count > CELLS_IN_A_LINE;
    bool equal = long_row && all_equal(cells);
    double step = long_row && !equal ? common_step(cells) : 0;
    char text[CELL_TEXT];

    if (!equal && !step) {
        print_grid(e, name, cells);
        return;
    }
    g_string_append_printf(e->text, "%*s%s: ", e->depth * INDENT, "", name);
    if (equal) {
        print_cell(cells, 0, text);
        g_string_append_printf(e->text, "%s in all %s\n", text, cells->plural);
    } else {
        print_steps(e, cells, step);
    }
}
