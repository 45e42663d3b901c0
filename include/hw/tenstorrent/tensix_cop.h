/*
 * Tensix coprocessor device: the core behind its MMIO windows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_COP_H
#define HW_TENSTORRENT_TENSIX_COP_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_pump.h"
#include "hw/tenstorrent/coprocessor/tensix_cop_lock.h"
#include "hw/tenstorrent/core/tensix_trail.h"
#include "qom/object.h"

#define TYPE_TENSIX_COP "tensix-cop"
OBJECT_DECLARE_SIMPLE_TYPE(TensixCopState, TENSIX_COP)

/* Regions of the device, for sysbus_mmio_get_region() and the board's table. */
enum {
    TENSIX_COP_PUSH_B0, /* BRISC: push to thread 0, 1, 2; 64 KiB each */
    TENSIX_COP_PUSH_B1,
    TENSIX_COP_PUSH_B2,
    TENSIX_COP_PUSH_T0, /* T hart: push to its own thread; 64 KiB */
    TENSIX_COP_PUSH_T1,
    TENSIX_COP_PUSH_T2,
    TENSIX_COP_GPR_B,  /* GPRs of all threads, 0x300; 4 KiB */
    TENSIX_COP_GPR_T0, /* own GPRs, repeating; 4 KiB */
    TENSIX_COP_GPR_T1,
    TENSIX_COP_GPR_T2,
    TENSIX_COP_CFG_B, /* back-end configuration; 64 KiB */
    TENSIX_COP_CFG_T0,
    TENSIX_COP_CFG_T1,
    TENSIX_COP_CFG_T2,
    TENSIX_COP_MOP_CFG_T0, /* MopCfg, write-only; 0x24 bytes */
    TENSIX_COP_MOP_CFG_T1,
    TENSIX_COP_MOP_CFG_T2,
    TENSIX_COP_REGIONS,
};

/* A region as one hart sees it: the opaque of its callbacks. */
typedef struct TensixCopPort {
    TensixCopState *cop;
    TensixHart *hart;
    uint32_t thread;
    uint32_t hart_id;              /* hart->id, near: each word wants it */
} TensixCopPort;

/* What a LOADREG has read and its thread has not taken yet. */
typedef struct TensixCopLoaded {
    bool valid;
    uint32_t address, value;
} TensixCopLoaded;

/* The Scalar Unit's accesses to registers (tensix_cop_registers.c). */
typedef struct TensixCopAccess {
    uint32_t state;                /* TENSIX_COP_ACCESS_* */
    uint32_t address;
    uint32_t value;                /* to write */
    TensixInsn by;
    TensixCopLoaded loaded[TENSIX_THREADS];
} TensixCopAccess;

enum {
    TENSIX_COP_ACCESS_NONE,
    TENSIX_COP_ACCESS_WRITE,       /* to be made */
    TENSIX_COP_ACCESS_READ,
    TENSIX_COP_ACCESS_STATES,
};

/* The state on its way to or from a snapshot (tensix_cop_vmstate.c). */
typedef struct TensixCopMoving {
    TensixState core;
    TensixCopAccess access;
    TensixTrail trail;
    bool has_trail;                /* the incoming state has one */
} TensixCopMoving;

struct TensixCopState {
    SysBusDevice parent_obj;

    TensixCore *core;
    TensixSignals *signals;        /* the core's */
    const TensixState *state;      /* the core's */
    TensixRecorder *recorder;      /* the core's */
    uint64_t seed;                 /* property "schedule-seed", 0: eager */
    TensixCopLock lock;            /* (docs/internals.rst, "What protects the state") */
    bool goes_short;               /* .ttinsn takes no lock, mostly */
    TensixCopAccess access;
    TensixHart *hart[TENSIX_NUM_HARTS];
    MemoryRegion *l1;
    TensixBus *bus;
    TensixReporter *reporter;
    MemoryRegion region[TENSIX_COP_REGIONS];
    TensixCopPort port[TENSIX_COP_REGIONS];
    AddressSpace l1_as;            /* L1 alone */
    MemoryRegionCache l1_cache;    /* all of it: writes go through this */
    AddressSpace register_as;      /* the tile's registers */
    TensixObserver *observer;      /* tensix_cop_observe.c; unwritten: migrated */
    bool observed;                 /* the core has it */
    Notifier entered, leaving, watched; /* its subscriptions */
    bool all_stores;               /* of harts are observed */
    TensixHartRange ranges[TENSIX_BREAKS + 1]; /* of L1, for the harts */
    unsigned range_count;
    bool making_access;
    bool resetting;                /* loaders write L1 */
    VMChangeStateEntry *vm_state;
    bool hazards;                  /* reported */
    bool put_off;                  /* the pump is to run the core (migrated) */
    uint32_t way_changes;          /* watching or a timeline began or ended */
    QEMUTimer *step_timer;         /* seeded schedule: runs what pushes left */
    TensixPump pump;               /* runs what the budget of a push left */
    uint32_t (*stream_read)(void *opaque, uint32_t stream, uint32_t offset);
    void *stream_opaque;
    TensixEvent *ring;             /* the recorder's */
    Notifier turn, stop;           /* for the latest events */
    Notifier wanted;               /* which events of the bus are */
    GHashTable *marks;             /* TensixState by name, a debugger's */
    TensixCopMoving moving;
};

/* Of the core's state; whoever loads it asks tensix_state_valid() then. */
extern const VMStateDescription vmstate_tensix_state;

/* The core must not be touched outside lock/unlock; see docs/internals.rst. */
TensixCore *tensix_cop_lock(TensixCopState *cop);

/*
 * Lets the coprocessor run as far as it can, but not for more than a few
 * milliseconds (what is left the pump runs), then wakes the harts whose cause
 * to stall may have gone.  The Scalar Unit's accesses to devices are left to
 * the pump: the caller may be one.  BQL held, as for lock.  A hart must be stalled
 * (tensix_hart_stall) after unlock, never between: the stall does not return.
 */
void tensix_cop_unlock(TensixCopState *cop);

/*
 * The same after a mere look: nothing runs and nobody is woken, so what was
 * seen still holds when the caller stalls its hart.
 */
void tensix_cop_release(TensixCopState *cop);

/*
 * Calls n->notify whenever the core has been locked, until notifier_remove(n).
 * BQL held.
 */
void tensix_cop_on_enter(TensixCopState *cop, Notifier *n);

/* Is the core locked, by this thread if it has the BQL? */
bool tensix_cop_is_entered(const TensixCopState *cop);

/* As tensix_set_timeline(); inside lock. */
void tensix_cop_set_timeline(TensixCopState *cop, void (*full)(void *opaque),
                             void *opaque);

/* As tensix_set_hazards(), for all resets from now on; inside lock. */
void tensix_cop_set_hazards(TensixCopState *cop, bool enabled);

/* The pump runs the core, and wakes harts, when the machine runs.  BQL held. */
void tensix_cop_put_off(TensixCopState *cop);

/* Wakes every hart that is stalled for one of these (1 << TensixStall). */
void tensix_cop_wake(TensixCopState *cop, uint32_t stall_mask);

/*
 * Sets what reads a NoC overlay stream register (the stream device): offset in
 * bytes inside the stream.
 */
void tensix_cop_set_stream_read(TensixCopState *cop,
                                uint32_t (*fn)(void *opaque, uint32_t stream,
                                               uint32_t offset),
                                void *opaque);

/*
 * Auto TTSync: if this T hart's access to the resources (TENSIX_RESOURCE_*)
 * must wait for instructions it pushed earlier, stalls it and does not return.
 * Call it before anything else in the MMIO callback, not under lock.  Nothing
 * happens for other harts and for accesses that may not block.
 */
void tensix_cop_ttsync(TensixCopState *cop, TensixHart *hart, MemTxAttrs attrs,
                       uint32_t resources, bool is_store);

#endif
