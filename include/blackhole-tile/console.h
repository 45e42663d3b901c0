/*
 * Text output and exit status through QEMU's semihosting.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Needs `-semihosting-config enable=on,target=native`.
 */

#ifndef BLACKHOLE_TILE_CONSOLE_H
#define BLACKHOLE_TILE_CONSOLE_H

#include <stdint.h>

/*
 * Conversions: %s, %u, %d, %x with an optional '0' and width; nothing else.
 * A negative width fills on the right.  Numbers are 32 bits.
 */
void print(const char *format, ...);

/* Ends QEMU with this exit status. */
void leave(unsigned status) __attribute__((noreturn));

#endif
