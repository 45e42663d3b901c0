# SPDX-License-Identifier: GPL-2.0-or-later
"""The snapshots that later releases have to load, in tests/functional/snapshots.

    python3 tests/functional/snapshot_files.py [NAME...]

writes them with the emulator of build/, format-N-NAME.gz, with the memory that
each program ends with. Only for a new format, or a new program: a file that
exists is what the format promises, and stays.
"""
import gzip
import hashlib
import json
import os
import re
import struct
import sys
import tempfile
import time
from typing import Dict, NamedTuple, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'python'))

# pylint: disable=wrong-import-position
from blackhole_tile.memory_map import (APERTURE, APERTURE_SIZE, L1_SIZE,
                                       tile_address)
from blackhole_tile.testing import SHARED, Tile

FOLDER = os.path.join(HERE, 'snapshots')
FORMAT = 1
SECONDS = 120
# QEMU's stream: the description of all that was saved, at its end
VMDESC = 0x06
TOKEN_ROUNDS = 30000


class Program(NamedTuple):
    """A program of tests/firmware, and when it is saved."""
    firmware: str
    accel: str
    machine: str
    words: Dict[int, int]              # before it runs
    saved: Tuple[int, int]             # when this word is at least so much
    go: Dict[int, int]                 # written after it is loaded
    ends: Tuple[Tuple[int, int], ...]  # words that are 1 at the end


PROGRAMS = {
    'everything': Program('snapshot', 'single', '', {}, (SHARED + 4, 1),
                          {SHARED: 1}, ((SHARED + 8, 1),)),
    'rewind': Program('snapshot', 'icount', 'rewind=on,hazards=on', {},
                      (SHARED + 4, 1), {SHARED: 1}, ((SHARED + 8, 1),)),
    'token': Program('token', 'multi', 'tiles=2x1',
                     {tile_address(n, SHARED + 4 * i): value for n in (0, 1)
                      for i, value in enumerate((2, 1, TOKEN_ROUNDS))},
                     (tile_address(1, SHARED + 12), 100), {},
                     tuple((tile_address(n, SHARED + 16), 1) for n in (0, 1))),
}


def path_of(name: str, number: int = FORMAT) -> str:
    return os.path.join(FOLDER, f'format-{number}-{name}.gz')


def start(name: str, **options) -> Tile:
    program = PROGRAMS[name]
    return Tile(accel=program.accel, machine=program.machine, **options)


def final(tile: Tile, name: str) -> str:
    """Lets a loaded program end; SHA-256 of L1 and of the register files of
    its tiles, from which clocks are absent."""
    program = PROGRAMS[name]
    for address, value in program.go.items():
        tile.write32(address, value)
    for address, value in program.ends:
        tile.wait_for_word(address, value, seconds=SECONDS)
    tile.qmp('stop')
    digest = hashlib.sha256()
    for n in range(2 if 'tiles' in program.machine else 1):
        for base, size in ((0, L1_SIZE), (APERTURE, APERTURE_SIZE)):
            digest.update(tile.read(tile_address(n, base), size))
    return digest.hexdigest()


def layout(stream: bytes) -> dict:
    """{(section, instance): its fields} that QEMU wrote at the stream's end."""
    start_at = stream.rindex(b'{"configuration"')
    if stream[start_at - 5] != VMDESC:
        raise ValueError('no description at the end of the stream')
    size, = struct.unpack('>I', stream[start_at - 4:start_at])
    devices = json.loads(stream[start_at:start_at + size])['devices']
    return {(device['name'], device['instance_id']):
            {key: device[key] for key in ('version', 'fields', 'subsections')
             if key in device} for device in devices}


def save(name: str, path: str) -> None:
    """A snapshot of the program at its moment, by today's emulator."""
    program = PROGRAMS[name]
    with start(name, program=program.firmware, words=program.words) as tile:
        address, least = program.saved
        tile.wait_for(lambda t: t.read32(address) >= least)
        time.sleep(0 if program.firmware == 'token' else 0.3)
        tile.save(path)


def make(name: str, folder: str) -> None:
    """Writes the file of one program: a line of JSON, and the stream."""
    path = os.path.join(folder, name)
    save(name, path)
    with start(name, incoming=path) as tile:
        digest = final(tile, name)
    with open(path, 'rb') as file:
        stream = file.read()
    with open(path_of(name), 'wb') as file, \
            gzip.GzipFile(filename='', mode='wb', fileobj=file,
                          mtime=0) as packed:
        packed.write(json.dumps({'final': digest}).encode() + b'\n' + stream)


def load(path: str) -> Tuple[str, bytes]:
    """(SHA-256 of the end, the stream) of a file."""
    with gzip.open(path) as file:
        head = json.loads(file.readline())
        return head['final'], file.read()


def files() -> Dict[str, str]:
    """{path: name of the program} of all formats that still load."""
    found = {}
    for entry in sorted(os.listdir(FOLDER)):
        match = re.fullmatch(r'format-\d+-(\w+)\.gz', entry)
        if match:
            found[os.path.join(FOLDER, entry)] = match.group(1)
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PROGRAMS:
            if os.path.exists(path_of(name)):
                sys.exit(f'{path_of(name)} exists: a format is kept')
            make(name, folder)
            print(path_of(name))


if __name__ == '__main__':
    main()
