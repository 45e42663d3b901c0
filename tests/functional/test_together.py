# SPDX-License-Identifier: GPL-2.0-or-later
"""Several at once: what builds the same program, and what reads and writes the
same file."""

import os
import stat
import subprocess
import sys
import threading
import unittest
from unittest import mock

from blackhole_tile import files, program
from test_board import Folder

# Fails where another make is under way in the same folder
ONE_AT_A_TIME = '''all:
\tmkdir $(O)/busy
\tsleep 0.3
\trmdir $(O)/busy
'''


class Build(Folder):
    def test_one_make_at_a_time(self):
        failed = []

        def build():
            try:
                program.build(self.folder)
            except program.UseError as error:
                failed.append(str(error))

        self.file('Makefile', ONE_AT_A_TIME.encode())
        threads = [threading.Thread(target=build) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_folder_that_is_a_file(self):
        path = self.file('out', b'')
        with self.assertRaisesRegex(program.UseError, f'^{path}: '):
            program.build(self.folder, path)


class Write(Folder):
    def content(self, path):
        with open(path, 'rb') as file:
            return file.read()

    def test_old_content_until_the_new_one_is_whole(self):
        path = self.file('numbers', b'old')
        with files.write(path) as file:
            file.write(b'new')
            file.flush()
            self.assertEqual(self.content(path), b'old')
        self.assertEqual(self.content(path), b'new')
        self.assertEqual(os.listdir(self.folder), ['numbers'])

    def test_old_content_after_an_error(self):
        path = self.file('numbers', b'old')
        with self.assertRaises(ZeroDivisionError), files.write(path) as file:
            file.write(b'new')
            raise ZeroDivisionError
        self.assertEqual(self.content(path), b'old')
        self.assertEqual(os.listdir(self.folder), ['numbers'])

    def test_link(self):
        """It stays one, and the file that it names is written."""
        path = self.file('numbers', b'old')
        link = os.path.join(self.folder, 'link')
        os.symlink('numbers', link)
        with files.write(link) as file:
            file.write(b'new')
        self.assertTrue(os.path.islink(link))
        self.assertEqual(self.content(path), b'new')

    def test_pipe(self):
        path, found = os.path.join(self.folder, 'pipe'), []
        os.mkfifo(path)
        reader = threading.Thread(
            target=lambda: found.append(self.content(path)), daemon=True)
        reader.start()
        with files.write(path) as file:
            file.write(b'new')
        reader.join(10)
        self.assertEqual(found, [b'new'])
        self.assertTrue(stat.S_ISFIFO(os.stat(path).st_mode))

    def test_output(self):
        """A link, to what has no name."""
        done = subprocess.run(
            [sys.executable, '-c', 'from blackhole_tile import files\n'
             'with files.write("/dev/stdout") as file:\n'
             '    file.write(b"new")\n'], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b'new')

    def test_what_may_not_be_written_is_not_replaced(self):
        """Root may write it; it is the same file then."""
        path = self.file('numbers', b'old')
        before = os.stat(path).st_ino
        with mock.patch('os.access', return_value=False), \
             files.write(path) as file:
            file.write(b'new')
        self.assertEqual(os.stat(path).st_ino, before)

    def test_error_names_the_file(self):
        path = os.path.join(self.folder, 'none', 'numbers')
        with self.assertRaises(OSError) as caught, files.write(path):
            pass
        self.assertEqual(caught.exception.filename, path)


if __name__ == '__main__':
    unittest.main()
