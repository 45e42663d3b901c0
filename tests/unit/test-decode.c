/*
 * The instruction table: each row goes through the assembler macro, the
 * decoder's fields and the disassembler and back; printed words read as printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { ROUNDS = 200, MAX_FIELDS = 16, INSTRUCTIONS = 137 };

static CoreFixture f;

/* Operands of the word at hand, low field first. */
typedef struct Operand {
    const char *name;
    uint32_t value;
    unsigned low, width;
} Operand;

static Operand operands[MAX_FIELDS];
static unsigned operand_count;

static uint32_t random_operand(const char *name, unsigned low, unsigned width)
{
    uint32_t value = fixture_random(&f) & ((1u << width) - 1);

    operands[operand_count++] = (Operand) { name, value, low, width };
    return value;
}

static void expected_text(char *buf, const char *mnemonic)
{
    char *p = buf + sprintf(buf, "tt");
    char separator = ' ';

    for (; *mnemonic; mnemonic++) {
        *p++ = tolower((unsigned char)*mnemonic);
    }
    *p = '\0';
    for (unsigned n = operand_count; n-- > 0;) {
        if (operands[n].value == 0 &&
            strcmp(operands[n].name, "ThreadOverride") == 0) {
            continue;
        }
        p += sprintf(p, "%c%u", separator, (unsigned)operands[n].value);
        separator = ',';
    }
}

static bool text_right(uint32_t word, const char *mnemonic)
{
    char want[256], got[256];
    int length = tensix_disas(got, sizeof(got), word);

    expected_text(want, mnemonic);
    if (strcmp(want, got) != 0 || length != (int)strlen(want)) {
        diag("0x%08x: got '%s' (%d), expected '%s'", word, got, length, want);
        return false;
    }
    return true;
}

/* Does the row describe the operands that the macros used? */
static bool row_right(uint32_t opcode, const char *mnemonic)
{
    const TensixInsnDef *def = &tensix_insns[opcode];
    bool good = def->mnemonic && strcmp(def->mnemonic, mnemonic) == 0 &&
                def->nfields == operand_count;

    for (unsigned n = 0; good && n < operand_count; n++) {
        good = strcmp(def->fields[n].name, operands[n].name) == 0 &&
               def->fields[n].low == operands[n].low &&
               def->fields[n].width == operands[n].width;
    }
    return good;
}

/* Fields from the low bit up, inside 24 bits, without overlap. */
static bool fields_in_order(void)
{
    unsigned end = 0;

    for (unsigned n = 0; n < operand_count; n++) {
        if (operands[n].low < end || operands[n].width == 0) {
            return false;
        }
        end = operands[n].low + operands[n].width;
    }
    return end <= 24;
}

/* The word, put together from the operands without the macro. */
static uint32_t word_from_operands(uint32_t opcode)
{
    uint32_t word = opcode * 0x1000000u;

    for (unsigned n = 0; n < operand_count; n++) {
        word += operands[n].value << operands[n].low;
    }
    return word;
}

#define RANDOM_FIELD(m, field, low, width) \
    insn.field = random_operand(#field, low, width);
#define NAMED_FIELD(m, field, low, width) .field = insn.field,
#define DECODE_FIELD(m, field, low, width) \
    good = good && TENSIX_FIELD(word, m, field) == insn.field;
#define ROUND_TRIP(op, m) \
    static bool round_trip_##m(void) \
    { \
        struct tt_##m insn = { .none = 0 }; \
        uint32_t word; \
        bool good; \
        operand_count = 0; \
        TENSIX_FIELDS_##m(RANDOM_FIELD) \
        word = TT(m, TENSIX_FIELDS_##m(NAMED_FIELD)); \
        good = word == word_from_operands(op) && word >> 24 == TENSIX_OP_##m; \
        TENSIX_FIELDS_##m(DECODE_FIELD) \
        return good && fields_in_order() && row_right(op, #m) && text_right(word, #m); \
    }
#define INSN(op, m, ...) ROUND_TRIP(op, m)
#define UNIMP(op, m, ...) ROUND_TRIP(op, m)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

static const struct {
    const char *mnemonic;
    bool (*round_trip)(void);
} rows[] = {
#define INSN(op, m, ...) { #m, round_trip_##m },
#define UNIMP(op, m, ...) { #m, round_trip_##m },
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP
};

static void test_rows(void)
{
    ok_eq(sizeof(rows) / sizeof(rows[0]), INSTRUCTIONS, "rows of the table");
    for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        bool good = true;

        for (unsigned n = 0; good && n < ROUNDS; n++) {
            good = rows[r].round_trip();
        }
        ok(good, "%s: macro, fields, text", rows[r].mnemonic);
    }
}

static void test_other_opcodes(void)
{
    unsigned found = 0;
    bool good = true;

    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        char want[32], got[32];
        uint32_t word = opcode << 24 | 0x5a1234;

        if (tensix_insns[opcode].mnemonic) {
            found++;
            continue;
        }
        sprintf(want, ".word 0x%08x", word);
        good = good &&
               tensix_disas(got, sizeof(got), word) == (int)strlen(want) &&
               strcmp(got, want) == 0;
        fixture_clear_violations(&f);
        good = good && fixture_exec(&f, 0, word) == TENSIX_DONE &&
               f.violations[TENSIX_UNDEFINED_BEHAVIOUR] == 1;
    }
    ok_eq(found, INSTRUCTIONS, "opcodes with an instruction");
    ok(good, "the others: .word, and undefined behaviour");
}

static void test_unimplemented(void)
{
    bool good = true;

    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        const TensixInsnDef *def = &tensix_insns[opcode];

        if (def->mnemonic && !def->implemented) {
            fixture_clear_violations(&f);
            good = good && fixture_exec(&f, 1, opcode << 24) == TENSIX_DONE &&
                   f.violations[TENSIX_UNIMPLEMENTED] == 1 &&
                   f.violation_count == 1 &&
                   strcmp(f.violation_mnemonic, def->mnemonic) == 0;
        }
    }
    ok(good, "a row without a function reports unimplemented, by name");
}

/* What spec 002 prints, sections 4.3, 4.4 and 5.4: rotated left by two bits. */
static const struct {
    uint32_t printed;
    const char *text;
} spec_words[] = {
    { 0x98000000, "ttmvmul 0,0,0,0" }, { 0x98010000, "ttmvmul 0,0,1,0" },
    { 0x98020000, "ttmvmul 0,0,2,0" }, { 0x98040000, "ttmvmul 0,0,4,0" },
    { 0x98050000, "ttmvmul 0,0,5,0" }, { 0xdc00003c, "ttsetrwc 0,0,0,0,0,15" },
    { 0x4600002d, "ttsetadcxy 4,0,0,0,0,11" },
    { 0x5200003d, "ttsetadczw 4,0,0,0,0,15" },
};

/* Words that real firmware pushes, with the operands that its source names. */
static const struct {
    uint32_t word;
    const char *text;
} firmware_words[] = {
    { 0x8a00300a, "ttsfpencc 3,0,0,10" },
    { 0x7100bf80, "ttsfploadi 0,0,49024" },
    { 0x910000b0, "ttsfpconfig 0,11,0" },
    { 0xa3100008, "ttseminit 1,0,2" },
    { 0x02000000, "ttnop" },
    { 0x10180000, "ttzeroacc 3,0,0,0,0" },
    { 0xb2290000, "ttsetc16 41,0" },
    { 0xa2400001, "ttstallwait 128,1" },
};

static void check_text(uint32_t word, const char *text)
{
    char got[128];

    tensix_disas(got, sizeof(got), word);
    ok_str(got, text, "0x%08x is %s", word, text);
}

static void test_printed_words(void)
{
    for (unsigned n = 0; n < sizeof(spec_words) / sizeof(spec_words[0]); n++) {
        uint32_t printed = spec_words[n].printed;

        check_text(printed >> 2 | printed << 30, spec_words[n].text);
    }
    for (unsigned n = 0; n < sizeof(firmware_words) / sizeof(firmware_words[0]);
         n++) {
        check_text(firmware_words[n].word, firmware_words[n].text);
    }
    check_text(0x51e4002a | 2 << 18, "ttsetadcxy 7,3,0,0,0,0,10");
}

static void check_named(uint32_t word, const char *text)
{
    char got[TENSIX_DISAS_NAMED];

    tensix_disas_named(got, sizeof(got), word);
    ok_str(got, text, "0x%08x with names is %s", word, text);
}

/* For people; and no word is longer than the buffer that is said to do. */
static void test_named_operands(void)
{
    unsigned longest = 0;

    check_named(0x26004000, "ttmvmul clear_dvalid=0, instr_mod19=0, "
                            "addr_mode=1, dst=0");
    check_named(0x02000000, "ttnop");
    check_named(0x06000000, ".word 0x06000000");
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        char got[8];
        unsigned length = tensix_disas_named(got, sizeof(got),
                                             opcode << 24 | 0xffffff);

        longest = length > longest ? length : longest;
    }
    ok(longest < TENSIX_DISAS_NAMED, "the longest text has %u characters",
       longest);
}

/* Like snprintf: the text is cut, the length is not. */
static void test_short_buffers(void)
{
    static const char text[] = "ttsetc16 255,65535";
    bool good = true;

    for (size_t size = 0; size <= sizeof(text) + 1; size++) {
        char got[32];
        size_t kept = size == 0                 ? 0
                      : size - 1 < strlen(text) ? size - 1
                                                : strlen(text);

        memset(got, '#', sizeof(got));
        good = good &&
               tensix_disas(got, size, 0xb2ffffff) == (int)strlen(text) &&
               memcmp(got, text, kept) == 0 &&
               (size == 0 || got[kept] == '\0') && got[size] == '#';
    }
    ok(good, "a short buffer is filled, ended and not overrun");
}

int main(void)
{
    fixture_init(&f);
    test_rows();
    test_other_opcodes();
    test_unimplemented();
    test_printed_words();
    test_named_operands();
    test_short_buffers();
    return done_testing();
}
