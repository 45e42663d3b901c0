# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/tutorial.rst and docs/firmware.rst, from the first command to the last
one; README's kernel.

In these pages a block of sh is a list of commands, of which "# status N" says
what they end with if not 0; a block of text is what the block before it prints,
with ... for any text.
"""

import os
import re
import struct
import subprocess
import tempfile
import textwrap
import time
import unittest

import numpy
from blackhole_tile.testing import BUILD, ROOT

TUTORIAL, FIRMWARE = (os.path.join(ROOT, 'docs', f'{name}.rst')
                      for name in ('tutorial', 'firmware'))
README = os.path.join(ROOT, 'README.md')
# What of the clone its commands use, and where all that they make belongs
CLONE = ('docs', 'examples', 'hw', 'include', 'python', 'runtime', 'scripts')
KERNELS = 'my-kernels'
SECONDS = 120
BLOCK = re.compile(r'^\.\. code-block:: (\w+)\n\n((?:    .*\n|\n)+)', re.M)
PNG = b'\x89PNG\r\n\x1a\n'


def text_of_page(page=TUTORIAL):
    with open(page, encoding='utf-8') as file:
        return file.read()


def blocks(page):
    """[(language, text)]"""
    return [(language, textwrap.dedent(text).strip('\n') + '\n')
            for language, text in BLOCK.findall(text_of_page(page))]


def commands(text):
    """[(command, status)] of a block of sh."""
    lines = re.sub(r'\\\n', '\\\\\0', text).splitlines()
    for line in lines:
        line, _, status = line.replace('\\\0', '\\\n').partition('# status ')
        yield line.rstrip(), int(status or 0)


def pattern(text):
    """Of lines that follow each other; ... is anything."""
    lines = [re.escape(line).replace(r'\.\.\.', '.*')
             for line in text.splitlines()]
    return '\n'.join(lines).replace('\n.*\n', r'\n(?:.*\n)*?')


def files_of_the_tree():
    """{path: (size, time of the last change)} in the folders of CLONE."""
    found = {}
    for name in CLONE:
        for folder, folders, names in os.walk(os.path.join(ROOT, name)):
            folders[:] = [name for name in folders if name != '__pycache__']
            for path in (os.path.join(folder, name) for name in names):
                status = os.stat(path)
                found[path] = status.st_size, status.st_mtime_ns
    return found


class Clone(unittest.TestCase):
    """A folder like a clone in which scripts/setup has run."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.folder = self.cwd = folder
        for name in CLONE:
            os.symlink(os.path.join(ROOT, name),
                       os.path.join(self.folder, name))

    def path(self, name):
        """NAME as a command finds it."""
        return os.path.join(self.cwd, name)

    def run_commands(self, text):
        """What they print; the log has each with its seconds."""
        printed = ''
        for command, status in commands(text):
            if command.startswith('cd '):
                self.cwd = self.path(command[3:])
                continue
            start = time.monotonic()
            done = subprocess.run(
                ['bash', '-c', command], cwd=self.cwd, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                env=dict(os.environ, TENSIX_BUILD=BUILD))
            self.assertEqual(done.returncode, status,
                             f'{command}\n{done.stdout}')
            print(f'\n{time.monotonic() - start:7.1f} s  '
                  f'{command.splitlines()[0]}', end=' ', flush=True)
            printed += done.stdout
        return printed


class Pages(Clone):
    def run_page(self, page):
        """Its blocks, one after the other; how often scripts/run was run."""
        printed, count, before = '', 0, files_of_the_tree()
        self.assertEqual(len(blocks(page)),
                         text_of_page(page).count('code-block::'))
        for language, text in blocks(page):
            if language == 'sh':
                count += text.count('scripts/run ')
                printed = self.run_commands(text)
            else:
                self.assertRegex(printed, pattern(text))
        self.assertEqual(sorted(os.listdir(self.folder)),
                         sorted((*CLONE, KERNELS)))
        self.assertEqual(files_of_the_tree(), before)
        return count

    def test_git_ignores_the_folder(self):
        with open(os.path.join(ROOT, '.gitignore'), encoding='utf-8') as file:
            self.assertIn(f'/{KERNELS}/\n', file.readlines())

    def test_tutorial(self):
        self.assertGreater(self.run_page(TUTORIAL), 10)
        self.check_result()

    def test_firmware(self):
        self.assertEqual(self.run_page(FIRMWARE), 3)
        with open(self.path('service.pftrace'), 'rb') as file:
            self.assertGreater(len(file.read()), 10000)

    def check_result(self):
        """The page's own data, by numpy; its picture is one."""
        a, b, c = (numpy.load(self.path(f'{name}.npy'))
                   for name in ('sines', 'cosines', 'result'))
        # operands and results are rounded to eight significant bits
        self.assertLess(abs(abs(a - b) - c).max(), 2 ** -6)
        self.assertGreater(c.max(), 1.5)
        with open(self.path('result.png'), 'rb') as file:
            data = file.read()
        self.assertEqual(data[:8], PNG)
        width, height = struct.unpack('>II', data[16:24])
        self.assertGreater(min(width, height), 300)

    def test_the_pattern_is_strict(self):
        wanted = pattern('one\n...\nthree: ... s\n')
        self.assertRegex('one\ntwo\nthree: 3 s\n', wanted)
        self.assertRegex('zero\none\nthree: 3 s\n', wanted)
        self.assertNotRegex('one\ntwo\n', wanted)
        self.assertNotRegex('three: 3 s\none\n', wanted)


class Readme(Clone):
    def test_its_kernel(self):
        """The commands below "A kernel of your own"."""
        with open(README, encoding='utf-8') as file:
            text = file.read()
        block = re.search(r'\*\*A kernel of your own.*\n((?:.*\n)*?)\n'
                          r'((?:       .*\n)+)', text)
        printed = self.run_commands(textwrap.dedent(block[2]))
        self.assertIn('4096 numbers as in expected.npy', printed)

    def test_what_it_links_to(self):
        with open(README, encoding='utf-8') as file:
            names = re.findall(r'\]\(([^)]+)\)', file.read())
        self.assertGreater(len(names), 5)
        for name in names:
            self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)


class Formats(Clone):
    """Each row of the page's table of formats: examples/add with it."""

    ROW = re.compile(r'^``(\w+)`` +(\w+) +(\w+) +(\w+) +``(\w+)`` +(\w+) +'
                     r'(\d+) (\d+) *(.*)$', re.M)
    MEMBERS = ('l1_in', 'src', 'dest', 'l1_out')

    def edit(self, name, *pairs):
        """Each of (old, new) once in a file of the copy."""
        path = self.path(f'mine/{name}')
        with open(path, encoding='utf-8') as file:
            text = file.read()
        for old, new in pairs:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def test_each_row(self):
        rows = self.ROW.findall(text_of_page())
        self.assertEqual(len(rows), 8)
        for row in rows:
            with self.subTest(row):
                self.try_row(*row)

    def try_row(self, put, l1_in, src, dest, get, l1_out, size_in, size_out,
                others):
        self.run_commands('rm -rf mine\ncp -r examples/add mine\n')
        self.edit('brisc.c', *(
            (f'.{member} = FORMAT_BF16', f'.{member} = FORMAT_{name}')
            for member, name in zip(self.MEMBERS, (l1_in, src, dest, l1_out))
        ), ('};', ''.join(
            f'{word}{"" if "=" in word else " = true"},\n' for word in
            re.findall(r'\.\w+(?: = \d+)?', others)) + '};'))
        self.edit('add.h', ('TILE_DATUMS * 2', size_in))
        self.edit('trisc2.c', ('tile * TILE_BYTES', f'tile * {size_out}'))
        # numbers that all formats hold, exponents of the rows included
        self.edit('data.py', ('LIMIT, UNIT = 63, 1 / 8', 'LIMIT, UNIT = 31, 1'))
        self.edit('run.args', ('a.npy:bf16', f'a.npy:{put}'),
                  ('b.npy:bf16', f'b.npy:{put}'),
                  ('--get=l1:0x80000:2x16:bf16\n', ''),
                  ('bf16:tiles=c.npy', f'{get}:tiles=c.npy'),
                  ('bf16:tiles=exp', f'{get}:tiles=exp'))
        self.assertIn('4096 numbers as in expected.npy',
                      self.run_commands('scripts/run mine'))

    def test_relu_of_the_packer(self):
        """As the page says it."""
        line = ' '.join(re.search(r'``(CFG\[CFG_STACC[^`]*)``',
                                  text_of_page())[1].split())
        self.run_commands('rm -rf mine\ncp -r examples/add mine\n')
        self.edit('brisc.c', ('configure_tiles(&bf16);',
                              f'configure_tiles(&bf16); {line};'))
        self.edit('data.py', ('a + b)', 'numpy.maximum(a + b, 0))'))
        self.run_commands('scripts/run mine')

    def test_relu_of_the_vector_unit(self):
        """SFPSETCC, SFPLOADI and SFPENCC in place of the page's SFPABS."""
        self.run_commands('rm -rf mine\ncp -r examples/add mine\n'
                          'cp docs/listings/absolute_difference.c '
                          'mine/trisc1.c\n')
        words = re.search(r'``(TTINSN\(SFPSETCC[^`]*)``', text_of_page())[1]
        self.edit('trisc1.c', (
            """TTINSN(SFPABS, .lreg_dest = L_X, .lreg_c = L_X,
               .instr_mod1 = SFPABS_FLOAT);""", words + """;
            TTINSN(SFPLOADI, .lreg_ind = L_X, .imm16 = 0);
            TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
                   .instr_mod1 = SFPENCC_SET_BOTH);"""))
        self.edit('data.py', ('a + b)', 'numpy.maximum(a - b, 0))'))
        self.run_commands('scripts/run mine --machine=hazards=on')


if __name__ == '__main__':
    unittest.main()
