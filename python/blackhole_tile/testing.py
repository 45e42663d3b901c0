# SPDX-License-Identifier: GPL-2.0-or-later
"""What this tree's own tests share: machines that run a program of
tests/firmware by its name, every accelerator in turn, children that heed
Ctrl-C.

    with Tile(program='demo', accel='single') as tile:
        status = tile.wait_for_exit(60)
        print(tile.output())
"""

from __future__ import annotations

import functools
import os
import resource
import signal
from typing import Any, Callable, Dict, Mapping, Optional

from . import firmware, machine
from .machine import ACCELERATORS, BUILD, ROOT

QEMU = os.path.join(BUILD, machine.EMULATOR)
FIRMWARE = os.path.join(BUILD, 'firmware')

SHARED = 0x20000            # SHARED_BASE of include/blackhole-tile/map.h


def images(program: str) -> Dict[str, str]:
    """The ELFs of a program of tests/firmware, by hart.  Raises
    FileNotFoundError if they have not been made."""
    try:
        return firmware.images(FIRMWARE, program)
    except FileNotFoundError as error:
        raise FileNotFoundError(f'{error}; run make -C tests/firmware') \
            from None


class Tile(machine.Tile):
    """program: of tests/firmware, or images: {hart: ELF file}.  The other
    options are those of machine.Tile; the emulator is this tree's."""

    def __init__(self, program: Optional[str] = None, accel: str = 'single',
                 images: Optional[Mapping[str, str]] = None,
                 **options: Any):
        # pylint: disable=redefined-outer-name
        if program:
            images = globals()['images'](program)
        super().__init__(images, accel, qemu=QEMU, **options)


def resident(tile: machine.Tile) -> int:
    """Bytes of memory that the emulator has."""
    with open(f'/proc/{tile.process.pid}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def heed_control_c() -> None:
    """For preexec_fn of a child that is to get SIGINT: the tests may run in
    the background of a shell, where it is ignored, as children inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def every_accelerator(test: Callable) -> Callable:
    """Decorator of a method of a unittest.TestCase: runs it as a subtest with
    each accelerator, whose name is its argument."""
    @functools.wraps(test)
    def run(self: Any) -> None:
        for accel in ACCELERATORS:
            with self.subTest(accel):
                test(self, accel)
    return run
