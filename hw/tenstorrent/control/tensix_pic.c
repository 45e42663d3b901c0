/*
 * PIC of a Tensix tile.  (OLD PIC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_pic.h
 */

#include "qemu/osdep.h"
#include "hw/irq.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_pic.h"
#include "migration/vmstate.h"
#include "../trace.h"

/* BRISC's registers; NCRISC's follow them */
REG32(SW_INT_EN, 0x00)
REG32(HW_INT_EN, 0x04)
REG32(INT_NO, 0x08)
#define HW_INT_BITS ((1u << TENSIX_PIC_HW_INTS) - 1)
#define TARGET_STRIDE 3            /* words */
REG32(SW_INT, 0x18)
REG32(SW_INT_PC, 0xa8)             /* the hardware ones' pcs follow */

/* Raised interrupts: software ones from bit 0, hardware ones from bit 32 */
static uint64_t raised(const TensixPicState *s)
{
    uint64_t mask = (uint64_t)(s->hw_level & HW_INT_BITS) << TENSIX_PIC_SW_INTS;

    for (unsigned i = 0; i < TENSIX_PIC_SW_INTS; i++) {
        mask |= (uint64_t)(s->value[R_SW_INT + i] != 0) << i;
    }
    return mask;
}

static uint64_t enabled(const TensixPicState *s, unsigned target)
{
    const uint32_t *regs = &s->value[target * TARGET_STRIDE];

    return regs[R_SW_INT_EN] |
           (uint64_t)regs[R_HW_INT_EN] << TENSIX_PIC_SW_INTS;
}

/* Round robin: the first one at or after s->next. */
static unsigned choose(const TensixPicState *s, unsigned target,
                       uint64_t pending)
{
    uint64_t later = pending & MAKE_64BIT_MASK(s->next[target],
                                               64 - s->next[target]);

    return ctz64(later ? later : pending);
}

static void update_target(TensixPicState *s, unsigned target)
{
    uint64_t pending = raised(s) & enabled(s, target);
    unsigned number;

    if (!pending) {
        return;
    }
    number = choose(s, target, pending);
    if (tensix_hart_interrupt(s->hart[target],
                              s->value[R_SW_INT_PC + number])) {
        trace_tensix_pic_interrupt(tensix_hart_name(target), number,
                                   s->value[R_SW_INT_PC + number]);
        s->value[target * TARGET_STRIDE + R_INT_NO] = number;
        s->next[target] = (number + 1) % TENSIX_PIC_INTS;
    }
}

void tensix_pic_update(TensixPicState *s)
{
    for (unsigned target = 0; target < TENSIX_PIC_TARGETS; target++) {
        update_target(s, target);
    }
}

static void pic_irq_ready(Notifier *n, void *data)
{
    TensixPicState *s = container_of(n, TensixPicState, irq_ready);
    const TensixHart *hart = data;

    if (hart->id < TENSIX_PIC_TARGETS) {
        update_target(s, hart->id);
    }
}

static void pic_hw_int(void *opaque, int n, int level)
{
    TensixPicState *s = opaque;

    s->hw_level = deposit32(s->hw_level, n, 1, !!level);
    tensix_pic_update(s);
}

/* --- the registers --- */

static void write_and_update(void *opaque, const TensixAccess *a,
                             uint32_t value)
{
    tensix_regs_store(a, value);
    tensix_pic_update(opaque);
}

/* Single-slot queue: a load takes the value away. */
static uint32_t sw_int_read(void *opaque, const TensixAccess *a)
{
    TensixPicState *s = opaque;
    uint32_t value = s->value[a->word];

    if (!a->attrs.debug) {
        s->value[a->word] = 0;
    }
    return value;
}

static uint32_t hw_int_read(void *opaque, const TensixAccess *a)
{
    TensixPicState *s = opaque;

    return extract32(s->hw_level, a->index, 1);
}

#define ALL 0xffffffff

static const TensixRegDef pic_regs[] = {
    { "BRISC_SW_INT_EN", 0x00, 1, 0, ALL, .write = write_and_update },
    { "BRISC_HW_INT_EN", 0x04, 1, 0, HW_INT_BITS, .write = write_and_update },
    { "BRISC_INT_NO", 0x08, 1 },
    { "NCRISC_SW_INT_EN", 0x0c, 1, 0, ALL, .write = write_and_update },
    { "NCRISC_HW_INT_EN", 0x10, 1, 0, HW_INT_BITS, .write = write_and_update },
    { "NCRISC_INT_NO", 0x14, 1 },
    { "SW_INT", 0x18, TENSIX_PIC_SW_INTS, 0, ALL, .read = sw_int_read,
      .write = write_and_update },
    { "HW_INT", 0x98, TENSIX_PIC_HW_INTS, .read = hw_int_read,
      .write = tensix_regs_ignore },
    { "SW_INT_PC", 0xa8, TENSIX_PIC_SW_INTS, 0, ALL },
    { "HW_INT_PC", 0x128, TENSIX_PIC_HW_INTS, 0, ALL },
};

/* --- QOM --- */

static void tensix_pic_reset_hold(Object *obj, ResetType type)
{
    TensixPicState *s = TENSIX_PIC(obj);

    tensix_regs_reset(&s->regs);
    memset(s->next, 0, sizeof(s->next));
}

static void tensix_pic_init(Object *obj)
{
    TensixPicState *s = TENSIX_PIC(obj);

    s->regs = (TensixRegBlock) {
        .name = TYPE_TENSIX_PIC,
        .defs = pic_regs,
        .ndefs = ARRAY_SIZE(pic_regs),
        .size = TENSIX_PIC_SIZE,
        .value = s->value,
        .opaque = s,
        .hart = s->hart,
    };
    tensix_regs_init_mmio(&s->regs, obj, s->port);
    qdev_init_gpio_in(DEVICE(obj), pic_hw_int, TENSIX_PIC_HW_INTS);
}

static void tensix_pic_realize(DeviceState *dev, Error **errp)
{
    TensixPicState *s = TENSIX_PIC(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    s->irq_ready.notify = pic_irq_ready;
    tensix_bus_subscribe(s->hart[0]->bus, TENSIX_ON_IRQ_READY, &s->irq_ready);
}

static void tensix_pic_unrealize(DeviceState *dev)
{
    notifier_remove(&TENSIX_PIC(dev)->irq_ready);
}

static bool vmstate_next_valid(void *opaque, int version_id)
{
    TensixPicState *s = opaque;

    return s->next[0] < TENSIX_PIC_INTS && s->next[1] < TENSIX_PIC_INTS;
}

static const VMStateDescription vmstate_tensix_pic = {
    .name = TYPE_TENSIX_PIC,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(value, TensixPicState, TENSIX_PIC_SIZE / 4),
        VMSTATE_UINT32(hw_level, TensixPicState),
        VMSTATE_UINT32_ARRAY(next, TensixPicState, TENSIX_PIC_TARGETS),
        VMSTATE_VALIDATE("next", vmstate_next_valid),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_pic_properties[] = {
    TENSIX_PROP_HARTS(TensixPicState),
};

static void tensix_pic_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "Tensix interrupt controller";
    dc->realize = tensix_pic_realize;
    dc->unrealize = tensix_pic_unrealize;
    dc->vmsd = &vmstate_tensix_pic;
    rc->phases.hold = tensix_pic_reset_hold;
    device_class_set_props(dc, tensix_pic_properties);
}

static const TypeInfo tensix_pic_types[] = {
    {
        .name = TYPE_TENSIX_PIC,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixPicState),
        .instance_init = tensix_pic_init,
        .class_init = tensix_pic_class_init,
    },
};

DEFINE_TYPES(tensix_pic_types)
