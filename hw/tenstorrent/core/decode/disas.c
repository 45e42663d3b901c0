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

static void put_lower(Text *t, const char *s)
{
    for (; *s; s++) {
        put_char(t, tolower((unsigned char)*s));
    }
}

/*
 * ThreadOverride of the ADC instructions is no operand of theirs (SETADCXY.md:
 * "no syntax"), so it shows only where somebody set it.
 */
static bool is_shown(const TensixFieldDef *field, uint32_t value)
{
    return value || strcmp(field->name, "ThreadOverride") != 0;
}

int tensix_disas(char *buf, size_t size, uint32_t word)
{
    const TensixInsnDef *def = &tensix_insns[word >> 24];
    Text t = { buf, size, 0 };

    if (!def->mnemonic) {
        return snprintf(buf, size, ".word 0x%08x", (unsigned)word);
    }
    if (size) {
        buf[0] = '\0';
    }
    put_lower(&t, "tt");
    put_lower(&t, def->mnemonic);
    for (int f = def->nfields - 1; f >= 0; f--) {
        uint32_t mask = (1u << def->fields[f].width) - 1u;
        uint32_t value = (word >> def->fields[f].low) & mask;

        if (is_shown(&def->fields[f], value)) {
            put_char(&t, f == def->nfields - 1 ? ' ' : ',');
            put_number(&t, value);
        }
    }
    return t.length;
}
