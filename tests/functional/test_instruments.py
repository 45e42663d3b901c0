# SPDX-License-Identifier: GPL-2.0-or-later
"""Instruments as objects: created and deleted while a program runs, twice, in every
accelerator; on the command line; and what cannot be.  (tensix-timeline has its tests
in test_timeline.py.)"""

import os
import time
import unittest

import rv_asm as rv
import test_rewind
from blackhole_tile import TileError
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import Tile, every_accelerator
from rv_asm import A0, A1, A2
from test_deadlock import MAIL_T0, load
from test_leaks import DONE, GO, INCADCXY_X0, Ends, waits_for_go

BASE, COUNTER, UNTOUCHED = 0x20000, 0x40000, 0x41000
SFPMAD = 0x84000000 | 1 << 12 | 2 << 8 | 3 << 4     # LReg[3] = ...
SFPIADD = 0x79000000 | 5 << 8 | 3 << 4 | 4          # LReg[3] += LReg[5]
BEQ = 0
READS = 3                      # instructions that read what was never written


def loop_code(loaded=UNTOUCHED):
    """Breaks a rule, stores, and loads what was never written; for ever."""
    head = rv.li(A1, COUNTER) + rv.li(A2, loaded) + rv.li(A0, 0)
    body = [rv.ttinsn(SFPMAD), rv.ttinsn(SFPIADD), rv.addi(A0, A0, 1),
            rv.sw(A0, A1), rv.lw(rv.ZERO, A2)]
    return head + body + [rv.jump(-4 * len(body))]


def loop(*loaded):
    return rv.elf({BASE: rv.code(loop_code(*loaded))}, BASE)


class Loop(unittest.TestCase):
    """A machine whose program is loop()."""

    LOADED = UNTOUCHED

    def start(self, accel='single', **options):
        tile = Tile(images={'trisc1': loop(self.LOADED)}, accel=accel,
                    **options)
        self.addCleanup(tile.close)
        self.runs(tile)
        return tile

    def runs(self, tile):
        before = tile.read32(COUNTER)
        tile.wait_for(lambda t: t.read32(COUNTER) != before)

    def add(self, machine, kind, **properties):
        machine.qmp('object-add', **{'qom-type': f'tensix-{kind}', 'id': kind,
                                     **properties})
        self.runs(machine)

    def delete(self, tile, kind):
        tile.qmp('object-del', id=kind)
        self.runs(tile)


class Instruments(Loop):
    def reported(self, tile, category):
        return sum(site['count'] for site in
                   tile.qmp('query-tensix-violations')['sites']
                   if site['category'] == category)

    @every_accelerator
    def test_writers(self, accel):
        tile = self.start(accel)

        def writer():
            return tile.hmp(f'info tensix writer l1 {COUNTER:#x} 4')
        for _ in range(2):
            self.assertIn('no writers are recorded', writer())
            self.add(tile, 'writers')
            tile.wait_for(lambda t: 'trisc1 pc' in writer())
            self.delete(tile, 'writers')

    @every_accelerator
    def test_unwritten(self, accel):
        tile = self.start(accel)
        for count in 1, 2:
            self.add(tile, 'unwritten')
            self.assertEqual(self.reported(tile, 'unwritten'),
                             READS * (count - 1))
            tile.qmp('system_reset')
            tile.wait_for(lambda t, n=count:
                          self.reported(t, 'unwritten') == READS * n)
            self.delete(tile, 'unwritten')
            tile.qmp('system_reset')
            self.runs(tile)
            self.assertEqual(self.reported(tile, 'unwritten'), READS * count)

    @every_accelerator
    def test_hazards(self, accel):
        tile = self.start(accel)
        self.assertEqual(self.reported(tile, 'hazard'), 0)
        for _ in range(2):
            before = self.reported(tile, 'hazard')
            self.add(tile, 'hazards')
            tile.wait_for(lambda t, n=before: self.reported(t, 'hazard') > n)
            self.delete(tile, 'hazards')
            before = self.reported(tile, 'hazard')
            self.runs(tile)
            self.assertEqual(self.reported(tile, 'hazard'), before)

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
        tile.wait_for(lambda t: self.reported(t, 'hazard'))
        self.assertEqual(self.reported(tile, 'unwritten'), READS)
        self.assertIn('trisc1 pc', tile.hmp(
            f'info tensix writer l1 {COUNTER:#x} 4'))
        for kind in kinds:
            with self.assertRaisesRegex(TileError, 'has one already'):
                tile.qmp('object-add', **{'qom-type': f'tensix-{kind}',
                                          'id': 'other'})
        for kind in kinds:
            self.delete(tile, kind)

    def test_what_only_looks_like_a_tile(self):
        """A folder of objects that has one called cop."""
        tile = self.start()
        tile.qmp('object-add', **{'qom-type': 'memory-backend-ram',
                                  'id': 'cop', 'size': 4096})
        with self.assertRaisesRegex(TileError, "'/objects' is no tile"):
            self.add(tile, 'hazards', tile='/objects')
        self.add(tile, 'hazards')

    def test_options_create_them(self):
        tile = self.start(machine='writers=on,unwritten=report,hazards=on')
        children = {child['name'] for child in
                    tile.qmp('qom-list', path='/machine')}
        self.assertLessEqual({'tensix-writers', 'tensix-unwritten',
                              'tensix-hazards'}, children)
        with self.assertRaisesRegex(TileError, 'has one already'):
            self.add(tile, 'hazards')

    def test_what_the_machine_links_to_may_go(self):
        tile = self.start(machine='writers=on')
        for kind in 'deadlock', 'leaks':
            self.add(tile, kind)
        for name in 'deadlock', 'kernel-watch':
            with self.assertRaisesRegex(TileError, 'not found'):
                tile.qmp('qom-get', path='/machine', property=name)
        self.assertEqual(tile.qmp('qom-get', path='/machine', property='cop'),
                         '/machine/tile[0]/cop')


class Watches(Ends):
    """tensix-deadlock and tensix-leaks, which each tile has anyway."""

    MAIL = {'trisc1': load(MAIL_T0) + rv.HALT}
    STATUS = 4

    def add(self, machine, kind, name='x', **properties):
        machine.qmp('object-add', **{'qom-type': f'tensix-{kind}', 'id': name,
                                     **properties})

    def waits(self, accel='single', **options):
        tile = self.start(self.MAIL, accel, **options)
        tile.qmp('cont')
        return tile

    def deadlocks(self, tile):
        tile.qmp('query-status')
        return [e['data'] for e in tile.events
                if e['event'] == 'TENSIX_DEADLOCK']

    def wait_for_deadlocks(self, tile, count):
        tile.wait_for(lambda t: len(self.deadlocks(t)) >= count)
        return self.deadlocks(tile)

    # --- deadlock ---

    @every_accelerator
    def test_deadlock_at_run_time(self, accel):
        """Each object reports what it finds; without one nothing does."""
        tile = self.waits(accel)
        for count in 1, 2:
            self.wait_for_deadlocks(tile, count)
            if count > 1:
                tile.qmp('object-del', id='x')
            self.add(tile, 'deadlock', action='log')
        self.wait_for_deadlocks(tile, 3)
        with self.assertRaisesRegex(TileError, 'has one already'):
            self.add(tile, 'deadlock', 'other')
        tile.qmp('object-del', id='x')
        tile.qmp('system_reset')
        time.sleep(0.3)
        self.assertEqual(len(self.deadlocks(tile)), 3)

    @every_accelerator
    def test_deadlock_on_the_command_line(self, accel):
        tile = self.waits(accel, extra=[
            '-object', 'tensix-deadlock,id=x,action=exit'])
        self.assertEqual(tile.wait_for_exit(20), self.STATUS)
        self.assertEqual(tile.output().count('tensix: deadlock: '), 1)

    def test_it_replaces_the_option(self):
        tile = self.waits(machine='on-deadlock=exit', extra=[
            '-object', 'tensix-deadlock,id=x'])
        self.assertEqual(self.wait_for_deadlocks(tile, 1)[0]['action'], 'log')

    def test_action_can_be_set(self):
        tile = self.start(self.MAIL)
        path = '/machine/tile[0]/deadlock'
        with self.assertRaisesRegex(TileError, 'perhaps'):
            tile.qmp('qom-set', path=path, property='action', value='perhaps')
        self.assertEqual(tile.qmp('qom-get', path='/machine/deadlock',
                                  property='action'), 'log')
        tile.qmp('qom-set', path=path, property='action', value='exit')
        tile.qmp('cont')
        self.assertEqual(tile.wait_for_exit(20), self.STATUS)

    def unfinished(self, *objects):
        """Lines about waits when QEMU is asked to end."""
        tile = self.start(self.MAIL, extra=[
            word for text in objects for word in ('-object', text)])
        tile.qmp('cont')
        tile.wait_for(lambda t: 'wait' in t.hmp('info tensix why'))
        tile.qmp('stop')
        tile.qmp('quit')
        tile.wait_for_exit(20)
        return tile.output().count('tensix: unfinished: TRISC1 waits')

    def test_unfinished(self):
        self.assertEqual(self.unfinished(), 1)
        self.assertEqual(self.unfinished('tensix-deadlock,id=x'), 1)
        self.assertEqual(
            self.unfinished('tensix-deadlock,id=x,unfinished=off'), 0)

    def test_deleted_it_reports_nothing(self):
        tile = self.waits()
        self.wait_for_deadlocks(tile, 1)
        self.add(tile, 'deadlock')
        tile.qmp('object-del', id='x')
        tile.qmp('quit')
        tile.wait_for_exit(20)
        self.assertNotIn('unfinished', tile.output())

    def test_of_one_tile_of_two(self):
        """Both wait; one has an object that ends QEMU for it."""
        for n, path in (0, '/machine/tile[0]'), (1, '/machine/tile[1]'):
            tile = self.start(self.MAIL, machine='tiles=2x1')
            with self.assertRaisesRegex(TileError, 'which of 2 tiles'):
                self.add(tile, 'deadlock')
            self.add(tile, 'deadlock', tile=path, action='exit')
            self.assertEqual([[c['name'] for c in tile.qmp(
                'qom-list', path=f'/machine/tile[{m}]')
                if c['type'] == 'child<tensix-deadlock>'] for m in (0, 1)],
                [[] if m == n else ['deadlock'] for m in (0, 1)])
            tile.qmp('cont')
            self.assertEqual(tile.wait_for_exit(20), self.STATUS)

    # --- leaks ---

    def kernel(self, tile, count):
        tile.write32(DONE, 0)
        tile.write32(GO, 1)
        tile.wait_for_word(DONE, 1)
        return self.wait_for_ends(tile, count)[-1]

    def firmware(self, accel='single', machine='', **options):
        tile = self.start({'trisc1': waits_for_go([rv.ttinsn(INCADCXY_X0)])},
                          accel, machine, **options)
        tile.qmp('cont')
        return tile

    @every_accelerator
    def test_leaks_at_run_time(self, accel):
        tile = self.firmware(accel)
        self.assertNotIn('changes', self.kernel(tile, 1))
        for count in 2, 3:
            self.add(tile, 'leaks')
            end = self.kernel(tile, count)
            self.assertEqual(end['number'], 1)
            self.assertEqual({(c['before'], c['after'])
                              for c in end['changes']}, {(count - 1, count)})
            tile.qmp('object-del', id='x')
        tile.write32(GO, 1)
        time.sleep(0.2)
        self.assertEqual(len(self.ends(tile)), 3)

    def test_leaks_can_be_set(self):
        tile = self.firmware()
        self.kernel(tile, 1)
        for count, value in (2, 'report'), (3, 'off'), (4, 'report'):
            tile.qmp('qom-set', path='/machine/tile[0]/kernel-watch',
                     property='leaks', value=value)
            end = self.kernel(tile, count)
            self.assertEqual(end['number'], count)
            self.assertEqual({(c['before'], c['after'])
                              for c in end.get('changes', [])},
                             {(count - 1, count)} if value == 'report'
                             else set())

    # --- snapshots ---

    def test_snapshots_with_and_without(self):
        """The section is the same for each creator of the object; a machine
        without it refuses it, and one with it continues after a snapshot
        without."""
        tile = self.firmware(machine='leaks=report')
        add_disk(tile, os.path.join(self.folder, 'disk.qcow2'))
        self.kernel(tile, 1)
        tile.stop()
        self.assertEqual(tile.hmp('savevm with'), '')
        self.add(tile, 'leaks')
        self.assertEqual(tile.hmp('loadvm with'), '')
        tile.qmp('cont')
        self.assertEqual(self.kernel(tile, 2)['number'], 2)
        tile.stop()
        tile.qmp('object-del', id='x')
        self.assertIn("'tensix-kernel' 0", tile.hmp('loadvm with'))
        tile.qmp('system_reset')
        tile.qmp('cont')
        tile.write32(DONE, 0)
        tile.write32(GO, 1)
        tile.wait_for_word(DONE, 1)
        tile.stop()
        self.assertEqual(tile.hmp('savevm without'), '')
        self.add(tile, 'leaks')
        self.assertEqual(tile.hmp('loadvm without'), '')
        tile.qmp('cont')
        time.sleep(0.1)
        self.assertEqual(len(self.ends(tile)), 2)
        end = self.kernel(tile, 3)
        self.assertEqual((end['number'], end['instructions']), (1, 1))

    def test_a_history_needs_them(self):
        tile = self.start(self.MAIL, 'icount', 'rewind=on')
        for kind in 'deadlock', 'leaks':
            self.add(tile, kind, kind)
            with self.assertRaisesRegex(TileError, 'in use'):
                tile.qmp('object-del', id=kind)


class Reports(Loop):
    """tensix-reports: each tile has one, for the option on-violation."""

    LOADED = 0x400000              # where nothing is
    STATUS = 3
    OWN = '/machine/tile[0]/reports'

    def runs(self, tile):
        """Or has violated: the program does so at once."""

    def waits_for_stop(self, tile):
        tile.wait_for(lambda t: not t.qmp('query-status')['running'])

    def continues(self, tile):
        tile.qmp('cont')
        super().runs(tile)

    @every_accelerator
    def test_at_run_time(self, accel):
        tile = self.start(accel)
        for _ in range(2):
            self.add(tile, 'reports', action='stop')
            self.waits_for_stop(tile)
            self.delete(tile, 'reports')
            self.continues(tile)
        self.add(tile, 'reports')
        super().runs(tile)
        tile.qmp('qom-set', path='/objects/reports', property='action',
                 value='exit')
        self.assertEqual(tile.wait_for_exit(20), self.STATUS)

    @every_accelerator
    def test_on_the_command_line(self, accel):
        tile = self.start(accel, stopped=True, extra=[
            '-object', 'tensix-reports,id=r,action=exit'])
        tile.qmp('cont')
        self.assertEqual(tile.wait_for_exit(20), self.STATUS)

    def test_it_replaces_the_option(self):
        tile = self.start(machine='on-violation=exit', extra=[
            '-object', 'tensix-reports,id=r'])
        super().runs(tile)
        with self.assertRaisesRegex(TileError, 'has one already'):
            tile.qmp('object-add', **{'qom-type': 'tensix-reports',
                                      'id': 'other'})
        with self.assertRaisesRegex(TileError, 'not found'):
            tile.qmp('qom-get', path=self.OWN, property='action')

    def test_one_that_fails_replaces_nothing(self):
        tile = self.start(machine='on-violation=exit', stopped=True)
        with self.assertRaisesRegex(TileError, 'it is not a file'):
            self.add(tile, 'reports', suppress='/')
        tile.qmp('cont')
        self.assertEqual(tile.wait_for_exit(20), self.STATUS)

    def test_action_can_be_set(self):
        tile = self.start()
        with self.assertRaisesRegex(TileError, 'perhaps'):
            tile.qmp('qom-set', path=self.OWN, property='action',
                     value='perhaps')
        self.assertEqual(tile.qmp('qom-get', path='/machine/reports',
                                  property='action'), 'log')
        tile.qmp('qom-set', path=self.OWN, property='action', value='stop')
        self.waits_for_stop(tile)
        tile.qmp('qom-set', path=self.OWN, property='action', value='log')
        self.continues(tile)

    def test_of_one_tile_of_two(self):
        tile = self.start(machine='tiles=2x1')
        self.add(tile, 'reports', tile='/machine/tile[1]', action='stop')
        self.waits_for_stop(tile)
        self.assertEqual({e['data'].get('path') for e in tile.events
                          if e['event'] == 'TENSIX_STOP'},
                         {'/machine/tile[1]'})

    def test_sum_at_the_end(self):
        """Of what has been printed one by one there is none."""
        for deleted in False, True:
            tile = self.start(extra=[
                '-object', 'tensix-reports,id=reports,action=stop'])
            for _ in range(2):
                self.waits_for_stop(tile)
                tile.qmp('cont')
            self.waits_for_stop(tile)
            if deleted:
                self.delete(tile, 'reports')
            tile.qmp('quit')
            tile.wait_for_exit(20)
            self.assertEqual('violations at 1 site' in tile.output(), deleted)


class Rewinds(test_rewind.Machine):
    """tensix-rewind: the history of the machine, by option or object."""

    CODE = [rv.addi(A0, A0, 1)] * 40 + rv.HALT

    def add(self, machine, **properties):
        machine.qmp('object-add', **{'qom-type': 'tensix-rewind', 'id': 'r',
                                     **properties})

    def status(self, tile):
        return tile.qmp('qom-get', path='/objects/r', property='status').split()

    def test_at_run_time(self):
        """Twice: what happens before and between cannot be reached."""
        tile, gdb = self.programs({'trisc0': self.CODE}, machine='')
        start = gdb.pc('trisc0')
        for begin, end in (2, 12), (20, 32):
            self.run_to(gdb, 'trisc0', start + 4 * begin)
            self.assertEqual(gdb.back('trisc0'), 'E22')
            self.add(tile)
            here, seen = self.place(tile), set()
            for _ in range(3):
                self.run_to(gdb, 'trisc0', start + 4 * end)
                there = self.digest(tile)
                gdb.back('trisc0')
                self.assertEqual(gdb.pc('trisc0'), start + 4 * (end - 1))
                gdb.step('trisc0')
                self.assertEqual(self.digest(tile), there)
                self.assertIn(test_rewind.BEGINNING, gdb.go_back())
                seen.add((self.digest(tile), there))
            self.assertEqual(len(seen), 1)
            self.assertEqual(self.place(tile), here)
            self.assertEqual(int(self.status(tile)[0]), here)
            tile.qmp('object-del', id='r')
            with self.assertRaisesRegex(TileError, 'no history'):
                self.digest(tile)
        self.assertNotIn('rewind:', tile.output())

    def test_while_the_machine_runs(self):
        code = loop_code()
        tile, gdb = self.programs({'trisc0': code}, machine='')
        gdb.send('vCont;c')

        def runs():
            before = tile.read32(COUNTER)
            tile.wait_for(lambda t: t.read32(COUNTER) != before)
        runs()
        for _ in range(2):
            self.add(tile, interval=10000)
            runs()
            tile.wait_for(lambda t: int(self.status(t)[2]) > 2)
            tile.qmp('object-del', id='r')
            runs()
        self.add(tile)
        runs()
        self.assertRegex(gdb.interrupt(), '^T0')
        gdb.step('trisc0')
        wanted = gdb.pc('trisc0')
        gdb.step('trisc0')
        gdb.back('trisc0')
        self.assertEqual(gdb.pc('trisc0'), wanted)
        self.assertIn(test_rewind.BEGINNING, gdb.go_back())
        self.assertGreater(self.place(tile), 0)

    def test_breakpoints_of_before_stop_the_machine(self):
        code = rv.li(A1, COUNTER) + [
            rv.lw(A0, A1), rv.branch(BEQ, A0, rv.ZERO, -4)]
        tile, gdb = self.programs({'trisc0': code + [rv.NOP] + rv.HALT},
                                  machine='')
        end = gdb.pc('trisc0') + 4 * len(code)
        gdb.insert('trisc0', end)
        gdb.send('vCont;c')
        self.add(tile)
        tile.write32(COUNTER, 1)
        self.assertRegex(gdb.answer(), '^T05')
        self.assertEqual(gdb.pc('trisc0'), end)

    def test_it_reports_again_what_follows_a_deletion(self):
        """In the past, where what is known is reported no more."""
        tile, gdb = self.programs({'trisc0': [rv.NOP] * 3 + [
            rv.ttinsn(test_rewind.NO_SUCH_OPCODE)] + [rv.NOP] * 8 + rv.HALT},
            machine='')
        start = gdb.pc('trisc0')
        self.add(tile)

        def violations():
            self.run_to(gdb, 'trisc0', start + 4 * 8)
            return tile.qmp('query-tensix-violations')['total']
        self.assertEqual(violations(), 1)
        gdb.go_back()
        self.assertEqual(violations(), 1)
        gdb.go_back()
        tile.qmp('object-del', id='r')
        self.assertEqual(violations(), 2)

    def test_of_all_tiles(self):
        tile, gdb = self.debugged('demo', 'tiles=2x1', extra=[
            '-object', 'tensix-rewind,id=r,interval=10000'])
        first = self.digest(tile)
        gdb.insert('trisc1', test_rewind.symbol('demo', 'trisc1',
                                                'compute_face'))
        gdb.resume()
        self.assertIn(test_rewind.BEGINNING, gdb.go_back())
        self.assertEqual(self.digest(tile), first)

    def test_what_is_refused(self):
        def refused(text, machine='', accel='icount', **properties):
            tile = self.tile(accel=accel, machine=machine, stopped=True)
            with self.assertRaisesRegex(TileError, text):
                self.add(tile, **properties)
        refused('-icount shift=0,sleep=off', accel='single')
        refused('exclude each other', f'host-socket={self.folder}/host')
        refused('has one already', 'rewind=on')
        refused('interval must be', interval=1)
        refused("'tile' is unexpected", tile='/machine/tile[0]')

    def test_properties_can_be_set(self):
        tile = self.tile(accel='icount', stopped=True, images={'brisc': loop()},
                         extra=['-object', 'tensix-rewind,id=r'])

        def put(name, value):
            tile.qmp('qom-set', path='/objects/r', property=name, value=value)
        with self.assertRaisesRegex(TileError, 'interval must be'):
            put('interval', 1)
        put('interval', 10000)
        tile.qmp('cont')
        tile.wait_for(lambda t: int(self.status(t)[2]) > 3)
        tile.stop()
        put('memory', 1)
        tile.qmp('cont')
        tile.wait_for(lambda t: int(self.status(t)[2]) == 1)

    def test_not_during_a_search(self):
        tile, gdb = self.programs({'trisc0': loop_code()}, machine='')
        self.add(tile, interval=1 << 40)
        gdb.send('vCont;c')
        tile.wait_for(lambda t: t.read32(COUNTER) > 200000)
        gdb.interrupt()
        gdb.send('bc')
        with self.assertRaisesRegex(TileError, 'in use'):
            tile.qmp('object-del', id='r')
        self.assertIn(test_rewind.BEGINNING, gdb.answer())
        tile.qmp('object-del', id='r')


class Backward(test_rewind.Machine):
    """A history has an object in the place of the tile's own."""

    CODE = test_rewind.Kernels.CODE

    def run_out(self, tile, gdb, start):
        self.run_to(gdb, 'trisc0', start + 4 * (len(self.CODE) - 1))
        return self.digest(tile), [
            event['data']['number'] for event in tile.events
            if event['event'] == 'TENSIX_KERNEL_END']

    def begin(self, **options):
        tile, gdb = self.programs({'trisc0': self.CODE + rv.HALT}, **options)
        return tile, gdb, gdb.pc('trisc0')

    def test_from_the_start(self):
        tile, gdb, start = self.begin(extra=[
            '-object', 'tensix-leaks,id=l,leaks=off',
            '-object', 'tensix-deadlock,id=d'])
        there = self.run_out(tile, gdb, start)
        self.assertEqual(there[1], [1, 2])
        self.assertIn(test_rewind.BEGINNING, gdb.go_back())
        self.assertEqual(self.place(tile), 0)
        self.assertEqual(self.run_out(tile, gdb, start), there)
        self.assertNotIn('rewind:', tile.output())

    def test_it_begins_where_one_is_created(self):
        tile, gdb, start = self.begin()
        self.run_to(gdb, 'trisc0', start + 4 * 3)
        here = self.place(tile)
        tile.qmp('object-add', **{'qom-type': 'tensix-leaks', 'id': 'l'})
        there = self.run_out(tile, gdb, start)
        self.assertIn(test_rewind.BEGINNING, gdb.go_back())
        self.assertEqual(self.place(tile), here)
        self.assertEqual(self.run_out(tile, gdb, start), there)
        self.assertIn(f'rewind: history begins at instruction {here}: an '
                      'instrument was created', tile.output())
        self.assertEqual(tile.output().count('rewind:'), 1)


if __name__ == '__main__':
    unittest.main()
