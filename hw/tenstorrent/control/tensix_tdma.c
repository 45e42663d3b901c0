/*
 * TDMA-RISC of a Tensix tile.  (WH TDMA-RISC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_tdma.h
 *
 * The page describes Wormhole's four packers; of Blackhole only the first 64
 * bytes are known to be used, and they are what is here.  Commands complete
 * at once, so the queue is always seen empty.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "hw/tenstorrent/tensix_tdma.h"
#include "migration/vmstate.h"
#include "../trace.h"

REG32(COMMAND_ADDR, 0x10)
    FIELD(COMMAND, OPCODE, 0, 8)
    FIELD(COMMAND, MOVE_SOURCE, 8, 8)
    FIELD(COMMAND, MOVE_DESTINATION, 16, 8)
    FIELD(COMMAND, MOVE_COUNT, 24, 6)
    FIELD(COMMAND, MOVE_TO_L1, 30, 1)
    FIELD(COMMAND, WRITE_64, 8, 1)
    FIELD(COMMAND, WRITE_FIXED, 9, 2)
    FIELD(COMMAND, COMPACT, 31, 1)
    FIELD(STATUS, QUEUE_EMPTY, 3, 1)
    FIELD(STATUS, PARAMS_EMPTY, 5, 1)
    FIELD(STATUS, QUEUE_ROOM, 8, 8)
REG32(FIFO_PACKED_TILE_STATUS, 0x38)
    FIELD(ACC_PACKED_SIZE, RESET_PACKERS, 16, 4)

enum {
    COMMAND_MOVE = 0x40,
    COMMAND_MOVE_WAIT = 0x46,
    COMMAND_WRITE_L1 = 0x66,
    COMMAND_NOP = 0x89,

    MOVE_UNIT = 16,                /* bytes; of addresses and counts */
    MOVE_COUNT_MASK = 0xffff,
    MOVE_MODE_MASK = 3,
    QUEUE_CAPACITY = 4,
    SCALER_BITS = 9,
    SCALERS_PER_WRITE = 3,
    ALL_METADATA_FIFOS_EMPTY = 0x55,  /* bits 2 * packer */
};

/* --- the mover's command queue --- */

/* Parameters: 0 address, 2 and 3 data (WH TDMA-RISC.md) */
static void command_write_l1(TensixTdmaState *s, const TensixAccess *a,
                             uint32_t command)
{
    uint32_t addr = s->value[0];
    uint32_t le[2] = { cpu_to_le32(s->value[2]), cpu_to_le32(s->value[3]) };
    uint32_t size = FIELD_EX32(command, COMMAND, WRITE_64) ? 8 : 4;
    TensixActor by;

    if (FIELD_EX32(command, COMMAND, COMPACT) ||
        FIELD_EX32(command, COMMAND, WRITE_FIXED) != 3 ||
        addr % size || addr > TENSIX_L1_SIZE - size) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "L1 write command 0x%08x, address 0x%08x",
                           command, addr);
        return;
    }
    by = tensix_agent_for(TENSIX_BY_TDMA, tensix_regs_actor(a));
    tensix_l1_write(s->cop, &by, addr, le, size);
}

/* Base of the given hart: BRISC's, a TRISC's; all others have TRISC0's. */
static uint32_t *mov_cmd_base(TensixTdmaState *s, const TensixAccess *a)
{
    switch (a->view) {
    case TENSIX_HART_BRISC:
        return &s->mov_cmd_base[0];
    case TENSIX_HART_TRISC1:
        return &s->mov_cmd_base[2];
    case TENSIX_HART_TRISC2:
        return &s->mov_cmd_base[3];
    default:
        return &s->mov_cmd_base[1];
    }
}

/* All in the command: sources count from the hart's base. */
static TensixMove compact_move(uint32_t base, uint32_t command)
{
    return (TensixMove) {
        .source = (base + FIELD_EX32(command, COMMAND, MOVE_SOURCE)) * MOVE_UNIT,
        .destination = FIELD_EX32(command, COMMAND, MOVE_DESTINATION) * MOVE_UNIT,
        .count = FIELD_EX32(command, COMMAND, MOVE_COUNT) * MOVE_UNIT,
        .mode = FIELD_EX32(command, COMMAND, MOVE_TO_L1) ? TENSIX_MOVE_L1_TO_L1
                                                         : TENSIX_MOVE_L1_TO_L0,
    };
}

/* Parameters: source, destination, count, mode (WH TDMA-RISC.md) */
static TensixMove parameter_move(const TensixTdmaState *s)
{
    return (TensixMove) {
        .source = s->value[0] * MOVE_UNIT,
        .destination = s->value[1] * MOVE_UNIT,
        .count = (s->value[2] & MOVE_COUNT_MASK) * MOVE_UNIT,
        .mode = s->value[3] & MOVE_MODE_MASK,
    };
}

static void command_move(TensixTdmaState *s, const TensixAccess *a,
                         uint32_t command)
{
    TensixMove move = FIELD_EX32(command, COMMAND, COMPACT)
                      ? compact_move(*mov_cmd_base(s, a), command)
                      : parameter_move(s);
    bool moved = tensix_move(tensix_cop_lock(s->cop), &move);

    tensix_cop_unlock(s->cop);
    if (!moved) {
        tensix_regs_report(a, TENSIX_BAD_ACCESS,
                           "mover command 0x%08x: 0x%x bytes from 0x%x to 0x%x, "
                           "mode %u", command, move.count, move.source,
                           move.destination, (unsigned)move.mode);
    }
}

static void command_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixTdmaState *s = opaque;

    switch (FIELD_EX32(value, COMMAND, OPCODE)) {
    case COMMAND_MOVE:
        command_move(s, a, value);
        break;
    case COMMAND_WRITE_L1:
        command_write_l1(s, a, value);
        break;
    case COMMAND_MOVE_WAIT:
    case COMMAND_NOP:
        break;
    default:
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "no such command: 0x%08x", value);
        break;
    }
}

static uint32_t status_read(void *opaque, const TensixAccess *a)
{
    uint32_t v = 0;

    v = FIELD_DP32(v, STATUS, QUEUE_EMPTY, 1);
    v = FIELD_DP32(v, STATUS, PARAMS_EMPTY, 1);
    return FIELD_DP32(v, STATUS, QUEUE_ROOM, QUEUE_CAPACITY);
}

static uint32_t mov_cmd_base_read(void *opaque, const TensixAccess *a)
{
    return *mov_cmd_base(opaque, a);
}

static void mov_cmd_base_write(void *opaque, const TensixAccess *a,
                               uint32_t value)
{
    *mov_cmd_base(opaque, a) = value;
}

/* --- for PACR_SETREG, which reads it in the core --- */

static void set_scalers(TensixTdmaState *s, uint32_t first, uint32_t values)
{
    TensixState *state = tensix_core_state(tensix_cop_lock(s->cop));

    for (uint32_t i = first;
         i < first + SCALERS_PER_WRITE && i < TENSIX_TDMA_SCALERS; i++) {
        state->set_reg.hi_scaler[i] = extract32(values, 0, SCALER_BITS);
        values >>= SCALER_BITS;
    }
    tensix_cop_unlock(s->cop);
}

static void scaler3_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    tensix_regs_store(a, value);
    set_scalers(opaque, 3, value >> 16);
}

static void scalers_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    set_scalers(opaque, 0, value);
}

static uint32_t scalers_read(void *opaque, const TensixAccess *a)
{
    TensixTdmaState *s = opaque;
    const TensixState *state = tensix_core_state(tensix_cop_lock(s->cop));
    uint32_t value = 0;

    for (uint32_t i = 0; i < SCALERS_PER_WRITE; i++) {
        value = deposit32(value, i * SCALER_BITS, SCALER_BITS,
                          state->set_reg.hi_scaler[i]);
    }
    tensix_cop_unlock(s->cop);
    return value;
}

/* Two addresses, each of ten bits in the middle and two at the top. */
static void set_reg_base_write(void *opaque, const TensixAccess *a,
                               uint32_t value)
{
    TensixTdmaState *s = opaque;
    TensixState *state = tensix_core_state(tensix_cop_lock(s->cop));

    tensix_regs_store(a, value);
    for (unsigned i = 0; i < ARRAY_SIZE(state->set_reg.base); i++) {
        state->set_reg.base[i] = extract32(value, 10 * i, 10) << 2 |
                                 extract32(value, 20 + 2 * i, 2) << 18;
    }
    tensix_cop_unlock(s->cop);
}

static uint32_t fifo_status_read(void *opaque, const TensixAccess *a)
{
    TensixTdmaState *s = opaque;

    return s->value[R_FIFO_PACKED_TILE_STATUS] << 8 | ALL_METADATA_FIFOS_EMPTY;
}

/* --- what packers report; none has packed anything --- */

static void acc_packed_size_write(void *opaque, const TensixAccess *a,
                                  uint32_t value)
{
    if (FIELD_EX32(value, ACC_PACKED_SIZE, RESET_PACKERS) && (uint16_t)value) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "packer L1 address offset 0x%04x", value & 0xffff);
    }
}

/* Hardware waits for metadata that will not come. */
static uint32_t metadata_peek(void *opaque, const TensixAccess *a)
{
    if (!a->attrs.debug) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "wait for packer metadata, reads as 0");
    }
    return 0;
}

static uint32_t metadata_pop(void *opaque, const TensixAccess *a)
{
    if (!a->attrs.debug) {
        tensix_regs_report(a, TENSIX_UNPREDICTABLE_VALUE,
                           "pop from an empty metadata FIFO");
    }
    return 0;
}

/* --- the registers --- */

#define ALL 0xffffffff

static const TensixRegDef tdma_regs[] = {
    { "XMOV_PARAM", 0x00, TENSIX_TDMA_PARAMS, 0, ALL, TENSIX_REG_WRITE_ONLY },
    { "COMMAND_ADDR", 0x10, 1, 0, ALL, TENSIX_REG_WRITE_ONLY,
      .write = command_write },
    { "STATUS", 0x14, 1, .read = status_read, .write = tensix_regs_ignore },
    { "PACKED_SIZE", 0x18, 1, .write = tensix_regs_ignore },
    { "ACC_PACKED_SIZE", 0x1c, 1, .write = acc_packed_size_write },
    { "ALL_ZERO_FLAGS", 0x20, 1, .write = tensix_regs_ignore },
    { "CLK_GATE_EN", 0x24, 1, 0, 0xffffff7f },
    { "CLK_GATE_HYST", 0x28, 1, 0, 0x01ff007f, .write = scaler3_write },
    { "XMOV_L1_BASE_ADDR", 0x2c, 1, .read = mov_cmd_base_read,
      .write = mov_cmd_base_write },
    { "FIFO_PACKED_TILE_SIZE", 0x30, 1, .read = metadata_peek,
      .write = tensix_regs_ignore },
    { "FIFO_PACKED_TILE_ZEROMASK", 0x34, 1, .read = metadata_pop,
      .write = tensix_regs_ignore },
    { "FIFO_PACKED_TILE_STATUS", 0x38, 1, 0, ALL, .read = fifo_status_read,
      .write = set_reg_base_write },
    { "SCALERS_AND_STATUS", 0x3c, 1, .read = scalers_read,
      .write = scalers_write },
};

/* --- Auto TTSync and soft reset come before the registers --- */

static bool tdma_admit(void *opaque, const TensixAccess *a, bool is_store)
{
    TensixTdmaState *s = opaque;

    if (a->view < TENSIX_NUM_HARTS) {
        tensix_cop_ttsync(s->cop, s->hart[a->view], a->attrs,
                          TENSIX_RESOURCE_TDMA, is_store);
    }
    return !(is_store && s->held);
}

void tensix_tdma_hold_reset(TensixTdmaState *s, bool held)
{
    if (held && !s->held) {
        for (unsigned i = 0; i < TENSIX_TDMA_PARAMS; i++) {
            s->value[i] = 0;
        }
    }
    s->held = held;
}

/* --- QOM --- */

static void tensix_tdma_reset_hold(Object *obj, ResetType type)
{
    TensixTdmaState *s = TENSIX_TDMA(obj);

    tensix_regs_reset(&s->regs);
    memset(s->mov_cmd_base, 0, sizeof(s->mov_cmd_base));
    s->held = false;
}

static void tensix_tdma_init(Object *obj)
{
    TensixTdmaState *s = TENSIX_TDMA(obj);

    s->regs = (TensixRegBlock) {
        .name = TYPE_TENSIX_TDMA,
        .defs = tdma_regs,
        .ndefs = ARRAY_SIZE(tdma_regs),
        .size = TENSIX_TDMA_SIZE,
        .value = s->value,
        .opaque = s,
        .hart = s->hart,
        .no_guard = true,          /* Auto TTSync stalls */
        .admit = tdma_admit,
    };
    tensix_regs_init_mmio(&s->regs, obj, s->port);
}

static void tensix_tdma_realize(DeviceState *dev, Error **errp)
{
    tensix_access_check_links(dev, errp);
}

static const VMStateDescription vmstate_tensix_tdma = {
    .name = TYPE_TENSIX_TDMA,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(value, TensixTdmaState, TENSIX_TDMA_SIZE / 4),
        VMSTATE_UINT32_ARRAY(mov_cmd_base, TensixTdmaState,
                             TENSIX_TDMA_THREADS),
        VMSTATE_BOOL(held, TensixTdmaState),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_tdma_properties[] = {
    TENSIX_PROP_HARTS(TensixTdmaState),
    DEFINE_PROP_LINK("cop", TensixTdmaState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

static void tensix_tdma_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "Tensix TDMA-RISC";
    dc->realize = tensix_tdma_realize;
    dc->vmsd = &vmstate_tensix_tdma;
    rc->phases.hold = tensix_tdma_reset_hold;
    device_class_set_props(dc, tensix_tdma_properties);
}

static const TypeInfo tensix_tdma_types[] = {
    {
        .name = TYPE_TENSIX_TDMA,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixTdmaState),
        .instance_init = tensix_tdma_init,
        .class_init = tensix_tdma_class_init,
    },
};

DEFINE_TYPES(tensix_tdma_types)
