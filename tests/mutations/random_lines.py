#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the tests notice random wrong lines?

    tests/mutations/random_lines.py [--count N] [--seed N] [-o FILE] [--list]
        [--at-once] [FOLDER]

Changes one line of a C file below hw/tenstorrent (or FOLDER) at a time: an
operator, a constant, a condition, a deleted statement. Then it is built and
tests run until one fails: of the core those of build/core, unit tests first; of
all else, and of the core's lines that those miss, the qtests and the functional
tests that FUNCTIONAL names for the directory. A line per mutation: caught,
missed, or build (gcc refuses it); at the end a line per directory. -o appends
them to FILE and leaves out those that it has, so an interrupted run continues.
--list prints the mutations alone. Nothing else may build or change the tree
meanwhile; the line is restored afterwards, also after Ctrl-C.

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
import tempfile
import time
from typing import Dict, Iterator, List, NamedTuple, Set

from run import CORE as CORE_OBJ
from run import OBJ, ROOT, interrupt, passes, read, run, write

ALL = os.path.join('hw', 'tenstorrent')
CORE = os.path.join(ALL, 'core', '')
EQUIVALENT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          'equivalent.txt')
EMULATOR = 'qemu-system-riscv64'
BUILD_SECONDS, TEST_SECONDS = 600, 900
SUITES = ('unit', 'vectors', 'fuzz')
# Files of tests/functional for a directory: its own first
GENERAL = ('board', 'snapshot', 'examples')
FUNCTIONAL = {
    'board': ('qmp', 'rewind', 'tiles', 'wrong_use'),
    'common': ('origins', 'source', 'unfinished', 'instruments'),
    'control': ('registers', 'mailbox', 'perf', 'pic'),
    'coprocessor': ('direct', 'gdb_vectors', 'words', 'turns'),
    'core': ('watch', 'races', 'unwritten', 'hazards', 'deadlock', 'bounds',
             'perturb', 'leaks'),
    'debug': ('debug', 'debug_bus', 'debugger'),
    'harts': ('isa', 'csr', 'code', 'direct', 'time'),
    'host': ('host', 'host_time', 'noc_host', 'library'),
    'inspect': ('inspect', 'watch_events', 'deadlock'),
    'instruments': ('instruments', 'watch', 'watch_events', 'hazards',
                    'unwritten', 'bounds', 'leaks', 'coverage', 'timeline',
                    'time', 'perturb'),
    'noc': ('noc', 'tiles', 'many_tiles'),
    'quiescence': ('deadlock', 'stop', 'kept'),
    'races': ('races', 'races_deletions', 'races_orders', 'findings'),
    'rewind': ('rewind', 'rewind_programs', 'turns'),
    'source': ('source', 'crash', 'budget'),
    'tile': ('tiles', 'registers', 'kernel_run'),
}
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


def core_passes() -> bool:
    """Tests of the core alone."""
    return all(run(['meson', 'test', '-C', CORE_OBJ, '--no-rebuild',
                    '--maxfail', '1', '--suite', suite], ROOT,
                   TEST_SECONDS) == 0 for suite in SUITES)


def machine_passes(folder: str) -> bool:
    """Tests of the emulator."""
    meson = os.path.join(OBJ, 'pyvenv', 'bin', 'meson')
    return run([meson, 'test', '-C', OBJ, '--no-rebuild', '--maxfail', '1',
                '--suite', 'tensix'], ROOT, TEST_SECONDS) == 0 and all(
        passes(f'functional test_{name}')
        for name in (*FUNCTIONAL[folder], *GENERAL))


def folder_of(path: str) -> str:
    """The layer: races, core, ..."""
    return os.path.relpath(path, ALL).split(os.sep)[0]


def judge(path: str) -> str:
    """What the tests say of the tree as it is, with a file that is wrong."""
    if path.startswith(CORE):
        if run(['ninja', '-C', CORE_OBJ], ROOT, BUILD_SECONDS) != 0:
            return 'build'
        if not core_passes():
            return 'caught'
    if run(['ninja', '-C', OBJ, EMULATOR], ROOT, BUILD_SECONDS) != 0:
        return 'build'
    return 'missed' if machine_passes(folder_of(path)) else 'caught'


def broken(chosen: List[Mutation]) -> List[str]:
    """Directories whose tests fail without a mutation, or that are not
    built."""
    folders = sorted({folder_of(one.path) for one in chosen})
    built = all(run(['ninja', '-C', obj, *targets], ROOT, BUILD_SECONDS) == 0
                for obj, *targets in ((CORE_OBJ,), (OBJ, EMULATOR)))
    return [folder for folder in folders if not (
        built and (folder != 'core' or core_passes()) and
        machine_passes(folder))]


def try_one(one: Mutation) -> str:
    """The result; the file is as before."""
    path = os.path.join(ROOT, one.path)
    text = read(path)
    lines = text.split('\n')
    lines[one.number - 1] = one.new
    try:
        write(path, '\n'.join(lines))
        return judge(one.path)
    finally:
        write(path, text)


def try_all(chosen: list, output: str) -> None:
    """Prints each result, and appends it to the output."""
    for one in chosen:
        start = time.monotonic()
        result = try_one(one)
        line = f'{result}\t{time.monotonic() - start:.0f} s\t{one.name}'
        print(f'{one.path}:{one.number}: {line}', flush=True)
        if output:
            with open(output, 'a', encoding='utf-8') as file:
                file.write(line + '\n')


def figures(output: str) -> Dict[str, Dict[str, int]]:
    """{directory: {result: how often}} of a file of results."""
    found: Dict[str, Dict[str, int]] = collections.defaultdict(
        collections.Counter)
    for line in read(output).splitlines():
        result, _, name = line.split('\t')
        found[os.path.dirname(name.split(': ')[0])][result] += 1
    return found


def main() -> int:
    """Status 1 if anything was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--at-once', action='store_true',
                        help='do not try first whether the tests pass')
    parser.add_argument('-o', dest='output', metavar='FILE', default='')
    parser.add_argument('folder', nargs='?', default=ALL)
    args = parser.parse_args()
    chosen = list(mutations(args.folder))
    random.Random(args.seed).shuffle(chosen)
    done = known(args.output) | known(EQUIVALENT)
    chosen = [one for one in chosen[:args.count] if one.name not in done]
    if args.list:
        print('\n'.join(f'{one.number}: {one.name}' for one in chosen))
        return 0
    signal.signal(signal.SIGTERM, interrupt)
    failing = [] if args.at_once else broken(chosen)
    if failing:
        print('fails without a mutation: ' + ', '.join(failing))
        return 2
    with tempfile.TemporaryDirectory() as folder:
        output = args.output or os.path.join(folder, 'results')
        try:
            try_all(chosen, output)
        finally:
            run(['ninja', '-C', CORE_OBJ], ROOT, BUILD_SECONDS)
            run(['ninja', '-C', OBJ, EMULATOR], ROOT, BUILD_SECONDS)
        found = figures(output) if os.path.exists(output) else {}
    for name, counts in sorted(found.items()):
        print(f"{name}: {counts['caught']} caught, {counts['missed']} missed, "
              f"{counts['build']} not built")
    return any(counts['missed'] for counts in found.values())


if __name__ == '__main__':
    sys.exit(main())
