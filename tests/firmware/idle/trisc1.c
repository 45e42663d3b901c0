/*
 * Idle, TRISC1: stalls on its PCBuf, on CoprocessorDoneCheck or on its own
 * mailbox.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idle.h"

int main(void)
{
    SHARED->started[1] = 1;
    switch (SHARED->variant) {
    case 0:
        (void)PCBUF_OWN;
        break;
    case 1:
        ttinsn(TT_SEM_WAIT(SEM_NEVER, WHILE_ZERO));
        TTINSN(DMANOP);
        wait_coprocessor();
        break;
    default:
        (void)MAILBOX(MAIL_TRISC1);
        break;
    }
    return 0;
}
