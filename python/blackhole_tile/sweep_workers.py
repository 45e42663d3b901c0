# SPDX-License-Identifier: GPL-2.0-or-later
"""The makers of a sweep's runs: this process, or workers of Dask."""

from __future__ import annotations

import itertools
import logging
import shutil
import tempfile
from typing import Any, Dict, Iterable, Iterator, Optional

from .cli import UseError
from .errors import TileError
from .sweep_runs import Done, Task, drop_kernel, failed, work

AHEAD = 4                            # tasks per worker that are queued
CONNECT_SECONDS = 20
NO_DASK = ('Dask is not installed (Debian: python3-distributed; --workers=0 '
           'does without it)')
NO_KEYS = ('workers on this machine need keys (Debian: python3-cryptography; '
           '--workers=0 does without them)')


class Serial:
    """This process, without Dask."""

    workers = 1

    def results(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """What comes of the tasks."""
        try:
            for task in tasks:
                yield work(task)
        finally:
            drop_kernel()

    def close(self) -> None:
        """Nothing is left."""


class Dask:
    """A Dask cluster: that of a scheduler, or workers on this machine."""

    def __init__(self, scheduler: Optional[str], workers: int):
        try:
            # pylint: disable=import-outside-toplevel
            import distributed
        except ImportError:
            raise UseError(NO_DASK) from None
        self.dask, self.cluster = distributed, None    # type: Any, Any
        self.folder = tempfile.mkdtemp(prefix='sweep-')
        logging.getLogger('distributed').setLevel(logging.CRITICAL)
        try:
            if not scheduler:
                self.cluster = self.local(workers)
            self.client = distributed.Client(
                scheduler or self.cluster, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError) as error:
            self.close()
            raise UseError(f'--scheduler={scheduler}: cannot be reached: '
                           f'{error}') from None
        except ImportError:
            self.close()
            raise UseError(NO_KEYS) from None

    def local(self, workers: int) -> Any:
        """Workers on this machine.  They execute what is sent to a port that
        all its users reach, so a client must have this
        sweep's keys.  Raises ImportError."""
        return self.dask.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True,
            dashboard_address=None, local_directory=self.folder,
            silence_logs=logging.CRITICAL, protocol='tls://',
            security=self.dask.Security.temporary())

    @property
    def workers(self) -> int:
        """Tasks that run at once, at the moment."""
        return max(sum(one['nthreads'] for one in
                       self.client.scheduler_info()['workers'].values()), 1)

    def results(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """What comes of the tasks, in any order.  Dask repeats what a worker
        that dies had begun."""
        tasks, sent = iter(tasks), {}            # type: Any, Dict[str, Task]
        waiting = self.dask.as_completed()

        def send(count: int) -> None:
            """Some more."""
            for task in itertools.islice(tasks, count):
                future = self.client.submit(work, task, pure=False)
                sent[future.key] = task
                waiting.add(future)

        send(AHEAD * self.workers)
        while sent:
            future = next(waiting)
            task = sent.pop(future.key)
            send(max(AHEAD * self.workers - len(sent), 0))
            yield self.result(future, task)

    def result(self, future: Any, task: Task) -> Done:
        """Of one task.  Raises what the task raised; TileError without a
        scheduler."""
        error = future.exception()
        if error is None:
            return future.result()
        name = type(error).__name__
        if name == 'KilledWorker':
            text = 'workers that made this run, or others of its task, died'
            return Done([failed(one, text) for one in task.runs], {})
        if name in ('CancelledError', 'CommClosedError'):
            raise TileError("Dask's scheduler is lost")
        raise error

    def close(self) -> None:
        """Ends what was started here."""
        for one in (getattr(self, 'client', None), self.cluster):
            if one:
                one.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def workers_of(scheduler: Optional[str], workers: int) -> Any:
    """Serial or Dask.  Raises UseError."""
    if not scheduler and not workers:
        return Serial()
    return Dask(scheduler, workers)
