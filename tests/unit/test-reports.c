/*
 * Reports that concern a configuration: once, not with every instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "config/config.h"

enum {
    THREAD = 1,
    BASE_UNIT = 0x100,             /* L1 address of what is packed, 16 bytes */
    ALL_COLUMNS = 0xffff,
    TILE_ROWS = 16,
};

static CoreFixture f;

/* Config[bank] := value in a field, as instructions store it. */
static void put(uint32_t bank, uint32_t word, uint32_t low, uint32_t mask,
                uint32_t value)
{
    tensix_cfg_store(&f.core, bank, word, value << low, mask << low);
}

#define PUT_BANK(bank, name, value) \
    put(bank, CFG_##name##_WORD, CFG_##name##_LOW, CFG_##name##_MASK, value)
#define PUT(name, value) PUT_BANK(0, name, value)

/* Reports by another of the word.  Pushed: the fixture's exec discards plans. */
static unsigned reports(uint32_t word)
{
    fixture_clear_violations(&f);
    fixture_push(&f, THREAD, word);
    return f.violation_count;
}

static void start_packing(void)
{
    fixture_init(&f);
    for (uint32_t bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
        PUT_BANK(bank, ALU_FORMAT_SPEC_REG2_Dstacc, TENSIX_FMT_BF16);
        PUT_BANK(bank, THCON_SEC0_REG1_In_data_format, TENSIX_FMT_BF16);
        PUT_BANK(bank, THCON_SEC0_REG1_Out_data_format, TENSIX_FMT_BF16);
        PUT_BANK(bank, THCON_SEC0_REG1_Disable_zero_compress, 1);
        PUT_BANK(bank, THCON_SEC0_REG1_L1_Dest_addr, BASE_UNIT);
        PUT_BANK(bank, PCK_EDGE_OFFSET_SEC0_mask, ALL_COLUMNS);
        PUT_BANK(bank, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, TILE_ROWS);
    }
    f.core.s.adc[THREAD][TENSIX_ADC_PACK].channel[1].X = 15;
    ok_eq(reports(TT(PACR, .Last = 1)), 0, "PACR: nothing to report");
}

static void test_pack_once(void)
{
    const uint32_t pacr = TT(PACR, .Last = 1);

    start_packing();
    PUT(ALU_ROUNDING_MODE_Packer_srnd_en, 1);
    ok_eq(reports(pacr), 1, "stochastic rounding: reported");
    ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], 1, "as unpredictable");
    ok_eq(reports(pacr), 0, "not by the next PACR");
    PUT(THCON_SEC0_REG1_L1_Dest_addr, BASE_UNIT + 1);
    PUT(STACC_RELU_ApplyRelu, 1);
    ok_eq(reports(pacr), 0, "nor with something else changed");
    PUT(THCON_SEC0_REG1_Disable_zero_compress, 0);
    ok_eq(reports(pacr), 1, "something else wrong: only that is reported");
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1, "as unimplemented");
    PUT(ALU_ROUNDING_MODE_Packer_srnd_en, 0);
    ok_eq(reports(pacr), 0, "off again");
    PUT(ALU_ROUNDING_MODE_Packer_srnd_en, 1);
    ok_eq(reports(pacr), 1, "and on: another configuration");
    PUT(THCON_SEC0_REG1_Disable_zero_compress, 1);
    PUT(ALU_ROUNDING_MODE_Packer_srnd_en, 0);
    ok_eq(reports(pacr), 0, "all is well");
    PUT(ALU_ROUNDING_MODE_Packer_srnd_en, 1);
    ok_eq(reports(pacr), 1, "and wrong again");
    tensix_reset(&f.core);
    start_packing();
    PUT(ALU_ROUNDING_MODE_Packer_srnd_en, 1);
    ok_eq(reports(pacr), 1, "after a reset it is new");
}

static void test_pack_banks(void)
{
    const uint32_t pacr = TT(PACR, .Last = 1);

    start_packing();
    PUT_BANK(1, ALU_ROUNDING_MODE_Gasket_srnd_en, 1);
    ok_eq(reports(pacr), 0, "the other bank's configuration");
    fixture_push(&f, THREAD, TT(SETC16, .setc16_reg = 0, .setc16_value = 1));
    ok_eq(reports(pacr), 1, "is reported where it is used");
    fixture_push(&f, THREAD, TT(SETC16, .setc16_reg = 0, .setc16_value = 0));
    ok_eq(reports(pacr), 0, "nothing in this one");
    fixture_push(&f, THREAD, TT(SETC16, .setc16_reg = 0, .setc16_value = 1));
    ok_eq(reports(pacr), 0, "and no second time in that one");
}

static void test_pack_conversion(void)
{
    const uint32_t pacr = TT(PACR, .Last = 1);

    start_packing();
    PUT(THCON_SEC0_REG1_Out_data_format, TENSIX_FMT_INT8);
    ok_eq(reports(pacr), 1, "no conversion: reported");
    ok_eq(reports(pacr), 0, "once");
    PUT(THCON_SEC0_REG1_Out_data_format, TENSIX_FMT_INT32);
    ok_eq(reports(pacr), 1, "no conversion to another format either");
    ok_eq(reports(pacr), 0, "once");
    start_packing();
    PUT(PCK_DEST_RD_CTRL_Read_32b_data, 1);
    PUT(ALU_FORMAT_SPEC_REG2_Dstacc, TENSIX_FMT_INT32);
    PUT(THCON_SEC0_REG1_In_data_format, TENSIX_FMT_INT32);
    ok_eq(reports(pacr), 1, "nor one from integers");
}

static void test_pack_operands(void)
{
    start_packing();
    ok_eq(reports(TT(PACR, .Last = 1, .CfgContext = 1)), 1,
          "an operand that is ignored: reported");
    ok_eq(reports(TT(PACR, .Last = 1, .CfgContext = 1)), 0, "once");
    ok_eq(reports(TT(PACR, .Last = 1, .RowPadZero = 1)), 1, "another one");
}

static void test_pack_descale(void)
{
    const uint32_t pacr = TT(PACR, .Last = 1);

    start_packing();
    PUT(PCK_DEST_RD_CTRL_Read_32b_data, 1);
    PUT(ALU_FORMAT_SPEC_REG2_Dstacc, TENSIX_FMT_INT8);
    PUT(THCON_SEC0_REG1_In_data_format, TENSIX_FMT_INT8);
    PUT(THCON_SEC0_REG1_Out_data_format, TENSIX_FMT_INT8);
    PUT(INT_DESCALE_Mode, 1);
    ok_eq(reports(pacr), 0, "a descaling mode that is off");
    PUT(INT_DESCALE_Enable, 1);
    ok_eq(reports(pacr), 1, "by z: reported");
    ok_eq(reports(pacr), 0, "once");
    PUT(INT_DESCALE_Mode, 0);
    ok_eq(reports(pacr), 0, "by one value: nothing to report");
}

/* --- ALU_ROUNDING_MODE --- */

static void test_rounding(const char *name, uint32_t word, uint32_t low)
{
    const uint32_t others[] = {
        TT(ELWADD), TT(ELWMUL), TT(GAPOOL), TT(GMPOOL), TT(DOTPV),
    };

    fixture_init(&f);
    fixture_give_src(&f, TENSIX_FMT_BF16);
    ok_eq(reports(TT(MVMUL)), 0, "%s is 0", name);
    put(0, word, low, 1, 1);
    ok_eq(reports(TT(MVMUL)), 1, "%s: reported", name);
    ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], 1, "as unpredictable");
    ok(strstr(f.violation_text, name) != NULL, "by its name: %s",
       f.violation_text);
    ok_eq(reports(TT(MVMUL)), 0, "once");
    for (unsigned n = 0; n < sizeof(others) / sizeof(others[0]); n++) {
        ok_eq(reports(others[n]), 0, "nor by another instruction");
    }
    put(0, word, low, 1, 0);
    ok_eq(reports(TT(ELWADD)), 0, "off again");
    put(0, word, low, 1, 1);
    ok_eq(reports(TT(ELWADD)), 1, "and on: another configuration");
}

/* A snapshot's configuration is another one, even with the same bits. */
static void test_load(void)
{
    static TensixState clean;

    fixture_init(&f);
    fixture_give_src(&f, TENSIX_FMT_BF16);
    clean = f.core.s;
    PUT(ALU_ROUNDING_MODE_Fpu_srnd_en, 1);
    ok_eq(reports(TT(MVMUL)), 1, "stochastic rounding: reported");
    f.core.s = clean;
    tensix_state_loaded(&f.core);
    PUT(ALU_ROUNDING_MODE_Fpu_srnd_en, 1);
    ok_eq(reports(TT(MVMUL)), 1, "and in a snapshot, which had not got it");
}

#define TEST_ROUNDING(name) \
    test_rounding(#name, CFG_ALU_ROUNDING_MODE_##name##_WORD, \
                  CFG_ALU_ROUNDING_MODE_##name##_LOW)

int main(void)
{
    test_pack_once();
    test_pack_banks();
    test_pack_conversion();
    test_pack_operands();
    test_pack_descale();
    test_load();
    TEST_ROUNDING(Fpu_srnd_en);
    TEST_ROUNDING(GS_LF);
    TEST_ROUNDING(Bfp8_HF);
    return done_testing();
}
