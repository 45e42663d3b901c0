/*
 * Data formats, as format_table.h.inc has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "num/num_formats.h"

#define GIVEN(early, family) { EARLY_##early, PACK_##family, true }
#define UNGIVEN(early, family) { EARLY_##early, PACK_##family, false }

const TensixFormat tensix_formats[TENSIX_FORMATS] = {
#define FORMAT(number, its_name, its_bits, cells, ...) \
    [number] = { .name = #its_name, .bits = its_bits, __VA_ARGS__ },
#define NO_FORMAT(number, bits) \
    [number] = { .name = "format " #number, .pack_bits = bits },
#include "num/format_table.h.inc"
#undef FORMAT
#undef NO_FORMAT
};

const char *tensix_format_name(uint32_t format)
{
    return tensix_formats[format % TENSIX_FORMATS].name;
}
