# SPDX-License-Identifier: GPL-2.0-or-later
"""The format of snapshots: files of earlier builds load, others are refused."""

import os
import shutil
import struct
import tempfile
import unittest

import snapshot_files
from blackhole_tile import TileError

# QEMU's stream: a section's name, then its instance, version and data
SECTION = b'\x0btensix-tile'
OTHER_FORMAT = snapshot_files.FORMAT + 1


class Format(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='format-')
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, stream):
        path = os.path.join(self.folder, 'state')
        with open(path, 'wb') as file:
            file.write(stream)
        return path

    def test_files_load(self):
        """Each program ends with the bytes that it ended with when it was
        saved."""
        files = snapshot_files.files()
        self.assertEqual({snapshot_files.path_of(name)
                          for name in snapshot_files.PROGRAMS} - {*files},
                         set())
        for path, name in files.items():
            with self.subTest(path):
                digest, stream = snapshot_files.load(path)
                with snapshot_files.start(
                        name, incoming=self.path(stream)) as tile:
                    self.assertEqual(snapshot_files.final(tile, name), digest)

    def test_layout_is_that_of_the_format(self):
        """A field that is added or changes needs a subsection, or a new
        number in tensix_tile_snapshot.c and new files."""
        for name in snapshot_files.PROGRAMS:
            with self.subTest(name):
                path = os.path.join(self.folder, name)
                snapshot_files.save(name, path)
                with open(path, 'rb') as file:
                    now = snapshot_files.layout(file.read())
                _, stream = snapshot_files.load(snapshot_files.path_of(name))
                then = snapshot_files.layout(stream)
                self.assertIn(('tensix-tile', 0), then)
                for section in then.keys() | now.keys():
                    if section[0].startswith('tensix'):
                        self.assertEqual(now.get(section), then.get(section))

    def test_another_format_is_refused(self):
        _, stream = snapshot_files.load(
            snapshot_files.path_of('everything'))
        at = stream.index(SECTION) + len(SECTION) + 8
        number, = struct.unpack_from('>I', stream, at)
        self.assertEqual(number, snapshot_files.FORMAT)
        changed = bytearray(stream)
        struct.pack_into('>I', changed, at, OTHER_FORMAT)
        with self.assertRaisesRegex(
                TileError, f'the snapshot has format {OTHER_FORMAT}; this '
                f'emulator loads format {snapshot_files.FORMAT}'):
            snapshot_files.start('everything', incoming=self.path(changed))


if __name__ == '__main__':
    unittest.main()
