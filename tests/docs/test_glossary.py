# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/glossary.rst: sorted entries with a link each, and all names that the
machine's reports use."""

import json
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
DOCS = os.path.join(ROOT, 'docs')
HW = os.path.join(ROOT, 'hw', 'tenstorrent')
LINK = re.compile(r':(?:doc|ref):`')
# What a newcomer meets besides the names of the reports
OTHERS = ('tile', 'hart', 'Tensix coprocessor', 'thread', 'TTINSN', 'MOP',
          'REPLAY', 'SrcA', 'SrcB', 'Dest', 'bank', 'LReg', 'lane',
          'SFPLOADMACRO', 'RWC', 'ADC', 'address modifier', 'GPR', 'XMOV',
          'PACR', 'UNPACR', 'fidelity phase', 'semaphore', 'STALLWAIT',
          'SEMWAIT', 'mutex', 'L1', 'NoC', 'NIU', 'tilize', 'untilize', 'face',
          'tile order', 'LLK', 'ttsim', 'tt-exalens', 'tt-umd', 'SFPI',
          'circular buffer', 'seed', 'icount', 'rewind', 'event', 'violation',
          'verdict', 'deadlock', 'unfinished', 'leak', 'site')


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def entries():
    """[(terms, text)] in the order of the page."""
    page = read(DOCS, 'glossary.rst').split('.. glossary::\n\n')[1]
    return [(terms.split('\n    '), ' '.join(text.split()))
            for terms, text in re.findall(
                r'^    (\S.*(?:\n    \S.*)*)\n((?:        .*\n)+)', page,
                re.M)]


def strings_of(name, *path):
    """Those of the array NAME in a C source."""
    body = re.search(rf'\b{name}\[\w*\] = {{(.*?)}};', read(HW, *path), re.S)
    joined = re.sub(r'"\s+"', '', body[1])
    return [text for text in re.findall(r'"([^"]*)"', joined)
            if text not in ('', 'none')]


def enum_of(name):
    """The words of an enum of QMP."""
    found = re.search(rf"'enum': '{name}',\s*'data': (\[[^]]*\])",
                      read(ROOT, 'qapi', 'tenstorrent.json'))
    return json.loads(found[1].replace("'", '"'))


class Glossary(unittest.TestCase):
    def setUp(self):
        self.entries = entries()
        self.terms = {term.lower(): text for terms, text in self.entries
                      for term in terms}

    def check(self, names, least):
        """NAMES, at least so many, are terms; their case does not matter."""
        self.assertGreaterEqual(len(names), least)
        for name in names:
            with self.subTest(name):
                self.assertIn(name.lower(), self.terms)

    def test_no_line_is_missed(self):
        self.assertGreater(len(self.entries), 100)
        page = read(DOCS, 'glossary.rst').split('.. glossary::\n\n')[1]
        lines = [line for line in page.splitlines()
                 if re.match(r'    \S', line)]
        self.assertEqual([f'    {term}' for terms, _ in self.entries
                          for term in terms], lines)

    def test_sorted(self):
        first = [terms[0].lower() for terms, _ in self.entries]
        self.assertEqual(first, sorted(first))

    def test_each_has_a_link(self):
        for terms, text in self.entries:
            with self.subTest(terms[0]):
                self.assertRegex(text, LINK)

    def test_harts(self):
        self.check(strings_of('tensix_hart_names', 'core/decode/decode.c'), 5)

    def test_units(self):
        units = strings_of('tensix_unit_names', 'core/decode/decode.c')
        self.check(units, 10)
        for unit in set(units) - {'front end'}:
            self.assertIn(unit, self.terms['unit'])

    def test_categories(self):
        self.check(strings_of('tensix_category_names', 'core/report/report.c'),
                   7)

    def test_semaphores(self):
        self.check(strings_of('llk', 'core/views/wait_text.c'), 8)

    def test_formats(self):
        table = read(HW, 'core', 'num', 'format_table.h.inc')
        self.check(re.findall(r'^FORMAT\(\d+, (\w+),', table, re.M), 14)

    def test_stalls_of_harts(self):
        self.check([re.sub(' (full|empty)$', '', name) for name in
                    strings_of('stall_names', 'harts/tensix_hart_stall.c')], 9)

    def test_conditions_of_stallwait(self):
        """"the Matrix Unit is idle", "unpacker 0 has its bank of SrcA"."""
        found = [re.match(r'(?:the )?(.*?)(?: \d)? (?:is idle|has its)', text)
                 for text in strings_of('condition_names',
                                        'core/views/wait_text.c')]
        self.check([match[1] for match in found if match], 12)

    def test_waits_of_threads(self):
        """Each text has a term in it."""
        terms = '|'.join(map(re.escape, self.terms))
        for text in strings_of('tensix_wait_names', 'core/views/wait_text.c'):
            self.assertRegex(text.lower(), rf'\b({terms})\b')

    def test_states_of_harts(self):
        for state in enum_of('TensixHartState'):
            self.assertIn(state, self.terms['hart state'])

    def test_what_a_newcomer_meets(self):
        self.check(OTHERS, 40)

    def test_pages_use_it(self):
        """By links to it, from the first page and the tutorial at least."""
        for page in ('blackhole-tile', 'tutorial'):
            self.assertRegex(read(DOCS, f'{page}.rst'), ':term:`')
        self.assertIn('docs/glossary.rst', read(ROOT, 'README.md'))


if __name__ == '__main__':
    unittest.main()
