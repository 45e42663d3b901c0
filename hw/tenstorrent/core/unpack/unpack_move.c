/*
 * UNPACR: from L1 through the conversion to SrcA, SrcB or Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md, "Main unpack loop".  Whole rows that need nothing
 * special go through a kernel at once; everything else datum by datum, as the
 * page has it.
 */

#include <string.h>

#include "unpack/unpack.h"
#include "regs/regfile.h"

enum {
    SRCA_SKIPPED_ROWS = 4,         /* unpacker 0 counts rows from there */
    SRCA_ROWS_PER_SET = 16,
    ROW_SHIFT = 4,                 /* log2 of cells in a row */
    COLUMN_MASK = TENSIX_COLUMNS - 1,
    DATUMS_PER_DELTAS = 32,
    DELTA_BITS = 4,
    ALIGN_BITS = 16 * 8,           /* L1 is read in units of 16 bytes */
};

static TensixUnpackRow *src_bank(TensixUnpack *u)
{
    return tensix_src_to_write(u->c, u->unpacker,
                               u->c->s.unpack_bank[u->unpacker]);
}

static void record_src_rows(TensixUnpack *u, uint32_t row, uint32_t rows)
{
    TENSIX_WRITES_SRC(u->c, u->unpacker, u->c->s.unpack_bank[u->unpacker], row,
                      rows);
}

static uint32_t first_src_row(const TensixUnpack *u)
{
    return u->c->s.src_row[u->unpacker][u->thread] & SRC_ROW_MASK;
}

static void report_exponent(TensixUnpack *u, uint32_t bad)
{
    if (bad) {
        tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "an exponent needs more than five bits");
    }
}

/* --- rows into Dst --- */

static void store_dst16_row(TensixUnpack *u, uint32_t row, const uint32_t *cells,
                            uint32_t first, uint32_t count)
{
    uint32_t at = tensix_dst_adj16(u->c, u->thread, row);
    uint16_t *stored = u->c->s.dst[at] + first;
    uint32_t dst = u->plan->dst;

    TENSIX_WRITES_DST(u->c, at, 1);
    u->c->s.dst_row_valid[at] = 1;
    if (count < TENSIX_COLUMNS) {
        for (uint32_t n = 0; n < count; n++) {
            stored[n] = tensix_unpack_to_dst16(cells[n], dst);
        }
    } else if (dst == UNPACK_DST_8BIT_EXPONENT) {
        for (uint32_t n = 0; n < TENSIX_COLUMNS; n++) {
            stored[n] = tensix_unpack_to_dst16(cells[n], UNPACK_DST_8BIT_EXPONENT);
        }
    } else {
        for (uint32_t n = 0; n < TENSIX_COLUMNS; n++) {
            stored[n] = tensix_unpack_to_dst16(cells[n], UNPACK_DST_5BIT_EXPONENT);
        }
    }
}

static inline void split_cells(uint16_t *restrict high, uint16_t *restrict low,
                               const uint32_t *restrict cells, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        high[n] = cells[n] >> 16;
        low[n] = cells[n];
    }
}

/* Only the high half's row says whether a row of Dst32b is valid. */
static void store_dst32_row(TensixUnpack *u, uint32_t row, const uint32_t *cells,
                            uint32_t first, uint32_t count)
{
    uint32_t at = tensix_dst_adj32(u->c, u->thread, row);
    uint16_t *high = u->c->s.dst[at] + first;
    uint16_t *low = u->c->s.dst[at + DST_LOW_HALF_ROWS] + first;

    TENSIX_WRITES_DST(u->c, at, 1);
    TENSIX_WRITES_DST(u->c, at + DST_LOW_HALF_ROWS, 1);
    TENSIX_WIDE_DST(u->c, at, 1);
    if (count < TENSIX_COLUMNS) {
        split_cells(high, low, cells, count);
    } else {
        split_cells(high, low, cells, TENSIX_COLUMNS);
    }
    u->c->s.dst_row_valid[at] = 1;
}

/* Row of Dst16b or Dst32b, counted as the page counts. */
static void store_dst_row(TensixUnpack *u, uint32_t row, const uint32_t *cells,
                          uint32_t first, uint32_t count)
{
    if (u->plan->dst == UNPACK_DST_32B) {
        store_dst32_row(u, row, cells, first, count);
    } else {
        store_dst16_row(u, row, cells, first, count);
    }
}

/* --- parts of undefined rows of Dst (WH ZEROACC.md) --- */

enum { ALL_COLUMNS = (1 << TENSIX_COLUMNS) - 1 };

/* Reports a row, undefined until now, of which only `columns` were written. */
static void report_part(TensixUnpack *u, uint32_t row, uint32_t columns)
{
    if (columns != ALL_COLUMNS && !u->part_reported) {
        tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "writes only columns 0x%x of Dest row %u, which ZEROACC "
                         "made undefined", (unsigned)columns, (unsigned)row);
        u->part_reported = true;
    }
}

static bool dst_row_is_defined(const TensixUnpack *u, uint32_t row)
{
    return u->c->s.dst_row_valid[u->plan->dst == UNPACK_DST_32B
                                 ? tensix_dst_adj32(u->c, u->thread, row)
                                 : tensix_dst_adj16(u->c, u->thread, row)];
}

/* No more cells go to the row that was begun. */
static void end_part(TensixUnpack *u)
{
    if (u->part_row) {
        report_part(u, u->part_row - 1, u->part_columns);
        u->part_row = 0;
    }
}

/* A cell is going to be written. */
static void record_part(TensixUnpack *u, uint32_t row, uint32_t column)
{
    if (u->part_row != row + 1) {
        end_part(u);
        if (dst_row_is_defined(u, row)) {
            return;
        }
        u->part_row = row + 1;
        u->part_columns = 0;
    }
    u->part_columns |= 1u << column;
}

/* --- whole rows --- */

static TensixUnpackKernel *kernel(const TensixUnpack *u)
{
    return tensix_unpack_kernels[u->plan->kernel];
}

/* log2 of the rows of cells that are adjacent in L1 when tilizing: 0, 1. */
static uint32_t rows_per_stride_log2(const TensixUnpack *u)
{
    return u->plan->row_width > UNPACK_ROW_DATUMS;
}

static uint32_t row_bytes(const TensixUnpack *u)
{
    return UNPACK_ROW_DATUMS / 8 * u->plan->datum_bits;
}

/* Each stride's one or two rows by themselves. */
static uint32_t convert_tilized(TensixUnpack *u, TensixUnpackRow *out,
                                const uint8_t *data, const uint8_t *exponents,
                                uint32_t row, uint32_t rows)
{
    uint32_t log2 = rows_per_stride_log2(u), per_stride = 1u << log2, bad = 0, n;
    size_t stride = u->plan->row_stride / 8;

    for (uint32_t r = 0; r < rows; r += n) {
        uint32_t at = row + r, in_stride = at & (per_stride - 1);

        n = rows - r < per_stride - in_stride ? rows - r : per_stride - in_stride;
        bad |= kernel(u)(out + r, data + (at >> log2) * stride +
                         (size_t)in_stride * row_bytes(u), exponents + r, n);
    }
    return bad;
}

/* As convert_rows(), of rows that need more than a kernel. */
static __attribute__((noinline)) void
convert_other_rows(TensixUnpack *u, TensixUnpackRow *out, const uint8_t *data,
                   const uint8_t *exponents, uint32_t row, uint32_t rows)
{
    uint8_t forced[UNPACK_MAX_ROWS];

    if (u->zero) {
        memset(out, 0, rows * sizeof(out[0]));
        return;
    }
    if (u->plan->forced_exponent) {
        memset(forced, u->plan->exponent, sizeof(forced));
        exponents = forced;
    }
    report_exponent(u, u->plan->tilize
                       ? convert_tilized(u, out, data, exponents, row, rows)
                       : kernel(u)(out, data + (size_t)row * row_bytes(u),
                                   exponents, rows));
}

#ifdef TENSIX_OBSERVED
/* Where row `row` begins: bytes after the first datum. */
static uint32_t input_at(const TensixUnpack *u, uint32_t row)
{
    uint32_t log2 = rows_per_stride_log2(u);

    if (!u->plan->tilize) {
        return row * row_bytes(u);
    }
    return (row >> log2) * (u->plan->row_stride / 8) +
           (row & ((1u << log2) - 1)) * row_bytes(u);
}

/* Of the rows from `row` to `end` those that follow one another in L1. */
static uint32_t rows_at_once(const TensixUnpack *u, uint32_t row, uint32_t end)
{
    uint32_t per_stride = 1u << rows_per_stride_log2(u);
    uint32_t next = row + per_stride - (row & (per_stride - 1));

    return (u->plan->tilize && next < end ? next : end) - row;
}

/* One read of `rows` rows: of the last one only those datums that are moved. */
static void record_input_rows(TensixUnpack *u, uint32_t row, uint32_t rows)
{
    uint64_t left = u->count - (uint64_t)row * UNPACK_ROW_DATUMS;
    uint32_t most = rows * UNPACK_ROW_DATUMS;

    TENSIX_READS_L1(u->c, (u->data >> 3) + input_at(u, row),
                    ((left < most ? left : most) * u->plan->datum_bits + 7) / 8);
}

static void record_input(TensixUnpack *u, uint32_t row, uint32_t rows)
{
    uint32_t end = row + rows;

    for (uint32_t n = row, count; n < end && !u->zero; n += count) {
        count = rows_at_once(u, n, end);
        record_input_rows(u, n, count);
    }
    if (u->plan->own_exponents && !u->plan->forced_exponent && !u->zero) {
        TENSIX_READS_L1(u->c, (u->exponents >> 4) + row, rows);
    }
}
#endif

/* Rows [row, row + rows) of the input, at most UNPACK_MAX_ROWS. */
static inline void convert_rows(TensixUnpack *u, TensixUnpackRow *out,
                                uint32_t row, uint32_t rows)
{
    const uint8_t *data = u->c->host.l1 + (u->data >> 3);
    const uint8_t *exponents = u->c->host.l1 + (u->exponents >> 4) + row;

    TENSIX_NOTE(record_input(u, row, rows));
    if (u->zero || u->plan->forced_exponent || u->plan->tilize) {
        convert_other_rows(u, out, data, exponents, row, rows);
    } else {
        report_exponent(u, kernel(u)(out, data + (size_t)row * row_bytes(u),
                                     exponents, rows));
    }
}

static uint32_t whole_rows(const TensixUnpack *u)
{
    return (u->count + UNPACK_ROW_DATUMS - 1) / UNPACK_ROW_DATUMS;
}

/* Bits from the first datum to the end of the last row. */
static int64_t input_span(const TensixUnpack *u, uint32_t rows)
{
    uint32_t log2 = rows_per_stride_log2(u);
    int64_t row_bits = UNPACK_ROW_DATUMS * u->plan->datum_bits;

    if (!u->plan->tilize) {
        return rows * row_bits;
    }
    return ((rows - 1) >> log2) * (int64_t)u->plan->row_stride +
           (row_bits << log2);
}

/* Does [start, start + span) lie in L1, without wrapping? Bits. */
static bool plain_span(const TensixUnpack *u, int64_t start, int64_t span)
{
    int64_t end = start + span;

    return start >= 0 && start % 8 == 0 && end <= (int64_t)u->c->host.l1_size * 8 &&
           (u->plan->fifo == 0 || end <= u->plan->limit);
}

/* Is the output one block of rows of the bank?  *row: the first of them. */
static bool plain_src_output(const TensixUnpack *u, uint32_t rows, uint32_t *row)
{
    uint32_t first = u->out >> ROW_SHIFT;
    uint32_t limit = TENSIX_SRC_ROWS;

    if (u->unpacker == 1) {
        first = (first + first_src_row(u)) & SRC_ROW_MASK;
    } else {
        if (first < SRCA_SKIPPED_ROWS) {
            return false;
        }
        first -= SRCA_SKIPPED_ROWS;
        if (!u->plan->absolute_rows) {
            if (first + rows > SRCA_ROWS_PER_SET) {
                return false;
            }
            first += first_src_row(u);
        }
    }
    *row = first;
    return first < limit && rows <= limit - first;
}

static bool plain_input(const TensixUnpack *u, uint32_t rows)
{
    if (!u->plan->whole_rows || (u->out & COLUMN_MASK)) {
        return false;
    }
    if (u->plan->own_exponents &&
        (u->exponents % 16 || !plain_span(u, u->exponents / 2, rows * 8))) {
        return false;
    }
    return plain_span(u, u->data, input_span(u, rows));
}

static void move_src_rows(TensixUnpack *u, uint32_t row, uint32_t rows)
{
    TensixUnpackRow *out = src_bank(u) + row, last;
    uint32_t rest = u->count % UNPACK_ROW_DATUMS;

    record_src_rows(u, row, rows);
    convert_rows(u, out, 0, rest ? rows - 1 : rows);
    if (rest) {
        convert_rows(u, &last, rows - 1, 1);
        memcpy(out[rows - 1], last, rest * sizeof(last[0]));
    }
}

/* Rows and columns change places in each set of 16 rows. */
static void move_src_transposed(TensixUnpack *u, uint32_t row, uint32_t rows)
{
    TensixUnpackRow *bank = src_bank(u);
    TensixUnpackRow cells[UNPACK_MAX_ROWS];

    convert_rows(u, cells, 0, rows);
    for (uint32_t n = 0; n < u->count; n++) {
        uint32_t r = row + n / TENSIX_COLUMNS, column = n % TENSIX_COLUMNS;

        record_src_rows(u, (r & ~COLUMN_MASK) | column, 1);
        bank[(r & ~COLUMN_MASK) | column][r & COLUMN_MASK] =
            cells[n / TENSIX_COLUMNS][column];
    }
}

static void move_dst_rows(TensixUnpack *u, uint32_t rows)
{
    TensixUnpackRow cells[UNPACK_MAX_ROWS];
    uint32_t first = (u->out >> ROW_SHIFT) - SRCA_SKIPPED_ROWS;
    uint32_t left = u->count, n;

    for (uint32_t done = 0; done < rows; done += n) {
        n = rows - done < UNPACK_MAX_ROWS ? rows - done : UNPACK_MAX_ROWS;
        convert_rows(u, cells, done, n);
        for (uint32_t r = 0; r < n; r++) {
            uint32_t count = left < TENSIX_COLUMNS ? left : TENSIX_COLUMNS;
            uint32_t row = (first + done + r) & DST_ROW_MASK;

            if (count < TENSIX_COLUMNS && !dst_row_is_defined(u, row)) {
                report_part(u, row, (1u << count) - 1);
            }
            store_dst_row(u, row, cells[r], 0, count);
            left -= count;
        }
    }
}

/* Moves all datums as whole rows; false, and nothing done: that will not do. */
static bool move_rows(TensixUnpack *u)
{
    uint32_t rows = whole_rows(u), row;

    if (u->count == 0 || u->count > UINT32_MAX / 2 || !plain_input(u, rows)) {
        return false;
    }
    if (u->plan->to_dst) {
        move_dst_rows(u, rows);
    } else if (!plain_src_output(u, rows, &row)) {
        return false;
    } else if (u->plan->transpose) {
        move_src_transposed(u, row, rows);
    } else {
        move_src_rows(u, row, rows);
    }
    return true;
}

/* --- datum by datum --- */

/* One cell; the kernel works on a row of which it is the first. */
static uint32_t convert_datum(TensixUnpack *u, uint32_t datum, uint8_t exponent,
                              uint32_t *bad)
{
    uint8_t data[UNPACK_ROW_DATUMS * UNPACK_MAX_DATUM_BITS / 8] = { 0 };
    TensixUnpackRow out;

    for (unsigned n = 0; n < 4; n++) {
        data[n] = datum >> 8 * n;
    }
    *bad |= kernel(u)(&out, data, &exponent, 1);
    return out[0];
}

/* `width` bits at bit address `at`, which do not cross more than 4 bytes. */
static bool read_bits(const TensixUnpack *u, int64_t at, uint32_t width,
                      uint32_t *value)
{
    if (!tensix_unpack_read_l1(u, at >> 3, (width + 7) / 8, value)) {
        return false;
    }
    *value >>= at & 7;
    *value &= width < 32 ? (1u << width) - 1 : UINT32_MAX;
    return true;
}

/* The next datum; its place moves on, by a row's stride after each row. */
static bool next_datum(TensixUnpack *u, uint64_t index, uint32_t *datum)
{
    uint32_t bits = u->plan->datum_bits;

    if (!read_bits(u, u->data, bits, datum)) {
        return false;
    }
    u->data += bits;
    if ((index + 1) % u->plan->row_width == 0) {
        u->data += u->plan->row_stride - (int64_t)(bits * u->plan->row_width);
        u->data = tensix_unpack_wrap(u, u->data);
    }
    return true;
}

static bool next_exponent(TensixUnpack *u, uint8_t *exponent)
{
    uint32_t value = u->plan->exponent;

    if (u->plan->own_exponents) {
        if (!tensix_unpack_read_l1(u, u->exponents >> 4, 1, &value)) {
            return false;
        }
        u->exponents++;
        if (u->exponents % (16 * 16) == 0 && u->exponents > u->plan->limit * 2) {
            u->exponents -= u->plan->fifo * 2;
        }
    }
    *exponent = value;
    return true;
}

/* Zeroes that follow the datum in the decompressed tile. */
static bool next_zeroes(TensixUnpack *u, uint32_t *zeroes)
{
    *zeroes = 0;
    if (!u->plan->compressed) {
        return true;
    }
    if (!read_bits(u, u->deltas, DELTA_BITS, zeroes)) {
        return false;
    }
    u->deltas += DELTA_BITS;
    if (u->deltas % ALIGN_BITS == 0) {
        u->data += DATUMS_PER_DELTAS * DELTA_BITS;
        u->deltas += DATUMS_PER_DELTAS * u->plan->datum_bits;
        u->deltas = tensix_unpack_wrap(u, u->deltas);
    }
    return true;
}

static bool beyond_bank(TensixUnpack *u, const char *what)
{
    tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR, "%s", what);
    return false;
}

/* The row's number wraps. */
static bool put_srcb(TensixUnpack *u, uint32_t row, uint32_t column, uint32_t cell)
{
    row = (row + first_src_row(u)) & SRC_ROW_MASK;
    record_src_rows(u, row, 1);
    src_bank(u)[row][column] = cell;
    return true;
}

/* Undefined by the page; on Blackhole the row's number wraps (ttsim). */
static void wrap_srca(TensixUnpack *u)
{
    if (!u->wrapped) {
        tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "a row beyond SrcA");
        u->wrapped = true;
    }
}

static bool put_srca(TensixUnpack *u, uint32_t row, uint32_t column, uint32_t cell)
{
    if (row < SRCA_SKIPPED_ROWS || column < u->plan->column_shift) {
        return true;
    }
    row -= SRCA_SKIPPED_ROWS;
    column -= u->plan->column_shift;
    if (!u->plan->absolute_rows) {
        if (row >= SRCA_ROWS_PER_SET) {
            return beyond_bank(u, "a row beyond SrcA's set of 16");
        }
        row += first_src_row(u);
    }
    if (row >= TENSIX_SRC_ROWS) {
        wrap_srca(u);
        row &= SRC_ROW_MASK;
    }
    if (u->plan->transpose) {
        uint32_t low = row & COLUMN_MASK;

        row = (row & ~COLUMN_MASK) | column;
        column = low;
    }
    record_src_rows(u, row, 1);
    src_bank(u)[row][column] = cell;
    return true;
}

/* Writes one cell at the output's place; false: it was undefined. */
static bool put_cell(TensixUnpack *u, uint32_t cell)
{
    uint32_t row = u->out >> ROW_SHIFT, column = u->out & COLUMN_MASK;

    if (u->unpacker == 1) {
        return put_srcb(u, row, column, cell);
    }
    if (!u->plan->to_dst) {
        return put_srca(u, row, column, cell);
    }
    row = (row - SRCA_SKIPPED_ROWS) & DST_ROW_MASK;
    record_part(u, row, column);
    store_dst_row(u, row, &cell, column, 1);
    return true;
}

/* A cell and what upsampling makes of it. */
static bool put_upsampled(TensixUnpack *u, uint32_t cell)
{
    uint32_t cells = u->plan->upsample + 1u;

    if (u->skip) {
        u->skip -= cells;
        u->out += cells;
        return true;
    }
    for (uint32_t k = 0; k <= u->plan->upsample; k++, u->out++, cell = 0) {
        if (!(u->plan->interleave && k != 0) && !put_cell(u, cell)) {
            return false;
        }
    }
    return true;
}

/* A datum and the zeroes after it. */
static bool put_decompressed(TensixUnpack *u, uint32_t cell, uint32_t zeroes)
{
    for (uint32_t j = 0; j <= zeroes; j++, cell = 0) {
        if (u->drop) {
            u->drop--;
            continue;
        }
        if (!put_upsampled(u, cell)) {
            return false;
        }
        if (--u->produce == 0) {
            break;
        }
    }
    return true;
}

/* What datums one by one cost beyond a step, from how many came and went. */
static void add_cost(TensixUnpack *u, uint64_t datums, uint32_t cells)
{
    enum { A_STEP = 8 };           /* take as long as an instruction */

    u->c->cost += datums / A_STEP + cells / A_STEP;
}

/* --- more cells than the register file has --- */

/* The output comes to the same cell again after so many; 0: it ends before. */
static uint64_t cells_around(const TensixUnpack *u)
{
    if (u->plan->to_dst) {
        return TENSIX_DST_ROWS * TENSIX_COLUMNS;
    }
    return u->unpacker == 1 || u->plan->absolute_rows
           ? TENSIX_SRC_ROWS * TENSIX_COLUMNS : 0;
}

/* Cells before upsampling, of so many decompressed datums. */
static uint64_t cells_of(const TensixUnpack *u, uint64_t datums)
{
    datums = datums < u->drop ? 0 : datums - u->drop;
    return (datums < u->produce ? datums : u->produce) *
           (u->plan->upsample + 1u);
}

/* Reads ahead, with a copy: how many cells will be written? */
static uint64_t count_cells(TensixUnpack ahead)
{
    uint64_t datums = 0;

    for (uint64_t n = 0; n < ahead.count && cells_of(&ahead, datums) <
                             cells_of(&ahead, UINT64_MAX); n++) {
        uint32_t datum, zeroes;
        uint8_t exponent;

        if (!next_datum(&ahead, n, &datum) || !next_exponent(&ahead, &exponent) ||
            !next_zeroes(&ahead, &zeroes)) {
            break;
        }
        datums += 1 + (ahead.zero ? 0 : zeroes);
    }
    return cells_of(&ahead, datums);
}

/*
 * A few bytes of zero counts can stand for millions of cells, round and round
 * the register file, for which one instruction has no time.  Only the last
 * round can be seen, and the one before where the last is not complete.
 */
static uint64_t overwritten_cells(const TensixUnpack *u)
{
    enum { MOST_OF_A_DATUM = 1 << DELTA_BITS };
    uint64_t around = cells_around(u), cells;

    if (!around || cells_of(u, u->count * MOST_OF_A_DATUM) < 2 * around) {
        return 0;
    }
    cells = count_cells(*u);
    return cells < 2 * around ? 0 : (cells / around - 1) * around;
}

static void move_datums(TensixUnpack *u)
{
    uint32_t bad = 0, first = u->out;
    uint64_t n;

    u->skip = overwritten_cells(u);
    for (n = 0; n < u->count && u->produce; n++) {
        uint32_t datum, zeroes, cell;
        uint8_t exponent;

        if (!next_datum(u, n, &datum) || !next_exponent(u, &exponent) ||
            !next_zeroes(u, &zeroes)) {
            tensix_violation(u->c, u->i, TENSIX_BAD_ACCESS,
                             "datum %u is not in L1: Base_address is 0x%x "
                             "units of %u bytes", (unsigned)n,
                             (unsigned)SECTION_WORD(u, REG3_Base_address,
                                                    u->context),
                             (unsigned)L1_UNIT);
            break;
        }
        cell = u->zero ? 0 : convert_datum(u, datum, exponent, &bad);
        if (!put_decompressed(u, cell, u->zero ? 0 : zeroes)) {
            break;
        }
    }
    add_cost(u, n, u->out - first);
    end_part(u);
    report_exponent(u, bad);
}

void tensix_unpack_move(TensixUnpack *u)
{
    if (!move_rows(u)) {
        move_datums(u);
    }
}
