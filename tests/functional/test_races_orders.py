# SPDX-License-Identifier: GPL-2.0-or-later
"""A missing order is reported however harts and threads run.

A wait of one thread for its own units, stores or requests is missed by the same
pairs of accesses in every order.  Without an order between threads something is
reported in every order as well, and where: which accesses of a loop it names
depends on who came first, for a cell knows its last write only.
"""

import contextlib
import os
import re
import subprocess
import tempfile
import time
import unittest
from typing import Dict, FrozenSet, NamedTuple, Tuple

import lib_matmul
from blackhole_tile import ACCELERATORS
from blackhole_tile.machine import TileError
from blackhole_tile.testing import ROOT, Tile
from test_races_deletions import (EXAMPLES, FIRMWARE, copy_without, make,
                                  sites_of, sources)

SEEDS = 20
ORDERS = [(accel, '') for accel in ACCELERATORS] + [
    ('single', f',schedule=seed={seed}') for seed in range(1, SEEDS + 1)]
SECONDS = 5
NAP = 0.02
TILE = b'\x80\x3f' * 1024              # ones, in BF16


class Program(NamedTuple):
    words: Dict[int, int]
    until: Tuple[int, int]         # a word, and its value in the end


PROGRAMS = {
    'add': Program({0x20000: 4}, (0x20004, 4)),
    'sfpu_words': Program({0x20000: 4}, (0x20004, 4)),
    'matmul': Program({0x20000: 2, 0x20004: 2, 0x20008: 2}, (0x2000c, 4)),
    'orders': Program({0x20000: 8, 0x20004: 2, 0x20008: 0x1000, 0x2000c: 5,
                       0x20010: 0x80000}, (0x20014, 8)),
}
# program, site as in test_races_deletions.py
SAME = [
    ('add', 'point_packer STALLWAIT'),
    ('sfpu_words', 'point_unpackers STALLWAIT'),
    ('sfpu_words', 'end_dest_half STALLWAIT'),
    ('matmul', 'point_unpackers wait_coprocessor'),
    ('orders', 'fetch noc_wait'),
    ('orders', 'store noc_wait'),
]
SOMETHING = [
    ('add', 'begin_dest_half SEMWAIT', 'of Dest'),
    ('sfpu_words', 'begin_pack_half SEMWAIT', 'of Dest'),
    ('matmul', 'end_pack_half SEMGET', 'of Dest'),
    ('orders', 'begin_dest_half SEMWAIT', 'of Dest'),
]

PLACE = re.compile(r'(\w+) pc (0x[0-9a-f]+)')
WHAT = re.compile(r'of Dest|of Src[AB]|LReg|GPR|configuration \w+|MopCfg|L1')
Races = FrozenSet[Tuple[str, FrozenSet[Tuple[str, int]]]]


def race_of(site):
    """What it is, and the two places, whichever came first."""
    other = PLACE.search(site['text'])
    return WHAT.search(site['text'])[0], frozenset(
        [(site['hart'], site['pc']), (other[1], int(other[2], 16))])


def races_of(tile) -> Races:
    return frozenset(race_of(site) for site in
                     tile.qmp('query-tensix-violations')['sites']
                     if site['category'] == 'race')


def wait_for_all(tile) -> None:
    """Until nothing has moved between two samples: the hart that counts tiles
    may be far ahead of others where nothing orders them."""
    end, last, now = time.monotonic() + SECONDS, None, ()
    while now != last and time.monotonic() < end:
        time.sleep(NAP)
        last, now = now, (tile.state.units(), tile.state.why().nodes)


def run_example(images, program: Program, accel: str, options: str) -> Races:
    with Tile(images=images, accel=accel, words=program.words, stopped=True,
              machine='races=report' + options) as tile:
        for address in 0x40000, 0x60000:
            tile.write(address, TILE * 16)
        with contextlib.suppress(TileError):   # a deletion may make it hang
            tile.cont()
            tile.wait_for(lambda tile: tile.read32(program.until[0]) ==
                          program.until[1], SECONDS)
            wait_for_all(tile)
        return races_of(tile)


def run_product(folder: str, accel: str, options: str) -> Races:
    """2 x 2 tiles of tests/firmware/matmul, with that folder's ELFs."""
    ones = [[1.0] * 64] * 64
    images = {name[len('matmul-'):-len('.elf')]: os.path.join(folder, name)
              for name in os.listdir(folder)}
    product = lib_matmul.Product(ones, ones, 'bf16', 1, True)
    with Tile(images=images, accel=accel, words=product.parameters(),
              stopped=True, machine='races=report' + options) as tile:
        product.load(tile)
        tile.cont()
        tile.wait_for(lambda tile: tile.read32(lib_matmul.FINISHED), SECONDS)
        return races_of(tile)


def site_named(folder: str, headers, name: str):
    return next(site for path in sources(folder, headers)
                for site in sites_of(path) if site.name == name)


class Orders(unittest.TestCase):
    def in_each_order(self, program: str, name: str) -> Dict[str, Races]:
        source = os.path.join(EXAMPLES, program)
        with tempfile.TemporaryDirectory() as folder:
            copy, out = (os.path.join(folder, n) for n in (program, 'out'))
            copy_without(site_named(source, ['tile.h', 'noc.h'], name), source,
                         copy)
            subprocess.run(['make', '-s', '-C', copy, f'BLACKHOLE_TILE={ROOT}',
                            f'O={out}'], check=True, capture_output=True)
            images = {n[:-len('.elf')]: os.path.join(out, n)
                      for n in os.listdir(out) if n.endswith('.elf')}
            return {accel + options: run_example(images, PROGRAMS[program],
                                                 accel, options)
                    for accel, options in ORDERS}

    def check_same(self, found: Dict[str, Races]) -> None:
        self.assertTrue(found['single'])
        for order, races in found.items():
            self.assertEqual(races, found['single'], order)

    def test_waits_of_one_thread(self):
        for program, site in SAME:
            with self.subTest(program, site=site):
                self.check_same(self.in_each_order(program, site))

    def test_waits_between_threads(self):
        for program, site, what in SOMETHING:
            with self.subTest(program, site=site):
                for order, races in self.in_each_order(program, site).items():
                    self.assertEqual({race[0] for race in races}, {what}, order)

    def test_a_kernel_of_the_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            copy, out = (os.path.join(folder, n) for n in ('fw', 'out'))
            copy_without(site_named(os.path.join(FIRMWARE, 'matmul'), [],
                                    'record_pair STALLWAIT'), FIRMWARE, copy)
            os.mkdir(out)
            make(copy, 'matmul', out)
            self.check_same({accel + options: run_product(out, accel, options)
                             for accel, options in ORDERS})


if __name__ == '__main__':
    unittest.main()
