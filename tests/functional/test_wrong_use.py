# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong uses of scripts/debug, timeline, picture and view, as a new user makes
them: status 1, one line that begins with what is wrong (test_run.py has those
of scripts/run)."""

import os
import subprocess
import tempfile
import unittest

from blackhole_tile.machine import BUILD, ROOT

FIRMWARE = os.path.join(BUILD, 'firmware')
DEMO = os.path.join(FIRMWARE, 'demo-brisc.elf')
HARTS = '(harts: brisc ncrisc trisc0 trisc1 trisc2)'
NO_ELF = 'brisc.elf ncrisc.elf trisc0.elf trisc1.elf trisc2.elf'


class WrongUse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(room.cleanup)
        cls.folder = room.name
        os.mkdir(os.path.join(cls.folder, 'empty'))
        for name in ('text', 'text.npy'):
            with open(os.path.join(cls.folder, name), 'w',
                      encoding='utf-8') as file:
                file.write('hello\n')

    def check(self, tool, rows):
        for words, wanted in rows.items():
            with self.subTest(words):
                done = subprocess.run(
                    [os.path.join(ROOT, 'scripts', tool), *words.split()],
                    cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    timeout=30, check=False)
                self.assertEqual(done.stdout,
                                 f'scripts/{tool}: error: {wanted}\n')
                self.assertEqual(done.returncode, 1)

    def test_debug(self):
        self.check('debug', {
            '': 'HART=ELF|FOLDER: missing (scripts/debug --help)',
            'none': f'none: neither a folder nor HART=ELF {HARTS}',
            f'brsic={DEMO}': f'brsic={DEMO}: neither a folder nor HART=ELF '
                             '(did you mean brisc?)',
            'brisc=none': 'none: No such file or directory',
            'brisc=text': 'text: not a 32-bit RISC-V ELF, no ELF at all',
            'empty': f'empty: has none of {NO_ELF}, and no Makefile that '
                     'makes them',
            f'{FIRMWARE} --program none': f'{FIRMWARE}: has none of ' +
            ' '.join(f'none-{name}' for name in NO_ELF.split()),
            f'{FIRMWARE}/demo --gdb no-gdb':
                'no-gdb: not found: Debian has it in the package '
                'gdb-multiarch',
            f'brisc={DEMO} --accel=fast': "--accel: no 'fast' (one of "
                                          "'single', 'multi', 'icount')",
            f'brisc={DEMO} --gdb=true --machine=hazzards=on':
                '--machine=hazzards=on: the machine has no option hazzards '
                '(did you mean hazards?)'})

    def test_timeline(self):
        self.check('timeline', {
            '': 'FILE: missing (scripts/timeline --help)',
            'none': 'none: No such file or directory',
            'empty': 'empty: Is a directory',
            'text': 'text: is no timeline of a Tensix tile: it does not begin '
                    'with "tensix timeline 1"',
            'text more': 'more: one word too many (scripts/timeline --help)',
            'text --form=svg': '--form: no such option (did you mean '
                               '--format?)',
            'text --from=a': "--from: 'a' is no int (scripts/timeline --help)",
            'text --elf=brsic=x': f'no hart brsic {HARTS}'})

    def test_picture(self):
        self.check('picture', {
            '': 'WHAT: missing (scripts/picture --help)',
            'dest': 'dest: of which machine? --qmp SOCKET or --saved FILE',
            'dest --saved none': 'none: no such file',
            'dest --saved text': 'text: the machine does not load it: '
                                 'qemu-system-riscv64: Not a migration stream',
            'none.npy': 'none.npy: No such file or directory',
            'text.npy': 'text.npy: no .npy file that can be read: EOF: '
                        'reading magic string, expected 8 bytes got 6',
            'dest --qmp none': 'none: No such file or directory; is it the '
                               'socket of -qmp unix:none,server,wait=off, and '
                               'does nobody else use it?',
            'dest --saved a --qmp b': '--qmp: not allowed with argument '
                                      '--saved (scripts/picture --help)'})

    def test_view(self):
        self.check('view', {
            '': 'nothing to run: name a PROGRAM, an ELF for a hart (--brisc '
                'ELF) or --firmware',
            'none': 'none: does not exist, nor do none-brisc.elf, '
                    'none-trisc0.elf, ... in .',
            '--qmp none more': 'more: --qmp shows a machine that runs '
                               'something already',
            '--port=99999 none': "--port: '99999' is no port (scripts/view "
                                 '--help)'})


if __name__ == '__main__':
    unittest.main()
