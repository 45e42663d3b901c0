# SPDX-License-Identifier: GPL-2.0-or-later
"""Matrix multiplication on the machine: the host's side of the firmware
tests/firmware/matmul, and how exact its result has to be.

A matrix is a list of rows, each a list of numbers.
"""

import operator
import os
import struct
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'python'))

# pylint: disable=wrong-import-position
from blackhole_tile import Tile, dram_address, images
from blackhole_tile.formats import (BF16, BFP8, FORMATS as FORMATS_OF_L1, FP16,
                                    FP32, INT8, INT32, ROW, TF32)
from blackhole_tile.memory_map import dram_coordinates
from blackhole_tile.tiles import DATUMS, TILE, tiled, untiled

FIRMWARE = os.path.join(os.environ.get('TENSIX_BUILD',
                                       os.path.join(ROOT, 'build')),
                        'firmware')
SHARED = 0x20000                     # SHARED_BASE of blackhole-tile/map.h
BANK = 0                             # of DRAM, which holds matrices
MEMORY_X, MEMORY_Y = dram_coordinates(BANK)
MEMORY = MEMORY_Y << 6 | MEMORY_X
ALIGN = 4096
LIMIT = 1 << 30                      # of the memory of other tiles
LARGEST = 2.0 ** 60                  # sums of products stay below 2^127
FIELDS = ('rows', 'columns', 'inner', 'phases', 'in_format', 'src_format',
          'pack_format', 'out_format', 'in_bytes', 'out_bytes',
          'out_exponents', 'dest_32b', 'integer', 'memory', 'a', 'b', 'c',
          'batch')
TILES_DONE, FINISHED = (SHARED + 4 * (len(FIELDS) + n) for n in range(2))
FIDELITIES = {'lofi': 1, 'hifi2': 2, 'hifi3': 3, 'hifi4': 4}
SRCA_BITS, SRCB_BITS = 5, 7          # significant bits in phase 0
SRCA_ALL_BITS = 10                   # and of SrcA in all phases, not 11


class MatmulError(Exception):
    """What was asked cannot be multiplied."""


class Variant:
    """codes: of the hardware for L1, Src, Dest into the packer, L1.
    result_bits: significant ones of the result.  smallest: number that is not
    taken for 0."""

    # pylint: disable=too-many-arguments,too-few-public-methods
    def __init__(self, name, src, pack, result=None, dest_32b=False,
                 result_bits=8, smallest=2.0 ** -126):
        into, out = FORMATS_OF_L1[name], FORMATS_OF_L1[result or name]
        self.codes = into.code, src, pack, out.code
        self.encode, self.decode = into.encode, into.decode
        self.decode_result = out.decode
        self.in_bytes, self.out_bytes = into.size(DATUMS), out.size(DATUMS)
        self.exponents = DATUMS // ROW if out.block else 0
        self.dest_32b, self.integer = dest_32b, into.integer
        self.result_bits, self.smallest = result_bits, smallest


FORMATS = {
    'bf16': Variant('bf16', BF16, BF16),
    'bfp8': Variant('bfp8', BFP8, BF16, result_bits=7),
    'fp16': Variant('fp16', FP16, FP16, result_bits=10,
                    smallest=2.0 ** -14),
    'fp32': Variant('fp32', TF32, FP32, dest_32b=True, result_bits=24),
    'int8': Variant('int8', INT8, INT32, 'int32', dest_32b=True,
                    result_bits=32),
}


def check(a, b):
    """Raises MatmulError if A x B cannot be computed here."""
    for name, matrix in (('A', a), ('B', b)):
        rows, columns = len(matrix), len(matrix[0])
        if rows % TILE or columns % TILE:
            raise MatmulError(f'{name} is {rows} x {columns}; all sizes have '
                              f'to be multiples of {TILE}')
    if len(a[0]) != len(b):
        raise MatmulError(f'{len(a)} x {len(a[0])} times {len(b)} x '
                          f'{len(b[0])} does not exist')
    for name, matrix in (('A', a), ('B', b)):
        for r, row in enumerate(matrix):
            for c, x in enumerate(row):
                if not abs(x) < LARGEST:
                    raise MatmulError(f'{name}[{r}, {c}] is {x}; all numbers '
                                      f'have to be finite, and below 2^60')


# --- one run ---

def round_up(n):
    return -(-n // ALIGN) * ALIGN


class Product:
    """C = A x B on the machine.  After run(): c, seconds, units, packed (the
    bytes of C), output.  dest_32b None: what the format has."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, a, b, name='bf16', phases=4, dest_32b=None):
        check(a, b)
        self.format = FORMATS[name]
        self.rows, self.inner, self.columns = len(a), len(b), len(b[0])
        self.phases = phases
        self.dest_32b = self.format.dest_32b if dest_32b is None else dest_32b
        if self.format.dest_32b and not self.dest_32b:
            raise MatmulError(f'{name} needs Dest of 32 bits')
        self.tiles_a = tiled(a, self.format.encode)
        self.tiles_b = tiled(b, self.format.encode, by_column=True)
        self.tiles = self.rows * self.columns // TILE ** 2
        self.at_b = round_up(len(self.tiles_a))
        self.at_c = self.at_b + round_up(len(self.tiles_b))
        if self.at_c + self.tiles * self.format.out_bytes > LIMIT:
            raise MatmulError('the matrices need more than 1 GiB')
        self.c = self.seconds = self.units = self.packed = self.output = None

    def parameters(self):
        f = self.format
        values = (self.rows // TILE, self.columns // TILE, self.inner // TILE,
                  self.phases, *f.codes, f.in_bytes, f.out_bytes, f.exponents,
                  int(self.dest_32b), int(f.integer), MEMORY, 0, self.at_b,
                  self.at_c, 0)
        return {SHARED + 4 * n: value for n, value in enumerate(values)}

    def load(self, tile):
        tile.write(dram_address(BANK), self.tiles_a)
        tile.write(dram_address(BANK, self.at_b), self.tiles_b)

    def run(self, accel='single', timeout=600, progress=None, **options):
        """Starts the machine and fetches C; progress(tiles done) now and
        then.  options: of Tile."""
        with Tile(images(FIRMWARE, 'matmul'), accel, stopped=True,
                  words=self.parameters(), **options) as tile:
            self.load(tile)
            start = time.monotonic()
            tile.qmp('cont')
            self.wait(tile, start + timeout, progress)
            self.seconds = time.monotonic() - start
            self.units = tile.state.units()
            self.packed = tile.read(dram_address(BANK, self.at_c),
                                    self.tiles * self.format.out_bytes)
            self.output = tile.output()
        self.c = untiled(self.packed, self.rows, self.columns,
                         self.format.out_bytes, self.format.decode_result)
        return self

    def wait(self, tile, end, progress):
        while not tile.read32(FINISHED):
            if progress:
                progress(tile.read32(TILES_DONE))
            if time.monotonic() > end:
                raise MatmulError(f'not finished in time: {tile.hart_pcs()}\n'
                                  f'{tile.hmp("info tensix why")}')
            time.sleep(0.001)

    # --- what the machine had to compute with ---

    def operands(self):
        """A and B as Src holds them: A in SrcB, B in SrcA."""
        f = self.format
        a = untiled(self.tiles_a, self.rows, self.inner, f.in_bytes, f.decode)
        b = untiled(self.tiles_b, self.inner, self.columns, f.in_bytes,
                    f.decode, by_column=True)
        if f.codes[1] == TF32:
            a, b = ([[truncate(x, 11) for x in row] for row in m]
                    for m in (a, b))
        return [[[x if abs(x) >= f.smallest else 0 for x in row] for row in m]
                for m in (a, b)]


# --- how exact the result has to be ---

def truncate(x, bits):
    """x without all but its `bits` most significant bits."""
    if x == 0:
        return 0.0
    unit = 2.0 ** (exponent_of(x) - bits + 1)
    return int(x / unit) * unit


def exponent_of(x):
    return (struct.unpack('<Q', struct.pack('<d', x))[0] >> 52 & 0x7FF) - 1023


def product(a, b, progress=None):
    """In double precision; progress(rows done) after each."""
    columns, result = list(zip(*b)), []
    for row in a:
        result.append([float(sum(map(operator.mul, row, column)))
                       for column in columns])
        if progress:
            progress(len(result))
    return result


def norms(matrix, other=None):
    """Euclidean norms of the rows, or of their differences."""
    if other is None:
        return [sum(x * x for x in row) ** 0.5 for row in matrix]
    return [sum((x - y) ** 2 for x, y in zip(row, row2)) ** 0.5
            for row, row2 in zip(matrix, other)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def first_phase(matrix, integer, mask, bits):
    """The part of each operand that fidelity phase 0 uses."""
    if integer:
        return [[(abs(x) & mask) * (1 if x > 0 else -1) for x in row]
                for row in matrix]
    return [[truncate(x, bits) for x in row] for row in matrix]


def pairs(left, right):
    return [[x * y for y in right] for x in left]


def add(*matrices):
    return [[sum(values) for values in zip(*rows)] for rows in zip(*matrices)]


class Bound:
    """Largest error that each element of a Product may have, from Cauchy's
    inequality on rows of A and columns of B: what quantising the inputs,
    leaving out fidelity phases, the Matrix Unit's alignment of products, its
    additions to Dest and the result's format each may add."""

    def __init__(self, p, a, b):
        self.p, self.a, self.b = p, a, transposed(b)
        src_a, src_b = p.operands()
        self.src_a, self.src_b = src_a, transposed(src_b)
        self.norm_a, self.norm_b = norms(self.src_a), norms(self.src_b)

    def quantisation(self):
        return add(pairs(norms(self.a, self.src_a), norms(self.b)),
                   pairs(self.norm_a, norms(self.b, self.src_b)))

    def fidelity(self):
        """Products that the phases leave out (WH SrcASrcB.md)."""
        integer = self.p.format.integer
        high_a = first_phase(self.src_a, integer, 0x70, SRCB_BITS)
        high_b = first_phase(self.src_b, integer, 0x60, SRCA_BITS)
        used_b = first_phase(self.src_b, integer, 0x7F, SRCA_ALL_BITS)
        low_a, low_b = norms(self.src_a, high_a), norms(self.src_b, high_b)
        unused = pairs(self.norm_a, norms(self.src_b, used_b))
        if self.p.phases == 1:
            return add(pairs(self.norm_a, low_b), pairs(low_a, norms(high_b)))
        if self.p.phases == 2:
            return add(unused, pairs(low_a, self.norm_b))
        if self.p.phases == 3:
            return add(unused, pairs(low_a, low_b))
        return unused

    def arithmetic(self):
        """Eight products are rounded to 2^-11 of the largest.  Each addition
        to Dest is rounded to its bits (of 32 bits: to 20 at least); n errors
        that do not depend on each other grow like the root of n.  What is
        too small for the format may be lost by either of two sums of eight."""
        if self.p.format.integer:
            return pairs([0] * len(self.norm_a), self.norm_b)
        dest = 2.0 ** -(20 if self.p.dest_32b else
                        10 if self.p.format.codes[1] == FP16 else 7)
        additions = 2 * self.p.inner // TILE * self.p.phases
        growth = min(additions, 4 * additions ** 0.5)
        relative = 1.1 * 2.0 ** -8 + growth * dest
        lost = 2 * additions * self.p.format.smallest
        return [[x + lost for x in row] for row in
                pairs([relative * x for x in self.norm_a], self.norm_b)]

    def result(self, c):
        """Of the result's format; numbers that share an exponent have the
        largest one's unit."""
        f, unit = self.p.format, 2.0 ** -self.p.format.result_bits
        if f.integer:
            return [[0] * len(row) for row in c]
        if f.exponents:
            c = [[max(map(abs, row[n // ROW * ROW:n // ROW * ROW + ROW]))
                  for n in range(len(row))] for row in c]
        return [[abs(x) * unit + f.smallest for x in row] for row in c]

    def all(self, c):
        return add(self.quantisation(), self.fidelity(), self.arithmetic(),
                   self.result(c))
