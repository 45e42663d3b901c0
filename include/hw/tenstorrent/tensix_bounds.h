/*
 * Accesses beyond declared buffers, reported: tensix-bounds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Buffers are settings, not state of the guest: they survive resets and belong
 * to no snapshot.
 *
 * QEMU interface:
 *  + -object tensix-bounds,id=ID[,tile=PATH]
 *  + QMP commands tensix-buffer, tensix-buffer-remove, query-tensix-buffers
 */

#ifndef HW_TENSTORRENT_TENSIX_BOUNDS_H
#define HW_TENSTORRENT_TENSIX_BOUNDS_H

#include "qapi/qapi-types-tenstorrent-state.h"
#include "qom/object.h"

#define TYPE_TENSIX_BOUNDS_CHECK "tensix-bounds"
OBJECT_DECLARE_SIMPLE_TYPE(TensixBounds, TENSIX_BOUNDS_CHECK)

/*
 * Declares a buffer, instead of one with the same name.  False with errp set: it
 * has no place in memory, or there are too many.  BQL held, here and below.
 */
bool tensix_bounds_declare(TensixBounds *b, const TensixBuffer *buffer,
                           Error **errp);

/* False: there is none with this name. */
bool tensix_bounds_remove(TensixBounds *b, const char *name);

/* In the order of declaration; to be freed with qapi_free_TensixBufferList(). */
TensixBufferList *tensix_bounds_list(TensixBounds *b);

#endif
