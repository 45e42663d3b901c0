# SPDX-License-Identifier: GPL-2.0-or-later
"""What PROGRAM of scripts/run names: a folder that is built, its ELFs and the
words of its run.args; and why a machine refuses its options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from typing import Dict, List, Sequence

from . import files, firmware
from .cli import UseError, command, did_you_mean
from .compiler import errors
from .machine import BUILD, INSTALLED, ROOT, emulator
from .memory_map import HARTS

MAKEFILE, RUN_ARGS = 'Makefile', 'run.args'
MOST_SHOWN = 8                       # programs in a message
# What QEMU says of a value of --machine
NO_PROPERTY = re.compile(r"Property 'blackhole-tile-machine\.(.*)' not found")
BAD_VALUE = re.compile(
    r"^\S+: (?:Parameter '([\w-]+)' expects|[\w-]+ must be)")
MACHINE_OPTION = re.compile(r'^  ([a-z][a-z0-9-]*)=<', re.M)


def place_of(folder: str) -> str:
    """Where what is made of a folder goes."""
    real = os.path.realpath(folder)
    inside = os.path.relpath(real, os.path.realpath(ROOT))
    if inside.startswith('..'):
        return os.path.join(real, 'build')
    if INSTALLED:
        raise UseError(f'{folder}: part of what was installed, nothing is '
                       'built there (copy it, and run the copy)')
    return os.path.join(BUILD, inside)


def build(folder: str, out: str = '', variables: Sequence[str] = ()) -> str:
    """Runs make in a folder that has a Makefile, one at a time for each folder
    of what it makes, which is returned.  out: that folder; variables: more of
    them, NAME=VALUE."""
    out = out or place_of(folder)
    try:
        os.makedirs(out, exist_ok=True)
        with files.locked(out):
            done = subprocess.run(
                ['make', '-s', '-C', os.path.realpath(folder), f'O={out}',
                 f'BLACKHOLE_TILE={ROOT}', *variables],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False)
    except OSError as error:
        raise UseError(f'{error.filename}: {error.strerror}') from None
    if done.returncode:
        raise UseError('\n'.join([f'make -C {folder}: failed:',
                                  *errors(done.stdout)[:MOST_SHOWN],
                                  done.stdout.rstrip()]))
    return out


def below(folder: str, text: str) -> str:
    """An option of run.args with its files below a folder."""
    for option in ('--put', '--get', '--expect'):
        if text.startswith(option + '='):
            left, equals, right = text.partition('=')[2].partition('=')
            if equals:
                right = os.path.join(folder, right)
            return f'{option}={left}{equals}{right}'
    return text


def source_of(folder: str, text: str) -> str:
    """The option --prepare of run.args, whose file is not built."""
    option, equals, path = text.partition('=')
    return f'{option}={os.path.join(folder, path)}' \
        if option == '--prepare' and equals else text


def file_words(folder: str, out: str) -> List[str]:
    """Words of a folder's run.args: --option=value, a comment after #."""
    path = os.path.join(folder, RUN_ARGS)
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        text = file.read()
    try:
        words = shlex.split(text, comments=True)
    except ValueError as error:
        raise UseError(f'{path}: {error}') from None
    for text in words:
        if not text.startswith('--'):
            raise UseError(f'{path}: {text!r} is not of the form '
                           f'--option=value')
    return [source_of(folder, below(out, text)) for text in words]


# --- ELFs ---

def names_in(folder: str, ending: str) -> List[str]:
    """What comes before that ending in names of a folder."""
    try:
        return sorted(name[:-len(ending)] for name in os.listdir(folder)
                      if name.endswith(ending))
    except OSError:
        return []


def folders_in(folder: str) -> List[str]:
    """Paths of the folders in a folder."""
    try:
        return [entry.path.removeprefix('./') for entry in os.scandir(folder)
                if entry.is_dir()]
    except OSError:
        return []


def no_image(path: str, folder: str) -> UseError:
    """The folder, where the ELFs of PROGRAM should be, has no brisc.elf and so
    on."""
    elfs = ' '.join(f'{hart}.elf' for hart in HARTS)
    if folder != path:
        return UseError(f'{path}: make has made none of {elfs} in {folder}')
    programs = sorted({os.path.join(path, name) for hart in HARTS
                       for name in names_in(path, f'-{hart}.elf')})
    if programs:
        return UseError(f'{path}: has several programs (name one of them: '
                        f'{" ".join(programs[:MOST_SHOWN])})')
    return UseError(f'{path}: has none of {elfs}, and no {MAKEFILE} that '
                    f'makes them')


def no_program(path: str) -> UseError:
    """A PROGRAM that is no folder."""
    parent = os.path.dirname(path) or '.'
    if os.path.exists(path):
        return UseError(f'{path}: a file, where PROGRAM is a folder (an ELF '
                        f'for BRISC: {command("run")} --brisc {path})')
    if not os.path.isdir(parent):
        return UseError(f'{path}: does not exist, nor does {parent}')
    name = os.path.basename(path)
    return UseError(f'{path}: does not exist, nor do {name}-brisc.elf, '
                    f'{name}-trisc0.elf, ... in {parent}'
                    f'{did_you_mean(path, folders_in(parent))}')


class Program:
    """What PROGRAM names.  folder: where its ELFs are, '' if it is not given
    or no folder; words: of its run.args."""

    def __init__(self, path: str):
        self.path, self.folder, self.words = path, '', []
        if path and os.path.isdir(path):
            self.folder = build(path) if os.path.exists(
                os.path.join(path, MAKEFILE)) else path
            self.words = file_words(path, self.folder)

    def images(self) -> Dict[str, str]:
        """{hart: ELF}.  Raises UseError if there is none."""
        if not self.path:
            return {}
        where, name = (self.folder, '') if self.folder else \
            (os.path.dirname(self.path) or '.', os.path.basename(self.path))
        try:
            return firmware.images(where, name)
        except FileNotFoundError:
            raise (no_image(self.path, self.folder) if self.folder
                   else no_program(self.path)) from None


# --- the machine ---

def start_error(text: str, machine: str) -> str:
    """Why the machine did not start, with the option that is the cause."""
    unknown = NO_PROPERTY.search(text)
    if unknown:
        listed = subprocess.run(
            [emulator(), '-M', 'blackhole-tile,help'], check=False, text=True,
            stdin=subprocess.DEVNULL, capture_output=True).stdout
        hint = did_you_mean(unknown[1], MACHINE_OPTION.findall(listed))
        return (f'--machine={machine}: the machine has no option '
                f'{unknown[1]}{hint or " (-- -M blackhole-tile,help)"}')
    if BAD_VALUE.search(text) and machine:
        return f'--machine={machine}: {text.partition(": ")[2]}'
    return text
