# SPDX-License-Identifier: GPL-2.0-or-later
"""Control and status registers of the baby RISC-Vs, against BH CSRs.md."""

import re
import unittest

import rv_asm as rv
from blackhole_tile import HARTS, tt
from gdb_client import Debugger
from rv_asm import A0, A1, A2
from test_board import RESET_PCS, Folder
from test_isa import Checked, run

M32 = 0xffffffff
FCSR, VSTART, VXSAT, VXRM = 0x003, 0x008, 0x009, 0x00a
MCYCLE, MINSTRET, CYCLE, INSTRET = 0xb00, 0xb02, 0xc00, 0xc02
CFG0, QSTATUS, RESTORE_PC = 0x7c0, 0xbc0, 0xbca
LANES = 1 << 11 | 1 << 24               # of QSTATUS
OWN_TYPES = 0x7FF | LANES

# CSR: (value at reset, value after writing all ones, the same of zeroes)
EVERYWHERE = {
    FCSR: (0, 0xff, 0),
    VSTART: (0, 0, 0),
    VXSAT: (0, 1, 0),
    VXRM: (0, 3, 0),
    0x300: (0x80006600, 0x80006600, 0x80006600),    # mstatus
    0x301: (0x40201123, 0x40201123, 0x40201123),    # misa
    0x320: (0, M32, 0),                             # mcountinhibit
    0x323: (0, M32, 0),                             # mhpmevent3, 4
    0x324: (0, M32, 0),
    CFG0: (0x20000, M32 & ~0x40000000, 0),          # without EnBFloat
    0x7c1: (0, M32, 0),                             # pmacfg0, 1
    0x7c2: (0, M32, 0),
    0x7c3: (0, M32, 0),                             # scratch
    0x7c4: (0, M32, 0),
    0x7c5: (0, M32, 0),
    0x7c6: (0, M32, 0),
    0xb03: (0, M32, 0),                             # mhpmcounter3, 4
    0xb04: (0, M32, 0),
    0xb83: (0, M32, 0),
    0xb84: (0, M32, 0),
    RESTORE_PC: (0, M32, 0),
    0xf14: (0, 0, 0),                               # mhartid
}
STATUS_SCRATCH = {csr: (0, M32, 0) for csr in range(0xbc2, 0xbca)}


class Registers(Checked):
    def reset_write_read(self, table):
        for csr, (reset, ones, zeroes) in table.items():
            mask = M32 & ~0x40000000 if csr == CFG0 else M32
            self.program.add(rv.csrrs(A0, csr))
            self.expect(f'CSR {csr:#x} at reset', reset)
            self.program.add(rv.li(A1, mask), rv.csrrw(A0, csr, A1))
            self.expect(f'CSR {csr:#x}: csrrw gives the old value', reset)
            self.program.add(rv.csrrw(A0, csr, 0))
            self.expect(f'CSR {csr:#x} after ones', ones)
            self.program.add(rv.csrrs(A0, csr))
            self.expect(f'CSR {csr:#x} after zeroes', zeroes)

    def test_values_on_every_hart(self):
        for hart in HARTS:
            with self.subTest(hart=hart):
                self.setUp()
                self.reset_write_read(EVERYWHERE)
                self.check(hart=hart)

    def test_stream_status_is_scratch_on_brisc_and_ncrisc(self):
        for hart in ('brisc', 'ncrisc'):
            with self.subTest(hart=hart):
                self.setUp()
                self.reset_write_read(STATUS_SCRATCH)
                self.check(hart=hart)

    def test_set_and_clear_bits(self):
        self.load(a1=0xff00)
        self.program.add(rv.csrrs(A0, 0x7c3, A1), rv.li(A1, 0x0f00),
                         rv.csrrc(A0, 0x7c3, A1))
        self.expect('csrrc gives the old value', 0xff00)
        self.program.add(rv.csrrs(A0, 0x7c3))
        self.expect('after csrrc', 0xf000)
        for funct3, want in ((5, 21), (6, 21 | 10), (7, (21 | 10) & ~3)):
            imm = {5: 21, 6: 10, 7: 3}[funct3]
            self.program.add(rv.i_type(rv.SYSTEM, funct3, 0, imm, 0x7c4),
                             rv.csrrs(A0, 0x7c4))
            self.expect(f'immediate form {funct3}', want)
        self.check()

    def test_firmware_bits_of_cfg0(self):
        """What the p100a firmware does: set 1, set 18, clear 1, set 3."""
        self.load(a1=1 << 1)
        self.program.add(rv.csrrs(0, CFG0, A1), rv.li(A1, 1 << 18),
                         rv.csrrs(0, CFG0, A1), rv.li(A1, 1 << 1),
                         rv.csrrc(0, CFG0, A1), rv.li(A1, 1 << 3),
                         rv.csrrs(0, CFG0, A1), rv.csrrs(A0, CFG0))
        self.expect('cfg0', 0x20000 | 1 << 18 | 1 << 3)
        self.check()

    def test_status_can_be_frozen_and_written(self):
        self.load(a1=1 << 29)
        self.program.add(rv.csrrs(0, CFG0, A1), rv.li(A1, 0x1234),
                         rv.csrrw(0, QSTATUS, A1), rv.csrrs(A0, QSTATUS))
        self.expect('frozen qstatus keeps what is written', 0x1234)
        self.load(a1=1 << 29)
        self.program.add(rv.csrrc(0, CFG0, A1), rv.csrrs(A0, QSTATUS),
                         rv.i_type(rv.OP_IMM, 7, A0, A0, 0x7ff))
        self.expect('live qstatus of an idle thread', 0)
        self.check()

    def test_frozen_status_is_of_that_moment(self):
        """What was queued when it was frozen, not when it was read before."""
        wait = tt('SEMWAIT', stall_res=0x1FF, wait_sem_cond=1, sem_sel=1)
        self.load(a1=1 << 29)
        self.program.add(
            rv.csrrs(A0, QSTATUS),
            rv.ttinsn(tt('SEMINIT', max_value=5, sem_sel=1)), rv.ttinsn(wait),
            rv.ttinsn(tt('SEMGET', sem_sel=1)), rv.csrrs(0, CFG0, A1),
            rv.li(A2, 0xFFE80020), rv.sw(0, A2),                 # post
            rv.li(A2, 0xFFE80004), rv.lw(A2, A2),                # done?
            rv.csrrs(A0, QSTATUS), rv.i_type(rv.OP_IMM, 7, A0, A0, 0x7FF))
        self.expect('frozen: an instruction of the Sync Unit', 1 << 7)
        self.program.add(rv.csrrc(0, CFG0, A1), rv.csrrs(A0, QSTATUS),
                         rv.i_type(rv.OP_IMM, 7, A0, A0, 0x7FF))
        self.expect('live: nothing', 0)
        self.check(hart='trisc0')

    def queued(self, *words):
        """QSTATUS of TRISC0's thread while they wait for a semaphore, and
        after that."""
        wait = tt('SEMWAIT', stall_res=0x1FF, wait_sem_cond=1, sem_sel=1)
        self.program.add(
            [rv.ttinsn(word) for word in (
                tt('SEMINIT', max_value=5, sem_sel=1), wait, *words)],
            rv.csrrs(A0, QSTATUS), rv.li(A1, OWN_TYPES),
            rv.r_type(rv.OP, 7, 0, A0, A0, A1), rv.li(A2, 0xFFE80020),
            rv.sw(0, A2), rv.li(A2, 0xFFE80004), rv.lw(A2, A2))

    def test_status_of_a_replay(self):
        """Its first instruction waits, the others come from the buffer."""
        self.program.add([rv.ttinsn(word) for word in (
            tt('REPLAY', len=2, load_mode=1), tt('SFPNOP'), tt('SFPNOP'))])
        self.queued(tt('REPLAY', len=2), tt('SEMGET', sem_sel=1))
        self.expect('REPLAY, SFPU, SYNC', 1 << 0 | 1 << 7 | 1 << 9 | LANES)
        self.check(hart='trisc0')

    def test_status_of_lanes(self):
        """Bits 11 and 24: any lane is enabled."""
        for words, bits in (([tt('SFPENCC', imm12_math=3, instr_mod1=10)], LANES),
                            ([tt('SFPENCC', imm12_math=1, instr_mod1=10)], 0),
                            ([tt('SFPENCC', imm12_math=0, instr_mod1=10)], LANES)):
            self.program.add([rv.ttinsn(word) for word in words],
                             rv.li(A2, 0xFFE80004), rv.lw(A2, A2),
                             rv.csrrs(A0, QSTATUS), rv.li(A1, OWN_TYPES),
                             rv.r_type(rv.OP, 7, 0, A0, A0, A1))
            self.expect(f'lanes {bits:#x}', bits)
        self.check(hart='trisc0')

    def test_hpm_counters_clear_when_read(self):
        self.load(a1=1 << 8)
        self.program.add(rv.csrrs(0, CFG0, A1), rv.li(A1, 77),
                         rv.csrrw(0, 0xb03, A1), rv.csrrs(A0, 0xb03))
        self.expect('first read', 77)
        self.program.add(rv.csrrs(A0, 0xb03))
        self.expect('second read', 0)
        self.check()

    def test_vector_length_register(self):
        for value, want in ((M32, 16), (5, 5)):
            self.load(a1=value)
            self.program.add(rv.csrrw(0, 0xc20, A1), rv.csrrs(A0, 0xc20))
            self.expect(f'vl after {value}', want)
        self.load(a1=0x10)                   # e32, m1
        self.program.add(rv.csrrw(0, 0xc21, A1), rv.csrrs(A0, 0xc20))
        self.expect('vl is cut to the new VLMAX', 4)
        self.load(a1=99)
        self.program.add(rv.csrrw(0, 0xc22, A1), rv.csrrs(A0, 0xc22))
        self.expect('vlenb can be written', 99)
        self.check(hart='trisc2')


class Resets(Folder):
    """A soft reset, and an interruption by gdb."""

    GO, SEEN = 0x100000, 0x100004

    def start(self, hart, words, **options):
        return self.tile(images={hart: self.elf('csr', {0x20000: words},
                                                0x20000)}, **options)

    def test_rounding_and_flags(self):
        """A kernel does not find those of the one before."""
        words = rv.li(A1, self.SEEN) + [rv.csrrs(A0, FCSR), rv.sw(A0, A1)] + \
            rv.li(A0, 0x7F) + [rv.csrrw(0, FCSR, A0), rv.csrrs(A0, FCSR),
                               rv.sw(A0, A1, 4)] + rv.HALT
        tile = self.start('trisc0', words)
        tile.wait_for_word(self.SEEN + 4, 0x7F)
        tile.hold('trisc0')
        tile.write32(self.SEEN, -1 & M32)
        tile.write32(self.SEEN + 4, 0)
        tile.write(RESET_PCS['trisc0'], rv.code(words))
        tile.release('trisc0')
        tile.wait_for_word(self.SEEN + 4, 0x7F)
        self.assertEqual(tile.read32(self.SEEN), 0)

    def test_gdb_reads_without_clearing(self):
        words = rv.li(A1, 1 << 8) + [rv.csrrs(0, CFG0, A1)] + \
            rv.li(A1, 77) + [rv.csrrw(0, 0xb03, A1)] + rv.li(A1, self.GO) + [
                rv.sw(A1, A1, 8), rv.lw(A0, A1), rv.branch(0, A0, 0, -4),
                rv.csrrs(A0, 0xb03), rv.sw(A0, A1, 4)] + rv.HALT
        tile = self.start('brisc', words, gdb=True)
        tile.wait_for_word(self.GO + 8, self.GO)
        with Debugger(tile) as gdb:
            gdb.choose('brisc')
            xml = gdb.ask('qXfer:features:read:riscv-csr.xml:0,fff0')
            number = int(re.search(r'"mhpmcounter3"[^>]*regnum="(\d+)"',
                                   xml)[1])
            for _ in range(2):
                self.assertEqual(gdb.register('brisc', number), 77)
            gdb.ask('D')
        tile.cont()
        tile.write32(self.GO, 1)
        tile.wait_for_word(self.SEEN, 77)


class Counters(unittest.TestCase):
    def counts(self, accel='single'):
        """cycle, 1000 instructions, cycle; then written and read again."""
        program = rv.Program()
        for csr in (MCYCLE, CYCLE, MINSTRET, INSTRET):
            program.add(rv.csrrs(A0, csr))
            program.result(A0)
        program.add(*[rv.NOP] * 1000)
        for csr in (MCYCLE, CYCLE, MINSTRET, INSTRET):
            program.add(rv.csrrs(A0, csr))
            program.result(A0)
        for low, high in ((CYCLE, 0xc80), (MINSTRET, 0xb82)):
            program.add(rv.li(A1, 0x12345), rv.csrrw(0, high, A1),
                        rv.csrrw(0, low, 0), rv.csrrs(A0, high))
            program.result(A0)
            program.add(rv.csrrs(A0, low))
            program.result(A0)
        return run(program, accel=accel)

    def test_counters_continue_and_can_be_written(self):
        values = self.counts()
        before, after, written = values[:4], values[4:8], values[8:]
        for first, second in zip(before, after):
            self.assertGreater(second, first)
        self.assertLessEqual(before[0], before[1], 'aliases of one counter')
        self.assertEqual([written[0], written[2]], [0x12345, 0x12345])
        self.assertLess(written[1], 1 << 30)

    def test_counters_repeat_with_icount(self):
        self.assertEqual(self.counts('icount'), self.counts('icount'))


if __name__ == '__main__':
    unittest.main()
