# SPDX-License-Identifier: GPL-2.0-or-later
"""Instruction words of the coprocessor from their operands by name.

    tile.push(0, tt('SEMINIT', max_value=5, sem_sel=4))

instructions.txt has the machine's own table (`info tensix instructions`);
scripts/instruction-list writes it.
"""

from __future__ import annotations

import difflib
import functools
import operator
import os
from typing import Dict, Iterable, SupportsIndex

from .ingdb.insns import OPCODE_LOW, Field, Insn

FILE = os.path.join(os.path.dirname(__file__), 'instructions.txt')


class InstructionError(ValueError):
    """No such instruction or operand, or a value that does not fit."""


def parse_field(text: str) -> Field:
    """NAME:LOW:WIDTH"""
    name, low, width = text.split(':')
    return Field(name, int(low), int(width))


@functools.lru_cache(maxsize=None)
def instructions() -> Dict[str, Insn]:
    """{mnemonic: instruction} of all that exist."""
    found = {}
    with open(FILE, encoding='ascii') as file:
        for line in file:
            mnemonic, opcode, *fields = line.split()
            found[mnemonic] = Insn(mnemonic, int(opcode, 16),
                                   tuple(map(parse_field, fields)))
    return found


def similar(name: str, names: Iterable[str]) -> str:
    """' (did you mean A, B?)', or nothing."""
    found = difflib.get_close_matches(name, list(names))
    return f' (did you mean {", ".join(found)}?)' if found else ''


def tt(mnemonic: str, /, **operands: SupportsIndex) -> int:
    """The word of an instruction: tt('SEMINIT', max_value=5, sem_sel=4).
    Operands that are not given are 0.  Raises InstructionError."""
    table = instructions()
    if mnemonic not in table:
        raise InstructionError(f'no instruction {mnemonic!r}'
                               f'{similar(mnemonic.upper(), table)}')
    insn = table[mnemonic]
    fields = {field.name: field for field in insn.fields}
    word = insn.opcode << OPCODE_LOW
    for name, given in operands.items():
        if name not in fields:
            raise InstructionError(
                f'{mnemonic} has no operand {name!r}'
                f'{similar(name, fields)}; it has '
                f'{", ".join(fields) or "none"}')
        field, value = fields[name], operator.index(given)
        if not 0 <= value < 1 << field.width:
            raise InstructionError(
                f'{mnemonic}: {name}={value} does not fit: the field has '
                f'{field.width} bit{"s" if field.width > 1 else ""}, 0 to '
                f'{(1 << field.width) - 1}')
        word |= value << field.low
    return word
