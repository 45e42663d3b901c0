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

from .cli import Parser, UseError, did_you_mean, error_line
from .elf import ElfError, read_elf
from .firmware import images
from .machine import ACCELERATORS, ROOT, StartError, Tile, TileError
from .memory_map import HARTS
from .program import Program, start_error

DESCRIPTION = """\
Runs ELFs on the machine under gdb, attached to all five harts. A folder that
has a Makefile is built first; nothing is put into memory (the tool run with
--gdb does that).

    scripts/debug build/firmware --program demo
    scripts/debug brisc=fw.elf trisc1=math.elf --machine hazards=on

gdb is gdb-multiarch, or $GDB; it starts with tile.gdb. With TILE_HARTS=trisc1
in the environment it attaches to that hart alone. QEMU ends with gdb, and what
it printed, violations for example, is shown then.
"""
HART_NAMES = f' (harts: {" ".join(HARTS)})'


def elfs_of_word(word: str, program: str) -> Dict[str, str]:
    """{hart: path} of HART=ELF, FOLDER or FOLDER/NAME.  Raises UseError."""
    hart, equals, path = word.partition('=')
    if equals and hart in HARTS:
        return {hart: path}
    if program:
        return images(word, program)
    try:
        return Program(word).images()
    except UseError:
        if os.path.isdir(word):
            raise
    hint = equals and did_you_mean(hart, HARTS)
    raise UseError(f'{word}: neither a folder nor HART=ELF'
                   f'{hint or HART_NAMES}')


def elfs_of(words: List[str], program: str) -> Dict[str, str]:
    """{hart: path} of all words.  Raises UseError and what reading an ELF
    raises."""
    found = {}
    for word in words:
        found.update(elfs_of_word(word, program))
    for path in found.values():
        read_elf(path)
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
    except StartError as error:
        sys.exit(error_line('debug', start_error(str(error),
                                                 options.machine)))
    except (UseError, ElfError, OSError, TileError) as error:
        sys.exit(error_line('debug', error))
    with tile:
        sys.exit(debug(tile, options))


if __name__ == '__main__':
    main()
