# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/debug: ELFs under gdb, attached to all five harts."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from typing import Dict, List

from .cli import Parser, error_line
from .firmware import images
from .machine import ACCELERATORS, ROOT, Tile, TileError
from .memory_map import HARTS

DESCRIPTION = """\
Runs ELFs on the machine under gdb, attached to all five harts.

    scripts/debug build/firmware --program demo
    scripts/debug brisc=fw.elf trisc1=math.elf --machine hazards=on

gdb is gdb-multiarch, or $GDB; it starts with tile.gdb. QEMU ends with it, and
 what it printed, violations for example, is shown then.
"""


def elfs_of(words: List[str], program: str) -> Dict[str, str]:
    """{hart: path} of HART=ELF words and of folders with PROGRAM-HART.elf.
    Raises FileNotFoundError."""
    found = {}
    for word in words:
        hart, equals, path = word.partition('=')
        if equals and hart in HARTS:
            found[hart] = path
        elif os.path.isdir(word):
            found.update(images(word, program))
        else:
            raise FileNotFoundError(f'{word} is neither a folder nor HART=ELF '
                                    f'(harts: {" ".join(HARTS)})')
    for path in found.values():
        if not os.path.exists(path):
            raise FileNotFoundError(f'{path} does not exist')
    return found


def parse() -> argparse.Namespace:
    """The command line."""
    parser = Parser('debug', DESCRIPTION)
    parser.add_argument('image', nargs='+', metavar='HART=ELF|FOLDER')
    parser.add_argument('--program', default='', metavar='NAME',
                        help='of a folder: its NAME-HART.elf')
    parser.add_argument('--accel', choices=ACCELERATORS, default='single')
    parser.add_argument('--machine', default='', metavar='OPTIONS',
                        help='more options of -M blackhole-tile')
    parser.add_argument('--all-violations', action='store_true',
                        help='in the end shows each violation, not only the '
                             'first of each site')
    parser.add_argument('--gdb', default=os.environ.get('GDB',
                                                        'gdb-multiarch'))
    parser.add_argument('--command', '-x', action='append', default=[],
                        metavar='FILE', help='commands for gdb to begin with')
    return parser.parse_args()


def debug(tile: Tile, options: argparse.Namespace) -> int:
    """Runs gdb on a machine that waits for it; gdb's status."""
    command = [options.gdb, '-x', os.path.join(ROOT, 'scripts', 'tile.gdb')]
    for path in options.command:
        command += ['-x', path]
    signal.signal(signal.SIGINT, signal.SIG_IGN)             # it is gdb's
    status = subprocess.run(command, check=False, env={
        **os.environ, 'TILE_GDB': tile.gdb_socket}).returncode
    sys.stdout.write(tile.output())
    return status


def main() -> None:
    """Ends with gdb's status, or with a message."""
    options = parse()
    if not shutil.which(options.gdb):
        sys.exit(error_line('debug', f'{options.gdb}: not found: Debian has '
                                     'it in the package gdb-multiarch'))
    try:
        elfs = elfs_of(options.image, options.program)
        tile = Tile(elfs, options.accel, machine=options.machine, stopped=True,
                    gdb=True, report=options.all_violations)
    except (FileNotFoundError, TileError) as error:
        sys.exit(error_line('debug', error))
    with tile:
        sys.exit(debug(tile, options))


if __name__ == '__main__':
    main()
