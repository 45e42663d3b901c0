/*
 * Benchmark of the core: the plain scalar form of each measured instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * They say what an instruction does one lane after the other, written from
 * the pages and independent of the core's own code.  The benchmark compares
 * the results of both before it measures either.
 */

#ifndef TESTS_BENCH_REFERENCE_H
#define TESTS_BENCH_REFERENCE_H

#include "tensix_internal.h"

/* Executes the row's instruction on a state, lane by lane. */
typedef void BenchReference(TensixState *s);

/* One row of the benchmark. */
typedef struct BenchRow {
    const char *key;               /* as scripts/bench prints it */
    uint32_t word;
    BenchReference *reference;
    BenchReference *setup;         /* of a state after power-on; or NULL */
    uint32_t words;                /* that make up the work; 0: one */
    uint32_t last_word;            /* the last of them, if there are several */
    bool (*agree)(void);           /* what else has to be the same; or NULL */
} BenchRow;

enum { BENCH_THREAD = 1, BENCH_MATRIX_ROWS = 10 };

/* The Matrix Unit's BENCH_MATRIX_ROWS rows.  (bench-matrix.c) */
void bench_matrix_rows(BenchRow *rows);

enum { BENCH_UNPACK_ROWS = 3, BENCH_L1_SIZE = 0x2000 };

/* The unpackers' rows; their tiles are random bytes of L1.  (bench-unpack.c) */
void bench_unpack_rows(BenchRow *rows);
extern uint8_t bench_l1[BENCH_L1_SIZE];

enum { BENCH_PACK_ROWS = 3 };

/* The packer's rows; their tiles go to the upper half of L1. (bench-pack.c) */
void bench_pack_rows(BenchRow *rows);

/* Registers that the rows use. */
enum { BENCH_VA = 0, BENCH_VB = 1, BENCH_VC = 2, BENCH_VD = 3 };
enum { BENCH_LUT_VD = 7 };         /* LReg[0..6] are its operands */

BenchReference bench_ref_sfpmad, bench_ref_sfpadd, bench_ref_sfpmul;
BenchReference bench_ref_sfpiadd, bench_ref_sfpshft;
BenchReference bench_ref_sfplutfp32, bench_ref_sfpswap, bench_ref_sfptransp;
BenchReference bench_ref_sfpcast, bench_ref_sfpmov, bench_ref_sfpsetcc;
BenchReference bench_ref_sfpload_bf16, bench_ref_sfpload_fp32;
BenchReference bench_ref_sfpstore_bf16, bench_ref_sfpstore_fp32;

/* x * y + z of the Vector Unit (Miscellaneous/FMA), for one lane. */
uint32_t bench_ref_fma(uint32_t x, uint32_t y, uint32_t z);

#endif
