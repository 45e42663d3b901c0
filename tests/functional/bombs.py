# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that ask for as much work as they can, to hold the machine.

Each is {hart: instructions} for bomb_images(); none ever ends.
"""

import rv_asm as rv
from rv_asm import A0, A1

GPR, CFG, MOP_CFG = 0xFFE00000, 0xFFEF0000, 0xFFB80000
INSTRN_BUF_CTRL0, INSTRN_BUF_CTRL1 = 0xFFB120A0, 0xFFB120A4
SOFT_RESET = 0xFFB121B0
RESET_BITS = {'ncrisc': 1 << 18, 'trisc0': 1 << 12, 'trisc1': 1 << 13,
              'trisc2': 1 << 14}
TRISC_RESET_PC, NCRISC_RESET_PC = 0xFFB12228, 0xFFB12238
WALL_CLOCK = 0xFFB121F0
SCRATCH = 0xFFB12110
NIU0, NIU1 = 0xFFB20000, 0xFFB30000
TDMA = 0xFFB11000
NOWHERE = 0xFFC00000

OP_MOP, OP_NOP, OP_REPLAY, OP_XMOV = 0x01, 0x02, 0x04, 0x40
OP_UNPACR, OP_STOREREG, OP_ATCAS = 0x42, 0x67, 0x64
MOP_LOOP = OP_MOP << 24 | 1 << 23
NOP = OP_NOP << 24
XMOV = OP_XMOV << 24
NO_SUCH_OPCODE = 0x06000000
MOST = 127                          # iterations of a MOP's loops

BASES = {'brisc': 0x20000, 'ncrisc': 0x24000, 'trisc0': 0x28000,
         'trisc1': 0x2C000, 'trisc2': 0x30000}
MIB = 0x100000
MOVE = MIB - 16                     # the most that the mover counts


def store(value, address):
    return rv.li(A0, value) + rv.li(A1, address) + [rv.sw(A0, A1)]


def forever(body):
    return body + [rv.jump(-4 * len(body))]


def release(harts):
    """What BRISC does first, if it has a program: these start too."""
    held = sum(bit for hart, bit in RESET_BITS.items() if hart not in harts)
    words = store(7, TRISC_RESET_PC + 12)
    for index in range(3):
        words += store(BASES[f'trisc{index}'], TRISC_RESET_PC + 4 * index)
    words += store(BASES['ncrisc'], NCRISC_RESET_PC)
    return words + store(1, NCRISC_RESET_PC + 4) + store(held, SOFT_RESET)


def bomb_images(write_elf, programs):
    """{hart: ELF} of {hart: instructions}; write_elf as Folder.elf."""
    images = {}
    for hart, words in programs.items():
        if hart == 'brisc' and len(programs) > 1:
            words = release(programs) + words
        images[hart] = write_elf(hart, {BASES[hart]: words}, BASES[hart])
    return images


def storereg(address, gpr):
    return OP_STOREREG << 24 | gpr << 18 | (address - 0xFFB00000) >> 2


def replay(start, length, load=False):
    return OP_REPLAY << 24 | start << 14 | length << 4 | load


def replay_bomb():
    """Two words that push their own REPLAY through the debug bus."""
    take, push = 1, 1 << 4
    words = store(take, GPR) + store(take | push, GPR + 4)
    words += store(replay(0, 2), INSTRN_BUF_CTRL1)
    for word in (replay(0, 2, load=True), storereg(INSTRN_BUF_CTRL0, 0),
                 storereg(INSTRN_BUF_CTRL0, 1), replay(0, 2)):
        words.append(rv.ttinsn(word))
    return {'trisc0': words + rv.HALT}


def mop_of(word):
    """Configures the longest MOP of this word: 127 x 254."""
    words = []
    for index, value in enumerate((MOST, MOST, NOP, NOP, NOP) + 4 * (word,)):
        words += store(value, MOP_CFG + 4 * index)
    return words


def mover(size, first_word=88):
    """XMOV copies `size` bytes from L1 to L1, in place of each bank."""
    words = []
    for index, value in enumerate((0, 0x40000 >> 4, 3 << 30 | size >> 4)):
        words += store(value, CFG + 4 * (first_word + index))
    return words


def mop_bomb(word=XMOV):
    push = forever([rv.ttinsn(MOP_LOOP)] * 8)
    return {'trisc0': mover(MOVE) + mop_of(word) + push}


def mop_bombs():
    """All three threads have one, of words that violate in thread 1."""
    triscs = {'trisc0': mop_bomb()['trisc0']}
    for hart, word in (('trisc1', NO_SUCH_OPCODE), ('trisc2', XMOV)):
        triscs[hart] = mop_of(word) + forever([rv.ttinsn(MOP_LOOP)])
    return triscs


def storereg_bomb():
    """A MOP of STOREREGs to a scratch register."""
    return {'trisc0': store(5, GPR) + mop_of(storereg(SCRATCH, 0)) +
                      forever([rv.ttinsn(MOP_LOOP)])}


def to_all_tiles(base, length):
    """Registers of a NoC write of L1 to all tiles."""
    hi = 16 | 11 << 6 | 0 << 12 | 0 << 18
    words = []
    for offset, value in ((0x00, 0), (0x04, 0), (0x08, 2 << 6 | 1),
                          (0x0C, 0), (0x10, 0), (0x14, hi), (0x18, 0),
                          (0x1C, 0x2092 | 1 << 5), (0x20, length)):
        words += store(value, base + offset)
    return words


def broadcast(base, length):
    """As large as may be, as fast as may be."""
    return to_all_tiles(base, length) + forever(store(length, base + 0x20) +
                                                store(0, base) +
                                                store(0, base + 0xC) +
                                                store(1, base + 0x40))


def noc_storm():
    """The length is the most that L1 holds."""
    return {'trisc0': broadcast(NIU0, 0x100000),
            'trisc1': broadcast(NIU1, 0x100000)}


def hammer():
    """Five harts that do nothing but access registers and push."""
    load = rv.li(A1, WALL_CLOCK) + forever([rv.lw(A0, A1)])
    stores = rv.li(A1, SCRATCH) + forever([rv.sw(A0, A1)])
    push = forever([rv.ttinsn(NOP)])
    return {'brisc': stores, 'ncrisc': load, 'trisc0': push,
            'trisc1': push, 'trisc2': forever([rv.ttinsn(NOP)] * 3 +
                                              rv.li(A1, SCRATCH) +
                                              [rv.lw(A0, A1)])}


def violations():
    """Five harts that only violate."""
    bad = rv.li(A1, NOWHERE) + forever([rv.sw(A0, A1)])
    word = forever([rv.ttinsn(NO_SUCH_OPCODE)])
    return {'brisc': bad, 'ncrisc': bad, 'trisc0': word, 'trisc1': word,
            'trisc2': bad}


def mover_storm():
    """Four harts that hold the BQL with moves of 1 MiB by TDMA-RISC."""
    words = []
    for index, value in enumerate((0, 0x40000 >> 4, MOVE >> 4, 3)):
        words += store(value, TDMA + 4 * index)
    words += rv.li(A0, 0x40) + rv.li(A1, TDMA + 0x10)
    words += forever([rv.sw(A0, A1)] * 4)
    return {hart: words for hart in ('brisc', 'trisc0', 'trisc1', 'trisc2')}
