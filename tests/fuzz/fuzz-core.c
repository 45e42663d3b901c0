/*
 * The core fed with what a guest, a debugger and a snapshot can give it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An input is a sequence of steps of eight bytes (Step).  Each runs on every
 * build of the units that this machine has, and once more under observers:
 * writes stay in L1, registers stay in their range, the state stays valid,
 * and all runs end in the same state, L1 and violations.
 *
 * With clang's -fsanitize=fuzzer (-Dlibfuzzer=true; scripts/fuzz) libFuzzer
 * calls it, with a mutator that knows the steps.  Otherwise:
 *
 *   fuzz-core FILE ...              runs these inputs
 *   fuzz-core -seed=SEED [-runs=N]  runs N random ones
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/core-fixture.h"
#include "../unit/tap.h"
#include "libfuzzer.h"
#include "config/config.h"
#include "observe/observe.h"
#include "regs/regfile.h"
#include "vector/vector.h"

enum {
    L1_SIZE = 0x8000,
    STREAM_REGS = 1024,
    STEPS_MOST = 512,
    STEP_BUDGET = 300, LAST_BUDGET = 3000, /* of tensix_run() */
    MMIO_FIRST = 0xffb11000u, MMIO_LAST = 0xffbffffcu,
    RETRY_EVERY = 5,
    DEFAULT_RUNS = 1500,
    RUN_STEPS = 200,               /* of a random input */
};

typedef enum StepKind {
    STEP_PUSH,                     /* word `value` by hart a, on thread b */
    STEP_CFG,                      /* word b of configuration */
    STEP_MOP_CFG,                  /* MopCfg[b] of thread a */
    STEP_L1,                       /* word b */
    STEP_GPR,                      /* GPR b of thread a */
    STEP_APERTURE,                 /* a, b: offset */
    STEP_DEST_WINDOW,              /* b: offset; a: size, thread, direction */
    STEP_SEMAPHORE,                /* b */
    STEP_STATE,                    /* a, b: a byte, changed as by a snapshot */
    STEP_STREAM,                   /* a: stream, b: register */
    STEP_MOVE,                     /* the mover */
    STEP_SOFT_RESET,
    STEP_HIGH_HALF,                /* tensix_set_dst16b_is_high_half(a) */
    STEP_DEBUG_BUS,
    STEP_KINDS,
} StepKind;

typedef struct Step {
    uint8_t kind, a;
    uint16_t b;
    uint32_t value;
} Step;

/* One run of an input, its core and what surrounds it. */
typedef struct World {
    TensixCore *core;
    uint8_t *l1;                   /* an allocation: sanitizers see its ends */
    uint32_t stream[STREAM_REGS];
    unsigned violations, accesses;
} World;

static TensixObserver observer;
static TensixUnwritten unwritten;
static uint64_t l1_marks[L1_SIZE / 64];

/* What the core promises its host is an assertion here, sanitizer or not. */
static void require(bool condition, const char *text)
{
    if (!condition) {
        fprintf(stderr, "fuzz-core: %s\n", text);
        abort();
    }
}

static void l1_write(void *opaque, uint32_t offset, const void *data,
                     uint32_t size)
{
    World *w = opaque;

    require(offset <= L1_SIZE && size <= L1_SIZE - offset, "write beside L1");
    if (w->core->observer) {
        tensix_unwritten_l1_written(&unwritten, offset, size);
    }
    memcpy(w->l1 + offset, data, size);
}

static uint32_t stream_read(void *opaque, uint32_t stream, uint32_t offset)
{
    World *w = opaque;

    require(stream < TENSIX_STREAMS && offset % 4 == 0 &&
            offset / 4 < STREAM_REGS, "no register of a stream");
    return w->stream[offset / 4] + stream;
}

static TensixResult mmio(World *w, uint32_t address)
{
    require(address >= MMIO_FIRST && address <= MMIO_LAST && address % 4 == 0,
            "register out of range");
    return w->accesses++ % RETRY_EVERY ? TENSIX_DONE : TENSIX_RETRY;
}

static TensixResult mmio_write(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value)
{
    return mmio(opaque, address);
}

static TensixResult mmio_read(void *opaque, const TensixInsn *by,
                              uint32_t address, uint32_t *value)
{
    *value = address * 3;
    return mmio(opaque, address);
}

static void violation(void *opaque, const TensixViolation *v)
{
    World *w = opaque;

    require(v->category < TENSIX_CATEGORIES && strlen(v->text) > 0,
            "a violation without a text");
    w->violations += v->category != TENSIX_UNWRITTEN;
}

static void hit(void *opaque, const TensixHit *h)
{
    require(false, "a hit without a watch");
}

static void *clean(size_t size)
{
    void *memory = aligned_alloc(TENSIX_CORE_ALIGN,
                                 (size + TENSIX_CORE_ALIGN - 1) /
                                 TENSIX_CORE_ALIGN * TENSIX_CORE_ALIGN);

    require(memory != NULL, "out of memory");
    return memset(memory, 0, size);
}

static uint64_t random_state;

static uint32_t random32(void)
{
    return fixture_random_from(&random_state);
}

/* A third each: any bits, few bits, a number near one. */
static uint32_t random_cell(void)
{
    uint32_t bits = random32();

    switch (random32() % 3) {
    case 0:
        return bits & random32() & random32();
    case 1:
        return (bits & 0x87ffffff) | 0x38000000;
    default:
        return bits;
    }
}

static const uint32_t *random_cells(void)
{
    static uint32_t cells[TENSIX_DST_ROWS * TENSIX_COLUMNS];
    static bool made;

    if (!made) {
        random_state = 1;
        for (unsigned n = 0; n < sizeof(cells) / sizeof(cells[0]); n++) {
            cells[n] = random_cell();
        }
        made = true;
    }
    return cells;
}

/* Zeroes hide errors: registers and L1 begin with the same random values. */
static void fill(World *w)
{
    TensixState *s = &w->core->s;
    const uint32_t *cells = random_cells();
    uint32_t *src = &s->src[0][0][0][0];
    uint16_t *dst = &s->dst[0][0];

    memcpy(s->vu.lreg, cells, VECTOR_LREG_WRITABLE * sizeof(s->vu.lreg[0]));
    for (unsigned n = 0; n < sizeof(s->dst) / sizeof(*dst); n++) {
        dst[n] = cells[n] >> 16;
    }
    for (unsigned n = 0; n < sizeof(s->src) / sizeof(*src); n++) {
        src[n] = cells[n] & SRC_VALUE_MASK;
    }
    memcpy(w->l1, cells, L1_SIZE);
    tensix_state_loaded(w->core);
}

static void world_init(World *w, TensixIsa isa, bool observed)
{
    memset(w, 0, sizeof(*w));
    w->core = tensix_core_init(clean(tensix_core_size()));
    w->l1 = clean(L1_SIZE);
    tensix_set_host(w->core, &(TensixHost) {
        .l1 = w->l1, .l1_size = L1_SIZE, .l1_write = l1_write,
        .stream_read = stream_read, .mmio_read = mmio_read,
        .mmio_write = mmio_write, .violation = violation, .opaque = w,
    });
    tensix_set_isa(w->core, isa);
    tensix_reset(w->core);
    fill(w);
    if (observed) {
        observer = (TensixObserver) { .hit = hit, .unwritten = &unwritten };
        unwritten = (TensixUnwritten) { .l1 = l1_marks, .l1_size = L1_SIZE };
        tensix_unwritten_reset(&unwritten);
        tensix_set_observer(w->core, &observer);
    }
}

static void world_free(World *w)
{
    free(w->l1);
    free(w->core);
}

/* --- steps --- */

static void step_push(World *w, const Step *s)
{
    static const uint32_t harts[] = {
        TENSIX_HART_TRISC0, TENSIX_HART_TRISC1, TENSIX_HART_TRISC2,
        TENSIX_HART_BRISC,
    };
    TensixOrigin origin = { s->b * 4u, harts[s->a % 4] };
    uint32_t thread = s->a % 4 < TENSIX_THREADS ? s->a % 4
                                                : s->b % TENSIX_THREADS;

    tensix_push(w->core, thread, s->value, origin);
}

static void step_cfg(World *w, const Step *s)
{
    tensix_cfg_write(w->core, s->b * 4u % 0x10000, s->value);
}

static void step_mop_cfg(World *w, const Step *s)
{
    tensix_mop_cfg_write(w->core, s->a % TENSIX_THREADS,
                         s->b % TENSIX_MOP_CFG_WORDS, s->value,
                         (TensixOrigin) { .hart = TENSIX_HART_NONE });
}

static void step_l1(World *w, const Step *s)
{
    memcpy(w->l1 + s->b * 4u % L1_SIZE, &s->value, sizeof(s->value));
}

static void step_gpr(World *w, const Step *s)
{
    w->core->s.gpr[s->a % TENSIX_THREADS][s->b % TENSIX_GPRS] = s->value;
}

static void step_aperture(World *w, const Step *s)
{
    uint32_t offset = (s->a << 16 | s->b) %
                      (TENSIX_APERTURE_SIZE - sizeof(s->value));
    uint8_t data[sizeof(s->value)];

    tensix_aperture_write(w->core, offset, &s->value, sizeof(s->value));
    tensix_aperture_read(w->core, offset, data, sizeof(data));
}

static void step_dest_window(World *w, const Step *s)
{
    uint32_t size = 1u << s->a % 5, thread = (s->a >> 4) % TENSIX_THREADS;
    uint32_t offset = s->b % 0x8000 / size * size;
    uint8_t data[16] = { 0 };

    memcpy(data, &s->value, sizeof(s->value));
    if (s->a & 8) {
        tensix_dest_window_read(w->core, thread, offset, data, size);
    } else {
        tensix_dest_window_write(w->core, thread, offset, data, size);
    }
}

static void step_semaphore(World *w, const Step *s)
{
    tensix_semaphore_write(w->core, s->b % TENSIX_SEMAPHORES, s->value,
                           (TensixOrigin) { .hart = TENSIX_HART_BRISC });
}

/* What the loader of snapshots refuses never gets into a core. */
static void step_state(World *w, const Step *s)
{
    uint8_t *byte = (uint8_t *)&w->core->s +
                    (s->a << 16 | s->b) % sizeof(w->core->s);
    uint8_t was = *byte;

    *byte = s->value;
    if (!tensix_state_valid(&w->core->s)) {
        *byte = was;
    }
    tensix_state_loaded(w->core);
}

static void step_stream(World *w, const Step *s)
{
    w->stream[s->b % STREAM_REGS] = s->value;
}

static void step_move(World *w, const Step *s)
{
    TensixMove m = {
        .destination = (s->b & 0xfff) * 16, .source = (s->value & 0xfff) * 16,
        .count = (s->value >> 16) * 16, .mode = s->a % 4,
    };

    if (m.mode == TENSIX_MOVE_L1_TO_L0 || m.mode == TENSIX_MOVE_L0_TO_L0) {
        m.destination += 0xffef0000;
    }
    tensix_move(w->core, &m);
}

static void step_soft_reset(World *w, const Step *s)
{
    tensix_soft_reset(w->core, s->value);
    tensix_soft_reset(w->core, s->a % 2 ? s->value & s->value >> 8 : 0);
}

static void step_high_half(World *w, const Step *s)
{
    tensix_set_dst16b_is_high_half(w->core, s->a % 2);
}

static void step_debug_bus(World *w, const Step *s)
{
    tensix_set_debug_bus(w->core, s->a % 16 ? 0 : s->value % 8);
}

static void (*const steps[STEP_KINDS])(World *w, const Step *s) = {
    [STEP_PUSH] = step_push,
    [STEP_CFG] = step_cfg,
    [STEP_MOP_CFG] = step_mop_cfg,
    [STEP_L1] = step_l1,
    [STEP_GPR] = step_gpr,
    [STEP_APERTURE] = step_aperture,
    [STEP_DEST_WINDOW] = step_dest_window,
    [STEP_SEMAPHORE] = step_semaphore,
    [STEP_STATE] = step_state,
    [STEP_STREAM] = step_stream,
    [STEP_MOVE] = step_move,
    [STEP_SOFT_RESET] = step_soft_reset,
    [STEP_HIGH_HALF] = step_high_half,
    [STEP_DEBUG_BUS] = step_debug_bus,
};

static void run_input(World *w, const uint8_t *data, size_t size)
{
    for (size_t n = 0; n + sizeof(Step) <= size; n += sizeof(Step)) {
        char text[160];
        Step s;

        memcpy(&s, data + n, sizeof(s));
        steps[s.kind % STEP_KINDS](w, &s);
        tensix_run(w->core, STEP_BUDGET);
        tensix_wait_text(w->core, s.a % TENSIX_THREADS, text, sizeof(text));
    }
    tensix_soft_reset(w->core, 0);
    tensix_run(w->core, LAST_BUDGET);
    require(tensix_state_valid(&w->core->s), "the state is not valid");
}

/* --- comparison --- */

static void compare(const World *a, const World *b)
{
    require(!memcmp(a->l1, b->l1, L1_SIZE), "L1 differs between builds");
    require(!memcmp(&a->core->s, &b->core->s, sizeof(a->core->s)),
            "the state differs between builds");
    require(a->violations == b->violations, "violations differ between builds");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    World first, w;

    world_init(&first, TENSIX_ISA_PORTABLE, false);
    run_input(&first, data, size);
    for (unsigned n = 1; n < 2 * TENSIX_ISAS; n++) {
        TensixIsa isa = n % TENSIX_ISAS;

        if (tensix_isa_available(isa)) {
            world_init(&w, isa, n >= TENSIX_ISAS);
            run_input(&w, data, size);
            compare(&first, &w);
            world_free(&w);
        }
    }
    world_free(&first);
    return 0;
}

/* --- inputs --- */

/* Half of the steps are pushes. */
static StepKind kind_of(uint32_t random)
{
    return random % 2 ? STEP_PUSH : 1 + (random >> 1) % (STEP_KINDS - 1);
}

/* A real opcode with few bits of the operands, many or all. */
static uint32_t random_word(void)
{
    uint32_t opcode;

    do {
        opcode = random32() & 0xff;
    } while (!tensix_insns[opcode].mnemonic);
    return opcode << 24 | (random32() & random32() & 0xffffff);
}

static void random_step(Step *s)
{
    *s = (Step) { .kind = kind_of(random32()), .a = random32(),
                  .b = random32(), .value = random32() };
    if (s->kind == STEP_PUSH || s->kind == STEP_MOP_CFG) {
        s->value = random_word();
    } else if (s->kind == STEP_CFG) {
        s->b %= 2 * TENSIX_CFG_WORDS;
        s->value &= random32();
    } else if (s->kind == STEP_SOFT_RESET || s->kind == STEP_DEBUG_BUS) {
        s->value &= random32() & random32();
    }
}

static size_t insert_step(uint8_t *data, size_t count, size_t at)
{
    Step s;

    random_step(&s);
    memmove(data + (at + 1) * sizeof(s), data + at * sizeof(s),
            (count - at) * sizeof(s));
    memcpy(data + at * sizeof(s), &s, sizeof(s));
    return count + 1;
}

/* Inserts, replaces, removes or varies one step; now and then bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned int seed)
{
    size_t count = size / sizeof(Step), at;
    uint32_t choice;

    random_state = seed;
    choice = random32() % 8;
    at = random32() % (count + 1);
    most = most / sizeof(Step) < STEPS_MOST ? most / sizeof(Step) : STEPS_MOST;
    if (choice < 4 && count < most) {
        count = insert_step(data, count, at);
    } else if (at < count && choice < 6) {
        memmove(data + at * sizeof(Step), data + (at + 1) * sizeof(Step),
                (count - at - 1) * sizeof(Step));
        count = choice < 5 ? insert_step(data, count - 1, at) : count - 1;
    } else if (at < count) {
        LLVMFuzzerMutate(data + at * sizeof(Step), sizeof(Step), sizeof(Step));
    }
    return count * sizeof(Step);
}

#ifndef TENSIX_LIBFUZZER

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    data[random32() % size] ^= 1u << random32() % 8;
    return size;
}

static bool run_file(const char *name)
{
    static uint8_t data[STEPS_MOST * sizeof(Step)];
    FILE *file = fopen(name, "rb");
    size_t size;

    if (!file) {
        perror(name);
        return false;
    }
    size = fread(data, 1, sizeof(data), file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    return true;
}

static void run_random(uint32_t seed)
{
    static uint8_t data[RUN_STEPS * sizeof(Step)];
    size_t count = 0;

    random_state = seed;
    while (count < RUN_STEPS) {
        count = insert_step(data, count, count);
    }
    LLVMFuzzerTestOneInput(data, sizeof(data));
}

/* An abort() ends the test; the last seed printed repeats it. */
static void run_seeds(uint32_t seed, uint32_t runs)
{
    for (uint32_t n = 0; n < runs; n++) {
        if (n % 100 == 0) {
            diag("seeds from %u", seed + n);
        }
        run_random(seed + n);
    }
    ok(true, "%u random inputs of %d steps from seed %u: one result in all "
       "builds", runs, RUN_STEPS, seed);
}

int main(int argc, char **argv)
{
    uint32_t seed = 1, runs = DEFAULT_RUNS, files = 0;

    for (int n = 1; n < argc; n++) {
        if (!strncmp(argv[n], "-seed=", strlen("-seed="))) {
            seed = strtoul(argv[n] + strlen("-seed="), NULL, 0);
        } else if (!strncmp(argv[n], "-runs=", strlen("-runs="))) {
            runs = strtoul(argv[n] + strlen("-runs="), NULL, 0);
        } else if (run_file(argv[n])) {
            files++;
        } else {
            return 2;
        }
    }
    if (files) {
        ok(true, "%u inputs: one result in all builds", files);
    } else {
        run_seeds(seed, runs);
    }
    return done_testing();
}

#endif
