/*
 * Every mode of every Vector Unit instruction that leaves Dest alone, against
 * the scalar model: random and special operands, registers, flags, LaneConfig.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names are "MNEMONIC mode N"; vector-modes checks that none is missing.
 */

#include <string.h>

#include "core-fixture.h"
#include "vector-model.h"
#include "tap.h"

enum { TRIALS = 150, OPERAND_BITS = 0xfffff0, MODES = 16, THREAD = 0 };

static CoreFixture f;
static TensixVectorUnit want;

/* Mnemonic, and the modes that have a meaning, a bit each. */
typedef struct Row {
    const char *mnemonic;
    uint8_t opcode;
    uint16_t modes;
} Row;

#define ROW(m, modes) { #m, TENSIX_OP_##m, modes }

static const Row rows[] = {
    ROW(SFPABS, 0xffff), ROW(SFPAND, 0xffff), ROW(SFPOR, 0xffff),
    ROW(SFPXOR, 0xffff), ROW(SFPNOT, 0xffff), ROW(SFPLZ, 0xffff),
    ROW(SFPMOV, 0xffff), ROW(SFPDIVP2, 0xffff), ROW(SFPEXEXP, 0xffff),
    ROW(SFPEXMAN, 0xffff), ROW(SFPSETEXP, 0xffff), ROW(SFPSETMAN, 0xffff),
    ROW(SFPSETSGN, 0xffff), ROW(SFPIADD, 0xffff), ROW(SFPSHFT, 0x00af),
    ROW(SFPSHFT2, 0x007f), ROW(SFPSETCC, 0xffff), ROW(SFPGT, 0xffff),
    ROW(SFPLE, 0xffff), ROW(SFPPUSHC, 0xffff), ROW(SFPPOPC, 0xffff),
    ROW(SFPCOMPC, 0xffff), ROW(SFPENCC, 0xffff), ROW(SFPSWAP, 0xffff),
    ROW(SFPTRANSP, 0xffff), ROW(SFPCAST, 0xffff), ROW(SFPMAD, 0xffff),
    ROW(SFPADD, 0xffff), ROW(SFPMUL, 0xffff), ROW(SFPADDI, 0xffff),
    ROW(SFPMULI, 0xffff), ROW(SFPMUL24, 0xffff), ROW(SFPLUTFP32, 0xffff),
    ROW(SFPARECIP, 0xffff),
};

static uint32_t random32(void)
{
    return fixture_random(&f);
}

/* Numbers near all that matters: zeroes, ones, powers, limits, NaNs. */
static uint32_t operand(void)
{
    static const uint32_t special[] = {
        0, 0x80000000, 1, 0x80000001, 0xffffffff, 0x7fffffff, 0x3f800000,
        0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x00800000,
        0x007fffff, 0x7f7fffff, 0x3f000000, 0x3fc00000, 0x40000000, 0x40400000,
        0x40800000, 0x3f7fffff, 0x3ffffffe, 0x0000ffff, 0x01000001, 0xfefffffd,
        0x3c800000, 0x3f320000, 0x7e800000, 0xffffffe1,
    };
    uint32_t r = random32();

    switch (r % 4) {
    case 0:
        return special[(r >> 8) % (sizeof(special) / sizeof(special[0]))];
    case 1:                        /* a float within a few powers of one */
        return (random32() & 0x807fffff) | (120 + (r >> 8) % 24) << 23;
    case 2:                        /* a small integer */
        return random32() & 0x800000ff;
    default:
        return random32();
    }
}

static void randomise(void)
{
    TensixVectorUnit *vu = &f.core.s.vu;
    uint32_t config = random32() % 4 ? 0 : 0xf102;  /* ROW_MASK, 8, backdoor */

    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        for (unsigned n = 0; n < 16; n++) {
            if (n < 8 || (n > 10 && n < 15)) {
                vu->lreg[n][lane] = operand();
            }
        }
        for (unsigned n = 0; n < 4; n++) {
            vu->load_macro.instruction_template[n][lane] = random32();
            vu->load_macro.sequence[n][lane] = random32();
        }
        vu->load_macro.misc[lane] = random32() & 0xfff;
        vu->lane_config[lane] = random32() & random32() & config;
        vu->prng[lane] = random32();
    }
    vu->use_lane_flags = random32() % 2 ? 0 : random32() | random32();
    vu->lane_flags = random32() % 4 ? random32() : ~0u;
    vu->flag_stack_depth = random32() % 8;
    for (unsigned n = 0; n < TENSIX_FLAG_STACK_DEPTH; n++) {
        vu->flag_stack[n].lane_flags = random32();
        vu->flag_stack[n].use_lane_flags = random32();
    }
}

/* The stack instructions need one depth for all lanes, and room. */
static void tame_stack(uint32_t opcode, uint32_t mode)
{
    TensixVectorUnit *vu = &f.core.s.vu;
    uint32_t backdoor = vu->lane_config[0] & 2;

    if (opcode == TENSIX_OP_SFPPUSHC || opcode == TENSIX_OP_SFPPOPC) {
        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            vu->lane_config[lane] &= ~2u;
            vu->lane_config[lane] |= backdoor;
        }
        vu->flag_stack_depth += mode && !vu->flag_stack_depth;
        vu->flag_stack_depth += opcode == TENSIX_OP_SFPPOPC && !vu->flag_stack_depth;
    }
}

static bool agrees(uint32_t word)
{
    want = f.core.s.vu;
    if (!vector_model(&want, word)) {
        return false;
    }
    tensix_vector_summarise(&want);
    fixture_exec(&f, THREAD, word);
    return !memcmp(&want, &f.core.s.vu, sizeof(want));
}

static void test_row(const Row *row)
{
    for (unsigned mode = 0; mode < MODES; mode++) {
        unsigned wrong = 0;

        if (!(row->modes >> mode & 1)) {
            continue;
        }
        for (unsigned n = 0; n < TRIALS; n++) {
            randomise();
            tame_stack(row->opcode, mode);
            tensix_set_isa(&f.core, tensix_isa_available(n % 3) ? n % 3 : 0);
            wrong += !agrees((uint32_t)row->opcode << 24 |
                             (random32() & OPERAND_BITS) | mode);
        }
        ok_eq(wrong, 0, "%s mode %u", row->mnemonic, mode);
    }
}

/* Mod0 has the bits of an operand elsewhere. */
static void test_lut(void)
{
    for (unsigned mode = 0; mode < MODES; mode++) {
        unsigned wrong = 0;

        for (unsigned n = 0; n < TRIALS; n++) {
            randomise();
            wrong += !agrees(TT(SFPLUT, .lreg_ind = random32() & 15, .instr_mod0 = mode));
        }
        ok_eq(wrong, 0, "SFPLUT mode %u", mode);
    }
}

static void test_stoch_rnd(void)
{
    for (unsigned n = 0; n < MODES * 4; n++) {
        unsigned wrong = 0, mode = n % MODES, rounding = n / MODES;

        for (unsigned trial = 0; trial < TRIALS; trial++) {
            uint32_t r = random32();

            randomise();
            wrong += !agrees(TT(SFP_STOCH_RND, .instr_mod1 = mode, .rnd_mode = rounding,
                                .lreg_dest = r & 15, .lreg_src_c = r >> 4 & 15,
                                .lreg_src_b = r >> 8 & 15, .imm8_math = r >> 12 & 31));
        }
        ok_eq(wrong, 0, "SFP_STOCH_RND mode %u, rounding %u", mode, rounding);
    }
}

/* Full and empty stacks: reported, and nothing is lost. */
static void test_stack_limits(void)
{
    fixture_init(&f);
    for (unsigned n = 0; n < TENSIX_FLAG_STACK_DEPTH; n++) {
        f.core.s.vu.lane_flags = n;
        fixture_exec(&f, THREAD, TT(SFPPUSHC));
    }
    ok_eq(f.violation_count, 0, "SFPPUSHC: eight fit");
    fixture_exec(&f, THREAD, TT(SFPPUSHC));
    ok(f.violations[TENSIX_UNDEFINED_BEHAVIOUR] == 1 &&
       f.core.s.vu.flag_stack_depth == TENSIX_FLAG_STACK_DEPTH,
       "SFPPUSHC: the ninth is reported");
    for (unsigned n = TENSIX_FLAG_STACK_DEPTH; n-- > 0;) {
        fixture_exec(&f, THREAD, TT(SFPPOPC));
        if (f.core.s.vu.lane_flags != n) {
            ok_eq(f.core.s.vu.lane_flags, n, "SFPPOPC: last in, first out");
        }
    }
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, TT(SFPPOPC));
    ok(f.violations[TENSIX_UNDEFINED_BEHAVIOUR] == 1 &&
       !f.core.s.vu.lane_flags && !f.core.s.vu.use_lane_flags,
       "SFPPOPC: an empty stack is reported, and reads false");
    for (unsigned mode = 1; mode < MODES; mode++) {
        fixture_exec(&f, THREAD, TT(SFPPUSHC, .instr_mod1 = mode));
    }
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 16,
          "SFPPUSHC: no mode changes the top of an empty stack");
}

/* argmin and argmax: the indices follow, ties too; the rest is the erratum's. */
static void test_dest_index(void)
{
    unsigned wrong = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < TRIALS * MODES; n++) {
        uint32_t operands = (random32() & 0xffff) % 0xc000;
        unsigned vc = operands >> 8 & 15, vd = operands >> 4 & 15;

        randomise();
        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            f.core.s.vu.lane_config[lane] = random32() & 0x106;
            if (random32() & 1 && vd < 8) {
                f.core.s.vu.lreg[vd][lane] = f.core.s.vu.lreg[vc][lane];
            }
        }
        wrong += !agrees((uint32_t)TENSIX_OP_SFPSWAP << 24 | operands);
    }
    ok_eq(wrong, 0, "SFPSWAP with ENABLE_DEST_INDEX: indices follow");
}

/* Equal values, as measured on silicon (ttsim issue 12): do indices swap? */
static void test_ties(void)
{
    static const struct {
        uint32_t value, mode;
        bool swaps;
    } ties[] = {
        { 0x41200000, 1, false }, { 0xc1200000, 1, true },
        { 0x41200000, 9, true },  { 0xc1200000, 9, false },
    };

    for (unsigned n = 0; n < sizeof(ties) / sizeof(ties[0]); n++) {
        TensixVectorUnit *vu = &f.core.s.vu;

        fixture_init(&f);
        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            vu->lane_config[lane] = 4;
            vu->lreg[0][lane] = vu->lreg[1][lane] = ties[n].value;
            vu->lreg[4][lane] = 100 + lane;
            vu->lreg[5][lane] = 200 + lane;
        }
        tensix_state_loaded(&f.core);
        fixture_exec(&f, THREAD, TT(SFPSWAP, .lreg_src_c = 1, .lreg_dest = 0,
                                    .instr_mod1 = ties[n].mode));
        ok(vu->lreg[4][7] == (ties[n].swaps ? 207 : 107) &&
           vu->lreg[5][7] == (ties[n].swaps ? 107 : 207),
           "SFPSWAP mode %u of two %08x: indices %s", ties[n].mode,
           ties[n].value, ties[n].swaps ? "swap" : "stay");
    }
}

static void test_reserved_shifts(void)
{
    fixture_init(&f);
    for (unsigned mode = 7; mode < MODES; mode++) {
        randomise();
        tensix_vector_summarise(&f.core.s.vu);
        want = f.core.s.vu;
        fixture_clear_violations(&f);
        fixture_exec(&f, THREAD, TT(SFPSHFT2, .instr_mod1 = mode, .lreg_dest = 2,
                                    .lreg_src_c = 1));
        ok(f.violations[TENSIX_NON_CONTRACTUAL] == 1 &&
           !memcmp(&want, &f.core.s.vu, sizeof(want)),
           "SFPSHFT2 mode %u: reported, and changes nothing", mode);
    }
}

/* Reserved above 9: reported, and in VD the maximum, as by 9. */
static void test_reserved_swaps(void)
{
    const uint32_t word = TT(SFPSWAP, .lreg_src_c = 1);
    uint32_t reported = 0, wrong = 0;

    for (unsigned mode = 0; mode < MODES; mode++) {
        randomise();
        memset(f.core.s.vu.lane_config, 0, sizeof(f.core.s.vu.lane_config));
        tensix_vector_summarise(&f.core.s.vu);
        fixture_clear_violations(&f);
        wrong += !agrees(word | mode);
        reported |= (uint32_t)f.violations[TENSIX_NON_CONTRACTUAL] << mode;
    }
    ok_eq(reported, 0xfc00, "SFPSWAP: modes that are reported");
    ok_eq(wrong, 0, "SFPSWAP: results of all modes");
}

/* Only 0 may be added to SFPMUL24's product. */
static void test_mul24_sum(void)
{
    for (unsigned vc = 8; vc <= 10; vc++) {
        fixture_init(&f);
        fixture_exec(&f, THREAD, TT(SFPMUL24, .lreg_src_c = vc));
        ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], vc != 9,
              "SFPMUL24 with LReg[%u]", vc);
    }
    f.core.s.vu.use_lane_flags = ~0u;
    f.core.s.vu.lane_flags = 0;
    fixture_clear_violations(&f);
    fixture_exec(&f, THREAD, TT(SFPMUL24, .lreg_src_c = 10));
    ok_eq(f.violation_count, 0, "SFPMUL24 without lanes");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        test_row(&rows[n]);
    }
    test_lut();
    test_stoch_rnd();
    test_stack_limits();
    test_dest_index();
    test_ties();
    test_reserved_shifts();
    test_reserved_swaps();
    test_mul24_sum();
    return done_testing();
}
