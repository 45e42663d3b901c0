# SPDX-License-Identifier: GPL-2.0-or-later
"""Options and commands of the emulator that are wrong: each has its message,
and a wrong option ends the start with status 1."""

import fcntl
import os
import resource
import struct
import subprocess
import tempfile
import unittest

from blackhole_tile import Tile, TileError
from blackhole_tile.testing import QEMU

MACHINE = 'blackhole-tile'
PERTURB = ('-icount', 'shift=0,sleep=off', '-object', 'tensix-perturb,id=p')
SERVERS = 4096
# <fcntl.h>, which Python 3.9 has none of
F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2
# An ELF without sections, and its only program header
ELF = struct.pack('<16sHHIIIIIHHHHHH', b'\x7fELF\1\1\1', 2, 243, 1, 0, 52, 0, 0,
                  52, 32, 1, 40, 0, 0)
LOAD, AFTER_IT = 1, 84
# Files of a process: from too few for QEMU itself to enough for the machine
FILES = range(8, 64)
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
    ('tensix_break tile 0', "tensix_break: '' is no mnemonic, not 'any' and not "
                            "'violation'"),
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

    def test_timeline_that_keeps_its_length(self):
        file = os.memfd_create('timeline', os.MFD_ALLOW_SEALING)
        self.addCleanup(os.close, file)
        os.write(file, b'data')
        fcntl.fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK)
        path = f'/proc/{os.getpid()}/fd/{file}'
        self.check(f'timeline={path}', (),
                   f'timeline: {path}: Operation not permitted')

    def test_image_with_too_much(self):
        """Segments that are longer than their memory, or than the file."""
        for in_file, in_memory, wanted in (
                (8, 4, 'its segment at 0x00000000 has 8 bytes in the file, '
                 'and 4 in memory'),
                (64, 64, 'Failed to load ELF')):
            with open(os.path.join(self.folder, 'image'), 'wb') as file:
                file.write(ELF + struct.pack('<8I', LOAD, AFTER_IT, 0, 0,
                                             in_file, in_memory, 7, 4) +
                           bytes(16))
            with self.subTest(wanted):
                self.check('brisc=image', (), "cannot load the image of brisc, "
                           f"'image': {wanted}")

    def test_too_few_files(self):
        """Whatever QEMU itself needs, one number is too small for a hart."""
        for files in FILES:
            done = subprocess.run(
                [QEMU, '-display', 'none', '-nodefaults', '-M', MACHINE, '-S',
                 '-monitor', 'stdio'], input='quit\n', text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                check=False, preexec_fn=lambda n=files: resource.setrlimit(
                    resource.RLIMIT_NOFILE, (n, n)))
            if 'no event notifier for trisc0: Too many' in done.stdout:
                self.assertEqual(done.returncode, 1)
                return
        self.fail('no such message')

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

    def test_digest_before_the_machine(self):
        with subprocess.Popen(
                [QEMU, '-display', 'none', '-M', MACHINE, '-preconfig', '-qmp',
                 'stdio'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True) as qemu:
            text, _ = qemu.communicate("""
                {"execute": "qmp_capabilities"}
                {"execute": "object-add", "arguments":
                 {"qom-type": "tensix-rewind", "id": "r"}}
                {"execute": "qom-get", "arguments":
                 {"path": "/objects/r", "property": "digest"}}
                {"execute": "quit"}""", timeout=60)
        self.assertIn('there is no machine yet', text)

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
