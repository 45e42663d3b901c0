/*
 * The sum waits for SrcB, for ever.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

int main(void)
{
    TTINSN(ELWADD, .clear_dvalid = RELEASE_SRCA_SRCB);
    wait_coprocessor();
    return 0;
}
