/*
 * examples/noc_copy, BRISC, with a mistake: x and y of the tile are swapped.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "copy.h"

int main(void)
{
    uint32_t bank = NOC_TILE(12, 17);  /* wrong: bank 0 is (17, 12) */
    Noc noc = noc_open(0);

    print("brisc: %u blocks from bank %u to bank %u\n", SHARED->blocks,
          SHARED->from_bank, SHARED->to_bank);
    release_harts(SOFT_RESET_NCRISC);
    for (uint32_t block = 0; block < SHARED->blocks; block++) {
        while (block - SHARED->emptied >= RING_BLOCKS) {
            fence();
        }
        noc_read(&noc, bank, SHARED->from + block * BLOCK_BYTES,
                 ring_address(block), BLOCK_BYTES);
        noc_wait(&noc);
        SHARED->filled = block + 1;
    }
    return 0;
}
