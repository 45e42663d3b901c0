# SPDX-License-Identifier: GPL-2.0-or-later
"""info tensix: what SFPLOADMACRO has under way, rows of Dest; tracing."""

import math
import re
import struct
import time
import unittest

import rv_asm as rv
from blackhole_tile import APERTURE, hart_view
from blackhole_tile.testing import Tile, every_accelerator
from bombs import forever
from test_stop import Watched

PUSH_MATH = hart_view('brisc', 0xFFE50000)
LOW_HALF, HIGH_HALF = 10, 8              # Mod0 of SFPLOADI
UINT16 = 6                               # Mod0 of loads
SFPNOP = 0x8f000000
# SFPCONFIG's destinations
SEQUENCE, MISC = 4, 8
SIMPLE, MAD, STORE = 0, 8, 24            # bytes of a sequence
KIND_STORE, TEMPLATE = 3, 4
ALL = 0xffffffff
NOTHING = {'scheduled': []}


def vector(opcode, vc, vd, mod=0, high=0):
    return opcode << 24 | high << 12 | vc << 8 | vd << 4 | mod


def not_(vd):
    return vector(0x80, 0, vd)


def mad(vd):
    """VD = LReg[10] (1.0) * VB + LReg[9] (0.0)"""
    return vector(0x84, 9, vd, high=10 << 4)


def swap(vc, vd):
    return vector(0x92, vc, vd)


def configure(destination, value):
    return [0x71000000 | mod0 << 16 | half
            for mod0, half in ((LOW_HALF, value & 0xffff),
                               (HIGH_HALF, value >> 16))] + \
        [0x91000000 | destination << 4]


def macro(number, vd):
    """SFPLOADMACRO of that macro into LReg[vd], from address 4."""
    return 0x93000000 | (number << 2 | vd) << 20 | UINT16 << 16 | 7 << 13 | 4


class Macro(unittest.TestCase):
    """Templates 0 to 2 are SFPNOT, SFPMAD and SFPSWAP with LReg[2]."""

    TEMPLATES = [not_(12), mad(13), swap(2, 14)]

    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)
        self.push(*self.TEMPLATES)

    def push(self, *words):
        for word in words:
            self.tile.write32(PUSH_MATH, word)

    def schedule(self, sequence, by_instruction=0):
        self.push(*configure(SEQUENCE, sequence),
                  *configure(MISC, by_instruction * 0xf00), macro(0, 1))

    def shown(self):
        """SFPLOADMACRO's work, without what is known of each."""
        macro = self.tile.qmp('query-tensix-macro')
        self.assertEqual(macro.pop('active'), 'instruction' in macro)
        if 'instruction' in macro:
            last = macro.pop('instruction')
            self.assertEqual((last['mnemonic'], last['thread'], last['hart']),
                             ('SFPLOADMACRO', 1, 'brisc'))
        return macro

    def places(self):
        """(unit, delay) of what is scheduled."""
        return {(s['unit'], s['delay']) for s in self.shown()['scheduled']}

    def test_slots(self):
        self.schedule((TEMPLATE | 2 << 3) << SIMPLE |
                      (TEMPLATE + 1 | 4 << 3 | 0x80) << MAD |
                      (KIND_STORE | 6 << 3) << STORE, by_instruction=1)
        shown = self.shown()['scheduled']
        for scheduled in shown:
            self.assertRegex(scheduled.pop('text'), r'^ttsfp\w+ \w+=\d+, ')
            self.assertEqual(scheduled.pop('lanes'), ALL)
            self.assertIs(scheduled.pop('by-instruction'), True)
        self.assertEqual(shown, [
            {'unit': 'simple', 'delay': 2, 'word': not_(12), 'vb': 0, 'vc': 1,
             'vd': 1},
            {'unit': 'mad', 'delay': 4, 'word': mad(13), 'vb': 1, 'vc': 9,
             'vd': 1},
            {'unit': 'store', 'delay': 6, 'word': 0x72000000, 'vd': 1,
             'mod0': 0, 'address': 4}])
        self.push(SFPNOP)
        self.assertEqual(self.places(), {('simple', 1), ('mad', 3),
                                         ('store', 5)})

    def test_nothing_is_left_once_it_ran(self):
        self.assertEqual(self.shown(), NOTHING)
        self.schedule((TEMPLATE | 2 << 3) << SIMPLE)
        for _ in range(3):
            self.assertEqual(len(self.places()), 1)
            for topic in ('why details', 'macro'):
                self.assertRegex(self.tile.hmp(f'info tensix {topic}'),
                                 r'\n +simple, delay \d: ttsfpnot ')
            self.push(SFPNOP)
        self.assertEqual(self.shown(), NOTHING)
        self.assertNotIn('SFPLOADMACRO',
                         self.tile.hmp('info tensix why details'))
        self.assertRegex(self.tile.hmp('info tensix macro'), 'nothing')

    def test_results_of_mad_that_come_next(self):
        self.schedule((TEMPLATE + 1 | 0x80) << MAD)
        self.push(SFPNOP)
        self.assertEqual(self.shown(), {'scheduled': [], 'late': {
            'lanes': ALL, 'vd': [1] * 32, 'values': [0] * 32}})
        self.push(SFPNOP)
        self.assertEqual(self.shown(), NOTHING)

    def test_second_half_of_swap(self):
        self.schedule((TEMPLATE + 2 | 0x80) << SIMPLE)
        self.push(SFPNOP)
        self.assertEqual(self.shown(), {
            'scheduled': [], 'swap': {'vc': 2, 'vd': 1, 'lanes': ALL}})
        self.push(SFPNOP)
        self.assertEqual(self.shown(), NOTHING)


ROW_VALID = APERTURE + 0x8000
DEST_ACCESS = hart_view('brisc', 0xFFEF0000 + 4 * 220)
SWIZZLE_32B, REMAP = 1 << 0, 1 << 1


class Dest(unittest.TestCase):
    """Which rows are shown as invalid: each name is what a reader asks for."""

    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)

    def invalid_rows(self, count, form='raw'):
        text = self.tile.hmp(f'info tensix dest 0 {count} {form}')
        rows = [(row, bool(note)) for first, last, note in re.findall(
                    r'^ *(\d+)(?: to (\d+))?( \(invalid\))?:', text, re.M)
                for row in range(int(first), int(last or first) + 1)]
        self.assertEqual([row for row, _ in rows], list(range(count)))
        return [row for row, invalid in rows if invalid]

    def invalidate(self, *rows):
        for row in rows:
            self.tile.write8(ROW_VALID + row, 0)

    def test_16_bits(self):
        self.invalidate(8, 16)
        self.assertEqual(self.invalid_rows(64), [8, 16])

    def test_16_bits_remapped(self):
        """A row of 16 is one of 8 and one of 32."""
        self.invalidate(8, 16)
        self.tile.write32(DEST_ACCESS, REMAP)
        self.assertEqual(self.invalid_rows(64), [16, 32])

    def test_32_bits(self):
        """Row 8 has its high halves in row 16, and its low ones in 24."""
        self.invalidate(16, 24, 36)
        self.assertEqual(self.invalid_rows(64, 'fp32'), [8, 20])

    def test_32_bits_remapped(self):
        self.invalidate(16)
        self.tile.write32(DEST_ACCESS, REMAP)
        self.assertEqual(self.invalid_rows(64, 'fp32'), [16])


class Window(unittest.TestCase):
    """TRISCs' Dest window in the monitor: the same by words, halves and bytes."""

    PLACE, TRISCS = 0xffbd8000, (2, 3, 4)

    def cells(self, tile, hart, words):
        text = tile.qmp('human-monitor-command', **{
            'command-line': f'{words} {self.PLACE:#x}', 'cpu-index': hart})
        return [int(cell, 16) for line in text.splitlines()
                for cell in line.split(':')[-1].split()]

    def test_sizes(self):
        with Tile(stopped=True) as tile:
            tile.write(APERTURE, struct.pack('<64H', *range(0x1111, 0x1151)))
            for hart in self.TRISCS:
                words = self.cells(tile, hart, 'x/4wx')
                data = struct.pack('<4I', *words)
                self.assertTrue(all(words))
                self.assertEqual(self.cells(tile, hart, 'x/8hx'),
                                 list(struct.unpack('<8H', data)))
                self.assertEqual(self.cells(tile, hart, 'x/16bx'), list(data))


class Screen(unittest.TestCase):
    """What people read fits on 80 columns and is in the configured format."""

    LREG = APERTURE + 0x20000
    SRCA = APERTURE + 0x10000
    ALU_ACC_CTRL = hart_view('brisc', 0xFFEF0000 + 4)
    FP32_ENABLED = 1 << 29

    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)

    def test_columns(self):
        bits = struct.pack('<f', -1.2345678e-5)
        self.tile.write(self.LREG, bits * 32 * 2)
        self.tile.write(APERTURE, b'\xb7\xc1' * 64)
        text = self.tile.hmp('info tensix no-such-topic')
        topics = re.findall(r'^info tensix ([\w-]+) --', text, re.M)
        for topic in topics + ['lregs fp32', 'dest 0 64 bf16', 'dest 0 8 int32',
                               'srca 0 8 raw', 'srcb 0 8 fp16']:
            for line in self.tile.hmp('info tensix ' + topic).splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_lanes_are_a_grid(self):
        lanes = [n * n for n in range(32)]
        self.tile.write(self.LREG, struct.pack('<32I', *lanes))
        lines = [line.replace('LReg0:', '') for line in self.shown('lregs 0 1')]
        self.assertEqual([[int(cell, 16) for cell in line.split()]
                          for line in lines],
                         [lanes[n:n + 8] for n in range(0, 32, 8)])

    def shown(self, words):
        return self.tile.hmp('info tensix ' + words).splitlines()

    def test_equal_lanes_and_rows_are_folded(self):
        self.tile.write(self.LREG, struct.pack('<f', 1.5) * 32 * 2)
        self.assertEqual(self.shown('lregs 0 8 fp32'),
                         ['LReg0 to LReg1: 1.5 in all lanes',
                          'LReg2 to LReg7: 0 in all lanes'])
        self.tile.write(self.LREG + 128 + 4 * 31, struct.pack('<I', 7))
        lines = self.shown('lregs 0 3')
        self.assertEqual(lines[0], 'LReg0: 3fc00000 in all lanes')
        self.assertEqual(lines[4].split(), 7 * ['3fc00000'] + ['00000007'])
        self.assertEqual(lines[5:], ['LReg2: 00000000 in all lanes'])
        row = [n * n for n in range(16)]
        self.tile.write(APERTURE + 32 * 3, struct.pack('<16H', *row) * 2)
        self.assertEqual(
            self.shown('dest 0 1024 raw'),
            ['   0 to 2: 0000 in all columns',
             '   3 to 4: ' + ' '.join(f'{n:04x}' for n in row[:8]),
             ' ' * 11 + ' '.join(f'{n:04x}' for n in row[8:]),
             '   5 to 1023: 0000 in all columns'])
        self.assertEqual(self.shown('srcb 0 64')[-1],
                         ' 0 to 63: 0 in all columns')
        self.assertEqual(self.shown('gprs')[:3],
                         ['thread 0', '  0 to 63: 00000000 in all of them',
                          'thread 1'])
        self.assertIn('LaneConfig: 00000000 in all lanes', self.shown('flags'))

    def test_steps_are_folded(self):
        self.assertEqual(self.shown('lregs 15 1'),
                         ['LReg15: 00000000 to 0000003e in steps of 2'])
        self.tile.write(self.LREG, struct.pack('<32f', *range(32, 0, -1)))
        self.assertEqual(self.shown('lregs 0 1 fp32'),
                         ['LReg0: 32 to 1 in steps of -1'])
        self.tile.write(self.LREG, struct.pack('<2I', 0xffffffff, 0) * 16)
        self.assertEqual(len(self.shown('lregs 0 1')), 4)
        self.tile.write(self.LREG, struct.pack('<32f', *[math.inf] * 31, 1))
        self.assertEqual(len(self.shown('lregs 0 1 fp32')), 4)

    def test_rows_that_only_print_alike_are_not_folded(self):
        self.tile.write(self.LREG, struct.pack('<2f', 1.00001, 1.00002) * 16)
        lines = self.shown('lregs 0 1 fp32')
        self.assertEqual([len(lines), set(' '.join(lines).split()[1:])],
                         [4, {'1'}])

    def test_vector_registers_fit_a_screen(self):
        """Three that differ in each lane, and all the constants."""
        for n in range(3):
            self.tile.write(self.LREG + 128 * n, struct.pack(
                '<32f', *[(n + lane) ** 2 for lane in range(32)]))
        for words in ('lregs', 'lregs fp32'):
            lines = self.shown(words)
            self.assertLessEqual(len(lines), 23, lines)

    def test_configured_format(self):
        self.assertIn('format: bf16, as configured',
                      self.tile.hmp('info tensix dest 0 1'))
        self.tile.write32(self.ALU_ACC_CTRL, self.FP32_ENABLED)
        self.assertIn('format: fp32, as configured',
                      self.tile.hmp('info tensix dest 0 1'))
        self.assertNotIn('configured', self.tile.hmp('info tensix dest 0 1 raw'))
        self.tile.write(self.SRCA, struct.pack('<I', 0x7f))      # 1.0
        text = self.tile.hmp('info tensix srca 0 1')
        self.assertRegex(text, r'format: tf32, as configured(?s:.*)\n 0: +1 +0 ')


class Trace(Watched):
    """tensix_insn on and off while a hart does nothing but push."""

    def lines(self, tile):
        return tile.output().count('tensix_insn')

    @every_accelerator
    def test_trace(self, accel):
        words = forever([rv.ttinsn(0x02000000)] * 8)
        tile = self.start({'brisc': words}, accel)
        tile.qmp('cont')
        for _ in range(2):
            before = self.lines(tile)
            tile.qmp('trace-event-set-state', name='tensix_insn', enable=True)
            tile.wait_for(lambda t: self.lines(t) > before, 20, 'traces')
            tile.qmp('trace-event-set-state', name='tensix_insn', enable=False)
            tile.qmp('stop')       # what was on its way has been written
            count = self.lines(tile)
            tile.qmp('cont')
            time.sleep(0.2)
            self.assertEqual(self.lines(tile), count)
        tile.close()


if __name__ == '__main__':
    unittest.main()
