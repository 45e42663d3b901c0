# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes x.npy and expected.npy = softmax of its rows of 32 numbers into a
folder."""

import os
import sys

import numpy

SIZE, ROW = 64, 32


def bf16(matrix):
    """Rounded to nearest, ties away from zero, as SFP_STOCH_RND does, as
    numbers in fp32  (docs/rounding.rst)"""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    return (bits + 0x8000 & 0xFFFF0000).view(numpy.float32)


def main(folder):
    """Rows of wide and of narrow range, and two with one number that leads"""
    random = numpy.random.default_rng(1)
    x = random.normal(0, 1, (SIZE, SIZE)) * numpy.linspace(0, 20, SIZE)
    x[1, 7], x[2, 40] = 200, 1e30
    x = bf16(x)
    rows = x.astype(float).reshape(SIZE, SIZE // ROW, ROW)
    powers = numpy.exp(rows - rows.max(2, keepdims=True))
    y = bf16((powers / powers.sum(2, keepdims=True)).reshape(x.shape))
    for name, matrix in (('x', x), ('expected', y)):
        numpy.save(os.path.join(folder, f'{name}.npy'), matrix)


if __name__ == '__main__':
    main(sys.argv[1])
