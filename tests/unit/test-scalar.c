/*
 * Scalar Unit: arithmetic on GPRs, SETDMAREG in its modes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "core-fixture.h"
#include "tap.h"

static CoreFixture f;
static TensixState want;

static void start(void)
{
    fixture_clear_violations(&f);
    fixture_randomise(&f);
    want = f.core.s;
}

/* Fields of the six arithmetic instructions, as their pages draw them. */
static uint32_t arith_word(uint32_t opcode, uint32_t mode, uint32_t is_const,
                           uint32_t result, uint32_t right, uint32_t left)
{
    return opcode << 24 | is_const << 23 | mode << 18 | result << 12 |
           right << 6 | left;
}

typedef uint32_t Oracle(uint32_t left, uint32_t right);

static uint32_t add(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a + b);
}

static uint32_t sub(uint32_t a, uint32_t b)
{
    return (uint32_t)(0x100000000ull + a - b);
}

static uint32_t mul(uint32_t a, uint32_t b)
{
    return (uint64_t)(uint16_t)a * (uint16_t)b;
}

static uint32_t bitwise(uint32_t a, uint32_t b, unsigned truth)
{
    uint32_t r = 0;

    for (unsigned n = 0; n < 32; n++) {
        unsigned row = (a >> n & 1) * 2 + (b >> n & 1);

        r |= (truth >> row & 1u) << n;
    }
    return r;
}

static uint32_t and_(uint32_t a, uint32_t b)
{
    return bitwise(a, b, 0x8);
}

static uint32_t or_(uint32_t a, uint32_t b)
{
    return bitwise(a, b, 0xe);
}

static uint32_t xor_(uint32_t a, uint32_t b)
{
    return bitwise(a, b, 0x6);
}

static uint32_t shl(uint32_t a, uint32_t b)
{
    for (b %= 32; b; b--) {
        a += a;
    }
    return a;
}

static uint32_t shr(uint32_t a, uint32_t b)
{
    for (b %= 32; b; b--) {
        a /= 2;
    }
    return a;
}

static uint32_t gt(uint32_t a, uint32_t b)
{
    return a > b ? 1 : 0;
}

static uint32_t lt(uint32_t a, uint32_t b)
{
    return a < b ? 1 : 0;
}

static uint32_t eq(uint32_t a, uint32_t b)
{
    return a == b ? 1 : 0;
}

static const struct {
    const char *name;
    uint32_t opcode, mode;
    Oracle *oracle;
} ops[] = {
    { "ADDDMAREG", 0x58, 0, add },
    { "SUBDMAREG", 0x59, 0, sub },
    { "MULDMAREG", 0x5a, 0, mul },
    { "BITWOPDMAREG and", 0x5b, 0, and_ },
    { "BITWOPDMAREG or", 0x5b, 1, or_ },
    { "BITWOPDMAREG xor", 0x5b, 2, xor_ },
    { "SHIFTDMAREG left", 0x5c, 0, shl },
    { "SHIFTDMAREG right", 0x5c, 1, shr },
    { "CMPDMAREG >", 0x5d, 0, gt },
    { "CMPDMAREG <", 0x5d, 1, lt },
    { "CMPDMAREG ==", 0x5d, 2, eq },
};

static bool arith_case(unsigned op, uint32_t thread, uint32_t is_const,
                       uint32_t result, uint32_t right, uint32_t left)
{
    const uint32_t *gpr = want.gpr[thread];
    uint32_t value = ops[op].oracle(gpr[left], is_const ? right : gpr[right]);

    want.gpr[thread][result] = value;
    fixture_exec(&f, thread,
                 arith_word(ops[op].opcode, ops[op].mode, is_const, result,
                            right, left));
    return f.core.s.gpr[thread][result] == value && f.violation_count == 0;
}

/* Values at which an addition, a comparison or a shift is apt to go wrong. */
static const uint32_t corners[] = {
    0,       1,          2,          31,         32,
    33,      63,         0x7fff,     0x8000,     0xffff,
    0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
};

static void test_arith(unsigned op)
{
    enum { CORNERS = sizeof(corners) / sizeof(corners[0]) };
    bool good = true;

    start();
    for (unsigned n = 0; n < CORNERS * CORNERS; n++) {
        f.core.s.gpr[1][7] = want.gpr[1][7] = corners[n % CORNERS];
        f.core.s.gpr[1][9] = want.gpr[1][9] = corners[n / CORNERS];
        good = good && arith_case(op, 1, 0, 3, 7, 9);
    }
    ok(good, "%s of corner values", ops[op].name);
    start();
    for (unsigned n = 0; n < 4096; n++) {
        uint32_t r = fixture_random(&f);

        good = good &&
               arith_case(op, n % 3, n & 1, r & 63, r >> 6 & 63, r >> 12 & 63);
    }
    ok(good, "%s of registers and constants, all threads", ops[op].name);
    fixture_ok_state(&f, &want, ops[op].name);
}

/* The constant has six bits, of which a shift takes five. */
static void test_constants(unsigned op)
{
    bool good = true;

    start();
    for (uint32_t constant = 0; constant < 64; constant++) {
        good = good && arith_case(op, 2, 1, constant, constant, 63 - constant);
    }
    ok(good, "%s with each constant", ops[op].name);
}

static void test_bad_modes(uint32_t opcode, uint32_t first_bad)
{
    for (uint32_t mode = first_bad; mode < 8; mode++) {
        start();
        fixture_exec(&f, 0, arith_word(opcode, mode, 0, 1, 2, 3));
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
              "opcode 0x%x mode %u is undefined", opcode, mode);
        fixture_ok_state(&f, &want, "and does nothing");
    }
}

static void test_immediate(void)
{
    bool good = true;

    start();
    for (uint32_t half = 0; half < 128; half++) {
        uint32_t value = fixture_random(&f) & 0xffff;
        uint32_t *gpr = &want.gpr[half % 3][half / 2];

        *gpr = half & 1 ? (*gpr & 0xffff) | value << 16 : (*gpr & 0xffff0000) | value;
        good = good &&
               fixture_exec(&f, half % 3, 0x45000000 | value << 8 | half) ==
                   TENSIX_DONE;
    }
    ok(good && f.violation_count == 0, "SETDMAREG of each half register");
    fixture_ok_state(&f, &want, "SETDMAREG, 16 bits");
}

static uint32_t special_word(uint32_t size, uint32_t source, uint32_t half)
{
    return 0x45000080 | size << 22 | source << 11 | half;
}

static void test_special_zero(void)
{
    start();
    fixture_run(&f, 0, special_word(0, 10, 21), "SETDMAREG special, 16 bits");
    want.gpr[0][10] &= 0xffff;
    fixture_run(&f, 1, special_word(1, 15, 21), "SETDMAREG special, 32 bits");
    want.gpr[1][10] = 0;
    fixture_run(&f, 2, special_word(2, 12, 21), "SETDMAREG special, 128 bits");
    for (unsigned n = 8; n < 12; n++) {
        want.gpr[2][n] = 0;
    }
    fixture_run(&f, 2, special_word(3, 12, 127),
                "SETDMAREG special, tile header");
    want.gpr[2][60] &= 0xffff0000;
    want.gpr[2][61] &= 0xff00ffff;
    want.gpr[2][62] = 0;
    fixture_ok_state(&f, &want, "SETDMAREG special, zeroes");
}

/* The packer's counters come with the packer; until then they are refused. */
static void test_special_packer(void)
{
    for (uint32_t source = 0; source < 10; source++) {
        start();
        fixture_exec(&f, 0, special_word(2, source, 0));
        ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1,
              "SETDMAREG special source %u", source);
        fixture_ok_state(&f, &want, "and writes nothing");
    }
}

static void test_no_effect(void)
{
    start();
    fixture_run(&f, 0, 0x60000000, "DMANOP");
    for (uint32_t mask = 0; mask < 16; mask++) {
        fixture_run(&f, 1, 0x46000000 | mask, "FLUSHDMA");
    }
    fixture_ok_state(&f, &want, "DMANOP and FLUSHDMA");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned op = 0; op < sizeof(ops) / sizeof(ops[0]); op++) {
        test_arith(op);
        test_constants(op);
    }
    test_bad_modes(0x5b, 3);
    test_bad_modes(0x5c, 2);
    test_bad_modes(0x5d, 3);
    test_immediate();
    test_special_zero();
    test_special_packer();
    test_no_effect();
    return done_testing();
}
