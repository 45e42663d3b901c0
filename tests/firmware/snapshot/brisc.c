/*
 * Snapshot, BRISC: brings everything to rest, polls `go`, lets it finish.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "snapshot.h"

static void post_mop(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        PUSH_THREAD(0) = TT(SEMPOST, .sem_sel = SEM_MASK(SEM_MOP));
    }
}

static void become_idle(void)
{
    PUSH_THREAD(0) = TT(SEMINIT, .max_value = 15,
                        .sem_sel = SEM_MASK(SEM_MOP) | SEM_MASK(SEM_REPLAY));
    CFG[CFG_RISC_DEST_ACCESS_CTRL_SEC0_fmt_WORD] = 0;
    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(1) |
                  SOFT_RESET_TRISC(2));
    for (unsigned i = 0; i < PCBUF_WORDS; i++) {
        PCBUF(0) = 0x1000 * i + 7;
    }
    for (unsigned i = 0; i < MAIL_WORDS; i++) {
        MAILBOX(MAIL_TRISC1) = 0x20000 * i + 9;
    }
    post_mop(OUTER_BEFORE);
    SHARED->ready = 1;
}

static void finish(void)
{
    MAILBOX(MAIL_TRISC0) = 0x5EED;
    pcbuf_barrier(0);
    post_mop(OUTER - OUTER_BEFORE);
    PUSH_THREAD(0) = TT(SEMPOST, .sem_sel = SEM_MASK(SEM_REPLAY));
    pcbuf_barrier(1);
    pcbuf_barrier(2);
}

int main(void)
{
    become_idle();
    while (!SHARED->go) {
        fence();
    }
    finish();
    SHARED->done = 1;
    return 0;
}
