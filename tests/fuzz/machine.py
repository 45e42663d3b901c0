#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Feeds the emulator's readers of outside data with malformed input.

    tests/fuzz/machine.py TARGET [--seconds N] [--seed N] [--save FOLDER]

Targets: elf (debug information of a hart's program), gdb (packets), host
(frames of the host socket), snapshot (states for loadvm). Each input is a
good one with some bytes, lengths or fields changed. Afterwards the machine
must answer its monitor within SECONDS_MOST; a snapshot may also be refused,
with a message and status 1. Anything else ends the run with status 1, and the
input is saved. --seed=N repeats a run.
"""

import argparse
import contextlib
import itertools
import os
import random
import socket
import struct
import sys
import tempfile
import time
from typing import Callable, Dict, Iterator, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(ROOT, 'python'),
                os.path.join(ROOT, 'tests', 'functional')]

# pylint: disable=wrong-import-position
import host_client                                              # noqa: E402
from blackhole_tile import EndedError, TileError                # noqa: E402
from blackhole_tile.snapshots import DISK_SIZE, add_disk         # noqa: E402
from blackhole_tile.testing import Tile, images                 # noqa: E402
from gdb_client import Debugger                                 # noqa: E402

SECONDS_MOST = 10                      # of a loaded machine
ELFS_OF_A_MACHINE = 50
LOADS_OF_A_MACHINE = 250
# Accelerator and options of machines whose snapshots are changed
SAVED = (('single', ''), ('icount', 'rewind=on'), ('single', 'check=all'),
         ('multi', ''), ('icount', 'schedule=seed=7'), ('single', 'tiles=2x1'))
CODE = 0xC000                          # where TRISC1's program is
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
PACKETS = (
    'qSupported:multiprocess+;xmlRegisters=riscv', 'vAttach;2', '?',
    'Hgp1.1', 'g', 'p20', 'P20=00c00000', 'm0,40', 'M20000,4:01020304',
    'X20000,0:', 'Z0,c000,4', 'z0,c000,4', 'Z2,20000,4', 'z2,20000,4',
    'vCont?', 'vCont;s:p1.1', 'vCont;c', 'qXfer:features:read:target.xml:0,fff',
    'qXfer:features:read:tensix.xml:0,ffb', 'qfThreadInfo', 'qsThreadInfo',
    'qThreadExtraInfo,p1.1', 'qRcmd,696e666f', 'qAttached:1', 'D;2', 'Tp1.1',
    'bs', 'bc', 'c', 's', 'k', 'qOffsets', 'qCRC:0,40', '\x03')


class Wrong(Exception):
    """The machine did what it must never do."""


def changed(data: bytes, choose: random.Random) -> bytes:
    """Some bytes, words or lengths of it are different."""
    new = bytearray(data)
    for _ in range(choose.choice((1, 1, 2, 4, 16))):
        at = choose.randrange(len(new)) if new else 0
        action = choose.randrange(5)
        if action == 0:
            new[at:at + 1] = bytes([choose.getrandbits(8)])
        elif action == 1:
            size = choose.choice((1, 2, 4))
            value = choose.choice(EDGES) & (1 << 8 * size) - 1
            new[at:at + size] = value.to_bytes(
                size, choose.choice(('little', 'big')))
        elif action == 2:
            del new[at:at + choose.randrange(1, 9)]
        elif action == 3:
            new[at:at] = new[at:at + choose.randrange(1, 65)]
        elif choose.randrange(20) == 0:
            del new[at:]
    return bytes(new)


def require_answer(tile: Tile) -> None:
    """The monitor answers, soon."""
    start = time.monotonic()
    tile.qmp('query-status')
    seconds = time.monotonic() - start
    if seconds > SECONDS_MOST:
        raise Wrong(f'no answer for {seconds:.1f} s')


class Inputs:
    """What is tried: remembered until the machine has answered."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.random = args, random.Random(args.seed)
        self.end = time.monotonic() + args.seconds
        self.count, self.last = 0, b''

    @property
    def remain(self) -> bool:
        """Is there time for more?"""
        return time.monotonic() < self.end

    def __iter__(self) -> Iterator[random.Random]:
        while self.remain:
            self.count += 1
            yield self.random

    def changed(self, data: bytes) -> bytes:
        """A malformed one."""
        self.last = changed(data, self.random)
        return self.last

    def save(self) -> str:
        """The file with the last one."""
        os.makedirs(self.args.save, exist_ok=True)
        path = os.path.join(self.args.save,
                            f'{self.args.target}-{self.args.seed}-{self.count}')
        with open(path, 'wb') as file:
            file.write(self.last)
        return path


def fuzz_elf(inputs: Inputs) -> None:
    """Named as TRISC1's symbols, then asked for a line."""
    with open(images('demo')['trisc1'], 'rb') as file:
        good = file.read()
    with tempfile.TemporaryDirectory() as folder, \
            contextlib.ExitStack() as machines:
        for n, choose in enumerate(inputs):
            if n % ELFS_OF_A_MACHINE == 0:
                machines.close()
                tile = machines.enter_context(Tile(stopped=True))
            path = os.path.join(folder, str(n))
            with open(path, 'wb') as file:
                file.write(inputs.changed(good))
            with contextlib.suppress(TileError):
                tile.name_symbols('trisc1', path)
            tile.qmp('query-tensix-source', hart='trisc1',
                     pc=CODE + choose.randrange(0, 0x400, 4))
            require_answer(tile)


def packet(data: bytes) -> bytes:
    """With a checksum that is right."""
    return b'$%s#%02x' % (data, sum(data) % 256)


def gdb_session(tile: Tile, inputs: Inputs) -> None:
    """Some packets; answers are read and dropped."""
    with contextlib.suppress(OSError), \
            socket.socket(socket.AF_UNIX) as link:
        link.settimeout(0.02)
        link.connect(tile.gdb_socket)
        for _ in range(inputs.random.randrange(1, 12)):
            text = inputs.random.choice(PACKETS).encode()
            if inputs.random.randrange(3):
                text = inputs.changed(text)
            link.sendall(packet(text) if inputs.random.randrange(8) else text)
            with contextlib.suppress(socket.timeout):
                link.recv(65536)


def require_no_signal(tile: Tile) -> None:
    """The emulator has ended, or is about to, by no signal."""
    status = tile.process.wait(SECONDS_MOST)
    if status < 0:
        raise Wrong(f'status {status}')


def gdb_sessions(tile: Tile, inputs: Inputs) -> None:
    """Until a client kills the machine, as it may, or time is over."""
    for n, _ in enumerate(inputs):
        gdb_session(tile, inputs)
        require_answer(tile)
        if n % 100 == 0:
            with Debugger(tile) as gdb:
                gdb.ask('?')


def fuzz_gdb(inputs: Inputs) -> None:
    """Clients of the gdb server that arrive, send nonsense and vanish."""
    while inputs.remain:
        with Tile('snapshot', stopped=True, gdb=True) as tile:
            try:
                gdb_sessions(tile, inputs)
            except (EndedError, ConnectionError):
                require_no_signal(tile)


def host_frames(choose: random.Random) -> bytes:
    """Good requests of all kinds, in L1 and registers."""
    commands = (host_client.READ, host_client.WRITE, host_client.DEVICE_INFO,
                host_client.CLUSTER, host_client.CLOCK, host_client.STATUS)
    data = b''
    for _ in range(choose.randrange(1, 8)):
        command = choose.choice(commands)
        address = choose.choice((0x20000, 0xFFB121B0, 0xFFB20000, 0xFFE80020,
                                 0x180000 - 4, choose.getrandbits(32)))
        size = choose.choice((4, 64, 4096, choose.getrandbits(12)))
        payload = choose.randbytes(size) if command == host_client.WRITE \
            else b''
        data += host_client.request(command, choose.choice((1, 17)),
                                    choose.choice((2, 3)), address, size,
                                    payload)
    return data


def host_client_of(path: str, inputs: Inputs) -> None:
    """A client that sends malformed frames and leaves."""
    with contextlib.suppress(OSError), \
            socket.socket(socket.AF_UNIX) as link:
        link.settimeout(0.02)
        link.connect(path)
        link.sendall(inputs.changed(host_frames(inputs.random)))
        with contextlib.suppress(socket.timeout):
            while link.recv(65536):
                pass


def fuzz_host(inputs: Inputs) -> None:
    """Many of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'host')
        with Tile(machine=f'host-socket={path}', stopped=True) as tile:
            for _ in inputs:
                host_client_of(path, inputs)
                require_answer(tile)


class SavedState:
    """Where a qcow2 file has the state of its only snapshot, so that another
    can be put there while a machine has the file open."""

    CLUSTER, PLACE = 1 << 16, 0x00FFFFFFFFFFFE00
    DISK_TABLES = DISK_SIZE // (CLUSTER * CLUSTER // 8) + 1

    def __init__(self, path: str) -> None:
        # pylint: disable=consider-using-with
        self.file = open(path, 'r+b', buffering=0)
        snapshot, = self.numbers('>Q', 64)
        tables, = self.numbers('>Q', snapshot)
        extra, names = self.numbers('>I', snapshot + 36)[0], snapshot + 40
        self.size = self.numbers('>Q', names)[0] if extra >= 8 \
            else self.numbers('>I', snapshot + 32)[0]
        table = self.numbers('>Q', tables + 8 * self.DISK_TABLES)[0]
        count = -(-self.size // self.CLUSTER)
        self.places = [place & self.PLACE for place in self.numbers(
            f'>{count}Q', table & self.PLACE)]
        self.there = [self.read(place) for place in self.places]
        self.good = b''.join(self.there)[:self.size]

    def read(self, place: int) -> bytes:
        """A cluster."""
        return os.pread(self.file.fileno(), self.CLUSTER, place)

    def numbers(self, form: str, place: int) -> Tuple[int, ...]:
        """Of the file's tables."""
        return struct.unpack(form, os.pread(
            self.file.fileno(), struct.calcsize(form), place))

    def put(self, state: bytes) -> None:
        """Another one; what is longer is cut off."""
        whole = state[:self.size].ljust(len(self.places) * self.CLUSTER, b'\0')
        for n, place in enumerate(self.places):
            part = whole[n * self.CLUSTER:(n + 1) * self.CLUSTER]
            if part != self.there[n]:
                os.pwrite(self.file.fileno(), part, place)
                self.there[n] = part


def load_snapshot(tile: Tile) -> None:
    """The machine runs, also if it has refused it: it is as after a reset
    then.  The reasons differ between QEMU 10.0 and 10.2."""
    tile.hmp('loadvm good')
    run_a_little(tile)
    require_answer(tile)


def run_a_little(tile: Tile) -> None:
    """Unless it is in a state that only a reset ends."""
    try:
        tile.cont()
        time.sleep(0.002)
        tile.stop()
    except EndedError:
        raise
    except TileError:
        pass


def load_snapshots(tile: Tile, inputs: Inputs) -> None:
    """Some, in one machine, each after a reset.  What runs may end QEMU, as
    any program may, but by no signal."""
    path = os.path.join(tile.folder, 'disk.qcow2')
    add_disk(tile, path)           # its waits would end at a deadlock
    tile.cont()
    tile.settle()
    tile.stop()
    refusal = tile.hmp('savevm good') + tile.hmp('loadvm good')
    if refusal:                    # then it would refuse all the others, too
        raise Wrong(refusal)
    saved = SavedState(path)
    with saved.file:
        for _ in itertools.islice(inputs, LOADS_OF_A_MACHINE):
            saved.put(inputs.changed(saved.good))
            load_snapshot(tile)


def fuzz_snapshot(inputs: Inputs) -> None:
    """Snapshots that are refused, or do no harm."""
    for accel, options in itertools.cycle(SAVED):
        if not inputs.remain:
            break
        with Tile('snapshot', stopped=True, accel=accel,
                  machine=options) as tile:
            try:
                load_snapshots(tile, inputs)
            except EndedError:
                require_no_signal(tile)


TARGETS: Dict[str, Callable[[Inputs], None]] = {
    'elf': fuzz_elf, 'gdb': fuzz_gdb, 'host': fuzz_host,
    'snapshot': fuzz_snapshot}


def parse_args(targets: Dict[str, Callable[[Inputs], None]],
               doc: str) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('target', choices=sorted(targets), metavar='TARGET')
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--save', metavar='FOLDER',
                        default=os.path.join(ROOT, 'build', 'fuzz-found'))
    return parser.parse_args()


def fuzz(targets: Dict[str, Callable[[Inputs], None]], doc: str,
         fine: str) -> int:
    """Runs the target that the command line names. Status 1, and the input is
    saved, if one was wrong; else prints that all were fine."""
    inputs = Inputs(parse_args(targets, doc))
    target = inputs.args.target
    try:
        targets[target](inputs)
    except (TileError, Wrong) as error:
        print(f'{target}: input {inputs.count} of seed {inputs.args.seed}: '
              f'{error}\n{target}: saved: {inputs.save()}')
        return 1
    print(f'{target}: {inputs.count} inputs: {fine}')
    return 0


def main() -> int:
    """Status 1, and the input is saved, if the machine failed."""
    return fuzz(TARGETS, __doc__ or '', 'the machine answers')


if __name__ == '__main__':
    sys.exit(main())
