# SPDX-License-Identifier: GPL-2.0-or-later
"""tensix-host: when harts have begun, CLOCK, lockstep, violations, requests of
the tile to its host, snapshots."""

import os
import random
import re
import struct
import time
import unittest

import host_client
import rv_asm as rv
from blackhole_tile import SOFT_RESET
from blackhole_tile.testing import every_accelerator
from host_client import Closed, seconds
from rv_asm import A0, A1, A2, T0, T1
from test_board import ALL_HELD, RESET_BITS, RESET_PCS
from test_host import FREE, RELEASE_BRISC, HostTest, counting

WALL_CLOCK = 0xFFB121F0
NIU = 0xFFB20000


class Time(HostTest):
    @every_accelerator
    def test_what_is_released_has_begun(self, accel):
        _, client = self.pair(accel)
        for hart, pc in RESET_PCS.items():
            self.put(client, pc, rv.li(A0, FREE) + rv.li(A1, pc + 1) +
                     [rv.sw(A1, A0)] + counting(FREE + 4))
            client.write32(FREE, 0)
            client.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS[hart])
            self.assertEqual(client.read32(FREE), pc + 1, hart)
            client.write32(SOFT_RESET, ALL_HELD)

    @every_accelerator
    def test_without_a_program_it_is_over_soon(self, accel):
        """Five harts run through zeroes, each of which is a violation."""
        _, client = self.pair(accel)
        start = time.monotonic()
        client.write32(SOFT_RESET, 0)
        self.assertLess(time.monotonic() - start, 3)

    @every_accelerator
    def test_so_have_five_at_once(self, accel):
        _, client = self.pair(accel)
        for n, pc in enumerate(RESET_PCS.values()):
            self.put(client, pc, counting(FREE + 0x100 * n))
        client.write32(SOFT_RESET, 0)
        for n in range(5):
            self.assertGreater(client.read32(FREE + 0x100 * n), 0)
        before = [client.read32(FREE + 0x100 * n) for n in range(5)]
        client.clock(40000)
        for n, count in enumerate(before):
            self.assertGreaterEqual(
                client.read32(FREE + 0x100 * n) - count, 9990)

    @every_accelerator
    def test_a_hart_that_cannot_run_delays_no_answer(self, accel):
        """Reset, a stall, a pause, a wait: with 2^40 instructions."""
        pop = rv.li(A0, 0xFFE80000) + [rv.lw(A1, A0), rv.jump(0)]
        poll = rv.li(A0, FREE) + [rv.lw(A1, A0), rv.branch(0, A1, 0, -4)]
        _, client = self.pair(accel)
        client.clock(1 << 40)
        for hart, code in (('trisc0', pop), ('brisc', [rv.EBREAK]),
                           ('ncrisc', poll), ('trisc1', rv.HALT),
                           ('trisc2', [rv.jump(0)])):
            self.put(client, RESET_PCS[hart], code)
            client.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS[hart])
            client.clock(1 << 40)
        client.clock(0)

    @every_accelerator
    def test_a_hart_that_stalls_on_the_way_delays_no_answer(self, accel):
        """After some work TRISC0 waits for a word that no agent pushes."""
        work = rv.li(T0, 50000) + rv.li(A1, FREE) + [
            rv.addi(T0, T0, -1), rv.sw(T0, A1), rv.branch(1, T0, 0, -8)]
        pop = rv.li(A0, 0xFFE80000) + [rv.lw(A1, A0), rv.jump(0)]
        _, client = self.pair(accel)
        client.link.settimeout(20)
        self.put(client, RESET_PCS['trisc0'], work + pop)
        client.write32(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc0'])
        client.clock(1 << 40)
        self.assertEqual(client.read32(FREE), 0)

    def test_a_long_run_soon_after_a_release(self):
        """The release's own limit of time does not cut it short."""
        blocks = 40_000_000
        _, client = self.pair()
        self.put(client, 0, counting(FREE))
        client.write32(SOFT_RESET, RELEASE_BRISC)
        count = client.read32(FREE)
        client.clock(blocks)
        self.assertGreaterEqual(client.read32(FREE) - count, blocks - 1)

    def test_a_release_soon_after_another(self):
        """The earlier one's limit of 0.2 s does not cut it short, either."""
        _, client = self.pair()
        loads = [rv.lw(T0, A2)] * 400
        self.put(client, 0, rv.li(A0, FREE) + rv.li(A2, WALL_CLOCK) +
                 [rv.addi(A1, 0, 0), *loads, rv.addi(A1, A1, 1), rv.sw(A1, A0),
                  rv.jump(-4 * (len(loads) + 2))])
        counts, taken = [], []
        while len(counts) < 12:
            client.write32(SOFT_RESET, ALL_HELD)
            start = time.monotonic()
            client.write32(SOFT_RESET, RELEASE_BRISC)
            taken.append(time.monotonic() - start)
            counts.append(client.read32(FREE))
        print(f'{min(counts)} to {max(counts)} in {max(taken):.3f} s')
        in_time = [n for n, t in zip(counts, taken) if t < 0.19] or [0]
        self.assertGreaterEqual(min(in_time), max(in_time) // 2)

    def stopped(self, accel):
        """A machine that counts in BRISC and is stopped."""
        tile, client = self.pair(accel)
        self.put(client, 0, counting(FREE))
        client.write32(SOFT_RESET, RELEASE_BRISC)
        tile.stop()
        return tile, client

    def waits(self, client):
        client.link.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            client.answer()
        client.link.settimeout(120)

    @every_accelerator
    def test_a_stopped_machine(self, accel):
        """Accesses are served; CLOCK waits until the machine continues."""
        tile, client = self.stopped(accel)
        client.write32(FREE + 4, 5)
        self.assertEqual(client.read32(FREE + 4), 5)
        self.assertEqual(client.read32(SOFT_RESET), RELEASE_BRISC)
        count = client.read32(FREE)
        client.send(host_client.request(host_client.CLOCK, address=4000))
        used = tile.cpu_seconds()
        self.waits(client)
        self.assertLess(tile.cpu_seconds() - used, 0.15)
        self.assertEqual(tile.read32(FREE), count)
        tile.cont()
        self.assertEqual(client.answer(), (0, b''))
        self.assertGreaterEqual(client.read32(FREE), count + 990)

    @every_accelerator
    def test_a_client_that_disconnects_while_it_waits_is_dropped(self, accel):
        tile, client = self.stopped(accel)
        client.send(host_client.request(host_client.CLOCK, address=4000))
        self.waits(client)
        client.close()
        client = self.connect()
        count = client.read32(FREE)
        tile.cont()
        client.clock(400)
        self.assertGreaterEqual(client.read32(FREE), count + 90)
        tile.hmp('system_reset')
        client.clock(1 << 40)

    @every_accelerator
    def test_a_reset_ends_it(self, accel):
        tile, client = self.stopped(accel)
        client.send(host_client.request(host_client.CLOCK,
                                        address=1 << 40))
        tile.cont()
        tile.hmp('system_reset')
        self.assertEqual(client.answer(), (0, b''))

    @every_accelerator
    def test_it_is_as_fast_as_it_can_be_afterwards(self, accel):
        """What counts runs other blocks, but only as long as it counts."""
        _, client = self.pair(accel)
        self.put(client, 0, counting(FREE))
        client.write32(SOFT_RESET, RELEASE_BRISC)

        def rate():
            start, count = time.perf_counter(), client.read32(FREE)
            time.sleep(0.2)
            return (client.read32(FREE) - count) / \
                (time.perf_counter() - start)
        for _ in range(50):
            client.clock(10)
        self.assertGreater(max(rate() for _ in range(3)), 1e6)
        clock = seconds(lambda: client.clock(1), 200)
        print(f'{accel}: CLOCK(1) {1e6 * clock:.0f} us')


class Sleeps(HostTest):
    """Of the harts' thread, while all of them wait."""
    TRIES = 40
    POLL = rv.li(A0, FREE) + [rv.lw(A1, A0), rv.branch(0, A1, 0, -4)]

    def traced(self, accel, *events):
        """A client's mailbox; BRISC polls a word that stays 0."""
        self.log = os.path.join(self.folder, 'log')
        _, client = self.pair(accel, extra=[
            '-D', self.log, '-msg', 'timestamp=on',
            *(word for event in events for word in ('-trace', event))])
        mailbox = client.mailbox()
        self.addCleanup(mailbox.close)
        self.put(mailbox, 0, self.POLL)
        mailbox.write32(FREE, 0)
        return mailbox

    def lines(self, pattern):
        """Groups of each line of the log that has it."""
        with open(self.log, encoding='utf-8') as file:
            return re.findall(pattern, file.read())

    def release(self, mailbox):
        mailbox.write32(SOFT_RESET, RELEASE_BRISC)
        time.sleep(0.01)

    def test_a_hart_that_sleeps_is_held_at_once(self):
        """Its thread would wake up, settle the reset, and sleep again."""
        def check(accel):
            mailbox = self.traced(accel, 'tensix_hart_settle')
            for _ in range(self.TRIES):
                self.release(mailbox)
                mailbox.write32(SOFT_RESET, ALL_HELD)
            waits = len(self.lines('is waited for'))
            self.assertLess(waits, self.TRIES)
        for accel in ('single', 'multi'):
            with self.subTest(accel):
                check(accel)

    @every_accelerator
    def test_one_that_executes_has_stopped(self, accel):
        """What the host writes next stays."""
        mailbox = self.traced(accel)
        self.put(mailbox, 0, counting(FREE))
        for _ in range(10 * self.TRIES):
            mailbox.write32(SOFT_RESET, RELEASE_BRISC)
            mailbox.write32(SOFT_RESET, ALL_HELD)
            mailbox.write32(FREE, 0)
            self.assertEqual(mailbox.read32(FREE), 0)

    @every_accelerator
    def test_one_that_is_held_so_begins_anew(self, accel):
        """Each time, with what the host wrote meanwhile."""
        mailbox = self.traced(accel)
        for n in range(1, self.TRIES):
            self.put(mailbox, 0, rv.li(A0, FREE) + rv.li(A1, n) +
                     [rv.sw(A1, A0, 8)] + self.POLL)
            self.release(mailbox)
            self.assertEqual(mailbox.read32(FREE + 8), n)
            mailbox.write32(SOFT_RESET, ALL_HELD)

    def test_a_run_wakes_it(self):
        mailbox = self.traced('single', 'tensix_turns_wake')
        self.release(mailbox)
        for _ in range(self.TRIES):
            time.sleep(0.01)
            mailbox.clock(64)
        self.assertIn('1', self.lines(r'a run begins: (\d)'))

    def test_it_sleeps_at_once_after_a_run(self):
        """So that the thread of the mailbox runs; it is 20 us otherwise."""
        mailbox = self.traced('single', 'tensix_host_answer',
                              'tensix_turns_sleep')
        if not self.lines(r'^\d+@'):
            self.skipTest('the log of this QEMU (10.2) names no threads')
        found, rounds = [], 0
        while not found and rounds < self.TRIES:    # on a busy host other
            rounds += 1                             # lines come between
            for _ in range(10 * self.TRIES):
                mailbox.write32(SOFT_RESET, RELEASE_BRISC)
                mailbox.write32(SOFT_RESET, ALL_HELD)
            found = self.lines(
                r'(\d+)@([\d.]+):tensix_host_answer .*\n\1@([\d.]+)'
                r':tensix_turns_sleep all wait, for (\d+) ns')
        taken = [float(sleep) - float(answer) for _, answer, sleep, _ in found]
        print(f'{1e6 * min(taken):.0f} us until it sleeps')
        self.assertLess(min(taken), 20e-6)
        # Not for as long as before it was held
        lengths = sorted(int(ns) for *_, ns in found)
        self.assertLess(lengths[len(lengths) // 2], 100_000)


class Lockstep(HostTest):
    def programs(self, client):
        """Harts that take turns at a word and sample the clock."""
        for n, pc in enumerate(RESET_PCS.values()):
            body = [rv.lw(A2, A0), rv.lw(T0, A1), rv.addi(A2, A2, n + 1),
                    rv.sw(A2, A0), rv.sw(T0, A0, 0x40 * (n + 1)),
                    rv.lw(T1, A0, 0x40 * (n + 1) + 4), rv.addi(T1, T1, 1),
                    rv.sw(T1, A0, 0x40 * (n + 1) + 4)]
            self.put(client, pc, rv.li(A0, FREE) + rv.li(A1, WALL_CLOCK) +
                     body + [rv.jump(-4 * len(body))])

    def run_once(self, pause):
        rng = random.Random()
        tile = self.start('icount', 'host-clock=lockstep', stopped=True)
        client = self.connect()
        self.programs(client)
        seen = []
        resets = {0: RELEASE_BRISC, 5: 0x40000, 9: 0, 12: 0x1800, 14: 0}
        for n in range(20):
            if n in resets:
                client.write32(SOFT_RESET, resets[n])
            client.clock(1 + 997 * n)
            time.sleep(rng.random() * pause)
            if pause:
                tile.hmp('info registers')
            seen.append((client.read(FREE, 0x200), client.read32(WALL_CLOCK)))
        clock = seconds(lambda: client.clock(1), 50)
        tile.close()
        return seen, clock

    def test_runs_are_the_same(self):
        runs = [self.run_once(pause) for pause in (0, 0.01, 0)]
        print(f'lockstep: CLOCK(1) {1e6 * runs[0][1]:.0f} us')
        for seen, _ in runs[1:]:
            for n, (one, other) in enumerate(zip(runs[0][0], seen)):
                self.assertEqual(one, other, n)
        self.assertGreater(len(set(runs[0][0])), 15)

    def test_nothing_runs_in_between(self):
        tile = self.start('icount', 'host-clock=lockstep', stopped=True)
        client = self.connect()
        self.put(client, 0, counting(FREE))
        client.write32(SOFT_RESET, RELEASE_BRISC)
        count = client.read32(FREE)
        self.assertGreater(count, 0)
        clock = client.read32(WALL_CLOCK)
        time.sleep(0.1)
        self.assertEqual(client.read32(FREE), count)
        self.assertEqual(client.read32(WALL_CLOCK), clock)
        self.assertEqual(tile.status(), 'paused')
        client.clock(4000)
        self.assertGreaterEqual(client.read32(FREE), count + 990)

    def test_time_passes_for_a_client_that_waits_for_it(self):
        self.start('icount', 'host-clock=lockstep', stopped=True)
        client = self.connect()
        before = client.read32(WALL_CLOCK)
        client.clock(1000000)
        self.assertGreaterEqual(client.read32(WALL_CLOCK) - before, 1350000)

    def test_a_clock_beyond_32_bits(self):
        self.start('icount', 'host-clock=lockstep', stopped=True)
        client = self.connect()
        client.clock(1 << 34)
        client.read32(WALL_CLOCK)
        high = client.read32(WALL_CLOCK + 8)
        self.assertEqual(high, int((1 << 34) * 1.35) >> 32)


class Violations(HostTest):
    BAD = rv.li(A0, 0x300000) + [rv.lw(A1, A0), rv.jump(-4)]

    @every_accelerator
    def test_they_are_reported_once(self, accel):
        _, client = self.pair(accel)
        self.assertEqual(client.status(), '')
        self.put(client, 0, self.BAD)
        client.write32(SOFT_RESET, RELEASE_BRISC)
        client.clock(1000)
        client.write32(SOFT_RESET, ALL_HELD)
        text = client.status()
        self.assertRegex(text, r'^tensix: bad-access: BRISC at pc 0x00000008'
                               r'.*0x00300000, where nothing is\n')
        self.assertRegex(text, r'\d+ violations at 1 site')
        self.assertEqual(client.status(), '')
        client.write32(SOFT_RESET, RELEASE_BRISC)
        self.assertIn('bad-access', client.status())

    def test_a_hart_has_32_lines(self):
        _, client = self.pair()
        words = rv.li(A0, 0x300000) + [rv.lw(A1, A0)] * 40 + rv.HALT
        self.put(client, 0, words)
        client.write32(SOFT_RESET, RELEASE_BRISC)
        client.write32(SOFT_RESET, ALL_HELD)
        text = client.status()
        self.assertEqual(text.count('tensix: bad-access'), 32, text)
        self.assertIn('more sites of brisc are only counted', text)
        self.assertIn('40 violations at 40 sites', text)


class Dma(HostTest):
    """Requests to the PCI Express tile, made by the host through the NIU."""
    PCIE = 24 << 6 | 19
    OWN = 2 << 6 | 1
    READ, WRITE = 0x2090, 0x2092
    RD_RESP, WR_ACK = 0x208, 0x204
    ADDRESS = 0x1234_5678_9000

    def setUp(self):
        super().setUp()
        self.there = (self.PCIE, self.ADDRESS)

    def request(self, client, ctrl, targ, ret, size):
        def words(tile, address):
            return [address & 0xFFFFFFFF, address >> 32, tile]
        client.write(NIU, struct.pack('<6I', *words(*targ), *words(*ret)))
        client.write(NIU + 0x18, struct.pack('<3I', 0, ctrl, size))
        client.write32(NIU + 0x40, 1)

    def read_in(self, client, size):
        self.request(client, self.READ, self.there, (self.OWN, FREE), size)

    def write_out(self, client, size):
        self.request(client, self.WRITE, (self.OWN, FREE), self.there, size)

    def counter(self, client, offset):
        return client.read32(NIU + offset)

    def wait(self, client, offset, value):
        end = time.monotonic() + 60
        while self.counter(client, offset) != value:
            self.assertLess(time.monotonic(), end)

    def host(self):
        return self.connect(self.dma_path)

    @staticmethod
    def question(host):
        """(command, address, size, data) of what the tile asks."""
        command, _, _, address, size, data = host_client.parse(
            host_client.REQUEST, host.receive())
        return command or 0, address, size, data or b''

    @staticmethod
    def reply(host, status=0, data=b''):
        # The same table as a request: status is field 0, data field 1
        head = struct.pack('<IHHHHIiI', 12, 8, 12, 4, 8, 8, status, 4)
        body = head + struct.pack('<I', len(data)) + data
        host.send(struct.pack('<I', len(body)) + body)

    @every_accelerator
    def test_reads_and_writes(self, accel):
        _, client = self.pair(accel, dma=True)
        host = self.host()
        data = random.Random(7).randbytes(5000)
        client.write(FREE, data)
        self.write_out(client, len(data))
        got = b''
        while len(got) < len(data):
            command, address, size, part = self.question(host)
            self.assertEqual((command, address, len(part)),
                             (1, self.ADDRESS + len(got), size))
            got += part
            self.assertEqual(self.counter(client, self.WR_ACK), 0)
            self.reply(host)
        self.assertEqual(got, data)
        self.wait(client, self.WR_ACK, 1)
        self.read_in(client, 3000)
        command, address, size, part = self.question(host)
        self.assertEqual((command, address, size, part),
                         (0, self.ADDRESS, 3000, b''))
        self.assertEqual(client.read(FREE, 3000), data[:3000])
        self.assertEqual(self.counter(client, self.RD_RESP), 0)
        self.reply(host, data=data[:3000][::-1])
        self.wait(client, self.RD_RESP, 1)
        self.assertEqual(client.read(FREE, 3000), data[:3000][::-1])
        self.assertEqual(client.status(), '')

    def failed(self, client, text):
        end, seen = time.monotonic() + 60, ''
        while text not in seen:
            self.assertLess(time.monotonic(), end, seen)
            seen += client.status()

    def test_refusals_are_violations(self):
        _, client = self.pair(dma=True)
        self.read_in(client, 4)
        self.failed(client, 'no host software is connected')
        host = self.host()
        self.read_in(client, 4)
        self.question(host)
        self.reply(host, status=1, data=b'not today')
        self.failed(client, 'status 1: not today')
        self.read_in(client, 64)
        self.question(host)
        self.reply(host, data=bytes(63))
        self.failed(client, 'less data')
        self.read_in(client, 64)
        self.question(host)
        host.close()
        self.failed(client, 'closed the connection')
        again = self.host()
        self.read_in(client, 4)
        self.question(again)
        again.send(b'\xff' * 100)
        self.failed(client, 'closed the connection')
        with self.assertRaises(Closed):
            again.receive()

    def test_unsolicited_answers(self):
        _, client = self.pair(dma=True)
        host = self.host()
        self.reply(host)
        with self.assertRaises(Closed):
            host.receive()
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)

    @every_accelerator
    def test_all_runs_while_an_answer_is_outstanding(self, accel):
        tile, client = self.pair(accel, dma=True)
        host = self.host()
        self.read_in(client, 4)
        self.question(host)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)
        tile.stop()
        self.reply(host, data=b'4321')
        tile.status()
        tile.cont()
        self.wait(client, self.RD_RESP, 1)
        self.assertEqual(client.read(FREE, 4), b'4321')
        self.read_in(client, 4)
        self.question(host)
        tile.hmp('system_reset')
        self.reply(host, data=b'late')
        self.assertEqual(client.read(FREE, 4), b'4321')
        self.read_in(client, 4)
        self.question(host)
        tile.qmp('quit')
        self.assertEqual(tile.wait_for_exit(), 0)

    def test_a_snapshot_asks_again(self):
        state = os.path.join(self.folder, 'state')
        tile, client = self.pair(dma=True)
        host = self.host()
        self.read_in(client, 4)
        asked = self.question(host)
        tile.stop()
        tile.save(state)
        tile.close()
        os.unlink(self.path)
        os.unlink(self.dma_path)
        tile = self.start(dma=True, extra=['-incoming', 'defer'],
                          stopped=True)
        client, host = self.connect(), self.host()
        tile.qmp('migrate-incoming', uri=f'file:{state}')
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)
        tile.cont()
        self.assertEqual(self.question(host), asked)
        self.reply(host, data=b'then')
        self.wait(client, self.RD_RESP, 1)
        self.assertEqual(client.read(FREE, 4), b'then')


class Snapshots(HostTest):
    def test_half_a_frame_stays_behind(self):
        state = os.path.join(self.folder, 'state')
        tile, client = self.pair()
        client.write32(FREE, 1)
        frame = host_client.request(host_client.WRITE, 1, 2, FREE, 4, b'\2' * 4)
        client.send(frame[:20])
        tile.stop()
        tile.save(state)
        client.send(frame[20:])
        self.assertEqual(client.answer(), (0, b''))
        tile.close()
        os.unlink(self.path)
        self.start(extra=['-incoming', f'file:{state}'], stopped=True)
        self.assertEqual(self.connect().read32(FREE), 1)

    def test_requests_wait_for_the_state(self):
        state = os.path.join(self.folder, 'state')
        tile, client = self.pair()
        client.write32(FREE, 1)
        tile.stop()
        tile.save(state)
        tile.close()
        os.unlink(self.path)
        tile = self.start(extra=['-incoming', 'defer'], stopped=True)
        client = self.connect()
        client.send(host_client.request(host_client.WRITE, 1, 2, FREE + 4, 4,
                                        b'\5' * 4))
        client.link.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            client.answer()
        client.link.settimeout(120)
        tile.qmp('migrate-incoming', uri=f'file:{state}')
        self.assertEqual(client.answer(), (0, b''))
        self.assertEqual(client.read(FREE, 8), b'\1\0\0\0\5\5\5\5')


if __name__ == '__main__':
    unittest.main()
