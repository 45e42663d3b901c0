/*
 * Accesses that nothing orders, reported: tensix-races.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_RACES_H
#define HW_TENSTORRENT_TENSIX_RACES_H

#define TYPE_TENSIX_RACES "tensix-races"

#endif
