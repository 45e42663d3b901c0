/*
 * Reads of what nobody has written (unwritten=report): what the device's files
 * share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_UNWRITTEN_H
#define HW_TENSTORRENT_TENSIX_UNWRITTEN_H

#include "hw/tenstorrent/tensix_cop.h"
#include "migration/vmstate.h"

/* Makes the marks, if property "unwritten" asks for them; frees them. */
void tensix_unwritten_init(TensixCopState *cop);
void tensix_unwritten_finish(TensixCopState *cop);

/* For the core's observer; NULL: nobody asks. */
TensixUnwritten *tensix_unwritten_marks(TensixCopState *cop);

/* A reset begins: loaders write behind it. */
void tensix_unwritten_begin(TensixCopState *cop);

/* The machine goes on: the harts are there.  BQL held. */
void tensix_unwritten_go_on(TensixCopState *cop);

/* An agent reads L1; outside the core, BQL held. */
void tensix_unwritten_read_by(TensixCopState *cop, const TensixActor *by,
                              uint32_t address, uint32_t size);

/* Of TensixCopState: there only if there are marks. */
extern const VMStateDescription vmstate_tensix_unwritten;

#endif
