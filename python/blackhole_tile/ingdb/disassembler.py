# SPDX-License-Identifier: GPL-2.0-or-later
"""x/i and disassemble show .ttinsn words as Tensix instructions."""

from __future__ import annotations

from typing import Any, Optional

import gdb
import gdb.disassembler

from .insns import from_ttinsn
from .link import LINK

ARCHITECTURE = 'riscv:rv32'
WORD_BYTES = 4


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
            text = LINK.instructions.text(word)
        except (gdb.error, gdb.GdbError):    # no memory there, no machine
            return None
        return gdb.disassembler.DisassemblerResult(WORD_BYTES, text)


def register() -> None:
    """For all RISC-V code of 32 bits."""
    gdb.disassembler.register_disassembler(TtinsnDisassembler(), ARCHITECTURE)
