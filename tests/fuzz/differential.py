#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two executables on random programs and shrinks each difference.

    tests/fuzz/differential.py [--class NAME] [--programs N] [--seed N]
        [--save FOLDER] COMMAND COMMAND

An executable reads cases on stdin and answers on stdout, in the format of
tests/vectors/vectors.h (--answer). The core is one of them:

    core=build/core/tests/vectors/vectors-core
    tests/fuzz/differential.py "$core --answer" "$core --isa portable --answer"

A program is a case of tests/vectors with some of its lines varied: operands
and opcodes of pushed words, words of configuration, data; lines are repeated,
left out, or taken from another case of the class. Its reads become questions.
What a command refuses ("# TEXT") is not compared. Status 1: they differ; the
smallest program found for each difference is printed, and saved as a case.
"""

import argparse
import glob
import os
import random
import shlex
import subprocess
import sys
from typing import Dict, List, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
VECTORS = os.path.join(ROOT, 'tests', 'vectors')
sys.path.insert(0, VECTORS)

from flipped import cases_of  # noqa: E402  pylint: disable=wrong-import-position

BATCH = 250                            # programs in one run of the commands
SHOWN = 5                              # differences that are shrunk
PUSHES = range(0xFFE40000, 0xFFE70000, 0x10000)
EDGES = (0, 1, 0x3F800000, 0x3F803F80, 0x7F800000, 0x7F807F80, 0x7FC00000,
         0x80000000, 0x80008000, 0xFF800000, 0xFFFFFFFF, 0x00010001,
         0x00800000, 0x33D6BF95)
Lines = List[str]
Answer = Tuple[Lines, bool]            # what was read; was it refused?


def question(line: str) -> str:
    """`p` for a line that compares, the line itself otherwise."""
    op, *rest = line.split()
    if op[0] not in 'rx':
        return line
    size = 4 if op in 'rx' else len(rest[1]) // 2 if op[1] == 'b' else \
        4 * int(rest[3], 16)
    return f'p {rest[0]} {size:x}'


class Programs:
    """Random programs of a class."""

    def __init__(self, name: str, seed: int) -> None:
        path = os.path.join(VECTORS, name + '.vec.gz')
        self.cases = [[question(line) for line in lines]
                      for _, lines in cases_of(path)]
        self.random = random.Random(f'{name} {seed}')
        self.words = [int(line.split()[-1], 16)
                      for case in self.cases for line in case
                      if self.is_push(line)] or [0x02000000]

    @staticmethod
    def is_push(line: str) -> bool:
        """Does the line push an instruction's word?"""
        op, *rest = line.split()
        return op in ('w', 't') and int(rest[-2], 16) in PUSHES

    def bits(self, width: int) -> int:
        """Few set bits, or an edge."""
        choose = self.random
        value = choose.getrandbits(width)
        return choose.choice((value, value & choose.getrandbits(width),
                              choose.choice(EDGES) & (1 << width) - 1,
                              1 << choose.randrange(width)))

    def word(self, line: str) -> str:
        """Another value in a line that writes a word."""
        head, _, text = line.rpartition(' ')
        value = int(text, 16)
        if self.is_push(line):
            if self.random.random() < 0.2:
                value = self.random.choice(self.words)
            value ^= 1 << self.random.randrange(24)
        else:
            value = self.bits(32)
        return f'{head} {value:08x}'

    def bulk(self, line: str) -> str:
        """An edge somewhere in a line that writes bytes."""
        head, _, text = line.rpartition(' ')
        data = bytearray.fromhex(text)
        at = self.random.randrange(len(data)) & ~3
        data[at:at + 4] = self.bits(32).to_bytes(4, 'little')[:len(data) - at]
        return f'{head} {data.hex()}'

    def varied(self, line: str) -> str:
        """The line with another value; questions stay."""
        op = line.split()[0]
        if op in ('w', 't'):
            return self.word(line)
        return self.bulk(line) if op == 'wb' else line

    def program(self) -> Lines:
        """A case with one to eight changes."""
        lines = list(self.random.choice(self.cases))
        for _ in range(self.random.choice((1, 1, 2, 2, 4, 8))):
            at = self.random.randrange(len(lines))
            action = self.random.random()
            if action < 0.7 or lines[at][0] == 'p':
                lines[at] = self.varied(lines[at])
            elif action < 0.8:
                del lines[at]
            else:
                other = lines if action < 0.9 else \
                    self.random.choice(self.cases)
                line = self.random.choice(other)
                if line[0] != 'p':
                    lines.insert(at, self.varied(line))
        return lines


class Command:
    """An executable that answers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = shlex.split(text)

    def answers(self, programs: Dict[str, Lines]) -> Dict[str, Answer]:
        """By name; a program at which it ended is answered by that."""
        text = ''.join('case {}\n{}\nend\n'.format(name, '\n'.join(lines))
                       for name, lines in programs.items())
        done = subprocess.run(self.words, input=text, capture_output=True,
                              encoding='utf-8', check=False)
        found: Dict[str, Answer] = {}
        for part in ('\n' + done.stdout).split('\ncase ')[1:]:
            name, *lines = part.splitlines()
            refused = any(line.startswith('#') for line in lines)
            if lines and lines[-1] == 'end':
                found[name] = (lines[:-1], refused)
        if len(found) < len(programs):
            name = list(programs)[len(found)]
            found[name] = ([f'status {done.returncode}: '
                            f'{done.stderr.strip()[-300:]}'], False)
        return found


def differing(commands: List[Command],
              programs: Dict[str, Lines]) -> Tuple[List[str], int]:
    """Names of the programs whose answers differ; how many were compared."""
    first, second = (command.answers(programs) for command in commands)
    both = [name for name in programs if name in first and name in second]
    compared = [name for name in both
                if not first[name][1] and not second[name][1]]
    return [name for name in compared
            if first[name][0] != second[name][0]], len(compared)


def shrunk(commands: List[Command], lines: Lines) -> Lines:
    """Fewer lines whose answers differ, too: by halves, quarters, ..."""
    step = len(lines) // 2
    while step:
        tries = {f'{at}': lines[:at] + lines[at + step:]
                 for at in range(0, len(lines), step)}
        good = next(iter(differing(commands, tries)[0]), None)
        if good is not None:
            lines = tries[good]
        step = min(step if good is not None else step // 2, len(lines) // 2)
    return lines


def report(commands: List[Command], name: str, lines: Lines,
           folder: Optional[str]) -> None:
    """The smallest program, its answers, and the file that repeats it."""
    lines = shrunk(commands, lines)
    print(f'{name} differs:')
    print('\n'.join('    ' + line[:110] for line in lines))
    for command in commands:
        answer = command.answers({name: lines}).get(name, ([], False))[0]
        print(f'  {command.text}')
        print('\n'.join('    ' + line[:110] for line in answer))
    if folder:
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name + '.vec')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('case {}\n{}\nend\n'.format(name, '\n'.join(lines)))
        print(f'  saved: {path}')


def run_class(name: str, args: argparse.Namespace) -> int:
    """Prints a line for the class; how many programs differ."""
    source, commands = Programs(name, args.seed), args.commands
    different = compared = 0
    for first in range(0, args.programs, BATCH):
        programs = {f'{name}_{n:06d}': source.program() for n in
                    range(first, min(first + BATCH, args.programs))}
        wrong, count = differing(commands, programs)
        compared += count
        for case in wrong:
            if different < SHOWN:
                report(commands, case, programs[case], args.save)
            different += 1
    print(f'{name}: {args.programs} programs, {compared} compared, '
          f'{different} differ', flush=True)
    return different


def parse_args() -> argparse.Namespace:
    """The command line."""
    classes = sorted(os.path.basename(path)[:-len('.vec.gz')]
                     for path in glob.glob(os.path.join(VECTORS, '*.vec.gz')))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--class', dest='classes', action='append',
                        choices=classes, metavar='NAME',
                        help='one of ' + ', '.join(classes) + '; all')
    parser.add_argument('--programs', type=int, default=1000,
                        help='for each class; 1000')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--save', metavar='FOLDER',
                        help='where programs that differ are saved')
    parser.add_argument('commands', nargs=2, type=Command, metavar='COMMAND')
    args = parser.parse_args()
    args.classes = args.classes or classes
    return args


def main() -> int:
    """Status 1 if anything differs."""
    args = parse_args()
    return int(sum([run_class(name, args) for name in args.classes]) > 0)


if __name__ == '__main__':
    sys.exit(main())
