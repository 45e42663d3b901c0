/*
 * Demo, NCRISC: adds the results up, as bit patterns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "demo.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "ncrisc";

int main(void)
{
    uint32_t sum = 0;

    SHARED->started[1] = (uint32_t)(uintptr_t)main;
    while (!SHARED->results_ready) {
        fence();
    }
    for (unsigned n = 0; n < VALUES; n++) {
        sum += SHARED->result[n];
    }
    SHARED->sum = sum;
    SHARED->sum_ready = 1;
    return 0;
}
