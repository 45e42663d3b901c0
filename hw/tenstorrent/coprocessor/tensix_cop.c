/*
 * Tensix coprocessor: the core as a device, its lock, and its harts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + sysbus MMIO regions TENSIX_COP_*: push windows, GPRs, configuration and
 *    MOP configuration, one per hart that sees them (tensix_cop_mmio.c)
 *  + link properties "hart[0]" to "hart[4]", "l1", "bus" and "reporter"
 *  + property "schedule-seed": 0 is the eager schedule
 *  + property "hazards": rules that hardware does not enforce are told
 *  + property "writers": who wrote what last is kept from the start
 *  + property "unwritten": reads of what nobody has written are told
 *
 * A hart's `.ttinsn` enters the core without the BQL where harts take turns in
 * one thread.  Everybody else goes through tensix_cop_lock(), which keeps that
 * short cut closed; docs/internals.rst says why this is enough.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/memalign.h"
#include "qemu/module.h"
#include "qemu/sys_membarrier.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/core/decode/words.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_watch.h"
#include "hw/tenstorrent/tensix_jumps.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "tensix_cop_internal.h"
#include "tensix_unwritten.h"
#include "../trace.h"

/* Virtual time between two helpings of a seeded schedule. */
#define STEP_PERIOD_NS 1000
#define STEPS_PER_PERIOD 512

/* Virtual time between two looks at what nobody reports (tensix_polls()). */
#define POLL_PERIOD_NS 20000

/*
 * Work at one entry: a first run, then one more after each access that the
 * Scalar Unit makes (tensix_cop_registers.c), all together some 2 ms.
 */
#define ACCESSES_PER_ENTRY 16
#define ACCESS_BUDGET (TENSIX_ENTRY_BUDGET / ACCESSES_PER_ENTRY)

/*
 * The core is never entered while somebody is in it: what it calls back leaves
 * notes and requests, and gives the BQL to nobody.
 */
static void enter(TensixCopState *cop)
{
    g_assert(!cop->inside);
    cop->inside = true;
}

static void leave(TensixCopState *cop)
{
    g_assert(cop->inside);
    cop->inside = false;
}

TensixCore *tensix_cop_lock(TensixCopState *cop)
{
    g_assert(bql_locked());
    if (current_cpu && qemu_cpu_is_self(current_cpu)) {
        g_assert(!cop->pushing);   /* the thread that pushes is this one */
    } else {
        qatomic_set(&cop->outsiders, cop->outsiders + 1);
        smp_mb_global();
        while (qatomic_load_acquire(&cop->pushing)) {
            g_thread_yield();
        }
    }
    enter(cop);
    if (unlikely(cop->observed)) {
        tensix_watch_begin(cop);
    }
    notifier_list_notify(&cop->enter, cop);
    return cop->core;
}

void tensix_cop_on_enter(TensixCopState *cop, Notifier *n)
{
    notifier_list_add(&cop->enter, n);
}

bool tensix_cop_is_entered(const TensixCopState *cop)
{
    return cop->inside;
}

void tensix_cop_set_timeline(TensixCopState *cop, void (*full)(void *opaque),
                             void *opaque)
{
    tensix_set_timeline(cop->core, full, opaque);
    cop->way_changes++;
}

/* Which stalls a change in the core may end. */
static uint32_t stalls_ended_by(uint32_t changed)
{
    uint32_t mask = 0;

    if (changed & TENSIX_CHANGED_FIFO) {
        mask |= 1u << TENSIX_STALL_PUSH_FIFO;
    }
    if (changed & (TENSIX_CHANGED_IDLE | TENSIX_CHANGED_GATE |
                   TENSIX_CHANGED_FIFO)) {
        mask |= 1u << TENSIX_STALL_COP_DONE | 1u << TENSIX_STALL_MOP_DONE |
                1u << TENSIX_STALL_PCBUF_BARRIER | 1u << TENSIX_STALL_TTSYNC;
    }
    return mask;
}

void tensix_cop_wake(TensixCopState *cop, uint32_t stall_mask)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        tensix_hart_wake(cop->hart[i], stall_mask);
    }
}

/* Sees to it that what is left is run, and by whom. */
static void arm_timers(TensixCopState *cop)
{
    bool goes_on = tensix_wants_time(cop->core);

    if (tensix_is_busy(cop->core)) {
        tensix_bus_post(cop->bus, TENSIX_ON_WAIT, NULL);
    }
    if (cop->signals->backlog || cop->put_off) {
        tensix_pump_arm(&cop->pump);
    } else if (goes_on ||
               (tensix_is_busy(cop->core) && tensix_polls(cop->core))) {
        timer_mod(cop->step_timer,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  (goes_on ? STEP_PERIOD_NS : POLL_PERIOD_NS));
    }
}

static void wake_for_changes(TensixCopState *cop)
{
    uint32_t changed = cop->signals->changed;

    cop->signals->changed = 0;
    tensix_cop_wake(cop, stalls_ended_by(changed));
}

/*
 * What a caller may bring about.  The Scalar Unit's accesses reach devices, so
 * they are none for who may be called by a device.
 */
typedef enum Extent {
    THREADS_ONLY,
    THREADS_AND_ACCESSES,
} Extent;

/*
 * Lets threads run on and makes the Scalar Unit's accesses, both within limits;
 * inside lock.  The rest is the pump's.
 */
static void run_on(TensixCopState *cop, uint32_t budget, Extent extent)
{
    TensixCore *core = cop->core;

    cop->put_off = false;
    for (int n = 0; n < ACCESSES_PER_ENTRY; n++) {
        /* a backlog without work: a watch stopped behind the last word */
        if (cop->signals->backlog || tensix_is_busy(core) ||
            tensix_wants_time(core)) {
            tensix_run(core, budget);
        }
        if (cop->signals->backlog || !tensix_cop_access_to_do(cop)) {
            return;
        }
        if (extent == THREADS_ONLY) {
            break;
        }
        leave(cop);
        tensix_cop_make_access(cop);
        enter(cop);
        budget = MIN(budget, ACCESS_BUDGET);
    }
    cop->put_off = true;
}

/* Runs on, unless the access in progress or the pump will. */
static void run_or_put_off(TensixCopState *cop, uint32_t budget, Extent extent)
{
    if (cop->making_access) {
        return;                    /* run_on() does, behind the access */
    }
    if (tensix_report_is_stopping(cop->reporter)) {
        cop->put_off = true;       /* until the machine goes on */
    } else if (!cop->signals->backlog && !cop->put_off) {
        run_on(cop, budget, extent);
    }
    arm_timers(cop);
}

void tensix_cop_release(TensixCopState *cop)
{
    if (unlikely(cop->observed)) {
        tensix_observe_end(cop->core);
    }
    leave(cop);
    if (!(current_cpu && qemu_cpu_is_self(current_cpu))) {
        qatomic_store_release(&cop->outsiders, cop->outsiders - 1);
    }
}

static void unlock(TensixCopState *cop, Extent extent)
{
    if (unlikely(cop->observed)) {
        tensix_observe_end(cop->core);
    }
    run_or_put_off(cop, tensix_entry_budget(cop->core, TENSIX_HART_NONE),
                   extent);
    wake_for_changes(cop);
    tensix_cop_release(cop);
}

/* Often by a device in the middle of an access, which could not bear another. */
void tensix_cop_unlock(TensixCopState *cop)
{
    unlock(cop, THREADS_ONLY);
}

void tensix_cop_unlock_poked(TensixCopState *cop)
{
    if (cop->observed) {
        tensix_observe_end(cop->core);
    }
    cop->put_off = true;           /* what waits, the pump runs and wakes */
    if (runstate_is_running()) {
        tensix_pump_arm(&cop->pump);
    }
    tensix_cop_release(cop);
}

/* A thread that waits is not under way: what can end that is busy instead. */
static bool tensix_cop_busy(const Object *obj)
{
    const TensixCopState *cop = TENSIX_COP(obj);

    return cop->signals->backlog || cop->put_off ||
           tensix_wants_time(cop->core);
}

static void step_timer_expired(void *opaque)
{
    TensixCopState *cop = opaque;

    tensix_cop_lock(cop);
    run_or_put_off(cop, STEPS_PER_PERIOD, THREADS_AND_ACCESSES);
    unlock(cop, THREADS_AND_ACCESSES);
}

/* While there is a backlog nobody else runs the core. */
static void pump(void *opaque)
{
    TensixCopState *cop = opaque;

    if (tensix_report_is_stopping(cop->reporter)) {
        return;                    /* vm_state_changed() arms it again */
    }
    tensix_cop_lock(cop);
    run_on(cop, TENSIX_ENTRY_BUDGET, THREADS_AND_ACCESSES);
    arm_timers(cop);
    wake_for_changes(cop);
    tensix_cop_release(cop);
}

static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixCopState *cop = opaque;

    if (running) {
        tensix_watch_go_on(cop);
    }
    if (running && (cop->signals->backlog || cop->put_off)) {
        tensix_pump_arm(&cop->pump);
    }
}

static bool any_hart_stalled(const TensixCopState *cop)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (qatomic_read(&cop->hart[i]->stall) != TENSIX_STALL_NONE) {
            return true;
        }
    }
    return false;
}

/* Each step of a word is traced, or it may go past most of them. */
static inline QEMU_ALWAYS_INLINE
bool push_word(TensixCopState *cop, uint32_t thread, uint32_t word,
               TensixOrigin origin)
{
    if (trace_event_get_state(TRACE_TENSIX_INSN)) {
        return tensix_push_queued(cop->core, thread, word, origin);
    }
    return tensix_push(cop->core, thread, word, origin);
}

static void post_push(TensixCopState *cop, uint32_t thread, uint32_t word,
                      TensixOrigin origin)
{
    tensix_bus_post(cop->bus, TENSIX_ON_PUSH, &(TensixPushEvent) {
        origin, thread, word
    });
}

/*
 * The short cut: push with no lock held.  False if somebody else is in the
 * core or the word does not fit; nothing has happened then.
 */
static inline QEMU_ALWAYS_INLINE
bool push_without_bql(TensixCopState *cop, uint32_t thread, uint32_t word,
                      TensixOrigin origin, bool posts)
{
    bool pushed = false;

    qatomic_set(&cop->pushing, 1);
    smp_mb_placeholder();
    if (likely(!qatomic_read(&cop->outsiders))) {
        if (posts) {
            post_push(cop, thread, word, origin);
        }
        pushed = push_word(cop, thread, word, origin);
    }
    qatomic_store_release(&cop->pushing, 0);
    return pushed;
}

/* The rest of a push, and the register access that it led to. */
static void access_after_push(TensixCopState *cop)
{
    BQL_LOCK_GUARD();

    tensix_cop_lock(cop);
    unlock(cop, THREADS_AND_ACCESSES);
}

static void after_push(TensixCopState *cop)
{
    if (tensix_cop_access_to_do(cop)) {
        access_after_push(cop);
        return;
    }
    arm_timers(cop);
    if (any_hart_stalled(cop)) {
        BQL_LOCK_GUARD();

        wake_for_changes(cop);
    } else {
        cop->signals->changed = 0;
    }
}

/* Out of line: inside of its caller a store to the FIFO takes 2 % longer. */
static __attribute__((noinline)) bool push_word_locked(TensixCopState *cop,
                                                       uint32_t thread,
                                                       uint32_t word,
                                                       TensixOrigin origin)
{
    if (unlikely(tensix_bus_wants(cop->bus, TENSIX_ON_PUSH))) {
        post_push(cop, thread, word, origin);
    }
    return push_word(cop, thread, word, origin);
}

/* Cards hang then, not always (tt-metal issues 52997 and 53415). */
static void report_fused_record(TensixCopPort *port, uint32_t pc)
{
    tensix_report_hart(port->hart, TENSIX_UNDEFINED_BEHAVIOUR, pc,
                       "REPLAY records while .ttinsn may be fused, which can "
                       "hang a card (set bit 18 of CSR cfg0, DisTriscCache)");
}

/*
 * With the BQL: under MTTCG, when the short cut was closed or failed, and for
 * what it does not look at.
 */
void tensix_cop_push_locked(TensixCopPort *port, uint32_t word, uint32_t pc,
                            MemTxAttrs attrs, uintptr_t ra)
{
    TensixOrigin origin = { .pc = pc, .hart = port->hart->id };
    TensixCore *core = tensix_cop_lock(port->cop);
    bool may_block = tensix_hart_may_block(port->hart, attrs);
    bool pushed = !(may_block && tensix_held_back(core, port->hart->id)) &&
                  push_word_locked(port->cop, port->thread, word, origin);

    if (pushed) {
        unlock(port->cop, THREADS_AND_ACCESSES);
        if (tensix_word_records(word) && may_block &&
            tensix_hart_fuses(port->hart)) {
            report_fused_record(port, pc);
        }
        return;
    }
    arm_timers(port->cop);
    tensix_cop_release(port->cop); /* no wake between the look and the stall */
    if (!may_block) {
        tensix_report_access(port->hart, attrs, TENSIX_BAD_ACCESS,
                             "push of 0x%08x lost: FIFO of thread %u is full "
                             "and the access cannot wait", word, port->thread);
        return;
    }
    tensix_hart_stall(port->hart, TENSIX_STALL_PUSH_FIFO, port->thread, ra);
}

/* A variant for each `posts`: a look for each word costs 2 % of a push. */
static inline QEMU_ALWAYS_INLINE
void push_from(TensixCopPort *port, uint32_t word, uint32_t pc, uintptr_t ra,
               bool posts)
{
    TensixCopState *cop = port->cop;
    TensixOrigin origin = { .pc = pc, .hart = port->hart_id };

    if (likely(cop->goes_short) && likely(!tensix_word_records(word)) &&
        push_without_bql(cop, port->thread, word, origin, posts)) {
        if (unlikely(cop->signals->changed | cop->signals->backlog |
                     cop->access.state)) {
            after_push(cop);
        }
        return;
    }
    bql_lock();
    tensix_cop_push_locked(port, word, pc,
                           tensix_attrs(TENSIX_REQUESTER_HART + port->hart_id),
                           ra);
    bql_unlock();
}

/*
 * The guest chooses no address here, as in the core's kernels, and registers
 * that are zeroed behind each word cost 4 % of a push.
 */
#define LEAVES_REGISTERS __attribute__((zero_call_used_regs("skip")))

static LEAVES_REGISTERS
void push_ttinsn(void *opaque, uint32_t word, uint32_t pc, uintptr_t ra)
{
    push_from(opaque, word, pc, ra, false);
}

static void push_posted(void *opaque, uint32_t word, uint32_t pc, uintptr_t ra)
{
    push_from(opaque, word, pc, ra, true);
}

void tensix_cop_set_stream_read(TensixCopState *cop,
                                uint32_t (*fn)(void *opaque, uint32_t stream,
                                               uint32_t offset),
                                void *opaque)
{
    cop->stream_read = fn;
    cop->stream_opaque = opaque;
}

void tensix_cop_ttsync(TensixCopState *cop, TensixHart *hart, MemTxAttrs attrs,
                       uint32_t resources, bool is_store)
{
    bool wait;

    if (hart->id < TENSIX_HART_TRISC0 || !tensix_hart_may_block(hart, attrs)) {
        return;
    }
    wait = tensix_ttsync_must_wait(
        tensix_cop_lock(cop), tensix_hart_thread(hart), resources, is_store);
    tensix_cop_release(cop);       /* no wake between the look and the stall */
    if (wait) {
        tensix_hart_stall(hart, TENSIX_STALL_TTSYNC, resources, 0);
    }
}

/* --- device --- */

static void choose_push(TensixCopState *cop)
{
    static const struct {
        uint32_t region, hart, thread;
    } ports[] = {
        { TENSIX_COP_PUSH_B0, TENSIX_HART_BRISC, 0 },
        { TENSIX_COP_PUSH_T0, TENSIX_HART_TRISC0, 0 },
        { TENSIX_COP_PUSH_T1, TENSIX_HART_TRISC1, 1 },
        { TENSIX_COP_PUSH_T2, TENSIX_HART_TRISC2, 2 },
    };
    bool posts = tensix_bus_wants(cop->bus, TENSIX_ON_PUSH);

    for (int i = 0; i < ARRAY_SIZE(ports); i++) {
        TensixHart *hart = cop->hart[ports[i].hart];

        tensix_hart_set_push(hart, posts ? push_posted : push_ttinsn,
                             &cop->port[ports[i].region]);
    }
}

static void event_is_wanted(Notifier *n, void *data)
{
    TensixCopState *cop = container_of(n, TensixCopState, wanted);
    const TensixBusEvent *event = data;

    if (*event == TENSIX_ON_PUSH) {
        choose_push(cop);
    } else if (*event == TENSIX_ON_JUMP) {
        for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
            tensix_hart_choose_jumps(cop->hart[i]);
        }
    }
}

static void connect_harts(TensixCopState *cop)
{
    choose_push(cop);
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        tensix_hart_set_status(cop->hart[i], tensix_cop_status, cop);
    }
}

static void tensix_cop_init(Object *obj)
{
    TensixCopState *cop = TENSIX_COP(obj);

    cop->core = tensix_core_init(
        qemu_memalign(TENSIX_CORE_ALIGN, tensix_core_size()));
    cop->state = tensix_core_state(cop->core);
    cop->signals = tensix_core_signals(cop->core);
    cop->marks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                       qemu_vfree);
    notifier_list_init(&cop->enter);
    tensix_recent_init(cop);
}

static void tensix_cop_finalize(Object *obj)
{
    TensixCopState *cop = TENSIX_COP(obj);

    tensix_recent_finish(cop);
    g_hash_table_destroy(cop->marks);
    qemu_vfree(cop->core);
}

static void tensix_cop_realize(DeviceState *dev, Error **errp)
{
    TensixCopState *cop = TENSIX_COP(dev);

    if (!tensix_access_check_harts(dev, cop->hart, errp)) {
        return;
    }
    if (!cop->l1 || !cop->bus || !cop->reporter) {
        error_setg(errp, "%s: link property l1, bus or reporter is not set",
                   TYPE_TENSIX_COP);
        return;
    }
    smp_mb_global_init();
    address_space_init(&cop->l1_as, cop->l1, "tensix-l1");
    address_space_cache_init(&cop->l1_cache, &cop->l1_as, 0,
                             memory_region_size(cop->l1), true);
    tensix_cop_set_callbacks(cop);
    cop->step_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, step_timer_expired, cop);
    tensix_pump_init(&cop->pump, pump, cop);
    cop->vm_state = qemu_add_vm_change_state_handler(vm_state_changed, cop);
    tensix_cop_init_regions(cop);
    tensix_cop_registers_init(cop);
    /* with a thread each, or in random order: no */
    cop->goes_short = !qemu_tcg_mttcg_enabled() && !cop->seed;
    connect_harts(cop);
    tensix_gdb_register(cop);
    tensix_unwritten_init(cop);
    tensix_watch_init(cop, cop->writers);
    tensix_recent_watch(cop);
    cop->wanted.notify = event_is_wanted;
    tensix_bus_on_wanted(cop->bus, &cop->wanted);
}

static void tensix_cop_unrealize(DeviceState *dev)
{
    TensixCopState *cop = TENSIX_COP(dev);

    tensix_watch_finish(cop);
    tensix_unwritten_finish(cop);
    notifier_remove(&cop->wanted);
    tensix_recent_unwatch(cop);
    qemu_del_vm_change_state_handler(cop->vm_state);
    timer_free(cop->step_timer);
    tensix_pump_finish(&cop->pump);
    tensix_cop_registers_finish(cop);
    address_space_cache_destroy(&cop->l1_cache);
    address_space_destroy(&cop->l1_as);
}

/* Loaders write to L1 in the next phase. */
static void tensix_cop_reset_enter(Object *obj, ResetType type)
{
    TENSIX_COP(obj)->resetting = true;
    tensix_watch_forget_l1(TENSIX_COP(obj));
    tensix_unwritten_begin(TENSIX_COP(obj));
}

static void tensix_cop_reset_exit(Object *obj, ResetType type)
{
    TENSIX_COP(obj)->resetting = false;
}

static void tensix_cop_reset_hold(Object *obj, ResetType type)
{
    TensixCopState *cop = TENSIX_COP(obj);

    timer_del(cop->step_timer);
    tensix_pump_cancel(&cop->pump);
    cop->put_off = false;
    tensix_reset(cop->core);
    tensix_set_schedule(cop->core, cop->seed);
    tensix_set_hazards(cop->core, cop->hazards);
    cop->signals->changed = 0;
    cop->access = (TensixCopAccess) { .state = TENSIX_COP_ACCESS_NONE };
}

static const Property tensix_cop_properties[] = {
    TENSIX_PROP_HARTS(TensixCopState),
    DEFINE_PROP_LINK("l1", TensixCopState, l1, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_LINK("bus", TensixCopState, bus, TYPE_TENSIX_BUS, TensixBus *),
    DEFINE_PROP_LINK("reporter", TensixCopState, reporter,
                     TYPE_TENSIX_REPORTER, TensixReporter *),
    DEFINE_PROP_UINT64("schedule-seed", TensixCopState, seed, 0),
    DEFINE_PROP_BOOL("hazards", TensixCopState, hazards, false),
    DEFINE_PROP_BOOL("writers", TensixCopState, writers, false),
    DEFINE_PROP_BOOL("unwritten", TensixCopState, tells_unwritten, false),
};

static void tensix_cop_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);
    TensixBusyClass *bc = TENSIX_BUSY_CLASS(oc);

    bc->busy = tensix_cop_busy;
    dc->desc = "Tensix coprocessor";
    dc->realize = tensix_cop_realize;
    dc->unrealize = tensix_cop_unrealize;
    dc->vmsd = &vmstate_tensix_cop;
    dc->user_creatable = false;
    device_class_set_props(dc, tensix_cop_properties);
    rc->phases.enter = tensix_cop_reset_enter;
    rc->phases.hold = tensix_cop_reset_hold;
    rc->phases.exit = tensix_cop_reset_exit;
}

static const TypeInfo tensix_cop_types[] = {
    {
        .name = TYPE_TENSIX_COP,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixCopState),
        .instance_align = __alignof(TensixCopState),
        .instance_init = tensix_cop_init,
        .instance_finalize = tensix_cop_finalize,
        .class_init = tensix_cop_class_init,
        .interfaces = TENSIX_BUSY_INTERFACES,
    },
};

DEFINE_TYPES(tensix_cop_types)
