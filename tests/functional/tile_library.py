# SPDX-License-Identifier: GPL-2.0-or-later
"""libblackhole-tile.so as tt-umd uses it: by its symbols, through its BARs."""

import ctypes
import os
import re
import struct
import sys
import tempfile
import time

from blackhole_tile.testing import BUILD

LIBRARY = os.path.join(BUILD, 'libblackhole-tile.so')

SYMBOLS = {
    # name: (result, arguments)
    'libttsim_init': (None, []),
    'libttsim_exit': (None, []),
    'libttsim_set_pci_dma_mem_callbacks': (None, [ctypes.c_void_p] * 2),
    'libttsim_pci_config_rd32': (ctypes.c_uint32, [ctypes.c_uint32] * 2),
    'libttsim_pci_config_wr32': (None, [ctypes.c_uint32] * 3),
    'libttsim_pci_mem_rd_bytes':
        (None, [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32]),
    'libttsim_pci_mem_wr_bytes':
        (None, [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32]),
    'libttsim_tile_rd_bytes':
        (None, [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64,
                ctypes.c_void_p, ctypes.c_uint32]),
    'libttsim_tile_wr_bytes':
        (None, [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64,
                ctypes.c_void_p, ctypes.c_uint32]),
    'libttsim_clock': (None, [ctypes.c_uint32]),
}
DMA_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p,
                                ctypes.c_uint32)

BAR0 = 0x1_0000_0000
BAR2 = 0x1_2000_0000
BAR4 = 0x8_0000_0000
TLB_REGISTERS = BAR0 + 0x1FC00000
TLB_STRIDES = TLB_REGISTERS + 210 * 12
IATU = BAR2 + 0x1000
SIZE_2M, SIZE_4G = 1 << 21, 1 << 32
FIRST_4G = 202

TILE = (1, 2)


def load(path=None):
    """The library, its functions with their types."""
    library = ctypes.CDLL(path or LIBRARY)
    for name, (result, arguments) in SYMBOLS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def window_words(size, address, end, start=(0, 0), multicast=False, noc=0,
                 ordering=0):
    """Three words of configuration of a window.

    Layout: tt-umd, blackhole_implementation.hpp, TLB_2M_OFFSET, TLB_4G_OFFSET.
    """
    first = 43 if size == SIZE_2M else 32
    value = address // size
    for shift, field in [(0, end[0]), (6, end[1]), (12, start[0]),
                         (18, start[1]), (24, noc), (26, multicast),
                         (27, ordering)]:
        value |= int(field) << first + shift
    return struct.pack('<3I', *(value >> 32 * n & 0xFFFFFFFF
                                for n in range(3)))


class Chip:
    """The library, started; at the end of a with statement it has ended."""

    def __init__(self, dma_read=None, dma_write=None, library=None):
        """dma_read(address, size) -> bytes; dma_write(address, data)."""
        self.library = load(library)
        self.callbacks = ()
        if dma_read or dma_write:
            self._set_callbacks(dma_read, dma_write)
        self.library.libttsim_init()

    def _set_callbacks(self, dma_read, dma_write):
        def read(address, to, size):
            ctypes.memmove(to, dma_read(address, size), size)

        def write(address, data, size):
            dma_write(address, ctypes.string_at(data, size))

        self.callbacks = DMA_CALLBACK(read), DMA_CALLBACK(write)
        self.library.libttsim_set_pci_dma_mem_callbacks(*(
            ctypes.cast(function, ctypes.c_void_p)
            for function in self.callbacks))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.libttsim_exit()

    def config(self, offset, device=0):
        return self.library.libttsim_pci_config_rd32(device << 3, offset)

    # --- BARs ---

    def bar_read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.library.libttsim_pci_mem_rd_bytes(address, data, size)
        return data.raw

    def bar_write(self, address, data):
        self.library.libttsim_pci_mem_wr_bytes(address, data, len(data))

    def set_window(self, index, address, end=TILE, **options):
        """Lets window INDEX show ADDRESS; where it is in the BARs."""
        size = SIZE_2M if index < FIRST_4G else SIZE_4G
        self.bar_write(TLB_REGISTERS + 12 * index,
                       window_words(size, address, end, **options))
        base = BAR0 + index * size if size == SIZE_2M else \
            BAR4 + (index - FIRST_4G) * size
        return base + address % size

    # --- tiles ---

    def read(self, address, size, tile=TILE):
        data = ctypes.create_string_buffer(size)
        self.library.libttsim_tile_rd_bytes(*tile, address, data, size)
        return data.raw

    def write(self, address, data, tile=TILE):
        self.library.libttsim_tile_wr_bytes(*tile, address, data, len(data))

    def read32(self, address, tile=TILE):
        return int.from_bytes(self.read(address, 4, tile), 'little')

    def write32(self, address, value, tile=TILE):
        self.write(address, struct.pack('<I', value), tile)

    def clock(self, count=1):
        self.library.libttsim_clock(count)


# --- what tests need beside it ---

ERROR = re.compile(r'^\[\d+\] ERROR: (\w+): (\w+): (.*)$', re.MULTILINE)


class Output:
    """What arrives at stdout and stderr of this process, not only of Python."""

    def __enter__(self):
        sys.stdout.flush()
        sys.stderr.flush()
        self.texts = None
        self.files = [tempfile.TemporaryFile() for _ in range(2)]
        self.saved = [os.dup(fd) for fd in (1, 2)]
        for fd, file in enumerate(self.files, 1):
            os.dup2(file.fileno(), fd)
        return self

    def __exit__(self, *_):
        for fd, saved in enumerate(self.saved, 1):
            os.dup2(saved, fd)
            os.close(saved)
        self.texts = self._read()
        for file in self.files:
            file.close()

    def _read(self):
        """Without moving the end, where the next output goes."""
        return self.texts or [
            os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode()
            for file in self.files]

    def stdout(self):
        return self._read()[0]

    def stderr(self):
        return self._read()[1]

    def errors(self):
        """(category, function, text) of each, as tt-llk's tests find them."""
        return ERROR.findall(self.stdout())


def parent_of(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return int(file.read().rpartition(')')[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def children(pid=None):
    """Process ids of the children of a process, this one by default."""
    pid = pid or os.getpid()
    return [int(name) for name in os.listdir('/proc')
            if name.isdigit() and parent_of(name) == pid]


def is_alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, seconds=30):
    """Whether condition() came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


class Options:
    """Environment variables for the time of a with statement; None: unset."""

    def __init__(self, **values):
        self.values = values

    def __enter__(self):
        self.saved = {name: os.environ.get(name) for name in self.values}
        self._set(self.values)
        return self

    def __exit__(self, *_):
        self._set(self.saved)

    @staticmethod
    def _set(values):
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
