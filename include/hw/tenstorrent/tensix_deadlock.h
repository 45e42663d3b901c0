/*
 * Deadlock: reported when nothing in the tile can ever continue without the host.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A wait is for good if
 *
 * - no hart that has left reset can run (all are stalled or paused), and one
 *   is stalled or a thread has instructions; or
 * - all harts that can run only spin (tensix_hart_spins()), and a thread has
 *   instructions, none of which can be executed, or a hart is stalled that none
 *   of those that spin could wake;
 *
 * nothing in the machine is busy (tensix_busy.h), and all that for 100 ms of
 * virtual time.  A host could still help: the report is
 * about the guest.  Not with -accel qtest, where all is the host's doing.
 *
 * QEMU interface:
 *  + -object tensix-deadlock,id=ID[,tile=PATH][,action=log|stop|exit]
 *    [,unfinished=on|off]; instead of the tile's own
 *  + property "action": TensixDeadlockAction, also at run time
 *  + property "unfinished": when QEMU ends, report what still waits
 *  + QMP event TENSIX_DEADLOCK
 */

#ifndef HW_TENSTORRENT_TENSIX_DEADLOCK_H
#define HW_TENSTORRENT_TENSIX_DEADLOCK_H

#define TYPE_TENSIX_DEADLOCK "tensix-deadlock"

#endif
