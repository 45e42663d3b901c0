# SPDX-License-Identifier: GPL-2.0-or-later
"""Interrupts of running harts: one after the other, to whom, and resets."""

import os
import unittest

import rv_asm as rv
from blackhole_tile import ACCELERATORS, SOFT_RESET
from rv_asm import A0, A1, A2, S0, S1, T0, T1, ZERO
from test_board import Folder

RESULT = 0x100000
PIC = 0xFFB13000
SW_EN = {'brisc': 0x00, 'ncrisc': 0x0C}
INT_NO = {'brisc': 0x08, 'ncrisc': 0x14}
SW_INT, SW_INT_PC = 0x18, 0xA8
RESET_BIT = {'brisc': 1 << 11, 'ncrisc': 1 << 18}
MAIN, HANDLER = 0x20000, 0x30000
MAIL_OF_TRISC0, MAIL_TO_BRISC = 0xFFEC1000, 0x3FFEC0000
BEQ = 0


def handler(hart):
    """Appends INT_NO to a list in L1, clears that interrupt, returns."""
    words = rv.li(A0, PIC) + [rv.lw(T0, A0, INT_NO[hart])]
    words += [rv.i_type(rv.OP_IMM, 1, T1, T0, 2),              # slli 2
              rv.r_type(rv.OP, 0, 0, A0, A0, T1)]              # add
    words += [rv.lw(T1, A0, SW_INT)]                           # clears it
    words += rv.li(A0, RESULT) + [rv.lw(A1, A0, 4), rv.addi(T1, A1, 4),
                                  rv.sw(T1, A0, 4)]
    words += [rv.r_type(rv.OP, 0, 0, A0, A0, A1), rv.sw(T0, A0, 0x40)]
    return words + [rv.MRET]


def loop():
    """Says that it runs, and stays."""
    return rv.li(rv.S0, RESULT) + rv.li(rv.S1, 1) + \
        [rv.sw(rv.S1, rv.S0)] + rv.HALT


class Handlers(Folder):
    def start(self, hart, accel):
        path = self.elf('pic', {MAIN: loop(), HANDLER: handler(hart)}, MAIN)
        tile = self.tile(images={hart: path}, accel=accel)
        tile.wait_for_word(RESULT, 1)
        for number in range(32):
            tile.write32(PIC + SW_INT_PC + 4 * number, HANDLER)
        return tile

    def seen(self, tile):
        count = tile.read32(RESULT + 4) // 4
        return [tile.read32(RESULT + 0x40 + 4 * i) for i in range(count)]

    def check(self, hart, accel):
        tile = self.start(hart, accel)
        for number in (30, 7, 12):
            tile.write32(PIC + SW_INT + 4 * number, 1)
        tile.write32(PIC + SW_EN[hart], 1 << 7 | 1 << 30 | 1 << 12)
        tile.wait_for_word(RESULT + 4, 3 * 4)
        self.assertEqual(self.seen(tile), [7, 12, 30],
                         'each waits for the mret of the one before')
        # round robin continues after 30; what is not enabled stays raised
        tile.write32(PIC + SW_EN[hart], 0)
        for number in (5, 31, 9):
            tile.write32(PIC + SW_INT + 4 * number, 1)
        tile.write32(PIC + SW_EN[hart], 1 << 5 | 1 << 31)
        tile.wait_for_word(RESULT + 4, 5 * 4)
        self.assertEqual(self.seen(tile)[3:], [31, 5])
        self.assertEqual(tile.read32(PIC + SW_INT + 4 * 9), 1)

    def test_one_after_the_other(self):
        for hart in SW_EN:
            for accel in ACCELERATORS:
                with self.subTest(hart=hart, accel=accel):
                    self.check(hart, accel)

    def test_raised_while_held(self):
        for hart in SW_EN:
            with self.subTest(hart=hart):
                tile = self.start(hart, 'single')
                held = tile.read32(SOFT_RESET)
                tile.write32(SOFT_RESET, held | RESET_BIT[hart])
                tile.write32(PIC + SW_INT + 4 * 3, 1)
                tile.write32(PIC + SW_EN[hart], 1 << 3)
                self.assertEqual(self.seen(tile), [])
                # BRISC starts at 0, NCRISC at 0x12000: idle there
                for address in (0, 0x12000):
                    for index, word in enumerate(rv.HALT):
                        tile.write32(address + 4 * index, word)
                tile.write32(SOFT_RESET, held)
                tile.wait_for_word(RESULT + 4, 4)
                self.assertEqual(self.seen(tile), [3])

    def test_a_hart_that_is_stalled(self):
        """It handles the interrupt, then waits for the same mail again."""
        main = rv.li(S0, RESULT) + rv.li(A0, MAIL_OF_TRISC0) + \
            rv.li(S1, 1) + [rv.sw(S1, S0), rv.lw(A1, A0)] + \
            rv.li(S0, RESULT) + [rv.sw(A1, S0, 8)] + rv.HALT
        # the handler keeps the registers that the load needs
        handles = rv.li(T0, PIC) + [rv.lw(T1, T0, SW_INT + 4 * 3)] + \
            rv.li(T0, RESULT) + [rv.sw(T1, T0, 4), rv.MRET]
        path = self.elf('pic', {MAIN: main, HANDLER: handles}, MAIN)
        for accel in ACCELERATORS:
            with self.subTest(accel=accel):
                tile = self.tile(images={'brisc': path}, accel=accel)
                tile.wait_for(lambda t: t.state.why()['brisc'].state ==
                              'waiting')
                tile.write32(PIC + SW_INT_PC + 4 * 3, HANDLER)
                tile.write32(PIC + SW_EN['brisc'], 1 << 3)
                tile.write32(PIC + SW_INT + 4 * 3, 0x33)
                tile.wait_for_word(RESULT + 4, 0x33)
                tile.wait_for(lambda t: t.state.why()['brisc'].state ==
                              'waiting')
                self.assertEqual(tile.read32(RESULT + 8), 0)
                tile.write32(MAIL_TO_BRISC, 0x44)
                tile.wait_for_word(RESULT + 8, 0x44)
                tile.close()

    def test_reset_forgets_what_was_raised(self):
        """BRISC interrupts NCRISC and resets it in one block of code, after
        which NCRISC has its next turn; first many times without an interrupt,
        so that the block is translated."""
        runs = 0x47800 & ~RESET_BIT['brisc'] & ~RESET_BIT['ncrisc']
        setup = rv.li(A0, PIC) + rv.li(S0, SOFT_RESET) + rv.li(A1, RESULT) + \
            rv.li(T0, HANDLER) + [rv.sw(T0, A0, SW_INT_PC + 4 * 3)] + \
            rv.li(T0, runs)
        body = [rv.lw(T1, A1, 4), rv.lw(S1, A1, 12),
                rv.sw(T1, A0, SW_EN['ncrisc']), rv.sw(T1, A0, SW_INT + 4 * 3),
                rv.sw(S1, S0), rv.lw(ZERO, A0, SW_INT + 4 * 3), rv.sw(T0, S0),
                rv.addi(A2, A2, 1), rv.sw(A2, A1, 20)]
        again = [rv.branch(BEQ, T1, ZERO, -4 * len(body)), rv.sw(S0, A1, 16)]
        count = rv.li(S0, RESULT) + [rv.addi(S1, S1, 1), rv.sw(S1, S0),
                                     rv.jump(-8)]
        marks = rv.li(S0, RESULT) + [rv.sw(S0, S0, 8)] + rv.HALT
        path = self.elf('brisc', {MAIN: setup + body + again + rv.HALT,
                                  HANDLER: marks, 0x12000: count}, MAIN)
        tile = self.tile(images={'brisc': path}, words={RESULT + 12: runs})
        tile.wait_for(lambda t: t.read32(RESULT) and
                      t.read32(RESULT + 20) > 200)
        tile.write32(RESULT + 12, runs | RESET_BIT['ncrisc'])
        tile.write32(RESULT + 4, 1 << 3)
        tile.wait_for_word(RESULT + 16, SOFT_RESET)
        before = tile.read32(RESULT)
        tile.wait_for(lambda t: t.read32(RESULT) != before)
        self.assertEqual(tile.read32(RESULT + 8), 0)

    def test_snapshot_in_a_handler(self):
        """mret goes back to where the other machine was interrupted."""
        count = rv.li(S0, RESULT) + [rv.addi(S1, S1, 1), rv.sw(S1, S0),
                                     rv.jump(-8)]
        handles = rv.li(A0, PIC) + rv.li(A1, RESULT) + [
            rv.lw(T1, A0, SW_INT + 4 * 3), rv.sw(T1, A1, 4),
            rv.lw(T0, A1, 8), rv.branch(BEQ, T0, ZERO, -4), rv.MRET]
        path = self.elf('pic', {MAIN: count, HANDLER: handles}, MAIN)
        first = self.tile(images={'ncrisc': path})
        first.write32(PIC + SW_INT_PC + 4 * 3, HANDLER)
        first.write32(PIC + SW_EN['ncrisc'], 1 << 3)
        first.wait_for(lambda t: t.read32(RESULT) > 10)
        first.write32(PIC + SW_INT + 4 * 3, 0x33)
        first.wait_for_word(RESULT + 4, 0x33)
        state = os.path.join(self.folder, 'state')
        first.save(state)
        first.close()
        tile = self.tile(images={'ncrisc': path}, incoming=state)
        before = tile.read32(RESULT)
        tile.write32(RESULT + 8, 1)
        tile.wait_for(lambda t: t.read32(RESULT) > before + 10)


if __name__ == '__main__':
    unittest.main()
