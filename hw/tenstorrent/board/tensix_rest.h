/*
 * How much the coprocessor has executed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_REST_H
#define HW_TENSTORRENT_TENSIX_REST_H

#include "hw/tenstorrent/tensix_cop.h"

/* Instructions that the coprocessor has executed since reset. */
uint64_t tensix_rest_executed(const TensixCopState *cop);

#endif
