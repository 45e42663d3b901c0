/*
 * Performance counters of a Tensix tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers and modes: tt-llk, docs/performance_counters.  While a bank counts,
 * and only then, what the coprocessor executes is subscribed to.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_hart_time.h"
#include "hw/tenstorrent/tensix_perf.h"
#include "migration/vmstate.h"

FIELD(MODE, KIND, 0, 8)
FIELD(MODE, SELECT, 8, 9)          /* with the bit for grants */
FIELD(CONTROL, START, 0, 1)
FIELD(CONTROL, STOP, 1, 1)
FIELD(MUX_CTRL, PORTS, 4, 3)
REG32(PERF_CNT_ALL, 0x03c)
REG32(PERF_CNT_MUX_CTRL, 0x218)

enum { PERIOD, MODE, CONTROL };    /* registers of a bank */
enum { KINDS = 8 };                /* of a thread's instructions */

enum {
    MODE_CONTINUOUS,
    MODE_PERIOD,                   /* stops after PERIOD cycles */
    MODE_WITHOUT_CYCLES,
    MODES,
};

/* --- the counters --- */

typedef enum PerfKind {
    COUNTS_INSNS,
    COUNTS_AVAILABLE,              /* and with timing=published waits */
    IS_ZERO,
    COUNTS_CYCLES,                 /* which are not modelled */
    COUNTS_STALLS,                 /* with timing=published; likewise */
    COUNTS_WAITS,
    COUNTS_BUSY,
    COUNTS_UNBLOCKED,
    COUNTS_TRANSFERS,
    COUNTS_WRITES,
    COUNTS_OUTGOING,
    COUNTS_INCOMING,
} PerfKind;

typedef struct PerfCounter {
    TensixPerfBank bank;
    uint32_t select;               /* with GRANT and MUX() */
    const char *name;
    PerfKind kind;
    uint32_t threads, units;       /* masks; or ports, conditions, SrcA, NoC */
} PerfCounter;

#define GRANT(select) (0x100 | (select))
#define MUX(ports) ((ports) << 9)
#define T(thread) (1u << (thread))
#define U(unit) (1u << TENSIX_UNIT_##unit)
#define ALL_THREADS ((1u << TENSIX_THREADS) - 1)
#define ALL_UNITS ((1u << TENSIX_UNITS) - 1)
#define COUNTS(bank, select, name, threads, units) \
    { TENSIX_PERF_##bank, select, name, COUNTS_INSNS, threads, units },
#define AVAILABLE(bank, select, name, threads, units) \
    { TENSIX_PERF_##bank, select, name, COUNTS_AVAILABLE, threads, units },
#define ZERO(bank, select, name) \
    { TENSIX_PERF_##bank, select, name, IS_ZERO },
#define CYCLES(bank, select, name) \
    { TENSIX_PERF_##bank, select, name, COUNTS_CYCLES },
#define STALLS(bank, select, name, threads) \
    { TENSIX_PERF_##bank, select, name, COUNTS_STALLS, threads },
#define WAITS(bank, select, name, threads, what) \
    { TENSIX_PERF_##bank, select, name, COUNTS_WAITS, threads, \
      1u << TENSIX_WAITED_##what },
#define BUSY(bank, select, name, threads, port) \
    { TENSIX_PERF_##bank, select, name, COUNTS_BUSY, threads, 1u << (port) },
#define UNBLOCKED(bank, select, name, threads, port) \
    { TENSIX_PERF_##bank, select, name, COUNTS_UNBLOCKED, threads, \
      1u << (port) },
#define TRANSFERS(bank, select, name, port) \
    { TENSIX_PERF_##bank, select, name, COUNTS_TRANSFERS, ALL_THREADS, \
      1u << (port) },
#define WRITES(bank, select, name, src) \
    { TENSIX_PERF_##bank, select, name, COUNTS_WRITES, ALL_THREADS, \
      1u << (src) },
#define OUTGOING(bank, select, name, noc) \
    { TENSIX_PERF_##bank, select, name, COUNTS_OUTGOING, 0, noc },
#define INCOMING(bank, select, name, noc) \
    { TENSIX_PERF_##bank, select, name, COUNTS_INCOMING, 0, noc },

static const PerfCounter perf_counters[] = {
#include "perf_table.h.inc"
};

/* Where the registers of a bank begin, bytes. */
static const uint32_t bank_regs[TENSIX_PERF_BANKS] = {
    [TENSIX_PERF_INSTRN_THREAD] = 0x000,
    [TENSIX_PERF_TDMA_UNPACK] = 0x00c,
    [TENSIX_PERF_FPU] = 0x018,
    [TENSIX_PERF_L1] = 0x030,
    [TENSIX_PERF_TDMA_PACK] = 0x0f0,
};

static uint32_t bank_reg(const TensixPerf *p, unsigned bank, unsigned n)
{
    return p->value[bank_regs[bank] / sizeof(uint32_t) + n];
}

static uint32_t bank_mode(const TensixPerf *p, unsigned bank)
{
    return FIELD_EX32(bank_reg(p, bank, MODE), MODE, KIND);
}

/* --- estimated cycles --- */

/* With them one thread runs all harts: nothing to lock. */
static TensixPerfTimes times_now(const TensixPerf *p)
{
    TensixPerfTimes now = { };
    TensixTimes times;

    if (!tensix_time_get(p->cop, &times)) {
        return now;
    }
    memcpy(now.thread, times.thread, sizeof(now.thread));
    memcpy(now.noc, times.noc, sizeof(now.noc));
    return now;
}

/* Of numbers whose bits are set in the mask. */
static uint64_t sum_of(const uint64_t *numbers, unsigned count, uint32_t mask)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < count; n++) {
        sum += mask >> n & 1 ? numbers[n] : 0;
    }
    return sum;
}

static uint64_t cycles_of_thread(const TensixThreadTimes *times,
                                 const PerfCounter *c)
{
    switch (c->kind) {
    case COUNTS_AVAILABLE:
        return sum_of(times->held, TENSIX_UNITS, c->units);
    case COUNTS_STALLS:
        return sum_of(times->held, TENSIX_UNITS, ALL_UNITS);
    case COUNTS_WAITS:
        return sum_of(times->waited_for, TENSIX_WAITED_FOR, c->units);
    case COUNTS_UNBLOCKED:
        return sum_of(times->busy, TENSIX_PORTS, c->units);
    case COUNTS_TRANSFERS:
        return sum_of(times->transfers, TENSIX_PORTS, c->units);
    case COUNTS_WRITES:
        return sum_of(times->src_writes, TENSIX_SRCS, c->units);
    default:
        return sum_of(times->busy, TENSIX_PORTS, c->units) +
               sum_of(times->blocked, TENSIX_PORTS, c->units);
    }
}

static uint64_t cycles_of_threads(const TensixPerfTimes *times,
                                  const PerfCounter *c)
{
    uint64_t sum = 0;

    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        sum += c->threads >> t & 1 ? cycles_of_thread(&times->thread[t], c)
                                   : 0;
    }
    return sum;
}

static uint64_t cycles_of(const TensixPerfTimes *times, const PerfCounter *c)
{
    switch (c->kind) {
    case COUNTS_OUTGOING:
        return times->noc[c->units].outgoing;
    case COUNTS_INCOMING:
        return times->noc[c->units].incoming;
    default:
        return cycles_of_threads(times, c);
    }
}

static bool is_timed(const TensixPerf *p)
{
    TensixTimes times;

    return tensix_time_get(p->cop, &times);
}

/* Since the bank started. */
static uint64_t count_times(const TensixPerf *p, const TensixPerfCounts *b,
                            const PerfCounter *c)
{
    const TensixPerfTimes until = b->running ? times_now(p) : b->until;

    return cycles_of(&until, c) - cycles_of(&b->from, c);
}

/* --- counting --- */

static uint64_t cycles_since(const TensixPerfCounts *b, uint64_t now)
{
    return b->running ? MAX(now, b->started) - b->started : b->cycles;
}

static void perf_stop(const TensixPerf *p, TensixPerfCounts *b, uint64_t now)
{
    b->cycles = cycles_since(b, now);
    if (b->running) {
        b->until = times_now(p);
    }
    b->running = false;
}

/* Stops the bank if its period is over. */
static void end_period(TensixPerf *p, unsigned bank, uint64_t now)
{
    TensixPerfCounts *b = &p->bank[bank];
    uint32_t period = bank_reg(p, bank, PERIOD);

    if (b->running && bank_mode(p, bank) == MODE_PERIOD &&
        cycles_since(b, now) >= period) {
        perf_stop(p, b, now);
        b->cycles = period;
    }
}

/* On the clock of the hart that pushed it, or, for another agent, BRISC's. */
static uint64_t pushed_clock(const TensixPerf *p, const TensixInsn *insn)
{
    uint32_t hart = insn->origin.hart;

    return tensix_hart_clock(tensix_cop_hart(
        p->cop, hart < TENSIX_NUM_HARTS ? hart : TENSIX_HART_BRISC));
}

static void perf_executed(Notifier *n, void *data)
{
    TensixPerf *p = container_of(n, TensixPerf, execute);
    const TensixInsn *insn = ((const TensixExecuted *)data)->insn;

    for (unsigned bank = 0; insn && bank < TENSIX_PERF_BANKS; bank++) {
        TensixPerfCounts *b = &p->bank[bank];

        if (b->running && bank_mode(p, bank) == MODE_PERIOD) {
            end_period(p, bank, pushed_clock(p, insn));
        }
        if (b->running) {
            b->executed[insn->thread][tensix_insns[insn->word >> 24].unit]++;
        }
    }
}

static bool any_runs(const TensixPerf *p)
{
    for (unsigned bank = 0; bank < TENSIX_PERF_BANKS; bank++) {
        if (p->bank[bank].running) {
            return true;
        }
    }
    return false;
}

/* The core is observed while a bank counts, and no longer. */
static void choose_subscription(TensixPerf *p)
{
    TensixBus *bus = tensix_cop_bus(p->cop);
    bool wanted = any_runs(p);

    if (wanted == p->subscribed) {
        return;
    }
    p->subscribed = wanted;
    tensix_cop_lock(p->cop);
    if (wanted) {
        tensix_bus_subscribe(bus, TENSIX_ON_EXECUTE, &p->execute);
    } else {
        tensix_bus_unsubscribe(bus, TENSIX_ON_EXECUTE, &p->execute);
    }
    tensix_cop_choose_observer(p->cop);
    tensix_cop_release(p->cop);
}

/* --- registers --- */

static void perf_start(TensixPerf *p, const TensixAccess *a, unsigned bank,
                       uint64_t now)
{
    uint32_t mode = bank_mode(p, bank);

    if (mode >= MODES) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "no mode %u: counts as in mode 0", mode);
    }
    p->bank[bank] = (TensixPerfCounts) {
        .running = true, .started = now, .from = times_now(p),
    };
}

/* Only edges have an effect.  Inside the core: a push may count meanwhile. */
static void control_bank(TensixPerf *p, const TensixAccess *a, unsigned bank,
                         uint32_t risen, uint64_t now)
{
    g_assert(tensix_cop_is_entered(p->cop));
    end_period(p, bank, now);
    if (FIELD_EX32(risen, CONTROL, START)) {
        perf_start(p, a, bank, now);
    }
    if (FIELD_EX32(risen, CONTROL, STOP)) {
        perf_stop(p, &p->bank[bank], now);
    }
}

void tensix_perf_stored(TensixPerf *p, const TensixAccess *a, uint32_t old,
                        uint32_t new, uint64_t now)
{
    uint32_t first = a->def->offset, risen = new & ~old;

    tensix_cop_lock(p->cop);
    if (a->word == R_PERF_CNT_ALL) {
        control_bank(p, a, TENSIX_PERF_FPU, risen, now);
        control_bank(p, a, TENSIX_PERF_INSTRN_THREAD, risen, now);
    }
    for (unsigned bank = 0; bank < TENSIX_PERF_BANKS; bank++) {
        if (first == bank_regs[bank] && a->index == CONTROL) {
            control_bank(p, a, bank, risen, now);
        }
    }
    tensix_cop_release(p->cop);
    choose_subscription(p);
}

/* --- outputs --- */

/* Grants of a thread's eight kinds of instructions are one counter. */
static uint32_t selected(const TensixPerf *p, unsigned bank)
{
    uint32_t select = FIELD_EX32(bank_reg(p, bank, MODE), MODE, SELECT);
    uint32_t mux = p->value[R_PERF_CNT_MUX_CTRL];

    if (bank == TENSIX_PERF_L1) {
        return select | MUX(FIELD_EX32(mux, MUX_CTRL, PORTS));
    }
    return bank == TENSIX_PERF_INSTRN_THREAD && select >= GRANT(0) &&
           select < GRANT(TENSIX_THREADS * KINDS)
           ? ROUND_DOWN(select, KINDS) : select;
}

static const PerfCounter *find_counter(unsigned bank, uint32_t select)
{
    for (unsigned n = 0; n < ARRAY_SIZE(perf_counters); n++) {
        if (perf_counters[n].bank == bank &&
            perf_counters[n].select == select) {
            return &perf_counters[n];
        }
    }
    return NULL;
}

static uint64_t count_executed(const TensixPerfCounts *b, const PerfCounter *c)
{
    uint64_t sum = 0;

    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        for (unsigned unit = 0; unit < TENSIX_UNITS; unit++) {
            if ((c->threads >> t & 1) && (c->units >> unit & 1)) {
                sum += b->executed[t][unit];
            }
        }
    }
    return sum;
}

/* Once for each counter. */
static void report_cycles(TensixPerf *p, const TensixAccess *a,
                          const PerfCounter *c)
{
    if (!a->attrs.debug && tensix_once(&p->reported, c - perf_counters)) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "counter %s is not modelled%s and reads as 0",
                           c->name, c->kind == COUNTS_CYCLES
                           ? "" : " without timing=published");
    }
}

static uint32_t read_count(TensixPerf *p, const TensixAccess *a, unsigned bank)
{
    uint32_t select = selected(p, bank);
    const PerfCounter *c = find_counter(bank, select);

    if (!c) {
        if (!a->attrs.debug) {
            tensix_regs_report(a, TENSIX_UNIMPLEMENTED, "no counter is known "
                               "at select %u%s: reads as 0", select & 0xff,
                               select & GRANT(0) ? ", grants" : "");
        }
        return 0;
    }
    if (c->kind >= COUNTS_STALLS && is_timed(p)) {
        return count_times(p, &p->bank[bank], c);
    }
    if (c->kind >= COUNTS_CYCLES) {
        report_cycles(p, a, c);
        return 0;
    }
    if (c->kind == IS_ZERO) {
        return 0;
    }
    return count_executed(&p->bank[bank], c) +
           (c->kind == COUNTS_AVAILABLE && is_timed(p)
            ? count_times(p, &p->bank[bank], c) : 0);
}

static uint32_t read_output(TensixPerf *p, const TensixAccess *a, uint64_t now)
{
    unsigned bank = a->index / 2;

    end_period(p, bank, now);
    if (a->index % 2) {
        return read_count(p, a, bank);
    }
    return bank_mode(p, bank) == MODE_WITHOUT_CYCLES
           ? 0 : cycles_since(&p->bank[bank], now);
}

uint32_t tensix_perf_read(TensixPerf *p, const TensixAccess *a, uint64_t now)
{
    uint32_t value;

    tensix_cop_lock(p->cop);
    value = read_output(p, a, now);
    tensix_cop_release(p->cop);
    return value;
}

/* --- life cycle --- */

void tensix_perf_init(TensixPerf *p, TensixCopState *cop, const uint32_t *value)
{
    p->cop = cop;
    p->value = value;
    p->execute.notify = perf_executed;
    tensix_once_init(&p->reported, tensix_cop_hart(cop, TENSIX_HART_BRISC));
}

void tensix_perf_finish(TensixPerf *p)
{
    tensix_once_finish(&p->reported);
}

void tensix_perf_reset(TensixPerf *p)
{
    memset(p->bank, 0, sizeof(p->bank));
    choose_subscription(p);
}

void tensix_perf_loaded(TensixPerf *p)
{
    choose_subscription(p);
}

static const VMStateDescription vmstate_perf_counts = {
    .name = "tensix-perf-counts",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(running, TensixPerfCounts),
        VMSTATE_UINT64(started, TensixPerfCounts),
        VMSTATE_UINT64(cycles, TensixPerfCounts),
        VMSTATE_UINT64_2DARRAY(executed, TensixPerfCounts, TENSIX_THREADS,
                               TENSIX_UNITS),
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_tensix_perf = {
    .name = "tensix-perf",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_ARRAY(bank, TensixPerf, TENSIX_PERF_BANKS, 1,
                             vmstate_perf_counts, TensixPerfCounts),
        VMSTATE_END_OF_LIST()
    }
};
