# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel left behind: the named values that differ.

    python3 -m blackhole_tile.leaks save STATE.json --snapshot FILE [-M ...]
    python3 -m blackhole_tile.leaks diff BEFORE AFTER

BEFORE and AFTER are each a file of `save`, of save_values(), or a snapshot
that migrate or Tile.save() wrote.  Values are those of query-tensix-state
(docs/qmp.rst).  Status: 0 nothing differs, 1 something does, 2 an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Dict, List, Optional, Sequence

from .machine import Tile, TileError
from .state import Change

FORMAT = 'blackhole-tile values 1'
SAME, DIFFERENT, FAILED = range(3)
SNAPSHOT = b'QEVM'                   # how one begins


class LeaksError(Exception):
    """A file is not what it should be."""


def save_values(tile: Tile, path: str) -> None:
    """Writes what a running machine has now, for a comparison later."""
    write_values(tile.state.values(), path)


def write_values(values: Dict[str, int], path: str) -> None:
    """Writes named values."""
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'format': FORMAT, 'values': values}, file, indent=1)
        file.write('\n')


def is_snapshot(path: str) -> bool:
    """Is it a machine's state, and not a file of ours?"""
    with open(path, 'rb') as file:
        return file.read(len(SNAPSHOT)) == SNAPSHOT


def values_of_snapshot(path: str, machine: str = '') -> Dict[str, int]:
    """Named values in a snapshot; machine: the options of -M that the machine
    had."""
    with Tile(stopped=True, incoming=os.path.abspath(path),
              machine=machine) as tile:
        return tile.state.values()


def values_of_file(path: str) -> Dict[str, int]:
    """Named values that were saved."""
    try:
        with open(path, encoding='utf-8') as file:
            data = json.load(file)
        if data['format'] != FORMAT:
            raise KeyError(data['format'])
        return {str(name): int(value)
                for name, value in data['values'].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LeaksError(f'{path}: neither a snapshot nor values that were '
                         f'saved') from None


def read_values(path: str, machine: str = '') -> Dict[str, int]:
    """Named values of a file of either kind."""
    return values_of_snapshot(path, machine) if is_snapshot(path) \
        else values_of_file(path)


def differences(before: Dict[str, int], after: Dict[str, int]
                ) -> List[Change]:
    """What differs; a value that is not there is 0."""
    names = list(before) + [name for name in after if name not in before]
    return [Change(name.partition('[')[0], name, before.get(name, 0),
                   after.get(name, 0))
            for name in names if before.get(name, 0) != after.get(name, 0)]


def text_of(changes: Sequence[Change]) -> str:
    """A line each."""
    return ''.join(f'{c.name}: {c.after:#x}, was {c.before:#x}\n'
                   for c in changes)


def parse(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog='python3 -m blackhole_tile.leaks',
        description='What a kernel left behind in a Tensix tile.')
    actions = parser.add_subparsers(dest='action', required=True)
    save = actions.add_parser('save', help='named values of a snapshot')
    save.add_argument('output', help='file to be written')
    save.add_argument('--snapshot', required=True, metavar='FILE')
    diff = actions.add_parser('diff', help='what differs between two')
    diff.add_argument('before', help='snapshot, or file of saved values')
    diff.add_argument('after', help='the same')
    for action in (save, diff):
        action.add_argument('-M', dest='machine', default='',
                            metavar='OPTIONS',
                            help='options of -M that the machine had')
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The program; its exit status."""
    options = parse(arguments)
    try:
        if options.action == 'save':
            write_values(values_of_snapshot(options.snapshot,
                                            options.machine), options.output)
            return SAME
        changes = differences(read_values(options.before, options.machine),
                              read_values(options.after, options.machine))
    except (LeaksError, TileError, OSError) as error:
        print(f'leaks: {error}', file=sys.stderr)
        return FAILED
    sys.stdout.write(text_of(changes))
    return DIFFERENT if changes else SAME


if __name__ == '__main__':
    sys.exit(main())
