/*
 * Deadlock: told when nothing in the tile can ever go on by itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + machine option on-deadlock=log|stop|exit
 *  + QMP event TENSIX_DEADLOCK
 *
 * Nobody tells when a wait has become hopeless, so this looks from time to
 * time, but only as long as somebody waits.
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/tensix_deadlock.h"
#include "hw/tenstorrent/tensix_report.h"
#include "qapi/qapi-events-tenstorrent.h"
#include "system/qtest.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "../coprocessor/tensix_inspect.h"

#define LOOK_PERIOD_NS (20 * SCALE_MS)

enum { LOOKS = 5 };                /* that must find the same */

/* What would be different if anything had gone on. */
typedef struct Standstill {
    uint64_t executed;             /* Tensix instructions */
    uint32_t stall[TENSIX_NUM_HARTS], detail[TENSIX_NUM_HARTS];
    uint32_t pc[TENSIX_NUM_HARTS]; /* of a stalled one */
    bool held[TENSIX_NUM_HARTS], paused[TENSIX_NUM_HARTS];
} Standstill;

typedef enum Verdict {
    GOES_ON,                       /* and nobody waits */
    SOMEBODY_WAITS,                /* who may be helped yet */
    NO_HART_RUNS,
    ALL_SPIN,
} Verdict;

static struct {
    TensixCopState *cop;
    TensixNiuState *niu[2];
    TensixDeadlockAction action;
    QEMUTimer *timer;
    Standstill last, told;
    bool has_told;
    unsigned looks;                /* that found the same deadlock */
} watch;

static Standstill take_standstill(void)
{
    Standstill now;

    memset(&now, 0, sizeof(now));  /* also what lies between: it is compared */
    for (int u = 0; u < TENSIX_UNITS; u++) {
        now.executed += watch.cop->core.s.executed[u];
    }
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = watch.cop->hart[i];

        now.stall[i] = qatomic_read(&hart->stall);
        now.pc[i] = now.stall[i] ? tensix_hart_pc(hart, 0) : 0;
        now.detail[i] = hart->stall_detail;
        now.held[i] = hart->held;
        now.paused[i] = hart->paused;
    }
    return now;
}

/* Is there work that neither a hart nor a thread has to begin? */
static bool devices_work(void)
{
    return watch.cop->core.backlog || watch.cop->put_off ||
           watch.niu[0]->jobs || watch.niu[1]->jobs;
}

static bool can_run(const TensixHart *hart)
{
    return !hart->held && !hart->paused &&
           (qatomic_read(&hart->stall) == TENSIX_STALL_NONE ||
            hart->restart || hart->irq_pending);
}

/* Harts that can run; false: one of them does more than spin. */
static bool count_spinning(unsigned *count)
{
    *count = 0;
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        const TensixHart *hart = watch.cop->hart[i];

        if (can_run(hart)) {
            if (hart->restart || hart->irq_pending ||
                !tensix_hart_spins(hart)) {
                return false;
            }
            ++*count;
        }
    }
    return true;
}

static bool all_held(void)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (!watch.cop->hart[i]->held) {
            return false;
        }
    }
    return true;
}

/* Has a thread instructions, or may a hart's stall last for good? */
static bool somebody_waits(const TensixWhyNode *nodes, bool hopelessly,
                           bool *thread_waits)
{
    bool hart_waits = false;

    *thread_waits = false;
    for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
        const TensixWhyNode *node = &nodes[n];

        if (n >= TENSIX_WHY_THREADS_BASE) {
            *thread_waits |= !node->idle;
        } else if (hopelessly) {
            hart_waits |= tensix_why_hopeless(nodes, n);
        } else {
            hart_waits |= node->present && node->blocked;
        }
    }
    return *thread_waits || hart_waits;
}

static Verdict look(void)
{
    TensixWhyNode nodes[TENSIX_WHY_NODES] = { };
    bool thread_waits;
    unsigned spinning;

    tensix_inspect_nodes(watch.cop, nodes);
    if (all_held() || !somebody_waits(nodes, false, &thread_waits)) {
        return GOES_ON;
    }
    if (devices_work() || !count_spinning(&spinning)) {
        return SOMEBODY_WAITS;
    }
    if (!spinning) {
        return NO_HART_RUNS;
    }
    return somebody_waits(nodes, true, &thread_waits) ? ALL_SPIN
                                                      : SOMEBODY_WAITS;
}

static void tell(Verdict verdict)
{
    static const char *const texts[] = {
        [NO_HART_RUNS] = "no hart can run any more",
        [ALL_SPIN] = "all harts that can run only spin",
    };
    g_autoptr(GString) text = g_string_new("tensix: deadlock: ");
    g_autoptr(GString) why = g_string_new(NULL);

    tensix_inspect_why(watch.cop, why);
    qapi_event_send_tensix_deadlock(watch.action, texts[verdict], why->str);
    g_string_append_printf(text, "%s, and nobody can help those who wait\n%s",
                           texts[verdict], why->str);
    g_string_truncate(text, text->len - 1);        /* no second end of line */
    switch (watch.action) {
    case TENSIX_DEADLOCK_ACTION_STOP:
        tensix_report_stop(watch.cop->reporter, NULL, text->str);
        break;
    case TENSIX_DEADLOCK_ACTION_EXIT:
        tensix_report_exit(watch.cop->reporter, NULL, text->str,
                           TENSIX_DEADLOCK_EXIT_STATUS);
        break;
    default:
        fprintf(stderr, "%s\n", text->str);
        break;
    }
}

/*
 * Looks again later?  Not if nobody waits, and not after all has been said.  A
 * hart that was woken for nothing and stalls again is no news.
 */
static bool consider(Verdict verdict)
{
    Standstill now = take_standstill();
    bool same = !memcmp(&now, &watch.last, sizeof(now));

    watch.last = now;
    if (verdict < NO_HART_RUNS || !same) {
        watch.looks = 0;
        return verdict != GOES_ON;
    }
    if (watch.has_told && !memcmp(&now, &watch.told, sizeof(now))) {
        return false;
    }
    if (++watch.looks < LOOKS) {
        return true;
    }
    watch.told = now;
    watch.has_told = true;
    tell(verdict);
    return false;
}

static void look_again(void *opaque)
{
    Verdict verdict;
    bool again;

    tensix_cop_lock(watch.cop);
    verdict = look();
    tensix_cop_release(watch.cop);
    again = consider(verdict);
    if (again) {
        tensix_deadlock_watch();
    }
}

void tensix_deadlock_watch(void)
{
    if (watch.timer && !timer_pending(watch.timer)) {
        timer_mod(watch.timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                  LOOK_PERIOD_NS);
    }
}

/* Who waited before a stop, or in a state that was loaded, still does. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    if (running) {
        tensix_deadlock_watch();
    }
}

static void reset(void *opaque)
{
    watch.has_told = false;
    watch.looks = 0;
}

void tensix_deadlock_init(TensixCopState *cop, TensixNiuState *const niu[2],
                          TensixDeadlockAction action)
{
    if (qtest_enabled()) {
        return;
    }
    watch.cop = cop;
    memcpy(watch.niu, niu, sizeof(watch.niu));
    watch.action = action;
    watch.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, look_again, NULL);
    qemu_add_vm_change_state_handler(vm_state_changed, NULL);
    qemu_register_reset(reset, NULL);
}
