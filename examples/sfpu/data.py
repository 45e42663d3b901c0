# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes x.npy and expected.npy = 1 / (1 + e^-x) into a folder."""

import os
import sys

import numpy

SIZE, LIMIT = 64, 9.0
FUNCTION = 'sigmoid'                 # for scripts/accuracy


def bf16(matrix):
    """Rounded to nearest, ties away from zero, as SFP_STOCH_RND does, as
    numbers in fp32.  (docs/rounding.rst; most other software takes ties to
    even.  Here both give the same: for a rational x other than 0, e^-x is
    irrational, so no result is a tie.)"""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    return (bits + 0x8000 & 0xFFFF0000).view(numpy.float32)


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
