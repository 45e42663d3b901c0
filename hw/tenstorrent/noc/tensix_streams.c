/*
 * NoC overlay of a Tensix tile: the registers of its 64 streams.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_streams.h
 *
 * Behaviour and widths: WH NoC/Overlay/AsGeneralUse.md and the pages beside
 * it.  Blackhole numbers its registers differently: the numbers are those of
 * its public overlay parameters.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_cells.h"
#include "hw/tenstorrent/tensix_streams.h"

/* Numbers of the registers that others depend on */
enum {
    REMOTE_DEST_WR_PTR = 11,
    BUF_START = 17,
    BUF_SIZE = 18,
    RD_PTR = 19,
    WR_PTR = 20,
    MSG_INFO_PTR = 22,
    MSG_INFO_WR_PTR = 23,
    CURR_PHASE_BASE = 28,
    CURR_PHASE = TENSIX_STREAM_CURR_PHASE,
    AUTO_CFG_PTR_BASE = 30,
    AUTO_CFG_HEADER = 34,
    SPACE_AVAILABLE = 297,
    SPACE_AVAILABLE_COUNT = 32,
    DEBUG_STATUS_READY = 2,        /* index of that debug status register */
};

FIELD(ONETIME_MISC_CFG, PHASE_AUTO_CONFIG, 0, 1)
FIELD(AUTO_CFG_HEADER, PHASE_INCR, 0, 12)
FIELD(AUTO_CFG_HEADER, NUM_MSGS, 12, 12)
FIELD(SPACE_UPDATE, DEST, 0, 6)
FIELD(SPACE_UPDATE, INCREMENT, 6, 17)
FIELD(DEBUG_STATUS, READ_COMPLETE_NOT_FULL, 0, 1)
FIELD(DEBUG_STATUS, ALL_HAVE_SPACE, 3, 1)

#define BITS(n) MAKE_64BIT_MASK(0, n)
#define PHASE_BITS BITS(20)
#define POINTER_BITS BITS(17)      /* units of 16 bytes */
#define CFG_BITS BITS(24)

/* Only streams that can do this have the register; else it reads 0. */
enum {
    CAN_MULTICAST = TENSIX_REG_DEVICE << 0,
    CAN_GATHER = TENSIX_REG_DEVICE << 1,
    CAN_DRAM = TENSIX_REG_DEVICE << 2,
    CAN_SCRATCH32 = TENSIX_REG_DEVICE << 3,
    IS_STREAM0 = TENSIX_REG_DEVICE << 4,
};

/* WH NoC/Overlay/README.md, "Stream Capabilities" */
static uint32_t capabilities(uint32_t stream)
{
    if (stream == 0) {
        return CAN_MULTICAST | CAN_GATHER | CAN_DRAM | CAN_SCRATCH32 |
               IS_STREAM0;
    }
    if (stream < 4) {
        return CAN_MULTICAST | CAN_GATHER | CAN_DRAM | CAN_SCRATCH32;
    }
    if (stream < 6) {
        return CAN_GATHER | CAN_SCRATCH32;
    }
    return stream >= 8 && stream < 12 ? CAN_DRAM | CAN_SCRATCH32 : 0;
}

static uint32_t destinations(const TensixStream *s)
{
    return capabilities(s->number) & CAN_MULTICAST ? SPACE_AVAILABLE_COUNT : 1;
}

/* --- functions of registers --- */

static void if_capable(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixStream *s = opaque;

    if (a->def->flags & capabilities(s->number)) {
        tensix_regs_store(a, value);
    }
}

/* STREAMWAIT may have waited for the phase. */
static void phase_changed(TensixStream *s, uint32_t before)
{
    if (s->value[CURR_PHASE] != before) {
        tensix_cop_lock(s->dev->cop);
        tensix_cop_unlock(s->dev->cop);
    }
}

static uint32_t relative_phase(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;

    return (s->value[a->word] - s->value[CURR_PHASE_BASE]) & PHASE_BITS;
}

static void phase_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixStream *s = opaque;
    uint32_t before = s->value[CURR_PHASE];

    tensix_regs_store(a, value + s->value[CURR_PHASE_BASE]);
    phase_changed(s, before);
}

static void phase_base_write(void *opaque, const TensixAccess *a,
                             uint32_t value)
{
    TensixStream *s = opaque;

    tensix_regs_store(a, value);
    phase_changed(s, s->value[CURR_PHASE] + 1);
}

static uint32_t relative_cfg_ptr(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;

    return (s->value[a->word] - s->value[AUTO_CFG_PTR_BASE]) & CFG_BITS;
}

static void cfg_ptr_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixStream *s = opaque;

    tensix_regs_store(a, value + s->value[AUTO_CFG_PTR_BASE]);
}

static uint32_t auto_cfg_header_read(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;
    uint32_t v = s->value[a->word];

    return FIELD_DP32(v, AUTO_CFG_HEADER, PHASE_INCR,
                      FIELD_EX32(v, AUTO_CFG_HEADER, NUM_MSGS));
}

static void auto_cfg_header_write(void *opaque, const TensixAccess *a,
                                  uint32_t value)
{
    TensixStream *s = opaque;
    uint32_t before = s->value[CURR_PHASE];

    tensix_regs_store(a, value);
    s->value[CURR_PHASE] += FIELD_EX32(value, AUTO_CFG_HEADER, PHASE_INCR);
    s->value[CURR_PHASE] &= PHASE_BITS;
    phase_changed(s, before);
}

static void remote_buf_start_write(void *opaque, const TensixAccess *a,
                                   uint32_t value)
{
    TensixStream *s = opaque;

    tensix_regs_store(a, value);
    s->value[REMOTE_DEST_WR_PTR] = 0;
}

static void remote_buf_size_write(void *opaque, const TensixAccess *a,
                                  uint32_t value)
{
    TensixStream *s = opaque;

    tensix_regs_store(a, value);
    for (uint32_t i = 0; i < destinations(s); i++) {
        s->value[SPACE_AVAILABLE + i] = value & POINTER_BITS;
    }
}

/* The credit update: an atomic increment. */
static void space_update_write(void *opaque, const TensixAccess *a,
                               uint32_t value)
{
    TensixStream *s = opaque;
    uint32_t dest = FIELD_EX32(value, SPACE_UPDATE, DEST);

    if (dest < destinations(s)) {
        uint32_t *space = &s->value[SPACE_AVAILABLE + dest];

        *space += FIELD_EX32(value, SPACE_UPDATE, INCREMENT);
        *space &= POINTER_BITS;
    }
}

static void buf_start_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixStream *s = opaque;

    tensix_regs_store(a, value);
    s->value[RD_PTR] = 0;
    s->value[WR_PTR] = 0;
}

static uint32_t buf_space_read(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;
    uint32_t size = s->value[BUF_SIZE];
    int64_t space = (int64_t)s->value[RD_PTR] - s->value[WR_PTR];

    if (space == 0 || size == 0) {
        return size;
    }
    return (space % size + size) % size;
}

/* No message has been received: where the next one would be. */
static uint32_t next_msg_addr_read(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;

    return (s->value[BUF_START] + s->value[RD_PTR]) & POINTER_BITS;
}

static uint32_t can_push_read(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;

    return s->value[MSG_INFO_PTR] == s->value[MSG_INFO_WR_PTR];
}

static uint32_t debug_status_read(void *opaque, const TensixAccess *a)
{
    TensixStream *s = opaque;
    bool all = true;

    if (a->index != DEBUG_STATUS_READY) {
        return 0;
    }
    for (uint32_t i = 0; i < destinations(s); i++) {
        all &= s->value[SPACE_AVAILABLE + i] != 0;
    }
    return R_DEBUG_STATUS_READ_COMPLETE_NOT_FULL_MASK |
           FIELD_DP32(0, DEBUG_STATUS, ALL_HAVE_SPACE, all);
}

static void onetime_misc_cfg_write(void *opaque, const TensixAccess *a,
                                   uint32_t value)
{
    tensix_regs_store(a, value);
    if (FIELD_EX32(value, ONETIME_MISC_CFG, PHASE_AUTO_CONFIG)) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "configuration is not loaded from L1");
    }
}

static void unimplemented_write(void *opaque, const TensixAccess *a,
                                uint32_t value)
{
    tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                       "store of 0x%08x: streams stay idle", value);
}

/* --- the registers, by number --- */

#define REG(n, name, width) { name, (n) * 4, 1, 0, BITS(width) }
#define CAP(n, name, width, cap) \
    { name, (n) * 4, 1, 0, BITS(width), cap, .write = if_capable }
#define ACT(n, name) \
    { name, (n) * 4, 1, 0, 0, TENSIX_REG_WRITE_ONLY, \
      .write = unimplemented_write }
#define RO(n, name, count, fn) { name, (n) * 4, count, .read = fn }
#define FN(n, name, width, rd, wr) \
    { name, (n) * 4, 1, 0, BITS(width), .read = rd, .write = wr }

static const TensixRegDef stream_regs[] = {
    ACT(0, "SOURCE_ENDPOINT_NEW_MSG_INFO"),
    ACT(1, "NUM_MSGS_RECEIVED_INC"),
    FN(2, "ONETIME_MISC_CFG", 11, NULL, onetime_misc_cfg_write),
    REG(3, "MISC_CFG", 24),
    REG(4, "REMOTE_SRC", 24),
    FN(5, "REMOTE_SRC_PHASE", 20, relative_phase, phase_write),
    REG(6, "MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD", 4),
    REG(7, "REMOTE_DEST", 18),
    FN(8, "REMOTE_DEST_BUF_START", 17, NULL, remote_buf_start_write),
    CAP(9, "REMOTE_DEST_BUF_START_HI", 15, CAN_DRAM),
    FN(10, "REMOTE_DEST_BUF_SIZE", 17, NULL, remote_buf_size_write),
    REG(11, "REMOTE_DEST_WR_PTR", 17),
    REG(12, "REMOTE_DEST_MSG_INFO_BUF_SIZE", 3),
    REG(13, "REMOTE_DEST_MSG_INFO_WR_PTR", 17),
    CAP(14, "REMOTE_DEST_MSG_INFO_WR_PTR_HI", 15, CAN_DRAM),
    REG(15, "REMOTE_DEST_MSG_INFO_WRAP_WR_PTR", 9),
    REG(16, "REMOTE_DEST_TRAFFIC", 7),
    FN(17, "BUF_START", 17, NULL, buf_start_write),
    REG(18, "BUF_SIZE", 17),
    REG(19, "RD_PTR", 17),
    REG(20, "WR_PTR", 17),
    REG(21, "MSG_INFO_BUF_SIZE", 3),
    REG(22, "MSG_INFO_PTR", 17),
    REG(23, "MSG_INFO_WR_PTR", 17),
    CAP(24, "MCAST_DEST", 19, CAN_MULTICAST),
    CAP(25, "MCAST_DEST_NUM", 6, CAN_MULTICAST),
    CAP(26, "GATHER", 18, CAN_GATHER),
    CAP(27, "MSG_SRC_IN_ORDER_FWD_NUM_MSGS", 24, CAN_GATHER),
    FN(28, "CURR_PHASE_BASE", 20, NULL, phase_base_write),
    FN(29, "CURR_PHASE", 20, relative_phase, phase_write),
    REG(30, "PHASE_AUTO_CFG_PTR_BASE", 24),
    FN(31, "PHASE_AUTO_CFG_PTR", 24, relative_cfg_ptr, cfg_ptr_write),
    ACT(32, "RELOAD_PHASE_BLOB"),
    CAP(33, "MSG_HEADER_FORMAT", 21, IS_STREAM0),
    FN(34, "PHASE_AUTO_CFG_HEADER", 32, auto_cfg_header_read,
       auto_cfg_header_write),
    CAP(35, "PERF_CONFIG", 16, IS_STREAM0),
    { "SCRATCH", 36 * 4, 6, 0, CFG_BITS, CAN_DRAM, .write = if_capable },
    REG(206, "MSG_BLOB_BUF_START", 24),
    ACT(207, "GLOBAL_OFFSET_TABLE"),
    { "FIRMWARE_SCRATCH", 208 * 4, 1, .write = tensix_regs_ignore },
    { "LOCAL_SRC_MASK", 224 * 4, 2, 0, CFG_BITS, CAN_GATHER,
      .write = if_capable },
    CAP(226, "LOCAL_SRC_MASK_HI", 16, CAN_GATHER),
    CAP(256, "SCRATCH32", 32, CAN_SCRATCH32),
    { "WAIT_STATUS", 257 * 4, 1, 1 },  /* idle: waits for software */
    RO(258, "NUM_MSGS_RECEIVED_IN_BUF_AND_MEM", 1, NULL),
    RO(259, "NUM_MSGS_RECEIVED", 1, NULL),
    RO(260, "BUF_SPACE_AVAILABLE", 1, buf_space_read),
    RO(261, "MSG_INFO_BUF_SPACE_AVAILABLE", 1, NULL),
    RO(262, "NEXT_RECEIVED_MSG_ADDR", 1, next_msg_addr_read),
    RO(263, "NEXT_RECEIVED_MSG_SIZE", 1, NULL),
    ACT(264, "MULTI_MSG_CLEAR"),
    ACT(265, "MSG_INFO_CLEAR"),
    ACT(266, "MSG_DATA_CLEAR"),
    ACT(267, "PHASE_ADVANCE"),
    ACT(268, "DEST_PHASE_READY_UPDATE"),
    ACT(269, "SRC_READY_UPDATE"),
    { "REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE", 270 * 4, 1,
      .flags = TENSIX_REG_WRITE_ONLY, .write = space_update_write },
    ACT(271, "RESET"),
    RO(272, "MSG_GROUP_ZERO_MASK_AND", 1, NULL),
    RO(273, "MSG_INFO_FULL", 1, NULL),
    RO(274, "MSG_INFO_FULLY_LOADED", 1, NULL),
    RO(275, "MSG_INFO_CAN_PUSH_NEW_MSG", 1, can_push_read),
    RO(276, "MSG_GROUP_COMPRESS", 1, NULL),
    RO(277, "PHASE_ALL_MSGS_PUSHED", 1, NULL),
    RO(278, "READY_FOR_MSG_PUSH", 1, NULL),
    RO(279, "GLOBAL_OFFSET_TABLE_RD", 8, NULL),
    /* no stream finishes a configuration: nothing to show or to clear */
    { "BLOB_AUTO_CFG_DONE", 288 * 4, 2, .write = tensix_regs_ignore },
    RO(290, "BLOB_NEXT_AUTO_CFG_DONE", 1, NULL),
    { "RECEIVER_ENDPOINT_SET_MSG_HEADER", 291 * 4, 4,
      .flags = TENSIX_REG_WRITE_ONLY, .write = unimplemented_write },
    RO(SPACE_AVAILABLE, "REMOTE_DEST_BUF_SPACE_AVAILABLE",
       SPACE_AVAILABLE_COUNT, NULL),
    RO(329, "RECEIVER_ENDPOINT_MSG_INFO", 32, NULL),
    CAP(499, "DEBUG_STATUS_SEL", 8, IS_STREAM0),
    { "DEBUG_ASSERTIONS", 500 * 4, 1, .write = tensix_regs_ignore },
    RO(501, "DEBUG_STATUS", 10, debug_status_read),
};

/* --- MMIO --- */

static MemTxResult streams_read(void *opaque, hwaddr addr, uint64_t *data,
                                unsigned size, MemTxAttrs attrs)
{
    TensixOverlayPort *p = opaque;
    TensixStream *s = &p->dev->stream[addr / TENSIX_STREAM_SIZE];

    *data = tensix_regs_mmio_read(&s->regs, p->view,
                                  addr % TENSIX_STREAM_SIZE, size, attrs);
    return MEMTX_OK;
}

static MemTxResult streams_write(void *opaque, hwaddr addr, uint64_t data,
                                 unsigned size, MemTxAttrs attrs)
{
    TensixOverlayPort *p = opaque;
    TensixStream *s = &p->dev->stream[addr / TENSIX_STREAM_SIZE];

    tensix_regs_mmio_write(&s->regs, p->view, addr % TENSIX_STREAM_SIZE, data,
                           size, attrs);
    return MEMTX_OK;
}

static const MemoryRegionOps streams_ops = {
    .read_with_attrs = streams_read,
    .write_with_attrs = streams_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* For the coprocessor: stream 0..63, offset in bytes inside the stream. */
static uint32_t streams_cop_read(void *opaque, uint32_t stream, uint32_t offset)
{
    TensixOverlayState *s = opaque;

    return tensix_regs_read(&s->stream[stream % TENSIX_STREAMS].regs,
                            TENSIX_VIEW_NOC, offset % TENSIX_STREAM_SIZE & ~3,
                            MEMTXATTRS_UNSPECIFIED);
}

/* --- QOM --- */

static void tensix_overlay_reset_hold(Object *obj, ResetType type)
{
    TensixOverlayState *s = TENSIX_OVERLAY(obj);

    for (uint32_t i = 0; i < TENSIX_STREAMS; i++) {
        tensix_regs_reset(&s->stream[i].regs);
    }
}

static void init_stream(TensixOverlayState *dev, uint32_t number)
{
    TensixStream *s = &dev->stream[number];

    s->dev = dev;
    s->number = number;
    s->name = g_strdup_printf("tensix-stream%u", number);
    s->regs = (TensixRegBlock) {
        .name = s->name,
        .defs = stream_regs,
        .ndefs = ARRAY_SIZE(stream_regs),
        .size = sizeof(s->value),
        .value = s->value,
        .opaque = s,
        .hart = dev->hart,
    };
}

static void tensix_overlay_init(Object *obj)
{
    TensixOverlayState *s = TENSIX_OVERLAY(obj);

    for (uint32_t i = 0; i < TENSIX_STREAMS; i++) {
        init_stream(s, i);
    }
    for (uint32_t view = 0; view < TENSIX_NUM_VIEWS; view++) {
        TensixOverlayPort *p = &s->port[view];
        g_autofree char *name = g_strdup_printf("tensix-overlay.%s",
                                                tensix_view_name(view));

        p->dev = s;
        p->view = view;
        memory_region_init_io(&p->mr, obj, &streams_ops, p, name,
                              TENSIX_STREAMS * TENSIX_STREAM_SIZE);
        sysbus_init_mmio(SYS_BUS_DEVICE(obj), &p->mr);
    }
}

static void tensix_overlay_finalize(Object *obj)
{
    TensixOverlayState *s = TENSIX_OVERLAY(obj);

    for (uint32_t i = 0; i < TENSIX_STREAMS; i++) {
        g_free(s->stream[i].name);
    }
}

static void tensix_overlay_realize(DeviceState *dev, Error **errp)
{
    TensixOverlayState *s = TENSIX_OVERLAY(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    tensix_cop_set_stream_read(s->cop, streams_cop_read, s);
}

static const VMStateDescription vmstate_tensix_stream = {
    .name = "tensix-overlay/stream",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_TENSIX_CELLS(value, TensixStream, uint32_t),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_tensix_overlay = {
    .name = TYPE_TENSIX_OVERLAY,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_ARRAY(stream, TensixOverlayState, TENSIX_STREAMS, 1,
                             vmstate_tensix_stream, TensixStream),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_overlay_properties[] = {
    TENSIX_PROP_HARTS(TensixOverlayState),
    DEFINE_PROP_LINK("cop", TensixOverlayState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

static void tensix_overlay_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "Tensix NoC overlay streams";
    dc->realize = tensix_overlay_realize;
    dc->vmsd = &vmstate_tensix_overlay;
    rc->phases.hold = tensix_overlay_reset_hold;
    device_class_set_props(dc, tensix_overlay_properties);
}

static const TypeInfo tensix_overlay_types[] = {
    {
        .name = TYPE_TENSIX_OVERLAY,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixOverlayState),
        .instance_init = tensix_overlay_init,
        .instance_finalize = tensix_overlay_finalize,
        .class_init = tensix_overlay_class_init,
    },
};

DEFINE_TYPES(tensix_overlay_types)
