# SPDX-License-Identifier: GPL-2.0-or-later
"""Code that runs for the first time is interpreted; later it is translated.

Programs of random instructions leave the same with both: with -icount nothing
is interpreted, so QEMU's own translation says what is right.
"""

import random
import re
import time
import unittest

import rv_asm as rv
from blackhole_tile.testing import Tile
from rv_asm import OP, OP_IMM, RA, S1, SP, T0, T1, TP, ZERO
from test_kept import IC_INVALIDATE
from test_pic import PIC, SW_EN, SW_INT, SW_INT_PC

DATA, DATA_SIZE = 0x50000, 256
FIRST, LAST = 10, 31                    # registers that programs compute with
BNE, BLTU = 1, 6
RENEWAL = 12                            # instructions of renewal()
COUNT, HANDLER, NUMBER = 0x70000, 0x80000, 3
LUI, AUIPC = rv.LUI, 0x17
LOADS, STORES = {0: 1, 1: 2, 2: 4, 4: 1, 5: 2}, {0: 1, 1: 2, 2: 4}
SHIFTS = 1, 5
DISTURBED = 120                         # s, for a program that is stopped often
OFTEN = 40                              # rounds, after which code is translated


class Generator:
    """Words of a stretch that leaves by its end and ends wherever it began."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reg(self):
        return self.random.choice((ZERO, *range(FIRST, LAST + 1)))

    def immediate(self):
        funct3 = self.random.randrange(8)
        imm = self.random.choice((0, 1, -1, 2047, -2048,
                                  self.random.randrange(-2048, 2048)))
        if funct3 in SHIFTS:
            imm = imm & 31 | (self.random.choice((0, 0x400))
                              if funct3 == 5 else 0)
        return [rv.i_type(OP_IMM, funct3, self.reg(), self.reg(), imm)]

    def operation(self):
        funct7 = self.random.choice((0, 0, 0x20, 1))
        funct3 = self.random.choice((0, 5) if funct7 == 0x20 else range(8))
        return [rv.r_type(OP, funct3, funct7, self.reg(), self.reg(),
                          self.reg())]

    def upper(self):
        return [self.random.getrandbits(20) << 12 | self.reg() << 7 |
                self.random.choice((LUI, AUIPC))]

    def address(self, size, unaligned):
        step = 1 if unaligned else size
        return self.random.randrange(0, DATA_SIZE - 16, step)

    def load(self):
        funct3 = self.random.choice(tuple(LOADS))
        return [rv.i_type(rv.LOAD, funct3, self.reg(), S1,
                          self.address(LOADS[funct3],
                                       not self.random.randrange(12)))]

    def store(self):
        funct3 = self.random.choice(tuple(STORES))
        return [rv.s_type(rv.STORE, funct3, S1, self.reg(),
                          self.address(STORES[funct3],
                                       not self.random.randrange(12)))]

    def forward(self):
        """A jump or a branch over some instructions."""
        over = sum((self.straight() for _ in range(self.random.randrange(4))),
                   [])
        offset = 4 * len(over) + 4
        kind = self.random.randrange(8)
        if kind == 6:
            return [rv.jump(offset, self.reg())] + over
        if kind == 7:                   # the register is also the link
            return [AUIPC | T0 << 7,
                    rv.i_type(rv.JALR, 0, T0, T0, offset + 4)] + over
        funct3 = (0, 1, 4, 5, 6, 7)[kind]
        return [rv.branch(funct3, self.reg(), self.reg(), offset)] + over

    def straight(self):
        return self.random.choice((self.immediate, self.operation, self.upper,
                                   self.load, self.store))()

    def words(self, count):
        words = []
        while len(words) < count:
            words += self.random.choice((self.straight, self.straight,
                                         self.straight, self.forward))()
        return words


def renewal(pc, stretch):
    """At pc: makes the stretch after it as cold as it was, by writing it over
    itself and emptying the harts' instruction caches."""
    start = pc + 4 * RENEWAL
    return rv.li(T0, start) + rv.li(RA, start + 4 * len(stretch)) + [
        rv.lw(T1, T0), rv.sw(T1, T0), rv.addi(T0, T0, 4),
        rv.branch(BLTU, T0, RA, -12)] + rv.li(T0, IC_INVALIDATE) + [
        rv.addi(T1, ZERO, 0x1f), rv.sw(T1, T0)]


def program(seed, rounds, count=150, cold=False):
    """The stretch, some times, if so cold each time; it leaves registers and
    data."""
    p = rv.Program()
    stretch = Generator(seed).words(count)
    p.add(rv.li(S1, DATA), rv.li(rv.GP, rounds))
    for reg in range(FIRST, LAST + 1):
        p.add(rv.li(reg, seed * 2654435761 * reg & 0xffffffff))
    for offset in range(0, DATA_SIZE, 4):       # bytes of either sign
        p.add(rv.sw(FIRST + offset // 4 % (LAST + 1 - FIRST), S1, offset))
    stretch = (renewal(p.pc(), stretch) if cold else []) + stretch
    p.add(*stretch, rv.addi(rv.GP, rv.GP, -1),
          rv.branch(BNE, rv.GP, ZERO, -4 * len(stretch) - 4))
    for reg in (T0, *range(FIRST, LAST + 1)):
        p.result(reg)
    for offset in range(0, DATA_SIZE, 4):
        p.add(rv.lw(T0, S1, offset))
        p.result(T0)
    return p


def handler():
    """BRISC's, of interrupt NUMBER: counts."""
    return rv.li(SP, PIC + SW_INT + 4 * NUMBER) + [rv.lw(TP, SP)] + \
        rv.li(SP, COUNT) + [rv.lw(TP, SP), rv.addi(TP, TP, 1),
                            rv.sw(TP, SP), rv.MRET]


class Cold(unittest.TestCase):
    def tile(self, words, accel='single', hart='trisc0', **options):
        tile = Tile(images={hart: words.image()}, accel=accel, **options)
        return self.enterContext(tile)

    def results(self, words, accel):
        tile = self.tile(words, accel)
        tile.wait_for_word(words.results, words.DONE, 30)
        return tile.read(words.results, 4 * words.count + 4)

    def blocks(self, words, accel='single'):
        tile = self.tile(words, accel)
        tile.wait_for_word(words.results, words.DONE, 30)
        return int(re.search(r'TB count\s+(\d+)', tile.hmp('info jit'))[1])

    def test_leaves_what_translated_code_leaves(self):
        for rounds in 1, OFTEN:
            for seed in range(12):
                with self.subTest(rounds=rounds, seed=seed):
                    words = program(seed, rounds)
                    self.assertEqual(self.results(words, 'single'),
                                     self.results(words, 'icount'))

    def test_with_a_thread_a_hart(self):
        for seed in range(100, 106):
            with self.subTest(seed=seed):
                words = program(seed, OFTEN)
                self.assertEqual(self.results(words, 'multi'),
                                 self.results(words, 'icount'))

    def test_once_is_not_translated_often_is(self):
        """Blocks of 400 branches, all of them entered."""
        words = rv.Program()
        for _ in range(400):
            words.add(rv.addi(T0, T0, 1), rv.jump(8), rv.NOP)
        words.result(T0)
        self.assertGreater(self.blocks(words, 'icount'), 400)
        self.assertLess(self.blocks(words), 50)
        self.assertGreater(self.blocks(self.repeated(words)), 400)

    def repeated(self, words):
        """words' stretch OFTEN times."""
        p = rv.Program()
        stretch = words.words[2:]
        p.add(rv.li(rv.GP, OFTEN), *stretch, rv.addi(rv.GP, rv.GP, -1),
              rv.branch(0, rv.GP, ZERO, 8),
              rv.jump(-4 * len(stretch) - 8))
        p.result(rv.GP)
        return p

    def test_long_jumps(self):
        """Each bit of an offset, forward and back."""
        for bits in range(4, 15):
            words, far = rv.Program(), 1 << bits
            words.add(rv.addi(10, ZERO, 1), rv.jump(far, RA),
                      rv.addi(10, 10, 2), rv.jump(far),
                      (far // 4 - 3) * [rv.addi(10, 10, 4)],
                      rv.addi(10, 10, 8), rv.jump(-far))
            words.result(10)
            with self.subTest(bits=bits):
                data = self.results(words, 'single')
                self.assertEqual(int.from_bytes(data[4:8], 'little'), 11)

    def test_a_store_to_the_next_instruction(self):
        words = rv.Program()
        words.add(rv.li(T0, rv.addi(10, ZERO, 77)), rv.li(S1, 0))
        words.add(rv.li(S1, words.pc() + 12), rv.sw(T0, S1))
        words.add(rv.addi(10, ZERO, 1))
        words.result(10)
        data = self.results(words, 'single')
        self.assertEqual(int.from_bytes(data[4:8], 'little'), 77)

    def test_an_access_to_nothing_names_its_instruction(self):
        """A load in the middle of a stretch."""
        words = rv.Program()
        words.add(rv.addi(10, ZERO, 5), rv.li(S1, 0xffd00000))
        pc = words.pc()
        words.add(rv.lw(10, S1), rv.addi(11, 10, 1))
        words.result(11)
        tile = self.tile(words)
        tile.wait_for_word(words.results, words.DONE, 30)
        self.assertIn(f'pc 0x{pc:08x}', tile.output())

    def disturb(self, tile, words):
        """Stops and interrupts until it is done; how many of each."""
        for at, word in enumerate(handler()):
            tile.write32(HANDLER + 4 * at, word)
        tile.write32(PIC + SW_INT_PC + 4 * NUMBER, HANDLER)
        tile.write32(PIC + SW_EN['brisc'], 1 << NUMBER)
        stops, raised, end = 0, 0, time.monotonic() + DISTURBED
        while tile.read32(words.results) != words.DONE:
            if tile.read32(COUNT) == raised:
                raised += 1
                tile.write32(PIC + SW_INT + 4 * NUMBER, 1)
            tile.cont()
            tile.stop()
            stops += 1
            self.assertLess(time.monotonic(), end, stops)
        tile.cont()
        tile.wait_for_word(COUNT, raised, 30)
        return stops, raised

    def test_stops_and_interrupts_make_no_difference(self):
        words = program(200, 6000, cold=True)
        expected = self.results(words, 'icount')
        for accel in 'single', 'multi':
            with self.subTest(accel):
                tile = self.tile(words, accel, 'brisc', stopped=True)
                for times in self.disturb(tile, words):
                    self.assertGreater(times, 0)
                self.assertEqual(
                    tile.read(words.results, 4 * words.count + 4), expected)

    def test_logs_of_blocks_have_all_code(self):
        words = rv.Program()
        words.add(rv.jump(8), rv.NOP)
        words.result(T0)
        for item in 'in_asm', 'op', 'op_opt', 'out_asm', 'exec', 'cpu':
            with self.subTest(item):
                tile = self.tile(words, extra=['-d', item])
                tile.wait_for_word(words.results, words.DONE, 30)
                self.assertIn(f'{words.base:08x}', tile.output())


if __name__ == '__main__':
    unittest.main()
