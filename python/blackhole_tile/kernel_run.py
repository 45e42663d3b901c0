# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel as a function of arrays: bt.run('examples/add', a=a, b=b)['c'].

The folder's run.args names inputs and results, as for scripts/run:
keywords are the names of the files of --put and --expect, without .npy; so
are the names of results, from --get.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping,
                    NoReturn, Optional, Sequence, Set, Union)

import numpy

from . import npy, run
from .cli import UseError, command
from .errors import (DifferenceError, EndedError, TileDeadlock, TileTimeout,
                     ViolationError)
from .findings import findings
from .places import split_file
from .program import Program
from .watch import DEADLOCK, DONE, TIME_OUT, VIOLATION, Watch

if TYPE_CHECKING:
    from .machine import Tile

LINE_SECONDS, CALL_SECONDS = 10.0, 0.5    # between two reports of progress
FILES = ('--put=', '--expect=')
Progress = Union[bool, Callable[[float, str], Any]]


class Results(Dict[str, Any]):
    """{name: array}.  output: what program and machine have printed; seconds:
    that it took; violations: (category, text) of each that was reported."""

    def __init__(self) -> None:
        super().__init__()
        self.output, self.seconds = '', 0.0
        self.violations: List[tuple] = []


# --- options ---

def refuse(message: str) -> NoReturn:
    """What argparse does with wrong options of a command line, for Python."""
    raise UseError(message)


def options_of(words: Sequence[str]) -> Any:
    """Parsed options.  Raises UseError."""
    parser = run.parser()
    parser.error = refuse                # type: ignore[assignment]
    return parser.parse_args(list(words))


def stem(path: str) -> str:
    """build/a.npy: a"""
    return os.path.splitext(os.path.basename(path))[0]


class Files:
    """Words of run.args with arrays in place of files."""

    def __init__(self, arrays: Mapping[str, Any], folder: str, fixed: bool):
        self.folder, self.fixed = folder, fixed
        self.arrays = {name: numpy.asarray(values)
                       for name, values in arrays.items()}
        self.names: Set[str] = set()     # that could be given

    def word(self, text: str) -> Optional[str]:
        """One word; None for a comparison with what other inputs give."""
        if not text.startswith(FILES):
            return text
        left, _, right = text.partition('=')[2].partition('=')
        path, form, layout = split_file(right)
        name = stem(path)
        self.names.add(name)
        if name in self.arrays:
            places = [self.written(name, path), form, layout]
            return (f'{text.partition("=")[0]}={left}='
                    f'{":".join(filter(None, places))}')
        return None if self.arrays and text.startswith('--expect=') else text

    def written(self, name: str, path: str) -> str:
        """File with an array.  Raises UseError if the program expects another
        shape."""
        values = self.arrays[name]
        if self.fixed and path.endswith('.npy') and os.path.exists(path):
            shape = npy.read(path).shape
            if values.shape != shape:
                raise UseError(
                    f'{name} has the shape {values.shape}, {path} has '
                    f'{shape} (options=[...] can set other sizes)')
        path = os.path.join(self.folder, f'{name}.npy')
        npy.write(path, values)
        return path

    def words(self, words: Sequence[str]) -> List[str]:
        """All words.  Raises UseError for arrays that have no place."""
        found = [text for text in map(self.word, words) if text is not None]
        unknown = sorted(set(self.arrays) - self.names)
        if unknown:
            raise UseError(f'{unknown[0]}: no --put or --expect has such a '
                           f'file; there are '
                           f'{", ".join(sorted(self.names)) or "none"}')
        return found


def job_of(program: str, words: Sequence[str], arrays: Mapping[str, Any],
           folder: str, fixed: bool) -> run.Job:
    """What scripts/run would do.  Raises what says that the use was wrong."""
    words = [program, *words, '--quiet']
    if options_of(words).gdb:            # before anything is built
        raise UseError(f'--gdb: only {command("run")} and {command("debug")} '
                       f'have it')
    made = Program(program)
    options = options_of(Files(arrays, folder, fixed).words(
        made.words + words))
    return run.Job(options, made, [])


# --- one run ---

class Follower(Watch):
    """Keeps what scripts/run would print."""

    def __init__(self, job: run.Job, tile: 'Tile', progress: Progress):
        super().__init__(job, tile)
        self.report, self.said = progress, []

    def say(self, text: str) -> None:
        """Keeps a line."""
        self.said.append(text)

    def show_output(self, last: bool = False) -> None:
        """It is in Results.output."""

    def progress(self) -> None:
        """Reports it, if it is time to."""
        now = time.monotonic()
        period = CALL_SECONDS if callable(self.report) else LINE_SECONDS
        if not self.report or now - self.line < period:
            return
        self.line = now
        seconds, text = now - self.start, f'waiting for {self.wanted()}'
        if callable(self.report):
            self.report(seconds, text)
        else:
            print(f'run: {seconds:.1f} s, {text}', file=sys.stderr,
                  flush=True)

    def text(self) -> str:
        """What it said, and what the machine printed."""
        return '\n'.join([*self.said, self.tile.output()]).rstrip()


def differences(watch: Follower) -> List[str]:
    """What --expect finds wrong."""
    job, tile = watch.job, watch.tile
    found = [(expect, *expect.compare(tile, job.options.tolerance))
             for expect in job.expects]
    wrong = [expect for expect, count, _ in found if count]
    if not wrong:
        return []
    return [text for _, count, text in found if count] + list(
        findings(tile, job.puts, wrong, job.options.tolerance))


def fail(watch: Follower, status: int) -> NoReturn:
    """Raises what a status of scripts/run means."""
    if status not in (TIME_OUT, DEADLOCK, VIOLATION):
        raise EndedError(watch.text())
    tile, why = watch.tile, ''
    if watch.ended() is None:
        why = tile.why()
        if status == TIME_OUT:
            watch.say(f'time-out after {watch.job.seconds:g} s of waiting '
                      f'for {watch.wanted()}')
    if status == VIOLATION:
        raise ViolationError(watch.text())
    if status == TIME_OUT:
        raise TileTimeout(watch.text(), why)
    for event in reversed(tile.events):
        if event['event'] == 'TENSIX_DEADLOCK':
            raise TileDeadlock.of(watch.text(), event['data'])
    raise TileDeadlock(watch.text(), why, watch.said)


def follow(job: run.Job, tile: 'Tile', progress: Progress,
           allow_violations: bool) -> Results:
    """Runs a job on its stopped machine."""
    results, watch = Results(), Follower(job, tile, progress)
    run.prepare(job, tile)
    if not job.options.firmware:
        tile.go()
    status = watch.wait()
    if status != DONE:
        fail(watch, status)
    wrong = []
    if watch.ended() is None:
        tile.stop()
        for get in job.gets:
            name = stem(get.path) if get.path else get.source.text
            results[name] = get.source.read(tile)
        wrong = differences(watch)
        tile.quit()
    results.output, results.violations = tile.output(), tile.violations()
    results.seconds = time.monotonic() - watch.start
    if results.violations and not allow_violations:
        raise ViolationError(watch.text(), results)
    if wrong:
        raise DifferenceError('\n'.join(wrong), results)
    return results


def run_program(program: str, options: Sequence[str] = (), *,
                accel: Optional[str] = None, machine: Optional[str] = None,
                timeout: Optional[float] = None, progress: Progress = True,
                allow_violations: bool = False, **arrays: Any) -> Results:
    """Runs a folder's program on arrays: {name: array} of its results.

    program, options: as scripts/run has them, ['--word=l1:0x20000=4'].  accel,
    machine: as Tile has them.  timeout: seconds.  progress: True for a line on
    stderr every 10 s, False for none, or a function that is called with the
    seconds so far and a text.  arrays: instead of the files of --put; with
    any of them results are only compared (--expect) with arrays that are
    given, too.  Files are not written.

    Raises TileDeadlock, TileTimeout, ViolationError (unless
    allow_violations), DifferenceError, EndedError; UseError and FormatError
    for wrong use.
    """
    words = list(options) + [f'--{name}={value}' for name, value in (
        ('accel', accel), ('machine', machine), ('timeout', timeout))
        if value is not None]
    with tempfile.TemporaryDirectory(prefix='tile-') as folder:
        job = job_of(os.fspath(program), words, arrays, folder, not options)
        with job.tile() as tile:
            return follow(job, tile, progress, allow_violations)
