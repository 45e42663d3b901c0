# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes x.npy and expected.npy = gelu(x) into a folder."""

import math
import os
import sys

import numpy

SIZE, LIMIT = 64, 14.0


def bf16(matrix):
    """Rounded to nearest, ties away from zero, as SFP_STOCH_RND does, as
    numbers in fp32  (docs/rounding.rst)"""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    return (bits + 0x8000 & 0xFFFF0000).view(numpy.float32)


def main(folder):
    """All of a range, then a few extremes."""
    x = numpy.linspace(-LIMIT, LIMIT, SIZE * SIZE)
    x[:6] = -1e30, -100, -0.0, 0, 100, 1e30
    x = bf16(x.reshape(SIZE, SIZE))
    erfc = numpy.vectorize(math.erfc)
    y = bf16(x / 2 * erfc(-x.astype(float) / math.sqrt(2)))
    for name, matrix in (('x', x), ('expected', y)):
        numpy.save(os.path.join(folder, f'{name}.npy'), matrix)


if __name__ == '__main__':
    main(sys.argv[1])
