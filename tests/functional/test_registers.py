# SPDX-License-Identifier: GPL-2.0-or-later
"""Accesses to registers of a tile's devices are events, for subscribers: a
timeline with registers=on writes down each, once, with its agent."""

import os
import re
import tempfile
import unittest

import host_client
import rv_asm as rv
from blackhole_tile.testing import Tile, every_accelerator, script
from debug_client import Hart, Registers
from rv_asm import A0, A1, A2
from test_deadlock import COP_DONE, PCBUF, SEMAPHORE
from test_origins import (DATA, INLINE, LOADREG, NIU, PROGRAM, STOREREG, TDMA,
                          WRITE, register_word, request)

CFG, GPR, DEST, PUSH = 0xFFEF0000, 0xFFE00000, 0xFFBD8000, 0xFFE40000
NOP, DEPTH, DONE = 0x02000000, 16, 0x50000
RESET_PC = 0xFFB12228
STREAM = 0xFFB40000 + 4 * 297
PCBUF_T1 = PCBUF + 0x10000     # BRISC's side of TRISC1's
BRISC_PROGRAM = 0x30000
EVENT = re.compile(r'^\d+ register agent (.+?) hart (\S.*) pc (\S+)(?: in [^\n]*)? '
                   r'access (load|store) address (\S+) value (\S+) size (\d)$',
                   re.M)


class Case(unittest.TestCase):
    def start(self, accel='single', **options):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.file = os.path.join(folder, 'timeline')
        tile = Tile(accel=accel, **options)
        return self.enterContext(tile)

    def subscribe(self, tile, **properties):
        tile.qmp('object-add', **{'qom-type': 'tensix-timeline', 'id': 'line',
                                  'file': self.file, **properties})

    def events(self, tile):
        """[(agent, hart, pc, access, address, value, size)]"""
        tile.qmp('object-del', id='line')
        done = script('timeline', self.file, timeout=60)
        done.check_returncode()
        text = done.stdout
        found = EVENT.findall(text)
        self.assertEqual(len(found), len(re.findall(r'^\d+ register ', text,
                                                    re.M)), text)
        return [(agent, hart, int(pc, 0), access, int(address, 0),
                 int(value, 0), int(size))
                for agent, hart, pc, access, address, value, size in found]

    def execute(self, tile, hart, words):
        """Starts a program that sets DONE at its end."""
        registers = Registers(tile)
        words = words + rv.li(A0, DONE) + [rv.addi(A1, rv.ZERO, 1),
                                           rv.sw(A1, A0), rv.jump(0)]
        base = PROGRAM if hart != 'brisc' else BRISC_PROGRAM
        tile.write(base, rv.code(words))
        if hart == 'brisc':
            tile.write(0, rv.code([rv.jump(base)]))
        registers.release(hart, start=base)

    def finished(self, tile):
        tile.wait_for(lambda t: t.read32(DONE) == 1)


def accesses(stores, loads):
    """Words; and what a hart that executes them from PROGRAM on does:
    [(pc, access, address, value, size)]"""
    words, expected = [], []
    for address, value in stores:
        words += rv.li(A0, address) + rv.li(A1, value) + [rv.sw(A1, A0)]
        expected.append((PROGRAM + 4 * len(words) - 4, 'store', address, value,
                         4))
    for address, value in loads:
        words += rv.li(A0, address) + [rv.lw(A2, A0)]
        expected.append((PROGRAM + 4 * len(words) - 4, 'load', address, value,
                         4))
    return words, expected


class Agents(Case):
    def of(self, tile, *agents):
        return [e for e in self.events(tile) if e[0] in agents]

    @every_accelerator
    def test_hart(self, accel):
        """Each kind of device; pushes are events of their own."""
        words, expected = accesses(
            ((RESET_PC + 8, 0x1234), (GPR, 5), (CFG, 6), (SEMAPHORE, 0),
             (NIU, DATA), (TDMA, 7), (STREAM, 8), (DEST, 9)),
            ((GPR, 5), (CFG, 6), (COP_DONE, 0), (SEMAPHORE, 1), (NIU, DATA)))
        words += rv.li(A0, PUSH) + rv.li(A1, NOP) + [rv.sw(A1, A0)]
        tile = self.start(accel)
        self.subscribe(tile, registers=True)
        self.execute(tile, 'trisc1', words)
        self.finished(tile)
        self.assertEqual(self.of(tile, 'hart'),
                         [('hart', 'trisc1', *e) for e in expected])

    def test_without_registers(self):
        tile = self.start()
        self.subscribe(tile)
        self.execute(tile, 'trisc1', accesses(((GPR, 5),), ())[0])
        self.finished(tile)
        self.assertEqual(self.events(tile), [])

    @every_accelerator
    def test_accesses_that_wait(self, accel):
        """TRISC1 waits for BRISC's first word; BRISC for space after the last."""
        pops, pushes = 3, 3 + DEPTH
        tile = self.start(accel)
        self.subscribe(tile, registers=True)
        words = [rv.lw(A1, A0)] * (pushes - pops)
        self.execute(tile, 'trisc1', rv.li(A0, PCBUF) + [rv.lw(A1, A0)] * pops +
                     rv.li(A2, DATA) + [rv.lw(A1, A2), rv.FENCE,
                                        rv.branch(0, A1, 0, -8)] + words)
        tile.wait_for(lambda t: t.state.harts()['trisc1'].state == 'waiting')
        brisc = rv.li(A0, PCBUF_T1)
        for n in range(pushes + 1):
            brisc += [rv.addi(A1, rv.ZERO, n), rv.sw(A1, A0)]
        tile.write(BRISC_PROGRAM, rv.code(brisc + [rv.jump(0)]))
        tile.write(0, rv.code([rv.jump(BRISC_PROGRAM)]))
        Registers(tile).release('brisc')
        tile.wait_for(lambda t: t.state.harts()['brisc'].state == 'waiting')
        tile.write32(DATA, 1)
        self.finished(tile)
        events = self.of(tile, 'hart')
        for hart, access, address, count in (
                ('trisc1', 'load', PCBUF, pushes),
                ('brisc', 'store', PCBUF_T1, pushes + 1)):
            self.assertEqual([e[5] for e in events if e[1] == hart and
                              e[3:5] == (access, address)], list(range(count)))

    def test_instructions(self):
        """STOREREG and LOADREG, for the hart that pushed them."""
        words = rv.li(A0, GPR + 4 * 4) + rv.li(A1, 77) + [rv.sw(A1, A0)]
        words += [rv.ttinsn(register_word(STOREREG, RESET_PC)),
                  rv.ttinsn(register_word(LOADREG, RESET_PC))]
        end = PROGRAM + 4 * len(words)
        tile = self.start()
        self.subscribe(tile, registers=True)
        self.execute(tile, 'trisc1', words + rv.li(A0, COP_DONE) +
                     [rv.lw(A1, A0)])
        self.finished(tile)
        self.assertEqual(self.of(tile, 'instruction'), [
            ('instruction', 'trisc1', end - 8, 'store', RESET_PC, 77, 4),
            ('instruction', 'trisc1', end - 4, 'load', RESET_PC, 77, 4)])

    def test_noc(self):
        """A request to a register of the own tile."""
        stores = [(address, RESET_PC if value == DATA else value)
                  for address, value in request(WRITE | INLINE, 0xF)]
        tile = self.start()
        self.subscribe(tile, registers=True)
        self.execute(tile, 'trisc1', accesses(stores, ())[0])
        tile.wait_for(lambda t: t.read32(RESET_PC) == 5)
        self.assertEqual([e[3:] for e in self.of(tile, 'noc')],
                         [('store', RESET_PC, 5, 4)])

    def test_host_debugger_and_debug_interface(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, 'host')
        tile = self.start(machine=f'host-socket={path}')
        registers = Registers(tile)
        tile.write(PROGRAM, rv.code([rv.jump(0)]))
        registers.release('trisc1', start=PROGRAM)
        hart = Hart(registers, 'trisc1')
        hart.halt()
        hart.wait()
        self.subscribe(tile, registers=True)
        client = host_client.Client.connect(path)
        self.addCleanup(client.close)
        client.ask(host_client.WRITE, x=1, y=2, address=RESET_PC, size=4,
                   data=b'\1\0\0\0')
        self.assertEqual(tile.read32(RESET_PC), 1)
        hart.store(RESET_PC, 2)
        events = self.events(tile)
        for agent, access, value in (('host', 'store', 1), ('debugger', 'load', 1),
                                     ('risc-dbg', 'store', 2)):
            self.assertEqual([e[3:6] for e in events if e[0] == agent and
                              e[4] == RESET_PC], [(access, RESET_PC, value)])


if __name__ == '__main__':
    unittest.main()
