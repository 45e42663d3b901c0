/*
 * Declared buffers of a tile: commands of QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: qapi/tenstorrent-state.json
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-tenstorrent-state.h"
#include "hw/tenstorrent/tensix_bounds.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "tensix_query.h"

/* The tile's object, which keeps them; NULL: an error. */
static TensixBounds *bounds_of(const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    Object *found;

    if (!cop) {
        return NULL;
    }
    tensix_cop_release(cop);
    found = tensix_instrument_find(tensix_cop_bus(cop),
                                   TYPE_TENSIX_BOUNDS_CHECK);
    if (!found) {
        error_set(errp, ERROR_CLASS_DEVICE_NOT_ACTIVE, "the tile has no "
                  TYPE_TENSIX_BOUNDS_CHECK " object (bounds=report)");
        return NULL;
    }
    return TENSIX_BOUNDS_CHECK(found);
}

void qmp_tensix_buffer(TensixBufferArguments *arg, Error **errp)
{
    TensixBounds *b = bounds_of(arg->path, errp);

    if (b) {
        tensix_bounds_declare(b, qapi_TensixBufferArguments_base(arg), errp);
    }
}

void qmp_tensix_buffer_remove(const char *name, const char *path, Error **errp)
{
    TensixBounds *b = bounds_of(path, errp);

    if (b && !tensix_bounds_remove(b, name)) {
        error_setg(errp, "there is no buffer '%s'", name);
    }
}

TensixBufferList *qmp_query_tensix_buffers(const char *path, Error **errp)
{
    TensixBounds *b = bounds_of(path, errp);

    return b ? tensix_bounds_list(b) : NULL;
}
