# SPDX-License-Identifier: GPL-2.0-or-later
"""Deadlocks are reported, once and by themselves; an idle tile is none."""

import os
import resource
import time
import unittest

import bombs
import host_client
import rv_asm as rv
from blackhole_tile.testing import every_accelerator
from bombs import BASES, NIU0, NIU1, store
from rv_asm import A0, A1, A2
from test_pic import PIC, SW_EN, SW_INT, SW_INT_PC
from test_stop import WATCHDOG, Watched

PCBUF, MAILBOX = 0xFFE80000, 0xFFEC0000
COP_DONE, MOP_DONE = PCBUF + 4, PCBUF + 8
SEMAPHORE = PCBUF + 0x20
MAIL_B, MAIL_T0, MAIL_T1, MAIL_T2 = (MAILBOX + 0x1000 * n for n in range(4))
RESULT = 0x100000

OP_ATGETM, OP_STALLWAIT, OP_SEMINIT, OP_SEMWAIT = 0xA0, 0xA2, 0xA3, 0xA6
OP_STREAMWAIT, OP_MVMUL, OP_UNPACR_NOP = 0xA7, 0x26, 0x43
DMANOP = 0x60 << 24
ALL_BLOCKS, WHILE_ZERO = 0x1FF << 15, 1
SEMWAIT_ZERO = OP_SEMWAIT << 24 | ALL_BLOCKS | 1 << 2 | WHILE_ZERO


def push(*words):
    return [rv.ttinsn(word) for word in words]


def load(address):
    return rv.li(A1, address) + [rv.lw(A0, A1)]


def semwait_for_good(number=1):
    """A wait for semaphores of this mask, and what waits after it."""
    return push(OP_SEMINIT << 24 | 1 << 20 | number << 2,
                OP_SEMWAIT << 24 | ALL_BLOCKS | number << 2 | WHILE_ZERO,
                DMANOP)


def atgetm(mutex):
    return OP_ATGETM << 24 | mutex


def meet(flag, other):
    """Sets a flag and waits for the other hart's, by L1."""
    return store(1, flag) + rv.li(A1, other) + [
        rv.lw(A0, A1), rv.FENCE, rv.branch(0, A0, 0, -8)]


def mutexes(first, second, own, other):
    """Takes two mutexes; the other hart has had its first one by then."""
    return (push(atgetm(first)) + meet(own, other) + push(atgetm(second)) +
            load(COP_DONE) + rv.HALT)


FLAG0, FLAG1 = RESULT + 0x40, RESULT + 0x80

# name: (programs, what the report must say)
DEADLOCKS = {
    'mail round a circle of three': (
        {'trisc0': load(MAIL_T1) + rv.HALT,
         'trisc1': load(MAIL_T2) + rv.HALT,
         'trisc2': load(MAIL_T0) + rv.HALT},
        (r'deadlock: TRISC0 waits at pc 0x\w+: mail from trisc1\n',
         r'cycle: TRISC0 -> TRISC1 -> TRISC2 -> TRISC0')),
    'two mutexes in two orders': (
        {'trisc0': mutexes(2, 3, FLAG0, FLAG1),
         'trisc1': mutexes(3, 2, FLAG1, FLAG0)},
        (r'thread 0 +waits .*: mutex 3\n',
         r'thread 1 +waits .*: mutex 2\n')),
    'semaphore that none posts, hart waits for its thread': (
        {'trisc1': semwait_for_good() + load(COP_DONE) + rv.HALT},
        (r'deadlock: TRISC1 waits .*: SEMWAIT until FPU_SFPU \(semaphore 0\) '
         r'is not 0\n  FPU_SFPU is 0 of 1: never posted, never taken\n',
         r'TRISC1 +waits .*: thread 1 to finish')),
    'semaphore that none posts, FIFO full': (
        {'trisc2': semwait_for_good() + push(*64 * [DMANOP]) + rv.HALT},
        (r'TRISC2 +waits .*: room in the FIFO of thread 2',)),
    'semaphore that none posts, MOP stuck': (
        {'trisc0': bombs.mop_of(DMANOP) + semwait_for_good() +
                   push(bombs.MOP_LOOP) + load(MOP_DONE) + rv.HALT},
        (r'TRISC0 +waits .*: the MOP expander of thread 0',)),
    'BRISC waits for a TRISC that waits for BRISC': (
        {'brisc': load(PCBUF) + rv.HALT,
         'trisc0': load(MAIL_B) + rv.HALT},
        (r'TRISC0 +waits .*: mail from brisc',)),
    'PCBuf that is never filled': (
        {'trisc1': load(PCBUF) + rv.HALT},
        (r'TRISC1 waits .*: a word in PCBuf 1',)),
    'two harts that only spin': (
        {'trisc0': semwait_for_good() + rv.HALT,
         'trisc1': [rv.jump(0)]},
        (r'FPU_SFPU is 0 of 1: never posted', r'TRISC1 +running at pc 0x')),
    'two mail waiters beside a hart that spins': (
        {'trisc0': load(MAIL_T1) + rv.HALT,
         'trisc1': load(MAIL_T0) + rv.HALT,
         'trisc2': [rv.jump(0)]},
        (r'cycle: TRISC0 -> TRISC1 -> TRISC0',)),
    'register that is in reset': (
        {'trisc0': store(1 << 9 | 1 << 11 | 1 << 18, bombs.SOFT_RESET) +
                   push(0x58 << 24) + load(COP_DONE) + rv.HALT},
        (r'its unit to leave soft reset',)),
    'an interrupt that a handler keeps out': (
        {'brisc': [rv.jump(4 * (1 + len(load(PCBUF))), A2)] + load(PCBUF) +
                  rv.li(A1, PIC + SW_INT_PC) + [rv.sw(A2, A1)] +
                  store(1, PIC + SW_INT) + store(1, PIC + SW_EN['brisc']) +
                  rv.HALT,
         'trisc0': load(MAIL_B) + rv.HALT},
        (r'BRISC +waits .*: PCBuf 0 drained and its thread done',
         r'TRISC0 +waits .*: mail from brisc')),
    'waiting for a hart that has paused': (
        {'trisc0': load(MAIL_T1) + rv.HALT, 'trisc1': [rv.EBREAK]},
        (r'mail from trisc1', r'TRISC1 +paused at .*ebreak')),
    'matrix unit without a bank': (
        {'trisc0': push(OP_MVMUL << 24) + load(COP_DONE) + rv.HALT},
        (r'bank to be given to the Matrix Unit',)),
}


def send_to_all(requests):
    """Long requests of the first initiators of both NIUs, one after the other,
    then polls until the last of each NIU is done."""
    bases = [NIU0 + 0x800 * (n // 2) if n % 2 else NIU1 + 0x800 * (n // 2)
             for n in range(requests)]
    words = []
    for base in bases:
        words += bombs.to_all_tiles(base, 0x100000) + store(1, base + 0x40)
    for base in bases[-2:]:
        words += rv.li(A1, base + 0x40) + [
            rv.lw(A0, A1), rv.branch(1, A0, 0, -4)]
    return words


def again_until(clocks, start, words):
    """Words, and again until so many clocks have passed since the word at
    start: however fast the host is."""
    words = words + rv.li(A1, start) + [rv.lw(A2, A1)] + \
        load(bombs.WALL_CLOCK) + [rv.r_type(0x33, 0, 0x20, A0, A0, A2)] + rv.li(A1, clocks)
    return words + [rv.branch(6, A0, A1, -4 * len(words))]


def wall_clock(address):
    return load(bombs.WALL_CLOCK) + rv.li(A1, address) + [rv.sw(A0, A1)]


SOON = 1.5                          # seconds of CPU; 0.2 is usual
CALM = 0.6                          # seconds: several times what it takes


def children_seconds():
    """CPU time of the emulators that have ended: no matter how loaded."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Deadlocks(Watched):
    def events(self, tile):
        tile.qmp('query-status')
        return [e['data'] for e in tile.events
                if e['event'] == 'TENSIX_DEADLOCK']

    def test_exit_status_and_report(self):
        for name, (programs, texts) in DEADLOCKS.items():
            def check(accel):
                tile = self.start(programs, accel, 'on-deadlock=exit')
                tile.qmp('cont')
                self.assertEqual(tile.wait_for_exit(WATCHDOG), 4)
                for text in ('tensix: deadlock: ',) + texts:
                    self.assertRegex(tile.output(), text)
                self.assertEqual(tile.output().count('deadlock: '), 1)
                tile.close()
            with self.subTest(name):
                self.in_every_accelerator(check)

    @every_accelerator
    def test_with_a_seed(self, accel):
        programs, texts = DEADLOCKS['two harts that only spin']
        tile = self.start(programs, accel,
                          'on-deadlock=exit,schedule=seed=4')
        tile.qmp('cont')
        self.assertEqual(tile.wait_for_exit(WATCHDOG), 4)
        self.assertRegex(tile.output(), texts[0])

    def test_soon_with_any_seed(self):
        """A thread that waits asks for no step of the schedule, so virtual
        time is not cut into microseconds."""
        for name in ('semaphore that none posts, hart waits for its thread',
                     'two harts that only spin'):
            for seed in range(1, 21):
                with self.subTest(name, seed=seed):
                    tile = self.start(DEADLOCKS[name][0], 'icount',
                                      f'on-deadlock=exit,schedule=seed={seed}')
                    before = children_seconds()
                    tile.qmp('cont')
                    self.assertEqual(tile.wait_for_exit(WATCHDOG), 4)
                    tile.close()
                    self.assertLess(children_seconds() - before, SOON)

    def test_reported_once_with_an_event(self):
        programs, texts = DEADLOCKS['PCBuf that is never filled']
        tile = self.start(programs)
        tile.qmp('cont')
        tile.wait_for(self.events, WATCHDOG)
        time.sleep(CALM)
        event, = self.events(tile)
        self.assertEqual(event['action'], 'log')
        self.assertIn('no hart can run', event['reason'])
        self.assertRegex(event['why'], 'waits for: a word in PCBuf 1')
        self.assertRegex(event['summary'][0], texts[0])
        self.assertLessEqual(len(event['summary']), 3)
        self.assertEqual(tile.output().count('deadlock: '), 1)
        self.assertEqual(tile.qmp('query-status')['status'], 'running')

    def test_a_host_helps_and_it_may_happen_again(self):
        """The first semaphore is posted from outside; the second is not."""
        program = semwait_for_good(1) + load(COP_DONE) + store(1, RESULT) + \
            semwait_for_good(2) + load(COP_DONE) + rv.HALT
        tile = self.start({'trisc0': program})
        tile.qmp('cont')
        tile.wait_for(self.events, WATCHDOG)
        tile.write32(0xF00023000, 1)        # aperture: value of semaphore 0
        tile.wait_for_word(RESULT, 1)
        tile.wait_for(lambda t: len(self.events(t)) == 2, WATCHDOG)

    def test_after_a_reset_it_is_reported_again(self):
        programs, _ = DEADLOCKS['PCBuf that is never filled']
        tile = self.start(programs)
        tile.qmp('cont')
        for number in (1, 2):
            tile.wait_for(lambda t: len(self.events(t)) == number, WATCHDOG)
            tile.qmp('system_reset')

    def test_saved_after_the_report(self):
        """With rewind=on what was reported belongs to the state."""
        programs, _ = DEADLOCKS['PCBuf that is never filled']
        tile = self.start(programs, 'icount', 'rewind=on')
        tile.qmp('cont')
        tile.wait_for(self.events, WATCHDOG)
        path = os.path.join(self.folder, 'state')
        tile.save(path)
        again = self.start(programs, 'icount', 'rewind=on', incoming=path)
        again.qmp('cont')
        time.sleep(CALM)
        self.assertEqual(again.qmp('query-status')['status'], 'running')
        self.assertEqual(self.events(again), [])

    @every_accelerator
    def test_stop_and_cont(self, accel):
        programs, _ = DEADLOCKS['two mutexes in two orders']
        tile = self.start(programs, accel, 'on-deadlock=stop')
        tile.qmp('cont')
        self.wait_for_stop(tile)
        self.assertEqual(len(self.events(tile)), 1)
        tile.qmp('cont')
        time.sleep(CALM)
        self.assertEqual(len(self.events(tile)), 1)
        self.assertEqual(tile.qmp('query-status')['status'], 'running')

    def test_a_host_in_the_middle_of_a_write_may_help(self):
        programs, _ = DEADLOCKS['PCBuf that is never filled']
        path = os.path.join(self.folder, 'host')
        tile = self.start(programs, machine=f'host-socket={path}')
        client = host_client.Client.connect(path)
        self.addCleanup(client.close)
        frame = host_client.request(host_client.WRITE, 17, 12, 0, 32 << 20,
                                    bytes(32 << 20))
        client.send(frame[:len(frame) // 2])
        tile.qmp('cont')
        time.sleep(CALM)
        self.assertEqual(self.events(tile), [])
        client.send(frame[len(frame) // 2:])
        self.assertEqual(client.answer(), (0, b''))
        tile.wait_for(self.events, WATCHDOG)

    @staticmethod
    def wait_for_stop(tile):
        tile.wait_for(lambda t: t.qmp('query-status')['status'] == 'debug',
                      WATCHDOG, 'a stop')


class NoDeadlock(Watched):
    """No agent is accused that may still act, or that has nothing to do."""

    def is_calm(self, programs, wake=None):
        def check(accel):
            tile = self.start(programs, accel, 'on-deadlock=exit')
            tile.qmp('cont')
            time.sleep(CALM)
            self.assertIsNone(tile.process.poll(), tile.output()[-300:])
            if wake:
                wake(tile)
            tile.close()
        self.in_every_accelerator(check)

    def test_all_have_ended(self):
        self.is_calm({hart: rv.HALT for hart in BASES})

    def test_breakpoints_are_no_deadlock(self):
        self.is_calm({'trisc0': [rv.EBREAK], 'trisc1': [rv.EBREAK]})

    def test_no_hart_has_left_reset(self):
        self.is_calm({})

    def test_a_trisc_waits_for_mail_of_a_brisc_that_waits_for_the_host(self):
        brisc = rv.li(A1, RESULT) + [rv.lw(A0, A1), rv.FENCE,
                                     rv.branch(0, A0, 0, -8)]
        brisc += store(7, MAIL_T0) + rv.HALT
        trisc = load(MAIL_B) + rv.li(A1, RESULT + 4) + [rv.sw(A0, A1)]

        def wake(tile):
            tile.write32(RESULT, 1)
            tile.wait_for_word(RESULT + 4, 7)
        self.is_calm({'brisc': brisc, 'trisc0': trisc + rv.HALT}, wake)

    def test_another_reader_makes_room_for_mail(self):
        """Four words under way are all, for all readers together."""
        trisc1 = rv.li(A1, RESULT) + [rv.lw(A0, A1), rv.FENCE,
                                      rv.branch(0, A0, 0, -8)]
        trisc2 = load(MAIL_T0) + rv.li(A1, RESULT + 4) + [rv.sw(A0, A1)]

        def wake(tile):
            text = tile.hmp('info tensix why details').replace('\r', '')
            self.assertRegex(text, r'trisc0\n  state: waiting\n'
                             r'  waits for: room in the mailbox to trisc2\n'
                             r'  could be ended by: trisc1\n')
            tile.write32(RESULT, 1)
            tile.wait_for_word(RESULT + 4, 9)
        self.is_calm({
            'trisc0': 4 * store(1, MAIL_T1) + store(9, MAIL_T2) + rv.HALT,
            'trisc1': trisc1 + 4 * load(MAIL_T0) + rv.HALT,
            'trisc2': trisc2 + rv.HALT}, wake)

    def test_a_hart_that_counts_posts_in_the_end(self):
        """A finite loop of 0.3 s or so, then what the thread waits for."""
        count = rv.li(rv.A3, 1 << 30) + [rv.addi(rv.A3, rv.A3, -1),
                                         rv.branch(1, rv.A3, 0, -4)]
        # what would end it is always skipped
        skips = rv.li(rv.A3, 1 << 28) + [
            rv.branch(0, 0, 0, 8), rv.addi(rv.A3, 0, 0),
            rv.addi(rv.A3, rv.A3, -1), rv.branch(1, rv.A3, 0, -12)]
        for loop in count, skips:
            self.is_calm({
                'trisc0': semwait_for_good() + load(COP_DONE) + rv.HALT,
                'trisc1': loop + store(0, SEMAPHORE) +
                          bombs.forever([rv.addi(A0, A0, 1)])})

    def test_a_long_request_of_an_niu(self):
        """Harts only spin and a thread waits meanwhile; its end posts."""
        requests, least = 8, int(0.15 * 1.35e9)
        programs = {
            'trisc0': semwait_for_good() + load(COP_DONE) +
                      store(1, RESULT) + rv.HALT,
            'trisc1': wall_clock(RESULT + 4) +
                      again_until(least, RESULT + 4, send_to_all(requests)) +
                      wall_clock(RESULT + 8) + store(0, SEMAPHORE) + rv.HALT}
        for accel in ('single', 'multi'):
            with self.subTest(accel):
                tile = self.start(programs, accel, 'on-deadlock=exit')
                tile.qmp('cont')
                tile.wait_for_word(RESULT, 1, seconds=WATCHDOG)
                clocks = tile.read32(RESULT + 8) - tile.read32(RESULT + 4)
                self.assertGreater(clocks & 0xffffffff, least,
                                   'too short to be taken for a deadlock')
                tile.close()

    def test_a_latched_wait_that_holds_nothing(self):
        self.is_calm({'trisc0': push(SEMWAIT_ZERO) + rv.HALT})


if __name__ == '__main__':
    unittest.main()
