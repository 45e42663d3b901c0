/*
 * "Why is it stuck": the waits, and whether any of them can still end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "views/why.h"

#include <stdio.h>

#include "tensix_internal.h"

enum {
    BRISC = 1 << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_BRISC),
    NCRISC = 1 << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_NCRISC),
    TRISCS = 7 << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_TRISC0),
    THREADS = 7 << TENSIX_WHY_THREADS_BASE,
};

static uint32_t trisc_bit(uint32_t thread)
{
    return 1u << (TENSIX_WHY_HARTS_BASE + TENSIX_HART_TRISC0 + thread);
}

static uint32_t thread_bit(uint32_t thread)
{
    return 1u << (TENSIX_WHY_THREADS_BASE + thread);
}

/* The agents that can push to the thread. */
static uint32_t feeders(uint32_t thread)
{
    return BRISC | trisc_bit(thread);
}

/*
 * A semaphore or a bank can be changed by any thread's instruction and, with
 * it, by any hart that can push one; T harts also write semaphores directly.
 * NCRISC cannot, but it writes L1, registers and overlay streams.
 */
static uint32_t others(uint32_t thread)
{
    return (BRISC | TRISCS | THREADS) & ~thread_bit(thread);
}

static uint32_t mutex_helpers(const TensixCore *c, uint32_t mutex)
{
    uint32_t owner = mutex < TENSIX_MUTEXES ? c->s.mutex_owner[mutex] : 0;

    return owner ? thread_bit(owner - 1) | feeders(owner - 1) : 0;
}

static uint32_t gate_helpers(const TensixCore *c, uint32_t thread)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    switch (g->wait_reason) {
    case TENSIX_WAIT_MUTEX:
        return mutex_helpers(c, g->wait_detail);
    case TENSIX_WAIT_UNIT_RESET:
        return BRISC | NCRISC | TRISCS;
    case TENSIX_WAIT_L1:
    case TENSIX_WAIT_MMIO:
        return others(thread) | NCRISC;
    case TENSIX_WAIT_LATCHED:
        return others(thread) |
               (tensix_latch_of(g->opcode) == TENSIX_LATCH_STREAM ? NCRISC : 0);
    default:
        return others(thread);
    }
}

void tensix_why_thread(const TensixCore *c, uint32_t thread,
                       TensixWhyNode *node)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    if (tensix_thread_idle(c, thread)) {
        node->blocked = true;
        node->idle = true;
        node->helpers = feeders(thread);
        snprintf(node->waits_for, sizeof(node->waits_for), "an instruction");
        return;
    }
    node->blocked = g->pending.valid && g->wait_reason != TENSIX_WAIT_NONE;
    node->idle = false;
    node->helpers = node->blocked ? gate_helpers(c, thread) : 0;
    tensix_wait_text(c, thread, node->waits_for, sizeof(node->waits_for));
}

/* Grows the set of nodes that can continue, now or once another one has. */
static uint32_t alive_nodes(const TensixWhyNode *node)
{
    uint32_t alive = 0, before;

    do {
        before = alive;
        for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
            if (node[n].present &&
                (!node[n].blocked || (node[n].helpers & alive))) {
                alive |= 1u << n;
            }
        }
    } while (alive != before);
    return alive;
}

/* First present helper that cannot continue either, or TENSIX_WHY_NODES. */
static uint32_t dead_helper(const TensixWhyNode *node, uint32_t n,
                            uint32_t dead)
{
    uint32_t candidates = node[n].helpers & dead;

    for (uint32_t m = 0; m < TENSIX_WHY_NODES; m++) {
        if ((candidates & (1u << m)) && !node[m].idle) {
            return m;
        }
    }
    return TENSIX_WHY_NODES;
}

uint32_t tensix_why_cycle(const TensixWhyNode *node, uint32_t *cycle)
{
    uint32_t dead = ((1u << TENSIX_WHY_NODES) - 1) & ~alive_nodes(node);

    for (uint32_t start = 0; start < TENSIX_WHY_NODES; start++) {
        uint32_t n = start, length = 0, seen = 0;

        if (!node[start].present || node[start].idle ||
            !(dead & (1u << start))) {
            continue;
        }
        while (n < TENSIX_WHY_NODES && !(seen & (1u << n))) {
            seen |= 1u << n;
            cycle[length++] = n;
            n = dead_helper(node, n, dead);
        }
        if (n == start) {
            return length;
        }
    }
    return 0;
}

bool tensix_why_unresolvable(const TensixWhyNode *node, uint32_t n)
{
    return node[n].present && node[n].blocked && !node[n].idle &&
           !(alive_nodes(node) & (1u << n));
}
