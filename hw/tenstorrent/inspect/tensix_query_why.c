/*
 * Waiters and their possible wakers, as QAPI structures.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/util.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "tensix_query.h"
#include "tensix_verdict.h"
#include "hw/tenstorrent/core/decode/words.h"
#include "../common/tensix_insn_info.h"

static uint32_t hart_bit(uint32_t hart)
{
    return 1u << (TENSIX_WHY_HARTS_BASE + hart);
}

static uint32_t thread_bit(uint32_t thread)
{
    return 1u << (TENSIX_WHY_THREADS_BASE + thread);
}

static TensixNodeList *nodes_of(uint32_t mask)
{
    TensixNodeList *list = NULL, **tail = &list;

    QEMU_BUILD_BUG_ON((int)TENSIX_NODE_THREAD0 != TENSIX_WHY_THREADS_BASE);
    QEMU_BUILD_BUG_ON((int)TENSIX_NODE__MAX != TENSIX_WHY_NODES);
    for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
        if (mask >> n & 1) {
            QAPI_LIST_APPEND(tail, (TensixNode)n);
        }
    }
    return list;
}

/* --- what a hart waits for --- */

/* Which member of TensixWait the detail of a stall is. */
typedef enum Detail {
    DETAIL_THREAD,
    DETAIL_MAILBOX,
    DETAIL_RESOURCES,
} Detail;

/* By TensixStall: the words round the detail. */
static const struct StallText {
    TensixWaitKind kind;
    Detail detail;
    const char *before, *after;
} stall_texts[] = {
    [TENSIX_STALL_PUSH_FIFO] = { TENSIX_WAIT_KIND_PUSH_FIFO, DETAIL_THREAD,
                                 "room in the FIFO of thread ", "" },
    [TENSIX_STALL_PCBUF_FULL] = { TENSIX_WAIT_KIND_PCBUF_FULL, DETAIL_THREAD,
                                  "room in PCBuf ", "" },
    [TENSIX_STALL_PCBUF_EMPTY] = { TENSIX_WAIT_KIND_PCBUF_EMPTY, DETAIL_THREAD,
                                   "a word in PCBuf ", "" },
    [TENSIX_STALL_PCBUF_BARRIER] = { TENSIX_WAIT_KIND_PCBUF_BARRIER,
                                     DETAIL_THREAD, "PCBuf ",
                                     " drained and its thread done" },
    [TENSIX_STALL_COP_DONE] = { TENSIX_WAIT_KIND_COP_DONE, DETAIL_THREAD,
                                "thread ", " to finish" },
    [TENSIX_STALL_MOP_DONE] = { TENSIX_WAIT_KIND_MOP_DONE, DETAIL_THREAD,
                                "the MOP expander of thread ", "" },
    [TENSIX_STALL_MAILBOX_FULL] = { TENSIX_WAIT_KIND_MAILBOX_FULL,
                                    DETAIL_MAILBOX, "room in the mailbox to ",
                                    "" },
    [TENSIX_STALL_MAILBOX_EMPTY] = { TENSIX_WAIT_KIND_MAILBOX_EMPTY,
                                     DETAIL_MAILBOX, "mail from ", "" },
    [TENSIX_STALL_TTSYNC] = { TENSIX_WAIT_KIND_TTSYNC, DETAIL_RESOURCES,
                              "Auto TTSync, resource mask ", "" },
};

/* Mailboxes count harts B, T0, T1, T2 (WH Mailboxes.md). */
static TensixHartIndex mailbox_user(uint32_t index)
{
    static const TensixHartIndex harts[] = {
        TENSIX_HART_BRISC, TENSIX_HART_TRISC0, TENSIX_HART_TRISC1,
        TENSIX_HART_TRISC2,
    };

    return harts[index % ARRAY_SIZE(harts)];
}

/* The budget is the writer's: a reader of any of its words frees a part. */
static uint32_t mailbox_readers_of(uint32_t detail)
{
    uint32_t mask = detail >> TENSIX_STALL_READERS_LOW, nodes = 0;

    for (uint32_t index = 0; mask >> index; index++) {
        if (mask >> index & 1) {
            nodes |= hart_bit(mailbox_user(index));
        }
    }
    return nodes;
}

/* The nodes that can end the hart's stall. */
static uint32_t stall_helpers(const TensixHart *hart)
{
    uint32_t index = tensix_hart_stall_detail(hart) % TENSIX_THREADS;
    uint32_t trisc = hart_bit(TENSIX_HART_TRISC0 + index);

    switch (tensix_hart_stall_cause(hart)) {
    case TENSIX_STALL_PCBUF_FULL:
        return trisc;
    case TENSIX_STALL_PCBUF_EMPTY:
        return hart_bit(TENSIX_HART_BRISC);
    case TENSIX_STALL_PCBUF_BARRIER:
        return trisc | thread_bit(index);
    case TENSIX_STALL_MAILBOX_FULL:
        return mailbox_readers_of(tensix_hart_stall_detail(hart));
    case TENSIX_STALL_MAILBOX_EMPTY:
        return hart_bit(mailbox_user(tensix_hart_stall_detail(hart)));
    case TENSIX_STALL_TTSYNC:
        return thread_bit(tensix_hart_thread(hart));
    default:
        return thread_bit(index);
    }
}

static bool is_stalled(const TensixHart *hart)
{
    return tensix_hart_stall_cause(hart) != TENSIX_STALL_NONE &&
           tensix_hart_stall_cause(hart) < TENSIX_STALL_CAUSES;
}

/* What a stalled hart waits for. */
static TensixWait *stall_wait(const TensixHart *hart)
{
    const struct StallText *text = &stall_texts[tensix_hart_stall_cause(hart)];
    TensixWait *wait = g_new0(TensixWait, 1);
    uint32_t detail = tensix_hart_stall_detail(hart);

    QEMU_BUILD_BUG_ON(ARRAY_SIZE(stall_texts) != TENSIX_STALL_CAUSES);
    wait->kind = text->kind;
    wait->helpers = nodes_of(stall_helpers(hart));
    switch (text->detail) {
    case DETAIL_THREAD:
        wait->has_thread = true;
        wait->thread = detail;
        break;
    case DETAIL_MAILBOX:
        wait->has_hart = true;
        wait->hart = mailbox_user(detail);
        break;
    case DETAIL_RESOURCES:
        wait->has_resources = true;
        wait->resources = detail;
        break;
    }
    wait->text = wait->has_hart
        ? g_strconcat(text->before, tensix_hart_name(wait->hart), NULL)
        : g_strdup_printf("%s%u%s", text->before, detail, text->after);
    return wait;
}

/* NULL if the hart may continue. */
static TensixWait *hart_wait(const TensixHart *hart)
{
    TensixWait *wait;
    char holder[64];

    if (!tensix_hart_is_held(hart) && !tensix_hart_is_paused(hart)) {
        return is_stalled(hart) ? stall_wait(hart) : NULL;
    }
    wait = g_new0(TensixWait, 1);
    if (tensix_hart_is_held(hart)) {
        wait->kind = TENSIX_WAIT_KIND_RESET;
        wait->text = g_strdup("release from reset");
    } else {
        tensix_hart_debug_holder(hart, holder, sizeof(holder));
        wait->kind = TENSIX_WAIT_KIND_PAUSE;
        wait->text = g_strdup_printf("%s at 0x%08x", holder,
                                     tensix_hart_paused_pc(hart));
    }
    return wait;
}

static void hart_node(const TensixHart *hart, TensixWhyNode *node)
{
    node->present = !tensix_hart_is_held(hart) && !tensix_hart_is_paused(hart);
    node->blocked = tensix_hart_stall_cause(hart) != TENSIX_STALL_NONE;
    node->helpers = node->present && is_stalled(hart) ? stall_helpers(hart) : 0;
}

void tensix_query_graph(TensixCopState *cop, TensixWhyNode *nodes)
{
    for (uint32_t i = 0; i < TENSIX_NUM_HARTS; i++) {
        hart_node(tensix_cop_hart(cop, i), &nodes[TENSIX_WHY_HARTS_BASE + i]);
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        nodes[TENSIX_WHY_THREADS_BASE + t].present = true;
        tensix_why_thread(tensix_cop_core(cop), t,
                          &nodes[TENSIX_WHY_THREADS_BASE + t]);
    }
}

/* --- what a thread waits for --- */

/* By TensixWaitReason; a latched wait is one of three. */
static const TensixWaitKind wait_kinds[TENSIX_WAIT_REASONS] = {
    [TENSIX_WAIT_MUTEX] = TENSIX_WAIT_KIND_MUTEX,
    [TENSIX_WAIT_SRCA_MATRIX] = TENSIX_WAIT_KIND_SRCA_MATRIX,
    [TENSIX_WAIT_SRCB_MATRIX] = TENSIX_WAIT_KIND_SRCB_MATRIX,
    [TENSIX_WAIT_SRCA_UNPACK] = TENSIX_WAIT_KIND_SRCA_UNPACKERS,
    [TENSIX_WAIT_SRCB_UNPACK] = TENSIX_WAIT_KIND_SRCB_UNPACKERS,
    [TENSIX_WAIT_UNIT_RESET] = TENSIX_WAIT_KIND_UNIT_RESET,
    [TENSIX_WAIT_UNIT_BUSY] = TENSIX_WAIT_KIND_UNIT_BUSY,
    [TENSIX_WAIT_L1] = TENSIX_WAIT_KIND_L1,
    [TENSIX_WAIT_MMIO] = TENSIX_WAIT_KIND_MMIO,
    [TENSIX_WAIT_OBSERVER] = TENSIX_WAIT_KIND_OBSERVER,
};

static TensixSemaphoreInfoList *semaphores_of(TensixCopState *cop,
                                              uint32_t mask)
{
    TensixSemaphoreInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < TENSIX_SEMAPHORES; i++) {
        if (mask >> i & 1) {
            QAPI_LIST_APPEND(tail, tensix_query_semaphore(cop, i));
        }
    }
    return list;
}

/* STALLWAIT, SEMWAIT and STREAMWAIT hold the instruction at the gate. */
static void latched_wait(TensixCopState *cop, uint32_t thread,
                         TensixWait *wait)
{
    const TensixGate *g = &tensix_cop_state(cop)->thread[thread].gate;
    TensixLatch latch = tensix_latch_of(g->opcode);

    if (latch == TENSIX_LATCH_STREAM) {
        wait->kind = TENSIX_WAIT_KIND_STREAMWAIT;
        wait->has_stream = true;
        wait->stream = tensix_why_stream(tensix_cop_core(cop), thread);
        wait->has_target = true;
        wait->target = g->target;
        return;
    }
    wait->has_conditions = true;
    wait->conditions = g->condition_mask;
    wait->kind = TENSIX_WAIT_KIND_STALLWAIT;
    if (latch == TENSIX_LATCH_SEMAPHORES) {
        wait->kind = TENSIX_WAIT_KIND_SEMWAIT;
        wait->has_semaphores = true;
        wait->semaphores = semaphores_of(cop, g->semaphore_mask);
    }
}

static void gate_wait(TensixCopState *cop, uint32_t thread, TensixWait *wait)
{
    const TensixGate *g = &tensix_cop_state(cop)->thread[thread].gate;

    if (g->wait_reason == TENSIX_WAIT_LATCHED) {
        latched_wait(cop, thread, wait);
        return;
    }
    wait->kind = wait_kinds[g->wait_reason];
    wait->has_mutex = g->wait_reason == TENSIX_WAIT_MUTEX;
    wait->mutex = wait->has_mutex ? g->wait_detail : 0;
    wait->has_address = g->wait_reason == TENSIX_WAIT_L1 ||
                        g->wait_reason == TENSIX_WAIT_MMIO;
    wait->address = wait->has_address ? g->wait_detail : 0;
}

TensixWait *tensix_query_thread_wait(TensixCopState *cop, uint32_t thread)
{
    TensixWhyNode node = { };
    TensixWait *wait;

    tensix_why_thread(tensix_cop_core(cop), thread, &node);
    if (!node.blocked) {
        return NULL;
    }
    wait = g_new0(TensixWait, 1);
    wait->text = g_strdup(node.waits_for);
    wait->helpers = nodes_of(node.helpers);
    if (node.idle) {
        wait->kind = TENSIX_WAIT_KIND_INSTRUCTION;
    } else {
        gate_wait(cop, thread, wait);
    }
    return wait;
}

/* --- all of them --- */

static TensixNodeState state_of(const TensixWhyNode *node)
{
    return node->idle      ? TENSIX_NODE_STATE_IDLE
           : !node->present ? TENSIX_NODE_STATE_STOPPED
           : node->blocked ? TENSIX_NODE_STATE_WAITING
                           : TENSIX_NODE_STATE_RUNNING;
}

/* Of one that runs: where it last left translated code. */
static uint32_t hart_pc(TensixHart *hart)
{
    return tensix_hart_is_paused(hart) ? tensix_hart_paused_pc(hart)
                                       : tensix_hart_pc(hart, 0);
}

static TensixNodeInfo *node_info(TensixCopState *cop,
                                 const TensixWhyNode *nodes, uint32_t n)
{
    TensixNodeInfo *info = g_new0(TensixNodeInfo, 1);
    uint32_t thread = n - TENSIX_WHY_THREADS_BASE;
    const TensixGate *gate;

    info->node = n;
    info->state = state_of(&nodes[n]);
    info->unresolvable = tensix_why_unresolvable(nodes, n);
    if (n < TENSIX_WHY_THREADS_BASE) {
        TensixHart *hart = tensix_cop_hart(cop, n - TENSIX_WHY_HARTS_BASE);

        info->wait = hart_wait(hart);
        info->has_pc = !tensix_hart_is_held(hart);
        info->pc = info->has_pc ? hart_pc(hart) : 0;
        return info;
    }
    info->wait = tensix_query_thread_wait(cop, thread);
    gate = &tensix_cop_state(cop)->thread[thread].gate;
    info->instruction = tensix_query_insn(cop, &gate->pending);
    if (info->instruction && gate->opcode) {
        info->latched = tensix_insn_info(&gate->latched, NULL);
    }
    return info;
}

static TensixNodeList *cycle_of(const TensixWhyNode *nodes)
{
    uint32_t cycle[TENSIX_WHY_NODES];
    uint32_t length = tensix_why_cycle(nodes, cycle);
    TensixNodeList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < length; i++) {
        QAPI_LIST_APPEND(tail, (TensixNode)cycle[i]);
    }
    return list;
}

TensixWhy *tensix_query_why(TensixCopState *cop)
{
    TensixWhyNode nodes[TENSIX_WHY_NODES] = { };
    TensixWhy *why = g_new0(TensixWhy, 1);
    TensixNodeInfoList **tail = &why->nodes;

    tensix_query_graph(cop, nodes);
    for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
        QAPI_LIST_APPEND(tail, node_info(cop, nodes, n));
    }
    why->cycle = cycle_of(nodes);
    why->macro = tensix_query_macro(cop);
    why->summary = tensix_verdict(cop, why);
    return why;
}

static TensixHartState hart_state(const TensixHart *hart)
{
    return tensix_hart_is_held(hart)                 ? TENSIX_HART_STATE_RESET
           : tensix_hart_is_paused(hart)             ? TENSIX_HART_STATE_PAUSED
           : is_stalled(hart)         ? TENSIX_HART_STATE_WAITING
           : tensix_hart_spins(hart)  ? TENSIX_HART_STATE_SPINNING
                                      : TENSIX_HART_STATE_RUNNING;
}

TensixHartInfoList *tensix_query_harts(TensixCopState *cop)
{
    TensixHartInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = tensix_cop_hart(cop, i);
        TensixHartInfo *info = g_new0(TensixHartInfo, 1);

        info->hart = i;
        info->state = hart_state(hart);
        info->pc = hart_pc(hart);
        info->wait = hart_wait(hart);
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}
