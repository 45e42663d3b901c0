# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/gdb.rst: each command of its sessions is executed, and each result that
is quoted after one compared.  In quotes ... is anything."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import textwrap
import time
import unittest

from blackhole_tile.testing import BUILD, QEMU, ROOT
from test_board import Folder
from test_gdb import GDB

PAGE = os.path.join(ROOT, 'docs', 'gdb.rst')
SECONDS = 40
BLOCK = re.compile(r'^::\n\n((?:    .*\n|\n)+)', re.M)
TYPED = '(gdb) '
ALL = 'kill inferiors 1 2 3 4 5'


def blocks(title):
    """The text of each session of a section."""
    with open(PAGE, encoding='utf-8') as file:
        section = file.read().split(f'\n{title}\n---')[1]
    section = re.split(r'\n.*\n---', section)[0]
    return [textwrap.dedent(text).replace('\\\n', '')
            for text in BLOCK.findall(section)]


def parts(text):
    """[(command with its prompt, the lines that are quoted after it)]"""
    found = []
    for line in filter(None, text.splitlines()):
        if line.startswith(('$ ', TYPED)):
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return found


def pattern(line):
    """Of a quoted line; blanks are any white space."""
    text = re.escape(' '.join(line.split())).replace(r'\.\.\.', '.*')
    return text.replace(r'\ ', r'\s*')


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Page(Folder):
    def check(self, printed, quotes):
        """All of them, in this order."""
        for quote in quotes:
            found = re.search(pattern(quote), printed)
            self.assertTrue(found, f'{quote}\nnot in\n{printed}')
            printed = printed[found.end():]

    def typed(self, text, end='kill'):
        """(path of gdb's commands, [quotes of each])"""
        lines = [(command[len(TYPED):], quotes)
                 for command, quotes in parts(text)
                 if command.startswith(TYPED)]
        self.assertGreater(len(lines), 1)
        commands = ['set width 0', 'set pagination off']
        for number, (command, _) in enumerate(lines):
            commands += [f'echo \\n<{number}>\\n', command]
        name = self.file('typed', '\n'.join([*commands, 'echo \\n<end>\\n',
                                             end, '']).encode())
        return name, [quotes for _, quotes in lines]

    def compare(self, printed, quotes):
        """What gdb prints after each command with what is quoted there."""
        answers = re.split(r'^<\w+>$', printed, flags=re.M)[1:-1]
        self.assertEqual(len(answers), len(quotes), printed)
        for answer, lines in zip(answers, quotes):
            self.check(answer, lines)

    def run_gdb(self, command, **env):
        return subprocess.run(
            ['bash', '-c', command], cwd=ROOT, timeout=SECONDS, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
            env={**os.environ, 'TENSIX_BUILD': BUILD, **env}).stdout

    def server(self, command, until, **more):
        """A process in the background; what it prints up to that line."""
        # pylint: disable=consider-using-with
        process = subprocess.Popen(
            ['bash', '-c', 'exec ' + command], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        lines = ''
        while until and until not in lines:
            line = process.stdout.readline()
            self.assertTrue(line, lines)
            lines += line
        return lines

    def test_one_hart(self):
        session, _ = blocks('One hart')
        (run, said), (attach, _) = [part for part in parts(session)
                                    if part[0].startswith('$ ')]
        printed = self.server(run[2:], 'one hart alone', cwd=ROOT,
                              env={**os.environ, 'TENSIX_BUILD': BUILD})
        place = re.search(r'TILE_GDB=(\S+)', printed)[1]
        quoted = re.search(r'TILE_GDB=(\S+)', attach)[1]
        self.check(printed, [line.replace(quoted, place) for line in said])
        commands, quotes = self.typed(session)
        command = attach[2:].replace(quoted, place)
        self.compare(self.run_gdb(f'{command} -nx -batch -x {commands}'),
                     quotes)

    def test_one_hart_by_its_own_port(self):
        _, session = blocks('One hart')
        (machine, _), (attach, _) = [part for part in parts(session)
                                     if part[0].startswith('$ ')]
        port = re.search(r'127\.0\.0\.1:(\d+)', machine)[1]
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            mine = str(free.getsockname()[1])
        images = self.sfpu()
        self.server(machine[2:].replace('build/qemu-system-riscv64', shlex.quote(
            QEMU)).replace(port, mine), '', cwd=images)
        commands, quotes = self.typed(session)
        command = attach[2:].replace(port, mine)
        self.wait_for_port(int(mine))
        self.compare(self.run_gdb(
            f'cd {images}; {command} -nx -batch -x {commands}'), quotes)

    def wait_for_port(self, port):
        """Without a connection: gdb's server would take it for gdb's."""
        end = time.monotonic() + 20
        listening = re.compile(rf': \w+:{port:04X} \w+:0000 0A ')
        while time.monotonic() < end:
            with open('/proc/net/tcp', encoding='ascii') as file:
                if listening.search(file.read()):
                    return
            time.sleep(0.05)
        self.fail(f'nothing listens at port {port}')

    def sfpu(self):
        """The folder with its ELFs."""
        folder = os.path.join(self.folder, 'sfpu')
        subprocess.run(['make', '-s', '-C', os.path.join(ROOT, 'examples',
                                                         'sfpu_words'),
                        f'O={folder}', f'BLACKHOLE_TILE={ROOT}'], check=True,
                       stdout=subprocess.DEVNULL)
        return folder

    def test_all_harts(self):
        session, = blocks('All harts')
        commands, quotes = self.typed(session, ALL)
        debug = session.splitlines()[0][2:].replace(
            'build/examples/sfpu_words', self.sfpu())
        self.compare(self.run_gdb(f'{debug} -x {commands} --gdb={self.batch()}'),
                     quotes)

    def test_debug_on_one_hart(self):
        """TILE_HARTS for scripts/debug; its help, and that of scripts/run."""
        commands = self.file('typed', b'info inferiors\nkill\n')
        text = self.run_gdb(f'scripts/debug {self.sfpu()} -x {commands} '
                            f'--gdb={self.batch()}', TILE_HARTS='trisc1')
        self.assertEqual(len(re.findall(r'(?m)^[* ] +\d ', text)), 1, text)
        for tool in ('run', 'debug'):
            self.assertIn('TILE_HARTS=trisc1',
                          self.run_gdb(f'scripts/{tool} --help'))

    def batch(self):
        """A gdb that ends after its commands."""
        path = self.file('gdb', f'#!/bin/sh\nexec {GDB} -nx -batch "$@"\n'
                         .encode())
        os.chmod(path, 0o755)
        return path


if __name__ == '__main__':
    unittest.main()
