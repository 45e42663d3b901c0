# SPDX-License-Identifier: GPL-2.0-or-later
"""Coverage: which lines harts executed, how often, and which Tensix instructions
were executed.  Expected counts follow from the programs' own loops."""

import os
import struct
import subprocess
import tempfile
import types
import unittest

from blackhole_tile.testing import ROOT, Tile, every_accelerator
from lib_coverage import judge_reports
from lib_run import Result
from test_source import GCC, Sources

DONE, GO, POINTER = 0x30000, 0x30008, 0x30044
# Lines are found by what is in their comments.
PROGRAM = '''
#include "blackhole-tile/kernel.h"
#define WORD(address) (*(volatile uint32_t *)(address))
#define ZERO WORD(0x30040)                       /* no loop is unrolled */

static inline __attribute__((always_inline)) void store(uint32_t value)
{
    WORD(0x30010) = value;                       /* inlined */
}

static __attribute__((noinline)) void never(void)
{
    WORD(0x30020) = 1;                           /* in never */
}

static __attribute__((noinline)) void often(uint32_t i)
{
    WORD(0x30030 + 4 * i) = i;                   /* in often */
}

__attribute__((section(".text.first"))) void _start(void)
{
    for (uint32_t i = ZERO; i < 5; i++) {
        store(i);                                /* first call */
    }
    for (uint32_t i = ZERO; i < 7; i++) {
        store(i);                                /* second call */
    }
    for (uint32_t i = ZERO; i < 3; i++) {
        often(i);
    }
    if (ZERO) {
        never();                                 /* not taken */
        TTINSN(SETRWC, .BitMask = RWC_ALL);      /* not pushed */
    }
    for (uint32_t i = ZERO; i < 4; i++) {
        TTINSN(SETRWC, .BitMask = RWC_ALL);      /* pushed 4 times */
    }
    PUSH_OWN = TT(SETRWC, .BitMask = RWC_ALL);   /* stored */
    *(volatile uint32_t *)WORD(0x30044) = TT_NOP;   /* by a pointer */
    TTINSN(REPLAY, .load_mode = 1, .len = 1);    /* records */
    TTINSN(INCRWC, .rwc_a = 1);                  /* played 9 times */
    for (uint32_t i = ZERO; i < 9; i++) {
        TTINSN(REPLAY, .len = 1);                /* plays */
    }
    ttinsn(TT_SEM_WAIT(0, WHILE_ZERO));
    TTINSN(SETRWC, .BitMask = RWC_ALL);          /* never executed */
    PUSH_OWN = TT(SETRWC, .BitMask = RWC_ALL);   /* stored, never executed */
    WORD(0x30000) = 1;
    for (;;) {                                   /* end */
    }
}
'''
BRISC = '''
#define WORD(address) (*(volatile unsigned *)(address))
__attribute__((section(".text.first"))) void _start(void)
{
    WORD(0x30004) = 1;                           /* brisc */
    for (;;) {
    }
}
'''

# More pushes than the FIFO and what follows it hold; TRISC0 lets them go.
FULL = '''
#include "blackhole-tile/kernel.h"
__attribute__((section(".text.first"))) void _start(void)
{
    TTINSN(SEMINIT, .max_value = 1, .sem_sel = SEM_MASK(0));
    ttinsn(TT_SEM_WAIT(0, WHILE_ZERO));
    for (int i = REG32(0x30040); i < 60; i++) {
        TTINSN(SETRWC, .BitMask = RWC_ALL);      /* pushes */
    }
    REG32(0x30000) = 1;
    for (;;) {
    }
}
'''
POST = '''
#include "blackhole-tile/kernel.h"
__attribute__((section(".text.first"))) void _start(void)
{
    while (!REG32(0x30008)) {
    }
    SEMAPHORE(0) = SEMAPHORE_POST;
    for (;;) {
    }
}
'''


def read_tracefile(path):
    """{(test, file): {kind: [fields]}} of an LCOV tracefile, whose sums are
    checked."""
    records, record, test = {}, None, None
    with open(path, encoding='utf-8') as file:
        for line in file.read().splitlines():
            kind, _, rest = line.partition(':')
            if kind == 'TN':
                test = rest
            elif kind == 'SF':
                record = records.setdefault((test, rest), {})
            elif kind == 'end_of_record':
                check_sums(record)
                record = None
            else:
                record.setdefault(kind, []).append(rest.split(','))
    if record is not None:
        raise ValueError('no end_of_record')
    return records


def check_sums(record):
    for kind, found, hit in ('DA', 'LF', 'LH'), ('BRDA', 'BRF', 'BRH'), \
            ('FNDA', 'FNF', 'FNH'):
        rows = record.get(kind, [])
        counts = [row[0 if kind == 'FNDA' else -1] for row in rows]
        if [len(rows), sum(c not in ('0', '-') for c in counts)] != \
                [int(record[found][-1][0]), int(record[hit][-1][0])]:
            raise ValueError(f'{kind}: {record}')


class Counted(Sources):
    """A program, built."""

    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, 'out.info')
        self.elf = self.build('a', PROGRAM, '-g', '-O1')

    def counts(self, test='trisc1', source=PROGRAM, name='a.c'):
        """Functions by the comments of the lines: (line, Tensix instruction)
        counts, None where there are none."""
        record = read_tracefile(self.out)[
            test, os.path.join(os.path.realpath(self.folder), name)]
        lines = {int(n): int(count) for n, count in record['DA']}
        pushes = {int(row[0]): row[3] for row in record.get('BRDA', [])}
        text = source.splitlines()

        def of(comment):
            [n] = [n for n, line in enumerate(text, 1)
                   if f'/* {comment} */' in line]
            return lines.get(n), pushes.get(n)
        self.record = record
        return of

    def run_program(self, accel='single', **options):
        options.setdefault('images', {'trisc1': self.elf})
        with Tile(accel=accel, coverage=self.out,
                  words={POINTER: 0xFFE40000}, **options) as tile:
            tile.wait_for(lambda t: t.read32(DONE) == 1)


class Coverage(Counted):
    @every_accelerator
    def test_counts(self, accel):
        self.run_program(accel)
        of = self.counts()
        self.assertEqual(of('inlined'), (5 + 7, None))
        self.assertEqual(of('first call')[0], 5)
        self.assertEqual(of('second call')[0], 7)
        self.assertEqual(of('in often')[0], 3)
        self.assertEqual(of('in never')[0], 0)
        self.assertEqual(of('not taken')[0], 0)
        self.assertGreater(of('end')[0], 0)

    @every_accelerator
    def test_tensix(self, accel):
        self.run_program(accel)
        of = self.counts()
        self.assertEqual(of('not pushed'), (0, '-'))
        self.assertEqual(of('pushed 4 times'), (4, '4'))
        self.assertEqual(of('stored'), (1, '1'))
        self.assertEqual(of('by a pointer'), (1, '1'))
        self.assertEqual(of('stored, never executed'), (1, '0'))
        self.assertEqual(of('records'), (1, '1'))
        self.assertEqual(of('played 9 times'), (1, '9'))
        self.assertEqual(of('plays')[0], 9)
        self.assertEqual(of('never executed'), (1, '0'))

    def test_functions(self):
        self.run_program()
        self.counts()
        self.assertEqual(
            {name: int(count) for count, name in self.record['FNDA']},
            {'_start': 1, 'often': 3, 'never': 0})
        text = PROGRAM.splitlines()
        for line, name in self.record['FN']:
            self.assertIn(f' {name}(', text[int(line) - 1])

    def test_harts(self):
        """Each hart is a separate test in the file."""
        brisc = self.build('b', BRISC, '-g', base=0x28000)
        folder = os.path.realpath(self.folder)
        self.run_program(images={'trisc1': self.elf})
        alone = set(read_tracefile(self.out))
        with Tile(images={'brisc': brisc}, coverage=self.out) as tile:
            tile.wait_for(lambda t: t.read32(DONE + 4) == 1)
        self.assertEqual(set(read_tracefile(self.out)),
                         {('brisc', f'{folder}/b.c')})
        self.assertIn(('trisc1', f'{folder}/a.c'), alone)
        self.assertEqual(self.counts('brisc', BRISC, 'b.c')('brisc')[0], 1)

    def test_program_changes(self):
        """What was counted belongs to the ELF that was there then."""
        other = self.build('other', PROGRAM.replace('i < 5', 'i < 6'), '-g',
                           '-O1')
        with Tile(images={'trisc1': self.elf}, coverage=self.out,
                  words={POINTER: 0xFFE40000}) as tile:
            tile.wait_for(lambda t: t.read32(DONE) == 1)
            tile.qmp('qom-set', path='/machine', property='trisc1-symbols',
                     value=other)
        self.assertEqual(self.counts()('first call')[0], 5)
        self.assertEqual(self.counts(name='other.c')('first call')[0], 0)

    def test_without_lines(self):
        elf = self.build('n', PROGRAM)
        self.run_program(images={'trisc1': elf})
        self.assertEqual(read_tracefile(self.out), {})

    def test_retries_count_once(self):
        """A push to a full FIFO is repeated, and is one execution."""
        trisc1 = self.build('r', FULL, '-g', '-O1')
        trisc0 = self.build('p', POST, '-g', base=0x28000)
        with Tile(images={'trisc0': trisc0, 'trisc1': trisc1},
                  coverage=self.out) as tile:
            tile.wait_for(lambda t: t.state.harts()['trisc1'].state ==
                          'waiting')
            tile.write32(GO, 1)
            tile.wait_for(lambda t: t.read32(DONE) == 1)
        self.assertEqual(self.counts(source=FULL, name='r.c')('pushes'),
                         (60, '60'))


class Objects(Counted):
    """Its object, and where it cannot be."""

    def test_part(self):
        """From the object's creation to its deletion."""
        with Tile(images={'trisc1': self.elf},
                  words={POINTER: 0xFFE40000}) as tile:
            tile.wait_for(lambda t: t.read32(DONE) == 1)
            tile.qmp('object-add', **{'qom-type': 'tensix-coverage', 'id': 'c',
                                      'file': self.out})
            tile.qmp('object-del', id='c')
            of = self.counts()
            self.assertEqual(of('first call')[0], 0)
            self.assertEqual(of('pushed 4 times'), (0, '-'))

    def test_wrong_use(self):
        with Tile(stopped=True) as tile:
            for file, why in ('/no/such/file', 'No such file'), \
                    ('/dev/null', 'is not a file'), ('', 'missing'):
                with self.assertRaisesRegex(Exception, why):
                    tile.qmp('object-add', **{'qom-type': 'tensix-coverage',
                                              'id': 'c', 'file': file})

    def test_code_at_the_end_of_addresses(self):
        """A segment to the last word of 32 bits, and one beyond it."""
        with open(self.elf, 'rb') as file:
            data = bytearray(file.read())
        [segments] = struct.unpack_from('<I', data, 28)
        for start in 0xFFFFFFF0, 0xFFFFFFFD:
            struct.pack_into('<8I', data, segments, 1, 0, start, start, 16, 16,
                             5, 4)
            path = self.file('end', data)
            with self.subTest(hex(start)):    # a busy host may take long, too
                self.assertTrue(any(self.is_soon_covered(path)
                                    for _ in range(3)))

    def is_soon_covered(self, path):
        """Is the tracefile of a machine with this ELF written at once?"""
        with Tile(stopped=True, coverage=self.out) as tile:
            tile.qmp('qom-set', path='/machine', property='trisc1-symbols',
                     value=path)
            tile.close()
            self.assertEqual(tile.process.returncode, 0)
            return 'takes too long' not in tile.output()

    def test_lines_that_cannot_be_read(self):
        """The reason is reported once, whatever the number of words."""
        lines = self.file('lines', bytes(64))
        subprocess.run([GCC.replace('gcc', 'objcopy'), '--update-section',
                        '.debug_line=' + lines, self.elf], check=True)
        with Tile(images={'trisc1': self.elf}, stopped=True,
                  coverage=self.out) as tile:
            tile.close()
            text = tile.output()
        self.assertEqual(text.count("no source lines of trisc1 from '"), 1)
        self.assertIn('.debug_line', text)

    def test_several_tiles(self):
        """One file: the counts of tiles are added by its readers."""
        self.run_program(machine='tiles=2x1')
        with open(self.out, encoding='utf-8') as file:
            self.assertEqual(file.read().count('SF:' + os.path.join(
                os.path.realpath(self.folder), 'a.c\n')), 2)


class Script(unittest.TestCase):
    def test_run(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'out.info')
            subprocess.run([os.path.join(ROOT, 'scripts', 'run'),
                            'examples/add', f'--coverage={out}', '--quiet'],
                           cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            records = read_tracefile(out)
        self.assertEqual({test for test, _ in records} -
                         {'brisc', 'ncrisc', 'trisc0', 'trisc1', 'trisc2'},
                         set())
        for (test, path), record in records.items():
            self.assertTrue(os.path.isfile(path), path)
            self.assertGreater(len(record['DA']), 0, test)


class Gate(unittest.TestCase):
    """scripts/check coverage fails for a report that no test reaches."""

    TEXT = ['if (!a) {', '    error_setg(errp, "no a");',
            '    tensix_regs_report(a, b, "c");', '    exit(1);']

    def test_report(self):
        for counts, wanted in (({1: 1, 2: 1, 3: 2, 4: 0}, []),
                               ({1: 1, 2: 0, 3: 2, 4: 1}, [2]),
                               ({1: 1, 2: 0, 3: 0, 4: 0}, [2, 3])):
            source = types.SimpleNamespace(text=self.TEXT, lines=counts)
            result = Result()
            judge_reports(result, {'a.c': source})
            self.assertEqual(result.passed, not wanted)
            self.assertEqual([log for _, log in result.logs], [
                f'a.c:{n}: {self.TEXT[n - 1].strip()}' for n in wanted])


class Compiler(unittest.TestCase):
    """tests/coverage/gcc, by which scripts/check coverage builds all."""

    MAIN = '#include <unistd.h>\nint main(void) { _exit(3); }\n'

    def test_counts_at_exit(self):
        """Linked by the command line, or by a file of arguments as QEMU is."""
        for arguments in ('-o {0}/main {0}/main.o', '@{0}/arguments'):
            with self.subTest(arguments), \
                    tempfile.TemporaryDirectory() as folder:
                place = os.path.join(folder, 'lib')
                os.mkdir(place)
                for name, text in (
                        ('main.c', self.MAIN),
                        ('arguments', f'-o {place}/main {place}/main.o')):
                    with open(os.path.join(place, name), 'w',
                              encoding='utf-8') as file:
                        file.write(text)
                gcc = os.path.join(ROOT, 'tests', 'coverage', 'gcc')
                for line in (f'-c {place}/main.c -o {place}/main.o',
                             arguments.format(place)):
                    subprocess.run([gcc, *line.split()], check=True)
                self.assertEqual(subprocess.call([f'{place}/main']), 3)
                self.assertIn('main.gcda', os.listdir(place))


if __name__ == '__main__':
    unittest.main()
