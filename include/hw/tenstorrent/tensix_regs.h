/*
 * Blocks of 32-bit registers described by tables.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A device that is a block of registers gives one table row a register (or an
 * array of registers): name, offset, reset value, which bits software can
 * write, and a function where reading or writing does something.  The rest is
 * common: widths, unknown offsets, read-only and write-only registers, traces
 * and reports with register and hart names.
 *
 * The hart that accesses comes from the memory region: every device has one
 * region a view (TENSIX_NUM_VIEWS: five harts and the NoC), sysbus MMIO index
 * = view.
 *
 * Widths: loads of 1, 2 and 4 bytes that stay inside a word give that part of
 * the word; stores must be full words, as no page says what else they do.
 * Longer accesses are split by the memory core.
 */

#ifndef HW_TENSTORRENT_TENSIX_REGS_H
#define HW_TENSTORRENT_TENSIX_REGS_H

#include "exec/memattrs.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_hart.h"

typedef struct TensixRegBlock TensixRegBlock;

/* One access, for the functions of table rows. */
typedef struct TensixAccess {
    TensixRegBlock *block;
    const struct TensixRegDef *def;
    uint32_t view;                 /* TensixHartIndex or TENSIX_VIEW_NOC */
    uint32_t index;                /* inside an array of registers */
    uint32_t word;                 /* index into block->value */
    MemTxAttrs attrs;              /* debug: reads change nothing */
    const TensixActor *by;         /* NULL: the agent in attrs, now */
} TensixAccess;

/*
 * WRITE_ONLY: reads give 0, as documented.  UNIMP: a store of other than the
 * reset value asks for something that is not modelled.  DEVICE and all above
 * are the device's own.
 */
typedef enum TensixRegFlags {
    TENSIX_REG_WRITE_ONLY = 1 << 0,
    TENSIX_REG_UNIMP = 1 << 1,
    TENSIX_REG_DEVICE = 1 << 8,
} TensixRegFlags;

typedef struct TensixRegDef {
    const char *name;
    uint32_t offset;               /* bytes; rows in ascending order */
    uint32_t count;                /* words, 1 unless an array */
    uint32_t reset;
    uint32_t writable;             /* bits that a store changes; 0: read-only */
    uint32_t flags;                /* TensixRegFlags */
    /* NULL: the stored value */
    uint32_t (*read)(void *opaque, const TensixAccess *a);
    /* NULL: store the writable bits; else it does everything */
    void (*write)(void *opaque, const TensixAccess *a, uint32_t value);
} TensixRegDef;

/* What one view sees of a block; opaque of its region. */
typedef struct TensixRegPort {
    TensixRegBlock *block;
    uint32_t view;
    MemoryRegion mr;
} TensixRegPort;

struct TensixRegBlock {
    const char *name;              /* of the device, for traces and reports */
    const TensixRegDef *defs;
    uint32_t ndefs;
    uint32_t size;                 /* bytes that the region decodes */
    uint32_t polled;               /* of TENSIX_POLLED(), set by init_mmio */
    uint32_t *value;               /* size / 4 words, the device's state */
    void *opaque;                  /* the device */
    TensixHart **hart;             /* five links of the device, all set */
    /*
     * An access may stall its hart, which leaves by a long jump, or re-enter
     * the device: QEMU's guard against re-entrancy is off.
     */
    bool no_guard;
    /*
     * Called before anything else, NULL for none: may stall the hart.  False:
     * the access is discarded (a load gives 0).
     */
    bool (*admit)(void *opaque, const TensixAccess *a, bool is_store);
};

/*
 * Makes the block's regions, one a view, and adds them to the sysbus device
 * owner in the order of the views.  The block's description must be complete.
 */
void tensix_regs_init_mmio(TensixRegBlock *b, Object *owner,
                           TensixRegPort port[TENSIX_NUM_VIEWS]);

/* One MMIO access, for devices that make their regions themselves. */
uint64_t tensix_regs_mmio_read(TensixRegBlock *b, uint32_t view, hwaddr offset,
                               unsigned size, MemTxAttrs attrs);
void tensix_regs_mmio_write(TensixRegBlock *b, uint32_t view, hwaddr offset,
                            uint32_t data, unsigned size, MemTxAttrs attrs);

/* Puts the reset values into b->value. */
void tensix_regs_reset(TensixRegBlock *b);

/* An access made earlier to the word at a byte offset, for reports about it. */
TensixAccess tensix_regs_access(TensixRegBlock *b, uint32_t view,
                                uint32_t offset, const TensixActor *by);

/* The agent of the access. */
TensixActor tensix_regs_actor(const TensixAccess *a);

/* Reads the word at a byte offset on behalf of a view. */
uint32_t tensix_regs_read(TensixRegBlock *b, uint32_t view, uint32_t offset,
                          MemTxAttrs attrs);

/*
 * May this access give the BQL away for a while, to wait for a hart's thread?
 * A host's may, qtest's and the monitor's.  Not a hart's, for two could wait for
 * each other, and not the NoC's, which may be in the middle of a request.
 */
bool tensix_regs_may_wait(const TensixAccess *a);

/* Stores value in the register's writable bits. */
void tensix_regs_store(const TensixAccess *a, uint32_t value);

/* For registers whose stores do nothing. */
void tensix_regs_ignore(void *opaque, const TensixAccess *a, uint32_t value);

/* Reports a violation of the access's hart; the register is named. */
void tensix_regs_report(const TensixAccess *a, TensixCategory category,
                        const char *fmt, ...) G_GNUC_PRINTF(3, 4);

/* Name of a view: a hart's, or "noc". */
const char *tensix_view_name(uint32_t view);

#endif
