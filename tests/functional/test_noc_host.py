# SPDX-License-Identifier: GPL-2.0-or-later
"""NoC requests to the PCI Express tile, answered by a host: what is counted
when, more than fit, stop, reset, snapshots, refusals, a host that goes."""

import itertools
import os
import socket
import struct
import time
import unittest

import host_client
import rv_asm as rv
from blackhole_tile import tt
from blackhole_tile.testing import every_accelerator
from rv_asm import A0, A1, A2
from test_noc import (CMD, CTRL, DRAM, LEN, NIU, Noc, OWN, RD_RESP, READ,
                      RESULT, RET_HI, RET_LO, RET_MID, TAG, TARG_HI, TARG_LO,
                      TARG_MID, WR_ACK, WRITE, finish, request, window)

PCIE = 24 << 6 | 19
HOST = 4 << 58                          # where tt-metal finds the host
RD_WORDS, RD_SENT, OUTSTANDING = 0x20C, 0x214, 0x240
PACKET, UNDER_WAY = 16384, 8            # bytes; packets at once
SECONDS = 60


def response(status, data=b''):
    """A frame of an answer."""
    return struct.pack('<IIHHHHiiII', 28 + len(data), 12, 8, 12, 4, 8, 8,
                       status, 4, len(data)) + data


class Host:
    """What QEMU is connected to as its host."""

    def __init__(self, listener):
        listener.settimeout(SECONDS)
        link = listener.accept()[0]
        self.client = host_client.Client(link)

    def question(self):
        """The next request: (is_write, address, size, data)."""
        command, _, _, address, size, data = host_client.parse(
            host_client.REQUEST, self.client.receive())
        return (command == host_client.WRITE, address or 0, size or 0,
                data or b'')

    def answer(self, data=b'', status=0):
        self.client.send(response(status, data))

    def serve(self, memory, count, base=HOST):
        """Answers count requests from memory, a bytearray."""
        for _ in range(count):
            is_write, address, size, data = self.question()
            at = address - base
            if is_write:
                memory[at:at + size] = data
            self.answer(b'' if is_write else bytes(memory[at:at + size]))

    def close(self):
        self.client.close()


class HostCase(Noc):
    """self.start() gives a tile and its host."""

    def setUp(self):
        super().setUp()
        self.numbers = itertools.count()

    def start(self, **options):
        path = os.path.join(self.folder, f'dma-{next(self.numbers)}')
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen(1)
        extra = ['-chardev', f'socket,id=dma,path={path}']
        extra += options.pop('extra', [])
        tile = self.tile(machine='host-dma=dma', extra=extra, report=True,
                         **options)
        host = Host(listener)
        self.addCleanup(host.close)
        return tile, host

    def send(self, tile, ctrl, targ, ret, length, initiator=0, ident=0, noc=0):
        """targ, ret: (coordinates, address)"""
        base = NIU[noc] + 0x800 * initiator
        for offset, value in (
                (TARG_LO, targ[1] & 0xFFFFFFFF), (TARG_MID, targ[1] >> 32),
                (TARG_HI, targ[0]), (RET_LO, ret[1] & 0xFFFFFFFF),
                (RET_MID, ret[1] >> 32), (RET_HI, ret[0]), (TAG, ident << 10),
                (CTRL, ctrl), (LEN, length), (CMD, 1)):
            tile.write32(base + offset, value)

    def read(self, tile, address, to, length, **options):
        self.send(tile, READ, (PCIE, HOST + address), (OWN, to), length,
                  **options)

    def write(self, tile, address, from_, length, **options):
        self.send(tile, WRITE, (OWN, from_), (PCIE, HOST + address), length,
                  **options)

    def wait_for(self, tile, offset, value, noc=0):
        tile.wait_for_word(NIU[noc] + offset, value, seconds=SECONDS)

    def outstanding(self, tile, ident=0, noc=0):
        return tile.read32(NIU[noc] + OUTSTANDING + 4 * ident)


def pattern(size, seed=1):
    return bytes((n * 7 + (n >> 8) * seed + seed) & 0xFF for n in range(size))


class Counters(HostCase):
    def test_read(self):
        tile, host = self.start()
        for noc in (0, 1):
            self.read(tile, 0x1240, 0x3000, 256, initiator=1, ident=5, noc=noc)
            self.assertEqual(host.question(), (False, HOST + 0x1240, 256, b''))
            self.assertEqual(tile.read32(NIU[noc] + 0x800 + CMD), 0)
            self.assertEqual(tile.read32(NIU[noc] + RD_SENT), 1)
            self.assertEqual(tile.read32(NIU[noc] + RD_RESP), 0)
            self.assertEqual(self.outstanding(tile, 5, noc), 1)
            # others do not wait for it
            self.send(tile, WRITE, (OWN, 0), (DRAM, 0x5000), 64, noc=noc)
            self.assertEqual(tile.read32(NIU[noc] + WR_ACK), 1)
            host.answer(pattern(256, noc))
            self.wait_for(tile, RD_RESP, 1, noc)
            self.assertEqual(self.outstanding(tile, 5, noc), 0)
            self.assertEqual(tile.read(0x3000, 256), pattern(256, noc))
            # words of 64 bytes, the last of which is not full
            self.assertEqual(tile.read32(NIU[noc] + RD_WORDS), 4)
            self.read(tile, 0x1240, 0x3000, 65, noc=noc)
            host.question()
            host.answer(pattern(65))
            self.wait_for(tile, RD_RESP, 2, noc)
            self.assertEqual(tile.read32(NIU[noc] + RD_WORDS), 6)
        self.assertFalse(tile.violations())

    def test_write(self):
        tile, host = self.start()
        tile.write(0x10000, pattern(40000))
        self.write(tile, 0, 0x10000, 40000)
        self.assertEqual(self.outstanding(tile), 3)
        tile.write(0x10000, bytes(40000))   # it has left
        got = bytearray(40000)
        host.serve(got, 2)
        self.wait_for(tile, WR_ACK, 2)
        self.assertEqual(self.outstanding(tile), 1)
        host.serve(got, 1)
        self.wait_for(tile, WR_ACK, 3)
        self.assertEqual(got, pattern(40000))
        # posted: no waiters
        self.send(tile, WRITE & ~(1 << 4), (OWN, 0x10000), (PCIE, HOST), 32)
        self.assertEqual(self.outstanding(tile), 0)
        self.assertEqual(host.question(), (True, HOST, 32, bytes(32)))
        host.answer()
        self.assertEqual(tile.read32(NIU[0] + WR_ACK), 3)
        self.assertFalse(tile.violations())

    def test_more_than_fit(self):
        """64 packets, of which eight are under way; others wait after."""
        tile, host = self.start()
        memory = bytearray(pattern(1 << 20, 3))
        self.read(tile, 0, 0x40000, 1 << 20)
        self.assertEqual(tile.read32(NIU[0] + CMD), 1)
        self.assertEqual(tile.read32(NIU[0] + RD_SENT), UNDER_WAY)
        self.send(tile, WRITE, (OWN, 0), (DRAM, 0x5000), 64, initiator=1)
        self.assertEqual(tile.read32(NIU[0] + WR_ACK), 0)
        host.serve(memory, 1)
        self.wait_for(tile, RD_SENT, UNDER_WAY + 1)
        host.serve(memory, 63)
        self.wait_for(tile, RD_RESP, 64)
        self.wait_for(tile, WR_ACK, 1)
        self.assertEqual(tile.read32(NIU[0] + CMD), 0)
        self.assertEqual(tile.read(0x40000, 1 << 20), memory)
        self.assertEqual(self.outstanding(tile), 0)

    def test_header_store_is_reported(self):
        """NOC_PACKET_TAG has the flag in bit 9, beside the ID."""
        tile, host = self.start()
        tile.write32(NIU[0] + TAG, 1 << 9)
        for ctrl, count in ((WRITE, 0), (WRITE & ~(1 << 4), 1)):
            for offset, value in ((TARG_LO, 0x1000), (TARG_MID, 0),
                                  (TARG_HI, OWN), (RET_LO, 0),
                                  (RET_MID, HOST >> 32), (RET_HI, PCIE),
                                  (CTRL, ctrl), (LEN, 64), (CMD, 1)):
                tile.write32(NIU[0] + offset, value)
            self.assertEqual(host.question(), (True, HOST, 64, bytes(64)))
            self.assertEqual(str(tile.violations()).count('second copy'),
                             count)
            host.answer()

    def test_byte_enables_are_refused(self):
        tile, _ = self.start()
        self.send(tile, WRITE | 1 << 2, (OWN, 0), (PCIE, HOST), 0xF0)
        self.assertRegex(str(tile.violations()), r'byte enables at .*19,24')
        self.assertEqual(tile.read32(NIU[0] + WR_ACK), 1)


class Interruptions(HostCase):
    def test_stop(self):
        """The host may answer a stopped machine, which takes it later."""
        tile, host = self.start()
        self.read(tile, 0, 0x3000, 64)
        host.question()
        tile.stop()
        host.answer(pattern(64))
        self.write(tile, 0, 0, 64)
        self.assertTrue(host.question()[0])
        self.assertEqual(tile.read32(NIU[0] + RD_RESP), 0)
        self.assertEqual(tile.read(0x3000, 64), bytes(64))
        tile.cont()
        self.wait_for(tile, RD_RESP, 1)
        self.assertEqual(tile.read(0x3000, 64), pattern(64))

    def test_reset(self):
        """An answer to a request from before the reset is discarded."""
        tile, host = self.start()
        for n in range(12):
            self.read(tile, 64 * n, 0x3000, 64, initiator=n % 4)
        tile.qmp('system_reset')
        tile.wait_for_word(NIU[0] + RD_SENT, 0, seconds=SECONDS)
        self.assertEqual(self.outstanding(tile), 0)
        for _ in range(UNDER_WAY):
            host.question()
            host.answer(pattern(64, 9))
        self.read(tile, 0x9000, 0x4000, 64)
        self.assertEqual(host.question()[1], HOST + 0x9000)
        host.answer(pattern(64, 2))
        self.wait_for(tile, RD_RESP, 1)
        self.assertEqual(tile.read(0x4000, 64), pattern(64, 2))
        self.assertEqual(tile.read(0x3000, 64), bytes(64))

    def test_snapshot(self):
        """Its loader repeats the requests, in the same order."""
        tile, host = self.start()
        tile.write(0x10000, pattern(100))
        self.write(tile, 0x100, 0x10000, 100, ident=2)
        self.read(tile, 0, 0x20000, 10 * PACKET, ident=3)
        asked = [host.question() for _ in range(UNDER_WAY)]
        path = os.path.join(self.folder, 'state')
        tile.save(path)
        self.assertLess(os.path.getsize(path), 1 << 20)
        tile.close()
        memory = bytearray(pattern(10 * PACKET, 4))
        tile, host = self.start(incoming=path, stopped=True)
        tile.wait_for(lambda t: t.status() != 'inmigrate', SECONDS, 'state')
        tile.cont()
        again = host.question()
        self.assertEqual(again, asked[0])
        self.assertEqual(again[3], pattern(100))
        host.answer()
        self.wait_for(tile, WR_ACK, 1)
        host.serve(memory, 10)
        self.wait_for(tile, RD_RESP, 10)
        self.assertEqual(tile.read(0x20000, 10 * PACKET), memory)
        self.assertEqual(self.outstanding(tile, 2), 0)
        self.assertEqual(self.outstanding(tile, 3), 0)
        self.assertFalse(tile.violations())

    # started, broken, length, packet, packets of the only job under way; before
    # them who sent it (an actor, whose last byte is its kind), view, registers
    JOB = '>BBQII'
    ACTOR, REGISTERS = 26, 4 * 12

    def loads(self, path, data, place, *changes):
        """Is a state accepted with (offset from the job, bytes) changed?"""
        data = bytearray(data)
        for at, new in changes:
            data[place + at:place + at + len(new)] = new
        with open(path, 'wb') as file:
            file.write(data)
        tile, _ = self.start(stopped=True, extra=['-incoming', 'defer'])
        with tile:
            tile.qmp('migrate-incoming', uri=f'file:{path}',
                     **{'exit-on-error': False})
            tile.wait_for(lambda t: t.qmp('query-migrate')['status'] in
                          ('completed', 'failed'), SECONDS, 'end of migration')
            return tile.qmp('query-migrate')['status'] == 'completed'

    def test_malformed_snapshots_are_refused(self):
        tile, host = self.start()
        self.read(tile, 0, 0x20000, 10 * PACKET)
        for _ in range(UNDER_WAY):
            host.question()
        path = os.path.join(self.folder, 'state')
        tile.save(path)
        tile.close()
        with open(path, 'rb') as file:
            data = file.read()
        job = struct.pack(self.JOB, 1, 0, 10 * PACKET, UNDER_WAY, 10)
        self.assertEqual(data.count(job), 1)
        place = data.index(job)
        ctrl = -4 * 5                       # after seven of twelve registers
        kind = -self.REGISTERS - 4 - 1
        packet = data.index(struct.pack('>QI', 0x20000, PACKET)) + 8 - place
        queue = len(job) + 3 * (self.ACTOR + 4 + self.REGISTERS + len(job))
        for why, good, change in (
                ('as it was', True, (0, job)),
                ('an atomic with packets', False,
                 (ctrl, struct.pack('>I', 1 | 1 << 4))),
                ('an agent that does not exist', False, (kind, b'\x40')),
                ('a packet without bytes', False,
                 (0, struct.pack(self.JOB, 1, 0, 0, 0, 1))),
                ('a packet without bytes, under way', False,
                 (packet, bytes(4))),
                ('a packet that is too long', False,
                 (packet, struct.pack('>I', PACKET + 1))),
                ('more packets than bytes', False,
                 (0, struct.pack(self.JOB, 1, 0, 10 * PACKET, 8, 11))),
                ('packets before the start', False,
                 (0, struct.pack(self.JOB, 0, 0, 10 * PACKET, 8, 10))),
                ('one initiator twice', False,
                 (queue, struct.pack('>5I', 0, 0, 0, 0, 2)))):
            with self.subTest(why):
                self.assertEqual(self.loads(path, data, place, change), good)

    def test_quit(self):
        tile, host = self.start()
        self.read(tile, 0, 0x3000, 64)
        host.question()
        tile.qmp('quit')
        self.assertEqual(tile.process.wait(SECONDS), 0)

    def test_refused(self):
        tile, host = self.start()
        tile.write32(0x3000, 0x600D)
        self.read(tile, 0x40, 0x3000, 64)
        host.question()
        host.answer(b'no such buffer', status=1)
        self.wait_for(tile, RD_RESP, 1)
        self.assertEqual(tile.read32(0x3000), 0x600D)
        self.assertEqual(self.outstanding(tile), 0)
        self.assertRegex(str(tile.violations()),
                         r'tile \(19,24\) address 0x1000000000000040: .*no such '
                         'buffer')

    def test_the_host_goes(self):
        tile, host = self.start()
        self.read(tile, 0, 0x20000, 1 << 20)
        host.question()
        host.close()
        self.wait_for(tile, RD_RESP, 64)
        self.assertEqual(self.outstanding(tile), 0)
        self.assertEqual(tile.read32(NIU[0] + CMD), 0)
        self.assertTrue(tile.violations())


class Harts(HostCase):
    """NCRISC reads from the host and writes to it, as kernels do."""

    TIMES = 50

    def program(self):
        """Reads TIMES blocks of 64 bytes, each after the one before, and
        sends each back."""
        words = request(NIU[1], READ, 0, PCIE, 0x3000, OWN, 64)
        words += rv.li(A0, HOST >> 32) + [rv.sw(A0, A1, TARG_MID)]
        words += request(NIU[1] + 0x800, WRITE, 0x3000, OWN, 0x1000, PCIE, 64)
        words += rv.li(A0, HOST >> 32) + [rv.sw(A0, A1, RET_MID)]
        loop = rv.li(A1, NIU[1]) + rv.li(A2, 1) + [rv.sw(A2, A1, CMD)]
        loop += [rv.lw(A0, A1, OUTSTANDING), rv.branch(1, A0, 0, -4)]
        loop += rv.li(A1, NIU[1] + 0x800) + [rv.sw(A2, A1, CMD)]
        loop += rv.li(A1, NIU[1])
        loop += [rv.lw(A0, A1, OUTSTANDING), rv.branch(1, A0, 0, -4)]
        loop += [rv.addi(rv.A3, rv.A3, -1)]
        words += rv.li(rv.A3, self.TIMES) + loop
        words += [rv.branch(1, rv.A3, 0, -4 * len(loop))]
        return words + finish(0)

    @every_accelerator
    def test_in_every_accelerator(self, accel):
        image = self.elf('ncrisc', {0x50000: self.program()}, 0x50000)
        tile, host = self.start(accel=accel, images={'ncrisc': image})
        for n in range(self.TIMES):
            self.assertEqual(host.question(), (False, HOST, 64, b''))
            host.answer(pattern(64, n))
            self.assertEqual(host.question(),
                             (True, HOST + 0x1000, 64, pattern(64, n)))
            host.answer()
        tile.wait_for_word(RESULT, 1, seconds=SECONDS)
        self.assertFalse(tile.violations())

    CALM = 0.6                          # seconds: several times what it takes

    def test_a_wait_for_the_host_is_no_deadlock(self):
        """TRISC0 posts what thread 0 waits for once the host has answered."""
        for noc in (0, 1):
            with self.subTest(noc=noc):
                words = request(NIU[noc], READ, 0, PCIE, 0x3000, OWN, 64)
                words += rv.li(A0, HOST >> 32) + [rv.sw(A0, A1, TARG_MID)]
                words += [rv.ttinsn(word) for word in (
                    tt('SEMINIT', max_value=5, sem_sel=1),
                    tt('SEMWAIT', stall_res=0x1FF, wait_sem_cond=1, sem_sel=1),
                    tt('SEMGET', sem_sel=1))]
                words += rv.li(A2, 1) + [rv.sw(A2, A1, CMD)]
                words += [rv.lw(A0, A1, OUTSTANDING), rv.branch(1, A0, 0, -4)]
                words += rv.li(A0, 0xFFE80020) + [rv.sw(0, A0)]
                words += rv.li(A0, 0xFFE80004) + [rv.lw(A0, A0)]
                image = self.elf('trisc0', {0x50000: words + finish(0)},
                                 0x50000)
                tile, host = self.start(images={'trisc0': image})
                self.assertEqual(host.question(), (False, HOST, 64, b''))
                time.sleep(self.CALM)
                self.assertNotIn('deadlock', tile.output())
                host.answer(pattern(64))
                tile.wait_for_word(RESULT, 1, seconds=SECONDS)
                tile.close()


class Others(HostCase):
    def test_the_window_has_none(self):
        tile, _ = self.start()
        self.assertEqual(tile.read32(window(PCIE, 0)), 0)
        tile.write32(window(PCIE, 0), 1)
        self.assertEqual(tile.read32(window(PCIE, 0)), 0)


if __name__ == '__main__':
    unittest.main()
