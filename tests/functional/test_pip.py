# SPDX-License-Identifier: GPL-2.0-or-later
"""pip install ./python: in a virtual environment, without a network."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import unittest

import blackhole_tile
from blackhole_tile import paths, program
from blackhole_tile.testing import BUILD, ROOT
from test_board import Folder

PYTHON, SECONDS = '/usr/bin/python3', 300
SYSTEM_PATH = '/usr/bin:/bin'
NEEDED = [name for name in ('ensurepip', 'setuptools', 'wheel')
          if not importlib.util.find_spec(name)]
TEST = '''
import numpy
import pytest

@pytest.mark.tile(ADD, words={0x20000: 4})
@pytest.mark.accelerator('single', 'icount')
def test_add(tile):
    a = numpy.arange(4096).reshape(64, 64) % 7
    tile.put_tiles(0x40000, a, 'bf16')
    tile.put_tiles(0x60000, a, 'bf16')
    tile.go()
    tile.wait_for_word(0x20004, 4)
    assert (tile.get_tiles(0x80000, (64, 64), 'bf16') == 2 * a).all()
'''


def call(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS, check=False, **options)


class Version(unittest.TestCase):
    def test_is_the_trees(self):
        with open(os.path.join(ROOT, 'hw', 'tenstorrent', 'VERSION'),
                  encoding='utf-8') as file:
            self.assertEqual(blackhole_tile.__version__, file.read().strip())


@unittest.skipIf(NEEDED, f'{" ".join(NEEDED)} missing: scripts/setup installs '
                         f'them')
class Pip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        source = os.path.join(cls.place.name, 'python')
        shutil.copytree(os.path.join(ROOT, 'python'), source,
                        ignore=shutil.ignore_patterns('__pycache__', 'build'))
        cls.venv = os.path.join(cls.place.name, 'venv')
        cls.env = {'PATH': SYSTEM_PATH, 'HOME': cls.place.name,
                   'PIP_NO_INDEX': '1', 'PIP_DISABLE_PIP_VERSION_CHECK': '1'}
        for command in ((PYTHON, '-m', 'venv', '--system-site-packages',
                         cls.venv),
                        (f'{cls.venv}/bin/pip', 'install', '--no-deps',
                         '--no-build-isolation', source)):
            done = call(*command, env=cls.env, cwd=cls.place.name)
            assert done.returncode == 0, done.stdout
        cls.add = os.path.join(BUILD, 'examples', 'add')
        program.build(os.path.join(ROOT, 'examples', 'add'))

    def python(self, text, **environment):
        return call(f'{self.venv}/bin/python', '-c', text,
                    cwd=self.place.name, env={**self.env, **environment})

    def test_package_is_whole(self):
        installed = self.python('import os, blackhole_tile as bt\n'
                                'print(os.path.dirname(bt.__file__))')
        folder = installed.stdout.strip()
        self.assertTrue(folder.startswith(self.venv), folder)
        here = os.path.join(ROOT, 'python', 'blackhole_tile')
        for path, folders, names in os.walk(here):
            folders[:] = [name for name in folders if name != '__pycache__']
            for name in names:
                there = os.path.join(folder, os.path.relpath(path, here), name)
                self.assertTrue(os.path.exists(there), there)

    def test_emulator(self):
        text = ('import blackhole_tile as bt\n'
                'with bt.Tile(stopped=True) as tile:\n'
                '    print(bt.machine.ROOT, tile.command[0], bt.tt("NOP"))')
        emulator = os.path.join(BUILD, paths.EMULATOR)
        # a program in PATH leads to its tree, and to what that has built
        trees = os.path.join(ROOT, 'build', paths.EMULATOR)
        for environment, wanted in (
                ({'BLACKHOLE_TILE': ROOT, 'TENSIX_BUILD': BUILD}, emulator),
                ({'BLACKHOLE_TILE_QEMU': emulator}, emulator),
                ({'PATH': f'{BUILD}:{SYSTEM_PATH}'},
                 trees if os.path.exists(trees) else emulator)):
            with self.subTest(environment):
                self.assertEqual(self.python(text, **environment).stdout,
                                 f'{ROOT} {wanted} {0x02000000}\n')

    def test_no_emulator(self):
        done = self.python('import blackhole_tile as bt\nbt.Tile()')
        self.assertIn('StartError: no emulator: PATH has neither', done.stdout)
        self.assertIn('set BLACKHOLE_TILE', done.stdout)

    def test_pytest(self):
        """Only where it is named: no project gets it unasked."""
        path = os.path.join(self.place.name, 'test_add.py')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'ADD = {self.add!r}\n{TEST}')
        command = [f'{self.venv}/bin/python', '-m', 'pytest', '-v', path]
        env = {**self.env, 'BLACKHOLE_TILE': ROOT, 'TENSIX_BUILD': BUILD}
        done = call(*command, '-p', 'blackhole_tile.pytest_plugin', env=env,
                    cwd=self.place.name)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('test_add[icount] PASSED', done.stdout)
        done = call(*command, env=env, cwd=self.place.name)
        self.assertIn("fixture 'tile' not found", done.stdout)

    def test_commands(self):
        env = {**self.env, 'BLACKHOLE_TILE': ROOT, 'TENSIX_BUILD': BUILD}
        for name in ('run', 'debug', 'timeline', 'picture', 'view'):
            done = call(f'{self.venv}/bin/blackhole-tile-{name}', '--help',
                        env=env, cwd=self.place.name)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(f'usage: blackhole-tile-{name}', done.stdout)
        done = call(f'{self.venv}/bin/blackhole-tile-run',
                    os.path.join(ROOT, 'examples', 'add'), '--quiet', env=env,
                    cwd=self.place.name)
        self.assertEqual(done.returncode, 0, done.stdout)


class WhatIsMissing(Folder):
    """One line says it."""

    def test_another_python_has_numpy(self):
        """A virtual environment's: scripts/run takes that."""
        self.file('sitecustomize.py', b'import os, sys\n'
                  b'if "HAS_NUMPY" not in os.environ:\n'
                  b'    sys.modules["numpy"] = None\n')
        own = self.file('python3', f'#!/bin/sh\nHAS_NUMPY=1 exec {PYTHON} '
                        f'"$@"\n'.encode())
        command = [os.path.join(ROOT, 'scripts', 'run'), '--help']
        env = dict(os.environ, PYTHONPATH=self.folder,
                   PATH=f'{self.folder}:{os.environ["PATH"]}')
        self.assertNotIn('--tolerance', call(*command, env=env).stdout)
        os.chmod(own, 0o755)
        self.assertIn('--tolerance', call(*command, env=env).stdout)

    def last_line(self, before):
        done = call(PYTHON, '-B', '-c', f'{before}\nimport blackhole_tile',
                    env={'PATH': SYSTEM_PATH,
                         'PYTHONPATH': os.path.join(ROOT, 'python')})
        self.assertEqual(done.returncode, 1)
        self.assertNotIn('During handling', done.stdout)
        return done.stdout.splitlines()[-1]

    def test_numpy(self):
        line = self.last_line('import sys; sys.modules["numpy"] = None')
        self.assertRegex(line, r'^ImportError: blackhole_tile needs numpy, '
                         rf'which {PYTHON} does not have \(Debian: '
                         r'python3-numpy')

    def test_python(self):
        line = self.last_line('import sys; sys.version_info = (3, 9, 2)')
        self.assertRegex(line, r'^ImportError: blackhole_tile needs Python '
                         rf'3.10 or newer; {PYTHON} is ')


if __name__ == '__main__':
    unittest.main()
