# SPDX-License-Identifier: GPL-2.0-or-later
"""Uses of registers that are reported: for each a program on BRISC, and what is
said of it. (tests/qtest has most; here is what an access from outside cannot
do, or does without a text.)"""

import unittest

import rv_asm as rv
from blackhole_tile.testing import Tile
from rv_asm import A0, A1
from test_origins import (DATA, INLINE, L1_MEM_REG0, L1_MEM_REG2, NIU, READ,
                          REGISTERS, TDMA, TRIGGER, WRITE, program, request)

DONE = 0x50000
TAG, CTRL, EXCLUDE = NIU + 0x18, NIU + 0x1C, NIU + 0x2C
TO_OVERLAY, ACCUMULATES, BROADCAST = 1 << 6, 1 << 31, 1 << 5
MAILBOX = 0xFFEC0000               # of BRISC, as BRISC reads it
PUSH, PACKED_SIZE, MISC_CFG = 0xFFE40000, TDMA + 0x1C, 0xFFB40000 + 4 * 2


def sends(*changes):
    """An inline write whose registers have these values instead."""
    stores = dict(request(WRITE | INLINE, 0xF))
    stores.update(changes)
    go = stores.pop(NIU + 64)
    return [*stores.items(), (NIU + 64, go)]


# (name, stores, category, what is reported of the last one)
STORES = (
    ('the overlay', sends((TAG, TO_OVERLAY)), 'unimplemented',
     "the receiver's overlay is not notified"),
    ('accumulation', sends((CTRL, WRITE | INLINE | ACCUMULATES)),
     'undefined-behaviour',
     'accumulation into L1 is unsafe (hardware bug), done as a plain write'),
    ('excluded tiles', sends((CTRL, WRITE | INLINE | BROADCAST), (EXCLUDE, 5)),
     'unimplemented', 'BRCST_EXCLUDE 0x00000005 has no effect'),
    ('a mode of the sampler', [(REGISTERS + L1_MEM_REG0, DATA >> 4),
                               (REGISTERS + L1_MEM_REG2, 0),
                               (REGISTERS + L1_MEM_REG2, TRIGGER | 3)],
     'undefined-behaviour', 'WriteMode 3 is not described'),
    ("a packer's L1 address", [(PACKED_SIZE, 1 << 16 | 0x1234)],
     'unimplemented', 'packer L1 address offset 0x1234'),
    ("a stream's phases", [(MISC_CFG, 1)], 'unimplemented',
     'configuration is not loaded from L1'),
)
# (name, address, category, what is reported)
LOADS = (
    ('a push window', PUSH, 'bad-access',
     'load from an instruction push window at offset 0x0'),
    ("the NIU's counters", NIU + 0x500, 'unimplemented', 'reads as 0'),
)


class Reports(unittest.TestCase):
    def run_words(self, tile, words):
        tile.write(0, rv.code(words))
        tile.release('brisc')

    def test_stores(self):
        for name, stores, category, text in STORES:
            words, _ = program((*stores, (DONE, 1)))
            with self.subTest(name), Tile() as tile:
                self.run_words(tile, words)
                tile.wait_for(lambda t: t.read32(DONE) == 1)
                found = tile.violations()
                self.assertEqual(
                    [kind for kind, said in found if text in said],
                    [category], found)

    def test_loads(self):
        for name, address, category, text in LOADS:
            with self.subTest(name), Tile() as tile:
                self.run_words(tile, rv.li(A0, address) + [rv.lw(A1, A0)] +
                               program(((DONE, 1),))[0])
                tile.wait_for(lambda t: t.read32(DONE) == 1)
                (kind, said), = tile.violations()
                self.assertEqual(kind, category)
                self.assertIn(text, said)

    def test_noc_reads_unwritten(self):
        words, _ = program(request(READ, 16))
        with Tile(machine='unwritten=report') as tile:
            self.run_words(tile, words)
            tile.wait_for(lambda t: t.violations())
            (category, text), = tile.violations()
        self.assertEqual(category, 'unwritten')
        self.assertIn('the NoC reads', text)

    def test_own_mailbox(self):
        """The load waits for ever."""
        with Tile() as tile:
            self.run_words(tile, rv.li(A0, MAILBOX) + [rv.lw(A1, A0)])
            tile.wait_for(lambda t: t.violations())
            (category, text), = tile.violations()
        self.assertEqual(category, 'unimplemented')
        self.assertIn('pops its own empty mailbox', text)


if __name__ == '__main__':
    unittest.main()
