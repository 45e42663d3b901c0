/*
 * A Tensix core with an environment that unit tests can inspect.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef CORE_FIXTURE_H
#define CORE_FIXTURE_H

#include "tensix_internal.h"

enum { FIXTURE_L1_SIZE = 64 * 1024, FIXTURE_STREAM_REGS = 1024 };

typedef struct CoreFixture {
    TensixCore core;
    uint8_t l1[FIXTURE_L1_SIZE];
    uint32_t stream[TENSIX_STREAMS][FIXTURE_STREAM_REGS];
    unsigned violations[TENSIX_CATEGORIES];  /* reports, by category */
    unsigned violation_count;
    char violation_text[752];      /* of the last one */
    char violation_mnemonic[24];
    uint64_t random_state;
} CoreFixture;

/*
 * A core after reset, without violations; the same random numbers each time.
 * A write outside L1 is a failed test.
 */
void fixture_init(CoreFixture *f);

/* False, and reported as skipped: not here. */
bool fixture_has_isa(TensixIsa isa);

/* The Matrix Unit gets bank 0 of SrcA and SrcB, in that format. */
void fixture_give_src(CoreFixture *f, uint32_t format);

/* Discards the violations so far. */
void fixture_clear_violations(CoreFixture *f);

/* From now on words that take the slow path are traced. */
void fixture_trace(CoreFixture *f);

/* Are the same instructions recorded in the same order? */
bool fixture_same_events(const CoreFixture *f, const CoreFixture *other);

/* Executes one word as the thread's instruction, past FIFO and gate. */
TensixResult fixture_exec(CoreFixture *f, uint32_t thread, uint32_t word);

/*
 * Executes it and reports a result "name: ..." each for: it was done, and
 * without a violation.
 */
void fixture_run(CoreFixture *f, uint32_t thread, uint32_t word,
                 const char *name);

/* Pushes as BRISC does, after the MOP expander; false if the FIFO is full. */
bool fixture_push(CoreFixture *f, uint32_t thread, uint32_t word);

/* Writes MopCfg[index] as a store that no agent knows of. */
void fixture_mop_cfg(CoreFixture *f, uint32_t thread, uint32_t index,
                     uint32_t value);

/* Saves the state, or loads what was saved, as a snapshot does. */
void fixture_save_or_load(CoreFixture *f, TensixState *saved, bool load);

/* 32 random bits; reproducible.  From a state of its own, any value: */
uint32_t fixture_random(CoreFixture *f);
uint32_t fixture_random_from(uint64_t *state);

/* Of a real opcode that neither waits nor expands; random operands. */
uint32_t fixture_random_word(CoreFixture *f);

/* Executes a word at once; Src is the client's that an odd or even word wants. */
void fixture_execute(CoreFixture *f, TensixOrigin origin, uint32_t thread,
                     uint32_t word);

/*
 * Is the whole state as `want`?  Reports "name: ..." once; which byte differs
 * first goes into a remark.  Instruction counts and the gates' last wait
 * reason do not matter.
 */
bool fixture_ok_state(CoreFixture *f, const TensixState *want,
                      const char *name);

/* Fills counters, GPRs and configuration with random bits in their widths. */
void fixture_randomise(CoreFixture *f);

#endif
