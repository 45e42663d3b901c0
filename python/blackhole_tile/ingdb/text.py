# SPDX-License-Identifier: GPL-2.0-or-later
"""Text: what `info tensix` prints, as a tree; tables for people."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Sequence

INDENT = 2                           # of a group's members
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
            continue                   # a row that continues
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
