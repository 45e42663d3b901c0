/*
 * Multicast, BRISC of each tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "multicast.h"

#define OFFSET(member) ((uint32_t)(uintptr_t)&SHARED->member)

static unsigned own_number(void)
{
    uint32_t tile = NOC_OWN_TILE;

    return (NOC_Y(tile) - FIRST_Y) * SHARED->columns + NOC_X(tile) - FIRST_X;
}

/* The flag leaves when all have acknowledged the buffer. */
static void send(Noc *noc, uint32_t round)
{
    uint32_t first = NOC_TILE(FIRST_X, FIRST_Y);
    uint32_t last = NOC_TILE(FIRST_X + SHARED->columns - 1,
                             FIRST_Y + SHARED->rows - 1);
    unsigned receivers = SHARED->columns * SHARED->rows - 1;

    for (unsigned i = 0; i < WORDS; i++) {
        SHARED->buffer[i] = round * 1000003 + i * i;
    }
    noc_multicast(noc, first, last, receivers, OFFSET(buffer), OFFSET(buffer),
                  sizeof(SHARED->buffer));
    noc_wait(noc);
    SHARED->flag[OFFSET(round) % 16 / 4] = round;
    noc_multicast(noc, first, last, receivers, OFFSET(round),
                  OFFSET(flag) + OFFSET(round) % 16, sizeof(uint32_t));
    noc_wait(noc);
    while (SHARED->answers < round * receivers) {
        fence();
    }
}

static void answer(Noc *noc, uint32_t round)
{
    unsigned own = own_number();
    uint32_t sum = 0;

    while (SHARED->round < round) {
        fence();
    }
    for (unsigned i = 0; i < WORDS; i++) {
        sum += SHARED->buffer[i];
    }
    SHARED->answer[0] = sum;
    noc_write(noc, NOC_TILE(FIRST_X, FIRST_Y), OFFSET(sum[own][0]),
              OFFSET(answer), sizeof(uint32_t));
    noc_wait(noc);
    noc_add(noc, NOC_TILE(FIRST_X, FIRST_Y), OFFSET(answers), 1);
}

int main(void)
{
    Noc noc = noc_open(0);

    for (uint32_t round = 1; round <= ROUNDS; round++) {
        if (own_number()) {
            answer(&noc, round);
        } else {
            send(&noc, round);
        }
    }
    SHARED->finished = 1;
    return 0;
}
