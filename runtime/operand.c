/*
 * make DEBUG=1: what happens when an operand does not fit its field.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "blackhole-tile/insn.h"

enum { STATUS_OPERAND_CUT = 1 };

void tensix_operand_cut(const char *place, const char *name, uint32_t width,
                        uint32_t value)
{
    print("%s: operand does not fit: %s has %u bits, and the value is %d "
          "(0x%x)\n", place, name, width, value, value);
    leave(STATUS_OPERAND_CUT);
}
