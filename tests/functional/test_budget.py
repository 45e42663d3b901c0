# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever the guest does, monitors are answered and the machine obeys."""

import signal
import time
import unittest

import bombs
from blackhole_tile import APERTURE_SEMAPHORES, hart_view
from blackhole_tile.testing import every_accelerator
from test_stop import WATCHDOG, Watched

ASKS = 60
SOON, AT_ONCE = 0.2, 0.05           # seconds: stop and end, an answer
PATIENCE = 2                        # of a host that has other things to do


def run_delay(tile):
    """Seconds that QEMU's main loop and this test were kept off the CPUs."""
    seconds = 0
    for path in (f'/proc/{tile.process.pid}/task/{tile.process.pid}/schedstat',
                 '/proc/thread-self/schedstat'):
        with open(path, encoding='ascii') as file:
            seconds += int(file.read().split()[1]) / 1e9
    return seconds


class Bombs(Watched):
    def attack(self, programs, accel, machine=''):
        tile = self.start(programs, accel, machine)
        tile.qmp('cont')
        time.sleep(0.2)
        return tile

    def times(self, tile, number, ask):
        """Seconds, without those for which the host had no CPU left."""
        took = []
        for _ in range(number):
            start, waited = time.monotonic(), run_delay(tile)
            ask()
            took.append(time.monotonic() - start -
                        (run_delay(tile) - waited))
        return sorted(took)

    def assert_quick(self, took, limit):
        """The rest may have met a hart that the host stopped with the BQL."""
        self.assertLess(took[len(took) // 2], limit)
        self.assertLess(took[-1], PATIENCE)

    def check(self, programs, accel, machine=''):
        tile = self.attack(programs, accel, machine)
        for number, ask in (
                (ASKS, lambda: tile.qmp('query-status')),
                (ASKS, lambda: tile.read32(APERTURE_SEMAPHORES)),
                (10, lambda: tile.hmp('info tensix why'))):
            self.assert_quick(self.times(tile, number, ask), AT_ONCE)

        def stop_and_go():
            tile.qmp('stop')
            tile.qmp('cont')
        self.assert_quick(self.times(tile, 10, stop_and_go), SOON)
        start = time.monotonic()
        tile.process.send_signal(signal.SIGTERM)
        self.assertEqual(tile.wait_for_exit(WATCHDOG), 0)
        self.assertLess(time.monotonic() - start, PATIENCE)
        tile.close()

    def in_every_mode(self, programs):
        self.in_every_accelerator(lambda accel: self.check(programs, accel))

    def test_replay_that_pushes_itself(self):
        self.in_every_mode(bombs.replay_bomb())
        self.in_every_accelerator(
            lambda accel: self.check(bombs.replay_bomb(), accel,
                                     'schedule=seed=9'))

    def test_longest_mops_of_longest_moves(self):
        self.in_every_mode(bombs.mop_bomb())

    def test_three_threads_with_longest_mops(self):
        self.in_every_mode(bombs.mop_bombs())

    def test_mops_of_register_stores(self):
        self.in_every_mode(bombs.storereg_bomb())

    def test_moves_by_four_harts(self):
        self.in_every_mode(bombs.mover_storm())

    def test_broadcasts_to_all_tiles(self):
        self.in_every_mode(bombs.noc_storm())

    def test_harts_that_only_access_registers(self):
        self.in_every_mode(bombs.hammer())

    def test_harts_that_only_violate(self):
        self.in_every_mode(bombs.violations())


class Backlog(Watched):
    """What a MOP has left to do is done, in order, and waited for."""

    COUNT = 127 * 254

    def count(self):
        """TRISC0 counts by a MOP, then waits until its thread is done."""
        add = 0x58 << 24 | 1 << 23 | 1 << 6
        words = bombs.mop_of(add)
        words += 3 * [bombs.rv.ttinsn(bombs.MOP_LOOP)]
        done_check = 0xFFE80004             # CoprocessorDoneCheck
        words += bombs.rv.li(bombs.A1, done_check)
        words += [bombs.rv.lw(bombs.A0, bombs.A1)]
        words += bombs.rv.li(bombs.A1, bombs.GPR)
        words += [bombs.rv.lw(bombs.A0, bombs.A1)]
        words += bombs.rv.li(bombs.A1, 0x100000)
        return {'trisc0': words + [bombs.rv.sw(bombs.A0, bombs.A1)] +
                          bombs.rv.HALT}

    @every_accelerator
    def test_a_hart_waits_for_all_of_it(self, accel):
        tile = self.start(self.count(), accel)
        tile.qmp('cont')
        tile.wait_for_word(0x100000, 3 * self.COUNT, WATCHDOG)

    def test_it_is_the_same_in_each_run_of_icount(self):
        def look():
            tile = self.start(self.count(), 'icount')
            tile.qmp('cont')
            tile.wait_for_word(0x100000, 3 * self.COUNT, WATCHDOG)
            tile.qmp('stop')
            return tile.read32(hart_view('trisc0', 0xFFE00000))
        self.assertEqual(look(), look())


if __name__ == '__main__':
    unittest.main()
