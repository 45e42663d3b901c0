/*
 * Matrix multiplication, BRISC: fetches tiles of A and B, sends tiles of C.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Work goes out through the PCBufs; TRISC0 and TRISC2 send a word back when a
 * chunk has been unpacked and a tile packed.  (BH NoC pages, PCBufs.md)
 */

#include "blackhole-tile/console.h"
#include "blackhole-tile/noc.h"
#include "matmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "brisc";

enum {
    BENCH_RUNS = 40,
    BENCH_TILES = 64,              /* at most, in a batch */
};

static uint32_t chunks_sent, chunks_back, tiles_sent, tiles_back;
static Noc noc;

/* --- configuration --- */

static void configure(void)
{
    const TileFormats formats = {
        .l1_in = SHARED->in_format,
        .src = SHARED->src_format,
        .dest = SHARED->pack_format,
        .l1_out = SHARED->out_format,
        .exponent_bytes = SHARED->out_exponents,
        .dest_32b = SHARED->dest_32b,
        .integer = SHARED->integer,
    };

    configure_tiles(&formats);
}

/* --- work --- */

static uint32_t chunk_address(uint32_t n)
{
    return CHUNK_BASE + n % CHUNK_SLOTS * 2 * CHUNK_BYTES;
}

static uint32_t out_address(uint32_t n)
{
    return OUT_BASE + n % OUT_SLOTS * MAX_TILE_BYTES;
}

static void send_chunk(uint32_t a, uint32_t b, uint32_t count, uint32_t flags)
{
    PCBUF(0) = a;
    PCBUF(0) = b;
    PCBUF(0) = count;
    PCBUF(1) = count | flags | 1 << UNIT_REPEAT_LOW;
    chunks_sent++;
}

static void take_chunk_back(void)
{
    (void)MAILBOX(MAIL_TRISC0);
    chunks_back++;
}

/* A packed tile goes to its place in C. */
static void take_tile_back(void)
{
    uint32_t bytes = SHARED->out_bytes;

    (void)MAILBOX(MAIL_TRISC2);
    noc_write(&noc, SHARED->memory, SHARED->c + tiles_back * bytes,
              out_address(tiles_back), bytes);
    noc_wait(&noc);
    SHARED->tiles_done = ++tiles_back;
}

static void feed_chunk(uint32_t row, uint32_t column, uint32_t first)
{
    uint32_t inner = SHARED->inner, bytes = SHARED->in_bytes;
    uint32_t count = inner - first < CHUNK_TILES ? inner - first : CHUNK_TILES;
    uint32_t a = chunk_address(chunks_sent), b = a + CHUNK_BYTES;

    if (chunks_sent - chunks_back == CHUNK_SLOTS) {
        take_chunk_back();
    }
    noc_read(&noc, SHARED->memory, SHARED->a + (row * inner + first) * bytes,
             a, count * bytes);
    noc_read(&noc, SHARED->memory,
             SHARED->b + (column * inner + first) * bytes, b, count * bytes);
    noc_wait(&noc);
    send_chunk(a, b, count, (first ? 0 : UNIT_FIRST) |
                            (first + count == inner ? UNIT_LAST : 0));
}

static void feed_tile(uint32_t row, uint32_t column)
{
    if (tiles_sent - tiles_back == OUT_SLOTS) {
        take_tile_back();
    }
    PCBUF(2) = out_address(tiles_sent);
    PCBUF(2) = 1;
    tiles_sent++;
    for (uint32_t first = 0; first < SHARED->inner; first += CHUNK_TILES) {
        feed_chunk(row, column, first);
    }
}

static void multiply(void)
{
    for (uint32_t row = 0; row < SHARED->rows; row++) {
        for (uint32_t column = 0; column < SHARED->columns; column++) {
            feed_tile(row, column);
        }
    }
    while (tiles_back < tiles_sent) {
        take_tile_back();
    }
    while (chunks_back < chunks_sent) {
        take_chunk_back();
    }
}

/* --- measuring --- */

/* BF16 between 1 and 2, signs mixed; the last pair is the first one again. */
static void fill_operands(uint32_t batch)
{
    volatile uint16_t *a = (volatile uint16_t *)CHUNK_BASE;
    volatile uint16_t *b = a + BENCH_TILES * MAX_TILE_BYTES / sizeof(*a);
    uint32_t last = (batch - 1) * TILE_DATUMS, x = 1;

    for (uint32_t n = 0; n < batch * TILE_DATUMS; n++) {
        x = x * 1664525 + 1013904223;
        a[n] = 0x3F80 | (x >> 16 & 0x807F);
        b[n] = 0x3F80 | (x >> 8 & 0x807F);
    }
    for (uint32_t n = 0; n < TILE_DATUMS; n++) {
        a[last + n] = a[n];
        b[last + n] = b[n];
    }
}

/* Do the first and the last pair give the same, and something? */
static bool results_agree(uint32_t batch)
{
    volatile uint16_t *first = (volatile uint16_t *)OUT_BASE;
    volatile uint16_t *last =
        first + (batch - 1) * MAX_TILE_BYTES / sizeof(*first);
    uint32_t something = 0;

    for (uint32_t n = 0; n < TILE_DATUMS; n++) {
        if (first[n] != last[n]) {
            return false;
        }
        something |= first[n];
    }
    return something;
}

/* Each pair of tiles in L1 gives a tile in L1. */
static void run_batch(uint32_t batch)
{
    PCBUF(2) = OUT_BASE;
    PCBUF(2) = batch;
    PCBUF(0) = CHUNK_BASE;
    PCBUF(0) = CHUNK_BASE + BENCH_TILES * MAX_TILE_BYTES;
    PCBUF(0) = batch;
    PCBUF(1) = 1 | UNIT_FIRST | UNIT_LAST | batch << UNIT_REPEAT_LOW;
    (void)MAILBOX(MAIL_TRISC0);
    (void)MAILBOX(MAIL_TRISC2);
}

/* "bench KEY WORK CLOCKS", as tests/firmware/bench has it */
static void measure_batch(const char *key, uint32_t batch)
{
    uint32_t best = UINT32_MAX;

    for (unsigned i = 0; i < BENCH_RUNS; i++) {
        uint32_t start = WALL_CLOCK_LOW;
        uint32_t clocks;

        run_batch(batch);
        clocks = WALL_CLOCK_LOW - start;
        best = clocks < best ? clocks : best;
    }
    print("bench %s %u %u\n", key, batch, best);
}

static void measure(uint32_t batch)
{
    fill_operands(batch);
    measure_batch("matmul_hifi4", batch);
    if (!results_agree(batch)) {
        print("matmul_hifi4 is wrong\n");
        leave(1);
    }
    measure_batch("matmul_alone", 1);
    leave(0);
}

int main(void)
{
    noc = noc_open(0);
    configure();
    release_harts(SOFT_RESET_TRISCS);
    if (SHARED->batch) {
        measure(SHARED->batch);
    }
    multiply();
    SHARED->finished = 1;
    return 0;
}
