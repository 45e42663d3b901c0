# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo firmware: five harts, every accelerator, and the same L1 twice."""

import hashlib
import re
import unittest

from blackhole_tile.testing import SHARED, Tile

VALUES = 1024


class Demo(unittest.TestCase):
    def run_demo(self, accel, **options):
        with Tile('demo', accel, **options) as tile:
            self.assertEqual(tile.wait_for_exit(60), 0, tile.output())
            return tile.output()

    def check_output(self, text):
        self.assertIn(f'{VALUES} values computed, 0 wrong', text)
        self.assertNotIn('WRONG', text)
        rows = re.findall(r'^ +\d .* 0x[0-9a-f]{8} .* ok$', text, re.M)
        self.assertGreater(len(rows), 8, text)

    def test_single(self):
        self.check_output(self.run_demo('single'))

    def test_multi(self):
        self.check_output(self.run_demo('multi'))

    def test_icount(self):
        self.check_output(self.run_demo('icount'))

    def test_random_schedules(self):
        for seed in range(1, 6):
            with self.subTest(seed=seed):
                self.check_output(self.run_demo(
                    'single', machine=f'schedule=seed={seed}'))

    def test_no_violation(self):
        text = self.run_demo('single', extra=['-d', 'guest_errors,unimp'])
        for line in text.splitlines():
            self.assertRegex(line, r'^(brisc: | +\d| +face|$)')


class Determinism(unittest.TestCase):
    """With -icount shift=0,sleep=off two runs are the same.

    The torture firmware leaves the wall clock of every step in L1, so another
    interleaving shows even if the words are right.
    """

    WORDS, STAY, FINISHED = SHARED, SHARED + 4, SHARED + 8

    def final_state(self):
        words = {self.WORDS: 20000, self.STAY: 1}
        with Tile('torture', 'icount', words=words) as tile:
            tile.wait_for_word(self.FINISHED, 1, 60)
            tile.qmp('stop')
            return (hashlib.sha256(tile.l1()).hexdigest(),
                    hashlib.sha256(tile.aperture()).hexdigest())

    def test_two_runs(self):
        self.assertEqual(self.final_state(), self.final_state())


if __name__ == '__main__':
    unittest.main()
