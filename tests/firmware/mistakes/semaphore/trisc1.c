/*
 * A mistake: the math thread is done with Dest and does not say so.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

int main(void)
{
    TTINSN(ZEROACC, .clear_mode = ZEROACC_ALL);
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    /* forgotten: TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK)); */
    return 0;
}
