/*
 * Tiles, TRISC1: from SrcA and SrcB to Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ELWADD.md, GMPOOL.md, GAPOOL.md, MOVA2D.md, RWCs.md; ../mvmul.h.
 */

#include "tiles.h"
#include "../mvmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

enum {
    BANK_A = 1, BANK_A_AND_B = 3,
    RWC_DEST = 4, ALL_RWCS = 0xF,
    WHOLE_DEST = 3,                /* clear_mode of ZEROACC */
    EIGHT_AT_ONCE = 2,             /* instr_mod of MOVA2D; 0 is one row */
    BLOCKS = 8,                    /* of eight rows in a tile */
    TILE_HALF_ROWS = 32,
    THREAD_CFG_FIDELITY_BASE = 11,
    FIDELITY_PHASES = 4,
    SAME_ROW_OF_B = 2,             /* instr_mod19 of ELWADD: for all eight */
};

/* Address modifiers; JOB_DENSE has those of mvmul.h and the last two. */
enum {
    NEXT_BLOCK,                    /* eight rows on, everywhere */
    NEXT_FACE,                     /* of SrcA */
    TO_RIGHT_FACE,                 /* of Dest, the next row of SrcA */
    TO_NEXT_ROW,                   /* of Dest, back in the left face */
    NEXT_OF_SRC,                   /* eight rows on, not in Dest */
    STAY = 6,
    RIGHT_FACE_OF_B,
};

static void set_up_address_modifiers(uint32_t job)
{
    if (job == JOB_DENSE) {
        set_up_phase_modifiers();
        ADDRESS_MODIFIER(STAY, 0, 0);
        ADDRESS_MODIFIER(RIGHT_FACE_OF_B, B_ROWS(FACE_ROWS), 0);
        return;
    }
    ADDRESS_MODIFIER(NEXT_BLOCK, A_ROWS(EIGHT_ROWS) | B_ROWS(EIGHT_ROWS),
                     EIGHT_ROWS);
    ADDRESS_MODIFIER(NEXT_FACE, A_ROWS(FACE_ROWS), 0);
    ADDRESS_MODIFIER(TO_RIGHT_FACE, A_ROWS(1), FACE_ROWS);
    ADDRESS_MODIFIER(TO_NEXT_ROW, A_ROWS(1), DEST_CR | 1);
    ADDRESS_MODIFIER(NEXT_OF_SRC, A_ROWS(EIGHT_ROWS), 0);
}

/* The macro operation: `count` times first, or first and second in turn. */
static void set_up_mop(uint32_t count, uint32_t first, uint32_t second)
{
    uint32_t last = second == TT_NOP ? first : second;
    const uint32_t words[] = {
        1, count, TT_NOP, TT_NOP, TT_NOP, first, second, last, last,
    };

    write_mop(words);
}

/* The bank goes back at the end of each tile, so it is not in the MOP. */
static void set_up_job(uint32_t job)
{
    if (job == JOB_ADD || copies_integers(job)) {
        set_up_mop(BLOCKS, TT(ELWADD, .addr_mode = NEXT_BLOCK), TT_NOP);
    } else if (job == JOB_DENSE) {
        record_phase();
        set_up_mop(FIDELITY_PHASES, TT_PLAY_PHASE, TT_NOP);
    } else if (job == JOB_TILIZE) {
        set_up_mop(FACE_ROWS, TT(MOVA2D, .addr_mode = TO_RIGHT_FACE),
                   TT(MOVA2D, .addr_mode = TO_NEXT_ROW));
    } else {
        set_up_mop(BLOCKS, TT(MOVA2D, .addr_mode = NEXT_BLOCK,
                              .instr_mod = EIGHT_AT_ONCE), TT_NOP);
    }
}

static void set_math_offset(uint32_t row)
{
    PUSH_OWN = TT(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET,
                  .setc16_value = row);
}

/* Faces 0 and 2 into one row of Dest, 1 and 3 into the other. */
#define POOL(instruction) do { \
        TTINSN(instruction, .instr_mod19 = 1, .pool_addr_mode = NEXT_FACE); \
        TTINSN(instruction, .instr_mod19 = 1, .pool_addr_mode = NEXT_FACE, \
               .dst = FACE_ROWS); \
    } while (0)

/* Each phase multiplies other bits of SrcA with other bits of SrcB. */
static void sum_columns(void)
{
    for (uint32_t phase = 0; phase < FIDELITY_PHASES; phase++) {
        PUSH_OWN = TT(SETC16, .setc16_reg = THREAD_CFG_FIDELITY_BASE,
                      .setc16_value = phase);
        POOL(GAPOOL);
        POOL(GAPOOL);
        TTINSN(SETRWC, .BitMask = ALL_RWCS);
    }
}

#define ADD_BIAS(row, modifier) \
    TTINSN(ELWADD, .addr_mode = (modifier), .dest_accum_en = 1, \
           .instr_mod19 = SAME_ROW_OF_B, .dst = (row))

/* All phases of b x a; then Dest += 0 + bias, face by face. */
static void dense(void)
{
    TTINSN(MOP, .mop_type = 1);
    TTINSN(SETRWC, .clear_ab_vld = BANK_A_AND_B, .BitMask = ALL_RWCS);
    ADD_BIAS(0, STAY);
    ADD_BIAS(8, STAY);
    ADD_BIAS(32, STAY);
    ADD_BIAS(40, RIGHT_FACE_OF_B);
    ADD_BIAS(16, STAY);
    ADD_BIAS(24, STAY);
    ADD_BIAS(48, STAY);
    ADD_BIAS(56, STAY);
}

/* SrcA's rows are left and right halves in turn; 16 of each make two faces. */
static void tilize(uint32_t row)
{
    TTINSN(MOP, .mop_type = 1);
    set_math_offset(row + TILE_HALF_ROWS);
    TTINSN(SETRWC, .BitMask = RWC_DEST);
    TTINSN(MOP, .mop_type = 1);
}

#define COPY_ROWS(row) do { \
        if (SHARED->integer) { \
            TTINSN(ELWADD, .addr_mode = NEXT_OF_SRC, .dst = (row)); \
        } else { \
            TTINSN(MOVA2D, .addr_mode = NEXT_OF_SRC, \
                   .instr_mod = EIGHT_AT_ONCE, .dst = (row)); \
        } \
    } while (0)

/* SrcA has the left faces before the right ones. */
static void tilize_by_face(void)
{
    COPY_ROWS(0);
    COPY_ROWS(8);
    COPY_ROWS(32);
    COPY_ROWS(40);
    COPY_ROWS(16);
    COPY_ROWS(24);
    COPY_ROWS(48);
    COPY_ROWS(56);
}

static void compute(uint32_t job, uint32_t row)
{
    switch (job) {
    case JOB_MAX:
        POOL(GMPOOL);
        POOL(GMPOOL);
        break;
    case JOB_SUM:
        sum_columns();
        break;
    case JOB_DENSE:
        dense();
        break;
    case JOB_TILIZE:
        if (tilizes_by_face(job)) {
            tilize_by_face();
        } else {
            tilize(row);
        }
        break;
    default:
        TTINSN(MOP, .mop_type = 1);
        break;
    }
    if (job <= JOB_DENSE || copies_integers(job)) {
        TTINSN(SETRWC, .clear_ab_vld = BANK_A_AND_B, .BitMask = ALL_RWCS);
    } else {
        TTINSN(SETRWC, .clear_ab_vld = BANK_A, .BitMask = ALL_RWCS);
    }
}

static void next_tile(uint32_t job, uint32_t half)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_MATH, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    set_math_offset(half * DEST_HALF_ROWS);
    compute(job, half * DEST_HALF_ROWS);
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

int main(void)
{
    uint32_t job = SHARED->job;

    set_up_address_modifiers(job);
    set_up_job(job);
    if (job == JOB_TO_DEST) {
        return 0;                  /* TRISC0 and TRISC2 do it all */
    }
    TTINSN(ZEROACC, .clear_mode = WHOLE_DEST);
    TTINSN(SETRWC, .BitMask = ALL_RWCS);
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        next_tile(job, n % DEST_HALVES);
    }
    return 0;
}
