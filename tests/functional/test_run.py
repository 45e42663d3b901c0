# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/run: the example, values in and out, each way to end, wrong use."""

import contextlib
import io
import os
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest
from types import SimpleNamespace

import numpy
import rv_asm as rv
import test_package
from blackhole_tile import (ACCELERATORS, FORMATS, HARTS, Tile, comparison,
                            npy, registers, run, timeline_file, watch)
from blackhole_tile.testing import (BUILD, FIRMWARE, ROOT, heed_control_c,
                                    script)
from rv_asm import A0, A1, A2
from test_board import Folder
from test_gdb import GDB, each, gdb_prints

RUN = os.path.join(ROOT, 'scripts', 'run')
ADD = os.path.join(ROOT, 'examples', 'add')
SECONDS = 120
RESULT = 0x100000
MAIL_FROM_TRISC0 = 0xFFEC1000
NO_SUCH_OPCODE = rv.ttinsn(0x06000000)


def store(value, address):
    return rv.li(A0, value) + rv.li(A1, address) + [rv.sw(A0, A1)]


def add_words(a, b, c):
    """Code: word c = word a + word b."""
    return (rv.li(A1, a) + [rv.lw(A0, A1)] + rv.li(A1, b) +
            [rv.lw(A2, A1), rv.r_type(rv.OP, 0, 0, A0, A0, A2)] +
            rv.li(A1, c) + [rv.sw(A0, A1)])


class Run(Folder):
    """run() leaves the exit status, out and err."""

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_it(self, *words):
        return script('run', *words, cwd=self.folder, timeout=SECONDS)

    def ends(self, status, *words):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, status,
                         f'{words}\n{done.stdout}{done.stderr}')
        return done

    def program(self, words, hart='trisc0', base=0x8000):
        """Option that runs these instructions."""
        path = self.elf(f'{hart}.elf', {base: words}, base)
        return f'--{hart}={path}'

    def save(self, name, values, kind='f4'):
        values = numpy.asarray(values)
        npy.write(self.path(name), values.astype(kind))
        return self.path(name)

    def refusal(self, words):
        """What is said, in this process: it is quicker."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                status = run.main(list(words))
            except SystemExit as error:
                status = error.code
        self.assertEqual(status, watch.USE, said.getvalue())
        return said.getvalue()


class Example(Run):
    def test_as_the_readme_says(self):
        done = self.ends(0, ADD)
        self.assertRegex(done.stdout, r'adding 4 tiles\n'
                                      r'l1:0x80000:2x16:bf16 \(2x16\):\n0: ')
        self.assertIn('4096 numbers as in expected.npy', done.stderr)
        a, b, c = (numpy.load(os.path.join(
            BUILD, 'examples', 'add', f'{name}.npy'))
            for name in 'abc')
        self.assertTrue(numpy.array_equal(c, a + b))
        self.assertGreater(len(set(c.ravel().tolist())), 100)

    def test_every_accelerator_and_order(self):
        for accel in ACCELERATORS:
            for machine in ('hazards=on', 'schedule=seed=1',
                            'schedule=seed=2'):
                with self.subTest(accel=accel, machine=machine):
                    done = self.ends(0, ADD, '--accel', accel,
                                     '--machine', machine)
                    self.assertNotRegex(done.stdout + done.stderr,
                                        'tensix:|violation')

    def test_a_copy_elsewhere(self):
        copy = self.path('mine')
        shutil.copytree(ADD, copy)
        with open(os.path.join(copy, 'trisc1.c'), encoding='utf-8') as file:
            text = file.read()
        with open(os.path.join(copy, 'trisc1.c'), 'w',
                  encoding='utf-8') as file:
            file.write(text.replace('TT(ELWADD', 'TT(ELWSUB'))
        done = self.ends(watch.DIFFERS, copy)
        self.assertRegex(done.stderr,
                         r'numbers, 4\d{3} not as in .*expected.npy: ')
        self.assertTrue(os.path.exists(os.path.join(copy, 'build', 'c.npy')))
        with open(os.path.join(copy, 'brisc.c'), 'a', encoding='utf-8') as \
                file:
            file.write('#error no way\n')
        self.assertIn('no way', self.ends(watch.USE, copy).stderr)
        with open(os.path.join(copy, 'brisc.c'), 'w', encoding='utf-8') as \
                file:
            file.write('int main(void) { return 0; }\n')
        with open(os.path.join(copy, 'run.args'), 'a',
                  encoding='utf-8') as file:
            file.write('--until rest\n')
        done = self.ends(watch.USE, copy)
        self.assertIn("'rest' is not of the form --option", done.stderr)

    def test_without_numpy(self):
        """As if it were not installed: what is missing is named."""
        self.file('sitecustomize.py',
                  b'import sys\nsys.modules["numpy"] = None\n')
        done = subprocess.run(
            [RUN, ADD, '--get=dest:bf16'], capture_output=True, text=True,
            timeout=SECONDS, check=False, stdin=subprocess.DEVNULL,
            env=dict(os.environ, TENSIX_BUILD=BUILD, PYTHONPATH=self.folder))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r'^run: error: \S+ has no numpy '
                         r'\(Debian: python3-numpy\): scripts/setup ')


class Values(Run):
    def test_formats(self):
        """Into memory and back, as tiles and flat, through every format."""
        small = numpy.random.default_rng(1).integers(0, 2, (32, 64))
        path, words, results = self.save('in.npy', small), [], {}
        for n, name in enumerate(FORMATS):
            for m, layout in enumerate(('', ':tiles', ':columns')):
                where = f'l1:{0x20000 + (3 * n + m) * 0x2100:#x}'
                out = self.path(f'{n}-{m}.npy')
                words += [f'--put={where}={path}:{name}{layout}',
                          f'--get={where}:32x64:{name}{layout}={out}']
                results[name + layout] = (out, FORMATS[name].kind)
        self.ends(0, self.program(rv.HALT), '--quiet', *words)
        for name, (out, kind) in results.items():
            with self.subTest(name):
                got = numpy.load(out)
                self.assertEqual(got.dtype.str[1:], kind)
                self.assertTrue(numpy.array_equal(got, small))

    def test_places(self):
        """What one name writes, another finds."""
        program = self.program(rv.HALT, 'trisc1', 0xC000)
        path = self.save('in.npy', [1, 2, 3, 4], 'u4')
        for put, get in (
                ('l1:0x30000', '0x30000'), ('l1:0x30000', 'trisc2:0x30000'),
                ('trisc1:0xffb00100', '0x400000000+0xffb00100'),
                ('dram:5:0x100', 'noc:18:15:0x100'),
                ('pages:0x40', 'dram:0:0x40'), ('brisc:0x10', 'l1:16')):
            get = str(eval(get)) if '+' in get else get
            with self.subTest(f'{put} {get}'):
                done = self.ends(0, program, f'--put={put}={path}',
                                 f'--get={get}:4:u32')
                self.assertIn('1 2 3 4', done.stdout)

    def test_symbols_and_words(self):
        elf = os.path.join(FIRMWARE, 'atomics-brisc.elf')
        done = self.ends(1, f'--brisc={elf}', '--word=brisc:nothing=1')
        self.assertIn("no symbol 'nothing'", done.stderr)
        done = self.ends(0, self.program(rv.HALT), f'--ncrisc={elf}',
                         '--word=l1:0x40000=1,-1,1.5,0x80000000',
                         '--word=ncrisc:main=0x6f', '--until=rest',
                         '--get=l1:0x40000:4:u32', '--get=ncrisc:main:1:u32')
        self.assertRegex(done.stdout, r' 1 +4294967295 +1069547520 '
                                      r'+2147483648\n')
        self.assertRegex(done.stdout, r'main:1:u32 \(1\):\n0: 111\n')

    def test_raw_files(self):
        path = self.file('data', bytes(range(100)))
        out = self.path('out')
        self.ends(0, self.program(rv.HALT), f'--put=dram:1:7={path}',
                  f'--get=dram:1:7:100:u8={out}')
        with open(out, 'rb') as file:
            self.assertEqual(file.read(), bytes(range(100)))

    def test_register_files(self):
        out = self.path('lregs.npy')
        load_one = 0x71 << 24 | 3 << 20 | 0x3F80      # LReg3 = bf16 1.0
        done = self.ends(0, self.program([rv.ttinsn(load_one)] + rv.HALT),
                         f'--get=lregs:fp32={out}', '--get=dest:fp32',
                         '--get=srca:tf32', '--get=srcb', '--get=gprs',
                         '--get=semaphores')
        self.assertEqual(numpy.load(out)[3].tolist(), [1.0] * 32)
        for shape in ('512x16', '2x64x16', '3x64', '8x2'):
            self.assertIn(f'({shape}):', done.stdout)

    def test_what_is_shown_is_folded(self):
        path = self.save('in.npy', [5] * 100 + [7], 'u4')
        load_one = 0x71 << 24 | 3 << 20 | 0x3F80      # LReg3 = bf16 1.0
        done = self.ends(0, self.program([rv.ttinsn(load_one)] + rv.HALT),
                         '--quiet', f'--put=l1:0x30000={path}',
                         '--get=dest:bf16', '--get=lregs:fp32', '--get=srca',
                         '--get=l1:0x30000:101:u32')
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:6], [
            'dest:bf16 (1024x16):', '   0 to 1023: 0 in all columns',
            'lregs:fp32 (17x32):', 'LReg 0 to LReg2: 0 in all lanes',
            'LReg 3: 1 in all lanes', 'LReg 4 to LReg7: 0 in all lanes'])
        self.assertEqual(lines[-8:], [
            'srca (2x64x16):',
            '[0]', ' 0 to 63: 00000 in all columns',
            '[1]', ' 0 to 63: 00000 in all columns',
            'l1:0x30000:101:u32 (101):',
            '  0 to 95: 5 in all of them', ' 96: 5 5 5 5 7'])

    def test_not_all_of_a_long_array_is_shown(self):
        noise = numpy.random.default_rng(1).normal(size=(1024, 16))
        path = self.save('in.npy', noise, 'f4')
        words = (self.program(rv.HALT), '--quiet', f'--put=0x30000={path}')
        lines = self.ends(0, *words, '--get=0x30000:1024x16:fp32'
                          ).stdout.splitlines()
        self.assertEqual(lines[0], '0x30000:1024x16:fp32 (1024x16):')
        self.assertEqual(lines[65:], [
            '992 more rows (--get=0x30000:1024x16:fp32:all shows them, '
            '--get=0x30000:1024x16:fp32=FILE.npy writes a file)'])
        self.assertTrue(all(len(line) <= 80 for line in lines[:65]), lines)
        lines = self.ends(0, *words, '--get=0x30000:1024x16:fp32:all'
                          ).stdout.splitlines()
        self.assertEqual(len(lines), 1 + 2048)
        lines = self.ends(0, *words, '--get=0x30000:16384:fp32'
                          ).stdout.splitlines()
        self.assertIn('15872 more numbers (', lines[-1])

    def test_integers_are_shown_in_full(self):
        big = [0xFFFFFFFF, 1234567890, 7, 0]
        path, words = self.save('in.npy', big, 'u4'), []
        for form, other in (('u32', 1234567891), ('s32', -2),
                            ('u8', 200), ('int32', -9)):
            wanted = self.save(f'{form}.npy', [other], 'i8')
            words += [f'--get=0x30000:4:{form}',
                      f'--expect=0x30004:1:{form}={wanted}']
        done = self.ends(watch.DIFFERS, self.program(rv.HALT),
                         f'--put=0x30000={path}', *words)
        rows = re.findall(r'^0: +(.*)$', done.stdout, re.M)
        self.assertEqual([list(map(int, row.split())) for row in rows], [
            big, [-1, *big[1:]], [255] * 4,
            [-0x7FFFFFFF, *big[1:]]])
        for text in ('1234567890 instead of 1234567891',
                     '1234567890 instead of -2', '210 instead of 200',
                     '1234567890 instead of -9'):
            self.assertIn(f'number 0 is {text}\n', done.stderr)

    def test_a_program_that_computes(self):
        program = self.program(add_words(0x30000, 0x30004, 0x30008) + rv.HALT)
        wanted = self.save('wanted.npy', [42], 'u4')
        other = self.save('other.npy', [40], 'u4')
        words = (program, '--word=l1:0x30000=40,2', '--until=l1:0x30008!=0')
        self.ends(0, *words, f'--expect=l1:0x30008:1:u32={wanted}')
        done = self.ends(watch.DIFFERS, *words,
                         f'--expect=l1:0x30008:1:u32={other}')
        self.assertIn('42 instead of 40', done.stderr)
        self.ends(0, *words, f'--expect=l1:0x30008:1:u32={other}',
                  '--tolerance=2')
        for tolerance, status in (('1,0.024', watch.DIFFERS), ('1,0.025', 0)):
            self.ends(status, *words, f'--expect=l1:0x30008:1:u32={other}',
                      f'--tolerance={tolerance}')
        for wrong in ('-1', '1,2,3', 'nan', 'x', '0,inf'):
            self.ends(watch.USE, *words, f'--tolerance={wrong}')
        self.ends(0, program, '--word=l1:0x30000=40,2',
                  '--until=l1:0x30008>=42', '--until=l1:0x30008=0x2a')


    def test_nothing_finite_is_as_infinity(self):
        inf, beyond = numpy.inf, comparison.Tolerance(1, 1e308)
        for values, wanted, count in (([inf, 2], [1e10, 1e10], 1),
                                      ([1, 2], [-inf, inf], 2),
                                      ([inf, -1e308], [inf, 1e308], 1)):
            self.assertEqual(comparison.compare(
                numpy.array(values), numpy.array(wanted), beyond)[0], count)

    def test_what_differs_is_reported(self):
        found = self.save('found.npy', [[1, 2, 3], [4, numpy.nan, 9]], 'f4')
        put = (self.program(rv.HALT), f'--put=l1:0x30000={found}:fp32')
        for status, wanted, text in (
                (0, [[1, 2, 3], [4, numpy.nan, 9]], ' as in '),
                (watch.DIFFERS, [[1, 2, 3], [5, numpy.nan, 9]],
                 'the first of them, [1, 0] is 4 instead of 5\n'),
                (watch.DIFFERS, [[1, 0, 3], [4, 5, numpy.inf]],
                 'the first of them, [0, 1] is 2 instead of 0; the worst, '
                 '[1, 1] is nan instead of 5\n')):
            path = self.save('wanted.npy', wanted, 'f4')
            done = self.ends(status, *put, '--tolerance=0,0.1',
                             f'--expect=l1:0x30000:2x3:fp32={path}')
            self.assertIn(text, done.stderr)

    def test_a_timeline_has_its_end(self):
        path = self.path('run.timeline')
        self.ends(0, self.program(rv.HALT), f'--machine=timeline={path}')
        self.assertTrue(timeline_file.TimelineFile(path).complete)


class Firmware(Run):
    """--firmware and --kernel, with the firmware of test_package."""

    def setUp(self):
        super().setUp()
        test_package.write_firmware(self)

    def test_boot(self):
        done = self.ends(0, f'--firmware={self.folder}',
                         '--get=l1:0x112b0:2:u16')
        self.assertIn(str(12 << 6 | 17), done.stdout)

    def test_kernel(self):
        path = self.file('kernel.bin', rv.code(test_package.kernel_of_ours()))
        done = self.ends(0, f'--firmware={self.folder}',
                         f'--kernel=brisc={path}', '--args=brisc=40,2',
                         '--cb=0=0x37000:0x1000:1024',
                         '--get=l1:0x100000:1:u32')
        self.assertRegex(done.stdout, r'0: 42\n')

    def test_what_does_not_boot(self):
        self.elf('brisc.elf', {0x3840: rv.HALT}, 0x3840)
        done = self.ends(watch.TIME_OUT, f'--firmware={self.folder}',
                         '--timeout=0.5')
        self.assertIn('boot of the firmware', done.stderr)
        self.assertIn(' running at pc 0x', done.stderr)


class Ends(Run):
    """Each exit status of the manual."""

    def test_exit_by_the_program(self):
        self.ends(0, self.program(rv.leave(0)))
        self.ends(0, self.program(rv.leave(0)), '--until=exit')
        done = self.ends(watch.ENDED, self.program(rv.leave(9)))
        self.assertIn('status 9', done.stderr)
        # the numbers mean something else when the program says them
        for status in (2, 3, 4):
            self.ends(watch.ENDED, self.program(rv.leave(status)))
        done = self.ends(watch.ENDED, self.program(rv.leave(0)),
                         '--get=l1:0:1:u32')
        self.assertIn('before all was done', done.stderr)

    def test_rest(self):
        """In each way in which a hart can have nothing left to do."""
        for words in (rv.HALT, [rv.jump(0)], [rv.EBREAK], [rv.ECALL]):
            with self.subTest(words):
                self.ends(0, self.program(store(7, RESULT) + words),
                          '--get=l1:0x100000:1:u32')

    def test_a_paused_hart_is_named(self):
        """It may be an assertion."""
        done = self.ends(0, self.program([rv.EBREAK]))
        self.assertRegex(done.stderr,
                         r'run: trisc0 waits for .*ebreak.* at 0x0000800')

    def test_a_busy_thread_is_no_rest(self):
        """A hart that has ended, with an instruction that waits for good."""
        semwait = 0xA6 << 24 | 0x1FF << 15 | 1 << 2 | 1
        done = self.ends(watch.DEADLOCK, self.program(
            [rv.ttinsn(semwait), rv.ttinsn(0x60 << 24)] + rv.HALT))
        self.assertIn('FPU_SFPU is 0 of 0', done.stdout)

    def test_a_push_between_two_polls(self):
        """The hart pushes after the first poll, on its way to its jump."""
        class Thread0:
            polls = 0
            state = property(lambda self: self)
            tiles = property(lambda self: [self])

            def why(self):
                self.polls += 1
                nodes = {hart: 'off' for hart in HARTS}
                nodes |= {'trisc0': 'running', 'thread0': 'idle'}
                if self.polls > self.busy_from:
                    nodes['thread0'] = 'running'
                return SimpleNamespace(nodes=[
                    SimpleNamespace(node=name, state=state, wait=None)
                    for name, state in nodes.items()])

            def hart_pcs(self):
                return {'trisc0': '0x00008008'}

            def read32(self, _address):
                return rv.jump(0)

        tile = Thread0()
        for tile.busy_from, at_rest in ((1, False), (9, True)):
            tile.polls = 0
            self.assertEqual(watch.rests(tile), at_rest, tile.busy_from)

    def test_time_out(self):
        count = [rv.addi(A0, A0, 1)]
        done = self.ends(watch.TIME_OUT, self.program(
            count + rv.li(A1, RESULT) + [rv.sw(A0, A1), rv.jump(-16)]),
            '--timeout=0.5', '--until=l1:0x20000=5')
        self.assertIn('waiting for l1:0x20000=0x5 (now 0x0)', done.stderr)
        self.assertRegex(done.stderr, r'harts are at .*trisc0 0x80')
        self.assertIn(' running at pc 0x', done.stderr)

    def test_deadlock(self):
        done = self.ends(watch.DEADLOCK, self.program(
            rv.li(A1, MAIL_FROM_TRISC0) + [rv.lw(A0, A1)] + rv.HALT,
            'trisc1'), '--until=l1:0x20000=5')
        self.assertIn('deadlock: TRISC1 waits at pc 0x', done.stdout)
        self.assertRegex(done.stderr, r'the latest events:\n(\d+: .*\n)*'
                         r'\d+: hart trisc1 stalls, pc 0x00008008')
        for action in ('stop', 'exit'):
            self.ends(watch.DEADLOCK, self.program(
                rv.li(A1, MAIL_FROM_TRISC0) + [rv.lw(A0, A1)] + rv.HALT,
                'trisc1'), f'--machine=on-deadlock={action}')

    def test_rest_without_what_was_wanted(self):
        done = self.ends(watch.DEADLOCK, self.program(rv.HALT),
                         '--until=l1:0x20000=5')
        self.assertIn('run: the tile is idle for good, and the run waits for '
                      'l1:0x20000=0x5 (now 0x0)\n', done.stderr)

    def test_violations(self):
        program = self.program([NO_SUCH_OPCODE] + rv.HALT)
        for status, words in ((watch.VIOLATION, ()),
                              (0, ('--allow-violations',))):
            done = self.ends(status, program, *words)
            self.assertIn('tensix: undefined-behaviour: TRISC0', done.stdout)
            self.assertIn('1 violation reported', done.stderr)
        for action in ('exit', 'stop'):
            done = self.ends(watch.VIOLATION, program,
                             f'--on-violation={action}',
                             '--until=l1:0x20000=5')
            self.assertIn('stopped by a violation', done.stderr)

    def test_violations_of_several_tiles(self):
        program = self.program([NO_SUCH_OPCODE] + rv.HALT)
        done = self.ends(watch.VIOLATION, program, '--machine=tiles=2x1')
        self.assertIn('2 violations reported', done.stderr)

    def test_a_violation_in_the_programs_line(self):
        """The program's text does not end with a newline."""
        text = 0x9000
        path = self.file('says.elf', rv.elf(
            {0x8000: rv.code(rv.li(A0, rv.SYS_WRITE0) + rv.li(A1, text) +
                             rv.SEMIHOSTING + [NO_SUCH_OPCODE] + rv.HALT),
             text: b'up \0'}, 0x8000))
        for words in ('--check',), ():
            done = self.ends(watch.VIOLATION, f'--trisc0={path}', *words)
            self.assertIn('1 violation reported', done.stderr)
        # a poll may come between the two, or find both
        whole = done.stdout.encode()
        self.assertTrue(whole.startswith(b'up tensix: '))
        one = watch.Watch(
            SimpleNamespace(options=SimpleNamespace(
                quiet=True, all_violations=False, check=True)),
            SimpleNamespace(output_bytes=lambda start: whole[start:]))
        with contextlib.redirect_stdout(io.StringIO()):
            one.show_output(last=True)
        self.assertEqual(one.violations, 1)
        with Tile({'trisc0': path}) as tile:
            tile.wait_for(lambda t: 'tensix: ' in t.output())
            self.assertEqual(len(tile.violations()), 1)

    def test_results_after_a_violation(self):
        """They are read and compared; a difference is the status."""
        program = self.program([NO_SUCH_OPCODE] + store(7, RESULT) + rv.HALT)
        path = self.path('seven.npy')
        for wanted, words, status in (
                (7, (), watch.VIOLATION), (8, (), watch.DIFFERS),
                (7, ('--allow-violations',), 0),
                (8, ('--allow-violations',), watch.DIFFERS)):
            numpy.save(path, numpy.array([wanted], dtype=numpy.uint32))
            done = self.ends(status, program, *words,
                             f'--expect=l1:{RESULT:#x}:1:u32={path}')
            self.assertIn('expected' if wanted == 7 else 'differ',
                          done.stderr.replace('seven.npy', 'expected'))

    def test_an_exit_after_a_violation(self):
        for code, status in ((0, watch.VIOLATION), (7, watch.ENDED)):
            program = self.program([NO_SUCH_OPCODE] + rv.leave(code) + rv.HALT)
            self.ends(status, program, '--until=exit')
        self.ends(0, self.program([NO_SUCH_OPCODE] + rv.leave(0) + rv.HALT),
                  '--until=exit', '--allow-violations')

    def test_many_violations(self):
        """The machine has 32 lines for a hart, unless all are wanted."""
        program = self.program([NO_SUCH_OPCODE] * 50 + rv.HALT)
        for words, shown, count in (((), 10, 32),
                                   (('--all-violations',), 50, 50)):
            done = self.ends(watch.VIOLATION, program, *words)
            self.assertEqual(done.stdout.count('undefined-behaviour'), shown)
            self.assertIn(f'{count} violations reported', done.stderr)

    def test_trace(self):
        path = self.path('trace')
        done = self.ends(watch.VIOLATION,
                         self.program([rv.ttinsn(0x60 << 24),
                                       NO_SUCH_OPCODE] + rv.HALT),
                         f'--trace={path}')
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.assertRegex(text, r'(?m)^tensix_insn .*trisc0.*ttdmanop')
        self.assertIn('1 violation reported', done.stderr)

    def test_why(self):
        done = self.ends(0, self.program(rv.HALT), '--why', '--quiet')
        self.assertRegex(done.stderr, r'(?s)^  BRISC .*thread 2 .*details')


class Interrupted(Run):
    def start(self, *words):
        """A program that says "up" and continues for ever."""
        text = 0x8100
        code = rv.li(A0, rv.SYS_WRITE0) + rv.li(A1, text) + rv.SEMIHOSTING
        path = self.file('up.elf', rv.elf(
            {0x8000: rv.code(code + [rv.addi(A0, A0, 1), rv.jump(-4)]),
             text: b'up\n\0'}, 0x8000))
        process = subprocess.Popen(
            [RUN, f'--trisc0={path}', *words],
            env=dict(os.environ, TENSIX_BUILD=BUILD),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, preexec_fn=heed_control_c)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def emulator(self, process):
        """Process id of its child, once that runs."""
        end = time.monotonic() + 20
        path = f'/proc/{process.pid}/task/{process.pid}/children'
        while time.monotonic() < end:
            with open(path, encoding='ascii') as file:
                children = file.read().split()
            for child in children:
                # a helper of the shell script may have ended meanwhile
                with contextlib.suppress(FileNotFoundError,
                                         ProcessLookupError), \
                        open(f'/proc/{child}/comm', encoding='ascii') as file:
                    if file.read().startswith('qemu'):
                        return int(child)
            time.sleep(0.01)
        self.fail('no emulator was started')

    def assert_ended(self, pid):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                with open(f'/proc/{pid}/stat', encoding='ascii') as file:
                    if file.read().rpartition(')')[2].split()[0] == 'Z':
                        return
            except (FileNotFoundError, ProcessLookupError):
                return
            time.sleep(0.01)
        self.fail(f'the emulator, {pid}, is left')

    def test_interrupt(self):
        process = self.start()
        self.assertEqual(process.stdout.readline(), 'up\n')
        child = self.emulator(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), watch.INTERRUPTED)
        self.assertIn('interrupted', process.stdout.read())
        self.assert_ended(child)

    def test_terminated(self):
        """Nothing is left, the folder of its files neither."""
        process = self.start()
        self.assertEqual(process.stdout.readline(), 'up\n')
        child = self.emulator(process)
        folder = os.path.dirname(os.readlink(f'/proc/{child}/fd/1'))
        self.assertTrue(os.path.isdir(folder))
        process.terminate()
        self.assertEqual(process.wait(20), watch.TERMINATED)
        self.assert_ended(child)
        self.assertFalse(os.path.exists(folder))

    def test_without_a_reader(self):
        process = self.start('--timeout=1')
        process.stdout.close()
        self.assertEqual(process.wait(20), watch.NO_READER)

    def test_killed(self):
        process = self.start()
        child = self.emulator(process)
        process.kill()
        self.assert_ended(child)

    def test_emulator_killed(self):
        process = self.start()
        self.assertEqual(process.stdout.readline(), 'up\n')
        os.kill(self.emulator(process), signal.SIGKILL)
        self.assertEqual(process.wait(20), watch.ENDED)
        self.assertIn('signal 9', process.stdout.read())

    def test_progress_on_a_terminal(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [RUN, self.program([rv.addi(A0, A0, 1), rv.jump(-4)]),
             '--timeout=1.5'], env=dict(os.environ, TENSIX_BUILD=BUILD),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=slave)
        os.close(slave)
        self.assertEqual(process.wait(SECONDS), watch.TIME_OUT)
        text = os.read(master, 1 << 16).decode()
        os.close(master)
        self.assertRegex(text, '\r\x1b\\[Krun: [0-9.]+ s, waiting for exit')

    @unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
    def test_gdb_by_the_printed_command(self):
        """The printed command attaches; the place is its user's alone."""
        process = self.start('--gdb')
        line = ''
        while 'waiting for gdb: ' not in line:
            line = process.stdout.readline()
            self.assertTrue(line, 'it ended')
        command = line.split('waiting for gdb: ')[1].strip()
        where = re.match(r'TILE_GDB=(\S+)/', command)[1]
        self.assertEqual(os.stat(where).st_mode & 0o77, 0)
        done = subprocess.run(
            f"{command} -nx -batch -ex 'info inferiors' -ex 'monitor quit'",
            shell=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(len(re.findall(r'(?m)^\W+\d +process \d', done.stdout)), 5,
                         done.stdout)
        process.stdout.read()
        process.wait(SECONDS)

    @unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
    def test_gdb(self):
        where = self.path('gdb')
        process = self.start('--gdb', f'--gdb-at=unix:path={where},server=on,'
                                      f'wait=off')
        self.emulator(process)
        for _ in range(500):
            if os.path.exists(where):
                break
            time.sleep(0.02)
        text = gdb_prints(*each([
            'set architecture riscv:rv32', f'target extended-remote {where}',
            'add-inferior', 'inferior 2', 'attach 3', 'p/x $pc', 'stepi',
            'p/x $pc', 'monitor quit']))
        self.assertRegex(text, r'(?s)\$1 = 0x8000\n.*\$2 = 0x8004\n')
        self.assertIn(f'waiting for gdb: TILE_GDB={where} gdb-multiarch',
                      process.stdout.read())


class WrongUse(Run):
    """Status 1, and a message that names what is wrong."""

    def unended(self):
        """A folder with a damaged run.args."""
        folder = os.path.join(self.folder, 'unended')
        os.makedirs(folder)
        with open(os.path.join(folder, 'run.args'), 'w',
                  encoding='utf-8') as file:
            file.write("--until='rest\n")
        return folder

    def test_by_the_script(self):
        for words in ((), ('--nothing',), ('nowhere',)):
            done = self.ends(watch.USE, *words)
            self.assertIn('scripts/run: error: ', done.stderr)
            self.assertNotIn('Traceback', done.stderr)

    def check_messages(self, rows):
        for words, text in rows:
            with self.subTest(words):
                self.assertIn(text, self.refusal(words))

    def test_messages(self):
        good = self.program(rv.HALT)
        self.check_messages((
            ((), 'nothing to run'),
            (('nowhere',), 'nowhere: does not exist, nor do nowhere-brisc.elf'),
            ((self.folder + '/..',), 'has none of brisc.elf'),
            (('--brisc=/etc/passwd',), '/etc/passwd: not a 32-bit'),
            (('--brisc=none.elf',), 'none.elf: No such file'),
            ((good, '--nothing'), '--nothing'),
            ((good, '--accel=fast'), 'fast'),
            ((good, '--timeout=0'), '--timeout'),
            ((good, '--timeout=soon'), '--timeout'),
            ((good, '--machine=nothing=1'), 'nothing'),
            ((good, '--', '-nothing'), '-nothing'),
            ((good, '--kernel=brisc=x'), '--kernel needs --firmware'),
            ((good, '--firmware=x'), '--firmware brings'),
            (('--firmware=x',), 'x: no such folder'),
            (('--firmware=x', '--cb=0=1:2'), 'need a --kernel'),
            (('--firmware=x', '--kernel=brisk=x'), 'no hart brisk'),
            ((good, '--gdb-at=tcp::1'), 'it needs --gdb'),
            ((good, '--word=l1:0x20000'), 'PLACE=VALUE'),
            ((good, '--word=l1:0x20000=99999999999'), '99999999999'),
            ((good, '--word=l1:0x20000=x'), "'x'"),
            ((good, '--word=l1=3'), 'l1 needs 1 number'),
            ((good, '--word=dram:8:0=1'), 'no DRAM bank 8'),
            ((good, '--word=noc:64:0:0=1'), 'no such place'),
            ((good, '--word=l1:0x17fffc=1,2'), 'do not fit'),
            ((good, '--word=l1:-4=1'), '-4 is no address'),
            ((good, '--get=pages:-4:1:u32'), '-4 is no address'),
            ((good, f'--until={1 << 64:#x}=0'), 'is no address'),
            ((good, '--word=brisc:0x100000000=1'), '32 bits'),
            ((self.unended(),), 'run.args: No closing quotation'),
            ((good, '--word=l1:zero=2'), "'zero' is no address"),
            ((good, '--word=trisc0:zero=2'), "no symbol 'zero'"),
            ((good, '--word=zero=2'), 'no place zero: '),
            ((good, '--until=l1:0'), 'neither exit nor rest'),
            ((good, '--until=exit', '--get=l1:0:1:u32'), 'ebreak')))

    def test_messages_about_files(self):
        good = self.program(rv.HALT)
        matrix = self.save('m.npy', numpy.zeros((32, 32)))
        double = self.save('d.npy', [1.0], 'f8')
        bad = self.file('bad.npy', b'no numbers')
        self.check_messages((
            ((good, '--put=l1:0=none.npy'), 'none.npy: No such file'),
            ((good, f'--put=l1:0={bad}'), 'no .npy file'),
            ((good, f'--put=l1:0={matrix}:bf15'), 'no format bf15'),
            ((good, f'--put=l1:0={matrix}:tiles'), 'FORMAT is missing'),
            ((good, f'--get=l1:0:1:u32={matrix}', '--expect=x=y'), "'x'"),
            ((good, f'--put=l1:0x17ffff={matrix}'), 'do not fit'),
            ((good, f'--put=l1:0={double}'), 'say in which format'),
            ((good, f'--put=l1:0={double}:bf16:tiles'), 'multiples of 32'),
            ((good, f'--put=l1:0={double}:bfp8'), 'share'),
            ((good, '--put=l1:0=/etc/passwd:bf16'), 'only .npy'),
            ((good, '--get=l1:0:12'), 'SHAPE:FORMAT or'),
            ((good, '--get=l1:0:12:bf16:rows'), 'no layout rows'),
            ((good, '--get=l1:0:12:u33'), '(did you mean u32?)'),
            ((good, '--get=l1:0:0x3:u32'), 'no shape'),
            ((good, '--get=l1:0:33x32:bf16:tiles'), 'multiples of 32'),
            ((good, '--get=l1:0:24:bfp8'), 'shares exponents'),
            ((good, '--get=l1:0:1:u32='), 'no file'),
            ((good, '--get=dest:fp99'), 'but as raw'),
            ((good, '--get=gprs:fp32'), 'cannot be seen'),
            ((good, '--expect=l1:0:1:u32'), 'FILE.npy'),
            ((good, '--expect=l1:0:1:u32=none.npy'), 'No such file')))

    def test_a_file_that_cannot_be_written(self):
        done = self.ends(watch.USE, self.program(rv.HALT),
                         '--get=l1:0:1:u32=/none/out.npy')
        self.assertIn('/none/out.npy', done.stderr)

    def test_no_emulator(self):
        done = subprocess.run(
            [RUN, self.program(rv.HALT)], capture_output=True, text=True,
            check=False, timeout=SECONDS, stdin=subprocess.DEVNULL,
            env=dict(os.environ, BLACKHOLE_TILE_QEMU='/none/qemu'))
        self.assertEqual(done.returncode, watch.USE)
        self.assertIn('/none/qemu: No such file', done.stderr)


class Help(Run):
    def test_names_everything(self):
        text = self.ends(0, '--help').stdout
        for name in (*FORMATS, *HARTS, *registers.DEST_VIEWS,
                     *registers.SRC_VIEWS, *registers.LREG_VIEWS):
            self.assertRegex(text, rf'\b{name}\b')

    def test_the_manual_has_every_option(self):
        with open(os.path.join(ROOT, 'docs', 'running.rst'),
                  encoding='utf-8') as file:
            page = file.read()
        for option in re.findall(r'^  (--[a-z-]+)',
                                 self.ends(0, '--help').stdout, re.M):
            self.assertIn(f'``{option}', page)


if __name__ == '__main__':
    unittest.main()
