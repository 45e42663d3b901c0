# SPDX-License-Identifier: GPL-2.0-or-later
"""A hart's accesses to its thread that go past the region of the device wait as
those through it do: Auto TTSync and the check of TTSync; a push wakes them, and
meets no other access in the core."""

import os
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile import ACCELERATORS, SOFT_RESET, tt
from blackhole_tile.machine import FIFO_WORDS
from blackhole_tile.testing import Tile
from rv_asm import A0, A1, A2, A3, S0, S1, ZERO

GPR, CONFIG, COP_DONE = 0xFFE00000, 0xFFEF0000, 0xFFE80004
PCBUF_SEMAPHORES = 0xFFE80020
ARRIVED, WAKER_DONE = 0x100800, 0x100900
DELAY = 1 << 20                        # until the waiter sleeps
SEMAPHORE = 1 << 3
WHILE_ZERO, ALL_BLOCKS = 1, 0x1FF
TTSYNC, TRACK_ALL = 56, 0x1D           # but subdivided configuration
SCRATCH = 209                          # a word of configuration
NEW, STORED = 0x1234, 0x77
WARM = 12                              # entries; cold code uses the regions
BNE, ANDI = 1, (0x13, 7)
ALL_HELD, WRITES = 0x47800, 100
ROUNDS = {'multi': 100000}             # where threads race; else:
FEW_ROUNDS = 20000
# Between a wait's decision and the stall a line is written to nowhere: longer
LONG_STALLS = ['-trace', 'tensix_hart_stall', '-D', os.devnull]
PUSHES = 3000000
HALF_FULL, FULL, NUMBER = 7, 15, 3     # of the semaphore
SPREAD = 127                           # of delays between accesses


def insn(mnemonic, **operands):
    return rv.ttinsn(tt(mnemonic, **operands))


def started(test, programs, **options):
    """A tile with {hart: image}."""
    tile = Tile(images=programs, **options)
    test.addCleanup(tile.close)
    return tile


class Waits(unittest.TestCase):
    """The thread is held by a semaphore that another one posts."""

    def run_held(self, tracks, held, access):
        """TRISC0's A1 after the access, which is made WARM times before."""
        body = [self.CLEAR_GPR, self.WAIT,
                insn('SEMGET', sem_sel=SEMAPHORE), *held, *rv.li(A0, ARRIVED),
                rv.addi(A3, A3, 1), rv.sw(A3, A0), *rv.li(A2, STORED), *access,
                *rv.li(A2, WARM + 1)]
        program = rv.Program()
        program.add(insn('SETC16', setc16_reg=TTSYNC, setc16_value=tracks),
                    insn('SEMINIT', sem_sel=SEMAPHORE, init_value=WARM,
                         max_value=15), rv.li(A3, 0), body,
                    rv.branch(BNE, A3, A2, -4 * len(body)))
        program.result(A1)
        tile = started(self, {'trisc0': program.image()})
        tile.wait_for_word(ARRIVED, WARM + 1)
        tile.push(1, tt('SEMPOST', sem_sel=SEMAPHORE))
        tile.wait_for_word(program.results, program.DONE)
        return tile.read32(program.results + 4)

    WAIT = insn('SEMWAIT', sem_sel=SEMAPHORE, wait_sem_cond=WHILE_ZERO,
                stall_res=ALL_BLOCKS)
    CLEAR_GPR = insn('SETDMAREG', RegIndex16b=10)                    # GPR 5
    SET_GPR = [insn('SETDMAREG', RegIndex16b=10, Payload_SigSel=NEW)]
    LOAD_GPR = rv.li(A0, GPR + 4 * 5) + [rv.lw(A1, A0)]

    def test_load_of_a_gpr(self):
        self.assertEqual(self.run_held(TRACK_ALL, self.SET_GPR, self.LOAD_GPR),
                         NEW)

    def test_store_to_a_gpr(self):
        access = rv.li(A0, GPR + 4 * 5) + [rv.sw(A2, A0), rv.lw(A1, A0)]
        self.assertEqual(self.run_held(TRACK_ALL, self.SET_GPR, access), STORED)

    def test_store_to_configuration(self):
        held = self.SET_GPR + [insn('WRCFG', GprAddress=5, CfgReg=SCRATCH)]
        access = rv.li(A0, CONFIG + 4 * SCRATCH) + [rv.sw(A2, A0),
                                                    rv.lw(A1, A0)]
        self.assertEqual(self.run_held(TRACK_ALL, held, access), STORED)

    def test_check_of_the_thread(self):
        access = rv.li(A0, COP_DONE) + [rv.lw(A1, A0)] + self.LOAD_GPR
        self.assertEqual(self.run_held(0, self.SET_GPR, access), NEW)


class Wakes(unittest.TestCase):
    def test_by_the_last_push(self):
        """After it no hart and no host accesses the coprocessor."""
        waiter, waker = rv.Program(), rv.Program(0x28000, WAKER_DONE)
        waiter.add(insn('SEMINIT', sem_sel=SEMAPHORE, max_value=1),
                   rv.li(A0, ARRIVED), rv.li(A2, 1), rv.sw(A2, A0),
                   Waits.WAIT, insn('NOP'), rv.li(A0, COP_DONE),
                   rv.lw(A1, A0))
        waiter.result(A1)
        waker.add(rv.li(A0, ARRIVED), rv.lw(A1, A0),
                  rv.branch(BNE - 1, A1, ZERO, -4), rv.li(A1, DELAY),
                  rv.addi(A1, A1, -1), rv.branch(BNE, A1, ZERO, -4),
                  insn('SEMPOST', sem_sel=SEMAPHORE), insn('NOP'))
        for accel in ACCELERATORS:
            with self.subTest(accel):
                tile = started(self, {'trisc0': waiter.image(),
                                      'trisc1': waker.image()}, accel=accel)
                tile.wait_for_word(waiter.results, waiter.DONE)

    def meet(self, before, access, tracks=0):
        """The push meets the waiter before, at and after its decision to stall.
        """
        for accel in ACCELERATORS:
            with self.subTest(accel):
                waiter, waker = self.race(ROUNDS.get(accel, FEW_ROUNDS), before,
                                          access, tracks)
                tile = started(self, {'trisc0': waiter.image(),
                                      'trisc1': waker.image()}, accel=accel,
                               extra=LONG_STALLS)
                tile.wait_for_word(waiter.results, waiter.DONE)

    @staticmethod
    def race(count, before, access, tracks):
        """Programs that wake each other in so many rounds.

        With a thread per hart they need two: the waker computes, now and then,
        and is executed by its own from then on.
        """
        # S0 is the round, S1 the place of the round, A2 the rounds
        rounds = [rv.addi(S0, S0, 1)]
        common = [*rv.li(S0, 0), *rv.li(S1, ARRIVED), *rv.li(A2, count)]
        wait = rounds + [Waits.WAIT, insn('SEMGET', sem_sel=SEMAPHORE),
                         *before, rv.sw(S0, S1), access]
        compute = [*rv.li(A1, 2 * DELAY), rv.addi(A1, A1, -1),
                   rv.branch(BNE, A1, ZERO, -4)]
        post = rounds + [rv.i_type(*ANDI, A1, S0, 1023),
                         rv.branch(BNE, A1, ZERO, 4 + 4 * len(compute)),
                         *compute, rv.lw(A1, S1), rv.branch(BNE, A1, S0, -4),
                         rv.i_type(*ANDI, A1, S0, 63), rv.addi(A1, A1, 1),
                         rv.addi(A1, A1, -1), rv.branch(BNE, A1, ZERO, -4),
                         insn('SEMPOST', sem_sel=SEMAPHORE)]
        waiter, waker = rv.Program(), rv.Program(0x28000, WAKER_DONE)
        waiter.add(insn('SETC16', setc16_reg=TTSYNC, setc16_value=tracks),
                   insn('SEMINIT', sem_sel=SEMAPHORE, max_value=1), common,
                   wait, rv.branch(BNE, S0, A2, -4 * len(wait)))
        waiter.result(S0)
        waker.add(common, compute, post,
                  rv.branch(BNE, S0, A2, -4 * len(post)))
        return waiter, waker

    def test_while_the_check_is_made(self):
        self.meet(rv.li(A0, COP_DONE), rv.lw(A1, A0))

    def test_while_the_fifo_is_full(self):
        self.meet([insn('NOP')] * FIFO_WORDS, insn('NOP'))

    def test_while_a_register_is_awaited(self):
        self.meet(Waits.SET_GPR + rv.li(A0, GPR + 4 * 5), rv.lw(A1, A0),
                  TRACK_ALL)


class Excludes(unittest.TestCase):
    def repeated(self, base, results, body):
        """A hart's program, which counts S0 down."""
        program = rv.Program(base, results)
        loop = [*body, rv.addi(S0, S0, -1)]
        program.add(rv.li(S0, PUSHES), rv.li(A0, PCBUF_SEMAPHORES + 4 * NUMBER),
                    rv.li(A2, 1), loop,
                    rv.branch(BNE, S0, ZERO, -4 * len(loop)))
        program.result(S0)
        return program

    def test_an_access_of_another_hart(self):
        """Posts and gets of one that pushes and one that stores: each counts.
        """
        delay = [rv.i_type(*ANDI, A1, S0, SPREAD), rv.addi(A1, A1, 1),
                 rv.addi(A1, A1, -1), rv.branch(BNE, A1, ZERO, -4)]
        pushes = self.repeated(0x20000, 0x100000, [
            insn('SEMPOST', sem_sel=SEMAPHORE), rv.addi(A3, A3, 0),
            insn('SEMGET', sem_sel=SEMAPHORE)])
        stores = self.repeated(0x28000, WAKER_DONE, [
            *delay, rv.sw(ZERO, A0), *delay, rv.sw(A2, A0)])
        tile = started(self, {'trisc0': pushes.image(),
                              'trisc1': stores.image()}, accel='multi',
                       stopped=True)
        tile.push(2, tt('SEMINIT', sem_sel=SEMAPHORE, init_value=HALF_FULL,
                        max_value=FULL))
        tile.go()
        tile.wait_for_word(pushes.results, pushes.DONE)
        tile.wait_for_word(stores.results, stores.DONE)
        found = tile.state.semaphores()[NUMBER]
        self.assertEqual((found.value, found.posts, found.gets),
                         (HALF_FULL, 2 * PUSHES, 2 * PUSHES))


class Outsiders(unittest.TestCase):
    def test_a_soft_reset_keeps_pushes_out_once(self):
        """A write from another thread than the harts' passes barriers, which
        interrupt all processors, once for all harts, and then lets them in."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'log')
            tile = started(self, {}, extra=['-trace', 'tensix_cop_barriers',
                                            '-D', log])
            for number in range(WRITES):
                tile.write32(SOFT_RESET, 0 if number % 2 else ALL_HELD)
            tile.close()
            with open(log, encoding='utf-8') as file:
                barriers = file.read().count('tensix_cop_barriers')
        # some are of timers
        self.assertGreaterEqual(barriers, WRITES)
        self.assertLess(barriers, 2 * WRITES)


if __name__ == '__main__':
    unittest.main()
