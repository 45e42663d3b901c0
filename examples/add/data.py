# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a.npy, b.npy and expected.npy = a + b into a folder."""

import os
import sys

import numpy

SIZE = 64
# eighths, so small that bf16 (eight significant bits) holds each sum exactly
LIMIT, UNIT = 63, 1 / 8


def main(folder):
    """Matrices with the same numbers every time."""
    numbers = numpy.random.default_rng(1)
    a, b = (numbers.integers(-LIMIT, LIMIT + 1, (SIZE, SIZE)) * UNIT
            for _ in range(2))
    for name, matrix in (('a', a), ('b', b), ('expected', a + b)):
        numpy.save(os.path.join(folder, f'{name}.npy'),
                   matrix.astype(numpy.float32))


if __name__ == '__main__':
    main(sys.argv[1])
