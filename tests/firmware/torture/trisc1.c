/*
 * Torture, TRISC1: empties its PCBuf, checks and hands on the mailbox words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "torture.h"

static void torture_mailbox(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check(PATH_MAIL_T0_T1, i, MAILBOX(MAIL_TRISC0),
              word_value(i, PATH_MAIL_T0_T1));
        MAILBOX(MAIL_TRISC2) = word_value(i, PATH_MAIL_T1_T2);
    }
    SHARED->report[PATH_MAIL_T0_T1].words = count;
}

int main(void)
{
    for (;;) {
        uint32_t order = PCBUF_OWN;
        uint32_t count = PCBUF_OWN;

        switch (order) {
        case ORDER_PCBUF:
            receive(PATH_PCBUF + 1, &PCBUF_OWN, count);
            break;
        case ORDER_MAILBOX:
            torture_mailbox(count);
            break;
        }
    }
}
