# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines: source lines of what harts do, their calls and returns as zones."""

import json
import os
import re
import struct
import time
import unittest

from blackhole_tile.testing import every_accelerator
from test_source import EXPANSIONS, Sources
from test_timeline import (EVENT_BYTES, HEAD_END, Converted, Trace, fields,
                           message)

# Lines are found by what is in them.
CALLS = '''
#include "blackhole-tile/kernel.h"
#define KEPT __attribute__((noinline)) static
#define PUSH() TTINSN(DMANOP)
KEPT void leaf(void)
{
    PUSH();                                       /* in leaf */
    asm volatile("");
}
static inline __attribute__((always_inline)) void inner(void)
{
    PUSH();                                       /* in inner */
    leaf();                                       /* inner calls */
    PUSH();
}
KEPT void silent(void)
{
    asm volatile("nop");
}
KEPT unsigned again(unsigned n)
{
    return n ? again(n - 1) ^ *(volatile unsigned *)0x40000 : 0;
}
KEPT void tail(void)
{
    PUSH();
    leaf();
}
static void (*volatile chosen)(void) = leaf;
KEPT void run(void)
{
    silent();                                     /* run calls */
    inner();
    again(2);
    tail();
    chosen();
    PUSH();
    for (;;) {
    }
}
__attribute__((section(".text.first"), naked)) void _start(void)
{
    asm("li sp, 0x30000\\n\\tcall run" : : "i"(run));
}
'''
PUSHES = 7
ZONES = [['_start'], ['run'], ['run', 'silent'], ['run', 'inner'],
         ['run', 'inner', 'leaf'], ['run', 'again'],
         ['run', 'again', 'again'], ['run', 'again', 'again', 'again'],
         ['run', 'tail'], ['run', 'leaf'], ['run', 'leaf']]

PUSHES_FOR_GOOD = '''
#include "blackhole-tile/kernel.h"
__attribute__((section(".text.first"))) void _start(void)
{
    for (;;) {
        TTINSN(DMANOP);
    }
}
'''
SPAN_EVENT, LOCATION_OF_EVENT, LOCATIONS = 11, 34, 4


def line_of(source, text):
    """The number of the line that has the text."""
    return next(n for n, line in enumerate(source.split('\n'), 1)
                if text in line)


class Lines(Converted, Sources):
    def record(self, source, pushes, accel='single', flags=('-g',)):
        """The path of a timeline of TRISC1, which makes so many pushes."""
        elf = self.build('calls', source, *flags)
        path = os.path.join(self.folder, f'{accel}.timeline')
        with self.tile(images={'trisc1': elf}, accel=accel,
                       machine=f'timeline={path}', stopped=True) as tile:
            tile.qmp('cont')
            tile.wait_for(lambda t: t.state.units()['scalar'] >= pushes)
            tile.quit()
        return path

    def zones(self, path):
        """Functions of TRISC1 in the order of their beginnings, each with
        those around it."""
        found = []
        stack = []
        for span in json.loads(self.convert(path, 'json'))['spans']:
            if span['track'] != 'trisc1' or \
                    span['name'].split()[0] in ('push', 'held', 'waits:'):
                continue
            while stack and stack[-1]['end'] <= span['start']:
                stack.pop()
            stack.append(span)
            found.append([s['name'] for s in stack if s['name'] != '_start'
                          or len(stack) == 1])
        return found

    @every_accelerator
    def test_callers_contain_callees(self, accel):
        path = self.record(CALLS, PUSHES, accel)
        self.assertEqual(self.zones(path), ZONES)

    def test_without_symbols_addresses_are_the_names(self):
        path = self.record(CALLS, PUSHES, flags=('-s',))
        zones = self.zones(path)
        self.assertEqual(zones[0], ['runs'])
        self.assertTrue(all(re.fullmatch('0x0002[0-9a-f]{4}', name)
                            for zone in zones[1:] for name in zone[1:]),
                        zones)
        self.assertEqual(max(len(zone) for zone in zones), 5)

    def test_deep_calls_return_to_their_callers(self):
        """Deeper than zones are shown."""
        path = self.record(CALLS.replace('again(2)', 'again(150)'), PUSHES)
        zones = [zone for zone in self.zones(path) if 'again' not in zone]
        self.assertEqual(zones, [zone for zone in ZONES
                                 if 'again' not in zone])

    def test_lines_in_text(self):
        text = self.convert(self.record(CALLS, PUSHES), 'text').decode()
        call = line_of(CALLS, 'run calls')
        self.assertRegex(text, r'call hart trisc1 pc 0x\w+ in run \(calls.c:'
                               rf'{call}\) target 0x\w+ in silent \(calls.c:')
        inner = line_of(CALLS, 'in inner')
        self.assertRegex(
            text, r'push thread 1, trisc1 pc 0x\w+ in inner \(calls.c:'
                  rf'{inner}\), inlined in run \(calls.c:{call + 1}\)')
        self.assertNotRegex(text, r'\d+ (place|text) ')

    def test_sums(self):
        """leaf() is called three times, once by a tail call."""
        text = self.convert(self.record(CALLS, PUSHES), 'lines').decode()
        rows = [line.split(maxsplit=4) for line in text.splitlines()]
        self.assertEqual(rows[0], ['executed', 'pushed', 'waited',
                                   'violations', 'line'])
        leaf, inner = (line_of(CALLS, f'in {name}')
                       for name in ('leaf', 'inner'))
        self.assertEqual(rows[1], ['3', '3', '0', '0',
                                   f'leaf (calls.c:{leaf})'])
        self.assertIn(['1', '1', '0', '0', f'inner (calls.c:{inner})'], rows)
        self.assertEqual(sum(int(row[0]) for row in rows[1:]), PUSHES)

    def test_sums_of_recorded_words(self):
        """All MVMULs are played by REPLAY, pushed when it recorded them."""
        path = self.matmul('icount')
        rows = re.findall(r'(?m)^ *(\d+) +(\d+) +0 +0  record_phase ',
                          self.convert(path, 'lines').decode())
        executed = len(re.findall(r'execute .*: MVMUL ',
                                  self.convert(path, 'text').decode()))
        self.assertEqual(sum(int(row[0]) for row in rows), executed)
        self.assertLess(sum(int(row[1]) for row in rows), executed)

    def test_lines_in_perfetto(self):
        data = self.convert(self.record(CALLS, PUSHES), 'perfetto')
        Trace(data)
        known, used = {}, set()
        for _, packet in fields(data):
            packet = message(packet)
            for entry in (message(entry) for interned in packet[12]
                          for entry in message(interned)[LOCATIONS]):
                known[entry[1][0]] = (entry[2][0], entry[3][0], entry[4][0])
            for event in packet[SPAN_EVENT]:
                used.update(message(event)[LOCATION_OF_EVENT])
        self.assertEqual(used, set(known))
        self.assertIn((b'calls.c', b'leaf', line_of(CALLS, 'in leaf')),
                      known.values())

    def test_words_are_from_where_they_were_written_down(self):
        elf = self.build('mop', EXPANSIONS, '-g')
        path = os.path.join(self.folder, 'mop.timeline')
        with self.tile(images={'trisc1': elf},
                       machine=f'timeline={path}') as tile:
            self.reported(tile, 2)
            tile.quit()
        stored = line_of(EXPANSIONS, 'MOP_CFG[7] = BAD')
        pushed = line_of(EXPANSIONS, 'ttinsn(BAD + 1)')
        text = self.convert(path, 'text').decode()
        self.assertRegex(text, r'violation .*, MOP word \d+ from trisc1 pc 0x\w+ '
                               rf'in set_up \(mop.c:{stored}\), inlined in '
                               r'_start \(mop.c:\d+\): ')
        self.assertRegex(text, r'violation .*, REPLAY slot 3 from trisc1 pc '
                               rf'0x\w+ in _start \(mop.c:{pushed}\): ')
        spans = json.loads(self.convert(path, 'json'))['spans']
        self.assertTrue(any(
            f'_start (mop.c:{pushed})' in span['details'].get(
                'REPLAY slot from', '') for span in spans))

    def test_what_has_happened_keeps_the_lines_of_its_elf(self):
        old, new = (self.build(name, PUSHES_FOR_GOOD, '-g')
                    for name in ('old', 'new'))
        path = os.path.join(self.folder, 'two.timeline')
        with self.tile(images={'trisc1': old},
                       machine=f'timeline={path}') as tile:
            def resume():
                done = tile.state.units()['scalar']
                tile.wait_for(lambda t: t.state.units()['scalar'] > done + 9)
            resume()
            tile.qmp('qom-set', path='/machine', property='trisc1-symbols',
                     value=new)
            resume()
            tile.quit()
        files = re.findall(r' push .* in _start \((\w+)\.c:6\)',
                           self.convert(path, 'text').decode())
        first = files.index('new')
        self.assertEqual(set(files[:first]), {'old'})
        self.assertEqual(set(files[first:]), {'new'})

    def test_broken_places_are_borne(self):
        with open(self.record(CALLS, PUSHES), 'rb') as file:
            good = file.read()
        kind = int(re.search(rb'\nkind=(\d+) place ', good)[1])
        at = good.index(HEAD_END) + len(HEAD_END)
        while struct.unpack_from('<I', good, at)[0] != kind:
            at += EVENT_BYTES
        for name, start, data in (
                ('size', at + 12, b'\xff\xff\xff\xff'),
                ('no size', at + 12, bytes(4)),
                ('hart', at + 4, b'\xff\xff\xff\xff'),
                ('text', at + EVENT_BYTES + 4, b'\xff\xfe\t\t\t\n\n\t\tx\n'),
                ('line', at + EVENT_BYTES + 4, 'f\tg\t\u00b2\n'.encode()),
                ('commands', at + EVENT_BYTES + 4, b'\x1b\x01\t'),
                ('no text', at + EVENT_BYTES, struct.pack('<I', kind))):
            with self.subTest(name):
                bad = self.file('bad', good[:start] + data
                                + good[start + len(data):])
                for form in ('text', 'json', 'perfetto', 'svg', 'lines'):
                    self.assertNotRegex(self.convert(bad, form)
                                        if form != 'perfetto' else b'',
                                        b'[\x00-\x08\x1b]')

    def test_what_was_called_before_a_load_is_over(self):
        with open(self.record(CALLS, PUSHES), 'rb') as file:
            good = file.read()
        at = good.index(HEAD_END) + len(HEAD_END)
        call, loaded = (int(re.search(rb'\nkind=(\d+) %s ' % name, good)[1])
                        for name in (b'call', b'loaded'))
        path = self.file('loaded', good[:at] + b''.join(
            struct.pack('<4I16x', *event) for event in (
                (call, 3, 0x20000, 0x20100), (call, 3, 0x20100, 0x20200),
                (loaded, 0, 0, 0), (call, 3, 0x30000, 0x30100)))
            + good[-EVENT_BYTES:])
        spans = json.loads(self.convert(path, 'json'))['spans']
        then = next(span['start'] for span in spans
                    if span['track'] == 'machine')
        self.assertTrue(any(span['start'] < then for span in spans))
        for span in spans:
            self.assertFalse(span['start'] < then < span['end'], span)

    def test_malformed_heads(self):
        with open(self.record(CALLS, PUSHES), 'rb') as file:
            good = file.read()
        at = good.index(HEAD_END) + len(HEAD_END)
        kind = int(re.search(rb'\nkind=(\d+) push ', good)[1])
        bad = self.file('bad', good[:at].replace(b' push insn',
                                                 b' push numbers')
                        + struct.pack('<8I', kind, *[99] * 7) + good[at:])
        self.assertIn('push numbers', self.convert(bad, 'json', status=1))
        named = self.file('named', good.replace(b' trisc1\n', b' tri\x1bsc1\n'))
        self.assertIn(b'push thread 1, tri?sc1', self.convert(named, 'text'))
        no_file = self.file('no_file', good[:at].replace(
            b'axis=', b'image.brisc=/dev/null\naxis=')
            + good[-EVENT_BYTES:])
        self.assertIn('is no ordinary file', json.loads(
            self.convert(no_file, 'json'))['notes'][0])

    def test_a_long_file_that_was_cut(self):
        """Each place examines the events; none may copy all of them."""
        with open(self.record(CALLS, PUSHES), 'rb') as file:
            good = file.read()
        at = good.index(HEAD_END) + len(HEAD_END)
        kinds = {name: int(number) for number, name in re.findall(
            rb'\nkind=(\d+) (place|text|cycle) ', good)}
        many = b''.join(
            struct.pack('<4I16x', kinds[b'place'], 3, 4 * n, 8)
            + struct.pack('<I28s', kinds[b'text'], b'many\ta\t1')
            for n in range(20000))
        whole = (good[:at] + struct.pack('<8I', kinds[b'cycle'], *[0] * 7)
                 * 300000 + many + good[-EVENT_BYTES:])
        taken = []
        for data in whole, whole + b'x':
            start = time.monotonic()
            self.convert(self.file('long', data), 'text', '--partial')
            taken.append(time.monotonic() - start)
        self.assertLess(taken[1], 2 + 4 * taken[0])


if __name__ == '__main__':
    unittest.main()
