/*
 * Start of every image: stack in the hart's private data RAM, .bss to zero, no
 * fusion of .ttinsn, which a REPLAY that records must not meet (cfg0's
 * DisTriscCache; tt-metal's firmware does the same).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart whose main() returns has nothing more to do and stays here; `fence`
 * gives the host's CPU to the others.
 */

    .equ    cfg0, 0x7c0
    .equ    DIS_TRISC_CACHE, 1 << 18

    .section .text.start, "ax"
    .globl _start
_start:
    la      sp, __stack_top
    la      t0, __bss_start
    la      t1, __bss_end
1:
    bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b
2:
    li      t0, DIS_TRISC_CACHE
    csrs    cfg0, t0
    call    main
    .globl  hart_done
hart_done:
    fence
    j       hart_done
