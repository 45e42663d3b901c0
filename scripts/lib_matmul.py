# SPDX-License-Identifier: GPL-2.0-or-later
"""Matrix multiplication on the machine: the host's side of the firmware
tests/firmware/matmul, and how exact its result has to be.

    p = Product(a, b, 'bf16', phases=4).run()
    p.c, p.seconds
    wrong = abs(p.c - a @ b) > Bound(p, a, b).all(p.c)

Matrices are arrays of two axes, or lists of rows.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

import numpy

from blackhole_tile.errors import TileTimeout
from blackhole_tile.firmware import images
from blackhole_tile.formats import (BF16, BFP8, FORMATS as FORMATS_OF_L1, FP16, FP32, INT8,
                      INT32, ROW, TF32)
from blackhole_tile.machine import BUILD, Tile
from blackhole_tile.memory_map import dram_address, dram_coordinates
from blackhole_tile.tiles import DATUMS, TILE, tilize, untilize

FIRMWARE = os.path.join(BUILD, 'firmware')
SHARED = 0x20000                     # SHARED_BASE of blackhole-tile/map.h
BANK = 0                             # of DRAM, which holds matrices
MEMORY_X, MEMORY_Y = dram_coordinates(BANK)
MEMORY = MEMORY_Y << 6 | MEMORY_X
ALIGN = 4096
LIMIT = 1 << 30                      # of the memory of other tiles
LARGEST = 2.0 ** 60                  # sums of products stay below 2^127
# struct MatmulShared: what the host sets, then what the firmware does
FIELDS = ('rows', 'columns', 'inner', 'phases', 'in_format', 'src_format',
          'pack_format', 'out_format', 'in_bytes', 'out_bytes',
          'out_exponents', 'dest_32b', 'integer', 'memory', 'a', 'b', 'c',
          'batch')
TILES_DONE, FINISHED = (SHARED + 4 * (len(FIELDS) + n) for n in range(2))
NAP = 0.001
FIDELITIES = {'lofi': 1, 'hifi2': 2, 'hifi3': 3, 'hifi4': 4}
SRCA_BITS, SRCB_BITS = 5, 7          # significant bits in phase 0
SRCA_ALL_BITS = 10                   # and of SrcA in all phases, not 11
TF32_BITS = 11
INT8_PHASE_0 = (0x70, 0x60)          # bits of A (SrcB) and of B (SrcA)
INT8_ALL = 0x7F


class MatmulError(Exception):
    """What was asked cannot be multiplied."""


@dataclass(frozen=True)
class Variant:
    """A format of A and B, what Src and the packer make of it, and of C.
    src, pack: codes of the hardware; result: of C in L1, None: the same;
    result_bits: significant ones of the result, for its bound; fraction:
    bits behind the leading one; smallest: number that is not taken for 0."""
    name: str
    src: int
    pack: int
    result: Optional[str] = None
    dest_32b: bool = False
    result_bits: int = 8
    fraction: int = 7
    smallest: float = 2.0 ** -126

    @property
    def into(self) -> Any:
        """Format of A and B in L1."""
        return FORMATS_OF_L1[self.name]

    @property
    def out(self) -> Any:
        """Format of C in L1."""
        return FORMATS_OF_L1[self.result or self.name]

    @property
    def codes(self) -> Tuple[int, int, int, int]:
        """Of the hardware: for L1, Src, Dest into the packer, L1."""
        return self.into.code, self.src, self.pack, self.out.code

    @property
    def integer(self) -> bool:
        """Are its numbers integers?"""
        return self.into.integer

    @property
    def in_bytes(self) -> int:
        """Of a tile of A or B."""
        return self.into.size(DATUMS)

    @property
    def out_bytes(self) -> int:
        """Of a tile of C."""
        return self.out.size(DATUMS)

    @property
    def exponents(self) -> int:
        """Of a tile of C, bytes."""
        return DATUMS // ROW if self.out.block else 0


FORMATS = {row.name: row for row in (
    Variant('bf16', BF16, BF16),
    Variant('bfp8', BFP8, BF16, result_bits=7, fraction=6),
    Variant('fp16', FP16, FP16, result_bits=10, fraction=10,
            smallest=2.0 ** -14),
    Variant('fp32', TF32, FP32, dest_32b=True, result_bits=24, fraction=23),
    Variant('int8', INT8, INT32, 'int32', dest_32b=True, result_bits=32,
            fraction=31),
)}


def check(a: Any, b: Any) -> None:
    """Raises MatmulError if A x B cannot be computed here."""
    for name, matrix in (('A', a), ('B', b)):
        rows, columns = matrix.shape
        if rows % TILE or columns % TILE:
            raise MatmulError(f'{name} is {rows} x {columns}; all sizes have '
                              f'to be multiples of {TILE}')
    if a.shape[1] != len(b):
        raise MatmulError(f'{len(a)} x {a.shape[1]} times {len(b)} x '
                          f'{b.shape[1]} does not exist')
    for name, matrix in (('A', a), ('B', b)):
        wrong = numpy.argwhere(~(abs(matrix) < LARGEST))
        if len(wrong):
            r, c = wrong[0]
            raise MatmulError(f'{name}[{r}, {c}] is {matrix[r, c]}; all '
                              f'numbers have to be finite, and below 2^60')


# --- one run ---

def round_up(n: int) -> int:
    """To where the next matrix may begin."""
    return -(-n // ALIGN) * ALIGN


class Product:
    """C = A x B on the machine.  After run(): c (array), seconds, units
    (instructions by unit), packed (the bytes of C), output.  dest_32b None:
    what the format has.  Raises MatmulError and FormatError."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, a: Any, b: Any, name: str = 'bf16', phases: int = 4,
                 dest_32b: Optional[bool] = None):
        a, b = numpy.asarray(a, float), numpy.asarray(b, float)
        check(a, b)
        self.format = FORMATS[name]
        self.rows, self.inner = a.shape
        self.columns = b.shape[1]
        self.phases = phases
        self.dest_32b = self.format.dest_32b if dest_32b is None else dest_32b
        if self.format.dest_32b and not self.dest_32b:
            raise MatmulError(f'{name} needs Dest of 32 bits')
        self.tiles_a = tilize(a, name)
        self.tiles_b = tilize(b, name, by_column=True)
        self.tiles = self.rows * self.columns // TILE ** 2
        self.at_b = round_up(len(self.tiles_a))
        self.at_c = self.at_b + round_up(len(self.tiles_b))
        if self.at_c + self.tiles * self.format.out_bytes > LIMIT:
            raise MatmulError('the matrices need more than 1 GiB')
        self.c: Any = None
        self.seconds = 0.0
        self.units: Dict[str, int] = {}
        self.packed, self.output = b'', ''

    def parameters(self) -> Dict[int, int]:
        """{address: word} of what is passed to the firmware."""
        f = self.format
        values = (self.rows // TILE, self.columns // TILE, self.inner // TILE,
                  self.phases, *f.codes, f.in_bytes, f.out_bytes, f.exponents,
                  int(self.dest_32b), int(f.integer), MEMORY, 0, self.at_b,
                  self.at_c, 0)
        return {SHARED + 4 * n: value for n, value in enumerate(values)}

    def load(self, tile: Tile) -> None:
        """Puts A and B into memory."""
        tile.write(dram_address(BANK), self.tiles_a)
        tile.write(dram_address(BANK, self.at_b), self.tiles_b)

    def run(self, accel: str = 'single', timeout: float = 600,
            progress: Optional[Callable[[int], None]] = None,
            **options: Any) -> 'Product':
        """Starts the machine and fetches C; progress(tiles done) now and
        then.  options: of Tile."""
        with Tile(images(FIRMWARE, 'matmul'), accel, stopped=True,
                  words=self.parameters(), **options) as tile:
            self.load(tile)
            start = time.monotonic()
            tile.cont()
            self.wait(tile, start + timeout, progress)
            self.seconds = time.monotonic() - start
            self.units = tile.state.units()
            self.fetch(tile)
            self.output = tile.output()
        return self

    def wait(self, tile: Tile, end: float,
             progress: Optional[Callable[[int], None]] = None) -> None:
        """Until the firmware is done.  Raises TileTimeout."""
        while not tile.read32(FINISHED):
            if progress:
                progress(tile.read32(TILES_DONE))
            if time.monotonic() > end:
                raise TileTimeout(f'not finished in time: {tile.hart_pcs()}',
                                  tile.why())
            time.sleep(NAP)

    def fetch(self, tile: Tile) -> Any:
        """Reads C, as bytes and as an array, which it returns."""
        self.packed = tile.read(dram_address(BANK, self.at_c),
                                self.tiles * self.format.out_bytes)
        self.c = untilize(self.packed, (self.rows, self.columns),
                          self.format.out.name).astype(float)
        return self.c

    # --- what the machine had to compute with, and into ---

    def operands(self) -> Tuple[Any, Any]:
        """A and B as Src holds them: A in SrcB, B in SrcA."""
        f = self.format
        a = untilize(self.tiles_a, (self.rows, self.inner), f.name)
        b = untilize(self.tiles_b, (self.inner, self.columns), f.name,
                     by_column=True)
        a, b = a.astype(float), b.astype(float)
        if f.src == TF32:
            a, b = truncate(a, TF32_BITS), truncate(b, TF32_BITS)
        return (numpy.where(abs(a) >= f.smallest, a, 0),
                numpy.where(abs(b) >= f.smallest, b, 0))

    def last_places(self, values: Any) -> Any:
        """Unit in the last place of numbers in the result's format; in a
        block float that of the largest of the sixteen."""
        if self.format.integer:
            return numpy.ones(values.shape)
        magnitudes = numpy.maximum(self.largest(values), self.format.smallest)
        return numpy.ldexp(1.0, exponents_of(magnitudes) -
                           self.format.fraction)

    def largest(self, values: Any) -> Any:
        """Magnitudes; in a block float the largest of the sixteen."""
        if not self.format.exponents:
            return abs(values)
        rows = abs(values).reshape(len(values), -1, ROW)
        return numpy.repeat(rows.max(axis=2), ROW, axis=1)


# --- how exact the result has to be ---

def exponents_of(values: Any) -> Any:
    """Of the leading bits."""
    return numpy.frexp(values)[1] - 1


def truncate(values: Any, bits: int) -> Any:
    """Numbers without all but their `bits` most significant bits."""
    units = numpy.ldexp(1.0, exponents_of(values) - bits + 1)
    return numpy.trunc(values / units) * units


def norms(matrix: Any) -> Any:
    """Euclidean norms of the rows."""
    return numpy.sqrt((matrix * matrix).sum(axis=1))


def first_phase(matrix: Any, integer: bool, mask: int, bits: int) -> Any:
    """The part of each operand that fidelity phase 0 uses."""
    if integer:
        return numpy.sign(matrix) * (abs(matrix).astype(int) & mask)
    return truncate(matrix, bits)


class Bound:
    """Largest error that each element of a Product may have, from Cauchy's
    inequality on rows of A and columns of B: what quantising the inputs,
    leaving out fidelity phases, the Matrix Unit's alignment of products, its
    additions to Dest and the result's format each may add."""

    def __init__(self, p: Product, a: Any, b: Any):
        self.p = p
        self.a = numpy.asarray(a, float)
        self.b = numpy.asarray(b, float).T
        src_a, src_b = p.operands()
        self.src_a, self.src_b = src_a, src_b.T
        self.norm_a, self.norm_b = norms(self.src_a), norms(self.src_b)

    def quantisation(self) -> Any:
        """Of the inputs."""
        return numpy.outer(norms(self.a - self.src_a), norms(self.b)) + \
            numpy.outer(self.norm_a, norms(self.b - self.src_b))

    def fidelity(self) -> Any:
        """Products that the phases leave out (WH SrcASrcB.md)."""
        integer, outer = self.p.format.integer, numpy.outer
        high_a = first_phase(self.src_a, integer, INT8_PHASE_0[0], SRCB_BITS)
        high_b = first_phase(self.src_b, integer, INT8_PHASE_0[1], SRCA_BITS)
        used_b = first_phase(self.src_b, integer, INT8_ALL, SRCA_ALL_BITS)
        low_a, low_b = norms(self.src_a - high_a), norms(self.src_b - high_b)
        unused = outer(self.norm_a, norms(self.src_b - used_b))
        if self.p.phases == 1:
            return outer(self.norm_a, low_b) + outer(low_a, norms(high_b))
        if self.p.phases == 2:
            return unused + outer(low_a, self.norm_b)
        if self.p.phases == 3:
            return unused + outer(low_a, low_b)
        return unused

    def arithmetic(self) -> Any:
        """Eight products are rounded to 2^-11 of the largest.  Each addition
        to Dest is rounded to its bits (of 32 bits: to 20 at least); n errors
        that do not depend on each other grow like the root of n.  What is
        too small for the format may be lost by either of two sums of eight."""
        if self.p.format.integer:
            return 0
        dest = 2.0 ** -(20 if self.p.dest_32b else
                        10 if self.p.format.src == FP16 else 7)
        additions = 2 * self.p.inner // TILE * self.p.phases
        growth = min(additions, 4 * additions ** 0.5)
        relative = 1.1 * 2.0 ** -8 + growth * dest
        lost = 2 * additions * self.p.format.smallest
        return relative * numpy.outer(self.norm_a, self.norm_b) + lost

    def result(self, c: Any) -> Any:
        """Of the result's format; numbers that share an exponent have the
        largest one's unit."""
        f = self.p.format
        if f.integer:
            return 0
        return self.p.largest(c) * 2.0 ** -f.result_bits + f.smallest

    def all(self, c: Any) -> Any:
        """Array of C's shape."""
        return self.quantisation() + self.fidelity() + self.arithmetic() + \
            self.result(c)
