# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/tutorial.rst, from its first command to its last one; README's kernel.

In the page a block of sh is a list of commands, of which "# status N" says what
they end with if not 0; a block of text is what the block before it prints, with
... for what may be there; any other block is the file that its caption names.
"""

import os
import re
import struct
import subprocess
import tempfile
import textwrap
import unittest

import numpy
from blackhole_tile.testing import BUILD, ROOT

PAGE = os.path.join(ROOT, 'docs', 'tutorial.rst')
README = os.path.join(ROOT, 'README.md')
NAMES = os.path.join(ROOT, 'include', 'blackhole-tile', 'names.h')
# What of the clone its commands use
CLONE = ('examples', 'hw', 'include', 'python', 'runtime', 'scripts')
SECONDS = 120
BLOCK = re.compile(r'^\.\. code-block:: (\w+)\n(?:   :caption: (\S+)\n)?\n'
                   r'((?:    .*\n|\n)+)', re.M)
PNG = b'\x89PNG\r\n\x1a\n'


def text_of_page():
    with open(PAGE, encoding='utf-8') as file:
        return file.read()


def blocks():
    """[(language, caption or '', text)]"""
    return [(language, caption, textwrap.dedent(text).strip('\n') + '\n')
            for language, caption, text in BLOCK.findall(text_of_page())]


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


class Clone(unittest.TestCase):
    """A folder that looks like a clone in which scripts/setup has been."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in CLONE:
            os.symlink(os.path.join(ROOT, name),
                       os.path.join(self.folder, name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_commands(self, text):
        """What they print."""
        printed = ''
        for command, status in commands(text):
            done = subprocess.run(
                ['bash', '-c', command], cwd=self.folder, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                env=dict(os.environ, TENSIX_BUILD=BUILD))
            self.assertEqual(done.returncode, status,
                             f'{command}\n{done.stdout}')
            printed += done.stdout
        return printed


class Tutorial(Clone):
    def test_the_page(self):
        printed, count = '', 0
        self.assertEqual(len(blocks()), text_of_page().count('code-block::'))
        for language, caption, text in blocks():
            if language == 'sh':
                count += text.count('scripts/run ')
                printed = self.run_commands(text)
            elif language == 'text':
                self.assertRegex(printed, pattern(text))
            else:
                self.assertTrue(caption, text)
                with open(self.path(caption), 'w', encoding='utf-8') as file:
                    file.write(text)
        self.assertGreater(count, 10)
        self.check_result()

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
        """The two commands below "A kernel of your own"."""
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


class Names(unittest.TestCase):
    """The page's tables have all names of the header, with their numbers."""

    def in_header(self, prefix):
        with open(NAMES, encoding='utf-8') as file:
            found = re.findall(rf'^    ({prefix}\w+) = ([^,]+),', file.read(),
                               re.M)
        names = {name: eval(value) for name, value in found}
        self.assertGreater(len(names), 9)
        return names

    def check(self, prefix, others=()):
        page = text_of_page()
        for name, value in self.in_header(prefix).items():
            if name in others:
                continue
            with self.subTest(name):
                row = re.search(rf'``{name}`` +(\w+)', page)
                self.assertIsNotNone(row, name)
                self.assertEqual(int(row[1], 0), value)

    def test_formats(self):
        self.check('FORMAT_')

    def test_blocks(self):
        self.check('BLOCK_')

    def test_conditions(self):
        self.check('UNTIL_', others=('UNTIL_UNPACKED',))


if __name__ == '__main__':
    unittest.main()
