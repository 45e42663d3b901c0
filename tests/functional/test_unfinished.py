# SPDX-License-Identifier: GPL-2.0-or-later
"""What still waits when a program ends is reported, and scripts/run --strict
and the pytest plug-in make it a failure."""

import os
import unittest

import rv_asm as rv
from blackhole_tile import watch
from blackhole_tile.testing import Tile
from rv_asm import A0, A1
from test_board import Folder
from test_deadlock import COP_DONE, MAIL_T0, load, semwait_for_good
from test_manual import APPLICATION_EXIT, BLOCK, SEMIHOSTING, SYS_EXIT_EXTENDED
from test_pytest import FAILED, Session
from test_run import RESULT, SECONDS, Run, store

UNTIL = f'--until=l1:{RESULT:#x}=1'


def exit_with(status):
    """A program that ends the machine, a while after the others have
    begun to wait."""
    words = rv.li(A0, 50000000) + [rv.addi(A0, A0, -1), rv.branch(1, A0, 0, -4)]
    words += rv.li(A1, BLOCK) + rv.li(A0, APPLICATION_EXIT)
    words += [rv.sw(A0, A1)] + rv.li(A0, status) + [rv.sw(A0, A1, 4)]
    return words + rv.li(A0, SYS_EXIT_EXTENDED) + [rv.jump(4)] + SEMIHOSTING


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
        self.assertRegex(self.last, 'done in .*, 1 wait unfinished$')

    def test_a_thread_and_its_hart_are_one(self):
        line, = self.waits(self.THREAD)
        self.assertRegex(line, 'unfinished: TRISC1 waits at pc 0x0000c0..: '
                               r'SEMWAIT until MATH_PACK \(semaphore 1\) is '
                               'not 0$')

    def test_strict(self):
        self.waits(self.MAIL, '--strict', status=watch.DEADLOCK)
        self.assertIn('1 wait unfinished: status 4', self.last)

    def test_nothing_waits(self):
        for _ in range(5):
            self.assertEqual(self.waits(store(1, RESULT) + rv.HALT,
                                        '--strict'), [])

    def test_a_deadlock_has_said_it(self):
        program = self.program(self.MAIL, 'trisc1', 0xc000)
        done = self.ends(watch.DEADLOCK, program, '--until=rest')
        self.assertIn('tensix: deadlock: TRISC1 waits', done.stdout)
        self.assertNotIn('unfinished', done.stdout)


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
