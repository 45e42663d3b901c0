/*
 * Vector Unit: what SFPLOADMACRO is configured to schedule.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md.
 */

#ifndef TENSIX_VECTOR_MACRO_H
#define TENSIX_VECTOR_MACRO_H

#include "vector/vector_decode.h"

/* One byte a sub-unit in LoadMacroConfig.Sequence. */
enum {
    SEQ_KIND = 7,
    SEQ_DELAY_LOW = 3,
    SEQ_DELAY = 7,
    SEQ_VD_16 = 1 << 6,
    SEQ_VB = 1 << 7,               /* VB, not VC, is the loaded register; */
    SEQ_KEEP_VD = 1 << 7,          /* for stores: the template's VD */
    SEQ_BITS = 8,
};

enum {
    KIND_NONE = 0,
    KIND_UNDEFINED = 1,
    KIND_NOP = 2,
    KIND_STORE = 3,
    KIND_TEMPLATE = 4,             /* 4..7 */
};

/* What one lane's configuration says about one sub-unit of one macro. */
typedef struct TensixMacroPlan {
    uint32_t sequence;             /* the sub-unit's byte */
    uint32_t word;
    uint32_t misc;
} TensixMacroPlan;

/* macro, unit 0..3: of the lane.  Its word may be for another sub-unit. */
static inline TensixMacroPlan tensix_vector_macro_plan(const TensixLoadMacro *config,
                                                       uint32_t macro, uint32_t unit,
                                                       unsigned lane)
{
    TensixMacroPlan p = {
        .sequence = config->sequence[macro][lane] >> (unit * SEQ_BITS) & 0xff,
        .misc = config->misc[lane],
    };
    uint32_t kind = p.sequence & SEQ_KIND;

    if (kind >= KIND_TEMPLATE) {
        p.word = config->instruction_template[kind - KIND_TEMPLATE][lane];
    } else {
        p.word = kind == KIND_STORE ? TT(SFPSTORE) : TT(SFPNOP);
    }
    return p;
}

/* Cycles before its own one, 0..7. */
static inline uint32_t tensix_vector_macro_delay(const TensixMacroPlan *p)
{
    return p->sequence >> SEQ_DELAY_LOW & SEQ_DELAY;
}

/* Which macro an SFPLOADMACRO's word names, 0..3. */
static inline uint32_t tensix_vector_macro_index(uint32_t word)
{
    return TENSIX_FIELD(word, SFPLOADMACRO, lreg_ind) >> 2;
}

/* The LReg that it loads, 0..7: the index has its high bit in the address. */
static inline uint32_t tensix_vector_macro_vd(uint32_t word)
{
    return (TENSIX_FIELD(word, SFPLOADMACRO, lreg_ind) & 3) |
           (TENSIX_FIELD(word, SFPLOADMACRO, dest_reg_addr) & 1) << 2;
}

#endif
