# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb on TRISC1 alone, from main() of examples/sfpu_words to its end and back by
instruction, by line, with Ctrl-C, with detach.  Compared with the line table and
with the addresses of branches, which objdump shows."""

import os
import re
import subprocess
import tempfile
import time
import unittest

from blackhole_tile.testing import ROOT, Tile, heed_control_c
from test_gdb import SCRIPT, each, echo, gdb_prints
from test_gdb_step import HART, REVERSE, Sfpu, words_of

OBJDUMP = 'riscv64-unknown-elf-objdump'
END = 'hart_done'                      # of crt0.S: main() has returned
BRANCH, JALR, JAL = 0x63, 0x67, 0x6F   # major opcodes
STEPS = 4000                           # at most, of a walk
SECONDS = 40                           # at most, of a session
COUNT = 0x20000
COUNTERS = {
    'Makefile': 'include $(BLACKHOLE_TILE)/runtime/kernel.mk\n',
    'trisc1.c': """#include "blackhole-tile/kernel.h"
static __attribute__((noinline)) void work(volatile uint32_t *count)
{
    TTINSN(SFPNOP);
    ++*count;
}
int main(void)
{
    for (;;) {
        work((void *)0x20000);
    }
}
""",
    'trisc2.c': """#include "blackhole-tile/kernel.h"
int main(void)
{
    for (;;) {
        ++*(volatile uint32_t *)0x20004;
    }
}
"""}
PRINT = f'printf "counts=%d,%d\\n", *(int *){COUNT:#x}, *(int *){COUNT + 4:#x}'
CONTROL_C = 'threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()'
LINE = re.compile(r'^(\S+) +(\d+) +(0x\w+)(?: +\d+)?( +x)?$', re.M)
PLACE = re.compile(r'^(\w+) pc=(\w+) (\S+):(\d+) (\w+)$', re.M)

# walk(COMMAND, COUNT): the places that it leads to, up to the end of main()
WALK = '''python
import os
def place():
    frame = gdb.selected_frame()
    sal = frame.find_sal()
    return frame.pc(), '%s:%d %s' % (
        os.path.basename(sal.symtab.filename) if sal.symtab else '?', sal.line,
        frame.name())
def walk(name, command, count):
    for _ in range(count):
        gdb.execute(command, to_string=True)
        pc, where = place()
        print('%s pc=%x %s' % (name, pc, where))
        if where.endswith(' hart_done'):
            break
end'''


def walk(name, command, count=STEPS):
    return f'python walk("{name}", "{command}", {count})'


def walked(text, name):
    """[(pc, 'FILE:LINE', function)]"""
    return [(int(pc, 16), f'{file}:{line}', function)
            for found, pc, file, line, function in PLACE.findall(text)
            if found == name]


def line_table(path):
    """{address: [('FILE:LINE', does a statement begin there?)]}"""
    text = subprocess.run([OBJDUMP, '--dwarf=decodedline', path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    table = {}
    for file, line, address, begins in LINE.findall(text):
        table.setdefault(int(address, 16), []).append(
            (f'{file}:{line}', bool(begins)))
    return table


def call_lines(path):
    """The lines that call inlined functions: gdb stops there as well."""
    text = subprocess.run([OBJDUMP, '--dwarf=info', path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return set(re.findall(r'DW_AT_call_line +: (\d+)', text))


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def successors(pc, word):
    """Where the instruction may lead, or None for anywhere."""
    opcode = word & 0x7F
    if opcode == JALR:
        return None
    if opcode == JAL:
        return [pc + signed(word >> 31 << 20 | (word >> 12 & 0xFF) << 12 |
                            (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1,
                            21)]
    if opcode == BRANCH:
        return [pc + 4, pc + signed(
            word >> 31 << 12 | (word >> 7 & 1) << 11 |
            (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1, 13)]
    return [pc + 4]


class Walks(Sfpu):
    """One tile: 32 times each line of sigmoid()."""
    tiles = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.table = line_table(cls.images[HART])
        cls.calls = call_lines(cls.images[HART])
        cls.code = dict(words_of(cls.images[HART]))

    def session(self, commands, **options):
        """From the first instruction of main(); not longer than SECONDS."""
        begin = time.monotonic()
        text = self.by_script([WALK, 'tbreak *main', 'continue',
                               "python print('start pc=%x %s' % place())",
                               *commands, echo('end')], **options)
        self.assertIn('<end>', text)
        self.assertLess(time.monotonic() - begin, SECONDS)
        return text

    def check_instructions(self, pcs):
        """Each follows from the one before; all words are met that gdb takes
        for a compressed branch."""
        for pc, after in zip(pcs, pcs[1:]):
            wanted = successors(pc, self.code[pc])
            self.assertTrue(wanted is None or after in wanted,
                            f'{pc:#x}: {after:#x}')
        self.assertLessEqual(set(self.words), set(pcs))

    def check_place(self, pc, place):
        self.assertTrue(place in [name for name, _ in self.table[pc]] or
                        place.split(':')[1] in self.calls, f'{pc:#x} {place}')

    def check_lines(self, start, places, pcs):
        """The stops are among `pcs` in their order, each at a line that begins
        there, and none at which another line begins is left out."""
        at = 0
        line = start
        for pc, place, _ in places[:-1]:
            begin = at
            while pcs[at] != pc:
                at += 1
                self.assertLess(at, len(pcs), f'{pc:#x} {place}')
            for skipped in pcs[begin + 1:at]:
                for other, begins in self.table.get(skipped, ()):
                    self.assertTrue(other == line or not begins,
                                    f'{other} at {skipped:#x}, {line}')
            self.check_place(pc, place)
            line = place

    def test_to_the_end(self):
        """stepi in one session, step in another."""
        pcs = [pc for pc, *_ in walked(self.session([walk('i', 'stepi')]),
                                       'i')]
        self.check_instructions(pcs)
        text = self.session([walk('line', 'step')])
        places = walked(text, 'line')
        self.assertEqual(places[-1][2], END, text[-2000:])
        (_, start, _), = walked(text, 'start')
        self.check_lines(start, places, pcs)

    def test_next_to_the_end(self):
        """The lines of main(): one call of compute() for each tile."""
        places = walked(self.session([walk('next', 'next')]), 'next')
        self.assertEqual({function for *_, function in places[:-1]}, {'main'})
        self.assertEqual(places[-1][2], END)
        with open(os.path.join(ROOT, 'examples', 'sfpu_words', HART + '.c'),
                  encoding='utf-8') as file:
            source = [line.strip() for line in file]
        lines = [source[int(place.split(':')[1]) - 1]
                 for _, place, _ in places if place.startswith(HART)]
        self.assertEqual(lines[-1], 'return 0;')
        self.assertIn('compute(tile % DEST_HALVES);', lines)
        self.assertLess(len(places), 30)

    def test_to_the_end_and_back(self):
        """stepi to the end; reverse-step and reverse-stepi through a whole
        sigmoid() each."""
        text = self.session([walk('i', 'stepi'), walk('back', 'reverse-step', 80),
                             walk('backi', 'reverse-stepi', 160),
                             walk('again', 'stepi', 160)], **REVERSE)
        pcs = [pc for pc, *_ in walked(text, 'i')]
        self.check_instructions(pcs)
        lines = walked(text, 'back')
        self.assertEqual(len(lines), 80)
        backwards = pcs[-2::-1]
        at = 0
        for pc, place, _ in lines:
            self.assertIn(pc, backwards[at:at + 40], place)
            at = backwards.index(pc, at)
            self.check_place(pc, place)
        self.assertLessEqual(set(self.words), set(backwards[:at]))
        found = [pc for pc, *_ in walked(text, 'backi')]
        self.assertEqual(found, backwards[at + 1:at + 161])
        again = [pc for pc, *_ in walked(text, 'again')]
        self.assertEqual(again, found[-2::-1] + [lines[-1][0]])


class Running(unittest.TestCase):
    """gdb has TRISC1 alone; TRISC2 counts as well."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        for name, text in COUNTERS.items():
            with open(os.path.join(cls.folder, name), 'w',
                      encoding='utf-8') as file:
                file.write(text)
        subprocess.run(['make', '-s', '-C', cls.folder, f'O={cls.folder}',
                        f'BLACKHOLE_TILE={ROOT}'], check=True,
                       stdout=subprocess.DEVNULL)

    def setUp(self):
        # pylint: disable=consider-using-with
        self.tile = Tile(images={
            hart: os.path.join(self.folder, hart + '.elf')
            for hart in (HART, 'trisc2')}, stopped=True, gdb=True)
        self.addCleanup(self.tile.close)

    def session(self, commands):
        return gdb_prints('-x', SCRIPT, *each(commands),
                          preexec_fn=heed_control_c, TILE_HARTS=HART,
                          TILE_GDB=self.tile.gdb_socket)

    @staticmethod
    def counts(text):
        """[(of TRISC1, of TRISC2)] at each COUNT."""
        return [tuple(map(int, pair))
                for pair in re.findall(r'^counts=(\d+),(\d+)$', text, re.M)]

    def test_control_c(self):
        """TRISC2 runs while TRISC1 does, and neither when gdb has stopped."""
        text = self.session([
            'python import os, signal, threading, time', 'tbreak main',
            'continue', *[PRINT, f'python {CONTROL_C}', 'continue', PRINT,
                          'python time.sleep(0.3)'] * 2, PRINT,
            'info inferiors', 'tbreak work', 'continue'])
        counts = self.counts(text)
        self.assertEqual(len(counts), 5, text)
        self.assertEqual(text.count('received signal SIGINT'), 2, text)
        self.assertEqual(counts[0][0], 0)
        for before, after in (counts[0:2], counts[2:4]):
            self.assertLess(before[0], after[0])
            self.assertLess(before[1], after[1])
        self.assertEqual(counts[1], counts[2])
        self.assertEqual(counts[3], counts[4])
        self.assertEqual(len(re.findall(r'^[* ] +\d ', text, re.M)), 1, text)
        self.assertRegex(text, r'hit Temporary breakpoint 2, work \(')

    def test_stepi_of_one_hart(self):
        """TRISC2 runs during each, and not between two."""
        counts = self.counts(self.session([
            'break work', 'continue', 'delete', PRINT, PRINT,
            *['stepi'] * 50, PRINT, PRINT]))
        self.assertEqual((counts[0], counts[2]), (counts[1], counts[3]))
        self.assertIn(counts[2][0], range(4, 12))   # of 5 to 12 instructions
        self.assertLess(counts[0][1], counts[2][1])

    def test_detach_and_attach(self):
        """After detach the machine runs, and no breakpoint stops it; gdb may
        attach again."""
        for _ in range(2):
            text = self.session(['break work', 'continue', 'stepi', 'next',
                                 'detach'])
            self.assertRegex(text, r'hit Breakpoint 1, work \(')
            for address in (COUNT, COUNT + 4):
                before = self.tile.read32(address)
                self.tile.wait_for(lambda t, a=address, n=before:
                                   t.read32(a) > n + 1000, 20)


if __name__ == '__main__':
    unittest.main()
