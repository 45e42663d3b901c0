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

        push->popped = tensix_later(
            tensix_after(push->pushed, t->figure[TIME_PUSHED]),
            tensix_later(tensix_after(queue->popped_at, 1), thread->issued));
        queue->popped_at = push->popped;
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
                          TimeQueue *queue, TensixHart *hart)
{
    const TimePush *oldest;

    if (queue->count <= ADMITS) {
        return;
    }
    pop_to(t, &t->thread[push->thread], queue, queue->count - ADMITS);
    oldest = &queue->ring[(queue->count - ADMITS - 1) % TIME_PUSHES];
    tensix_hart_time_join(hart, oldest->popped, TENSIX_HART_FOR_FIFO);
}

void time_push(TensixTime *t, TensixPushEvent *push)
{
    TimeQueue *queue = queue_of(t, push->thread, push->origin.hart);
    TensixHart *hart = tensix_cop_hart(t->cop, push->origin.hart);
    bool fuses = tensix_hart_time_fuses(hart, push->origin.pc);

    if (push->refused) {
        queue->count -= !push->held && queue->count > queue->popped;
        return;
    }
    push->held = !fuses &&
                 in_fifo(t, push->thread, push->origin.hart) > ADMITS;
    if (push->held) {
        return;
    }
    tensix_hart_time_pushes(hart, push->origin.pc, fuses);
    if (!fuses) {
        wait_for_room(t, push, queue, hart);
    }
    queue->ring[queue->count++ % TIME_PUSHES] = (TimePush) {
        .pc = push->origin.pc, .pushed = tensix_hart_stamp(hart, 0),
    };
    if (t->recorder->all) {
        tensix_time_record_clock(t->recorder, hart);
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
    const TensixThread *s = &t->state->thread[insn->thread];
    uint64_t waiting = insn->origin.hart == TENSIX_HART_BRISC
                       ? s->post_fifo.count : s->fifo.count;
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

static bool is_move_to_src(uint32_t word)
{
    const TensixTraits *traits = tensix_traits_of(word);

    return traits->moves_to_srca || traits->moves_to_srcb;
}

/* Moves from Dst to the same Src follow each other (WH MOVD2A.md, MOVD2B.md). */
static bool follows_at_once(const TimeThread *thread, uint32_t word)
{
    return is_move_to_src(word) && thread->last_move >> 24 == word >> 24;
}

/* SFPNOP issues in the cycle that SFPSWAP leaves (BH SFPSWAP.md). */
static void unit_is_free(TimeIssue *i)
{
    uint32_t word = i->e->insn->word;

    if (!follows_at_once(i->thread, word) &&
        !tensix_traits_of(word)->fills_gap) {
        time_not_before(i, i->thread->free[i->port], TENSIX_THREAD_FOR_UNIT);
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
    for (uint32_t set = lregs_of(i->e->read); set; set &= set - 1) {
        uint32_t n = ctz32(set);

        if (t->lreg[n].thread == i->e->insn->thread) {
            time_not_before(i, t->lreg[n].ready, TENSIX_THREAD_FOR_OPERAND);
        }
    }
}

static void results_are_due(TensixTime *t, const TimeIssue *i)
{
    for (uint32_t set = lregs_of(i->e->written); set; set &= set - 1) {
        uint32_t n = ctz32(set);

        t->lreg[n].thread = i->e->insn->thread;
        t->lreg[n].ready = i->ends;
    }
}

/* --- Dst --- */

/* Arithmetic of the Matrix Unit passes all of its stages. */
static bool accumulates(const TimeIssue *i)
{
    enum { STAGES = 5 };           /* WH MatrixUnit.md */

    return i->port == TENSIX_UNIT_MATRIX && i->timing.latency >= STAGES;
}

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
                   i->port);

    return tensix_time_path_work(&t->path, at, work);
}

/* --- issue --- */

/* UNPACR, unless it writes to Dst. */
static bool writes_src(const TimeIssue *i)
{
    enum { WORDS = TENSIX_DST_ROWS / TENSIX_MAP_BITS };

    return tensix_insn_waits_for_bank(i->e->insn->word) &&
           !extract64(i->e->written->words, 0, WORDS);
}

static void count_work(const TimeIssue *i)
{
    TensixThreadTimes *times = &i->thread->times;
    const TensixTiming *timing = &i->timing;

    times->busy[i->port] += timing->occupancy;
    times->blocked[i->port] += i->starts.at - i->at.at;
    times->transfers[i->port] += timing->transfer;
    times->sums += accumulates(i) ? timing->occupancy : 0;
    times->bytes += timing->bytes;
    if (writes_src(i)) {
        times->src_writes[i->port == TENSIX_PORT_UNPACK1] += timing->transfer;
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
    const unsigned which = i->port == TENSIX_PORT_UNPACK1;
    TensixTiming *timing = &i->timing;
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
    const TensixTiming *timing = &i->timing;
    TimeThread *thread = i->thread;
    const uint32_t word = i->e->insn->word;

    i->starts = tensix_later(i->at, time_bank_released(t, i->e->insn));
    i->starts = work_of_unit(t, i, i->starts);
    if (timing->bytes && i->port != TENSIX_UNIT_PACK) {
        share_l1(t, i);
    }
    i->ends = tensix_after(i->starts, timing->latency);
    if (i->port != TENSIX_UNIT_MISC) {     /* takes one of each thread */
        thread->free[i->port] = tensix_after(i->starts, timing->occupancy);
    }
    thread->done[i->port] = tensix_later(thread->done[i->port], i->ends);
    thread->ended = tensix_later(thread->ended, i->ends);
    count_work(i);
    if (i->port == TENSIX_UNIT_MATRIX) {
        thread->last_move = is_move_to_src(word) ? word : 0;
    }
}

/* Until its thread can issue the next one, on what was pushed there. */
static void spend(TensixTime *t, const TimeIssue *i)
{
    const TensixOrigin *from = &i->e->insn->origin;
    uint32_t word = from->pc / sizeof(uint32_t);

    if (from->hart < TENSIX_NUM_HARTS && word < TENSIX_TIME_WORDS) {
        t->spent[from->hart][word] += i->waited + i->timing.issue;
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
    times->held[tensix_insns[i->e->insn->word >> 24].unit] += held;
    spend(t, i);
    thread->issued = work_of_thread(t, i);
    thread->next = tensix_after(thread->issued, i->timing.issue);
}

TensixStamp time_thread_done(const TensixTime *t, const TimeThread *thread)
{
    return tensix_later(tensix_later(thread->issued,
                                     time_wait_ends(t, thread)),
                        thread->ended);
}

static void take_writes(TensixTime *t, TensixStamp at)
{
    for (unsigned n = 0; n < t->writes; n++) {
        time_written(t, t->write[n].address, t->write[n].size, at);
    }
    t->writes = 0;
}

void time_execute_insn(TensixTime *t, const TensixExecuted *e)
{
    TimeThread *thread = &t->thread[e->insn->thread];
    TimeIssue i = {
        .e = e, .timing = time_of_insn(t, e), .thread = thread,
        .port = tensix_port(e->insn->word), .at = thread->next,
    };
    bool is_vector = i.port == TENSIX_UNIT_VECTOR;
    bool is_sum = accumulates(&i);

    time_not_before(&i, popped_at(t, e->insn), TENSIX_THREAD_FOR_PUSH);
    i.pushed = i.at.at;
    time_gate(t, &i);
    unit_is_free(&i);
    if (is_vector) {
        operands_are_there(t, &i);
    }
    if (is_sum) {
        for_accumulated(t, &i, block_is_there);
    }
    issue(t, &i);
    start(t, &i);
    if (is_vector) {
        results_are_due(t, &i);
    }
    if (is_sum) {
        for_accumulated(t, &i, block_is_due);
    }
    time_synchronise(t, &i);
    take_writes(t, i.ends);
    time_record_issue(t, &i);
    thread->last = time_thread_done(t, thread);
    thread->times.last = thread->last.at;
}
