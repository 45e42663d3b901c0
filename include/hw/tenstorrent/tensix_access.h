/*
 * What the MMIO devices of a Tensix tile share: links to the harts, and the
 * answers for accesses that cannot be served.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_ACCESS_H
#define HW_TENSTORRENT_TENSIX_ACCESS_H

#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_cop.h"

/*
 * What qtest, gdb and the monitor read where a hart would stall: nothing
 * answered.  Never seen by a hart.
 */
#define TENSIX_WOULD_BLOCK 0xffffffffu

/* Property hart[i] of a device with `TensixHart *hart[]`; i is a digit. */
#define TENSIX_PROP_HART(state, i)                                      \
    DEFINE_PROP_LINK("hart[" #i "]", state, hart[i], TYPE_TENSIX_HART,  \
                     TensixHart *)

/* Properties hart[0] to hart[4] of such a device. */
#define TENSIX_PROP_HARTS(state)                                        \
    TENSIX_PROP_HART(state, 0), TENSIX_PROP_HART(state, 1),             \
    TENSIX_PROP_HART(state, 2), TENSIX_PROP_HART(state, 3),             \
    TENSIX_PROP_HART(state, 4)

/* False, with errp set, if one of the device's link properties is not set. */
bool tensix_access_check_links(DeviceState *dev, Error **errp);

/*
 * Initialises region `mr` of a device that may stall harts and makes it the
 * device's next sysbus region.  The re-entrancy guard is off: a stall leaves
 * by longjmp and would leave the guard locked.
 */
void tensix_access_init_region(SysBusDevice *dev, MemoryRegion *mr,
                               const MemoryRegionOps *ops, void *opaque,
                               const char *name, uint64_t size);

/*
 * The answer TENSIX_WOULD_BLOCK to an access by qtest, gdb or the monitor that
 * would have stalled the hart; logged as a guest error unless it is a peek.
 */
uint64_t tensix_access_would_block(const TensixHart *hart, const char *what,
                                   MemTxAttrs attrs);

/*
 * Is this access a whole word?  If not it is reported as undefined behaviour
 * (unless it is a peek) and must have no effect.
 */
bool tensix_access_is_word(TensixHart *hart, const char *what, unsigned size,
                           MemTxAttrs attrs);

/* Reports an access to an offset whose behaviour no page describes. */
void tensix_access_undescribed(TensixHart *hart, const char *what, hwaddr addr,
                               MemTxAttrs attrs);

/* tensix_thread_idle() or tensix_mop_idle(). */
typedef bool TensixIdleFn(const TensixCore *core, uint32_t thread);

/*
 * Asks the coprocessor whether thread 0..2 is idle.  If not, the caller has to
 * stall the waiter, unless it is NULL, for this reason: until then the BQL,
 * which is held, keeps it from being woken.
 */
bool tensix_access_thread_idle(TensixCopState *cop, TensixIdleFn *idle,
                               uint32_t thread, TensixHart *waiter,
                               TensixStall why);

/*
 * The same in a direct access of a hart, without the BQL; false also if another
 * thread is in the core.
 */
bool tensix_access_is_idle_now(TensixCopState *cop, TensixIdleFn *idle,
                               uint32_t thread);

#endif
