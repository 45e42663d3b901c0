# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/qemu-suites: how it reads and compares results."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, 'scripts', 'lib_suites.py')
# As make prints the programs of tests/tcg, with -k
TCG = '''  BUILD   riscv64-softmmu guest-tests
  TEST    sha1 on riscv64
  TEST    test-div on riscv64
{}  TEST    issue1060 on riscv64
'''
TCG_ERROR = 'make[1]: *** [Makefile:210: run-test-div] Error 1\n'


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(
            self.enterContext(tempfile.TemporaryDirectory()))

    def tree(self, name, tests, tcg):
        logs = self.folder / name / 'meson-logs'
        logs.mkdir(parents=True)
        (logs / 'testlog.json').write_text(''.join(
            json.dumps({'name': test, 'result': result}) + '\n'
            for test, result in tests.items()), encoding='utf-8')
        if tcg is not None:
            (self.folder / f'suites-tcg-{name}.log').write_text(
                tcg, encoding='utf-8')

    def compare(self):
        done = subprocess.run(
            [sys.executable, '-B', SCRIPT, str(self.folder), str(self.folder)],
            stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_equal(self):
        for name in ('plain', 'patched'):
            self.tree(name, {'a': 'OK', 'b': 'SKIP', 'c': 'OK'}, None)
        self.assertEqual(self.compare(), (0, [
            'plain: 2 OK, 1 SKIP', 'patched: 2 OK, 1 SKIP']))

    def test_different(self):
        self.tree('plain', {'a': 'OK', 'b': 'OK'}, TCG.format(''))
        self.tree('patched', {'a': 'TIMEOUT'}, TCG.format(TCG_ERROR))
        self.assertEqual(self.compare(), (1, [
            'plain: 5 OK', 'patched: 1 FAIL, 2 OK, 1 TIMEOUT',
            'a: OK without the patches, TIMEOUT with them',
            'b: OK without the patches, none with them',
            'tcg test-div: OK without the patches, FAIL with them']))


if __name__ == '__main__':
    unittest.main()
