/*
 * Runs of a program with delays, an instrument.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-perturb,id=ID[,tile=PATH]
 *  + QMP commands tensix-perturb, query-tensix-perturb
 *
 * With the object the machine is on an axis (tensix_axis.h), harts take short
 * turns, and the coprocessor's schedule is that of tensix_set_delays().  The
 * object cannot be deleted.  It needs -icount shift=0,sleep=off and excludes
 * tensix-rewind and host software.
 */

#ifndef HW_TENSTORRENT_TENSIX_PERTURB_H
#define HW_TENSTORRENT_TENSIX_PERTURB_H

#define TYPE_TENSIX_PERTURB "tensix-perturb"

#endif
