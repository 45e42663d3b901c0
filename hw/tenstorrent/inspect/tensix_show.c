/*
 * Text of QAPI structures: waits, threads, SFPLOADMACRO, violations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_show.h"

/* --- instructions --- */

static TensixOrigin origin_of(const TensixOriginInfo *info)
{
    return (TensixOrigin) {
        .hart = info ? info->hart : TENSIX_HART_NONE,
        .pc = info ? info->pc : 0,
    };
}

/* "brisc pc 0x00020000, MOP word 3 from ..., REPLAY slot 7 from ..." */
static char *origin_text(const TensixInsnInfo *insn)
{
    TensixRecorded recorded = {
        .mop = origin_of(insn->mop_from),
        .replay = origin_of(insn->replay_from),
    };
    char expansion[TENSIX_EXPANSION_TEXT];

    tensix_expansion_text(expansion,
                          insn->has_mop_word ? insn->mop_word
                                             : TENSIX_NO_POSITION,
                          insn->has_replay_slot ? insn->replay_slot
                                                : TENSIX_NO_POSITION,
                          &recorded);
    return g_strdup_printf("%s pc 0x%08x%s", tensix_hart_names[insn->hart],
                           insn->pc, expansion);
}

static void emit_insn(TensixEmit *e, const char *name,
                      const TensixInsnInfo *insn)
{
    g_autofree char *origin = origin_text(insn);

    tensix_emit_string(e, name, "%s (%s)", insn->text, origin);
}

static void emit_insns(TensixEmit *e, const char *name,
                       const TensixInsnInfoList *list)
{
    uint32_t index = 0;
    char number[12];

    tensix_emit_open(e, "%s", name);
    for (; list; list = list->next) {
        snprintf(number, sizeof(number), "%u", index++);
        emit_insn(e, number, list->value);
    }
    tensix_emit_close(e);
}

/* latched: the wait instruction before it that holds it at the gate, or NULL */
static void emit_at_gate(TensixEmit *e, unsigned thread,
                         const TensixInsnInfo *insn,
                         const TensixInsnInfo *latched)
{
    g_autofree char *origin = NULL;

    if (!insn) {
        return;
    }
    origin = origin_text(insn);
    tensix_emit_open(e, "thread %u at its gate", thread);
    tensix_emit_string(e, "instruction", "%s", insn->text);
    tensix_emit_string(e, "pushed by", "%s", origin);
    if (latched) {
        tensix_emit_string(e, "held by", "%s, pushed by %s pc 0x%08x",
                           latched->text, tensix_hart_names[latched->hart],
                           latched->pc);
    }
    tensix_emit_close(e);
}

/* --- what SFPLOADMACRO has scheduled --- */

static void emit_scheduled(TensixEmit *e, const TensixScheduledInfo *s)
{
    g_autofree char *name = g_strdup_printf(
        "%s, delay %u", TensixMacroUnit_str(s->unit), s->delay);
    const char *counts = s->by_instruction ? ", counts instructions" : "";

    if (s->has_address) {
        tensix_emit_string(e, name, "%s (VD %u, Mod0 %u, address %u, lanes "
                           "0x%08x)%s", s->text, s->vd, s->mod0, s->address,
                           s->lanes, counts);
    } else {
        tensix_emit_string(e, name, "%s (VB %u, VC %u, VD %u, lanes 0x%08x)%s",
                           s->text, s->vb, s->vc, s->vd, s->lanes, counts);
    }
}

static void emit_late(TensixEmit *e, const TensixLateInfo *late)
{
    tensix_emit_open(e, "mad, results that come next");
    tensix_emit_hex(e, "lanes", late->lanes);
    tensix_show_words(e, "VD", late->vd, 2);
    tensix_show_words(e, "values", late->values, 8);
    tensix_emit_close(e);
}

/* Seldom is anything under way: else one need not read about it. */
static void emit_macro(TensixEmit *e, const TensixMacroInfo *macro)
{
    const TensixInsnInfo *last = macro->instruction;

    if (!macro->active) {
        return;
    }
    tensix_emit_open(e, "scheduled by SFPLOADMACRO");
    tensix_emit_string(e, "last one from", "thread %u (%s pc 0x%08x)",
                       last->thread, tensix_hart_names[last->hart], last->pc);
    for (TensixScheduledInfoList *at = macro->scheduled; at; at = at->next) {
        emit_scheduled(e, at->value);
    }
    if (macro->late) {
        emit_late(e, macro->late);
    }
    if (macro->swap) {
        tensix_emit_string(e, "second half of SFPSWAP",
                           "VC %u, VD %u, lanes 0x%08x", macro->swap->vc,
                           macro->swap->vd, macro->swap->lanes);
    }
    tensix_emit_close(e);
}

void tensix_show_macro(TensixEmit *e, const TensixMacroInfo *macro)
{
    emit_macro(e, macro);
    if (!macro->active) {
        tensix_emit_string(e, "scheduled by SFPLOADMACRO", "nothing");
    }
}

/* --- waiters and their wakers --- */

static const char *node_name(TensixNode n)
{
    static const char *const threads[] = { "thread 0", "thread 1", "thread 2" };

    return n < TENSIX_NODE_THREAD0 ? TensixNode_str(n)
                                   : threads[n - TENSIX_NODE_THREAD0];
}

static void append_nodes(GString *text, const TensixNodeList *nodes,
                         const char *between)
{
    for (; nodes; nodes = nodes->next) {
        g_string_append_printf(text, "%s%s", node_name(nodes->value),
                               nodes->next ? between : "");
    }
}

static void emit_node(TensixEmit *e, const TensixNodeInfo *node)
{
    g_autoptr(GString) helpers = g_string_new(NULL);

    tensix_emit_open(e, "%s", node_name(node->node));
    tensix_emit_string(e, "state", "%s", TensixNodeState_str(node->state));
    if (node->wait) {
        tensix_emit_string(e, "waits for", "%s", node->wait->text);
    }
    if (node->state == TENSIX_NODE_STATE_WAITING && node->wait) {
        append_nodes(helpers, node->wait->helpers, ", ");
    }
    if (helpers->len) {
        tensix_emit_string(e, "could be ended by", "%s", helpers->str);
    }
    if (node->unresolvable) {
        tensix_emit_string(e, "verdict", "no possible waker can run");
    }
    if (node->has_pc) {
        tensix_emit_string(e, "at", "%s pc 0x%08x", node_name(node->node),
                           node->pc);
    }
    tensix_emit_close(e);
}

void tensix_show_why(TensixEmit *e, const TensixWhy *why)
{
    g_autoptr(GString) cycle = g_string_new(NULL);

    for (TensixNodeInfoList *at = why->nodes; at; at = at->next) {
        emit_node(e, at->value);
    }
    for (TensixNodeInfoList *at = why->nodes; at; at = at->next) {
        emit_at_gate(e, at->value->node - TENSIX_NODE_THREAD0,
                     at->value->instruction, at->value->latched);
    }
    emit_macro(e, why->macro);
    append_nodes(cycle, why->cycle, " -> ");
    if (why->cycle) {
        g_string_append_printf(cycle, " -> %s", node_name(why->cycle->value));
    }
    tensix_emit_string(e, "cycle", "%s", cycle->len ? cycle->str : "none");
}

void tensix_show_harts(TensixEmit *e, const TensixHartInfoList *harts)
{
    for (; harts; harts = harts->next) {
        const TensixHartInfo *hart = harts->value;

        tensix_emit_open(e, "%s", tensix_hart_names[hart->hart]);
        tensix_emit_string(e, "state", "%s", TensixHartState_str(hart->state));
        tensix_emit_string(e, "pc", "0x%08x", hart->pc);
        if (hart->wait) {
            tensix_emit_string(e, "waits for", "%s", hart->wait->text);
        }
        tensix_emit_close(e);
    }
}

/* --- queues --- */

static void emit_fifo(TensixEmit *e, const char *name,
                      const TensixInsnInfoList *list)
{
    g_autofree char *title = NULL;
    unsigned words = 0;

    for (const TensixInsnInfoList *at = list; at; at = at->next) {
        words++;
    }
    title = g_strdup_printf("%s: %u words", name, words);
    emit_insns(e, title, list);
}

static void emit_expanders(TensixEmit *e, const TensixThreadInfo *thread)
{
    static const char *const replay_states[] = {
        "idle", "loading", "loading and executing", "playing",
    };
    const TensixReplayInfo *replay = thread->replay;

    if (thread->mop->state == TENSIX_MOP_STATE_IDLE) {
        tensix_emit_string(e, "MOP", "idle");
    } else {
        tensix_emit_string(e, "MOP", "expanding, %u words so far",
                           thread->mop->words);
    }
    tensix_emit_string(e, "REPLAY", "%s, slot %u, %u left",
                       replay_states[replay->state], replay->slot,
                       replay->left);
}

void tensix_show_threads(TensixEmit *e, const TensixThreadInfoList *threads)
{
    for (; threads; threads = threads->next) {
        const TensixThreadInfo *thread = threads->value;

        tensix_emit_open(e, "thread %u", thread->thread);
        emit_fifo(e, "FIFO", thread->fifo);
        emit_fifo(e, "FIFO behind the MOP expander", thread->brisc_fifo);
        emit_expanders(e, thread);
        if (thread->flight) {
            emit_insns(e, "past the gate, executing", thread->flight);
        }
        tensix_emit_close(e);
        emit_at_gate(e, thread->thread, thread->gate->instruction,
                     thread->gate->latched);
    }
}

/* --- violations --- */

static void emit_site(TensixEmit *e, const TensixViolationSite *site)
{
    g_autofree char *name = g_strdup_printf("%" PRIu64 " times", site->count);
    g_autofree char *origin = NULL;

    if (site->instruction) {
        origin = origin_text(site->instruction);
        tensix_emit_string(e, name, "%s: %s, thread %u, %s: %s",
                           TensixViolationCategory_str(site->category),
                           origin, site->instruction->thread,
                           site->instruction->text, site->text);
    } else {
        tensix_emit_string(e, name, "%s: %s pc 0x%08x: %s",
                           TensixViolationCategory_str(site->category),
                           tensix_hart_names[site->hart], site->pc, site->text);
    }
}

void tensix_show_violations(TensixEmit *e, const TensixViolations *violations)
{
    tensix_emit_uint(e, "violations", violations->total);
    for (TensixViolationSiteList *at = violations->sites; at; at = at->next) {
        emit_site(e, at->value);
    }
    if (violations->elsewhere) {
        tensix_emit_uint(e, "at other sites", violations->elsewhere);
    }
}
