# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk for savevm and loadvm, which QEMU makes itself.

    with bt.Tile(...) as tile:
        snapshots.add_disk(tile, 'moments.qcow2')
        tile.hmp('savevm half')
        tile.hmp('loadvm half')

    python3 -m blackhole_tile.snapshots FILE      for -drive of another machine
"""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Tuple

from .cli import Parser
from .errors import TileError
from .machine import Tile

DISK_SIZE = 64 << 20       # as a disk; snapshots lie behind that
FILE_NODE, DISK_NODE = 'file', 'disk'


def wait_for_job(tile: Tile, job: str, seconds: float = 60) -> None:
    """Waits for a job of QEMU to conclude, and dismisses it.  Raises TileError
    if it failed, TileTimeout."""
    def state() -> Any:
        return [j for j in tile.qmp('query-jobs') if j['id'] == job][0]

    tile.wait_for(lambda _: state()['status'] == 'concluded', seconds, job)
    error = state().get('error')
    tile.qmp('job-dismiss', id=job)
    if error:
        raise TileError(f'{job}: {error}')


def add_disk(tile: Tile, path: str) -> None:
    """Makes an empty qcow2 file, over what was there, and gives it to the
    machine; no device uses it.  Raises TileError."""
    path = os.path.abspath(path)
    nodes: List[Tuple[str, int, Dict[str, Any]]] = [
        (FILE_NODE, 0, {'driver': 'file', 'filename': path}),
        (DISK_NODE, DISK_SIZE, {'driver': 'qcow2', 'file': FILE_NODE})]
    for node, size, place in nodes:
        job = f'make-{node}'
        tile.qmp('blockdev-create',
                 **{'job-id': job, 'options': {**place, 'size': size}})
        wait_for_job(tile, job)
        tile.qmp('blockdev-add', **{**place, 'node-name': node})


def main() -> int:
    """Exit status."""
    p = Parser('python3 -m blackhole_tile.snapshots',
               'Makes an empty qcow2 file for snapshots (savevm, loadvm).',
               'It is for -drive if=none,format=qcow2,file=FILE.\n')
    p.add_argument('file', metavar='FILE')
    path = p.parse_args().file
    if os.path.lexists(path):
        print(f'{path}: is there already', file=sys.stderr)
        return 1
    try:
        with Tile(stopped=True) as tile:
            add_disk(tile, path)
    except (TileError, OSError) as error:
        print(str(error).rstrip(), file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
