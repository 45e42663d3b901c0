# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of harts that wait: for each other, for the clock, for nothing."""

import rv_asm as rv
from rv_asm import A0, A1, A2, A3, S0, S1, T0, T1, T2, ZERO

MAILBOX = 0xFFEC0000
SEMAPHORE = 0xFFE80020          # of the T harts
CLOCK_LOW, CLOCK_HIGH = 0xFFB121F0, 0xFFB121F8
CLOCK_HZ = 1.35e9
SCRATCH = 0x100000              # flags, and then results
FLAGS = (SCRATCH, SCRATCH + 0x40)
RESULT = SCRATCH + 0x80         # clock before, clock after (low, high), done
DONE = 0x600d600d
TP, RA = 4, 1

BEQ, BNE, BLT, BLTU, BGEU = 0, 1, 4, 6, 7


def base(hart_index):
    """Where a program of this hart lies."""
    return 0x20000 + 0x2000 * hart_index


def clock_to(address):
    """Stores the wall clock."""
    return rv.li(T0, CLOCK_LOW) + [rv.lw(T1, T0), rv.lw(T2, T0, 8)] + \
        rv.li(T0, address) + [rv.sw(T1, T0), rv.sw(T2, T0, 4)]


def done():
    return rv.li(T0, RESULT + 16) + rv.li(T1, DONE) + [rv.sw(T1, T0)] + \
        [rv.jump(0)]


def counted(times, body):
    """body, times over; S1 counts 1 to times, A3 is the limit."""
    start = rv.li(A3, times) + [rv.addi(S1, ZERO, 1)]
    loop = body + [rv.addi(S1, S1, 1)]
    size = 4 * len(loop)
    return start + loop + [rv.branch(BGEU, A3, S1, -size)]


def wait_word(value, reg=A1, fence=False):
    """Until the word at reg is that of the register value."""
    fences = [rv.FENCE] if fence else []
    return fences + [rv.lw(T0, reg),
                     rv.branch(BNE, T0, value, -4 * (1 + len(fences)))]


def semaphore_take():
    """Until the semaphore at A1 is not 0; takes one."""
    return [rv.lw(T0, A1), rv.branch(BEQ, T0, ZERO, -4), rv.sw(A2, A1)]


def mailbox(side):
    """A0: where to write; A1: where to read.  T0 is user 1, T1 user 2."""
    return rv.li(A0, MAILBOX + (2 - side) * 0x1000) + \
        rv.li(A1, MAILBOX + (2 - side) * 0x1000)


def body_mailbox(side):
    send, get = [rv.sw(S1, A0)], [rv.lw(T0, A1)]
    return mailbox(side), send + get if side == 0 else get + [rv.sw(T0, A0)]


def body_semaphore(side):
    setup = rv.li(A0, SEMAPHORE + 4 * side) + \
        rv.li(A1, SEMAPHORE + 4 * (1 - side)) + [rv.addi(A2, ZERO, 1)]
    post = [rv.sw(ZERO, A0)]
    return setup, (post + semaphore_take() if side == 0
                   else semaphore_take() + post)


def body_l1(side, fence=False):
    setup = rv.li(A0, FLAGS[side]) + rv.li(A1, FLAGS[1 - side])
    send, get = [rv.sw(S1, A0)], wait_word(S1, fence=fence)
    return setup, send + get if side == 0 else get + send


BODIES = {
    'mailbox': body_mailbox,
    'semaphore': body_semaphore,
    'l1': body_l1,
    'l1-fence': lambda side: body_l1(side, True),
}


def ping_pong(kind, times):
    """Words of the programs of TRISC0 and TRISC1."""
    programs = []
    for side in (0, 1):
        setup, body = BODIES[kind](side)
        words = setup + counted(times, body)
        if side == 0:
            words = clock_to(RESULT) + words + clock_to(RESULT + 8) + done()
        programs.append(words + [rv.jump(0)])
    return programs


def seconds(tile, address=RESULT):
    """Between the clock at this address and the one after it."""
    low0, high0, low1, high1 = (tile.read32(address + 4 * i)
                                for i in range(4))
    return ((high1 << 32 | low1) - (high0 << 32 | low0)) / CLOCK_HZ
