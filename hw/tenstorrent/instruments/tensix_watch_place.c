/*
 * Breaks and watches of a tile: the cells of a place.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tensix_watch_internal.h"

/* Rows of Dst32b: their high halves are in eight rows of sixteen. */
enum { WIDE_ROWS = TENSIX_DST_ROWS / 2, WIDE_BLOCK = 8 };

/* How many places a space has in a name, with a bank or a thread. */
static uint32_t space_size(const TensixPlace *p)
{
    switch ((TensixSpace)p->space) {
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

const TensixCfgField *tensix_place_field(const TensixPlace *p)
{
    const TensixCfgTable *table = tensix_watch_cfg_table(p->space);

    return table && p->field ? tensix_cfg_find(table, p->field) : NULL;
}

bool tensix_watch_has_reads(TensixSpace space)
{
    return space < TENSIX_READ_SPACES || space == TENSIX_SPACE_L1;
}

static bool check_first(const TensixPlace *p, Error **errp)
{
    const char *name = tensix_spaces[p->space].name;

    if (p->field ? p->has_first || p->has_count : !p->has_first) {
        error_setg(errp, "%s: %s", name,
                   p->field ? "a field has no number and no count"
                            : "the number of the first one is missing");
        return false;
    }
    if (p->field && !tensix_place_field(p)) {
        error_setg(errp, "%s: there is no field '%s'", name, p->field);
        return false;
    }
    return true;
}

/* name: of a bank or thread, which the space has so many of */
static bool check_copy(const TensixPlace *p, const char *name, uint32_t n,
                       uint32_t copies, Error **errp)
{
    if (n < copies) {
        return true;
    }
    error_setg(errp, "%s: '%s %u' makes no sense here",
               tensix_spaces[p->space].name, name, n);
    return false;
}

static bool check_place(const TensixPlace *p, Error **errp)
{
    uint32_t copies = space_copies(p->space);
    bool threads = has_threads(p->space), banks = copies > 1 && !threads;

    if (p->wide && p->space != TENSIX_SPACE_NAME_DEST) {
        error_setg(errp, "%s: 'wide' makes no sense here",
                   tensix_spaces[p->space].name);
        return false;
    }
    return check_first(p, errp) &&
           (!p->has_bank ||
            check_copy(p, "bank", p->bank, banks ? copies : 0, errp)) &&
           (!p->has_thread ||
            check_copy(p, "thread", p->thread, threads ? copies : 0, errp));
}

static TensixPlaceRange range_of(const TensixPlace *p)
{
    const TensixCfgField *field = tensix_place_field(p);

    return (TensixPlaceRange) {
        .first = field ? field->word : p->first,
        .count = p->has_count ? p->count
                 : p->space == TENSIX_SPACE_NAME_L1 ? sizeof(uint32_t) : 1,
    };
}

/* --- cells --- */

/* Blocks of eight rows of Dst32b: high halves, then low ones. */
static unsigned wide_ranges(TensixPlaceRange all, TensixPlaceRange *ranges,
                            Error **errp)
{
    uint32_t end = all.first + all.count, n = 0;

    for (uint32_t row = all.first, count; row < end; row += count) {
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
    TensixPlaceRange all = range_of(p);
    bool one = p->has_thread || p->has_bank;
    uint32_t wanted = p->has_thread ? p->thread : p->bank;

    QEMU_BUILD_BUG_ON((int)TENSIX_SPACE_NAME_L1 != TENSIX_SPACE_L1);
    if (!check_place(p, errp)) {
        return 0;
    }
    if (!all.count || all.first >= size || all.count > size - all.first) {
        error_setg(errp, "%s: %u from %u on: there are %u",
                   tensix_spaces[p->space].name, all.count, all.first, size);
        return 0;
    }
    if (p->wide) {
        return wide_ranges(all, ranges, errp);
    }
    for (uint32_t copy = 0; copy < space_copies(p->space); copy++) {
        if (!one || wanted == copy) {
            ranges[n++] = (TensixPlaceRange) { copy * size + all.first,
                                               all.count };
        }
    }
    return n;
}
