# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb steps over .ttinsn words, on one hart: with scripts/tile.gdb, and with
nothing but "target remote" and the machine's target description."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from blackhole_tile.elf import read_elf
from blackhole_tile.testing import ROOT, Tile
from test_gdb import GDB, SCRIPT, gdb_prints

HART = 'trisc1'
SHARED, TILES = 0x20000, 2
SPLIT = 'trisc1.c:53'                  # the first line of split()
SPLIT_LINES = ['53', '54', '55', '57', '60']
REVERSE = {'accel': 'icount', 'machine': 'rewind=on'}


def is_ttinsn(word):
    return word & 3 != 3


def like_a_compressed_branch(word):
    """Is its low half C.J, C.JAL, C.BEQZ, C.BNEZ, C.JR or C.JALR?"""
    quadrant, funct3 = word & 3, word >> 13 & 7
    if quadrant == 1:
        return funct3 in (1, 5, 6, 7)
    return quadrant == 2 and funct3 == 4 and not word >> 2 & 0x1F and \
        bool(word >> 7 & 0x1F)


def words_of(path):
    """(address, word) of the code."""
    address, data = read_elf(path).segments[0]
    for at in range(0, len(data) - 3, 4):
        yield address + at, int.from_bytes(data[at:at + 4], 'little')


def pcs(text):
    return [int(pc, 16) for pc in re.findall(r'^pc=(\w+)$', text, re.M)]


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Sfpu(unittest.TestCase):
    """An example, and gdb attached to TRISC1 of it."""
    tiles, example = TILES, 'sfpu_words'

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix='step-')
        subprocess.run(['make', '-s', '-C',
                        os.path.join(ROOT, 'examples', cls.example),
                        f'O={cls.folder}', f'BLACKHOLE_TILE={ROOT}'],
                       check=True, stdout=subprocess.DEVNULL)
        cls.images = {hart: os.path.join(cls.folder, hart + '.elf')
                      for hart in ('brisc', 'trisc0', 'trisc1', 'trisc2')}
        cls.words = [at for at, word in words_of(cls.images[HART])
                     if is_ttinsn(word) and like_a_compressed_branch(word)]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def script(self, commands):
        path = os.path.join(self.folder, 'commands.gdb')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(['set width 0', 'set pagination off',
                                  *commands]))
        return path

    def gdb(self, arguments, commands, **env):
        return gdb_prints(*arguments, '-x', self.script(commands), **env)

    def by_script(self, commands, harts=HART, **options):
        """What gdb prints that scripts/tile.gdb attaches to `harts`."""
        with Tile(images=self.images, words={SHARED: self.tiles}, stopped=True,
                  gdb=True, **options) as tile:
            return self.gdb(['-x', SCRIPT], commands, TILE_HARTS=harts,
                            TILE_GDB=tile.gdb_socket)

    def plain(self, commands, **options):
        """What a gdb prints that knows the ELF and the socket only."""
        socket = os.path.join(self.folder, 'socket')
        with Tile(images=self.images, words={SHARED: self.tiles}, stopped=True,
                  gdb=f'unix:{socket},server=on,wait=off,hart={HART}',
                  **options):
            return self.gdb([self.images[HART], '-ex',
                             f'target remote {socket}'], commands)


class Cpp(Sfpu):
    """Lines of a kernel in C++"""
    example = 'sfpu'

    def test_next(self):
        """from line to line of trisc1.cpp, none of a header between them"""
        with open(os.path.join(ROOT, 'examples', self.example, 'trisc1.cpp'),
                  encoding='utf-8') as file:
            lines = file.read().split('\n')
        wanted = [f'{number}\t{text}' for number, text in enumerate(lines, 1)
                  if re.match(r'    (vFloat|y =|v_if|    y =|.*v_endif|dst_)',
                              text)]
        text = self.by_script(['break sigmoid', 'continue', *['next'] * 12])
        found = re.findall(r'^\d+\t.*', text, re.M)
        self.assertEqual(found[:len(wanted)], wanted, text)
        self.assertNotRegex(text, r'[.]hpp')


class Step(Sfpu):
    def check_each_word(self, attach, back=False, **options):
        """stepi from each of the words leads to the next one."""
        self.assertGreater(len(self.words), 5)
        commands, wanted = [], []
        for at in self.words:
            commands += [f'tbreak *{at:#x}', 'continue',
                         *['printf "pc=%x\\n", $pc', 'stepi'] * 2,
                         'printf "pc=%x\\n", $pc']
            wanted += [at, at + 4, at + 8]
            if back:
                commands += ['reverse-stepi', 'printf "pc=%x\\n", $pc'] * 2
                wanted += [at + 4, at]
        text = attach(commands, **options)
        self.assertEqual(pcs(text), wanted, text)

    def check_lines(self, attach):
        """next goes from line to line of the user's file."""
        text = attach([f'break {SPLIT}', 'continue',
                       *['next'] * (len(SPLIT_LINES) - 1)])
        lines = re.findall(r'^(\d+)\t', text, re.M)
        self.assertEqual(lines, SPLIT_LINES, text)
        self.assertNotRegex(text, r'insn\.h|insn_table')

    def test_stepi_with_the_script(self):
        self.check_each_word(self.by_script)

    def test_stepi_with_the_target_description_alone(self):
        self.check_each_word(self.plain)

    def test_stepi_and_back(self):
        self.check_each_word(self.by_script, back=True, **REVERSE)

    def test_stepi_and_back_with_the_target_description_alone(self):
        self.check_each_word(self.plain, back=True, **REVERSE)

    def test_next_with_the_script(self):
        self.check_lines(self.by_script)

    def test_next_with_the_target_description_alone(self):
        self.check_lines(self.plain)

    def test_one_hart(self):
        """It stops in its main(); the others have run meanwhile."""
        for attach in (self.by_script, self.plain):
            text = attach(['break main', 'continue', 'info inferiors',
                           f'x/wx {SHARED + 4:#x}', 'delete',
                           f'tbreak {SPLIT}', 'continue', 'detach'])
            self.assertEqual(len(re.findall(r'^[* ] +\d ', text, re.M)), 1,
                             text)
            self.assertRegex(text, r'Breakpoint 1, (\w+ \(.*\) at .*\n.*)?main')
            self.assertRegex(text, r'split \(\) at ')

    def test_an_elf_that_is_known_by_its_symbols(self):
        """Of a program that a host loads: at the ELF's own addresses only."""
        path = self.images[HART]
        with Tile(stopped=True, gdb=True) as tile:
            for name, offset in ((path, 0x20), (path, 0), (path, 0x40)):
                tile.name_symbols(HART, name, offset)
            text = self.gdb(['-x', SCRIPT], ['info line split'],
                            TILE_HARTS=HART, TILE_GDB=tile.gdb_socket)
        self.assertRegex(text, rf'(?m)^\d\.1 {HART} {re.escape(path)}$')
        self.assertIn('of "trisc1.c" starts at', text)

    def test_two_harts(self):
        text = self.by_script(['info inferiors', 'break end_pack_half',
                               'continue', 'info threads'],
                              harts='trisc2,brisc')
        self.assertRegex(text, r'1\.1 brisc .*brisc\.elf')
        self.assertRegex(text, r'2\.1 trisc2 .*trisc2\.elf')
        self.assertRegex(text, r'(?m)^\* 2\.1 .*trisc2')

    def test_wrong_names(self):
        self.assertIn('TILE_HARTS: no hart trisc9',
                      self.by_script([], harts='trisc9'))
        with self.assertRaisesRegex(Exception,
                                    'hart=trisc9: this machine has no CPU'):
            Tile(images=self.images, gdb='tcp::0,hart=trisc9').close()


if __name__ == '__main__':
    unittest.main()
