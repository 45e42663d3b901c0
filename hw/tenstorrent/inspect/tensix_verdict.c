/*
 * The answer first: which wait holds the tile up, why it does not end, and in
 * a line each what every hart and thread does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/util.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_unfinished.h"
#include "tensix_query.h"
#include "tensix_verdict.h"

#define NONE TENSIX_NODE__MAX

/* The nodes of a graph by number, and the tile that it is of. */
typedef struct Graph {
    TensixSources *sources;
    const TensixNodeInfo *node[TENSIX_NODE__MAX];
    const TensixNodeList *cycle;
} Graph;

static Graph graph_of(TensixCopState *cop, const TensixWhy *why)
{
    Graph g = { .sources = tensix_cop_reporter(cop)->sources,
                .cycle = why->cycle };

    for (TensixNodeInfoList *at = why->nodes; at; at = at->next) {
        g.node[at->value->node] = at->value;
    }
    return g;
}

static bool is_thread(TensixNode n)
{
    return n >= TENSIX_NODE_THREAD0;
}

/* The hart of a thread. */
static TensixNode hart_of(TensixNode thread)
{
    return TENSIX_NODE_TRISC0 + (thread - TENSIX_NODE_THREAD0);
}

static bool waits(const Graph *g, TensixNode n)
{
    return g->node[n]->state == TENSIX_NODE_STATE_WAITING;
}

/* "TRISC1", "thread 1": to be freed */
static char *title(TensixNode n)
{
    return is_thread(n) ? g_strdup_printf("thread %u", n - TENSIX_NODE_THREAD0)
                        : g_ascii_strup(tensix_hart_names[n], -1);
}

/* --- places --- */

static char *origin_location(const Graph *g, const TensixOriginInfo *origin)
{
    return tensix_sources_short_location(g->sources, origin->hart, origin->pc);
}

/* Is it in the loop of runtime/crt0.S that follows main()? */
static bool has_returned(const Graph *g, TensixNode n)
{
    static const char loop[] = "hart_done";
    g_autoptr(GPtrArray) frames = tensix_sources_frames(g->sources, n,
                                                        g->node[n]->pc);
    const TensixFrame *frame = frames->len ? frames->pdata[0] : NULL;

    return frame && frame->function &&
           !strncmp(frame->function, loop, strlen(loop));
}

/* --- what a node does --- */

/* Where an instruction is held at the gate: the push of the wait before it. */
static const TensixInsnInfo *held_by(const TensixNodeInfo *node)
{
    return node->latched ?: node->instruction;
}

static char *wait_location(const Graph *g, TensixNode n)
{
    const TensixNodeInfo *node = g->node[n];

    if (is_thread(n)) {
        const TensixInsnInfo *insn = held_by(node);

        return insn ? tensix_sources_short_location(g->sources, insn->hart,
                                                    insn->pc)
                    : g_strdup("in its FIFO");
    }
    return tensix_sources_short_location(g->sources, n, node->pc);
}

static char *waiting_phrase(const Graph *g, TensixNode n)
{
    g_autofree char *place = wait_location(g, n);

    return g_strdup_printf("waits %s: %s", place, g->node[n]->wait->text);
}

/* "returned from main()", "in reset", "waits in ...: mail from brisc" */
static char *phrase(const Graph *g, TensixNode n)
{
    const TensixNodeInfo *node = g->node[n];
    g_autofree char *place = NULL;

    if (node->state == TENSIX_NODE_STATE_IDLE) {
        return g_strdup("idle");
    }
    if (waits(g, n)) {
        return waiting_phrase(g, n);
    }
    if (is_thread(n)) {
        return g_strdup("executes instructions");
    }
    if (!node->has_pc) {
        return g_strdup("in reset");
    }
    if (has_returned(g, n)) {
        return g_strdup("returned from main()");
    }
    place = tensix_sources_short_location(g->sources, n, node->pc);
    return node->wait
        ? g_strdup_printf("paused %s: %s", place, node->wait->text)
        : g_strdup_printf("running %s", place);
}

/* --- which wait holds the others up --- */

static TensixNode thread_of(const TensixOriginInfo *origin)
{
    return origin && origin->hart >= TENSIX_HART_NAME_TRISC0
        ? TENSIX_NODE_THREAD0 + (origin->hart - TENSIX_HART_NAME_TRISC0) : NONE;
}

/*
 * The semaphore that keeps SEMWAIT waiting, the first of them; NULL if none is
 * selected, as a state that was loaded may have it.
 */
static const TensixSemaphoreInfo *semaphore_of(const TensixWait *wait)
{
    return wait->semaphores ? wait->semaphores->value : NULL;
}

enum { WHILE_FULL = 2 };           /* of SEMWAIT's conditions */

static bool waits_while_full(const TensixWait *wait)
{
    return wait->conditions & WHILE_FULL;
}

/* The thread whose instructions end such a wait, or NONE. */
static TensixNode waker(const Graph *g, TensixNode n)
{
    const TensixWait *wait = g->node[n]->wait;
    const TensixSemaphoreInfo *sem = semaphore_of(wait);

    switch (wait->kind) {
    case TENSIX_WAIT_KIND_SRCA_MATRIX:
    case TENSIX_WAIT_KIND_SRCB_MATRIX:
        return TENSIX_NODE_THREAD0;
    case TENSIX_WAIT_KIND_SRCA_UNPACKERS:
    case TENSIX_WAIT_KIND_SRCB_UNPACKERS:
        return TENSIX_NODE_THREAD1;
    case TENSIX_WAIT_KIND_SEMWAIT:
        return !sem                     ? NONE
               : waits_while_full(wait) ? thread_of(sem->last_get)
                                        : thread_of(sem->last_post);
    default:
        return NONE;
    }
}

/* A hart's wait for its own thread, which has a line if it waits. */
static bool is_for_thread(const TensixWait *wait)
{
    return wait->kind == TENSIX_WAIT_KIND_COP_DONE ||
           wait->kind == TENSIX_WAIT_KIND_MOP_DONE ||
           wait->kind == TENSIX_WAIT_KIND_PUSH_FIFO ||
           wait->kind == TENSIX_WAIT_KIND_PCBUF_BARRIER;
}

/* What `next`, which could end the wait of n, waits for itself; else n. */
static TensixNode nearer_root(const Graph *g, TensixNode n, TensixNode next)
{
    TensixNode hart = next == NONE ? NONE : hart_of(next);

    if (next == NONE || waits(g, next)) {
        return next == NONE ? n : next;
    }
    return waits(g, hart) && !is_for_thread(g->node[hart]->wait) ? hart : n;
}

/*
 * From a thread that waits to the one that it waits for, as far as it goes: to
 * its hart, if it is the hart that waits.
 */
static TensixNode root_of(const Graph *g, TensixNode n)
{
    uint32_t seen = 0;

    while (is_thread(n) && !(seen & 1u << n)) {
        TensixNode next = nearer_root(g, n, waker(g, n));

        seen |= 1u << n;
        if (next == n || seen & 1u << next) {
            break;
        }
        n = next;
    }
    return n;
}

static TensixNode first_waiting(const Graph *g, TensixNode from, TensixNode end)
{
    for (TensixNode n = from; n < end; n++) {
        if (waits(g, n)) {
            return n;
        }
    }
    return NONE;
}

/* NONE if none waits. */
static TensixNode culprit(const Graph *g)
{
    TensixNode n = first_waiting(g, TENSIX_NODE_THREAD0, TENSIX_NODE__MAX);

    return n == NONE ? first_waiting(g, 0, TENSIX_NODE_THREAD0) : root_of(g, n);
}

/* --- why it does not end --- */

static void append_use(TensixSources *sources, GString *text, const char *what,
                       uint32_t count, const TensixOriginInfo *last)
{
    if (!count) {
        g_string_append_printf(text, "never %s", what);
    } else {
        g_string_append_printf(text, "%s %u time%s", what, count,
                               count == 1 ? "" : "s");
    }
    if (last) {
        g_autofree char *place = tensix_sources_short_location(
            sources, last->hart, last->pc);

        g_string_append_printf(text, " (last %s)", place);
    }
}

void tensix_verdict_uses(TensixSources *sources, GString *text,
                         const TensixSemaphoreInfo *sem)
{
    append_use(sources, text, "posted", sem->posts, sem->last_post);
    g_string_append(text, ", ");
    append_use(sources, text, "taken", sem->gets, sem->last_get);
}

static void append_init(const Graph *g, GString *text,
                        const TensixSemaphoreInfo *sem)
{
    if (sem->init) {
        g_autofree char *place = origin_location(g, sem->init);

        g_string_append_printf(text, ", set by SEMINIT %s", place);
    } else {
        g_string_append(text, ": no SEMINIT has set it");
    }
}

static void append_semaphore(const Graph *g, GString *text,
                             const TensixWait *wait)
{
    const TensixSemaphoreInfo *sem = semaphore_of(wait);

    if (!sem) {
        g_string_append(text, "no semaphore is selected");
        return;
    }
    if (waits_while_full(wait) && !sem->max) {
        g_string_append_printf(text, "%s has maximum 0", sem->name);
        append_init(g, text, sem);
        return;
    }
    g_string_append_printf(text, "%s is %u of %u: ", sem->name, sem->value,
                           sem->max);
    tensix_verdict_uses(g->sources, text, sem);
}

static void append_cycle(const Graph *g, GString *text)
{
    g_autofree char *first = title(g->cycle->value);

    g_string_append(text, "cycle: ");
    for (const TensixNodeList *at = g->cycle; at; at = at->next) {
        g_autofree char *name = title(at->value);

        g_string_append_printf(text, "%s -> ", name);
    }
    g_string_append(text, first);
}

/* What the one that would have to end it does, if that is known. */
static void append_waker(const Graph *g, GString *text, TensixNode thread)
{
    if (thread != NONE) {
        TensixNode hart = hart_of(thread);
        g_autofree char *name = title(hart), *does = phrase(g, hart);

        g_string_append_printf(text, ", and %s %s%s", name,
                               strcmp(does, "in reset") ? "" : "is ", does);
    }
}

/* The text is empty if nothing is known. */
static char *reason(const Graph *g, TensixNode n)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const TensixWait *wait = g->node[n]->wait;

    switch (wait->kind) {
    case TENSIX_WAIT_KIND_SEMWAIT:
        append_semaphore(g, text, wait);
        break;
    case TENSIX_WAIT_KIND_SRCA_MATRIX:
    case TENSIX_WAIT_KIND_SRCB_MATRIX:
        g_string_append(text, "no UNPACR with SetDatValid has given it the "
                        "bank");
        break;
    case TENSIX_WAIT_KIND_SRCA_UNPACKERS:
    case TENSIX_WAIT_KIND_SRCB_UNPACKERS:
        g_string_append(text, "no clear_dvalid of the Matrix Unit and no "
                        "SETRWC has given the bank back");
        break;
    default:
        if (g->cycle) {
            append_cycle(g, text);
        }
        return g_strdup(text->str);
    }
    append_waker(g, text, waker(g, n));
    return g_strdup(text->str);
}

/* --- the others --- */

/* "BRISC, TRISC0: returned from main(). NCRISC: in reset" */
static char *others(const Graph *g, TensixNode culprit)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char *does[TENSIX_NODE_THREAD0];
    uint32_t done = 1u << culprit;

    if (is_thread(culprit) && waits(g, hart_of(culprit))) {
        done |= 1u << hart_of(culprit);    /* mostly for its thread */
    }
    for (TensixNode n = 0; n < TENSIX_NODE_THREAD0; n++) {
        does[n] = waits(g, n) ? g_strdup_printf("waits for %s",
                                                g->node[n]->wait->text)
                              : phrase(g, n);
    }
    for (TensixNode n = 0; n < TENSIX_NODE_THREAD0; n++) {
        const char *between = text->len ? ". " : "";

        for (TensixNode m = n; !(done & 1u << n) && m < TENSIX_NODE_THREAD0;
             m++) {
            if (!(done & 1u << m) && !strcmp(does[n], does[m])) {
                g_autofree char *name = title(m);

                g_string_append_printf(text, "%s%s", between, name);
                between = ", ";
                done |= (m != n) << m;
            }
        }
        if (!(done & 1u << n)) {
            g_string_append_printf(text, ": %s", does[n]);
        }
    }
    for (TensixNode n = 0; n < TENSIX_NODE_THREAD0; n++) {
        g_free(does[n]);
    }
    return g_strdup(text->str);
}

/* "TRISC2", or "TRISC2 (thread 1)" if it pushed to another hart's thread */
static char *waiter(const Graph *g, TensixNode n)
{
    const TensixInsnInfo *insn = is_thread(n) ? held_by(g->node[n]) : NULL;
    g_autofree char *name = NULL;

    if (!insn) {
        return title(n);
    }
    name = g_ascii_strup(tensix_hart_names[insn->hart], -1);
    return thread_of(&(TensixOriginInfo) { .hart = insn->hart }) == n
        ? g_strdup(name)
        : g_strdup_printf("%s (thread %u)", name, n - TENSIX_NODE_THREAD0);
}

strList *tensix_verdict(TensixCopState *cop, const TensixWhy *why)
{
    Graph g = graph_of(cop, why);
    TensixNode n = culprit(&g);
    strList *list = NULL, **tail = &list;
    g_autofree char *name = NULL, *does = NULL, *cause = NULL;

    if (n == NONE) {
        return NULL;
    }
    name = waiter(&g, n);
    does = waiting_phrase(&g, n);
    cause = reason(&g, n);
    QAPI_LIST_APPEND(tail, g_strdup_printf("%s %s", name, does));
    if (*cause) {
        QAPI_LIST_APPEND(tail, g_strdup(cause));
    }
    QAPI_LIST_APPEND(tail, others(&g, n));
    return list;
}

void tensix_verdict_waits(TensixCopState *cop, TensixUnfinishedList ***tail)
{
    g_autoptr(TensixWhy) why = tensix_query_why(cop);
    Graph g = graph_of(cop, why);

    for (TensixNode n = 0; n < TENSIX_NODE__MAX; n++) {
        g_autofree char *name = NULL, *does = NULL;

        if (!waits(&g, n) || is_for_thread(g.node[n]->wait) ||
            g.node[n]->wait->kind == TENSIX_WAIT_KIND_PCBUF_EMPTY) {
            continue;
        }
        name = waiter(&g, n);
        does = waiting_phrase(&g, n);
        tensix_unfinished_add(tail, TENSIX_UNFINISHED_KIND_WAIT, "%s %s", name,
                              does);
    }
}

void tensix_verdict_table(TensixCopState *cop, const TensixWhy *why,
                          GString *text)
{
    Graph g = graph_of(cop, why);

    for (TensixNode n = 0; n < TENSIX_NODE__MAX; n++) {
        g_autofree char *does = phrase(&g, n), *name = title(n);

        g_string_append_printf(text, "  %-9s %s\n", name, does);
    }
}
