# SPDX-License-Identifier: GPL-2.0-or-later
"""Instruction words by name, and pushing them: blackhole_tile.tt() and
Tile.push()."""

import re
import unittest

import numpy
from blackhole_tile import InstructionError, TileError, tt
from blackhole_tile.ingdb.insns import Table
from blackhole_tile.ingdb.text import tree
from blackhole_tile.instructions import instructions
from blackhole_tile.testing import Tile

FIFO = 32


class Words(unittest.TestCase):
    def test_table_is_the_machines(self):
        with Tile(stopped=True) as tile:
            table = Table(tree(tile.hmp('info tensix instructions')))
        self.assertEqual(len(table.by_opcode), 137)
        mine = {insn.opcode: (insn.mnemonic, set(insn.fields))
                for insn in instructions().values()}
        self.assertEqual(mine, {
            opcode: (insn.mnemonic, set(insn.fields))
            for opcode, insn in table.by_opcode.items()})

    def test_words(self):
        self.assertEqual(tt('SEMINIT', max_value=5, sem_sel=4),
                         0xA3 << 24 | 5 << 20 | 4 << 2)
        self.assertEqual(tt('NOP'), 0x02000000)
        self.assertEqual(tt('MOP', mop_type=True), 0x01800000)
        self.assertEqual(tt('MOP', loop_count=numpy.uint8(3)), 0x01030000)

    def test_the_machine_reads_them_back(self):
        """Each operand of each instruction with all bits set."""
        with Tile(stopped=True) as tile:
            table = Table(tree(tile.hmp('info tensix instructions')))
        for insn in instructions().values():
            for field in insn.fields:
                word = tt(insn.mnemonic, **{field.name:
                                            (1 << field.width) - 1})
                text = table.text(word)
                self.assertIn(f'{field.name}={(1 << field.width) - 1}', text)
                self.assertEqual(len(re.findall(r'=0*[1-9]', text)), 1, text)

    def test_refusals(self):
        for call, wanted in (
                (lambda: tt('SEMINT'), r"'SEMINT' \(did you mean SEMINIT"),
                (lambda: tt('seminit'), r"'seminit' \(did you mean SEMINIT"),
                (lambda: tt('QQQQ'), r"no instruction 'QQQQ'$"),
                (lambda: tt('SEMINIT', max_val=1),
                 r"no operand 'max_val' \(did you mean max_value\?\); it has "
                 r'sem_sel, \w+, max_value'),
                (lambda: tt('NOP', x=1), 'it has none'),
                (lambda: tt('SEMINIT', max_value=16),
                 'max_value=16 does not fit: the field has 4 bits, 0 to 15'),
                (lambda: tt('MOP', mop_type=-1), '1 bit, 0 to 1')):
            with self.assertRaisesRegex(InstructionError, wanted):
                call()
        with self.assertRaises(TypeError):
            tt('SEMINIT', max_value=1.5)
        self.assertTrue(issubclass(InstructionError, ValueError))


class Push(unittest.TestCase):
    WAIT = tt('SEMWAIT', stall_res=0x1FF, sem_sel=1, wait_sem_cond=1)

    def test_to_each_thread(self):
        with Tile(stopped=True) as tile:
            for thread in range(3):
                tile.push(thread, tt('SEMINIT', max_value=5, init_value=2,
                                     sem_sel=1 << thread),
                          tt('SEMPOST', sem_sel=1 << thread))
            self.assertEqual(tile.registers.semaphores()[:3].tolist(),
                             [[3, 5]] * 3)
            self.assertEqual(tile.output(), '')

    def test_before_the_mop_expander(self):
        """As a TRISC does: the MOP there is expanded."""
        with Tile(stopped=True) as tile:
            tile.push(1, tt('MOP', mop_type=1))
            self.assertEqual(tile.violations(), [])
            tile.push(1, tt('NOP'))
            self.assertTrue(tile.state.threads()[1].idle)

    def test_a_full_fifo(self):
        for stopped in (True, False):
            with self.subTest(stopped), Tile(stopped=stopped) as tile:
                tile.push(2, self.WAIT, tt('NOP'))   # the gate holds the NOP
                with self.assertRaisesRegex(
                        TileError, r'word 32 of 40, 0x02000000, not pushed: '
                        r'the FIFO of thread 2 is full: .*semaphore'):
                    tile.push(2, *40 * [tt('NOP')])
                self.assertEqual(len(tile.state.threads()[2].fifo), FIFO)
                # nothing was lost, and so nothing is reported
                self.assertEqual(tile.violations(), [])
                tile.push(0, tt('SEMINIT', max_value=5, init_value=1,
                                sem_sel=1))
                tile.wait_for(lambda tile: tile.state.threads()[2].idle, 20)
                tile.push(2, tt('NOP'))

    def test_refusals(self):
        with Tile(stopped=True) as tile:
            for thread, word in ((3, 0), (-1, 0), (0, -1), (0, 1 << 32)):
                with self.assertRaises(ValueError):
                    tile.push(thread, word)


if __name__ == '__main__':
    unittest.main()
