# SPDX-License-Identifier: GPL-2.0-or-later
"""Instruments as objects: created and deleted while a program runs, twice, in every
accelerator; on the command line; and what cannot be.  (tensix-timeline has its tests
in test_timeline.py.)"""

import os
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile import TileError
from blackhole_tile.testing import Tile, every_accelerator
from rv_asm import A0, A1, A2

BASE, COUNTER, UNTOUCHED = 0x20000, 0x40000, 0x41000
SFPMAD = 0x84000000 | 1 << 12 | 2 << 8 | 3 << 4     # LReg[3] = ...
SFPIADD = 0x79000000 | 5 << 8 | 3 << 4 | 4          # LReg[3] += LReg[5]
READS = 3                      # instructions that read what nobody has written


def loop():
    """Breaks a rule, stores, and loads what nobody has written; for ever."""
    head = rv.li(A1, COUNTER) + rv.li(A2, UNTOUCHED) + rv.li(A0, 0)
    body = [rv.ttinsn(SFPMAD), rv.ttinsn(SFPIADD), rv.addi(A0, A0, 1),
            rv.sw(A0, A1), rv.lw(rv.ZERO, A2)]
    return rv.elf({BASE: rv.code(head + body + [rv.jump(-4 * len(body))])}, BASE)


class Instruments(unittest.TestCase):
    def start(self, accel='single', **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, 'loop.elf')
        with open(path, 'wb') as file:
            file.write(loop())
        tile = Tile(images={'trisc1': path}, accel=accel, **options)
        self.addCleanup(tile.close)
        self.runs(tile)
        return tile

    def runs(self, tile):
        before = tile.read32(COUNTER)
        tile.wait_for(lambda t: t.read32(COUNTER) != before)

    def add(self, tile, kind, **properties):
        tile.qmp('object-add', **{'qom-type': f'tensix-{kind}', 'id': kind,
                                  **properties})
        self.runs(tile)

    def delete(self, tile, kind):
        tile.qmp('object-del', id=kind)
        self.runs(tile)

    def told(self, tile, category):
        return sum(site['count'] for site in
                   tile.qmp('query-tensix-violations')['sites']
                   if site['category'] == category)

    @every_accelerator
    def test_writers(self, accel):
        tile = self.start(accel)

        def writer():
            return tile.hmp(f'info tensix writer l1 {COUNTER:#x} 4')
        for _ in range(2):
            self.assertIn('nobody has kept account', writer())
            self.add(tile, 'writers')
            tile.wait_for(lambda t: 'trisc1 pc' in writer())
            self.delete(tile, 'writers')

    @every_accelerator
    def test_unwritten(self, accel):
        tile = self.start(accel)
        for count in 1, 2:
            self.add(tile, 'unwritten')
            self.assertEqual(self.told(tile, 'unwritten'),
                             READS * (count - 1))
            tile.qmp('system_reset')
            tile.wait_for(lambda t, n=count:
                          self.told(t, 'unwritten') == READS * n)
            self.delete(tile, 'unwritten')
            tile.qmp('system_reset')
            self.runs(tile)
            self.assertEqual(self.told(tile, 'unwritten'), READS * count)

    @every_accelerator
    def test_hazards(self, accel):
        tile = self.start(accel)
        self.assertEqual(self.told(tile, 'hazard'), 0)
        for _ in range(2):
            before = self.told(tile, 'hazard')
            self.add(tile, 'hazards')
            tile.wait_for(lambda t, n=before: self.told(t, 'hazard') > n)
            self.delete(tile, 'hazards')
            before = self.told(tile, 'hazard')
            self.runs(tile)
            self.assertEqual(self.told(tile, 'hazard'), before)

    def check_watch(self, accel, machine):
        tile = self.start(accel, machine=machine)
        for command in (f'tensix_watch l1 {COUNTER:#x} 4', 'tensix_break SFPMAD',
                        'tensix_watch lreg 3'):
            self.add(tile, 'watch')
            tile.hmp(command)
            tile.wait_for(lambda t: not t.qmp('query-status')['running'])
            self.assertIn(command.split('_')[1],
                          tile.hmp('info tensix breaks'))
            tile.qmp('object-del', id='watch')
            self.assertIn('no breaks', tile.hmp('info tensix breaks'))
            tile.qmp('cont')
            self.runs(tile)

    @every_accelerator
    def test_watch(self, accel):
        self.check_watch(accel, '')

    @every_accelerator
    def test_watch_beside_others(self, accel):
        """The core is still observed when it is deleted."""
        self.check_watch(accel, 'writers=on')

    def test_all_on_the_command_line(self):
        kinds = 'writers', 'unwritten', 'hazards', 'watch'
        tile = self.start(extra=[word for kind in kinds for word in
                                 ('-object', f'tensix-{kind},id={kind}')])
        tile.wait_for(lambda t: self.told(t, 'hazard'))
        self.assertEqual(self.told(tile, 'unwritten'), READS)
        self.assertIn('trisc1 pc', tile.hmp(
            f'info tensix writer l1 {COUNTER:#x} 4'))
        for kind in kinds:
            with self.assertRaisesRegex(TileError, 'has one already'):
                tile.qmp('object-add', **{'qom-type': f'tensix-{kind}',
                                          'id': 'other'})
        for kind in kinds:
            self.delete(tile, kind)

    def test_options_create_them(self):
        tile = self.start(machine='writers=on,unwritten=report,hazards=on')
        children = {child['name'] for child in
                    tile.qmp('qom-list', path='/machine')}
        self.assertLessEqual({'tensix-writers', 'tensix-unwritten',
                              'tensix-hazards'}, children)
        with self.assertRaisesRegex(TileError, 'has one already'):
            self.add(tile, 'hazards')


if __name__ == '__main__':
    unittest.main()
