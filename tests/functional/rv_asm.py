# SPDX-License-Identifier: GPL-2.0-or-later
"""A small RV32 assembler for tests: instructions as numbers, programs as ELF.

The encodings are written here from the RISC-V manual, so that a test does not
depend on what the installed toolchain thinks of a baby RISC-V's subset.
"""

import struct

ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1 = range(10)
A0, A1, A2, A3 = 10, 11, 12, 13

LOAD, LOAD_FP, MISC_MEM, OP_IMM, STORE, STORE_FP = 3, 7, 15, 0x13, 0x23, 0x27
AMO, OP, LUI, BRANCH, JALR, JAL, SYSTEM = 0x2f, 0x33, 0x37, 0x63, 0x67, 0x6f, \
    0x73
OP_FP, OP_V = 0x53, 0x57

EBREAK, ECALL, MRET, WFI = 0x00100073, 0x00000073, 0x30200073, 0x10500073
FENCE, FENCE_I, NOP = 0x0ff0000f, 0x0000100f, 0x00000013

# A call of the host: its number in A0, its argument in A1
SEMIHOSTING = [0x01f01013, EBREAK, 0x40705013]
SYS_WRITE0, SYS_EXIT_EXTENDED, APPLICATION_EXIT = 4, 0x20, 0x20026


def r_type(opcode, funct3, funct7, rd, rs1, rs2):
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | \
        opcode


def i_type(opcode, funct3, rd, rs1, imm):
    return (imm & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def s_type(opcode, funct3, rs1, rs2, imm):
    return (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | \
        (imm & 0x1f) << 7 | opcode


def jump(offset, rd=ZERO):
    imm = offset & 0x1fffff
    return (imm >> 20) << 31 | (imm >> 1 & 0x3ff) << 21 | \
        (imm >> 11 & 1) << 20 | (imm >> 12 & 0xff) << 12 | rd << 7 | JAL


def branch(funct3, rs1, rs2, offset):
    imm = offset & 0x1fff
    return (imm >> 12) << 31 | (imm >> 5 & 0x3f) << 25 | rs2 << 20 | \
        rs1 << 15 | funct3 << 12 | (imm >> 1 & 0xf) << 8 | \
        (imm >> 11 & 1) << 7 | BRANCH


def li(rd, value):
    """Two instructions that set rd to a 32-bit value."""
    low = (value & 0xfff) - (0x1000 if value & 0x800 else 0)
    high = (value - low) & 0xffffffff
    return [high | rd << 7 | LUI, i_type(OP_IMM, 0, rd, rd, low)]


def lw(rd, rs1, imm=0):
    return i_type(LOAD, 2, rd, rs1, imm)


def sw(rs2, rs1, imm=0):
    return s_type(STORE, 2, rs1, rs2, imm)


def leave(status, block=0x30000):
    """Ends QEMU by semihosting, by way of two words of memory."""
    return (li(A1, block) + li(A0, APPLICATION_EXIT) + [sw(A0, A1)] +
            li(A0, status) + [sw(A0, A1, 4)] + li(A0, SYS_EXIT_EXTENDED) +
            SEMIHOSTING)


def addi(rd, rs1, imm):
    return i_type(OP_IMM, 0, rd, rs1, imm)


def csrrw(rd, csr, rs1):
    return i_type(SYSTEM, 1, rd, rs1, csr)


def csrrs(rd, csr, rs1=ZERO):
    return i_type(SYSTEM, 2, rd, rs1, csr)


def csrrc(rd, csr, rs1):
    return i_type(SYSTEM, 3, rd, rs1, csr)


def fmv_w_x(fd, rs1):
    return r_type(OP_FP, 0, 0x78, fd, rs1, 0)


def fmv_x_w(rd, fs1):
    return r_type(OP_FP, 0, 0x70, rd, fs1, 0)


def ttinsn(word):
    """A Tensix instruction in the RISC-V stream: rotated left by two."""
    return (word << 2 | word >> 30) & 0xffffffff


HALT = [FENCE, jump(-4)]


def elf(segments, entry, machine=243, elf_class=1):
    """An ELF32 file with loadable segments {address: bytes}."""
    header_size, row_size = 52, 32
    offset = header_size + row_size * len(segments)
    rows = data = b''
    for address, content in segments.items():
        rows += struct.pack('<8I', 1, offset + len(data), address, address,
                            len(content), len(content), 7, 4)
        data += content
    ident = b'\x7fELF' + bytes([elf_class, 1, 1]) + bytes(9)
    header = ident + struct.pack('<HHIIIIIHHHHHH', 2, machine, 1, entry,
                                 header_size, 0, 0, header_size, row_size,
                                 len(segments), 40, 0, 0)
    return header + rows + data


def code(words):
    return struct.pack(f'<{len(words)}I', *words)


class Program:
    """Instructions that leave results, word after word, in L1.

    S0 points at the next result; result() stores a register.  The word before
    the results becomes `done` when the program has ended.
    """

    DONE = 0x600d600d

    def __init__(self, base=0x20000, results=0x100000):
        self.base, self.results = base, results
        self.words = li(S0, results + 4)
        self.count = 0

    def add(self, *words):
        for word in words:
            self.words += word if isinstance(word, list) else [word]

    def result(self, reg):
        self.add(sw(reg, S0), addi(S0, S0, 4))
        self.count += 1

    def pc(self):
        return self.base + 4 * len(self.words)

    def image(self):
        end = li(T0, self.results) + li(T1, self.DONE) + [sw(T1, T0)] + HALT
        return elf({self.base: code(self.words + end)}, self.base)
