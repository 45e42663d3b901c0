/*
 * Snapshot, TRISC0: waits for a mailbox, then empties its PCBuf.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "snapshot.h"

int main(void)
{
    uint32_t sum = MAILBOX(MAIL_BRISC);

    for (unsigned i = 0; i < PCBUF_WORDS; i++) {
        sum = sum * 31 + PCBUF_OWN;
    }
    SHARED->pcbuf_sum = sum;
    (void)PCBUF_OWN;
    return 0;
}
