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

/* Rows of the Matrix Unit from operand dst on, which all have in one place. */
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

static bool adds_to_dst(const HazardCheck *h)
{
    return h->traits->dst_read == DST_8_IF_ADDED &&
           tensix_insn_dst_read(h->i->word);
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

static void record_rows(const HazardCheck *h, TensixHazardRows *records,
                        const Rows *rows)
{
    if (rows->count) {
        records[h->t->position % TENSIX_HAZARD_RECORDS] = (TensixHazardRows) {
            .by = tensix_hazard_site(h), .first = rows->first,
            .count = rows->count, .wide = rows->wide,
        };
    }
}

static void check_vector_unit(const HazardCheck *h)
{
    Rows rows = vector_rows(h, SEEN_FORMATS);
    const TensixHazardRows *first = too_soon(h, h->t->dst_write, &rows);

    if (first) {
        tensix_hazard_report(h, h->traits->hazard, &first->by);
    }
}

static void check_matrix_unit(const HazardCheck *h)
{
    Rows read = matrix_rows(h, tensix_insn_dst_read(h->i->word));
    Rows write = matrix_rows(h, tensix_insn_dst_written(h->i->word));
    const TensixHazardRows *first = too_soon(h, h->t->dst_store, &read);

    if (first) {
        tensix_hazard_report(h, tensix_hazard_of(&first->by), &first->by);
    }
    first = adds_to_dst(h) ? too_soon(h, h->t->dst_write, &read) : NULL;
    if (first && tensix_hazard_of(&first->by) == HAZARD_DST_MOVE) {
        tensix_hazard_report(h, HAZARD_DST_MOVE, &first->by);
    }
    record_rows(h, h->t->dst_write, &write);
}

void tensix_hazard_dst(const HazardCheck *h)
{
    Rows stored;

    if (h->traits->dst_read == DST_LANES) {
        check_vector_unit(h);
    } else if (h->traits->dst_written == DST_LANES) {
        stored = vector_rows(h, STORED_FORMATS);
        record_rows(h, h->t->dst_store, &stored);
    } else if (tensix_insns[h->i->word >> 24].unit == TENSIX_UNIT_MATRIX) {
        check_matrix_unit(h);
    }
}

/* --- banks --- */

static void check_hand_over(const HazardCheck *h, uint32_t src)
{
    uint32_t bank = h->c->s.unpack_bank[src] & SRC_BANK_MASK;
    TensixHazardSite *given = &h->c->hazards.given[src][bank];

    if (!tensix_insn_waits_for_bank(h->i->word) &&
        !tensix_src_owned_by(h->c, src, bank, TENSIX_CLIENT_UNPACKERS)) {
        tensix_hazard_report(h, h->traits->hazard, given);
    }
    *given = tensix_hazard_site(h);
}

/* MOVD2A and MOVD2B do not wait to be given their bank. */
static void check_move_to_src(const HazardCheck *h, uint32_t src)
{
    uint32_t bank = h->c->s.matrix_bank[src] & SRC_BANK_MASK;

    if (!tensix_src_owned_by(h->c, src, bank, TENSIX_CLIENT_MATRIX_UNIT)) {
        tensix_hazard_report(h, h->traits->hazard,
                             &h->c->hazards.taken[src][bank]);
    }
}

void tensix_hazard_banks(const HazardCheck *h)
{
    uint32_t over = tensix_insn_banks_over(h->i->word);
    uint32_t back = tensix_insn_banks_back(h->i->word);

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        uint32_t bank = h->c->s.matrix_bank[src] & SRC_BANK_MASK;

        if (over >> src & 1) {
            check_hand_over(h, src);
        }
        if (back >> src & 1) {
            h->c->hazards.taken[src][bank] = tensix_hazard_site(h);
        }
    }
    if (h->traits->moves_to_srca) {
        check_move_to_src(h, TENSIX_SRCA);
    }
    if (h->traits->moves_to_srcb) {
        check_move_to_src(h, TENSIX_SRCB);
    }
}
