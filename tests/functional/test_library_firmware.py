# SPDX-License-Identifier: GPL-2.0-or-later
"""Firmware and kernels on it through libblackhole-tile.so, by its ABI alone.

The programs are test_package.py's, and the real ones of test_firmware.py if
BLACKHOLE_FIRMWARE and BLACKHOLE_KERNELS name their folders.
"""

import time
import unittest

import rv_asm as rv
import test_firmware
from blackhole_tile import SOFT_RESET, firmware
from blackhole_tile.memory_map import ALL_HELD, OTHER_TILES, RESET_BITS
from test_board import Folder
from test_firmware import FOLDER, KERNELS
from test_package import RESULT, kernel_of_ours, write_firmware
from tile_library import TILE, Chip, Options, Output

ACCELERATORS = {'single': None, 'multi': '-accel tcg,thread=multi',
                'icount': '-icount shift=0'}

# tt-llk's BRISC: a mailbox in L1, repeated in scratch registers of overlay
# streams for the host to poll: 24 bits, of stream 3 the counter of commands
COMMANDS, COUNTER = 0x1FFC4, 0x1FFCC
SCRATCH3 = 0xFFB40000 + 3 * 0x1000 + 4 * 36
READY = 0xB001CAFE


def commands():
    """BRISC's program: stores READY, then counts commands."""
    offset = rv.A3
    loop = [rv.i_type(rv.OP_IMM, 7, offset, rv.S0, 1),
            rv.i_type(rv.OP_IMM, 1, offset, offset, 2),
            rv.r_type(rv.OP, 0, 0, offset, offset, rv.A0),
            rv.lw(rv.T1, offset)]
    done = [rv.addi(rv.S0, rv.S0, 1), rv.sw(rv.ZERO, offset),
            rv.sw(rv.S0, rv.A1), rv.sw(rv.S0, rv.A2)]
    first = [*rv.li(rv.A0, COMMANDS), *rv.li(rv.A1, COUNTER),
             *rv.li(rv.A2, SCRATCH3), *rv.li(rv.T0, READY),
             *rv.li(rv.S0, 0), rv.sw(rv.T0, rv.A1), rv.sw(rv.T0, rv.A2)]
    back = -4 * (len(loop) + len(done) + 1)
    return rv.code([*first, *loop, rv.branch(0, rv.T1, rv.ZERO, -4 * len(loop)),
                    *done, rv.jump(back)])


class HostsTile:
    """What firmware.py wants of a Tile, as host software has it: DRAM by
    coordinates, L1 polled, registers through the NoC."""

    def __init__(self, chip):
        self.chip = chip

    @staticmethod
    def _place(address):
        """(address, coordinates) of an address of memory_map.py."""
        if address & OTHER_TILES:
            return (address & (1 << 36) - 1,
                    (address >> 36 & 0x3F, address >> 42 & 0x3F))
        return address, TILE

    def read(self, address, size):
        address, at = self._place(address)
        return self.chip.read(address, size, at)

    def write(self, address, data):
        address, at = self._place(address)
        self.chip.write(address, data, at)

    def read8(self, address):
        return self.read(address, 1)[0]

    def write8(self, address, value):
        self.write(address, bytes([value]))

    def read32(self, address):
        return self.chip.read32(address)

    def write32(self, address, value):
        self.chip.write32(address, value)

    def hold(self):
        self.write32(SOFT_RESET, ALL_HELD)

    def release(self, hart):
        self.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS[hart])

    def cont(self):
        """It runs."""

    def name_symbols(self, hart, path, offset=0):
        """A host knows nothing of these."""

    def wait_for(self, condition, seconds, what):
        """As tt-umd waits: a clock after each read."""
        end = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > end:
                raise AssertionError(f'{what}: not within {seconds} s')
            self.chip.clock()

    # --- as Tile has them ---

    def boot_firmware(self, folder):
        firmware.boot(self, folder)

    def launch(self, kernels, args, buffers=None):
        what = firmware.Launch(kernels, args, buffers)
        what.write(self)
        what.go(self)
        self.wait_for(firmware.finished, 60, 'the end of the kernel')

    def write_pages(self, base, data):
        firmware.write_pages(self, base, data)

    def read_pages(self, base, size):
        return firmware.read_pages(self, base, size)


class Ours(Folder):
    def test_boot_and_launch(self):
        write_firmware(self)
        with Output() as output, Chip() as chip:
            tile = HostsTile(chip)
            for _ in range(2):                # a warm boot, too
                tile.boot_firmware(self.folder)
                for a in (5, 70, 1 << 30):
                    tile.launch({'brisc': rv.code(kernel_of_ours())},
                                {'brisc': [a, 6]})
                    self.assertEqual(tile.read32(RESULT), a + 6)
        self.assertEqual(output.stdout() + output.stderr(), '')

    def test_commands(self):
        """As tt-llk's host: polls a stream's register, not L1."""
        with Output() as output, Chip() as chip:
            tile = HostsTile(chip)
            tile.hold()
            tile.write(0, commands())
            tile.write(COMMANDS, bytes(8))
            tile.write32(SCRATCH3, 0)
            tile.release('brisc')
            tile.wait_for(lambda tile: tile.read32(SCRATCH3) ==
                          READY & 0xFFFFFF, 30, 'ready')
            self.assertEqual(tile.read32(COUNTER), READY)
            for n in range(5):
                tile.write32(COMMANDS + 4 * (n & 1), 1)
                tile.wait_for(lambda tile, n=n: tile.read32(SCRATCH3) == n + 1,
                              30, f'command {n}')
                self.assertEqual(tile.read32(COUNTER), n + 1)
        self.assertEqual(output.stdout() + output.stderr(), '')

    def test_pages(self):
        data = bytes(range(256)) * 90
        with Chip() as chip:
            tile = HostsTile(chip)
            tile.write_pages(0x1000, data)
            self.assertEqual(tile.read_pages(0x1000, len(data)), data)
            # page 9 is in bank 2, behind one, by its untranslated endpoint
            self.assertEqual(chip.read(0x1000 + 2048, 2048, (0, 9)),
                             data[2048 * 9:][:2048])


@unittest.skipUnless(FOLDER and KERNELS,
                     'no firmware and kernel of others: give folders as '
                     'BLACKHOLE_FIRMWARE=DIR and BLACKHOLE_KERNELS=DIR (the head '
                     'of tests/functional/test_firmware.py says what is in them)')
class Add1(test_firmware.Add1):
    """Add1 again, through the library."""

    def run_all(self, accel):
        with Options(BLACKHOLE_TILE_OPTIONS=ACCELERATORS[accel]), \
                Output() as output, Chip() as chip:
            tile = HostsTile(chip)
            tile.boot_firmware(FOLDER)
            for tiles in (1, 2, 8, 64):
                with self.subTest(tiles=tiles):
                    self.run_on(tile, tiles)
        self.assertEqual(output.stdout() + output.stderr(), '')


if __name__ == '__main__':
    unittest.main()
