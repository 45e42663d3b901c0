/*
 * "Why is it stuck": a graph of five harts and three Tensix threads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_WHY_H
#define TENSIX_WHY_H

#include "tensix_core.h"

enum {
    TENSIX_WHY_HARTS_BASE = 0,
    TENSIX_WHY_THREADS_BASE = TENSIX_HART_NONE,
    TENSIX_WHY_NODES = TENSIX_WHY_THREADS_BASE + TENSIX_THREADS,
};

typedef struct TensixWhyNode {
    bool present;                  /* the hart or thread may ever run */
    bool blocked;                  /* the hart or thread waits */
    bool idle;                     /* a thread with nothing to do */
    uint32_t helpers;              /* bit per node that could end the wait */
    char waits_for[240];           /* in words; "" if it does not wait */
} TensixWhyNode;

/* Fills everything but `present` for a thread's node. */
void tensix_why_thread(const TensixCore *c, uint32_t thread,
                       TensixWhyNode *node);

/* The overlay stream that a thread's STREAMWAIT waits for.  (wait_text.c) */
uint32_t tensix_why_stream(const TensixCore *c, uint32_t thread);

/* Is the node blocked, and can no other one end that, directly or not? */
bool tensix_why_unresolvable(const TensixWhyNode *node, uint32_t n);

/*
 * A cycle of blocked nodes, each waiting for the next, the last for the first:
 * writes at most TENSIX_WHY_NODES indices and returns how many, 0 if none.
 */
uint32_t tensix_why_cycle(const TensixWhyNode *node, uint32_t *cycle);

#endif
