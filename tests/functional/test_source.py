# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports, `info tensix` and disassembly name function, file and line."""

import os
import random
import re
import resource
import struct
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import rv_asm as rv
from blackhole_tile import ACCELERATORS, HARTS, TileError, firmware
from blackhole_tile.testing import ROOT
from test_board import Folder

INCLUDE = os.path.join(ROOT, 'include')
CORE = os.path.join(ROOT, 'hw', 'tenstorrent', 'core')
GCC = 'riscv64-unknown-elf-gcc'
FLAGS = ['-march=rv32im_zicsr_zifencei', '-mabi=ilp32', '-mno-relax', '-O2',
         '-std=gnu11', '-ffreestanding', '-nostdlib', '-static',
         '-Wl,--build-id=none', '-Wl,--no-warn-rwx-segments']
BASE = 0x20000
LARGE = 31 << 20                # of an ELF: one more MiB may be read

# Lines are counted: each report is checked against its own.
INLINED = '''
#define NOWHERE (*(volatile unsigned *)0x80000000)
static inline __attribute__((always_inline)) void store(unsigned value)
{
    NOWHERE = value;
}
static inline __attribute__((always_inline)) void twice(unsigned value)
{
    store(value);
    store(value);
}
__attribute__((section(".text.first"))) void _start(void)
{
    twice(1);
    for (;;) {
    }
}
'''
STORE_LINE, CALL_LINES, TWICE_LINE, STOP_LINE = 5, (9, 10), 14, 15

EXPANSIONS = '''
#include "blackhole-tile/kernel.h"
#define BAD 0x06000000
static void set_up(void)
{
    for (unsigned i = 2; i < 9; i++) {
        MOP_CFG[i] = TT_NOP;
    }
    MOP_CFG[0] = 1;
    MOP_CFG[1] = 1;
    MOP_CFG[7] = BAD;
}
__attribute__((section(".text.first"))) void _start(void)
{
    set_up();
    TTINSN(MOP, .mop_type = 1);
    TTINSN(REPLAY, .load_mode = 1, .start_idx = 3, .len = 1);
    ttinsn(BAD + 1);
    TTINSN(REPLAY, .start_idx = 3, .len = 1);
    for (;;) {
    }
}
'''


class Sources(Folder):
    def build(self, name, source, *flags, base=BASE):
        """Path of an ELF with its code from `base` on, the first function
        in front."""
        with open(os.path.join(self.folder, name + '.c'), 'w',
                  encoding='utf-8') as file:
            file.write(source)
        script = os.path.join(self.folder, name + '.ld')
        with open(script, 'w', encoding='utf-8') as file:
            file.write('ENTRY(_start) SECTIONS { . = %#x; .text : '
                       '{ *(.text.first) *(.text*) } }' % base)
        subprocess.run([GCC, *FLAGS, '-I', INCLUDE, '-I', CORE,
                        '-Wl,-T,' + script, *flags, '-o', name + '.elf',
                        name + '.c'], cwd=self.folder, check=True)
        return os.path.join(self.folder, name + '.elf')

    def reported(self, tile, count, seconds=20):
        """The output once it has so many violations."""
        tile.wait_for(lambda t: t.output().count('tensix: ') >= count, seconds)
        return tile.output()

    def inlined(self, file='a.c', hart='trisc1', between=r'\n  ', after=r'\n'):
        """How the two stores of INLINED must be reported."""
        return [rf'tensix: bad-access: {hart.upper()} in store\(\), '
                rf'{file}:{STORE_LINE}: [^\n]*{between}'
                rf'{hart} pc 0x0002\w{{4}} in store \({file}:{STORE_LINE}\), '
                rf'inlined in twice \({file}:{line}\), '
                rf'inlined in _start \({file}:{TWICE_LINE}\){after}'
                for line in CALL_LINES]

    def first_report(self, *flags, machine=''):
        elf = self.build('a', INLINED, *flags)
        tile = self.tile(images={'trisc1': elf}, machine=machine)
        return self.reported(tile, 2)


class Dwarf(Sources):
    def test_versions(self):
        for flags in (['-gdwarf-4'], ['-gdwarf-5'], ['-gdwarf-5', '-g3'],
                      ['-gdwarf-4', '-gz=zlib']):
            with self.subTest(flags):
                text = self.first_report(*flags)
                for pattern in self.inlined():
                    self.assertRegex(text, pattern)
                self.assertNotIn('warning', text)

    def test_headers_of_ours(self):
        """The function that the program calls, not what that is made of."""
        elf = self.build('a', '''
#include "blackhole-tile/noc.h"
static inline __attribute__((always_inline)) void fetch(void)
{
    Noc noc = noc_open(0);
    noc_read(&noc, NOC_TILE(12, 17), 0x1000, 0x10000, 32);
}
__attribute__((section(".text.first"))) void _start(void)
{
    fetch();
    for (;;) {
    }
}
''', '-g')
        tile = self.tile(images={'brisc': elf})
        self.assertRegex(
            self.reported(tile, 1),
            r'tensix: unwritten: BRISC in noc_read\(\), blackhole-tile/noc\.h:\d+'
            r', in fetch\(\), a\.c:6: .*NoC read of 32 bytes .*\n'
            r'  brisc pc 0x\w{8} in noc_\w+ \(\S*noc\.h:\d+\), inlined in .*, '
            r'inlined in _start \(a\.c:10\)\n')

    def test_symbols_only(self):
        text = self.first_report('-g0')
        self.assertRegex(text, r'TRISC1 in _start\+0x\w+: .*\n  trisc1 pc 0x0002')
        self.assertNotIn('.c:', text)

    def test_stripped(self):
        text = self.first_report('-s')
        self.assertRegex(text, r'tensix: bad-access: TRISC1 at pc 0x0002\w{4}: ')
        self.assertNotIn('warning', text)
        self.assertNotIn('\n ', text)             # no details are left

    def test_no_elf_has_the_address(self):
        elf = self.build('a', INLINED, '-g')
        with open(elf, 'rb') as file:
            code = self.file('code', file.read())
        subprocess.run([GCC.replace('gcc', 'objcopy'), '-O', 'binary', code],
                       check=True)
        tile = self.tile(extra=[
            '-device', f'loader,file={code},addr={BASE:#x},force-raw=on',
            '-device', f'loader,addr={BASE:#x},cpu-num=3'])
        self.assertRegex(self.reported(tile, 2), r'TRISC1 at pc 0x0002\w{4}: ')

    def test_assembly_has_lines_and_labels(self):
        """hart_done of crt0.S, where each hart of our firmware ends."""
        elf = os.path.join(os.environ.get('TENSIX_BUILD',
                                          os.path.join(ROOT, 'build')),
                           'firmware', 'mistakes', 'push-ncrisc.elf')
        tile = self.tile(images={'ncrisc': elf})
        why = 'info tensix why details'
        tile.wait_for(lambda t: 'hart_done' in t.hmp(why), 20)
        self.assertRegex(tile.hmp(why), r'ncrisc pc 0x\w{8} in hart_done\S* '
                                        r'\(\S*crt0\.S:\d+\)')


class Reports(Sources):
    def test_every_policy(self):
        for machine, ends in (('', None), ('on-violation=stop', None),
                              ('on-violation=exit', 3)):
            with self.subTest(machine):
                elf = self.build('a', INLINED, '-g')
                tile = self.tile(images={'trisc1': elf}, machine=machine)
                tile.wait_for(lambda t: self.inlined and
                              re.search(self.inlined()[0], t.output()), 20) \
                    if ends is None else self.assertEqual(
                        tile.wait_for_exit(20), ends)
                self.assertRegex(tile.output(), self.inlined()[0])

    def test_log_and_trace(self):
        elf = self.build('a', INLINED, '-g')
        log = os.path.join(self.folder, 'log')
        tile = self.tile(images={'trisc1': elf}, extra=[
            '-d', 'guest_errors', '-trace', 'tensix_violation', '-D', log])
        tile.wait_for(lambda t: os.path.exists(log) and
                      open(log, encoding='utf-8').read().count(')]\n') >= 4,
                      20)
        with open(log, encoding='utf-8') as file:
            text = file.read()
        for pattern in self.inlined(between=r' \[', after=r'\]\n'):
            self.assertEqual(len(re.findall(pattern, text)), 2, text)

    def test_expansions(self):
        elf = self.build('a', EXPANSIONS, '-g')
        tile = self.tile(images={'trisc1': elf})
        text = self.reported(tile, 3)
        self.assertRegex(
            text, r'TRISC1 in _start\(\), a\.c:16: .*\n'
                  r'  trisc1 pc 0x\w{8}, thread 1, .*, '
                  r'MOP word 0 from trisc1 pc 0x\w{8} in set_up \(a\.c:11\), '
                  r'inlined in _start \(a\.c:15\)')
        self.assertRegex(
            text, r'TRISC1 in _start\(\), a\.c:19: .*\n'
                  r'  trisc1 pc 0x\w{8}, thread 1, .*, '
                  r'REPLAY slot 3 from trisc1 pc 0x\w{8} in _start '
                  r'\(a\.c:18\)')

    def test_hazard_names_both_lines(self):
        elf = self.build('a', '''
#include "blackhole-tile/kernel.h"
__attribute__((section(".text.first"))) void _start(void)
{
    TTINSN(SFPMAD, .lreg_src_b = 1, .lreg_src_c = 2, .lreg_dest = 3);
    TTINSN(SFPIADD, .imm12_math = 0, .lreg_c = 5, .lreg_dest = 3,
           .instr_mod1 = 4);
    for (;;) {
    }
}
''', '-g')
        tile = self.tile(images={'trisc1': elf}, machine='hazards=on')
        self.assertRegex(self.reported(tile, 1), (
            r'tensix: hazard: TRISC1 in _start\(\), a\.c:6: .*'
            r'trisc1 pc \S+ in _start \(a\.c:5\) \(ttsfpmad .*: missing: '))

    def test_summary_by_line(self):
        """A loop of three sites: two of one line, one of another."""
        elf = self.build('a', '''
#define NOWHERE(n) (*(volatile unsigned *)(0x80000000 + 4 * (n)))
__attribute__((section(".text.first"))) void _start(void)
{
    for (unsigned n = 0; n < 50; n++) {
        NOWHERE(0) = n; NOWHERE(1) = n;
        NOWHERE(2) = n;
    }
    for (;;) {
    }
}
''', '-g')
        tile = self.tile(images={'trisc1': elf})
        tile.wait_for(lambda t: 'running in _start(), a.c:9' in t.why(), 20)
        tile.qmp('quit')
        tile.wait_for_exit(20)
        text = tile.output()
        self.assertIn('tensix: 150 violations at 3 sites\n', text)
        self.assertRegex(text, r'  100 times at 2 sites of a source line: '
                               r'tensix: bad-access: TRISC1 in '
                               r'_start\(\), a\.c:6: .*\n  50 times')
        self.assertRegex(text, r'  50 times: tensix: .* in _start\(\), '
                               r'a\.c:7: .*\n$')

    def test_disassembly(self):
        elf = self.build('a', EXPANSIONS, '-g')
        tile = self.tile(images={'trisc1': elf})
        self.reported(tile, 2)
        text = tile.qmp('human-monitor-command', **{
            'command-line': f'x/20i {BASE:#x}', 'cpu-index': 3})
        self.assertRegex(text, r'ttreplay .*  # _start \(a\.c:17\)')
        self.assertRegex(text, r'ttreplay .*  # _start \(a\.c:19\)')
        self.assertNotIn('#', tile.hmp(f'x/15i {BASE:#x}'))   # BRISC's

    def test_query(self):
        elf = self.build('a', INLINED, '-g')
        tile = self.tile(images={'trisc1': elf})
        self.reported(tile, 2)
        site = tile.qmp('query-tensix-violations')['sites'][0]
        frames = tile.state.source(site['hart'], site['pc'])
        self.assertEqual([(f.function, f.file) for f in frames],
                         [('store', 'a.c'), ('twice', 'a.c'),
                          ('_start', 'a.c')])
        self.assertEqual((frames[0].line, frames[2].line),
                         (STORE_LINE, TWICE_LINE))
        self.assertIn(frames[1].line, CALL_LINES)
        for hart, pc in (('trisc1', 0x1000), ('trisc2', site['pc']),
                         ('none', 0)):
            self.assertEqual(tile.state.source(hart, pc), [])

    def test_many_threads(self):
        """Each hart's own sites, all at once."""
        lines = 20
        stores = '\n'.join(f'    NOWHERE = {n};' for n in range(lines))
        elfs = {hart: self.build(hart, f'''
#define NOWHERE (*(volatile unsigned *)0x80000000)
__attribute__((section(".text.first"))) void _start(void)
{{
{stores}
    for (;;) {{
    }}
}}
''', '-g', base=BASE + 0x4000 * n) for n, hart in enumerate(HARTS[2:])}
        for accel in ACCELERATORS:
            with self.subTest(accel):
                tile = self.tile(images=elfs, accel=accel)
                text = self.reported(tile, 3 * lines)
                for hart in elfs:
                    for n in range(lines):
                        self.assertRegex(text, rf'{hart.upper()} in _start\(\), '
                                               rf'{hart}\.c:{n + 5}: ')


class Names(Sources):
    """ELFs that the machine did not load."""

    def test_offset(self):
        stripped = self.build('code', INLINED, '-s')
        elf = self.build('a', INLINED, '-g', base=0)
        for name in ('monitor', 'property', 'option', 'python'):
            with self.subTest(name):
                option = f'trisc1-symbols={elf}@{BASE:#x}'
                tile = self.tile(images={'trisc1': stripped}, stopped=True,
                                 machine=option if name == 'option' else '')
                if name == 'monitor':
                    self.assertEqual(tile.hmp(f'tensix_symbols trisc1 {elf} '
                                              f'{BASE:#x}'), '')
                elif name == 'property':
                    tile.qmp('qom-set', path='/machine',
                             property='trisc1-symbols',
                             value=f'{elf}@{BASE}')
                elif name == 'python':
                    tile.name_symbols('trisc1', elf, BASE)
                self.assertIn(f'{elf}@{BASE:#x}', tile.qmp(
                    'qom-get', path='/machine', property='trisc1-symbols'))
                tile.go()
                self.assertRegex(self.reported(tile, 2), self.inlined()[0])

    def test_load_of_the_package(self):
        elf = self.build('a', INLINED, '-g')
        tile = self.tile()
        tile.hold()
        tile.load('trisc1', elf)
        tile.release('trisc1')
        self.assertRegex(self.reported(tile, 2), self.inlined()[0])

    def test_kernels_of_a_launch(self):
        """Kernels run elsewhere than they are linked for; bytes have no ELF."""
        elf = self.build('a', INLINED, '-g', base=0x4000)
        launch = firmware.Launch({'brisc': b'code', 'ncrisc': elf,
                                  'trisc1': elf})
        tile = self.tile(stopped=True)
        launch.write(tile)
        for hart, text in zip(HARTS, launch.texts):
            listed = tile.qmp('qom-get', path='/machine',
                              property=f'{hart}-symbols')
            self.assertEqual(listed, f'{elf}@' + hex(
                firmware.KERNEL_BASE + text - 0x4000)
                if hart in ('ncrisc', 'trisc1') else '')
        found = tile.state.source('trisc1',
                                  firmware.KERNEL_BASE + launch.texts[3])
        self.assertEqual(found[-1].function, '_start')

    def test_a_host_without_libdw(self):
        self.file('libdw.so.1', b'')
        elf = self.build('a', INLINED, '-g')
        with mock.patch.dict(os.environ, LD_LIBRARY_PATH=self.folder):
            tile = self.tile(images={'trisc1': elf})
        text = self.reported(tile, 2)
        self.assertEqual(text.count("elfutils' libdw is needed for that"), 1)
        self.assertRegex(text, r'TRISC1 at pc 0x0002\w{4}: ')

    def test_another_libdw(self):
        """Of that name, with none of its functions."""
        with tempfile.NamedTemporaryFile('w', suffix='.c') as source:
            subprocess.run(['gcc', '-shared', '-o', os.path.join(
                self.folder, 'libdw.so.1'), source.name], check=True)
        elf = self.build('a', INLINED, '-g')
        with mock.patch.dict(os.environ, LD_LIBRARY_PATH=self.folder):
            tile = self.tile(images={'trisc1': elf})
        self.assertEqual(self.reported(tile, 2).count(
            'libdw.so.1 has no dwarf_attr()'), 1)

    def test_no_memory_for_an_elf(self):
        """It has nearly as many bytes as one may have, and the emulator may
        have no more than it has."""
        tile = self.tile(images={'trisc1': self.build('a', INLINED, '-g')},
                         stopped=True)
        path = self.file('large', b'')
        os.truncate(path, LARGE)
        with open(f'/proc/{tile.process.pid}/statm', encoding='ascii') as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.prlimit(tile.process.pid, resource.RLIMIT_AS,
                         (used + LARGE // 2, used + LARGE // 2))
        tile.name_symbols('trisc1', path)
        tile.cont()
        self.assertIn(f"no source lines of trisc1 from '{path}': Cannot "
                      'allocate memory', self.reported(tile, 2))

    def test_one_address_in_two_harts(self):
        """Two harts execute the same code; each has its own ELF of it."""
        elf = self.build('a', INLINED, '-g')
        other = self.build('b', INLINED, '-g')
        tile = self.tile(images={'trisc1': elf},
                         machine=f'trisc2-symbols={other}',
                         extra=['-device',
                                f'loader,addr={BASE:#x},cpu-num=4'])
        text = self.reported(tile, 4)
        self.assertRegex(text, self.inlined()[0])
        self.assertRegex(text, self.inlined('b.c', 'trisc2')[0])

    def test_wrong_names(self):
        tile = self.tile(stopped=True)
        for words, answer in (('trisc9 x', "no hart 'trisc9'"),
                              ('trisc1 /no/such', 'No such file'),
                              ('trisc1 /', 'not a file')):
            self.assertIn(answer, tile.hmp('tensix_symbols ' + words))
        for value in ('/no/such', 'x@y', '', '/dev/zero'):
            with self.assertRaises(TileError):
                tile.qmp('qom-set', path='/machine', value=value,
                         property='trisc1-symbols')

    def test_file_that_has_changed(self):
        elf = self.build('a', INLINED, '-g')
        tile = self.tile(images={'trisc1': elf}, stopped=True)
        self.build('a', '\n\n' + INLINED, '-g')
        tile.go()
        text = self.reported(tile, 2)
        self.assertEqual(text.count('it has changed since it was named'), 1)
        self.assertNotIn('a.c:', text)


class Hostile(Sources):
    """Files that are none, or lie.  The machine says so once, and lives."""

    MUTANTS, BYTES = 120, 12

    def setUp(self):
        super().setUp()
        self.good = self.build('good', INLINED, '-gdwarf-5')
        with open(self.good, 'rb') as file:
            self.content = file.read()
        self.machine = self.tile(images={'trisc1': self.build(
            'code', INLINED, '-s')}, stopped=True)
        self.number = 0

    def ask(self, content):
        """What is reported of the hart's pc with such an ELF; warnings."""
        self.number += 1
        path = self.file(f'elf{self.number}', content)
        answers = ''
        for offset in (0, -8 & 0xFFFFFFFF, -16 & 0xFFFFFFFF):
            self.machine.hmp(f'tensix_symbols trisc1 {path} {offset:#x}')
            answers += self.machine.why()
        return answers

    def test_other_files(self):
        for content, problem in (
                (b'', 'not an? .*ELF'),
                (b'\x7fELF' + bytes(60), 'not an? .*ELF'),
                (self.content[:1000], 'it is cut off'),
                (b'text\n' * 1000, 'not an? .*ELF'),
                (self.content[:40], 'not an? .*ELF'),
                (self.content[:16] + b'\x01' + self.content[17:],
                 'it is not linked')):
            with self.subTest(content[:8]):
                self.assertRegex(self.ask(content), problem)

    def test_truncated(self):
        step = len(self.content) // 40
        for length in range(0, len(self.content), step):
            self.ask(self.content[:length])
        self.assertIn('good.c:', self.ask(self.content))

    def test_mutants(self):
        """Bytes of the headers, the sections and the debug information."""
        rng = random.Random(12)
        debug = self.content.index(b'GNU C') - 0x400
        for _ in range(self.MUTANTS):
            data = bytearray(self.content)
            low = rng.choice((0, max(debug, 0x34), len(data) - 0x400))
            for _ in range(rng.randrange(1, self.BYTES)):
                data[rng.randrange(low, len(data))] = rng.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            self.ask(bytes(data))
        self.assertIn('good.c:', self.ask(self.content))

    def test_one_warning_a_file(self):
        """However often it is asked."""
        self.machine.hmp(f'tensix_symbols trisc1 '
                         f'{self.file("bad", self.content[:60])}')
        text = ''.join(self.machine.why() for _ in range(5))
        text += self.machine.output()
        self.assertEqual(text.count('no source lines of trisc1'), 1)

    def test_names_are_printable(self):
        """A terminal takes no orders from a file."""
        data = self.content.replace(b'good.c\0', b'\x1b[2Jxy\0')
        self.assertNotEqual(data, self.content)
        text = self.ask(data)
        self.assertNotIn('\x1b', text)
        self.assertIn('?[2Jxy', text)

    # --- files that make a reader work ---

    LOADED = 0x20000               # the address that all of them have
    SECONDS, LATE, MEMORY = 1, 0.5, 200 << 20

    def elf(self, sections):
        """With (name, type, link, bytes or (bytes, offset there)) as sections."""
        names = b'\0' + b''.join(name.encode() + b'\0'
                                 for name in {s[0] for s in sections})
        at = {name: names.index(b'\0' + name.encode() + b'\0') + 1
              for name in {s[0] for s in sections}}
        data, headers, places = bytearray(52 + 32 + len(names)), [], {}
        data[84:] = names
        for name, kind, link, content in sections:
            if id(content) not in places:
                places[id(content)] = len(data)
                data += content
            headers.append((at[name], kind, 0, 0, places[id(content)],
                            len(content), link, 0, 1, 16 if kind == 2 else 0))
        headers = [(0,) * 10, (0, 3, 0, 0, 84, len(names), 0, 0, 1, 0),
                   *headers]
        data[:52] = b'\x7fELF\1\1\1' + bytes(9) + struct.pack(
            '<HHIIIIIHHHHHH', 2, 243, 1, self.LOADED, 52, len(data), 0, 52, 32,
            1, 40, len(headers), 1)
        data[52:84] = struct.pack('<8I', 1, 0, self.LOADED, self.LOADED, 0,
                                  1 << 16, 5, 4)
        return bytes(data) + b''.join(struct.pack('<10I', *h) for h in headers)

    def memory(self):
        with open(f'/proc/{self.machine.process.pid}/status',
                  encoding='ascii') as file:
            return int(re.search(r'VmHWM:\s+(\d+)', file.read())[1]) << 10

    def check_quick(self, content, problem, pc=LOADED):
        """The machine answers, and takes no more than a little for it."""
        with self.subTest(problem):
            path = self.file('crafted', content)
            self.machine.hmp(f'tensix_symbols trisc1 {path}')
            before, begin = self.memory(), time.monotonic()
            why = self.machine.why()
            took = time.monotonic() - begin
            begin = time.monotonic()
            self.machine.status()
            late = time.monotonic() - begin
            self.assertLess(took, self.SECONDS)
            self.assertLess(late, self.LATE)
            self.assertLess(self.memory() - before, self.MEMORY)
            self.assertRegex(why + self.machine.output(), problem)

    @staticmethod
    def unit(*forms):
        """Of DWARF 4, one entry of abbreviation 1."""
        entry = b'\1' + b''.join(struct.pack('<I', f) for f in forms)
        return struct.pack('<IHIB', 7 + len(entry), 4, 0, 4) + entry

    ABBREV = b'\1\x11\0\x10\x17\x55\x17\0\0\0'   # stmt_list, ranges

    def debug(self, units, line=b'', **others):
        return self.elf([('.debug_info', 1, 0, units),
                         ('.debug_abbrev', 1, 0, self.ABBREV),
                         ('.debug_line', 1, 0, line)] +
                        [(f'.{name}', 1, 0, data)
                         for name, data in others.items()])

    LINES_END = b'\2\x80\x80\4\0\1\1'     # 64 KiB on, DW_LNE_end_sequence

    def lines(self, opcodes):
        head = bytes([1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,
                      0]) + b'a.c\0\0\0\0' + b'\0'
        program = b'\0\5\2' + struct.pack('<I', self.LOADED) + opcodes + \
            self.LINES_END
        return struct.pack('<IHI', 6 + len(head) + len(program), 2,
                           len(head)) + head + program

    RANGE = struct.pack('<4I', LOADED, LOADED + 0x10000, 0, 0)

    def test_names_of_sections_without_bytes(self):
        data = bytearray(self.elf([]))
        [sections] = struct.unpack_from('<I', data, 32)
        struct.pack_into('<I', data, sections + 40 + 4, 8)     # SHT_NOBITS
        self.check_quick(data, 'its sections are broken')

    def test_names_in_a_section_that_is_missing(self):
        data = bytearray(self.elf([]))
        struct.pack_into('<I', data, 32, 0)                    # no sections
        struct.pack_into('<HH', data, 48, 0, 0xFFFF)           # SHN_XINDEX
        self.check_quick(data, 'its sections are broken')

    def test_many_tables_of_symbols(self):
        table = struct.pack('<IIIBBH', 0, 0, 0, 2, 0, 1) * (1 << 16)
        self.check_quick(self.elf([('.symtab', 2, 1, table)] * 60000),
                         'TRISC1 +running at')

    def test_names_without_an_end(self):
        table = struct.pack('<IIIBBH', 1, 0, 0, 2, 0, 1) * (1 << 16)
        strings = b'a' * (1 << 20)
        self.check_quick(self.elf([('.symtab', 2, 3, table),
                                   ('.strtab', 3, 0, strings)]),
                         'TRISC1 +running in a{200}')

    def test_many_units_with_one_list_of_ranges(self):
        ranges = struct.pack('<2I', 0xFFFFFFFF, 0) * (1 << 20) + bytes(8)
        self.check_quick(self.debug(self.unit(0, 0) * 20000,
                                    debug_ranges=ranges), 'it takes too long')

    def test_long_tables_of_lines(self):
        for count, problem in ((100 << 20, 'larger than 32 MiB'),
                               (600 << 10, 'debug_line has more than 512 KiB'),
                               (500 << 10, 'takes too long|a.c:'),
                               (50 << 10, 'in a.c:')):
            self.check_quick(self.debug(self.unit(0, 0),
                                        self.lines(b'\x12' * count),
                                        debug_ranges=self.RANGE), problem)

    def test_line_0_is_none(self):
        """Compilers give it to what has no line."""
        for back, problem in (b'\0', 'running in a.c:1'), \
                (b'\x7f', r'TRISC1 +running at pc 0x\w+\s'):
            self.check_quick(self.debug(
                self.unit(0, 0), self.lines(b'\3' + back + b'\1'),
                debug_ranges=self.RANGE), problem)

    OVERLAPPING = 11               # tables of 48 KiB: 512 KiB are read

    def test_tables_of_lines_that_overlap(self):
        """Each address in another unit, with another head of one table."""
        count, start = 16, self.LOADED + 0x40      # after the code
        table = self.lines(b'\x12' * (48 << 10))
        size = len(self.lines(b'')) - 7 - len(self.LINES_END)
        each = size + 3            # a head, and an opcode that skips the next
        units, lines, ranges = b'', b'', b''
        for n in range(count):
            left = count - 1 - n
            units += self.unit(n * each, n * 16)
            ranges += struct.pack('<4I', start + 4 * n, start + 4 * n + 4, 0, 0)
            lines += struct.pack('<I', len(table) + left * each + 3 - 4) + \
                table[4:size] + bytes([0, 1 + size if left else 1, 0x80])
        path = self.file('overlap', self.debug(units, lines + table[size:],
                                               debug_ranges=ranges))
        self.machine.hmp(f'tensix_symbols trisc1 {path}')
        text = self.machine.qmp('human-monitor-command', **{
            'command-line': f'x/{count}i {start:#x}', 'cpu-index': 3})
        answers = text.count('# a.c:')
        if answers < self.OVERLAPPING:         # a slow host
            self.assertIn('it takes too long', text + self.machine.output())
        else:
            self.assertEqual(answers, self.OVERLAPPING)
            self.assertIn('its tables of lines overlap',
                          text + self.machine.output())

    def test_another_file_for_debug_information(self):
        """libdw would open the FIFO that it names, and wait."""
        fifo = os.path.join(self.folder, 'alt')
        os.mkfifo(fifo)
        self.check_quick(self.elf([
            ('.debug_info', 1, 0, self.unit(0, 0)),
            ('.debug_abbrev', 1, 0, self.ABBREV),
            ('.gnu_debugaltlink', 1, 0, fifo.encode() + b'\0' + bytes(20))]),
            'gnu_debugaltlink')

    def test_no_sections(self):
        """There is nothing to say about such a file."""
        path = self.file('segments', rv.elf({BASE: rv.code(rv.HALT)}, BASE))
        self.machine.hmp(f'tensix_symbols trisc1 {path}')
        self.assertNotIn('warning', self.machine.why() + self.machine.output())

    def test_a_file_is_given_up_alone(self):
        """The next one's lines are found."""
        self.test_many_units_with_one_list_of_ranges()
        self.assertIn('good.c:', self.ask(self.content))

    def test_many_files_that_take_long(self):
        """One question takes no more than some seconds, whatever the files
        are."""
        ranges = struct.pack('<2I', 0xFFFFFFFF, 0) * (1 << 20) + bytes(8)
        path = self.file('long', self.debug(self.unit(0, 0) * 20000,
                                            debug_ranges=ranges))
        for n in range(64):
            os.link(path, f'{path}{n}')
            self.machine.hmp(f'tensix_symbols trisc1 {path}{n}')
        text = self.machine.qmp('human-monitor-command', **{
            'command-line': f'x/2i {self.LOADED + 0x4000:#x}',
            'cpu-index': 3})
        self.assertIn('to find all takes too long', text)
        self.assertLess(text.count('it takes too long to read'), 64)

    def test_many_files(self):
        for n in range(70):
            path = self.file(f'many{n}', self.content)
            self.machine.hmp(f'tensix_symbols trisc1 {path}')
        listed = self.machine.qmp('qom-get', path='/machine',
                                  property='trisc1-symbols').split(' ')
        self.assertEqual(len(listed), 64)
        self.assertTrue(listed[-1].endswith('many69@0x0'))
        self.assertIn('good.c:', self.machine.why())


if __name__ == '__main__':
    unittest.main()
