/*
 * Matrix Unit (FPU): what its instruction files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An instruction is: ask tensix_matrix_waits() for the banks it needs; resolve
 * formats and modes into a MatrixMode; find the rows of Dst with
 * tensix_matrix_rows(); let a kernel compute them; end with
 * tensix_matrix_finish().  Nothing is changed before the wait is over.
 */

#ifndef TENSIX_MATRIX_H
#define TENSIX_MATRIX_H

#include "num/num.h"
#include "observe/note.h"
#include "regs/regfile.h"
#include "config/config.h"

/* A cell of SrcA or SrcB: S[18] M[17:8] E[7:0] (spec 000, 2.2). */
enum {
    SRC_EXP_MASK = 0xff,
    SRC_EXP5_MASK = 0x1f,
    SRC_MAN_LOW = 8,
    SRC_MAN_MASK = 0x3ff,
    SRC_MAN7_MASK = 0x3f8,
    SRC_HIDDEN = 0x400,
    SRC_SIGN_LOW = 18,
    SRC_INT8_FOREIGN = 0xef,       /* exponent bits that integer "8" never has */
};

enum {
    MATRIX_WAIT_A = 1 << TENSIX_SRCA,
    MATRIX_WAIT_B = 1 << TENSIX_SRCB,
    MATRIX_K = 16,                 /* terms of a dot product */
    MATRIX_ROWS = 8,               /* of Dst, at most */
    MATRIX_POOL_ROWS = 4,
    MATRIX_BLOCK = 4,              /* aligned rows of Dst that lie together */
};

/* How a bank's cells are read. */
typedef enum MatrixStyle {
    MATRIX_BF16,
    MATRIX_FP16,
    MATRIX_TF32,
    MATRIX_INT8,
} MatrixStyle;

/* Formats and modes of one instruction (WH MVMUL.md, "data formats"). */
typedef struct MatrixMode {
    MatrixStyle style;             /* of SrcA, and of the operation */
    bool wide;                     /* Dst holds 32 bits */
    bool flush_b;                  /* SrcB with exponent 0 is 0; SrcA always */
    uint32_t phase;                /* fidelity phase 0..3 */
    uint32_t exp_mask;             /* of a cell's exponent, both operands */
} MatrixMode;

/*
 * Rows of Dst that an instruction writes, 16-bit cells in storage order: row k
 * is row k * step of two blocks of MATRIX_BLOCK neighbours.
 */
typedef struct MatrixRows {
    uint16_t (*block[MATRIX_ROWS / MATRIX_BLOCK])[TENSIX_COLUMNS];
    uint32_t count, step;
} MatrixRows;

/* Row k of them: 16-bit cells, or high halves; if wide, their low halves. */
static inline uint16_t *tensix_matrix_high(const MatrixRows *rows, uint32_t k)
{
    uint32_t n = k * rows->step;

    return rows->block[n / MATRIX_BLOCK][n % MATRIX_BLOCK];
}

static inline uint16_t *tensix_matrix_low(const MatrixRows *rows, uint32_t k)
{
    return tensix_matrix_high(rows, k) + DST_LOW_HALF_ROWS * TENSIX_COLUMNS;
}

/* Rows of SrcB for a dot product with each of those: first, first + step... */
typedef struct MatrixRowsB {
    uint32_t first;                /* row 0..63; with step 1 a multiple of 8 */
    uint32_t step;                 /* 0: the same row for all; or 1 */
} MatrixRowsB;

/* What ELWADD, ELWSUB and ELWMUL do with the two operands. */
typedef enum MatrixElw {
    MATRIX_ELW_ADD,
    MATRIX_ELW_SUB,
    MATRIX_ELW_MUL,
} MatrixElw;

/* One element-wise operation: operands by row, and what is broadcast. */
typedef struct MatrixElwOp {
    const uint32_t (*a)[TENSIX_COLUMNS];    /* eight rows */
    const uint32_t *b;             /* SrcB's first row */
    uint32_t b_step;               /* columns to the next one; 0: the same for all */
    bool b_column0;                /* SrcB's column 0 is used for all */
    bool accumulate;               /* += instead of = */
    MatrixElw op;
} MatrixElwOp;

/* The Matrix Unit's bank of SrcA or SrcB, to be read or written. */
static inline const TensixSrcRow *tensix_matrix_src(const TensixCore *c,
                                                    uint32_t src)
{
    return tensix_src_rows(c, src, c->s.matrix_bank[src]);
}

static inline TensixSrcRow *tensix_matrix_src_to_write(TensixCore *c,
                                                       uint32_t src)
{
    return tensix_src_to_write(c, src, c->s.matrix_bank[src]);
}

/* Magnitude bits of integer "8" that a phase uses (WH SrcASrcB.md). */
static inline uint32_t tensix_matrix_int8_mask_a(uint32_t phase)
{
    return phase & 1 ? 0x01f : 0x0e0;
}

static inline uint32_t tensix_matrix_int8_mask_b(uint32_t phase)
{
    return phase & 2 ? 0x00f : 0x3f0;
}

/*
 * Bits in the exponents of a row's first cells, `count` of them, that show that
 * they are no integers: theirs is 16, or 0 (WH SrcASrcB.md).
 */
static inline uint32_t tensix_matrix_foreign(const uint32_t *cells,
                                             uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t j = 0; j < count; j++) {
        any |= cells[j];
    }
    return any & SRC_INT8_FOREIGN;
}

/* --- matrix_common.c --- */

/* The report of such cells. */
void tensix_matrix_report_foreign(TensixCore *c, const TensixInsn *i)
    TENSIX_ISA_SYMBOL("tensix_matrix_report_foreign");

/* Zero_Flag_disabled_src in arithmetic (tt-metal issue 53652). */
void tensix_matrix_report_kept_zeroes(TensixCore *c, const TensixInsn *i)
    TENSIX_ISA_SYMBOL("tensix_matrix_report_kept_zeroes");

/* Notes that i must wait for the current bank of `src`.  Always true. */
bool tensix_matrix_must_wait(TensixCore *c, const TensixInsn *i, uint32_t src)
    TENSIX_ISA_SYMBOL("tensix_matrix_must_wait");

/*
 * Must i wait for the banks (MATRIX_WAIT_*) to be given to the Matrix Unit?
 * True: TENSIX_RETRY has been noted, and nothing else done.
 */
static inline bool tensix_matrix_waits(TensixCore *c, const TensixInsn *i,
                                       uint32_t banks)
{
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        if (banks >> src & 1 &&
            !tensix_src_owned_by(c, src, c->s.matrix_bank[src],
                                 TENSIX_CLIENT_MATRIX_UNIT)) {
            return tensix_matrix_must_wait(c, i, src);
        }
    }
    c->s.src_read |= banks;
    return false;
}

/*
 * Format numbers that hold for the Matrix Unit's current banks: the implied
 * ones unless DISABLE_IMPLIED_SRC*_FMT (WH SrcASrcB.md, Blackhole only).
 */
static inline uint32_t tensix_matrix_format(const TensixCore *c, uint32_t thread,
                                            uint32_t src)
{
    uint32_t format = c->derived.place[thread].format[src];

    return format != TENSIX_FORMAT_IMPLIED
           ? format
           : c->s.src_format[src][c->s.matrix_bank[src] & SRC_BANK_MASK];
}

static inline uint32_t tensix_matrix_format_a(const TensixCore *c, uint32_t thread)
{
    return tensix_matrix_format(c, thread, TENSIX_SRCA);
}

static inline uint32_t tensix_matrix_format_b(const TensixCore *c, uint32_t thread)
{
    return tensix_matrix_format(c, thread, TENSIX_SRCB);
}

/* 12 and 13 are no formats. */
static inline bool tensix_matrix_format_exists(uint32_t format)
{
    return format >> 1 != 12 >> 1;
}

/* Style of a format number of SrcA. */
static inline MatrixStyle tensix_matrix_style(uint32_t format)
{
    if (format == TENSIX_FMT_TF32) {
        return MATRIX_TF32;
    }
    return tensix_num_format_is_bf16(format) ? MATRIX_BF16 : MATRIX_FP16;
}

/*
 * Formats and modes of a computing instruction; reports odd combinations.  Not
 * a value: a copy would wait for the fields to be stored one by one.
 */
void tensix_matrix_mode(TensixCore *c, const TensixInsn *i, MatrixMode *m)
    TENSIX_ISA_SYMBOL("tensix_matrix_mode");

/*
 * `count` rows of Dst from logical row `first`, a multiple of MATRIX_BLOCK, on,
 * `step` 1 or 2 apart, for writing: they become valid, and undefined ones are
 * filled with `identity` (0 or 0xffff), which is what the Matrix Unit reads
 * there.
 */
void tensix_matrix_rows(TensixCore *c, uint32_t thread, MatrixRows *rows,
                        uint32_t first, uint32_t count, uint32_t step,
                        bool wide, uint16_t identity)
    TENSIX_ISA_SYMBOL("tensix_matrix_rows");

/* The same rows, as far as they are read as well: before tensix_matrix_rows(). */
#define MATRIX_READS_ROWS(...) TENSIX_NOTE(tensix_matrix_note_reads(__VA_ARGS__))
void tensix_matrix_note_reads(TensixCore *c, uint32_t thread, uint32_t first,
                              uint32_t count, uint32_t step, bool wide)
    TENSIX_ISA_SYMBOL("tensix_matrix_note_reads");

/*
 * SETRWC's and the computing instructions' release of banks: bit 0 SrcA, bit 1
 * SrcB.  (matrix_ctl.c)
 */
void tensix_matrix_release(TensixCore *c, uint32_t thread, uint32_t clear)
    TENSIX_ISA_SYMBOL("tensix_matrix_release");

/* End of a computing instruction: gives banks back, advances the counters. */
static inline TensixResult tensix_matrix_finish(TensixCore *c, uint32_t thread,
                                                uint32_t clear_dvalid,
                                                uint32_t addr_mode)
{
    if (clear_dvalid) {
        tensix_matrix_release(c, thread, clear_dvalid);
    }
    c->s.last_row_a = c->s.rwc[thread].SrcA;
    tensix_apply_addr_mod(c, thread, addr_mode);
    return TENSIX_DONE;
}

/* --- matrix_planes.c --- */

/*
 * Rows decoded for the mode, in all phases: 16 rows of the current bank of
 * SrcA, from `row` on, a multiple of 8; or the eight rows of SrcB around `row`.
 * Decoding, which is done once for each change of the bank, reports for i rows
 * beyond SrcA's last and cells of other formats read as integers, in SrcA or in
 * `row` of SrcB.  Other rows of SrcB may hold anything, if no result is wanted.
 */
const TensixPlanesA *tensix_matrix_planes_a(TensixCore *c, const TensixInsn *i,
                                            const MatrixMode *mode,
                                            uint32_t row)
    TENSIX_ISA_SYMBOL("tensix_matrix_planes_a");
const TensixPlanesB *tensix_matrix_planes_b(TensixCore *c, const TensixInsn *i,
                                            const MatrixMode *mode,
                                            uint32_t row)
    TENSIX_ISA_SYMBOL("tensix_matrix_planes_b");

/*
 * The same rows of the current banks, which must be decoded for the mode, with
 * integers instead of numbers of the host.
 */
void tensix_matrix_planes_as_integers(TensixCore *c, const MatrixMode *mode,
                                      uint32_t row_a, uint32_t row_b)
    TENSIX_ISA_SYMBOL("tensix_matrix_planes_as_integers");

/* --- matrix_dot.c --- */

/*
 * rows += SrcB @ SrcA, the body of MVMUL, DOTPV and GAPOOL (WH MVMUL.md), with
 * the current banks' 16 rows of SrcA from row_a on, a multiple of 8.
 */
void tensix_matrix_multiply(TensixCore *c, const TensixInsn *i,
                            const MatrixMode *mode,
                            const MatrixRows *rows, uint32_t row_a,
                            const MatrixRowsB *rows_b)
    TENSIX_ISA_SYMBOL("tensix_matrix_multiply");

/* --- matrix_elw32.c --- */

/*
 * The element-wise operation on eight rows, floating point, where Dst has 32
 * bits (WH ELWADD.md).
 */
void tensix_matrix_elw_float(const MatrixMode *mode, const MatrixRows *rows,
                             const MatrixElwOp *op)
    TENSIX_ISA_SYMBOL("tensix_matrix_elw_float");

/* The same where Dst has 16 bits.  (matrix_elw16.c) */
void tensix_matrix_elw_float16(const MatrixMode *mode, const MatrixRows *rows,
                               const MatrixElwOp *op)
    TENSIX_ISA_SYMBOL("tensix_matrix_elw_float16");

/* The same on integer "8" cells. */
void tensix_matrix_elw_int8(const MatrixMode *mode, const MatrixRows *rows,
                            const MatrixElwOp *op)
    TENSIX_ISA_SYMBOL("tensix_matrix_elw_int8");

#endif
