/*
 * Soft reset: the bits that concern the coprocessor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_SOFT_RESET_H
#define TENSIX_SOFT_RESET_H

/* Bits of 0xFFB121B0 (BH SoftReset.md) that concern the coprocessor. */
enum {
    RESET_UNPACKERS = (1 << 0) | (1 << 1) | (1 << 7),
    RESET_PACKERS = 0xf << 2,
    RESET_MOVER = 1 << 6,
    RESET_TDMA_GLUE = 1 << 8,
    RESET_THCON = 1 << 9,
    RESET_FPU_SFPU = 1 << 10,
    RESET_T0 = 1 << 12,            /* T1 and T2 are the next two bits */
    RESET_SRCA_CLIENT = 1 << 15,
    RESET_SRCB = 1 << 16,
    RESET_ZEROACC = 1 << 17,
    RESET_SRCA_COLUMNS0 = 1 << 19, /* four columns a bit, 19..22 */
    RESET_TTSYNC = 1 << 23,
};

/*
 * Soft-reset bits that hold something while they are set: back-end units,
 * ZEROACC, and clients and data of the Src register files (BH SoftReset.md).
 */
enum { TENSIX_SOFT_RESET_UNITS = 0x7b87ff };

#endif
