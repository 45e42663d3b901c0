# SPDX-License-Identifier: GPL-2.0-or-later
"""Three-thread programs on tiles, tests/firmware/tiles: every byte they leave.

TRISC0 unpacks, TRISC1 computes, TRISC2 packs.  What has to come out is
computed here on plain numbers, which are chosen so that every step is exact in
the format: where a format would round, the matrix unit's and packer's vectors
are the better test.  Each program runs in the three accelerator modes, and all
have to leave these very bytes.
"""

import math
import operator
import random
import struct
import unittest
from dataclasses import dataclass, field
from typing import Callable

from blackhole_tile import ACCELERATORS
from blackhole_tile.testing import SHARED, Tile

SIDE, FACE = 32, 16
DATUMS = SIDE * SIDE
TILES = 3                       # both halves of Dest, and one of them again
A, B, BIAS, OUT = 0x40000, 0x60000, 0x80000, 0xA0000
SECONDS = 30

# tests/firmware/tiles/tiles.h
JOBS = ('add', 'max', 'sum', 'dense', 'copy', 'transpose', 'tilize',
        'untilize', 'to_dest')
WORDS = ('job', 'tiles', 'a', 'b', 'out', 'bias', 'in_format', 'src_format',
         'pack_format', 'out_format', 'out_exponents', 'in_step', 'out_step',
         'row_bytes', 'dest_32b', 'integer', 'is_unsigned', 'fp8_e4m3',
         'relu', 'relu_threshold', 'finished')

FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4 = range(8)
INT32, INT16, FP8, BFP2A, INT8, BFP2 = 8, 9, 10, 11, 14, 15


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


def uint8_bytes(values):
    return bytes(values)


def e5m2_bytes(values):
    """An fp16 without the low byte of its mantissa."""
    return fp16_bytes(values)[1::2]


def e4m3_bytes(values):
    """Four bits of exponent, with a bias of 7."""
    return bytes(fp16 >> 8 & 0x80 | ((fp16 & 0x7FFF) - (8 << 10)) >> 7
                 if fp16 & 0x7FFF else 0
                 for fp16, in struct.iter_unpack('<H', fp16_bytes(values)))


def block_float(values, width, bias):
    """Exponents, shared by 16 numbers each, and `width` bits of each number;
    exponents with a bias of 15 have five bits."""
    exponents, datums = bytearray(), []
    for start in range(0, len(values), FACE):
        row = values[start:start + FACE]
        largest = max(map(abs, row))
        shared = math.frexp(largest)[1] - 1 + bias if largest else 0
        exponents.append(shared)
        for x in row:
            magnitude = abs(x) * 2.0 ** (bias + width - 2 - shared)
            if magnitude != int(magnitude):
                raise ValueError(f'{x} is not exact in {width} bits')
            datums.append((x < 0) << (width - 1) | int(magnitude))
    return bytes(exponents), datums


def block_bytes(width, bias):
    """Encoder of a block-float format; the first datum is in the low bits."""
    def encode(values):
        exponents, datums = block_float(values, width, bias)
        step = 8 // width
        return exponents + bytes(
            sum(x << width * n for n, x in enumerate(datums[at:at + step]))
            for at in range(0, len(datums), step))
    return encode


@dataclass(frozen=True)
class Format:
    """in: in L1; src: in SrcA, SrcB, Dest; pack: from Dest; out: in L1."""
    in_format: int
    in_bytes: Callable
    src_format: int
    pack_format: int
    out_format: int
    out_bytes: Callable
    scale: float = 8                # numbers are integers over it
    words: dict = field(default_factory=dict)
    limit: int = 127                # largest integer that goes in
    clamp: int = 1 << 31            # and its result


def block_format(code, width, bias):
    """By way of BF16 or, with five bits of exponent, FP16."""
    encode, wide = block_bytes(width, bias), BF16 if bias == 127 else FP16
    return Format(code, encode, code, wide, code, encode,
                  words={'out_exponents': DATUMS // FACE},
                  limit=(1 << width - 1) - 1)


FLOAT32 = {'dest_32b': 1}
INTEGER = {'dest_32b': 1, 'integer': 1}
UNSIGNED = {'dest_32b': 1, 'integer': 1, 'is_unsigned': 1}
FORMATS = {
    'bf16': Format(BF16, bf16_bytes, BF16, BF16, BF16, bf16_bytes),
    'fp16': Format(FP16, fp16_bytes, FP16, FP16, FP16, fp16_bytes),
    'bfp8': block_format(BFP8, 8, 127),
    'bfp4': block_format(BFP4, 4, 127),
    'bfp2': block_format(BFP2, 2, 127),
    'bfp8a': block_format(BFP8A, 8, 15),
    'bfp4a': block_format(BFP4A, 4, 15),
    'bfp2a': block_format(BFP2A, 2, 15),
    'e5m2': Format(FP8, e5m2_bytes, FP8, FP16, FP8, e5m2_bytes, limit=7),
    'e4m3': Format(FP8, e4m3_bytes, FP8, FP16, FP8, e4m3_bytes, limit=15,
                   words={'fp8_e4m3': 1}),
    'int16': Format(INT16, int16_bytes, INT16, INT16, INT16,
                    int16_bytes, scale=1),
    'fp32': Format(FP32, fp32_bytes, TF32, FP32, FP32, fp32_bytes,
                   words=FLOAT32),
    'fp32_bf16': Format(FP32, fp32_bytes, TF32, FP32, BF16, bf16_bytes,
                        words=FLOAT32),
    'int8': Format(INT8, int8_bytes, INT8, INT32, INT32, int32_bytes,
                   scale=1, words=INTEGER),
    'int8_int8': Format(INT8, int8_bytes, INT8, INT8, INT8, int8_bytes,
                        scale=1, words=INTEGER, clamp=127),
    'uint8': Format(INT8, uint8_bytes, INT8, INT8, INT8, uint8_bytes,
                    scale=1, words=UNSIGNED, limit=255, clamp=255),
    'fp32_dest': Format(FP32, fp32_bytes, FP32, FP32, FP32, fp32_bytes,
                        words=FLOAT32, limit=0xFFFFFF),
    'int32_dest': Format(INT32, int32_bytes, INT32, INT32, INT32,
                         int32_bytes, scale=1, words=FLOAT32,
                         limit=0x7FFFFFFF),
}
WIDE = ('bf16', 'fp16', 'fp32', 'fp32_bf16')
BLOCK8 = ('bfp8', 'bfp8a')
SMALL = ('bfp4', 'bfp4a', 'e5m2', 'e4m3')
TINY = ('bfp2', 'bfp2a')
FLOATS = WIDE + BLOCK8 + SMALL
INTEGERS = ('int8', 'int8_int8', 'uint8')


# --- tiles: numbers as rows of 32, and face by face ---

def faces(rows):
    return [rows[top + r][left + c] for top in (0, FACE) for left in (0, FACE)
            for r in range(FACE) for c in range(FACE)]


def flat(rows):
    return [x for row in rows for x in row]


class Numbers:
    """Random numbers of a format: integers over its scale."""

    def __init__(self, name, seed):
        self.scale = FORMATS[name].scale
        self.is_unsigned = 'is_unsigned' in FORMATS[name].words
        self.rng = random.Random(f'{seed} {name}')

    def number(self, n):
        return n if self.scale == 1 else n / self.scale

    def any(self, limit):
        lowest = 0 if self.is_unsigned else -limit
        return self.number(self.rng.randint(lowest, limit))

    def matrix(self, limit, columns=SIDE):
        return [[self.any(limit) for _ in range(columns)] for _ in range(SIDE)]

    def ones(self, rows):
        """One is the number 1, in the first rows."""
        one = 1 if self.scale == 1 else 1.0
        return [[one if r < rows else 0 * one] * SIDE for r in range(SIDE)]

    def sparse(self, limit, count):
        """Columns of `count` numbers among zeroes."""
        columns = []
        for _ in range(SIDE):
            rows = self.rng.sample(range(SIDE), count)
            columns.append([self.any(limit) if r in rows else self.number(0)
                            for r in range(SIDE)])
        return transposed(columns)

    def permutation(self):
        """A single 1 or -1 in each row and column."""
        sign = (1,) if self.is_unsigned else (-1, 1)
        columns = self.rng.sample(range(SIDE), SIDE)
        return [[self.rng.choice(sign) * 1.0 if c == columns[r] else 0.0
                 for c in range(SIDE)] for r in range(SIDE)]


def columns_only(values):
    """A tile whose rows 0 hold the faces' columns, all else 0."""
    zero = [0] * SIDE
    return [values] + [zero] * (SIDE - 1)


# --- jobs: matrices in, matrix out ---

def add(a, b, _):
    return [[x + y for x, y in zip(*rows)] for rows in zip(a, b)]


def maximum(a, *_):
    return columns_only([max(column) for column in zip(*a)])


def total(a, *_):
    return columns_only([sum(column) for column in zip(*a)])


def dense(a, b, bias):
    """b x a, and the first row of bias to each row."""
    columns = list(zip(*a))
    return [[sum(map(operator.mul, row, column)) + y
             for column, y in zip(columns, bias[0])] for row in b]


def same(a, *_):
    return a


def transposed(a, *_):
    return [list(column) for column in zip(*a)]


MODELS = {'add': add, 'max': maximum, 'sum': total, 'dense': dense,
          'transpose': transposed}
# the packer's ReLU, by mode (WH ReLU.md)
RELU = (
    lambda x, threshold: x,
    lambda x, threshold: max(x, 0),
    lambda x, threshold: x if x > threshold else 0,
    lambda x, threshold: min(max(x, 0), threshold),
)
# how many numbers are added up; the limit is divided by it, so that no step
# has to round
ADDENDS, FEW_ADDENDS = {'add': 2, 'sum': SIDE}, 2
# of a sum of 32 products and a bias that all float formats of L1 can hold
DENSE_A, DENSE_B, DENSE_BIAS = 1, 3, 3


class Case:
    """Bytes that a job gets, and those it has to leave.  relu: mode of the
    packer's ReLU; threshold: its number."""

    def __init__(self, job, name, relu=0, threshold=0.0):
        self.job, self.format = job, FORMATS[name]
        self.relu, self.threshold = relu, threshold
        addends = ADDENDS.get(job, 1)
        self.addends = addends if self.format.limit >= addends else FEW_ADDENDS
        self.limit = self.format.limit // self.addends
        self.numbers = Numbers(name, job)
        if job == 'dense':
            a, b, bias = zip(*(self.dense_operands() for _ in range(TILES)))
        else:
            a = [self.first_operand() for _ in range(TILES)]
            b = [self.second_operand() for _ in a]
            bias = a
        model = MODELS.get(job, same)
        out = flat if job == 'untilize' else faces
        self.results = [self.format.out_bytes(
            list(map(self.finish, out(model(*operands)))))
            for operands in zip(a, b, bias)]
        self.a = self.input_bytes(a)
        self.b, self.bias = (
            b''.join(self.format.in_bytes(faces(x)) for x in tiles)
            for tiles in (b, bias))

    def first_operand(self):
        if self.job == 'sum':
            return self.numbers.sparse(self.limit, self.addends)
        return self.numbers.matrix(self.limit)

    def second_operand(self):
        if self.job == 'max':
            return self.numbers.ones(SIDE)
        if self.job == 'sum':
            return self.numbers.ones(1)
        return self.numbers.matrix(self.limit)

    def dense_operands(self):
        matrix = self.numbers.matrix
        if self.format.scale == 1:
            return [matrix(self.limit) for _ in range(3)]
        if self.limit < SIDE:          # no sums: too few bits
            return (self.numbers.permutation(), matrix(DENSE_B),
                    matrix(DENSE_BIAS))
        return matrix(DENSE_A), matrix(DENSE_B), matrix(DENSE_BIAS)

    def finish(self, x):
        """What the packer makes of a number in Dest."""
        x = RELU[self.relu](x, self.threshold)
        return min(x, self.format.clamp) if self.format.scale == 1 else x

    def input_bytes(self, tiles):
        if self.job == 'tilize':
            return self.format.in_bytes(
                [x for r in range(SIDE) for tile in tiles for x in tile[r]])
        return b''.join(self.format.in_bytes(faces(x)) for x in tiles)

    def words(self):
        size = len(self.a) // TILES
        values = {
            'job': JOBS.index(self.job), 'tiles': TILES,
            'a': A, 'b': B, 'bias': BIAS, 'out': OUT,
            'in_step': size, 'out_step': len(self.results[0]),
            'relu': self.relu, 'relu_threshold': self.threshold_bits(),
        }
        if self.job == 'tilize':
            values['row_bytes'] = len(self.a) // SIDE
            values['in_step'] = size // SIDE
        for name in ('in_format', 'src_format', 'pack_format', 'out_format'):
            values[name] = getattr(self.format, name)
        values.update(self.format.words)
        return values

    def threshold_bits(self):
        """Of FP16 where the packer reads that, else of BF16."""
        encode = fp16_bytes if self.format.pack_format == FP16 else bf16_bytes
        return int.from_bytes(encode([self.threshold]), 'little')

    def run(self, accel, machine=''):
        """Bytes that the program leaves, and what QEMU reports meanwhile."""
        words = {SHARED + 4 * WORDS.index(name): value
                 for name, value in self.words().items()}
        with Tile(program='tiles', accel=accel, words=words, stopped=True,
                  machine=machine,
                  extra=['-d', 'guest_errors,unimp']) as tile:
            for address, data in ((A, self.a), (B, self.b), (BIAS, self.bias)):
                tile.write(address, data)
            tile.qmp('cont')
            tile.wait_for_word(SHARED + 4 * WORDS.index('finished'), TILES,
                               SECONDS)
            result = tile.read(OUT, len(b''.join(self.results)))
            return result, tile.output()


class Tiles(unittest.TestCase):
    def check(self, job, *names, **options):
        for name in names:
            case = Case(job, name, **options)
            for accel in ACCELERATORS:
                with self.subTest(format=name, accel=accel):
                    self.compare(case, *case.run(accel))

    def compare(self, case, result, output):
        self.assertEqual(output, '')
        wanted = b''.join(case.results)
        for at in range(0, len(wanted), FACE):
            self.assertEqual(result[at:][:FACE].hex(),
                             wanted[at:][:FACE].hex(), f'at {at:#x}')

    def test_schedules(self):
        """No order of the threads makes a difference."""
        for job, name in (('add', 'int8'), ('sum', 'bf16'), ('max', 'fp16'),
                          ('dense', 'bfp8'), ('transpose', 'uint8'),
                          ('tilize', 'fp32'), ('untilize', 'bfp4'),
                          ('to_dest', 'fp32_dest')):
            case = Case(job, name)
            for seed in range(1, 4):
                with self.subTest(job=job, seed=seed):
                    self.compare(case, *case.run('icount',
                                                 f'schedule=seed={seed}'))

    def test_add(self):
        self.check('add', *FLOATS, *INTEGERS)

    def test_reduce_max(self):
        self.check('max', *FLOATS, *TINY, *INTEGERS)

    def test_reduce_sum(self):
        self.check('sum', *FLOATS, *INTEGERS)

    def test_dense(self):
        """Matrix multiplication, bias and ReLU."""
        self.check('dense', *FLOATS, *INTEGERS, relu=1)

    def test_relu(self):
        self.check('copy', *FLOATS, *INTEGERS, 'int16', relu=1)

    def test_relu_thresholds(self):
        for mode in (2, 3):
            with self.subTest(mode=mode):
                self.check('copy', *WIDE, 'bfp8', 'e4m3', relu=mode,
                           threshold=0.5)

    def test_copy(self):
        self.check('copy', *FLOATS, *TINY, *INTEGERS, 'int16')

    def test_transpose(self):
        self.check('transpose', *FLOATS, *TINY, *INTEGERS, 'int16')

    def test_tilize(self):
        # block floats have no rows to start from
        self.check('tilize', *WIDE, 'e5m2', 'e4m3', *INTEGERS, 'int16')

    def test_untilize(self):
        self.check('untilize', *FLOATS, *TINY, *INTEGERS, 'int16')

    def test_unpack_to_dest(self):
        self.check('to_dest', 'fp32_dest', 'int32_dest', 'int16', 'bf16',
                   'fp16', *BLOCK8, *SMALL)


if __name__ == '__main__':
    unittest.main()
