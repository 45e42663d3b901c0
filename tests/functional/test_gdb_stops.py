# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb stops at the coprocessor: tensix step, break, watch of
python/blackhole_tile/ingdb."""

import os
import re
import unittest

import lib_matmul as matmul
from blackhole_tile import tt
from blackhole_tile.testing import ROOT, Tile, images
from gdb_client import Debugger
from test_gdb import GDB, echo, run_gdb
from test_gdb_python import sections_of

STOP = re.compile(r'tensix: break \d+: before (\w+) pc (0x\w+).*?'
                  r'\(tt(\w+).*?\), [\w ]+((?:, MOP word \d+)?)'
                  r'(?: from .*?)?((?:, REPLAY slot \d+)?)(?: from .*)?$', re.M)
PROGRAM = ('sfpload', 'sfpmad', 'sfpiadd', 'sfpmad', 'sfpencc', 'sfpstore')
DRAIN = os.path.join(ROOT, 'tests', 'firmware', 'demo', 'trisc2.c')
RESET_PC = 0x12000                     # of NCRISC
VECTORS = 8                            # of a face in the demo
HEADER = os.path.join(ROOT, 'tests', 'firmware', 'matmul', 'matmul.h')


def face():
    """(mnemonic, MOP word, REPLAY slot) of the demo's compute_face()."""
    words = [('semwait', None, None), ('semget', None, None),
             ('setc16', None, None), ('setrwc', None, None)]
    for vector in range(VECTORS):
        words += [(name, 2 * vector, slot)
                  for slot, name in enumerate(PROGRAM)]
        words.append(('incrwc', 2 * vector + 1, None))
    return words + [('stallwait', None, None), ('sempost', None, None)]


def number_of(text):
    """That after ", MOP word " and the like."""
    return int(text.split()[-1]) if text else None


class Console(unittest.TestCase):
    def stop(self, let_go):
        """What gdb gets at the stop of a break, and what it asks for then."""
        with Tile('demo', stopped=True, gdb=True) as tile, \
                Debugger(tile) as gdb:
            tile.hmp('tensix_break any')
            let_go(tile, gdb)
            tile.wait_for(lambda t: t.status() == 'debug')
            gdb.send('qAttached:1')
            return [gdb.receive(), gdb.receive() if gdb.rest else None]

    def test_gdb_that_waits_gets_the_reason(self):
        first, _ = self.stop(lambda _, gdb: gdb.send('vCont;c'))
        self.assertIn('tensix: break 1: before ',
                      bytes.fromhex(first[1:]).decode())

    def test_gdb_that_does_not_wait_gets_nothing(self):
        answers = self.stop(lambda tile, _: tile.qmp('cont'))
        self.assertEqual(answers, ['1', None])


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Written(unittest.TestCase):
    def test_a_thread_continues_by_a_semaphore(self):
        """When the machine does."""
        with Tile(stopped=True, gdb=True) as tile:
            for word in (tt('SEMINIT', max_value=1, sem_sel=1 << 3 | 1 << 2),
                         tt('SEMWAIT', stall_res=0x1FF, wait_sem_cond=1,
                            sem_sel=1 << 3), tt('SEMPOST', sem_sel=1 << 2)):
                tile.push(1, word)
            text = run_gdb(tile, ['inferior 4', 'set $sem3 = 1', echo('posts'),
                                  'output $sem3', 'output $sem2',
                                  'disconnect'])
            self.assertIn('<posts>\n10', text)
            tile.cont()
            tile.wait_for(lambda t: t.state.semaphores()[2].value == 1)


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Detached(unittest.TestCase):
    """From all processes: there is no current thread."""

    QUERIES = ('?', 'c', 'C05', 's', 'bs', 'bc', 'g', 'G00', 'm0,4', 'M0,1:00',
               'p0', 'P0=00000000', 'Z0,0,4', 'z0,0,4', 'F0', 'qC', 'D;1',
               'qXfer:features:read:target.xml:0,100', 'vCont;c:p9.-1', 'D;9')
    OTHERS = ('!', 'qfThreadInfo', 'qAttached:1', 'Hg0', 'Hc0', 'T1', 'vCont?')

    def test_nothing_is_read_or_moved(self):
        for machine in ('', 'rewind=on'):
            with self.subTest(machine), \
                    Tile(accel='icount', stopped=True, gdb=True,
                         machine=machine) as tile, Debugger(tile) as gdb:
                for number in range(1, 6):
                    self.assertEqual(gdb.ask('D;9'), 'E22')
                    gdb.expect_ok(f'D;{number}')
                tile.stop()        # else the next byte does
                for packet in self.QUERIES:
                    self.assertEqual(gdb.ask(packet), 'E22', packet)
                for packet in self.OTHERS:
                    gdb.ask(packet)
                self.assertRegex(gdb.ask('vAttach;2'), '^T05thread:p02')
                self.assertEqual(gdb.pc('ncrisc'), RESET_PC)


class Step(unittest.TestCase):
    """With -icount: how far TRISC1 has come when its SEMWAIT ends is the same on
    a busy host. It may be at the next face, so nothing stops there."""

    def session(self, commands):
        with Tile('demo', 'icount', stopped=True, gdb=True) as tile:
            return sections_of(run_gdb(tile, [
                'inferior 4', 'tbreak compute_face', 'continue', *commands,
                echo('end'), 'monitor info tensix breaks', 'delete',
                'continue']))

    def test_into_mop_and_replay(self):
        """Every word of a face in order, in one go or one by one."""
        count = len(face())
        for commands in ([f'tensix step {count}'], ['tensix step'] * count):
            sections = self.session([echo('steps'), *commands])
            steps = STOP.findall(sections['steps'])
            self.assertEqual(
                [(name, number_of(mop), number_of(slot))
                 for _, _, name, mop, slot in steps], face())
            self.assertEqual({hart for hart, *_ in steps}, {'trisc1'})
            self.assertIn('no breaks', sections['end'])
            self.assertIn('1024 values computed, 0 wrong', sections['end'])

    def test_of_another_thread(self):
        sections = self.session(['delete', echo('step'),
                                 'tensix step thread 2'])
        hart, _, name, *_ = STOP.search(sections['step']).groups()
        self.assertEqual(hart, 'trisc2')
        self.assertIn(name, ('semwait', 'semget'))

    def test_a_breakpoint_at_the_same_moment_ends_it(self):
        """TRISC1 is after the push of SEMWAIT when the coprocessor is in
        front of it."""
        sections = self.session(['break *compute_face+4', echo('step'),
                                 'tensix step 6', 'print/x $pc'])
        self.assertEqual(len(STOP.findall(sections['step'])), 1)
        self.assertRegex(sections['step'], r'hit Breakpoint')
        pc = int(re.search(r'= (0x\w+)', sections['step'])[1], 16)
        self.assertEqual(pc, int(STOP.findall(sections['step'])[0][1], 16) + 4)

    def test_a_breakpoint_ends_it(self):
        """Another hart's, at any moment."""
        with open(DRAIN, encoding='utf-8') as file:
            line = 1 + file.read().split('wait_coprocessor', 1)[0].count('\n')
        sections = self.session(['inferior 5', f'tbreak trisc2.c:{line + 1}',
                                 'inferior 4', echo('step'),
                                 'tensix step 400'])
        self.assertIn(len(STOP.findall(sections['step'])), range(1, 399))
        self.assertRegex(sections['step'], r'hit Temporary breakpoint')
        self.assertIn('no breaks', sections['end'])

    def test_needs_a_thread(self):
        for words, wanted in (('', 'whose instruction'),
                              ('thread 3', 'whose instruction'),
                              ('1 2', 'usage: tensix step')):
            sections = self.session([
                'inferior 1', 'python', 'try:',
                f'    gdb.execute("tensix step {words}")',
                'except gdb.error as error:', '    print("error:", error)',
                'end'])
            self.assertIn('error: ' + wanted, sections['all'])


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Matmul(unittest.TestCase):
    """One product of 32 x 32."""

    def session(self, commands):
        ones = [[1.0] * 32 for _ in range(32)]
        product = matmul.Product(ones, ones)
        with Tile(images=images('matmul'), stopped=True, gdb=True,
                  words=product.parameters()) as tile:
            product.load(tile)
            return sections_of(run_gdb(tile, commands))

    @staticmethod
    def out_base():
        """L1 address of the packer's first tile."""
        with open(HEADER, encoding='utf-8') as file:
            n = {name: int(value, 0) for name, value in
                 re.findall(r'(\w+) = (0x\w+|\d+)\b', file.read())}
        return n['CHUNK_BASE'] + n['CHUNK_SLOTS'] * 2 * n['CHUNK_TILES'] * \
            n['MAX_TILE_BYTES']

    def test_row_4_of_dest(self):
        sections = self.session([
            'tensix watch dest 4', 'continue', echo('stop'), 'info threads',
            'print $_dest(4, 0)', 'tensix delete all',
            'monitor info tensix breaks'])
        self.assertRegex(
            sections['all'],
            r'tensix: watch \d+: dest 4 written by trisc\d pc 0x\w+.*, thread')
        self.assertIn('no breaks', sections['stop'])

    def test_the_packers_write_to_l1(self):
        sections = self.session([
            'tensix break PACR thread 2', 'continue', echo('packer'),
            'info threads', 'tensix delete all',
            f'tensix watch l1 {self.out_base():#x} 0x1000',
            'continue', echo('write'), 'continue', echo('end')])
        self.assertRegex(sections['all'].partition('<packer>')[0],
                         r'before trisc2 pc 0x\w+.*\(ttpacr ')
        self.assertRegex(sections['packer'], r'(?m)^\* 5\.1 ')
        self.assertRegex(sections['packer'].partition('<write>')[0],
                         r'watch \d+: l1 0x\w+ written by trisc2 .*\(ttpacr ')


if __name__ == '__main__':
    unittest.main()
