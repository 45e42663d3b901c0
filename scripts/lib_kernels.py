# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench --kernels: one kernel, timed through a library of ttsim's ABI.

lib_kernels.py LIBRARY FOLDER NAME TILES RUNS [SAMPLER SAMPLES]: loads the ELFs
of the folder through BAR 0 and runs them; prints milliseconds of each load and
run together and the sum of the results as the last line, JSON. SAMPLER
(tests/bench/sampler.c) is preloaded into the emulator, and writes SAMPLES.
"""
import ctypes
import hashlib
import json
import os
import pathlib
import random
import struct
import sys
import time

from blackhole_tile import elf

TILE = (1, 2)                       # coordinates on NoC 0
BAR0 = 0x1_0000_0000
WINDOW = 1 << 21
WINDOW_REGISTERS = BAR0 + 0x1FC00000
SOFT_RESET = 0xFFB121B0
ALL_HELD, BRISC_RUNS = 0x47800, 0x47000
SHARED = 0x20000
TILE_BYTES = 2048
CLOCKS = 64
LIMIT = 120                         # s, of a run
# From 2^-5 to 2^2 in bf16
EXPONENTS = range(122, 130)


class Kernel:
    """Words of parameters, the last of which counts tiles when they are
    done; (address, tiles) of what is read and of what is written."""

    def __init__(self, words, done, inputs, output):
        self.words, self.done = words, done
        self.inputs, self.output = inputs, output


def kernel(name, tiles):
    """An example of the tree, for so many tiles (matmul: in each direction).
    """
    if name == 'matmul':
        square = tiles * tiles
        return Kernel([tiles] * 3, square,
                      [(0x40000, square), (0x60000, square)],
                      (0x80000, square))
    held = {'add': 64, 'sfpu': 128}[name]
    inputs = {'add': (0x40000, 0x60000), 'sfpu': (0x40000,)}[name]
    return Kernel([tiles], tiles, [(at, held) for at in inputs],
                  (0x80000, min(held, tiles)))


def numbers(count, seed):
    """So many bf16, the same ones every time."""
    draw = random.Random(seed)
    return struct.pack(f'<{count}H', *(
        draw.getrandbits(1) << 15 | draw.choice(EXPONENTS) << 7 |
        draw.getrandbits(7) for _ in range(count)))


class Host:
    """The library, started: a tile's memory by two windows of BAR 0."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name in ('rd', 'wr'):
            function = getattr(self.library, f'libttsim_pci_mem_{name}_bytes')
            function.argtypes = [ctypes.c_uint64, ctypes.c_void_p,
                                 ctypes.c_uint32]
        self.library.libttsim_init()
        self.word = ctypes.create_string_buffer(4)
        self.windows = {}
        for address in (0, SOFT_RESET):
            self._open_window(address // WINDOW)

    def _open_window(self, page):
        """Layout: tt-umd, blackhole_implementation.hpp, TLB_2M_OFFSET."""
        index = len(self.windows)
        value = page | TILE[0] << 43 | TILE[1] << 49
        for n in range(3):
            self._write_bar(WINDOW_REGISTERS + 12 * index + 4 * n,
                            struct.pack('<I', value >> 32 * n & 0xFFFFFFFF))
        self.windows[page] = BAR0 + index * WINDOW

    def _write_bar(self, address, data):
        self.library.libttsim_pci_mem_wr_bytes(address, data, len(data))

    def _place(self, address):
        return self.windows[address // WINDOW] + address % WINDOW

    def write(self, address, data):
        self._write_bar(self._place(address), data)

    def write32(self, address, value):
        self.write(address, struct.pack('<I', value))

    def read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.library.libttsim_pci_mem_rd_bytes(self._place(address), data,
                                               size)
        return data.raw

    def wait_for(self, address, value):
        """Polls a word as tt-umd does, with clocks after each read."""
        place, library, word = self._place(address), self.library, self.word
        wanted = struct.pack('<I', value)
        end = time.monotonic() + LIMIT
        while True:
            library.libttsim_pci_mem_rd_bytes(place, word, 4)
            if word.raw == wanted:
                return
            library.libttsim_clock(CLOCKS)
            if time.monotonic() > end:
                raise SystemExit(f'not done after {LIMIT} s')


def run(host, segments, what):
    """Milliseconds; the store that starts BRISC may return at the end."""
    host.write32(SOFT_RESET, ALL_HELD)
    start = time.perf_counter()
    for address, data in segments:
        host.write(address, data)
    host.write(SHARED, struct.pack(f'<{len(what.words) + 1}I', *what.words, 0))
    host.write32(SOFT_RESET, BRISC_RUNS)
    host.wait_for(SHARED + 4 * len(what.words), what.done)
    return (time.perf_counter() - start) * 1e3


def measure(library, folder, what, runs):
    """Times of so many runs, and the sum of what the last one has left."""
    segments = [segment for path in sorted(pathlib.Path(folder).glob('*.elf'))
                for segment in elf.read_elf(str(path)).segments]
    host = Host(library)
    for seed, (address, tiles) in enumerate(what.inputs):
        host.write(address, numbers(tiles * TILE_BYTES // 2, seed))
    times = [run(host, segments, what) for _ in range(runs)]
    result = host.read(what.output[0], what.output[1] * TILE_BYTES)
    host.library.libttsim_exit()
    return {'ms': times, 'sum': hashlib.sha256(result).hexdigest()}


def main():
    library, folder, name, tiles, runs, *sampler = sys.argv[1:]
    if sampler:
        os.environ['LD_PRELOAD'], os.environ['BENCH_SAMPLES'] = sampler
    times = measure(library, folder, kernel(name, int(tiles)), int(runs))
    print(json.dumps(times), flush=True)


if __name__ == '__main__':
    main()
