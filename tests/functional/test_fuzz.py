# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/fuzz: each target of machine.py, readers.py and soak.py for a few seconds,
some runs of snapshots.py, and that they notice."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from blackhole_tile.testing import QEMU, ROOT

PROGRAM = os.path.join(ROOT, 'tests', 'fuzz', 'machine.py')
READERS = os.path.join(ROOT, 'tests', 'fuzz', 'readers.py')
SOAK = os.path.join(ROOT, 'tests', 'fuzz', 'soak.py')
SNAPSHOTS = os.path.join(ROOT, 'tests', 'fuzz', 'snapshots.py')
GENERIC = os.path.join(ROOT, 'tests', 'fuzz', 'generic')
SECONDS = 4
# An emulator that dies of a signal as soon as it is asked for symbols
DIES = """
import os, signal, sys
sys.path.insert(0, {folder!r})
sys.argv = ['machine.py', 'elf', '--seconds', '20', '--save', {save!r}]
import machine
answer = machine.require_answer
def die(tile):
    os.kill(tile.process.pid, signal.SIGSEGV)
    answer(tile)
machine.require_answer = die
sys.exit(machine.main())
"""
# A word of L1 that the second machine does not get
FORGETS = """
import sys
sys.path.insert(0, {folder!r})
sys.argv = ['snapshots.py', '--count', '1']
import snapshots
hop = snapshots.hop
def forget(*args):
    tile = hop(*args)
    tile.write32(0x178000, 1)
    return tile
snapshots.hop = forget
sys.exit(snapshots.main())
"""


def run(command):
    return subprocess.run([sys.executable, '-B', *command], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding='utf-8', timeout=300)


class Fuzz(unittest.TestCase):
    def check(self, target):
        done = run([PROGRAM, target, '--seconds', str(SECONDS)])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'[1-9]\d* inputs: the machine answers')

    def test_elf(self):
        self.check('elf')

    def test_gdb(self):
        self.check('gdb')

    def test_host(self):
        self.check('host')

    def test_snapshot(self):
        self.check('snapshot')

    def test_readers(self):
        """Those of the Python package."""
        for target in 'elf', 'npy', 'timeline':
            with self.subTest(target):
                done = run([READERS, target, '--seconds', str(SECONDS)])
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertRegex(done.stdout, r'[1-9]\d* inputs: read, or')

    def test_soak(self):
        done = run([SOAK, '--seconds', str(SECONDS)])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'soak: [1-9]\d* machines')

    def test_snapshots(self):
        """At random moments: the programs end the same."""
        done = run([SNAPSHOTS, '--count', '12', '--seconds', '60'])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'[1-9]\d* in the middle of a program')

    def test_a_snapshot_that_loses_a_word_is_noticed(self):
        done = run(['-c', FORGETS.format(folder=os.path.dirname(SNAPSHOTS))])
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('1 words differ: 0x178000', done.stdout)

    def test_the_clock_of_the_generic_one_never_ends(self):
        """Upstream takes a step without a next deadline for a failure."""
        with open(GENERIC, encoding='utf-8') as file:
            text = file.read().replace('\\\n', '')
        checks, = re.findall(r'^checks=(.*)', text, re.M)
        args, = re.findall(r' QEMU_FUZZ_ARGS="(.*)"', text)
        for options in '', ',' + checks:
            with subprocess.Popen(
                    [QEMU, '-display', 'none', '-accel', 'qtest', '-m', '512M',
                     *args.replace('$options', options).split(),
                     '-qtest', 'stdio', '-qtest-log', 'none'], bufsize=1,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    encoding='utf-8') as qemu:
                self.addCleanup(qemu.kill)
                qemu.stdin.write('clock_step\n' * 3)
                answers = [qemu.stdout.readline().split()[:1]
                           for _ in range(3)]
                qemu.kill()
            self.assertEqual(answers, [['OK']] * 3)

    def test_an_emulator_that_dies_is_noticed(self):
        """The input that it died of is saved."""
        with tempfile.TemporaryDirectory() as save:
            done = run(['-c', DIES.format(folder=os.path.dirname(PROGRAM),
                                          save=save)])
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, r'elf: input 1 of seed 1: ')
            self.assertEqual(os.listdir(save), ['elf-1-1'])


if __name__ == '__main__':
    unittest.main()
