# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of numbers: each of include/blackhole-tile/names.h has LLK's beside it,
which means the same number, and docs/names.csv, a table of names.rst, has
both."""

import csv
import os
import re
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
HEADER = os.path.join(ROOT, 'include', 'blackhole-tile', 'names.h')
TABLE = os.path.join(ROOT, 'docs', 'names.csv')
NO_NAME = 'no LLK name'
# LLK's numbers: of tt-llk for Blackhole ckernel_instr_params.h (b17a919),
# ckernel_structs.h, ckernel_defs.h (001c23a) and llk_defs.h (0563ac2), of
# tt-metal tensix_types.h, of SFPI sfpi_constants.h (0265db0)
LLK = {
    'DataFormat': {
        'Float32': 0, 'Float16': 1, 'Bfp8': 2, 'Bfp4': 3, 'Tf32': 4,
        'Float16_b': 5, 'Bfp8_b': 6, 'Bfp4_b': 7, 'Int32': 8, 'UInt16': 9,
        'Lf8': 10, 'Bfp2': 11, 'Int8': 14, 'Bfp2_b': 15},
    'p_stall': {
        'STALL_TDMA': 0x1, 'STALL_SYNC': 0x2, 'STALL_PACK': 0x4,
        'STALL_UNPACK': 0x8, 'STALL_XMOV': 0x10, 'STALL_THCON': 0x20,
        'STALL_MATH': 0x40, 'STALL_CFG': 0x80, 'STALL_SFPU': 0x100,
        'STALL_THREAD': 0x1ff, 'STALL_ON_ZERO': 1, 'STALL_ON_MAX': 2,
        'THCON': 0x1, 'UNPACK0': 0x2, 'UNPACK1': 0x4, 'UNPACK': 0x6,
        'PACK': 0x8, 'MATH': 0x10, 'SRCA_CLR': 0x20, 'SRCB_CLR': 0x40,
        'SRCA_VLD': 0x80, 'SRCB_VLD': 0x100, 'XMOV': 0x200,
        'TRISC_CFG': 0x400, 'SFPU1': 0x800, 'WAIT_SFPU': 0x800,
        'CFGEXU': 0x1000},
    'semaphore': {'MATH_PACK': 1, 't6_sem': lambda i: 1 << i},
    'p_setadc': {'UNP0': 1, 'UNP_A': 1, 'UNP1': 2, 'UNP_B': 2, 'PAC': 4,
                 'X': 1, 'Y': 2, 'XY': 3, 'Z': 1, 'W': 2, 'ZW': 3},
    'p_setrwc': {'SET_A': 1, 'SET_B': 2, 'SET_D': 4, 'SET_F': 8,
                 'SET_ABD_F': 15, 'CR_A': 1, 'CR_B': 2, 'CR_D': 4,
                 'CLR_A': 1, 'CLR_B': 2, 'CLR_AB': 3},
    'p_unpacr_nop': {'UNP0': 0, 'UNP1': 1, 'CLR_SRC': 1},
    'p_zeroacc': {'CLR_SPECIFIC': 0, 'CLR_16': 1, 'CLR_HALF': 2,
                  'CLR_ALL': 3},
    'p_elwise': {'SRCB_NO_BCAST': 0, 'SRCB_BCAST_COL': 1,
                 'SRCB_BCAST_ROW': 2, 'SRCB_BCAST_ALL': 3},
    'p_mova2d': {'MOV_1_ROW': 0, 'MOV_8_ROWS': 2},
    'p_pacr': {'ALL_INTF_ACTIVE': 0, 'SINGLE_INTF_ACTIVE': 1},
    'p_sfpu': {'LCONST_0': 9, 'LCONST_1': 10},
    'InstrModLoadStore': {'DEFAULT': 0, 'FP16A': 1, 'FP16B': 2, 'FP32': 3,
                          'INT32': 4},
    'sfpi': {
        'SFPLOADI_MOD0_FLOATB': 0, 'SFPLOADI_MOD0_FLOATA': 1,
        'SFPLOADI_MOD0_USHORT': 2, 'SFPLOADI_MOD0_SHORT': 4,
        'SFPLOADI_MOD0_UPPER': 8, 'SFPLOADI_MOD0_LOWER': 10,
        'SFPIADD_MOD1_ARG_IMM': 1, 'SFPIADD_MOD1_CC_LT0': 0,
        'SFPIADD_MOD1_CC_NONE': 4,
        'SFPSETCC_MOD1_LREG_LT0': 0, 'SFPSETCC_MOD1_LREG_NE0': 2,
        'SFPSETCC_MOD1_LREG_GTE0': 4, 'SFPSETCC_MOD1_LREG_EQ0': 6,
        'SFPENCC_MOD1_EI_RI': 10, 'SFPENCC_IMM12_BOTH': 3,
        'SFPSWAP_MOD1_VEC_MIN_MAX': 1, 'SFPSTOCHRND_MOD1_FP32_TO_FP16B': 1,
        'SFPABS_MOD1_INT': 0, 'SFPABS_MOD1_FLOAT': 1,
        'SFPARECIP_MOD1_RECIP': 0},
}
FREE = {'SrcA': 0, 'SrcB': 1, 'SETADC_CH0': lambda count: count,
        'SETADC_CH1': lambda count: count << 2,
        'SETADC_CH01': lambda count: count << 2 | count}
COMMENT = r'/\* ([^*]*) \*/'


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def number_in_llk(text):
    """Of an expression of LLK's names."""
    known = {name: types.SimpleNamespace(**names)
             for name, names in LLK.items()}
    return eval(text.replace('::', '.'),    # pylint: disable=eval-used
                {'__builtins__': {}}, {**known, **FREE, 'i': 5})


class Name:
    """One of the header's names: its number, and what its comment, before it or
    after it, says about LLK."""

    def __init__(self, name, value, comment):
        self.name, self.comment = name, comment
        self.value = eval(value)            # pylint: disable=eval-used
        found = re.match(r'LLK (.*?)(?:: .*)?$', comment)
        self.llk = found[1].split(', ') if found else []


def names():
    """Those of the header's enumerators."""
    return [Name(name, value, before or behind)
            for before, name, value, behind in re.findall(
                rf'^(?:    {COMMENT}\n)?    (\w+) = ([^,]+),(?: +{COMMENT})?$',
                read(HEADER), re.M)]


class Header(unittest.TestCase):
    def test_no_name_is_missed(self):
        """All identifiers that enums declare."""
        text = re.sub(r'/\*.*?\*/', '', read(HEADER), flags=re.S)
        declared = [item.split('=')[0].strip()
                    for body in re.findall(r'enum \{(.*?)\}', text, re.S)
                    for item in body.split(',') if item.strip()]
        self.assertGreater(len(declared), 80)
        self.assertEqual([name.name for name in names()], declared)

    def test_each_name_has_llks_or_says_that_there_is_none(self):
        for name in names():
            with self.subTest(name.name):
                self.assertTrue(name.llk or name.comment == NO_NAME,
                                name.comment)

    def test_llks_names_are_the_same_numbers(self):
        for name in names():
            for llk in name.llk:
                with self.subTest(name.name, llk=llk):
                    self.assertEqual(number_in_llk(llk), name.value)

    def test_mask_of_a_semaphore(self):
        found = re.search(rf'#define SEM_MASK\(i\) \(1u << \(i\)\) {COMMENT}',
                          read(HEADER))
        self.assertEqual(number_in_llk(found[1].removeprefix('LLK ')), 1 << 5)


class Page(unittest.TestCase):
    """Rows: ``NAME``, number, ``LLK's name``, where it is used."""

    def test_each_row_is_the_headers(self):
        with open(TABLE, encoding='utf-8', newline='') as file:
            _, *found = csv.reader(file)
        rows = {name.strip('`'): (value, rest)
                for name, value, rest, _ in found}
        self.assertEqual(list(rows), [name.name for name in names()])
        for name in names():
            with self.subTest(name.name):
                value, rest = rows[name.name]
                self.assertEqual(int(value, 0), name.value)
                self.assertEqual(re.findall('``(.*?)``', rest), name.llk)
                self.assertEqual(rest == NO_NAME, not name.llk)


if __name__ == '__main__':
    unittest.main()
