# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb speaks Tensix: python/blackhole_tile/ingdb, loaded by scripts/tile.gdb."""

import importlib
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import rv_asm as rv
from blackhole_tile import FORMATS, tilize
from blackhole_tile.testing import ROOT, Tile
from test_gdb import GDB, SCRIPT, echo, gdb_prints, run_gdb

from blackhole_tile.ingdb.insns import Table, from_ttinsn
from blackhole_tile.grid import Style, rows_text
from blackhole_tile.ingdb.text import table, tree

TRISC1 = os.path.join(ROOT, 'tests', 'firmware', 'demo', 'trisc1.c')
COMPILER = 'riscv64-unknown-elf-gcc'
SCRATCH_LREG, LAST_VECTOR_ROW, FACE = 2, 12, 16
CODE, TILE_AT = 0x20000, 0x100000


def line_of(text):
    """Number of the line of the demo's trisc1.c that has this text."""
    with open(TRISC1, encoding='utf-8') as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def sections_of(text):
    """{marker: what was printed after it}"""
    parts = re.split(r'^<(\w+)>$', text, flags=re.M)
    return {'all': text, **dict(zip(parts[1::2], parts[2::2]))}


def numbers(text):
    return [float(x) for x in re.findall(r'-?\d+(?:\.\d+)?(?:e[-+]\d+)?\b',
                                         text)]


def demo_x(n):
    """Value n of the demo's input."""
    return -64 + n * 37 % 1024 / 8


class Words(unittest.TestCase):
    """Without gdb."""

    def test_instructions_are_the_machines(self):
        """All opcodes, random operands: the same as its own disassembly."""
        choose = random.Random(12)
        words = [op << 24 | choose.getrandbits(24)
                 for op in range(0xC0) for _ in range(4)]
        with Tile(stopped=True) as tile:
            insns = Table(tree(tile.hmp('info tensix instructions')))
            tile.write(CODE, rv.code([rv.ttinsn(word) for word in words]))
            lines = tile.hmp(f'x/{len(words)}i {CODE:#x}').splitlines()
        self.assertEqual(len(insns.by_opcode), 137)
        self.assertEqual(len(lines), len(words))
        for word, line in zip(words, lines):
            text = insns.text(word)
            self.assertIn(text.split()[0], line)
            self.assertEqual(re.findall(r'=(\d+)', text),
                             re.findall(r'[ ,=](\d+)\b',
                                        line.partition(text.split()[0])[2])
                             if text[0] != '.' else [], (text, line))

    def test_words_of_riscv_are_left_alone(self):
        self.assertIsNone(from_ttinsn(rv.NOP))
        for word in (0, 0x26000000, 0xBFFFFFFF):
            self.assertEqual(from_ttinsn(rv.ttinsn(word)), word)

    def test_disassembly_is_in_gdbs_colours(self):
        """gdb 14 and newer take parts with a style, gdb 13 takes a text."""
        word = 0x26C00003
        parts = Table({'MVMUL': {'opcode': 0x26, 'clear_dvalid': '23..22',
                                 'dst': '13..0'}}).parts(word)
        text = 'ttmvmul clear_dvalid=3, dst=3'
        for styles in ({}, {f'STYLE_{name}': name for name in (
                'MNEMONIC', 'TEXT', 'IMMEDIATE', 'ASSEMBLER_DIRECTIVE')}):
            api = types.SimpleNamespace(
                Disassembler=object, DisassemblerResult=lambda *a, **k: (a, k),
                **styles)
            info = types.SimpleNamespace(text_part=lambda *part: part)
            result = self.disassembler(api).result_of(info, parts)
            self.assertEqual(result, ((4,), {'parts': [
                ('MNEMONIC', 'ttmvmul'), ('TEXT', ' clear_dvalid='),
                ('IMMEDIATE', '3'), ('TEXT', ', dst='), ('IMMEDIATE', '3')]})
                if styles else ((4, text), {}))

    @staticmethod
    def disassembler(api):
        """The plug-in, outside gdb."""
        gdb = types.SimpleNamespace(disassembler=api)
        name = 'blackhole_tile.ingdb.disassembler'
        with unittest.mock.patch.dict('sys.modules', {
                'gdb': gdb, 'gdb.disassembler': api,
                'blackhole_tile.ingdb.link': types.SimpleNamespace(LINK=None)}):
            sys.modules.pop(name, None)
            module = importlib.import_module(name)
        return module

    def test_tree(self):
        self.assertEqual(tree('a\n  x: 0x10\n  b\n    y: 1..0\nz: text: 1\n'),
                         {'a': {'x': 16, 'b': {'y': '1..0'}}, 'z': 'text: 1'})

    def test_tables(self):
        self.assertEqual(table(('n', 'who'), [(1, 'a'), (10, 'b4')]),
                         ' n  who\n 1  a\n10  b4')
        row = [n * n for n in range(16)]
        self.assertEqual(
            rows_text([row], Style(width=40)).splitlines(),
            ['0:   0   1   4   9  16  25  36  49',
             '    64  81 100 121 144 169 196 225'])
        self.assertTrue(all(len(line) <= 80 for line in rows_text(
            [[-1.2345678e-30 * n * n for n in range(32)]]).splitlines()))


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Demo(unittest.TestCase):
    """One session on the demo: by source line, over three .ttinsn."""

    @classmethod
    def setUpClass(cls):
        with Tile('demo', stopped=True, gdb=True) as tile:
            tile.write(TILE_AT, tilize([[r + (c / 32) ** 2 for c in range(32)]
                                        for r in range(32)], 'fp32'))
            cls.sections = sections_of(run_gdb(tile, cls.commands()))

    @staticmethod
    def commands():
        start = line_of('TTINSN(SETRWC, .BitMask = RWC_DEST')
        asked = {
            'code': ['x/5i $pc', 'disassemble'],
            'over': ['stepi', 'stepi', 'stepi', 'x/i $pc'],
            'lreg': ['tensix lreg 2', 'tensix lreg 2 raw'],
            'folded': ['tensix lreg 10', 'tensix lregs 8 9', f'tensix tile {TILE_AT + 4096} fp32'],
            'registers': ['output $lreg2.f'],
            'functions': ['printf "%f\\n", $_lreg(2, 9)',
                          'printf "%f\\n", $_dest(0, 0)',
                          'printf "%f\\n", $_dest(3, 2, "fp32")',
                          'printf "%d\\n", $_lreg(2, 9, "raw")',
                          'printf "%f\\n", $_srca(0, 0)',
                          f'printf "%f\\n", $_tile({TILE_AT}, "fp32")[17][5]'],
            'dest': ['tensix dest 0 1', 'tensix dest 0 1 fp32'],
            'sem': ['tensix sem'],
            'threads': ['tensix threads'],
            'frame': ['up', 'tensix threads', 'frame', 'thread'],
            'again': [f'source {SCRIPT}', 'tensix sem'],
            'why': ['tensix why'],
            'recent': ['tensix recent 200'],
            'cfg': ['tensix cfg DEST_TARGET_REG_CFG_MATH_Offset', 'tensix cfg /fp32_enabled/'],
            'counters': ['tensix rwc', 'tensix adc', 'tensix bank'],
            'tile': [f'tensix tile {TILE_AT} fp32 3 2'],
            'help': ['tensix', 'complete tensix ce', 'complete tensix sr',
                     'complete tensix cfg ALU_FORMAT_SPEC_REG_SrcA_o'],
        }
        lines = ['inferior 4', f'break trisc1.c:{start}', 'continue']
        for name, commands in asked.items():
            lines += [echo(name), *commands]
        return lines + [echo('end'), 'delete', 'continue']

    def section(self, name):
        self.assertIn(name, self.sections, self.sections['all'])
        return self.sections[name]

    def test_disassembly_has_mnemonics_and_operands(self):
        self.assertRegex(
            self.section('code'),
            r'(?s)function compute_face.*ttsetrwc .*BitMask=4\n.*'
            r'ttmop mop_type=1, loop_count=0, .*'
            r'ttstallwait stall_res=2, wait_res=2048\n.*ttsempost.*ret')

    def test_three_steps_go_over_three_words(self):
        code = self.section('code').strip().splitlines()
        self.assertTrue(code[0].startswith('=> '), code[0])
        for line in code[:3]:
            self.assertRegex(line, r'<compute_face\+\d+>:\ttt\w+ ')
        self.assertEqual(self.section('over').strip().splitlines()[-1][3:],
                         code[3].strip())

    def test_lreg(self):
        """The program copies x to it: lanes are the odd columns of 4 rows."""
        wanted = [demo_x(FACE * (LAST_VECTOR_ROW + lane // 8) +
                         2 * (lane % 8) + 1) for lane in range(32)]
        lines = self.section('lreg').strip().splitlines()
        self.assertRegex(lines[0], '^LReg2:')
        shown = [numbers(line.partition(':')[2] or line) for line in lines[:4]]
        self.assertEqual([len(row) for row in shown], [8] * 4)
        for value, want in zip(sum(shown, []), wanted):
            self.assertAlmostEqual(value, want, delta=0.01)
        self.assertRegex(lines[4], '^LReg2: [0-9a-f]{8} ')
        self.assertEqual(len(' '.join(lines[4:8]).split()), 1 + 32)
        self.assertEqual(numbers(self.section('registers')), wanted)

    def test_equal_lanes_and_rows_are_folded(self):
        self.assertEqual(self.section('folded').strip().splitlines(), [
            'LReg10: 1 in all lanes',
            'LReg8: 3f56594b in all lanes', 'LReg9: 00000000 in all lanes',
            'LReg10: 3f800000 in all lanes', 'LReg11: bf800000 in all lanes',
            'LReg12: 3b000000 in all lanes', 'LReg13: bf2cc4c7 in all lanes',
            'LReg14: beb08ff9 in all lanes',
            'LReg15: 00000000 to 0000003e in steps of 2',
            'LReg16: 00000000 in all lanes',
            f'tile at {TILE_AT + 4096:#x}, fp32, 4096 bytes to '
            f'{TILE_AT + 8192:#x}', ' 0 to 31: 0 in all columns'])

    def test_functions(self):
        lreg, dest, fp32, raw, srca, tile = \
            self.section('functions').split()[:6]
        x = demo_x(FACE * (LAST_VECTOR_ROW + 1) + 3)
        self.assertEqual(float(lreg), x)
        self.assertEqual(struct.pack('<i', int(raw)), struct.pack('<f', x))
        for text, n in ((dest, 0), (fp32, 3 * FACE + 2)):
            x = demo_x(n)
            self.assertAlmostEqual(float(text), x * x + 1 if x < 0 else
                                   2.5 * x + 1, delta=abs(x))
        self.assertEqual(float(srca), 0)
        self.assertAlmostEqual(float(tile), 17 + (5 / 32) ** 2, places=5)

    def test_dest(self):
        configured, *_ = numbers(self.section('dest').split(':')[-1])
        self.assertEqual(configured, demo_x(0) ** 2 + 1)

    def test_tables(self):
        self.assertRegex(self.section('sem'),
                         r'(?m)^0: value \d+ max \d+ \(')
        self.assertRegex(self.section('threads'),
                         r'(?m)^4 +trisc1 +running +0xc\w+ +compute_face')
        # TRISC2 has pushed its SEMWAIT by then, or not yet
        self.assertRegex(self.section('threads'), r'(?m)^ +thread 2 +('
                         r'idle +an instruction|waiting +SEMWAIT until COMP)')
        self.assertRegex(self.section('counters'), r'(?s)Dst_Cr.*unpacker1.*'
                         r'the Matrix Unit uses')

    def test_the_selected_frame_stays(self):
        where = self.section('frame').partition('thread 2')[2]
        self.assertRegex(where, r'#1 .* in main \(\)')
        self.assertRegex(where, r'Current thread is 4\.1 ')

    def test_the_script_may_be_sourced_again(self):
        self.assertRegex(self.section('again'), r'(?m)^0: value')
        self.assertNotIn('Error', self.section('again'))

    def test_why(self):
        self.assertRegex(self.section('why'), r'(?s)BRISC .*thread 2 .*details')

    def test_recent(self):
        self.assertRegex(self.section('recent'), r'ttsfpstore')

    def test_cfg(self):
        self.assertRegex(self.section('cfg'), r'(?s)field.*thread 0 .*thread 2'
                         r'.*MATH_Offset')
        self.assertRegex(self.section('cfg'), r'field.*bank 0  bank 1\n'
                         r' *ALU_ACC_CTRL_Fp32_enabled')

    def test_tile(self):
        lines = self.section('tile').strip().splitlines()
        self.assertEqual(lines[0], f'tile at {TILE_AT:#x}, fp32, 4096 bytes '
                                   f'to {TILE_AT + 4096:#x}')
        rows = '\n'.join(lines[1:])
        self.assertEqual(re.findall(r'(?m)^ *(\d+):', rows), ['3', '4'])
        shown = numbers(re.sub(r'(?m)^ *\d+:', '', rows))
        for n, value in enumerate(shown):
            self.assertAlmostEqual(value, 3 + n // 32 + (n % 32 / 32) ** 2,
                                   delta=0.001)
        self.assertEqual(len(shown), 64)

    def test_help_and_completion(self):
        text = self.section('help')
        for name in ('tensix dest', 'tensix tile', 'tensix why', 'tensix cfg',
                     'tensix semaphores'):
            self.assertRegex(text, rf'(?m)^{name}.* -- ')
        self.assertRegex(text, r'(?m)^tensix srcb$')
        self.assertIn('cfg ALU_FORMAT_SPEC_REG_SrcA_override', text)

    def test_firmware_ends_well_afterwards(self):
        self.assertIn('1024 values computed, 0 wrong', self.section('end'))


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Tiles(unittest.TestCase):
    """Every format, objects of C, and a gdb without numpy."""

    def setUp(self):
        choose = random.Random(3)
        self.matrix = [[choose.randrange(64) for _ in range(32)]
                       for _ in range(32)]

    def session(self, commands, environment=None, elf=None):
        with Tile(stopped=True, gdb=True) as tile:
            self.placed = {}
            for n, name in enumerate(FORMATS):
                at = TILE_AT + 0x1000 * n
                tile.write(at, tilize(self.matrix, name))
                self.placed[name] = at, tile.get_tiles(at, (32, 32), name)
            before = [f'inferior 3\nfile {elf}'] if elf else []
            with unittest.mock.patch.dict(os.environ, environment or {}):
                return sections_of(run_gdb(tile, before + commands(
                    self.placed)))

    @staticmethod
    def each(placed):
        return [line for name, (at, _) in placed.items()
                for line in (echo(name), f'tensix tile {at:#x} {name}')] + \
            [echo('end')]

    def check_each(self, sections):
        for name, (_, wanted) in self.placed.items():
            rows = sections[name].strip().splitlines()[1:129]
            shown = numbers('\n'.join(row.partition(':')[2] or row
                                      for row in rows))
            want = [float(x) for row in wanted for x in row]
            self.assertEqual(len(shown), 1024, name)
            for a, b in zip(shown, want):
                self.assertAlmostEqual(a, b, delta=0.01, msg=name)

    def test_every_format(self):
        self.check_each(self.session(self.each))

    def test_without_numpy(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'numpy.py'), 'w',
                      encoding='utf-8') as file:
                file.write('raise ImportError("not here")\n')
            sections = self.session(
                lambda placed: [echo('harts'), 'info inferiors', echo('end')],
                {'PYTHONPATH': folder})
        self.assertIn('no command "tensix", no .ttinsn in disassembly: not '
                      'here', sections['all'])
        self.assertRegex(sections['harts'], r'\n. 5 ')

    def test_objects_of_c(self):
        source = ''.join(
            f'typedef struct {{ unsigned char bytes[{FORMATS[name].size(1024)}]'
            f'; }} tile_{name};\ntile_{name} a_{name};\n'
            for name in ('bfp8', 'bf16', 'u8'))
        with tempfile.TemporaryDirectory() as folder:
            elf = os.path.join(folder, 'tiles.o')
            subprocess.run([COMPILER, '-march=rv32im', '-mabi=ilp32', '-g',
                            '-x', 'c', '-', '-c', '-o', elf], check=True,
                           input=source, encoding='utf-8')
            sections = self.session(
                lambda placed: [line for name in ('bfp8', 'bf16', 'u8')
                                for line in (echo(name), 'set print elements 0',
                                             'set print repeats 0',
                                             f'print *(tile_{name} *) '
                                             f'{placed[name][0]}')], elf=elf)
        for name in ('bfp8', 'bf16', 'u8'):
            self.assertIn(f'tile of {name}', sections[name])
            self.assertEqual(
                numbers(sections[name].partition(' = ')[2].partition(name)[2])
                [:1024], [float(x) for row in self.placed[name][1]
                          for x in row])


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Errors(unittest.TestCase):
    WRONG = {
        'tensix lreg 17': 'row 17 does not exist: there are 17',
        'tensix lreg 2 bf8': "'bf8' is no row",
        'tensix lreg 2 bf16': 'LReg cannot be seen as bf16, but as raw fp32',
        'tensix lreg': 'usage: tensix lreg N',
        'tensix cfg NO_SUCH_FIELD': 'no configuration field NO_SUCH_FIELD',
        'tensix cfg /(/': r'/\(/: ',
        'tensix tile 0x1000 bf17': 'no format bf17; there are fp32',
        'tensix tile 0x1000': 'usage: tensix tile',
        'tensix tile 0x1000 bf16 32': 'no row of a tile 32',
        'tensix tile no_such_name bf16': 'no_such_name: No symbol',
        'tensix nonsense': "no topic 'nonsense'",
        'tensix dest 0 1 bf17': "'bf17' is no row",
        'print $_dest(1024, 0, "bf16")': 'no row of Dest 1024',
        'print $_dest(0, 16)': 'no column 16',
        'print $_lreg(0, -1)': 'no lane -1',
        'print $_srca(0, 0, "tf32", 2)': 'no bank 2',
        'print $_tile(0, "no")': 'no format no',
    }

    def test_each_is_reported(self):
        """And the session continues after it."""
        commands = ['python', 'def attempt(command):', '    try:',
                    '        gdb.execute(command)',
                    '    except gdb.error as error:',
                    '        print("error:", error)', 'end']
        for n, command in enumerate(self.WRONG):
            commands += [echo(f'e{n}'), f"python attempt('''{command}''')"]
        with Tile(stopped=True, gdb=True) as tile:
            sections = sections_of(run_gdb(tile, commands))
        for n, (command, wanted) in enumerate(self.WRONG.items()):
            self.assertRegex(sections[f'e{n}'], f'error: .*{wanted}', command)

    def test_without_a_machine(self):
        """The script says so; the commands do, too; code is shown plainly."""
        result = gdb_prints('-x', SCRIPT, '-ex', 'tensix why',
                            TILE_GDB='/nowhere')
        self.assertIn('is a blackhole-tile waiting there', result)
        self.assertIn('"monitor" command not supported', result)


if __name__ == '__main__':
    unittest.main()
