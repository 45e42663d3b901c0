# SPDX-License-Identifier: GPL-2.0-or-later
"""What the stages of scripts/check share: commands with their logs, a line of
progress while they run, and counts of tests."""

import os
import re
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('TENSIX_BUILD', os.path.join(ROOT, 'build'))
LOG = os.path.join(BUILD, 'log')
LOG_LINES = 40
# A line of progress after so many seconds without one: with what a line takes,
# below 10
PERIOD = 8
# How long what was interrupted may take to end its children
GRACE = 20
# [7/23] of ninja and lib_unittest, " 7/23" of meson test
COUNT = re.compile(r'^ *\[?(\d+/\d+)\]?', re.M)


class StageError(Exception):
    """A stage could not run."""


class Result:
    """Counts, the logs of what failed, and what was skipped for which reason."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.logs = []
        self.reasons = []

    def add(self, passed=0, failed=0, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def fail(self, name, log=''):
        self.failed += 1
        self.logs.append((name, log))

    def skip(self, name, reason):
        self.skipped += 1
        self.reasons.append((name, reason))

    def total(self):
        return self.passed + self.failed + self.skipped


def progress(text):
    print('check: ' + text, flush=True)
    progress.last = time.monotonic()


progress.last = time.monotonic()


def log_of(name):
    return os.path.join(LOG, name + '.log')


def text_of(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def tail(text):
    return '\n'.join(text.splitlines()[-LOG_LINES:])


def state_of(path):
    """How far the command that writes this log has got: "7 of 23", or its last
    line."""
    text = text_of(path)
    counts = COUNT.findall(text)
    if counts:
        return counts[-1].replace('/', ' of ')
    lines = text.split('\n')[-2:]
    return max(lines, key=len)[:60]


class Ticker:
    """A line on the screen now and then, as long as a "with" takes. state() says
    how far the work is."""

    def __init__(self, name, state):
        self.name = name
        self.state = state
        self.start = time.monotonic()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._tick, daemon=True)

    def _tick(self):
        while not self.ended.wait(max(
                progress.last + PERIOD - time.monotonic(), 0)):
            progress('%s: %.0f s, %s' % (
                self.name, time.monotonic() - self.start, self.state()))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def counted(name, results, of_all):
    """The list of RESULTS, of which there will be OF_ALL; shows progress."""
    done = []
    with Ticker(name, lambda: '%d of %d' % (len(done), of_all)):
        for result in results:
            done.append(result)
    return done


def end(process):
    """Ends a process as Ctrl-C does, so that it can end what it has started."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Job:
    """A command that runs beside others, output to build/log/NAME.log. It is
    ended after TIMEOUT seconds, if that is given."""

    def __init__(self, name, command, timeout=None, **kwargs):
        self.path, self.timeout = log_of(name), timeout
        self.start, self.timed_out = time.monotonic(), False
        with open(self.path, 'w', encoding='utf-8') as out:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, **kwargs)

    def seconds(self):
        return time.monotonic() - self.start

    def ended(self):
        if self.process.poll() is None and self.timeout is not None and \
           self.seconds() > self.timeout:
            self.timed_out = True
            self.end()
        return self.process.returncode is not None

    def end(self):
        end(self.process)


def run(name, command, shown=None, **kwargs):
    """Runs COMMAND, output to build/log/NAME.log; its status. SHOWN is what the
    lines of progress begin with, by default NAME."""
    job = Job(name, command, **kwargs)
    with Ticker(shown or name, lambda: state_of(job.path)):
        try:
            return job.process.wait()
        finally:
            if job.process.returncode is None:
                job.end()


def need(name, command, **kwargs):
    """As run(), but a status other than 0 ends the stage."""
    if run(name, command, **kwargs):
        raise StageError('%s failed:\n%s\nthe whole output is in %s' % (
            ' '.join(command[:4]), tail(text_of(log_of(name))), log_of(name)))
