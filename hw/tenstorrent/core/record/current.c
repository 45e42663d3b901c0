/*
 * The recorder: events that show what is in the state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "record/current.h"

void tensix_record_semaphore(TensixCore *c, uint32_t index)
{
    const TensixSemaphore *sem = &c->s.semaphore[index];

    if (c->record.all) {
        tensix_record(&c->record, SEMAPHORE, index, sem->value, sem->max);
    }
}

void tensix_record_bank(TensixCore *c, uint32_t src, uint32_t bank)
{
    if (c->record.all) {
        tensix_record(&c->record, BANK, src, bank, c->s.src_client[src][bank]);
    }
}

void tensix_record_mop_word(TensixCore *c, uint32_t thread, uint32_t index)
{
    const TensixMop *m = &c->s.thread[thread].mop;
    const TensixOrigin *origin = &m->cfg_origin[index];

    if (c->record.all) {
        tensix_record(&c->record, MOP_WORD, thread, index, m->cfg[index],
                      origin->pc, origin->hart);
    }
}

static void record_slot(TensixCore *c, uint32_t thread, uint32_t slot)
{
    const TensixReplay *r = &c->s.thread[thread].replay;

    tensix_record(&c->record, SLOT, thread, slot, r->buffer[slot],
                  r->recorded[slot].pc, r->recorded[slot].hart);
}

/* Before the first reset nothing is recorded, and all words are 0. */
static bool was_recorded(uint32_t word, const TensixOrigin *origin)
{
    return word && origin->hart < TENSIX_HART_NONE;
}

/* What a thread's expanders hold, where its origin is known. */
static void record_recorded(TensixCore *c, uint32_t thread)
{
    const TensixThread *t = &c->s.thread[thread];

    for (uint32_t n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        if (was_recorded(t->mop.cfg[n], &t->mop.cfg_origin[n])) {
            tensix_record_mop_word(c, thread, n);
        }
    }
    for (uint32_t n = 0; n < TENSIX_REPLAY_DEPTH; n++) {
        if (was_recorded(t->replay.buffer[n], &t->replay.recorded[n])) {
            record_slot(c, thread, n);
        }
    }
}

void tensix_record_current(TensixCore *c)
{
    if (!c->record.all) {
        return;
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_record(&c->record, FIFO, t, c->s.thread[t].fifo.count,
                      c->s.thread[t].post_fifo.count);
        record_recorded(c, t);
    }
    for (uint32_t n = 0; n < TENSIX_SEMAPHORES; n++) {
        tensix_record_semaphore(c, n);
    }
    for (uint32_t n = 0; n < TENSIX_MUTEXES; n++) {
        tensix_record(&c->record, MUTEX, n, c->s.mutex_owner[n]);
    }
    for (uint32_t n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        tensix_record_bank(c, n / TENSIX_SRC_BANKS, n % TENSIX_SRC_BANKS);
    }
    tensix_record_cycle(&c->record, c->s.order.cycle);
}
