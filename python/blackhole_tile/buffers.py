# SPDX-License-Identifier: GPL-2.0-or-later
"""Declared buffers: bounds=report reports accesses beyond them.  A machine
without that check keeps no declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import NotActiveError
from .memory_map import HARTS, L1_SIZE, VIEW_SIZE, dram_place

if TYPE_CHECKING:
    from .firmware import Launch
    from .machine import Tile

CIRCULAR = 'cb '                     # and a number: names of a launch
TILE = '/machine/tile[0]'            # whose memory addresses are


def are_checked(tile: 'Tile') -> bool:
    """Whether the machine keeps declarations: bounds=report, check=all or an
    object tensix-bounds."""
    try:
        tile.qmp('query-tensix-buffers', path=TILE)
    except NotActiveError:
        return False
    return True


def declare(tile: 'Tile', address: int, size: int, name: str,
            **more: Any) -> None:
    """Declares a buffer, instead of one with that name.  Memory that is not
    in L1 or DRAM is not checked.  more: stream and page of a circular
    buffer."""
    view, offset = divmod(address, VIEW_SIZE)
    place = dram_place(address)
    if place:
        more['bank'], offset = place
    elif view > len(HARTS) or offset >= L1_SIZE:
        return
    try:
        tile.qmp('tensix-buffer', name=name, address=offset, size=size,
                 path=TILE, **more)
    except NotActiveError:
        pass


def remove(tile: 'Tile', name: str) -> None:
    """Removes a declaration.  Raises TileError if there is none."""
    try:
        tile.qmp('tensix-buffer-remove', name=name, path=TILE)
    except NotActiveError:
        pass


def declare_circular(tile: 'Tile', launch: 'Launch') -> None:
    """Declares the circular buffers of a launch, instead of those of the
    launch before."""
    try:
        known = tile.qmp('query-tensix-buffers', path=TILE)
    except NotActiveError:
        return
    for row in known:
        if row['name'].startswith(CIRCULAR):
            remove(tile, row['name'])
    for number, buffer in launch.circular.items():
        declare(tile, buffer.address, buffer.size, f'{CIRCULAR}{number}',
                stream=launch.first_stream + number, page=buffer.page)
