# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page shows, as JSON takes it: QMP's answers with source lines.

Nothing here changes the machine.
"""

from __future__ import annotations

import os
import stat
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..attach import Attached
from ..cli import UseError
from ..registers import DEST_VIEWS, LREG_VIEWS, SRC_BANKS, SRC_VIEWS

NEAR_LINES = 4                       # shown before and after a source line
FRAMES_WITH_LINES = 3                # of a function and those it is inlined in
LARGEST_SOURCE = 4 << 20             # bytes
FILES_KEPT = 64
SITES_SHOWN, EVENTS_SHOWN = 50, 24
FORMATS = {'dest': DEST_VIEWS, 'srca': SRC_VIEWS, 'srcb': SRC_VIEWS,
           'lregs': LREG_VIEWS}        # of each register file


class Sources:
    """Lines of the files that debug information names.  folders: where names
    that are relative begin, tried in this order."""

    def __init__(self, folders: Sequence[str]):
        self.folders = list(folders)
        self._files: Dict[Tuple[str, int, int], List[str]] = {}

    def _read(self, path: str) -> List[str]:
        """Lines of a regular file; [] if there is none, or a huge one, or one
        of /proc, some of which never end (the ELF chooses the name)."""
        try:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode) or \
                    not 0 < found.st_size <= LARGEST_SOURCE:
                return []
            key = path, found.st_mtime_ns, found.st_size
            if key not in self._files:
                with open(path, encoding='utf-8', errors='replace') as file:
                    lines = file.read(LARGEST_SOURCE).splitlines()
                if len(self._files) >= FILES_KEPT:
                    self._files.clear()
                self._files[key] = lines
            return self._files[key]
        except (OSError, ValueError):        # a name with a NUL, for example
            return []

    def near(self, file: str, line: int) -> List[Dict[str, Any]]:
        """[{number, text}] of a line and those around; [] if the file is not
        found, or has no such line."""
        for folder in [''] if os.path.isabs(file) else self.folders:
            lines = self._read(os.path.join(folder, file))
            if 1 <= line <= len(lines):
                first = max(line - NEAR_LINES, 1)
                return [{'number': number, 'text': text} for number, text in
                        enumerate(lines[first - 1:line + NEAR_LINES], first)]
        return []


class Places:
    """Places of programs as function, file and line."""

    def __init__(self, tile: Attached, sources: Sources):
        self.tile, self.sources = tile, sources
        self._known: Dict[Tuple[str, int], List[Dict[str, Any]]] = {}

    def frames(self, hart: str, pc: int) -> List[Dict[str, Any]]:
        """[{function, file, line}], those that it is inlined in last."""
        if hart == 'none':
            return []
        if (hart, pc) not in self._known:
            self._known[hart, pc] = self.tile.state.ask('source', hart=hart,
                                                        pc=pc)
        return self._known[hart, pc]

    def frames_with_lines(self, hart: str, pc: int) -> List[Dict[str, Any]]:
        """The same with `near`, the lines around."""
        found = self.frames(hart, pc)
        return [dict(frame, near=self.sources.near(frame['file'],
                                                   frame['line'])
                     if 'file' in frame and 'line' in frame and
                     n < FRAMES_WITH_LINES else [])
                for n, frame in enumerate(found)]

    def placed(self, item: Optional[Dict[str, Any]]) -> Any:
        """An instruction or a violation with the frames of its place."""
        return item and dict(item, frames=self.frames(item['hart'],
                                                      item['pc']))


def hart_shown(hart: Dict[str, Any], node: Dict[str, Any],
               places: Places) -> Dict[str, Any]:
    """A hart, with the lines where it is."""
    if hart['state'] == 'reset':
        return dict(hart, unresolvable=False, frames=[])
    return dict(hart, unresolvable=node['unresolvable'],
                frames=places.frames_with_lines(hart['hart'], hart['pc']))


def thread_shown(thread: Dict[str, Any], node: Dict[str, Any],
                 places: Places) -> Dict[str, Any]:
    """A thread, with the places of what is at its gate."""
    gate = thread['gate']
    return dict(thread, state=node['state'], unresolvable=node['unresolvable'],
                gate=dict(gate,
                          instruction=places.placed(gate.get('instruction')),
                          latched=places.placed(gate.get('latched'))))


def violations_shown(found: Dict[str, Any], places: Places) -> Dict[str, Any]:
    """The most frequent sites, with their places."""
    shown = found['sites'][:SITES_SHOWN]
    return {'total': found['total'],
            'more': len(found['sites']) - len(shown),
            'sites': [places.placed(site) for site in shown]}


def everything(tile: Attached, sources: Sources) -> Dict[str, Any]:
    """All but the register files.  If the machine runs, the parts are of
    moments that follow each other."""
    ask, places = tile.state.ask, Places(tile, sources)
    why = ask('why')
    nodes = {node['node']: node for node in why['nodes']}
    return {
        'status': tile.status(),
        'harts': [hart_shown(hart, nodes[hart['hart']], places)
                  for hart in ask('harts')],
        'threads': [thread_shown(thread, nodes[f'thread{thread["thread"]}'],
                                 places) for thread in ask('threads')],
        'cycle': why['cycle'],
        'macro': why['macro'],
        'semaphores': ask('semaphores'),
        'mutexes': ask('mutexes'),
        'banks': ask('banks'),
        'rwcs': ask('rwcs'),
        'units': ask('units'),
        'violations': violations_shown(ask('violations'), places),
        'stops': ask('stops'),
        'recent': ask('recent', count=EVENTS_SHOWN),
    }


def rows_shown(name: str, found: Dict[str, Any]) -> Dict[str, Any]:
    """Rows of a register file as flat lists."""
    rows = found['rows']
    return {
        'name': name, 'format': found['format'], 'owner': found.get('owner'),
        'formats': list(FORMATS[name]),
        'rows': len(rows), 'columns': len(rows[0]['cells']),
        'valid': [int(row.get('valid', True)) for row in rows],
        'cells': [cell for row in rows for cell in row['cells']],
        'values': [value for row in rows
                   for value in row.get('values', row['cells'])],
    }


def register_file(tile: Attached, name: str, form: Optional[str],
                  bank: str) -> Dict[str, Any]:
    """dest, srca, srcb or lregs.  Raises UseError and TileError."""
    if name not in FORMATS:
        raise UseError(f'no register file {name}')
    if form is not None and form not in FORMATS[name]:
        raise UseError(f'no format {form}')
    if name in ('srca', 'srcb'):
        if bank not in map(str, range(SRC_BANKS)):
            raise UseError(f'no bank {bank}')
        return rows_shown(name, tile.state.ask('src', src=name, format=form,
                                               bank=int(bank)))
    return rows_shown(name, tile.state.ask(name, format=form))
