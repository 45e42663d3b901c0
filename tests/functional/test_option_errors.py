# SPDX-License-Identifier: GPL-2.0-or-later
"""Options and commands of the emulator that are wrong: each has its message,
and a wrong option ends the start with status 1."""

import os
import subprocess
import tempfile
import unittest

from blackhole_tile import Tile, TileError
from blackhole_tile.testing import QEMU

MACHINE = 'blackhole-tile'
PERTURB = ('-icount', 'shift=0,sleep=off', '-object', 'tensix-perturb,id=p')
SERVERS = 4096
# (machine, other words, what is said)
OPTIONS = (
    ('suppress=rule', (), 'rule:2: a rule is CATEGORY PLACE REASON'),
    ('timeline=/dev/full', (), 'timeline: /dev/full: No space left on device'),
    ('sim-server=on,host-socket=socket', (),
     'sim-server: host-socket names another socket'),
    ('', ('-m', '4M'),
     'the memory of a Tensix tile is its L1, 1536 KiB: leave out -m'),
    ('', ('-global', 'tensix-noc.x=99'),
     'no tile at (99,2), the NoC has 17 columns and 12 rows'),
    ('', ('-object', 'tensix-timeline,id=t,file='),
     'tensix-timeline: file=FILE is missing'),
    ('', ('-object', 'tensix-coverage,id=t,file='),
     'tensix-coverage: file=FILE is missing'),
    ('host-socket=socket', PERTURB,
     'tensix-perturb: delays and a host (host=, host-socket=) exclude each '
     'other: what a host asked for cannot be asked again'),
)
# (command of the monitor, what it answers)
COMMANDS = (
    ('tensix_break any x', "tensix_break: 'x' is not 'thread 0..2' and not "
                           'FIELD=VALUE'),
    ('tensix_watch dest 1 500 wide', 'tensix_watch: dest: at most 64 rows of '
                                     '32 bits, from a multiple of 8 on'),
    ('tensix_watch l1 0 4 wide', "tensix_watch: l1: 'wide' makes no sense "
                                 'here'),
)
BREAKS = 32


class Options(unittest.TestCase):
    def setUp(self):
        # in memory, if that is a file system here
        temporary = tempfile.TemporaryDirectory(
            dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        with open(os.path.join(self.folder, 'rule'), 'w',
                  encoding='utf-8') as file:
            file.write('# rules\nrace here\n')

    def check(self, machine, words, wanted, **env):
        done = subprocess.run(
            [QEMU, '-display', 'none', '-nodefaults', '-M',
             ','.join(filter(None, (MACHINE, machine))), *words],
            cwd=self.folder,
            env={**os.environ, 'TMPDIR': self.folder, **env},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.STDOUT, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout),
                         (1, f'qemu-system-riscv64: {wanted}\n'))

    def test_options(self):
        for machine, words, wanted in OPTIONS:
            with self.subTest(wanted):
                self.check(machine, words, wanted)

    def test_no_folder_left(self):
        """Of those that tt-umd's tools look for."""
        for number in range(SERVERS):
            os.mkdir(os.path.join(self.folder, f'tt-umd-sim-server-{number}'))
        self.check('sim-server=on', (), f'sim-server: {self.folder} has '
                   f'{SERVERS} folders of simulation servers (sim_server prune '
                   'removes dead ones)')

    def test_no_place_for_a_folder(self):
        self.check('sim-server=on', (),
                   "sim-server: '/none/tt-umd-sim-server-0': No such file or "
                   'directory', TMPDIR='/none')

    def test_no_tile(self):
        done = subprocess.run(
            [QEMU, '-display', 'none', '-nodefaults', '-M', 'none',
             '-monitor', 'stdio'], input='info tensix\nquit\n', text=True,
            stdout=subprocess.PIPE, timeout=60, check=True)
        self.assertIn('\ninfo tensix: this machine has no Tensix tile',
                      done.stdout)


class Commands(unittest.TestCase):
    def test_commands(self):
        with Tile() as tile:
            for line, wanted in COMMANDS:
                with self.subTest(line):
                    self.assertEqual(tile.hmp(line).strip(), wanted)

    def test_breaks(self):
        with Tile() as tile:
            answers = [tile.hmp('tensix_break any').strip()
                       for _ in range(BREAKS + 1)]
        self.assertEqual(answers[-2:], [
            f'break {BREAKS}',
            'tensix_break: there are as many breaks as can be'])

    def test_registers_of_a_timeline(self):
        with tempfile.NamedTemporaryFile() as file, Tile() as tile:
            tile.qmp('object-add', **{'qom-type': 'tensix-timeline', 'id': 't',
                                      'file': file.name})
            with self.assertRaisesRegex(
                    TileError, 'timeline: registers cannot change while a '
                    'file is written'):
                tile.qmp('qom-set', path='/objects/t', property='registers',
                         value=True)

    def test_digest_while_it_runs(self):
        with Tile(machine='rewind=on', accel='icount') as tile:
            with self.assertRaisesRegex(TileError,
                                        'the machine runs: stop it first'):
                tile.qmp('qom-get', path='/machine', property='rewind-digest')
            tile.qmp('stop')
            self.assertRegex(tile.qmp(
                'qom-get', path='/machine', property='rewind-digest'),
                r'\d+ [0-9a-f]+$')


if __name__ == '__main__':
    unittest.main()
