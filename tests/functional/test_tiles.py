# SPDX-License-Identifier: GPL-2.0-or-later
"""Three-thread programs on tiles, tests/firmware/tiles: every byte they leave.

TRISC0 unpacks, TRISC1 computes, TRISC2 packs.  What has to come out is
computed here on plain numbers, which are chosen so that every step is exact in
the format: where a format would round, the matrix unit's and packer's vectors
are the better test.  Each program runs in the three accelerator modes, and all
have to leave these very bytes.
"""

import random
import struct
import unittest
from dataclasses import dataclass, field
from typing import Callable

from tile import ACCELERATORS, SHARED, Tile

SIDE, FACE = 32, 16
DATUMS = SIDE * SIDE
TILES = 3                       # both halves of Dest, and one of them again
A, B, OUT = 0x40000, 0x60000, 0x80000
SECONDS = 30

# tests/firmware/tiles/tiles.h
JOBS = ('add', 'max', 'sum', 'copy', 'transpose', 'tilize', 'untilize',
        'to_dest')
WORDS = ('job', 'tiles', 'a', 'b', 'out', 'in_format', 'src_format',
         'src_bytes', 'pack_format', 'pack_bytes', 'out_format',
         'out_exponents', 'in_step', 'out_step', 'row_bytes', 'dest_32b',
         'integer', 'finished')

FP32, FP16, TF32, BF16, BFP8, BFP4, INT32 = 0, 1, 4, 5, 6, 7, 8
INT16, FP8, INT8 = 9, 10, 14
BIAS = 127


# --- formats: bytes of numbers, in the order of L1 ---

def bits32(x):
    return struct.unpack('<I', struct.pack('<f', x))[0]


def bf16_bytes(values):
    return b''.join(struct.pack('<H', bits32(x) >> 16) for x in values)


def fp16_bytes(values):
    return struct.pack(f'<{len(values)}e', *values)


def fp32_bytes(values):
    return struct.pack(f'<{len(values)}f', *values)


def int8_bytes(values):
    return bytes((0x80 if x < 0 else 0) | abs(x) for x in values)


def int32_bytes(values):
    return b''.join(struct.pack('<I', (1 << 31 if x < 0 else 0) | abs(x))
                    for x in values)


def int16_bytes(values):
    return b''.join(struct.pack('<H', (1 << 15 if x < 0 else 0) | abs(x))
                    for x in values)


def fp8_bytes(values):
    """Five bits of exponent: an fp16 without the low half of its mantissa."""
    return fp16_bytes(values)[1::2]


def block_float(values, width):
    """Exponents, shared by 16 numbers each, and `width` bits of each number."""
    exponents, datums = bytearray(), []
    for start in range(0, len(values), FACE):
        row = values[start:start + FACE]
        shared = max(bits32(x) >> 23 & 0xFF for x in row)
        exponents.append(shared)
        for x in row:
            magnitude = abs(x) * 2.0 ** (BIAS + width - 2 - shared)
            if magnitude != int(magnitude):
                raise ValueError(f'{x} is not exact in {width} bits')
            datums.append((x < 0) << (width - 1) | int(magnitude))
    return bytes(exponents), datums


def bfp8_bytes(values):
    exponents, datums = block_float(values, 8)
    return exponents + bytes(datums)


def bfp4_bytes(values):
    exponents, datums = block_float(values, 4)
    return exponents + bytes(low | high << 4 for low, high in
                             zip(datums[::2], datums[1::2]))


@dataclass(frozen=True)
class Format:
    """in: in L1; src: in SrcA, SrcB, Dest; pack: from Dest; out: in L1."""
    in_format: int
    in_bytes: Callable
    src_format: int
    src_bytes: int
    pack_format: int
    pack_bytes: int
    out_format: int
    out_bytes: Callable
    scale: float = 8                # numbers are integers over it
    words: dict = field(default_factory=dict)
    limit: int = 1 << 31            # largest integer that is exact


FLOAT32 = {'dest_32b': 1}
INTEGER = {'dest_32b': 1, 'integer': 1}
FORMATS = {
    'bf16': Format(BF16, bf16_bytes, BF16, 2, BF16, 2, BF16, bf16_bytes),
    'fp16': Format(FP16, fp16_bytes, FP16, 2, FP16, 2, FP16, fp16_bytes),
    'bfp8': Format(BFP8, bfp8_bytes, BFP8, 1, BF16, 2, BFP8, bfp8_bytes,
                   words={'out_exponents': DATUMS // FACE}),
    'bfp4': Format(BFP4, bfp4_bytes, BFP4, 1, BF16, 2, BFP4, bfp4_bytes,
                   words={'out_exponents': DATUMS // FACE}, limit=7),
    'fp8': Format(FP8, fp8_bytes, FP8, 1, FP16, 2, FP8, fp8_bytes, limit=7),
    'int16': Format(INT16, int16_bytes, INT16, 2, INT16, 2, INT16,
                    int16_bytes, scale=1),
    'fp32': Format(FP32, fp32_bytes, TF32, 4, FP32, 4, FP32, fp32_bytes,
                   words=FLOAT32),
    'fp32_bf16': Format(FP32, fp32_bytes, TF32, 4, FP32, 4, BF16, bf16_bytes,
                        words=FLOAT32),
    'int8': Format(INT8, int8_bytes, INT8, 1, INT32, 4, INT32, int32_bytes,
                   scale=1, words=INTEGER),
    'fp32_dest': Format(FP32, fp32_bytes, FP32, 4, FP32, 4, FP32, fp32_bytes,
                        words=FLOAT32),
    'int32_dest': Format(INT32, int32_bytes, INT32, 4, INT32, 4, INT32,
                         int32_bytes, scale=1, words=FLOAT32),
}
WIDE = ('bf16', 'fp16', 'fp32', 'fp32_bf16')
FLOATS = WIDE + ('bfp8', 'bfp4', 'fp8')


# --- tiles: numbers as rows of 32, and face by face ---

def faces(rows):
    return [rows[top + r][left + c] for top in (0, FACE) for left in (0, FACE)
            for r in range(FACE) for c in range(FACE)]


def flat(rows):
    return [x for row in rows for x in row]


def matrix(rng, limit, scale, columns=SIDE):
    """Integers of at most `limit`, over scale."""
    return [[rng.randint(-limit, limit) if scale == 1 else
             rng.randint(-limit, limit) / scale for _ in range(columns)]
            for _ in range(SIDE)]


def columns_only(values):
    """A tile whose rows 0 hold the faces' columns, all else 0."""
    zero = [0] * SIDE
    return [values] + [zero] * (SIDE - 1)


def ones(rows, scale):
    one = 1 if scale == 1 else 1.0
    return [[one if r < rows else 0] * SIDE for r in range(SIDE)]


# --- jobs: matrices in, matrix out ---

def add(a, b):
    return [[x + y for x, y in zip(*rows)] for rows in zip(a, b)]


def maximum(a, _):
    return columns_only([max(column) for column in zip(*a)])


def total(a, _):
    return columns_only([sum(column) for column in zip(*a)])


def same(a, _):
    return a


def transposed(a, _):
    return [list(column) for column in zip(*a)]


MODELS = {'add': add, 'max': maximum, 'sum': total, 'transpose': transposed}
# the largest integers, so that no step has to round
LIMITS = {'add': 63, 'sum': 3, 'to_dest': 0x7FFFFF}
SUM_OF_TWO = ('add',)
DEFAULT_LIMIT = 127


def second_operand(job, limit, rng, scale):
    if job == 'max':
        return ones(SIDE, scale)
    if job == 'sum':
        return ones(1, scale)
    return matrix(rng, limit, scale)


class Case:
    """Bytes that a job gets, and those it has to leave."""

    def __init__(self, job, name):
        self.job, self.format = job, FORMATS[name]
        self.limit = min(LIMITS.get(job, DEFAULT_LIMIT),
                         self.format.limit >> (job in SUM_OF_TWO))
        rng = random.Random(f'{job} {name}')
        wide = matrix(rng, self.limit, self.format.scale, SIDE * TILES)
        a = [[row[SIDE * n:][:SIDE] for row in wide] for n in range(TILES)]
        b = [second_operand(job, self.limit, rng, self.format.scale)
             for _ in a]
        model = MODELS.get(job, same)
        results = [model(*pair) for pair in zip(a, b)]
        out = flat if job == 'untilize' else faces
        self.results = [self.format.out_bytes(out(x)) for x in results]
        self.a = self.input_bytes(wide, a)
        self.b = b''.join(self.format.in_bytes(faces(x)) for x in b)

    def input_bytes(self, wide, tiles):
        if self.job == 'tilize':
            return self.format.in_bytes(flat(wide))
        return b''.join(self.format.in_bytes(faces(x)) for x in tiles)

    def words(self):
        size = len(self.a) // TILES
        values = {
            'job': JOBS.index(self.job), 'tiles': TILES,
            'a': A, 'b': B, 'out': OUT,
            'in_step': size, 'out_step': len(self.results[0]),
        }
        if self.job == 'tilize':
            values['row_bytes'] = len(self.a) // SIDE
            values['in_step'] = size // SIDE
        for name in ('in_format', 'src_format', 'src_bytes', 'pack_format',
                     'pack_bytes', 'out_format'):
            values[name] = getattr(self.format, name)
        values.update(self.format.words)
        return values

    def run(self, accel):
        """Bytes that the program leaves, and what QEMU reports meanwhile."""
        words = {SHARED + 4 * WORDS.index(name): value
                 for name, value in self.words().items()}
        with Tile(program='tiles', accel=accel, words=words, stopped=True,
                  extra=['-d', 'guest_errors,unimp']) as tile:
            tile.write(A, self.a)
            tile.write(B, self.b)
            tile.qmp('cont')
            tile.wait_for_word(SHARED + 4 * WORDS.index('finished'), TILES,
                               SECONDS)
            result = tile.read(OUT, len(b''.join(self.results)))
            return result, tile.output()


class Tiles(unittest.TestCase):
    def check(self, job, *names):
        for name in names:
            case = Case(job, name)
            for accel in ACCELERATORS:
                with self.subTest(format=name, accel=accel):
                    self.compare(case, *case.run(accel))

    def compare(self, case, result, output):
        self.assertEqual(output, '')
        wanted = b''.join(case.results)
        for at in range(0, len(wanted), FACE):
            self.assertEqual(result[at:][:FACE].hex(),
                             wanted[at:][:FACE].hex(), f'at {at:#x}')

    def test_add(self):
        self.check('add', *FLOATS, 'int8')

    def test_reduce_max(self):
        self.check('max', *FLOATS, 'int8')

    def test_reduce_sum(self):
        self.check('sum', *WIDE, 'bfp8', 'int8')

    def test_copy(self):
        self.check('copy', *FLOATS, 'int16')

    def test_transpose(self):
        self.check('transpose', *FLOATS, 'int16')

    def test_tilize(self):
        # rows of 32 datums are Blackhole's for 16 bits and more
        self.check('tilize', *WIDE, 'int16')

    def test_untilize(self):
        self.check('untilize', *FLOATS, 'int16')

    def test_unpack_to_dest(self):
        self.check('to_dest', 'fp32_dest', 'int32_dest')


if __name__ == '__main__':
    unittest.main()
