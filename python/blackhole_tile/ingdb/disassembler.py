# SPDX-License-Identifier: GPL-2.0-or-later
"""x/i and disassemble show .ttinsn words as Tensix instructions."""

from __future__ import annotations

from typing import Any, Optional

import gdb
import gdb.disassembler

from .insns import (DIRECTIVE, IMMEDIATE, MNEMONIC, TEXT, Parts,
                    from_ttinsn)
from .link import LINK

ARCHITECTURE = 'riscv:rv32'
WORD_BYTES = 4


# Constants of gdb.disassembler; gdb before 14 has none, and no parts
STYLES = {MNEMONIC: 'STYLE_MNEMONIC', DIRECTIVE: 'STYLE_ASSEMBLER_DIRECTIVE',
          TEXT: 'STYLE_TEXT', IMMEDIATE: 'STYLE_IMMEDIATE'}


def result_of(info: Any, parts: Parts) -> Any:
    """In the colours of gdb's own disassembly, if gdb takes any."""
    if not hasattr(gdb.disassembler, STYLES[TEXT]):
        return gdb.disassembler.DisassemblerResult(
            WORD_BYTES, ''.join(text for _, text in parts))
    styled = [info.text_part(getattr(gdb.disassembler, STYLES[kind]), text)
              for kind, text in parts]
    return gdb.disassembler.DisassemblerResult(WORD_BYTES, parts=styled)


class TtinsnDisassembler(gdb.disassembler.Disassembler):
    """For words that RISC-V has not; the others are gdb's."""

    def __init__(self) -> None:
        super().__init__('ttinsn')

    def __call__(self, info: Any) -> Optional[Any]:
        try:
            data = info.read_memory(WORD_BYTES, 0)
            word = from_ttinsn(int.from_bytes(bytes(data), 'little'))
            if word is None:
                return None
            parts = LINK.instructions.parts(word)
        except (gdb.error, gdb.GdbError):    # no memory there, no machine
            return None
        return result_of(info, parts)


def register() -> None:
    """For all RISC-V code of 32 bits."""
    gdb.disassembler.register_disassembler(TtinsnDisassembler(), ARCHITECTURE)
