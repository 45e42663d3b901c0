/*
 * What the parts of the matrix unit's oracle share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MATRIX_ORACLE_INTERNAL_H
#define MATRIX_ORACLE_INTERNAL_H

#include "matrix-oracle.h"

enum {
    OP_MOVD2A = 0x08, OP_MOVD2B = 0x0a, OP_MOVB2A = 0x0b, OP_MOVA2D = 0x12,
    OP_MOVB2D = 0x13, OP_TRNSPSRCB = 0x16, OP_SHIFTXB = 0x18, OP_MVMUL = 0x26,
    OP_MOVDBGA2D = 0x09, OP_MOVDBGB2D = 0x0c,
    OP_ELWMUL = 0x27, OP_ELWADD = 0x28, OP_DOTPV = 0x29, OP_ELWSUB = 0x30,
    OP_GMPOOL = 0x33, OP_GAPOOL = 0x34,
};

enum { FMT_FP16 = 1, FMT_TF32 = 4 };

typedef enum Kind { KIND_BF16, KIND_FP16, KIND_TF32, KIND_INT8 } Kind;

typedef struct Context {
    TensixState *s;
    unsigned thread;
    uint32_t word;
    unsigned bank_a, bank_b;
    unsigned format_a;
    Kind kind;                     /* of the operation */
    bool wide, keep_b;
    unsigned phase;
} Context;

static inline uint32_t bits(uint32_t x, unsigned low, unsigned width)
{
    return (x >> low) & ((1ull << width) - 1);
}

uint32_t oracle_dst_first(const Context *c, unsigned count);

Kind oracle_kind_of(unsigned format);

uint32_t oracle_dst_read(const Context *c, unsigned row, unsigned j, bool wide,
    uint32_t undefined);

void oracle_dst_validate(const Context *c, unsigned row, bool wide);

void oracle_dst_write(const Context *c, unsigned row, unsigned j, bool wide,
    uint32_t x);

/* Executes a move; false if the word is none. */
bool oracle_move(const Context *c, unsigned opcode);

#endif
