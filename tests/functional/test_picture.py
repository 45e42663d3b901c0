# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/picture: what is drawn, from machines that run, are stopped or were
saved; pixels against the colours that numbers should have."""

import os
import unittest

import numpy
from blackhole_tile import panels, picture
from blackhole_tile.cli import UseError
from blackhole_tile.testing import ROOT, Tile, script
from matplotlib import image
from matplotlib.collections import PatchCollection
from test_board import Folder

BUFFER, SHAPE = 0x40000, (64, 32)
DEST_FORMAT = 'bf16'


def panel(values, valid=None, **more):
    """A panel of an array."""
    values = numpy.array(values, float)
    return panels.Panel('title', values, 'fp32',
                        numpy.ones(values.shape, bool) if valid is None
                        else numpy.array(valid), **more)


def faces_to_tile(rows):
    """64 rows of 16, face by face, as 32 x 32: another way than mosaic()."""
    tile = numpy.zeros((32, 32))
    for n, row in enumerate(rows):
        face, line = divmod(n, 16)
        down, left = face // 2 * 16, face % 2 * 16
        tile[down + line, left:left + 16] = row
    return tile


class Panels(unittest.TestCase):
    def test_mosaic_puts_faces_where_a_tile_has_them(self):
        rows = numpy.arange(6 * 64 * 16, dtype=float).reshape(-1, 16)
        found = panels.mosaic(rows)
        self.assertEqual(found.shape, (64, 128))
        for n in range(6):
            at = (n // 4 * 32, n % 4 * 32)
            self.assertTrue((found[at[0]:at[0] + 32, at[1]:at[1] + 32] ==
                             faces_to_tile(rows[64 * n:64 * n + 64])).all())

    def test_rows_that_are_no_whole_tiles_stay_rows(self):
        for shape, first in (((32, 16), 0), ((64, 16), 8), ((64, 32), 0)):
            what = panel(numpy.zeros(shape), first=first)
            self.assertIs(panels.in_tiles(what), what)

    def test_ranges(self):
        self.assertEqual(panels.row_range('', 512), (0, 512))
        self.assertEqual(panels.row_range('8', 512), (8, 1))
        self.assertEqual(panels.row_range('0x10+64', 512), (16, 64))
        for bad in ('512', '511+2', '0+0', 'x', '-1', '1+', '1+-1'):
            with self.assertRaises(UseError, msg=bad):
                panels.row_range(bad, 512)

    def test_difference(self):
        nan, inf = numpy.nan, numpy.inf
        a = panel([[1, nan, inf, nan]], [[True, True, True, False]])
        b = panel([[3, nan, inf, 0]])
        got = panels.difference(a, b)
        self.assertEqual(got.values[0, :3].tolist(), [-2, 0, 0])
        self.assertTrue(numpy.isnan(got.values[0, 3]))
        self.assertEqual(got.valid.tolist(), [[True, True, True, False]])
        self.assertIn('2 differ, by 2 at most', got.title)
        for other, text in (([[inf, 2]], '1 differ, by inf at most'),
                            ([[nan, 2]], '1 differ'), ([[5, 2]], '0 differ')):
            got = panels.difference(panel([[5, 2]]), panel(other))
            self.assertTrue(got.title.endswith(text), got.title)
        with self.assertRaises(UseError):
            panels.difference(a, panel([[1, 2]]))


class Drawing(unittest.TestCase):
    def drawn(self, what):
        figure = picture.draw([what])
        figure.canvas.draw()
        return figure, figure.axes[0]

    def colour_at(self, figure, axes, column, row):
        """Colour of the middle of a number's place in the picture."""
        x, y = axes.transData.transform((column, row))
        pixels = numpy.asarray(figure.canvas.buffer_rgba())
        return pixels[pixels.shape[0] - 1 - int(y), int(x), :3].astype(int)

    def test_each_number_has_its_colour(self):
        values = [[-4, -1, 0], [2, 3, 4]]
        figure, axes = self.drawn(panel(values))
        shown = axes.images[0]
        self.assertEqual((shown.norm.vmin, shown.norm.vmax), (-4, 4))
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                wanted = numpy.array(shown.cmap((value + 4) / 8)[:3]) * 255
                got = self.colour_at(figure, axes, column, row)
                self.assertLess(abs(got - wanted).max(), 3, (row, column))

    def test_numbers_that_are_none_are_visible(self):
        figure, axes = self.drawn(panel([[numpy.nan, 1, 2, numpy.inf]]))
        for column in (0, 3):
            self.assertEqual(self.colour_at(figure, axes, column, 0).tolist(),
                             [255, 0, 255])
        self.assertIn('2 not finite', axes.get_title())
        self.assertEqual(axes.images[0].norm.vmax, 2)

    def test_nothing_valid_is_no_error(self):
        self.drawn(panel([[numpy.nan]], [[False]]))
        self.drawn(panel([[5.0, 5.0]]))

    def test_hatching_covers_what_is_not_valid_and_no_more(self):
        valid = numpy.ones((64, 16), bool)
        valid[[0, 1, 5, 63]] = False
        valid[20, 3:7] = False
        _, axes = self.drawn(panel(numpy.zeros((64, 16)), valid))
        covered = numpy.zeros(valid.shape, int)
        hatched = [c for c in axes.collections
                   if isinstance(c, PatchCollection)]
        self.assertEqual([c.get_hatch() for c in hatched], [picture.HATCH])
        for path in hatched[0].get_paths():
            left, top = path.vertices.min(axis=0) + 0.5
            right, bottom = path.vertices.max(axis=0) + 0.5
            covered[int(top):int(bottom), int(left):int(right)] += 1
        self.assertTrue((covered == ~valid).all())

    def test_borders_of_faces_and_tiles(self):
        _, axes = self.drawn(panels.in_tiles(panel(numpy.zeros((128, 16)))))
        lines = {(tuple(line.get_xdata()), tuple(line.get_ydata())):
                 line.get_linewidth() for line in axes.lines}
        upright = {x[0]: w for (x, _), w in lines.items() if x[0] == x[1]}
        self.assertEqual(sorted(upright), [15.5, 31.5, 47.5])
        self.assertGreater(upright[31.5], upright[15.5])
        self.assertEqual([text.get_text() for text in axes.texts],
                         ['row 0', 'row 64'])


class Machine(Folder):
    """A machine with known numbers, and the command."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        random = numpy.random.default_rng(1)
        cls.dest = random.integers(-100, 100, (64, 16)).astype(float)
        cls.matrix = random.integers(-100, 100, SHAPE).astype(float)

    def path(self, name):
        return os.path.join(self.folder, name)

    def machine(self, stopped=True):
        tile = Tile(stopped=stopped, extra=[
            '-qmp', f'unix:{self.path("qmp")},server=on,wait=off'])
        self.addCleanup(tile.close)
        tile.put_tiles(BUFFER, self.matrix, 'bf16')
        tile.registers.set_dest(self.dest, 'bf16')
        return tile

    def draw(self, *words, status=0):
        done = script('picture', *words, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_tiles_of_l1(self):
        self.machine()
        what = f'l1:{BUFFER:#x}:64x32:bf16:tiles'
        self.draw(what, '--qmp', self.path('qmp'), '-o', self.path('l1.png'),
                  '-o', self.path('l1.npy'), '-o', self.path('l1.txt'))
        self.assertTrue((numpy.load(self.path('l1.npy')) ==
                         self.matrix).all())
        self.assertGreater(image.imread(self.path('l1.png')).shape[0], 100)
        with open(self.path('l1.txt'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('64x32 bf16, from tiles', text)
        self.assertIn(f'{self.matrix[0, 0]:g}', text)

    def test_dest_of_a_machine_that_continues_to_run(self):
        tile = self.machine(stopped=False)
        for more in ([], ['--still']):
            self.draw(f'dest:{DEST_FORMAT}:0+64', '--qmp', self.path('qmp'),
                      '-o', self.path('dest.npy'), *more)
            self.assertTrue((numpy.load(self.path('dest.npy')) ==
                             self.dest).all())
            self.assertEqual(tile.status(), 'running')

    def test_every_register_file_in_its_own_format(self):
        self.machine()
        for what, shape in (('dest', (1024, 16)), ('srca', (2, 64, 16)),
                            ('srcb::1', (64, 16)), ('lregs', (17, 32)),
                            ('dest:fp32', (512, 16))):
            self.draw(what, '--qmp', self.path('qmp'), '-o',
                      self.path('all.npy'), '-o', self.path('all.svg'))
            self.assertEqual(numpy.load(self.path('all.npy')).shape, shape,
                             what)

    def test_saved_and_changed(self):
        tile = self.machine()
        tile.save(self.path('before'))
        saved = ['--saved', self.path('before')]
        self.draw(f'dest:{DEST_FORMAT}:0+64', *saved, '-o',
                  self.path('dest.npy'))
        self.assertTrue((numpy.load(self.path('dest.npy')) ==
                         self.dest).all())
        tile.close()
        changed = self.machine()
        changed.registers.set_dest(self.dest[5:6] + 1, 'bf16', row=5)
        os.rename(self.path('dest.npy'), self.path('old.npy'))
        for minus in (['--minus-saved', self.path('before')],
                      ['--minus', self.path('old.npy')]):
            self.draw(f'dest:{DEST_FORMAT}:0+64', '--qmp', self.path('qmp'),
                      '-o', self.path('diff.npy'), '-o',
                      self.path('diff.pdf'), *minus)
            wanted = numpy.zeros((64, 16))
            wanted[5] = 1
            self.assertTrue((numpy.load(self.path('diff.npy')) ==
                             wanted).all(), minus)

    def test_files_without_a_machine(self):
        numpy.save(self.path('a.npy'), self.matrix)
        numpy.save(self.path('b.npy'), self.matrix + 0.25)
        self.draw(self.path('a.npy'), '--minus', self.path('b.npy'),
                  '-o', self.path('error.png'), '-o', self.path('error.npy'),
                  '-o', self.path('error.txt'))
        self.assertTrue((numpy.load(self.path('error.npy')) == -0.25).all())
        self.assertGreater(image.imread(self.path('error.png')).shape[0], 100)
        with open(self.path('error.txt'), encoding='utf-8') as file:
            self.assertIn(f'{self.matrix.size} differ, by 0.25 at most',
                          file.read())

    def test_wrong_use(self):
        self.machine()
        qmp = ['--qmp', self.path('qmp')]
        numpy.save(self.path('empty.npy'), numpy.zeros((0, 3)))
        with open(self.path('text'), 'w', encoding='utf-8') as file:
            file.write('no state')
        for words, text in (
                (['dest'], 'which machine'),
                (['a.npy', *qmp], 'not of a machine'),
                (['a.npy', '--minus', 'dest'], 'only a .npy file'),
                (['/nowhere/a.npy'], '/nowhere/a.npy'),
                ([self.path('empty.npy')], 'no numbers'),
                (['dest', '--qmp', self.path('none')], 'none'),
                (['dest', '--saved', self.path('none')], 'no such file'),
                (['dest', '--saved', self.path('text')],
                 'text: the machine does not load it: '),
                (['lreg', *qmp], "'lreg': there are dest, srca, srcb, lregs"),
                (['nowhere:4:fp32', *qmp], 'nowhere'),
                (['dest:bf17', *qmp], 'bf17'),
                (['dest:bf16:1024', *qmp], '1023'),
                (['srca:bf16:2', *qmp], 'banks 0 and 1'),
                (['lregs:fp32:1', *qmp], 'format'),
                (['l1:0:32x32', *qmp], '32x32'),
                (['l1:0x17fff0:32x32:fp32', *qmp], 'fit'),
                (['dest', *qmp, '-o', 'x.jpg'], 'x.jpg'),
                (['dest', *qmp, '-o', '/nowhere/x.npy'], '/nowhere'),
                (['dest:bf16', *qmp, '--minus', 'lregs'], 'shape')):
            done = self.draw(*words, status=1)
            self.assertIn(text, done.stderr, words)
            self.assertNotIn('Traceback', done.stderr, words)


if __name__ == '__main__':
    unittest.main()
