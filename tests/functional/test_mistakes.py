# SPDX-License-Identifier: GPL-2.0-or-later
"""The mistakes of tests/firmware/mistakes, found by what the machine says."""

import difflib
import os
import re
import unittest

from blackhole_tile.testing import ROOT, images
from mistakes import (MISTAKES, PAGE, SOURCES, block_of, grade, quoted,
                      table)
from test_board import Folder

DEADLOCK = r'tensix: deadlock(.|\n)*thread 2 .*\n'
OPTIONS = {'unwritten': 'unwritten=report'}
GOOD = 17                            # so many are found in three lines


def line_with(path, text):
    """"mistakes/PATH:LINE" of the one line that has the text."""
    with open(os.path.join(SOURCES, path), encoding='utf-8') as file:
        found = [n for n, line in enumerate(file, 1) if text in line]
    assert len(found) == 1, (path, text, found)
    return re.escape(f'mistakes/{path}:{found[0]}')


def any_pc(text):
    """The text with each pc, sp and address beside it as such: compilers differ
    in where code and data land."""
    return re.sub(r'(\bpc|sp is|access to|\(violation\) at) 0x[0-9a-f]{8}',
                  r'\1 *', text)


class Mistakes(Folder):
    def run_mistake(self, name, wanted):
        """What a machine says that has nothing but the images."""
        tile = self.tile(images=images(f'mistakes/{name}'),
                         machine=OPTIONS.get(name, ''))
        tile.wait_for(lambda t: re.search(wanted, t.output()), 20,
                      f'{wanted} of {name}')
        self.last = tile
        return tile.output()

    def check_said_once(self):
        """When all is over there is no second report."""
        self.last.wait_for(lambda t: all(
            hart.state != 'running' for hart in t.state.harts().values()) and
            all(thread.idle for thread in t.state.threads()), 20,
            'the end of the kernel')
        text = self.last.output()
        self.assertEqual(text.count('tensix: '), 1, text)

    def test_forgotten_sempost(self):
        text = self.run_mistake('semaphore', DEADLOCK)
        wait = line_with('semaphore/trisc2.c', 'WHILE_ZERO')
        self.assertRegex(text, rf'deadlock: TRISC2 waits in wait_for_math\(\), '
                               rf'{wait}: SEMWAIT until MATH_PACK \(semaphore '
                               r'1\) is not 0\n  MATH_PACK is 0 of 1: never '
                               r'posted, never taken\n.*TRISC1: returned from '
                               r'main\(\)\n')
        stuck = line_with('semaphore/trisc2.c', 'wait_coprocessor')
        self.assertRegex(text, rf'TRISC2 +waits in .*, in main\(\), {stuck}: '
                               r'thread 2 to finish\n')

    def test_wrong_dvalid(self):
        text = self.run_mistake('dvalid', DEADLOCK)
        line = line_with('dvalid/trisc1.c', 'ELWADD')
        self.assertRegex(text, rf'deadlock: TRISC1 waits in main\(\), {line}: '
                               r'SrcB bank to be given to the Matrix Unit '
                               r'\(data valid\)\n  no UNPACR with SetDatValid '
                               r'.*, and TRISC0 returned from main\(\)\n')

    def test_wrong_format(self):
        line = line_with('format/trisc2.c', 'PACR')
        text = self.run_mistake('format', 'tensix: .*conversion')
        self.assertRegex(text, rf'undefined-behaviour: TRISC2 in main\(\), {line}: '
                               r'no conversion from 16-bit Dst .* to INT32\n'
                               r'  trisc2 pc 0x\w{8}, thread 2, word 0x41000001 '
                               r'\(ttpacr .*\)\n')
        self.check_said_once()

    def test_push_from_ncrisc(self):
        line = line_with('push/ncrisc.c', 'SEMPOST')
        text = self.run_mistake('push', 'tensix: ')
        self.assertRegex(text, rf'undefined-behaviour: NCRISC in main\(\), {line}'
                               rf': \.ttinsn .*this hart cannot '
                               r'push instructions\n  ncrisc pc 0x\w{8}\n')

    def test_read_before_write(self):
        line = line_with('unwritten/trisc2.c', 'PACR')
        text = self.run_mistake('unwritten', 'tensix: ')
        self.assertRegex(text, rf'unwritten: TRISC2 in main\(\), {line}: reads '
                               r'row 0 of Dest to row 3 .*\n  .*\(ttpacr ')
        self.check_said_once()

    def test_unsent_mail(self):
        text = self.run_mistake('unsent', DEADLOCK)
        line = line_with('unsent/trisc1.c', 'MAILBOX')
        self.assertRegex(text, rf'deadlock: TRISC1 waits in next_order\(\), '
                               rf'{line}: mail from brisc\n')


class Grades(unittest.TestCase):
    """What scripts/run prints first about each of them."""

    def test_every_mistake_is_graded(self):
        folders = {entry.name for entry in os.scandir(SOURCES)
                   if entry.is_dir()}
        self.assertEqual(folders, set(MISTAKES))
        self.assertEqual(len(MISTAKES), 17)

    def test_first_lines_name_line_and_cause(self):
        grades = {name: grade(name) for name in MISTAKES}
        good = [name for name, found in grades.items()
                if found.line and not found.missing]
        self.assertGreaterEqual(len(good), GOOD, table())

    def test_the_page_quotes_them(self):
        """docs/mistakes.rst has those lines, but for pcs."""
        with open(PAGE, encoding='utf-8') as file:
            page = file.read()
        for name in MISTAKES:
            with self.subTest(name):
                self.assertEqual(
                    any_pc(block_of(page, name)[1]), any_pc(quoted(name)),
                    'PYTHONPATH=python python3 tests/functional/mistakes.py '
                    '--update writes what is printed now into the page')

    def test_examples_differ_in_one_place(self):
        """A mistake in an example is that example but for one place and the
        comment at the top."""
        for name in MISTAKES:
            base = example_of(name)
            for source in sources(name) if base else ():
                with self.subTest(name, source=source):
                    wrong, right = (lines_of(os.path.join(folder, source))
                                    for folder in (os.path.join(SOURCES, name),
                                                   base))
                    places = [block for block in difflib.SequenceMatcher(
                        None, right, wrong, False).get_opcodes()
                        if block[0] != 'equal' and block[1] > 1]
                    self.assertEqual(len(places), 1)
                    self.assertLessEqual(places[0][4] - places[0][3], 2)


def example_of(name):
    """The folder of the example that a mistake is in, or None."""
    with open(os.path.join(SOURCES, name, 'Makefile'),
              encoding='utf-8') as file:
        base = re.search(r'^BASE = (\w+)$', file.read(), re.M)
    return base and os.path.join(ROOT, 'examples', base[1])


def sources(name):
    """The C files of a mistake's own."""
    return [entry.name for entry in os.scandir(os.path.join(SOURCES, name))
            if entry.name.endswith('.c')]


def lines_of(path):
    """Of a file."""
    with open(path, encoding='utf-8') as file:
        return file.read().splitlines()


if __name__ == '__main__':
    unittest.main()
