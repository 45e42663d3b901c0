/*
 * The summary of check=all.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_SUMMARY_H
#define HW_TENSTORRENT_TENSIX_SUMMARY_H

#include "hw/tenstorrent/tensix_report.h"

/*
 * When QEMU ends, for the reporter of any tile: what all tiles of its machine
 * have found, once, and the rules that have suppressed nothing.  Sets `failed` of
 * the reporters with findings, if they check.
 */
void tensix_summary_print(TensixReporter *r);

#endif
