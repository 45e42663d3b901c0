/*
 * A mistake: a call by way of a pointer that has not been set.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

static void (*volatile step)(void);

int main(void)
{
    /* forgotten: step = add; */
    step();
    wait_coprocessor();
    return 0;
}
