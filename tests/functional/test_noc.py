# SPDX-License-Identifier: GPL-2.0-or-later
"""NoC requests as harts make them: interrupts, atomics, code, other tiles."""

import os
import unittest

import rv_asm as rv
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import every_accelerator
from rv_asm import A0, A1, A2, A3, T0, T1
from test_board import Folder, write_words

RESULT = 0x100000
PIC = 0xFFB13000
NIU = (0xFFB20000, 0xFFB30000)
OWN = 2 << 6 | 1                        # tile (1,2)
DRAM = 12 << 6 | 17

TARG_LO, TARG_MID, TARG_HI = 0x00, 0x04, 0x08
RET_LO, RET_MID, RET_HI = 0x0C, 0x10, 0x14
TAG, CTRL, LEN, DATA, CMD = 0x18, 0x1C, 0x20, 0x28, 0x40
RTZ_CFG, RTZ_NUM = 0x178, 0x378
RD_RESP, WR_ACK, ATOMIC_RESP = 0x208, 0x204, 0x200
READ, ATOMIC, WRITE = 0x2090, 0x2091, 0x2092
INCREMENT_32 = 0x107C


def window(tile, address):
    """Where the simulator shows the memory of a tile."""
    return 1 << 48 | tile << 36 | address


def request(base, ctrl, targ, targ_hi, ret, ret_hi, length, data=0, tag=0):
    """Writes all of an initiator but CMD_CTRL; A1 is its base afterwards."""
    words = rv.li(A1, base)
    for offset, value in ((TARG_LO, targ), (TARG_MID, 0), (TARG_HI, targ_hi),
                          (RET_LO, ret), (RET_MID, 0), (RET_HI, ret_hi),
                          (TAG, tag), (CTRL, ctrl), (LEN, length),
                          (DATA, data)):
        words += rv.li(A0, value) + [rv.sw(A0, A1, offset)]
    return words


def repeat(times, body):
    """A loop on A3 around body, which keeps A3."""
    words = rv.li(A3, times) + body + [rv.addi(A3, A3, -1)]
    return words + [rv.branch(1, A3, 0, -4 * (len(body) + 1))]


def finish(index):
    """Stores 1 into result word `index` and stays."""
    return rv.li(A0, RESULT + 4 * index) + rv.li(A1, 1) + \
        [rv.sw(A1, A0)] + rv.HALT


class Noc(Folder):
    def run_harts(self, accel, codes, extra=()):
        """codes: {hart: {address: instructions}}; the first address starts."""
        images = {hart: self.elf(hart, segments, next(iter(segments)))
                  for hart, segments in codes.items()}
        return self.tile(images=images, accel=accel, extra=extra)


class Snapshots(Noc):
    def test_other_tiles_after_loadvm(self):
        """What was written after the snapshot is lost, also at the address
        that was accessed last; an atomic's page goes along."""
        other, atomic = 4 | 5 << 6, 6 | 5 << 6
        tile = self.tile(stopped=True)
        add_disk(tile, os.path.join(self.folder, 'disk.qcow2'))
        tile.write32(window(other, 0x2000), 0x11)
        tile.write32(NIU[0] + TARG_LO, 0x4010)
        tile.write32(NIU[0] + TARG_HI, atomic)
        tile.write32(NIU[0] + CTRL, ATOMIC & ~0x2000)
        tile.write32(NIU[0] + LEN, INCREMENT_32)
        tile.write32(NIU[0] + DATA, 5)
        tile.write32(NIU[0] + CMD, 1)
        self.assertEqual(tile.read32(window(atomic, 0x4010)), 5)
        self.assertEqual(tile.hmp('savevm half'), '')
        for address, value in ((0x2000, 0x22), (0x12000, 0x33)):
            for _ in range(2):
                tile.write32(window(other, address), value)
                self.assertEqual(tile.hmp('loadvm half'), '')
                for read, wanted in ((address, 0x11 if value == 0x22 else 0),
                                     (0x2000, 0x11), (0x12000, 0)):
                    self.assertEqual(tile.read32(window(other, read)), wanted)
        self.assertEqual(tile.read32(window(atomic, 0x4010)), 5)


class Interrupt(Noc):
    """NCRISC's requests complete, and each completion interrupts it."""

    HANDLER, TIMES, ID = 0x58000, 500, 4

    def handler(self):
        words = rv.li(T0, NIU[1]) + [rv.lw(T0, T0, RTZ_NUM)]
        words += rv.li(T1, RESULT) + [rv.sw(T0, T1, 4)]
        words += [rv.lw(T0, T1, 8), rv.addi(T0, T0, 1), rv.sw(T0, T1, 8)]
        return words + [rv.MRET]

    def main(self):
        words = rv.li(A1, PIC) + rv.li(A0, self.HANDLER)
        words += [rv.sw(A0, A1, 0x128 + 4 * 2)]          # HW_INT_PC[2]
        words += rv.li(A0, 1 << 2) + [rv.sw(A0, A1, 0x10)]
        words += rv.li(A1, NIU[1]) + rv.li(A0, 1 << self.ID)
        words += [rv.sw(A0, A1, RTZ_CFG)]
        words += request(NIU[1], READ, 0x1000, DRAM, 0x3000, OWN, 64,
                         tag=self.ID << 10)
        words += rv.li(A2, 1)
        words += repeat(self.TIMES, [rv.sw(A2, A1, CMD)])
        return words + finish(0)

    @every_accelerator
    def test_in_every_accelerator(self, accel):
        tile = self.run_harts(accel, {'ncrisc': {0x50000: self.main(),
                                                 self.HANDLER: self.handler()}})
        tile.wait_for_word(RESULT, 1)
        self.assertEqual(tile.read32(RESULT + 4), self.ID)
        self.assertEqual(tile.read32(RESULT + 8), self.TIMES)
        self.assertEqual(tile.read32(NIU[1] + RD_RESP), self.TIMES)
        self.assertEqual(tile.read32(PIC + 0x14), 32 + 2)


class Atomics(Noc):
    """A word of L1 that harts and NIU increment at once loses nothing."""

    COUNTER, TIMES = 0x110000, 20000
    AMO_TIMES = 3000000                 # takes a hart about as long

    def amoadd(self, result):
        body = [rv.r_type(rv.AMO, 2, 0, 0, A1, A2)]
        return rv.li(A1, self.COUNTER) + rv.li(A2, 1) + \
            repeat(self.AMO_TIMES, body) + finish(result)

    def noc_add(self, noc, result):
        words = request(NIU[noc] + 0x1800, ATOMIC, self.COUNTER, OWN,
                        0x4 + 4 * noc, OWN, INCREMENT_32, data=1)
        words += rv.li(A2, 1)
        return words + repeat(self.TIMES, [rv.sw(A2, A1, CMD)]) + \
            finish(result)

    @every_accelerator
    def test_in_every_accelerator(self, accel):
        tile = self.run_harts(accel, {
            'ncrisc': {0x50000: self.noc_add(1, 0)},
            'trisc0': {0x60000: self.amoadd(1)},
            'trisc1': {0x70000: self.noc_add(0, 2)},
            'trisc2': {0x80000: self.amoadd(3)},
        })
        for index in range(4):
            tile.wait_for_word(RESULT + 4 * index, 1, seconds=60)
        self.assertEqual(tile.read32(self.COUNTER),
                         2 * self.TIMES + 2 * self.AMO_TIMES)
        for niu in NIU:
            self.assertEqual(tile.read32(niu + ATOMIC_RESP), self.TIMES)


class Code(Noc):
    """Instructions that came over the NoC are executed, not the old ones."""

    FUNCTION, OTHER = 0x90000, 0x91000

    def main(self):
        call = rv.li(A2, self.FUNCTION) + [rv.i_type(rv.JALR, 0, rv.RA, A2, 0)]
        words = rv.li(rv.S0, RESULT)
        words += call + [rv.sw(A0, rv.S0, 4)]
        words += request(NIU[0], WRITE, self.OTHER, OWN, self.FUNCTION, OWN, 16)
        words += rv.li(A2, 1) + [rv.sw(A2, A1, CMD)]
        words += call + [rv.sw(A0, rv.S0, 8)]
        return words + finish(0)

    @every_accelerator
    def test_in_every_accelerator(self, accel):
        def function(value):
            return [rv.addi(A0, 0, value), rv.i_type(rv.JALR, 0, 0, rv.RA, 0),
                    rv.NOP, rv.NOP]

        tile = self.run_harts(accel, {'trisc2': {
            0x80000: self.main(), self.FUNCTION: function(11),
            self.OTHER: function(22)}})
        tile.wait_for_word(RESULT, 1)
        self.assertEqual(tile.read32(RESULT + 4), 11)
        self.assertEqual(tile.read32(RESULT + 8), 22)


class Reports(Noc):
    def test_hart_pc_and_register_are_named(self):
        words = request(NIU[0], READ, 0x1000, OWN, 0x3008, OWN, 16)
        words += rv.li(A2, 1)
        pc = 0x50000 + 4 * len(words)
        words += [rv.sw(A2, A1, CMD)] + finish(0)
        tile = self.run_harts('single', {'ncrisc': {0x50000: words}},
                              extra=['-d', 'guest_errors'])
        tile.wait_for_word(RESULT, 1)
        self.assertRegex(tile.output(),
                         rf'undefined-behaviour.*NCRISC at pc 0x{pc:08x}.*'
                         rf'tensix-niu0 INIT0_CMD_CTRL.*modulo 16')

    def test_other_tiles_window(self):
        tile = self.tile(stopped=True)
        write_words(tile, window(DRAM, 0xFFFFC), [1, 2])
        self.assertEqual(tile.read32(window(DRAM, 0x100000)), 2)
        self.assertEqual(tile.read32(window(DRAM + 1, 0x100000)), 0)
        tile.write32(0x2000, 0x77)
        self.assertEqual(tile.read32(window(OWN, 0x2000)), 0x77)


if __name__ == '__main__':
    unittest.main()
