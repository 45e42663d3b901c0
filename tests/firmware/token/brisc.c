/*
 * Token, BRISC of each tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "token.h"

static uint32_t tile(unsigned number)
{
    return NOC_TILE(FIRST_X + number % SHARED->columns,
                    FIRST_Y + number / SHARED->columns);
}

static unsigned own_number(void)
{
    unsigned number = 0;

    while (tile(number) != NOC_OWN_TILE) {
        number++;
    }
    return number;
}

int main(void)
{
    unsigned tiles = SHARED->columns * SHARED->rows, own = own_number();
    uint32_t next = tile((own + 1) % tiles);
    Noc noc = noc_open(own % 2);

    for (uint32_t round = 0; round < SHARED->rounds; round++) {
        while (own && SHARED->token <= round) {
            fence();
        }
        noc_add(&noc, next, (uint32_t)(uintptr_t)&SHARED->token, 1);
        while (!own && SHARED->token <= round) {
            fence();
        }
    }
    SHARED->finished = 1;
    return 0;
}
