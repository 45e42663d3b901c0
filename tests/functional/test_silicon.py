# SPDX-License-Identifier: GPL-2.0-or-later
"""Bring-up as of silicon: through the library's BARs, and over the socket."""

import ast
import itertools
import os
import re
import struct
import subprocess
import sys
import time
import unittest
import unittest.mock

import silicon
from blackhole_tile.testing import BUILD, QEMU
from host_client import Client, HostError
from silicon import ARC, PCIE, Silicon
from test_board import Folder
from tile_library import (BAR0, FIRST_4G, LIBRARY, TILE, Chip, Options,
                          Output)

PCIE_NIU = BAR0 + 0x1FD04000, BAR0 + 0x1FD14000
ABSENT = 0xFFFFFFFF


def of_chip(chip, noc=0):
    """Silicon() through a window of the library."""
    def read(tile, address, size):
        at = chip.set_window(3, address, tile, noc=noc)
        return chip.bar_read(at, size)

    def write(tile, address, data):
        chip.bar_write(chip.set_window(3, address, tile, noc=noc), data)

    return Silicon(read, write, noc)


class Checks(unittest.TestCase):
    """Of any chip that is brought up."""

    def check_harvested(self, chip, columns):
        """What the machine does not have is fused off."""
        self.assertEqual(chip.columns(), columns)
        self.assertEqual(chip.telemetry(silicon.ETH), 0)
        self.assertEqual(chip.telemetry(silicon.L2CPU), 0)
        self.assertEqual(chip.telemetry(silicon.GDDR), 0x7F)
        self.assertEqual(chip.telemetry(silicon.GDDR_STATUS), 0x1555)
        self.assertEqual(chip.telemetry(silicon.PCIE_USAGE), 1)

    def check_identity(self, chip):
        self.assertEqual(chip.board(), silicon.P100)
        self.assertGreaterEqual(chip.telemetry(silicon.BUNDLE) >> 16,
                                18 << 8 | 12)
        self.assertEqual(chip.telemetry(silicon.ASIC_ID_LOW), 1)
        self.assertEqual(chip.telemetry(silicon.ASIC_ID_HIGH), 0)
        self.assertEqual(chip.postcode >> 16, 0xC0DE)
        self.assertEqual(chip.version, 1)

    def check_messages(self, chip):
        self.assertEqual(chip.message(0x90, 41)[:2], (0, 42))
        self.assertEqual(chip.message(0x52)[0], 0)
        self.assertEqual(chip.telemetry(silicon.AICLK),
                         chip.telemetry(silicon.AICLK_MAX))
        self.assertEqual(chip.message(0x54)[0], 0)
        self.assertEqual(chip.telemetry(silicon.AICLK), 800)
        self.assertEqual(chip.message(0xB6, 6)[0], 0)
        for bank in 7, 8:
            self.assertNotEqual(chip.message(0xB6, bank)[0], 0)
        self.assertEqual(chip.message(0x19)[0] & 0xFF,
                         silicon.UNKNOWN_MESSAGE)


class Library(Checks):
    def check(self, chip, columns):
        it = of_chip(chip)
        self.check_identity(it)
        self.check_harvested(it, columns)
        self.check_messages(it)

    def test_init_exit_and_again(self):
        with Output() as output:
            for _ in range(2):
                with Chip() as chip:
                    self.check(chip, [1])
        self.assertEqual(output.errors(), [])

    def test_several_tiles(self):
        for tiles, columns in (('2x2', [1, 2]), ('4x1', [1, 2, 3, 4])):
            with Options(BLACKHOLE_TILE_OPTIONS=f'-M tiles={tiles}'), \
                    Output(), Chip() as chip:
                self.check(chip, columns)

    def test_noc_1(self):
        """Translated coordinates, as NocIdSwitcher of tt-umd selects it."""
        with Output() as output, Chip() as chip:
            it = of_chip(chip, noc=1)
            self.check_identity(it)
            self.check_harvested(it, [1])
            self.check_messages(it)
            for window in 5, FIRST_4G + 5:
                self.check_places_on_noc_1(chip, window)
        self.assertEqual(output.errors(), [])

    def check_places_on_noc_1(self, chip, window):
        """X of rows 0 and 1 is not translated: it counts from the east."""
        def read(tile, address):
            at = chip.set_window(window, address, tile, noc=1)
            return struct.unpack('<I', chip.bar_read(at, 4))[0]

        for tile, same in ((TILE, TILE), ((15, 9), (15, 9)),
                           ((17, 12), (0, 0)), ((16, 0), (0, 0)),
                           ((16, 1), (0, 1)), ((7, 1), (9, 1)),
                           ((0, 2), (0, 2)), ((33, 34), TILE)):
            value = window << 16 | tile[0] << 8 | tile[1]
            chip.write32(0x700, value, same)
            self.assertEqual(read(tile, 0x700), value, tile)
        for tile, node in (((14, 0), (14, 11)), (ARC, (8, 11)),
                           ((5, 0), (5, 11))):
            value = read(tile, silicon.NIU_HIGH + silicon.NODE_ID)
            self.assertEqual((value & 63, value >> 6 & 63), node)
            self.assertEqual(value >> 28, 0)
            self.assertTrue(read(tile, silicon.NIU_HIGH + silicon.NIU_CFG)
                            >> 14 & 1)

    def test_what_noc_1_does_not_have(self):
        with Output() as output, Chip() as chip:
            at = chip.set_window(5, silicon.NIU_HIGH, (14, 0), noc=1)
            self.assertEqual(chip.bar_read(at, 4), bytes(4))
            at = chip.set_window(5, 0, (63, 0), noc=1)
            self.assertEqual(chip.bar_read(at, 4), bytes(4))
        self.assertEqual(len(output.errors()), 2)

    def test_nius_in_bar0(self):
        expected = [(0, 2, 0), (1, 14, 11)]
        with Output() as output, Chip() as chip:
            for (noc, x, y), base in zip(expected, PCIE_NIU):
                node, = struct.unpack('<I', chip.bar_read(
                    base + silicon.NODE_ID, 4))
                self.assertEqual((node & 63, node >> 6 & 63), (x, y))
                self.assertEqual((node >> 12 & 127, node >> 19 & 127),
                                 (17, 12))
                self.assertEqual(node >> 28, 1 - noc)
                cfg, = struct.unpack('<I', chip.bar_read(
                    base + silicon.NIU_CFG, 4))
                self.assertTrue(cfg >> 14 & 1)
        self.assertEqual(output.errors(), [])

    def test_no_other_register_of_these_nius(self):
        with Output() as output, Chip() as chip:
            self.assertEqual(chip.bar_read(PCIE_NIU[0], 8), bytes(8))
            chip.bar_write(PCIE_NIU[0] + silicon.NODE_ID, bytes(4))
            node = chip.bar_read(PCIE_NIU[0] + silicon.NODE_ID, 4)
        self.assertNotEqual(node, bytes(4))
        self.assertEqual([error[0] for error in output.errors()],
                         ['UnimplementedFunctionality'] * 3)

    def test_no_other_device(self):
        with Output() as output, Chip() as chip:
            for place in (1 << 3, 31 << 3, 1, 7, 1 << 8, 255 << 8 | 1 << 3):
                read = chip.library.libttsim_pci_config_rd32
                self.assertEqual(read(place, 0), ABSENT, hex(place))
                chip.library.libttsim_pci_config_wr32(place, 4, 7)
            self.assertEqual(chip.config(4), 0)
        self.assertEqual(output.errors(), [])

    def test_a_forked_chip_keeps_its_clock(self):
        with Chip() as chip:
            of_chip(chip).message(0x52)
            child = os.fork()
            if not child:
                clock = of_chip(chip).telemetry(silicon.AICLK)
                os._exit(0 if clock == 1350 else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)


class Descriptor(Folder):
    """The file beside the library and the machine that it starts agree."""

    # In a separate process: a library is found by where it was first loaded
    PROGRAM = """if True:
        import sys
        sys.path[:0] = [sys.argv[1]]
        import tile_library as library, test_silicon as test
        library.LIBRARY = sys.argv[2]
        with library.Chip() as chip:
            print(test.of_chip(chip).columns())
            print([(x, y) for y in range(1, 8) for x in range(8)
                   if chip.read32(0xFFB121B0, (x, y)) == 0x47800])
    """

    def run_it(self, library, **env):
        """Columns by telemetry, tiles that exist, errors."""
        done = subprocess.run(
            [sys.executable, '-B', '-c', self.PROGRAM,
             os.path.dirname(__file__), library], text=True, timeout=60,
            capture_output=True, check=True, env={**os.environ, **env})
        lines = done.stdout.splitlines()
        errors = [line for line in lines if line.startswith('[0] ERROR: ')]
        columns, tiles = [line for line in lines if line not in errors]
        return ast.literal_eval(columns), ast.literal_eval(tiles), errors

    def listed(self, folder):
        with open(os.path.join(folder, 'soc_descriptor.yaml'),
                  encoding='utf-8') as file:
            line, = re.findall('^functional_workers: .*', file.read(), re.M)
        return [(int(x), int(y)) for x, y in re.findall(r'(\d+)-(\d+)', line)]

    def test_one_folder_for_each_machine(self):
        for columns, rows in itertools.product(range(1, 5), repeat=2):
            folder = BUILD if columns == rows == 1 else \
                os.path.join(BUILD, f'tiles-{columns}x{rows}')
            self.assertEqual(self.listed(folder),
                             [(1 + x, 2 + y) for y in range(rows)
                              for x in range(columns)])
            self.assertTrue(os.path.exists(os.path.join(
                folder, 'libblackhole-tile.so')))

    def test_seven_banks_of_those_listed(self):
        """tt-umd subtracts each bank of telemetry's mask from the list."""
        with open(os.path.join(BUILD, 'soc_descriptor.yaml'),
                  encoding='utf-8') as file:
            banks = re.search(r'^dram: \[(.*?)\]\]$', file.read(), re.M | re.S)
        listed = banks[1].count('[')
        with Chip() as chip:
            enabled = of_chip(chip).telemetry(silicon.GDDR)
        self.assertEqual(listed - bin(~enabled & 0xFF).count('1'), 7)
        self.assertEqual(bin(enabled & (1 << listed) - 1).count('1'), 7)

    def test_the_machine_has_these_tiles(self):
        for shape, columns in (('2x1', [1, 2]), ('3x4', [1, 2, 3])):
            folder = os.path.join(BUILD, f'tiles-{shape}')
            library = os.path.join(folder, 'libblackhole-tile.so')
            self.assertEqual(self.run_it(library),
                             (columns, self.listed(folder), []))

    def beside(self, workers):
        """A library beside a descriptor with these workers."""
        text = f'arch_name: BLACKHOLE\nfunctional_workers: {workers}\n'
        self.file('soc_descriptor.yaml', text.encode())
        path = os.path.join(self.folder, 'libblackhole-tile.so')
        if not os.path.exists(path):
            os.symlink(os.path.realpath(LIBRARY), path)
        return path

    def start(self, workers, **env):
        return self.run_it(self.beside(workers), BLACKHOLE_TILE_QEMU=QEMU, **env)

    def test_any_order_and_place(self):
        self.assertEqual(self.start('[3-4, 4-5,4-4 , 3-5]'),
                         ([3, 4], [(3, 4), (4, 4), (3, 5), (4, 5)], []))

    def test_no_rectangle(self):
        for workers in ('[1-2, 2-3]', '[1-2, 5-2]', '[2-2, 1-2]',
                        '[1-2, 1-3, 1-4, 1-5, 1-6]'):
            columns, tiles, errors = self.start(workers)
            self.assertEqual(len(tiles), 1, workers)
            self.assertEqual(columns, [tiles[0][0]])
            self.assertIn('Configuration', errors[0])
            self.assertIn('no rectangle', errors[0])

    def test_no_workers(self):
        for workers in '[]', '':
            self.assertEqual(self.start(workers), ([1], [(1, 2)], []))

    def test_an_option_that_says_otherwise(self):
        for options, errors in (('-M tiles=2x1', 1), ('-M tiles=1x1', 0)):
            columns, _, lines = self.start('[1-2]',
                                           BLACKHOLE_TILE_OPTIONS=options)
            self.assertEqual(len(lines), errors)
            if errors:
                self.assertEqual(columns, [1, 2])
                self.assertIn('load tiles-2x1/libblackhole-tile.so', lines[0])


class Socket(Folder, Checks):
    def bring_up(self, machine=''):
        path = os.path.join(self.folder, 'tt-umd-sim-0.sock')
        machine = f'host-socket={path}' + (f',{machine}' if machine else '')
        tile = self.tile(machine=machine)
        self.client = Client.connect(path)
        self.addCleanup(self.client.close)
        return tile, Silicon(
            lambda tile, address, size: self.client.read(address, size, tile),
            lambda tile, address, data: self.client.write(address, data, tile))

    def test_one_tile(self):
        _, chip = self.bring_up()
        self.check_identity(chip)
        self.check_harvested(chip, [1])
        self.check_messages(chip)

    def test_sixteen_tiles(self):
        _, chip = self.bring_up('tiles=4x4')
        self.check_harvested(chip, [1, 2, 3, 4])

    def test_masks_agree_with_telemetry(self):
        _, chip = self.bring_up()
        info = self.client.device_info()
        for mask, tag, units in (('dram', silicon.GDDR, 8),
                                 ('eth', silicon.ETH, 14),
                                 ('l2cpu', silicon.L2CPU, 4)):
            self.assertEqual(info[mask],
                             ~chip.telemetry(tag) & (1 << units) - 1, mask)

    def test_heartbeat(self):
        """As tt-triage checks it: 10 to 50 a second."""
        _, chip = self.bring_up()
        clock = chip.words(silicon.REFCLK, 2)
        beats = chip.telemetry(silicon.HEARTBEAT)
        start = time.monotonic()
        time.sleep(0.5)
        beats = chip.telemetry(silicon.HEARTBEAT) - beats
        seconds = time.monotonic() - start
        self.assertTrue(10 <= (beats + 1) / seconds and beats / seconds <= 50,
                        (beats, seconds))
        self.assertGreater(chip.words(silicon.REFCLK, 2)[0], clock[0])

    def test_all_places_of_a_queue(self):
        _, chip = self.bring_up()
        self.assertEqual((chip.entries, chip.queues), (8, 4))
        for n in range(3 * chip.entries):
            self.assertEqual(chip.message(0x90, n)[:2], (0, n + 1))
        for n in range(chip.entries):
            chip.push(0x90, n)
        chip.interrupt()
        chip.push(0x90, 100)       # its answer finds no room
        chip.interrupt()
        for n in range(chip.entries):
            self.assertEqual(chip.pop()[1], n + 1)
        self.assertIsNone(chip.pop())
        chip.interrupt()
        self.assertEqual(chip.pop()[1], 101)

    def test_indices_that_cannot_be(self):
        tile, chip = self.bring_up()
        for word in (9, 0xFFFFFFFF, 0x80000000):
            for at in (0, 4, 0x10, 0x14):
                chip.put(chip.queue + at, word)
                chip.interrupt()
            for at in (0, 4, 0x10, 0x14):
                chip.put(chip.queue + at, 0)
        chip.put(silicon.SCRATCH_RAM + 4 * silicon.QUEUES, 0xFFFFFFFC)
        chip.interrupt()
        self.assertEqual(chip.message(0x90, 1)[:2], (0, 2))
        self.assertEqual(tile.status(), 'running')

    def refused(self, text, action, *args):
        with self.assertRaises(HostError) as caught:
            action(*args)
        self.assertIn(text, caught.exception.text)

    def test_nothing_else_is_there(self):
        _, chip = self.bring_up()
        read, put = self.client.read, chip.put
        self.refused('neither CSM', read, 0, 4, ARC)
        self.refused('neither CSM', read, 0x1007FFFC, 8, ARC)
        self.refused('neither CSM', read, silicon.RESET_UNIT, 4, ARC)
        self.refused('aligned', read, silicon.SCRATCH_0 + 2, 4, ARC)
        self.refused('aligned', read, silicon.SCRATCH_0, 3, ARC)
        self.refused('cannot be written', put, silicon.REFCLK, 0)
        self.refused('cannot be written', put, 0x80050044, 0)
        self.refused('NIU', read, silicon.NIU_HIGH, 4, PCIE)
        self.refused('NIU', read, silicon.NIU_HIGH + 0x44, 2, ARC)
        self.assertEqual(len(read(0x10000000, 0x80000, ARC)), 0x80000)

    def test_the_arcs_own_nius(self):
        _, chip = self.bring_up()
        for address, place in ((0x80050044, ARC), (0x80058044, (8, 11)),
                               (silicon.NIU_HIGH + silicon.NODE_ID, ARC)):
            node, = chip.words(address)
            self.assertEqual((node & 63, node >> 6 & 63), place)
        for address in (0x80050100, 0x80058100):
            self.assertTrue(chip.words(address)[0] >> 14 & 1)


class Server(Folder):
    """The folder that tt-umd's sim_server searches for."""

    def start(self, **options):
        temporary = dict(os.environ, TMPDIR=self.folder)
        with unittest.mock.patch.dict(os.environ, temporary):
            return self.tile(machine='sim-server=on', **options)

    def socket(self, index):
        return os.path.join(self.folder, f'tt-umd-sim-server-{index}',
                            'tt-umd-sim-0.sock')

    def connect(self, index):
        client = Client.connect(self.socket(index))
        self.addCleanup(client.close)
        return client

    def test_attach_list_and_kill(self):
        first, second = self.start(), self.start()
        for index in 0, 1:
            folder = os.path.dirname(self.socket(index))
            self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
            self.connect(index).close()     # as sim_server list probes it
            self.assertTrue(self.connect(index).device_info()['simulator'])
        one, other = self.connect(0), self.connect(0)
        one.write32(0x1000, 42)
        self.assertEqual(other.read32(0x1000), 42)
        one.shutdown()
        self.assertEqual(first.wait_for_exit(), 0)
        self.assertFalse(os.path.exists(os.path.dirname(self.socket(0))))
        self.assertEqual(second.status(), 'running')
        third = self.start()
        self.assertEqual(self.connect(0).read32(0x1000), 0)
        third.qmp('quit')
        self.assertEqual(third.wait_for_exit(), 0)
        self.assertFalse(os.path.exists(os.path.dirname(self.socket(0))))

    def test_two_sockets(self):
        done = subprocess.run(
            [QEMU, '-display', 'none', '-M', 'blackhole-tile,sim-server=on,'
             f'host-socket={self.folder}/s'], capture_output=True, text=True,
            timeout=60, check=False, env=dict(os.environ, TMPDIR=self.folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn('names another socket', done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_place_for_it(self):
        done = subprocess.run(
            [QEMU, '-display', 'none', '-M', 'blackhole-tile,sim-server=on'],
            capture_output=True, text=True, timeout=60, check=False,
            env=dict(os.environ, TMPDIR=self.folder + '/no'))
        self.assertEqual(done.returncode, 1)
        self.assertIn('No such file', done.stderr)


if __name__ == '__main__':
    unittest.main()
