# SPDX-License-Identifier: GPL-2.0-or-later
"""Going back under -icount: on each hart, over coprocessor instructions, to
breakpoints and to writes; what was executed again is the same to the bit."""

import os
import random
import re
import subprocess
import time
import unittest

import bombs
import rv_asm as rv
from blackhole_tile import HARTS, TileError
from blackhole_tile.memory_map import tile_address
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import SHARED, images
from bombs import NO_SUCH_OPCODE, store
from gdb_client import WATCHPOINT, Debugger
from test_board import Folder
from test_deadlock import COP_DONE, load, semwait_for_good

STEPS = 100
STARTED = SHARED                # of the demo: where each hart's main() is
RESULT = 0x100000
MAILBOX = 0xFFEC0000
SEED = 20
ADD_ONE = 0x58 << 24 | 1 << 23 | 1 << 6     # to a GPR
BNE = 1
REWIND = 'rewind=on,rewind-interval=10000'
BEGINNING = 'replaylog:begin'


def symbol(program, hart, name='main'):
    text = subprocess.run(['nm', images(program)[hart]], check=True,
                          stdout=subprocess.PIPE, encoding='utf-8').stdout
    return next(int(line.split()[0], 16) for line in text.splitlines()
                if line.split()[-1] == name)


class Machine(Folder):
    """Machines that keep a history, and a debugger that uses it."""

    def debugged(self, program=None, machine=REWIND, **options):
        """(the tile, a debugger of it): nothing has run yet."""
        if program:
            options['images'] = images(program)
        tile = self.tile(accel='icount', machine=machine, stopped=True,
                         gdb=True, **options)
        gdb = Debugger(tile)
        self.addCleanup(gdb.link.close)
        return tile, gdb

    def programs(self, programs, machine=REWIND, **options):
        return self.debugged(machine=machine, images=bombs.bomb_images(
            self.elf, programs), **options)

    @staticmethod
    def digest(tile):
        """(place, checksum of everything)"""
        place, digest = tile.qmp('qom-get', path='/machine',
                                 property='rewind-digest').split()
        return int(place), digest

    def run_to(self, gdb, hart, address):
        gdb.insert(hart, address)
        stop = gdb.resume()
        gdb.remove(hart, address)
        self.assertEqual(gdb.pc(hart), address, stop)

    def place(self, tile):
        return self.digest(tile)[0]


class Options(Machine):
    def refused(self, text, accel, **options):
        with self.assertRaises(TileError) as raised:
            self.tile(accel=accel, **options)
        self.assertIn(text, str(raised.exception))

    def test_history_needs_an_order_that_repeats(self):
        self.refused('-icount shift=0,sleep=off', 'single',
                     machine='rewind=on')
        self.refused('-icount shift=0,sleep=off', 'single',
                     machine='rewind=on', extra=['-icount', 'shift=0'])
        self.refused('-icount shift=0,sleep=off', 'single',
                     machine='rewind=on', extra=['-icount', 'shift=auto'])

    def test_host_software_excludes_it(self):
        self.refused('exclude each other', 'icount',
                     machine=f'rewind=on,host-socket={self.folder}/host')

    def test_bad_interval(self):
        self.refused('rewind-interval must be', 'icount',
                     machine='rewind=on,rewind-interval=1')

    def test_without_it_nothing_goes_back(self):
        _, gdb = self.debugged('demo', machine='')
        self.assertNotIn('ReverseStep', gdb.features)
        self.assertEqual(gdb.back('brisc'), 'E22')
        self.assertRegex(gdb.ask('?'), '^T05')     # and there is one answer
        with self.assertRaisesRegex(TileError, 'no history'):
            gdb_less = self.tile(accel='icount')
            gdb_less.qmp('qom-get', path='/machine',
                         property='rewind-digest')

    def test_with_it_gdb_knows(self):
        _, gdb = self.debugged('demo')
        self.assertIn('ReverseStep+;ReverseContinue+', gdb.features)
        self.assertIn(BEGINNING, gdb.back('brisc'))

    def test_it_computes_what_it_does_without(self):
        outputs = []
        for machine in ('', 'rewind=on'):
            tile = self.tile(images=images('demo'), accel='icount',
                             machine=machine)
            self.assertEqual(tile.wait_for_exit(60), 0)
            outputs.append(tile.output())
        self.assertEqual(*outputs)


class Steps(Machine):
    def record(self, tile, gdb, hart, go):
        """(pc, place, digest) before and after each of some steps."""
        trail = [(gdb.pc(hart), *self.digest(tile))]
        for _ in range(STEPS):
            self.assertRegex(go(hart), '^T05thread')
            trail.append((gdb.pc(hart), *self.digest(tile)))
        return trail

    def check_hart(self, program, hart, machine=REWIND):
        tile, gdb = self.debugged(program, machine)
        self.run_to(gdb, hart, symbol(program, hart))
        there = self.record(tile, gdb, hart, gdb.step)
        back = self.record(tile, gdb, hart, gdb.back)[::-1]
        self.assertEqual([pc for pc, *_ in there], [pc for pc, *_ in back])
        # between two of its turns a hart steps to the end of the one, and
        # goes back to the beginning of the other
        same = [(a, b) for a, b in zip(there, back) if a[1] == b[1]]
        self.assertGreater(len(same), STEPS // 2)
        for a, b in same:
            self.assertEqual(a, b)
        self.assertNotIn('rewind:', tile.output())

    def test_every_hart_steps_back(self):
        for hart in HARTS:
            with self.subTest(hart):
                self.check_hart('demo', hart)

    def test_of_two_tiles(self):
        """There is one history for all, to which all harts belong."""
        for hart in 'brisc', 'trisc1':
            with self.subTest(hart):
                self.check_hart('demo', hart, f'{REWIND},tiles=2x1')

    def test_back_over_what_another_tile_did(self):
        machine = f'{REWIND},tiles=2x1'
        tile, gdb = self.debugged('token', machine, words={
            tile_address(n, SHARED + 4 * index): value for n in (0, 1)
            for index, value in ((0, 2), (1, 1), (2, 50))})
        seen = []
        for _ in range(10):
            gdb.step('brisc')
        first = self.digest(tile)
        token = tile_address(1, SHARED + 4 * 3)
        for _ in range(3):
            for _ in range(300):
                gdb.step('brisc')
            seen.append((*self.digest(tile), tile.read32(token)))
        self.assertGreater(seen[-1][-1], 0, 'the other tile had no turn')
        gdb.go_back()
        self.assertEqual(self.place(tile), 0)
        for _ in range(10):
            gdb.step('brisc')
        self.assertEqual(self.digest(tile), first)

    def test_with_what_else_keeps_state(self):
        """All at once: the digest is of all that a snapshot has."""
        self.check_hart('demo', 'trisc1', f'{REWIND},hazards=on,'
                        'schedule=seed=7,writers=on,leaks=report')

    def test_back_from_where_no_hart_can_run(self):
        """A hart that waits for a word in its mailbox, for good."""
        tile, gdb = self.programs({'trisc0': [rv.NOP] * 5 +
                                   rv.li(rv.A0, MAILBOX) +
                                   [rv.lw(rv.A1, rv.A0)] + rv.HALT})
        start = gdb.pc('trisc0')
        gdb.send('vCont;c')
        time.sleep(0.1)
        self.assertRegex(gdb.interrupt(), '^T0')
        gdb.back('trisc0')
        self.assertEqual(gdb.pc('trisc0'), start + 4 * 6)
        self.assertEqual(self.place(tile), 6)

    def test_back_over_coprocessor_instructions(self):
        """Dest is what it was before the instruction that wrote it."""
        tile, gdb = self.programs({
            'trisc0': [rv.ttinsn(ADD_ONE)] * 20 + rv.HALT})
        start = gdb.pc('trisc0')
        seen = []
        for _ in range(20):
            gdb.step('trisc0')
            seen.append(self.digest(tile))
        self.assertEqual(len(set(digest for _, digest in seen)), 20)
        for wanted in seen[-2::-1]:
            gdb.back('trisc0')
            self.assertEqual(self.digest(tile), wanted)
        gdb.back('trisc0')
        self.assertEqual(gdb.pc('trisc0'), start)
        self.assertIn(BEGINNING, gdb.back('trisc0'))


class OtherWays(Machine):
    """Words take the pipeline while there is a timeline or a watch."""

    def test_begun_on_the_way(self):
        """Results are equal with and without a history."""
        tile, gdb = self.debugged('demo')
        gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
        visits = [gdb.resume() and self.place(tile) for _ in range(4)]
        for path in os.path.join(self.folder, 'timeline'), '':
            tile.qmp('qom-set', path='/machine', property='timeline',
                     value=path)
            for wanted in visits[-2::-1]:
                gdb.go_back()
                self.assertEqual(self.place(tile), wanted)
            self.assertIn(BEGINNING, gdb.go_back())
            for wanted in visits:
                gdb.resume()
                self.assertEqual(self.place(tile), wanted)
        self.assertNotIn('rewind:', tile.output())

    def test_between_snapshots(self):
        """What is known stays known, whenever the way of words changes."""
        code, ends = [], []
        for times in 100, 100, 1500, 1500:
            body = [rv.ttinsn(ADD_ONE)] * 6 + [rv.addi(rv.A1, rv.A1, -1)]
            code += rv.li(rv.A1, times) + body
            code += [rv.branch(BNE, rv.A1, 0, -4 * len(body)), rv.NOP]
            ends.append(4 * (len(code) - 1))
        for way in 'watch', 'timeline':
            for on in ([True], [True, False], [True, True, False],
                       [False, False, True]):
                with self.subTest(way=way, on=on):
                    self.check_visits(code, ends, way, on)

    def switch(self, tile, way, on):
        if way == 'watch':
            tile.hmp('tensix_watch dest 900' if on else 'tensix_delete all')
        else:
            path = os.path.join(self.folder, f'timeline{tile.process.pid}')
            tile.qmp('qom-set', path='/machine', property='timeline',
                     value=path if on else '')

    def check_visits(self, code, ends, way, on):
        tile, gdb = self.programs({'trisc0': code + rv.HALT})
        start = gdb.pc('trisc0')
        visits = []
        for end in ends:
            gdb.insert('trisc0', start + end)
        was_on = False
        for number in range(len(ends)):
            gdb.resume()
            visits.append(self.place(tile))
            if on[min(number, len(on) - 1)] != was_on:
                was_on = not was_on
                self.switch(tile, way, was_on)
        for wanted in visits[-2::-1]:
            gdb.go_back()
            self.assertEqual(self.place(tile), wanted)
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertNotIn('rewind:', tile.output())


class Kernels(Machine):
    """The searches for their ends come at the same times again."""

    WAIT = rv.li(rv.A1, 150) + [rv.FENCE] + [rv.NOP] * 100
    WAIT += [rv.addi(rv.A1, rv.A1, -1), rv.branch(BNE, rv.A1, 0, -4 * 102)]
    # GPR 0 and 1 of the coprocessor
    CODE = [rv.ttinsn(ADD_ONE | n << 12) for n in range(2) for _ in range(20)]
    CODE = CODE[:20] + WAIT + CODE[20:] + WAIT + [rv.NOP]
    SECOND = 20 + len(WAIT)         # its first instruction
    INSIDE = SECOND + 20 + 2        # where it begins to wait

    def kernels(self, options=''):
        """(tile, gdb, the address of an instruction)"""
        tile, gdb = self.programs({'trisc0': self.CODE + rv.HALT},
                                  REWIND + options)
        start = gdb.pc('trisc0')
        return tile, gdb, lambda n: start + 4 * n

    def run_out(self, tile, gdb, address):
        """(place and digest, what was reported)"""
        self.run_to(gdb, 'trisc0', address(len(self.CODE) - 1))
        there = self.digest(tile)
        ends = [event['data'] for event in tile.events
                if event['event'] == 'TENSIX_KERNEL_END']
        return there, ends, tile.output()

    @staticmethod
    def without_writers(there, ends, text):
        """What changed a value before the state that one went back to is not
        known."""
        changes = [[{name: change[name] for name in ('name', 'before', 'after')}
                    for change in end['changes']] for end in ends]
        return there, changes, re.sub(r'\n    (written|used) .*', '', text)

    def test_back_over_ends_of_kernels(self):
        tile, gdb, address = self.kernels(',leaks=report')
        there, ends, text = self.run_out(tile, gdb, address)
        self.assertEqual([end['number'] for end in ends], [1, 2])
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertEqual(self.place(tile), 0)
        self.assertEqual(self.run_out(tile, gdb, address), (there, ends, text))
        self.assertNotIn('rewind:', text)

    def test_stops_need_no_search(self):
        tile, gdb, address = self.kernels()
        wanted = self.run_out(tile, gdb, address)
        tile, gdb, address = self.kernels()
        for n in range(3, len(self.CODE) - 1, 7):
            self.run_to(gdb, 'trisc0', address(n))
        self.assertEqual(self.run_out(tile, gdb, address), wanted)

    def test_what_a_kernel_left_behind_that_ends_later(self):
        """It is compared with when it began, not with where one went back to."""
        tile, gdb, address = self.kernels(',leaks=report')
        wanted = self.run_out(tile, gdb, address)
        tile, gdb, address = self.kernels(',leaks=report')
        gdb.insert('trisc0', address(self.SECOND + 10))
        gdb.resume()
        self.run_to(gdb, 'trisc0', address(self.INSIDE))
        gdb.go_back()
        self.assertEqual(gdb.pc('trisc0'), address(self.SECOND + 10))
        self.assertEqual(
            self.without_writers(*self.run_out(tile, gdb, address)),
            self.without_writers(*wanted))


class Continues(Machine):
    def test_to_earlier_breakpoints_and_to_the_beginning(self):
        tile, gdb = self.debugged('demo')
        gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
        visits = []
        for _ in range(4):
            self.assertIn('thread:p04.04', gdb.resume())
            visits.append(self.digest(tile))
        for wanted in visits[-2::-1]:
            self.assertIn('thread:p04.04', gdb.go_back())
            self.assertEqual(self.digest(tile), wanted)
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertEqual(self.place(tile), 0)
        for wanted in visits:
            gdb.resume()
            self.assertEqual(self.digest(tile), wanted)

    def test_console_is_written_once(self):
        tile, gdb = self.debugged('demo')
        gdb.insert('brisc', symbol('demo', 'brisc', 'print'))
        for _ in range(12):
            gdb.resume()
        for _ in range(12):
            gdb.go_back()
        gdb.remove('brisc', symbol('demo', 'brisc', 'print'))
        gdb.send('vCont;c')
        self.assertEqual(tile.wait_for_exit(60), 0)
        output = tile.output()
        for line in ('brisc: ncrisc runs', 'trisc0 wrote x into Dest',
                     '1024 values computed, 0 wrong'):
            self.assertEqual(output.count(line), 1, output)

    def test_watchpoint_goes_back_to_before_the_write(self):
        tile, gdb = self.debugged('demo')
        self.run_to(gdb, 'trisc1', symbol('demo', 'trisc1', 'compute_face'))
        for number, hart in list(enumerate(HARTS))[1:]:
            word = STARTED + 4 * number
            main = gdb.word('brisc', word)
            gdb.insert(hart, word, WATCHPOINT)
            stop = gdb.go_back()
            self.assertRegex(stop, f'thread:p0{number + 1}.*watch:{word:x};')
            self.assertEqual(gdb.word('brisc', word), main)
            pc = gdb.pc(hart)
            gdb.back(hart)              # as gdb does it
            self.assertEqual(gdb.pc(hart), pc - 4)
            self.assertEqual(gdb.word('brisc', word), 0)
            self.assertIn(BEGINNING, gdb.go_back())
            gdb.remove(hart, word, WATCHPOINT)
            self.run_to(gdb, 'trisc1',
                        symbol('demo', 'trisc1', 'compute_face'))
        self.assertNotIn('rewind:', tile.output())

    def test_watch_of_the_coprocessor_goes_back_to_before_the_push(self):
        words = [rv.ttinsn(ADD_ONE), rv.NOP] * 10
        tile, gdb = self.programs({'trisc0': words + rv.HALT})
        start = gdb.pc('trisc0')
        for _ in words:
            gdb.step('trisc0')
        tile.hmp('tensix_watch gpr 0 thread 0')
        for push in range(9, -1, -1):
            self.assertRegex(gdb.go_back(), 'thread:p03.03;$')
            self.assertEqual(gdb.pc('trisc0'), start + 8 * push)
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertNotIn('tensix: watch', tile.output())

    def test_back_across_stops_of_the_coprocessor(self):
        """Such a stop holds instructions, and is not made a second time."""
        words = rv.li(rv.A0, 20000) + [
            rv.ttinsn(ADD_ONE), rv.addi(rv.A0, rv.A0, -1),
            rv.branch(1, rv.A0, rv.ZERO, -8)]
        for options in ('', ',writers=on'):
            with self.subTest(options):
                tile, gdb = self.programs({'trisc0': words + rv.HALT},
                                          REWIND + options)
                end = gdb.pc('trisc0') + 4 * len(words)
                tile.hmp('tensix_break ADDDMAREG')
                for _ in range(3):
                    self.assertRegex(gdb.resume(), '^T05')
                tile.hmp('tensix_delete all')
                self.run_to(gdb, 'trisc0', end)
                then = self.digest(tile)
                self.assertIn(BEGINNING, gdb.go_back())
                self.run_to(gdb, 'trisc0', end)
                self.assertEqual(self.digest(tile), then)
                self.assertNotIn('rewind:', tile.output())

    def test_to_an_ebreak_of_each_hart(self):
        """Forward gdb stops after it, backward before it."""
        for hart in HARTS:
            with self.subTest(hart):
                tile, gdb = self.programs({hart: 3 * [rv.NOP, rv.EBREAK] +
                                           [rv.NOP] + rv.HALT})
                start, thread = gdb.pc(hart), HARTS.index(hart) + 1
                stops = []
                for n in range(1, 4):
                    self.assertIn(f'thread:p0{thread}', gdb.resume())
                    self.assertEqual(gdb.pc(hart), start + 8 * n)
                    stops.append(self.digest(tile))
                for n in range(2, -1, -1):
                    self.assertIn(f'thread:p0{thread}', gdb.go_back())
                    self.assertEqual(gdb.pc(hart), start + 8 * n + 4)
                    self.assertEqual(self.place(tile), stops[n][0] - 1)
                self.assertIn(BEGINNING, gdb.go_back())
                for n, wanted in enumerate(stops, 1):
                    gdb.resume()
                    self.assertEqual(gdb.pc(hart), start + 8 * n)
                    self.assertEqual(self.digest(tile), wanted)
                self.assertNotIn('rewind:', tile.output())

    def test_to_ebreaks_of_harts_that_run_together(self):
        """Each is a separate stop, there and then, in both directions."""
        tile, gdb = self.programs({
            hart: 3 * n * [rv.NOP] + 4 * [rv.EBREAK, rv.NOP] + rv.HALT
            for n, hart in enumerate(HARTS)})
        stops = [(gdb.resume(), self.digest(tile)) for _ in range(20)]
        for stop, (place, _) in stops[::-1]:
            self.assertEqual((gdb.go_back(), self.place(tile)),
                             (stop, place - 1))
        self.assertIn(BEGINNING, gdb.go_back())
        for stop in stops:
            self.assertEqual((gdb.resume(), self.digest(tile)), stop)

    def test_an_ebreak_that_gdb_did_not_see_is_none(self):
        """Of a hart that gdb is not attached to."""
        tile, gdb = self.programs({'trisc0': [rv.EBREAK] + rv.HALT,
                                   'trisc1': 20 * [rv.NOP] + [rv.EBREAK]})
        gdb.expect_ok('D;3')
        self.assertIn('thread:p04', gdb.resume())
        self.assertIn('thread:p04', gdb.go_back())
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertEqual(self.place(tile), 0)

    def test_interrupted_at_any_place(self):
        """Stops that were not asked for change nothing."""
        digests = []
        chance = random.Random(SEED)
        for stops in (0, 12):
            tile, gdb = self.debugged('demo')
            gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
            gdb.resume()
            for _ in range(stops):
                gdb.send('vCont;c')
                time.sleep(chance.uniform(0, 0.003))
                gdb.link.sendall(b'\x03')
                if 'T05' in gdb.answer():
                    break
            while self.place(tile) < 16517:
                gdb.resume()
            digests.append(self.digest(tile))
        self.assertEqual(*digests)


class Inputs(Machine):
    @staticmethod
    def ends(tile):
        """First and last place of the history."""
        status = tile.qmp('qom-get', path='/machine', property='rewind-status')
        return tuple(int(n) for n in status.split()[:2])

    def test_a_query_changes_nothing(self):
        """Not even when a watch polls, if a thread waits."""
        tile, _ = self.programs({'trisc0': semwait_for_good() +
                                 load(COP_DONE) + rv.HALT})
        tile.qmp('cont')
        tile.wait_for(lambda tile: 'deadlock: ' in tile.output())
        tile.qmp('stop')
        before = self.digest(tile)
        tile.hmp('info tensix')
        tile.hmp('info tensix why')
        tile.read32(bombs.TDMA + 0x3C)
        self.assertEqual(self.digest(tile), before)

    def test_what_gdb_wrote_is_there_again(self):
        tile, gdb = self.debugged('demo')
        first = symbol('demo', 'trisc1', 'compute_face')
        gdb.insert('trisc1', first)
        gdb.resume()
        gdb.write_word('brisc', RESULT, 0x1234)
        gdb.resume()
        later = self.digest(tile)
        gdb.back('trisc1')
        self.assertEqual(gdb.word('brisc', RESULT), 0x1234)
        gdb.go_back()                     # to the place of the write
        gdb.back('trisc1')                # and before it
        self.assertEqual(gdb.word('brisc', RESULT), 0)
        gdb.resume()
        gdb.resume()
        self.assertEqual(self.digest(tile), later)
        self.assertEqual(gdb.word('brisc', RESULT), 0x1234)

    def test_a_write_into_the_past_is_another_future(self):
        tile, gdb = self.debugged('demo')
        gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
        for _ in range(3):
            gdb.resume()
        gdb.go_back()
        gdb.write_word('brisc', RESULT, 5)
        gdb.resume()
        self.assertEqual(self.ends(tile), (0, self.place(tile)))
        gdb.go_back()
        self.assertEqual(gdb.word('brisc', RESULT), 5)

    DELAY = rv.li(rv.A1, 15000) + [rv.addi(rv.A1, rv.A1, -1), rv.NOP,
                                   rv.branch(BNE, rv.A1, 0, -8)]

    def test_nothing_of_the_old_future_is_left(self):
        """Snapshots of it lay where another future has its own."""
        code = (self.DELAY + [rv.NOP]) * 3
        tile, gdb = self.programs({'trisc0': code + rv.HALT})
        start = gdb.pc('trisc0')
        for n in range(1, 4):
            gdb.insert('trisc0', start + n * 4 * (len(self.DELAY) + 1) - 4)
            gdb.resume()
        places = [self.place(tile)]
        for _ in range(2):
            gdb.go_back()
            places.append(self.place(tile))
        gdb.write_word('trisc0', RESULT, 5)
        for _ in range(2):
            gdb.resume()
        self.assertEqual(self.place(tile), places[0])
        for place in places[1:]:
            self.assertEqual(gdb.word('trisc0', RESULT), 5)
            gdb.go_back()
            self.assertEqual(self.place(tile), place)
        self.assertNotIn('rewind:', tile.output())

    def test_a_deadlock_of_another_future(self):
        """It is reported, as that of the first future was."""
        stalls = rv.li(rv.A0, 0xFFE80000) + [rv.lw(rv.A0, rv.A0), rv.jump(0)]
        tile, gdb = self.programs({'trisc0': self.DELAY + [rv.NOP] + stalls})
        gdb.insert('trisc0', gdb.pc('trisc0') + 4 * len(self.DELAY))
        gdb.resume()
        for count in 1, 2:
            gdb.step_over()
            gdb.send('vCont;c')
            tile.wait_for(lambda t, n=count:
                          t.output().count('deadlock: ') == n)
            gdb.interrupt()
            gdb.go_back()
            gdb.write_word('trisc0', RESULT, 5)

    def test_writers_of_the_future_are_forgotten(self):
        tile, gdb = self.programs({
            'trisc0': self.DELAY + [rv.NOP] + store(5, RESULT) + [rv.NOP] +
                      rv.HALT}, REWIND + ',writers=on')
        start = gdb.pc('trisc0')
        place = {'space': 'l1', 'first': RESULT}
        gdb.insert('trisc0', start + 4 * len(self.DELAY))
        gdb.insert('trisc0', start + 4 * (len(self.DELAY + store(5, 0)) + 1))
        gdb.resume()
        gdb.resume()
        writer = tile.qmp('query-tensix-writers', place=place)[0]
        self.assertEqual(writer['hart'], 'trisc0')
        gdb.go_back()
        self.assertEqual(gdb.word('trisc0', RESULT), 0)
        writer = tile.qmp('query-tensix-writers', place=place)[0]
        self.assertNotIn('hart', writer)

    def test_a_write_while_it_runs_ends_the_history(self):
        tile, gdb = self.programs({'trisc0': rv.HALT})
        gdb.step('trisc0')
        gdb.send('vCont;c')
        while tile.qmp('query-status')['status'] != 'running':
            pass
        tile.write32(RESULT, 7)
        gdb.interrupt()
        tile.qmp('query-status')
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertEqual(gdb.word('brisc', RESULT), 7)
        self.assertRegex(tile.output(), r'rewind: history begins at '
                                        r'instruction \d+: qtest wrote')

    def test_reset_forgets(self):
        tile, gdb = self.debugged('demo')
        self.run_to(gdb, 'trisc1', symbol('demo', 'trisc1', 'compute_face'))
        tile.qmp('system_reset')
        self.assertIn(BEGINNING, gdb.back('brisc'))
        self.run_to(gdb, 'trisc1', symbol('demo', 'trisc1', 'compute_face'))
        self.assertIn(BEGINNING, gdb.go_back())
        self.assertEqual(gdb.pc('brisc'), 0)
        self.assertIn('history begins', tile.output())

    def test_another_state_forgets(self):
        """No way "back" leads to what came after the state that was loaded."""
        tile, gdb = self.debugged('demo')
        add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
        self.run_to(gdb, 'trisc1', symbol('demo', 'trisc1', 'main'))
        tile.hmp('savevm early')
        early = self.place(tile)
        self.run_to(gdb, 'trisc1', symbol('demo', 'trisc1', 'compute_face'))
        self.assertGreater(self.place(tile), early)
        tile.hmp('loadvm early')
        for hart in HARTS:
            self.assertIn(BEGINNING, gdb.back(hart))
            self.assertEqual(self.place(tile), early)

    def test_a_state_goes_to_a_machine_with_or_without_history(self):
        """What only a history needs is in sections that the others take."""
        for saves, loads in ((REWIND + ',hazards=on,leaks=report', ''),
                             ('', REWIND + ',leaks=report')):
            with self.subTest(saves):
                tile, gdb = self.debugged('demo', saves)
                disk = os.path.join(self.folder, f'disk{len(loads)}.qcow2')
                add_disk(tile, disk)
                self.run_to(gdb, 'trisc1', symbol('demo', 'trisc1', 'main'))
                tile.hmp('savevm there')
                tile.close()
                other = self.tile(
                    accel='icount', machine=loads, images=images('demo'),
                    extra=['-drive', f'if=none,file={disk}',
                           '-loadvm', 'there'])
                self.assertEqual(other.wait_for_exit(60), 0)
                self.assertIn('0 wrong', other.output())

    def test_a_debugger_that_leaves(self):
        tile, gdb = self.debugged('demo')
        gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
        for _ in range(3):
            gdb.resume()
        gdb.go_back()
        gdb.remove('trisc1', symbol('demo', 'trisc1', 'compute_face'))
        for number in range(1, len(HARTS) + 1):
            gdb.ask(f'D;{number}')
        gdb.link.close()
        if tile.process.poll() is None:
            tile.go()
        self.assertEqual(tile.wait_for_exit(60), 0)
        self.assertEqual(tile.output().count('0 wrong'), 1)


class Violations(Machine):
    def program(self, policy):
        body = [rv.ttinsn(NO_SUCH_OPCODE)] + store(1, RESULT) + rv.HALT
        return self.programs({'trisc0': [rv.NOP] * 8 + body},
                             f'{REWIND},on-violation={policy}')

    def test_reported_once(self):
        tile, gdb = self.program('log')
        for _ in range(15):
            gdb.step('trisc0')
        said = tile.output()
        self.assertEqual(said.count('undefined'), 1, said)
        for _ in range(15):
            gdb.back('trisc0')
        gdb.insert('trisc0', gdb.pc('trisc0') + 4)
        for _ in range(3):
            gdb.resume()
            gdb.go_back()
        for _ in range(15):
            gdb.step('trisc0')
        self.assertEqual(tile.output(), said)

    def test_stop_is_no_stop_of_a_search(self):
        tile, gdb = self.program('stop')
        start = gdb.pc('trisc0')
        self.assertRegex(gdb.resume(), '^T05')
        stopped = self.digest(tile)
        for _ in range(6):
            gdb.step('trisc0')
        gdb.insert('trisc0', start + 8)
        gdb.go_back()
        self.assertEqual(gdb.pc('trisc0'), start + 8)
        self.assertRegex(gdb.resume(), '^T05')
        self.assertGreaterEqual(self.place(tile), stopped[0])


class Bounds(Machine):
    def test_memory_is_bounded(self):
        """The history then begins later, or is thinner."""
        tile, gdb = self.debugged('demo', f'{REWIND},rewind-memory=2100000')
        self.run_to(gdb, 'brisc', symbol('demo', 'brisc', 'leave'))
        first, last, count, size = (int(n) for n in tile.qmp(
            'qom-get', path='/machine', property='rewind-status').split())
        self.assertLessEqual(size, 2100000 + 100000)   # and one to compare
        self.assertGreater(last - first, 10000)
        self.assertGreater(count, 1)
        gdb.insert('trisc1', symbol('demo', 'trisc1', 'compute_face'))
        gdb.go_back()


if __name__ == '__main__':
    unittest.main()
