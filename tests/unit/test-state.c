/*
 * States that come from outside (migration, snapshots): whatever a field holds,
 * tensix_state_valid() refuses it or it does no harm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each word of a busy state gets arbitrary values.  What is
 * accepted is read by every report, then runs.  Sanitizers see the rest.
 */

#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "views/why.h"
#include "frontend/frontend.h"

enum {
    ROUNDS = 12,                   /* states to start from */
    START_WORDS = 250,             /* executed before a state */
    WORDS = 24,                    /* that are pushed to an accepted one */
    RUN_BUDGET = 2000,
    SEVERAL = 6,                   /* arbitrary fields at a time */
    TRIALS = 800,                  /* of several */
};

static CoreFixture f;
static TensixState start;

/* --- use of a state --- */

static uint32_t pick(uint32_t below)
{
    return fixture_random(&f) % below;
}

static bool exists(uint32_t opcode)
{
    return tensix_insns[opcode].mnemonic;
}

static uint32_t random_word(void)
{
    uint32_t opcode;

    do {
        opcode = pick(256);
    } while (!exists(opcode));
    return opcode << 24 | (fixture_random(&f) & 0xffffff);
}

static void push(uint32_t hart, uint32_t thread)
{
    TensixOrigin origin = { 0x1000, hart };

    (f.core.host.trace_enabled ? tensix_push_queued : tensix_push)(
        &f.core, thread, random_word(), origin);
}

static void push_words(unsigned count)
{
    while (count--) {
        uint32_t thread = pick(TENSIX_THREADS);

        push(pick(2) ? TENSIX_HART_BRISC : TENSIX_HART_TRISC0 + thread, thread);
    }
}

/* Registers of the tile: the core has to keep to them. */
static bool left_registers;

static void check_register(uint32_t address)
{
    left_registers |= address < 0xffb11000 || address > 0xffbffffc ||
                      address % 4;
}

static TensixResult mmio_read(void *opaque, const TensixInsn *by,
                              uint32_t address, uint32_t *value)
{
    check_register(address);
    *value = address;
    return TENSIX_DONE;
}

static TensixResult mmio_write(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value)
{
    check_register(address);
    return TENSIX_DONE;
}

/* L1 is a separate block: ASan sees what leaves it. */
static void l1_write(void *opaque, uint32_t offset, const void *data,
                     uint32_t size)
{
    memcpy(&f.l1[offset], data, size);
}

static void trace(void *opaque, TensixTracePoint point, const TensixInsn *i)
{
    char text[96];

    tensix_disas(text, sizeof(text), i->word);
    (void)tensix_hart_names[i->origin.hart][0];
}

static void check_words(const TensixThread *t)
{
    char text[96];

    for (uint32_t n = 0; n < t->fifo.count; n++) {
        const TensixInsn *e = tensix_fifo_peek(&t->fifo, n);

        tensix_disas(text, sizeof(text), e->word);
        (void)tensix_hart_names[e->origin.hart][0];
    }
    for (uint32_t n = 0; n < t->flight.count; n++) {
        tensix_disas(text, sizeof(text), t->flight.insn[n].word);
        (void)tensix_hart_names[t->flight.insn[n].origin.hart][0];
    }
    tensix_disas(text, sizeof(text), t->gate.pending.word);
    (void)tensix_hart_names[t->gate.pending.origin.hart][0];
    (void)tensix_hart_names[t->gate.latched.origin.hart][0];
}

static void check_expansion(const TensixInsn *i)
{
    TensixRecorded recorded = tensix_recorded(&f.core, i);
    char text[TENSIX_EXPANSION_TEXT];

    tensix_expansion_text(text, i->mop_position, i->replay_slot, &recorded);
}

static void check_threads(void)
{
    TensixWhyNode node[TENSIX_WHY_NODES] = { 0 };
    uint32_t cycle[TENSIX_WHY_NODES];
    char text[160];

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        node[TENSIX_WHY_THREADS_BASE + t].present = true;
        tensix_why_thread(&f.core, t, &node[TENSIX_WHY_THREADS_BASE + t]);
        tensix_wait_text(&f.core, t, text, sizeof(text));
        tensix_mop_idle(&f.core, t);
        tensix_ttsync_must_wait(&f.core, t, ~0u, true);
        check_words(&f.core.s.thread[t]);
        check_expansion(&f.core.s.thread[t].gate.pending);
    }
    tensix_why_cycle(node, cycle);
    tensix_why_unresolvable(node, TENSIX_WHY_THREADS_BASE);
    tensix_polls(&f.core);
    tensix_needs_time(&f.core);
}

/* This number is the key to a mutex's owner. */
static bool owners_exist(void)
{
    bool good = true;

    for (unsigned n = 0; n < TENSIX_MUTEXES; n++) {
        good = good && f.core.s.mutex_owner[n] <= TENSIX_THREADS;
    }
    return good;
}

static void look(void)
{
    static uint8_t bytes[TENSIX_APERTURE_SIZE];
    uint8_t window[16];

    check_threads();
    tensix_aperture_read(&f.core, 0, bytes, sizeof(bytes));
    for (uint32_t thread = 0; thread < TENSIX_THREADS; thread++) {
        for (uint32_t at = 0; at < 0x8000; at += 0x7f0) {
            tensix_dest_window_peek(&f.core, thread, at & ~15u, window, 2);
            tensix_dest_window_peek(&f.core, thread, at & ~15u, window, 4);
        }
    }
    for (uint32_t index = 0; index < TENSIX_SEMAPHORES; index++) {
        tensix_semaphore_read(&f.core, index);
    }
}

/* Runs a while; false if that is more than a while. */
static bool run(void)
{
    bool ended = false;

    for (unsigned n = 0; !ended && n < 200; n++) {
        ended = !tensix_run(&f.core, RUN_BUDGET);
    }
    return ended;
}

static void use_state(void)
{
    uint8_t window[16] = { 0 };

    tensix_state_loaded(&f.core);
    look();
    run();
    push_words(WORDS);
    tensix_dest_window_write(&f.core, pick(TENSIX_THREADS), pick(0x8000) & ~15u,
                             window, 4);
    tensix_cfg_write(&f.core, pick(0x10000) & ~3u, fixture_random(&f));
    push_words(WORDS);
    look();
    tensix_soft_reset(&f.core, 0);
    run();
}

/* --- states to start from --- */

static void make_start(uint64_t seed)
{
    fixture_init(&f);
    f.random_state = seed;
    f.core.host.mmio_read = mmio_read;
    f.core.host.mmio_write = mmio_write;
    f.core.host.l1_write = l1_write;
    f.core.host.trace = trace;
    fixture_randomise(&f);
    tensix_set_isa(&f.core, seed % TENSIX_ISAS);
    tensix_set_schedule(&f.core, seed % 2 ? seed : 0);
    if (seed % 3 == 0) {
        fixture_trace(&f);
    }
    tensix_set_hazards(&f.core, seed % 5 == 0);
    push_words(START_WORDS);
    start = f.core.s;
}

static void restore(void)
{
    f.core.s = start;
    tensix_state_loaded(&f.core);
}

/* --- arbitrary values --- */

static const uint32_t values[] = {
    0, 1, 2, 3, 4, 5, 17, 31, 32, 33, 64, 0xff, 0x100, 0x400, 0xffff, 0x10000,
    0x01010101, 0x7fffffff, 0x80000000, 0xffffff00, 0xfffffffe, 0xffffffff,
};

enum { VALUES = sizeof(values) / sizeof(values[0]) };

static uint32_t arbitrary(void)
{
    uint32_t n = pick(VALUES + 4);

    return n < VALUES ? values[n] : fixture_random(&f);
}

/* Cells, of which there are many of a kind: one of them is as all. */
static bool is_bulk(size_t offset)
{
    static const struct {
        size_t first, size;
    } bulk[] = {
#define BULK(field) { offsetof(TensixState, field), sizeof(start.field) }
        BULK(dst), BULK(dst_row_valid), BULK(src), BULK(vu.lreg), BULK(vu.prng),
        BULK(vu.load_macro), BULK(cfg), BULK(gpr),
#undef BULK
    };
    bool is = false;

    for (unsigned n = 0; n < sizeof(bulk) / sizeof(bulk[0]); n++) {
        is |= offset >= bulk[n].first && offset < bulk[n].first + bulk[n].size;
    }
    return is;
}

static void set_word(size_t offset, uint32_t value)
{
    uint8_t *bytes = (uint8_t *)&f.core.s;

    memcpy(bytes + offset, &value, sizeof(value));
    /* the only bool: VMState loads no other values */
    bytes[offsetof(TensixState, order.more)] &= 1;
}

static size_t random_field(void)
{
    bool any = !pick(3);
    size_t offset;

    do {
        offset = pick(sizeof(start) / sizeof(uint32_t)) * sizeof(uint32_t);
    } while (!any && is_bulk(offset));
    return offset;
}

/* --- tests --- */

typedef struct Counts {
    unsigned accepted, refused, invalid;
} Counts;

/* Uses the state, if it is accepted.  What it becomes is valid again. */
static void try_state(Counts *n, const char *what, size_t offset)
{
    if (!tensix_state_valid(&f.core.s)) {
        n->refused++;
        return;
    }
    n->accepted++;
    left_registers = false;
    if (!owners_exist()) {
        n->invalid++;
        diag("%s at byte %zu: an owner that does not exist", what, offset);
        return;
    }
    use_state();
    if (!tensix_state_valid(&f.core.s) || left_registers) {
        n->invalid++;
        diag("%s at byte %zu: invalid after use, or not a register", what,
             offset);
    }
}

static void test_each_field(uint64_t seed)
{
    Counts n = { 0 };

    make_start(seed);
    for (size_t at = 0; at + 4 <= sizeof(start); at += sizeof(uint32_t)) {
        if (is_bulk(at) && pick(64)) {
            continue;
        }
        restore();
        set_word(at, arbitrary());
        try_state(&n, "a word", at);
    }
    ok(n.accepted && n.refused && !n.invalid,
       "each field arbitrary, seed %u: %u states accepted, %u refused",
       (unsigned)seed, n.accepted, n.refused);
}

/* Fields that are valid each for itself. */
static void test_several(uint64_t seed)
{
    Counts n = { 0 };

    make_start(seed);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        restore();
        for (unsigned k = 0; k < SEVERAL; k++) {
            TensixState before = f.core.s;
            size_t at = random_field();

            set_word(at, arbitrary());
            if (!tensix_state_valid(&f.core.s)) {
                f.core.s = before;
            }
        }
        try_state(&n, "several words", 0);
    }
    ok(n.accepted == TRIALS && !n.invalid,
       "%u fields arbitrary at a time, seed %u", SEVERAL, (unsigned)seed);
}

/* Fields by name that once were accepted, and what they led to. */
static void test_refused(void)
{
    TensixState *s = &f.core.s;

    fixture_init(&f);
    s->mutex_owner[2] = TENSIX_THREADS + 1;
    ok(!tensix_state_valid(s), "a mutex that no agent can own");
    fixture_init(&f);
    s->thread[0].replay.phase = TENSIX_REPLAY_PLAY;
    ok(!tensix_state_valid(s), "a REPLAY that plays without end");
    fixture_init(&f);
    s->thread[0].replay.phase = TENSIX_REPLAY_PLAY;
    s->thread[0].replay.left = 1;
    ok(!tensix_state_valid(s), "a REPLAY that no agent asked for");
    s->thread[0].replay.insn.valid = 1;
    ok(tensix_state_valid(s), "one that an instruction did");
    fixture_init(&f);
    s->thread[1].mop.phase = TENSIX_MOP_LOOP;
    s->thread[1].mop.insn.valid = s->thread[1].mop.insn.thread = 1;
    ok(tensix_state_valid(s), "a MOP in its loop");
    s->thread[1].mop.outer_count = UINT32_MAX;
    ok(!tensix_state_valid(s), "a MOP of four thousand million NOPs");
}

int main(void)
{
    test_refused();
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        test_each_field(seed);
        test_several(seed);
    }
    return done_testing();
}
