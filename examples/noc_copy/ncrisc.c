/*
 * A copy over the NoC, NCRISC: from the ring to DRAM.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "copy.h"

int main(void)
{
    uint32_t bank = NOC_DRAM(SHARED->to_bank);
    Noc noc = noc_open(1);

    for (uint32_t block = 0; block < SHARED->blocks; block++) {
        while (SHARED->filled <= block) {
            fence();
        }
        noc_write(&noc, bank, SHARED->to + block * BLOCK_BYTES,
                  ring_address(block), BLOCK_BYTES);
        noc_wait(&noc);
        SHARED->emptied = block + 1;
    }
    return 0;
}
