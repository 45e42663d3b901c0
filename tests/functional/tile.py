# SPDX-License-Identifier: GPL-2.0-or-later
"""What functional tests share: the users' package blackhole_tile (python/),
and machines that run a program of tests/firmware by its name.

    with Tile(program='demo', accel='single') as tile:
        status = tile.wait_for_exit(60)
        print(tile.output())
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'python'))

# pylint: disable=wrong-import-position,unused-import
import blackhole_tile
from blackhole_tile import (ACCELERATORS, APERTURE, APERTURE_SEMAPHORES,
                            APERTURE_SIZE, HARTS, L1_SIZE, SOFT_RESET,
                            TileError, TileTimeout, hart_view)

BUILD = os.environ.get('TENSIX_BUILD', os.path.join(ROOT, 'build'))
QEMU = os.path.join(BUILD, 'qemu-system-riscv64')
FIRMWARE = os.path.join(BUILD, 'firmware')

SHARED = 0x20000            # SHARED_BASE of tests/firmware/tensix.h


def images(program):
    """The ELFs of a program of tests/firmware, by hart."""
    try:
        return blackhole_tile.images(FIRMWARE, program)
    except FileNotFoundError as error:
        raise FileNotFoundError(f'{error}; run make -C tests/firmware') \
            from None


class Tile(blackhole_tile.Tile):
    """program: of tests/firmware, or images: {hart: ELF file}.  The other
    options are those of blackhole_tile.Tile."""

    def __init__(self, program=None, accel='single', images=None, **options):
        if program:
            images = globals()['images'](program)
        super().__init__(images, accel, qemu=QEMU, **options)
