/*
 * Names for the numbers in instructions and configuration fields.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tests/unit/test-kernel.c compares them with the coprocessor.  Where LLK has
 * another name for the same, a comment says so.
 */

#ifndef BLACKHOLE_TILE_NAMES_H
#define BLACKHOLE_TILE_NAMES_H

/* --- formats: the code wherever a configuration field has one --- */

enum {
    FORMAT_FP32 = 0,               /* Float32 */
    FORMAT_FP16 = 1,               /* Float16, "A": exponent of 5 bits */
    FORMAT_BFP8A = 2,
    FORMAT_BFP4A = 3,
    FORMAT_TF32 = 4,
    FORMAT_BF16 = 5,               /* Float16_b, "B": exponent of 8 bits */
    FORMAT_BFP8 = 6,               /* Bfp8_b: 16 numbers share an exponent */
    FORMAT_BFP4 = 7,
    FORMAT_INT32 = 8,              /* integers are sign and magnitude */
    FORMAT_INT16 = 9,              /* UInt16 */
    FORMAT_FP8 = 10,               /* Lf8: E5M2, or E4M3 by configuration */
    FORMAT_BFP2A = 11,
    FORMAT_INT8 = 14,
    FORMAT_BFP2 = 15,
};

/* --- the wait instructions: stall_res, wait_res, wait_sem_cond --- */

/*
 * What stands still: instructions of these units.  TDMA are the counters, the
 * mover, the scalar unit, packer and unpackers.  (LLK: p_stall::STALL_*)
 */
enum {
    BLOCK_TDMA = 1 << 0,
    BLOCK_SYNC = 1 << 1,
    BLOCK_PACK = 1 << 2,
    BLOCK_UNPACK = 1 << 3,
    BLOCK_MOVER = 1 << 4,          /* XMOV */
    BLOCK_SCALAR = 1 << 5,         /* THCON */
    BLOCK_MATH = 1 << 6,
    BLOCK_CONFIG = 1 << 7,         /* CFG */
    BLOCK_SFPU = 1 << 8,
    BLOCK_ALL = 0x1FF,
};

/* STALLWAIT: until when.  (LLK: p_stall::THCON, UNPACK0, ...) */
enum {
    UNTIL_SCALAR_DONE = 1 << 0,    /* THCON */
    UNTIL_UNPACKED_A = 1 << 1,     /* unpacker 0 is done: UNPACK0 */
    UNTIL_UNPACKED_B = 1 << 2,     /* unpacker 1 is done: UNPACK1 */
    UNTIL_UNPACKED = 3 << 1,
    UNTIL_PACKED = 1 << 3,         /* PACK */
    UNTIL_MATH_DONE = 1 << 4,      /* MATH */
    UNTIL_SRCA_FREE = 1 << 5,      /* the unpackers' again: SRCA_CLR */
    UNTIL_SRCB_FREE = 1 << 6,
    UNTIL_SRCA_VALID = 1 << 7,     /* the Matrix Unit's: SRCA_VLD */
    UNTIL_SRCB_VALID = 1 << 8,
    UNTIL_MOVED = 1 << 9,          /* XMOV */
    UNTIL_CFG_STORED = 1 << 10,    /* harts' stores: TRISC_CFG */
    UNTIL_SFPU_DONE = 1 << 11,     /* SFPU1 */
    UNTIL_CONFIG_DONE = 1 << 12,   /* CFGEXU */
};

/* SEMWAIT: goes on waiting while a semaphore is so. */
enum { WHILE_ZERO = 1, WHILE_FULL = 2 };

/* --- semaphores: there are eight; sem_sel is a mask of them --- */

#define SEM_MASK(i) (1u << (i))
enum {
    SEM_MATH_PACK = 1,             /* parts of Dest that are to be packed */
};

/* --- ADC: CntSetMask and BitMask of SETADCXX, SETADCXY, SETADCZW --- */

enum { ADC_UNPACKER0 = 1, ADC_UNPACKER1 = 2, ADC_PACKER = 4 };
enum {
    CH0_X = 1, CH0_Y = 2, CH1_X = 4, CH1_Y = 8,    /* of SETADCXY */
    CH0_Z = 1, CH0_W = 2, CH1_Z = 4, CH1_W = 8,    /* of SETADCZW */
    CH_ALL = 0xF,
};

/* --- RWC: BitMask and rwc_cr of SETRWC --- */

enum {
    RWC_SRCA = 1, RWC_SRCB = 2, RWC_DEST = 4, RWC_FIDELITY = 8, RWC_ALL = 0xF,
};

/* clear_ab_vld, clear_dvalid: banks that go back to the unpackers */
enum { RELEASE_SRCA = 1, RELEASE_SRCB = 2, RELEASE_SRCA_SRCB = 3 };

/* --- unpackers --- */

/* Unpack_block_selection of UNPACR, Unpacker_Select of UNPACR_NOP */
enum { UNPACK_SRCA = 0, UNPACK_SRCB = 1 };
/* Unpack_Pop of UNPACR_NOP */
enum { UNPACK_NOP_CLEAR_SRC = 1 };

/* --- Matrix Unit --- */

/* clear_mode of ZEROACC; `where` counts rows, blocks of 16 rows, halves */
enum { ZEROACC_ROW, ZEROACC_16_ROWS, ZEROACC_HALF, ZEROACC_ALL };
/* instr_mod19 of ELWADD, ELWSUB, ELWMUL: what of SrcB is used throughout */
enum { BROADCAST_NONE, BROADCAST_COLUMN, BROADCAST_ROW, BROADCAST_SCALAR };
/* instr_mod of MOVA2D */
enum { MOVA2D_1_ROW = 0, MOVA2D_8_ROWS = 2 };

/* --- packer --- */

/* ReadIntfSel of PACR: rows of one instruction */
enum { PACR_4_ROWS = 0, PACR_1_ROW = 1 };

/* --- SFPU: LRegs, and modes of instructions --- */

/* LRegs that hold the same in all lanes, and cannot be written */
enum { LREG_ZERO = 9, LREG_ONE = 10 };

/* instr_mod0 of SFPLOAD and SFPSTORE: what a cell of Dest holds */
enum {
    SFP_FORMAT_CONFIGURED = 0, SFP_FORMAT_FP16 = 1, SFP_FORMAT_BF16 = 2,
    SFP_FORMAT_FP32 = 3, SFP_FORMAT_INT32 = 4,
};

enum {
    SFPLOADI_BF16 = 0, SFPLOADI_FP16 = 1, SFPLOADI_UINT16 = 2,
    SFPLOADI_INT16 = 4,
    SFPLOADI_UPPER = 8, SFPLOADI_LOWER = 10,       /* keep the other half */
};

enum {
    SFPMAD_NEGATE_A = 1, SFPMAD_NEGATE_C = 2,
};

enum {
    SFPIADD_IMMEDIATE_CC_LT0 = 1,  /* and flags: which results are < 0 */
    SFPIADD_NO_CC = 4,
    SFPIADD_IMMEDIATE_NO_CC = 5,
};

/* imm12_math is how far to the left; lreg_c is shifted only with USE_C */
enum { SFPSHFT_IMMEDIATE = 1, SFPSHFT_IMMEDIATE_USE_C = 5 };

/* lanes that go on: those for which LReg lreg_c is so */
enum {
    SFPSETCC_LT0 = 0, SFPSETCC_NE0 = 2, SFPSETCC_GTE0 = 4, SFPSETCC_EQ0 = 6,
};

enum {
    SFPENCC_SET_BOTH = 10,         /* EI and RI: both flags from Imm2 */
    SFPENCC_ALL_LANES = 3,         /* flags in use, and all of them true */
};

enum { SFPSWAP_MIN_MAX = 1 };      /* lreg_dest <= lreg_src_c afterwards */

enum { SFP_STOCH_RND_FP32_TO_BF16 = 1 };

enum { SFPABS_INTEGER = 0, SFPABS_FLOAT = 1 };

enum { SFPARECIP_RECIPROCAL = 0 };

#endif
