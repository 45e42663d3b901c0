# SPDX-License-Identifier: GPL-2.0-or-later
"""Performance counters: registers, modes, edges, each row of the table, and
the sequence with which tt-llk's kernels use them."""

import os
import re
import time
import unittest

import rv_asm as rv
from blackhole_tile import Tile, hart_view, testing, tt
from blackhole_tile.testing import ROOT
from test_source import Sources

TABLE = os.path.join(ROOT, 'hw', 'tenstorrent', 'control', 'perf_table.h.inc')
REGS = 0xFFB12000
BANKS = {'INSTRN_THREAD': (0x000, 0x100), 'TDMA_UNPACK': (0x00c, 0x108),
         'TDMA_PACK': (0x0f0, 0x110), 'L1': (0x030, 0x118),
         'FPU': (0x018, 0x120)}
ALL, MUX_CTRL, GRANT = 0x03c, 0x218, 1 << 16
START, STOP = 1, 2
PUSH = 0xFFE40000
# One instruction of each kind, which waits for nothing
SETRWC, SFPNOP, SEMINIT, SETC16, SETDMAREG, SETADC, NOP = (
    0x37000000, 0x8F000000, 0xA3000000, 0xB2000000, 0x45000000, 0x50000000,
    0x02000000)


def rows(*kinds):
    """(kind, bank, mode register's bits, mux, name) of the table's rows."""
    with open(TABLE, encoding='utf-8') as file:
        text = file.read().partition('*/')[2]
    for kind, bank, select, name in re.findall(
            r'^([A-Z]+)\((\w+), ([^"]*), "(\w+)"', text, re.M):
        number = int(re.search(r'\d+\)?$', select)[0].rstrip(')'))
        mux = re.search(r'MUX\((\d)\)', select)
        if kind in kinds or not kinds:
            yield (kind, bank, number << 8 | GRANT * ('GRANT' in select),
                   int(mux[1]) if mux else 0, name)


class Counters(unittest.TestCase):
    """A tile that no hart runs in; the test pushes."""

    ACCEL = 'icount'

    def setUp(self):
        self.tile = Tile(accel=self.ACCEL, report=True)
        self.addCleanup(self.tile.close)

    def write(self, offset, value):
        self.tile.write32(REGS + offset, value)

    def control(self, bank, *values):
        for value in values:
            self.write(BANKS[bank][0] + 8, value)

    def mode(self, bank, value, period=0):
        self.write(BANKS[bank][0], period)
        self.write(BANKS[bank][0] + 4, value)

    def read(self, bank, select=None):
        """(cycles, count)"""
        if select is not None:
            self.mode(bank, select)
        return [self.tile.read32(REGS + BANKS[bank][1] + n) for n in (0, 4)]

    def push(self, thread, *words):
        for word in words:
            self.tile.write32(hart_view(f'trisc{thread}') + PUSH, word)

    def named(self):
        """{name: count} of all that are counted."""
        found = {}
        for kind, bank, select, _, name in rows():
            if kind in ('COUNTS', 'AVAILABLE'):
                found[name] = self.read(bank, select)[1]
        return {name: count for name, count in found.items() if count}


class Table(Counters):
    def test_published(self):
        """As many as are published, and each at another place."""
        found = list(rows())
        per_bank = {bank: sum(row[1] == bank for row in found)
                    for bank in BANKS}
        self.assertEqual(per_bank, {
            'INSTRN_THREAD': 61 + 1, 'FPU': 3, 'TDMA_UNPACK': 11,
            'TDMA_PACK': 3, 'L1': 16})
        self.assertEqual(len({row[1:4] for row in found}), len(found))
        self.assertEqual(len({row[4] for row in found}), len(found))

    def test_unmodelled(self):
        """Each is reported once, and none that counts."""
        for _ in range(2):
            for _, bank, select, mux, _ in rows():
                self.write(MUX_CTRL, mux << 4)
                self.assertEqual(self.read(bank, select), [0, 0])
        names = re.findall(r'^tensix: .*counter (\w+) is not modelled',
                           self.tile.output(), re.M)
        self.assertEqual(sorted(names),
                         sorted(row[4] for row in rows()
                                if row[0] not in ('COUNTS', 'AVAILABLE',
                                                  'ZERO')))

    def test_no_such_counter(self):
        self.read('FPU', 77 << 8)
        self.assertIn('no counter is known at select 77', self.tile.output())

    def test_no_such_mode(self):
        self.mode('FPU', 3)
        self.control('FPU', START)
        self.assertIn('no mode 3', self.tile.output())


class BesideEstimates(Counters):
    """Another one observes the core, for which most words are reported in
    another way as long as it is alone."""

    def setUp(self):
        self.program = rv.Program()
        self.program.add([rv.ttinsn(tt('SFPMOV', lreg_c=1, lreg_dest=2))] * 7)
        self.tile = self.enterContext(
            testing.Tile(images={'trisc1': self.program.image()},
                         accel='icount', machine='timing=published',
                         stopped=True))

    def test_vector_instructions(self):
        self.control('FPU', START)
        self.tile.go()
        self.tile.wait_for_word(self.program.results, self.program.DONE)
        self.assertEqual(self.read('FPU', 1 << 8)[1], 7)


class Counts(Counters):
    def start(self):
        for bank in BANKS:
            self.mode(bank, 0)
            self.control(bank, 0, START)

    def test_kinds(self):
        self.start()
        self.push(0, *[SETRWC] * 3, *[SETADC] * 2)
        self.push(1, *[SFPNOP] * 5, *[SEMINIT] * 2)
        self.push(2, *[SETC16] * 4, *[SETDMAREG] * 6)
        self.assertEqual(self.named(), {
            'FPU_INSTRN_AVAILABLE_0': 3, 'THREAD_INSTRUCTIONS_0': 5,
            'FPU_INSTRN_AVAILABLE_1': 5, 'SYNC_INSTRN_AVAILABLE_1': 2,
            'THREAD_INSTRUCTIONS_1': 7,
            'CFG_INSTRN_AVAILABLE_2': 4, 'THCON_INSTRN_AVAILABLE_2': 6,
            'THREAD_INSTRUCTIONS_2': 10,
            'FPU': 3, 'SFPU': 5, 'MATH': 8,
            'MATH_INSTRN_STARTED': 8, 'MATH_INSTRN_AVAILABLE': 8})

    def test_grants_of_kinds(self):
        self.start()
        self.push(1, SETRWC, NOP)
        for kind in range(8):
            self.assertEqual(
                self.read('INSTRN_THREAD', GRANT | 8 + kind << 8)[1], 2)

    def test_edges(self):
        """Only a rising edge starts, and it clears; only one of the other bit
        stops."""
        self.push(1, SETRWC)
        self.control('FPU', START)
        self.push(1, SETRWC)
        self.control('FPU', START)               # no edge
        self.push(1, SETRWC)
        self.assertEqual(self.read('FPU', 0)[1], 2)
        self.control('FPU', 0)                   # neither
        self.push(1, SETRWC)
        self.assertEqual(self.read('FPU', 0)[1], 3)
        self.control('FPU', STOP)
        self.push(1, SETRWC)
        cycles, count = self.read('FPU', 0)
        self.assertEqual(count, 3)
        time.sleep(0.01)
        self.assertEqual(self.read('FPU', 0), [cycles, count])
        self.control('FPU', 0, START)
        self.assertEqual(self.read('FPU', 0)[1], 0)

    def test_all(self):
        """PERF_CNT_ALL: FPU and INSTRN_THREAD, no other bank."""
        self.write(ALL, START)
        self.push(1, SETRWC)
        self.write(ALL, STOP)
        self.push(1, SETRWC)
        self.assertEqual(self.named(), {
            'FPU': 1, 'MATH': 1, 'FPU_INSTRN_AVAILABLE_1': 1,
            'THREAD_INSTRUCTIONS_1': 1})

    def test_reset(self):
        self.start()
        self.push(1, SETRWC)
        self.tile.qmp('system_reset')
        self.tile.wait_for(lambda t: t.read32(REGS + 8) == 0)
        self.push(1, SETRWC)
        self.assertEqual(self.named(), {})


class Modes(Counters):
    ACCEL = 'single'

    def test_period(self):
        """Mode 1 stops after so many cycles."""
        self.mode('FPU', 1, period=1000)
        self.control('FPU', START)
        time.sleep(0.01)
        self.push(1, SETRWC)
        self.assertEqual(self.read('FPU'), [1000, 0])
        self.mode('FPU', 1, period=0xffffffff)
        self.control('FPU', 0, START)
        self.push(1, SETRWC)
        cycles, count = self.read('FPU')
        self.assertEqual(count, 1)
        self.assertGreater(cycles, 0)

    def test_without_cycles(self):
        self.mode('FPU', 2)
        self.control('FPU', START)
        self.push(1, SETRWC)
        self.assertEqual(self.read('FPU'), [0, 1])

    def test_snapshot(self):
        self.control('FPU', START)
        self.push(1, SETRWC)
        path = os.path.join(self.tile.folder, 'state')
        self.tile.save(path)
        with Tile(incoming=path) as other:
            other.write32(hart_view('trisc1') + PUSH, SETRWC)
            self.assertEqual(other.read32(REGS + BANKS['FPU'][1] + 4), 2)


# As tests/helpers/include/counters.h of tt-llk does it.
KERNEL = '''
#include "blackhole-tile/kernel.h"
#define PERF(offset) REG32(0xFFB12000 + (offset))
static const struct {
    uint32_t base, out, select;
} counters[] = {
    { 0x018, 0x120, 0 }, { 0x018, 0x120, 1 << 8 },
    { 0x000, 0x100, 1 << 16 | 8 << 8 },
};
__attribute__((section(".text.first"))) void _start(void)
{
    for (int i = 0; i < 3; i++) {
        PERF(counters[i].base) = 0xFFFFFFFF;
        PERF(counters[i].base + 4) = counters[i].select;
        PERF(counters[i].base + 8) = 1;
    }
    for (int i = REG32(0x30040); i < 100; i++) {
        TTINSN(SETRWC, .BitMask = RWC_ALL);
    }
    TTINSN(SFPNOP);
    while (COPROCESSOR_DONE) {
    }
    for (int i = 0; i < 3; i++) {
        PERF(counters[i].base + 4) = counters[i].select;
        PERF(counters[i].base + 8) = 0;
        REG32(0x30010 + 8 * i) = PERF(counters[i].out);
        REG32(0x30014 + 8 * i) = PERF(counters[i].out + 4);
    }
    REG32(0x30000) = 1;
    for (;;) {
    }
}
'''


class Kernel(Sources):
    def test_sequence(self):
        elf = self.build('k', KERNEL, '-O1')
        for accel in 'single', 'multi', 'icount':
            with self.subTest(accel), Tile({'trisc1': elf},
                                           accel=accel) as tile:
                tile.wait_for(lambda t: t.read32(0x30000) == 1)
                found = [tile.read32(0x30010 + 4 * n) for n in range(6)]
                self.assertEqual(found[3], 1)
                self.assertEqual(found[1], 100)
                self.assertGreaterEqual(found[5], 101)
                self.assertGreater(min(found[::2]), 0)
                self.assertNotIn('PERF_CNT', tile.output())


if __name__ == '__main__':
    unittest.main()
