# SPDX-License-Identifier: GPL-2.0-or-later
"""A timeline summed up by source line."""

from __future__ import annotations

from typing import BinaryIO, Dict, List, Optional

from .timeline_model import Model, positions
from .timeline_places import Frame
from .timeline_tracks import Span

COLUMNS = ('executed', 'pushed', 'waited', 'violations')
EXPANDERS = ('MOP', 'REPLAY', 'REPLAY records')


def column_of(span: Span) -> Optional[str]:
    """Where a span counts; None: nowhere."""
    if span.is_push:
        return 'pushed'
    if span.track == 'violations':
        return 'violations'
    if span.track.startswith('thread'):
        if span.track.endswith('waits'):
            return 'waited'
        return None if span.name in EXPANDERS else 'executed'
    return None


def sums(model: Model) -> Dict[Frame, Dict[str, int]]:
    """By the innermost line; without a known line it is of Frame('')."""
    found: Dict[Frame, Dict[str, int]] = {}
    step = positions(model.file)
    for span in model.spans:
        column = column_of(span)
        if column:
            row = found.setdefault(span.place or Frame(''),
                                   dict.fromkeys(COLUMNS, 0))
            row[column] += ((span.end - span.start) // step
                            if column == 'waited' else 1)
    return found


def write_lines(model: Model, out: BinaryIO) -> None:
    """The lines with most instructions first; of a MOP's or REPLAY's words the
    line is that where the word was written down."""
    rows: List[List[str]] = [[*COLUMNS, 'line']]
    for frame, row in sorted(sums(model).items(), key=lambda item: (
            [-item[1][column] for column in COLUMNS], item[0])):
        rows.append([*(str(row[column]) for column in COLUMNS),
                     frame.text() or 'unknown'])
    for cells in rows:
        out.write((' '.join(cell.rjust(len(name)) for cell, name
                            in zip(cells, COLUMNS))
                   + '  ' + cells[-1] + '\n').encode())
