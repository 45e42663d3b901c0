# SPDX-License-Identifier: GPL-2.0-or-later
"""Searches backwards that are interrupted, at any moment."""

import os
import time
import unittest

from blackhole_tile.snapshots import add_disk
from gdb_client import Debugger
from test_rewind import BEGINNING, RESULT, REWIND, Machine, symbol


class Interrupts(Machine):
    """A search that is interrupted, at any moment, has found what it looked
    for, or the machine is where the search began: never at a place after which
    a hit was skipped.  There is one reply."""

    def searching(self, hit, disk=False, times=12):
        """(tile, gdb, place and digest of the hit, those where the search
        begins, moments in seconds from a search's begin)"""
        tile, gdb = self.debugged('demo')
        if disk:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
        gdb.insert('trisc2', symbol('demo', 'trisc2', 'main'))
        gdb.resume()
        wanted = self.digest(tile)
        if not hit:
            gdb.remove('trisc2', symbol('demo', 'trisc2', 'main'))
        begun = self.forward(tile, gdb)
        start = time.monotonic()
        gdb.go_back()
        seconds = time.monotonic() - start
        return tile, gdb, wanted, begun, [seconds * n / (times - 2)
                                          for n in range(times)]

    def forward(self, tile, gdb):
        leave = symbol('demo', 'brisc', 'leave')
        if gdb.pc('brisc') != leave:
            self.run_to(gdb, 'brisc', leave)
        return self.digest(tile)

    def check_interrupted(self, tile, gdb, begun, wanted):
        stop = gdb.answer()
        self.assertRegex(stop, '^T0[25]')
        self.assertIn(self.digest(tile), (begun, wanted), stop)
        if self.digest(tile) == begun:
            gdb.go_back()
            self.assertEqual(self.digest(tile), wanted)

    def test_at_any_moment(self):
        tile, gdb, wanted, begun, moments = self.searching(True)
        for number, moment in enumerate(moments):
            self.assertEqual(self.forward(tile, gdb), begun)
            gdb.send('bc')
            time.sleep(moment)
            gdb.link.sendall(b'\x03' * (1 + number % 2))
            self.check_interrupted(tile, gdb, begun, wanted)
        self.assertNotIn('rewind:', tile.output())

    def test_on_the_way_to_the_beginning(self):
        tile, gdb, _, begun, moments = self.searching(False)
        beginning = self.digest(tile)
        self.assertEqual(beginning[0], 0)
        for moment in moments:
            self.assertEqual(self.forward(tile, gdb), begun)
            gdb.send('bc')
            time.sleep(moment)
            gdb.link.sendall(b'\x03')
            self.check_interrupted(tile, gdb, begun, beginning)

    def test_with_little_memory(self):
        """Snapshots that the search takes do not cost the way back."""
        tile, gdb = self.debugged('demo', f'{REWIND},rewind-memory=2100000')
        begun = self.forward(tile, gdb)
        for milliseconds in range(5, 100, 5):
            self.assertEqual(self.forward(tile, gdb), begun)
            gdb.send('bc')
            time.sleep(milliseconds / 1000)
            gdb.link.sendall(b'\x03')
            if BEGINNING not in gdb.answer():
                self.assertEqual(self.digest(tile), begun)
        self.assertNotIn('rewind:', tile.output())

    def test_a_step(self):
        tile, gdb, _, begun, moments = self.searching(True)
        self.assertEqual(self.forward(tile, gdb), begun)
        gdb.back('brisc')
        before = self.digest(tile)
        for moment in moments:
            self.assertEqual(self.forward(tile, gdb), begun)
            gdb.expect_ok('Hcp1.1')
            gdb.send('bs')
            time.sleep(moment / 4)
            gdb.link.sendall(b'\x03')
            self.assertRegex(gdb.answer(), '^T0[25]')
            self.assertIn(self.digest(tile), (begun, before))

    def test_before_it_has_begun(self):
        tile, gdb, wanted, begun, _ = self.searching(True)
        self.assertEqual(self.forward(tile, gdb), begun)
        gdb.link.sendall(b'+$bc#c5\x03')
        self.assertRegex(gdb.answer(), '^T02')
        self.assertEqual(self.digest(tile), begun)
        gdb.go_back()
        self.assertEqual(self.digest(tile), wanted)

    def test_to_save_the_machine(self):
        """It is saved where the search began, which then continues."""
        tile, gdb, wanted, begun, moments = self.searching(True, disk=True)
        for moment in moments[1:-3:2]:
            self.assertEqual(self.forward(tile, gdb), begun)
            gdb.send('bc')
            time.sleep(moment)
            tile.hmp('savevm there')
            self.assertRegex(gdb.answer(), '^T05')
            self.assertEqual(self.digest(tile), wanted)

    def test_by_a_debugger_that_leaves(self):
        """The machine is as it was before; the next one is not shown how the
        search of another ended."""
        tile, gdb, _, begun, moments = self.searching(False)
        beginning, states = self.digest(tile), []
        for moment in moments:
            self.assertEqual(self.forward(tile, gdb), begun)
            gdb.send('bc')
            time.sleep(moment)
            gdb.link.close()
            tile.wait_for(lambda tile: tile.status() != 'running')
            states.append(tile.status())
            found = self.digest(tile)
            gdb = Debugger(tile)
            self.addCleanup(gdb.link.close)
            if states[-1] == 'debug':      # it had ended
                self.assertEqual(found, beginning)
                self.assertNotIn(BEGINNING, gdb.step('brisc'))
            else:
                self.assertEqual(found, begun)
                self.assertIn(BEGINNING, gdb.go_back())
        self.assertIn('paused', states)
        self.assertNotIn('rewind:', tile.output())

    def test_after_input_from_outside(self):
        """What came while it searched is not undone."""
        tile, gdb, _, _, moments = self.searching(False)
        for number, moment in enumerate(moments[:-2], 1):
            self.forward(tile, gdb)
            gdb.send('bc')
            time.sleep(moment)
            tile.write32(RESULT, number)
            gdb.link.sendall(b'\x03')
            self.assertRegex(gdb.answer(), '^T0')
            self.assertEqual(gdb.word('brisc', RESULT), number)
            self.assertIn(BEGINNING, gdb.go_back())

    def test_input_before_an_interrupt(self):
        """It is input though nothing was executed after it."""
        for packet in b'+$bc#c5', b'+$vCont;c#a8':
            with self.subTest(packet):
                tile, gdb = self.debugged('demo')
                gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
                gdb.resume()
                place = self.place(tile)
                gdb.write_word('brisc', RESULT, 0x1234)
                gdb.link.sendall(packet + b'\x03')
                self.assertRegex(gdb.answer(), '^T02')
                gdb.resume()
                self.assertGreater(self.place(tile), place)
                gdb.go_back()
                self.assertEqual(self.place(tile), place)
                self.assertEqual(gdb.word('brisc', RESULT), 0x1234)
                gdb.back('trisc1')
                self.assertEqual(gdb.word('brisc', RESULT), 0)
                self.assertNotIn('rewind:', tile.output())


if __name__ == '__main__':
    unittest.main()
