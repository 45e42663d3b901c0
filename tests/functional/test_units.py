# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/units.rst: every operand and field that names a place, and a few of the
units executed."""

import csv
import fnmatch
import os
import re
import unittest
from typing import List, Set

from blackhole_tile.instructions import instructions
from blackhole_tile.memory_map import GPRS
from blackhole_tile.testing import ROOT
from rounding_machine import Machine, fields

TABLE = os.path.join(ROOT, 'docs', 'units.csv')
PLACE = re.compile('addr|where|^dst$|^src[ab]?$|shift_row|regindex|'
                   'cfgreg|setc16_reg|flopindex|offsetindex', re.I)


def patterns() -> List[str]:
    with open(TABLE, encoding='utf-8', newline='') as file:
        _, *rows = csv.reader(file)
    return [name for row in rows
            for name in row[0].replace('`', '').split(', ')]


def places() -> Set[str]:
    names = {field.name for insn in instructions().values()
             for field in insn.fields}
    for file in ('cfg_table.h.inc', 'thread_cfg_table.h.inc'):
        names |= set(fields(file))
    return {name for name in names if PLACE.search(name)}


class TableTest(unittest.TestCase):
    def test_each_place_has_one_row(self) -> None:
        for name in sorted(places()):
            with self.subTest(name):
                self.assertEqual(len([p for p in patterns()
                                      if fnmatch.fnmatchcase(name, p)]), 1)

    def test_each_row_names_a_place(self) -> None:
        for pattern in patterns():
            with self.subTest(pattern):
                self.assertTrue(fnmatch.filter(places(), pattern))


class UnitsTest(unittest.TestCase):
    machine: Machine

    @classmethod
    def setUpClass(cls) -> None:
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)

    def test_gprs_hold_16_bytes_of_l1(self) -> None:
        tile, push = self.machine.tile, self.machine.push
        gprs = GPRS                      # BRISC's view: thread 0
        for number, value in ((4, 0x3000), (5, 77), (6, 8)):
            tile.write32(gprs + 4 * number, value)
        push(0, 'STOREIND', AddrRegIndex=4, DataRegIndex=5, OffsetIndex=12,
             MemHierSel=1, SizeSel=0, RegSizeSel=1)
        self.assertEqual(tile.read32(0x30008), 77)
        push(0, 'LOADIND', AddrRegIndex=4, DataRegIndex=7, OffsetIndex=12,
             SizeSel=1)
        self.assertEqual(tile.read32(gprs + 4 * 7), 77)
        push(0, 'ATINCGET', AddrRegIndex=4, DataRegIndex=5, Sel32b=2,
             WrapVal=31)
        self.assertEqual(tile.read32(0x30008), 154)

    def test_dest_by_rows(self) -> None:
        registers = self.machine.tile.registers
        registers.set_lreg(0, [0x3F800000] * 32)
        self.machine.push(1, 'SFPSTORE', lreg_ind=0, instr_mod0=2,
                          dest_reg_addr=8 + 2)
        rows = registers.dest('bf16', 0, 16)
        self.assertEqual(set(rows[8:12, 1::2].flat), {1.0})
        self.assertEqual(rows.sum(), 32)
        self.machine.push(1, 'ZEROACC', where=9)
        self.machine.push(1, 'ZEROACC', where=2, clear_mode=1)
        valid = registers.dest_valid()
        self.assertEqual([n for n in range(64) if not valid[n]],
                         [9, *range(32, 48)])
        self.machine.push(1, 'MOVDBGA2D', dst=9, src=3)
        self.assertEqual(registers.dest_valid()[9], 1)


if __name__ == '__main__':
    unittest.main()
