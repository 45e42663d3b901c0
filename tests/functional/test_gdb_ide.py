# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb below a front end, without a prompt: VS Code's launch.json by gdb's machine
interface, `layout tensix` on a terminal, the commands of pages of docs."""

import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import fcntl
import termios

from blackhole_tile import HARTS
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import BUILD, FIRMWARE, ROOT, Tile, images

import rv_asm as rv
from test_board import Folder
from test_gdb import GDB, SCRIPT, echo, run_gdb

DEBUG = os.path.join(ROOT, 'scripts', 'debug')
RUN = os.path.join(ROOT, 'scripts', 'run')
LAUNCH = os.path.join(ROOT, 'examples', 'vscode', 'launch.json')
PAGE = os.path.join(ROOT, 'docs', 'debugging.rst')
SECONDS = 30
ROWS, COLUMNS = 40, 100


class Mi:
    """gdb's machine interface."""

    def __init__(self, tile):
        # pylint: disable=consider-using-with
        self.gdb = subprocess.Popen(
            [GDB, '-nx', '-q', '--interpreter=mi'], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding='utf-8', bufsize=1,
            env={**os.environ, 'TILE_GDB': tile.gdb_socket})
        self.lines = []

    def until(self, pattern):
        """The line that matches; all lines go to self.lines."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            line = self.gdb.stdout.readline()
            self.lines.append(line)
            if not line:
                break
            if re.match(pattern, line):
                return line
        raise AssertionError(f'no {pattern} in\n' + ''.join(self.lines))

    def command(self, line):
        """The result record of an MI command; a CLI command goes as IDEs
        send it."""
        if not line.startswith('-'):
            text = line.replace('\\', '\\\\').replace('"', '\\"')
            line = f'-interpreter-exec console "{text}"'
        self.gdb.stdin.write(line + '\n')
        return self.until(r'\^')

    def close(self):
        self.gdb.kill()
        self.gdb.wait()
        self.gdb.stdin.close()
        self.gdb.stdout.close()


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class VsCode(unittest.TestCase):
    """The commands that the extension makes of launch.json, in its order."""

    def setUp(self):
        with open(LAUNCH, encoding='utf-8') as file:
            self.launch, = json.load(file)['configurations']

    def expanded(self, text):
        return text.replace('${workspaceFolder}', ROOT)

    def test_its_words(self):
        self.assertIs(self.launch['useExtendedRemote'], True)
        self.assertEqual(self.launch['type'], 'cppdbg')
        self.assertEqual(self.launch['request'], 'launch')
        self.assertEqual(self.launch['MIMode'], 'gdb')
        self.assertTrue(os.path.exists(self.launch['miDebuggerPath']))
        for command in self.launch['postRemoteConnectCommands']:
            path = self.expanded(command['text']).partition('source ')[2]
            self.assertTrue(os.path.exists(path), path)

    def started(self, tile):
        """gdb as VS Code has it when the user may do something."""
        mi = Mi(tile)
        self.addCleanup(mi.close)
        own = [{'text': text} for text in (
            'set pagination off', '-gdb-set auto-solib-add on',
            f'-file-exec-and-symbols {images("demo")["trisc1"]}',
            '-break-insert -f compute_face',
            f'-target-select extended-remote {tile.gdb_socket}')]
        for command in ([{'text': '-gdb-set mi-async on'}] +
                        self.launch['setupCommands'] + own +
                        self.launch['postRemoteConnectCommands']):
            answer = mi.command(self.expanded(command['text']))
            # another result is a failure for the extension
            self.assertTrue(command.get('ignoreFailures') or
                            re.match(r'\^(done|connected)', answer), command)
            self.assertNotRegex(answer, r'\^error')
        return mi

    def test_five_harts(self):
        with Tile('demo', stopped=True, gdb=True) as tile:
            mi = self.started(tile)
            groups = mi.command('-list-thread-groups --recurse 1')
            for n, hart in enumerate(HARTS, 1):
                self.assertRegex(groups, rf'id="i{n}",[^]]*demo-{hart}\.elf')
                self.assertRegex(groups, rf'id="{n}",target-id="Thread {n}\.|'
                                         rf'target-id="Thread {n}\.{n}"')

    def test_a_breakpoint_of_a_source_line_in_another_hart(self):
        with Tile('demo', stopped=True, gdb=True) as tile:
            mi = self.started(tile)
            line = self.line_of('trisc2.c', 'int main(void)') + 2
            self.assertIn('^done', mi.command(f'-break-insert trisc2.c:{line}'))
            mi.command('-exec-continue --all')
            self.assertRegex(mi.until(r'\*stopped'), r'func="main".*trisc2\.c')
            mi.command('-exec-continue --all')
            stop = mi.until(r'\*stopped')
            self.assertRegex(stop, r'func="compute_face"')
            mi.command('tensix threads')
            self.assertIn('trisc1 ', ''.join(mi.lines))
            code = mi.command('-data-disassemble -s $pc -e "$pc + 8" -- 0')
            self.assertRegex(code, r'inst="ttsem\w+ ')

    @staticmethod
    def line_of(name, text):
        with open(os.path.join(ROOT, 'tests', 'firmware', 'demo', name),
                  encoding='utf-8') as file:
            return next(n for n, line in enumerate(file, 1) if text in line)


class Terminal:
    """gdb on its own terminal; text: what it wrote, without colours and
    with a cursor that goes to another line as a new line."""

    def __init__(self, tile):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM='vt100', TILE_GDB=tile.gdb_socket)
            os.execv(GDB, [GDB, '-nx', '-q', '-x', SCRIPT])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack('HHHH', ROWS, COLUMNS, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)
        self.text = ''

    def until(self, pattern):
        """Reads until this is there; discards what precedes it."""
        end = time.monotonic() + SECONDS
        while not re.search(pattern, self.plain()):
            if not select.select([self.fd], [], [], end - time.monotonic() if
                                 time.monotonic() < end else 0)[0]:
                raise AssertionError(f'no {pattern} in\n{self.plain()}')
            try:
                self.text += os.read(self.fd, 1 << 16).decode('utf-8',
                                                              'replace')
            except OSError:
                raise AssertionError(f'gdb ended:\n{self.plain()}') from None
        found = self.plain()
        self.text = ''
        return found

    def plain(self):
        text = re.sub(r'\x1b\[\d*;?\d*[Hd]', '\n', self.text)
        text = re.sub(r'\x1b\[(\d*)C', lambda m: ' ' * int(m[1] or 1), text)
        return re.sub(r'\x1b(\[[?\d;]*[a-zA-Z]|[()][A-Z0-9]|[=>])|\r|\x0f',
                      '', text)

    def type(self, line):
        os.write(self.fd, line.encode() + b'\n')

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Layout(unittest.TestCase):
    def test_follows_the_harts(self):
        with Tile('demo', stopped=True, gdb=True) as tile:
            terminal = Terminal(tile)
            self.addCleanup(terminal.close)
            terminal.until(r'continue\.')
            for line in ('set pagination off', 'inferior 4',
                         'break compute_face', 'layout tensix'):
                terminal.type(line)
            terminal.until(r'(?s)threads.*brisc +running.*'
                           r'trisc1 +stopped.*release from reset')
            terminal.type('continue')
            terminal.until(r'(?s)trisc1.*compute_face')
            terminal.type('tensix window semaphores')
            terminal.until(r'0: value \d+ max \d+')
            terminal.type('tensix window nonsense')
            terminal.until(r"no topic 'nonsense'")
            terminal.type('tensix window dest 0 4 bf16')
            # TRISC0 may not have come far with its stores
            terminal.until(r'0:\s+(-64|0)\s+(-59\.25|0)\s+(-54\.75|0)\s')
            terminal.type('tui disable')
            terminal.type('print 40 + 2')
            terminal.until(r'\$1 = 42')


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Page(unittest.TestCase):
    def test_every_command_of_the_section_works(self):
        with open(PAGE, encoding='utf-8') as file:
            section = re.split(r'\n(.*)\n-{4,}\n', file.read())
        section = section[section.index("gdb's Tensix commands") + 1]
        commands = re.findall(r'(?m)^    \(gdb\) (.*)$', section)
        self.assertGreater(len(commands), 20)
        lines = ['python', 'def attempt(command):', '    try:',
                 '        gdb.execute(command)',
                 '    except gdb.error as error:',
                 '        print("failed:", command, error)', 'end']
        # a layout wants a terminal: the test above
        lines += [f"python attempt('''{command}''')" for command in commands
                  if not command.startswith('layout ')]
        with Tile('demo', stopped=True, gdb=True) as tile:
            text = run_gdb(tile, lines + [echo('end')])
        self.assertIn('<end>', text)
        self.assertEqual(re.findall(r'failed:.*', text), [])
        self.assertRegex(text, r'ttsemwait stall_res=511, sem_sel=2, '
                               r'wait_sem_cond=1')

    def test_going_back_by_the_script(self):
        """The page's scripts/debug and what is typed there."""
        with open(PAGE, encoding='utf-8') as file:
            section = file.read().split('\nGoing back\n')[1]
        words = re.search(r'(?m)^    scripts/debug (.*)$', section)[1].split()
        words = [FIRMWARE if word == 'build/firmware' else word
                 for word in words]
        typed = re.findall(r'(?m)^    \(gdb\) (.*)$', section)
        self.assertGreater(len(typed), 8)
        with tempfile.NamedTemporaryFile('w', suffix='.gdb') as file:
            file.write('\n'.join(['set pagination off', *typed, 'kill inferiors '
                                  '1 2 3 4 5', '']))
            file.flush()
            done = subprocess.run(
                [DEBUG, *words, '-x', file.name], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                timeout=120, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(re.findall(r'hit Breakpoint 1, compute_face',
                                        done.stdout)), 3, done.stdout)
        self.assertRegex(done.stdout, r'(?s)hit Hardware watchpoint 2: .*'
                                      r'Old value = [1-9]\d*\s+New value = 0')


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Violations(Folder):
    """scripts/debug shows them when gdb ends."""

    BASE, TIMES = 0x20000, 3
    NO_SUCH_OPCODE = 0x06000000

    def session(self, *options):
        loop = [rv.ttinsn(self.NO_SUCH_OPCODE), rv.addi(rv.A0, rv.A0, -1),
                rv.branch(1, rv.A0, rv.ZERO, -8)]
        words = rv.li(rv.A0, self.TIMES) + loop
        elf, typed = (os.path.join(self.folder, name) for name in ('elf', 'typed'))
        with open(elf, 'wb') as file:
            file.write(rv.elf({self.BASE: rv.code(words + rv.HALT)}, self.BASE))
        with open(typed, 'w', encoding='utf-8') as file:
            file.write(f'inferior 3\nbreak *{self.BASE + 4 * len(words):#x}\n'
                       'continue\ntensix violations\nkill inferiors 1 2 3 4 5\n')
        return subprocess.run(
            [DEBUG, f'trisc0={elf}', '-x', typed, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=120, check=True).stdout

    def test_first_or_all(self):
        for options, count in ((), 1), (['--all-violations'], self.TIMES):
            text = self.session(*options)
            self.assertIn(f'violations: {self.TIMES}', text)
            lines = re.findall('(?<!times: )tensix: undefined-behaviour: TRISC0 ',
                               text)
            self.assertEqual(len(lines), count, text)


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Pages(Folder):
    """What other pages have typed into a gdb that was started as scripts/run
    --gdb says."""

    def path(self, name):
        return os.path.join(self.folder, name)

    def session(self, page, *words):
        with open(os.path.join(ROOT, 'docs', page), encoding='utf-8') as file:
            typed = re.findall(r'(?m)^    \(gdb\) (.*)$', file.read())
        self.assertGreater(len(typed), 2)
        with open(self.path('typed'), 'w', encoding='utf-8') as file:
            file.write('\n'.join(['set width 0', 'set pagination off', *typed,
                                  echo('end'), 'monitor quit', '']))
        with subprocess.Popen(
                [RUN, '--gdb', *words], env=dict(os.environ, TENSIX_BUILD=BUILD),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True) as run:
            try:
                said = next(line for line in run.stdout
                            if 'waiting for gdb: ' in line)
                command = said.split('waiting for gdb: ')[1].strip()
                text = subprocess.run(
                    f'{command} -nx -batch -x {self.path("typed")}', shell=True,
                    timeout=120, check=False, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    text=True).stdout
            finally:
                run.terminate()
                run.stdout.read()
        self.assertIn('<end>', text)
        return text.partition('<end>')[0]

    def kernel(self, name):
        return shutil.copytree(os.path.join(ROOT, 'examples', name),
                               self.path(name),
                               ignore=shutil.ignore_patterns('build'))

    def test_firmware(self):
        """To a line, past a MOP, and back to the write of a row of Dest."""
        text = self.session('firmware.rst', self.kernel('orders'),
                            '--accel=icount', '--machine=rewind=on,writers=on')
        for wanted in (r'hit Breakpoint 1, main \(\) at trisc1\.c:36\n',
                       r'break 1: before trisc1 .*\(ttsetrwc ',
                       r'watch 2: dest 4 written by trisc2 .*\(ttzeroacc ',
                       r'\ndest 4: trisc2 (.*\n  )*.*\(ttzeroacc\s',
                       r'hit Breakpoint 2, main \(\) at trisc2\.c:17\n',
                       r'watch 3: dest 4 written by trisc1 .*\(ttelwmul ',
                       r'\n  TRISC1 +waits in '):
            self.assertRegex(text, wanted)
            text = text[re.search(wanted, text).end():]

    def test_snapshots(self):
        disk = self.path('moments.qcow2')
        with Tile(stopped=True) as tile:
            add_disk(tile, disk)
        text = self.session('snapshots.rst', self.kernel('add'), '--', '-drive',
                            f'if=none,format=qcow2,file={disk}')
        self.assertIn('All harts are stopped', text)
        self.assertNotRegex(text, '(?i)error|warning')


if __name__ == '__main__':
    unittest.main()
