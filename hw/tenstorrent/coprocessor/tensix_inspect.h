/*
 * Inspection of the tile: `info tensix`, and the same data by QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_INSPECT_H
#define HW_TENSTORRENT_TENSIX_INSPECT_H

#include "hw/tenstorrent/core/views/why.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "../common/tensix_emit.h"

/* What a register-file topic shows; words of `info tensix dest 64 8 bf16`. */
typedef struct TensixInspectArgs {
    uint32_t first, count;         /* rows; count 0: a default */
    const char *format;            /* NULL: the configured one */
    uint32_t bank;                 /* Src bank */
} TensixInspectArgs;

typedef void TensixInspectFn(TensixEmit *e, TensixCopState *cop,
                             const TensixInspectArgs *args);

typedef struct TensixInspectTopic {
    const char *name, *help;
    TensixInspectFn *show;
} TensixInspectTopic;

/* Register files (tensix_inspect_regs.c). */
TensixInspectFn tensix_inspect_dest, tensix_inspect_srca, tensix_inspect_srcb,
                tensix_inspect_lregs, tensix_inspect_gprs;

/* What never changes (tensix_inspect_tables.c). */
TensixInspectFn tensix_inspect_instructions, tensix_inspect_fields;

/* Five harts and three threads; nodes are zero before.  Inside lock. */
void tensix_inspect_nodes(TensixCopState *cop, TensixWhyNode *nodes);

/* Appends what `info tensix why` prints; BQL held. */
void tensix_inspect_why(TensixCopState *cop, GString *text);

/* Is the format one that the register-file topics know? */
bool tensix_inspect_format_known(const char *format);

/* Adds one read-only QOM property per topic to the coprocessor's class. */
void tensix_inspect_add_properties(ObjectClass *oc);

#endif
