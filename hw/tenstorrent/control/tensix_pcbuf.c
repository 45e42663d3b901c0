/*
 * PCBufs of a Tensix tile.  (BH BabyRISCV/PCBufs.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_pcbuf.h
 *
 * A store that finds the queue full stalls BRISC at once; the hardware first
 * fills buffers of BRISC's memory subsystem, whose size is not published.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_pcbuf.h"
#include "hw/tenstorrent/tensix_unfinished.h"
#include "migration/vmstate.h"
#include "../trace.h"

/* The 10 bits of TRISC_PC_BUF_OVERRIDE that belong to one PCBuf */
FIELD(OVERRIDE, ENABLE, 0, 1)
FIELD(OVERRIDE, BUSY, 1, 1)
FIELD(OVERRIDE, VALUE, 2, 8)
#define OVERRIDE_BITS 10

static uint32_t pcbuf_override_bits(const TensixPCBufState *s, uint32_t thread)
{
    return extract32(s->override, thread * OVERRIDE_BITS, OVERRIDE_BITS);
}

static TensixHart *pcbuf_brisc(const TensixPCBuf *b)
{
    return b->dev->hart[TENSIX_HART_BRISC];
}

static TensixHart *pcbuf_trisc(const TensixPCBuf *b)
{
    return b->dev->hart[TENSIX_HART_TRISC0 + b->thread];
}

bool tensix_pcbuf_override_busy(const TensixPCBufState *s, uint32_t thread)
{
    uint32_t bits = pcbuf_override_bits(s, thread);

    return FIELD_EX32(bits, OVERRIDE, ENABLE) &&
           FIELD_EX32(bits, OVERRIDE, BUSY);
}

/* --- BRISC's side --- */

/* The three conditions under which BRISC's load returns. */
static bool pcbuf_barrier_is_open(TensixPCBuf *b, TensixHart *waiter)
{
    TensixStall stall = tensix_hart_stall_cause(pcbuf_trisc(b));

    if (tensix_pcbuf_override_busy(b->dev, b->thread)) {
        return true;
    }
    return b->fifo.count == 0 &&
           stall == TENSIX_STALL_PCBUF_EMPTY &&
           tensix_access_thread_idle(b->dev->cop, tensix_thread_idle,
                                     b->thread, waiter,
                                     TENSIX_STALL_PCBUF_BARRIER);
}

static MemTxResult pcbuf_brisc_read(void *opaque, hwaddr addr, uint64_t *data,
                                    unsigned size, MemTxAttrs attrs)
{
    TensixPCBuf *b = opaque;
    TensixHart *brisc = pcbuf_brisc(b);
    bool may_block = tensix_hart_may_block(brisc, attrs);

    *data = 0;
    if (!tensix_access_is_word(brisc, "PCBuf barrier", size, attrs)) {
        return MEMTX_OK;
    }
    if (!pcbuf_barrier_is_open(b, may_block ? brisc : NULL)) {
        if (may_block) {
            trace_tensix_pcbuf_barrier(b->thread, "closed");
            tensix_hart_stall(brisc, TENSIX_STALL_PCBUF_BARRIER, b->thread, 0);
        }
        *data = tensix_access_would_block(brisc, "PCBuf barrier", attrs);
        return MEMTX_OK;
    }
    trace_tensix_pcbuf_barrier(b->thread, "open");
    return MEMTX_OK;
}

static MemTxResult pcbuf_brisc_write(void *opaque, hwaddr addr, uint64_t data,
                                     unsigned size, MemTxAttrs attrs)
{
    TensixPCBuf *b = opaque;
    TensixHart *brisc = pcbuf_brisc(b);

    if (attrs.debug ||
        !tensix_access_is_word(brisc, "PCBuf push", size, attrs)) {
        return MEMTX_OK;
    }
    if (b->fifo.count == TENSIX_PCBUF_DEPTH) {
        if (tensix_hart_may_block(brisc, attrs)) {
            tensix_hart_stall(brisc, TENSIX_STALL_PCBUF_FULL, b->thread, 0);
        }
        tensix_access_would_block(brisc, "PCBuf push", attrs);
        return MEMTX_OK;
    }
    tensix_words_push(&b->fifo, data);
    trace_tensix_pcbuf_push(b->thread, data, b->fifo.count);
    tensix_hart_wake(pcbuf_trisc(b), 1u << TENSIX_STALL_PCBUF_EMPTY);
    return MEMTX_OK;
}

static const MemoryRegionOps pcbuf_brisc_ops = {
    .read_with_attrs = pcbuf_brisc_read,
    .write_with_attrs = pcbuf_brisc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* --- a TRISC's side --- */

/* What a load from an empty PCBuf gives: it stalls unless overridden. */
static uint64_t pcbuf_trisc_read_empty(TensixPCBuf *b, MemTxAttrs attrs)
{
    uint32_t bits = pcbuf_override_bits(b->dev, b->thread);
    TensixHart *trisc = pcbuf_trisc(b);

    if (FIELD_EX32(bits, OVERRIDE, ENABLE)) {
        return FIELD_EX32(bits, OVERRIDE, VALUE);
    }
    if (tensix_hart_may_block(trisc, attrs)) {
        /* the second condition of BRISC's barrier is about to hold */
        tensix_hart_wake(pcbuf_brisc(b), 1u << TENSIX_STALL_PCBUF_BARRIER);
        tensix_hart_stall(trisc, TENSIX_STALL_PCBUF_EMPTY, b->thread, 0);
    }
    return tensix_access_would_block(trisc, "PCBuf pop", attrs);
}

static uint32_t pcbuf_pop(TensixPCBuf *b)
{
    uint32_t word = tensix_words_pop(&b->fifo);

    trace_tensix_pcbuf_pop(b->thread, word, b->fifo.count);
    tensix_hart_wake(pcbuf_brisc(b), 1u << TENSIX_STALL_PCBUF_FULL);
    return word;
}

static MemTxResult pcbuf_trisc_read(void *opaque, hwaddr addr, uint64_t *data,
                                    unsigned size, MemTxAttrs attrs)
{
    TensixPCBuf *b = opaque;

    *data = 0;
    if (!tensix_access_is_word(pcbuf_trisc(b), "PCBuf pop", size, attrs)) {
        return MEMTX_OK;
    }
    if (b->fifo.count == 0) {
        *data = pcbuf_trisc_read_empty(b, attrs);
    } else if (attrs.debug) {
        *data = tensix_words_peek(&b->fifo);
    } else {
        *data = pcbuf_pop(b);
    }
    return MEMTX_OK;
}

static MemTxResult pcbuf_trisc_write(void *opaque, hwaddr addr, uint64_t data,
                                     unsigned size, MemTxAttrs attrs)
{
    TensixPCBuf *b = opaque;

    trace_tensix_pcbuf_discard(b->thread, data);
    return MEMTX_OK;
}

static const MemoryRegionOps pcbuf_trisc_ops = {
    .read_with_attrs = pcbuf_trisc_read,
    .write_with_attrs = pcbuf_trisc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* --- what tile control does --- */

/* Wakes all harts that this PCBuf may have stalled. */
static void pcbuf_wake_all(TensixPCBuf *b)
{
    tensix_hart_wake(pcbuf_brisc(b), 1u << TENSIX_STALL_PCBUF_FULL |
                                     1u << TENSIX_STALL_PCBUF_BARRIER);
    tensix_hart_wake(pcbuf_trisc(b), 1u << TENSIX_STALL_PCBUF_EMPTY |
                                     1u << TENSIX_STALL_COP_DONE |
                                     1u << TENSIX_STALL_MOP_DONE);
}

void tensix_pcbuf_set_override(TensixPCBufState *s, uint32_t value)
{
    trace_tensix_pcbuf_override(value);
    s->override = value;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        pcbuf_wake_all(&s->buf[i]);
    }
}

void tensix_pcbuf_empty(TensixPCBufState *s, uint32_t thread)
{
    trace_tensix_pcbuf_empty(thread, s->buf[thread].fifo.count);
    tensix_words_clear(&s->buf[thread].fifo);
    pcbuf_wake_all(&s->buf[thread]);
}

/* --- QOM --- */

static void tensix_pcbuf_reset_enter(Object *obj, ResetType type)
{
    TensixPCBufState *s = TENSIX_PCBUF(obj);

    s->override = 0;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix_words_clear(&s->buf[i].fifo);
    }
}

static void tensix_pcbuf_init(Object *obj)
{
    TensixPCBufState *s = TENSIX_PCBUF(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        TensixPCBuf *b = &s->buf[i];

        b->dev = s;
        b->thread = i;
        tensix_access_init_region(sbd, &b->brisc_window, &pcbuf_brisc_ops, b,
                                  "tensix-pcbuf-brisc",
                                  TENSIX_PCBUF_WINDOW_SIZE);
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tensix_access_init_region(sbd, &s->buf[i].trisc_word, &pcbuf_trisc_ops,
                                  &s->buf[i], "tensix-pcbuf-trisc",
                                  sizeof(uint32_t));
    }
}

static void tensix_pcbuf_realize(DeviceState *dev, Error **errp)
{
    tensix_access_check_links(dev, errp);
}

static const VMStateDescription vmstate_tensix_pcbuf_queue = {
    .name = "tensix-pcbuf/queue",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(fifo, TensixPCBuf, 1, vmstate_tensix_words,
                       TensixWords),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_tensix_pcbuf = {
    .name = TYPE_TENSIX_PCBUF,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_ARRAY(buf, TensixPCBufState, TENSIX_THREADS, 1,
                             vmstate_tensix_pcbuf_queue, TensixPCBuf),
        VMSTATE_UINT32(override, TensixPCBufState),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_pcbuf_properties[] = {
    TENSIX_PROP_HARTS(TensixPCBufState),
    DEFINE_PROP_LINK("cop", TensixPCBufState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

static void tensix_pcbuf_unfinished(Object *obj, TensixUnfinishedList ***tail)
{
    TensixPCBufState *s = TENSIX_PCBUF(obj);

    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const TensixWords *q = &s->buf[thread].fifo;

        if (q->count) {
            tensix_unfinished_add(
                tail, TENSIX_UNFINISHED_KIND_MAIL,
                "PCBuf %u: %u word%s that trisc%u has not read, the first 0x%x",
                thread, q->count, q->count == 1 ? "" : "s", thread,
                tensix_words_peek(q));
        }
    }
}

static void tensix_pcbuf_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    TENSIX_UNFINISHED_CLASS(oc)->list = tensix_pcbuf_unfinished;
    dc->desc = "Tensix PCBufs (BRISC to TRISCs)";
    dc->realize = tensix_pcbuf_realize;
    dc->vmsd = &vmstate_tensix_pcbuf;
    rc->phases.enter = tensix_pcbuf_reset_enter;
    device_class_set_props(dc, tensix_pcbuf_properties);
}

static const TypeInfo tensix_pcbuf_types[] = {
    {
        .name = TYPE_TENSIX_PCBUF,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixPCBufState),
        .instance_init = tensix_pcbuf_init,
        .class_init = tensix_pcbuf_class_init,
        .interfaces = TENSIX_UNFINISHED_INTERFACES,
    },
};

DEFINE_TYPES(tensix_pcbuf_types)
