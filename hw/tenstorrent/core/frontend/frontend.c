/*
 * Front end: the FIFOs, and the fast path past them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PushTensixInstruction.md: T harts push into a FIFO before the MOP
 * expander, BRISC and the debug bus into one after it.
 */

#include <string.h>

#include "decode/words.h"
#include "derived/update.h"
#include "record/current.h"
#include "record/fresh.h"
#include "frontend/frontend.h"
#include "tensix_internal.h"

bool tensix_fifo_push(TensixFifo *f, const TensixInsn *insn)
{
    if (f->count == TENSIX_FIFO_DEPTH) {
        return false;
    }
    tensix_copy_fresh(&f->entry[(f->head + f->count) % TENSIX_FIFO_DEPTH], insn);
    f->count++;
    return true;
}

const TensixInsn *tensix_fifo_peek(const TensixFifo *f, uint32_t position)
{
    return &f->entry[(f->head + position) % TENSIX_FIFO_DEPTH];
}

static bool is_t_hart(uint32_t hart)
{
    return hart >= TENSIX_HART_TRISC0 && hart <= TENSIX_HART_TRISC2;
}

bool tensix_can_push(const TensixCore *c, uint32_t thread, uint32_t hart)
{
    const TensixThread *t = &c->s.thread[thread];

    return (is_t_hart(hart) ? t->fifo.count : t->post_fifo.count) <
           TENSIX_FIFO_DEPTH;
}

bool tensix_thread_idle(const TensixCore *c, uint32_t thread)
{
    return !tensix_thread_has_work(c, thread);
}

bool tensix_mop_idle(const TensixCore *c, uint32_t thread)
{
    const TensixThread *t = &c->s.thread[thread];

    if (t->mop.phase != TENSIX_MOP_IDLE) {
        return false;
    }
    for (uint32_t i = 0; i < t->fifo.count; i++) {
        if (tensix_word_is_mop(tensix_fifo_peek(&t->fifo, i)->word)) {
            return false;
        }
    }
    return true;
}

bool tensix_is_busy(const TensixCore *c)
{
    return c->derived.busy;
}

void tensix_thread_reset_frontend(TensixCore *c, uint32_t thread)
{
    TensixThread *t = &c->s.thread[thread];

    memset(&t->fifo, 0, sizeof(t->fifo));
    t->mop.phase = TENSIX_MOP_IDLE;
    c->derived.repeats[thread] = 0;
    if (c->record.all) {
        tensix_record(&c->record, FLUSH, thread);
    }
    tensix_update_busy(c, thread);
    c->signals.changed |= TENSIX_CHANGED_FIFO | TENSIX_CHANGED_IDLE;
}

void tensix_set_timeline(TensixCore *c, void (*full)(void *opaque),
                         void *opaque)
{
    tensix_record_all(&c->record, full, opaque);
    tensix_update_slow(c);
    if (full) {
        tensix_record_current(c);
    }
}

/* Unit of an opcode plus 1; 0: not for the fast path, or no such opcode. */
#define DIRECT_FRONTEND (-1)
#define DIRECT_NONE TENSIX_UNIT_NONE
#define DIRECT_SYNC TENSIX_UNIT_SYNC
#define DIRECT_CFG TENSIX_UNIT_CFG
#define DIRECT_THCON TENSIX_UNIT_THCON
#define DIRECT_MISC TENSIX_UNIT_MISC
#define DIRECT_XMOV TENSIX_UNIT_XMOV
#define DIRECT_UNPACK TENSIX_UNIT_UNPACK
#define DIRECT_PACK TENSIX_UNIT_PACK
#define DIRECT_MATRIX TENSIX_UNIT_MATRIX
#define DIRECT_VECTOR TENSIX_UNIT_VECTOR
#define INSN(op, mnemonic, unit, ...) [op] = DIRECT_##unit + 1,
#define UNIMP(op, mnemonic, unit, ...) [op] = DIRECT_##unit + 1,

static const uint8_t direct_unit[256] = {
#include "decode/insn_table.h.inc"
};

#undef INSN
#undef UNIMP

/*
 * After a direct word that must be retried, that latched a wait, or whose
 * changes another thread may have waited for.  Out of line, so that the short
 * cut stays short, which need not keep where the word is recorded, either.
 */
static __attribute__((noinline)) void after_direct(TensixCore *c,
                                                   TensixResult result)
{
    const TensixInsn *i = tensix_record_executed(&c->record);

    if (result == TENSIX_RETRY) {
        c->s.executed[direct_unit[i->word >> 24] - 1]--;
        tensix_record_undo(&c->record, i);
        tensix_copy_fresh(&c->s.thread[i->thread].gate.pending, i);
        tensix_mark_busy(c, i->thread);
    }
    if ((c->derived.busy & (1u << i->thread)) ||
        (c->signals.changed & ~TENSIX_CHANGED_HOST)) {
        tensix_run_pushed(c, i->thread, TENSIX_ENTRY_BUDGET);
    }
}

static bool locked_out(const TensixCore *c, const TensixInsn *i)
{
    return (c->s.debug_bus & (1u << i->thread)) &&
           i->origin.hart != TENSIX_HART_NONE;
}

static __attribute__((noinline)) bool push_queued(TensixCore *c,
                                                  const TensixInsn *i,
                                                  uint32_t entries)
{
    TensixThread *t = &c->s.thread[i->thread];
    TensixFifo *fifo = is_t_hart(i->origin.hart) ? &t->fifo : &t->post_fifo;

    if (locked_out(c, i)) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "push lost: the debug bus has control of the FIFO");
        return true;
    }
    if (!tensix_fifo_push(fifo, i)) {
        return false;
    }
    tensix_trace(c, TENSIX_TRACE_PUSH, i);
    if (c->record.all) {
        tensix_record_insn(&c->record, TENSIX_EVENT_PUSH, i, fifo->count);
    }
    tensix_mark_busy(c, i->thread);
    if (!c->signals.backlog) {
        tensix_run_pushed(c, i->thread,
                          entries * tensix_entry_budget(c, i->origin.hart));
    }
    return true;
}

/*
 * The word as an instruction, built in the recorder's ring: a copy would cost
 * too much.  The ring must have a free entry.  EXECUTE has no `extra`.
 */
static inline const TensixInsn *record_word(TensixCore *c, uint32_t thread,
                                            uint32_t word, TensixOrigin origin)
{
    TensixInsn *insn = &c->record.next++->insn;

    insn->valid = TENSIX_EVENT_EXECUTE;
    insn->word = word;
    insn->thread = thread;
    insn->mop_position = insn->replay_slot = TENSIX_NO_POSITION;
    insn->origin = origin;
    return insn;
}

/*
 * The recorder's position in its ring is no state: the word takes the same path
 * as any other, or a replayed machine would count other cycles.
 */
static __attribute__((noinline)) bool push_after_lap(TensixCore *c,
                                                     uint32_t thread,
                                                     uint32_t word,
                                                     TensixOrigin origin)
{
    tensix_record_lap(&c->record);
    return tensix_push(c, thread, word, origin);
}

/*
 * An idle thread's word meets no queue, no expansion and no latched wait:
 * execute it at once.  Everything else takes the pipeline.
 */
static inline bool has_short_cut(const TensixCore *c, uint32_t thread)
{
    return !((c->derived.slow | c->derived.busy) >> thread & 1);
}

bool tensix_push(TensixCore *c, uint32_t thread, uint32_t word,
                 TensixOrigin origin)
{
    size_t opcode = word >> 24, unit = direct_unit[opcode];
    TensixResult result;

    if (!has_short_cut(c, thread) || !unit) {
        return tensix_push_queued(c, thread, word, origin);
    }
    if (tensix_record_full(&c->record)) {
        return push_after_lap(c, thread, word, origin);
    }
    c->s.executed[unit - 1]++;
    result = c->derived.exec[opcode](c, record_word(c, thread, word, origin));
    if (c->derived.busy | result) {            /* TENSIX_DONE is 0 */
        after_direct(c, result);
    }
    return true;
}

/*
 * Pushes words of one unit like tensix_push() on a thread that has_short_cut(), up
 * to one after which there is something to do: until then nothing that the short
 * cut depends on has changed. Only the Sync Unit's instructions latch a wait and
 * make their thread busy, so it takes one of these; what other threads wait for is
 * a change. Returns how many; 0: the first one has no fast path.
 */
static inline uint32_t push_directly(TensixCore *c, uint32_t thread,
                                     const uint32_t *words, uint32_t count,
                                     TensixOrigin origin)
{
    size_t unit = direct_unit[*words >> 24];
    const uint32_t *at = words;
    const uint32_t *end = words + (unit == DIRECT_SYNC + 1 ? 1 : count);
    TensixResult result = TENSIX_DONE;

    if (!unit) {
        return 0;
    }
    do {
        size_t opcode = *at >> 24;

        if (__builtin_expect(direct_unit[opcode] != unit ||
                             tensix_record_full(&c->record), false)) {
            break;
        }
        result = c->derived.exec[opcode](c, record_word(c, thread, *at, origin));
        at++;
        origin.pc += sizeof(*at);
    } while (__builtin_expect(!(result | c->signals.changed) && at != end, true));
    c->s.executed[unit - 1] += at - words;
    if (c->derived.busy | result) {
        after_direct(c, result);
    }
    return at - words;
}

/* An observer that times instructions times their pushes, too. */
static bool times_pushes(const TensixCore *c)
{
    return c->observer && c->observer->times;
}

uint32_t tensix_words_at_once(const TensixCore *c, uint32_t thread,
                              const uint32_t *words, uint32_t count)
{
    uint32_t unit = direct_unit[*words >> 24], n = 1;

    if (has_short_cut(c, thread) && unit && unit != DIRECT_SYNC + 1 &&
        !times_pushes(c)) {
        while (n < count && direct_unit[words[n] >> 24] == unit) {
            n++;
        }
    }
    return n;
}

uint32_t tensix_push_words(TensixCore *c, uint32_t thread, const uint32_t *words,
                           uint32_t count, TensixOrigin origin)
{
    uint32_t pushed = 0;

    if (!has_short_cut(c, thread)) {
        return !tensix_word_records(*words) &&
               tensix_push_queued(c, thread, *words, origin);
    }
    if (!times_pushes(c)) {
        pushed = push_directly(c, thread, words, count, origin);
    }
    if (!pushed && !tensix_word_records(*words)) {
        pushed = tensix_push(c, thread, *words, origin);
    }
    return pushed;
}

static inline TensixInsn pushed_insn(uint32_t thread, uint32_t word,
                                     TensixOrigin origin)
{
    return (TensixInsn) {
        .valid = 1, .word = word, .thread = thread, .origin = origin,
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
    };
}

__attribute__((noinline))
bool tensix_push_queued(TensixCore *c, uint32_t thread, uint32_t word,
                        TensixOrigin origin)
{
    const TensixInsn insn = pushed_insn(thread, word, origin);

    return push_queued(c, &insn, 1);
}

/* No observer, no timeline, no trace: `slow` is set by the delay alone. */
static bool may_come_through(const TensixCore *c, const TensixInsn *i)
{
    return is_t_hart(i->origin.hart) &&
           !locked_out(c, i) && !c->observer && !c->record.all &&
           !c->signals.backlog &&
           !(c->host.trace_enabled && *c->host.trace_enabled);
}

/* The second entry is that of the push's access, as of any other access. */
bool tensix_push_delayed(TensixCore *c, uint32_t thread, uint32_t word,
                         TensixOrigin origin)
{
    const TensixInsn insn = pushed_insn(thread, word, origin);
    enum { ENTRIES = 2 };

    if (c->delays->issued || tensix_held_back(c, thread, word, origin)) {
        return false;
    }
    return (may_come_through(c, &insn) &&
            tensix_run_word(c, &insn, ENTRIES *
                            tensix_entry_budget(c, TENSIX_HART_NONE))) ||
           push_queued(c, &insn, ENTRIES);
}

/*
 * MOP and MOP_CFG are the MOP expander's; a word that gets past it (from
 * BRISC, or out of a MOP or REPLAY) means nothing there.
 */
static TensixResult exec_after_expander(TensixCore *c, const TensixInsn *i,
                                        const char *expander)
{
    return tensix_violation(
        c, i, TENSIX_UNDEFINED_BEHAVIOUR,
        "%s reached the wait gate: it was pushed or expanded "
        "behind the %s expander",
        tensix_insns[i->word >> 24].mnemonic, expander);
}

TensixResult tensix_exec_MOP(TensixCore *c, const TensixInsn *i)
{
    return exec_after_expander(c, i, "MOP");
}

TensixResult tensix_exec_MOP_CFG(TensixCore *c, const TensixInsn *i)
{
    return exec_after_expander(c, i, "MOP");
}

TensixResult tensix_exec_REPLAY(TensixCore *c, const TensixInsn *i)
{
    return exec_after_expander(c, i, "REPLAY");
}

/* NOP: fills a slot and reaches the gate, then does nothing. */
TensixResult tensix_exec_NOP(TensixCore *c, const TensixInsn *i)
{
    (void)c;
    (void)i;
    return TENSIX_DONE;
}
