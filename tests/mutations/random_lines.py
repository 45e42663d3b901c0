#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the tests of the core notice random wrong lines?

    tests/mutations/random_lines.py [--count N] [--seed N] [-o FILE] [--list]
        [FOLDER]

Changes one line of a C file below hw/tenstorrent/core (or FOLDER) at a time:
an operator, a constant, a condition, a deleted statement. Then build/core is
built and its tests run, unit tests first, until one fails. A line per
mutation: caught, missed, or build (gcc refuses it). -o appends them to FILE and
leaves out those that it has, so an interrupted run continues. --list prints the
mutations alone. Nothing else may build or change the tree meanwhile; the line is
restored afterwards, also after Ctrl-C.

A mutation that is missed is either no error (say so in equivalent.txt, with the
reason; it is left out then), or lacks a test.
"""

import argparse
import collections
import os
import random
import re
import signal
import sys
import time
from typing import Dict, Iterator, NamedTuple, Set

from run import ROOT, interrupt, read, run, write

OBJ = os.path.join(ROOT, 'build', 'core')
CORE = os.path.join('hw', 'tenstorrent', 'core')
EQUIVALENT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          'equivalent.txt')
BUILD_SECONDS, TEST_SECONDS = 600, 900
STEPS = (['--suite', 'unit'], ['--suite', 'vectors'], ['--suite', 'fuzz'])
# (what is found, what is there instead)
RULES = tuple((re.compile(old), new) for old, new in (
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '),
    (r' == ', ' != '), (r' != ', ' == '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r' \+ ', ' - '), (r' - ', ' + '), (r' << ', ' >> '), (r' >> ', ' << '),
    (r' & ', ' | '), (r' \| ', ' & '), (r' \|= ', ' = '), (r' \+= ', ' -= '),
    (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'\+\+', '--'),
    (r'(?<=[ (])!(?=\w)', ''), (r'(?<= )0(?=[;,)])', '1'),
    (r'(?<= )1(?=[;,)])', '2'),
    # a statement that is a call or an assignment on one line
    (r'^    +[\w>.\[\]-]+(?: [|&+-]?= [^;{]+|\([^;{]*\));$', '')))
# Lines that hold no code of a function
NO_CODE = re.compile(r'^(?!    )|^ +(\*|/\*|case |break;|INSN|return;)')
HINT = r'(true|false)(?=\)+ \{$)'


class Mutation(NamedTuple):
    """One line of a file, and what it becomes."""
    path: str
    number: int                        # of the line, from 1
    old: str
    new: str

    @property
    def name(self) -> str:
        """The same as long as the line is; its number may move."""
        return f'{self.path}: {self.old.strip()} => {self.new.strip()}'


def mutations(folder: str) -> Iterator[Mutation]:
    """All that the rules make of the C files of a folder."""
    for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            path = os.path.join(where, name)
            if name.endswith('.c'):
                yield from mutations_of(os.path.relpath(path, ROOT),
                                        read(path))


def mutations_of(path: str, text: str) -> Iterator[Mutation]:
    """One for each place of each rule."""
    for number, line in enumerate(text.split('\n'), 1):
        if NO_CODE.search(line):
            continue
        code = re.sub(r'/\*.*', lambda m: ' ' * len(m[0]), line)
        code = re.sub(r'"[^"]*"', lambda m: '"' * len(m[0]), code)
        if '__builtin_expect' in code:      # its hint changes no result
            code = re.sub(HINT, lambda m: '"' * len(m[0]), code)
        for old, new in RULES:
            for match in old.finditer(code.rstrip()):
                changed = line[:match.start()] + new + line[match.end():]
                yield Mutation(path, number, line, changed)


def known(path: str) -> Set[str]:
    """Names in a file of results or of equivalent mutations."""
    if not path or not os.path.exists(path):
        return set()
    return {line.split('\t')[-1] for line in read(path).splitlines()
            if '\t' in line}


def judge() -> str:
    """What the tests say of the tree as it is."""
    if run(['ninja', '-C', OBJ], ROOT, BUILD_SECONDS) != 0:
        return 'build'
    for suite in STEPS:
        if run(['meson', 'test', '-C', OBJ, '--no-rebuild', '--maxfail', '1',
                *suite], ROOT, TEST_SECONDS) != 0:
            return 'caught'
    return 'missed'


def try_one(one: Mutation) -> str:
    """The result; the file is as before."""
    path = os.path.join(ROOT, one.path)
    text = read(path)
    lines = text.split('\n')
    lines[one.number - 1] = one.new
    try:
        write(path, '\n'.join(lines))
        return judge()
    finally:
        write(path, text)


def try_all(chosen: list, output: str) -> Dict[str, int]:
    """Counts of the results, each printed and appended to the output."""
    counts: Dict[str, int] = collections.Counter()
    for one in chosen:
        start = time.monotonic()
        result = try_one(one)
        counts[result] += 1
        line = f'{result}\t{time.monotonic() - start:.0f} s\t{one.name}'
        print(f'{one.path}:{one.number}: {line}', flush=True)
        if output:
            with open(output, 'a', encoding='utf-8') as file:
                file.write(line + '\n')
    return counts


def main() -> int:
    """Status 1 if anything was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('-o', dest='output', metavar='FILE', default='')
    parser.add_argument('folder', nargs='?', default=CORE)
    args = parser.parse_args()
    chosen = list(mutations(args.folder))
    random.Random(args.seed).shuffle(chosen)
    done = known(args.output) | known(EQUIVALENT)
    chosen = [one for one in chosen[:args.count] if one.name not in done]
    if args.list:
        print('\n'.join(f'{one.number}: {one.name}' for one in chosen))
        return 0
    signal.signal(signal.SIGTERM, interrupt)
    if judge() != 'missed':
        print('the build or a test fails without a mutation')
        return 2
    try:
        counts = try_all(chosen, args.output)
    finally:
        run(['ninja', '-C', OBJ], ROOT, BUILD_SECONDS)
    print(f"{counts['caught']} caught, {counts['missed']} missed, "
          f"{counts['build']} not built")
    return counts['missed'] > 0


if __name__ == '__main__':
    sys.exit(main())
