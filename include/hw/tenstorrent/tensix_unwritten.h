/*
 * Reads of what was never written since reset, reported.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_UNWRITTEN_H
#define HW_TENSTORRENT_TENSIX_UNWRITTEN_H

#define TYPE_TENSIX_UNWRITTEN_REPORTER "tensix-unwritten"

#endif
