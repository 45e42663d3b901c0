# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine may do instead of what was asked."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from . import notebook


class TileError(Exception):
    """The machine did something else than was asked."""


class StartError(TileError):
    """It did not start: no emulator, or it refuses its options."""


class EndedError(TileError):
    """The emulator has ended; the text has its status and its output."""


class ProtocolError(TileError):
    """The other side says what is not in the protocol."""


class NotActiveError(TileError):
    """The machine has no object that the command is for."""


class AddressError(TileError, ValueError):
    """No memory has such an address; nothing was read or written."""


class ResultError(TileError):
    """A program that bt.run() has run to its end is not right.  results: what
    it left, as bt.run() returns it."""

    def __init__(self, text: str, results: Any = None):
        super().__init__(text)
        self.results = results


class ViolationError(ResultError):
    """It has done what the hardware does not define."""


class DifferenceError(ResultError):
    """A result differs from what is expected."""


class CheckError(TileError):
    """A machine with check=True has findings; the text is its summary."""


class TileTimeout(TileError):
    """It did not come in time.  why: what `info tensix why` says, or ''; the
    text has it too unless it has a deadlock's report, which says the same."""

    def __init__(self, text: str, why: str = ''):
        shown = '' if 'tensix: deadlock: ' in text else why
        super().__init__(f'{text}\n{shown}' if shown else text)
        self.why = why


class TileDeadlock(TileTimeout):
    """A wait ended early: the machine has reported a deadlock.  The text has
    its report once.  why: what `info tensix why` said then; summary: the
    report's first lines."""

    def __init__(self, text: str, why: str = '', summary: Sequence[str] = ()):
        super().__init__(text, why)
        self.summary = tuple(summary)

    @classmethod
    def of(cls, text: str, data: Mapping[str, Any]) -> 'TileDeadlock':
        """From the data of QMP's event TENSIX_DEADLOCK."""
        reason = data.get('reason', '')
        return cls(text, data.get('why', ''),
                   data.get('summary', [f'deadlock: {reason}']))

    def _repr_html_(self) -> str:
        return notebook.deadlock(self.summary, self.why)
