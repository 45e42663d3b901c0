/*
 * A mistake: the hart reads its orders, and none was written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

static inline uint32_t next_order(void)
{
    return MAILBOX(MAIL_BRISC);
}

int main(void)
{
    return next_order();
}
