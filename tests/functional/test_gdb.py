# SPDX-License-Identifier: GPL-2.0-or-later
"""One gdb session on the demo firmware: five inferiors."""

import os
import re
import shutil
import subprocess
import unittest

from tile import HARTS, Tile, images

GDB = shutil.which('gdb-multiarch')
STEPS = 14                      # compute_face: .ttinsn words and others
LOCAL_RAM = 0xFFB00000
TRISC1_TEXT = range(0xC000, 0x10000)


def attach_all(elfs, socket):
    """Commands that make inferior i + 1 of hart i."""
    lines = ['set pagination off', 'set confirm off', 'set width 0',
             'set architecture riscv:rv32', 'set schedule-multiple on',
             f'target extended-remote {socket}', f'file {elfs[HARTS[0]]}']
    for number, hart in list(enumerate(HARTS, 1))[1:]:
        lines += ['add-inferior', f'inferior {number}',
                  f'file {elfs[hart]}', f'attach {number}']
    return lines


def echo(marker):
    return f'echo \\n<{marker}>\\n'


@unittest.skipUnless(GDB, 'gdb-multiarch is not installed')
class Gdb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sections = cls.session()

    @classmethod
    def session(cls):
        """Runs the session once; {marker: what was printed after it}."""
        elfs = images('demo')
        with Tile('demo', 'single', stopped=True, gdb=True) as tile:
            script = attach_all(elfs, tile.gdb_socket)
            script += cls.commands()
            path = os.path.join(tile.folder, 'script.gdb')
            with open(path, 'w', encoding='utf-8') as file:
                file.write('\n'.join(script) + '\n')
            result = subprocess.run(
                [GDB, '-nx', '-batch', '-x', path], timeout=120, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, encoding='utf-8')
            text = result.stdout + tile.output()
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
                         r'(?s)brisc.*waits for.*trisc1.*thread 2')

    def test_firmware_ends_well_afterwards(self):
        self.assertIn('1024 values computed, 0 wrong', self.section('end'))


if __name__ == '__main__':
    unittest.main()
