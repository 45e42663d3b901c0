/*
 * C = A x B, TRISC0: tiles of A to SrcB, of B to SrcA.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "matmul.h"

/* All pairs of tiles whose products make up one tile of C. */
static void unpack_products(uint32_t row, uint32_t column)
{
    uint32_t inner = SHARED->inner;
    uint32_t a = A_BASE + row * inner * TILE_BYTES;
    uint32_t b = B_BASE + column * inner * TILE_BYTES;

    for (uint32_t k = 0; k < inner; k++) {
        point_unpackers(b + k * TILE_BYTES, a + k * TILE_BYTES);
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCB));
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
    }
}

int main(void)
{
    set_up_unpackers();
    for (uint32_t row = 0; row < SHARED->rows; row++) {
        for (uint32_t column = 0; column < SHARED->columns; column++) {
            unpack_products(row, column);
        }
    }
    return 0;
}
