/*
 * Idle, BRISC: starts the three TRISCs, then stalls too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idle.h"

enum { MORE_THAN_A_PCBUF = 40 };

static void fill_pcbuf(void)
{
    for (unsigned i = 0; i < MORE_THAN_A_PCBUF; i++) {
        PCBUF(0) = i;
    }
}

int main(void)
{
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = 15,
                        .sem_sel = SEM_MASK(SEM_NEVER) | SEM_MASK(SEM_LAP));
    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(1) |
                  SOFT_RESET_TRISC(2));
    for (unsigned i = 0; i < 3; i++) {
        while (!SHARED->started[i]) {
            fence();
        }
    }
    SHARED->ready = 1;
    switch (SHARED->variant) {
    case 0:
        (void)MAILBOX(MAIL_TRISC0);    /* empty */
        break;
    case 1:
        fill_pcbuf();                  /* full */
        break;
    default:
        pcbuf_barrier(0);              /* thread 0 is never idle */
        break;
    }
    SHARED->ready = 2;
    return 0;
}
