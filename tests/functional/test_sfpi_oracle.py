# SPDX-License-Identifier: GPL-2.0-or-later
"""C++ kernels with sfpi.h against numpy, and against a second way from the same
source to words (oracle.py): the same bits, alone, nested, and of the examples."""

import os
import shutil
import struct
import unittest

import numpy
from blackhole_tile.program import Program
from blackhole_tile.testing import ROOT, Tile
from oracle import CASES, TABLE, TILES, Recording
from sfpi_cases import cases, compared
from test_board import Folder
from test_sfpi import EACH, ELSE, ENABLED, Sfpi, operands, source

SHARED, X_BASE, Y_BASE = 0x20000, 0x40000, 0x80000
SECONDS, TILE_NUMBERS = 120, 1024
# Rows of Dest that no case and no example uses, and what masks are kept as
CASES_ROW, CASES_LAYOUT = 400, 4       # INT32
TILE_ROW, TILE_LAYOUT = 128, 6         # UINT16


def by_numpy(case, rows, nested):
    """What a case expects"""
    wanted = numpy.asarray(case.wanted(*rows), numpy.int64) & 0xFFFFFFFF
    if nested:
        wanted = numpy.where(ENABLED, wanted, rows[2])
        wanted[ELSE] = 0x40E00000
    return wanted


class Cases(Sfpi):
    def setUp(self):
        """The program that pushes a recording's words is made once."""
        super().setUp()
        self.make(CASES)
        os.rename(os.path.join(self.folder, 'build'),
                  os.path.join(self.folder, 'words'))

    def check_all(self, nested):
        """Every case's bits, with edges and with numbers: what the oracle has,
        and what the case expects, if it does"""
        every = [(n, case) for n, case in enumerate(cases() + compared())
                 if case.nests or not nested]
        expected = len(cases())
        for first in range(0, len(every), EACH):
            numbered = every[first:first + EACH]
            found, wanted = self.both(source(numbered, nested), numbered)
            for seed in range(2):
                rows = operands(seed)
                for n, case in numbered:
                    with self.subTest(case.text, seed=seed):
                        self.compare(found[seed][n], wanted[seed][n], rows)
                        if n < expected:
                            self.compare(found[seed][n],
                                         by_numpy(case, rows, nested), rows)

    def both(self, text, numbered):
        """Results of the source and of its words, of two sets of operands"""
        words = Recording(os.path.join(self.folder, 'recording'),
                          text).words(CASES_ROW, CASES_LAYOUT)
        self.make(text)
        return [[self.results(numbered, operands(seed), *way)
                 for seed in range(2)] for way in ((), (words, 'words'))]

    def test_alone(self):
        self.check_all(False)

    def test_nested_three_deep(self):
        self.check_all(True)


class Examples(Folder):
    def results(self, folder, codes, words=()):
        """What becomes of these numbers in bf16"""
        tiles = len(codes) // TILE_NUMBERS
        with Tile(images=Program(folder).images(), stopped=True) as tile:
            tile.write(X_BASE, codes.tobytes())
            tile.write(TABLE, struct.pack(f'<{len(words) + 1}I', len(words),
                                          *words))
            tile.write32(SHARED, tiles)
            tile.cont()
            tile.wait_for_word(SHARED + 4, tiles, SECONDS)
            tile.settle()
            return numpy.frombuffer(tile.read(Y_BASE, 2 * len(codes)), '<u2')

    def oracle(self, example, codes):
        """The same, by the recording"""
        with open(os.path.join(example, 'trisc1.cpp'),
                  encoding='utf-8') as file:
            recording = Recording(os.path.join(self.folder, 'recording'),
                                  file.read())
        mine = os.path.join(self.folder, 'mine')
        os.makedirs(mine, exist_ok=True)
        for name, text in (
                ('Makefile', 'LIKE = $(BLACKHOLE_TILE)/examples/sfpu\n'
                             'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n'),
                ('trisc1.cpp', TILES % recording.times)):
            with open(os.path.join(mine, name), 'w',
                      encoding='utf-8') as file:
                file.write(text)
        return self.results(mine, codes, recording.words(TILE_ROW,
                                                         TILE_LAYOUT))

    def test_all_numbers_of_bf16(self):
        """in any order: columns and rows have all kinds; then ordinary ones"""
        random = numpy.random.default_rng(1)
        size = random.integers(0x3C00, 0x4300, 16 * TILE_NUMBERS)
        codes = numpy.concatenate([
            random.permutation(1 << 16),
            size | random.integers(0, 2, len(size)) << 15]).astype('<u2')
        for name in 'sfpu', 'gelu', 'softmax', 'sort':
            example = shutil.copytree(os.path.join(ROOT, 'examples', name),
                                      os.path.join(self.folder, name))
            found = self.results(example, codes)
            wanted = self.oracle(example, codes)
            with self.subTest(name):
                wrong = numpy.nonzero(found != wanted)[0]
                self.assertEqual(
                    [(i, hex(codes[i]), hex(found[i]), hex(wanted[i]))
                     for i in wrong[:8]], [])
                self.assertGreater(len(numpy.unique(found)), 1000)


if __name__ == '__main__':
    unittest.main()
