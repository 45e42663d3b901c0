# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/view: its command line, its life, its manual, and its
page in a browser where there is one."""

import contextlib
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile.testing import (BUILD, FIRMWARE, ROOT, heed_control_c,
                                    images, script)
from rv_asm import A0, A1
from test_board import Folder
from test_view import (SECONDS, SOURCES, Client, in_time, kind_of,
                       qmp_option)

VIEW = os.path.join(ROOT, 'scripts', 'view')
ADD = os.path.join(ROOT, 'examples', 'add')
MANUAL = os.path.join(ROOT, 'docs', 'view.rst')


class CommandLine(Folder):
    def start(self, *words, **options):
        """(process, Client)"""
        process = subprocess.Popen(
            [VIEW, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, preexec_fn=heed_control_c,
            env=dict(os.environ, TENSIX_BUILD=BUILD, TMPDIR=self.folder),
            **{'cwd': self.folder, **options})
        self.addCleanup(self.end, process)
        line = process.stdout.readline()
        match = re.fullmatch(r'http://127\.0\.0\.1:(\d+)/#([\w-]{32})\n', line)
        self.assertTrue(match, line or process.stderr.read())
        return process, Client(int(match[1]), match[2])

    def end(self, process):
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def emulators(self):
        """Those whose folder is ours."""
        found = []
        for path in glob.glob('/proc/[0-9]*/cmdline'):
            with contextlib.suppress(OSError):
                with open(path, 'rb') as file:
                    if self.folder.encode() in file.read():
                        found.append(path)
        return found

    def test_example(self):
        """It is stopped at first, its sources are found, Run runs it."""
        process, client = self.start(ADD)
        self.assertEqual(client.state()['status'], 'prelaunch')
        client.does('break', what='PACR thread 2')
        client.does('cont')
        state = in_time(client.state, lambda s: s['status'] == 'debug')
        insn = state['threads'][2]['gate']['instruction']
        self.assertEqual(insn['mnemonic'], 'PACR')
        self.assertIn('trisc2.c', [os.path.basename(frame['file'])
                                   for frame in insn['frames']])
        self.assertIn('break 1: before trisc2', state['output'])
        near = [frame['near'] for hart in state['harts']
                for frame in hart['frames'] if 'trisc2.c' in frame['file']]
        self.assertTrue(near and near[0])
        _, dest = client.get('/api/registers?name=dest&format=bf16')
        self.assertTrue(any(dest['values']))
        self.assertTrue(self.emulators())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(process.stderr.read(), '')
        self.assertEqual(self.emulators(), [])
        self.assertEqual(glob.glob(os.path.join(self.folder, 'tile-*')), [])

    def test_commands_of_the_manual(self):
        """Each that starts a machine."""
        with open(MANUAL, encoding='utf-8') as file:
            lines = re.findall(r'^    scripts/view (.*)$', file.read(), re.M)
        lines = [line for line in lines if '--qmp' not in line]
        self.assertGreater(len(lines), 1)
        for line in lines:
            words = [re.sub('^build/', BUILD + '/', word)
                     for word in shlex.split(line)]
            with self.subTest(line):
                _, client = self.start(*words, cwd=ROOT)
                client.does('cont')
                state = in_time(client.state, lambda s: any(
                    frame['near'] for hart in s['harts']
                    for frame in hart['frames']))
                self.assertEqual(state['status'], 'running')

    def test_kill(self):
        process, client = self.start(ADD, '--go')
        in_time(lambda: client.state()['status'], 'running')
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 128 + signal.SIGTERM)
        self.assertEqual(self.emulators(), [])

    def test_program_that_ends_the_emulator(self):
        write = rv.li(A0, 0x20026) + rv.li(A1, 0x20000) + \
            [rv.sw(A0, A1)] + rv.li(A0, 3) + [rv.sw(A0, A1, 4)] + \
            rv.li(A0, 0x20) + [0x01f01013, rv.EBREAK, 0x40705013]
        elf = self.elf('e.elf', {0x8000: write}, 0x8000)
        _, client = self.start('--trisc0', elf)
        client.act('cont')
        # the socket closes before the process has a status
        _, answer = in_time(lambda: client.get('/api/state'), lambda got:
                            got[0] == 503 and got[1]['ended'] is not None)
        self.assertEqual(answer['ended'], 3, answer)
        self.assertIn('output', answer)

    def test_attached_machine(self):
        path = os.path.join(self.folder, 'q')
        tile = self.tile(images=images('mistakes/dvalid'),
                         extra=qmp_option(path))
        process, client = self.start('--qmp', path, '--source', SOURCES)
        in_time(lambda: kind_of(client.state()['threads'][1]['gate']),
                'srcb-matrix')
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(tile.status(), 'running')

    def test_wrong_use(self):
        for words, text in (
                ((), 'nothing to run'),
                (('nowhere',), 'nowhere'),
                (('--qmp', 'x', ADD), '--qmp shows'),
                (('--qmp', 'x', '--go'), '--qmp shows'),
                (('--port', '65536', ADD), '--port'),
                (('--port', 'x', ADD), '--port'),
                ((ADD, '--nonsense'), '--nonsense')):
            with self.subTest(words=words):
                done = script('view', *words, cwd=self.folder,
                              timeout=SECONDS)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertNotIn('Traceback', done.stderr)

    def test_machine_that_is_not_there_yet(self):
        path = os.path.join(self.folder, 'q')
        process, client = self.start('--qmp', path)
        self.assertIn(f'{path}: no socket yet, the page waits',
                      process.stderr.readline())
        status, answer = client.get('/api/state')
        self.assertEqual(status, 503)
        self.assertIn('No such file', answer['error'])
        self.tile(stopped=True,
                  extra=qmp_option(path))
        self.assertEqual(client.state()['status'], 'prelaunch')


BROWSER = shutil.which('chromium')


@unittest.skipUnless(BROWSER, 'there is no browser: apt-get install chromium')
class Browser(CommandLine):
    """The page as chromium makes it, without a screen."""

    def page(self, client):
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run(
                [BROWSER, '--headless', '--no-sandbox', '--disable-gpu',
                 f'--user-data-dir={profile}', '--virtual-time-budget=8000',
                 '--dump-dom',
                 f'http://127.0.0.1:{client.port}/#{client.token}'],
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=120, check=True).stdout

    def test_what_is_shown(self):
        _, client = self.start(
            '--go', os.path.join(FIRMWARE, 'mistakes', 'semaphore'),
            '--source', SOURCES)
        in_time(lambda: client.state()['events'], bool)
        page = self.page(client)
        for text in ('wait_coprocessor();', 'SEMWAIT until MATH_PACK (semaphore 1) is not 0',
                     'thread 2 to finish', 'no row valid',
                     'Deadlock: ', 'these wait: trisc2, thread2'):
            self.assertIn(text, page)
        self.assertNotIn(client.token, page)

    def test_wrong_token(self):
        _, client = self.start(ADD)
        page = self.page(Client(client.port, 'wrong'))
        self.assertIn('wrong token: open the address', page)


# They are run where they are defined
for name in [name for name in dir(CommandLine) if name.startswith('test_')]:
    setattr(Browser, name, None)


if __name__ == '__main__':
    unittest.main()
