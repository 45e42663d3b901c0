# SPDX-License-Identifier: GPL-2.0-or-later
"""Breaks, watches and last writers, on the matmul firmware and by a few
stores: each stop names its writer, and results are the same."""

import random
import re
import time
import unittest

import numpy
import rv_asm as rv
from blackhole_tile import TileError
from blackhole_tile.instructions import tt
from blackhole_tile.machine import EndedError
from blackhole_tile.testing import SHARED, Tile, every_accelerator
from debug_client import Registers
from lib_matmul import FINISHED, Product
from rv_asm import A0, A1, A2, A3
from test_gdb import GDB, SCRIPT, each, gdb_prints
from test_snapshot import wait_for_status
from test_torture import PATHS

OUT_BASE, SIZE = 0xC0000, 32
DATA = 0x10000
PCBUF_OWN, SEMPOST = 0xFFE80000, 0xA4000000 | 1 << (3 + 2)    # semaphore 3
STOPS = 40
INSTRUCTION = (r'(brisc|trisc\d) pc 0x[0-9a-f]{8}.*, thread (\d), '
               r'word 0x[0-9a-f]{8} \((tt\w+)')


class Case(unittest.TestCase):
    def add(self, tile, command, kind):
        """The number of a new break or watch."""
        answer = tile.hmp(command)
        self.assertRegex(answer, rf'^{kind} \d+\s*$')
        return int(answer.split()[1])

    def stop(self, tile):
        """The line of the next stop."""
        start = len(tile.output_bytes())
        tile.qmp('cont')
        wait_for_status(tile, 'debug')
        return tile.output_bytes(start).decode()

    def writers(self, tile, place):
        """What `info tensix writer` says, a line a place: it breaks long ones."""
        text = tile.hmp('info tensix writer ' + place)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        return re.sub(r'\r?\n +', ' ', text)


class ProductCase(Case):
    """A product of two tiles, which a stop does not change."""

    def setUp(self):
        chance = random.Random(1)
        self.a, self.b = ([[chance.randint(-3, 3) for _ in range(SIZE)]
                           for _ in range(SIZE)] for _ in range(2))
        self.product = Product(self.a, self.b)

    def tile(self, accel, machine=''):
        tile = Tile('matmul', accel, stopped=True, machine=machine,
                    words=self.product.parameters())
        self.product.load(tile)
        return tile

    def finish(self, tile):
        """Lets it run to its end, and examines the result."""
        tile.hmp('tensix_delete all')
        tile.qmp('cont')
        self.check_result(tile)

    def check_result(self, tile):
        tile.wait_for(lambda tile: tile.read32(FINISHED), 60)
        self.assertTrue((self.product.fetch(tile) == numpy.matmul(self.a, self.b)).all())


class Matmul(ProductCase):
    @every_accelerator
    def test_dest_row(self, accel):
        with self.tile(accel) as tile:
            number = self.add(tile, 'tensix_watch dest 4', 'watch')
            text = self.stop(tile)
            self.assertRegex(text, rf'^tensix: watch {number}: dest 4 written '
                             rf'by {INSTRUCTION}')
            self.assertRegex(self.writers(tile, 'dest 4'),
                             rf'^dest 4: {INSTRUCTION}')
            self.finish(tile)

    @every_accelerator
    def test_product_into_dest(self, accel):
        """After the ZEROACC that clears it, MVMUL is the writer."""
        with self.tile(accel) as tile:
            self.add(tile, 'tensix_watch dest 4', 'watch')
            text = self.stop(tile)
            while 'ttmvmul' not in text:
                self.assertIn('ttzeroacc', text)
                text = self.stop(tile)
            self.assertRegex(text, r'trisc1 pc .* thread 1, .*unit matrix, MOP word')
            self.finish(tile)

    @every_accelerator
    def test_packer_writes_l1(self, accel):
        with self.tile(accel) as tile:
            self.add(tile, f'tensix_watch l1 {OUT_BASE:#x} 16', 'watch')
            text = self.stop(tile)
            self.assertRegex(text, r'watch 1: l1 0xc0000 written by trisc2 pc '
                             r'.*thread 2, .*\(ttpacr .*Last=0\), unit pack, MOP word 0 '
                             r'from trisc2 pc .* in \w+ \(.*trisc2.c:\d+\).*: old '
                             r'00000000.*, new [0-9a-f]{8}')
            self.finish(tile)

    @every_accelerator
    def test_break_on_pacr(self, accel):
        with self.tile(accel) as tile:
            self.add(tile, 'tensix_break PACR thread 2', 'break')
            for word in range(3):
                text = self.stop(tile)
                self.assertRegex(text, r'^tensix: break 1: before trisc2 '
                                 rf'pc .*\(ttpacr .*MOP word {word}')
                self.assertIn('tensix_break', tile.hmp('info tensix why'))
            self.finish(tile)

    @every_accelerator
    def test_break_on_a_field(self, accel):
        with self.tile(accel) as tile:
            self.add(tile, 'tensix_break PACR thread 2 if Last=1', 'break')
            self.assertRegex(self.stop(tile), r'break 1: .*MOP word 15\b')
            self.finish(tile)

    def test_configuration_by_name(self):
        with self.tile('single') as tile:
            self.add(tile, 'tensix_watch config '
                     'THCON_SEC0_REG1_L1_Dest_addr', 'watch')
            self.assertRegex(self.stop(tile), r'config \d+ bank \d \('
                             r'THCON_SEC0_REG1_L1_Dest_addr \d+ -> \d+\) '
                             r'written by trisc2 .*ttwrcfg')
            self.finish(tile)

    def test_other_registers(self):
        for place, writer in (('semaphore 1', 'ttsem'), ('srca 0', 'ttunpacr'),
                              ('gpr 0 64 thread 2', 'tt|store'),
                              ('thread-config 0 60', 'ttsetc16')):
            with self.subTest(place), self.tile('single') as tile:
                self.add(tile, f'tensix_watch {place}', 'watch')
                self.assertRegex(self.stop(tile), writer)
                self.finish(tile)

    @every_accelerator
    def test_random_stops(self, accel):
        """Many stops of all kinds in a run, with a random schedule too."""
        for machine in ('', 'schedule=seed=3', 'writers=on'):
            with self.subTest(machine), self.tile(accel, machine) as tile:
                for place in ('dest 0 8', 'l1 0xc0000 64', 'srcb 3',
                              'semaphore 0 8'):
                    self.add(tile, f'tensix_watch {place}', 'watch')
                self.add(tile, 'tensix_break ZEROACC', 'break')
                for _ in range(STOPS):
                    tile.qmp('cont')
                    tile.wait_for(lambda tile: tile.status() == 'debug' or
                                  tile.read32(FINISHED), 60)
                    if tile.status() != 'debug':
                        break
                self.finish(tile)

    @every_accelerator
    def test_writers(self, accel):
        with self.tile(accel, 'writers=on') as tile:
            tile.qmp('cont')
            self.check_result(tile)
            self.assertRegex(self.writers(tile, f'l1 {OUT_BASE:#x}'),
                             r'^l1 0xc0000: trisc2 .*ttpacr')
            self.assertRegex(self.writers(tile, 'dest 4 2'),
                             r'^dest 4: .*\r?\ndest 5: ')
            writer, = tile.qmp('query-tensix-writers', place={
                'space': 'l1', 'first': OUT_BASE})
            self.assertEqual((writer['sort'], writer['instruction']['mnemonic'],
                              writer['instruction']['thread']),
                             ('instruction', 'PACR', 2))
            self.assertRegex(self.writers(tile, 'l1 0x40000'),
                             r'^l1 0x40000: noc')


class Harts(Case):
    """Stores by a hart, a host and a debugger."""

    PROGRAM = rv.li(A0, DATA) + [rv.addi(A1, A1, 1), rv.sw(A1, A0),
                                 rv.jump(-8)]
    STORE = 4 * (len(rv.li(A0, DATA)) + 1)

    @every_accelerator
    def test_hart_stores(self, accel):
        with Tile(accel=accel) as tile:
            registers = Registers(tile)
            registers.hold('trisc1')
            tile.write(0, rv.code(self.PROGRAM))
            tile.stop()
            self.add(tile, f'tensix_watch l1 {DATA:#x}', 'watch')
            registers.release('trisc1')
            for n in range(4):
                self.assertRegex(self.stop(tile), (
                    rf'watch 1: l1 {DATA:#x} written by trisc1 pc '
                    rf'0x{self.STORE:08x}, store: old {n:08x}, new '
                    rf'{n + 1:08x}'))
            tile.hmp('tensix_delete 1')
            tile.qmp('cont')
            tile.wait_for(lambda tile: tile.read32(DATA) > 1000, 20)
            self.assertEqual(tile.status(), 'running')

    @every_accelerator
    def test_hart_is_the_writer(self, accel):
        with Tile(accel=accel, machine='writers=on') as tile:
            registers = Registers(tile)
            registers.hold('trisc1')
            tile.write(0, rv.code(self.PROGRAM))
            registers.release('trisc1')
            tile.wait_for(lambda tile: tile.read32(DATA) > 10, 20)
            self.assertRegex(
                self.writers(tile, f'l1 {DATA:#x}'),
                rf'^l1 {DATA:#x}: trisc1 pc 0x{self.STORE:08x}, store')

    IDLE_SECONDS, AT_MOST = 2.0, 0.2
    LAST_WORD = [rv.ttinsn(SEMPOST)] + rv.li(A0, PCBUF_OWN) + [
        rv.lw(A1, A0), rv.jump(0)]

    @every_accelerator
    def test_stop_behind_the_last_word(self, accel):
        """Nothing is left to do: the coprocessor rests, with a seed too."""
        for machine in ('', 'schedule=seed=5'):
            with self.subTest(machine), Tile(accel=accel,
                                             machine=machine) as tile:
                registers = Registers(tile)
                registers.hold('trisc1')
                tile.write(0, rv.code(self.LAST_WORD))
                tile.stop()
                self.add(tile, 'tensix_watch semaphore 3', 'watch')
                registers.release('trisc1')
                self.assertRegex(self.stop(tile), 'ttsempost')
                tile.qmp('cont')
                time.sleep(0.5)
                before = tile.cpu_seconds()
                time.sleep(self.IDLE_SECONDS)
                self.assertLess(tile.cpu_seconds() - before, self.AT_MOST)

    def test_break_while_races_are_reported(self):
        """Words no longer skip the gate, although the observer is the same."""
        with Tile(machine='races=report') as tile:
            registers = Registers(tile)
            registers.hold('trisc1')
            tile.write(0, rv.code(rv.li(A0, DATA) + [
                rv.ttinsn(tt('SETDMAREG')), rv.addi(A1, A1, 1),
                rv.sw(A1, A0), rv.jump(-12)]))
            registers.release('trisc1')
            tile.wait_for(lambda tile: tile.read32(DATA) > 10)
            tile.stop()
            self.add(tile, 'tensix_break SETDMAREG', 'break')
            self.assertRegex(self.stop(tile), 'ttsetdmareg')

    def test_no_stop_by_the_debugger(self):
        with Tile() as tile:
            self.add(tile, f'tensix_watch l1 {DATA:#x}', 'watch')
            tile.write32(DATA, 5)
            self.assertEqual(tile.status(), 'running')


class Torture(Case):
    """Stops at random in a run that counts its errors, on every accelerator."""

    # with a thread for each hart a random schedule goes as fast as the clock
    WORDS = {('multi', True): 20000}
    USUAL_WORDS = 100000
    AT_ONCE, AT_RANDOM, RUNS = 20, 10, 12      # stops in a run, in all runs
    SECONDS = 0.002

    def resume(self, tile, pause):
        """To the next instruction, or to some instruction after a pause."""
        if not pause:
            self.add(tile, 'tensix_break any', 'break')
        tile.qmp('cont')
        if pause:
            time.sleep(pause)
            self.add(tile, 'tensix_break any', 'break')

    def stops(self, tile, chance):
        """Stops again and again until it has ended; how often."""
        count = 0
        try:
            while True:
                self.resume(tile, count >= self.AT_ONCE and
                           chance.random() * self.SECONDS)
                tile.wait_for(lambda tile: tile.status() == 'debug', 60)
                count += 1
                tile.hmp('tensix_delete all')
        except EndedError:
            return count

    def run_with_stops(self, accel, machine):
        words = self.WORDS.get((accel, bool(machine)), self.USUAL_WORDS)
        with Tile('torture', accel, words={SHARED: words}, machine=machine,
                  stopped=True) as tile:
            count = self.stops(tile, random.Random(accel + machine))
            self.assertEqual(tile.wait_for_exit(120), 0, tile.output())
            rows = re.findall(r'words +(\d+) errors  ok$', tile.output(), re.M)
        self.assertEqual(rows, ['0'] * PATHS)
        return count

    @every_accelerator
    def test_random_breaks(self, accel):
        self.assertGreaterEqual(self.run_with_stops(accel, ''),
                                self.AT_ONCE)

    @every_accelerator
    def test_random_breaks_in_random_order(self, accel):
        """On a busy host the program may end before many stops were asked for."""
        stops = 0
        for _ in range(self.RUNS):
            stops += self.run_with_stops(accel, 'schedule=seed=5') - self.AT_ONCE
            self.assertGreaterEqual(stops, 0)
            if stops >= self.AT_RANDOM:
                return
        self.fail(f'{stops} stops at random in {self.RUNS} runs')


class Commands(Case):
    def test_list_and_delete(self):
        with Tile(stopped=True) as tile:
            self.assertIn('no breaks', tile.hmp('info tensix breaks'))
            first = self.add(tile, 'tensix_break any thread 1', 'break')
            second = self.add(tile, 'tensix_watch lreg 2', 'watch')
            text = tile.hmp('info tensix breaks')
            self.assertIn(f'{first}: break any thread 1', text)
            self.assertIn(f'{second}: watch lreg 2', text)
            self.assertEqual(tile.hmp(f'tensix_delete {first}'), '')
            self.assertNotIn('any', tile.hmp('info tensix breaks'))
            self.assertIn('there is no', tile.hmp(f'tensix_delete {first}'))
            tile.hmp('tensix_delete all')
            self.assertIn('no breaks', tile.hmp('info tensix breaks'))

    def test_qmp(self):
        with Tile(stopped=True, machine='writers=on') as tile:
            self.assertEqual(
                tile.qmp('tensix-break', mnemonic='PACR', thread=2),
                {'id': 1, 'what': 'break PACR thread 2'})
            self.assertEqual(
                tile.qmp('tensix-watch', place={'space': 'lreg', 'first': 2}),
                {'id': 2, 'what': 'watch lreg 2'})
            tile.qmp('tensix-delete', id=1)
            self.assertEqual(tile.qmp('query-tensix-stops'),
                             [{'id': 2, 'what': 'watch lreg 2'}])
            for arguments in ({'id': 1}, {'id': 0}):
                with self.assertRaisesRegex(TileError, 'there is no'):
                    tile.qmp('tensix-delete', **arguments)
            tile.qmp('tensix-delete')
            self.assertEqual(tile.qmp('query-tensix-stops'), [])
            self.assertEqual(
                tile.qmp('query-tensix-writers', place={
                    'space': 'dest', 'first': 4, 'count': 2}),
                [{'place': f'dest {row}', 'sort': 'none'} for row in (4, 5)])

    # monitor's words, QMP's command and arguments
    SAME = (
        ('break any', 'break', {}),
        ('break any thread 1', 'break', {'thread': 1}),
        ('break PACR thread 2 if Flush=1 Last=0', 'break', {
            'mnemonic': 'PACR', 'thread': 2, 'operands': [
                {'name': 'Flush', 'value': 1}, {'name': 'Last', 'value': 0}]}),
        ('break violation', 'break-violation', {}),
        ('break violation bad-access', 'break-violation',
         {'category': 'bad-access'}),
        ('watch l1 0x1000 64 access', 'watch', {
            'place': {'space': 'l1', 'first': 4096, 'count': 64},
            'access': 'access'}),
        ('watch dest 4 8 wide', 'watch', {'place': {
            'space': 'dest', 'first': 4, 'count': 8, 'wide': True}}),
        ('watch srca 3 bank 1 read', 'watch', {
            'place': {'space': 'srca', 'first': 3, 'bank': 1},
            'access': 'read'}),
        ('watch gpr 5 thread 2', 'watch', {
            'place': {'space': 'gpr', 'first': 5, 'thread': 2}}),
        ('watch config ALU_ACC_CTRL_Fp32_enabled bank 0', 'watch', {
            'place': {'space': 'config', 'bank': 0,
                      'field': 'ALU_ACC_CTRL_Fp32_enabled'}}),
        ('watch semaphore 1', 'watch', {
            'place': {'space': 'semaphore', 'first': 1}}))

    def test_words_and_structures_are_the_same(self):
        with Tile(stopped=True) as tile:
            for words, command, arguments in self.SAME:
                with self.subTest(words):
                    self.add(tile, 'tensix_' + words, words.split()[0])
                    tile.qmp('tensix-' + command, **arguments)
                    self.assertEqual([stop['what'] for stop in
                                      tile.qmp('query-tensix-stops')],
                                     [words] * 2)
                    tile.qmp('tensix-delete')

    WRONG = (
        ('no mnemonic', 'break', {'mnemonic': 'any'}),
        ('thread 3', 'break', {'thread': 3}),
        ('needs a mnemonic', 'break', {
            'operands': [{'name': 'Flush', 'value': 1}]}),
        ("no field 'Flash'", 'break', {
            'mnemonic': 'PACR', 'operands': [{'name': 'Flash', 'value': 1}]}),
        ('Flush has', 'break', {
            'mnemonic': 'PACR', 'operands': [{'name': 'Flush', 'value': 9}]}),
        ('category', 'break-violation', {'category': 'none'}),
        ('is missing', 'watch', {'place': {'space': 'dest'}}),
        ('no sense', 'watch', {
            'place': {'space': 'dest', 'first': 0, 'bank': 0}}),
        ('no sense', 'watch', {
            'place': {'space': 'gpr', 'first': 0, 'thread': 3}}),
        ('no sense', 'watch', {
            'place': {'space': 'lreg', 'first': 0, 'wide': True}}),
        ('no sense', 'watch', {
            'place': {'space': 'gpr', 'first': 0}, 'access': 'read'}),
        ('no field', 'watch', {
            'place': {'space': 'thread-config', 'field': 'Nothing'}}),
        ('no field', 'watch', {'place': {'space': 'dest', 'field': 'x'}}),
        ('no number', 'watch', {
            'place': {'space': 'config', 'first': 0,
                      'field': 'ALU_ACC_CTRL_Fp32_enabled'}}),
        ('there are 1024', 'watch', {
            'place': {'space': 'dest', 'first': 0, 'count': 0}}))

    def test_wrong_structures(self):
        with Tile(stopped=True) as tile:
            for error, command, arguments in self.WRONG:
                with self.subTest(command, **arguments), \
                        self.assertRaisesRegex(TileError, error):
                    tile.qmp('tensix-' + command, **arguments)
            self.assertEqual(tile.qmp('query-tensix-stops'), [])

    def test_errors(self):
        with Tile(stopped=True) as tile:
            for command, error in (
                    ('tensix_break NONSENSE', 'no mnemonic'),
                    ('tensix_break PACR thread 3', 'thread 0..2'),
                    ('tensix_break PACR if Nothing=1', 'no field'),
                    ('tensix_break PACR if Flush=9', 'bits'),
                    ('tensix_break any if Flush=1', "'Flush=1'"),
                    ('tensix_break violation nonsense', 'no category'),
                    ('tensix_watch nonsense 1', 'none of'),
                    ('tensix_watch dest', 'no number'),
                    ('tensix_watch dest 1024', 'there are 1024'),
                    ('tensix_watch dest 0 0', 'there are 1024'),
                    ('tensix_watch dest 4 bank 1', 'no sense'),
                    ('tensix_watch srca 4 bank', 'no sense'),
                    ('tensix_watch l1 0x180000', 'there are'),
                    ('tensix_watch l1 0x17fffc 0xffffffff', 'there are'),
                    ('tensix_watch config NoSuchField', 'no field'),
                    ('tensix_delete nonsense', 'no number'),
                    ('info tensix writer l1 0', 'writers=on'),
                    ('info tensix writer l1 0 4096', 'writers=on'),
                    ('info tensix writer l1 0 4097', 'at most 4096')):
                with self.subTest(command):
                    self.assertIn(error, tile.hmp(command))
            self.assertIn('no breaks', tile.hmp('info tensix breaks'))

    def test_too_many(self):
        with Tile(stopped=True) as tile:
            for _ in range(32):
                self.add(tile, 'tensix_watch lreg 2', 'watch')
            self.assertIn('as many', tile.hmp('tensix_watch lreg 2'))

    @every_accelerator
    def test_break_on_violation(self, accel):
        words = rv.li(A0, 0x300000) + [rv.lw(A1, A0), rv.jump(0)]
        with Tile(accel=accel) as tile:
            registers = Registers(tile)
            registers.hold('trisc1')
            tile.write(0, rv.code(words))
            tile.stop()
            self.add(tile, 'tensix_break violation bad-access', 'break')
            registers.release('trisc1')
            self.assertRegex(self.stop(tile), r'tensix: bad-access: TRISC1')

    def test_deleted_break_on_violation(self):
        """One of two that are alike still stops; none is no stop."""
        words = rv.li(A0, 0x300000) + rv.li(A1, DATA) + [
            rv.lw(A2, A0), rv.addi(A3, A3, 1), rv.sw(A3, A1), rv.jump(-12)]
        with Tile() as tile:
            registers = Registers(tile)
            registers.hold('trisc1')
            tile.write(0, rv.code(words))
            tile.stop()
            first = self.add(tile, 'tensix_break violation', 'break')
            second = self.add(tile, 'tensix_break violation bad-access',
                              'break')
            registers.release('trisc1')
            self.stop(tile)
            tile.hmp(f'tensix_delete {first}')
            self.stop(tile)
            tile.hmp(f'tensix_delete {second}')
            before = tile.read32(DATA)
            tile.qmp('cont')
            tile.wait_for(lambda t: t.read32(DATA) > before + 10)
            self.assertEqual(tile.status(), 'running')


@unittest.skipUnless(GDB, 'no gdb-multiarch: scripts/setup installs it')
class Debugger(ProductCase):
    """gdb sees the stop with its reason, and continues."""

    def test_stop_in_gdb(self):
        with Tile('matmul', stopped=True, gdb=True,
                  words=self.product.parameters()) as tile:
            self.product.load(tile)
            commands = ['monitor tensix_watch l1 0xc0000 16',
                        'monitor tensix_break PACR thread 2', 'continue',
                        'continue', 'monitor tensix_delete all', 'detach']
            text = gdb_prints('-x', SCRIPT, *each(commands),
                              TILE_GDB=tile.gdb_socket)
            self.assertRegex(text, 'tensix: break 2: before trisc2')
            self.assertRegex(text, 'tensix: watch 1: l1 0xc0000 written by '
                             'trisc2')
            self.check_result(tile)


if __name__ == '__main__':
    unittest.main()
