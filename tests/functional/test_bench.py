# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/bench --compare: two builds in turn, with made-up benchmarks."""
import os
import subprocess
import tempfile
import unittest

from test_scripts import write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, 'scripts', 'bench')
# Answers with the next of the figures in its folder, and notes the call
BENCHMARK = '''#!/bin/bash
here=$(dirname "$0")
echo "$here" >>"$CALLS"
read -r ns <"$here/figures"
sed -i 1d "$here/figures"
printf '[{"key": "add", "ns": %s}, {"key": "alone%s", "ns": 1}]' \\
    "$ns" "$(wc -c <"$here/name")" >"$4"
'''


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        write(os.path.join(self.folder, 'bin', 'ninja'), '#!/bin/sh\n', 0o755)
        self.calls = os.path.join(self.folder, 'calls')

    def build(self, name, figures):
        """A build folder whose benchmark takes so many ns in each round."""
        folder = os.path.join(self.folder, name)
        bench = os.path.join(folder, 'core', 'tests', 'bench')
        write(os.path.join(folder, 'core', 'build.ninja'), '')
        write(os.path.join(bench, 'tensix-bench'), BENCHMARK, 0o755)
        write(os.path.join(bench, 'figures'),
              ''.join(f'{figure}\n' for figure in figures))
        write(os.path.join(bench, 'name'), name)
        return folder

    def bench(self, this, *words):
        path = os.path.join(self.folder, 'bin') + ':' + os.environ['PATH']
        return subprocess.run(
            [BENCH, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False, timeout=60,
            env={**os.environ, 'PATH': path, 'BUILD': this,
                 'CALLS': self.calls})

    def test_ratios(self):
        this = self.build('new', (20, 11, 12))
        other = self.build('other', (10, 10, 16))
        done = self.bench(this, '--core', '--compare', other, '--rounds', '3')
        self.assertEqual(done.returncode, 0, done.stdout)
        row = next(line for line in done.stdout.splitlines()
                   if line.startswith('add '))
        self.assertEqual(row.split(), [
            'add', '11.00', 'ns', '10.00', 'ns', 'other', '1.100',
            '0.750', 'to', '2.000'])
        self.assertIn('alone3           the other build lacks this row',
                      done.stdout)
        self.assertIn('alone5           only in the other build',
                      done.stdout)
        with open(self.calls, encoding='utf-8') as f:
            self.assertEqual(
                [line.split('/')[-4] for line in f.read().splitlines()],
                ['new', 'other'] * 3)

    def test_refusals(self):
        this = self.build('new', (1,))
        for words, message in (
                (('--compare', '/nowhere'), 'no /nowhere/core/tests/bench/'),
                (('--compare', this, '--json', 'x'), 'exclude each other'),
                (('--compare', this, '--rounds', '0'), '--rounds is a number'),
                (('--compare',), 'usage: ')):
            with self.subTest(words=words):
                done = self.bench(this, '--core', *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stdout)


if __name__ == '__main__':
    unittest.main()
