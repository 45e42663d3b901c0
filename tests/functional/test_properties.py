# SPDX-License-Identifier: GPL-2.0-or-later
"""Options of the start are refused once the machine is made: nothing is
accepted that would have no effect."""

import unittest

from blackhole_tile import HARTS, TileError
from blackhole_tile.testing import Tile

MACHINE = 'blackhole-tile-machine'
# what a monitor may set at any time
AT_RUN_TIME = {'timeline'} | {f'{hart}-symbols' for hart in HARTS}
# of instruments that each tile has: test_instruments.py sets them
OF_INSTRUMENTS = {'tensix-deadlock': {'action', 'unfinished'},
                  'tensix-leaks': {'leaks'},
                  'tensix-reports': {'action', 'check'}}
READ_ONLY = {'version', 'rewind-digest', 'rewind-status'}
# values of enumerations
OTHERS = {'on-deadlock': 'stop', 'on-violation': 'stop'}
# of every device of QEMU's
OF_QEMU = {'type', 'realized', 'hotplugged', 'hotpluggable', 'parent_bus'}


class Properties(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tile = Tile(stopped=True)
        cls.addClassCleanup(cls.tile.close)

    def get(self, path, name):
        return self.tile.qmp('qom-get', path=path, property=name)

    def refusal(self, path, name, value):
        """What is said; '': it was accepted."""
        try:
            self.tile.qmp('qom-set', path=path, property=name, value=value)
        except TileError as error:
            return str(error)
        return ''

    def names(self, typename):
        """Of its properties that are no parts of it."""
        return {item['name'] for item in self.tile.qmp(
            'qom-list-properties', typename=typename)
                if not item['type'].startswith('child<')}

    def test_options_of_the_machine(self):
        options = self.names(MACHINE) - self.names('none-machine') - \
            READ_ONLY - AT_RUN_TIME
        self.assertLessEqual({'brisc', 'unwritten', 'writers', 'schedule',
                              'host-socket', 'rewind-memory'}, options)
        for name in options:
            with self.subTest(name):
                before = self.get('/machine', name)
                other = OTHERS.get(name) or {
                    bool: True, int: 1 << 30, str: 'report'}[type(before)]
                self.assertIn(f'{name} cannot be set any more',
                              self.refusal('/machine', name, other))
                self.assertEqual(self.get('/machine', name), before)

    def test_read_only_properties_cannot_be_set(self):
        for name in READ_ONLY:
            self.assertTrue(self.refusal('/machine', name, 'x'), name)

    def devices(self, path='/machine'):
        """(path, type) of all that are ours."""
        for item in self.tile.qmp('qom-list', path=path):
            if item['type'].startswith('child<'):
                below = f'{path}/{item["name"]}'
                if item['type'].startswith('child<tensix-'):
                    yield below, item['type'][6:-1]
                yield from self.devices(below)

    def test_properties_of_devices(self):
        devices = list(self.devices())
        self.assertGreater(len(devices), 20)
        tried = 0
        for path, typename in devices:
            for item in self.tile.qmp('qom-list', path=path):
                name, kind = item['name'], item['type']
                if name in OF_QEMU or name in AT_RUN_TIME or kind.startswith('child<') or \
                        name.startswith('legacy-') or '[' in name:
                    continue
                if name in OF_INSTRUMENTS.get(typename, ()):
                    continue
                with self.subTest(f'{typename}.{name}'):
                    value = self.get(path, name)
                    self.assertTrue(self.refusal(path, name, value),
                                    'accepted')
                    tried += 1
        self.assertGreater(tried, 20)


if __name__ == '__main__':
    unittest.main()
