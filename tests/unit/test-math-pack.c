/*
 * Dest between two threads: the MATH_PACK protocol (spec 000, sections 1.5 and
 * 5.2) under random schedules.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Thread 1 multiplies into the half of Dest that is its turn, thread 2 takes
 * the result out and makes the half undefined.  Thread 2 folds what it reads
 * into LReg[1], datum by datum and order by order; what it leaves in Dest and
 * LReg[1] must be the same whatever the schedule.
 */

#include <string.h>

#include "core-fixture.h"
#include "num.h"
#include "tap.h"

enum {
    MATH = 1, PACK = 2,
    SEMAPHORE = 1 << 1,            /* MATH_PACK is semaphore 1 */
    STALL_ON_ZERO = 1, STALL_ON_MAX = 2,
    BLOCK_MATH = 1 << 6, BLOCK_SYNC = 1 << 1, BLOCK_SFPU = 1 << 8,
    WAIT_FPU = 1 << 4, WAIT_SFPU = 1 << 11,
    ZEROACC_HALF = 2, ZEROACC_ALL = 3,
    HALF = 512, MATH_OFFSET = 1,   /* rows; thread configuration index */
    TILES = 6, SEEDS = 1000,
    MAX_WORDS = 256,
    FMT_BF16 = 2, IADD_CC_NONE = 4, SHFT_IMMEDIATE = 1,
};

typedef struct Program {
    uint32_t word[MAX_WORDS];
    unsigned count, next;
} Program;

typedef struct Mode {
    const char *name;
    unsigned max;                  /* of the semaphore */
    unsigned halves;               /* that take turns */
} Mode;

static const Mode modes[] = {
    { "SyncHalf", 2, 2 },
    { "SyncFull", 1, 1 },
};

static CoreFixture f;

static void add(Program *p, uint32_t word)
{
    p->word[p->count++] = word;
}

static uint32_t set_offset(unsigned tile, const Mode *m)
{
    return TT(SETC16, .setc16_reg = MATH_OFFSET,
              .setc16_value = tile % m->halves * HALF);
}

/* T1: waits for room, multiplies other rows for each tile, posts. */
static void math_program(Program *p, const Mode *m, bool waits)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        add(p, set_offset(tile, m));
        if (waits) {
            add(p, TT(SEMWAIT, .sem_sel = SEMAPHORE,
                      .wait_sem_cond = STALL_ON_MAX, .stall_res = BLOCK_MATH));
        }
        add(p, TT(SETRWC, .BitMask = 7, .rwc_b = tile % 8 * 8 % 16));
        for (unsigned n = 0; n <= tile % 3; n++) {
            add(p, TT(MVMUL));
            add(p, TT(MVMUL, .dst = 8));
        }
        if (waits) {
            add(p,
                TT(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = WAIT_FPU));
        }
        add(p, TT(SEMPOST, .sem_sel = SEMAPHORE));
    }
}

/* T2: waits for a tile, reads 16 rows, clears the half, gives it back. */
static void pack_program(Program *p, const Mode *m, bool waits)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        if (waits) {
            add(p, TT(SEMWAIT, .sem_sel = SEMAPHORE,
                      .wait_sem_cond = STALL_ON_ZERO, .stall_res = BLOCK_SFPU));
        }
        add(p, set_offset(tile, m));
        for (unsigned row = 0; row < 16; row += 4) {
            add(p, TT(SFPLOAD, .instr_mod0 = FMT_BF16, .dest_reg_addr = row));
            add(p, TT(SFPSHFT, .instr_mod1 = SHFT_IMMEDIATE, .lreg_dest = 1,
                      .imm12_math = 1));
            add(p, TT(SFPIADD, .instr_mod1 = IADD_CC_NONE, .lreg_dest = 1));
        }
        if (waits) {
            add(p, TT(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC,
                      .wait_res = WAIT_SFPU));
        }
        add(p, TT(ZEROACC,
                  .clear_mode = m->halves == 2 ? ZEROACC_HALF : ZEROACC_ALL,
                  .where = tile % m->halves));
        add(p, TT(SEMGET, .sem_sel = SEMAPHORE));
    }
}

/* The other thread's words wait in a queue of their own while one is full. */
static bool run(Program *programs)
{
    for (unsigned tries = 0; tries < 20000; tries++) {
        bool left = false;

        for (unsigned t = MATH; t <= PACK; t++) {
            Program *p = &programs[t];

            while (p->next < p->count &&
                   fixture_push(&f, t, p->word[p->next])) {
                p->next++;
            }
            left = left || p->next < p->count;
        }
        if (!tensix_run(&f.core, 7) && !left) {
            return tensix_thread_idle(&f.core, MATH) &&
                   tensix_thread_idle(&f.core, PACK);
        }
    }
    return false;
}

static void start(const Mode *m, uint64_t seed)
{
    TensixState *s;

    fixture_init(&f);
    s = &f.core.s;
    for (unsigned n = 0; n < 2; n++) {
        s->src_client[n][0] = TENSIX_CLIENT_MATRIX_UNIT;
        s->src_format[n][0] = TENSIX_FMT_BF16;
    }
    for (unsigned row = 0; row < TENSIX_SRC_ROWS; row++) {
        for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
            s->src[0][0][row][j] = (row * 8 & 0x3f8) << 8 |
                                   (120 + (row + j) % 7);
            s->src[1][0][row][j] = (j * 24 & 0x3f8) << 8 |
                                   (121 + (row * 3 + j) % 5);
        }
    }
    memset(s->dst_row_valid, 0, sizeof(s->dst_row_valid));
    tensix_state_loaded(&f.core);
    fixture_push(&f, MATH,
                 TT(SEMINIT, .sem_sel = SEMAPHORE, .max_value = m->max));
    tensix_set_schedule(&f.core, seed);
}

/* Runs both programs; false if they do not end. */
static bool exchange(const Mode *m, uint64_t seed, bool math_waits,
                     bool pack_waits)
{
    static Program programs[TENSIX_THREADS];

    memset(programs, 0, sizeof(programs));
    math_program(&programs[MATH], m, math_waits);
    pack_program(&programs[PACK], m, pack_waits);
    start(m, seed);
    return run(programs);
}

typedef struct Outcome {
    uint16_t dst[TENSIX_DST_ROWS][TENSIX_COLUMNS];
    uint8_t valid[TENSIX_DST_ROWS];
    uint32_t folded[TENSIX_LANES];
} Outcome;

static Outcome outcome(void)
{
    const TensixState *s = &f.core.s;
    Outcome o;

    memcpy(o.dst, s->dst, sizeof(o.dst));
    memcpy(o.valid, s->dst_row_valid, sizeof(o.valid));
    memcpy(o.folded, s->vu.lreg[1], sizeof(o.folded));
    return o;
}

static void test_mode(const Mode *m)
{
    static Outcome want, got;
    unsigned stuck = 0, different = 0, racing = 0, violations = 0;

    ok(exchange(m, 0, true, true), "%s: ends with the eager schedule", m->name);
    want = outcome();
    ok(want.folded[0] != 0, "%s: something was taken out", m->name);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        stuck += !exchange(m, seed, true, true);
        violations += f.violation_count;
        got = outcome();
        different += memcmp(&got, &want, sizeof(got)) != 0;
    }
    ok_eq(stuck, 0, "%s: all of %u schedules end", m->name, SEEDS);
    ok_eq(different, 0, "%s: Dest and LReg[1] are the same after each",
          m->name);
    ok_eq(violations, 0, "%s: nothing is reported", m->name);
    for (unsigned seed = 1; seed <= 100; seed++) {
        exchange(m, seed, false, true);
        got = outcome();
        racing += memcmp(&got, &want, sizeof(got)) != 0;
    }
    ok(racing > 0, "%s: without thread 1's waits %u of 100 differ", m->name,
       racing);
    racing = 0;
    for (unsigned seed = 1; seed <= 100; seed++) {
        exchange(m, seed, true, false);
        got = outcome();
        racing += memcmp(&got, &want, sizeof(got)) != 0;
    }
    ok(racing > 0, "%s: without thread 2's waits %u of 100 differ", m->name,
       racing);
}

int main(void)
{
    for (unsigned n = 0; n < sizeof(modes) / sizeof(modes[0]); n++) {
        test_mode(&modes[n]);
    }
    return done_testing();
}
