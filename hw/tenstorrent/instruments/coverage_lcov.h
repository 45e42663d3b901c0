/*
 * Coverage: counts of a hart's source lines, as LCOV has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSTORRENT_COVERAGE_LCOV_H
#define TENSTORRENT_COVERAGE_LCOV_H

#include "hw/tenstorrent/tensix_source.h"

/* What is known of an instruction of a hart. */
typedef struct CoverageCounts {
    uint64_t executed;             /* by the hart */
    bool pushes;                   /* it is, or once was, a push */
    uint64_t pushed_executed;      /* by the coprocessor, of what it pushed */
} CoverageCounts;

typedef struct CoverageLines CoverageLines;

CoverageLines *coverage_lines_new(void);
void coverage_lines_free(CoverageLines *c);

/*
 * An instruction of a program, which has been executed so often since it was
 * added last.  entry_executed(opaque, pc): the same of a function's first one.
 */
void coverage_lines_add(CoverageLines *c, const TensixSourceWord *place,
                        const CoverageCounts *counts,
                        uint64_t (*entry_executed)(void *opaque, uint32_t pc),
                        void *opaque);

/* All instructions of the hart's programs have been added once more. */
void coverage_lines_sum(CoverageLines *c);

/* As records of a tracefile; nothing if there are no lines. */
void coverage_lines_print(const CoverageLines *c, const char *test,
                          GString *out);

#endif
