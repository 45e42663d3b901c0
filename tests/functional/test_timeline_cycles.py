# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines of estimated cycles: each event at its agent's clock."""

import os
import re
import subprocess
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile import tt
from blackhole_tile.testing import ROOT, Tile, script
from blackhole_tile.timeline_cycles import model_of
from blackhole_tile.timeline_file import TimelineFile
from blackhole_tile.timeline_model import SCALE
from rv_asm import T0, T1
from test_time import DRAIN, NOT_FUSED, TIMED, Timed, clock, mad, sfpu
from test_timeline import Trace


class CyclesTest(Timed):
    def record(self, program, name):
        """Runs it on TRISC1; the wall clock's words, and the file."""
        folder = tempfile.mkdtemp(dir=ROOT + '/build')
        self.addCleanup(subprocess.run, ['rm', '-r', folder], check=True)
        path = os.path.join(folder, name)
        tile = self.machine({'trisc1': program.image()},
                            machine=TIMED + ',timeline=' + path)
        tile.wait_for_word(program.results, program.DONE)
        cycles = tile.state.time()['cycles']
        words = [tile.read32(program.results + 4 * n) for n in range(1, 3)]
        tile.quit()
        return path, words, cycles

    def cycles(self, span):
        return span.start / SCALE, span.end / SCALE

    def setUp(self):
        program = rv.Program()
        program.add(rv.li(T0, NOT_FUSED), rv.csrrw(rv.ZERO, 0x7c0, T0),
                    clock(T0), 300 * [mad(0, 0)],
                    [sfpu('SFPSWAP', lreg_src_c=0, lreg_dest=1)],
                    DRAIN, clock(T1))
        program.result(T0)
        program.result(T1)
        self.path, self.words, self.end = self.record(program, 'mads')
        self.model = model_of(TimelineFile(self.path))

    def spans(self, track):
        return [span for span in self.model.spans if span.track == track]

    def tool(self, *options):
        done = script('timeline', self.path, *options, text=False, timeout=60)
        done.check_returncode()
        return done.stdout

    def test_instructions(self):
        """Dependent SFPMADs: one in two cycles, each for one cycle."""
        unit = self.spans('vector of thread 1')
        mads = [self.cycles(span) for span in unit if span.name == 'SFPMAD']
        self.assertEqual(len(mads), 300)
        self.assertEqual({later[0] - first[0] for first, later
                          in zip(mads, mads[1:])}, {2})
        self.assertEqual({end - start for start, end in mads}, {1})
        swap = [span for span in unit if span.name == 'SFPSWAP']
        self.assertEqual([b - a for a, b in map(self.cycles, swap)], [2])
        issued = [self.cycles(span) for span in self.spans('thread 1')
                  if span.name == 'SFPMAD']
        self.assertEqual([start for start, _ in issued],
                         [start for start, _ in mads])

    def test_the_wall_clock_agrees(self):
        """What the program reads is between its pushes and its end."""
        pushes = [span for span in self.spans('trisc1') if span.is_push]
        self.assertEqual(len(pushes), 301)
        first, last = pushes[0].start // SCALE, pushes[-1].start // SCALE
        self.assertIn(first - self.words[0], range(0, 12))
        self.assertIn(self.words[1] - last, range(30, 90))
        mads = self.spans('vector of thread 1')
        self.assertLess(first, mads[0].start // SCALE)
        self.assertGreaterEqual(self.words[1], mads[-1].end // SCALE)

    def test_waits(self):
        waits = self.spans('thread 1 waits')
        self.assertEqual({span.name for span in waits}, {'operand'})
        operand = [self.cycles(span) for span in waits]
        self.assertEqual(len(operand), 300)
        self.assertEqual({end - start for start, end in operand}, {1})

    def test_the_critical_path(self):
        path = self.spans('critical path')
        self.assertEqual(path[0].start, 0)
        self.assertEqual(path[-1].end, self.end * SCALE)
        for span, following in zip(path, path[1:]):
            self.assertEqual(span.end, following.start)

    def test_perfetto(self):
        """Reads as a trace, at the same cycles."""
        trace = Trace(self.tool('--format', 'perfetto'))
        mads = [row for row in trace.slices
                if row[0].endswith('vector of thread 1')
                and row[3] == 'SFPMAD']
        self.assertEqual(
            [row[1] for row in mads],
            [span.start for span in self.spans('vector of thread 1')
             if span.name == 'SFPMAD'])

    def test_bottleneck(self):
        text = self.tool('--format', 'bottleneck').decode()
        self.assertTrue(text.startswith(
            '%d estimated cycles (published figures)\nMVMUL in 0 cycles, '
            '0 %% of its peak\n' % self.end), text)
        path = text.split('critical path, from cycle 0 on\n')[1]
        row = re.match(r' *(\d+) +(\d+) %  vector of thread 1\n', path)
        self.assertIn(int(row[1]), range(590, 605))
        self.assertIn('  thread 1  operand  unknown\n', text)

    def test_a_picture(self):
        text = self.tool('--format', 'svg', '--from', '100', '--to',
                         '140').decode()
        self.assertIn('>critical path</text>', text)
        self.assertIn('>140</text>', text)
        self.assertGreater(text.count('<title>SFPMAD '), 19)

    def test_other_axes_are_refused(self):
        path = self.path + '.other'
        with Tile(accel='icount', machine='timeline=' + path) as tile:
            tile.quit()
        done = script('timeline', path, '--format', 'bottleneck')
        self.assertEqual(done.returncode, 1)
        self.assertIn('record it with timing=published', done.stderr)


class ThreadsTest(Timed):
    def test_one_waits_for_another(self):
        """The wait is in cycles, and comes before what ends it."""
        folder = tempfile.mkdtemp(dir=ROOT + '/build')
        self.addCleanup(subprocess.run, ['rm', '-r', folder], check=True)
        path = os.path.join(folder, 'two')
        poster = rv.Program(0x20000, 0x100000)
        poster.add(2000 * [rv.NOP], [rv.ttinsn(tt('SEMPOST', sem_sel=1))])
        poster.result(T0)
        getter = rv.Program(0x40000, 0x100300)
        getter.add([rv.ttinsn(tt('SEMWAIT', sem_sel=1, wait_sem_cond=1,
                                 stall_res=1 << 1)),
                    rv.ttinsn(tt('SEMGET', sem_sel=1))], DRAIN)
        getter.result(T0)
        tile = self.machine({'trisc0': poster.image(),
                             'trisc1': getter.image()},
                            machine=TIMED + ',timeline=' + path)
        for program in poster, getter:
            tile.wait_for_word(program.results, program.DONE)
        tile.quit()
        model = model_of(TimelineFile(path))
        wait, = [span for span in model.spans
                 if span.track == 'thread 1 waits'
                 and span.name == 'semaphore']
        post, = [span for span in model.spans
                 if span.track == 'thread 0' and span.name == 'SEMPOST']
        self.assertGreater(wait.end - wait.start, 1900 * SCALE)
        self.assertLess(wait.start, post.start)
        self.assertIn((wait.end - post.start) // SCALE, range(1, 4))


if __name__ == '__main__':
    unittest.main()
