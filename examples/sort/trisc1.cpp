/*
 * Y = sorted columns of X, TRISC1: each column of a face, 16 numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Batcher's bitonic sort.  Eight columns are in four vectors a, b, c, d of four
 * rows each; number 4 * row + vector is compared with others of its column.
 * Between vectors that is vec_min_max(); for rows, subvec_transp() makes vectors
 * of them.  Numbers are ordered as SFPSWAP orders them: -0 is below +0.
 */

#include "blackhole-tile/sfpi.h"
#include "sfpu.h"

using namespace sfpi;

/* Numbers at distance 1 and, first, those at distance 2 */
sfpi_inline void merge(vFloat &a, vFloat &b, vFloat &c, vFloat &d)
{
    vec_min_max(a, c);
    vec_min_max(b, d);
    vec_min_max(a, b);
    vec_min_max(c, d);
}

/* Four numbers, of any order */
sfpi_inline void sort_four(vFloat &a, vFloat &b, vFloat &c, vFloat &d)
{
    vec_min_max(a, b);
    vec_min_max(c, d);
    vec_swap(c, d);
    merge(a, b, c, d);
}

/* Descending order in the rows that have this bit in 16 * their number */
sfpi_inline void reverse(vFloat &a, vFloat &b, vFloat &c, vFloat &d, int bit)
{
    v_if (vInt(vConstTileId) & bit) {
        vec_swap(a, d);
        vec_swap(b, c);
    } v_endif;
}

/* Columns of a face that are even, or odd */
sfpi_inline void sort_columns(int parity)
{
    vFloat a = dst_reg[parity], b = dst_reg[parity + 2];
    vFloat c = dst_reg[parity + 4], d = dst_reg[parity + 6];

    sort_four(a, b, c, d);
    /* two rows: eight numbers */
    reverse(a, b, c, d, 16);
    subvec_transp(a, b, c, d);
    vec_min_max(a, b);
    vec_min_max(c, d);
    subvec_transp(a, b, c, d);
    merge(a, b, c, d);
    /* all four rows, of which two are to descend */
    reverse(a, b, c, d, 32);
    subvec_transp(a, b, c, d);
    vec_swap(c, d);
    merge(a, b, c, d);
    subvec_transp(a, b, c, d);
    merge(a, b, c, d);
    /* number 4 * row + vector belongs to vector `row` */
    subvec_transp(a, b, c, d);
    dst_reg[parity] = a;
    dst_reg[parity + 2] = b;
    dst_reg[parity + 4] = c;
    dst_reg[parity + 6] = d;
}

static void sort()
{
    sort_columns(0);
    sort_columns(1);
    dst_reg += 8;
}

int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile % DEST_HALVES, sort, TILE_FACES);
    }
    return 0;
}
