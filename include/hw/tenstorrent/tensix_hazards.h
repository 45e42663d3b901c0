/*
 * Rules of scheduling that hardware does not enforce, reported.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_HAZARDS_H
#define HW_TENSTORRENT_TENSIX_HAZARDS_H

#define TYPE_TENSIX_HAZARDS "tensix-hazards"

#endif
