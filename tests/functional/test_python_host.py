# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of the package: its accesses, its waits, its errors."""

import gc
import os
import re
import textwrap
import time
import unittest
import warnings
from unittest import mock

import blackhole_tile
import rv_asm as rv
from blackhole_tile import (APERTURE, APERTURE_SIZE, L1_SIZE, AddressError,
                            StartError, TileDeadlock, TileError, TileTimeout,
                            hart_view, machine, program)
from blackhole_tile.attach import Attached
from blackhole_tile.testing import ROOT, Tile
from rv_asm import A0, A1
from test_board import Folder
from test_deadlock import MAIL_T0, MAIL_T1, load

RESULT = 0x100000
SOON = 3.0                           # a deadlock is reported by then
LONG = 60.0                          # a wait that is not to run out


class Examples(unittest.TestCase):
    """Of the docstrings, run as a reader does: in the root of the tree."""

    @classmethod
    def setUpClass(cls):
        program.build(os.path.join(ROOT, 'examples', 'add'))

    def run_example(self, module):
        blocks = re.findall(r'\n\n((?:    .*\n|\n)+)', module.__doc__)
        text = textwrap.dedent(blocks[0])
        self.assertIn('Tile(', text)
        text = text.replace("'build/", f"'{machine.BUILD}/")
        names = dict(vars(blackhole_tile))
        exec(text, names)            # pylint: disable=exec-used
        return names

    def test_of_the_package(self):
        names = self.run_example(blackhole_tile)
        self.assertEqual(names['dest'].shape, (1024, 16))

    def test_of_the_machine(self):
        self.run_example(machine)


class Accesses(Folder):
    def test_where_nothing_is(self):
        tile = self.tile(stopped=True)
        for address, size in (
                (-4, 4), (L1_SIZE, 4), (L1_SIZE - 2, 4), (0x10000000, 4),
                (hart_view('trisc1', L1_SIZE), 4), (7 << 32, 4),
                (APERTURE + APERTURE_SIZE, 4), (APERTURE - 4, 4), (1 << 47, 4),
                (1 << 49, 4), (1 << 64, 4), (0xFFFFFFFE, 4)):
            for access in (tile.read32, lambda at: tile.read(at, 4),
                           lambda at: tile.write32(at, 5),
                           lambda at: tile.write(at, bytes(4))):
                with self.subTest(f'{address:#x}'), \
                        self.assertRaises(AddressError) as caught:
                    access(address)
                self.assertIn(f'{size} bytes at {address:#x}:',
                              str(caught.exception))
                self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaises(AddressError):
            tile.read(L1_SIZE - 16, 17)
        with self.assertRaises(AddressError):
            tile.read(0, -1)
        with self.assertRaises(AddressError):
            tile.read8(L1_SIZE)
        with self.assertRaises(AddressError):
            tile.write8(L1_SIZE, 0)
        self.assertEqual(tile.output(), '')

    def test_where_something_is(self):
        tile = self.tile(stopped=True)
        for address in (0, L1_SIZE - 4, hart_view('trisc2', L1_SIZE - 4),
                        0xFFB00000, hart_view('ncrisc', 0xFFB00000), 6 << 32,
                        APERTURE + APERTURE_SIZE - 4,
                        blackhole_tile.dram_address(7, 0xFFFFFFC)):
            tile.write32(address, 0)
            self.assertEqual(tile.read32(address), 0)

    def test_attached(self):
        path = os.path.join(self.folder, 'qmp')
        with Tile(extra=['-qmp', f'unix:{path},server=on,wait=off']) as own, \
                Attached(path) as tile:
            self.assertEqual((tile.violations(), tile.unfinished()), ([], []))
            own.qtest(f'writel {L1_SIZE:#x} 5')
            self.assertEqual(tile.violations(), own.violations())
            with self.assertRaises(AddressError):
                tile.read32(L1_SIZE)
            self.assertEqual(repr(tile), f'<Attached: running, {path}>')
        self.assertEqual(repr(tile), f'<Attached: ended or closed, {path}>')

    def test_the_machine_names_the_host(self):
        """Not a hart: here none runs, and then BRISC in a loop."""
        for words in ([rv.EBREAK], [0x6F]):
            path = self.elf('b.elf', {0x1000: words}, 0x1000)
            tile = self.tile(images={'brisc': path})
            tile.qtest(f'writel {L1_SIZE:#x} 5')
            tile.qtest(f'readl {hart_view("trisc1", 0xFFB11080):#x}')
            tile.qtest(f'readl {hart_view("trisc0", 0xFFE40000):#x}')
            tile.qtest('readb 0xffe90000')
            text = '\n'.join(line for _, line in tile.violations())
            self.assertIn('host, as brisc: store of 0x5 (4 bytes) to '
                          '0x00180000, where nothing is', text)
            self.assertIn('host, as trisc1: ', text)
            self.assertIn('host, as trisc0: load from an instruction push '
                          'window', text)
            self.assertNotIn('pc 0x', text)
            self.assertEqual({site.hart for site in
                              tile.state.violations().sites}, {'none'})

    def test_a_hart_is_still_named(self):
        path = self.elf('b.elf', {0x1000: load(0x200000) + rv.HALT}, 0x1000)
        tile = self.tile(images={'brisc': path})
        tile.wait_for(lambda tile: tile.violations(), SOON)
        self.assertRegex(tile.violations()[0][1],
                         r'BRISC at pc 0x00001\w+: .*load of 4 bytes')

    def test_the_coprocessor_is_not_the_host(self):
        """STOREREG to a register that does not exist."""
        tile = self.tile(stopped=True)
        tile.push(0, blackhole_tile.tt('STOREREG', RegAddr=0x3FFFF))
        tile.cont()
        tile.wait_for(lambda tile: tile.violations(), SOON)
        self.assertNotIn('host', tile.output())


class Deadlocks(Folder):
    """A mailbox that no hart fills; a wait that must not run out."""

    def deadlocked(self, **options):
        programs = {'trisc0': load(MAIL_T1) + [
            *rv.li(A1, RESULT), rv.sw(A0, A1), *rv.HALT]}
        return self.tile(images={
            hart: self.elf(f'{hart}.elf', {0x1000 * n: words}, 0x1000 * n)
            for n, (hart, words) in enumerate(programs.items(), 8)},
            **options)

    def check(self, wait):
        start = time.monotonic()
        with self.assertRaises(TileDeadlock) as caught:
            wait()
        self.assertLess(time.monotonic() - start, SOON)
        error = caught.exception
        self.assertIsInstance(error, TileTimeout)
        self.assertEqual(str(error).count('tensix: deadlock: '), 1)
        self.assertEqual(str(error).count(f'deadlock: {error.summary[0]}\n'), 1)
        self.assertNotIn('waits for: mail from trisc1', str(error))
        self.assertIn('mail from trisc1', error.why)
        self.assertTrue(error.summary)
        self.assertIn('mail from trisc1', error._repr_html_())

    def test_waits_end(self):
        for accel in ('single', 'multi', 'icount'):
            tile = self.deadlocked(accel=accel)
            with self.subTest(accel):
                self.check(lambda: tile.wait_for_word(RESULT, 1, LONG))
                # it has been reported, and nothing has been done since
                self.check(lambda: tile.wait_for(
                    lambda tile: tile.read32(RESULT), LONG))
                self.check(lambda: tile.wait_for_exit(LONG))
                self.assertEqual(tile.quit(), 0)

    def test_time_out_says_it_once(self):
        tile = self.deadlocked()
        self.check(lambda: tile.wait_for_exit(LONG))
        tile.others_act = True       # as with gdb
        with self.assertRaises(TileTimeout) as caught:
            tile.wait_for_word(RESULT, 1, 0.2)
        self.assertNotIsInstance(caught.exception, TileDeadlock)
        text = str(caught.exception)
        self.assertEqual(text.count('tensix: deadlock: '), 1)
        self.assertNotIn('info tensix why details', text)

    def test_a_host_ends_it(self):
        """What has been reported before says nothing of what comes."""
        for accel in ('single', 'multi'):
            tile = self.deadlocked(accel=accel)
            with self.subTest(accel):
                self.check(lambda: tile.wait_for_word(RESULT, 9, LONG))
                tile.write32(0x30000, 1)     # it could have been that
                with self.assertRaises(TileTimeout) as caught:
                    tile.wait_for_word(RESULT, 9, 0.3)
                self.assertNotIsInstance(caught.exception, TileDeadlock)
                tile.write32(hart_view('trisc1', MAIL_T0), 9)
                tile.wait_for_word(RESULT, 9, LONG)

    def test_condition_that_a_deadlock_fulfils(self):
        tile = self.deadlocked()
        tile.wait_for(lambda tile: 'deadlock' in tile.output(), LONG)

    def test_on_deadlock(self):
        tile = self.deadlocked(machine='on-deadlock=exit')
        self.assertEqual(tile.wait_for_exit(LONG), 4)
        tile = self.deadlocked(machine='on-deadlock=stop')
        self.check(lambda: tile.wait_for_word(RESULT, 1, LONG))
        self.assertEqual(tile.status(), 'debug')

    def test_with_gdb_a_wait_continues(self):
        tile = self.deadlocked(gdb=True)
        with self.assertRaises(TileTimeout) as caught:
            tile.wait_for_word(RESULT, 1, 1)
        self.assertNotIsInstance(caught.exception, TileDeadlock)


class Starts(Folder):
    def test_accelerator(self):
        with self.assertRaisesRegex(
                ValueError, "accel='kvm'.*single multi icount"):
            Tile(accel='kvm')

    def test_nothing_stays_open(self):
        bad = self.file('bad.elf', b'no ELF')
        with warnings.catch_warnings(record=True) as seen, \
                mock.patch('tempfile.tempdir', self.folder):
            warnings.simplefilter('always')
            for options, error in (
                    ({'images': {'brisc': bad}}, StartError),
                    ({'images': {'brisc': 5}}, AttributeError),
                    ({'machine': 'frobnicate=on'}, StartError),
                    ({'accel': 'kvm'}, ValueError)):
                with self.subTest(options), self.assertRaises(error):
                    Tile(**options)
            with self.subTest('emulator'), self.assertRaises(StartError):
                machine.Tile(qemu='/nowhere/qemu')
            gc.collect()
        self.assertEqual([str(warning.message) for warning in seen], [])
        self.assertEqual(os.listdir(self.folder), ['bad.elf'])


class Text(Folder):
    def test_repr(self):
        path = self.elf('b.elf', {0x1000: rv.HALT}, 0x1000)
        with Tile(images={'brisc': path}, stopped=True) as tile:
            self.assertEqual(repr(tile), f'<Tile: prelaunch, brisc {path}>')
            tile.go()
            self.assertEqual(repr(tile), f'<Tile: running, brisc {path}>')
            self.assertEqual(tile.quit(), 0)
            self.assertIn('ended with status 0', repr(tile))
        self.assertEqual(repr(tile), f'<Tile: closed, brisc {path}>')
        with Tile(stopped=True) as tile:
            self.assertIn('no program', repr(tile))


if __name__ == '__main__':
    unittest.main()
