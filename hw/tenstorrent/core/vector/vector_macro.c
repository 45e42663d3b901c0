/*
 * Vector Unit: SFPLOADMACRO, and what it has scheduled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md.  There is no clock here; a cycle passes
 *
 * - when any thread issues a Vector Unit instruction, which runs in it;
 * - when the thread of the last SFPLOADMACRO executes any other instruction;
 * - as often as needed for waits and reads: wait instructions, the
 *   Dest window, the aperture (tensix_vector_drain()).
 *
 * In a cycle, everything that runs in it reads the registers as they were
 * before it.  A result of the MAD sub-unit is there one cycle later, and
 * SFPSWAP exchanges in the cycle after its comparison: kernels use the
 * registers in between.  While anything is under way, derived.exec is the busy
 * table, which sends every instruction through tensix_vector_exec_busy().
 */

#include <string.h>

#include "observe/note.h"
#include "record/fresh.h"
#include "vector/vector_cells.h"
#include "vector/vector_lregs.h"
#include "vector/vector_macro.h"
#include "vector/vector_ops.h"
#include "derived/update.h"
#include "vector/vector.h"

/* LoadMacroConfig.Misc. */
enum {
    MISC_STORE_MOD0 = 0xf,
    MISC_USES_LOAD_MOD0_LOW = 4,   /* a bit a macro */
    MISC_DELAY_KIND_LOW = 8,       /* a bit a sub-unit */
};

static bool due(const TensixMacro *m, uint32_t unit)
{
    return m->slot[unit][0].lanes;
}

/* --- scheduling --- */

static bool same_plan(const TensixMacroPlan *a, const TensixMacroPlan *b)
{
    return a->sequence == b->sequence && a->word == b->word && a->misc == b->misc;
}

/*
 * The plan of the lanes that have one, and those lanes.  Lanes may be without;
 * two different plans in one unit are what the page discourages, and the
 * first one is taken.
 */
static uint32_t common_plan(TensixCore *c, const TensixInsn *i, uint32_t macro,
                            uint32_t unit, TensixMacroPlan *plan)
{
    uint32_t lanes = 0;
    bool differ = false;

    *plan = (TensixMacroPlan) { 0 };
    for (unsigned l = 0; l < TENSIX_LANES; l++) {
        TensixMacroPlan p = tensix_vector_macro_plan(&c->s.vu.load_macro, macro,
                                                     unit, l);

        if (!p.sequence) {
            continue;
        }
        *plan = lanes ? *plan : p;
        lanes |= same_plan(plan, &p) ? tensix_lane_bit[l] : 0;
        differ |= !same_plan(plan, &p);
    }
    if (differ) {
        tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                         "macro %u schedules different instructions in different lanes",
                         (unsigned)macro);
    }
    return lanes;
}

/* The macro at hand, as its instruction says. */
typedef struct MacroCall {
    uint32_t macro, vd, mod0, address;
} MacroCall;

static void plan_store(const MacroCall *call, const TensixMacroPlan *plan,
                       TensixScheduled *s)
{
    bool load_mod0 = plan->misc >> MISC_USES_LOAD_MOD0_LOW >> call->macro & 1;

    if (plan->sequence & SEQ_VD_16) {
        s->vd = VECTOR_LREG_MACRO;
    } else if (!(plan->sequence & SEQ_KEEP_VD)) {
        s->vd = call->vd;
    }
    s->mod0 = load_mod0 ? call->mod0 : plan->misc & MISC_STORE_MOD0;
    s->address = call->address;
}

static void plan_operands(const MacroCall *call, const TensixMacroPlan *plan,
                          TensixScheduled *s)
{
    if (plan->sequence & SEQ_VB) {
        s->vb = call->vd;
    } else {
        s->vc = call->vd;
    }
    s->vd = plan->sequence & SEQ_VD_16 ? VECTOR_LREG_MACRO : call->vd;
}

/* A template that the sub-unit cannot execute is a NOP; stores know none. */
static void plan_slot(TensixCore *c, const TensixInsn *i, const MacroCall *call,
                      uint32_t unit,
                      const TensixMacroPlan *plan, TensixScheduled *s)
{
    const TensixInsn word = { .word = plan->word };
    bool can = tensix_vector_sub_unit(plan->word) == unit;
    TensixVectorOp op = { 0 };

    if (!can && unit == VECTOR_SUB_STORE) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "macro %u schedules 0x%08x for the store sub-unit",
                         (unsigned)call->macro, (unsigned)plan->word);
        s->lanes = 0;
        return;
    }
    if (can) {
        op = tensix_vector_decode(&word);
    }
    s->word = can ? plan->word : TT(SFPNOP);
    s->vb = op.vb;
    s->vc = op.vc;
    s->vd = op.vd;
    s->by_instruction = plan->misc >> MISC_DELAY_KIND_LOW >> unit & 1;
    if (unit == VECTOR_SUB_STORE) {
        plan_store(call, plan, s);
    } else {
        plan_operands(call, plan, s);
    }
}

/*
 * One sub-unit.  A byte of zero leaves the sub-unit alone: by the page's text it
 * would still cancel what runs in the next cycle, but tt-llk's conversions
 * from uint32 depend on that it does not (docs/vector-unit.rst).
 */
static void schedule(TensixCore *c, const TensixInsn *i, const MacroCall *call,
                     uint32_t unit)
{
    TensixMacroPlan plan;
    uint32_t lanes = common_plan(c, i, call->macro, unit, &plan);
    uint32_t kind = plan.sequence & SEQ_KIND;
    TensixScheduled *slot =
        &c->s.macro.slot[unit][tensix_vector_macro_delay(&plan)];

    if (!lanes) {
        return;
    }
    memset(slot, 0, sizeof(*slot));
    if (kind == KIND_UNDEFINED) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "macro %u: sequence 0x%02x",
                         (unsigned)call->macro, (unsigned)plan.sequence);
    } else if (kind != KIND_NONE) {
        slot->lanes = lanes;
        plan_slot(c, i, call, unit, &plan, slot);
    }
}

static bool anything_left(const TensixMacro *m)
{
    uint32_t lanes = m->late.lanes | m->swap_lanes;

    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        for (uint32_t delay = 0; delay < TENSIX_MACRO_DELAYS; delay++) {
            lanes |= m->slot[unit][delay].lanes;
        }
    }
    return lanes;
}

static void update_active(TensixCore *c)
{
    tensix_set_macro_active(c, anything_left(&c->s.macro));
}

void tensix_vector_SFPLOADMACRO(TensixCore *c, const TensixVectorOp *op)
{
    const TensixInsn *i = op->insn;
    TensixVectorOp load = *op;
    MacroCall call = {
        .macro = tensix_vector_macro_index(i->word),
        .vd = tensix_vector_macro_vd(i->word),
        .mod0 = op->mod,
    };

    TENSIX_NOTE(tensix_observe_compare(c, 1 << TENSIX_SPACE_LREG));
    load.vd = call.vd;
    call.address = tensix_vector_load(c, &load);
    tensix_copy_fresh(&c->s.macro.insn, i);
    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        schedule(c, i, &call, unit);
    }
    update_active(c);
}

/* Plain or not, it is executed the same way. */
TensixResult tensix_exec_SFPLOADMACRO(TensixCore *c, const TensixInsn *i)
{
    return tensix_vector_exec_rare(c, i);
}

/* --- execution --- */

/* Everything that runs in one cycle. */
typedef struct Cycle {
    TensixScheduled due[TENSIX_MACRO_UNITS];
    TensixVectorLate late;
    uint32_t swap_lanes, swap_vc, swap_vd;
} Cycle;

/* Do delays get shorter in this cycle?  All do, or none. */
static bool delays_count(const TensixMacro *m, bool instruction)
{
    uint32_t by_instruction = 0;

    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        for (uint32_t delay = 1; delay < TENSIX_MACRO_DELAYS; delay++) {
            by_instruction |= m->slot[unit][delay].by_instruction;
        }
    }
    return instruction || !by_instruction;
}

/* Takes out what runs in this cycle, and moves the rest nearer. */
static void take_cycle(TensixMacro *m, Cycle *now, bool instruction)
{
    static const TensixScheduled empty;
    bool count = delays_count(m, instruction);

    now->late = m->late;
    now->swap_lanes = m->swap_lanes;
    now->swap_vc = m->swap_vc;
    now->swap_vd = m->swap_vd;
    m->late.lanes = 0;
    m->swap_lanes = 0;
    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        TensixScheduled *slot = m->slot[unit];

        now->due[unit] = slot[0];
        slot[0] = empty;
        for (int n = 1; count && n < TENSIX_MACRO_DELAYS; n++) {
            slot[n - 1] = slot[n];
            slot[n] = empty;
        }
    }
}

/*
 * Where both VC and VD became the loaded register, VB is the other operand:
 * tt-llk's exponential raises what it loads to LReg[14] so.  By the text of
 * the page the register would be exchanged with itself.
 */
static void start_swap(TensixCore *c, TensixVectorOp *op)
{
    TensixMacro *m = &c->s.macro;

    op->vd = op->vd == op->vc ? op->vb : op->vd;
    m->swap_lanes = tensix_vector_swap_compare(&c->s.vu, op);
    m->swap_vc = op->vc;
    m->swap_vd = op->vd;
}

/* A word that was scheduled, as an instruction of its scheduler. */
static TensixInsn scheduled_insn(const TensixMacro *m, uint32_t word)
{
    TensixInsn i = m->insn;

    i.word = word;
    i.mop_position = i.replay_slot = TENSIX_NO_POSITION;
    return i;
}

/* The same, with its operands. */
static TensixVectorOp scheduled_op(const TensixInsn *i, uint32_t unit,
                                   const TensixScheduled *s)
{
    TensixVectorOp op = tensix_vector_decode(i);

    op.scheduled = true;
    op.lanes = s->lanes;
    op.vb = s->vb;
    op.vc = s->vc;
    op.vd = s->vd;
    if (unit == VECTOR_SUB_STORE) {
        op.mod = s->mod0;
        op.address = s->address;
    }
    return op;
}

static void run_scheduled(TensixCore *c, uint32_t unit,
                          const TensixScheduled *s)
{
    TensixInsn i = scheduled_insn(&c->s.macro, s->word);
    TensixVectorOp op = scheduled_op(&i, unit, s);

    if (tensix_vector_sub_unit(s->word) != unit) {
        return;                    /* SFPNOP */
    }
    TENSIX_NOTE(tensix_vector_note_lregs(c, &op));
    op.late = unit == VECTOR_SUB_MAD ? &c->s.macro.late : NULL;
    if (s->word >> 24 == TENSIX_OP_SFPSWAP) {
        start_swap(c, &op);
    } else {
        tensix_vector_execute(c, &op);
    }
}

/* Bits that `part` changed against `before` go into `all`. */
static void merge(TensixVectorUnit *all, const TensixVectorUnit *before,
                  const TensixVectorUnit *part)
{
    enum { WORDS = sizeof(*all) / sizeof(uint32_t) };
    uint32_t x[WORDS], y[WORDS], z[WORDS];

    memcpy(x, all, sizeof(x));
    memcpy(y, before, sizeof(y));
    memcpy(z, part, sizeof(z));
    for (int k = 0; k < WORDS; k++) {
        uint32_t changed = y[k] ^ z[k];

        x[k] = (x[k] & ~changed) | (z[k] & changed);
    }
    memcpy(all, x, sizeof(x));
    tensix_vector_summarise(all);      /* of what both left, not of both summaries */
}

static void land_late(TensixVectorUnit *vu, const TensixVectorLate *late)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        if ((late->lanes & tensix_lane_bit[l]) &&
            tensix_vector_writable(late->vd[l])) {
            vu->lreg[late->vd[l]][l] = late->value[l];
        }
    }
}

/*
 * Where a load-style instruction writes: LReg[*vd] in the lanes returned, as
 * long as the flags are what they were before the cycle.
 */
static uint32_t load_target(const TensixVectorUnit *before, const TensixInsn *i,
                            uint32_t *vd)
{
    TensixVectorOp op = tensix_vector_decode(i);
    uint32_t opcode = i->word >> 24;
    uint32_t lanes = tensix_vector_enabled(before, &op);

    if (tensix_vector_sub_unit(i->word) != VECTOR_SUB_LOAD) {
        return 0;
    }
    *vd = opcode == TENSIX_OP_SFPLOADMACRO ? tensix_vector_macro_vd(i->word) : op.vd;
    if (opcode != TENSIX_OP_SFPLOADI) {
        lanes = op.mod == FMT_INT32_ALL ? VECTOR_ALL_LANES : lanes;
        lanes &= ~tensix_vector_config_lanes(before,
                                             VECTOR_BLOCK_SFPU_RD_FROM_DEST);
    }
    return *vd < VECTOR_LREG_WRITABLE ? lanes : 0;
}

/*
 * Where a load meets a result of something scheduled before it, the load wins:
 * tt-llk's column maximum loads over what the second half of SFPSWAP leaves.
 */
static void load_wins(TensixVectorUnit *all, const TensixVectorUnit *loaded,
                      const TensixVectorUnit *before, const TensixInsn *i)
{
    uint32_t vd = 0;
    uint32_t lanes = load_target(before, i, &vd);
    TensixLanes r;

    memcpy(r.x, loaded->lreg[vd], sizeof(r.x));
    tensix_vector_write(all, vd, &r, lanes);
}

/*
 * What was scheduled for this cycle, on the registers as they were before it;
 * c->s.vu has what the issued instruction i, if any, made of them, and gets
 * the rest.
 */
static void run_macro_cycle(TensixCore *c, const Cycle *now,
                            const TensixVectorUnit *before,
                            const TensixInsn *i)
{
    TensixVectorUnit issued = c->s.vu, after = issued;

    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        if (now->due[unit].lanes) {
            c->s.vu = *before;
            run_scheduled(c, unit, &now->due[unit]);
            merge(&after, before, &c->s.vu);
        }
    }
    if (now->swap_lanes) {
        c->s.vu = *before;
        tensix_vector_swap_finish(&c->s.vu, now->swap_vc, now->swap_vd,
                                  now->swap_lanes);
        merge(&after, before, &c->s.vu);
    }
    land_late(&after, &now->late);
    if (i) {
        load_wins(&after, &issued, before, i);
    }
    c->s.vu = after;
}

/* Simple and Round share a result bus, but for LReg 16 (note on the page). */
static void check_results(TensixCore *c, const Cycle *now)
{
    const TensixScheduled *simple = &now->due[VECTOR_SUB_SIMPLE];
    const TensixScheduled *round = &now->due[VECTOR_SUB_ROUND];
    TensixInsn i = scheduled_insn(&c->s.macro, round->word);

    if (simple->lanes && round->lanes &&
        tensix_vector_sub_unit(simple->word) == VECTOR_SUB_SIMPLE &&
        tensix_vector_sub_unit(round->word) == VECTOR_SUB_ROUND &&
        (simple->vd == VECTOR_LREG_MACRO) == (round->vd == VECTOR_LREG_MACRO)) {
        tensix_violation(c, &i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "simple and round sub-units in one cycle: LReg[%u], LReg[%u]",
                         (unsigned)simple->vd, (unsigned)round->vd);
    }
}

/* A cycle in which nothing is issued. */
static void idle_cycle(TensixCore *c)
{
    TensixVectorUnit before = c->s.vu;
    Cycle now;

    take_cycle(&c->s.macro, &now, false);
    check_results(c, &now);
    run_macro_cycle(c, &now, &before, NULL);
    update_active(c);
}

/* A cycle with an instruction; a scheduled one for its sub-unit beats it. */
static TensixResult vector_cycle(TensixCore *c, const TensixInsn *i,
                                 TensixExecFn *exec)
{
    TensixVectorUnit before = c->s.vu;
    uint32_t unit = tensix_vector_sub_unit(i->word);
    Cycle now;

    if (unit < TENSIX_MACRO_UNITS && due(&c->s.macro, unit)) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "discarded: SFPLOADMACRO's 0x%08x occurs in the same cycle",
                         (unsigned)c->s.macro.slot[unit][0].word);
        i = NULL;
    }
    take_cycle(&c->s.macro, &now, true);
    check_results(c, &now);
    if (i) {
        exec(c, i);
    }
    run_macro_cycle(c, &now, &before, i);
    update_active(c);
    return TENSIX_DONE;
}

/* Can cycles alone bring anything nearer? */
static bool needs_time(const TensixMacro *m)
{
    uint32_t now = m->late.lanes | m->swap_lanes;

    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        now |= m->slot[unit][0].lanes;
    }
    return m->active && (now || delays_count(m, false));
}

void tensix_vector_drain(TensixCore *c)
{
    if (c->s.macro.active) {
        tensix_observe_compare(c, TENSIX_ALL_SPACES);
    }
    while (needs_time(&c->s.macro)) {
        idle_cycle(c);
    }
}

TensixResult tensix_vector_exec_busy(TensixCore *c, const TensixInsn *i,
                                     TensixExecFn *exec)
{
    uint32_t opcode = i->word >> 24;
    TensixResult result;

    if (tensix_vector_rows[opcode].is_vector) {
        return vector_cycle(c, i, exec);
    }
    result = exec(c, i);
    if (result != TENSIX_DONE || i->thread != c->s.macro.insn.thread) {
        return result;
    }
    if (tensix_latch_of(opcode)) {
        tensix_vector_drain(c);
    } else {
        idle_cycle(c);
    }
    return result;
}
