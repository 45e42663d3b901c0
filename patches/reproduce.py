#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of QEMU that the first patches fix, each shown in an emulator.

    patches/reproduce.py EMULATOR [PATCH...]

EMULATOR is a qemu-system-riscv64 with QEMU's default devices; scripts/qemu-suites
builds one without the patches and one with them. A line per patch: fixed, or
wrong and what was seen. Status 1 if any is wrong.
"""
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

RAM = 0x80000000
MSIP = 0x02000000                       # of hart 0, in the CLINT
SECONDS = 30                            # for what must end
STEPS = 3000
LOOP = (0x00150513, 0x00158593, 0xff9ff06f)   # a0 += 1; a1 += 1; jump back
HAMMERED = LOOP[:1] * 30 + (0xf89ff06f,)      # 30 times a0 += 1; jump back
EXITS = 200
REQUESTS = b'0 ' * 5000                 # each an error
A0 = 10                                 # number of the register, in gdb too
NAME_LENGTH = 9                         # in a stream: of the machine's name


class Machine:
    """An emulator with gdb's and QMP's sockets, stopped."""

    def __init__(self, emulator, words, *options):
        self.folder = tempfile.TemporaryDirectory()
        program = self.path('program')
        with open(program, 'wb') as f:
            f.write(struct.pack(f'<{len(words)}I', *words))
        self.process = subprocess.Popen(
            [emulator, '-display', 'none', '-bios', 'none', '-S',
             '-gdb', f'unix:{self.path("gdb")},server=on,wait=off',
             '-qmp', f'unix:{self.path("qmp")},server=on,wait=off',
             '-device', f'loader,file={program},addr={RAM},force-raw=on',
             *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.qmp_file = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def connect(self, name):
        for _ in range(100 * SECONDS):
            try:
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(SECONDS)
                s.connect(self.path(name))
                return s
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.01)
        raise TimeoutError(name)

    def qmp(self, command, **arguments):
        if self.qmp_file is None:
            self.qmp_file = self.connect('qmp').makefile('rw')
            self.qmp_file.readline()
            self.qmp('qmp_capabilities')
        json.dump({'execute': command, 'arguments': arguments}, self.qmp_file)
        self.qmp_file.flush()
        while True:
            answer = json.loads(self.qmp_file.readline())
            if 'return' in answer:
                return answer['return']
            if 'error' in answer:
                raise RuntimeError(answer)

    def hmp(self, line):
        return self.qmp('human-monitor-command', **{'command-line': line})

    def status(self):
        """The exit status, negative for a signal; None: it runs on."""
        try:
            return self.process.wait(2)
        except subprocess.TimeoutExpired:
            return None


class Gdb:
    """gdb's remote protocol."""

    def __init__(self, machine):
        self.socket = machine.connect('gdb')
        self.ask('qSupported:multiprocess+;vContSupported+')

    def send(self, text):
        check = sum(text.encode()) % 256
        self.socket.sendall(f'${text}#{check:02x}'.encode())

    def receive(self):
        data = b''
        while not re.search(rb'#..$', data):
            byte = self.socket.recv(1)
            if not byte:
                raise ConnectionError('the connection is closed')
            data += byte
        self.socket.sendall(b'+')
        return data[data.index(b'$') + 1:-3].decode()

    def ask(self, text):
        self.send(text)
        return self.receive()

    def answers(self, text, seconds):
        """The answer, or None if there is none within so many seconds."""
        self.socket.settimeout(seconds)
        try:
            return self.ask(text)
        except TimeoutError:
            return None
        finally:
            self.socket.settimeout(SECONDS)

    def interrupt(self):
        self.socket.sendall(b'\x03')
        return self.receive()

    def register(self, number):
        return int.from_bytes(bytes.fromhex(self.ask(f'p{number:x}')), 'little')


def riscv_pack(emulator):
    """pack of an RV32 CPU: half a register has 16 bits."""
    words = (0x000015b7, 0x23458593,            # a1 = 0x1234
             0x00005637, 0x67860613,            # a2 = 0x5678
             0x08c5c533, 0x0000006f)            # pack a0, a1, a2
    with Machine(emulator, words, '-M', 'virt', '-cpu',
                 'rv32,zbkb=true') as machine:
        machine.qmp('cont')
        time.sleep(0.5)
        value = int(re.search(r'a0 +([0-9a-f]+)',
                              machine.hmp('info registers')).group(1), 16)
    return value != 0x56781234 and f'a0 is {value:#x}, not 0x56781234'


def semihosting_exit(emulator):
    """SYS_EXIT of an RV32 CPU: a1 is the reason itself."""
    words = (0x000205b7, 0x02658593,            # a1 = ApplicationExit
             0x01800513,                        # a0 = SYS_EXIT
             0x01f01013, 0x00100073, 0x40705013)
    with Machine(emulator, words, '-M', 'virt', '-cpu', 'rv32',
                 '-semihosting') as machine:
        machine.qmp('cont')
        status = machine.status()
    return status != 0 and (
        'exit(0) is not done' if status is None
        else f'exit(0) ends with status {status}')


def single_step(emulator):
    """A step during which another CPU sends an interrupt moves the pc."""
    other = (0x020002b7, 0x00100313,            # t0 = MSIP, t1 = 1
             0x0062a023, 0x0002a023, 0xff9ff06f)
    words = (0xf14022f3, 0x0a029263,            # hart 1 goes to "other"
             *HAMMERED, *(0x00000013,) * 9, *other)
    with Machine(emulator, words, '-M', 'virt', '-smp', '2',
                 '-accel', 'tcg,thread=multi') as machine:
        gdb = Gdb(machine)
        gdb.ask(f'Z0,{RAM + 8:x},4')
        gdb.ask('vCont;c')
        gdb.ask(f'z0,{RAM + 8:x},4')
        stuck, before = 0, gdb.register(32)
        for _ in range(STEPS):
            gdb.ask('vCont;s:1;c:2')
            gdb.ask('Hg1')
            after = gdb.register(32)
            stuck += after == before
            before = after
    return stuck and f'{stuck} of {STEPS} steps executed nothing'


def resume_second(emulator):
    """gdb resumes the second process alone."""
    with Machine(emulator, LOOP, '-M', 'sifive_u', '-smp', '2',
                 '-accel', 'tcg,thread=single') as machine:
        gdb = Gdb(machine)
        gdb.ask('vAttach;2')
        gdb.send('vCont;c:p2.-1')
        time.sleep(1)
        gdb.interrupt()
        gdb.ask('Hgp2.2')
        count = gdb.register(A0)
    return count < 1000 and f'its CPU counts to {count} in a second'


def incoming_stream(emulator):
    """A state saved at a breakpoint is loaded, a damaged one refused."""
    with Machine(emulator, LOOP, '-M', 'virt') as machine, \
            tempfile.NamedTemporaryFile() as state:
        gdb = Gdb(machine)
        gdb.ask(f'Z0,{RAM:x},4')
        gdb.ask('vCont;c')
        machine.qmp('migrate', uri=f'file:{state.name}')
        while machine.qmp('query-migrate')['status'] != 'completed':
            time.sleep(0.05)
        incoming = 'virt', '-incoming', f'file:{state.name}'
        with Machine(emulator, LOOP, '-M', *incoming) as loaded:
            status = loaded.status()
        if status is not None:
            return f'it ends with status {status}'
        state.seek(NAME_LENGTH)
        state.write(b'\xff' * 4)
        state.flush()
        with Machine(emulator, LOOP, '-M', *incoming) as loaded:
            status = loaded.process.wait(SECONDS)
    return status != 1 and f'a damaged one ends it with status {status}'


def monitor_output(emulator):
    """A monitor command of gdb that prints 2,500 lines ends."""
    command = f'x /20000xb {RAM:#x}'.encode().hex()
    with Machine(emulator, LOOP, '-M', 'virt') as machine:
        gdb = Gdb(machine)
        gdb.socket.settimeout(5)
        gdb.send(f'qRcmd,{command}')
        packets = 0
        try:
            while gdb.receive() != 'OK':
                packets += 1
        except TimeoutError:
            return f'gdb and QEMU wait for each other after {packets} packets'
    return None


def other_process(emulator):
    """A breakpoint of process 2 does not stop process 1."""
    with Machine(emulator, LOOP, '-M', 'sifive_u', '-smp', '2') as machine:
        gdb = Gdb(machine)
        gdb.ask('vAttach;2')
        gdb.ask('Hgp2.2')
        gdb.ask(f'Z0,{RAM:x},4')
        stop = gdb.answers('vCont;c:p1.-1', 2)
    return stop and f'process 1 alone runs and stops: {stop}'


def detached(emulator):
    """Packets after the last process is detached are errors."""
    with Machine(emulator, LOOP, '-M', 'virt') as machine:
        gdb = Gdb(machine)
        gdb.ask('D;1')
        try:
            gdb.answers('vCont;c', 2)
            gdb.answers('D;1', 2)
        except ConnectionError:
            pass
        status = machine.status()
    return status is not None and f'QEMU ends with status {status}'


def qmp_shutdown(emulator):
    """Requests that arrive while QEMU exits are not answered."""
    for n in range(1, EXITS + 1):
        with Machine(emulator, LOOP, '-M', 'virt') as machine:
            machine.qmp('query-status')
            file = machine.qmp_file.buffer
            try:
                file.write(b'{"execute": "quit"}' + REQUESTS)
                file.flush()
            except OSError:
                pass
            status = machine.process.wait(SECONDS)
        if status:
            return f'QEMU ends with status {status} at exit {n}'
    return None


CASES = {'01-riscv-pack-rv32': riscv_pack,
         '02-semihosting-rv32': semihosting_exit,
         '03-single-step': single_step,
         '04-rr-any-cpu': resume_second,
         '05-incoming-stream': incoming_stream,
         '06-gdb-monitor-output': monitor_output,
         '07-gdb-processes': other_process,
         '08-gdb-detached': detached,
         '10-qmp-shutdown': qmp_shutdown}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__.strip())
    emulator, *patches = sys.argv[1:]
    unknown = set(patches) - CASES.keys()
    if unknown:
        sys.exit(f'no case for {", ".join(sorted(unknown))}')
    wrong = 0
    for patch in patches or CASES:
        fault = CASES[patch](emulator)
        wrong += bool(fault)
        print(f'{patch}: {f"wrong: {fault}" if fault else "fixed"}',
              flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
