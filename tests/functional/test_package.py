# SPDX-License-Identifier: GPL-2.0-or-later
"""The users' package blackhole_tile: formats, tiles, files, register files,
harts, QMP, tt-metal's mailboxes."""

import bisect
import contextlib
import math
import os
import random
import re
import socket
import struct
import threading
import unittest
import warnings
from unittest import mock

import numpy
import rv_asm as rv
import test_tiles
from blackhole_tile import (APERTURE, FORMATS, ArrayFileError, Buffer,
                            ElfError, EndedError, FirmwareError, FormatError,
                            StartError, TileError, TileTimeout,
                            dram_address, elf, firmware, formats, hart_view,
                            npy, registers, tiles)
from blackhole_tile.attach import Attached
from blackhole_tile.testing import SHARED, Tile
from rv_asm import A0, A1, A2, A3, RA, ZERO
from test_board import Folder

RESULT = 0x100000
SMALL = ('bf16', 'fp16', 'e5m2', 'e4m3')
BLOCKS = ('bfp8', 'bfp4', 'bfp2', 'bfp8a', 'bfp4a', 'bfp2a')


def words_to_floats(words):
    return struct.unpack(f'<{len(words)}f', struct.pack(f'<{len(words)}I',
                                                        *words))


class Lists(unittest.TestCase):
    """assertEqual() takes minutes to say how long lists differ."""

    def same(self, got, wanted, what=''):
        """Of nested lists or arrays."""
        self.assertEqual(numpy.shape(got), numpy.shape(wanted), what)
        wrong = numpy.argwhere(numpy.asarray(got) != numpy.asarray(wanted))
        if len(wrong):
            at = tuple(wrong[0])
            self.fail(f'{what} {len(wrong)} differ: at {at} '
                      f'{numpy.asarray(got)[at]} instead of '
                      f'{numpy.asarray(wanted)[at]}')


class Formats(Lists):
    def setUp(self):
        self.random = random.Random(self.id())

    def test_bytes_are_those_of_test_tiles(self):
        """Its encoders are separate, for numbers that need no rounding."""
        for name, other in test_tiles.FORMATS.items():
            if name not in FORMATS:
                continue
            numbers = test_tiles.Numbers(name, 'package')
            values = test_tiles.flat(numbers.matrix(other.limit))
            with self.subTest(name):
                data = FORMATS[name].encode(values)
                self.same(list(data), list(other.in_bytes(values)))
                self.assertEqual(len(data), FORMATS[name].size(1024))
                self.same(FORMATS[name].decode(data), values)
                self.assertEqual(FORMATS[name].code, other.in_format)

    def test_every_bf16_and_fp16(self):
        data = struct.pack('<65536H', *range(65536))
        for name, wanted in (
                ('bf16', words_to_floats([n << 16 for n in range(65536)])),
                ('fp16', struct.unpack('<65536e', data))):
            got = FORMATS[name].decode(data)
            with self.subTest(name):
                self.same(list(map(repr, got.tolist())),
                          list(map(repr, wanted)))

    def test_every_e4m3(self):
        data = bytes(range(256))
        for code, value in enumerate(FORMATS['e4m3'].decode(data)):
            exponent, mantissa = code >> 3 & 15, code & 7
            wanted = (1 + mantissa / 8) * 2.0 ** (exponent - 7) \
                if exponent else 0.0
            self.assertEqual(value, -wanted if code > 127 else wanted)

    def codes(self, name):
        """{finite value: code} of a small format, without denormals of e4m3
        and the second zero."""
        size = FORMATS[name].bits // 8
        kind = 'H' if size == 2 else 'B'
        values = FORMATS[name].decode(struct.pack(
            f'<{256 ** size}{kind}', *range(256 ** size)))
        found = {}
        for code, value in enumerate(values):
            if math.isfinite(value):
                found.setdefault(value, code)
        return found

    def test_nearest_and_even(self):
        for name in SMALL:
            codes = self.codes(name)
            known = sorted(codes)
            largest = known[-1]
            for _ in range(2000):
                x = struct.unpack('<f', struct.pack('<f', self.random.choice((
                    self.random.gauss(0, 1), self.random.uniform(-200, 200),
                    self.random.gauss(0, 0.02)))))[0]
                self.check_nearest(name, codes, known, min(x, largest))
            low = bisect.bisect_left(known, 1.0)
            for n in range(low, low + 20):
                self.check_nearest(name, codes, known,
                                   (known[n] + known[n + 1]) / 2)

    def check_nearest(self, name, codes, known, x):
        got, = FORMATS[name].decode(FORMATS[name].encode([x]))
        at = bisect.bisect_left(known, x)
        near = sorted(known[max(at - 1, 0):at + 1],
                      key=lambda y: (abs(y - x), codes[y] & 1))
        if name == 'e4m3' and abs(x) < 2.0 ** -6:
            return                     # half of the least one goes up or down
        self.assertEqual(got, near[0], f'{name} of {x}')

    def test_infinity_and_nan(self):
        for name in ('fp32', 'tf32', 'bf16', 'fp16', 'e5m2'):
            f = FORMATS[name]
            got = f.decode(f.encode([math.inf, -math.inf, math.nan]))
            with self.subTest(name):
                self.assertEqual(got[:2].tolist(), [math.inf, -math.inf])
                self.assertTrue(math.isnan(got[2]))
        for name, value in (('e4m3', math.inf), ('e4m3', 1e9), ('fp16', 1e9),
                            ('bfp8', math.inf), ('bfp8', math.nan),
                            ('bfp8a', 1e6), ('int8', 128), ('int32', 2 ** 31),
                            ('u8', -1), ('s16', 40000), ('u32', math.inf),
                            ('int8', math.inf), ('s8', -math.inf)):
            with self.subTest(f'{name} {value}'):
                with self.assertRaises(FormatError):
                    FORMATS[name].encode([value] * 16)
        for f in FORMATS.values():
            if f.integer:
                with self.subTest(f.name), self.assertRaises(FormatError):
                    f.encode([math.nan])

    def test_block_floats_are_nearest(self):
        """Of what the shared exponent of the largest number allows."""
        for name in BLOCKS:
            f = FORMATS[name]
            row = [self.random.gauss(0, 1) for _ in range(16)]
            exponent = math.frexp(max(map(abs, row)))[1] - 1
            unit = 2.0 ** (exponent - (f.bits - 2))
            limit = (2 ** (f.bits - 1) - 1) * unit
            with self.subTest(name):
                for got, x in zip(f.decode(f.encode(row)), row):
                    self.assertLessEqual(abs(got - max(min(x, limit), -limit)),
                                         unit / 2)

    def test_zero_with_a_sign_is_minus_infinity(self):
        for name in BLOCKS:
            f = FORMATS[name]
            self.same(f.decode(f.encode([-0.0, -1e-9] + [1.0] * 14)),
                      [0.0, 0.0] + [1.0] * 14)
        self.same(FORMATS['bfp8'].decode(b'\x7f\x80' + bytes(15)),
                  [-math.inf] + [0.0] * 15)

    def test_lengths(self):
        for name, data in (('fp32', bytes(6)), ('bfp8', bytes(18)),
                           ('bf16', bytes(3))):
            with self.subTest(name), self.assertRaises(FormatError):
                FORMATS[name].decode(data)
        with self.assertRaises(FormatError):
            FORMATS['bfp4'].encode([1.0] * 24)
        with self.assertRaisesRegex(FormatError, 'bf16'):
            formats.format_named('bf15')


class Tiles(Lists):
    def index(self, r, c, columns, by_column):
        """Of an element in its tiles, from the definition."""
        rows = 64
        down, right = rows // 32, columns // 32
        tile = c // 32 * down + r // 32 if by_column else \
            r // 32 * right + c // 32
        face = r % 32 // 16 * 2 + c % 32 // 16
        return 1024 * tile + 256 * face + 16 * (r % 16) + c % 16

    def test_places(self):
        matrix = [[96 * r + c for c in range(96)] for r in range(64)]
        for by_column in (False, True):
            data = tiles.tilize(matrix, 'u16', by_column)
            flat = struct.unpack('<6144H', data)
            for r in range(64):
                for c in range(96):
                    self.assertEqual(
                        flat[self.index(r, c, 96, by_column)], matrix[r][c])
            back = tiles.untilize(data, (64, 96), 'u16', by_column)
            self.same(back, matrix)
            self.assertEqual(back.dtype, numpy.uint16)
            self.assertEqual(tiles.tilize(numpy.array(matrix), 'u16',
                                          by_column), data)

    def test_refusals(self):
        for shape in ((32, 33), (1024,), (0, 32)):
            with self.subTest(shape), self.assertRaises(FormatError):
                tiles.tilize(numpy.zeros(shape), 'bf16')
        with self.assertRaisesRegex(FormatError, '2048 bytes'):
            tiles.untilize(bytes(2047), (32, 32), 'bf16')


class Files(Folder, Lists):
    def path(self, name):
        return os.path.join(self.folder, name)

    def test_arrays_of_every_kind(self):
        cube = numpy.arange(24).reshape(2, 3, 4)
        for name, a in (('i4', cube.astype('<i4')),
                        ('big', cube.astype('>f8')),
                        ('half', cube.astype('<f2')),
                        ('fortran', numpy.asfortranarray(cube)),
                        ('flag', cube > 7), ('scalar', numpy.float32(3.5)),
                        ('empty', numpy.zeros((0, 3)))):
            path = self.path(f'{name}.npy')
            npy.write(path, numpy.asarray(a))
            with self.subTest(name):
                self.same(npy.read(path), a)
                self.same(numpy.load(path), a)

    def test_raw(self):
        matrix = numpy.arange(12).reshape(3, 4) / 4
        npy.write(self.path('raw'), numpy.asfortranarray(matrix, '<f4'))
        self.same(npy.read_raw(self.path('raw'), 3, 4), matrix)
        with self.assertRaisesRegex(ArrayFileError, '48 bytes'):
            npy.read_raw(self.path('raw'), 4, 4)

    def test_files_that_are_refused(self):
        for name, a in (('objects', numpy.array([{}])), ('text', ['a', 'b']),
                        ('complex', [1j])):
            path = self.path(f'{name}.npy')
            numpy.save(path, numpy.array(a), allow_pickle=True)
            with self.subTest(name), self.assertRaisesRegex(ArrayFileError,
                                                            path):
                npy.read(path)

    def test_damage(self):
        numpy.save(self.path('a.npy'), numpy.arange(12).reshape(3, 4))
        with open(self.path('a.npy'), 'rb') as file:
            good = file.read()
        for n in range(len(good)):
            with self.assertRaises(ArrayFileError):
                npy.read(self.file('cut.npy', good[:n]))
        noise = random.Random(1)
        for _ in range(2000):
            bad = bytearray(good)
            bad[noise.randrange(128)] = noise.randrange(256)
            with contextlib.suppress(ArrayFileError), \
                    warnings.catch_warnings():
                warnings.simplefilter('ignore')
                npy.read(self.file('bad.npy', bytes(bad)))

    def test_elf(self):
        path = self.elf('a.elf', {0x1000: [1, 2], 0x2000: [3]}, 0x1004)
        image = elf.read_elf(path)
        self.assertEqual(image.entry, 0x1004)
        self.assertEqual(image.segments, [(0x1000, rv.code([1, 2])),
                                          (0x2000, rv.code([3]))])
        with open(path, 'rb') as file:
            good = file.read()
        for n in range(0, len(good), 3):
            with contextlib.suppress(ElfError):
                elf.read_elf(self.file('cut.elf', good[:n]))
        noise = random.Random(1)
        for _ in range(2000):
            bad = bytearray(good)
            for _ in range(3):
                bad[noise.randrange(16, len(bad))] = noise.randrange(256)
            with contextlib.suppress(ElfError):
                elf.read_elf(self.file('bad.elf', bytes(bad)))


ROW = re.compile(r' *(?:LReg)?(\d+)(?: to (?:LReg)?(\d+))?'
                 r'(?: \(invalid\))?:(.*)')
FOLDED = re.compile(r' ([^ ]+) in all (columns|lanes)')
CELLS = {'columns': 16, 'lanes': 32}


def rows_of(text):
    """Numbers of `info tensix dest` and its like, by row: unfolded."""
    found, begun = [], []
    for line in text.splitlines():
        row, folded = ROW.fullmatch(line), FOLDED.search(line)
        if row:
            first, last, line = row.groups()
            begun = [[] for _ in range(int(first), int(last or first) + 1)]
            found += begun
        elif ':' in line:
            continue
        if folded:
            line = f'{folded[1]} ' * CELLS[folded[2]]
        if ' in steps of ' not in line:
            for cells in begun:
                cells += [float(x) for x in line.split()]
    return found


class Registers(Lists):
    """Against the monitor, which decodes for itself."""

    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)
        self.registers = self.tile.registers
        self.random = random.Random(self.id())

    def values(self, name, rows, columns=16):
        """Few digits, because the monitor prints few."""
        limit = 1000 if name in ('int8', 'int16') else 99
        unit = {'int32': 10000000, 'int16': 1, 'int8': 1}.get(name, 1 / 4)
        return [[self.random.randint(-limit, limit) * unit
                 for _ in range(columns)] for _ in range(rows)]

    def test_dest(self):
        for modes in range(4):
            self.tile.write32(0xFFEF0000 + 4 * 220, modes)
            for name in ('bf16', 'fp16', 'tf32', 'fp32', 'int8', 'int16',
                         'int32'):
                wide = registers.DEST_VIEWS[name].wide
                rows = 512 if wide else 1024
                values = self.values(name, rows)
                self.registers.set_dest(values, name)
                with self.subTest(name, modes=modes):
                    self.same(self.registers.dest(name), values)
                    self.same(rows_of(self.tile.hmp(
                        f'info tensix dest 0 {rows} {name}')), values)

    def test_dest_raw(self):
        self.tile.write(APERTURE + 32 * 7, bytes(range(32)))
        raw = self.registers.dest()
        self.assertEqual(raw.shape, (1024, 16))
        self.assertEqual(raw[7].tobytes(), bytes(range(32)))
        self.registers.set_dest([[0xBEEF] * 16], 'raw', 1023)
        self.assertEqual(self.tile.read(APERTURE + 32 * 1023, 32),
                         b'\xef\xbe' * 16)
        self.assertEqual(self.registers.dest_valid().shape, (1024,))

    def test_dest_is_what_unpackers_leave(self):
        """The numbers of the last tile in each half of Dest."""
        for name, view in (('fp32_dest', 'fp32'), ('int32_dest', 'int32'),
                           ('bf16', 'bf16'), ('fp16', 'fp16'),
                           ('int16', 'int16')):
            case = test_tiles.Case('to_dest', name)
            words = {SHARED + 4 * test_tiles.WORDS.index(key): value
                     for key, value in case.words().items()}
            with Tile('tiles', words=words, stopped=True) as tile, \
                    self.subTest(name):
                tile.write(test_tiles.A, case.a)
                tile.cont()
                tile.wait_for_word(SHARED + 4 * test_tiles.WORDS.index(
                    'finished'), test_tiles.TILES)
                tile.stop()
                wanted = FORMATS[name.split('_', maxsplit=1)[0]].decode(
                    case.a[len(case.a) * 2 // 3:])
                dest = tile.registers.dest(view)
                self.same(dest[:64].ravel(), wanted)

    def test_src(self):
        for which in ('srca', 'srcb'):
            for name in ('tf32', 'bf16', 'fp16', 'int8'):
                values = [self.values(name, 64) for _ in range(2)]
                for bank in range(2):
                    self.registers.set_src(which, values[bank], name, bank)
                got = getattr(self.registers, which)(name)
                with self.subTest(f'{which} {name}'):
                    self.same(got, values)
                    for bank in range(2):
                        if name != 'int8':
                            self.same(rows_of(self.tile.hmp(
                                f'info tensix {which} 0 64 {name} '
                                f'bank {bank}')), values[bank])

    def test_lregs(self):
        values = self.values('fp32', 8, 32)
        for n, row in enumerate(values):
            self.registers.set_lreg(n, row, 'fp32')
        self.same(self.registers.lregs('fp32')[:8], values)
        self.same(rows_of(self.tile.hmp('info tensix lregs fp32'))[:8], values)
        self.registers.set_lreg(2, [-5] * 32, 's32')
        self.assertEqual(self.registers.lregs()[2][0], 0xFFFFFFFB)
        self.registers.set_lreg(2, [-5] * 32, 'int32')
        self.assertEqual(self.registers.lregs()[2][0], 0x80000005)
        self.assertEqual(self.registers.lregs('int32')[2][31], -5)

    def push(self, *words):
        for word in words:
            self.tile.write32(hart_view('brisc', 0xFFE50000), word)

    def test_counters(self):
        semaphore = 0xA3 << 24 | 7 << 20 | 3 << 16 | 1 << (2 + 5)
        setrwc = 0x37 << 24 | 9 << 14 | 4     # Dst = 9
        set_z = 0x54 << 24 | 2 << 21 | 5 << 12 | 4  # unpacker 1, channel 1
        self.push(semaphore, setrwc, set_z)
        self.tile.cont()
        self.assertEqual(self.registers.semaphores()[5].tolist(), [3, 7])
        shown = self.tile.state.semaphores()[5]
        self.assertEqual((shown.value, shown.max), (3, 7))
        for counters, shown in zip(self.registers.rwcs(),
                                   self.tile.state.rwcs()):
            for name in ('Dst', 'Dst_Cr', 'SrcA', 'SrcA_Cr', 'SrcB',
                         'SrcB_Cr', 'Sp'):
                self.assertEqual(shown[name.lower().replace('_', '-')],
                                 counters[name])
            self.assertEqual(shown['fidelity'], counters['FidelityPhase'])
        self.assertEqual(self.registers.rwcs()[1]['Dst'], 9)
        self.check_adcs()
        self.assertEqual(self.registers.adcs()[1]['unpacker1'][1]['Z'], 5)

    def check_adcs(self):
        registers = self.registers.adcs()
        for shown in self.tile.state.adcs():
            there = registers[shown['thread']][shown['unit']]
            for name, value in there[shown['channel']].items():
                self.assertEqual(shown[name.lower().replace('_', '-')], value)

    def test_banks(self):
        setdvalid = 0x57 << 24 | 1
        self.push(setdvalid)
        self.tile.cont()
        banks = self.registers.banks()
        self.assertEqual((banks['SrcA[0]'], banks['SrcA[1]']),
                         ('matrix unit', 'unpackers'))
        self.assertEqual(banks['Unpackers[0].SrcBank'], 1)

    def test_gprs_and_flags(self):
        self.tile.write32(0xFFE00000 + 0x100 + 4 * 9, 0x12345678)
        gprs = self.registers.gprs()
        self.assertEqual((gprs.shape, gprs[1][9]), ((3, 64), 0x12345678))
        self.assertEqual(self.registers.lane_flags() & ~0xFFFFFFFF, 0)

    def test_refusals(self):
        for call in (lambda r: r.dest('tf33'), lambda r: r.srca('int16'),
                     lambda r: r.set_dest([[1] * 15]),
                     lambda r: r.set_dest([[1] * 16] * 2, 'fp32', 511),
                     lambda r: r.set_src('srca', [[1] * 16], 'raw', 0, 64),
                     lambda r: r.set_lreg(17, [0] * 32),
                     lambda r: r.set_lreg(0, [0] * 31),
                     lambda r: r.set_dest([[2048] * 16], 'int8')):
            with self.assertRaises(FormatError):
                call(self.registers)


class Machine(Folder, Lists):
    def test_memory(self):
        tile = self.tile(stopped=True)
        data = random.Random(3).randbytes(300001)
        for address in (0x1003, dram_address(3, 0x12345)):
            tile.write(address, data)
            self.assertTrue(tile.read(address, len(data)) == data)
            self.assertEqual(tile.read8(address + 70001), data[70001])
        self.assertEqual(tile.read(0x1000, 0), b'')
        tile.put(0x2000, numpy.arange(6).reshape(2, 3), 's16')
        self.assertEqual(tile.get(0x2000, (3, 2), 's16').tolist(),
                         [[0, 1], [2, 3], [4, 5]])
        matrix = numpy.arange(2048).reshape(32, 64) / 4
        tile.put_tiles(0x4000, matrix, 'fp32', by_column=True)
        self.same(tile.get_tiles(0x4000, (32, 64), 'fp32', by_column=True),
                  matrix)

    def test_addresses(self):
        places = {dram_address(bank) for bank in range(8)}
        self.assertEqual(len(places), 8)
        for call in (lambda: dram_address(8),
                     lambda: dram_address(0, 1 << 36)):
            with self.assertRaises(ValueError):
                call()

    def program(self, hart, base, value, address):
        return self.elf(hart, {base: rv.li(A0, value) + rv.li(A1, address) +
                               [rv.sw(A0, A1)] + rv.HALT}, base)

    def test_load_and_release_at_run_time(self):
        """Any hart, again and again."""
        tile = self.tile()
        for turn in range(2):
            for n, hart in enumerate(('brisc', 'ncrisc', 'trisc0', 'trisc1',
                                      'trisc2')):
                value, base = 100 * turn + n + 1, 0x8000 + 0x1000 * n
                path = self.program(hart, base, value, RESULT + 4 * n)
                tile.hold(hart)
                self.assertEqual(tile.load(hart, path).entry, base)
                tile.release(hart)
                tile.wait_for_word(RESULT + 4 * n, value)
        tile.hold()
        self.assertEqual(tile.read32(0xFFB121B0) & 0x47800, 0x47800)

    def test_time_out_says_why(self):
        path = self.elf('a', {0x8000: rv.li(A1, 0xFFEC1000) +
                              [rv.lw(A0, A1)] + rv.HALT}, 0x8000)
        tile = self.tile(images={'trisc1': path})
        with self.assertRaisesRegex(TileTimeout, r'it is 0x0: (?s:.*)'
                                    'mail from trisc0') as caught:
            tile.wait_for_word(RESULT, 1, 0.3)
        self.assertIn('state: waiting', caught.exception.why)

    def test_state(self):
        path = self.program('trisc0', 0x8000, 77, RESULT)
        first = self.tile(images={'trisc0': path})
        first.wait_for_word(RESULT, 77)
        first.registers.set_lreg(1, [1.5] * 32, 'fp32')
        state = os.path.join(self.folder, 'state')
        first.save(state)
        first.close()
        with self.assertRaisesRegex(StartError, 'load of migration failed'):
            self.tile(incoming=__file__)
        second = self.tile(images={'trisc0': path}, stopped=True,
                           incoming=state)
        self.assertEqual(second.read32(RESULT), 77)
        self.assertEqual(second.registers.lregs('fp32')[1][5], 1.5)

    def test_violations(self):
        path = self.elf('a', {0x8000: [rv.ttinsn(0x06000000)] +
                              rv.li(A1, RESULT) + [rv.sw(A1, A1)] + rv.HALT},
                        0x8000)
        tile = self.tile(images={'trisc0': path}, report=True)
        tile.wait_for_word(RESULT, RESULT)
        (category, text), = tile.violations()
        self.assertEqual(category, 'undefined-behaviour')
        self.assertIn('pc 0x00008000', text)

    def test_an_end_says_what_happened(self):
        """Status and output, instead of a broken pipe."""
        text = 0x8100
        path = self.file('a', rv.elf({
            0x8000: rv.code(rv.li(A0, 4) + rv.li(A1, text) + rv.SEMIHOSTING +
                            rv.li(A0, 0x18) + rv.li(A1, 0) + rv.SEMIHOSTING),
            text: b'farewell\0'}, 0x8000))
        tile = self.tile(images={'trisc0': path})
        tile.wait_for_exit()
        for call in (lambda: tile.read32(0), tile.status,
                     lambda: tile.write(0, bytes(100000))):
            with self.assertRaisesRegex(EndedError,
                                        r'ended with status \d+: farewell'):
                call()
        self.assertEqual(tile.hart_pcs(), {})

    def test_start_errors(self):
        for options, text in (({'machine': 'nothing=1'}, 'nothing'),
                              ({'images': {'brisc': '/none,=.elf'}},
                               '/none,=.elf'),
                              ({'extra': ['-nothing']}, 'nothing')):
            with self.assertRaisesRegex(StartError, text):
                Tile(**options)

    def test_what_does_not_start_leaves_nothing(self):
        """Neither an emulator nor a folder, whatever happens in between."""
        def interrupted(_):
            made.append(tile.process)
            raise KeyboardInterrupt

        made = []
        for name in ('_start', 'go'):
            tile = Tile.__new__(Tile)
            setattr(tile, name, lambda: interrupted(tile))
            with mock.patch('tempfile.tempdir', self.folder), \
                    self.assertRaises(KeyboardInterrupt):
                Tile.__init__(tile)
            self.assertEqual(os.listdir(self.folder), [])
        self.assertIsNone(made[0])
        self.assertIsNotNone(made[1].poll())


class Protocol(Folder):
    """Attached to a socket behind which something else may be."""

    def serve(self, *lines):
        """Says a line, and another one to each that it is sent."""
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        path = os.path.join(self.folder, f'{len(os.listdir(self.folder))}')
        server.bind(path)
        server.listen()

        def talk():
            link, _ = server.accept()
            with link, contextlib.suppress(OSError):
                for line in lines:
                    link.sendall(line and line + b'\n')
                    link.recv(1000)
        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        return path

    def test_a_greeting_that_is_none(self):
        for line in (b'5', b'null', b'[]', b'{}', b'"QMP"', b'no JSON',
                     b'[' * 100000, b'\xff\xfe'):
            with self.subTest(line[:9]), \
                    self.assertRaisesRegex(StartError, 'no QMP'):
                Attached(self.serve(line))

    def test_answers_and_events(self):
        with Attached(self.serve(
                b'{"QMP": 1}', b'{"return": {}}',
                b'{"event": "STOP"}\n{"id": "old", "return": 6}\n'
                b'{"id": "old", "error": {}}\n{"return": 7}',
                b'{"error": {"desc": "no such thing"}}', b'{"error": 5}',
                b'17')) as tile:
            self.assertEqual(tile.qmp('first'), 7)
            self.assertEqual(tile.events, [{'event': 'STOP'}])
            for wrong in ('no such thing', '5', 'not what QMP says'):
                with self.assertRaisesRegex(TileError, wrong):
                    tile.qmp('more')
            with self.assertRaisesRegex(EndedError, 'QEMU has ended'):
                tile.qmp('last')

    def test_silence(self):
        with self.assertRaisesRegex(StartError, 'no answer within 0.2 s'):
            Attached(self.serve(b''), seconds=0.2)
        with self.assertRaisesRegex(StartError, 'No such file'):
            Attached(os.path.join(self.folder, 'none'))


# --- tt-metal's mailboxes, with a firmware of our own on BRISC ---

ENTRY, GO, LAUNCH = 0x3840, 0x373, 0x70
BASE_FIELD, RTA_FIELD, TEXT_FIELD = 0, 22, 44


def load_byte(rd, rs1, imm):
    return rv.i_type(rv.LOAD, 4, rd, rs1, imm)


def load_half(rd, rs1, imm):
    return rv.i_type(rv.LOAD, 5, rd, rs1, imm)


def store_byte(rs2, rs1, imm):
    return rv.s_type(rv.STORE, 0, rs1, rs2, imm)


def add(rd, rs1, rs2):
    return rv.r_type(rv.OP, 0, 0, rd, rs1, rs2)


def firmware_of_ours():
    """Boot is over at once; a launch calls BRISC's kernel with the base in
    A3, and is over when that returns."""
    start = rv.li(A1, 0) + rv.li(A2, 0x80) + [store_byte(ZERO, A1, GO)]
    wait = [rv.FENCE, load_byte(A0, A1, GO)]
    wait += [rv.branch(1, A0, A2, -4 * len(wait))]
    call = [rv.lw(A3, A1, LAUNCH + BASE_FIELD),
            rv.lw(A0, A1, LAUNCH + TEXT_FIELD), add(A0, A0, A3),
            rv.i_type(rv.JALR, 0, RA, A0, 0), store_byte(ZERO, A1, GO)]
    return start + wait + call + [rv.jump(-4 * len(wait + call))]


def kernel_of_ours():
    """The sum of two arguments into L1."""
    return [load_half(A0, A1, LAUNCH + RTA_FIELD), add(A3, A3, A0),
            rv.lw(A0, A3), rv.lw(A3, A3, 4), add(A3, A3, A0),
            *rv.li(A0, RESULT), rv.sw(A3, A0),
            rv.i_type(rv.JALR, 0, ZERO, RA, 0)]


def write_firmware(test):
    """Five ELFs into the folder of a test."""
    test.elf('brisc.elf', {ENTRY: firmware_of_ours()}, ENTRY)
    for n, hart in enumerate(('ncrisc', 'trisc0', 'trisc1', 'trisc2')):
        base = 0x5000 + 0x400 * n
        test.elf(f'{hart}.elf', {base: rv.HALT}, base)


class Firmware(Folder):
    def setUp(self):
        super().setUp()
        write_firmware(self)

    def booted(self, **options):
        tile = self.tile(**options)
        tile.boot_firmware(self.folder)
        return tile

    def test_boot(self):
        tile = self.booted(stopped=True)
        self.assertEqual(tile.read32(0), rv.jump(ENTRY))
        self.assertEqual(tile.read8(GO), 0)
        table = tile.get(0x112B0, (2, 7), 'u16').tolist()
        wanted = [y << 6 | x for x, y in (
            (17, 12), (17, 15), (17, 18), (17, 21), (18, 12), (18, 15),
            (18, 18))]
        self.assertEqual(table, [wanted, wanted])
        tile.boot_firmware(self.folder)       # a warm boot

    def test_boot_refuses(self):
        tile = self.tile()
        os.remove(os.path.join(self.folder, 'trisc1.elf'))
        with self.assertRaisesRegex(FileNotFoundError, 'trisc1.elf'):
            tile.boot_firmware(self.folder)
        self.elf('trisc1.elf', {0x5800: rv.HALT}, 0x5800)
        self.elf('brisc.elf', {ENTRY: rv.HALT}, ENTRY)
        with self.assertRaisesRegex(TileTimeout, 'boot of the firmware'):
            tile.boot_firmware(self.folder, 0.3)

    def test_launch(self):
        path = self.elf('kernel.elf', {0x9000: kernel_of_ours()}, 0x9000)
        raw = self.file('kernel.bin', rv.code(kernel_of_ours()))
        tile = self.booted()
        for kernel, a, b in ((path, 5, 6), (raw, 70, 80),
                             (rv.code(kernel_of_ours()), 1 << 30, 1 << 30)):
            tile.launch({'brisc': kernel}, {'brisc': [a, b]},
                        {2: Buffer(0x37000, 0x1000)}, semaphores=[7])
            self.assertEqual(tile.read32(RESULT), a + b)

    def test_message(self):
        """Field by field, from their published offsets."""
        launch = firmware.Launch(
            {'brisc': b'B' * 20, 'trisc0': b'T' * 8},
            {'brisc': [1, 2, 3], 'trisc2': [4]},
            {0: Buffer(0x37000, 0x1000), 16: Buffer(0x39000, 0x2000, 1088)},
            [9, 8])
        message, image = launch.message(), bytes(launch.image)
        self.assertEqual(len(message), 96)

        def half(at):
            return struct.unpack_from('<H', message, at)[0]

        def word(at):
            return struct.unpack_from('<I', message, at)[0]

        self.assertEqual([word(4 * n) for n in range(3)], [0x82B0] * 3)
        self.assertEqual(struct.unpack_from('<3I', image, half(22)), (1, 2, 3))
        self.assertEqual(struct.unpack_from('<I', image, half(38)), (4,))
        self.assertEqual(struct.unpack_from('<5I', image, half(12)),
                         (9, 0, 0, 0, 8))
        self.assertEqual(struct.unpack_from('<4I', image, half(18)),
                         (0x37000, 0x1000, 2, 2048))
        self.assertEqual(struct.unpack_from('<4I', image, half(18) + 256),
                         (0x39000, 0x2000, 7, 1088))
        self.assertEqual(message[42], 1)
        self.assertEqual(image[word(44):][:20], b'B' * 20)
        self.assertEqual(image[word(52):][:8], b'T' * 8)
        self.assertEqual([word(44) % 16, word(52) % 16], [0, 0])
        self.assertEqual((word(64), message[70], word(76)),
                         (1 << 0 | 1 << 16, 32, 1 | 4))

    def test_refusals(self):
        for options in (({},), ({'erisc': b''},),
                        ({'brisc': bytes(0x30000)},),
                        ({'brisc': b''}, {}, {32: Buffer(0, 2048)})):
            with self.assertRaises(FirmwareError):
                firmware.Launch(*options)

    def test_pages(self):
        tile = self.tile(stopped=True)
        data = random.Random(5).randbytes(2048 * 20 + 100)
        tile.write_pages(0x1000, data)
        self.assertEqual(tile.read_pages(0x1000, len(data)), data)
        self.assertEqual(tile.read(dram_address(2, 0x1000 + 2048), 2048),
                         data[2048 * 9:][:2048])


if __name__ == '__main__':
    unittest.main()
