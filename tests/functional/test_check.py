# SPDX-License-Identifier: GPL-2.0-or-later
"""check=all: one summary, status 3, rules that suppress findings, at each
entrance."""

import os
import re
import subprocess
import sys
import unittest

import rv_asm as rv
from blackhole_tile import CheckError, StartError, tt, watch
from blackhole_tile.testing import ROOT, Tile
from rv_asm import A0
from test_deadlock import MAIL_T0, load, push
from test_pytest import FAILED, PASSED, Session
from test_run import NO_SUCH_OPCODE, RESULT, SECONDS, Run, store
from test_unfinished import UNTIL

DONE = store(1, RESULT) + rv.HALT
# a violation, a semaphore that is posted and never taken
VIOLATES = [NO_SUCH_OPCODE]
POSTS = push(tt('SEMPOST', sem_sel=1 << 3))
SEVERAL = POSTS + VIOLATES + DONE
LINES = 12


class Check(Run):
    def image(self, words, name='t.elf'):
        return {'trisc1': self.elf(name, {0xc000: words}, 0xc000)}

    def rules(self, *lines):
        return self.write('rules', '\n'.join(lines))

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    def ended(self, words, machine='check=all', **options):
        """(exit status, output) of a machine that its program ends."""
        with Tile(images=self.image(words), machine=machine, stopped=True,
                  **options) as tile:
            tile.go()
            return tile.wait_for_exit(SECONDS), tile.output()


class Emulator(Check):
    """The machine alone."""

    def test_status(self):
        for accel in ('single', 'multi', 'icount'):
            for words, own, status in ((POSTS, 0, 3), (VIOLATES, 0, 3),
                                       ([], 0, 0), (POSTS, 5, 5), ([], 5, 5)):
                with self.subTest(accel, own=own, status=status):
                    self.assertEqual(self.ended(words + rv.leave(own),
                                                accel=accel)[0], status)

    def test_without_check(self):
        status, text = self.ended(POSTS + VIOLATES + rv.leave(0), '')
        self.assertEqual(status, 0)
        self.assertNotIn('tensix: check', text)
        self.assertIn('tensix: unfinished: UNPACK_OPERAND_SYNC', text)

    def test_summary(self):
        """The worst first, once, last."""
        _, text = self.ended(POSTS + VIOLATES + rv.leave(0))
        summary = text[text.index('tensix: check'):]
        self.assertEqual(summary.splitlines()[0],
                         'tensix: check: 2 findings (undefined-behaviour 1, '
                         'unfinished 1)')
        self.assertRegex(summary, r'(?m)^  undefined-behaviour: TRISC1 at pc '
                                  r'0x0000c0.*\n  unfinished: UNPACK_OP.*\n\Z')

    def test_it_is_short(self):
        """Whatever there is."""
        words = [rv.ttinsn(0x06000000 | bit) for bit in range(20)]
        words = rv.li(A0, 2) + words + [rv.addi(A0, A0, -1),
                                        rv.branch(1, A0, 0, -4 * 21)]
        _, text = self.ended(words + rv.leave(0), suppress=self.rules(
            *(f'race nowhere{n} none' for n in range(9))))
        summary = text[text.index('tensix: check'):].splitlines()
        self.assertLessEqual(len(summary), LINES)
        self.assertIn('20 findings', summary[0])
        self.assertIn('  undefined-behaviour: 2 times, TRISC1', summary[1])
        self.assertIn('  and 12 more', summary)
        self.assertLess(max(map(len, summary)), 200)

    def test_nothing(self):
        _, text = self.ended(rv.leave(0))
        self.assertEqual(text, 'tensix: check: 0 findings\n')

    def test_several_tiles(self):
        """One summary, which names the tile."""
        with Tile(images=self.image(SEVERAL), machine='check=all,tiles=2x2') as tile:
            tile.wait_for_word(RESULT, 1)
            self.assertEqual(tile.quit(), 3)
        self.assertEqual(tile.output().count('tensix: check'), 1)
        self.assertIn('  undefined-behaviour: tile (1,2): TRISC1',
                      tile.summary())

    def test_a_deadlock(self):
        with Tile(images=self.image(POSTS + load(MAIL_T0) + rv.HALT),
                  machine='check=all') as tile:
            tile.wait_for(lambda t: 'deadlock' in t.output(), SECONDS)
            self.assertEqual(tile.quit(), 3)
        self.assertRegex(tile.summary().splitlines()[1],
                         '  deadlock: TRISC1 waits at pc 0x.*: mail from')

    def test_on_violation_exit(self):
        status, text = self.ended(VIOLATES + rv.leave(0),
                                  'check=all,on-violation=exit')
        self.assertEqual(status, 3)
        self.assertIn('tensix: check: 1 finding (', text)

    def test_with_a_host(self):
        """Unfinished things count, which they do not without check=all."""
        path = self.path('host')
        _, text = self.ended(POSTS + rv.leave(0), f'host-socket={path}')
        self.assertEqual(text, '')
        status, _ = self.ended(POSTS + rv.leave(0),
                               f'check=all,host-socket={path}')
        self.assertEqual(status, 3)


class Suppress(Check):
    def counts(self, *rules, machine='check=all'):
        """The summary with these rules, and the status."""
        status, text = self.ended(POSTS + VIOLATES + rv.leave(0), machine,
                                  suppress=self.rules(*rules))
        return status, text

    def test_all(self):
        status, text = self.counts(
            '# known', '', 'undefined-behaviour 0x0600????  an old toolchain',
            'unfinished UNPACK_OPERAND_SYNC\tthe next kernel takes it')
        self.assertEqual(status, 0)
        self.assertEqual(text, 'tensix: check: 0 findings, 2 suppressed\n')

    def test_one(self):
        for rule, left in (('un*ed * reason', 'undefined-behaviour 1'),
                           ('undefined-behaviour TRISC1 reason',
                            'unfinished 1')):
            status, text = self.counts(rule)
            self.assertEqual(status, 3)
            self.assertIn(f'1 finding ({left}), 1 suppressed', text)
            self.assertNotIn('unused', text)

    def test_not_this_one(self):
        """Another category, another place; and it is reported."""
        for rule in ('race TRISC1 reason', 'unfinished TRISC2 reason',
                     'unfinished UNPACK reason'):
            _, text = self.counts(rule)
            self.assertIn('2 findings', text)
            self.assertIn(f'rules:1: {rule[:-7]}: unused\n', text)

    def test_without_check(self):
        _, text = self.counts('* * whatever', machine='')
        self.assertEqual(text, '')

    def test_policy(self):
        """What is suppressed stops nothing."""
        status, _ = self.counts('* * whatever', machine='on-violation=exit')
        self.assertEqual(status, 0)

    def test_often(self):
        """Each of a site, not the first alone."""
        loop = rv.li(A0, 50) + VIOLATES + [rv.addi(A0, A0, -1),
                                           rv.branch(1, A0, 0, -8)]
        status, text = self.ended(loop + rv.leave(0),
                                  suppress=self.rules('undef* TRISC1 reason'))
        self.assertEqual((status, text),
                         (0, 'tensix: check: 0 findings, 50 suppressed\n'))

    def test_wrong_rules(self):
        for text, error in (('race main', 'rules:1: a rule is CATEGORY PLACE '
                                          'REASON'),
                            ('# x\n\nrace main \n', 'rules:3: a rule is'),
                            (None, 'No such file')):
            name = self.path('none') if text is None else \
                self.write('rules', text)
            with self.assertRaisesRegex(StartError, error):
                Tile(suppress=name).close()


    def test_a_fifo_is_no_file_of_rules(self):
        """To open one would wait for a writer."""
        os.mkfifo(self.path('fifo'))
        with self.assertRaisesRegex(StartError, 'suppress=.*not a file'):
            Tile(suppress=self.path('fifo')).close()


class Programs(Check):
    """scripts/run."""

    def test_summary_before_details(self):
        program = self.program(SEVERAL, 'trisc1', 0xc000)
        done = self.ends(watch.VIOLATION, program, UNTIL, '--check')
        self.assertRegex(
            done.stdout,
            r'\Atensix: check: 2 findings .*\n  .*\n  .*\n'
            r'tensix: undefined-behaviour: .*\n  trisc1 pc .*\n'
            r'tensix: unfinished: UNPACK_OPERAND_SYNC .*\n\Z')
        self.assertRegex(done.stderr, '1 violation reported, 1 unfinished: '
                                      'status 3')

    def test_unfinished_alone(self):
        program = self.program(POSTS + DONE, 'trisc1', 0xc000)
        self.ends(watch.DONE, program, UNTIL)
        self.ends(watch.VIOLATION, program, UNTIL, '--check')
        self.ends(watch.DEADLOCK, program, UNTIL, '--check', '--strict')

    def test_an_exit_of_the_program(self):
        program = self.program(POSTS + rv.leave(0), 'trisc1', 0xc000)
        self.ends(watch.VIOLATION, program, '--check')
        program = self.program(POSTS + rv.leave(7), 'trisc1', 0xc000)
        self.ends(watch.ENDED, program, '--check')

    def test_nothing(self):
        program = self.program(DONE, 'trisc1', 0xc000)
        done = self.ends(watch.DONE, program, UNTIL, '--check')
        self.assertEqual(done.stdout, 'tensix: check: 0 findings\n')

    def test_suppress(self):
        program = self.program(SEVERAL, 'trisc1', 0xc000)
        done = self.ends(watch.DONE, program, UNTIL, '--check', '--suppress',
                         self.rules('* * all of it'))
        self.assertEqual(done.stdout,
                         'tensix: check: 0 findings, 2 suppressed\n')
        done = self.ends(watch.USE, program, '--suppress',
                         self.rules('race main'))
        self.assertIn('rules:1: a rule is CATEGORY PLACE REASON', done.stderr)


class Python(Check):
    def test_tile(self):
        with self.assertRaisesRegex(CheckError, 'check: 2 findings'), \
                Tile(images=self.image(SEVERAL), check=True) as tile:
            tile.wait_for_word(RESULT, 1)
        self.assertEqual(tile.process.returncode, 3)
        with Tile(images=self.image(DONE), check=True) as tile:
            tile.wait_for_word(RESULT, 1)
        self.assertEqual(tile.summary(), 'tensix: check: 0 findings\n')

    def test_another_error_goes_first(self):
        with self.assertRaises(ZeroDivisionError), \
                Tile(images=self.image(SEVERAL), check=True) as tile:
            tile.wait_for_word(RESULT, 1)
            raise ZeroDivisionError

    def test_suppress(self):
        with Tile(images=self.image(SEVERAL), check=True,
                  suppress=self.rules('* * all of it')) as tile:
            tile.wait_for_word(RESULT, 1)
        self.assertIn('2 suppressed', tile.summary())


class Library(Check):
    """The library's process, which need not end it."""
    PROGRAM = '''
import sys
import rv_asm as rv
from test_check import POSTS
from tile_library import Chip
chip = Chip()
chip.__enter__()
chip.write(0, rv.code(%s))
chip.write32(0xFFB121B0, 0x47000)
chip.write32(0x40, 1)
chip.clock(100)
%s
sys.exit(%d)
'''

    def ends(self, status, words, last='', own=0, options='-M check=all'):
        path = os.pathsep.join((os.path.join(ROOT, 'python'),
                                os.path.dirname(__file__)))
        done = subprocess.run(
            [sys.executable, '-B', '-c', self.PROGRAM % (words, last, own)],
            env=dict(os.environ, PYTHONPATH=path,
                     BLACKHOLE_TILE_OPTIONS=options),
            capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_status(self):
        for last in ('', 'chip.__exit__(None, None, None)'):
            text = self.ends(3, 'POSTS + [rv.jump(0)]', last)
            self.assertIn('tensix: check: 1 finding (unfinished 1)\n', text)
            self.ends(7, 'POSTS + [rv.jump(0)]', last, own=7)
            self.ends(0, '[rv.jump(0)]', last)
            self.ends(0, 'POSTS + [rv.jump(0)]', last, options='')


class PlugIn(Session):
    TEST = '''
@pytest.mark.tile('post')%s
def test_post(tile):
    tile.go()
    tile.wait_for_word(RESULT, 1)
'''

    def setUp(self):
        super().setUp()
        self.elf('post-trisc1.elf', {0xc000: SEVERAL}, 0xc000)

    def test_it_fails(self):
        text = self.pytest(self.TEST % '\n@pytest.mark.unfinished',
                           '--tensix-check', status=FAILED)
        self.assertRegex(text, r'tensix: check: 2 findings .*\n(.*\n)+'
                               r'undefined-behaviour: TRISC1 at pc')
        text = self.pytest(self.TEST % '\n@pytest.mark.violations',
                           '--tensix-check', status=FAILED)
        self.assertIn('unfinished at the end of the test:\nUNPACK_OPERAND',
                      text)

    def test_or_it_is_meant(self):
        self.pytest(self.TEST % '\n@pytest.mark.unfinished'
                    '\n@pytest.mark.violations', '--tensix-check',
                    status=PASSED)

    def test_suppress(self):
        with open(self.folder + '/rules', 'w', encoding='utf-8') as file:
            file.write('* * all of it\n')
        text = self.pytest(self.TEST % '', '--tensix-check',
                           '--tensix-suppress', self.folder + '/rules',
                           status=PASSED)
        self.assertFalse(re.search('check: [1-9]', text))


if __name__ == '__main__':
    unittest.main()
