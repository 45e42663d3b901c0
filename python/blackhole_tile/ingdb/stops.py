# SPDX-License-Identifier: GPL-2.0-or-later
"""Stops at the coprocessor: tensix step, break, watch, delete."""

from __future__ import annotations

import contextlib
import re
from typing import List, Tuple

import gdb

from .commands import at_most, documented
from .link import LINK, arguments, hart_of, integer

NUMBER = re.compile(r'\b(?:break|watch) (\d+)')
THREADS = {'trisc0': 0, 'trisc1': 1, 'trisc2': 2}
USAGE = 'tensix step [COUNT] [thread N]'


class Ask(gdb.Command):
    """A command of the machine's monitor, tensix_break for example."""

    def __init__(self, name: str):
        self.name = name
        super().__init__('tensix ' + name, gdb.COMMAND_BREAKPOINTS,
                         gdb.COMPLETE_NONE)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Passes the words on."""
        print(LINK.hmp(f'tensix_{self.name} {line}'.rstrip()), end='')


def new_break(words: str) -> int:
    """Number of a new break of the machine.  Raises gdb.GdbError."""
    text = LINK.hmp('tensix_break ' + words)
    found = NUMBER.search(text)
    if not found:
        raise gdb.GdbError(text.strip() or 'the machine knows no breaks')
    return int(found[1])


def resume() -> Tuple[str, bool]:
    """Runs the harts until gdb stops. Returns gdb's output, which is also
    printed, and whether gdb has reached a breakpoint or watchpoint."""
    stops: List[gdb.Event] = []
    note = stops.append
    gdb.events.stop.connect(note)
    try:
        text = gdb.execute('continue', to_string=True)
    finally:
        gdb.events.stop.disconnect(note)
    print(text, end='')
    return text, any(isinstance(stop, gdb.BreakpointEvent) for stop in stops)


def count_and_thread(words: List[str]) -> Tuple[int, int]:
    """(COUNT, N) of the words of `tensix step`; without `thread`: that of the
    selected hart."""
    thread = THREADS.get(hart_of(gdb.selected_inferior()))
    if 'thread' in words[:-1]:
        at = words.index('thread')
        thread = integer(words[at + 1])
        words = words[:at] + words[at + 2:]
    at_most(words, 0, 1, USAGE)
    if thread is None or thread not in THREADS.values():
        raise gdb.GdbError('whose instruction? Select a TRISC, or say '
                           '"thread 0", 1 or 2')
    return integer((words or ['1'])[0]), thread


class Step(gdb.Command):
    """Runs all harts until the coprocessor is about to execute the next
instruction of a thread: each word of a MOP's or REPLAY's expansion, too.

tensix step [COUNT] [thread N]

The thread is that of the selected hart, if it is a TRISC.  gdb stops in front
of the instruction; the machine reports it, its pusher, and where in an
expansion it is.  Whatever else stops gdb ends it earlier."""

    def __init__(self) -> None:
        super().__init__('tensix step', gdb.COMMAND_RUNNING,
                         gdb.COMPLETE_NONE)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Continues COUNT times."""
        count, thread = count_and_thread(arguments(line))
        number = new_break(f'any thread {thread}')
        ours = f'tensix: break {number}:'
        try:
            for _ in range(count):
                text, is_gdbs = resume()
                if ours not in text or is_gdbs:
                    break              # gdb stopped for something else
        finally:
            with contextlib.suppress(gdb.GdbError):    # the machine ended
                LINK.hmp(f'tensix_delete {number}')


def register() -> None:
    """All of them."""
    Step()
    for name, text in (
            ('break', 'Stop before instructions of the coprocessor, or '
             'at violations.\n\ntensix break PACR thread 2\n'
             'tensix break MVMUL if instr_mod19=1\n'
             'tensix break violation\n\nThe manual lists the forms; gdb stops '
             'at the hart that pushed it.'),
            ('watch', 'Stop after whatever writes a place of the tile: '
             'coprocessor, NoC, host or hart.\n\ntensix watch dest 4\n'
             'tensix watch l1 0x40000 64'),
            ('delete', 'Delete a break or a watch of the machine: a number, '
             'or all.')):
        documented(Ask, text, name)
