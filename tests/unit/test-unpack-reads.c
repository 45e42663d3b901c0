/*
 * Which bytes of L1 an unpacker is seen to read, and in how many events.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bytes are compared with a list made datum by datum; events, because a
 * sanitizer pays for each of them.
 */

#include <string.h>

#include "observe/observe.h"
#include "tap.h"
#include "unpack-oracle.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1,
    BASE = 0x20, DATA = (BASE + 1) * 16,
    ROW = 16,                      /* datums */
};

static CoreFixture f;
static TensixObserver observer;
static uint8_t seen[FIXTURE_L1_SIZE], wanted[FIXTURE_L1_SIZE];
static unsigned events;

static void read_l1(void *opaque, const TensixL1Access *access)
{
    events++;
    memset(seen + access->address, 1, access->size);
}

static uint32_t exponent_bytes(const UnpackCase *k, uint32_t datums)
{
    return oracle_is_block_float(k->in) && !k->forced ? (datums + 15) / 16 : 0;
}

/* Exponents of all blocks, in whole units of 16 bytes, precede the datums. */
static uint32_t first_datum(const UnpackCase *k)
{
    return DATA + (exponent_bytes(k, k->x_dim) + 15) / 16 * 16;
}

static void want_reads(const UnpackCase *k, uint32_t datums)
{
    uint32_t bits = oracle_datum_bits(k->in), width = bits > 8 ? 32 : 16;

    memset(wanted, 0, sizeof(wanted));
    memset(wanted + DATA, 1, exponent_bytes(k, datums));
    for (uint32_t n = 0; n < datums * !k->zero; n++) {
        uint32_t at = k->tilize
            ? n / width * k->stride * 128 + n % width * bits : n * bits;

        memset(wanted + first_datum(k) + at / 8, 1, bits < 8 ? 1 : bits / 8);
    }
}

static void unpack(const UnpackCase *k, uint32_t datums)
{
    uint32_t word = oracle_setup(&f, k);
    TensixAdc *adc = &f.core.s.adc[THREAD][k->unpacker];

    memset(adc, 0, sizeof(*adc));
    adc->channel[1].X = datums - 1;
    tensix_state_loaded(&f.core);
    memset(seen, 0, sizeof(seen));
    events = 0;
    fixture_exec(&f, THREAD, word);
}

static void test_reads(const char *name, const UnpackCase *base,
                       uint32_t datums, uint32_t most_events)
{
    UnpackCase k = *base;

    k.thread = THREAD;
    k.x_dim = 64;
    k.y_dim = 1;
    k.base = BASE;
    k.out_base = k.unpacker ? 0 : 128;
    k.ovrd_address = !k.unpacker;
    fixture_init(&f);
    observer = (TensixObserver) { .read_l1 = read_l1 };
    tensix_set_observer(&f.core, &observer);
    unpack(&k, datums);
    want_reads(&k, datums);
    ok_eq(f.violation_count, 0, "%s: defined", name);
    ok(!memcmp(seen, wanted, sizeof(seen)), "%s: the bytes of its datums",
       name);
    ok(events && events <= most_events, "%s: %u events, at most %u", name,
       events, most_events);
}

int main(void)
{
    static const struct {
        const char *name;
        UnpackCase k;
        uint32_t datums, most_events;
    } cases[] = {
        { "four rows", { .in = O_BF16, .out = O_BF16 }, 64, 1 },
        { "a row", { .in = O_BF16, .out = O_BF16 }, ROW, 1 },
        { "SrcB", { .in = O_FP8, .out = O_FP8, .unpacker = 1 }, 48, 1 },
        { "part of the last row", { .in = O_BF16, .out = O_BF16 }, 40, 2 },
        { "four bits", { .in = O_BFP4, .out = O_BFP4, .forced = true }, 64, 1 },
        { "exponents", { .in = O_BFP8, .out = O_BFP8 }, 64, 2 },
        { "tilized, two rows a stride",
          { .in = O_FP16, .out = O_FP16, .tilize = true, .stride = 9 }, 64, 2 },
        { "tilized, one row a stride",
          { .in = O_FP8, .out = O_FP8, .tilize = true, .stride = 9 }, 64, 4 },
        { "tilized, part of the last stride",
          { .in = O_FP16, .out = O_FP16, .tilize = true, .stride = 9 }, 56, 3 },
    };

    for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
        test_reads(cases[n].name, &cases[n].k, cases[n].datums,
                   cases[n].most_events);
    }
    return done_testing();
}
