# SPDX-License-Identifier: GPL-2.0-or-later
"""Tensix instruction words as text, with operands by name.

The table is the machine's own: `info tensix instructions` gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple

WORD = 0xFFFFFFFF
OPCODE_LOW = 24
RISCV_32_BITS = 3                    # the low bits of RISC-V's own words


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

    def text(self, word: int) -> str:
        """ttmvmul clear_dvalid=0, instr_mod19=0, ...  ThreadOverride is
        shown where it is set: assemblers have no syntax for it."""
        shown = [f'{field.name}={field.of(word)}' for field in self.fields
                 if field.of(word) or field.name != 'ThreadOverride']
        return f'tt{self.mnemonic.lower()} {", ".join(shown)}'.rstrip()


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

    def text(self, word: int) -> str:
        """Assembly text of an instruction word; ".word" for an opcode that
        does not exist, as the machine has it."""
        insn = self.by_opcode.get(word >> OPCODE_LOW)
        return insn.text(word) if insn else f'.word {word:#010x}'
