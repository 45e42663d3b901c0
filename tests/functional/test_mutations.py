# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of deliberately wrong lines (tests/mutations) fits the sources: who
moves or rewrites such a line takes its entry along."""

import functools
import os
import sys
import tempfile
import unittest
from unittest import mock

from blackhole_tile.testing import ROOT

sys.path.insert(0, os.path.join(ROOT, 'tests', 'mutations'))

import random_lines  # noqa: E402  pylint: disable=wrong-import-position
import run  # noqa: E402  pylint: disable=wrong-import-position

FAILS = 'echo "FAIL: test_it (test_x.Some.test_it)"; exit 1'


class List(unittest.TestCase):
    def setUp(self):
        self.entries = run.read_list()

    def test_each_text_is_there_once(self):
        self.assertEqual(list(run.check(self.entries)), [])

    def test_entries(self):
        for entry in self.entries:
            with self.subTest(entry.get('id')):
                self.assertEqual(set(entry), run.KEYS)
                self.assertNotEqual(entry['old'].split(), entry['new'].split())
                self.assertTrue(entry['why'] and entry['tests'])
        self.assertGreaterEqual(len(self.entries), 60)

    def test_tests_exist(self):
        for name in {test for entry in self.entries for test in entry['tests']}:
            with self.subTest(name):
                text = run.read(os.path.join(ROOT, run.source_of(name)))
                part = name.split()[2:]
                for word in part[0].split('.') if part else ():
                    self.assertRegex(text, rf'\b(class|def) {word}\b')


class Runner(unittest.TestCase):
    """What the runner says of an entry whose text moved."""

    TEXTS = {'a.c': 'one(\n    two);\n', 'b.c': 'one(two);\none( two);'}

    def places(self, old):
        return run.find({'old': old}, self.TEXTS)

    def test_found_once(self):
        (path, match), = self.places('one(two);')
        self.assertEqual((path, match.start()), ('b.c', 0))

    def test_blanks_and_ends_of_lines_are_alike(self):
        self.assertEqual([path for path, _ in self.places('one( two);')],
                         ['a.c', 'b.c'])

    def test_complaints(self):
        self.assertIn('exist', run.complaint(self.places('three')))
        self.assertIn('unique', run.complaint(self.places('one( two);')))
        self.assertIsNone(run.complaint(self.places('one(two);')))

    def test_memory_is_limited(self):
        """One endless string took the memory of the whole host."""
        for size, status in ((1 << 20, 0), (1 << 29, 1)):
            with mock.patch.object(run, 'MEMORY_MOST', 1 << 28):
                self.assertEqual(run.run([sys.executable, '-c',
                                          f'bytearray({size})'], ROOT, 60),
                                 status)

    def test_what_is_not_built_has_not_failed(self):
        with self.assertRaises(FileNotFoundError):
            run.passes('qtest no-such')


class RandomLines(unittest.TestCase):
    """Which tests a random line meets, and what counts as one that fails."""

    def test_those_of_the_name_are_first(self):
        first = [random_lines.tests_of('hw/tenstorrent/' + path)[0]
                 for path in ('noc/tensix_niu.c', 'rewind/tensix_turns.c',
                              'coprocessor/tensix_recent.c')]
        self.assertEqual(first, ['qtest niu', 'turns', 'timeline'])

    def test_all_exist(self):
        for tests in (random_lines.GENERAL, *random_lines.TESTS.values()):
            for test in map(random_lines.full_name, tests):
                self.assertTrue(os.path.exists(os.path.join(
                    ROOT, run.source_of(test))), test)

    def test_equal_lines_have_names(self):
        """What is no error at one of them may be one at the other."""
        line = '    for (unsigned i = 0; i < n; i++) {\n'
        names = [one.name for one in
                 random_lines.mutations_of('a.c', line + line)]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(sum('(#2)' in name for name in names),
                         len(names) // 2)

    def test_other_lines_leave_the_order(self):
        """A run continues on a tree that has changed since, and what it has
        done counts."""
        lines = [random_lines.Mutation(f'lib/{n}.c', 1, 'a', 'b')
                 for n in range(20)]

        def in_order(chosen, done):
            return sorted(chosen, key=functools.partial(
                random_lines.turn, 5, done))
        chosen = in_order(lines, set())
        self.assertNotEqual(chosen, lines)
        self.assertEqual(in_order(lines[1:], set()),
                         [one for one in chosen if one != lines[0]])
        self.assertEqual(in_order(lines, {chosen[7].name}),
                         [chosen[7], *chosen[:7], *chosen[8:]])

    def test_the_equivalent_ones_exist(self):
        known = random_lines.known(random_lines.EQUIVALENT)
        paths = {name.split(': ')[0] for name in known}
        self.assertEqual(known - {one.name for one in
                                  random_lines.mutations(paths)}, set())

    def fails(self, script):
        """What it says of a functional test that is this script."""
        with mock.patch.object(run, 'command', lambda test: (
                ['/bin/sh', '-c', script], ROOT)):
            test = 'functional test_x'
            case = random_lines.failed_case(test)
            return case if case and random_lines.fails_again(test, case) \
                else ''

    def test_a_failure(self):
        self.assertEqual(self.fails(FAILS), 'Some.test_it')
        self.assertEqual(self.fails('echo ok'), '')

    def test_a_test_that_did_not_run_is_no_failure(self):
        with self.assertRaises(SystemExit):
            self.fails('echo no such file; exit 1')

    def test_one_failure_of_two_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.fails(
                f'[ -e {folder}/again ] && exit; touch {folder}/again; '
                f'{FAILS}'), '')


if __name__ == '__main__':
    unittest.main()
