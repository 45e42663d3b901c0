# SPDX-License-Identifier: GPL-2.0-or-later
"""-M blackhole-tile,bounds=report: each program accesses memory beyond a
buffer, its twin does not."""

import os
import subprocess
import sys
import unittest

import rv_asm as rv
from blackhole_tile import ACCELERATORS, TileError
from blackhole_tile.firmware import page_ranges
from blackhole_tile.memory_map import dram_address
from blackhole_tile.testing import ROOT, Tile, script
from races_pairs import (NOC_READ, NOC_WRITE, noc, poll, store,
                         tdma_store)
from test_noc import CMD, DRAM, NIU, OWN, READ, WRITE, request

BASE, DONE, GO, OUT, SIZE = 0x8000, 0x7000, 0x7010, 0x20000, 64
T0, T1, T2 = rv.T0, rv.T1, rv.T2
WORD, BNE = 4, 1
BANK_1 = DRAM + (3 << 6)           # three ports a bank


def sites(tile):
    return [site for site in tile.qmp('query-tensix-violations')['sites']
            if site['category'] == 'bounds']


def walk(first, count, step=WORD, load=False):
    """A loop of one hart: accesses `count` words from `first` on."""
    access = rv.lw(T2, T0) if load else rv.sw(T2, T0)
    return (rv.li(T0, first) + rv.li(T1, count) +
            [access, rv.addi(T0, T0, step), rv.addi(T1, T1, -1),
             rv.branch(BNE, T1, 0, -3 * WORD)])


def fill_both(first, second, count):
    """A loop that stores to two places alternately."""
    return (rv.li(T0, first) + rv.li(T1, count) + rv.li(rv.A0, second) +
            [rv.sw(T2, T0), rv.sw(T2, rv.A0), rv.addi(T0, T0, WORD),
             rv.addi(rv.A0, rv.A0, WORD), rv.addi(T1, T1, -1),
             rv.branch(BNE, T1, 0, -5 * WORD)])


class Programs(unittest.TestCase):
    def found(self, program, buffers=((OUT, SIZE, 'out'),), accel='single',
              meanwhile=lambda tile: None):
        """Sites after BRISC has run the program."""
        image = rv.elf({BASE: rv.code(program + store(DONE, 1) + rv.HALT)},
                       BASE)
        with Tile(images={'brisc': image}, machine='bounds=report',
                  stopped=True, accel=accel) as tile:
            for buffer in buffers:
                tile.buffer(*buffer)
            tile.cont()
            meanwhile(tile)
            tile.wait_for_word(DONE, 1)
            return sites(tile)

    def check_pair(self, wrong, right, text, **options):
        found = self.found(wrong, **options)
        self.assertEqual([site['text'] for site in found], [text])
        self.assertEqual(found[0]['hart'], 'brisc')
        self.assertTrue(BASE <= found[0]['pc'] < BASE + 0x1000)
        self.assertEqual(self.found(right, **options), [])


class Harts(Programs):
    PAST = '(L1 0x20000, 64 bytes), past its end'

    def test_a_word_too_many(self):
        for accel in ACCELERATORS:
            self.check_pair(
                walk(OUT, 17), walk(OUT, 16),
                f'writes 4 bytes at offset 0x40 of out {self.PAST}',
                accel=accel)

    def test_reads(self):
        self.check_pair(walk(OUT, 17, load=True), walk(OUT, 16, load=True),
                        f'reads 4 bytes at offset 0x40 of out {self.PAST}')

    def test_a_stride(self):
        self.check_pair(walk(OUT, 3, 32), walk(OUT, 2, 32),
                        f'writes 4 bytes at offset 0x40 of out {self.PAST}')

    def test_downwards(self):
        self.check_pair(walk(OUT + 12, 5, -WORD), walk(OUT + 12, 4, -WORD),
                        'writes 4 bytes at offset -0x4 of out (L1 0x20000, '
                        '64 bytes), before its start')

    def test_the_width_of_the_zones(self):
        """64 bytes: strides that end in them, and just beyond them."""
        first = OUT + 8
        wide = [(first, 3 * SIZE, 'out')]
        self.check_pair(walk(first, 3, 124), walk(first, 3, 128),
                        'writes 4 bytes at offset 0xf8 of out (L1 0x20008, '
                        '192 bytes), past its end', buffers=wide)
        self.check_pair(walk(first + 128, 3, -96),
                        walk(first + 136, 3, -104),
                        'writes 4 bytes at offset -0x40 of out (L1 0x20008, '
                        '192 bytes), before its start', buffers=wide)

    def test_another_access_in_between(self):
        both = [(OUT, SIZE, 'out'), (0x30000, 2 * SIZE, 'other')]
        self.check_pair(fill_both(OUT, 0x30000, 17),
                        fill_both(OUT, 0x30000, 16),
                        f'writes 4 bytes at offset 0x40 of out {self.PAST}',
                        buffers=both)
        found = self.found(fill_both(OUT, 0x30000, 18), buffers=both)
        self.assertEqual([site['count'] for site in found], [2])

    def test_runs_out(self):
        self.check_pair(store(OUT + 4, 1), store(OUT, 1),
                        'writes 4 bytes at offset 0x4 of out (L1 0x20000, 6 '
                        'bytes), the last 2 past its end',
                        buffers=[(OUT, 6, 'out')])

    def test_what_is_no_continuation(self):
        """Memory beside a buffer may be the program's."""
        self.assertEqual(self.found(
            walk(OUT, 8) + store(OUT + SIZE, 1) + store(OUT - 8, 1)), [])

    def test_the_next_buffer_has_no_zone_before_it(self):
        self.assertEqual(self.found(walk(OUT, 17), buffers=[
            (OUT, SIZE, 'out'), (OUT + SIZE, SIZE, 'next')]), [])

    def test_buffers_that_overlap_are_one(self):
        self.assertEqual(self.found(store(OUT + 4, 1), buffers=[
            (OUT, 6, 'out'), (OUT, 16, 'all')]), [])

    def test_declarations_while_a_hart_runs(self):
        """Each access is checked, also while another buffer is declared: many
        large ones make an update long, and pauses keep the hart from waiting
        for it in the report of the access before."""
        count, pause = 5000, 60000
        large = [(0x30000, 0x150000, f'{n}') for n in range(250)]

        def declare(tile):
            while not tile.read32(DONE):
                tile.buffer(0x30000, 16, 'other')

        loop = [rv.sw(T2, T0), *rv.li(T2, pause),
                rv.addi(T2, T2, -1), rv.branch(BNE, T2, 0, -WORD),
                rv.addi(T1, T1, -1)]
        loop.append(rv.branch(BNE, T1, 0, -WORD * len(loop)))
        found = self.found(rv.li(T0, OUT + 4) + rv.li(T1, count) + loop,
                           buffers=large + [(OUT, 6, 'out')], accel='multi',
                           meanwhile=declare)
        self.assertEqual([site['count'] for site in found], [count])

    def test_removed_after_an_access(self):
        """What was a buffer is none that an access can continue; the place is
        near another one, too."""
        near = ((OUT, SIZE, 'out'), (OUT + 2 * SIZE, 16, 'near'))
        program = (rv.li(T2, 1) + walk(OUT, 16) + poll(GO) +
                   [rv.sw(T2, T0)])

        def go(tile, remove):
            tile.wait_for_word(OUT + SIZE - WORD, 1)
            if remove:
                tile.remove_buffer('out')
            tile.write32(GO, 1)

        for remove, count in (False, 1), (True, 0):
            self.assertEqual(len(self.found(
                program, buffers=near, meanwhile=lambda tile: go(
                    tile, remove))), count)

    def test_moved_after_an_access(self):
        """Another buffer of that name, which may have the memory of the first
        in the emulator, begins soon after the place."""
        program = rv.li(T2, 1) + walk(OUT, 16) + poll(GO) + [rv.sw(T2, T0)]

        def go(tile, move):
            tile.wait_for_word(OUT + SIZE - WORD, 1)
            if move:
                tile.buffer(OUT + SIZE + 8, SIZE, 'out')
            tile.write32(GO, 1)

        for move, count in (False, 1), (True, 0):
            self.assertEqual(len(self.found(
                program, meanwhile=lambda tile: go(tile, move))), count)

    def test_far_away(self):
        self.assertEqual(self.found(walk(OUT + 256, 17)), [])


class Agents(Programs):
    """The NoC and TDMA, as a hart's orders."""

    def check_transfers(self, transfer, text):
        steps = [transfer(OUT + 16 * n) for n in range(5)]
        self.check_pair(sum(steps, []), sum(steps[:4], []), text)

    def test_the_noc_writes(self):
        self.check_transfers(lambda to: noc(NOC_WRITE, 0x1000, to),
                             f'the NoC writes 16 bytes at offset 0x40 of out '
                             f'{Harts.PAST}')

    def test_the_noc_reads(self):
        self.check_transfers(lambda at: noc(NOC_READ, at, 0x1000),
                             f'the NoC reads 16 bytes at offset 0x40 of out '
                             f'{Harts.PAST}')

    def test_tdma(self):
        self.check_transfers(tdma_store, f'TDMA writes 4 bytes at offset '
                             f'0x40 of out {Harts.PAST}')


class Dram(Programs):
    AT = 0x3000
    NAME = 'in (DRAM bank 0 0x3000, 64 bytes)'
    BUFFERS = ((dram_address(0, AT), SIZE, 'in'),)
    OTHER = (*BUFFERS, (dram_address(1, AT), 4 * SIZE, 'other'))

    def read(self, address, length=SIZE, bank=DRAM, niu=1):
        words = request(NIU[niu], READ, address, bank, 0x1000, OWN, length,
                        tag=3 << 10)
        return words + rv.li(T0, 1) + [rv.sw(T0, rv.A1, CMD)]

    def write(self, address, bank=DRAM):
        words = request(NIU[0], WRITE, 0x1000, OWN, address, bank, SIZE)
        return words + rv.li(T0, 1) + [rv.sw(T0, rv.A1, CMD)]

    def check(self, wrong, right, text, buffers=BUFFERS):
        self.check_pair(sum(wrong, []), sum(right, []), text, buffers=buffers)

    def test_reads(self):
        first = self.read(self.AT)
        for address, text in ((self.AT + SIZE, '0x40'), (self.AT - SIZE,
                                                         '-0x40')):
            where = 'past its end' if address > self.AT else \
                'before its start'
            self.check([first, self.read(address)], [first, first],
                       f'the NoC reads 64 bytes at offset {text} of '
                       f'{self.NAME}, {where}; NIU 1, transaction ID 3')

    def test_writes(self):
        first = self.write(self.AT)
        self.check([first, self.write(self.AT + SIZE)], [first],
                   f'the NoC writes 64 bytes at offset 0x40 of {self.NAME}, '
                   f'past its end; NIU 0, transaction ID 0')

    def test_runs_out(self):
        self.check([self.read(self.AT, 2 * SIZE)], [self.read(self.AT)],
                   f'the NoC reads 128 bytes at offset 0x0 of {self.NAME}, '
                   'the last 64 past its end; NIU 1, transaction ID 3')

    def test_banks_in_turn(self):
        """Each bank has its own sequence, and its own buffers."""
        turns = [self.read(self.AT), self.read(self.AT, bank=BANK_1),
                 self.read(self.AT + SIZE, bank=BANK_1)]
        self.check(turns + [self.read(self.AT + SIZE)], turns,
                   f'the NoC reads 64 bytes at offset 0x40 of {self.NAME}, '
                   'past its end; NIU 1, transaction ID 3',
                   buffers=self.OTHER)

    def test_any_port_of_a_bank(self):
        self.check([self.read(self.AT, 2 * SIZE, bank=DRAM + (1 << 6))],
                   [self.read(self.AT, bank=DRAM + (1 << 6))],
                   f'the NoC reads 128 bytes at offset 0x0 of {self.NAME}, '
                   'the last 64 past its end; NIU 1, transaction ID 3')

    def test_l1_is_another_memory(self):
        """At an address of L1 that a buffer of DRAM has."""
        self.assertEqual(self.found(
            walk(self.AT, 17), buffers=self.BUFFERS), [])
        self.assertEqual(self.found(
            self.read(self.AT, 2 * SIZE),
            buffers=((self.AT, SIZE, 'l1'),)), [])
        # in row 2, DRAM is bank 1
        self.assertEqual(self.found(
            self.read(self.AT, 2 * SIZE),
            buffers=((dram_address(1, 0x1000), SIZE, 'in'),)), [])
        self.assertEqual(len(self.found(store(OUT + 4, 1), buffers=(
            (OUT, 6, 'l1'), (dram_address(0, OUT), SIZE, 'in')))), 1)


class Declarations(unittest.TestCase):
    ROW = {'name': 'a', 'address': OUT, 'size': SIZE}

    def test_listed_replaced_removed(self):
        with Tile(machine='bounds=report', stopped=True) as tile:
            tile.buffer(0, 16, 'b')
            tile.buffer(OUT, 4, 'a')
            tile.buffer(OUT, SIZE, 'a')
            self.assertEqual(tile.qmp('query-tensix-buffers'), [
                {'name': 'b', 'address': 0, 'size': 16}, self.ROW])
            tile.remove_buffer('b')
            self.assertEqual(tile.qmp('query-tensix-buffers'), [self.ROW])
            with self.assertRaisesRegex(TileError, "no buffer 'b'"):
                tile.remove_buffer('b')

    def test_refused(self):
        with Tile(machine='bounds=report', stopped=True) as tile:
            for name, address, size in (('', 0, 4), ('a', 0, 0),
                                        ('a', 0x180000, 4), ('a', 4, 0x180000),
                                        ('a', 4, 2 ** 64 - 1)):
                with self.assertRaisesRegex(TileError, 'must have a name'):
                    tile.qmp('tensix-buffer', name=name, address=address,
                             size=size)
            for n in range(256):
                tile.buffer(16 * n, 16, f'{n}')
            with self.assertRaisesRegex(TileError, '256 buffers at most'):
                tile.buffer(0, 16, 'one more')
            tile.buffer(0, 16, '7')

    def test_in_dram(self):
        with Tile(machine='bounds=report', stopped=True) as tile:
            tile.buffer(dram_address(6, 64), SIZE, 'a')
            self.assertEqual(tile.qmp('query-tensix-buffers'), [
                {'name': 'a', 'address': 64, 'size': SIZE, 'bank': 6}])
            for bank in range(8):
                tile.buffer(dram_address(bank, 2 ** 32 - SIZE), SIZE, 'a')
            self.assertEqual(tile.qmp('query-tensix-buffers'), [
                {'name': 'a', 'address': 2 ** 32 - SIZE, 'size': SIZE,
                 'bank': 7}])
            for bank, address, size in ((8, 0, 4), (7, 2 ** 32, 4),
                                        (7, 4, 2 ** 32)):
                with self.assertRaisesRegex(TileError, 'must have a name'):
                    tile.qmp('tensix-buffer', name='b', address=address,
                             size=size, bank=bank)

    def test_pages_of_banks(self):
        self.assertEqual(page_ranges(2 * 2048), [(0, 2048), (1, 2048)])
        self.assertEqual(page_ranges(8 * 2048 + 1),
                         [(0, 4096), (1, 4096)] + [
                             (n, 2048) for n in range(2, 7)])

    def test_without_the_check(self):
        with Tile(stopped=True) as tile:
            tile.buffer(OUT, SIZE, 'out')
            with self.assertRaisesRegex(TileError, 'bounds=report'):
                tile.qmp('query-tensix-buffers')
            tile.qmp('object-add', **{'qom-type': 'tensix-bounds', 'id': 'b'})
            tile.buffer(OUT, SIZE, 'a')
            self.assertEqual(tile.qmp('query-tensix-buffers'), [self.ROW])
            tile.qmp('object-del', id='b')
            tile.qmp('object-add', **{'qom-type': 'tensix-bounds', 'id': 'b'})
            self.assertEqual(tile.qmp('query-tensix-buffers'), [])

    def test_of_several_tiles_the_first_has_them(self):
        with Tile(machine='tiles=2x1,bounds=report', stopped=True) as tile:
            tile.buffer(OUT, SIZE, 'out')
            for number, count in (0, 1), (1, 0):
                self.assertEqual(len(tile.qmp(
                    'query-tensix-buffers',
                    path=f'/machine/tile[{number}]')), count)
            tile.remove_buffer('out')


class Examples(unittest.TestCase):
    def run_example(self, name, *options):
        return script('run', os.path.join(ROOT, 'examples', name),
                      '--machine=bounds=report', *options, timeout=120)

    def test_none_leaves_its_buffers(self):
        for name in ('add', 'sfpu', 'softmax', 'sort', 'matmul', 'noc_copy',
                     'orders'):
            with self.subTest(name):
                run = self.run_example(name)
                self.assertEqual(run.returncode, 0, run.stderr)

    def test_declared_for_the_check_alone(self):
        """Without the check, scripts/run declares nothing."""
        code = ('import sys\n'
                'from blackhole_tile import run, machine\n'
                'qmp, seen = machine.Tile.qmp, []\n'
                'machine.Tile.qmp = lambda tile, command, **arguments: (\n'
                '    seen.append(command), qmp(tile, command, **arguments)'
                ')[1]\n'
                'run.main(sys.argv[1:])\n'
                'print(seen.count("tensix-buffer"))\n')
        for check, count in ('off', 0), ('report', 7):
            result = subprocess.run(
                [sys.executable, '-c', code,
                 os.path.join(ROOT, 'examples', 'add'),
                 f'--machine=bounds={check}'], capture_output=True, text=True,
                timeout=120, env={**os.environ, 'PYTHONPATH':
                                  os.path.join(ROOT, 'python')})
            self.assertEqual(result.stdout.split()[-1:], [str(count)],
                             result.stderr)

    def test_units_beyond_a_buffer(self):
        """A fifth tile of four: A is read and C written past the end."""
        run = self.run_example('add', '--word=l1:0x20000=5',
                               '--until=l1:0x20004=5')
        for text in (r'reads \d+ bytes at offset 0x2000 of --put=l1:0x40000 ',
                     r'writes \d+ bytes at offset 0x2000 of --\w+=l1:0x80000'):
            self.assertRegex(run.stdout + run.stderr, text)


if __name__ == '__main__':
    unittest.main()
