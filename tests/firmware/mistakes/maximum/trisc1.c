/*
 * A mistake: the semaphore's maximum is not set, so it is full from the start.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/tile.h"

int main(void)
{
    set_up_math();
    /* forgotten: SEMINIT of SEM_MATH_PACK */
    begin_dest_half(0);
    TTINSN(ZEROACC, .clear_mode = ZEROACC_HALF);
    end_dest_half();
    wait_coprocessor();
    return 0;
}
