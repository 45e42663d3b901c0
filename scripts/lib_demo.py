# SPDX-License-Identifier: GPL-2.0-or-later
"""The second half of scripts/demo: multiplies matrices on the machine, says
how exact the result is, and draws it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, Callable, List, Tuple

import numpy

import lib_matmul as matmul
from blackhole_tile import npy
from blackhole_tile.errors import TileError
from blackhole_tile.formats import FormatError
from blackhole_tile.machine import BUILD
from blackhole_tile.npy import ArrayFileError
from blackhole_tile.panels import Panel
from blackhole_tile.picture import DPI, draw
from blackhole_tile.tiles import TILE

OUT = os.path.join(BUILD, 'demo')
DEFAULT_SIZE = 256
BAR = 40
LINE_SECONDS = 5
INTERRUPTED = 128 + 2
FIDELITY_NAMES = ('', 'LoFi', 'HiFi2', 'HiFi3', 'HiFi4')     # by phases
RINGS, NOISE = 24, 0.3               # of the matrices that the demo makes
ACROSS, INCHES = 2, 5.0              # of the picture: panels, inches of one
USUAL = 99                           # percentile where the errors' colours end


def arguments(words: List[str]) -> argparse.Namespace:
    """The command line; `phases` is the fidelity as a number."""
    parser = argparse.ArgumentParser(
        prog='scripts/demo',
        description='Multiplies two matrices on the machine; without '
                    'arguments, two generated ones.')
    parser.add_argument('files', nargs='*', metavar='A B',
                        help='.npy files, or raw 32-bit floats with --shape; '
                             'sizes are multiples of 32')
    parser.add_argument('--shape', nargs=3, type=int, metavar=('M', 'K', 'N'),
                        help='A is M x K and B is K x N (raw files, or sizes '
                             'of the default matrices)')
    parser.add_argument('--format', choices=matmul.FORMATS, default='bf16')
    parser.add_argument('--fidelity', default='hifi4', type=str.lower,
                        help='lofi, hifi2, hifi3, hifi4, or 1 to 4')
    parser.add_argument('--dest', type=int, choices=(16, 32), default=32,
                        help='bits of an accumulator in Dest')
    parser.add_argument('--out', default=os.path.join(OUT, 'matmul.npy'),
                        help='file for C; raw if it does not end in .npy')
    parser.add_argument('--check', action='store_true',
                        help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    options.phases = matmul.FIDELITIES.get(options.fidelity)
    if options.phases is None and options.fidelity in ('1', '2', '3', '4'):
        options.phases = int(options.fidelity)
    check(parser, options)
    return options


def check(parser: argparse.ArgumentParser, options: Any) -> None:
    """Ends with a message where options make no sense."""
    if options.phases is None:
        parser.error(f'no fidelity {options.fidelity}')
    if len(options.files) not in (0, 2):
        parser.error('either both matrices or none')
    if options.shape and any(n < 1 or n % TILE for n in options.shape):
        parser.error(f'sizes are multiples of {TILE}')
    folder = os.path.dirname(options.out) or '.'
    if options.out == parser.get_default('out'):
        os.makedirs(folder, exist_ok=True)
    if not os.path.isdir(folder):
        parser.error(f'--out {options.out}: no folder {folder}')
    if os.path.isdir(options.out):
        parser.error(f'--out {options.out} is a folder')


# --- A and B ---

def wave(rows: int, columns: int, integer: bool, seed: int) -> Any:
    """A picture: rings with noise, within [-1, 1]."""
    down, right = numpy.ogrid[:rows, :columns]
    distance = numpy.hypot(down / rows - 0.5, right / columns - 0.3 * seed)
    noise = numpy.random.default_rng(seed).uniform(-1, 1, (rows, columns))
    matrix = (1 - NOISE) * numpy.cos(RINGS * distance) + NOISE * noise
    return numpy.rint(127 * matrix) if integer else matrix


def operands(options: Any) -> Tuple[Any, Any]:
    """A and B."""
    rows, inner, columns = options.shape or [DEFAULT_SIZE] * 3
    integer = matmul.FORMATS[options.format].integer
    if not options.files:
        return (wave(rows, inner, integer, 1),
                wave(inner, columns, integer, 2))
    a, b = (read(path, shape if options.shape else None) for path, shape in
            zip(options.files, ((rows, inner), (inner, columns))))
    return a, b


def read(path: str, shape: Any) -> Any:
    """A matrix of that shape, if one is given.  Raises ArrayFileError."""
    if path.endswith('.npy'):
        matrix = npy.read_matrix(path)
        if shape and shape != matrix.shape:
            raise ArrayFileError(
                f'{path} is {matrix.shape[0]} x {matrix.shape[1]}, not '
                f'{shape[0]} x {shape[1]} as --shape says')
        return matrix
    if shape is None:
        raise ArrayFileError(f'{path}: raw files need --shape')
    return npy.read_raw(path, *shape)


# --- C ---

def show_progress(all_of_them: int, what: str) -> Callable[[int], None]:
    """progress(done): a bar on a terminal, else a line now and then."""
    last = time.monotonic()

    def progress(done: int) -> None:
        nonlocal last
        filled = BAR * done // all_of_them
        if sys.stdout.isatty():
            print(f'\r[{"#" * filled}{"." * (BAR - filled)}] '
                  f'{done} of {all_of_them} {what} ', end='', flush=True)
            if done == all_of_them:
                print()
        elif time.monotonic() - last > LINE_SECONDS:
            last = time.monotonic()
            print(f'{done} of {all_of_them} {what}', flush=True)
    return progress


def title(p: matmul.Product) -> str:
    """What is computed, for a line and for the picture."""
    return (f'C = A x B: {p.rows} x {p.inner} times {p.inner} x {p.columns}, '
            f'{p.format.name}, {FIDELITY_NAMES[p.phases]}, Dest of '
            f'{32 if p.dest_32b else 16} bits')


def multiply(a: Any, b: Any, options: Any) -> matmul.Product:
    """Runs it and reports its result."""
    p = matmul.Product(a, b, options.format, options.phases,
                       options.dest == 32)
    print(title(p), flush=True)
    if p.format.integer and any((m != numpy.rint(m)).any() for m in (a, b)):
        print(f'note: {options.format} takes the inputs rounded to integers')
    progress = show_progress(p.tiles, 'tiles of C')
    p.run(progress=progress)
    progress(p.tiles)
    return p


def report(p: matmul.Product, a: Any, b: Any) -> Tuple[Any, int]:
    """Prints figures; (error in units of the last place, how many errors are
    larger than they may be)."""
    wanted = numpy.asarray(a, float) @ numpy.asarray(b, float)
    limit = matmul.Bound(p, a, b).all(p.c)
    error = abs(p.c - wanted)
    places = error / p.last_places(wanted)
    wrong = int((~(error <= limit)).sum())
    print(f'largest |C| in double precision  {abs(wanted).max():.6g}\n'
          f'largest error                    {error.max():.6g}\n'
          f'mean error                       {error.mean():.6g}\n'
          f'half of the errors are below     {numpy.median(places):.3g} '
          f'units in the last place of {p.format.out.name}\n'
          f'errors beyond what the format allows: {wrong} of {error.size} '
          f'(smallest limit {limit.min():.6g})\n'
          f'host time                        {p.seconds:.3f} s')
    done = ', '.join(f'{unit} {n}' for unit, n in p.units.items() if n)
    print(f'instructions executed by unit    {done}')
    return places, wrong


# --- the picture ---

def panel(name: str, values: Any) -> Panel:
    """Without borders of tiles, which would hide a large matrix."""
    none = values.shape[::-1]
    return Panel(name, values, '', numpy.ones(values.shape, bool), faces=none,
                 tiles=none)


def draw_product(path: str, p: matmul.Product, a: Any, b: Any,
                 places: Any) -> None:
    """A, B, C and the error of C, each on its own scale."""
    usual = numpy.percentile(places, USUAL)
    named = {'A': a, 'B': b, 'C = A x B': p.c,
             f'|error| of C in units in the last place of '
             f'{p.format.out.name}\n{USUAL} % are at most {usual:.3g} (the '
             f'colours end there), all are at most {places.max():.3g}':
             numpy.minimum(places, usual)}
    panels = [panel(name, numpy.asarray(values, float))
              for name, values in named.items()]
    draw(panels, ACROSS, title(p), INCHES).savefig(path, dpi=DPI)


def shown_path(path: str) -> str:
    """As short as it can be."""
    return min(os.path.relpath(path), os.path.abspath(path), key=len)


def run(options: argparse.Namespace) -> int:
    """Exit status: 1 if an error is larger than it may be."""
    os.makedirs(OUT, exist_ok=True)
    picture = os.path.join(OUT, 'matmul.png')
    a, b = operands(options)
    p = multiply(a, b, options)
    npy.write(options.out, p.c.astype('<i4' if p.format.integer else '<f4'))
    places, wrong = report(p, a, b)
    draw_product(picture, p, a, b, places)
    print(f'C is in {shown_path(options.out)}, A, B, C and the error in '
          f'{shown_path(picture)}')
    return int(wrong != 0)


def main(words: List[str]) -> int:
    """Exit status."""
    options = arguments(words)
    if options.check:
        return 0
    try:
        return run(options)
    except OSError as fault:
        text = f'{fault.filename or "the machine"}: {fault.strerror}'
    except (matmul.MatmulError, ArrayFileError, FormatError,
            TileError) as fault:
        text = str(fault)
    except KeyboardInterrupt:
        return INTERRUPTED
    print(f'error: {text}')
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
