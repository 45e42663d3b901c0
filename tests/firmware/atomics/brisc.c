/*
 * Atomics, BRISC: adds by AMO until TRISC0 has finished.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "atomics.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "brisc";

static void atomic_add(uint32_t *word, uint32_t value)
{
    __asm__ volatile(".option push\n"
                     ".option arch, +a\n"
                     "amoadd.w zero, %1, (%0)\n"
                     ".option pop"
                     : : "r"(word), "r"(value) : "memory");
}

int main(void)
{
    uint32_t n = 0;

    release_harts(SOFT_RESET_TRISC(0));
    do {
        for (unsigned i = 0; i < BLOCK; i++) {
            atomic_add(&SHARED->counter, 1);
            atomic_add(&SHARED->halves, 1 << 16);
        }
        n += BLOCK;
        fence();
    } while (!SHARED->trisc0_finished);
    SHARED->added_by_brisc = n;
    return 0;
}
