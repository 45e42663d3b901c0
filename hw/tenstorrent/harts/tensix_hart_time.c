/*
 * Estimated cycles of a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Latencies of loads are those of BH BabyRISCV/README.md, which are minima.
 * docs/time.rst has them in a table, with what is assumed.
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_hart_time.h"
#include "hw/tenstorrent/tensix_turns.h"

const char *const tensix_hart_wait_names[TENSIX_HART_WAITS] = {
    [TENSIX_HART_FOR_L1] = "l1",
    [TENSIX_HART_FOR_FIFO] = "fifo",
    [TENSIX_HART_FOR_COPROCESSOR] = "coprocessor",
    [TENSIX_HART_FOR_SEMAPHORE] = "semaphore",
    [TENSIX_HART_FOR_MAILBOX] = "mailbox",
    [TENSIX_HART_FOR_REGISTER] = "register",
    [TENSIX_HART_FOR_NOC] = "noc",
};

enum { LOCAL_RAM_BYTES = 0x2000 };

static RISCVTensixCPU *timed_cpu(const TensixHart *hart)
{
    return riscv_tensix_cpu(cpu_env(hart->cpu));
}

/* --- blocks that count --- */

static void choose_timed_blocks(CPUState *cs, run_on_cpu_data data)
{
    if (TENSIX_CPU(cs)->hart->time) {
        cs->tcg_cflags |= RISCV_TENSIX_CF_TIME;
    } else {
        cs->tcg_cflags &= ~RISCV_TENSIX_CF_TIME;
    }
}

QEMU_BUILD_BUG_ON(sizeof(RISCVTensixStamp) != sizeof(TensixStamp) ||
                  offsetof(RISCVTensixStamp, link) !=
                  offsetof(TensixStamp, link));

/* Where its accesses are timed without tensix_hart_time_access(). */
static void set_memory(RISCVTensixCPU *cpu, const TensixHartTime *time)
{
    cpu->l1_access = time ? time->figure[TENSIX_HART_L1] : 0;
    cpu->l1_end = time ? TENSIX_L1_SIZE : 0;
    cpu->local_access = time ? time->figure[TENSIX_HART_LOCAL_RAM] : 0;
    cpu->local_base = TENSIX_LOCAL_RAM_BASE;
    cpu->local_size = time ? LOCAL_RAM_BYTES : 0;
    cpu->written = time ? (RISCVTensixStamp *)time->written : NULL;
    cpu->link = time ? &time->link : NULL;
}

void tensix_hart_set_time(TensixHart *hart, TensixHartTime *time)
{
    RISCVTensixCPU *cpu = timed_cpu(hart);

    hart->time = time;
    if (time) {
        time->cycles = &cpu->cycles;
        time->l1 = cpu->l1;
        time->hart = hart;
    }
    cpu->serial = time ? time->figure[TENSIX_HART_SERIAL] : 0;
    cpu->mispredicted = time ? time->figure[TENSIX_HART_MISPREDICTED] : 0;
    set_memory(cpu, time);
    cpu->spin_pc = RISCV_TENSIX_NOT_SPINNING;
    async_run_on_cpu(hart->cpu, choose_timed_blocks, RUN_ON_CPU_NULL);
}

/* --- the clock --- */

uint64_t tensix_hart_cycles(const TensixHart *hart)
{
    return hart->time ? timed_cpu(hart)->cycles : 0;
}

TensixStamp tensix_hart_stamp(const TensixHart *hart, uint64_t more)
{
    return (TensixStamp) { tensix_hart_cycles(hart) + more,
                           hart->time->link };
}

/* Its next link, if it comes that late. */
static void waits_until(TensixHart *hart, TensixStamp stamp)
{
    const TensixPathWork work = { hart->id, TENSIX_HART_NONE };

    if (stamp.at > timed_cpu(hart)->cycles) {
        hart->time->link =
            tensix_time_path_work(hart->time->path, stamp, work).link;
    }
}

/*
 * Others may have something to do before that.  If this hart went on, they would
 * see what it does then instead of what it has done before.
 */
static void let_others_catch_up(TensixHart *hart)
{
    if (tensix_hart_is_running_here(hart)) {
        tensix_turns_end_turn(hart);
    }
}

void tensix_hart_time_join(TensixHart *hart, TensixStamp stamp,
                           TensixHartWaitFor what)
{
    uint64_t now = timed_cpu(hart)->cycles;

    hart->time->waited[what] += MAX(stamp.at, now) - now;
    if (stamp.at > now && what != TENSIX_HART_FOR_FIFO) {
        let_others_catch_up(hart);
    }
    waits_until(hart, stamp);
    riscv_tensix_time_join(timed_cpu(hart), stamp.at);
}

void tensix_hart_time_release(TensixHart *hart, TensixStamp stamp)
{
    RISCVTensixCPU *cpu = timed_cpu(hart);

    waits_until(hart, stamp);
    cpu->cycles = MAX(cpu->cycles, stamp.at);
    cpu->spin_pc = RISCV_TENSIX_NOT_SPINNING;
    memset(cpu->ready, 0, sizeof(cpu->ready));
    hart->time->released = cpu->cycles;
}

uint64_t tensix_hart_clock(TensixHart *hart)
{
    if (!hart->time) {
        return tensix_clock();
    }
    if (tensix_hart_is_running_here(hart)) {
        timed_cpu(hart)->wrote = 1;    /* so that it does not only wait */
    }
    return timed_cpu(hart)->cycles;
}

void tensix_hart_time_waits(TensixHart *hart, bool only)
{
    riscv_tensix_time_waits(timed_cpu(hart), only);
}

/* --- accesses --- */

/* Outside L1 and the hart's own memory, the last one first. */
static TensixHartFigure figure_of_device(uint32_t address)
{
    static const struct {
        uint32_t first;
        TensixHartFigure figure;
    } rows[] = {
        { 0xFFEF0000, TENSIX_HART_REGISTER },  /* configuration */
        { 0xFFE80008, TENSIX_HART_SYNC },
        { 0xFFE80004, TENSIX_HART_DONE },
        { 0xFFE80000, TENSIX_HART_SYNC },
        { 0xFFE00000, TENSIX_HART_REGISTER },  /* GPRs of the coprocessor */
        { 0xFFB20000, TENSIX_HART_TILE },      /* NoC, overlay; assumed: Dest */
        { 0xFFB14000, TENSIX_HART_OTHER_RAM },
        { 0xFFB12000, TENSIX_HART_TILE },
        { 0xFFB11000, TENSIX_HART_REGISTER },  /* TDMA */
    };

    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        if (address >= rows[n].first) {
            return rows[n].figure;
        }
    }
    return TENSIX_HART_TILE;
}

static uint32_t access_l1(TensixHart *hart, uint32_t address, bool loads,
                          bool stores, bool atomic)
{
    uint32_t word = address / sizeof(uint32_t);
    TensixHartTime *time = hart->time;

    if (loads) {
        tensix_hart_time_join(
            hart, time->written[word], TENSIX_HART_FOR_L1);
    }
    if (stores) {
        tensix_hart_time_written(time, word, tensix_hart_stamp(hart, 1));
    }
    return hart->time->figure[atomic ? TENSIX_HART_ATOMIC : TENSIX_HART_L1];
}

uint32_t tensix_hart_time_access(TensixHart *hart, uint32_t address, bool loads,
                                 bool stores, bool atomic)
{
    bool local;

    if (!hart->time) {
        return 1;                  /* the last timed block */
    }
    if (address < TENSIX_L1_SIZE) {
        return access_l1(hart, address, loads, stores, atomic);
    }
    local = address - TENSIX_LOCAL_RAM_BASE < LOCAL_RAM_BYTES;
    return hart->time->figure[local ? TENSIX_HART_LOCAL_RAM
                                    : figure_of_device(address)];
}
