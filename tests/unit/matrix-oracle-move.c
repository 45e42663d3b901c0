/*
 * Moves between Dst, SrcA and SrcB, one datum after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "matrix-oracle-internal.h"

static bool blocked(const Context *c, unsigned j)
{
    return c->s->vu.lane_config[j / 2] >> (9 + j % 2) & 1;
}

/* SrcB's moves go by its implied format, or by SrcA's if that is disabled. */
static unsigned move_format(const Context *c, bool from_b)
{
    if (!from_b || c->s->thread_cfg[c->thread][2] & 1) {
        return c->format_a;
    }
    return c->s->src_format[1][c->bank_b];
}

/* With FP32 accumulation cells are TF32's for Dst32b, whatever the format. */
static bool as_tf32(const Context *c)
{
    const uint16_t *tc = c->s->thread_cfg[c->thread];

    return bits(c->s->cfg[tc[0] & 1][1], 29, 1) && !(tc[55] & 1) &&
           !bits(c->word, 23, 1);
}

static unsigned to_dst_format(const Context *c, bool from_b)
{
    return as_tf32(c) ? FMT_TF32 : move_format(c, from_b);
}

static void cell_to_dst(const Context *c, uint32_t cell, unsigned row,
                        unsigned j, bool from_b)
{
    unsigned format = to_dst_format(c, from_b);
    bool force = c->s->thread_cfg[c->thread][55] & 1;
    bool fp16 = force || (oracle_kind_of(format) == KIND_FP16 &&
                          c->kind != KIND_INT8);
    bool wide = format == FMT_TF32, low = bits(c->word, 23, 1);
    uint32_t x;

    cell = !bits(cell, 0, 8) && !c->keep_b ? 0 : cell;
    x = fp16 ? bits(cell, 8, 11) << 5 | cell % 32
             : bits(cell, 11, 8) << 8 | cell % 256;
    if (wide) {
        oracle_dst_write(c, row, j, true, x << 16 | bits(cell, 8, 3) << 13);
    } else if (low) {
        oracle_dst_write(c, row, j, true,
                  (oracle_dst_read(c, row, j, true, 0) & 0xffff0000) | x);
    } else {
        oracle_dst_write(c, row, j, false, x);
    }
}

static void move_to_dst(const Context *c, bool from_b)
{
    const TensixRwc *rwc = &c->s->rwc[c->thread];
    unsigned mod = from_b ? bits(c->word, 11, 3) : bits(c->word, 12, 2);
    bool repeat = from_b && (mod & 2), column0 = from_b && (mod & 1);
    unsigned count = mod & 2 ? 8 : from_b && (mod & 4) ? 4 : 1;
    unsigned from = bits(c->word, 17, 6) + (from_b ? rwc->SrcB : rwc->SrcA);
    uint32_t to = oracle_dst_first(c, count);

    from = repeat ? from % 64 : from % 64 / count * count;
    for (unsigned k = 0; k < count; k++) {
        const uint32_t
            *row = from_b ? c->s->src[1][c->bank_b][from + (repeat ? 0 : k)]
                          : c->s->src[0][c->bank_a][from + k];

        for (unsigned j = 0; j < 16; j++) {
            if (!blocked(c, j)) {
                cell_to_dst(c, row[column0 ? 0 : j], to + k, j, from_b);
            }
        }
        oracle_dst_validate(c, to + k,
                     to_dst_format(c, from_b) == FMT_TF32 ||
                         bits(c->word, 23, 1));
    }
}

static uint32_t dst_to_cell(const Context *c, unsigned row, unsigned j,
                            bool to_b)
{
    unsigned format = move_format(c, to_b);
    bool force = c->s->thread_cfg[c->thread][55] & 1;
    bool low = bits(c->word, 23, 1);
    bool wide = (!force && (c->wide || c->kind == KIND_INT8)) ||
                (low && c->s->dst16b_is_high_half);
    Kind kind = force ? KIND_FP16 : oracle_kind_of(format);
    uint32_t x = oracle_dst_read(c, row, j, wide, 0);
    uint32_t half;

    low = wide && low;
    half = !wide ? x : low ? x & 0xffff : x >> 16;

    if (kind == KIND_FP16) {
        return bits(half, 5, 11) << 8 | half % 32;
    }
    if (kind == KIND_TF32 && low) {
        return x & 0x1fff;
    }
    return bits(half, 8, 8) << 11 | half % 256 |
           (kind == KIND_TF32 && wide ? bits(x, 13, 3) << 8 : 0);
}

static void move_from_dst(const Context *c, unsigned src)
{
    const TensixRwc *rwc = &c->s->rwc[c->thread];
    unsigned count = bits(c->word, 13, 1) ? 4 : 1;
    uint32_t from = oracle_dst_first(c, count);
    unsigned to = bits(c->word, 17, 6) + (src ? rwc->SrcB : rwc->SrcA);

    to = to % 64 / count * count;
    for (unsigned k = 0; k < count; k++) {
        for (unsigned j = 0; j < 16; j++) {
            if (!blocked(c, j)) {
                c->s->src[src][src ? c->bank_b : c->bank_a][to + k][j] =
                    dst_to_cell(c, from + k, j, src);
            }
        }
    }
}

static void move_b_to_a(const Context *c)
{
    const TensixRwc *rwc = &c->s->rwc[c->thread];
    unsigned count = bits(c->word, 13, 1) ? 4 : 1;
    unsigned to = (bits(c->word, 17, 6) + rwc->SrcA) % 64 / count * count;
    unsigned from = (bits(c->word, 0, 6) + rwc->SrcB) % 64 / count * count;

    for (unsigned k = 0; k < count; k++) {
        for (unsigned j = 0; j < 16; j++) {
            uint32_t x = c->s->src[1][c->bank_b][from + k][j];

            if (!blocked(c, j)) {
                c->s->src[0][c->bank_a][to + k][j] = bits(x, 0, 8) || c->keep_b
                                                         ? x
                                                         : 0;
            }
        }
    }
}

static void transpose_b(const Context *c)
{
    uint32_t (*rows)[16] = &c->s->src[1][c->bank_b][16];

    for (unsigned k = 0; k < 16; k++) {
        for (unsigned j = 0; j < k; j++) {
            uint32_t x = rows[k][j];

            rows[k][j] = rows[j][k];
            rows[j][k] = x;
        }
    }
}

static void shift_b(const Context *c)
{
    uint32_t *row = c->s->src[1][c->bank_b]
                    [(bits(c->word, 0, 6) + c->s->rwc[c->thread].SrcB) % 64];
    uint32_t first = row[0];

    for (unsigned j = 0; j < 15; j++) {
        row[j] = row[j + 1];
    }
    row[15] = bits(c->word, 10, 1) ? 0 : first;
}

bool oracle_move(const Context *c, unsigned opcode)
{
    switch (opcode) {
    case OP_MOVA2D:
    case OP_MOVDBGA2D:
        move_to_dst(c, false);
        return true;
    case OP_MOVB2D:
    case OP_MOVDBGB2D:
        move_to_dst(c, true);
        return true;
    case OP_MOVD2A:
    case OP_MOVD2B:
        move_from_dst(c, opcode == OP_MOVD2B);
        return true;
    case OP_MOVB2A:
        move_b_to_a(c);
        return true;
    case OP_TRNSPSRCB:
        transpose_b(c);
        return true;
    case OP_SHIFTXB:
        shift_b(c);
        return true;
    default:
        return false;
    }
}
