/*
 * Tensix coprocessor: when the remaining work of the core runs, and where.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A caller that changed the core lets its threads run on before it leaves,
 * within limits.  The pump, in the main loop, does the remainder.
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "system/runstate.h"
#include "tensix_cop_internal.h"

/* Virtual time between two helpings of a seeded schedule. */
#define STEP_PERIOD_NS 1000
#define STEPS_PER_PERIOD 512

/* Virtual time between two polls of what no event reports (tensix_polls()). */
#define POLL_PERIOD_NS 20000

/*
 * Work at one entry: a first run, then one more after each access that the
 * Scalar Unit makes (tensix_cop_registers.c), all together some 2 ms.
 */
#define ACCESSES_PER_ENTRY 16
#define ACCESS_BUDGET (TENSIX_ENTRY_BUDGET / ACCESSES_PER_ENTRY)

TensixCore *tensix_cop_lock(TensixCopState *cop)
{
    tensix_cop_lock_take(&cop->lock);
    return cop->core;
}

void tensix_cop_keep_out(TensixCopState *cop)
{
    tensix_cop_lock_keep_out(&cop->lock);
}

void tensix_cop_let_in(TensixCopState *cop)
{
    tensix_cop_lock_let_in(&cop->lock);
}

void tensix_cop_release(TensixCopState *cop)
{
    tensix_l1_flush(cop);
    tensix_cop_lock_drop(&cop->lock);
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

bool tensix_cop_ends_stall(const TensixCopState *cop)
{
    uint32_t ended = stalls_ended_by(cop->signals->changed), causes = 0;

    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        causes |= 1u << tensix_hart_stall_cause(cop->hart[i]);
    }
    return causes & ended;
}

void tensix_cop_wake(TensixCopState *cop, uint32_t stall_mask)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        tensix_hart_wake(cop->hart[i], stall_mask);
    }
}

/* Has the remaining work run, and decides where; with delays by their owner. */
void tensix_cop_arm_timers(TensixCopState *cop)
{
    bool continues = tensix_needs_time(cop->core);

    if (tensix_is_busy(cop->core)) {
        tensix_bus_post(cop->bus, TENSIX_ON_WAIT, NULL);
    }
    if (cop->signals->backlog || cop->put_off) {
        tensix_pump_arm(&cop->pump);
    } else if ((continues && !cop->delayed) ||
               (tensix_is_busy(cop->core) && tensix_polls(cop->core))) {
        timer_mod(cop->step_timer,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  (continues ? STEP_PERIOD_NS : POLL_PERIOD_NS));
    }
}

/* A push of a hart's posts no THREAD_IDLE: TENSIX_ON_IDLE of the hart follows. */
void tensix_cop_wake_for_changes(TensixCopState *cop)
{
    uint32_t changed = cop->signals->changed;

    if (changed) {
        cop->signals->changed = 0;
        tensix_cop_wake(cop, stalls_ended_by(changed));
    }
    if (changed & TENSIX_CHANGED_IDLE) {
        tensix_bus_post(cop->bus, TENSIX_ON_THREAD_IDLE, NULL);
    }
}

/*
 * Lets threads run on and makes the Scalar Unit's accesses, both within limits;
 * inside lock.  The pump does the remainder.
 */
static void run_on(TensixCopState *cop, uint32_t budget, TensixCopExtent extent)
{
    TensixCore *core = cop->core;

    cop->put_off = false;
    for (int n = 0; n < ACCESSES_PER_ENTRY; n++) {
        /* a backlog without work: a watch stopped after the last word */
        if (cop->signals->backlog || tensix_is_busy(core) ||
            tensix_needs_time(core)) {
            tensix_run(core, budget);
            tensix_l1_flush(cop);
        }
        if (cop->signals->backlog || !tensix_cop_access_to_do(cop)) {
            return;
        }
        if (extent == TENSIX_COP_THREADS) {
            break;
        }
        tensix_cop_lock_step_out(&cop->lock);
        tensix_cop_make_access(cop);
        tensix_cop_lock_step_in(&cop->lock);
        budget = MIN(budget, ACCESS_BUDGET);
    }
    cop->put_off = true;
}

/* Runs on, unless the access in progress or the pump will. */
static void run_or_put_off(TensixCopState *cop, uint32_t budget,
                           TensixCopExtent extent)
{
    if (cop->making_access) {
        return;                    /* run_on() does, after the access */
    }
    if (tensix_report_is_stopping(cop->reporter)) {
        cop->put_off = true;       /* until the machine resumes */
    } else if (!cop->signals->backlog && !cop->put_off) {
        run_on(cop, budget, extent);
    }
    tensix_cop_arm_timers(cop);
}

void tensix_cop_unlock_to(TensixCopState *cop, TensixCopExtent extent)
{
    tensix_cop_lock_notify(&cop->lock.leaving);
    run_or_put_off(cop, tensix_entry_budget(cop->core, TENSIX_HART_NONE),
                   extent);
    tensix_cop_wake_for_changes(cop);
    tensix_cop_release(cop);
}

/* Often by a device in the middle of an access, which could not bear another. */
void tensix_cop_unlock(TensixCopState *cop)
{
    tensix_cop_unlock_to(cop, TENSIX_COP_THREADS);
}

void tensix_cop_put_off(TensixCopState *cop)
{
    cop->put_off = true;
    if (runstate_is_running()) {
        tensix_pump_arm(&cop->pump);
    }
}

void tensix_cop_unlock_poked(TensixCopState *cop)
{
    tensix_cop_put_off(cop);
    tensix_cop_release(cop);
}

static void step_timer_expired(void *opaque)
{
    TensixCopState *cop = opaque;

    tensix_cop_lock(cop);
    run_or_put_off(cop, STEPS_PER_PERIOD, TENSIX_COP_ACCESSES);
    tensix_cop_unlock_to(cop, TENSIX_COP_ACCESSES);
}

void tensix_cop_pass_cycles(TensixCopState *cop, uint32_t cycles)
{
    tensix_cop_lock(cop);
    tensix_cop_lock_notify(&cop->lock.leaving);
    run_or_put_off(cop, cycles, TENSIX_COP_ACCESSES);
    tensix_cop_wake_for_changes(cop);
    tensix_cop_release(cop);
}

/* Only the backlog's owner runs the core until the backlog is empty. */
static void pump(void *opaque)
{
    TensixCopState *cop = opaque;

    if (tensix_report_is_stopping(cop->reporter)) {
        return;                    /* vm_state_changed() arms it again */
    }
    tensix_cop_lock(cop);
    run_on(cop, TENSIX_ENTRY_BUDGET, TENSIX_COP_ACCESSES);
    tensix_cop_arm_timers(cop);
    tensix_cop_wake_for_changes(cop);
    tensix_cop_release(cop);
}

static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixCopState *cop = opaque;

    if (running) {
        tensix_bus_post(cop->bus, TENSIX_ON_RESUME, NULL);
    }
    if (running && (cop->signals->backlog || cop->put_off)) {
        tensix_pump_arm(&cop->pump);
    }
}

void tensix_cop_run_init(TensixCopState *cop)
{
    cop->step_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, step_timer_expired, cop);
    tensix_pump_init(&cop->pump, pump, cop);
    cop->vm_state = qemu_add_vm_change_state_handler(vm_state_changed, cop);
}

void tensix_cop_run_finish(TensixCopState *cop)
{
    qemu_del_vm_change_state_handler(cop->vm_state);
    timer_free(cop->step_timer);
    tensix_pump_finish(&cop->pump);
}

void tensix_cop_run_reset(TensixCopState *cop)
{
    timer_del(cop->step_timer);
    tensix_pump_cancel(&cop->pump);
    cop->put_off = false;
}
