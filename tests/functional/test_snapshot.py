# SPDX-License-Identifier: GPL-2.0-or-later
"""Snapshots in the middle of everything: harts stalled, a MOP and a REPLAY
half expanded, FIFOs, PCBufs and mailboxes with words in them.

The resumed run has to end with the same L1 and register files as one that was
never interrupted.
"""

import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import blackhole_tile as bt
from blackhole_tile import ACCELERATORS, APERTURE_SEMAPHORES
from blackhole_tile.snapshots import add_disk, wait_for_job
from blackhole_tile.testing import BUILD, ROOT, SHARED, Tile, every_accelerator

GO, READY, DONE = SHARED, SHARED + 4, SHARED + 8
TRISC1_GPR = SHARED + 20
# Snapshot firmware: its results, however it is interleaved
OUTER, INNER, GPR_STEP = 5, 3, 0x10001


def wait_for_status(tile, wanted, seconds=20):
    tile.wait_for(lambda t: t.qmp('query-status')['status'] == wanted,
                  seconds, f'status {wanted}')


# The OR of lane_config[], made again when a state is loaded; what only events use.
CACHED = {('TensixVectorUnit', 'lane_config_any'), ('TensixInsn', 'extra')}


def members(struct):
    """Names of the members of one structure's text."""
    text = re.sub(r'/\*.*?\*/|__attribute__\(\(.*?\)\)\)', '', struct,
                  flags=re.DOTALL)
    for declaration in text.split(';'):
        for name in re.findall(r'(\w+)\s*(?:\[[^\]]*\]\s*)*(?:,|$)',
                               declaration.strip()):
            yield name


def fields_of(description, name=''):
    """(structure, field) of all that a snapshot's description lists."""
    if isinstance(description, list):
        for part in description:
            yield from fields_of(part, name)
    elif isinstance(description, dict):
        name = description.get('vmsd_name', name)
        for field in description.get('fields', ()):
            yield name, field['name']
        for part in description.values():
            yield from fields_of(part, name)


class Complete(unittest.TestCase):
    def test_every_field_is_saved(self):
        """One of a later version than its structure's is not. Those of hazards
        are only if they are checked."""
        with open(os.path.join(ROOT, 'hw/tenstorrent/coprocessor/'
                               'tensix_cop_vmstate.c'),
                  encoding='utf-8') as file:
            tables = re.findall(
                r'^static const VMStateField (\w+)_fields\[\] = {(.*?)^};',
                file.read(), re.DOTALL | re.MULTILINE)
        with Tile(stopped=True) as tile:
            path = os.path.join(tile.folder, 'state')
            tile.save(path)
            with open(path, 'rb') as file:
                data = file.read()
        saved = set(fields_of(json.loads(
            data[data.rindex(b'{"configuration"'):].decode())))
        wanted = {(f'tensix-{table}', name) for table, text in tables
                  if not table.startswith('hazard')
                  for name in re.findall(r'\bVMSTATE_\w+\((\w+),', text)}
        self.assertIn(('tensix-state', 'order'), wanted)
        self.assertEqual(wanted - saved, set())

    def test_every_member_of_the_state(self):
        """A member that is not migrated is lost in a snapshot and in a
        rewind."""
        with open(os.path.join(ROOT, 'hw/tenstorrent/core/tensix_state.h'),
                  encoding='utf-8') as file:
            structs = re.findall(r'^typedef struct \w+ {(.*?)^} (\w+);',
                                 file.read(), re.DOTALL | re.MULTILINE)
        with open(os.path.join(ROOT, 'hw/tenstorrent/coprocessor/'
                               'tensix_cop_vmstate.c'),
                  encoding='utf-8') as file:
            migrated = {(struct, field) for field, struct in
                        re.findall(r'VMSTATE_\w+\((\w+)[^,]*,\s*(\w+)',
                                   file.read())}
        wanted = {(struct, name) for text, struct in structs
                  if struct != 'TensixVectorLate'     # migrated in place
                  for name in members(text)}
        self.assertGreater(len(wanted), 100)
        self.assertEqual(wanted - migrated - CACHED, set())


class Snapshot(unittest.TestCase):
    def start(self, accel, **options):
        tile = Tile('snapshot', accel, **options)
        return self.enterContext(tile)

    def at_rest(self, accel, **options):
        """A machine in which only BRISC runs, polling `go`."""
        tile = self.start(accel, **options)
        tile.wait_for_word(READY, 1)
        time.sleep(0.3)
        self.assertEqual(tile.read32(DONE), 0)
        return tile

    def final_state(self, tile):
        tile.wait_for_word(DONE, 1)
        tile.qmp('stop')
        return tile.l1(), tile.aperture()

    def finish(self, tile):
        tile.write32(GO, 1)
        return self.final_state(tile)

    def assert_same(self, got, wanted):
        for name, a, b in zip(('L1', 'register files'), got, wanted):
            differing = [f'{i:#x}' for i in range(0, len(a), 4)
                         if a[i:i + 4] != b[i:i + 4]]
            self.assertFalse(differing, f'{name} differs: {differing[:8]}')

    def uninterrupted(self, accel):
        return self.final_state(self.start(accel, words={GO: 1}))

    def test_result_is_right(self):
        """The uninterrupted run, against arithmetic of our own."""
        count = history = 0
        for _ in range(OUTER * (INNER - 1)):
            count += GPR_STEP
            history += count
        history += 64
        tile = self.start('single', words={GO: 1})
        self.final_state(tile)
        self.assertEqual([tile.read32(TRISC1_GPR + 4 * i) for i in range(4)],
                         [count, 1, history & 0xFFFFFFFF, GPR_STEP])

    def test_half_done(self):
        """The idle machine has executed two of five iterations."""
        tile = self.at_rest('single')
        gpr8 = tile.read32(0xFFE00000 + 0x100 + 4 * 8)
        self.assertEqual(gpr8, 2 * (INNER - 1) * GPR_STEP)

    def migrate(self, accel):
        wanted = self.uninterrupted(accel)
        first = self.at_rest(accel)
        path = os.path.join(first.folder, 'state')
        first.qmp('migrate', uri=f'file:{path}')
        wait_for_status(first, 'postmigrate')
        second = self.start(accel, extra=['-incoming', f'file:{path}'])
        wait_for_status(second, 'running')
        self.assertEqual(second.read32(DONE), 0)
        self.assert_same(self.finish(second), wanted)

    def test_migrate_single(self):
        self.migrate('single')

    def test_migrate_multi(self):
        self.migrate('multi')

    def test_migrate_icount(self):
        self.migrate('icount')

    @every_accelerator
    def test_saved_at_a_break(self, accel):
        """The other machine is there, too, and continues: it aborted."""
        wanted = self.uninterrupted(accel)
        first = self.start(accel, stopped=True, words={GO: 1})
        first.hmp('tensix_break any')
        first.qmp('cont')
        wait_for_status(first, 'debug')
        path = os.path.join(first.folder, 'state')
        first.save(path)
        second = self.start(accel, stopped=True, incoming=path)
        self.assertEqual(second.status(), 'debug')
        self.assertEqual(second.read32(DONE), 0)
        second.qmp('cont')
        self.assert_same(self.final_state(second), wanted)

    def saved(self, semaphores):
        """A snapshot's bytes; the semaphores' (value, max) find the place."""
        tile = self.start('single', stopped=True)
        for n, pair in enumerate(semaphores):
            for word, value in enumerate(pair):
                tile.write32(APERTURE_SEMAPHORES + 8 * n + 4 * word, value)
        path = os.path.join(tile.folder, 'state')
        tile.qmp('migrate', uri=f'file:{path}')
        wait_for_status(tile, 'postmigrate')
        with open(path, 'rb') as file:
            return path, file.read()

    def incoming(self, path, data, good, accel='single', **options):
        """A tile that got this state, which is to be taken, or refused"""
        with open(path, 'wb') as file:
            file.write(data)
        tile = self.start(accel, stopped=True, extra=['-incoming', 'defer'],
                          **options)
        tile.qmp('migrate-incoming', uri=f'file:{path}',
                 **{'exit-on-error': False})
        tile.wait_for(lambda t: t.qmp('query-migrate')['status'] in
                      ('completed', 'failed'), 20, 'end of migration')
        self.assertEqual(tile.qmp('query-migrate')['status'],
                         'completed' if good else 'failed')
        return tile

    def test_malformed_owner_is_refused(self):
        """The mutexes' owners follow the semaphores and how these were used."""
        semaphores = [(n + 1, 15 - n) for n in range(8)]
        path, data = self.saved(semaphores)
        pattern = struct.pack('>16I', *itertools.chain(*semaphores))
        self.assertEqual(data.count(pattern), 1)
        use = 6 * 4 + 5 * 8                # numbers and origins of one
        place = data.index(pattern) + len(pattern) + 8 * use + 4 * 2
        for owner, good in ((3, True), (4, False), (0x7FFFFFFF, False)):
            with self.subTest(owner=owner):
                tile = self.incoming(
                    path, data[:place] + struct.pack('>I', owner) +
                    data[place + 4:], good)
                text = tile.hmp('info tensix mutexes')
                self.assertIn('2: thread 2' if good else '2: free', text)
                tile.close()

    def test_malformed_mail_is_refused(self):
        """A writer has four words under way, all its readers together."""
        words = [0x51A0 + n for n in range(4)]
        tile = self.start('single', stopped=True)
        for word in words:
            tile.write32(bt.hart_view('trisc1', 0xFFEC0000), word)
        path = os.path.join(tile.folder, 'state')
        tile.save(path)
        with open(path, 'rb') as file:
            data = file.read()
        pattern = struct.pack('>6I', 0, len(words), *words)
        self.assertEqual(data.count(pattern), 1)
        for head, count, good in ((0, 4, True), (0, 3, True), (0, 5, False),
                                  (0, 17, False), (16, 4, False)):
            with self.subTest(head=head, count=count):
                self.incoming(path, data.replace(
                    pattern, struct.pack('>2I', head, count) + pattern[8:]),
                              good).close()

    def test_malformed_turns_are_refused(self):
        """Of a history: waits that take time back, a turn without an end."""
        tile = self.start('icount', stopped=True, machine='rewind=on')
        path = os.path.join(tile.folder, 'state')
        tile.save(path)
        with open(path, 'rb') as file:
            data = file.read()
        name = b'tensix-turns'
        place = data.index(name) + len(name) + 8 + 1   # ids, all_wait
        most = (1 << 63) - 1
        for fields, good in (((0, 0, 0, 0, 0), True),  # since, last, charge, ...
                             ((8, 16, 1, 4, 250000), True),
                             ((-most, 0, 0, 0, 0), False),
                             ((16, 8, 0, 0, 0), False),
                             ((8, 16, -1, 0, 0), False),
                             ((8, 16, 9, 0, 0), False),
                             ((0, 0, 0, 5, 0), False),
                             ((0, 0, 0, 0, most), False)):
            with self.subTest(fields=fields):
                new = struct.pack('>3qIq', *fields)
                self.incoming(
                    path, data[:place] + new + data[place + len(new):], good,
                    'icount', machine='rewind=on').close()

    def test_wait_for_no_semaphore(self):
        """No guest latches it, a malformed file may: the verdict says so."""
        conditions, block = 1, 0x1FF
        wait = bt.tt('SEMWAIT', stall_res=block, wait_sem_cond=conditions,
                     sem_sel=0x80)
        first = self.start('single', stopped=True)
        first.push(2, wait)
        first.push(2, bt.tt('DMANOP'))
        self.assertIn('SEMWAIT until MATH_DONE', first.hmp('info tensix'))
        path = os.path.join(first.folder, 'state')
        first.save(path)
        with open(path, 'rb') as file:
            data = file.read()
        pattern = struct.pack('>4I', wait >> 24, block, conditions, 0x80)
        self.assertEqual(data.count(pattern), 1)
        with open(path, 'wb') as file:
            file.write(data.replace(pattern, pattern[:12] + bytes(4)))
        second = self.start('single', stopped=True, incoming=path)
        self.assertIn('no semaphore is selected', second.hmp('info tensix'))

    def snapshot(self, tile, what):
        tile.qmp(f'snapshot-{what}', **{
            'job-id': what, 'tag': 'half', 'vmstate': 'disk',
            'devices': ['disk']})
        wait_for_job(tile, what)

    def savevm(self, accel):
        wanted = self.uninterrupted(accel)
        tile = self.at_rest(accel)
        add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
        self.snapshot(tile, 'save')
        self.assert_same(self.finish(tile), wanted)
        # the state is now another one: back to the half-done one, twice
        for _ in range(2):
            tile.qmp('stop')
            self.snapshot(tile, 'load')
            self.assertEqual(tile.read32(DONE), 0)
            tile.qmp('cont')
            self.assert_same(self.finish(tile), wanted)

    def test_a_disk_for_another_machine(self):
        """The command of docs/snapshots.rst, -drive, savevm and loadvm."""
        path = os.path.join(tempfile.mkdtemp(), 'moments.qcow2')
        self.addCleanup(shutil.rmtree, os.path.dirname(path))
        for status, text in ((0, ''), (1, 'is there already')):
            done = subprocess.run(
                [sys.executable, '-m', 'blackhole_tile.snapshots', path],
                capture_output=True, text=True, timeout=60, check=False,
                env=dict(os.environ, TENSIX_BUILD=BUILD,
                         PYTHONPATH=os.path.join(ROOT, 'python')))
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(text, done.stderr)
        tile = self.at_rest('single', extra=[
            '-drive', f'if=none,format=qcow2,file={path}'])
        self.assertEqual(tile.hmp('savevm half'), '')
        self.finish(tile)
        self.assertEqual(tile.read32(DONE), 1)
        self.assertEqual(tile.hmp('loadvm half'), '')
        self.assertEqual(tile.read32(DONE), 0)
        self.assertIn('no-such', tile.hmp('loadvm no-such'))

    def test_savevm_single(self):
        self.savevm('single')

    def test_savevm_multi(self):
        self.savevm('multi')

    def test_savevm_icount(self):
        self.savevm('icount')

    def test_same_result_in_all_modes(self):
        results = [self.uninterrupted(accel) for accel in ACCELERATORS]
        for other in results[1:]:
            self.assert_same(other, results[0])

    def test_same_result_in_random_schedules(self):
        wanted = self.uninterrupted('single')
        for seed in range(1, 6):
            for accel in ACCELERATORS:
                with self.subTest(seed=seed, accel=accel):
                    tile = self.start(accel, words={GO: 1},
                                      machine=f'schedule=seed={seed}')
                    self.assert_same(self.final_state(tile), wanted)
                    tile.close()


if __name__ == '__main__':
    unittest.main()
