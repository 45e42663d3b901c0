# SPDX-License-Identifier: GPL-2.0-or-later
"""Operands that do not fit their fields: an error of the compiler, or of the
hart in a debug build.  Addresses of the NoC beyond 4 GiB."""

import os
import subprocess
import tempfile
import unittest

from blackhole_tile.testing import ROOT

RUN = os.path.join(ROOT, 'scripts', 'run')
LEVELS = ('-O1', '-Og', '-O2', '-Os', '-O3')
SECONDS = 120
MAKEFILE = 'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n'
SOURCE = '''#include "blackhole-tile/kernel.h"
#include "blackhole-tile/console.h"
#include "blackhole-tile/noc.h"
static volatile uint32_t known_late = %s;
int main(void)
{
    (void)known_late;
    %s;
    leave(0);
}
'''
STATEMENT_LINE = 8

CUT = (
    ('TTINSN(SFPLOAD, .dest_reg_addr = 9000)',
     'SFPLOAD.dest_reg_addr has 13 bits'),
    ('TTINSN(SFPLOADI, .imm16 = 0x13FC0)', 'SFPLOADI.imm16 has 16 bits'),
    ('TTINSN(SFPLOADI, .imm16 = -32769)', 'SFPLOADI.imm16 has 16 bits'),
    ('PUSH_OWN = TT(SFPABS, .lreg_c = 17)', 'SFPABS.lreg_c has 4 bits'),
    ('PUSH_OWN = TT(SFPABS, .lreg_c = -1)', 'SFPABS.lreg_c has 4 bits'),
    ('TTINSN(SEMPOST, .sem_sel = SEM_MASK(8))', 'SEMPOST.sem_sel has 8 bits'),
    ('PUSH_OWN = TT_SET_GPR_HALF(2, 0x10000)',
     'SETDMAREG.Payload_SigSelSize has 2 bits'),
    ('CFG[1] = FIELD(ALU_FORMAT_SPEC_REG0_SrcA, 16)',
     'field ALU_FORMAT_SPEC_REG0_SrcA has 4 bits'),
    ('SET_ADDR_MOD(0, .srca = { .incr = 64 })',
     'field ADDR_MOD_AB_SEC0_SrcAIncr has 6 bits'),
    ('SET_ADDR_MOD(8, .srca = { .incr = 1 })', 'no such address modifier'),
    ('SET_ADDR_MOD_PACK(4, .y_src = { .incr = 1 })',
     'no such address modifier'),
    ('SET_MOP_LOOP(.outer = 1, .inner = 1024)', 'MopLoop.inner has 10 bits'),
    ('SET_MOP_LOOP(.outer = 128, .inner = 1)', 'MopLoop.outer has 7 bits'),
)
FITS = '''
    TTINSN(SFPLOAD, .dest_reg_addr = 8191);
    TTINSN(SFPLOADI, .imm16 = -32768);
    TTINSN(SFPIADD, .imm12_math = -2048);
    TTINSN(SFPIADD, .imm12_math = 4095);
    TTINSN(SETASHRMV, .reg_mask2 = 0xFFFFFF);
    SET_ADDR_MOD(7, .dest = { .incr = -8 });
    SET_MOP_LOOP(.outer = 127, .inner = known_late);
    SET_MOP_LOOP(.outer = 1, .inner = 1023);
    CFG[1] = FIELD(ALU_FORMAT_SPEC_REG0_SrcA, 15)'''


class OperandTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        with open(os.path.join(self.folder, 'Makefile'), 'w',
                  encoding='utf-8') as file:
            file.write(MAKEFILE)

    def write(self, statement: str, value: str = '0') -> None:
        with open(os.path.join(self.folder, 'brisc.c'), 'w',
                  encoding='utf-8') as file:
            file.write(SOURCE % (value, statement))

    def compiled(self, *options: str) -> 'subprocess.CompletedProcess[str]':
        return subprocess.run(
            ['riscv64-unknown-elf-gcc', '-march=rv32im_zicsr_zifencei',
             '-mabi=ilp32', '-std=gnu11', '-Wall', '-Wextra', '-Werror',
             '-ffreestanding', '-fno-builtin', *options,
             f'-I{ROOT}/include', f'-I{ROOT}/hw/tenstorrent/core',
             '-c', '-o', '/dev/null', os.path.join(self.folder, 'brisc.c')],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False)

    def run_folder(self, **more: str) -> 'subprocess.CompletedProcess[str]':
        return subprocess.run(
            [RUN, self.folder], env=dict(os.environ, **more), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False, timeout=SECONDS)

    def test_compiler_names_field_and_width(self) -> None:
        for statement, message in CUT:
            self.write(statement)
            for level in LEVELS:
                with self.subTest(statement=statement, level=level):
                    done = self.compiled(level)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(message, done.stdout)
                    self.assertIn(f'brisc.c:{STATEMENT_LINE}:', done.stdout)

    def test_what_fits_compiles(self) -> None:
        self.write(FITS)
        for options in [(level,) for level in LEVELS] + [
                ('-Os', '-DBLACKHOLE_TILE_DEBUG')]:
            with self.subTest(options=options):
                self.assertEqual(self.compiled(*options).stdout, '')

    def test_no_call_is_left_without_optimisation(self) -> None:
        self.write('PUSH_OWN = TT(SFPABS, .lreg_c = 17)')
        self.assertEqual(self.compiled('-O0').stdout, '')

    def test_debug_build_checks_at_run_time(self) -> None:
        self.write('PUSH_THREAD(0) = TT(SFPABS, .lreg_c = known_late)', '17')
        self.assertEqual(self.run_folder().returncode, 0)
        done = self.run_folder(DEBUG='1')
        self.assertIn(f'brisc.c:{STATEMENT_LINE}: operand does not fit: '
                      'SFPABS.lreg_c has 4 bits, and the value is 17 (0x11)',
                      done.stdout)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.run_folder().returncode, 0)

    def test_debug_build_checks_configuration(self) -> None:
        self.write('CFG[1] = FIELD(ALU_FORMAT_SPEC_REG0_SrcA, known_late)',
                   '16')
        done = self.run_folder(DEBUG='1')
        self.assertIn('ALU_FORMAT_SPEC_REG0_SrcA has 4 bits', done.stdout)
        self.assertNotEqual(done.returncode, 0)

    def test_debug_build_checks_counts_of_a_mop(self) -> None:
        self.write('SET_MOP_LOOP(.outer = 1, .inner = known_late)', '1024')
        done = self.run_folder(DEBUG='1')
        self.assertIn(f'brisc.c:{STATEMENT_LINE}: operand does not fit: '
                      'MopLoop.inner has 10 bits, and the value is 1024',
                      done.stdout)
        self.assertNotEqual(done.returncode, 0)

    def test_noc_beyond_the_bank(self) -> None:
        for call in ('noc_read', 'noc_write'):
            with self.subTest(call=call):
                self.write('Noc noc = noc_open(0); '
                           f'{call}(&noc, NOC_DRAM(3), 0x100000040, 0x20040, '
                           '64); noc_wait(&noc)')
                self.assertIn('0x100000040', self.run_folder().stdout)


if __name__ == '__main__':
    unittest.main()
