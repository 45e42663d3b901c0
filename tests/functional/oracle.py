# SPDX-License-Identifier: GPL-2.0-or-later
"""A second lowering of SFPI's C++: what a kernel has recorded (tests/oracle) gets
LRegs by one scan over the records and becomes a list of words without a branch.
An SFPNOP follows each result of two cycles.

    words = Recording(folder, source).words(row, layout)
"""

import os
import struct
from typing import Dict, List, NamedTuple, Set

from blackhole_tile import firmware
from blackhole_tile.instructions import instructions, tt
from blackhole_tile.program import build
from blackhole_tile.testing import ROOT, Tile

HEADERS = os.path.join(ROOT, 'tests', 'oracle')
COUNT, DONE, LOG, FIRST = 0x30000, 0x30008, 0x30020, 16
TABLE = 0x100000                       # of words, after their number
SHARED = 0x20000
SECONDS = 60
# as in record.hpp
KINDS = ('constant short copy unary update fma word flags save restore load '
         'store pin fixed raw place').split()
NAMES = ('SFPMOV SFPAND SFPOR SFPXOR SFPIADD SFPSHFT SFPABS SFPLZ SFPLE '
         'SFPDIVP2 SFPCAST SFP_STOCH_RND SFPARECIP SFPSHFT2 SFPMAD SFPMUL24 '
         'SFPLUT SFPLUTFP32 SFPTRANSP SFPCONFIG').split()
UPPER, LOWER = 8, 10                   # modes of SFPLOADI
ALL_LANES, NOT_ZERO, STAY, INT32 = 2, 2, 7, 4
# Vectors of Dest after the masks' (those of 16 nested conditions)
FIRST_SLOT, SLOTS, LREGS = 64, 24, 8
VECTOR_OPCODES = {tt(name) >> 24 for name in instructions()
                  if name.startswith(('SFP', 'REPLAY', 'MOP')) and name not in (
                      'SFPNOP', 'SFPENCC', 'SFPPUSHC', 'SFPPOPC', 'SFPCOMPC')}
# The recorder runs alone, without the registers that stand for vectors, in an
# image that may have the 64 KiB below SHARED
MAKEFILE = f'''SOURCES_trisc2 = end.cpp
include $(BLACKHOLE_TILE)/runtime/kernel.mk
HARTS = trisc2
override DATA =
CXXFLAGS := -I{HEADERS} -I{ROOT}/examples/sfpu $(filter-out --param=%,$(CXXFLAGS)) \
	-march=$(MARCH) -mabi=ilp32 -Dmain=kernel
LDFLAGS := $(subst $(RUNTIME)/hart.ld,large.ld,$(LDFLAGS))
'''
END = f'''#include "blackhole-tile/kernel.h"
#undef main
int kernel();
int main()
{{
    kernel();
    REG32({DONE}) = 1;
    return 0;
}}
'''
# Pushes the words that are at TABLE, after their number
PUSHER = f'''#include "blackhole-tile/tile.h"
static void push_all()
{{
    volatile uint32_t *table = &REG32({TABLE});

    for (uint32_t i = 0; i < table[0]; i++) {{
        PUSH_OWN = table[1 + i];
    }}
}}
'''
CASES = PUSHER + '''
int main()
{
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    push_all();
    wait_coprocessor();
    REG32(SHARED_BASE) = 1;
    return 0;
}
'''
# of a kernel like examples/sfpu; %d: how often for a tile
TILES = PUSHER + '''
#include "sfpu.h"
#include "blackhole-tile/sfpi/tile.hpp"
int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile %% DEST_HALVES, push_all, %d);
    }
    return 0;
}
'''


class Record(NamedTuple):
    """Of record.hpp"""
    kind: str
    name: str
    mod: int
    d: int
    a: int
    b: int
    c: int
    imm: int

    def values(self) -> List[int]:
        """Those that it reads or writes"""
        return [v for v in (self.d, self.a, self.b, self.c) if v >= FIRST]


def is_vector_word(record: Record) -> bool:
    """A word of the kernel's own that changes LRegs, or reads them"""
    return record.kind == 'raw' and record.imm >> 24 in VECTOR_OPCODES


def left(lreg: int) -> int:
    """What the kernel's own words have left there, as a value"""
    return -1 - lreg


class TooManyVectors(Exception):
    """More values are live than there are LRegs, and Dest has 16 bits."""


class Lowering:
    """row, layout: where masks are kept in Dest, as what format; in rows after
    them, if the format has 32 bits, values that no LReg is left for."""

    def __init__(self, records: List[Record], row: int, layout: int):
        self.records, self.row, self.layout = records, row, layout
        self.lreg: Dict[int, int] = {}
        self.spilled: Dict[int, int] = {}     # value: the slot in Dest
        self.placed: Dict[int, int] = {}      # LReg of l_reg[]: value
        self.pinned: Set[int] = set()
        self.busy: Set[int] = set()           # LRegs of this record
        self.moved = 0                        # rows, by INCRWC
        self.out: List[int] = []
        self.last, self.wish = self.last_uses(), self.wishes()
        self.written = self.last_writes()
        self.uses: Dict[int, List[int]] = {}
        for i, record in enumerate(records):
            for value in record.values():
                self.uses.setdefault(value, []).append(i)

    def last_uses(self) -> Dict[int, int]:
        """{value: the record after which its LReg is free}"""
        last: Dict[int, int] = {}
        pins: List[int] = []
        placed: Dict[int, int] = {}
        for i, record in enumerate(self.records):
            last.update((v, i) for v in record.values())
            if record.kind == 'place':
                placed[record.imm] = record.c
            elif is_vector_word(record):
                last.update((v, i) for v in placed.values())
                placed = {}
            elif record.kind == 'pin':
                pins.append(record.c)
            elif record.kind == 'fixed':
                last.update((v, i) for v in pins)
                pins = []
        return last

    def last_writes(self) -> Dict[int, int]:
        """{value: the last record that changes it}"""
        last: Dict[int, int] = {}
        pins: List[int] = []
        for i, record in enumerate(self.records):
            last[record.d] = i
            if record.kind == 'pin':
                pins.append(record.c)
            elif record.kind == 'fixed':
                last.update((v, i) for v in pins
                            if record.name == 'SFPTRANSP')
                pins = []
        return last

    def wishes(self) -> Dict[int, int]:
        """{value: the LReg in which it, or its copy, is needed}"""
        wishes: Dict[int, int] = {}
        for record in reversed(self.records):
            if record.kind == 'pin':
                wishes[record.c] = record.imm
            elif record.kind == 'copy' and record.d in wishes:
                wishes.setdefault(record.c, wishes[record.d])
        return wishes

    def words(self) -> List[int]:
        """All of them"""
        for i, record in enumerate(self.records):
            self.now, self.busy = i, set()
            getattr(self, 'do_' + record.kind)(record, i)
            for value in record.values():
                if self.last[value] == i:
                    self.lreg.pop(value, None)
                    self.spilled.pop(value, None)
        return self.out

    def emit(self, name: str, **fields: int) -> None:
        """A word, with the fields that are not 0, and one that waits"""
        there = {field.name for field in instructions()[name].fields}
        if 'source' in fields:
            fields['lreg_c' if 'lreg_c' in there else
                   'lreg_src_c'] = fields.pop('source')
        self.out.append(tt(name, **{k: v for k, v in fields.items() if v}))
        if name in ('SFPMAD', 'SFPMUL24', 'SFPLUT', 'SFPLUTFP32', 'SFPSHFT2',
                    'SFPCONFIG'):
            self.out.append(tt('SFPNOP'))

    def free(self, avoid: Set[int]) -> int:
        """An LReg that holds nothing, or that of the value that is used last"""
        for n in reversed(range(LREGS)):
            if n not in avoid and n not in self.lreg.values():
                return n
        there = [v for v, n in self.lreg.items() if n not in avoid | self.busy]
        if not there:
            raise TooManyVectors()
        n = self.lreg[max(there, key=lambda v: min(
            (i for i in self.uses[v] if i > self.now), default=self.now))]
        self.spill(n)
        return n

    def spill(self, lreg: int) -> None:
        """In all lanes, whatever flags they have, to a slot of Dest"""
        if self.layout != INT32:
            raise TooManyVectors()
        slot = min(set(range(SLOTS)) - set(self.spilled.values()))
        for value in [v for v, n in self.lreg.items() if n == lreg]:
            self.spilled[value] = slot
            del self.lreg[value]
        self.slot('SFPSTORE', lreg, slot)

    def slot(self, name: str, lreg: int, slot: int) -> None:
        """SFPLOAD or SFPSTORE of all lanes"""
        self.emit('SFPPUSHC')
        self.emit('SFPENCC', imm12_math=3, instr_mod1=10)
        self.dest(name, lreg, self.layout,
                  self.row + FIRST_SLOT + 2 * slot - self.moved)
        self.emit('SFPPOPC')

    def at(self, value: int) -> int:
        """Where a value is, or will be"""
        if 0 <= value < FIRST:
            return value
        if value not in self.lreg:
            wish = self.wish.get(value)
            self.lreg[value] = self.free(self.pinned | self.busy) if \
                wish is None or wish in self.lreg.values() else wish
            if value in self.spilled:
                self.slot('SFPLOAD', self.lreg[value], self.spilled.pop(value))
        self.busy.add(self.lreg[value])
        return self.lreg[value]

    def is_last(self, value: int, i: int) -> bool:
        """Whether the value's LReg is of no use after this record"""
        return self.last[value] == i and list(self.lreg.values()).count(
            self.at(value)) == 1

    def target(self, record: Record, i: int) -> int:
        """Where a new value goes: where one ends, too"""
        if record.d not in self.lreg and record.d not in self.spilled:
            for value in record.values()[1:]:
                if self.is_last(value, i):
                    self.lreg[record.d] = self.lreg.pop(value)
                    break
        return self.at(record.d)

    def do_constant(self, r: Record, _: int) -> None:
        d = self.at(r.d)
        self.emit('SFPLOADI', lreg_ind=d, instr_mod0=UPPER, imm16=r.imm >> 16)
        self.emit('SFPLOADI', lreg_ind=d, instr_mod0=LOWER,
                  imm16=r.imm & 0xFFFF)

    def do_short(self, r: Record, _: int) -> None:
        self.emit('SFPLOADI', lreg_ind=self.at(r.d), instr_mod0=r.mod,
                  imm16=r.imm)

    def do_copy(self, r: Record, i: int) -> None:
        """Nothing, if the source ends here, or neither changes any more"""
        if r.c >= FIRST and (self.is_last(r.c, i) or max(
                self.written[r.c], self.written[r.d]) <= i):
            self.lreg[r.d] = self.at(r.c)
            return
        value = left(r.c)
        c = self.at(value if value in self.last else r.c)
        if self.last.get(value) == i:
            self.lreg.pop(value, None)
        self.emit('SFPMOV', lreg_dest=self.at(r.d), source=c,
                  instr_mod1=ALL_LANES)

    def do_unary(self, r: Record, i: int) -> None:
        c = self.at(r.c)
        b = self.at(r.b) if r.b else c
        d = self.target(r, i)
        fields = {'lreg_dest': d, 'source': c, 'instr_mod1': r.mod}
        if r.name == 'SFP_STOCH_RND':
            fields.update(lreg_src_b=b, imm8_math=r.imm >> 8,
                          rnd_mode=r.imm & 255)
        else:
            fields.update(imm12_math=r.imm)
        self.emit(r.name, **fields)

    # the destination is an operand
    do_update = do_unary

    def do_fma(self, r: Record, i: int) -> None:
        a, b, c = map(self.at, (r.a, r.b, r.c))
        self.emit(r.name, lreg_dest=self.target(r, i), lreg_src_a=a,
                  lreg_src_b=b, lreg_src_c=c, instr_mod1=r.mod)

    def do_word(self, r: Record, _: int) -> None:
        if r.imm >> 24 == tt('INCRWC') >> 24:
            self.moved += (r.imm - tt('INCRWC')) // (tt('INCRWC', rwc_d=1) -
                                                     tt('INCRWC'))
        self.out.append(r.imm)

    def do_place(self, r: Record, _: int) -> None:
        self.placed[r.imm] = r.c

    def do_raw(self, r: Record, i: int) -> None:
        """No value stays in an LReg that the kernel's own words may change;
        those of l_reg[] go where it says."""
        if is_vector_word(r):
            self.lreg = {v: n for v, n in self.lreg.items() if v >= FIRST}
            for lreg in set(self.lreg.values()):
                self.spill(lreg)
            for lreg, value in self.placed.items():
                self.slot('SFPLOAD', lreg, self.spilled[value])
            self.placed = {}
            self.spilled = {v: slot for v, slot in self.spilled.items()
                            if self.last[v] > i}
            self.leave(i)
        self.do_word(r, i)

    def leave(self, i: int) -> None:
        """LRegs that the kernel reads by number before its next word are values
        as others are."""
        for j, record in enumerate(self.records[i + 1:], i + 1):
            if is_vector_word(record):
                break
            if record.kind == 'copy' and record.c < LREGS:
                value = left(record.c)
                self.lreg[value], self.last[value] = record.c, j
                self.uses.setdefault(value, []).append(j)

    def do_flags(self, r: Record, _: int) -> None:
        self.emit('SFPSETCC', source=self.at(r.c), instr_mod1=NOT_ZERO)

    def dest(self, name: str, lreg: int, layout: int, row: int) -> None:
        """SFPLOAD or SFPSTORE"""
        self.emit(name, lreg_ind=lreg, instr_mod0=layout, dest_reg_addr=row,
                  sfpu_addr_mode=STAY)

    def do_save(self, r: Record, _: int) -> None:
        self.dest('SFPSTORE', self.at(r.c), self.layout, self.row + 2 * r.imm)

    def do_restore(self, r: Record, _: int) -> None:
        self.dest('SFPLOAD', self.at(r.d), self.layout, self.row + 2 * r.imm)

    def do_load(self, r: Record, _: int) -> None:
        self.dest('SFPLOAD', self.at(r.d), r.mod, r.imm)

    def do_store(self, r: Record, _: int) -> None:
        self.dest('SFPSTORE', self.at(r.c), r.mod, r.imm)

    def move(self, value: int, to: int) -> None:
        """In all lanes"""
        self.emit('SFPMOV', lreg_dest=to, source=self.lreg[value],
                  instr_mod1=ALL_LANES)
        self.lreg[value] = to

    def do_pin(self, r: Record, _: int) -> None:
        """Moves the value to its LReg, and another value out of it."""
        if self.at(r.c) != r.imm:
            if set(range(LREGS)) - self.pinned - {r.imm, self.lreg[r.c]}:
                for other, lreg in list(self.lreg.items()):
                    if lreg == r.imm:
                        self.move(other, self.free(self.pinned | {r.imm}))
            elif r.imm in self.lreg.values():
                self.spill(r.imm)
            self.move(r.c, r.imm)
        self.pinned.add(r.imm)

    def do_fixed(self, r: Record, i: int) -> None:
        """An instruction that has its operands in its own LRegs"""
        for value in [v for v in self.lreg if self.last[v] == i and v != r.d]:
            del self.lreg[value]
        self.pinned = set()
        if r.name == 'SFPTRANSP':
            for lreg in set(self.lreg.values()) & {4, 5, 6, 7}:
                self.spill(lreg)
            self.emit('SFPTRANSP')
        elif r.name == 'SFPCONFIG':
            self.emit('SFPCONFIG', config_dest=r.imm)
        elif r.name == 'SFPLUT':
            self.emit('SFPLUT', lreg_ind=self.at(r.d), instr_mod0=r.mod)
        else:
            self.emit(r.name, lreg_dest=self.at(r.d), instr_mod1=r.mod)


class Recording:
    """What a source does when its main() runs: records, and how often it is to
    be repeated for a tile."""

    def __init__(self, folder: str, source: str):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(ROOT, 'runtime', 'hart.ld'),
                  encoding='utf-8') as file:
            large = file.read().replace('TEXT_BASE + 0x4000',
                                        'TEXT_BASE + 0x10000')
        for name, text in (('trisc2.cpp', source), ('large.ld', large),
                           ('end.cpp', END),
                           ('Makefile', MAKEFILE)):
            with open(os.path.join(folder, name), 'w',
                      encoding='utf-8') as file:
                file.write(text)
        images = firmware.images(build(folder), '')
        with Tile(images=images, words={
                COUNT: 0, DONE: 0, SHARED: 1}) as tile:
            tile.wait_for_word(DONE, 1, SECONDS)
            count, self.times = struct.unpack('<2I', tile.read(COUNT, 8))
            data = tile.read(LOG, 32 * count)
        self.records = [
            Record(KINDS[kind], NAMES[name], *rest)
            for kind, name, *rest in struct.iter_unpack('<8I', data)]

    def words(self, row: int, layout: int) -> List[int]:
        """The straight line"""
        return Lowering(self.records, row, layout).words()
