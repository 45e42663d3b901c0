# SPDX-License-Identifier: GPL-2.0-or-later
"""Words through one instruction of a stopped machine, for the table of
docs/rounding.rst."""

import os
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
from blackhole_tile import tt
from blackhole_tile.registers import shuffled, unshuffled
from blackhole_tile.testing import ROOT, Tile

CFG = 0xFFEF0000
TABLES = os.path.join(ROOT, 'hw', 'tenstorrent', 'core', 'config')
FIELD = re.compile(r'^(?:THREAD_)?CFG\((\w+), (\d+), (\d+), (\d+)\)', re.M)
SOURCE, TARGET, UNIT = 0x40000, 0x50000, 16
LANES, ROW = 32, 16
FORMATS = {'FP32': 0, 'FP16': 1, 'BFP4': 7, 'TF32': 4, 'BF16': 5, 'BFP8': 6,
           'INT32': 8, 'FP8': 10, 'INT8': 14, 'BFP2': 15}
BYTES = {'FP32': 4, 'TF32': 4, 'INT32': 4, 'FP16': 2, 'BF16': 2, 'FP8': 1,
         'INT8': 1}
UNPACK, MATH, PACK = 0, 1, 2


def fields(file: str) -> Dict[str, Tuple[int, int, int]]:
    """{name: (word, low bit, width)} of a table of configuration fields."""
    with open(os.path.join(TABLES, file), encoding='ascii') as table:
        return {name: (int(word), int(low), int(width))
                for name, word, low, width in FIELD.findall(table.read())}


class Machine:
    """A stopped tile whose registers tests write and read."""

    def __init__(self) -> None:
        self.tile = Tile(stopped=True)
        self.fields = fields('cfg_table.h.inc')
        self.thread_fields = fields('thread_cfg_table.h.inc')

    def close(self) -> None:
        self.tile.close()

    def configure(self, **values: int) -> None:
        """Fields of the configuration by name."""
        for name, value in values.items():
            word, low, width = self.fields[name]
            mask = (1 << width) - 1 << low
            at = CFG + 4 * word
            self.tile.write32(at, self.tile.read32(at) & ~mask & 0xFFFFFFFF |
                              value << low & mask)

    def thread(self, thread: int, **values: int) -> None:
        """Fields of a thread's configuration; others of the word become 0."""
        for name, value in values.items():
            word, low, _ = self.thread_fields[name]
            self.tile.push(thread, tt('SETC16', setc16_reg=word,
                                      setc16_value=value << low))

    def push(self, thread: int, mnemonic: str, **operands: int) -> None:
        self.tile.push(thread, tt(mnemonic, **operands))

    # --- the vector unit ---

    def vector(self, mnemonic: str, inputs: Sequence[Sequence[int]],
               result: int = 4, **operands: int) -> List[int]:
        """inputs: words for LReg 0, 1, ...; words of register `result`."""
        count = len(inputs[0])
        for number, words in enumerate(inputs):
            padded = numpy.zeros(LANES, '<u4')
            padded[:count] = words
            self.tile.registers.set_lreg(number, padded)
        self.push(MATH, mnemonic, **operands)
        return self.lreg(result)[:count]

    def lreg(self, number: int) -> List[int]:
        return [int(x) for x in self.tile.registers.lregs()[number]]

    # --- Dest and Src ---

    def set_dest(self, words: Sequence[int], wide: bool) -> None:
        """Cells as stored, one row after the other."""
        cells = numpy.zeros((4, ROW), '<u4')
        cells.flat[:len(words)] = words
        self.tile.registers.set_dest(shuffled(cells) if wide else cells,
                                     'raw32' if wide else 'raw')

    def dest(self, count: int, wide: bool) -> List[int]:
        cells = self.tile.registers.dest('raw32' if wide else 'raw', 0, 4)
        cells = unshuffled(cells) if wide else cells
        return [int(x) for x in cells.ravel()[:count]]

    def set_src(self, name: str, words: Sequence[int]) -> None:
        cells = numpy.zeros((4, ROW), '<u4')
        cells.flat[:len(words)] = words
        bank = self.tile.registers.banks()['MatrixUnit.SrcABank']
        self.tile.registers.set_src(name, cells, bank=bank)

    def give_banks(self) -> None:
        """A bank of SrcA and of SrcB to the matrix unit, as they are."""
        for unpacker in (0, 1):
            self.push(UNPACK, 'UNPACR_NOP', Unpack_Pop=1, Set_Dvalid=1,
                      Clr_to1_fmt_Ctrl=3, Unpacker_Select=unpacker)

    def take_banks(self) -> None:
        """Back to the unpackers; all units use the other bank then."""
        self.push(MATH, 'CLEARDVALID', cleardvalid=3)

    # --- unpackers and packer ---

    def unpack(self, source: str, to: str, words: Sequence[int]) -> List[int]:
        """Cells of SrcA from datums of L1."""
        self.tile.write(SOURCE, numpy.array(words, f'<u{BYTES[source]}'
                                            ).tobytes().ljust(256, b'\0'))
        at = CFG + 4 * self.fields['THCON_SEC0_REG0_TileDescriptor'][0]
        for n, word in enumerate((FORMATS[source] | 1 << 4 | 64 << 16,
                                  1 | 1 << 16, 1, 0)):
            self.tile.write32(at + 4 * n, word)
        self.configure(
            THCON_SEC0_REG2_Out_data_format=FORMATS[to],
            THCON_SEC0_REG2_Disable_zero_compress_cntx0=1,
            THCON_SEC0_REG2_Unpack_limit_address=0x1FFFF,
            THCON_SEC0_REG3_Base_address=SOURCE // UNIT - 1,
            THCON_SEC0_REG5_Dest_cntx0_address=64,
            THCON_SEC0_REG5_Tile_x_dim_cntx0=64,
            UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr=1)
        self.thread(UNPACK, SRCA_SET_SetOvrdWithAddr=1)
        self.push(UNPACK, 'SETADCXX', CntSetMask=1, x_end2=63)
        self.push(UNPACK, 'SETADCXY', CntSetMask=1, BitMask=0xA)
        self.push(UNPACK, 'SETADCZW', CntSetMask=1, BitMask=0xF)
        self.push(UNPACK, 'UNPACR', OvrdThreadId=1, Last=1)
        bank = self.tile.registers.banks()['Unpackers[0].SrcBank']
        cells = self.tile.registers.srca('raw', bank).ravel()
        return [int(x) for x in cells[:len(words)]]

    def pack(self, words: Sequence[int], middle: str, to: str,
             wide: bool = True, exponents: bool = False,
             old: Optional[bytes] = None, **more: int) -> bytes:
        """Bytes of L1 from four rows of Dest."""
        row = ROW * BYTES.get(middle, 2)
        self.set_dest(words, wide)
        self.tile.write(TARGET, old or bytes(1024))
        self.configure(
            ALU_FORMAT_SPEC_REG2_Dstacc=FORMATS[middle],
            PCK0_ADDR_CTRL_XY_REG_0_Ystride=row,
            PCK0_ADDR_BASE_REG_0_Base=0,
            PCK_DEST_RD_CTRL_Read_32b_data=wide,
            TILE_ROW_SET_MAPPING_0_row_set_mapping_0=0,
            PCK_EDGE_OFFSET_SEC0_mask=0xFFFF,
            PACK_COUNTERS_SEC0_pack_per_xy_plane=1,
            PACK_COUNTERS_SEC0_pack_reads_per_xy_plane=16,
            THCON_SEC0_REG1_Exp_section_size=int(exponents),
            THCON_SEC0_REG1_Disable_zero_compress=1,
            THCON_SEC0_REG1_Out_data_format=FORMATS[to],
            THCON_SEC0_REG1_In_data_format=FORMATS[middle],
            THCON_SEC0_REG1_L1_Dest_addr=TARGET // UNIT - 1,
            THCON_SEC0_REG9_Pack_0_2_limit_address=0x1FFFF, **more)
        self.push(PACK, 'SETADCXX', CntSetMask=4, x_end2=ROW - 1)
        self.push(PACK, 'SETADCXY', CntSetMask=4, BitMask=0xA)
        self.push(PACK, 'SETADCZW', CntSetMask=4, BitMask=0xF)
        self.push(PACK, 'PACR', Last=1)
        self.configure(**{name: 0 for name in more})
        return self.tile.read(TARGET, 1024)

    def complaints(self) -> List[Any]:
        return self.tile.violations()
