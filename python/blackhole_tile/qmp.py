# SPDX-License-Identifier: GPL-2.0-or-later
"""QMP, the machine's protocol for programs, over a socket that is connected.

QEMU's own client (qemu.qmp) is no package of Debian's.
"""

from __future__ import annotations

import json
import secrets
import select
import socket
from typing import Any, List, Type

from .errors import (EndedError, NotActiveError, ProtocolError, TileError,
                     TileTimeout)


SHOWN = 60                           # characters of a line that is none
ID_BYTES = 4                         # of a session, random
CHUNK = 1 << 18                      # bytes that a socket is asked for


class Lines:
    """Lines to and from a socket, which is closed along with it; `ours` is the
    socket.  Where it has a time-out, a wait that takes longer raises
    TileTimeout."""

    def __init__(self, ours: socket.socket):
        self.ours = ours
        self.input = bytearray()      # has arrived, not yet read

    def send(self, line: str) -> None:
        """Sends a line.  Raises OSError if the peer has closed."""
        self.ours.sendall(line.encode('utf-8') + b'\n')

    def receive(self) -> str:
        """Waits for a line.  Raises EndedError if there is no more."""
        searched = 0
        while True:
            end = self.input.find(b'\n', searched) + 1
            if end:
                line = self.input[:end]
                del self.input[:end]
                return line.decode('utf-8', 'replace')
            searched = len(self.input)
            self.input += self._more()

    def _more(self) -> bytes:
        try:
            data = self.ours.recv(CHUNK)
        except TimeoutError:
            raise TileTimeout(f'no answer within {self.ours.gettimeout():g} '
                              f's') from None
        if not data:
            raise EndedError('QEMU closed the connection')
        return data

    def has_arrived(self, seconds: float = 0) -> bool:
        """Has a line, or the end, arrived?  Waits so long for it."""
        poll = select.poll()
        poll.register(self.ours, select.POLLIN)
        if b'\n' not in self.input and poll.poll(seconds * 1000):
            self.input += self._more()
        return b'\n' in self.input

    def close(self) -> None:
        """Closes it, whatever is left in it."""
        self.ours.close()


def description(error: Any) -> str:
    """What an error says."""
    return str(error.get('desc') if isinstance(error, dict) else error)


def error_class(error: Any) -> Type[TileError]:
    """The exception for an error of QMP."""
    return NotActiveError if isinstance(error, dict) and \
        error.get('class') == 'DeviceNotActive' else TileError


class Qmp:
    """Commands over Lines.  Events that come in between are kept in events,
    as JSON has them.

    Each command has an id, for an emulator that was busy may send a client
    what one that gave up before has asked.
    """

    def __init__(self, lines: Lines):
        self.lines = lines
        self.events: List[dict] = []
        self.session, self.count = secrets.token_hex(ID_BYTES), 0

    def _message(self) -> dict:
        line = self.lines.receive()
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise ProtocolError(f'this is not what QMP says: '
                                f'{line[:SHOWN]!r}')
        return message

    def take_events(self, seconds: float = 0) -> None:
        """Adds to events what has arrived, without a command, or arrives in
        so long.  Raises EndedError or OSError where the connection breaks."""
        while self.lines.has_arrived(seconds):
            seconds = 0
            message = self._message()
            if 'event' in message:
                self.events.append(message)

    def greet(self) -> None:
        """What has to come first.  Raises TileError if the other side is no
        QMP."""
        if 'QMP' not in self._message():
            raise ProtocolError('it does not greet as QMP does')
        self.execute('qmp_capabilities', {})

    def execute(self, command: str, arguments: dict) -> Any:
        """What the command returns.  Raises TileError with the machine's
        words, EndedError or OSError where the connection breaks."""
        self.count += 1
        number = f'{self.session}-{self.count}'
        self.lines.send(json.dumps({'execute': command, 'id': number,
                                    'arguments': arguments}))
        while True:
            message = self._message()
            if 'event' in message:
                self.events.append(message)
            elif message.get('id', number) != number:
                continue                 # another agent's answer
            elif 'error' in message:
                error = message['error']
                raise error_class(error)(f'{command}: {description(error)}')
            elif 'return' in message:
                return message['return']
