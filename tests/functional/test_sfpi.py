# SPDX-License-Identifier: GPL-2.0-or-later
"""C++ kernels with sfpi.h: bits, the compiler's messages, lines."""

import os
import re
import struct
import subprocess
import unittest

import numpy
from blackhole_tile.instructions import tt
from blackhole_tile.registers import shuffled, unshuffled
from blackhole_tile.testing import ROOT, SHARED, Tile
from oracle import TABLE
from sfpi_cases import MACRO, Case, cases, constant, mad, to_integer
from test_board import Folder

SECONDS, LANES, ROW = 60, 32, 16
MAKEFILE = f'''BLACKHOLE_TILE ?= {ROOT}
include $(BLACKHOLE_TILE)/runtime/kernel.mk
'''
TOP = '''#include "blackhole-tile/sfpi.h"
#include "blackhole-tile/tile.h"
using namespace sfpi;
#define I(x) as<vInt>(x)
#define U(x) as<vUInt>(x)
#define F(x) as<vFloat>(x)
'''
ONE_CASE = '''
static void case_%d()
{
    vFloat a = dst_reg[0].mode<DataLayout::F32>();
    vFloat b = dst_reg[1].mode<DataLayout::F32>();
    vFloat r = dst_reg[2].mode<DataLayout::F32>();
    %s
    dst_reg[%d] = I(r);
}
'''
# Lanes 8 to 30, but for the odd ones and two more; those two in the v_else
NESTED = '''
    v_if (vInt(dst_reg[3]) >= 8) {
        v_if (!(vInt(dst_reg[3]) & 1)) {
            v_if (!(vInt(dst_reg[3]) == 12 || vInt(dst_reg[3]) == 20)) {
                %s
            } v_else {
                r = 7.0f;
            } v_endif;
        } v_endif;
    } v_endif;
'''
LANE = numpy.arange(LANES)
ENABLED = (LANE >= 8) & (LANE % 2 == 0)
ELSE = ENABLED & ((LANE == 12) | (LANE == 20))
FIRST_RESULT, EACH = 4, 60

# ±0, ±1, ties, small and large, infinities, NaNs, denormals
EDGES = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x3F808000, 0xBF818000,
         0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0xC0200000,
         0x40400000, 0x47000000, 0xC7000000, 0x4F000000, 0x7F7FFFFF,
         0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000,
         0x7F800001, 1, 0x807FFFFF, 0x00800000, 0x80800000, 0x3F7FFFFF,
         0x00012345, 0xFFFFFF00, 0x42FE8000, 0x437F8000, 0xC2FF0000]


def operands(seed):
    """Edges against edges, and numbers of few bits: their products are exact
    in fp32's 24 bits, so that the order of roundings does not matter."""
    random = numpy.random.default_rng(seed)
    rows = [random.permutation(numpy.array(EDGES, numpy.uint32))
            for _ in range(3)]
    for row in rows if seed else []:
        few = random.integers(1, 1 << 10, LANES) * \
            numpy.exp2(random.integers(-14, 4, LANES)) * \
            random.choice([-1, 1], LANES)
        row[::2] = few.astype(numpy.float32).view(numpy.uint32)[::2]
    return rows


def place(cells, vector):
    """The part of Dest (512 rows) that is a vector"""
    row = vector // 2 * 4
    return cells[row:row + 4, vector % 2::2]


def source(numbered, nested):
    """A program of some cases"""
    text, calls = TOP, ''
    for number, (n, case) in enumerate(numbered):
        body = NESTED % case.text if nested else case.text
        text += ONE_CASE % (n, body, FIRST_RESULT + number)
        calls += f'    case_{n}();\n'
    return text + f'''
int main()
{{
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
{calls}    wait_coprocessor();
    REG32(SHARED_BASE) = 1;
    return 0;
}}
'''


class Sfpi(Folder):
    def make(self, text, name='trisc1.cpp', status=0):
        """What make says."""
        for file, content in ((name, text), ('Makefile', MAKEFILE)):
            with open(os.path.join(self.folder, file), 'w',
                      encoding='utf-8') as out:
                out.write(content)
        done = subprocess.run(['make', '-C', self.folder],
                              capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode != 0, status != 0, output)
        return output

    def dest(self, cells, words=(), build='build'):
        """Dest after the program, from these cells; words: at TABLE in L1"""
        elf = os.path.join(self.folder, build, 'trisc1.elf')
        with Tile(images={'trisc1': elf}, stopped=True,
                  machine='hazards=on') as tile:
            tile.write(TABLE, struct.pack(f'<{len(words) + 1}I', len(words),
                                          *words))
            tile.registers.set_dest(shuffled(cells), 'raw32')
            tile.write(0xF_0000_8000, b'\1' * 1024)
            tile.cont()
            tile.wait_for_word(SHARED, 1, SECONDS)
            self.assertEqual(tile.violations(), [])
            return unshuffled(tile.registers.dest('raw32'))

    def results(self, numbered, rows, words=(), build='build'):
        """{number: r's bits} of these cases"""
        cells = numpy.zeros((512, ROW), numpy.uint32)
        for vector, lanes in enumerate([*rows, LANE]):
            place(cells, vector)[:] = lanes.reshape(4, 8)
        found = self.dest(cells, words, build)
        return {n: place(found, FIRST_RESULT + i).reshape(LANES)
                for i, (n, _) in enumerate(numbered)}

    def compare(self, found, wanted, rows):
        """The same bits in all lanes"""
        wrong = [f'lane {i}: {found[i]:#010x} for {int(wanted[i]):#010x} of ' +
                 ' '.join(f'{int(row[i]):#010x}' for row in rows)
                 for i in range(LANES) if found[i] != wanted[i]]
        self.assertEqual(wrong, [])


class Bits(Sfpi):
    """Of every construct: test_sfpi_oracle.py."""

    def test_formats_of_dest(self):
        """mode<>(), the counter, an index that is known at run time only"""
        self.make(TOP + '''
        static volatile uint32_t two = 2;
        int main()
        {
            TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
                   .instr_mod1 = SFPENCC_SET_BOTH);
            /* address modifiers but 7 move the counter */
            SET_ADDR_MOD(0, .dest = { .incr = 4 });
            SET_ADDR_MOD(6, .dest = { .incr = 4 });
            vFloat a = dst_reg[0].mode<DataLayout::F32>();
            dst_reg += 4;
            dst_reg[0] = I(a);
            dst_reg[1].mode<DataLayout::F32>() = a;
            dst_reg++;
            dst_reg[two] = I(a);
            TTINSN(SETRWC, .BitMask = RWC_ALL);
            dst_reg[two + 6] = vInt(two + 70000);
            dst_reg[9].mode<DataLayout::F32>() =
                __builtin_bit_cast(float, two + 0x3F7FFFFE);
            dst_reg += two + 9;
            dst_reg[0] = I(a);
            dst_reg += 16;
            dst_reg[0] = I(a);
            wait_coprocessor();
            REG32(SHARED_BASE) = 1;
            return 0;
        }
        ''')
        a = operands(0)[0]
        cells = numpy.zeros((512, ROW), numpy.uint32)
        place(cells, 0)[:] = a.reshape(4, 8)
        found = self.dest(cells)
        flushed = numpy.where(a & 0x7F800000 == 0, a & 0x80000000, a)
        for vector, wanted in ((4, a), (5, flushed), (7, a),
                               (8, [70002] * LANES),
                               (9, [0x3F800000] * LANES), (11, a), (27, a)):
            with self.subTest(vector=vector):
                self.assertEqual(place(found, vector).ravel().tolist(),
                                 list(wanted))


REPLAYED = TOP + '''
static volatile uint32_t times = 3;
int main()
{
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    ckernel::load_replay_buf<ckernel::Exec>(5, LENGTH, [] {
        vFloat x = dst_reg[0].mode<DataLayout::F32>();
        dst_reg[0].mode<DataLayout::F32>() = x * 3.0f + 1.0f;
        TTINSN(INCRWC, .rwc_d = 2);
    });
    lltt::record(0, 1);
    dst_reg++;
    lltt::replay(0, 1);
    for (uint32_t i = 0; i < times; i++) {
        lltt::replay(5, LENGTH);
    }
    lltt::replay(times + 2, LENGTH);
    wait_coprocessor();
    REG32(SHARED_BASE) = 1;
    return 0;
}
'''


class Words(Sfpi):
    def words(self, text):
        """Those of a case's program, as far as the hart executes them"""
        self.make(source([(0, Case(text, None))], False))
        elf = os.path.join(self.folder, 'build', 'trisc1.elf')
        subprocess.run(['riscv64-unknown-elf-objcopy', '-O', 'binary',
                        '--only-section=.text', elf, elf + '.bin'],
                       check=True)
        words = numpy.fromfile(elf + '.bin', '<u4')
        return words >> 2 | words << 30

    def test_a_shuffle(self):
        """is followed by an SFPNOP (BH SFPSHFT2.md, scheduling)"""
        words = self.words(
            'r = subvec_shflror1(a); b = subvec_shflshr1(r); r = r + b;')
        shuffles = numpy.nonzero(
            (words >> 24 == tt('SFPSHFT2') >> 24) & (words & 14 != 0))[0]
        self.assertEqual(len(shuffles), 2)
        self.assertEqual(words[shuffles + 1].tolist(), [tt('SFPNOP')] * 2)

    def test_rounding_by_a_product(self):
        """The stalling logic sees it: no SFPNOP (BH SFPMAD.md, scheduling)"""
        words = self.words('vFloat t = a * b; '
                           'r = F(int32_to_int8(I(r), U(t), 0));')
        at, = numpy.nonzero(words >> 24 == tt('SFP_STOCH_RND') >> 24)[0]
        self.assertEqual(words[at - 1] >> 24, tt('SFPMUL') >> 24)

    def test_a_sum_of_what_is_there(self):
        """needs no SFPNOP, though its reading would not be noticed."""
        words = self.words('r = F(I(a) + I(b));')
        self.assertIn(tt('SFPIADD') >> 24, words >> 24)
        self.assertNotIn(tt('SFPNOP'), words)


class Random(Sfpi):
    def test_rand(self):
        """The state of each lane's generator, which moves on if it is enabled
        (the polynomial is in test-config)"""
        self.make(source([(0, Case(
            'v_if (a < 0.0f) { r = F(rand()); } v_endif; '
            'dst_reg[5] = rand(); dst_reg[6] = rand();', None))], False))
        elf = os.path.join(self.folder, 'build', 'trisc1.elf')
        cells = numpy.zeros((512, ROW), numpy.uint32)
        a, _, r = rows = operands(0)
        for vector, lanes in enumerate(rows):
            place(cells, vector)[:] = lanes.reshape(4, 8)
        with Tile(images={'trisc1': elf}, stopped=True) as tile:
            tile.registers.set_dest(shuffled(cells), 'raw32')
            state = numpy.array(tile.state.flags().prng)
            tile.cont()
            tile.wait_for_word(SHARED, 1, SECONDS)
            found = unshuffled(tile.registers.dest('raw32'))
            last = numpy.array(tile.state.flags().prng)
        masked, once, twice = (place(found, vector).reshape(LANES)
                               for vector in (FIRST_RESULT, 5, 6))
        moved = a & 0x80000000 != 0
        self.assertEqual(masked.tolist(),
                         numpy.where(moved, state, r).tolist())
        self.assertEqual(once[~moved].tolist(), state[~moved].tolist())
        # a step shifts to the right, and has a new bit 31
        for after, before in ((once[moved], state[moved]), (twice, once),
                              (last, twice)):
            self.assertEqual((after & 0x7FFFFFFF).tolist(),
                             (before >> 1).tolist())


# SFPCONFIG reads LReg0, which the hardware does not notice (BH SFPMAD.md)
LATE = TOP + '''
int main()
{
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    l_reg[LRegs::LReg0] = vFloat(dst_reg[0].mode<DataLayout::F32>());
    WRITER
    vConstFloatPrgm0 = vFloat(l_reg[LRegs::LReg0]);
    dst_reg[1].mode<DataLayout::F32>() = vConstFloatPrgm0;
    wait_coprocessor();
    REG32(SHARED_BASE) = 1;
    return 0;
}
'''
DOUBLE = '(SFPADD, .lreg_src_a = LREG_ONE, .lreg_src_c = 0, .lreg_src_b = 0)'


class Late(Sfpi):
    def test_a_word_of_two_cycles(self):
        """of the kernel's own, before one whose reading is not noticed"""
        for writer in (f'TTINSN{DOUBLE};', f'PUSH_OWN = TT{DOUBLE};',
                       f'lltt::record(0, 1); TTINSN{DOUBLE}; '
                       'lltt::replay(0, 1);'):
            with self.subTest(writer):
                self.make(LATE.replace('WRITER', writer))
                cells = numpy.full((512, ROW), 0x40400000, numpy.uint32)
                found = self.dest(cells)
                self.assertEqual(place(found, 1).ravel().tolist(),
                                 [0x40C00000] * LANES)


class Replay(Sfpi):
    def test_a_function(self):
        """is recorded once, and what it does repeated"""
        self.check(REPLAYED.replace('LENGTH', '6'))

    def test_a_word_that_the_hart_pushes(self):
        """is recorded, too, but not counted"""
        self.check(REPLAYED.replace('LENGTH', '6').replace(
            'TTINSN(INCRWC', 'PUSH_OWN = TT(INCRWC'))

    def check(self, text):
        """Its results"""
        self.make(text)
        cells = numpy.zeros((512, ROW), numpy.uint32)
        rows = [operands(seed)[0] for seed in range(1, 8)]
        for vector, lanes in enumerate(rows):
            place(cells, vector)[:] = lanes.reshape(4, 8)
        found = self.dest(cells)
        for vector, lanes in enumerate(rows):
            wanted = mad(lanes, 0x40400000, 0x3F800000) \
                if vector not in (1, 6) else lanes
            with self.subTest(vector=vector):
                self.assertEqual(place(found, vector).ravel().tolist(),
                                 wanted.tolist())

    def test_another_length(self):
        for length in '5', '7':
            self.assertRegex(
                self.make(REPLAYED.replace('LENGTH', length), status=2),
                'Error: load_replay_buf.*: 6 words are recorded: not the')

    def test_a_function_that_pushes(self):
        """Its words are not counted."""
        self.make(REPLAYED.replace('LENGTH', '6').replace(
            'TTINSN(INCRWC, .rwc_d = 2);', 'move();').replace(
                'int main()', '''[[gnu::noinline]] static void move()
{
    TTINSN(INCRWC, .rwc_d = 2);
}
int main()'''))

    def test_a_mask_that_swaps_no_rows(self):
        self.assertIn('min_max(): the mask is a constant', self.make(
            source([(0, Case('r = min_max(a, b, 0x10).first;', None))],
                   False), status=2))


class Macro(Sfpi):
    def test_delays_that_count_instructions(self):
        """SFPLOADI comes before the rounding; without, the cycles of other
        instructions let that pass first."""
        rows = operands(1)
        product = to_integer(mad(rows[0], constant(3), constant(0.75)), 65535,
                             False)
        for by, wanted in (0, product), (15, numpy.full(LANES, 5)):
            case = Case(MACRO + f"""macro_misc<DataLayout::I32>(0, {by});
                load_macro<2, LRegs::LReg0, DataLayout::F32>(100);
                TTINSN(DMANOP); TTINSN(DMANOP); TTINSN(DMANOP); TTINSN(DMANOP);
                TTINSN(SFPLOADI, .imm16 = 0x40A0);
                macro_wait<6>(); r = F(vInt(dst_reg[100]));""", None)
            with self.subTest(by=by):
                self.make(source([(0, case)], False))
                found = self.results([(0, case)], rows)[0]
                self.compare(found, wanted << 15, rows)

    def test_no_such_instruction(self):
        for slot in '{ 1 }', '{ 4, 8 }', '{ 8 }':
            self.assertIn('macro_sequence(): no such instruction', self.make(
                source([(0, Case(f'macro_sequence<0, MacroSequence{{ .mad = '
                                 f'{slot} }}>();', None))], False), status=2))


LIVE = ', '.join(f'v{i}' for i in range(9))
NINE = TOP + f'''
int main()
{{
    vFloat {LIVE};
    {' '.join(f'v{i} = dst_reg[{i}];' for i in range(9))}
    v0 = v0 * v1 + v2;
    {' '.join(f'dst_reg[{i}] = v{i};' for i in range(9))}
    return 0;
}}
'''


STANDARD = TOP.replace('using', '''#include <cstdint>
#include <limits>
template <typename T> using Limits = std::numeric_limits<T>;
static_assert(Limits<std::int8_t>::min() == -128);
static_assert(Limits<std::int32_t>::max() == 0x7FFFFFFF);
static_assert(Limits<std::int32_t>::min() == -0x7FFFFFFF - 1);
static_assert(Limits<std::uint16_t>::max() == 65535);
static_assert(Limits<std::uint32_t>::max() == 0xFFFFFFFF);
static_assert(Limits<std::uint64_t>::max() == ~0ull);
static_assert(Limits<std::int64_t>::max() == ~0ull >> 1);
static_assert(Limits<std::uint32_t>::lowest() == 0);
using''') + '''
/* The public header's types, which decide what >> and convert<>() do */
static_assert(same<decltype(vInt() & vUInt()), vUInt>);
static_assert(same<decltype(vSMag() & 1), vUInt>);
static_assert(same<decltype(vUInt16() & 1), vMag>);
static_assert(same<decltype(abs(vInt())), vMag>);
static_assert(same<decltype(setsgn(vUInt(), 1)), vSMag>);
static_assert(same<decltype(copysgn(vUInt(), vInt())), vSMag>);
static_assert(same<decltype(fractional_mul(vInt(), vInt())), vInt>);
static_assert(same<decltype(fractional_mul(vUInt(), vInt())), vMag>);
int main()
{
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    dst_reg[4] = I(vFloat(Limits<float>::infinity()));
    dst_reg[5] = I(vFloat(Limits<float>::max()));
    dst_reg[6] = I(vFloat(Limits<float>::lowest()));
    dst_reg[7] = I(vFloat(Limits<float>::min()));
    dst_reg[8] = I(vFloat(Limits<float>::epsilon()));
    dst_reg[9] = I(vFloat(Limits<float>::quiet_NaN()));
    dst_reg[10] = vInt(Limits<std::int32_t>::min());
    wait_coprocessor();
    REG32(SHARED_BASE) = 1;
    return 0;
}
'''


class Standard(Sfpi):
    def test_headers(self):
        """<cstdint> and <limits>, and types of results"""
        self.make(STANDARD)
        found = self.dest(numpy.zeros((512, ROW), numpy.uint32))
        self.assertEqual(
            [f'{int(place(found, vector)[0, 0]):#010x}'
             for vector in range(4, 11)],
            ['0x7f800000', '0x7f7fffff', '0xff7fffff', '0x00800000',
             '0x34000000', '0x7fc00000', '0x80000000'])


class Messages(Sfpi):
    def test_a_ninth_vector(self):
        """is an error of that line, in words"""
        line = NINE[:NINE.index('v0 = dst')].count('\n') + 1
        output = self.make(NINE, status=2)
        self.assertRegex(output, fr'trisc1.cpp:({line}|{line + 1}): Error: '
                         'a ninth vector is live here')

    def test_eight_vectors(self):
        self.make(NINE.replace(', v8', '').replace('v8 = dst_reg[8];', '')
                  .replace('dst_reg[8] = v8;', ''))

    def test_functions_that_are_called_twice(self):
        """are inlined, declared so or not: vectors are live across the calls"""
        text = TOP + '''
        %s vFloat f(vFloat x, vFloat y)
        {
            v_if (x < y) {
                x = y * x + 2.0f;
            } v_endif;
            return x * x * y + x + vFloat(dst_reg[1].mode<DataLayout::F32>());
        }
        int main()
        {
            TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
                   .instr_mod1 = SFPENCC_SET_BOTH);
            vFloat a = dst_reg[0].mode<DataLayout::F32>();
            vFloat b = dst_reg[1].mode<DataLayout::F32>();
            vFloat c = f(a, b), d = f(b, a);
            dst_reg[4].mode<DataLayout::F32>() = f(c, d) + c * d + a;
            wait_coprocessor();
            REG32(SHARED_BASE) = 1;
            return 0;
        }
        '''
        results = []
        cells = numpy.zeros((512, ROW), numpy.uint32)
        for vector, lanes in enumerate(operands(1)):
            place(cells, vector)[:] = lanes.reshape(4, 8)
        for kind in 'sfpi_inline', 'inline', 'static':
            self.make(text % kind)
            results.append(place(self.dest(cells), 4).tolist())
        self.assertEqual(results, results[:1] * 3)

    def test_a_vector_across_a_transposition(self):
        """SFPTRANSP changes all eight LRegs."""
        text = TOP + '''
        int main()
        {
            vFloat a = dst_reg[0], b = dst_reg[1], c = dst_reg[2];
            vFloat d = dst_reg[3], e = dst_reg[4];
            subvec_transp(a, b, c, d);
            dst_reg[0] = a;
            dst_reg[1] = e;
            return 0;
        }'''
        self.assertIn('a ninth vector is live', self.make(text, status=2))
        self.make(text.replace('= e;', '= b;'))

    def test_arithmetic_of_the_hart(self):
        output = self.make(TOP + '''
        static volatile float x = 1;
        int main()
        {
            float y = x;
            dst_reg[0] = vFloat(y * y);
            return 0;
        }''', status=2)
        self.assertRegex(output, r'trisc1.cpp:\d+: Error: a number of the '
                         'hart in floating point')

    def test_a_number_that_is_passed(self):
        """0.0f in a register is no vector, either."""
        output = self.make(TOP + '''
        extern "C" void take(float);
        int main()
        {
            take(0.0f);
            return 0;
        }''', status=2)
        self.assertRegex(output, r'trisc1.cpp:\d+: Error: a number of the '
                         'hart in floating point')

    def test_lines_are_the_kernel_s(self):
        """No instruction has a line of a header of sfpi.h."""
        text = source(list(enumerate(cases()))[:9], True)
        self.make(text)
        elf = os.path.join(self.folder, 'build', 'trisc1.elf')
        lines = subprocess.run(
            ['riscv64-unknown-elf-objdump', '--dwarf=decodedline', elf],
            capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(lines, r'[.]hpp +\d+ +0x')
        found = {int(n) for n in re.findall(r'trisc1[.]cpp +(\d+) +0x',
                                            lines)}
        wanted = {n for n, line in enumerate(text.split('\n'), 1)
                  if 'v_if' in line or 'r = ' in line and 'dst' in line}
        self.assertLessEqual(wanted, found)


if __name__ == '__main__':
    unittest.main()
