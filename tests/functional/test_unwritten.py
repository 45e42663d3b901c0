# SPDX-License-Identifier: GPL-2.0-or-later
"""-M blackhole-tile,unwritten=report: the first read of what was never written
is reported, whichever agent reads; watches of reads stop there."""

import contextlib
import os
import re
import tempfile
import unittest

import rv_asm as rv
from blackhole_tile.instructions import tt
from blackhole_tile.machine import EndedError
from blackhole_tile.testing import ACCELERATORS, Tile, every_accelerator
from rv_asm import A0, A1, A2
from test_snapshot import wait_for_status
from test_watch import ProductCase

BASE, BLOCK, PLACE = 0x20000, 0x30000, 0x41000

PACR = 0x41000001
SFPSTORE = 0x72000000 | 2 << 20
SFPLOADI = 0x71000000 | 2 << 20
VSE32 = 0x02006027 | A2 << 15 | 4 << 7
VLE32 = 0x02006007 | A2 << 15 | 4 << 7
# after PLACE: continues if it is not 0; is not 0 when the first part is done
GO, HALF = 16, 20


def sb(rs2, rs1, imm):
    return rv.s_type(rv.STORE, 0, rs1, rs2, imm)


def program(body):
    """An image that executes it, then leaves; and where it starts."""
    head = rv.li(A1, BLOCK) + rv.li(A0, rv.APPLICATION_EXIT) + [
        rv.sw(A0, A1), rv.sw(rv.ZERO, A1, 4)] + rv.li(A2, PLACE)
    tail = rv.li(A0, rv.SYS_EXIT_EXTENDED) + [rv.jump(4)] + rv.SEMIHOSTING
    return (rv.elf({BASE: rv.code(head + body + tail)}, BASE),
            BASE + 4 * len(head))


def run_out(tile):
    """To its end, which may come before QMP's answer."""
    with contextlib.suppress(EndedError):
        tile.qmp('cont')
    assert tile.wait_for_exit(20) == 0


class Case(unittest.TestCase):
    def start(self, body, machine='unwritten=report', accel='single', **options):
        image, first = program(body)
        tile = Tile(images={'trisc1': image}, machine=machine, accel=accel,
                    **options)
        self.addCleanup(tile.close)
        return tile, first

    def run_body(self, body, machine='unwritten=report', accel='single'):
        """Output of a program, and the address of its first instruction."""
        image, first = program(body)
        with Tile(images={'trisc1': image}, machine=machine,
                  accel=accel) as tile:
            self.assertEqual(tile.wait_for_exit(20), 0)
            return tile.output(), first


class Reports(Case):
    @every_accelerator
    def test_instructions(self, accel):
        text, first = self.run_body(
            [rv.ttinsn(PACR), rv.ttinsn(PACR), rv.ttinsn(SFPSTORE)], accel=accel)
        self.assertRegex(
            text, rf'tensix: unwritten: TRISC1 at pc 0x{first:08x}: reads row 0 of '
            r'Dest to row 3 of Dest: nothing has written 4 of them since '
            r'reset\n'
            rf'  trisc1 pc 0x{first:08x}, thread 1, word 0x{PACR:08x} '
            r'\(ttpacr .*\)\n')
        self.assertRegex(
            text, rf'tensix: unwritten: TRISC1 at pc 0x{first + 8:08x}: reads '
            r'LReg\[2\], which nothing has written.*\n  .*ttsfpstore .*\n')
        self.assertEqual(text.count('tensix: unwritten: '), 2, text)

    @every_accelerator
    def test_written_is_silent(self, accel):
        text, _ = self.run_body([rv.ttinsn(SFPLOADI), rv.ttinsn(SFPSTORE)],
                                accel=accel)
        self.assertNotIn('unwritten', text)

    @every_accelerator
    def test_loads(self, accel):
        text, first = self.run_body(
            [rv.sw(rv.ZERO, A2), rv.lw(A0, A2), rv.lw(A0, A2, 4),
             rv.lw(A0, A2, 4), sb(rv.ZERO, A2, 9), rv.lw(A0, A2, 8)],
            accel=accel)
        self.assertRegex(
            text, rf'tensix: unwritten: TRISC1 at pc 0x{first + 8:08x}: reads 4 bytes '
            r'of L1 that nothing has written since reset, the first at '
            rf'0x{PLACE + 4:x}')
        self.assertRegex(
            text, rf'tensix: unwritten: TRISC1 at pc 0x{first + 20:08x}: reads 3 bytes '
            rf'of L1 .*, the first at 0x{PLACE + 8:x}')
        self.assertEqual(text.count('tensix: unwritten: '), 2, text)

    def test_off_is_silent(self):
        for machine in ('', 'unwritten=off'):
            text, _ = self.run_body([rv.ttinsn(PACR), rv.lw(A0, A2)], machine)
            self.assertNotIn('unwritten', text)

    def test_dest_window(self):
        with Tile(machine='unwritten=report') as tile:
            for hart in range(5):              # a debugger may look at anything
                tile.qmp('human-monitor-command', **{
                    'command-line': 'x/4wx 0xffbd8000', 'cpu-index': hart})
            self.assertEqual(tile.output(), '')
        text, first = self.run_body(
            rv.li(A2, 0xFFBD8000) + [rv.lw(A0, A2)], accel='single')
        self.assertRegex(text, rf'unwritten: TRISC1 at pc 0x{first + 8:08x}: reads '
                               r'row 0 of Dest to row 8 of Dest: nothing has '
                               r'written 2 of them')

    def test_in_qmp_and_as_a_break(self):
        tile, first = self.start([rv.ttinsn(PACR)], stopped=True)
        tile.hmp('tensix_break violation unwritten')
        tile.qmp('cont')
        wait_for_status(tile, 'debug')
        site, = (s for s in tile.qmp('query-tensix-violations')['sites']
                 if s['category'] == 'unwritten')
        self.assertEqual((site['hart'], site['pc']), ('trisc1', first))
        self.assertEqual(site['instruction']['mnemonic'], 'PACR')
        self.assertEqual(tile.qmp('qom-get', path='/machine',
                                  property='unwritten'), 'report')


# words of thread 1 and what the last of them is reported for; without the
# error; see test-unwritten-pairs.c for the others
VALUE = tt('SFPLOADI', lreg_ind=2)
ALL_LANES, NO_LANES, FLAGS = (
    tt('SFPENCC', imm12_math=mode, instr_mod1=10) for mode in (0, 1, 3))
NOT_LANE_0 = tt('SFPSETCC', lreg_c=15, instr_mod1=2)
STORE = tt('SFPSTORE', lreg_ind=2, instr_mod0=2)
STORE_WIDE = tt('SFPSTORE', lreg_ind=2, instr_mod0=3)
CLEAR = tt('ZEROACC', clear_mode=3)
CLEAR_NARROW = tt('ZEROACC', clear_mode=1)
CLEAR_WIDE = tt('ZEROACC', clear_mode=1, use_32_bit_mode=1)
ROWS = {
    'lanes that were disabled': (
        [NO_LANES, VALUE, ALL_LANES, STORE], [ALL_LANES, VALUE, STORE],
        r'reads LReg\[2\], which'),
    # LReg[15] is zero in lane 0 alone
    'a lane that was disabled': (
        [FLAGS, NOT_LANE_0, VALUE, ALL_LANES, STORE],
        [FLAGS, NOT_LANE_0, VALUE, STORE],
        r'reads LReg\[2\] in 1 lane\b.*, the first 0, that no'),
    'a tile that was only cleared': (
        [CLEAR, tt('PACR')], [CLEAR, VALUE, STORE, tt('PACR')],
        'packs row 0 of Dest to row 3 of Dest: no instruction has computed 4'),
    '32 bits cleared as 16': (
        [CLEAR, VALUE, STORE_WIDE, CLEAR_NARROW],
        [CLEAR, VALUE, STORE_WIDE, CLEAR_WIDE],
        'clears, as rows of 16 bits, row 0 of Dest to row 11'),
    '16 bits cleared as 32': (
        [CLEAR, VALUE, STORE, CLEAR_WIDE], [CLEAR, VALUE, STORE, CLEAR_NARROW],
        'clears, as rows of 32 bits, row 0 of Dest to row 3'),
}


class Rows(unittest.TestCase):
    def found(self, words):
        with Tile(machine='unwritten=report') as tile:
            for word in words:
                tile.push(1, word)
            return [site['text'] for site in
                    tile.qmp('query-tensix-violations')['sites']
                    if site['category'] == 'unwritten']

    def test_pairs(self):
        for name, (wrong, right, text) in ROWS.items():
            with self.subTest(name):
                found = self.found(wrong)
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], text)
                self.assertEqual(self.found(right), [])


class Written(Case):
    """Other writers of L1."""

    def test_others(self):
        """A test's writes (qtest), the monitor's, gdb's: like a host's."""
        tile, _ = self.start([rv.lw(A0, A2), rv.lw(A0, A2, 4)], stopped=True)
        tile.write(PLACE, bytes(8))
        run_out(tile)
        self.assertEqual(tile.output(), '')

    def test_images(self):
        """What is loaded at reset, zeroes in it as well, and after a reset."""
        body = [rv.lw(A0, A2), rv.lw(A0, A2, 60)]
        image, _ = program(body)
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, 'data')
            with open(data, 'wb') as file:
                file.write(bytes(64))
            with Tile(images={'trisc1': image}, machine='unwritten=report',
                      stopped=True, extra=[
                          '-device', f'loader,file={data},addr=0x{PLACE:x},'
                                     'force-raw=on']) as tile:
                tile.qmp('system_reset')
                run_out(tile)
                self.assertEqual(tile.output(), '')


class Snapshots(Case):
    def test_marks_go_along(self):
        """Written before the snapshot, read after it; and what was not."""
        image, first = program([
            rv.sw(rv.ZERO, A2), rv.ttinsn(SFPLOADI), rv.sw(A2, A2, HALF),
            rv.lw(A0, A2, GO),
            rv.branch(0, A0, rv.ZERO, -4),
            rv.lw(A0, A2), rv.ttinsn(SFPSTORE), rv.lw(A0, A2, 4)])
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, 'state')
            self.save(image, state, 'unwritten=report')
            text = self.load(image, state, 'unwritten=report')
            self.assertRegex(text, rf'unwritten: TRISC1 at pc 0x{first + 28:08x}')
            self.assertEqual(text.count('unwritten'), 1, text)
            self.assertEqual(self.load(image, state, ''), '')
            # one that kept no account accuses none
            self.save(image, state, '')
            self.assertEqual(self.load(image, state, 'unwritten=report'), '')

    def save(self, image, state, machine):
        with Tile(images={'trisc1': image}, machine=machine,
                  words={PLACE + GO: 0}) as tile:
            tile.wait_for_word(PLACE + HALF, PLACE)
            tile.qmp('migrate', uri=f'file:{state}')
            wait_for_status(tile, 'postmigrate')
            self.assertEqual(tile.output(), '')

    def load(self, image, state, machine):
        """What is reported after the snapshot."""
        with Tile(images={'trisc1': image}, machine=machine,
                  extra=['-incoming', f'file:{state}']) as tile:
            tile.wait_for(lambda t: t.qmp('query-status')['running'], 20,
                          'the snapshot')
            tile.write32(PLACE + GO, 1)
            self.assertEqual(tile.wait_for_exit(20), 0)
            return tile.output()


class ReadWatches(ProductCase):
    @every_accelerator
    def test_stop_at_the_reader(self, accel):
        with self.tile(accel) as tile:
            self.add(tile, 'tensix_watch srca 0 4 read', 'watch')
            text = self.stop(tile)
            self.assertRegex(text, r'watch 1: srca 0 bank \d read by trisc1 pc '
                                   r'.*\(ttmvmul .*: [0-9a-f]{8} ')
            self.finish(tile)

    @every_accelerator
    def test_access(self, accel):
        with self.tile(accel) as tile:
            self.add(tile, 'tensix_watch dest 0 access', 'watch')
            writers, text = set(), ''
            while 'read by' not in text:
                writers |= set(re.findall(r'written by (\w+)', text))
                text = self.stop(tile)
            self.assertEqual(writers, {'trisc1'})
            self.assertRegex(text, r'dest 0 read by trisc2 .*\(ttpacr ')
            self.finish(tile)

    @contextlib.contextmanager
    def store_and_load(self, accel, watched):
        """(a tile that is about to store PLACE at PLACE and to load the word,
        the pc of the store), with a watch; the program comes to its end."""
        image, first = program([rv.sw(A2, A2), rv.lw(A0, A2)])
        with Tile(images={'trisc1': image}, stopped=True,
                  accel=accel) as tile:
            self.add(tile, f'tensix_watch l1 0x{PLACE:x} {watched}',
                     'watch')
            yield tile, first
            run_out(tile)

    def test_of_harts(self):
        for accel in ACCELERATORS:
            with self.store_and_load(accel, 'read') as (tile, first):
                self.assertRegex(
                    self.stop(tile),
                    rf'watch 1: l1 0x{PLACE:x} read by trisc1 pc '
                    rf'0x{first + 4:08x}.*, load: {PLACE:08x}')

    @every_accelerator
    def test_load_behind_a_store(self, accel):
        with self.store_and_load(accel, 'access') as (tile, first):
            for what, pc in ('written', first), ('read', first + 4):
                self.assertIn(f'{what} by trisc1 pc 0x{pc:08x}',
                              self.stop(tile))

    def atomic(self, accel, watched, machine):
        """(the stop of an AMOADD of PLACE to PLACE, which holds 7; the pc)"""
        image, first = program([rv.r_type(rv.AMO, 2, 0, A0, A2, A2)])
        with Tile(images={'trisc1': image}, stopped=True, accel=accel,
                  machine=machine, words={PLACE: 7}) as tile:
            self.add(tile, f'tensix_watch l1 0x{PLACE:x} {watched}',
                     'watch')
            text = self.stop(tile)
            self.assertEqual(tile.read32(PLACE), PLACE + 7)
            if machine:
                self.assertIn(f'trisc1 pc 0x{first:08x}, store',
                              self.writers(tile, f'l1 0x{PLACE:x}'))
            run_out(tile)
        return text, first

    @every_accelerator
    def test_atomic(self, accel):
        """Its load is of what was there before; a watch of both reports
        the store."""
        for machine in ('', 'writers=on'):
            for watched, said in (
                    ('read', 'read by trisc1 pc {:#010x}, load: 00000007$'),
                    ('access', f'written by trisc1 pc {{:#010x}}, store: old '
                               f'00000007, new {PLACE + 7:08x}$'),
                    ('', f'written by trisc1 pc {{:#010x}}, store: old '
                         f'00000007, new {PLACE + 7:08x}$')):
                with self.subTest(machine=machine, watched=watched):
                    text, pc = self.atomic(accel, watched, machine)
                    stops = re.findall(r'(?m)^tensix: watch 1: l1 .*$', text)
                    self.assertEqual(len(stops), 1, text)
                    self.assertRegex(stops[0], said.format(pc))

    @every_accelerator
    def test_bytes_beside_it(self, accel):
        """A store to a byte in the same word is none."""
        for machine in ('', 'writers=on'):
            image, first = program([sb(A2, A2, 1), sb(A2, A2, 2)])
            with self.subTest(machine), \
                    Tile(images={'trisc1': image}, stopped=True, accel=accel,
                         machine=machine) as tile:
                self.add(tile, f'tensix_watch l1 0x{PLACE + 2:x} 1', 'watch')
                self.assertRegex(
                    self.stop(tile), rf'l1 0x{PLACE + 2:x} written by '
                    rf'trisc1 pc 0x{first + 4:08x}, store: old 00, new 00')
                run_out(tile)

    # on TRISC2: what it does, and to which words after PLACE
    STRIDE = 64
    VECTOR = (
        ('vse32.v', VSE32, 'written', range(0, 16, 4)),
        ('vsseg4e32.v', 3 << 29 | VSE32, 'written', range(0, 64, 4)),
        ('vsse32.v', 2 << 26 | A1 << 20 | VSE32, 'written',
         range(0, 4 * STRIDE, STRIDE)),
        ('vlseg4e32.v', 3 << 29 | VLE32, 'read', range(0, 64, 4)),
    )

    def vector(self, insn, accel, machine, commands):
        """Lines of the stop at a vector instruction of four elements, and what
        the commands say there."""
        image, first = program([
            rv.addi(A0, 0, 4), 2 << 23 | A0 << 15 | 7 << 12 | rv.OP_V,
            rv.addi(A1, 0, self.STRIDE), insn, rv.EBREAK])
        with Tile(images={'trisc2': image}, stopped=True, accel=accel,
                  machine=machine) as tile:
            for place in commands['watch']:
                self.add(tile, f'tensix_watch l1 {place}', 'watch')
            text = self.stop(tile)
            said = [tile.hmp(f'info tensix writer l1 {place}')
                    for place in commands.get('writer', ())]
        return first + 12, text, said

    @every_accelerator
    def test_vector_instructions(self, accel):
        """Each watch of what one of them accesses reports, and no other."""
        for name, insn, what, words in self.VECTOR:
            for chosen in [words[-1]], [words[0], words[1], words[-1]]:
                with self.subTest(name, chosen=chosen):
                    pc, text, _ = self.vector(insn, accel, '', {'watch': [
                        f'0x{PLACE + n:x} 4 access' for n in chosen + [1000]]})
                    found = re.findall(r'l1 0x(\w+) (\w+) by trisc2 pc 0x(\w+)',
                                      text)
                    self.assertEqual(sorted(found), [
                        (f'{PLACE + n:x}', what, f'{pc:08x}')
                        for n in chosen], text)

    @every_accelerator
    def test_writers_of_vectors(self, accel):
        for name, insn, _, words in self.VECTOR[:3]:
            with self.subTest(name):
                pc, _, said = self.vector(insn, accel, 'writers=on', {
                    'watch': [f'0x{PLACE:x} 4'],
                    'writer': [f'0x{PLACE + n:x}' for n in words]})
                for text in said:
                    self.assertIn(f'trisc2 pc 0x{pc:08x}, store', text)

    def test_errors(self):
        with Tile(stopped=True, machine='writers=on') as tile:
            for command in ('tensix_watch semaphore 1 read',
                            'tensix_watch config 3 access',
                            'tensix_watch dest 4 reads',
                            'tensix_watch dest 4 read foo',
                            'info tensix writer dest 4 read'):
                self.assertRegex(tile.hmp(command),
                                 'makes no sense|no writers are recorded')


class Kernels(ProductCase):
    @every_accelerator
    def test_a_correct_one_is_not_accused(self, accel):
        with self.tile(accel, 'unwritten=report') as tile:
            self.finish(tile)
            self.assertNotIn('unwritten', tile.output())


if __name__ == '__main__':
    unittest.main()
