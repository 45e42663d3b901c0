# SPDX-License-Identifier: GPL-2.0-or-later
"""libblackhole-tile.so by its ABI: windows, accesses, harts, DMA, errors."""

import array
import ctypes
import fcntl
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

import rv_asm as rv
from blackhole_tile import L1_SIZE, SOFT_RESET
from blackhole_tile.testing import BUILD, QEMU
from rv_asm import A0, A1, T0
from spin import MAILBOX
from test_noc import (CMD, CTRL, LEN, READ, RET_HI, RET_LO, RET_MID, TARG_HI,
                      TARG_LO, TARG_MID, WRITE, WR_ACK)
from tile_library import (BAR0, BAR2, BAR4, FIRST_4G, IATU, LIBRARY, SIZE_2M,
                          SYMBOLS, TILE, TLB_REGISTERS, TLB_STRIDES, Chip,
                          Options, Output, children, load, wait_until, window_words)

DRAM = (0, 0)
OTHER_TENSIX = (3, 4)
NO_DEVICE = 0xFFFFFFFF
ALL_HELD = 0x47800
BRISC, TRISC0 = 1 << 11, 1 << 12
TRISC0_RESET_PC = 0x6000
TT_NOP = 2 << 24
NIU = 0xFFB20000
PCIE = 0 << 6 | 2                       # tile (2,0)
OWN = TILE[1] << 6 | TILE[0]
THROUGH_IATU = 4 << 58                  # of addresses at the PCI Express tile


def word(value):
    return struct.pack('<I', value)


class Symbols(unittest.TestCase):
    def test_nothing_else_is_exported(self):
        out = subprocess.run(['nm', '-D', '--defined-only', LIBRARY],
                             check=True, text=True, stdout=subprocess.PIPE)
        self.assertEqual({line.split()[-1] for line in
                          out.stdout.splitlines()}, set(SYMBOLS))

    def test_it_needs_libc_alone(self):
        out = subprocess.run(['objdump', '-p', LIBRARY], check=True, text=True,
                             stdout=subprocess.PIPE)
        self.assertEqual(set(re.findall(r'NEEDED\s+(\S+)', out.stdout)),
                         {'libc.so.6'})


class OneChip(unittest.TestCase):
    """A chip for all tests of the class, with L1 as it was left."""

    @classmethod
    def setUpClass(cls):
        cls.chip = Chip()

    @classmethod
    def tearDownClass(cls):
        cls.chip.library.libttsim_exit()

    def errors_of(self, action):
        with Output() as output:
            action()
        return output.errors()


class ConfigurationSpace(OneChip):
    def test_device_and_bars(self):
        read = self.chip.config
        self.assertEqual(read(0), 0xB1401E52)
        for offset, bar in ((0x10, BAR0), (0x18, BAR2), (0x20, BAR4)):
            self.assertEqual(read(offset + 4) << 32 | read(offset), bar | 4)

    def test_an_enumeration_ends(self):
        self.assertEqual(self.chip.config(0, device=1), NO_DEVICE)

    def test_sizes_of_bars(self):
        write = self.chip.library.libttsim_pci_config_wr32
        for offset, size in ((0x10, 512 << 20), (0x18, 1 << 20),
                             (0x20, 32 << 30)):
            before = [self.chip.config(offset + n) for n in (0, 4)]
            for n in (0, 4):
                write(0, offset + n, NO_DEVICE)
            mask = self.chip.config(offset + 4) << 32 | \
                self.chip.config(offset) & ~15
            for n in (0, 4):
                write(0, offset + n, before[n // 4])
            self.assertEqual(2 ** 64 - mask, size)

    def test_wrong_offsets(self):
        for offset in (2, 0x40):
            errors = self.errors_of(lambda o=offset: self.assertEqual(
                self.chip.config(o), 0))
            self.assertEqual(errors[0][1], 'libttsim_pci_config_rd32')


class Windows(OneChip):
    def test_each_window(self):
        data = os.urandom(16)
        for index in range(FIRST_4G + 8):
            address = 16 * index
            tile = DRAM if index % 3 else TILE
            at = self.chip.set_window(index, address, tile)
            self.chip.bar_write(at, data[:8] + word(index) + data[12:])
            self.assertEqual(self.chip.read(address, 16, tile),
                             data[:8] + word(index) + data[12:], index)
            self.assertEqual(self.chip.bar_read(at + 8, 4), word(index))

    def test_high_addresses(self):
        for index in (7, FIRST_4G + 7):
            for address in (0x3_1234_5678, 0xF_FFFF_FFF0):
                at = self.chip.set_window(index, address, OTHER_TENSIX)
                self.chip.bar_write(at, word(index))
                self.assertEqual(self.chip.read32(address, OTHER_TENSIX),
                                 index)

    def test_registers_are_read_back(self):
        words = window_words(SIZE_2M, 0x12345600000, (5, 6), (3, 4), True)
        self.chip.set_window(9, 0x12345600000, (5, 6), start=(3, 4),
                             multicast=True)
        self.assertEqual(self.chip.bar_read(TLB_REGISTERS + 108, 12), words)
        self.chip.bar_write(TLB_REGISTERS + 108 + 5, b'\xAA\xBB')
        self.assertEqual(self.chip.bar_read(TLB_REGISTERS + 108, 12),
                         words[:5] + b'\xAA\xBB' + words[7:])

    def test_other_noc_and_order(self):
        self.chip.write32(0x500, 77)
        for noc in (0, 1):
            for ordering in (0, 1, 2):
                at = self.chip.set_window(11, 0x500, noc=noc,
                                          ordering=ordering)
                self.assertEqual(self.chip.bar_read(at, 4), word(77))

    def test_every_size_and_alignment(self):
        at = self.chip.set_window(0, 0)
        for size in range(1, 20):
            for offset in range(16):
                data = os.urandom(size)
                self.chip.bar_write(at + 0x8000 + offset, data)
                self.assertEqual(self.chip.bar_read(at + 0x8000 + offset, size),
                                 data)
                self.assertEqual(self.chip.read(0x8000 + offset, size), data)
        self.chip.bar_read(at, 0)

    def test_across_windows(self):
        first = self.chip.set_window(20, 0, DRAM)
        self.chip.set_window(21, 4 * SIZE_2M, DRAM)
        data = os.urandom(64)
        self.chip.bar_write(first + SIZE_2M - 32, data)
        self.assertEqual(self.chip.bar_read(first + SIZE_2M - 32, 64), data)
        self.assertEqual(self.chip.read(SIZE_2M - 32, 32, DRAM), data[:32])
        self.assertEqual(self.chip.read(4 * SIZE_2M, 32, DRAM), data[32:])

    def test_from_windows_into_registers(self):
        """Nothing is between the two: zeroes, once an error."""
        end = BAR0 + FIRST_4G * SIZE_2M
        self.chip.set_window(FIRST_4G - 1, 0, DRAM)
        self.chip.write(SIZE_2M - 8, b'\x11' * 8, DRAM)
        with Output() as output:
            self.assertEqual(self.chip.bar_read(end - 8, 16),
                             b'\x11' * 8 + bytes(8))
        self.assertEqual(len(output.errors()), 1)

    def test_large_blocks(self):
        data = os.urandom(9 << 20)
        at = self.chip.set_window(FIRST_4G, 0x1000_0003, DRAM)
        self.chip.bar_write(at, data)
        self.assertEqual(self.chip.bar_read(at, len(data)), data)


class Multicast(OneChip):
    def fill(self, start, end, address, value):
        at = self.chip.set_window(30, address, end, start=start,
                                  multicast=True)
        self.chip.bar_write(at, word(value))
        return at

    def test_each_tensix_of_the_rectangle(self):
        self.fill((0, 1), (10, 4), 0x3000, 0x600D)
        with Output():             # where no tile is, says the emulator
            got = {(x, y): self.chip.read32(0x3000, (x, y))
                   for x in range(12) for y in range(6)}
        self.assertEqual(set(got.values()), {0, 0x600D})
        self.assertEqual({at for at, value in got.items() if value},
                         {(x, y) for x in (1, 2, 3, 4, 5, 6, 7, 10)
                          for y in (2, 3, 4)})

    def test_one_tile(self):
        self.fill(TILE, TILE, 0x3004, 5)
        self.assertEqual(self.chip.read32(0x3004), 5)
        self.assertEqual(self.chip.read32(0x3004, (2, 2)), 0)

    def test_read(self):
        at = self.fill(TILE, TILE, 0x3008, 6)
        with Output() as output:
            self.assertEqual(self.chip.bar_read(at, 4), bytes(4))
        self.assertIn('multicast read', output.errors()[0][2])

    def test_backwards(self):
        errors = self.errors_of(lambda: self.fill((5, 5), TILE, 0x300C, 7))
        self.assertIn('past end', errors[0][2])
        self.assertEqual(self.chip.read32(0x300C), 0)

    def test_strides(self):
        self.chip.bar_write(TLB_STRIDES + 4 * 30, word(0x11))
        errors = self.errors_of(lambda: self.fill(TILE, TILE, 0x3010, 8))
        self.chip.bar_write(TLB_STRIDES + 4 * 30, word(0))
        self.assertEqual(errors[0][0], 'UnimplementedFunctionality')
        self.assertEqual(self.chip.read32(0x3010), 8)


class RandomAccesses(OneChip):
    """100,000 against a model: L1 and two other tiles, by windows and not."""

    COUNT = 100_000
    PLACES = {TILE: L1_SIZE, DRAM: 1 << 20, OTHER_TENSIX: 1 << 16}

    def test_model(self):
        chance = random.Random(20261122)
        at, model = {}, {}
        for index, (tile, size) in enumerate(self.PLACES.items()):
            at[tile] = (self.chip.set_window(40 + index, 0, tile),
                        self.chip.set_window(FIRST_4G + index, 0, tile))
            self.chip.write(0, bytes(size), tile)
            model[tile] = bytearray(size)
        for count in range(self.COUNT):
            tile = chance.choice((TILE, TILE, DRAM, OTHER_TENSIX))
            size = 4 if chance.random() < .7 else chance.randrange(1, 200)
            address = chance.randrange(len(model[tile]) - size)
            way = chance.randrange(3)
            if chance.random() < .4:
                data = chance.randbytes(size)
                model[tile][address:address + size] = data
                if way == 2:
                    self.chip.write(address, data, tile)
                else:
                    self.chip.bar_write(at[tile][way] + address, data)
                continue
            data = self.chip.read(address, size, tile) if way == 2 else \
                self.chip.bar_read(at[tile][way] + address, size)
            self.assertEqual(data, model[tile][address:address + size], count)


class BadAddresses(OneChip):
    def check(self, action, *wanted):
        errors = self.errors_of(action)
        self.assertEqual(len(errors), 1, errors)
        for part, pattern in zip(errors[0], wanted):
            self.assertRegex(part, pattern)
        self.assertEqual(self.errors_of(action), [])      # once a site
        self.assertEqual(self.chip.config(0), 0xB1401E52)  # it continues

    def test_below_and_above_the_bars(self):
        for address in (0, BAR0 - 4, BAR0 + 0x1FE7FFFC, BAR2, BAR2 + 0x3000,
                        BAR4 + (32 << 30), 2 ** 64 - 4):
            self.check(lambda a=address: self.assertEqual(
                self.chip.bar_read(a, 4), bytes(4)),
                'Unimplemented', 'libttsim_pci_mem_rd_bytes', 'nothing there')
            self.check(lambda a=address: self.chip.bar_write(a, word(1)),
                       'Unimplemented', 'libttsim_pci_mem_wr_bytes')

    def test_in_the_tile(self):
        for address in (L1_SIZE, 0x8000_0000, 0xFFC0_0000, 1 << 40):
            self.check(lambda a=address: self.assertEqual(
                self.chip.read(a, 4), bytes(4)),
                'UndefinedBehavior', 'libttsim_tile_rd_bytes')
            self.check(lambda a=address: self.chip.write(a, word(1)),
                       'UndefinedBehavior', 'libttsim_tile_wr_bytes')

    def test_over_the_end_of_l1(self):
        self.check(lambda: self.assertEqual(
            self.chip.read(L1_SIZE - 2, 4), bytes(4)), 'UndefinedBehavior')


class Harts(OneChip):
    CODE, COUNTER = 0, 0x10000

    def count_up(self):
        """BRISC increments a word of L1 for ever."""
        loop = [rv.addi(A1, A1, 1), rv.sw(A1, A0), rv.jump(-8)]
        self.chip.write32(SOFT_RESET, ALL_HELD)
        self.chip.write32(self.COUNTER, 0)
        self.chip.write(self.CODE, rv.code(
            rv.li(A0, self.COUNTER) + [rv.addi(A1, 0, 0)] + loop))
        self.chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)

    def tearDown(self):
        self.chip.write32(SOFT_RESET, ALL_HELD)

    def test_reset_is_read_back(self):
        self.chip.write32(SOFT_RESET, ALL_HELD)
        self.assertEqual(self.chip.read32(SOFT_RESET) & ALL_HELD, ALL_HELD)

    def test_polled_words_change(self):
        self.count_up()
        self.assertTrue(wait_until(
            lambda: self.chip.read32(self.COUNTER) > 1000))

    def test_clock(self):
        """3 instructions an increment; 300,000 are 100,000 at least."""
        self.count_up()
        before = self.chip.read32(self.COUNTER)
        self.chip.clock(300_000)
        self.assertGreaterEqual(self.chip.read32(self.COUNTER) - before,
                                99_998)

    def test_single_clocks_add_up(self):
        self.count_up()
        before = self.chip.read32(self.COUNTER)
        for _ in range(1000):
            self.chip.clock(1)
        self.assertGreaterEqual(self.chip.read32(self.COUNTER) - before, 300)

    def test_released_harts_have_begun(self):
        """What the host writes next, start-up code does not overwrite: the
        first instruction is over when the release is."""
        place = 0x400                   # within reach of x0
        self.chip.write32(SOFT_RESET, ALL_HELD)
        self.chip.write(self.CODE, rv.code([rv.sw(0, 0, place)] + rv.HALT))
        for count in range(20):
            self.chip.write32(SOFT_RESET, ALL_HELD)
            self.chip.write32(place, 7)
            self.chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)
            self.assertEqual(self.chip.read32(place), 0, count)

    def test_code_that_the_host_replaces(self):
        """Writes go to the emulator, which discards what it translated."""
        for value in range(1, 30):
            code = rv.li(A0, self.COUNTER) + rv.li(A1, value) + \
                [rv.sw(A1, A0)] + rv.HALT
            self.chip.write32(SOFT_RESET, ALL_HELD)
            self.chip.write(self.CODE, rv.code(code))
            self.chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)
            self.assertTrue(wait_until(
                lambda v=value: self.chip.read32(self.COUNTER) == v), value)


class Dma(unittest.TestCase):
    """The NIU, programmed by the host, reads the host's memory."""

    def setUp(self):
        self.host, self.asked = bytearray(1 << 20), []
        self.chip = Chip(lambda *args: self.read(*args),
                         lambda *args: self.write(*args))
        self.addCleanup(self.chip.library.libttsim_exit)

    def read(self, address, size):
        self.asked.append(('read', address, size))
        return bytes(self.host[address:address + size])

    def write(self, address, data):
        self.asked.append(('write', address, len(data)))
        self.host[address:address + len(data)] = data

    def request(self, ctrl, source, target, size):
        """source and target: (tile, address)"""
        for offset, value in (
                (TARG_LO, source[1] & NO_DEVICE), (TARG_MID, source[1] >> 32),
                (TARG_HI, source[0]), (RET_LO, target[1] & NO_DEVICE),
                (RET_MID, target[1] >> 32), (RET_HI, target[0]),
                (CTRL, ctrl), (LEN, size), (CMD, 1)):
            self.chip.write32(NIU + offset, value)

    def set_region(self, region, base, limit, target, enable=True):
        for offset, value in ((4, 0), (0, 0), (8, base), (0xC, base >> 32),
                              (0x10, limit), (0x14, target),
                              (0x18, target >> 32), (4, enable << 31)):
            self.chip.bar_write(IATU + 0x200 * region + offset,
                                word(value & NO_DEVICE))

    def test_device_reads(self):
        self.host[0x100:0x140] = data = os.urandom(64)
        self.request(READ, (PCIE, 0x100), (OWN, 0x2000), 64)
        self.assertTrue(wait_until(
            lambda: self.chip.read(0x2000, 64) == data), self.asked)

    def test_polling_l1_serves(self):
        """No other call is made; the fast path has to poll now and then."""
        self.host[0] = 99
        self.request(READ, (PCIE, 0), (OWN, 0x2100), 16)
        at = self.chip.set_window(0, 0x2100)
        self.assertTrue(wait_until(
            lambda: self.chip.bar_read(at, 1) == b'\x63'))

    @staticmethod
    def unread():
        """The most bytes that wait in one of this process's sockets."""
        most = 0
        for name in os.listdir('/proc/self/fd'):
            size = array.array('i', [0])
            try:
                if os.readlink('/proc/self/fd/' + name).startswith('socket:'):
                    fcntl.ioctl(int(name), termios.FIONREAD, size)
            except OSError:
                pass
            most = max(most, size[0])
        return most

    def test_polling_a_register_serves(self):
        """Answers that arrive at once leave no wait in which to serve."""
        self.request(READ, (PCIE, 0), (OWN, 0x2100), 16)
        self.assertTrue(wait_until(lambda: self.asked or self.unread() > 32))
        for _ in range(16):
            self.chip.read32(SOFT_RESET)
        self.assertTrue(self.asked)

    def test_device_writes(self):
        data = os.urandom(4096)
        self.chip.write(0x4000, data)
        acks = self.chip.read32(NIU + WR_ACK)
        self.request(WRITE, (OWN, 0x4000), (PCIE, 0x8000), len(data))
        self.assertTrue(wait_until(
            lambda: self.chip.read32(NIU + WR_ACK) > acks))
        self.assertEqual(self.host[0x8000:0x9000], data)

    def test_translation(self):
        """Regions of 256 bytes each, in another order in the host's memory."""
        self.set_region(0, 0x1000, 0x10FF, 0x3000)
        self.set_region(1, 0x1100, 0x11FF, 0x2000)
        self.set_region(2, 0x1200, 0x12FF, 0x7000, enable=False)
        data = os.urandom(0x400)
        self.chip.write(0x4000, data)
        self.request(WRITE, (OWN, 0x4000), (PCIE, THROUGH_IATU | 0x1000),
                     len(data))
        self.assertTrue(wait_until(
            lambda: self.chip.read32(NIU + WR_ACK) and
            bytes(self.host[0x13C0:0x1400]) == data[0x3C0:]), self.asked)
        self.assertEqual(self.host[0x3000:0x3100], data[:0x100])
        self.assertEqual(self.host[0x2000:0x2100], data[0x100:0x200])
        self.assertEqual(self.host[0x1200:0x1400], data[0x200:])
        self.assertEqual(bytes(self.host[0x1000:0x1200]), bytes(0x200))

    def test_host_reaches_its_own_memory(self):
        """By a window that leads to the PCI Express tile, on either NoC."""
        self.set_region(0, 0x1000, 0x10FF, 0x3000)
        for n, (tile, noc) in enumerate((((19, 24), 0), ((19, 24), 1),
                                         ((2, 0), 0), ((14, 0), 1))):
            at = self.chip.set_window(3, THROUGH_IATU | 0x1000, tile, noc=noc)
            self.chip.bar_write(at + 4, word(n + 1))
            self.assertEqual(self.host[0x3004:0x3008], word(n + 1))
            self.host[0x3008] = n + 5
            self.assertEqual(self.chip.bar_read(at + 8, 1), bytes([n + 5]))
        at = self.chip.set_window(3, 63 << 58, (19, 24))
        data = ctypes.create_string_buffer(b'\xFF' * 4, 4)
        with Output() as output:
            self.chip.library.libttsim_pci_mem_rd_bytes(at, data, 4)
        self.assertEqual(data.raw, bytes(4))
        self.assertIn('beyond the windows', output.errors()[0][2])

    def test_beyond_the_windows(self):
        with Output() as output:
            self.request(READ, (PCIE, 63 << 58), (OWN, 0x2000), 16)
            self.assertTrue(wait_until(
                lambda: [self.chip.clock(64)] and output.errors()))
        self.assertIn('beyond the windows', output.errors()[0][2])
        self.assertEqual(self.asked, [])

    def test_callback_that_forks(self):
        """Parent and child continue the call, the child without a machine."""
        back, there = os.pipe()
        pids = []

        def fork(_, data):
            pids.append(os.fork())

        self.write = fork
        with Output() as output:
            self.request(WRITE, (OWN, 0), (PCIE, 0), 16)
            self.assertTrue(wait_until(lambda: [self.chip.clock(64)] and pids))
            if pids == [0]:
                try:
                    os.write(there, self.chip.read(0x40, 4))
                    os.write(there, struct.pack('<I', self.chip.config(0)))
                finally:
                    os._exit(0)
            os.close(there)
            with os.fdopen(back, 'rb') as file:
                self.assertEqual(file.read(), struct.pack('<II', 0, NO_DEVICE))
            os.waitpid(pids[0], 0)
        self.assertEqual([error[2] for error in output.errors()],
                         ['this process was forked by a DMA callback, and '
                          'continues with the call: it has no machine'])
        self.assertEqual(self.chip.config(0), 0xB1401E52)
        self.chip.write32(0x40, 9)
        self.assertEqual(self.chip.read32(0x40), 9)

    def test_callback_that_calls(self):
        """It would wait for itself: an error instead."""
        seen = []
        self.write = lambda address, data: seen.append(self.chip.config(0))
        with Output() as output:
            self.request(WRITE, (OWN, 0), (PCIE, 0), 16)
            self.assertTrue(wait_until(lambda: [self.chip.clock(64)] and seen))
        self.assertEqual(seen, [NO_DEVICE])
        self.assertIn('DMA callback', output.errors()[0][2])


class NoCallback(unittest.TestCase):
    def test_dma_is_refused(self):
        library = load()
        library.libttsim_set_pci_dma_mem_callbacks(None, None)
        with Output() as output, Chip() as chip:
            for offset, value in ((TARG_HI, PCIE), (RET_LO, 0x2000),
                                  (RET_HI, OWN), (CTRL, READ), (LEN, 16),
                                  (CMD, 1)):
                chip.write32(NIU + offset, value)
            self.assertTrue(wait_until(
                lambda: [chip.clock(64)] and output.errors()))
            self.assertEqual(chip.config(0), 0xB1401E52)
        self.assertIn('no DMA callback', output.errors()[0][2])


class Times(unittest.TestCase):
    """Figures, and limits that a busy machine keeps as well."""

    LIMITS = {'l1-word-read': 2, 'l1-word-poll': 20, 'l1-word-write': 2000,
              'register-read': 2000, 'dram-word-read': 2000,
              'l1-1mib-write': 50_000, 'l1-1mib-read': 20_000,
              'dram-1mib-write': 100_000, 'dram-1mib-read': 100_000,
              'start-and-end': 3_000_000, 'fork-only': 50_000,
              'fork-and-use': 5_000_000}

    def test_times(self):
        program = os.path.join(BUILD, 'core', 'tests', 'bench',
                               'library-times')    # scripts/check builds it
        out = subprocess.run([program, LIBRARY], check=True, text=True,
                             timeout=300, stdout=subprocess.PIPE).stdout
        print('microseconds:\n' + out)
        times = {name: float(us) for name, us in
                 (line.split() for line in out.splitlines())}
        self.assertEqual(set(times), set(self.LIMITS), out)
        for name, us in times.items():
            self.assertLess(us, self.LIMITS[name], name)


class Start(unittest.TestCase):
    """Options, and calls at the wrong time."""

    def errors(self, action, **options):
        with Options(**options), Output() as output:
            action()
        return output.errors()

    def test_before_and_after(self):
        library = load()

        def calls():
            self.assertEqual(library.libttsim_pci_config_rd32(0, 0), NO_DEVICE)
            data = ctypes.create_string_buffer(b'abcd')
            library.libttsim_pci_mem_rd_bytes(BAR0, data, 4)
            self.assertEqual(data.raw[:4], bytes(4))
            library.libttsim_exit()

        for _ in range(2):
            self.assertEqual([error[:2] for error in self.errors(calls)], [
                ('ConfigurationError', 'libttsim_pci_config_rd32'),
                ('ConfigurationError', 'libttsim_pci_mem_rd_bytes'),
                ('ConfigurationError', 'libttsim_exit')])
            with Chip():
                pass               # a start discards earlier complaints

    def test_twice(self):
        with Chip() as chip:
            errors = self.errors(chip.library.libttsim_init)
            self.assertEqual(errors[0][2], 'sim is already running')
            self.assertEqual(chip.config(0), 0xB1401E52)

    def test_start_again(self):
        for value in range(3):
            with Chip() as chip:
                self.assertEqual(chip.read32(0x100), 0)
                chip.write32(0x100, value + 1)

    def start(self):
        with Chip() as chip:
            self.assertEqual(chip.config(0), NO_DEVICE)
            self.assertEqual(chip.read32(0), 0)

    def test_no_emulator(self):
        errors = self.errors(self.start, BLACKHOLE_TILE_QEMU='/nowhere/qemu')
        self.assertEqual(errors[0][:2], ('ConfigurationError', 'libttsim_init'))
        self.assertIn('/nowhere/qemu', errors[0][2])

    def test_wrong_option(self):
        with Output() as output:
            errors = self.errors(self.start,
                                 BLACKHOLE_TILE_OPTIONS='-no-such-option')
            self.assertIn('ended with status 1', errors[0][2])
            self.assertEqual(output.errors(), [])

    def test_quotes(self):
        errors = self.errors(self.start, BLACKHOLE_TILE_OPTIONS="-name 'a b")
        self.assertIn('quote', errors[0][2])
        options = r"""-name '' -name 'a b'%p """ \
                  r"""-global "tensix-noc.max-pages"=12\34"""
        with Options(BLACKHOLE_TILE_OPTIONS=options), Chip() as chip:
            self.assertEqual(chip.config(0), 0xB1401E52)
            with open(f'/proc/{children()[-1]}/cmdline', 'rb') as file:
                words = file.read().split(b'\0')
        self.assertIn(b'a b%d' % os.getpid(), words)
        self.assertEqual(words[words.index(b'-name') + 1], b'')
        self.assertIn(b'tensix-noc.max-pages=1234', words)

    def test_log(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'log')
            with Options(BLACKHOLE_TILE_LOG=log,
                         BLACKHOLE_TILE_OPTIONS='-no-such-option'), \
                    Output() as output:
                self.start()
            with open(log, encoding='utf-8') as file:
                self.assertIn('no-such-option', file.read())
            self.assertIn("last words", output.stderr())

    def test_words_do_not_take_the_socket(self):
        """But through the mailbox, which is another client in traces."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'log')
            with Options(BLACKHOLE_TILE_LOG=log, BLACKHOLE_TILE_OPTIONS=
                         '-trace tensix_host_request'), Chip() as chip:
                chip.read32(SOFT_RESET)
                chip.write32(0x100, 5)
                chip.clock(1000)
                chip.write(0, bytes(1 << 20), DRAM)
            with open(log, encoding='utf-8') as file:
                found = re.findall(r'client (\w+): command (\d+)', file.read())
        by_socket = [command for client, command in found
                     if client == found[0][0] and command != '65']
        by_mailbox = [command for client, command in found
                      if client != found[0][0]]
        self.assertEqual(by_socket, ['66'])
        self.assertEqual(by_mailbox, ['0', '0', '1', '64', '1'])

    def test_last_words_of_a_deadlock(self):
        """The verdict of this emulator, not the end of the events after it."""
        self.check_last_words(LIBRARY, 'tensix: ')

    def test_last_words_of_several_tiles(self):
        """A copy, because of one file only one is loaded."""
        with tempfile.TemporaryDirectory() as folder, \
                Options(BLACKHOLE_TILE_QEMU=QEMU):
            for name in 'libblackhole-tile.so', 'soc_descriptor.yaml':
                shutil.copy(os.path.join(BUILD, 'tiles-2x1', name), folder)
            self.check_last_words(
                os.path.join(folder, 'libblackhole-tile.so'),
                'tensix: tile (1,2): ')

    def check_last_words(self, library, begin):
        reported = [rv.lw(T0, A0)] * 16
        waits = rv.li(A0, 0x40000000) + reported + [rv.ttinsn(TT_NOP)] * 40 + \
            rv.li(A0, MAILBOX) + [rv.lw(T0, A0)]
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'log')
            with open(log, 'w', encoding='utf-8') as file:
                file.write('tensix: deadlock: of an earlier run\n')
            with Options(BLACKHOLE_TILE_LOG=log,
                         BLACKHOLE_TILE_OPTIONS='-M on-deadlock=exit'), \
                    Output() as output:
                with Chip(library=library) as chip:
                    chip.write(TRISC0_RESET_PC, rv.code(waits))
                    chip.write32(SOFT_RESET, ALL_HELD & ~TRISC0)
                    wait_until(lambda: chip.clock(64) or output.errors())
            with open(log, encoding='utf-8') as file:
                _, _, events = file.read().partition('the latest ')
        self.assertGreater(len(events), 1024)
        self.assertIn('ended with status 4', output.errors()[0][-1])
        self.assertIn(f'last words:\n{begin}deadlock: TRISC0 waits at',
                      output.stderr())

    def test_violations_reach_stderr(self):
        """Of the emulator's own log if there is no other, else repeated."""
        bad = rv.li(A0, 0x4000_0000) + [rv.lw(T0, A0)] + rv.HALT
        with tempfile.TemporaryDirectory() as folder:
            for log in (None, os.path.join(folder, 'log')):
                with Options(BLACKHOLE_TILE_LOG=log), Output() as output, \
                        Chip() as chip:
                    chip.write(0, rv.code(bad))
                    chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)
                    self.assertTrue(wait_until(lambda: [chip.clock(64)] and
                                               'BRISC' in output.stderr()),
                                    output.stderr())
                    self.assertEqual(output.errors(), [])

    def test_monitor_beside_it(self):
        """Stopped there, memory is served and time waits; it says so."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'monitor-')
            options = f'-monitor unix:{path}%p,server=on,wait=off'
            with Options(BLACKHOLE_TILE_OPTIONS=options), Output() as output, \
                    Chip() as chip, socket.socket(socket.AF_UNIX) as monitor:
                chip.write(0, rv.code([rv.jump(0)]))
                chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)
                monitor.connect(f'{path}{os.getpid()}')
                monitor.settimeout(30)
                monitor.sendall(b'stop\ninfo tensix why details\n')
                text = b''
                while b'cycle: none' not in text:
                    text += monitor.recv(65536)
                self.assertEqual(chip.read(0, 4), rv.code([rv.jump(0)]))
                chip.write32(0x40, 7, DRAM)
                self.assertEqual(chip.read32(0x40, DRAM), 7)
                timer = threading.Timer(6, monitor.sendall, [b'cont\n'])
                timer.start()
                chip.clock(1000)
                timer.join()
        self.assertRegex(output.stderr(), 'libttsim_clock waits for the emul')

    def test_end_on_error(self):
        code = ('import sys; sys.path.insert(0, sys.argv[1]); '
                'from tile_library import *; c = Chip(); c.bar_read(5, 4); '
                'print("not reached")')
        with Options(BLACKHOLE_TILE_ON_ERROR='exit'):
            done = subprocess.run(
                [sys.executable, '-c', code, os.path.dirname(__file__)],
                stdout=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout,
                         r'^\[0\] ERROR: UnimplementedFunctionality: \w+: .*$')

    def test_the_variant_for_small_grids(self):
        """In a separate process: here the library is loaded already."""
        code = ('import sys; sys.path.insert(0, sys.argv[1]); '
                'import tile_library as t; t.LIBRARY = sys.argv[2]; '
                'c = t.Chip(); c.write32(0x20, 0x47800, (0, 1)); '
                'at = c.set_window(0, 0x20, (0, 1), noc=1); '
                'print(c.read32(0xFFB121B0, (0, 1)) &'
                '      int.from_bytes(c.bar_read(at, 4), "little"))')
        out = subprocess.run(
            [sys.executable, '-c', code, os.path.dirname(__file__),
             os.path.join(BUILD, '1x2', 'libblackhole-tile.so')],
            stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
        self.assertEqual(int(out) & ALL_HELD, ALL_HELD)


if __name__ == '__main__':
    unittest.main()
