# SPDX-License-Identifier: GPL-2.0-or-later
"""Words of .ttinsn that one call pushes: what happens between two of them.

Code is interpreted first, word after word; each program goes round a loop
until it is translated.
"""

import os
import unittest

import bombs
import rv_asm as rv
from blackhole_tile import tt
from blackhole_tile.testing import every_accelerator
from bombs import BASES, GPR, SCRATCH, store
from gdb_client import Debugger
from rv_asm import A0, A1, A3, ZERO
from test_board import Folder

BASE, ROUND, GO = BASES['trisc0'], 0x100000, 0x100010
ADD_ONE = rv.ttinsn(0x58 << 24 | 1 << 23 | 1 << 6)     # GPR 0 += 1
WAIT = rv.ttinsn(tt('SEMWAIT', stall_res=0x1FF, sem_sel=1, wait_sem_cond=1))
GET = rv.ttinsn(tt('SEMGET', sem_sel=1))
PUSHC, POPC = rv.ttinsn(tt('SFPPUSHC')), rv.ttinsn(tt('SFPPOPC'))
FLAG_STACK, FIFO = 8, 32
OFTEN = 20                          # rounds, after which code is translated
SECONDS = 60


class Words(Folder):
    def start(self, words, accel, **options):
        images = bombs.bomb_images(self.elf, {'trisc0': words})
        return self.tile(images=images, accel=accel, **options)

    def count(self, tile):
        return tile.read32(GPR)

    def wait_for_round(self, tile, number):
        tile.wait_for(lambda t: t.read32(ROUND) >= number, SECONDS)


def rounds_of(words):
    """A program that executes them for ever and counts the rounds; and where
    they are."""
    first = store(0, GPR) + rv.li(A1, SCRATCH) + rv.li(A0, ROUND) + \
        rv.li(A3, 0)
    # a store to a device: what QEMU remembers of it must not be taken for ours
    body = [rv.sw(A3, A1)] + words + [rv.addi(A3, A3, 1), rv.sw(A3, A0)]
    return first + bombs.forever(body), BASE + 4 * (len(first) + 1)


class FullFifo(Words):
    """The gate holds one word, the FIFO 32: the next one waits at its pc."""
    WORDS = [WAIT] + [ADD_ONE] * 60 + [GET]
    ACCEPTED = 1 + 1 + FIFO

    def check_stall(self, tile, number, pc):
        def waits(_):
            return self.count(tile) == 60 * number and \
                tile.state.harts()['trisc0'].state == 'waiting'
        tile.wait_for(waits, SECONDS)
        self.assertEqual(tile.state.harts()['trisc0'].pc, pc)

    def check(self, accel):
        words, first = rounds_of(self.WORDS)
        pc = first + 4 * self.ACCEPTED
        tile = self.start(words, accel)
        for number in range(OFTEN):
            self.check_stall(tile, number, pc)
            tile.push(2, tt('SEMPOST', sem_sel=1))
        self.check_stall(tile, OFTEN, pc)
        return tile, pc

    @every_accelerator
    def test_stalls_at_its_word(self, accel):
        self.check(accel)

    @every_accelerator
    def test_snapshot(self, accel):
        """Taken in the middle of a run of words: the rest follows, once."""
        tile, pc = self.check(accel)
        path = os.path.join(self.folder, f'state-{accel}')
        tile.save(path)
        other = self.start(rounds_of(self.WORDS)[0], accel, stopped=True,
                           incoming=path)
        self.assertEqual(other.state.harts()['trisc0'].pc, pc)
        other.cont()
        other.push(2, tt('SEMPOST', sem_sel=1))
        self.check_stall(other, OFTEN + 1, pc)


class Stops(Words):
    BEFORE, AFTER = 10, 12

    def program(self):
        """After some rounds the flag stack is full: SFPPUSHC violates."""
        words = [ADD_ONE] * self.BEFORE + [PUSHC] + \
            [ADD_ONE] * self.AFTER + [POPC]
        body = words + [rv.addi(A3, A3, -1)]
        body.append(rv.branch(1, A3, ZERO, -4 * len(body)))
        fill = [PUSHC] * FLAG_STACK + rv.li(A3, 1)
        first = store(0, GPR) + rv.li(A3, OFTEN)
        end = len(first) + len(body) + len(fill)
        back = rv.jump(4 * (len(first) - end))
        return first + body + fill + [back], BASE + 4 * (
            len(first) + self.BEFORE + 1)

    @every_accelerator
    def test_after_the_violating_word(self, accel):
        words, pc = self.program()
        tile = self.start(words, accel, machine='on-violation=stop')
        tile.wait_for(lambda t: t.qmp('query-status')['status'] == 'debug',
                      SECONDS)
        self.assertEqual(
            (self.count(tile), tile.state.harts()['trisc0'].pc),
            (OFTEN * (self.BEFORE + self.AFTER) + self.BEFORE, pc))

    def test_breakpoint_and_steps(self):
        """In the middle of words that were pushed by one call before."""
        words, first = rounds_of([ADD_ONE] * 40)
        for accel in ('single', 'multi'):
            with self.subTest(accel):
                tile = self.start(words, accel, gdb=True)
                self.wait_for_round(tile, OFTEN)
                with Debugger(tile) as gdb:
                    pc = first + 4 * 17
                    gdb.insert('trisc0', pc)
                    for _ in range(3):
                        gdb.resume()
                        self.assertEqual(gdb.pc('trisc0'), pc)
                        self.assertEqual(self.count(tile) % 40, 17)
                    gdb.remove('trisc0', pc)
                    for n in range(1, 4):
                        gdb.step('trisc0')
                        self.assertEqual(gdb.pc('trisc0'), pc + 4 * n)
                        self.assertEqual(self.count(tile) % 40, 17 + n)


class Count(Words):
    """More words than one call takes; none is lost and none comes twice."""
    TIMES, WORDS = 50, 150

    @every_accelerator
    def test_all(self, accel):
        words = store(0, GPR) + rv.li(A3, self.TIMES)
        body = [ADD_ONE] * self.WORDS + [rv.addi(A3, A3, -1)]
        body.append(rv.branch(1, A3, ZERO, -4 * len(body)))
        tile = self.start(words + body + store(1, GO) + rv.HALT, accel)
        tile.wait_for_word(GO, 1)
        tile.wait_for(lambda t: t.state.threads()[0].idle, SECONDS)
        self.assertEqual(self.count(tile), self.TIMES * self.WORDS)


if __name__ == '__main__':
    unittest.main()
