# SPDX-License-Identifier: GPL-2.0-or-later
"""Several tiles in one machine (tiles=COLUMNSxROWS), and the NoC between
them."""

import unittest

from blackhole_tile.memory_map import tile_address
from blackhole_tile.testing import SHARED, Tile, every_accelerator

SECONDS = 60


def number_of(columns, rows):
    return range(columns * rows)


def start(program, accel, columns, rows, values, **options):
    """A machine whose tiles run this program; values: {word of what they
    share: number}, in each tile."""
    words = {tile_address(n, SHARED + 4 * index): value
             for n in number_of(columns, rows)
             for index, value in values.items()}
    return Tile(program=program, accel=accel, words=words,
                machine=f'tiles={columns}x{rows}', **options)


class Token(unittest.TestCase):
    """The token is passed by atomic additions over the NoC."""

    COLUMNS, ROWS, ROUNDS, TOKEN, FINISHED = 0, 1, 2, 3, 4

    def run_ring(self, accel, columns, rows, rounds):
        tile = start('token', accel, columns, rows,
                     {self.COLUMNS: columns, self.ROWS: rows,
                      self.ROUNDS: rounds})
        self.addCleanup(tile.close)
        for n in number_of(columns, rows):
            shared = tile_address(n, SHARED)
            tile.wait_for_word(shared + 4 * self.FINISHED, 1, seconds=SECONDS)
            self.assertEqual(tile.read32(shared + 4 * self.TOKEN), rounds)
        return tile

    @every_accelerator
    def test_two_tiles(self, accel):
        """100,000 times from one to the other."""
        self.run_ring(accel, 2, 1, 50000)

    @every_accelerator
    def test_a_square(self, accel):
        self.run_ring(accel, 2, 2, 500)

    def test_as_many_as_there_can_be(self):
        self.run_ring('single', 4, 4, 100)


class Multicast(unittest.TestCase):
    """A write to a rectangle of tiles."""

    WORDS, ROUNDS, TILES = 3072, 20, 16
    ANSWERS, SUM, FINISHED = 3, 4, 4 + 4 * 16

    def sum_of(self, last):
        return sum(last * 1000003 + i * i for i in range(self.WORDS)) & \
            0xffffffff

    def run_program(self, accel, columns, rows):
        tile = start('multicast', accel, columns, rows, {0: columns, 1: rows})
        self.addCleanup(tile.close)
        tile.wait_for_word(SHARED + 4 * self.FINISHED, 1, seconds=SECONDS)
        others = columns * rows - 1
        self.assertEqual(tile.read32(SHARED + 4 * self.ANSWERS),
                         others * self.ROUNDS)
        for n in range(1, columns * rows):
            self.assertEqual(
                tile.read32(SHARED + 4 * (self.SUM + 4 * n)),
                self.sum_of(self.ROUNDS), f'tile {n}')
        return tile

    @every_accelerator
    def test_two_tiles(self, accel):
        self.run_program(accel, 2, 1)

    @every_accelerator
    def test_a_rectangle(self, accel):
        self.run_program(accel, 3, 2)

    def test_the_receivers_count(self):
        """Each NIU counts what it has received (SLV_* of BH Counters.md)."""
        tile = self.run_program('single', 2, 1)
        niu, requests, atomics = 0xFFB20200, 58, 55
        self.assertEqual(tile.read32(tile_address(1, niu + 4 * requests)),
                         2 * self.ROUNDS)
        self.assertEqual(tile.read32(niu + 4 * atomics), self.ROUNDS)


if __name__ == '__main__':
    unittest.main()
