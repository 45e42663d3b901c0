/*
 * Vector Unit: SFPLOAD, SFPSTORE and SFPLOADI, in all modes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "regs/regfile.h"

enum {
    SRCB,
    FP16,
    BF16,
    FP32,
    INT32,
    INT8,
    UINT16,
    HI16,
    INT16,
    LO16,
    INT32_ALL,
    ZERO,
    INT32_SM,
    INT8_COMP,
    LO16_ONLY,
    HI16_ONLY,
    MODES,
};

enum { VECTORS_OF_64K = 0x10000 / 32, ROUNDS = 3000 };

/* Bits of LaneConfig, as BH SFPCONFIG.md lists them. */
enum {
    FP16A_INF = 1,
    NO_BACKDOOR = 2,
    DEST_INDEX = 4,
    CAPTURE_INDEX = 8,
    BLOCK_WRITE = 16,
    BLOCK_READ = 32,
    READ_ODD = 64,
    WRITE_ODD = 128
};

static CoreFixture f;
static TensixState want;

static uint32_t *lreg(unsigned n)
{
    return f.core.s.vu.lreg[n];
}

static uint32_t load_word(unsigned vd, unsigned mod, unsigned addr_mod,
                          unsigned imm)
{
    return 0x70u << 24 | vd << 20 | mod << 16 | addr_mod << 13 | imm;
}

static uint32_t store_word(unsigned vd, unsigned mod, unsigned addr_mod,
                           unsigned imm)
{
    return 0x72u << 24 | vd << 20 | mod << 16 | addr_mod << 13 | imm;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static bool wide_store(unsigned mod)
{
    return mod == FP32 || mod == INT32 || mod == INT32_ALL || mod == INT32_SM ||
           mod == LO16 || mod == HI16;
}

static bool wide_load(unsigned mod)
{
    return wide_store(mod) && mod != LO16 && mod != HI16;
}

/* --- one datum, worked out as a number where it is one --- */

static uint32_t load_oracle(unsigned mod, uint32_t cell, uint32_t old, bool inf)
{
    bool negative = cell >> 15 & 1;
    unsigned m10 = cell / 32 % 1024, e5 = cell % 32;
    uint32_t sign = negative ? 0x80000000u : 0;

    switch (mod) {
    case FP16:
        if (inf && e5 == 31 && m10 == 1023) {
            return sign | 0x7f800000;
        }
        if (e5 == 0) {             /* not rebiased: a denormal or zero */
            return sign | m10 * 8192;
        }
        return sign | bits_of(ldexpf(1024 + m10, (int)e5 - 15 - 10));
    case BF16:
        return sign | (cell & 0xff) * 0x800000 | cell / 256 % 128 * 0x10000;
    case INT8:
        return sign | m10 % 256;
    case INT8_COMP:
        return sign | m10;
    case INT16:
        return sign | cell % 0x8000;
    case UINT16:
    case LO16:
        return cell;
    case HI16:
        return cell * 0x10000;
    case LO16_ONLY:
        return old / 0x10000 * 0x10000 + cell;
    case HI16_ONLY:
        return cell * 0x10000 + old % 0x10000;
    case ZERO:
        return 0;
    default:                       /* S M7 E8 M16 to S E8 M23 */
        return (cell & 0x80000000) | cell / 0x10000 % 256 * 0x800000 |
               cell / 0x1000000 % 128 * 0x10000 | cell % 0x10000;
    }
}

static uint32_t fp16_cell(uint32_t x)
{
    float magnitude = fabsf(float_of(x & 0x7fffffff));
    uint32_t sign = x >> 31 << 15;
    int e;
    float m;

    if ((x & 0x7f800000) == 0x7f800000 || magnitude >= 131072.0f) {
        return sign | 0x7fff;
    }
    if (magnitude < ldexpf(1, -14)) {
        return sign;
    }
    m = frexpf(magnitude, &e) * 2 - 1;           /* 1.m * 2^(e - 1) */
    return sign | (uint32_t)(m * 1024) * 32 | (uint32_t)(e - 1 + 15);
}

static uint32_t fp32_cell(uint32_t x, bool flush)
{
    uint32_t e = x / 0x800000 % 256;

    if (flush && e == 0) {
        return x & 0x80000000;
    }
    return (x & 0x80000000) | x / 0x10000 % 128 * 0x1000000 | e * 0x10000 |
           x % 0x10000;
}

static uint32_t store_oracle(unsigned mod, uint32_t x)
{
    uint32_t sign = x >> 31 << 15;

    switch (mod) {
    case FP16:
        return fp16_cell(x);
    case BF16:
        return fp32_cell(x, true) >> 16;
    case FP32:
        return fp32_cell(x, true);
    case INT8:
    case INT8_COMP:
        return sign | x % 1024 * 32 | 16;
    case INT16:
        return sign | x % 0x8000;
    case UINT16:
    case LO16_ONLY:
        return x % 0x10000;
    case HI16_ONLY:
        return x / 0x10000;
    case LO16:
        return x * 0x10000 + x / 0x10000;
    case HI16:
        return x;
    case ZERO:
        return 0;
    default:
        return fp32_cell(x, false);
    }
}

/* --- where a lane is: cell of Dst16b, or high half of Dst32b --- */

static uint16_t *cell_of(TensixState *s, unsigned address, unsigned lane,
                         bool wide, bool odd)
{
    unsigned row = address / 4 * 4 + lane / 8;

    if (wide) {
        row = (row / 8 % 64 * 16 + row % 8) | (row & 512);
    }
    return &s->dst[row][lane % 8 * 2 + (odd || address & 2)];
}

static void put_cell(TensixState *s, unsigned address, unsigned lane, bool wide,
                     bool odd, uint32_t value)
{
    uint16_t *cell = cell_of(s, address, lane, wide, odd);

    cell[0] = wide ? value >> 16 : value;
    if (wide) {
        cell[8 * 16] = value;
    }
    s->dst_row_valid[(cell - &s->dst[0][0]) / 16] = 1;
}

static uint32_t value_for(unsigned mod, unsigned n, unsigned lane)
{
    static const uint32_t edges[] = {
        0,          0x80000000, 1,          0x807fffff, 0x00800000,
        0x7f800000, 0xff800001, 0x7fc00000, 0x38800000, 0x387fffff,
        0xc77fe000, 0x477fffff, 0x47800000, 0x48000000, 0xffffffff,
    };
    uint32_t all16 = n * 32 + lane;

    if (!wide_load(mod)) {
        return all16;
    }
    return all16 < 15 ? edges[all16] : fixture_random(&f);
}

/* All 2^16 cells through each 16-bit load, many 32-bit ones too. */
static void test_load_values(unsigned mod, bool inf, TensixIsa isa)
{
    unsigned wrong = 0;

    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    for (unsigned lane = 0; lane < 32; lane++) {
        f.core.s.vu.lane_config[lane] = inf ? FP16A_INF : 0;
    }
    for (unsigned n = 0; n < VECTORS_OF_64K; n++) {
        uint32_t cells[32], old[32];

        for (unsigned lane = 0; lane < 32; lane++) {
            cells[lane] = value_for(mod, n, lane);
            put_cell(&f.core.s, 40, lane, wide_load(mod), false, cells[lane]);
            old[lane] = lreg(3)[lane] = fixture_random(&f);
        }
        fixture_exec(&f, 1, load_word(3, mod, 0, 40));
        for (unsigned lane = 0; lane < 32; lane++) {
            wrong +=
                lreg(3)[lane] != load_oracle(mod, cells[lane], old[lane], inf);
        }
    }
    ok_eq(wrong, 0, "SFPLOAD mode %u: values%s, %s", mod,
          inf ? ", largest FP16 infinite" : "", tensix_isa_names[isa]);
    ok_eq(f.violation_count, 0, "SFPLOAD mode %u: no violation", mod);
}

/* All 2^16 patterns in the half of a lane that matters, the other at random. */
static uint32_t lane_for(unsigned mod, unsigned n, unsigned lane)
{
    uint32_t all16 = n * 32 + lane;

    switch (mod) {
    case FP16:
    case BF16:
    case HI16_ONLY:
        return all16 << 16 | (fixture_random(&f) & 0xffff);
    case INT8:
    case INT8_COMP:
    case INT16:
    case UINT16:
    case LO16_ONLY:
        return all16 | (fixture_random(&f) & 0xffff0000);
    default:
        return value_for(FP32, n, lane);
    }
}

static void test_store_values(unsigned mod, TensixIsa isa)
{
    unsigned wrong = 0;

    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    for (unsigned n = 0; n < VECTORS_OF_64K; n++) {
        want = f.core.s;
        for (unsigned lane = 0; lane < 32; lane++) {
            uint32_t x = lreg(2)[lane] = lane_for(mod, n, lane);

            put_cell(&want, 42, lane, wide_store(mod), false,
                     store_oracle(mod, x));
        }
        fixture_exec(&f, 1, store_word(2, mod, 0, 42));
        wrong += memcmp(f.core.s.dst, want.dst, sizeof(want.dst)) != 0;
    }
    ok_eq(wrong, 0, "SFPSTORE mode %u: values, %s", mod, tensix_isa_names[isa]);
    ok_eq(f.violation_count, 0, "SFPSTORE mode %u: no violation", mod);
}

/* --- addresses, lanes, configuration --- */

static uint32_t enabled_oracle(const TensixVectorUnit *vu, unsigned lane)
{
    if (vu->lane_config[lane % 8] >> (12 + lane / 8) & 1) {
        return false;
    }
    return !(vu->use_lane_flags >> lane & 1) || (vu->lane_flags >> lane & 1);
}

static void randomise(unsigned thread, bool configured)
{
    TensixState *s = &f.core.s;
    TensixVectorUnit *vu = &s->vu;

    for (unsigned n = 0; n < 1024 * 16; n++) {
        s->dst[n / 16][n % 16] = fixture_random(&f);
    }
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned n = 0; n < 8; n++) {
            vu->lreg[n][lane] = fixture_random(&f);
        }
        vu->lane_config[lane] = configured ? fixture_random(&f) & 0xf0ff : 0;
        if (configured && fixture_random(&f) % 4) {
            vu->lane_config[lane] &= ~(0xf000 | BLOCK_READ | BLOCK_WRITE);
        }
    }
    vu->lane_flags = fixture_random(&f);
    vu->use_lane_flags = fixture_random(&f) | fixture_random(&f);
    s->rwc[thread].Dst = fixture_random(&f) % 1024;
    s->rwc[thread].Sp = fixture_random(&f) % 3 ? fixture_random(&f) % 1024 : 0;
    s->thread_cfg[thread][0] = fixture_random(&f) & 1;
    s->thread_cfg[thread][1] = fixture_random(&f) % 4096;
    s->thread_cfg[thread][36] = fixture_random(&f) % 1024;
    for (unsigned bank = 0; bank < 2; bank++) {
        s->cfg[bank][6] = fixture_random(&f) % 0x10000;
        s->cfg[bank][7] = fixture_random(&f) % 0x10000;
    }
    s->thread_cfg[thread][28 + 5] = 12;          /* AddrMod 5: Dst + 12 */
}

/* BH SFPLOAD.md: the ten bits of Addr. */
static unsigned address_oracle(unsigned thread, unsigned imm, bool all,
                               unsigned sp)
{
    const TensixState *s = &f.core.s;
    const uint32_t *cfg = s->cfg[s->thread_cfg[thread][0]];
    unsigned a = imm + s->thread_cfg[thread][1];
    unsigned dst = s->rwc[thread].Dst + cfg[6], stack = sp + cfg[7];

    return (all ? a + stack + dst % 4 : a + dst + stack % 4) % 1024;
}

static void load_lane(const TensixState *s, unsigned vd, unsigned mod,
                      unsigned address, unsigned lane)
{
    const TensixVectorUnit *vu = &s->vu;
    bool odd = vu->lane_config[lane % 8] & READ_ODD;
    uint16_t *cell = cell_of(&f.core.s, address, lane, wide_load(mod), odd);
    uint32_t value =
        wide_load(mod) ? (uint32_t)cell[0] << 16 | cell[128] : cell[0];

    if (vu->lane_config[lane] & BLOCK_READ) {
        return;
    }
    if (!enabled_oracle(vu, lane) && mod != INT32_ALL) {
        return;
    }
    want.vu.lreg[vd][lane] = load_oracle(mod, value, vu->lreg[vd][lane],
                                         vu->lane_config[lane] & FP16A_INF);
    if (vd < 4 && (vu->lane_config[lane] & (DEST_INDEX | CAPTURE_INDEX)) ==
        (DEST_INDEX | CAPTURE_INDEX)) {
        unsigned row = address / 4 * 4 + lane / 8;

        want.vu.lreg[vd + 4][lane] =
            row * 16 + lane % 8 * 2 + (odd || address & 2);
    }
}

static void test_loads(bool configured)
{
    unsigned wrong = 0, wrong_rwc = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned thread = n % 3, mod = 1 + n % 15, vd = n / 15 % 8;
        unsigned imm = fixture_random(&f) % 0x2000, address, sp;

        randomise(thread, configured);
        want = f.core.s;
        sp = want.rwc[thread].Sp;
        if (mod == INT32_ALL && sp) {
            sp = (sp + 1024 - want.thread_cfg[thread][36]) % 1024;
        }
        address = address_oracle(thread, imm, mod == INT32_ALL, sp);
        for (unsigned lane = 0; lane < 32; lane++) {
            load_lane(&f.core.s, vd, mod, address, lane);
        }
        fixture_exec(&f, thread, load_word(vd, mod, 5, imm));
        wrong +=
            memcmp(f.core.s.vu.lreg, want.vu.lreg, sizeof(want.vu.lreg)) != 0;
        wrong_rwc += f.core.s.rwc[thread].Sp != sp;
        wrong_rwc +=
            f.core.s.rwc[thread].Dst != (want.rwc[thread].Dst + 12) % 1024;
    }
    ok_eq(wrong, 0, "SFPLOAD: addresses, lanes%s",
          configured ? ", LaneConfig" : "");
    ok_eq(wrong_rwc, 0, "SFPLOAD: stack pointer and AddrMod");
}

static void test_stores(bool configured)
{
    unsigned wrong = 0, wrong_rwc = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned thread = n % 3, mod = 1 + n % 15, vd = n / 15 % 12;
        unsigned imm = fixture_random(&f) % 0x2000, address, sp;

        randomise(thread, configured);
        memset(f.core.s.dst_row_valid, n & 1, sizeof(f.core.s.dst_row_valid));
        want = f.core.s;
        sp = want.rwc[thread].Sp;
        address = address_oracle(thread, imm, mod == INT32_ALL, sp);
        for (unsigned lane = 0; lane < 32; lane++) {
            const TensixVectorUnit *vu = &f.core.s.vu;

            if (!(vu->lane_config[lane] & BLOCK_WRITE) &&
                (enabled_oracle(vu, lane) || mod == INT32_ALL)) {
                put_cell(&want, address, lane, wide_store(mod),
                         vu->lane_config[lane % 8] & WRITE_ODD,
                         store_oracle(mod, vu->lreg[vd][lane]));
            }
        }
        fixture_exec(&f, thread, store_word(vd, mod, 5, imm));
        wrong += memcmp(f.core.s.dst, want.dst, sizeof(want.dst)) ||
                 memcmp(f.core.s.dst_row_valid, want.dst_row_valid, 1024);
        if (mod == INT32_ALL) {
            sp = (sp + want.thread_cfg[thread][36]) % 1024;
        }
        wrong_rwc += f.core.s.rwc[thread].Sp != sp;
        wrong_rwc +=
            f.core.s.rwc[thread].Dst != (want.rwc[thread].Dst + 12) % 1024;
    }
    ok_eq(wrong, 0, "SFPSTORE: addresses, lanes, rows%s",
          configured ? ", LaneConfig" : "");
    ok_eq(wrong_rwc, 0, "SFPSTORE: stack pointer and AddrMod");
    ok_eq(f.violation_count, 0, "SFPSTORE: no violation");
}

/* Mode 0 becomes FP32, BF16 or FP16 by configuration; all sources of it. */
static void test_srcb_mode(void)
{
    static const char exponent8[16] = {
        [0] = 1, [4] = 1, [5] = 1, [6] = 1, [7] = 1, [8] = 1, [9] = 1, [15] = 1
    };
    unsigned wrong = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 16 * 16 * 16; n++) {
        bool fp32 = n & 1, dest_fmt = n & 2, override = n & 4;
        unsigned reg1 = n / 8 % 8 * 2 + n / 256 % 2, val = n / 16 % 16,
                 dest = n / 64 % 16;
        unsigned format = dest_fmt ? dest : override ? val : reg1;
        unsigned mod = fp32 ? FP32 : exponent8[format] ? BF16 : FP16;
        uint32_t cell = 0x9a3c4d5e;

        f.core.s.cfg[0][0] = val << 5 | override << 9;
        f.core.s.cfg[0][1] = reg1 << 21 | (uint32_t)fp32 << 30;
        f.core.s.thread_cfg[0][4] = dest_fmt | dest << 1;
        put_cell(&f.core.s, 0, 9, mod == FP32, false,
                 cell >> (mod == FP32 ? 0 : 16));
        fixture_exec(&f, 0, load_word(1, SRCB, 0, 0));
        cell = mod == FP32 ? cell : cell >> 16;
        wrong += lreg(1)[9] != load_oracle(mod, cell, 0, false);
        fixture_exec(&f, 0, store_word(1, SRCB, 0, 512));
        fixture_exec(&f, 0, load_word(2, mod == FP32 ? FP32 : UINT16, 0, 512));
        wrong += lreg(2)[9] !=
                 (mod == FP32 ? lreg(1)[9] : store_oracle(mod, lreg(1)[9]));
    }
    ok_eq(wrong, 0,
          "mode 0: from SFPU_Fp32, SFPU_DEST_FMT, the override, REG1_SrcB");
}

static void test_undefined_rows(void)
{
    fixture_init(&f);
    memset(f.core.s.dst, 0x5a, sizeof(f.core.s.dst));
    f.core.s.dst_row_valid[13] = 0;
    fixture_exec(&f, 0, load_word(0, UINT16, 0, 12));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SFPLOAD of an undefined row: reported");
    ok(lreg(0)[7] == 0x5a5a && lreg(0)[8] == 0 && lreg(0)[15] == 0 &&
           lreg(0)[16] == 0x5a5a,
       "SFPLOAD of an undefined row: zeroes");
    f.core.s.vu.use_lane_flags = ~0u;
    f.core.s.vu.lane_flags = 0xffff00ff;
    fixture_run(&f, 0, load_word(0, UINT16, 0, 12),
                "SFPLOAD whose lanes there are disabled");
    f.core.s.vu.use_lane_flags = 0;
    fixture_run(&f, 0, load_word(0, ZERO, 0, 12),
                "SFPLOAD of zeroes reads no row");
    fixture_clear_violations(&f);
    fixture_exec(&f, 0, load_word(1, FP32, 0, 12));
    ok_eq(f.violation_count, 0,
          "32-bit row 12 is physical row 20, which is valid");
    f.core.s.dst_row_valid[20] = 0;
    fixture_exec(&f, 0, load_word(1, FP32, 0, 12));
    ok(f.violations[TENSIX_UNDEFINED_BEHAVIOUR] == 1 && lreg(1)[0] == 0 &&
           lreg(1)[8],
       "its high half's flag counts");
    f.core.s.dst_row_valid[20] = 1;
    f.core.s.dst_row_valid[28] = 0;
    fixture_run(&f, 0, load_word(1, FP32, 0, 12),
                "its low half's flag does not count");
}

/*
 * A 16-bit load of what was stored with 32 bits: another row, unless bit 11 of
 * DBG_FEATURE_DISABLE has made Dst16b the high half of Dst32b.
 */
static void test_16_bits_of_32(void)
{
    for (unsigned high_half = 0; high_half < 2; high_half++) {
        fixture_init(&f);
        memset(f.core.s.dst_row_valid, 0, sizeof(f.core.s.dst_row_valid));
        tensix_set_dst16b_is_high_half(&f.core, high_half);
        for (unsigned lane = 0; lane < 32; lane++) {
            lreg(0)[lane] = 0x40490000 + (lane << 16) + 0x1234;
        }
        fixture_exec(&f, 0, store_word(0, FP32, 0, 12));
        fixture_exec(&f, 0, load_word(1, BF16, 0, 12));
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR] != 0, !high_half,
              "BF16 of an FP32 row is %s",
              high_half ? "defined with bit 11" : "undefined without bit 11");
        ok_eq(lreg(1)[9], high_half ? 0x40520000 : 0,
              "BF16 of an FP32 row: %s",
              high_half ? "its high half" : "zero");
    }
}

/* Remapped and swizzled rows: 32-bit row r and 16-bit row r move alike. */
static void test_remapped(void)
{
    unsigned wrong = 0;

    fixture_init(&f);
    f.core.s.cfg[0][220] = f.core.s.cfg[1][220] = 3;
    for (unsigned address = 0; address < 1024; address += 2) {
        for (unsigned lane = 0; lane < 32; lane++) {
            lreg(0)[lane] = fixture_random(&f);
        }
        fixture_exec(&f, 0, store_word(0, UINT16, 0, address));
        for (unsigned lane = 0; lane < 32; lane++) {
            uint32_t row =
                tensix_dst_adj16(&f.core, 0, address / 4 * 4 + lane / 8);

            wrong += f.core.s.dst[row][lane % 8 * 2 + address / 2 % 2] !=
                     (lreg(0)[lane] & 0xffff);
        }
        fixture_exec(&f, 0, store_word(0, HI16, 0, address));
        for (unsigned lane = 0; lane < 32; lane++) {
            uint32_t row =
                tensix_dst_adj32(&f.core, 0, address / 4 * 4 + lane / 8);
            unsigned column = lane % 8 * 2 + address / 2 % 2;

            wrong += f.core.s.dst[row][column] != lreg(0)[lane] >> 16;
            wrong += f.core.s.dst[row + 8][column] != (lreg(0)[lane] & 0xffff);
        }
    }
    ok_eq(wrong, 0, "rows follow remap_addrs and swizzle_32b");
}

/* --- SFPLOADI --- */

static uint32_t loadi_oracle(unsigned mod, unsigned imm, uint32_t old)
{
    switch (mod) {
    case 0:
        return imm * 0x10000;
    case 1:
        return (imm & 0x8000) * 0x10000 + (imm / 1024 % 32 + 112) * 0x800000 +
               imm % 1024 * 8192;
    case 2:
        return imm;
    case 4:
        return (uint32_t)(imm < 0x8000 ? (int)imm : (int)imm - 0x10000);
    case 8:
        return imm * 0x10000 + old % 0x10000;
    default:
        return old / 0x10000 * 0x10000 + imm;
    }
}

static void test_loadi(unsigned mod, TensixIsa isa)
{
    unsigned wrong = 0;

    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    f.core.s.vu.use_lane_flags = 0xffffffff;
    for (unsigned imm = 0; imm < 0x10000; imm++) {
        uint32_t old = fixture_random(&f), flags = fixture_random(&f);
        unsigned vd = imm % 8, lane = imm / 8 % 32;

        f.core.s.vu.lane_flags = flags;
        lreg(vd)[lane] = old;
        fixture_exec(&f, 0, 0x71u << 24 | vd << 20 | mod << 16 | imm);
        wrong += lreg(vd)[lane] !=
                 (flags >> lane & 1 ? loadi_oracle(mod, imm, old) : old);
    }
    ok_eq(wrong, 0, "SFPLOADI mode %u: all immediates, %s", mod,
          tensix_isa_names[isa]);
    ok_eq(f.violation_count, 0, "SFPLOADI mode %u: no violation", mod);
}

static void test_loadi_rest(void)
{
    fixture_init(&f);
    want = f.core.s;
    for (unsigned mod = 0; mod < 16; mod++) {
        if (mod != 0 && mod != 1 && mod != 2 && mod != 4 && mod != 8 &&
            mod != 10) {
            fixture_exec(&f, 0, 0x71001234 | mod << 16);
        }
    }
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 10,
          "SFPLOADI: ten undefined modes");
    fixture_ok_state(&f, &want, "SFPLOADI: undefined modes change nothing");
    for (unsigned vd = 8; vd < 12; vd++) {
        fixture_exec(&f, 0, 0x71001234 | vd << 20);
    }
    fixture_ok_state(&f, &want, "SFPLOADI: LReg 8 to 11 are not written");
}

/* Everything that has 16 bits, in all its values. */
static void test_values(TensixIsa isa)
{
    static const unsigned loadi_modes[] = { 0, 1, 2, 4, 8, 10 };

    for (unsigned mod = 1; mod < MODES; mod++) {
        test_load_values(mod, false, isa);
        test_store_values(mod, isa);
    }
    test_load_values(FP16, true, isa);
    for (unsigned n = 0; n < sizeof(loadi_modes) / sizeof(loadi_modes[0]); n++) {
        test_loadi(loadi_modes[n], isa);
    }
}

int main(void)
{
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_isa_available(isa)) {
            test_values(isa);
        }
    }
    test_loads(false);
    test_loads(true);
    test_stores(false);
    test_stores(true);
    test_srcb_mode();
    test_undefined_rows();
    test_16_bits_of_32();
    test_remapped();
    test_loadi_rest();
    return done_testing();
}
