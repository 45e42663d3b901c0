# SPDX-License-Identifier: GPL-2.0-or-later
"""What else is known when a result differs from what --expect names: at most
three lines, each of which may name the cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Tuple

import numpy

from .comparison import Tolerance, wrong_numbers
from .formats import FORMATS, FP32, TF32, format_named
from .memory_map import L1_SIZE

if TYPE_CHECKING:
    from .machine import Tile
    from .places import Expect, Place, Put

MOST_LINES = 3
L1_UNIT = 16                         # bytes of one unit of an L1 address
CONFIG_BANK = 'CFG_STATE_ID_StateID'
FORMAT_MASK = 0xF                    # of a word that begins with a format
FORMAT_NAMES = {row.code: row.name.upper() for row in
                reversed(list(FORMATS.values())) if row.code is not None}
# checks that are off by default: property, what it finds
CHECKS = (('unwritten', 'uninitialised reads'), ('hazards', 'hazards'),
          ('races', 'races'), ('bounds', 'bounds'))


# --- formats of data in L1 ---

@dataclass(frozen=True)
class User:
    """A unit that reads or writes tiles in L1: the thread whose bank of the
    configuration it uses, and the fields with its address and its format."""
    text: str
    thread: int
    base: str
    form: str

    def last_use(self, tile: 'Tile') -> Tuple[int, int]:
        """(address of its latest tile in L1, code of the format); the address
        is -1 if none is configured."""
        bank = tile.state.thread_config([CONFIG_BANK])[self.thread]
        values = tile.state.config([self.base, self.form])[bank[CONFIG_BANK]]
        base = values[self.base]
        # units skip a header of 16 bytes
        return ((base + 1) * L1_UNIT if base else -1,
                values[self.form] & FORMAT_MASK)


UNPACKERS = [User(f'unpacker {n} reads', 0, f'THCON_SEC{n}_REG3_Base_address',
                  f'THCON_SEC{n}_REG0_TileDescriptor') for n in range(2)]
PACKER = User('the packer writes', 2, 'THCON_SEC0_REG1_L1_Dest_addr',
              'THCON_SEC0_REG1_Out_data_format')


def same_bytes(one: Optional[int], other: int) -> bool:
    """Do two format codes mean the same in L1?  Integers of the harts (u32,
    s8) have no code: they may be the bits of anything."""
    return one is None or one == other or {one, other} == {FP32, TF32}


def clash(tile: 'Tile', user: User, where: 'Place', size: int,
          form: str) -> Optional[str]:
    """What to say if these bytes have another format for the option that
    names them than for their user."""
    if where.pages or where.address >= L1_SIZE:
        return None
    address, used = user.last_use(tile)
    if not where.address <= address < where.address + size or \
            same_bytes(format_named(form).code, used):
        return None
    return (f'is {form.upper()}, but {user.text} '
            f'{FORMAT_NAMES.get(used, f"format {used}")} there ({user.form})')


def clashes(tile: 'Tile', puts: List['Put'], expects: List['Expect']
            ) -> Iterator[str]:
    """Data in L1 whose format in --put or --expect is not the one that the
    latest unpacker or packer there has been configured for."""
    for put in puts:
        for user in UNPACKERS:
            text = put.form and clash(tile, user, put.where, len(put.data),
                                      put.form)
            if text:
                yield f'--put={put.where.text}={put.name} {text}'
    for expect in expects:
        where, data = expect.source.where, expect.source.data
        text = where and data and clash(tile, PACKER, where, data.size(),
                                        data.form)
        if text:
            yield f'--expect={expect.source.text} {text}'


# --- the wrong numbers themselves ---

def zeroes(expect: 'Expect', values: Any, wrong: Any) -> Iterator[str]:
    """Results that nothing may have been written to."""
    count = int(wrong.sum())
    if count > 1 and not values[wrong].any():
        yield (f'{expect.source.text}: all {count} wrong numbers are 0: '
               f'perhaps the result was never written there')


def cleared_rows(tile: 'Tile', expect: 'Expect', wrong: Any
                 ) -> Iterator[str]:
    """Rows of Dest with wrong numbers that are not valid."""
    view = expect.source.view.get('view', 'raw')
    valid = tile.registers.dest_rows_valid(view)
    differ = wrong.any(axis=1)
    rows = numpy.flatnonzero(differ & ~valid).tolist()
    if rows:
        yield (f'{expect.source.text}: {len(rows)} of the {differ.sum()} rows '
               f'that differ are not valid (ZEROACC cleared them): '
               f'{ranges(rows)}')


def ranges(numbers: List[int]) -> str:
    """'0 to 3, 8', at most four of them."""
    found: List[List[int]] = []
    for n in numbers:
        if found and n == found[-1][1] + 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    texts = [str(a) if a == b else f'{a} to {b}' for a, b in found]
    return ', '.join(texts[:4] + ['...'] * (len(texts) > 4))


def about_numbers(tile: 'Tile', expect: 'Expect', tolerance: Tolerance
                  ) -> Iterator[str]:
    """What the wrong numbers have in common."""
    values = expect.source.read(tile)
    if values.size != expect.wanted.size:
        return
    wrong = wrong_numbers(values, expect.wanted, tolerance)
    if expect.source.register == 'dest':
        yield from cleared_rows(tile, expect, wrong)
    yield from zeroes(expect, values, wrong)


# --- all of it ---

def not_checked(tile: 'Tile') -> Iterator[str]:
    """Checks that are off, and the option that switches them on."""
    texts = []
    for name, what in CHECKS:
        now = tile.qmp('qom-get', path='/machine', property=name)
        if now in (False, 'off'):
            texts.append(what)
    if texts:
        yield f'not checked: {", ".join(texts)} (--check)'


def findings(tile: 'Tile', puts: List['Put'], differing: List['Expect'],
             tolerance: Tolerance) -> List[str]:
    """The lines, of a stopped machine."""
    lines = list(clashes(tile, puts, differing))
    for expect in differing:
        lines += about_numbers(tile, expect, tolerance)
    return lines[:MOST_LINES - 1] + list(not_checked(tile))
