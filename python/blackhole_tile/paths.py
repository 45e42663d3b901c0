# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the emulator is, and what kernels are built with.

The package is used in three ways: from a clone, from what scripts/install
has copied, and from where pip has put it, alone.  In the third case ROOT is
the clone or the installation that $BLACKHOLE_TILE or the emulator belongs to.
"""

from __future__ import annotations

import os
import shutil
from typing import List, Optional

from .errors import StartError

EMULATOR = 'qemu-system-riscv64'
INSTALLED_EMULATOR = 'qemu-system-blackhole-tile'
HEADERS = os.path.join('include', 'blackhole-tile')   # each ROOT has them
SHARE = os.path.join('share', 'blackhole-tile')       # ROOT below a prefix
OWN = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))


def on_path() -> List[str]:
    """The emulators of $PATH."""
    return [place for place in map(shutil.which, (INSTALLED_EMULATOR,
                                                  EMULATOR)) if place]


def has_headers(folder: str) -> bool:
    """Does a folder hold what kernels are built with?"""
    return os.path.isdir(os.path.join(folder, HEADERS))


def root_of(program: str) -> Optional[str]:
    """The clone or the installation that an emulator belongs to."""
    folder = os.path.dirname(os.path.realpath(program))
    while folder != os.path.dirname(folder):
        for place in (folder, os.path.join(folder, SHARE)):
            if has_headers(place):
                return place
        folder = os.path.dirname(folder)
    return None


def find_root() -> str:
    """ROOT; the package's own place if there is nothing better."""
    named = os.environ.get('BLACKHOLE_TILE_QEMU')
    programs = [named] if named else on_path()
    places = [OWN, os.environ.get('BLACKHOLE_TILE', ''),
              *map(root_of, programs)]
    return next((os.path.realpath(place) for place in places
                 if place and has_headers(place)), OWN)


ROOT = find_root()
BUILD = os.environ.get('TENSIX_BUILD', os.path.join(ROOT, 'build'))
# Under ROOT there is a whole tree, or what scripts/install took of it
INSTALLED = not os.path.exists(os.path.join(ROOT, 'scripts', 'setup'))
# Is this package that tree's?  If not, its commands are blackhole-tile-run...
IN_TREE = os.path.exists(os.path.join(OWN, 'scripts', 'setup'))


def emulator(path: Optional[str] = None) -> str:
    """The emulator to start: the given one; $BLACKHOLE_TILE_QEMU; that of the
    build folder $TENSIX_BUILD; that of the tree or of the installation ROOT;
    those of $PATH."""
    named = path or os.environ.get('BLACKHOLE_TILE_QEMU')
    if named:
        return named
    places = [os.path.join(BUILD, EMULATOR)]
    if INSTALLED:
        places.append(os.path.join(os.path.dirname(os.path.dirname(ROOT)),
                                   'bin', INSTALLED_EMULATOR))
    found = [place for place in places if os.path.exists(place)] + on_path()
    if found:
        return found[0]
    if has_headers(ROOT):
        cure = 'install it again' if INSTALLED else 'scripts/setup builds it'
        raise StartError(f'{places[-1]}: no emulator there, and PATH has '
                         f'neither {INSTALLED_EMULATOR} nor {EMULATOR} '
                         f'({cure})')
    raise StartError(f'no emulator: PATH has neither {INSTALLED_EMULATOR} nor '
                     f'{EMULATOR} (set BLACKHOLE_TILE to the folder of a '
                     'clone that scripts/setup has built, or '
                     'BLACKHOLE_TILE_QEMU to the emulator)')
