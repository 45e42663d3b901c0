/*
 * Benchmark of the core alone: ns per instruction, decode and counters
 * included, next to a scalar reference measured in the same process.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: tensix-bench [--json FILE] [--ms N] [--isa NAME] [KEY...]
 *
 * Words are pushed as a translated block pushes its .ttinsn, a few at once; the
 * thread is idle, so each executes inside its push.  The best of many short runs
 * counts: the machine is noisy, the work is not.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench-reference.h"
#include "decode/tensix_fields.h"

#define BATCH 1024                 /* instructions in one run */
#define WORDS 32                   /* that are pushed at once */
#define WARM_UP 200                /* instructions before them */
#define REFERENCE_BATCH 20         /* of the reference, which is slower */
#define THREAD BENCH_THREAD
#define EVENTS 65536               /* in the recorder's ring, as on the machine */
#define EXIT_SKIPPED 77            /* for Meson */
#define SEED 0x9e3779b97f4a7c15ull

/* Vector Unit operands (BH SFPMAD.md, SFPIADD.md, SFPLOAD.md). */
enum {
    LREG_ONE = 10,
    LREG_ZERO = 9,
    IADD_CC_NONE = 4,
    LUT_FP16_6ENTRY_TABLE1 = 2,
    SWAP_VEC_MIN_MAX = 1,
    SETCC_LREG_NE0 = 2,
    FMT_BF16 = 2,
    FMT_FP32 = 3,
};

typedef BenchRow Row;

typedef struct Result {
    const char *key;
    double ns, scalar_ns;
} Result;

#define VECTOR_ROWS 15
#define NUM_ROWS (VECTOR_ROWS + BENCH_MATRIX_ROWS + BENCH_UNPACK_ROWS + \
                  BENCH_PACK_ROWS)

static void make_rows(Row rows[NUM_ROWS])
{
    const Row all[VECTOR_ROWS] = {
        { "sfpmad", TT(SFPMAD, .lreg_src_a = BENCH_VA, .lreg_src_b = BENCH_VB,
                       .lreg_src_c = BENCH_VC, .lreg_dest = BENCH_VD),
          bench_ref_sfpmad },
        { "sfpadd", TT(SFPADD, .lreg_src_a = LREG_ONE, .lreg_src_b = BENCH_VB,
                       .lreg_src_c = BENCH_VC, .lreg_dest = BENCH_VD),
          bench_ref_sfpadd },
        { "sfpmul", TT(SFPMUL, .lreg_src_a = BENCH_VA, .lreg_src_b = BENCH_VB,
                       .lreg_src_c = LREG_ZERO, .lreg_dest = BENCH_VD),
          bench_ref_sfpmul },
        { "sfpiadd", TT(SFPIADD, .instr_mod1 = IADD_CC_NONE,
                        .lreg_c = BENCH_VC, .lreg_dest = BENCH_VD),
          bench_ref_sfpiadd },
        { "sfpshft", TT(SFPSHFT, .lreg_c = BENCH_VC, .lreg_dest = BENCH_VD),
          bench_ref_sfpshft },
        { "sfplutfp32", TT(SFPLUTFP32, .instr_mod1 = LUT_FP16_6ENTRY_TABLE1,
                           .lreg_dest = BENCH_LUT_VD), bench_ref_sfplutfp32 },
        { "sfpswap", TT(SFPSWAP, .instr_mod1 = SWAP_VEC_MIN_MAX,
                        .lreg_src_c = BENCH_VC, .lreg_dest = BENCH_VD),
          bench_ref_sfpswap },
        { "sfptransp", TT(SFPTRANSP), bench_ref_sfptransp },
        { "sfpcast", TT(SFPCAST, .lreg_src_c = BENCH_VC,
                        .lreg_dest = BENCH_VD), bench_ref_sfpcast },
        { "sfpmov", TT(SFPMOV, .lreg_c = BENCH_VC, .lreg_dest = BENCH_VD),
          bench_ref_sfpmov },
        { "sfpsetcc", TT(SFPSETCC, .instr_mod1 = SETCC_LREG_NE0,
                         .lreg_c = BENCH_VC), bench_ref_sfpsetcc },
        { "sfpload_bf16", TT(SFPLOAD, .instr_mod0 = FMT_BF16,
                             .lreg_ind = BENCH_VD), bench_ref_sfpload_bf16 },
        { "sfpload_fp32", TT(SFPLOAD, .instr_mod0 = FMT_FP32,
                             .lreg_ind = BENCH_VD), bench_ref_sfpload_fp32 },
        { "sfpstore_bf16", TT(SFPSTORE, .instr_mod0 = FMT_BF16,
                              .lreg_ind = BENCH_VA), bench_ref_sfpstore_bf16 },
        { "sfpstore_fp32", TT(SFPSTORE, .instr_mod0 = FMT_FP32,
                              .lreg_ind = BENCH_VA), bench_ref_sfpstore_fp32 },
    };

    memcpy(rows, all, sizeof(all));
    bench_matrix_rows(rows + VECTOR_ROWS);
    bench_unpack_rows(rows + VECTOR_ROWS + BENCH_MATRIX_ROWS);
    bench_pack_rows(rows + VECTOR_ROWS + BENCH_MATRIX_ROWS + BENCH_UNPACK_ROWS);
}

uint8_t bench_l1[BENCH_L1_SIZE];
static unsigned violations;

static void l1_write(void *opaque, uint32_t offset, const void *data,
                     uint32_t size)
{
    memcpy(bench_l1 + offset, data, size);
}

static uint32_t stream_read(void *opaque, uint32_t stream, uint32_t offset)
{
    return 0;
}

static void violation(void *opaque, const TensixViolation *v)
{
    if (violations++ == 0) {
        fprintf(stderr, "violation: %s: %s\n", v->mnemonic, v->text);
    }
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* A float between 1/256 and 256 in magnitude. */
static uint32_t random_float(uint64_t *x)
{
    uint32_t r = next_random(x) >> 16;

    return (r & 0x807fffff) | (119 + (r >> 23 & 15)) << 23;
}

/*
 * Power-on, with operands that no fast path fits.  Flags are in use for
 * SFPSETCC, which meets zeroes in four lanes.
 */
static void prepare(TensixCore *c, const Row *row)
{
    uint64_t x = SEED;

    tensix_reset(c);
    for (unsigned reg = 0; reg < 8; reg++) {
        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            c->s.vu.lreg[reg][lane] = random_float(&x);
        }
    }
    for (unsigned n = 0; n < sizeof(bench_l1); n++) {
        bench_l1[n] = next_random(&x);
    }
    for (unsigned k = 0; k < 16; k++) {
        for (unsigned column = 0; column < TENSIX_COLUMNS; column++) {
            c->s.dst[k][column] = next_random(&x);
        }
    }
    if (row->word >> 24 == TENSIX_OP_SFPSETCC) {
        c->s.vu.use_lane_flags = c->s.vu.lane_flags = UINT32_MAX;
        memset(&c->s.vu.lreg[BENCH_VC][8], 0, 4 * sizeof(uint32_t));
    }
    if (row->setup) {
        row->setup(&c->s);
    }
    tensix_state_loaded(c);
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The row's work, once. */
static void push_row(TensixCore *c, const Row *row)
{
    const TensixOrigin origin = { .hart = TENSIX_HART_BRISC };

    for (uint32_t n = 1; n < row->words; n++) {
        tensix_push(c, THREAD, row->word, origin);
    }
    tensix_push(c, THREAD, row->words ? row->last_word : row->word, origin);
}

/* WORDS of them, as a block of code has them. */
static void push_words(TensixCore *c, const uint32_t *words)
{
    const TensixOrigin origin = { .hart = TENSIX_HART_BRISC };
    uint32_t n = 0;

    while (n < WORDS) {
        n += tensix_push_words(c, THREAD, words + n, WORDS - n, origin);
        c->signals.changed = 0;
    }
}

/*
 * The reference's scalar code lets the host power its wide vector units down;
 * they need some microseconds to be at full speed again.
 */
static double run_core(TensixCore *c, const Row *row)
{
    uint32_t words[WORDS];
    double start;

    for (unsigned i = 0; i < WORDS; i++) {
        words[i] = row->word;
    }
    for (unsigned i = 0; i < WARM_UP; i++) {
        push_row(c, row);
    }
    start = now_ns();
    if (row->words) {
        for (unsigned i = 0; i < BATCH; i++) {
            push_row(c, row);
        }
    } else {
        for (unsigned i = 0; i < BATCH; i += WORDS) {
            push_words(c, words);
        }
    }
    return (now_ns() - start) / BATCH;
}

static double run_reference(TensixState *s, BenchReference *reference)
{
    double start = now_ns();

    for (unsigned i = 0; i < REFERENCE_BATCH; i++) {
        reference(s);
        __asm__ volatile("" : : : "memory");
    }
    return (now_ns() - start) / REFERENCE_BATCH;
}

/* Do core and reference agree after a few instructions? */
static bool agree(TensixCore *c, TensixState *s, const Row *row)
{
    prepare(c, row);
    *s = c->s;
    for (unsigned i = 0; i < 3; i++) {
        push_row(c, row);
        row->reference(s);
    }
    return (!row->agree || row->agree()) &&
           !memcmp(c->s.vu.lreg, s->vu.lreg, sizeof(s->vu.lreg)) &&
           c->s.vu.lane_flags == s->vu.lane_flags &&
           !memcmp(c->s.dst, s->dst, sizeof(s->dst)) &&
           !memcmp(c->s.src, s->src, sizeof(s->src)) &&
           !memcmp(c->s.dst_row_valid, s->dst_row_valid,
                   sizeof(s->dst_row_valid));
}

static Result measure(TensixCore *c, TensixState *s, const Row *row, double ms)
{
    Result r = { .key = row->key, .ns = 1e9, .scalar_ns = 1e9 };
    double end = now_ns() + ms * 1e6;

    prepare(c, row);
    *s = c->s;
    while (now_ns() < end) {
        double ns = run_core(c, row);
        double scalar_ns = run_reference(s, row->reference);

        r.ns = ns < r.ns ? ns : r.ns;
        r.scalar_ns = scalar_ns < r.scalar_ns ? scalar_ns : r.scalar_ns;
    }
    return r;
}

static bool write_json(const char *path, const Result *results, unsigned count)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        return false;
    }
    fprintf(f, "[");
    for (unsigned i = 0; i < count; i++) {
        fprintf(f, "%s\n  {\"key\": \"%s\", \"ns\": %.2f, "
                "\"scalar_ns\": %.2f}", i ? "," : "", results[i].key,
                results[i].ns, results[i].scalar_ns);
    }
    fprintf(f, "\n]\n");
    return fclose(f) == 0;
}

static bool selected(const char *key, int argc, char **argv, int first)
{
    for (int i = first; i < argc; i++) {
        if (strcmp(argv[i], key) == 0) {
            return true;
        }
    }
    return first >= argc;
}

/* One row: its result into *r, or false if it is wrong. */
static bool bench_row(TensixCore *c, TensixState *s, const Row *row, double ms,
                      Result *r)
{
    if (!agree(c, s, row)) {
        printf("%-16s WRONG: core and reference disagree\n", row->key);
        return false;
    }
    *r = measure(c, s, row, ms);
    printf("%-16s %8.1f ns %10.1f ns scalar %7.1fx\n", r->key, r->ns,
           r->scalar_ns, r->scalar_ns / r->ns);
    return true;
}

static void usage(void)
{
    fprintf(stderr, "usage: tensix-bench [--json FILE] [--ms N] [--isa NAME] "
            "[KEY...]\n");
    exit(2);
}

/* The build of the units to measure, best by default; false: not here. */
static bool choose_isa(TensixCore *c, const char *name)
{
    tensix_reset(c);
    for (int isa = 0; name && isa < TENSIX_ISAS; isa++) {
        if (strcmp(name, tensix_isa_names[isa]) == 0) {
            return tensix_set_isa(c, isa);
        }
    }
    printf("units built for %s\n", tensix_isa_names[c->isa]);
    return !name;
}

/* Measures the selected rows; returns how many, *wrong counts the others. */
static unsigned bench_rows(TensixCore *c, TensixState *s, double ms,
                           Result *results, unsigned *wrong, int argc,
                           char **argv, int first)
{
    Row rows[NUM_ROWS];
    unsigned count = 0;

    make_rows(rows);
    for (unsigned i = 0; i < NUM_ROWS; i++) {
        if (!selected(rows[i].key, argc, argv, first)) {
            continue;
        }
        if (bench_row(c, s, &rows[i], ms, &results[count])) {
            count++;
        } else {
            (*wrong)++;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    static TensixCore core;
    static TensixState reference;
    static TensixEvent ring[EVENTS];
    TensixCore *c = &core;
    TensixState *s = &reference;
    Result results[NUM_ROWS];
    const char *json = NULL, *isa = NULL;
    unsigned count, wrong = 0;
    double ms = 100;
    int first = 1;

    for (; first < argc && argv[first][0] == '-'; first += 2) {
        if (first + 1 < argc && strcmp(argv[first], "--json") == 0) {
            json = argv[first + 1];
        } else if (first + 1 < argc && strcmp(argv[first], "--ms") == 0) {
            ms = atof(argv[first + 1]);
        } else if (first + 1 < argc && strcmp(argv[first], "--isa") == 0) {
            isa = argv[first + 1];
        } else {
            usage();
        }
    }
    c->host = (TensixHost) {
        .l1 = bench_l1, .l1_size = sizeof(bench_l1), .l1_write = l1_write,
        .stream_read = stream_read, .violation = violation,
    };
    tensix_record_set_ring(&c->record, ring, EVENTS);
    if (!choose_isa(c, isa)) {
        printf("no %s on this host or in this build\n", isa);
        return EXIT_SKIPPED;
    }
    count = bench_rows(c, s, ms, results, &wrong, argc, argv, first);
    if (json && !write_json(json, results, count)) {
        fprintf(stderr, "cannot write %s\n", json);
        wrong++;
    }
    return wrong || violations ? 1 : 0;
}
