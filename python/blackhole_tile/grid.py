# SPDX-License-Identifier: GPL-2.0-or-later
"""Arrays as text for a screen: equal cells, steps and equal rows are folded.

A row of more than eight cells is one line if they are equal ("1.5 in all
lanes") or differ by the same from each to the next ("0 to 62 in steps of 2");
equal rows that follow each other are a range ("16 to 63: ...").  `info tensix`
folds likewise.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass, replace
from typing import Any, Iterable, Iterator, List, Optional, Tuple

import numpy

SCREEN_COLUMNS = 80
GROUP = 8                            # cells side by side: 8, 16, 24, ...
FLOAT_DIGITS = 4                     # as `info tensix` has them


@dataclass(frozen=True)
class Style:
    """cells: what a row's cells belong to; prefix: of a row's number;
    hex_digits: of a cell, 0 for decimal numbers; digits: of floats, fewer if
    a text would become longer than twice as many; width: of the screen, 0 for
    eight cells a line."""
    cells: str = 'columns'
    prefix: str = ''
    hex_digits: int = 0
    digits: int = FLOAT_DIGITS
    width: int = SCREEN_COLUMNS


@dataclass(frozen=True)
class Block:
    """A row, or a range of equal ones, under the label that they share;
    folded: the text of one row if it is folded, else ''; heading: a line
    before it."""
    label: str
    rows: int
    cells: Any
    folded: str
    heading: str = ''


def screen_width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size((SCREEN_COLUMNS, 0)).columns


def float_text(value: float, most: int) -> str:
    """With as many digits, up to `most`, as fit."""
    for digits in range(most, 0, -1):
        text = f'{value:.{digits}g}'
        if len(text) <= 2 * most:
            break
    return text


def cell_text(value: Any, style: Style) -> str:
    """One number."""
    if style.hex_digits:
        return f'{int(value):0{style.hex_digits}x}'
    return float_text(value, style.digits) if isinstance(value, float) \
        else str(value)


def equal(cells: Any) -> bool:
    """Have all cells the same bits?"""
    return cells.tobytes() == cells[:1].tobytes() * len(cells)


def folded(cells: Any, style: Style) -> str:
    """Text of a row that can be folded, else ''."""
    numbers = cells.tolist()
    if len(numbers) <= GROUP:
        return ''
    first = cell_text(numbers[0], style)
    if equal(cells):
        return f'{first} in all {style.cells}'
    step = numbers[1] - numbers[0]
    if not step or any(x != numbers[0] + n * step
                       for n, x in enumerate(numbers)):
        return ''
    by = f'{step:x}' if style.hex_digits else cell_text(step, style)
    return f'{first} to {cell_text(numbers[-1], style)} in steps of {by}'


def ranges(keys: Iterable[Any]) -> Iterator[Tuple[int, int]]:
    """(first, last) of equal keys that follow each other."""
    start = 0
    for _, group in itertools.groupby(keys):
        end = start + len(list(group))
        yield start, end - 1
        start = end


def label_of(first: int, last: int, width: int, prefix: str = '') -> str:
    """A number of that width, or two."""
    return f'{prefix}{first:{width}}' + (
        f' to {prefix}{last}' if first != last else '')


def blocks_of_rows(rows: Any, style: Style, start: int = 0) -> List[Block]:
    """Those of an array of two axes, numbered from `start` on."""
    width = len(str(start + len(rows) - 1))
    return [Block(label_of(start + first, start + last, width, style.prefix),
                  last - first + 1, rows[first], folded(rows[first], style))
            for first, last in ranges(row.tobytes() for row in rows)]


def blocks_of_numbers(numbers: Any, style: Style) -> List[Block]:
    """Those of an array of one axis, cut into lines; lines of equal numbers
    are joined."""
    width = len(str(max(len(numbers) - 1, 0)))
    step = per_line([cell_text(x, style) for x in numbers.tolist()], width,
                    style)
    pieces = [numbers[n:n + step] for n in range(0, len(numbers), step)]
    found = []
    for first, last in ranges(
            piece[:1].tobytes() if equal(piece) else n
            for n, piece in enumerate(pieces)):
        at, cells = first * step, numbers[first * step:(last + 1) * step]
        text = folded(cells, style)
        end = at + len(cells) - 1 if text else at
        found.append(Block(label_of(at, end, width), len(cells), cells, text))
    return found


def blocks_of(values: Any, style: Style) -> List[Block]:
    """Those of any array; of more than two axes: under headings."""
    if values.ndim < 2:
        return blocks_of_numbers(values.reshape(-1),
                                 replace(style, cells='of them'))
    if values.ndim == 2:
        return blocks_of_rows(values, style)
    found = []
    for index in numpy.ndindex(values.shape[:-2]):
        heading = f'{list(map(int, index))}'
        found += [replace(block, heading=heading if n == 0 else '')
                  for n, block in enumerate(blocks_of_rows(values[index],
                                                           style))]
    return found


def per_line(texts: List[str], label: int, style: Style) -> int:
    """Cells of a line: a multiple of GROUP."""
    cell = max(map(len, texts), default=1)
    room = (style.width - label - 1) // (cell + 1)
    return max(GROUP, room // GROUP * GROUP)


def texts_of(blocks: List[Block], style: Style) -> List[List[str]]:
    """The cells of each block, none of folded ones."""
    return [[] if block.folded else
            [cell_text(x, style) for x in block.cells.tolist()]
            for block in blocks]


def columns_of(texts: List[List[str]], labels: List[str], style: Style
               ) -> Tuple[int, int, int]:
    """(characters of a label and of a cell, cells of a line)"""
    every = list(itertools.chain(*texts))
    label = max((len(name) for name, cells in zip(labels, texts) if cells),
                default=0)
    return (label, max(map(len, every), default=1),
            per_line(every, label, style))


def lines_of(blocks: List[Block], style: Style) -> List[List[str]]:
    """Lines of each block; the cells of all are below each other.  Floats have
    only the usual digits where the screen is too narrow for more."""
    labels = [block.label for block in blocks]
    texts = texts_of(blocks, style)
    label, cell, columns = columns_of(texts, labels, style)
    longest = min(max(map(len, texts), default=0), columns)
    if label + 1 + longest * (cell + 1) > style.width > 0 and \
            style.digits > FLOAT_DIGITS:
        return lines_of(blocks, replace(style, digits=FLOAT_DIGITS))
    return [[block.heading] * bool(block.heading) +
            [f'{block.label}: {block.folded}'] * bool(block.folded) +
            [f'{block.label + ":" if n == 0 else "":{label + 1}} ' +
             ' '.join(x.rjust(cell) for x in cells[n:n + columns])
             for n in range(0, len(cells), columns)]
            for block, cells in zip(blocks, texts)]


def rows_text(rows: Any, style: Style = Style(), start: int = 0) -> str:
    """All rows of an array of two axes."""
    blocks = blocks_of_rows(numpy.asarray(rows), style, start)
    return '\n'.join(itertools.chain(*lines_of(blocks, style)))


def array_text(values: Any, style: Style = Style(),
               most: Optional[int] = None) -> Tuple[str, int]:
    """(text of an array, how many of its rows have no place in it).  most:
    lines that the text may have; of an array of one axis, numbers are counted
    in place of rows."""
    blocks, lines, left_out = blocks_of(values, style), [], 0
    for block, text in zip(blocks, lines_of(blocks, style)):
        if left_out or most is not None and len(lines) + len(text) > most:
            left_out += block.rows
        else:
            lines += text
    return '\n'.join(lines), left_out
