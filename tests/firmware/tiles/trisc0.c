/*
 * Tiles, TRISC0: from L1 to SrcA and SrcB, or to Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md, with Blackhole's 64 datums that unpacker 0 skips.
 */

#include "tiles.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

/* Unpacks in context 0, as far as X goes. */
#define TT_UNPACK(unpacker, last) \
    TT(UNPACR, .Unpack_block_selection = (unpacker), .OvrdThreadId = 1, \
       .SetDatValid = (last), .Last = 1)

enum { SKIPPED_DATUMS = 64 };      /* unpacker 0's output starts after them */

static void set_up_counters(uint32_t job)
{
    set_up_unpackers();
    if (job == JOB_TRANSPOSE) {
        TTINSN(SETADCXX, .CntSetMask = ADC_UNPACKER0, .x_end2 = FACE_DATUMS - 1);
    } else if (tilizes_by_face(job)) {
        TTINSN(SETADCXX, .CntSetMask = ADC_UNPACKER0,
               .x_end2 = 2 * FACE_DATUMS - 1);
    }
    if (job == JOB_TO_DEST) {
        ttinsn(TT_SET_THREAD_CFG(SRCA_SET_SetOvrdWithAddr, 0));
    }
}

/* Stores to the configuration arrive before what is pushed from now on. */
static void wait_for_stores(void)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_UNPACK,
           .wait_res = UNTIL_CFG_STORED);
}

/* Where tile n is. */
static void point_to_tile(uint32_t n)
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
    ttinsn(TT_UNPACK(UNPACK_SRCA, 1));
    ttinsn(TT_UNPACK(UNPACK_SRCB, 1));
}

#define CLEAR(unpacker) \
    TTINSN(UNPACR_NOP, .Unpacker_Select = (unpacker), \
           .Unpack_Pop = UNPACK_NOP_CLEAR_SRC, .Stall_Clr_Cntrl = 1, .Set_Dvalid = 1)

/* After a and b, the bias in SrcB, and zeroes in SrcA. */
static void unpack_dense(uint32_t n)
{
    unpack_pair();
    wait_coprocessor();
    CFG[CFG_THCON_SEC1_REG3_Base_address_WORD] =
        tile_base(SHARED->bias + n * SHARED->in_step);
    wait_for_stores();
    CLEAR(UNPACK_SRCA);
    ttinsn(TT_UNPACK(UNPACK_SRCB, 1));
}

#define FACE(from, to, last) do { \
        TTINSN(SETADCZW, .CntSetMask = ADC_UNPACKER0, .BitMask = CH0_Z | CH1_Z, \
               .Ch0_X = (from), .Ch1_X = (to)); \
        ttinsn(TT_UNPACK(UNPACK_SRCA, last)); \
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
    ttinsn(TT_UNPACK(UNPACK_SRCA, 0));
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
            ttinsn(TT_UNPACK(UNPACK_SRCA, 1));
        }
        break;
    }
    if (copies_integers(job)) {
        CLEAR(UNPACK_SRCB);
    }
}

int main(void)
{
    uint32_t job = SHARED->job;

    set_up_counters(job);
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        point_to_tile(n);
        unpack(job, n);
    }
    return 0;
}
