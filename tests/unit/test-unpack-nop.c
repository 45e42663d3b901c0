/*
 * UNPACR_NOP: clearing to 1 and to a register's value, messages of overlay
 * streams.  (Clearing to zero and waiting: test-matrix-ctl.c)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "regs/regfile.h"
#include "tap.h"

enum { THREAD = 1 };

static CoreFixture f;

static void test_nop_ones(void)
{
    static const uint32_t cells[] = { 15, 127, 1 << 8 | 16 };

    for (uint32_t format = 0; format < 3; format++) {
        unsigned wrong = 0;

        fixture_init(&f);
        fixture_exec(&f, THREAD, TT(UNPACR_NOP, .Unpack_Pop = 1,
                                    .Src_ClrVal_Ctrl = 2,
                                    .Clr_to1_fmt_Ctrl = format,
                                    .Unpacker_Select = 1));
        for (unsigned n = 0; n < 64 * 16; n++) {
            wrong += f.core.s.src[1][0][n / 16][n % 16] != cells[format];
        }
        ok_eq(wrong, 0, "UNPACR_NOP: a bank of ones, format %u", format);
        ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1, "which is reported");
    }
}

static void test_nop_register(void)
{
    fixture_init(&f);
    f.core.s.cfg[0][53] = 0xfff12345;        /* UNP0_NOP_REG_CLR_VAL */
    f.core.s.cfg[0][63] = 0x0006789a;        /* UNP1's */
    for (uint32_t src = 0; src < 2; src++) {
        unsigned wrong = 0;

        fixture_clear_violations(&f);
        fixture_exec(&f, THREAD, TT(UNPACR_NOP, .Unpack_Pop = 1,
                                    .Src_ClrVal_Ctrl = 3, .Set_Dvalid = 1,
                                    .Unpacker_Select = src));
        for (unsigned n = 0; n < 64 * 16; n++) {
            wrong += f.core.s.src[src][0][n / 16][n % 16] !=
                     (src ? 0x6789a : 0x12345);
        }
        ok_eq(wrong, 0, "UNPACR_NOP: bank %u of a register's value", src);
        ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], 1, "which is reported");
        ok_eq(f.core.s.src_client[src][0], TENSIX_CLIENT_MATRIX_UNIT,
              "and handed over");
    }
}

static uint32_t mmio_address, mmio_value;
static TensixResult mmio_result;

static TensixResult mmio_write(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value)
{
    mmio_address = address;
    mmio_value = value;
    return mmio_result;
}

/* One write of 1 to MSG_DATA_CLEAR, register 266, of a stream. */
static void nop_clears(uint32_t word, uint32_t stream, const char *name)
{
    mmio_address = mmio_value = 0;
    fixture_run(&f, THREAD, word, name);
    ok_eq(mmio_address, 0xffb40000 + stream * 0x1000 + 266 * 4, "%s: address",
          name);
    ok_eq(mmio_value, 1, "%s: value", name);
}

static void test_nop_overlay(void)
{
    fixture_init(&f);
    f.core.host.mmio_write = mmio_write;
    f.core.s.thread_cfg[THREAD][42] = 11;
    f.core.s.thread_cfg[THREAD][43] = 63;
    mmio_result = TENSIX_DONE;
    nop_clears(TT(UNPACR_NOP, .Unpack_Pop = 0), 11, "configured stream");
    nop_clears(TT(UNPACR_NOP, .Unpack_Pop = 0, .Unpacker_Select = 1), 63,
               "unpacker 1's stream");
    nop_clears(TT(UNPACR_NOP, .Unpack_Pop = 3, .Msg_Clr_Cnt = 1,
                  .Stream_Id = 40), 40, "stream of the instruction");
    nop_clears(TT(UNPACR_NOP, .Unpack_Pop = 3, .Stream_Id = 40), 11,
               "no count");
    mmio_result = TENSIX_RETRY;
    ok(fixture_exec(&f, THREAD, TT(UNPACR_NOP, .Unpack_Pop = 0)) == TENSIX_RETRY,
       "it waits if the register does");
}

/* --- formats of a bank of zeroes --- */

enum { OUT_FORMAT_A = 72, OUT_FORMAT_B = 120 };

/* FP16 in SrcA, and SrcB cleared under BF16; banks given away. */
static void clear_srcb(void)
{
    fixture_init(&f);
    f.core.s.cfg[0][OUT_FORMAT_A] = TENSIX_FMT_FP16;
    f.core.s.cfg[0][OUT_FORMAT_B] = TENSIX_FMT_BF16;
    memset(f.core.s.src, 0x2, sizeof(f.core.s.src));
    f.core.s.src_format[TENSIX_SRCA][0] = TENSIX_FMT_FP16;
    f.core.s.src_client[TENSIX_SRCA][0] = TENSIX_CLIENT_MATRIX_UNIT;
    fixture_exec(&f, THREAD, TT(UNPACR_NOP, .Unpack_Pop = 1, .Set_Dvalid = 1,
                                .Stall_Clr_Cntrl = 1, .Unpacker_Select = 1));
    ok_eq(f.core.s.src_format[TENSIX_SRCB][0], TENSIX_FMT_BF16,
          "the bank has a format that its zeroes never had");
}

static void test_format_of_zeroes(void)
{
    clear_srcb();
    fixture_run(&f, THREAD, TT(ELWADD), "zeroes beside another format");
    fixture_run(&f, THREAD, TT(MVMUL), "zeroes multiplied");
    f.core.s.src[TENSIX_SRCB][0][63][15] = 1;
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, TT(ELWADD));
    ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], 1,
          "one cell that is no zero is reported");
}

/* The other way round SrcA's format, stale or not, is SrcB's too. */
static void test_zeroes_in_srca(void)
{
    clear_srcb();
    tensix_src_fill(&f.core, TENSIX_SRCB, 0, 0x200);
    tensix_src_fill(&f.core, TENSIX_SRCA, 0, 0);
    fixture_exec(&f, THREAD, TT(ELWADD));
    ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], 1,
          "zeroes in SrcA give SrcB their format: reported");
}

int main(void)
{
    test_nop_ones();
    test_nop_register();
    test_nop_overlay();
    test_format_of_zeroes();
    test_zeroes_in_srca();
    return done_testing();
}
