# SPDX-License-Identifier: GPL-2.0-or-later
"""The debug interface of the harts, array reads and unaligned accesses, as a host
uses them through the NoC."""

import contextlib
import os
import random
import struct
import tempfile
import unittest

import debug_client as dbg
import lib_matmul as matmul
import rv_asm as rv
from blackhole_tile import ACCELERATORS, APERTURE
from blackhole_tile.testing import Tile, every_accelerator, images
from debug_client import Hart, Registers
from rv_asm import A0, A1, A2
from test_gdb import GDB, each, gdb_prints
from test_snapshot import wait_for_status

LOGS = ['-d', 'guest_errors,unimp']
DATA, GPR_WINDOW, MAILBOX = 0x10000, 0xFFE00000, 0xFFEC0000
PRIVATE = 0xFFB00010
COUNTER = rv.li(A0, DATA) + [rv.lw(A1, A0), rv.addi(A1, A1, 1),
                             rv.sw(A1, A0), rv.jump(-12)]
LOOP = 8                               # of COUNTER
TT_NOP = 0x02 << 24


class Case(unittest.TestCase):
    @contextlib.contextmanager
    def tile(self, accel='single', **options):
        with Tile(accel=accel, extra=LOGS, **options) as tile:
            self.registers = Registers(tile)
            yield tile

    def load(self, tile, words, *harts):
        """The program at 0, then these harts out of soft reset."""
        self.registers.hold(*harts)
        tile.write(0, rv.code(words))
        self.registers.release(*harts)
        return [Hart(self.registers, hart) for hart in harts]

    def assert_status(self, hart, wanted):
        self.assertEqual(f'{hart.wait():#x}', f'{wanted:#x}')


class Interface(Case):
    @every_accelerator
    def test_halt_and_continue(self, accel):
        with self.tile(accel) as tile:
            before = 0
            for hart in self.load(tile, COUNTER, *dbg.DEBUGGED):
                hart.halt()
                self.assertEqual(hart.status(), dbg.PAUSED)
            hart = Hart(self.registers, 'trisc2')
            for name in dbg.DEBUGGED[:-1]:
                self.registers.hold(name)
            for _ in range(10):
                hart.cont()
                self.assertEqual(hart.status(), 0)
                hart.halt()
                self.assertEqual(hart.status(), dbg.PAUSED)
                after = tile.read32(DATA)
                self.assertGreater(after, before)
                self.assertEqual(tile.read32(DATA), after)
                self.assertEqual(self.registers.bus_pc('trisc2'), hart.pc())
                before = after

    @every_accelerator
    def test_step(self, accel):
        """Two commands are a step; a counting loop goes round in four."""
        with self.tile(accel) as tile:
            hart, = self.load(tile, [rv.EBREAK] + COUNTER, 'trisc0')
            hart.wait()
            for pc in (8, 12, 16, 20, 24, 12, 16):
                hart.command(dbg.STEP)
                self.assertNotEqual(hart.pc(), pc)
                hart.command(dbg.STEP)
                self.assertEqual(hart.status(), dbg.PAUSED)
                self.assertEqual(hart.pc(), pc)
            self.assertEqual(tile.read32(DATA), 1)

    def test_half_a_step_is_forgotten(self):
        """A continue and a halt, a reset, or an ebreak comes between."""
        def cont_and_halt(hart):
            hart.cont()
            hart.halt()

        def reset(hart):
            self.registers.hold('trisc0')
            self.registers.release('trisc0')
            hart.halt()

        for between in (cont_and_halt, reset):
            with self.subTest(between.__name__), self.tile() as tile:
                hart, = self.load(tile, [rv.jump(4), rv.jump(-4)], 'trisc0')
                hart.halt()
                hart.command(dbg.STEP)
                between(hart)
                pc = hart.pc()
                hart.command(dbg.STEP)
                self.assertEqual(hart.pc(), pc)
                hart.command(dbg.STEP)
                self.assertEqual(hart.pc(), 4 - pc)
        words = rv.li(A0, DATA) + [rv.lw(A1, A0), rv.branch(0, A1, 0, -4),
                                   rv.EBREAK] + [rv.NOP] * 4 + [rv.jump(0)]
        with self.tile() as tile:
            hart, = self.load(tile, words, 'trisc0')
            hart.halt()
            hart.command(dbg.STEP)
            tile.write32(DATA, 1)
            hart.cont()
            self.assert_status(hart, dbg.PAUSED | dbg.EBREAK_HIT)
            for pc in (20, 24, 28):
                self.assertEqual(hart.pc(), pc)
                hart.command(dbg.STEP)
                self.assertEqual(hart.pc(), pc)
                hart.command(dbg.STEP)

    @every_accelerator
    def test_step_while_all_others_run(self, accel):
        with self.tile(accel) as tile:
            tile.write(0x12000, rv.code(COUNTER))
            hart, *_ = self.load(tile, COUNTER, *dbg.DEBUGGED)
            self.registers.release('ncrisc')
            for _ in range(10):
                hart.halt()
                self.assertEqual(hart.status(), dbg.PAUSED)
                hart.step()
                self.assertEqual(hart.status(), dbg.PAUSED)
                hart.cont()

    @every_accelerator
    def test_a_violation_behind_continue(self, accel):
        with self.tile(accel) as tile:
            hart, = self.load(tile, [rv.EBREAK, 0xFFFFFFFF], 'trisc0')
            for action in (hart.wait, hart.cont, hart.step, hart.cont):
                action()
                hart.wait()
                self.assertEqual(hart.pc(), 4)

    def every_kind(self):
        """(instruction, distance to the next pc)"""
        return [(word, 4) for word in (
            rv.addi(A2, A2, 1), rv.r_type(rv.OP, 0, 1, A2, A2, A2),
            rv.lw(A2, A0), rv.sw(A2, A0), rv.lw(A2, A0, 1), rv.sw(A2, A0, 1),
            rv.r_type(rv.AMO, 2, 0, A2, A0, A2), rv.FENCE,
            rv.csrrs(A2, 0xC00), rv.csrrw(A2, 0x7C1, A2),
            rv.fmv_w_x(1, A2), rv.r_type(rv.OP_FP, 7, 0, 1, 1, 1),
            rv.ttinsn(TT_NOP), rv.lw(A2, A1), rv.sw(A2, A1))] + [
                (rv.jump(8), 8), (rv.branch(0, 0, 0, 12), 12),
                (rv.branch(1, 0, 0, 12), 4), (rv.jump(0), 0)]

    @every_accelerator
    def test_step_over_every_kind(self, accel):
        with self.tile(accel) as tile:
            hart, = self.load(tile, [rv.EBREAK] + rv.li(A0, DATA) +
                              rv.li(A1, GPR_WINDOW) + rv.HALT, 'trisc1')
            hart.wait()
            for word, distance in self.every_kind():
                with self.subTest(f'{word:08x}'):
                    hart.write(dbg.ARG1, 4)
                    hart.command(dbg.SET_PC | dbg.STEP)
                    for _ in range(4):
                        hart.step()
                    self.assertEqual(hart.pc(), 20)
                    self.assertEqual(hart.gpr(A1), GPR_WINDOW)
                    hart.store(20, word)
                    hart.step()
                    self.assertEqual(hart.status(), dbg.PAUSED)
                    self.assertEqual(hart.pc(), 20 + distance)

    @every_accelerator
    def test_step_that_waits(self, accel):
        """A load from an empty mailbox: the step ends when a word is there."""
        words = [rv.EBREAK] + rv.li(A0, MAILBOX) + [rv.lw(A2, A0)] + rv.HALT
        with self.tile(accel) as tile:
            hart, = self.load(tile, words, 'trisc0')
            hart.wait()
            for _ in range(3):
                hart.step()
            self.assertEqual(hart.status(), 0)
            self.assertIn('mail from brisc', tile.hmp('info tensix why'))
            hart.halt()                # before the load, all the same
            self.assertEqual((hart.status(), hart.pc()), (dbg.PAUSED, 12))
            hart.step()
            self.assertEqual(hart.status(), 0)
            tile.write32(MAILBOX + 0x1000, 0x600d)
            self.assert_status(hart, dbg.PAUSED)
            self.assertEqual((hart.pc(), hart.gpr(A2)), (16, 0x600d))

    def test_registers(self):
        with self.tile() as tile:
            for hart in self.load(tile, rv.HALT, *dbg.DEBUGGED):
                hart.halt()
                for number in range(1, 32):
                    hart.set_gpr(number, 0x80000001 * number & 0xFFFFFFFF)
                hart.set_gpr(0, 5)
                self.assertEqual(
                    [hart.gpr(n) for n in range(32)],
                    [0x80000001 * n & 0xFFFFFFFF for n in range(32)])
                hart.command(dbg.CLEAR_GPRS)
                self.assertEqual([hart.gpr(n) for n in range(32)], [0] * 32)

    def test_memory_is_the_harts_own(self):
        """Private RAM and GPR windows; code that is written is executed."""
        with self.tile() as tile:
            harts = self.load(tile, COUNTER, *dbg.DEBUGGED)
            for number, hart in enumerate(harts):
                hart.halt()
                hart.store(PRIVATE, number)
            for number, hart in enumerate(harts):
                self.assertEqual(hart.load(PRIVATE), number)
                if number:
                    hart.store(GPR_WINDOW + 4, 0x100 + number)
                    self.assertEqual(
                        harts[0].load(GPR_WINDOW + 0x100 * (number - 1) + 4),
                        0x100 + number)
            harts[1].store(LOOP, rv.EBREAK)
            harts[1].cont()
            self.assert_status(harts[1], dbg.PAUSED | dbg.EBREAK_HIT)
            self.assertEqual(harts[1].pc(), LOOP + 4)
            # the registers of the interface itself
            harts[0].store(dbg.REGISTERS + dbg.CNTL_1, 0x1234)
            self.assertEqual(self.registers.read(dbg.CNTL_1), 0x1234)

    def test_set_pc(self):
        words = [rv.EBREAK, rv.EBREAK] + COUNTER
        with self.tile() as tile:
            hart, = self.load(tile, words, 'brisc')
            self.assert_status(hart, dbg.PAUSED | dbg.EBREAK_HIT)
            hart.write(dbg.ARG1, 8)
            hart.command(dbg.SET_PC | dbg.STEP)
            self.assertEqual((hart.status(), hart.pc()), (dbg.PAUSED, 8))
            hart.write(dbg.COMMAND, dbg.SET_PC | dbg.STEP)
            self.assertEqual(hart.pc(), 0, 'not in slow mode: the reset pc')
            hart.write(dbg.ARG1, 8)
            hart.command(dbg.SET_PC | dbg.CONTINUE)
            tile.wait_for(lambda _: tile.read32(DATA) > 10)
            self.assertEqual(hart.status(), 0)

    def test_commands_that_are_not_valid(self):
        with self.tile() as tile:
            hart, = self.load(tile, COUNTER, 'trisc1')
            for command in (dbg.STEP, dbg.CONTINUE, dbg.READ_GPR,
                            dbg.WRITE_GPR, dbg.READ_MEMORY, dbg.WRITE_MEMORY,
                            dbg.CLEAR_GPRS, dbg.SET_PC):
                hart.command(command)
            self.assertEqual(hart.status(), 0)
            self.assertEqual(tile.output().count('trisc1, which is not '
                                                 'paused'), 8)
            hart.command(dbg.HALT | dbg.SET_PC)
            self.assertEqual(hart.status(), dbg.PAUSED)
            self.assertNotEqual(hart.pc(), 0)
            self.registers.hold('trisc1')
            hart.halt()
            self.assertEqual(hart.status(), 0)

    def test_a_command_needs_an_edge_of_the_trigger(self):
        with self.tile() as tile:
            hart, = self.load(tile, COUNTER, 'trisc1')
            hart.halt()
            hart.write(dbg.ARG0, 0x1234)
            hart.write(dbg.ARG1, 0x5678)
            select = dbg.TRIGGER | hart.select
            for cntl, found in ((select | dbg.ARG0, 0x1234),
                                (select | dbg.ARG1, 0x1234),
                                (0, 0x1234), (select | dbg.ARG1, 0x5678)):
                self.registers.write(dbg.CNTL_0, cntl)
                self.assertEqual(self.registers.read(dbg.STATUS_1), found)

    def test_what_is_no_command_keeps_its_value(self):
        """DR(1) reads back; DR(0) and DR(4) take no stores."""
        with self.tile() as tile:
            hart, = self.load(tile, COUNTER, 'trisc1')
            hart.command(0)
            self.assertEqual(hart.read(dbg.COMMAND), dbg.SLOW_MODE)
            hart.write(dbg.STATUS, 0xFF)
            hart.write(dbg.RESULT, 0xFF)
            self.assertEqual((hart.status(), hart.read(dbg.RESULT)), (0, 0))

    def test_soft_reset_clears(self):
        with self.tile() as tile:
            hart, = self.load(tile, COUNTER, 'trisc0')
            for keep in (0, 2):
                self.registers.write(dbg.DISABLE_RESET, keep)
                hart.halt()
                hart.watch(3, 'pc', LOOP)
                self.registers.hold('trisc0')
                self.assertEqual(hart.status(), 0)
                hart.write(dbg.ARG0, 7)
                self.assertEqual(
                    [hart.read(dr) for dr in
                     (dbg.ARG0, dbg.MODES, dbg.ADDRESS + 3)],
                    [7, 8 << 12, LOOP] if keep else [0, 0, 0])
                self.registers.release('trisc0')
                if keep:
                    self.assert_status(hart, dbg.PAUSED | dbg.PC_HIT |
                                       dbg.hit(3))

    @every_accelerator
    def test_guest_uses_it(self, accel):
        """BRISC halts TRISC1, writes its A2 and lets it continue."""
        other = 0x800
        steps = [(dbg.CNTL_1, dbg.SLOW_MODE | dbg.HALT), 'command', 'halted',
                 (dbg.CNTL_1, A2), dbg.ARG0, (dbg.CNTL_1, 0x55), dbg.ARG1,
                 (dbg.CNTL_1, dbg.SLOW_MODE | dbg.WRITE_GPR), 'command',
                 (dbg.CNTL_1, dbg.SLOW_MODE | dbg.CONTINUE), 'command']
        words = rv.li(A0, dbg.REGISTERS)
        trisc1 = 2 << 17

        def trigger(bits):
            return rv.li(A1, dbg.TRIGGER | trisc1 | bits) + \
                [rv.sw(A1, A0, dbg.CNTL_0), rv.sw(0, A0, dbg.CNTL_0)]
        for step in steps:
            if step == 'halted':
                poll = trigger(dbg.STATUS) + [rv.lw(A1, A0, dbg.STATUS_1)]
                words += poll + [rv.branch(0, A1, 0, -4 * len(poll))]
            elif step == 'command':
                words += trigger(1 << 16 | dbg.COMMAND)
            elif isinstance(step, int):
                words += trigger(1 << 16 | step)
            else:
                words += rv.li(A1, step[1]) + [rv.sw(A1, A0, step[0])]
        with self.tile(accel) as tile:
            tile.write(other, rv.code(rv.li(A0, DATA) + [rv.sw(A2, A0),
                                                         rv.jump(-4)]))
            tile.write(0, rv.code(words + rv.HALT))
            self.registers.release('brisc', 'trisc1', start=other)
            tile.wait_for_word(DATA, 0x55)


class Stops(Case):
    @every_accelerator
    def test_ebreak(self, accel):
        words = [rv.EBREAK, rv.NOP, rv.ECALL] + COUNTER
        with self.tile(accel) as tile:
            for hart in self.load(tile, words, *dbg.DEBUGGED):
                self.assert_status(hart, dbg.PAUSED | dbg.EBREAK_HIT)
                self.assertEqual(hart.pc(), 4)
                hart.cont()
                self.assert_status(hart, dbg.PAUSED | dbg.EBREAK_HIT)
                self.assertEqual(hart.pc(), 12)
                hart.step()
                self.assertEqual((hart.status(), hart.pc()),
                                 (dbg.PAUSED, 16))

    @every_accelerator
    def test_watchpoints(self, accel):
        """Each type, each number; the hart is after the instruction."""
        load, store = LOOP, LOOP + 8
        with self.tile(accel) as tile:
            hart, = self.load(tile, COUNTER, 'trisc2')
            hart.halt()
            for number in range(8):
                for kind, address, status, stops in (
                        ('pc', load, dbg.PC_HIT, [load + 4]),
                        ('read', DATA, dbg.MEMORY_HIT, [load + 4]),
                        ('write', DATA, dbg.MEMORY_HIT, [store + 4]),
                        ('access', DATA, dbg.MEMORY_HIT,
                         [load + 4, store + 4])):
                    hart.watch(number, kind, address)
                    before = tile.read32(DATA)
                    seen = set()
                    for _ in range(4):
                        hart.cont()
                        self.assert_status(hart, dbg.PAUSED | status |
                                           dbg.hit(number))
                        seen.add(hart.pc())
                    self.assertEqual(sorted(seen), stops)
                    self.assertLessEqual(tile.read32(DATA) - before, 4)
                    hart.watch(number, None, address)
                    self.assertEqual(hart.read(dbg.ADDRESS + number), address)

    def test_modes_that_are_none(self):
        with self.tile() as tile:
            hart, = self.load(tile, COUNTER, 'trisc2')
            hart.halt()
            hart.write(dbg.ADDRESS, LOOP)
            for mode in (0, 1, 2, 3, 4, 7, 12, 13, 15):
                hart.write(dbg.MODES, mode)
                hart.cont()
                before = tile.read32(DATA)
                tile.wait_for(lambda t, b=before: t.read32(DATA) - b > 2)
                self.assertEqual(hart.status(), 0)
                hart.halt()

    def test_two_at_one_place_and_one_of_another_hart(self):
        with self.tile() as tile:
            one, other = self.load(tile, COUNTER, 'trisc0', 'trisc1')
            one.halt()
            one.watch(0, 'pc', LOOP)
            one.watch(5, 'pc', LOOP)
            one.watch(6, 'read', DATA)
            other.halt()
            other.watch(1, 'write', 0xFFFFFFFF)
            other.cont()
            one.cont()
            status = one.wait()
            self.assertTrue(status & (dbg.hit(0) | dbg.hit(5) | dbg.hit(6)))
            self.assertEqual(one.pc(), LOOP + 4)
            self.assertEqual(other.status(), 0)

    @every_accelerator
    def test_step_meets_a_watchpoint(self, accel):
        with self.tile(accel) as tile:
            hart, = self.load(tile, [rv.EBREAK] + COUNTER, 'trisc1')
            hart.wait()
            hart.watch(2, 'pc', 8)
            hart.watch(3, 'write', DATA)
            for pc, status in ((8, 0), (12, dbg.PC_HIT | dbg.hit(2)), (16, 0),
                               (20, 0), (24, dbg.MEMORY_HIT | dbg.hit(3)),
                               (12, 0)):
                hart.step()
                self.assertEqual((hart.pc(), hart.status()),
                                 (pc, dbg.PAUSED | status))

    def test_watched_register(self):
        """A device: the store is made once."""
        words = rv.li(A0, 0xFFE80020 + 4) + [
            rv.sw(0, A0), rv.EBREAK] + rv.HALT
        with self.tile() as tile:
            tile.write32(APERTURE + 0x23000 + 8 + 4, 15)
            hart, = self.load(tile, [rv.EBREAK] + words, 'trisc0')
            hart.wait()
            hart.watch(0, 'write', 0xFFE80024)
            hart.cont()
            self.assert_status(hart, dbg.PAUSED | dbg.MEMORY_HIT | dbg.hit(0))
            self.assertEqual(tile.read32(APERTURE + 0x23000 + 8), 1)
            self.assertEqual(hart.pc(), 16)


class Together(Case):
    """With gdb, snapshots and an active kernel."""

    def gdb(self, tile, hart, commands):
        script = ['set architecture riscv:rv32',
                  f'target extended-remote {tile.gdb_socket}',
                  'add-inferior', 'inferior 2', f'attach {hart}']
        return gdb_prints(*each(script + commands))

    @unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
    def test_gdb_does_not_let_a_halted_hart_go(self):
        with self.tile(gdb=True) as tile:
            one, other = self.load(tile, COUNTER, 'trisc0', 'trisc1')
            one.halt()
            self.assertIn('the debug interface (halted) at '
                          f'{one.pc():#010x}', tile.hmp('info tensix why'))
            pc = one.pc()
            text = self.gdb(tile, 3, ['printf "pc=%x\\n", $pc',
                                      'monitor info tensix why', 'detach'])
            self.assertIn(f'pc={pc:x}', text)
            self.assertIn('the debug interface (halted)', text)
            wait_for_status(tile, 'running')
            self.assertEqual((one.status(), one.pc()), (dbg.PAUSED, pc))
            self.assertEqual(other.status(), 0)

    @unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
    def test_gdb_breakpoint_and_watchpoint_at_one_place(self):
        """gdb is notified before the instruction, then the interface."""
        with self.tile(gdb=True) as tile:
            hart, = self.load(tile, COUNTER, 'trisc1')
            hart.halt()
            hart.watch(0, 'pc', LOOP)
            hart.cont()
            hart.wait()
            text = self.gdb(tile, 4, [
                f'hbreak *{LOOP}', 'printf "pc=%x\\n", $pc', 'delete',
                'detach'])
            self.assertIn(f'pc={LOOP + 4:x}', text)
            wait_for_status(tile, 'running')
            hart.cont()
            self.assert_status(hart, dbg.PAUSED | dbg.PC_HIT | dbg.hit(0))

    @every_accelerator
    def test_snapshot_while_halted(self, accel):
        with self.tile(accel) as tile:
            hart, = self.load(tile, COUNTER, 'trisc1')
            hart.halt()
            hart.watch(4, 'write', DATA)
            hart.cont()
            hart.wait()
            hart.command(dbg.STEP)     # half of one
            hart.write(dbg.ARG0, 0x1357)
            wanted = hart.pc(), hart.gpr(A1), tile.read32(DATA)
            hart.write(dbg.ARG0, 0x1357)
            path = os.path.join(tile.folder, 'state')
            tile.qmp('migrate', uri=f'file:{path}')
            wait_for_status(tile, 'postmigrate')
            with open(path, 'rb') as file:
                state = file.read()
        self.resume(accel, state, wanted)

    def resume(self, accel, state, wanted):
        with tempfile.NamedTemporaryFile() as file:
            file.write(state)
            file.flush()
            self.finish(accel, file.name, wanted)

    def finish(self, accel, path, wanted):
        with Tile(accel=accel, extra=LOGS + ['-incoming', f'file:{path}']
                  ) as tile:
            wait_for_status(tile, 'running')
            hart = Hart(Registers(tile), 'trisc1')
            status = dbg.PAUSED | dbg.MEMORY_HIT | dbg.hit(4)
            self.assert_status(hart, status)
            self.assertEqual(hart.read(dbg.ARG0), 0x1357)
            self.assertEqual((hart.pc(), hart.gpr(A1), tile.read32(DATA)),
                             wanted)
            hart.command(dbg.STEP)     # the other half
            self.assertEqual((hart.status(), hart.pc()), (dbg.PAUSED, LOOP))
            hart.cont()
            self.assert_status(hart, status)
            self.assertEqual(tile.read32(DATA), wanted[2] + 1)

    def test_halts_in_a_matmul_change_nothing(self):
        chance = random.Random(1)
        a, b = ([[chance.randint(-3, 3) for _ in range(columns)]
                 for _ in range(rows)] for rows, columns in ((128, 4096),
                                                             (4096, 128)))
        wanted = matmul.Product(a, b).run('single', 60).packed
        product = Disturbed(a, b)
        for accel in ACCELERATORS:
            with self.subTest(accel):
                product.run(accel, 60)
                self.assertEqual(product.packed, wanted)
                self.assertGreater(len(product.stops), 5)


class Disturbed(matmul.Product):
    """A product whose harts are halted again and again; stops: pcs of TRISC1,
    which is halted at its entry first."""

    def load(self, tile):
        super().load(tile)
        with open(images('matmul')['trisc1'], 'rb') as file:
            entry, = struct.unpack_from('<I', file.read(), 24)
        registers = Registers(tile)
        registers.write(dbg.DISABLE_RESET, 1 << 3)
        Hart(registers, 'trisc1').watch(0, 'pc', entry)

    def wait(self, tile, end, progress):
        registers, self.stops = Registers(tile), []
        math = Hart(registers, 'trisc1')
        others = [Hart(registers, hart) for hart in ('trisc0', 'trisc2',
                                                     'brisc')]
        math.wait(dbg.PAUSED | dbg.PC_HIT)
        for turn in range(60):
            self.go_a_little(math)
            if tile.read32(matmul.FINISHED):
                break
            self.stops.append(math.pc())
            other = others[turn % 3]
            other.halt()
            if turn % 2:
                self.go_a_little(math)
            other.step()
            other.halt()
            other.cont()
        math.watch(0, None, 0)
        math.cont()
        super().wait(tile, end, progress)

    @staticmethod
    def go_a_little(math):
        """To where it is once more, if it comes there."""
        math.watch(0, 'pc', math.pc())
        math.cont()
        math.halt()


class Arrays(Case):
    ROWS = 4

    def row(self, array, row):
        words = []
        for pair in range(8):
            self.registers.write(dbg.ARRAY_RD_CMD,
                                 array << 16 | pair << 12 | row)
            words.append(self.registers.read(dbg.ARRAY_RD_DATA))
        return words

    def test_dest_and_srca(self):
        """SrcA by way of row 0 of Dest, which is saved and restored."""
        def sfp(opcode, column):
            return opcode << 24 | 3 << 20 | column
        with self.tile() as tile:
            self.registers.write(dbg.ARRAY_RD_EN, 1)
            for row in range(self.ROWS):
                tile.write8(APERTURE + 0x8000 + row, 1)
                for column in range(16):
                    value = 0x1000 * row + column
                    tile.write(APERTURE + 32 * row + 2 * column,
                               struct.pack('<H', value))
                    tile.write32(APERTURE + 0x10000 + 64 * row + 4 * column,
                                 (16 * row + column) << 11 | 0x80)
            for row in range(self.ROWS):
                self.assertEqual(
                    self.row(2, row),
                    [(0x1000 * row + 2 * n + 1) << 16 | 0x1000 * row + 2 * n
                     for n in range(8)])
            seen = []
            for row in range(self.ROWS):
                for word in (sfp(0x70, 0), sfp(0x70, 2), 0xA2 << 24 | 0x40 <<
                             15 | 0x4000, 0x09 << 24 | row << 17):
                    self.registers.push(2, word)
                seen.append(self.row(2, 0))
                for word in (sfp(0x72, 0), sfp(0x72, 2)):
                    self.registers.push(2, word)
            self.assertEqual(
                seen, [[(16 * row + 2 * n + 1) << 24 | (16 * row + 2 * n) << 8
                        | 0x800080 for n in range(8)]
                       for row in range(self.ROWS)])
            self.assertNotIn('unimplemented', tile.output())

    def test_what_cannot_be_read(self):
        """Reads 0, with the reason."""
        with self.tile() as tile:
            self.assertEqual(self.row(2, 0), [0] * 8)
            self.assertIn('DBG_ARRAY_RD_EN is 0', tile.output())
            self.registers.write(dbg.ARRAY_RD_EN, 1)
            for array, row, why in (
                    (0, 0, 'MOVDBGA2D copies its rows to Dest'),
                    (1, 3, 'which bits of a cell are shown is not public'),
                    (3, 0, 'exponents: not public'), (5, 0, 'no such array'),
                    (2, 1024, 'no such row, pair'), (2 | 8, 1, 'or bank of Dest')):
                self.assertEqual(self.row(array, row), [0] * 8)
                self.assertRegex(tile.output(), f'command 0x'
                                 f'{array << 16 | row:08x}: .*{why}')

    def test_registers_without_a_meaning_say_so(self):
        with self.tile() as tile:
            self.registers.read(0x94)
            self.registers.read(0x1C4)
            self.registers.write(0x1C0, 1)
            text = tile.output()
            for name in ('DBG_INVALID_INSTRN', 'BREAKPOINT_STATUS',
                         'BREAKPOINT_CTRL'):
                self.assertRegex(text, f'unimplemented.*{name}')


class Unaligned(Case):
    PATTERN = 0xEF, 0xBE, 0xAD, 0xDE

    def expected(self, offset, value, size):
        """Bytes of memory after a store of `size` bytes at `offset`."""
        memory = list(self.PATTERN * 24)
        datum = struct.pack('<I', value)
        for at in range(offset, offset + size):
            if at // 16 == offset // 16:
                memory[at] = datum[at % size]
        return bytes(memory)

    @every_accelerator
    def test_stores_to_l1(self, accel):
        """As tt-exalens' test_l1_mem_access.py has them from silicon."""
        value, base = 0x87654321, 0x20000
        with self.tile(accel) as tile:
            for size, funct3 in ((4, 2), (2, 1), (1, 0)):
                for offset in range(36):
                    words = rv.li(A0, base) + rv.li(A1, value) + [
                        rv.s_type(rv.STORE, funct3, A0, A1, offset),
                        rv.EBREAK] + rv.HALT
                    tile.write(base, bytes(self.PATTERN * 24))
                    hart, = self.load(tile, words, 'brisc')
                    hart.wait()
                    self.assertEqual(tile.read(base, 96),
                                     self.expected(offset, value, size),
                                     (size, offset))
            self.assertEqual(tile.output().count('unaligned store'),
                             36 * 3 // 4 + 36 // 2)

    @every_accelerator
    def test_loads_and_private_ram_are_riscv(self, accel):
        words = rv.li(A0, PRIVATE & ~15) + rv.li(A1, 0x87654321) + [
            rv.sw(A1, A0, 1), rv.lw(A2, A0, 1),
            rv.i_type(rv.LOAD, 1, 13, A0, 3), rv.i_type(rv.LOAD, 5, 14, A0, 3),
            rv.i_type(rv.LOAD, 2, 0, A0, 3), rv.EBREAK] + rv.HALT
        with self.tile(accel) as tile:
            hart, = self.load(tile, words, 'trisc1')
            hart.wait()
            self.assertEqual([hart.gpr(n) for n in (A2, 13, 14, 0)],
                             [0x87654321, 0xFFFF8765, 0x8765, 0])
            self.assertEqual(tile.output().count('unaligned'), 5)

    @every_accelerator
    def test_each_site_once(self, accel):
        words = rv.li(A0, DATA) + rv.li(A1, 100) + [
            rv.sw(A1, A0, 2), rv.lw(A2, A0, 2), rv.addi(A1, A1, -1),
            rv.branch(1, A1, 0, -12), rv.EBREAK] + rv.HALT
        with self.tile(accel) as tile:
            hart, = self.load(tile, words, 'trisc1')
            hart.wait()
            self.assertEqual(hart.gpr(A1), 0)
            self.assertEqual(tile.output().count('unaligned'), 2)
            self.assertRegex(tile.output(), 'non-contractual: TRISC1 at '
                             'pc 0x00000010: unaligned store of 4 bytes')

    def test_again_after_a_reset(self):
        """One of the machine, in which the hart does not leave soft reset."""
        words = rv.li(A0, DATA) + [rv.lw(A1, A0, 2)] + rv.HALT
        image = rv.elf({0: rv.code(words)}, 0)
        with self.tile(images={'trisc1': image}) as tile:
            for count in range(1, 4):
                tile.wait_for(lambda t, n=count: t.output().count(
                    'unaligned load') >= n, 20, 'its report')
                tile.qmp('system_reset')

    def test_watched(self):
        """A watchpoint on one byte of it."""
        with self.tile() as tile:
            hart, = self.load(tile, [rv.EBREAK] + rv.li(A0, DATA) + [
                rv.sw(A0, A0, 1)] + rv.HALT, 'trisc1')
            hart.wait()
            hart.watch(0, 'write', DATA + 2)
            hart.cont()
            self.assert_status(hart, dbg.PAUSED | dbg.MEMORY_HIT | dbg.hit(0))
            self.assertEqual(hart.pc(), 16)


if __name__ == '__main__':
    unittest.main()
