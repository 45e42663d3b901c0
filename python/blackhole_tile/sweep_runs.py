# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of a sweep, as a worker makes them: a kernel is loaded once, and each
run starts from its snapshot in the emulator's memory."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import itertools
import os
import threading
import time
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy

from . import firmware, npy, run
from .cli import UseError
from .comparison import compare
from .delays import OBJECT, question, results_of
from .errors import TileError, TileTimeout
from .kernel_run import stem
from .places import Data, Put, Source, halves, split_file

DONE, DIFFERS, VIOLATION, FAILED = 'done', 'differs', 'violation', 'failed'
EAGER = 0                            # seed of schedule=eager
NO_ROW = -1
RUN_SECONDS, NAP_SECONDS = 600, 1    # for one command, for one event
DIGEST = 16                          # characters
KEPT = threading.local()             # .kernel: that of this thread's last task
REFUSED = ('gdb', 'delay', 'check', 'prove', 'trace', 'strict', 'why')
Record = Dict[str, Any]              # what is reported of one run
Arrays = Dict[str, Any]              # {name: array} of one run


class Load(NamedTuple):
    """What a worker loads once.  words: of scripts/run; folder: where they
    are typed; emulator: '' for the usual one."""
    words: Tuple[str, ...]
    folder: str
    emulator: str


class Run(NamedTuple):
    """One run.  row: of the inputs, or NO_ROW; seed: of the schedule."""
    number: int
    row: int
    seed: int


# --- inputs ---

class Rows:
    """An array with one more axis, the first: its rows, from `first` on."""

    def __init__(self, values: Any, first: int = 0):
        self.values, self.first = values, first

    def __len__(self) -> int:
        return self.first + len(self.values)

    def part(self, first: int, last: int) -> 'Rows':
        """What a task with these rows needs."""
        return Rows(numpy.array(self.values[first:last + 1]), first)

    def row(self, number: int, shape: Tuple[int, ...]) -> Any:
        """One of them.  Raises UseError if it has not the shape."""
        found = self.values[number - self.first]
        if found.shape != shape:
            raise UseError(f'a row has the shape {found.shape}, the program '
                           f'takes {shape}')
        return found


class Bits:
    """All fp32 numbers by their bits, from `first` to `last`; size: numbers
    a row.  The last row ends with repetitions of the last number."""

    def __init__(self, first: int, last: int, size: int):
        self.first, self.last, self.size = first, last, size

    def __len__(self) -> int:
        return (self.last - self.first) // self.size + 1

    def part(self, *_: int) -> 'Bits':
        """What a task needs."""
        return self

    def row(self, number: int, shape: Tuple[int, ...]) -> Any:
        """One of them."""
        start = self.first + number * self.size
        bits = numpy.arange(start, start + self.size, dtype=numpy.uint64)
        bits = numpy.minimum(bits, self.last).astype(numpy.uint32)
        return bits.view(numpy.float32).reshape(shape)


class Writes:
    """Takes what is written to a tile, for the command tensix-perturb."""

    def __init__(self) -> None:
        self.found: List[Dict[str, Any]] = []

    def write(self, address: int, data: bytes) -> None:
        """As Tile has it."""
        self.found.append({'address': address,
                           'data': base64.b64encode(data).decode('ascii')})

    def write_pages(self, base: int, data: bytes) -> None:
        """As Tile has it."""
        firmware.write_pages(self, base, data)   # type: ignore[arg-type]


class Slot:
    """A --put whose file a sweep's input replaces."""

    def __init__(self, put: Put, text: str):
        _, right = halves(text, 'PLACE=FILE')
        path, _, self.layout = split_file(right)
        self.put, self.name = put, stem(path)
        self.shape = npy.read(path).shape

    def writes(self, values: Any) -> List[Dict[str, Any]]:
        """What stores an array there."""
        taken = Writes()
        form = self.put.form or ''
        self.put.where.write(
            taken,                               # type: ignore[arg-type]
            Data(values.shape, form, self.layout).encode(values))
        return taken.found


def slots_of(job: run.Job) -> Dict[str, Slot]:
    """{name: Slot} of the arrays that a job puts."""
    found = [Slot(put, text) for put, text in
             zip(job.puts, job.options.put) if put.form]
    return {slot.name: slot for slot in found}


def sources_of(job: run.Job) -> Dict[str, Source]:
    """{name: Source} of what a job gets."""
    return {stem(get.path) if get.path else get.source.text: get.source
            for get in job.gets}


# --- a kernel that is loaded ---

class Kernel:
    """A machine that is stopped before a kernel, and its snapshot."""

    def __init__(self, load: Load):
        self.load, self.tile = load, None        # type: Load, Any
        with inside(load.folder):
            self.job = parse(load)
            self.slots = slots_of(self.job)
        self.job.extra = [*OBJECT, *self.job.extra]
        self.job.tile_options = {'qemu': load.emulator or None,
                                 'dies_with_thread': True}
        self.sources = sources_of(self.job)
        self.expects = self.job.expects
        self.read_sources = [*self.sources.values(),
                             *(one.source for one in self.expects)]
        self.tile = self.job.tile()
        try:
            with inside(load.folder):
                run.prepare(self.job, self.tile, stopped=True)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the machine."""
        self.tile.close()

    def writes(self, given: Mapping[str, Any], row: int
               ) -> List[Dict[str, Any]]:
        """What stores a row of all inputs."""
        if row == NO_ROW:
            return []
        return [one for name, values in given.items() if name in self.slots
                for one in self.slots[name].writes(
                    values.row(row, self.slots[name].shape))]

    def start(self, first: int, last: int, **more: Any) -> List[dict]:
        """Runs with these seeds; bands of them."""
        tile = self.tile
        tile.events.clear()
        tile.qmp('tensix-perturb', seeds=[{'first': first, 'last': last}],
                 **question(self.job), **more)
        tile.cont()
        wait_for_stop(tile)
        info = tile.qmp('query-tensix-perturb', sites=False)
        if info['left']:
            raise TileError('the machine has stopped before the end of its '
                            'runs')
        return info['bands']

    def read(self) -> 'Result':
        """What the last run has left."""
        parts, arrays = [], {}
        for source in self.read_sources:
            if source.where and source.data:
                raw = source.where.read(self.tile, source.data.size())
                arrays[source.text] = Lazy(source, raw)
                parts.append(raw)
            else:
                values = source.read(self.tile)
                arrays[source.text] = Lazy(source, b'', values)
                parts.append(values.tobytes())
        digest = hashlib.sha256(b''.join(parts)).hexdigest()[:DIGEST]
        return Result(digest, arrays)


def parse(load: Load) -> run.Job:
    """The job of scripts/run.  Raises what says that its use is wrong."""
    job = run.parse_repeated([*load.words], 'cannot be swept')
    for name in REFUSED:
        if getattr(job.options, name):
            raise UseError(f'--{name}: scripts/run has it, for one run')
    if job.options.seed is not None:
        raise UseError('--seed: scripts/run has it, for one run; --seeds '
                       'names those of a sweep')
    return job


@contextlib.contextmanager
def inside(folder: str) -> Any:
    """With that working directory."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def wait_for_stop(tile: Any) -> None:
    """Until the runs of one command are over.  Raises TileTimeout."""
    end = time.monotonic() + RUN_SECONDS
    while not any(event['event'] == 'STOP' for event in tile.events):
        if time.monotonic() > end:
            raise TileTimeout('the runs take too long', tile.why())
        tile.take_events(NAP_SECONDS)


class Lazy:
    """An array that is decoded when it is asked for."""

    def __init__(self, source: Source, raw: bytes, values: Any = None):
        self.source, self.raw, self.values = source, raw, values

    def array(self) -> Any:
        """The array."""
        if self.values is None and self.source.data:
            self.values = self.source.data.decode(self.raw)
        return self.values


class Result(NamedTuple):
    """What a run leaves.  arrays: by their sources' texts."""
    digest: str
    arrays: Dict[str, Lazy]


# --- the runs of one row ---

class RowRuns:
    """All runs of a task that have the same input."""

    def __init__(self, kernel: Kernel, given: Mapping[str, Any], row: int):
        self.kernel, self.given, self.row = kernel, given, row
        self.writes = kernel.writes(given, row)
        self.verdicts: Dict[str, int] = {}       # {digest: numbers}
        self.results: Dict[str, Result] = {}
        self.first: Optional[Record] = None
        self.first = self.one(EAGER, results=results_of(kernel.job))

    def one(self, seed: int, **more: Any) -> Record:
        """One run, alone."""
        bands = self.kernel.start(seed, seed, writes=self.writes, **more)
        result = self.kernel.read()
        self.results.setdefault(result.digest, result)
        return self.judged(bands[0], result.digest)

    def judged(self, band: dict, digest: str) -> Record:
        """The record of a run without its number."""
        record: Record = {'outcome': band['end'], 'digest': digest,
                          'violations': band['violations'], 'differing': 0}
        if band['end'] != DONE:
            return record
        if digest not in self.verdicts:
            self.verdicts[digest] = self.differing(digest)
        record['differing'] = self.verdicts[digest]
        if record['differing']:
            record['outcome'] = DIFFERS
        elif band['violations'] and \
                not self.kernel.job.options.allow_violations:
            record['outcome'] = VIOLATION
        return record

    def differing(self, digest: str) -> int:
        """How many numbers are not as --expect has them; without that, as the
        eager run of the same input has them (1: some)."""
        job, result = self.kernel.job, self.results[digest]
        wanted = [(one, self.wanted(one)) for one in job.expects]
        compared = [compare(result.arrays[one.source.text].array(), values,
                            job.options.tolerance)[0]
                    for one, values in wanted if values is not None]
        if compared:
            return sum(compared)
        if not self.first or self.first['outcome'] not in (DONE, VIOLATION):
            return 0
        return int(digest != self.first['digest'])

    def wanted(self, expect: Any) -> Any:
        """An array; None where the inputs are others than those of
        --expect."""
        values = self.given.get(stem(expect.path))
        if values is not None:
            return values.row(self.row, expect.wanted.shape)
        return expect.wanted if self.row == NO_ROW else None

    def seeds(self, seeds: List[int]) -> Dict[int, Record]:
        """{seed: record}"""
        found = {EAGER: self.first}
        for first, last in ranges(seed for seed in seeds if seed != EAGER):
            found.update(self.range(first, last))
        return found

    def range(self, first: int, last: int) -> Dict[int, Record]:
        """Those of successive seeds.  What leaves the same bytes as the eager
        run has its record; all others run again, to be read."""
        found = {}
        bands = self.kernel.start(first, last, writes=self.writes)
        for band in bands:
            same = self.is_same(band)
            for seed in range(band['first'], band['last'] + 1):
                found[seed] = self.first if same else self.one(seed)
        return found

    def is_same(self, band: dict) -> bool:
        """Has a band's run left what the first one has?"""
        return band['end'] == DONE and not band['differing'] and \
            not band['violations'] and not self.first['violations'] and \
            self.first['outcome'] in (DONE, DIFFERS) and \
            all(source.where for source in self.kernel.read_sources)


def ranges(numbers: Any) -> List[Tuple[int, int]]:
    """(first, last) of successive ones."""
    found: List[Tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


# --- a task ---

class Task(NamedTuple):
    """Runs of one kernel, and what they need."""
    load: Load
    given: Mapping[str, Any]
    runs: List[Run]
    wants_arrays: bool


class Done(NamedTuple):
    """What came of a task: records in the order of its runs; arrays: {digest:
    {name: array}}."""
    records: List[Record]
    arrays: Dict[str, Arrays]


def kernel_of(load: Load) -> Kernel:
    """That of this thread, which is loaded if it has another."""
    kernel: Optional[Kernel] = getattr(KEPT, 'kernel', None)
    if kernel is None or kernel.load != load:
        drop_kernel()
        kernel = KEPT.kernel = Kernel(load)
    return kernel


def drop_kernel() -> None:
    """Ends this thread's machine."""
    kernel = getattr(KEPT, 'kernel', None)
    KEPT.kernel = None
    if kernel:
        kernel.close()


def work(task: Task) -> Done:
    """All runs of a task.  Raises what says that the use is wrong."""
    done = Done([], {})
    for row, runs in itertools.groupby(task.runs, lambda one: one.row):
        group = list(runs)
        try:
            work_row(task, row, group, done)
        except (TileError, OSError):
            # a run has ended the emulator: which?
            for one in group:
                work_alone(task, one, done)
    return done


def work_row(task: Task, row: int, group: List[Run], done: Done) -> None:
    """Runs of one input; nothing is done if it raises TileError."""
    kernel = kernel_of(task.load)
    try:
        found = RowRuns(kernel, task.given, row)
        records = found.seeds([one.seed for one in group])
    except BaseException:
        drop_kernel()
        raise
    done.records.extend(described(one, records[one.seed]) for one in group)
    if task.wants_arrays:
        for digest, result in found.results.items():
            done.arrays.setdefault(digest, {
                name: result.arrays[source.text].array()
                for name, source in kernel.sources.items()})


def work_alone(task: Task, one: Run, done: Done) -> None:
    """A run in its own machine."""
    drop_kernel()
    try:
        work_row(task, one.row, [one], done)
    except (TileError, OSError) as error:
        done.records.append(failed(one, str(error)))


def described(one: Run, record: Record) -> Record:
    """With the run's number first."""
    row = {} if one.row == NO_ROW else {'row': one.row}
    return {'run': one.number, **row, 'seed': one.seed, **record}


def failed(one: Run, text: str) -> Record:
    """Of a run without an end."""
    return described(one, {'outcome': FAILED, 'digest': '', 'violations': 0,
                           'differing': 0, 'text': text.strip()})
