# SPDX-License-Identifier: GPL-2.0-or-later
"""What tt-triage reads of a board whose kernel hangs, when it has no data of
the program that started it: check_arc, device_telemetry, check_dram_health,
check_noc_locations, and the call stacks' part in the hardware.

Addresses and limits are those of tt-metal, tools/triage, and of tt-exalens,
ttexalens/hardware. Each case runs through the library and as client of a
running server.
"""

import contextlib
import os
import time
import unittest
import unittest.mock

import debug_client as dbg
import rv_asm as rv
import silicon
from debug_client import Hart, Registers
from host_client import Client
from silicon import Silicon
from test_board import Folder
from tile_library import BAR0, TILE, Chip, Options, Output

NIU = 0xFFB20000, 0xFFB30000
ARC_CSM, ARC_APB = BAR0 + 0x1FE80000, BAR0 + 0x1FF00000
RESET_UNIT, SCRATCH_0 = ARC_APB + 0x30000, ARC_APB + 0x30060
CSM = 0x10000000
ASIC_TEMPERATURE, BOARD_TEMPERATURE, ARCCLK, GDDR_SPEED = 11, 13, 16, 23
GDDR_TEMPERATURE, GDDR_CORRECTED, GDDR_UNCORRECTED = 42, 46, 50
BANKS_IN_A_WORD = 2

NEVER, MAILBOX = 0x8000, 0xFFEC0000   # neither is ever written
SEMWAIT = 0xA6 << 24 | 0x1FF << 15 | 1 << 2 | 1


def hung_kernel():
    """For each hart its words, and the offsets at which it waits."""
    wait = rv.li(rv.A0, NEVER) + [rv.lw(rv.A1, rv.A0),
                                  rv.branch(0, rv.A1, rv.ZERO, -4)]
    called = [rv.jump(8, rv.RA), rv.jump(0)] + wait
    mail = rv.li(rv.A0, MAILBOX) + [rv.lw(rv.A1, rv.A0), rv.jump(0)]
    fifo = [rv.ttinsn(SEMWAIT)] + [rv.ttinsn(0x02000000), rv.jump(-4)]
    return {'brisc': (called, (16, 20)), 'trisc0': (mail, (8,)),
            'trisc1': (fifo, (4, 8)), 'trisc2': (called, (16, 20))}


class View:
    """What Registers() needs, of a library's chip or a client."""

    def __init__(self, target):
        self.target = target

    def read32(self, address):
        return self.target.read32(address & 0xFFFFFFFF)

    def write32(self, address, value):
        self.target.write32(address & 0xFFFFFFFF, value)


class Cases:
    """self.reach(): a chip or a client, and Silicon() of it."""

    def load(self, target):
        """The kernel, running; where each hart begins."""
        registers, starts = Registers(View(target)), {}
        for index, (hart, (words, _)) in enumerate(hung_kernel().items()):
            starts[hart] = index * 0x1000
            target.write(starts[hart], rv.code(words))
            if index:
                registers.write(dbg.RESET_PC + 4 * (index - 1), starts[hart])
        registers.write(dbg.RESET_PC_OVERRIDE, 7)
        bits = sum(1 << dbg.RESET_BIT[hart] for hart in starts)
        held = target.read32(dbg.REGISTERS + 0x1B0)
        target.write32(dbg.REGISTERS + 0x1B0, held & ~bits)
        return registers, starts

    def check_stack(self, hart, registers, begin, places):
        """A halt has to be seen by the very next read of the status."""
        self.assertFalse(hart.status() & dbg.PAUSED)
        hart.halt()
        self.assertTrue(hart.status() & dbg.PAUSED, hart.name)
        self.assertIn(hart.pc() - begin, places, hart.name)
        self.assertEqual(registers.bus_pc(hart.name), hart.pc())
        returns = hart.gpr(rv.RA)
        hart.cont()
        self.assertFalse(hart.status() & dbg.PAUSED)
        return returns

    def test_call_stacks_of_a_hung_kernel(self):
        with self.reach() as (target, _):
            registers, starts = self.load(target)
            for name, (_, places) in hung_kernel().items():
                hart = Hart(registers, name)
                returns = self.check_stack(hart, registers, starts[name],
                                           places)
                if name in ('brisc', 'trisc2'):
                    self.assertEqual(returns, starts[name] + 4)

    def test_heart(self):
        """check_arc: code, clock, 5 to 50 beats a second."""
        with self.reach() as (_, chip):
            self.assertEqual(chip.postcode >> 16, 0xC0DE)
            self.assertGreater(chip.telemetry(ARCCLK), 0)
            beats, start = chip.telemetry(silicon.HEARTBEAT), time.monotonic()
            time.sleep(0.2)
            beats = chip.telemetry(silicon.HEARTBEAT) - beats
            seconds = time.monotonic() - start
            self.assertTrue(5 <= (beats + 1) / seconds and
                            beats / seconds <= 50, (beats, seconds))

    def test_memory_banks(self):
        """check_dram_health and device_telemetry: no tag is missing."""
        with self.reach() as (_, chip):
            enabled = chip.telemetry(silicon.GDDR)
            trained = chip.telemetry(silicon.GDDR_STATUS)
            self.assertEqual(chip.telemetry(GDDR_UNCORRECTED), 0)
            self.assertGreater(chip.telemetry(GDDR_SPEED), 0)
            for tag in ASIC_TEMPERATURE, BOARD_TEMPERATURE:
                self.assertTrue(10 < chip.telemetry(tag) / 65536 < 75)
            for bank in range(8):
                shift = bank % BANKS_IN_A_WORD * 16
                word = bank // BANKS_IN_A_WORD
                heat = chip.telemetry(GDDR_TEMPERATURE + word) >> shift
                errors = chip.telemetry(GDDR_CORRECTED + word) >> shift
                self.assertEqual(errors & 0xFFFF, 0)
                self.assertEqual(trained >> 2 * bank & 3, enabled >> bank & 1)
                self.assertEqual(heat & 0xFF > 0, bool(enabled >> bank & 1))

    def test_places(self):
        """check_noc_locations: NODE_ID of both NIUs of each tile."""
        with self.reach('tiles=2x2') as (target, _):
            for x, y in ((1, 2), (2, 2), (1, 3), (2, 3)):
                for niu, node in zip(NIU, ((x, y), (16 - x, 11 - y))):
                    word = target.read32(niu + silicon.NODE_ID, (x, y))
                    self.assertEqual((word & 63, word >> 6 & 63), node)


class Library(Cases, unittest.TestCase):
    @contextlib.contextmanager
    def reach(self, machine=''):
        options = f'-M {machine}' if machine else ''
        with Options(BLACKHOLE_TILE_OPTIONS=options), Output() as output, \
                Chip() as chip:
            yield chip, Silicon(
                lambda tile, address, size: chip.read(address, size, tile),
                lambda tile, address, data: chip.write(address, data, tile))
        # The descriptor beside the library lists one tile, not `machine`
        self.assertEqual(len(output.errors()), 1 if machine else 0)

    def test_arc_in_bar0(self):
        """Where tt-exalens reads the ARC tile of a local device."""
        with self.reach() as (chip, silicon_chip):
            def word(address):
                return int.from_bytes(chip.bar_read(address, 4), 'little')

            self.assertEqual(word(SCRATCH_0), silicon_chip.postcode)
            tags = word(RESET_UNIT + 0x400 + 4 * silicon.TAGS)
            self.assertEqual(word(ARC_CSM + tags - CSM), 1)
            chip.bar_write(ARC_CSM + 0x7FFFC, b'text')
            self.assertEqual(chip.read(CSM + 0x7FFFC, 4, silicon.ARC),
                             b'text')

    def test_arc_in_bar0_is_no_more_than_the_tile(self):
        with Output() as output, Chip() as chip:
            for address in ARC_APB, ARC_APB + 0xFFFFC, SCRATCH_0 + 2:
                self.assertEqual(chip.bar_read(address, 4), bytes(4))
        self.assertEqual(len(output.errors()), 3)


class Server(Cases, Folder):
    @contextlib.contextmanager
    def reach(self, machine=''):
        machine = 'sim-server=on' + (f',{machine}' if machine else '')
        with unittest.mock.patch.dict(os.environ, TMPDIR=self.folder):
            self.tile(machine=machine)
        client = Client.connect(os.path.join(
            self.folder, 'tt-umd-sim-server-0', 'tt-umd-sim-0.sock'))
        with contextlib.closing(client):
            yield client, Silicon(
                lambda tile, address, size: client.read(address, size, tile),
                lambda tile, address, data: client.write(address, data, tile))


if __name__ == '__main__':
    unittest.main()
