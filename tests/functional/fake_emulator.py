#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Replaces the emulator where libblackhole-tile.so is tested for answers
that the real one never gives. Takes the same command line.

FAKE_TILE says what it does at the N-th request, as in "close:3":
    close    ends without an answer
    half     ends in the middle of an answer
    garbage  answers with bytes that are none
    huge     announces an answer of 4 GiB
    short    answers a READ with a byte less
    refuse   answers with status 5 and a reason
    flood    asks for the host's memory very often
"files:0" answers with two files, and a size that is none.
Else it is memory: dictionaries of bytes, L1 in the file it was given.
"""

import mmap
import os
import re
import socket
import struct
import sys
import threading

from host_client import request

READ, WRITE = 0, 1
MAILBOX, ENOSYS = 66, 38
L1_SIZE = 0x180000
OWN = (1, 2)
FLOOD = 1000


def option(pattern):
    return re.search(pattern, ' '.join(sys.argv))[1]


def field(frame, number, size):
    """A scalar of the table, 0 if it was left out."""
    table = struct.unpack_from('<I', frame)[0]
    vtable = table - struct.unpack_from('<i', frame, table)[0]
    length = struct.unpack_from('<H', frame, vtable)[0]
    entry = 4 + 2 * number
    offset = struct.unpack_from('<H', frame, vtable + entry)[0] \
        if entry < length else 0
    if not offset:
        return 0, 0
    at = table + offset
    return int.from_bytes(frame[at:at + size], 'little'), at


def request_of(frame):
    """(command, place, address, size, data)"""
    vector, at = field(frame, 5, 4)
    count = struct.unpack_from('<I', frame, at + vector)[0] if at else 0
    start = at + vector + 4
    return (field(frame, 0, 1)[0], (field(frame, 1, 4)[0],
                                    field(frame, 2, 4)[0]),
            field(frame, 3, 8)[0], field(frame, 4, 4)[0],
            frame[start:start + count])


def response(status, data):
    body = struct.pack('<I4H', 12, 8, 12, 4, 8) + \
        struct.pack('<iiII', 8, status, 4, len(data)) + data
    return struct.pack('<I', len(body)) + body


class Memory:
    def __init__(self, l1):
        self.l1, self.others = l1, {}

    def read(self, place, address, size):
        if place == OWN and address + size <= L1_SIZE:
            return self.l1[address:address + size]
        return bytes(self.others.get((place, address + n), 0)
                     for n in range(size))

    def write(self, place, address, data):
        if place == OWN and address + len(data) <= L1_SIZE:
            self.l1[address:address + len(data)] = data
            return
        for n, byte in enumerate(data):
            self.others[place, address + n] = byte


def receive(link, size):
    data = b''
    while len(data) < size:
        more = link.recv(size - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def flood():
    """Requests to the host's memory, all in one piece; none cares about the
    answers, but they are taken."""
    link = socket.socket(fileno=int(option(r'id=tile-dma,fd=(\d+)')))

    def drain():
        while link.recv(1 << 16):
            pass

    threading.Thread(target=drain, daemon=True).start()
    link.sendall(request(READ, address=0, size=4) * FLOOD)


def misbehave(link, how, answer):
    """What goes over the link instead of ANSWER."""
    if how == 'half':
        link.sendall(answer[:len(answer) // 2])
    if how == 'flood':
        flood()
        return answer
    if how in ('close', 'half'):
        os._exit(7)
    return {'garbage': struct.pack('<I', 64) + b'\xA5' * 64,
            'huge': b'\xFF\xFF\xFF\xFF',
            'short': answer[:-1],
            'refuse': response(5, b'the fake one refuses')}[how]


def answer_mailbox(link, how):
    """Like an emulator of before there were any, unless HOW is "files"."""
    if how == 'files':
        socket.send_fds(link, [response(0, b'abc')], [0, 1])
    else:
        link.sendall(response(ENOSYS, b'unknown command'))


def main():
    path = option(r'mem-path=(\S+)')
    with open(path, 'r+b') as file:
        memory = Memory(mmap.mmap(file.fileno(), L1_SIZE))
    link = socket.socket(fileno=int(option(r'id=tile-host,fd=(\d+)')))
    how, _, when = os.environ.get('FAKE_TILE', ':0').partition(':')
    count = 0
    while True:
        size = struct.unpack('<I', receive(link, 4))[0]
        command, place, address, size, data = request_of(receive(link, size))
        answer = b''
        if command == MAILBOX:
            answer_mailbox(link, how)
            continue
        if command == READ:
            answer = memory.read(place, address, size)
        elif command == WRITE:
            memory.write(place, address, data)
        answer = response(0, answer)
        count += 1
        if count == int(when or 0):
            if how == 'short':
                answer = response(0, bytes(max(0, size - 1)))
            else:
                answer = misbehave(link, how, answer)
        link.sendall(answer)


main()
