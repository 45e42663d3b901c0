# SPDX-License-Identifier: GPL-2.0-or-later
"""blackhole_tile.testing's script() does what the scripts themselves do."""

import os
import re
import subprocess
import unittest

from blackhole_tile.testing import ROOT, script

ADD = os.path.join(ROOT, 'examples', 'add')


class Script(unittest.TestCase):
    def test_same_as_the_script(self) -> None:
        """With a status of 0, of 1 by an error, of 1 by a text."""
        for tool, *words in (('run', ADD),
                             ('run', '--nonsense'), ('debug', 'brisc=none'),
                             ('timeline', '/dev/zero')):
            with self.subTest(tool=tool, words=words):
                done = subprocess.run(
                    [os.path.join(ROOT, 'scripts', tool), *words], cwd='/',
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True, check=False)
                forked = script(tool, *words, cwd='/')
                self.assertEqual((forked.returncode, forked.stdout),
                                 (done.returncode, done.stdout))
                self.assertEqual(*(re.sub(r'\d+\.\d+ s\b', 'SECONDS',
                                          each.stderr)
                                   for each in (forked, done)))

    def test_merged(self) -> None:
        done = script('run', ADD, merged=True, text=False)
        self.assertEqual(done.stderr, b'')
        self.assertIn(b'brisc: adding 4 tiles', done.stdout)
        self.assertIn(b'run: done', done.stdout)

    @unittest.skipIf('COVERAGE_PROCESS_START' in os.environ,
                     'the script itself is started')
    def test_is_killed(self) -> None:
        with self.assertRaises(subprocess.TimeoutExpired):
            script('run', ADD, timeout=0)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


if __name__ == '__main__':
    unittest.main()
