/*
 * The two tables of configuration fields: no overlap, no duplicate, nothing
 * outside its word; and the fields firmware uses most, at their places.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "config/config.h"

typedef struct Table {
    const char *name;
    const TensixCfgField *fields;
    unsigned count, words, bits;
} Table;

static bool fields_overlap(const TensixCfgField *a, const TensixCfgField *b)
{
    return a->word == b->word && a->low < b->low + b->width &&
           b->low < a->low + a->width;
}

static void check_pairs(const Table *t)
{
    unsigned overlaps = 0, duplicates = 0;

    for (unsigned a = 0; a < t->count; a++) {
        for (unsigned b = a + 1; b < t->count; b++) {
            if (fields_overlap(&t->fields[a], &t->fields[b])) {
                diag("%s overlaps %s", t->fields[a].name, t->fields[b].name);
                overlaps++;
            }
            if (strcmp(t->fields[a].name, t->fields[b].name) == 0) {
                diag("%s twice", t->fields[a].name);
                duplicates++;
            }
        }
    }
    ok_eq(overlaps, 0, "%s: no two fields overlap", t->name);
    ok_eq(duplicates, 0, "%s: no name twice", t->name);
}

static void check_bounds(const Table *t)
{
    unsigned bad = 0;

    for (unsigned n = 0; n < t->count; n++) {
        const TensixCfgField *field = &t->fields[n];

        if (field->word >= t->words || field->width == 0 ||
            field->low + field->width > t->bits) {
            diag("%s leaves its word", field->name);
            bad++;
        }
    }
    ok_eq(bad, 0, "%s: every field lies inside its word", t->name);
}

static void check_order(const Table *t)
{
    bool good = true;

    for (unsigned n = 1; n < t->count; n++) {
        good = good && t->fields[n - 1].word * 32 + t->fields[n - 1].low <
                       t->fields[n].word * 32 + t->fields[n].low;
    }
    ok(good, "%s: in the order of words and bits", t->name);
}

typedef struct Place {
    const char *name;
    unsigned word, low, width;
} Place;

static void check_places(const Table *t, const Place *places, unsigned count)
{
    for (unsigned p = 0; p < count; p++) {
        const TensixCfgField *found = NULL;

        for (unsigned n = 0; n < t->count; n++) {
            if (strcmp(t->fields[n].name, places[p].name) == 0) {
                found = &t->fields[n];
            }
        }
        ok(found && found->word == places[p].word &&
               found->low == places[p].low && found->width == places[p].width,
           "%s: %s", t->name, places[p].name);
    }
}

/* Word, low bit, width: cfg_defines.h for Blackhole. */
static const Place config_places[] = {
    { "ALU_FORMAT_SPEC_REG0_SrcA", 1, 17, 4 },
    { "ALU_ACC_CTRL_Fp32_enabled", 1, 29, 1 },
    { "ALU_ACC_CTRL_INT8_math_enabled", 1, 31, 1 },
    { "RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle", 3, 14, 1 },
    { "RISC_DEST_ACCESS_CTRL_SEC1_fmt", 3, 21, 3 },
    { "RISC_DEST_ACCESS_CTRL_SEC2_fmt", 3, 26, 3 },
    { "STATE_RESET_EN", 4, 0, 1 },
    { "DEST_REGW_BASE_Base", 6, 0, 16 },
    { "DEST_SP_BASE_Base", 7, 0, 16 },
    { "PCK_DEST_RD_CTRL_Read_32b_data", 18, 0, 1 },
    { "THCON_SEC0_REG1_Out_data_format", 70, 4, 4 },
    { "RISCV_IC_INVALIDATE_InvalidateAll", 185, 0, 5 },
    { "PRNG_SEED_Seed_Val", 186, 0, 32 },
    { "SCRATCH_SEC0_val", 209, 0, 32 },
    { "SCRATCH_SEC2_val", 211, 0, 32 },
};

static const Place thread_places[] = {
    { "CFG_STATE_ID_StateID", 0, 0, 1 },
    { "DEST_TARGET_REG_CFG_MATH_Offset", 1, 0, 12 },
    { "CLR_DVALID_SrcA_Disable", 7, 0, 1 },
    { "ADDR_MOD_AB_SEC7_SrcBClear", 19, 15, 1 },
    { "ADDR_MOD_DST_SEC7_FidelityIncr", 35, 13, 2 },
    { "SFPU_STACK_Incr", 36, 0, 10 },
    { "UNPACK_MISC_CFG_CfgContextCntReset_1", 41, 12, 1 },
    { "TENSIX_TRISC_SYNC_TrackTensixInstructions", 56, 4, 1 },
    { "STREAM_ID_SYNC_SEC3_BankSel", 62, 0, 6 },
    { "TENSIX_CSR_CONFIG_RawBusyStatus", 67, 0, 1 },
};

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* The names in C see the same bits, in the bank of the thread. */
static void check_accessors(void)
{
    static CoreFixture f;

    fixture_init(&f);
    f.core.s.cfg[0][1] = 0xdeadbeef;
    f.core.s.cfg[1][1] = 0x01234567;
    f.core.s.thread_cfg[2][0] = 0xffff;
    f.core.s.thread_cfg[1][28] = 0xbc37;
    ok_eq(tensix_cfg_bank(&f.core, 0), 0, "thread 0 uses bank 0");
    ok_eq(tensix_cfg_bank(&f.core, 2), 1, "thread 2 uses bank 1");
    ok_eq(CFG_GET(&f.core, 0, ALU_FORMAT_SPEC_REG1_SrcB), 0xdeadbeef >> 21 & 15,
          "CFG_GET in bank 0");
    ok_eq(CFG_GET(&f.core, 2, ALU_FORMAT_SPEC_REG1_SrcB), 0x01234567 >> 21 & 15,
          "CFG_GET in bank 1");
    ok_eq(CFG_BANK_GET(&f.core, 0, ALU_ACC_CTRL_INT8_math_enabled), 1,
          "CFG_BANK_GET");
    ok_eq(THREAD_CFG_GET(&f.core, 1, ADDR_MOD_DST_SEC0_DestIncr), 0x37,
          "THREAD_CFG_GET");
    ok_eq(THREAD_CFG_GET(&f.core, 1, ADDR_MOD_DST_SEC0_FidelityIncr), 1,
          "THREAD_CFG_GET of two bits");
    f.core.s.cfg[0][186] = 0x89abcdef;
    ok_eq(CFG_GET(&f.core, 0, PRNG_SEED_Seed_Val), 0x89abcdef,
          "a field of 32 bits");
}

int main(void)
{
    Table config = { "Config", tensix_cfg_table.fields,
                     tensix_cfg_table.field_count, 224, 32 };
    Table thread = { "ThreadConfig", tensix_thread_cfg_table.fields,
                     tensix_thread_cfg_table.field_count, 68, 16 };
    Table *tables[] = { &config, &thread };

    for (unsigned n = 0; n < COUNT(tables); n++) {
        ok(tables[n]->count > 100, "%s has %u fields", tables[n]->name,
           tables[n]->count);
        check_pairs(tables[n]);
        check_bounds(tables[n]);
        check_order(tables[n]);
    }
    check_places(&config, config_places, COUNT(config_places));
    check_places(&thread, thread_places, COUNT(thread_places));
    check_accessors();
    return done_testing();
}
