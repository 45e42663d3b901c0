/*
 * Blocks of 32-bit registers described by tables.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "system/tcg.h"
#include "../trace.h"

const char *tensix_view_name(uint32_t view)
{
    return view < TENSIX_NUM_HARTS ? tensix_hart_name(view) : "noc";
}

static const TensixRegDef *find_def(const TensixRegBlock *b, uint32_t offset)
{
    uint32_t low = 0, high = b->ndefs;

    while (low < high) {
        uint32_t mid = (low + high) / 2;
        const TensixRegDef *def = &b->defs[mid];

        if (offset < def->offset) {
            high = mid;
        } else if (offset >= def->offset + def->count * 4) {
            low = mid + 1;
        } else {
            return def;
        }
    }
    return NULL;
}

static TensixAccess make_access(TensixRegBlock *b, uint32_t view,
                                uint32_t offset, MemTxAttrs attrs)
{
    const TensixRegDef *def = find_def(b, offset);

    return (TensixAccess) {
        .block = b,
        .def = def,
        .view = view,
        .index = def ? (offset - def->offset) / 4 : 0,
        .word = offset / 4,
        .attrs = attrs,
    };
}

/* "SW_INT[3]", "SOFT_RESET_0", or "+0x123" where there is no register */
static char *reg_label(const TensixAccess *a)
{
    if (!a->def) {
        return g_strdup_printf("+0x%03x", a->word * 4);
    }
    if (a->def->count > 1) {
        return g_strdup_printf("%s[%u]", a->def->name, a->index);
    }
    return g_strdup(a->def->name);
}

TensixActor tensix_regs_actor(const TensixAccess *a)
{
    /* the NoC's view belongs to no hart: any hart knows the others */
    uint32_t hart = a->view < TENSIX_NUM_HARTS ? a->view : 0;

    return a->by ? *a->by : tensix_access_actor(a->block->hart[hart], a->attrs);
}

void tensix_regs_report(const TensixAccess *a, TensixCategory category,
                        const char *fmt, ...)
{
    TensixHart *const *hart = a->block->hart;
    const TensixActor by = tensix_regs_actor(a);
    g_autofree char *label = reg_label(a);
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    if (a->view < TENSIX_NUM_HARTS && !a->by) {
        tensix_report_access(hart[a->view], a->attrs, category, "%s %s: %s",
                             a->block->name, label, text);
    } else {
        tensix_report_by(hart[0]->reporter, &by, category, "%s %s: %s",
                         a->block->name, label, text);
    }
}

bool tensix_regs_may_wait(const TensixAccess *a)
{
    return tcg_enabled() &&
           (a->attrs.requester_id == TENSIX_REQUESTER_HOST ||
            a->attrs.requester_id == TENSIX_REQUESTER_DEBUGGER);
}

void tensix_regs_store(const TensixAccess *a, uint32_t value)
{
    uint32_t *word = &a->block->value[a->word];

    *word = (*word & ~a->def->writable) | (value & a->def->writable);
}

void tensix_regs_ignore(void *opaque, const TensixAccess *a, uint32_t value)
{
}

static uint32_t read_value(const TensixAccess *a)
{
    if (!a->def) {
        if (!a->attrs.debug) {
            tensix_regs_report(a, TENSIX_BAD_ACCESS, "load of no register");
        }
        return 0;
    }
    if (a->def->read) {
        return a->def->read(a->block->opaque, a);
    }
    return a->def->flags & TENSIX_REG_WRITE_ONLY ? 0 : a->block->value[a->word];
}

static uint32_t read_reg(const TensixAccess *a)
{
    uint32_t value = read_value(a);

    if (trace_event_get_state_backends(TRACE_TENSIX_REG_READ)) {
        g_autofree char *label = reg_label(a);

        trace_tensix_reg_read(a->block->name, tensix_view_name(a->view), label,
                              value);
    }
    return value;
}

static void write_plain(const TensixAccess *a, uint32_t value)
{
    if (!a->def->writable) {
        tensix_regs_report(a, TENSIX_BAD_ACCESS,
                           "store of 0x%08x to a read-only register", value);
        return;
    }
    if ((a->def->flags & TENSIX_REG_UNIMP) && value != a->def->reset) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "store of 0x%08x has no effect here", value);
    }
    tensix_regs_store(a, value);
}

static void write_reg(const TensixAccess *a, uint32_t value)
{
    if (trace_event_get_state_backends(TRACE_TENSIX_REG_WRITE)) {
        g_autofree char *label = reg_label(a);

        trace_tensix_reg_write(a->block->name, tensix_view_name(a->view), label,
                               value);
    }
    if (!a->def) {
        tensix_regs_report(a, TENSIX_BAD_ACCESS,
                           "store of 0x%08x to no register", value);
    } else if (a->def->write) {
        a->def->write(a->block->opaque, a, value);
    } else {
        write_plain(a, value);
    }
}

TensixAccess tensix_regs_access(TensixRegBlock *b, uint32_t view,
                                uint32_t offset, const TensixActor *by)
{
    TensixAccess a = make_access(b, view, offset, MEMTXATTRS_UNSPECIFIED);

    a.by = by;
    return a;
}

uint32_t tensix_regs_read(TensixRegBlock *b, uint32_t view, uint32_t offset,
                          MemTxAttrs attrs)
{
    TensixAccess a = make_access(b, view, offset, attrs);

    return read_reg(&a);
}

static bool admitted(const TensixAccess *a, bool is_store)
{
    return !a->block->admit ||
           a->block->admit(a->block->opaque, a, is_store);
}

static void notice_polling(TensixRegBlock *b, uint32_t view, uint32_t offset,
                           uint32_t value, MemTxAttrs attrs)
{
    if (view >= TENSIX_NUM_HARTS || attrs.debug || !b->hart ||
        !b->hart[view]) {
        return;
    }
    tensix_hart_polls(b->hart[view], TENSIX_POLLED(b->polled, offset & ~3),
                      value);
}

uint64_t tensix_regs_mmio_read(TensixRegBlock *b, uint32_t view, hwaddr offset,
                               unsigned size, MemTxAttrs attrs)
{
    TensixAccess a = make_access(b, view, offset & ~3, attrs);
    uint32_t value;

    if (!admitted(&a, false)) {
        return 0;
    }
    value = read_reg(&a);
    notice_polling(b, view, offset, value, attrs);
    return extract64(value, (offset & 3) * 8, size * 8);
}

void tensix_regs_mmio_write(TensixRegBlock *b, uint32_t view, hwaddr offset,
                            uint32_t data, unsigned size, MemTxAttrs attrs)
{
    TensixAccess a = make_access(b, view, offset & ~3, attrs);

    if (attrs.debug || !admitted(&a, true)) {
        return;
    }
    if (size == 4) {
        write_reg(&a, data);
    } else {
        tensix_regs_report(&a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "store of %u bytes, only words are defined", size);
    }
}

static MemTxResult port_read(void *opaque, hwaddr addr, uint64_t *data,
                             unsigned size, MemTxAttrs attrs)
{
    TensixRegPort *p = opaque;

    *data = tensix_regs_mmio_read(p->block, p->view, addr, size, attrs);
    return MEMTX_OK;
}

static MemTxResult port_write(void *opaque, hwaddr addr, uint64_t data,
                              unsigned size, MemTxAttrs attrs)
{
    TensixRegPort *p = opaque;

    tensix_regs_mmio_write(p->block, p->view, addr, data, size, attrs);
    return MEMTX_OK;
}

static const MemoryRegionOps port_ops = {
    .read_with_attrs = port_read,
    .write_with_attrs = port_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.min_access_size = 1,
    .valid.max_access_size = 4,
    .impl.min_access_size = 1,
    .impl.max_access_size = 4,
};

void tensix_regs_init_mmio(TensixRegBlock *b, Object *owner,
                           TensixRegPort port[TENSIX_NUM_VIEWS])
{
    b->polled = g_str_hash(b->name);
    for (uint32_t view = 0; view < TENSIX_NUM_VIEWS; view++) {
        g_autofree char *name = g_strdup_printf("%s.%s", b->name,
                                                tensix_view_name(view));
        TensixRegPort *p = &port[view];

        p->block = b;
        p->view = view;
        memory_region_init_io(&p->mr, owner, &port_ops, p, name, b->size);
        p->mr.disable_reentrancy_guard = b->no_guard;
        sysbus_init_mmio(SYS_BUS_DEVICE(owner), &p->mr);
    }
}

void tensix_regs_reset(TensixRegBlock *b)
{
    memset(b->value, 0, b->size);
    for (uint32_t i = 0; i < b->ndefs; i++) {
        const TensixRegDef *def = &b->defs[i];

        for (uint32_t j = 0; j < def->count; j++) {
            b->value[def->offset / 4 + j] = def->reset;
        }
    }
}
