/*
 * Tiles, TRISC2: from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md, WH ZEROACC.md.
 */

#include "tiles.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

/* More address modifiers of the packer */
enum { PACK_RIGHT_FACE = PACK_FIRST_ROW + 1, PACK_NEXT_ROW };

/* One row of two faces after the other */
static void set_up_rows(void)
{
    SET_ADDR_MOD_PACK(PACK_RIGHT_FACE, .z_src = { .incr = 1 });
    SET_ADDR_MOD_PACK(PACK_NEXT_ROW, .y_src = { .incr = 1 },
                      .z_src = { .clr = 1 });
    SET_MOP_LOOP(.outer = 1, .inner = FACE_ROWS,
                 .op0 = TT(PACR, .AddrMode = PACK_RIGHT_FACE,
                           .ReadIntfSel = PACR_1_ROW),
                 .op1 = TT(PACR, .AddrMode = PACK_NEXT_ROW,
                           .ReadIntfSel = PACR_1_ROW));
}

/* Two faces side by side, those below them, and the stream's end. */
static void untilize(void)
{
    RUN_MOP_LOOP();
    TTINSN(SETADCXY, .CntSetMask = ADC_PACKER, .BitMask = CH0_Y);
    TTINSN(SETADCZW, .CntSetMask = ADC_PACKER, .BitMask = CH0_Z | CH0_W,
           .Ch0_Y = 1);
    RUN_MOP_LOOP();
    TTINSN(PACR, .AddrMode = PACK_FIRST_ROW, .Flush = 1, .Last = 1);
    TTINSN(SETADCZW, .CntSetMask = ADC_PACKER, .BitMask = CH0_Z | CH0_W);
}

static void pack(uint32_t job, uint32_t half)
{
    begin_pack_half();
    if (job == JOB_UNTILIZE) {
        untilize();
    } else {
        RUN_MOP_LOOP();
    }
    end_pack_half(half);
}

int main(void)
{
    uint32_t job = SHARED->job;

    set_up_packer();
    if (job == JOB_UNTILIZE) {
        set_up_rows();
    }
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        point_packer(SHARED->out + n * SHARED->out_step, n % DEST_HALVES);
        pack(job, n % DEST_HALVES);
        wait_coprocessor();
        SHARED->finished = n + 1;
    }
    return 0;
}
