# SPDX-License-Identifier: GPL-2.0-or-later
"""The folder that a sweep's results are written to: what was swept in
sweep.json, a line per run in runs.jsonl, arrays in arrays/*.npz."""

from __future__ import annotations

import fcntl
import json
import os
from typing import Any, Dict, Iterator, List, Set

import numpy

from . import files
from .cli import UseError
from .sweep_runs import DONE, Arrays, Done, Record

WHAT, RUNS, ARRAYS = 'sweep.json', 'runs.jsonl', 'arrays'
WHICH, DIGESTS = 'run', 'digest'     # beside the arrays' own names


def whole_lines(path: str) -> Iterator[Record]:
    """Records of a file; a line that an interrupted sweep has not ended is
    cut off."""
    end = 0
    with open(path, 'rb+') as file:
        for line in file:
            if not line.endswith(b'\n'):
                break
            end += len(line)
            yield json.loads(line)
        file.truncate(end)


def locked(path: str) -> int:
    """A folder for this sweep alone, until it is closed.  Raises
    UseError."""
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(folder)
        raise UseError(f'{path}: another sweep writes there') from None
    return folder


def unlock(folder: int) -> None:
    """Also where workers have copies of the descriptor."""
    fcntl.flock(folder, fcntl.LOCK_UN)
    os.close(folder)


class Folder:
    """Results on disk.  what: JSON of what is swept, which has to be the same
    where a sweep is resumed."""

    def __init__(self, path: str, what: Dict[str, Any]):
        self.path = path
        os.makedirs(os.path.join(path, ARRAYS), exist_ok=True)
        self.lock = locked(path)
        self.done: Set[int] = set()      # runs that have been made
        self.outcomes: List[str] = []    # of them
        self.failing: List[Record] = []
        try:
            self.start(what)
            # pylint: disable=consider-using-with
            self.file = open(os.path.join(path, RUNS), 'a', encoding='utf-8')
        except (AttributeError, KeyError, RecursionError, TypeError,
                ValueError) as error:
            unlock(self.lock)
            raise UseError(f'{path}: has files that no sweep has written: '
                           f'{type(error).__name__}: {error}') from None
        except (OSError, UseError):
            unlock(self.lock)
            raise

    def start(self, what: Dict[str, Any]) -> None:
        """Reads what is there.  Raises UseError if that is of another
        sweep."""
        path = os.path.join(self.path, WHAT)
        runs = os.path.join(self.path, RUNS)
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                found = json.load(file)
            other = sorted(name for name in {*found, *what}
                           if found.get(name) != what.get(name))
            if other:
                raise UseError(f'{self.path}: has the results of another '
                               f'sweep ({", ".join(other)} differ)')
            self.resume(runs)
            return
        if os.path.exists(runs):
            raise UseError(f'{self.path}: has a {RUNS}, but no {WHAT}')
        with files.write(path) as file:
            file.write(json.dumps(what, indent=1, sort_keys=True).encode())

    def resume(self, path: str) -> None:
        """Reads what has been done."""
        for record in whole_lines(path) if os.path.exists(path) else ():
            self.done.add(record['run'])
            self.outcomes.append(str(record['outcome']))
            if record['outcome'] != DONE:
                self.failing.append(record)

    def add(self, done: Done) -> None:
        """Writes what came of a task: arrays first, for a run with a line is
        not made again."""
        if done.arrays:
            self.add_arrays(done)
        self.file.writelines(json.dumps(record) + '\n'
                             for record in done.records)
        self.file.flush()

    def add_arrays(self, done: Done) -> None:
        """A file: each result once, and the digests of all runs."""
        kept = [one for one in done.records if one['digest'] in done.arrays]
        names = sorted({name for arrays in done.arrays.values()
                        for name in arrays})
        digests = sorted(done.arrays)
        path = os.path.join(self.path, ARRAYS, f'{kept[0]["run"]:010}.npz')
        with files.write(path) as file:
            numpy.savez_compressed(
                file, **{WHICH: numpy.array([one['run'] for one in kept]),
                         DIGESTS: numpy.array([digests.index(one['digest'])
                                               for one in kept])},
                **{name: numpy.stack([done.arrays[digest][name]
                                      for digest in digests])
                   for name in names})

    def close(self) -> None:
        """No more comes."""
        self.file.close()
        unlock(self.lock)


def records(path: str) -> List[Record]:
    """All records of a folder, by run."""
    with open(os.path.join(path, RUNS), encoding='utf-8') as file:
        found = [json.loads(line) for line in file if line.endswith('\n')]
    return sorted(found, key=lambda one: one['run'])


def arrays(path: str) -> Dict[int, Arrays]:
    """{run: {name: array}} of what --get names."""
    found: Dict[int, Arrays] = {}
    folder = os.path.join(path, ARRAYS)
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.npz'):
            continue
        with numpy.load(os.path.join(folder, name)) as file:
            values = {key: file[key] for key in file.files}
        for run, which in zip(values.pop(WHICH), values.pop(DIGESTS)):
            found[int(run)] = {key: rows[which]
                               for key, rows in values.items()}
    return found
