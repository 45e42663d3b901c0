# SPDX-License-Identifier: GPL-2.0-or-later
"""Harts that leave their code or their stack: one report, then they pause."""

import unittest

import rv_asm as rv
from blackhole_tile import HARTS
from bombs import store
from rv_asm import A0, A1
from test_stop import Watched

SP, RA = 2, 1
RESULT = 0x100000
RESET_PC = 0xA000                      # of TRISC1, if no register overrides it
LOCAL_RAM = 0xFFB00000
NOWHERE = 0x40000000
ACCELERATORS = ('single', 'multi', 'icount')


def jump_to(address):
    """A call."""
    return rv.li(A0, address) + [rv.i_type(rv.JALR, 0, RA, A0, 0)]


# name: (program, what is reported)
CRASHES = {
    'a call of NULL': (jump_to(0x60000), 'a word 0, which is no code; the latest '
                                         'call was at trisc1 pc '),
    'past the end of the code': ([rv.addi(A0, A0, 1)], 'a word 0, which'),
    'a call of what is no memory': (jump_to(NOWHERE), 'where no memory for code'),
    'a stack below the RAM': (
        rv.li(SP, LOCAL_RAM - 16) + [rv.sw(A0, SP, 4)],
        r'stack overflow: sp is 0xffaffff0, .*\(access to 0xffaffff4\)'),
    'a load from there': (
        rv.li(SP, LOCAL_RAM - 16) + [rv.lw(A0, SP)], 'stack overflow: '),
}


class Crash(Watched):
    def crash(self, words, accel, machine=''):
        """A tile whose TRISC1 crashes while TRISC2 counts."""
        tile = self.start({'trisc1': words, 'trisc2': store(7, RESULT) +
                           rv.HALT}, accel, machine)
        tile.qmp('cont')
        tile.wait_for(lambda t: t.violations())
        tile.wait_for_word(RESULT, 7)
        return tile

    def test_one_report_and_it_pauses(self):
        for name, (words, text) in CRASHES.items():
            for accel in ACCELERATORS:
                with self.subTest(name, accel=accel):
                    tile = self.crash(words, accel)
                    self.assertEqual(tile.state.harts()['trisc1'].state,
                                     'paused')
                    (category, report), = tile.violations()
                    self.assertEqual(category, 'bad-access')
                    self.assertRegex(report, text)
                    tile.quit()
                    self.assertNotIn('violations at', tile.output())
                    tile.close()

    def test_it_is_revived_by_a_reset(self):
        tile = self.crash(CRASHES['a call of NULL'][0], 'single')
        good = store(9, RESULT) + rv.HALT
        tile.hold('trisc1')
        tile.write(RESET_PC, rv.code(good))
        tile.release('trisc1')
        tile.wait_for_word(RESULT, 9)

    def test_no_stack_there(self):
        """An access below the RAM is no overflow while sp is elsewhere."""
        tile = self.crash(rv.li(A1, LOCAL_RAM - 16) + [rv.sw(A0, A1)] + rv.HALT,
                          'single')
        self.assertIn('where nothing is', tile.violations()[0][1])
        self.assertNotEqual(tile.state.harts()['trisc1'].state, 'paused')

    def test_all_at_once(self):
        for accel in ACCELERATORS:
            tile = self.start({hart: CRASHES['a call of NULL'][0]
                               for hart in HARTS}, accel)
            tile.qmp('cont')
            tile.wait_for(lambda t: all(hart.state in ('paused', 'reset') for
                                        hart in t.state.harts().values()))
            self.assertGreaterEqual(len(tile.violations()), 1)
            tile.close()


if __name__ == '__main__':
    unittest.main()
