# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of functional tests, two at a time per processor."""

import os
import re
import sys
import time

from lib_run import (ROOT, Job, StageError, Ticker, log_of, progress, state_of,
                     tail, text_of)

# How long a file may take
FILE_SECONDS = 900
# How often jobs are checked for their end
POLL = 0.05
# Most files wait half of their time: for machines, time-outs and pauses
AT_A_TIME = 2 * len(os.sched_getaffinity(0))
# Files that measure time, have a limit of it, or wait for a race between
# threads: other load would change what they see
ALONE = {'test_budget.py', 'test_host_time.py', 'test_instruments.py',
         'test_mistakes.py', 'test_races_orders.py', 'test_source.py'}

TEST = re.compile(r'^ +def test_', re.M)
# What a test takes where no run has shown it yet: the mean of all, and that of
# files whose tests take much longer
SECONDS_PER_TEST = 1.1
LONG = {'test_install.py': 3, 'test_races_deletions.py': 6,
        'test_sfpi_oracle.py': 11, 'test_time_same.py': 7,
        'test_torture.py': 4}


def seconds_of_last_run(name):
    """Those that the log of the file's last run in this build folder has, or
    None."""
    try:
        text = text_of(log_of(name[:-3]))
    except FileNotFoundError:
        return None
    found = re.search(r'^Ran \d+ tests? in ([\d.]+)s$', text, re.M)
    return float(found[1]) if found else None


class File:
    """A file of tests, and what it may run beside."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        text = text_of(os.path.join(folder, name))
        self.alone = name in ALONE
        self.expected = seconds_of_last_run(name) or \
            LONG.get(name, SECONDS_PER_TEST) * len(TEST.findall(text))
        self.job = None

    def may_start(self, running):
        """Whether it may run beside those files."""
        if self.alone or any(file.alone for file in running):
            return not running
        return len(running) < AT_A_TIME

    def start(self):
        """Each file has its own process, which prints a line per test."""
        runner = os.path.join(ROOT, 'scripts', 'lib_unittest.py')
        self.job = Job(
            self.name[:-3],
            [sys.executable, '-B', runner,
             os.path.join(self.folder, self.name)],
            FILE_SECONDS, cwd=self.folder)

    def state(self):
        """For a line of progress."""
        return f'{self.name} {state_of(self.job.path)}'

    def collect(self, result, place):
        """Adds the counts of a job that has ended."""
        text = text_of(self.job.path)
        log = f'{tail(text)}\nthe whole output is in {self.job.path}'
        counts = re.search(r'^tests: (\d+) (\d+) (\d+)$', text, re.M)
        if self.job.timed_out:
            result.fail(self.name, f'time-out after {FILE_SECONDS} s\n{log}')
            return
        if not counts:
            result.fail(self.name, log)
            return
        passed, failed, skipped = map(int, counts.groups())
        result.add(passed, failed, skipped)
        result.reasons += re.findall(r'^skipped: (\S+): (.*)$', text, re.M)
        if failed:
            result.logs.append((self.name, log))
        progress('%s (file %s): %d passed, %d failed, %d skipped in %.0f s' % (
            self.name, place, passed, failed, skipped, self.job.seconds()))


class Files:
    """Files under way. One that may not start yet waits for its turn."""

    def __init__(self, files):
        self.waiting, self.running, self.count = list(files), [], len(files)

    def place(self):
        """How many have ended."""
        return '%d of %d' % (
            self.count - len(self.waiting) - len(self.running), self.count)

    def state(self):
        """For a line of progress."""
        return ', '.join([self.place()] + [file.state() for file in
                                           list(self.running)])

    def start_next(self):
        """Starts the first that may run now."""
        for file in self.waiting:
            if file.may_start(self.running):
                file.start()
                self.running.append(file)
                self.waiting.remove(file)
                return

    def collect(self, result):
        """Adds the results of those that have ended."""
        for file in [file for file in self.running if file.job.ended()]:
            self.running.remove(file)
            file.collect(result, self.place())

    def run(self, result):
        """Until none is left; an interrupt ends those that run."""
        try:
            with Ticker('test files', self.state):
                while self.waiting or self.running:
                    self.start_next()
                    self.collect(result)
                    time.sleep(POLL)
        finally:
            for file in self.running:
                file.job.end()


def in_order(files):
    """Those that run alone last; the longest first, so that none is left when
    all others have ended."""
    return sorted(files, key=lambda file: (file.alone, -file.expected))


def python_tests(result, folder):
    """Each test_*.py of FOLDER."""
    files = [File(folder, name) for name in sorted(os.listdir(folder))
             if re.fullmatch(r'test_\w+\.py', name)]
    if not files:
        raise StageError('no test in ' + os.path.relpath(folder, ROOT))
    Files(in_order(files)).run(result)
