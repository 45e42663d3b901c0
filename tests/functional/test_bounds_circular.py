# SPDX-License-Identifier: GPL-2.0-or-later
"""-M blackhole-tile,bounds=report: pages of circular buffers.

TRISC1 is the producer and BRISC the consumer, which releases it.  Each wrong
program lacks one wait, push or pop that its twin has.
"""

import os
import unittest

import rv_asm as rv
from blackhole_tile import Buffer, TileError, firmware
from blackhole_tile.buffers import declare_circular
from blackhole_tile.instructions import tt
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import Tile
from races_pairs import NOC_WRITE, RELEASE, load, noc, poll, push, store
from test_races import FINISHED, images_of

CB, PAGE, PAGES, STREAM = 0x30000, 64, 4, 5
COUNTERS = 0xFFB40000 + STREAM * 0x1000
ACKED, RECEIVED = COUNTERS + 0x20, COUNTERS + 0x28
ALL = {'cb': (CB, PAGES * PAGE, STREAM, PAGE)}
NAME = 'cb (L1 0x30000, 4 pages of 64 bytes)'
WORD, LESS = 4, 4
DATA, GO = 0x20000, 0x7010         # outside of the buffer


def write(page):
    return store(CB + page * PAGE, 7)


def read(page):
    return load(CB + page * PAGE)


def until(address, value):
    """Loads it until it is at least this value."""
    return (rv.li(rv.A0, address) + rv.li(rv.A2, value) +
            [rv.lw(rv.A1, rv.A0),
             rv.branch(LESS, rv.A1, rv.A2, -WORD)])


def pushed(number):
    return store(RECEIVED, number)


def popped(number):
    return store(ACKED, number)


def joined(*parts):
    return sum(parts, [])


def produce(first, last):
    """Pushes page after page, each when there is space."""
    return joined(*(
        (until(ACKED, n - PAGES + 1) if n >= PAGES else []) +
        write(n % PAGES) + pushed(n + 1) for n in range(first, last)))


def consume(first, last):
    return joined(*(until(RECEIVED, n + 1) + read(n % PAGES) + popped(n + 1)
                    for n in range(first, last)))


class Circular(unittest.TestCase):
    def run_both(self, producer, consumer, buffers=None, unfinished=False):
        """Texts of bounds, or of circular buffers that are left."""
        harts = {'trisc1': producer, 'brisc': RELEASE + consumer}
        with Tile(images=images_of(harts), stopped=True,
                  machine='bounds=report') as tile:
            for name, (at, size, stream, page) in (buffers or ALL).items():
                tile.buffer(at, size, name, stream=stream, page=page)
            tile.cont()
            for n in range(len(harts)):
                tile.wait_for_word(FINISHED + WORD * n, 1)
            if unfinished:
                return [row['text'] for row in
                        tile.qmp('query-tensix-unfinished')
                        if row['kind'] == 'circular-buffer']
            self.sites = [
                site for site in tile.qmp('query-tensix-violations')['sites']
                if site['category'] == 'bounds']
            return [site['text'] for site in self.sites]

    def check(self, producer, consumer, text, hart='trisc1', **options):
        self.assertEqual(self.run_both(producer, consumer, **options),
                         [text] if text else [])
        if text:
            self.assertEqual([site['hart'] for site in self.sites], [hart])


class Pages(Circular):
    def test_a_ring(self):
        self.check(produce(0, 11), consume(0, 11), '')

    def test_write_before_the_pop(self):
        text = (f'writes 4 bytes page 0 of {NAME}, which is not acked '
                '(4 pages received, 0 acked)')
        full = produce(0, 4)
        after = until(RECEIVED, 4) + store(DATA, 1)
        self.check(full + write(0) + store(DATA, 1),
                   until(DATA, 1) + read(0) + popped(1), text)
        self.check(full + until(ACKED, 1) + write(0), after + popped(1), '')

    def test_read_before_the_first_push(self):
        text = (f'reads 4 bytes page 0 of {NAME}, which is not received '
                '(0 pages received, 0 acked)')
        self.check(until(DATA, 1) + produce(0, 1),
                   read(0) + store(DATA, 1) + until(RECEIVED, 1) + popped(1),
                   text, hart='brisc')

    def test_read_before_a_push(self):
        text = (f'reads 4 bytes page 1 of {NAME}, which is not received '
                '(1 pages received, 1 acked)')
        wait = until(DATA, 1)
        self.check(produce(0, 1) + wait + produce(1, 2),
                   consume(0, 1) + read(1) + store(DATA, 1) + consume(1, 2),
                   text, hart='brisc')
        self.assertEqual(self.sites[0]['count'], 1)
        self.check(produce(0, 1) + wait + produce(1, 2),
                   consume(0, 1) + store(DATA, 1) + consume(1, 2), '')

    def test_an_access_of_two_pages(self):
        """The NoC reads bytes of a page that is held and of one that is
        free."""
        buffers = {'cb': (CB, 32, STREAM, 8)}
        consumer = until(RECEIVED, 3) + popped(1)
        transfer = noc(NOC_WRITE, CB + 16, DATA)
        self.check(pushed(3), consumer + transfer,
                   'the NoC reads 16 bytes page 3 of cb (L1 0x30000, 4 pages '
                   'of 8 bytes), which is not received (3 pages received, 1 '
                   'acked)', hart='brisc', buffers=buffers)
        self.check(pushed(3) + pushed(4),
                   consumer + until(RECEIVED, 4) + transfer, '',
                   buffers=buffers)

    def test_the_producer_reads_and_the_consumer_writes(self):
        self.check(write(0) + read(0) + pushed(1) + read(0) + until(ACKED, 1) +
                   read(1),
                   until(RECEIVED, 1) + write(0) + popped(1), '')

    def test_one_hart_for_both(self):
        """A hart that pushes and pops, and one that does neither."""
        self.check(joined(read(0), write(0), pushed(1), popped(1), pushed(2),
                          write(1), read(2), store(DATA, 1)),
                   until(DATA, 1) + write(1) + read(2), '')

    def test_buffers_that_share_memory(self):
        other = {'other': (CB, PAGE, STREAM + 1, PAGE)}
        for buffers in {**ALL, **other}, {**other, **ALL}:
            self.check(produce(0, 4) + write(0), until(RECEIVED, 4), '',
                       buffers=buffers)

    def test_the_position_in_the_ring(self):
        turns = joined(*(pushed(n) + popped(n) for n in (5, 10)))
        self.check(turns + pushed(13) + write(3), until(RECEIVED, 13), '',
                   buffers={'cb': (CB, PAGE * 5, STREAM, PAGE)})


class Counters(Circular):
    def test_too_many_pushed(self):
        text = (f'pushes 2 pages of {NAME}, which has space for 1 '
                '(3 pages received, 0 acked)')
        self.check(produce(0, 3) + pushed(5) + pushed(9), [], text)
        self.check(produce(0, 3) + pushed(4), [], '')

    def test_too_many_popped(self):
        text = (f'pops 2 pages of {NAME}, which holds 1 '
                '(1 pages received, 0 acked)')
        self.check(produce(0, 1), until(RECEIVED, 1) + popped(2), text,
                   hart='brisc')

    def test_modulo(self):
        """Counters have 16 bits that count."""
        pages = 0x7fff
        buffers = {'cb': (CB, 16 * pages, STREAM, 16)}
        turns = joined(*(pushed(n * pages) + popped(n * pages)
                         for n in range(1, 6)))
        self.check(turns, [], '', buffers=buffers)
        self.check(joined(*(pushed(n * pages % 65536) +
                            popped(n * pages % 65536) for n in range(1, 6))),
                   [], '', buffers=buffers)
        self.check(turns + pushed(6 * pages + 1), [],
                   'pushes 32768 pages of cb (L1 0x30000, 32767 pages of 16 '
                   'bytes), which has space for 32767 (163835 pages received, '
                   '163835 acked)', buffers=buffers)

    def test_begin_again(self):
        """As firmware does, in either order; a new count is a new ring."""
        again = store(RECEIVED, 0) + store(ACKED, 0)
        other = store(ACKED, 0) + store(RECEIVED, 0)
        for zero in again, other:
            self.check(joined(produce(0, 3), until(ACKED, 3), zero,
                              produce(0, 4), store(DATA, 1)),
                       consume(0, 3) + until(DATA, 1) + consume(0, 4), '')
            self.check(joined(pushed(3), zero, produce(0, 4), pushed(5)), [],
                       f'pushes 1 page of {NAME}, which has space for 0 '
                       '(4 pages received, 0 acked)')

    def test_one_counter_is_not_known(self):
        self.check(joined(pushed(3), popped(2), store(RECEIVED, 0),
                          pushed(9)), [], '')

    def test_by_an_instruction(self):
        """LLK's pushes and pops are STOREREGs."""
        gpr = tt('SETDMAREG', RegIndex16b=10, Payload_SigSel=5)
        word = tt('STOREREG', TdmaDataRegIndex=5,
                  RegAddr=RECEIVED - 0xFFB00000 >> 2)
        self.check(push(gpr, word), [],
                   f'pushes 5 pages of {NAME}, which has space for 4 '
                   '(0 pages received, 0 acked)')

    def test_the_thread_is_its_hart(self):
        gpr = tt('SETDMAREG', RegIndex16b=10, Payload_SigSel=4)
        word = tt('STOREREG', TdmaDataRegIndex=5,
                  RegAddr=RECEIVED - 0xFFB00000 >> 2)
        self.check(push(gpr, word) + until(RECEIVED, 4) + write(2), [],
                   f'writes 4 bytes page 2 of {NAME}, which is not acked '
                   '(4 pages received, 0 acked)')


class Left(Circular):
    WRITTEN = (f'{NAME}: 1 page written and not pushed '
               '(1 pages received, 0 acked)')
    READ = f'{NAME}: 1 page read and not popped (2 pages received, 1 acked)'
    ZERO = store(RECEIVED, 0) + store(ACKED, 0)

    def left(self, producer, consumer, text):
        found = self.run_both(producer, consumer, unfinished=True)
        self.assertEqual(len(found), bool(text), found)
        for row in found:
            self.assertRegex(row, '^' + text.replace('(', r'\(').replace(
                ')', r'\)') + ', the latest by (brisc|trisc1) ')

    def test_written_and_not_pushed(self):
        self.left(produce(0, 1) + write(1), [], self.WRITTEN)
        self.left(produce(0, 1) + write(1) + pushed(2), [], '')
        self.check(produce(0, 1) + write(1) + self.ZERO, [], self.WRITTEN)

    def test_read_and_not_popped(self):
        used = consume(0, 1) + until(RECEIVED, 2) + read(1)
        self.left(produce(0, 2), used, self.READ)
        self.left(produce(0, 2), used + popped(2), '')
        self.check(produce(0, 2) + until(DATA, 1) + self.ZERO,
                   used + store(DATA, 1), self.READ, hart='brisc')

    def test_both(self):
        found = self.run_both(
            produce(0, 2) + write(2),
            consume(0, 1) + until(RECEIVED, 2) + read(1), unfinished=True)
        self.assertEqual([text.split(' not ')[1].split(' ')[0]
                          for text in found], ['pushed', 'popped'])

    def test_received_and_not_acked(self):
        """That alone is no error: the consumer may be another program."""
        self.left(produce(0, 3), [], '')

    def test_never_pushed(self):
        """Memory that a kernel uses for itself."""
        self.left(write(0) + read(0), [], '')


class Declarations(unittest.TestCase):
    def test_refused(self):
        with Tile(machine='bounds=report', stopped=True) as tile:
            for more in ({'stream': 64, 'page': 64}, {'stream': 1},
                         {'page': 64}, {'stream': 1, 'page': 0},
                         {'stream': 1, 'page': 96},
                         {'stream': 1, 'page': 64, 'bank': 1}):
                with self.assertRaisesRegex(TileError, 'whole pages'):
                    tile.buffer(CB, 256, 'cb', **more)
            with self.assertRaisesRegex(TileError, 'whole pages'):
                tile.buffer(0, 0x8000, 'cb', stream=1, page=1)
            tile.buffer(CB, 256, 'a', stream=1, page=64)
            tile.buffer(CB, 128, 'a', stream=1, page=64)
            with self.assertRaisesRegex(TileError, "the pages of 'a'"):
                tile.buffer(CB, 256, 'b', stream=1, page=64)

    def test_after_a_snapshot(self):
        """Counters are those of another time, and not known."""
        with Tile(images=images_of({'brisc': pushed(3)}), stopped=True,
                  machine='bounds=report') as tile:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
            tile.buffer(CB, PAGES * PAGE, 'cb', stream=STREAM, page=PAGE)
            self.assertEqual(tile.hmp('savevm a'), '')
            for _ in range(2):
                tile.cont()
                tile.wait_for_word(FINISHED, 1)
                tile.stop()
                self.assertEqual(tile.hmp('loadvm a'), '')
            self.assertEqual(
                tile.qmp('query-tensix-violations')['sites'], [])

    def test_after_a_snapshot_of_counts(self):
        program = joined(pushed(3), popped(3), store(DATA, 1), poll(GO),
                         pushed(6))
        with Tile(images=images_of({'brisc': program}), stopped=True,
                  machine='bounds=report') as tile:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
            tile.buffer(CB, PAGES * PAGE, 'cb', stream=STREAM, page=PAGE)
            tile.cont()
            tile.wait_for_word(DATA, 1)
            tile.stop()
            self.assertEqual(tile.hmp('savevm a'), '')
            self.assertEqual(tile.hmp('loadvm a'), '')
            tile.write32(GO, 1)
            tile.cont()
            tile.wait_for_word(FINISHED, 1)
            self.assertEqual(
                tile.qmp('query-tensix-violations')['sites'], [])

    def test_those_of_a_launch(self):
        for first in None, 0:
            more = {} if first is None else {'first_stream': first}
            launch = firmware.Launch({'brisc': bytes(4)}, buffers={
                2: Buffer(0x37000, 0x1000)}, **more)
            with Tile(machine='bounds=report', stopped=True) as tile:
                declare_circular(tile, launch)
                self.assertEqual(tile.qmp('query-tensix-buffers'), [{
                    'name': 'cb 2', 'address': 0x37000, 'size': 0x1000,
                    'stream': 2 + (8 if first is None else first),
                    'page': 2048}])


if __name__ == '__main__':
    unittest.main()
