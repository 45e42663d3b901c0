# SPDX-License-Identifier: GPL-2.0-or-later
"""Semihosting of harts with 32 bits: SYS_EXIT as picolibc calls it, and calls
that there are not."""

import unittest

import rv_asm as rv
from rv_asm import A0, A1, S1
from test_board import Folder

SYS_EXIT = 0x18
RUN_TIME_ERROR = 0x20023
BASE, ANSWER, DONE = 0x20000, 0x30000, 1


class Exit(Folder):
    def status(self, reason):
        """Of QEMU after SYS_EXIT, whose reason is a register."""
        words = rv.li(A1, reason) + rv.li(A0, SYS_EXIT) + [rv.jump(4)]
        words += rv.SEMIHOSTING + rv.HALT
        elf = self.elf('exit.elf', {BASE: words}, BASE)
        return self.tile(images={'brisc': elf}).wait_for_exit(20)

    def test_success(self):
        self.assertEqual(self.status(rv.APPLICATION_EXIT), 0)

    def test_failure(self):
        self.assertEqual(self.status(RUN_TIME_ERROR), 1)

    def test_calls_that_there_are_not(self):
        """Each is reported and returns -1, and the hart continues."""
        calls = (0, 0x0b, 0x14, 0x17, 0x1a, 0x1f, 0x21, 0x2f, 0x32, 0xFFFFFFFF)
        words = rv.li(S1, ANSWER)
        for call in calls:
            words += rv.li(A0, call) + [rv.jump(4)] + rv.SEMIHOSTING + \
                [rv.sw(A0, S1), rv.addi(S1, S1, 4)]
        words += [rv.addi(A0, 0, DONE), rv.sw(A0, S1)]
        elf = self.elf('calls.elf', {BASE: words + rv.HALT}, BASE)
        tile = self.tile(images={'brisc': elf})
        tile.wait_for_word(ANSWER + 4 * len(calls), DONE, 20)
        self.assertEqual([tile.read32(ANSWER + 4 * n)
                          for n in range(len(calls))],
                         [0xFFFFFFFF] * len(calls))
        reports = [text for category, text in tile.violations()
                   if category == 'unimplemented']
        for call, report in zip(calls, reports):
            self.assertIn(f'semihosting call 0x{call:02x}: returns -1', report)
        self.assertEqual(len(reports), len(calls))


if __name__ == '__main__':
    unittest.main()
