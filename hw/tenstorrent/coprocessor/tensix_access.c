/*
 * What the MMIO devices of a Tensix tile share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/log.h"
#include "hw/tenstorrent/tensix_access.h"
#include "tensix_cop_internal.h"

bool tensix_access_check_links(DeviceState *dev, Error **errp)
{
    ObjectPropertyIterator iter;
    ObjectProperty *p;

    object_class_property_iter_init(&iter, object_get_class(OBJECT(dev)));
    while ((p = object_property_iter_next(&iter))) {
        if (g_str_has_prefix(p->type, "link<") &&
            !object_property_get_link(OBJECT(dev), p->name, NULL)) {
            error_setg(errp, "%s: link property %s is not set",
                       object_get_typename(OBJECT(dev)), p->name);
            return false;
        }
    }
    return true;
}

void tensix_access_init_region(SysBusDevice *dev, MemoryRegion *mr,
                               const MemoryRegionOps *ops, void *opaque,
                               const char *name, uint64_t size)
{
    memory_region_init_io(mr, OBJECT(dev), ops, opaque, name, size);
    mr->disable_reentrancy_guard = true;
    sysbus_init_mmio(dev, mr);
}

uint64_t tensix_access_would_block(const TensixHart *hart, const char *what,
                                   MemTxAttrs attrs)
{
    if (!attrs.debug) {
        qemu_log_mask(LOG_GUEST_ERROR, "tensix: %s: %s: the hart would stall here; "
                      "not the hart's own access, so nothing done\n",
                      tensix_hart_name(hart->id), what);
    }
    return TENSIX_WOULD_BLOCK;
}

bool tensix_access_is_word(TensixHart *hart, const char *what, unsigned size,
                           MemTxAttrs attrs)
{
    if (size == sizeof(uint32_t)) {
        return true;
    }
    if (!attrs.debug) {
        tensix_report_access(hart, attrs, TENSIX_UNDEFINED_BEHAVIOUR,
                             "%s: access of %u bytes, only aligned words are "
                             "defined", what, size);
    }
    return false;
}

void tensix_access_undescribed(TensixHart *hart, const char *what, hwaddr addr,
                               MemTxAttrs attrs)
{
    if (!attrs.debug) {
        tensix_report_access(hart, attrs, TENSIX_BAD_ACCESS,
                             "%s: no behaviour is described for offset 0x%"
                             HWADDR_PRIx, what, addr);
    }
}

bool tensix_access_thread_idle(TensixCopState *cop, TensixIdleFn *idle,
                               uint32_t thread, TensixHart *waiter,
                               TensixStall why)
{
    bool is_idle = idle(tensix_cop_lock(cop), thread);

    if (!is_idle && waiter) {
        tensix_hart_announce_stall(waiter, why);
    }
    tensix_cop_release(cop);
    return is_idle;
}

bool tensix_access_is_idle_now(TensixCopState *cop, TensixIdleFn *idle,
                               uint32_t thread)
{
    bool is_idle;

    if (!tensix_cop_lock_begin_push(&cop->lock)) {
        return false;
    }
    is_idle = idle(cop->core, thread);
    tensix_cop_lock_end_push(&cop->lock);
    return is_idle;
}
