# SPDX-License-Identifier: GPL-2.0-or-later
"""The second half of scripts/demo: multiplies matrices on the machine, says
how exact the result is, and draws it."""

import argparse
import math
import os
import random
import sys
import time

import lib_matmul
import lib_png
# lib_matmul knows the folder
from blackhole_tile import ArrayFileError, FormatError, TileError, npy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, 'build', 'demo')
DEFAULT_SIZE = 256
BAR = 40
LINE_SECONDS = 5


def arguments(words):
    parser = argparse.ArgumentParser(
        prog='scripts/demo',
        description='Multiplies two matrices on the machine; without '
                    'arguments, two of its own.')
    parser.add_argument('files', nargs='*', metavar='A B',
                        help='.npy files, or raw 32-bit floats with --shape; '
                             'sizes are multiples of 32')
    parser.add_argument('--shape', nargs=3, type=int, metavar=('M', 'K', 'N'),
                        help='A is M x K and B is K x N (raw files, or sizes '
                             'of the default matrices)')
    parser.add_argument('--format', choices=lib_matmul.FORMATS, default='bf16')
    parser.add_argument('--fidelity', default='hifi4', type=str.lower,
                        help='lofi, hifi2, hifi3, hifi4, or 1 to 4')
    parser.add_argument('--dest', type=int, choices=(16, 32), default=32,
                        help='bits of an accumulator in Dest')
    parser.add_argument('--out', default=os.path.join(OUT, 'matmul.npy'),
                        help='file for C; raw if it does not end in .npy')
    parser.add_argument('--check', action='store_true',
                        help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    options.phases = lib_matmul.FIDELITIES.get(options.fidelity)
    if options.phases is None and options.fidelity in ('1', '2', '3', '4'):
        options.phases = int(options.fidelity)
    if options.phases is None:
        parser.error(f'no fidelity {options.fidelity}')
    if len(options.files) not in (0, 2):
        parser.error('either both matrices or none')
    if options.shape and any(n < 1 or n % lib_matmul.TILE
                             for n in options.shape):
        parser.error(f'sizes are multiples of {lib_matmul.TILE}')
    folder = os.path.dirname(options.out) or '.'
    if options.out == parser.get_default('out'):
        os.makedirs(folder, exist_ok=True)
    if not os.path.isdir(folder):
        parser.error(f'--out {options.out}: no folder {folder}')
    if os.path.isdir(options.out):
        parser.error(f'--out {options.out} is a folder')
    return options


def wave(rows, columns, integer, seed):
    """Something to look at: rings with noise, within [-1, 1]."""
    noise = random.Random(seed)
    matrix = [[0.7 * math.cos(24 * math.hypot(r / rows - 0.5,
                                              c / columns - 0.3 * seed)) +
               0.3 * noise.uniform(-1, 1) for c in range(columns)]
              for r in range(rows)]
    return [[round(127 * x) for x in row] for row in matrix] if integer \
        else matrix


def operands(options):
    rows, inner, columns = options.shape or [DEFAULT_SIZE] * 3
    integer = lib_matmul.FORMATS[options.format].integer
    if not options.files:
        return (wave(rows, inner, integer, 1), wave(inner, columns, integer, 2))
    shapes = ((rows, inner), (inner, columns))
    return [read(path, shape if options.shape else None)
            for path, shape in zip(options.files, shapes)]


def read(path, shape):
    if path.endswith('.npy'):
        matrix = npy.read_matrix(path)
        found = len(matrix), len(matrix[0])
        if shape and shape != found:
            raise ArrayFileError(
                f'{path} is {found[0]} x {found[1]}, not {shape[0]} x '
                f'{shape[1]} as --shape says')
        return matrix
    if shape is None:
        raise ArrayFileError(f'{path}: raw files need --shape')
    return npy.read_raw(path, *shape)


def show_progress(all_of_them, what):
    """progress(done): a bar on a terminal, else a line now and then."""
    last = time.monotonic()

    def progress(done):
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


def multiply(a, b, options):
    p = lib_matmul.Product(a, b, options.format, options.phases,
                           options.dest == 32)
    print(f'C = A x B: {p.rows} x {p.inner} times {p.inner} x {p.columns}, '
          f'{options.format}, {options.phases} fidelity '
          f'phase{"s" if p.phases > 1 else ""}, Dest of '
          f'{32 if p.dest_32b else 16} bits', flush=True)
    if p.format.integer and any(x != round(x) for m in (a, b) for row in m
                                for x in row):
        print(f'note: {options.format} takes the inputs rounded to integers')
    progress = show_progress(p.tiles, 'tiles of C')
    p.run(progress=progress)
    progress(p.tiles)
    return p


def report(p, a, b):
    """Prints figures; returns the errors and whether they are small enough."""
    print('computing the same on the host in double precision', flush=True)
    wanted = lib_matmul.product(a, b, show_progress(p.rows, 'rows of C'))
    limit = lib_matmul.Bound(p, a, b).all(p.c)
    error = [[abs(x - y) for x, y in zip(*rows)] for rows in zip(p.c, wanted)]
    count = p.rows * p.columns
    wrong = sum(not e <= m for rows in zip(error, limit)
                for e, m in zip(*rows))
    largest = max(max(map(abs, row)) for row in wanted)
    print(f'largest |C| in double precision  {largest:.6g}\n'
          f'largest error                    {max(map(max, error)):.6g}\n'
          f'mean error                       '
          f'{sum(map(sum, error)) / count:.6g}\n'
          f'errors beyond what the format allows: {wrong} of {count} '
          f'(smallest limit {min(map(min, limit)):.6g})\n'
          f'host time                        {p.seconds:.3f} s')
    done = ', '.join(f'{unit} {n}' for unit, n in p.units.items() if n)
    print(f'instructions executed by unit    {done}')
    return error, wrong


def shown(path):
    """As short as it can be."""
    return min(os.path.relpath(path), os.path.abspath(path), key=len)


def main(words):
    options = arguments(words)
    if options.check:
        return 0
    os.makedirs(OUT, exist_ok=True)
    picture = os.path.join(OUT, 'matmul.png')
    try:
        a, b = operands(options)
        p = multiply(a, b, options)
        npy.write_matrix(options.out, p.c, p.format.integer)
        error, wrong = report(p, a, b)
        lib_png.write_product(picture, a, b, p.c, error)
    except OSError as fault:
        print(f'error: {fault.filename or "the machine"}: {fault.strerror}')
        return 1
    except (lib_matmul.MatmulError, ArrayFileError, FormatError,
            TileError) as fault:
        print(f'error: {fault}')
        return 1
    print(f'C is in {shown(options.out)}, A, B, C and the error in '
          f'{shown(picture)}')
    return int(wrong != 0)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
