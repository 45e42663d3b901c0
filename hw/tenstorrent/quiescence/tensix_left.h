/*
 * What a kernel has left, as text and for QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_LEFT_H
#define HW_TENSTORRENT_TENSIX_LEFT_H

#include "hw/tenstorrent/tensix_report.h"
#include "tensix_changers.h"

/* What the previous kernel has left, for its users in the next one. */
typedef struct TensixLeft TensixLeft;

TensixLeft *tensix_left_new(void);
void tensix_left_free(TensixLeft *left);       /* left may be NULL */

/*
 * Kernel `number` has ended: appends lines of what it has left, and of what it
 * has used of the previous kernel, which left those values.  Returns the
 * former, to be freed with qapi_free_TensixLeakList().  `partial`: `before` is
 * of the middle of the kernel, which the text says.  Inside the core's lock.
 */
TensixLeakList *tensix_left_report(TensixLeft *left, const TensixChangers *c,
                                   uint64_t number, bool partial,
                                   const TensixState *before,
                                   const TensixState *after, GString *text);

/*
 * Reports each field of configuration and each GPR that a function NAME_init has
 * changed and NAME_uninit set to another value than it had before, a violation of
 * category "leak" by NAME_uninit.  Names are those of the frames that the sources
 * give, inlined ones included.  Inside the core's lock.
 */
void tensix_left_check_uninit(const TensixChangers *c, TensixReporter *reporter);

#endif
