# SPDX-License-Identifier: GPL-2.0-or-later
"""Stalls and wakes by the million, and harts that stall for good."""

import re
import time
import unittest

from blackhole_tile import ACCELERATORS, hart_view
from blackhole_tile.testing import SHARED, Tile, every_accelerator

PATHS = 7
# words of a path that do not fill a block are not sent (torture.h)
BLOCK_WORDS = 50


class Torture(unittest.TestCase):
    """A million words through each path, in sequence (torture firmware)."""

    words = 1000000

    def run_torture(self, accel, machine=''):
        with Tile('torture', accel, words={SHARED: self.words},
                  machine=machine) as tile:
            status = tile.wait_for_exit(280)
            text = tile.output()
        self.assertEqual(status, 0, text)
        rows = re.findall(r'(\d+) words +(\d+) errors  ok$', text, re.M)
        self.assertEqual(len(rows), PATHS, text)
        for words, errors in rows:
            self.assertGreater(int(words), self.words - BLOCK_WORDS)
            self.assertEqual(int(errors), 0)

    def test_single(self):
        self.run_torture('single')

    def test_multi(self):
        self.run_torture('multi')

    def test_icount(self):
        self.run_torture('icount')


class Atomics(unittest.TestCase):
    """BRISC's AMO and the Scalar Unit's atomic instructions on the same words
    lose nothing (atomics firmware)."""

    ADDITIONS = 200000
    HALF = 0xFFFF

    def test_same_words(self):
        for accel in ACCELERATORS:
            with self.subTest(accel), Tile('atomics', accel) as tile:
                tile.wait_for(lambda tile: tile.read32(SHARED + 20), 60)
                counter, halves = tile.read32(SHARED), tile.read32(SHARED + 4)
                n = tile.read32(SHARED + 20)
                self.assertEqual(counter, n + self.ADDITIONS)
                self.assertEqual(halves >> 16, n & self.HALF)
                self.assertEqual(halves & self.HALF,
                                 self.ADDITIONS & self.HALF)


class TortureRandomSchedule(Torture):
    """The same, shorter, with the coprocessor's threads interleaved at
    random."""

    words = 50000

    def run_torture(self, accel, machine=''):
        super().run_torture(accel, 'schedule=seed=7')


class Idle(unittest.TestCase):
    """Stalled harts cost no host CPU, and continue when they may."""

    VARIANT, READY, LAPS = SHARED, SHARED + 4, SHARED + 8
    SEM_LAP = 3
    SEMPOST = 0xA4000000 | 1 << (SEM_LAP + 2)
    SECONDS, AT_MOST = 3.0, 0.1

    def start(self, variant, accel):
        tile = Tile('idle', accel, words={self.VARIANT: variant})
        self.addCleanup(tile.close)
        tile.wait_for_word(self.READY, 1)
        return tile

    def state(self, tile):
        """For the message of a failure."""
        return '\n'.join([' '.join(tile.command), str(tile.hart_pcs()),
                          tile.hmp('info tensix why')])

    def settle(self, tile):
        """Until a start on a busy host is over; 5 seconds at most."""
        for _ in range(25):
            before = tile.cpu_seconds()
            time.sleep(0.2)
            if tile.cpu_seconds() - before < 0.01:
                break

    def assert_idle(self, tiles):
        for tile in tiles:
            self.settle(tile)
        before = [tile.cpu_seconds() for tile in tiles]
        time.sleep(self.SECONDS)
        for tile, start in zip(tiles, before):
            used = tile.cpu_seconds() - start
            self.assertEqual(tile.read32(self.READY), 1, 'BRISC went on')
            self.assertLess(used, self.AT_MOST, self.state(tile))

    def assert_variant_idle(self, variant):
        self.assert_idle([self.start(variant, accel)
                          for accel in ACCELERATORS])

    def test_push_fifo_pcbuf_empty_mailbox_empty(self):
        self.assert_variant_idle(0)

    def test_pcbuf_full_mailbox_full_done_checks(self):
        self.assert_variant_idle(1)

    def test_barrier(self):
        self.assert_variant_idle(2)

    def wake_trisc0(self, tile, laps):
        """A semaphore post by BRISC to thread 1: TRISC0 makes one lap."""
        tile.write32(hart_view('brisc', 0xFFE50000), self.SEMPOST)
        tile.wait_for_word(self.LAPS, laps)
        time.sleep(0.1)
        self.assertEqual(tile.read32(self.LAPS), laps)

    @every_accelerator
    def test_wake_twice(self, accel):
        tile = self.start(0, accel)
        laps = tile.read32(self.LAPS)
        self.wake_trisc0(tile, laps + 1)
        self.wake_trisc0(tile, laps + 2)

    def test_stop_and_continue(self):
        tile = self.start(0, 'single')
        laps = tile.read32(self.LAPS)
        tile.qmp('stop')
        tile.qmp('cont')
        self.wake_trisc0(tile, laps + 1)
        self.assert_idle([tile])

    @every_accelerator
    def test_system_reset(self, accel):
        tile = self.start(1, accel)
        tile.qmp('stop')
        tile.write32(self.READY, 0)
        tile.qmp('system_reset')
        tile.qmp('cont')
        tile.wait_for_word(self.READY, 1)
        time.sleep(0.2)
        self.assertEqual(tile.read32(self.READY), 1)


if __name__ == '__main__':
    unittest.main()
