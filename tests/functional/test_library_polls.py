# SPDX-License-Identifier: GPL-2.0-or-later
"""libblackhole-tile.so and a client that polls L1, with clocks in between."""

import os
import re
import signal
import tempfile
import threading
import time
import unittest

import rv_asm as rv
from blackhole_tile import SOFT_RESET
from rv_asm import A0, A1
from test_library import ALL_HELD, BRISC
from tile_library import Chip, Options, Output, children

CLOCK = '64'                        # as a command
COUNTER, OTHER = 0x10000, 0x20000
COUNTERS = range(COUNTER, COUNTER + 32, 4)     # more than the library keeps
SECONDS = 0.5
ROUNDS = 100
MOST = 800                          # one a millisecond, and those at first


class Polls(unittest.TestCase):
    def requests(self, client):
        """How many requests for clocks the client makes while BRISC counts
        some words up for ever."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, 'log')
            with Options(BLACKHOLE_TILE_LOG=log, BLACKHOLE_TILE_OPTIONS=
                         '-trace tensix_host_request'), Chip() as chip:
                chip.write32(SOFT_RESET, ALL_HELD)
                stores = [rv.sw(A1, A0, word - COUNTER) for word in COUNTERS]
                chip.write(0, rv.code(
                    rv.li(A0, COUNTER) + [rv.addi(A1, 0, 0)] +
                    [rv.addi(A1, A1, 1), *stores,
                     rv.jump(-4 - 4 * len(stores))]))
                chip.write32(SOFT_RESET, ALL_HELD & ~BRISC)
                client(chip)
            with open(log, encoding='utf-8') as file:
                commands = re.findall(r'client \w+: command (\d+)',
                                      file.read())
        return commands.count(CLOCK)

    @staticmethod
    def poll(*words, seconds=SECONDS):
        def client(chip):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for word in words:
                    chip.read32(word)
                    chip.clock(64)
        return client

    def test_a_word_that_stays(self):
        self.assertLess(self.requests(self.poll(OTHER)), MOST)

    def test_soon_after_a_write(self):
        """Requests only when the time since then has doubled, or once a
        millisecond."""
        requests = self.requests(self.poll(OTHER, seconds=0.01))
        self.assertLess(requests, 20)

    def test_right_after_a_write(self):
        """A short program ends before the first request."""
        def client(chip):
            for number in range(ROUNDS):
                chip.write32(OTHER, number)
                chip.read32(COUNTER)
                chip.clock(64)
        self.assertLess(self.requests(client), ROUNDS // 2)

    def test_clocks_without_a_read(self):
        """Who has read a word, polled or not, and only lets time pass."""
        def client(chip):
            for _ in range(2):
                chip.read32(COUNTER)
                for _ in range(ROUNDS):
                    chip.clock(64)
        self.assertGreaterEqual(self.requests(client), 2 * (ROUNDS - 1))

    def test_a_word_that_changes(self):
        self.assertLess(self.requests(self.poll(COUNTER)), MOST)

    def test_words_in_turn(self):
        words = (OTHER, OTHER + 4, OTHER + 8, COUNTER)
        self.assertLess(self.requests(self.poll(*words)), MOST)

    def test_another_word_ends_the_wait(self):
        """Of several that are polled: the client has read the second last,
        BRISC stores to the first."""
        def client(chip):
            self.poll(OTHER, COUNTER)(chip)
            waits = []
            for _ in range(50):
                chip.read32(COUNTER)
                chip.read32(OTHER)
                start = time.monotonic()
                chip.clock(64)
                waits.append(time.monotonic() - start)
            self.assertLess(min(waits), 0.0005)
        self.requests(client)

    def test_other_words(self):
        """Memory that is read once, or long ago, is no poll, though it
        changes."""
        def client(chip):
            for _ in range(20):
                for word in COUNTERS:
                    chip.read32(word)
                    chip.clock(64)
        # The first of them, right after a write, counts as polled
        self.assertGreaterEqual(self.requests(client),
                                20 * len(COUNTERS) - 1)

    def test_many_clocks(self):
        """Not put off, though the word has changed."""
        def client(chip):
            self.poll(COUNTER)(chip)
            for _ in range(20):
                chip.read32(COUNTER)
                before = chip.read32(COUNTER)
                chip.clock(300_000)
                # An increment takes as many instructions as stores, and two
                self.assertGreaterEqual(chip.read32(COUNTER) - before,
                                        300_000 // (len(COUNTERS) + 2) - 2)
        self.requests(client)

    def test_an_emulator_that_ends(self):
        """Where a poll waits most of its time, and serves DMA."""
        with Output() as output, Chip(lambda _, size: bytes(size)) as chip:
            chip.write32(OTHER, 1)
            kill = threading.Timer(SECONDS, os.kill,
                                   (children()[-1], signal.SIGKILL))
            kill.start()
            while chip.read32(OTHER):
                chip.clock(64)
            kill.join()
        self.assertEqual(len(output.errors()), 1)


if __name__ == '__main__':
    unittest.main()
