# SPDX-License-Identifier: GPL-2.0-or-later
"""Entry points of scripts/tile.gdb."""

from __future__ import annotations

import functools

from . import (commands, disassembler, functions, printers, stops, vectors,
               window)
from .link import LINK


@functools.lru_cache(None)           # the script may be sourced again
def load() -> None:
    """Commands, functions, printers, the window: what needs no machine."""
    for part in (commands, functions, printers, window, stops, vectors,
                 disassembler):
        part.register()


def attached() -> None:
    """What the machine reports about itself, once gdb is attached to it."""
    LINK.invalidate()
    commands.register_topics()
