/*
 * Tiles, TRISC1: from SrcA and SrcB to Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ELWADD.md, GMPOOL.md, GAPOOL.md, MOVA2D.md, RWCs.md; blackhole-tile/mvmul.h.
 */

#include "tiles.h"
#include "blackhole-tile/mvmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

enum {
    BLOCKS = 8,                    /* of eight rows in a tile */
    TILE_HALF_ROWS = 32,
    FIDELITY_PHASES = 4,
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
        SET_ADDR_MOD(STAY, .dest = { 0 });
        SET_ADDR_MOD(RIGHT_FACE_OF_B, .srcb = { .incr = FACE_ROWS });
        return;
    }
    SET_ADDR_MOD(NEXT_BLOCK, .srca = { .incr = EIGHT_ROWS },
                 .srcb = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_ADDR_MOD(NEXT_FACE, .srca = { .incr = FACE_ROWS });
    SET_ADDR_MOD(TO_RIGHT_FACE, .srca = { .incr = 1 },
                 .dest = { .incr = FACE_ROWS });
    SET_ADDR_MOD(TO_NEXT_ROW, .srca = { .incr = 1 },
                 .dest = { .incr = 1, .cr = 1 });
    SET_ADDR_MOD(NEXT_OF_SRC, .srca = { .incr = EIGHT_ROWS });
}

/* The bank goes back at the end of each tile, so it is not in the MOP. */
static void set_up_job(uint32_t job)
{
    if (job == JOB_ADD || copies_integers(job)) {
        SET_MOP_LOOP(.outer = 1, .inner = BLOCKS,
                     .op0 = TT(ELWADD, .addr_mode = NEXT_BLOCK));
    } else if (job == JOB_DENSE) {
        record_phase();
        SET_MOP_LOOP(.outer = 1, .inner = FIDELITY_PHASES,
                     .op0 = TT_PLAY_PHASE);
    } else if (job == JOB_TILIZE) {
        SET_MOP_LOOP(.outer = 1, .inner = FACE_ROWS,
                     .op0 = TT(MOVA2D, .addr_mode = TO_RIGHT_FACE),
                     .op1 = TT(MOVA2D, .addr_mode = TO_NEXT_ROW));
    } else {
        SET_MOP_LOOP(.outer = 1, .inner = BLOCKS,
                     .op0 = TT(MOVA2D, .addr_mode = NEXT_BLOCK,
                               .instr_mod = MOVA2D_8_ROWS));
    }
}

static void set_math_offset(uint32_t row)
{
    PUSH_OWN = TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset, row);
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
        PUSH_OWN = TT_SET_THREAD_CFG(FIDELITY_BASE_Phase, phase);
        POOL(GAPOOL);
        POOL(GAPOOL);
        TTINSN(SETRWC, .BitMask = RWC_ALL);
    }
}

#define ADD_BIAS(row, modifier) \
    TTINSN(ELWADD, .addr_mode = (modifier), .dest_accum_en = 1, \
           .instr_mod19 = BROADCAST_ROW, .dst = (row))

/* All phases of b x a; then Dest += 0 + bias, face by face. */
static void dense(void)
{
    RUN_MOP_LOOP();
    TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB, .BitMask = RWC_ALL);
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
    RUN_MOP_LOOP();
    set_math_offset(row + TILE_HALF_ROWS);
    TTINSN(SETRWC, .BitMask = RWC_DEST);
    RUN_MOP_LOOP();
}

#define COPY_ROWS(row) do { \
        if (SHARED->integer) { \
            TTINSN(ELWADD, .addr_mode = NEXT_OF_SRC, .dst = (row)); \
        } else { \
            TTINSN(MOVA2D, .addr_mode = NEXT_OF_SRC, \
                   .instr_mod = MOVA2D_8_ROWS, .dst = (row)); \
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
        RUN_MOP_LOOP();
        break;
    }
    if (job <= JOB_DENSE || copies_integers(job)) {
        TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB, .BitMask = RWC_ALL);
    } else {
        TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA, .BitMask = RWC_ALL);
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
    TTINSN(ZEROACC, .clear_mode = ZEROACC_ALL);
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        next_tile(job, n % DEST_HALVES);
    }
    return 0;
}
