/*
 * The recorder: events that show what stands in the state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "record/standing.h"

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

void tensix_record_standing(TensixCore *c)
{
    if (!c->record.all) {
        return;
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_record(&c->record, FIFO, t, c->s.thread[t].fifo.count,
                      c->s.thread[t].post_fifo.count);
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
