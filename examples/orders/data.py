# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes x.npy and expected.npy = x * x into a folder."""

import os
import sys

import numpy

TILES = 16


def main(folder):
    """What bf16 holds; squares are exact in fp32."""
    x = numpy.random.default_rng(5).standard_normal(
        (TILES * 32, 32), numpy.float32)
    x = (x.view(numpy.uint32) & 0xFFFF0000).view(numpy.float32)
    for name, matrix in (('x', x), ('expected', x * x)):
        numpy.save(os.path.join(folder, f'{name}.npy'), matrix)


if __name__ == '__main__':
    main(sys.argv[1])
