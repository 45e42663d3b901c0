# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines: every event in the file, Perfetto's form, bad files, snapshots; the
latest events when the machine stops.

BLACKHOLE_TRACE_PROCESSOR names Perfetto's trace_processor_shell, which then reads
traces as well.
"""

import collections
import contextlib
import csv
import io
import json
import os
import re
import struct
import subprocess
import unittest
import unittest.mock
import xml.dom.minidom

import bombs
import rv_asm as rv
from blackhole_tile import (ACCELERATORS, TileError, cli, hart_view, timeline,
                            tt)
from blackhole_tile.testing import SHARED, Tile, every_accelerator, script
from bombs import store
from test_deadlock import semwait_for_good
from test_stop import Watched, repeat

PROCESSOR = os.environ.get('BLACKHOLE_TRACE_PROCESSOR')
# MatmulShared: 1 x 1 x 1 tiles, four phases, bf16, two products in a batch
WORDS = {SHARED + 4 * n: value for n, value in enumerate(
    [1, 1, 1, 4, 5, 5, 5, 5, 2048, 2048, 0, 0, 0, 0, 0, 0, 0, 2])}
BEGIN, END, COUNTER = 1, 2, 4
DONE = 0x150000
HEAD_END = b'\n\n'
EVENT_BYTES = 32


def fields(data):
    """(number, value) of a protobuf message; read without Perfetto's schema."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value = struct.unpack_from('<Q', data, at)[0]
            at += 8
        elif key & 7 == 2:
            length = varint()
            value = data[at:at + length]
            assert len(value) == length
            at += length
        else:
            raise AssertionError(f'wire type {key & 7}')
        yield key >> 3, value


def message(data):
    """{number: [values]}"""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


class Trace:
    """A Perfetto trace, with what must hold of any: time never goes back, all
    numbers of names and tracks are known, what begins ends, inside what is
    around it."""

    def __init__(self, data):
        self.tracks, self.names, self.keys = {}, {}, {}
        self.processes = {}            # {number: '(1,2)'; '': the only tile}
        self.slices, self.counters = [], []
        self.flows, self.flow_ends = {}, {}
        self.stacks = collections.defaultdict(list)
        self.time = 0
        for number, packet in fields(data):
            assert number == 1
            self.packet(message(packet))
        assert not any(self.stacks.values()), 'a slice without an end'

    def packet(self, p):
        assert p[10] == [1] and p[13][0] in (2, 3)
        for interned in p[12]:
            for field, known in ((2, self.names), (3, self.keys)):
                for entry in message(interned)[field]:
                    entry = message(entry)
                    assert entry[1][0] not in known
                    known[entry[1][0]] = entry[2][0].decode()
        for track in p[60]:
            track = message(track)
            assert track[1][0] not in self.tracks
            assert not track[5] or track[5][0] in self.tracks
            self.tracks[track[1][0]] = self.name_of(track)
        for event in p[11]:
            assert p[8][0] >= self.time, 'time goes back'
            self.time = p[8][0]
            self.event(message(event))

    def name_of(self, track):
        """Of several tiles with its tile's place before it."""
        if track[3]:
            process = message(track[3][0])
            assert process[1][0] == len(self.processes) + 1
            name = process[6][0].decode()
            tile = re.match(r'Tensix tile(?: (\(\d+,\d+\)))?; axis: ', name)
            self.processes[track[1][0]] = tile[1] or ''
            return name
        tile = self.processes[track[5][0]]
        return f'{tile} {track[2][0].decode()}'.strip()

    def event(self, e):
        track = self.tracks[e[11][0]]
        if e[9] == [COUNTER]:
            self.counters.append((track, self.time, e[30][0]))
        elif e[9] == [END]:
            start, name, details, parents = self.stacks[track].pop()
            assert self.time > start, 'a slice without a length'
            self.slices.append((track, start, self.time, name, details,
                                parents))
        else:
            assert e[9] == [BEGIN]
            self.begin(track, e)

    def begin(self, track, e):
        stack = self.stacks[track]
        details = {}
        for annotation in e[4]:
            a = message(annotation)
            details[self.keys[a[1][0]]] = (a[4] or [None])[0] if a[4] else \
                a[6][0].decode()
        for flow in e[47]:
            self.flows[flow] = self.time
        for flow in e[48]:
            self.flow_ends[flow] = self.time
        stack.append((self.time, self.names[e[10][0]], details,
                      [name for _, name, _, _ in stack]))


class Converted(Watched):
    def convert(self, path, form, *options, status=0):
        done = script('timeline', path, '--format', form, *options, text=False,
                      timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr.decode()

    def matmul(self, accel, machine=''):
        """(path of the file, instructions by unit)"""
        path = os.path.join(self.folder, f'{accel}{len(machine)}.timeline')
        with Tile('matmul', accel, words=WORDS,
                  machine=f'timeline={path}{machine}') as tile:
            self.assertEqual(tile.wait_for_exit(60), 0, tile.output())
        return path


class Timeline(Converted):
    def test_progress(self):
        """On stderr, if the result does not go to the same terminal."""
        path, out = self.matmul('icount'), os.path.join(self.folder, 'out')
        for form in ('text', 'json'):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), unittest.mock.patch.object(
                    cli, 'LINE_SECONDS', 0):
                timeline.main([path, '--format', form, '-o', out])
            self.assertRegex(said.getvalue(), r'(?m)^timeline: \d+ s, 4096 of '
                                              r'[1-9]\d{3,} events$')

    def check_trace(self, path):
        trace = Trace(self.convert(path, 'perfetto'))
        text = self.convert(path, 'text').decode()
        count = collections.Counter(re.findall(r'^\d+ (\w+)', text, re.M))
        threads = [s for s in trace.slices
                   if re.fullmatch(r'thread \d', s[0])]
        executed = [s for s in threads if not s[3].startswith(('MOP',
                                                               'REPLAY'))]
        self.assertEqual(len(executed), count['execute'])
        self.assertEqual(len(trace.flows), count['push'])
        self.assertEqual(set(trace.flow_ends) - set(trace.flows), set())
        for flow, at in trace.flow_ends.items():
            self.assertGreaterEqual(at, trace.flows[flow])
        self.assertGreater(len(trace.flow_ends), .9 * len(trace.flows))
        # 64 MVMULs and some more a product, all of them by MOP and REPLAY
        products = [s for s in executed if s[3] == 'MVMUL']
        self.assertGreaterEqual(len(products), 128)
        for _, _, _, _, details, parents in products:
            self.assertEqual(parents, ['MOP', 'REPLAY'])
            self.assertIn('REPLAY slot', details)
        return trace

    @every_accelerator
    def test_matmul_in_every_accelerator(self, accel):
        trace = self.check_trace(self.matmul(accel))
        values = {n for track, _, n in trace.counters
                  if track == 'semaphore 1'}
        self.assertIn(1, values)
        self.assertIn('main', {s[3] for s in trace.slices
                               if s[0] == 'trisc1'})
        units = {s[0] for s in trace.slices}
        self.assertLessEqual({'unpack', 'unpack 1', 'matrix', 'pack',
                              'sync'}, units)
        written = sum(s[4].get('L1 bytes', 0) for s in trace.slices
                      if s[0] == 'pack')
        self.assertGreaterEqual(written, 2 * 2048)

    def test_waits_name_what_ended_them(self):
        path = self.matmul('icount', ',schedule=seed=3')
        trace = self.check_trace(path)
        ended = collections.defaultdict(set)
        for track, _, _, name, details, _ in trace.slices:
            if track.endswith(' waits'):
                ended[name].add(details['ended by'])
        self.assertEqual(ended['SEMWAIT'], {'thread 1: SEMPOST'})
        self.assertLessEqual(
            {who.split()[-1] for who in
             ended['SrcA bank to be given to the Matrix Unit']},
            {'UNPACR', 'UNPACR_NOP'})

    def test_same_file_under_icount(self):
        files = []
        for _ in range(2):
            with open(self.matmul('icount'), 'rb') as file:
                files.append(file.read())
        self.assertEqual(files[0], files[1])

    def test_nothing_is_lost_in_a_ring_that_goes_round(self):
        times = 50000
        path = os.path.join(self.folder, 'long')
        add = 0x58 << 24 | 1 << 23 | 1 << 6
        tile = self.start({'trisc0': rv.li(rv.A3, times) + [
            rv.ttinsn(add), rv.addi(rv.A3, rv.A3, -1),
            rv.branch(1, rv.A3, 0, -8)] + rv.HALT}, 'icount',
            f'timeline={path}')
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.units()['scalar'] >= times)
        tile.quit()
        text = self.convert(path, 'text').decode()
        self.assertEqual(len(re.findall(r' push thread 0', text)), times)
        self.assertEqual(len(re.findall(r' execute thread 0', text)), times)

    def test_json_and_picture(self):
        path = self.matmul('icount')
        data = json.loads(self.convert(path, 'json'))
        self.assertEqual(data['axis'], 'virtual-ns')
        for span in data['spans']:
            self.assertLess(span['start'], span['end'])
        picture = self.convert(path, 'svg', '--from', '1000000',
                               '--to', '1100000')
        self.assertTrue(xml.dom.minidom.parseString(picture)
                        .getElementsByTagName('rect'))
        self.assertEqual(json.loads(self.convert(self.matmul('single'),
                                                 'json'))['axis'], 'order')


@unittest.skipUnless(PROCESSOR, "reads traces by Perfetto's own program: name its "
                     'trace_processor_shell as BLACKHOLE_TRACE_PROCESSOR=FILE')
class Processor(Converted):
    """Perfetto finds in a trace what the decoder above does."""

    def ask(self, trace, query):
        """Rows of the answer, numbers as text."""
        path = os.path.join(self.folder, 'query.sql')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(query)
        done = subprocess.run([PROCESSOR, '-q', path, trace], timeout=120,
                              capture_output=True, text=True, check=True)
        return [tuple(row) for row in csv.reader(done.stdout.splitlines())][1:]

    def check_trace(self, path):
        data = self.convert(path, 'perfetto')
        with open(path + '.pftrace', 'wb') as file:
            file.write(data)
        wanted, trace = Trace(data), path + '.pftrace'
        self.assertEqual(self.ask(trace, (
            "select name, value from stats where value > 0 and "
            "severity in ('error', 'data_loss')")), [])
        self.assertEqual(
            sorted(self.ask(trace, 'select t.name, s.ts, s.dur, s.name, s.depth '
                            'from slice s join track t on s.track_id = t.id')),
            sorted((track, str(start), str(end - start), name,
                    str(len(parents)))
                   for track, start, end, name, _, parents in wanted.slices))
        self.assertEqual(
            sorted((track, int(at), int(float(value)))
                   for track, at, value in self.ask(
                       trace, 'select t.name, c.ts, c.value from counter c '
                       'join counter_track t on c.track_id = t.id')),
            sorted(wanted.counters))
        self.assertEqual(self.ask(trace, 'select count(*) from flow'),
                         [(str(len(wanted.flow_ends)),)])

    @every_accelerator
    def test_matmul_in_every_accelerator(self, accel):
        self.check_trace(self.matmul(accel))

    def test_seed(self):
        self.check_trace(self.matmul('icount', ',schedule=seed=3'))


class Files(Converted):
    def test_bad_files_are_reported(self):
        with open(self.matmul('icount'), 'rb') as file:
            good = file.read()
        head = good.index(HEAD_END) + len(HEAD_END)
        malformed = bytearray(good)
        malformed[head:head + 4] = b'\xff\xff\xff\x7f'
        no_kinds = good.replace(b'\nkind=1 ', b'\nkind=x ')
        for name, data, text in (
                ('empty', b'', 'is no timeline'),
                ('garbage', os.urandom(5000), 'is no timeline'),
                ('head', good[:head - 5], 'head has no end'),
                ('kinds', no_kinds, 'in its head'),
                ('axis', good.replace(b'axis=', b'axes='), 'no axis'),
                ('event', bytes(malformed), 'event 0 is of kind'),
                ('cut', good[:-5], 'ends without'),
                ('end', good[:-EVENT_BYTES], 'ends without'),
                ('no events', good[:head], 'ends without')):
            with self.subTest(name):
                error = self.convert(self.file('bad', data), 'perfetto',
                                     status=1)
                self.assertRegex(error, r'^scripts/timeline: error: .*bad: ')
                self.assertIn(text, error)
                self.assertNotIn('Traceback', error)
        Trace(self.convert(self.file('bad', good[:-5]), 'perfetto',
                           '--partial'))
        self.convert(os.path.join(self.folder, 'none'), 'text', status=1)
        self.assertIn('no hart trisc9', self.convert(
            self.file('good', good), 'json', '--elf=trisc9=x', status=1))

    def test_what_cannot_be_written_is_reported(self):
        with self.assertRaisesRegex(TileError, 'timeline|No such file'):
            self.tile(machine='timeline=/nowhere/at/all')
        tile = self.tile(stopped=True)
        path = os.path.join(self.folder, 'shared')
        tile.qmp('qom-set', path='/machine', property='timeline', value=path)
        other = self.tile(stopped=True)
        with self.assertRaisesRegex(TileError, 'another machine'):
            other.qmp('qom-set', path='/machine', property='timeline',
                      value=path)
        with self.assertRaises(TileError):
            other.qmp('qom-set', path='/machine', property='timeline',
                      value='/dev/full')
        self.assertEqual(other.qmp('qom-get', path='/machine',
                                   property='timeline'), '')
        tile.quit()
        self.convert(path, 'text')
        pipe = os.path.join(self.folder, 'pipe')
        os.mkfifo(pipe)
        with self.assertRaisesRegex(TileError, 'pipe'):
            other.qmp('qom-set', path='/machine', property='timeline',
                      value=pipe)

    def test_begins_and_ends_at_run_time(self):
        first, second = (os.path.join(self.folder, name) for name in 'ab')
        push = {'trisc0': [rv.ttinsn(0x60 << 24)] + [rv.jump(-4)]}
        tile = self.start(push, machine='')

        def begin(path):
            tile.qmp('qom-set', path='/machine', property='timeline',
                     value=path)
        tile.qmp('cont')
        for path in (first, second):
            begin(path)
            self.assertEqual(tile.qmp('qom-get', path='/machine',
                                      property='timeline'), path)
            tile.wait_for(lambda t, p=path: os.path.getsize(p) > 1 << 20)
        begin('')
        size = os.path.getsize(second)
        tile.quit()
        self.assertEqual(os.path.getsize(second), size)
        for path in (first, second):
            text = self.convert(path, 'text').decode()
            self.assertRegex(text, r' execute thread 0, trisc0 pc ')
            self.assertRegex(text, r'\n\d+ end\n$')

    def test_a_reader_that_leaves(self):
        """Each event that could not be written is counted."""
        pipe, times = os.path.join(self.folder, 'pipe'), 20000
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        tile = self.start({'trisc0': repeat(times, [rv.ttinsn(0x60 << 24)]) +
                           store(1, DONE) + rv.HALT},
                          machine=f'timeline={pipe}')
        self.assertTrue(os.read(reader, 1 << 16))
        os.dup2(os.open(os.devnull, os.O_RDONLY), reader)
        tile.qmp('cont')
        tile.wait_for_word(DONE, 1)
        tile.quit()
        self.assertIn('events are lost', tile.output())
        lost = re.search(r'(\d+) events were lost', tile.output())
        self.assertGreater(int(lost[1]), times)    # executed: one each at least

    def test_a_reader_that_stops(self):
        """The machine does not wait for it for ever, nor does QMP."""
        pipe = os.path.join(self.folder, 'pipe')
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        tile = self.start({'trisc0': repeat(20000, [rv.ttinsn(0x60 << 24)]) +
                           store(1, DONE) + rv.HALT},
                          machine=f'timeline={pipe}')
        tile.qmp('cont')
        tile.wait_for_word(DONE, 1)
        tile.process.terminate()
        self.assertEqual(tile.wait_for_exit(20), 0)
        self.assertRegex(tile.output(), 'timed out; events are lost')

    def test_no_file(self):
        """An empty name, as scripts pass for none."""
        tile = self.tile(machine='timeline=')
        self.assertEqual(tile.qmp('qom-get', path='/machine',
                                  property='timeline'), '')

    def test_atomics_write_l1(self):
        path, address = os.path.join(self.folder, 'atomics'), 0x40000
        tile = self.tile(machine=f'timeline={path}')
        tile.write32(hart_view('trisc0', 0xFFE00010), address // 16)
        for insn in (tt('ATINCGET', AddrRegIndex=4, DataRegIndex=5, WrapVal=31,
                        Sel32b=1),
                     tt('ATSWAP', AddrRegIndex=4, SwapMask=0x30)):
            tile.push(0, insn)
        tile.quit()
        text = self.convert(path, 'text').decode()
        for at in (address + 4, address + 8):
            self.assertRegex(text, rf'l1_write address {at:#x} size (0x)?4\b')

    def test_after_a_watch(self):
        """An observer that has been deleted leaves no last agent."""
        path = os.path.join(self.folder, 'watched')
        tile = self.tile(machine=f'timeline={path}')
        tile.hmp('tensix_watch gpr 5')
        tile.hmp('tensix_delete all')
        tile.push(0, tt('STOREIND', AddrRegIndex=4, DataRegIndex=5,
                        OffsetIndex=60, SizeSel=1, MemHierSel=1))
        tile.quit()
        self.assertIn('l1_write address 0 size',
                      self.convert(path, 'text').decode())

    def test_objects_at_run_time(self):
        first, second = (os.path.join(self.folder, name) for name in 'cd')
        push = {'trisc0': [rv.ttinsn(0x60 << 24)] + [rv.jump(-4)]}
        tile = self.start(push, extra=[
            '-object', f'tensix-timeline,id=t,file={first}'])

        def add(**properties):
            tile.qmp('object-add', **{'qom-type': 'tensix-timeline', 'id': 't',
                                      **properties})
        tile.qmp('cont')
        with self.assertRaisesRegex(TileError, 'has one already'):
            add(id='u', file=second)
        tile.wait_for(lambda t: os.path.getsize(first) > 1 << 20)
        tile.qmp('object-del', id='t')
        for file in '/nowhere/at/all', '/dev/full', first + '/x':
            with self.assertRaises(TileError):
                add(file=file)
        for tile_path, why in (('/machine/cop', 'no tile'),
                               ('/nowhere', 'no tile')):
            with self.assertRaisesRegex(TileError, why):
                add(file=second, tile=tile_path)
        for tile_path in '/machine', None, '/machine':
            add(file=second, **({'tile': tile_path} if tile_path else {}))
            tile.wait_for(lambda t: os.path.getsize(second) > 1 << 20)
            tile.qmp('object-del', id='t')
        add(file=first)
        tile.qmp('qom-set', path='/objects/t', property='file', value=second)
        tile.wait_for(lambda t: os.path.getsize(second) > 1 << 20)
        tile.quit()
        for path in (first, second):
            text = self.convert(path, 'text').decode()
            self.assertRegex(text, r'\n\d+ end\n$')
        self.assertRegex(text, r' execute thread 0, trisc0 pc ')

    def test_object_on_the_command_line_that_cannot_be(self):
        for extra, why in (('file=/nowhere/at/all', 'tensix-timeline: .*such'),
                           (f'file={self.folder}/e,tile=/x', "'/x' is no tile"),
                           ('', "'file' is missing")):
            with self.assertRaisesRegex(TileError, why):
                self.tile(extra=['-object', 'tensix-timeline,id=t,' + extra])

    def test_snapshots(self):
        state, path = (os.path.join(self.folder, name) for name in 'st')
        programs = {'trisc1': semwait_for_good() + rv.HALT}
        tile = self.start(programs, machine='')
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.units()['sync'] == 2)
        tile.save(state)
        tile.close()
        tile = self.start(programs, machine=f'timeline={path}',
                          incoming=state)
        tile.qmp('cont')
        tile.write32(0x100000000 + 0xFFE40000, 0)      # brisc: NOP
        tile.quit()
        text = self.convert(path, 'text').decode()
        self.assertRegex(text, r'loaded\n(.*\n)*\d+ semaphore index 0 value 0 '
                               r'max 1')
        Trace(self.convert(path, 'perfetto'))


class Recent(Watched):
    def test_before_a_violation(self):
        for policy in ('stop', 'exit'):
            for accel in ACCELERATORS:
                with self.subTest(policy=policy, accel=accel):
                    self.check_violation(policy, accel)

    def check_violation(self, policy, accel):
        body = [rv.ttinsn(0x60 << 24)] * 40 + [rv.ttinsn(bombs.NO_SUCH_OPCODE)]
        tile = self.start({'trisc2': body + rv.HALT}, accel,
                          f'on-violation={policy}')
        tile.go()
        if policy == 'exit':
            self.assertEqual(tile.wait_for_exit(20), 3)
        else:
            tile.wait_for(lambda t: t.status() == 'debug')
        found = re.search(r'(?m)^the latest 32 of \d+ events:\n((?:  .*\n)+)',
                          tile.output())
        lines = found[1].splitlines()
        self.assertEqual(len(lines), 32)
        self.assertRegex(lines[-1], r'  \d+ violation thread 2, trisc2 pc 0x')
        self.assertRegex(lines[-2], r'execute thread 2, trisc2 pc 0x\w+: '
                                    r'ttdmanop')

    def test_before_a_deadlock(self):
        tile = self.start({'trisc1': semwait_for_good() +
                           rv.li(rv.A1, 0xFFE80004) +
                           [rv.lw(rv.A0, rv.A1)] + rv.HALT},
                          machine='on-deadlock=exit')
        tile.go()
        self.assertEqual(tile.wait_for_exit(20), 4)
        self.assertRegex(tile.output(), r'the latest \d+ of \d+ events:\n(.*\n)*'
                         r'.* execute thread 1, trisc1 pc 0x\w+: ttsemwait.*\n'
                         r'(.*\n)*.* hart trisc1 stalls, pc 0x\w+: '
                         r'CoprocessorDoneCheck \(1\)')

    def test_on_request(self):
        tile = self.start({'trisc0': 9 * [rv.ttinsn(0x60 << 24)] + rv.HALT})
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.units()['scalar'] == 9)
        text = tile.hmp('info tensix recent 4')
        self.assertEqual(len(re.findall(r'execute thread 0, trisc0', text)), 4)
        shown = tile.qmp('query-tensix-recent', count=1000)
        self.assertEqual([e['kind'] for e in shown].count('execute'), 9)
        self.assertEqual([e['number'] for e in shown], list(range(len(shown))))
        self.assertEqual(len(tile.qmp('query-tensix-recent', count=3)), 3)
        for first, wanted in ((shown[5]['number'], shown[5:8]),
                              (shown[-1]['number'], shown[-1:]),
                              ((1 << 64) - 1, [])):
            self.assertEqual(tile.qmp('query-tensix-recent', count=3,
                                      first=first), wanted)
        most = tile.qmp('query-tensix-recent', count=1 << 20)
        self.assertLessEqual(len(most), 4096)
        self.assertIn('ttdmanop', shown[-1]['text'])


if __name__ == '__main__':
    unittest.main()
