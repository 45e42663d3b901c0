# SPDX-License-Identifier: GPL-2.0-or-later
"""Estimated cycles, timing=published: what micro kernels take is exactly what is
published, harts and threads meet, and results are the same."""

import itertools
import os
import re
import tempfile
import unittest
from typing import Any, Dict, List, Sequence, Tuple

import rv_asm as rv
import spin
from blackhole_tile import tt
from blackhole_tile.machine import StartError, TileError
from blackhole_tile.testing import ROOT, Tile, script
from rv_asm import A0, A1, A2, A3, S0, S1, T0, T1, T2, ZERO
from test_noc import CMD, NIU, RD_RESP, READ, WR_ACK, WRITE, request

UNIT = 'estimated cycles (published figures)'
TIMED = 'timing=published'
LOCAL, L1, DONE_WORD = 0xFFB00000, 0x40000, 0xFFE80004
CYCLE = 0xC00
NOT_FUSED = 0x60008             # of CSR cfg0, in tt-metal's firmware
FUSED = 0x20008
Words = List[int]


def mul(rd: int, rs1: int, rs2: int, funct3: int = 0) -> int:
    return rv.r_type(rv.OP, funct3, 1, rd, rs1, rs2)


def sfpu(mnemonic: str, **operands: int) -> int:
    return rv.ttinsn(tt(mnemonic, **operands))


def mad(dest: int, source: int) -> int:
    """source * LReg[10] (1.0) + LReg[9] (0)"""
    return sfpu('SFPMAD', lreg_src_a=source, lreg_src_b=10, lreg_src_c=9,
                lreg_dest=dest)


def chain(address: int) -> Words:
    """A word that points to itself, in A0."""
    return rv.li(A0, address) + [rv.sw(A0, A0)]


# What is measured: (name, cycles that are published, set-up, body)
LOAD = [rv.lw(T2, A0), rv.addi(T2, T2, 1)]
HART: Sequence[Tuple[str, float, Words, Words]] = (
    ('integer', 1, [], [rv.addi(T2, T2, 1)]),
    ('dependent MUL', 2, [], [mul(T2, T2, T2)]),
    ('independent MUL', 1, [], [mul(T2, A1, A2)]),
    ('DIV by 1', 2, rv.li(A1, 1), [mul(T2, A2, A1, 5)]),
    ('DIV of 32 bits', 33, rv.li(A1, 3) + rv.li(A2, -1), [mul(T2, A2, A1, 5)]),
    ('CSR', 4, [], [rv.csrrs(T2, 0x7c3)]),
    ('FENCE', 4, [], [rv.FENCE]),
    ('local RAM', 2, chain(LOCAL), [rv.lw(A0, A0)]),
    ('L1', 8, chain(L1), [rv.lw(A0, A0)]),
    ('L1, whose latency is hidden', 8, chain(L1),
     [rv.lw(A0, A0)] + 7 * [rv.addi(T2, T2, 1)]),
    ('loaded, stored', 9, rv.li(A0, L1), [rv.lw(T2, A0), rv.sw(T2, A0, 4)]),
    ('a byte, and its word', 10, rv.li(A0, L1),
     [rv.s_type(rv.STORE, 0, A0, ZERO, 1), rv.lw(T2, A0), rv.addi(T2, T2, 0)]),
    ('GPR', 5, rv.li(A0, 0xFFE00000), LOAD),
    ('semaphore', 4, rv.li(A0, spin.SEMAPHORE), LOAD),
    ('tile control', 8, rv.li(A0, 0xFFB121B0), LOAD),
)
LOADIND_WAIT = [
    rv.ttinsn(tt('LOADIND', AddrRegIndex=1, OffsetIndex=4, SizeSel=1)),
    rv.ttinsn(tt('STALLWAIT', stall_res=1 << 5, wait_res=1))]
SFPU = (
    ('dependent SFPMAD', 2, [mad(0, 0)]),
    ('independent SFPMAD', 1, [mad(n, 7) for n in range(4)]),
    ('SFPSWAP', 2, [sfpu('SFPSWAP', lreg_src_c=0, lreg_dest=1)]),
    ('SFPMOV', 1, [sfpu('SFPMOV', lreg_c=0, lreg_dest=1)]),
    ('SETDMAREG', 1, [rv.ttinsn(tt('SETDMAREG', RegIndex16b=8, Payload_SigSel=1))]),
    ('RMWCIB', 1, [rv.ttinsn(tt('RMWCIB0'))]),
    ('CFGSHIFTMASK', 2, [rv.ttinsn(tt('CFGSHIFTMASK'))]),
    ('MVMUL', 1, [rv.ttinsn(tt('MVMUL', dst=8 * n)) for n in range(8)]),
    ('LOADIND and its STALLWAIT', 6, LOADIND_WAIT),
    *((f'LOADIND and FLUSHDMA {units}', cycles,
       [LOADIND_WAIT[0], rv.ttinsn(tt('FLUSHDMA', FlushSpec=units))])
      for units, cycles in ((0, 6.5), (1, 6.5), (8, 2.5))),
    ('ADDDMAREG', 3, [rv.ttinsn(tt('ADDDMAREG', OpBisConst=1))]),
)

# What has been pushed is over
DRAIN = rv.li(A3, DONE_WORD) + [rv.lw(T2, A3), rv.addi(T2, T2, 0)]


def configured(word: int, value: int) -> Words:
    """Of bank 0; the load waits until it is there."""
    return rv.li(A0, 0xFFEF0000 + 4 * word) + rv.li(A1, value) + \
        [rv.sw(A1, A0), rv.lw(A1, A0)]


# Both banks are the Matrix Unit's
BANKS = [rv.ttinsn(tt('SETDVALID', setvalid=3))]


class Timed(unittest.TestCase):
    def machine(self, programs: Dict[str, bytes], **options: Any) -> Tile:
        options = {'accel': 'icount', 'machine': TIMED, **options}
        tile = Tile(images=programs, **options)
        return self.enterContext(tile)

    def run_program(self, program: rv.Program, hart: str = 'trisc1',
                    **options: Any) -> Tile:
        tile = self.machine({hart: program.image()}, **options)
        tile.wait_for_word(program.results, program.DONE)
        return tile


def clock(reg: int) -> Words:
    return rv.li(S1, spin.CLOCK_LOW) + [rv.lw(reg, S1)]


class FiguresTest(Timed):
    """Slopes: what N more of a body take, by the wall clock."""

    def slope(self, times: Tuple[int, int], setup: Words, body: Words,
              end: Sequence[int] = (), machine: str = TIMED) -> float:
        program = rv.Program()
        for count in times:
            program.add(setup, rv.FENCE, clock(T0), count * body, list(end),
                        clock(T1), rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
            program.result(T1)
        tile = self.run_program(program, machine=machine)
        few, many = (tile.read32(program.results + 4 + 4 * n)
                     for n in range(2))
        return (many - few) / (times[1] - times[0])

    def test_harts(self) -> None:
        for name, cycles, setup, body in HART:
            with self.subTest(name):
                self.assertEqual(self.slope((16, 48), setup, body), cycles)

    def test_a_block_translated_for_other_memory(self) -> None:
        latencies = {L1: 8, LOCAL + 0x100: 2, 0xFFE00000: 4}
        for order in itertools.permutations(latencies):
            program, sub = rv.Program(), rv.r_type(rv.OP, 0, 0x20, T1, T1, T0)
            body = [rv.lw(A0, A2), rv.FENCE, *clock(T0), rv.lw(T2, A0),
                    rv.addi(T2, T2, 0), rv.sw(ZERO, A0), *clock(T1), sub,
                    rv.sw(T1, A2, 64), rv.addi(A2, A2, 4)]
            for n, place in enumerate(2 * order):
                program.add(rv.li(A2, L1 + 64 + 4 * n), rv.li(A0, place),
                            rv.sw(A0, A2))
            program.add(rv.li(A2, L1 + 64), rv.li(A1, L1 + 88), body,
                        rv.branch(spin.BLTU, A2, A1, -4 * len(body)))
            tile = self.run_program(program)
            self.assertEqual([tile.read32(L1 + 128 + 4 * n) for n in range(6)],
                             [5 + latencies[place] for place in 2 * order])

    def test_units(self) -> None:
        for name, cycles, body in SFPU:
            with self.subTest(name):
                self.assertEqual(self.slope((40, 120), BANKS, body, DRAIN) /
                                 len(body), cycles)

    def test_packer(self) -> None:
        """32 bytes an interface and cycle; a row of 16 datums of FP32."""
        setup = BANKS + [rv.ttinsn(tt('SETADCXX', CntSetMask=4, x_end2=15))]
        for interfaces in 0xF, 3, 1:
            with self.subTest(interfaces=interfaces):
                self.assertEqual(self.slope((40, 120), setup, [
                    rv.ttinsn(tt('PACR', ReadIntfSel=interfaces))], DRAIN), 2)

    def unpackers(self, machine: str, *which: int) -> float:
        """UNPACRs of 1024 bytes, with throttle mode 2; a cycle of theirs."""
        setup = [rv.ttinsn(tt('SETADCXX', CntSetMask=3, x_end2=255))]
        for word in 72, 120:       # THCON_SEC[01]_REG2_Throttle_mode
            setup += configured(word, 2 << 4)
        body = [rv.ttinsn(tt('UNPACR', Unpack_block_selection=n))
                for n in which]
        return self.slope((40, 120), setup, body, DRAIN, machine=machine)

    def test_unpackers_share_l1(self) -> None:
        """Wormhole's: four reads of 16 bytes by one, five by both (L1)."""
        self.assertEqual(self.unpackers(TIMED, 0), 1024 / 64)
        self.assertEqual(self.unpackers(TIMED, 1), 1024 / 64)
        self.assertEqual(self.unpackers(TIMED, 0, 1), 2048 / 128)
        with tempfile.NamedTemporaryFile('w', suffix='.ini') as file:
            file.write('[thread]\nunpacked=80\n')
            file.flush()
            self.assertEqual(self.unpackers(f'timing={file.name}', 0, 1),
                             2048 / 80)

    def test_the_mover(self) -> None:
        """Eight units of 16 bytes in 11 cycles, zeroes in 8 (WH Mover)."""
        for mode, cycles in (3, 11), (0, 8):
            setup: Words = []
            for word, value in (88, L1 // 16), (89, 0x5000), \
                    (90, mode << 30 | 8):
                setup += configured(word, value)
            with self.subTest(mode=mode):
                self.assertEqual(self.slope((40, 120), setup, [
                    rv.ttinsn(tt('XMOV'))], DRAIN), cycles)

    def test_accumulated_in_l1(self) -> None:
        """An interface's 16 bytes take twice as long (WH L1): FP32."""
        setup = BANKS + [rv.ttinsn(tt('SETADCXX', CntSetMask=4, x_end2=15))]
        setup += configured(71, 1 << 19)    # Pack_L1_Acc
        self.assertEqual(self.slope((40, 120), setup, [
            rv.ttinsn(tt('PACR', ReadIntfSel=1))], DRAIN), 4)

    def test_a_loop_of_independent_instructions(self) -> None:
        """16 words and two instructions of the loop: 1.125 cycles each."""
        body = [mad(n % 4, 7) for n in range(16)]
        program = rv.Program()
        program.add(rv.li(T0, NOT_FUSED), rv.csrrw(ZERO, 0x7c0, T0))
        for times in (10, 110):
            program.add(clock(T0), spin.counted(times, body))
            program.add(clock(T1), rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
            program.result(T1)
        tile = self.run_program(program)
        few, many = (tile.read32(program.results + 4 + 4 * n)
                     for n in range(2))
        self.assertEqual((many - few) / 100 / 16, 1.125)

    def test_branches(self) -> None:
        """At the end of a loop one is mispredicted, and no other one."""
        program = rv.Program()
        loop = [rv.NOP, rv.addi(T2, T2, -1), rv.branch(spin.BNE, T2, ZERO, -8)]
        ahead = rv.branch(spin.BNE, ZERO, ZERO, 8)
        for body in 10 * [rv.NOP], rv.li(T2, 7) + loop, 10 * [ahead]:
            program.add(rv.FENCE, clock(T0), body, clock(T1),
                        rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
            program.result(T1)
        tile = self.run_program(program)
        none, back, forward = (tile.read32(program.results + 4 + 4 * n)
                               for n in range(3))
        self.assertEqual((back - none, forward - none),
                         (2 + 3 * 7 + 4 - 10, 0))

    def test_clocks_agree(self) -> None:
        program = rv.Program()
        program.add(rv.csrrs(T0, CYCLE), clock(T1), 100 * [rv.NOP],
                    rv.csrrs(T2, CYCLE), clock(A0))
        program.add(rv.r_type(rv.OP, 0, 0x20, T0, T2, T0))
        program.result(T0)
        program.add(rv.r_type(rv.OP, 0, 0x20, T1, A0, T1))
        program.result(T1)
        tile = self.run_program(program)
        # from CSR to CSR: its own 4 cycles, 2 of li, 1 of the load
        self.assertEqual(tile.read32(program.results + 4), 107)
        self.assertEqual(tile.read32(program.results + 8), 107)


class MeetingTest(Timed):
    def test_a_full_fifo_holds_the_hart(self) -> None:
        """N words of 2 cycles each: all but 29 in the FIFO are over."""
        program = rv.Program()
        program.add(rv.li(T0, NOT_FUSED), rv.csrrw(ZERO, 0x7c0, T0))
        program.add(clock(T0), 200 * [mad(0, 0)], clock(T1),
                    rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        program.result(T1)
        tile = self.run_program(program)
        cycles = tile.read32(program.results + 4)
        self.assertIn(cycles, range(2 * (200 - 29), 2 * (200 - 29) + 8))
        waited = {wait['what']: wait['cycles'] for wait in
                  tile.state.time()['harts'][3]['waited']}
        self.assertGreater(waited['fifo'], 100)

    def held(self, pusher: str, poster: str, cfg0: int, count: int) -> int:
        """What pushes of so many words take that wait for a semaphore, which
        the other hart posts after 300 cycles."""
        post = rv.Program(0x20000, 0x100000)
        post.add(300 * [rv.NOP], rv.li(A0, spin.SEMAPHORE), [rv.sw(ZERO, A0)])
        push = rv.Program(0x40000, 0x100300)
        push.add(rv.li(T0, cfg0), rv.csrrw(ZERO, 0x7c0, T0), clock(T0),
                 [rv.ttinsn(tt('SEMWAIT', stall_res=0x1ff, wait_sem_cond=1,
                               sem_sel=1))], count * [mad(0, 0)], clock(T1),
                 rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        push.result(T1)
        with self.machine({pusher: push.image(), poster: post.image()}) as tile:
            for program in post, push:
                tile.wait_for_word(program.results, program.DONE)
            return tile.read32(push.results + 4)

    def test_which_hart_runs_first_makes_no_difference(self) -> None:
        """One word is at the gate; the FIFO takes another one, or up to four
        at once, if it has 28."""
        for cfg0, count, held in ((NOT_FUSED, 30, False), (NOT_FUSED, 31, True),
                                  (NOT_FUSED, 80, True), (FUSED, 31, False),
                                  (FUSED, 32, True), (FUSED, 80, True)):
            with self.subTest(cfg0=cfg0, count=count):
                cycles = [self.held(*harts, cfg0, count) for harts in
                          (('trisc0', 'trisc1'), ('trisc1', 'trisc0'))]
                self.assertEqual(cycles[0], cycles[1])
                self.assertEqual(cycles[0] > 200, held)

    def meet(self, wait: Words, work: Words) -> int:
        """TRISC1's clock when it has got the word that TRISC0 stores after
        this work, minus TRISC0's."""
        flag, clocks = 0x100100, 0x100200
        sender = rv.Program(0x20000, 0x100000)
        sender.add(rv.li(A0, flag), rv.li(A2, 1), work, clock(T1),
                   rv.sw(A2, A0), rv.li(A0, clocks), rv.sw(T1, A0))
        receiver = rv.Program(0x40000, 0x100300)
        receiver.add(rv.li(A1, flag), rv.li(A2, 1), wait, clock(T1),
                     rv.li(A0, clocks), rv.sw(T1, A0, 4))
        tile = self.machine({'trisc0': sender.image(),
                             'trisc1': receiver.image()})
        for program in sender, receiver:
            tile.wait_for_word(program.results, program.DONE)
        return tile.read32(clocks + 4) - tile.read32(clocks)

    def test_a_hart_that_polls_l1(self) -> None:
        """It continues when the word is stored, however often it had a turn:
        a FENCE ends that of the other hart, after less than a poll takes."""
        later = [self.meet(spin.wait_word(A2), work)
                 for work in (500 * [rv.NOP], 30000 * [rv.NOP],
                              300 * [rv.FENCE])]
        self.assertEqual(len(set(later)), 1, later)
        self.assertGreater(later[0], 8)
        self.assertLess(later[0], 20)

    def test_a_hart_that_is_late(self) -> None:
        """It does not wait for what has happened long ago."""
        late = self.meet(3000 * [rv.NOP] + spin.wait_word(A2), [rv.NOP])
        self.assertGreater(late, 2900)

    def test_a_mailbox(self) -> None:
        """From T1's mailbox: the reader waits for the writer's clock."""
        sender = rv.Program(0x20000, 0x100000)
        sender.add(rv.li(A0, spin.MAILBOX + 0x2000), 700 * [rv.NOP], clock(T1),
                   rv.sw(T1, A0))
        receiver = rv.Program(0x40000, 0x100300)
        receiver.add(rv.li(A0, spin.MAILBOX + 0x1000), rv.lw(T0, A0),
                     rv.addi(T0, T0, 0), clock(T1),
                     rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        receiver.result(T1)
        tile = self.machine({'trisc0': sender.image(),
                             'trisc1': receiver.image()})
        tile.wait_for_word(receiver.results, receiver.DONE)
        later = tile.read32(receiver.results + 4)
        self.assertGreater(later, 3)
        self.assertLess(later, 20)

    def test_a_loop_for_a_time(self) -> None:
        """A delay by the wall clock lasts as long as it says."""
        program = rv.Program()
        loop = [rv.lw(T1, S1), rv.r_type(rv.OP, 0, 0x20, T2, T1, T0),
                rv.branch(spin.BLTU, T2, A1, -8)]
        program.add(rv.li(A1, 5000), clock(T0), loop)
        program.result(T2)
        tile = self.run_program(program)
        self.assertIn(tile.read32(program.results + 4), range(5000, 5020))

    def pushed(self, sent: Words, received: Words) -> int:
        """The same of words that threads 0 and 1 execute."""
        clocks = 0x100200
        sender = rv.Program(0x20000, 0x100000)
        sender.add(900 * [rv.NOP], clock(T1), sent, rv.li(A0, clocks),
                   rv.sw(T1, A0))
        receiver = rv.Program(0x40000, 0x100300)
        receiver.add(received, DRAIN, clock(T1), rv.li(A0, clocks),
                     rv.sw(T1, A0, 4))
        tile = self.machine({'trisc0': sender.image(),
                             'trisc1': receiver.image()})
        for program in sender, receiver:
            tile.wait_for_word(program.results, program.DONE)
        return tile.read32(clocks + 4) - tile.read32(clocks)

    def test_a_semaphore(self) -> None:
        later = self.pushed(
            [rv.ttinsn(tt('SEMPOST', sem_sel=1))],
            [rv.ttinsn(tt('SEMWAIT', sem_sel=1, wait_sem_cond=1,
                          stall_res=1 << 1)),
             rv.ttinsn(tt('SEMGET', sem_sel=1))])
        self.assertIn(later, range(5, 20))

    def test_a_bank(self) -> None:
        later = self.pushed([rv.ttinsn(tt('SETDVALID', setvalid=3))],
                            [rv.ttinsn(tt('MVMUL', clear_dvalid=3))])
        self.assertIn(later, range(5, 20))


class DisturbedTest(Timed):
    """What the machine is asked for while it runs."""

    def contend(self, stops: int) -> List[int]:
        """Two threads that take a mutex in turn, and their cycles."""
        programs = {}
        for n in range(2):
            program = rv.Program(0x20000 + 0x20000 * n, 0x100000 + 0x100 * n)
            body = [rv.ttinsn(tt('ATGETM', mutex_index=2))] + \
                5 * [mad(0, 0)] + \
                [rv.ttinsn(tt('ATRELM', mutex_index=2))] + 10 * n * [rv.NOP]
            program.add(clock(T0), spin.counted(4000, body), DRAIN, clock(T1),
                        rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
            program.result(T1)
            programs[f'trisc{n}'] = program
        with self.machine({hart: program.image() for hart, program in
                           programs.items()}) as tile:
            for _ in range(stops):
                tile.stop()
                tile.cont()
            for program in programs.values():
                tile.wait_for_word(program.results, program.DONE)
            return [tile.read32(program.results + 4)
                    for program in programs.values()]

    def test_stops_make_no_difference(self) -> None:
        want = self.contend(0)
        for stops in 3, 10, 30:
            with self.subTest(stops=stops):
                self.assertEqual(self.contend(stops), want)


class CountersTest(Timed):
    """Performance counters of cycles."""

    BANKS = {'INSTRN_THREAD': (0xFFB12000, 0xFFB12104),
             'TDMA_UNPACK': (0xFFB1200C, 0xFFB1210C),
             'TDMA_PACK': (0xFFB120F0, 0xFFB12114),
             'L1': (0xFFB12030, 0xFFB1211C)}

    def count(self, bank: str, select: int, words: Words,
              other: Sequence[int] = (), before: bool = True,
              mux: int = 0) -> int:
        """The counter, over these words; before (if they are executed then)
        and after it is off.  other: what TRISC0 executes."""
        registers, output = self.BANKS[bank]
        program = rv.Program()
        program.add(rv.li(A0, 0xFFB12218), rv.li(A1, mux << 4),
                    rv.sw(A1, A0))
        program.add(words if before else [], DRAIN)
        program.add(rv.li(A0, registers), rv.li(A1, select << 8),
                    rv.sw(A1, A0, 4), rv.sw(ZERO, A0, 8), rv.li(A1, 1),
                    rv.sw(A1, A0, 8), words, DRAIN, rv.li(A1, 2),
                    rv.sw(A1, A0, 8), words, DRAIN)
        program.add(rv.li(A0, output), rv.lw(T1, A0))
        program.result(T1)
        images = {'trisc1': program.image()}
        if other:
            poster = rv.Program(0x60000, 0x110000)
            poster.add(list(other))
            images['trisc0'] = poster.image()
        tile = self.machine(images)
        tile.wait_for_word(program.results, program.DONE)
        return tile.read32(program.results + 4)

    def test_stalls(self) -> None:
        """Each but the first waits a cycle for the one before it."""
        self.assertEqual(self.count('INSTRN_THREAD', 25, 20 * [mad(0, 0)]), 19)
        self.assertEqual(self.count('INSTRN_THREAD', 24, 20 * [mad(0, 0)]), 0)

    def test_waits_for_units(self) -> None:
        """LOADIND and its STALLWAIT: 6 cycles each but the first."""
        stalled = self.count('INSTRN_THREAD', 25, 10 * LOADIND_WAIT)
        idle = self.count('INSTRN_THREAD', 40, 10 * LOADIND_WAIT)
        self.assertGreater(idle, 10)
        # it passes one cycle after the unit is seen idle
        self.assertEqual(stalled - idle, 9)
        for n in (31, 41, 43, 48):         # thread 0; other units
            self.assertEqual(self.count('INSTRN_THREAD', n, 10 * LOADIND_WAIT), 0)

    def test_waits_for_a_semaphore(self) -> None:
        words = [rv.ttinsn(tt('SEMWAIT', sem_sel=1, wait_sem_cond=1,
                              stall_res=1 << 1)),
                 rv.ttinsn(tt('SEMGET', sem_sel=1))]
        post = [rv.ttinsn(tt('SEMPOST', sem_sel=1))]
        other = post + 3000 * [rv.NOP] + post + 3000 * [rv.NOP] + post
        self.assertIn(self.count('INSTRN_THREAD', 44, words, other),
                      range(2900, 3000))
        self.assertEqual(self.count('INSTRN_THREAD', 45, words, other), 0)
        # a SYNC instruction is there meanwhile, and one of the Matrix Unit not
        self.assertGreater(self.count('INSTRN_THREAD', 4, words, other), 2900)
        self.assertLess(self.count('INSTRN_THREAD', 16, words, other), 10)

    def test_waits_for_a_bank(self) -> None:
        words = [rv.ttinsn(tt('MVMUL', clear_dvalid=3))]
        fill = [rv.ttinsn(tt('SETDVALID', setvalid=3))]
        other = 3000 * [rv.NOP] + fill + 3000 * [rv.NOP] + fill
        for select in (29, 30, 16):    # SrcA, SrcB, an instruction there
            self.assertIn(self.count('INSTRN_THREAD', select, words, other,
                                     before=False), range(2900, 3000))

    # 256 numbers of 32 bits at 16 bytes a cycle
    X_END = [rv.ttinsn(tt('SETADCXX', CntSetMask=3, x_end2=255))]
    DATA_CYCLES = 64

    def test_unpackers(self) -> None:
        """The third waits for a bank."""
        unpack = [rv.ttinsn(tt('UNPACR', SetDatValid=1))]
        words = self.X_END + 3 * unpack
        other = 3000 * [rv.NOP] + [rv.ttinsn(tt('CLEARDVALID', cleardvalid=1))]
        counts = [self.count(bank, select, words, other, before=False)
                  for bank, select in (
                      ('TDMA_UNPACK', 9),            # busy
                      ('TDMA_UNPACK', 6),            # could write
                      ('TDMA_UNPACK', 0x100 | 5),    # wrote
                      ('L1', 0),
                      ('TDMA_UNPACK', 0x100 | 3),    # SrcB
                      ('TDMA_UNPACK', 5), ('L1', 1))]
        self.assertIn(counts[0], range(2700, 3200))
        self.assertEqual(counts[1:], 3 * [3 * self.DATA_CYCLES] + 3 * [0])

    def test_an_unpacker_whose_bank_is_awaited_slows_no_other(self) -> None:
        words = self.X_END + [
            rv.ttinsn(tt('UNPACR', SetDatValid=1)),
            rv.ttinsn(tt('UNPACR', Unpack_block_selection=1))]
        other = 3000 * [rv.NOP] + [rv.ttinsn(tt('CLEARDVALID', cleardvalid=1))]
        self.assertEqual(self.count('TDMA_UNPACK', 10, words, other,
                                    before=False), self.DATA_CYCLES)

    def test_packer(self) -> None:
        words = 5 * [rv.ttinsn(tt('PACR'))]
        busy = self.count('TDMA_PACK', 18, words)
        self.assertGreaterEqual(busy, 5)
        self.assertEqual(self.count('L1', 0, words, mux=1), busy)

    def test_busy(self) -> None:
        words = 7 * [rv.ttinsn(tt('UNPACR_NOP'))]
        self.assertEqual(self.count('TDMA_UNPACK', 9, words), 7)
        self.assertEqual(self.count('TDMA_UNPACK', 10, words), 0)


class MachineTest(Timed):
    def test_it_is_refused_where_runs_would_differ(self) -> None:
        for accel, machine, why in (
                ('single', TIMED, 'needs -icount shift=0,sleep=off'),
                ('multi', TIMED, 'needs -icount shift=0,sleep=off'),
                ('icount', TIMED + ',schedule=seed=1', 'exclude each other'),
                ('icount', TIMED + ',rewind=on', 'excludes histories'),
                ('icount', 'timing=silicon',
                 'timing=silicon: No such file')):
            with self.subTest(machine, accel=accel), \
                    self.assertRaisesRegex(StartError, why):
                Tile(accel=accel, machine=machine).close()

    def test_without_it_there_is_no_estimate(self) -> None:
        with Tile(accel='icount') as tile:
            with self.assertRaisesRegex(TileError, 'timing=off: start with'):
                tile.state.time()
            self.assertIn('timing=off: start with', tile.time())

    def test_a_snapshot_is_refused(self) -> None:
        with Tile(accel='icount', machine=TIMED) as tile, \
                self.assertRaisesRegex(TileError, 'cycles are not saved'):
            tile.save(os.path.join(tile.folder, 'snapshot'))


class LinesTest(Timed):
    def test_lines_of_pushes(self) -> None:
        """Two places, and what a thread spends on each."""
        program = rv.Program()
        program.add(rv.li(T0, NOT_FUSED), rv.csrrw(ZERO, 0x7c0, T0))
        first = program.pc()
        program.add(mad(0, 0), 3 * [rv.NOP])
        swap = program.pc()
        program.add(sfpu('SFPSWAP', lreg_src_c=0, lreg_dest=1), mad(0, 0),
                    DRAIN)
        program.result(T1)
        tile = self.run_program(program)
        pushed = {line['place']: line['cycles'] for line in
                  tile.state.time()['harts'][3]['pushed']}
        self.assertEqual(pushed, {
            f'at pc 0x{first:08x}': 1, f'at pc 0x{swap:08x}': 4,
            f'at pc 0x{swap + 4:08x}': 2})


class NocTest(Timed):
    """Requests of TRISC1 to tiles: from the store to the answer's counter."""

    OWN, SAME_COLUMN, ELSEWHERE = 2 << 6 | 1, 5 << 6 | 1, 5 << 6 | 4
    BANK = 12 << 6 | 17

    def cycles(self, tile: int, size: int = 64, ctrl: int = READ,
               niu: int = NIU[0], times: int = 1) -> Tuple[int, Tile]:
        """Of so many requests, until all answers have come."""
        answer = RD_RESP if ctrl == READ else WR_ACK
        ends = (self.OWN, tile)[::1 if ctrl == WRITE else -1]
        program = rv.Program()
        program.add(request(niu, ctrl, 0x40000, ends[0], 0x48000, ends[1],
                            size), rv.li(T2, 1), rv.li(A2, times * -(-size // 16384)),
                    clock(T0))
        program.add(times * [rv.sw(T2, A1, CMD)])
        program.add([rv.lw(T1, A1, answer), rv.branch(spin.BNE, T1, A2, -4)],
                    clock(T1), rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        program.result(T1)
        tile_ = self.run_program(program)
        return tile_.read32(program.results + 4), tile_

    def test_ways(self) -> None:
        """A request and its answer go round the axes on which the tiles
        differ: 17 columns, 12 rows, 9 cycles each."""
        for niu in NIU:
            for ctrl in READ, WRITE:
                far, _ = self.cycles(self.ELSEWHERE, 64, ctrl, niu)
                column, _ = self.cycles(self.SAME_COLUMN, 64, ctrl, niu)
                own, _ = self.cycles(self.OWN, 64, ctrl, niu)
                self.assertEqual((far - column, column - own),
                                 (9 * 17, 9 * 12))
                self.assertIn(far, range(9 * 29 + 20, 9 * 29 + 20 + 30))

    def test_data(self) -> None:
        """64 bytes a cycle, and a header for 16384."""
        for ctrl in READ, WRITE:
            one, _ = self.cycles(self.ELSEWHERE, 64, ctrl)
            packet, _ = self.cycles(self.ELSEWHERE, 16384, ctrl)
            two, _ = self.cycles(self.ELSEWHERE, 32768, ctrl)
            self.assertEqual((packet - one, two - packet), (255, 257))

    def test_requests_share_a_noc(self) -> None:
        for ctrl in READ, WRITE:
            one, _ = self.cycles(self.ELSEWHERE, 8192, ctrl)
            four, _ = self.cycles(self.ELSEWHERE, 8192, ctrl, times=4)
            self.assertEqual(four - one, 3 * 129)

    def test_flits(self) -> None:
        """Counters of L1's ports: 64 bytes of data each."""
        for n, niu in enumerate(NIU):
            for ctrl, select in ((READ, 6), (WRITE, 4)):
                counts = [self.flits(niu, ctrl, mux, port)
                          for mux in range(2) for port in (4, 6)]
                want = [0, 0, 0, 0]
                want[2 * n + (select == 6)] = 5
                self.assertEqual(counts, want, (n, ctrl))

    def flits(self, niu: int, ctrl: int, mux: int, select: int) -> int:
        """Of one request of 300 bytes."""
        answer = RD_RESP if ctrl == READ else WR_ACK
        ends = (self.OWN, self.ELSEWHERE)[::1 if ctrl == WRITE else -1]
        program = rv.Program()
        program.add(rv.li(A0, 0xFFB12218), rv.li(A1, mux << 4),
                    rv.sw(A1, A0), rv.li(A0, 0xFFB12030),
                    rv.li(A1, select << 8), rv.sw(A1, A0, 4), rv.li(A1, 1),
                    rv.sw(A1, A0, 8))
        program.add(request(niu, ctrl, 0x40000, ends[0], 0x48000, ends[1],
                            300), rv.li(T2, 1), rv.sw(T2, A1, CMD))
        program.add([rv.lw(T1, A1, answer), rv.branch(spin.BNE, T1, T2, -4)])
        program.add(rv.li(A0, 0xFFB1211C), rv.lw(T1, A0))
        program.result(T1)
        tile = self.run_program(program)
        return tile.read32(program.results + 4)

    def test_dram(self) -> None:
        bank, _ = self.cycles(self.BANK)
        tile, _ = self.cycles(self.ELSEWHERE)
        self.assertEqual(bank - tile, 108)

    def test_the_path(self) -> None:
        cycles, tile = self.cycles(self.ELSEWHERE, 16384)
        time = tile.state.time()
        agents = {row['what']: row['cycles'] for row in time['path']['agents']}
        self.assertIn(agents['NoC 0'], range(cycles - 30, cycles))
        waited = {row['what']: row['cycles'] for row in
                  time['harts'][3]['waited']}
        self.assertIn(waited['noc'], range(cycles - 30, cycles))

    def test_what_a_read_brings(self) -> None:
        """A hart that polls the last word sees it no earlier."""
        program = rv.Program()
        program.add(rv.li(A0, 0x40000), rv.li(A2, 0x55), rv.sw(A2, A0, 60),
                    rv.FENCE)
        program.add(request(NIU[0], READ, 0x40000, self.OWN, 0x48000,
                            self.OWN, 64), rv.li(T2, 1),
                    rv.li(A3, 0x48000 + 60), clock(T0), rv.sw(T2, A1, CMD),
                    [rv.lw(T1, A3), rv.branch(spin.BNE, T1, A2, -4)],
                    clock(T1), rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        program.result(T1)
        tile = self.run_program(program)
        self.assertIn(tile.read32(program.results + 4), range(20, 50))

    def test_a_reset_discards_when_data_arrives(self) -> None:
        """L1 is read at once by the next program."""
        program = rv.Program()
        program.add(rv.li(A3, 0x40000), clock(T0),
                    [rv.lw(T1, A3), rv.addi(T1, T1, 0)], clock(T1),
                    rv.r_type(rv.OP, 0, 0x20, T1, T1, T0))
        program.result(T1)
        program.add(request(NIU[0], READ, 0x48000, self.ELSEWHERE, 0x40000,
                            self.OWN, 16384), rv.li(T2, 1),
                    16 * [rv.sw(T2, A1, CMD)])
        tile = self.run_program(program)
        first = tile.read32(program.results + 4)
        tile.write32(program.results, 0)
        tile.qmp('system_reset')
        tile.wait_for_word(program.results, program.DONE)
        self.assertEqual(tile.read32(program.results + 4), first)


class PathTest(Timed):
    """The critical path: whose work each cycle of the estimate is."""

    def path(self, tile: Tile) -> Dict[str, int]:
        """Cycles by agent, after what holds of any path."""
        time = tile.state.time()
        path = time['path']
        agents = {row['what']: row['cycles'] for row in path['agents']}
        self.assertEqual(path['first'], 0)
        self.assertEqual(sum(agents.values()), time['cycles'])
        latest = path['latest']
        self.assertEqual(latest[-1]['last'], time['cycles'])
        for span, following in zip(latest, latest[1:]):
            self.assertLess(span['first'], span['last'])
            self.assertEqual(span['last'], following['first'])
            self.assertNotEqual(span['agent'], following['agent'])
        return agents

    def test_a_unit(self) -> None:
        """A chain of dependent instructions determines the length."""
        program = rv.Program()
        program.add(400 * [mad(0, 0)], DRAIN)
        agents = self.path(self.run_program(program))
        self.assertIn(agents['vector of thread 1'], range(790, 802))

    def test_a_hart(self) -> None:
        """A slow sender of few instructions does, and no unit."""
        body = [mad(0, 0)] + 40 * [rv.NOP]
        program = rv.Program()
        program.add(50 * body, DRAIN)
        agents = self.path(self.run_program(program))
        self.assertGreater(agents['trisc1'], 50 * 40)
        self.assertLess(agents.get('vector of thread 1', 0), 50)

    def test_a_hart_that_waits_for_another_one(self) -> None:
        flag = 0x100100
        sender = rv.Program(0x20000, 0x100000)
        sender.add(rv.li(A0, flag), rv.li(A2, 1), 3000 * [rv.NOP],
                   rv.sw(A2, A0))
        receiver = rv.Program(0x40000, 0x100300)
        receiver.add(rv.li(A1, flag), rv.li(A2, 1), spin.wait_word(A2),
                     200 * [rv.NOP])
        receiver.result(A2)
        tile = self.machine({'trisc0': sender.image(),
                             'trisc1': receiver.image()})
        for program in sender, receiver:
            tile.wait_for_word(program.results, program.DONE)
        agents = self.path(tile)
        self.assertIn(agents['trisc0'], range(3000, 3020))
        self.assertIn(agents['trisc1'], range(200, 260))
        self.assertEqual([span['agent'] for span in
                          tile.state.time()['path']['latest'][-2:]],
                         ['trisc0', 'trisc1'])

    def test_arithmetic(self) -> None:
        """100 MVMULs; moves are none."""
        program = rv.Program()
        program.add(BANKS, [rv.ttinsn(tt('MVMUL', dst=8 * (n % 8)))
                            for n in range(100)],
                    5 * [rv.ttinsn(tt('MOVD2A'))], DRAIN)
        tile = self.run_program(program)
        time = tile.state.time()
        self.assertEqual(time['arithmetic'], 100)
        self.assertEqual((time['l1-bytes'], time['l1-bandwidth']), (0, 256))
        self.assertRegex(tile.time().replace('\r', ''),
                         r"\narithmetic in 100 cycles, \d+ % of the Matrix "
                         r"Unit's peak\n0 bytes ")


class ProgramsTest(unittest.TestCase):
    """scripts/run of examples."""

    def run_example(self, name: str, *options: str) -> Tuple[str, bytes]:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        got = os.path.join(folder, 'got')
        done = script('run', os.path.join(ROOT, 'examples', name), '--accel',
                      'icount', f'--get=l1:0:1048576:u8={got}', *options,
                      timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(got, 'rb') as file:
            return done.stderr, file.read()

    def test_results_are_the_same_and_so_are_two_runs(self) -> None:
        for name in 'matmul', 'sfpu', 'noc_copy':
            with self.subTest(name):
                _, want = self.run_example(name)
                texts = []
                for _ in range(2):
                    text, got = self.run_example(name, '--time')
                    self.assertEqual(got, want)
                    texts.append('\n'.join(
                        line for line in text.splitlines()
                        if not line.startswith('run: ')))
                self.assertEqual(texts[0], texts[1])
                self.assertIn(UNIT, texts[0])
                if name != 'noc_copy':
                    self.assertRegex(
                        texts[0], r'\n  pushed in \w+\(\), .*:\d+.*: \d+\n')
                for line in texts[0].splitlines():
                    self.assertLessEqual(len(line), 80)

    def test_two_harts_that_share_a_ring_overlap(self) -> None:
        """NCRISC writes a block while BRISC reads the next one: what it has
        done later makes no room for BRISC before it."""
        text, _ = self.run_example('noc_copy', '--time')
        path = text[text.index('critical path'):]
        reads, writes = (int(re.search(rf'NoC {n} (\d+)', path)[1])
                         for n in range(2))
        self.assertGreater(reads, 14000)
        self.assertLess(writes, 4000)


if __name__ == '__main__':
    unittest.main()
