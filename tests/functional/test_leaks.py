# SPDX-License-Identifier: GPL-2.0-or-later
"""Ends of kernels, and what they leave behind."""

import os
import subprocess
import sys
import time
import unittest

import rv_asm as rv
from blackhole_tile import hart_view, leaks
from blackhole_tile.memory_map import RESET_BITS, SOFT_RESET
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import ROOT, Tile
from bombs import forever
from rv_asm import A0, A1
from test_stop import Watched

SETDVALID_B = 0x57 << 24 | 2
SETRWC_DST = 0x37 << 24 | 9 << 14 | 4
NOP = 0x02000000
SEMWAIT_ZERO = 0xA6 << 24 | 0x1ff << 15 | 1 << (2 + 3) | 1
INCADCXY_X0 = 0x52 << 24 | 1 << 6 | 1 << 21  # of unpacker 0, by 1
GO, DONE = 0x30000, 0x30004
LEAVES_B = ['srcb.owner[0]', 'srcb.unpack-bank']


def waits_for_go(body):
    """A firmware: for each GO that changes to 1, body, then DONE = 1."""
    poll = [rv.lw(A0, A1), rv.FENCE, rv.branch(0, A0, rv.ZERO, -8),
            rv.sw(rv.ZERO, A1)]
    end = [rv.addi(A0, rv.ZERO, 1), rv.sw(A0, A1, 4)]
    return rv.li(A1, GO) + forever(poll + body + end)
RESET_PC = 0xA000                      # of TRISC1


class Ends(Watched):
    def ends(self, tile):
        tile.qmp('query-status')
        return [e['data'] for e in tile.events
                if e['event'] == 'TENSIX_KERNEL_END']

    def wait_for_ends(self, tile, count):
        tile.wait_for(lambda t: len(self.ends(t)) >= count, 20,
                      f'{count} ends of kernels')
        return self.ends(tile)

class Kernels(Ends):
    def run_once(self, words, accel='single'):
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in words] + rv.HALT},
                          accel, 'leaks=report')
        tile.qmp('cont')
        return tile

    def check_end(self, accel):
        tile = self.run_once([NOP, SETDVALID_B, NOP], accel)
        end = self.wait_for_ends(tile, 1)[0]
        self.assertEqual((end['number'], end['instructions']), (1, 3))
        self.assertEqual([c['name'] for c in end['changes']], LEAVES_B)
        self.assertEqual([(c['before'], c['after']) for c in end['changes']],
                         [(0, 1), (0, 1)])
        self.assertIn('tensix: leaks: kernel 1 left behind:\n'
                      '  srcb.owner[0]: 0x1, was 0x0\n', tile.output())
        time.sleep(0.1)
        self.assertEqual(len(self.ends(tile)), 1)
        tile.close()

    def test_a_bank_that_is_left(self):
        self.in_every_accelerator(self.check_end)

    def test_counters_that_are_left(self):
        tile = self.run_once([SETRWC_DST, INCADCXY_X0])
        names = {c['name']: c['after']
                 for c in self.wait_for_ends(tile, 1)[0]['changes']}
        self.assertEqual(names.pop('rwc[1].Dst'), 9)
        self.assertTrue(any(name.startswith('adc[1].unpacker0[')
                            for name in names), names)

    def test_nothing_is_left(self):
        tile = self.run_once([NOP, NOP])
        self.assertEqual(self.wait_for_ends(tile, 1)[0]['changes'], [])
        self.assertIn('kernel 1 left behind nothing', tile.output())

    def test_off_by_default(self):
        tile = self.start({'trisc1': [rv.ttinsn(SETDVALID_B)] + rv.HALT})
        tile.qmp('cont')
        self.assertNotIn('changes', self.wait_for_ends(tile, 1)[0])
        self.assertNotIn('leaks', tile.output())

    def check_host(self, accel):
        """Each launch is a kernel, and only what it did itself is told."""
        tile = self.start({'trisc1': waits_for_go([
            rv.ttinsn(SETRWC_DST), rv.ttinsn(NOP)])}, accel, 'leaks=report')
        tile.qmp('cont')
        for number in (1, 2, 3):
            tile.write32(DONE, 0)
            tile.write32(GO, 1)
            tile.wait_for_word(DONE, 1)
            end = self.wait_for_ends(tile, number)[-1]
            self.assertEqual((end['number'], end['instructions']), (number, 2))
            self.assertEqual([c['name'] for c in end['changes']],
                             ['rwc[1].Dst', 'rwc[1].Dst_Cr']
                             if number == 1 else [])
        tile.close()

    def test_a_host_launches(self):
        self.in_every_accelerator(self.check_host)

    def test_after_loadvm(self):
        """What a kernel leaves behind is counted from the state it began in,
        which one kernel came before."""
        tile = self.start({'trisc1': waits_for_go([rv.ttinsn(INCADCXY_X0)])},
                          'single', 'leaks=report')
        add_disk(tile, os.path.join(self.folder, 'disk.qcow2'))

        def kernel(count, number, before):
            tile.qmp('cont')
            tile.write32(DONE, 0)
            tile.write32(GO, 1)
            tile.wait_for_word(DONE, 1)
            end = self.wait_for_ends(tile, count)[-1]
            self.assertEqual(end['number'], number)
            self.assertEqual({(c['before'], c['after'])
                              for c in end['changes']}, {(before, before + 1)})
            tile.stop()

        kernel(1, 1, 0)
        self.assertEqual(tile.hmp('savevm second'), '')
        kernel(2, 2, 1)
        for count in (3, 4):
            self.assertEqual(tile.hmp('loadvm second'), '')
            kernel(count, 2, 1)

    def test_release_begins_a_kernel(self):
        """What was set up while the TRISCs were held is not theirs."""
        tile = self.start({'trisc1': [rv.ttinsn(NOP)] + rv.HALT}, 'single',
                          'leaks=report')
        tile.hold('trisc1')
        tile.write(RESET_PC, rv.code([rv.ttinsn(NOP)] + rv.HALT))
        tile.write32(hart_view('brisc', 0xFFEF0000 + 4), 1 << 29)
        tile.write32(SOFT_RESET, tile.read32(SOFT_RESET) &
                     ~RESET_BITS['trisc1'])
        tile.qmp('cont')
        self.assertEqual(self.wait_for_ends(tile, 1)[0]['changes'], [])

    def test_no_end_while_a_thread_waits(self):
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in (
            NOP, SEMWAIT_ZERO, NOP)] + rv.HALT}, 'single')
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.why()['thread1'].state == 'waiting')
        time.sleep(0.1)
        self.assertEqual(self.ends(tile), [])

    def test_no_end_while_a_hart_works(self):
        count = forever([rv.addi(A0, A0, 1), rv.sw(A0, A1)])
        tile = self.start({'trisc1': [rv.ttinsn(NOP)] + rv.HALT,
                           'brisc': rv.li(A1, DONE) + count})
        tile.qmp('cont')
        tile.wait_for(lambda t: t.read32(DONE) > 1000)
        time.sleep(0.1)
        self.assertEqual(self.ends(tile), [])

    def test_bad_option(self):
        self.assertIn('leaks', self.refusal('leaks=perhaps'))

    def refusal(self, option):
        with self.assertRaises(Exception) as caught:
            Tile(stopped=True, machine=option)
        return str(caught.exception)


class Tool(Ends):
    """python3 -m blackhole_tile.leaks"""

    def leaks(self, *arguments):
        done = subprocess.run(
            [sys.executable, '-m', 'blackhole_tile.leaks', *arguments],
            cwd=os.path.join(ROOT, 'python'), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_two_snapshots_and_saved_values(self):
        paths = [os.path.join(self.folder, n) for n in 'abcd']
        a, b, saved, bad = paths
        tile = self.start({'trisc1': [rv.ttinsn(SETDVALID_B)] + rv.HALT})
        tile.save(a)
        tile.qmp('cont')
        self.wait_for_ends(tile, 1)
        leaks.save_values(tile, saved)
        tile.save(b)
        tile.close()
        wanted = (1, 'srcb.owner[0]: 0x1, was 0x0\n'
                     'srcb.unpack-bank: 0x1, was 0x0\n', '')
        self.assertEqual(self.leaks('diff', a, b), wanted)
        self.assertEqual(self.leaks('diff', a, saved), wanted)
        self.assertEqual(self.leaks('diff', b, saved), (0, '', ''))
        self.assertEqual(self.leaks('save', a, '--snapshot', a + '.none')[0],
                         2)
        with open(bad, 'w', encoding='utf-8') as file:
            file.write('{"format": 1}')
        status, _, text = self.leaks('diff', a, bad)
        self.assertEqual(status, 2)
        self.assertIn('neither a snapshot nor', text)


if __name__ == '__main__':
    unittest.main()
