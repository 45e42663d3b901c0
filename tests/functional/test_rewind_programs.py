# SPDX-License-Identifier: GPL-2.0-or-later
"""Long programs backwards, and a session of gdb (test_rewind.py has the rest)."""

import os
import random
import re
import shutil
import time
import unittest

import lib_matmul as matmul
import rv_asm as rv
from blackhole_tile import HARTS
from blackhole_tile.memory_map import tile_address
from blackhole_tile.testing import SHARED, images
from rv_asm import A0, A1, T0, T1
from test_gdb import echo, run_gdb
from test_rewind import BEGINNING, BNE, REWIND, STARTED, Machine, symbol

GDB = shutil.which('gdb-multiarch')
SEED = 20
PACKED = 0xC0000                # of matmul: its first tile of C


class Programs(Machine):
    """Long programs of all harts: what is executed again is compared with each
    snapshot on the way; a difference would be reported."""

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
            gdb.resume()
        self.assertEqual(self.digest(tile), early)
        for _ in range(3):
            gdb.resume()
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
                gdb.resume()
                self.assertIn(BEGINNING, gdb.go_back())
                self.assertNotIn('rewind:', tile.output())


# gdb 13 and gdb 16 where the history begins
NO_FURTHER = 'No more reverse|Reached end of recorded history'


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
def race(n, times):
    """x = 3 * x + n, times over: the result says in which order."""
    body = [rv.lw(T0, A0), rv.r_type(rv.OP, 0, 0, T1, T0, T0),
            rv.r_type(rv.OP, 0, 0, T0, T0, T1), rv.addi(T0, T0, n),
            rv.sw(T0, A0), *[rv.addi(rv.ZERO, rv.ZERO, 0)] * n,
            rv.addi(A1, A1, -1)]
    return rv.li(A0, SHARED) + rv.li(A1, times + 777 * n) + body + \
        [rv.branch(BNE, A1, rv.ZERO, -4 * len(body))] + \
        rv.li(A0, SHARED + 4 * n) + rv.li(T0, 1) + [rv.sw(T0, A0)] + rv.HALT


class Racing(Machine):
    """Whose turn it is, and what is left of it, belong to the state."""

    TIMES, STOPS = 8000000, 4

    def finish(self, tile):
        tile.cont()
        for n in range(1, 5):
            tile.wait_for_word(SHARED + 4 * n, 1, 120)
        return tile.read32(SHARED)

    def start(self, **options):
        return self.tile(accel='icount', machine='rewind=on', stopped=True,
                         images=self.elfs, **options)

    def test_stopped_or_saved_it_computes_the_same(self):
        self.elfs = {hart: self.elf(hart, {
            0x20000 + 0x2000 * n: race(n, self.TIMES)}, 0x20000 + 0x2000 * n)
            for n, hart in enumerate(HARTS) if n}
        wanted = self.finish(self.start())
        tile = self.start()
        for _ in range(self.STOPS):
            tile.cont()
            time.sleep(0.02)
            tile.stop()
        self.assertEqual(tile.read32(SHARED + 4), 0)
        self.assertEqual(self.finish(tile), wanted)
        tile = self.start()
        for n in range(self.STOPS):
            tile.cont()
            time.sleep(0.02)
            path = os.path.join(self.folder, f'state{n}')
            tile.save(path)
            tile.quit()
            tile = self.start(incoming=path)
        self.assertEqual(tile.read32(SHARED + 4), 0)
        self.assertEqual(self.finish(tile), wanted)


class Unreported(Machine):
    COUNTER, POKED, MANY = SHARED, SHARED + 0x4000, 100000

    def poke(self, tile, address):
        """Changes memory of the running machine by no means of its own."""
        text = tile.hmp(f'gpa2hva {tile_address(0, address):#x}')
        there = int(re.search(r'is (0x[0-9a-f]+)', text)[1], 16)
        with open(f'/proc/{tile.process.pid}/mem', 'r+b', buffering=0) as file:
            file.seek(there)
            file.write(b'poke')

    def count(self, tile):
        """Until many more rounds have been counted."""
        wanted = tile.read32(self.COUNTER) + self.MANY
        tile.wait_for(lambda tile: tile.read32(self.COUNTER) > wanted)

    def test_what_is_not_reproduced(self):
        """The history begins where it is known."""
        program = rv.li(A0, self.COUNTER) + [
            rv.addi(A1, A1, 1), rv.sw(A1, A0), rv.jump(-8)]
        tile, gdb = self.programs({'trisc1': program})
        gdb.send('vCont;c')
        self.count(tile)
        self.poke(tile, self.POKED)
        self.count(tile)
        gdb.link.sendall(b'\x03')
        gdb.answer()
        self.assertIn(BEGINNING, gdb.go_back())
        place = self.place(tile)
        self.assertRegex(tile.output(), f'before instruction {place} came out '
                                        'differently')
        self.assertGreater(tile.read32(self.COUNTER), self.MANY)
        self.assertEqual(tile.read(self.POKED, 4), b'poke')
        gdb.step('trisc1')
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertEqual(self.place(tile), place)


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
        """What a watch of L1 has seen, from a later place."""
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
