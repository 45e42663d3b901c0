/*
 * Masks of the wait instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH STALLWAIT.md, SEMWAIT.md, STREAMWAIT.md.
 */

#ifndef TENSIX_CONDITIONS_H
#define TENSIX_CONDITIONS_H

enum {
    COND_SCALAR_UNIT = 1 << 0,     /* C0 */
    COND_UNPACKER0 = 1 << 1,
    COND_UNPACKER1 = 1 << 2,
    COND_PACKER = 1 << 3,
    COND_MATRIX_UNIT = 1 << 4,
    COND_SRCA_UNPACK = 1 << 5,     /* C5: unpacker 0's bank is not its own */
    COND_SRCB_UNPACK = 1 << 6,
    COND_SRCA_MATRIX = 1 << 7,     /* C7: Matrix Unit's bank is not its own */
    COND_SRCB_MATRIX = 1 << 8,
    COND_BANKS = 0xf << 5,
    COND_MOVER = 1 << 9,
    COND_HART = 1 << 10,           /* C10: the TRISC's accesses */
    COND_VECTOR_UNIT = 1 << 11,
    COND_CONFIG_UNIT = 1 << 12,

    SEM_WAIT_WHILE_ZERO = 1 << 0,
    SEM_WAIT_WHILE_MAX = 1 << 1,

    COND_STREAM_PHASE = 1 << 0,    /* STREAMWAIT's C0; else C1, messages */

    DEFAULT_BLOCK = 1 << 6,        /* B6, what a block mask of 0 means */
    DEFAULT_CONDITIONS = 0x0f,     /* C0 to C3, what no condition means */
};

#endif
