/*
 * Torture, BRISC: leads, and is the other end of every path.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "torture.h"

/* A barrier now and then: TRISCs alternate between full and empty. */
enum { BARRIER_EVERY = 1024 };

static const char *const path_names[PATHS] = {
    "trisc0 pushes, SEMWAIT, GPRs",
    "PCBuf brisc -> trisc0",
    "PCBuf brisc -> trisc1",
    "PCBuf brisc -> trisc2",
    "mailbox trisc0 -> trisc1",
    "mailbox trisc1 -> trisc2",
    "mailbox trisc2 -> brisc",
};

static void order(unsigned thread, uint32_t what, uint32_t count)
{
    PCBUF(thread) = what;
    PCBUF(thread) = count;
}

/* Hands out a ticket per block; thread 1 waits while there are enough. */
static void torture_push(uint32_t count)
{
    PUSH_THREAD(SEM_POSTER_THREAD) =
        TT(SEMINIT, .sem_sel = SEM_MASK(SEM_TICKET), .max_value = TICKETS);
    pcbuf_barrier(SEM_POSTER_THREAD);
    order(0, ORDER_PUSH, count);
    for (uint32_t block = 0; block < count / BLOCK_WORDS; block++) {
        PUSH_THREAD(SEM_POSTER_THREAD) = TT_SEM_WAIT(SEM_TICKET, WHILE_FULL);
        PUSH_THREAD(SEM_POSTER_THREAD) =
            TT(SEMPOST, .sem_sel = SEM_MASK(SEM_TICKET));
    }
    pcbuf_barrier(0);
}

static void torture_pcbuf(uint32_t count)
{
    for (unsigned i = 0; i < 3; i++) {
        order(i, ORDER_PCBUF, count);
    }
    for (uint32_t word = 0; word < count; word++) {
        for (unsigned i = 0; i < 3; i++) {
            PCBUF(i) = word_value(word, PATH_PCBUF + i);
        }
        if (word % BARRIER_EVERY == BARRIER_EVERY - 1) {
            pcbuf_barrier(word / BARRIER_EVERY % 3);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        pcbuf_barrier(i);
    }
}

static void torture_mailbox(uint32_t count)
{
    for (unsigned i = 0; i < 3; i++) {
        order(i, ORDER_MAILBOX, count);
    }
    receive(PATH_MAIL_T2_B, &MAILBOX(MAIL_TRISC2), count);
    for (unsigned i = 0; i < 3; i++) {
        pcbuf_barrier(i);
    }
}

/* Prints the reports of paths first to last - 1; number of bad paths. */
static unsigned show(unsigned first, unsigned last, uint32_t count)
{
    unsigned bad = 0;

    for (unsigned path = first; path < last; path++) {
        Report *r = &SHARED->report[path];
        bool ok = !r->errors && r->words > count - BLOCK_WORDS;

        print("%-30s %8u words %8u errors  %s\n", path_names[path], r->words,
              r->errors, ok ? "ok" : "FAILED");
        if (r->errors) {
            print("    first at %u: got 0x%08x, expected 0x%08x\n",
                  r->first_bad, r->got, r->wanted);
        }
        bad += !ok;
        r->clock = WALL_CLOCK_LOW;
    }
    return bad;
}

int main(void)
{
    uint32_t count = SHARED->words ? SHARED->words : DEFAULT_WORDS;
    unsigned bad = 0;

    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(1) |
                  SOFT_RESET_TRISC(2));
    torture_push(count);
    bad += show(PATH_PUSH, PATH_PCBUF, count);
    torture_pcbuf(count);
    bad += show(PATH_PCBUF, PATH_MAIL_T0_T1, count);
    torture_mailbox(count);
    bad += show(PATH_MAIL_T0_T1, PATHS, count);
    SHARED->finished = bad ? 2 : 1;
    if (!SHARED->stay) {
        leave(bad != 0);
    }
    return 0;
}
