# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong uses of the tools, as a new user makes them: status 1, one line that
begins with what is wrong (test_run.py has more of scripts/run)."""

import os
import shutil
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile.machine import BUILD
from blackhole_tile.testing import script
from test_run import RUN, Run

FIRMWARE = os.path.join(BUILD, 'firmware')
DEMO = os.path.join(FIRMWARE, 'demo-brisc.elf')
HARTS = '(harts: brisc ncrisc trisc0 trisc1 trisc2)'
NO_ELF = 'brisc.elf ncrisc.elf trisc0.elf trisc1.elf trisc2.elf'


class WrongUse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        os.mkdir(os.path.join(cls.folder, 'empty'))
        for name in ('text', 'text.npy'):
            with open(os.path.join(cls.folder, name), 'w',
                      encoding='utf-8') as file:
                file.write('hello\n')

    def check(self, tool, rows):
        for words, wanted in rows.items():
            with self.subTest(words):
                done = script(tool, *words.split(), cwd=self.folder,
                              merged=True, timeout=30)
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
            'brisc=/dev/zero': '/dev/zero: a device, not a file',
            'empty': f'empty: has none of {NO_ELF}, and no Makefile that '
                     'makes them',
            f'{FIRMWARE} --program none': f'{FIRMWARE}: has none of ' +
            ' '.join(f'none-{name}' for name in NO_ELF.split()),
            f'{FIRMWARE}/demo --gdb no-gdb':
                'no-gdb: not found: Debian has it in the package '
                'gdb-multiarch',
            f'brisc={DEMO} --accel=fast': "--accel: no 'fast' (one of "
                                          'single, multi, icount)',
            f'brisc={DEMO} --gdb=true --machine=hazzards=on':
                '--machine=hazzards=on: the machine has no option hazzards '
                '(did you mean hazards?)'})

    def test_timeline(self):
        self.check('timeline', {
            '': 'FILE: missing (scripts/timeline --help)',
            'none': 'none: No such file or directory',
            'empty': 'empty: Is a directory',
            '/dev/zero': '/dev/zero: a device, not a file',
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
            'none.npy': 'none.npy: No such file or directory',
            'text.npy': 'text.npy: no .npy file that can be read: EOF: '
                        'reading magic string, expected 8 bytes got 6',
            'dest --qmp none': 'none: No such file or directory; is it the '
                               'socket of -qmp unix:none,server,wait=off, and '
                               'does no other client use it?',
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


class OfRun(Run):
    def error(self, *words):
        """What is said after the name of the tool."""
        text = self.refusal(words)
        self.assertTrue(text.startswith('scripts/run: error: '), text)
        return text.partition('error: ')[2].rstrip('\n')

    def make_folder(self, name, **files):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        for file, text in files.items():
            with open(os.path.join(folder, file.replace('_', '.')), 'w',
                      encoding='utf-8') as out:
                out.write(text)
        return folder

    def test_what_a_program_is_not(self):
        """The object comes first, then what is wrong with it."""
        here = self.folder
        empty = self.make_folder('empty')
        makes = self.make_folder('makes', Makefile='all:\n\ttrue\n')
        fails = self.make_folder('fails', Makefile='all:\n\tfalse\n')
        many = self.make_folder('many')
        for name in ('one', 'two'):
            shutil.copy(os.path.join(FIRMWARE, 'atomics-brisc.elf'),
                        os.path.join(many, f'{name}-brisc.elf'))
        elfs = 'brisc.elf ncrisc.elf trisc0.elf trisc1.elf trisc2.elf'
        for path, wanted in (
                (f'{here}/none/of', f'does not exist, nor does {here}/none'),
                (f'{here}/emty', 'does not exist, nor do emty-brisc.elf, '
                 f'emty-trisc0.elf, ... in {here} (did you mean {empty}?)'),
                (empty, f'has none of {elfs}, and no Makefile that makes them'),
                (makes, f'make has made none of {elfs} in '
                        f'{os.path.realpath(makes)}/build'),
                (many, f'has several programs (name one of them: {many}/one '
                       f'{many}/two)'),
                (RUN, 'a file, where PROGRAM is a folder (an ELF for BRISC: '
                      f'scripts/run --brisc {RUN})')):
            with self.subTest(path):
                self.assertEqual(self.error(path), f'{path}: {wanted}')
        self.assertRegex(self.error(fails), f'^make -C {fails}: failed:\n.*')

    def test_elfs_that_no_hart_runs(self):
        wide = bytearray(64)
        wide[:6], wide[18:20] = b'\x7fELF\x02\x01', b'\xf3\0'
        for path, wanted in (
                ('/bin/true', 'but one for another processor '),
                (self.file('wide', bytes(wide)), 'but a 64-bit one '),
                ('/etc/passwd', 'no ELF at all')):
            self.assertIn(f'{path}: not a 32-bit RISC-V ELF, {wanted}',
                          self.error(f'--brisc={path}'))

    def test_an_option_is_named_as_it_was_typed(self):
        good = self.program(rv.HALT)
        short = self.save('short.npy', [1, 2, 3], 'u4')
        for word, wanted in (
                ('--get=l2:0:8:u32', "no place l2: 'l2' is no address, and "
                 'brisc has no ELF with symbols (did you mean l1?)'),
                ('--get=desst', "no place desst: 'desst' is no address, and "
                 'brisc has no ELF with symbols (did you mean dest?)'),
                ('--get=l1:x:8:u32', "'x' is no address"),
                ('--get=l1:0:8', 'SHAPE:FORMAT or SHAPE:FORMAT:layout is '
                 'missing after the place (as in l1:0x20000:8:u32)'),
                ('--get=l1:0:8:u32=/none/x', '/none/x: cannot be written: no '
                                             'folder /none'),
                (f'--expect=l1:0:8:u32={short}',
                 f'l1:0:8:u32 has 8 numbers, {short} has 3 (3)'),
                ('--word=l1:0', 'not of the form PLACE=VALUE[,VALUE...]'),
                ('--until=exitt', 'neither exit nor rest nor PLACE=VALUE (or '
                                  '!=, >=)'),
                ('--machine=hazards=so', "Parameter 'hazards' expects 'on' or "
                                         "'off'"),
                ('--machine=hazzards=on', 'the machine has no option hazzards '
                                          '(did you mean hazards?)')):
            with self.subTest(word):
                self.assertEqual(self.error(good, word), f'{word}: {wanted}')
        for word, wanted in (
                ('--brsic=x', '--brsic: no such option (did you mean '
                              '--brisc?)'),
                ('--nonsense', '--nonsense: no such option (scripts/run '
                               '--help)'),
                ('--accel=fast', "--accel: no 'fast' (one of single, "
                                 'multi, icount)'),
                ('--timeout=0', "--timeout: '0' is no number of seconds above "
                                '0 (scripts/run --help)'),
                ('--get', '--get: a value is missing (scripts/run --help)')):
            with self.subTest(word):
                self.assertEqual(self.error(good, word), wanted)

    def test_one_word_too_many(self):
        self.assertEqual(self.error('one', 'more'),
                         'more: one word too many (scripts/run --help)')

    def test_run_args_is_named(self):
        folder = self.make_folder('mine', run_args='--nonsense=1\n')
        self.assertEqual(self.error(folder), f'{folder}/run.args: --nonsense: '
                         'no such option (scripts/run --help)')


if __name__ == '__main__':
    unittest.main()
