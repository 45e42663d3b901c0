# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine that another program started, through its QMP socket.

    qemu-system-riscv64 -M blackhole-tile -qmp unix:tile.qmp,server,wait=off

    with Attached('tile.qmp') as tile:
        print(tile.why(), tile.state.dest(0, 4).rows)

Looking does not disturb: nothing is stopped unless still() is used.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from typing import Any, Dict, Iterator, List

from .errors import EndedError, StartError, TileError
from .machine import Tile
from .memory_map import check_access
from .qmp import Lines, Qmp
from .registers import Registers
from .state import State

SECONDS = 20                         # for an answer


def connected(path: str, seconds: float) -> Lines:
    """Lines to and from a QMP socket.  Raises StartError."""
    ours = socket.socket(socket.AF_UNIX)
    ours.settimeout(seconds)
    try:
        ours.connect(path)
    except OSError as error:
        ours.close()
        raise StartError(f'{path}: {error.strerror or error}; is it the '
                         f'socket of -qmp unix:{path},server,wait=off, '
                         f'and does no other client use it?') from None
    return Lines(ours)


class Attached(Tile):
    """The machine behind a QMP socket.  It can be inspected, stopped and
    continued; memory is read, not written, and closing does not end it.

    seconds: for an answer.  After a TileTimeout or a ProtocolError the
    connection is of no use any more.
    """

    # pylint: disable=super-init-not-called,abstract-method
    def __init__(self, path: str, seconds: float = SECONDS):
        self.path = path
        self.process, self.images = None, {}
        self.check = False
        # its owner may end one
        self.others_act, self._acted = True, 0.0
        self.state = State(self)
        self.registers = Registers(self, self.state)
        self.protocol = Qmp(connected(path, seconds))
        try:
            self.protocol.greet()
        except (TileError, OSError) as error:
            self.close()
            raise StartError(f'{path}: no QMP: {error}') from None

    def close(self) -> None:
        """Leaves the machine alone."""
        self.protocol.lines.close()

    def __repr__(self) -> str:
        return f'<Attached: {self._state_text()}, {self.path}>'

    def _state_text(self) -> str:
        try:
            return self.status()
        except (TileError, OSError, ValueError):
            return 'ended or closed'

    def _ended(self, command: str) -> EndedError:
        return EndedError(f'{command}: {self.path}: QEMU has ended')

    def read(self, address: int, size: int) -> bytes:
        """Bytes of memory, as BRISC sees it.  The emulator writes them to a
        file, so it has to be on this host."""
        check_access(address, size)
        with tempfile.TemporaryDirectory(prefix='tile-') as folder:
            path = os.path.join(folder, 'memory')
            self.qmp('pmemsave', val=address, size=size, filename=path)
            with open(path, 'rb') as file:
                return file.read()

    def read32(self, address: int) -> int:
        """A word."""
        return int.from_bytes(self.read(address, 4), 'little')

    def read8(self, address: int) -> int:
        """A byte."""
        return self.read(address, 1)[0]

    def qtest(self, line: str) -> Any:
        """There is none."""
        raise TileError(f'{line}: memory of a machine that was attached to '
                        f'cannot be written')

    def output_bytes(self, start: int = 0) -> bytes:
        """Unknown: its owner has it."""
        return b''

    def violations(self) -> List[tuple]:
        """(category, text) of each site, as the machine counts them."""
        return [(site.category, site.text) for one in self.tiles
                for site in one.state.violations().sites]

    def unfinished(self) -> List[str]:
        """What is unfinished now."""
        return [row.text for one in self.tiles
                for row in one.state.unfinished()]


@contextlib.contextmanager
def still(tile: Tile) -> Iterator[Dict[str, Any]]:
    """Holds a running machine while it is inspected."""
    status = tile.qmp('query-status')
    if status['running']:
        tile.stop()
    try:
        yield status
    finally:
        if status['running']:
            tile.cont()
