# SPDX-License-Identifier: GPL-2.0-or-later
"""What a host does for tt-metal's firmware: boot it, launch kernels on it.

Layouts are those of a p100a's ELFs of the firmware generation whose launch
message has 96 bytes (blackhole-py's riscv-firmware/p100a; spec FACTS 4.4 to
4.7).  Newer firmware puts its mailboxes elsewhere: boot() will time out.

    with Tile() as tile:
        tile.boot_firmware('p100a')
        tile.write_pages(SOURCE, data)
        tile.launch({'brisc': 'writer.elf', ...}, args={'brisc': [...], ...},
                    buffers={0: Buffer(0x37000, 0x1000, 2048), ...})
        result = tile.read_pages(RESULT, len(data))
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Dict, List, Mapping, Optional, Sequence,
                    Tuple, Union)

from . import files
from .elf import ElfError, read_elf
from .memory_map import (HARTS, L1_SIZE, dram_address, dram_coordinates,
                         jump_to)

if TYPE_CHECKING:
    from .machine import Tile

# --- mailboxes, in L1 ---

SUBORDINATE_SYNC = 0x68              # a byte for NCRISC and each TRISC
LAUNCH_INDEX, LAUNCH_RING, LAUNCH_SIZE, LAUNCH_SLOTS = 0x6C, 0x70, 96, 8
GO_WORD, GO_BYTE, GO_INIT = 0x370, 0x373, 0x40000000
GO_INDEX = 0x3A0
GO_RUN, GO_DONE = 0x80, 0
STAGED_DATA = {'brisc': 0x82B0, 'ncrisc': 0xA2B0}   # first words of .data
STAGED_WORD = 0x68
KERNEL_BASE = 0x82B0                 # image of the kernels and what they read
KERNEL_LIMIT = 0x37000               # where circular buffers may begin
DRAM_TABLE = 0x112B0                 # u16 y << 6 | x, by NoC and bank

NOCS, P100A_BANKS = 2, 7
PAGE = 2048                          # bytes: a tile of 1024 in bf16

# --- the launch message ---

ALIGN = 16
BUFFERS = 32
FIRST_STREAM = 8                     # whose registers count buffer 0's pages
BUFFER_ENTRY = struct.Struct('<4I')
NO_REMOTE_BUFFER = 32
ENABLES = {'brisc': 1, 'ncrisc': 2, 'trisc0': 4, 'trisc1': 4, 'trisc2': 4}
HOST_MODE = 1                        # the firmware does not notify anybody

Kernel = Union[str, bytes]


class FirmwareError(Exception):
    """What was asked for cannot be put into L1."""


@dataclass(frozen=True)
class Buffer:
    """A circular buffer: address and size in L1, bytes of a page."""
    address: int
    size: int
    page: int = PAGE


def images(folder: str, program: str = '') -> Dict[str, str]:
    """{hart: ELF file} of a folder: brisc.elf, trisc0.elf and so on, or
    PROGRAM-brisc.elf with a program's name.  Raises FileNotFoundError if
    there is none."""
    prefix = f'{program}-' if program else ''
    names = {hart: f'{prefix}{hart}.elf' for hart in HARTS}
    found = {hart: os.path.join(folder, name) for hart, name in names.items()
             if os.path.exists(os.path.join(folder, name))}
    if not found:
        raise FileNotFoundError(
            f'{folder}: has none of {" ".join(names.values())}'
            if os.path.isdir(folder) else f'{folder}: no such folder')
    return found


# --- boot ---

def dram_table(banks: int = P100A_BANKS) -> bytes:
    """Where the firmware finds the banks: what a host writes at
    DRAM_TABLE."""
    places = [dram_coordinates(bank) for bank in range(banks)]
    return struct.pack(f'<{banks}H', *(y << 6 | x for x, y in places)) * NOCS


def booted(tile: 'Tile') -> bool:
    """Has every hart of the firmware arrived in its loop?"""
    return tile.read8(GO_BYTE) == GO_DONE and \
        tile.read32(SUBORDINATE_SYNC) == 0


def load(tile: 'Tile', elfs: Mapping[str, str]) -> None:
    """Writes what a host writes into the L1 of a tile that is in reset."""
    for address in (GO_INDEX, LAUNCH_INDEX):
        tile.write32(address, 0)
    tile.write(LAUNCH_RING, bytes(LAUNCH_SIZE * LAUNCH_SLOTS))
    for address in STAGED_DATA.values():
        tile.write32(address, STAGED_WORD)
    tile.write(DRAM_TABLE, dram_table())
    for hart, path in elfs.items():
        tile.name_symbols(hart, path)
        for address, data in read_elf(path).segments:
            if address + len(data) <= L1_SIZE:
                tile.write(address, data)
    tile.write32(0, jump_to(read_elf(elfs['brisc']).entry))
    tile.write32(GO_WORD, GO_INIT)


def boot(tile: 'Tile', folder: str, seconds: float = 30) -> None:
    """Boots the five ELFs of a folder (brisc.elf to trisc2.elf): holds the
    tile in reset, writes L1, releases BRISC, lets the machine run if it was
    stopped, waits until all harts wait for a launch message.  Raises
    TileTimeout, whose text has `info tensix why`."""
    elfs = images(folder)
    missing = [hart for hart in HARTS if hart not in elfs]
    if missing:
        raise FileNotFoundError(f'{folder} lacks {missing[0]}.elf')
    tile.hold()
    load(tile, elfs)
    tile.release('brisc')
    tile.cont()
    tile.wait_for(booted, seconds, f'boot of the firmware in {folder}')


# --- launch ---

def text_of(kernel: Kernel) -> bytes:
    """A kernel's code: bytes as they are; of a .elf file its first segment in
    L1, of another file all.  It has to run at any address that is a multiple
    of 16, as tt-metal's kernels do."""
    if isinstance(kernel, (bytes, bytearray)):
        return bytes(kernel)
    if not kernel.endswith('.elf'):
        return files.read(kernel)
    return text_segment(kernel)[1]


def text_segment(path: str) -> Tuple[int, bytes]:
    """Address and bytes of an ELF's first segment in L1."""
    for address, data in read_elf(path).segments:
        if address < L1_SIZE:
            return address, data
    raise ElfError(f'{path}: nothing to load into L1')


class Launch:
    """An image of kernels and its launch message.

    kernels: {hart: code}, see text_of().  args: {hart: words}, run-time
    arguments.  buffers: {number: Buffer}.  semaphores: values of the program's
    semaphores, 16 bytes apart.  first_stream: of the overlay, whose registers
    the kernels use for buffer 0: 8, and 0 in newer tt-metal.
    """

    def __init__(self, kernels: Mapping[str, Kernel],
                 args: Optional[Mapping[str, Sequence[int]]] = None,
                 buffers: Optional[Mapping[int, Buffer]] = None,
                 semaphores: Sequence[int] = (),
                 first_stream: int = FIRST_STREAM):
        self.first_stream = first_stream
        self.image = bytearray()
        self.harts = [hart for hart in HARTS if hart in kernels]
        if not self.harts or set(kernels) - set(HARTS):
            raise FirmwareError(f'kernels are for {" ".join(HARTS)}')
        self.args = [self._put(struct.pack(f'<{len(words)}I', *words), 4)
                     for words in ((args or {}).get(hart, ())
                                   for hart in HARTS)]
        self.semaphores = self._put(b''.join(
            struct.pack('<I12x', value) for value in semaphores))
        self.circular = dict(buffers or {})
        self.mask, self.buffers = self._put_buffers(self.circular)
        self.end_of_buffers = len(self.image)
        self.texts = [self._put(text_of(kernels[hart]))
                      if hart in kernels else 0 for hart in HARTS]
        self.symbols = [
            (hart, kernel, KERNEL_BASE + text - text_segment(kernel)[0])
            for hart, text in zip(HARTS, self.texts)
            for kernel in [kernels.get(hart)]
            if isinstance(kernel, str) and kernel.endswith('.elf')]
        if KERNEL_BASE + len(self.image) > KERNEL_LIMIT:
            raise FirmwareError(f'kernels and arguments take '
                                f'{len(self.image)} bytes; there are '
                                f'{KERNEL_LIMIT - KERNEL_BASE}')

    def _put(self, data: bytes, align: int = ALIGN) -> int:
        self.image += bytes(-len(self.image) % align)
        offset = len(self.image)
        self.image += data
        return offset

    def _put_buffers(self, buffers: Mapping[int, Buffer]) -> tuple:
        """(mask of the buffers that exist, offset of their table)."""
        if any(not 0 <= number < BUFFERS for number in buffers):
            raise FirmwareError(f'circular buffers have numbers below '
                                f'{BUFFERS}')
        table = bytearray(BUFFER_ENTRY.size * (max(buffers, default=-1) + 1))
        for number, buffer in buffers.items():
            BUFFER_ENTRY.pack_into(table, BUFFER_ENTRY.size * number,
                                   buffer.address, buffer.size,
                                   buffer.size // buffer.page, buffer.page)
        return sum(1 << number for number in buffers), self._put(table)

    def message(self) -> bytes:
        """The 96 bytes of the launch message."""
        common = self.buffers               # no arguments common to harts
        offsets = [offset for own in self.args for offset in (own, common)]
        enables = 0
        for hart in self.harts:
            enables |= ENABLES[hart]
        data = struct.pack('<3I 3H 2H 10H BB 5I', *[KERNEL_BASE] * 3,
                           *[self.semaphores] * 3, self.buffers,
                           self.end_of_buffers, *offsets, HOST_MODE, 0,
                           *self.texts)
        data += struct.pack('<I 4B 2I', self.mask, 0, 0, NO_REMOTE_BUFFER, 0,
                            0, enables)
        return data.ljust(LAUNCH_SIZE, b'\0')

    def write(self, tile: 'Tile') -> None:
        """Puts image and message into L1, in the slot that comes next."""
        for hart, path, offset in self.symbols:
            tile.name_symbols(hart, path, offset)
        slot = tile.read32(LAUNCH_INDEX) % LAUNCH_SLOTS
        tile.write(KERNEL_BASE, bytes(self.image))
        tile.write(LAUNCH_RING + LAUNCH_SIZE * slot, self.message())
        tile.write32(GO_INDEX, 0)

    def go(self, tile: 'Tile') -> None:
        """Starts it."""
        tile.write8(GO_BYTE, GO_RUN)


def finished(tile: 'Tile') -> bool:
    """Is the kernel that was launched last over?"""
    return tile.read8(GO_BYTE) == GO_DONE


# --- pages of buffers in DRAM ---

def page_address(base: int, page: int, page_bytes: int = PAGE,
                 banks: int = P100A_BANKS) -> int:
    """Where page n of an interleaved buffer is: bank n % banks."""
    return dram_address(page % banks, base + page // banks * page_bytes)


def page_ranges(size: int, page_bytes: int = PAGE,
                banks: int = P100A_BANKS) -> List[Tuple[int, int]]:
    """(bank, bytes) of what each has of an interleaved buffer."""
    pages = -(-size // page_bytes)
    return [(bank, page_bytes * (1 + (pages - bank - 1) // banks))
            for bank in range(min(banks, pages))]


def write_pages(tile: 'Tile', base: int, data: bytes,
                page_bytes: int = PAGE) -> None:
    """Writes an interleaved buffer, from offset `base` of every bank on."""
    for n in range(0, len(data), page_bytes):
        tile.write(page_address(base, n // page_bytes, page_bytes),
                   data[n:n + page_bytes])


def read_pages(tile: 'Tile', base: int, size: int,
               page_bytes: int = PAGE) -> bytes:
    """Reads one."""
    pieces: List[bytes] = []
    for n in range(0, size, page_bytes):
        pieces.append(tile.read(page_address(base, n // page_bytes,
                                             page_bytes),
                                min(page_bytes, size - n)))
    return b''.join(pieces)
