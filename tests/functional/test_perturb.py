# SPDX-License-Identifier: GPL-2.0-or-later
"""Delays: scripts/perturb, scripts/run --delay and --prove, tensix-perturb."""

import os
import re
import shutil
import sys
import tempfile
import unittest
import xml.dom.minidom

from blackhole_tile import TileError
from blackhole_tile.delays import OBJECT
from blackhole_tile.perturb import ranges_text
from blackhole_tile.testing import ROOT, Tile, script

TILE_H = os.path.join('include', 'blackhole-tile', 'tile.h')
# the part of a function of tile.h that is left out; what then races
EARLY_CLEAR = ('static inline void end_pack_half',
               r'    TTINSN\(STALLWAIT.*?UNTIL_PACKED.*?\);\n')
NO_GET = ('static inline void end_pack_half', r'    TTINSN\(SEMGET.*?;\n')
STORE_NOT_AWAITED = ('static inline void point_unpackers',
                     r'    TTINSN\(STALLWAIT.*?UNTIL_CFG_STORED.*?\);\n')
ADDRESS_IN_FLIGHT = ('static inline void point_unpackers',
                     r'    wait_coprocessor\(\);\n')
COMMAND = re.compile(r': (scripts/run .*)$', re.M)
SUM = re.compile(r'perturb: (\d+) of (\d+) delays change .*; (\d+) variants')
TAIL = 4000
MOST = 0xFFFFFFFF


def tool(name, *words):
    """Runs scripts/NAME; (status, what it prints)."""
    done = script(name, *words, cwd=ROOT, merged=True)
    return done.returncode, done.stdout[-TAIL:]


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def planted(self, error, instead=''):
        """examples/add with its own tile.h, which lacks something."""
        function, part = error
        folder = os.path.join(self.folder, f'add{len(instead)}')
        shutil.copytree(os.path.join(ROOT, 'examples', 'add'), folder)
        with open(os.path.join(ROOT, TILE_H), encoding='utf-8') as file:
            text = file.read()
        at = text.index(function)
        left, count = re.subn(part, instead, text[at:], count=1, flags=re.S)
        self.assertEqual(count, 1)
        own = os.path.join(folder, 'blackhole-tile')
        os.mkdir(own)
        with open(os.path.join(own, 'tile.h'), 'w', encoding='utf-8') as file:
            file.write(text[:at] + left)
        return folder

    def test_correct(self):
        status, text = tool('perturb', 'examples/add', '--delays', '0:12')
        self.assertEqual(status, 0, text)
        failing, delays, variants = map(int, SUM.search(text).groups())
        self.assertEqual(failing, 0)
        self.assertGreater(delays, 40)
        self.assertEqual(variants, 13 * delays)

    def test_bands(self):
        """Right in the usual order; the same bands in each run."""
        folder = self.planted(ADDRESS_IN_FLIGHT)
        words = (folder, '--site', 'sync', '--what', 'thread')
        picture = os.path.join(self.folder, 'bands.svg')
        status, text = tool('perturb', *words, '--svg', picture)
        self.assertEqual(status, 5, text)
        found = re.search(r'trisc0 trisc0.c:\d+ stallwait: thread  (\.+x+)\n  '
                          r'the result differs \(\d+ bytes\) at delays (\d+) '
                          r'to 100', text)
        self.assertTrue(found, text)
        self.assertGreater(int(found[2]), 2)
        again = tool('perturb', *words, '--jobs', '1')[1]
        self.assertEqual(COMMAND.findall(text), COMMAND.findall(again))
        xml.dom.minidom.parse(picture)
        self.reproduced(text, int(found[2]))

    def reproduced(self, text, first):
        """The printed command shows it, and one cycle less does not."""
        words = COMMAND.search(text)[1].split()[1:]
        status, output = tool('run', *words)
        self.assertEqual(status, 5, output)
        left, cycles = words[-1].rsplit('=', 1)
        self.assertEqual(int(cycles), first)
        result = [tool('run', *words[:-1], f'{left}={first - 1}')
                  for _ in range(2)]
        base = tool('run', *words[:-1], f'{left}=0')
        self.assertEqual([r[0] for r in result], [base[0]] * 2)

    def test_late_store(self):
        """Right in each order of threads, but not where the unpackers find
        the addresses of the tile before."""
        folder = self.planted(STORE_NOT_AWAITED)
        words = ('--what', 'store', '--delays', '0:20')
        with open(os.path.join(ROOT, TILE_H), encoding='utf-8') as file:
            line = [n for n, text in enumerate(file, 1)
                    if 'CFG[CFG_THCON_SEC0_REG3_Base_address_WORD]' in text]
        site = ('--site', f'tile.h:{line[-1]}')
        status, text = tool('perturb', folder, *words, *site)
        self.assertEqual(status, 5, text)
        self.assertRegex(text, r'trisc0 trisc0.c:\d+ store: store  \.+x+\n')
        self.reproduced(text, int(COMMAND.search(text)[1].rpartition('=')[2]))
        read_back = self.planted(STORE_NOT_AWAITED, '    (void)CFG[0];\n')
        status, text = tool('perturb', read_back, *words, *site)
        self.assertEqual(status, 0, text)
        # so late that a store of BRISC's would miss the TRISCs' start
        status, text = tool('perturb', 'examples/add', '--what', 'store',
                            '--delays', '1496:1500')
        self.assertEqual(status, 0, text)
        self.assertGreater(int(SUM.search(text)[3]), 40, text)

    def test_deadlock(self):
        """A get that is missing lets the third tile wait for good."""
        status, text = tool('perturb', self.planted(NO_GET))
        self.assertEqual(status, 6, text)
        self.assertIn('without a delay it ends with a deadlock', text)

    def test_prove(self):
        status, text = tool('run', self.planted(EARLY_CLEAR), '--prove',
                            '--quiet')
        self.assertEqual(status, 3, text)
        self.assertRegex(text, r'races 1 and 2, trisc2@0x\w+ and trisc2@0x\w+: '
                               r'proved'
                               r'\n  trisc2 trisc2.c:\d+ pacr: packer  x')

    def test_prove_a_loop(self):
        """Races whose delays have the same names are one proof."""
        clear = 'PUSH_OWN = TT(ZEROACC, .clear_mode = ZEROACC_HALF);'
        folder = self.planted(EARLY_CLEAR, f'{clear * 2}\n')
        status, text = tool('run', folder, '--prove', '--quiet')
        self.assertIn(status, (3, 5), text)
        self.assertRegex(text, r'races 1 and 2, trisc2@0x\w+ and trisc2@0x\w+ '
                               r'\(and 1 more\): proved\n'
                               r'  trisc2 trisc2.c:\d+ pacr: packer  x')
        self.assertEqual(text.count(' pacr: packer '), 1, text)
        self.assertEqual(ranges_text([1, 2, 3, 5]), '1 to 3 and 5')

    def prepared(self, text):
        """examples/add, whose word a file of Python stores."""
        folder = os.path.join(self.folder, 'prepared')
        shutil.copytree(os.path.join(ROOT, 'examples', 'add'), folder)
        for name, change in (
                ('run.args', lambda old: re.sub(
                    '--word.*', '--prepare=words.py', old)),
                ('words.py', lambda _: text)):
            path = os.path.join(folder, name)
            with open(path, 'a+', encoding='utf-8') as file:
                file.seek(0)
                new = change(file.read())
                file.truncate(0)
                file.write(new)
        return folder

    def test_prepare(self):
        folder = self.prepared('tile.write32(0x20000, 4)\n')
        status, text = tool('run', folder)
        self.assertEqual(status, 0, text)
        status, text = tool('perturb', folder, '--site', 'sync', '--what',
                            'thread', '--delays', '0:3')
        self.assertEqual(status, 0, text)
        self.assertGreater(int(SUM.search(text)[3]), 4)

    def test_prepare_fails(self):
        status, text = tool('run', self.prepared('\n1 / 0\n'))
        self.assertEqual(status, 1, text)
        self.assertRegex(text, r'--prepare=\S+words.py: line 2: '
                               'ZeroDivisionError')
        status, text = tool('run', 'examples/add', '--prepare=none.py')
        self.assertEqual(status, 1, text)
        self.assertIn('--prepare=none.py: there is no such file', text)

    def test_wrong_use(self):
        for words, wanted in (
                (('--delay=trisc1:thread=1',), 'not of the form HART@0xPC'),
                (('--delay=trisc1@0x4:unit=1',), 'no unit can be delayed'),
                (('--delay=trisc1@0x4:thread=1', '--check'), 'a variant'),
                (('--prove', '--machine=tiles=2x1'), 'tiles=2x1: delays')):
            status, text = tool('run', 'examples/add', *words)
            self.assertEqual((status, wanted in text), (1, True), text)
        for words, wanted in (
                (('--delays', '5:2'), 'is not FIRST:LAST'),
                (('--site', 'nowhere.c:1'), 'no instruction is issued at'),
                (('--machine=writers=on,tiles=1x2',), 'tiles=1x2: delays'),
                (('--until=exit',), 'after an exit')):
            status, text = tool('perturb', 'examples/add', *words)
            self.assertEqual((status, wanted in text), (1, True), text)


class Object(unittest.TestCase):
    DELAY = {'hart': 'trisc1', 'pc': 0, 'what': 'thread', 'first': 0,
             'last': 0}

    def refused(self, wanted, tile, **arguments):
        with self.assertRaisesRegex(TileError, wanted):
            tile.qmp('tensix-perturb', **arguments)

    def test_refused(self):
        with Tile(accel='icount', stopped=True, extra=OBJECT) as tile:
            self.refused('delays: none is given', tile, delays=[])
            self.refused('seeds: none is given', tile, seeds=[])
            self.refused('the first, 2, is above the last, 1', tile,
                         seeds=[{'first': 2, 'last': 1}])
            self.refused('delays and seeds exclude each other', tile,
                         delays=[self.DELAY], seeds=[{'first': 1, 'last': 1}])
            self.refused('ranges of cycles', tile,
                         delays=[{**self.DELAY, 'first': 1}])
            self.refused('ranges of cycles', tile,
                         delays=[{**self.DELAY, 'last': 100001}])
            self.refused('at most', tile, delays=[self.DELAY],
                         results=[{'address': 0, 'size': 1 << 40}])
            with self.assertRaisesRegex(TileError, 'exclude each other'):
                tile.qmp('object-add', **{'qom-type': 'tensix-rewind',
                                          'id': 'r'})
            with self.assertRaisesRegex(TileError, 'can not be deleted'):
                tile.qmp('object-del', id='perturb')
            tile.cont()
            self.refused('stop it first', tile, delays=[self.DELAY])
            tile.stop()
            tile.qmp('tensix-perturb', seeds=[{'first': 0, 'last': MOST}])
            self.assertEqual(tile.qmp('query-tensix-perturb')['left'], MOST)
        with Tile(stopped=True) as tile:
            self.refused('there is no object', tile, delays=[self.DELAY])
            with self.assertRaisesRegex(TileError, 'needs -icount'):
                tile.qmp('object-add', **{'qom-type': 'tensix-perturb',
                                          'id': 'p'})


if __name__ == '__main__':
    sys.exit(unittest.main())
