# SPDX-License-Identifier: GPL-2.0-or-later
"""Unmodified firmware of a p100a boots, and runs an unmodified kernel.

BLACKHOLE_FIRMWARE names a folder with brisc.elf, ncrisc.elf, trisc0.elf,
trisc1.elf, trisc2.elf of blackhole-py's riscv-firmware/p100a.

BLACKHOLE_KERNELS names a folder with one folder per program: add1_sfpu with
brisc.bin, ncrisc.bin, trisc0.bin, trisc1.bin and trisc2.bin, the text sections
of that example's kernels as bytes (tenstorrent-docs' disasms/
add1_sfpu_single_file lists their words).

Without the first every test here is skipped, without the second those that
launch kernels.
"""

import os
import struct
import time
import unittest

from blackhole_tile import (APERTURE_SEMAPHORES, HARTS, L1_SIZE, SOFT_RESET,
                            Buffer)
from blackhole_tile.testing import Tile

FOLDER = os.environ.get('BLACKHOLE_FIRMWARE')
KERNELS = os.environ.get('BLACKHOLE_KERNELS')
SECONDS = 2.0

JUMP_TO_BRISC = 0x0410306F      # at 0: BRISC starts there
STAGED_DATA = (0x82B0, 0xA2B0)  # first .data words of BRISC and NCRISC
SUBORDINATE_SYNC = 0x68
DATA_WORD = 0x68                # what the staged .data words are
GO_WORD, GO_BYTE, GO_INIT = 0x370, 0x373, 0x40000000
GO_INDEX, PRELOAD_BYTE = 0x3A0, 0xCF
ALL_HELD, BRISC_RUNS, ALL_RUN = 0x47800, 0x47000, 0
ZEROED = range(0x3240, 0x3440, 4)
CHANGED = {0x60, 0x68, 0x6C, GO_WORD, *ZEROED}
SEMAPHORES = (1, 2, 7)
# fills L1 where the firmware does not care: no byte has its bit 7 set, which
# would be a launch message in PRELOAD_BYTE
FILLER = 0x5A

CB_OUT = 16                     # number of the second circular buffer
CB_IN_ADDRESS, CB_OUT_ADDRESS, CB_SIZE = 0x37000, 0x39000, 0x1000
SOURCE, RESULT = 0x10000, 0x40000   # of every bank
BF16_ONE = 0x3F800000
SHUFFLE = 40503                 # odd: visits every 16-bit pattern once


def elf_path(hart):
    return os.path.join(FOLDER, f'{hart}.elf')


def l1_segments(path):
    """(address, bytes) of what an ELF loads into L1."""
    with open(path, 'rb') as file:
        elf = file.read()
    offset, = struct.unpack_from('<I', elf, 28)
    size, count = struct.unpack_from('<HH', elf, 42)
    for i in range(count):
        kind, start, _, address, length = struct.unpack_from(
            '<5I', elf, offset + i * size)
        if kind == 1 and address < L1_SIZE:
            yield address, elf[start:start + length]


def boot_words():
    words = {0: JUMP_TO_BRISC, GO_WORD: GO_INIT}
    words.update(dict.fromkeys(STAGED_DATA, DATA_WORD))
    return words


def changed_words(before, after):
    return {i for i in range(0, len(before), 4)
            if before[i:i + 4] != after[i:i + 4]}


@unittest.skipUnless(FOLDER, 'no firmware of others: give a folder with '
                     "brisc.elf to trisc2.elf of blackhole-py's riscv-firmware/"
                     'p100a as BLACKHOLE_FIRMWARE=DIR')
class Boot(unittest.TestCase):
    def wait_until_booted(self, tile):
        def settled(tile):
            return (tile.read8(GO_BYTE) == 0 and
                    tile.read32(SUBORDINATE_SYNC) == 0)

        start = time.monotonic()
        tile.wait_for(settled, 30, 'boot')
        # BRISC still asks TRISC0 to clear the streams
        time.sleep(0.05)
        tile.wait_for(settled, 30, 'boot')
        self.assertLess(time.monotonic() - start, SECONDS)

    def check_end(self, tile, before, changed):
        self.assertEqual(tile.read32(SOFT_RESET), ALL_RUN)
        for address in (0x60, 0x68, 0x6C, GO_WORD):
            self.assertEqual(tile.read32(address), 0, hex(address))
        after = tile.l1()
        self.assertEqual(sorted(map(hex, changed_words(before, after))),
                         sorted(map(hex, changed)))
        for address in ZEROED:
            self.assertEqual(after[address:address + 4], bytes(4))
        for i in SEMAPHORES:
            value, limit = struct.unpack('<2I', tile.read(
                APERTURE_SEMAPHORES + 8 * i, 8))
            self.assertEqual((value, limit), (0, 1), f'semaphore {i}')

    def boot_by_options(self, accel):
        """Images by machine options, the host's words by -device loader."""
        elfs = {hart: elf_path(hart) for hart in HARTS}
        with Tile(images=elfs, accel=accel, words=boot_words(), stopped=True,
                  extra=['-d', 'guest_errors,unimp']) as tile:
            before = tile.l1()
            tile.qmp('cont')
            self.wait_until_booted(tile)
            # L1 is zero at power-on, so this is all that can be seen
            self.check_end(tile, before, {GO_WORD})
            self.assertEqual(tile.output(), '')

    def load(self, tile):
        """What a host writes into a tile that it holds in reset."""
        tile.write(0, bytes([FILLER]) * L1_SIZE)
        tile.write32(GO_INDEX, 0)
        for hart in HARTS:
            for address, data in l1_segments(elf_path(hart)):
                tile.write(address, data)
        for address, value in boot_words().items():
            tile.write32(address, value)

    def boot_as_a_host_does(self, accel):
        """Everything through memory writes, and twice: a warm boot too."""
        with Tile(accel=accel) as tile:
            self.assertEqual(tile.read32(SOFT_RESET), ALL_HELD)
            for _ in range(2):
                tile.write32(SOFT_RESET, ALL_HELD)
                self.load(tile)
                before = tile.l1()
                tile.write32(SOFT_RESET, BRISC_RUNS)
                self.wait_until_booted(tile)
                self.check_end(tile, before, CHANGED)

    def test_options_single(self):
        self.boot_by_options('single')

    def test_options_multi(self):
        self.boot_by_options('multi')

    def test_options_icount(self):
        self.boot_by_options('icount')

    def test_host_single(self):
        self.boot_as_a_host_does('single')

    def test_host_multi(self):
        self.boot_as_a_host_does('multi')

    def test_host_icount(self):
        self.boot_as_a_host_does('icount')


def values(count):
    """bf16 patterns; 64 tiles hold all of them."""
    return [n * SHUFFLE & 0xFFFF for n in range(count)]


def bf16_plus_one(pattern):
    """The kernel's result: fp32(x + 1), cut to 16 bits."""
    exponent, mantissa = pattern >> 7 & 0xFF, pattern & 0x7F
    if exponent == 0xFF:
        return 0x7F80 if mantissa else pattern
    if exponent == 0:
        return BF16_ONE >> 16
    x, = struct.unpack('<f', struct.pack('<I', pattern << 16))
    bits, = struct.unpack('<I', struct.pack('<f', x + 1.0))
    return bits >> 16


def kernels():
    return {hart: os.path.join(KERNELS, 'add1_sfpu', f'{hart}.bin')
            for hart in HARTS}


@unittest.skipUnless(FOLDER and KERNELS,
                     'no firmware and kernel of others: give folders as '
                     'BLACKHOLE_FIRMWARE=DIR and BLACKHOLE_KERNELS=DIR (the head '
                     'of tests/functional/test_firmware.py says what is in them)')
class Add1(unittest.TestCase):
    """The add1_sfpu program on all five harts, from and to DRAM."""

    def run_on(self, tile, tiles):
        data = struct.pack(f'<{1024 * tiles}H', *values(1024 * tiles))
        compute = [tiles, BF16_ONE]
        tile.write_pages(SOURCE, data)
        tile.launch(kernels(), {
            'brisc': [RESULT, tiles], 'ncrisc': [SOURCE, tiles],
            'trisc0': compute, 'trisc1': compute, 'trisc2': compute}, {
                0: Buffer(CB_IN_ADDRESS, CB_SIZE),
                CB_OUT: Buffer(CB_OUT_ADDRESS, CB_SIZE)})
        self.check(data, tile.read_pages(RESULT, len(data)))

    def check(self, data, result):
        wrong = [f'{x:04x}: {y:04x} instead of {bf16_plus_one(x):04x}'
                 for (x,), (y,) in zip(struct.iter_unpack('<H', data),
                                       struct.iter_unpack('<H', result))
                 if y != bf16_plus_one(x)]
        self.assertFalse(wrong, f'{len(wrong)} wrong: {wrong[:8]}')

    def run_all(self, accel):
        """One boot, then one launch after the other."""
        with Tile(accel=accel, stopped=True, report=True) as tile:
            tile.boot_firmware(FOLDER)
            for tiles in (1, 2, 8, 64):
                with self.subTest(tiles=tiles):
                    self.run_on(tile, tiles)
            self.assertEqual(tile.output(), '')

    def test_single(self):
        self.run_all('single')

    def test_multi(self):
        self.run_all('multi')

    def test_icount(self):
        self.run_all('icount')


if __name__ == '__main__':
    unittest.main()
