/*
 * Estimated cycles: issue and units.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread issues one instruction a cycle, in order; a unit takes one of its
 * instructions when the published occupancy of the last one has passed.  Threads
 * that share a unit do not wait for each other: in which order they come to it is
 * not known here.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/observe/observe.h"
#include "time_internal.h"

/* --- units --- */

/* Moves from Dst to the same Src follow each other (WH MOVD2A.md, MOVD2B.md). */
static bool follows_at_once(const TimeThread *thread, const TimeWord *w)
{
    return w->moves_to_src && thread->last_move >> 24 == w->word >> 24;
}

/* SFPNOP issues in the cycle that SFPSWAP leaves (BH SFPSWAP.md). */
static void unit_is_free(TimeIssue *i)
{
    const TimeWord *w = i->word;

    if (!follows_at_once(i->thread, w) && !w->fills_gap) {
        time_not_before(i, i->thread->free[w->port], TENSIX_THREAD_FOR_UNIT);
    }
}

/* --- Dst --- */

/* Blocks of Dst in a word of the set: a bit for each byte that is not 0. */
static uint32_t blocks_of(uint64_t rows)
{
    uint32_t blocks = 0;

    for (uint32_t n = 0; rows; n++, rows >>= TIME_BLOCK_ROWS) {
        blocks |= (uint32_t)!!extract64(rows, 0, TIME_BLOCK_ROWS) << n;
    }
    return blocks;
}

typedef void TimeBlockFn(const TensixTime *t, TimeIssue *i, TensixStamp *block);

static void for_accumulated(TensixTime *t, TimeIssue *i, TimeBlockFn *fn)
{
    enum {
        WORDS = TENSIX_DST_ROWS / TENSIX_MAP_BITS,
        BLOCKS = TENSIX_MAP_BITS / TIME_BLOCK_ROWS,
    };
    const TensixCellSet *cells = i->cells->written;

    for (uint64_t words = extract64(cells->words, 0, WORDS); words;
         words &= words - 1) {
        uint32_t word = ctz64(words), set = blocks_of(cells->bits[word]);

        for (; set; set &= set - 1) {
            fn(t, i, &t->dst[word * BLOCKS + ctz32(set)]);
        }
    }
}

static void block_is_there(const TensixTime *t, TimeIssue *i,
                           TensixStamp *block)
{
    time_not_before(i, *block, TENSIX_THREAD_FOR_OPERAND);
}

static void block_is_due(const TensixTime *t, TimeIssue *i, TensixStamp *block)
{
    *block = tensix_after(i->starts, t->figure[TIME_ACCUMULATED]);
}

/* --- issue --- */

/* UNPACR, unless it writes to Dst. */
static bool writes_src(const TimeIssue *i)
{
    enum { WORDS = TENSIX_DST_ROWS / TENSIX_MAP_BITS };

    return i->word->waits_for_bank &&
           !extract64(i->cells->written->words, 0, WORDS);
}

static void count_work(const TimeIssue *i)
{
    TensixThreadTimes *times = &i->thread->times;
    const TensixTiming *timing = i->timing;
    const uint32_t port = i->word->port;

    times->busy[port] += timing->occupancy;
    times->blocked[port] += i->starts.at - i->at.at;
    times->sums += i->word->is_sum ? timing->occupancy : 0;
    times->transfers[port] += timing->transfer;
    times->bytes += timing->bytes;
    if (writes_src(i)) {
        times->src_writes[port == TENSIX_PORT_UNPACK1] += timing->transfer;
    }
}

/*
 * Both unpackers share ports of L1: one alone reads as fast as its formats
 * allow, both together no faster than that, which is 80 bytes a cycle in WH
 * L1.md.  Cards have more (docs/time.rst).  What had to wait for its bank may
 * start after what is estimated later, which is not slowed then.
 */
static void share_l1(const TensixTime *t, TimeIssue *i)
{
    const uint64_t rate = t->figure[TIME_UNPACKED], start = i->starts.at;
    const unsigned which = i->word->port == TENSIX_PORT_UNPACK1;
    TensixTiming *timing = i->timing;
    TimeThread *thread = i->thread;
    uint64_t cycles;

    thread->reads[which] = start;
    if (start < thread->reads[!which]) {
        return;
    }
    thread->unpacked = MAX(thread->unpacked, start * rate) + timing->bytes;
    cycles = DIV_ROUND_UP(thread->unpacked, rate) - start;
    if (cycles > timing->transfer) {
        timing->latency += cycles - timing->transfer;
        timing->occupancy = MAX(timing->occupancy, cycles);
    }
}

/* An unpacker waits for its bank after the gate, with its task. */
static void start(TensixTime *t, TimeIssue *i)
{
    const TensixTiming *timing = i->timing;
    const TimeWord *w = i->word;
    TimeThread *thread = i->thread;

    i->starts = i->at;
    if (w->waits_for_bank) {
        i->starts = tensix_later(i->at, time_bank_released(t, i->insn));
    }
    i->starts = tensix_time_path_work(&t->path, i->starts,
                                      time_work_of_unit(i->insn, w->port));
    if (timing->bytes && w->port != TENSIX_UNIT_PACK) {
        share_l1(t, i);
    }
    i->ends = tensix_after(i->starts, timing->latency);
    if (w->port != TENSIX_UNIT_MISC) {     /* takes one of each thread */
        thread->free[w->port] = tensix_after(i->starts, timing->occupancy);
    }
    thread->done[w->port] = tensix_later(thread->done[w->port], i->ends);
    thread->ended = tensix_later(thread->ended, i->ends);
    count_work(i);
    if (w->port == TENSIX_UNIT_MATRIX) {
        thread->last_move = w->moves_to_src ? w->word : 0;
    }
}

static void issue(TensixTime *t, TimeIssue *i)
{
    TimeThread *thread = i->thread;
    TensixThreadTimes *times = &thread->times;

    uint64_t ready = times->insns ? thread->next.at : i->pushed;
    uint64_t held = i->at.at - i->pushed;

    if (!times->insns++) {
        times->first = i->at.at;
    }
    i->waited = i->at.at - ready;
    times->waited[TENSIX_THREAD_FOR_PUSH] += i->pushed - ready;
    times->waited[i->why] += held;
    times->held[i->word->unit] += held;
    time_spend(t, &i->insn->origin, i->waited + i->timing->issue);
    thread->issued = tensix_time_path_work(&t->path, i->at,
                                           time_work_of_thread(i->insn));
    thread->next = tensix_after(thread->issued, i->timing->issue);
}

static void take_writes(TensixTime *t, TensixStamp at)
{
    for (unsigned n = 0; n < t->writes; n++) {
        time_written(t, t->write[n].address, t->write[n].size, at);
    }
    t->writes = 0;
}

/* What it waits for, all known now. */
static void find_time(TensixTime *t, TimeIssue *i)
{
    time_not_before(i, time_popped_at(t, i->insn), TENSIX_THREAD_FOR_PUSH);
    i->pushed = i->at.at;
    time_gate(t, i);
    unit_is_free(i);
    if (i->word->is_vector) {
        if (time_operand_is_due(t, i->insn->thread, i->cells->lregs_read, &i->at)) {
            i->why = TENSIX_THREAD_FOR_OPERAND;
        }
    } else if (i->word->is_sum) {
        for_accumulated(t, i, block_is_there);
    }
}

/* What may wait for it. */
static void leave_results(TensixTime *t, TimeIssue *i)
{
    if (i->word->is_vector) {
        time_results_are_due(t, i->insn->thread, i->cells->lregs_written,
                             i->thread->next.at, i->ends);
    } else if (i->word->is_sum) {
        for_accumulated(t, i, block_is_due);
    }
    time_synchronise(t, i);
    take_writes(t, i->ends);
}

/* Each member has its value: to clear them all first is slow. */
TENSIX_TIME_HOT QEMU_FLATTEN
void time_execute_any(TensixTime *t, const TensixInsn *insn,
                      const TimeCells *cells, const TimeWord *w,
                      TensixTiming *timing)
{
    TimeThread *thread = &t->thread[insn->thread];
    TimeIssue i = {
        .insn = insn, .cells = cells,
        .word = w, .timing = timing, .thread = thread,
        .at = { thread->next.at, thread->next.link },
        .why = TENSIX_THREAD_FOR_PUSH,
        .pushed = thread->next.at, .waited = thread->next.at,
        .starts = { thread->next.at, thread->next.link },
        .ends = { thread->next.at, thread->next.link },
    };

    find_time(t, &i);
    issue(t, &i);
    start(t, &i);
    leave_results(t, &i);
    if (t->recorder->all) {
        time_record_issue(t, &i);
    }
    thread->last = time_thread_done(t, thread);
    thread->last_is_plain = false;
    thread->is_plain = !thread->wait.valid;
}
