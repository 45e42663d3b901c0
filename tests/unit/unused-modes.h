/*
 * Bits of Mod1 that select nothing, by opcode.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNUSED_MODES_H
#define TESTS_UNUSED_MODES_H

#include "decode/isa.h"

static inline uint32_t unused_mode_bits(uint32_t opcode)
{
    switch (opcode) {
    case TENSIX_OP_SFPABS:
    case TENSIX_OP_SFPDIVP2:
    case TENSIX_OP_SFPEXMAN:
    case TENSIX_OP_SFPSETSGN:
        return 0xe;
    case TENSIX_OP_SFPCAST:
        return 0xc;
    case TENSIX_OP_SFPEXEXP:
    case TENSIX_OP_SFPMOV:
        return 0x4;
    case TENSIX_OP_SFPMUL24:
        return 0x2;
    case TENSIX_OP_SFPLZ:
        return 0x1;
    default:
        return 0;
    }
}

#endif
