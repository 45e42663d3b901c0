/*
 * Estimated cycles: FIFOs between harts and threads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "time_internal.h"

/* One word a cycle leaves, and none while the gate holds the one before it. */
void time_pop(const TensixTime *t, TimeThread *thread, TimeQueue *queue,
              uint64_t count)
{
    while (queue->popped < count) {
        time_pop_one(t, thread, queue);
    }
}

/*
 * The FIFO takes a word, or up to four of one cycle, if it has 28 or less (BH
 * PushTensixInstruction.md): until then the model holds its hart, too.  So when
 * the word left that made room is known here, whichever hart ran first.
 */
static inline void wait_for_room(TensixTime *t, const TimePort *port)
{
    TimeQueue *queue = port->queue;
    const TimePush *oldest;

    if (queue->count <= TIME_ADMITS) {
        return;
    }
    if (queue->popped < queue->count - TIME_ADMITS) {
        time_pop(t, port->thread, queue, queue->count - TIME_ADMITS);
    }
    oldest = &queue->ring[(queue->count - TIME_ADMITS - 1) % TIME_PUSHES];
    if (oldest->popped.at > *port->hart->cycles) {
        tensix_hart_time_join(port->hart->hart, oldest->popped,
                              TENSIX_HART_FOR_FIFO);
    }
}

static void take_back(TimeQueue *queue, const TensixPushEvent *push)
{
    queue->count -= !push->held && queue->count > queue->popped;
}

/* pc: a .ttinsn's, or UINT32_MAX.  False: it is held. */
static inline QEMU_ALWAYS_INLINE
bool push_at(TensixTime *t, const TimePort *port, uint32_t pc,
             uint32_t origin, bool fuses)
{
    TensixHartTime *time = port->hart;
    TimeQueue *queue = port->queue;
    TimePush *last;

    if (unlikely(!fuses && *port->in_fifo > TIME_ADMITS)) {
        return false;
    }
    tensix_hart_time_pushes(time, pc, fuses);
    if (!fuses) {
        wait_for_room(t, port);
    }
    last = &queue->ring[queue->count++ % TIME_PUSHES];
    last->pc = origin;
    tensix_set_stamp(&last->pushed, tensix_hart_time_now(time));
    if (unlikely(t->recorder->all)) {
        tensix_time_record_clock(t->recorder, time->hart);
    }
    return true;
}

TENSIX_TIME_HOT
bool time_push_ttinsn(void *opaque, uint32_t thread, TensixOrigin origin)
{
    TensixTime *t = opaque;
    const TimePort *port = &t->port[thread][origin.hart];

    return push_at(t, port, origin.pc, origin.pc,
                   tensix_hart_time_fuses(port->hart, origin.pc));
}

void time_push(TensixTime *t, TensixPushEvent *push)
{
    const TimePort *port = time_port(t, push->thread, push->origin.hart);
    uint32_t pc = push->origin.pc;
    bool is_ttinsn = tensix_hart_time_is_ttinsn(port->hart, pc);

    if (push->refused) {
        take_back(port->queue, push);
        return;
    }
    push->held = !push_at(t, port, is_ttinsn ? pc : UINT32_MAX, pc,
                          is_ttinsn && tensix_hart_time_fuses(port->hart, pc));
}

TensixStamp time_popped_at(TensixTime *t, const TensixInsn *insn)
{
    enum { EXPANDED = 8 };         /* words that expanders hold, at most */
    const TimePort *port = time_port(t, insn->thread, insn->origin.hart);
    TimeQueue *queue = port->queue;
    uint64_t taken = time_taken(port);

    for (uint64_t n = taken; n > 0 && taken - n < EXPANDED; n--) {
        const TimePush *push = &queue->ring[(n - 1) % TIME_PUSHES];

        if (push->pc == insn->origin.pc) {
            time_pop(t, port->thread, queue, n);
            return push->popped;
        }
    }
    return (TensixStamp) { };
}

static void init_port(TensixTime *t, uint32_t thread, uint32_t hart)
{
    const TensixThread *state = &t->state->thread[thread];
    bool is_brisc = hart == TENSIX_HART_BRISC;
    const TensixInsn insn = { .thread = thread, .origin.hart = hart };

    t->port[thread][hart] = (TimePort) {
        .thread = &t->thread[thread],
        .queue = &t->thread[thread].queue[is_brisc ? TIME_BY_BRISC
                                                   : TIME_BY_T],
        .hart = hart < TENSIX_NUM_HARTS ? &t->hart[hart] : NULL,
        .in_fifo = is_brisc ? &state->post_fifo.count : &state->fifo.count,
        .by_thread = tensix_kept_by(time_work_of_thread(&insn)),
        .by_vector = tensix_kept_by(time_work_of_unit(&insn,
                                                      TENSIX_UNIT_VECTOR)),
    };
}

void time_init_ports(TensixTime *t)
{
    for (uint32_t thread = 0; thread < TENSIX_THREADS; thread++) {
        for (uint32_t hart = 0; hart <= TENSIX_HART_NONE; hart++) {
            init_port(t, thread, hart);
        }
    }
}
