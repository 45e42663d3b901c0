/*
 * Vector Unit: predication, configuration, integers, multiply-add, backdoor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "num/num_prng.h"
#include "vector/vector.h"
#include "tap.h"

enum { ROUNDS = 4000, NO_BACKDOOR = 2, DEST_INDEX = 4 };

static CoreFixture f;
static TensixState want;

static TensixVectorUnit *vu(void)
{
    return &f.core.s.vu;
}

static uint32_t random32(void)
{
    return fixture_random(&f);
}

/* Fields of the instructions with four bits of VD, VC and Mod1. */
static uint32_t word(unsigned opcode, unsigned imm12, unsigned vc, unsigned vd,
                     unsigned mod)
{
    return opcode << 24 | imm12 << 12 | vc << 8 | vd << 4 | mod;
}

static bool vu_equal(void)
{
    tensix_vector_summarise(&want.vu);
    return !memcmp(vu(), &want.vu, sizeof(want.vu));
}

static bool enabled(const TensixVectorUnit *v, unsigned lane)
{
    if (v->lane_config[lane % 8] >> (12 + lane / 8) & 1) {
        return false;
    }
    return !(v->use_lane_flags >> lane & 1) || (v->lane_flags >> lane & 1);
}

static void set_bit(uint32_t *word_, unsigned n, bool value)
{
    *word_ = (*word_ & ~(1u << n)) | (uint32_t)value << n;
}

/* Random registers and flags; lane configuration with the bits in `mask`. */
static void randomise(uint32_t mask)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned n = 0; n < 8; n++) {
            vu()->lreg[n][lane] = random32();
        }
        for (unsigned n = 11; n < 15; n++) {
            vu()->lreg[n][lane] = random32();
        }
        for (unsigned n = 0; n < 4; n++) {
            vu()->load_macro.instruction_template[n][lane] = random32();
            vu()->load_macro.sequence[n][lane] = random32();
        }
        vu()->load_macro.misc[lane] = random32() & 0xfff;
        vu()->lane_config[lane] = random32() & random32() & mask;
    }
    vu()->lane_flags = random32();
    vu()->use_lane_flags = random32() | random32();
}

/* --- reset and PRNG --- */

static void test_reset(void)
{
    static const uint32_t values[17] = {
        [8] = 0x3f56594b,  [10] = 0x3f800000, [11] = 0xbf800000,
        [12] = 0x3b000000, [13] = 0xbf2cc4c7, [14] = 0xbeb08ff9,
    };
    unsigned wrong = 0;

    fixture_init(&f);
    randomise(0x3ffff);
    vu()->flag_stack_depth = 3;
    tensix_vector_reset(&f.core);
    for (unsigned n = 0; n < 17 * 32; n++) {
        wrong += vu()->lreg[n / 32][n % 32] !=
                 (n / 32 == 15 ? n % 32 * 2 : values[n / 32]);
    }
    ok_eq(wrong, 0, "reset: LRegs and constants");
    ok(!vu()->lane_flags && !vu()->use_lane_flags && !vu()->flag_stack_depth &&
           !tensix_vector_config_lanes(vu(), ~0u) && !f.core.s.vu.lane_config_any,
       "reset: unconditional, empty stack, LaneConfig zero");
    ok_eq(vu()->load_macro.misc[7] | vu()->load_macro.sequence[1][31], 0,
          "reset: LoadMacroConfig zero");
}

/* 32 steps, then two a lane from lane 31 down: as ttsim does it. */
static void test_prng(void)
{
    static const uint32_t seeds[] = { 0, 1, 0xffffffff, 0x12345678 };
    unsigned wrong = 0;

    for (unsigned n = 0; n < 4; n++) {
        uint32_t s = seeds[n];

        tensix_prng_seed(vu(), seeds[n]);
        for (unsigned k = 0; k < 32 + 64; k++) {
            unsigned ones = (s & 1) + (s >> 1 & 1) + (s >> 21 & 1) + (s >> 31);

            s = s / 2 + (ones % 2 ? 0 : 0x80000000u);
            if (k >= 33 && k % 2) {
                wrong += vu()->prng[31 - (k - 33) / 2] != s;
            }
        }
    }
    ok_eq(wrong, 0, "PRNG: seeds of all lanes");
}

/* --- predication --- */

static void test_enabled(void)
{
    unsigned wrong = 0;

    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t lanes;

        randomise(n & 1 ? 0xf000 : 0xfff);
        lanes = tensix_vector_enabled(vu(), &(TensixVectorOp) { 0 });
        for (unsigned lane = 0; lane < 32; lane++) {
            wrong += (lanes >> lane & 1) != enabled(vu(), lane);
        }
    }
    ok_eq(wrong, 0, "lanes: flags and ROW_MASK");
}

static void encc_lane(unsigned lane, unsigned mod, unsigned imm)
{
    bool use = want.vu.use_lane_flags >> lane & 1;

    if (mod & 2) {
        use = imm & 1;
    } else if (mod & 1) {
        use = !use;
    }
    set_bit(&want.vu.use_lane_flags, lane, use);
    set_bit(&want.vu.lane_flags, lane, mod & 8 ? imm >> 1 & 1 : true);
}

static void test_sfpencc(void)
{
    unsigned wrong = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 16 * 4 * 16 * 4; n++) {
        unsigned mod = n % 16, imm = n / 16 % 4, vd = n / 64 % 16;
        uint32_t w = word(0x8a, imm, 0, vd, mod);

        randomise(0xf000 | NO_BACKDOOR);
        want = f.core.s;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (vd < 12 || (want.vu.lane_config[lane] & NO_BACKDOOR)) {
                encc_lane(lane, mod, imm);
            } else {
                want.vu.load_macro.instruction_template[vd - 12][lane] = w;
            }
        }
        fixture_exec(&f, 0, w);
        wrong += !vu_equal();
    }
    ok_eq(wrong, 0, "SFPENCC: modes, immediates, VD");
    ok_eq(f.violation_count, 0, "SFPENCC: no violation");
}

/* --- SFPCONFIG --- */

static uint32_t combine(unsigned op, uint32_t old, uint32_t value)
{
    return op == 0   ? value
           : op == 1 ? old | value
           : op == 2 ? old & value
                     : old ^ value;
}

static void config_lane(unsigned lane, unsigned vd, unsigned mod, unsigned imm)
{
    static const uint32_t constants[] = { 0xbf800000, 0x3b000000, 0xbf2cc4c7,
                                          0xbeb08ff9 };
    TensixVectorUnit *v = &want.vu;
    uint32_t reg = f.core.s.vu.lreg[0][lane % 8], value = mod & 1 ? imm : reg;
    uint32_t old = v->lane_config[lane];

    if (vd < 4) {
        v->load_macro.instruction_template[vd][lane] = reg;
    } else if (vd < 8) {
        v->load_macro.sequence[vd - 4][lane] = value;
    } else if (vd == 8) {
        v->load_macro.misc[lane] =
            combine(mod / 2 % 4, v->load_macro.misc[lane], value) % 4096;
    } else if (vd >= 11 && vd < 15) {
        v->lreg[vd][lane] = mod & 1 ? constants[vd - 11] : reg;
    } else if (vd == 15) {
        v->lane_config[lane] = combine(mod / 2 % 4, old, value) % 0x40000;
        if (mod & 1) {
            v->lane_config[lane] |= old / 0x10000 * 0x10000;
        }
    }
}

static void test_sfpconfig(void)
{
    unsigned wrong = 0, nothing = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 16 * 16 * 16; n++) {
        unsigned vd = n % 16, mod = n / 16 % 16, imm = random32() % 0x10000;

        randomise(0x3ffff);
        want = f.core.s;
        for (unsigned lane = 0; lane < 32; lane++) {
            bool masked = mod & 8 && !(imm >> (lane % 8 * 2) & 1);
            bool off =
                (want.vu.use_lane_flags & ~want.vu.lane_flags) >> (lane % 8) &
                1;

            if (!masked && !off) {
                config_lane(lane, vd, mod, imm);
            }
        }
        fixture_exec(&f, 2, 0x91u << 24 | imm << 8 | vd << 4 | mod);
        wrong += !vu_equal();
        nothing += vd == 9 || vd == 10;
    }
    ok_eq(wrong, 0, "SFPCONFIG: destinations, operations, lane mask");
    ok_eq(f.violation_count, nothing,
          "SFPCONFIG: destinations 9 and 10 are reported");
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], nothing,
          "SFPCONFIG: as non-contractual");
}

/* --- integers --- */

static int32_t signed12(unsigned imm)
{
    return imm < 2048 ? (int)imm : (int)imm - 4096;
}

static uint32_t iadd_oracle(unsigned mod, uint32_t b, uint32_t c, unsigned imm)
{
    int64_t sum = mod & 1 ? (int64_t)c + signed12(imm)
                : mod & 2 ? (int64_t)c - b : (int64_t)c + b;

    return (uint64_t)sum;
}

static void iadd_lane(unsigned lane, unsigned mod, unsigned vc, unsigned vd,
                      unsigned imm)
{
    uint32_t r =
        iadd_oracle(mod, vu()->lreg[vd][lane], vu()->lreg[vc][lane], imm);
    bool flag = vu()->lane_flags >> lane & 1;

    want.vu.lreg[vd][lane] = r;
    if (!(mod & 4)) {
        flag = r >= 0x80000000;
    }
    set_bit(&want.vu.lane_flags, lane, mod & 8 ? !flag : flag);
}

static uint32_t shift_oracle(unsigned mod, uint32_t b, uint32_t c, unsigned imm)
{
    uint32_t x = (mod & 5) == 5 ? c : b;
    int64_t amount = mod & 1 ? signed12(imm) : (int32_t)c;
    unsigned n = (unsigned)((amount < 0 ? -amount : amount) % 32);

    if (amount >= 0) {
        return (uint64_t)x << n;
    }
    if (mod & 2 && x >> 31) {
        return ~(~x >> n);
    }
    return x >> n;
}

enum { IADD = 0x79, SHFT = 0x7a, XOR = 0x8d };

static void integer_lane(unsigned op, unsigned lane, unsigned mod, unsigned vc,
                         unsigned vd, unsigned imm)
{
    uint32_t b = vu()->lreg[vd][lane], c = vu()->lreg[vc][lane];

    switch (op) {
    case IADD:
        iadd_lane(lane, mod, vc, vd, imm);
        break;
    case SHFT:
        want.vu.lreg[vd][lane] = shift_oracle(mod, b, c, imm);
        break;
    default:
        want.vu.lreg[vd][lane] = (b | c) - (b & c);
        break;
    }
}

/* All VD: results, constants that do not change, backdoor. */
static void test_integers(unsigned op, const char *name)
{
    unsigned wrong = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 16 * 16 * 16 * 2; n++) {
        unsigned mod = n % 16, vd = n / 16 % 16, vc = n / 256 % 16,
                 imm = random32() % 4096;
        uint32_t w = word(op, imm, vc, vd, mod);

        randomise(n & 1 ? 0 : 0xf000 | NO_BACKDOOR);
        if (n & 2) {
            vu()->use_lane_flags = 0;
        }
        for (unsigned lane = 0; lane < 32 && vc < 8 && n & 4; lane++) {
            vu()->lreg[vc][lane] =
                (uint32_t)(lane * 3) - 40; /* shift amounts */
        }
        want = f.core.s;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (vd >= 12 && !(want.vu.lane_config[lane] & NO_BACKDOOR)) {
                want.vu.load_macro.instruction_template[vd - 12][lane] = w;
            } else if (vd < 8 && enabled(vu(), lane)) {
                integer_lane(op, lane, mod, vc, vd, imm);
            }
        }
        fixture_exec(&f, 1, w);
        wrong += !vu_equal();
    }
    ok_eq(wrong, 0, "%s: modes, registers, lanes, flags", name);
}

static void test_shift_modes(void)
{
    fixture_init(&f);
    for (unsigned mod = 0; mod < 16; mod++) {
        bool reserved = mod > 7 || mod == 4 || mod == 6;

        fixture_clear_violations(&f);
        fixture_exec(&f, 0, word(SHFT, 1, 1, 2, mod));
        ok(f.violations[TENSIX_NON_CONTRACTUAL] == reserved &&
           f.violation_count == reserved, "SFPSHFT mode %u: %s", mod,
           reserved ? "reported" : "defined");
    }
}

static void test_nop(void)
{
    fixture_init(&f);
    want = f.core.s;
    fixture_run(&f, 0, 0x8f000000, "SFPNOP");
    fixture_ok_state(&f, &want, "SFPNOP: does nothing");
}

/* --- multiply-add --- */

enum { MAD = 0x84, ADD = 0x85, MUL = 0x86 };

static uint32_t mad_word(unsigned op, unsigned va, unsigned vb, unsigned vc,
                         unsigned vd, unsigned mod)
{
    return op << 24 | va << 16 | vb << 12 | vc << 8 | vd << 4 | mod;
}

/* The numbers are test-fma's business; here it is which go where. */
static void mad_lane(unsigned lane, unsigned va, unsigned vb, unsigned vc,
                     unsigned vd, unsigned mod)
{
    unsigned index = vu()->lreg[7][lane] % 16;
    uint32_t a = vu()->lreg[mod & 4 ? index : va][lane];
    uint32_t b = vu()->lreg[vb][lane], c = vu()->lreg[vc][lane];

    if (mod & 1) {
        a ^= 0x80000000;
    }
    if (mod & 2) {
        c ^= 0x80000000;
    }
    vd = mod & 8 ? index : vd;
    if (vd < 8) {
        want.vu.lreg[vd][lane] = tensix_num_fma(a, b, c);
    }
}

/* Numbers near 1 mostly, so that sums are not just the larger term. */
static void random_floats(void)
{
    for (unsigned n = 0; n < 7 * 32; n++) {
        uint32_t x = random32();

        vu()->lreg[n / 32][n % 32] = x % 16 ? (x & 0x83ffffff) + 0x3c000000 : x;
    }
}

static void test_mad(unsigned op, const char *name)
{
    unsigned wrong = 0, reports = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 3 * ROUNDS; n++) {
        unsigned mod = n % 16, vd = n / 16 % 16, va = random32() % 16,
                 vb = random32() % 16;
        unsigned vc = random32() % 16;
        uint32_t w;

        va = n % 3 == 1 ? 10 : va;
        vc = n % 3 == 2 ? 9 : vc;
        w = mad_word(op, va, vb, vc, vd, mod);
        randomise(n & 64 ? 0 : 0xf000 | NO_BACKDOOR);
        random_floats();
        want = f.core.s;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (vd >= 12 && !(want.vu.lane_config[lane] & NO_BACKDOOR)) {
                want.vu.load_macro.instruction_template[vd - 12][lane] = w;
            } else if (enabled(vu(), lane)) {
                mad_lane(lane, va, vb, vc, vd, mod);
            }
        }
        reports += op == MUL ? vc != 9
                             : op == ADD && !(mod & 4) && va != 10 && vb != 10;
        fixture_exec(&f, 0, w);
        wrong += !vu_equal();
    }
    ok_eq(wrong, 0, "%s: operands, signs, indirection, lanes", name);
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], reports,
          "%s: use for another form", name);
    ok_eq(f.violation_count, reports, "%s: no other violation", name);
}

/* A constant that the aperture has changed is what the unit then reads. */
static void test_changed_constants(void)
{
    fixture_init(&f);
    vu()->lreg[10][3] = 0x40000000;
    vu()->lreg[9][3] = 0x3f800000;
    vu()->lreg[1][3] = 0x40400000;
    fixture_exec(&f, 0, mad_word(ADD, 10, 1, 1, 0, 0));
    ok_eq(vu()->lreg[0][3], 0x41100000, "SFPADD: 2 * 3 + 3");
    fixture_exec(&f, 0, mad_word(MUL, 1, 1, 9, 0, 0));
    ok_eq(vu()->lreg[0][3], 0x41200000, "SFPMUL: 3 * 3 + 1");
}

static void test_erratum(void)
{
    static const uint32_t words[] = {
        0x84000000, 0x85000a00 | 10 << 16, 0x86000900, 0x79000000, 0x7a000000,
        0x8d000000,
    };

    fixture_init(&f);
    for (unsigned n = 0; n < 6 * 8; n++) {
        unsigned vd = n % 8;

        vu()->lane_config[5] = DEST_INDEX;
        fixture_clear_violations(&f);
        fixture_exec(&f, 0, words[n / 8] | vd << 4);
        ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], vd >= 4,
              "TEN-2932: opcode 0x%x, LReg %u", words[n / 8] >> 24, vd);
    }
}

/* What LLK does to load a macro: SFPSTORE and others with VD above 11. */
static void test_backdoor(void)
{
    static const uint32_t words[] = {
        0x70c30000, 0x71d01234, 0x72e60000, 0x8a0000f2, 0x840000c0, 0x7a0000d1,
    };
    unsigned wrong = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 6; n++) {
        unsigned k =
            (words[n] >> 24 < 0x73 ? words[n] >> 20 : words[n] >> 4) & 3;

        want = f.core.s;
        fixture_exec(&f, 0, words[n]);
        for (unsigned lane = 0; lane < 32; lane++) {
            wrong += vu()->load_macro.instruction_template[k][lane] != words[n];
        }
        wrong += memcmp(vu()->lreg, want.vu.lreg, sizeof(want.vu.lreg)) != 0;
        wrong += memcmp(f.core.s.dst, want.dst, sizeof(want.dst)) != 0;
        wrong += vu()->lane_flags != want.vu.lane_flags;
    }
    ok_eq(wrong, 0, "VD 12 to 15 writes the template and does nothing else");
    for (unsigned lane = 0; lane < 32; lane++) {
        vu()->lane_config[lane] = NO_BACKDOOR;
        f.core.s.dst_row_valid[lane] = 1;
    }
    want = f.core.s;
    fixture_exec(&f, 0, 0x72e40000); /* SFPSTORE of LReg 14 as INT32 */
    ok_eq(f.core.s.dst[8][0], 0x8ff9,
          "without the backdoor SFPSTORE stores LReg 14");
    ok(!memcmp(&vu()->load_macro, &want.vu.load_macro,
               sizeof(want.vu.load_macro)),
       "without the backdoor no template changes");
}

/* The hardware has a stack a lane; this one has one depth. */
static void test_partial_push(void)
{
    fixture_init(&f);
    for (unsigned lane = 0; lane < 8; lane++) {
        vu()->lane_config[lane] = NO_BACKDOOR;
    }
    fixture_exec(&f, 0, TT(SFPPUSHC, .lreg_dest = 12));
    ok(f.violations[TENSIX_UNIMPLEMENTED] == 1 && !vu()->flag_stack_depth,
       "SFPPUSHC in some lanes only is reported, and pushes nothing");
    fixture_exec(&f, 0, TT(SFPPUSHC));
    fixture_exec(&f, 0, TT(SFPPOPC, .lreg_dest = 12));
    ok(f.violations[TENSIX_UNIMPLEMENTED] == 2 && vu()->flag_stack_depth == 1,
       "nor does SFPPOPC pop");
}

int main(void)
{
    test_reset();
    test_prng();
    test_enabled();
    test_sfpencc();
    test_sfpconfig();
    test_integers(IADD, "SFPIADD");
    test_integers(SHFT, "SFPSHFT");
    test_integers(XOR, "SFPXOR");
    test_shift_modes();
    test_nop();
    test_mad(MAD, "SFPMAD");
    test_mad(ADD, "SFPADD");
    test_mad(MUL, "SFPMUL");
    test_changed_constants();
    test_erratum();
    test_backdoor();
    test_partial_push();
    return done_testing();
}
