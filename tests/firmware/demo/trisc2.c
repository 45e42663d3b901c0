/*
 * Demo, TRISC2: reads Dest through its window and writes L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "demo.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

static void drain_face(uint32_t face)
{
    uint32_t first = face * FACE_VALUES;

    ttinsn(TT_SEM_WAIT(SEM_COMPUTED, WHILE_ZERO));
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_COMPUTED));
    wait_coprocessor();
    for (uint32_t n = first; n < first + FACE_VALUES; n++) {
        SHARED->result[n] = DEST_WINDOW[n];
    }
}

int main(void)
{
    SHARED->started[4] = (uint32_t)(uintptr_t)main;
    for (;;) {
        if (PCBUF_OWN == COMMAND_DRAIN) {
            drain_face(PCBUF_OWN);
        }
    }
}
