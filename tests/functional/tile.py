# SPDX-License-Identifier: GPL-2.0-or-later
"""One running blackhole-tile: start it, ask it, look into it, end it.

    with Tile(program='demo', accel='single') as tile:
        status = tile.wait_for_exit(60)
        print(tile.output())

Memory is read and written through the qtest protocol, which goes along with
TCG: the addresses are those of BRISC, hart views and the aperture above 4 GiB
included, and no access blocks.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get('TENSIX_BUILD', os.path.join(ROOT, 'build'))
QEMU = os.path.join(BUILD, 'qemu-system-riscv64')
FIRMWARE = os.path.join(BUILD, 'firmware')

HARTS = ('brisc', 'ncrisc', 'trisc0', 'trisc1', 'trisc2')
ACCELERATORS = {
    'single': ['-accel', 'tcg,thread=single'],
    'multi': ['-accel', 'tcg,thread=multi'],
    'icount': ['-accel', 'tcg,thread=single',
               '-icount', 'shift=0,sleep=off'],
}

L1_SIZE = 0x180000
APERTURE = 0xF_0000_0000
APERTURE_SIZE = 0x25000
APERTURE_SEMAPHORES = APERTURE + 0x23000
SOFT_RESET = 0xFFB121B0
SHARED = 0x20000            # SHARED_BASE of tests/firmware/tensix.h


def hart_view(hart, address=0):
    """Where a hart's 4 GiB are seen above 4 GiB."""
    return (HARTS.index(hart) + 1 << 32) + address


def images(program, harts=HARTS):
    """The ELFs of a program of tests/firmware, by hart."""
    paths = {hart: os.path.join(FIRMWARE, f'{program}-{hart}.elf')
             for hart in harts}
    found = {hart: path for hart, path in paths.items()
             if os.path.exists(path)}
    if not found:
        raise FileNotFoundError(f'no {program}-*.elf in {FIRMWARE}; run '
                                f'make -C tests/firmware')
    return found


class TileError(Exception):
    """The machine did something else than was asked."""


class Connection:
    """A socket to QEMU that QEMU gets as an open file.

    One file for each direction: a write to a file of both forgets the lines
    that were received and not read yet, events for example.
    """

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()
        self.input = self.ours.makefile('r', encoding='utf-8')
        self.output = self.ours.makefile('w', encoding='utf-8')

    def send(self, line):
        self.output.write(line + '\n')
        self.output.flush()

    def receive(self):
        line = self.input.readline()
        if not line:
            raise TileError('QEMU closed the connection')
        return line

    def close(self):
        for end in (self.input, self.output, self.ours, self.theirs):
            end.close()


class Tile:
    """program: of tests/firmware, or images: {hart: ELF file}.

    words: {address: value} put into memory before the start.  machine: more
    options of -M.  stopped: do not start running.  extra: more arguments.
    gdb: open a gdb server, self.gdb_socket.
    """

    def __init__(self, program=None, accel='single', images=None, words=None,
                 machine='', stopped=False, extra=(), gdb=False):
        self.folder = tempfile.mkdtemp(prefix='tile-')
        self.gdb_socket = os.path.join(self.folder, 'gdb')
        self.events = []
        self.qmp_link, self.qtest_link = Connection(), Connection()
        self.log = open(os.path.join(self.folder, 'output'), 'w+b')
        if program:
            images = globals()['images'](program)
        self.command = self._command(images or {}, accel, words or {}, machine)
        # Not before QMP has been greeted: a program may end that fast
        self.command.append('-S')
        if gdb:
            self.command += ['-gdb', f'unix:{self.gdb_socket},server=on,'
                                     f'wait=off']
        self.command += extra
        self._start()
        if not stopped:
            self._let_go()

    def _command(self, elfs, accel, words, machine):
        options = ['blackhole-tile']
        options += [f'{hart}={path}' for hart, path in elfs.items()]
        options += [machine] if machine else []
        qmp, qtest = self.qmp_link, self.qtest_link
        command = [
            QEMU, '-M', ','.join(options), *ACCELERATORS[accel],
            '-display', 'none', '-nodefaults',
            '-semihosting-config', 'enable=on,target=native',
            '-chardev', f'socket,id=qmp,fd={qmp.theirs.fileno()}',
            '-mon', 'chardev=qmp,mode=control',
            '-chardev', f'socket,id=qtest,fd={qtest.theirs.fileno()}',
            '-qtest', 'chardev:qtest', '-qtest-log', 'none',
        ]
        for address, value in words.items():
            command += ['-device', f'loader,addr={address:#x},'
                                   f'data={value:#x},data-len=4']
        return command

    def _start(self):
        fds = (self.qmp_link.theirs.fileno(), self.qtest_link.theirs.fileno())
        self.process = subprocess.Popen(self.command, pass_fds=fds,
                                        stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        for link in (self.qmp_link, self.qtest_link):
            link.theirs.close()
        try:
            if 'QMP' not in json.loads(self.qmp_link.receive()):
                raise TileError('no QMP greeting')
            self.qmp('qmp_capabilities')
        except (TileError, OSError) as error:
            self.process.wait(10)
            text = self.output()
            self.close()
            raise TileError(f'{error}: {text}') from None

    def _let_go(self):
        """Starts the harts; they may end QEMU before it answers."""
        try:
            self.qmp('cont')
        except (TileError, OSError):
            self.process.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends QEMU if it still runs, and forgets everything."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.qmp_link.close()
        self.qtest_link.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- the monitors ---

    def qmp(self, command, **arguments):
        """Answer of a QMP command; events that come in between are kept."""
        self.qmp_link.send(json.dumps(
            {'execute': command, 'arguments': arguments}))
        while True:
            message = json.loads(self.qmp_link.receive())
            if 'event' in message:
                self.events.append(message)
            elif 'error' in message:
                raise TileError(f"{command}: {message['error']['desc']}")
            else:
                return message['return']

    def hmp(self, line):
        """Text that a command of the human monitor prints."""
        return self.qmp('human-monitor-command', **{'command-line': line})

    def qtest(self, line):
        """Words of the answer to a qtest command, without the OK."""
        self.qtest_link.send(line)
        answer = self.qtest_link.receive().split()
        if answer[0] != 'OK':
            raise TileError(f'{line}: {" ".join(answer)}')
        return answer[1:]

    # --- memory ---

    def read32(self, address):
        return int(self.qtest(f'readl {address:#x}')[0], 16)

    def write32(self, address, value):
        self.qtest(f'writel {address:#x} {value:#x}')

    def read8(self, address):
        return int(self.qtest(f'readb {address:#x}')[0], 16)

    def write8(self, address, value):
        self.qtest(f'writeb {address:#x} {value:#x}')

    def read(self, address, size):
        """Bytes of memory."""
        path = os.path.join(self.folder, 'memory')
        self.qmp('pmemsave', val=address, size=size, filename=path)
        with open(path, 'rb') as file:
            return file.read()

    def write(self, address, data):
        if data:
            self.qtest(f'write {address:#x} {len(data):#x} 0x{data.hex()}')

    def l1(self):
        return self.read(0, L1_SIZE)

    def aperture(self):
        """All register files of the coprocessor."""
        return self.read(APERTURE, APERTURE_SIZE)

    def wait_for(self, condition, seconds=20, what='the condition'):
        """Polls until condition(self) is true."""
        end = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > end:
                raise TileError(f'{what} did not come true in {seconds} s; '
                                f'{self.hart_pcs()} {self.output()}')
            time.sleep(0.005)

    def wait_for_word(self, address, value, seconds=20):
        self.wait_for(lambda tile: tile.read32(address) == value, seconds,
                      f'word {address:#x} = {value:#x}')

    # --- the process ---

    def output(self):
        """What QEMU and the firmware have printed so far."""
        self.log.flush()
        with open(self.log.name, 'rb') as file:
            return file.read().decode('utf-8', 'replace')

    def wait_for_exit(self, seconds=60):
        """Exit status of QEMU."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TileError(f'still running after {seconds} s; '
                            f'{self.hart_pcs()}; {self.output()}') from None

    def cpu_seconds(self):
        """CPU time that the process has used so far."""
        with open(f'/proc/{self.process.pid}/stat', encoding='ascii') as file:
            fields = file.read().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def hart_pcs(self):
        """{hart: pc} of all five, as the monitor sees them."""
        try:
            text = self.hmp('info registers -a')
        except TileError:
            return {}
        pcs = re.findall(r'\bpc\s+([0-9a-f]+)', text)
        return dict(zip(HARTS, (f'{int(pc, 16) & 0xFFFFFFFF:#x}'
                                for pc in pcs)))
