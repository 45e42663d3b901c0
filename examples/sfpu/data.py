# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes x.npy and expected.npy = 1 / (1 + e^-x) into a folder."""

import os
import sys

import numpy

SIZE, LIMIT = 64, 9.0


def bf16(matrix):
    """Rounded to nearest, ties to even, as numbers in fp32."""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    bits = bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000
    return bits.view(numpy.float32)


def main(folder):
    """All of a range, then a few extremes."""
    x = numpy.linspace(-LIMIT, LIMIT, SIZE * SIZE)
    x[:6] = -1e30, -100, -0.0, 0, 100, 1e30
    x = bf16(x.reshape(SIZE, SIZE))
    with numpy.errstate(over='ignore'):
        y = bf16(1 / (1 + numpy.exp(-x.astype(float))))
    for name, matrix in (('x', x), ('expected', y)):
        numpy.save(os.path.join(folder, f'{name}.npy'), matrix)


if __name__ == '__main__':
    main(sys.argv[1])
