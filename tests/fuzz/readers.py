#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Feeds the Python package's readers of files with malformed input.

    tests/fuzz/readers.py TARGET [--seconds N] [--seed N] [--save FOLDER]

Targets: timeline (files of -M timeline=FILE, in every form), npy (arrays), elf
(what a hart loads). Each input is a good one with some bytes, lengths or
fields changed. It is read, or refused with the reader's own error, in at most
SECONDS_MOST seconds and MEMORY_MOST bytes. Anything else ends the run with
status 1, and the input is saved. --seed=N repeats a run.
"""

import contextlib
import io
import os
import resource
import signal
import struct
import sys
import tempfile
import traceback
from typing import Callable, Dict, Iterator, Tuple

from machine import Inputs, Wrong, fuzz

# pylint: disable=wrong-import-position,wrong-import-order
import numpy                                                    # noqa: E402
from blackhole_tile import elf, npy, timeline                   # noqa: E402
from blackhole_tile.testing import SHARED, Tile, images         # noqa: E402

SECONDS_MOST = 20                      # of a loaded machine
MEMORY_MOST = 2 << 30
FORMS = ('text', 'json', 'lines', 'svg', 'perfetto')


def too_long(*_: object) -> None:
    """The handler of SIGALRM."""
    raise Wrong(f'not read after {SECONDS_MOST} s')


@contextlib.contextmanager
def only(*allowed: type) -> Iterator[None]:
    """Errors other than these are wrong; too long is."""
    signal.alarm(SECONDS_MOST)
    try:
        yield
    except (*allowed, Wrong) as error:
        if isinstance(error, Wrong):
            raise
    except BaseException as error:     # what the reader must not raise
        raise Wrong(''.join(traceback.format_exception(error))) from None
    finally:
        signal.alarm(0)


def each_file(inputs: Inputs, good: bytes,
              *parts: Tuple[int, int]) -> Iterator[str]:
    """The path of each input; parts: ranges of which one is changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'input')
        for choose in inputs:
            begin, end = choose.choice(parts or ((0, len(good)),))
            inputs.last = good[:begin] + inputs.changed(good[begin:end]) + \
                good[end:]
            with open(path, 'wb') as file:
                file.write(inputs.last)
            yield path


def good_timeline() -> bytes:
    """Of a program that uses every unit."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'timeline')
        with Tile('snapshot', words={SHARED: 1},
                  machine=f'timeline={path}') as tile:
            tile.wait_for_word(SHARED + 8, 1)
            tile.quit()
        with open(path, 'rb') as file:
            return file.read()


def fuzz_timeline(inputs: Inputs) -> None:
    """One form of each file, whole or not."""
    good = good_timeline()
    for path in each_file(inputs, good):
        command = ['--format', inputs.random.choice(FORMS), '-o', path + '.out',
                   path]
        if inputs.random.randrange(2):
            command.append('--partial')
        with only(), contextlib.redirect_stderr(io.StringIO()):
            timeline.main(command)


def fuzz_npy(inputs: Inputs) -> None:
    """Arrays, and matrices."""
    file = io.BytesIO()
    numpy.save(file, numpy.arange(12, dtype='<f4').reshape(3, 4))
    for path in each_file(inputs, file.getvalue()):
        with only(npy.ArrayFileError):
            npy.read_matrix(path)


def fuzz_elf(inputs: Inputs) -> None:
    """Programs of a hart."""
    with open(images('demo')['trisc1'], 'rb') as file:
        good = file.read()
    programs, sections = struct.unpack_from('<II', good, 28)
    for path in each_file(inputs, good, (0, elf.HEADER),
                          (programs, programs + 2 * elf.PROGRAM),
                          (sections, len(good)), (0, len(good))):
        with only(elf.ElfError):
            elf.read_elf(path)


TARGETS: Dict[str, Callable[[Inputs], None]] = {
    'elf': fuzz_elf, 'npy': fuzz_npy, 'timeline': fuzz_timeline}


def main() -> int:
    """Status 1, and the input is saved, if a reader failed."""
    signal.signal(signal.SIGALRM, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MOST, MEMORY_MOST))
    return fuzz(TARGETS, __doc__ or '', 'read, or refused')


if __name__ == '__main__':
    sys.exit(main())
