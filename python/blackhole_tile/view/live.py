# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine behind a QMP socket, for a server whose clients come and go.

    live = Live('tile.qmp')
    with live.tile() as tile:
        tile.state.why()

The machine may be busy, frozen, ended, or another one at the next time: then
that one use fails, and the next one connects anew.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from typing import Any, Deque, Dict, Iterator, Optional

from ..attach import Attached
from ..cli import UseError
from ..errors import (EndedError, ProtocolError, StartError, TileError,
                      TileTimeout)

ANSWER_SECONDS = 5.0                 # of QMP
IDLE_SECONDS = 10.0                  # after which the socket is left to others
EVENTS_KEPT = 20
BROKEN = (EndedError, ProtocolError, StartError, TileTimeout, OSError)
KEPT_EVENTS = ('TENSIX_DEADLOCK', 'RESET')


class Unreachable(Exception):
    """The socket does not answer, for a reason in the text."""


class Live:
    """path: the socket.  seconds: how long an answer may take."""

    def __init__(self, path: str, seconds: float = ANSWER_SECONDS):
        self.path, self.seconds = path, seconds
        self.events: Deque[Dict[str, Any]] = deque(maxlen=EVENTS_KEPT)
        self._lock = threading.Lock()
        self._tile: Optional[Attached] = None
        self._used = time.monotonic()

    @contextlib.contextmanager
    def tile(self) -> Iterator[Attached]:
        """The machine, for one user at a time.  Raises Unreachable."""
        if not self._lock.acquire(timeout=self.seconds):
            raise Unreachable(f'{self.path}: the machine is busy with '
                              f'something else')
        try:
            yield self._linked()
            self._keep_events()
        except BROKEN as error:
            self._drop()
            raise Unreachable(str(error)) from None
        except (TileError, UseError):    # it refuses, or was not even asked
            raise
        except Exception:                # an answer that we do not understand
            self._drop()
            raise
        finally:
            self._used = time.monotonic()
            self._lock.release()

    def _linked(self) -> Attached:
        if self._tile is None:
            self._tile = Attached(self.path, self.seconds)
        return self._tile

    def _keep_events(self) -> None:
        """Those that the page shows; a machine that runs for days must not
        fill the memory with the others."""
        if self._tile:
            self.events.extend(event for event in self._tile.events
                               if event.get('event') in KEPT_EVENTS)
            self._tile.events.clear()

    def _drop(self) -> None:
        if self._tile:
            self._tile.close()
        self._tile = None
        self.events.clear()

    def rest(self) -> None:
        """To be called now and then: a socket that no agent has used for a
        while is left to others, for QMP serves one client at a time."""
        if time.monotonic() - self._used > IDLE_SECONDS and \
                self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()

    def close(self) -> None:
        """Leaves the machine, which others may still use."""
        if self._lock.acquire(timeout=self.seconds):
            self._drop()
            self._lock.release()
