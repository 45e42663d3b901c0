# SPDX-License-Identifier: GPL-2.0-or-later
"""Ends of kernels, and what they leave behind."""

import os
import subprocess
import sys
import time
import unittest

import rv_asm as rv
from blackhole_tile import hart_view, leaks, tt
from blackhole_tile.memory_map import RESET_BITS, SOFT_RESET
from blackhole_tile.snapshots import add_disk
from blackhole_tile.testing import BUILD, ROOT, Tile, every_accelerator
from bombs import forever
from spin import SEMAPHORE
from rv_asm import A0, A1
from test_stop import Watched

SETDVALID_B = 0x57 << 24 | 2
SETRWC_DST = 0x37 << 24 | 9 << 14 | 4
NOP = 0x02000000
CLEAR_ROW = 0x10 << 24                 # ZEROACC of one row
FP32_ENABLED = 0xB6 << 24 | 0x20 << 16 | 0x20 << 8 | 1   # RMWCIB3
SEMWAIT_ZERO = 0xA6 << 24 | 0x1ff << 15 | 1 << (2 + 3) | 1
INCADCXY_X0 = 0x52 << 24 | 1 << 6 | 1 << 21  # of unpacker 0, by 1
GO, DONE = 0x30000, 0x30004
CFG_WORD_20, MOP_CFG = 0xFFEF0000 + 4 * 20, 0xFFB80000
LEAVES_B = ['srcb.owner[0]', 'srcb.unpack-bank']


def waits_for_go(body):
    """A firmware: for each GO that changes to 1, body, then DONE = 1."""
    poll = [rv.lw(A0, A1), rv.FENCE, rv.branch(0, A0, rv.ZERO, -8),
            rv.sw(rv.ZERO, A1)]
    end = [rv.addi(A0, rv.ZERO, 1), rv.sw(A0, A1, 4)]
    return rv.li(A1, GO) + forever(poll + body + end)
RESET_PC = 0xA000                      # of TRISC1
SOURCE = os.path.join(ROOT, 'tests', 'firmware', 'leaks', 'trisc1.c')
ELF = os.path.join(BUILD, 'firmware', 'leaks-trisc1.elf')


def line_of(text):
    """trisc1.c:LINE of the only line with this text."""
    with open(SOURCE, encoding='utf-8') as file:
        found = [n for n, line in enumerate(file, 1) if text in line]
    assert len(found) == 1, (text, found)
    return f'trisc1.c:{found[0]}'




class Ends(Watched):
    def ends(self, tile):
        tile.qmp('query-status')
        return [e['data'] for e in tile.events
                if e['event'] == 'TENSIX_KERNEL_END']

    def wait_for_ends(self, tile, count):
        tile.wait_for(lambda t: len(self.ends(t)) >= count, 20,
                      f'{count} ends of kernels')
        return self.ends(tile)

class Kernels(Ends):
    def run_once(self, words, accel='single'):
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in words] + rv.HALT},
                          accel, 'leaks=report')
        tile.qmp('cont')
        return tile

    @every_accelerator
    def test_a_bank_that_is_left(self, accel):
        tile = self.run_once([NOP, SETDVALID_B, NOP], accel)
        end = self.wait_for_ends(tile, 1)[0]
        self.assertEqual((end['number'], end['instructions']), (1, 3))
        self.assertEqual([c['name'] for c in end['changes']], LEAVES_B)
        self.assertEqual([(c['before'], c['after']) for c in end['changes']],
                         [(0, 1), (0, 1)])
        self.assertIn('tensix: leaks: kernel 1 left behind:\n'
                      '  srcb.owner[0]: 0x1, was 0x0\n', tile.output())
        time.sleep(0.1)
        self.assertEqual(len(self.ends(tile)), 1)
        tile.close()

    def test_counters_that_are_left(self):
        tile = self.run_once([SETRWC_DST, INCADCXY_X0])
        names = {c['name']: c['after']
                 for c in self.wait_for_ends(tile, 1)[0]['changes']}
        self.assertEqual(names.pop('rwc[1].Dst'), 9)
        self.assertTrue(any(name.startswith('adc[1].unpacker0[')
                            for name in names), names)

    def test_nothing_is_left(self):
        tile = self.run_once([NOP, NOP])
        self.assertEqual(self.wait_for_ends(tile, 1)[0]['changes'], [])
        self.assertIn('kernel 1 left behind nothing', tile.output())

    def test_off_by_default(self):
        tile = self.start({'trisc1': [rv.ttinsn(SETDVALID_B)] + rv.HALT})
        tile.qmp('cont')
        self.assertNotIn('changes', self.wait_for_ends(tile, 1)[0])
        self.assertNotIn('leaks', tile.output())

    @every_accelerator
    def test_a_host_launches(self, accel):
        """Each launch is a kernel, and only what it did itself is reported."""
        tile = self.start({'trisc1': waits_for_go([
            rv.ttinsn(SETRWC_DST), rv.ttinsn(NOP)])}, accel, 'leaks=report')
        tile.qmp('cont')
        for number in (1, 2, 3):
            tile.write32(DONE, 0)
            tile.write32(GO, 1)
            tile.wait_for_word(DONE, 1)
            end = self.wait_for_ends(tile, number)[-1]
            self.assertEqual((end['number'], end['instructions']), (number, 2))
            self.assertEqual([c['name'] for c in end['changes']],
                             ['rwc[1].Dst', 'rwc[1].Dst_Cr']
                             if number == 1 else [])
        tile.close()

    def test_after_loadvm(self):
        """What a kernel leaves behind is counted from the state it began in,
        which one kernel came before."""
        tile = self.start({'trisc1': waits_for_go([rv.ttinsn(INCADCXY_X0)])},
                          'single', 'leaks=report')
        add_disk(tile, os.path.join(self.folder, 'disk.qcow2'))

        def kernel(count, number, before):
            tile.qmp('cont')
            tile.write32(DONE, 0)
            tile.write32(GO, 1)
            tile.wait_for_word(DONE, 1)
            end = self.wait_for_ends(tile, count)[-1]
            self.assertEqual(end['number'], number)
            self.assertEqual({(c['before'], c['after'])
                              for c in end['changes']}, {(before, before + 1)})
            tile.stop()

        kernel(1, 1, 0)
        self.assertEqual(tile.hmp('savevm second'), '')
        kernel(2, 2, 1)
        for count in (3, 4):
            self.assertEqual(tile.hmp('loadvm second'), '')
            kernel(count, 2, 1)

    def test_in_the_middle_of_a_kernel(self):
        """A snapshot has the state before the kernel, or the report says that
        it does not know it."""
        words = [INCADCXY_X0, SEMWAIT_ZERO, NOP, INCADCXY_X0]
        for accel in ('single', 'icount'):
            for machine, found in (('leaks=report', [(0, 2), (0, 1)]),
                                   ('leaks=off', None)):
                with self.subTest(accel, machine=machine):
                    tile = self.start({'trisc1': [rv.ttinsn(w) for w in words] +
                                       rv.HALT}, accel, machine)
                    tile.qmp('cont')
                    tile.wait_for(lambda t: 'SEMWAIT' in t.why().upper(), 20)
                    tile.stop()
                    path = os.path.join(self.folder, f'{accel}-{machine}')
                    tile.qmp('migrate', uri=f'file:{path}')
                    tile.wait_for(lambda t: t.qmp('query-migrate').get(
                        'status') == 'completed', 20)
                    tile.quit()
                    tile = self.tile(accel=accel, machine='leaks=report',
                                     incoming=path)
                    tile.write32(hart_view('trisc1', SEMAPHORE + 4 * 3), 0)
                    tile.qmp('cont')
                    end = self.wait_for_ends(tile, 1)[0]
                    changes = end.get('changes')
                    self.assertEqual(changes and [
                        (c['before'], c['after']) for c in changes], found)
                    self.assertIn('left behind:' if found else
                                  'since leaks=report began in its middle',
                                  tile.output())

    @every_accelerator
    def test_a_host_ends_a_wait(self, accel):
        """The harts wait already, so none begins to when the thread ends."""
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in (
            SEMWAIT_ZERO, NOP)] + rv.HALT}, accel, 'leaks=report')
        tile.qmp('cont')
        tile.wait_for(lambda t: 'SEMWAIT' in t.why().upper(), 20)
        time.sleep(0.1)                # until the poll finds no possible waker
        self.assertEqual(self.ends(tile), [])
        tile.write32(hart_view('trisc1', SEMAPHORE + 4 * 3), 0)
        end = self.wait_for_ends(tile, 1)[0]
        self.assertEqual(end['instructions'], 2)
        tile.close()

    def test_release_begins_a_kernel(self):
        """What was set up while the TRISCs were held is not theirs."""
        tile = self.start({'trisc1': [rv.ttinsn(NOP)] + rv.HALT}, 'single',
                          'leaks=report')
        tile.hold('trisc1')
        tile.write(RESET_PC, rv.code([rv.ttinsn(NOP)] + rv.HALT))
        tile.write32(hart_view('brisc', 0xFFEF0000 + 4), 1 << 29)
        tile.write32(SOFT_RESET, tile.read32(SOFT_RESET) &
                     ~RESET_BITS['trisc1'])
        tile.qmp('cont')
        self.assertEqual(self.wait_for_ends(tile, 1)[0]['changes'], [])

    def test_no_end_while_a_thread_waits(self):
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in (
            NOP, SEMWAIT_ZERO, NOP)] + rv.HALT}, 'single')
        tile.qmp('cont')
        tile.wait_for(lambda t: t.state.why()['thread1'].state == 'waiting')
        time.sleep(0.1)
        self.assertEqual(self.ends(tile), [])

    def test_no_end_while_a_hart_works(self):
        count = forever([rv.addi(A0, A0, 1), rv.sw(A0, A1)])
        tile = self.start({'trisc1': [rv.ttinsn(NOP)] + rv.HALT,
                           'brisc': rv.li(A1, DONE) + count})
        tile.qmp('cont')
        tile.wait_for(lambda t: t.read32(DONE) > 1000)
        time.sleep(0.1)
        self.assertEqual(self.ends(tile), [])

    def test_bad_option(self):
        self.assertIn('leaks', self.refusal('leaks=perhaps'))

    def refusal(self, option):
        with self.assertRaises(Exception) as caught:
            Tile(stopped=True, machine=option)
        return str(caught.exception)


class Writers(Ends):
    """Which kernel changed, used and did not restore it: tests/firmware/leaks."""

    def start_leaks(self, accel='single', machine='leaks=report'):
        tile = self.tile(images={'trisc1': ELF}, accel=accel, machine=machine,
                         stopped=True)
        tile.qmp('cont')
        return tile

    @every_accelerator
    def test_writer_and_users(self, accel):
        tile = self.start_leaks(accel)
        first = self.wait_for_ends(tile, 1)[0]['changes']
        fields = {c['name']: c for c in first if c['group'] == 'config'}
        # both banks' copies are one name; Fp32_enabled is as it was
        self.assertEqual(list(fields),
                         ['config[0].ALU_FORMAT_SPEC_REG0_SrcA'])
        left = fields['config[0].ALU_FORMAT_SPEC_REG0_SrcA']
        self.assertEqual((left['before'], left['after']), (0, 1))
        writer, user = left['writer'], left['user']
        self.assertEqual(writer['instruction']['mnemonic'], 'RMWCIB2')
        self.assertEqual(user['instruction']['mnemonic'], 'ZEROACC')
        self.assertGreater(user['instruction']['pc'],
                           writer['instruction']['pc'])
        text = tile.output()
        self.assertRegex(text, r'SrcA: 0x1, was 0x0\n    written by trisc1 '
                         rf'pc .*format_uninit \(\S*{line_of("1 << 1);")}.*\n'
                         rf'    used since by .*{line_of(".where = 0);")}')
        tile.write32(GO, 1)
        self.assertEqual(self.wait_for_ends(tile, 2)[1]['changes'], [])
        text = tile.output().partition('kernel 2')[2]
        self.assertRegex(text, r'has used what kernel 1 left behind:\n'
                         r'  config\[0\].ALU_FORMAT_SPEC_REG0_SrcA: 0x1\n'
                         r'    written by .*format_uninit.*\n'
                         r'    used by .*clear_row')
        tile.close()

    def test_uninit_restores_another_value(self):
        """What wide_uninit() does is right, and format_init() has two steps."""
        tile = self.start_leaks()
        self.wait_for_ends(tile, 1)
        sites = [site for site in tile.qmp('query-tensix-violations')['sites']
                 if site['category'] == 'leak']
        self.assertEqual(len(sites), 1, sites)
        self.assertRegex(
            sites[0]['text'], r'sets config\[0\].ALU_FORMAT_SPEC_REG0_SrcA to '
            r'0x1, but it was 0x0 before format_init\(\) changed it: trisc1 pc')

    def test_created_and_deleted(self):
        """Writers are known from the object's creation on."""
        tile = self.start_leaks(machine='')
        self.wait_for_ends(tile, 1)
        self.assertEqual(tile.hmp('object_add tensix-leaks,id=it'), '')
        tile.write32(GO, 1)
        self.assertEqual(self.wait_for_ends(tile, 2)[1]['changes'], [])
        self.assertEqual(tile.hmp('object_del it'), '')

    def test_used_before(self):
        """A use before the change is none."""
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in (
            CLEAR_ROW, FP32_ENABLED)] + rv.HALT}, 'single', 'leaks=report')
        tile.qmp('cont')
        left = self.wait_for_ends(tile, 1)[0]['changes']
        self.assertEqual([c['name'] for c in left],
                         ['config[0].ALU_ACC_CTRL_Fp32_enabled'])
        self.assertNotIn('user', left[0])

    def test_configuration_of_the_vector_unit(self):
        """By SFPCONFIG, and by an instruction that becomes a template."""
        tile = self.start({'trisc1': [rv.ttinsn(w) for w in (
            tt('SFPCONFIG', config_dest=15, instr_mod1=1, imm16_math=1),
            tt('SFPCONFIG', config_dest=8, instr_mod1=1, imm16_math=0x100),
            tt('SFPNOT', lreg_dest=12), tt('SFPLOADI', lreg_ind=2))] + rv.HALT},
            'single', 'leaks=report')
        tile.qmp('cont')
        found = {c['name']: c.get('writer', {}).get('instruction', {}).get('mnemonic')
                 for c in self.wait_for_ends(tile, 1)[0]['changes']}
        self.assertEqual({name: found.get(name) for name in (
            'lane-config[0]', 'load-macro-misc[31]',
            'load-macro-template[0][0]')}, {
                'lane-config[0]': 'SFPCONFIG',
                'load-macro-misc[31]': 'SFPCONFIG',
                'load-macro-template[0][0]': 'SFPNOT'})

    def test_hart_stores(self):
        """A hart's store to configuration and to MOP registers."""
        tile = self.start({'trisc1': rv.li(A1, CFG_WORD_20) + [
            *rv.li(A0, 7), rv.sw(A0, A1), *rv.li(A1, MOP_CFG),
            rv.sw(A0, A1), rv.ttinsn(NOP)] + rv.HALT}, 'single', 'leaks=report')
        tile.qmp('cont')
        found = {c['name']: c['writer']['sort']
                 for c in self.wait_for_ends(tile, 1)[0]['changes']}
        self.assertEqual(set(found.values()), {'hart'})
        self.assertIn('mop-cfg[1][0]', found)
        self.assertTrue(any(name.startswith('config[0]') for name in found))


class Tool(Ends):
    """python3 -m blackhole_tile.leaks"""

    def leaks(self, *arguments):
        done = subprocess.run(
            [sys.executable, '-m', 'blackhole_tile.leaks', *arguments],
            cwd=os.path.join(ROOT, 'python'), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_two_snapshots_and_saved_values(self):
        paths = [os.path.join(self.folder, n) for n in 'abcd']
        a, b, saved, bad = paths
        tile = self.start({'trisc1': [rv.ttinsn(SETDVALID_B)] + rv.HALT})
        tile.save(a)
        tile.qmp('cont')
        self.wait_for_ends(tile, 1)
        leaks.save_values(tile, saved)
        tile.save(b)
        tile.close()
        wanted = (1, 'srcb.owner[0]: 0x1, was 0x0\n'
                     'srcb.unpack-bank: 0x1, was 0x0\n', '')
        self.assertEqual(self.leaks('diff', a, b), wanted)
        self.assertEqual(self.leaks('diff', a, saved), wanted)
        self.assertEqual(self.leaks('diff', b, saved), (0, '', ''))
        self.assertEqual(self.leaks('save', a, '--snapshot', a + '.none')[0],
                         2)
        with open(bad, 'w', encoding='utf-8') as file:
            file.write('{"format": 1}')
        status, _, text = self.leaks('diff', a, bad)
        self.assertEqual(status, 2)
        self.assertIn('neither a snapshot nor', text)


if __name__ == '__main__':
    unittest.main()
