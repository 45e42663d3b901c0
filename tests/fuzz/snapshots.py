#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Snapshots at random moments: a resumed program ends with the same bytes.

    tests/fuzz/snapshots.py [--count N] [--seed N] [--seconds N]

Each run has a program of tests/firmware, an accelerator and one to HOPS hops:
at a random moment the machine is saved, ended, and loaded by another process.
L1, the register files and the program's results in DRAM must be those of a run
that was never saved. Ends after N snapshots, or seconds. A difference, or a
snapshot that is refused, ends it with status 1 and prints the seed that
repeats the run: --seed=N --count=1.
"""

import argparse
import collections
import os
import random
import sys
import tempfile
import time
from typing import Counter, Dict, List, NamedTuple, Tuple

import numpy

from machine import ROOT, Wrong

sys.path.insert(0, os.path.join(ROOT, 'scripts'))

# pylint: disable=wrong-import-order,wrong-import-position
import lib_matmul as matmul                                     # noqa: E402
from blackhole_tile import ACCELERATORS, StartError, TileError  # noqa: E402
from blackhole_tile.memory_map import (APERTURE, APERTURE_SIZE,  # noqa: E402
                                       L1_SIZE, dram_address, tile_address)
from blackhole_tile.testing import SHARED, Tile                 # noqa: E402

HOPS = 4
SECONDS = 120                          # a program's, of a loaded machine
MOMENTS = 1.2                          # times that the program takes
# A tile's result is the input of the one that many later
CIRCULAR_TILES, CIRCULAR_AHEAD = 500, 128
CIRCULAR_FROM, PAGE = 0x40000, 2048
TORTURE_WORDS, TORTURE_PATHS = 40000, 7
TOKEN_ROUNDS = 15000
MATMUL_SIZE = 512


class Program(NamedTuple):
    """One of tests/firmware."""
    name: str
    words: Dict[int, int]              # before it runs
    ends: Tuple[int, ...]              # words that are 1 at the end
    go: int = 0                        # word that lets it end, if it waits
    machine: str = ''
    data: Tuple[Tuple[int, bytes], ...] = ()
    results: Tuple[Tuple[int, int], ...] = ()      # outside of L1
    clocks: Tuple[int, ...] = ()       # words that differ in each run

    @property
    def compared(self) -> List[Tuple[int, int]]:
        """(address, bytes) of all that its end is."""
        tiles = 2 if self.machine else 1
        return [(tile_address(n, base), size) for n in range(tiles)
                for base, size in ((0, L1_SIZE), (APERTURE, APERTURE_SIZE))
                ] + list(self.results)

    def start(self, accel: str, **options: object) -> Tile:
        """A machine that has its data and waits for cont()."""
        tile = Tile(self.name, accel, words=self.words, machine=self.machine,
                    stopped=True, **options)
        for address, data in self.data:
            tile.write(address, data)
        return tile

    def let_end(self, tile: Tile) -> None:
        """What it waits for happens."""
        if self.go:
            tile.write32(self.go, 1)

    def ended(self, tile: Tile) -> bool:
        """Is it at its end?"""
        return all(tile.read32(address) == 1 for address in self.ends)

    def final(self, tile: Tile) -> List[bytes]:
        """What it ends with."""
        tile.wait_for(self.ended, SECONDS, 'its end')
        tile.stop()
        found = [bytearray(tile.read(*part)) for part in self.compared]
        for address in self.clocks:
            found[0][address:address + 4] = bytes(4)
        return [bytes(part) for part in found]


def product() -> Program:
    """A matrix product, whose operands and result are in DRAM."""
    chance = numpy.random.default_rng(1)
    a, b = chance.normal(size=(2, MATMUL_SIZE, MATMUL_SIZE))
    whole = matmul.Product(a, b, 'bf16', 2)
    return Program(
        'matmul', whole.parameters(), (matmul.FINISHED,),
        data=((dram_address(matmul.BANK), whole.tiles_a),
              (dram_address(matmul.BANK, whole.at_b), whole.tiles_b)),
        results=((dram_address(matmul.BANK, whole.at_c),
                  whole.tiles * whole.format.out_bytes),))


def programs() -> List[Program]:
    """Five: FIFOs and half-done expansions, every path of the harts, circular
    buffers, two tiles, the arithmetic."""
    return [
        Program('snapshot', {}, (SHARED + 8,), go=SHARED),
        Program('torture', {SHARED: TORTURE_WORDS, SHARED + 4: 1},
                (SHARED + 8,), clocks=tuple(
                    SHARED + 32 + 24 * n for n in range(TORTURE_PATHS))),
        Program('circular', {SHARED: CIRCULAR_TILES, SHARED + 8: 1,
                             SHARED + 12: 1}, (SHARED + 24, SHARED + 28),
                data=((CIRCULAR_FROM, random.Random(1).randbytes(
                    CIRCULAR_AHEAD * PAGE)),)),
        Program('token', {tile_address(n, SHARED + 4 * i): value
                          for n in (0, 1)
                          for i, value in enumerate((2, 1, TOKEN_ROUNDS))},
                tuple(tile_address(n, SHARED + 16) for n in (0, 1)),
                machine='tiles=2x1'),
        product()]


class Reference:
    """A program that was never saved: its end, and how long it takes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.end: List[bytes] = []
        self.seconds = {accel: self.run(accel) for accel in ACCELERATORS}

    def run(self, accel: str) -> float:
        """The end is one, in all accelerators."""
        with self.program.start(accel) as tile:
            start = time.monotonic()
            tile.cont()
            self.program.let_end(tile)
            tile.wait_for(self.program.ended, SECONDS, 'its end')
            seconds = time.monotonic() - start
            end = self.program.final(tile)
        self.end = self.end or end
        self.compare(end, f'{accel}, never saved')
        return seconds

    def compare(self, end: List[bytes], what: str) -> None:
        """Raises Wrong if they differ."""
        for (base, _), got, wanted in zip(self.program.compared, end,
                                          self.end):
            if got != wanted:
                at = [base + n for n in range(0, len(got), 4)
                      if got[n:n + 4] != wanted[n:n + 4]]
                raise Wrong(f'{self.program.name}, {what}: {len(at)} words '
                            'differ: ' + ', '.join(map(hex, at[:8])))


class Totals:
    """Of all runs so far."""

    def __init__(self) -> None:
        self.runs = self.snapshots = self.in_the_middle = 0
        self.of: Counter[str] = collections.Counter()

    def __str__(self) -> str:
        parts = ', '.join(f'{name} {n}' for name, n in sorted(self.of.items()))
        return (f'snapshots: {self.snapshots} ({parts}) in {self.runs} runs, '
                f'{self.in_the_middle} in the middle of a program: all ends '
                'are the same')


def hop(program: Program, tile: Tile, path: str, accel: str) -> Tile:
    """Another machine continues."""
    tile.save(path)
    tile.close()
    other = Tile(accel=accel, machine=program.machine, incoming=path)
    os.remove(path)
    return other


def one_run(reference: Reference, accel: str, chance: random.Random,
            totals: Totals) -> None:
    """Raises Wrong or TileError."""
    program, hops = reference.program, chance.randint(1, HOPS)
    with tempfile.TemporaryDirectory() as folder:
        tile = program.start(accel)
        try:
            tile.cont()
            last_wait = chance.randint(1, hops)
            for number in range(hops):
                if number == last_wait:
                    program.let_end(tile)
                time.sleep(chance.random() * MOMENTS / hops *
                           reference.seconds[accel])
                if chance.randrange(2):
                    tile.stop()
                totals.snapshots += 1
                totals.of[program.name] += 1
                totals.of[accel] += 1
                ended = program.ended(tile)
                tile = hop(program, tile, os.path.join(folder, 'state'), accel)
                totals.in_the_middle += not ended
            program.let_end(tile)
            reference.compare(program.final(tile), f'{accel}, {hops} hops')
        finally:
            tile.close()
    totals.runs += 1


def run_all(args: argparse.Namespace, totals: Totals) -> str:
    """What was wrong, or ''."""
    references: Dict[str, Reference] = {}
    every = programs()
    end = time.monotonic() + args.seconds
    for seed in range(args.seed, args.seed + args.count):
        chance = random.Random(seed)
        program = chance.choice(every)
        accel = chance.choice(sorted(ACCELERATORS))
        try:
            if program.name not in references:
                references[program.name] = Reference(program)
            one_run(references[program.name], accel, chance, totals)
        except (StartError, TileError, Wrong) as error:
            return (f'snapshots: --seed={seed} --count=1: {program.name}, '
                    f'{accel}: {type(error).__name__}: {error}')
        if totals.snapshots >= args.count or time.monotonic() > end:
            break
    return ''


def main() -> int:
    """Status 1 at the first failure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=float('inf'))
    args = parser.parse_args()
    totals = Totals()
    wrong = run_all(args, totals)
    print(wrong or totals)
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
