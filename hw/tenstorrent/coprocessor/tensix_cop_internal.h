/*
 * Tensix coprocessor device: what its own files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_COP_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_COP_INTERNAL_H

#include "hw/tenstorrent/tensix_cop.h"
#include "migration/vmstate.h"

extern const VMStateDescription vmstate_tensix_cop;

/*
 * What a caller may bring about.  The Scalar Unit's accesses reach devices, so
 * they are none for who may be called by a device.
 */
typedef enum TensixCopExtent {
    TENSIX_COP_THREADS,
    TENSIX_COP_ACCESSES,           /* threads and accesses */
} TensixCopExtent;

/* Runs the core on as far as that allows, wakes harts, releases. */
void tensix_cop_unlock_to(TensixCopState *cop, TensixCopExtent extent);

/* Sees to it that what is left is run, and by whom. */
void tensix_cop_arm_timers(TensixCopState *cop);

/* Wakes harts whose cause to stall may have gone.  BQL held. */
void tensix_cop_wake_for_changes(TensixCopState *cop);

/* The pump and the timers of that (tensix_cop_run.c). */
void tensix_cop_run_init(TensixCopState *cop);
void tensix_cop_run_finish(TensixCopState *cop);
void tensix_cop_run_reset(TensixCopState *cop);

/* Sets how harts push: whether TENSIX_ON_PUSH is posted (tensix_cop_push.c). */
void tensix_cop_choose_push(TensixCopState *cop);

/* The core's observer (tensix_cop_observe.c). */
void tensix_cop_observe_init(TensixCopState *cop);
void tensix_cop_observe_finish(TensixCopState *cop);

/*
 * Ends a lock under which a debugger changed the state: threads run on, and
 * harts are woken, when the machine does.
 */
void tensix_cop_unlock_poked(TensixCopState *cop);

/* Creates the MMIO regions and their ports (tensix_cop_mmio.c). */
void tensix_cop_init_regions(TensixCopState *cop);

/*
 * Pushes with the BQL held.  A full FIFO stalls the hart at ra, and this does
 * not return, or is reported if the access may not block.
 */
void tensix_cop_push_locked(TensixCopPort *port, uint32_t word, uint32_t pc,
                            MemTxAttrs attrs, uintptr_t ra);

/* The latest events: their ring and its subscriptions (tensix_recent.c). */
void tensix_recent_init(TensixCopState *cop);
void tensix_recent_finish(TensixCopState *cop);
void tensix_recent_watch(TensixCopState *cop);
void tensix_recent_unwatch(TensixCopState *cop);

/* Gives the core its callbacks (tensix_cop_callbacks.c); L1 is there already. */
void tensix_cop_set_callbacks(TensixCopState *cop);

/* The core's mmio_write and mmio_read: they only leave a note. */
TensixResult tensix_cop_note_write(void *opaque, const TensixInsn *by,
                                   uint32_t address, uint32_t value);
TensixResult tensix_cop_note_read(void *opaque, const TensixInsn *by,
                                  uint32_t address, uint32_t *value);

/* Is there a note of an access that is still to be made? */
bool tensix_cop_access_to_do(const TensixCopState *cop);

/*
 * Makes the access that was noted, outside the core and with the BQL held,
 * while no device is in the middle of one.
 */
void tensix_cop_make_access(TensixCopState *cop);

/* Creates and destroys the view that these accesses go through. */
void tensix_cop_registers_init(TensixCopState *cop);
void tensix_cop_registers_finish(TensixCopState *cop);

/* Status CSRs of a hart (tensix_cop_status.c); a TensixStatusFn. */
uint32_t tensix_cop_status(void *opaque, TensixHartIndex hart, unsigned index);

/* Adds the group "tensix" to the TRISCs' gdb registers (tensix_gdb.c). */
void tensix_gdb_register(TensixCopState *cop);

#endif
