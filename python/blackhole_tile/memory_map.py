# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses of the machine, as docs/memory-map.rst has them.

All are addresses of BRISC's address space, which has the simulator's windows
above 4 GiB too.
"""

from __future__ import annotations

from typing import Optional, Tuple

from .errors import AddressError

HARTS = ('brisc', 'ncrisc', 'trisc0', 'trisc1', 'trisc2')

L1_SIZE = 0x180000
LOCAL_RAM = 0xFFB00000               # here and above: RAM, registers
VIEW_SIZE = 1 << 32                  # of a hart's address space
VIEWS = 1 + len(HARTS) + 1           # BRISC's own, each hart's, the NoC's
SOFT_RESET = 0xFFB121B0
TRISC_RESET_PC = 0xFFB12228          # + 4 * i
TRISC_RESET_PC_OVERRIDE = 0xFFB12234
NCRISC_RESET_PC = 0xFFB12238
NCRISC_RESET_PC_OVERRIDE = 0xFFB1223C
PUSH_WINDOW = 0xFFE40000             # a TRISC's: a store pushes to its thread
GPRS = 0xFFE00000                    # + 0x100 * thread, 64 words each

# Bits of SOFT_RESET; a set bit holds the hart
RESET_BITS = {'brisc': 1 << 11, 'trisc0': 1 << 12, 'trisc1': 1 << 13,
              'trisc2': 1 << 14, 'ncrisc': 1 << 18}
ALL_HELD = sum(RESET_BITS.values())

APERTURE = 0xF_0000_0000
APERTURE_SIZE = 0x25000
APERTURE_SEMAPHORES = APERTURE + 0x23000

TILE_SIZE = 1 << 40                  # of a tile's windows
MOST_TILES = 16
OTHER_TILES = 1 << 48
DRAM_BANKS = 8
DRAM_X, DRAM_Y = 17, 12              # first translated coordinate
BANKS_A_COLUMN, PORTS_A_BANK = 4, 3


def hart_view(hart: str, address: int = 0) -> int:
    """Where an address of a hart's own 4 GiB is seen, above 4 GiB."""
    return (HARTS.index(hart) + 1 << 32) + address


def tile_address(number: int, address: int = 0) -> int:
    """Where an address is seen that is a tile's own, as hart_view() and
    APERTURE give it for the first one.  number: from 0 on, row by row."""
    if not 0 <= number < MOST_TILES or not 0 <= address < TILE_SIZE:
        raise ValueError(f'no such place in a tile: {number} {address:#x}')
    return number * TILE_SIZE + address


def _end_of_memory(address: int) -> int:
    """Where the memory ends that an address is in; 0: it is in none.  Holes
    between registers are the machine's to report."""
    if OTHER_TILES <= address < 2 * OTHER_TILES:
        return 2 * OTHER_TILES
    number, own = divmod(address, TILE_SIZE)
    end = _end_in_tile(own) if 0 <= number < MOST_TILES else 0
    return end and end + number * TILE_SIZE


def _end_in_tile(address: int) -> int:
    """The same of an address that is a tile's own."""
    if APERTURE <= address < APERTURE + APERTURE_SIZE:
        return APERTURE + APERTURE_SIZE
    view, offset = divmod(address, VIEW_SIZE)
    if not 0 <= view < VIEWS:
        return 0
    if offset < L1_SIZE:
        return view * VIEW_SIZE + L1_SIZE
    return (view + 1) * VIEW_SIZE if offset >= LOCAL_RAM else 0


def check_access(address: int, size: int) -> None:
    """Raises AddressError unless memory has all these bytes."""
    end = _end_of_memory(address)
    if size < 0:
        raise AddressError(f'{size} bytes at {address:#x}: no such size')
    if not end:
        raise AddressError(f'{size} bytes at {address:#x}: there is no memory '
                           f'(L1 ends at {L1_SIZE:#x})')
    if address + size > end:
        raise AddressError(f'{size} bytes at {address:#x}: the memory there '
                           f'ends at {end:#x}')


def noc_address(x: int, y: int, address: int = 0) -> int:
    """Where the memory at NoC coordinates is seen.  address: below 2^36."""
    if not (0 <= x < 64 and 0 <= y < 64 and 0 <= address < 1 << 36):
        raise ValueError(f'no such place on the NoC: ({x},{y}) {address:#x}')
    return OTHER_TILES | y << 42 | x << 36 | address


def dram_coordinates(bank: int) -> Tuple[int, int]:
    """Translated (x, y) of a DRAM bank's first endpoint, bank 0 to 7."""
    if not 0 <= bank < DRAM_BANKS:
        raise ValueError(f'no DRAM bank {bank}; there are 0 to '
                         f'{DRAM_BANKS - 1}')
    column, row = divmod(bank, BANKS_A_COLUMN)
    return DRAM_X + column, DRAM_Y + PORTS_A_BANK * row


def dram_address(bank: int, offset: int = 0) -> int:
    """Where a byte of a DRAM bank is seen."""
    x, y = dram_coordinates(bank)
    return noc_address(x, y, offset)


def dram_place(address: int) -> Optional[Tuple[int, int]]:
    """(bank, offset) of an address of dram_address(); None: it is none."""
    tile, offset = divmod(address - OTHER_TILES, 1 << 36)
    for bank in range(DRAM_BANKS):
        x, y = dram_coordinates(bank)
        if tile & 63 == x and y <= tile >> 6 < y + PORTS_A_BANK:
            return bank, offset
    return None


def jump_to(target: int, source: int = 0) -> int:
    """The instruction at `source` that jumps to `target`, both in L1."""
    offset = target - source
    if offset % 2 or not -1 << 20 <= offset < 1 << 20:
        raise ValueError(f'no jump from {source:#x} reaches {target:#x}')
    return ((offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 |
            (offset >> 11 & 1) << 20 | (offset >> 12 & 0xFF) << 12 | 0x6F)


def reset_pc(hart: str) -> Optional[int]:
    """Register with the address at which a hart leaves reset; None: BRISC,
    which starts at 0."""
    if hart == 'ncrisc':
        return NCRISC_RESET_PC
    if hart.startswith('trisc'):
        return TRISC_RESET_PC + 4 * int(hart[-1])
    return None
