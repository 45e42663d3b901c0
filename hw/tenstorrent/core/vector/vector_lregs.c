/*
 * Vector Unit: which LRegs an instruction reads and writes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * vector_table.h.inc says it, and what the logic that stalls thinks of it.
 * tests/unit/test-unwritten.c compares with what instructions do.
 */

#include "decode/sfpu_formats.h"
#include "observe/lregs.h"
#include "vector/vector_lregs.h"
#include "vector/vector_macro.h"

/* Names of column LRegs: registers, a bit each. */
enum {
    LREG_0 = 1 << 0,
    LREG_3 = 1 << 3,
    LREGS_0_TO_3 = 0x0f,
    LREGS_1_TO_3 = 0x0e,
    LREGS_4_TO_7 = 0xf0,
    LREGS_0_TO_6 = 0x7f,
    LREG_7 = 1 << 7,
    LREGS_RESULTS = 0x100ff,       /* that take results */
    INDEX_MASK = 15,
};

/* Of MAD's instructions: LReg[7] names VA, or VD. */
enum { INDIRECT_VA_MODE = 1 << 2, INDIRECT_VD_MODE = 1 << 3 };

#define VA (1u << op->va)
#define VB (1u << op->vb)
#define VC (1u << op->vc)
#define VD (1u << op->vd)
#define MOD op->mod
#define MACRO_VD (1u << tensix_vector_macro_vd(op->insn->word))
#define VA_UNLESS_INDIRECT (MOD & INDIRECT_VA_MODE ? 0 : VA)
#define INDIRECT_VA (MOD & INDIRECT_VA_MODE ? LREG_7 | VECTOR_INDIRECT : 0)
#define LREG_7_FOR_VD (MOD & INDIRECT_VD_MODE ? LREG_7 : 0)
#define VD_OR_INDIRECT \
    (MOD & INDIRECT_VD_MODE && op->vd != VECTOR_LREG_MACRO \
     ? VECTOR_INDIRECT : VD)

TensixVectorUse tensix_vector_use(const TensixVectorOp *op)
{
    switch (op->insn->word >> 24) {
#define VECTOR(m, unit, mod, vd, va, vb, vc, imm, ...) \
    case TENSIX_OP_##m: \
        return (TensixVectorUse) { __VA_ARGS__ };
#include "decode/vector_table.h.inc"
#undef VECTOR
    default:
        return (TensixVectorUse) { 0 };
    }
}

uint32_t tensix_vector_indirect(const TensixVectorUnit *vu, uint32_t lanes)
{
    enum { NAMING = 7 };
    uint32_t lregs = 0;

    for (unsigned l = 0; l < TENSIX_LANES; l++) {
        if (lanes >> l & 1) {
            lregs |= 1u << (vu->lreg[NAMING][l] & INDEX_MASK);
        }
    }
    return lregs;
}

/* Lanes in which it acts as itself; in others its word may become a template. */
static uint32_t acting_lanes(const TensixVectorUnit *vu,
                             const TensixVectorOp *op,
                             const TensixVectorUse *use)
{
    uint32_t lanes = op->scheduled ? op->lanes : VECTOR_ALL_LANES;

    if (!op->scheduled && op->vd >= VECTOR_BACKDOOR_VD && !use->configures) {
        lanes = tensix_vector_config_lanes(vu, VECTOR_DISABLE_BACKDOOR_LOAD);
    }
    return use->all_lanes ? lanes : lanes & tensix_vector_enabled(vu, op);
}

/* With the registers that VECTOR_INDIRECT selects. */
static uint32_t resolved(uint32_t lregs, const TensixVectorUnit *vu,
                         uint32_t lanes)
{
    return lregs & VECTOR_INDIRECT
           ? (lregs & ~VECTOR_INDIRECT) | tensix_vector_indirect(vu, lanes)
           : lregs;
}

TensixVectorLregs tensix_vector_lregs(const TensixVectorUnit *vu,
                                      const TensixVectorOp *op)
{
    TensixVectorUse use = tensix_vector_use(op);
    uint32_t lanes = acting_lanes(vu, op, &use);
    bool configures = use.configures || op->vd >= VECTOR_BACKDOOR_VD;

    if (!lanes) {
        return (TensixVectorLregs) { .configures = configures };
    }
    return (TensixVectorLregs) {
        .reads = resolved(use.seen | use.hidden, vu, lanes),
        .writes = resolved(use.writes, vu, lanes) & LREGS_RESULTS,
        .moves = { use.moves[0], use.moves[1] },
        .lanes = lanes, .other_lanes = use.other_lanes,
        .configures = configures,
    };
}

static void note(TensixCore *c, uint32_t lregs, uint32_t lanes,
                 void (*fn)(TensixCore *c, uint32_t lreg, uint32_t lanes))
{
    for (; lregs; lregs &= lregs - 1) {
        fn(c, __builtin_ctz(lregs), lanes);
    }
}

/* LRegs that have not been written in any lane. */
static uint32_t unwritten_lregs(const TensixCore *c)
{
    uint32_t lregs = 0;

    for (uint32_t n = 0; c->observer && c->observer->unwritten &&
                         n < TENSIX_LREGS; n++) {
        lregs |= (tensix_unwritten_lanes(c, n) == TENSIX_ALL_LANES) << n;
    }
    return lregs;
}

/* What is unwritten stays so, as long as it is moved among its like. */
static void record_move(TensixCore *c, uint32_t lregs)
{
    uint32_t written = lregs & ~unwritten_lregs(c);

    note(c, written, 0, tensix_observe_read_lreg);
    note(c, written ? lregs & LREGS_RESULTS : 0, TENSIX_ALL_LANES,
         tensix_observe_write_lreg);
}

/* Which other lanes are read is not known: one that was written will do. */
static void record_reads(TensixCore *c, const TensixVectorLregs *l)
{
    uint32_t unwritten = l->other_lanes ? unwritten_lregs(c) : l->reads;

    note(c, l->reads & unwritten,
         l->other_lanes ? TENSIX_ALL_LANES : l->lanes,
         tensix_observe_read_lreg);
    note(c, l->reads & ~unwritten, 0, tensix_observe_read_lreg);
}

/* Is any lane of these LRegs unwritten? */
static bool any_unwritten(const TensixCore *c, uint32_t lregs)
{
    uint32_t lanes = 0;

    for (; c->observer->unwritten && lregs; lregs &= lregs - 1) {
        lanes |= c->observer->unwritten->lanes[__builtin_ctz(lregs)];
    }
    return lanes;
}

/* --- words that access the same LRegs whenever any lane is enabled --- */

/* Kept if the word says it all: neither LReg[7] nor LaneConfig does. */
static void keep_known(TensixCore *c, const TensixVectorOp *op,
                       uint32_t read, uint32_t written)
{
    TensixVectorUse use = tensix_vector_use(op);

    if (op->plain && !op->scheduled && !use.configures &&
        !((use.seen | use.hidden | use.writes) & VECTOR_INDIRECT)) {
        *tensix_known_at(c->observer, op->insn->word) = (TensixKnownLregs) {
            .word = op->insn->word, .read = read, .written = written,
        };
    }
}

bool tensix_vector_note_known(TensixCore *c, uint32_t word)
{
    const TensixKnownLregs *known = tensix_vector_known(c, word);

    if (!known || any_unwritten(c, known->read | known->written)) {
        return false;
    }
    tensix_observe_lregs(c->observer, known->read, known->written);
    return true;
}

void tensix_vector_note_lregs(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorLregs l = tensix_vector_lregs(&c->s.vu, op);
    uint32_t moves = l.moves[0] | l.moves[1];

    if (c->observer && l.configures) {
        tensix_observe_configures(c->observer);
    }
    if (c->observer && !any_unwritten(c, l.reads | l.writes | moves)) {
        uint32_t read = l.reads | moves;
        uint32_t written = l.writes | (moves & LREGS_RESULTS);

        tensix_observe_lregs(c->observer, read, written);
        if (l.lanes) {
            keep_known(c, op, read, written);
        }
        return;
    }
    record_reads(c, &l);
    note(c, l.writes, l.lanes, tensix_observe_write_lreg);
    for (unsigned n = 0; n < VECTOR_MOVES; n++) {
        if (l.moves[n]) {
            record_move(c, l.moves[n]);
        }
    }
}
