# SPDX-License-Identifier: GPL-2.0-or-later
"""A jump to itself that is rewritten while a hart goes round: the hart has
the old one in its instruction cache until a reset or RISCV_IC_INVALIDATE."""

import os
import shutil
import tempfile
import time
import unittest

import rv_asm as rv
import spin
from blackhole_tile import ACCELERATORS
from blackhole_tile.testing import Tile
from rv_asm import A0, A1, A2, ZERO
from test_turns import Remote

LEFT, GO = 0x100000, 0x100040
YES = 0x600d600d
IC_INVALIDATE = 0xFFEF0000 + 4 * 185
TRISC0, BRISC, NCRISC = 1 << 1, 1 << 0, 1 << 4     # bits of it
PLACE, ELSEWHERE = 0x6000, 0x30000      # the first is where trisc0 starts
EMPTIER = 0x20000
A_WHILE = 0.05                          # s
NOP = rv.addi(ZERO, ZERO, 0)
TRISC0_PROCESS, TRISC0_THREAD = 'vAttach;3', 'Hgp03.03'    # of gdb's protocol

# trisc0 spins; after that it says that it has left
SPINS = [rv.jump(0)] + rv.li(A0, LEFT) + rv.li(A1, YES) + \
    [rv.sw(A1, A0), rv.jump(0)]
# trisc1 stores what comes to GO, once, to RISCV_IC_INVALIDATE
WAITS = [rv.lw(A1, A0), rv.branch(spin.BEQ, A1, ZERO, -4)]
EMPTIES = WAITS + rv.li(A2, IC_INVALIDATE) + [rv.sw(A1, A2), rv.sw(ZERO, A0)]
PROGRAMS = {
    'trisc0': (PLACE, SPINS),
    'trisc1': (EMPTIER, rv.li(A0, GO) + EMPTIES + [rv.jump(-4 * len(EMPTIES))]),
}


class Kept(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='kept-')
        self.addCleanup(shutil.rmtree, self.folder, True)

    def tile(self, accel, **options):
        tile = Tile(images={hart: rv.elf({start: rv.code(words)}, start)
                            for hart, (start, words) in PROGRAMS.items()},
                    accel=accel, **options)
        return self.enterContext(tile)

    def spinning(self, accel, **options):
        """A tile whose trisc0 spins at PLACE, where a NOP is now."""
        tile = self.tile(accel, **options)
        time.sleep(A_WHILE)
        tile.write32(PLACE, NOP)
        self.assert_spins(tile)
        return tile

    def assert_spins(self, tile):
        time.sleep(A_WHILE)
        self.assertEqual(tile.read32(LEFT), 0)

    def invalidate(self, tile, harts):
        tile.write32(GO, harts)
        tile.wait_for_word(GO, 0)

    def test_until_its_cache_is_emptied(self):
        for accel in ACCELERATORS:
            tile = self.spinning(accel)
            self.invalidate(tile, BRISC | NCRISC)
            self.assert_spins(tile)
            self.invalidate(tile, TRISC0 | BRISC)
            tile.wait_for_word(LEFT, YES)
            tile.close()

    def test_until_reset(self):
        for accel in ACCELERATORS:
            tile = self.spinning(accel)
            tile.hold('trisc0')
            tile.release('trisc0')
            tile.wait_for_word(LEFT, YES)
            tile.close()

    def test_in_another_machine_that_loads_its_state(self):
        for accel in ACCELERATORS:
            tile = self.spinning(accel)
            path = os.path.join(self.folder, accel)
            tile.save(path)
            other = self.tile(accel, incoming=path)
            self.assert_spins(other)
            self.invalidate(other, TRISC0)
            other.wait_for_word(LEFT, YES)
            tile.close()
            other.close()

    def test_until_it_is_led_elsewhere(self):
        """A hart that returns executes what is there."""
        for accel in ACCELERATORS:
            tile = self.spinning(accel, gdb=True)
            tile.write32(ELSEWHERE, rv.jump(PLACE - ELSEWHERE))
            remote = Remote(tile.gdb_socket)
            remote.ask(TRISC0_PROCESS)
            self.assertEqual(remote.ask(TRISC0_THREAD), 'OK')
            self.assertEqual(remote.pc(), PLACE)
            pc = ELSEWHERE.to_bytes(4, 'little').hex()
            self.assertEqual(remote.ask(f'P20={pc}'), 'OK')
            for process in ('D;3', 'D;1'):
                self.assertEqual(remote.ask(process), 'OK')
            remote.link.close()
            tile.qmp('cont')
            tile.wait_for_word(LEFT, YES)
            tile.close()


if __name__ == '__main__':
    unittest.main()
