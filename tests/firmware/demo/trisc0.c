/*
 * Demo, TRISC0: writes x into Dest through the Dest window.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "demo.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

static void fill_face(uint32_t face, uint32_t first, uint32_t step)
{
    volatile uint32_t *dest = DEST_WINDOW + face * FACE_VALUES;

    for (uint32_t n = 0; n < FACE_VALUES; n++) {
        dest[n] = fp32_ratio(demo_k(first, step, n), X_SHIFT);
    }
    SEMAPHORE(SEM_FILLED) = SEMAPHORE_POST;
}

int main(void)
{
    SHARED->started[2] = (uint32_t)(uintptr_t)main;
    for (;;) {
        if (PCBUF_OWN == COMMAND_FILL) {
            uint32_t face = PCBUF_OWN;
            uint32_t first = PCBUF_OWN;
            uint32_t step = PCBUF_OWN;

            fill_face(face, first, step);
        }
    }
}
