/*
 * The window through which T harts see Dst.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH Dst.md, "RISCV access to Dst": the format of the hart's section of
 * RISC_DEST_ACCESS_CTRL, in the bank its thread uses, chooses the element; T2
 * may access several elements at once.  Rows marked undefined read as zero, and
 * a store makes its row valid.
 */

#include <string.h>

#include "num/num.h"
#include "regs/regfile.h"
#include "config/config.h"
#include "observe/observe.h"
#include "vector/vector.h"

enum {
    FMT_UINT32,                    /* FP32 or unsigned */
    FMT_INT32,
    FMT_FP16,
    FMT_BF16,
    FMT_INT16,
    FMT_INT8,
    FMT_RESERVED,
};

enum {
    WINDOW_SIZE = 0x8000,
    WINDOW_MAX_ACCESS = 16,
    MULTI_ELEMENT_THREAD = 2,
    INT8_SIGN = 0x80,
    INT8_STORED_EXPONENT = 16,
};

/* Bytes of an element, by format. */
static const uint8_t element_size[FMT_RESERVED] = { 4, 4, 2, 2, 2, 1 };

typedef struct Window {
    uint32_t thread;
    uint32_t format;
    uint32_t size;                 /* of an element */
    bool raw;                      /* no_swizzle */
    bool is_unsigned;
} Window;

/* False: no such format or thread. */
static bool window_of(const TensixCore *c, uint32_t thread, Window *w)
{
    /* SEC0..SEC2 follow each other, five bits a section */
    const uint32_t step = CFG_RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle_LOW -
                          CFG_RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle_LOW;
    uint32_t bits;

    if (thread >= TENSIX_THREADS) {
        return false;
    }
    bits = c->s.cfg[tensix_cfg_bank(c, thread)]
                   [CFG_RISC_DEST_ACCESS_CTRL_SEC0_fmt_WORD] >>
           (step * thread);
    w->thread = thread;
    w->raw = bits >> CFG_RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle_LOW & 1;
    w->is_unsigned =
        bits >> CFG_RISC_DEST_ACCESS_CTRL_SEC0_unsigned_int_LOW & 1;
    w->format = bits >> CFG_RISC_DEST_ACCESS_CTRL_SEC0_fmt_LOW &
                CFG_RISC_DEST_ACCESS_CTRL_SEC0_fmt_MASK;
    if (w->format >= FMT_RESERVED) {
        return false;
    }
    w->size = element_size[w->format];
    return true;
}

/* 1024 rows of 16 elements, or 512 of 32 bits: int8 ends half-way. */
static bool in_window(const Window *w, uint32_t offset, uint32_t size)
{
    uint32_t end = w->size == 1 ? WINDOW_SIZE / 2 : WINDOW_SIZE;

    return offset < end && size <= end - offset;
}

static bool access_defined(const Window *w, uint32_t offset, uint32_t size)
{
    if (!size || size > WINDOW_MAX_ACCESS || (size & (size - 1)) ||
        offset % size) {
        return false;
    }
    if (w->thread == MULTI_ELEMENT_THREAD ? size < w->size : size != w->size) {
        return false;
    }
    return in_window(w, offset, size);
}

/* Physical row and column of element n. */
static uint32_t element_row(const TensixCore *c, const Window *w, uint32_t n)
{
    uint32_t row = n / TENSIX_COLUMNS;

    return w->size == 4 ? tensix_dst_adj32(c, w->thread, row)
                        : tensix_dst_adj16(c, w->thread, row);
}

/* Of `size` bytes: the rows that they are in. */
static void record_window_reads(TensixCore *c, const Window *w, uint32_t offset,
                                uint32_t size)
{
    for (uint32_t at = 0; at < size; at += w->size) {
        uint32_t row = element_row(c, w, (offset + at) / w->size);

        tensix_observe_read(c, TENSIX_SPACE_DST, row, 1);
        if (w->size == 4) {
            tensix_observe_read(c, TENSIX_SPACE_DST, row + DST_LOW_HALF_ROWS, 1);
        }
    }
}

static uint32_t window_read_cell(const TensixCore *c, const Window *w,
                                 uint32_t n)
{
    uint32_t row = element_row(c, w, n), column = n % TENSIX_COLUMNS;

    if (!c->s.dst_row_valid[row]) {
        return 0;
    }
    if (w->size == 4) {
        return (uint32_t)c->s.dst[row][column] << 16 |
               c->s.dst[row + DST_LOW_HALF_ROWS][column];
    }
    return c->s.dst[row][column];
}

static void window_write_cell(TensixCore *c, const Window *w, uint32_t n,
                              uint32_t value)
{
    uint32_t row = element_row(c, w, n), column = n % TENSIX_COLUMNS;

    c->s.dst_row_valid[row] = 1;
    if (w->size == 4) {
        c->s.dst[row][column] = value >> 16;
        c->s.dst[row + DST_LOW_HALF_ROWS][column] = value;
    } else {
        c->s.dst[row][column] = value;
    }
}

/* Integer "8": a sign, ten bits of magnitude, an exponent that says so. */
static uint32_t int8_from_cell(const Window *w, uint32_t cell)
{
    uint32_t magnitude = cell >> 5 & 0xff;

    if (w->raw || w->is_unsigned) {
        return magnitude;
    }
    magnitude &= 0x7f;
    return (cell & 0x8000 ? -magnitude : magnitude) & 0xff;
}

/*
 * The hardware means to make sign and magnitude of a negative value, but is
 * 0x80 off: -1 becomes -129, kept to eight bits (BH Dst.md, Store8).
 */
static uint32_t int8_to_cell(const Window *w, uint32_t value)
{
    if (w->raw || w->is_unsigned || value < INT8_SIGN) {
        return value << 5 | (value ? INT8_STORED_EXPONENT : 0);
    }
    value = (0x180 - value - (value == INT8_SIGN)) & 0xff;
    return 0x8000 | value << 5 | INT8_STORED_EXPONENT;
}

static uint32_t element_from_cell(const Window *w, uint32_t cell)
{
    switch (w->format) {
    case FMT_INT8:
        return int8_from_cell(w, cell);
    case FMT_INT16:
        return w->raw || w->is_unsigned
                   ? cell
                   : tensix_num_from_sign_magnitude(cell, 16);
    case FMT_BF16:
        return w->raw ? cell : tensix_num_dst_decode_bf16(cell);
    case FMT_FP16:
        return w->raw ? cell : tensix_num_dst_decode_fp16(cell);
    case FMT_INT32:
        return w->raw ? cell
                      : tensix_num_from_sign_magnitude(
                            tensix_num_dst_decode32(cell), 32);
    default:
        return w->raw ? cell : tensix_num_dst_decode32(cell);
    }
}

static uint32_t element_to_cell(const Window *w, uint32_t value)
{
    switch (w->format) {
    case FMT_INT8:
        return int8_to_cell(w, value);
    case FMT_INT16:
        return w->raw || w->is_unsigned
                   ? value
                   : tensix_num_to_sign_magnitude(value, 16);
    case FMT_BF16:
        return w->raw ? value : tensix_num_dst_encode_bf16(value);
    case FMT_FP16:
        return w->raw ? value : tensix_num_dst_encode_fp16(value);
    case FMT_INT32:
        return w->raw ? value
                      : tensix_num_dst_encode32(
                            tensix_num_to_sign_magnitude(value, 32));
    default:
        return w->raw ? value : tensix_num_dst_encode32(value);
    }
}

static uint32_t read_element(const TensixCore *c, const Window *w, uint32_t n)
{
    return element_from_cell(w, window_read_cell(c, w, n));
}

bool tensix_dest_window_peek(const TensixCore *c, uint32_t thread,
                             uint32_t offset, void *data, uint32_t size)
{
    uint8_t *bytes = data;
    Window w;

    if (c->s.macro.active) {
        const TensixCore copy = tensix_drained_copy(c);

        return tensix_dest_window_peek(&copy, thread, offset, data, size);
    }
    memset(data, 0, size);
    if (!window_of(c, thread, &w) || !in_window(&w, offset, size)) {
        return false;
    }
    for (uint32_t at = 0; at < size; at++) {
        uint32_t n = (offset + at) / w.size, k = (offset + at) % w.size;

        bytes[at] = read_element(c, &w, n) >> (8 * k);
    }
    return true;
}

bool tensix_dest_window_read(TensixCore *c, uint32_t thread, uint32_t offset,
                             void *data, uint32_t size)
{
    uint8_t *bytes = data;
    Window w;

    tensix_vector_drain(c);           /* the hart's access takes that long */
    memset(data, 0, size);
    if (!window_of(c, thread, &w) || !access_defined(&w, offset, size)) {
        return false;
    }
    record_window_reads(c, &w, offset, size);
    for (uint32_t at = 0; at < size; at += w.size) {
        uint32_t value = read_element(c, &w, (offset + at) / w.size);

        for (uint32_t k = 0; k < w.size; k++) {
            bytes[at + k] = value >> (8 * k);
        }
    }
    return true;
}

bool tensix_dest_window_write(TensixCore *c, uint32_t thread, uint32_t offset,
                              const void *data, uint32_t size)
{
    const uint8_t *bytes = data;
    Window w;

    tensix_vector_drain(c);
    if (!window_of(c, thread, &w) || !access_defined(&w, offset, size)) {
        return false;
    }
    tensix_observe_compare(c, 1 << TENSIX_SPACE_DST);
    for (uint32_t at = 0; at < size; at += w.size) {
        uint32_t value = 0;

        for (uint32_t k = 0; k < w.size; k++) {
            value |= (uint32_t)bytes[at + k] << (8 * k);
        }
        window_write_cell(c, &w, (offset + at) / w.size,
                          element_to_cell(&w, value));
    }
    return true;
}
