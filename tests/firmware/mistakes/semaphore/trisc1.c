/*
 * A mistake: the math thread is done with Dest and does not say so.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "semaphore.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

int main(void)
{
    TTINSN(ZEROACC, .clear_mode = ALL_OF_DEST);
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    /* forgotten: TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK)); */
    return 0;
}
