# SPDX-License-Identifier: GPL-2.0-or-later
"""The coprocessor's register files as arrays, through the aperture.

Reading and writing here has no side effects: no bank changes hands, no row
becomes valid.  For a consistent picture stop the machine first.  Bit orders of
cells: spec 000, 1.3 and 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Optional,
                    Sequence, Tuple)

from . import npy
from .arrays import array, flat, shape_of
from .formats import FormatError, floats32, half_bits, halves, words32
from .memory_map import APERTURE, GPRS

if TYPE_CHECKING:
    from .machine import Tile

COLUMNS, LANES, THREADS = 16, 32, 3
DEST_ROWS, SRC_ROWS, SRC_BANKS, LREGS, SEMAPHORES = 1024, 64, 2, 17, 8
GPR_COUNT = 64
LOW_HALF_ROWS = 8                    # of Dst32b: so many rows further on
FEW_ROWS = 64                        # of Dest: read one by one

DEST, DEST_VALID = 0x00000, 0x08000
SRC = {'srca': 0x10000, 'srcb': 0x12000}
LREG, LANE_FLAGS = 0x20000, 0x20C00
RWC, RWC_STEP = 0x21000, 0x40
BANKS, SEMAPHORE = 0x22000, 0x23000
ADC, ADC_THREAD, ADC_UNIT = 0x24000, 0x100, 0x40

RWC_NAMES = ('Dst', 'Dst_Cr', 'SrcA', 'SrcA_Cr', 'SrcB', 'SrcB_Cr',
             'FidelityPhase', 'ExtraAddrModBit', 'Sp')
ADC_UNITS = ('unpacker0', 'unpacker1', 'packer')
ADC_NAMES = ('X', 'Y', 'Z', 'W', 'X_Cr', 'Y_Cr', 'Z_Cr', 'W_Cr')
BANK_NAMES = ('SrcA[0]', 'SrcA[1]', 'SrcB[0]', 'SrcB[1]',
              'MatrixUnit.SrcABank', 'MatrixUnit.SrcBBank',
              'Unpackers[0].SrcBank', 'Unpackers[1].SrcBank')
OWNERS = ('unpackers', 'matrix unit')
CONFIG_BANK, MATH_THREAD = 'CFG_STATE_ID_StateID', 1
DEST_MODES = ('DEST_ACCESS_CFG_remap_addrs', 'DEST_ACCESS_CFG_swizzle_32b')
INT8_EXPONENT = 16                   # of an integer "8" that is not 0


# --- cells ---

def dest_bf16(cells: List[int]) -> List[float]:
    """Sign, mantissa 7, exponent 8."""
    return floats32([(x & 0x8000) << 16 | (x & 0xFF) << 23 |
                     (x >> 8 & 0x7F) << 16 for x in cells])


def to_dest_bf16(values: List[float]) -> List[int]:
    """Truncated."""
    return [x >> 16 & 0x8000 | x >> 23 & 0xFF | (x >> 16 & 0x7F) << 8
            for x in words32(values)]


def dest_fp16(cells: List[int]) -> List[float]:
    """Sign, mantissa 10, exponent 5."""
    return halves([x & 0x8000 | (x & 0x1F) << 10 | x >> 5 & 0x3FF
                   for x in cells])


def to_dest_fp16(values: List[float]) -> List[int]:
    """To nearest."""
    return [x & 0x8000 | (x & 0x3FF) << 5 | x >> 10 & 0x1F
            for x in half_bits(values)]


def unshuffled(cells: List[int]) -> List[int]:
    """Two cells of Dest as the 32 bits that they hold: the high half like
    bf16, the low half plain; integers too."""
    return [x & 0x8000FFFF | (x >> 16 & 0xFF) << 23 | (x >> 24 & 0x7F) << 16
            for x in cells]


def shuffled(words: Sequence[int]) -> List[int]:
    """The reverse."""
    return [x & 0x8000FFFF | (x >> 23 & 0xFF) << 16 | (x >> 16 & 0x7F) << 24
            for x in words]


def dest_fp32(cells: List[int]) -> List[float]:
    """Exact."""
    return floats32(unshuffled(cells))


def to_dest_fp32(values: List[float]) -> List[int]:
    """Exact for what fp32 holds."""
    return shuffled(words32(values))


def dest_int32(cells: List[int]) -> List[int]:
    """Sign and magnitude."""
    return signed(31, 0, 31)(unshuffled(cells))


def to_dest_int32(values: List[float]) -> List[int]:
    """Sign and magnitude."""
    return shuffled(to_signed(31, 0, 31)(values))


def src_tf32(cells: List[int]) -> List[float]:
    """Sign, mantissa 10, exponent 8."""
    return floats32([(x & 0x40000) << 13 | (x & 0xFF) << 23 |
                     (x >> 8 & 0x3FF) << 13 for x in cells])


def to_src_tf32(values: List[float]) -> List[int]:
    """Truncated."""
    return [x >> 13 & 0x40000 | x >> 23 & 0xFF | (x >> 13 & 0x3FF) << 8
            for x in words32(values)]


def src_fp16(cells: List[int]) -> List[float]:
    """Sign, mantissa 10, exponent 5 in the low bits."""
    return halves([x >> 3 & 0x8000 | (x & 0x1F) << 10 | x >> 8 & 0x3FF
                   for x in cells])


def to_src_fp16(values: List[float]) -> List[int]:
    """To nearest."""
    return [(x & 0x8000) << 3 | (x & 0x3FF) << 8 | x >> 10 & 0x1F
            for x in half_bits(values)]


def signed(sign: int, low: int, bits: int) -> Callable[[List[int]], List[int]]:
    """Integers whose sign is bit `sign` and whose magnitude has so many bits
    from bit `low` on."""
    mask = (1 << bits) - 1

    def decode(cells: List[int]) -> List[int]:
        return [-(x >> low & mask) if x >> sign & 1 else x >> low & mask
                for x in cells]
    return decode


def to_signed(sign: int, low: int, bits: int,
              exponent: int = 0) -> Callable[[List[float]], List[int]]:
    """The reverse; exponent: of what is not 0, in the low bits."""
    def encode(values: List[float]) -> List[int]:
        if any(abs(x) >= 1 << bits for x in values):
            raise FormatError(f'integers here have {bits} bits and a sign')
        return [(1 << sign if x < 0 else 0) | abs(round(x)) << low |
                (exponent if x else 0) for x in values]
    return encode


def same(cells: list) -> list:
    """Cells as they are stored."""
    return cells


def integers(values: list) -> List[int]:
    """Cells to be stored as they are."""
    return [int(x) for x in values]


@dataclass(frozen=True)
class View:
    """How cells are read.  wide: two cells of Dest make one; dtype: numpy's
    name for the numbers."""
    decode: Callable[[List[int]], list]
    encode: Callable[[list], List[int]]
    dtype: str
    wide: bool = False


DEST_VIEWS = {
    'raw': View(same, integers, '<u2'),
    'raw32': View(same, integers, '<u4', True),
    'bf16': View(dest_bf16, to_dest_bf16, '<f4'),
    'fp16': View(dest_fp16, to_dest_fp16, '<f2'),
    'fp32': View(dest_fp32, to_dest_fp32, '<f4', True),
    'int8': View(signed(15, 5, 10), to_signed(15, 5, 10, INT8_EXPONENT),
                 '<i2'),
    'int16': View(signed(15, 0, 15), to_signed(15, 0, 15), '<i2'),
    'int32': View(dest_int32, to_dest_int32, '<i4', True),
}
SRC_VIEWS = {
    'raw': View(same, integers, '<u4'),
    'tf32': View(src_tf32, to_src_tf32, '<f4'),
    'bf16': View(src_tf32, to_src_tf32, '<f4'),
    'fp16': View(src_fp16, to_src_fp16, '<f2'),
    'int8': View(signed(18, 8, 10), to_signed(18, 8, 10, INT8_EXPONENT),
                 '<i2'),
}
LREG_VIEWS = {
    'raw': View(same, integers, '<u4'),
    'fp32': View(floats32, lambda values: list(words32(values)), '<f4'),
    's32': View(lambda cells: [(x ^ 1 << 31) - (1 << 31) for x in cells],
                lambda values: [int(x) & 0xFFFFFFFF for x in values], '<i4'),
    'int32': View(signed(31, 0, 31), to_signed(31, 0, 31), '<i4'),
}


def view_named(views: Dict[str, View], name: str, what: str) -> View:
    """Raises FormatError, which lists the names."""
    if name not in views:
        raise FormatError(f'{what} cannot be seen as {name}, but as '
                          f'{" ".join(views)}')
    return views[name]


# --- rows of Dest (BH Dst.md) ---

def remapped(row: int, remap: bool) -> int:
    """Adj16: the row of storage of row `row` of Dst16b."""
    if remap:
        row = (row & 0x3C7) ^ (row & 0x030) >> 1 ^ (row & 0x008) << 2
    return row


def paired(row: int, remap: bool, swizzle: bool) -> int:
    """Adj32: the row of storage of the high half of row `row` of Dst32b."""
    row = remapped(row, remap)
    if swizzle:
        row = (row & 0x3F3) ^ (row & 0x018) >> 1 ^ (row & 0x004) << 1
    return (row & 0x1F8) << 1 | (row & 0x207)


class Registers:
    """The register files of a Tile, as tile.registers."""

    def __init__(self, tile: 'Tile'):
        self.tile = tile

    # --- cells of the aperture ---

    def _read(self, offset: int, count: int, kind: str = 'u4') -> List[int]:
        size = int(kind[1])
        return npy.numbers(self.tile.read(APERTURE + offset, count * size),
                           kind)

    def _write(self, offset: int, cells: List[int], kind: str = 'u4') -> None:
        self.tile.write(APERTURE + offset, npy.to_bytes(cells, kind))

    # --- Dest ---

    def _dest_modes(self) -> Dict[str, bool]:
        """How rows are addressed now, as the math thread (1) sees it."""
        state, (remap, swizzle) = self.tile.state, DEST_MODES
        bank = state.thread_config([CONFIG_BANK])[MATH_THREAD][CONFIG_BANK]
        config = state.config(DEST_MODES)[bank]
        return {'remap': bool(config[remap]),
                'swizzle': bool(config[swizzle])}

    def _dest_rows(self, wide: bool) -> List[int]:
        """Rows of storage, in the order of Dst32b or Dst16b."""
        modes = self._dest_modes()
        if wide:
            return [paired(row, **modes) for row in range(DEST_ROWS // 2)]
        return [remapped(row, modes['remap']) for row in range(DEST_ROWS)]

    def _stored(self, places: List[int]) -> Dict[int, List[int]]:
        """{row of storage: its cells}, at least of those."""
        if len(places) > FEW_ROWS:
            cells = self._read(DEST, DEST_ROWS * COLUMNS, 'u2')
            return {n: cells[n * COLUMNS:(n + 1) * COLUMNS]
                    for n in range(DEST_ROWS)}
        return {at: self._read(DEST + 2 * COLUMNS * at, COLUMNS, 'u2')
                for at in places}

    def dest(self, view: str = 'raw', first: int = 0,
             count: Optional[int] = None) -> Any:
        """Dest.  Views of 16 bits (raw, bf16, fp16, int8, int16): array
        (1024, 16); of 32 bits (raw32, fp32, int32): (512, 16).  Rows are
        those that instructions name, in the present configuration.  A row
        that is not valid, see dest_valid(), shows what is stored.  first,
        count: only so many rows."""
        how = view_named(DEST_VIEWS, view, 'Dest')
        places = self._dest_rows(how.wide)[first:]
        places = places if count is None else places[:count]
        low = [at + LOW_HALF_ROWS for at in places] if how.wide else []
        rows = self._stored(places + low)
        if how.wide:
            found = [high << 16 | low for at in places for high, low in
                     zip(rows[at], rows[at + LOW_HALF_ROWS])]
        else:
            found = [x for at in places for x in rows[at]]
        return array(how.decode(found), (len(places), COLUMNS), how.dtype)

    def set_dest(self, values: Any, view: str = 'raw', row: int = 0) -> None:
        """Stores an array (any number of rows, 16) from that row on, as
        dest() would show it.  Rows do not become valid."""
        how = view_named(DEST_VIEWS, view, 'Dest')
        self._check_rows(values, row, DEST_ROWS // (2 if how.wide else 1))
        cells, places = how.encode(flat(values)), self._dest_rows(how.wide)
        for n in range(0, len(cells), COLUMNS):
            at, line = places[row + n // COLUMNS], cells[n:n + COLUMNS]
            if how.wide:
                self._write_dest_row(at, [x >> 16 for x in line])
                self._write_dest_row(at + LOW_HALF_ROWS,
                                     [x & 0xFFFF for x in line])
            else:
                self._write_dest_row(at, line)

    def _write_dest_row(self, row: int, cells: List[int]) -> None:
        self._write(DEST + 2 * COLUMNS * row, cells, 'u2')

    def dest_valid(self) -> Any:
        """Array (1024,) of 0 and 1: the valid flag of each row of storage."""
        return array(self._read(DEST_VALID, DEST_ROWS, 'u1'), (DEST_ROWS,),
                     '<u1')

    @staticmethod
    def _check_rows(values: Any, row: int, rows: int) -> None:
        shape = shape_of(values)
        if len(shape) != 2 or shape[1] != COLUMNS:
            raise FormatError(f'rows have {COLUMNS} columns; the array is '
                              f'{"x".join(map(str, shape))}')
        if row < 0 or row + shape[0] > rows:
            raise FormatError(f'rows {row} to {row + shape[0] - 1} of '
                              f'{rows} do not exist')

    # --- SrcA and SrcB ---

    def _src(self, name: str, view: str, bank: Optional[int]) -> Any:
        how = view_named(SRC_VIEWS, view, 'SrcA and SrcB')
        size = SRC_ROWS * COLUMNS
        if bank is None:
            cells = self._read(SRC[name], SRC_BANKS * size)
            shape: Tuple[int, ...] = (SRC_BANKS, SRC_ROWS, COLUMNS)
        else:
            cells = self._read(SRC[name] + 4 * size * (bank % SRC_BANKS), size)
            shape = (SRC_ROWS, COLUMNS)
        return array(how.decode(cells), shape, how.dtype)

    def srca(self, view: str = 'raw', bank: Optional[int] = None) -> Any:
        """SrcA: array (2, 64, 16), or (64, 16) of one bank.  Views: raw (19
        bits), tf32, bf16, fp16, int8."""
        return self._src('srca', view, bank)

    def srcb(self, view: str = 'raw', bank: Optional[int] = None) -> Any:
        """SrcB, likewise."""
        return self._src('srcb', view, bank)

    def set_src(self, name: str, values: Any, view: str = 'raw',
                bank: int = 0, row: int = 0) -> None:
        """Stores an array (any number of rows, 16) into a bank of 'srca' or
        'srcb', from that row on."""
        how = view_named(SRC_VIEWS, view, 'SrcA and SrcB')
        self._check_rows(values, row, SRC_ROWS)
        at = 4 * COLUMNS * (SRC_ROWS * (bank % SRC_BANKS) + row)
        self._write(SRC[name] + at, how.encode(flat(values)))

    def banks(self) -> Dict[str, Any]:
        """Owner of each bank ('unpackers' or 'matrix unit'), and the bank
        that each unit uses next (0 or 1)."""
        words = self._read(BANKS, len(BANK_NAMES))
        found: Dict[str, Any] = dict(zip(BANK_NAMES, words))
        for name in BANK_NAMES[:4]:
            found[name] = OWNERS[found[name] & 1]
        return found

    # --- the vector unit ---

    def lregs(self, view: str = 'raw') -> Any:
        """LReg: array (17, 32), a column a lane.  Views: raw, fp32, s32 (two's
        complement), int32 (sign and magnitude)."""
        how = view_named(LREG_VIEWS, view, 'LReg')
        cells = self._read(LREG, LREGS * LANES)
        return array(how.decode(cells), (LREGS, LANES), how.dtype)

    def set_lreg(self, number: int, values: Any, view: str = 'raw') -> None:
        """Stores 32 numbers into a register."""
        how = view_named(LREG_VIEWS, view, 'LReg')
        numbers = flat(values)
        if not 0 <= number < LREGS or len(numbers) != LANES:
            raise FormatError(f'LReg 0 to {LREGS - 1} have {LANES} lanes')
        self._write(LREG + 4 * LANES * number, how.encode(numbers))

    def lane_flags(self) -> int:
        """Mask of the lanes' flags, lane 0 in bit 0."""
        return self._read(LANE_FLAGS, 1)[0]

    # --- counters ---

    def rwcs(self) -> List[Dict[str, int]]:
        """Read/write counters of each of the three threads."""
        return [dict(zip(RWC_NAMES, self._read(RWC + RWC_STEP * thread,
                                               len(RWC_NAMES))))
                for thread in range(THREADS)]

    def adcs(self) -> List[Dict[str, List[Dict[str, int]]]]:
        """Address counters: for each thread {unit: [channel 0, channel 1]},
        a channel {X, Y, Z, W and their _Cr}."""
        return [{unit: [self._channel(thread, n, channel)
                        for channel in range(2)]
                 for n, unit in enumerate(ADC_UNITS)}
                for thread in range(THREADS)]

    def _channel(self, thread: int, unit: int, channel: int) -> Dict[str, int]:
        at = ADC + ADC_THREAD * thread + ADC_UNIT * unit
        at += 4 * len(ADC_NAMES) * channel
        return dict(zip(ADC_NAMES, self._read(at, len(ADC_NAMES))))

    def semaphores(self) -> Any:
        """Array (8, 2): value and max."""
        return array(self._read(SEMAPHORE, 2 * SEMAPHORES), (SEMAPHORES, 2),
                     '<u4')

    def gprs(self) -> Any:
        """Scalar registers: array (3, 64), a row a thread."""
        data = self.tile.read(GPRS, 4 * GPR_COUNT * THREADS)
        return array(npy.numbers(data, 'u4'), (THREADS, GPR_COUNT), '<u4')
