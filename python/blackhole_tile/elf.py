# SPDX-License-Identifier: GPL-2.0-or-later
"""RV32 ELF files: what they load, where they start, their symbols."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Tuple

from . import files

HEADER, PROGRAM, SECTION, SYMBOL = 52, 32, 40, 16
LOAD, SYMBOL_TABLE = 1, 2
RISCV = 243


class ElfError(Exception):
    """A file that is no RV32 ELF."""


@dataclass
class Elf:
    """entry: address; segments: (address, bytes) that are loaded; symbols:
    {name: address}."""
    path: str
    entry: int = 0
    segments: List[Tuple[int, bytes]] = field(default_factory=list)
    symbols: Dict[str, int] = field(default_factory=dict)


def table(data: bytes, at: int, size: int, count: int,
          wanted: int) -> Iterator[int]:
    """Offsets of the entries of a header table."""
    if count and (size < wanted or at + size * count > len(data)):
        raise ElfError('a table of headers is cut')
    return (at + size * n for n in range(count))


def load_segments(data: bytes) -> Iterator[Tuple[int, bytes]]:
    """(address, bytes) of each segment to load that has any."""
    offset, = struct.unpack_from('<I', data, 28)
    size, count = struct.unpack_from('<HH', data, 42)
    for at in table(data, offset, size, count, PROGRAM):
        kind, start, _, address, length = struct.unpack_from('<5I', data, at)
        if kind == LOAD and length:
            if start + length > len(data):
                raise ElfError('a segment is cut')
            yield address, data[start:start + length]


def name_at(data: bytes, at: int) -> str:
    """Zero-terminated text."""
    end = data.find(b'\0', at)
    return data[at:end].decode('utf-8', 'replace') if end > at else ''


def symbols_of(data: bytes) -> Dict[str, int]:
    """{name: value} of the symbol tables."""
    offset, = struct.unpack_from('<I', data, 32)
    size, count = struct.unpack_from('<HH', data, 46)
    sections = [struct.unpack_from('<10I', data, at)
                for at in table(data, offset, size, count, SECTION)]
    found = {}
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind != SYMBOL_TABLE or link >= len(sections):
            continue
        names = sections[link][4]
        for at in range(start, min(start + length, len(data)) - SYMBOL + 1,
                        SYMBOL):
            name, value = struct.unpack_from('<II', data, at)
            found[name_at(data, names + name)] = value
    found.pop('', None)
    return found


def instead(data: bytes) -> str:
    """What a file is that no hart runs, and what to do."""
    if data[:4] != b'\x7fELF' or len(data) < HEADER:
        return ', no ELF at all'
    if struct.unpack_from('<H', data, 18)[0] == RISCV:
        return ', but a 64-bit one (compile with -march=rv32im -mabi=ilp32)'
    return ', but one for another processor (riscv64-unknown-elf-gcc makes ' \
        'those for harts)'


def read_elf(path: str) -> Elf:
    """Raises ElfError, which names the file, or OSError."""
    data = files.read(path)
    if len(data) < HEADER or data[:5] != b'\x7fELF\x01' or \
            struct.unpack_from('<H', data, 18)[0] != RISCV:
        raise ElfError(f'{path}: not a 32-bit RISC-V ELF{instead(data)}')
    entry, = struct.unpack_from('<I', data, 24)
    try:
        return Elf(path, entry, list(load_segments(data)), symbols_of(data))
    except ElfError as error:
        raise ElfError(f'{path}: {error}') from None
