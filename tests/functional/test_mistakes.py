# SPDX-License-Identifier: GPL-2.0-or-later
"""The mistakes of tests/firmware/mistakes, found by what the machine says."""

import os
import re
import unittest

from blackhole_tile.testing import ROOT, images
from test_board import Folder

DEADLOCK = r'tensix: deadlock(.|\n)*cycle: '
OPTIONS = {'unwritten': 'unwritten=report'}
SOURCES = os.path.join(ROOT, 'tests', 'firmware', 'mistakes')


def line_with(path, text):
    """"mistakes/PATH:LINE" of the one line that has the text."""
    with open(os.path.join(SOURCES, path), encoding='utf-8') as file:
        found = [n for n, line in enumerate(file, 1) if text in line]
    assert len(found) == 1, (path, text, found)
    return re.escape(f'mistakes/{path}:{found[0]}')


def any_pc(text):
    """The text with each pc as such: compilers differ in where code lands."""
    return re.sub(r'\bpc 0x[0-9a-f]{8}', 'pc *', text)


def unbroken(text):
    """A text of `info tensix` without the breaks of long lines."""
    return re.sub(r'\n {4,}', ' ', text)


class Mistakes(Folder):
    def run_mistake(self, name, wanted):
        """What a machine says that has nothing but the images, and what
        the page says."""
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
        text = unbroken(self.run_mistake('semaphore', DEADLOCK))
        self.assertRegex(text, r'thread 2\n  state: waiting\n  waits for: '
                               r'SEMWAIT: semaphore 1 is 0 of 1\n')
        wait = line_with('semaphore/trisc2.c', 'WHILE_ZERO')
        call = line_with('semaphore/trisc2.c', '    wait_for_math();')
        self.assertRegex(text, rf'held by: ttsemwait .* pushed by trisc2 pc '
                               rf'0x\w+ in wait_for_math \({wait}\), inlined '
                               rf'in main \({call}\)')
        stuck = line_with('semaphore/trisc2.c', 'wait_coprocessor')
        self.assertRegex(text, rf'trisc2\n  state: waiting\n  waits for: '
                               rf'thread 2 to finish\n(  .*\n)*  at: .* in main '
                               rf'\({stuck}\)')

    def test_wrong_dvalid(self):
        text = unbroken(self.run_mistake('dvalid', DEADLOCK))
        self.assertRegex(text, r'thread 1\n  state: waiting\n  waits for: SrcB '
                               r'bank to be given to the Matrix Unit '
                               r'\(data valid\)\n')
        line = line_with('dvalid/trisc1.c', 'ELWADD')
        self.assertRegex(text, rf'instruction: ttelwadd .*\n  pushed by: '
                               rf'trisc1 pc 0x\w+ in main \({line}\)')

    def test_wrong_format(self):
        line = line_with('format/trisc2.c', 'PACR')
        text = self.run_mistake('format', 'tensix: .*conversion')
        self.assertRegex(text, rf'undefined-behaviour: trisc2 pc 0x\w+ in main '
                               rf'\({line}\), .*\(ttpacr .*\): no conversion '
                               rf'from 16-bit Dst .* to format 8')
        self.check_said_once()

    def test_push_from_ncrisc(self):
        line = line_with('push/ncrisc.c', 'SEMPOST')
        text = self.run_mistake('push', 'tensix: ')
        self.assertRegex(text, rf'undefined-behaviour: ncrisc pc 0x\w+ in main '
                               rf'\({line}\): \.ttinsn .*this hart cannot '
                               rf'push instructions')

    def test_read_before_write(self):
        line = line_with('unwritten/trisc2.c', 'PACR')
        text = self.run_mistake('unwritten', 'tensix: ')
        self.assertRegex(text, rf'unwritten: trisc2 pc 0x\w+ in main \({line}\), '
                               r'.*\(ttpacr .*\): reads row 0 of Dest to row 3')
        self.check_said_once()

    def test_unsent_mail(self):
        text = unbroken(self.run_mistake('unsent', DEADLOCK))
        line = line_with('unsent/trisc1.c', 'MAILBOX')
        call = line_with('unsent/trisc1.c', 'return next_order')
        self.assertRegex(text, rf'trisc1\n  state: waiting\n  waits for: mail '
                               rf'from brisc\n(  .*\n)*  at: trisc1 pc 0x\w+ in '
                               rf'next_order \({line}\), inlined in main '
                               rf'\({call}\)')

    def test_the_page_shows_them(self):
        """What docs/debugging.rst quotes is what they say, word by word but
        for pcs."""
        said = ''.join(self.run_mistake(name, wanted) for name, wanted in (
            (name, f'{DEADLOCK}|tensix: (?!deadlock)')
            for name in sorted(os.listdir(SOURCES))))
        with open(os.path.join(ROOT, 'docs', 'debugging.rst'),
                  encoding='utf-8') as file:
            page = file.read()
        section = re.search(r'^Six mistakes\n-+\n((.|\n)*?)(?=^.+\n---|\Z)',
                            page, re.M)[1]
        quoted = re.findall(r'^    (.*)$', section, re.M)
        self.assertGreater(len(quoted), 20)
        for line in quoted:
            for piece in line.split('...'):
                self.assertIn(any_pc(piece), any_pc(said))
        for name in os.listdir(SOURCES):
            self.assertIn(f'mistakes/{name}', section)


if __name__ == '__main__':
    unittest.main()
