/*
 * The debug interface of the harts (WH DebugInterface.md), and what else tile
 * control requests from debug hardware.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_debug.h
 *
 * BRISC and the T harts have an interface, NCRISC has none.  What a command does
 * to a hart is in tensix_hart_debug.c.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "migration/vmstate.h"
#include "tensix_debug_internal.h"

FIELD(CNTL_0, DR, 0, 11)
FIELD(CNTL_0, IS_WRITE, 16, 1)
FIELD(CNTL_0, WHICH, 17, 2)
FIELD(CNTL_0, TRIGGER, 31, 1)
FIELD(STATUS_0, WRITE_MASK, 13, 4)
FIELD(STATUS_0, VALID, 30, 1)

enum {
    COMMAND_HALT = 1 << 0,
    COMMAND_STEP = 1 << 1,
    COMMAND_CONTINUE = 1 << 2,
    COMMAND_READ_GPR = 1 << 3,
    COMMAND_WRITE_GPR = 1 << 4,
    COMMAND_READ_MEMORY = 1 << 5,
    COMMAND_WRITE_MEMORY = 1 << 6,
    COMMAND_CLEAR_GPRS = 1 << 7,
    COMMAND_SET_PC = 1 << 8,
    COMMANDS = 0x1ff,
    COMMANDS_WHILE_PAUSED = COMMANDS & ~COMMAND_HALT,
};
#define COMMAND_SLOW_MODE (1u << 31)

/* --- commands --- */

static void read_gpr(TensixHart *hart, const TensixAccess *a)
{
    uint32_t *dr = tensix_hart_debug_dr(hart, 0);

    dr[TENSIX_DR_RESULT] = tensix_hart_debug_gpr(hart, dr[TENSIX_DR_ARG0]);
}

static void write_gpr(TensixHart *hart, const TensixAccess *a)
{
    uint32_t *dr = tensix_hart_debug_dr(hart, 0);

    tensix_hart_debug_set_gpr(hart, dr[TENSIX_DR_ARG0], dr[TENSIX_DR_ARG1]);
}

static void clear_gprs(TensixHart *hart, const TensixAccess *a)
{
    for (uint32_t i = 0; i < TENSIX_DEBUG_PC; i++) {
        tensix_hart_debug_set_gpr(hart, i, 0);
    }
}

static const MemTxAttrs attrs = { .requester_id = TENSIX_REQUESTER_RISC_DBG };

static void read_memory(TensixHart *hart, const TensixAccess *a)
{
    uint32_t *dr = tensix_hart_debug_dr(hart, 0);
    uint32_t value = 0;

    address_space_read(hart->cpu->as, dr[TENSIX_DR_ARG0], attrs, &value,
                       sizeof(value));
    dr[TENSIX_DR_RESULT] = value;
}

static void write_memory(TensixHart *hart, const TensixAccess *a)
{
    const TensixTileCtrlState *s = a->block->opaque;
    const uint32_t *dr = tensix_hart_debug_dr(hart, 0);
    uint32_t address = dr[TENSIX_DR_ARG0], value = dr[TENSIX_DR_ARG1];
    TensixActor by;

    if (tensix_l1_has(address, sizeof(value))) {
        by = tensix_agent_for(TENSIX_BY_RISC_DBG, tensix_regs_actor(a));
        tensix_l1_write(s->cop, &by, address, &value, sizeof(value));
    } else {
        address_space_write(hart->cpu->as, address, attrs, &value,
                            sizeof(value));
    }
}

/* Without slow mode it is the reset pc. */
static void set_pc(TensixHart *hart, const TensixAccess *a)
{
    const uint32_t *dr = tensix_hart_debug_dr(hart, 0);

    tensix_hart_debug_set_pc(hart, dr[TENSIX_DR_COMMAND] & COMMAND_SLOW_MODE
                                   ? dr[TENSIX_DR_ARG1]
                                   : tensix_hart_reset_pc(hart));
}

/* Bit 1 beside bit 8 works around an error of the hardware, and steps nothing. */
static void resume(TensixHart *hart, const TensixAccess *a)
{
    uint32_t command = *tensix_hart_debug_dr(hart, TENSIX_DR_COMMAND);

    if (command & COMMAND_CONTINUE) {
        tensix_hart_debug_continue(hart, tensix_regs_may_wait(a));
    } else if ((command & COMMAND_STEP) && !(command & COMMAND_SET_PC)) {
        tensix_hart_debug_step(hart, tensix_regs_may_wait(a));
    }
}

static void halt(TensixHart *hart, const TensixAccess *a)
{
    tensix_hart_debug_halt(hart, tensix_regs_may_wait(a));
}

/* In the order in which they are carried out */
static const struct {
    uint32_t bits;
    void (*fn)(TensixHart *hart, const TensixAccess *a);
} commands[] = {
    { COMMAND_CLEAR_GPRS, clear_gprs },
    { COMMAND_WRITE_GPR, write_gpr },
    { COMMAND_READ_GPR, read_gpr },
    { COMMAND_WRITE_MEMORY, write_memory },
    { COMMAND_READ_MEMORY, read_memory },
    { COMMAND_SET_PC, set_pc },
    { COMMAND_STEP | COMMAND_CONTINUE, resume },
    { COMMAND_HALT, halt },
};

static void obey(TensixHart *hart, const TensixAccess *a, uint32_t command)
{
    if ((command & COMMANDS_WHILE_PAUSED) &&
        !(tensix_hart_debug_status(hart) & TENSIX_DEBUG_PAUSED)) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "command 0x%08x to %s, which is not paused",
                           command, tensix_hart_name(hart->id));
        command &= COMMAND_HALT;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        if (command & commands[i].bits) {
            commands[i].fn(hart, a);
        }
    }
}

/* --- debug registers --- */

static bool is_watchpoint_dr(uint32_t dr)
{
    return dr == TENSIX_DR_MODES ||
           (dr >= TENSIX_DR_ADDRESS && dr < TENSIX_DRS);
}

static void write_dr(TensixHart *hart, const TensixAccess *a, uint32_t dr,
                     uint32_t value)
{
    if (tensix_hart_debug_is_reset(hart)) {
        return;
    }
    if (is_watchpoint_dr(dr)) {
        *tensix_hart_debug_dr(hart, dr) = value;
        tensix_hart_debug_watch(hart);
    } else if (dr == TENSIX_DR_COMMAND) {
        *tensix_hart_debug_dr(hart, dr) = value;
        obey(hart, a, value);
    } else if (dr == TENSIX_DR_ARG0 || dr == TENSIX_DR_ARG1) {
        *tensix_hart_debug_dr(hart, dr) = value;
    }
}

static uint32_t read_dr(TensixHart *hart, const TensixAccess *a, uint32_t dr)
{
    if (dr == TENSIX_DR_STATUS) {
        return tensix_hart_debug_status(hart);
    }
    return *tensix_hart_debug_dr(hart, dr);
}

static void access_dr(TensixDebugState *s, const TensixAccess *a,
                      uint32_t control)
{
    static const TensixHartIndex which[] = {
        TENSIX_HART_BRISC, TENSIX_HART_TRISC0, TENSIX_HART_TRISC1,
        TENSIX_HART_TRISC2,
    };
    TensixHart *hart = s->hart[which[FIELD_EX32(control, CNTL_0, WHICH)]];
    uint32_t dr = FIELD_EX32(control, CNTL_0, DR);
    uint32_t *value = s->tile_ctrl->value;

    if (dr >= TENSIX_DRS) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "there is no DR(%u)", dr);
        dr = TENSIX_DR_MODES + 1;             /* reads 0, and takes nothing */
    }
    if (FIELD_EX32(control, CNTL_0, IS_WRITE)) {
        write_dr(hart, a, dr, value[TENSIX_RISC_DBG_CNTL_1 / 4]);
    } else {
        value[TENSIX_RISC_DBG_STATUS_1 / 4] = read_dr(hart, a, dr);
    }
}

/* --- registers --- */

/* An echo of the control register; the value register is always valid. */
static uint32_t status0(const TensixDebugState *s)
{
    uint32_t cntl = tensix_debug_register(s, TENSIX_RISC_DBG_CNTL_0);
    uint32_t mask = FIELD_EX32(cntl, CNTL_0, IS_WRITE)
                    << FIELD_EX32(cntl, CNTL_0, WHICH);
    uint32_t v = FIELD_EX32(cntl, CNTL_0, DR);

    v = FIELD_DP32(v, STATUS_0, WRITE_MASK, mask);
    v = FIELD_DP32(v, STATUS_0, VALID, 1);
    return v | (cntl & R_CNTL_0_TRIGGER_MASK);
}

static uint32_t debug_read(void *opaque, const TensixAccess *a)
{
    TensixDebugState *s = opaque;

    return a->def->offset == TENSIX_DBG_RD_DATA ? tensix_debug_bus_read(s, a)
                                                : status0(s);
}

static void debug_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixDebugState *s = opaque;
    uint32_t old = a->block->value[a->word];

    tensix_regs_store(a, value);
    if (a->word * 4 == TENSIX_DBG_L1_MEM_REG2) {
        tensix_debug_sampler_control(s, a, old);
    } else if (a->word * 4 == TENSIX_RISC_DBG_CNTL_0 &&
               FIELD_EX32(value & ~old, CNTL_0, TRIGGER)) {
        access_dr(s, a, value);
    }
}

static const TensixTileDebugOps debug_ops = {
    .read = debug_read,
    .write = debug_write,
};

/* --- QOM --- */

static void tensix_debug_reset_hold(Object *obj, ResetType type)
{
    tensix_debug_sampler_reset(TENSIX_DEBUG(obj));
}

static void tensix_debug_realize(DeviceState *dev, Error **errp)
{
    TensixDebugState *s = TENSIX_DEBUG(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    tensix_once_init(&s->reported, s->hart[0]);
    tensix_debug_sampler_init(s);
    tensix_tile_ctrl_set_debug(s->tile_ctrl, &debug_ops, s);
}

static void tensix_debug_unrealize(DeviceState *dev)
{
    TensixDebugState *s = TENSIX_DEBUG(dev);

    tensix_tile_ctrl_set_debug(s->tile_ctrl, NULL, NULL);
    tensix_debug_sampler_finish(s);
    tensix_once_finish(&s->reported);
}

static int tensix_debug_post_load(void *opaque, int version_id)
{
    TensixDebugState *s = opaque;

    return tensix_debug_sampler_valid(&s->sampler) ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_tensix_debug = {
    .name = TYPE_TENSIX_DEBUG,
    .version_id = 2,
    .minimum_version_id = 2,
    .post_load = tensix_debug_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(sampler.by, TensixDebugState, 1, vmstate_tensix_actor,
                       TensixActor),
        VMSTATE_UINT32(sampler.next, TensixDebugState),
        VMSTATE_UINT32(sampler.end, TensixDebugState),
        VMSTATE_BOOL(sampler.running, TensixDebugState),
        VMSTATE_UINT64(sampler.last, TensixDebugState),
        VMSTATE_TENSIX_PUMP(sampler.pump, TensixDebugState),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_debug_properties[] = {
    TENSIX_PROP_HARTS(TensixDebugState),
    DEFINE_PROP_LINK("cop", TensixDebugState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_LINK("pcbuf", TensixDebugState, pcbuf, TYPE_TENSIX_PCBUF,
                     TensixPCBufState *),
    DEFINE_PROP_LINK("tile-ctrl", TensixDebugState, tile_ctrl,
                     TYPE_TENSIX_TILE_CTRL, TensixTileCtrlState *),
};

/* A series of samples; commands to a hart are done at once, or the hart's. */
static bool tensix_debug_busy(const Object *obj)
{
    return TENSIX_DEBUG(obj)->sampler.running;
}

static void tensix_debug_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);
    TensixBusyClass *bc = TENSIX_BUSY_CLASS(oc);

    bc->busy = tensix_debug_busy;
    dc->desc = "debug interface and debug bus of a Tensix tile";
    dc->realize = tensix_debug_realize;
    dc->unrealize = tensix_debug_unrealize;
    dc->vmsd = &vmstate_tensix_debug;
    dc->user_creatable = false;
    rc->phases.hold = tensix_debug_reset_hold;
    device_class_set_props(dc, tensix_debug_properties);
}

static const TypeInfo tensix_debug_types[] = {
    {
        .name = TYPE_TENSIX_DEBUG,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixDebugState),
        .class_init = tensix_debug_class_init,
        .interfaces = TENSIX_BUSY_INTERFACES,
    },
};

DEFINE_TYPES(tensix_debug_types)
