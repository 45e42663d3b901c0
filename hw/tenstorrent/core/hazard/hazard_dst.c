/*
 * Hazards of Dest and of the banks of SrcA and SrcB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spec 000 1.8, spec 001 2.5 and 5.3, BH SFPLOAD.md: hardware keeps the Matrix
 * Unit and the packer from reading rows that are still being written, but not
 * the Vector Unit.  Rows are compared as they are named, those of Dst16b with
 * those of Dst16b and those of Dst32b with those of Dst32b.
 */

#include "hazard/hazard_internal.h"
#include "regs/regfile.h"
#include "vector/vector_cells.h"
#include "config/config.h"

enum {
    UNRELATED = 3,                 /* instructions that have to be between */
    BLOCK_ROWS = 8, POOL_ROWS = 4, ROW = 1,
    MOV_BLOCK = 1 << 1,            /* instr_mod of the moves */
    MOVB2D_ROW_TO_8 = 1 << 1,
    MOVB2D_4_ROWS = 1 << 2,

    NOP_CLEAR_SRC = 1,             /* UNPACR_NOP's Unpack_Pop, */
    NOP_ONLY_SET_DVALID = 3,       /* and Clr_to1_fmt_Ctrl */

    SEEN_FORMATS = 1u << FMT_FP32 | 1u << FMT_INT32 | 1u << FMT_INT32_ALL |
                   1u << FMT_INT32_SM,
    STORED_FORMATS = SEEN_FORMATS | 1u << FMT_LO16 | 1u << FMT_HI16,
};

/* Rows of Dest of the instruction at hand; count 0: none. */
typedef struct Rows {
    uint32_t first, count;
    bool wide;
} Rows;

/* --- which rows --- */

static Rows matrix_rows(const HazardCheck *h, uint32_t count)
{
    uint32_t t = h->i->thread;
    uint32_t row = HAZARD_OPERAND(h, MVMUL, dst) + tensix_dst_base(h->c, t);

    return (Rows) {
        .first = row & DST_ROW_MASK & -count, .count = count,
        .wide = !THREAD_CFG_GET(h->c, t, FP16A_FORCE_Enable) &&
                tensix_dst_is_32b(h->c, t),
    };
}

static uint32_t movb2d_count(const HazardCheck *h)
{
    uint32_t mod = HAZARD_OPERAND(h, MOVB2D, movb2d_instr_mod);

    if (mod & MOVB2D_ROW_TO_8) {
        return BLOCK_ROWS;
    }
    return mod & MOVB2D_4_ROWS ? POOL_ROWS : ROW;
}

/* What the Matrix Unit writes, and has not written for some cycles. */
static Rows written_rows(const HazardCheck *h)
{
    bool block = HAZARD_OPERAND(h, MOVA2D, instr_mod) & MOV_BLOCK;

    switch (h->opcode) {
    case TENSIX_OP_MVMUL:
    case TENSIX_OP_DOTPV:
    case TENSIX_OP_ELWADD:
    case TENSIX_OP_ELWSUB:
    case TENSIX_OP_ELWMUL:
        return matrix_rows(h, BLOCK_ROWS);
    case TENSIX_OP_GAPOOL:
    case TENSIX_OP_GMPOOL:
        return matrix_rows(h, POOL_ROWS);
    case TENSIX_OP_MOVA2D:
    case TENSIX_OP_MOVDBGA2D:
        return matrix_rows(h, block ? BLOCK_ROWS : ROW);
    case TENSIX_OP_MOVB2D:
        return matrix_rows(h, movb2d_count(h));
    default:
        return (Rows) { 0 };
    }
}

static bool is_move(uint32_t opcode)
{
    return opcode == TENSIX_OP_MOVA2D || opcode == TENSIX_OP_MOVB2D ||
           opcode == TENSIX_OP_MOVDBGA2D;
}

static bool adds_to_dst(const HazardCheck *h)
{
    return (h->opcode == TENSIX_OP_ELWADD || h->opcode == TENSIX_OP_ELWSUB) &&
           HAZARD_OPERAND(h, ELWADD, dest_accum_en);
}

/* What the Matrix Unit reads. */
static Rows matrix_reads(const HazardCheck *h)
{
    bool block = HAZARD_OPERAND(h, MOVD2A, instr_mod) & MOV_BLOCK;

    switch (h->opcode) {
    case TENSIX_OP_MVMUL:
    case TENSIX_OP_DOTPV:
    case TENSIX_OP_ELWMUL:
        return matrix_rows(h, BLOCK_ROWS);
    case TENSIX_OP_ELWADD:
    case TENSIX_OP_ELWSUB:
        return adds_to_dst(h) ? matrix_rows(h, BLOCK_ROWS) : (Rows) { 0 };
    case TENSIX_OP_GAPOOL:
    case TENSIX_OP_GMPOOL:
        return matrix_rows(h, POOL_ROWS);
    case TENSIX_OP_MOVD2A:
    case TENSIX_OP_MOVD2B:
        return matrix_rows(h, block ? POOL_ROWS : ROW);
    default:
        return (Rows) { 0 };
    }
}

/* Rows of SFPLOAD, SFPSTORE or SFPLOADMACRO, whose fields are alike. */
static Rows vector_rows(const HazardCheck *h, uint32_t wide_formats)
{
    uint32_t t = h->i->thread;
    uint32_t format = HAZARD_OPERAND(h, SFPLOAD, instr_mod0);
    uint32_t dst = h->c->s.rwc[t].Dst + CFG_GET(h->c, t, DEST_REGW_BASE_Base);
    uint32_t sp = h->c->s.rwc[t].Sp + CFG_GET(h->c, t, DEST_SP_BASE_Base);
    uint32_t row = HAZARD_OPERAND(h, SFPLOAD, dest_reg_addr) +
                   THREAD_CFG_GET(h->c, t, DEST_TARGET_REG_CFG_MATH_Offset) +
                   (format == FMT_INT32_ALL ? sp : dst);

    return (Rows) {
        .first = row & DST_ROW_MASK & -VECTOR_ROWS, .count = VECTOR_ROWS,
        .wide = format == FMT_SRCB
                ? CFG_GET(h->c, t, ALU_ACC_CTRL_SFPU_Fp32_enabled)
                : wide_formats >> format & 1,
    };
}

/* --- the rules --- */

static bool rows_overlap(const TensixHazardRows *a, const Rows *b)
{
    return b->count && a->wide == b->wide && a->first < b->first + b->count &&
           b->first < a->first + a->count;
}

/* The record of rows that are read too soon, or NULL. */
static const TensixHazardRows *too_soon(const HazardCheck *h,
                                        const TensixHazardRows *records,
                                        const Rows *rows)
{
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        if (tensix_hazard_near(h, &records[n].by, UNRELATED) &&
            rows_overlap(&records[n], rows)) {
            return &records[n];
        }
    }
    return NULL;
}

static void note_rows(const HazardCheck *h, TensixHazardRows *records,
                      const Rows *rows)
{
    if (rows->count) {
        records[h->t->position % TENSIX_HAZARD_RECORDS] = (TensixHazardRows) {
            .by = tensix_hazard_site(h), .first = rows->first,
            .count = rows->count, .wide = rows->wide,
            .move = is_move(h->opcode),
        };
    }
}

static void check_vector_unit(const HazardCheck *h)
{
    Rows rows = vector_rows(h, SEEN_FORMATS);
    const TensixHazardRows *first = too_soon(h, h->t->dst_write, &rows);

    if (first) {
        tensix_hazard_report(h, h->opcode == TENSIX_OP_SFPLOAD
                                ? HAZARD_DST_LOAD : HAZARD_DST_MACRO,
                             &first->by);
    }
}

static void check_matrix_unit(const HazardCheck *h)
{
    Rows read = matrix_reads(h), write = written_rows(h);
    const TensixHazardRows *first = too_soon(h, h->t->dst_store, &read);

    if (first) {
        tensix_hazard_report(h, HAZARD_DST_STORE, &first->by);
    }
    first = adds_to_dst(h) ? too_soon(h, h->t->dst_write, &read) : NULL;
    if (first && first->move) {
        tensix_hazard_report(h, HAZARD_DST_MOVE, &first->by);
    }
    note_rows(h, h->t->dst_write, &write);
}

void tensix_hazard_dst(const HazardCheck *h)
{
    Rows stored;

    switch (h->opcode) {
    case TENSIX_OP_SFPLOAD:
    case TENSIX_OP_SFPLOADMACRO:
        check_vector_unit(h);
        break;
    case TENSIX_OP_SFPSTORE:
        stored = vector_rows(h, STORED_FORMATS);
        note_rows(h, h->t->dst_store, &stored);
        break;
    default:
        if (tensix_insns[h->opcode].unit == TENSIX_UNIT_MATRIX) {
            check_matrix_unit(h);
        }
        break;
    }
}

/* --- banks --- */

/* Banks that it hands to the Matrix Unit: SrcA bit 0, SrcB bit 1. */
static uint32_t hands_over(const HazardCheck *h)
{
    switch (h->opcode) {
    case TENSIX_OP_SETDVALID:
        return HAZARD_OPERAND(h, SETDVALID, setvalid);
    case TENSIX_OP_UNPACR:
        return HAZARD_OPERAND(h, UNPACR, SetDatValid) &&
               !HAZARD_OPERAND(h, UNPACR, CfgContextCntInc) &&
               !HAZARD_OPERAND(h, UNPACR, SearchCacheFlush)
               ? 1u << HAZARD_OPERAND(h, UNPACR, Unpack_block_selection) : 0;
    case TENSIX_OP_UNPACR_NOP:
        return HAZARD_OPERAND(h, UNPACR_NOP, Unpack_Pop) == NOP_CLEAR_SRC &&
               (HAZARD_OPERAND(h, UNPACR_NOP, Set_Dvalid) ||
                HAZARD_OPERAND(h, UNPACR_NOP, Clr_to1_fmt_Ctrl) ==
                    NOP_ONLY_SET_DVALID)
               ? 1u << HAZARD_OPERAND(h, UNPACR_NOP, Unpacker_Select) : 0;
    default:
        return 0;
    }
}

/* All others wait for the bank. */
static bool waits_for_bank(const HazardCheck *h)
{
    return h->opcode == TENSIX_OP_UNPACR ||
           (h->opcode == TENSIX_OP_UNPACR_NOP &&
            HAZARD_OPERAND(h, UNPACR_NOP, Clr_to1_fmt_Ctrl) !=
                NOP_ONLY_SET_DVALID);
}

static void check_hand_over(const HazardCheck *h, uint32_t src)
{
    uint32_t bank = h->c->s.unpack_bank[src] & SRC_BANK_MASK;
    TensixHazardSite *given = &h->c->hazards.given[src][bank];

    if (!waits_for_bank(h) &&
        !tensix_src_owned_by(h->c, src, bank, TENSIX_CLIENT_UNPACKERS)) {
        tensix_hazard_report(h, h->opcode == TENSIX_OP_SETDVALID
                                ? HAZARD_SETDVALID : HAZARD_UNPACR_NOP, given);
    }
    *given = tensix_hazard_site(h);
}

/* MOVD2A and MOVD2B do not wait to be given their bank. */
static void check_move_to_src(const HazardCheck *h, uint32_t src)
{
    uint32_t bank = h->c->s.matrix_bank[src] & SRC_BANK_MASK;

    if (!tensix_src_owned_by(h->c, src, bank, TENSIX_CLIENT_MATRIX_UNIT)) {
        tensix_hazard_report(h, HAZARD_MOVD2SRC,
                             &h->c->hazards.taken[src][bank]);
    }
}

/* Banks that the instruction gives back; clear_dvalid is where SETRWC's is. */
static uint32_t gives_back(const HazardCheck *h)
{
    switch (h->opcode) {
    case TENSIX_OP_CLEARDVALID:
        return HAZARD_OPERAND(h, CLEARDVALID, cleardvalid);
    case TENSIX_OP_SETRWC:
    case TENSIX_OP_MVMUL:
    case TENSIX_OP_DOTPV:
    case TENSIX_OP_ELWADD:
    case TENSIX_OP_ELWSUB:
    case TENSIX_OP_ELWMUL:
    case TENSIX_OP_GAPOOL:
    case TENSIX_OP_GMPOOL:
        return HAZARD_OPERAND(h, SETRWC, clear_ab_vld);
    default:
        return 0;
    }
}

void tensix_hazard_banks(const HazardCheck *h)
{
    uint32_t over = hands_over(h), back = gives_back(h);

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        uint32_t bank = h->c->s.matrix_bank[src] & SRC_BANK_MASK;

        if (over >> src & 1) {
            check_hand_over(h, src);
        }
        if (back >> src & 1) {
            h->c->hazards.taken[src][bank] = tensix_hazard_site(h);
        }
    }
    if (h->opcode == TENSIX_OP_MOVD2A) {
        check_move_to_src(h, TENSIX_SRCA);
    } else if (h->opcode == TENSIX_OP_MOVD2B) {
        check_move_to_src(h, TENSIX_SRCB);
    }
}
