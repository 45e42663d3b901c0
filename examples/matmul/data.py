# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a.npy, b.npy and expected.npy = a x b into a folder."""

import os
import sys

import numpy

ROWS, INNER, COLUMNS = 64, 96, 128
# Integers of eight significant bits, which all fidelity phases are needed for.
# All have the same exponent, so that the Matrix Unit adds them up exactly.
LOWEST, HIGHEST = 128, 255


def operands(numbers, shape):
    """With either sign."""
    return (numbers.integers(LOWEST, HIGHEST + 1, shape) *
            numbers.choice((-1, 1), shape))


def packed(matrix):
    """In bf16, as numbers in fp32: the packer cuts off what does not fit."""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    return (bits & 0xFFFF0000).view(numpy.float32)


def main(folder):
    """Matrices with the same numbers every time."""
    numbers = numpy.random.default_rng(2)
    a = operands(numbers, (ROWS, INNER))
    b = operands(numbers, (INNER, COLUMNS))
    for name, matrix in (('a', a), ('b', b), ('expected', packed(a @ b))):
        numpy.save(os.path.join(folder, f'{name}.npy'),
                   matrix.astype(numpy.float32))


if __name__ == '__main__':
    main(sys.argv[1])
