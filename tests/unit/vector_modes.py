#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Report of vector instructions x modes x tests.

vector_modes.py LIST INSN_TABLE PAGE TEST...

Runs the unit tests TEST, and prints for each row of LIST (vector-modes.txt) how
many of their results are named after it.  Fails if a row has none, if one of
them failed, if LIST lacks a value 0 to 15 of an instruction's Mod0 or Mod1, or
if a vector instruction of INSN_TABLE is not in LIST or has no row in the
manual's table PAGE.
"""

import re
import subprocess
import sys

WITHOUT_MODES = {'SFPNOP'}
RANGE = re.compile(r'\{(\d+)\.\.(\d+)\}')
MODES = re.compile(r'Mod[01] ([0-9, -]+)')
RESULT = re.compile(r'^(ok|not ok) \d+ - (.*)$')


def expand(line):
    """The line for each number of its ranges, which are all the same."""
    found = RANGE.search(line)
    if not found:
        return [line]
    first, last = (int(n) for n in found.groups())
    return [RANGE.sub(str(n), line) for n in range(first, last + 1)]


def rows_of(path):
    with open(path, encoding='utf-8') as f:
        lines = [line.strip() for line in f if not line.startswith('#')]
    for line in lines:
        for one in expand(line):
            yield tuple(field.strip() for field in one.split('|'))


def modes_of(text):
    """Values that a row's mode names: "Mod0 3, 5-7" is 3, 5, 6 and 7."""
    found = MODES.match(text)
    for part in found.group(1).split(',') if found else []:
        if part.strip():
            ends = [int(n) for n in part.split('-')]
            yield from range(ends[0], ends[-1] + 1)


def lacking_modes(rows):
    """Prints the values of Mod0 and Mod1 that no row names; how many."""
    named = {}
    for mnemonic, mode, _ in rows:
        named.setdefault(mnemonic, set()).update(modes_of(mode))
    bad = 0
    for mnemonic in sorted(set(named) - WITHOUT_MODES):
        for mode in sorted(set(range(16)) - named[mnemonic]):
            print(f'{mnemonic:14} mode {mode} is in no row')
            bad += 1
    return bad


def results_of(programs):
    """(passed, name) of every result of the programs."""
    for program in programs:
        run = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                             check=False)
        for line in run.stdout.splitlines():
            found = RESULT.match(line)
            if found:
                yield found.group(1) == 'ok', found.group(2)


def is_named_after(name, prefix):
    """"mode 1" is not the beginning of "mode 10"."""
    rest = name[len(prefix):]
    return name.startswith(prefix) and not (rest and rest[0].isdigit())


def report(rows, results):
    """Prints the table; returns how many rows are without a passing test."""
    bad = 0
    for mnemonic, mode, prefix in rows:
        own = [ok for ok, name in results if is_named_after(name, prefix)]
        good = bool(own) and all(own)
        bad += not good
        print(f'{mnemonic:14} {mode:34} {len(own):3} tests  '
              f'{"ok" if good else "MISSING" if not own else "FAILED"}')
    return bad


def main():
    list_path, table_path, page_path, *programs = sys.argv[1:]
    rows = list(rows_of(list_path))
    with open(table_path, encoding='utf-8') as f:
        mnemonics = set(re.findall(r'\(0x\w\w, (SFP\w+), VECTOR', f.read()))
    with open(page_path, encoding='utf-8') as f:
        page = f.read()
    bad = report(rows, list(results_of(programs))) + lacking_modes(rows)
    for mnemonic in sorted(mnemonics - {row[0] for row in rows}):
        print(f'{mnemonic:14} is not in {list_path}')
        bad += 1
    for mnemonic in sorted(mnemonics):
        if not re.search(f'^{mnemonic},', page, re.M):
            print(f'{mnemonic:14} has no row in {page_path}')
            bad += 1
    print(f'{len(rows)} modes of {len(mnemonics)} instructions, {bad} bad')
    return 1 if bad or not mnemonics else 0


if __name__ == '__main__':
    sys.exit(main())
