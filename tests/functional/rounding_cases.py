# SPDX-License-Identifier: GPL-2.0-or-later
"""How the machine executes each row of the table in docs/rounding.rst."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

import numpy
from rounding import (BF16, E5M2, FP16, FP32, TF32, Float, Integer,
                      float_inputs)
from rounding_machine import BYTES, LANES, UNIT, Machine

SIGN = 0x80000000
ONE, LARGEST, NAN = 0x3F800000, 0x7F7FFFFF, 0x7FC12345
Words = List[int]
Run = Callable[[Machine, List[Any]], Words]


def both(*words: int) -> Words:
    return [word | sign for word in words for sign in (0, SIGN)]


@dataclass
class Case:
    """run: outputs of the inputs, words of `target`.  value: exact result of
    an input.  dropped: bits that the instruction compares."""
    run: Run
    target: Union[Float, Integer]
    inputs: Sequence[Any]
    value: Callable[[Any], Fraction] = FP32.value
    source: Float = FP32
    denormals: Sequence[Any] = ()
    overflow: Sequence[Any] = ()
    nan: Sequence[Any] = ()
    dropped: int = 0
    sign: Callable[[Any], int] = field(
        default=lambda given: (given[0] if isinstance(given, tuple)
                               else given) >> 31)


Cases = Dict[Tuple[str, str, str], Case]


def narrow(run: Run, target: Float, **more: Any) -> Case:
    """FP32 to a float with fewer bits."""
    small = both(0x400000)
    if target.exponent < FP32.exponent:
        small += both(0x33000000)
    more.setdefault('overflow', both(0x7F7FFFFF))
    return Case(run, target, float_inputs(FP32, target.mantissa),
                denormals=small, nan=both(NAN, 0x7F812345),
                dropped=FP32.mantissa - target.mantissa, **more)


# --- SFP_STOCH_RND and SFPCAST ---

def as_fp32(word: int, target: Float) -> int:
    """FP32 with the low bits of the mantissa removed."""
    return word >> FP32.mantissa - target.mantissa


def stochastic_rounding(mod: int, mode: int,
                        target: Union[Float, None] = None) -> Run:
    def run(machine: Machine, words: Words) -> Words:
        found = machine.vector('SFP_STOCH_RND', [words], instr_mod1=mod,
                               rnd_mode=mode, lreg_src_c=0, lreg_dest=4,
                               imm8_math=SHIFT)
        return [as_fp32(x, target) for x in found] if target else found
    return run


SHIFT = 4                                # SFP_STOCH_RND's immediate
TENS = Float(8, 10), Float(8, 7)


def float_to_integer(mod: int, mode: int, sign: int) -> Case:
    words = [s | FP32_OF[n] for s in (0, SIGN)
             for n in ('2.5', '3.5', '2.4999998', '2.5000002', '3', '0.5',
                       '0.25', '3.9999998')]
    return Case(stochastic_rounding(mod, mode), Integer(sign), words,
                (FP32.value if sign else lambda w: abs(FP32.value(w))),
                denormals=both(0x400000), overflow=both(0x4B000000),
                nan=both(NAN), dropped=23)


FP32_OF = {text: int(numpy.float32(text).view(numpy.uint32))
           for text in ('2.5', '3.5', '2.4999998', '2.5000002', '3', '0.5',
                        '0.25', '3.9999998')}


def integer_to_integer(mod: int, mode: int, sign: int) -> Case:
    words = [s | w for s in (0, SIGN) for w in (0x28, 0x38, 0x27, 0x29, 0x30,
                                                0x3F, 8)]

    def value(word: int) -> Fraction:
        size = Fraction(word & ~SIGN, 1 << SHIFT)
        return -size if word & sign else size
    return Case(stochastic_rounding(mod | 8, mode), Integer(sign), words,
                value, overflow=both(0x12345678), dropped=23)


def casts() -> Cases:
    def run(mod: int) -> Run:
        return lambda machine, words: machine.vector(
            'SFPCAST', [words], instr_mod1=mod, lreg_src_c=0, lreg_dest=4)
    words = both(0x2000002, 0x2000006, 0x2000001, 0x2000003, 0x2000005,
                 0x2000004, 12345)
    return {('SFPCAST', source, 'FP32'):
            Case(run(mod), FP32, words, Integer().value)
            for mod, source in enumerate(('integer, mode 0',
                                          'integer, mode 1'))}


def stochastic_cases() -> Cases:
    found: Cases = {}
    for mode, name in enumerate(('nearest', 'stochastic', 'zero')):
        for mod, text, target in ((0, 'FP32 of 10 bits', TENS[0]),
                                  (1, 'FP32 of 7 bits', TENS[1])):
            found['SFP_STOCH_RND', f'FP32, {name}', text] = narrow(
                stochastic_rounding(mod, mode, target), target)
        for mod, text, sign in ((2, 'uint8', 0), (3, 'int8', SIGN),
                                (6, 'uint16', 0), (7, 'int16', SIGN)):
            found['SFP_STOCH_RND', f'FP32, {name}', text] = float_to_integer(
                mod, mode, sign)
        for mod, text, sign in ((4, 'uint8', 0), (5, 'int8', SIGN)):
            found['SFP_STOCH_RND', f'integer, {name}', text] = \
                integer_to_integer(mod, mode, sign)
    return found


# --- multiply and add ---

Pair = Tuple[int, int]
# 0, 1/4, 1/2, 3/4 of a last place of 1.0
RESTS = (0, 0x33000000, 0x33800000, 0x33C00000)
SUMS = [(s | ONE | big, s | rest) for s in (0, SIGN) for big in (2, 3)
        for rest in RESTS]
PRODUCTS = [(s | ONE | big, by) for s in (0, SIGN) for big in (1, 2, 3)
            for by in (ONE, 0x3FC00000, 0x3FA00000, 0x3FE00000)]


def number(word: int) -> Fraction:
    return FP32.value(word) if word & ~SIGN else Fraction(0)


def adding(run: Run) -> Case:
    return Case(run, FP32, SUMS, lambda p: number(p[0]) + number(p[1]),
                denormals=[(s | 0x400000, s) for s in (0, SIGN)],
                overflow=[(s | LARGEST, s | 0x73000000) for s in (0, SIGN)],
                nan=[(NAN, ONE), (SIGN | NAN, ONE)])


def multiplying(run: Run, scale: int = ONE) -> Case:
    exponent = ONE - scale
    products = [(x - exponent, y) for x, y in PRODUCTS]
    return Case(run, FP32, products, lambda p: number(p[0]) * number(p[1]),
                denormals=[(x, ONE) for x in both(0x400000)],
                overflow=[(x, 0x3FC00000) for x in both(LARGEST)],
                nan=[(x, ONE) for x in both(NAN)])


def lanes(pairs: Sequence[Pair]) -> List[Words]:
    return [list(part) for part in zip(*pairs)]


def mad(mnemonic: str, a: int, b: int, c: int) -> Run:
    """lregs of the operands; 9 holds 0 and 10 holds 1."""
    return lambda machine, pairs: machine.vector(
        mnemonic, lanes(pairs), lreg_src_a=a, lreg_src_b=b, lreg_src_c=c,
        lreg_dest=4)


def immediate(mnemonic: str) -> Run:
    """The second number of each pair as the immediate."""
    def run(machine: Machine, pairs: Sequence[Pair]) -> Words:
        return [machine.vector(mnemonic, [[x]], result=0, lreg_dest=0,
                               imm16_math=y >> 16)[0] for x, y in pairs]
    return run


def lut(machine: Machine, pairs: Sequence[Pair]) -> Words:
    """LReg 3 times a coefficient of 8 bits, which gets the sign."""
    codes = {ONE: 0, 0x3FC00000: 8, 0x3FA00000: 4, 0x3FE00000: 0xC}
    table = [(codes[y] | x >> 24 & 0x80) << 8 | 0xFF for x, y in pairs]
    return machine.vector('SFPLUT', [table] * 3 + [[x for x, _ in pairs]],
                          lreg_ind=4)


def lut_fp32(machine: Machine, pairs: Sequence[Pair]) -> Words:
    """LReg 3, which is 1, times the first number, plus the second."""
    x, y = lanes(pairs)
    return machine.vector('SFPLUTFP32', [x, x, x, [ONE] * len(x), y, y, y],
                          result=7, lreg_dest=7)


def multiply_cases() -> Cases:
    exact = 'exact result'
    return {
        ('SFPMAD', exact, 'FP32'): adding(mad('SFPMAD', 0, 10, 1)),
        ('SFPADD', exact, 'FP32'): adding(mad('SFPADD', 10, 0, 1)),
        ('SFPMUL', exact, 'FP32'): multiplying(mad('SFPMUL', 0, 1, 9)),
        ('SFPADDI', exact, 'FP32'): adding(immediate('SFPADDI')),
        ('SFPMULI', exact, 'FP32'): multiplying(immediate('SFPMULI')),
        ('SFPLUT', exact, 'FP32'): multiplying(lut),
        ('SFPLUTFP32', exact, 'FP32'): adding(lut_fp32),
    }


# --- integers of the vector unit ---

def shift(mod: int, sign: int) -> Case:
    def run(machine: Machine, words: Words) -> Words:
        return machine.vector('SFPSHFT', [words], lreg_dest=4, lreg_c=0,
                              imm12_math=-SHIFT & 0xFFF, instr_mod1=mod | 5)

    def value(word: int) -> Fraction:
        return Fraction(word - (word & sign) * 2, 1 << SHIFT)

    case = Case(run, TwosComplement(sign), both(0x28, 0x38, 0x27, 0x29, 0x3F,
                                                0x30), value)
    return case


class TwosComplement(Integer):
    """Of 32 bits if sign is not 0."""

    def value(self, word: int) -> Fraction:
        return Fraction(word - (word & self.sign) * 2)


def mul24() -> Case:
    def run(machine: Machine, pairs: Sequence[Pair]) -> Words:
        return machine.vector('SFPMUL24', lanes(pairs), lreg_src_a=0,
                              lreg_src_b=1, lreg_src_c=9, lreg_dest=4,
                              instr_mod1=1)
    pairs = [(0x600000, 5), (0x400000, 5), (0x3FFFFF, 6), (0x7FFFFF, 3),
             (0x400000, 4), (0x200000, 5)]
    return Case(run, Integer(0), pairs,
                lambda p: Fraction(p[0] * p[1], 1 << 23))


def integer_cases() -> Cases:
    return {
        ('SFPSHFT', 'unsigned, to the right', 'unsigned'): shift(0, 0),
        ('SFPSHFT', "two's complement, to the right", "two's complement"):
            shift(2, SIGN),
        ('SFPMUL24', 'product of 46 bits', 'its upper 23 bits'): mul24(),
    }


# --- loads and stores of the vector unit ---

CELLS = [(lane // 8) * 16 + 2 * (lane % 8) for lane in range(LANES)]
BF16_CELL = (lambda x: x & 0x8000 | (x & 0x7F) << 8 | x >> 7 & 0xFF,
             lambda c: c & 0x8000 | (c & 0xFF) << 7 | c >> 8 & 0x7F)
FP16_CELL = (lambda x: x & 0x8000 | (x & 0x3FF) << 5 | x >> 10 & 0x1F,
             lambda c: c & 0x8000 | (c & 0x1F) << 10 | c >> 5 & 0x3FF)


def store(mod: int, decode: Callable[[int], int] = int,
          wide: bool = False) -> Run:
    def run(machine: Machine, words: Words) -> Words:
        machine.vector('SFPSTORE', [words], lreg_ind=0, instr_mod0=mod)
        cells = machine.dest(64, wide)
        return [decode(cells[at]) for at in CELLS[:len(words)]]
    return run


def load(mod: int, encode: Callable[[int], int]) -> Run:
    def run(machine: Machine, words: Words) -> Words:
        cells = [0] * 64
        for at, word in zip(CELLS, words):
            cells[at] = encode(word)
        machine.set_dest(cells, False)
        machine.push(1, 'SFPLOAD', lreg_ind=4, instr_mod0=mod)
        return machine.lreg(4)[:len(words)]
    return run


def load_immediate(mod: int) -> Run:
    def run(machine: Machine, words: Words) -> Words:
        found = []
        for word in words:
            machine.push(1, 'SFPLOADI', lreg_ind=4, instr_mod0=mod,
                         imm16=word)
            found.append(machine.lreg(4)[0])
        return found
    return run


def halves(run: Run, source: Float) -> Case:
    """16 bits to FP32."""
    top = source.infinity
    return Case(run, FP32, float_inputs(source, source.mantissa),
                source.value, source, denormals=[3, 0x8003],
                nan=[top | 3, 0x8000 | top | 3], sign=lambda word: word >> 15)


def memory_cases() -> Cases:
    return {
        ('SFPSTORE', 'FP32', 'FP16'): narrow(
            store(1, FP16_CELL[1]), FP16),
        ('SFPSTORE', 'FP32', 'BF16'): narrow(
            store(2, BF16_CELL[1]), BF16, overflow=both(0x7F800000)),
        ('SFPSTORE', 'FP32', 'FP32'): narrow(
            store(3, wide=True), FP32, overflow=both(0x7F800000)),
        ('SFPLOAD', 'FP16', 'FP32'): halves(load(1, FP16_CELL[0]), FP16),
        ('SFPLOAD', 'BF16', 'FP32'): halves(load(2, BF16_CELL[0]), BF16),
        ('SFPLOADI', 'FP16', 'FP32'): halves(load_immediate(1), FP16),
        ('SFPLOADI', 'BF16', 'FP32'): halves(load_immediate(0), BF16),
    }


# --- Src, unpackers, packer ---

def cell(bits: int) -> int:
    """S M10 E8 from S E8 M10."""
    return bits & 0x40000 | (bits & 0x3FF) << 8 | bits >> 10 & 0xFF


def bits_of(found: int) -> int:
    """The reverse."""
    return found & 0x40000 | (found & 0xFF) << 10 | found >> 8 & 0x3FF


def move(mnemonic: str, name: str, form: int) -> Case:
    def run(machine: Machine, words: Words) -> Words:
        machine.configure(ALU_FORMAT_SPEC_REG0_SrcA=form,
                          ALU_FORMAT_SPEC_REG1_SrcB=form)
        machine.thread(1, DISABLE_IMPLIED_SRCA_FMT_Base=1)
        machine.thread(1, DISABLE_IMPLIED_SRCB_FMT_Base=1)
        machine.set_src(name, [cell(word) for word in words])
        for row in range(-(-len(words) // 16)):
            machine.push(1, mnemonic, src=row, dst=row)
        return [BF16_CELL[1](x) for x in machine.dest(len(words), False)]
    return Case(run, BF16, float_inputs(TF32, 7), TF32.value, TF32,
                denormals=[3, 0x40003], nan=[0x3FC08, 0x7FC08], dropped=3,
                sign=lambda word: word >> 18)


def matrix(mnemonic: str, **operands: int) -> Run:
    """Dest, or SrcB of a sum, and what is added to it: a row of each."""
    def run(machine: Machine, pairs: Sequence[Pair]) -> Words:
        first, second = ([x >> 16 for x in part] for part in lanes(pairs))
        ones = [x << 3 for x in (0x3F80,)]
        sums = mnemonic in ('ELWADD', 'ELWSUB')
        if sums:
            ones = [x << 3 for x in first]
        elif mnemonic == 'ELWMUL':
            ones = LANES // 2 * ones
        machine.configure(ALU_FORMAT_SPEC_REG0_SrcA=5,
                          ALU_FORMAT_SPEC_REG1_SrcB=5)
        machine.thread(1, DISABLE_IMPLIED_SRCA_FMT_Base=1)
        machine.thread(1, DISABLE_IMPLIED_SRCB_FMT_Base=1)
        machine.set_dest([] if sums else [BF16_CELL[0](x) for x in first],
                         False)
        machine.set_src('srcb', [cell(x) for x in ones])
        machine.set_src('srca', [cell(x << 3) for x in second])
        machine.give_banks()
        machine.push(1, mnemonic, **operands)
        machine.take_banks()
        return [BF16_CELL[1](x) for x in machine.dest(len(pairs), False)]
    return run


def matrix_cases() -> Cases:
    found = {}
    for name in ('MVMUL', 'DOTPV', 'GAPOOL', 'ELWMUL', 'ELWADD', 'ELWSUB'):
        minus = SIGN if name == 'ELWSUB' else 0

        def value(pair: Pair, minus: int = minus) -> Fraction:
            if minus:                    # SrcA - SrcB
                return number(pair[1]) - number(pair[0])
            return number(pair[0]) + number(pair[1])
        found[name, 'exact result', 'BF16'] = Case(
            matrix(name), BF16,
            [(s ^ minus | ONE | big << 16, s | rest) for s in (0, SIGN)
             for big in (2, 3) for rest in (0, 0x3B000000, 0x3B800000,
                                            0x3BC00000)],
            value, denormals=[(0x30000, 0)],
            overflow=[(s ^ minus | 0x7F7F0000, s | 0x7F000000)
                      for s in (0, SIGN)],
            sign=lambda pair: pair[1] >> 31)
    return found


def unpack(to: str, decode: Callable[[int], int]) -> Run:
    return lambda machine, words: [
        decode(x) for x in machine.unpack('FP32', to, words)]


def pack(middle: str, to: str) -> Run:
    kind = f'<u{BYTES[to]}'

    def run(machine: Machine, words: Words) -> Words:
        data = machine.pack(words, middle, to)
        return [int(x) for x in numpy.frombuffer(data, kind)[:len(words)]]
    return run


def pack_integer(sign: int, unsigned: int) -> Case:
    def run(machine: Machine, words: Words) -> Words:
        data = machine.pack(
            words, 'INT8', 'INT8', INT_DESCALE_Enable=1,
            INT_DESCALE_Mode=0, PCK_DEST_RD_CTRL_Read_unsigned=unsigned,
            INT_DESCALE_VALUES_SEC0_Value=SHIFT)
        return [x & 0x7F | (x & 0x80) << 24 if sign else x
                for x in data[:len(words)]]

    def value(word: int) -> Fraction:
        size = Fraction(word & ~SIGN, 1 << SHIFT)
        return size if not word & SIGN else -size if sign else Fraction(0)
    words = [s | w for s in {0, sign} for w in (0x28, 0x38, 0x27, 0x29, 0x30,
                                                0x3F)]
    return Case(run, Integer(sign), words, value,
                overflow=both(0x12345678)[:1 + (sign > 0)])


def pack_block(to: str, width: int) -> Case:
    """A row with 1.0, which gives it its exponent, and one datum."""
    cut = 8 - width

    def run(machine: Machine, words: Words) -> Words:
        found = []
        for word in words:
            data = machine.pack([BF16_CELL[0](0x3F80), BF16_CELL[0](word)],
                                'BF16', to, wide=False, exponents=True)
            code = data[UNIT] if width == 8 else data[UNIT] >> width
            code = data[UNIT + 1] if width == 8 else code & (1 << width) - 1
            found.append(code & (1 << width - 1) - 1 |
                         (code >> width - 1) * SIGN)
        return found

    def value(word: int) -> Fraction:
        return BF16.value(word) * 64 / (1 << cut)
    return Case(run, Integer(), [s | w for s in (0, 0x8000)
                                 for w in BLOCKS[width]], value, BF16,
                denormals=[3, 0x8003], sign=lambda word: word >> 15)


# 1.0 is 64 of 127: words of BF16 around ties of the last bit
BLOCKS = {8: (0x3F01, 0x3F03, 0x3C81, 0x3F00, 0x3C80, 0x3CC0, 0x3CA0, 0x3CE0),
          4: (0x3E80, 0x3EA0, 0x3EC0, 0x3EE0, 0x3EF0, 0x3E90),
          2: (0x3F80, 0x3E80, 0x3F00, 0x3F20, 0x3F40, 0x3F60, 0x3F10, 0x3F70)}


def accumulate() -> Case:
    """The second number is in L1."""
    def run(machine: Machine, pairs: Sequence[Pair]) -> Words:
        old = numpy.array([y for _, y in pairs], '<u4').tobytes()
        data = machine.pack([x for x, _ in pairs], 'FP32', 'FP32',
                            old=old.ljust(1024, b'\0'),
                            THCON_SEC0_REG1_Pack_L1_Acc=1)
        return [int(x) for x in numpy.frombuffer(data, '<u4')[:len(pairs)]]
    return adding(run)


def tile_cases() -> Cases:
    infinite = both(0x7F800000)
    return {
        ('MOVA2D', 'TF32', 'BF16'): move('MOVDBGA2D', 'srca', 5),
        ('MOVB2D', 'TF32', 'BF16'): move('MOVDBGB2D', 'srcb', 5),
        ('UNPACR', 'FP32', 'TF32'): narrow(
            unpack('TF32', bits_of), TF32, overflow=infinite),
        ('UNPACR', 'FP32', 'BF16'): narrow(
            unpack('BF16', lambda x: bits_of(x) >> 3), BF16,
            overflow=infinite),
        ('UNPACR', 'FP32', 'FP16'): narrow(
            unpack('FP16', lambda x: x >> 3 & 0x8000 | (x & 0x1F) << 10 |
                   x >> 8 & 0x3FF), FP16),
        ('PACR', 'FP32, as FP32', 'FP32'): narrow(
            pack('FP32', 'FP32'), FP32, overflow=infinite),
        ('PACR', 'FP32, as TF32', 'TF32'): narrow(
            lambda m, w: [x >> 13 for x in pack('TF32', 'TF32')(m, w)],
            TF32),
        ('PACR', 'FP32, as BF16', 'BF16'): narrow(pack('BF16', 'BF16'), BF16),
        ('PACR', 'FP32, as FP32', 'BF16'): narrow(
            pack('FP32', 'BF16'), BF16, overflow=infinite),
        ('PACR', 'FP32, as FP32', 'FP16'): narrow(pack('FP32', 'FP16'), FP16),
        ('PACR', 'FP32, as FP32', 'FP8 (E5M2)'): narrow(
            pack('FP32', 'FP8'), E5M2),
        ('PACR', 'integer', 'int8'): pack_integer(SIGN, 0),
        ('PACR', 'integer', 'uint8'): pack_integer(0, 1),
        ('PACR', 'BF16', 'BFP8'): pack_block('BFP8', 8),
        ('PACR', 'BF16', 'BFP4'): pack_block('BFP4', 4),
        ('PACR', 'BF16', 'BFP2'): pack_block('BFP2', 2),
        ('PACR', 'sum in L1', 'FP32'): accumulate(),
    }


def cases() -> Cases:
    return {**stochastic_cases(), **casts(), **multiply_cases(),
            **integer_cases(), **memory_cases(), **matrix_cases(),
            **tile_cases()}
