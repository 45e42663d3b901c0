/*
 * UNPACR: what it reports although it continues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "tap.h"
#include "unpack-oracle.h"

enum { THREAD = 1, BASE = 0x20, ROW_DATUMS = 16 };

static CoreFixture f;

/* --- part of a row of Dest that ZEROACC made undefined --- */

typedef struct Part {
    const char *name;
    uint32_t format;               /* O_BF16, O_FP32 */
    uint32_t column, count;        /* where datums begin, how many */
    uint32_t rate;                 /* of upsampling */
    bool interleave;
    uint32_t undefined;            /* bit a row of Dest */
    bool reported;
} Part;

static const Part parts[] = {
    { "a whole row", O_BF16, 0, 16, 0, false, 1, false },
    { "two whole rows", O_BF16, 0, 32, 0, false, 3, false },
    { "15 columns", O_BF16, 0, 15, 0, false, 1, true },
    { "15 columns of a defined row", O_BF16, 0, 15, 0, false, 2, false },
    { "a row and 4 columns", O_BF16, 0, 20, 0, false, 2, true },
    { "a row and 4 columns of a defined one", O_BF16, 0, 20, 0, false, 1, false },
    { "columns 8 to 15", O_BF16, 8, 8, 0, false, 1, true },
    { "columns 8 to 15 and a row", O_BF16, 8, 24, 0, false, 2, false },
    { "columns 8 to 15, and 0 to 7", O_BF16, 8, 16, 0, false, 3, true },
    { "every other column", O_BF16, 0, 8, 1, true, 1, true },
    { "every other column, zeroes between", O_BF16, 0, 8, 1, false, 1, false },
    { "15 columns of 32 bits", O_FP32, 0, 15, 0, false, 1, true },
    { "16 columns of 32 bits", O_FP32, 0, 16, 0, false, 1, false },
    { "15 columns of 32 bits, of a defined row", O_FP32, 0, 15, 0, false, 2,
      false },
};

static UnpackCase case_of(const Part *p)
{
    uint32_t bytes = p->format == O_FP32 ? 4 : 2;

    return (UnpackCase) {
        .thread = THREAD, .in = p->format, .out = p->format, .x_dim = 64,
        .y_dim = 1, .base = BASE, .to_dst = true,
        .out_base = (4 * ROW_DATUMS + p->column) * bytes,
        .upsample_rate = p->rate, .interleave = p->interleave,
    };
}

static void test_part(const Part *p, TensixIsa isa)
{
    UnpackCase k = case_of(p);
    uint32_t word;

    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    memset(f.l1, 0x12, sizeof(f.l1));
    word = oracle_setup(&f, &k);
    f.core.s.adc[THREAD][0].channel[1].X = p->count - 1;
    for (uint32_t row = 0; row < 2; row++) {
        f.core.s.dst_row_valid[row] = !(p->undefined >> row & 1);
    }
    ok(fixture_exec(&f, THREAD, word) == TENSIX_DONE, "%s, %s: completes",
       tensix_isa_names[isa], p->name);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], p->reported,
          "%s: reports", p->name);
    ok_eq(f.violation_count, p->reported, "%s: nothing else", p->name);
    ok(f.core.s.dst[0][p->column] != 0 && f.core.s.dst_row_valid[0],
       "%s: written", p->name);
}

int main(void)
{
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (!fixture_has_isa(isa)) {
            continue;
        }
        for (unsigned n = 0; n < sizeof(parts) / sizeof(parts[0]); n++) {
            test_part(&parts[n], isa);
        }
    }
    return done_testing();
}
