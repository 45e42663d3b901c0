# SPDX-License-Identifier: GPL-2.0-or-later
"""blackhole_tile: Python for users of qemu-system-riscv64 -M blackhole-tile.

    import blackhole_tile as bt

    with bt.Tile(bt.images('build/examples/add')) as tile:
        tile.put_tiles(0x40000, a, 'bf16')
        tile.put_tiles(0x60000, b, 'bf16')
        tile.wait_for_word(0x20000, 1)
        c = tile.get_tiles(0x80000, (32, 32), 'bf16')
        dest = tile.registers.dest('bf16')

machine     Tile: start, stop, memory, QMP, qtest, harts, waiting
registers   Dest, SrcA, SrcB, LReg, counters, semaphores as arrays
state       who waits for what, threads, configuration, violations as objects
leaks       what a kernel left behind: two snapshots or runs compared
formats     number formats of L1: bf16, bfp8, int8, ...
tiles       matrices as tiles of 32 x 32, and back
grid        arrays as text, folded
snapshots   a disk for savevm and loadvm
firmware    boot tt-metal's firmware, launch kernels on it
memory_map  addresses
elf, npy    files
cli         what the command lines share
debug       the program scripts/debug
run         the program scripts/run (with places and watch)
qmp         QMP over a socket
attach      Attached: a machine that somebody else started
picture     the program scripts/picture (with panels)
pytest_plugin   the fixture tile for pytest
testing     what this tree's own tests share

Arrays are numpy's; pictures are matplotlib's.
"""

from .elf import ElfError, read_elf
from .errors import EndedError, StartError, TileError, TileTimeout
from .firmware import Buffer, FirmwareError, images
from .formats import FORMATS, FormatError
from .machine import ACCELERATORS, Tile, emulator
from .memory_map import (APERTURE, APERTURE_SEMAPHORES, APERTURE_SIZE, HARTS,
                         L1_SIZE, SOFT_RESET, dram_address, hart_view,
                         noc_address)
from .npy import ArrayFileError
from .tiles import decode, encode, tilize, untilize

__all__ = [
    'ACCELERATORS', 'APERTURE', 'APERTURE_SEMAPHORES', 'APERTURE_SIZE',
    'ArrayFileError', 'Buffer', 'ElfError', 'EndedError', 'FORMATS',
    'FirmwareError', 'FormatError', 'HARTS', 'L1_SIZE', 'SOFT_RESET',
    'StartError', 'Tile', 'TileError', 'TileTimeout', 'decode',
    'dram_address', 'emulator', 'encode', 'hart_view', 'images',
    'noc_address', 'read_elf', 'tilize', 'untilize',
]
