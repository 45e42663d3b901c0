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
    }
    PUSH_OWN = TT(SETC16, .setc16_reg = THREAD_CFG_SRCA_SET,
                  .setc16_value = job == JOB_TO_DEST ? 0 : ROWS_BY_ADDRESS);
}

/* Where tile n is; the stores arrive before what is pushed from now on. */
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
    TTINSN(STALLWAIT, .stall_res = BLOCK_UNPACK,
           .wait_res = UNTIL_CFG_STORED);
}

static void unpack_pair(void)
{
    ttinsn(TT_UNPACK(0, 1));
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

static void unpack_to_dest(void)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_UNPACK, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    ttinsn(TT_UNPACK(0, 0));
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_UNPACKED);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

static void unpack(uint32_t job)
{
    switch (job) {
    case JOB_ADD:
    case JOB_MAX:
    case JOB_SUM:
        unpack_pair();
        break;
    case JOB_TRANSPOSE:
        unpack_transposed();
        break;
    case JOB_TO_DEST:
        unpack_to_dest();
        break;
    default:
        ttinsn(TT_UNPACK(0, 1));
        break;
    }
}

int main(void)
{
    uint32_t job = SHARED->job;

    set_up_counters(job);
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        point_unpackers(n);
        unpack(job);
    }
    return 0;
}
