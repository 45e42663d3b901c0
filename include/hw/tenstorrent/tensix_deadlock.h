/*
 * Deadlock: told when nothing in the tile can ever go on by itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Somebody waits for good if
 *
 * - no hart that has left reset can run (all are stalled or paused), and one
 *   is stalled or a thread has instructions; or
 * - all harts that can run only spin (tensix_hart_spins()), and a thread has
 *   instructions, none of which can be executed, or a hart is stalled that none
 *   of those who spin could wake;
 *
 * nothing in the machine is busy (tensix_busy.h), and all that for 100 ms of
 * virtual time.  A host could still help: the report is
 * about the guest.  Not with -accel qtest, where all is the host's doing.
 *
 * QEMU interface:
 *  + property "cop": link to the coprocessor of the tile
 *  + property "action": TensixDeadlockAction
 *  + property "unfinished": when QEMU ends, report what still waits
 *  + QMP event TENSIX_DEADLOCK
 */

#ifndef HW_TENSTORRENT_TENSIX_DEADLOCK_H
#define HW_TENSTORRENT_TENSIX_DEADLOCK_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_poller.h"
#include "qapi/qapi-types-tenstorrent.h"
#include "qom/object.h"

#define TYPE_TENSIX_DEADLOCK "tensix-deadlock"
OBJECT_DECLARE_SIMPLE_TYPE(TensixDeadlockState, TENSIX_DEADLOCK)

enum {
    TENSIX_DEADLOCK_EXIT_STATUS = 4,
};

/* What would be different if anything had gone on. */
typedef struct TensixStandstill {
    uint64_t executed;             /* Tensix instructions */
    uint32_t stall[TENSIX_NUM_HARTS], detail[TENSIX_NUM_HARTS];
    uint32_t pc[TENSIX_NUM_HARTS]; /* of a stalled one */
    bool held[TENSIX_NUM_HARTS], paused[TENSIX_NUM_HARTS];
} TensixStandstill;

/*
 * No state of the tile, but on an axis: elsewhere what was told is told again
 * after a migration.
 */
struct TensixDeadlockState {
    SysBusDevice parent_obj;

    TensixCopState *cop;
    uint32_t action;               /* TensixDeadlockAction */
    bool unfinished;               /* reports waits when QEMU ends */
    TensixPoller poller;
    Notifier exit;
    TensixStandstill last, told;
    bool has_told;
    uint32_t looks;                /* that found the same deadlock */
};

#endif
