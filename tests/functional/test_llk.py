# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/llk.rst, as far as this repository alone can: its options, its plug-in,
its verdict. tt-llk itself is not here; the page says what was run with it."""

import ast
import os
import re
import subprocess
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile import SOFT_RESET, tt
from blackhole_tile.testing import BUILD, ROOT
from test_library import ALL_HELD
from test_tutorial import blocks
from tile_library import Chip, Options, Output, wait_until

PAGE = os.path.join(ROOT, 'docs', 'llk.rst')
SCRIPT = os.path.join(ROOT, 'scripts', 'tile.gdb')
ELF = os.path.join(BUILD, 'examples', 'sfpu', 'trisc1.elf')
TRISC2, TRISC2_RESET_PC = 1 << 14, 0xE000
MATH_PACK = 1 << 1
ANY = 0x1FF
# TRISC2 waits for MATH_PACK, whose maximum is 2
WAITS = [tt('SEMINIT', max_value=2, sem_sel=MATH_PACK),
         tt('SEMWAIT', stall_res=ANY, sem_sel=MATH_PACK, wait_sem_cond=1),
         *[tt('NOP')] * 40]


def text_of(language, *words):
    """The one block of the page in this language that has these words."""
    found, = [text for name, text in blocks(PAGE) if name == language and
              all(word in text for word in words)]
    return found


def options(folder, *words):
    """The library's variables as that block of bash sets them."""
    lines = [line for line in text_of('bash', *words).splitlines()
             if line.startswith(('export', 'symbols'))]
    shell = '\n'.join([f'elf={folder} build={folder} HOME={folder}',
                       f'symbols={symbols(folder)}', *lines, 'env -0'])
    env = subprocess.run(['bash', '-c', shell], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return dict(entry.split('=', 1) for entry in env.split('\0')
                if entry.startswith('BLACKHOLE_TILE_'))


def symbols(folder):
    """Those of the page, of which one is an ELF of ours."""
    for name in ('shared/elf/brisc', 'unpack', 'math', 'pack'):
        path = os.path.join(folder, name + '.elf')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            os.symlink(ELF, path)
    return f'trisc1-symbols={folder}/math.elf'


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        os.mkdir(os.path.join(self.folder, '.tile'))

    def test_the_plug_in_is_python(self):
        ast.parse(text_of('python'))

    def test_the_variables_are_the_librarys(self):
        with open(PAGE, encoding='utf-8') as file:
            named = set(re.findall(r'BLACKHOLE_TILE_\w+', file.read()))
        known = subprocess.run(
            ['strings', os.path.join(BUILD, 'libblackhole-tile.so')],
            check=True, text=True, stdout=subprocess.PIPE).stdout.split()
        self.assertEqual(len(named), 3)
        self.assertLessEqual(named, set(known))

    def test_the_verdict(self):
        """What the page quotes, but for names of tt-llk's functions."""
        variables = options(self.folder, 'on-deadlock=exit')
        self.assertEqual(variables['BLACKHOLE_TILE_ON_ERROR'], 'exit')
        variables['BLACKHOLE_TILE_ON_ERROR'] = None   # would end this process
        with Options(**variables), Output() as output, Chip() as chip:
            chip.write(TRISC2_RESET_PC, rv.code([*map(rv.ttinsn, WAITS)]))
            chip.write32(SOFT_RESET, ALL_HELD & ~TRISC2)
            wait_until(lambda: chip.clock(64) or output.errors())
        quoted = text_of('text', 'tensix: deadlock').splitlines()
        self.assertRegex(quoted[1], r'^\[\d+\] ERROR: SystemError: '
                         r'libttsim_clock: the emulator \(process \d+\) '
                         r'ended with status 4$')
        self.assertRegex(output.stdout(), re.sub(r'\d{3,}', r'\\d+',
                                                 re.escape(quoted[1])))
        pattern = '\n'.join(map(re.escape, quoted[2:5]))
        self.assertRegex(output.stderr(), re.sub(r'in\\ _llk_\S*,\\ \S+cpp:138',
                                                 r'at pc 0x\\w+', pattern))

    def test_gdb_finds_the_elf(self):
        variables = options(self.folder, '-gdb unix:')
        with Options(**variables), Chip():
            gdb = subprocess.run(
                ['gdb-multiarch', '-nx', '-batch', '-x', SCRIPT],
                env=dict(os.environ, TILE_HARTS='trisc1',
                         TILE_GDB=f'{self.folder}/.tile/gdb'),
                timeout=60, check=False, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertIn(f'trisc1 {self.folder}/math.elf', gdb.stdout)
