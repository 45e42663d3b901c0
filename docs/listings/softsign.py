# SPDX-License-Identifier: GPL-2.0-or-later
import os
import sys

import numpy


def exact(x):
    return x / (1 + abs(x))


if __name__ == '__main__':
    x = numpy.linspace(-8, 8, 64 * 64, dtype=numpy.float32).reshape(64, 64)
    x = (x.view(numpy.uint32) & 0xFFFF0000).view(numpy.float32)   # bf16
    for name, matrix in ('x', x), ('expected', exact(x)):
        numpy.save(os.path.join(sys.argv[1], f'{name}.npy'), matrix)
