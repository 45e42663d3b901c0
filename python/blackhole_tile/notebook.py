# SPDX-License-Identifier: GPL-2.0-or-later
"""Small HTML for notebooks: what _repr_html_() of other modules returns.

Every text is escaped.  Styles are inline: notebooks drop style sheets.
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import Any, List, Optional, Sequence, Tuple

SHOWN_ROWS = 40                      # of a register file, equal ones folded
CELL = 'style="text-align:right;padding:0 .4em"'
LEFT = 'style="text-align:left;padding:0 .4em"'
INVALID = 'style="color:#888;font-style:italic"'


def cells(tag: str, values: Sequence[Any], style: str = CELL) -> str:
    """Cells of a row."""
    return ''.join(f'<{tag} {style}>{escape(str(value))}</{tag}>'
                   for value in values)


def table(title: str, head: Sequence[Any], body: str) -> str:
    """A table from its rows as HTML."""
    return (f'<table><caption>{escape(title)}</caption>'
            f'<thead><tr>{cells("th", head)}</tr></thead>'
            f'<tbody>{body}</tbody></table>')


def number(value: Any) -> str:
    """As few digits as it needs, six at most."""
    return f'{value:g}' if isinstance(value, float) else str(value)


def folded(rows: Sequence[Tuple[Any, Any]], first: int
           ) -> List[Tuple[str, Any, Any]]:
    """(numbers of rows, row, valid) of (row, valid); equal ones that follow
    each other once, '4-63'."""
    found, at = [], first
    for (row, valid), same in groupby(rows):
        last = at + len(list(same)) - 1
        found.append((str(at) if at == last else f'{at}-{last}', row, valid))
        at = last + 1
    return found


def grid_row(name: str, row: Sequence[Any], valid: Optional[bool]) -> str:
    """A row of numbers; one cell if all are equal."""
    style = INVALID if valid is False else ''
    label = f'{name} (not valid)' if valid is False else name
    shown = [number(value) for value in row]
    if len(shown) > 1 and len(set(shown)) == 1:
        body = (f'<td colspan="{len(shown)}" style="text-align:center">'
                f'all {escape(shown[0])}</td>')
    else:
        body = cells('td', shown)
    return f'<tr {style}>{cells("th", [label])}{body}</tr>'


def grid(title: str, rows: Sequence[Sequence[Any]], first: int = 0,
         valid: Optional[Sequence[Optional[bool]]] = None) -> str:
    """Rows of a register file.  valid: False where a row is not valid."""
    lines = folded([(list(row), flag) for row, flag in
                    zip(rows, valid or [None] * len(rows))], first)
    body = ''.join(grid_row(*line) for line in lines[:SHOWN_ROWS])
    width = max((len(row) for row in rows), default=0)
    more = len(lines) - SHOWN_ROWS
    if more > 0:
        body += (f'<tr><td colspan="{width + 1}">... {more} more different '
                 f'rows</td></tr>')
    return table(title, ['', *range(width)], body)


def waits(nodes: Sequence[Any], cycle: Sequence[str]) -> str:
    """What harts and threads wait for: state.Node objects."""
    body = ''.join('<tr>' + cells('td', [
        node.node, node.state,
        '' if node.pc is None else f'{node.pc:#x}',
        node.wait.text if node.wait else '',
        node.instruction.text if node.instruction else '',
        'yes' if node.node in cycle else ''], LEFT) + '</tr>'
                   for node in nodes)
    return table('Waits', ('', 'state', 'pc', 'waits for', 'instruction',
                           'in the cycle'), body)


def deadlock(summary: Sequence[str], why: str) -> str:
    """A deadlock: its first lines, the rest on request."""
    lines = '<br>'.join(map(escape, summary))
    return (f'<div><b>Deadlock</b><br>{lines}<details><summary>all waits'
            f'</summary><pre>{escape(why)}</pre></details></div>')
