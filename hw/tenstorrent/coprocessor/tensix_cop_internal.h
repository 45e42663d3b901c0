/*
 * Tensix coprocessor device: what its own files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_COP_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_COP_INTERNAL_H

#include "hw/tenstorrent/core/tensix_trail.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_pump.h"
#include "migration/vmstate.h"
#include "tensix_cop_lock.h"

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

/* Bytes of L1 that were written one after the other. */
typedef struct TensixL1Written {
    uint32_t address, size;
} TensixL1Written;

struct TensixCopState {
    SysBusDevice parent_obj;

    TensixCore *core;
    TensixSignals *signals;        /* the core's */
    const TensixState *state;      /* the core's */
    TensixRecorder *recorder;      /* the core's */
    uint64_t seed;                 /* property "schedule-seed", 0: eager */
    bool delayed;                  /* the core has delays */
    TensixCopLock lock;            /* README.md here */
    bool has_fast_path;            /* .ttinsn takes no lock, mostly */
    TensixCopAccess access;
    TensixHart *hart[TENSIX_NUM_HARTS];
    MemoryRegion *l1;
    TensixBus *bus;
    TensixReporter *reporter;
    MemoryRegion region[TENSIX_COP_REGIONS];
    TensixCopPort port[TENSIX_COP_REGIONS];
    AddressSpace l1_as;            /* L1 alone */
    MemoryRegionCache l1_cache;    /* all of it: writes go through this */
    TensixL1Written written;       /* by the core, not yet reported to QEMU */
    AddressSpace register_as;      /* the tile's registers */
    TensixObserver *observer;      /* tensix_cop_observe.c; unwritten: migrated */
    bool observed;                 /* the core has it */
    const TensixCopTimer *timer;   /* or NULL */
    Notifier entered, leaving, watched; /* its subscriptions */
    bool all_stores;               /* of harts are observed */
    bool reads_wanted;             /* of L1, posted with their actors */
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
    Notifier first_listener;       /* which events of the bus are */
    GHashTable *marks;             /* TensixState by name, a debugger's */
    TensixCopMoving moving;
};

extern const VMStateDescription vmstate_tensix_cop;

/*
 * Effects that a caller may have.  The Scalar Unit's accesses reach devices, so
 * they are not allowed to callers that a device may have called.
 */
typedef enum TensixCopExtent {
    TENSIX_COP_THREADS,
    TENSIX_COP_ACCESSES,           /* threads and accesses */
} TensixCopExtent;

/* Runs the core on as far as that allows, wakes harts, releases. */
void tensix_cop_unlock_to(TensixCopState *cop, TensixCopExtent extent);

/* A callback of the core's did something: several pushes end with this word. */
static inline void tensix_cop_end_words(TensixCopState *cop)
{
    cop->signals->changed |= TENSIX_CHANGED_HOST;
}

/*
 * Marks what the core has written to L1 dirty and discards code translated from
 * it: before the caller leaves the core, or calls a device from inside.
 */
void tensix_l1_flush_slow(TensixCopState *cop);

static inline void tensix_l1_flush(TensixCopState *cop)
{
    if (unlikely(cop->written.size)) {
        tensix_l1_flush_slow(cop);
    }
}

/* Has the remaining work run: decides by which thread or timer. */
void tensix_cop_arm_timers(TensixCopState *cop);

/* Has something changed for which a hart is stalled?  Inside the core. */
bool tensix_cop_ends_stall(const TensixCopState *cop);

/* Wakes harts whose cause to stall may have been removed.  BQL held. */
void tensix_cop_wake_for_changes(TensixCopState *cop);

/* The pump and the timers of that (tensix_cop_run.c). */
void tensix_cop_run_init(TensixCopState *cop);
void tensix_cop_run_finish(TensixCopState *cop);
void tensix_cop_run_reset(TensixCopState *cop);

/* Sets how harts push: whether TENSIX_ON_PUSH is posted (tensix_cop_push.c). */
void tensix_cop_choose_push(TensixCopState *cop);

/* A store to a push window, without the BQL (tensix_hart_direct.h). */
bool tensix_cop_push_direct(void *opaque, uint32_t offset, uint32_t word,
                            uintptr_t ra);

/* Sets whether harts access windows directly (tensix_cop_mmio.c). */
void tensix_cop_choose_direct(TensixCopState *cop);

/* The core's observer (tensix_cop_observe.c). */
void tensix_cop_observe_init(TensixCopState *cop);
void tensix_cop_observe_finish(TensixCopState *cop);

/*
 * Ends a lock under which a debugger changed the state: threads run on, and
 * harts are woken, when the machine does.
 */
void tensix_cop_unlock_poked(TensixCopState *cop);

/* Creates the MMIO regions and their ports (tensix_cop_mmio.c). */
void tensix_cop_init_regions(TensixCopState *cop);

/*
 * Pushes with the BQL held.  A full FIFO stalls the hart at ra, and this does
 * not return, or is reported if the access may not block.
 */
void tensix_cop_push_locked(TensixCopPort *port, uint32_t word, uint32_t pc,
                            MemTxAttrs attrs, uintptr_t ra);

/* The latest events: their ring and its subscriptions (tensix_recent.c). */
void tensix_recent_init(TensixCopState *cop);
void tensix_recent_finish(TensixCopState *cop);
void tensix_recent_watch(TensixCopState *cop);
void tensix_recent_unwatch(TensixCopState *cop);

/* Gives the core its callbacks (tensix_cop_callbacks.c); L1 is there already. */
void tensix_cop_set_callbacks(TensixCopState *cop);

/* The core's mmio_write and mmio_read: they only record the access. */
TensixResult tensix_cop_defer_write(void *opaque, const TensixInsn *by,
                                    uint32_t address, uint32_t value);
TensixResult tensix_cop_defer_read(void *opaque, const TensixInsn *by,
                                   uint32_t address, uint32_t *value);

/* Is a recorded access still to be made? */
bool tensix_cop_access_to_do(const TensixCopState *cop);

/*
 * Makes the recorded access, outside the core and with the BQL held, while no
 * device is in the middle of one.
 */
void tensix_cop_make_access(TensixCopState *cop);

/* Creates and destroys the view that these accesses go through. */
void tensix_cop_registers_init(TensixCopState *cop);
void tensix_cop_registers_finish(TensixCopState *cop);

/* Status CSRs of a hart (tensix_cop_status.c); a TensixStatusFn. */
uint32_t tensix_cop_status(void *opaque, TensixHartIndex hart, unsigned index);

/* Adds the group "tensix" to the TRISCs' gdb registers (tensix_gdb.c). */
void tensix_gdb_register(TensixCopState *cop);

#endif
