# SPDX-License-Identifier: GPL-2.0-or-later
"""tensix-host: tt-umd's socket protocol, by a client of our own.

Figures are printed; what is asserted of them holds on a busy machine too.
"""

import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
import unittest.mock

import host_client
import rv_asm as rv
from blackhole_tile import L1_SIZE, SOFT_RESET
from blackhole_tile.testing import QEMU, ROOT, every_accelerator, resident
from host_client import Client, Closed, HostError, seconds
from rv_asm import A0, A1
from test_board import ALL_HELD, RESET_BITS, Folder

DRAM = (17, 12)
FREE = 0x30000                      # L1 that no code is in
LOCAL_RAM = 0xFFB14000              # BRISC's, as others see it
TRISC2_RAM_END = 0xFFB1E000         # no memory follows it
START_OF_LONG = 4 + 4096            # what a long frame is begun with
EFAULT, EINVAL, ENOSYS, EBADMSG, EMSGSIZE = 14, 22, 38, 74, 90
RELEASE_BRISC = ALL_HELD & ~RESET_BITS['brisc']
MIB, GIB = 1 << 20, 1 << 30

# In a separate process, so that Python's lock does not count
COPIER = '''
import os, sys
from host_client import Client, seconds
client, data = Client.connect(sys.argv[1]), os.urandom(64 << 20)
write = seconds(lambda: client.write(0, data, (17, 12)))
read = seconds(lambda: client.read(0, len(data), (17, 12)))
assert client.read(0, len(data), (17, 12)) == data
print(f'written in {write:.3f} s, read in {read:.3f} s')
'''


def counting(address):
    """A loop of four instructions that increments a word."""
    return rv.li(A0, address) + [rv.addi(A1, 0, 0)] + \
        [rv.addi(A1, A1, 1), rv.sw(A1, A0), rv.NOP, rv.jump(-12)]


class HostTest(Folder):
    def start(self, accel='single', machine='', dma=False, **options):
        """A machine with the chardev `host`, held in reset."""
        self.path = os.path.join(self.folder, 'host')
        self.dma_path = os.path.join(self.folder, 'dma')
        machine = 'host=h' + (f',{machine}' if machine else '')
        extra = ['-chardev',
                 f'socket,id=h,path={self.path},server=on,wait=off']
        if dma:
            machine += ',host-dma=d'
            extra += ['-chardev',
                      f'socket,id=d,path={self.dma_path},server=on,wait=off']
        extra += options.pop('extra', [])
        return self.tile(accel=accel, machine=machine, extra=extra, **options)

    def connect(self, path=None):
        client = Client.connect(path or self.path)
        self.addCleanup(client.close)
        return client

    def pair(self, *args, **options):
        tile = self.start(*args, **options)
        return tile, self.connect()

    def put(self, client, address, words):
        client.write(address, rv.code(words))

    def refused(self, status, text, action, *args):
        with self.assertRaises(HostError) as caught:
            action(*args)
        self.assertEqual(caught.exception.status, status,
                         caught.exception.text)
        self.assertIn(text, caught.exception.text)


class Identity(HostTest):
    def test_what_a_client_needs_to_know(self):
        _, client = self.pair()
        info = client.device_info()
        with open(os.path.join(ROOT, 'lib', 'soc_descriptor.yaml'),
                  'rb') as file:
            self.assertEqual(info.pop('soc_descriptor'), file.read())
        self.assertEqual(os.path.realpath(info.pop('simulator')).decode(),
                         os.path.realpath(QEMU))
        self.assertEqual({key: value or 0 for key, value in info.items()},
                         dict(status=0, arch=3, backend=0, translated=1,
                              tensix=0x3FFE, dram=0x80, eth=0x3FFF,
                              l2cpu=15, pcie=2))
        self.assertEqual(client.cluster()[1], b'')

    def test_as_many_tiles_as_there_are(self):
        _, client = self.pair(machine='tiles=3x2')
        info = client.device_info()
        self.assertIn(b'\nfunctional_workers: '
                      b'[1-2, 2-2, 3-2, 1-3, 2-3, 3-3]\n',
                      info['soc_descriptor'])
        self.assertEqual(info['tensix'], 0x3FF8)

    def test_another_descriptor(self):
        path = self.file('mine.yaml', b'arch_name: MINE\n')
        _, client = self.pair(machine=f'host-soc-descriptor={path}')
        info = client.device_info()
        self.assertEqual(info['soc_descriptor'], b'arch_name: MINE\n')
        self.assertFalse(info['dram'])

    def test_options_that_cannot_be(self):
        for options, text in (
                ('host=missing', 'there is no such -chardev'),
                ('host-dma=missing', 'there is no such -chardev'),
                ('host=used,host-dma=used', "host-dma=used: .*in use"),
                (f'host-socket={self.folder}/no/such', 'No such file'),
                ('host-clock=never', 'free or lockstep'),
                ('host-clock=lockstep', 'lockstep without a client'),
                (f'host-clock=lockstep,host-socket={self.folder}/s',
                 'lockstep needs -icount')):
            done = subprocess.run(
                [QEMU, '-M', f'blackhole-tile,{options}', '-display', 'none',
                 '-chardev', 'null,id=used'],
                capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 1, options)
            self.assertRegex(done.stderr, text)


class Accesses(HostTest):
    def test_the_tile_itself(self):
        tile, client = self.pair()
        client.write32(FREE, 0x12345678)
        self.assertEqual(tile.read32(FREE), 0x12345678)
        tile.write32(FREE + 4, 0x9abcdef0)
        self.assertEqual(client.read(FREE + 3, 3), bytes.fromhex('12f0de'))
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)
        client.write32(0xFFB12228, 0x4440)
        self.assertEqual(tile.read32(0xFFB12228), 0x4440)
        self.assertEqual(client.read(SOFT_RESET + 1, 2),
                         struct.pack('<I', ALL_HELD)[1:3])
        self.assertEqual(client.read(SOFT_RESET - 4, 12)[4:8],
                         struct.pack('<I', ALL_HELD))

    def test_the_harts_own_ram_is_memory(self):
        tile, client = self.pair()
        data = random.Random(1).randbytes(5001)
        client.write(LOCAL_RAM + 1, data)
        self.assertEqual(client.read(LOCAL_RAM + 1, len(data)), data)
        self.assertEqual(tile.read8(0x1_FFB00001), data[0])

    def test_other_tiles_are_memory(self):
        tile, client = self.pair()
        data = random.Random(2).randbytes(10000)
        client.write(0x7FFFFFF0, data, DRAM)
        self.assertEqual(client.read(0x7FFFFFF0, len(data), DRAM), data)
        self.assertEqual(tile.read(1 << 48 | 12 << 42 | 17 << 36 | 0x7FFFFFF0,
                                   len(data)), data)
        self.assertEqual(client.read(1 << 45, 8, (5, 5)), bytes(8))

    def test_nothing_at_all(self):
        _, client = self.pair()
        self.assertEqual(client.read(FREE, 0), b'')
        client.write(FREE, b'')
        client.write(0xFFFFFFFFFFFFFFFF, b'', DRAM)

    def test_errors_are_answers(self):
        _, client = self.pair()
        word = bytes(4)
        for status, text, action, *args in (
                (EFAULT, 'outside L1 and MMIO', client.read, L1_SIZE, 4),
                (EFAULT, 'outside L1', client.read, L1_SIZE - 2, 4),
                (EFAULT, 'outside L1', client.write, L1_SIZE - 2, word),
                (EFAULT, 'outside L1', client.read, 0xFFFFFFFC, 8),
                (EFAULT, 'outside L1', client.read, 0xF_0000_0000, 4),
                (EFAULT, 'outside L1', client.read, 0x1_FFB00000, 4),
                (EFAULT, 'nothing there', client.read, 0xFFFFFFFC, 4),
                (EFAULT, 'nothing there', client.write, 0xFFE40000, word),
                (EFAULT, 'aligned words', client.write, SOFT_RESET, b'\0'),
                (EFAULT, 'aligned words', client.write, SOFT_RESET + 2, word),
                (EFAULT, 'no tile', client.read, 0, 4, (40, 40)),
                (EFAULT, 'beyond the 4 GiB', client.write, 0xFFFFFFFE, word,
                 DRAM),
                (EINVAL, 'coordinates', client.read, 0, 4, (64, 2)),
                (EINVAL, 'coordinates', client.read, 0, 4, (1, 1 << 31)),
                (EFAULT, 'the 4 GiB of a DRAM', client.read, 2**32 - 2, 4,
                 DRAM),
                (EFAULT, 'a router and no tile', client.write, 0, word,
                 (3, 0)),
                (EFAULT, 'no such tile', client.read, 0, 4, (17, 0)),
                (EINVAL, 'end of the address space', client.read, 2**64 - 2, 4,
                 DRAM),
                (EINVAL, 'more than 1 GiB', client.read, 0, GIB + 1, DRAM),
                (EINVAL, 'more than 1 GiB', client.read, 0, 2**32 - 1,
                 DRAM)):
            self.refused(status, text, action, *args)
            self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_a_write_needs_its_data(self):
        _, client = self.pair()
        client.write(FREE, b'abcdefgh')
        x, y = client.tile
        fields = dict(x=x, y=y, address=FREE)
        self.refused(EINVAL, 'less data', lambda: client.ask(
            host_client.WRITE, size=4, data=b'abc', **fields))
        client.ask(host_client.WRITE, size=4, data=b'12345678', **fields)
        self.assertEqual(client.read(FREE, 8), b'1234efgh')

    def test_many_at_random(self):
        """10^4 accesses against a model: L1, a hart's RAM, another tile."""
        _, client = self.pair()
        rng = random.Random(11)
        places = [((1, 2), FREE, 0x8000), ((1, 2), LOCAL_RAM, 0x2000),
                  (DRAM, 0x7FFFF000, 0x3000), ((5, 5), 0, 0x3000)]
        models = [bytearray(size) for _, _, size in places]
        for (tile, base, size), model in zip(places, models):
            client.write(base, bytes(model), tile)
        for _ in range(10000):
            n = rng.randrange(len(places))
            tile, base, size = places[n]
            length = min(rng.choice((1, 2, 3, 4, 8, 61, 1000)), size)
            at = rng.randrange(size - length + 1)
            if rng.random() < 0.5:
                data = rng.randbytes(length)
                client.write(base + at, data, tile)
                models[n][at:at + length] = data
            else:
                self.assertEqual(client.read(base + at, length, tile),
                                 models[n][at:at + length])
        for (tile, base, size), model in zip(places, models):
            self.assertEqual(client.read(base, size, tile), model)

    @every_accelerator
    def test_code_that_runs_is_replaced(self, accel):
        _, client = self.pair(accel)
        self.put(client, 0, counting(FREE))
        client.write32(SOFT_RESET, RELEASE_BRISC)
        for value in (0x700, 0x123):
            # addi a1, a1, 1 becomes addi a1, zero, value
            client.write32(12, rv.addi(A1, 0, value))
            client.clock(100)
            self.assertEqual(client.read32(FREE), value)


class Bulk(HostTest):
    def test_64_mib_while_the_monitor_answers(self):
        tile, client = self.pair('multi')
        copier = subprocess.Popen([sys.executable, '-c', COPIER, self.path],
                                  cwd=os.path.dirname(__file__), text=True,
                                  stdout=subprocess.PIPE)
        client.close()
        answers = []
        while copier.poll() is None:
            answers.append(seconds(tile.status))
        with copier.stdout:
            text = copier.stdout.read()
        answers.sort()
        print(f'64 MiB: {text.strip()}; the monitor meanwhile: {len(answers)} '
              f'answers, median {1e3 * answers[len(answers) // 2]:.2f} ms, '
              f'slowest {1e3 * answers[-1]:.1f} ms')
        self.assertEqual(copier.returncode, 0)
        self.assertLess(answers[-1], 2)

    def test_all_of_l1_at_once(self):
        _, client = self.pair()
        data = random.Random(4).randbytes(L1_SIZE)
        client.write(0, data)
        self.assertEqual(client.read(0, L1_SIZE), data)

    def test_registers_in_bulk(self):
        _, client = self.pair()
        values = [0x1000 * n for n in range(1, 4)]
        client.write(0xFFB12228, struct.pack('<3I', *values))
        self.assertEqual(struct.unpack('<3I', client.read(0xFFB12228, 12)),
                         tuple(values))

    def test_figures(self):
        _, client = self.pair()
        data = random.Random(5).randbytes(MIB)
        word = seconds(lambda: client.read(FREE, 4), 3000)
        register = seconds(lambda: client.read(SOFT_RESET, 4), 1000)
        l1 = seconds(lambda: client.write(0x1000, data), 20)
        dram = seconds(lambda: client.write(0, data, DRAM), 20)
        back = seconds(lambda: client.read(0, MIB, DRAM), 20)
        print(f'word {1e6 * word:.1f} us, register {1e6 * register:.1f} us; '
              f'1 MiB: to L1 {1e3 * l1:.2f} ms, to DRAM {1e3 * dram:.2f} ms, '
              f'from DRAM {1e3 * back:.2f} ms (medians, client in Python)')
        self.assertLess(word, 0.01)
        self.assertLess(l1, 0.5)


class Long(HostTest):
    """Accesses of more than 16 MiB, which are never whole in memory."""

    BLOCK = random.Random(9).randbytes(MIB - 3)

    def blocks(self, size):
        """The test's data, in pieces."""
        for n in range(0, size, len(self.BLOCK)):
            yield self.BLOCK[:size - n]

    def write(self, client, address, size, tile=DRAM, behind=b''):
        """The answer; the frame has more bytes after the data."""
        frame = bytearray(host_client.request(
            host_client.WRITE, *tile, address, size))
        frame[:4] = struct.pack('<I', len(frame) - 4 + size + len(behind))
        frame[-4:] = struct.pack('<I', size)
        client.send(frame)
        for block in self.blocks(size):
            client.send(block)
        client.send(behind)
        return client.answer()

    def check(self, client, address, size):
        """That a read gives what was written."""
        client.send(host_client.request(host_client.READ, *DRAM, address,
                                        size))
        status, data = client.answer()
        self.assertEqual((status, len(data)), (0, size))
        view = memoryview(data)
        for n, block in enumerate(self.blocks(size)):
            at = n * len(self.BLOCK)
            self.assertEqual(view[at:at + len(block)], block, n)

    def test_sizes_about_the_limit(self):
        """A long frame begins 4 KiB beyond 16 MiB, a long answer with it."""
        tile, client = self.pair()
        for size in (16 * MIB - 1, 16 * MIB, 16 * MIB + 1, 16 * MIB + 4000,
                     16 * MIB + 4096, 16 * MIB + 4100, 33 * MIB + 7):
            self.assertEqual(self.write(client, 5, size), (0, b''))
            self.check(client, 5, size)
            self.assertEqual(client.read(0, 5, DRAM), bytes(5))
            self.assertEqual(client.read(5 + size, 1, DRAM), b'\0')
            client.write(0, bytes(40 * MIB), DRAM)
        self.assertLess(resident(tile), 40 * MIB + 120 * MIB)

    def test_one_gib(self):
        """tt-umd's longest. In memory is what was written, once."""
        tile, client = self.pair()
        start = time.monotonic()
        self.assertEqual(self.write(client, 1 << 31, GIB), (0, b''))
        write = time.monotonic() - start
        self.assertLess(resident(tile), GIB + 150 * MIB)
        start = time.monotonic()
        client.send(host_client.request(host_client.READ, *DRAM, 1 << 31,
                                        GIB))
        left = GIB
        while left > 4096:
            left -= len(client.link.recv(4 * MIB))
        print(f'1 GiB: written in {write:.1f} s, read in '
              f'{time.monotonic() - start:.1f} s')
        self.assertLess(resident(tile), GIB + 150 * MIB)

    def test_what_is_behind_the_data(self):
        """Is skipped; so is what is after it a request again."""
        _, client = self.pair()
        for behind in (b'x', bytes(5000), bytes(17 * MIB)):
            self.assertEqual(self.write(client, 0, MIB, behind=behind),
                             (0, b''))
            self.assertEqual(client.read(0, 7, DRAM), self.BLOCK[:7])

    def test_refused(self):
        """After all of the frame, and what comes next is a request again."""
        _, client = self.pair()
        for tile, address, status, text in (
                ((1, 2), 0, EFAULT, 'outside L1 and MMIO of this tile'),
                ((1, 2), 0xFF000000, EFAULT, 'outside L1'),
                (DRAM, 2**32 - 17 * MIB, EFAULT, 'beyond the 4 GiB'),
                ((17, 0), 0, EFAULT, 'no such tile'),
                ((77, 0), 0, EINVAL, 'coordinates beyond 63'),
                (DRAM, 2**64 - 5, EINVAL, 'end of the address space')):
            answer = self.write(client, address, 20 * MIB, tile)
            self.assertEqual(answer[0], status, answer)
            self.assertIn(text, answer[1].decode())
            self.refused(status, text, client.read, address, 20 * MIB, tile)
            self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_refused_at_the_limit(self):
        """16 MiB are one answer: nothing of it is sent before its end fails."""
        _, client = self.pair()
        self.refused(EFAULT, 'beyond the 4 GiB', client.read,
                     2**32 - 15 * MIB, 16 * MIB, DRAM)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_a_register_that_refuses(self):
        """With as much after it as is ever taken at once."""
        tile, client = self.pair()
        client.link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MIB)
        size = 17 * MIB
        frame = bytearray(host_client.request(
            host_client.WRITE, 1, 2, TRISC2_RAM_END, 8))
        first = START_OF_LONG - len(frame)      # taken first: fits the RAM
        frame = host_client.request(
            host_client.WRITE, 1, 2, TRISC2_RAM_END - first, first + 8,
            bytes(size))
        client.send(frame[:START_OF_LONG])
        self.assertEqual(tile.qmp('query-status')['status'], 'running')
        tile.process.send_signal(signal.SIGSTOP)
        client.link.setblocking(False)
        sent = client.link.send(frame[START_OF_LONG:])
        tile.process.send_signal(signal.SIGCONT)
        client.link.settimeout(20)
        self.assertGreater(sent, 260 * 1024)
        client.send(frame[START_OF_LONG + sent:])
        status, text = client.answer()
        self.assertEqual(status, EFAULT)
        self.assertIn(b'nothing there', text)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_frames_that_are_no_writes(self):
        _, client = self.pair()
        read = host_client.request(host_client.READ, *DRAM, 0, 4)[4:]
        for start, status in ((read, EINVAL), (b'\xff' * 100, EBADMSG),
                              (b'', EBADMSG)):
            size = 17 * MIB
            client.send(struct.pack('<I', size) + start)
            client.send(bytes(size - len(start)))
            self.assertEqual(client.answer()[0], status)
            self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_more_than_the_machine_may_have(self):
        """The answer names the option; what is beyond is lost."""
        _, client = self.pair(extra=['-global', 'tensix-noc.max-pages=5120'])
        status, text = self.write(client, 0, 32 * MIB)
        self.assertEqual(status, EFAULT)
        self.assertIn(b'max-pages', text)
        self.assertEqual(client.read(0, 100, DRAM), self.BLOCK[:100])

    def test_a_client_that_disconnects_in_the_middle(self):
        """Of a write or an answer; the next one is served."""
        tile = self.start()
        for n in range(6):
            client = self.connect()
            frame = bytearray(host_client.request(
                host_client.READ if n % 2 else host_client.WRITE, *DRAM, 0,
                64 * MIB))
            if n % 2 == 0:
                frame[:4] = struct.pack('<I', len(frame) - 4 + 64 * MIB)
                frame[-4:] = struct.pack('<I', 64 * MIB)
            client.send(frame)
            if n % 2:
                client.link.recv(n * MIB)
            else:
                client.send(bytes(n * MIB + 100))
            client.close()
            again = self.connect()
            self.assertEqual(again.read32(SOFT_RESET), ALL_HELD)
            again.close()
        self.assertEqual(tile.status(), 'running')

    def test_one_that_stops_in_the_middle(self):
        """Costs no time, and others are served."""
        path = os.path.join(self.folder, 'many')
        tile = self.tile(machine=f'host-socket={path}')
        slow, other = self.connect(path), self.connect(path)
        slow.send(struct.pack('<I', 64 * MIB) + bytes(3 * MIB + 1))
        reader = self.connect(path)
        reader.send(host_client.request(host_client.READ, *DRAM, 0, 64 * MIB))
        self.assertEqual(other.read32(SOFT_RESET), ALL_HELD)
        used = tile.cpu_seconds()
        time.sleep(0.5)
        self.assertLess(tile.cpu_seconds() - used, 0.4)
        self.assertEqual(len(reader.answer()[1]), 64 * MIB)


class Protocol(HostTest):
    def test_unknown_commands(self):
        _, client = self.pair()
        for command in (5, 63, 67, 127, 128, 255):
            self.refused(ENOSYS, f'unknown command {command}', client.ask,
                         command)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_frames_that_are_no_requests(self):
        _, client = self.pair()
        rng = random.Random(6)
        good = host_client.request(host_client.READ, 1, 2, FREE, 4)[4:]
        for n in range(300):
            frame = bytearray(good) if n % 2 else \
                bytearray(rng.randbytes(rng.randrange(80)))
            if n % 2:
                frame[rng.randrange(len(frame))] = rng.randrange(256)
                frame = frame[:rng.choice((len(frame), rng.randrange(80)))]
            # Not one that ends QEMU or takes for ever
            frame[48:49] = b'\0' * len(frame[48:49])
            client.send(struct.pack('<I', len(frame)) + frame)
            client.answer()
        client.send(struct.pack('<I', 3) + b'abc')
        self.assertEqual(client.answer()[0], EBADMSG)
        client.send(struct.pack('<I', 0))
        self.assertEqual(client.answer()[0], EBADMSG)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_lengths_that_cannot_be(self):
        self.start()
        for length in (2**32 - 1, 2**31, GIB + 4097):
            client = self.connect()
            client.write32(FREE, length)
            client.send(struct.pack('<I', length) + b'x' * 100)
            with self.assertRaises(Closed):
                self.assertNotEqual(client.answer()[0], 0)
                client.answer()
            client.close()
            again = self.connect()
            self.assertEqual(again.read32(FREE), length)
            again.close()

    def test_a_length_alone_takes_no_memory(self):
        tile, client = self.pair()
        client.send(struct.pack('<I', 16 * MIB) + b'x')
        tile.status()
        self.assertLess(resident(tile), 100 * MIB)

    def test_no_memory_for_a_frame(self):
        tile, client = self.pair()
        pid = tile.process.pid
        with open(f'/proc/{pid}/statm', encoding='ascii') as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.prlimit(pid, resource.RLIMIT_AS, (size + 8 * MIB, -1))
        client.send(struct.pack('<I', 16 * MIB) + b'x' * 1000)
        self.assertEqual(client.answer(), (EMSGSIZE,
                                           b'no memory for the frame'))
        self.assertEqual(self.connect().read32(SOFT_RESET), ALL_HELD)

    def test_frames_in_pieces_and_in_a_row(self):
        _, client = self.pair()
        frames = b''.join(
            host_client.request(host_client.WRITE, 1, 2, FREE + 4 * n, 4,
                                struct.pack('<I', n)) for n in range(500))
        for n in range(0, 400, 7):
            client.send(frames[n:n + 7])
        client.send(frames[n + 7:])
        for _ in range(500):
            self.assertEqual(client.answer(), (0, b''))
        self.assertEqual(client.read(FREE, 2000),
                         struct.pack('<500I', *range(500)))

    def test_answers_come_in_order(self):
        _, client = self.pair()
        client.write(FREE, bytes(range(200)))
        client.send(b''.join(
            host_client.request(host_client.READ, 1, 2, FREE + n, 1 + n % 3)
            for n in range(190)))
        for n in range(190):
            self.assertEqual(client.answer(),
                             (0, bytes(range(n, n + 1 + n % 3))))

    def test_a_client_that_takes_nothing(self):
        """Answers that do not fit its socket: the others are served."""
        tile, client = self.pair()
        client.send(host_client.request(host_client.READ, *DRAM, 0, 8 << 20))
        for _ in range(20):
            tile.status()
        used = tile.cpu_seconds()
        time.sleep(0.5)
        self.assertLess(tile.cpu_seconds() - used, 0.4)
        self.assertEqual(len(client.answer()[1]), 8 << 20)

    def test_a_client_that_disconnects_in_the_middle(self):
        """Of a frame, of an answer; what was acknowledged stays."""
        self.start()
        for n in range(20):
            client = self.connect()
            client.write32(FREE, n)
            client.write(FREE + 4, bytes([n]) * 100)
            frame = host_client.request(host_client.WRITE, 1, 2, FREE,
                                        70000, b'\xff' * 70000)
            if n % 2:
                client.send(frame[:random.Random(n).randrange(len(frame))])
            else:
                client.send(host_client.request(host_client.READ, *DRAM, 0,
                                                4 << 20))
                client.link.recv(100)
            client.close()
            again = self.connect()
            self.assertEqual(again.read32(FREE), n)
            self.assertEqual(again.read(FREE + 4, 100), bytes([n]) * 100)
            again.close()

    def test_a_second_client_waits_for_the_first(self):
        _, first = self.pair()
        second = self.connect()
        second.send(host_client.request(host_client.READ, 1, 2, FREE, 4))
        first.write32(FREE, 77)
        first.close()
        self.assertEqual(second.answer()[1], struct.pack('<I', 77))

    def test_streams_of_anything(self):
        path = os.path.join(self.folder, 'many')
        tile = self.tile(machine=f'host-socket={path}')
        sure = self.connect(path)
        sure.write32(FREE, 42)
        good = host_client.request(host_client.READ, 1, 2, FREE, 4)
        for n in range(300):
            rng = random.Random(n)
            client = self.connect(path)
            data = bytearray(good * rng.randrange(1, 20))
            for _ in range(rng.randrange(8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            # Commands that write, and lengths without an end, are for others
            for at in range(52, len(data), len(good)):
                data[at] = 0
            try:
                client.send(data + rng.randbytes(rng.randrange(5000)))
                client.link.settimeout(0.001)
                while client.answer():
                    pass
            except (Closed, OSError):
                pass
            client.close()
            self.assertEqual(sure.read32(FREE), 42)
        self.assertEqual(tile.status(), 'running')

    @staticmethod
    def open_files(tile):
        return len(os.listdir(f'/proc/{tile.process.pid}/fd'))

    def test_a_socket_for_many(self):
        path = os.path.join(self.folder, 'tt-umd-sim-0.sock')
        tile = self.tile(machine=f'host-socket={path},host-exit=on')
        clients = [self.connect(path) for _ in range(20)]
        for n, client in enumerate(clients):
            client.write32(FREE + 4 * n, n)
        for client in clients[::2]:
            client.close()
        for client in clients[1::2]:
            self.assertEqual(client.read(FREE, 80),
                             struct.pack('<20I', *range(20)))
        clients[1].send(struct.pack('<I', 2**32 - 1))
        self.assertEqual(clients[3].read32(FREE + 4), 1)
        files = self.open_files(tile)
        for _ in range(100):
            client = self.connect(path)
            self.assertEqual(client.read32(FREE + 8), 2)
            client.close()
        tile.wait_for(lambda tile: self.open_files(tile) <= files, 60)
        clients[3].shutdown()
        self.assertEqual(tile.wait_for_exit(), 0)
        self.assertFalse(os.path.exists(path))

    def test_a_probe_is_no_last_client(self):
        """tt-umd connects and disconnects to find out which server is live."""
        path = os.path.join(self.folder, 'tt-umd-sim-0.sock')
        tile = self.tile(machine=f'host-socket={path},host-exit=on')
        files = self.open_files(tile)
        for ask in lambda client: None, Client.device_info, Client.cluster:
            client = self.connect(path)
            ask(client)
            client.close()
            tile.wait_for(lambda tile: self.open_files(tile) <= files, 60)
        client = self.connect(path)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)
        client.close()
        self.assertEqual(tile.wait_for_exit(), 0)

    def test_one_of_many_disconnects_while_it_waits_for_its_turn(self):
        """Its run is dropped with it, before or after that of another."""
        path = os.path.join(self.folder, 'tt-umd-sim-1.sock')
        with unittest.mock.patch.dict(os.environ, MALLOC_PERTURB_='90'):
            tile = self.tile(machine=f'host-socket={path}')
        first, second, third = (self.connect(path) for _ in range(3))
        self.put(first, 0, counting(FREE))
        first.write32(SOFT_RESET, RELEASE_BRISC)
        tile.stop()
        files = self.open_files(tile)
        for client in (first, second):
            client.send(host_client.request(host_client.CLOCK, address=4000))
            for _ in range(5):          # after which that has been taken
                third.read32(FREE)
        third.send(host_client.request(host_client.CLOCK, address=4000))
        second.close()
        tile.wait_for(lambda tile: self.open_files(tile) < files, 60)
        tile.cont()
        self.assertEqual(first.answer(), (0, b''))
        self.assertEqual(third.answer(), (0, b''))
        self.assertGreater(third.read32(FREE), 1000)


class Leaving(HostTest):
    @every_accelerator
    def test_shutdown(self, accel):
        tile, client = self.pair(accel, machine='host-exit=on')
        client.write32(0, rv.jump(0))
        client.write32(SOFT_RESET, RELEASE_BRISC)
        client.shutdown()
        self.assertEqual(tile.wait_for_exit(), 0)

    def test_shutdown_without_that_option_ends_the_connection(self):
        tile, client = self.pair()
        client.shutdown()
        with self.assertRaises((Closed, OSError)):
            client.read32(FREE)
        self.assertEqual(self.connect().read32(SOFT_RESET), ALL_HELD)
        self.assertIsNone(tile.process.poll())

    def test_with_the_last_client(self):
        tile, client = self.pair(machine='host-exit=on')
        client.read32(FREE)
        client.close()
        self.assertEqual(tile.wait_for_exit(), 0)

    def test_without_that_option_it_stays(self):
        tile, client = self.pair()
        client.read32(FREE)
        client.close()
        self.assertEqual(self.connect().read32(SOFT_RESET), ALL_HELD)
        self.assertIsNone(tile.process.poll())


if __name__ == '__main__':
    unittest.main()
