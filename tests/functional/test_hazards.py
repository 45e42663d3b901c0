# SPDX-License-Identifier: GPL-2.0-or-later
"""-M blackhole-tile,hazards=on: reports of both instructions; off: none."""

import os
import re
import unittest

import rv_asm as rv
from blackhole_tile.testing import ROOT, Tile, every_accelerator
from rv_asm import A0, A1

BASE, BLOCK = 0x20000, 0x30000

SFPNOP = 0x8f000000
SFPMAD = 0x84000000 | 1 << 12 | 2 << 8 | 3 << 4     # LReg[3] = ...
SFPIADD = 0x79000000 | 5 << 8 | 3 << 4 | 4          # LReg[3] += LReg[5]


def program(words):
    """An image that pushes words, then leaves; and where they are pushed."""
    head = rv.li(A1, BLOCK) + rv.li(A0, rv.APPLICATION_EXIT) + [
        rv.sw(A0, A1), rv.sw(rv.ZERO, A1, 4)]
    pushes = [rv.ttinsn(word) for word in words]
    tail = rv.li(A0, rv.SYS_EXIT_EXTENDED) + [rv.jump(4)] + rv.SEMIHOSTING
    return (rv.elf({BASE: rv.code(head + pushes + tail)}, BASE),
            BASE + 4 * len(head))


class Hazards(unittest.TestCase):
    def run_words(self, words, machine, accel='single'):
        """Status, output, address of the first word."""
        image, first = program(words)
        with Tile(images={'trisc1': image}, machine=machine, accel=accel,
                  extra=['-d', 'guest_errors,unimp']) as tile:
            return tile.wait_for_exit(20), tile.output(), first

    @every_accelerator
    def test_reported_with_both_instructions(self, accel):
        status, text, first = self.run_words(
            [SFPMAD, SFPIADD], 'hazards=on', accel)
        self.assertEqual(status, 0)
        self.assertRegex(
            text, rf'tensix: hazard: TRISC1 at pc 0x{first + 4:08x}: '
            rf'sfpiadd-vd: .* trisc1 pc 0x{first:08x} \(ttsfpmad .*\): '
            r'missing: an SFPNOP .* \(spec 001 .*SFPMAD\.md\) '
            rf'\[trisc1 pc 0x{first + 4:08x}, thread 1, '
            rf'word 0x{SFPIADD:08x} \(ttsfpiadd .*\)\]\n')

    def test_fixed_is_silent(self):
        status, text, _ = self.run_words([SFPMAD, SFPNOP, SFPIADD],
                                         'hazards=on')
        self.assertEqual(status, 0)
        self.assertNotIn('hazard', text)

    def test_off_is_silent(self):
        for machine in ('', 'hazards=off'):
            with self.subTest(machine):
                status, text, _ = self.run_words([SFPMAD, SFPIADD], machine)
                self.assertEqual(status, 0)
                self.assertNotIn('hazard', text)

    def test_is_a_violation(self):
        status, text, _ = self.run_words([SFPMAD, SFPIADD],
                                         'hazards=on,on-violation=exit')
        self.assertEqual(status, 3)
        self.assertIn('sfpiadd-vd', text)

    def test_with_a_seed(self):
        status, text, _ = self.run_words([SFPMAD, SFPIADD],
                                         'hazards=on,schedule=seed=5')
        self.assertEqual(status, 0)
        self.assertEqual(text.count('sfpiadd-vd'), 1)

    def test_the_option(self):
        for machine, value in (('', False), ('hazards=on', True)):
            with Tile(machine=machine, stopped=True) as tile:
                self.assertIs(tile.qmp('qom-get', path='/machine',
                                       property='hazards'), value)

    def test_manual_lists_the_rules(self):
        table = os.path.join(ROOT, 'hw/tenstorrent/core/decode/hazard_table.h.inc')
        with open(table, encoding='utf-8') as file:
            rules = re.findall(r'^HAZARD\(\w+, "([\w-]+)"', file.read(), re.M)
        page = os.path.join(ROOT, 'docs/hazards.csv')
        with open(page, encoding='utf-8') as file:
            text = file.read()
        self.assertGreater(len(rules), 20)
        listed = re.findall(r'^``([\w-]+)``,', text, re.M)
        for rule in rules:
            self.assertIn(rule, listed)


if __name__ == '__main__':
    unittest.main()
