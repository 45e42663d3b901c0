/*
 * void wait_until(const volatile uint32_t *word, uint32_t value)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Returns when the word, which an interrupt handler counts up, has come to the
 * value or is beyond.
 */

    .section .text.wait_until, "ax"
    .globl  wait_until
    .type   wait_until, @function
wait_until:
    fence
    lw      t0, 0(a0)
    bltu    t0, a1, wait_until
    ret
    .size   wait_until, . - wait_until
