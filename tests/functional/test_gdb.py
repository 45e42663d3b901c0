# SPDX-License-Identifier: GPL-2.0-or-later
"""One gdb session on the demo firmware: five inferiors."""

import os
import re
import shutil
import subprocess
import unittest

import rv_asm as rv
from blackhole_tile import HARTS
from blackhole_tile.testing import ROOT, Tile
from rv_asm import A0, A1

GDB = shutil.which('gdb-multiarch')
STEPS = 14                      # compute_face: .ttinsn words and others
LOCAL_RAM = 0xFFB00000
TRISC1_TEXT = range(0xC000, 0x10000)


SCRIPT = os.path.join(ROOT, 'scripts', 'tile.gdb')


def gdb_prints(*arguments, preexec_fn=None, **env):
    """What gdb prints with these arguments, its stdin being empty"""
    return subprocess.run(
        [GDB, '-nx', '-batch', *arguments], timeout=120, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding='utf-8', preexec_fn=preexec_fn,
        env={**os.environ, **env}).stdout


def each(commands):
    """As arguments"""
    return [word for command in commands for word in ('-ex', command)]


def run_gdb(tile, commands, **env):
    """What gdb and QEMU print; gdb begins with the script that attaches."""
    path = os.path.join(tile.folder, 'script.gdb')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(['set width 0', 'set pagination off', *commands]))
    return gdb_prints('-x', SCRIPT, '-x', path, TILE_GDB=tile.gdb_socket,
                      **env) + tile.output()


def echo(marker):
    return f'echo \\n<{marker}>\\n'


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Gdb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sections = cls.session()

    @classmethod
    def session(cls):
        """Runs the session once; {marker: what was printed after it}."""
        with Tile('demo', 'single', stopped=True, gdb=True) as tile:
            text = run_gdb(tile, cls.commands())
        parts = re.split(r'^<(\w+)>$', text, flags=re.M)
        sections = dict(zip(parts[1::2], parts[2::2]))
        sections['all'] = text
        return sections

    @staticmethod
    def commands():
        lines = [echo('threads'), 'info threads', 'info inferiors',
                 'inferior 4', 'break compute_face',
                 echo('break'), 'continue', echo('stopped'), 'info threads',
                 'print/x $pc', 'print face']
        lines.append(echo('steps'))
        lines += ['stepi', 'printf "pc=%x\\n", $pc'] * STEPS
        lines.append(echo('ram'))
        for number in range(1, len(HARTS) + 1):
            lines += [f'inferior {number}',
                      f'printf "ram=%s\\n", (char *){LOCAL_RAM:#x}']
        lines += [echo('second'), 'inferior 4', 'continue', 'print face',
                  echo('monitor'), 'monitor info tensix why',
                  echo('end'), 'delete', 'continue']
        return lines

    def section(self, name):
        self.assertIn(name, self.sections, self.sections['all'])
        return self.sections[name]

    def test_five_inferiors_with_their_names(self):
        rows = re.findall(r'^[ *] (\d)(?:\.1)? +Thread (\d)\.\d+ '
                          r'\((?:.*\b)?(\w+) \[', self.section('threads'),
                          re.M)
        self.assertEqual([(number, name) for number, _, name in rows],
                         [(str(i), hart) for i, hart in enumerate(HARTS, 1)],
                         self.section('threads'))

    def test_breakpoint_stops_trisc1(self):
        self.assertRegex(self.section('break'),
                         r'(?s)Thread 4\.1 .*hit Breakpoint 1, compute_face')
        self.assertRegex(self.section('stopped'), r'(?m)^\* 4\.1 ')
        self.assertRegex(self.section('stopped'), r'(?m)^\$\d+ = 0$')
        for number in (1, 2, 3, 5):
            self.assertNotRegex(self.section('stopped'),
                                rf'(?m)^ +{number}\.1 .*compute_face')

    def test_steps_over_ttinsn_words(self):
        pcs = [int(pc, 16)
               for pc in re.findall(r'pc=(\w+)', self.section('steps'))]
        start = int(re.search(r'= (0x\w+)', self.section('stopped'))[1], 16)
        self.assertIn(start, TRISC1_TEXT)
        self.assertEqual(len(pcs), STEPS, self.section('steps'))
        if pcs[-1] != start + 4 * STEPS:      # the last one may be the return
            pcs.pop()
        self.assertEqual(pcs, [start + 4 * (i + 1) for i in range(len(pcs))])

    def test_private_ram(self):
        self.assertEqual(re.findall(r'ram=(\w+)', self.section('ram')),
                         list(HARTS))

    def test_next_breakpoint(self):
        self.assertRegex(self.section('second'), r'hit Breakpoint 1')
        self.assertRegex(self.section('second'), r'(?m)^\$\d+ = 1$')

    def test_monitor(self):
        """`info tensix why` while TRISC1 is about to compute a face."""
        self.assertRegex(self.section('monitor'),
                         r'(?s)BRISC .*TRISC1 .*thread 2 ')

    def test_firmware_ends_well_afterwards(self):
        self.assertIn('1024 values computed, 0 wrong', self.section('end'))


SHARED, COUNT = 0x20000, 0x30000         # code of all harts, their counters


def counting(n):
    """Hart n counts at COUNT + 4 * n for ever, all in the same code."""
    start = rv.li(A1, COUNT + 4 * n)
    here = 0x21000 + 0x100 * n
    start.append(rv.jump(SHARED - here - 4 * len(start)))
    loop = [rv.lw(A0, A1), rv.addi(A0, A0, 1), rv.sw(A0, A1), rv.jump(-12)]
    return rv.elf({here: rv.code(start), SHARED: rv.code(loop)}, here)


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Stops(unittest.TestCase):
    """Which harts stop, and which continue."""

    def machine(self):
        tile = Tile(images={hart: counting(n) for n, hart in enumerate(HARTS)
                            if hart != 'brisc'}, stopped=True, gdb=True)
        return self.enterContext(tile)

    def test_brisc_may_be_the_first_to_stop(self):
        """gdb hung, whatever inferior was selected, but for the first."""
        for number in range(1, len(HARTS) + 1):
            with self.subTest(number), \
                    Tile('demo', stopped=True, gdb=True) as tile:
                text = run_gdb(tile, [f'inferior {number}', 'tbreak main',
                                      'continue', echo('end')])
                self.assertRegex(text, r'Thread 1\.1 .*hit Temporary '
                                       r'breakpoint [\d.]+, main')
                self.assertIn('<end>', text)

    def test_every_hart_may_be_the_first_to_stop(self):
        for number in range(2, len(HARTS) + 1):
            with self.subTest(number), \
                    Tile('demo', stopped=True, gdb=True) as tile:
                text = run_gdb(tile, [
                    f'inferior {number}', f'break main thread {number}.1',
                    'continue', echo('end')])
                self.assertRegex(text, rf'Thread {number}\.1 .*hit '
                                       r'Breakpoint [\d.]+, main')

    def test_breakpoint_of_one_hart_in_shared_code(self):
        tile = self.machine()
        text = run_gdb(tile, [
            'inferior 4', f'break *{SHARED:#x} thread 4.1', 'continue',
            echo('first')] + ['continue'] * 20 + [echo('last'),
            'printf "count=%d\\n", *(int *)$a1', 'detach'])
        self.assertNotIn('SIGTRAP', text)
        self.assertIn('count=20', text.split('<last>')[1])
        self.assertEqual(text.count('Thread 4.1 hit'), 21, text)
        tile.wait_for(lambda t: t.read32(COUNT + 4) > 100)   # ncrisc went on

    def test_others_run_when_gdb_has_one_hart_only(self):
        tile = self.machine()
        command = [GDB, '-nx', '-batch', '-ex', 'set architecture riscv:rv32',
                   '-ex', f'target extended-remote {tile.gdb_socket}',
                   '-ex', 'continue']
        with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as gdb:
            tile.wait_for(lambda t: t.read32(COUNT + 8) > 100)
            gdb.kill()


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Monitor(unittest.TestCase):
    def test_long_answers(self):
        """Of more lines than a socket holds bytes that gdb acknowledges."""
        with Tile(stopped=True, gdb=True) as tile:
            text = run_gdb(tile, [f'monitor xp /8192xw {SHARED:#x}',
                                  echo('end')])
        self.assertEqual(len(re.findall(r'(?m)^[0-9a-f]{16}: ', text)), 2048)
        self.assertIn('<end>', text)


if __name__ == '__main__':
    unittest.main()
