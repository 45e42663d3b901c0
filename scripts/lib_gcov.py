# SPDX-License-Identifier: GPL-2.0-or-later
"""What gcov says of builds by tests/coverage/gcc, as one table."""

import collections
import gzip
import json
import os
import re
import subprocess

from lib_run import ROOT, StageError, text_of

BATCH = 50                             # files in one run of gcov
# What a line of these has are checks of the program's own invariants, which no
# input reaches
INVARIANT = re.compile(r'\b\w*assert\w*\(|\babort\(\)|\b\w*unreachable\(')


class Source:
    """A source file: counts of lines, {number: how often}, and of branches,
    {number: [how often each]}."""

    def __init__(self, path):
        self.path = path
        self.text = text_of(os.path.join(ROOT, path)).split('\n')
        self.lines = {}
        self.branches = {}

    def has_invariant(self, number):
        """Is the line one that tests cannot reach, or not both ways?"""
        return INVARIANT.search(self.text[number - 1]) is not None

    def add(self, number, count, branches):
        """Counts of one more build of the line."""
        if self.has_invariant(number):
            return
        self.lines[number] = self.lines.get(number, 0) + count
        if branches:
            known = self.branches.setdefault(number, {})
            known[len(branches)] = [sum(pair) for pair in zip(
                branches, known.get(len(branches), [0] * len(branches)))]

    def branch_counts(self, number):
        """Builds may differ in the branches of a line: those of the build that
        the tests reach best."""
        return max(self.branches.get(number, {0: []}).values(),
                   key=lambda counts: sum(map(bool, counts)) /
                   max(len(counts), 1))


class Tally:
    """How many there are, and how many were reached."""

    def __init__(self):
        self.lines = self.reached = self.branches = self.taken = 0

    def add(self, source):
        """One more file."""
        self.lines += len(source.lines)
        self.reached += sum(map(bool, source.lines.values()))
        for number in source.branches:
            counts = source.branch_counts(number)
            self.branches += len(counts)
            self.taken += sum(map(bool, counts))

    def percent(self):
        """(of lines, of branches)"""
        return (100 * self.reached / max(self.lines, 1),
                100 * self.taken / max(self.branches, 1))


def data_files(folder):
    """All that a build and its tests have left."""
    return sorted(os.path.join(where, name)
                  for where, _, names in os.walk(folder) for name in names
                  if name.endswith('.gcda'))


def reports(files):
    """What gcov says of each object."""
    for start in range(0, len(files), BATCH):
        done = subprocess.run(
            ['gcov', '-b', '-j', '-t', *files[start:start + BATCH]],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise StageError('gcov: ' + done.stderr.decode()[-500:])
        out = done.stdout
        text = gzip.decompress(out) if out[:2] == b'\x1f\x8b' else out
        for line in text.decode().splitlines():
            yield json.loads(line)


def sources_of(folder, wanted):
    """{path from ROOT: Source} of those for which WANTED(path) holds."""
    found = {}
    for report in reports(data_files(folder)):
        base = report['current_working_directory']
        for file in report['files']:
            path = os.path.relpath(os.path.realpath(
                os.path.join(base, file['file'])), ROOT)
            if not wanted(path):
                continue
            if path not in found:
                found[path] = Source(path)
            for line in file['lines']:
                found[path].add(line['line_number'], line['count'],
                                [branch['count'] for branch in
                                 line['branches'] if not branch['throw']])
    return found


def by_directory(sources):
    """{directory: Tally}"""
    found = collections.defaultdict(Tally)
    for path, source in sorted(sources.items()):
        found[os.path.dirname(path)].add(source)
    return found
