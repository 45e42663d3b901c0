# SPDX-License-Identifier: GPL-2.0-or-later
"""on-violation=stop and exit, for violations by each agent."""

import re
import signal
import time
import unittest

import bombs
import rv_asm as rv
from blackhole_tile import (ACCELERATORS, APERTURE, HARTS, TileError,
                            TileTimeout)
from blackhole_tile.testing import every_accelerator
from bombs import BASES, NO_SUCH_OPCODE, NOWHERE, forever, store
from rv_asm import A0, A1, A2, A3, GP, S1, T0, ZERO
from test_board import Folder

RESULT = 0x100000
ADD_ONE = 0x58 << 24 | 1 << 23 | 1 << 6     # ADDDMAREG: GPR 0 += 1
TRISCS = HARTS[2:]
TDMA_BASE = 0xFFB1102C              # XMOV_L1_BASE_ADDR
WATCHDOG = 30


def repeat(times, body):
    words = rv.li(A3, times) + body + [rv.addi(A3, A3, -1)]
    return words + [rv.branch(1, A3, 0, -4 * (len(body) + 1))]


class Watched(Folder):
    """Machines that a watchdog ends: a hang is a failure, not a hang."""

    def start(self, programs, accel='single', machine='', **options):
        tile = self.tile(images=bombs.bomb_images(self.elf, programs),
                         accel=accel, machine=machine, stopped=True, **options)
        for link in (tile.qmp_link, tile.qtest_link):
            link.ours.settimeout(WATCHDOG)
        return tile

    def in_every_accelerator(self, check):
        for accel in ACCELERATORS:
            with self.subTest(accel):
                try:
                    check(accel)
                except (TileTimeout, TimeoutError) as error:
                    self.fail(f'QEMU does not answer: {error}')


DATA, ENOUGH, STOPS, GPRS = 0x110000, 0x120000, 50, 0xFFE00000


def rows_of_pushes(words=60):
    """Additions of 1 to a GPR of the coprocessor until ENOUGH is not 0; leaves
    how many were too few or too many."""
    body = words * [rv.ttinsn(ADD_ONE)] + [
        rv.addi(S1, S1, words), rv.lw(T0, GP), rv.branch(1, T0, ZERO, 8)]
    return rv.li(GP, ENOUGH) + [rv.addi(S1, ZERO, 0)] + body + \
        [rv.jump(-4 * len(body))] + rv.li(A0, GPRS) + \
        [rv.lw(T0, A0), rv.r_type(rv.OP, 0, 0x20, S1, S1, T0)] + \
        rv.li(A0, RESULT) + [rv.addi(S1, S1, 1), rv.sw(S1, A0)] + rv.HALT


def unaligned_stores(lines=40):
    """Stores one byte off until ENOUGH is not 0; leaves how many were split."""
    value, offsets = 0x11223344, range(0, 16 * lines, 16)
    body = [rv.sw(ZERO, A0, at + word) for at in offsets for word in (0, 4)]
    body += [rv.sw(A1, A0, at + 1) for at in offsets]
    for at in offsets:
        for word, expected in (0, A2), (4, A3):
            body += [rv.lw(T0, A0, at + word),
                     rv.branch(0, T0, expected, 8), rv.addi(S1, S1, 1)]
    body += [rv.lw(T0, GP), rv.branch(1, T0, ZERO, 8)]
    words = rv.li(GP, ENOUGH) + rv.li(A0, DATA) + rv.li(A1, value) + \
        rv.li(A2, value & ~0xff) + rv.li(A3, value & 0xff) + \
        [rv.addi(S1, ZERO, 0)]
    return words + body + [rv.jump(-4 * len(body))] + rv.li(A0, RESULT) + \
        [rv.addi(S1, S1, 1), rv.sw(S1, A0)] + rv.HALT


class Splits(Watched):
    @every_accelerator
    def test_no_store(self, accel):
        """One that is not aligned is several of QEMU's."""
        tile = self.start({'trisc0': unaligned_stores()}, accel)
        # 0 in the first half of the loop, or if no hart has run yet
        seen, end, stops = set(), time.monotonic() + WATCHDOG, 0
        while stops < STOPS or (seen == {0} and time.monotonic() < end):
            tile.cont()
            tile.stop()
            seen.add(tile.read32(DATA))
            stops += 1
        self.assertEqual(tile.read32(RESULT), 0)
        self.assertNotEqual(seen, {0})
        tile.write32(ENOUGH, 1)
        tile.cont()
        tile.wait_for(lambda t: t.read32(RESULT), WATCHDOG)
        self.assertEqual(tile.read32(RESULT) - 1, 0)


class Rows(Watched):
    @every_accelerator
    def test_each_word_once(self, accel):
        """A stop in the middle of a row of .ttinsn continues there."""
        tile = self.start({'trisc0': rows_of_pushes()}, accel)
        for _ in range(4 * STOPS):
            tile.cont()
            tile.stop()
        self.assertEqual(tile.read32(RESULT), 0)
        tile.write32(ENOUGH, 1)
        tile.cont()
        tile.wait_for(lambda t: t.read32(RESULT), WATCHDOG)
        self.assertEqual(tile.read32(RESULT) - 1, 0)


class Stops(Watched):
    TIMES, MANY = 20, 100

    def count_up(self, accel, schedule):
        """Three threads count; each count is followed by a violation."""
        body = [rv.ttinsn(ADD_ONE), rv.ttinsn(NO_SUCH_OPCODE)]
        tile = self.start({
            hart: repeat(self.TIMES, body) + store(1, RESULT + 4 * n) + rv.HALT
            for n, hart in enumerate(TRISCS)
        }, accel, f'on-violation=stop,schedule={schedule}')
        stops, end = 0, time.monotonic() + WATCHDOG
        tile.qmp('cont')
        while any(tile.read32(RESULT + 4 * n) != 1 for n in range(3)):
            for _ in range(20):
                tile.write32(APERTURE, 0)
            if tile.qmp('query-status')['status'] == 'debug':
                stops += 1
                tile.qmp('cont')
            self.assertLess(time.monotonic(), end, tile.output()[-500:])
        return tile, stops

    def check_counts(self, schedule):
        def check(accel):
            tile, stops = self.count_up(accel, schedule)
            time.sleep(0.1)        # for what would count once too often
            self.assertEqual([tile.read32(bombs.GPR + 0x100 * n)
                              for n in range(3)], 3 * [self.TIMES])
            # a stop may have several violations, never more than one a hart
            # and block; and it is no stop if nothing is reported
            self.assertGreaterEqual(stops, self.TIMES // 2)
        self.in_every_accelerator(check)

    def test_no_instruction_is_lost_or_executed_twice(self):
        self.check_counts('eager')

    def test_nor_with_a_seed(self):
        self.check_counts('seed=5')

    def test_violations_behind_a_poll(self):
        """A timer runs what comes after an ATCAS that waited for L1."""
        counter = 0x140000
        atcas = bombs.OP_ATCAS << 24 | 1 << 14 | 0 << 18 | 4
        words = store(counter >> 4, bombs.GPR + 16)
        for _ in range(8):
            words += [rv.ttinsn(atcas), rv.ttinsn(NO_SUCH_OPCODE)]

        def check(accel, schedule='eager'):
            tile = self.start({'trisc0': words + rv.HALT}, accel,
                              f'on-violation=stop,schedule={schedule}')
            tile.qmp('cont')
            for n in range(8):
                with self.subTest(stop=n):
                    tile.write32(counter, 1)
                    self.wait_for_stop(tile)
                    self.assertEqual(tile.read32(counter), 0)
                    tile.qmp('cont')
        self.in_every_accelerator(check)
        self.in_every_accelerator(lambda accel: check(accel, 'seed=3'))

    @every_accelerator
    def test_a_register_access_behind_a_violation(self, accel):
        """A host pushes both at once: the second is made after cont, though
        no other word follows."""
        push = 0xFFE50000                  # of thread 1
        tile = self.start({}, accel, 'on-violation=stop')
        tile.qmp('cont')
        tile.write32(bombs.GPR + 0x100 + 16, 0x77)
        tile.qtest_link.send(
            f'writel {push:#x} {NO_SUCH_OPCODE:#x}\n'
            f'writel {push:#x} {bombs.storereg(TDMA_BASE, 4):#x}')
        for _ in range(2):
            self.assertEqual(tile.qtest_link.receive(), 'OK\n')
        self.wait_for_stop(tile)
        self.assertEqual(tile.read32(TDMA_BASE), 0)
        tile.qmp('cont')
        tile.wait_for_word(TDMA_BASE, 0x77)            # BRISC's

    @staticmethod
    def wait_for_stop(tile):
        end = time.monotonic() + WATCHDOG
        while tile.qmp('query-status')['status'] != 'debug':
            if time.monotonic() > end:
                raise TileError(f'no stop: {tile.output()[-300:]}')

    def test_many_violations_of_each_hart(self):
        for hart in HARTS:
            words = rv.li(A1, NOWHERE) + repeat(self.MANY, [rv.sw(A0, A1)])
            words += store(1, RESULT) + rv.HALT

            def check(accel):
                tile = self.start({hart: words}, accel, 'on-violation=stop')
                tile.qmp('cont')
                for _ in range(self.MANY):
                    self.wait_for_stop(tile)
                    tile.qmp('cont')
                tile.wait_for_word(RESULT, 1)
                lines = tile.output().count('tensix: bad-access')
                self.assertEqual(lines, self.MANY)
            with self.subTest(hart):
                self.in_every_accelerator(check)

    @every_accelerator
    def test_no_hart_runs_on_beyond_its_block(self, accel):
        counter = RESULT + 0x100
        count = rv.li(A1, counter) + forever([rv.addi(A0, A0, 1),
                                              rv.sw(A0, A1)])
        words = rv.li(A1, counter) + rv.li(A2, NOWHERE) + rv.li(A3, RESULT)
        words += [rv.lw(A0, A1), rv.i_type(rv.OP_IMM, 2, A0, A0, 1000),
                  rv.branch(1, A0, 0, -8)]          # slti; bnez
        words += [rv.sw(A0, A2), rv.lw(A0, A1), rv.sw(A0, A3)] + rv.HALT
        for _ in range(10):
            tile = self.start({'trisc0': count, 'trisc2': words}, accel,
                              'on-violation=stop')
            tile.qmp('cont')
            self.wait_for_stop(tile)
            seen, last = tile.read32(RESULT), tile.read32(counter)
            if seen:           # else its own block ended with the store
                self.assertLessEqual(last - seen, 2)
            else:
                pc = int(tile.hart_pcs()['trisc2'], 16)
                self.assertEqual(pc, BASES['trisc2'] + 4 * 10)

    @every_accelerator
    def test_the_first_violation_is_the_one_that_is_shown(self, accel):
        """All five violate at once; the stop has one cause."""
        tile = self.start(bombs.violations(), accel, 'on-violation=stop')
        tile.qmp('cont')
        for n in range(1, 20):
            self.wait_for_stop(tile)
            tile.qmp('cont')
            blocks = re.split(r'tensix: before every hart had stopped, '
                              r'\d+ more:\n', tile.output())
            self.assertGreaterEqual(blocks[0].count('tensix: '), 1)
        self.wait_for_stop(tile)


class Leaves(Watched):
    """on-violation=exit: status 3, whatever the others do."""

    RUNS = 7                        # times five harts, three accelerators

    @staticmethod
    def violator(hart):
        """Notifies the others, violates, and would exit with status 0."""
        tell = rv.li(A2, RESULT) + rv.li(A3, 1)
        if hart in TRISCS:
            return tell + [rv.sw(A3, A2), rv.ttinsn(NO_SUCH_OPCODE)]
        # once where it does no harm: then it is translated
        words = rv.li(A2, RESULT + 16) + rv.li(A1, bombs.SCRATCH)
        words += [rv.sw(A3, A2), rv.sw(A0, A1)]
        body = tell + rv.li(A1, NOWHERE)
        return words + body + [rv.jump(-4 * (len(body) + 2))]

    @staticmethod
    def follower(number):
        """Leaves with status 0 about 20 us after it was notified."""
        wait = rv.li(A1, RESULT) + [rv.lw(A0, A1), rv.branch(0, A0, 0, -4)]
        delay = repeat(20000, [rv.NOP])
        return wait + delay + rv.leave(0, 0x60000 + 0x100 * number)

    def run_once(self, hart, accel, machine='on-violation=exit'):
        programs = {other: self.follower(n) for n, other in enumerate(HARTS)}
        programs[hart] = self.violator(hart) + \
            rv.leave(0, 0x60000 + 0x100 * HARTS.index(hart))
        tile = self.start(programs, accel, machine)
        try:
            tile.qmp('cont')
        except (TileError, OSError):
            pass                   # it may leave before it answers
        status = tile.wait_for_exit(WATCHDOG)
        if machine and not tile.output() and status == 0:
            return None            # a busy host: the others have left
        if machine:
            self.assertEqual(tile.output().count('tensix: '), 1, tile.output())
            self.assertIn(f': {hart.upper()} at pc ', tile.output())
        tile.close()
        return status

    @every_accelerator
    def test_status_for_each_agent(self, accel):
        for hart in HARTS:
            with self.subTest(hart):
                statuses = {self.run_once(hart, accel)
                            for _ in range(self.RUNS)}
                self.assertEqual(statuses - {None}, {3})

    def test_without_the_option_the_others_leave_with_0(self):
        self.assertEqual(self.run_once('ncrisc', 'multi', ''), 0)

    def test_status_by_a_finish_of_the_host(self):
        """quit and SIGTERM that come later do not hide it either."""
        for end in (lambda t: t.process.send_signal(signal.SIGTERM),
                    lambda t: t.qmp_link.send('{"execute": "quit"}')):
            tile = self.start(bombs.violations(), 'multi',
                              'on-violation=exit', extra=['-no-shutdown'])
            tile.qmp('cont')
            tile.wait_for(lambda t: t.qmp('query-status')['status'] ==
                          'shutdown', WATCHDOG)
            end(tile)
            self.assertEqual(tile.wait_for_exit(WATCHDOG), 3)


if __name__ == '__main__':
    unittest.main()
