#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the tests notice random wrong lines?

    tests/mutations/random_lines.py [--count N] [--each N] [--seed N] [-o FILE]
        [--list] [--at-once] [--outside-core] [FOLDER ...]

Changes one line of a C file at a time, below hw/tenstorrent, lib and
target/riscv/tensix, or below the FOLDERs (--outside-core leaves out the core):
an operator, a constant, a condition, a deleted statement. Then it is built and
tests run until one fails: of the core those of build/core, unit tests first;
of all else, and of the core's lines that those miss, tests with a word of the
file's name, or commands with one, those that TESTS names for the directory,
then those that all directories share. A test has to fail twice. A line per
mutation: caught by which, missed, or build (gcc refuses it); then a line a
directory. -o appends them to FILE and leaves out those that it has, so an
interrupted run continues. --list prints the mutations alone. Nothing else may
build or change the tree meanwhile; the line is restored afterwards, also after
Ctrl-C.

A mutation that is missed is either no error (say so in equivalent.txt, with the
reason; it is left out then), or lacks a test.
"""

import argparse
import collections
import concurrent.futures as futures
import functools
import hashlib
import os
import re
import signal
import sys
import tempfile
import time
from typing import Dict, Iterable, Iterator, List, NamedTuple, Set

from run import CORE as CORE_OBJ
from run import (OBJ, ROOT, command, interrupt, passes, read, run, status,
                 write)

DEVICES = os.path.join('hw', 'tenstorrent')
TARGET = os.path.join('target', 'riscv', 'tensix')
FOLDERS = (DEVICES, 'lib', TARGET)
CORE = os.path.join(DEVICES, 'core', '')
EQUIVALENT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          'equivalent.txt')
EMULATOR, LIBRARY = 'qemu-system-riscv64', 'lib/libblackhole-tile.so'
BUILD_SECONDS, TEST_SECONDS = 600, 900
SUITES = ('unit', 'vectors', 'fuzz')
# Tests of a directory's lines, those of tests/functional without a word before
# them: fast ones first
GENERAL = ('qtest mmio-fuzz', 'board', 'origins', 'examples', 'snapshot')
TESTS = {
    'board': ('board', 'qmp', 'wrong_use', 'instruments', 'tiles'),
    'common': ('origins', 'check', 'unfinished', 'instruments', 'qmp',
               'source', 'gdb_stops'),
    'control': ('qtest mailbox', 'qtest pcbuf', 'qtest tdma', 'qtest pic',
                'qtest tile-ctrl', 'qtest ttsync', 'qtest semaphores',
                'qtest registers', 'perf', 'pic', 'inspect', 'registers',
                'mailbox'),
    'coprocessor': ('qtest aperture', 'qtest dest-window', 'direct', 'words',
                    'gdb_vectors', 'qtest stall', 'turns'),
    'core': ('watch', 'races', 'unwritten', 'hazards', 'deadlock', 'bounds',
             'perturb', 'leaks'),
    'debug': ('debug_bus', 'debugger', 'qtest hart-views', 'debug'),
    'harts': ('csr', 'isa', 'direct', 'qtest hart-views', 'code', 'stop',
              'time', 'turns', 'unwritten'),
    'host': ('noc_host', 'host', 'host_time', 'python_host'),
    'inspect': ('inspect', 'watch_events', 'qmp', 'watch', 'deadlock'),
    'instruments': ('hazards', 'unwritten', 'leaks', 'coverage', 'instruments',
                    'watch_events', 'bounds', 'watch', 'timeline', 'time'),
    'lib': ('library_answers', 'library', 'library_life'),
    'noc': ('qtest niu', 'qtest noc', 'qtest streams', 'noc', 'tiles',
            'many_tiles'),
    'quiescence': ('deadlock', 'leaks', 'stop', 'unfinished', 'kept'),
    'races': ('races', 'findings', 'races_orders', 'races_deletions'),
    'rewind': ('turns', 'rewind', 'rewind_programs', 'perturb'),
    'source': ('source', 'crash', 'coverage', 'budget'),
    'target': ('csr', 'isa', 'direct', 'code', 'time', 'semihosting'),
    'tile': ('qtest tile-ctrl', 'qtest registers', 'registers', 'kernel_run',
             'tiles'),
}
# Words of files' names that say nothing about their tests, and how many tests
# of a name, and with commands of a name, are tried
COMMON = {'tensix', 'inc', 'internal', 'tile'}
NAMESAKES, USERS = 5, 3
AT_A_TIME = 3
# They read sources, or run others' tests
NO_USE = {'fuzz', 'layers', 'manual', 'mutations', 'names', 'project',
          'scripts', 'suites'}
FAILED = re.compile(r'^(?:FAIL|ERROR): \w+ \(\w+\.([\w.]+)\)', re.M)
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
    before: int = 0                    # lines of the file that are the same

    @property
    def name(self) -> str:
        """The same as long as the line is; its number may move."""
        which = f' (#{self.before + 1})' if self.before else ''
        return f'{self.path}: {self.old.strip()} => {self.new.strip()}{which}'


def sources(folders: Iterable[str]) -> Iterator[str]:
    """Paths from ROOT of the C files below the folders."""
    for folder in folders:
        for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                if name.endswith(('.c', '.c.inc')) and name != 'stub.c':
                    yield os.path.relpath(os.path.join(where, name), ROOT)


def mutations(paths: Iterable[str]) -> Iterator[Mutation]:
    """All that the rules make of these files."""
    for path in paths:
        yield from mutations_of(path, read(os.path.join(ROOT, path)))


def mutations_of(path: str, text: str) -> Iterator[Mutation]:
    """One for each place of each rule."""
    same: Dict[str, int] = collections.Counter()
    for number, line in enumerate(text.split('\n'), 1):
        before, same[line] = same[line], same[line] + 1
        if NO_CODE.search(line):
            continue
        code = re.sub(r'/\*.*', lambda m: ' ' * len(m[0]), line)
        code = re.sub(r'"[^"]*"', lambda m: '"' * len(m[0]), code)
        if '__builtin_expect' in code:      # its hint changes no result
            code = re.sub(HINT, lambda m: '"' * len(m[0]), code)
        for old, new in RULES:
            for match in old.finditer(code.rstrip()):
                changed = line[:match.start()] + new + line[match.end():]
                yield Mutation(path, number, line, changed, before)


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


def full_name(test: str) -> str:
    """As run.py takes it."""
    return test if ' ' in test else f'functional test_{test}'


def words_of(path: str) -> Set[str]:
    """Of the file's name, that may lead to its tests."""
    return set(re.findall(r'[a-z]{3,}', os.path.basename(path))) - COMMON


def namesakes(path: str) -> List[str]:
    """Tests whose name has a word of the file's."""
    words = words_of(path)
    found = [(name[5:-3], name[5:-3].split('_'))
             for name in test_files('functional', 'test_', '.py')]
    found += [('qtest ' + name[:-7], name[:-7].split('-'))
              for name in test_files('qtest', '', '-test.c')]
    return sorted((name for name, parts in found if words & set(parts)),
                  key=len)[:NAMESAKES]


def users(path: str) -> List[str]:
    """Tests with commands that have a word of the file's name, those with most
    of them first."""
    words = '|'.join(sorted(words_of(path)))
    pattern = re.compile(rf'tensix[ _-](?:\w+-)?(?:{words})\b')
    counts = {name[5:-3]: len(pattern.findall(read(os.path.join(
        ROOT, 'tests', 'functional', name))))
              for name in test_files('functional', 'test_', '.py')}
    return sorted(filter(counts.get, counts),
                  key=counts.__getitem__)[:-USERS - 1:-1]


def test_files(folder: str, start: str, end: str) -> List[str]:
    """Below tests."""
    return [name for name in sorted(os.listdir(os.path.join(
        ROOT, 'tests', folder)))
            if name.startswith(start) and name.endswith(end) and
            name[len(start):-len(end)] not in NO_USE]


def tests_of(path: str) -> List[str]:
    """For a file, the likeliest to fail first."""
    own = TESTS[folder_of(path)]
    named = namesakes(path)
    shared = () if path.startswith('lib' + os.sep) else GENERAL
    return list(dict.fromkeys((*(test for test in own if test in named),
                               *named, *users(path), *own, *shared)))


def failed_case(test: str) -> str:
    """What fails of the test: CLASS.TEST of a functional one that says so,
    'as a whole' of a qtest, 'no end', or ''. One that ends without having run
    a test proves nothing."""
    with tempfile.TemporaryFile() as file:
        result = status(test, file)
        file.seek(0)
        text = file.read().decode(errors='replace')
    if result == 0:
        return ''
    if result is None:
        return 'no end'
    if not test.startswith('functional '):
        return 'as a whole'
    found = FAILED.search(text)
    if not found:
        raise SystemExit(f'{test}: ran no test:\n{text[-2000:]}')
    return found[1]


def fails_again(test: str, case: str) -> bool:
    """Alone: a busy machine may be the reason of one failure. What has no end
    has had TEST_SECONDS of run.py."""
    if case == 'no end':
        return True
    named = ' ' not in case and ' ' not in test[len('functional '):]
    return bool(failed_case(f'{test} {case}' if named else test))


def failing(path: str) -> str:
    """The first of the file's tests that fails, and its case, or ''; some at a
    time, since most wait for machines."""
    tests = [full_name(test) for test in tests_of(path)]
    for start in range(0, len(tests), AT_A_TIME):
        part = tests[start:start + AT_A_TIME]
        with futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            cases = list(pool.map(failed_case, part))
        for test, case in zip(part, cases):
            if case and fails_again(test, case):
                return f'{test} ({case})'
    return ''


def folder_of(path: str) -> str:
    """What TESTS has: races, core, ... lib, target"""
    below = os.path.relpath(path, DEVICES) if path.startswith(DEVICES) else path
    return below.split(os.sep)[0]


def turn(seed: int, done: Set[str], one: Mutation) -> tuple:
    """Its place in the order: those that are done first, so that they count,
    then by chance. Other lines that come or go change none of it."""
    return one.name not in done, hashlib.sha256(
        f'{seed} {one.name}'.encode()).digest()


def of_each(chosen: List[Mutation], most: int) -> List[Mutation]:
    """So many of each directory, in turn."""
    found: Dict[str, List[Mutation]] = collections.defaultdict(list)
    for one in chosen:
        found[folder_of(one.path)].append(one)
    return [ones[n] for n in range(most) for _, ones in sorted(found.items())
            if n < len(ones)]


def build_machine() -> bool:
    """The emulator and the qtests."""
    folder = os.path.join(ROOT, 'tests', 'qtest')
    qtests = [command('qtest ' + name.removesuffix('-test.c'))[0][0]
              for name in os.listdir(folder) if name.endswith('-test.c')]
    return run(['ninja', '-C', OBJ, EMULATOR, *qtests], ROOT,
               BUILD_SECONDS) == 0


def built(path: str) -> bool:
    """What the functional tests run, with this file."""
    if path.startswith('lib' + os.sep):
        return run(['ninja', '-C', CORE_OBJ, LIBRARY], ROOT,
                   BUILD_SECONDS) == 0
    return build_machine()


def judge(path: str) -> str:
    """What the tests say of the tree as it is, with a file that is wrong."""
    if path.startswith(CORE):
        if run(['ninja', '-C', CORE_OBJ], ROOT, BUILD_SECONDS) != 0:
            return 'build'
        if not core_passes():
            return 'caught by core'
    if not built(path):
        return 'build'
    test = failing(path)
    return f'caught by {test}' if test else 'missed'


def rebuild() -> bool:
    """All that tests run, of the tree as it is."""
    return run(['ninja', '-C', CORE_OBJ], ROOT, BUILD_SECONDS) == 0 and \
        build_machine()


def broken(chosen: List[Mutation]) -> List[str]:
    """What fails without a mutation, which says nothing about one."""
    if not rebuild():
        return ['the build']
    tests = dict.fromkeys(test for one in chosen
                          for test in tests_of(one.path))
    found = [test for test in tests if not passes(full_name(test))]
    core = any(one.path.startswith(CORE) for one in chosen)
    return found + ['core'] * (core and not core_passes())


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
        folder = os.path.dirname(name.split(': ')[0])
        found[folder][result.split(' ')[0]] += 1
    return found


def main() -> int:
    """Status 1 if anything was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--each', type=int, metavar='N',
                        help='so many of each directory')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--at-once', action='store_true',
                        help='do not try first whether the tests pass')
    parser.add_argument('-o', dest='output', metavar='FILE', default='')
    parser.add_argument('--outside-core', action='store_true',
                        help='of the devices, the library and the target only')
    parser.add_argument('folder', nargs='*', default=FOLDERS)
    args = parser.parse_args()
    chosen = list(mutations(path for path in sources(args.folder) if not (
        args.outside_core and path.startswith(CORE))))
    done = known(args.output) | known(EQUIVALENT)
    chosen.sort(key=functools.partial(turn, args.seed, done))
    if args.each:
        chosen = of_each(chosen, args.each)
    chosen = [one for one in chosen[:args.count] if one.name not in done]
    if args.list:
        print('\n'.join(f'{one.number}: {one.name}' for one in chosen))
        return 0
    signal.signal(signal.SIGTERM, interrupt)
    wrong = [] if args.at_once else broken(chosen)
    if wrong:
        print('fails without a mutation: ' + ', '.join(wrong))
        return 2
    with tempfile.TemporaryDirectory() as folder:
        output = args.output or os.path.join(folder, 'results')
        try:
            try_all(chosen, output)
        finally:
            rebuild()
        found = figures(output) if os.path.exists(output) else {}
    for name, counts in sorted(found.items()):
        print(f"{name}: {counts['caught']} caught, {counts['missed']} missed, "
              f"{counts['build']} not built")
    return any(counts['missed'] for counts in found.values())


if __name__ == '__main__':
    sys.exit(main())
