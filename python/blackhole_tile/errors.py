# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine may do instead of what was asked."""


class TileError(Exception):
    """The machine did something else than was asked."""


class StartError(TileError):
    """It did not start: no emulator, or it refuses its options."""


class EndedError(TileError):
    """The emulator has ended; the text has its status and its output."""


class ProtocolError(TileError):
    """The other side says what is not in the protocol."""


class TileTimeout(TileError):
    """It did not come in time.  why: what `info tensix why` says, or ''."""

    def __init__(self, text: str, why: str = ''):
        super().__init__(f'{text}\n{why}' if why else text)
        self.why = why
