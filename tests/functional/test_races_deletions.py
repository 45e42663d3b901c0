# SPDX-License-Identifier: GPL-2.0-or-later
"""Each wait, release and fence of a kernel deleted, one at a time.

What is left is reported (a race, at a line of the source), waits for ever, or has
a wrong result; else REDUNDANT names the rule, or the chance, that orders the rest
anyway.  The line stays, empty, so that all others keep their numbers.

    DELETIONS=all ... test_races_deletions.py     headers with each example, and
                                                  the kernels of tests/firmware
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator, List, NamedTuple
from unittest import mock

import lib_matmul
import numpy
import test_tiles
from blackhole_tile import testing
from blackhole_tile.testing import ROOT, Tile, script

EXAMPLES = os.path.join(ROOT, 'examples')
HEADERS = os.path.join(ROOT, 'include', 'blackhole-tile')
FIRMWARE = os.path.join(ROOT, 'tests', 'firmware')
WHOLE = os.environ.get('DELETIONS') == 'all'
SECONDS = 5

# example: headers whose sites are deleted in it
PROGRAMS = {'add': ['tile.h', 'config.h'], 'sfpu': ['sfpi/tile.hpp'],
            'sfpu_words': [], 'matmul': [], 'orders': [],
            'noc_copy': ['noc.h']}
MORE = {'sfpu_words': ['tile.h'], 'matmul': ['tile.h'],
        'orders': ['tile.h', 'noc.h']}

# programs, sites (function and call), what orders the rest
TTSYNC = 'TTSync after the tile before'
THREE_LATER = 'SFPLOAD is three instructions after the MOVA2D of its rows, ' \
    'which is enough (BH SFPLOAD.md; hazards=on reports two)'
STALLED = 'PACR is stalled for what the Matrix Unit has begun (BH Dst.md)'
IN_ORDER = 'the Matrix Unit works in the order of issue, which SEMGET publishes'
NIU = 'registers are not in the L0 cache (BH MemoryOrdering.md)'
UNUSED = 'not in this program'
FLUSHED = 'the L0 cache is flushed now and then (BH MemoryOrdering.md); no ' \
    'hart loads the data'
REDUNDANT = [
    ('add matmul orders', 'end_dest_half STALLWAIT', STALLED),
    ('add sfpu_words matmul orders', 'point_packer wait_coprocessor', TTSYNC),
    ('add sfpu_words matmul orders', 'end_pack_half STALLWAIT 2', IN_ORDER),
    ('add sfpu_words matmul', 'pack_tile wait_coprocessor',
     'the host reads when nothing is left to do (--until=rest)'),
    ('add', 'write_mop wait_mop_expander', 'there is one template'),
    ('sfpu', 'sfpu_tile STALLWAIT', THREE_LATER),
    ('sfpu_words', 'compute STALLWAIT', THREE_LATER),
    ('noc_copy orders', 'noc_request fence', NIU),
    ('noc_copy orders', 'noc_wait fence', NIU),
    ('noc_copy orders', 'noc_add fence', UNUSED),
    ('noc_copy', 'main fence', FLUSHED),
    ('fw/matmul', 'take_tile_back noc_wait',
     'that of the next chunk comes before the next PACR'),
    ('fw/matmul', 'begin_tile SEMWAIT',
     'a tile is sent when the one two before is in DRAM'),
    ('fw/matmul', 'end_tile STALLWAIT', STALLED),
    ('fw/matmul', 'point_to_half STALLWAIT', TTSYNC),
    ('fw/matmul', 'pack STALLWAIT 2', IN_ORDER),
    ('fw/demo', 'start_the_others PUSH_THREAD', 'values are 0 after a reset'),
    ('fw/demo', 'start_the_others fence', FLUSHED),
    ('fw/demo', 'check_sum fence', FLUSHED),
    ('fw/demo', 'main fence', FLUSHED),
    ('fw/tiles', 'next_tile STALLWAIT', STALLED),
    ('fw/tiles', 'main wait_coprocessor', 'the host reads when it is idle'),
]

SITE = re.compile(
    r'^ +((?:TTINSN\((?:STALLWAIT|SEMWAIT|SEMPOST|SEMGET)\b|'
    r'PUSH_THREAD\(\d\) = TT\(SEM|wait_coprocessor\(|wait_mop_expander\(|'
    r'noc_wait\(|fence\(|wait_until\()[^;]*;)', re.M)
FUNCTION = re.compile(r'^[a-z_][\w *()]*?\b(\w+)\([^;{]*\)\n\{', re.M)
CALL = re.compile(r'(?:TTINSN\()?(\w+)')
RACE = re.compile(r'^tensix: race: .*$', re.M)
PLACE = re.compile(r'race: \w+ in .*\.[ch]:\d+: ')


class Site(NamedTuple):
    path: str
    start: int                     # in the text
    end: int
    name: str                      # function and call, and which if not the first


def sites_of(path: str) -> Iterator[Site]:
    with open(path, encoding='utf-8') as file:
        text = file.read()
    seen: List[str] = []
    for found in SITE.finditer(text):
        function = FUNCTION.findall(text[:found.start()])[-1]
        name = f'{function} {CALL.match(found[1])[1]}'
        seen.append(name)
        count = seen.count(name)
        yield Site(path, *found.span(1), name + (f' {count}' if count > 1 else ''))


def delete(site: Site, to: str) -> None:
    with open(site.path, encoding='utf-8') as file:
        text = file.read()
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to, 'w', encoding='utf-8') as file:
        file.write(text[:site.start] + ';' + '\n' * text.count(
            '\n', site.start, site.end) + text[site.end:])


def sources(folder: str, headers: List[str]) -> List[str]:
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(('.c', '.h'))] + \
        [os.path.join(HEADERS, name) for name in headers]


def copy_without(site: Site, source: str, folder: str) -> None:
    """A header that is beside the sources comes before that of the tree."""
    name = os.path.relpath(site.path, source if site.path.startswith(source)
                           else os.path.dirname(HEADERS))
    shutil.copytree(source, folder)
    delete(site, os.path.join(folder, name))


def run_example(folder: str) -> str:
    """What is wrong with it, or ''."""
    run = script('run', folder, '--check', '--strict', '--accel=icount',
                 f'--timeout={SECONDS}', timeout=120)
    text = run.stdout + run.stderr
    if run.returncode in (1, 6):
        raise AssertionError(text)
    return text if run.returncode else ''


class Judge(unittest.TestCase):
    def judge(self, program: str, site: Site, wrong: str) -> None:
        reasons = [reason for programs, name, reason in REDUNDANT
                   if name == site.name and program in programs.split()]
        with self.subTest(program, site=site.name,
                          file=os.path.basename(site.path)):
            for race in RACE.findall(wrong):
                self.assertRegex(race, PLACE)
            if reasons:
                self.assertEqual(wrong, '', 'it is not redundant')
            else:
                self.assertTrue(wrong, 'nothing is reported')


class Examples(Judge):
    def delete_from_example(self, program: str, site: Site) -> str:
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, program)
            copy_without(site, os.path.join(EXAMPLES, program), copy)
            return run_example(copy)

    def check_examples(self, programs) -> None:
        work = [(program, site) for program, headers in programs.items()
                for path in sources(os.path.join(EXAMPLES, program), headers)
                for site in sites_of(path)]
        self.assertTrue(work)
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda w: self.delete_from_example(*w), work))
        for (program, site), wrong in zip(work, results):
            self.judge(program, site, wrong)

    def test_examples(self):
        self.check_examples(PROGRAMS)

    @unittest.skipUnless(WHOLE, 'DELETIONS=all runs it')
    def test_headers(self):
        self.check_examples(MORE)


# --- kernels of tests/firmware, without reads of what is not written ---

MACHINE = 'races=report'


def run_matmul() -> str:
    """32 x 640 by 640 x 96: chunks of two lengths, halves of Dest again."""
    a = numpy.arange(32 * 640).reshape(32, 640) % 5 - 2.0
    b = numpy.arange(640 * 96).reshape(640, 96) % 3 - 1.0
    product = lib_matmul.Product(a, b, 'bf16', 1, True).run(
        timeout=SECONDS, machine=MACHINE)
    return product.output or ('' if (abs(product.c - a @ b) <= 4).all()
                              else 'the product is wrong')


def run_demo() -> str:
    with Tile('demo', machine=MACHINE) as tile:
        status = tile.wait_for_exit(SECONDS)
        return '\n'.join(RACE.findall(tile.output())) or str(status or '')


def run_tiles() -> str:
    wrong = ''
    for job, name in (('add', 'bf16'), ('dense', 'bfp8'), ('tilize', 'fp32'),
                      ('untilize', 'bfp4'), ('tilize', 'int8_int8'),
                      ('to_dest', 'fp32_dest')):
        case = test_tiles.Case(job, name)
        result, output = case.run('single', MACHINE)
        wrong += output
        if result != b''.join(case.results):
            wrong += 'the result is wrong'
    return wrong


def make(folder: str, program: str, out: str) -> None:
    harts = [name[:-2] for name in os.listdir(os.path.join(FIRMWARE, program))
             if name.endswith('.c')]
    subprocess.run(['make', '-s', '-C', folder, f'BLACKHOLE_TILE={ROOT}',
                    f'O={out}'] + [f'{out}/{program}-{hart}.elf'
                                   for hart in harts], check=True,
                   capture_output=True)


@unittest.skipUnless(WHOLE, 'DELETIONS=all runs them')
class Firmware(Judge):
    def delete_from(self, program: str, site: Site, run) -> str:
        with tempfile.TemporaryDirectory() as folder:
            copy, out = os.path.join(folder, 'fw'), os.path.join(folder, 'out')
            copy_without(site, FIRMWARE, copy)
            os.mkdir(out)
            make(copy, program, out)
            with mock.patch.object(testing, 'FIRMWARE', out), \
                    mock.patch.object(lib_matmul, 'FIRMWARE', out), \
                    mock.patch.object(test_tiles, 'SECONDS', SECONDS):
                try:
                    return run()
                except testing.machine.TileError as error:
                    return str(error)

    def check(self, program: str, run) -> None:
        for path in sources(os.path.join(FIRMWARE, program), []):
            for site in sites_of(path):
                self.judge(f'fw/{program}', site,
                           self.delete_from(program, site, run))

    def test_matmul(self):
        self.check('matmul', run_matmul)

    def test_demo(self):
        self.check('demo', run_demo)

    def test_tiles(self):
        self.check('tiles', run_tiles)


if __name__ == '__main__':
    unittest.main()
