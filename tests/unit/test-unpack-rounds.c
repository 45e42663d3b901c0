/*
 * UNPACR of a compressed row of many zeroes goes round its register file
 * several times: it has the oracle's cells without writing each one each time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "tap.h"
#include "unpack-oracle.h"

enum {
    THREAD = 1,
    DATUMS = 5000,
    ROW = 16,
    SRC_CELLS = 64 * ROW,
};

static CoreFixture f;
static TensixState want;

/* The case's word, and its row in L1: many zeroes, few datums. */
static uint32_t setup(const UnpackCase *k)
{
    uint32_t word;

    fixture_init(&f);
    tensix_set_isa(&f.core, TENSIX_ISA_PORTABLE);
    for (uint32_t n = 0; n < FIXTURE_L1_SIZE; n++) {
        f.l1[n] = fixture_random(&f) | 0xc;
    }
    word = oracle_setup(&f, k);
    f.core.s.adc[THREAD][k->unpacker].channel[1].X = k->x_dim - 1;
    memcpy(&f.l1[(k->base + k->offset + 1) * ROW],
           (const uint8_t[]) { 0, 0, DATUMS & 0xff, DATUMS >> 8 }, 4);
    return word;
}

static void test_rounds(bool to_dst, uint32_t format, bool interleave)
{
    const UnpackCase k = {
        .thread = THREAD, .unpacker = !to_dst, .in = format, .out = format,
        .to_dst = to_dst, .ovrd_address = !to_dst, .compressed = true,
        .upsample_rate = 3, .interleave = interleave,
        .x_dim = 1024, .y_dim = 1, .base = 0x20,
        .out_base = (64 + 7) * oracle_datum_bits(format) / 8,
    };
    uint32_t word = setup(&k);
    uint64_t before;

    want = f.core.s;
    ok(oracle_unpack(&want, f.l1, &k), "defined");
    before = f.core.derived.src[TENSIX_SRCB][0];
    fixture_run(&f, THREAD, word, "rounds");
    memset(f.core.s.executed, 0, sizeof(f.core.s.executed));
    ok(!memcmp(&f.core.s, &want, sizeof(want)), "%s, format %u: as the oracle",
       to_dst ? "Dest" : "SrcB", format);
    if (!to_dst) {
        ok(f.core.derived.src[TENSIX_SRCB][0] - before < 2 * SRC_CELLS + ROW,
           "at most two rounds are written");
    }
}

int main(void)
{
    test_rounds(false, O_BF16, false);
    test_rounds(false, O_INT8, true);
    test_rounds(true, O_BF16, false);
    test_rounds(true, O_BF16, true);
    return done_testing();
}
