# SPDX-License-Identifier: GPL-2.0-or-later
"""A debugger as short as its protocol: for what gdb would take seconds for.

    with Debugger(tile) as gdb:
        gdb.insert('trisc1', 0xc038)
        gdb.resume()                       # 'trisc1'
        gdb.pc('trisc1')
        gdb.back('trisc1')
"""

import socket

from blackhole_tile import HARTS

BREAKPOINT, WATCHPOINT = 0, 2            # kinds of Z packets
PC = 32                                  # number of the register
SECONDS = 60


def thread(hart):
    number = HARTS.index(hart) + 1
    return f'p{number:x}.{number:x}'


class Debugger:
    """Attached to all five harts of a machine with a gdb server."""

    def __init__(self, tile):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(SECONDS)
        self.link.connect(tile.gdb_socket)
        self.rest = b''
        self.breakpoints = set()
        self.features = self.ask('qSupported:multiprocess+')
        for number in range(2, len(HARTS) + 1):
            self.ask(f'vAttach;{number:x}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()

    def send(self, text):
        data = text.encode()
        self.link.sendall(b'+$%s#%02x' % (data, sum(data) % 256))

    def receive(self):
        """The next packet, without its checksum."""
        while b'#' not in self.rest or len(self.rest.split(b'#', 1)[1]) < 2:
            data = self.link.recv(65536)
            if not data:
                raise ConnectionError('the gdb server has disconnected')
            self.rest += data
        packet, self.rest = self.rest.split(b'#', 1)
        self.rest = self.rest[2:]
        return packet.split(b'$', 1)[1].decode()

    def answer(self):
        """The next packet that is no text for gdb's console."""
        while True:
            packet = self.receive()
            if packet == 'OK' or not packet.startswith('O'):
                return packet

    def ask(self, text):
        self.send(text)
        return self.answer()

    def expect_ok(self, text):
        answer = self.ask(text)
        if answer != 'OK':
            raise AssertionError(f'{text}: {answer}')

    def choose(self, hart):
        self.expect_ok(f'Hg{thread(hart)}')

    # --- breakpoints ---

    def insert(self, hart, address, kind=BREAKPOINT):
        self.choose(hart)
        self.expect_ok(f'Z{kind},{address:x},4')
        self.breakpoints.add((hart, address, kind))

    def remove(self, hart, address, kind=BREAKPOINT):
        self.choose(hart)
        self.expect_ok(f'z{kind},{address:x},4')
        self.breakpoints.discard((hart, address, kind))

    # --- going on: each returns the stop ---

    def step_over(self):
        """Where a hart is at a breakpoint: as gdb does it."""
        for hart, address, kind in list(self.breakpoints):
            if kind == BREAKPOINT and self.pc(hart) == address:
                self.remove(hart, address)
                self.step(hart)
                self.insert(hart, address)

    def resume(self):
        self.step_over()
        return self.ask('vCont;c')

    def step(self, hart):
        return self.ask(f'vCont;s:{thread(hart)}')

    def back(self, hart):
        """Before the hart's last instruction."""
        self.expect_ok(f'Hc{thread(hart)}')
        return self.ask('bs')

    def go_back(self):
        """To the last breakpoint or watchpoint that was hit."""
        self.expect_ok('Hc0')
        return self.ask('bc')

    def interrupt(self):
        self.link.sendall(b'\x03')
        return self.answer()

    # --- state ---

    def register(self, hart, number):
        self.choose(hart)
        return int.from_bytes(bytes.fromhex(self.ask(f'p{number:x}')),
                              'little')

    def pc(self, hart):
        return self.register(hart, PC)

    def word(self, hart, address):
        self.choose(hart)
        return int.from_bytes(bytes.fromhex(self.ask(f'm{address:x},4')),
                              'little')

    def write_word(self, hart, address, value):
        self.choose(hart)
        self.expect_ok(f'M{address:x},4:{value.to_bytes(4, "little").hex()}')
