# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual, docs/: what it names exists, and what exists it names."""

import json
import os
import re
import subprocess
import unittest

import rv_asm as rv
from blackhole_tile import TileError
from blackhole_tile.testing import QEMU, ROOT, Tile
from blackhole_tile.watch import rests
from rv_asm import A0, A1
from spin import BNE

NO_SUCH_OPCODE = 0x06000000
BASE, PUSH, BLOCK = 0x20000, 0x22000, 0x30000
NOWHERE = 0x80000000
READ_ONLY = {'rewind-status', 'rewind-digest',     # docs/debugging.rst
             'version'}                            # docs/install.rst


def violation_then_exit():
    """A program: one violation, a jump, then leave with status 0."""
    store = [rv.sw(A0, A1), rv.sw(rv.ZERO, A1, 4)]
    return (rv.li(A1, BLOCK) + rv.li(A0, rv.APPLICATION_EXIT) + store +
            [rv.ttinsn(NO_SUCH_OPCODE), rv.jump(4)] +
            rv.li(A0, rv.SYS_EXIT_EXTENDED) + [rv.jump(4)] + rv.SEMIHOSTING)


def page(name):
    with open(os.path.join(ROOT, 'docs', name + '.rst'),
              encoding='utf-8') as file:
        return file.read()


def all_pages():
    return '\n'.join(page(os.path.splitext(name)[0])
                     for name in sorted(os.listdir(os.path.join(ROOT, 'docs')))
                     if name.endswith('.rst'))


class Manual(unittest.TestCase):
    def test_topics_of_info_tensix(self):
        with Tile() as tile:
            text = tile.hmp('info tensix no-such-topic')
            there = set(re.findall(r'^info tensix ([\w-]+) --', text, re.M))
            named = set(re.findall(
                r'info tensix\s(?:tile \w+\s)?([a-z-]+)', all_pages()))
            listed = set(re.findall(r'^``([a-z-]+)(?: [^`\n]*)?``$',
                                    page('monitor'), re.M))
            self.assertGreater(len(there), 10, text)
            self.assertLessEqual(named, there)
            self.assertLessEqual(there, listed)

    def test_trace_events(self):
        with Tile() as tile:
            for name in re.findall(r"-trace '(tensix_[\w*]+)'", all_pages()):
                self.assertTrue(tile.qmp('trace-event-get-state', name=name))

    def test_machine_options(self):
        text = subprocess.run(
            [QEMU, '-M', 'none', '-nodefaults', '-display', 'none', '-S',
             '-qmp', 'stdio'], stdout=subprocess.PIPE, text=True, check=True,
            input='{"execute": "qmp_capabilities"}\n'
                  '{"execute": "qom-list", "arguments": {"path": "/machine"}}\n'
                  '{"execute": "quit"}\n', timeout=60).stdout
        general = {p['name'] for line in text.splitlines()
                   for p in json.loads(line).get('return', [])}
        with Tile() as tile:
            ours = {p['name'] for p in tile.qmp('qom-list', path='/machine')
                    if not p['type'].startswith(('child<', 'link<'))} - general
        self.assertGreaterEqual(len(ours), 9, ours)
        options = page('options')
        for name in ours - READ_ONLY:
            self.assertIn(f'``{name}=', options)


class OnViolation(unittest.TestCase):
    def run_program(self, option, wait,
                    details=r'\n  trisc0 pc .*, thread 0, word 0x06.*'):
        image = rv.elf({BASE: rv.code(violation_then_exit())}, BASE)
        with Tile(images={'trisc0': image}, machine=option,
                  extra=['-d', 'guest_errors,unimp']) as tile:
            result = wait(tile)
            self.assertRegex(tile.output(), r'tensix: undefined-behaviour: '
                             r'TRISC0 at pc 0x000200\w\w: no such opcode'
                             rf': 0x06{details}\n')
            return result

    def test_log_continues(self):
        """In QEMU's log a violation is one line."""
        status = self.run_program('', lambda tile: tile.wait_for_exit(20),
                                  r' \[trisc0 pc .*, thread 0, word 0x06.*\]')
        self.assertEqual(status, 0)

    def test_sites_without_any_option(self):
        """1000 stores to nowhere by one hart, one word by another."""
        stores = rv.li(A0, 1000) + rv.li(A1, NOWHERE) + [
            rv.sw(A0, A1), rv.addi(A0, A0, -1), rv.branch(BNE, A0, rv.ZERO, -8)]
        push = [rv.ttinsn(NO_SUCH_OPCODE)]
        with Tile(images={
                'ncrisc': rv.elf({BASE: rv.code(stores + rv.HALT)}, BASE),
                'trisc0': rv.elf({PUSH: rv.code(push + rv.HALT)},
                                 PUSH)}) as tile:
            tile.wait_for(lambda t: t.output().count('tensix: ') == 2, 20)
            tile.wait_for(rests, 20, 'the end of all stores')
            tile.qtest(f'writel {NOWHERE:#x} 1')
            tile.qtest(f'writel {NOWHERE + 4:#x} 1')
            self.assertEqual(tile.output().count('tensix: '), 4)
            tile.qmp('quit')
            self.assertEqual(tile.wait_for_exit(20), 0)
            text = tile.output()
        self.assertIn('tensix: 1003 violations at 4 sites\n', text)
        self.assertRegex(text, r'  1000 times: tensix: bad-access: NCRISC at '
                               r'pc ')
        self.assertNotIn('1 times', text.replace('1000 times', ''))

    def test_pages_say_how_to_see_all(self):
        """Wherever a machine is started."""
        for path in ('README.md', 'scripts/demo', 'docs/blackhole-tile.rst',
                     'docs/gdb.rst', 'docs/host-software.rst',
                     'docs/reports.rst', 'docs/running.rst',
                     'docs/tutorial.rst'):
            with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                self.assertRegex(file.read(),
                                 r'--all-violations|-d\sguest_errors,unimp',
                                 path)

    def test_a_hart_that_runs_through_nothing(self):
        """Each word is another site: 32 lines, and how many there were."""
        words = [rv.ttinsn(NO_SUCH_OPCODE)] * 100 + rv.HALT
        image = rv.elf({BASE: rv.code(words)}, BASE)
        with Tile(images={'trisc0': image}) as tile:
            tile.wait_for(lambda t: t.hart_pcs()['trisc0'] in (
                hex(BASE + 400), hex(BASE + 404)), 20)
            tile.qmp('quit')
            self.assertEqual(tile.wait_for_exit(20), 0)
            text = tile.output()
        self.assertEqual(text.count('no such opcode'), 32)
        self.assertIn('tensix: more sites of trisc0 are only counted', text)
        self.assertIn('tensix: 100 violations at 100 sites', text)

    def test_exit_comes_before_what_the_program_does_next(self):
        status = self.run_program('on-violation=exit',
                                  lambda tile: tile.wait_for_exit(20))
        self.assertEqual(status, 3)

    def test_stop(self):
        def stopped(tile):
            try:
                tile.wait_for(lambda t: t.qmp('query-status')['status'] ==
                              'debug', 20)
                return True
            except TileError:
                return False
        self.assertTrue(self.run_program('on-violation=stop', stopped))

    def test_stop_by_a_debugger_access(self):
        with Tile(machine='on-violation=stop') as tile:
            tile.qtest(f'readl {NOWHERE:#x}')
            self.assertEqual(tile.qmp('query-status')['status'], 'debug')
            self.assertIn('bad-access', tile.output())


if __name__ == '__main__':
    unittest.main()
