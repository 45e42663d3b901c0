# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page's buttons do to a machine: the rows of ACTIONS.

Each function takes the machine and what the page sent, and returns a line
for people, or ''.  Raises UseError for a wrong request, TileError where the
machine refuses.
"""

from __future__ import annotations

import re
import time
from typing import Any, Callable, Dict

from ..attach import Attached
from ..cli import UseError
from ..errors import TileError
from ..memory_map import HARTS
from .stepping import Stepper

STEP_SECONDS = 1.0                   # for a thread's next instruction
LINE_SECONDS = 2.0                   # for a line of source
NAP = 0.002
THREADS = 3
LONGEST_TEXT = 200                   # of a break or a watch
CAN_STEP = ('running', 'paused', 'prelaunch', 'debug', 'postmigrate')
CANNOT_RUN = ('reset', 'waiting')    # states of a hart

Request = Dict[str, Any]


def choice(request: Request, name: str, choices: Any) -> Any:
    """A member that is one of `choices`."""
    value, known = request.get(name), list(choices)
    if not isinstance(value, type(known[0])) or isinstance(value, bool) or \
            value not in known:
        raise UseError(f'{name} is not one of {", ".join(map(str, known))}')
    return value


def text(request: Request, name: str) -> str:
    """A member that is a line."""
    value = request.get(name)
    if not isinstance(value, str) or not value.strip() or \
            len(value) > LONGEST_TEXT or not value.isprintable():
        raise UseError(f'{name} is no line of 1 to {LONGEST_TEXT} characters')
    return value.strip()


def stop(tile: Attached, _: Request) -> str:
    """All harts and the coprocessor are stopped."""
    tile.stop()
    return ''


def cont(tile: Attached, _: Request) -> str:
    """All continue."""
    tile.cont()
    return ''


def prepare_step(tile: Attached) -> None:
    """Stops a machine that is to step."""
    status = tile.status()
    if status not in CAN_STEP:
        raise TileError(f'a machine in the state {status} takes no step')
    tile.stop()


# --- one thread of the coprocessor ---

def stops(tile: Attached, seconds: float) -> bool:
    """Does the machine stop within that time?"""
    end = time.monotonic() + seconds
    while tile.qmp('query-status')['running']:
        if time.monotonic() > end:
            return False
        time.sleep(NAP)
    return True


def step_thread(tile: Attached, request: Request) -> str:
    """The machine runs until the thread's next instruction is about to be
    executed."""
    thread = choice(request, 'thread', range(THREADS))
    prepare_step(tile)
    number = tile.qmp('tensix-break', thread=thread)['id']
    try:
        tile.cont()
        arrived = stops(tile, STEP_SECONDS)
    finally:
        tile.stop()
        tile.qmp('tensix-delete', id=number)
    return '' if arrived else nothing_came(tile, thread)


def nothing_came(tile: Attached, thread: int) -> str:
    """Why a thread did not step."""
    wait = tile.state.threads()[thread].gate.wait
    return (f'thread {thread} has executed nothing within {STEP_SECONDS:g} s' +
            (f': it waits for {wait.text}' if wait else ''))


# --- one hart ---

def source_line(tile: Attached, hart: str) -> Any:
    """Something that differs between two lines of source; None where nothing
    is known."""
    pc = tile.state.harts()[hart].pc
    frames = tile.state.ask('source', hart=hart, pc=pc)
    return [(frame.get('function', '').partition('+')[0], frame.get('line'))
            for frame in frames] or None


def step_hart(tile: Attached, request: Request) -> str:
    """One instruction or one line of a hart, while all others are stopped."""
    hart = choice(request, 'hart', HARTS)
    unit = choice(request, 'unit', ('instruction', 'line'))
    prepare_step(tile)
    found = tile.state.harts()[hart]
    if found.state in CANNOT_RUN:
        return reason_for_no_step(tile, hart)
    end = time.monotonic() + LINE_SECONDS
    before = source_line(tile, hart) if unit == 'line' else None
    with Stepper(tile, hart) as stepper:
        while stepper.step():
            if before is None or source_line(tile, hart) != before:
                return ''
            if time.monotonic() > end:
                return f'{hart} is still in that line after {LINE_SECONDS:g} s'
    return reason_for_no_step(tile, hart)


def reason_for_no_step(tile: Attached, hart: str) -> str:
    """Why a hart did not step."""
    wait = tile.state.harts()[hart].wait
    return (f'{hart} waits for {wait.text if wait else "another agent"}, and '
            f'all others are stopped while one hart steps')


# --- breaks and watches ---

def insert(kind: str) -> Callable[[Attached, Request], str]:
    """The action of tensix_break or tensix_watch, with the monitor's words."""
    def action(tile: Attached, request: Request) -> str:
        answer = tile.hmp(f'tensix_{kind} {text(request, "what")}')
        match = re.fullmatch(rf'{kind} (\d+)', answer.strip())
        if not match:
            raise UseError(answer.strip())
        return next(f'{found["id"]}: {found["what"]}'
                    for found in tile.state.ask('stops')
                    if found['id'] == int(match[1]))
    return action


def delete(tile: Attached, request: Request) -> str:
    """Takes a break or a watch away."""
    number = request.get('id')
    if not isinstance(number, int) or not 0 < number < 1 << 32:
        raise UseError('id is no number of a break or a watch')
    tile.qmp('tensix-delete', id=number)
    return ''


ACTIONS: Dict[str, Callable[[Attached, Request], str]] = {
    'stop': stop,
    'cont': cont,
    'step-thread': step_thread,
    'step-hart': step_hart,
    'break': insert('break'),
    'watch': insert('watch'),
    'delete': delete,
}


def act(tile: Attached, request: Request) -> str:
    """Does what the page sent."""
    return ACTIONS[choice(request, 'action', ACTIONS)](tile, request)
