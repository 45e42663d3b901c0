/*
 * Operand bits that no field has: reported, and nothing else changes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "unused-modes.h"

enum {
    THREAD = 1,
    OPERAND_BITS = 24,
    ALL_OPERANDS = (1 << OPERAND_BITS) - 1,
    OPCODES = 256,
};

static CoreFixture f;
static TensixState without;

/* Of which bits are reported?  Not of NOPs, nor of what never gets that far. */
static uint32_t reserved_bits(uint32_t opcode)
{
    const TensixInsnDef *def = &tensix_insns[opcode];
    uint32_t bits = ALL_OPERANDS;

    switch (opcode) {
    case TENSIX_OP_NOP:
    case TENSIX_OP_DMANOP:
    case TENSIX_OP_SFPNOP:
        return 0;
    case TENSIX_OP_ZEROACC:        /* LLK's CLR_HALF_32B and CLR_ALL_32B */
    case TENSIX_OP_INCRWC:         /* llk_math_eltwise_binary.h */
        bits &= ~(1u << 21);
        break;
    }
    if (!def->mnemonic || !def->implemented ||
        def->unit == TENSIX_UNIT_FRONTEND) {
        return 0;
    }
    for (uint32_t n = 0; n < def->nfields; n++) {
        bits &= ~(((1u << def->fields[n].width) - 1) << def->fields[n].low);
    }
    return bits | unused_mode_bits(opcode);
}

/* Banks belong to whom the instruction wants. */
static void start(uint32_t opcode, TensixIsa isa)
{
    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        f.core.s.src_client[src][0] = tensix_insns[opcode].unit == TENSIX_UNIT_MATRIX
                                      ? TENSIX_CLIENT_MATRIX_UNIT
                                      : TENSIX_CLIENT_UNPACKERS;
        f.core.s.gpr[THREAD][src] = 0x100;
    }
}

static bool is_about_bits(void)
{
    return strstr(f.violation_text, "reserved") != NULL;
}

/* The word alone, into `without`; does it report reserved bits? */
static bool plain_reports(uint32_t opcode, TensixIsa isa)
{
    start(opcode, isa);
    fixture_exec(&f, THREAD, opcode << 24);
    without = f.core.s;
    return f.violation_count && is_about_bits();
}

/* Is the bit reported, once, with the same effect? */
static bool bit_is_reported(uint32_t opcode, uint32_t bit, TensixIsa isa)
{
    unsigned others;

    start(opcode, isa);
    fixture_exec(&f, THREAD, opcode << 24);
    others = f.violation_count;
    start(opcode, isa);
    return fixture_exec(&f, THREAD, opcode << 24 | 1u << bit) == TENSIX_DONE &&
           f.violation_count == others + 1 && is_about_bits() &&
           !memcmp(f.core.s.dst, without.dst, sizeof(without.dst)) &&
           !memcmp(f.core.s.src, without.src, sizeof(without.src)) &&
           !memcmp(&f.core.s.vu, &without.vu, sizeof(without.vu)) &&
           !memcmp(f.core.s.cfg, without.cfg, sizeof(without.cfg));
}

static void test_opcode(uint32_t opcode, TensixIsa isa)
{
    uint32_t bits = reserved_bits(opcode), missing = 0;
    const char *name = tensix_insns[opcode].mnemonic;

    if (!bits) {
        return;
    }
    ok(!plain_reports(opcode, isa), "%s by %s: nothing reserved is set", name,
       tensix_isa_names[isa]);
    for (uint32_t bit = 0; bit < OPERAND_BITS; bit++) {
        if (bits >> bit & 1 && !bit_is_reported(opcode, bit, isa)) {
            missing |= 1u << bit;
        }
    }
    ok_eq(missing, 0, "%s: reserved bits are reported", name);
}

/* What has to wait is reported when it continues, and not before. */
static void test_waiting(void)
{
    const uint32_t word = TT(MVMUL) | 1 << 10;

    fixture_init(&f);
    ok(fixture_exec(&f, THREAD, word) == TENSIX_RETRY, "MVMUL waits");
    ok_eq(f.violation_count, 0, "without a report");
}

/* Whatever the other operands are, by a word in each lane of bits. */
static void test_exempt(void)
{
    const uint32_t words[] = {
        TT(DMANOP) | ALL_OPERANDS, TT(SFPNOP) | ALL_OPERANDS,
        TT(ZEROACC, .clear_mode = 3) | 1 << 21, TT(INCRWC) | 1 << 21,
        TT(MVMUL), TT(SFPMAD),
    };

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        start(words[n] >> 24, TENSIX_ISA_PORTABLE);
        fixture_run(&f, THREAD, words[n], tensix_insns[words[n] >> 24].mnemonic);
    }
}

int main(void)
{
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (!fixture_has_isa(isa)) {
            continue;
        }
        for (uint32_t opcode = 0; opcode < OPCODES; opcode++) {
            test_opcode(opcode, isa);
        }
    }
    test_waiting();
    test_exempt();
    return done_testing();
}
