# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/sweep: one kernel, or several, over many seeds and
inputs, on this machine's processors or on a cluster.

    from blackhole_tile.sweep import sweep
    records = sweep('examples/add', seeds=(1, 1000), workers=4)
    assert all(record['outcome'] == 'done' for record in records)
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import re
import shlex
import signal
import sys
import time
from typing import (Any, Callable, Dict, Iterator, List, Mapping, NamedTuple,
                    Optional, Sequence, Set, Tuple)

import numpy

from . import npy, run, sweep_output
from .cli import Parser, Progress, UseError, command
from .kernel_run import stem
from .paths import emulator
from .program import MAKEFILE, RUN_ARGS
from .run import ENDED
from .sweep_runs import (DONE, EAGER, FAILED, NO_ROW, Bits, Load, Record, Rows,
                         Run, Task, inside, parse, slots_of)
from .sweep_workers import workers_of

FAILS = 5                            # exit status: a run has failed
CHUNK = 64                           # runs a task
MOST_SEEDS = 1 << 32
RANGE = re.compile(r'(\d+)(?::(\d+))?')
BITS = re.compile(r'fp32:(\w+):(\w+)')
ENDINGS = {'differs': 'differ', 'deadlock': 'deadlock',
           'time-out': 'time out', 'violation': 'have violations',
           FAILED: 'ended the emulator'}

DESCRIPTION = """\
Runs programs many times: with the schedules of many seeds, with many inputs.
Each worker loads a program once, and each run starts from its snapshot.
"""
EPILOG = """\
PROGRAM and all other options are those of scripts/run. A run fails if it ends
in a deadlock or a time-out (100 times as long as with seed 0), has a
violation (unless --allow-violations), or leaves something else than --expect
names; without --expect, something else than with seed 0 and the same input.

ROWS     FILE.npy         an array with one more axis, the first: a run a row
         fp32:FIRST:LAST  all fp32 numbers by their bits, 0x0 to 0xffffffff,
                          as many a run as the array of --put has

exit status:
  0    no run failed
  1    wrong use
  5    a run failed; each is printed with the command that repeats it
  6    a run ended the emulator, or the scheduler is lost
  130  interrupted; with --out the same command resumes
"""


# --- what is swept ---

class Plan(NamedTuple):
    """loads: programs; first, last: seeds; given: {name: Rows or Bits}; rows:
    runs per seed, 0 without inputs; own: words of the command line that are
    not scripts/run's."""
    loads: List[Load]
    first: int
    last: int
    given: Mapping[str, Any]
    rows: int
    own: List[str]

    @property
    def per_load(self) -> int:
        """Runs of each program."""
        return (self.last - self.first + 1) * max(self.rows, 1)

    @property
    def count(self) -> int:
        """All runs."""
        return len(self.loads) * self.per_load

    def run(self, number: int) -> Run:
        """By its number."""
        row, seed = divmod(number % self.per_load, self.last - self.first + 1)
        return Run(number, row if self.rows else NO_ROW, self.first + seed)

    def load(self, number: int) -> Load:
        """Of that run."""
        return self.loads[number // self.per_load]

    def tasks(self, done: Set[int], wants_arrays: bool) -> Iterator[Task]:
        """All runs that have not been made."""
        for n, load in enumerate(self.loads):
            for start in range(0, self.per_load, CHUNK):
                end = min(start + CHUNK, self.per_load)
                runs = [self.run(n * self.per_load + at)
                        for at in range(start, end)
                        if n * self.per_load + at not in done]
                if runs:
                    yield self.task(load, runs, wants_arrays)

    def task(self, load: Load, runs: List[Run], wants_arrays: bool) -> Task:
        """These runs, with the rows that they need."""
        rows = [one.row for one in runs]
        return Task(load, {name: values.part(min(rows), max(rows))
                           for name, values in self.given.items()
                           if self.rows}, runs, wants_arrays)

    def command(self, number: int) -> str:
        """What repeats a run alone."""
        load, one = self.load(number), self.run(number)
        where = f'BLACKHOLE_TILE_QEMU={shlex.quote(load.emulator)} ' \
            if load.emulator else ''
        if not self.rows:
            return (f'{where}{command("run")} {shlex.join(load.words)} '
                    f'--seed={one.seed}')
        words = shlex.join([*self.own, *load.words])
        return (f'{where}{command("sweep")} {words} '
                f'--only={number % self.per_load}')


def digest_of(path: str) -> str:
    """A checksum of a file."""
    with open(path, 'rb') as file:
        found = hashlib.sha256()
        for block in iter(lambda: file.read(1 << 20), b''):
            found.update(block)
    return found.hexdigest()


def described(plan: Plan, jobs: List[run.Job]) -> Dict[str, Any]:
    """What a resumed sweep must have in common with the first."""
    files = sorted({path for job in jobs for path in job.images.values()})
    data = hashlib.sha256()
    for job in jobs:
        for put in job.puts:
            data.update(put.data)
    for name, values in sorted(plan.given.items()):
        data.update(name.encode())
        data.update(repr(values).encode() if isinstance(values, Bits) else
                    numpy.ascontiguousarray(values.values).tobytes())
    return {'programs': [list(load.words) for load in plan.loads],
            'emulators': [digest_of(emulator(load.emulator or None))
                          for load in plan.loads],
            'files': {path: digest_of(path) for path in files},
            'seeds': [plan.first, plan.last], 'rows': plan.rows,
            'inputs': data.hexdigest()}


def job_of(load: Load) -> run.Job:
    """Parsed, and made by its Makefile, before workers do."""
    with inside(load.folder):
        job = parse(load)
    if not (job.gets or job.expects):
        program = load.words[0] if load.words else 'PROGRAM'
        raise UseError(f'{program}: neither --get nor --expect: runs without '
                       'a result cannot differ')
    return job


def check_inputs(given: Mapping[str, Any], job: run.Job) -> int:
    """How many rows there are, 0 without inputs.  Raises UseError for names
    that the program has not."""
    names = {*slots_of(job), *(stem(one.path) for one in job.expects)}
    unknown = sorted({*given} - names)
    if unknown:
        known = ', '.join(sorted(names)) or 'none'
        raise UseError(f'--input={unknown[0]}: no --put or --expect has such '
                       f'a file; there are {known}')
    counts = {len(values) for values in given.values()}
    if len(counts) > 1:
        raise UseError('--input: the arrays have '
                       f'{" and ".join(map(str, sorted(counts)))} rows')
    return counts.pop() if counts else 0


def input_of(name: str, text: str, job: run.Job) -> Any:
    """Rows or Bits.  Raises UseError."""
    bits = BITS.fullmatch(text)
    if not bits:
        return Rows(npy.read_rows(text))
    slot = slots_of(job).get(name)
    if slot is None:
        raise UseError(f'--input={name}: no --put has such a file')
    try:
        first, last = int(bits[1], 0), int(bits[2], 0)
    except ValueError:
        first, last = 1, 0
    if not first <= last < 1 << 32:
        raise UseError(f'--input={name}={text}: FIRST and LAST are numbers up '
                       f'to 0xffffffff')
    return Bits(first, last, int(numpy.prod(slot.shape)))


# --- a sweep ---

class Sweep:
    """Runs what a plan names.  outcomes: how often there was which."""

    def __init__(self, plan: Plan, jobs: List[run.Job], out: Optional[str]):
        self.plan = plan
        self.folder = sweep_output.Folder(out, described(plan, jobs)) \
            if out else None
        self.outcomes = collections.Counter(
            self.folder.outcomes if self.folder else ())
        self.made, self.seconds = 0, 0.0

    def run(self, workers: Any, report: Callable[[Record], None],
            progress: Callable[[int, int], None]) -> None:
        """All runs that have not been made; reports each record."""
        done = self.folder.done if self.folder else set()
        tasks = self.plan.tasks(done, bool(self.folder))
        start = time.monotonic()
        for one in workers.results(tasks):
            if self.folder:
                self.folder.add(one)
            self.made += len(one.records)
            self.seconds = time.monotonic() - start
            for record in one.records:
                self.outcomes[record['outcome']] += 1
                report(record)
            progress(self.outcomes.total(), self.plan.count)

    def status(self) -> int:
        """Exit status."""
        if self.outcomes[FAILED]:
            return ENDED
        return FAILS if self.outcomes.total() > self.outcomes[DONE] else 0

    def close(self) -> None:
        """Closes its files."""
        if self.folder:
            self.folder.close()


def sweep(program: str, options: Sequence[str] = (), *,
          seeds: Tuple[int, int] = (EAGER, EAGER),
          workers: int = 0, scheduler: Optional[str] = None,
          out: Optional[str] = None, emulator_path: str = '',
          **inputs: Any) -> List[Record]:
    """Runs a program with the seeds from the first to the last, and with each
    row of arrays in place of the files of --put: a record for each, as
    runs.jsonl has it.  options: of scripts/run; workers: of Dask, 0: this
    process; scheduler: address of Dask's; out: folder for results.  Raises
    what bt.run() raises for wrong use."""
    load = Load((program, *options), os.getcwd(), emulator_path)
    job = job_of(load)
    given = {name: Rows(numpy.asarray(values))
             for name, values in inputs.items()}
    plan = Plan([load], *seeds, given, check_inputs(given, job), [])
    found: List[Record] = []
    makers = workers_of(scheduler, workers)
    try:
        made = Sweep(plan, [job], out)
        try:
            made.run(makers, found.append, lambda *_: None)
        finally:
            made.close()
    finally:
        makers.close()
    return sweep_output.records(out) if out else \
        sorted(found, key=lambda one: one['run'])


# --- the command line ---

def seed_range(text: str) -> Tuple[int, int]:
    """FIRST:LAST or N"""
    found = RANGE.fullmatch(text)
    first = int(found[1]) if found else 1
    last = int(found[2] or first) if found else 0
    if not first <= last < MOST_SEEDS:
        raise argparse.ArgumentTypeError(
            f'{text!r} is not FIRST:LAST, seeds from 0 to {MOST_SEEDS - 1}')
    return first, last


def parser() -> Parser:
    """Options beside those of scripts/run."""
    p = Parser('sweep', DESCRIPTION, EPILOG,
               usage='[PROGRAM] [OPTION]... [-- QEMU-OPTION...]')
    p.add_argument('--seeds', metavar='FIRST:LAST', type=seed_range,
                   help='schedules (default: 1:100; with --input 0: eager)')
    p.add_argument('--input', metavar='NAME=ROWS', action='append',
                   default=[], help='a run for each row, in place of '
                   'NAME.npy of --put (or --expect)')
    p.add_argument('--programs', metavar='FOLDER',
                   help='all programs in the folders of this one')
    p.add_argument('--emulator', metavar='FILE', action='append', default=[],
                   help='the emulator; each of several makes all runs')
    p.add_argument('--workers', metavar='N', type=int,
                   default=len(os.sched_getaffinity(0)),
                   help='processes on this machine (default: one a CPU); 0: '
                   'without Dask')
    p.add_argument('--scheduler', metavar='ADDRESS',
                   help="of Dask's scheduler, instead: tcp://HOST:8786")
    p.add_argument('--out', metavar='FOLDER',
                   help='where results are written; a sweep that was '
                   'interrupted is resumed there')
    p.add_argument('--only', metavar='RUN', type=int,
                   help='this run alone, by its number, without Dask')
    return p


def own_words(words: List[str]) -> List[str]:
    """--seeds and --input as they were typed."""
    p = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    p.add_argument('--seeds')
    p.add_argument('--input', action='append', default=[])
    found = p.parse_known_args(words)[0]
    return ([f'--seeds={found.seeds}'] if found.seeds else []) + \
        [f'--input={text}' for text in found.input]


def programs_in(folder: str) -> List[str]:
    """Folders below it that scripts/run takes."""
    found = sorted(
        entry.path for entry in os.scandir(folder) if entry.is_dir() and any(
            name in (RUN_ARGS, MAKEFILE) for name in os.listdir(entry.path)))
    if not found:
        raise UseError(f'{folder}: no folder in it has a {RUN_ARGS} or a '
                       f'{MAKEFILE}')
    return found


def plan_of(options: argparse.Namespace, words: List[str], own: List[str]
            ) -> Tuple[Plan, List[run.Job]]:
    """What the command line asks for.  Raises what says that its use is
    wrong."""
    programs = [[path] for path in programs_in(options.programs)] \
        if options.programs else [[]]
    for path in options.emulator:
        if not os.access(path, os.X_OK):
            raise UseError(f'--emulator={path}: no program')
    loads = [Load((*program, *words), os.getcwd(), path and
                  os.path.abspath(path))
             for program in programs for path in options.emulator or ['']]
    jobs = [job_of(load) for load in loads]
    given = {}
    for text in options.input:
        name, equals, rows = text.partition('=')
        if not (name and equals and rows):
            raise UseError(f'--input={text}: not of the form NAME=ROWS')
        given[name] = input_of(name, rows, jobs[0])
    rows = [check_inputs(given, job) for job in jobs][0]
    seeds = options.seeds or ((EAGER, EAGER) if given else (1, 100))
    return Plan(loads, *seeds, given, rows, own), jobs


def failure_line(plan: Plan, record: Record) -> str:
    """Of a run that fails: what, and the command that repeats it."""
    what = record['outcome']
    if record['differing'] > 1:
        what += f' ({record["differing"]} numbers)'
    elif record['violations']:
        what += f' ({record["violations"]} violations)'
    row = f', row {record["row"]}' if 'row' in record else ''
    text = f': {record["text"].splitlines()[0]}' if record.get('text') else ''
    return (f'run {record["run"]}, seed {record["seed"]}{row}: {what}{text}: '
            f'{plan.command(record["run"])}')


def sum_line(made: Sweep) -> str:
    """The last line."""
    counts = made.outcomes
    total = counts.total()
    kinds = ', '.join(f'{counts[name]} {text}'
                      for name, text in ENDINGS.items() if counts[name])
    resumed = total - made.made
    return (f'sweep: {total - counts[DONE]} of {total} runs fail' +
            f' ({kinds})' * bool(kinds) +
            f'; {resumed} were there already' * bool(resumed) +
            (f'; {made.made} in {made.seconds:.1f} s, '
             f'{made.made / made.seconds:.0f} a second'
             if made.seconds else ''))


def run_only(plan: Plan, number: int) -> int:
    """One run in this process; exit status."""
    if not 0 <= number < plan.count:
        raise UseError(f'--only={number}: there are runs 0 to '
                       f'{plan.count - 1}')
    task = plan.task(plan.load(number), [plan.run(number)], False)
    makers = workers_of(None, 0)
    record = [one for done in makers.results([task])
              for one in done.records][0]
    print(json.dumps(record))
    return {DONE: 0, FAILED: ENDED}.get(record['outcome'], FAILS)


def run_all(options: argparse.Namespace, plan: Plan, jobs: List[run.Job]
            ) -> int:
    """The sweep; exit status."""
    made = Sweep(plan, jobs, options.out)
    progress = Progress('sweep')

    def report(record: Record) -> None:
        if record['outcome'] != DONE:
            progress.close()
            print(failure_line(plan, record), flush=True)

    try:
        for record in made.folder.failing if made.folder else ():
            report(record)
        makers = workers_of(options.scheduler, max(options.workers, 0))
        try:
            made.run(makers, report, lambda done, count:
                     progress.report(done, count, 'runs'))
        finally:
            makers.close()
    finally:
        progress.close()
        made.close()
    print(sum_line(made))
    return made.status()


def sweep_words(words: List[str]) -> int:
    """Exit status.  Raises what says that the use is wrong."""
    options, others = parser().parse_known_args(words)
    plan, jobs = plan_of(options, others, own_words(words))
    if options.only is not None:
        return run_only(plan, options.only)
    return run_all(options, plan, jobs)


def main(words: List[str]) -> int:
    """Exit status."""
    return run.tool_status('sweep', lambda: sweep_words(words))


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, run.terminate)
    sys.exit(main(sys.argv[1:]))
