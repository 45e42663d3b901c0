/*
 * NIU of a Tensix tile: its registers.  (BH NoC/MemoryMap.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_niu.h
 */

#include "qemu/osdep.h"
#include "hw/irq.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_cells.h"
#include "tensix_niu_request.h"

REG32(CMD_CTRL, 0x40)
REG32(NODE_ID, TENSIX_NIU_NODE_ID)
REG32(ENDPOINT_ID, 0x48)
    FIELD(ENDPOINT_ID, TYPE, 8, 16)
    FIELD(ENDPOINT_ID, NOC, 24, 8)
REG32(NOC_ID_LOGICAL, 0x148)
    FIELD(NOC_ID_LOGICAL, Y, 6, 6)
REG32(RTZ_CFG, 0x178)
    FIELD(RTZ_CFG, INT_ENABLE, 0, 16)
    FIELD(RTZ_CFG, READ_KEEPS, 28, 1)
REG32(COUNTERS, 0x200)

#define ENDPOINT_TYPE_TENSIX 0x0100

static uint32_t niu_index(TensixNiuState *s)
{
    return TENSIX_NIU_GET_CLASS(s)->noc;
}

/* --- counters and their interrupt (BH NoC/Counters.md, Interrupts.md) --- */

static uint32_t rtz_raised(TensixNiuState *s)
{
    return s->rtz_source &
           FIELD_EX32(s->value[R_RTZ_CFG], RTZ_CFG, INT_ENABLE);
}

static void update_irq(TensixNiuState *s)
{
    qemu_set_irq(s->irq, rtz_raised(s) != 0);
}

static bool is_id_counter(unsigned counter)
{
    return counter >= TENSIX_NIU_MST_REQS_OUTSTANDING_ID &&
           counter < TENSIX_NIU_SLV_ATOMIC_RESP_SENT;
}

void tensix_niu_count(TensixNiuState *s, unsigned counter, uint32_t n)
{
    uint32_t *value = &s->value[R_COUNTERS + counter];

    *value += n;
    if (is_id_counter(counter)) {
        *value &= UINT8_MAX;
    }
}

void tensix_niu_outstanding(TensixNiuState *s, unsigned id, uint32_t n)
{
    tensix_niu_count(s, TENSIX_NIU_MST_REQS_OUTSTANDING_ID + id, n);
}

void tensix_niu_completed(TensixNiuState *s, unsigned id)
{
    unsigned counter = TENSIX_NIU_MST_REQS_OUTSTANDING_ID + id;

    tensix_niu_count(s, counter, -1);
    if (!s->value[R_COUNTERS + counter]) {
        s->rtz_source |= 1u << id;
        update_irq(s);
    }
}

static uint32_t counter_read(void *opaque, const TensixAccess *a)
{
    TensixNiuState *s = opaque;

    if (!a->attrs.debug) {
        tensix_niu_seen(s, a->index);
    }
    return s->value[a->word];
}

static void clear_ids_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixNiuState *s = opaque;

    for (unsigned id = 0; id < TENSIX_NIU_IDS; id++) {
        if (extract32(value, id, 1)) {
            s->value[R_COUNTERS + TENSIX_NIU_MST_REQS_OUTSTANDING_ID + id] = 0;
        }
    }
}

static void rtz_cfg_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    tensix_regs_store(a, value);
    update_irq(opaque);
}

static void rtz_clr_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixNiuState *s = opaque;

    s->rtz_source &= ~value;
    update_irq(s);
}

static uint32_t rtz_num_read(void *opaque, const TensixAccess *a)
{
    TensixNiuState *s = opaque;
    uint32_t raised = rtz_raised(s);
    uint32_t id = raised ? ctz32(raised) : 0;

    if (!a->attrs.debug) {
        tensix_niu_seen_all(s);
    }
    if (raised && !a->attrs.debug &&
        !FIELD_EX32(s->value[R_RTZ_CFG], RTZ_CFG, READ_KEEPS)) {
        s->rtz_source &= ~(1u << id);
        update_irq(s);
    }
    return id;
}

static uint32_t rtz_source_read(void *opaque, const TensixAccess *a)
{
    TensixNiuState *s = opaque;

    if (!a->attrs.debug) {
        tensix_niu_seen_all(s);
    }
    return s->rtz_source;
}

/* --- other registers --- */

static void cmd_ctrl_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    if (value & 1) {
        tensix_niu_execute(opaque, a,
                           a->def->offset / TENSIX_NIU_INITIATOR_STRIDE);
    }
}

/* 1 while the request that it started is under way */
static uint32_t cmd_ctrl_read(void *opaque, const TensixAccess *a)
{
    return tensix_niu_is_sending(opaque,
                                 a->def->offset / TENSIX_NIU_INITIATOR_STRIDE);
}

static uint32_t node_id_read(void *opaque, const TensixAccess *a)
{
    TensixNiuState *s = opaque;

    return tensix_noc_node_id(niu_index(s), s->noc_port->x, s->noc_port->y);
}

static uint32_t endpoint_id_read(void *opaque, const TensixAccess *a)
{
    uint32_t v = FIELD_DP32(0, ENDPOINT_ID, TYPE, ENDPOINT_TYPE_TENSIX);

    return FIELD_DP32(v, ENDPOINT_ID, NOC, niu_index(opaque));
}

static uint32_t debug_read(void *opaque, const TensixAccess *a)
{
    if (!a->attrs.debug) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED, "reads as 0");
    }
    return 0;
}

#define ALL 0xffffffff
#define RW(n, o, c) { .name = n, .offset = o, .count = c, .writable = ALL }

/* Registers of initiator i */
#define INIT(o, i) ((o) + (i) * TENSIX_NIU_INITIATOR_STRIDE)
#define INIT_RW(i, n, o, c) RW("INIT" #i "_" n, INIT(o, i), c)
#define INIT_FN(i, n, o, bits, rd, wr) \
    { "INIT" #i "_" n, INIT(o, i), 1, 0, bits, .read = rd, .write = wr }
#define INITIATOR(i) \
    INIT_RW(i, "TARG_ADDR", 0x00, 3), \
    INIT_RW(i, "RET_ADDR", 0x0c, 3), \
    INIT_FN(i, "PACKET_TAG", 0x18, 0xffff, NULL, NULL), \
    INIT_RW(i, "CTRL", 0x1c, 1), \
    INIT_RW(i, "AT_LEN_BE", 0x20, 2), \
    INIT_RW(i, "AT_DATA", 0x28, 1), \
    INIT_RW(i, "BRCST_EXCLUDE", 0x2c, 1), \
    INIT_FN(i, "CMD_CTRL", 0x40, 0, cmd_ctrl_read, cmd_ctrl_write), \
    INIT_FN(i, "NODE_ID", 0x44, 0, node_id_read, NULL), \
    INIT_FN(i, "ENDPOINT_ID", 0x48, 0, endpoint_id_read, NULL)

static const TensixRegDef niu_regs[] = {
    INITIATOR(0),
    { "CLEAR_IDS", 0x060, 1, .flags = TENSIX_REG_WRITE_ONLY,
      .write = clear_ids_write },
    { "REQUEST_FIFO_STATUS", 0x064, 2 },
    { "NIU_CFG_0", 0x100, 1, R_NIU_CFG_0_TRANSLATE_MASK, ALL },
    RW("ROUTER_CFG", 0x104, 5),
    RW("X_ID_TRANSLATE_TABLE", 0x118, 6),
    RW("Y_ID_TRANSLATE_TABLE", 0x130, 6),
    RW("NOC_ID_LOGICAL", 0x148, 1),
    RW("ID_TRANSLATE_COL_MASK", 0x150, 1),
    { "ID_TRANSLATE_ROW_MASK", 0x154, 1, TENSIX_NOC_ROW_MASK, ALL },
    RW("DDR_COORD_TRANSLATE_TABLE", 0x158, 6),
    RW("DDR_COORD_TRANSLATE_COL_SWAP", 0x170, 1),
    RW("DEBUG_COUNTER_RESET", 0x174, 1),
    { "TRANS_COUNT_RTZ_CFG", 0x178, 1, 0,
      R_RTZ_CFG_INT_ENABLE_MASK | R_RTZ_CFG_READ_KEEPS_MASK,
      .write = rtz_cfg_write },
    { "TRANS_COUNT_RTZ_CLR", 0x17c, 1, .flags = TENSIX_REG_WRITE_ONLY,
      .write = rtz_clr_write },
    { "COUNTER", 0x200, TENSIX_NIU_COUNTERS, .read = counter_read },
    { "ROUTER_DEBUG", 0x300, 30, .read = debug_read },
    { "TRANS_COUNT_RTZ_NUM", 0x378, 1, .read = rtz_num_read,
      .write = tensix_regs_ignore },
    { "TRANS_COUNT_RTZ_SOURCE", 0x37c, 1, .read = rtz_source_read,
      .write = tensix_regs_ignore },
    { "NIU_DEBUG", 0x380, 32, .read = debug_read },
    { "SECURITY_FENCE", 0x400, 64, 0, ALL, TENSIX_REG_UNIMP },
    { "PACKET_COUNTER", 0x500, 64, .read = debug_read },
    INITIATOR(1),
    { "REQUEST_FIFO_STATUS", 0x864, 2 },
    INITIATOR(2),
    { "REQUEST_FIFO_STATUS", 0x1064, 2 },
    INITIATOR(3),
    { "REQUEST_FIFO_STATUS", 0x1864, 2 },
};

TensixAccess tensix_niu_access(TensixNiuState *s, uint32_t view,
                               unsigned initiator, const TensixActor *by)
{
    return tensix_regs_access(&s->regs, view, INIT(A_CMD_CTRL, initiator), by);
}

/* --- QOM --- */

/*
 * As the firmware of the chip leaves it, which runs before all software:
 * translation on, with its tables.
 */
static void program_tables(TensixNiuState *s)
{
    enum { IN_A_REGISTER = 6, WIDTH = 5 };

    for (unsigned i = 0; i < TENSIX_NOC_TABLE_ENTRIES; i++) {
        unsigned reg = i / IN_A_REGISTER, shift = i % IN_A_REGISTER * WIDTH;

        s->value[R_X_ID_TABLE + reg] |=
            tensix_noc_table_x(niu_index(s), i) << shift;
        s->value[R_Y_ID_TABLE + reg] |=
            tensix_noc_table_y(niu_index(s), i) << shift;
    }
}

static void tensix_niu_reset_hold(Object *obj, ResetType type)
{
    TensixNiuState *s = TENSIX_NIU(obj);

    tensix_regs_reset(&s->regs);
    program_tables(s);
    s->value[R_NOC_ID_LOGICAL] = s->noc_port->y << R_NOC_ID_LOGICAL_Y_SHIFT |
                                 s->noc_port->x;
    s->rtz_source = 0;
    s->executing = false;
    s->jobs = 0;
    memset(s->unseen, 0, sizeof(s->unseen));
    tensix_niu_host_cancel(s);
    tensix_pump_cancel(&s->pump);
}

static void tensix_niu_reset_exit(Object *obj, ResetType type)
{
    update_irq(TENSIX_NIU(obj));
}

static void tensix_niu_init(Object *obj)
{
    TensixNiuState *s = TENSIX_NIU(obj);

    s->regs = (TensixRegBlock) {
        .name = object_get_typename(obj),
        .defs = niu_regs,
        .ndefs = ARRAY_SIZE(niu_regs),
        .size = TENSIX_NIU_SIZE,
        .value = s->value,
        .opaque = s,
        .hart = s->hart,
        .no_guard = true,          /* a request may go to an NIU's registers */
    };
    tensix_regs_init_mmio(&s->regs, obj, s->port);
    QTAILQ_INIT(&s->host_packets);
}

static void tensix_niu_realize(DeviceState *dev, Error **errp)
{
    TensixNiuState *s = TENSIX_NIU(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    s->irq = qdev_get_gpio_in(DEVICE(s->pic),
                              TENSIX_PIC_INT_NIU0 + niu_index(s));
    s->noc_port->niu[niu_index(s)] = s;
    tensix_pump_init(&s->pump, tensix_niu_pump, s);
}

static void tensix_niu_unrealize(DeviceState *dev)
{
    TensixNiuState *s = TENSIX_NIU(dev);

    s->noc_port->niu[niu_index(s)] = NULL;
    tensix_niu_host_cancel(s);
    tensix_pump_finish(&s->pump);
}

static int tensix_niu_pre_load(void *opaque)
{
    TensixNiuState *s = opaque;

    s->jobs = 0;                   /* what they say is about to change */
    tensix_niu_host_cancel(s);
    return 0;
}

/* Each initiator is in the queue once at most: there are places for no more. */
static bool queue_valid(const TensixNiuState *s)
{
    uint32_t seen = 0;

    if (s->jobs > TENSIX_NIU_INITIATORS) {
        return false;
    }
    for (unsigned i = 0; i < s->jobs; i++) {
        uint32_t initiator = s->queue[i];

        if (initiator >= TENSIX_NIU_INITIATORS || extract32(seen, initiator, 1)
            || !tensix_niu_job_valid(&s->job[initiator])) {
            return false;
        }
        seen |= 1u << initiator;
    }
    return true;
}

/*
 * Incoming state is not trusted; a machine continues without what is refused.
 * The queue is checked as soon as it is loaded: later parts may fail to load.
 */
static bool check_queue(void *opaque, int version_id)
{
    TensixNiuState *s = opaque;
    bool valid = queue_valid(s);

    if (!valid) {
        s->jobs = 0;
    }
    return valid;
}

static int tensix_niu_post_load(void *opaque, int version_id)
{
    TensixNiuState *s = opaque;

    if (!tensix_niu_unseen_valid(s)) {
        memset(s->unseen, 0, sizeof(s->unseen));
        return -EINVAL;
    }
    if (!tensix_niu_host_loaded(s)) {
        s->jobs = 0;
        tensix_niu_host_cancel(s);
        return -EINVAL;
    }
    return 0;
}

static const VMStateDescription vmstate_tensix_niu_job = {
    .name = "tensix-niu/job",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(by, TensixNiuJob, 1, vmstate_tensix_actor, TensixActor),
        VMSTATE_UINT32(view, TensixNiuJob),
        VMSTATE_UINT32_ARRAY(reg, TensixNiuJob, TENSIX_NIU_REQUEST_WORDS),
        VMSTATE_BOOL(started, TensixNiuJob),
        VMSTATE_BOOL(broken, TensixNiuJob),
        VMSTATE_UINT64(length, TensixNiuJob),
        VMSTATE_UINT32(packet, TensixNiuJob),
        VMSTATE_UINT32(packets, TensixNiuJob),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_tensix_niu = {
    .name = TYPE_TENSIX_NIU,
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_load = tensix_niu_pre_load,
    .post_load = tensix_niu_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_TENSIX_CELLS(value, TensixNiuState, uint32_t),
        VMSTATE_UINT32(rtz_source, TensixNiuState),
        VMSTATE_STRUCT_ARRAY(job, TensixNiuState, TENSIX_NIU_INITIATORS, 2,
                             vmstate_tensix_niu_job, TensixNiuJob),
        VMSTATE_UINT32_ARRAY(queue, TensixNiuState, TENSIX_NIU_INITIATORS),
        VMSTATE_UINT32(jobs, TensixNiuState),
        VMSTATE_VALIDATE("the queue of jobs", check_queue),
        VMSTATE_QTAILQ_V(host_packets, TensixNiuState, 2,
                         vmstate_tensix_niu_host_packet, TensixNiuHostPacket,
                         next),
        VMSTATE_TENSIX_PUMP(pump, TensixNiuState),
        VMSTATE_STRUCT_ARRAY(unseen, TensixNiuState, TENSIX_NIU_KINDS, 1,
                             vmstate_tensix_niu_unseen, TensixNiuUnseen),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_niu_properties[] = {
    TENSIX_PROP_HARTS(TensixNiuState),
    DEFINE_PROP_LINK("noc-port", TensixNiuState, noc_port, TYPE_TENSIX_NOC_PORT,
                     TensixNocPort *),
    DEFINE_PROP_LINK("pic", TensixNiuState, pic, TYPE_TENSIX_PIC,
                     TensixPicState *),
    DEFINE_PROP_LINK("cop", TensixNiuState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

/*
 * Its own requests; what other tiles request is done before the call returns.
 */
static bool tensix_niu_busy(const Object *obj)
{
    const TensixNiuState *s = TENSIX_NIU(obj);

    return s->jobs || !QTAILQ_EMPTY(&s->host_packets);
}

static void tensix_niu_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);
    TensixBusyClass *bc = TENSIX_BUSY_CLASS(oc);

    bc->busy = tensix_niu_busy;
    TENSIX_UNFINISHED_CLASS(oc)->list = tensix_niu_unfinished;
    dc->desc = "NoC interface unit of a Tensix tile";
    dc->realize = tensix_niu_realize;
    dc->unrealize = tensix_niu_unrealize;
    dc->vmsd = &vmstate_tensix_niu;
    rc->phases.hold = tensix_niu_reset_hold;
    rc->phases.exit = tensix_niu_reset_exit;
    device_class_set_props(dc, tensix_niu_properties);
}

static void tensix_niu1_class_init(ObjectClass *oc, TensixClassData *data)
{
    TENSIX_NIU_CLASS(oc)->noc = 1;
}

static const TypeInfo tensix_niu_types[] = {
    {
        .name = TYPE_TENSIX_NIU,
        .parent = TYPE_SYS_BUS_DEVICE,
        .abstract = true,
        .instance_size = sizeof(TensixNiuState),
        .instance_init = tensix_niu_init,
        .class_size = sizeof(TensixNiuClass),
        .class_init = tensix_niu_class_init,
        .interfaces = (InterfaceInfo *)(const InterfaceInfo[]) {
            { TYPE_TENSIX_BUSY }, { TYPE_TENSIX_UNFINISHED }, { }
        },
    }, {
        .name = TYPE_TENSIX_NIU0,
        .parent = TYPE_TENSIX_NIU,
    }, {
        .name = TYPE_TENSIX_NIU1,
        .parent = TYPE_TENSIX_NIU,
        .class_init = tensix_niu1_class_init,
    },
};

DEFINE_TYPES(tensix_niu_types)
