# SPDX-License-Identifier: GPL-2.0-or-later
"""-M blackhole-tile,races=report: each case lacks an order, its twin has it."""

import os
import unittest

import races_pairs
import rv_asm as rv
from blackhole_tile import ACCELERATORS, tt
from blackhole_tile.memory_map import hart_view
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import ROOT, Tile, script
from races_pairs import (ADD, CLEAR, COUNT, COUNT_1, FLAG, FORMAT, FORMATS, FP32,
                         FROM, GET, GIVE_A, GIVE_B, GPR, LOAD, MATH, NIU,
                         NOC_WRITE, OWN_TILE, PACK, POST, SECTIONS, SEM,
                         SEMAPHORE, SFPU, SYNC, SYNC_LOAD, TO, UNTIL_MATH,
                         UNTIL_SFPU, USE_GPR, WHILE_FULL, WROTE, both, by, load,
                         poll, stall, store, wait)
from rv_asm import A0

BASES = {'brisc': 0x8000, 'trisc1': 0xA000}    # it resets to 0xA000
FINISHED, PUSH = 0x7000, 0xFFE40000


def race_sites(tile):
    return [site for site in tile.qmp('query-tensix-violations')['sites']
            if site['category'] == 'race']


def races(tile):
    return [site['text'] for site in race_sites(tile)]


def images_of(harts):
    """Each hart stores 1 after FINISHED when it has ended."""
    images = {}
    for n, (hart, program) in enumerate(harts.items()):
        base = BASES[hart]
        images[hart] = rv.elf({base: rv.code(
            program + store(FINISHED + 4 * n, 1) + rv.HALT)}, base)
    return images


class Programs(unittest.TestCase):
    @staticmethod
    def push_all(tile, words):
        for thread, word in words:
            tile.push(thread, word)

    def races_of(self, program, words=(), machine='', accel='single'):
        """What is reported when that is pushed, or those harts have run."""
        harts = program if isinstance(program, dict) else {}
        with Tile(images=images_of(harts), accel=accel,
                  machine=f'races=report{machine}',
                  stopped=bool(harts)) as tile:
            self.push_all(tile, words if harts else program)
            if harts:
                tile.qmp('cont')
            for n in range(len(harts)):
                tile.wait_for_word(FINISHED + 4 * n, 1)
            return races(tile)

    def check_pair(self, pair, **options):
        found = self.races_of(pair.race, pair.words, **options)
        self.assertTrue(found)
        for text in found:
            self.assertRegex(text, pair.text)
        self.assertEqual(self.races_of(pair.twin, pair.words, **options), [])


class Pairs(Programs):
    def check_all(self, pairs):
        for pair in pairs:
            with self.subTest(pair.name):
                self.check_pair(pair)

    def test_one_unit(self):
        self.check_all(races_pairs.ONE_UNIT)

    def test_units(self):
        self.check_all(races_pairs.UNITS)

    def test_threads(self):
        self.check_all(races_pairs.THREADS)

    def test_dest(self):
        self.check_all(races_pairs.DEST)

    def test_banks(self):
        self.check_all(races_pairs.BANKS)

    def test_configuration(self):
        self.check_all(races_pairs.CONFIGURATION)

    def test_stores(self):
        self.check_all(races_pairs.STORES)

    def test_mop_cfg(self):
        self.check_all(races_pairs.MOPS)

    def test_harts(self):
        self.check_all(races_pairs.HARTS)

    def test_noc(self):
        self.check_all(races_pairs.NOC)

    def test_how_many(self):
        self.assertGreaterEqual(sum(map(len, SECTIONS.values())), 60)


class Text(Programs):
    """What reports say of waits and releases."""

    def text_of(self, *words):
        """Thread 1's first words, then thread 2's wait and LOAD."""
        found = self.races_of(by(1, *words[:-1]) + by(2, words[-1], LOAD))
        self.assertEqual(len(found), 1)
        return found[0]

    def test_masks_of_waits(self):
        for word, text in (
                (stall(PACK | SYNC, UNTIL_MATH | UNTIL_SFPU),
                 'blocks SYNC, PACK until MATH, WAIT_SFPU'),
                (stall(0, 0),
                 'blocks MATH until THCON, UNPACK0, UNPACK1, PACK'),
                (wait(PACK, WHILE_FULL),
                 'blocks PACK while semaphore 1 is at its maximum')):
            self.assertRegex(self.text_of(COUNT, CLEAR, word),
                             rf'its latest wait is .*: {text}($|;)')

    def test_a_semaphore_that_begins(self):
        """SEMINIT before the access is no release of it."""
        self.assertNotIn('latest release', self.text_of(
            COUNT, CLEAR, wait(PACK, WHILE_FULL)))
        for release in COUNT_1, POST:
            words = ([CLEAR, release] if release == COUNT_1 else
                     [COUNT, release, CLEAR])
            self.assertRegex(self.text_of(*words, wait(PACK)),
                             'latest release is .*(seminit|sempost)')


class Orders(Programs):
    """The first pair of each section, however harts and threads run."""

    def check_first(self, **options):
        for section, pairs in SECTIONS.items():
            with self.subTest(section, **options):
                self.check_pair(pairs[0], **options)

    def test_accelerators(self):
        for accel in ACCELERATORS:
            self.check_first(accel=accel)

    def test_schedules(self):
        for seed in 1, 2:
            self.check_first(machine=f',schedule=seed={seed}')

    def test_after_a_snapshot(self):
        """What was before it is not known; what comes after it is."""
        with Tile(machine='races=report') as tile:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
            tile.push(1, GPR)
            self.assertEqual(tile.hmp('savevm a'), '')
            self.assertEqual(tile.hmp('loadvm a'), '')
            tile.push(1, USE_GPR)
            self.assertEqual(races(tile), [])
            self.push_all(tile, SECTIONS['threads'][0].race)
            self.assertEqual(len(races(tile)), 1)

    def test_a_snapshot_at_a_break(self):
        """The first event after it is the end of what it held: banks are
        known as the snapshot had them."""
        add, = by(1, tt('ELWADD', clear_dvalid=3))
        with Tile(machine='races=report') as tile:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
            tile.hmp('tensix_break ELWADD')
            self.push_all(tile, by(0, GIVE_A, GIVE_B) + [add])
            tile.wait_for(lambda t: t.status() == 'debug')
            self.assertEqual(tile.hmp('savevm a'), '')
            self.assertEqual(tile.hmp('loadvm a'), '')
            tile.hmp('tensix_delete all')
            tile.cont()
            self.push_all(tile, by(0, GIVE_A, GIVE_A))
            self.assertEqual(races(tile), [])

    def waits(self, tile):
        """Thread 2 waits; what thread 1 publishes later ends that."""
        self.push_all(tile, [(1, COUNT), (2, wait(SFPU)), (2, LOAD)])

    def publishes(self, tile):
        self.push_all(tile, [(1, CLEAR), (1, stall(SYNC, UNTIL_MATH)),
                             (1, POST)])
        self.assertEqual(races(tile), [])
        self.push_all(tile, SECTIONS['threads'][0].race)
        self.assertTrue(races(tile))

    def test_a_wait_that_has_begun(self):
        """Before the object has been created, or the snapshot loaded."""
        with Tile() as tile:
            self.waits(tile)
            tile.qmp('object-add', **{'qom-type': 'tensix-races', 'id': 'r'})
            self.publishes(tile)
        with Tile(machine='races=report') as tile:
            add_disk(tile, os.path.join(tile.folder, 'disk.qcow2'))
            self.waits(tile)
            self.assertEqual(tile.hmp('savevm a'), '')
            self.assertEqual(tile.hmp('loadvm a'), '')
            self.publishes(tile)

    def looping(self, loops, machine):
        """Each hart pushes its words for ever, in a block each."""
        images = {}
        for hart, base in ('trisc1', 0xA000), ('trisc2', 0xC000):
            code = [rv.addi(A0, A0, 1)]
            for word in loops[hart]:
                code += [rv.ttinsn(word), rv.jump(4)]
            images[hart] = rv.elf({base: rv.code(
                code + [rv.jump(-4 * len(code))])}, base)
        tile = Tile(images=images, machine=machine, stopped=True)
        return self.enterContext(tile)

    def test_pairs_without_end(self):
        """Of two loops nearly each instruction races with each of the
        other's: they are not all kept, so they are reported again."""
        tile = self.looping({'trisc1': [CLEAR] * 70, 'trisc2': [LOAD] * 71},
                            'races=report')
        tile.cont()
        tile.wait_for(lambda t: sum(
            site['count'] for site in race_sites(t)) > 2 * 70 * 71,
            seconds=60)

    def test_what_has_issued(self):
        """With a seed it may be executed long after that, and the object be
        created in between: here dozens of times."""
        tile = self.looping({
            'trisc1': [wait(MATH, WHILE_FULL), CLEAR,
                       stall(SYNC, UNTIL_MATH), POST],
            'trisc2': [wait(SFPU), LOAD, stall(SYNC, UNTIL_SFPU), GET]},
            'schedule=seed=8')
        tile.push(1, tt('SEMINIT', sem_sel=SEM, max_value=1))
        tile.cont()
        for _ in range(60):
            tile.qmp('object-add', **{'qom-type': 'tensix-races', 'id': 'r'})
            self.assertEqual(races(tile), [])
            tile.qmp('object-del', id='r')


class Check(unittest.TestCase):
    EXAMPLES = ('add', 'sfpu', 'sfpu_words', 'gelu', 'softmax', 'sort',
                'matmul', 'noc_copy', 'orders')

    def test_the_option(self):
        with Tile(machine='check=all', stopped=True) as tile:
            self.assertEqual([tile.qmp('qom-get', path='/machine', property=name)
                              for name in ('check', 'unwritten', 'hazards',
                                           'races', 'bounds')],
                             ['all', 'report', True, 'report', 'report'])

    def test_no_example_has_a_race(self):
        for name in self.EXAMPLES:
            for schedule in 'eager', 'seed=1', 'seed=2':
                with self.subTest(name, schedule=schedule):
                    run = script(
                        'run', os.path.join(ROOT, 'examples', name), '--check',
                        f'--machine=schedule={schedule}', timeout=120)
                    self.assertEqual(run.returncode, 0, run.stderr)

    def test_nor_has_the_demo(self):
        for accel in ACCELERATORS:
            with self.subTest(accel), \
                    Tile('demo', accel, machine='races=report') as tile:
                self.assertEqual(tile.wait_for_exit(60), 0)
                self.assertEqual(tile.violations(), [])


class Client(Programs):
    """BRISC waits for a word that a client writes when it has read TRISC1's."""
    FLAG, COMMAND = 0x7100, 0x7104

    def races_between(self, *before):
        harts = races_pairs.both(sum(before, []) + store(self.FLAG, 1),
                                 poll(self.COMMAND) + load(0))
        with Tile(images=images_of(harts), accel='single',
                  machine='races=report') as tile:
            tile.wait_for_word(self.FLAG, 1)
            tile.write32(self.COMMAND, 1)
            for n in range(len(harts)):
                tile.wait_for_word(FINISHED + 4 * n, 1)
            return races(tile)

    def test_order_through_a_client(self):
        self.assertEqual(self.races_between(WROTE, SYNC_LOAD), [])
        self.assertRegex(self.races_between(WROTE)[0], 'reads L1 at 0x0')


class Outside(Programs):
    """What a host or another tile has written is what is there."""

    def races_after(self, before, address, value, words):
        """The host writes between two sequences that are pushed."""
        with Tile(machine='races=report') as tile:
            self.push_all(tile, before)
            tile.write32(hart_view('trisc1', address), value)
            self.push_all(tile, words)
            return races(tile)

    def test_a_semaphore_that_a_host_posts(self):
        """The wait may be over by the host's post."""
        order = by(2, COUNT), (by(1, CLEAR, stall(SYNC, UNTIL_MATH), POST) +
                               by(2, wait(SFPU), LOAD))
        self.assertEqual(self.races_of(order[0] + order[1]), [])
        found, = self.races_after(order[0], SEMAPHORE, 0, order[1])
        self.assertIn('of Dest', found)

    def test_configuration_that_a_host_writes(self):
        """What is written again then is no change."""
        words = by(0, GIVE_A, GIVE_B) + by(1, ADD, FORMAT)
        self.assertEqual(len(self.races_of(words)), 1)
        self.assertEqual(self.races_after([], FORMATS, FP32, words), [])

    def written_by_another(self, *addresses):
        """Races of BRISC, which loads what TRISC1 wrote when the second tile
        has written to those."""
        with Tile(images=images_of(both(WROTE + store(FLAG, 1),
                                        poll(TO) + load(0))),
                  machine='races=report,tiles=2x1', accel='single') as tile:
            tile.wait_for_word(FLAG, 1)
            one = tile.tiles[1]
            niu = one.address(hart_view('brisc', NIU))
            tile.write32(one.address(FROM), 1)
            for to in addresses:
                for offset, value in {
                        0: FROM, 8: tile.read32(niu + OWN_TILE), 0xC: to,
                        0x14: tile.read32(hart_view('brisc', NIU + OWN_TILE)),
                        0x1C: NOC_WRITE, 0x20: 4, 0x40: 1}.items():
                    tile.write32(niu + offset, value)
            for n in range(2):
                tile.wait_for_word(FINISHED + 4 * n, 1)
            return [site['text'] for site in tile.qmp(
                'query-tensix-violations', path='/machine/tile[0]')['sites']]

    def test_a_write_of_another_tile(self):
        self.assertEqual(len(self.written_by_another(TO)), 1)
        self.assertEqual(self.written_by_another(0, TO), [])


class Object(unittest.TestCase):
    def test_created_and_deleted_at_run_time(self):
        race = [(1, GPR), (1, USE_GPR)]
        with Tile() as tile:
            for thread, word in race:
                tile.push(thread, word)
            tile.qmp('object-add', **{'qom-type': 'tensix-races', 'id': 'r'})
            tile.push(1, USE_GPR)          # what came before is not known
            self.assertEqual(tile.violations(), [])
            for thread, word in race:
                tile.push(thread, word)
            self.assertEqual(len(tile.violations()), 1)
            tile.qmp('object-del', id='r')
            for thread, word in [(2, GPR), (2, USE_GPR)]:
                tile.push(thread, word)
            self.assertEqual(len(tile.violations()), 1)

    def test_a_reset_begins_anew(self):
        with Tile(machine='races=report') as tile:
            tile.push(1, GPR)
            tile.qmp('system_reset')
            tile.push(1, USE_GPR)
            self.assertEqual(tile.violations(), [])

    def test_exit_status(self):
        with Tile(machine='races=report,on-violation=exit') as tile:
            tile.write32(hart_view('trisc1', PUSH), GPR)
            tile.write32(hart_view('trisc1', PUSH), USE_GPR)
            self.assertEqual(tile.wait_for_exit(10), 3)


if __name__ == '__main__':
    unittest.main()
