# SPDX-License-Identifier: GPL-2.0-or-later
"""What notebooks show: _repr_html_ of register files, waits, deadlocks."""

import unittest
from html.parser import HTMLParser

import numpy
import rv_asm as rv
from blackhole_tile import APERTURE, TileDeadlock, notebook, panels, state
from blackhole_tile.places import Symbols
from blackhole_tile.registers import DEST_VALID
from blackhole_tile.testing import Tile
from test_board import Folder
from test_deadlock import MAIL_T1, load

EVIL = '<script>alert("&")</script>'


class Page(HTMLParser):
    """Text of each cell, by row; every element has to be closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.tags = [], [], set()
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == 'tr':
            self.rows.append([])
        if tag in ('td', 'th'):
            self.rows[-1].append('')
        if tag != 'br':
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ('td', 'th'):
            self.rows[-1][-1] += data


def page(thing):
    return Page(thing._repr_html_())


class Registers(unittest.TestCase):
    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)

    def test_dest(self):
        values = numpy.arange(64.0).reshape(4, 16)
        self.tile.registers.set_dest(values, 'bf16', 8)
        shown = self.tile.registers.dest('bf16')
        rows = page(shown).rows
        self.assertEqual(rows[0][1:], [str(n) for n in range(16)])
        self.assertEqual([row[0] for row in rows[1:]],
                         ['0-7', '8', '9', '10', '11', '12-1023'])
        self.assertEqual(rows[1][1:], ['all 0'])
        self.assertEqual(rows[3], ['9', *(f'{x:g}' for x in values[1])])
        self.assertLess(len(shown._repr_html_()), 10000)

    def test_rows_of_the_machine(self):
        self.tile.registers.set_dest(numpy.full((2, 16), 1.5), 'bf16', 4)
        self.tile.write8(APERTURE + DEST_VALID + 5, 0)
        rows = page(self.tile.state.dest(2, 6, 'bf16')).rows
        self.assertEqual(rows[1:], [
            ['2-3', 'all 0'], ['4', 'all 1.5'], ['5 (not valid)', 'all 1.5'],
            ['6-7', 'all 0']])
        text = self.tile.state.src('srca', 1)._repr_html_()
        self.assertIn('bank 1', text)
        self.assertEqual(len(Page(text).rows), 2)

    def test_src(self):
        found = self.tile.registers.srcb('tf32')
        text = found._repr_html_()
        self.assertEqual(text.count('<table>'), 2)
        self.assertEqual(Page(text).rows[1], ['0-63', 'all 0'])
        self.assertEqual(len(page(found[1, 3:5]).rows), 2)

    def test_panel(self):
        self.tile.write8(APERTURE + DEST_VALID, 0)
        found, = panels.find('dest:bf16:0+64', self.tile, Symbols({}))
        self.assertEqual(page(found).rows[1:], [['0 (not valid)', 'all 0'],
                                                ['1-63', 'all 0']])

    def test_arrays_are_numpys(self):
        found = self.tile.registers.dest('bf16')
        self.assertIsInstance(found, numpy.ndarray)
        self.assertIsNone((found + 1).ravel()._repr_html_())
        numpy.testing.assert_array_equal(found, numpy.zeros((1024, 16)))


class Tables(unittest.TestCase):
    def test_many_rows(self):
        text = notebook.grid('noise', [[n, -n] for n in range(1, 500)])
        self.assertIn('... 459 more different rows', text)
        self.assertEqual(len(Page(text).rows), 1 + 40 + 1)

    def test_all_text_is_escaped(self):
        wait = state.Wait(EVIL, EVIL, [])
        node = state.Node(EVIL, EVIL, True, 4, wait)
        for text in (notebook.grid(EVIL, [[EVIL, 1]]),
                     notebook.grid(EVIL, [[EVIL] * 3]),
                     notebook.waits([node], [EVIL]),
                     TileDeadlock(EVIL, EVIL, [EVIL])._repr_html_()):
            self.assertIn('&lt;script&gt;', text)
            self.assertNotIn('script', Page(text).tags)


class Waits(Folder):
    def test_deadlock(self):
        path = self.elf('t0.elf', {0x8000: load(MAIL_T1) + rv.HALT}, 0x8000)
        tile = self.tile(images={'trisc0': path})
        with self.assertRaises(TileDeadlock) as caught:
            tile.wait_for_exit(20)
        text = caught.exception._repr_html_()
        self.assertIn('mail from trisc1', text)
        self.assertIn('details', Page(text).tags)
        rows = page(tile.state.why()).rows
        self.assertEqual(len(rows), 1 + 8)
        row, = [row for row in rows if row[0] == 'trisc0']
        self.assertEqual(row[1], 'waiting')
        self.assertIn('mail from trisc1', row[3])


if __name__ == '__main__':
    unittest.main()
