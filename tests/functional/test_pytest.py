# SPDX-License-Identifier: GPL-2.0-or-later
"""The package's plug-in for pytest, in separate sessions of pytest, and the
code of docs/python.rst."""

import os
import re
import subprocess
import sys
import textwrap
import unittest
import xml.etree.ElementTree as ElementTree

import rv_asm as rv
from blackhole_tile import program
from blackhole_tile.testing import BUILD, ROOT
from rv_asm import A0, A1
from test_board import Folder

RESULT, SECONDS = 0x100000, 300
PASSED, FAILED, INTERRUPTED, USAGE = 0, 1, 2, 4    # pytest's exit statuses
BEGIN = f'import pytest\n\nRESULT = {RESULT:#x}\n'
NO_SUCH_OPCODE = rv.ttinsn(0x06000000)


def store(words=()):
    """A program that pushes words, and says in L1 that it has."""
    return [*words, *rv.li(A1, RESULT), rv.sw(A1, A1), *rv.HALT]


class Session(Folder):
    def setUp(self):
        super().setUp()
        self.file('conftest.py', b"pytest_plugins = "
                                 b"['blackhole_tile.pytest_plugin']\n")
        os.mkdir(os.path.join(self.folder, 'good'))
        self.elf('good/trisc0.elf', {0x8000: store()}, 0x8000)
        self.elf('bad-trisc0.elf', {0x8000: store([NO_SUCH_OPCODE])}, 0x8000)

    def pytest(self, source, *options, status=PASSED):
        """What pytest prints of a file of tests."""
        self.file('test_it.py', (BEGIN + source).encode())
        done = subprocess.run(
            [sys.executable, '-B', '-m', 'pytest', '-v', '--strict-markers',
             *options], cwd=self.folder,
            env=dict(os.environ, TENSIX_BUILD=BUILD), text=True,
            capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(self.left_behind(), [])
        return done.stdout + done.stderr

    def left_behind(self):
        """Processes that have this test's programs."""
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/cmdline', 'rb') as file:
                    line = file.read()
            except OSError:
                continue
            if self.folder.encode() in line:
                found.append(line)
        return found


class Ways(Session):
    WAY = '''
def test_way(tile, tile_way):
    command = ' '.join(tile.command)
    seed = tile_way.seed
    assert ('-icount' in command) == (tile_way.accelerator == 'icount')
    assert ('thread=multi' in command) == (tile_way.accelerator == 'multi')
    assert (f'schedule=seed={seed}' in command) == (seed is not None)
    assert tile.status() != 'running'
    tile.go()
    tile.wait_for_word(RESULT, RESULT)
'''

    def ways(self, marks, *options):
        """Those that the test was run with."""
        text = self.pytest("\n@pytest.mark.tile('good')" + marks + self.WAY,
                           *options)
        return [line.split('[')[1].split(']')[0]
                for line in text.splitlines() if '::test_way[' in line]

    def test_markers(self):
        for marks, wanted in (
                ('', ['single']),
                ("\n@pytest.mark.accelerator('single', 'multi', 'icount')",
                 ['single', 'multi', 'icount']),
                ('\n@pytest.mark.seed(1, 2)',
                 ['icount-seed1', 'icount-seed2']),
                ("\n@pytest.mark.accelerator('single', 'icount')"
                 '\n@pytest.mark.seed(7, 8)',
                 ['single-seed7', 'single-seed8', 'icount-seed7',
                  'icount-seed8'])):
            with self.subTest(marks):
                self.assertEqual(self.ways(marks), wanted)

    def test_command_line(self):
        """A test's own markers go before it."""
        options = ('--tile-accelerator=multi', '--tile-accelerator=icount',
                   '--tile-seed=5')
        self.assertEqual(self.ways('', *options),
                         ['multi-seed5', 'icount-seed5'])
        self.assertEqual(
            self.ways("\n@pytest.mark.accelerator('single')", *options),
            ['single-seed5'])

    def test_images_and_options(self):
        self.pytest('''
@pytest.mark.tile({'trisc0': 'good/trisc0.elf'}, stopped=False,
                  machine='hazards=on')
def test_dictionary(tile):
    tile.wait_for_word(RESULT, RESULT)
    assert 'hazards=on' in ' '.join(tile.command)

@pytest.mark.tile('bad')
def test_prefix(tile):
    assert tile.images == {'trisc0': './bad-trisc0.elf'}

def test_nothing(tile):
    assert tile.read32(0xFFB121B0) & 0x47800 == 0x47800
''')

    def test_wrong_use(self):
        self.assertIn('no accelerator fast; there are single multi icount',
                      self.pytest("@pytest.mark.accelerator('fast')\n"
                                  'def test_it(tile):\n    pass\n',
                                  status=INTERRUPTED))
        self.assertIn('nowhere', self.pytest(
            "@pytest.mark.tile('nowhere')\ndef test_it(tile):\n    pass\n",
            status=FAILED))
        self.assertIn('invalid choice', self.pytest(
            '', '--tile-accelerator=fast', status=USAGE))


class Reports(Session):
    VIOLATION = '''
@pytest.mark.tile('bad'){marks}
def test_violation(tile):
    tile.go()
    tile.wait_for_word(RESULT, RESULT)
    {last}
'''
    SHOWN = (r'= Tensix violations =+\ntest_it\.py::test_violation\[single\]: '
            r'undefined-behaviour: .*pc 0x00008000.*\n  trisc0 pc .*\n'
            r'1 violation reported')

    def violation(self, *options, marks='', last='', status=PASSED):
        return self.pytest(self.VIOLATION.format(marks=marks, last=last),
                           *options, status=status)

    def test_violations_are_listed(self):
        """Of a test that passes, and of one that has ended the machine."""
        for last in ('', 'tile.close()'):
            with self.subTest(last):
                self.assertRegex(self.violation(last=last), self.SHOWN)

    def test_violations_fail(self):
        text = self.violation('--tile-violations=fail', status=FAILED)
        self.assertRegex(text, self.SHOWN)
        self.assertIn('1 violations, and --tile-violations=fail', text)
        self.violation('--tile-violations=fail',
                       marks='\n@pytest.mark.violations')

    def test_junit(self):
        path = os.path.join(self.folder, 'junit.xml')
        self.violation(f'--junit-xml={path}')
        found, = ElementTree.parse(path).getroot().iter('property')
        self.assertEqual(found.get('name'), 'tensix-violation')
        self.assertIn('pc 0x00008000', found.get('value'))

    def test_no_violation_no_word(self):
        self.assertNotIn('violations', self.pytest(
            "@pytest.mark.tile('good')" + Ways.WAY))

    def test_a_failure_says_why(self):
        self.elf('wait-trisc1.elf', {0x8000: rv.li(A1, 0xFFEC1000) +
                                     [rv.lw(A0, A1)] + rv.HALT}, 0x8000)
        text = self.pytest('''
@pytest.mark.tile('wait')
def test_wait(tile):
    tile.go()
    tile.wait_for(lambda t: t.state.harts()['trisc1'].state == 'waiting')
    assert False
''', status=FAILED)
        self.assertRegex(text, r'- who waits for what -(.*\n)+.*TRISC1 .*'
                         r'.*mail from trisc0')

    def test_an_emulator_that_has_ended(self):
        """The report does without it."""
        text = self.pytest('''
def test_end(tile):
    tile.quit()
    tile.read32(0)
''', status=FAILED)
        self.assertIn('QEMU has ended with status 0', text)
        self.assertNotIn('INTERNALERROR', text)


class Page(Session):
    BLOCK = re.compile(r'^\.\. code-block:: python\n\n((?:    .*\n|\n)+)', re.M)

    def setUp(self):
        super().setUp()
        program.build(os.path.join(ROOT, 'examples', 'add'))
        with open(os.path.join(ROOT, 'docs', 'python.rst'),
                  encoding='utf-8') as file:
            text = file.read().replace('build/', BUILD + '/').replace(
                "'examples/", f"'{ROOT}/examples/")
        blocks = list(map(textwrap.dedent, self.BLOCK.findall(text)))
        *self.code, self.conftest, self.test = blocks

    def test_code(self):
        self.assertEqual(len(self.code), 7)
        done = subprocess.run([sys.executable, '-B', '-c',
                               '\n'.join(self.code)], text=True, check=False,
                              capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('BRISC', done.stdout)

    def test_pytest(self):
        self.file('conftest.py', self.conftest.encode())
        text = self.pytest(self.test)
        self.assertIn('test_add[icount-seed2] PASSED', text)
        self.assertIn('4 passed', text)


if __name__ == '__main__':
    unittest.main()
