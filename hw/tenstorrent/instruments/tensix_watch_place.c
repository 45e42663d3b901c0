/*
 * Breaks and watches of a tile: places by their names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tensix_watch_internal.h"

/* Rows of Dst32b: their high halves stand in eight rows of sixteen. */
enum { WIDE_ROWS = TENSIX_DST_ROWS / 2, WIDE_BLOCK = 8 };

/* How many places a space has for who names one, with a bank or a thread. */
static uint32_t space_size(const TensixPlace *p)
{
    switch (p->space) {
    case TENSIX_SPACE_SRCA:
    case TENSIX_SPACE_SRCB:
        return TENSIX_SRC_ROWS;
    case TENSIX_SPACE_GPR:
        return TENSIX_GPRS;
    case TENSIX_SPACE_CONFIG:
        return TENSIX_CFG_WORDS;
    case TENSIX_SPACE_THREAD_CONFIG:
        return TENSIX_THREAD_CFG_WORDS;
    case TENSIX_SPACE_L1:
        return TENSIX_L1_SIZE;
    case TENSIX_SPACE_DST:
        return p->wide ? WIDE_ROWS : TENSIX_DST_ROWS;
    default:
        return tensix_spaces[p->space].cells;
    }
}

/* How often that is there: banks or threads. */
static uint32_t space_copies(TensixSpace space)
{
    switch (space) {
    case TENSIX_SPACE_SRCA:
    case TENSIX_SPACE_SRCB:
    case TENSIX_SPACE_CONFIG:
        return TENSIX_SRC_BANKS;
    case TENSIX_SPACE_GPR:
    case TENSIX_SPACE_THREAD_CONFIG:
        return TENSIX_THREADS;
    default:
        return 1;
    }
}

static bool has_threads(TensixSpace space)
{
    return space == TENSIX_SPACE_GPR || space == TENSIX_SPACE_THREAD_CONFIG;
}

/* --- words --- */

static bool number_of(const char *word, uint32_t *value)
{
    unsigned int n;

    if (!word || qemu_strtoui(word, NULL, 0, &n)) {
        return false;
    }
    *value = n;
    return true;
}

static bool find_space(const char *word, TensixPlace *p)
{
    static const struct { const char *name; TensixSpace space; } others[] = {
        { "dst", TENSIX_SPACE_DST }, { "sem", TENSIX_SPACE_SEMAPHORE },
    };

    for (int s = 0; word && s < TENSIX_SPACES; s++) {
        if (!strcmp(word, tensix_spaces[s].name)) {
            p->space = s;
            return true;
        }
    }
    for (int n = 0; word && n < ARRAY_SIZE(others); n++) {
        if (!strcmp(word, others[n].name)) {
            p->space = others[n].space;
            return true;
        }
    }
    return false;
}

const TensixCfgTable *tensix_watch_cfg_table(TensixSpace space)
{
    switch (space) {
    case TENSIX_SPACE_CONFIG:
        return &tensix_cfg_table;
    case TENSIX_SPACE_THREAD_CONFIG:
        return &tensix_thread_cfg_table;
    default:
        return NULL;
    }
}

/* The first word behind the space: a number, or a field of configuration. */
static bool parse_first(TensixPlace *p, const char *word, Error **errp)
{
    const TensixCfgTable *table = tensix_watch_cfg_table(p->space);

    if (number_of(word, &p->first)) {
        return true;
    }
    p->field = table && word ? tensix_cfg_find(table, word) : NULL;
    if (!p->field) {
        error_setg(errp, "%s: '%s' is no number%s", tensix_spaces[p->space].name,
                   word ?: "", table ? " and no field" : "");
        return false;
    }
    p->first = p->field->word;
    return true;
}

/* "bank N" or "thread N", within what the space has. */
static bool parse_copy(TensixPlace *p, char **words, Error **errp)
{
    const char *name = has_threads(p->space) ? "thread" : "bank";
    uint32_t copies = space_copies(p->space), n;

    if (copies == 1 || strcmp(words[0], name) || !number_of(words[1], &n) ||
        n >= copies) {
        error_setg(errp, "%s: '%s %s' makes no sense here",
                   tensix_spaces[p->space].name, words[0], words[1] ?: "");
        return false;
    }
    *(has_threads(p->space) ? &p->thread : &p->bank) = n;
    return true;
}

/* Whose reads are known? */
static bool has_reads(TensixSpace space)
{
    return space < TENSIX_READ_SPACES || space == TENSIX_SPACE_L1;
}

/* "read" or "access" behind a place where such are known. */
static bool parse_access(TensixPlace *p, const char *word)
{
    if (!has_reads(p->space)) {
        return false;
    }
    if (!strcmp(word, "read")) {
        p->accesses = TENSIX_WATCH_READ;
    } else if (!strcmp(word, "access")) {
        p->accesses = TENSIX_WATCH_READ | TENSIX_WATCH_WRITE;
    } else {
        return false;
    }
    return true;
}

static bool parse_rest(TensixPlace *p, char **words, Error **errp)
{
    if (*words && !p->field && number_of(*words, &p->count)) {
        words++;
    }
    for (; *words; words++) {
        if (p->space == TENSIX_SPACE_DST && !strcmp(*words, "wide")) {
            p->wide = true;
        } else if (parse_access(p, *words)) {
            continue;
        } else if (!parse_copy(p, words++, errp)) {
            return false;
        }
    }
    return true;
}

bool tensix_place_parse(TensixPlace *p, char **words, Error **errp)
{
    *p = (TensixPlace) { .count = 1, .bank = -1, .thread = -1,
                         .accesses = TENSIX_WATCH_WRITE };
    if (!find_space(words[0], p)) {
        error_setg(errp, "'%s' is none of: l1 dest srca srcb lreg gpr config "
                   "thread-config semaphore mutex", words[0] ?: "");
        return false;
    }
    if (p->space == TENSIX_SPACE_L1) {
        p->count = sizeof(uint32_t);
    }
    return parse_first(p, words[1], errp) && parse_rest(p, words + 2, errp);
}

/* --- cells --- */

/* Blocks of eight rows of Dst32b: high halves, then low ones. */
static unsigned wide_ranges(const TensixPlace *p, TensixPlaceRange *ranges,
                            Error **errp)
{
    uint32_t end = p->first + p->count, n = 0;

    for (uint32_t row = p->first, count; row < end; row += count) {
        uint32_t at = row / WIDE_BLOCK * 2 * WIDE_BLOCK + row % WIDE_BLOCK;

        count = MIN(WIDE_BLOCK - row % WIDE_BLOCK, end - row);
        if (n + 2 > TENSIX_PLACE_RANGES) {
            error_setg(errp, "dest: at most %u rows of 32 bits, from a multiple "
                       "of 8 on", TENSIX_PLACE_RANGES / 2 * WIDE_BLOCK);
            return 0;
        }
        ranges[n++] = (TensixPlaceRange) { at, count };
        ranges[n++] = (TensixPlaceRange) { at + WIDE_BLOCK, count };
    }
    return n;
}

unsigned tensix_place_ranges(const TensixPlace *p, TensixPlaceRange *ranges,
                             Error **errp)
{
    uint32_t size = space_size(p), n = 0;
    int32_t wanted = has_threads(p->space) ? p->thread : p->bank;

    if (!p->count || p->first >= size || p->count > size - p->first) {
        error_setg(errp, "%s: %u from %u on: there are %u",
                   tensix_spaces[p->space].name, p->count, p->first, size);
        return 0;
    }
    if (p->wide) {
        return wide_ranges(p, ranges, errp);
    }
    for (uint32_t copy = 0; copy < space_copies(p->space); copy++) {
        if (wanted < 0 || wanted == copy) {
            ranges[n++] = (TensixPlaceRange) { copy * size + p->first, p->count };
        }
    }
    return n;
}
