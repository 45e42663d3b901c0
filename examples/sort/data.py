# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes x.npy and expected.npy, its columns of 16 numbers sorted, into a
folder."""

import os
import sys

import numpy

SIZE, ROWS = 64, 16


def bf16(matrix):
    """Rounded to nearest, ties away from zero, as SFP_STOCH_RND does, as
    numbers in fp32  (docs/rounding.rst)"""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    return (bits + 0x8000 & 0xFFFF0000).view(numpy.float32)


def main(folder):
    """Numbers of both signs, some of them equal"""
    random = numpy.random.default_rng(1)
    x = bf16(random.normal(0, 1e3, (SIZE, SIZE)))
    x[:, ::3] = numpy.round(x[:, ::3] / 512)
    x += 0.0
    y = numpy.sort(x.reshape(SIZE // ROWS, ROWS, SIZE), axis=1)
    y = y.reshape(x.shape)
    for name, matrix in (('x', x), ('expected', y)):
        numpy.save(os.path.join(folder, f'{name}.npy'), matrix)


if __name__ == '__main__':
    main(sys.argv[1])
