# SPDX-License-Identifier: GPL-2.0-or-later
"""Watching a run of scripts/run: its output, its end, and idle harts."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, Dict, List, Optional

from . import firmware
from .machine import FINDINGS, UNFINISHED, OneTile, Tile, TileError
from .machine import VIOLATION as VIOLATION_LINE
from .memory_map import HARTS, RESET_BITS, SOFT_RESET, hart_view
from .state import Node

if TYPE_CHECKING:
    from .run import Job

# Exit statuses of scripts/run
DONE, USE, TIME_OUT, VIOLATION, DEADLOCK, DIFFERS, ENDED = range(7)
INTERRUPTED, NO_READER, TERMINATED = 128 + 2, 128 + 13, 128 + 15
VERDICTS = {
    DONE: 'done', TIME_OUT: 'time-out', VIOLATION: 'stopped by a violation',
    DEADLOCK: 'nothing can continue', DIFFERS: 'the result differs',
    ENDED: 'ended',
}

SHORT_NAP, LONG_NAP, LONGER = 0.001, 0.02, 1.2   # between two polls
LINE_SECONDS, LOOK_SECONDS, BAR_SECONDS = 10, 0.1, 0.2
REST_LOOKS = 10
SHOWN_VIOLATIONS, SHOWN_OF_A_LINE = 10, 2
SOURCE_LINE = re.compile(r'tensix: [a-z-]+: .*?:\d+: ')   # of a violation
REPORT, DETAILS = b'tensix: ', b'  '
REPORT_HERE = re.compile(b'(?=tensix: )')        # also in a guest's line
CLEAR_LINE = '\r\x1b[K'
JUMP_HERE, JUMP_BACK, FENCE_MASK, FENCE = 0x6F, 0xFFDFF06F, 0x707F, 0x0F


# --- watching ---

def at_rest(one: OneTile, hart: str, pc: int) -> bool:
    """Is a hart that runs in a jump to itself, with a FENCE or without?"""
    here, after, before = (
        one.read32(hart_view(hart, max(pc + n, 0) & 0xFFFFFFFC))
        for n in (0, 4, -4))
    if here == JUMP_HERE:
        return True
    return (here & FENCE_MASK == FENCE and after == JUMP_BACK) or \
        (here == JUMP_BACK and before & FENCE_MASK == FENCE)


def waits_for(node: Node, kind: str) -> bool:
    """Is that what it waits for?"""
    return node.wait is not None and node.wait.kind == kind


def running_harts(one: OneTile) -> Optional[List[str]]:
    """The harts that run; None where a hart or the coprocessor is active or
    waits, so that something in the tile has something left to do."""
    nodes = {node.node: node for node in one.state.why().nodes}
    if any(node.state == 'waiting' for node in nodes.values()):
        return None
    # a hart leaves reset a little later than its bit says
    held = one.read32(SOFT_RESET)
    if any(waits_for(nodes[hart], 'reset') and not held & RESET_BITS[hart]
           for hart in HARTS):
        return None
    if any(node.state != 'idle' for name, node in nodes.items()
           if name not in HARTS):
        return None
    return [hart for hart in HARTS if nodes[hart].state == 'running']


def are_at_rest(one: OneTile, harts: List[str]) -> bool:
    """Are these, which run, in jumps to themselves?"""
    pcs = one.hart_pcs() if harts else {}
    return all(hart in pcs and at_rest(one, hart, int(pcs[hart], 16))
               for hart in harts)


def rests(tile: Tile) -> bool:
    """Has nothing in any tile anything left to do?"""
    running = [running_harts(one) for one in tile.tiles]
    if not all(harts is not None and are_at_rest(one, harts)
               for one, harts in zip(tile.tiles, running)):
        return False
    # on its way to its end a hart may have pushed, or released another
    return [running_harts(one) for one in tile.tiles] == running


def paused(tile: Tile) -> Dict[str, str]:
    """{hart: what it waits for} of those that wait for a debugger: after an
    ebreak, for example, which is how tt-llk's assertions end."""
    return {node.node: node.wait.text for one in tile.tiles
            for node in one.state.why().nodes
            if node.wait and waits_for(node, 'pause')}


class Watch:
    """Waits for the end of a Job on a Tile; says on the way how it goes."""

    # pylint: disable=too-many-instance-attributes
    def __init__(self, job: Job, tile: Tile):
        self.job, self.tile = job, tile
        self.shown = 0                # bytes of the output
        self.violations = self.resting = 0
        self.lines: Dict[str, int] = {}   # violations shown, by source line
        self.hidden = 0
        self.hides = False            # is the latest line not shown?
        self.held: List[bytes] = []   # with --check: details, for the end
        self.holds = False            # is the latest line one of them?
        self.unfinished: List[str] = []   # shown already
        self.start = self.look = self.line = time.monotonic()
        self.bar = False              # is there a line to be overwritten?
        self.terminal = sys.stderr.isatty() and not job.options.quiet

    def say(self, text: str) -> None:
        """A line for people, beside the program's own output."""
        self.clear_bar()
        print(f'run: {text}', file=sys.stderr, flush=True)

    def clear_bar(self) -> None:
        """Makes room for something else."""
        if self.bar:
            print(CLEAR_LINE, end='', file=sys.stderr, flush=True)
        self.bar = False

    def show_output(self, last: bool = False) -> None:
        """What firmware and emulator have printed since, but not hundreds of
        violations.  A line that may belong to one waits for its end."""
        data = self.tile.output_bytes(self.shown)
        lines = [part for line in data.splitlines(keepends=True)
                 for part in REPORT_HERE.split(line) if part]
        if lines and not last and not lines[-1].endswith(b'\n') and (
                self.hides or REPORT.startswith(lines[-1][:len(REPORT)])):
            data = data[:-len(lines.pop())]
        self.shown += len(data)
        before = self.hidden
        text = b''.join(line for line in lines if self.is_shown(line))
        if text:
            self.clear_bar()
            sys.stdout.write(text.decode('utf-8', 'replace'))
            sys.stdout.flush()
        if self.hidden and not before:
            self.say('violations come from more sites, and are only counted '
                     'here (--all-violations shows them)')

    def is_one_of_many(self, text: str) -> bool:
        """One of a source line with others, as an unrolled loop has, must not
        keep those of other lines from being shown."""
        if self.job.options.all_violations:
            return False
        found = SOURCE_LINE.match(text)
        place = found[0] if found else text
        number = self.lines.get(place, 0)
        if number < SHOWN_OF_A_LINE and \
                sum(self.lines.values()) < SHOWN_VIOLATIONS:
            self.lines[place] = number + 1
            return False
        self.hidden += 1
        return True

    def is_shown(self, line: bytes) -> bool:
        """Not so if it is of one violation of many, or comes after the
        summary."""
        text = line.decode('utf-8', 'replace')
        left = UNFINISHED.match(text)
        if VIOLATION_LINE.match(text):
            self.violations += 1
            self.hides = self.is_one_of_many(text)
            self.holds = self.job.options.check
        elif left or not line.startswith(DETAILS):
            self.hides = left is not None and left[2] in self.unfinished
            self.holds = left is not None and self.job.options.check
        if self.holds and not self.hides:
            self.held.append(line)
        return not self.hides and not self.holds

    def show_held(self) -> None:
        """What --check found, in full: at the end, after the summary."""
        sys.stdout.write(b''.join(self.held).decode('utf-8', 'replace'))
        sys.stdout.flush()
        self.held.clear()

    def show_unfinished(self) -> None:
        """Before a difference: it may be the cause."""
        self.unfinished = self.tile.unfinished()
        for text in self.unfinished:
            self.say(f'unfinished: {text}')

    def count_violations(self) -> int:
        """Reported so far; each one, if wanted, is in the file of --trace."""
        if not (self.job.options.trace and self.job.options.all_violations):
            return self.violations
        with open(self.job.options.trace, encoding='utf-8',
                  errors='replace') as file:
            return sum(bool(VIOLATION_LINE.match(line)) for line in file)

    def ended(self) -> Optional[int]:
        """Status of the emulator if it is over."""
        return self.tile.process.poll()

    def came_true(self) -> bool:
        """Is the job done?"""
        job, until = self.job, self.job.options.until
        if job.conditions or until:
            if 'exit' in until:
                return False
            return all(c.holds(self.tile) for c in job.conditions) and \
                ('rest' not in until or rests(self.tile))
        if job.launch:
            return firmware.finished(self.tile)
        return bool(job.options.firmware) or rests(self.tile)

    def wanted(self) -> str:
        """For people."""
        job, until = self.job, self.job.options.until
        words = [c.state(self.tile) for c in job.conditions]
        words += [text for text in ('exit', 'rest') if text in until]
        if words:
            return ' and '.join(words)
        return 'the end of the kernel' if job.launch else 'exit or rest'

    def stopped(self) -> Optional[int]:
        """Status if a violation or a deadlock has ended the run."""
        if self.job.options.gdb:
            return None
        state = self.tile.status()        # events come in with the answer
        if any(event['event'] == 'TENSIX_DEADLOCK'
               for event in self.tile.events):
            return None if self.came_true() else DEADLOCK
        if state == 'debug':
            return VIOLATION
        if self.rests_for_good() and not self.came_true():
            self.say(f'the tile is idle for good, and the run waits for '
                     f'{self.wanted()}')
            return DEADLOCK
        return None

    def rests_for_good(self) -> bool:
        """Has the tile been idle in REST_LOOKS consecutive polls?
        Nothing can wake it."""
        self.resting = self.resting + 1 if rests(self.tile) else 0
        return self.resting >= REST_LOOKS

    def progress(self) -> None:
        """A line that changes on a terminal; else one now and then."""
        now = time.monotonic()
        if self.job.options.quiet or \
                now - self.line < (BAR_SECONDS if self.terminal else
                                   LINE_SECONDS):
            return
        self.line = now
        text = f'{now - self.start:.1f} s, waiting for {self.wanted()}'
        if self.terminal:
            print(f'{CLEAR_LINE}run: {text}', end='', file=sys.stderr,
                  flush=True)
            self.bar = True
        else:
            self.say(text)

    def step(self) -> Optional[int]:
        """One poll; a status once it is over."""
        self.show_output()
        if self.came_true():
            return DONE
        now = time.monotonic()
        if now - self.look > LOOK_SECONDS:
            self.look = now
            status = self.stopped()
            if status is not None:
                return status
        if self.job.seconds and now - self.start > self.job.seconds:
            return TIME_OUT
        self.progress()
        return None

    def wait(self) -> int:
        """Status."""
        nap = SHORT_NAP
        while self.ended() is None:
            try:
                status = self.step()
            except TileError:
                # it ends; or it does not answer, which is worse
                self.tile.wait_for_exit(10)
                break
            if status is not None:
                return status
            time.sleep(nap)
            nap = min(nap * LONGER, LONG_NAP)
        return self.status_of_exit(self.tile.wait_for_exit(10))

    def status_of_exit(self, status: int) -> int:
        """The emulator has ended unasked."""
        job = self.job
        self.show_output(last=True)
        for kind, own in (('violation', VIOLATION), ('deadlock', DEADLOCK)):
            if status == own and f'on-{kind}=exit' in job.machine:
                return own
        if status == FINDINGS and self.tile.summary():
            status = DONE             # of the program itself
        if status < 0:
            self.say(f'the emulator was killed by signal {-status}')
            return ENDED
        if status:
            self.say(f'the program ended the machine with status {status}')
            return ENDED
        if job.conditions or job.gets or job.expects:
            self.say('the program ended the machine before all was done that '
                     '--until, --get and --expect ask for')
            return ENDED
        return DONE
