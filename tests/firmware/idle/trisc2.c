/*
 * Idle, TRISC2: stalls on a mailbox, on MOPExpanderDoneCheck or on its PCBuf.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idle.h"

/* A MOP whose first instruction waits, so that its expansion never ends. */
static void start_endless_mop(void)
{
    const uint32_t loop[] = {
        2, 100, TT_SEM_WAIT(SEM_NEVER, WHILE_ZERO), TT_NOP, TT_NOP,
        TT(DMANOP), TT_NOP, TT(DMANOP), TT(DMANOP),
    };

    for (unsigned i = 0; i < sizeof(loop) / sizeof(loop[0]); i++) {
        MOP_CFG[i] = loop[i];
    }
    TTINSN(MOP, .mop_type = 1);
}

int main(void)
{
    SHARED->started[2] = 1;
    switch (SHARED->variant) {
    case 0:
        (void)MAILBOX(MAIL_TRISC1);
        break;
    case 1:
        start_endless_mop();
        wait_mop_expander();
        break;
    default:
        (void)PCBUF_OWN;
        break;
    }
    return 0;
}
