# SPDX-License-Identifier: GPL-2.0-or-later
"""libblackhole-tile.so, where the emulator breaks the protocol."""

import os
import unittest

from tile_library import Chip, Options, Output, wait_until

DRAM = (0, 0)
NO_DEVICE = 0xFFFFFFFF


class WrongAnswers(unittest.TestCase):
    """A stand-in for the emulator that breaks the protocol."""

    FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        'fake_emulator.py')

    def use(self, how, action):
        with Options(BLACKHOLE_TILE_QEMU=self.FAKE, FAKE_TILE=how), \
                Output() as output, Chip() as chip:
            chip.write32(0x100, 5)
            result = action(chip)
            state = chip.config(0)
        return result, state, output.errors()

    def test_it_is_a_fair_substitute(self):
        result, state, errors = self.use('', lambda c: c.read32(0x100))
        self.assertEqual((result, state, errors), (5, 0xB1401E52, []))

    def test_lost(self):
        for how in ('close:3', 'half:3', 'garbage:3', 'huge:3', 'short:3'):
            with self.subTest(how):
                result, state, errors = self.use(
                    how, lambda c: c.read32(0x40, DRAM))
                self.assertEqual((result, state), (0, NO_DEVICE))
                self.assertEqual(errors[0][0], 'SystemError')
                self.assertEqual(len(errors), 1)

    def test_files_of_no_mailbox(self):
        """They are closed, and the socket does."""
        def files(chip):
            return chip.read32(0x100), len(os.listdir('/proc/self/fd'))

        expected = self.use('', files)
        self.assertEqual(self.use('files:0', files), expected)

    def test_flood_of_dma(self):
        """However much the device requests, a call returns."""
        served, in_a_call = [], []

        def call(chip):
            before = len(served)
            chip.clock()
            in_a_call.append(len(served) - before)
            return len(served) == 1000

        with Options(BLACKHOLE_TILE_QEMU=self.FAKE, FAKE_TILE='flood:2'), \
                Chip(lambda address, size: [served.append(size)] and
                     bytes(size)) as chip:
            chip.write32(0x100, 5)
            self.assertTrue(wait_until(lambda: call(chip)))
        self.assertLessEqual(max(in_a_call), 16)

    def test_refused(self):
        result, state, errors = self.use(
            'refuse:3', lambda c: c.read32(0x40, DRAM))
        self.assertEqual((result, state), (0, 0xB1401E52))
        self.assertEqual(errors, [('UndefinedBehavior',
                                   'libttsim_tile_rd_bytes',
                                   'the fake one refuses')])


if __name__ == '__main__':
    unittest.main()
