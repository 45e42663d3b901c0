/*
 * Start of every image: stack in the hart's private data RAM, .bss to zero.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart whose main() returns has nothing more to do and stays here; `fence`
 * gives the host's CPU to the others.
 */

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
    call    main
    .globl  hart_done
hart_done:
    fence
    j       hart_done
