/*
 * Matrix Unit, one datum after the other: what tests and the benchmark
 * compare the core with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Written from docs/numerics.rst and the pages it names, with 64-bit integers
 * and loops, and apart from the core's own code: nothing is shared but the
 * layout of the state.
 */

#ifndef MATRIX_ORACLE_H
#define MATRIX_ORACLE_H

#include "tensix_state.h"

/*
 * Executes one of MVMUL, DOTPV, GAPOOL, GMPOOL, ELWADD, ELWSUB, ELWMUL, MOVA2D,
 * MOVB2D, MOVDBGA2D, MOVDBGB2D, MOVD2A, MOVD2B, MOVB2A, TRNSPSRCB, SHIFTXB on a
 * state whose banks belong to the Matrix Unit.  AddrMods and remapping of rows
 * are not its business: Adj16 and Adj32 are as without remap_addrs and
 * swizzle_32b, and no counter moves.  False: another opcode.
 */
bool matrix_oracle(TensixState *s, unsigned thread, uint32_t word);

#endif
