/*
 * Inspection of the tile: `info tensix`, and the same data by QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + monitor: info tensix [TOPIC [ROW [COUNT]] [FORMAT] [bank N]]
 *  + QOM: read-only property TOPIC of the coprocessor, for qom-get
 *
 * Reading disturbs nothing: no hart, no counter, no queue.
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "monitor/hmp.h"
#include "monitor/monitor.h"
#include "tensix_inspect.h"

/* --- what SFPLOADMACRO has scheduled --- */

/* As the bytes of a Sequence are ordered (BH SFPLOADMACRO.md). */
enum { MACRO_STORE = 3 };
static const char *const macro_units[] = { "simple", "mad", "round", "store" };

/* The template's text, then what the macro gave it for its operands. */
static void emit_scheduled(TensixEmit *e, uint32_t unit, uint32_t delay,
                           const TensixScheduled *s)
{
    char text[96], given[48], name[24];

    QEMU_BUILD_BUG_ON(ARRAY_SIZE(macro_units) != TENSIX_MACRO_UNITS);
    tensix_disas(text, sizeof(text), s->word);
    if (unit == MACRO_STORE) {
        snprintf(given, sizeof(given), "VD %u, Mod0 %u, address %u", s->vd,
                 s->mod0, s->address);
    } else {
        snprintf(given, sizeof(given), "VB %u, VC %u, VD %u", s->vb, s->vc,
                 s->vd);
    }
    snprintf(name, sizeof(name), "%s, delay %u", macro_units[unit], delay);
    tensix_emit_string(e, name, "%s (%s, lanes 0x%08x)%s", text, given,
                       s->lanes,
                       s->by_instruction ? ", counts instructions" : "");
}

static void emit_late(TensixEmit *e, const TensixVectorLate *late)
{
    if (!late->lanes) {
        return;
    }
    tensix_emit_open(e, "mad, results that come next");
    tensix_emit_hex(e, "lanes", late->lanes);
    tensix_emit_raw_row(e, "VD", late->vd, TENSIX_LANES, 2);
    tensix_emit_raw_row(e, "values", late->value, TENSIX_LANES, 8);
    tensix_emit_close(e);
}

/* Seldom is anything under way: else one need not read about it. */
static void emit_macro(TensixEmit *e, const TensixMacro *m)
{
    if (!m->active) {
        return;
    }
    tensix_emit_open(e, "scheduled by SFPLOADMACRO");
    tensix_emit_string(e, "last one from", "thread %u (%s pc 0x%08x)",
                       m->insn.thread, tensix_hart_names[m->insn.origin.hart],
                       m->insn.origin.pc);
    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        for (uint32_t delay = 0; delay < TENSIX_MACRO_DELAYS; delay++) {
            if (m->slot[unit][delay].lanes) {
                emit_scheduled(e, unit, delay, &m->slot[unit][delay]);
            }
        }
    }
    emit_late(e, &m->late);
    if (m->swap_lanes) {
        tensix_emit_string(e, "second half of SFPSWAP",
                           "VC %u, VD %u, lanes 0x%08x", m->swap_vc,
                           m->swap_vd, m->swap_lanes);
    }
    tensix_emit_close(e);
}

static void show_macro(TensixEmit *e, TensixCopState *cop,
                       const TensixInspectArgs *args)
{
    emit_macro(e, &cop->state->macro);
    if (!cop->state->macro.active) {
        tensix_emit_string(e, "scheduled by SFPLOADMACRO", "nothing");
    }
}

/* --- who waits for what --- */

static const char *node_name(uint32_t n)
{
    static const char *const threads[] = { "thread 0", "thread 1", "thread 2" };

    return n < TENSIX_WHY_THREADS_BASE ? tensix_hart_name(n)
                                       : threads[n - TENSIX_WHY_THREADS_BASE];
}

static uint32_t hart_bit(uint32_t hart)
{
    return 1u << (TENSIX_WHY_HARTS_BASE + hart);
}

/* Mailboxes count harts B, T0, T1, T2 (WH Mailboxes.md). */
static TensixHartIndex mailbox_user(uint32_t index)
{
    static const TensixHartIndex harts[] = {
        TENSIX_HART_BRISC, TENSIX_HART_TRISC0, TENSIX_HART_TRISC1,
        TENSIX_HART_TRISC2,
    };

    return harts[index % ARRAY_SIZE(harts)];
}

/* What a stalled hart waits for: the words round the stall's detail. */
static void stall_text(const TensixHart *hart, char *buf, size_t size)
{
    static const struct { const char *before, *after; } texts[] = {
        [TENSIX_STALL_PUSH_FIFO] = { "room in the FIFO of thread ", "" },
        [TENSIX_STALL_PCBUF_FULL] = { "room in PCBuf ", "" },
        [TENSIX_STALL_PCBUF_EMPTY] = { "a word in PCBuf ", "" },
        [TENSIX_STALL_PCBUF_BARRIER] = { "PCBuf ",
                                         " drained and its thread done" },
        [TENSIX_STALL_COP_DONE] = { "thread ", " to finish" },
        [TENSIX_STALL_MOP_DONE] = { "the MOP expander of thread ", "" },
        [TENSIX_STALL_MAILBOX_FULL] = { "room in the mailbox to ", "" },
        [TENSIX_STALL_MAILBOX_EMPTY] = { "mail from ", "" },
        [TENSIX_STALL_TTSYNC] = { "Auto TTSync, resource mask ", "" },
    };
    uint32_t detail = hart->stall_detail;
    bool is_mailbox = hart->stall == TENSIX_STALL_MAILBOX_FULL ||
                      hart->stall == TENSIX_STALL_MAILBOX_EMPTY;

    QEMU_BUILD_BUG_ON(ARRAY_SIZE(texts) != TENSIX_STALL_CAUSES);
    if (is_mailbox) {
        snprintf(buf, size, "%s%s", texts[hart->stall].before,
                 tensix_hart_name(mailbox_user(detail)));
    } else {
        snprintf(buf, size, "%s%u%s", texts[hart->stall].before, detail,
                 texts[hart->stall].after);
    }
}

/* The budget is the writer's: who reads any word of it makes room. */
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
    uint32_t index = hart->stall_detail % TENSIX_THREADS;
    uint32_t thread = 1u << (TENSIX_WHY_THREADS_BASE + index);
    uint32_t trisc = hart_bit(TENSIX_HART_TRISC0 + index);

    switch (hart->stall) {
    case TENSIX_STALL_PCBUF_FULL:
        return trisc;
    case TENSIX_STALL_PCBUF_EMPTY:
        return hart_bit(TENSIX_HART_BRISC);
    case TENSIX_STALL_PCBUF_BARRIER:
        return trisc | thread;
    case TENSIX_STALL_MAILBOX_FULL:
        return mailbox_readers_of(hart->stall_detail);
    case TENSIX_STALL_MAILBOX_EMPTY:
        return hart_bit(mailbox_user(hart->stall_detail));
    case TENSIX_STALL_TTSYNC:
        return 1u << (TENSIX_WHY_THREADS_BASE + tensix_hart_thread(hart));
    default:
        return thread;
    }
}

static void hart_node(const TensixHart *hart, TensixWhyNode *node)
{
    char holder[64];

    node->present = !hart->held && !hart->paused;
    node->blocked = hart->stall != TENSIX_STALL_NONE;
    if (hart->held) {
        snprintf(node->waits_for, sizeof(node->waits_for),
                 "release from reset");
    } else if (hart->paused) {
        tensix_hart_debug_holder(hart, holder, sizeof(holder));
        snprintf(node->waits_for, sizeof(node->waits_for), "%s at 0x%08x",
                 holder, hart->paused_pc);
    } else if (node->blocked && hart->stall < TENSIX_STALL_CAUSES) {
        stall_text(hart, node->waits_for, sizeof(node->waits_for));
        node->helpers = stall_helpers(hart);
    }
}

/* Where a hart is; one that runs: where it last left translated code. */
static void emit_pc(TensixEmit *e, TensixHart *hart)
{
    if (!hart->held) {
        tensix_emit_string(e, "at", "%s pc 0x%08x", tensix_hart_name(hart->id),
                           hart->paused ? hart->paused_pc
                                        : tensix_hart_pc(hart, 0));
    }
}

static void emit_node(TensixEmit *e, TensixCopState *cop,
                      const TensixWhyNode *nodes, uint32_t n)
{
    g_autoptr(GString) helpers = g_string_new(NULL);
    const TensixWhyNode *node = &nodes[n];

    tensix_emit_open(e, "%s", node_name(n));
    tensix_emit_string(e, "state", "%s",
                       node->idle ? "idle" : node->blocked ? "waiting"
                       : node->present ? "running" : "stopped");
    if (node->waits_for[0]) {
        tensix_emit_string(e, "waits for", "%s", node->waits_for);
    }
    for (uint32_t m = 0; m < TENSIX_WHY_NODES; m++) {
        if (node->blocked && !node->idle && (node->helpers & (1u << m))) {
            g_string_append_printf(helpers, "%s%s", helpers->len ? ", " : "",
                                   node_name(m));
        }
    }
    if (helpers->len) {
        tensix_emit_string(e, "could be ended by", "%s", helpers->str);
    }
    if (tensix_why_hopeless(nodes, n)) {
        tensix_emit_string(e, "verdict", "nobody who could end it can go on");
    }
    if (n < TENSIX_WHY_THREADS_BASE) {
        emit_pc(e, cop->hart[n]);
    }
    tensix_emit_close(e);
}

/* Who wrote a word of an expansion down, if that is known. */
static void emit_recorded(TensixEmit *e, const char *name,
                          const TensixOrigin *from)
{
    if (from->hart < TENSIX_HART_NONE) {
        tensix_emit_string(e, name, "%s pc 0x%08x",
                           tensix_hart_names[from->hart], from->pc);
    }
}

/* The wait instruction before it that holds it at the gate. */
static void emit_latched(TensixEmit *e, const TensixGate *gate)
{
    const TensixInsn *wait = &gate->latched;
    char text[96];

    if (gate->opcode) {
        tensix_disas(text, sizeof(text), wait->word);
        tensix_emit_string(e, "held by", "%s, pushed by %s pc 0x%08x", text,
                           tensix_hart_names[wait->origin.hart],
                           wait->origin.pc);
    }
}

static void emit_instruction(TensixEmit *e, TensixCopState *cop,
                             uint32_t thread)
{
    const TensixInsn *p = &cop->state->thread[thread].gate.pending;
    TensixRecorded recorded;
    char text[96];

    if (!p->valid) {
        return;
    }
    recorded = tensix_recorded(cop->core, p);
    tensix_disas(text, sizeof(text), p->word);
    tensix_emit_open(e, "thread %u at its gate", thread);
    tensix_emit_string(e, "instruction", "%s", text);
    tensix_emit_string(e, "pushed by", "%s pc 0x%08x",
                       tensix_hart_names[p->origin.hart], p->origin.pc);
    if (p->mop_position != TENSIX_NO_POSITION) {
        tensix_emit_uint(e, "MOP word", p->mop_position);
        emit_recorded(e, "MOP word from", &recorded.mop);
    }
    if (p->replay_slot != TENSIX_NO_POSITION) {
        tensix_emit_uint(e, "REPLAY slot", p->replay_slot);
        emit_recorded(e, "REPLAY slot from", &recorded.replay);
    }
    emit_latched(e, &cop->state->thread[thread].gate);
    tensix_emit_close(e);
}

void tensix_inspect_nodes(TensixCopState *cop, TensixWhyNode *nodes)
{
    for (uint32_t i = 0; i < TENSIX_NUM_HARTS; i++) {
        hart_node(cop->hart[i], &nodes[TENSIX_WHY_HARTS_BASE + i]);
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        nodes[TENSIX_WHY_THREADS_BASE + t].present = true;
        tensix_why_thread(cop->core, t, &nodes[TENSIX_WHY_THREADS_BASE + t]);
    }
}

static void show_why(TensixEmit *e, TensixCopState *cop,
                     const TensixInspectArgs *args)
{
    TensixWhyNode nodes[TENSIX_WHY_NODES] = { };
    uint32_t cycle[TENSIX_WHY_NODES], length;
    g_autoptr(GString) text = g_string_new(NULL);

    tensix_inspect_nodes(cop, nodes);
    for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
        emit_node(e, cop, nodes, n);
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        emit_instruction(e, cop, t);
    }
    emit_macro(e, &cop->state->macro);
    length = tensix_why_cycle(nodes, cycle);
    for (uint32_t i = 0; i < length; i++) {
        g_string_append_printf(text, "%s -> ", node_name(cycle[i]));
    }
    tensix_emit_string(e, "cycle", "%s%s", text->str,
                       length ? node_name(cycle[0]) : "none");
}

void tensix_inspect_why(TensixCopState *cop, GString *text)
{
    TensixEmit e;

    tensix_emit_init_text(&e, text);
    e.sources = cop->reporter->sources;
    show_why(&e, cop, NULL);
}

/* --- counters, flags, queues --- */

static void show_semaphores(TensixEmit *e, TensixCopState *cop,
                            const TensixInspectArgs *args)
{
    for (int i = 0; i < TENSIX_SEMAPHORES; i++) {
        const TensixSemaphore *sem = &cop->state->semaphore[i];
        char name[4];

        snprintf(name, sizeof(name), "%d", i);
        tensix_emit_string(e, name, "value %u max %u", sem->value, sem->max);
    }
}

static void show_mutexes(TensixEmit *e, TensixCopState *cop,
                         const TensixInspectArgs *args)
{
    for (int i = 0; i < TENSIX_MUTEXES; i++) {
        uint32_t owner = cop->state->mutex_owner[i];
        char name[4];

        if (i == 1) {
            continue;              /* there is no mutex 1 (BH ATGETM.md) */
        }
        snprintf(name, sizeof(name), "%d", i);
        tensix_emit_string(
            e, name, "%s",
            owner ? node_name(TENSIX_WHY_THREADS_BASE + owner - 1) : "free");
    }
}

static void emit_word(TensixEmit *e, uint32_t index, const TensixInsn *i)
{
    char text[96], name[12];

    tensix_disas(text, sizeof(text), i->word);
    snprintf(name, sizeof(name), "%u", index);
    tensix_emit_string(e, name, "%s (%s pc 0x%08x)", text,
                       tensix_hart_names[i->origin.hart], i->origin.pc);
}

static void emit_fifo(TensixEmit *e, const char *name, const TensixFifo *fifo)
{
    tensix_emit_open(e, "%s", name);
    tensix_emit_uint(e, "words", fifo->count);
    for (uint32_t i = 0; i < fifo->count; i++) {
        emit_word(e, i, tensix_fifo_peek(fifo, i));
    }
    tensix_emit_close(e);
}

/* Only a random schedule has any: eager ones need not read about it. */
static void emit_flight(TensixEmit *e, const TensixFlight *flight)
{
    if (!flight->count) {
        return;
    }
    tensix_emit_open(e, "past the gate, at work");
    for (uint32_t i = 0; i < flight->count; i++) {
        emit_word(e, i, &flight->insn[i]);
    }
    tensix_emit_close(e);
}

static void show_fifos(TensixEmit *e, TensixCopState *cop,
                       const TensixInspectArgs *args)
{
    static const char *const replay_phases[] = {
        "idle", "loading", "loading and executing", "playing",
    };

    for (int t = 0; t < TENSIX_THREADS; t++) {
        const TensixThread *thread = &cop->state->thread[t];

        tensix_emit_open(e, "thread %d", t);
        emit_fifo(e, "FIFO", &thread->fifo);
        emit_fifo(e, "FIFO behind the MOP expander", &thread->post_fifo);
        tensix_emit_string(e, "MOP", thread->mop.phase == TENSIX_MOP_IDLE
                           ? "idle" : "expanding, %u words so far",
                           thread->mop.emitted);
        tensix_emit_string(e, "REPLAY", "%s, slot %u, %u left",
                           replay_phases[thread->replay.phase],
                           thread->replay.index, thread->replay.left);
        emit_flight(e, &thread->flight);
        tensix_emit_close(e);
        emit_instruction(e, cop, t);
    }
}

static void show_rwcs(TensixEmit *e, TensixCopState *cop,
                      const TensixInspectArgs *args)
{
    for (int t = 0; t < TENSIX_THREADS; t++) {
        const TensixRwc *r = &cop->state->rwc[t];

        tensix_emit_open(e, "thread %d", t);
        tensix_emit_uint(e, "Dst", r->Dst);
        tensix_emit_uint(e, "Dst_Cr", r->Dst_Cr);
        tensix_emit_uint(e, "SrcA", r->SrcA);
        tensix_emit_uint(e, "SrcA_Cr", r->SrcA_Cr);
        tensix_emit_uint(e, "SrcB", r->SrcB);
        tensix_emit_uint(e, "SrcB_Cr", r->SrcB_Cr);
        tensix_emit_uint(e, "FidelityPhase", r->FidelityPhase);
        tensix_emit_uint(e, "Sp", r->Sp);
        tensix_emit_close(e);
    }
}

static void show_adcs(TensixEmit *e, TensixCopState *cop,
                      const TensixInspectArgs *args)
{
    static const char *const units[TENSIX_ADCS] = { "unpacker 0", "unpacker 1",
                                                    "packer" };

    for (int t = 0; t < TENSIX_THREADS; t++) {
        tensix_emit_open(e, "thread %d", t);
        for (int u = 0; u < TENSIX_ADCS; u++) {
            for (int ch = 0; ch < 2; ch++) {
                const TensixAdcChannel *a = &cop->state->adc[t][u].channel[ch];

                tensix_emit_open(e, "%s channel %d", units[u], ch);
                tensix_emit_string(e, "counters", "X %u Y %u Z %u W %u", a->X,
                                   a->Y, a->Z, a->W);
                tensix_emit_string(e, "Cr", "X %u Y %u Z %u W %u", a->X_Cr,
                                   a->Y_Cr, a->Z_Cr, a->W_Cr);
                tensix_emit_close(e);
            }
        }
        tensix_emit_close(e);
    }
}

static void show_flags(TensixEmit *e, TensixCopState *cop,
                       const TensixInspectArgs *args)
{
    const TensixVectorUnit *vu = &cop->state->vu;

    tensix_emit_hex(e, "LaneFlags", vu->lane_flags);
    tensix_emit_hex(e, "UseLaneFlagsForLaneEnable", vu->use_lane_flags);
    tensix_emit_uint(e, "flag stack depth", vu->flag_stack_depth);
    tensix_emit_raw_row(e, "LaneConfig", vu->lane_config, TENSIX_LANES, 8);
    tensix_emit_raw_row(e, "PRNG", vu->prng, TENSIX_LANES, 8);
}

/* Named fields that are not 0, one bank or thread a group. */
static void emit_fields(TensixEmit *e, const TensixCfgField *fields, unsigned n,
                        const uint32_t *words)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t mask = (uint32_t)((1ull << fields[i].width) - 1);
        uint32_t value = words[fields[i].word] >> fields[i].low & mask;

        if (value) {
            tensix_emit_hex(e, fields[i].name, value);
        }
    }
}

static void show_config(TensixEmit *e, TensixCopState *cop,
                        const TensixInspectArgs *args)
{
    for (int bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
        tensix_emit_open(e, "bank %d", bank);
        emit_fields(e, tensix_cfg_fields, tensix_cfg_field_count,
                    cop->state->cfg[bank]);
        tensix_emit_close(e);
    }
}

static void show_thread_config(TensixEmit *e, TensixCopState *cop,
                               const TensixInspectArgs *args)
{
    for (int t = 0; t < TENSIX_THREADS; t++) {
        uint32_t words[TENSIX_THREAD_CFG_WORDS];

        for (int i = 0; i < TENSIX_THREAD_CFG_WORDS; i++) {
            words[i] = cop->state->thread_cfg[t][i];
        }
        tensix_emit_open(e, "thread %d", t);
        emit_fields(e, tensix_thread_cfg_fields, tensix_thread_cfg_field_count,
                    words);
        tensix_emit_close(e);
    }
}

static void show_units(TensixEmit *e, TensixCopState *cop,
                       const TensixInspectArgs *args)
{
    for (int u = 0; u < TENSIX_UNITS; u++) {
        tensix_emit_uint(e, tensix_unit_names[u], cop->state->executed[u]);
    }
}

static const TensixInspectTopic topics[] = {
    { "why", "what every hart and thread waits for", show_why },
    { "semaphores", "value and max", show_semaphores },
    { "mutexes", "owner", show_mutexes },
    { "fifos", "queued words, MOP, REPLAY and wait gate", show_fifos },
    { "macro", "what SFPLOADMACRO has scheduled", show_macro },
    { "rwcs", "read/write counters", show_rwcs },
    { "adcs", "address counters", show_adcs },
    { "flags", "lane flags, LaneConfig, PRNG", show_flags },
    { "config", "named fields that are not 0, by bank", show_config },
    { "thread-config", "named fields that are not 0, by thread",
      show_thread_config },
    { "gprs", "scalar registers", tensix_inspect_gprs },
    { "lregs", "vector registers [FORMAT]", tensix_inspect_lregs },
    { "dest", "[ROW [COUNT]] [FORMAT]", tensix_inspect_dest },
    { "srca", "[ROW [COUNT]] [FORMAT] [bank N]", tensix_inspect_srca },
    { "srcb", "[ROW [COUNT]] [FORMAT] [bank N]", tensix_inspect_srcb },
    { "units", "instructions executed", show_units },
    { "instructions", "all there are: opcodes, operands with their bits",
      tensix_inspect_instructions },
    { "fields", "configuration fields: words and bits",
      tensix_inspect_fields },
};

/* --- monitor --- */

static const TensixInspectTopic *find_topic(const char *name)
{
    for (int i = 0; i < ARRAY_SIZE(topics); i++) {
        if (!strcmp(topics[i].name, name)) {
            return &topics[i];
        }
    }
    return NULL;
}

static bool parse_number(const char *word, uint32_t *value)
{
    unsigned long n;

    if (qemu_strtoul(word, NULL, 0, &n) || n > UINT32_MAX / 2) {
        return false;
    }
    *value = n;
    return true;
}

/* Words after the topic; false on the first that makes no sense. */
static bool parse_args(Monitor *mon, char **words, TensixInspectArgs *args)
{
    bool have_row = false;

    for (; *words; words++) {
        uint32_t number;

        if (!strcmp(*words, "bank") && words[1] &&
            parse_number(words[1], &args->bank)) {
            words++;
        } else if (parse_number(*words, &number)) {
            *(have_row ? &args->count : &args->first) = number;
            have_row = true;
        } else if (tensix_inspect_format_known(*words)) {
            args->format = *words;
        } else {
            monitor_printf(mon,
                           "info tensix: '%s' is no row, no 'bank N' and no "
                           "format (raw bf16 fp16 tf32 fp32 int8 int32)\n",
                           *words);
            return false;
        }
    }
    return true;
}

static void list_topics(Monitor *mon)
{
    for (int i = 0; i < ARRAY_SIZE(topics); i++) {
        monitor_printf(mon, "info tensix %s -- %s\n", topics[i].name,
                       topics[i].help);
    }
}

/* What `info tensix` was asked for. */
typedef struct Question {
    Monitor *mon;
    const TensixInspectTopic *topic;
    TensixInspectArgs args;
    bool by_path;                  /* of several tiles: each with its path */
    unsigned tiles;
} Question;

static void show_tile(TensixCopState *cop, const Question *q)
{
    g_autoptr(GString) text = g_string_new(NULL);
    TensixEmit e;

    tensix_emit_init_text(&e, text);
    e.sources = cop->reporter->sources;
    tensix_cop_lock(cop);
    q->topic->show(&e, cop, &q->args);
    tensix_cop_release(cop);
    if (q->by_path) {
        g_autofree char *path = object_get_canonical_path(OBJECT(cop));

        monitor_printf(q->mon, "%s\n", path);
    }
    monitor_puts(q->mon, text->len ? text->str
                                   : "info tensix: no such row\n");
}

static int count_if_tile(Object *obj, void *opaque)
{
    Question *q = opaque;

    q->tiles += !!object_dynamic_cast(obj, TYPE_TENSIX_COP);
    return 0;
}

static int show_if_tile(Object *obj, void *opaque)
{
    Object *cop = object_dynamic_cast(obj, TYPE_TENSIX_COP);

    if (cop) {
        show_tile(TENSIX_COP(cop), opaque);
    }
    return 0;
}

static void hmp_info_tensix(Monitor *mon, const QDict *qdict)
{
    const char *what = qdict_get_try_str(qdict, "what");
    g_auto(GStrv) words = g_strsplit_set(what ? what : "why", " ", -1);
    Question q = { .mon = mon, .topic = find_topic(words[0]) };

    object_child_foreach_recursive(object_get_root(), count_if_tile, &q);
    if (!q.tiles) {
        monitor_printf(mon, "info tensix: this machine has no Tensix tile\n");
        return;
    }
    if (!q.topic) {
        monitor_printf(mon, "info tensix: no topic '%s'; there are:\n",
                       words[0]);
        list_topics(mon);
        return;
    }
    if (parse_args(mon, words + 1, &q.args)) {
        q.by_path = q.tiles > 1;
        object_child_foreach_recursive(object_get_root(), show_if_tile, &q);
    }
}

static void register_hmp(void)
{
    monitor_register_hmp("tensix", true, hmp_info_tensix);
}

type_init(register_hmp)

/* --- QOM --- */

static void get_topic(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    const TensixInspectTopic *topic = opaque;
    TensixInspectArgs args = { .count = TENSIX_DST_ROWS, .format = "raw" };
    QObject *value;
    TensixEmit e;

    tensix_emit_init_qdict(&e);
    e.sources = TENSIX_COP(obj)->reporter->sources;
    tensix_cop_lock(TENSIX_COP(obj));
    topic->show(&e, TENSIX_COP(obj), &args);
    tensix_cop_release(TENSIX_COP(obj));
    value = QOBJECT(tensix_emit_finish_qdict(&e));
    visit_type_any(v, name, &value, errp);
    qobject_unref(value);
}

void tensix_inspect_add_properties(ObjectClass *oc)
{
    for (int i = 0; i < ARRAY_SIZE(topics); i++) {
        object_class_property_add(oc, topics[i].name, "any", get_topic, NULL,
                                  NULL, (void *)&topics[i]);
        object_class_property_set_description(oc, topics[i].name,
                                              topics[i].help);
    }
}
