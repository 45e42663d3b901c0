# SPDX-License-Identifier: GPL-2.0-or-later
"""timing=published changes no result and no report, unless they depend on which
hart comes first: examples, mistakes and programs of tests/firmware under
check=all, with it and without.

The vectors run with it in the stage qtest (tests/vectors/machine)."""

import os
import re
import tempfile
import unittest
from typing import NamedTuple

from blackhole_tile.testing import BUILD, script
from mistakes import MISTAKES, SOURCES
from test_examples import EXAMPLES, PROGRAMS

FIRMWARE = os.path.join(BUILD, 'firmware')
# Programs of tests/firmware that end without a host, on one tile, and options;
# torture: a tenth of its words
PROGRAMS_OF_FIRMWARE = {'atomics': (), 'demo': (),
                        'torture': ('--word=l1:0x20000=100000',)}
# Which of its harts comes first shows in what each of these leaves or reports
ORDERS = ('atomics', 'demo', 'reset')
SECONDS = 120


class Outcome(NamedTuple):
    """What a run leaves."""
    status: int
    text: str
    l1: bytes


def run(path: str, *options: str) -> Outcome:
    """scripts/run; L1 is empty if the program does not end."""
    with tempfile.TemporaryDirectory() as folder:
        l1 = os.path.join(folder, 'l1')
        done = script('run', path, '--accel=icount', '--check',
                      f'--get=l1:0:1572864:u8={l1}', *options, merged=True,
                      timeout=SECONDS)
        # how long it took
        text = re.sub(r'(?m)^run: .*\n', '', done.stdout)
        if not os.path.exists(l1):
            return Outcome(done.returncode, text, b'')
        with open(l1, 'rb') as file:
            return Outcome(done.returncode, text, file.read())


class SameTest(unittest.TestCase):
    def compare(self, path: str, *options: str) -> Outcome:
        self.maxDiff = None
        without = run(path, *options)
        timed = run(path, '--machine=timing=published', *options)
        self.assertEqual(timed.status, without.status)
        if os.path.basename(path) in ORDERS:
            return timed
        self.assertEqual(timed.text, without.text)
        self.assertEqual(timed.l1, without.l1, 'L1 differs')
        return timed

    def test_examples(self) -> None:
        for name in PROGRAMS:
            with self.subTest(name):
                got = self.compare(os.path.join(EXAMPLES, name))
                self.assertEqual(got.status, 0, got.text)
                self.assertTrue(any(got.l1))

    def test_mistakes(self) -> None:
        reported = 0
        for name, mistake in MISTAKES.items():
            with self.subTest(name):
                got = self.compare(os.path.join(SOURCES, name),
                                   *mistake.options)
                reported += got.status != 0
        self.assertGreater(reported, len(MISTAKES) / 2)

    def test_firmware(self) -> None:
        for name, options in PROGRAMS_OF_FIRMWARE.items():
            with self.subTest(name):
                got = self.compare(os.path.join(FIRMWARE, name), *options)
                self.assertNotEqual(got.status, 2, got.text)


if __name__ == '__main__':
    unittest.main()
