# SPDX-License-Identifier: GPL-2.0-or-later
"""QMP's structures: what they say, what they refuse, and their manual."""

import math
import os
import random
import re
import socket
import struct
import tempfile
import time
import unittest

import numpy
import rv_asm as rv
from blackhole_tile import APERTURE, TileError, hart_view, registers
from blackhole_tile.state import Change
from blackhole_tile.testing import ROOT, Tile, every_accelerator
from bombs import forever
from rv_asm import A0, A1
from test_stop import Watched

PUSH_MATH = hart_view('brisc', 0xFFE50000)
CONFIG = hart_view('brisc', 0xFFEF0000)
SEMWAIT_ZERO = 0xA6 << 24 | 0x1ff << 15 | 1 << (2 + 3) | 1
MVMUL = 0x26 << 24 | 1 << 14 | 4
SETDVALID_B = 0x57 << 24 | 2
INCADCXY = 0x52 << 24 | 1 << 21 | 3 << 6       # unpacker 0, channel 0, X
NO_SUCH_OPCODE = 0x06000000
LREG, DEST_VALID = APERTURE + 0x20000, APERTURE + 0x8000
MAIL_FROM_T0 = 0xFFEC1000
PCBUF_1, PUSH, RESET_PC_OF_BRISC = 0xFFE90000, 0xFFE40000, 0


class Queries(unittest.TestCase):
    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)
        self.state = self.tile.state

    def push(self, *words):
        for word in words:
            self.tile.write32(PUSH_MATH, word)

    def refused(self, pattern, command, **arguments):
        with self.assertRaisesRegex(TileError, pattern):
            self.tile.qmp(command, **arguments)

    def test_thread_that_waits_for_a_semaphore(self):
        self.push(SEMWAIT_ZERO, MVMUL, MVMUL)
        self.tile.cont()
        self.tile.wait_for(lambda t: self.state.why()['thread1'].state ==
                           'waiting')
        node = self.state.why()['thread1']
        self.assertEqual((node.wait.kind, node.wait.conditions),
                         ('semwait', 1))
        self.assertEqual([(s.index, s.value) for s in node.wait.semaphores],
                         [(3, 0)])
        self.assertNotIn('thread1', node.wait.helpers)
        self.assertIn('trisc0', node.wait.helpers)
        insn = node.instruction
        self.assertEqual((insn.word, insn.mnemonic, insn.hart, insn.thread),
                         (MVMUL, 'MVMUL', 'brisc', 1))
        self.assertEqual({o.name: o.value for o in insn.operands},
                         {'dst': 4, 'addr_mode': 1, 'instr_mod19': 0,
                          'clear_dvalid': 0})
        self.assertIn('addr_mode=1, dst=4',
                      self.tile.hmp('info tensix why details'))
        thread = self.state.threads()[1]
        self.assertEqual(thread.gate.latched.word, SEMWAIT_ZERO)
        self.assertEqual(thread.gate.wait, node.wait)
        self.assertEqual([i.word for i in thread.brisc_fifo], [MVMUL])
        self.assertFalse(thread.idle)

    def test_dest_as_numbers(self):
        cells = struct.pack('<16H', 0x007f, 0x00ff, 0x80ff, 0x40ff, *[0] * 12)
        self.tile.write(APERTURE + 32 * 5, cells)
        self.tile.write8(DEST_VALID + 6, 0)
        rows = self.state.dest(5, 2, 'bf16')
        self.assertEqual(rows.format, 'bf16')
        self.assertEqual([(r.row, r.valid) for r in rows.rows],
                         [(5, True), (6, False)])
        self.assertEqual(rows.rows[0].cells[:4], [0x7f, 0xff, 0x80ff, 0x40ff])
        self.assertEqual(rows.rows[0].values[:4], [1, 'inf', 'minus-inf',
                                                   'nan'])
        one, inf, minus, nan = rows.rows[0].numbers()[:4]
        self.assertEqual((one, inf, minus), (1.0, math.inf, -math.inf))
        self.assertTrue(math.isnan(nan))
        self.assertIsNone(self.state.dest(0, 1, 'raw').rows[0].values)
        self.assertEqual(len(self.state.dest().rows), 1024)
        self.assertEqual(len(self.state.dest(form='int32').rows), 512)

    def test_integers_of_32_bits_are_exact(self):
        self.tile.write(LREG, struct.pack('<2i', 2**31 - 1, -2**31 + 1))
        self.assertEqual(self.state.lregs('s32').rows[0].values[:2],
                         [2**31 - 1, -2**31 + 1])

    def test_formats_are_those_of_the_package(self):
        """Each register file has the same formats, which read the same,
        but for fp16's largest exponent: numpy takes it for inf and nan."""
        size = registers.LREGS * registers.LANES
        self.tile.write(LREG, random.Random(1).randbytes(4 * size))
        self.tile.write(APERTURE, random.Random(2).randbytes(1 << 15))
        self.tile.write(APERTURE + registers.SRC['srca'], struct.pack(
            f'<{64 * 16}I', *random.Random(3).choices(range(1 << 19),
                                                      k=64 * 16)))
        arrays = self.tile.registers
        for ask, array, views in (
                (self.state.dest, arrays.dest, registers.DEST_VIEWS),
                (lambda **more: self.state.src('srca', **more),
                 lambda name: arrays.srca(name, 0), registers.SRC_VIEWS),
                (self.state.lregs, arrays.lregs, registers.LREG_VIEWS)):
            for name in registers.REGISTER_FORMATS:
                with self.subTest(name, array=array):
                    if name not in views:
                        with self.assertRaisesRegex(TileError, (
                                f'seen as {name}, but as {" ".join(views)}$')):
                            ask(form=name)
                        continue
                    rows = ask(form=name).rows
                    wanted = numpy.array([row.cells if row.values is None else
                                          row.numbers() for row in rows])
                    got = array(name).astype(float)
                    if name == 'fp16':
                        wanted[~numpy.isfinite(got)] = got[~numpy.isfinite(got)]
                    numpy.testing.assert_array_equal(got, wanted)

    def test_src(self):
        self.tile.write(APERTURE + 0x13000, struct.pack('<I', 0x7f))
        rows = self.state.src('srcb', bank=1, count=1)
        self.assertEqual((rows.bank, rows.owner, len(rows.rows)),
                         (1, 'unpackers', 1))
        self.assertEqual(rows.rows[0].values[0], 1)

    def test_configuration_by_name(self):
        self.tile.write32(CONFIG + 4, 1 << 29)
        self.assertEqual(self.state.config(),
                         [{'ALU_ACC_CTRL_Fp32_enabled': 1}, {}])
        self.assertEqual(self.state.config(['ALU_ACC_CTRL_Fp32_enabled']),
                         [{'ALU_ACC_CTRL_Fp32_enabled': n} for n in (1, 0)])
        every = self.tile.qmp('query-tensix-config', all=True)
        self.assertGreater(len(every), 600)
        self.refused("called 'Fp33'", 'query-tensix-config', names=['Fp33'])

    def test_what_does_not_exist(self):
        for pattern, command, arguments in (
                ('row 1024 .*1024', 'dest', {'row': 1024}),
                ('row 512 .*512', 'dest', {'row': 512, 'format': 'fp32'}),
                ('count', 'dest', {'count': 0}),
                ('expects uint32', 'dest', {'row': -1}),
                ("bf17", 'dest', {'format': 'bf17'}),
                ('bank 2', 'src', {'src': 'srca', 'bank': 2}),
                ('row 64', 'src', {'src': 'srca', 'row': 64}),
                ('seen as bf16', 'lregs', {'format': 'bf16'}),
                ('/machine/l1', 'why', {'path': '/machine/l1'}),
                ('/nowhere', 'harts', {'path': '/nowhere'}),
                ("mark 'x'", 'changes', {'since': 'x'})):
            self.refused(pattern, 'query-tensix-' + command, **arguments)
        self.refused("mark 'x'", 'tensix-unmark', name='x')

    def test_path(self):
        self.assertEqual(
            self.tile.qmp('query-tensix-units', path='/machine/cop'),
            self.tile.qmp('query-tensix-units'))

    def test_a_machine_without_a_tile(self):
        """And one that is not there yet."""
        with Tile(stopped=True, extra=['-M', 'none']) as other:
            with self.assertRaisesRegex(TileError, 'no Tensix tile'):
                other.qmp('query-tensix-why')

    def test_marks(self):
        self.state.mark('begin')
        self.push(SETDVALID_B)
        self.state.mark('middle')
        self.tile.write32(CONFIG + 4, 1 << 29)
        changed = Change('config', 'config[0].ALU_ACC_CTRL_Fp32_enabled', 0, 1)
        self.assertEqual(self.state.changes('middle'), [changed])
        bank = self.state.changes('begin', 'middle')
        self.assertEqual([c.name for c in bank],
                         ['srcb.owner[0]', 'srcb.unpack-bank'])
        self.assertEqual(self.state.changes('begin'), [changed] + bank)
        self.assertEqual(self.state.changes('begin', 'begin'), [])
        self.state.mark('begin')
        self.assertEqual(self.state.changes('begin'), [])
        for n in range(14):
            self.state.mark(f'm{n}')
        self.refused('16 marks', 'tensix-mark', name='one more')
        self.state.mark('m3')
        self.state.unmark('m0')
        self.state.mark('one more')

    def test_hmp_is_the_same(self):
        self.push(SETDVALID_B)
        text = self.tile.hmp('info tensix banks')
        self.assertRegex(text, r'srcb\r?\n  bank 0: matrix-unit\r?\n  bank 1: unp')
        self.assertEqual(self.state.banks()['srcb'].owners,
                         ['matrix-unit', 'unpackers'])
        self.assertRegex(self.tile.hmp('info tensix dest 2000'),
                         'row 2000 does not exist')


class Violations(unittest.TestCase):
    def setUp(self):
        self.tile = Tile(stopped=True)
        self.addCleanup(self.tile.close)

    def violations(self):
        self.tile.qmp('query-status')
        return [e['data'] for e in self.tile.events
                if e['event'] == 'TENSIX_VIOLATION']

    def test_event_of_first_tenth_hundredth(self):
        for _ in range(120):
            self.tile.write32(PUSH_MATH, NO_SUCH_OPCODE)
        found = self.violations()
        self.assertEqual([data['count'] for data in found], [1, 10, 100])
        self.assertEqual(found[0]['category'], 'undefined-behaviour')
        self.assertEqual(found[0]['instruction']['word'], NO_SUCH_OPCODE)
        found = self.tile.state.violations()
        self.assertEqual((found.total, found.elsewhere), (120, 0))
        self.assertEqual([(s.count, s.instruction.word) for s in found.sites],
                         [(120, NO_SUCH_OPCODE)])
        self.assertIn('120 times: undefined-behaviour',
                      self.tile.hmp('info tensix violations'))

    def test_two_words_of_one_place(self):
        """A hart's loop stores both: each is a site."""
        words = [NO_SUCH_OPCODE, NO_SUCH_OPCODE | 1]
        loop = [rv.sw(A0, rv.A2), rv.lw(A0, A1, 4), rv.addi(A1, A1, 4),
                rv.branch(1, A0, 0, -12)]
        tile = self.tile
        tile.write(0x30000, rv.code(words + [0]))
        tile.write(RESET_PC_OF_BRISC, rv.code(
            rv.li(A1, 0x30000) + rv.li(rv.A2, PUSH) +
            [rv.lw(A0, A1)] + loop + rv.HALT))
        tile.release('brisc')
        tile.cont()
        tile.wait_for(lambda t: t.state.violations().total >= 2)
        found = tile.state.violations()
        self.assertEqual(len({s.pc for s in found.sites}), 1)
        self.assertEqual(sorted((s.instruction.word, s.count)
                                for s in found.sites),
                         [(word, 1) for word in words])

    def test_a_host_s_accesses(self):
        """They have no place: the text distinguishes them."""
        for address in (0x300000, 0x300010, 0x300000):
            self.tile.qtest(f'readl {address:#x}')
        found = self.tile.state.violations().sites
        self.assertEqual([s.count for s in found], [2, 1])
        for site, address in zip(found, (0x300000, 0x300010)):
            self.assertIn(f'{address:#010x}', site.text)

    def test_many_sites(self):
        """32 have events, 1024 are kept."""
        for n in range(1100):
            self.tile.write32(PUSH_MATH, NO_SUCH_OPCODE | n)
        self.assertEqual(len(self.violations()), 32)
        found = self.tile.state.violations()
        self.assertEqual((found.total, found.elsewhere, len(found.sites)),
                         (1100, 76, 1024))

    def test_with_every_policy(self):
        with Tile(stopped=True, machine='on-violation=stop') as tile:
            tile.write32(PUSH_MATH, NO_SUCH_OPCODE)
            self.assertEqual(tile.state.violations().total, 1)
            self.assertIn('TENSIX_VIOLATION',
                          [e['event'] for e in tile.events])


class Running(Watched):
    """Every query while harts and threads run: at once, and undisturbed."""

    TOPICS = ('why harts threads macro semaphores mutexes rwcs adcs flags '
              'config thread-config gprs lregs dest banks units violations '
              'state').split()
    LONGEST = 5                          # seconds, on a busy host

    @every_accelerator
    def test_running(self, accel):
        count = [rv.addi(A0, A0, 1), rv.sw(A0, A1)]
        tile = self.start({
            'brisc': rv.li(A1, 0x30000) + forever(
                [rv.ttinsn(MVMUL & 0xff000000 | 2 << 24)] + count),
            'trisc1': rv.li(A1, 0x30004) + forever(
                [rv.ttinsn(0x02000000)] + count)}, accel)
        tile.qmp('cont')
        tile.wait_for(lambda t: t.read32(0x30004))
        for topic in self.TOPICS * 3:
            start = time.monotonic()
            tile.qmp('query-tensix-' + topic)
            self.assertLess(time.monotonic() - start, self.LONGEST, topic)
        before = tile.read32(0x30004)
        tile.wait_for(lambda t: t.read32(0x30004) != before)
        self.assertEqual(tile.status(), 'running')
        self.assertEqual(tile.state.harts()['trisc1'].state, 'running')
        tile.close()

    @every_accelerator
    def test_mail(self, accel):
        tile = self.start({'brisc': rv.li(A1, MAIL_FROM_T0) +
                           [rv.lw(A0, A1)] + rv.HALT}, accel)
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.harts()['brisc'].state == 'waiting')
        hart = tile.state.harts()['brisc']
        self.assertEqual((hart.wait.kind, hart.wait.hart, hart.wait.helpers),
                         ('mailbox-empty', 'trisc0', ['trisc0']))
        tile.close()

    @every_accelerator
    def test_barrier(self, accel):
        """TRISC1 has to ask for a word, and thread 1 to end what it has."""
        tile = self.start({
            'brisc': rv.li(A1, PCBUF_1) + [rv.lw(A0, A1)] + rv.HALT,
            'trisc1': rv.li(A1, 0x30000) + [
                rv.lw(A0, A1), rv.branch(0, A0, 0, -4)] + rv.HALT}, accel)
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.harts()['brisc'].state == 'waiting')
        hart = tile.state.harts()['brisc']
        self.assertEqual((hart.wait.kind, hart.wait.thread, hart.wait.helpers),
                         ('pcbuf-barrier', 1, ['trisc1', 'thread1']))
        tile.close()


class Monitor(unittest.TestCase):
    """Completion, as a terminal asks for it."""

    def complete(self, line):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'monitor')
            with Tile(stopped=True, extra=[
                    '-chardev', f'socket,id=m,path={path},server=on,wait=off',
                    '-mon', 'chardev=m,mode=readline']), \
                    socket.socket(socket.AF_UNIX) as monitor:
                monitor.connect(path)
                monitor.settimeout(10)
                seen = ''
                while '(qemu)' not in seen:
                    seen += monitor.recv(4096).decode()
                monitor.sendall(line.encode() + b'\t\t\x15help quit\n')
                seen = ''
                while 'Quit' not in seen and 'quit ' not in seen:
                    seen += monitor.recv(4096).decode()
                return re.sub(r'\x1b\[[0-9]*[A-Z]', '', seen)

    def test_topics(self):
        for line, words in (('info tensix thr', ['thread-config']),
                            ('info tensix s', ['semaphores', 'srca', 'srcb']),
                            ('info tensix dest 0 bf', ['bf16'])):
            seen = self.complete(line)
            for word in words:
                self.assertIn(word, seen, line)


class Manual(unittest.TestCase):
    """docs/qmp.rst names what the schema has, and nothing else."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, 'docs', 'qmp.rst'),
                  encoding='utf-8') as file:
            cls.page = file.read()
        with Tile(stopped=True) as tile:
            cls.schema = tile.qmp('query-qmp-schema')

    def ours(self, kind):
        return {item['name']: item for item in self.schema
                if item['meta-type'] == kind and 'tensix' in
                item['name'].lower()}

    def members(self, item):
        """Names of the arguments of a command or event."""
        found = next(i for i in self.schema if i['name'] == item['arg-type'])
        return {member['name'] for member in found['members']}

    def test_commands_and_events(self):
        there = set(self.ours('command')) | set(self.ours('event'))
        self.assertGreater(len(there), 20)
        named = set(re.findall(r'^``((?:query-)?tensix-[\w-]+|TENSIX_\w+)``',
                               self.page, re.M))
        self.assertEqual(named, there)

    def test_arguments(self):
        for name, item in self.ours('command').items():
            text = re.search(rf'^``{name}``([^\n]*)\n', self.page, re.M)
            named = set(re.findall(r'\*([\w-]+)\*', text.group(1)))
            self.assertEqual(named, self.members(item) - {'path'}, name)

    def test_data_of_events(self):
        for name, item in self.ours('event').items():
            text = re.search(rf'^``{name}``\n((?: .*\n|\n)+)', self.page, re.M)
            self.assertLessEqual(
                self.members(item) - {'path'},
                set(re.findall(r'``([\w-]+)``', text.group(1))), name)


if __name__ == '__main__':
    unittest.main()
