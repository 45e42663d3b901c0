# SPDX-License-Identifier: GPL-2.0-or-later
"""Semihosting of harts with 32 bits: SYS_EXIT as picolibc calls it."""

import unittest

import rv_asm as rv
from rv_asm import A0, A1
from test_board import Folder
from test_manual import SEMIHOSTING

SYS_EXIT = 0x18
APPLICATION_EXIT, RUN_TIME_ERROR = 0x20026, 0x20023
BASE = 0x20000


class Exit(Folder):
    def status(self, reason):
        """Of QEMU after SYS_EXIT, whose reason is a register."""
        words = rv.li(A1, reason) + rv.li(A0, SYS_EXIT) + [rv.jump(4)]
        elf = self.elf('exit.elf', {BASE: words + SEMIHOSTING + rv.HALT}, BASE)
        return self.tile(images={'brisc': elf}).wait_for_exit(20)

    def test_success(self):
        self.assertEqual(self.status(APPLICATION_EXIT), 0)

    def test_failure(self):
        self.assertEqual(self.status(RUN_TIME_ERROR), 1)


if __name__ == '__main__':
    unittest.main()
