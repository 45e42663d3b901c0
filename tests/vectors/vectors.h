/*
 * Bit-exact vectors: parser, comparison and report, for any target.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A vector file, CLASS.vec.gz (or plain, CLASS.vec), has one operation a line,
 * hex without 0x:
 *
 *     case NAME
 *     w  ADDR VALUE         32-bit write      r, x    32-bit read, compared
 *     wb ADDR HEXBYTES      bulk write        rb, xb  bulk read, compared
 *     ws ADDR FIRST STEP COUNT                      rs  the same, compared
 *                           COUNT words FIRST, FIRST + STEP, ...
 *     t  N ADDR VALUE       32-bit store by TRISC N
 *     p  ADDR BYTES         with --answer: prints "rb ADDR HEXBYTES"
 *     end
 *
 * --answer reads cases from stdin and prints each with its answers, from power-on:
 *
 *     case NAME
 *     rb ADDR HEXBYTES      one for each p
 *     # TEXT                why it was refused, if it was
 *     end
 *
 * Addresses are BRISC's view, with the simulator's windows above 4 GiB
 * (docs/memory-map.rst); TRISC N's store goes to its hart view.
 */

#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hart view of TRISC n: (hart index + 1) << 32, hart index = n + 2. */
#define VECTOR_TRISC_VIEW(n) ((uint64_t)((n) + 3) << 32)

typedef struct VectorTarget VectorTarget;

/*
 * What the cases run on.  Data are in memory order.  write and read return
 * NULL, or why the access could not be made (a static text).  Before each of
 * them the coprocessor has run as far as it can.
 */
struct VectorTarget {
    const char *name;
    const char *(*write)(VectorTarget *t, uint64_t addr, const void *data,
                         size_t size);
    const char *(*read)(VectorTarget *t, uint64_t addr, void *data,
                        size_t size);
    /* Discards what was reported so far; a case starts. */
    void (*begin)(VectorTarget *t);
    /* What the case used and the target lacks ("MVMUL"), or NULL. */
    const char *(*lacking)(VectorTarget *t);
    /* A report that no legal program causes, such as a lost push, or NULL. */
    const char *(*complaint)(VectorTarget *t);
    /* Power-on state, after a case that failed or could not run. */
    void (*reset)(VectorTarget *t);
};

/*
 * Runs what the command line asks for on the target and prints TAP: one test
 * point for each kind of case (the case's name without its number), then a
 * summary for each class.  Returns the process's exit status; 99 is for what
 * makes it impossible to test.
 */
int vectors_main(VectorTarget *t, int argc, char **argv);

#endif
