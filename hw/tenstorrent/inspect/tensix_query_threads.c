/*
 * Front ends of the threads, and what SFPLOADMACRO has under way, as QAPI has
 * them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/util.h"
#include "tensix_query.h"
#include "../common/tensix_insn_info.h"

TensixInsnInfo *tensix_query_insn(TensixCopState *cop, const TensixInsn *insn)
{
    TensixRecorded recorded;

    if (!insn->valid) {
        return NULL;
    }
    recorded = tensix_recorded(tensix_cop_core(cop), insn);
    return tensix_insn_info(insn, &recorded);
}

static TensixInsnInfoList *fifo_info(const TensixFifo *fifo)
{
    TensixInsnInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < fifo->count; i++) {
        QAPI_LIST_APPEND(tail, tensix_insn_info(tensix_fifo_peek(fifo, i),
                                                NULL));
    }
    return list;
}

/* Only a random schedule has any. */
static TensixInsnInfoList *flight_info(TensixCopState *cop,
                                       const TensixFlight *flight)
{
    TensixInsnInfoList *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < flight->count; i++) {
        QAPI_LIST_APPEND(tail, tensix_query_insn(cop, &flight->insn[i]));
    }
    return list;
}

static TensixMopInfo *mop_info(const TensixMop *mop)
{
    TensixMopInfo *info = g_new0(TensixMopInfo, 1);

    QEMU_BUILD_BUG_ON((int)TENSIX_MOP_STATE_LOOP != TENSIX_MOP_LOOP);
    *info = (TensixMopInfo) {
        .state = mop->phase, .words = mop->emitted, .outer = mop->outer,
        .outer_count = mop->outer_count, .inner = mop->inner,
        .inner_count = mop->inner_count, .mask = mop->mask,
        .mask_hi = mop->mask_hi,
        .config = tensix_words_list(mop->cfg, TENSIX_MOP_CFG_WORDS),
        .instruction = mop->phase == TENSIX_MOP_IDLE
                       ? NULL : tensix_insn_info(&mop->insn, NULL),
    };
    return info;
}

static TensixReplayInfo *replay_info(const TensixReplay *replay)
{
    TensixReplayInfo *info = g_new0(TensixReplayInfo, 1);

    QEMU_BUILD_BUG_ON((int)TENSIX_REPLAY_STATE_PLAY != TENSIX_REPLAY_PLAY);
    *info = (TensixReplayInfo) {
        .state = replay->phase, .slot = replay->index, .left = replay->left,
        .buffer = tensix_words_list(replay->buffer, TENSIX_REPLAY_DEPTH),
        .instruction = replay->phase == TENSIX_REPLAY_IDLE
                       ? NULL : tensix_insn_info(&replay->insn, NULL),
    };
    return info;
}

static TensixGateInfo *gate_info(TensixCopState *cop, uint32_t thread)
{
    const TensixGate *gate = &tensix_cop_state(cop)->thread[thread].gate;
    TensixGateInfo *info = g_new0(TensixGateInfo, 1);

    info->instruction = tensix_query_insn(cop, &gate->pending);
    if (info->instruction) {
        info->wait = tensix_query_thread_wait(cop, thread);
    }
    info->latched = gate->opcode ? tensix_insn_info(&gate->latched, NULL) : NULL;
    info->blocked = gate->opcode ? gate->block_mask : 0;
    return info;
}

TensixThreadInfoList *tensix_query_threads(TensixCopState *cop)
{
    TensixThreadInfoList *list = NULL, **tail = &list;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        const TensixThread *thread = &tensix_cop_state(cop)->thread[t];
        TensixThreadInfo *info = g_new0(TensixThreadInfo, 1);

        info->thread = t;
        info->idle = tensix_thread_idle(tensix_cop_core(cop), t);
        info->fifo = fifo_info(&thread->fifo);
        info->brisc_fifo = fifo_info(&thread->post_fifo);
        info->mop = mop_info(&thread->mop);
        info->replay = replay_info(&thread->replay);
        info->gate = gate_info(cop, t);
        info->flight = flight_info(cop, &thread->flight);
        QAPI_LIST_APPEND(tail, info);
    }
    return list;
}

/* --- what SFPLOADMACRO has scheduled --- */

/* What the macro gave the template's instruction for its operands. */
static TensixScheduledInfo *scheduled_info(uint32_t unit, uint32_t delay,
                                           const TensixScheduled *s)
{
    TensixScheduledInfo *info = g_new0(TensixScheduledInfo, 1);
    bool is_store = unit == TENSIX_MACRO_UNIT_STORE;
    char text[TENSIX_DISAS_NAMED];

    QEMU_BUILD_BUG_ON((int)TENSIX_MACRO_UNIT__MAX != TENSIX_MACRO_UNITS);
    tensix_disas_named(text, sizeof(text), s->word);
    *info = (TensixScheduledInfo) {
        .unit = unit, .delay = delay, .word = s->word, .text = g_strdup(text),
        .lanes = s->lanes, .by_instruction = s->by_instruction, .vd = s->vd,
        .has_vb = !is_store, .vb = s->vb, .has_vc = !is_store, .vc = s->vc,
        .has_mod0 = is_store, .mod0 = s->mod0,
        .has_address = is_store, .address = s->address,
    };
    return info;
}

static TensixScheduledInfoList *all_scheduled(const TensixMacro *m)
{
    TensixScheduledInfoList *list = NULL, **tail = &list;

    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        for (uint32_t delay = 0; delay < TENSIX_MACRO_DELAYS; delay++) {
            if (m->slot[unit][delay].lanes) {
                QAPI_LIST_APPEND(tail, scheduled_info(unit, delay,
                                                      &m->slot[unit][delay]));
            }
        }
    }
    return list;
}

static TensixLateInfo *late_info(const TensixVectorLate *late)
{
    TensixLateInfo *info;

    if (!late->lanes) {
        return NULL;
    }
    info = g_new0(TensixLateInfo, 1);
    info->lanes = late->lanes;
    info->vd = tensix_words_list(late->vd, TENSIX_LANES);
    info->values = tensix_words_list(late->value, TENSIX_LANES);
    return info;
}

static TensixSwapInfo *swap_info(const TensixMacro *m)
{
    TensixSwapInfo *info;

    if (!m->swap_lanes) {
        return NULL;
    }
    info = g_new0(TensixSwapInfo, 1);
    info->lanes = m->swap_lanes;
    info->vc = m->swap_vc;
    info->vd = m->swap_vd;
    return info;
}

TensixMacroInfo *tensix_query_macro(TensixCopState *cop)
{
    const TensixMacro *m = &tensix_cop_state(cop)->macro;
    TensixMacroInfo *info = g_new0(TensixMacroInfo, 1);

    info->active = m->active;
    if (m->active) {
        info->instruction = tensix_insn_info(&m->insn, NULL);
        info->scheduled = all_scheduled(m);
        info->late = late_info(&m->late);
        info->swap = swap_info(m);
    }
    return info;
}
