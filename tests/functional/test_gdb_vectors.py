# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb shows vectors of sfpi.h by the names of their variables
(python/blackhole_tile/ingdb/vectors.py, runtime/sfpi.awk)."""

import os
import re
import tempfile
import unittest

import numpy
from blackhole_tile.program import build
from blackhole_tile.testing import ROOT, Tile
from test_gdb import GDB, echo, run_gdb
from test_gdb_python import sections_of

SHARED, X_BASE = 0x20000, 0x40000
LANES, VECTORS = 32, 32


def source_of(example):
    path = os.path.join(ROOT, 'examples', example, 'trisc1.cpp')
    with open(path, encoding='utf-8') as file:
        return file.read().splitlines()


def line_of(lines, text):
    return next(n for n, line in enumerate(lines, 1) if text in line)


def lanes_of(text):
    """The numbers of what print shows of an LReg"""
    found = re.search(r'LReg\d:((?: +[-\d.e+]+|\n)+)', text)
    return [float(x) for x in found[1].split()] if found else []


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Vectors(unittest.TestCase):
    HARTS = ('brisc', 'trisc0', 'trisc1', 'trisc2')

    @classmethod
    def session(cls, example, commands, harts=HARTS):
        """{marker: what gdb printed}; TRISC1 is stopped."""
        with tempfile.TemporaryDirectory() as folder:
            built = build(os.path.join(ROOT, 'examples', example), folder)
            images = {hart: os.path.join(built, hart + '.elf')
                      for hart in harts}
            with Tile(images=images, stopped=True, gdb=True) as tile:
                # a row of Dest is 16 numbers: -8 to 8 in each vector of two
                codes = numpy.linspace(-8, 7.5, LANES, dtype='<f4').view(
                    '<u4') >> 16
                tile.write(X_BASE, codes.astype('<u2').tobytes() * VECTORS)
                tile.write32(SHARED, 1)
                return sections_of(run_gdb(tile, ['inferior 4', *commands]))


class Gelu(Vectors):
    """One vector, line by line"""

    @classmethod
    def setUpClass(cls):
        cls.lines = source_of('gelu')
        cls.condition = line_of(cls.lines, 'y = x - y;')
        cls.rounding = line_of(cls.lines, 'y = float_to_fp16b')
        cls.helper = line_of(cls.lines, 'return t * exponential')
        commands = ['tbreak gelu', 'continue', 'next', echo('x'), 'print x',
                    echo('before'), 'print y',
                    f'tbreak trisc1.cpp:{cls.helper}', 'continue',
                    echo('helper'), 'tensix lregs',
                    f'tbreak trisc1.cpp:{cls.condition}', 'continue',
                    echo('masked'), 'print x', 'next', echo('lregs'),
                    'tensix lregs',
                    f'tbreak trisc1.cpp:{cls.rounding}', 'continue',
                    echo('rounding'), 'frame', 'print y', 'info locals']
        cls.sections = cls.session('gelu', commands)

    def test_lanes(self):
        """32 numbers, in the order of the lanes"""
        lanes = lanes_of(self.sections['x'])
        self.assertEqual(lanes[:8], [-8 + n / 2 for n in range(0, 16, 2)])
        self.assertEqual(len(lanes), LANES)
        self.assertIn('fp32\n', self.sections['x'])
        self.assertIn('optimized out', self.sections['before'])

    def test_enabled_lanes(self):
        """Those of x >= 0, by the order of the lanes' numbers"""
        lanes = lanes_of(self.sections['masked'])
        found = re.search('enabled lanes: (.*)', self.sections['masked'])[1]
        enabled = set()
        for part in found.split(', '):
            first, _, last = part.partition(' to ')
            enabled |= set(range(int(first), int(last or first) + 1))
        self.assertEqual(enabled, {n for n, x in enumerate(lanes) if x >= 0})

    def test_names(self):
        self.assertRegex(self.sections['lregs'],
                         r'\ngelu: x LReg\d, y LReg\d\n')

    def test_names_of_a_function_that_is_inlined(self):
        self.assertRegex(self.sections['helper'],
                         r'\nerfc_by_32: .*t LReg\d(.*\n)+gelu: x LReg\d\n')

    def test_a_stop_in_the_header(self):
        """is one in the kernel."""
        self.assertIn('gelu () at trisc1.cpp', self.sections['rounding'])
        self.assertEqual(len(lanes_of(self.sections['rounding'])), LANES)


class AllLines(Vectors):
    def test_each_line(self):
        """A vector has a place from the line after its declaration to that of
        its last use."""
        for example, function, names in (
                ('gelu', 'gelu', 'xy'), ('sfpu', 'sigmoid', 'xy')):
            lines = source_of(example)
            first = line_of(lines, f'static void {function}()')
            last = first + lines[first:].index('}')
            steps = ['tbreak ' + function, 'continue'] + [
                'next', 'tensix lregs'] * (last - first)
            with self.subTest(example):
                self.check(self.session(example, steps)['all'],
                           dict(enumerate(lines[first:last], first + 1)),
                           names)

    def check(self, text, lines, names):
        """Each stop in the function has the names that live there."""
        parts = re.split(r'^(\d+)\t.*\n', text, flags=re.M)
        seen, before = 0, 0
        for number, shown in zip(map(int, parts[1::2]), parts[2::2]):
            if before and number <= before:
                break
            there = set(re.findall(r'(\w+) LReg\d[,\n]', shown))
            for name in names if 'LReg0' in shown else '':
                used = [n for n, line in lines.items()
                        if re.search(fr'\b{name}\b', line)]
                if used[0] < number <= used[-1]:
                    self.assertIn(name, there, number)
                    seen += 1
            before = number
        self.assertGreater(seen, len(names))


class Waiting(Vectors):
    def test_instructions_that_wait(self):
        """No tile is unpacked: print says that the thread has not executed all
        that its hart has pushed."""
        text = self.session('gelu', ['tbreak gelu', 'continue', 'next',
                                     echo('x'), 'print x'], ('trisc1',))['x']
        self.assertRegex(text, 'before ttmova2d, which thread 1 has not '
                               'executed yet')


if __name__ == '__main__':
    unittest.main()
