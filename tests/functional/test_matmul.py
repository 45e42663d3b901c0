# SPDX-License-Identifier: GPL-2.0-or-later
"""Matrix multiplication on four harts: every format and fidelity, against
private models where the result is exact, else within bounds."""

import contextlib
import io
import os
import random
import tempfile
import unittest

import lib_demo as demo
import numpy
from blackhole_tile import ACCELERATORS, npy
from lib_matmul import FORMATS, Bound, Product
from matplotlib import image

PHASES = range(1, 5)
QUIET = ['-d', 'guest_errors,unimp']


def matrix(rows, columns, value):
    return [[value() for _ in range(columns)] for _ in range(rows)]


def scalar_product(a, b):
    """Not numpy's: element by element."""
    return numpy.array([[sum(a[i][k] * b[k][j] for k in range(len(b)))
                         for j in range(len(b[0]))] for i in range(len(a))])


def variants():
    """(format, fidelity phases, Dest of 32 bits) that exist."""
    return [(name, phases, wide) for name, f in FORMATS.items()
            for phases in PHASES for wide in (False, True)
            if wide or not f.dest_32b]


class Matmul(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(self.id())

    def multiply(self, a, b, *variant, accel='single', **options):
        p = Product(a, b, *variant).run(accel, 60, extra=QUIET, **options)
        self.assertEqual(p.output, '')
        return p

    def same(self, got, wanted):
        self.assertEqual(got.shape, wanted.shape)
        wrong = numpy.argwhere(got != wanted)
        self.assertFalse(len(wrong), f'{len(wrong)} differ: {wrong[:4]}')

    def inputs(self, name, rows, inner, columns):
        integer = FORMATS[name].integer

        def value():
            return self.random.randint(-127, 127) if integer \
                else self.random.gauss(0, 1)
        return matrix(rows, inner, value), matrix(inner, columns, value)


class Exact(Matmul):
    def test_small_integers(self):
        """No operand needs more bits than LoFi has, no sum more than bfp8."""
        a = matrix(64, 64, lambda: self.random.randint(-3, 3))
        b = matrix(64, 32, lambda: self.random.randint(-1, 1))
        wanted = scalar_product(a, b)
        self.assertLess(abs(wanted).max(), 128)
        for name, phases, wide in variants():
            if FORMATS[name].integer:
                continue               # its LoFi leaves out the low bits
            with self.subTest(name, phases=phases, wide=wide):
                self.same(self.multiply(a, b, name, phases, wide).c, wanted)

    @staticmethod
    def part(m, mask):
        return [[(1 if x > 0 else -1) * (abs(x) & mask) for x in row]
                for row in m]

    def test_int8_phases(self):
        """A phase multiplies some of the bits of each operand; A is SrcB."""
        a, b = self.inputs('int8', 32, 96, 64)
        masks = (0x70, 0x60), (0x70, 0x1F), (0x0F, 0x60), (0x0F, 0x1F)
        wanted = numpy.zeros((32, 64))
        for phases, (mask_a, mask_b) in enumerate(masks, 1):
            wanted = wanted + scalar_product(self.part(a, mask_a),
                                             self.part(b, mask_b))
            with self.subTest(phases=phases):
                self.same(self.multiply(a, b, 'int8', phases).c, wanted)
        self.same(wanted, scalar_product(a, b))

    def test_tf32_phases(self):
        """B is diagonal: no sums, and every product fits fp32."""
        a = matrix(32, 32, lambda: self.random.choice((-1, 1)) *
                   self.random.randint(1024, 2047) / 1024)
        diagonal = [self.random.randint(1024, 2047) / 1024 for _ in range(32)]
        b = [[diagonal[i] if i == j else 0.0 for j in range(32)]
             for i in range(32)]
        for phases in PHASES:
            wanted = numpy.array([[self.phase_sum(x, y, phases) for x, y in
                                   zip(row, diagonal)] for row in a])
            with self.subTest(phases=phases):
                self.same(self.multiply(a, b, 'fp32', phases).c, wanted)

    @staticmethod
    def phase_sum(x, y, phases):
        """|x| and y are 1 and ten bits.  SrcB (x) is cut after six of them;
        SrcA (y) after four, and its last bit is not used at all."""
        high_x, high_y = int(x * 64) / 64, int(y * 16) / 16
        y = int(y * 512) / 512
        parts = ((high_x, high_y), (high_x, y - high_y),
                 (x - high_x, high_y), (x - high_x, y - high_y))
        return sum(p * q for p, q in parts[:phases])


class Bounds(Matmul):
    def excess(self, p, a, b):
        """How often an error is larger than it may be."""
        wanted, limits = scalar_product(a, b), Bound(p, a, b).all(p.c)
        return (~(abs(p.c - wanted) <= limits)).sum()

    def test_random(self):
        for name, phases, wide in variants():
            a, b = self.inputs(name, 32, 64, 64)
            with self.subTest(name, phases=phases, wide=wide):
                p = self.multiply(a, b, name, phases, wide)
                self.assertEqual(self.excess(p, a, b), 0)

    def test_small_numbers(self):
        """Some are denormals of fp16, and then zero."""
        def value():
            return self.random.gauss(0, 1e-3) * self.random.random() ** 4
        a, b = (matrix(32, 32, value) for _ in range(2))
        b = [[1000 * x for x in row] for row in b]
        for name in ('bf16', 'bfp8', 'fp16', 'fp32'):
            with self.subTest(name):
                p = self.multiply(a, b, name)
                self.assertEqual(self.excess(p, a, b), 0)
                self.assertTrue(p.c.any())

    def test_wrong_results_are_seen(self):
        """Two rows of tiles exchanged, and one fidelity phase missing."""
        for name in FORMATS:
            a, b = self.inputs(name, 64, 64, 32)
            with self.subTest(name):
                p = self.multiply(a, b, name)
                p.c = numpy.concatenate([p.c[32:], p.c[:32]])
                self.assertGreater(self.excess(p, a, b), 500)
        a, b = self.inputs('fp32', 32, 32, 32)
        p = self.multiply(a, b, 'fp32', 1)
        p.phases = 4
        self.assertGreater(self.excess(p, a, b), 100)


class Same(Matmul):
    """Neither accelerator nor order of the threads changes a bit."""

    SHAPE = 64, 33 * 32, 64              # three chunks of the inner dimension

    def test_accelerators(self):
        for name in FORMATS:
            a, b = self.inputs(name, *self.SHAPE)
            results = {accel: self.multiply(a, b, name, accel=accel).packed
                       for accel in ACCELERATORS}
            with self.subTest(name):
                self.assertEqual(len(set(results.values())), 1)
                self.assertTrue(any(results['single']))

    def test_schedules(self):
        a, b = self.inputs('bf16', *self.SHAPE)
        wanted = self.multiply(a, b, 'bf16').packed
        for seed in range(1, 5):
            with self.subTest(seed=seed):
                p = self.multiply(a, b, 'bf16', accel='icount',
                                  machine=f'schedule=seed={seed}')
                self.assertEqual(p.packed, wanted)


class Demo(Matmul):
    """scripts/demo's files and exit status."""

    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, values):
        npy.write(self.path(name), values)

    def demo(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            status = demo.main(list(words))
        return status, text.getvalue()

    def test_files(self):
        a = matrix(64, 32, lambda: self.random.randint(-9, 9))
        b = matrix(32, 96, lambda: self.random.randint(-9, 9))
        wanted = scalar_product(a, b)
        for kind in ('npy', 'raw'):
            a_file, b_file, out = (self.path(f'{n}.{kind}') for n in 'abc')
            npy.write(a_file, numpy.array(a, '<i4' if kind == 'npy' else
                                          '<f4'))
            npy.write(b_file, numpy.array(b, '<f4'))
            status, text = self.demo(a_file, b_file, '--format', 'fp32',
                                     '--out', out, '--shape', '64', '32', '96')
            self.assertEqual(status, 0, text)
            self.assertIn('largest error                    0\n', text)
            c = npy.read_matrix(out) if kind == 'npy' else \
                npy.read_raw(out, 64, 96)
            self.same(c, wanted)

    def test_picture(self):
        status, text = self.demo('--shape', '32', '64', '96')
        self.assertEqual(status, 0, text)
        pixels = image.imread(os.path.join(demo.OUT, 'matmul.png'))
        self.assertGreater(min(pixels.shape[:2]), 700)
        self.assertGreater(len(numpy.unique(pixels[::7, ::7], axis=0)), 100)

    def test_refusals(self):
        self.write('a.npy', numpy.ones((32, 33), 'i4'))
        self.write('b.npy', numpy.ones((64, 32), 'i4'))
        self.write('c.npy', numpy.full((32, 32), 128, 'i4'))
        self.write('d.npy', numpy.full((32, 32), 1e30, 'f4'))
        for files, words in ((('a.npy', 'b.npy'), 'multiples of 32'),
                             (('b.npy', 'b.npy'), 'does not exist'),
                             (('c.npy', 'c.npy'), '127'),
                             (('c.npy', 'd.npy'), 'finite'),
                             (('none.npy', 'b.npy'), 'No such file')):
            self.refused(words, *map(self.path, files), '--format', 'int8',
                         '--out', self.path('out.npy'))

    def refused(self, why, *words):
        with self.subTest(why):
            status, text = self.demo(*words)
            self.assertEqual(status, 1)
            self.assertIn(why, text)

    def test_refused_files(self):
        """Shapes that are none, or not what --shape says; damage."""
        good = self.path('a.npy')
        self.write('a.npy', numpy.ones((32, 32), 'i4'))
        with open(good, 'rb') as file:
            data = file.read()
        for was, now, why in (
                (b'(32, 32)', b'(0, 32) ', 'two sizes'),
                (b'(32, 32)', b'(32, 3) ', 'multiples of 32'),
                (b'(32, 32)', b'(32, 99)', 'reshape'),
                (b"'<i4'", b"'|S4'", 'type |S4'),
                (b"{'descr'", b"['descr'", 'header'),
                (b'NUMPY', b'numpy', 'no .npy file')):
            bad = self.path('bad.npy')
            with open(bad, 'wb') as file:
                file.write(data.replace(was, now))
            self.refused(why, bad, good)
        self.refused('as --shape says', good, good, '--shape', '32', '32', '64')
        self.refused('Dest of 32 bits', good, good, '--format', 'int8',
                     '--dest', '16')


if __name__ == '__main__':
    unittest.main()
