/*
 * Large arrays in VMState.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_CELLS_H
#define HW_TENSTORRENT_TENSIX_CELLS_H

#include "migration/vmstate.h"

extern const VMStateInfo tensix_cells_info;

/*
 * The same bytes as VMSTATE_UINT16_ARRAY or VMSTATE_UINT32_ARRAY, without a
 * call per cell; of any number of dimensions.
 */
#define VMSTATE_TENSIX_CELLS(_field, _state, _cell) { \
    .name = (stringify(_field)), \
    .info = &tensix_cells_info, \
    .size = sizeof_field(_state, _field), \
    .num = sizeof(_cell), \
    .offset = offsetof(_state, _field), \
    .flags = VMS_SINGLE, \
}

#endif
