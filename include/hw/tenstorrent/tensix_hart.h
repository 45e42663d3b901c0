/*
 * One baby RISC-V hart of a Tensix tile: its CPU, its view of memory, and how
 * it is stalled, woken, reset, paused and interrupted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + property "hart-id": TensixHartIndex, fixes name, RAM size, reset pc
 *  + property "tile-number": of its tile; other than 0 it is in the names of
 *    CPU and RAM, "tile1-brisc"
 *  + property "l1": link to the MemoryRegion of L1
 *  + property "bus": link to the tile's event bus
 *  + property "reporter": link to what violations are reported to
 *  + `view`: the hart's private 4 GiB; devices are mapped into it (the board's
 *    device table does it); L1, local RAM and "unmapped" are there already
 *  + child "cluster" (CPUCluster) with the CPU as its child, named "brisc",
 *    "ncrisc", "trisc0", "trisc1" or "trisc2" (gdb shows that name)
 *
 * This file may be included by target-independent code.
 *
 * A device that may block a hart, in its MMIO callback (the region's opaque
 * names the hart):
 *
 *     if (fifo_is_empty(f)) {                  <- nothing changed so far
 *         if (!tensix_hart_may_block(hart, attrs)) {
 *             return a defined value, and log a guest error;
 *         }
 *         tensix_hart_stall(hart, TENSIX_STALL_PCBUF_EMPTY, thread, 0);
 *     }
 *     ... change state ...
 *     tensix_hart_wake(other, 1u << TENSIX_STALL_PCBUF_FULL);
 *
 * tensix_hart_stall() does not return: the whole access is made again after a
 * wake.  Every region that can get there needs
 * `mr->disable_reentrancy_guard = true`.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_H
#define HW_TENSTORRENT_TENSIX_HART_H

#include "exec/gdbstub.h"
#include "exec/memattrs.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/core/cpu.h"
#include "hw/cpu/cluster.h"
#include "hw/sysbus.h"
#include "hw/tenstorrent/core/tensix_core.h"
#include "hw/tenstorrent/tensix_bus.h"
#include "hw/tenstorrent/tensix_csr.h"
#include "hw/tenstorrent/tensix_hart_irq.h"
#include "hw/tenstorrent/tensix_hart_pause.h"
#include "hw/tenstorrent/tensix_hart_reset.h"
#include "hw/tenstorrent/tensix_hart_stall.h"
#include "hw/tenstorrent/tensix_hart_turns.h"
#include "hw/tenstorrent/tensix_once.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "hw/tenstorrent/tensix_report.h"
#include "qom/object.h"
#include "target/riscv/cpu-qom.h"

#define TYPE_TENSIX_CPU RISCV_CPU_TYPE_NAME("tt-baby")
#define TYPE_TENSIX_HART "tensix-hart"
OBJECT_DECLARE_SIMPLE_TYPE(TensixHart, TENSIX_HART)

/* Harts are numbered by the core's TensixHartIndex = CPU order 0..4. */
#define TENSIX_NUM_HARTS TENSIX_HART_NONE
/* The sixth view: what a NoC transaction addressed to this tile reaches. */
#define TENSIX_VIEW_NOC TENSIX_NUM_HARTS
#define TENSIX_NUM_VIEWS (TENSIX_NUM_HARTS + 1)

/* Masks of harts (and of the NoC's view) for the board's device table. */
enum {
    TENSIX_MASK_B = 1 << TENSIX_HART_BRISC,
    TENSIX_MASK_NC = 1 << TENSIX_HART_NCRISC,
    TENSIX_MASK_T0 = 1 << TENSIX_HART_TRISC0,
    TENSIX_MASK_T1 = 1 << TENSIX_HART_TRISC1,
    TENSIX_MASK_T2 = 1 << TENSIX_HART_TRISC2,
    TENSIX_MASK_NOC = 1 << TENSIX_VIEW_NOC,
    TENSIX_MASK_T = TENSIX_MASK_T0 | TENSIX_MASK_T1 | TENSIX_MASK_T2,
    TENSIX_MASK_BT = TENSIX_MASK_B | TENSIX_MASK_T,
    TENSIX_MASK_HARTS = TENSIX_MASK_BT | TENSIX_MASK_NC,
    TENSIX_MASK_ALL = TENSIX_MASK_HARTS | TENSIX_MASK_NOC,
};

#define TENSIX_L1_SIZE 0x180000
#define TENSIX_VIEW_SIZE 0x100000000ull
#define TENSIX_LOCAL_RAM_BASE 0xFFB00000

/* Clocks per second of the tile; its time base is QEMU's virtual clock. */
#define TENSIX_CLOCK_HZ 1350000000u

/*
 * Pushes one word, already rotated to the Tensix form, from the hart's
 * `.ttinsn` at pc.  Called from generated code WITHOUT the BQL.  If it cannot
 * take the word: bql_lock() unless held, change nothing, then
 * tensix_hart_stall(hart, TENSIX_STALL_PUSH_FIFO, thread, ra) (which drops the
 * lock); the word is pushed again after the wake.
 */
typedef void TensixPushFn(void *opaque, uint32_t word, uint32_t pc,
                          uintptr_t ra);

/*
 * The same for words that follow each other, from pc on, as far as nothing has
 * to be done between them.  Returns how many it has pushed; 0: the first one has
 * to be pushed alone.
 */
typedef uint32_t TensixPushWordsFn(void *opaque, const uint32_t *words,
                                   uint32_t count, uint32_t pc);

/*
 * Live value of status CSR 0xBC0 + index as hart sees it (BH CSRs.md).  Called
 * with the BQL held; not called for the scratch ones of BRISC and NCRISC, nor
 * while cfg0.DisTTStatusReg freezes them.
 */
typedef uint32_t TensixStatusFn(void *opaque, TensixHartIndex hart,
                                unsigned index);

/*
 * Registers that a device gives the hart in gdb, n counted from 0.  Both return
 * their size in bytes, 0 if there is no such one.  BQL held.
 */
typedef struct TensixGdbOps {
    int (*read)(void *opaque, const TensixHart *hart, GByteArray *buf, int n);
    int (*write)(void *opaque, const TensixHart *hart, uint8_t *buf, int n);
} TensixGdbOps;

/*
 * The pc of accesses made lately, by the place in translated code that made
 * them: to find it anew takes as long as the block is.
 */
#define TENSIX_HART_PLACES 256

typedef struct TensixHartPlaces {
    unsigned flushes;              /* tb_flushes() for which they hold */
    struct {
        uintptr_t ra;
        uint32_t pc;
    } at[TENSIX_HART_PLACES];
} TensixHartPlaces;

/* A part of L1, in bytes, and which accesses to it are of interest. */
typedef struct TensixHartRange {
    uint32_t first, count;
    bool loads, stores;
} TensixHartRange;

/* What an instruction has accessed: an atomic loads and stores. */
typedef struct TensixHartAccess {
    uint32_t address, size;        /* bytes */
    bool loads, stores;
    const uint8_t *before;         /* what was there */
} TensixHartAccess;

/* Of one instruction, at most: eight vector registers, of 16 bytes each. */
enum { TENSIX_HART_ACCESS_BYTES = 8 * 16 };

/* Parts of L1 that do not follow each other, in the order of the accesses. */
typedef struct TensixHartAccesses {
    TensixHartAccess part[TENSIX_HART_ACCESS_BYTES];
    unsigned parts, bytes;
    uint8_t before[TENSIX_HART_ACCESS_BYTES];
} TensixHartAccesses;

/* Debug registers of a hart, DR(i) (WH DebugInterface.md). */
enum {
    TENSIX_DR_STATUS,
    TENSIX_DR_COMMAND,
    TENSIX_DR_ARG0,                /* index or address */
    TENSIX_DR_ARG1,                /* data */
    TENSIX_DR_RESULT,
    TENSIX_DR_MODES,               /* 4 bits a watchpoint */
    TENSIX_DR_ADDRESS = 10,        /* of each watchpoint */
    TENSIX_WATCHPOINTS = 8,
    TENSIX_DRS = TENSIX_DR_ADDRESS + TENSIX_WATCHPOINTS,
};

/* The debug interface's side of a hart (tensix_hart_debug.h). */
typedef struct TensixHartDebug {
    uint32_t dr[TENSIX_DRS];       /* the status is made when it is read */
    uint32_t cause;                /* of the pause: bits of the status */
    uint32_t step_cause;           /* what the end of the step will show */
    bool halted;                   /* paused, and only the interface resumes */
    bool stepping;
    bool half_step;                /* of two commands that make a step */
    bool keep;                     /* DISABLE_RESET: soft reset keeps the DRs */

    /* not migrated */
    bool armed;                    /* QEMU steps for us */
    int gdb_step;                  /* gdb's own steps meanwhile */
    uint32_t steps;                /* that are counted, still to be done */
    uint32_t steps_pc;             /* before the last of them */
    int64_t steps_end;             /* when there are enough of them */
    bool halting;                  /* after these steps */
    bool going_on;                 /* as soon as its thread comes to it */
    bool watch_queued;
    bool watches_local;            /* its accesses to its local RAM */
} TensixHartDebug;

/* Regions of devices that take accesses without the BQL (tensix_hart_direct.h). */
#define TENSIX_DIRECT_BASE 0xffe00000
#define TENSIX_DIRECT_END 0xfff00000
#define TENSIX_DIRECT_WINDOW 0x10000
#define TENSIX_DIRECT_WINDOWS \
    ((TENSIX_DIRECT_END - TENSIX_DIRECT_BASE) / TENSIX_DIRECT_WINDOW)

typedef struct TensixDirect {
    MemoryRegion *mr;
    const struct TensixDirectOps *ops;
    void *opaque;
    uint32_t address, size;
} TensixDirect;

typedef struct TensixHartDirect {
    bool used;
    unsigned offers;
    TensixDirect offer[TENSIX_DIRECT_WINDOWS];
    const TensixDirect *at[TENSIX_DIRECT_WINDOWS]; /* or NULL */
} TensixHartDirect;

struct TensixHart {
    SysBusDevice parent_obj;

    /* what the board sets */
    uint32_t id;
    uint32_t tile_number;
    MemoryRegion *l1;
    TensixBus *bus;
    TensixReporter *reporter;

    /* what it is made of */
    CPUState *cpu;
    VMChangeStateEntry *vm_state;
    CPUClusterState cluster;
    MemoryRegion root;             /* what the CPU sees: all 64 bits */
    MemoryRegion view;             /* the hart's 4 GiB */
    MemoryRegion view_low;         /* view, zero-extended addresses */
    MemoryRegion view_high;        /* view, sign-extended addresses */
    MemoryRegion l1_alias;
    MemoryRegion unmapped;
    MemoryRegion local_ram;
    void *status_opaque, *gdb_opaque;
    const TensixGdbOps *gdb_ops;
    TensixStatusFn *status_fn;

    /* state (migrated) */
    TensixHartStall stall;
    TensixHartReset reset;
    TensixHartPause pause;
    TensixHartIrq irq;
    TensixCsrs csr;
    TensixHartDebug debug;
    const TensixHartRange *watched; /* of L1, by tensix_hart_watch_memory() */
    unsigned watched_count;
    TensixHartAccesses accessed;   /* to L1, after a watchpoint that was hit */

    TensixHartPlaces places;       /* not migrated */
    TensixHartDirect direct;       /* the same */
    TensixOnce unaligned;          /* by pc; the same */
    uint32_t count_left;           /* tensix_count.c; 0: no count; the same */

    TensixHartTurns turn;
    struct TensixHartTime *time;   /* tensix_hart_time.h; NULL: it is not timed */
};

/* "brisc", "ncrisc", "trisc0", "trisc1", "trisc2"; NULL beyond. */
const char *tensix_hart_name(unsigned id);

/* "PCBuf empty" and the like, for reports. */
const char *tensix_stall_name(unsigned why);

/* Tensix thread of a T hart 0..2; BRISC's and NCRISC's pushes are not asked. */
static inline unsigned tensix_hart_thread(const TensixHart *hart)
{
    return hart->id - TENSIX_HART_TRISC0;
}

/* Clock cycles since the machine started: virtual time in TENSIX_CLOCK_HZ. */
uint64_t tensix_clock(void);

/* --- stalling and waking --- */

/* What the hart waits for, and which one (TensixStall).  From any thread. */
static inline TensixStall tensix_hart_stall_cause(const TensixHart *hart)
{
    return qatomic_read(&hart->stall.cause);
}

static inline uint32_t tensix_hart_stall_detail(const TensixHart *hart)
{
    return hart->stall.detail;
}

/* May adjacent .ttinsn be fused (cfg0.DisTriscCache is 0)? */
static inline bool tensix_hart_fuses(const TensixHart *hart)
{
    enum { DIS_TRISC_CACHE = 1 << 18 };        /* BH CSRs.md */

    return !(hart->csr.cfg0 & DIS_TRISC_CACHE);
}

/* Is this code executing on behalf of this hart (not qtest, gdb, monitor)? */
static inline bool tensix_hart_is_running_here(const TensixHart *hart)
{
    return qemu_cpu_is_self(hart->cpu) && hart->cpu->running;
}

/* May this access block?  If not, answer at once with a defined value. */
static inline bool tensix_hart_may_block(const TensixHart *hart,
                                         MemTxAttrs attrs)
{
    return !attrs.debug && tensix_attrs_of_hart(attrs);
}

/*
 * Stops the running hart until tensix_hart_wake() and retries its instruction
 * then.  Call only if tensix_hart_is_running_here(), with the BQL held, before
 * any change of state.  ra: GETPC() of the helper, or 0 inside an MMIO
 * callback.
 */
G_NORETURN void tensix_hart_stall(TensixHart *hart, TensixStall why,
                                  uint32_t detail, uintptr_t ra);

/*
 * It is about to stall for that.  To be called inside the core if the core may
 * end the reason without the BQL: what changes it next finds the hart stalled,
 * and takes the BQL, which the caller holds, to wake it.
 */
static inline void tensix_hart_announce_stall(TensixHart *hart, TensixStall why)
{
    qatomic_set(&hart->stall.cause, why);
}

void tensix_hart_wake_slow(TensixHart *hart);

/*
 * Lets the hart retry if it is stalled for one of the causes of why_mask
 * (bits 1 << TensixStall).  BQL held; from any thread; cheap if it is not.
 */
static inline void tensix_hart_wake(TensixHart *hart, uint32_t why_mask)
{
    if (why_mask & (1u << qatomic_read(&hart->stall.cause)) & TENSIX_STALL_MASK_ANY) {
        tensix_hart_wake_slow(hart);
    }
}

/* TENSIX_ON_TURN: the hart does that, at pc; for the files of a hart.  BQL held. */
void tensix_hart_record(TensixHart *hart, TensixHartTurn turn, uint32_t pc);

/* --- soft reset --- */

/*
 * Holds the hart in soft reset, or releases it: GPRs, FPRs and vector
 * registers zero, CSRs at their reset values, pc = reset pc, local RAM zero
 * unless kept (BH SoftReset.md).  BQL held; from any hart, also the hart
 * itself, and from qtest.  No effect if already so.
 */
void tensix_hart_hold_reset(TensixHart *hart, bool held);

/* Where the hart starts unless an override register says otherwise. */
uint32_t tensix_hart_fixed_reset_pc(unsigned id);

/* Where the hart starts when it is released next (BH SoftReset.md). */
void tensix_hart_set_reset_pc(TensixHart *hart, uint32_t pc);
uint32_t tensix_hart_reset_pc(const TensixHart *hart);

/* DISABLE_RESET bit of the hart's local RAM: true = not cleared on release. */
void tensix_hart_set_keep_ram(TensixHart *hart, bool keep);

/* DISABLE_RESET bit of its debug registers: true = soft reset keeps them. */
void tensix_hart_set_keep_debug(TensixHart *hart, bool keep);

/* The hart's bit in the soft reset register 0xFFB121B0. */
uint32_t tensix_hart_soft_reset_bit(unsigned id);

/*
 * Is the hart held?  After a machine reset (from the hold phase on) this is
 * its power-on state, so the tile control device derives its register's reset
 * value from the five harts: all held = 0x47800.
 */
bool tensix_hart_is_held(const TensixHart *hart);

/*
 * An image for the hart lies in memory at power-on, and starts at pc; it runs
 * then unless start_held is set.  Before the machine is reset for the first time.
 */
void tensix_hart_set_image(TensixHart *hart, uint32_t pc);
bool tensix_hart_has_image(const TensixHart *hart);
void tensix_hart_set_start_held(TensixHart *hart, bool held);

/* --- pausing, interrupts, reports --- */

/*
 * Pauses the hart at its next instruction boundary, as a breakpoint of the
 * hardware does: until soft reset, a debugger's continue, or
 * tensix_hart_resume().  An attached gdb stops.  BQL held.
 */
void tensix_hart_pause(TensixHart *hart);

/*
 * Does an access to this address, where nothing is, show that the hart's stack
 * has grown below its local RAM?  So if sp itself is there.  In its thread.
 */
bool tensix_hart_stack_overflows(const TensixHart *hart, uint32_t addr);

bool tensix_hart_is_paused(const TensixHart *hart);

/* Where it pauses. */
uint32_t tensix_hart_paused_pc(const TensixHart *hart);

/* Lets a paused hart continue; BQL held. */
void tensix_hart_resume(TensixHart *hart);

/*
 * Empties the hart's instruction cache, before it executes its next block.  All
 * that is modelled of the cache is a jump to itself that the hart goes round:
 * a store there has no effect until this or a reset.  From
 * any thread.  (WH InstructionCache.md)
 */
void tensix_hart_invalidate_code(TensixHart *hart);

/*
 * What does fn is done by the hart's own thread, before it executes again.  BQL
 * held, also in fn, whose data is the hart.
 */
void tensix_hart_queue(TensixHart *hart, run_on_cpu_func fn);

/*
 * Interrupts BRISC or NCRISC: pc is saved, handler_pc is fetched at the next
 * instruction boundary (OLD PIC.md).  False, and nothing done, while a
 * handler runs or is already on its way, or the hart is held or paused: ask
 * again when it is ready or after reset.  A stalled hart takes it at once
 * and retries its access after mret.  BQL held.
 */
bool tensix_hart_interrupt(TensixHart *hart, uint32_t handler_pc);

/* TENSIX_ON_IRQ_READY; called where interrupts become possible again. */
void tensix_hart_irq_ready(TensixHart *hart);

/* Where `.ttinsn` words go; without it they are a violation (NCRISC). */
void tensix_hart_set_push(TensixHart *hart, TensixPushFn *fn,
                          TensixPushWordsFn *words_fn, void *opaque);

/* The provider of the status CSRs; without it they read 0. */
void tensix_hart_set_status(TensixHart *hart, TensixStatusFn *fn,
                            void *opaque);

/* TENSIX_ON_IDLE: the hart begins to wait; for the files of a hart. */
static inline void tensix_hart_post_idle(TensixHart *hart)
{
    tensix_bus_post(hart->bus, TENSIX_ON_IDLE, hart);
}

/* Adds a device's registers, which feature describes, to the hart's in gdb. */
void tensix_hart_add_gdb(TensixHart *hart, const TensixGdbOps *ops,
                         const GDBFeature *feature, void *opaque);

/*
 * The pc to report.  Exact for the hart running here: ra = GETPC(), or 0 in an
 * MMIO callback.  For another hart it is where that hart last left generated
 * code (exact if it is stalled, paused, held or the machine is stopped).
 */
uint32_t tensix_hart_pc(TensixHart *hart, uintptr_t ra);

/*
 * What hardware shows of the pc: the same, but the reset pc of a hart that has
 * been released and whose thread has yet to take that.
 */
uint32_t tensix_hart_shown_pc(TensixHart *hart);

/* The pc of the access in flight, 0 if the hart is not running here. */
uint32_t tensix_hart_access_pc(TensixHart *hart);

/*
 * The hart has read value from `what`, a TENSIX_POLLED().  The
 * same again, with no other such read in between, waits for a change that
 * another agent has to make: under round-robin TCG its turn ends.  For polls
 * that the translator does not know for one: through a function, or with
 * a counter beside them.  BQL held.
 */
void tensix_hart_polls(TensixHart *hart, uint64_t what, uint32_t value);

/*
 * Does the hart only spin now: could it run, but did nothing since its last
 * turn but go round a loop that waits (a jump to itself, polls of L1, of a
 * device, of the clock or of a CSR), and write nothing?  A hart that spins may
 * still act later, if it reads a clock.  False for a hart
 * that is stalled, paused or held, and, with thread=multi, for one that the
 * host has not let run for 10 ms: callers that need to be sure repeat it.
 * BQL held.
 */
bool tensix_hart_spins(const TensixHart *hart);

/*
 * Is the hart neither stalled, paused nor held, or will it not be once its
 * thread has taken the reset, the interrupt or the continue on its way?  BQL held.
 */
bool tensix_hart_will_run(const TensixHart *hart);

/* tensix_report_by() of something that this hart did at pc. */
void tensix_report_hart(TensixHart *hart, TensixCategory category, uint32_t pc,
                        const char *fmt, ...) G_GNUC_PRINTF(4, 5);

/* The hart, at pc. */
TensixActor tensix_hart_actor(const TensixHart *hart, uint32_t pc);

/* The agent of an access through this hart's view, which is under way. */
TensixActor tensix_access_actor(TensixHart *hart, MemTxAttrs attrs);

/*
 * Reports a violation by the agent of an access through this hart's view.  An
 * agent with neither hart nor instruction is named in the text.
 */
void tensix_report_access(TensixHart *hart, MemTxAttrs attrs,
                          TensixCategory category, const char *fmt, ...)
                          G_GNUC_PRINTF(4, 5);

#endif
