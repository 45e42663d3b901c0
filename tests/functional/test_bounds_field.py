# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/firmware/circular under check=all: tiles through circular buffers, with
a hart or a thread at each end, and programs that leave out one step."""

import os
import unittest

import numpy
from blackhole_tile import ACCELERATORS
from blackhole_tile.testing import ROOT, Tile

HARTS = ('brisc', 'ncrisc', 'trisc0', 'trisc1', 'trisc2')
IMAGES = {hart: os.path.join(ROOT, 'build', 'firmware',
                             f'circular-{hart}.elf') for hart in HARTS}
SHARED, FROM, TO = 0x20000, 0x40000, 0x80000
TILES, MISTAKE, UNPACK, READ, PUSHED, EARLY, ENDED, FINISHED = range(
    SHARED, SHARED + 32, 4)
NO_MISTAKE, NO_RESERVE, NO_WAIT, NO_PUSH, NO_POP = range(5)
PAGES, PAGE, COUNT = 2, 2048, 5
BUFFERS = {'in': (0x30000, 8), 'out': (0x38000, 9)}
IN, OUT = (f'{name} (L1 0x{address:x}, {PAGES} pages of {PAGE} bytes)'
           for name, (address, _) in BUFFERS.items())


class Field(unittest.TestCase):
    def start(self, mistake, tiles=COUNT, unpack=1, read=1, accel='single',
              machine=''):
        self.tile = Tile(images=IMAGES, machine='check=all' + machine,
                         stopped=True, accel=accel)
        self.addCleanup(self.tile.close)
        self.x = numpy.arange(COUNT * 1024).reshape(COUNT, 1024) % 128
        self.tile.put(FROM, self.x, 'bf16')
        for name, (address, stream) in BUFFERS.items():
            self.tile.buffer(address, PAGES * PAGE, name, stream=stream,
                             page=PAGE)
        for address, value in ((TILES, tiles), (MISTAKE, mistake),
                               (UNPACK, unpack), (READ, read)):
            self.tile.write32(address, value)
        self.tile.cont()

    def finish(self):
        self.tile.wait_for_word(FINISHED, 1)
        self.tile.wait_for_word(ENDED, 1)
        self.tile.settle()

    def texts(self, category='bounds'):
        sites = self.tile.qmp('query-tensix-violations')['sites']
        return [site['text'] for site in sites
                if site['category'] == category]

    def left(self):
        return [row['text'].split(',')[:2] for row in
                self.tile.qmp('query-tensix-unfinished')
                if row['kind'] == 'circular-buffer']

    def result(self, tiles=COUNT):
        return self.tile.get(TO, (tiles, 1024), 'bf16')

    def test_no_mistake(self):
        for options in (*({'accel': accel} for accel in ACCELERATORS),
                        {'machine': ',schedule=seed=1'},
                        {'machine': ',schedule=seed=2'}):
            with self.subTest(**options):
                self.start(NO_MISTAKE, **options)
                self.finish()
                self.assertEqual(
                    self.tile.qmp('query-tensix-violations')['sites'], [])
                self.assertEqual(self.tile.qmp('query-tensix-unfinished'), [])
                self.assertTrue((self.result() == 2 * self.x).all())

    def test_overflow(self):
        """The consumer begins when there are more pages than space."""
        self.start(NO_RESERVE, unpack=0)
        self.tile.wait_for_word(PUSHED, COUNT)
        self.assertEqual(self.texts(), [
            f'the NoC writes {PAGE} bytes page 0 of {IN}, which is not acked '
            '(2 pages received, 0 acked)',
            f'pushes 1 page of {IN}, which has space for 0 (2 pages received, '
            '0 acked)'])

    def test_read_before_the_push(self):
        """The producer begins when the consumer has unpacked a page."""
        self.start(NO_WAIT, tiles=1, read=0)
        self.tile.wait_for_word(EARLY, 1)
        self.tile.write32(READ, 1)
        self.finish()
        self.assertEqual(len(self.texts()), 1)
        self.assertRegex(self.texts()[0], '^reads [0-9]+ bytes page 0 of in .*'
                         r', which is not received \(0 pages received, 0 acked')
        self.assertFalse((self.result(1) == 2 * self.x[:1]).all())

    def test_a_page_that_is_not_pushed(self):
        self.start(NO_PUSH)
        self.finish()
        self.assertEqual(self.texts(), [])
        self.assertEqual(self.left(), [
            [*IN.split(',')[:1], f'{IN.split(",")[1]}: 1 page written and not '
             'pushed (5 pages received']])

    def test_a_page_that_is_not_popped(self):
        self.start(NO_POP)
        self.finish()
        self.assertEqual(self.texts(), [])
        self.assertEqual(self.left(), [
            [*OUT.split(',')[:1], f'{OUT.split(",")[1]}: 1 page read and not '
             'popped (5 pages received']])
        self.assertTrue((self.result() == 2 * self.x).all())


if __name__ == '__main__':
    unittest.main()
