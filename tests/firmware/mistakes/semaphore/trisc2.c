/*
 * The packer thread waits for Dest, for ever.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

static inline void wait_for_math(void)
{
    ttinsn(TT_SEM_WAIT(SEM_MATH_PACK, WHILE_ZERO));
}

int main(void)
{
    TTINSN(SEMINIT, .max_value = 1, .sem_sel = SEM_MASK(SEM_MATH_PACK));
    wait_for_math();
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK));
    wait_coprocessor();
    return 0;
}
