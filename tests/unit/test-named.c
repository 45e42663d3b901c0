/*
 * What a kernel may leave behind: each value that differs is named, once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "views/named.h"

static CoreFixture f;
static TensixState before, after;

typedef struct Seen {
    unsigned count;
    TensixNamedGroup group;
    char name[96];
    uint32_t before, after;
    uint32_t offset, mask;
} Seen;

static void see(void *opaque, const TensixNamedValue *value)
{
    Seen *seen = opaque;

    seen->count++;
    seen->group = value->group;
    strncpy(seen->name, value->name, sizeof(seen->name) - 1);
    seen->before = value->before;
    seen->after = value->after;
    seen->offset = value->offset;
    seen->mask = value->mask;
}

static Seen look(void)
{
    Seen seen = { 0 };

    tensix_named_changes(&before, &after, see, &seen);
    return seen;
}

/* One word was made 5: it is reported by this name, and nothing else is. */
static void check(uint32_t *word, TensixNamedGroup group, const char *name)
{
    Seen seen;

    *word = 5;
    seen = look();
    ok_str(seen.name, name, "%s is named", name);
    ok(seen.count == 1 && seen.group == group && seen.before == 0 &&
           seen.after == 5, "%s is reported once, with its values", name);
    ok(seen.offset == (char *)word - (char *)&after && seen.mask & 5,
       "%s has its place in the state", name);
    *word = 0;
}

static void test_words(void)
{
    check(&after.rwc[1].SrcB_Cr, TENSIX_NAMED_RWC, "rwc[1].SrcB_Cr");
    check(&after.adc[2][TENSIX_ADC_UNP1].channel[1].Z_Cr, TENSIX_NAMED_ADC,
          "adc[2].unpacker1[1].Z_Cr");
    check(&after.adc[0][TENSIX_ADC_PACK].channel[0].X, TENSIX_NAMED_ADC,
          "adc[0].packer[0].X");
    check(&after.gpr[2][63], TENSIX_NAMED_GPR, "gpr[2][63]");
    check(&after.vu.lreg[14][31], TENSIX_NAMED_CONSTANT, "lreg[14][31]");
    check(&after.vu.lane_config[7], TENSIX_NAMED_LANE, "lane-config[7]");
    check(&after.vu.load_macro.sequence[3][1], TENSIX_NAMED_LANE,
          "load-macro-sequence[3][1]");
    check(&after.src_client[TENSIX_SRCB][1], TENSIX_NAMED_BANK,
          "srcb.owner[1]");
    check(&after.unpack_bank[TENSIX_SRCA], TENSIX_NAMED_BANK,
          "srca.unpack-bank");
    check(&after.semaphore[7].max, TENSIX_NAMED_SEMAPHORE, "semaphore[7].max");
    check(&after.mutex_owner[4], TENSIX_NAMED_MUTEX, "mutex[4].owner");
    check(&after.thread[2].mop.cfg[8], TENSIX_NAMED_EXPANDER, "mop-cfg[2][8]");
    check(&after.thread[1].replay.buffer[31], TENSIX_NAMED_EXPANDER,
          "replay[1][31]");
}

static void test_config(void)
{
    const TensixCfgField *last =
        &tensix_cfg_table.fields[tensix_cfg_table.field_count - 1];
    Seen seen;

    check(&after.cfg[1][TENSIX_CFG_GLOBAL_BASE - 1], TENSIX_NAMED_CONFIG,
          "config[1].word[179]");
    after.cfg[1][1] = 1u << 29;
    seen = look();
    ok_str(seen.name, "config[1].ALU_ACC_CTRL_Fp32_enabled", "a field's name");
    ok_eq(seen.after, 1, "a field's value");
    ok_eq(seen.mask, 1u << 29, "a field's bits");
    after.cfg[1][1] = 0;
    after.cfg[0][last->word] = after.cfg[1][last->word] = 1u << last->low;
    seen = look();
    ok_eq(seen.count, 1, "a word that both banks share is reported once");
    after.cfg[0][last->word] = after.cfg[1][last->word] = 0;
    after.thread_cfg[2][12] = 3;
    seen = look();
    ok_str(seen.name, "thread-config[2].ADDR_MOD_AB_SEC0_SrcAIncr",
           "an AddrMod's name");
    ok(seen.offset == (char *)&after.thread_cfg[2][12] - (char *)&after &&
           seen.mask == 0x3f, "and its bits");
    after.thread_cfg[2][12] = 0;
}

/* Data is not what a kernel leaves behind. */
static void test_data(void)
{
    after.dst[1][1] = 1;
    after.src[0][0][0][0] = 1;
    after.vu.lreg[3][3] = 1;
    after.vu.prng[3] = 1;
    ok_eq(look().count, 0, "Dest, Src, LReg 0 to 7 and PRNG are data");
    memset(&after, 0, sizeof(after));
}

/* All that instructions change in a core is reported. */
static void test_instruction(void)
{
    Seen seen;

    fixture_init(&f);
    before = after = f.core.s;
    ok_eq(look().count, 0, "nothing has changed");
    fixture_exec(&f, 1, 0xb229ffff);                 /* SETC16 41 */
    after = f.core.s;
    seen = look();
    ok(seen.count > 0 && seen.group == TENSIX_NAMED_THREAD_CONFIG,
       "SETC16 changes %s", seen.name);
}

int main(void)
{
    test_words();
    test_config();
    test_data();
    test_instruction();
    return done_testing();
}
