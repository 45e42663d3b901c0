/*
 * Torture, TRISC0: pushes against a SEMWAIT, empties its PCBuf, starts the
 * chain of mailboxes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "torture.h"

/* The coprocessor adds up item numbers, and their running sums. */
enum { GPR_ITEM = 4, GPR_SUM, GPR_SUM_OF_SUMS, GPRS_USED = 3 };

static void clear_gprs(void)
{
    for (unsigned gpr = GPR_ITEM; gpr < GPR_ITEM + GPRS_USED; gpr++) {
        PUSH_OWN = TT_SET_GPR_HALF(2 * gpr, 0u);
        PUSH_OWN = TT_SET_GPR_HALF(2 * gpr + 1, 0u);
    }
}

static void push_block(uint32_t first)
{
    ttinsn(TT_SEM_WAIT(SEM_TICKET, WHILE_ZERO));
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_TICKET));
    for (uint32_t item = first; item < first + ITEMS; item++) {
        PUSH_OWN = TT_SET_GPR_HALF(2 * GPR_ITEM, item & 0xFFFF);
        ttinsn(TT_ADD_GPR(GPR_SUM, GPR_SUM, GPR_ITEM));
        ttinsn(TT_ADD_GPR(GPR_SUM_OF_SUMS, GPR_SUM_OF_SUMS, GPR_SUM));
    }
}

static void torture_push(uint32_t count)
{
    uint32_t blocks = count / BLOCK_WORDS;
    uint32_t sum = 0, sum_of_sums = 0;

    clear_gprs();
    for (uint32_t block = 0; block < blocks; block++) {
        push_block(block * ITEMS);
    }
    for (uint32_t item = 0; item < blocks * ITEMS; item++) {
        sum += item & 0xFFFF;
        sum_of_sums += sum;
    }
    wait_coprocessor();
    check(PATH_PUSH, 0, GPRS[GPR_SUM], sum);
    check(PATH_PUSH, 1, GPRS[GPR_SUM_OF_SUMS], sum_of_sums);
    check(PATH_PUSH, 2, SEMAPHORE(SEM_TICKET), 0);
    SHARED->report[PATH_PUSH].words = blocks * BLOCK_WORDS;
}

static void torture_mailbox(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        MAILBOX(MAIL_TRISC1) = word_value(i, PATH_MAIL_T0_T1);
    }
}

int main(void)
{
    for (;;) {
        uint32_t order = PCBUF_OWN;
        uint32_t count = PCBUF_OWN;

        switch (order) {
        case ORDER_PUSH:
            torture_push(count);
            break;
        case ORDER_PCBUF:
            receive(PATH_PCBUF, &PCBUF_OWN, count);
            break;
        case ORDER_MAILBOX:
            torture_mailbox(count);
            break;
        }
    }
}
