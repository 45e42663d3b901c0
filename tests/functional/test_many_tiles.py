# SPDX-License-Identifier: GPL-2.0-or-later
"""Several tiles in one machine (tiles=COLUMNSxROWS), and the NoC between
them."""

import json
import os
import re
import struct
import tempfile
import time
import unittest

import rv_asm as rv
from blackhole_tile import HARTS, TileError
from blackhole_tile.memory_map import (ALL_HELD, RESET_BITS, SOFT_RESET,
                                       hart_view, tile_address)
from blackhole_tile.testing import SHARED, Tile, every_accelerator, script
from blackhole_tile.timeline_file import TimelineFile
from debug_client import Registers
from test_deadlock import MAIL_T1, load
from test_gdb import GDB, run_gdb
from test_host import FREE, RELEASE_BRISC, HostTest, counting
from test_origins import (DATA, INLINE, NIU, OWN_TILE, PROGRAM, READ, WRITE,
                          program, request)
from test_timeline import Trace

PUSH = 0xFFE40000
PCBUF = 0xFFE80000
SEMAPHORE = 0xFFE80020
BEQ, BNE = 0, 1
TTNOP = 0x02000000
CODE = 0x8000

SECONDS = 60


def number_of(columns, rows):
    return range(columns * rows)


def start(program, accel, columns, rows, values, machine='', **options):
    """A machine whose tiles run this program; values: {word of what they
    share: number}, in each tile."""
    words = {tile_address(n, SHARED + 4 * index): value
             for n in number_of(columns, rows)
             for index, value in values.items()}
    return Tile(program=program, accel=accel, words=words,
                machine=f'tiles={columns}x{rows}{machine}', **options)


class Token(unittest.TestCase):
    """The token is passed by atomic additions over the NoC."""

    COLUMNS, ROWS, ROUNDS, TOKEN, FINISHED = 0, 1, 2, 3, 4

    def run_ring(self, accel, columns, rows, rounds):
        tile = start('token', accel, columns, rows,
                     {self.COLUMNS: columns, self.ROWS: rows,
                      self.ROUNDS: rounds})
        self.addCleanup(tile.close)
        for n in number_of(columns, rows):
            shared = tile_address(n, SHARED)
            tile.wait_for_word(shared + 4 * self.FINISHED, 1, seconds=SECONDS)
            self.assertEqual(tile.read32(shared + 4 * self.TOKEN), rounds)
        return tile

    @every_accelerator
    def test_two_tiles(self, accel):
        """100,000 times from one to the other."""
        self.run_ring(accel, 2, 1, 50000)

    @every_accelerator
    def test_a_square(self, accel):
        self.run_ring(accel, 2, 2, 500)

    def test_as_many_as_there_can_be(self):
        self.run_ring('single', 4, 4, 100)


class Multicast(unittest.TestCase):
    """A write to a rectangle of tiles."""

    WORDS, ROUNDS, TILES = 3072, 20, 16
    ANSWERS, SUM, FINISHED = 3, 4, 4 + 4 * 16

    def sum_of(self, last):
        return sum(last * 1000003 + i * i for i in range(self.WORDS)) & \
            0xffffffff

    def run_program(self, accel, columns, rows):
        tile = start('multicast', accel, columns, rows, {0: columns, 1: rows})
        self.addCleanup(tile.close)
        tile.wait_for_word(SHARED + 4 * self.FINISHED, 1, seconds=SECONDS)
        others = columns * rows - 1
        self.assertEqual(tile.read32(SHARED + 4 * self.ANSWERS),
                         others * self.ROUNDS)
        for n in range(1, columns * rows):
            self.assertEqual(
                tile.read32(SHARED + 4 * (self.SUM + 4 * n)),
                self.sum_of(self.ROUNDS), f'tile {n}')
        return tile

    @every_accelerator
    def test_two_tiles(self, accel):
        self.run_program(accel, 2, 1)

    @every_accelerator
    def test_a_rectangle(self, accel):
        self.run_program(accel, 3, 2)

    def test_the_receivers_count(self):
        """Each NIU counts what it has received (SLV_* of BH Counters.md)."""
        tile = self.run_program('single', 2, 1)
        niu, requests, atomics = 0xFFB20200, 58, 55
        self.assertEqual(tile.read32(tile_address(1, niu + 4 * requests)),
                         2 * self.ROUNDS)
        self.assertEqual(tile.read32(niu + 4 * atomics), self.ROUNDS)


class Receivers(unittest.TestCase):
    """Receivers of a multicast from the first of three tiles, (1,2) to (3,2)."""

    NIU, COLUMNS, ROWS = 0xFFB20000, 0x108, 0x110
    DATA, TO, LENGTH = 0x1000, 0x3000, 16
    CTRL, SRC_INCLUDE = 2 | 1 << 4 | 1 << 5, 1 << 17  # a write, to a rectangle
    ACKNOWLEDGED, RECEIVED, SENT = 1, 58, 49          # counters

    def setUp(self):
        self.tile = Tile(machine='tiles=3x1', stopped=True)
        self.addCleanup(self.tile.close)
        self.tile.write32(self.DATA, 0xfeed)

    def counter(self, n, which):
        return self.tile.read32(tile_address(n, self.NIU + 0x200 + 4 * which))

    def request(self, ctrl, ret):
        """Of the first tile: from its own memory."""
        for offset, value in ((0x00, self.DATA), (0x08, self.place(0)),
                              (0x0c, self.TO), (0x14, ret), (0x1c, ctrl),
                              (0x20, self.LENGTH), (0x40, 1)):
            self.tile.write32(self.NIU + offset, value)
        self.assertEqual(self.tile.read32(self.NIU + 0x40), 0)

    @staticmethod
    def place(n):
        return 2 << 6 | 1 + n

    def receivers(self):
        return [n for n in range(3)
                if self.tile.read32(tile_address(n, self.TO)) == 0xfeed]

    def send(self, flags=0):
        """The tiles that get a multicast."""
        for n in range(3):
            self.tile.write32(tile_address(n, self.TO), 0)
        self.request(self.CTRL | flags, self.place(0) << 12 | self.place(2))
        return self.receivers()

    def test_an_answer_counts_where_it_goes(self):
        """A read whose data another tile of the same row, or column, gets."""
        read, answers = 1 << 4, 2
        self.request(read, self.place(1))
        self.assertEqual(self.receivers(), [1])
        self.request(read, self.place(0) + (1 << 6))
        self.assertEqual(self.counter(0, answers), 0)
        self.request(read, self.place(0))
        self.assertEqual(self.receivers(), [0, 1])
        self.assertEqual(self.counter(0, answers), 1)

    def test_the_sender_only_if_it_wants_to(self):
        self.assertEqual(self.send(), [1, 2])
        self.assertEqual(self.counter(0, self.ACKNOWLEDGED), 2)
        self.assertEqual(self.send(self.SRC_INCLUDE), [0, 1, 2])
        self.assertEqual(self.counter(0, self.ACKNOWLEDGED), 5)
        for which in self.RECEIVED, self.SENT:
            self.assertEqual([self.counter(n, which) for n in range(3)],
                             [1, 2, 2])

    def test_none_that_takes_no_broadcasts(self):
        """Each tile's own registers say so: by its column, or by its row."""
        for register, bit in (self.COLUMNS, 1 << 3), (self.ROWS, 1 << 2):
            with self.subTest(f'{register:#x}'):
                place = tile_address(2, self.NIU + register)
                self.tile.write32(place, bit)
                self.assertEqual(self.send(self.SRC_INCLUDE), [0, 1])
                self.tile.write32(place, ~bit & 0xffff)
                self.assertEqual(self.send(self.SRC_INCLUDE), [0, 1, 2])
                self.tile.write32(place, 0)
        self.assertEqual(self.counter(2, self.RECEIVED), 2)


class Senders(unittest.TestCase):
    """TRISC1 of tile (1,2) writes to tile (2,2), which names it."""

    SECOND = '/machine/tile[1]'
    NOWHERE = 0xFFB12FF0

    def send(self, tile, *places):
        """The pc of the store that sends the last one."""
        second = 2 << 6 | 2
        stores = [(address, to if value == DATA else
                   second if value == OWN_TILE else value)
                  for to in places
                  for address, value in request(WRITE | INLINE, 0xF)]
        words, last = program(stores)
        tile.write(PROGRAM, rv.code(words))
        Registers(tile).release('trisc1', start=PROGRAM)
        return last

    @every_accelerator
    def test_writer(self, accel):
        with Tile(accel=accel, machine='tiles=2x1,writers=on') as tile:
            last = self.send(tile, DATA)
            tile.wait_for_word(tile_address(1, DATA), 5)
            by = tile.qmp('query-tensix-writers', path=self.SECOND,
                          place={'space': 'l1', 'first': DATA})[0]
            self.assertEqual(
                (by['sort'], by['hart'], by['pc'], by['tile']),
                ('noc', 'trisc1', last, {'x': 1, 'y': 2}))
            self.assertIn(f'noc for trisc1 pc {last:#010x} of tile (1,2)',
                          tile.hmp(f'info tensix tile 1 writer l1 {DATA:#x} 4'))

    def test_watch(self):
        with Tile(machine='tiles=2x1') as tile:
            tile.hmp(f'tensix_watch tile 1 l1 {DATA:#x}')
            last = self.send(tile, DATA)
            tile.wait_for(lambda t: t.status() == 'debug')
            self.assertIn(f'written by noc for trisc1 pc {last:#010x} of tile '
                          '(1,2)', tile.output())

    def test_violation(self):
        """It is no place in a program of the tile that reports."""
        with Tile(machine='tiles=2x1') as tile:
            last = self.send(tile, self.NOWHERE)
            tile.wait_for(lambda t: t.qmp('query-tensix-violations',
                                          path=self.SECOND)['sites'])
            site = tile.qmp('query-tensix-violations', path=self.SECOND)['sites'][0]
            self.assertIn(f'from trisc1 pc {last:#010x} of tile (1,2): ',
                          site['text'])
            self.assertEqual(site['hart'], 'none')

    def test_a_tile_that_reads_itself(self):
        """By translated coordinates, too, that lead to tile (1,2)."""
        for own in 2 << 6 | 1, 2 << 6 | 20:
            with self.subTest(own), Tile() as tile:
                words, last = program(
                    [(NIU, self.NOWHERE)] +
                    [(a, own if value == OWN_TILE else value)
                     for a, value in request(READ, 4)[1:]])
                tile.write(PROGRAM, rv.code(words))
                Registers(tile).release('trisc1', start=PROGRAM)
                tile.wait_for(
                    lambda t: t.qmp('query-tensix-violations')['sites'])
                site = tile.qmp('query-tensix-violations')['sites'][0]
                self.assertNotIn('of tile', site['text'])
                self.assertEqual((site['hart'], site['pc']),
                                 ('trisc1', last))

    def test_a_page_that_is_not_pushed(self):
        """Five pages are; whatever has created the check."""
        buffer, page, received = 0x30000, 64, 0xFFB45028
        for machine, extra in (('tiles=2x1,bounds=report', ()),
                               ('tiles=2x1', (
                                   '-object', 'tensix-bounds,id=b,tile=' +
                                   self.SECOND))):
            with self.subTest(machine), Tile(machine=machine,
                                             extra=[*extra]) as tile:
                tile.qmp('tensix-buffer', path=self.SECOND, name='cb',
                         address=buffer, size=8 * page, page=page, stream=5)
                last = self.send(tile, buffer, received, buffer + 5 * page)
                tile.wait_for_word(tile_address(1, buffer + 5 * page), 5)
                self.assertRegex(
                    tile.qmp('query-tensix-unfinished',
                             path=self.SECOND)[0]['text'],
                    rf'1 page written and not pushed .*, the latest by trisc1 '
                    rf'pc {last:#010x} .* of tile \(1,2\)')


class Options(unittest.TestCase):
    def test_every_tile_gets_the_images(self):
        with Tile('token', machine='tiles=2x2', stopped=True) as tile:
            for n in range(4):
                states = [hart['state'] for hart in tile.qmp(
                    'query-tensix-harts', path=f'/machine/tile[{n}]')]
                self.assertEqual([state == 'reset' for state in states],
                                 [False] + 4 * [True], f'tile {n}')

    def test_sizes_that_cannot_be(self):
        for size in '0x1', '5x1', '1x5', '2', '2x', 'x2', '2x2x2', '-1x1', '':
            with self.subTest(size):
                with self.assertRaisesRegex(TileError, 'from 1x1 to 4x4'):
                    Tile(machine=f'tiles={size}')

    def test_where_a_chip_has_no_tensix_tile(self):
        """Columns 8 and 9 of a Blackhole are others."""
        with self.assertRaisesRegex(TileError, r'at \(8,2\) .* no Tensix'):
            Tile(machine='tiles=2x1', extra=['-global', 'tensix-noc.x=7'])

    def test_options_are_those_of_each_tile(self):
        with Tile(machine='tiles=2x1,on-violation=stop,schedule=seed=7',
                  stopped=True) as tile:
            for n in 0, 1:
                for name, value in (('on-violation', 'stop'),
                                    ('schedule', 'seed=7'), ('x', n + 1)):
                    self.assertEqual(tile.qmp(
                        'qom-get', path=f'/machine/tile[{n}]',
                        property=name), value)

    def test_loaders_start_harts_of_any_tile(self):
        with Tile(machine='tiles=2x1', extra=[
                '-device', 'loader,addr=0x1000,data=0x0000006f,data-len=4',
                '-device', f'loader,addr={tile_address(1, 0x1000):#x},'
                           'data=0x6f,data-len=4',
                '-device', 'loader,addr=0x1000,cpu-num=7']) as tile:
            states = [[hart['state'] for hart in tile.qmp(
                'query-tensix-harts', path=f'/machine/tile[{n}]')]
                      for n in (0, 1)]
        self.assertEqual(states[0], ['reset'] * 5)
        self.assertEqual([state == 'reset' for state in states[1]],
                         [True, True, False, True, True])


class Reports(unittest.TestCase):
    """What is reported says of which tile; commands can choose one."""

    def setUp(self):
        self.tile = Tile(machine='tiles=2x2', stopped=True)
        self.addCleanup(self.tile.close)

    def test_violations(self):
        for n in 0, 3:
            self.tile.write32(tile_address(n, hart_view('trisc1', PUSH)), 0)
        text = self.tile.output()
        self.assertIn('tensix: tile (1,2): undefined-behaviour: TRISC1', text)
        self.assertIn('tensix: tile (2,3): undefined-behaviour: TRISC1', text)
        self.tile.status()               # events come before its answer
        paths = [event['data']['path'] for event in self.tile.events
                 if event['event'] == 'TENSIX_VIOLATION']
        self.assertEqual(paths, ['/machine/tile[0]', '/machine/tile[3]'])

    def test_the_only_tile_is_not_named(self):
        with Tile(stopped=True) as tile:
            tile.write32(hart_view('trisc1', PUSH), 0)
            self.assertIn('tensix: undefined-behaviour: TRISC1', tile.output())
            tile.status()
            self.assertNotIn('path', tile.events[-1]['data'])

    def test_monitor(self):
        post = tile_address(2, hart_view('trisc0', SEMAPHORE))
        self.tile.write32(post, 0)
        text = self.tile.hmp('info tensix semaphores')
        self.assertEqual(re.findall(r'^(/machine/.*?)\r?$', text, re.M),
                         [f'/machine/tile[{n}]' for n in range(4)])
        one = self.tile.hmp('info tensix tile 2 semaphores')
        self.assertIn(one, text)
        self.assertNotEqual(
            one, self.tile.hmp('info tensix tile 1 semaphores'))
        for words in 'tile 4 why', 'tile', 'tile x':
            self.assertIn('there is no tile', self.tile.hmp(
                f'info tensix {words}'))
        self.assertIn('the machine has 4 tiles', self.tile.hmp(
            'tensix_watch dest 4'))
        self.assertIn('watch 1', self.tile.hmp('tensix_watch tile 3 dest 4'))
        self.assertIn('1: ', self.tile.hmp('info tensix tile 3 breaks'))
        self.assertIn('no breaks', self.tile.hmp('info tensix tile 0 breaks'))
        self.assertEqual(self.tile.hmp('tensix_delete tile 3 1'), '')

    def test_python(self):
        """tile.tiles has the state and the registers of each."""
        third = self.tile.tiles[2]
        self.tile.write32(third.address(hart_view('trisc0', SEMAPHORE)), 0)
        self.assertEqual(
            [part.state.semaphores()[0].value for part in self.tile.tiles],
            [0, 0, 1, 0])
        third.registers.set_dest([[1.0] * 16], 'bf16', 4)
        self.assertEqual(list(third.registers.dest('bf16', 4)[0]),
                         [1.0] * 16)
        self.assertEqual(list(self.tile.tiles[1].registers.dest(
            'bf16', 4)[0]), [0.0] * 16)

    def test_qmp(self):
        with self.assertRaisesRegex(TileError, 'several Tensix tiles'):
            self.tile.qmp('query-tensix-why')
        for path in '/machine/tile[2]', '/machine/tile[2]/cop':
            self.assertEqual(len(self.tile.qmp('query-tensix-harts',
                                               path=path)), len(HARTS))


class Release(unittest.TestCase):
    """A tile releases another one's hart from reset by an inline write over
    the NoC, as a dispatcher does."""

    RESULT, SOFT_RESET, BRISC_RUNS = 0x40000, 0xFFB121B0, 0x47000
    REGISTERS = {0x00: SOFT_RESET, 0x08: 2 << 6 | 2, 0x14: 2 << 6 | 1,
                 0x1C: 0x209A, 0x20: 0xF, 0x28: BRISC_RUNS, 0x40: 1}

    @every_accelerator
    def test_brisc_of_the_next_tile(self, accel):
        code = rv.li(rv.A0, self.RESULT) + rv.li(rv.A1, 7) + \
            [rv.sw(rv.A1, rv.A0)] + rv.HALT
        with Tile(accel=accel, machine='tiles=2x1', words={
                tile_address(1, 4 * n): word
                for n, word in enumerate(code)}) as tile:
            self.assertEqual(tile.read32(tile_address(1, self.RESULT)), 0)
            for offset, value in self.REGISTERS.items():
                tile.write32(0xFFB20000 + offset, value)
            tile.wait_for_word(tile_address(1, self.RESULT), 7)
            self.assertEqual(tile.read32(tile_address(1, self.SOFT_RESET)),
                             self.BRISC_RUNS)
            self.assertEqual(tile.read32(self.SOFT_RESET), 0x47800)
            self.assertNotIn('tensix:', tile.output())


class Host(HostTest):
    """Host software reaches each tile by its coordinates, as it does on a
    card."""

    def test_memory_registers_and_release(self):
        tile, client = self.pair(machine='tiles=2x1')
        second = 2, 2
        data = bytes(range(256)) * 64
        client.write(FREE, data, second)
        self.assertEqual(client.read(FREE, len(data), second), data)
        self.assertEqual(client.read(FREE, len(data)), bytes(len(data)))
        self.assertEqual(client.read32(0xFFB20148, second), 2 << 6 | 2)
        self.assertEqual(client.read(0xFFB20144, 12, second)[4:8],
                         struct.pack('<I', 2 << 6 | 2))
        code = rv.li(rv.A0, FREE) + rv.li(rv.A1, 7) + \
            [rv.sw(rv.A1, rv.A0)] + rv.HALT
        client.write(0, struct.pack(f'<{len(code)}I', *code), second)
        client.write32(SOFT_RESET, RELEASE_BRISC, second)
        tile.wait_for_word(tile_address(1, FREE), 7)
        self.assertEqual(client.read32(SOFT_RESET), ALL_HELD)


class Clock(HostTest):
    """A host's clock counts the harts of all tiles, and host-clock=lockstep stops
    them all."""

    COUNTED, MANY, SECOND = 1000, 10000000, (2, 2)

    def second_counts(self, accel, machine='', **options):
        """BRISC of the second tile alone counts: an instruction in four is a
        store of the next number."""
        tile, client = self.pair(accel, f'tiles=2x1{machine}', **options)
        client.write(0, rv.code(counting(FREE)), self.SECOND)
        client.write32(SOFT_RESET, RELEASE_BRISC, self.SECOND)
        return tile, client

    def lockstep(self):
        return self.second_counts('icount', ',host-clock=lockstep', stopped=True)

    @every_accelerator
    def test_free(self, accel):
        _, client = self.second_counts(accel)
        before = client.read32(FREE, self.SECOND)
        client.clock(4 * self.MANY)
        self.assertGreaterEqual(client.read32(FREE, self.SECOND) - before,
                                self.MANY)

    def test_lockstep(self):
        tile, client = self.lockstep()
        released = client.read32(FREE, self.SECOND)
        self.assertGreater(released, 0)      # a release runs what it releases
        for _ in range(3):
            before = client.read32(FREE, self.SECOND)
            client.clock(4 * self.COUNTED)
            done = client.read32(FREE, self.SECOND) - before
            self.assertGreaterEqual(done, self.COUNTED)
            self.assertEqual(tile.status(), 'paused')
            time.sleep(0.05)
            self.assertEqual(client.read32(FREE, self.SECOND), before + done)

    def test_the_same_again(self):
        seen = []
        for _ in range(2):
            tile, client = self.lockstep()
            client.write(0, rv.code(counting(FREE)))
            client.write32(SOFT_RESET, RELEASE_BRISC)
            for n in 1, 500, 3001:
                client.clock(n)
                seen.append((client.read32(FREE), client.read32(FREE, self.SECOND)))
            client.close()
            tile.close()
        self.assertEqual(seen[:3], seen[3:])


def delay(count):
    return rv.li(rv.A0, count) + [rv.addi(rv.A0, rv.A0, -1),
                                  rv.branch(BNE, rv.A0, rv.ZERO, -4)]


def stalls_or_pushes():
    """As the word at FREE says: 0, a long delay and a load from an empty
    mailbox; else NOPs are pushed for ever, and counted after it."""
    pushes = [rv.ttinsn(TTNOP), rv.addi(rv.A2, rv.A2, 1),
              rv.sw(rv.A2, rv.A1)] + delay(2000)
    pushes.append(rv.jump(-4 * len(pushes)))
    return rv.li(rv.A0, FREE) + rv.li(rv.A1, FREE + 4) + rv.li(rv.A2, 0) + [
        rv.lw(rv.A0, rv.A0), rv.branch(BEQ, rv.A0, rv.ZERO,
                                       4 + 4 * len(pushes))] + pushes + \
        delay(10000000) + load(MAIL_T1) + rv.HALT


class Timelines(unittest.TestCase):
    """All tiles write one file, and its readers see all events in order."""

    TILES = '(1,2)', '(2,2)'
    ROUNDS = 40

    def push(self, tile, number):
        tile.write32(tile_address(number, hart_view('trisc1', PUSH)),
                     0x60 << 24)

    def set(self, tile, path):
        tile.qmp('qom-set', path='/machine', property='timeline', value=path)

    def pushes(self, path):
        """The tiles that pushed, in their order."""
        file = TimelineFile(path)
        self.assertTrue(file.complete)
        return [file.stream.tile for kind, _ in file.events()
                if kind.name == 'push']

    def form(self, path, form):
        done = script('timeline', path, '--format', form, text=False,
                      timeout=120)
        done.check_returncode()
        return done.stdout

    @every_accelerator
    def test_in_order(self, accel):
        """The token goes to and fro: one request of each tile in turn."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'timeline')
            tile = start('token', accel, 2, 1, {0: 2, 1: 1, 2: self.ROUNDS},
                         machine=f',timeline={path}')
            self.addCleanup(tile.close)
            for n in range(2):
                tile.wait_for_word(tile_address(n, SHARED + 4 * 4), 1)
            tile.quit()
            self.assertEqual(os.listdir(folder), ['timeline'])
            self.check_forms(path)

    def check_forms(self, path):
        file = TimelineFile(path)
        self.assertEqual([file.stream.tile for kind, _ in file.events()
                          if kind.name == 'noc'], [*self.TILES] * self.ROUNDS)
        trace = Trace(self.form(path, 'perfetto'))
        self.assertEqual(sorted(trace.processes.values()), [*self.TILES])
        self.assertEqual([(track, details['target'][:10])
                          for track, _, _, _, details, _ in trace.slices
                          if 'NoC' in track],
                         [('(1,2) NoC 0', 'tile (2,2)'),
                          ('(2,2) NoC 1', 'tile (1,2)')] * self.ROUNDS)
        for tile in self.TILES:
            self.assertIn(f'{tile} brisc', trace.tracks.values())
        found = json.loads(self.form(path, 'json'))
        for rows in found['spans'], found['counters']:
            self.assertEqual({row['tile'] for row in rows}, {*self.TILES})
        self.assertRegex(self.form(path, 'text').decode(),
                         r'\n\d+ tile \(2,2\): noc noc 1')
        self.assertIn(b'>(2,2) brisc<', self.form(path, 'svg'))

    def test_of_the_only_tile_it_says_nothing_of_tiles(self):
        with Tile(stopped=True) as tile:
            path = os.path.join(tile.folder, 'timeline')
            self.set(tile, path)
            self.push(tile, 0)
            self.set(tile, '')
            file = TimelineFile(path)
            self.assertEqual(self.pushes(path), [''])
            self.assertNotIn('tile', {kind.name for kind in
                                      file.kinds.values()})
            self.assertNotIn(b'"tile"', self.form(path, 'json'))

    def test_begun_and_ended_at_run_time(self):
        with Tile(machine='tiles=2x1', stopped=True) as tile:
            path = os.path.join(tile.folder, 'timeline')
            self.set(tile, path)
            for number in 1, 0, 1:
                self.push(tile, number)
            self.set(tile, path + 'other')
            self.assertEqual(self.pushes(path), [self.TILES[1], self.TILES[0],
                                                 self.TILES[1]])
            self.assertRegex(self.form(path, 'lines'), br'\n +3 +3 +0 ')
            self.push(tile, 1)
            self.set(tile, path + 'other')     # begins it anew
            self.push(tile, 0)
            self.set(tile, '')
            self.assertEqual(self.pushes(path + 'other'), [self.TILES[0]])

    @every_accelerator
    def test_what_harts_do_by_themselves(self, accel):
        """Tile 1 pushes all the time; tile 0 stalls in the middle of that,
        and has not been in its coprocessor before."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'out')
            elf = rv.elf({CODE: rv.code(stalls_or_pushes())}, CODE)
            tile = Tile(images={'trisc0': elf}, accel=accel,
                        words={tile_address(1, FREE): 1},
                        machine=f'tiles=2x1,timeline={path}')
            self.addCleanup(tile.close)
            # no more than that: a query would enter the coprocessor
            tile.wait_for(lambda t: t.read32(tile_address(1, FREE + 4)) >
                          15000, seconds=SECONDS)
            tile.quit()
            self.check_stall(path)

    def check_stall(self, path):
        file, pushes = TimelineFile(path), 0
        for kind, numbers in file.events():
            pushes += kind.name == 'push'
            if kind.name == 'hart' and \
                    file.name('turn', numbers[1]) == 'stalls':
                self.assertEqual(file.stream.tile, self.TILES[0])
                break
        self.assertGreater(pushes, 10)

    def test_two_objects(self):
        """What a tile is like when its part begins comes after the rest."""
        with Tile(machine='tiles=2x1', stopped=True) as tile:
            path = os.path.join(tile.folder, 'timeline')

            def add(number):
                tile.qmp('object-add', **{
                    'qom-type': 'tensix-timeline', 'id': f't{number}',
                    'file': path, 'tile': f'/machine/tile[{number}]'})
            add(0)
            self.push(tile, 0)
            add(1)
            self.push(tile, 1)
            tile.qmp('object-del', id='t0')
            self.push(tile, 1)
            tile.qmp('object-del', id='t1')
            self.assertEqual(self.pushes(path), [self.TILES[0], self.TILES[1],
                                                 self.TILES[1]])
            file = TimelineFile(path)
            names = [(file.stream.tile, kind.name) for kind, _ in
                     file.events()]
            self.assertLess(names.index((self.TILES[0], 'push')),
                            names.index((self.TILES[1], 'fifo')))
            self.assertEqual(names[-1], ('', 'end'))

    def test_an_object_needs_to_know_which(self):
        with Tile(machine='tiles=2x1', stopped=True) as tile:
            path = os.path.join(tile.folder, 'timeline')
            arguments = {'qom-type': 'tensix-timeline', 'id': 't',
                         'file': path}
            with self.assertRaisesRegex(TileError, 'which of 2 tiles'):
                tile.qmp('object-add', **arguments)
            tile.qmp('object-add', tile='/machine/tile[1]', **arguments)
            tile.qmp('object-del', id='t')


class Snapshots(unittest.TestCase):
    """A snapshot has all tiles."""

    ENDLESS, LEFT = 0x7FFFFFFF, 30000    # rounds, until the snapshot and after

    def check(self, accel):
        values = {0: 2, 1: 1, 2: self.ENDLESS}
        rounds, token, finished = (SHARED + 4 * n for n in (2, 3, 4))
        before = start('token', accel, 2, 1, values)
        self.addCleanup(before.close)
        before.wait_for(lambda t: t.read32(tile_address(1, token)) > 100)
        path = os.path.join(before.folder, 'state')
        before.save(path)
        seen = before.read32(tile_address(1, token))
        self.assertLess(seen, self.ENDLESS)
        after = start('token', accel, 2, 1, values, incoming=path)
        self.addCleanup(after.close)
        before.close()
        after.qmp('stop')
        loaded = after.read32(tile_address(1, token))
        self.assertGreaterEqual(loaded, seen)
        for n in 0, 1:
            after.write32(tile_address(n, rounds), loaded + self.LEFT)
        after.qmp('cont')
        for n in 0, 1:
            after.wait_for_word(tile_address(n, finished), 1, seconds=SECONDS)
            self.assertEqual(after.read32(tile_address(n, token)),
                             loaded + self.LEFT)

    @every_accelerator
    def test_in_the_middle(self, accel):
        self.check(accel)


class Deadlocks(unittest.TestCase):
    RESET_PC = 0xA000                    # of TRISC1

    def release(self, tile, n, code):
        """TRISC1 of a tile executes code."""
        tile.write(tile_address(n, self.RESET_PC), rv.code(code))
        tile.write32(tile_address(n, SOFT_RESET),
                     ALL_HELD & ~RESET_BITS['trisc1'])

    @every_accelerator
    def test_not_before_all_tiles_have_come_to_rest(self, accel):
        """One waits for mail; another works and could still send some."""
        count = [rv.addi(rv.A0, rv.A0, 1), rv.sw(rv.A0, rv.A1), rv.jump(-8)]
        with Tile(accel=accel, machine='tiles=2x1', stopped=True) as tile:
            self.release(tile, 1, rv.li(rv.A1, SHARED) + count)
            self.release(tile, 0, rv.li(rv.A0, PCBUF) +
                         [rv.lw(rv.A0, rv.A0), rv.jump(0)])
            tile.qmp('cont')
            tile.wait_for(lambda t: t.qmp(
                'query-tensix-harts',
                path='/machine/tile[0]')[3]['state'] == 'waiting')
            time.sleep(0.5)              # five times as long as it takes
            before = tile.read32(tile_address(1, SHARED))
            tile.wait_for(lambda t: t.read32(
                tile_address(1, SHARED)) != before)
            self.assertNotIn('deadlock', tile.output())
            tile.write32(tile_address(1, SOFT_RESET), ALL_HELD)
            tile.wait_for(lambda t: 'tensix: tile (1,2): deadlock: '
                          in t.output())
            self.assertNotIn('tile (2,2)', tile.output())

    @every_accelerator
    def test_a_tile_that_another_may_help_has_none(self, accel):
        """Each tile waits for the other's next word nearly all the time."""
        tile = start('token', accel, 2, 1, {0: 2, 1: 1, 2: 20000})
        self.addCleanup(tile.close)
        tile.wait_for_word(SHARED + 4 * 4, 1, seconds=SECONDS)
        self.assertNotIn('deadlock', tile.output())


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Gdb(unittest.TestCase):
    """Ten harts are ten inferiors."""

    NAMES = [*HARTS, *(f'tile1-{hart}' for hart in HARTS)]

    def run_gdb(self, commands, harts=''):
        """What gdb prints, attached by scripts/tile.gdb to harts of two tiles."""
        values = {tile_address(n, SHARED + 4 * i): value for n in (0, 1)
                  for i, value in ((0, 2), (1, 1), (2, 1000))}
        with Tile('token', words=values, machine='tiles=2x1', stopped=True,
                  gdb=True) as tile:
            return run_gdb(tile, commands, TILE_HARTS=harts)

    def test_ten_inferiors(self):
        text = self.run_gdb(['info threads', 'set schedule-multiple off',
                             'inferior 6', 'stepi 3',
                             'printf "6: %#x\\n", $pc', 'inferior 1',
                             'printf "1: %#x\\n", $pc'])
        names = re.findall(r'Thread \d+\.\d+ \(tt-baby-riscv-cpu ([\w-]+)',
                           text)
        self.assertEqual(names[:10], self.NAMES, text)
        with_elf = re.findall(r'^\d+\.1 (\S+) .*token-brisc.elf$', text, re.M)
        self.assertEqual(sorted(with_elf), ['brisc', 'tile1-brisc'], text)
        self.assertRegex(text, r'(?s)\n6: 0xc\n.*\n1: 0\n')

    def test_one_hart_of_the_second_tile(self):
        text = self.run_gdb(['break main', 'continue', 'info inferiors'],
                            'tile1-brisc')
        self.assertRegex(text, r'Breakpoint 1, main \(\) at .*token/brisc.c')
        self.assertRegex(text, r'(?m)^\* \d +process 6 ')
        text = self.run_gdb([], 'tile2-brisc')
        self.assertIn('TILE_HARTS: no hart tile2-brisc; there are brisc', text)


if __name__ == '__main__':
    unittest.main()
