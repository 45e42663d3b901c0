/*
 * Manual TTSync of a Tensix tile.  (BH BabyRISCV/ManualTTSync.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_ttsync.h
 *
 * The hardware bug that the page describes (a second load started before this
 * one has finished) cannot be seen here: a load is finished before the next
 * instruction starts.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_hart_direct.h"
#include "hw/tenstorrent/tensix_ttsync.h"
#include "../trace.h"

/* One word of the window: what a load waits for. */
typedef struct TTSyncCheck {
    const char *name;
    TensixIdleFn *idle;
    TensixStall stall;
} TTSyncCheck;

static const TTSyncCheck ttsync_checks[] = {
    { "CoprocessorDoneCheck", tensix_thread_idle, TENSIX_STALL_COP_DONE },
    { "MOPExpanderDoneCheck", tensix_mop_idle, TENSIX_STALL_MOP_DONE },
};

/* The check at this offset from PC_BUF_BASE + 4; NULL: none is described. */
static const TTSyncCheck *ttsync_check(hwaddr addr)
{
    hwaddr index = addr / sizeof(uint32_t);

    return index < ARRAY_SIZE(ttsync_checks) ? &ttsync_checks[index] : NULL;
}

static bool ttsync_is_done(TensixTTSyncPort *p, const TTSyncCheck *check,
                           TensixHart *waiter)
{
    return tensix_pcbuf_override_busy(p->dev->pcbuf, p->thread) ||
           tensix_access_thread_idle(p->dev->cop, check->idle, p->thread,
                                     waiter, check->stall);
}

/*
 * Returns the undefined value of a finished check: 0, once it is finished.  ra as
 * of tensix_hart_stall().
 */
static uint64_t ttsync_wait(TensixTTSyncPort *p, TensixHart *hart,
                            const TTSyncCheck *check, MemTxAttrs attrs,
                            uintptr_t ra)
{
    bool may_block = tensix_hart_may_block(hart, attrs);

    if (ttsync_is_done(p, check, may_block ? hart : NULL)) {
        trace_tensix_ttsync(p->thread, check->name, "done");
        return 0;
    }
    if (may_block) {
        trace_tensix_ttsync(p->thread, check->name, "busy");
        tensix_hart_stall(hart, check->stall, p->thread, ra);
    }
    return tensix_access_would_block(hart, check->name, attrs);
}

static TensixHart *ttsync_hart(TensixTTSyncPort *p)
{
    return p->dev->hart[TENSIX_HART_TRISC0 + p->thread];
}

static MemTxResult ttsync_read(void *opaque, hwaddr addr, uint64_t *data,
                               unsigned size, MemTxAttrs attrs)
{
    TensixTTSyncPort *p = opaque;
    TensixHart *hart = ttsync_hart(p);
    const TTSyncCheck *check = ttsync_check(addr);

    *data = 0;
    if (!check) {
        tensix_access_undescribed(hart, "manual TTSync load",
                                  addr + TENSIX_TTSYNC_BASE, attrs);
    } else if (tensix_access_is_word(hart, check->name, size, attrs)) {
        *data = ttsync_wait(p, hart, check, attrs, 0);
    }
    return MEMTX_OK;
}

/* The stored value is discarded; software stores for the sake of ordering. */
static MemTxResult ttsync_write(void *opaque, hwaddr addr, uint64_t data,
                                unsigned size, MemTxAttrs attrs)
{
    TensixTTSyncPort *p = opaque;

    if (!ttsync_check(addr)) {
        tensix_access_undescribed(ttsync_hart(p), "manual TTSync store",
                                  addr + TENSIX_TTSYNC_BASE, attrs);
    }
    return MEMTX_OK;
}

/* --- by the hart itself, past the memory API --- */

/* As tensix_hart_stall() leaves, the BQL is given up on the way. */
static bool ttsync_load_direct(void *opaque, uint32_t offset, uint32_t *value,
                               uintptr_t ra)
{
    TensixTTSyncPort *p = opaque;
    const TTSyncCheck *check = ttsync_check(offset);

    *value = 0;
    if (!check || trace_event_get_state(TRACE_TENSIX_TTSYNC)) {
        return false;
    }
    if (!tensix_access_is_idle_now(p->dev->cop, check->idle, p->thread)) {
        TensixHart *hart = ttsync_hart(p);
        BQL_LOCK_GUARD();

        *value = ttsync_wait(p, hart, check,
                             tensix_attrs(TENSIX_REQUESTER_HART + hart->id), ra);
    }
    return true;
}

static bool ttsync_store_direct(void *opaque, uint32_t offset, uint32_t value,
                                uintptr_t ra)
{
    return ttsync_check(offset);
}

static const TensixDirectOps ttsync_direct = {
    .load = ttsync_load_direct,
    .store = ttsync_store_direct,
};

static const MemoryRegionOps ttsync_ops = {
    .read_with_attrs = ttsync_read,
    .write_with_attrs = ttsync_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void tensix_ttsync_init(Object *obj)
{
    TensixTTSyncState *s = TENSIX_TTSYNC(obj);

    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        TensixTTSyncPort *p = &s->port[i];

        p->dev = s;
        p->thread = i;
        tensix_access_init_region(SYS_BUS_DEVICE(obj), &p->mmio, &ttsync_ops,
                                  p, "tensix-ttsync", TENSIX_TTSYNC_SIZE);
    }
}

static void tensix_ttsync_realize(DeviceState *dev, Error **errp)
{
    TensixTTSyncState *s = TENSIX_TTSYNC(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix_hart_offer_direct(ttsync_hart(&s->port[i]), &s->port[i].mmio,
                                 &ttsync_direct, &s->port[i]);
    }
}

static const Property tensix_ttsync_properties[] = {
    TENSIX_PROP_HARTS(TensixTTSyncState),
    DEFINE_PROP_LINK("cop", TensixTTSyncState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_LINK("pcbuf", TensixTTSyncState, pcbuf, TYPE_TENSIX_PCBUF,
                     TensixPCBufState *),
};

/* Stateless: reset and migration have nothing to do. */
static void tensix_ttsync_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "Tensix manual TTSync";
    dc->realize = tensix_ttsync_realize;
    device_class_set_props(dc, tensix_ttsync_properties);
}

static const TypeInfo tensix_ttsync_types[] = {
    {
        .name = TYPE_TENSIX_TTSYNC,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixTTSyncState),
        .instance_init = tensix_ttsync_init,
        .class_init = tensix_ttsync_class_init,
    },
};

DEFINE_TYPES(tensix_ttsync_types)
