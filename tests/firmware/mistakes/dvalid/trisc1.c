/*
 * The sum waits for SrcB, for ever.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tensix.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

int main(void)
{
    TTINSN(ELWADD, .clear_dvalid = 3);
    wait_coprocessor();
    return 0;
}
