# SPDX-License-Identifier: GPL-2.0-or-later
"""bt.run(): kernels as functions of arrays."""

import contextlib
import io
import os
import subprocess
import sys
import time
import unittest

import blackhole_tile as bt
import numpy
import rv_asm as rv
from blackhole_tile import formats, npy
from blackhole_tile.testing import ROOT
from rv_asm import A0, A1
from test_board import Folder
from test_deadlock import MAIL_T1, load

ADD = os.path.join(ROOT, 'examples', 'add')
DONE, IN, OUT = 0x20000, 0x40000, 0x50000


def copy_words(count):
    """Copies words and says that it has."""
    words = []
    for n in range(count):
        words += [*rv.li(A1, IN + 4 * n), rv.lw(A0, A1),
                  *rv.li(A1, OUT + 4 * n), rv.sw(A0, A1)]
    return [*words, *rv.li(A1, DONE), *rv.li(A0, 1), rv.sw(A0, A1), *rv.HALT]


class Examples(unittest.TestCase):
    def test_add(self):
        a, b = numpy.random.default_rng(3).integers(-9, 9, (2, 64, 64))
        results = bt.run(ADD, a=a, b=b)
        self.assertEqual(list(results), ['l1:0x80000:2x16:bf16', 'c'])
        numpy.testing.assert_array_equal(results['c'], a + b)
        self.assertEqual(results.violations, [])
        self.assertGreater(results.seconds, 0)
        # as the arguments of the folder have it, compared with expected.npy
        numpy.testing.assert_array_equal(
            bt.run(ADD, accel='icount', machine='schedule=seed=3')['c'],
            npy.read(os.path.join(bt.machine.BUILD,
                                  'examples/add/expected.npy')))

    def test_expected(self):
        a, b = numpy.zeros((2, 64, 64))
        bt.run(ADD, a=a, b=b, expected=a)
        with self.assertRaises(bt.DifferenceError) as caught:
            bt.run(ADD, a=a, b=b, expected=a + 1)
        self.assertIn('4096 not as in', str(caught.exception))
        numpy.testing.assert_array_equal(caught.exception.results['c'], a)

    def test_other_sizes(self):
        a = numpy.ones((32, 64))
        with self.assertRaisesRegex(bt.UseError, r'a has the shape \(32, 64\)'
                                    r'.*has \(64, 64\).*options'):
            bt.run(ADD, a=a)


class Programs(Folder):
    def setUp(self):
        super().setUp()
        self.program(copy_words(4))
        self.args('--put=l1:0x40000=x.npy:u32', '--until=l1:0x20000=1',
                  '--get=l1:0x50000:4:u32=y.npy', '--get=l1:0x20000:1:u32')

    def program(self, words):
        self.elf('trisc0.elf', {0x8000: words}, 0x8000)

    def args(self, *words):
        self.file('run.args', '\n'.join(words).encode())

    def test_arrays(self):
        before = set(os.listdir(self.folder))
        big = 4294967295
        results = bt.run(self.folder, x=[1, 2, big, 4])
        self.assertEqual(results['y'].tolist(), [1, 2, big, 4])
        self.assertEqual(results['y'].dtype, numpy.uint32)
        self.assertEqual(results['l1:0x20000:1:u32'].tolist(), [1])
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_other_sizes(self):
        """The file of run.args has a shape, unless options change it."""
        npy.write(os.path.join(self.folder, 'x.npy'),
                  numpy.arange(4, dtype='<u4'))
        self.assertEqual(bt.run(self.folder)['y'].tolist(), [0, 1, 2, 3])
        with self.assertRaisesRegex(bt.UseError, 'x has the shape'):
            bt.run(self.folder, x=[7, 8])
        results = bt.run(self.folder, ['--word=l1:0x40008=9,10'], x=[7, 8])
        self.assertEqual(results['y'].tolist(), [7, 8, 9, 10])

    def test_rest_for_good(self):
        """Nothing waits in the tile, but the run does."""
        self.program(rv.HALT)
        with self.assertRaisesRegex(bt.TileDeadlock, 'idle') as caught:
            bt.run(self.folder, x=[1, 2, 3, 4])
        self.assertIn('idle', caught.exception.summary[0])

    def test_wrong_use(self):
        for arrays, error, wanted in (
                ({'z': [1]}, bt.UseError, 'z: no --put or --expect has such a '
                                          'file; there are x'),
                ({'x': [-1, 0, 0, 0]}, bt.UseError, 'u32'),
                ({}, FileNotFoundError, 'x.npy'),
                ({'x': ['a']}, bt.UseError, 'numbers')):
            with self.subTest(arrays), self.assertRaisesRegex(error, wanted):
                bt.run(self.folder, **arrays)
        for options in (['--frobnicate'], ['--gdb'], ['--until=5']):
            with self.subTest(options), contextlib.redirect_stderr(
                    io.StringIO()) as said, self.assertRaises(bt.UseError):
                bt.run(self.folder, options, x=[1, 2, 3, 4])
            self.assertEqual(said.getvalue(), '')
        with self.assertRaises(bt.UseError):
            bt.run(self.folder, accel='kvm', x=[1, 2, 3, 4])

    def test_deadlock(self):
        self.program(load(MAIL_T1) + rv.HALT)
        start = time.monotonic()
        with self.assertRaises(bt.TileDeadlock) as caught:
            bt.run(self.folder, x=[1, 2, 3, 4])
        self.assertLess(time.monotonic() - start, 5)
        self.assertIn('mail from trisc1', caught.exception.why)
        self.assertTrue(caught.exception.summary)

    def test_time_out(self):
        loop = [*rv.li(A1, 0x30000), rv.addi(A0, A0, 1), rv.sw(A0, A1),
                rv.jump(-8)]
        self.program(loop)
        calls = []
        with self.assertRaisesRegex(bt.TileTimeout, 'l1:0x20000=0x1'):
            bt.run(self.folder, x=[1, 2, 3, 4], timeout=1.3,
                   progress=lambda *args: calls.append(args))
        self.assertIn(len(calls), (1, 2))
        self.assertGreater(calls[0][0], 0.4)
        self.assertIn('waiting for l1:0x20000=0x1', calls[0][1])

    def test_progress_line(self):
        """On stderr, as scripts/run: with less patience here."""
        loop = [*rv.li(A1, 0x30000), rv.addi(A0, A0, 1), rv.sw(A0, A1),
                rv.jump(-8)]
        self.program(loop)
        text = ('import sys, blackhole_tile as bt\n'
                'from blackhole_tile import kernel_run\n'
                'kernel_run.LINE_SECONDS = 0.2\n'
                'for progress in True, False:\n'
                '    try:\n'
                '        bt.run(sys.argv[1], timeout=0.5, x=[1, 2, 3, 4],\n'
                '               progress=progress)\n'
                '    except bt.TileTimeout:\n'
                '        print("time-out", file=sys.stderr)\n')
        done = subprocess.run(
            [sys.executable, '-B', '-c', text, self.folder], text=True,
            capture_output=True, timeout=60, check=False)
        first, second, _ = done.stderr.split('time-out\n')
        self.assertRegex(first, r'^run: 0\.\d s, waiting for l1:0x20000=0x1')
        self.assertEqual(second, '')

    def test_violation(self):
        self.program([*rv.li(A1, 0x80000000), rv.sw(A0, A1), *copy_words(4)])
        with self.assertRaisesRegex(bt.ViolationError, 'bad-access: TRISC0'
                                    ) as caught:
            bt.run(self.folder, x=[1, 2, 3, 4])
        self.assertEqual(caught.exception.results['y'].tolist(), [1, 2, 3, 4])
        results = bt.run(self.folder, x=[1, 2, 3, 4], allow_violations=True)
        self.assertEqual(len(results.violations), 1)
        with self.assertRaises(bt.ViolationError):
            bt.run(self.folder, ['--on-violation=stop'], x=[1, 2, 3, 4])

    def test_output_is_kept(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            results = bt.run(self.folder, x=[1, 2, 3, 4])
        self.assertEqual((said.getvalue(), results.output), ('', ''))


class TheNameRun(unittest.TestCase):
    """A module that is a function, in whichever order they are asked for."""

    def python(self, text):
        return subprocess.run([sys.executable, '-B', '-W', 'error', '-c',
                               text], text=True, capture_output=True,
                              timeout=60, check=False)

    def test_orders(self):
        for text in ('import blackhole_tile as bt; print(callable(bt.run))',
                     'import blackhole_tile.run, blackhole_tile as bt; '
                     'print(callable(bt.run), bt.run.main)',
                     'from blackhole_tile import run; print(callable(run), '
                     'run.main)',
                     'from blackhole_tile import *; print(callable(run))'):
            with self.subTest(text):
                done = self.python(text)
                self.assertTrue(done.stdout.startswith('True'), done.stderr)

    def test_the_program(self):
        done = subprocess.run([sys.executable, '-B', '-W', 'error', '-m',
                               'blackhole_tile.run', '--help'], text=True,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))


class Types(unittest.TestCase):
    """Values in the type that was asked for."""

    def test_of_every_format(self):
        for name, form in formats.FORMATS.items():
            values = form.decode(form.encode([1] * 16))
            kind = 'f' if form.kind[0] == 'f' else form.kind[0]
            self.assertEqual(values.dtype.kind, kind, name)
            self.assertEqual(values.dtype, numpy.dtype(form.dtype), name)
        self.assertEqual(formats.FORMATS['u32'].decode(b'\xff' * 4).tolist(),
                         [0xFFFFFFFF])


if __name__ == '__main__':
    unittest.main()
