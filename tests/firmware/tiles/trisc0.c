/*
 * Tiles, TRISC0: from L1 to SrcA and SrcB, or to Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md, with Blackhole's 64 datums that unpacker 0 skips.
 */

#include "tiles.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

enum {
    THREAD_CFG_SRCA_SET = 5,
    ROWS_BY_ADDRESS = 1 << 2,      /* SRCA_SET_SetOvrdWithAddr */
    SKIPPED_DATUMS = 64,
    CLEAR_SRC = 1,                 /* Unpack_Pop of UNPACR_NOP */
};

/* Unpacks in context 0, as far as X goes. */
#define TT_UNPACK(unpacker, last) \
    TT(UNPACR, .Unpack_block_selection = (unpacker), .OvrdThreadId = 1, \
       .SetDatValid = (last), .Last = 1)

static void set_up_counters(uint32_t job)
{
    TTINSN(SETADCXX, .CntSetMask = UNPACKER0 | UNPACKER1,
           .x_end2 = TILE_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = UNPACKER0 | UNPACKER1,
           .BitMask = CH0_Y | CH1_Y);
    TTINSN(SETADCZW, .CntSetMask = UNPACKER0 | UNPACKER1,
           .BitMask = ALL_COUNTERS);
    if (job == JOB_TRANSPOSE) {
        TTINSN(SETADCXX, .CntSetMask = UNPACKER0, .x_end2 = FACE_DATUMS - 1);
    } else if (tilizes_by_face(job)) {
        TTINSN(SETADCXX, .CntSetMask = UNPACKER0,
               .x_end2 = 2 * FACE_DATUMS - 1);
    }
    PUSH_OWN = TT(SETC16, .setc16_reg = THREAD_CFG_SRCA_SET,
                  .setc16_value = job == JOB_TO_DEST ? 0 : ROWS_BY_ADDRESS);
}

/* Stores to the configuration arrive before what is pushed from now on. */
static void wait_for_stores(void)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_UNPACK,
           .wait_res = UNTIL_CFG_STORED);
}

/* Where tile n is. */
static void point_unpackers(uint32_t n)
{
    wait_coprocessor();
    CFG[CFG_THCON_SEC0_REG3_Base_address_WORD] =
        tile_base(SHARED->a + n * SHARED->in_step);
    CFG[CFG_THCON_SEC1_REG3_Base_address_WORD] =
        tile_base(SHARED->b + n * SHARED->in_step);
    CFG[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD] = SKIPPED_DATUMS +
        (SHARED->job == JOB_TO_DEST ? n % DEST_HALVES * DEST_HALF_ROWS *
                                      ROW_DATUMS : 0);
    wait_for_stores();
}

static void unpack_pair(void)
{
    ttinsn(TT_UNPACK(0, 1));
    ttinsn(TT_UNPACK(1, 1));
}

#define CLEAR(unpacker) \
    TTINSN(UNPACR_NOP, .Unpacker_Select = (unpacker), \
           .Unpack_Pop = CLEAR_SRC, .Stall_Clr_Cntrl = 1, .Set_Dvalid = 1)

/* After a and b, the bias in SrcB, and zeroes in SrcA. */
static void unpack_dense(uint32_t n)
{
    unpack_pair();
    wait_coprocessor();
    CFG[CFG_THCON_SEC1_REG3_Base_address_WORD] =
        tile_base(SHARED->bias + n * SHARED->in_step);
    wait_for_stores();
    CLEAR(0);
    ttinsn(TT_UNPACK(1, 1));
}

#define FACE(from, to, last) do { \
        TTINSN(SETADCZW, .CntSetMask = UNPACKER0, .BitMask = CH0_Z | CH1_Z, \
               .Ch0_X = (from), .Ch1_X = (to)); \
        ttinsn(TT_UNPACK(0, last)); \
    } while (0)

/* Each face is transposed on its way; 1 and 2 change places. */
static void unpack_transposed(void)
{
    FACE(0, 0, 0);
    FACE(2, 1, 0);
    FACE(1, 2, 0);
    FACE(3, 3, 1);
}

/* Left faces to the first half of SrcA, right ones to the second. */
static void unpack_tilized_by_face(uint32_t n)
{
    FACE(0, 0, 0);
    wait_coprocessor();
    CFG[CFG_THCON_SEC0_REG3_Base_address_WORD] =
        tile_base(SHARED->a + n * SHARED->in_step + ROW_DATUMS);
    wait_for_stores();
    FACE(0, 2, 1);
}

static void unpack_to_dest(void)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_UNPACK, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    ttinsn(TT_UNPACK(0, 0));
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_UNPACKED);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

static void unpack(uint32_t job, uint32_t n)
{
    switch (job) {
    case JOB_ADD:
    case JOB_MAX:
    case JOB_SUM:
        unpack_pair();
        break;
    case JOB_DENSE:
        unpack_dense(n);
        break;
    case JOB_TRANSPOSE:
        unpack_transposed();
        break;
    case JOB_TO_DEST:
        unpack_to_dest();
        break;
    default:
        if (tilizes_by_face(job)) {
            unpack_tilized_by_face(n);
        } else {
            ttinsn(TT_UNPACK(0, 1));
        }
        break;
    }
    if (copies_integers(job)) {
        CLEAR(1);
    }
}

int main(void)
{
    uint32_t job = SHARED->job;

    set_up_counters(job);
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        point_unpackers(n);
        unpack(job, n);
    }
    return 0;
}
