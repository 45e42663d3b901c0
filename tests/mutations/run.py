#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the tests notice wrong lines?

    tests/mutations/run.py [-o FILE] [ID ...]

First the tests that are needed have to pass.  Then each entry of list.toml, or
of those that are named, is put into the tree in turn; the emulator, or the unit
tests of the core that the entry names, are built, and the tests run until one
fails:

    caught   a test failed, or ran out of time
    missed   all of them passed
    build    the emulator cannot be built: the entry is wrong
    stale    the text is not in FOLDERS, or more than once

The line is restored afterwards, also after Ctrl-C; -o appends each result to a
file.  Nothing else may build or change the tree meanwhile.  With --check no
test runs: the list is compared with the sources.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
# QEMU's tree has links to both
FOLDERS = [os.path.join(ROOT, name)
           for name in ('hw/tenstorrent', 'target/riscv/tensix')]
OBJ = os.path.join(ROOT, 'build', 'qemu')
CORE = os.path.join(ROOT, 'build', 'core')
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'list.toml')
KEYS = {'id', 'old', 'new', 'why', 'tests'}
BUILD_SECONDS, TEST_SECONDS = 900, 300
MEMORY_MOST = 8 << 30                  # of a process


def read_list(path=LIST):
    with open(path, 'rb') as file:
        return [{'id': name, **entry}
                for name, entry in tomllib.load(file).items()]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def sources():
    """{path: text} of all C files and headers."""
    return {os.path.join(where, name): read(os.path.join(where, name))
            for folder in FOLDERS
            for where, _, names in os.walk(folder) for name in sorted(names)
            if name.endswith(('.c', '.h', '.inc'))}


def pattern(old):
    """The text, however it is broken into lines."""
    return re.compile(r'\s+'.join(map(re.escape, old.split())))


def find(entry, texts):
    """(path, match) for each place where the entry's text is."""
    wanted = pattern(entry['old'])
    return [(path, match) for path, text in texts.items()
            for match in wanted.finditer(text)]


def complaint(places):
    return None if len(places) == 1 else \
        'its text does not exist' if not places else \
        'its text is not unique: ' + ', '.join(
            os.path.relpath(path, ROOT) for path, _ in places)


def command(test):
    """What runs a test: "core NAME", "qtest NAME" or "functional FILE
    [CLASS.TEST]"."""
    kind, name, *rest = test.split()
    if kind == 'core':
        return [f'tests/unit/test-{name}'], CORE
    if kind == 'qtest':
        return [f'tests/tenstorrent/qtest/tensix-{name}-test'], OBJ
    path = f'tests/functional/{name}.py'
    return ['/usr/bin/python3', '-B', 'scripts/lib_unittest.py', '-f', path,
            *rest], ROOT


def source_of(test):
    """The file of a test, from ROOT."""
    kind, name = test.split()[:2]
    return {'core': f'tests/unit/test-{name}.c',
            'qtest': f'tests/qtest/{name}-test.c',
            'functional': f'tests/functional/{name}.py'}[kind]


def run(args, cwd, seconds, out=subprocess.DEVNULL, **env):
    """Its status; None if it ran out of time.  It has its own session, and a
    limit of memory: a wrong line may ask for all that the host has."""
    limited = ['prlimit', f'--data={MEMORY_MOST}', *args]
    with subprocess.Popen(limited, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=out,
                          stderr=subprocess.DEVNULL, start_new_session=True,
                          env=dict(os.environ, **env)) as child:
        try:
            return child.wait(seconds)
        except BaseException as error:
            os.killpg(child.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return None


def build(tests):
    """What these tests run"""
    core = sorted({command(test)[0][0] for test in tests
                   if test.startswith('core ')})
    builds = [(CORE, core)] if core else []
    if len(core) < len(set(tests)):
        builds.append((OBJ, ['qemu-system-riscv64']))
    return all(run(['ninja', '-C', obj, *targets], ROOT, BUILD_SECONDS) == 0
               for obj, targets in builds)


def tests_of(entries):
    """Each test once"""
    return list(dict.fromkeys(test for entry in entries
                              for test in entry['tests']))


def passes(test):
    return status(test) == 0


def status(test, out=subprocess.DEVNULL):
    """As run() says. What was not built has not failed."""
    args, cwd = command(test)
    if not os.path.exists(os.path.join(cwd, args[0])):
        raise FileNotFoundError(f'{test}: there is no {args[0]} in {cwd}')
    return run(args, cwd, TEST_SECONDS, out,
               QTEST_QEMU_BINARY='./qemu-system-riscv64',
               G_TEST_SRCDIR=os.path.join(ROOT, 'tests/qtest'))


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def broken(entries):
    """Tests that fail as it is, which say nothing about a mutation."""
    return [test for test in tests_of(entries) if not passes(test)]


def judge(entry):
    """What the tests do about a mutation that is in the tree."""
    if not build(entry['tests']):
        return 'build', ''
    for test in entry['tests']:
        if not passes(test):
            return 'caught', test
    return 'missed', ''


def try_one(entry):
    places = find(entry, sources())
    error = complaint(places)
    if error:
        return 'stale', error
    (path, match), = places
    text = match.string
    try:
        write(path, text[:match.start()] + entry['new'] + text[match.end():])
        return judge(entry)
    finally:
        write(path, text)


def check(entries):
    """Lines about what is wrong with the list."""
    texts = sources()
    for entry in entries:
        error = complaint(find(entry, texts))
        if error:
            yield f"{entry['id']}: {error}"


def interrupt(_number, _frame):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--check', action='store_true',
                        help='only compare the list with the sources')
    parser.add_argument('--at-once', action='store_true',
                        help='do not try first whether the tests pass')
    parser.add_argument('-o', metavar='FILE', help='append results to FILE')
    parser.add_argument('id', nargs='*', help='of the list; default: all')
    args = parser.parse_args()
    entries = read_list()
    if args.id:
        entries = [entry for entry in entries if entry['id'] in args.id]
    if args.check:
        errors = list(check(entries))
        print('\n'.join(errors) or f'{len(entries)} entries, each found once')
        return bool(errors)
    signal.signal(signal.SIGTERM, interrupt)
    failed = [] if args.at_once else ['the build'] * (
        not build(tests_of(entries))) or broken(entries)
    if failed:
        print('fails without a mutation: ' + ', '.join(failed))
        return 2
    counts = dict.fromkeys(('caught', 'missed', 'stale', 'build'), 0)
    try:
        for entry in entries:
            start = time.monotonic()
            result, detail = try_one(entry)
            counts[result] += 1
            line = f"{result:7} {entry['id']:28} " \
                f'{time.monotonic() - start:5.0f} s  {detail}'
            print(line, flush=True)
            if args.o:
                with open(args.o, 'a', encoding='utf-8') as file:
                    file.write(line + '\n')
    finally:
        build(tests_of(entries))
    more = f", {counts['build']} not built" if counts['build'] else ''
    print(f"{counts['caught']} caught, {counts['missed']} missed, "
          f"{counts['stale']} stale{more}")
    return counts['caught'] != len(entries)


if __name__ == '__main__':
    sys.exit(main())
