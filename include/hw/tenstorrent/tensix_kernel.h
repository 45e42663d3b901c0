/*
 * Ends of kernels: reported when the tile has come to rest after it has worked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A kernel has ended if the coprocessor has executed instructions since the last
 * end, and
 *
 * - no thread has an instruction, though harts may wait for mail or a PCBuf;
 * - nothing in the tile is busy (tensix_busy.h);
 *
 * for 5 ms of virtual time.  What it left behind is what differs from the state
 * at the last end, or when a TRISC left reset since, or after reset, or when
 * the object was created.  Not with -accel qtest, where all is the host's
 * doing.
 *
 * QEMU interface:
 *  + -object tensix-leaks,id=ID[,tile=PATH][,leaks=off|report], instead of the
 *    tile's own; it counts kernels anew
 *  + property "leaks": TensixLeaks, also at run time
 *  + QMP event TENSIX_KERNEL_END
 */

#ifndef HW_TENSTORRENT_TENSIX_KERNEL_H
#define HW_TENSTORRENT_TENSIX_KERNEL_H

#define TYPE_TENSIX_LEAKS "tensix-leaks"

#endif
