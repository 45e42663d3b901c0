/*
 * Names for the numbers in instructions and configuration fields.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Beside each name, after "LLK", is the name that LLK's kernels have for the
 * same number: of tt-llk (ckernel_instr_params.h, ckernel_structs.h,
 * ckernel_defs.h, llk_defs.h), of tensix_types.h (DataFormat) or of SFPI
 * (sfpi::).  "no LLK name": LLK's kernels write the number.  docs/names.rst has
 * both side by side.  tests/unit/test-kernel.c compares the numbers with the
 * coprocessor, tests/docs/test_names.py with LLK's.
 */

#ifndef BLACKHOLE_TILE_NAMES_H
#define BLACKHOLE_TILE_NAMES_H

/* --- formats: the code wherever a configuration field has one --- */

/*
 * BFP: 16 numbers share an exponent.  It has 8 bits, or 5 in the formats whose
 * name ends in A.  LLK marks the other ones: BFP8 is Bfp8_b, BFP8A is Bfp8.
 */
enum {
    FORMAT_FP32 = 0,   /* LLK DataFormat::Float32 */
    FORMAT_FP16 = 1,   /* LLK DataFormat::Float16: exponent of 5 bits */
    FORMAT_BFP8A = 2,  /* LLK DataFormat::Bfp8 */
    FORMAT_BFP4A = 3,  /* LLK DataFormat::Bfp4 */
    FORMAT_TF32 = 4,   /* LLK DataFormat::Tf32 */
    FORMAT_BF16 = 5,   /* LLK DataFormat::Float16_b: exponent of 8 bits */
    FORMAT_BFP8 = 6,   /* LLK DataFormat::Bfp8_b */
    FORMAT_BFP4 = 7,   /* LLK DataFormat::Bfp4_b */
    FORMAT_INT32 = 8,  /* LLK DataFormat::Int32: sign and magnitude */
    FORMAT_INT16 = 9,  /* LLK DataFormat::UInt16 */
    FORMAT_FP8 = 10,   /* LLK DataFormat::Lf8: E5M2, or configured E4M3 */
    FORMAT_BFP2A = 11, /* LLK DataFormat::Bfp2 */
    FORMAT_INT8 = 14,  /* LLK DataFormat::Int8: sign and magnitude */
    FORMAT_BFP2 = 15,  /* LLK DataFormat::Bfp2_b */
};

/* --- the wait instructions: stall_res, wait_res, wait_sem_cond --- */

/*
 * Which instructions are blocked: those of these units.  TDMA are the counters,
 * the mover, the scalar unit, packer and unpackers.
 */
enum {
    BLOCK_TDMA = 1 << 0,   /* LLK p_stall::STALL_TDMA */
    BLOCK_SYNC = 1 << 1,   /* LLK p_stall::STALL_SYNC */
    BLOCK_PACK = 1 << 2,   /* LLK p_stall::STALL_PACK */
    BLOCK_UNPACK = 1 << 3, /* LLK p_stall::STALL_UNPACK */
    BLOCK_MOVER = 1 << 4,  /* LLK p_stall::STALL_XMOV */
    BLOCK_SCALAR = 1 << 5, /* LLK p_stall::STALL_THCON */
    BLOCK_MATH = 1 << 6,   /* LLK p_stall::STALL_MATH */
    BLOCK_CONFIG = 1 << 7, /* LLK p_stall::STALL_CFG */
    BLOCK_SFPU = 1 << 8,   /* LLK p_stall::STALL_SFPU */
    BLOCK_ALL = 0x1FF,     /* LLK p_stall::STALL_THREAD */
};

/*
 * STALLWAIT: until when.  A bank is FREE when it is the unpackers', VALID when
 * it is the Matrix Unit's.
 */
enum {
    UNTIL_SCALAR_DONE = 1 << 0,  /* LLK p_stall::THCON */
    UNTIL_UNPACKED_A = 1 << 1,   /* LLK p_stall::UNPACK0: unpacker 0 is done */
    UNTIL_UNPACKED_B = 1 << 2,   /* LLK p_stall::UNPACK1: unpacker 1 is done */
    UNTIL_UNPACKED = 3 << 1,     /* LLK p_stall::UNPACK */
    UNTIL_PACKED = 1 << 3,       /* LLK p_stall::PACK */
    UNTIL_MATH_DONE = 1 << 4,    /* LLK p_stall::MATH */
    UNTIL_SRCA_FREE = 1 << 5,    /* LLK p_stall::SRCA_CLR */
    UNTIL_SRCB_FREE = 1 << 6,    /* LLK p_stall::SRCB_CLR */
    UNTIL_SRCA_VALID = 1 << 7,   /* LLK p_stall::SRCA_VLD */
    UNTIL_SRCB_VALID = 1 << 8,   /* LLK p_stall::SRCB_VLD */
    UNTIL_MOVED = 1 << 9,        /* LLK p_stall::XMOV */
    UNTIL_CFG_STORED = 1 << 10,  /* LLK p_stall::TRISC_CFG: stores by harts */
    UNTIL_SFPU_DONE = 1 << 11,   /* LLK p_stall::SFPU1, p_stall::WAIT_SFPU */
    UNTIL_CONFIG_DONE = 1 << 12, /* LLK p_stall::CFGEXU */
};

/* SEMWAIT: blocks while a semaphore is so */
enum {
    WHILE_ZERO = 1, /* LLK p_stall::STALL_ON_ZERO */
    WHILE_FULL = 2, /* LLK p_stall::STALL_ON_MAX */
};

/* --- semaphores: there are eight; sem_sel is a mask of them --- */

#define SEM_MASK(i) (1u << (i)) /* LLK semaphore::t6_sem(i) */

/* counts the parts of Dest that are to be packed */
enum {
    SEM_MATH_PACK = 1, /* LLK semaphore::MATH_PACK */
};

/* --- ADC: CntSetMask and BitMask of SETADCXX, SETADCXY, SETADCZW --- */

enum {
    ADC_UNPACKER0 = 1, /* LLK p_setadc::UNP0, p_setadc::UNP_A */
    ADC_UNPACKER1 = 2, /* LLK p_setadc::UNP1, p_setadc::UNP_B */
    ADC_PACKER = 4,    /* LLK p_setadc::PAC */
};

/* X and Y are of SETADCXY, Z and W of SETADCZW */
enum {
    CH0_X = 1,    /* LLK SETADC_CH0(p_setadc::X) */
    CH0_Y = 2,    /* LLK SETADC_CH0(p_setadc::Y) */
    CH1_X = 4,    /* LLK SETADC_CH1(p_setadc::X) */
    CH1_Y = 8,    /* LLK SETADC_CH1(p_setadc::Y) */
    CH0_Z = 1,    /* LLK SETADC_CH0(p_setadc::Z) */
    CH0_W = 2,    /* LLK SETADC_CH0(p_setadc::W) */
    CH1_Z = 4,    /* LLK SETADC_CH1(p_setadc::Z) */
    CH1_W = 8,    /* LLK SETADC_CH1(p_setadc::W) */
    CH_ALL = 0xF, /* LLK SETADC_CH01(p_setadc::XY) */
};

/* --- RWC: BitMask and rwc_cr of SETRWC --- */

/* FIDELITY is of BitMask only; 8 in rwc_cr is p_setrwc::C_TO_CR_MODE */
enum {
    RWC_SRCA = 1,     /* LLK p_setrwc::SET_A, p_setrwc::CR_A */
    RWC_SRCB = 2,     /* LLK p_setrwc::SET_B, p_setrwc::CR_B */
    RWC_DEST = 4,     /* LLK p_setrwc::SET_D, p_setrwc::CR_D */
    RWC_FIDELITY = 8, /* LLK p_setrwc::SET_F */
    RWC_ALL = 0xF,    /* LLK p_setrwc::SET_ABD_F */
};

/* clear_ab_vld, clear_dvalid: banks that go back to the unpackers */
enum {
    RELEASE_SRCA = 1,      /* LLK p_setrwc::CLR_A */
    RELEASE_SRCB = 2,      /* LLK p_setrwc::CLR_B */
    RELEASE_SRCA_SRCB = 3, /* LLK p_setrwc::CLR_AB */
};

/* --- unpackers --- */

/* Unpack_block_selection of UNPACR, Unpacker_Select of UNPACR_NOP */
enum {
    UNPACK_SRCA = 0, /* LLK SrcA, p_unpacr_nop::UNP0 */
    UNPACK_SRCB = 1, /* LLK SrcB, p_unpacr_nop::UNP1 */
};

/* Unpack_Pop of UNPACR_NOP */
enum {
    UNPACK_NOP_CLEAR_SRC = 1, /* LLK p_unpacr_nop::CLR_SRC */
};

/* --- Matrix Unit --- */

/* clear_mode of ZEROACC; `where` counts rows, blocks of 16 rows, halves */
enum {
    ZEROACC_ROW = 0,     /* LLK p_zeroacc::CLR_SPECIFIC */
    ZEROACC_16_ROWS = 1, /* LLK p_zeroacc::CLR_16 */
    ZEROACC_HALF = 2,    /* LLK p_zeroacc::CLR_HALF */
    ZEROACC_ALL = 3,     /* LLK p_zeroacc::CLR_ALL */
};

/* instr_mod19 of ELWADD, ELWSUB, ELWMUL: what of SrcB is used throughout */
enum {
    BROADCAST_NONE = 0,   /* LLK p_elwise::SRCB_NO_BCAST */
    BROADCAST_COLUMN = 1, /* LLK p_elwise::SRCB_BCAST_COL */
    BROADCAST_ROW = 2,    /* LLK p_elwise::SRCB_BCAST_ROW */
    BROADCAST_SCALAR = 3, /* LLK p_elwise::SRCB_BCAST_ALL */
};

/* instr_mod of MOVA2D */
enum {
    MOVA2D_1_ROW = 0,  /* LLK p_mova2d::MOV_1_ROW */
    MOVA2D_8_ROWS = 2, /* LLK p_mova2d::MOV_8_ROWS */
};

/* --- packer --- */

/* ReadIntfSel of PACR: rows of one instruction */
enum {
    PACR_4_ROWS = 0, /* LLK p_pacr::ALL_INTF_ACTIVE */
    PACR_1_ROW = 1,  /* LLK p_pacr::SINGLE_INTF_ACTIVE */
};

/* --- SFPU: LRegs, and modes of instructions --- */

/* LRegs that hold the same in all lanes, and cannot be written */
enum {
    LREG_ZERO = 9, /* LLK p_sfpu::LCONST_0 */
    LREG_ONE = 10, /* LLK p_sfpu::LCONST_1 */
};

/* instr_mod0 of SFPLOAD and SFPSTORE: what a cell of Dest holds */
enum {
    SFP_FORMAT_CONFIGURED = 0, /* LLK InstrModLoadStore::DEFAULT */
    SFP_FORMAT_FP16 = 1,       /* LLK InstrModLoadStore::FP16A */
    SFP_FORMAT_BF16 = 2,       /* LLK InstrModLoadStore::FP16B */
    SFP_FORMAT_FP32 = 3,       /* LLK InstrModLoadStore::FP32 */
    SFP_FORMAT_INT32 = 4,      /* LLK InstrModLoadStore::INT32 */
};

/* instr_mod0 of SFPLOADI; UPPER and LOWER keep the other half */
enum {
    SFPLOADI_BF16 = 0,   /* LLK sfpi::SFPLOADI_MOD0_FLOATB */
    SFPLOADI_FP16 = 1,   /* LLK sfpi::SFPLOADI_MOD0_FLOATA */
    SFPLOADI_UINT16 = 2, /* LLK sfpi::SFPLOADI_MOD0_USHORT */
    SFPLOADI_INT16 = 4,  /* LLK sfpi::SFPLOADI_MOD0_SHORT */
    SFPLOADI_UPPER = 8,  /* LLK sfpi::SFPLOADI_MOD0_UPPER */
    SFPLOADI_LOWER = 10, /* LLK sfpi::SFPLOADI_MOD0_LOWER */
};

/* instr_mod1 of SFPMAD */
enum {
    SFPMAD_NEGATE_A = 1, /* no LLK name */
    SFPMAD_NEGATE_C = 2, /* no LLK name */
};

/* instr_mod1 of SFPIADD; LT0: and the lanes' flags: which results are < 0 */
enum {
    /* LLK sfpi::SFPIADD_MOD1_ARG_IMM | sfpi::SFPIADD_MOD1_CC_LT0 */
    SFPIADD_IMMEDIATE_CC_LT0 = 1,
    SFPIADD_NO_CC = 4, /* LLK sfpi::SFPIADD_MOD1_CC_NONE */
    /* LLK sfpi::SFPIADD_MOD1_ARG_IMM | sfpi::SFPIADD_MOD1_CC_NONE */
    SFPIADD_IMMEDIATE_NO_CC = 5,
};

/*
 * imm12_math is how far to the left; lreg_c is shifted only with USE_C.  SFPI's
 * SFPSHFT_MOD1_SHIFT_IMM is 0 and its SFPSHFT_MOD1_SHIFT_LREGC is 1, the other
 * way round than in the coprocessor, so LLK's kernels write the numbers.
 */
enum {
    SFPSHFT_IMMEDIATE = 1,       /* no LLK name */
    SFPSHFT_IMMEDIATE_USE_C = 5, /* no LLK name */
};

/* lanes that take part from here on: those for which LReg lreg_c is so */
enum {
    SFPSETCC_LT0 = 0,  /* LLK sfpi::SFPSETCC_MOD1_LREG_LT0 */
    SFPSETCC_NE0 = 2,  /* LLK sfpi::SFPSETCC_MOD1_LREG_NE0 */
    SFPSETCC_GTE0 = 4, /* LLK sfpi::SFPSETCC_MOD1_LREG_GTE0 */
    SFPSETCC_EQ0 = 6,  /* LLK sfpi::SFPSETCC_MOD1_LREG_EQ0 */
};

/*
 * SFPENCC: with SET_BOTH as instr_mod1 both flags come from imm12_math; with
 * ALL_LANES there, flags are in use, and all of them are true
 */
enum {
    SFPENCC_SET_BOTH = 10, /* LLK sfpi::SFPENCC_MOD1_EI_RI */
    SFPENCC_ALL_LANES = 3, /* LLK sfpi::SFPENCC_IMM12_BOTH */
};

/* lreg_dest <= lreg_src_c afterwards */
enum {
    SFPSWAP_MIN_MAX = 1, /* LLK sfpi::SFPSWAP_MOD1_VEC_MIN_MAX */
};

/* instr_mod1 of SFP_STOCH_RND */
enum {
    /* LLK sfpi::SFPSTOCHRND_MOD1_FP32_TO_FP16B */
    SFP_STOCH_RND_FP32_TO_BF16 = 1,
};

/* instr_mod1 of SFPABS */
enum {
    SFPABS_INTEGER = 0, /* LLK sfpi::SFPABS_MOD1_INT */
    SFPABS_FLOAT = 1,   /* LLK sfpi::SFPABS_MOD1_FLOAT */
};

/* instr_mod1 of SFPARECIP */
enum {
    SFPARECIP_RECIPROCAL = 0, /* LLK sfpi::SFPARECIP_MOD1_RECIP */
};

#endif
