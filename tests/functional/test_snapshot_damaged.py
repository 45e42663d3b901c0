# SPDX-License-Identifier: GPL-2.0-or-later
"""Snapshots whose QEMU parts are damaged (patches/05-incoming-stream.patch):
refused, with the reason, and the next one loads."""

import json
import os
import struct
import sys
import unittest

import snapshot_files
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import ROOT, Tile

sys.path.append(os.path.join(ROOT, 'tests', 'fuzz'))
# pylint: disable=wrong-import-position
from machine import SavedState                                  # noqa: E402

# QEMU's stream: magic and version, then the length of the machine's name
CONFIGURATION, LENGTH, SUBSECTION, COMMAND = 8, 9, 5, 8
NO_MEMORY = 'too large, or absent here'
CAPABILITIES = b'configuration/capabilities'
TIMERS = b'cpu/timer'
ADVISE, LISTEN, RUN, DISCARD, PACKAGED, RESUME, BITMAP = 3, 4, 5, 6, 7, 9, 10
# vtype: elements of 1024 and of 64 bits, LMUL of 1/16 and of 1/8; a hart has
# elements of 32 bits at most
SEW_1024, SEW_64, LMUL_16, LMUL_8 = 7 << 3, 3 << 3, 4, 5


def bytes_of(fields):
    """That a list of a description's fields has in the stream."""
    return sum(field['size'] * field.get('array_len', 1) for field in fields)


def subsection(name, data):
    return bytes([SUBSECTION, len(name)]) + name + struct.pack('>I', 1) + data


class Stream:
    """Bytes of a snapshot, and where its fields are."""

    def __init__(self, data):
        self.data = data
        self.layout = snapshot_files.layout(data)
        name_bytes, = struct.unpack_from('>I', data, LENGTH)
        self.configured = LENGTH + 4 + name_bytes

    def start(self, section):
        """Of its data: (name, instance)."""
        name, instance = section
        head = bytes([len(name)]) + name.encode() + struct.pack(
            '>2I', instance, self.layout[section]['version'])
        assert self.data.count(head) == 1, section
        return self.data.index(head) + len(head)

    def subsections(self, section):
        """Where they begin."""
        return self.start(section) + bytes_of(self.layout[section]['fields'])

    def part(self, section, name):
        """(its fields, their place) of a subsection."""
        for part in self.layout[section]['subsections']:
            if part['vmsd_name'] == name:
                head = bytes([SUBSECTION, len(name)]) + name.encode()
                place = self.data.index(head, self.start(section))
                return part['fields'], place + len(head) + 4
        raise KeyError(name)

    def inserted(self, place, new):
        return self.data[:place] + new + self.data[place:]

    def changed(self, value, name, section, part=''):
        """With another value of a number."""
        fields, place = self.part(section, part) if part else (
            self.layout[section]['fields'], self.start(section))
        at = [field['name'] for field in fields].index(name)
        place += bytes_of(fields[:at])
        size = fields[at]['size']
        return self.data[:place] + value.to_bytes(size, 'big') + \
            self.data[place + size:]


class Damaged(unittest.TestCase):
    def setUp(self):
        # a machine with a history takes a snapshot when it continues
        self.tile = Tile(stopped=True, accel='icount', machine='rewind=on')
        self.addCleanup(self.tile.close)
        path = os.path.join(self.tile.folder, 'disk.qcow2')
        add_disk(self.tile, path)
        self.assertEqual(self.tile.hmp('savevm good'), '')
        self.saved = SavedState(path)
        self.addCleanup(self.saved.file.close)
        self.stream = Stream(self.saved.good)

    def load(self, data):
        """What loadvm says."""
        self.saved.put(data)
        return self.tile.hmp('loadvm good')

    def check(self, data, why):
        """It is refused and leaves nothing: not for the next load, nor for a
        machine that continues."""
        self.assertRegex(self.load(data), why)
        self.tile.qmp('cont')
        self.tile.hmp('info registers -a')
        self.tile.qmp('stop')
        self.assertEqual(self.load(self.saved.good), '')

    def test_machine_type(self):
        data = self.stream.data
        for number in 0xFFFFFFFF, 0x80000000:
            with self.subTest(hex(number)):
                self.check(data[:LENGTH] + struct.pack('>I', number) +
                           data[LENGTH + 4:],
                           'configuration/name: ' + NO_MEMORY)
        self.check(data[:LENGTH] + bytes(4) + data[self.stream.configured:],
                   "Machine type received is ''")

    def test_capabilities(self):
        """Too many; and some, of which the last is none."""
        for count in 0xFFFFFFFF, 0x80000000:
            with self.subTest(hex(count)):
                self.check(self.stream.inserted(
                    self.stream.configured, subsection(
                        CAPABILITIES, struct.pack('>I', count))),
                           'capabilities: ' + NO_MEMORY)
        names = b''.join(bytes([len(name)]) + name
                         for name in (b'x-ignore-shared', b'none'))
        self.check(self.stream.inserted(
            self.stream.configured, subsection(
                CAPABILITIES, struct.pack('>I', 2) + names)),
                   'unknown capability none')

    def test_run_state(self):
        """QEMU saves or loads in some, and starts in none of them."""
        for state in b'save-vm', b'restore-vm':
            with self.subTest(state):
                self.check(self.stream.changed(
                    int.from_bytes(state.ljust(32, b'\0'), 'big'), 'runstate',
                    ('globalstate', 0)), 'No machine migrates in run state ' +
                           repr(state.decode()))

    def test_cpu(self):
        for value, name, part in (
                (0, 'misa_mxl', ''), (2, 'misa_mxl', ''), (2, 'priv', ''),
                (4, 'priv', ''), (1 << 63, 'priv', ''),
                (2, 'trigger_cur', 'cpu/debug')):
            with self.subTest(name, value=value):
                self.check(self.stream.changed(value, 'env.' + name,
                                               ('cpu', 0), part),
                           'Input validation failed: cpu/' + name)

    def test_a_refusal_resets(self):
        """Also what is checked last."""
        self.load(self.stream.changed(2, 'env.trigger_cur', ('cpu', 0),
                                      'cpu/debug'))
        path = os.path.join(self.tile.folder, 'state')
        self.tile.save(path)
        with open(path, 'rb') as file:
            saved = Stream(file.read())
        fields, place = saved.part(('cpu', 0), 'cpu/debug')
        self.assertEqual(fields[0]['name'], 'env.trigger_cur')
        self.assertEqual(saved.data[place:place + 8], bytes(8))

    def vector_hart(self):
        """The section of the only one that has vectors."""
        found = [section for section, layout in self.stream.layout.items()
                 if 'cpu/vector' in json.dumps(layout.get('subsections', []))]
        self.assertEqual(len(found), 1)
        return found[0]

    def test_vector(self):
        """A hart's own section, which has and checks them too, may be missing."""
        for name, value in (
                ('vl', 17), ('vl', 1 << 40), ('vl', 1 << 63), ('vstart', 128),
                ('vstart', 1 << 63), ('vtype', SEW_1024), ('vtype', SEW_64),
                ('vtype', LMUL_16), ('vtype', LMUL_8)):
            with self.subTest(name, value=value):
                self.check(self.stream.changed(
                    value, 'env.' + name, self.vector_hart(), 'cpu/vector'),
                           'Input validation failed: cpu/vector')

    def test_vector_illegal(self):
        """vill is set; then vl is 0, and vstart in a register."""
        hart = self.vector_hart()
        self.stream.data = self.stream.changed(1, 'env.vill', hart,
                                               'cpu/vector')
        self.assertEqual(self.load(self.stream.data), '')
        for name, value in (('vl', 1), ('vstart', 128)):
            with self.subTest(name):
                self.check(self.stream.changed(value, 'env.' + name, hart,
                                               'cpu/vector'),
                           'Input validation failed: cpu/vector')

    def test_timers_that_no_cpu_has(self):
        self.check(self.stream.inserted(
            self.stream.subsections(('cpu', 0)),
            subsection(TIMERS, struct.pack('>2q', -1, -1))),
                   'cpu/timer/env.stimer: ' + NO_MEMORY)

    def test_postcopy(self):
        """Commands of a live migration, which a snapshot has none of."""
        for command, length in ((ADVISE, 0), (LISTEN, 0), (RUN, 0),
                                (DISCARD, 12), (PACKAGED, 4), (RESUME, 0),
                                (BITMAP, 4)):
            with self.subTest(command):
                self.check(self.stream.inserted(
                    self.stream.configured, bytes([COMMAND]) + struct.pack(
                        '>2H', command, length) + bytes(length)),
                           'no capability of postcopy is set')


if __name__ == '__main__':
    unittest.main()
