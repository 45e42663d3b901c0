/*
 * Observers that have LRegs of vector instructions reported by their words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "observe/observe.h"
#include "tap.h"

enum { MOV_READ = 1 << 1, MOV_WRITTEN = 1 << 2 };

static CoreFixture f;
static TensixObserver observer;
static unsigned executions, lregs_reported;
static uint32_t lregs_read, lregs_written;

static void record_execution(void *opaque, const TensixExecuted *e)
{
    executions++;
}

static void record_lregs(void *opaque, const TensixInsn *i, uint32_t read,
                         uint32_t written)
{
    lregs_reported++;
    lregs_read = read;
    lregs_written = written;
}

/* Each word has been executed once: what it accesses is known. */
static void start(const uint32_t *words, unsigned count)
{
    fixture_init(&f);
    f.core.s.vu.use_lane_flags = 0;
    memset(&observer, 0, sizeof(observer));
    observer.executed = record_execution;
    tensix_set_observer(&f.core, &observer);
    for (unsigned n = 0; n < count; n++) {
        fixture_push(&f, 1, words[n]);
    }
    observer.executed_lregs = record_lregs;
    executions = lregs_reported = 0;
}

static uint32_t writer_of(TensixSpace space, uint32_t index)
{
    return tensix_observe_writer(&observer, space, index).word;
}

static void test_known(void)
{
    const uint32_t mov = TT(SFPMOV, .lreg_c = 1, .lreg_dest = 2);
    const uint32_t other = TT(SFPMOV, .lreg_c = 1, .lreg_dest = 3);
    uint64_t events;

    start(&mov, 1);
    memset(observer.last, 0, sizeof(observer.last));
    events = observer.events;
    fixture_push(&f, 1, mov);
    ok(lregs_reported == 1 && !executions && lregs_read == MOV_READ &&
       lregs_written == MOV_WRITTEN, "a known word reports its LRegs alone");
    ok_eq(writer_of(TENSIX_SPACE_LREG, 2), mov, "it is the last writer");
    ok(observer.events == events + 1 && observer.by.kind == TENSIX_BY_NONE &&
       !observer.insn, "and nothing is left of it");
    ok_eq(tensix_observe_missed(&f.core), UINT32_MAX, "no write is missed");
    fixture_push(&f, 1, other);
    ok(executions == 1 && lregs_reported == 1, "another word is executed");
    fixture_push(&f, 1, other);
    ok(executions == 1 && lregs_reported == 2, "and is known from then on");
}

/* SFPSTORE writes Dst: it has a writer, but no second report. */
static void test_dst(void)
{
    const uint32_t store = TT(SFPSTORE, .lreg_ind = 1);

    start(&store, 1);
    memset(observer.last, 0, sizeof(observer.last));
    fixture_push(&f, 1, store);
    ok(lregs_reported == 1 && !executions, "SFPSTORE is reported once");
    ok_eq(writer_of(TENSIX_SPACE_DST, 0), store, "it is Dst's last writer");
    ok(!observer.touched.words && !observer.read.words,
       "no cell is left for the next instruction");
}

/* What the word says does not hold, or another agent has to be continued. */
static void test_not_by_the_word(void)
{
    const uint32_t mov = TT(SFPMOV, .lreg_c = 1, .lreg_dest = 2);
    const TensixActor hart = { .kind = TENSIX_BY_HART };

    start(&mov, 1);
    f.core.s.vu.use_lane_flags = TENSIX_ALL_LANES;
    f.core.s.vu.lane_flags = 0;
    fixture_push(&f, 1, mov);
    ok(executions == 1 && !lregs_reported, "with no lane enabled");
    f.core.s.vu.use_lane_flags = 0;
    tensix_observe_begin(&f.core, hart);
    fixture_push(&f, 1, mov);
    ok(executions == 2 && !lregs_reported &&
       observer.by.kind == TENSIX_BY_HART, "within a hart's access");
    tensix_observe_end(&f.core);
    observer.executed_lregs = NULL;
    fixture_push(&f, 1, mov);
    ok(executions == 3 && !lregs_reported, "if the observer has no use for it");
}

int main(void)
{
    test_known();
    test_dst();
    test_not_by_the_word();
    return done_testing();
}
