# SPDX-License-Identifier: GPL-2.0-or-later
"""Places and values as the command line of scripts/run names them.

    PLACE    l1:ADDRESS             L1
             dram:BANK:OFFSET       a DRAM bank, 0 to 7
             pages:OFFSET           an interleaved buffer: pages of 2048 bytes,
                                    page n in bank n % 7 (tt-metal, p100a)
             noc:X:Y:ADDRESS        memory of another tile
             HART:ADDRESS           as that hart sees it
             ADDRESS                as BRISC sees it, simulator's windows too
    ADDRESS  a number, or a symbol of the hart's ELF (BRISC's without HART)
    DATA     SHAPE:FORMAT[:tiles|:columns]   32x32:bf16:tiles, 1024:u32
    VALUE    a number: 12, 0x0c, -1; 1.5 or -2e3 is stored as fp32
"""

from __future__ import annotations

import math
import os
import re
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Tuple

from . import files, firmware, npy, tiles
from .cli import UseError, by_hart, did_you_mean, halves
from .comparison import Tolerance, compare
from .elf import read_elf
from .formats import FORMATS, format_named
from .grid import Style, array_text, screen_width
from .memory_map import (HARTS, L1_SIZE, check_access, dram_address,
                         hart_view, noc_address)
from .registers import DEST_VIEWS, LREG_VIEWS, SRC_VIEWS, View

if TYPE_CHECKING:
    from .machine import Tile

HART_SIZE = 1 << 32                  # of a hart's address space
LAYOUTS = ('tiles', 'columns')       # tiles by rows, by columns of tiles
REGISTERS: Dict[str, Dict[str, View]] = {
    'dest': DEST_VIEWS, 'srca': SRC_VIEWS, 'srcb': SRC_VIEWS,
    'lregs': LREG_VIEWS, 'semaphores': {}, 'gprs': {}}
REGISTER_STYLES: Dict[str, Dict[str, Any]] = {
    'lregs': {'cells': 'lanes', 'prefix': 'LReg'},
    'gprs': {'cells': 'registers', 'prefix': 'thread '}}
HEX_DIGITS = {'srca': 5, 'srcb': 5, 'lregs': 8}    # of raw cells
MOST_LINES, SHOWN_DIGITS = 64, 6     # of an array that --get shows
SHORT_NAMES = 0.5                    # how much alike: l1, l2
PREFIXES = {'l1': 1, 'dram': 2, 'pages': 1, 'noc': 3,
            **{hart: 1 for hart in HARTS}}
CONDITION = re.compile(r'(.+?)(!=|>=|=)([^=]+)')
COMPARE = {'=': lambda a, b: a == b, '!=': lambda a, b: a != b,
           '>=': lambda a, b: a >= b}
NUMPY_KINDS = {'f4': 'fp32', 'f2': 'fp16', 'i4': 's32', 'u4': 'u32',
               'i2': 's16', 'u2': 'u16', 'i1': 's8', 'u1': 'u8'}


def number(text: str, what: str = 'number') -> int:
    """An integer, as Python and C write it."""
    try:
        return int(text, 0)
    except ValueError:
        raise UseError(f'{text!r} is no {what}') from None


def address_of(text: str) -> int:
    """An address, of 64 bits at most."""
    value = number(text, 'address')
    if not 0 <= value < 1 << 64:
        raise UseError(f'{text} is no address')
    return value


def word(text: str) -> int:
    """The 32 bits of a VALUE."""
    try:
        value = int(text, 0)
    except ValueError:
        try:
            return struct.unpack('<I', struct.pack('<f', float(text)))[0]
        except (ValueError, OverflowError):
            raise UseError(f'{text!r} is no value of 32 bits') from None
    if not -1 << 31 <= value < 1 << 32:
        raise UseError(f'{text} does not fit in 32 bits')
    return value & 0xFFFFFFFF


class Symbols:
    """Addresses by name in the images of harts, read when first asked."""

    def __init__(self, images: Dict[str, str]):
        self.images = images
        self.tables: Dict[str, Dict[str, int]] = {}

    def find(self, hart: str, text: str) -> int:
        """A number, or the address of a symbol of that hart's ELF."""
        if re.match(r'[0-9]', text):
            return address_of(text)
        if hart not in self.images:
            raise UseError(f'{text!r} is no address, and {hart} has no ELF '
                           f'with symbols')
        if hart not in self.tables:
            self.tables[hart] = read_elf(self.images[hart]).symbols
        if text not in self.tables[hart]:
            raise UseError(f'{self.images[hart]} has no symbol {text!r}')
        return self.tables[hart][text]


@dataclass(frozen=True)
class Place:
    """text: as it was given; address: in BRISC's space; pages: of an
    interleaved buffer, address being its offset in each bank; limit: bytes
    from there on, if that is known."""
    text: str
    address: int
    pages: bool = False
    limit: Optional[int] = None

    def check(self, size: int) -> None:
        """Raises UseError or AddressError if so many bytes do not fit."""
        if self.limit is not None and size > self.limit:
            raise UseError(f'{self.text}: {size} bytes do not fit into L1 '
                           f'there; there are {max(self.limit, 0)}')
        if not self.pages:
            check_access(self.address, size)

    def read(self, tile: 'Tile', size: int) -> bytes:
        """Bytes from there on."""
        if self.pages:
            return tile.read_pages(self.address, size)
        return tile.read(self.address, size)

    def write(self, tile: 'Tile', data: bytes) -> None:
        """Writes bytes there."""
        if self.pages:
            tile.write_pages(self.address, data)
        else:
            tile.write(self.address, data)

    def read32(self, tile: 'Tile') -> int:
        """The word there."""
        if self.pages:
            return int.from_bytes(self.read(tile, 4), 'little')
        return tile.read32(self.address)


def _place(kind: str, fields: List[str], text: str,
           symbols: Symbols) -> Place:
    if kind in HARTS:
        address = symbols.find(kind, fields[0])
        if address >= HART_SIZE:
            raise UseError(f'{text}: {kind} has addresses of 32 bits')
        return Place(text, hart_view(kind, address))
    values = list(map(address_of, fields))
    if kind == 'l1':
        return Place(text, values[0], limit=L1_SIZE - values[0])
    if kind == 'pages':
        return Place(text, values[0], pages=True)
    try:
        return Place(text, dram_address(*values) if kind == 'dram' else
                     noc_address(*values))
    except ValueError as error:
        raise UseError(f'{text}: {error}') from None


def split_place(text: str, symbols: Symbols) -> Tuple[Place, List[str]]:
    """(Place at the beginning of a text, the fields after it)."""
    fields = text.split(':')
    kind = fields[0]
    if kind in PREFIXES:
        count = PREFIXES[kind]
        if len(fields) <= count or not all(fields[1:count + 1]):
            raise UseError(f'{text}: {kind} needs {count} '
                           f'number{"s" if count > 1 else ""} after it')
        name = ':'.join(fields[:count + 1])
        return (_place(kind, fields[1:count + 1], name, symbols),
                fields[count + 1:])
    try:
        return Place(kind, symbols.find('brisc', kind)), fields[1:]
    except UseError as error:
        hint = did_you_mean(kind, [*PREFIXES, *REGISTERS], SHORT_NAMES)
        raise UseError(f'no place {kind}: {error}{hint}') from None


def place(text: str, symbols: Symbols) -> Place:
    """A PLACE and nothing else."""
    found, rest = split_place(text, symbols)
    if rest:
        raise UseError(f'{text}: nothing may follow {found.text}')
    return found


# --- --word, --until ---

@dataclass(frozen=True)
class Words:
    """--word PLACE=VALUE[,VALUE...]"""
    where: Place
    values: List[int]

    @staticmethod
    def parse(text: str, symbols: Symbols) -> 'Words':
        """Raises UseError."""
        left, right = halves(text, 'PLACE=VALUE[,VALUE...]')
        found = Words(place(left, symbols),
                      [word(value) for value in right.split(',')])
        found.where.check(4 * len(found.values))
        return found

    def write(self, tile: 'Tile') -> None:
        """Stores the words.  Not in bulk: a register may be meant."""
        for n, value in enumerate(self.values):
            if self.where.pages:
                self.where.write(tile, struct.pack('<I', value))
            else:
                tile.write32(self.where.address + 4 * n, value)


@dataclass(frozen=True)
class Condition:
    """--until PLACE=VALUE, PLACE!=VALUE, PLACE>=VALUE"""
    where: Place
    operator: str
    value: int

    @staticmethod
    def parse(text: str, symbols: Symbols) -> 'Condition':
        """Raises UseError."""
        match = CONDITION.fullmatch(text)
        if not match:
            raise UseError(f'{text}: neither exit nor rest nor PLACE=VALUE '
                           f'(or !=, >=)')
        found = Condition(place(match[1], symbols), match[2], word(match[3]))
        found.where.check(4)
        return found

    def holds(self, tile: 'Tile') -> bool:
        """Now?"""
        return COMPARE[self.operator](self.where.read32(tile), self.value)

    def state(self, tile: 'Tile') -> str:
        """For people: what is wanted and what there is."""
        return f'{self} (now {self.where.read32(tile):#x})'

    def __str__(self) -> str:
        return f'{self.where.text}{self.operator}{self.value:#x}'


# --- --put, --get, --expect ---

@dataclass(frozen=True)
class Data:
    """SHAPE:FORMAT[:LAYOUT]"""
    shape: Tuple[int, ...]
    form: str
    layout: str = ''

    def check(self) -> None:
        """Raises UseError if there is no such data."""
        if self.layout:
            tiles.check_shape(self.shape)

    def size(self) -> int:
        """Bytes in memory."""
        return format_named(self.form).size(math.prod(self.shape))

    def encode(self, values: Any) -> bytes:
        """Bytes of an array."""
        if self.layout:
            return tiles.tilize(values, self.form, self.layout == 'columns')
        return tiles.encode(values, self.form)

    def decode(self, data: bytes) -> Any:
        """Array from bytes."""
        if self.layout:
            return tiles.untilize(data, self.shape, self.form,
                                  self.layout == 'columns')
        return tiles.decode(data, self.shape, self.form)


def parse_shape(text: str) -> Tuple[int, ...]:
    """32x32, 1024"""
    if not re.fullmatch(r'[1-9][0-9]*(x[1-9][0-9]*)*', text):
        raise UseError(f'{text!r} is no shape like 1024 or 32x32')
    return tuple(map(int, text.split('x')))


def check_name(name: str, names: Iterable[str], what: str, text: str) -> None:
    """Raises UseError if there is none of that name."""
    if name not in names:
        raise UseError(f'{text}: no {what} {name}'
                       f'{did_you_mean(name, names)} ({what}s: '
                       f'{" ".join(names)})')


def parse_data(fields: List[str], text: str) -> Data:
    """From the fields after a PLACE."""
    if len(fields) not in (2, 3):
        raise UseError(f'{text}: SHAPE:FORMAT or SHAPE:FORMAT:layout is '
                       f'missing after the place (as in l1:0x20000:8:u32)')
    check_name(fields[1], FORMATS, 'format', text)
    for name in fields[2:]:
        check_name(name, LAYOUTS, 'layout', text)
    data = Data(parse_shape(fields[0]), *fields[1:])
    data.check()
    return data


def split_file(text: str) -> Tuple[str, Optional[str], str]:
    """(file, format, layout) of FILE[:FORMAT[:LAYOUT]]."""
    fields, layout, form = text.split(':'), '', None
    if len(fields) > 1 and fields[-1] in LAYOUTS:
        layout = fields.pop()
    if len(fields) > 1 and fields[-1] in FORMATS:
        form = fields.pop()
    elif layout:
        raise UseError(f'{text}: FORMAT is missing before {layout} (formats: '
                       f'{" ".join(FORMATS)})')
    elif len(fields) > 1 and re.fullmatch(r'\w*[a-z]\w*', fields[-1]):
        check_name(fields[-1], FORMATS, 'format', text)
    return ':'.join(fields), form, layout


@dataclass(frozen=True)
class Put:
    """--put PLACE=FILE[:FORMAT[:LAYOUT]]; name: what is after =, without
    folders; form: of the numbers, if any"""
    name: str
    where: Place
    data: bytes
    form: Optional[str] = None

    @staticmethod
    def parse(text: str, symbols: Symbols) -> 'Put':
        """Reads and encodes the file.  Raises UseError and what reading
        raises."""
        left, right = halves(text, 'PLACE=FILE[:FORMAT[:tiles|:columns]]')
        path, form, layout = split_file(right)
        if path.endswith('.npy'):
            form, data = Put.encode(path, form, layout)
        elif form:
            raise UseError(f'{path}: only .npy files have numbers to convert; '
                           f'others go into memory as they are')
        else:
            data = files.read(path)
        found = Put(os.path.basename(right), place(left, symbols), data, form)
        found.where.check(len(data))
        return found

    @staticmethod
    def encode(path: str, form: Optional[str], layout: str
               ) -> Tuple[str, bytes]:
        """(format, bytes).  Without a format, numbers stay as the file has
        them."""
        values = npy.read(path)
        if form is None:
            kind = values.dtype.str[1:]
            if kind not in NUMPY_KINDS:
                raise UseError(f'{path} holds {values.dtype}: say in which '
                               f'format to store it, {path}:FORMAT')
            form = NUMPY_KINDS[kind]
        return form, Data(values.shape, form, layout).encode(values)

    def write(self, tile: 'Tile') -> None:
        """Puts it into memory."""
        self.where.write(tile, self.data)


@dataclass(frozen=True)
class Source:
    """What --get and --expect read: memory, or a register file."""
    text: str
    where: Optional[Place] = None
    data: Optional[Data] = None
    register: str = ''
    view: Dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str, symbols: Symbols) -> 'Source':
        """PLACE:DATA, or a register file with a view.  Raises UseError."""
        name, _, view = text.partition(':')
        if name in REGISTERS:
            if view and view not in REGISTERS[name]:
                raise UseError(f'{text}: {name} cannot be seen as {view}' + (
                    f', but as {" ".join(REGISTERS[name])}'
                    if REGISTERS[name] else ''))
            return Source(text, register=name,
                          view={'view': view} if view else {})
        where, rest = split_place(text, symbols)
        data = parse_data(rest, text)
        where.check(data.size())
        return Source(text, where, data)

    def read(self, tile: 'Tile') -> Any:
        """Array."""
        if self.where is None or self.data is None:
            return getattr(tile.registers, self.register)(**self.view)
        return self.data.decode(self.where.read(tile, self.data.size()))

    def style(self, values: Any) -> Style:
        """How a terminal shows the array: raw cells in hexadecimal."""
        raw = bool(REGISTERS.get(self.register)) and \
            self.view.get('view', 'raw').startswith('raw')
        digits = HEX_DIGITS.get(self.register, 2 * values.itemsize)
        return Style(hex_digits=digits if raw else 0, digits=SHOWN_DIGITS,
                     width=screen_width(),
                     **REGISTER_STYLES.get(self.register, {}))


@dataclass(frozen=True)
class Get:
    """--get SOURCE[:all][=FILE]"""
    source: Source
    path: str
    whole: bool = False

    @staticmethod
    def parse(text: str, symbols: Symbols) -> 'Get':
        """Raises UseError."""
        left, equals, right = text.partition('=')
        if equals and not right:
            raise UseError(f'{text}: no file after =')
        folder = os.path.dirname(right)
        if folder and not os.path.isdir(folder):
            raise UseError(f'{right}: cannot be written: no folder {folder}')
        name, colon, last = left.rpartition(':')
        whole = bool(colon) and last == 'all'
        return Get(Source.parse(name if whole else left, symbols), right,
                   whole)

    def take(self, tile: 'Tile') -> str:
        """Reads it and writes the file; text for people if there is none."""
        values = self.source.read(tile)
        if not self.path:
            return self.table(values)
        npy.write(self.path, values)
        return ''

    def table(self, values: Any) -> str:
        """An array as text, folded, and not all of a long one."""
        name = self.source.text
        text, left_out = array_text(values, self.source.style(values),
                                    None if self.whole else MOST_LINES)
        lines = [heading(name, values), text]
        if left_out:
            kind = 'rows' if values.ndim > 1 else 'numbers'
            lines.append(f'{left_out} more {kind} (--get={name}:all shows '
                         f'them, --get={name}=FILE.npy writes a file)')
        return '\n'.join(lines)


def heading(name: str, values: Any) -> str:
    """Line before an array."""
    return f'{name} ({"x".join(map(str, values.shape))}):'


def table(name: str, values: Any) -> str:
    """An array as text, folded."""
    return f'{heading(name, values)}\n{array_text(values)[0]}'


@dataclass(frozen=True)
class Expect:
    """--expect SOURCE=FILE.npy"""
    source: Source
    path: str
    wanted: Any

    @staticmethod
    def parse(text: str, symbols: Symbols) -> 'Expect':
        """Raises UseError."""
        left, right = halves(text, 'PLACE:SHAPE:FORMAT[:tiles]=FILE.npy')
        source, wanted = Source.parse(left, symbols), npy.read(right)
        if source.data and math.prod(source.data.shape) != wanted.size:
            raise UseError(f'{left} has {math.prod(source.data.shape)} '
                           f'numbers, {right} has {wanted.size} '
                           f'({"x".join(map(str, wanted.shape))})')
        return Expect(source, right, wanted)

    def compare(self, tile: 'Tile', tolerance: Tolerance) -> Tuple[int, str]:
        """(how many numbers differ, text for people)."""
        values = self.source.read(tile)
        if values.size != self.wanted.size:
            return 1, (f'{self.source.text} has {values.size} numbers, '
                       f'{self.path} has {self.wanted.size}')
        count, text = compare(values, self.wanted, tolerance)
        start = f'{self.source.text}: {values.size} numbers'
        if not count:
            return 0, f'{start} as in {os.path.basename(self.path)}'
        return count, f'{start}, {count} not as in {self.path}: {text}'


def launch_options(kernels: List[str], args: List[str], buffers: List[str],
                   first_stream: int) -> Optional[firmware.Launch]:
    """What --kernel, --args and --cb say together; None without a kernel."""
    texts = by_hart(kernels)
    words = {hart: [word(value) for value in values.split(',')] for
             hart, values in by_hart(args, 'HART=VALUE[,VALUE...]').items()}
    if not texts:
        if words or buffers:
            raise UseError('--args and --cb need a --kernel')
        return None
    return firmware.Launch(texts, words, dict(map(parse_buffer, buffers)),
                           first_stream=first_stream)


def parse_buffer(text: str) -> Tuple[int, firmware.Buffer]:
    """NUMBER=ADDRESS:SIZE[:PAGE]"""
    left, right = halves(text, 'NUMBER=ADDRESS:SIZE[:PAGE]')
    fields = [number(value) for value in right.split(':')]
    if len(fields) not in (2, 3) or any(value <= 0 for value in fields[1:]):
        raise UseError(f'{text}: not of the form NUMBER=ADDRESS:SIZE'
                       f'[:PAGE]')
    return number(left), firmware.Buffer(*fields)
