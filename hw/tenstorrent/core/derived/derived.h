/*
 * What is made from TensixState and kept beside it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nothing here is state: all of it can be made anew at any time, with the same
 * results.  One rule keeps it right: the function that writes a source also says
 * that it has changed, by one of the ways below, and nothing else writes them.
 * A generation is a number that grows with each change; what is made from the
 * source is kept with the generation that it was made from, and its users compare
 * the two and make it anew.  `busy`, `slow`, `exec`, `place` and summaries are used
 * without a comparison, by each word: the function below makes them anew at once.
 *
 * Source                          Written in            Says that it has changed
 * Config[bank]                    config.c              config[bank]++, and
 *                                                         tensix_update_place()
 * ThreadConfig                    SETC16                tensix_update_place()
 * Dst16b is the high half         regfile.c             config[]++, both, and
 *                                                         tensix_update_place()
 * bank of SrcA, SrcB              tensix_src_to_write() src[][]++
 * LaneConfig                      vector_*.c            tensix_vector_summarise()
 * is a macro under way            vector_*.c            tensix_set_macro_active()
 * functions of instructions       isa.c                 tensix_set_tables()
 * what `slow` asks for            frontend, core.c,     tensix_update_slow()
 *                                   trail.c
 * a thread has work               frontend, sync.c      tensix_mark_busy()
 * it may have none left           tensix_run(), reset   tensix_update_busy()
 * the MOP yields the same again   mop.c, replay.c       repeats[thread]
 * a thread waits for a change     any                   tensix_run()
 * any of it, by a snapshot, a     there                 tensix_derived_invalidate()
 *   poke or a reset
 *
 * A thread may run out of work in the middle of tensix_run(), which leaves its bit
 * of `busy` set until it returns; outside of the core all of it is up to date.
 *
 * Bits of Config that change from tile to tile (base addresses, offsets) have
 * no generation: nothing is made from them, so writing them costs nothing.
 * tensix_cfg_tile_bits() says which.
 *
 * What could go stale, and what would show it:
 *
 * - a plan that reads a bit of Config which counts as a tile's, or a writer of
 *   Config or Src that goes around config.c or tensix_src_to_write(): test-derived
 *   changes each bit of each word and each bank of Src through each writer between
 *   two uses, and compares with a core that keeps nothing;
 * - a plan that depends on anything else, which has to be part of the key:
 *   test-unpack-plan does so for ThreadConfig and operands;
 * - a summary inside of the state: of LaneConfig in TensixVectorUnit, so that
 *   copying, merging and restoring the group takes it along: test-derived;
 * - `repeats`: it becomes 0 when any other word arrives at the gate, and when MopCfg
 *   or the expansion changes; test-repeats writes MopCfg and
 *   pushes BRISC's words and REPLAYs into the middle of a MOP;
 * - `busy`, `slow` and `exec`: test-derived changes each of their sources through
 *   each writer, in a random order, compares them with those made anew after each
 *   step, and the core with one that keeps nothing;
 * - `place`: test-derived compares it with one made anew after each change of
 *   Config, of ThreadConfig and of the mode of Dst.
 */

#ifndef TENSIX_DERIVED_H
#define TENSIX_DERIVED_H

#include "tensix_core.h"

typedef TensixResult TensixExecFn(TensixCore *c, const TensixInsn *i);
typedef TensixExecFn *const TensixExecTable[256];  /* by opcode */

/* What UNPACR made of its configuration.  (unpack_plan.c) */
enum { TENSIX_UNPACK_PLANS = 2 };  /* contexts, modulo this */

typedef struct TensixUnpackPlan {
    uint64_t key;                  /* generation, and what else decided */
    uint8_t problem;               /* TensixUnpackProblem */
    uint8_t kernel, dst;           /* TensixUnpackKernelIndex, TensixUnpackDst */
    uint8_t in_format, out_format;
    uint8_t datum_bits;            /* in L1: 2, 4, 8, 16 or 32 */
    uint8_t exponent;              /* if forced */
    bool forced_exponent;
    bool own_exponents;            /* those of the tile */
    bool compressed;
    bool tilize;                   /* rows in L1 do not follow each other */
    bool to_dst, transpose;
    bool absolute_rows;            /* SRCA_SET_SetOvrdWithAddr */
    bool context_out;              /* the context has an output address */
    bool only_context_out;         /* and it counts alone */
    bool interleave;               /* upsampled cells are skipped, not zeroed */
    bool whole_rows;               /* datums are neither dropped nor inserted */
    bool row_update;               /* each UNPACR advances the row cursor */
    uint8_t upsample;              /* cells after each datum */
    uint8_t column_shift;
    uint8_t out_shift;             /* log2 of the output's bytes of a datum */
    uint8_t blobs_per_plane;
    uint32_t x_dim, y_dim, z_dim, w_dim;
    uint32_t header, row_starts, exponents;  /* bytes, before the datums */
    uint32_t row_width;            /* datums before the next row of L1 */
    uint32_t row_stride;           /* bits */
    uint32_t limit, fifo;          /* addresses above limit go back: bits */
    uint32_t out_base, y_stride, z_stride, w_stride;  /* bytes */
} TensixUnpackPlan;

/* What PACR made of one bank's configuration words.  (pack_plan.c) */
typedef struct TensixPackPlan {
    uint64_t generation;           /* of the bank's words */
    /* what a PACR of four whole rows needs, first */
    uint8_t plain;                 /* nothing but conversions */
    uint8_t exponents;             /* bytes of shared exponents */
    uint16_t bytes;                /* of four rows in L1 */
    uint8_t group;                 /* PackGroup */
    uint16_t row_mask, row_high;   /* storage row, if nothing is remapped */
    uint16_t column_bits;          /* of a datum's place, not from ADC.X */
    uint8_t remaps;                /* rows of Dst are remapped */
    /* of the input address, in bytes; a datum has 1 << shift */
    uint32_t shift, base, x_stride, y_stride, z_stride, w_stride;
    uint8_t rows;                  /* of an xy plane, for the tile position */
    uint8_t transposed;            /* the tile position counts faces first */
    uint8_t format;                /* Out_data_format */
    uint8_t early, family;         /* PackEarlyChoice */
    uint8_t wide;                  /* reads 32-bit rows of Dst */
    uint8_t descales;              /* INT_DESCALE may apply */
    uint8_t late, bits, shared_exponent;  /* PackLateChoice */
    uint8_t defined;               /* both conversions are */
    uint8_t filters;               /* edge masks, ReLU or exponent threshold */
    uint8_t accumulates;           /* Pack_L1_Acc */
    uint8_t from_cells;            /* tensix_pack_share_cells() will do */
    uint8_t auto_last;             /* Auto_set_last_pacr_intf_sel */
    uint16_t problems;             /* bit each: what there is to report */
    uint16_t keep;                 /* columns, after downsampling */
} TensixPackPlan;

/*
 * What the Matrix Unit made of rows of SrcA and SrcB.  (matrix_planes.c)
 *
 * A dot product has two groups of eight terms.  Term q of one group and term q
 * of the other lie side by side as 16-bit elements.
 */
enum {
    TENSIX_GROUPS = 2,
    TENSIX_GROUP_TERMS = 8,
    TENSIX_PLANE_PHASES = 2,       /* values of the phase bit of an operand */
    TENSIX_PLANES_A = TENSIX_SRC_ROWS / (TENSIX_GROUPS * TENSIX_GROUP_TERMS),
    TENSIX_PLANES_B = TENSIX_SRC_ROWS / 8,
};

/*
 * 16 rows of SrcA: element 2j + g of row q is term 8g + q of column j.  Beside the
 * exponents there are either numbers of the host, or integers.
 */
typedef struct TensixPlanesA {
    int16_t exponent[TENSIX_GROUP_TERMS][TENSIX_GROUPS * TENSIX_COLUMNS]
        __attribute__((aligned(TENSIX_VECTOR_ALIGN)));
    union {
        float value[TENSIX_PLANE_PHASES][TENSIX_GROUPS][TENSIX_GROUP_TERMS]
                   [TENSIX_COLUMNS];
        struct {
            int16_t sign[TENSIX_GROUP_TERMS][TENSIX_GROUPS * TENSIX_COLUMNS];
            int16_t mantissa[TENSIX_PLANE_PHASES][TENSIX_GROUP_TERMS]
                            [TENSIX_GROUPS * TENSIX_COLUMNS];
        };
    };
    bool has_values;
    uint64_t made;                 /* its number among all planes */
} TensixPlanesA;

/* Eight rows of SrcB: element 2q + g of each is its term 8g + q. */
typedef struct TensixPlanesB {
    int16_t exponent[8][TENSIX_COLUMNS]
        __attribute__((aligned(TENSIX_VECTOR_ALIGN)));
    union {
        float value[TENSIX_PLANE_PHASES][TENSIX_GROUPS][8][TENSIX_GROUP_TERMS];
        struct {
            int16_t sign[8][TENSIX_COLUMNS];
            int16_t mantissa[TENSIX_PLANE_PHASES][8][TENSIX_COLUMNS];
        };
    };
    bool has_values;
    uint64_t made;
} TensixPlanesB;

/*
 * Largest exponents of the products of two planes, of which these are the numbers:
 * element 2j + g of row k is that of group g in SrcB's row k and column j.
 */
typedef struct TensixPlanePair {
    int16_t largest[8][TENSIX_GROUPS * TENSIX_COLUMNS]
        __attribute__((aligned(TENSIX_VECTOR_ALIGN)));
    uint64_t made_a, made_b;
} TensixPlanePair;

/* From which rows and how, and from which generation of the bank. */
typedef struct TensixPlaneKey {
    uint64_t generation;
    uint32_t how;
} TensixPlaneKey;

typedef struct TensixPlanes {
    /* by index into a and b */
    TensixPlaneKey key[TENSIX_SRCS][TENSIX_SRC_BANKS][TENSIX_PLANES_B];
    TensixPlanesA a[TENSIX_SRC_BANKS][TENSIX_PLANES_A];
    TensixPlanesB b[TENSIX_SRC_BANKS][TENSIX_PLANES_B];
    TensixPlanePair pair[TENSIX_PLANES_A][TENSIX_PLANES_B];  /* of any banks */
    uint64_t made;                 /* the last plane's number */
} TensixPlanes;

/*
 * What each Matrix and Vector Unit instruction of a thread would look up in the
 * thread's ThreadConfig and its bank of Config.
 */
typedef struct TensixPlace {
    uint32_t dst_base;             /* rows, added to RWC Dst; not masked */
    uint32_t sp_base;              /* rows, added to RWC Sp; not masked */
    uint8_t moves;                 /* bit n: AddrMod n changes a counter */
    uint8_t straight;              /* rows of Dst16b lie where their number says */
    uint8_t forced;                /* to FP16, by FP16A_FORCE */
    uint8_t integers;              /* the Matrix Unit's operands, else */
    uint8_t fp32;                  /* Dst32b, else */
    uint8_t flush_b;               /* SrcB with exponent 0 is 0 */
    uint8_t phase;                 /* added to RWC FidelityPhase; not masked */
    uint8_t format[TENSIX_SRCS];   /* of a bank, or TENSIX_FORMAT_IMPLIED */
} TensixPlace;

/* Dst16b, and FP16A_FORCE is off. */
static inline bool tensix_place_is_narrow(const TensixPlace *place)
{
    return !(place->forced | place->integers | place->fp32);
}

enum { TENSIX_FORMAT_IMPLIED = 0xff };

typedef struct TensixDerived {
    uint32_t busy;                 /* bit per thread: work in its pipeline */
    uint32_t slow;                 /* likewise: no fast path past it */
    uint32_t settled;              /* likewise: waits for a change (schedule.c) */
    /* minimum number of times that the MOP yields the word at the gate again */
    uint32_t repeats[TENSIX_THREADS];
    TensixExecFn *const *exec;     /* by opcode; other ones beside a macro */
    TensixPlace place[TENSIX_THREADS];
    /* generations; 0 is none, so that what is all zero has not been made */
    uint64_t config[TENSIX_CFG_BANKS];
    uint64_t src[TENSIX_SRCS][TENSIX_SRC_BANKS];
    TensixPackPlan pack_plan[TENSIX_CFG_BANKS];
    TensixUnpackPlan unpack_plan[TENSIX_CFG_BANKS][TENSIX_SRCS]
                                [TENSIX_UNPACK_PLANS];
    TensixPlanes planes;
} TensixDerived;

/*
 * Bits of a word of Config, 0..TENSIX_CFG_WORDS - 1, from which nothing is made,
 * because they change with each tile: users read them as they are.
 */
uint32_t tensix_cfg_tile_bits(uint32_t word);

/* Recomputes lane_config_any: every writer of lane_config calls it. */
void tensix_vector_summarise(TensixVectorUnit *vu);

/*
 * Anything of the state may have been written: summaries and masks are made
 * anew, and every source has a new generation.
 */
void tensix_derived_invalidate(TensixCore *c);

#endif
