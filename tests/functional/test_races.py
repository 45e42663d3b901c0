# SPDX-License-Identifier: GPL-2.0-or-later
"""-M blackhole-tile,races=report: each case lacks an order, its twin has it."""

import os
import subprocess
import tempfile
import unittest
from typing import List, NamedTuple, Tuple

import rv_asm as rv
from blackhole_tile import ACCELERATORS
from blackhole_tile.instructions import tt
from blackhole_tile.memory_map import (ALL_HELD, NCRISC_RESET_PC, RESET_BITS,
                                       SOFT_RESET, hart_view)
from blackhole_tile.testing import ROOT, Tile
from rv_asm import A0, A1, ZERO

# block masks and conditions of the waits (BH STALLWAIT.md)
SYNC, PACK, SCALAR, MATH, CFG, SFPU = (1 << bit for bit in (1, 2, 5, 6, 7, 8))
UNTIL_SCALAR, UNTIL_MATH, SRCA_VALID, SRCB_VALID, HART, UNTIL_SFPU = (
    1 << bit for bit in (0, 4, 7, 8, 10, 11))
WHILE_ZERO, WHILE_FULL = 1, 2
SEM, OTHER_SEM = 1 << 1, 1 << 2

# instructions that access something, and what orders them
CLEAR = tt('ZEROACC', clear_mode=0, where=0)           # row 0, Matrix Unit
CLEAR_8 = tt('ZEROACC', clear_mode=0, where=8)
LOAD = tt('SFPLOAD', lreg_ind=1)                       # row 0, Vector Unit
LOAD_8 = tt('SFPLOAD', lreg_ind=1, dest_reg_addr=8)
STORE = tt('SFPSTORE', lreg_ind=1)
COUNT = tt('SEMINIT', sem_sel=SEM, max_value=2)
POST, GET = tt('SEMPOST', sem_sel=SEM), tt('SEMGET', sem_sel=SEM)
FORMAT = tt('RMWCIB3', CfgRegAddr=1, Mask=0x20, Data=0x20)   # Fp32_enabled
GIVE_A = tt('UNPACR_NOP', Unpack_Pop=1, Set_Dvalid=1, Stall_Clr_Cntrl=1)
GIVE_B = tt('UNPACR_NOP', Unpack_Pop=1, Set_Dvalid=1, Stall_Clr_Cntrl=1,
            Unpacker_Select=1)
ADD = tt('ELWADD')
TO_SRCA = tt('MOVD2A', instr_mod=2)
RELEASE_A = tt('SETRWC', clear_ab_vld=1)
GPR = tt('SETDMAREG', RegIndex16b=10, Payload_SigSel=3)      # GPR 5
USE_GPR = tt('WRCFG', GprAddress=5, CfgReg=20)
RELU = tt('WRCFG', GprAddress=5, CfgReg=2)             # the whole word
ZERO_FLAG = tt('RMWCIB0', CfgRegAddr=2, Mask=1, Data=1)
RELU_BITS = tt('RMWCIB0', CfgRegAddr=2, Mask=4, Data=4)
STORE_L1 = tt('STOREIND', AddrRegIndex=1, DataRegIndex=5, OffsetIndex=60,
              SizeSel=1, MemHierSel=1)
LOAD_L1 = tt('LOADIND', AddrRegIndex=1, DataRegIndex=6, OffsetIndex=60,
             SizeSel=1)


def stall(block: int, conditions: int) -> int:
    return tt('STALLWAIT', stall_res=block, wait_res=conditions)


def wait(block: int, condition: int = WHILE_ZERO, sem: int = SEM) -> int:
    return tt('SEMWAIT', stall_res=block, wait_sem_cond=condition, sem_sel=sem)


class Pair(NamedTuple):
    name: str
    race: List[Tuple[int, int]]    # thread, word
    twin: List[Tuple[int, int]]
    text: str                      # of the report


def published(release: List[int], acquire: List[int],
              last: int = LOAD) -> List[Tuple[int, int]]:
    """Thread 1 clears row 0 and releases it, thread 2 acquires and uses it."""
    return [(1, COUNT), (1, CLEAR), *((1, word) for word in release),
            *((2, word) for word in acquire), (2, last)]


DRAINED = [stall(SYNC, UNTIL_MATH), POST]

PAIRS = [
    Pair('no order at all', [(1, CLEAR), (2, LOAD)],
         published(DRAINED, [wait(SFPU)]), 'reads rows? 0.* of Dest.*zeroacc'),
    Pair('a post before the drain', published([POST], [wait(SFPU)]),
         published(DRAINED, [wait(SFPU)]), r'condition C4 \(MATH\)'),
    Pair('a wait that blocks another unit', published(DRAINED, [wait(PACK)]),
         published(DRAINED, [wait(PACK | SFPU)]), 'of Dest'),
    Pair('another semaphore',
         published([stall(SYNC, UNTIL_MATH),
                    tt('SEMPOST', sem_sel=SEM | OTHER_SEM)],
                   [tt('SEMGET', sem_sel=SEM)]),
         published([stall(SYNC, UNTIL_MATH),
                    tt('SEMPOST', sem_sel=SEM | OTHER_SEM)],
                   [wait(SFPU, sem=OTHER_SEM)]), 'of Dest'),
    Pair('a wait for another unit',
         published([stall(SYNC, UNTIL_SFPU), POST], [wait(SFPU)]),
         published([stall(SYNC, UNTIL_SFPU | UNTIL_MATH), POST], [wait(SFPU)]),
         'of Dest'),
    Pair('the second post of two',
         [(1, COUNT), (1, CLEAR), *((1, word) for word in DRAINED),
          (1, CLEAR_8), *((1, word) for word in DRAINED), (2, wait(SFPU)),
          (2, LOAD_8)],
         [(1, COUNT), (1, CLEAR), *((1, word) for word in DRAINED),
          (1, CLEAR_8), *((1, word) for word in DRAINED), (2, wait(SFPU)),
          (2, LOAD), (2, GET), (2, wait(SFPU)), (2, LOAD_8)],
         'rows? 8.* of Dest'),
    Pair('a get before the drain',
         [(1, COUNT), (1, POST), (1, POST), (2, LOAD), (2, GET),
          (1, wait(MATH, WHILE_FULL)), (1, CLEAR)],
         [(1, COUNT), (1, POST), (1, POST), (2, LOAD),
          (2, stall(SYNC, UNTIL_SFPU)), (2, GET),
          (1, wait(MATH, WHILE_FULL)), (1, CLEAR)],
         r'writes rows? 0.*may still be read by.*condition C11 \(WAIT_SFPU\)'),
    Pair('a mutex that only one takes',
         [(1, tt('ATGETM', mutex_index=4)), (1, STORE),
          (1, stall(SYNC, UNTIL_SFPU)), (1, tt('ATRELM', mutex_index=4)),
          (2, CLEAR)],
         [(1, tt('ATGETM', mutex_index=4)), (1, STORE),
          (1, stall(SYNC, UNTIL_SFPU)), (1, tt('ATRELM', mutex_index=4)),
          (2, tt('ATGETM', mutex_index=4)), (2, CLEAR)], 'of Dest'),
    Pair('two threads in the Vector Unit',
         [(1, tt('SFPLOADI', lreg_ind=2)), (2, tt('SFPLOADI', lreg_ind=2))],
         [(1, COUNT), (1, tt('SFPLOADI', lreg_ind=2)), (1, POST),
          (2, wait(SFPU)), (2, tt('SFPLOADI', lreg_ind=2))], 'LReg 2'),
    Pair('configuration under the Matrix Unit',
         [(0, GIVE_A), (0, GIVE_B), (1, ADD), (1, FORMAT)],
         [(0, GIVE_A), (0, GIVE_B), (1, ADD), (1, stall(CFG, UNTIL_MATH)),
          (1, FORMAT)], 'writes configuration ALU_ACC_CTRL_Fp32_enabled'),
    Pair('a wait is over before what comes behind it',
         [(0, GIVE_A), (0, GIVE_B), (1, stall(CFG, UNTIL_MATH)), (1, ADD),
          (1, FORMAT)],
         [(0, GIVE_A), (0, GIVE_B), (1, ADD), (1, stall(CFG, UNTIL_MATH)),
          (1, FORMAT)], 'Fp32_enabled'),
    Pair('a wait that holds no write of configuration',
         [(0, GIVE_A), (0, GIVE_B), (1, ADD), (1, stall(MATH, UNTIL_MATH)),
          (1, FORMAT)],
         [(0, GIVE_A), (0, GIVE_B), (1, ADD), (1, stall(MATH, UNTIL_MATH)),
          (1, tt('ZEROSRC')), (1, FORMAT)], 'Fp32_enabled'),
    Pair('configuration of another thread',
         [(0, GIVE_A), (0, GIVE_B), (2, FORMAT), (1, ADD)],
         [(0, GIVE_A), (0, GIVE_B), (2, COUNT), (2, FORMAT), (2, POST),
          (1, wait(MATH)), (1, ADD)], 'reads configuration'),
    Pair('a whole word beside bits of another thread',
         [(1, ZERO_FLAG), (2, RELU)],
         [(1, ZERO_FLAG), (2, RELU_BITS)],
         'writes configuration ALU_ACC_CTRL_Zero_Flag_disabled_src.*rmwcib0'),
    Pair('a GPR of the Scalar Unit', [(1, GPR), (1, USE_GPR)],
         [(1, GPR), (1, stall(CFG, UNTIL_SCALAR)), (1, USE_GPR)],
         r'reads GPR 5 of thread 1.*condition C0 \(THCON\)'),
    Pair('SrcA written by both', [(0, GIVE_A), (1, TO_SRCA)],
         [(0, GIVE_A), (1, stall(MATH, UNTIL_MATH | SRCA_VALID)), (1, TO_SRCA)],
         'writes rows 0 to 3 of SrcA bank 0.*unpacr_nop'),
    Pair('a valid bank before the flip',
         [(0, GIVE_A), (1, stall(MATH, UNTIL_MATH | SRCA_VALID)),
          (1, RELEASE_A), (0, GIVE_A), (1, stall(MATH, SRCA_VALID)),
          (1, TO_SRCA)],
         [(0, GIVE_A), (1, stall(MATH, UNTIL_MATH | SRCA_VALID)),
          (1, RELEASE_A), (0, GIVE_A),
          (1, stall(MATH, UNTIL_MATH | SRCA_VALID)), (1, TO_SRCA)],
         'of SrcA bank 1'),
    Pair('L1 between two threads',
         [(1, STORE_L1), (2, LOAD_L1)],
         [(1, COUNT), (1, STORE_L1), (1, stall(SYNC, UNTIL_SCALAR)), (1, POST),
          (2, wait(SCALAR)), (2, LOAD_L1)], 'reads L1 at 0x0'),
]

# ordered by a rule of a page, although no wait names it
CLEAN = {
    # a second wait is held until the first is over (BH STALLWAIT.md)
    'two waits': published(DRAINED, [wait(PACK), stall(SFPU, UNTIL_SFPU)]),
    # a reader that is the Matrix Unit or the packer is stalled (BH Dst.md)
    'a post before the drain, for the Matrix Unit':
        published([POST], [wait(MATH)], tt('MOVD2B')),
    'a write that changes nothing':
        [(0, GIVE_A), (0, GIVE_B), (1, ADD),
         (1, tt('RMWCIB3', CfgRegAddr=1, Mask=0x20, Data=0))],
    'FLUSHDMA': [(1, GPR), (1, tt('FLUSHDMA')), (1, USE_GPR)],
}


class Words(unittest.TestCase):
    def races(self, words, machine=''):
        with Tile(machine=f'races=report{machine}') as tile:
            for thread, word in words:
                tile.push(thread, word)
            found = tile.qmp('query-tensix-violations')['sites']
            return [site['text'] for site in found
                    if site['category'] == 'race']

    def test_pairs(self):
        for pair in PAIRS:
            with self.subTest(pair.name):
                found = self.races(pair.race)
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], pair.text)
                self.assertEqual(self.races(pair.twin), [])

    def test_in_order(self):
        for name, words in CLEAN.items():
            with self.subTest(name):
                self.assertEqual(self.races(words), [])


# --- harts ---

CONFIG, GPRS, TTSYNC = 0xFFEF0000, 0xFFE00000, 0xFFE80004
MAIL_B, MAIL_T1 = 0xFFEC0000, 0xFFEC2000   # to and from BRISC, TRISC1
BASES = {'brisc': 0x8000, 'trisc1': 0xA000}    # it resets to 0xA000
FINISHED, PUSH, REGISTERS = 0x7000, 0xFFE40000, 0xFFB00000
FORMATS = CONFIG + 4                       # configuration word 1
FP32 = 1 << 29


def store(address: int, value: int) -> List[int]:
    return rv.li(A0, address) + rv.li(A1, value) + [rv.sw(A1, A0)]


def load(address: int) -> List[int]:
    return rv.li(A0, address) + [rv.lw(A1, A0)]


def push(*words: int) -> List[int]:
    return [rv.ttinsn(word) for word in words]


GIVE = [(0, GIVE_A), (0, GIVE_B)]
CHANGE = store(FORMATS, FP32)
RELEASE = store(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc1'] &
                ~RESET_BITS['brisc'])
SYNC_LOAD = store(TTSYNC, 0) + load(TTSYNC)
WROTE = push(GPR, STORE_L1)

# name, what TRISC1 does, what is reported (None: nothing)
TRISC1 = [
    ('a store that nothing waits for', CHANGE + push(ADD),
     r'reads configuration ALU_ACC_CTRL_Fp32_enabled.*condition C10'),
    ('TRISC_CFG', CHANGE + push(stall(MATH, HART), ADD), None),
    ('TRISC_CFG before the store', push(stall(MATH, HART)) + CHANGE + push(ADD),
     'Fp32_enabled'),
    ('a load from there', CHANGE + load(FORMATS) + push(ADD), None),
    ('a load from the GPRs', CHANGE + load(GPRS) + push(ADD), 'Fp32_enabled'),
    ('a store under the Matrix Unit', push(ADD) + CHANGE,
     r'writes configuration ALU_ACC_CTRL_Fp32_enabled.*C4 \(MATH\)'),
    ('a store behind TTSync', push(ADD) + SYNC_LOAD + CHANGE, None),
    ('Auto TTSync', push(tt('SETC16', setc16_reg=56, setc16_value=1)) + CHANGE +
     push(ADD), None),
    ('a GPR that nothing waits for', store(GPRS + 4 * 5, 7) + push(USE_GPR),
     'reads GPR 5 of thread 1'),
    ('TRISC_CFG, for a GPR',
     store(GPRS + 4 * 5, 7) + push(stall(CFG, HART), USE_GPR), None),
]


class Harts(unittest.TestCase):
    def start(self, programs, words=()):
        images = {}
        with tempfile.TemporaryDirectory() as folder:
            for n, (hart, program) in enumerate(programs.items()):
                images[hart] = os.path.join(folder, hart)
                with open(images[hart], 'wb') as file:
                    base = BASES[hart]
                    file.write(rv.elf({base: rv.code(
                        program + store(FINISHED + 4 * n, 1) + rv.HALT)}, base))
            tile = Tile(images=images, machine='races=report', stopped=True)
            self.addCleanup(tile.close)
            for thread, word in words:
                tile.push(thread, word)
            tile.qmp('cont')
            for n in range(len(programs)):
                tile.wait_for_word(FINISHED + 4 * n, 1)
            return [site['text'] for site in
                    tile.qmp('query-tensix-violations')['sites']
                    if site['category'] == 'race']

    def check(self, found, text):
        self.assertEqual(len(found), 0 if text is None else 1, found)
        if text:
            self.assertRegex(found[0], text)

    def test_registers(self):
        for name, program, text in TRISC1:
            with self.subTest(name):
                self.check(self.start({'trisc1': program}, GIVE), text)

    def test_mail(self):
        """TRISC1 mails BRISC that it has written to L1."""
        reads = RELEASE + load(MAIL_T1) + load(0)
        for name, program, text in (
                ('too early', WROTE + store(MAIL_B, 1),
                 r'reads L1 at 0x0.*storeind.*condition C0 \(THCON\)'),
                ('behind TTSync', WROTE + SYNC_LOAD + store(MAIL_B, 1), None)):
            with self.subTest(name):
                self.check(self.start({'trisc1': program, 'brisc': reads}),
                           text)

    def test_flag(self):
        """The same by a word of L1, for which BRISC polls."""
        flag = 0x7100
        polls = RELEASE + rv.li(A0, flag) + [rv.lw(A1, A0), rv.branch(0, A1, ZERO, -4)]
        for name, program, text in (
                ('too early', WROTE + store(flag, 1), 'reads L1 at 0x0'),
                ('behind TTSync', WROTE + SYNC_LOAD + store(flag, 1), None)):
            with self.subTest(name):
                self.check(self.start({'trisc1': program,
                                       'brisc': polls + load(0)}), text)


    def test_register(self):
        """The same by a register that STOREREG writes and BRISC polls."""
        tell = tt('STOREREG', TdmaDataRegIndex=5,
                  RegAddr=(NCRISC_RESET_PC - REGISTERS) // 4)
        polls = RELEASE + rv.li(A0, NCRISC_RESET_PC) + [
            rv.lw(A1, A0), rv.branch(0, A1, ZERO, -4)]
        for name, words, text in (
                ('too early', [tell], 'reads L1 at 0x0'),
                ('behind a wait', [stall(SCALAR, UNTIL_SCALAR), tell], None)):
            with self.subTest(name):
                self.check(self.start({'trisc1': WROTE + push(*words),
                                       'brisc': polls + load(0)}), text)


class Check(unittest.TestCase):
    EXAMPLES = 'add', 'sfpu', 'matmul', 'noc_copy', 'orders'

    def test_the_option(self):
        with Tile(machine='check=all', stopped=True) as tile:
            self.assertEqual([tile.qmp('qom-get', path='/machine', property=name)
                              for name in ('check', 'unwritten', 'hazards',
                                           'races')],
                             ['all', 'report', True, 'report'])

    def test_no_example_has_a_race(self):
        for name in self.EXAMPLES:
            for schedule in 'eager', 'seed=1', 'seed=2':
                with self.subTest(name, schedule=schedule):
                    run = subprocess.run(
                        [os.path.join(ROOT, 'scripts', 'run'),
                         os.path.join(ROOT, 'examples', name), '--check',
                         f'--machine=schedule={schedule}'],
                        capture_output=True, text=True, timeout=120)
                    self.assertEqual(run.returncode, 0, run.stderr)

    def test_nor_has_the_demo(self):
        for accel in ACCELERATORS:
            with self.subTest(accel), \
                    Tile('demo', accel, machine='races=report') as tile:
                self.assertEqual(tile.wait_for_exit(60), 0)
                self.assertEqual(tile.violations(), [])


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
