# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/install: what it installs works at its new place."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from blackhole_tile.machine import ROOT

INSTALL = os.path.join(ROOT, 'scripts', 'install')
UNINSTALL = os.path.join(ROOT, 'scripts', 'uninstall')
MANIFEST = 'share/blackhole-tile/manifest'
VERSION = os.path.join(ROOT, 'hw', 'tenstorrent', 'VERSION')
PREFIX = '/opt/tile'
TOOLS = ('accuracy', 'run', 'debug', 'perturb', 'sweep', 'timeline', 'picture',
         'view')
SYSTEM_PATH = '/usr/bin:/bin'


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, check=False, **options)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        done = run(INSTALL, f'--prefix={PREFIX}',
                   env={**os.environ, 'DESTDIR': cls.temporary.name})
        assert done.returncode == 0, done.stdout
        cls.said = done.stdout
        cls.prefix = cls.temporary.name + PREFIX
        cls.kit = os.path.join(cls.prefix, 'share', 'blackhole-tile')
        # Nothing of this tree is in the way of what is installed
        cls.env = {'PATH': f'{cls.prefix}/bin:{SYSTEM_PATH}',
                   'HOME': cls.temporary.name}

    def test_emulator(self):
        done = run('qemu-system-blackhole-tile', '-M', 'help', env=self.env,
                   cwd='/')
        with open(VERSION, encoding='utf-8') as file:
            version = file.read().strip()
        self.assertRegex(done.stdout, rf'(?m)^blackhole-tile .*\({version}\)$')

    def test_tools_say_help(self):
        for tool in TOOLS:
            done = run(f'blackhole-tile-{tool}', '--help', env=self.env,
                       cwd='/')
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, rf'(?i)^usage: blackhole-tile-{tool} ')
            self.assertNotIn('scripts/', done.stdout)

    def test_tools_name_themselves_as_they_were_typed(self):
        for tool in TOOLS:
            for words in ([], ['--frobnicate'], ['--frobnicate', '/none.elf'],
                          ['/none']):
                done = run(f'blackhole-tile-{tool}', *words, env=self.env,
                           cwd='/')
                with self.subTest(tool, words=words):
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertRegex(done.stdout,
                                     rf'(?m)^blackhole-tile-{tool}: error: ')
                    self.assertNotIn('scripts/', done.stdout)

    def test_what_is_missing_is_named_without_the_tree(self):
        """No numpy; no gdb; no emulator."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'sitecustomize.py'), 'w',
                      encoding='utf-8') as file:
                file.write('import sys\nsys.modules["numpy"] = None\n')
            for words in (['blackhole-tile-run', '/none'],
                          ['blackhole-tile-run', '--help']):
                done = run(*words, env={**self.env, 'PYTHONPATH': folder})
                self.assertIn('blackhole-tile-run', done.stdout)
                self.assertNotIn('scripts/', done.stdout)
        image = os.path.join(ROOT, 'build', 'firmware', 'demo-brisc.elf')
        for words in (['debug', f'brisc={image}', '--gdb', 'no-gdb'],
                      ['run', f'--brisc={image}']):
            done = run('blackhole-tile-' + words[0], *words[1:], env={
                **self.env, 'BLACKHOLE_TILE_QEMU': '/no-emulator'})
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, rf'^blackhole-tile-{words[0]}: '
                                          r'error: (no-gdb|/no-emulator): ')
            self.assertNotIn('scripts/', done.stdout)

    def test_examples_that_were_copied(self):
        examples = os.path.join(self.kit, 'examples')
        names = [name for name in os.listdir(examples)
                 if os.path.exists(os.path.join(examples, name, 'Makefile'))]
        self.assertGreater(len(names), 1)
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                mine = os.path.join(folder, 'mine')
                shutil.copytree(os.path.join(examples, name), mine)
                done = run('blackhole-tile-run', 'mine', env=self.env,
                           cwd=folder)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertTrue(os.path.exists(os.path.join(mine, 'build')))
                self.assertNotIn(ROOT + '/', done.stdout)

    def test_accuracy(self):
        """Of a file, and of an example in its place: nothing is built there."""
        gelu = os.path.join(self.kit, 'examples', 'gelu')
        for kernel, words in ((os.path.join(gelu, 'trisc1.cpp'),
                               ['--function=gelu']), (gelu, [])):
            done = run('blackhole-tile-accuracy', kernel, *words,
                       '--fp32=0x3f800000:0x3f800100', env=self.env, cwd='/')
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn('256 of 256 results counted', done.stdout)
        self.assertFalse(os.path.exists(os.path.join(gelu, 'build')))

    def test_an_example_in_its_place(self):
        add = os.path.join(self.kit, 'examples', 'add')
        done = run('blackhole-tile-run', add, env=self.env, cwd='/')
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('copy it', done.stdout)
        self.assertFalse(os.path.exists(os.path.join(add, 'build')))

    def test_python_package(self):
        text = ('import blackhole_tile as bt\n'
                'with bt.Tile(stopped=True) as tile:\n'
                '    tile.write32(0x1000, 7)\n'
                '    print(bt.__file__, tile.read32(0x1000))\n')
        done = run('/usr/bin/python3', '-B', '-c', text, cwd='/', env={
            **self.env, 'PYTHONPATH': os.path.join(self.kit, 'python')})
        self.assertEqual(done.stdout, os.path.join(
            self.kit, 'python/blackhole_tile/__init__.py') + ' 7\n')

    def test_library_finds_its_emulator(self):
        folders = [folder for folder, _, names in os.walk(self.prefix)
                   if 'libttsim.so' in names and
                   os.path.basename(folder) == 'blackhole-tile']
        self.assertEqual(len(folders), 1)
        text = ('import ctypes, os, sys\n'
                'library = ctypes.CDLL(sys.argv[1])\n'
                'library.libttsim_init()\n'
                'with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children")'
                ' as file:\n'
                '    child = file.read().split()[0]\n'
                'print(os.readlink(f"/proc/{child}/exe"))\n'
                'library.libttsim_exit()\n')
        done = run('/usr/bin/python3', '-c', text,
                   os.path.join(folders[0], 'libttsim.so'), env=self.env)
        self.assertEqual(done.stdout.splitlines()[-1:],
                         [os.path.join(folders[0], 'qemu-system-riscv64')],
                         done.stdout)

    def test_pages(self):
        pages = os.path.join(self.prefix, 'share', 'doc', 'blackhole-tile',
                             'html')
        self.assertTrue(os.path.exists(os.path.join(pages, 'options.html')))

    def test_man_pages(self):
        man = os.path.join(self.prefix, 'share', 'man')
        names = {'man7/blackhole-tile.7', 'man1/qemu-system-blackhole-tile.1',
                 *(f'man1/blackhole-tile-{tool}.1' for tool in TOOLS)}
        self.assertEqual({f'{section}/{name}' for section in os.listdir(man)
                          for name in os.listdir(os.path.join(man, section))},
                         names)

    def test_nothing_of_the_tree_is_left_over(self):
        for folder, folders, names in os.walk(self.prefix):
            self.assertNotIn('__pycache__', folders, folder)
            for name in names:
                self.assertFalse(re.search(r'\.(pyc|o)$', name), name)
                path = os.path.join(folder, name)
                self.assertTrue(os.path.exists(path), path)
                self.assertTrue(os.path.realpath(path).startswith(
                    os.path.realpath(self.prefix)), path)


class Uninstalled(unittest.TestCase):
    """In a prefix with the files of others, which are as before afterwards."""

    @classmethod
    def setUpClass(cls):
        temporary = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.once = os.path.join(temporary, 'once')
        done = run(INSTALL, f'--prefix={cls.once}')
        assert done.returncode == 0, done.stdout

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.prefix = os.path.join(self.temporary.name, 'a prefix')

    def install(self):
        """A copy: names in the manifest are below the prefix."""
        shutil.copytree(self.once, self.prefix, symlinks=True,
                        dirs_exist_ok=True)

    def there(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.prefix)
                      for folder, folders, names in os.walk(self.prefix)
                      for name in folders + names)

    def write(self, path, text='mine'):
        path = os.path.join(self.prefix, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def test_nothing_is_left(self):
        self.install()
        run('/usr/bin/python3', '-c', 'import blackhole_tile', env={
            'PYTHONPATH': f'{self.prefix}/share/blackhole-tile/python'})
        self.assertTrue(any('__pycache__' in path for path in self.there()))
        done = run(UNINSTALL, f'--prefix={self.prefix}')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertFalse(os.path.exists(self.prefix), self.there())
        done = run(UNINSTALL, f'--prefix={self.prefix}')
        self.assertEqual(done.returncode, 1)
        self.assertIn('manifest: does not exist', done.stdout)

    def test_files_of_others_are_kept(self):
        self.write('bin/other')
        self.write('share/blackhole-tile/examples/mine/main.c')
        before = self.there()
        self.install()
        self.write('share/blackhole-tile/examples/add/add.h')
        link = os.path.join(self.prefix, 'bin', 'blackhole-tile-view')
        os.remove(link)
        os.symlink('/bin/true', link)
        done = run(os.path.join(self.prefix, 'bin',
                                'blackhole-tile-uninstall'))
        self.assertEqual(done.returncode, 0, done.stdout)
        kept = ['bin/blackhole-tile-view', 'share/blackhole-tile/examples/add',
                'share/blackhole-tile/examples/add/add.h']
        self.assertEqual(self.there(), sorted(before + kept))
        for path in kept[0], kept[2]:
            self.assertIn(f'kept: {self.prefix}/{path}: changed since it was '
                          'installed\n', done.stdout)
        self.assertIn(f'kept: {self.prefix}/{kept[1]}: has other files\n',
                      done.stdout)

    def test_an_earlier_installation_is_removed_first(self):
        self.prefix = self.once
        there = self.there()
        manifest = os.path.join(self.prefix, MANIFEST)
        lost = 'share/blackhole-tile/examples/lost'
        self.write(lost)
        with open(manifest, 'a', encoding='utf-8') as file:
            file.write(f'file\t{hashlib.sha256(b"mine").hexdigest()}\t{lost}\n')
        done = run(INSTALL, f'--prefix={self.prefix}')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.there(), there)

    def test_a_damaged_manifest_removes_nothing(self):
        for line in ('file\t0\t../other', 'file\t0\t/etc/passwd', 'tree\t-\tbin',
                     'file\t0\tbin/../../other', 'file'):
            self.write('bin/other')
            self.write(MANIFEST, 'file\t' +
                       hashlib.sha256(b'mine').hexdigest() + '\tbin/other\n' +
                       line + '\n')
            before = self.there()
            done = run(UNINSTALL, f'--prefix={self.prefix}')
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn('damaged', done.stdout)
            self.assertEqual(self.there(), before)


class Refused(unittest.TestCase):
    def test_wrong_words(self):
        for word in ('--prefix=here', '--prefix', 'somewhere', '--frobnicate'):
            for script in INSTALL, UNINSTALL:
                done = run(script, word)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(word, done.stdout)
                self.assertIn('--help', done.stdout)

    def test_help(self):
        done = run(INSTALL, '--help')
        self.assertEqual(done.returncode, 0)
        self.assertIn('DESTDIR', done.stdout)


if __name__ == '__main__':
    unittest.main()
