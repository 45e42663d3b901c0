/*
 * One description of some state, two forms: text for a person, QDict for QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_EMIT_H
#define HW_TENSTORRENT_TENSIX_EMIT_H

#include "hw/tenstorrent/tensix_source.h"
#include "qobject/qdict.h"

#define TENSIX_EMIT_DEPTH 8

typedef struct TensixEmit {
    TensixSources *sources;        /* strings name places of theirs; or NULL */
    GString *text;                 /* set: text form */
    QDict *stack[TENSIX_EMIT_DEPTH];  /* else: the open dictionaries */
    int depth;
} TensixEmit;

/* Everything emitted goes to text, a line each, indented by depth. */
void tensix_emit_init_text(TensixEmit *e, GString *text);

/* Everything emitted goes into a new dictionary, which finish returns. */
void tensix_emit_init_qdict(TensixEmit *e);
QDict *tensix_emit_finish_qdict(TensixEmit *e);

/* A named group; its members are emitted until close. */
void tensix_emit_open(TensixEmit *e, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
void tensix_emit_close(TensixEmit *e);

void tensix_emit_uint(TensixEmit *e, const char *name, uint64_t value);
void tensix_emit_hex(TensixEmit *e, const char *name, uint64_t value);
void tensix_emit_string(TensixEmit *e, const char *name, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);

/* One row of a register file: numbers as they are, or as floating point. */
void tensix_emit_raw_row(TensixEmit *e, const char *name, const uint32_t *cells,
                         int n, int hex_digits);
void tensix_emit_float_row(TensixEmit *e, const char *name, const float *cells,
                           int n);

#endif
