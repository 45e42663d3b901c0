#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tensix-host's mailboxes: requests through shared memory."""

import os
import random
import re
import struct
import threading
import time
import unittest

import host_client
import rv_asm as rv
from blackhole_tile import SOFT_RESET
from blackhole_tile.testing import every_accelerator
from host_client import Client, HostError
from rv_asm import A0, A1
from test_board import ALL_HELD
from test_host import (DRAM, EFAULT, EINVAL, ENOSYS, FREE, RELEASE_BRISC,
                       HostTest, counting)

EOPNOTSUPP = 95
L1_END = 0x180000
RESET_PC = 0xFFB12228               # of TRISC0, then TRISC1, TRISC2
STREAMS = 0xFFB40000                # 256 KiB of registers, 20 to 100 ms
ANSWER = 64                         # word of the memory
PAGES = 3 * 4096


class MailboxTest(HostTest):
    def box_of(self, client):
        box = client.mailbox()
        self.addCleanup(box.close)
        return box

    def boxed(self, *args, **options):
        tile, client = self.pair(*args, **options)
        return tile, client, self.box_of(client)

    @staticmethod
    def threads(tile):
        return len(os.listdir(f'/proc/{tile.process.pid}/task'))

    @staticmethod
    def files(tile):
        return len(os.listdir(f'/proc/{tile.process.pid}/fd'))

    def until(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)


class Requests(MailboxTest):
    @every_accelerator
    def test_many_at_random(self, accel):
        """L1 and DRAM, by mailbox or socket: one memory."""
        _, client, box = self.boxed(accel)
        rng = random.Random(5)
        places = [(None, FREE, 70000), (DRAM, 1 << 31, 300_000)]
        models = [bytearray(size) for _, _, size in places]
        for link in (client, box) * 100:
            n = rng.randrange(2)
            (tile, base, size), model = places[n], models[n]
            at = rng.randrange(size)
            length = min(rng.choice((1, 4, 7, 4096, 100_000)), size - at)
            if rng.random() < 0.5:
                data = rng.randbytes(length)
                link.write(base + at, data, tile)
                model[at:at + length] = data
            self.assertEqual(box.read(base + at, length, tile),
                             model[at:at + length])
            self.assertEqual(client.read(base + at, length, tile),
                             model[at:at + length])

    def test_the_most_that_it_holds(self):
        _, client, box = self.boxed()
        data = random.Random(1).randbytes(box.room)
        box.write(64, data, DRAM)
        self.assertEqual(client.read(64, len(data), DRAM), data)
        self.assertEqual(box.read(64, len(data), DRAM), data)

    def test_registers(self):
        _, client, box = self.boxed()
        self.assertEqual(box.read32(SOFT_RESET), ALL_HELD)
        self.assertEqual(box.read(SOFT_RESET + 1, 2),
                         struct.pack('<I', ALL_HELD)[1:3])
        pcs = rv.code(range(0x1000, 0x4000, 0x1000))
        box.write(RESET_PC, pcs)
        self.assertEqual(client.read(RESET_PC, len(pcs)), pcs)
        self.assertEqual(box.read(RESET_PC, len(pcs)), pcs)

    @every_accelerator
    def test_code_that_runs_is_replaced(self, accel):
        _, client, box = self.boxed(accel)
        box.write(0, rv.code(counting(FREE)))
        box.write32(SOFT_RESET, RELEASE_BRISC)
        for value, link in ((0x700, box), (0x123, client), (0x55, box)):
            # addi a1, a1, 1 becomes addi a1, zero, value
            box.write32(12, rv.addi(A1, 0, value))
            link.clock(100)
            self.assertEqual(box.read32(FREE), value)

    @every_accelerator
    def test_code_that_is_written_again_stays_translated(self, accel):
        """The same bytes, several pages of which one is code."""
        def invalidated(tile):
            return int(re.search(r'TB invalidate count\s+(\d+)',
                                 tile.hmp('info jit'))[1])
        tile, _, box = self.boxed(accel)
        code = rv.code(counting(FREE)).ljust(PAGES)
        counts = []
        for _ in range(3):
            box.write(0, code)
            box.write32(SOFT_RESET, RELEASE_BRISC)
            box.clock(5000)
            box.write32(SOFT_RESET, ALL_HELD)
            counts.append(invalidated(tile))
        self.assertEqual(counts, counts[:1] * 3)
        box.write(0, code[:12] + rv.code([rv.addi(A1, 0, 0x55)]) +
                  code[16:])
        self.assertGreater(invalidated(tile), counts[0])
        box.write32(SOFT_RESET, RELEASE_BRISC)
        box.clock(100)
        self.assertEqual(box.read32(FREE), 0x55)

    @every_accelerator
    def test_what_is_released_has_begun(self, accel):
        _, _, box = self.boxed(accel)
        for value in range(1, 20):
            box.write(0, rv.code(rv.li(A0, FREE) + rv.li(A1, value) +
                                 [rv.sw(A1, A0), rv.jump(0)]))
            box.write32(SOFT_RESET, RELEASE_BRISC)
            self.assertEqual(box.read32(FREE), value)
            box.write32(SOFT_RESET, ALL_HELD)

    @every_accelerator
    def test_clocks(self, accel):
        tile, _, box = self.boxed(accel)
        box.clock(1 << 40)                  # no hart can run
        box.clock(0)
        box.write(0, rv.code(counting(FREE)))
        box.write32(SOFT_RESET, RELEASE_BRISC)
        count = box.read32(FREE)
        box.clock(40000)
        self.assertGreaterEqual(box.read32(FREE) - count, 9990)
        tile.stop()
        count = box.read32(FREE)
        number = box.post(host_client.CLOCK, address=4000)
        with self.assertRaises(TimeoutError):
            box.answer(number, 0.3)
        self.assertEqual(tile.read32(FREE), count)
        tile.cont()
        self.assertEqual(box.answer(number), (0, b''))

    def test_errors_are_answers(self):
        _, client, box = self.boxed()
        read, write = host_client.READ, host_client.WRITE

        def check(status, text, command, **fields):
            with self.subTest(text):
                self.refused(status, text, lambda: box.ask(command, **fields))
        check(ENOSYS, 'no command for a mailbox', 2)
        check(ENOSYS, 'no command for a mailbox', 0x100)
        check(EINVAL, 'more data', write, size=box.room + 1)
        check(EINVAL, 'more data', read, size=0xFFFFFFFF)
        check(EINVAL, 'coordinates', read, x=64, y=2, size=4)
        check(EINVAL, 'end of the address space', read, x=1, y=2,
              address=(1 << 64) - 2, size=4)
        check(EFAULT, 'outside L1', read, x=1, y=2, address=L1_END - 2, size=4)
        check(EFAULT, 'aligned words', write, x=1, y=2, address=SOFT_RESET,
              size=2)
        self.assertEqual(box.ask(read, x=1, y=2), b'')
        for link in (client, box):
            self.assertEqual(link.read32(SOFT_RESET), ALL_HELD)

    def test_a_write_beyond_l1_has_no_effect(self):
        _, _, box = self.boxed()
        with self.assertRaises(HostError):
            box.write(L1_END - 512, b'\xFF' * 1024)
        self.assertEqual(box.read(L1_END - 512, 512), bytes(512))


class Life(MailboxTest):
    def test_who_gets_none(self):
        _, client, _ = self.boxed()
        self.refused(EOPNOTSUPP, 'has a mailbox', client.mailbox)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    def test_lockstep_has_none(self):
        _, client = self.pair('icount', machine='host-clock=lockstep')
        self.refused(EOPNOTSUPP, 'lockstep', client.mailbox)

    def test_a_pipe_passes_no_files(self):
        path = os.path.join(self.folder, 'pipe')
        os.mkfifo(path + '.in')
        os.mkfifo(path + '.out')
        tile = self.tile(machine='host=p', extra=[
            '-chardev', f'pipe,id=p,path={path}'])
        threads = self.threads(tile)
        with open(path + '.in', 'wb', buffering=0) as to, \
                open(path + '.out', 'rb', buffering=0) as answers:
            to.write(host_client.request(host_client.MAILBOX))
            size = struct.unpack('<I', answers.read(4))[0]
            status, text = host_client.parse(host_client.RESPONSE,
                                             answers.read(size))
        self.assertEqual(status, EOPNOTSUPP)
        self.assertIn(b'files cannot be passed', text)
        self.until(lambda: self.threads(tile) == threads)

    def test_it_ends_with_its_client(self):
        """Idle, in the middle of a request, while a run is waited for."""
        path = os.path.join(self.folder, 'many')
        tile = self.tile(machine=f'host-socket={path}')
        sure = self.box_of(self.connect(path))
        sure.write(0, rv.code(counting(FREE)))
        sure.write32(SOFT_RESET, RELEASE_BRISC)
        tile.stop()
        threads, files = self.threads(tile), self.files(tile)
        for n in range(30):
            client = Client.connect(path)
            box = client.mailbox()
            if n % 3 == 1:
                box.post(host_client.READ, 1, 2, STREAMS, 1 << 18)
            elif n % 3 == 2:
                box.post(host_client.CLOCK, address=4000)
            client.close()
            box.close()
        self.until(lambda: self.threads(tile) == threads)
        self.until(lambda: self.files(tile) == files)
        tile.cont()
        count = sure.read32(FREE)
        sure.clock(4000)
        self.assertGreater(sure.read32(FREE), count)

    def test_a_run_of_one_that_left_is_not_the_next_ones(self):
        tile, client, box = self.boxed()
        box.write(0, rv.code(counting(FREE)))
        box.write32(SOFT_RESET, RELEASE_BRISC)
        tile.stop()
        box.post(host_client.CLOCK, address=4000)
        time.sleep(0.1)
        client.close()
        box = self.box_of(self.connect())
        number = box.post(host_client.CLOCK, address=4000)
        with self.assertRaises(TimeoutError):
            box.answer(number, 0.3)
        tile.cont()
        self.assertEqual(box.answer(number), (0, b''))

    def test_qemu_ends_with_requests_under_way(self):
        path = os.path.join(self.folder, 'many')
        for n in range(5):
            tile = self.tile(machine=f'host-socket={path},host-exit=on')
            client = Client.connect(path)
            box = client.mailbox()
            box.read32(SOFT_RESET)
            box.post(host_client.READ, 1, 2, STREAMS, 1 << 18)
            time.sleep(0.002 * n)
            client.close()
            self.assertEqual(tile.wait_for_exit(), 0)
            box.close()

    def test_an_idle_one_uses_no_processor(self):
        tile, _, box = self.boxed()
        box.read32(SOFT_RESET)
        time.sleep(0.1)
        used = tile.cpu_seconds()
        time.sleep(1)
        self.assertLess(tile.cpu_seconds() - used, 0.2)

    def test_a_sleeping_device_is_woken(self):
        """Whenever the request comes, before it sleeps or after."""
        _, _, box = self.boxed()
        rng = random.Random(3)
        for n in range(2000):
            for _ in range(rng.randrange(1500) if n % 2 else 0):
                pass
            self.assertEqual(box.read32(SOFT_RESET), ALL_HELD)


class Attacks(MailboxTest):
    """The memory is the client's: whatever it writes, and whenever."""

    def test_the_size_is_sealed(self):
        _, _, box = self.boxed()
        for size in (0, 4096, box.room * 4):
            with self.assertRaises(OSError):
                os.ftruncate(box.file, size)
        self.assertEqual(box.read32(SOFT_RESET), ALL_HELD)

    def scribble(self, box, end, seed):
        """Each word of the head, the data too, as fast as Python can."""
        rng = random.Random(seed)
        values = (0, 1, 4, 64, 0xFFB00000, L1_END - 4, box.room, box.room + 1,
                  0x7FFFFFFF, 0xFFFFFFFF)
        while time.monotonic() < end:
            for _ in range(100):
                at = rng.choice((0, 0, 0, 4, 8, 12, 16, 20, 24, 32, 36, 64, 68,
                                 72, 76, 80, 4096))
                value = rng.choice(values)
                if at == 12:
                    value = rng.choice((0, 0, 1, 64, 2, 0xFFFFFFFF))
                elif at in (16, 20):
                    value = rng.choice((1, 2, 17, 12, 63, 64))
                elif at == 0:
                    value = rng.getrandbits(32)
                box.word(at, value)
            box.wake()

    @every_accelerator
    def test_anything_at_any_time(self, accel):
        path = os.path.join(self.folder, 'many-' + accel)
        tile = self.tile(accel=accel, machine=f'host-socket={path}')
        sure = self.connect(path)
        boxes = [self.box_of(self.connect(path)) for _ in range(2)]
        end = time.monotonic() + 3
        threads = [threading.Thread(target=self.scribble,
                                    args=(box, end, n))
                   for n, box in enumerate(boxes)]
        for thread in threads:
            thread.start()
        while time.monotonic() < end:
            self.assertIn(tile.status(), ('running',))
            sure.write32(0x100, 42, DRAM)
        for thread in threads:
            thread.join()
        box = self.box_of(self.connect(path))
        box.write32(FREE, 7)
        self.assertEqual(sure.read32(FREE), 7)

    def test_the_monitor_answers_meanwhile(self):
        """Registers in bulk without an end are no reason to wait."""
        tile, _, box = self.boxed('multi')
        stop = threading.Event()

        def read():
            while not stop.is_set():
                box.read(STREAMS, 1 << 18)
        thread = threading.Thread(target=read)
        thread.start()
        try:
            waits = [host_client.seconds(tile.status) for _ in range(50)]
        finally:
            stop.set()
            thread.join()
        self.assertLess(sorted(waits)[25], 0.5)

    def test_a_bell_that_is_full(self):
        """A client that takes no ring delays only itself."""
        tile, client, box = self.boxed()
        for _ in range(3000):
            number = box.post(host_client.READ, 1, 2, SOFT_RESET, 4)
            box.word(4, 1)
            while box.word(ANSWER) != number:
                pass
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)
        self.assertEqual(tile.status(), 'running')


if __name__ == '__main__':
    unittest.main()
