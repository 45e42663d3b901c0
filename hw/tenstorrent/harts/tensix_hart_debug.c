/*
 * The debug interface's hold on a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Watchpoints are QEMU's, of kind BP_CPU, and a step is QEMU's single step, so
 * nothing is checked while there are none.  gdb has another kind of breakpoints
 * in the same lists; if both hit at one place, gdb is notified first.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/range.h"
#include "qemu/timer.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "../trace.h"

enum {
    WAIT_MS = 500,                 /* by a host that is busy otherwise */
    /* Minimum that a hart executes between a host's resume and halt */
    FIRST_STEPS = 2000,
    LAST_STEPS = 100,
    /* ... but for no longer: a step may push a long MOP */
    STEPS_MAX_NS = 40 * SCALE_MS,
    STEP_FLAGS = SSTEP_ENABLE | SSTEP_NOIRQ,
    MODE_BITS = 4,
    MODE_MASK = 15,
};

/* Values of a mode (WH DebugInterface.md); all others: disabled. */
enum {
    MODE_PC = 8,
    MODE_READ = 9,
    MODE_WRITE = 10,
    MODE_ACCESS = 11,
};

static uint32_t mode_of(const TensixHart *hart, unsigned i)
{
    return hart->debug.dr[TENSIX_DR_MODES] >> (i * MODE_BITS) & MODE_MASK;
}

/* BP_MEM_* that the watchpoint matches, 0 if it is none of memory */
static int memory_flags(const TensixHart *hart, unsigned i)
{
    switch (mode_of(hart, i)) {
    case MODE_READ:
        return BP_MEM_READ;
    case MODE_WRITE:
        return BP_MEM_WRITE;
    case MODE_ACCESS:
        return BP_MEM_ACCESS;
    default:
        return 0;
    }
}

static uint32_t watchpoint_bit(unsigned i)
{
    return 1u << (TENSIX_DEBUG_WATCHPOINT_SHIFT + i);
}

/* Status bits of the watchpoints on this pc, 0 if there is none */
static uint32_t pc_hits(const TensixHart *hart, uint32_t pc)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < TENSIX_WATCHPOINTS; i++) {
        if (mode_of(hart, i) == MODE_PC &&
            hart->debug.dr[TENSIX_DR_ADDRESS + i] == pc) {
            bits |= watchpoint_bit(i);
        }
    }
    return bits ? bits | TENSIX_DEBUG_PC_HIT : 0;
}

/* Status bits of those on an access to this address; flags: BP_MEM_* */
static uint32_t memory_hits(const TensixHart *hart, uint32_t address, int flags)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < TENSIX_WATCHPOINTS; i++) {
        if ((memory_flags(hart, i) & flags) &&
            hart->debug.dr[TENSIX_DR_ADDRESS + i] == address) {
            bits |= watchpoint_bit(i);
        }
    }
    return bits ? bits | TENSIX_DEBUG_MEMORY_HIT : 0;
}

static uint32_t pc_of(const TensixHart *hart)
{
    return cpu_env(hart->cpu)->pc;
}

/* --- halting and going on --- */

/* From the hart's thread, or from the thread that stopped it. */
static void end_step(TensixHart *hart)
{
    TensixHartDebug *d = &hart->debug;

    if (d->armed) {
        cpu_single_step(hart->cpu, d->gdb_step);
    }
    d->armed = d->stepping = d->halting = false;
    d->steps = 0;
    d->step_cause = 0;
}

void tensix_hart_debug_discard(TensixHart *hart)
{
    end_step(hart);
    hart->debug.cause = 0;
    hart->debug.halted = false;
    hart->debug.half_step = false;
    hart->debug.going_on = false;
}

/* In the hart's thread and out of its code, or about to leave it. */
static void halt_here(TensixHart *hart, uint32_t cause)
{
    TensixHartDebug *d = &hart->debug;

    cause |= d->step_cause;
    trace_tensix_hart_debug_halt(tensix_hart_name(hart->id), pc_of(hart),
                                 cause);
    end_step(hart);
    d->cause = cause;
    d->halted = true;
    d->half_step = false;
    hart->pause.pc = pc_of(hart);
    hart->pause.gdb_knows = false;
    qatomic_set(&hart->pause.paused, true);
    tensix_hart_end_count(hart);
    hart->cpu->halted = 1;
    cpu_reset_interrupt(hart->cpu, CPU_INTERRUPT_DEBUG);
    tensix_turns_notify(hart);
}

void tensix_hart_debug_ebreak(TensixHart *hart)
{
    hart->debug.cause = hart->debug.step_cause | TENSIX_DEBUG_EBREAK_HIT;
    end_step(hart);
    tensix_turns_notify(hart);
}

static void halt_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;

    if (!hart->reset.held && !hart->pause.paused) {
        halt_here(hart, 0);
    }
}

static bool is_stopped(const TensixHart *hart)
{
    return hart->pause.paused || hart->reset.held;
}

static bool is_waiting(const TensixHart *hart)
{
    return qatomic_read(&hart->stall.cause) != TENSIX_STALL_NONE;
}

static bool is_stopped_or_waiting(const TensixHart *hart)
{
    return is_stopped(hart) || is_waiting(hart) || !runstate_is_running();
}

static bool step_is_over(const TensixHart *hart)
{
    return !hart->debug.stepping || hart->reset.held ||
           (!hart->pause.paused &&
            (is_waiting(hart) || !runstate_is_running()));
}

/*
 * Gives the BQL away until it is so.  The harts' threads do what is queued also
 * while the machine is stopped, but no instruction.
 */
static void wait_until(TensixHart *hart, bool (*is_so)(const TensixHart *hart))
{
    for (int ms = 0; ms < WAIT_MS && !is_so(hart); ms++) {
        tensix_turns_wait(hart);
    }
}

/* gdb's flags are others: it steps without timers, too. */
static void arm_step(TensixHart *hart)
{
    if (hart->cpu->singlestep_enabled != STEP_FLAGS) {
        hart->debug.gdb_step = hart->cpu->singlestep_enabled;
    }
    hart->debug.armed = true;
    cpu_single_step(hart->cpu, STEP_FLAGS);
}

/* Lets a paused hart do its step; a hart that is stepping already continues. */
static void step_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;
    TensixHartDebug *d = &hart->debug;

    if (hart->reset.held || !d->stepping || d->armed) {
        return;
    }
    if (hart->pause.paused) {
        d->step_cause = pc_hits(hart, pc_of(hart));
    }
    d->cause = 0;
    arm_step(hart);
    hart->pause.gdb_knows = false;
    qatomic_set(&hart->pause.paused, false);
}

/* --- counted steps --- */

/*
 * Hosts assume that a hart runs between their accesses.  So the first
 * instructions after a host's resume and the last ones before its halt are
 * executed as steps, which can be counted.
 */
static void begin_steps(TensixHart *hart, uint32_t steps, bool halting)
{
    TensixHartDebug *d = &hart->debug;
    uint32_t hits = pc_hits(hart, pc_of(hart));

    d->stepping = hits;
    d->step_cause = hits;
    d->steps = hits ? 0 : steps;
    d->halting = halting;
    d->steps_pc = ~pc_of(hart);
    d->steps_end = get_clock() + STEPS_MAX_NS;
    arm_step(hart);
}

static bool steps_are_over(const TensixHart *hart)
{
    return is_stopped_or_waiting(hart) ||
           !(hart->debug.steps || hart->debug.stepping);
}

static void halt_soon_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;

    if (!is_stopped(hart) && !is_waiting(hart) && !hart->debug.stepping) {
        begin_steps(hart, LAST_STEPS, true);
    }
}

void tensix_hart_debug_halt(TensixHart *hart, bool wait)
{
    if (is_stopped(hart)) {
        return;
    }
    if (wait && runstate_is_running()) {
        tensix_hart_queue(hart, halt_soon_work);
        wait_until(hart, is_stopped_or_waiting);
    }
    if (!is_stopped(hart)) {
        tensix_hart_queue(hart, halt_work);
    }
    if (wait) {
        wait_until(hart, is_stopped);
    }
}

static bool has_resumed(const TensixHart *hart)
{
    return !hart->debug.going_on && steps_are_over(hart);
}

static void continue_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;

    if (hart->debug.going_on) {
        hart->debug.going_on = false;
        tensix_hart_resume(hart);
        begin_steps(hart, FIRST_STEPS, false);
    }
}

void tensix_hart_debug_continue(TensixHart *hart, bool wait)
{
    if (!hart->pause.paused || hart->reset.held) {
        return;
    }
    trace_tensix_hart_debug_continue(tensix_hart_name(hart->id), pc_of(hart));
    if (wait && runstate_is_running()) {
        hart->debug.going_on = true;
        tensix_hart_queue(hart, continue_work);
        wait_until(hart, has_resumed);
    } else {
        tensix_hart_resume(hart);
    }
}

void tensix_hart_debug_step(TensixHart *hart, bool wait)
{
    TensixHartDebug *d = &hart->debug;

    if (!hart->pause.paused || hart->reset.held || d->stepping) {
        return;
    }
    d->half_step = !d->half_step;
    if (!d->half_step) {
        d->halted = true;
        d->stepping = true;
        tensix_hart_queue(hart, step_work);
        if (wait) {
            wait_until(hart, step_is_over);
        }
    }
}

/* --- registers --- */

uint32_t tensix_hart_debug_status(const TensixHart *hart)
{
    return hart->pause.paused && !hart->reset.held && !hart->debug.stepping
           ? hart->debug.cause | TENSIX_DEBUG_PAUSED : 0;
}

uint32_t tensix_hart_debug_gpr(const TensixHart *hart, uint32_t index)
{
    if (index == TENSIX_DEBUG_PC) {
        return pc_of(hart);
    }
    return index < TENSIX_DEBUG_PC ? cpu_env(hart->cpu)->gpr[index] : 0;
}

void tensix_hart_debug_set_gpr(TensixHart *hart, uint32_t index,
                               uint32_t value)
{
    if (index && index < TENSIX_DEBUG_PC) {
        cpu_env(hart->cpu)->gpr[index] = (target_long)(int32_t)value;
    }
}

void tensix_hart_debug_set_pc(TensixHart *hart, uint32_t pc)
{
    cpu_env(hart->cpu)->pc = (target_long)(int32_t)pc;
    qatomic_set(&hart->stall.cause, TENSIX_STALL_NONE);
    hart->pause.pc = pc;
    hart->debug.cause = 0;
    hart->debug.halted = true;
}

/* --- watchpoints --- */

static int range_flags(const TensixHartRange *range)
{
    return (range->loads ? BP_MEM_READ : 0) | (range->stores ? BP_MEM_WRITE : 0);
}

/* Is it one of those that tensix_hart_watch_memory() has? */
static bool range_is_watched(const TensixHart *hart, const CPUWatchpoint *wp)
{
    for (unsigned i = 0; i < hart->watched_count; i++) {
        const TensixHartRange *range = &hart->watched[i];

        if (wp->vaddr == range->first && wp->len == range->count &&
            (wp->flags & BP_MEM_ACCESS) == range_flags(range)) {
            return true;
        }
    }
    return false;
}

/* Each load and store of L1? */
static bool posts_all(const TensixHart *hart)
{
    return tensix_bus_has_listener(hart->bus, TENSIX_ON_LOAD_STORE);
}

static bool is_local(TensixHart *hart, vaddr address)
{
    return address - TENSIX_LOCAL_RAM_BASE < memory_region_size(&hart->local_ram);
}

/* What the bus is notified of. */
static void watch_for_bus(TensixHart *hart)
{
    if (posts_all(hart)) {
        cpu_watchpoint_insert(hart->cpu, 0, TENSIX_L1_SIZE,
                              BP_MEM_ACCESS | BP_CPU, NULL);
    }
    if (hart->debug.watches_local) {
        cpu_watchpoint_insert(hart->cpu, TENSIX_LOCAL_RAM_BASE,
                              memory_region_size(&hart->local_ram),
                              BP_MEM_ACCESS | BP_CPU, NULL);
    }
}

static void watch_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;

    hart->debug.watch_queued = false;
    cpu_breakpoint_remove_all(cs, BP_CPU);
    cpu_watchpoint_remove_all(cs, BP_CPU);
    for (unsigned i = 0; i < TENSIX_WATCHPOINTS; i++) {
        uint32_t address = hart->debug.dr[TENSIX_DR_ADDRESS + i];
        int flags = memory_flags(hart, i);

        if (mode_of(hart, i) == MODE_PC) {
            cpu_breakpoint_insert(cs, (target_long)(int32_t)address, BP_CPU,
                                  NULL);
        } else if (flags) {
            cpu_watchpoint_insert(cs, address, 1, flags | BP_CPU, NULL);
        }
    }
    for (unsigned i = 0; i < hart->watched_count; i++) {
        cpu_watchpoint_insert(cs, hart->watched[i].first,
                              hart->watched[i].count,
                              range_flags(&hart->watched[i]) | BP_CPU, NULL);
    }
    watch_for_bus(hart);
}

void tensix_hart_debug_watch_local(TensixHart *hart)
{
    bool watches = tensix_bus_has_listener(hart->bus, TENSIX_ON_LOCAL);

    if (hart->debug.watches_local != watches) {
        hart->debug.watches_local = watches;
        watch_work(hart->cpu, RUN_ON_CPU_HOST_PTR(hart));
    }
}

void tensix_hart_debug_watch(TensixHart *hart)
{
    if (!hart->debug.watch_queued) {
        hart->debug.watch_queued = true;
        tensix_hart_queue(hart, watch_work);
    }
}

void tensix_hart_watch_memory(TensixHart *hart, const TensixHartRange *ranges,
                              unsigned count)
{
    bool had_any = hart->watched_count;

    hart->watched = ranges;
    hart->watched_count = count;
    if (count || had_any) {
        tensix_hart_debug_watch(hart);
    }
}

static bool watches(const TensixHart *hart)
{
    return !QTAILQ_EMPTY(&hart->cpu->breakpoints) ||
           !QTAILQ_EMPTY(&hart->cpu->watchpoints) ||
           hart->debug.dr[TENSIX_DR_MODES];
}

uint32_t *tensix_hart_debug_dr(TensixHart *hart, uint32_t i)
{
    return &hart->debug.dr[i];
}

bool tensix_hart_debug_is_reset(const TensixHart *hart)
{
    return hart->reset.held && !hart->debug.keep;
}

void tensix_hart_debug_reset(TensixHart *hart)
{
    if (hart->debug.keep) {
        return;
    }
    memset(hart->debug.dr, 0, sizeof(hart->debug.dr));
    if (hart->cpu && watches(hart)) {
        tensix_hart_debug_watch(hart);
    }
}

/* --- interface to TCG --- */

bool tensix_hart_debug_check_breakpoint(CPUState *cs)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;

    return pc_hits(hart, pc_of(hart));
}

/* Those of watch_for_bus() only make pages slow. */
bool tensix_hart_debug_check_watchpoint(CPUState *cs, CPUWatchpoint *wp)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;
    bool all_of_l1 = posts_all(hart) && !wp->vaddr && wp->len == TENSIX_L1_SIZE;
    bool all_of_local = wp->vaddr == TENSIX_LOCAL_RAM_BASE &&
                        wp->len == memory_region_size(&hart->local_ram);

    return !(all_of_l1 || all_of_local) || range_is_watched(hart, wp);
}

/*
 * With a thread of the host for all harts TCG makes an atomic of a load and a
 * store.
 */
static TensixHartAccess *access_made(TensixHartAccesses *all, uint32_t address,
                                     uint32_t size)
{
    for (unsigned i = 0; i < all->parts; i++) {
        TensixHartAccess *a = &all->part[i];

        if (address >= a->address &&
            address - a->address + size <= a->size) {
            return a;
        }
    }
    return NULL;
}

/*
 * A part that ends where this one begins is extended; NULL: the table is full.
 */
static TensixHartAccess *new_access(TensixHartAccesses *all, uint32_t address,
                                    uint32_t size, const uint8_t *before)
{
    TensixHartAccess *a = all->parts ? &all->part[all->parts - 1] : NULL;

    if (!size || size > sizeof(all->before) - all->bytes) {
        return NULL;
    }
    if (!a || address != a->address + a->size) {
        a = &all->part[all->parts++];
        *a = (TensixHartAccess) { .address = address,
                                  .before = all->before + all->bytes };
    }
    memcpy(all->before + all->bytes, before, size);
    all->bytes += size;
    a->size += size;
    return a;
}

static void add_access(TensixHart *hart, uint32_t address, uint32_t size,
                       int flags)
{
    const uint8_t *l1 = memory_region_get_ram_ptr(hart->l1);
    TensixHartAccesses *all = &hart->accessed;
    TensixHartAccess *a = access_made(all, address, size)
                          ?: new_access(all, address, size, l1 + address);

    if (a) {
        a->loads |= flags & BP_MEM_READ;
        a->stores |= flags & BP_MEM_WRITE;
    }
}

static void discard_accesses(TensixHart *hart)
{
    hart->accessed.parts = hart->accessed.bytes = 0;
}

/* The instruction whose access hits a watchpoint is executed twice. */
static void record_access(TensixHart *hart, vaddr address, vaddr size,
                          int flags)
{
    if (!hart->cpu->watchpoint_hit) {
        discard_accesses(hart);
    } else if (address < TENSIX_L1_SIZE && size <= TENSIX_L1_SIZE - address) {
        add_access(hart, address, size, flags);
    }
}

void tensix_hart_debug_memory_watched(CPUState *cs, vaddr address, vaddr size,
                                      int flags, uintptr_t ra)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;

    TensixLoadStoreEvent event = {
        hart, address, size, flags & BP_MEM_READ, flags & BP_MEM_WRITE, ra
    };

    record_access(hart, address, size, flags);
    if (address < TENSIX_L1_SIZE) {
        tensix_bus_post(hart->bus, TENSIX_ON_LOAD_STORE, &event);
    } else if (is_local(hart, address)) {
        tensix_bus_post(hart->bus, TENSIX_ON_LOCAL, &event);
    }
}

static G_NORETURN void resume(CPUState *cs)
{
    cs->exception_index = -1;
    cpu_loop_exit(cs);
}

static G_NORETURN void leave_halted(CPUState *cs)
{
    cs->exception_index = EXCP_HLT;
    cpu_loop_exit(cs);
}

static bool is_of_interest(const TensixHart *hart, const TensixHartAccess *a)
{
    for (unsigned i = 0; i < hart->watched_count; i++) {
        const TensixHartRange *range = &hart->watched[i];

        if (((range->loads && a->loads) || (range->stores && a->stores)) &&
            ranges_overlap(range->first, range->count, a->address, a->size)) {
            return true;
        }
    }
    return false;
}

/* Posts accesses to watched parts of L1, whichever watchpoint was hit first. */
static void report_watched(TensixHart *hart)
{
    enum { INSN_BYTES = 4 };       /* harts have no short instructions */

    for (unsigned i = 0; i < hart->accessed.parts; i++) {
        const TensixHartAccess *access = &hart->accessed.part[i];

        if (is_of_interest(hart, access)) {
            tensix_bus_post(hart->bus, TENSIX_ON_WATCHED, &(TensixWatchedEvent) {
                hart, pc_of(hart) - INSN_BYTES, access
            });
        }
    }
    discard_accesses(hart);
}

/*
 * A watched access has been made.  If gdb watches it as well, gdb is notified
 * too: its watchpoint is found first.
 */
static void memory_hit(TensixHart *hart, CPUWatchpoint *wp)
{
    int flags = (wp->flags & BP_WATCHPOINT_HIT) >> BP_HIT_SHIFT;
    uint32_t hits = memory_hits(hart, wp->hitaddr, flags);

    wp->flags &= ~BP_WATCHPOINT_HIT;    /* QEMU adds those of the next access */
    if (hits) {
        halt_here(hart, hits);
    }
    report_watched(hart);
    if (wp->flags & BP_CPU) {
        hart->cpu->watchpoint_hit = NULL;
        leave_halted(hart->cpu);
    }
}

/*
 * A breakpoint of gdb stops before its instruction and is reported to gdb.  A
 * watchpoint on the pc halts after it: what follows is a step.
 */
static void pc_hit(TensixHart *hart)
{
    CPUState *cs = hart->cpu;

    if (cpu_breakpoint_test(cs, cpu_env(cs)->pc, BP_GDB) ||
        !cpu_breakpoint_test(cs, cpu_env(cs)->pc, BP_CPU)) {
        return;
    }
    hart->debug.stepping = true;
    hart->debug.step_cause = pc_hits(hart, pc_of(hart));
    arm_step(hart);
    resume(cs);
}

/* After one of several steps: may another follow? */
static bool has_more_steps(TensixHart *hart)
{
    TensixHartDebug *d = &hart->debug;
    CPUState *cs = hart->cpu;
    bool in_place = pc_of(hart) == d->steps_pc;

    d->steps_pc = pc_of(hart);
    return --d->steps && !in_place && get_clock() < d->steps_end &&
           !cpu_breakpoint_test(cs, cpu_env(cs)->pc, BP_GDB);
}

/* A watchpoint on the pc makes the next step the last one. */
static void counted_step_done(TensixHart *hart)
{
    TensixHartDebug *d = &hart->debug;
    uint32_t hits = pc_hits(hart, pc_of(hart));

    if (hits) {
        d->steps = 0;
        d->stepping = true;
        d->step_cause = hits;
    } else if (!has_more_steps(hart)) {
        if (d->halting) {
            halt_here(hart, 0);
            leave_halted(hart->cpu);
        }
        end_step(hart);
        tensix_turns_notify(hart);
    }
    resume(hart->cpu);
}

/*
 * gdb is to know of a step that was its own as well.  One of some steps may
 * have ended in a violation, which paused the hart: it was the last one.
 */
static void step_done(TensixHart *hart)
{
    bool gdb_too = hart->debug.gdb_step;

    if (!hart->debug.steps) {
        halt_here(hart, 0);
    } else if (gdb_too || hart->pause.paused) {
        end_step(hart);
        tensix_turns_notify(hart);
    } else {
        counted_step_done(hart);
    }
    if (!gdb_too) {
        leave_halted(hart->cpu);
    }
}

void tensix_hart_debug_excp(CPUState *cs)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;

    bql_lock();
    if (cs->watchpoint_hit) {
        memory_hit(hart, cs->watchpoint_hit);
    } else if (hart->debug.armed) {
        step_done(hart);
    } else {
        pc_hit(hart);
    }
    bql_unlock();
}

/* --- gdb and snapshots --- */

void tensix_hart_debug_vm_runs(TensixHart *hart)
{
    if (hart->debug.armed) {
        arm_step(hart);
    }
}

void tensix_hart_debug_holder(const TensixHart *hart, char *buf, size_t size)
{
    uint32_t cause = hart->debug.cause;
    uint32_t hits = cause >> TENSIX_DEBUG_WATCHPOINT_SHIFT;

    if (hits) {
        snprintf(buf, size, "the debug interface (halted by watchpoint %d)",
                 ctz32(hits));
    } else if (hart->debug.halted) {
        snprintf(buf, size, "the debug interface (halted)");
    } else {
        snprintf(buf, size, "gdb or the debug interface (%s)",
                 cause & TENSIX_DEBUG_EBREAK_HIT ? "ebreak" : "violation");
    }
}

/* Nothing of what is loaded indexes anything. */
void tensix_hart_debug_loaded(TensixHart *hart)
{
    if (hart->debug.armed) {          /* by what ran here before */
        cpu_single_step(hart->cpu, hart->debug.gdb_step);
        hart->debug.armed = false;
    }
    if (watches(hart)) {
        tensix_hart_debug_watch(hart);
    }
    if (hart->debug.stepping) {
        tensix_hart_queue(hart, step_work);
    }
}

const VMStateDescription vmstate_tensix_hart_debug = {
    .name = "tensix-hart-debug",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(dr, TensixHartDebug, TENSIX_DRS),
        VMSTATE_UINT32(cause, TensixHartDebug),
        VMSTATE_UINT32(step_cause, TensixHartDebug),
        VMSTATE_BOOL(halted, TensixHartDebug),
        VMSTATE_BOOL(stepping, TensixHartDebug),
        VMSTATE_BOOL(half_step, TensixHartDebug),
        VMSTATE_BOOL(keep, TensixHartDebug),
        VMSTATE_END_OF_LIST()
    }
};
