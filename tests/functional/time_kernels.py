# SPDX-License-Identifier: GPL-2.0-or-later
"""Micro kernels whose cycles cards gave: docs/time-measured.csv.

Each is a loop, as it was on the card; its cycles are those of an iteration,
the difference between two numbers of iterations.  The published programs are
described at the sources; these are ours.
"""

from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Sequence

import rv_asm as rv
import spin
from blackhole_tile import tt
from rv_asm import A0, A1, A2, A3, S1, T0, T1, T2, ZERO

Words = List[int]
A4, A5, A6, A7, S2 = 14, 15, 16, 17, 18
L1, LOCAL = 0x48000, 0xFFB00080
PUSH, DONE_WORD = 0xFFE40000, 0xFFE80004
FIRMWARE, FUSING = 0x60008, 0x20008   # CSR cfg0, tt-metal's; with fusion
FEW, MANY = 16, 48

FRESH = 'timing-reference, fresh-results'
CORE = 'timing-reference, riscv-core-microbench'
SPECIAL = 'timing-reference, riscv-special-instr-microbench'
MEMORY = 'timing-reference, riscv-memory-microbench'
PUSHES = 'timing-reference, tensix-instr-microbench'
FPU = 'blackhole-py, operation_pocs/fpu, (K=16 - K=1) / 15'
VECTOR = 'blackhole-py, operation_pocs/sfpu_math'


@dataclass(frozen=True)
class Kernel:
    """cycles = (of an iteration - less) / per; minus: another kernel's, too."""
    name: str
    published: float
    source: str
    body: Words
    setup: Words = field(default_factory=list)
    per: float = 16
    less: float = 0
    minus: str = ''
    cfg0: int = FIRMWARE
    jumps: bool = False         # its loop ends with a jump: three instructions
    drains: bool = False        # the Vector Unit, in each iteration

    def loop(self, times: int) -> Words:
        body = self.body + (DRAIN if self.drains else [])
        if not self.jumps:
            return spin.counted(times, body)
        end = [rv.addi(S1, S1, 1), rv.branch(spin.BEQ, S1, A3, 8)]
        return rv.li(A3, times + 1) + [rv.addi(S1, ZERO, 1)] + body + end + \
            [rv.jump(-4 * (len(body) + 2))]


def op(funct3: int, rd: int = T2, rs1: int = T2, rs2: int = A1,
       funct7: int = 0) -> int:
    return rv.r_type(rv.OP, funct3, funct7, rd, rs1, rs2)


def imm(funct3: int, value: int = 1, rd: int = T2, rs1: int = T2) -> int:
    return rv.i_type(rv.OP_IMM, funct3, rd, rs1, value)


def load(rd: int, rs1: int, offset: int = 0, funct3: int = 2) -> int:
    return rv.i_type(rv.LOAD, funct3, rd, rs1, offset)


def store(rs2: int, rs1: int, offset: int = 0, funct3: int = 2) -> int:
    return rv.s_type(rv.STORE, funct3, rs1, rs2, offset)


def fp(funct7: int, rd: int = 0) -> int:
    return rv.r_type(rv.OP_FP, 0, funct7, rd, rd, 4)


def push(mnemonic: str, **operands: int) -> int:
    return rv.ttinsn(tt(mnemonic, **operands))


def chain(address: int, lines: int = 1) -> Words:
    """`lines` words that point to each other; A0 to the first."""
    words = rv.li(A0, address)
    for n in range(lines):
        words += rv.li(A1, address + 16 * ((n + 1) % lines))
        words += [rv.sw(A1, A0, 16 * n)]
    return words


STALL = push('STALLWAIT', stall_res=1 << 1, wait_res=1 << 11)
SYNC = [store(ZERO, A6), load(T2, A6), rv.addi(T2, T2, 0)]
DRAIN = [STALL] + SYNC


# --- RISC-V, 16 operations and two of the loop ---

def fresh(name: str, published: float, body: Sequence[int],
          setup: Sequence[int] = ()) -> Kernel:
    words = (list(body) * 16)[:16]
    return Kernel(name, published, FRESH, words, list(setup))


def fresh_kernels() -> Iterable[Kernel]:
    one = rv.li(A1, 1)
    yield fresh('ADDI', 1.125, [rv.addi(T2, T2, 1)])
    yield fresh('ADD', 1.125, [op(0)], one)
    yield fresh('XOR', 1.125, [op(4)], one)
    yield fresh('MUL, dependent', 2.0625, [op(0, funct7=1)], one)
    yield fresh('MUL, four chains', 1.125,
                [op(0, n, n, A1, 1) for n in (T2, A4, A5, S2)], one)
    yield fresh('DIVU by 1', 2.125, [op(5, funct7=1)], one)
    large = rv.li(A2, 0xFFFFFFFF) + rv.li(A1, 3)
    yield fresh('DIVU of 32 bits', 33.125, [op(5, T2, A2, A1, 1)], large)
    yield fresh('REMU of 32 bits', 33.125, [op(7, T2, A2, A1, 1)], large)
    yield fresh('FENCE', 4.125, [rv.FENCE])
    yield fresh('CSRRS cycle', 4.125, [rv.csrrs(T2, 0xC00)])
    yield fresh('L1 load, one line', 8, [load(A0, A0)], chain(L1))
    yield fresh('L1 load, eight lines', 8, [load(A0, A0)], chain(L1, 8))
    yield fresh('L1 store, one word', 1.125, [store(A1, A0)], rv.li(A0, L1))
    yield fresh('L1 store, four words', 1.125,
                [store(A1, A0, 4 * n) for n in range(4)], rv.li(A0, L1))
    yield fresh('local RAM load', 2.0625, [load(A0, A0)], chain(LOCAL))
    yield fresh('FADD.S, dependent', 2.125, [fp(0)])
    yield fresh('FADD.S, four chains', 1.125, [fp(0, n) for n in range(4)])
    yield fresh('FMUL.S, dependent', 2.125, [fp(8)])
    yield fresh('FMADD.S, dependent', 2.125, [5 << 27 | 4 << 20 | 0x43])
    yield Kernel('loop of two instructions', 2, FRESH, [], per=1)


# --- the Vector Unit, likewise ---

def vector_bodies() -> Dict[str, List[int]]:
    def mad(mnemonic: str, dest: int) -> int:
        return push(mnemonic, lreg_src_a=10 if mnemonic == 'SFPADD' else dest,
                    lreg_src_b=dest if mnemonic == 'SFPADD' else 10,
                    lreg_src_c=9, lreg_dest=dest)

    def one(mnemonic: str, mod: int = 0) -> List[int]:
        return [push(mnemonic, instr_mod1=mod)]

    swap = push('SFPSWAP', lreg_dest=1)
    shuffle = push('SFPSHFT2', instr_mod1=3)
    nop = push('SFPNOP')
    four = range(4)
    return {
        'SFPNOP': [nop],
        'SFPLOADI': [push('SFPLOADI', imm16=0x3f80)],
        'SFPMOV': one('SFPMOV'),
        'SFPIADD': [push('SFPIADD', imm12_math=1)],
        'SFPADD, dependent': [mad('SFPADD', 0)],
        'SFPADD, four chains': [mad('SFPADD', n) for n in four],
        'SFPMUL, dependent': [mad('SFPMUL', 0)],
        'SFPMUL, four chains': [mad('SFPMUL', n) for n in four],
        'SFPMAD, dependent': [mad('SFPMAD', 0)],
        'SFPMAD, four chains': [mad('SFPMAD', n) for n in four],
        'SFPARECIP': one('SFPARECIP'),
        'SFPMUL24, dependent': [mad('SFPMUL24', 0)],
        'SFPCAST': one('SFPCAST'),
        'SFPTRANSP': [push('SFPTRANSP')],
        'SFPSWAP': [swap],
        'SFPSWAP, SFPNOP': [swap, nop],
        'SFPSHFT2, shuffle': [shuffle],
        'SFPSHFT2, shuffle, SFPNOP': [shuffle, nop],
        'SFPSHFT2, bits': one('SFPSHFT2', 5),
        'SFPSETCC': one('SFPSETCC'),
        'SFPENCC': one('SFPENCC', 2),
        'DMANOP': [push('DMANOP')],
    }


# Published; what is not here gave 1.125, and 1 with fusion
SLOW = {name: (2, 2) for name in (
    'SFPADD, dependent', 'SFPMUL, dependent', 'SFPMAD, dependent',
    'SFPMUL24, dependent', 'SFPSWAP', 'SFPSHFT2, shuffle')}
SLOW.update({name: (2.125, 2) for name in (
    'SFPSWAP, SFPNOP', 'SFPSHFT2, shuffle, SFPNOP', 'DMANOP')})


def vector_kernels() -> Iterable[Kernel]:
    for name, body in vector_bodies().items():
        words = body * 16 if 'NOP' in name[4:] and len(body) == 2 else \
            (body * 16)[:16]
        for text, cfg0, cycles in (
                ('', FIRMWARE, SLOW.get(name, (1.125, 1))[0]),
                (' (fusion)', FUSING, SLOW.get(name, (1.125, 1))[1])):
            yield Kernel(name + text, cycles, FRESH, words, cfg0=cfg0)


# --- RISC-V, a loop of three instructions without the body ---

def alone(name: str, cycles: float, source: str, body: Sequence[int],
          setup: Sequence[int] = ()) -> Kernel:
    return Kernel(name, cycles, source, list(body), list(setup),
                  len(body), 3, jumps=True)


def core_kernels() -> Iterable[Kernel]:
    one = rv.li(A1, 1)
    for name, insn in (
            ('NOP', rv.NOP), ('LUI', rv.li(T2, 0x12345000)[0]),
            ('AUIPC', T2 << 7 | 0x17), ('XORI', imm(4)), ('ORI', imm(6)),
            ('ANDI', imm(7)), ('SLTIU', imm(3)), ('SLLI', imm(1)),
            ('SRLI', imm(5)), ('SRAI', imm(5, 0x401)), ('CTZ', imm(1, 0x601)),
            ('SEXT.B', imm(1, 0x604)), ('SEXT.H', imm(1, 0x605)),
            ('SUB', op(0, funct7=0x20)), ('OR', op(6)), ('AND', op(7)),
            ('SLL', op(1)), ('SRL', op(5)), ('SRA', op(5, funct7=0x20)),
            ('SLT', op(2)), ('SLTU', op(3)), ('SH1ADD', op(2, funct7=0x10)),
            ('SH2ADD', op(4, funct7=0x10)), ('SH3ADD', op(6, funct7=0x10)),
            ('MIN', op(4, funct7=5)), ('MINU', op(5, funct7=5)),
            ('MAXU', op(7, funct7=5))):
        yield alone(name, 1, CORE, 8 * [insn], one)
    yield alone('four MULs', 1.75, CORE, 4 * [op(0, funct7=1)], one)
    yield alone('four MULHUs', 1.75, CORE, 4 * [op(3, funct7=1)], one)
    yield alone('DIVU of 0', 6.023, CORE, [op(5, funct7=1)], rv.li(A1, 3))
    yield alone('a jump', 1, CORE, [rv.jump(4)])
    yield alone('a FENCE', 4, CORE, [rv.FENCE])


def special_kernels() -> Iterable[Kernel]:
    for name, funct3, rs1, rs2 in (
            ('BEQ', 0, ZERO, ZERO), ('BNE', 1, ZERO, A1),
            ('BLT', 4, ZERO, A1), ('BGE', 5, A1, ZERO),
            ('BLTU', 6, ZERO, A1), ('BGEU', 7, A1, ZERO)):
        yield alone(name + ', taken', 1, SPECIAL,
                    [rv.branch(funct3, rs1, rs2, 4)], rv.li(A1, 1))
        other = (A1, ZERO) if name not in ('BEQ', 'BNE') else \
            (ZERO, A1) if name == 'BEQ' else (ZERO, ZERO)
        yield alone(name + ', not taken', 1, SPECIAL,
                    [rv.branch(funct3, *other, 4)], rv.li(A1, 1))
    yield alone('AUIPC, ADDI, JALR', 1, SPECIAL,
                [T2 << 7 | 0x17, rv.addi(T2, T2, 12),
                 rv.i_type(rv.JALR, 0, ZERO, T2, 0)])
    yield alone('four CSRRS cfg0', 4, SPECIAL, 4 * [rv.csrrs(T2, 0x7c0)])
    for name, funct3 in ('SB', 0), ('SH', 1), ('SW', 2):
        yield alone(name, 1, SPECIAL, [store(A1, A0, 0, funct3)],
                    rv.li(A0, L1))
    for name, funct3 in ('LBU', 4), ('LHU', 5), ('LW', 2):
        yield alone(name + ' of L1', 2.6, SPECIAL, [load(T2, A0, 0, funct3)],
                    rv.li(A0, L1))


def memory_kernels() -> Iterable[Kernel]:
    base = rv.li(A0, L1)
    regs = (T2, A1, A2, A4, A5, A7, S2, 19)
    yield alone('four L1 loads', 1.25, MEMORY,
                [load(r, A0) for r in regs[:4]], base)
    yield alone('eight L1 loads', 1.463, MEMORY,
                [load(r, A0) for r in regs], base)
    yield alone('L1 load, its own address', 5, MEMORY, [load(A0, A0)],
                chain(L1))
    for fillers, cycles in (0, 4.5), (1, 3), (2, 2.25), (4, 1.5):
        yield alone(f'L1 load, {fillers} others, its use', cycles, MEMORY,
                    [load(T2, A0)] + fillers * [rv.addi(A4, A4, 1)] +
                    [op(0, A5, A5, T2)], base)
    yield alone('L1 store, load of the same word', 3.25, MEMORY,
                [store(A1, A0), load(T2, A0)], base)
    local = rv.li(A0, LOCAL)
    yield alone('a load of local RAM', 1, MEMORY, [load(T2, A0)], local)
    yield alone('four loads of local RAM', 1, MEMORY,
                [load(r, A0) for r in regs[:4]], local)
    yield alone('a store to local RAM', 1, MEMORY, [store(A1, A0)], local)
    yield alone('local RAM store, load of the same word', 1.5, MEMORY,
                [store(A1, A0), load(T2, A0)], local)
    yield alone('a load of another hart\'s local RAM', 2.5, MEMORY,
                [load(T2, A0)], rv.li(A0, 0xFFB14080))
    yield Kernel('a read of the wall clock, its store', 12,
                 'blackhole-py, operation_pocs/fpu, control',
                 rv.li(A0, spin.CLOCK_LOW) + [load(T2, A0)] + rv.li(A0, L1) +
                 [store(T2, A0)], per=1, less=2)


# --- pushes by stores ---

def push_kernels() -> Iterable[Kernel]:
    def setup(mnemonic: str, **operands: int) -> Words:
        return rv.li(A0, PUSH) + rv.li(A1, tt(mnemonic, **operands)) + \
            rv.li(A6, DONE_WORD)

    seminit = setup('SEMINIT', sem_sel=2, max_value=1)
    yield alone('eight stores of NOP', 0.995, PUSHES, 8 * [store(A1, A0)],
                setup('NOP'))
    yield alone('eight stores of STALLWAIT', 1.542, PUSHES,
                8 * [store(A1, A0)], setup('STALLWAIT'))
    yield alone('four stores of SEMINIT', 0.99, PUSHES, 4 * [store(A1, A0)],
                seminit)
    for name, cycles, body, words in (
            ('sync of PCBuf', 5.98, [], setup('NOP')),
            ('eight stores of NOP, sync', 15.99, 8 * [store(A1, A0)],
             setup('NOP')),
            ('four stores of SEMINIT, sync', 11.99, 4 * [store(A1, A0)],
             seminit)):
        yield Kernel(name, cycles, PUSHES, body + SYNC, words, 1, 3,
                     jumps=True)


# --- the Matrix Unit: the same instruction, repeated by REPLAY ---

BANKS = [push('SETDVALID', setvalid=3)]


def replay(words: Sequence[int], exec_first: int = 0) -> Words:
    """Records the words."""
    return [push('REPLAY', len=len(words) % 32, load_mode=1,
                 execute_while_loading=exec_first)] + list(words)


def again(count: int) -> int:
    return push('REPLAY', len=count % 32)


def repeated(name: str, cycles: float, source: str, words: Sequence[int],
             per: float = 1) -> Kernel:
    return Kernel(name, cycles, source, [again(len(words))],
                  BANKS + replay(words), per)


def matrix_kernels() -> Iterable[Kernel]:
    for name, cycles, count in (
            ('ELWADD', 90, 1), ('ELWSUB', 90, 1), ('ELWMUL', 179, 2),
            ('MVMUL', 90, 1), ('GAPOOL', 179, 2), ('GMPOOL', 90, 1)):
        phases = ', two phases' if count == 2 else ''
        yield repeated(f'{name}{phases}, to the same rows',
                       round(cycles / 15, 2), FPU, count * [push(name)])
    yield repeated('MVMUL, two phases, to the same rows', 12, FPU,
                   2 * [push('MVMUL')])
    yield repeated('eight ZEROACCs', 8.07, FPU,
                   [push('ZEROACC', where=n) for n in range(8)])
    for name, operands in (('MOVB2D', {'movb2d_instr_mod': 4}),
                           ('MOVD2A', {'instr_mod': 2}),
                           ('MOVD2B', {'instr_mod': 2})):
        words = [push(name, dst=4 * (n % 2), src=4 * (n % 2), **operands)
                 for n in range(16)]
        yield repeated(f'two {name}s', 2, FPU, words, 8)


def tile_kernels() -> Iterable[Kernel]:
    for n, name in enumerate(('LoFi', 'HiFi2', 'HiFi3', 'HiFi4')):
        words = [push('MVMUL', dst=8 * (m % 8)) for m in range(16)]
        yield Kernel(f'matrix product of tiles, {name}', 16 * (n + 1),
                     'tt-metal, GEMM_FLOPS; tt-llk issue 768',
                     (n + 1) * [again(16)], BANKS + replay(words), 1)
    for name, phases, cycles in ('HiFi2', 2, 34.6), ('HiFi4', 4, 82.6):
        words = [push('ELWMUL', dst=16 * face + 8 * half)
                 for face in range(4) for _ in range(phases)
                 for half in range(2)]
        yield repeated(f'ELWMUL of tiles, {name}', cycles, 'tt-metal PR 58723',
                       words)
    counters = push('SETRWC')
    # tt-llk's _llk_math_reduce_: two rows of faces, each pooled and transposed
    faces = 2 * [push('GMPOOL')] + [counters] + [
        push('MOVD2B', src=16), push('TRNSPSRCB'), push('MOVD2B', src=16),
        counters, counters, push('ZEROSRC'), push('ELWADD'),
        push('ELWADD', dst=8)]
    yield Kernel('maximum of the rows of a tile', 58.06, 'tt-metal PR 55053',
                 [push('SETC16', setc16_reg=1)] + faces + 4 * [counters] +
                 faces + [counters], BANKS, per=1)


# --- sequences of the Vector Unit, and drains ---

def sequence(name: str) -> List[int]:
    def constant(reg: int) -> List[int]:
        return [push('SFPLOADI', lreg_ind=reg, instr_mod0=mod)
                for mod in (8, 10)]

    def mad(dest: int, a: int, b: int, c: int = 9) -> int:
        return push('SFPMAD', lreg_src_a=a, lreg_src_b=b, lreg_src_c=c,
                    lreg_dest=dest)

    move = push('SFPMOV', lreg_dest=3)
    estimate = push('SFPARECIP')
    if name == 'refined reciprocal':
        return [move, estimate] + constant(5) + \
            2 * [mad(4, 3, 0, 5), mad(0, 0, 4)]
    if name == 'exponential estimate':
        return [move, estimate, push('SFPARECIP', lreg_c=3)]
    degrees = [word for _ in range(8) for word in
               constant(5) + [mad(0, 0, 3, 5)]]
    return [move, push('SFPMULI', lreg_dest=3, imm16_math=0x3b80)] + \
        constant(0) + degrees + 8 * [mad(0, 0, 0)]


def sequence_kernels() -> Iterable[Kernel]:
    def drained(name: str, cycles: float, body: List[int]) -> Kernel:
        return Kernel(name + ' - one SFPMOV', cycles, VECTOR, body,
                      rv.li(A6, DONE_WORD), 1, minus='one SFPMOV',
                      drains=True)

    add = push('SFPADD', lreg_src_a=10, lreg_src_c=9)
    move = push('SFPMOV', instr_mod1=1)
    yield Kernel('one SFPMOV', 0, '', [move], rv.li(A6, DONE_WORD), 1,
                 drains=True)
    yield drained('one SFPADD', 1, [add])
    yield drained('16 SFPADDs', 31, 16 * [add])
    yield drained('16 SFPMOVs', 15, 16 * [move])
    for name, cycles in (('refined reciprocal', 11),
                         ('exponential estimate', 2),
                         ('exponential by a polynomial', 44)):
        yield drained(name, cycles, sequence(name))


# --- 32 rows of a tile, as tt-llk's eltwise_unary_sfpu_perf runs them ---
#
# MATH_ISOLATE: each tile is copied from SrcA (16-bit formats only), then the
# Vector Unit waits for the Matrix Unit.  The harness leaves fusion on (until
# tt-metal PR 54806).

PR_TANH, PR_INT = 'tt-metal PR 54317', 'tt-metal PR 49820'
PR_SIGMOID = 'tt-metal PR 49926'
COPY = [push('SETC16', setc16_reg=1)] + 4 * (2 * [push(
    'MOVA2D', instr_mod=2)] + [push('SETRWC')]) + [push('SETRWC', BitMask=4)]
START = [push('SETC16', setc16_reg=1),
         push('STALLWAIT', stall_res=1 << 8, wait_res=1 << 4)]
DONE = [push('SETRWC', BitMask=4)]


def inner(times: int, body: Words) -> Words:
    """A loop of the hart in an iteration."""
    back = rv.branch(spin.BNE, A4, ZERO, -4 * (len(body) + 1))
    return [rv.addi(A4, ZERO, times)] + body + [rv.addi(A4, A4, -1), back]


def unrolled(row: Words) -> Words:
    """#pragma GCC unroll 8: sfpi records a row and replays it."""
    return inner(4, replay(row, 1) + 7 * [again(len(row))])


def row_kernels() -> Iterable[Kernel]:
    load, keep = (push(name, lreg_ind=3, instr_mod0=2)
                  for name in ('SFPLOAD', 'SFPSTORE'))
    other = push('SFPSTORE', lreg_ind=7, instr_mod0=2)
    lut, count = push('SFPLUT', lreg_ind=3), push('INCRWC', rwc_d=2)
    six, seven = (push('SFPLUTFP32', lreg_dest=n) for n in (3, 7))
    half = push('SFPADDI', lreg_dest=3, imm16_math=0x3f00)
    integer = [[load, push(name, lreg_c=3, lreg_dest=3), keep, count]
               for name in ('SFPABS', 'SFPNOT')]
    for name, cycles, source, rows in (
            ('copy: load, store, INCRWC', 124.06, PR_TANH,
             inner(32, [load, keep, count])),
            ('tanh: load, LUT, store, INCRWC', 159.98, PR_TANH,
             unrolled([load, lut, keep, count])),
            ('tanh: load, LUT, store', 156.94, PR_TANH,
             32 * [load, six, keep]),
            ('tanh: load, store of the row before, LUT', 125.95, PR_TANH,
             [load] + 31 * [seven, load, other] + [seven, other]),
            ('sigmoid: load, LUT, SFPADDI, store, INCRWC', 221.2, PR_SIGMOID,
             unrolled([load, lut, half, keep, count])),
            ('SFPABS: load, SFPABS, store, INCRWC', 135.43, PR_INT,
             unrolled(integer[0])),
            ('SFPNOT: load, SFPNOT, store, INCRWC', 135.43, PR_INT,
             unrolled(integer[1])),
            ('fill: store, INCRWC', 117.78, PR_INT,
             inner(32, [keep, count]))):
        copy = [] if source == PR_INT else COPY
        yield Kernel(f'32 rows of {name}', cycles, source,
                     copy + START + rows + DONE, BANKS, per=1, cfg0=FUSING)


def kernels() -> List[Kernel]:
    return [kernel for make in (
        fresh_kernels, vector_kernels, core_kernels, special_kernels,
        memory_kernels, push_kernels, matrix_kernels, tile_kernels,
        sequence_kernels, row_kernels) for kernel in make()]


# --- programs ---

def clock(reg: int) -> Words:
    return rv.li(S1, spin.CLOCK_LOW) + [rv.lw(reg, S1)]


def program(some: Sequence[Kernel]) -> rv.Program:
    """Two results of each kernel: cycles of FEW and of MANY iterations."""
    made = rv.Program()
    for kernel in some:
        made.add(rv.li(T0, kernel.cfg0), rv.csrrw(ZERO, 0x7c0, T0))
        for times in FEW, MANY:
            end = rv.li(A6, DONE_WORD) + DRAIN
            made.add(kernel.setup, rv.FENCE, clock(T0), kernel.loop(times),
                     end, clock(T1), op(0, T1, T1, T0, 0x20))
            made.result(T1)
    return made


def cycles_of(kernel: Kernel, few: int, many: int,
              others: Dict[str, float]) -> float:
    """others: what is known of kernels that came before."""
    each = (many - few) / (MANY - FEW)
    return (each - kernel.less) / kernel.per - others.get(kernel.minus, 0)
