/*
 * What harts reach of the coprocessor by plain loads and stores.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tensix_internal.h"

/* Layout of the configuration window, in words (BH BackendConfiguration.md). */
enum {
    VIEW_BANK1 = TENSIX_CFG_WORDS,
    VIEW_DUAL = 2 * TENSIX_CFG_WORDS,
    VIEW_THREAD = 3 * TENSIX_CFG_WORDS,
    VIEW_END = VIEW_THREAD + TENSIX_THREADS * TENSIX_THREAD_CFG_WORDS,
};

uint32_t tensix_cfg_read(const TensixCore *c, uint32_t offset)
{
    uint32_t word = offset / sizeof(uint32_t);

    if (word < VIEW_BANK1) {
        return c->s.cfg[0][word];
    }
    if (word < VIEW_DUAL) {
        return c->s.cfg[1][word - VIEW_BANK1];
    }
    if (word < VIEW_THREAD) {
        return c->s.cfg[0][word - VIEW_DUAL];
    }
    if (word < VIEW_END) {
        word -= VIEW_THREAD;
        return c->s.thread_cfg[word / TENSIX_THREAD_CFG_WORDS]
                              [word % TENSIX_THREAD_CFG_WORDS];
    }
    return 0;
}

bool tensix_cfg_put(TensixCore *c, uint32_t offset, uint32_t value)
{
    uint32_t word = offset / sizeof(uint32_t);

    if (word < VIEW_DUAL) {
        tensix_cfg_store(c, word / TENSIX_CFG_WORDS, word % TENSIX_CFG_WORDS,
                         value, ~0u);
        return true;
    }
    if (word < VIEW_THREAD) {
        for (uint32_t bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
            tensix_cfg_store(c, bank, word - VIEW_DUAL, value, ~0u);
        }
        return true;
    }
    return false;
}

/*
 * Instructions take their configuration when they start: LLK gives a context
 * of the unpackers free behind UNPACRs that it does not wait for.
 */
bool tensix_cfg_write(TensixCore *c, uint32_t offset, uint32_t value)
{
    tensix_flight_land_all(c);
    return tensix_cfg_put(c, offset, value);
}

uint32_t tensix_semaphore_read(const TensixCore *c, uint32_t index)
{
    return c->s.semaphore[index].value;
}

void tensix_semaphore_write(TensixCore *c, uint32_t index, uint32_t value)
{
    TensixSemaphore *sem = &c->s.semaphore[index];

    if (value & 1) {
        sem->value -= sem->value > 0;
    } else {
        sem->value += sem->value < TENSIX_SEMAPHORE_LIMIT;
    }
    c->changed |= TENSIX_CHANGED_SEMAPHORE;
}
