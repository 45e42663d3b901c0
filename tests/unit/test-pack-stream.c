/*
 * Packer: tiles that go in and out again, PACR_SETREG, and plans that are kept
 * against plans that are made anew each time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md; WH PACR_SETREG.md, TDMA-RISC.md, Packers/FormatConversion.md.
 */

#include <string.h>

#include "num/num.h"
#include "tap.h"
#include "unpack-oracle.h"
#include "config/config.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1,
    DATUMS = 1024,
    TILES = 64,
    TILE = (0x20 + 1) * 16,        /* where UNPACR reads */
    PACKED_UNIT = 0x400,
    PACKED = (PACKED_UNIT + 1) * 16,
    EXPONENTS = DATUMS / 16,
    STEPS = 30000,
};

static CoreFixture f;

static void put_field(unsigned word, unsigned low, uint32_t value)
{
    f.core.s.cfg[0][word] |= value << low;
}

#define PUT(name, value) put_field(CFG_##name##_WORD, CFG_##name##_LOW, value)

/* --- round trips --- */

typedef struct RoundTrip {
    const char *name;
    uint32_t format;               /* in L1, both times */
    uint32_t early;                /* IntermediateFormat */
    bool wide;
    uint32_t exponents;            /* of blocks: from 8 to this; 0: none */
} RoundTrip;

static const RoundTrip round_trips[] = {
    { "FP32", O_FP32, O_FP32, true, 0 },
    { "INT32", O_INT32, O_INT32, true, 0 },
    { "BF16", O_BF16, O_BF16, false, 0 },
    { "FP16", O_FP16, O_FP16, false, 0 },
    { "INT16", O_INT16, O_INT16, false, 0 },
    { "FP8", O_FP8, O_FP8, false, 0 },
    { "BFP8", O_BFP8, O_BFP8, false, 255 },
    { "BFP4", O_BFP4, O_BFP8, false, 255 },
    { "BFP2", O_BFP2, O_BFP8, false, 255 },
    { "BFP8a", O_BFP8A, O_BFP8A, false, 31 },
    { "BFP4a", O_BFP4A, O_BFP8A, false, 31 },
    { "BFP2a", O_BFP2A, O_BFP8A, false, 31 },
};

/*
 * A datum of a block that returns unchanged: no minus zero, which means
 * minus infinity; the first one has the exponent that the block shares.
 */
static uint32_t block_datum(unsigned n, unsigned bits)
{
    uint32_t magnitude = fixture_random(&f) & ((1u << (bits - 1)) - 1);
    uint32_t sign = fixture_random(&f) & 1;

    if (n % 16 == 0) {
        magnitude |= 1u << (bits - 2);
    }
    return magnitude ? magnitude | sign << (bits - 1) : 0;
}

static unsigned fill_blocks(uint8_t *tile, const RoundTrip *t, unsigned bits)
{
    uint8_t *data = tile + EXPONENTS;

    for (unsigned n = 0; n < EXPONENTS; n++) {
        tile[n] = 8 + fixture_random(&f) % (t->exponents - 8);
    }
    memset(data, 0, DATUMS * bits / 8);
    for (unsigned n = 0; n < DATUMS; n++) {
        data[n * bits / 8] |= block_datum(n, bits) << n * bits % 8;
    }
    return EXPONENTS + DATUMS * bits / 8;
}

/* Returns its size in bytes. */
static unsigned fill_tile(const RoundTrip *t)
{
    unsigned bits = oracle_datum_bits(t->format);

    if (t->exponents) {
        return fill_blocks(&f.l1[TILE], t, bits);
    }
    for (unsigned n = 0; n < DATUMS * bits / 8; n++) {
        f.l1[TILE + n] = fixture_random(&f);
    }
    return DATUMS * bits / 8;
}

static void unpack_tile(const RoundTrip *t)
{
    UnpackCase k = {
        .thread = THREAD, .in = t->format, .out = t->format, .x_dim = DATUMS,
        .y_dim = 1, .to_dst = true, .base = 0x20,
        .out_base = 64 * (oracle_datum_bits(t->format) < 8
                          ? 1 : oracle_datum_bits(t->format) / 8),
    };
    uint32_t word = oracle_setup(&f, &k);
    TensixAdc *adc = &f.core.s.adc[THREAD][TENSIX_ADC_UNP0];

    memset(adc, 0, sizeof(*adc));
    adc->channel[1].X = DATUMS - 1;
    fixture_exec(&f, THREAD, word);
}

static void pack_tile(const RoundTrip *t)
{
    TensixAdc *adc = &f.core.s.adc[THREAD][TENSIX_ADC_PACK];

    memset(f.core.s.cfg, 0, sizeof(f.core.s.cfg));
    f.core.s.thread_cfg[THREAD][THREAD_CFG_CFG_STATE_ID_StateID_INDEX] = 0;
    f.core.s.thread_cfg[THREAD]
                       [THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX] = 4;
    PUT(ALU_FORMAT_SPEC_REG2_Dstacc, t->early);
    PUT(PCK_DEST_RD_CTRL_Read_32b_data, t->wide);
    PUT(PCK_DEST_RD_CTRL_Read_int8, 1);
    PUT(PCK0_ADDR_CTRL_XY_REG_0_Ystride, t->wide ? 64 : 32);
    PUT(PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    PUT(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    PUT(THCON_SEC0_REG1_Exp_section_size, t->exponents ? EXPONENTS / 16 : 0);
    PUT(THCON_SEC0_REG1_L1_Dest_addr, PACKED_UNIT);
    PUT(THCON_SEC0_REG1_Disable_zero_compress, 1);
    PUT(THCON_SEC0_REG1_In_data_format, t->wide ? O_FP32 : O_BF16);
    PUT(THCON_SEC0_REG1_Out_data_format, t->format);
    memset(adc, 0, sizeof(*adc));
    adc->channel[1].X = 15;
    for (unsigned n = 0; n < DATUMS; n += 64) {
        fixture_exec(&f, THREAD, TT(PACR, .Last = n == DATUMS - 64));
    }
}

static void test_round_trip(const RoundTrip *t, const char *isa)
{
    bool good = true;

    for (unsigned n = 0; n < TILES && good; n++) {
        unsigned size = fill_tile(t);

        memset(&f.l1[PACKED], 0xee, size);
        fixture_clear_violations(&f);
        unpack_tile(t);
        pack_tile(t);
        good = !memcmp(&f.l1[TILE], &f.l1[PACKED], size) &&
               f.violation_count == 0;
        for (unsigned at = 0; at < size && !good; at++) {
            if (f.l1[TILE + at] != f.l1[PACKED + at]) {
                diag("byte %u: %02x came back as %02x; %s", at,
                     f.l1[TILE + at], f.l1[PACKED + at], f.violation_text);
                break;
            }
        }
    }
    ok(good, "%s: %s: pack(unpack(x)) is x", isa, t->name);
}

/* --- plans --- */

static CoreFixture anew;           /* makes a plan for each instruction */

static const uint8_t plan_words[] = {
    CFG_ALU_FORMAT_SPEC_REG_Dstacc_val_WORD,
    CFG_ALU_FORMAT_SPEC_REG2_Dstacc_WORD, CFG_STATE_RESET_EN_WORD,
    CFG_STACC_RELU_ApplyRelu_WORD, CFG_INT_DESCALE_Enable_WORD,
    CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD,
    CFG_PCK0_ADDR_CTRL_ZW_REG_0_Zstride_WORD,
    CFG_PCK0_ADDR_CTRL_XY_REG_1_Ystride_WORD,
    CFG_PCK0_ADDR_BASE_REG_0_Base_WORD, CFG_PCK0_ADDR_BASE_REG_1_Base_WORD,
    CFG_PCK_DEST_RD_CTRL_Read_32b_data_WORD,
    CFG_PCK_EDGE_TILE_FACE_SET_SELECT_select_WORD,
    CFG_TILE_ROW_SET_MAPPING_0_row_set_mapping_0_WORD,
    CFG_TILE_ROW_SET_MAPPING_1_row_set_mapping_0_WORD,
    CFG_TILE_ROW_SET_MAPPING_2_row_set_mapping_0_WORD,
    CFG_TILE_ROW_SET_MAPPING_3_row_set_mapping_0_WORD,
    CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD, CFG_PCK_EDGE_OFFSET_SEC1_mask_WORD,
    CFG_PCK_EDGE_OFFSET_SEC2_mask_WORD, CFG_PCK_EDGE_OFFSET_SEC3_mask_WORD,
    CFG_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_WORD,
    CFG_TILE_FACE_SET_MAPPING_0_face_set_mapping_0_WORD,
    CFG_THCON_SEC0_REG1_Exp_section_size_WORD,
    CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD,
    CFG_THCON_SEC0_REG1_Out_data_format_WORD,
    CFG_THCON_SEC0_REG1_Downsample_mask_WORD,
    CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD,
};

/* Past the fixture, which takes each instruction for a new state. */
static void execute(CoreFixture *x, uint32_t word)
{
    const TensixInsn i = {
        .word = word, .thread = THREAD, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
    };

    tensix_execute(&x->core, &i);
}

static void execute_both(uint32_t word)
{
    tensix_derived_invalidate(&anew.core);
    execute(&f, word);
    execute(&anew, word);
}

/* What a plain tile needs, in one of the bits that vary. */
static uint32_t random_value(uint32_t word)
{
    uint32_t r = fixture_random(&f);

    switch (word) {
    case CFG_PCK0_ADDR_CTRL_XY_REG_0_Ystride_WORD:
        return 32u << 16 << (r & 1);
    case CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD ...
         CFG_PCK_EDGE_OFFSET_SEC3_mask_WORD:
        return r & 3 ? 0xffff : r & 0xffffff;
    case CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD:
        return r % 0x800;
    case CFG_THCON_SEC0_REG1_Out_data_format_WORD:
        return (r & 0xff0) | 1 | (r & 1 << 13);
    case CFG_THCON_SEC0_REG1_Downsample_mask_WORD:
        return r & 1 ? 0 : r & 0xfff8ffff;
    default:
        return fixture_random(&f) & 3 ? 0 : r;
    }
}

static void write_both(void)
{
    uint32_t word = plan_words[fixture_random(&f) % sizeof(plan_words)];
    uint32_t value = random_value(word), bank = fixture_random(&f) & 1;
    uint32_t mask = fixture_random(&f) & 1 ? UINT32_MAX : 0xffu << word % 4 * 8;

    if (word == CFG_STATE_RESET_EN_WORD && fixture_random(&f) % 8) {
        mask = 1;                  /* a whole write clears the bank: rarely */
    }
    tensix_cfg_store(&f.core, bank, word, value, mask);
    tensix_cfg_store(&anew.core, bank, word, value, mask);
}

/* One PACR, one write, or what else changes what a PACR sees. */
static void step_both(void)
{
    enum { RESET_THCON = 1 << 9 };
    uint32_t r = fixture_random(&f);

    if (r % 64 == 0) {
        tensix_soft_reset(&f.core, RESET_THCON);
        tensix_soft_reset(&f.core, 0);
        tensix_soft_reset(&anew.core, RESET_THCON);
        tensix_soft_reset(&anew.core, 0);
    } else if (r % 16 == 1) {
        execute_both(TT(SETC16, .setc16_reg = 0, .setc16_value = r >> 8 & 1));
    } else if (r % 2) {
        write_both();
    } else {
        execute_both(TENSIX_OP_PACR << 24 | (r >> 8 & 0x1000f << (r & 6)) |
                     (r >> 28 == 0));
    }
}

static bool same_state(void)
{
    return !memcmp(&f.core.s, &anew.core.s, sizeof(f.core.s)) &&
           !memcmp(f.l1, anew.l1, sizeof(f.l1)) &&
           !memcmp(f.violations, anew.violations, sizeof(f.violations));
}

static void test_plans(TensixIsa isa)
{
    bool good = true;

    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < TENSIX_COLUMNS; column++) {
            f.core.s.dst[row][column] = fixture_random(&f);
        }
    }
    f.core.s.adc[THREAD][TENSIX_ADC_PACK].channel[0] =
        (TensixAdcChannel) { .Y = 4, .Z = 1, .W = 1 };
    f.core.s.adc[THREAD][TENSIX_ADC_PACK].channel[1].X = 15;
    tensix_state_loaded(&f.core);
    anew = f;
    anew.core.host.l1 = anew.l1;
    anew.core.host.opaque = &anew;
    for (unsigned n = 0; n < STEPS && good; n++) {
        step_both();
        good = n % 8 || same_state();
        if (!good) {
            diag("differs after step %u", n);
        }
    }
    ok(good, "%s: kept plans and new ones do the same", tensix_isa_names[isa]);
}

/* --- addresses outside L1 --- */

static void pack_to(uint32_t units)
{
    PUT(THCON_SEC0_REG1_L1_Dest_addr, units);
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, TT(PACR));
    fixture_exec(&f, THREAD, TT(PACR, .Last = 1));
}

/* The configuration is that of the last round trip. */
static void test_far_address(void)
{
    enum { HIGHEST_BIT = 1u << 31, UNITS = 0x20000 };

    pack_to(HIGHEST_BIT | PACKED_UNIT);
    ok_str(f.violation_text, "", "bit 31, which LLK sets: not reported");
    pack_to(UNITS);
    ok_eq(f.violations[TENSIX_BAD_ACCESS], 1,
          "an address in bytes: reported once per stream");
    ok_str(f.violation_text, "L1_Dest_addr is 0x20400 units of 16 bytes, "
           "outside L1: the packer uses unit 0x400", "with the address");
}

/* --- PACR_SETREG --- */

static uint32_t mmio_address, mmio_value;
static unsigned mmio_writes, mmio_refusals;

static TensixResult mmio_write(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value)
{
    if (mmio_refusals) {
        mmio_refusals--;
        return TENSIX_RETRY;
    }
    mmio_address = address;
    mmio_value = value;
    mmio_writes++;
    return TENSIX_DONE;
}

/* The only form that a page gives. */
static uint32_t setreg(uint32_t select, uint32_t value, uint32_t middle)
{
    return TT(PACR_SETREG, .Push = 1, .ModeSel = select, .Unused = value,
              .DisableStall = 3, .AddrSel = 3, .StreamId = middle, .Flush = 1);
}

static void start_setreg(void)
{
    fixture_init(&f);
    f.core.host.mmio_write = mmio_write;
    f.core.s.set_reg.base[0] = 0x00024;
    f.core.s.set_reg.base[1] = 0x40ff8;
    f.core.s.set_reg.hi_scaler[2] = 0x1ff;
    put_field(CFG_THCON_SEC0_REG1_Out_data_format_WORD, 4, O_BFP8);
    mmio_writes = mmio_refusals = 0;
}

static void test_setreg_writes(void)
{
    start_setreg();
    fixture_run(&f, THREAD, setreg(1, 0x3ff, 5), "PACR_SETREG");
    ok_eq(mmio_address, 0xffb45ff8, "base 1, 4 KiB units in the middle");
    ok_eq(mmio_value, 0x3ff + ((0x3ffu * 0x1ff & 0x1ffff) << 12),
          "10 bits, and their product with the format's scaler");
    fixture_run(&f, THREAD, setreg(0, 7, 0x12), "PACR_SETREG");
    ok_eq(mmio_address, 0xffb12024, "base 0");
    f.core.s.set_reg.hi_scaler[2] = 0;
    fixture_run(&f, THREAD, setreg(0, 7, 0x12), "PACR_SETREG");
    ok_eq(mmio_value, 7, "a scaler of 0");
}

static void test_setreg_limits(void)
{
    start_setreg();
    fixture_exec(&f, THREAD, setreg(0, 7, 0x10));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "below 0xffb11000: undefined");
    f.core.s.set_reg.base[1] = 3 << 18;
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, setreg(1, 7, 0));
    ok_eq(f.violation_count, 0, "from 0xffb80000 on: nothing");
    ok_eq(mmio_writes, 0, "and neither writes");
    fixture_exec(&f, THREAD, setreg(0, 7, 0x12) ^ 1 << 8);
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1, "another form: unimplemented");
    f.core.host.mmio_write = NULL;
    fixture_exec(&f, THREAD, setreg(0, 7, 0x12));
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 2, "no registers: reported");
}

static void test_setreg_order(void)
{
    start_setreg();
    memset(f.l1, 0xee, sizeof(f.l1));
    f.core.s.packer = (TensixPacker) {
        .open = 1, .data_bit = 0x1004 * 8 + 4, .exp_byte = 0x803, .tile_row = 3,
    };
    mmio_refusals = 1;
    ok_eq(fixture_exec(&f, THREAD, setreg(0, 7, 0x12)), TENSIX_RETRY,
          "waits for registers");
    ok_eq(f.l1[0x1005], 0xee, "and has done nothing");
    ok_eq(fixture_exec(&f, THREAD, setreg(0, 7, 0x12)), TENSIX_DONE,
          "then continues");
    ok_eq(f.l1[0x1004], 0xee, "flush: what is there stays");
    ok_eq(f.l1[0x1005] | f.l1[0x100f] | f.l1[0x803] | f.l1[0x80f], 0,
          "flush: zeroes to the end of 16 bytes");
    ok_eq(f.l1[0x1010] & f.l1[0x810], 0xee, "and no more");
    ok_eq(f.core.s.packer.data_bit, 0x1010 * 8, "the stream continues after");
    ok_eq(f.core.s.packer.exp_byte, 0x810, "that of exponents too");
    ok_eq(f.core.s.packer.tile_row, 3, "the tile position stays");
}

int main(void)
{
    for (int isa = 0; isa < TENSIX_ISAS; isa++) {
        fixture_init(&f);
        if (!tensix_set_isa(&f.core, isa)) {
            diag("%s: not on this machine", tensix_isa_names[isa]);
            continue;
        }
        for (unsigned n = 0;
             n < sizeof(round_trips) / sizeof(round_trips[0]); n++) {
            test_round_trip(&round_trips[n], tensix_isa_names[isa]);
        }
        test_far_address();
        fixture_init(&f);
        tensix_set_isa(&f.core, isa);
        test_plans(isa);
    }
    test_setreg_writes();
    test_setreg_limits();
    test_setreg_order();
    return done_testing();
}
