# SPDX-License-Identifier: GPL-2.0-or-later
"""TT() with operands that are known at run time only is code of its caller's
line: for breakpoints, steps and reports."""

import os
import re
import subprocess
import tempfile
import unittest

from blackhole_tile.testing import ROOT, Tile
from test_gdb import GDB, SCRIPT, each, gdb_prints
from test_operands import LEVELS

SOURCE = '''#include "blackhole-tile/kernel.h"
static volatile uint32_t late = 3;
int main(void)
{
    uint32_t row = late;
    PUSH_OWN = TT(SFPLOADI, .lreg_ind = row & 3,
                  .imm16 = late);
    PUSH_OWN = TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset, row);
    TTINSN(SFPNOP);
    PUSH_OWN = TT(ZEROACC, .clear_mode = ZEROACC_ROW, .where = row);
    PUSH_OWN = TT(SFPLOADI, .lreg_ind = row, .imm16 = 5 * row);
    for (uint32_t i = 0; i < row; i++) {
        PUSH_OWN = TT(SETASHRMV, .reg_mask2 = i);
    }
    return 0;
}
'''
OPTIONS = [(level,) for level in LEVELS] + [('-Os', '-DBLACKHOLE_TILE_DEBUG')]
PUSHES = ('6', '8', '9', '10', '11')
VIOLATION = 13


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.source = os.path.join(cls.folder, 'trisc1.c')
        for name, text in (('trisc1.c', SOURCE), (
                'Makefile', 'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n')):
            with open(os.path.join(cls.folder, name), 'w',
                      encoding='utf-8') as file:
                file.write(text)

    def elf(self, *words):
        place = os.path.join(self.folder, 'elf' + ''.join(words))
        subprocess.run(['make', '-s', '-C', self.folder, f'O={place}',
                        f'BLACKHOLE_TILE={ROOT}', *words], check=True,
                       stdout=subprocess.DEVNULL)
        return os.path.join(place, 'trisc1.elf')

    def machine(self, elf):
        tile = Tile(images={'trisc1': elf}, stopped=True, gdb=True)
        return self.enterContext(tile)

    def gdb(self, commands, *words):
        tile = self.machine(self.elf(*words))
        return gdb_prints('-x', SCRIPT, *each(commands), TILE_HARTS='trisc1',
                          TILE_GDB=tile.gdb_socket)

    def test_no_line_of_the_header(self):
        """At any level of optimisation, in C."""
        for options in OPTIONS:
            with self.subTest(options):
                path = os.path.join(self.folder, 'object')
                subprocess.run(
                    ['riscv64-unknown-elf-gcc', '-march=rv32im_zicsr_zifencei',
                     '-mabi=ilp32', '-std=gnu11', '-ffreestanding', '-g',
                     f'-I{ROOT}/include', f'-I{ROOT}/hw/tenstorrent/core',
                     *options, '-c', '-o', path, self.source], check=True)
                text = subprocess.run(
                    ['riscv64-unknown-elf-objdump', '--dwarf=decodedline',
                     path], check=True, stdout=subprocess.PIPE,
                    text=True).stdout
                rows = re.findall(r'^(\S+) +\d+ +(?:0x)?[0-9a-f]+ ', text, re.M)
                self.assertEqual(set(rows), {'trisc1.c'})

    def test_breakpoint_at_each_push(self):
        for words in ((), ('DEBUG=1',)):
            text = self.gdb([f'tbreak trisc1.c:{line}' for line in PUSHES] +
                            ['continue'] * len(PUSHES), *words)
            for number, line in enumerate(PUSHES, 1):
                self.assertRegex(text, rf'breakpoint {number}(\.1)?, main '
                                       rf'\(\) at trisc1\.c:{line}\n{line}\t')

    def test_steps(self):
        """next meets each push, stepi nothing but this file."""
        text = self.gdb(['tbreak main', 'continue', *['next'] * 5])
        lines = re.findall(r'^(?:0x\w+\t)?(\d+)\t', text.partition('hit ')[2],
                           re.M)
        self.assertEqual(sorted(set(lines) & set(PUSHES), key=int),
                         list(PUSHES), text)
        text = self.gdb(['tbreak *main', 'continue', *['stepi'] * 60])
        self.assertNotIn('insn', text)
        self.assertIn('11\t    PUSH_OWN', text)

    def test_report(self):
        for words in ((), ('DEBUG=1',)):
            tile = self.machine(self.elf(*words))
            tile.go()
            tile.wait_for(lambda t: 'tensix: ' in t.output(), 20)
            self.assertRegex(tile.output(), r'tensix: \w+: TRISC1 in main\(\), '
                                            rf'trisc1\.c:{VIOLATION}: ')


if __name__ == '__main__':
    unittest.main()
