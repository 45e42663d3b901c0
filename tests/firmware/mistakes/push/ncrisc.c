/*
 * A mistake: NCRISC has no way to the coprocessor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "ncrisc";

int main(void)
{
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(1));
    return 0;
}
