# SPDX-License-Identifier: GPL-2.0-or-later
"""The debug bus: its signals, what it does not have, samples in L1."""

import struct
import unittest

import debug_client as dbg
import rv_asm as rv
from blackhole_tile import APERTURE
from debug_client import Hart
from test_debug import Case

# The FIFO before the MOP expander
DEPTH, FULL, EMPTY = 32, 1, 2


class Bus(Case):
    def test_pcs(self):
        with self.tile() as tile:
            self.load(tile, [rv.EBREAK] + rv.HALT, *dbg.DEBUGGED)
            for name in dbg.DEBUGGED:
                Hart(self.registers, name).wait()
                self.assertEqual(self.registers.bus_pc(name), 4)
            self.registers.write(dbg.BUS_CNTL, 1 << 25 | 7 << 16 | 11)
            self.assertEqual(self.registers.read(dbg.RD_DATA), 0, 'disabled')

    def test_self_test(self):
        with self.tile():
            for daisy in (1, 7, 14):
                self.assertEqual(
                    [self.registers.bus(daisy, 255, n) for n in range(4)],
                    [daisy, 0xA5A5A5A5, 0x5A5A5A5A, 0xA5A5A5A5])

    def test_unknown_signals_are_reported_once(self):
        with self.tile() as tile:
            for _ in range(3):
                self.assertEqual(self.registers.bus(8, 2, 1), 0)
                self.assertEqual(self.registers.bus(9, 0xFFFF, 3), 0)
            self.assertEqual(tile.output().count(
                'daisy_sel 8, sig_sel 2, rd_sel 1'), 1)
            self.assertEqual(tile.output().count('unimplemented'), 2)

    def wide(self, daisy, signal):
        """All bits of the group and the next one."""
        return sum(self.registers.bus(daisy, signal + n // 4, n % 4) << 32 * n
                   for n in range(8))

    def test_rwcs(self):
        """Bits of each counter of each thread, in groups 3/2 and 3/3."""
        places = {'srca': (0, 24, 40), 'srca_cr': (10, 30, 50),
                  'srcb': (60, 84, 100), 'srcb_cr': (70, 90, 110),
                  'dst': (120, 140, 160), 'dst_cr': (130, 150, 170)}
        fields = {'dst': 0, 'dst_cr': 1, 'srca': 2, 'srca_cr': 3, 'srcb': 4,
                  'srcb_cr': 5}
        with self.tile() as tile:
            for name, bits in places.items():
                for thread, low in enumerate(bits):
                    width = 10 if name.startswith('dst') else 6
                    at = APERTURE + 0x21000 + 0x40 * thread + 4 * fields[name]
                    tile.write32(at, (1 << width) - 1)
                    self.assertEqual(self.wide(3, 2),
                                     ((1 << width) - 1) << low,
                                     f'{name} of thread {thread}')
                    tile.write32(at, 0)
            for thread in range(3):
                tile.write32(APERTURE + 0x21000 + 0x40 * thread + 24, thread)
            self.assertEqual(self.wide(3, 4) >> 60 & 0x3F, 0b100100)

    def test_adcs(self):
        bits = {0: (0, 18), 1: (64, 13), 2: (96, 8), 3: (112, 8),
                4: (18, 18), 5: (80, 13), 6: (104, 8), 7: (120, 8)}
        with self.tile() as tile:
            for signal, (thread, unit) in enumerate(((0, 0), (0, 1), (2, 2))):
                for channel in range(2):
                    for field, (low, width) in bits.items():
                        at = APERTURE + 0x24000 + 0x100 * thread + \
                            0x40 * unit + 0x20 * channel + 4 * field
                        tile.write32(at, (1 << width) - 1)
                        self.assertEqual(
                            self.wide(6, 2 * signal + channel) % (1 << 128),
                            ((1 << width) - 1) << low, (signal, field))
                        tile.write32(at, 0)

    def test_src_banks_and_lanes(self):
        banks = APERTURE + 0x22000
        with self.tile() as tile:
            self.assertEqual(self.registers.bus(3, 1, 3, 0x1F00000), 0b00011)
            tile.write32(banks, 1)     # SrcA[0] is the Matrix Unit's
            self.assertEqual(self.registers.bus(3, 1, 3, 0x1F00000), 0b00110)
            tile.write32(banks + 8, 1)
            self.assertEqual(self.registers.bus(3, 1, 3, 0x1F00000), 0b11100)
            self.assertEqual(self.registers.bus(6, 9, 3, 0x600), 0b01)
            self.assertEqual(self.registers.bus(6, 9, 3, 0x180), 0b01,
                             'of exponents')
            self.assertEqual(self.registers.bus(3, 6, 3, 4), 0)
            self.assertEqual(self.registers.bus(3, 6, 1, 1 << 29), 0)
            tile.write32(banks, 0)
            self.assertEqual(self.registers.bus(3, 6, 3, 4), 1)
            tile.write32(APERTURE + 0x20C00, 0x0000FF01)
            tile.write32(APERTURE + 0x20C04, 0xFFFFFFFF)
            self.assertEqual(self.registers.bus(7, 28, 0), 0x22222223)

    def test_front_end(self):
        """A word that waits at the gate of thread 1, and one after it."""
        semwait = 0xA6 << 24 | 0x1FF << 15 | 1 << 2 | 1
        setrwc = 0x37 << 24
        with self.tile() as tile:
            self.assertEqual(self.registers.bus(1, 8, 2, 0x200), 1)
            push = (4 << 32) + 0xFFE40000   # as TRISC1
            self.assertEqual(self.wide(7, 21) >> 125 & 3, EMPTY)
            for word in (semwait, setrwc, setrwc + 1):
                tile.write32(push, word)
            wide = self.wide(1, 8)
            self.assertEqual(wide >> 40 & 0xFFFFFFFF, setrwc)
            self.assertEqual(wide >> 39 & 1, 1, 'for the Matrix Unit')
            self.assertEqual(wide >> 73 & 1, 0)
            self.assertEqual(wide >> 80 & 1, 1, 'busy')
            wide = self.wide(7, 21)
            self.assertEqual(wide >> 86 & 0xFFFFFFFF, setrwc + 1)
            self.assertEqual(wide >> 118 & 1, 1)
            self.assertEqual(wide >> 125 & 3, 0, 'neither full nor empty')
            self.assertEqual(wide >> 26 & 1, 1)
            self.assertEqual(wide >> 23 & 1, 1, 'PCBuf 1 is empty')
            tile.write32(0xFFE90000, 0xABCDE7A5)
            self.assertEqual(self.wide(7, 20) >> 119 & 0xFFFFFFFF, 0xABCDE7A5)
            self.assertEqual(self.registers.bus(7, 21, 1, 0xFFFF), 0,
                             'no SEMPOST or SEMGET is pending')
            self.assertNotIn('sig_sel 21, rd_sel 1', tile.output())
            for _ in range(DEPTH - 1):
                tile.write32(push, setrwc)
            self.assertEqual(self.wide(7, 21) >> 125 & 3, FULL)

    def test_samples(self):
        with self.tile() as tile:
            self.load(tile, [rv.EBREAK] + rv.HALT, 'trisc2')
            Hart(self.registers, 'trisc2').wait()
            group = [self.registers.bus(7, 17, n) for n in range(4)]
            self.assertEqual(group[1], 4)
            for count in (1, 2, 40):
                with self.subTest(count):
                    self.sample(tile, 0x1000, count)
                    end = 0x1000 + 16 * count
                    tile.wait_for(lambda t, e=end: t.read32(e - 12) == 4)
                    self.assertEqual(tile.read(0x1000, 16 * count),
                                     struct.pack('<4I', *group) * count)
                    self.assertEqual(tile.read(end, 16), bytes(16))
            self.sample(tile, 0xFFFF0, 1)
            self.assertEqual(tile.read32(0xFFFF4), 4)

    def sample(self, tile, address, count):
        tile.write(address, bytes(16 * count + 16))
        write = self.registers.write
        write(dbg.L1_MEM_REG2, 15)
        write(dbg.L1_MEM_REG0, address >> 4)
        write(dbg.L1_MEM_REG1, (address >> 4) + count)
        mode = 4 | 4 << 4 if count > 2 else 1
        write(dbg.L1_MEM_REG2, mode)
        for _ in range(1 if count > 2 else count):
            write(dbg.L1_MEM_REG2, mode | 1 << 12)
            write(dbg.L1_MEM_REG2, mode)


if __name__ == '__main__':
    unittest.main()
