# SPDX-License-Identifier: GPL-2.0-or-later
"""Estimated cycles of writes to the NoC: to several tiles, and of single
bytes (test_time.py has reads and plain writes)."""

import unittest

import rv_asm as rv
import test_time
from rv_asm import A1, T0, T1, T2
from test_noc import CMD, NIU, WR_ACK, WRITE, request

OWN, BELOW, CORNER = 2 << 6 | 1, 3 << 6 | 1, 3 << 6 | 3
BYTE_ENABLES, MULTICAST = 1 << 2, 1 << 5
ALL_BYTES = 0xFFFFFFFF                # of the first 32


class NocTest(test_time.Timed):
    def cycles(self, to: int, ctrl: int = WRITE, length: int = 64) -> int:
        """From a write's store to the answers' counter."""
        program = rv.Program()
        program.add(request(NIU[0], ctrl, 0x40000, OWN, 0x48000, to, length),
                    rv.li(T2, 1), test_time.clock(T0), rv.sw(T2, A1, CMD),
                    rv.lw(T1, A1, WR_ACK), rv.addi(T1, T1, 0),
                    test_time.clock(T1),
                    rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        program.result(T1)
        tile = self.run_program(program)
        return tile.read32(program.results + 4)

    def test_of_a_multicast_the_farthest_counts(self) -> None:
        """Columns 1 to 3, rows 2 to 3: the first, below, is in the column of
        this tile, from which the way round the rows is shorter."""
        corner = self.cycles(CORNER)
        self.assertEqual(corner - self.cycles(BELOW), 9 * 17)
        self.assertEqual(self.cycles(CORNER << 12 | OWN, WRITE | MULTICAST),
                         corner)

    def test_byte_enables_are_no_length(self) -> None:
        self.assertEqual(self.cycles(BELOW, WRITE | BYTE_ENABLES, ALL_BYTES),
                         self.cycles(BELOW))


if __name__ == '__main__':
    unittest.main()
