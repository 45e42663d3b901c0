# SPDX-License-Identifier: GPL-2.0-or-later
"""Vectors of sfpi.h: which LReg a variable is in, and its lanes.

To the compiler a vector is a float in fa0 to fa7; runtime/sfpi.awk replaces
such a location by the number of the LReg, which is then the variable's value.
"""

from __future__ import annotations

import contextlib
import re
import struct
from typing import Any, Iterator, List, Optional, Tuple

import gdb

from ..grid import Style, rows_text
from ..memory_map import HARTS
from . import views
from .link import LINK, hart_of

# How a vector of each type is shown, and of those derived from it
FORMATS = {'sfpi::vFloat': 'fp32', 'sfpi::vInt': 's32',
           'sfpi::vSMag': 'int32', 'sfpi::vUInt': 'raw', 'sfpi::vMag': 'raw'}
VECTOR_LREGS, LANES = 8, 32          # LRegs that hold variables
HEADER = 'sfpi::'
WAITING = re.compile(r'^thread (\d) has not executed (\w+)', re.M)
FIRST_TRISC = HARTS.index('trisc0')


def format_of(kind: Any) -> str:
    """How a vector of this type is shown; '' for other types."""
    kind = kind.strip_typedefs().unqualified()
    while kind.code == gdb.TYPE_CODE_STRUCT:
        if kind.name in FORMATS:
            return FORMATS[kind.name]
        bases = [f.type for f in kind.fields() if f.is_base_class]
        if len(bases) != 1:
            break
        kind = bases[0]
    return ''


def lreg_of(value: Any) -> Optional[int]:
    """The LReg that a vector is in now; None if it is in none."""
    if value.is_optimized_out or value.address is not None:
        return None
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        value = value[value.type.strip_typedefs().fields()[0]]
    number, = struct.unpack('<I', struct.pack('<f', float(value)))
    return number if number < VECTOR_LREGS else None


def enabled_lanes() -> int:
    """A bit for each lane that executes, by its flag."""
    flags = LINK.inspect('flags')
    return flags['LaneFlags'] | ~flags['UseLaneFlagsForLaneEnable'] & \
        (1 << LANES) - 1


def ranges(mask: int) -> str:
    """The bits of a mask, as '0 to 7, 12'."""
    bits = [n for n in range(LANES) if mask >> n & 1]
    starts = [n for n in bits if n - 1 not in bits]
    ends = [n for n in bits if n + 1 not in bits]
    return ', '.join(f'{a}' if a == b else f'{a} to {b}'
                     for a, b in zip(starts, ends)) or 'none'


def thread_text() -> str:
    """What the selected hart's thread has yet to execute, if anything."""
    hart = hart_of(gdb.selected_inferior()).rpartition('-')[2]
    number = HARTS.index(hart) - FIRST_TRISC if hart in HARTS else -1
    for thread, instruction in WAITING.findall(LINK.info('unfinished')):
        if int(thread) == number:
            return (f'\nof before {instruction}, which thread {number} has '
                    f'not executed yet')
    return ''


class VectorPrinter:
    """An LReg's 32 lanes."""

    def __init__(self, lreg: int, form: str):
        self.lreg, self.form = lreg, form

    def to_string(self) -> str:
        """Its lanes, and which of them are enabled"""
        mask = enabled_lanes()
        lanes = '' if mask + 1 == 1 << LANES else \
            f', enabled lanes: {ranges(mask)}'
        text = rows_text([views.lreg(self.lreg, self.form)],
                         Style(cells='lanes', prefix='LReg', width=0),
                         self.lreg)
        return f'{self.form}{lanes}{thread_text()}\n{text}'


def printer(value: Any) -> Optional[VectorPrinter]:
    """Of a vector that is in an LReg."""
    form = format_of(value.type)
    lreg = lreg_of(value) if form else None
    return None if lreg is None else VectorPrinter(lreg, form)


# --- names of LRegs ---

def frames_here() -> Iterator[Any]:
    """The selected frame and those that it is inlined into."""
    frame = gdb.selected_frame()
    while frame is not None:
        yield frame
        if frame.type() != gdb.INLINE_FRAME:
            break
        frame = frame.older()


def is_of_header(frame: Any) -> bool:
    """Whether a frame is of one of sfpi.h's own functions."""
    return (frame.name() or '').startswith(HEADER)


def select_kernel(_: Any) -> None:
    """At a stop in a function of sfpi.h's: the kernel's frame, whose line it
    is."""
    with contextlib.suppress(gdb.error):        # a hart that runs has none
        frames = list(frames_here())
        kernel = [frame for frame in frames if not is_of_header(frame)]
        if kernel and kernel[0] != frames[0]:
            kernel[0].select()
            gdb.execute('frame')


def lreg_of_symbol(symbol: Any, frame: Any) -> Optional[int]:
    """The LReg that a variable is in, or the one that a reference means."""
    with contextlib.suppress(gdb.error):    # a reference to nothing known
        value = symbol.value(frame)
        if value.type.code == gdb.TYPE_CODE_REF:
            value = value.referenced_value()
        if format_of(value.type):
            return lreg_of(value)
    return None


def vectors_of(frame: Any) -> Iterator[Tuple[int, str]]:
    """(LReg, name) of each vector that a frame has in one; inner blocks
    first."""
    block = frame.block()
    while block is not None:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                lreg = lreg_of_symbol(symbol, frame)
                if lreg is not None:
                    yield lreg, symbol.name
        if block.function is not None:
            break
        block = block.superblock


def variables() -> List[str]:
    """A line of each function that has vectors in LRegs now."""
    lines = []
    for frame in frames_here():
        found = [f'{name} LReg{lreg}' for lreg, name in vectors_of(frame)]
        if found and not is_of_header(frame):
            lines.append(f'{frame.name()}: {", ".join(found)}')
    return lines


def register() -> None:
    """Stops are in kernels."""
    gdb.events.stop.connect(select_kernel)
