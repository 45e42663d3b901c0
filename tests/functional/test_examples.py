# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernels of examples/: what they compute, by numpy; and what firmware may
use of C."""

import math
import os
import re
import shutil
import unittest
from unittest import mock

import numpy
from blackhole_tile import ACCELERATORS, FORMATS
from blackhole_tile.testing import BUILD, ROOT, script
from test_board import Folder

EXAMPLES = os.path.join(ROOT, 'examples')
OUT = os.path.join(BUILD, 'examples')
NAMES = os.path.join(ROOT, 'include', 'blackhole-tile', 'names.h')
SECONDS = 120
PROGRAMS = ('add', 'matmul', 'sfpu', 'sfpu_words', 'gelu', 'softmax', 'sort',
            'noc_copy', 'orders')

ARITHMETIC = r'''
#include "blackhole-tile/kernel.h"

typedef struct { uint32_t words[40]; } Large;

static volatile float three = 3, half = 0.5f;
static volatile double ten = 10;
static volatile int64_t large = -1234567890123456789;
static volatile uint64_t divisor = 987654321;
static volatile uint32_t one_bit = 0x00010000;
static Large from, to;

static void store(uint32_t place, uint64_t value)
{
    REG32(SHARED_BASE + 8 * place) = value;
    REG32(SHARED_BASE + 8 * place + 4) = value >> 32;
}

int main(void)
{
    union { double number; uint64_t bits; } d = { ten / three };

    for (unsigned i = 0; i < 40; i++) {
        from.words[i] = i;
    }
    to = from;
    store(0, fp32_bits(three * three + half));
    store(1, d.bits);
    store(2, large / (int64_t)divisor);
    store(3, (uint64_t)large % divisor);
    store(4, __builtin_clz(one_bit) << 16 | __builtin_popcountll(divisor) << 8 |
             __builtin_ctz(one_bit));
    store(5, (int64_t)((float)large / half));
    store(6, to.words[39]);
    return 0;
}
'''


class Kernels(Folder):
    def run_it(self, *words, status=0):
        """What scripts/run says."""
        done = script('run', *words, cwd=self.folder, timeout=SECONDS)
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, f'{words}\n{text}')
        return text

    def example(self, name):
        """Runs it; {name: array} of the files that it has then."""
        self.run_it(os.path.join(EXAMPLES, name))
        folder = os.path.join(OUT, name)
        return {os.path.splitext(file)[0]: numpy.load(os.path.join(
            folder, file)) for file in os.listdir(folder)
            if file.endswith('.npy')}


class Results(Kernels):
    def test_there_are_no_others(self):
        folders = {name for name in os.listdir(EXAMPLES) if os.path.exists(
            os.path.join(EXAMPLES, name, 'Makefile'))}
        self.assertEqual(folders, set(PROGRAMS))

    def test_add(self):
        found = self.example('add')
        self.assertTrue(numpy.array_equal(found['c'], found['a'] + found['b']))
        self.assertGreater(len(numpy.unique(found['c'])), 100)

    def test_add_of_two_tiles(self):
        """The second one has nothing to add, and is idle in the end, too."""
        text = self.run_it(os.path.join(EXAMPLES, 'add'),
                           '--machine=tiles=2x1')
        self.assertIn('adding 4 tiles', text)
        self.assertIn('adding 0 tiles', text)

    def test_matmul(self):
        found = self.example('matmul')
        exact = numpy.einsum('ik,kj->ij', found['a'].astype(int),
                             found['b'].astype(int))
        # towards zero, with the eight significant bits that bf16 has
        unit = numpy.exp2(numpy.floor(numpy.log2(abs(exact) + 0.5)) - 7)
        self.assertTrue(numpy.array_equal(
            found['c'], numpy.trunc(exact / unit) * unit))
        self.assertGreater((found['c'] != exact).mean(), 0.5)
        self.assertEqual(found['c'].shape, (64, 128))

    def compare(self, y, exact, smallest=1e-30):
        """Each is one of the two neighbours of the exact value."""
        size = numpy.maximum(abs(exact), smallest)
        ulp = numpy.exp2(numpy.floor(numpy.log2(size)) - 7)
        self.assertLess((abs(y - exact) / ulp).max(), 0.51)
        self.assertGreater(len(numpy.unique(y)), 500)

    def test_sfpu(self):
        for name in 'sfpu', 'sfpu_words':
            found = self.example(name)
            x = found['x'].astype(float)
            with numpy.errstate(over='ignore'):
                exact = numpy.where(x > -80, 1 / (1 + numpy.exp(-x)), 0)
            self.compare(found['y'], exact)

    def test_gelu(self):
        found = self.example('gelu')
        self.compare(found['y'], numpy.vectorize(
            lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2 if x > -1 else
            x * math.erfc(-x / math.sqrt(2)) / 2)(found['x'].astype(float)))

    def test_softmax(self):
        found = self.example('softmax')
        for half in 0, 32:
            x = found['x'][:, half:half + 32].astype(float)
            power = numpy.exp2((x.T - x.max(1)) / math.log(2)).T
            self.compare(found['y'][:, half:half + 32],
                         power / (power @ numpy.ones((32, 32))), 1e-28)

    def test_sort(self):
        found = self.example('sort')
        for row in range(0, 64, 16):
            for x, y in zip(found['x'][row:row + 16].T,
                            found['y'][row:row + 16].T):
                self.assertEqual(sorted(x.tolist()), y.tolist())
        self.assertGreater(len(numpy.unique(found['y'])), 500)

    def test_noc_copy(self):
        out = os.path.join(self.folder, 'copy')
        self.run_it(os.path.join(EXAMPLES, 'noc_copy'),
                    f'--get=dram:5:0x80000:131072:u32={out}')
        data = numpy.load(os.path.join(OUT, 'noc_copy', 'data.npy'))
        self.assertEqual(numpy.fromfile(out, numpy.uint32).tolist(),
                         data.tolist())

    def test_orders(self):
        out = os.path.join(self.folder, 'squares')
        self.run_it(os.path.join(EXAMPLES, 'orders'),
                    f'--get=dram:5:0x80000:512x32:fp32:tiles={out}.npy')
        x = numpy.load(os.path.join(OUT, 'orders', 'x.npy')).astype(float)
        self.assertTrue((numpy.load(f'{out}.npy') == x * x).all())
        self.assertGreater(len(numpy.unique(x)), 500)

    def test_every_accelerator_and_order(self):
        ways = [(accel, 'hazards=on') for accel in ACCELERATORS] + [
            ('icount', f'schedule=seed={seed}') for seed in (1, 2, 3)]
        for name in PROGRAMS:
            for accel, machine in ways:
                with self.subTest(name, accel=accel, machine=machine):
                    self.assertNotRegex(self.run_it(
                        os.path.join(EXAMPLES, name), '--accel', accel,
                        '--machine', machine), 'tensix:|violation')

    def test_a_second_run_makes_nothing_anew(self):
        times = []
        for _ in range(2):
            self.run_it(os.path.join(EXAMPLES, 'gelu'))
            times.append([os.stat(os.path.join(OUT, 'gelu', name)).st_mtime_ns
                          for name in ('brisc.elf', 'trisc1.elf', 'x.npy')])
        self.assertEqual(*times)

    def test_flags_of_the_environment(self):
        """They are for the host; those of the Makefile are the kernel's."""
        mine = shutil.copytree(os.path.join(EXAMPLES, 'add'),
                               os.path.join(self.folder, 'mine'))
        with open(os.path.join(mine, 'Makefile'), 'a',
                  encoding='utf-8') as file:
            file.write('CFLAGS += -DOWN=1\nLDFLAGS += -Wl,-Map=links\n')
        with open(os.path.join(mine, 'trisc1.c'), 'a',
                  encoding='utf-8') as file:
            file.write('_Static_assert(OWN == 1, "of the Makefile");\n')
        flags = {'CFLAGS': '-DOWN=2 -fstack-protector-all -m64',
                 'LDFLAGS': '-Wl,-z,nonsense=1 -lnone'}
        with mock.patch.dict(os.environ, flags):
            self.run_it('mine')
        self.assertTrue(os.path.exists(os.path.join(mine, 'links')))

    def test_a_wrong_kernel_fails(self):
        """The comparison is one: each copy has one line that is wrong."""
        for name, file, line, wrong in (
                ('matmul', 'trisc1.c', 'PHASES = 4', 'PHASES = 3'),
                ('matmul', 'trisc0.c', '+ row * inner', '+ column * inner'),
                ('sfpu_words', 'trisc1.c', '0.05591786f', '0.08591786f'),
                ('sfpu', 'trisc1.cpp', '+ 1.0f', '+ 1.01f'),
                ('gelu', 'trisc1.cpp', '0.48126913f', '0.58126913f'),
                ('softmax', 'trisc1.cpp', 'sum += power(ODD', '+power(ODD'),
                ('sort', 'trisc1.cpp', 'd, 32)', 'd, 64)'),
                ('orders', 'trisc1.c', 'PHASES = 4', 'PHASES = 3'),
                ('noc_copy', 'ncrisc.c', 'BLOCK_BYTES);',
                 'BLOCK_BYTES - 4);')):
            with self.subTest(name, line=line):
                copy = os.path.join(self.folder, name)
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(os.path.join(EXAMPLES, name), copy)
                path = os.path.join(copy, file)
                with open(path, encoding='utf-8') as source:
                    text = source.read()
                self.assertEqual(text.count(line), 1)
                with open(path, 'w', encoding='utf-8') as source:
                    source.write(text.replace(line, wrong))
                self.run_it(copy, status=5)


class Like(Kernels):
    """LIKE of runtime/kernel.mk: sources of another folder"""
    FILES = {
        'base/base.h': '#define NUMBER 7\n',
        'base/brisc.c': '''#include "blackhole-tile/console.h"
#include "blackhole-tile/tile.h"
#include "base.h"
int main(void)
{
    print(KERNEL " %u\\n", NUMBER);
    release_harts(SOFT_RESET_TRISCS);
    return 0;
}
''',
        'base/trisc0.c': 'int main(void) { return 0; }\n',
        'base/trisc1.c': '#error not this one\n',
        'base/trisc2.cpp': '''#include "blackhole-tile/kernel.h"
int main() { REG32(SHARED_BASE) = sizeof KERNEL; return 0; }
''',
        'base/data.py': 'import sys; open(sys.argv[1] + "/x", "w").close()\n',
        'mine/trisc1.cpp': '''#include "blackhole-tile/kernel.h"
#include "base.h"
int main() { REG32(SHARED_BASE + 4) = NUMBER; return 0; }
''',
        'mine/Makefile': 'LIKE = ../base\nDATA = x\n'
                         'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n'}

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def setUp(self):
        super().setUp()
        for name, text in self.FILES.items():
            self.write(name, text)

    def run_mine(self, number):
        """BRISC's line, and the words of the others"""
        text = self.run_it('mine', '--until=rest', '--get=l1:0x20000:2:u32')
        self.assertIn(f'mine {number}\n', text)
        self.assertRegex(text, rf'\b5 +{number}\n')

    def test_sources(self):
        self.run_mine(7)
        self.assertEqual(
            sorted(os.listdir(os.path.join(self.folder, 'mine', 'build'))),
            ['.options', 'brisc.elf', 'trisc0.elf', 'trisc1.cpp.o',
             'trisc1.cpp.o.lines.s', 'trisc1.cpp.o.s', 'trisc1.elf',
             'trisc2.cpp.o', 'trisc2.cpp.o.lines.s', 'trisc2.cpp.o.s',
             'trisc2.elf', 'x'])

    def test_another_header_of_it(self):
        self.run_mine(7)
        self.write('base/base.h', '#define NUMBER 8\n')
        self.run_mine(8)

    def test_no_such_folder(self):
        shutil.rmtree(os.path.join(self.folder, 'base'))
        self.assertIn('LIKE: ../base: no such folder',
                      self.run_it('mine', status=1))


class Firmware(Kernels):
    def test_floats_and_long_integers(self):
        """By the compiler's own library: the right one has to be linked."""
        for name, text in (('trisc1.c', ARITHMETIC),
                           ('Makefile', f'BLACKHOLE_TILE ?= {ROOT}\n'
                            'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n')):
            with open(os.path.join(self.folder, name), 'w',
                      encoding='utf-8') as file:
                file.write(text)
        out = os.path.join(self.folder, 'results.bin')
        self.run_it(self.folder, '--until=rest',
                    f'--get=l1:0x20000:56:u8={out}')
        with open(out, 'rb') as file:
            got = numpy.frombuffer(file.read(), numpy.int64)
        large, divisor = -1234567890123456789, 987654321
        self.assertEqual(got.tolist(), [
            int(numpy.float32(9.5).view(numpy.uint32)),
            int(numpy.float64(10 / 3).view(numpy.int64)),
            -(-large // divisor), (large + (1 << 64)) % divisor,
            15 << 16 | bin(divisor).count('1') << 8 | 16,
            int(numpy.float32(large)) * 2, 39])

    def test_codes_of_formats(self):
        """What the package calls a format has the header's code."""
        with open(NAMES, encoding='utf-8') as file:
            codes = {name.lower(): int(code) for name, code in re.findall(
                r'FORMAT_(\w+) = (\d+),', file.read().split('SFP_FORMAT')[0])}
        self.assertEqual(len(codes), 14)
        for name, code in codes.items():
            with self.subTest(name):
                self.assertEqual(FORMATS['e5m2' if name == 'fp8' else
                                         name].code, code)


if __name__ == '__main__':
    unittest.main()
