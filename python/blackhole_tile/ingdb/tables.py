# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of the coprocessor's small state, as `info os` has them."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Tuple

import gdb

from ..memory_map import HARTS
from ..registers import ADC_NAMES, RWC_NAMES
from .link import LINK, hart_of
from .text import Tree, table

NODES = HARTS + ('thread 0', 'thread 1', 'thread 2')


def semaphores() -> str:
    """Value and max of each."""
    return table(('semaphore', 'value', 'max'),
                 [(n, *map(int, row)) for n, row in
                  enumerate(LINK.registers.semaphores())])


def rwcs() -> str:
    """A row a thread."""
    return table(('thread',) + RWC_NAMES,
                 [(n, *counters.values()) for n, counters in
                  enumerate(LINK.registers.rwcs())])


def _adc_rows() -> Iterator[tuple]:
    for thread, units in enumerate(LINK.registers.adcs()):
        for unit, channels in units.items():
            for channel, counters in enumerate(channels):
                yield (thread, unit, channel, *counters.values())


def adcs() -> str:
    """A row a channel of a unit of a thread."""
    return table(('thread', 'unit', 'channel') + ADC_NAMES, _adc_rows())


def banks() -> str:
    """Who owns each bank of SrcA and SrcB, and which bank is whose turn."""
    return table(('bank', 'value'), LINK.registers.banks().items())


def inferiors() -> Dict[str, Any]:
    """{hart: its inferior}"""
    found = {hart_of(inferior): inferior for inferior in gdb.inferiors()
             if inferior.pid and inferior.threads()}
    found.pop('', None)
    return found


@contextlib.contextmanager
def selection_kept() -> Iterator[None]:
    """Thread and frame of the user's stay what they are."""
    thread, frame = gdb.selected_thread(), None
    with contextlib.suppress(gdb.error):        # a hart that runs has none
        frame = gdb.selected_frame()
    try:
        yield
    finally:
        if thread is not None and thread.is_valid():
            thread.switch()
        if frame is not None and frame.is_valid():
            frame.select()


def place_of(inferior: Any) -> Tuple[str, str]:
    """(pc, function) where the inferior's hart stands; selects it."""
    try:
        inferior.threads()[0].switch()
        frame = gdb.newest_frame()
        return f'{frame.pc():#x}', frame.name() or ''
    except gdb.error:                  # it runs
        return '', ''


def _node_row(name: str, why: Tree, harts: Dict[str, Any]) -> List[str]:
    node = why.get(name, {})
    inferior = harts.get(name)
    place = place_of(inferior) if inferior else ('', '')
    number = str(inferior.num) if inferior else ''
    return [number, name, node.get('state', ''), *place,
            str(node.get('waits for', ''))]


def threads() -> str:
    """A row for each hart and each thread of the coprocessor."""
    why, harts = LINK.inspect('why details'), inferiors()
    with selection_kept():
        rows = [_node_row(name, why, harts) for name in NODES]
    return table(('inferior', 'who', 'state', 'pc', 'function', 'waits for'),
                 rows)
