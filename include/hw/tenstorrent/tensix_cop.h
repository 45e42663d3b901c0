/*
 * Tensix coprocessor device: the core behind its MMIO windows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_COP_H
#define HW_TENSTORRENT_TENSIX_COP_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/core/tensix_core.h"
#include "qom/object.h"

#define TYPE_TENSIX_COP "tensix-cop"
OBJECT_DECLARE_SIMPLE_TYPE(TensixCopState, TENSIX_COP)

/* Regions of the device, for sysbus_mmio_get_region() and the board's table. */
enum {
    TENSIX_COP_PUSH_B0, /* BRISC: push to thread 0, 1, 2; 64 KiB each */
    TENSIX_COP_PUSH_B1,
    TENSIX_COP_PUSH_B2,
    TENSIX_COP_PUSH_T0, /* T hart: push to its own thread; 64 KiB */
    TENSIX_COP_PUSH_T1,
    TENSIX_COP_PUSH_T2,
    TENSIX_COP_GPR_B,  /* GPRs of all threads, 0x300; 4 KiB */
    TENSIX_COP_GPR_T0, /* own GPRs, repeating; 4 KiB */
    TENSIX_COP_GPR_T1,
    TENSIX_COP_GPR_T2,
    TENSIX_COP_CFG_B, /* back-end configuration; 64 KiB */
    TENSIX_COP_CFG_T0,
    TENSIX_COP_CFG_T1,
    TENSIX_COP_CFG_T2,
    TENSIX_COP_MOP_CFG_T0, /* MopCfg, write-only; 0x24 bytes */
    TENSIX_COP_MOP_CFG_T1,
    TENSIX_COP_MOP_CFG_T2,
    TENSIX_COP_REGIONS,
};

/*
 * What it is made of.  The state, and what the core's functions say of it, may be
 * read without the lock where no hart runs or a wrong answer does no harm.
 */
TensixCore *tensix_cop_core(const TensixCopState *cop);
const TensixState *tensix_cop_state(const TensixCopState *cop);
TensixRecorder *tensix_cop_recorder(const TensixCopState *cop);
TensixHart *tensix_cop_hart(const TensixCopState *cop, unsigned index);
TensixBus *tensix_cop_bus(const TensixCopState *cop);
TensixReporter *tensix_cop_reporter(const TensixCopState *cop);

/* Copies of TensixState by name, a debugger's: g_free(), qemu_vfree(). */
GHashTable *tensix_cop_marks(const TensixCopState *cop);

/* Is there work in the core that the pump is still to do? */
bool tensix_cop_is_busy(const TensixCopState *cop);

/* How often an observer, a timeline or hazards began or ended: another order. */
uint32_t tensix_cop_way_changes(const TensixCopState *cop);

/* Of the core's state; its loader calls tensix_state_valid() then. */
extern const VMStateDescription vmstate_tensix_state;

/*
 * The core must not be touched outside lock/unlock; see
 * hw/tenstorrent/coprocessor/README.md.
 */
TensixCore *tensix_cop_lock(TensixCopState *cop);

/* Around several locks in a row, which then cost one lock's barriers. */
void tensix_cop_keep_out(TensixCopState *cop);
void tensix_cop_let_in(TensixCopState *cop);

/*
 * Lets the coprocessor run as far as it can, but not for more than a few
 * milliseconds (what is left the pump runs), then wakes the harts whose cause
 * to stall may be over.  The Scalar Unit's accesses to devices are left to
 * the pump: the caller may be one.  BQL held, as for lock.  A hart must be stalled
 * (tensix_hart_stall) after unlock, never between: the stall does not return.
 */
void tensix_cop_unlock(TensixCopState *cop);

/*
 * The same after reads: nothing runs and no waiter is woken, so what was
 * seen still holds when the caller stalls its hart.
 */
void tensix_cop_release(TensixCopState *cop);

/*
 * Calls n->notify whenever the core has been locked, until notifier_remove(n).
 * BQL held.
 */
void tensix_cop_on_enter(TensixCopState *cop, Notifier *n);

/* Is the core locked, by this thread if it has the BQL? */
bool tensix_cop_is_entered(const TensixCopState *cop);

/* As tensix_set_timeline(); inside lock. */
void tensix_cop_set_timeline(TensixCopState *cop, void (*full)(void *opaque),
                             void *opaque);

/* As tensix_set_hazards(), for all resets from now on; inside lock. */
void tensix_cop_set_hazards(TensixCopState *cop, bool enabled);

/*
 * As tensix_set_delays(), for all resets from now on; inside lock.  No timer lets
 * cycles pass then: the caller does.
 */
void tensix_cop_set_delays(TensixCopState *cop, TensixDelays *delays);

/*
 * The schedule of that seed from now on, 0: eager; without delays.  Inside lock,
 * while all are idle.
 */
void tensix_cop_set_seed(TensixCopState *cop, uint64_t seed);

/* Lets so many cycles of a random schedule pass, then wakes harts.  BQL held. */
void tensix_cop_pass_cycles(TensixCopState *cop, uint32_t cycles);

/* The pump runs the core, and wakes harts, when the machine runs.  BQL held. */
void tensix_cop_put_off(TensixCopState *cop);

/* Wakes every hart that is stalled for one of these (1 << TensixStall). */
void tensix_cop_wake(TensixCopState *cop, uint32_t stall_mask);

/*
 * Sets what reads a NoC overlay stream register (the stream device): offset in
 * bytes inside the stream.
 */
void tensix_cop_set_stream_read(TensixCopState *cop,
                                uint32_t (*fn)(void *opaque, uint32_t stream,
                                               uint32_t offset),
                                void *opaque);

/*
 * Auto TTSync: if this T hart's access to the resources (TENSIX_RESOURCE_*)
 * must wait for instructions it pushed earlier, stalls it and does not return.
 * Call it before anything else in the MMIO callback, not under lock.  Nothing
 * happens for other harts and for accesses that may not block.
 */
void tensix_cop_ttsync(TensixCopState *cop, TensixHart *hart, MemTxAttrs attrs,
                       uint32_t resources, bool is_store);

#endif
