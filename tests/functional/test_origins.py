# SPDX-License-Identifier: GPL-2.0-or-later
"""Origins: each agent that writes L1 is named as its last writer, with the
store or the instruction that set it to work; likewise the reports of what the
coprocessor's own accesses to registers violate."""

import os
import unittest

import rv_asm as rv
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import Tile, every_accelerator
from debug_client import (BUS_CNTL, CNTL_0, CNTL_1, Hart, L1_MEM_REG0,
                          L1_MEM_REG2, PC_SIGNAL, REGISTERS, Registers)
from rv_asm import A0, A1

TDMA, NIU = 0xFFB11000, 0xFFB20000
TDMA_WRITE_L1, TDMA_POP = 0x666, 0xFFB11034
TIMESTAMP, TIMESTAMP_LIMIT = REGISTERS + 0x1FC, REGISTERS + 0x208
FOUR_WORDS = 0xABCD0000                       # an event of 128 bits
PREPARE, TRIGGER = 15, 1 << 12
PC_OF_TRISC1 = 1 << 29 | 7 << 16 | PC_SIGNAL['trisc1']
READ, ATOMIC, WRITE, INLINE = 0, 1, 2, 1 << 3
OWN_TILE = 2 << 6 | 1
INCREMENT = 1 << 12 | 31 << 2                 # NOC_AT_LEN_BE
PROGRAM, DATA, NOWHERE = 0x20000, 0x40000, 0xFFBC0000
GPR, REGISTER_WINDOW = 0xFFE00000, 0xFFB00000
STOREREG, LOADREG = 0x67000000, 0x68000000
VALUE_GPR = 4
# to L1 at GPR[4] * 16; data: GPR[8]
L1_WORDS = {'STOREIND': 0x66c00204, 'ATINCGET': 0x6107c204}


def request(kind, length):
    """Stores that send one request of NIU 0 to this tile's own L1."""
    return ((NIU, DATA), (NIU + 4, 0), (NIU + 8, OWN_TILE), (NIU + 12, DATA),
            (NIU + 16, 0), (NIU + 20, OWN_TILE), (NIU + 24, 0),
            (NIU + 28, kind), (NIU + 32, length), (NIU + 36, 0),
            (NIU + 40, 5), (NIU + 64, 1))


# what BRISC stores where; the last store sets the agent to work
AGENTS = {
    'hart': ((DATA, 5),),
    'tdma': ((TDMA, DATA), (TDMA + 8, 5), (TDMA + 16, TDMA_WRITE_L1)),
    'timestamper': ((TIMESTAMP_LIMIT, DATA >> 4),
                    (TIMESTAMP_LIMIT + 4, (DATA >> 4) + 4),
                    (TIMESTAMP, FOUR_WORDS)),
    'debug-bus': ((REGISTERS + L1_MEM_REG2, PREPARE),
                  (REGISTERS + L1_MEM_REG0, DATA >> 4),
                  (REGISTERS + BUS_CNTL, PC_OF_TRISC1),
                  (REGISTERS + L1_MEM_REG2, 0),
                  (REGISTERS + L1_MEM_REG2, TRIGGER)),
    'noc': request(WRITE | INLINE, 0xF),
    'noc atomic': request(ATOMIC, INCREMENT),
}


def program(stores):
    """Words, and the address of the last store."""
    words = []
    for address, value in stores:
        words += rv.li(A0, address) + rv.li(A1, value) + [rv.sw(A1, A0)]
    return words + [rv.jump(0)], PROGRAM + 4 * (len(words) - 1)


def register_word(opcode, address):
    """STOREREG or LOADREG of one register."""
    return opcode | VALUE_GPR << 18 | (address - REGISTER_WINDOW) >> 2


class Case(unittest.TestCase):
    def start(self, tile, stores):
        """Lets TRISC1 execute these stores; the last one's address."""
        registers = Registers(tile)
        words, last = program(stores)
        registers.hold('trisc1')
        tile.write(PROGRAM, rv.code(words))
        registers.release('trisc1', start=PROGRAM)
        return last

    def writer(self, tile, sort, address=DATA):
        """The last writer of a word, as soon as it is of this sort."""
        place = {'space': 'l1', 'first': address}
        tile.wait_for(lambda tile: tile.qmp('query-tensix-writers',
                                             place=place)[0]['sort'] == sort, 20, f'{sort} to write')
        return tile.qmp('query-tensix-writers', place=place)[0]


class Writers(Case):
    @every_accelerator
    def test_agents(self, accel):
        for agent, stores in AGENTS.items():
            with self.subTest(agent), Tile(accel=accel,
                                           machine='writers=on') as tile:
                last = self.start(tile, stores)
                by = self.writer(tile, agent.split()[0])
                self.assertEqual((by['hart'], by['pc']), ('trisc1', last))
                self.assertNotIn('instruction', by)
                self.assertTrue(any(tile.read(DATA, 16)))

    @every_accelerator
    def test_watches(self, accel):
        """Each agent's write stops the machine, and is named there."""
        for agent, stores in AGENTS.items():
            with self.subTest(agent), Tile(accel=accel) as tile:
                tile.hmp(f'tensix_watch l1 {DATA:#x}')
                last = self.start(tile, stores)
                tile.wait_for(lambda tile: tile.status() == 'debug', 20)
                name = '' if agent == 'hart' else agent.split()[0] + ' for '
                self.assertIn(f'l1 {DATA:#x} written by {name}trisc1 pc '
                              f'0x{last:08x}', tile.output())

    def test_old_and_new_value_of_an_atomic(self):
        with Tile() as tile:
            tile.write32(DATA, 7)
            tile.hmp(f'tensix_watch l1 {DATA:#x}')
            self.start(tile, AGENTS['noc atomic'])
            tile.wait_for(lambda tile: tile.status() == 'debug', 20)
            self.assertIn('old 00000007, new 0000000c', tile.output())

    @every_accelerator
    def test_watches_of_reads(self, accel):
        """The NoC's read, and the half of its atomic that reads."""
        for name, stores in (('read', request(READ, 16)),
                             ('atomic', request(ATOMIC, INCREMENT))):
            with self.subTest(name), Tile(accel=accel) as tile:
                tile.hmp(f'tensix_watch l1 {DATA:#x} read')
                last = self.start(tile, stores)
                tile.wait_for(lambda tile: tile.status() == 'debug', 20)
                self.assertIn(f'l1 {DATA:#x} read by noc for trisc1 pc '
                              f'0x{last:08x}', tile.output())

    def test_debug_interface(self):
        with Tile(machine='writers=on') as tile:
            registers = Registers(tile)
            tile.write(PROGRAM, rv.code([rv.jump(0)]))
            registers.release('trisc0', start=PROGRAM)
            hart = Hart(registers, 'trisc0')
            hart.halt()
            hart.wait()
            hart.store(DATA, 5)
            by = self.writer(tile, 'risc-dbg')
            self.assertNotIn('hart', by)       # it was a test that asked

    def test_debug_interface_of_a_hart(self):
        """TRISC1 halts TRISC0, and stores by the debug interface."""
        def write(register, value):
            return ((REGISTERS + CNTL_1, value),
                    (REGISTERS + CNTL_0, 1 << 31 | 1 << 16 | 1 << 17 | register),
                    (REGISTERS + CNTL_0, 0))
        slow = 1 << 31
        with Tile(machine='writers=on') as tile:
            tile.write(DATA + 64, rv.code([rv.jump(0)]))
            Registers(tile).release('trisc0', start=DATA + 64)
            Hart(Registers(tile), 'trisc0').halt()
            Hart(Registers(tile), 'trisc0').wait()
            last = self.start(tile, write(2, DATA) + write(3, 5) +
                              write(1, slow | 1 << 6)[:2])
            by = self.writer(tile, 'risc-dbg')
            self.assertEqual((by['hart'], by['pc']), ('trisc1', last))

    def test_instruction_sets_it_to_work(self):
        """STOREREG to TDMA's command: its L1 write is for the instruction."""
        with Tile(machine='writers=on') as tile:
            word = register_word(STOREREG, TDMA + 16)
            last = self.start(tile, (
                (TDMA, DATA), (TDMA + 8, 5),
                (GPR + 4 * VALUE_GPR, TDMA_WRITE_L1), (0xFFE40000, word)))
            by = self.writer(tile, 'tdma')
            insn = by['instruction']
            self.assertEqual((insn['mnemonic'], insn['thread'], insn['hart'],
                              insn['pc']), ('STOREREG', 1, 'trisc1', last))

    def test_instruction_sends_a_request(self):
        """STOREREG to CMD_CTRL: what the request writes is for thread 1's."""
        with Tile(machine='writers=on') as tile:
            last = self.start(tile, (
                *request(WRITE | INLINE, 0xF)[:-1], (GPR + 4 * VALUE_GPR, 1),
                (0xFFE40000, register_word(STOREREG, NIU + 64))))
            insn = self.writer(tile, 'noc')['instruction']
            self.assertEqual((insn['mnemonic'], insn['thread'], insn['hart'],
                              insn['pc']), ('STOREREG', 1, 'trisc1', last))

    def test_loadvm_forgets(self):
        """The last writer in the snapshot's past is not known."""
        with Tile(stopped=True, machine='writers=on') as tile:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
            self.assertEqual(tile.hmp('savevm before'), '')
            tile.write32(DATA, 5)
            self.writer(tile, 'debugger')
            self.assertEqual(tile.hmp('loadvm before'), '')
            self.assertEqual(tile.read32(DATA), 0)
            self.writer(tile, 'none')

    @every_accelerator
    def test_instructions(self, accel):
        """A store, and a word that is replaced in one step."""
        for mnemonic, word in L1_WORDS.items():
            with self.subTest(mnemonic), Tile(accel=accel,
                                              machine='writers=on') as tile:
                last = self.start(tile, (
                    (GPR + 4 * 4, DATA >> 4), (GPR + 4 * 8, 5),
                    (0xFFE40000, word)))
                insn = self.writer(tile, 'instruction')['instruction']
                self.assertEqual((insn['mnemonic'], insn['pc']),
                                 (mnemonic, last))

    def test_debugger_and_loader(self):
        with Tile('matmul', stopped=True, machine='writers=on') as tile:
            first = tile.qmp('query-tensix-writers', place={
                'space': 'l1', 'first': 0})[0]
            self.assertEqual(first['sort'], 'loader')
            tile.write32(DATA, 5)
            self.writer(tile, 'debugger')


class Reports(Case):
    """STOREREG and LOADREG where nothing is."""

    def report(self, accel, word):
        with Tile(accel=accel) as tile:
            registers = Registers(tile)
            words = [rv.ttinsn(word), rv.jump(0)]
            registers.hold('trisc1')
            tile.write(PROGRAM, rv.code(words))
            registers.release('trisc1', start=PROGRAM)
            tile.wait_for(
                lambda tile: tile.qmp('query-tensix-violations')['sites'], 20)
            sites = tile.qmp('query-tensix-violations')['sites']
            self.assertEqual(len(sites), 1)
            return sites[0]

    @every_accelerator
    def test_register_accesses(self, accel):
        for name, opcode in (('STOREREG', STOREREG), ('LOADREG', LOADREG)):
            with self.subTest(name):
                word = register_word(opcode, NOWHERE)
                site = self.report(accel, word)
                insn = site['instruction']
                self.assertEqual(
                    (insn['mnemonic'], insn['thread'], insn['word'],
                     insn['hart'], insn['pc']),
                    (name, 1, word, 'trisc1', PROGRAM))
                self.assertIn('where nothing is', site['text'])


if __name__ == '__main__':
    unittest.main()
