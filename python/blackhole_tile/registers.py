# SPDX-License-Identifier: GPL-2.0-or-later
"""The coprocessor's register files as arrays, through the aperture; small
registers are those of tile.state.

Reading and writing here has no side effects: no bank changes hands, no row
becomes valid.  For a consistent picture stop the machine first.  Bit orders of
cells: spec 000, 1.3 and 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence

import numpy

from . import notebook
from .formats import (FormatError, encode_fp16, floats32, integers, little,
                      numbers_of, words32)
from .memory_map import APERTURE, tile_address

if TYPE_CHECKING:
    from .machine import Tile
    from .state import State

COLUMNS, LANES = 16, 32
DEST_ROWS, SRC_ROWS, SRC_BANKS, LREGS = 1024, 64, 2, 17
LOW_HALF_ROWS = 8                    # of Dst32b: so many rows further on
FEW_ROWS = 64                        # of Dest: read one by one

DEST, DEST_VALID = 0x00000, 0x08000
SRC = {'srca': 0x10000, 'srcb': 0x12000}
LREG = 0x20000

RWC_NAMES = ('Dst', 'Dst_Cr', 'SrcA', 'SrcA_Cr', 'SrcB', 'SrcB_Cr',
             'FidelityPhase', 'Sp')
ADC_NAMES = ('X', 'Y', 'Z', 'W', 'X_Cr', 'Y_Cr', 'Z_Cr', 'W_Cr')
CONFIG_BANK, MATH_THREAD = 'CFG_STATE_ID_StateID', 1
DEST_MODES = ('DEST_ACCESS_CFG_remap_addrs', 'DEST_ACCESS_CFG_swizzle_32b')
INT8_EXPONENT = 16                   # of an integer "8" that is not 0


# --- cells ---
#
# Functions from and to arrays of cells, unsigned integers of 32 bits, whatever
# a register file stores of them.

def half_bits(values: Any) -> Any:
    """Bits of the numbers as fp16."""
    return numpy.frombuffer(encode_fp16(values), '<u2').astype('<u4')


def halves(words: Any) -> Any:
    """Numbers from their bits as fp16."""
    return words.astype('<u2').view('<f2')


def dest_bf16(cells: Any) -> Any:
    """Sign, mantissa 7, exponent 8."""
    return floats32((cells & 0x8000) << 16 | (cells & 0xFF) << 23 |
                    (cells >> 8 & 0x7F) << 16)


def to_dest_bf16(values: Any) -> Any:
    """Truncated."""
    x = words32(values)
    return x >> 16 & 0x8000 | x >> 23 & 0xFF | (x >> 16 & 0x7F) << 8


def dest_fp16(cells: Any) -> Any:
    """Sign, mantissa 10, exponent 5."""
    return halves(cells & 0x8000 | (cells & 0x1F) << 10 | cells >> 5 & 0x3FF)


def to_dest_fp16(values: Any) -> Any:
    """To nearest."""
    x = half_bits(values)
    return x & 0x8000 | (x & 0x3FF) << 5 | x >> 10 & 0x1F


def unshuffled(cells: Any) -> Any:
    """Two cells of Dest as the 32 bits that they hold: the high half like
    bf16, the low half plain; integers too."""
    return cells & 0x8000FFFF | (cells >> 16 & 0xFF) << 23 | \
        (cells >> 24 & 0x7F) << 16


def shuffled(words: Any) -> Any:
    """The reverse."""
    return words & 0x8000FFFF | (words >> 23 & 0xFF) << 16 | \
        (words >> 16 & 0x7F) << 24


def dest_fp32(cells: Any) -> Any:
    """Exact."""
    return floats32(unshuffled(cells))


def to_dest_fp32(values: Any) -> Any:
    """Exact for what fp32 holds."""
    return shuffled(words32(values))


def dest_int32(cells: Any) -> Any:
    """Sign and magnitude."""
    return signed(31, 0, 31)(unshuffled(cells))


def to_dest_int32(values: Any) -> Any:
    """Sign and magnitude."""
    return shuffled(to_signed(31, 0, 31)(values))


def src_tf32(cells: Any) -> Any:
    """Sign, mantissa 10, exponent 8."""
    return floats32((cells & 0x40000) << 13 | (cells & 0xFF) << 23 |
                    (cells >> 8 & 0x3FF) << 13)


def to_src_tf32(values: Any) -> Any:
    """Truncated."""
    x = words32(values)
    return x >> 13 & 0x40000 | x >> 23 & 0xFF | (x >> 13 & 0x3FF) << 8


def src_fp16(cells: Any) -> Any:
    """Sign, mantissa 10, exponent 5 in the low bits."""
    return halves(cells >> 3 & 0x8000 | (cells & 0x1F) << 10 |
                  cells >> 8 & 0x3FF)


def to_src_fp16(values: Any) -> Any:
    """To nearest."""
    x = half_bits(values)
    return (x & 0x8000) << 3 | (x & 0x3FF) << 8 | x >> 10 & 0x1F


def signed(sign: int, low: int, bits: int) -> Callable[[Any], Any]:
    """Integers whose sign is bit `sign` and whose magnitude has so many bits
    from bit `low` on."""
    mask = (1 << bits) - 1

    def decode(cells: Any) -> Any:
        magnitudes = (cells >> low & mask).astype('<i8')
        return numpy.where(cells >> sign & 1, -magnitudes, magnitudes)
    return decode


def to_signed(sign: int, low: int, bits: int,
              exponent: int = 0) -> Callable[[Any], Any]:
    """The reverse; exponent: of what is not 0, in the low bits."""
    def encode(values: Any) -> Any:
        whole = integers(values)
        if ((whole >= 1 << bits) | (whole <= -1 << bits)).any():
            raise FormatError(f'integers here have {bits} bits and a sign')
        return (numpy.abs(whole) << low | (whole < 0) * (1 << sign) |
                (whole != 0) * exponent).astype('<u4')
    return encode


def same(cells: Any) -> Any:
    """Cells as they are stored."""
    return cells


def to_cells(bits: int) -> Callable[[Any], Any]:
    """Numbers to be stored as they are; negative ones in two's complement."""
    def encode(values: Any) -> Any:
        whole = integers(values)
        if ((whole >= 1 << bits) | (whole < -1 << bits - 1)).any():
            raise FormatError(f'cells here have {bits} bits')
        return (whole & (1 << bits) - 1).astype('<u4')
    return encode


class Cells(numpy.ndarray):
    """An array of a register file's cells: numpy's, and a table in
    notebooks."""

    def _repr_html_(self) -> Optional[str]:
        if self.ndim not in (2, 3) or not self.size:
            return None
        banks = numpy.asarray(self).reshape(-1, *self.shape[-2:])
        return ''.join(notebook.grid(
            f'{self.dtype.name}, {"x".join(map(str, self.shape))}' +
            (f', [{n}]' if self.ndim == 3 else ''), bank.tolist())
            for n, bank in enumerate(banks))


@dataclass(frozen=True)
class View:
    """How cells are read.  wide: two cells of Dest make one; dtype: numpy's
    name for the numbers."""
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any]
    dtype: str
    wide: bool = False

    def shown(self, cells: Any, *shape: int) -> Any:
        """Array of that shape from cells."""
        return self.decode(cells).astype(self.dtype).reshape(shape).view(
            Cells)


@dataclass(frozen=True)
class Views:
    """How a format reads the register files; None: it does not."""
    dest: Optional[View] = None
    src: Optional[View] = None
    lreg: Optional[View] = None


DEST_FP32 = View(dest_fp32, to_dest_fp32, '<f4', True)
SRC_TF32 = View(src_tf32, to_src_tf32, '<f4')
SRC_INT8 = View(signed(18, 8, 10), to_signed(18, 8, 10, INT8_EXPONENT), '<i2')
RAW = View(same, to_cells(32), '<u4')
# All there are, with the names and in the order of QMP's TensixFormat.
REGISTER_FORMATS = {
    'raw': Views(View(same, to_cells(16), '<u2'), RAW, RAW),
    'raw32': Views(View(same, to_cells(32), '<u4', True)),
    'bf16': Views(View(dest_bf16, to_dest_bf16, '<f4'), SRC_TF32),
    'fp16': Views(View(dest_fp16, to_dest_fp16, '<f2'),
                  View(src_fp16, to_src_fp16, '<f2')),
    'tf32': Views(DEST_FP32, SRC_TF32),
    'fp32': Views(DEST_FP32, SRC_TF32, View(floats32, words32, '<f4')),
    'int8': Views(View(signed(15, 5, 10), to_signed(15, 5, 10, INT8_EXPONENT),
                       '<i2'), SRC_INT8),
    'int16': Views(View(signed(15, 0, 15), to_signed(15, 0, 15), '<i2')),
    'int32': Views(View(dest_int32, to_dest_int32, '<i4', True), SRC_INT8,
                   View(signed(31, 0, 31), to_signed(31, 0, 31), '<i4')),
    's32': Views(lreg=View(lambda cells: cells.view('<i4'), to_cells(32),
                           '<i4')),
}
DEST_VIEWS = {name: row.dest for name, row in REGISTER_FORMATS.items()
              if row.dest}
SRC_VIEWS = {name: row.src for name, row in REGISTER_FORMATS.items()
             if row.src}
LREG_VIEWS = {name: row.lreg for name, row in REGISTER_FORMATS.items()
              if row.lreg}


def view_named(views: Dict[str, View], name: str, what: str) -> View:
    """Raises FormatError, which lists the names."""
    if name not in views:
        raise FormatError(f'{what} cannot be seen as {name}, but as '
                          f'{" ".join(views)}')
    return views[name]


# --- rows of Dest (BH Dst.md) ---

def remapped(rows: Any, remap: bool) -> Any:
    """Adj16: the rows of storage of these rows of Dst16b."""
    if remap:
        rows = rows & 0x3C7 ^ (rows & 0x030) >> 1 ^ (rows & 0x008) << 2
    return rows


def paired(rows: Any, remap: bool, swizzle: bool) -> Any:
    """Adj32: the rows of storage of the high halves of these rows of
    Dst32b."""
    rows = remapped(rows, remap)
    if swizzle:
        rows = rows & 0x3F3 ^ (rows & 0x018) >> 1 ^ (rows & 0x004) << 1
    return (rows & 0x1F8) << 1 | rows & 0x207


def named(names: Sequence[str], counters: Dict[str, int]) -> Dict[str, int]:
    """Counters of QMP (dst-cr) under the hardware's names (Dst_Cr)."""
    return {name: counters[name.lower().replace('_', '-').replace(
        'fidelityphase', 'fidelity')] for name in names}


class Registers:
    """The register files of a Tile, as tile.registers.  number: of one of
    several tiles, whose state this is (tile.tiles)."""

    def __init__(self, tile: 'Tile', state: 'State', number: int = 0):
        self.tile, self.state = tile, state
        self.base = tile_address(number, APERTURE)

    # --- cells of the aperture ---

    def _read(self, offset: int, count: int, kind: str = '<u4') -> Any:
        size = numpy.dtype(kind).itemsize
        data = self.tile.read(self.base + offset, count * size)
        return numpy.frombuffer(data, kind).astype('<u4')

    def _write(self, offset: int, cells: Any, bits: int = 32) -> None:
        self.tile.write(self.base + offset, little(cells, bits))

    # --- Dest ---

    def _dest_modes(self) -> Dict[str, bool]:
        """How rows are addressed now, as the math thread (1) sees it."""
        state, (remap, swizzle) = self.state, DEST_MODES
        bank = state.thread_config([CONFIG_BANK])[MATH_THREAD][CONFIG_BANK]
        config = state.config(DEST_MODES)[bank]
        return {'remap': bool(config[remap]),
                'swizzle': bool(config[swizzle])}

    def _dest_rows(self, wide: bool) -> Any:
        """Rows of storage, in the order of Dst32b or Dst16b."""
        modes = self._dest_modes()
        if wide:
            return paired(numpy.arange(DEST_ROWS // 2), **modes)
        return remapped(numpy.arange(DEST_ROWS), modes['remap'])

    def _stored(self, places: Any) -> Any:
        """Cells of rows of storage, a row each."""
        if len(places) > FEW_ROWS:
            return self._read(DEST, DEST_ROWS * COLUMNS, '<u2').reshape(
                DEST_ROWS, COLUMNS)[places]
        rows = [self._read(DEST + 2 * COLUMNS * int(at), COLUMNS, '<u2')
                for at in places]
        return numpy.array(rows, '<u4').reshape(-1, COLUMNS)

    def dest(self, view: str = 'raw', first: int = 0,
             count: Optional[int] = None) -> Any:
        """Dest.  Views of 16 bits (raw, bf16, fp16, int8, int16): array
        (1024, 16); of 32 bits (raw32, tf32, fp32, int32): (512, 16).  Rows are
        those that instructions name, in the present configuration.  A row
        that is not valid, see dest_valid(), shows what is stored.  first,
        count: only so many rows."""
        how = view_named(DEST_VIEWS, view, 'Dest')
        places = self._dest_rows(how.wide)[first:]
        places = places if count is None else places[:count]
        cells = self._stored(places)
        if how.wide:
            cells = cells << 16 | self._stored(places + LOW_HALF_ROWS)
        return how.shown(cells, len(places), COLUMNS)

    def set_dest(self, values: Any, view: str = 'raw', row: int = 0) -> None:
        """Stores an array (any number of rows, 16) from that row on, as
        dest() would show it.  Rows do not become valid."""
        how = view_named(DEST_VIEWS, view, 'Dest')
        cells = self._cells(how, values, row,
                            DEST_ROWS // (2 if how.wide else 1))
        for at, line in zip(self._dest_rows(how.wide)[row:], cells):
            if how.wide:
                self._write_dest_row(at, line >> 16)
                self._write_dest_row(at + LOW_HALF_ROWS, line & 0xFFFF)
            else:
                self._write_dest_row(at, line)

    def _write_dest_row(self, row: Any, cells: Any) -> None:
        self._write(DEST + 2 * COLUMNS * int(row), cells, 16)

    def dest_valid(self) -> Any:
        """Array (1024,) of 0 and 1: the valid flag of each row of storage."""
        return self._read(DEST_VALID, DEST_ROWS, '<u1').astype('<u1')

    def dest_rows_valid(self, view: str = 'raw') -> Any:
        """Array of bool: which rows of dest(view) are valid."""
        how = view_named(DEST_VIEWS, view, 'Dest')
        return self.dest_valid()[self._dest_rows(how.wide)] != 0

    @staticmethod
    def _cells(how: View, values: Any, row: int, rows: int) -> Any:
        """Cells of an array (any number of rows, 16) that is to be stored
        from that row on."""
        shape = numpy.shape(values)
        if len(shape) != 2 or shape[1] != COLUMNS:
            raise FormatError(f'rows have {COLUMNS} columns; the array is '
                              f'{"x".join(map(str, shape))}')
        if row < 0 or row + shape[0] > rows:
            raise FormatError(f'rows {row} to {row + shape[0] - 1} of '
                              f'{rows} do not exist')
        return how.encode(numbers_of(values)).reshape(shape)

    # --- SrcA and SrcB ---

    def _src(self, name: str, view: str, bank: Optional[int]) -> Any:
        how = view_named(SRC_VIEWS, view, 'SrcA and SrcB')
        size = SRC_ROWS * COLUMNS
        if bank is None:
            return how.shown(self._read(SRC[name], SRC_BANKS * size),
                             SRC_BANKS, SRC_ROWS, COLUMNS)
        at = SRC[name] + 4 * size * (bank % SRC_BANKS)
        return how.shown(self._read(at, size), SRC_ROWS, COLUMNS)

    def srca(self, view: str = 'raw', bank: Optional[int] = None) -> Any:
        """SrcA: array (2, 64, 16), or (64, 16) of one bank.  Views: raw (19
        bits), bf16, fp16, tf32, fp32, int8, int32."""
        return self._src('srca', view, bank)

    def srcb(self, view: str = 'raw', bank: Optional[int] = None) -> Any:
        """SrcB, likewise."""
        return self._src('srcb', view, bank)

    def set_src(self, name: str, values: Any, view: str = 'raw',
                bank: int = 0, row: int = 0) -> None:
        """Stores an array (any number of rows, 16) into a bank of 'srca' or
        'srcb', from that row on."""
        how = view_named(SRC_VIEWS, view, 'SrcA and SrcB')
        at = 4 * COLUMNS * (SRC_ROWS * (bank % SRC_BANKS) + row)
        self._write(SRC[name] + at, self._cells(how, values, row, SRC_ROWS))

    def banks(self) -> Dict[str, Any]:
        """Owner of each bank ('unpackers' or 'matrix unit'), and the bank
        that each unit uses next (0 or 1)."""
        banks = self.state.banks()
        a, b = banks['srca'], banks['srcb']
        found: Dict[str, Any] = {
            f'{name}[{n}]': owner.replace('-', ' ')
            for name, bank in (('SrcA', a), ('SrcB', b))
            for n, owner in enumerate(bank.owners)}
        found.update({'MatrixUnit.SrcABank': a.matrix_bank,
                      'MatrixUnit.SrcBBank': b.matrix_bank,
                      'Unpackers[0].SrcBank': a.unpack_bank,
                      'Unpackers[1].SrcBank': b.unpack_bank})
        return found

    # --- the vector unit ---

    def lregs(self, view: str = 'raw') -> Any:
        """LReg: array (17, 32), a column a lane.  Views: raw, fp32, s32 (two's
        complement), int32 (sign and magnitude)."""
        how = view_named(LREG_VIEWS, view, 'LReg')
        return how.shown(self._read(LREG, LREGS * LANES), LREGS, LANES)

    def set_lreg(self, number: int, values: Any, view: str = 'raw') -> None:
        """Stores 32 numbers into a register."""
        how = view_named(LREG_VIEWS, view, 'LReg')
        numbers = numbers_of(values)
        if not 0 <= number < LREGS or len(numbers) != LANES:
            raise FormatError(f'LReg 0 to {LREGS - 1} have {LANES} lanes')
        self._write(LREG + 4 * LANES * number, how.encode(numbers))

    def lane_flags(self) -> int:
        """Mask of the lanes' flags, lane 0 in bit 0."""
        return self.state.flags().lane_flags

    # --- counters ---

    def rwcs(self) -> List[Dict[str, int]]:
        """Read/write counters of each of the three threads."""
        return [named(RWC_NAMES, counters)
                for counters in self.state.rwcs()]

    def adcs(self) -> List[Dict[str, List[Dict[str, int]]]]:
        """Address counters: for each thread {unit: [channel 0, channel 1]},
        a channel {X, Y, Z, W and their _Cr}."""
        found: List[Dict[str, List[Dict[str, int]]]] = []
        for counters in self.state.adcs():
            if counters['thread'] == len(found):
                found.append({})
            found[-1].setdefault(counters['unit'], []).append(
                named(ADC_NAMES, counters))
        return found

    def semaphores(self) -> Any:
        """Array (8, 2): value and max."""
        return numpy.array([(semaphore.value, semaphore.max)
                            for semaphore in self.state.semaphores()],
                           '<u4')

    def gprs(self) -> Any:
        """Scalar registers: array (3, 64), a row a thread."""
        return numpy.array(self.state.gprs(), '<u4')
