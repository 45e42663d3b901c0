# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes data.npy, 512 KiB of random words, into a folder."""

import os
import sys

import numpy

WORDS = 1 << 17

if __name__ == '__main__':
    numpy.save(os.path.join(sys.argv[1], 'data.npy'),
               numpy.random.default_rng(3).integers(
                   0, 1 << 32, WORDS, dtype=numpy.uint32))
