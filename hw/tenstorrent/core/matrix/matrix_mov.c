/*
 * Matrix Unit: moves between register files, transposition and shifts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MOVA2D.md, MOVB2D.md, MOVD2A.md, MOVD2B.md, MOVB2A.md, MOVDBGA2D.md,
 * TRNSPSRCB.md, SHIFTXA.md, SHIFTXB.md and CLREXPHIST.md, with the Blackhole
 * parts of those pages; SrcB's moves as core/DEVIATIONS.md says.
 */

#include "matrix/matrix.h"
#include "num/simd.h"
#include "config/config.h"
#include "regs/regfile.h"
#include "vector/vector.h"

/* instr_mod of the moves; MOVB2D's has its own. */
enum {
    MOV_BLOCK = 1 << 1,            /* four or eight rows instead of one */
    MOVB2D_COLUMN0 = 1 << 0,
    MOVB2D_ROW_TO_8 = 1 << 1,
    MOVB2D_4_ROWS = 1 << 2,
};

/* The same of MOVD2A's word. */
enum {
    MOVE_BLOCK = MOV_BLOCK << TENSIX_MOVD2A_instr_mod_LOW,
    MOVE_BLOCK_OR_LOW = MOVE_BLOCK | 1 << TENSIX_MOVD2A_dest_32b_lo_LOW,
};

enum { SHIFTXA_RIGHT = 2, SHIFTXA_LEFT = 3, SHIFTXA_ROWS = 16 };
enum { TRANSPOSE_FIRST = 16, TRANSPOSE_SIZE = 16 };
enum { BLOCK_DEST_MOV_MASK = 3 };

/* How a move changes cells on their way. */
typedef struct MoveMode {
    uint32_t flush;                /* all ones: exponent 0 makes zero */
    bool fp16;                     /* 5-bit exponents in Dst */
    bool wide;                     /* Dst takes 32 bits */
    bool low;                      /* only the low 16 of them */
    uint32_t blocked;              /* bit a column: not moved */
} MoveMode;

/*
 * Columns that LaneConfig's BLOCK_DEST_MOV takes out: two bits in each of the
 * first eight lanes.
 */
static __attribute__((noinline)) uint32_t columns_taken_out(const TensixCore *c)
{
    const uint32_t *config = c->s.vu.lane_config;
    uint32_t columns = 0;

    for (uint32_t lane = 0; lane < TENSIX_COLUMNS / 2; lane++) {
        columns |= (config[lane] >> VECTOR_BLOCK_DEST_MOV_LOW &
                    BLOCK_DEST_MOV_MASK)
                   << 2 * lane;
    }
    return columns;
}

static inline uint32_t blocked_columns(const TensixCore *c)
{
    const uint32_t any = BLOCK_DEST_MOV_MASK << VECTOR_BLOCK_DEST_MOV_LOW;

    return __builtin_expect(c->s.vu.lane_config_any & any, 0)
               ? columns_taken_out(c) : 0;
}

/* --- cells (spec 000, 1.3 and 2.2) --- */

SIMD_INLINE SimdI cell_to_bf16(SimdI x)
{
    return (x >> 3 & 0xff00) | (x & 0xff);
}

SIMD_INLINE SimdI cell_to_fp16(SimdI x)
{
    return (x >> 3 & 0xffe0) | (x & 0x1f);
}

/* The three mantissa bits that BF16 has not, where FP32 has them in Dst. */
SIMD_INLINE SimdI cell_to_low(SimdI x)
{
    return (x >> SRC_MAN_LOW & 7) << 13;
}

SIMD_INLINE SimdI cells_read(const uint32_t *cells, const MoveMode *m)
{
    SimdI x = (SimdI)simd_load(cells);
    SimdI zero = ((x & SRC_EXP_MASK) == 0) & (int32_t)m->flush;

    return x & ~zero;
}

/* One row of cells to 16-bit rows of Dst; low as well if it is wide. */
SIMD_INLINE void row_to_dst(uint16_t *high, uint16_t *low,
                            const uint32_t *cells, const MoveMode *m)
{
    SIMD_EACH_COLUMN(j) {
        SimdI x = cells_read(&cells[j], m);

        simd_store_half(&high[j], m->fp16 ? cell_to_fp16(x) : cell_to_bf16(x));
        if (m->wide) {
            simd_store_half(&low[j], cell_to_low(x));
        }
    }
}

static void copy_row(uint16_t *to, const uint16_t *from, uint32_t blocked)
{
    for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
        to[j] = blocked >> j & 1 ? to[j] : from[j];
    }
}

/*
 * Row of Dst16b, or of Dst32b, or the low half of one.  The pages' low-half
 * write keeps the high half, which reads as zero if the row was undefined.
 */
static void store_row(TensixCore *c, uint32_t thread, uint32_t row,
                      const uint32_t *cells, const MoveMode *m)
{
    bool wide = m->wide || m->low;
    uint32_t at = wide ? tensix_dst_adj32(c, thread, row)
                       : tensix_dst_adj16(c, thread, row);
    uint16_t *high = c->s.dst[at];
    uint16_t *low = c->s.dst[at + (wide ? DST_LOW_HALF_ROWS : 0)];
    uint16_t new_high[TENSIX_COLUMNS], new_low[TENSIX_COLUMNS] = { 0 };

    TENSIX_WRITES_DST(c, at, 1);
    if (wide) {
        TENSIX_WRITES_DST(c, at + DST_LOW_HALF_ROWS, 1);
        TENSIX_WIDE_DST(c, at, 1);
    }
    if (m->low && !c->s.dst_row_valid[at]) {
        copy_row(high, new_low, m->blocked);
    }
    c->s.dst_row_valid[at] = 1;
    if (!m->blocked && !m->low) {
        row_to_dst(high, low, cells, m);
        return;
    }
    row_to_dst(new_high, new_low, cells, m);
    if (m->low) {
        copy_row(low, new_high, m->blocked);
        return;
    }
    copy_row(high, new_high, m->blocked);
    if (m->wide) {
        copy_row(low, new_low, m->blocked);
    }
}

/* Whole rows of 16 bits: they may be stored by blocks. */
static bool stores_blocks(const MoveMode *m)
{
    return !m->wide && !m->low && !m->blocked;
}

/* A block of rows of Dst16b; the modes are constants where it is called. */
SIMD_INLINE void cells_to_block(uint16_t *to, const uint32_t *from, bool flush,
                                bool fp16)
{
    const MoveMode m = { .flush = flush ? UINT32_MAX : 0 };

    for (uint32_t j = 0; j < MATRIX_BLOCK * TENSIX_COLUMNS;
         j += 2 * SIMD_LANES) {
        SimdI x = cells_read(&from[j], &m);
        SimdI y = cells_read(&from[j + SIMD_LANES], &m);

        simd_store16(&to[j], (SimdI16)simd_narrow16(
            fp16 ? cell_to_fp16(x) : cell_to_bf16(x),
            fp16 ? cell_to_fp16(y) : cell_to_bf16(y)));
    }
}

static void store_block(uint16_t *to, const uint32_t *from, const MoveMode *m)
{
    if (m->fp16) {
        if (m->flush) {
            cells_to_block(to, from, true, true);
        } else {
            cells_to_block(to, from, false, true);
        }
    } else if (m->flush) {
        cells_to_block(to, from, true, false);
    } else {
        cells_to_block(to, from, false, false);
    }
}

/* Eight rows of Dst16b from whole cells of eight rows of SrcA. */
static void store_8_rows(TensixCore *c, uint32_t thread, uint32_t row,
                         const TensixSrcRow *cells, const MoveMode *m)
{
    for (uint32_t k = 0; k < MATRIX_ROWS; k += MATRIX_BLOCK) {
        uint32_t at = tensix_dst_adj16(c, thread, row + k);

        TENSIX_WRITES_DST(c, at, MATRIX_BLOCK);
        memset(&c->s.dst_row_valid[at], 1, MATRIX_BLOCK);
        store_block(c->s.dst[at], cells[k], m);
    }
}

/*
 * Modes of a move to Dst.  `format` decides how wide the exponents are and
 * whether Dst takes 32 bits; low is UseDst32bLo.  Where Dst accumulates in
 * FP32, Blackhole moves cells as TF32 whatever their format is, where it
 * accumulates integers, with 8-bit exponents (MOVA2D and MOVB2D, 88d4bf9);
 * UseDst32bLo with Fp32_enabled is undefined, and goes by the format here, as
 * ttsim's MOVA2D does.
 */
static inline MoveMode mode_to_dst(TensixCore *c, const TensixInsn *i,
                                   uint32_t format, bool low)
{
    uint32_t t = i->thread;
    bool force = THREAD_CFG_GET(c, t, FP16A_FORCE_Enable);
    bool tf32 = CFG_GET(c, t, ALU_ACC_CTRL_Fp32_enabled) && !force && !low;
    bool exp8 = tf32 || CFG_GET(c, t, ALU_ACC_CTRL_INT8_math_enabled);
    MoveMode m = {
        .flush = CFG_GET(c, t, ALU_ACC_CTRL_Zero_Flag_disabled_src)
                     ? 0
                     : UINT32_MAX,
        .fp16 = force || (!exp8 && tensix_matrix_style(format) == MATRIX_FP16),
        .wide = tf32 || format == TENSIX_FMT_TF32,
        .low = low,
        .blocked = blocked_columns(c),
    };

    if (low && (m.wide || (CFG_GET(c, t, ALU_ACC_CTRL_Fp32_enabled) &&
                           !force))) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "dest_32b_lo with %s (erratum TEN-4245)",
                         m.wide ? "TF32" : "Fp32_enabled");
        m.low = !m.wide;
    }
    if (!tensix_matrix_format_exists(format)) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "there is no format %u for a move to Dest: taken for "
                         "FP16", (unsigned)format);
    }
    return m;
}

static uint32_t dst_row(const TensixCore *c, uint32_t thread, uint32_t row,
                        uint32_t rows)
{
    return (row + tensix_dst_base(c, thread)) & (DST_ROW_MASK + 1 - rows);
}

/* MOVA2D's body; MOVDBGA2D is the same but for the wait. */
static TensixResult move_a_to_d(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    const TensixSrcRow *rows = tensix_matrix_src(c, TENSIX_SRCA);
    bool block = OPERAND(i, MOVA2D, instr_mod) & MOV_BLOCK;
    uint32_t count = block ? MATRIX_ROWS : 1;
    uint32_t to = dst_row(c, t, OPERAND(i, MOVA2D, dst), count);
    uint32_t from = (OPERAND(i, MOVA2D, src) + c->s.rwc[t].SrcA) &
                    (TENSIX_SRC_ROWS - count);
    MoveMode m = mode_to_dst(c, i, tensix_matrix_format_a(c, t),
                             OPERAND(i, MOVA2D, dest_32b_lo));

    TENSIX_READS_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA], from, count);
    if (block && stores_blocks(&m)) {
        store_8_rows(c, t, to, &rows[from], &m);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            store_row(c, t, to + k, rows[from + k], &m);
        }
    }
    c->s.last_row_a = from;
    tensix_apply_addr_mod(c, t, OPERAND(i, MOVA2D, addr_mode));
    return TENSIX_DONE;
}

TensixResult tensix_exec_MOVA2D(TensixCore *c, const TensixInsn *i)
{
    return tensix_matrix_waits(c, i, MATRIX_WAIT_A) ? TENSIX_RETRY
                                                    : move_a_to_d(c, i);
}

TensixResult tensix_exec_MOVDBGA2D(TensixCore *c, const TensixInsn *i)
{
    return move_a_to_d(c, i);
}

/*
 * The format that MOVB2D and MOVD2B go by: SrcB's implied one, unless implied
 * formats are disabled for SrcA; then it is SrcA's configured one.
 */
static uint32_t format_of_b_moves(const TensixCore *c, uint32_t thread)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCB] & SRC_BANK_MASK;
    uint32_t format = c->derived.place[thread].format[TENSIX_SRCA];

    return format != TENSIX_FORMAT_IMPLIED ? format
                                           : c->s.src_format[TENSIX_SRCB][bank];
}

/* One row of cells to eight rows of Dst16b. */
static void store_8_times(TensixCore *c, uint32_t thread, uint32_t row,
                          const uint32_t *cells, const MoveMode *m)
{
    uint16_t moved[TENSIX_COLUMNS];

    row_to_dst(moved, moved, cells, m);
    for (uint32_t k = 0; k < MATRIX_ROWS; k += MATRIX_BLOCK) {
        uint32_t at = tensix_dst_adj16(c, thread, row + k);

        TENSIX_WRITES_DST(c, at, MATRIX_BLOCK);
        memset(&c->s.dst_row_valid[at], 1, MATRIX_BLOCK);
        for (uint32_t n = 0; n < MATRIX_BLOCK; n++) {
            memcpy(c->s.dst[at + n], moved, sizeof(moved));
        }
    }
}

/* Rows of Dst from SrcB: `step` 0 repeats the first one. */
static void move_b_rows(TensixCore *c, uint32_t thread, uint32_t to,
                        uint32_t from, uint32_t count, uint32_t step,
                        bool column0, const MoveMode *m)
{
    const TensixSrcRow *rows = tensix_matrix_src(c, TENSIX_SRCB);

    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB], from,
                     step ? count : 1);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *row = rows[from + k * step];
        uint32_t same[TENSIX_COLUMNS];

        for (uint32_t j = 0; column0 && j < TENSIX_COLUMNS; j++) {
            same[j] = row[0];
        }
        row = column0 ? same : row;
        if (!step && stores_blocks(m)) {
            store_8_times(c, thread, to, row, m);
            return;
        }
        store_row(c, thread, to + k, row, m);
    }
}

/* MOVB2D's body; MOVDBGB2D is the same but for the wait. */
static TensixResult move_b_to_d(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    uint32_t mod = OPERAND(i, MOVB2D, movb2d_instr_mod);
    uint32_t src = OPERAND(i, MOVB2D, src) + c->s.rwc[t].SrcB;
    uint32_t count = 1;
    MoveMode m;

    if (mod & MOVB2D_ROW_TO_8) {
        count = MATRIX_ROWS;
        src &= SRC_ROW_MASK;
    } else {
        count = mod & MOVB2D_4_ROWS ? MATRIX_POOL_ROWS : 1;
        src &= TENSIX_SRC_ROWS - count;
    }
    m = mode_to_dst(c, i, format_of_b_moves(c, t),
                    OPERAND(i, MOVB2D, dest_32b_lo));
    move_b_rows(c, t, dst_row(c, t, OPERAND(i, MOVB2D, dst), count), src, count,
                !(mod & MOVB2D_ROW_TO_8), mod & MOVB2D_COLUMN0, &m);
    c->s.last_row_a = c->s.rwc[t].SrcA;
    tensix_apply_addr_mod(c, t, OPERAND(i, MOVB2D, addr_mode));
    return TENSIX_DONE;
}

TensixResult tensix_exec_MOVB2D(TensixCore *c, const TensixInsn *i)
{
    return tensix_matrix_waits(c, i, MATRIX_WAIT_B) ? TENSIX_RETRY
                                                    : move_b_to_d(c, i);
}

/* As MOVDBGA2D is to MOVA2D: no separate page (core/DEVIATIONS.md). */
TensixResult tensix_exec_MOVDBGB2D(TensixCore *c, const TensixInsn *i)
{
    return move_b_to_d(c, i);
}

/* --- from Dst --- */

SIMD_INLINE SimdI bf16_to_cell(SimdI x)
{
    return (x & 0xff00) << 3 | (x & 0xff);
}

SIMD_INLINE SimdI fp16_to_cell(SimdI x)
{
    return (x & 0xffe0) << 3 | (x & 0x1f);
}

/* Reads rows of Dst for a move to SrcA or SrcB. */
typedef struct LoadMode {
    MatrixStyle style;
    bool wide, low;
    uint32_t blocked;
} LoadMode;

static void cells_from_dst(uint32_t *cells, const uint16_t *high,
                           const uint16_t *low, const LoadMode *m)
{
    SIMD_EACH_COLUMN(j) {
        /* with UseDst32bLo, the low half takes the high half's place */
        SimdI half = simd_load_half(m->low ? &low[j] : &high[j]), x;

        if (m->style == MATRIX_FP16) {
            x = fp16_to_cell(half);
        } else if (m->style == MATRIX_BF16) {
            x = bf16_to_cell(half);
        } else if (m->low) {
            x = half & 0x1fff;
        } else {
            x = bf16_to_cell(half) |
                simd_load_half(&low[j]) >> 13 << SRC_MAN_LOW;
        }
        simd_store(&cells[j], (SimdU)x);
    }
}

/* A block of rows of Dst16b, or of high halves, all of them defined. */
SIMD_INLINE void block_to_cells(uint32_t *to, const uint16_t *from, bool fp16)
{
    for (uint32_t j = 0; j < MATRIX_BLOCK * TENSIX_COLUMNS; j += SIMD_LANES) {
        SimdI x = simd_load_half(&from[j]);

        simd_store(&to[j], (SimdU)(fp16 ? fp16_to_cell(x) : bf16_to_cell(x)));
    }
}

/* Is that all there is to do for the block of rows `at` of Dst? */
static bool plain_block(const TensixCore *c, uint32_t at, const LoadMode *m)
{
    return !m->blocked && !m->low && m->style != MATRIX_TF32 &&
           tensix_dst_4_rows_valid(c, at);
}

/* Physical row `at` of Dst into a row of cells. */
static void load_row(TensixCore *c, uint32_t *cells, uint32_t at,
                     const LoadMode *m)
{
    static const uint16_t undefined[TENSIX_COLUMNS];
    bool valid = c->s.dst_row_valid[at];
    const uint16_t *high = valid ? c->s.dst[at] : undefined;
    const uint16_t *low = valid && m->wide ? c->s.dst[at + DST_LOW_HALF_ROWS]
                                           : undefined;
    uint32_t moved[TENSIX_COLUMNS];

    if (!m->blocked) {
        cells_from_dst(cells, high, low, m);
        return;
    }
    cells_from_dst(moved, high, low, m);
    for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
        cells[j] = m->blocked >> j & 1 ? cells[j] : moved[j];
    }
}

/* Rows of Dst that are no plain_block(). Out of line, as these are rare. */
static __attribute__((noinline)) void load_rows(TensixCore *c, TensixSrcRow *to,
                                                uint32_t at, uint32_t count,
                                                LoadMode m)
{
    for (uint32_t k = 0; k < count; k++) {
        load_row(c, to[k], at + k, &m);
    }
}

static __attribute__((noinline))
void report_16_bit_rows(TensixCore *c, const TensixInsn *i, bool low)
{
    tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR, "%s of 16-bit rows",
                     low ? "dest_32b_lo" : "TF32");
}

/*
 * What 16 bits cannot give is reported, and read as the nearest they can.  Where
 * 16-bit rows are high halves (DBG_FEATURE_DISABLE bit 11), the low ones are at
 * hand also while Fp32_enabled is 0: LLK transposes 32-bit rows so (tt-llk issue
 * 449).
 */
static inline LoadMode mode_from_dst(TensixCore *c, const TensixInsn *i,
                                     uint32_t format)
{
    uint32_t t = i->thread;
    LoadMode m = {
        .style = tensix_matrix_style(format),
        .wide = tensix_dst_is_32b(c, t),
        .low = OPERAND(i, MOVD2A, dest_32b_lo),
        .blocked = blocked_columns(c),
    };

    if (THREAD_CFG_GET(c, t, FP16A_FORCE_Enable)) {
        m.style = MATRIX_FP16;
        m.wide = false;
    }
    m.wide |= m.low && c->s.dst16b_is_high_half;
    if (__builtin_expect(!m.wide && (m.low || m.style == MATRIX_TF32), false)) {
        report_16_bit_rows(c, i, m.low);
        m.low = false;
    }
    return m;
}

static inline TensixResult moved_from_dst(TensixCore *c, const TensixInsn *i,
                                          uint32_t src, uint32_t to)
{
    c->s.last_row_a = src == TENSIX_SRCA ? to : c->s.rwc[i->thread].SrcA;
    tensix_apply_addr_mod(c, i->thread, OPERAND(i, MOVD2A, addr_mode));
    return TENSIX_DONE;
}

/* MOVD2A and MOVD2B have one layout. `count` is a constant where it is called. */
static inline __attribute__((always_inline))
TensixResult move_rows_from_dst(TensixCore *c, const TensixInsn *i, uint32_t src,
                                uint32_t counter, uint32_t format,
                                uint32_t count)
{
    uint32_t t = i->thread;
    TensixSrcRow *rows = tensix_matrix_src_to_write(c, src);
    uint32_t from = dst_row(c, t, OPERAND(i, MOVD2A, dst), count);
    uint32_t to = (OPERAND(i, MOVD2A, src) + counter) &
                  (TENSIX_SRC_ROWS - count);
    LoadMode m = mode_from_dst(c, i, format);
    /* four aligned rows lie together */
    uint32_t at = m.wide ? tensix_dst_adj32(c, t, from)
                         : tensix_dst_adj16(c, t, from);

    TENSIX_READS_DST(c, at, count);
    if (m.wide) {
        TENSIX_READS_DST(c, at + DST_LOW_HALF_ROWS, count);
    }
    TENSIX_WRITES_SRC(c, src, c->s.matrix_bank[src], to, count);
    if (count == MATRIX_BLOCK && plain_block(c, at, &m)) {
        if (m.style == MATRIX_FP16) {
            block_to_cells(rows[to], c->s.dst[at], true);
        } else {
            block_to_cells(rows[to], c->s.dst[at], false);
        }
    } else {
        load_rows(c, &rows[to], at, count, m);
    }
    return moved_from_dst(c, i, src, to);
}

static __attribute__((noinline))
TensixResult move_row_from_dst(TensixCore *c, const TensixInsn *i, uint32_t src,
                               uint32_t counter, uint32_t format)
{
    return move_rows_from_dst(c, i, src, counter, format, 1);
}

static __attribute__((noinline))
TensixResult move_block_from_dst(TensixCore *c, const TensixInsn *i, uint32_t src,
                                 uint32_t counter, uint32_t format)
{
    return move_rows_from_dst(c, i, src, counter, format, MATRIX_BLOCK);
}

/* Does it move four whole rows of Dst16b that lie where their numbers say? */
static inline bool is_plain_move(const TensixCore *c, const TensixInsn *i,
                                 uint32_t format)
{
    const TensixPlace *place = &c->derived.place[i->thread];

    return (i->word & MOVE_BLOCK_OR_LOW) == MOVE_BLOCK && place->straight &&
           tensix_place_is_narrow(place) && !blocked_columns(c) &&
           format != TENSIX_FMT_TF32;
}

/* The common case is a short one. */
static inline __attribute__((always_inline))
TensixResult move_from_dst(TensixCore *c, const TensixInsn *i, uint32_t src,
                           uint32_t counter, uint32_t format)
{
    uint32_t at = dst_row(c, i->thread, OPERAND(i, MOVD2A, dst), MATRIX_BLOCK);
    uint32_t to = (OPERAND(i, MOVD2A, src) + counter) &
                  (TENSIX_SRC_ROWS - MATRIX_BLOCK);

    if (!is_plain_move(c, i, format) || !tensix_dst_4_rows_valid(c, at)) {
        return OPERAND(i, MOVD2A, instr_mod) & MOV_BLOCK
                   ? move_block_from_dst(c, i, src, counter, format)
                   : move_row_from_dst(c, i, src, counter, format);
    }
    TENSIX_READS_DST(c, at, MATRIX_BLOCK);
    TENSIX_WRITES_SRC(c, src, c->s.matrix_bank[src], to, MATRIX_BLOCK);
    if (tensix_num_format_is_bf16(format)) {
        block_to_cells(tensix_matrix_src_to_write(c, src)[to], c->s.dst[at], false);
    } else {
        block_to_cells(tensix_matrix_src_to_write(c, src)[to], c->s.dst[at], true);
    }
    return moved_from_dst(c, i, src, to);
}

TensixResult tensix_exec_MOVD2A(TensixCore *c, const TensixInsn *i)
{
    return move_from_dst(c, i, TENSIX_SRCA, c->s.rwc[i->thread].SrcA,
                         tensix_matrix_format_a(c, i->thread));
}

TensixResult tensix_exec_MOVD2B(TensixCore *c, const TensixInsn *i)
{
    return move_from_dst(c, i, TENSIX_SRCB, c->s.rwc[i->thread].SrcB,
                         format_of_b_moves(c, i->thread));
}

/* --- between Src register files --- */

TensixResult tensix_exec_MOVB2A(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    uint32_t count = OPERAND(i, MOVB2A, instr_mod) & MOV_BLOCK
                         ? MATRIX_POOL_ROWS
                         : 1;
    uint32_t to = (OPERAND(i, MOVB2A, srca) + c->s.rwc[t].SrcA) &
                  (TENSIX_SRC_ROWS - count);
    uint32_t from = (OPERAND(i, MOVB2A, srcb) + c->s.rwc[t].SrcB) &
                    (TENSIX_SRC_ROWS - count);
    MoveMode m = {
        .flush = CFG_GET(c, t, ALU_ACC_CTRL_Zero_Flag_disabled_src)
                     ? 0
                     : UINT32_MAX,
        .blocked = blocked_columns(c),
    };
    TensixSrcRow *rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    rows = tensix_matrix_src_to_write(c, TENSIX_SRCA);
    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB], from, count);
    TENSIX_WRITES_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA], to, count);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *b = tensix_matrix_src(c, TENSIX_SRCB)[from + k];
        uint32_t *a = rows[to + k];

        for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
            uint32_t zero = b[j] & SRC_EXP_MASK ? 0 : m.flush;

            a[j] = m.blocked >> j & 1 ? a[j] : b[j] & ~zero;
        }
    }
    c->s.last_row_a = to;
    tensix_apply_addr_mod(c, t, OPERAND(i, MOVB2A, addr_mode));
    return TENSIX_DONE;
}

TensixResult tensix_exec_TRNSPSRCB(TensixCore *c, const TensixInsn *i)
{
    TensixSrcRow *rows, old[TRANSPOSE_SIZE];

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    rows = tensix_matrix_src_to_write(c, TENSIX_SRCB) + TRANSPOSE_FIRST;
    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB],
                     TRANSPOSE_FIRST, TRANSPOSE_SIZE);
    TENSIX_WRITES_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB],
                      TRANSPOSE_FIRST, TRANSPOSE_SIZE);
    memcpy(old, rows, sizeof(old));
    for (uint32_t k = 0; k < TRANSPOSE_SIZE; k++) {
        for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
            rows[k][j] = old[j][k];
        }
    }
    return TENSIX_DONE;
}

TensixResult tensix_exec_SHIFTXB(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    uint32_t row = (OPERAND(i, SHIFTXB, shift_row) + c->s.rwc[t].SrcB) &
                   SRC_ROW_MASK;
    uint32_t *cells, first;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    cells = tensix_matrix_src_to_write(c, TENSIX_SRCB)[row];
    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB], row, 1);
    TENSIX_WRITES_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB], row, 1);
    first = cells[0];
    memmove(cells, cells + 1, (TENSIX_COLUMNS - 1) * sizeof(*cells));
    cells[TENSIX_COLUMNS - 1] = OPERAND(i, SHIFTXB, rot_shift) ? 0 : first;
    tensix_apply_addr_mod(c, t, OPERAND(i, SHIFTXB, addr_mode));
    return TENSIX_DONE;
}

/*
 * By a bug of the hardware, the rows come from where the last instruction with
 * a row of SrcA had it.
 */
TensixResult tensix_exec_SHIFTXA(TensixCore *c, const TensixInsn *i)
{
    uint32_t mode = OPERAND(i, SHIFTXA, shift_mode);
    uint32_t first = c->s.last_row_a & SRC_ROW_MASK & ~(SHIFTXA_ROWS - 1);
    const uint32_t left = mode == SHIFTXA_LEFT;
    TensixSrcRow *rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_A)) {
        return TENSIX_RETRY;
    }
    if (mode != SHIFTXA_RIGHT && mode != SHIFTXA_LEFT) {
        return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                                "SHIFTXA mode %u", (unsigned)mode);
    }
    tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                     "SHIFTXA takes SrcA rows %u to %u", (unsigned)first,
                     (unsigned)first + SHIFTXA_ROWS - 1);
    rows = tensix_matrix_src_to_write(c, TENSIX_SRCA);
    TENSIX_READS_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA], first,
                     SHIFTXA_ROWS);
    TENSIX_WRITES_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA], 0,
                      SHIFTXA_ROWS);
    for (uint32_t k = 0; k < SHIFTXA_ROWS; k++) {
        memmove(&rows[k][!left], &rows[first + k][left],
                (TENSIX_COLUMNS - 1) * sizeof(rows[k][0]));
        rows[k][left ? TENSIX_COLUMNS - 1 : 0] = 0;
    }
    return TENSIX_DONE;
}

/* The packer keeps no exponent histograms, so there is nothing to reset. */
TensixResult tensix_exec_CLREXPHIST(TensixCore *c, const TensixInsn *i)
{
    return TENSIX_DONE;
}
