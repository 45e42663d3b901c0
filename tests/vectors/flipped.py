#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flipped.py RUNNER DIR: the runner notices each wrong bit.

Of every class in DIR some cases are taken, of each of them every line that
compares, with one bit of what is expected flipped: that case has to fail, and
to pass as it is.
"""

import glob
import gzip
import os
import random
import re
import subprocess
import sys
import tempfile

CASES = 6                               # of each class
LINES = 12                              # of each case
COMPARES = re.compile(r'(rb|rs|r) (\w+) (\w+)')


def cases_of(path):
    """Name and lines of each case."""
    with gzip.open(path, 'rt', encoding='ascii') as file:
        for block in re.findall(r'^case (\S+)\n(.*?)^end\n', file.read(),
                                re.M | re.S):
            yield block[0], block[1].splitlines()


def flip(line, chance):
    """LINE with one bit of its first expected word or of its bytes flipped."""
    operation, address, data = COMPARES.match(line).groups()
    place = chance.randrange(len(data))
    digit = '%x' % (int(data[place], 16) ^ 1 << chance.randrange(4))
    start = len(operation) + len(address) + 2
    return line[:start + place] + digit + line[start + place + 1:]


def variants(name, lines, chance):
    """The case as it is, then with flipped bits: (name, text, fails)."""
    yield name + '_00000', lines, False
    found = [i for i, line in enumerate(lines) if COMPARES.match(line)]
    for number, i in enumerate(chance.sample(found, min(LINES, len(found)))):
        yield ('%s_%05d' % (name, number + 1),
               lines[:i] + [flip(lines[i], chance)] + lines[i + 1:], True)


def run(runner, made):
    """Names of the cases that failed."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'flipped.vec'), 'w',
                  encoding='ascii') as file:
            for name, lines, _ in made:
                file.write('case %s\n%s\nend\n' % (name, '\n'.join(lines)))
        with open(os.path.join(folder, 'known-bad.txt'), 'w',
                  encoding='ascii'):
            pass
        out = subprocess.run([runner, '--dir', folder, '--verbose'],
                             text=True, stdout=subprocess.PIPE,
                             check=False).stdout
    outcomes = dict(re.findall(r'^# (\S+): (passed|FAILED)', out, re.M))
    assert len(outcomes) == len(made), out[-2000:]
    return {name for name, outcome in outcomes.items() if outcome == 'FAILED'}


def main():
    runner, folder = sys.argv[1:]
    chance = random.Random(20261123)
    paths = sorted(glob.glob(os.path.join(folder, '*.vec.gz')))
    assert paths, folder
    for path in paths:
        every = list(cases_of(path))
        made = [variant for number, (_, lines) in
                enumerate(chance.sample(every, CASES))
                for variant in variants('case%d' % number, lines, chance)]
        wanted = {name for name, _, fails in made if fails}
        failed = run(runner, made)
        print('%s: %d flipped, %d noticed' % (os.path.basename(path),
                                              len(wanted), len(failed)))
        assert wanted and failed == wanted, sorted(failed ^ wanted)


if __name__ == '__main__':
    main()
