# SPDX-License-Identifier: GPL-2.0-or-later
"""One hart steps, all others are stopped: by a gdb server opened for that.

    with Stepper(tile, 'trisc1') as stepper:
        stepper.step()                # False: it cannot end the instruction
"""

from __future__ import annotations

import os
import socket
import tempfile
from typing import Any

from ..attach import Attached
from ..errors import EndedError, TileError
from ..memory_map import HARTS

SECONDS = 5.0                        # for an answer
STEP_SECONDS = 0.5                   # for an instruction
INTERRUPT = b'\x03'
RECEIVED = 4096
PACKET_END = 3                       # '#' and two digits


class Stepper:
    """Attached to all harts of a stopped machine, for one that no agent is
    attached to would run.  Raises TileError if another agent has the gdb
    server."""

    def __init__(self, tile: Attached, hart: str):
        self.tile = tile
        number = HARTS.index(hart) + 1
        self.thread = f'p{number:x}.{number:x}'
        if any(device['label'] == 'gdb'
               for device in tile.qmp('query-chardev')):
            raise TileError('the machine has a gdb server (-gdb): step there')
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix='tile-')
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(SECONDS)
        self.rest = b''
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        path = os.path.join(self.folder.name, 'gdb')
        option = path.replace(',', ',,')
        said = self.tile.hmp(f'gdbserver "unix:{option},server=on,wait=off"')
        try:
            self.link.connect(path)
        except OSError:
            raise TileError(f'no gdb server: {said.strip()}') from None
        self._ask('qSupported:multiprocess+')
        for number in range(2, len(HARTS) + 1):      # it begins with 1
            if not self._ask(f'vAttach;{number:x}').startswith('T'):
                raise TileError('the gdb server does not show all harts')

    def __enter__(self) -> 'Stepper':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Takes the gdb server away again; the machine stays stopped."""
        self.link.close()
        try:
            self.tile.hmp('gdbserver none')
        finally:
            self.folder.cleanup()

    def _send(self, text: str) -> None:
        data = text.encode()
        self.link.sendall(b'+$%s#%02x' % (data, sum(data) % 256))

    def _receive(self) -> str:
        """The next packet."""
        while True:
            end = self.rest.find(b'#')
            if 0 <= end <= len(self.rest) - PACKET_END:
                break
            data = self.link.recv(RECEIVED)
            if not data:
                raise EndedError('the gdb server has ended')
            self.rest += data
        packet, self.rest = (self.rest[:end], self.rest[end + PACKET_END:])
        return packet.partition(b'$')[2].decode('ascii', 'replace')

    def _answer(self) -> str:
        """The next packet that is no text for gdb's console."""
        while True:
            packet = self._receive()
            if packet == 'OK' or not packet.startswith('O'):
                return packet

    def _ask(self, text: str) -> str:
        self._send(text)
        return self._answer()

    def step(self) -> bool:
        """One instruction.  False: the hart waits in it for another agent,
        that is stopped."""
        self._send(f'vCont;s:{self.thread}')
        self.link.settimeout(STEP_SECONDS)
        try:
            self._answer()
            return True
        except TimeoutError:
            self.link.settimeout(SECONDS)
            self.link.sendall(INTERRUPT)
            self._answer()
            return False
        finally:
            self.link.settimeout(SECONDS)
