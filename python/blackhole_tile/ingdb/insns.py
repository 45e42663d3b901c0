# SPDX-License-Identifier: GPL-2.0-or-later
"""Tensix instruction words as text, with operands by name.

The table is the machine's own: `info tensix instructions` gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

WORD = 0xFFFFFFFF
OPCODE_LOW = 24
RISCV_32_BITS = 3                    # the low bits of RISC-V's own words

# Kinds of text, each of which gdb shows in its own colour
MNEMONIC, DIRECTIVE = 'mnemonic', 'directive'
TEXT, IMMEDIATE = 'text', 'number'
Parts = List[Tuple[str, str]]        # (kind, text)


def from_ttinsn(word: int) -> Optional[int]:
    """The Tensix instruction in a word of a hart's code; None: the word is
    RISC-V's.  .ttinsn rotates its instruction left by two."""
    if word & RISCV_32_BITS == RISCV_32_BITS:
        return None
    return (word >> 2 | word << 30) & WORD


def bits(text: Any) -> Tuple[int, int]:
    """(low, width) from "13..0" or "13"."""
    high, _, low = str(text).partition('..')
    first = int(low or high)
    return first, int(high) - first + 1


@dataclass(frozen=True)
class Field:
    """An operand."""
    name: str
    low: int
    width: int

    def of(self, word: int) -> int:
        """Its value in an instruction word."""
        return word >> self.low & (1 << self.width) - 1


@dataclass(frozen=True)
class Insn:
    """An instruction; fields from the high bit down."""
    mnemonic: str
    opcode: int
    fields: Tuple[Field, ...]

    def parts(self, word: int) -> Parts:
        """ttmvmul clear_dvalid=0, instr_mod19=0, ...  ThreadOverride is
        shown where it is set: assemblers have no syntax for it."""
        found = [(MNEMONIC, f'tt{self.mnemonic.lower()}')]
        between = ' '
        for field in self.fields:
            if field.of(word) or field.name != 'ThreadOverride':
                found += [(TEXT, f'{between}{field.name}='),
                          (IMMEDIATE, f'{field.of(word)}')]
                between = ', '
        return found


class Table:
    """All instructions, from the tree of `info tensix instructions`."""

    def __init__(self, groups: Mapping[str, Any]):
        self.by_opcode: Dict[int, Insn] = {}
        for mnemonic, group in groups.items():
            if isinstance(group, dict) and 'opcode' in group:
                fields = tuple(Field(name, *bits(text))
                               for name, text in group.items()
                               if name != 'opcode')
                opcode = int(group['opcode'])
                self.by_opcode[opcode] = Insn(mnemonic, opcode, fields)

    def parts(self, word: int) -> Parts:
        """Assembly text of an instruction word; ".word" for an opcode that
        does not exist, as the machine has it."""
        insn = self.by_opcode.get(word >> OPCODE_LOW)
        return insn.parts(word) if insn else [
            (DIRECTIVE, '.word'), (TEXT, ' '), (IMMEDIATE, f'{word:#010x}')]

    def text(self, word: int) -> str:
        """The same in one piece."""
        return ''.join(text for _, text in self.parts(word))
