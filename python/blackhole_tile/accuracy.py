# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/accuracy: errors of a unary SFPU kernel over all inputs.

All 65,536 numbers of bf16 pass the kernel's whole folder, from L1 to L1.  fp32
is written to Dest by TRISC1 itself (runtime/accuracy.hpp), a slice at a time.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Tuple

import numpy

from . import firmware
from .cli import Parser, UseError, drop_output, error_line
from .formats import floats32
from .machine import StartError, Tile, TileError
from .program import Program, build
from .tiles import TILE
from .ulp import PRECISIONS, REFERENCES, Precision, exact_values
from .watch import NO_READER

DESCRIPTION = ('Runs a unary kernel over all numbers of bf16, or a slice of '
               'fp32, and compares it with an exact reference.')
EPILOG = """\
KERNEL   a folder like examples/gelu, or a .cpp file in place of its
         trisc1.cpp: main() calls set_up_sfpu(), and sfpu_tile() for each of
         SHARED->tiles tiles

The error of a result is |found - exact| in units of the last place at the
exact value, which is 0.5 at most if it is rounded correctly.  Infinities and
NaN of the input, and denormal inputs and results, which the Vector Unit takes
for 0, are in the table of special values only.  That is of a Dest of fp32, if
the kernel is in C++: in bf16, unpacking and packing change NaN, -0 and
denormals.

examples:
  scripts/accuracy examples/gelu -o gelu.png
  scripts/accuracy mine.cpp --function tanh --at-most 1
  scripts/accuracy examples/sfpu --fp32 0x3f800000:0x40000000
"""
DONE, WRONG_USE, TOO_WRONG = 0, 1, 5
SHARED, X_BASE, Y_BASE = 0x20000, 0x40000, 0x80000
SECONDS, MOST_TILES = 120, 256       # tiles of fp32 in L1 at once
WORST = 5
ALL_BF16 = 1 << 16
PATTERNS = 1 << 32
KERNEL = 'trisc1.cpp'
MAKEFILE = '''LIKE = $(BLACKHOLE_TILE)/examples/sfpu
include $(BLACKHOLE_TILE)/runtime/kernel.mk
'''
# bits as fp32; bf16 has the upper half of those
SPECIAL = {
    '+0': 0, '-0': 0x80000000, '+inf': 0x7F800000, '-inf': 0xFF800000,
    'NaN': 0x7FC00000, 'NaN, negative': 0xFFC00000, '1': 0x3F800000,
    '-1': 0xBF800000, 'least denormal': 0x00010000,
    'least denormal, negative': 0x80010000, 'most denormal': 0x007F0000,
    'least normal': 0x00800000, 'least normal, negative': 0x80800000,
    'INT_MIN': 0xCF000000, '2^31 (above INT_MAX)': 0x4F000000,
    'largest': 0x7F7F0000, 'largest, negative': 0xFF7F0000,
}
DENORMAL = 0x00800000
Reference = Callable[[Any], Any]
Images = Dict[str, str]              # {hart: ELF}


class Found(NamedTuple):
    """Inputs, results and their errors: arrays of the same length"""
    bits: Any                      # of the inputs, as fp32
    y: Any                         # fp32
    exact: Any                     # longdouble
    errors: Any                    # in ulp
    counted: Any                   # whether it is no special value

    @property
    def x(self) -> Any:
        """The inputs"""
        return floats32(self.bits)


# --- the kernel ---

def folder_of(kernel: str, scratch: str) -> str:
    """A folder that has the kernel.  scratch: for one that is built from a
    .cpp file and the sources of examples/sfpu."""
    if os.path.isdir(kernel):
        return kernel
    if not os.path.isfile(kernel) or not kernel.endswith('.cpp'):
        raise UseError(f'{kernel}: neither a folder nor a .cpp file')
    folder = os.path.join(scratch, 'kernel')
    os.mkdir(folder)
    shutil.copyfile(kernel, os.path.join(folder, KERNEL))
    with open(os.path.join(folder, 'Makefile'), 'w', encoding='utf-8') as file:
        file.write(MAKEFILE)
    return folder


def images_alone(folder: str, scratch: str) -> Images:
    """The kernel's TRISC1 alone, between L1 and Dest; nothing if it is not in
    C++"""
    if not os.path.exists(os.path.join(folder, KERNEL)):
        return {}
    return firmware.images(build(folder, os.path.join(scratch, 'alone'),
                                 ['ACCURACY=1']), '')


def data_names(folder: str) -> Dict[str, Any]:
    """What a folder's data.py defines"""
    path = os.path.join(folder, 'data.py')
    return runpy.run_path(path) if os.path.exists(path) else {}


def reference_of(kernel: str, name: str) -> Tuple[str, Reference]:
    """The reference of that name; without one, data.py's exact(x) or the
    function that its FUNCTION names, or the folder itself."""
    if not name:
        names = data_names(kernel) if os.path.isdir(kernel) else {}
        if 'exact' in names:
            return 'exact() of data.py', names['exact']
        base = os.path.basename(os.path.realpath(kernel))
        name = names.get('FUNCTION', os.path.splitext(base)[0])
    if name not in REFERENCES:
        raise UseError(f'{name}: no such reference; --function takes one of '
                       + ', '.join(REFERENCES))
    return name, REFERENCES[name]


def run_bf16(folder: str) -> Tuple[Any, Any]:
    """Bits as fp32 of all inputs, and the results"""
    codes = numpy.arange(ALL_BF16, dtype='<u2')
    tiles = ALL_BF16 // TILE ** 2
    with Tile(Program(folder).images(), stopped=True) as tile:
        tile.write(X_BASE, codes.tobytes())
        tile.write32(SHARED, tiles)
        tile.cont()
        tile.wait_for_word(SHARED + 4, tiles, SECONDS)
        tile.settle()
        results = tile.read(Y_BASE, 2 * ALL_BF16)
    return (codes.astype('<u4') << 16, floats32(numpy.frombuffer(
        results, '<u2').astype('<u4') << 16))


def run_fp32(images: Images, bits: Any) -> Any:
    """The results of these bit patterns"""
    each = MOST_TILES * TILE ** 2
    results: List[bytes] = []
    for start in range(0, len(bits), each):
        part = bits[start:start + each]
        tiles = -(-len(part) // TILE ** 2)
        with Tile(images, stopped=True) as tile:
            tile.write(X_BASE, part.tobytes() + bytes(
                4 * (tiles * TILE ** 2 - len(part))))
            tile.write32(SHARED, tiles)
            tile.write32(SHARED + 4, 0)
            tile.cont()
            tile.wait_for_word(SHARED + 4, tiles, SECONDS)
            results.append(tile.read(X_BASE, 4 * len(part)))
    return numpy.frombuffer(b''.join(results), '<f4')


# --- what is found ---

def compare(bits: Any, y: Any, reference: Reference,
            precision: Precision) -> Found:
    """Errors of results; NaN, infinities and denormals do not count."""
    exact = exact_values(reference, floats32(bits))
    size = bits & 0x7FFFFFFF
    least = numpy.ldexp(numpy.longdouble(1), -126)
    counted = (size < 0x7F800000) & ((size == 0) | (size >= DENORMAL)) & ~(
        (exact != 0) & (numpy.abs(exact) < least))
    return Found(bits, y, exact, precision.errors(y, exact), counted)


def number(value: Any) -> str:
    """Short, with the sign of a zero and of NaN's"""
    value = float(value)
    return 'nan' if value != value else f'{value:.6g}'


def summary(found: Found, precision: Precision) -> Iterator[str]:
    """Largest and mean error, the worst inputs"""
    errors = numpy.where(found.counted, found.errors, -1)
    kept = found.errors[found.counted]
    if not len(kept):
        yield 'no ordinary number among the inputs'
        return
    finite = kept[numpy.isfinite(kept)]
    yield (f'{len(kept)} of {len(errors)} results counted, errors in ulp of '
           f'{precision.name}: max {kept.max():.4g}, mean '
           f'{finite.mean() if len(finite) else numpy.inf:.4g}, '
           f'{(kept > 0.5).sum()} above 0.5, {(kept > 1).sum()} above 1')
    for i in numpy.argsort(-errors, kind='stable')[:WORST]:
        if errors[i] > 0:
            yield (f'  f({number(found.x[i])}, {found.bits[i]:#010x}) = '
                   f'{number(found.y[i])}, exact {number(found.exact[i])}: '
                   f'{errors[i]:.4g} ulp')


def agrees(y: Any, wanted: Any) -> bool:
    """The same number, with the same sign of a zero; any NaN is NaN."""
    return bool(numpy.isnan(y) and numpy.isnan(wanted) or y == wanted and
                numpy.signbit(y) == numpy.signbit(wanted))


def specials(bits: Any, results: Any, reference: Reference,
             precision: Precision) -> Iterator[str]:
    """Of each special input that was run: its result, what IEEE 754
    arithmetic gives, whether they are the same"""
    found = dict(zip(bits.tolist(), results.tolist()))
    for name, pattern in SPECIAL.items():
        if pattern not in found:
            continue
        x = floats32(numpy.array([pattern], '<u4'))
        wanted = float(precision.rounded(exact_values(reference, x))[0])
        same = agrees(found[pattern], wanted)
        yield (f'  {name:26}{number(found[pattern]):>14}   IEEE '
               f'{number(wanted):>14}   {"same" if same else "DIFFERS"}')


def draw(found: Found, title: str, path: str) -> None:
    """The error of each input that counts, as a picture."""
    # pylint: disable=import-outside-toplevel
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    keep = found.counted & numpy.isfinite(found.errors)
    axes.scatter(found.x[keep], found.errors[keep], s=1, linewidths=0,
                 rasterized=True)
    axes.set_xscale('symlog', linthresh=1e-6)
    axes.axhline(0.5, linewidth=0.8, color='grey', linestyle='--')
    axes.set(xlabel='x', ylabel='error (ulp)', title=title)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


# --- the command line ---

def fp32_slice(text: str) -> Tuple[int, int]:
    """FROM:TO"""
    first, _, last = text.partition(':')
    try:
        found = int(first, 0), int(last, 0)
    except ValueError:
        found = 0, 0
    if not 0 <= found[0] < found[1] <= PATTERNS:
        raise argparse.ArgumentTypeError(
            f'{text!r} is not FROM:TO, bits of fp32, FROM below TO')
    return found


def parser() -> Parser:
    """The options"""
    p = Parser('accuracy', DESCRIPTION, EPILOG)
    p.add_argument('kernel', metavar='KERNEL')
    p.add_argument('--function', metavar='NAME', default='',
                   help='the reference (default: what data.py names, or the '
                        'kernel\'s name): ' + ', '.join(REFERENCES))
    p.add_argument('--fp32', type=fp32_slice, metavar='FROM:TO',
                   help='bit patterns of fp32, TO excluded, in place of bf16')
    p.add_argument('--ulp', choices=PRECISIONS,
                   help='the format whose units count (default: the inputs\')')
    p.add_argument('--at-most', type=float, metavar='ULP',
                   help=f'status {TOO_WRONG} if the largest error is above')
    p.add_argument('-o', '--output', metavar='FILE',
                   help='.png, .svg or .pdf: the error over the inputs')
    return p


class Measurement(NamedTuple):
    """Of a kernel: the reference, the units, and what was found"""
    title: str
    reference: Reference
    precision: Precision
    found: Found
    special_bits: Any
    special_results: Any


def measure(options: argparse.Namespace, scratch: str) -> Measurement:
    """Runs the kernel; the special values in fp32, if that is possible."""
    folder = folder_of(options.kernel, scratch)
    name, reference = reference_of(options.kernel, options.function)
    precision = PRECISIONS[options.ulp or
                           ('fp32' if options.fp32 else 'bf16')]
    alone = images_alone(folder, scratch)
    if options.fp32 and not alone:
        raise UseError(f'{folder}: --fp32 needs a {KERNEL}')
    if options.fp32:
        bits = numpy.arange(*options.fp32, dtype='<i8').astype('<u4')
        y = run_fp32(alone, bits)
    else:
        bits, y = run_bf16(folder)
    special = numpy.array(list(SPECIAL.values()), '<u4')
    at = (special, run_fp32(alone, special)) if alone else (bits, y)
    return Measurement(f'{options.kernel}: {name}', reference, precision,
                       compare(bits, y, reference, precision), *at)


def report(options: argparse.Namespace, scratch: str) -> int:
    """Prints all of it; the exit status"""
    m = measure(options, scratch)
    print(m.title)
    for line in summary(m.found, m.precision):
        print(line)
    for line in specials(m.special_bits, m.special_results, m.reference,
                         m.precision):
        print(line)
    if options.output:
        draw(m.found, m.title, options.output)
    worst = m.found.errors[m.found.counted].max(initial=0)
    if options.at_most is not None and worst > options.at_most:
        print(f'{m.title}: largest error {worst:.4g} ulp, above '
              f'--at-most {options.at_most:g}', file=sys.stderr)
        return TOO_WRONG
    return DONE


def main() -> int:
    """Exit status."""
    options = parser().parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix='accuracy-') as scratch:
            status = report(options, scratch)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        drop_output()
        return NO_READER
    except (UseError, StartError, TileError, ImportError, OSError,
            ValueError) as error:
        print(error_line('accuracy', error), file=sys.stderr)
        return WRONG_USE


if __name__ == '__main__':
    sys.exit(main())
