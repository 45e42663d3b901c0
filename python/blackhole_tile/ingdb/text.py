# SPDX-License-Identifier: GPL-2.0-or-later
"""Text: what `info tensix` prints, as a tree; tables for people."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Sequence, Tuple

INDENT = 2                           # of a group's members
SCREEN_COLUMNS = 80
FLOAT_WIDTH, FLOAT_DIGITS = 8, 4      # as `info tensix` has them
NUMBER = re.compile(r'0x[0-9a-f]+|\d+')
TO_THE_RIGHT = re.compile(r'0x[0-9a-f]+|-?\d+(\.\.\d+)?')

Tree = Dict[str, Any]


def number_or_text(text: str) -> Any:
    """A whole number, decimal or with 0x, else the text."""
    return int(text, 0) if NUMBER.fullmatch(text) else text


def tree(text: str) -> Tree:
    """What `info tensix` prints: {name: value}, and {group: {...}} where
    lines are indented below a name."""
    root: Tree = {}
    groups: List[Tree] = [root]
    for line in text.splitlines():
        name, colon, value = line.strip().partition(':')
        depth = (len(line) - len(line.lstrip())) // INDENT
        del groups[depth + 1:]
        if not name or depth >= len(groups):
            continue                   # a row that goes on
        if colon:
            groups[-1][name] = number_or_text(value.strip())
        else:
            groups[-1][name] = {}
            groups.append(groups[-1][name])
    return root


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns as wide as they have to be, numbers to the right."""
    lines = [list(header)] + [[str(x) for x in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    right = [all(map(TO_THE_RIGHT.fullmatch, column[1:]))
             for column in zip(*lines)]
    return '\n'.join(
        '  '.join(cell.rjust(width) if is_right else cell.ljust(width)
                  for cell, width, is_right in zip(line, widths, right))
        .rstrip() for line in lines)


def float_text(value: float) -> str:
    """With as many digits, up to four, as there is room for."""
    for digits in range(FLOAT_DIGITS, 0, -1):
        text = f'{value:.{digits}g}'
        if len(text) <= FLOAT_WIDTH:
            break
    return text


def cell_text(value: Any, hex_digits: int = 0) -> str:
    """One number, hexadecimal if digits are given."""
    if hex_digits:
        return f'{int(value):0{hex_digits}x}'
    return float_text(value) if isinstance(value, float) else str(value)


def grid(rows: Iterable[Tuple[str, Sequence[Any]]], width: int,
         hex_digits: int = 0) -> str:
    """Labelled rows of numbers.  As many columns side by side as `width`
    characters hold: 8, 16 or 32; the others come below them."""
    texts = [(label, [cell_text(x, hex_digits) for x in cells])
             for label, cells in rows]
    cell = max((len(x) for _, cells in texts for x in cells), default=1)
    label_width = max((len(label) for label, _ in texts), default=0)
    room = (width - label_width - 1) // (cell + 1)
    columns = max(8, room // 8 * 8)
    lines = []
    for label, cells in texts:
        for n in range(0, len(cells), columns):
            head = '' if n else label + ':'
            lines.append(f'{head:{label_width + 1}} ' + ' '.join(
                x.rjust(cell) for x in cells[n:n + columns]))
    return '\n'.join(lines)
