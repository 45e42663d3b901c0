# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that lack one order, each with its twin that has it.

A program is what each thread and hart does: words that a debugger pushes to a
thread, in this order, or code of harts.  The sections are the rows of the table
of docs/reports.rst "Races".
"""

from typing import Dict, List, NamedTuple, Tuple, Union

import rv_asm as rv
from blackhole_tile.instructions import tt
from blackhole_tile.memory_map import (ALL_HELD, NCRISC_RESET_PC, RESET_BITS,
                                       SOFT_RESET)
from rv_asm import A0, A1, A2, T0, T1, ZERO

Words = List[Tuple[int, int]]      # thread, word
Harts = Dict[str, List[int]]       # 'trisc1': code


class Pair(NamedTuple):
    name: str
    race: Union[Words, Harts]
    twin: Union[Words, Harts]
    text: str                      # of the report
    words: Words = []              # pushed before harts start


# --- block masks and conditions of the waits (BH STALLWAIT.md) ---

ALL, SYNC, PACK, UNPACK, MOVER, SCALAR, MATH, CFG, SFPU = (
    1 << bit for bit in range(9))
(UNTIL_SCALAR, UNTIL_UNPACK0, UNTIL_UNPACK1, UNTIL_PACK, UNTIL_MATH, SRCA_FREE,
 SRCB_FREE, SRCA_VALID, SRCB_VALID, UNTIL_MOVER, HART, UNTIL_SFPU,
 UNTIL_CONFIG) = (1 << bit for bit in range(13))
WHILE_ZERO, WHILE_FULL = 1, 2
SEM, OTHER_SEM = 1 << 1, 1 << 2


def stall(block: int, conditions: int) -> int:
    return tt('STALLWAIT', stall_res=block, wait_res=conditions)


def wait(block: int, condition: int = WHILE_ZERO, sem: int = SEM) -> int:
    return tt('SEMWAIT', stall_res=block, wait_sem_cond=condition, sem_sel=sem)


def by(thread: int, *words: int) -> Words:
    return [(thread, word) for word in words]


# --- instructions that access something ---

CLEAR = tt('ZEROACC', clear_mode=0, where=0)           # row 0, Matrix Unit
CLEAR_2 = tt('ZEROACC', clear_mode=0, where=2)
CLEAR_8 = tt('ZEROACC', clear_mode=0, where=8)
LOAD = tt('SFPLOAD', lreg_ind=1)                       # row 0, Vector Unit
LOAD_8 = tt('SFPLOAD', lreg_ind=1, dest_reg_addr=8)
STORE = tt('SFPSTORE', lreg_ind=1)
PACR = tt('PACR', Last=1)
COUNT = tt('SEMINIT', sem_sel=SEM, max_value=2)
COUNT_2 = tt('SEMINIT', sem_sel=SEM | OTHER_SEM, max_value=2)
COUNT_1 = tt('SEMINIT', sem_sel=SEM, max_value=2, init_value=1)
COUNT_OF_3 = tt('SEMINIT', sem_sel=SEM, max_value=3)
FULL_AT_1 = tt('SEMINIT', sem_sel=SEM, max_value=1)
NO_COUNT = tt('SEMINIT', sem_sel=SEM)
COUNT_FULL = tt('SEMINIT', sem_sel=SEM, max_value=2, init_value=2)
POST, GET = tt('SEMPOST', sem_sel=SEM), tt('SEMGET', sem_sel=SEM)
POST_OTHER = tt('SEMPOST', sem_sel=OTHER_SEM)
LOCK, UNLOCK = tt('ATGETM', mutex_index=4), tt('ATRELM', mutex_index=4)
LOCK_OTHER = tt('ATGETM', mutex_index=3)
FORMAT = tt('RMWCIB3', CfgRegAddr=1, Mask=0x20, Data=0x20)   # Fp32_enabled
NO_FORMAT = tt('RMWCIB3', CfgRegAddr=1, Mask=0x20, Data=0)
SRCA_FORMAT = tt('RMWCIB0', CfgRegAddr=0, Mask=0x1f, Data=5)
EXPLICIT_SRCA = tt('SETC16', setc16_reg=2, setc16_value=1)
BANK_1 = tt('SETC16', setc16_reg=0, setc16_value=1)
AUTO_TTSYNC = tt('SETC16', setc16_reg=56, setc16_value=1)
UNSIGNED = tt('RMWCIB1', CfgRegAddr=1, Mask=0x80, Data=0x80)  # SrcA's, sampled
UNSIGNED_B = tt('RMWCIB2', CfgRegAddr=1, Mask=1, Data=1)
ADDRESS = tt('RMWCIB0', CfgRegAddr=220, Mask=3, Data=3)       # remap, swizzle
OUT_FORMAT = tt('RMWCIB0', CfgRegAddr=72, Mask=1, Data=1)    # SEC0_REG2
TO_DEST = tt('RMWCIB1', CfgRegAddr=72, Mask=8, Data=8)       # Unpack_If_Sel
DESCALE = tt('RMWCIB0', CfgRegAddr=8, Mask=1, Data=1)  # the packer's, sampled
BASE_0, BASE_1 = (tt('RMWCIB0', CfgRegAddr=word, Mask=1, Data=1)
                  for word in (76, 77))                # of contexts 0 and 1
PACK_ADDRESS = tt('RMWCIB0', CfgRegAddr=69, Mask=1, Data=1)     # latched
GIVE_A = tt('UNPACR_NOP', Unpack_Pop=1, Set_Dvalid=1, Stall_Clr_Cntrl=1)
GIVE_B = tt('UNPACR_NOP', Unpack_Pop=1, Set_Dvalid=1, Stall_Clr_Cntrl=1,
            Unpacker_Select=1)
CLEAR_A = tt('UNPACR_NOP', Unpack_Pop=1)
CLEAR_BOTH = tt('UNPACR_NOP', Unpack_Pop=1, Stall_Clr_Cntrl=1, Bank_Clr_Ctrl=1)
CLEAR_A_WAITS = tt('UNPACR_NOP', Unpack_Pop=1, Stall_Clr_Cntrl=1)
UNPACK_B = tt('UNPACR', Unpack_block_selection=1, SetDatValid=1)
UNPACK_A = tt('UNPACR', SetDatValid=1)
UNPACK_0 = tt('UNPACR', OvrdThreadId=1, Last=1)
ADD = tt('ELWADD')
ADD_A = tt('MOVA2D')
TO_SRCA, TO_SRCB = tt('MOVD2A', instr_mod=2), tt('MOVD2B', instr_mod=2)
READ_1 = tt('MOVD2A', dst=1)                           # that row alone
ZERO_A = tt('ZEROSRC', src_mask=1, write_mode=1)     # the Matrix Unit's bank
RELEASE_A, RELEASE_B, RELEASE_AB = (
    tt('SETRWC', clear_ab_vld=banks) for banks in (1, 2, 3))
GPR = tt('SETDMAREG', RegIndex16b=10, Payload_SigSel=3)      # GPR 5
USE_GPR = tt('WRCFG', GprAddress=5, CfgReg=20)
GPR_6 = tt('SETDMAREG', RegIndex16b=12, Payload_SigSel=3)
RELU = tt('WRCFG', GprAddress=5, CfgReg=2)             # the whole word
ZERO_FLAG = tt('RMWCIB0', CfgRegAddr=2, Mask=1, Data=1)
RELU_BITS = tt('RMWCIB0', CfgRegAddr=2, Mask=4, Data=4)
STORE_L1 = tt('STOREIND', AddrRegIndex=1, DataRegIndex=5, OffsetIndex=60,
              SizeSel=1, MemHierSel=1)
LOAD_L1 = tt('LOADIND', AddrRegIndex=1, DataRegIndex=6, OffsetIndex=60,
             SizeSel=1)
ATOMIC = tt('ATINCGET', AddrRegIndex=1, DataRegIndex=6, WrapVal=31)
MOVE = [*(tt(f'RMWCIB{n}', CfgRegAddr=90, Mask=mask, Data=mask)
          for n, mask in ((0, 1), (3, 0xc0))),          # 16 bytes, L1 to L1
        tt('XMOV')]


def move(source: int, destination: int) -> List[int]:
    """128 bytes, a burst; addresses in units of 16."""
    return [*(tt('RMWCIB0', CfgRegAddr=word, Mask=0xff, Data=value)
              for word, value in ((88, source), (89, destination), (90, 8))),
            tt('RMWCIB3', CfgRegAddr=90, Mask=0xc0, Data=0xc0), tt('XMOV')]


USE_6 = tt('WRCFG', GprAddress=6, CfgReg=20)
LREG, USE_LREG = (tt('SFPLOADI', lreg_ind=2),
                  tt('SFPMOV', lreg_c=2, lreg_dest=3))
LREG_6 = tt('SFPLOADI', lreg_ind=6)
# SFPNOT of LReg 1, two cycles after it is loaded, by a macro (BH SFPLOADMACRO.md)
SCHEDULE = [tt('SFPNOT', lreg_dest=12), tt('SFPLOADI', instr_mod0=2,
                                           imm16=4 | 2 << 3),
            tt('SFPCONFIG', config_dest=4), tt('SFPLOADMACRO', lreg_ind=1)]
# and SFPSTORE of it to rows 0 to 3
SCHEDULE_STORE = [tt('SFPLOADI', instr_mod0=10, imm16=0),
                  tt('SFPLOADI', instr_mod0=8, imm16=(3 | 2 << 3) << 8),
                  tt('SFPCONFIG', config_dest=4), tt('SFPLOADMACRO', lreg_ind=1)]
COUNTERS = tt('SETRWC', BitMask=1)                     # the Matrix Unit's
USE_LREG_1 = tt('SFPMOV', lreg_c=1, lreg_dest=3)
NOTHING = tt('NOP')
BF16, BFP8 = 5, 6
MOP, MOP_MASK = tt('MOP', mop_type=1), tt('MOP')
GIVE = by(0, GIVE_A, GIVE_B)
TAKES_AT_ONCE = by(1, *[tt('ELWADD', clear_dvalid=3)] * 2)
DRAINED = [stall(SYNC, UNTIL_MATH), POST]
# thread 0 fills the bank that it has given again, and then clears row 0
TAKES_BACK = by(0, GIVE_A, GIVE_A, stall(MATH, UNTIL_UNPACK0), CLEAR)
# both banks of SrcA are given and released; the first is the unpacker's next
REUSED = (by(0, GIVE_A) + by(1, ADD_A, RELEASE_A)) * 2


def published(release: List[int], acquire: List[int], last: int = LOAD,
              first: int = CLEAR, count: int = COUNT) -> Words:
    """Thread 1 clears row 0 and releases it, thread 2 acquires and uses it."""
    return by(1, count, first, *release) + by(2, *acquire, last)


def packed(out_format: int, *conditions: int) -> Words:
    """Thread 2 packs rows of BF16 in Dest, waits and clears row 0."""
    return by(2, tt('RMWCIB0', CfgRegAddr=70, Mask=0xF0, Data=out_format << 4),
              tt('RMWCIB1', CfgRegAddr=70, Mask=0x0F, Data=BF16), PACR,
              *(stall(MATH, condition) for condition in conditions), CLEAR)


def released(first: Words, drain: int, acquire: int, last: Tuple[int, int],
             before: Words = GIVE) -> Words:
    """One thread works, drains and posts; the other waits, and works."""
    return (before + by(first[0][0], COUNT) + first +
            by(first[0][0], stall(SYNC, drain), POST) +
            by(last[0], acquire) + [last])


ONE_UNIT = [
    Pair('two threads in the Vector Unit', by(1, LREG) + by(2, LREG),
         published([POST], [wait(SFPU)], LREG, LREG), 'LReg 2'),
    Pair('two threads in the Matrix Unit', by(1, CLEAR) + by(2, CLEAR),
         published([POST], [wait(MATH)], CLEAR), 'writes row 0 of Dest'),
    Pair('two threads in an unpacker',
         by(0, CLEAR_A) + by(1, CLEAR_A),
         by(0, COUNT, CLEAR_A, POST) + by(1, wait(UNPACK), CLEAR_A),
         r'of SrcA bank 0.*condition C1 \(UNPACK0\)'),
    Pair('a reader in another thread', by(1, LREG) + by(2, USE_LREG),
         published([POST], [wait(SFPU)], USE_LREG, LREG), 'reads LReg 2'),
    Pair('what SFPLOADMACRO has scheduled',
         by(1, *SCHEDULE, *[COUNTERS] * 4) + by(2, USE_LREG_1),
         by(1, *SCHEDULE, *[COUNTERS] * 4, USE_LREG_1), 'reads LReg 1'),
    Pair('amid LRegs of its own',
         by(2, LREG_6, LREG_6) + by(1, LREG) + by(2, LREG),
         by(2, LREG_6, LREG_6) + by(1, COUNT, LREG, POST) +
         by(2, wait(SFPU), LREG), 'LReg 2'),
    Pair('a release between vector instructions',
         by(1, COUNT, LREG, POST, LREG) + by(2, wait(SFPU), LREG),
         by(1, COUNT, LREG, LREG, POST) + by(2, wait(SFPU), LREG), 'LReg 2'),
    Pair('a later instruction of a run', by(1, LREG, LREG_6) + by(2, LREG_6),
         by(1, COUNT, LREG, LREG_6, POST) + by(2, wait(SFPU), LREG_6),
         'writes LReg 6'),
]

UNITS = [
    Pair('C0', by(1, GPR, USE_GPR),
         by(1, GPR, stall(CFG, UNTIL_SCALAR), USE_GPR),
         r'reads GPR 5 of thread 1.*condition C0 \(THCON\)'),
    Pair('C0 of another unit', by(1, GPR, stall(CFG, UNTIL_PACK), USE_GPR),
         by(1, GPR, stall(CFG, UNTIL_PACK | UNTIL_SCALAR), USE_GPR),
         'reads GPR 5'),
    Pair('a load that has not landed', by(1, LOAD_L1, USE_6),
         by(1, LOAD_L1, stall(CFG, UNTIL_SCALAR), USE_6), 'reads GPR 6'),
    Pair('FLUSHDMA', by(1, GPR, tt('FLUSHDMA', FlushSpec=8), USE_GPR),
         by(1, GPR, tt('FLUSHDMA'), USE_GPR), 'reads GPR 5'),
    Pair('C1', by(0, UNPACK_0, UNSIGNED),
         by(0, UNPACK_0, stall(CFG, UNTIL_UNPACK0), UNSIGNED),
         r'SrcAUnsigned.*condition C1 \(UNPACK0\)'),
    Pair('one unpacker of two',
         by(0, UNPACK_B, stall(CFG, UNTIL_UNPACK0), UNSIGNED_B),
         by(0, UNPACK_B, stall(CFG, UNTIL_UNPACK0 | UNTIL_UNPACK1), UNSIGNED_B),
         r'SrcBUnsigned.*condition C2 \(UNPACK1\)'),
    Pair('C3', by(2, PACR, DESCALE),
         by(2, PACR, stall(CFG, UNTIL_PACK), DESCALE),
         r'writes configuration INT_DESCALE.*condition C3 \(PACK\)'),
    Pair('C4', GIVE + by(1, ADD, FORMAT),
         GIVE + by(1, ADD, stall(CFG, UNTIL_MATH), FORMAT),
         'writes configuration ALU_ACC_CTRL_Fp32_enabled'),
    Pair('C4 for the Vector Unit',
         by(1, STORE, stall(SYNC, UNTIL_MATH), COUNT, POST) +
         by(2, wait(MATH), CLEAR),
         by(1, STORE, stall(SYNC, UNTIL_MATH | UNTIL_SFPU), COUNT, POST) +
         by(2, wait(MATH), CLEAR), r'condition C11 \(WAIT_SFPU\)'),
    Pair('C9', by(1, *MOVE, STORE_L1),
         by(1, *MOVE, stall(SCALAR, UNTIL_MOVER), STORE_L1),
         r'condition C9 \(XMOV\)'),
    Pair('a wait is over before what comes after it',
         GIVE + by(1, stall(CFG, UNTIL_MATH), ADD, FORMAT),
         GIVE + by(1, ADD, stall(CFG, UNTIL_MATH), FORMAT), 'Fp32_enabled'),
    Pair('a wait that holds no write of configuration',
         GIVE + by(1, ADD, stall(MATH, UNTIL_MATH), FORMAT),
         GIVE + by(1, ADD, stall(MATH, UNTIL_MATH), ZERO_A, FORMAT),
         'Fp32_enabled'),
    Pair('two waits',
         published(DRAINED, [wait(PACK)]),
         published(DRAINED, [wait(PACK), stall(SFPU, UNTIL_SFPU)]), 'of Dest'),
]

THREADS = [
    Pair('no order at all', by(1, CLEAR) + by(2, LOAD),
         published(DRAINED, [wait(SFPU)]), 'reads rows? 0.* of Dest.*zeroacc'),
    Pair('a post before the drain', published([POST], [wait(SFPU)]),
         published(DRAINED, [wait(SFPU)]), r'condition C4 \(MATH\)'),
    Pair('a wait that blocks another unit', published(DRAINED, [wait(PACK)]),
         published(DRAINED, [wait(PACK | SFPU)]), 'of Dest'),
    Pair('another semaphore',
         by(1, COUNT_2, CLEAR, POST_OTHER, *DRAINED) +
         by(2, wait(SFPU, sem=OTHER_SEM), LOAD),
         by(1, COUNT_2, CLEAR, POST_OTHER, *DRAINED) +
         by(2, wait(SFPU, sem=SEM | OTHER_SEM), LOAD), 'of Dest'),
    Pair('a get for another post',
         published([stall(SYNC, UNTIL_MATH), POST], [GET]),
         published([stall(SYNC, UNTIL_MATH), POST], [wait(SYNC | SFPU), GET]),
         'of Dest'),
    Pair('a wait for another unit',
         published([stall(SYNC, UNTIL_SFPU), POST], [wait(SFPU)]),
         published([stall(SYNC, UNTIL_SFPU | UNTIL_MATH), POST], [wait(SFPU)]),
         'of Dest'),
    Pair('the second post of two',
         by(1, COUNT, CLEAR, *DRAINED, CLEAR_8, *DRAINED) +
         by(2, wait(SFPU), LOAD_8),
         by(1, COUNT, CLEAR, *DRAINED, CLEAR_8, *DRAINED) +
         by(2, wait(SFPU), LOAD, GET, wait(SFPU), LOAD_8), 'rows? 8.* of Dest'),
    Pair('a value that was there before',
         published(DRAINED, [wait(SFPU)], count=COUNT_1),
         by(1, COUNT_1, CLEAR, *DRAINED) +
         by(2, wait(SFPU), GET, wait(SFPU), LOAD), 'of Dest'),
    Pair('a get before the drain',
         by(1, COUNT, POST, POST) + by(2, LOAD, GET) +
         by(1, wait(MATH, WHILE_FULL), CLEAR),
         by(1, COUNT, POST, POST) + by(2, LOAD, stall(SYNC, UNTIL_SFPU), GET) +
         by(1, wait(MATH, WHILE_FULL), CLEAR),
         r'writes rows? 0.*may still be read by.*condition C11 \(WAIT_SFPU\)'),
    Pair('a wait that is not for that many gets',
         by(1, COUNT, POST) + by(2, LOAD, stall(SYNC, UNTIL_SFPU), GET) +
         by(1, wait(MATH, WHILE_FULL), CLEAR),
         by(1, COUNT, POST, POST) + by(2, LOAD, stall(SYNC, UNTIL_SFPU), GET) +
         by(1, wait(MATH, WHILE_FULL), CLEAR), 'writes rows? 0'),
    Pair('a wait for posts that began before a SEMINIT',
         by(1, COUNT, POST, POST) + by(2, GET, GET, wait(SFPU)) +
         by(1, COUNT, POST, CLEAR, *DRAINED) + by(2, LOAD),
         by(1, COUNT, POST, POST) + by(2, GET, GET, wait(SFPU)) +
         by(1, COUNT, CLEAR, *DRAINED, POST) + by(2, LOAD),
         'reads rows? 0.* of Dest'),
    Pair('a wait for gets that began before a SEMINIT',
         by(1, COUNT, POST, POST, wait(MATH, WHILE_FULL)) +
         by(2, COUNT_FULL, GET, LOAD, stall(SYNC, UNTIL_SFPU), GET) +
         by(1, CLEAR),
         by(1, COUNT, POST, POST, wait(MATH, WHILE_FULL)) +
         by(2, COUNT_FULL, LOAD, stall(SYNC, UNTIL_SFPU), GET, GET) +
         by(1, CLEAR), 'writes rows? 0'),
    Pair('a wait that was over before a SEMINIT',
         by(1, COUNT, POST) + by(2, wait(SFPU)) +
         by(1, COUNT, CLEAR, *DRAINED) + by(2, LOAD),
         by(1, COUNT, CLEAR, *DRAINED) + by(2, wait(SFPU)) +
         by(1, COUNT, POST) + by(2, LOAD),
         'reads rows? 0.* of Dest'),
    Pair('a SEMINIT before the drain, for a wait for its value',
         by(1, CLEAR, COUNT_1) + by(2, wait(SFPU), LOAD),
         by(1, CLEAR, stall(SYNC, UNTIL_MATH), COUNT_1) +
         by(2, wait(SFPU), LOAD), 'reads rows? 0.* of Dest'),
    Pair('the same for a wait that was there before',
         by(2, wait(SFPU)) + by(1, CLEAR, COUNT_1) + by(2, LOAD),
         by(2, wait(SFPU)) + by(1, CLEAR, stall(SYNC, UNTIL_MATH), COUNT_1) +
         by(2, LOAD), 'reads rows? 0.* of Dest'),
    Pair('a SEMINIT to the value that was there before',
         by(1, COUNT_1, CLEAR, stall(SYNC, UNTIL_MATH), COUNT_1) +
         by(2, wait(SFPU), LOAD),
         by(1, COUNT, CLEAR, stall(SYNC, UNTIL_MATH), COUNT_1) +
         by(2, wait(SFPU), LOAD), 'reads rows? 0.* of Dest'),
    Pair('a SEMINIT below the maximum before the drain',
         by(2, COUNT_FULL, LOAD, COUNT) +
         by(1, wait(MATH, WHILE_FULL), CLEAR),
         by(2, COUNT_FULL, LOAD, stall(SYNC, UNTIL_SFPU), COUNT) +
         by(1, wait(MATH, WHILE_FULL), CLEAR), 'writes rows? 0'),
    Pair('a SEMINIT of a higher maximum before the drain',
         by(2, NO_COUNT, LOAD, COUNT) + by(1, wait(MATH, WHILE_FULL), CLEAR),
         by(2, NO_COUNT, LOAD, stall(SYNC, UNTIL_SFPU), COUNT) +
         by(1, wait(MATH, WHILE_FULL), CLEAR), 'writes rows? 0'),
    Pair('the same after a post',
         by(2, FULL_AT_1, POST, LOAD, COUNT_1) +
         by(1, wait(MATH, WHILE_FULL), CLEAR),
         by(2, FULL_AT_1, POST, LOAD, stall(SYNC, UNTIL_SFPU), COUNT_1) +
         by(1, wait(MATH, WHILE_FULL), CLEAR), 'writes rows? 0'),
    Pair('a SEMINIT of a maximum that was not needed',
         by(2, COUNT, LOAD, stall(SYNC, UNTIL_SFPU), COUNT_OF_3) +
         by(1, wait(MATH, WHILE_FULL), CLEAR),
         by(2, NO_COUNT, LOAD, stall(SYNC, UNTIL_SFPU), COUNT_OF_3) +
         by(1, wait(MATH, WHILE_FULL), CLEAR), 'writes rows? 0'),
    Pair('a mutex that only one takes',
         by(1, LOCK, STORE, stall(SYNC, UNTIL_SFPU), UNLOCK) + by(2, CLEAR),
         by(1, LOCK, STORE, stall(SYNC, UNTIL_SFPU), UNLOCK) +
         by(2, LOCK, CLEAR), 'of Dest'),
    Pair('a mutex that is released before the drain',
         by(1, LOCK, STORE, UNLOCK) + by(2, LOCK, CLEAR),
         by(1, LOCK, STORE, stall(SYNC, UNTIL_SFPU), UNLOCK) +
         by(2, LOCK, CLEAR), r'condition C11 \(WAIT_SFPU\)'),
    Pair('another mutex',
         by(1, LOCK, STORE, stall(SYNC, UNTIL_SFPU), UNLOCK) +
         by(2, LOCK_OTHER, CLEAR),
         by(1, LOCK, STORE, stall(SYNC, UNTIL_SFPU), UNLOCK) +
         by(2, LOCK_OTHER, LOCK, CLEAR), 'of Dest'),
    Pair('L1 between two threads', by(1, STORE_L1) + by(2, LOAD_L1),
         by(1, COUNT, STORE_L1, stall(SYNC, UNTIL_SCALAR), POST) +
         by(2, wait(SCALAR), LOAD_L1), 'reads L1 at 0x0'),
    Pair('L1 overwritten under its reader', by(1, LOAD_L1) + by(2, STORE_L1),
         by(1, COUNT, LOAD_L1, stall(SYNC, UNTIL_SCALAR), POST) +
         by(2, wait(SCALAR), STORE_L1), 'writes L1 at 0x0'),
    *(Pair(f'a burst in L1, and one that {does}',
           by(1, *move(0, 8)) + by(2, BANK_1, *move(*to)),
           by(1, COUNT, *move(0, 8), stall(SYNC, UNTIL_MOVER), POST) +
           by(2, BANK_1, wait(ALL), *move(*to)), text)
      for does, to, text in (
          ('writes the same', (16, 8), 'writes L1 at 0x80, .* be written by'),
          ('reads that', (8, 16), 'reads L1 at 0x80, .* be written by'),
          ('writes what it read', (16, 0),
           'writes L1 at 0x0, .* be read by'))),
]

DEST = [
    # SFPLOAD is not stalled for the Matrix Unit, the packer is (BH Dst.md)
    Pair('the packer is stalled, not the Vector Unit',
         published([POST], [wait(PACK | SFPU)], LOAD),
         published([POST], [wait(PACK | SFPU)], PACR), 'of Dest'),
    Pair('nor is the packer for the Vector Unit',
         published([POST], [wait(PACK)], PACR, STORE),
         published([stall(SYNC, UNTIL_SFPU), POST], [wait(PACK)], PACR, STORE),
         r'reads rows? 0.*condition C11 \(WAIT_SFPU\)'),
    Pair('a half that is cleared while it is packed',
         by(2, COUNT, PACR, POST) + by(1, wait(MATH), CLEAR),
         by(2, COUNT, PACR, stall(SYNC, UNTIL_PACK), POST) +
         by(1, wait(MATH), CLEAR),
         r'writes row 0 of Dest.*condition C3 \(PACK\)'),
    # exponents that a BFP format shares are read for longer (tt-metal PR 54157)
    Pair('exponents that PACK does not wait for', packed(BFP8, UNTIL_PACK),
         packed(BFP8, UNTIL_PACK | UNTIL_SCALAR),
         r'writes rows? 0.*conditions C3 and C0'),
    Pair('exponents, and a wait in two parts',
         packed(BFP8, UNTIL_SCALAR, UNTIL_PACK), packed(BF16, UNTIL_PACK),
         r'writes rows? 0.*conditions C3 and C0'),
    # SFPSTORE and SFPLOAD access rows 0 to 3
    Pair('one of four rows that were stored', by(2, STORE) + by(1, CLEAR_2),
         by(2, COUNT, STORE, stall(SYNC, UNTIL_SFPU), POST) +
         by(1, wait(MATH), CLEAR_2),
         r'writes row 2 of Dest.*written by trisc2.*condition C11'),
    Pair('one of four rows, read apart from the others',
         by(1, COUNT_2, READ_1) +
         by(2, LOAD, stall(SYNC, UNTIL_SFPU), POST) +
         by(0, wait(SFPU), STORE),
         by(1, COUNT_2, READ_1, stall(SYNC, UNTIL_MATH), POST_OTHER) +
         by(2, LOAD, stall(SYNC, UNTIL_SFPU), POST) +
         by(0, wait(SFPU), wait(SFPU, sem=OTHER_SEM), STORE),
         r'writes row 1 of Dest.*read by trisc1.*condition C4 \(MATH\)'),
    Pair('what SFPLOADMACRO has scheduled before a wait',
         by(1, COUNT, *SCHEDULE_STORE, stall(SYNC, UNTIL_MATH), POST) +
         by(2, wait(MATH), CLEAR),
         by(1, COUNT, *SCHEDULE_STORE, stall(SYNC, UNTIL_SFPU), POST) +
         by(2, wait(MATH), CLEAR), r'writes row 0 of Dest.*condition C11'),
    Pair('the packer before anything is known to be issued',
         by(1, CLEAR) + by(2, PACR),
         published([POST], [wait(PACK)], PACR), 'reads rows? 0.* of Dest'),
]

BANKS = [
    Pair('SrcA written by both', by(0, GIVE_A) + by(1, TO_SRCA),
         by(0, GIVE_A) + by(1, stall(MATH, UNTIL_MATH | SRCA_VALID), TO_SRCA),
         'writes rows 0 to 3 of SrcA bank 0.*unpacr_nop.*thread 1 for both C4 '
         r'\(MATH\) and C7 \(SRCA_VLD\)'),
    Pair('SrcB written by both', by(0, GIVE_B) + by(1, TO_SRCB),
         by(0, GIVE_B) + by(1, stall(MATH, UNTIL_MATH | SRCB_VALID), TO_SRCB),
         'writes rows .* of SrcB bank 0.*unpacr_nop.*thread 1 for both C4 '
         r'\(MATH\) and C8 \(SRCB_VLD\)'),
    Pair('the other bank is valid', by(0, GIVE_A, GIVE_B) +
         by(1, stall(MATH, UNTIL_MATH | SRCB_VALID), TO_SRCA),
         by(0, GIVE_A, GIVE_B) +
         by(1, stall(MATH, UNTIL_MATH | SRCA_VALID), TO_SRCA), 'of SrcA bank 0'),
    Pair('a valid bank before the flip',
         by(0, GIVE_A) + by(1, stall(MATH, UNTIL_MATH | SRCA_VALID), RELEASE_A) +
         by(0, GIVE_A) + by(1, stall(MATH, SRCA_VALID), TO_SRCA),
         by(0, GIVE_A) + by(1, stall(MATH, UNTIL_MATH | SRCA_VALID), RELEASE_A) +
         by(0, GIVE_A) +
         by(1, stall(MATH, UNTIL_MATH | SRCA_VALID), TO_SRCA),
         r'of SrcA bank 1.*both C4 \(MATH\) and C7 \(SRCA_VLD\), which alone'),
    Pair('ZEROSRC does not wait for the unpacker',
         by(0, GIVE_A) + by(1, ZERO_A),
         by(0, GIVE_A) + by(1, stall(MATH, UNTIL_MATH | SRCA_VALID), ZERO_A),
         'of SrcA bank 0'),
    # UNPACR_NOP waits for one bank, also without Stall_Clr_Cntrl
    Pair('both banks are cleared', REUSED + by(0, CLEAR_BOTH),
         REUSED + by(0, CLEAR_A), 'writes row 0 of SrcA bank 1.*mova2d'),
    Pair('both banks are cleared, with Stall_Clr_Cntrl',
         REUSED + by(0, CLEAR_BOTH), REUSED + by(0, CLEAR_A_WAITS),
         'writes row 0 of SrcA bank 1.*mova2d'),
    Pair('banks that are emptied as soon as they are full',
         TAKES_AT_ONCE + by(0, GIVE_B, GIVE_A, GIVE_B, GIVE_A, CLEAR_BOTH),
         TAKES_AT_ONCE + by(0, *(GIVE_B, GIVE_A) * 3), 'of SrcA bank 1.*elwadd'),
    Pair('what had ended before a bank was released',
         by(0, GIVE_A) + by(1, STORE, RELEASE_A) + TAKES_BACK,
         by(0, GIVE_A) + by(1, STORE, stall(MATH, UNTIL_SFPU), RELEASE_A) +
         TAKES_BACK, 'writes row 0 of Dest.*sfpstore'),
]

CONFIGURATION = [
    Pair('of another thread', GIVE + by(2, FORMAT) + by(1, ADD),
         GIVE + by(2, COUNT, FORMAT, POST) + by(1, wait(MATH), ADD),
         'reads configuration'),
    Pair('a whole word beside bits of another thread',
         by(1, ZERO_FLAG) + by(2, RELU), by(1, ZERO_FLAG) + by(2, RELU_BITS),
         'writes configuration ALU_ACC_CTRL_Zero_Flag_disabled_src.*rmwcib0'),
    Pair('a write that changes something', GIVE + by(1, ADD, FORMAT),
         GIVE + by(1, ADD, NO_FORMAT), 'Fp32_enabled'),
    Pair('a bank that is used', GIVE + by(1, BANK_1, ADD, FORMAT),
         GIVE + by(1, ADD, BANK_1, FORMAT), 'Fp32_enabled.*bank 1'),
    Pair('sampled, not latched', by(2, PACR, DESCALE), by(2, PACR, PACK_ADDRESS),
         'INT_DESCALE'),
    Pair('sampled by an unpacker, not latched', by(0, UNPACK_0, UNSIGNED),
         by(0, UNPACK_0, BASE_0), 'SrcAUnsigned'),
    Pair('a latched word that another thread writes',
         by(2, PACR) + by(1, PACK_ADDRESS),
         by(2, COUNT, PACR, POST) + by(1, wait(CFG), PACK_ADDRESS),
         'L1_Dest_addr'),
    Pair('a context that is used', by(0, UNPACK_0) + by(1, BASE_0),
         by(0, UNPACK_0) + by(1, BASE_1), 'REG3_Base_address'),
    Pair('what UNPACR_NOP reads', by(0, GIVE_A) + by(2, OUT_FORMAT),
         by(0, GIVE_A) + by(2, BASE_0),
         'REG2_Out_data_format.*unpacr_nop'),
    Pair('how Dest is addressed, under ZEROACC of a row',
         by(1, CLEAR) + by(2, ADDRESS),
         by(1, tt('ZEROACC', clear_mode=3)) + by(2, ADDRESS),
         'DEST_ACCESS_CFG_.*zeroacc'),
    Pair('how Dest is addressed, under UNPACR to Dest',
         by(0, TO_DEST, UNPACK_A) + by(2, ADDRESS),
         by(0, UNPACK_A) + by(2, ADDRESS), 'DEST_ACCESS_CFG_.*unpacr'),
    Pair('formats that banks do not imply',
         GIVE + by(1, EXPLICIT_SRCA, ADD, SRCA_FORMAT),
         GIVE + by(1, ADD, SRCA_FORMAT), 'ALU_FORMAT_SPEC_REG'),
]

# --- harts ---

CONFIG, GPRS, TTSYNC, MOP_DONE = 0xFFEF0000, 0xFFE00000, 0xFFE80004, 0xFFE80008
BANK_BYTES, MOP_CFG = 224 * 4, 0xFFB80000
SEMAPHORE = 0xFFE80020 + 4         # SEM's
PCBUF_1, PCBUF_OWN = 0xFFE90000, 0xFFE80000
MAIL_B, MAIL_T1 = 0xFFEC0000, 0xFFEC2000   # to and from BRISC, TRISC1
REGISTERS = 0xFFB00000
FORMATS = CONFIG + 4               # configuration word 1
FP32 = 1 << 29
TDMA, SCRATCH = 0xFFB11000, 256 * 4
STREAM_1, STREAM_2 = (0xFFB40000 + n * 0x1000 + SCRATCH for n in (1, 2))
NIU, NIU_STEP, OWN_TILE = 0xFFB20000, 0x10000, 0x148
READS_DONE, WRITES_ACKED, WRITES_SENT = 0x208, 0x204, 0x228
NOC_READ, NOC_WRITE = 0x2090, 0x2092
FROM, TO = 0x30000, 0x31000        # in L1
FLAG = 0x7100


def store(address: int, value: int) -> List[int]:
    return rv.li(A0, address) + rv.li(A1, value) + [rv.sw(A1, A0)]


def load(address: int) -> List[int]:
    return rv.li(A0, address) + [rv.lw(A1, A0)]


def poll(address: int) -> List[int]:
    return load(address) + [rv.branch(0, A1, ZERO, -4)]


def compare(code: List[int], limit: int) -> List[int]:
    """A loop of SEM's load and code that compares A1 with A2, the limit."""
    back = -4 * len(code)
    return (rv.li(A0, SEMAPHORE) + rv.li(A2, limit) +
            [rv.lw(A1, A0), *code[:-1], code[-1] | rv.branch(0, 0, 0, back)])


def until_below(limit: int) -> List[List[int]]:
    """In the ways that compilers have for it, and others."""
    beq, bge, bltu, bgeu = 0, 5, 6, 7
    return [compare([rv.branch(bgeu, A1, A2, 0)], limit),
            compare([rv.i_type(rv.OP_IMM, 7, A1, A1, 255),      # ANDI
                     rv.branch(bgeu, A1, A2, 0)], limit),
            compare([rv.i_type(rv.OP_IMM, 3, A1, A1, limit),    # SLTIU
                     rv.branch(beq, A1, ZERO, 0)], limit),
            compare([rv.addi(A1, A1, -limit),
                     rv.branch(bge, A1, ZERO, 0)], limit),
            compare([rv.i_type(rv.OP_IMM, 4, A1, A1, 15),       # XORI
                     rv.i_type(rv.OP_IMM, 6, A1, A1, 16),       # ORI
                     rv.branch(bltu, A1, A2, 0)], 32 - limit)]


# long enough for what other harts do meanwhile; it orders nothing
PAUSE = rv.li(A2, 1 << 20) + [rv.addi(A2, A2, -1), rv.branch(1, A2, ZERO, -4)]


def push(*words: int) -> List[int]:
    return [rv.ttinsn(word) for word in words]


def noc(control: int, source: int, to: int, niu: int = 0,
        size: int = 16) -> List[int]:
    """So many bytes from this tile to this tile."""
    words = {0: source, 4: 0, 0xC: to, 0x10: 0, 0x1C: control, 0x20: size,
             0x40: 1}
    return (rv.li(A0, NIU + niu * NIU_STEP) +
            [rv.lw(A1, A0, OWN_TILE), rv.sw(A1, A0, 8), rv.sw(A1, A0, 0x14)] +
            [word for offset, value in words.items()
             for word in rv.li(A1, value) + [rv.sw(A1, A0, offset)]])


def tdma_store(address: int) -> List[int]:
    """TDMA's command that writes a word of L1."""
    return (store(TDMA, address) + store(TDMA + 8, 7) +
            store(TDMA + 0x10, 0x666))


def mop(outer: int) -> List[int]:
    """A loop of NOPs of the Vector Unit, whose registers are all set."""
    nop = tt('SFPNOP')
    return [word for n, value in enumerate(
        (outer, 1, NOTHING, NOTHING, NOTHING, nop, NOTHING, nop, nop))
        for word in store(MOP_CFG + 4 * n, value)]


CHANGE = store(FORMATS, FP32)
RELEASE = store(SOFT_RESET, ALL_HELD & ~RESET_BITS['trisc1'] &
                ~RESET_BITS['brisc'])
SYNC_LOAD = store(TTSYNC, 0) + load(TTSYNC)
MOP_SYNC = store(MOP_DONE, 0) + load(MOP_DONE)
WROTE = push(GPR, STORE_L1)
MANY = mop(100) + push(MOP)
TWO_POSTS = push(POST) + WROTE + push(stall(SYNC, UNTIL_SCALAR), POST)


def t1(*parts: List[int]) -> Harts:
    return {'trisc1': sum(parts, [])}


def both(trisc1: List[int], brisc: List[int]) -> Harts:
    return {'trisc1': trisc1, 'brisc': RELEASE + brisc}


LOCAL_FLAG, LOCAL_OTHER = 0xFFB00100, 0xFFB00104
SW_INT, SW_INT_PC, BRISC_SW_INT_EN = 0xFFB13018, 0xFFB130A8, 0xFFB13000
BRISC_CODE = 0x8000                # where test_races.py has it


def interrupted(trisc1: List[int], brisc: List[int]) -> Harts:
    """TRISC1 interrupts BRISC, whose handler stores LOCAL_FLAG."""
    handler = (rv.li(T0, SW_INT) + [rv.lw(T1, T0)] + rv.li(T0, LOCAL_FLAG) +
               [rv.sw(T1, T0), rv.MRET])
    return {'trisc1': trisc1 + store(SW_INT, 1),
            'brisc': [rv.jump(4 + 4 * len(handler))] + handler +
                     store(SW_INT_PC, BRISC_CODE + 4) +
                     store(BRISC_SW_INT_EN, 1) + RELEASE + brisc}


STORES = [
    Pair('C10', t1(CHANGE, push(ADD)),
         t1(CHANGE, push(stall(MATH, HART), ADD)),
         r'reads configuration ALU_ACC_CTRL_Fp32_enabled.*condition C10', GIVE),
    Pair('C10 before the store', t1(push(stall(MATH, HART)), CHANGE, push(ADD)),
         t1(CHANGE, push(stall(MATH, HART), ADD)), 'Fp32_enabled', GIVE),
    Pair('a load from another kind of register',
         t1(CHANGE, load(GPRS), push(ADD)),
         t1(CHANGE, load(FORMATS), push(ADD)), 'Fp32_enabled', GIVE),
    Pair('a GPR', t1(store(GPRS + 4 * 5, 7), push(USE_GPR)),
         t1(store(GPRS + 4 * 5, 7), push(stall(CFG, HART), USE_GPR)),
         'reads GPR 5 of thread 1'),
    Pair('a GPR, and a load from configuration',
         t1(store(GPRS + 4 * 5, 7), load(CONFIG), push(USE_GPR)),
         t1(store(GPRS + 4 * 5, 7), load(GPRS), push(USE_GPR)),
         'reads GPR 5 of thread 1'),
    Pair('Auto TTSync', t1(CHANGE, push(ADD)),
         t1(push(AUTO_TTSYNC), CHANGE, push(ADD)), 'Fp32_enabled', GIVE),
    Pair('C10, of an instruction that has run before',
         t1(push(ADD), SYNC_LOAD, CHANGE, push(ADD)),
         t1(push(ADD), SYNC_LOAD, CHANGE, push(stall(MATH, HART), ADD)),
         r'reads configuration ALU_ACC_CTRL_Fp32_enabled.*condition C10', GIVE),
    Pair('a bank that is not used',
         t1(store(FORMATS + BANK_BYTES, FP32), push(BANK_1, ADD)),
         t1(store(FORMATS + BANK_BYTES, FP32), push(ADD)), 'Fp32_enabled', GIVE),
    Pair('a store under the Matrix Unit', t1(push(ADD), CHANGE),
         t1(push(ADD), SYNC_LOAD, CHANGE),
         r'writes configuration ALU_ACC_CTRL_Fp32_enabled.*C4 \(MATH\)', GIVE),
    Pair('of BRISC, for which C10 does not wait',
         both(poll(MAIL_B) + push(stall(MATH, HART), ADD),
              CHANGE + store(MAIL_T1, 1)),
         both(poll(MAIL_B) + push(stall(MATH, HART), ADD),
              CHANGE + load(FORMATS) + store(MAIL_T1, 1)), 'Fp32_enabled',
         GIVE),
]

MOPS = [
    Pair('MopCfg under a MOP', t1(MANY, store(MOP_CFG, 3)),
         t1(MANY, MOP_SYNC, store(MOP_CFG, 3)),
         r'MopCfg.*mop_sync'),
    Pair('a MOP after a vector instruction',
         t1(push(LREG), MANY, store(MOP_CFG, 3)),
         t1(push(LREG), MANY, MOP_SYNC, store(MOP_CFG, 3)), 'MopCfg'),
    Pair('TTSync waits for MOPs, too', t1(MANY, store(MOP_CFG + 20, NOTHING)),
         t1(MANY, SYNC_LOAD, store(MOP_CFG + 20, NOTHING)), 'word 5 of MopCfg'),
    Pair('words that the MOP does not use',
         t1(MANY, store(MOP_CFG, 3)),
         t1(mop(100), push(MOP_MASK), store(MOP_CFG, 3)), 'MopCfg'),
    Pair('a value that changes', t1(MANY, store(MOP_CFG, 3)),
         t1(MANY, store(MOP_CFG, 100)), 'MopCfg'),
    Pair('MOPs that have been expanded are not over',
         t1(WROTE, MANY, MOP_SYNC, store(MAIL_B, 1)) | {'brisc': RELEASE +
                                                        poll(MAIL_T1) + load(0)},
         t1(WROTE, MANY, SYNC_LOAD, store(MAIL_B, 1)) | {'brisc': RELEASE +
                                                         poll(MAIL_T1) + load(0)},
         'reads L1 at 0x0'),
]

TELL = tt('STOREREG', TdmaDataRegIndex=5,
          RegAddr=(NCRISC_RESET_PC - REGISTERS) // 4)

# TRISC1 runs once, is reset, and runs again
MAILS = WROTE + SYNC_LOAD + store(MAIL_B, 1) + store(FLAG, 1)
AGAIN = (poll(FLAG) + store(SOFT_RESET, ALL_HELD & ~RESET_BITS['brisc']) +
         RELEASE)

HARTS = [
    Pair('mail', both(WROTE + store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
         both(WROTE + SYNC_LOAD + store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
         r'reads L1 at 0x0.*storeind.*condition C0 \(THCON\)'),
    Pair('no mail', both(WROTE + SYNC_LOAD + store(MAIL_B, 1), load(0)),
         both(WROTE + SYNC_LOAD + store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
         'L1 at 0x0'),
    Pair('mail after mail that a reset has discarded',
         both(MAILS, AGAIN + load(0) + load(MAIL_T1)),
         both(MAILS, AGAIN + load(MAIL_T1) + load(0)), 'L1 at 0x0'),
    Pair('a flag in L1', both(WROTE + store(FLAG, 1), poll(FLAG) + load(0)),
         both(WROTE + SYNC_LOAD + store(FLAG, 1), poll(FLAG) + load(0)),
         'reads L1 at 0x0'),
    Pair('STOREREG', both(WROTE + push(TELL), poll(NCRISC_RESET_PC) + load(0)),
         both(WROTE + push(stall(SCALAR, UNTIL_SCALAR), TELL),
              poll(NCRISC_RESET_PC) + load(0)), 'reads L1 at 0x0'),
    Pair('a semaphore that a hart reads',
         both(push(COUNT) + WROTE + push(POST) + poll(SEMAPHORE) +
              store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
         both(push(COUNT) + WROTE + push(stall(SYNC, UNTIL_SCALAR), POST) +
              poll(SEMAPHORE) + store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
         'reads L1 at 0x0'),
    *(Pair(f'a semaphore that a hart finds below a limit, {n}',
           both(push(COUNT_FULL) + WROTE + push(stall(SYNC, UNTIL_SCALAR), GET) +
                lax + store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
           both(push(COUNT_FULL) + WROTE + push(stall(SYNC, UNTIL_SCALAR), GET) +
                strict + store(MAIL_B, 1), poll(MAIL_T1) + load(0)),
           'reads L1 at 0x0')
      for n, (lax, strict) in enumerate(zip(until_below(3), until_below(2)))),
    *(Pair(f'a semaphore that a hart finds at a limit, {name}',
           both(push(COUNT) + TWO_POSTS + compare(code, 1) + store(MAIL_B, 1),
                poll(MAIL_T1) + load(0)),
           both(push(COUNT) + TWO_POSTS + compare(code, 2) + store(MAIL_B, 1),
                poll(MAIL_T1) + load(0)), 'reads L1 at 0x0')
      for name, code in (
          ('BLTU', [rv.branch(6, A1, A2, 0)]),
          ('BLT', [rv.branch(4, A1, A2, 0)]),
          ('not 0 first', [rv.branch(0, A1, ZERO, -4), rv.branch(6, A1, A2, 0)]),
          ('not 0 last', [rv.branch(6, A1, A2, -4),
                          rv.branch(0, A1, ZERO, 0)]))),
    Pair('a semaphore that a hart posts',
         t1(push(CLEAR), store(SEMAPHORE, 0)),
         t1(push(CLEAR), SYNC_LOAD, store(SEMAPHORE, 0)), 'of Dest',
         by(2, COUNT, wait(SFPU), LOAD)),
    Pair('a barrier between vector instructions',
         t1(push(LREG), SYNC_LOAD, push(LREG), store(SEMAPHORE, 0)),
         t1(push(LREG, LREG), SYNC_LOAD, store(SEMAPHORE, 0)), 'LReg 2',
         by(2, COUNT, wait(SFPU), LREG)),
    Pair('the PCBuf as a barrier',
         both(WROTE + load(PCBUF_OWN), load(0) + store(PCBUF_1, 1)),
         both(WROTE + load(PCBUF_OWN),
              load(PCBUF_1) + load(0) + store(PCBUF_1, 1)),
         'L1 at 0x0'),
    Pair('a register of another stream',
         both(WROTE + SYNC_LOAD + store(STREAM_1, 1),
              PAUSE + load(STREAM_2) + load(0)),
         both(WROTE + SYNC_LOAD + store(STREAM_1, 1), poll(STREAM_1) + load(0)),
         'L1 at 0x0'),
    Pair('what TDMA still writes',
         both(poll(MAIL_B) + push(LOAD_L1), tdma_store(0) + store(MAIL_T1, 1)),
         both(poll(MAIL_B) + push(LOAD_L1),
              tdma_store(0) + load(0) + store(MAIL_T1, 1)),
         'reads L1 at 0x0.*what the command writes'),
    Pair('an interrupt, which may arrive later',
         interrupted(WROTE + SYNC_LOAD, PAUSE + load(LOCAL_OTHER) + load(0)),
         interrupted(WROTE + SYNC_LOAD, poll(LOCAL_FLAG) + load(0)),
         'reads L1 at 0x0'),
    Pair('a word through the PCBuf',
         both(push(LOAD_L1) * 20 + load(PCBUF_OWN),
              store(0, 1) + store(PCBUF_1, 1)),
         both(load(PCBUF_OWN) + push(LOAD_L1),
              store(0, 1) + store(PCBUF_1, 1)), 'L1 at 0x0'),
]

NOC = [
    Pair('a read that has not landed',
         {'brisc': noc(NOC_READ, FROM, TO) + load(TO)},
         {'brisc': noc(NOC_READ, FROM, TO) + load(NIU + READS_DONE) + load(TO)},
         "reads L1 at 0x31000.*a load of the NIU's counters"),
    Pair('a counter of the other NIU',
         {'brisc': noc(NOC_READ, FROM, TO) +
          load(NIU + NIU_STEP + READS_DONE) + load(TO)},
         {'brisc': noc(NOC_READ, FROM, TO, 1) +
          load(NIU + NIU_STEP + READS_DONE) + load(TO)}, 'reads L1 at 0x31000'),
    Pair('a counter of writes',
         {'brisc': noc(NOC_READ, FROM, TO) + load(NIU + WRITES_ACKED) +
          load(TO)},
         {'brisc': noc(NOC_WRITE, FROM, TO) + load(NIU + WRITES_ACKED) +
          load(TO)}, 'reads L1 at 0x31000'),
    Pair('a source that is still read',
         {'brisc': noc(NOC_WRITE, FROM, TO) + store(FROM, 1)},
         {'brisc': noc(NOC_WRITE, FROM, TO) + load(NIU + WRITES_ACKED) +
          store(FROM, 1)}, 'writes L1 at 0x30000'),
    Pair('a word of a large source',
         {'brisc': noc(NOC_WRITE, FROM, TO, size=512) + store(FROM + 0x40, 1)},
         {'brisc': noc(NOC_WRITE, FROM, TO, size=512) +
          load(NIU + WRITES_ACKED) + store(FROM + 0x40, 1)},
         'writes L1 at 0x30040,'),
    Pair('a write that is sent has not read its source',
         {'brisc': noc(NOC_WRITE, FROM, TO) + load(NIU + WRITES_SENT) +
          store(FROM, 1)},
         {'brisc': noc(NOC_WRITE, FROM, TO) + load(NIU + WRITES_ACKED) +
          store(FROM, 1)}, 'writes L1 at 0x30000'),
    Pair('a write of what an instruction still stores',
         {'trisc1': WROTE + store(MAIL_B, 1),
          'brisc': RELEASE + poll(MAIL_T1) + noc(NOC_WRITE, 0, TO)},
         {'trisc1': WROTE + SYNC_LOAD + store(MAIL_B, 1),
          'brisc': RELEASE + poll(MAIL_T1) + noc(NOC_WRITE, 0, TO)},
         'reads L1 at 0x0'),
]

SECTIONS = {
    'one unit': ONE_UNIT, 'units': UNITS, 'threads': THREADS, 'Dest': DEST,
    'banks': BANKS, 'configuration': CONFIGURATION, 'stores': STORES,
    'MopCfg': MOPS, 'harts': HARTS, 'NoC': NOC,
}
