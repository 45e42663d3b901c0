# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program leaves unfinished is reported when it ends: waits,
instructions, banks, semaphores, mutexes, mail, requests.  scripts/run --strict
and the pytest plug-in make it a failure."""

import os
import unittest

import rv_asm as rv
from blackhole_tile import tt, watch
from blackhole_tile.testing import Tile
from rv_asm import A0
from test_board import Folder
from bombs import BASES, NIU0
from test_deadlock import (COP_DONE, MAIL_T0, MAIL_T1, PCBUF, SEMAPHORE, load,
                           push, semwait_for_good)
from test_pytest import FAILED, Session
from test_run import RESULT, SECONDS, Run, store

UNTIL = f'--until=l1:{RESULT:#x}=1'
REQUEST = NIU0 + 0x40
READS_DONE, WRITES_ACKED, ATOMICS_DONE = (NIU0 + 0x200 + 4 * n
                                          for n in (2, 1, 0))
HERE = 2 << 6 | 1                    # this tile's coordinates
READ, ATOMIC, WRITE, ANSWERED = 0, 1, 2, 1 << 4


def request(kind, length=16):
    """A request to this tile, L1 0x40000 to 0x50000."""
    values = {0x00: 0x40000, 0x04: 0, 0x08: HERE, 0x0c: 0x50000, 0x10: 0,
              0x14: HERE, 0x18: 0, 0x1c: kind | ANSWERED, 0x20: length,
              0x24: 0, 0x28: 1, 0x2c: 0}
    words = []
    for offset, value in values.items():
        words += store(value, NIU0 + offset)
    return words + store(1, REQUEST)


ATOMIC_INCREMENT = 1 << 12 | 31 << 2     # of 32 bits
GIVE_A = push(tt('UNPACR_NOP', Unpack_Pop=1, Set_Dvalid=1))
INIT = push(tt('SEMINIT', max_value=15, sem_sel=1 << 3))
POST, GET = push(tt('SEMPOST', sem_sel=1 << 3)), push(tt('SEMGET',
                                                         sem_sel=1 << 3))
TAKE_A = push(tt('MOVA2D'))
RELEASE_A = push(tt('SETRWC', clear_ab_vld=1))

# name: (what trisc1 does, the lines about it, what makes it right)
ROWS = {
    'a bank that is not consumed': (
        GIVE_A, [r'SrcA bank 0: given to the Matrix Unit by trisc1 at pc '
                 r'0x\w+, never consumed'], TAKE_A + RELEASE_A),
    'a bank that is not released': (
        GIVE_A + TAKE_A, [r'SrcA bank 0: .*, consumed and never released'],
        RELEASE_A),
    'the second bank': (
        GIVE_A + TAKE_A + RELEASE_A + GIVE_A,
        [r'SrcA bank 1: .*, never consumed'], RELEASE_A),
    'a post too many': (
        INIT + POST, [r'UNPACK_OPERAND_SYNC \(semaphore 3\) is 1, began as 0: posted '
                      r'1 time \(last at pc 0x\w+\), never taken'], GET),
    "a hart's post too many": (
        store(0, SEMAPHORE + 4 * 5),
        [r'\(semaphore 5\) is 1, began as 0: posted 1 time'],
        store(1, SEMAPHORE + 4 * 5)),
    'a value that SEMINIT gave': (
        push(tt('SEMINIT', max_value=4, init_value=2, sem_sel=1 << 3)) + GET,
        [r'semaphore 3\) is 1, began as 2: never posted, taken 1 time'], POST),
    'a mutex': (
        push(tt('ATGETM', mutex_index=2)),
        ['mutex 2: thread 1 has never released it'],
        push(tt('ATRELM', mutex_index=2))),
    'mail': (
        store(7, MAIL_T1) + store(8, MAIL_T1),
        ['mail from trisc1 to trisc1: 2 words unread, the first 0x7'],
        load(MAIL_T1) + load(MAIL_T1)),
    'a read': (
        request(READ), [r'NoC 0: 1 read whose answer no hart has waited for, '
                        r'the latest of trisc1 at pc 0x\w+ at tile \(1,2\) '
                        r'0x40000'], load(READS_DONE)),
    'writes': (
        request(WRITE) + request(WRITE),
        [r'NoC 0: 2 writes whose .* at tile \(1,2\) 0x50000'],
        load(WRITES_ACKED)),
    'an atomic': (
        request(ATOMIC, ATOMIC_INCREMENT),
        [r'NoC 0: 1 atomic whose .* at tile \(1,2\) 0x40000'],
        load(ATOMICS_DONE)),
    "another kind's counter": (
        request(READ), [r'NoC 0: 1 read whose'],
        load(NIU0 + 0x200 + 4 * 16)),
    'waits': (
        semwait_for_good(2),
        [r'TRISC1 waits at pc .*: SEMWAIT until MATH_PACK',
         r'thread 1 has not executed ttdmanop, pushed by trisc1 at pc 0x\w+$'],
        store(0, SEMAPHORE + 4) + push(tt('SEMGET', sem_sel=2))),
}
# What no later instruction makes right
LOST = {
    'a post at 15': (INIT + 16 * POST + 15 * GET,
                     [r'semaphore 3\): posted at 15, 1 time, changed nothing '
                      r'\(last at pc 0x\w+\)']),
    'a get at 0': (INIT + GET + GET,
                   [r'semaphore 3\): taken at 0, 2 times, changed nothing']),
}


def compute(times):
    """A loop that accesses nothing."""
    return rv.li(A0, times) + [rv.addi(A0, A0, -1), rv.branch(1, A0, 0, -4)]


def exit_with(status):
    """A program that ends the machine, a while after the others have
    begun to wait."""
    return compute(50000000) + rv.leave(status)


class Rows(Folder):
    """One row each, of a machine that still runs."""

    def left(self, words, accel='single', **options):
        """The rows once trisc1 has done that."""
        path = self.elf('t.elf', {BASES['trisc1']: words + store(1, RESULT) +
                                  rv.HALT}, BASES['trisc1'])
        with Tile(images={'trisc1': path}, accel=accel, **options) as tile:
            tile.wait_for_word(RESULT, 1)
            tile.settle()
            return tile.unfinished()

    def reports(self, words, texts, accel='single'):
        rows = self.left(words, accel)
        self.assertEqual(len(rows), len(texts), rows)
        for row, text in zip(rows, texts):
            self.assertRegex(row, text)

    def test_each_and_its_correct_twin(self):
        for name, (words, texts, right) in ROWS.items():
            with self.subTest(name):
                for accel in ('single', 'multi', 'icount'):
                    self.reports(words, texts, accel)
                    self.assertEqual(self.left(words + right, accel), [])

    def test_lost(self):
        for name, (words, texts) in LOST.items():
            with self.subTest(name):
                self.reports(words, texts)
        self.reports(INIT + 15 * POST + 15 * GET, [])

    def test_pcbuf(self):
        """BRISC's words to a TRISC."""
        words = store(5, PCBUF) + store(1, RESULT) + rv.HALT
        path = self.elf('b.elf', {BASES['brisc']: words}, BASES['brisc'])
        with Tile(images={'brisc': path}) as tile:
            tile.wait_for_word(RESULT, 1)
            row, = tile.unfinished()
        self.assertEqual(row, 'PCBuf 0: 1 word that trisc0 has not read, the '
                              'first 0x5')

    def test_a_host_that_sets_a_semaphore(self):
        with Tile(stopped=True) as tile:
            tile.write32(0xF00023000, 1)
            self.assertEqual(tile.unfinished(), [])

    def test_a_counter_of_another_kind(self):
        """The counter of requests sent says nothing about answers."""
        self.reports(request(WRITE) + load(NIU0 + 0x200 + 4 * 10), ['write'])

    def test_a_hart_that_has_yet_to_wait(self):
        """It computes when the result is there."""
        words = store(1, RESULT) + compute(10000000) + load(MAIL_T0) + rv.HALT
        path = self.elf('t.elf', {BASES['trisc1']: words}, BASES['trisc1'])
        with Tile(images={'trisc1': path}) as tile:
            tile.wait_for_word(RESULT, 1)
            tile.settle()
            self.assertRegex(str(tile.unfinished()), 'TRISC1 waits')

    def test_in_a_snapshot(self):
        words = GIVE_A + TAKE_A + INIT + 16 * POST + request(READ) + \
            store(1, RESULT) + rv.HALT
        path = self.elf('s.elf', {BASES['trisc1']: words}, BASES['trisc1'])
        images, file = {'trisc1': path}, os.path.join(self.folder, 'state')
        with Tile(images=images) as tile:
            tile.wait_for_word(RESULT, 1)
            rows = tile.unfinished()
            tile.save(file)
        self.assertEqual(len(rows), 4)
        with Tile(images=images, incoming=file, stopped=True) as tile:
            self.assertEqual(tile.unfinished(), rows)

    def test_in_the_monitor(self):
        with Tile(stopped=True) as tile:
            tile.push(1, tt('ATGETM', mutex_index=3))
            self.assertEqual(tile.hmp('info tensix unfinished').strip(),
                             'mutex 3: thread 1 has never released it')


class Unfinished(Run):
    MAIL = store(1, RESULT) + load(MAIL_T0) + rv.HALT
    THREAD = semwait_for_good(2) + store(1, RESULT) + load(COP_DONE) + rv.HALT

    def waits(self, words, *options, status=watch.DONE):
        """Lines about waits that scripts/run prints."""
        program = self.program(words, 'trisc1', 0xc000)
        done = self.ends(status, program, UNTIL, *options)
        self.last = done.stderr.splitlines()[-1]
        return [line for line in done.stdout.splitlines()
                if line.startswith('tensix: unfinished: ')]

    def test_a_hart(self):
        line, = self.waits(self.MAIL)
        self.assertRegex(line, 'unfinished: TRISC1 waits at pc 0x0000c0..: '
                               'mail from trisc0$')
        self.assertRegex(self.last, 'done in .*, 1 unfinished$')

    def test_a_thread_and_its_hart_are_one(self):
        line, behind = self.waits(self.THREAD)
        self.assertIn('thread 1 has not executed ttdmanop', behind)
        self.assertRegex(line, 'unfinished: TRISC1 waits at pc 0x0000c0..: '
                               r'SEMWAIT until MATH_PACK \(semaphore 1\) is '
                               'not 0$')

    def test_strict(self):
        self.waits(self.MAIL, '--strict', status=watch.DEADLOCK)
        self.assertIn('1 unfinished: status 4', self.last)

    def test_nothing_waits(self):
        for _ in range(5):
            self.assertEqual(self.waits(store(1, RESULT) + rv.HALT,
                                        '--strict'), [])

    def test_before_a_difference(self):
        program = self.program(INIT + POST + store(1, RESULT) + rv.HALT,
                               'trisc1', 0xc000)
        done = self.ends(watch.DIFFERS, program, UNTIL, '--expect',
                         f'l1:{RESULT:#x}:1:u32=' + self.save('x.npy', [2],
                                                              'u4'))
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r'unfinished: UNPACK_OPERAND_SYNC .* is 1')
        self.assertIn('1 not as in', lines[1])
        self.assertNotIn('unfinished', done.stdout)

    def test_a_deadlock_has_said_it(self):
        program = self.program(self.MAIL, 'trisc1', 0xc000)
        done = self.ends(watch.DEADLOCK, program, '--until=rest')
        self.assertIn('tensix: deadlock: TRISC1 waits', done.stdout)
        self.assertNotIn('unfinished', done.stdout)

    def test_a_deadlock_lists_the_others(self):
        program = self.program(INIT + POST + self.MAIL, 'trisc1', 0xc000)
        done = self.ends(watch.DEADLOCK, program, '--until=rest')
        self.assertRegex(done.stdout, r'\n  unfinished: UNPACK_OPERAND_SYNC ')
        self.assertNotIn('tensix: unfinished', done.stdout)


class Exit(Folder):
    """Without scripts/run."""

    def output(self, machine=''):
        """Of a machine that TRISC0 ends while TRISC1 waits."""
        images = {'trisc0': self.elf('a.elf', {0x20000: exit_with(0)},
                                     0x20000),
                  'trisc1': self.elf('t.elf', {0xc000: Unfinished.MAIL},
                                     0xc000)}
        for accel in ('single', 'multi', 'icount'):
            with Tile(images=images, accel=accel, machine=machine,
                      stopped=True) as tile:
                tile.go()
                self.assertEqual(tile.wait_for_exit(SECONDS), 0)
                yield tile.output()

    def test_by_semihosting(self):
        for text in self.output():
            self.assertRegex(text, 'tensix: unfinished: TRISC1 waits .*: '
                                   'mail from trisc0\n')

    def test_not_of_a_host(self):
        path = os.path.join(self.folder, 'host')
        for text in self.output(f'host-socket={path}'):
            self.assertNotIn('unfinished', text)


class PlugIn(Session):
    WAIT = '''
@pytest.mark.tile('wait')%s
def test_wait(tile):
    tile.go()
    tile.wait_for_word(RESULT, 1)
'''

    def setUp(self):
        super().setUp()
        self.elf('wait-trisc1.elf', {0xc000: Unfinished.MAIL}, 0xc000)

    def test_a_test_fails(self):
        text = self.pytest(self.WAIT % '', status=FAILED)
        self.assertRegex(text, 'unfinished at the end of the test:(.|\n)*'
                               'TRISC1 waits .*: mail from trisc0')

    def test_or_says_that_it_is_meant(self):
        self.pytest(self.WAIT % '\n@pytest.mark.unfinished')


if __name__ == '__main__':
    unittest.main()
