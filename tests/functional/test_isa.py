# SPDX-License-Identifier: GPL-2.0-or-later
"""The baby RISC-Vs' instructions, against the manuals they implement.

Programs of single instructions run on the machine; what they leave in L1 is
compared with a model in Python (rv_model.py).
"""

import random
import struct
import unittest

import rv_asm as rv
import rv_model as model
import spin
from blackhole_tile import L1_SIZE
from blackhole_tile.testing import Tile, every_accelerator
from rv_asm import A0, A1, A2, A3, OP, OP_FP, OP_IMM

M32 = 0xffffffff
VALUES = (0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x12345678,
          0x7fffffff, 0x80000000, 0x80000001, 0xdeadbeef, 0xfffffffe,
          0xffffffff)
PAIRS = [(a, b) for a in VALUES for b in VALUES]


def run(program, hart='trisc0', accel='single', machine='', seconds=30):
    """Results that the program leaves; TileError if it does not get through."""
    with Tile(images={hart: program.image()}, accel=accel,
              machine=machine) as tile:
        tile.wait_for_word(program.results, program.DONE, seconds)
        data = tile.read(program.results + 4, 4 * program.count)
    return [int.from_bytes(data[i:i + 4], 'little')
            for i in range(0, len(data), 4)]


def shift_amount(function):
    return lambda a, b: function(a, b & 31)


# name: (funct3, funct7, what it gives)
R_TYPE = {
    'add': (0, 0x00, lambda a, b: a + b),
    'sub': (0, 0x20, lambda a, b: a - b),
    'sll': (1, 0x00, shift_amount(lambda a, n: a << n)),
    'slt': (2, 0x00, lambda a, b: model.signed(a) < model.signed(b)),
    'sltu': (3, 0x00, lambda a, b: a < b),
    'xor': (4, 0x00, lambda a, b: a ^ b),
    'srl': (5, 0x00, shift_amount(lambda a, n: a >> n)),
    'sra': (5, 0x20, shift_amount(lambda a, n: model.signed(a) >> n)),
    'or': (6, 0x00, lambda a, b: a | b),
    'and': (7, 0x00, lambda a, b: a & b),
    'mul': (0, 0x01, lambda a, b: a * b),
    'mulh': (1, 0x01, lambda a, b: model.signed(a) * model.signed(b) >> 32),
    'mulhsu': (2, 0x01, lambda a, b: model.signed(a) * b >> 32),
    'mulhu': (3, 0x01, lambda a, b: a * b >> 32),
    'div': (4, 0x01, model.div),
    'divu': (5, 0x01, lambda a, b: a // b if b else M32),
    'rem': (6, 0x01, model.rem),
    'remu': (7, 0x01, lambda a, b: a % b if b else a),
    'sh1add': (2, 0x10, lambda a, b: (a << 1) + b),
    'sh2add': (4, 0x10, lambda a, b: (a << 2) + b),
    'sh3add': (6, 0x10, lambda a, b: (a << 3) + b),
    'andn': (7, 0x20, lambda a, b: a & ~b),
    'orn': (6, 0x20, lambda a, b: a | ~b),
    'xnor': (4, 0x20, lambda a, b: ~(a ^ b)),
    'max': (6, 0x05, lambda a, b: max(a, b, key=model.signed)),
    'maxu': (7, 0x05, max),
    'min': (4, 0x05, lambda a, b: min(a, b, key=model.signed)),
    'minu': (5, 0x05, min),
    'rol': (1, 0x30, model.rol),
    'ror': (5, 0x30, lambda a, b: model.rol(a, -b)),
    'pack': (4, 0x04, lambda a, b: a & 0xffff | b << 16),
}

# name: (bits 31:20, funct3, what it gives)
UNARY = {
    'clz': (0x600, 1, model.clz),
    'ctz': (0x601, 1, model.ctz),
    'cpop': (0x602, 1, lambda a: bin(a).count('1')),
    'sext.b': (0x604, 1, lambda a: model.sext(a, 8)),
    'sext.h': (0x605, 1, lambda a: model.sext(a, 16)),
    'orc.b': (0x287, 5, model.orc_b),
    'rev8': (0x698, 5, model.rev8),
    'brev8': (0x687, 5, model.brev8),
}

# name: (funct5, what memory holds afterwards)
AMO = {
    'amoadd.w': (0x00, lambda old, new: old + new),
    'amoswap.w': (0x01, lambda old, new: new),
    'amoxor.w': (0x04, lambda old, new: old ^ new),
    'amoor.w': (0x08, lambda old, new: old | new),
    'amoand.w': (0x0c, lambda old, new: old & new),
    'amomin.w': (0x10, lambda old, new: min(old, new, key=model.signed)),
    'amomax.w': (0x14, lambda old, new: max(old, new, key=model.signed)),
    'amominu.w': (0x18, min),
    'amomaxu.w': (0x1c, max),
}


class Checked(unittest.TestCase):
    """Collects (what, expected) beside a program, then runs and compares."""

    accel = 'single'

    def setUp(self):
        self.program = rv.Program()
        self.expected = []

    def expect(self, what, expected, reg=A0):
        self.program.result(reg)
        self.expected.append((what, expected & M32))

    def load(self, **values):
        for name, value in values.items():
            self.program.add(rv.li({'a1': A1, 'a2': A2, 'a3': A3}[name],
                                   value))

    def check(self, **options):
        self.assertGreater(len(self.expected), 0)
        results = run(self.program, accel=self.accel, **options)
        self.assertEqual(len(results), len(self.expected))
        wrong = [f'{what}: {got:#010x}, not {want:#010x}'
                 for (what, want), got in zip(self.expected, results)
                 if got != want]
        self.assertEqual(wrong[:10], [], f'{len(wrong)} wrong')


class Integer(Checked):
    def test_register_instructions(self):
        for name, (funct3, funct7, function) in R_TYPE.items():
            for a, b in PAIRS:
                self.load(a1=a, a2=b)
                self.program.add(rv.r_type(OP, funct3, funct7, A0, A1, A2))
                self.expect(f'{name} {a:#x},{b:#x}', function(a, b))
        self.check()

    def test_unary_instructions(self):
        for name, (bits, funct3, function) in UNARY.items():
            for a in VALUES:
                self.load(a1=a)
                self.program.add(rv.i_type(OP_IMM, funct3, A0, A1, bits))
                self.expect(f'{name} {a:#x}', function(a))
        for a in VALUES:
            self.load(a1=a)
            self.program.add(rv.r_type(OP, 4, 0x04, A0, A1, 0))
            self.expect(f'zext.h {a:#x}', a & 0xffff)
        self.check()

    def test_rotate_and_reverse_by_immediate(self):
        for amount in range(32):
            for a in (1, 0x80000000, 0x12345678, 0xdeadbeef):
                self.load(a1=a)
                self.program.add(
                    rv.i_type(OP_IMM, 5, A0, A1, 0x600 | amount))
                self.expect(f'rori {a:#x},{amount}', model.rol(a, -amount))
                self.program.add(
                    rv.i_type(OP_IMM, 5, A0, A1, 0x680 | amount))
                self.expect(f'grevi {a:#x},{amount}', model.grevi(a, amount))
        self.check()

    def test_atomics(self):
        cell = 0x110000
        for name, (funct5, function) in AMO.items():
            for order in range(4):           # aq and rl change nothing
                for old, new in PAIRS[order::4]:
                    self.load(a1=cell, a2=new, a3=old)
                    self.program.add(rv.sw(A3, A1), rv.r_type(
                        rv.AMO, 2, funct5 << 2 | order, A0, A1, A2))
                    self.expect(f'{name} {old:#x},{new:#x} old', old)
                    self.program.add(rv.lw(A0, A1))
                    self.expect(f'{name} {old:#x},{new:#x} new',
                                function(old, new))
        self.check()

    def test_link_and_branches(self):
        for funct3, taken in enumerate((
                lambda a, b: a == b, lambda a, b: a != b, None, None,
                lambda a, b: model.signed(a) < model.signed(b),
                lambda a, b: model.signed(a) >= model.signed(b),
                lambda a, b: a < b, lambda a, b: a >= b)):
            if not taken:
                continue
            for a, b in PAIRS[::5]:
                self.load(a1=a, a2=b)
                self.program.add(rv.addi(A0, 0, 1),
                                 rv.branch(funct3, A1, A2, 8),
                                 rv.addi(A0, 0, 0))
                self.expect(f'branch {funct3} {a:#x},{b:#x}', taken(a, b))
        link = self.program.pc() + 4
        self.program.add(rv.jump(8, A0), rv.addi(A0, 0, 0))
        self.expect('jal', link)
        self.check()


class Translated(Integer):
    """Without -icount, code that runs once is interpreted (test_cold.py)."""

    accel = 'icount'


class IndirectJumps(unittest.TestCase):
    """They go to where a register says, not to where they went first."""

    ROUTINES, SIZE, TIMES, SEED = 8, 12, 3000, 12345
    SH1ADD, SH2ADD = 2, 4

    def shift_add(self, funct3, rd, rs1, rs2):
        return rv.r_type(OP, funct3, 0x10, rd, rs1, rs2)

    def routines(self):
        return [word for n in range(self.ROUTINES) for word in (
            self.shift_add(self.SH1ADD, A0, A0, A0), rv.addi(A0, A0, n),
            rv.i_type(rv.JALR, 0, rv.ZERO, rv.RA, 0))]

    def choose(self):
        """A2: the next of a sequence; RA: the routine that three bits choose,
        which the block behind the jump knows."""
        return [self.shift_add(self.SH2ADD, A2, A2, A2), rv.addi(A2, A2, 1),
                rv.i_type(OP_IMM, 5, rv.T0, A2, 9),
                rv.i_type(OP_IMM, 7, rv.T0, rv.T0, self.ROUTINES - 1),
                self.shift_add(self.SH1ADD, rv.T0, rv.T0, rv.T0),
                self.shift_add(self.SH2ADD, rv.RA, rv.T0, A1), rv.jump(4)]

    def expected(self):
        result, number = 1, self.SEED
        for _ in range(2 * self.TIMES):
            number = (5 * number + 1) & M32
            result = (3 * result + (number >> 9) % self.ROUTINES) & M32
        return result

    @every_accelerator
    def test_two_places_call_eight_routines(self, accel):
        program = rv.Program()
        program.add(rv.jump(4 + self.SIZE * self.ROUTINES))
        first = program.pc()
        program.add(self.routines(), rv.li(A0, 1), rv.li(A1, first),
                    rv.li(A2, self.SEED))
        program.add(spin.counted(self.TIMES, self.choose() + [
            rv.i_type(rv.JALR, 0, rv.RA, rv.RA, 0)] + self.choose() + [
            rv.addi(rv.T1, rv.RA, -4), rv.i_type(rv.JALR, 0, rv.RA, rv.T1, 4)]))
        program.result(A0)
        self.assertEqual(run(program, accel=accel), [self.expected()])


FLOATS = (0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000,
          0x3f800000, 0xbf800000, 0x3f800001, 0x40490fdb, 0xc2f6e979,
          0x33800000, 0x4b000001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
          0xff800000, 0x7fc00000, 0x7f800001, 0x00ffffff, 0x01000001)


def float_pairs():
    random.seed(0x5eed)
    yield from ((a, b) for a in FLOATS for b in FLOATS)
    for _ in range(300):
        a = random.getrandbits(32)
        yield a, a & 0xff800000 ^ random.getrandbits(25)


# name: (funct7, what it gives)
F_TYPE = {
    'fadd.s': (0x00, model.fadd),
    'fsub.s': (0x04, model.fsub),
    'fmul.s': (0x08, model.fmul),
}


class FloatingPoint(Checked):
    def binary(self, funct7, rm):
        self.program.add(rv.fmv_w_x(1, A1), rv.fmv_w_x(2, A2),
                         rv.r_type(OP_FP, rm, funct7, 3, 1, 2),
                         rv.fmv_x_w(A0, 3))

    def test_arithmetic_rounds_to_nearest_even_whatever_rm_says(self):
        for name, (funct7, function) in F_TYPE.items():
            for index, (a, b) in enumerate(float_pairs()):
                rm = (0, 1, 2, 3, 4, 7)[index % 6]
                self.load(a1=a, a2=b)
                self.binary(funct7, rm)
                self.expect(f'{name} rm={rm} {a:#x},{b:#x}', function(a, b))
        self.check()

    def test_rounding_mode_of_fcsr_is_ignored(self):
        for rm in range(8):
            self.load(a1=rm << 5)
            self.program.add(rv.csrrw(0, 3, A1))
            self.load(a1=0x3f800000, a2=0x33ffffff)
            self.binary(0x00, 7)
            self.expect(f'fadd.s frm={rm}',
                        model.fadd(0x3f800000, 0x33ffffff))
            self.program.add(rv.csrrs(A0, 3),
                             rv.i_type(OP_IMM, 7, A0, A0, 0xe0))
            self.expect(f'fcsr.rm keeps {rm}', rm << 5)
        self.check()

    def test_multiply_add_signs(self):
        two, three, five = 0x40000000, 0x40400000, 0x40a00000
        wanted = {rv_op: want for rv_op, want in (
            (0x43, 0x41300000), (0x47, 0x3f800000), (0x4b, 0xbf800000),
            (0x4f, 0xc1300000))}                 # 11, 1, -1, -11
        for opcode, want in wanted.items():
            self.load(a1=two, a2=three, a3=five)
            self.program.add(rv.fmv_w_x(1, A1), rv.fmv_w_x(2, A2),
                             rv.fmv_w_x(3, A3),
                             3 << 27 | 2 << 20 | 1 << 15 | 4 << 7 | opcode,
                             rv.fmv_x_w(A0, 4))
            self.expect(f'multiply-add {opcode:#x}', want)
        self.check()

    def test_multiply_add_is_neither_fused_nor_separate(self):
        """(1 + 2^-23)^2 - (1 + 2^-22): fused gives 2^-46, separate 0; here
        the product keeps a sticky bit of weight 2^-26."""
        self.load(a1=0x3f800001, a3=0xbf800002)
        self.program.add(rv.fmv_w_x(1, A1), rv.fmv_w_x(3, A3),
                         3 << 27 | 1 << 20 | 1 << 15 | 4 << 7 | 0x43,
                         rv.fmv_x_w(A0, 4))
        self.expect('fmadd.s', 0x32800000)
        self.check()

    def test_multiply_add_of_halves(self):
        two, three, five = 0x4000, 0x4200, 0x4500
        for opcode, want in ((0x43, 0x4980), (0x47, 0x3c00), (0x4b, 0xbc00),
                             (0x4f, 0xc980)):    # 11, 1, -1, -11
            for reg, value in ((1, two), (2, three), (3, five)):
                self.program.add(rv.li(A1, value),
                                 rv.r_type(OP_FP, 0, 0x7a, reg, A1, 0))
            self.program.add(3 << 27 | 2 << 25 | 2 << 20 | 1 << 15 | 4 << 7 |
                             opcode, rv.r_type(OP_FP, 0, 0x72, A0, 4, 0))
            self.expect(f'multiply-add {opcode:#x}', model.sext(want, 16))
        self.check()

    def test_compare_classify_and_move(self):
        one, two, nan = 0x3f800000, 0x40000000, 0x7fc00000
        for a, b in ((one, two), (two, one), (one, one), (nan, one)):
            for funct3, function in ((2, a == b), (1, a < b), (0, a <= b)):
                self.load(a1=a, a2=b)
                self.program.add(rv.fmv_w_x(1, A1), rv.fmv_w_x(2, A2),
                                 rv.r_type(OP_FP, funct3, 0x50, A0, 1, 2))
                self.expect(f'compare {funct3} {a:#x},{b:#x}',
                            function and nan not in (a, b))
        for bits, index in ((0xff800000, 0), (0xbf800000, 1), (0x80000001, 2),
                            (0x80000000, 3), (0, 4), (1, 5), (one, 6),
                            (0x7f800000, 7), (0x7f800001, 8), (nan, 9)):
            self.load(a1=bits)
            self.program.add(rv.fmv_w_x(1, A1),
                             rv.r_type(OP_FP, 1, 0x70, A0, 1, 0))
            self.expect(f'fclass.s {bits:#x}', 1 << index)
        for funct3, want in ((0, 0xbf800000), (1, 0x3f800000),
                             (2, 0xbf800000)):
            self.load(a1=one, a2=0xc0000000)
            self.program.add(rv.fmv_w_x(1, A1), rv.fmv_w_x(2, A2),
                             rv.r_type(OP_FP, funct3, 0x10, 3, 1, 2),
                             rv.fmv_x_w(A0, 3))
            self.expect(f'fsgnj {funct3}', want)
        self.check()

    def test_conversions(self):
        for bits, want in ((0x40200000, 2), (0x40600000, 4), (0xc0200000, -2),
                           (0x4f000000, 0x7fffffff), (0x7fc00000,
                                                      0x7fffffff)):
            self.load(a1=bits)
            self.program.add(rv.fmv_w_x(1, A1),
                             rv.r_type(OP_FP, 1, 0x60, A0, 1, 0))
            self.expect(f'fcvt.w.s {bits:#x}, rtz ignored', want)
        for number in (0, 1, 0x1000001, 0x1000003, 0x7fffffff, 0xffffffff):
            self.load(a1=number)
            self.program.add(rv.r_type(OP_FP, 0, 0x68, 1, A1, 0),
                             rv.fmv_x_w(A0, 1))
            self.expect(f'fcvt.s.w {number:#x}',
                        model.round_f32(model.Fraction(model.signed(number))))
        self.check()

    def test_half_precision(self):
        random.seed(16)
        for _ in range(200):
            a, b = (random.getrandbits(1) << 15 | random.randrange(6, 22) << 10
                    | random.getrandbits(10) for _ in range(2))
            self.load(a1=a, a2=b)
            for name, funct7, number in (
                    ('fadd.h', 0x02, model.half_value(a) +
                     model.half_value(b)),
                    ('fmul.h', 0x0a, model.half_value(a) *
                     model.half_value(b))):
                self.program.add(rv.r_type(OP_FP, 0, 0x7a, 1, A1, 0),
                                 rv.r_type(OP_FP, 0, 0x7a, 2, A2, 0),
                                 rv.r_type(OP_FP, 7, funct7, 3, 1, 2),
                                 rv.r_type(OP_FP, 0, 0x72, A0, 3, 0))
                want = model.round_f16(number)
                self.expect(f'{name} {a:#x},{b:#x}', model.sext(want, 16))
        self.check()


class Vector(Checked):
    """TRISC2's part of V: 128-bit registers, elements to 32 bits."""

    def vsetvli(self, count, sew):
        self.program.add(rv.addi(A1, 0, count),
                         sew << 3 << 20 | A1 << 15 | 7 << 12 | A0 << 7 |
                         rv.OP_V)

    def test_length_follows_element_size(self):
        for sew, want in ((0, 16), (1, 8), (2, 4)):
            self.vsetvli(64, sew)
            self.expect(f'vl of {8 << sew}-bit elements', want)
            self.program.add(rv.csrrs(A0, 0xc20))
            self.expect('CSR vl', want)
            self.program.add(rv.csrrs(A0, 0xc21))
            self.expect('CSR vtype', sew << 3)
        self.program.add(rv.csrrs(A0, 0xc22))
        self.expect('vlenb', 16)
        self.check(hart='trisc2')

    def test_add_and_store(self):
        buffer = 0x110000
        self.vsetvli(4, 2)
        self.load(a1=1000, a2=buffer)
        self.program.add(0x5e004057 | A1 << 15 | 1 << 7,   # vmv.v.x v1,a1
                         0x5208a157,                       # vid.v v2
                         0x022081d7,                       # vadd.vv v3,v2,v1
                         0x02066027 | 3 << 7)              # vse32.v v3,(a2)
        for index in range(4):
            self.program.add(rv.lw(A0, A2, 4 * index))
            self.expect(f'element {index}', 1000 + index)
        self.check(hart='trisc2')

    BUFFER = 0x110000
    S1, S2, D = (2, 3, -1, 4), (5, -7, 11, 2), (3, 2, 6, -5)
    # by bits 28:26: vfmadd, vfnmadd, vfmsub, vfnmsub; vfmacc and so on
    MULTIPLY_ADDS = (
        lambda a, b, d: a * d + b, lambda a, b, d: -(a * d) - b,
        lambda a, b, d: a * d - b, lambda a, b, d: -(a * d) + b,
        lambda a, b, d: a * b + d, lambda a, b, d: -(a * b) - d,
        lambda a, b, d: a * b - d, lambda a, b, d: -(a * b) + d)

    @staticmethod
    def bits(number):
        return int.from_bytes(struct.pack('<f', number), 'little')

    def load_vector(self, reg, numbers):
        self.load(a2=self.BUFFER)
        for index, number in enumerate(numbers):
            self.program.add(rv.li(A1, self.bits(number)),
                             rv.sw(A1, A2, 4 * index))
        self.program.add(0x02066007 | reg << 7)           # vle32.v

    def expect_vector(self, what, reg, words):
        self.load(a2=self.BUFFER)
        self.program.add(0x02066027 | reg << 7)           # vse32.v
        for index, word in enumerate(words):
            self.program.add(rv.lw(A0, A2, 4 * index))
            self.expect(f'{what}, element {index}', word)

    def multiply_add(self, op, scalar, masked):
        for reg, numbers in ((1, self.S1), (2, self.S2), (3, self.D)):
            self.load_vector(reg, numbers)
        self.load(a1=0b1010)
        self.program.add(0x5e004057 | A1 << 15)           # vmv.v.x v0,a1
        self.load(a1=self.bits(self.S1[0]))
        self.program.add(rv.fmv_w_x(1, A1),
                         0xa0000057 | op << 26 | (not masked) << 25 |
                         2 << 20 | 1 << 15 | (5 if scalar else 1) << 12 |
                         3 << 7)
        function = self.MULTIPLY_ADDS[op]
        self.expect_vector(f'{op}, scalar {scalar}, masked {masked}', 3, [
            self.bits(d if masked and not 0b1010 >> n & 1 else
                      function(self.S1[0] if scalar else a, b, d))
            for n, (a, b, d) in enumerate(zip(self.S1, self.S2, self.D))])

    def test_multiply_adds(self):
        self.vsetvli(4, 2)
        for op in range(8):
            for scalar in False, True:
                for masked in False, True:
                    self.multiply_add(op, scalar, masked)
        self.check(hart='trisc2')

    def test_conversions_round_to_nearest_even(self):
        """Those with rtz in their names, too."""
        self.vsetvli(4, 2)
        for name, vs1 in ('vfcvt.x.f.v', 1), ('vfcvt.rtz.x.f.v', 7):
            self.load_vector(2, (2.5, 3.5, -2.5, -1.75))
            self.program.add(0x48001057 | 1 << 25 | 2 << 20 | vs1 << 15 |
                             3 << 7)
            self.expect_vector(name, 3, (2, 4, -2, -2))
        self.check(hart='trisc2')


class TensixPush(unittest.TestCase):
    """.ttinsn on every hart that can push, all patterns of the low bits."""

    SEMINIT = 0xa3000000 | 5 << 20 | 3 << 16 | 1 << 6    # low bits 10
    SETDMAREG = 0x45000000 | 0x1234 << 8 | 10            # low bits 01
    ZEROACC = 0x10180000                                 # low bits 00

    def push(self, hart, words, accel='single'):
        program = rv.Program()
        for word in words:
            self.assertNotEqual(rv.ttinsn(word) & 3, 3)
            program.add(rv.ttinsn(word))
        with Tile(images={hart: program.image()}, accel=accel) as tile:
            tile.wait_for_word(program.results, program.DONE)
            return tile.aperture()

    def check(self, hart, accel):
        words = [self.ZEROACC, self.SEMINIT, self.SETDMAREG]
        self.assertEqual({rv.ttinsn(word) & 3 for word in words}, {0, 1, 2})
        state = self.push(hart, words, accel)
        semaphore = state[0x23000 + 8 * 4:0x23000 + 8 * 5]
        self.assertEqual(semaphore, (3).to_bytes(4, 'little') +
                         (5).to_bytes(4, 'little'))
        self.assertEqual(state[0x8000:0x8400], bytes(1024),
                         'rows that ZEROACC left valid')

    def test_every_hart_that_pushes(self):
        for hart in ('brisc', 'trisc0', 'trisc1', 'trisc2'):
            with self.subTest(hart=hart):
                self.check(hart, 'single')

    @every_accelerator
    def test_every_accelerator(self, accel):
        self.check('trisc1', accel)


class FusedReplay(unittest.TestCase):
    """A REPLAY that records is for harts that do not fuse .ttinsn."""

    CFG0, DIS_TRISC_CACHE = 0x7c0, 1 << 18
    RECORD, PLAY = (0x04000000 | 1 << 4 | load for load in (1, 0))
    SFPNOP = 0x8f000000

    def violations(self, words, hart='trisc1', accel='single'):
        program = rv.Program()
        program.add(*words)
        with Tile(images={hart: program.image()}, accel=accel) as tile:
            tile.wait_for_word(program.results, program.DONE)
            return tile.violations()

    def record(self, word=RECORD):
        return [rv.ttinsn(word), rv.ttinsn(self.SFPNOP)]

    def unfuse(self):
        return rv.li(A1, self.DIS_TRISC_CACHE) + \
            [rv.csrrs(0, self.CFG0, A1)]

    @every_accelerator
    def test_reported(self, accel):
        (category, text), = self.violations(self.record() * 2,
                                            accel=accel)[:1]
        self.assertEqual(category, 'undefined-behaviour')
        self.assertRegex(text, 'TRISC1 at pc 0x00020008.*REPLAY records'
                               '.*set bit 18 of CSR cfg0')

    def test_a_store_to_the_window_too(self):
        words = rv.li(A1, self.RECORD) + rv.li(A2, 0xffe40000) + \
            [rv.sw(A1, A2), rv.ttinsn(self.SFPNOP)]
        self.assertEqual(len(self.violations(words)), 1)

    def test_silent_without_fusion(self):
        self.assertEqual(self.violations(self.unfuse() + self.record() +
                                         [rv.ttinsn(self.PLAY)]), [])

    def test_silent_between_disable_and_enable(self):
        """As LLK's load_replay_buf() with ENABLE_GATHERING."""
        words = self.unfuse() + self.record() + \
            [rv.csrrc(0, self.CFG0, A1), rv.ttinsn(self.PLAY)]
        self.assertEqual(self.violations(words, 'brisc'), [])
        self.assertEqual(len(self.violations(words + self.record(),
                                             'brisc')), 1)


class Missing(unittest.TestCase):
    """What a hart lacks is reported with hart, pc and word; then it pauses."""

    BASE = 0x20000
    CASES = (
        ('trisc0', r'fdiv', 0x18208053 | 3 << 7),
        ('trisc0', r'fsqrt', 0x58008053 | 3 << 7),
        ('trisc0', r'fence\.i', rv.FENCE_I),
        ('trisc0', r'wfi', rv.WFI),
        ('trisc0', r'mret', rv.MRET),
        ('trisc0', r'packh', rv.r_type(OP, 7, 4, A0, A1, A2)),
        ('trisc0', r'0x1005a52f', 0x1005a52f),       # lr.w
        ('trisc0', r'0x6805953?', 0x28b59533),       # bset (Zbs)
        ('trisc1', r'0x[0-9a-f]{8} does not exist', 0x0d007057),  # vsetvli
        ('trisc2', r'vector integer division', 0x8220a1d7),
        ('brisc', r'CSR 0xc01 does not exist', rv.csrrs(A0, 0xc01)),
        ('brisc', r'CSR 0x001 does not exist', rv.csrrs(A0, 0x001)),
        ('brisc', r'CSR 0x002 does not exist', rv.csrrs(A0, 0x002)),
        ('brisc', r'CSR 0x305 does not exist', rv.csrrs(A0, 0x305)),
        ('brisc', r'CSR 0xb01 does not exist', rv.csrrs(A0, 0xb01)),
        ('ncrisc', r'cannot push', rv.ttinsn(0x02000000)),
    )

    def start(self, hart, words, machine=''):
        done = rv.li(A1, 0x100000) + [rv.sw(A1, A1)] + rv.HALT
        image = rv.elf({self.BASE: rv.code([rv.NOP] + words + done)},
                       self.BASE)
        tile = Tile(images={hart: image}, machine=machine,
                    extra=['-d', 'guest_errors,unimp'])
        return self.enterContext(tile)

    def test_reported_and_paused(self):
        for hart, text, word in self.CASES:
            with self.subTest(hart=hart, text=text):
                tile = self.start(hart, [word])
                tile.wait_for(lambda t: 'tensix' in t.output())
                self.assertRegex(tile.output(),
                                 rf'(?s){hart.upper()} at pc 0x0*20004.*({text}|{word:x})')
                if 'push' not in text:
                    self.assertEqual(tile.read32(0x100000), 0)
                    self.assertEqual(tile.hart_pcs()[hart], '0x20004')

    def test_atomics_reach_l1_only(self):
        for address in (0xFFB00010, L1_SIZE, 0xFFE80000):
            with self.subTest(address=hex(address)):
                amo = rv.r_type(rv.AMO, 2, 0, A0, A1, A1)
                tile = self.start('trisc0', rv.li(A1, address) + [amo])
                tile.wait_for(lambda t: 'outside L1' in t.output())
                self.assertRegex(tile.output(),
                                 rf'TRISC0 at pc 0x0002000c.*0x{address:08x}')
                self.assertEqual(tile.hart_pcs()['trisc0'], '0x2000c')

    def test_code_ends_where_l1_does(self):
        """A hart that runs off its end, at once or after many times."""
        last = L1_SIZE - 4
        for times in 1, 40:
            with self.subTest(times=times):
                code = rv.code([rv.branch(1, A2, 0, -12)])
                image = rv.elf({
                    self.BASE: rv.code(rv.li(A2, times) + rv.li(A1, last - 12) +
                                       [rv.i_type(rv.JALR, 0, 0, A1, 0)]),
                    last - 12: rv.code([rv.NOP, rv.addi(A2, A2, -1), rv.NOP]),
                    last: code}, self.BASE)
                tile = self.enterContext(Tile(
                    images={'trisc0': image},
                    extra=['-d', 'guest_errors,unimp']))
                tile.wait_for(lambda t: 'tensix' in t.output())
                self.assertRegex(tile.output(), 'TRISC0 at pc 0x0*180000')
                self.assertEqual(tile.hart_pcs()['trisc0'], f'{L1_SIZE:#x}')

    def test_bfloat_is_refused_until_switched_off(self):
        fadd_h = rv.r_type(OP_FP, 7, 0x02, 3, 1, 2)
        on = rv.li(A1, 0x40000000) + [rv.csrrs(0, 0x7c0, A1)]
        off = rv.li(A1, 0x40000000) + [rv.csrrc(0, 0x7c0, A1)]
        tile = self.start('trisc0', [fadd_h] + on + off + [fadd_h] + on +
                          [fadd_h])
        tile.wait_for(lambda t: 'BF16' in t.output())
        self.assertEqual(tile.hart_pcs()['trisc0'],
                         f'{self.BASE + 4 * 12:#x}')

    def test_bfloat_is_refused_by_code_that_was_translated(self):
        """The same code, many times without EnBFloat and then with it."""
        fadd_h = rv.r_type(OP_FP, 7, 0x02, 3, 1, 2)
        loop = [fadd_h, rv.addi(A2, A2, -1),
                rv.branch(1, A2, 0, -8), rv.branch(1, A3, 0, 24),
                rv.csrrs(0, 0x7c0, A1), rv.addi(A3, A3, 1),
                rv.addi(A2, A2, 5), rv.jump(-28)]
        setup = rv.li(A1, 0x40000000) + rv.li(A3, 0) + rv.li(A2, 100)
        tile = self.start('trisc0', setup + loop)
        tile.wait_for(lambda t: 'BF16' in t.output() or t.read32(0x100000))
        self.assertEqual(tile.hart_pcs()['trisc0'],
                         f'{self.BASE + 4 * (1 + len(setup)):#x}')

    def test_exit_status(self):
        tile = self.start('trisc0', [rv.WFI], 'on-violation=exit')
        self.assertEqual(tile.wait_for_exit(20), 3)

    def test_ebreak_and_ecall_pause_behind_themselves(self):
        for name, word in (('ebreak', rv.EBREAK), ('ecall', rv.ECALL)):
            with self.subTest(name):
                tile = self.start('trisc0', [word])
                tile.wait_for(lambda t: name in t.output())
                self.assertRegex(tile.output(), rf'trisc0 pc=0x00020004.*{name}')
                self.assertEqual(tile.hart_pcs()['trisc0'], '0x20008')
                self.assertEqual(tile.read32(0x100000), 0)
                tile.write32(0xFFB121B0, 0x47800)    # soft reset ends it
                tile.write32(0x6000, rv.NOP)
                for offset, insn in enumerate(rv.li(A1, 0x100000) +
                                              [rv.sw(A1, A1)] + rv.HALT):
                    tile.write32(0x6004 + 4 * offset, insn)
                tile.write32(0xFFB121B0, 0x46800)
                tile.wait_for_word(0x100000, 0x100000)


if __name__ == '__main__':
    unittest.main()
