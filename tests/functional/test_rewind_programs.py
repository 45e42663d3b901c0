# SPDX-License-Identifier: GPL-2.0-or-later
"""Long programs backwards, and a session of gdb (test_rewind.py has the rest)."""

import random
import shutil
import time
import unittest

import lib_matmul as matmul
from blackhole_tile.testing import images
from test_gdb import echo, run_gdb
from test_rewind import BEGINNING, REWIND, STARTED, Machine, symbol

GDB = shutil.which('gdb-multiarch')
SEED = 20
PACKED = 0xC0000                # of matmul: its first tile of C


class Programs(Machine):
    """Long programs of all harts: what is executed again is compared with each
    snapshot on the way; a difference would be told."""

    def matmul(self):
        chance = random.Random(SEED)
        a, b = ([[chance.gauss(0, 1) for _ in range(64)] for _ in range(64)]
                for _ in range(2))
        return matmul.Product(a, b, 'bf16', 2)

    def test_matmul(self):
        """Back from its end to where each tile of C was fetched."""
        product = self.matmul()
        tile, gdb = self.debugged('matmul', words=product.parameters())
        product.load(tile)
        fetch = symbol('matmul', 'brisc', 'take_tile_back')
        self.run_to(gdb, 'brisc', fetch)
        early = self.digest(tile)
        gdb.step('brisc')
        for _ in range(3):
            self.run_to(gdb, 'brisc', fetch)
            gdb.step('brisc')
        end = self.digest(tile)
        gdb.insert('brisc', fetch)
        for _ in range(4):
            gdb.go_back()
        self.assertEqual(self.digest(tile), early)
        for hart in ('trisc0', 'trisc1', 'trisc2'):
            gdb.back(hart)
        while self.place(tile) < early[0]:
            gdb.go_on()
        self.assertEqual(self.digest(tile), early)
        for _ in range(3):
            gdb.go_on()
        gdb.step('brisc')
        self.assertEqual(self.digest(tile), end)
        gdb.remove('brisc', fetch)
        gdb.send('vCont;c')
        product.wait(tile, time.monotonic() + 60, None)
        product.fetch(tile)
        self.assertEqual(product.packed, self.matmul().run('icount', 60).packed)
        self.assertNotIn('rewind:', tile.output())

    def test_torture(self):
        for options in ('', ',schedule=seed=5', ',hazards=on'):
            with self.subTest(options):
                tile, gdb = self.debugged(
                    'torture', f'rewind=on,rewind-interval=100000{options}')
                gdb.insert('brisc', symbol('torture', 'brisc', 'show'))
                gdb.go_on()
                self.assertIn(BEGINNING, gdb.go_back())
                self.assertNotIn('rewind:', tile.output())


# gdb 13 and gdb 16 where the history begins
NO_FURTHER = 'No more reverse|Reached end of recorded history'


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Session(Machine):
    """As a user types it."""

    COMMANDS = [
        'inferior 4', 'break compute_face', 'continue', 'continue',
        echo('back'), 'reverse-continue', 'info locals', 'info args',
        echo('stepi'), 'stepi', 'stepi', 'reverse-stepi', 'reverse-stepi',
        'printf "at %x\\n", $pc',
        echo('finish'), 'delete', 'break *hart_done', 'reverse-finish',
        echo('watch'), 'inferior 3', f'watch *(int *){STARTED + 8:#x}',
        'reverse-continue', 'reverse-continue',
        echo('end'), 'delete', 'kill',
    ]

    def test_session(self):
        tile = self.tile(images=images('demo'), accel='icount',
                         machine=REWIND, stopped=True, gdb=True)
        text = run_gdb(tile, self.COMMANDS)
        self.assertRegex(text, r'(?s)<back>.*hit Breakpoint 1, compute_face '
                               r'\(face=0\).*<stepi>')
        address = symbol('demo', 'trisc1', 'compute_face')
        self.assertIn(f'at {address:x}\n', text)
        self.assertRegex(text, r'(?s)<finish>.*compute_face.*<watch>')
        self.assertRegex(text, r'(?s)<watch>.*Old value = [1-9]\d*\s*'
                               rf'New value = 0.*main.*(?:{NO_FURTHER})')

    def test_back_to_a_write_of_the_packer(self):
        """What a watch of L1 has seen, from behind it."""
        ones = [[1.0] * 32 for _ in range(32)]
        product = matmul.Product(ones, ones)
        tile = self.tile(images=images('matmul'), accel='icount',
                         machine=REWIND, stopped=True, gdb=True,
                         words=product.parameters())
        product.load(tile)
        there = f'printf "there %x\\n", *(int *){PACKED:#x}'
        text = run_gdb(tile, [
            f'tensix watch l1 {PACKED:#x}', 'continue', there, 'inferior 5',
            echo('back'), 'reverse-continue', there, 'x/i $pc',
            echo('again'), 'continue', there, echo('end'), 'kill'])
        written = (r'watch \d+: l1 0xc0000 written by trisc2 .*\(ttpacr (?s:.*)'
                   r'there 42004200\s')
        self.assertRegex(text, rf'(?s){written}.*<back>.*there 0\s+=> [^\n]*\bttmop '
                               rf'.*<again>.*{written}')


if __name__ == '__main__':
    unittest.main()
