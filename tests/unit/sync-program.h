/*
 * Programs of three T harts, of which one synchronisation at a time can be
 * left out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program is written once, with a site for each place in its source that
 * synchronises: a wait, a semaphore's change, a dvalid bit.  Without a site
 * the words of its expansion are left out wherever they would be repeated.
 */

#ifndef SYNC_PROGRAM_H
#define SYNC_PROGRAM_H

#include "core-fixture.h"
#include "config/config.h"

enum {
    SYNC_UNPACK, SYNC_MATH, SYNC_PACK,     /* threads */
    SYNC_STEPS = 1024,             /* of one hart */
    SYNC_NO_SITE = -1,

    /* Sync Unit's operands */
    SYNC_ON_ZERO = 1, SYNC_ON_MAX = 2,
    SYNC_BLOCK_TDMA = 1 << 0, SYNC_BLOCK_SYNC = 1 << 1,
    SYNC_BLOCK_PACK = 1 << 2, SYNC_BLOCK_UNPACK = 1 << 3,
    SYNC_BLOCK_XMOV = 1 << 4, SYNC_BLOCK_MATH = 1 << 6,
    SYNC_BLOCK_CFG = 1 << 7, SYNC_BLOCK_SFPU = 1 << 8,
    SYNC_WAIT_THCON = 1 << 0, SYNC_WAIT_UNPACK0 = 1 << 1,
    SYNC_WAIT_PACK = 1 << 3, SYNC_WAIT_MATH = 1 << 4,
    SYNC_WAIT_XMOV = 1 << 9, SYNC_WAIT_TRISC_CFG = 1 << 10,
    SYNC_WAIT_SFPU = 1 << 11,

    /* semaphores, by number: those of LLK, and what a producer has filled */
    SYNC_MATH_PACK = 1, SYNC_UNPACK_SYNC = 5, SYNC_PACK_DONE = 7,
    SYNC_FILLED = 3,

    /* L1: slots of a tile, unpacked by number, and the results */
    SYNC_FACE_ROWS = 16, SYNC_FACE_BYTES = 512,
    SYNC_SLOT_BYTES = 2 * SYNC_FACE_BYTES,
    SYNC_SLOTS_UNIT = 0x100, SYNC_OUT_UNIT = 0x800,    /* of 16 bytes */
};

/* What a hart does next. */
typedef enum SyncStepKind {
    SYNC_PUSH,                     /* the word */
    SYNC_POLL_BELOW,               /* until semaphore `at` is below the word */
    SYNC_POST,                     /* semaphore `at`, by a store */
    SYNC_CONFIGURE,                /* configuration word `at` := the word */
} SyncStepKind;

typedef struct SyncStep {
    SyncStepKind kind;
    uint32_t word, at;
} SyncStep;

typedef struct SyncHart {
    SyncStep step[SYNC_STEPS];
    unsigned count, next;
} SyncHart;

/* A place that synchronises. */
typedef struct SyncSite {
    const char *name;
    const char *no_matter;         /* why hardware does not need it, or NULL */
} SyncSite;

typedef struct SyncRun SyncRun;

typedef struct SyncSites {
    const SyncSite *site;
    unsigned count;
} SyncSites;

enum { SYNC_GROUPS = 3 };

typedef struct SyncKernel {
    const char *name;
    SyncSites sites[SYNC_GROUPS];  /* numbered through */
    void (*build)(SyncRun *r);     /* configuration, MOPs and steps */
    /* what has to be in L1 from SYNC_OUT_UNIT on; returns bytes */
    unsigned (*oracle)(uint8_t *out);
} SyncKernel;

struct SyncRun {
    CoreFixture f;
    SyncHart hart[TENSIX_THREADS];
    unsigned turn;                 /* steps of a hart, at most */
    int missing;                   /* the site that is left out, or NO_SITE */
    unsigned used;                 /* how often a site left something out */
    unsigned unnamed;              /* synchronises, but has no site */
};

/* --- building (sync-program.c) --- */

void sync_add(SyncRun *r, uint32_t thread, uint32_t word);

/* A word that is nothing but synchronisation. */
void sync_site(SyncRun *r, uint32_t thread, int site, uint32_t word);

/* A step of a hart that synchronises. */
void sync_hart_site(SyncRun *r, uint32_t thread, int site, SyncStepKind kind,
                    uint32_t at, uint32_t word);

void sync_configure(SyncRun *r, uint32_t thread, uint32_t at, uint32_t word);

/* The bits, or 0 without the site: for dvalid bits inside of words. */
uint32_t sync_bits(SyncRun *r, int site, uint32_t bits);

/* Template 1: `outer` times (`inner` times op; last), then end. */
void sync_mop(SyncRun *r, uint32_t thread, const uint32_t *cfg);

/* `value` into a field of configuration bank 0, at the start. */
void sync_put(SyncRun *r, unsigned word, unsigned low, uint32_t value);

#define SYNC_PUT(r, name, value) \
    sync_put(r, CFG_##name##_WORD, CFG_##name##_LOW, value)

/* --- running --- */

/* What a run leaves behind. */
typedef struct SyncOutcome {
    uint16_t dst[TENSIX_DST_ROWS][TENSIX_COLUMNS];
    uint8_t valid[TENSIX_DST_ROWS];
    uint8_t l1[FIXTURE_L1_SIZE];
    uint32_t src_client[TENSIX_SRCS][TENSIX_SRC_BANKS];
    uint32_t bank_lag[TENSIX_SRCS];       /* of the Matrix Unit's */
    uint32_t semaphore[TENSIX_SEMAPHORES];
} SyncOutcome;

/* Builds and runs the program; false if it does not end. */
bool sync_run(SyncRun *r, const SyncKernel *k, int missing, uint64_t seed);

void sync_outcome(const SyncRun *r, SyncOutcome *o);

/* --- the programs (sync-kernels.c) --- */

/* Site n of the program; NULL: it has no more. */
const SyncSite *sync_site_of(const SyncKernel *k, unsigned n);

extern const SyncKernel sync_kernels[];
extern const unsigned sync_kernel_count;

#endif
