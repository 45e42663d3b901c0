# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/run reports beside a failed comparison, and in which order."""

import os
import unittest
from types import SimpleNamespace

import numpy
import rv_asm as rv
from blackhole_tile import findings, watch
from blackhole_tile.testing import BUILD, script
from test_run import (ADD, MAIL_FROM_TRISC0, NO_SUCH_OPCODE, RESULT, ROOT,
                      SECONDS, Run, store)

PUT_FP32 = os.path.join(BUILD, 'examples', 'add', 'a.npy')
MISTAKES = os.path.join(ROOT, 'tests', 'firmware', 'mistakes')
NOT_CHECKED = 'run: not checked: '
UNWRITTEN, HAZARDS, RACES = 'uninitialised reads', 'hazards', 'races'
BOUNDS = 'bounds'
ZEROACC_ROW = 0x10000000


class Findings(Run):
    def said(self, *words, status=watch.DIFFERS):
        """The lines between the comparison and the verdict."""
        lines = self.ends(status, *words).stderr.splitlines()
        last = max(n for n, line in enumerate(lines) if ' numbers' in line and
                   (' not as in ' in line or ' as in ' in line))
        return lines[last + 1:-1]

    def differing(self, source, wanted, *words):
        """Of a program that does nothing."""
        path = self.save('wanted.npy', wanted)
        return self.said(self.program(rv.HALT), f'--expect={source}={path}',
                         *words)

    def test_another_format_than_the_unpacker_reads(self):
        lines = self.said(ADD, f'--put=l1:0x40000={PUT_FP32}:fp32:tiles')
        self.assertEqual(lines[0], (
            'run: --put=l1:0x40000=a.npy:fp32:tiles is FP32, but unpacker 0 '
            'reads BF16 there (THCON_SEC0_REG0_TileDescriptor)'))

    def test_another_format_than_the_packer_writes(self):
        lines = self.said(ADD, '--expect=l1:0x80000:64x64:fp16:tiles='
                          f'{BUILD}/examples/add/expected.npy')
        self.assertEqual(lines[0], (
            'run: --expect=l1:0x80000:64x64:fp16:tiles is FP16, but the '
            'packer writes BF16 there (THCON_SEC0_REG1_Out_data_format)'))

    def test_formats_are_compared_where_they_are_used(self):
        """Bits of any type, and what no unpacker reads, are no clash."""
        other = self.save('other.npy', numpy.ones(1024))
        bits = self.save('bits.npy', numpy.zeros(8192), 'u2')
        for put in (f'0x90000={other}:fp32', f'0x40000={bits}:u16'):
            lines = self.said(ADD, f'--put=l1:{put}',
                              f'--expect=l1:0x80000:1024:bf16={other}')
            self.assertEqual(len(lines), 1, lines)

    def test_nothing_but_zeroes(self):
        lines = self.differing('l1:0x30000:4:fp32', [1, 2, 3, 0])
        self.assertEqual(lines[0], (
            'run: l1:0x30000:4:fp32: all 3 wrong numbers are 0: perhaps the '
            'result was never written there'))
        lines = self.differing('l1:0x30000:4:fp32', [1, 2, 3, 0],
                               '--word=l1:0x30004=1.0')
        self.assertEqual(len(lines), 1, lines)

    def test_rows_of_dest_that_zeroacc_cleared(self):
        wanted = numpy.zeros((1024, 16))
        wanted[2:6, 2] = wanted[700, 0] = 1
        clear = [rv.ttinsn(ZEROACC_ROW | row) for row in (3, 4, 8, 700)]
        lines = self.said(
            self.program(clear + rv.HALT),
            f'--expect=dest:bf16={self.save("wanted.npy", wanted)}')
        self.assertEqual(lines[0], (
            'run: dest:bf16: 3 of the 5 rows that differ are not valid '
            '(ZEROACC cleared them): 3 to 4, 700'))
        self.assertEqual(findings.ranges([0, 2, 4, 6, 7, 9]),
                         '0, 2, 4, 6 to 7, ...')

    def test_checks_that_are_off_are_named(self):
        for options, texts in (('', [UNWRITTEN, HAZARDS, RACES, BOUNDS]),
                               ('hazards=on', [UNWRITTEN, RACES, BOUNDS]),
                               ('unwritten=report',
                                [HAZARDS, RACES, BOUNDS]),
                               ('races=report',
                                [UNWRITTEN, HAZARDS, BOUNDS]),
                               ('bounds=report',
                                [UNWRITTEN, HAZARDS, RACES])):
            lines = self.differing('l1:0x30000:1:fp32', [1],
                                   f'--machine={options}')
            self.assertEqual(lines, [NOT_CHECKED + ', '.join(texts) +
                                     ' (--check)'])
        self.assertEqual(self.differing('l1:0x30000:1:fp32', [1], '--check'),
                         [])

    def test_three_lines_at_most(self):
        ones = self.save('ones.npy', numpy.ones(1024))
        lines = self.said(
            self.program(rv.HALT),
            *(f'--expect=l1:{n}0000:1024:bf16={ones}' for n in range(3, 7)))
        self.assertEqual(len(lines), findings.MOST_LINES)
        self.assertTrue(lines[-1].startswith(NOT_CHECKED))

    def test_a_result_that_is_right_has_none(self):
        self.assertEqual(self.said(ADD, status=watch.DONE), [])


class Violations(Run):
    def test_many_sites_are_counted(self):
        """The first ones are shown before the line that says so."""
        program = self.program([NO_SUCH_OPCODE] * 15 + rv.HALT)
        done = script('run', program, merged=True, timeout=SECONDS)
        lines, shown = done.stdout.splitlines(), watch.SHOWN_VIOLATIONS
        for first, second in zip(lines[:2 * shown:2], lines[1:2 * shown:2]):
            self.assertRegex(first, 'tensix: undefined-behaviour: TRISC0 at pc ')
            self.assertRegex(second, '  trisc0 pc .* thread 0, word ')
        self.assertIn('come from more sites', lines[2 * shown])
        self.assertFalse([line for line in lines[2 * shown:]
                          if line.startswith('  trisc0')], lines)

    def test_a_line_with_many_does_not_hide_another(self):
        """An unrolled loop has as many sites as instructions."""
        lines = [b'tensix: race: TRISC1 in f(), trisc1.c:35: writes row %d\n' % n
                 for n in range(16)] + \
            [b'tensix: race: BRISC in main(), brisc.c:28: reads L1 at 0x80000\n']
        options = SimpleNamespace(all_violations=False, check=False)
        for wanted in (lines[:watch.SHOWN_OF_A_LINE] + lines[-1:], lines):
            watcher = watch.Watch(SimpleNamespace(options=options), None)
            self.assertEqual([line for line in lines if watcher.is_shown(line)],
                             wanted)
            self.assertEqual(watcher.violations, len(lines))
            options.all_violations = True


if __name__ == '__main__':
    unittest.main()
