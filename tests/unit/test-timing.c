/*
 * Published minimum durations: the table, and what is worked out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "frontend/timing.h"
#include "config/config.h"

static CoreFixture f;

static TensixTiming timing(uint32_t word)
{
    TensixInsn i = { .word = word };
    TensixTiming found;

    tensix_timing(&f.core, &i, &found);
    return found;
}

static void ok_timing(uint32_t word, uint32_t occupancy, uint32_t latency,
                      uint32_t issue, const char *name)
{
    TensixTiming t = timing(word);

    ok(t.occupancy == occupancy && t.latency == latency && t.issue == issue,
       "%s: %u, %u, %u", name, (unsigned)t.occupancy, (unsigned)t.latency,
       (unsigned)t.issue);
}

static void test_table(void)
{
    ok_timing(TT(MVMUL), 1, 5, 1, "MVMUL");
    ok_timing(TT(ELWADD), 1, 5, 1, "ELWADD");
    ok_timing(TT(MOVA2D), 1, 4, 1, "MOVA2D");
    ok_timing(TT(SETRWC), 1, 1, 1, "SETRWC");
    ok_timing(TT(SFPMAD), 1, 2, 1, "SFPMAD");
    ok_timing(TT(SFPIADD), 1, 1, 1, "SFPIADD");
    ok_timing(TT(SFPSHFT2, .instr_mod1 = 3), 2, 2, 1, "SFPSHFT2 ROR1");
    ok_timing(TT(SFPSHFT2, .instr_mod1 = 5), 1, 1, 1, "SFPSHFT2 SHFT_LREG");
    ok_timing(TT(WRCFG), 1, 2, 1, "WRCFG");
    ok_timing(TT(CFGSHIFTMASK), 2, 2, 1, "CFGSHIFTMASK");
    ok_timing(TT(SETC16), 1, 1, 1, "SETC16");
    ok_timing(TT(SETDMAREG), 1, 1, 1, "SETDMAREG");
    ok_timing(TT(ATCAS), 15, 15, 15, "ATCAS");
    ok_timing(TT(STALLWAIT), 1, 1, 1, "STALLWAIT");
    ok_timing(0xff000000, 1, 1, 1, "no such opcode");
}

static void test_gprs(void)
{
    ok_timing(TT(ADDDMAREG, .OpARegIndex = 4, .OpBRegIndex = 7), 3, 3, 3,
              "ADDDMAREG in one group of GPRs");
    ok_timing(TT(MULDMAREG, .OpARegIndex = 4, .OpBRegIndex = 8), 4, 4, 4,
              "MULDMAREG from two groups");
    ok_timing(TT(SHIFTDMAREG, .OpARegIndex = 4, .OpBRegIndex = 8,
                 .OpBisConst = 1), 3, 3, 3, "SHIFTDMAREG by a constant");
}

static void set_tile(uint32_t section, uint32_t format, uint32_t throttle)
{
    uint32_t *cfg = f.core.s.cfg[0] + (section ? 48 : 0);

    cfg[CFG_THCON_SEC0_REG0_TileDescriptor_WORD] = format;
    cfg[CFG_THCON_SEC0_REG2_Throttle_mode_WORD] =
        throttle << CFG_THCON_SEC0_REG2_Throttle_mode_LOW;
    f.core.s.adc[0][section].channel[1].X = 1023;
}

static void test_unpacr(void)
{
    set_tile(0, TENSIX_FMT_BF16, 0);
    ok_timing(TT(UNPACR), 128, 130, 2, "1024 of BF16, x1");
    set_tile(0, TENSIX_FMT_BF16, 2);
    ok_timing(TT(UNPACR), 32, 34, 2, "1024 of BF16, x4");
    set_tile(0, TENSIX_FMT_BFP2, 2);
    ok_timing(TT(UNPACR), 16, 18, 2, "1024 of BFP2, always x1");
    set_tile(1, TENSIX_FMT_FP32, 1);
    ok_timing(TT(UNPACR, .Unpack_block_selection = 1), 128, 130, 2,
              "1024 of FP32 by unpacker 1, x2");
    ok_timing(TT(UNPACR, .ZeroWrite2 = 1), 2, 2, 2, "zeroes");
    ok_timing(TT(UNPACR, .CfgContextCntInc = 1), 1, 1, 1, "a counter");
    f.core.s.adc[0][0].channel[0].X = 2000;
    ok_timing(TT(UNPACR), 2, 3, 2, "the last datum before the first");
}

static void test_pacr(void)
{
    uint32_t *cfg = f.core.s.cfg[0];

    f.core.s.adc[0][TENSIX_ADC_PACK].channel[1].X = 15;
    cfg[CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        TENSIX_FMT_BF16 << CFG_THCON_SEC0_REG1_Out_data_format_LOW;
    ok_timing(TT(PACR), 8, 8, 1, "four rows of BF16");
    ok_timing(TT(PACR, .ReadIntfSel = 1), 2, 2, 1, "a row");
    ok_timing(TT(PACR, .Flush = 1), 1, 1, 1, "a flush");
    cfg[CFG_THCON_SEC0_REG1_Pack_L1_Acc_WORD] |=
        1u << CFG_THCON_SEC0_REG1_Pack_L1_Acc_LOW;
    ok_timing(TT(PACR), 16, 16, 1, "accumulated in L1");
}

static void test_xmov(void)
{
    uint32_t *size = &f.core.s.cfg[0][CFG_THCON_SEC0_REG6_Buffer_size_WORD];

    *size = 0;
    ok_timing(TT(XMOV), 1, 1, 1, "nothing to move");
    *size = 64 | (uint32_t)TENSIX_MOVE_L1_TO_L1 << 30;
    ok_timing(TT(XMOV), 88, 88, 1, "1 KiB in L1");
    *size = 64 | (uint32_t)TENSIX_MOVE_L0_TO_L1 << 30;
    ok_timing(TT(XMOV), 64, 64, 1, "1 KiB of zeroes");
}

/* Whatever the state: at least a cycle, never more than a move of 1 MiB. */
static void test_bounds(void)
{
    enum { ROUNDS = 20000, MOST = 1 << 20 };
    unsigned bad = 0;

    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t word = fixture_random(&f);
        TensixTiming t;

        if (n % 100 == 0) {
            fixture_randomise(&f);
        }
        t = timing(word);
        bad += !t.occupancy || !t.latency || !t.issue || t.occupancy > MOST ||
               t.latency > MOST || t.issue > t.latency;
    }
    ok(bad == 0, "random instructions and configuration: %u bad", bad);
}

int main(void)
{
    fixture_init(&f);
    test_table();
    test_gprs();
    test_unpacr();
    test_pacr();
    test_xmov();
    test_bounds();
    return done_testing();
}
