/*
 * Estimated cycles: FIFOs, issue and units.
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

/* --- FIFOs --- */

static TimeQueue *queue_of(TensixTime *t, uint32_t thread, uint32_t hart)
{
    return &t->thread[thread].queue[hart == TENSIX_HART_BRISC ? TIME_BY_BRISC
                                                              : TIME_BY_T];
}

/* One word a cycle leaves, and none while the gate holds the one before it. */
static void pop_to(const TensixTime *t, TimeThread *thread, TimeQueue *queue,
                   uint64_t count)
{
    for (; queue->popped < count; queue->popped++) {
        TimePush *push = &queue->ring[queue->popped % TIME_PUSHES];
        TensixStamp popped = tensix_later(
            tensix_after(push->pushed, t->figure[TIME_PUSHED]),
            tensix_later(tensix_after(queue->popped_at, 1), thread->issued));

        tensix_set_stamp(&push->popped, popped);
        tensix_set_stamp(&queue->popped_at, popped);
    }
}

/* Words in the model's FIFO. */
static uint64_t in_fifo(const TensixTime *t, uint32_t thread, uint32_t hart)
{
    const TensixThread *s = &t->state->thread[thread];

    return hart == TENSIX_HART_BRISC ? s->post_fifo.count : s->fifo.count;
}

enum { ADMITS = 28 };              /* words in a FIFO that takes another one */

/*
 * The FIFO takes a word, or up to four of one cycle, if it has 28 or less (BH
 * PushTensixInstruction.md): until then the model holds its hart, too.  So when
 * the word left that made room is known here, whichever hart ran first.
 */
static void wait_for_room(TensixTime *t, const TensixPushEvent *push,
                          TimeQueue *queue)
{
    const TensixHartTime *time = &t->hart[push->origin.hart];
    const TimePush *oldest;

    if (queue->count <= ADMITS) {
        return;
    }
    pop_to(t, &t->thread[push->thread], queue, queue->count - ADMITS);
    oldest = &queue->ring[(queue->count - ADMITS - 1) % TIME_PUSHES];
    if (oldest->popped.at > *time->cycles) {
        tensix_hart_time_join(time->hart, oldest->popped, TENSIX_HART_FOR_FIFO);
    }
}

QEMU_FLATTEN
void time_push(TensixTime *t, TensixPushEvent *push)
{
    TimeQueue *queue = queue_of(t, push->thread, push->origin.hart);
    TensixHartTime *time = &t->hart[push->origin.hart];
    uint32_t pc = push->origin.pc;
    bool is_ttinsn = tensix_hart_time_is_ttinsn(time, pc);
    bool fuses = is_ttinsn && tensix_hart_time_fuses(time, pc);
    TimePush *last;

    if (push->refused) {
        queue->count -= !push->held && queue->count > queue->popped;
        return;
    }
    push->held = !fuses &&
                 in_fifo(t, push->thread, push->origin.hart) > ADMITS;
    if (push->held) {
        return;
    }
    tensix_hart_time_pushes(time, is_ttinsn ? pc : UINT32_MAX, fuses);
    if (!fuses) {
        wait_for_room(t, push, queue);
    }
    last = &queue->ring[queue->count++ % TIME_PUSHES];
    last->pc = pc;
    tensix_set_stamp(&last->pushed, tensix_hart_time_now(time));
    if (t->recorder->all) {
        tensix_time_record_clock(t->recorder, time->hart);
    }
}

/*
 * When the word left its FIFO that is the instruction, or expands to it: the
 * latest one of its pc that the expanders have taken.  0: not known.
 */
static TensixStamp popped_at(TensixTime *t, const TensixInsn *insn)
{
    enum { EXPANDED = 8 };         /* words that expanders hold, at most */
    TimeQueue *queue = queue_of(t, insn->thread, insn->origin.hart);
    uint64_t waiting = in_fifo(t, insn->thread, insn->origin.hart);
    uint64_t taken = queue->count - MIN(waiting, queue->count);

    for (uint64_t n = taken; n > 0 && taken - n < EXPANDED; n--) {
        const TimePush *push = &queue->ring[(n - 1) % TIME_PUSHES];

        if (push->pc == insn->origin.pc) {
            pop_to(t, &t->thread[insn->thread], queue, n);
            return push->popped;
        }
    }
    return (TensixStamp) { };
}

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

/* Vector registers of the set, a bit each. */
static uint32_t lregs_of(const TensixCellSet *cells)
{
    enum {
        FIRST = offsetof(TensixCellNumbers, LREG),
        WORD = FIRST / TENSIX_MAP_BITS,
    };

    QEMU_BUILD_BUG_ON(FIRST % TENSIX_MAP_BITS);
    return cells->words >> WORD & 1
           ? extract64(cells->bits[WORD], 0, TENSIX_LREGS) : 0;
}

/* Registers of the Vector Unit that it reads, and that it writes. */
static void operands_are_there(TensixTime *t, TimeIssue *i)
{
    if (t->lregs_ready <= i->at.at) {
        return;
    }
    for (uint32_t set = lregs_of(i->e->read); set; set &= set - 1) {
        uint32_t n = ctz32(set);

        if (t->lreg[n].thread == i->e->insn->thread) {
            time_not_before(i, t->lreg[n].ready, TENSIX_THREAD_FOR_OPERAND);
        }
    }
}

/*
 * What is ready for the thread's next instruction makes none wait.  So a register
 * may keep the thread and stamp of an older result, which is over by then.
 */
static void results_are_due(TensixTime *t, const TimeIssue *i)
{
    if (MAX(t->lregs_ready, i->ends.at) <= i->thread->next.at) {
        return;
    }
    t->lregs_ready = MAX(t->lregs_ready, i->ends.at);
    for (uint32_t set = lregs_of(i->e->written); set; set &= set - 1) {
        uint32_t n = ctz32(set);

        t->lreg[n].thread = i->e->insn->thread;
        tensix_set_stamp(&t->lreg[n].ready, i->ends);
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
    const TensixCellSet *cells = i->e->written;

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

/* --- the path --- */

static TensixPathWork work_of(const TimeIssue *i, uint32_t agent)
{
    const TensixOrigin *from = &i->e->insn->origin;

    return (TensixPathWork) { agent, from->hart, from->pc };
}

/* Issues what comes next, unless that waits for something else. */
static TensixStamp work_of_thread(TensixTime *t, const TimeIssue *i)
{
    const TensixPathWork work =
        work_of(i, TENSIX_PATH_THREAD + i->e->insn->thread);

    return tensix_time_path_work(&t->path, i->at, work);
}

static TensixStamp work_of_unit(TensixTime *t, const TimeIssue *i,
                                TensixStamp at)
{
    const TensixPathWork work =
        work_of(i, TENSIX_PATH_UNIT + i->e->insn->thread * TENSIX_PORTS +
                   i->word->port);

    return tensix_time_path_work(&t->path, at, work);
}

/* --- issue --- */

/* UNPACR, unless it writes to Dst. */
static bool writes_src(const TimeIssue *i)
{
    enum { WORDS = TENSIX_DST_ROWS / TENSIX_MAP_BITS };

    return i->word->waits_for_bank &&
           !extract64(i->e->written->words, 0, WORDS);
}

static void count_work(const TimeIssue *i, bool plain)
{
    TensixThreadTimes *times = &i->thread->times;
    const TensixTiming *timing = i->timing;
    const uint32_t port = i->word->port;

    times->busy[port] += timing->occupancy;
    times->blocked[port] += i->starts.at - i->at.at;
    if (plain) {
        return;
    }
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
static void start(TensixTime *t, TimeIssue *i, bool plain)
{
    const TensixTiming *timing = i->timing;
    const TimeWord *w = i->word;
    TimeThread *thread = i->thread;

    i->starts = i->at;
    if (!plain && w->waits_for_bank) {
        i->starts = tensix_later(i->at, time_bank_released(t, i->e->insn));
    }
    i->starts = work_of_unit(t, i, i->starts);
    if (!plain && timing->bytes && w->port != TENSIX_UNIT_PACK) {
        share_l1(t, i);
    }
    i->ends = tensix_after(i->starts, timing->latency);
    if (w->port != TENSIX_UNIT_MISC) {     /* takes one of each thread */
        thread->free[w->port] = tensix_after(i->starts, timing->occupancy);
    }
    thread->done[w->port] = tensix_later(thread->done[w->port], i->ends);
    thread->ended = tensix_later(thread->ended, i->ends);
    count_work(i, plain);
    if (w->port == TENSIX_UNIT_MATRIX) {
        thread->last_move = w->moves_to_src ? w->word : 0;
    }
}

/* Until its thread can issue the next one, on what was pushed there. */
static void spend(TensixTime *t, const TimeIssue *i)
{
    const TensixOrigin *from = &i->e->insn->origin;
    uint32_t word = from->pc / sizeof(uint32_t);

    if (from->hart < TENSIX_NUM_HARTS && word < TENSIX_TIME_WORDS) {
        t->spent[from->hart][word] += i->waited + i->timing->issue;
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
    spend(t, i);
    thread->issued = work_of_thread(t, i);
    thread->next = tensix_after(thread->issued, i->timing->issue);
}

static void take_writes(TensixTime *t, TensixStamp at)
{
    for (unsigned n = 0; n < t->writes; n++) {
        time_written(t, t->write[n].address, t->write[n].size, at);
    }
    t->writes = 0;
}

/*
 * The instruction at hand neither synchronises nor accesses L1, and no wait is
 * latched: most of the Vector Unit's.
 */
static bool is_plain(const TensixTime *t, const TimeWord *w,
                     const TimeThread *thread)
{
    return !w->synchronises && !thread->wait.valid && !t->writes &&
           !t->recorder->all;
}

/* What it waits for, all known now. */
static void find_time(TensixTime *t, TimeIssue *i, bool plain)
{
    time_not_before(i, popped_at(t, i->e->insn), TENSIX_THREAD_FOR_PUSH);
    i->pushed = i->at.at;
    if (!plain) {
        time_gate(t, i);
    }
    unit_is_free(i);
    if (plain || i->word->port == TENSIX_UNIT_VECTOR) {
        operands_are_there(t, i);
    } else if (i->word->is_sum) {
        for_accumulated(t, i, block_is_there);
    }
}

/* What may wait for it. */
static void leave_results(TensixTime *t, TimeIssue *i, bool plain)
{
    if (plain || i->word->port == TENSIX_UNIT_VECTOR) {
        results_are_due(t, i);
    } else if (i->word->is_sum) {
        for_accumulated(t, i, block_is_due);
    }
    if (!plain) {
        time_synchronise(t, i);
        take_writes(t, i->ends);
    }
}

/*
 * Twice: a plain one passes its TimeIssue to nothing out of line, so that it is
 * in registers.  Each member has its value: to clear them all first is slow.
 */
static void execute(TensixTime *t, const TensixExecuted *e, const TimeWord *w,
                    TensixTiming *timing, bool plain)
{
    TimeThread *thread = &t->thread[e->insn->thread];
    TimeIssue i = {
        .e = e, .word = w, .timing = timing, .thread = thread,
        .at = { thread->next.at, thread->next.link },
        .why = TENSIX_THREAD_FOR_PUSH,
        .pushed = thread->next.at, .waited = thread->next.at,
        .starts = { thread->next.at, thread->next.link },
        .ends = { thread->next.at, thread->next.link },
    };

    find_time(t, &i, plain);
    issue(t, &i);
    start(t, &i, plain);
    leave_results(t, &i, plain);
    if (!plain && t->recorder->all) {
        time_record_issue(t, &i);
    }
    thread->last = plain ? tensix_later(thread->issued, thread->ended)
                         : time_thread_done(t, thread);
    thread->times.last = thread->last.at;
}

static __attribute__((noinline))
void execute_any(TensixTime *t, const TensixExecuted *e, TimeWord *w)
{
    TensixTiming timing = w->is_timed ? w->timing : time_of_transfer(t, e);

    execute(t, e, w, &timing, false);
}

QEMU_FLATTEN
void time_execute_insn(TensixTime *t, const TensixExecuted *e)
{
    TimeWord *w = time_word(t, e->insn->word);

    if (is_plain(t, w, &t->thread[e->insn->thread])) {
        execute(t, e, w, &w->timing, true);
    } else {
        execute_any(t, e, w);
    }
}
