/*
 * Idle, TRISC0: stalls on a full push FIFO, a full mailbox or an empty PCBuf.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idle.h"

enum { MORE_THAN_A_FIFO = 64, MORE_THAN_A_MAILBOX = 8 };

static void push_laps(void)
{
    for (;;) {
        ttinsn(TT_SEM_WAIT(SEM_LAP, WHILE_ZERO));
        TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_LAP));
        for (unsigned i = 0; i < MORE_THAN_A_FIFO; i++) {
            TTINSN(DMANOP);
        }
        SHARED->laps++;
    }
}

int main(void)
{
    SHARED->started[0] = 1;
    switch (SHARED->variant) {
    case 0:
        push_laps();
        break;
    case 1:
        for (unsigned i = 0; i < MORE_THAN_A_MAILBOX; i++) {
            MAILBOX(MAIL_TRISC1) = i;
        }
        break;
    default:
        ttinsn(TT_SEM_WAIT(SEM_NEVER, WHILE_ZERO));
        TTINSN(DMANOP);
        (void)PCBUF_OWN;
        break;
    }
    return 0;
}
