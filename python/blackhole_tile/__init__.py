# SPDX-License-Identifier: GPL-2.0-or-later
"""blackhole_tile: Python for users of qemu-system-riscv64 -M blackhole-tile.

    import numpy
    import blackhole_tile as bt

    a, b = numpy.random.default_rng(1).integers(-9, 9, (2, 64, 64))
    with bt.Tile(bt.images('build/examples/add'), stopped=True) as tile:
        tile.put_tiles(0x40000, a, 'bf16')
        tile.put_tiles(0x60000, b, 'bf16')
        tile.write32(0x20000, 4)            # tiles to be added
        tile.go()
        tile.wait_for_word(0x20004, 4)
        c = tile.get_tiles(0x80000, (64, 64), 'bf16')
        dest = tile.registers.dest('bf16')
    assert (c == a + b).all()

(`scripts/run examples/add` makes build/examples/add.)

machine     Tile: start, stop, memory, QMP, qtest, harts, waiting
registers   Dest, SrcA, SrcB, LReg, counters, semaphores as arrays
state       waits, threads, configuration, violations as objects
leaks       what a kernel left behind: two snapshots or runs compared
formats     number formats of L1: bf16, bfp8, int8, ...
instructions   tt(): words of Tensix instructions
tiles       matrices as tiles of 32 x 32, and back
grid        arrays as text, folded
snapshots   a disk for savevm and loadvm
firmware    boot tt-metal's firmware, launch kernels on it
memory_map  addresses
paths       the emulator, and what kernels are built with
errors      what is raised
notebook    tables for notebooks
elf, npy    files
cli         what the command lines share
debug       the program scripts/debug
run         the program scripts/run (with places and watch); as a function,
            run('examples/add', a=a, b=b)['c'] (kernel_run)
qmp         QMP over a socket
console     the programs as commands that pip installs
attach      Attached: a machine that another program started
picture     the program scripts/picture (with panels)
pytest_plugin   the fixture tile for pytest
testing     what this tree's own tests share

Arrays are numpy's; pictures are matplotlib's.
"""

import importlib.util as _util
import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any

if _sys.version_info < (3, 10):
    raise ImportError(f'blackhole_tile needs Python 3.10 or newer; '
                      f'{_sys.executable} is {_sys.version.split()[0]}')
if _util.find_spec('numpy') is None:
    raise ImportError(f'blackhole_tile needs numpy, which {_sys.executable} '
                      f'does not have (Debian: python3-numpy with '
                      f'/usr/bin/python3; elsewhere: pip install numpy)')

# pylint: disable=wrong-import-position
from .elf import ElfError, read_elf
from .cli import UseError
from .errors import (AddressError, CheckError, DifferenceError, EndedError,
                     StartError, TileDeadlock, TileError, TileTimeout,
                     ViolationError)
from .firmware import Buffer, FirmwareError, images
from .formats import FORMATS, FormatError
from .instructions import InstructionError, tt
from .machine import ACCELERATORS, Tile
from .memory_map import (APERTURE, APERTURE_SEMAPHORES, APERTURE_SIZE, HARTS,
                         L1_SIZE, SOFT_RESET, dram_address, hart_view,
                         noc_address)
from .npy import ArrayFileError
from .paths import emulator
from .tiles import decode, encode, tilize, untilize



def __getattr__(name: str) -> _Any:
    """bt.run() is a module, too, which `python -m` must not find imported."""
    if name == 'run':
        return _import_module('.run', __name__)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


__version__ = '0.1.0'                # hw/tenstorrent/VERSION

__all__ = [
    'ACCELERATORS', 'APERTURE', 'APERTURE_SEMAPHORES', 'APERTURE_SIZE',
    'AddressError', 'ArrayFileError', 'Buffer', 'CheckError',
    'DifferenceError', 'ElfError', 'EndedError', 'FORMATS', 'FirmwareError',
    'FormatError', 'HARTS', 'InstructionError', 'L1_SIZE', 'SOFT_RESET',
    'StartError', 'Tile', 'TileDeadlock', 'TileError', 'TileTimeout',
    'UseError', 'ViolationError',
    'decode', 'dram_address', 'emulator', 'encode', 'hart_view', 'images',
    'noc_address', 'read_elf', 'run', 'tilize', 'tt', 'untilize',
]
