# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of tensix-host: tt-umd's socket protocol, with struct alone.

A frame is a length and a flatbuffer. What is sent has one fixed layout; what is
received may have any that the format allows.
"""

import ctypes
import mmap
import os
import platform
import socket
import struct
import time

READ, WRITE, DEVICE_INFO, CLUSTER, SHUTDOWN = range(5)
CLOCK, STATUS, MAILBOX = 64, 65, 66

# Types of the fields by number; 's' is a vector of bytes or a text
REQUEST = 'BIIQIs'
RESPONSE = 'is'
INFO = 'iibsbIIIIIs'
CLUSTER_INFO = 'is'

FUTEX = {'x86_64': 202}.get(platform.machine(), 98)     # of system calls

# Bytes of a request before its data: head with fields at fixed places
_HEAD = struct.Struct('<IIHHHHHHHHIQIIIIB3xI')


class HostError(Exception):
    """An answer with a status; text is the reason."""

    def __init__(self, status, text):
        super().__init__(f'status {status}: {text}')
        self.status, self.text = status, text


class Closed(Exception):
    """The connection has ended."""


def request(command, x=0, y=0, address=0, size=0, data=b''):
    """A frame."""
    # root | vtable, 16 bytes | table: vtable's distance, address, x, y, size,
    # distance of the data, command | length of the data
    head = _HEAD.pack(_HEAD.size - 4 + len(data), 20, 16, 32, 28, 12, 16, 4,
                      20, 24, 16, address, x, y, size, 8, command,
                      len(data))
    return head + data


def parse(kinds, frame):
    """Fields of a received table by number; None where there is none."""
    def number(kind, at):
        return struct.unpack_from('<' + kind, frame, at)[0]

    def vector(at):
        start = at + number('I', at)
        length = number('I', start)
        return bytes(frame[start + 4:start + 4 + length])

    table = number('I', 0)
    vtable = table - number('i', table)
    fields = []
    for n, kind in enumerate(kinds):
        offset = 0
        if 4 + 2 * n + 2 <= number('H', vtable):
            offset = number('H', vtable + 4 + 2 * n)
        if not offset:
            fields.append(None)
        elif kind == 's':
            fields.append(vector(table + offset))
        else:
            fields.append(number(kind, table + offset))
    return fields


class Requests:
    """Of a client, whatever way they take: transact() has the answer's (status,
    data)."""

    def ask(self, command, **fields):
        status, data = self.transact(command, **fields)
        if status:
            raise HostError(status, data.decode())
        return data

    def read(self, address, size, tile=None):
        x, y = tile or self.tile
        return self.ask(READ, x=x, y=y, address=address, size=size)

    def write(self, address, data, tile=None):
        x, y = tile or self.tile
        self.ask(WRITE, x=x, y=y, address=address, size=len(data), data=data)

    def read32(self, address, tile=None):
        return struct.unpack('<I', self.read(address, 4, tile))[0]

    def write32(self, address, value, tile=None):
        self.write(address, struct.pack('<I', value), tile)

    def clock(self, instructions):
        self.ask(CLOCK, address=instructions)


class Client(Requests):
    """link: a connected stream socket."""

    def __init__(self, link, tile=(1, 2)):
        self.link, self.tile = link, tile
        link.settimeout(120)

    @classmethod
    def connect(cls, path):
        link = socket.socket(socket.AF_UNIX)
        link.connect(path)
        return cls(link)

    def close(self):
        self.link.close()

    def send(self, data):
        self.link.sendall(data)

    def _receive(self, size):
        data = bytearray(size)
        view, got = memoryview(data), 0
        while got < size:
            try:
                n = self.link.recv_into(view[got:])
            except ConnectionResetError:
                n = 0
            if not n:
                raise Closed
            got += n
        return data

    def receive(self):
        """The next frame."""
        return self._receive(struct.unpack('<I', self._receive(4))[0])

    def answer(self):
        """(status, data) of the next response."""
        status, data = parse(RESPONSE, self.receive())
        return status or 0, data or b''

    def transact(self, command, **fields):
        self.send(request(command, **fields))
        return self.answer()

    def status(self):
        return self.ask(STATUS).decode()

    def mailbox(self):
        self.send(request(MAILBOX))
        data, files, _, _ = socket.recv_fds(self.link, 1 << 16, 2)
        status, text = parse(RESPONSE, data[4:])
        if status:
            raise HostError(status, text.decode())
        return Mailbox(*files, struct.unpack('<I', text)[0])

    def shutdown(self):
        self.ask(SHUTDOWN)

    def device_info(self):
        self.send(request(DEVICE_INFO))
        names = ('status', 'arch', 'backend', 'soc_descriptor', 'translated',
                 'tensix', 'dram', 'eth', 'l2cpu', 'pcie', 'simulator')
        return dict(zip(names, parse(INFO, self.receive())))

    def cluster(self):
        self.send(request(CLUSTER))
        return parse(CLUSTER_INFO, self.receive())


class Mailbox(Requests):
    """Memory shared with the device (tensix_host_mailbox.h), and its bell."""

    DATA = 4096                         # where the data begin
    _REQUEST = struct.Struct('<4I4xQ')  # command, x, y, size, address

    def __init__(self, memory, bell, size, tile=(1, 2)):
        self.file, self.tile = memory, tile
        self.bell = socket.socket(fileno=bell)
        self.memory = mmap.mmap(memory, size)
        self.room = size - self.DATA

    def close(self):
        self.memory.close()
        self.bell.close()
        os.close(self.file)

    def word(self, offset, value=None):
        if value is not None:
            self.memory[offset:offset + 4] = struct.pack('<I', value)
        return struct.unpack_from('<I', self.memory, offset)[0]

    def post(self, command, x=0, y=0, address=0, size=0, data=b''):
        """Sends a request; its number."""
        self.memory[self.DATA:self.DATA + len(data)] = data
        self._REQUEST.pack_into(self.memory, 12, command, x, y, size, address)
        number = (self.word(0) + 1) & 0xFFFFFFFF
        self.word(0, number)
        self.wake()
        return number

    def wake(self):
        futex = ctypes.c_char.from_buffer(self.memory)
        ctypes.CDLL(None).syscall(FUTEX, ctypes.byref(futex), 1, 1, 0, 0, 0)
        del futex

    def answer(self, number, timeout=60):
        """(status, data), once the request is answered."""
        self.word(4, 1)
        self.bell.settimeout(0.1)
        end = time.monotonic() + timeout
        while self.word(64) != number:
            if time.monotonic() > end:
                raise TimeoutError
            try:
                if not self.bell.recv(64):
                    raise Closed
            except TimeoutError:
                continue
        status, size = struct.unpack_from('<II', self.memory, 76)
        return status, self.memory[self.DATA:self.DATA + size]

    def transact(self, command, **fields):
        return self.answer(self.post(command, **fields))


def seconds(action, times=1):
    """Median seconds of an action."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return sorted(taken)[times // 2]
