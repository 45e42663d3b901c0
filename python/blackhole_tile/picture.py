# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/picture: heat maps of register files and of L1.

matplotlib is loaded when something is drawn, not for numbers and text.

    fig = draw([Panel(...), ...])    # a matplotlib figure
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import Any, Iterator, List, Optional, Tuple

import numpy

from . import npy
from .attach import Attached, still
from .cli import Parser, UseError, by_hart, error_line
from .formats import FormatError
from .machine import StartError, Tile, TileError
from .npy import ArrayFileError
from .panels import Panel, find, in_tiles, minus, of_file
from .places import Symbols, table
from .program import start_error
from .tiles import TILE

DESCRIPTION = ('Draws a register file or a part of L1 of a machine, or a .npy '
               'file.')
EPILOG = """\
WHAT     dest[:FORMAT[:ROW[+COUNT]]]   Dest; 64 rows are a tile
         srca[:FORMAT[:BANK]]          both banks or one; srcb likewise
         lregs[:FORMAT]
         PLACE:SHAPE:FORMAT[:tiles|:columns]   memory, as in scripts/run;
                                       l1:0x20000:32x32:bf16:tiles
         FILE.npy                      numbers; no machine is asked then
FORMAT   what the configuration says, if it is left out
OUTPUT   .png, .svg or .pdf: a picture; .npy: the numbers, rows as they are
         stored; .txt or - (standard output): the same as text

A running machine is read as it runs; --still holds it meanwhile, so
that all numbers are of one moment.  Rows that are not valid are hatched.

examples:
  scripts/picture dest --qmp tile.qmp -o dest.png
  scripts/picture srca:bf16:0 --saved tile.state -o srca.png -o srca.npy
  scripts/picture l1:0xa0000:32x32:bf16:tiles --qmp tile.qmp \\
      --minus wanted.npy -o error.png
  scripts/picture dest --qmp tile.qmp --minus-saved before.state -o changed.png
  scripts/picture result.npy --minus expected.npy -o error.png
"""
PICTURES, NUMBERS, TEXTS = ('.png', '.svg', '.pdf'), ('.npy',), ('.txt', '-')
INCH, LARGEST, SMALLEST = 22.0, 12.0, 2.5      # numbers an inch; inches
TITLE_INCHES, BAR_INCHES, DPI = 0.6, 1.5, 120
COLOURS, SIGNED_COLOURS, NOT_FINITE = 'viridis', 'RdBu_r', 'magenta'
HATCH = '////'
Pair = Tuple[List[Panel], Optional[List[Panel]]]


# --- drawing ---

def colours_of(panel: Panel) -> Any:
    """(colour map, smallest, largest) of a panel: symmetric around 0 if there
    are numbers on both sides, of valid rows alone if there are any."""
    import matplotlib        # pylint: disable=import-outside-toplevel
    shown = panel.values[panel.valid & numpy.isfinite(panel.values)]
    low, high = (shown.min(), shown.max()) if shown.size else (0.0, 1.0)
    name = COLOURS
    if low < 0 < high:
        name, high = SIGNED_COLOURS, max(-low, high)
        low = -high
    colours = matplotlib.colormaps[name].copy()
    colours.set_bad(NOT_FINITE)
    return colours, low, high if high > low else low + 1


def borders(axes: Any, panel: Panel) -> None:
    """Lines between faces, thicker ones between tiles."""
    rows, columns = panel.values.shape
    for (across, down), width in ((panel.faces, 0.3), (panel.tiles, 1.2)):
        for column in range(across, columns, across):
            axes.axvline(column - 0.5, color='black', linewidth=width)
        for row in range(down, rows, down):
            axes.axhline(row - 0.5, color='black', linewidth=width)


def runs(flags: Any) -> List[Tuple[int, int]]:
    """(first, behind the last) of each run of True."""
    edges = numpy.flatnonzero(numpy.diff(numpy.r_[False, flags, False]))
    return [(first, behind) for first, behind in edges.reshape(-1, 2)]


def hatched(axes: Any, panel: Panel) -> None:
    """Hatches what is not valid, runs of equal rows as one rectangle."""
    # pylint: disable=import-outside-toplevel
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    invalid = ~panel.valid
    starts = [n for n in range(len(invalid))
              if n == 0 or (invalid[n] != invalid[n - 1]).any()]
    found = [Rectangle((left - 0.5, top - 0.5), right - left, bottom - top)
             for top, bottom in zip(starts, starts[1:] + [len(invalid)])
             for left, right in runs(invalid[top])]
    axes.add_collection(PatchCollection(
        found, hatch=HATCH, facecolor='none', edgecolor='black', linewidth=0))


def label_axes(axes: Any, panel: Panel) -> None:
    """Whole numbers along the axes; a tile says which rows it has."""
    # pylint: disable=import-outside-toplevel
    from matplotlib.ticker import MaxNLocator, MultipleLocator
    axes.set_xlabel(panel.axes[0])
    axes.set_ylabel(panel.axes[1])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(TILE) if panel.labels else
                               MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(lambda row, _: f'{panel.first + row:g}')
    for column, row, text in panel.labels:
        axes.text(column, row, text, fontsize=6, va='top',
                  bbox={'facecolor': 'white', 'alpha': 0.6, 'pad': 1,
                        'linewidth': 0})


def put_panel(figure: Any, axes: Any, panel: Panel) -> None:
    """One heat map with its axes and its colour bar."""
    rows, columns = panel.values.shape
    colours, low, high = colours_of(panel)
    finite = numpy.isfinite(panel.values)
    extent = (-0.5, columns - 0.5, rows - 0.5, -0.5)
    image = axes.imshow(numpy.where(finite, panel.values, numpy.nan),
                        cmap=colours, vmin=low, vmax=high, aspect='auto',
                        interpolation='nearest', extent=extent)
    borders(axes, panel)
    hatched(axes, panel)
    axes.set_xlim(extent[:2])
    axes.set_ylim(extent[2:])
    count = int((~finite).sum())
    axes.set_title(panel.title + (f'\n{count} not finite' if count else ''),
                   fontsize=9)
    label_axes(axes, panel)
    figure.colorbar(image, ax=axes)


def inches(panel: Panel, largest: float) -> Tuple[float, float]:
    """(width, height) of a panel whose heat map is at most so large."""
    rows, columns = panel.values.shape
    return (min(max(columns / INCH, SMALLEST), largest) + BAR_INCHES,
            min(max(rows / INCH, SMALLEST), largest) + TITLE_INCHES)


def draw(panels: List[Panel], across: int = 0, heading: str = '',
         largest: float = LARGEST) -> Any:
    """A figure with so many panels beside each other, 0: all; save it by
    savefig().  heading: above all of them; largest: inches of a heat map."""
    # pylint: disable=import-outside-toplevel
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    across = across or len(panels)
    sizes = [inches(panel, largest) for panel in panels]
    lines = [sizes[n:n + across] for n in range(0, len(sizes), across)]
    figure = Figure((max(sum(width for width, _ in line) for line in lines),
                     sum(max(height for _, height in line) for line in lines)),
                    layout='constrained')
    FigureCanvasAgg(figure)
    figure.suptitle(heading)
    all_axes = figure.subplots(len(lines), across, squeeze=False).ravel()
    for axes, panel in zip(all_axes, panels):
        put_panel(figure, axes, panel)
    return figure


# --- files ---

def write_numbers(path: str, panels: List[Panel]) -> None:
    """.npy: an array of two axes, or of three if there are several panels."""
    values = numpy.array([panel.values for panel in panels])
    values = values[0] if len(panels) == 1 else values
    npy.write(path, values)


def as_text(panels: List[Panel]) -> str:
    """Text for people; rows that are not valid are named."""
    parts = []
    for panel in panels:
        parts.append(table(panel.title.replace('\n', ' '), panel.values))
        bad = [str(panel.first + n) for n, row in enumerate(panel.valid)
               if not row.all()]
        if bad:
            parts.append(f'rows that are not valid: {" ".join(bad)}')
    return '\n'.join(parts) + '\n'


def write(path: str, panels: List[Panel], layout: str) -> None:
    """Writes what the end of the name asks for."""
    kind = '-' if path == '-' else os.path.splitext(path)[1]
    if kind in NUMBERS:
        write_numbers(path, panels)
    elif kind in PICTURES:
        shown = panels if layout == 'rows' else list(map(in_tiles, panels))
        draw(shown).savefig(path, dpi=DPI)
    elif path == '-':
        sys.stdout.write(as_text(panels))
    else:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(as_text(panels))


# --- the command line ---

def output(text: str) -> str:
    """A name whose end says what to write."""
    if text != '-' and os.path.splitext(text)[1] not in \
            PICTURES + NUMBERS + TEXTS:
        raise argparse.ArgumentTypeError(
            f'{text}: names end in {" ".join(PICTURES + NUMBERS + TEXTS)}')
    return text


def parser() -> Parser:
    """The options."""
    p = Parser('picture', DESCRIPTION, EPILOG)
    p.add_argument('what', metavar='WHAT', help='see below')
    for name, help_text in (('', 'the machine'),
                            ('minus-', 'a machine whose WHAT is subtracted')):
        group = p.add_argument_group(help_text).add_mutually_exclusive_group()
        group.add_argument(f'--{name}qmp', metavar='SOCKET',
                           help='one that runs or is stopped, with -qmp '
                                'unix:SOCKET,server,wait=off')
        group.add_argument(f'--{name}saved', metavar='FILE',
                           help="a state that the monitor's migrate file:FILE "
                                'wrote')
    group.add_argument('--minus', metavar='FILE.npy|WHAT',
                       help='numbers, or another place of the same machine')
    p.add_argument('--machine', metavar='OPTIONS', default='',
                   help='options of -M of a machine that was saved')
    p.add_argument('--image', metavar='HART=ELF', action='append', default=[],
                   help='for symbols in PLACE')
    p.add_argument('--still', action='store_true',
                   help='holds a running machine meanwhile')
    p.add_argument('--layout', choices=('tiles', 'rows'), default='tiles',
                   help='64 rows of a register file as a tile (the default), '
                        'or as rows')
    p.add_argument('-o', '--output', metavar='OUTPUT', action='append',
                   type=output, default=[], help='may come several times; '
                   'without it text is printed')
    return p


@contextlib.contextmanager
def opened(qmp: Optional[str], saved: Optional[str], options: Any
           ) -> Iterator[Tile]:
    """The machine that the options name, held if they say so."""
    if saved is not None and not os.path.isfile(saved):
        raise UseError(f'{saved}: no such file')
    with contextlib.ExitStack() as stack:
        if qmp is not None:
            tile: Tile = stack.enter_context(Attached(qmp))
            if options.still:
                stack.enter_context(still(tile))
        else:
            tile = stack.enter_context(restored(saved, options.machine))
        yield tile


def restored(saved: Optional[str], machine: str) -> Tile:
    """A stopped machine with the state of a file.  Raises UseError."""
    try:
        return Tile(machine=machine, stopped=True, incoming=saved)
    except StartError as error:
        first = str(error).partition('\n')[0]
        raise UseError(f'{saved}: the machine does not load it: '
                       f'{start_error(first, machine)}') from None


def panels_of(options: Any) -> List[Panel]:
    """What is to be drawn.  Raises UseError, TileError and others."""
    if options.what.endswith(NUMBERS):
        found, other = panels_of_files(options)
    else:
        found, other = panels_of_machines(options)
    return found if other is None else minus(found, other)


def panels_of_files(options: Any) -> Pair:
    """(what is to be drawn, what is subtracted if anything is)"""
    if (options.qmp or options.saved or options.minus_qmp or
            options.minus_saved):
        raise UseError(f'{options.what}: a file is not of a machine')
    if options.minus and not options.minus.endswith(NUMBERS):
        raise UseError(f'{options.minus}: from a file only a .npy file is '
                       f'subtracted')
    return (of_file(options.what),
            of_file(options.minus) if options.minus else None)


def panels_of_machines(options: Any) -> Pair:
    """The same, of one or two machines"""
    symbols = Symbols(by_hart(options.image, 'HART=ELF'))
    other: Optional[List[Panel]] = None
    if options.qmp is None and options.saved is None:
        raise UseError(f'{options.what}: of which machine? --qmp SOCKET or '
                       f'--saved FILE')
    if options.minus and options.minus.endswith(NUMBERS):
        other = of_file(options.minus)
    with opened(options.qmp, options.saved, options) as tile:
        found = find(options.what, tile, symbols)
        if options.minus and other is None:
            other = find(options.minus, tile, symbols)
    if options.minus_qmp or options.minus_saved:
        with opened(options.minus_qmp, options.minus_saved, options) as tile:
            other = find(options.what, tile, symbols)
    return found, other


def main() -> int:
    """Exit status."""
    options = parser().parse_args()
    try:
        panels = panels_of(options)
        for path in options.output or ['-']:
            write(path, panels, options.layout)
    except (UseError, FormatError, ArrayFileError, TileError,
            OSError) as error:
        print(error_line('picture', error), file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
