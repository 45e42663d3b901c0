/*
 * Vector Unit: cells of Dst to lanes and back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_VECTOR_CELLS_H
#define TENSIX_VECTOR_CELLS_H

#include "decode/sfpu_formats.h"
#include "vector/vector.h"

/*
 * `lanes` of d, a vector register, from cells: of four rows eight each, in lanes
 * whose bit in `odd` is set the odd one of two neighbours; every row is alike.
 * rows: the first physical row; the low halves of 32-bit rows are
 * DST_LOW_HALF_ROWS further on.  inf: lanes with ENABLE_FP16A_INF.
 * TENSIX_DONE: an instruction may end in a call to this.
 */
typedef TensixResult TensixLoadCells(uint32_t *d, const uint16_t *rows,
                                     uint32_t lanes,
                                     uint32_t odd, uint32_t inf);

/* Cells from lanes of x, likewise.  Row validity is not its business. */
typedef TensixResult TensixStoreCells(const uint32_t *x, uint16_t *rows,
                                      uint32_t lanes,
                                      uint32_t odd);

/* By format; none for SRCB. */
extern TensixLoadCells *const tensix_vector_load_cells[FMT_COUNT]
    TENSIX_ISA_SYMBOL("tensix_vector_load_cells");
extern TensixStoreCells *const tensix_vector_store_cells[FMT_COUNT]
    TENSIX_ISA_SYMBOL("tensix_vector_store_cells");

#endif
