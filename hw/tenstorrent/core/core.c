/*
 * Life cycle of the coprocessor's state: reset, soft reset, load.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "regs/regfile.h"
#include "tensix_soft_reset.h"
#include "vector/vector.h"
#include "config/config.h"
#include "derived/update.h"
#include "observe/observe.h"
#include "record/current.h"
#include "frontend/frontend.h"

size_t tensix_core_size(void)
{
    return sizeof(TensixCore);
}

TensixCore *tensix_core_init(void *memory)
{
    _Static_assert(_Alignof(TensixCore) <= TENSIX_CORE_ALIGN, "see its use");
    return memset(memory, 0, sizeof(TensixCore));
}

void tensix_set_host(TensixCore *c, const TensixHost *host)
{
    c->host = *host;
}

TensixState *tensix_core_state(TensixCore *c)
{
    return &c->s;
}

TensixSignals *tensix_core_signals(TensixCore *c)
{
    return &c->signals;
}

TensixRecorder *tensix_core_recorder(TensixCore *c)
{
    return &c->record;
}

static void reset_src_clients(TensixState *s, uint32_t src)
{
    tensix_src_cancel_hand_over(s, src);
    for (int bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
        s->src_client[src][bank] = TENSIX_CLIENT_UNPACKERS;
    }
    s->matrix_bank[src] = 0;
    s->unpack_bank[src] = 0;
    s->src_read &= ~(1u << src);
}

static void clear_src_columns(TensixCore *c, uint32_t src, uint32_t first,
                              uint32_t count)
{
    for (int bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
        TensixSrcRow *rows = tensix_src_to_write(c, src, bank);

        for (int row = 0; row < TENSIX_SRC_ROWS; row++) {
            memset(&rows[row][first], 0, count * sizeof(uint32_t));
        }
    }
}

void tensix_reset(TensixCore *c)
{
    uint64_t rng = c->s.order.rng;

    tensix_choose_isa(c);
    if (!c->record.ring) {
        tensix_record_set_ring(&c->record, NULL, 0);
    }
    memset(&c->s, 0, sizeof(c->s));
    c->s.order.rng = rng;
    if (c->delays) {
        tensix_delays_restart(c->delays);
    }
    /* Data is unpredictable, the flags are all true (ttsim). */
    memset(c->s.dst_row_valid, 1, sizeof(c->s.dst_row_valid));
    tensix_vector_reset(c);
    tensix_ttsync_reset(&c->s);
    tensix_recorded_reset(&c->s);
    c->signals.changed = ~0u;
    tensix_record(&c->record, RESET);
    tensix_state_loaded(c);
}

/* splitmix64: neighbouring seeds are to have nothing in common.  Never 0. */
static uint64_t mix_seed(uint64_t seed)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    return x ? x : 1;
}

void tensix_set_schedule(TensixCore *c, uint64_t seed)
{
    c->s.order.rng = seed ? mix_seed(seed) : 0;
    tensix_update_slow(c);
}

void tensix_state_loaded(TensixCore *c)
{
    c->signals.backlog = false;
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        c->signals.backlog |= !c->s.order.rng && tensix_thread_has_work(c, t);
    }
    memset(&c->reported, 0, sizeof(c->reported));
    tensix_hazard_discard(c);
    tensix_observe_restart(c);
    tensix_derived_invalidate(c);
    tensix_record_current(c);
}

/* Effects of bits while they are set; entering reset is enough for data. */
static void soft_reset_data(TensixCore *c, uint32_t bits)
{
    TensixState *s = &c->s;

    if (bits & RESET_THCON) {
        for (int bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
            tensix_cfg_clear(c, bank, TENSIX_CFG_THCON_BASE,
                             TENSIX_CFG_GLOBAL_BASE);
        }
    }
    if (bits & RESET_FPU_SFPU) {
        clear_src_columns(c, TENSIX_SRCA, 0, TENSIX_COLUMNS);
        tensix_vector_reset(c);
    }
    for (uint32_t block = 0; block < 4; block++) {
        if (bits & (RESET_SRCA_COLUMNS0 << block)) {
            clear_src_columns(c, TENSIX_SRCA, block * 4, 4);
        }
    }
    if (bits & RESET_SRCB) {
        clear_src_columns(c, TENSIX_SRCB, 0, TENSIX_COLUMNS);
        reset_src_clients(s, TENSIX_SRCB);
    }
    if (bits & RESET_SRCA_CLIENT) {
        reset_src_clients(s, TENSIX_SRCA);
    }
    if (bits & RESET_TTSYNC) {
        tensix_ttsync_reset(s);
    }
    if (bits & RESET_ZEROACC) {
        memset(s->dst_row_valid, 1, sizeof(s->dst_row_valid));
    }
}

void tensix_soft_reset(TensixCore *c, uint32_t bits)
{
    uint32_t entering = bits & ~c->s.soft_reset;

    tensix_observe_compare(c, TENSIX_ALL_SPACES);
    soft_reset_data(c, entering);
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (entering & (RESET_T0 << t)) {
            tensix_thread_reset_frontend(c, t);
        }
    }
    c->s.soft_reset = bits & TENSIX_SOFT_RESET_UNITS;
    tensix_update_slow(c);
    tensix_record_current(c);
    c->signals.changed |= TENSIX_CHANGED_BANK | TENSIX_CHANGED_FIFO |
                  TENSIX_CHANGED_IDLE;
}

void tensix_set_debug_bus(TensixCore *c, uint32_t threads)
{
    c->s.debug_bus = threads;
    tensix_update_slow(c);
}
