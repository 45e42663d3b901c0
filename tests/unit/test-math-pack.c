/*
 * Dest between two threads: the MATH_PACK protocol (spec 000, sections 1.5 and
 * 5.2) under random schedules.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Thread 1 multiplies into the half of Dest that is its turn, thread 2 packs
 * the result to L1 and makes the half undefined.  What they leave in Dest and
 * L1 must be the same whatever the schedule, and must not be if one of the
 * instructions that keep them apart is left out.
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "config/config.h"

enum {
    MATH = 1, PACK = 2,
    SEMAPHORE = 1 << 1,            /* MATH_PACK is semaphore 1 */
    STALL_ON_ZERO = 1, STALL_ON_MAX = 2,
    BLOCK_SYNC = 1 << 1, BLOCK_PACK = 1 << 2, BLOCK_MATH = 1 << 6,
    WAIT_PACK = 1 << 3, WAIT_FPU = 1 << 4,
    ZEROACC_HALF = 2, ZEROACC_ALL = 3,
    HALF = 512, MATH_OFFSET = 1,   /* rows; thread configuration index */
    TILES = 6, TILE_ROWS = 16, SEEDS = 1000, RACES = 400,
    MAX_WORDS = 256,
    ROW_BYTES = 32, STREAM_UNIT = 0x100, /* L1 address, 16 bytes each */
    STREAM = (STREAM_UNIT + 1) * 16,
    ALL_INTERFACES = 0xf,
    COUNTERS_PACK = 4, CHANNEL0_Z = 1,   /* of SETADCZW */
    NEXT_ROWS = 0, FIRST_ROW = 1,        /* AddrMods of PACR */
};

/* What a program lacks. */
typedef enum Lack {
    LACKS_NOTHING,
    LACKS_MATH_STALLWAIT, LACKS_PACK_STALLWAIT,
    LACKS_MATH_SEMWAIT, LACKS_PACK_SEMWAIT,
} Lack;

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
static void math_program(Program *p, const Mode *m, Lack lack)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        add(p, set_offset(tile, m));
        if (lack != LACKS_MATH_SEMWAIT) {
            add(p, TT(SEMWAIT, .sem_sel = SEMAPHORE,
                      .wait_sem_cond = STALL_ON_MAX, .stall_res = BLOCK_MATH));
        }
        add(p, TT(SETRWC, .BitMask = 7, .rwc_b = tile % 8 * 8 % 16));
        for (unsigned n = 0; n <= tile % 3 * 3; n++) {
            add(p, TT(MVMUL));
            add(p, TT(MVMUL, .dst = 8));
        }
        if (lack != LACKS_MATH_STALLWAIT) {
            add(p, TT(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = WAIT_FPU));
        }
        add(p, TT(SEMPOST, .sem_sel = SEMAPHORE));
    }
}

/* All rows of a tile, four at a time; the last one of all ends the stream. */
static void pack_tile(Program *p, const Mode *m, unsigned tile)
{
    add(p, TT(SETADCZW, .CntSetMask = COUNTERS_PACK, .BitMask = CHANNEL0_Z,
              .Ch0_X = tile % m->halves));
    for (unsigned row = 4; row <= TILE_ROWS; row += 4) {
        bool ends = row == TILE_ROWS;

        add(p, TT(PACR, .ReadIntfSel = ALL_INTERFACES,
                  .AddrMode = ends ? FIRST_ROW : NEXT_ROWS,
                  .Last = ends && tile == TILES - 1));
    }
}

/* T2: waits for a tile, packs 16 rows, clears the half, gives it back. */
static void pack_program(Program *p, const Mode *m, Lack lack)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        if (lack != LACKS_PACK_SEMWAIT) {
            add(p, TT(SEMWAIT, .sem_sel = SEMAPHORE,
                      .wait_sem_cond = STALL_ON_ZERO, .stall_res = BLOCK_PACK));
        }
        pack_tile(p, m, tile);
        if (lack != LACKS_PACK_STALLWAIT) {
            add(p, TT(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC,
                      .wait_res = WAIT_PACK));
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

static void put(unsigned word, unsigned low, uint32_t value)
{
    f.core.s.cfg[0][word] |= value << low;
}

#define PUT(name, value) put(CFG_##name##_WORD, CFG_##name##_LOW, value)

/* BF16 as it is in Dst; Y counts rows, Z halves. */
static void configure_packer(void)
{
    TensixState *s = &f.core.s;

    PUT(ALU_FORMAT_SPEC_REG2_Dstacc, TENSIX_FMT_BF16);
    PUT(THCON_SEC0_REG1_In_data_format, TENSIX_FMT_BF16);
    PUT(THCON_SEC0_REG1_Out_data_format, TENSIX_FMT_BF16);
    PUT(THCON_SEC0_REG1_Disable_zero_compress, 1);
    PUT(THCON_SEC0_REG1_L1_Dest_addr, STREAM_UNIT);
    PUT(PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    PUT(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    PUT(PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_BYTES);
    PUT(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, HALF * ROW_BYTES);
    s->adc[PACK][TENSIX_ADC_PACK].channel[1].X = TENSIX_COLUMNS - 1;
    s->thread_cfg[PACK][THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX] =
        4 << THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_LOW;
    s->thread_cfg[PACK][THREAD_CFG_ADDR_MOD_PACK_SEC1_YsrcIncr_INDEX] =
        1 << THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcClear_LOW;
}

static void start(const Mode *m, uint64_t seed)
{
    TensixState *s;

    fixture_init(&f);
    s = &f.core.s;
    fixture_give_src(&f, TENSIX_FMT_BF16);
    for (unsigned row = 0; row < TENSIX_SRC_ROWS; row++) {
        for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
            s->src[0][0][row][j] = (row * 8 & 0x3f8) << 8 |
                                   (120 + (row + j) % 7);
            s->src[1][0][row][j] = (j * 24 & 0x3f8) << 8 |
                                   (121 + (row * 3 + j) % 5);
        }
    }
    memset(s->dst_row_valid, 0, sizeof(s->dst_row_valid));
    configure_packer();
    tensix_state_loaded(&f.core);
    fixture_push(&f, MATH,
                 TT(SEMINIT, .sem_sel = SEMAPHORE, .max_value = m->max));
    tensix_set_schedule(&f.core, seed);
}

/* Runs both programs; false if they do not end. */
static bool exchange(const Mode *m, uint64_t seed, Lack lack)
{
    static Program programs[TENSIX_THREADS];

    memset(programs, 0, sizeof(programs));
    math_program(&programs[MATH], m, lack);
    pack_program(&programs[PACK], m, lack);
    start(m, seed);
    return run(programs);
}

enum { STREAM_BYTES = TILES * TILE_ROWS * ROW_BYTES };

typedef struct Outcome {
    uint16_t dst[TENSIX_DST_ROWS][TENSIX_COLUMNS];
    uint8_t valid[TENSIX_DST_ROWS];
    uint8_t l1[FIXTURE_L1_SIZE];
} Outcome;

static Outcome want, got;

static void outcome(Outcome *o)
{
    const TensixState *s = &f.core.s;

    memcpy(o->dst, s->dst, sizeof(o->dst));
    memcpy(o->valid, s->dst_row_valid, sizeof(o->valid));
    memcpy(o->l1, f.l1, sizeof(o->l1));
}

/* How many seeds do not end, report something, end otherwise than `want`. */
typedef struct Count {
    unsigned stuck, reporting, different;
} Count;

static Count over_seeds(const Mode *m, unsigned seeds, Lack lack)
{
    Count n = { 0 };

    for (unsigned seed = 1; seed <= seeds; seed++) {
        n.stuck += !exchange(m, seed, lack);
        n.reporting += f.violation_count != 0;
        outcome(&got);
        n.different += memcmp(&got, &want, sizeof(got)) != 0;
    }
    return n;
}

/* Each tile's 16 rows are there, and no two tiles are the same. */
static bool all_packed(const uint8_t *l1)
{
    static const uint8_t zeroes[TILE_ROWS * ROW_BYTES];

    for (unsigned tile = 0; tile < TILES; tile++) {
        const uint8_t *own = l1 + STREAM + tile * sizeof(zeroes);

        if (!memcmp(own, zeroes, sizeof(zeroes)) ||
            (tile && !memcmp(own, own - sizeof(zeroes), sizeof(zeroes)))) {
            return false;
        }
    }
    return !memcmp(l1 + STREAM + STREAM_BYTES, zeroes, sizeof(zeroes));
}

static void test_races(const Mode *m)
{
    static const struct {
        Lack lack;
        const char *text;
    } races[] = {
        { LACKS_MATH_STALLWAIT, "thread 1's STALLWAIT" },
        { LACKS_PACK_STALLWAIT, "thread 2's STALLWAIT" },
        { LACKS_MATH_SEMWAIT, "thread 1's SEMWAIT" },
        { LACKS_PACK_SEMWAIT, "thread 2's SEMWAIT" },
    };

    for (unsigned n = 0; n < sizeof(races) / sizeof(races[0]); n++) {
        unsigned count = over_seeds(m, RACES, races[n].lack).different;

        ok(count > 0, "%s: without %s %u of %u differ", m->name, races[n].text,
           count, RACES);
    }
}

static void test_mode(const Mode *m)
{
    Count n;

    ok(exchange(m, 0, LACKS_NOTHING), "%s: ends with the eager schedule",
       m->name);
    outcome(&want);
    ok(all_packed(want.l1), "%s: every tile was packed", m->name);
    n = over_seeds(m, SEEDS, LACKS_NOTHING);
    ok_eq(n.stuck, 0, "%s: all of %u schedules end", m->name, SEEDS);
    ok_eq(n.reporting, 0, "%s: nothing is reported", m->name);
    ok_eq(n.different, 0, "%s: Dest and L1 are the same after each", m->name);
    test_races(m);
}

int main(void)
{
    for (unsigned n = 0; n < sizeof(modes) / sizeof(modes[0]); n++) {
        test_mode(&modes[n]);
    }
    return done_testing();
}
