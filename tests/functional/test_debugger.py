# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb on single harts: ebreak, a missing instruction, CSRs, leaving."""

import contextlib
import os
import unittest
from concurrent import futures

import gdb_client
import rv_asm as rv
from blackhole_tile import HARTS
from blackhole_tile.testing import Tile
from bombs import CFG, GPR, SOFT_RESET
from rv_asm import A0, A1
from test_deadlock import COP_DONE, SEMWAIT_ZERO
from test_gdb import GDB, each, gdb_prints
from test_pic import HANDLER, PIC, SW_EN, SW_INT, SW_INT_PC, handler

BASE, RESULT, RAM = 0x20000, 0x100000, 0xFFB00000
SEMPOST_1 = 0xA4 << 24 | 1 << 3
EQUAL = 0                                # beq


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Debugger(unittest.TestCase):
    def gdb(self, tile, hart, commands):
        """What gdb prints, attached to this hart."""
        script = ['set architecture riscv:rv32',
                  f'target extended-remote {tile.gdb_socket}']
        if hart != 'brisc':
            script += ['add-inferior', 'inferior 2',
                       f'attach {HARTS.index(hart) + 1}']
        return gdb_prints(*each(script + commands))

    @contextlib.contextmanager
    def tile(self, hart, parts):
        """A stopped tile with {address: words}; the hart starts at BASE."""
        image = rv.elf({at: rv.code(words) for at, words in parts.items()},
                       BASE)
        with Tile(images={hart: image}, stopped=True, gdb=True) as tile:
            yield tile

    def session(self, hart, words, commands):
        """What gdb prints, and then RESULT."""
        with self.tile(hart, {BASE: words}) as tile:
            return self.gdb(tile, hart, commands), tile.read32(RESULT)

    STORE_AFTER = rv.li(A0, 0x600d) + rv.li(A1, RESULT)

    def test_ebreak_stops_and_continue_resumes_after_it(self):
        words = self.STORE_AFTER + [rv.EBREAK, rv.sw(A0, A1), rv.EBREAK] + \
            rv.HALT
        text, result = self.session('trisc1', words, [
            'continue', 'printf "first=%x\\n", $pc',
            f'printf "before=%x\\n", *(int *){RESULT:#x}',
            'continue', 'printf "second=%x\\n", $pc'])
        self.assertIn('SIGTRAP', text)
        self.assertIn(f'first={BASE + 0x14:x}', text)
        self.assertIn('before=0', text)
        self.assertIn(f'second={BASE + 0x1c:x}', text)
        self.assertEqual(result, 0x600d)

    def test_leaving_lets_a_paused_hart_take_its_interrupt(self):
        number = 3
        words = rv.li(A0, PIC) + rv.li(A1, HANDLER) + \
            [rv.sw(A1, A0, SW_INT_PC + 4 * number)] + \
            rv.li(A1, 1 << number) + [rv.sw(A1, A0, SW_EN['brisc'])] + \
            [rv.EBREAK] + rv.HALT
        with self.tile('brisc', {BASE: words,
                                 HANDLER: handler('brisc')}) as tile, \
                futures.ThreadPoolExecutor() as pool:
            turn = os.path.join(tile.folder, 'turn')
            text = pool.submit(self.gdb, tile, 'brisc', [
                'continue',
                f'shell touch {turn}; while test -e {turn}; do sleep .02; '
                f'done', 'detach'])
            tile.wait_for(lambda _: os.path.exists(turn))
            tile.write32(RESULT + 0x40, 0xffff)
            tile.write32(PIC + SW_INT + 4 * number, 1)
            self.assertEqual(tile.read32(RESULT + 4), 0, 'the hart is paused')
            os.remove(turn)
            self.assertIn('SIGTRAP', text.result())
            tile.wait_for_word(RESULT + 4, 4)
            self.assertEqual(tile.read32(RESULT + 0x40), number)

    def test_missing_instruction_stops_at_itself(self):
        words = self.STORE_AFTER + [rv.WFI, rv.sw(A0, A1)] + rv.HALT
        text, result = self.session('trisc0', words, [
            'continue', 'printf "stop=%x\\n", $pc', 'set $pc = $pc + 4',
            'tbreak *$pc + 4', 'continue', 'printf "then=%x\\n", $pc'])
        self.assertIn(f'stop={BASE + 0x10:x}', text)
        self.assertIn(f'then={BASE + 0x18:x}', text)
        self.assertEqual(result, 0x600d)

    def test_csrs(self):
        text, _ = self.session('ncrisc', rv.HALT, [
            'printf "cfg0=%x\\n", $cfg0', 'set $cfg1 = 0x1234',
            'printf "cfg1=%x\\n", $cfg1', 'printf "misa=%x\\n", $misa',
            'printf "mtvec=%x\\n", $mtvec'])
        self.assertIn('cfg0=20000', text)
        self.assertIn('cfg1=1234', text)
        self.assertIn('misa=40201123', text)
        self.assertNotRegex(text, r'mtvec=[0-9a-f]')

    def test_pokes_run_nothing_before_the_machine_does(self):
        """A thread waits for semaphore 0, and would then post semaphore 1."""
        words = [rv.ttinsn(SEMWAIT_ZERO), rv.ttinsn(SEMPOST_1), rv.EBREAK] + \
            rv.li(A1, COP_DONE) + [rv.lw(A0, A1)] + self.STORE_AFTER + \
            [rv.sw(A0, A1), rv.EBREAK] + rv.HALT
        text, result = self.session('trisc1', words, [
            'continue', 'set $sem0 = 1', 'printf "poked=%d %d\n", $sem0, $sem1',
            'continue', 'printf "ran=%d %d\n", $sem0, $sem1'])
        self.assertIn('poked=1 0', text)
        self.assertIn('ran=1 1', text)
        self.assertEqual(result, 0x600d)

    def test_stores_to_devices_are_dropped(self):
        """GPR, configuration, soft reset; private RAM and L1 are memory."""
        words = [rv.EBREAK] + rv.HALT
        commands = ['continue']
        for address in (GPR, CFG, SOFT_RESET, RAM, RESULT):
            commands += [f'set $before = *(int *){address:#x}',
                         f'set *(int *){address:#x} = $before ^ 1',
                         f'printf "{address:x}: %d\n", '
                         f'*(int *){address:#x} != $before']
        text, _ = self.session('trisc0', words, commands)
        for address, changed in ((GPR, 0), (CFG, 0), (SOFT_RESET, 0), (RAM, 1),
                                 (RESULT, 1)):
            self.assertIn(f'{address:x}: {changed}', text)

    # --- a debugger that goes without a word ---

    GO = RESULT + 0x80
    WAIT = rv.li(A1, GO) + [rv.lw(A0, A1), rv.branch(EQUAL, A0, rv.ZERO, -4)]
    LOST = WAIT + STORE_AFTER + [rv.sw(A0, A1), rv.EBREAK] + rv.HALT
    STORE = BASE + 4 * (len(WAIT) + len(STORE_AFTER))

    def continues(self, tile):
        """Past STORE and the ebreak, and the machine does not stop."""
        tile.wait_for(lambda _: any(
            device['filename'].startswith('disconnected:') and
            tile.gdb_socket in device['filename']
            for device in tile.qmp('query-chardev')))
        tile.write32(self.GO, 1)
        tile.wait_for_word(RESULT, 0x600d)
        tile.wait_for(lambda _: tile.hart_pcs()['trisc1'] ==
                      hex(self.STORE + 8))
        self.assertEqual(tile.status(), 'running')

    def test_lost_while_the_machine_is_stopped(self):
        with self.tile('trisc1', {BASE: self.LOST}) as tile:
            with gdb_client.Debugger(tile) as gdb:
                gdb.insert('trisc1', self.STORE)
                gdb.step('trisc1')
            self.assertNotEqual(tile.status(), 'running')
            tile.go()
            self.continues(tile)

    def test_lost_while_the_machine_runs(self):
        with self.tile('trisc1', {BASE: self.LOST}) as tile:
            with gdb_client.Debugger(tile) as gdb:
                gdb.insert('trisc1', self.STORE)
                gdb.send('vCont;c')
                tile.wait_for(lambda _: tile.status() == 'running')
            self.continues(tile)
            with gdb_client.Debugger(tile) as gdb:   # not that stop's reply
                self.assertEqual(gdb.pc('trisc1'), self.STORE + 8)

    def test_lost_in_the_middle_of_a_packet(self):
        with self.tile('trisc1', {BASE: self.LOST}) as tile:
            with gdb_client.Debugger(tile) as gdb:
                gdb.link.sendall(b'$vCont;')
            with gdb_client.Debugger(tile) as gdb:
                self.assertEqual(gdb.pc('trisc1'), BASE)


if __name__ == '__main__':
    unittest.main()
