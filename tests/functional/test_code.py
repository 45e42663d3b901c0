# SPDX-License-Identifier: GPL-2.0-or-later
"""Code that is rewritten, by the host, by gdb and by harts, with the same bytes
and with others, while it runs: what runs afterwards is what is there.

A hart calls a subroutine over and over, without ever waiting for its writer.
It reads a number before each call and stores that number, after the result,
after it: a result whose number is new comes from the new code.
"""

import os
import random
import re
import struct
import time
import unittest

import rv_asm as rv
import spin
from blackhole_tile import ACCELERATORS, HARTS, SOFT_RESET, hart_view, tt
from blackhole_tile.testing import every_accelerator
from host_client import Client
from rv_asm import A0, A1, A2, A3, GP, RA, S0, S1, T0, T1, T2, TP, ZERO
from test_turns import Harts, Remote

BNE, BGEU = spin.BNE, spin.BGEU
CODE = 0x30000
TABLE, VARIANT_SIZE = 0x40000, 0x100
EXPECTED = VARIANT_SIZE - 4         # offset in a variant of what it returns
WORDS, FREE = 0x100000, 0x120000
GO, DONE, RESULT, CFG0_WORD, VERDICT = (WORDS + 4 * i for i in range(5))
CFG0, EN_BFLOAT = 0x7c0, 1 << 30
PASSED = 0x600d600d
HELD_ALL, TRISC0, TRISC0_RESET_PC, RESTARTS = 0x47800, 1 << 12, 0x6000, 8
LENGTH = 24                         # instructions that add, before the return
RETURN = rv.i_type(rv.JALR, 0, ZERO, RA, 0)

# Reads GO, calls CODE, stores what that returned and then what GO was
CALLER = rv.li(S0, WORDS) + rv.li(A1, CODE) + [
    rv.lw(S1, S0, GO - WORDS),
    rv.addi(A0, ZERO, 0),
    rv.i_type(rv.JALR, 0, RA, A1, 0),
    rv.sw(A0, S0, RESULT - WORDS),
    rv.sw(S1, S0, DONE - WORDS),
    rv.jump(-20),
]

# A change of EnBFloat makes QEMU discard all translated code
FLUSHER = rv.li(S0, WORDS) + [
    rv.lw(T0, S0, CFG0_WORD - WORDS),
    rv.csrrw(ZERO, CFG0, T0),
    rv.jump(-8),
]


def variants():
    """(words, what they return): alike but for one place, or altogether."""
    base = [1 + i for i in range(LENGTH)]
    lists = [base]
    for place in (0, 1, LENGTH // 2, LENGTH - 1):
        lists.append(base[:place] + [1000] + base[place + 1:])
    lists += [[7 * n for n in base], base[::-1], lists[1][:-1] + [1001]]
    return [([rv.addi(A0, A0, n) for n in numbers] + [RETURN], sum(numbers))
            for numbers in lists]


def writer(rounds):
    """Copies a variant, notifies the caller, checks what it returns. Copies it
    twice: with thread=multi QEMU may translate a word again after it discarded
    its code and before it stores the word, and finds that with the next store.
    """
    pick = rv.li(T0, 1103515245) + [
        rv.r_type(rv.OP, 0, 1, GP, GP, T0),              # MUL
        rv.addi(GP, GP, 1234),
        rv.i_type(rv.OP_IMM, 5, T0, GP, 20),             # SRLI
        rv.i_type(rv.OP_IMM, 7, T0, T0, 7),
        rv.i_type(rv.OP_IMM, 1, T0, T0, 8),              # SLLI
        rv.r_type(rv.OP, 0, 0, A2, T0, A3),
        rv.lw(T2, A2, EXPECTED),
    ]
    copy = rv.li(A1, CODE) + rv.li(TP, CODE + 4 * (LENGTH + 1)) + [
        rv.lw(T0, A2), rv.sw(T0, A1), rv.addi(A2, A2, 4), rv.addi(A1, A1, 4),
        rv.branch(BNE, A1, TP, -16),
    ]
    check = [
        rv.sw(S1, S0, GO - WORDS),
        rv.lw(T0, S0, DONE - WORDS), rv.branch(BNE, T0, S1, -4),
        rv.lw(T0, S0, RESULT - WORDS), rv.branch(BNE, T0, T2, 8),
        rv.jump(12),
        rv.sw(S1, S0, VERDICT - WORDS), rv.jump(0),      # wrong in this round
        rv.addi(S1, S1, 1),
    ]
    again = [rv.addi(A2, A2, -4 * (LENGTH + 1))]
    loop = pick + copy + again + copy + check
    return rv.li(S0, WORDS) + rv.li(A3, TABLE) + rv.li(GP, 1) + \
        [rv.addi(S1, ZERO, 1)] + loop + rv.li(T1, rounds) + \
        [rv.branch(BGEU, T1, S1, -4 * (len(loop) + 2))] + \
        rv.li(T0, PASSED) + [rv.sw(T0, S0, VERDICT - WORDS), rv.jump(0)]


class Code(Harts):
    def tile(self, programs, **options):
        """programs: {hart: words}; the first variant is at CODE."""
        tile = super().tile(programs, stopped=True, **options)
        tile.write(CODE, rv.code(variants()[0][0]))
        return tile


class Host(Code):
    ROUNDS = 120

    def by_qtest(self, tile, words):
        tile.write(CODE, rv.code(words))

    def by_words(self, tile, words):
        """In any order, and only those that differ."""
        have = struct.unpack(f'<{len(words)}I',
                             tile.read(CODE, 4 * len(words)))
        places = [i for i, word in enumerate(words) if word != have[i]]
        self.random.shuffle(places)
        for place in places:
            tile.write32(CODE + 4 * place, words[place])

    def by_gdb(self, tile, words):
        remote = Remote(tile.gdb_socket)
        data = rv.code(words)
        self.assertEqual(remote.ask(f'M{CODE:x},{len(data):x}:{data.hex()}'),
                         'OK')
        self.assertEqual(remote.ask('D'), 'OK')
        remote.link.close()

    def by_noc(self, tile, words):
        client = Client.connect(self.path)
        client.write(CODE, rv.code(words))
        client.close()

    def one_by_one(self, tile, words):
        """Blocks of one instruction, which are other blocks."""
        tile.hmp('one-insn-per-tb on')
        self.by_qtest(tile, words)
        time.sleep(0.005)
        tile.hmp('one-insn-per-tb off')

    def flushed(self, tile, words):
        tile.write32(CFG0_WORD, tile.read32(CFG0_WORD) ^ EN_BFLOAT)
        self.by_words(tile, words)

    def test_each_way_to_write_in_each_accelerator(self):
        ways = (self.by_qtest, self.by_words, self.by_gdb, self.by_noc,
                self.one_by_one, self.flushed)
        for accel in ACCELERATORS:
            self.random = random.Random(accel)
            self.path = os.path.join(self.folder, f'host-{accel}')
            tile = self.tile({'trisc0': CALLER, 'trisc1': FLUSHER},
                             accel=accel, gdb=True, machine='host=h', extra=[
                '-chardev', f'socket,id=h,path={self.path},server=on,wait=off'])
            tile.qmp('cont')
            for number in range(1, self.ROUNDS + 1):
                words, expected = self.random.choice(variants())
                way = self.random.choice(ways)
                way(tile, words)
                tile.write32(GO, number)
                tile.wait_for_word(DONE, number)
                self.assertEqual(tile.read32(RESULT), expected,
                                 f'{accel}, {way.__name__}, round {number}')
            tile.close()

    @every_accelerator
    def test_the_same_code_again_is_not_translated_again(self, accel):
        tile = self.tile({'trisc0': CALLER}, accel=accel)
        tile.qmp('cont')
        counts = []
        for number in range(1, 151):
            tile.write(CODE, rv.code(variants()[number % 2][0]))
            tile.write32(GO, number)
            tile.wait_for_word(DONE, number)
            counts.append(int(re.search(r'TB count\s+(\d+)',
                                        tile.hmp('info jit'))[1]))
        # what was half written is translated as it was found
        self.assertLess(counts[-1] - counts[9], 75)
        tile.close()

    @every_accelerator
    def test_a_restart_keeps_translations(self, accel):
        """A hart's reset flushes no TLB, and the hart executes new code."""
        tile = self.tile({'trisc0': CALLER}, accel=accel)
        tile.write(TRISC0_RESET_PC, rv.code(CALLER))
        tile.qmp('cont')
        flushes = []
        for number in range(1, RESTARTS + 1):
            words, expected = variants()[number % 2]
            tile.write32(SOFT_RESET, HELD_ALL)
            tile.write(CODE, rv.code(words))
            tile.write32(GO, number)
            tile.write32(SOFT_RESET, HELD_ALL & ~TRISC0)
            tile.wait_for_word(DONE, number)
            self.assertEqual(tile.read32(RESULT), expected)
            flushes.append(re.findall(r'TLB \w+ flushes\s+(\d+)',
                                      tile.hmp('info jit')))
        self.assertEqual(len(flushes[0]), 3)
        self.assertEqual(flushes[-1], flushes[0])
        tile.close()


class Harts(Code):
    ROUNDS = {'single': 2000, 'multi': 400, 'icount': 1000}

    def test_a_hart_rewrites_what_another_one_runs(self):
        for accel, rounds in self.ROUNDS.items():
            with self.subTest(accel):
                tile = self.tile({'trisc0': CALLER, 'trisc1': writer(rounds)},
                                 accel=accel)
                for i, (words, expected) in enumerate(variants()):
                    tile.write(TABLE + i * VARIANT_SIZE, rv.code(words))
                    tile.write32(TABLE + i * VARIANT_SIZE + EXPECTED, expected)
                tile.qmp('cont')
                tile.wait_for(lambda t: t.read32(VERDICT), 120, 'a verdict')
                self.assertEqual(tile.read32(VERDICT), PASSED,
                                 'round with a wrong result')
                tile.close()


class Coprocessor(Code):
    """Instructions that write L1: a store, an atomic."""

    GPR = hart_view('trisc1', 0xFFE00000)
    MOP_CFG = hart_view('trisc1', 0xFFB80000)
    ADDRESS, DATA, ELSEWHERE = 4, 8, 12     # GPRs
    STORE, STORED = WORDS + 0x40, WORDS + 0x44

    def pusher(self, insn):
        """Pushes insn when STORE changes, then copies that to STORED."""
        return rv.li(S0, WORDS) + [
            rv.addi(S1, ZERO, 0), rv.lw(T0, S0, self.STORE - WORDS),
            rv.branch(spin.BEQ, T0, S1, -4), rv.addi(S1, T0, 0),
            rv.ttinsn(insn), rv.sw(S1, S0, self.STORED - WORDS), rv.jump(-20)]

    def by_host(self, tile, insn, number):
        tile.push(1, insn)

    def by_mop(self, tile, insn, number):
        """With a store elsewhere behind it, before the core is left."""
        elsewhere = tt('STOREIND', MemHierSel=1, AddrRegIndex=self.ELSEWHERE,
                       DataRegIndex=self.DATA)
        tile.write32(self.GPR + 4 * self.ELSEWHERE, FREE // 16)
        for n, value in enumerate((1, 1, tt('NOP'), elsewhere, tt('NOP'), insn,
                                   tt('NOP'), insn, insn)):
            tile.write32(self.MOP_CFG + 4 * n, value)
        tile.push(1, tt('MOP', mop_type=1))

    def by_hart(self, tile, insn, number):
        tile.write32(self.STORE, number)
        tile.wait_for_word(self.STORED, number)

    def check(self, insn, accel, push):
        tile = self.tile({'trisc0': CALLER, 'trisc1': self.pusher(insn)},
                         accel=accel)
        tile.qmp('cont')
        words, expected = variants()[0]
        tile.write32(self.GPR + 4 * self.ADDRESS, CODE // 16)
        for number in range(1, 25):
            adds = number % 5 * 100
            for n in range(4):          # in place of the first four
                tile.write32(self.GPR + 4 * (self.DATA + n),
                             rv.addi(A0, A0, adds) if n == 1 else words[n])
            push(tile, insn, number)
            tile.wait_for_word(CODE + 4, rv.addi(A0, A0, adds))
            tile.write32(GO, number)
            tile.wait_for_word(DONE, number)
            self.assertEqual(tile.read32(RESULT), expected - 2 + adds,
                             f'round {number}')
        tile.close()

    def test_store_and_atomic(self):
        store = tt('STOREIND', MemHierSel=1, AddrRegIndex=self.ADDRESS,
                   DataRegIndex=self.DATA)
        swap = tt('ATSWAP', AddrRegIndex=self.ADDRESS, SwapMask=0xFF,
                  DataRegIndex=self.DATA)
        for accel in ACCELERATORS:
            for name, insn in (('STOREIND', store), ('ATSWAP', swap)):
                for push in (self.by_host, self.by_hart, self.by_mop):
                    with self.subTest(name, accel=accel, push=push):
                        self.check(insn, accel, push)


class Places(Code):
    """The same code in many places, and all translations lost between two: what
    violates is where it says."""

    COPIES, TIMES, NOWHERE = 24, 20, 0xFFC00000
    COPY = rv.li(T0, TIMES) + [
        rv.sw(T0, A1), rv.addi(T0, T0, -1), rv.branch(BNE, T0, ZERO, -8),
        rv.csrrw(ZERO, CFG0, T1), rv.csrrw(ZERO, CFG0, T2)]
    STORE = 4 * 2

    def test_each_copy_is_named(self):
        words = rv.li(A1, self.NOWHERE) + rv.li(T1, EN_BFLOAT) + rv.li(T2, 0)
        first = spin.base(HARTS.index('trisc0')) + 4 * len(words)
        for accel in ACCELERATORS:
            with self.subTest(accel):
                tile = self.tile({
                    'trisc0': words + self.COPY * self.COPIES + rv.li(A0, DONE)
                              + [rv.sw(A1, A0)] + rv.HALT}, accel=accel)
                tile.qmp('cont')
                tile.wait_for_word(DONE, self.NOWHERE)
                sites = tile.qmp('query-tensix-violations')['sites']
                pcs = {site['pc']: site['count'] for site in sites}
                self.assertEqual(pcs, {
                    first + n * 4 * len(self.COPY) + self.STORE: self.TIMES
                    for n in range(self.COPIES)})
                tile.close()


class FrontOfALoop(Code):
    """The words that identify a block also lie before it.

    The loop's second block begins after a branch.  It waits for two words; then
    its first instruction is overwritten: it counts, and is no longer a loop
    that only waits, which gets some thousand turns in a second.
    """

    LOOP = rv.li(S0, WORDS) + [
        rv.lw(T0, S0), rv.branch(BNE, T0, ZERO, 12),
        rv.lw(T1, S0, 4), rv.branch(0, T1, ZERO, -12),
        rv.jump(0),
    ]
    FIRST = spin.base(0) + 8

    def count(self, tile):
        text = tile.hmp('info registers')
        return int(re.search(r'x7/t2\s+([0-9a-f]+)', text)[1], 16)

    @every_accelerator
    def test_a_loop_that_begins_to_count(self, accel):
        tile = self.tile({'brisc': self.LOOP}, accel=accel)
        tile.qmp('cont')
        time.sleep(0.1)
        tile.write32(self.FIRST, rv.addi(T2, T2, 1))
        time.sleep(0.1)
        first = self.count(tile)
        time.sleep(0.5)
        self.assertGreater(self.count(tile) - first & 0xffffffff,
                           100000)
        tile.close()


if __name__ == '__main__':
    unittest.main()
