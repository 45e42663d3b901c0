/*
 * Mailboxes of a Tensix tile.  (WH BabyRISCV/Mailboxes.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_mailbox.h
 *
 * A store that finds the writer's budget spent stalls it at once; the hardware
 * first fills shared buffers whose size is not published.  A load stalls its
 * hart until there is a word; on hardware the hart continues until it needs the
 * value, so that it may even push that word itself (BH MemoryOrdering.md,
 * "Mailbox read from the future").  That case is reported.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_mailbox.h"
#include "hw/tenstorrent/tensix_unfinished.h"
#include "migration/vmstate.h"
#include "../trace.h"

enum { MAILBOX_QUERY = 1 << 2 };   /* address bit: "is there a word?" */

static const TensixHartIndex mailbox_user_hart[TENSIX_MAILBOX_USERS] = {
    TENSIX_HART_BRISC,
    TENSIX_HART_TRISC0,
    TENSIX_HART_TRISC1,
    TENSIX_HART_TRISC2,
};

static TensixHart *mailbox_hart(TensixMailboxState *s, uint32_t user)
{
    return s->hart[mailbox_user_hart[user]];
}

static const char *mailbox_user_name(uint32_t user)
{
    return tensix_hart_name(mailbox_user_hart[user]);
}

/* Words this writer has under way, in all of its mailboxes. */
static uint32_t mailbox_used(const TensixMailboxState *s, uint32_t writer)
{
    uint32_t used = 0;

    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        used += s->fifo[writer][i].count;
    }
    return used;
}

/* Harts with words of this writer to read, in the form of a stall's detail. */
static uint32_t mailbox_readers(const TensixMailboxState *s, uint32_t writer)
{
    uint32_t readers = 0;

    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        readers |= (uint32_t)(s->fifo[writer][i].count > 0) << i;
    }
    return readers << TENSIX_STALL_READERS_LOW;
}

static void mailbox_push(TensixMailboxState *s, uint32_t writer,
                         uint32_t reader, uint32_t word)
{
    trace_tensix_mailbox_push(mailbox_user_name(writer),
                              mailbox_user_name(reader), word);
    tensix_words_push(&s->fifo[writer][reader], word);
    tensix_hart_wake(mailbox_hart(s, reader), 1u << TENSIX_STALL_MAILBOX_EMPTY);
}

static uint32_t mailbox_pop(TensixMailboxState *s, uint32_t writer,
                            uint32_t reader)
{
    uint32_t word = tensix_words_pop(&s->fifo[writer][reader]);

    trace_tensix_mailbox_pop(mailbox_user_name(writer),
                             mailbox_user_name(reader), word);
    tensix_hart_wake(mailbox_hart(s, writer), 1u << TENSIX_STALL_MAILBOX_FULL);
    return word;
}

/* A load from an empty mailbox: does not return if the hart may stall. */
static uint64_t mailbox_read_empty(TensixMailboxState *s, uint32_t writer,
                                   uint32_t reader, MemTxAttrs attrs)
{
    TensixHart *hart = mailbox_hart(s, reader);

    if (tensix_hart_may_block(hart, attrs)) {
        if (writer == reader) {
            tensix_report_hart(hart, TENSIX_UNIMPLEMENTED,
                               tensix_hart_access_pc(hart),
                               "pops its own empty mailbox, which only ends "
                               "if a load need not block: it waits for ever");
        }
        tensix_hart_stall(hart, TENSIX_STALL_MAILBOX_EMPTY, writer, 0);
    }
    return tensix_access_would_block(hart, "mailbox pop", attrs);
}

/* The non-blocking query, which software polls. */
static uint64_t mailbox_query(TensixHart *hart, uint32_t writer,
                              const TensixWords *q, MemTxAttrs attrs)
{
    bool any = q->count > 0;

    if (tensix_hart_may_block(hart, attrs)) {
        tensix_hart_polls(hart, TENSIX_POLLED(TENSIX_POLLED_MAILBOX, writer),
                          any);
    }
    return any;
}

static MemTxResult mailbox_read(void *opaque, hwaddr addr, uint64_t *data,
                                unsigned size, MemTxAttrs attrs)
{
    TensixMailboxPort *p = opaque;
    TensixMailboxState *s = p->dev;
    uint32_t writer = addr / TENSIX_MAILBOX_STRIDE, reader = p->user;
    const TensixWords *q = &s->fifo[writer][reader];

    *data = 0;
    if (!tensix_access_is_word(mailbox_hart(s, reader), "mailbox load", size,
                               attrs)) {
        return MEMTX_OK;
    }
    if (addr & MAILBOX_QUERY) {
        *data = mailbox_query(mailbox_hart(s, reader), writer, q, attrs);
    } else if (q->count == 0) {
        *data = mailbox_read_empty(s, writer, reader, attrs);
    } else if (attrs.debug) {
        *data = tensix_words_peek(q);
    } else {
        *data = mailbox_pop(s, writer, reader);
    }
    return MEMTX_OK;
}

static MemTxResult mailbox_write(void *opaque, hwaddr addr, uint64_t data,
                                 unsigned size, MemTxAttrs attrs)
{
    TensixMailboxPort *p = opaque;
    TensixMailboxState *s = p->dev;
    uint32_t writer = p->user, reader = addr / TENSIX_MAILBOX_STRIDE;
    TensixHart *hart = mailbox_hart(s, writer);

    if (attrs.debug ||
        !tensix_access_is_word(hart, "mailbox store", size, attrs)) {
        return MEMTX_OK;
    }
    if (mailbox_used(s, writer) >= TENSIX_MAILBOX_BUDGET) {
        if (tensix_hart_may_block(hart, attrs)) {
            tensix_hart_stall(hart, TENSIX_STALL_MAILBOX_FULL,
                              reader | mailbox_readers(s, writer), 0);
        }
        tensix_access_would_block(hart, "mailbox push", attrs);
        return MEMTX_OK;
    }
    mailbox_push(s, writer, reader, data);
    return MEMTX_OK;
}

static const MemoryRegionOps mailbox_ops = {
    .read_with_attrs = mailbox_read,
    .write_with_attrs = mailbox_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void mailbox_clear(TensixMailboxState *s, uint32_t writer)
{
    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        tensix_words_clear(&s->fifo[writer][i]);
    }
}

void tensix_mailbox_empty_writer(TensixMailboxState *s, TensixHartIndex hart)
{
    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        if (mailbox_user_hart[i] == hart) {
            trace_tensix_mailbox_empty(tensix_hart_name(hart));
            mailbox_clear(s, i);
            tensix_hart_wake(s->hart[hart], 1u << TENSIX_STALL_MAILBOX_FULL);
        }
    }
}

static void mailbox_unfinished(Object *obj, TensixUnfinishedList ***tail)
{
    TensixMailboxState *s = TENSIX_MAILBOX(obj);

    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS * TENSIX_MAILBOX_USERS; i++) {
        unsigned writer = i / TENSIX_MAILBOX_USERS;
        unsigned reader = i % TENSIX_MAILBOX_USERS;
        const TensixWords *q = &s->fifo[writer][reader];

        if (q->count) {
            tensix_unfinished_add(
                tail, TENSIX_UNFINISHED_KIND_MAIL,
                "mail from %s to %s: %u word%s unread, the first 0x%x",
                mailbox_user_name(writer), mailbox_user_name(reader), q->count,
                q->count == 1 ? "" : "s", tensix_words_peek(q));
        }
    }
}

/* --- QOM --- */

static void tensix_mailbox_reset_enter(Object *obj, ResetType type)
{
    TensixMailboxState *s = TENSIX_MAILBOX(obj);

    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        mailbox_clear(s, i);
    }
}

static void tensix_mailbox_init(Object *obj)
{
    TensixMailboxState *s = TENSIX_MAILBOX(obj);

    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        TensixMailboxPort *p = &s->port[i];

        p->dev = s;
        p->user = i;
        tensix_access_init_region(SYS_BUS_DEVICE(obj), &p->mmio, &mailbox_ops,
                                  p, "tensix-mailbox",
                                  TENSIX_MAILBOX_WINDOW_SIZE);
    }
}

static void tensix_mailbox_realize(DeviceState *dev, Error **errp)
{
    tensix_access_check_links(dev, errp);
}

/* A writer's words must fit its budget, whatever the stream says. */
static int tensix_mailbox_post_load(void *opaque, int version_id)
{
    TensixMailboxState *s = opaque;

    for (unsigned i = 0; i < TENSIX_MAILBOX_USERS; i++) {
        if (mailbox_used(s, i) > TENSIX_MAILBOX_BUDGET) {
            return -EINVAL;
        }
    }
    return 0;
}

static const VMStateDescription vmstate_tensix_mailbox = {
    .name = TYPE_TENSIX_MAILBOX,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = tensix_mailbox_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_2DARRAY(fifo, TensixMailboxState, TENSIX_MAILBOX_USERS,
                               TENSIX_MAILBOX_USERS, 1, vmstate_tensix_words,
                               TensixWords),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_mailbox_properties[] = {
    TENSIX_PROP_HARTS(TensixMailboxState),
};

static void tensix_mailbox_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    TENSIX_UNFINISHED_CLASS(oc)->list = mailbox_unfinished;
    dc->desc = "Tensix mailboxes (between BRISC and TRISCs)";
    dc->realize = tensix_mailbox_realize;
    dc->vmsd = &vmstate_tensix_mailbox;
    rc->phases.enter = tensix_mailbox_reset_enter;
    device_class_set_props(dc, tensix_mailbox_properties);
}

static const TypeInfo tensix_mailbox_types[] = {
    {
        .name = TYPE_TENSIX_MAILBOX,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixMailboxState),
        .instance_init = tensix_mailbox_init,
        .class_init = tensix_mailbox_class_init,
        .interfaces = TENSIX_UNFINISHED_INTERFACES,
    },
};

DEFINE_TYPES(tensix_mailbox_types)
