# SPDX-License-Identifier: GPL-2.0-or-later
"""TENSIX_STOP, QMP's event of each stop of the coprocessor: why, who, and what
was there before and after."""

import unittest

import rv_asm as rv
from blackhole_tile.testing import Tile, every_accelerator
from debug_client import Registers
from rv_asm import A0, A1
from test_host import HostTest
from test_snapshot import wait_for_status
from test_watch import Case, DATA, OUT_BASE, ProductCase

NO_SUCH_OPCODE = 0x06000000
NOWHERE = 0x300000
SFPLOADI = 0x71000000 | 2 << 20 | 0x3F80          # LReg[2]: 1.0 as BF16
WRITTEN_BY_NOC = 0x40000


class EventCase(Case):
    def stop_event(self, tile):
        """Data of the next stop's only event, which comes before STOP."""
        tile.status()
        tile.events.clear()
        self.stop(tile)
        tile.status()
        names = [event['event'] for event in tile.events]
        self.assertEqual(names.count('TENSIX_STOP'), 1, names)
        self.assertLess(names.index('TENSIX_STOP'), names.index('STOP'))
        data = tile.events[names.index('TENSIX_STOP')]['data']
        self.assertIn(data['text'].split(': ')[1], tile.output())
        return data


class Matmul(EventCase, ProductCase):
    @every_accelerator
    def test_break(self, accel):
        with self.tile(accel) as tile:
            number = self.add(tile, 'tensix_break PACR thread 2 if Last=1',
                              'break')
            data = self.stop_event(tile)
            self.assertEqual((data['reason'], data['id']),
                             ('instruction', number))
            self.assertEqual(data['by']['sort'], 'instruction')
            insn = data['by']['instruction']
            self.assertEqual((insn['mnemonic'], insn['thread'], insn['hart'],
                              insn['mop-word'], insn['mop-from']['hart']),
                             ('PACR', 2, 'trisc2', 15, 'trisc2'))
            self.assertIn({'name': 'Last', 'value': 1}, insn['operands'])
            self.assertNotIn('touch', data)
            self.finish(tile)

    # what is watched: members of `touch`, those that count the values, who
    # writes
    WATCHES = (
        ('srca 3', {'place': 'srca 3 bank 0', 'space': 'srca', 'index': 3,
                    'bank': 0, 'first': 0}, {'old': 4, 'new': 4}, 'UNPACR'),
        ('semaphore 1', {'place': 'semaphore 1', 'space': 'semaphore',
                         'index': 1, 'first': 0, 'old': [0], 'new': [2]}, {},
         'SEMINIT'),
        ('thread-config ADDR_MOD_AB_SEC0_SrcBIncr thread 1',
         {'space': 'thread-config', 'index': 12, 'thread': 1,
          'field': 'ADDR_MOD_AB_SEC0_SrcBIncr', 'old': [0], 'new': [0x800]},
         {}, 'SETC16'),
        ('config THCON_SEC0_REG1_L1_Dest_addr bank 0',
         {'space': 'config', 'bank': 0,
          'field': 'THCON_SEC0_REG1_L1_Dest_addr'},
         {'old': 1, 'new': 1}, 'WRCFG'),
        (f'l1 {OUT_BASE:#x} 16', {'place': f'l1 {OUT_BASE:#x}', 'space': 'l1',
                                  'index': OUT_BASE},
         {'old': 16, 'new': 16}, 'PACR'),
    )

    def test_watches(self):
        for place, members, counts, mnemonic in self.WATCHES:
            with self.subTest(place), self.tile('single') as tile:
                number = self.add(tile, f'tensix_watch {place}', 'watch')
                data = self.stop_event(tile)
                self.assertEqual((data['reason'], data['id']),
                                 ('write', number))
                self.assertEqual(data['by']['instruction']['mnemonic'],
                                 mnemonic)
                touch = data['touch']
                self.assertLessEqual(members.items(), touch.items())
                self.assertEqual({name: len(touch[name]) for name in counts},
                                 counts)
                self.finish(tile)

    @every_accelerator
    def test_dest(self, accel):
        """Cleared, a row is undefined; MVMUL's values are 16 bits each."""
        with self.tile(accel) as tile:
            self.add(tile, 'tensix_watch dest 4', 'watch')
            data = self.stop_event(tile)
            self.assertEqual(data['by']['instruction']['mnemonic'], 'ZEROACC')
            self.assertNotIn('new', data['touch'])
            data = self.stop_event(tile)
            while data['by']['instruction']['mnemonic'] == 'ZEROACC':
                data = self.stop_event(tile)
            self.assertEqual(data['by']['instruction']['mnemonic'], 'MVMUL')
            touch = data['touch']
            self.assertEqual((touch['space'], touch['index'], touch['place']),
                             ('dest', 4, 'dest 4'))
            self.assertIn(f"from column {touch['first']} on", data['text'])
            self.assertIn(' new ' + ' '.join(f'{v:04x}' for v in touch['new']),
                          data['text'])
            self.finish(tile)

    def test_noc(self):
        with self.tile('single') as tile:
            self.add(tile, f'tensix_watch l1 {WRITTEN_BY_NOC:#x}', 'watch')
            data = self.stop_event(tile)
            self.assertEqual((data['by']['sort'], data['by']['hart']),
                             ('noc', 'brisc'))
            self.finish(tile)

    def test_read(self):
        with self.tile('single') as tile:
            self.add(tile, 'tensix_watch srca 0 4 read', 'watch')
            data = self.stop_event(tile)
            self.assertEqual((data['reason'],
                              data['by']['instruction']['mnemonic']),
                             ('read', 'MVMUL'))
            self.assertIn('old', data['touch'])
            self.assertNotIn('new', data['touch'])
            self.finish(tile)


class Harts(EventCase):
    """Programs of TRISC1 from address 0 on."""

    def tile(self, words, accel='single', machine=''):
        tile = Tile(accel=accel, machine=machine)
        self.addCleanup(tile.close)
        self.registers = Registers(tile)
        self.registers.hold('trisc1')
        tile.write(0, rv.code(words + rv.HALT))
        tile.stop()
        return tile

    def event(self, tile):
        self.registers.release('trisc1')
        return self.stop_event(tile)

    @every_accelerator
    def test_store_and_load(self, accel):
        head = rv.li(A0, DATA) + rv.li(A1, 0x12345678)
        tile = self.tile(head + [rv.sw(A1, A0), rv.lw(A1, A0)], accel)
        self.add(tile, f'tensix_watch l1 {DATA:#x} access', 'watch')
        data = self.event(tile)
        pc = 4 * len(head)
        place = {'place': f'l1 {DATA:#x}', 'space': 'l1', 'index': DATA,
                 'first': 0}
        self.assertEqual(
            (data['reason'], data['by'], data['touch']),
            ('write', {'sort': 'hart', 'hart': 'trisc1', 'pc': pc},
             {**place, 'old': [0, 0, 0, 0], 'new': [0x78, 0x56, 0x34, 0x12]}))
        data = self.stop_event(tile)
        self.assertEqual(
            (data['reason'], data['by'], data['touch']),
            ('read', {'sort': 'hart', 'hart': 'trisc1', 'pc': pc + 4},
             {**place, 'old': [0x78, 0x56, 0x34, 0x12]}))

    def test_lreg(self):
        tile = self.tile([rv.ttinsn(SFPLOADI)])
        self.add(tile, 'tensix_watch lreg 2', 'watch')
        data = self.event(tile)
        self.assertEqual(data['by']['instruction']['mnemonic'], 'SFPLOADI')
        self.assertEqual(data['touch'], {
            'place': 'lreg 2', 'space': 'lreg', 'index': 2, 'first': 0,
            'old': 4 * [0], 'new': 4 * [0x3F800000]})

    def test_violation_of_an_instruction(self):
        for machine, number in (('', 1), ('on-violation=stop', None)):
            with self.subTest(machine):
                tile = self.tile([rv.ttinsn(NO_SUCH_OPCODE)], machine=machine)
                if number:
                    self.add(tile, 'tensix_break violation', 'break')
                data = self.event(tile)
                self.assertEqual(
                    (data['reason'], data['category'], data.get('id')),
                    ('violation', 'undefined-behaviour', number))
                self.assertEqual((data['by']['sort'],
                                  data['by']['instruction']['word'],
                                  data['by']['instruction']['pc']),
                                 ('instruction', NO_SUCH_OPCODE, 0))

    def test_violation_of_a_hart(self):
        head = rv.li(A0, NOWHERE)
        tile = self.tile(head + [rv.lw(A1, A0)])
        for category in 'unimplemented', 'bad-access', 'bad-access':
            self.add(tile, f'tensix_break violation {category}', 'break')
        data = self.event(tile)
        self.assertEqual((data['category'], data['id'], data['by']),
                         ('bad-access', 2, {'sort': 'hart', 'hart': 'trisc1',
                                            'pc': 4 * len(head)}))
        tile.hmp('tensix_delete 2')
        self.registers.hold('trisc1')
        self.assertEqual(self.event(tile)['id'], 3)

    def test_no_stop_no_event(self):
        tile = self.tile([rv.ttinsn(NO_SUCH_OPCODE)] + rv.li(A0, DATA) +
                         [rv.sw(A0, A0)])
        self.add(tile, 'tensix_break violation bad-access', 'break')
        self.registers.release('trisc1')
        tile.qmp('cont')
        tile.wait_for_word(DATA, DATA)
        tile.status()
        names = [event['event'] for event in tile.events]
        self.assertIn('TENSIX_VIOLATION', names)
        self.assertNotIn('TENSIX_STOP', names)


class Host(HostTest, EventCase):
    @every_accelerator
    def test_write(self, accel):
        tile, client = self.pair(accel)
        number = self.add(tile, f'tensix_watch l1 {DATA:#x}', 'watch')
        tile.events.clear()
        client.write(DATA, b'1234')
        wait_for_status(tile, 'debug')
        data, = (event['data'] for event in tile.events
                 if event['event'] == 'TENSIX_STOP')
        self.assertEqual((data['reason'], data['id'], data['by']),
                         ('write', number, {'sort': 'host'}))
        self.assertEqual(bytes(data['touch']['new']), b'1234')
        client.close()


if __name__ == '__main__':
    unittest.main()
