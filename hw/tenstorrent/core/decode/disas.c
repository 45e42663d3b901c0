/*
 * Assembly text of an instruction word.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spec 002, sections 4.3 to 5.4, shows the form: "tt" and the mnemonic in
 * lower case, operands from the high field down.
 */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tensix_internal.h"

typedef struct Text {
    char *buf;
    size_t size;
    size_t length;
} Text;

static void put_char(Text *t, char ch)
{
    if (t->length + 1 < t->size) {
        t->buf[t->length] = ch;
        t->buf[t->length + 1] = '\0';
    }
    t->length++;
}

static void put_number(Text *t, uint32_t n)
{
    char digits[12];

    snprintf(digits, sizeof(digits), "%u", (unsigned)n);
    for (const char *p = digits; *p; p++) {
        put_char(t, *p);
    }
}

static void put_text(Text *t, const char *s)
{
    for (; *s; s++) {
        put_char(t, *s);
    }
}

static void put_lower(Text *t, const char *s)
{
    for (; *s; s++) {
        put_char(t, tolower((unsigned char)*s));
    }
}

/*
 * ThreadOverride of the ADC instructions is no operand of theirs (SETADCXY.md:
 * "no syntax"), so it is printed only where it is set.
 */
static bool is_shown(const TensixFieldDef *field, uint32_t value)
{
    return value || strcmp(field->name, "ThreadOverride") != 0;
}

/* How an operand is written. */
typedef void PutOperand(Text *t, const TensixFieldDef *field, uint32_t value,
                        bool first);

static void put_bare(Text *t, const TensixFieldDef *field, uint32_t value,
                     bool first)
{
    put_char(t, first ? ' ' : ',');
    put_number(t, value);
}

static void put_named(Text *t, const TensixFieldDef *field, uint32_t value,
                      bool first)
{
    put_text(t, first ? " " : ", ");
    put_text(t, field->name);
    put_char(t, '=');
    put_number(t, value);
}

static int disas(char *buf, size_t size, uint32_t word, PutOperand *put)
{
    const TensixInsnDef *def = &tensix_insns[word >> 24];
    Text t = { buf, size, 0 };
    bool first = true;

    if (!def->mnemonic) {
        return snprintf(buf, size, ".word 0x%08x", (unsigned)word);
    }
    if (size) {
        buf[0] = '\0';
    }
    put_text(&t, "tt");
    put_lower(&t, def->mnemonic);
    for (int f = def->nfields - 1; f >= 0; f--) {
        uint32_t value = tensix_operand(word, &def->fields[f]);

        if (is_shown(&def->fields[f], value)) {
            put(&t, &def->fields[f], value, first);
            first = false;
        }
    }
    return t.length;
}

uint32_t tensix_operand(uint32_t word, const TensixFieldDef *field)
{
    return word >> field->low & ((1u << field->width) - 1u);
}

int tensix_disas(char *buf, size_t size, uint32_t word)
{
    return disas(buf, size, word, put_bare);
}

int tensix_disas_named(char *buf, size_t size, uint32_t word)
{
    return disas(buf, size, word, put_named);
}
