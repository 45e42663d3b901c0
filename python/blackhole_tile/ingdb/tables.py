# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of harts and threads, as `info os` has tables."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Tuple

import gdb

from ..memory_map import HARTS
from .link import LINK, hart_of
from .text import Tree, table

NODES = HARTS + ('thread 0', 'thread 1', 'thread 2')


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
    """(pc, function) where the inferior's hart is; selects it."""
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
