# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a.npy, b.npy and expected.npy = a + b into a folder."""

import os
import random
import sys

from blackhole_tile import npy

SIZE = 64
# eighths, so small that bf16 (eight significant bits) holds each sum exactly
LIMIT, UNIT = 63, 1 / 8


def main(folder):
    """Matrices with the same numbers every time."""
    numbers = random.Random('add')
    a, b = ([[numbers.randint(-LIMIT, LIMIT) * UNIT for _ in range(SIZE)]
             for _ in range(SIZE)] for _ in range(2))
    c = [[x + y for x, y in zip(*rows)] for rows in zip(a, b)]
    for name, matrix in (('a', a), ('b', b), ('expected', c)):
        npy.write_matrix(os.path.join(folder, f'{name}.npy'), matrix, False)


if __name__ == '__main__':
    main(sys.argv[1])
