#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines that are used in every way at random moments, for a given time.

    tests/fuzz/soak.py [--seconds N] [--seed N]

Each machine has a program of tests/firmware, an accelerator, one or two tiles
and random options. Then: it is stopped, resumed, reset, saved and loaded by
another machine, rewound; instruments, breaks and watches are created and
deleted; gdb clients and host clients arrive, send nonsense and vanish;
registers and L1 are overwritten. Its monitor must answer, and it must end by
no signal, keep its file descriptors and stay within MEMORY_MOST. A failure
prints the seed of the machine, which repeats it: --seed=N --seconds=0.
"""

import argparse
import collections
import contextlib
import os
import random
import sys
import tempfile
import time
from typing import Callable, Counter, Dict, List, Tuple

from machine import (Inputs, Wrong, gdb_session, host_client_of,
                     require_answer, require_no_signal)

# pylint: disable=wrong-import-order
from blackhole_tile import (EndedError, StartError, TileError,
                            TileTimeout)
from blackhole_tile.testing import Tile, resident

MIB = 1 << 20
MEMORY_MOST = 900 * MIB                # resident, with a history
FILES_MORE = 24                        # descriptors beyond those of the start
ACTIONS = 25                           # of a machine
NAP = 0.02
PROGRAMS = ('circular', 'demo', 'idle', 'leaks', 'matmul', 'snapshot',
            'token', 'torture')
ACCELERATORS = ('single', 'multi', 'icount')
OPTIONS: Tuple[Tuple[str, ...], ...] = (
    ('on-violation=log', 'on-violation=stop', 'on-violation=exit'),
    ('on-deadlock=log', 'on-deadlock=stop', 'on-deadlock=exit'),
    ('', '', 'check=all', 'races=report', 'unwritten=report', 'hazards=on'),
    ('', 'leaks=report', 'leaks=uninit'), ('', 'bounds=report'),
    ('', '', 'writers=on'), ('', '', 'schedule=seed=3'))
OBJECTS = ('writers', 'unwritten', 'hazards', 'races', 'bounds', 'watch',
           'deadlock', 'leaks', 'reports', 'rewind')
COMMANDS = (
    'info tensix why details', 'info tensix dest 0 8', 'info tensix lregs 0 16',
    'info tensix breaks', 'info tensix unfinished', 'info tensix recent 50',
    'info tensix cfg', 'tensix_break any', 'tensix_break violation',
    'tensix_watch l1 0x20000 64', 'tensix_watch dest 0 8', 'tensix_delete all',
    'tensix_watch semaphore 1', 'info registers -a', 'x/8i 0xc000')


class Machine:
    """One machine, and what is done with it."""

    def __init__(self, folder: str, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        choose = self.random.choice
        self.host = ''
        self.program, self.accel = choose(PROGRAMS), choose(ACCELERATORS)
        options = [choose(values) for values in OPTIONS]
        options.append(choose(('', '', 'tiles=2x1')))
        if self.accel == 'icount' and self.random.randrange(2):
            options.append('rewind=on,rewind-interval=100000')
        self.options = ','.join(filter(None, options))
        self.tile = self.start()
        self.files = self.open_files()
        self.done: Counter[str] = collections.Counter()
        self.most = {'MiB': 0, 'more descriptors': 0}

    def start(self, **more: object) -> Tile:
        """Another with the same options; its host socket is new."""
        options = self.options
        if 'rewind' not in options:
            self.host = os.path.join(self.folder,
                                     f'host{self.random.getrandbits(32)}')
            options += f',host-socket={self.host}'
        return Tile(self.program, self.accel, machine=options,
                    stopped=True, gdb=True, **more)

    def open_files(self) -> int:
        """Number of descriptors of the emulator."""
        return len(os.listdir(f'/proc/{self.tile.process.pid}/fd'))

    # --- actions ---

    def resume(self) -> None:
        """The harts run for a moment."""
        self.tile.qmp('cont')
        time.sleep(self.random.random() * NAP)

    def stop(self) -> None:
        """At any moment."""
        self.tile.qmp('stop')

    def reset(self) -> None:
        """All of the machine."""
        self.tile.qmp('system_reset')

    def command(self) -> None:
        """Of the monitor."""
        self.tile.hmp(self.random.choice(COMMANDS))

    def create(self) -> None:
        """An instrument; there may be one."""
        kind = self.random.choice(OBJECTS)
        self.tile.qmp('object-add', **{'qom-type': 'tensix-' + kind,
                                       'id': kind, 'tile': '/machine/tile[0]'})

    def delete(self) -> None:
        """An instrument, if there is one."""
        self.tile.qmp('object-del', id=self.random.choice(OBJECTS))

    def write(self) -> None:
        """L1, code included, and registers."""
        address = self.random.choice((0, 0xC000, 0x20000, 0x100000,
                                      0xFFEF0000, 0xFFE00000, 0xFFE80020))
        self.tile.write(address + 4 * self.random.randrange(256),
                        self.random.randbytes(4 * self.random.randrange(1, 5)))

    def push(self) -> None:
        """Any word, to any thread."""
        self.tile.push(self.random.randrange(3), self.random.getrandbits(32))

    def debugger(self) -> None:
        """One that sends nonsense and vanishes."""
        gdb_session(self.tile, self.inputs())

    def client(self) -> None:
        """Of the host socket, likewise."""
        if os.path.exists(self.host):
            host_client_of(self.host, self.inputs())

    def move(self) -> None:
        """Another machine resumes the state, unless it refuses it: it lacks
        the instruments that were created here."""
        path = os.path.join(self.folder, 'state')
        self.tile.save(path)
        try:
            other = self.start(incoming=path)
        except StartError as error:
            if 'status -' in str(error.__context__):
                raise Wrong(f'the other machine: {error}') from None
            return
        self.tile.close()
        self.tile = other
        self.files = self.open_files()

    def inputs(self) -> Inputs:
        """Malformed ones, by this machine's choices."""
        return Inputs(argparse.Namespace(seed=self.random.getrandbits(32),
                                         seconds=0))

    def act(self) -> None:
        """One action; it may be refused."""
        actions: List[Tuple[int, Callable[[], None]]] = [
            (8, self.resume), (3, self.stop), (1, self.reset),
            (6, self.command), (3, self.create), (2, self.delete),
            (2, self.write), (2, self.push), (2, self.debugger),
            (2, self.client), (1, self.move)]
        weights, calls = zip(*actions)
        call, = self.random.choices(calls, weights)
        self.done[call.__name__] += 1
        try:
            call()
        except (EndedError, TileTimeout):
            raise
        except TileError:
            pass

    # --- checks ---

    def check(self) -> None:
        """It answers, and has not grown."""
        require_answer(self.tile)
        size, files = resident(self.tile), self.open_files()
        self.note('MiB', size // MIB)
        self.note('more descriptors', files - self.files)
        if size > MEMORY_MOST:
            raise Wrong(f'{size // MIB} MiB of memory')
        if files > self.files + FILES_MORE:
            raise Wrong(f'{files} descriptors, {self.files} before')

    def note(self, what: str, value: int) -> None:
        """The largest one is printed at the end."""
        self.most[what] = max(self.most[what], value)

    def run(self) -> None:
        """All actions, unless the program ends QEMU: /proc has none then."""
        with contextlib.suppress(EndedError, FileNotFoundError):
            for _ in range(ACTIONS):
                self.act()
                self.check()
            self.tile.quit()
        require_no_signal(self.tile)


class Totals:
    """Of all machines so far."""

    def __init__(self) -> None:
        self.machines = 0
        self.done: Counter[str] = collections.Counter()
        self.most: Dict[str, int] = {}

    def add(self, machine: Machine) -> None:
        """One more that is right."""
        self.machines += 1
        self.done += machine.done
        for what, value in machine.most.items():
            self.most[what] = max(value, self.most.get(what, 0))

    def __str__(self) -> str:
        most = ', '.join(f'{value} {what}' for what, value in
                         self.most.items())
        done = ', '.join(f'{name} {count}' for name, count in
                         sorted(self.done.items()))
        return (f'soak: {self.machines} machines, {sum(self.done.values())} '
                f'actions ({done}); at most {most}')


def soak(seed: int, totals: Totals) -> str:
    """One machine's life; what was wrong, or ''."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, seed)
        try:
            machine.run()
            totals.add(machine)
        except (TileError, Wrong, OSError) as error:
            return (f'soak: --seed={seed} --seconds=0: {machine.program}, '
                    f'{machine.accel}, {machine.options}: '
                    f'{type(error).__name__}: {error}')
        finally:
            machine.tile.close()
    return ''


def main() -> int:
    """Status 1 at the first failure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    end, seed = time.monotonic() + args.seconds, args.seed
    totals = Totals()
    while True:
        wrong = soak(seed, totals)
        if wrong:
            print(f'{totals}\n{wrong}')
            return 1
        seed += 1
        if time.monotonic() >= end:
            print(totals)
            return 0


if __name__ == '__main__':
    sys.exit(main())
