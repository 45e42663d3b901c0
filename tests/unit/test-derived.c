/*
 * What is made from the state and kept (derived.h) may not be kept too long.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two cores do the same; the second is made to discard all that it keeps before
 * each instruction, and both then have the same `place`.  Every bit of every word of
 * Config is changed, by each of its writers in turn, between two uses.  So is
 * LaneConfig, and what `busy`, `slow` and `exec` are made of.  What writes SrcA and
 * SrcB is in test-matrix-planes.
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "config/config.h"
#include "derived/update.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1,
    DATUMS = 64,
    WORD_BITS = 32,
    ROW_BYTES = 32,
    SEC1 = 48,                     /* words from THCON_SEC0 to THCON_SEC1 */
    UNCOMPRESSED = 1 << 4,
    RESET_THCON = 1 << 9,
    RESET_SFPU = 1 << 10,
    SAW = 8000,                    /* steps of the tests with random ones */
    LANES_AT = 0x20d00,            /* LaneConfig in the aperture */
};

static CoreFixture f[2];
static TensixCore base[2];

static uint32_t random32(void)
{
    return fixture_random(&f[0]);
}

static void execute_one(TensixCore *c, uint32_t word)
{
    const TensixInsn i = {
        .word = word, .thread = THREAD, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
    };

    tensix_execute(c, &i);
}

/* Past the fixture, which takes each instruction for a new state. */
static void execute(uint32_t word)
{
    tensix_derived_invalidate(&f[1].core);
    execute_one(&f[0].core, word);
    execute_one(&f[1].core, word);
}

static bool same(void)
{
    return !memcmp(&f[0].core.s, &f[1].core.s, sizeof(f[0].core.s)) &&
           !memcmp(f[0].l1, f[1].l1, sizeof(f[0].l1)) &&
           !memcmp(f[0].core.derived.place, f[1].core.derived.place,
                   sizeof(f[0].core.derived.place)) &&
           !memcmp(f[0].violations, f[1].violations, sizeof(f[0].violations));
}

/* --- Config --- */

/* One change: the bits of a word that become others. */
typedef struct Change {
    uint32_t bank, word, bits;
} Change;

static uint32_t changed_word(const TensixCore *c, Change w)
{
    return c->s.cfg[w.bank][w.word] ^ w.bits;
}

/* The four words around it, as they shall be. */
static void changed_words(const TensixCore *c, Change w, uint32_t words[4])
{
    memcpy(words, &c->s.cfg[w.bank][w.word & ~3u], 4 * sizeof(words[0]));
    words[w.word & 3] ^= w.bits;
}

static void by_wrcfg(CoreFixture *x, Change w)
{
    x->core.s.gpr[THREAD][9] = changed_word(&x->core, w);
    execute_one(&x->core, TT(WRCFG, .CfgReg = w.word, .GprAddress = 9));
}

static void by_wrcfg_128(CoreFixture *x, Change w)
{
    changed_words(&x->core, w, &x->core.s.gpr[THREAD][8]);
    execute_one(&x->core, TT(WRCFG, .CfgReg = w.word, .GprAddress = 8,
                             .wr128b = 1));
}

static void by_rmwcib(CoreFixture *x, Change w)
{
    uint32_t value = changed_word(&x->core, w);

    for (unsigned byte = 0; byte < 4; byte++) {
        uint32_t word = TT(RMWCIB0, .CfgRegAddr = w.word,
                           .Data = value >> 8 * byte & 0xff,
                           .Mask = w.bits >> 8 * byte & 0xff);

        execute_one(&x->core, word + (byte << 24));
    }
}

static void by_cfgshiftmask(CoreFixture *x, Change w)
{
    enum { OWN_SCRATCH = 3, XOR = 2, ALL_BITS = 31 };

    tensix_cfg_store(&x->core, 0, CFG_SCRATCH_SEC0_val_WORD + THREAD, w.bits,
                     UINT32_MAX);
    execute_one(&x->core, TT(CFGSHIFTMASK, .CfgReg = w.word,
                             .scratch_sel = OWN_SCRATCH, .operation = XOR,
                             .mask_width = ALL_BITS,
                             .disable_mask_on_old_val = 1));
}

static void by_streamwrcfg(CoreFixture *x, Change w)
{
    uint32_t stream = tensix_sync_stream(&x->core, THREAD, 0);

    x->stream[stream][5] = changed_word(&x->core, w);
    execute_one(&x->core, TT(STREAMWRCFG, .CfgReg = w.word, .StreamRegAddr = 5));
}

static void by_store(CoreFixture *x, Change w)
{
    tensix_cfg_write(&x->core, (w.bank * TENSIX_CFG_WORDS + w.word) * 4,
                     changed_word(&x->core, w));
}

static void by_mover(CoreFixture *x, Change w)
{
    const TensixMove m = {
        .destination = (w.bank * TENSIX_CFG_WORDS + (w.word & ~3u)) * 4,
        .source = FIXTURE_L1_SIZE - 16, .count = 16,
        .mode = TENSIX_MOVE_L1_TO_L0,
    };
    uint32_t words[4];

    changed_words(&x->core, w, words);
    memcpy(&x->l1[m.source], words, sizeof(words));
    tensix_move(&x->core, &m);
}

static void by_snapshot(CoreFixture *x, Change w)
{
    x->core.s.cfg[w.bank][w.word] ^= w.bits;
    if (w.word >= TENSIX_CFG_GLOBAL_BASE) {
        x->core.s.cfg[w.bank ^ 1][w.word] ^= w.bits;
    }
    tensix_state_loaded(&x->core);
}

/* Clears the words of THCON, or all that are not global, and changes one. */
static void by_clearing(CoreFixture *x, Change w)
{
    if (w.bits & 0x55555555) {
        tensix_soft_reset(&x->core, RESET_THCON);
        tensix_soft_reset(&x->core, 0);
    } else {
        tensix_cfg_store(&x->core, w.bank, CFG_STATE_RESET_EN_WORD, 1,
                         UINT32_MAX);
    }
}

typedef void ConfigWriter(CoreFixture *x, Change w);

static const struct { const char *name; ConfigWriter *write; } config_writers[] = {
    { "WRCFG", by_wrcfg }, { "WRCFG of four words", by_wrcfg_128 },
    { "RMWCIB", by_rmwcib }, { "CFGSHIFTMASK", by_cfgshiftmask },
    { "STREAMWRCFG", by_streamwrcfg }, { "a store", by_store },
    { "the Mover", by_mover }, { "a snapshot", by_snapshot },
    { "clearing", by_clearing },
};

enum {
    WRITER_STORE = 5,
    CONFIG_WRITERS = sizeof(config_writers) / sizeof(config_writers[0]),
};

/* Everything that keeps something of Config. */
static void use_config(void)
{
    execute(TT(PACR));
    execute(TT(PACR, .Last = 1));
    execute(TT(UNPACR));
    execute(TT(UNPACR, .Unpack_block_selection = 1));
    execute(TT(UNPACR, .OvrdThreadId = 1, .AddrCntContextId = THREAD,
               .CfgContextId = 2));
    execute(TT(UNPACR, .OvrdThreadId = 1, .AddrCntContextId = THREAD,
               .CfgContextId = 1, .Unpack_block_selection = 1));
}

static void set_up_words(uint32_t *cfg)
{
    cfg[CFG_ALU_FORMAT_SPEC_REG2_Dstacc_WORD] =
        (uint32_t)TENSIX_FMT_BF16 << CFG_ALU_FORMAT_SPEC_REG2_Dstacc_LOW;
    cfg[CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD] = ROW_BYTES << 16;
    cfg[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD] = 0xffff;
    cfg[CFG_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_WORD] = 16 << 8;
    cfg[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] = 0x100;
    cfg[CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        TENSIX_FMT_BF16 << 8 | TENSIX_FMT_BF16 << 4 | 1;
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        uint32_t *section = cfg + unpacker * SEC1;

        section[CFG_THCON_SEC0_REG0_TileDescriptor_WORD] =
            TENSIX_FMT_BF16 | UNCOMPRESSED | DATUMS << 16;
        section[CFG_THCON_SEC0_REG0_TileDescriptor_WORD + 1] = 1 | 2 << 16;
        section[CFG_THCON_SEC0_REG2_Out_data_format_WORD] |= TENSIX_FMT_BF16;
        section[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] |=
            0xf << CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_LOW;
        section[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD] = DATUMS * 0x10001;
        section[CFG_THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD + 1] = DATUMS * 0x10001;
        section[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD] = 0x10001 * 128;
        section[CFG_THCON_SEC0_REG5_Dest_cntx0_address_WORD + 1] = 0x10001 * 128;
    }
    cfg[CFG_UNP0_ADDR_BASE_REG_1_Base_WORD] = 4 * ROW_BYTES;
    cfg[CFG_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_WORD] |=
        1u << CFG_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_LOW;
}

static void set_up(CoreFixture *x, uint32_t bank)
{
    TensixState *s = &x->core.s;

    fixture_init(x);
    for (unsigned n = 0; n < FIXTURE_L1_SIZE; n++) {
        x->l1[n] = fixture_random(x);
    }
    for (unsigned n = 0; n < TENSIX_DST_ROWS * TENSIX_COLUMNS; n++) {
        s->dst[n / TENSIX_COLUMNS][n % TENSIX_COLUMNS] = fixture_random(x);
    }
    set_up_words(s->cfg[0]);
    set_up_words(s->cfg[1]);
    s->thread_cfg[THREAD][0] = bank;
    s->adc[THREAD][TENSIX_ADC_PACK].channel[1].X = 15;
    s->adc[THREAD][TENSIX_ADC_PACK].channel[0].Y = 4;
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        TensixAdc *adc = &s->adc[THREAD][unpacker];

        adc->channel[1].X = DATUMS - 1;
        adc->channel[0].Z = adc->channel[1].Z = 1;
    }
    tensix_state_loaded(&x->core);
}

/* What is reported of each writer, and of all. */
typedef struct Tally {
    unsigned wrong[CONFIG_WRITERS], made, kept;
} Tally;

/*
 * A change, use, and the change back by another writer.  Sabotage: as if the
 * writer had not given the bank a new generation.
 */
static bool change_and_use(Change w, unsigned writer, bool sabotage, Tally *t)
{
    uint64_t generation[TENSIX_CFG_BANKS];

    memcpy(generation, f[0].core.derived.config, sizeof(generation));
    config_writers[writer].write(&f[0], w);
    config_writers[writer].write(&f[1], w);
    if (memcmp(generation, f[0].core.derived.config, sizeof(generation))) {
        t->made++;
    } else {
        t->kept++;
    }
    if (sabotage) {
        memcpy(f[0].core.derived.config, generation, sizeof(generation));
    }
    use_config();
    return same();
}

static void start_word(uint32_t bank)
{
    static const unsigned none[TENSIX_CATEGORIES];

    for (unsigned n = 0; n < 2; n++) {
        f[n].core = base[n];
        memcpy(f[n].violations, none, sizeof(none));
    }
    memcpy(f[1].l1, f[0].l1, sizeof(f[0].l1));
    execute(TT(SETC16, .setc16_reg = 0, .setc16_value = bank));
    use_config();
}

static void set_up_both(uint32_t bank)
{
    for (unsigned n = 0; n < 2; n++) {
        set_up(&f[n], bank);
        base[n] = f[n].core;
    }
}

/* All bits of a word, each by two of the writers, all of which get their turn. */
static void change_word(uint32_t bank, uint32_t word, Tally *t)
{
    start_word(bank);
    for (unsigned n = 0; n < WORD_BITS * 2; n++) {
        unsigned writer = (n + word) % CONFIG_WRITERS;
        Change w = { bank, word, 1u << n % WORD_BITS };
        bool good = change_and_use(w, writer, false, t);

        good = change_and_use(w, (writer + 1) % (CONFIG_WRITERS - 1), false,
                              t) && good;
        if (!good || config_writers[writer].write == by_clearing) {
            start_word(bank);
        }
        t->wrong[writer] += !good;
    }
}

static void test_config(uint32_t bank)
{
    Tally t = { 0 };

    set_up_both(bank);
    start_word(bank);
    ok(f[0].violation_count == 0, "bank %u: defined (%s)", bank,
       f[0].violation_text);
    for (uint32_t word = 0; word < TENSIX_CFG_WORDS; word++) {
        change_word(bank, word, &t);
    }
    for (unsigned n = 0; n < CONFIG_WRITERS; n++) {
        ok_eq(t.wrong[n], 0, "bank %u: each bit counts at once, by %s", bank,
              config_writers[n].name);
    }
    ok(t.made > t.kept && t.kept > t.made / 16,
       "bank %u: %u changes had plans made anew, %u did not", bank, t.made,
       t.kept);
}

/* Would the test see it? */
static void test_sabotage(void)
{
    unsigned seen = 0;
    Tally t = { 0 };

    set_up_both(0);
    for (uint32_t word = 0; word < TENSIX_CFG_WORDS; word++) {
        bool good = true;

        start_word(0);
        for (unsigned bit = 0; bit < WORD_BITS && good; bit++) {
            Change w = { 0, word, 1u << bit };

            good = change_and_use(w, WRITER_STORE, true, &t);
        }
        seen += !good;
    }
    ok(seen > 12 && seen < 80, "%u words whose changes would be missed", seen);
}

/* What a plan needs beside Config: ThreadConfig and a mode of Dst. */
static void test_thread_config(void)
{
    unsigned wrong = 0;

    set_up_both(0);
    for (unsigned n = 0; n < TENSIX_THREAD_CFG_WORDS * 16; n++) {
        uint32_t index = n / 16, old;

        start_word(0);
        old = f[0].core.s.thread_cfg[THREAD][index];
        execute(TT(SETC16, .setc16_reg = index,
                   .setc16_value = old ^ 1u << n % 16));
        use_config();
        wrong += !same();
        execute(TT(SETC16, .setc16_reg = index, .setc16_value = old));
        use_config();
        wrong += !same();
    }
    ok_eq(wrong, 0, "each bit of ThreadConfig counts at once");
    start_word(0);
    for (unsigned n = 0; n < 4; n++) {
        tensix_set_dst16b_is_high_half(&f[0].core, n % 2 == 0);
        tensix_set_dst16b_is_high_half(&f[1].core, n % 2 == 0);
        use_config();
        ok(same(), "Dst16b is %s", n % 2 ? "separate rows" : "the high half");
    }
}

/* derived.place after a state was loaded, against its sources. */
static void test_place(void)
{
    enum { OFFSET = 0x7f0, BASE = 0x1230, SP_BASE = 0x321, UP = 3, CLEARS = 7 };
    TensixState *s = &f[0].core.s;
    const TensixPlace *place = &f[0].core.derived.place[THREAD];

    memset(s->thread_cfg[THREAD], 0, sizeof(s->thread_cfg[THREAD]));
    memset(s->cfg[0], 0, sizeof(s->cfg[0]));
    tensix_state_loaded(&f[0].core);
    ok(!place->moves && place->straight && tensix_place_is_narrow(place) &&
       place->format[TENSIX_SRCA] == TENSIX_FORMAT_IMPLIED &&
       place->format[TENSIX_SRCB] == TENSIX_FORMAT_IMPLIED, "place: of zeroes");
    ok(!(place->forced | place->integers | place->fp32 | place->phase) &&
       place->flush_b, "place: modes of zeroes");
    s->thread_cfg[THREAD][THREAD_CFG_DEST_TARGET_REG_CFG_MATH_Offset_INDEX] = OFFSET;
    s->thread_cfg[THREAD][THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + UP] = 8;
    s->thread_cfg[THREAD][THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX] = 1;
    s->thread_cfg[THREAD][THREAD_CFG_ADDR_MOD_BIAS_SEC0_BiasIncr_INDEX + CLEARS] =
        1 << THREAD_CFG_ADDR_MOD_BIAS_SEC0_BiasClear_LOW;
    s->thread_cfg[THREAD][THREAD_CFG_DISABLE_IMPLIED_SRCA_FMT_Base_INDEX] = 1;
    s->thread_cfg[THREAD][THREAD_CFG_DISABLE_IMPLIED_SRCB_FMT_Base_INDEX] = 1;
    s->cfg[0][CFG_DEST_REGW_BASE_Base_WORD] = BASE;
    s->cfg[0][CFG_DEST_SP_BASE_Base_WORD] = SP_BASE;
    s->cfg[0][CFG_ALU_FORMAT_SPEC_REG0_SrcA_WORD] |=
        (uint32_t)TENSIX_FMT_TF32 << CFG_ALU_FORMAT_SPEC_REG0_SrcA_LOW |
        (uint32_t)TENSIX_FMT_BF16 << CFG_ALU_FORMAT_SPEC_REG1_SrcB_LOW;
    s->cfg[0][CFG_DEST_ACCESS_CFG_remap_addrs_WORD] |=
        1u << CFG_DEST_ACCESS_CFG_remap_addrs_LOW;
    s->cfg[0][CFG_ALU_ACC_CTRL_Fp32_enabled_WORD] |=
        1u << CFG_ALU_ACC_CTRL_Fp32_enabled_LOW;
    tensix_state_loaded(&f[0].core);
    ok_eq(place->dst_base, BASE + OFFSET, "place: rows of Dst");
    ok_eq(place->sp_base, SP_BASE, "place: the stack's");
    ok_eq(place->moves, 1 << 0 | 1 << UP | 1 << CLEARS, "place: AddrMods");
    ok(!place->straight && !tensix_place_is_narrow(place),
       "place: remapped rows of 32 bits");
    ok(place->format[TENSIX_SRCA] == TENSIX_FMT_TF32 &&
       place->format[TENSIX_SRCB] == TENSIX_FMT_BF16, "place: formats by Config");
    ok(place->fp32 && !place->integers && !place->forced, "place: Dst32b");
    s->thread_cfg[THREAD][THREAD_CFG_FP16A_FORCE_Enable_INDEX] |=
        1 << THREAD_CFG_FP16A_FORCE_Enable_LOW;
    s->thread_cfg[THREAD][THREAD_CFG_FIDELITY_BASE_Phase_INDEX] |=
        3 << THREAD_CFG_FIDELITY_BASE_Phase_LOW;
    s->cfg[0][CFG_ALU_ACC_CTRL_INT8_math_enabled_WORD] |=
        1u << CFG_ALU_ACC_CTRL_INT8_math_enabled_LOW;
    s->cfg[0][CFG_ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD] |=
        1u << CFG_ALU_ACC_CTRL_Zero_Flag_disabled_src_LOW;
    tensix_state_loaded(&f[0].core);
    ok(place->forced && place->integers && place->phase == 3 &&
       !place->flush_b, "place: modes");
}

/* --- LaneConfig --- */

static void poke_lane(CoreFixture *x, uint32_t lane, uint32_t value)
{
    tensix_aperture_write(&x->core, LANES_AT + lane * 4, &value, sizeof(value));
}

static void load_lane(CoreFixture *x, uint32_t lane, uint32_t value)
{
    x->core.s.vu.lane_config[lane] = value;
    tensix_state_loaded(&x->core);
}

static void write_lane(uint32_t r)
{
    uint32_t lane = r >> 8 & 31, value = r >> 16 & 0xff;

    for (unsigned n = 0; n < 2; n++) {
        if (r >> 28 == 0) {
            tensix_soft_reset(&f[n].core, RESET_SFPU);
            tensix_soft_reset(&f[n].core, 0);
        } else if (r >> 28 & 1) {
            poke_lane(&f[n], lane, value);
        } else {
            load_lane(&f[n], lane, value);
        }
    }
}

/* Macros whose first template may be an SFPCONFIG, in the simple sub-unit. */
static uint32_t vector_word(uint32_t r)
{
    switch (r % 8) {
    case 0:
    case 1:
        return TT(SFPCONFIG, .instr_mod1 = r >> 8 & 15, .config_dest = 15,
                  .imm16_math = r >> 16 & (r >> 12 & 1 ? 0xffff : 0));
    case 2:
        return TT(SFPLOADMACRO, .lreg_ind = r >> 8 & 15,
                  .dest_reg_addr = r >> 16 & 0x1e);
    case 3:
        return TT(SFPCONFIG, .instr_mod1 = 1, .config_dest = 4 + (r >> 8) % 5,
                  .imm16_math = r >> 16);
    case 4:
        return TT(SFPLOAD, .lreg_ind = r >> 8 & 7, .instr_mod0 = r >> 16 & 3,
                  .dest_reg_addr = r >> 20 & 0x1e);
    case 5:
        return TT(SFPSTORE, .lreg_ind = r >> 8 & 7, .instr_mod0 = r >> 16 & 3,
                  .dest_reg_addr = r >> 20 & 0x1e);
    case 6:                        /* by the backdoor: a template */
        return TT(SFPSHFT, .lreg_dest = 12 + (r >> 8 & 3), .lreg_c = r >> 16 & 7);
    default:
        return TT(SFPMAD, .lreg_dest = r >> 8 & 15, .lreg_src_a = r >> 12 & 7,
                  .lreg_src_b = r >> 16 & 7, .lreg_src_c = r >> 20 & 7);
    }
}

static uint32_t summary(const TensixVectorUnit *vu)
{
    uint32_t any = 0;

    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        any |= vu->lane_config[lane];
    }
    return any;
}

static void test_lane_config(void)
{
    unsigned wrong = 0, differ = 0, set = 0, macros = 0;
    const TensixVectorUnit *vu = &f[0].core.s.vu;

    set_up_both(0);
    for (unsigned n = 0; n < SAW; n++) {
        uint32_t r = random32();

        if (n % 32 == 0) {
            write_lane(r);
        } else {
            execute(vector_word(r));
        }
        wrong += vu->lane_config_any != summary(vu);
        differ += !same();
        set += vu->lane_config_any != 0;
        macros += f[0].core.s.macro.active;
    }
    ok(set > SAW / 8 && set < SAW && macros > SAW / 64,
       "LaneConfig was set %u times, macros were under way %u times", set, macros);
    ok_eq(wrong, 0, "its summary is that of the lanes");
    ok_eq(differ, 0, "and the core does as one that makes it anew");
}

/* --- masks --- */

/* What the hot path goes by, against what it is made of. */
static bool masks_are_right(const TensixCore *c)
{
    static TensixCore copy;

    copy = *c;
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_update_busy(&copy, t);
    }
    tensix_update_slow(&copy);
    return copy.derived.busy == c->derived.busy &&
           copy.derived.slow == c->derived.slow &&
           c->tables[c->s.macro.active] == c->derived.exec;
}

static void push_some(TensixCore *c, uint32_t r)
{
    const TensixOrigin brisc = { 0x1000, TENSIX_HART_BRISC };
    const TensixOrigin t_hart = { 0x2000, TENSIX_HART_TRISC0 };
    const uint32_t words[] = {
        TT(NOP), TT(SEMPOST, .sem_sel = 1), TT(SEMGET, .sem_sel = 1),
        TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1ff),
        TT(STALLWAIT, .stall_res = 0x1ff, .wait_res = 8),
        TT(MOP, .mop_type = 0, .loop_count = 9), TT(PACR),
        TT(SFPLOADMACRO, .lreg_ind = 4), TT(SFPLOADMACRO), TT(SFPNOP),
        TT(REPLAY, .load_mode = 1, .len = 3), TT(REPLAY, .len = 3),
        TT(SFPCONFIG, .instr_mod1 = 1, .config_dest = 4 + (r >> 30),
           .imm16_math = r >> 12),
        TT(DMANOP), TT(SETDMAREG), TT(ATGETM), TT(ATRELM),
        TT(SETDVALID, .setvalid = 3), TT(CLEARDVALID, .cleardvalid = 3),
        TT(ELWADD), TT(STALLWAIT, .stall_res = 0x1ff, .wait_res = 0x60),
    };

    tensix_push(c, (r >> 8) % TENSIX_THREADS,
                words[(r >> 16) % (sizeof(words) / sizeof(words[0]))],
                r & 1 ? brisc : t_hart);
}

static void ring_full(void *opaque)
{
}

static void hit(void *opaque, const TensixHit *h)
{
}

static void save_or_load(TensixCore *c, bool load)
{
    static TensixState saved[2];
    unsigned n = c == &f[1].core;

    fixture_save_or_load(&f[n], &saved[n], load);
}

/* Signals are restored after the state, whatever they were. */
static void restore_backlog(TensixCore *c, bool backlog)
{
    TensixTrail trail;

    tensix_get_trail(c, &trail);
    trail.signals.backlog = backlog;
    tensix_set_trail(c, &trail);
}

static void do_anything(TensixCore *c, uint32_t r)
{
    static TensixObserver observer = { .hit = hit };

    c->signals.changed = 0;        /* as the device does after each entry */
    switch (r >> 2 & 63) {
    case 0:
        tensix_set_hazards(c, r & 1);
        break;
    case 1:
        tensix_soft_reset(c, r & 1 ? 0 : r >> 8);
        break;
    case 2:
        tensix_set_debug_bus(c, r & 1 ? 0 : r >> 8 & 7);
        break;
    case 3:
        tensix_thread_reset_frontend(c, r & 1);
        break;
    case 4:
        if (!c->derived.busy) {
            tensix_set_schedule(c, r & 1 ? 0 : r);
        }
        break;
    case 5:
        save_or_load(c, r & 1);
        break;
    case 6:
    case 7:
        tensix_run(c, r & 7);
        break;
    case 8:
        if (r >> 8 & 1) {
            tensix_reset(c);
        }
        break;
    case 9:
        tensix_set_isa(c, r % TENSIX_ISAS);
        break;
    case 10 ... 19:                /* what was held continues */
        tensix_set_timeline(c, NULL, NULL);
        tensix_set_observer(c, NULL);
        tensix_soft_reset(c, 0);
        tensix_set_debug_bus(c, 0);
        tensix_semaphore_write(c, 1, 0, (TensixOrigin) { 0 });
        tensix_run(c, 1000);
        break;
    case 20:
        tensix_set_timeline(c, r & 1 ? ring_full : NULL, NULL);
        break;
    case 21:
        tensix_set_observer(c, r & 1 ? &observer : NULL);
        break;
    case 22:
        restore_backlog(c, r & 1);
        break;
    default:
        push_some(c, r);
    }
}

static void test_masks(void)
{
    unsigned wrong = 0, differ = 0, busy = 0, slow = 0, macros = 0, settled = 0;
    TensixCore *c = &f[0].core;

    fixture_init(&f[0]);
    fixture_init(&f[1]);
    for (unsigned n = 0; n < SAW; n++) {
        uint32_t r = random32();

        tensix_derived_invalidate(&f[1].core);
        do_anything(c, r);
        do_anything(&f[1].core, r);
        wrong += !masks_are_right(c);
        differ += !same();
        busy += c->derived.busy != 0;
        slow += c->derived.slow != 0;
        macros += c->s.macro.active;
        settled += c->derived.settled != 0;
    }
    ok(settled > SAW / 16, "threads wait for a change %u times", settled);
    ok(busy > SAW / 16 && slow > SAW / 16 && slow < SAW - SAW / 16 && macros > 50,
       "busy %u times, slow %u times, with macros %u times", busy, slow, macros);
    ok_eq(wrong, 0, "busy, slow and exec are what they are made of");
    ok_eq(differ, 0, "and the core does as one that makes them anew");
}

/* A thread that waits for a semaphore is not asked; in another state it is. */
static void test_settled(void)
{
    const TensixOrigin origin = { 0x2000, TENSIX_HART_TRISC0 };
    static TensixState idle;
    TensixCore *c = &f[0].core;

    fixture_init(&f[0]);
    idle = c->s;
    tensix_push(c, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                         .stall_res = 0x1ff), origin);
    tensix_push(c, 0, TT(NOP), origin);
    ok(c->derived.settled == 1 && tensix_is_settled(c), "it waits for a change");
    c->signals.changed |= TENSIX_CHANGED_SEMAPHORE;
    ok(!tensix_is_settled(c), "which is signalled");
    c->signals.changed = 0;
    c->s = idle;
    tensix_state_loaded(c);
    tensix_push_queued(c, 0, TT(NOP), origin);
    ok(!tensix_is_busy(c), "a loaded state ends the wait");
}

int main(void)
{
    test_settled();
    test_config(0);
    test_config(1);
    test_sabotage();
    test_thread_config();
    test_place();
    test_lane_config();
    test_masks();
    return done_testing();
}
