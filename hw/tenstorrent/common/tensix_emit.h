/*
 * State as text for a person: names and values, a line each, indented.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_EMIT_H
#define HW_TENSTORRENT_TENSIX_EMIT_H

#include "hw/tenstorrent/tensix_source.h"

typedef struct TensixEmit {
    GString *text;
    TensixSources *sources;        /* strings name places of theirs; or NULL */
    int depth;                     /* groups that are open */
    unsigned strings;              /* so far */
    int64_t places_until;          /* when strings beyond the first have none */
} TensixEmit;

/* A group with a name; its members are emitted until close. */
void tensix_emit_open(TensixEmit *e, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
void tensix_emit_close(TensixEmit *e);

/*
 * A name and its value; a long value is broken at blanks.  Of a text with very
 * many strings the first have their places in any case, the others within 20 ms
 * of lookups: results are cached for the next time.
 */
void tensix_emit_uint(TensixEmit *e, const char *name, uint64_t value);
void tensix_emit_hex(TensixEmit *e, const char *name, uint64_t value);
void tensix_emit_string(TensixEmit *e, const char *name, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);

/*
 * Cells of a register file's row: raw, as hexadecimal digits, or read as
 * numbers.  Equal cells are folded ("0 in all lanes"), and so is a constant
 * difference from one cell to the next ("0 to 62 in steps of 2"), unless the
 * row is one line anyway.
 */
typedef struct TensixCells {
    const uint32_t *raw;
    const double *numbers;         /* the same cells; NULL: shown raw */
    int count;
    int digits;                    /* hexadecimal ones of a raw cell */
    const char *plural;            /* of what has a cell each: "lanes" */
} TensixCells;

void tensix_emit_cells(TensixEmit *e, const char *name,
                       const TensixCells *cells);

#endif
