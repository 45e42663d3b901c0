/*
 * UNPACR: the plan made from configuration, kept from one UNPACR to the next.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md with its Blackhole parts: all that does not depend on
 * address counters or on the tile's place in L1 and Dst.  Software changes those
 * for each tile and the rest seldom.
 */

#include "unpack/unpack.h"
#include "config/config.h"
#include "num/num_formats.h"

/* UNP1's words are so far after UNP0's. */
enum {
    STRIDE_WORDS = CFG_UNP1_ADDR_CTRL_XY_REG_1_Xstride_WORD -
                   CFG_UNP0_ADDR_CTRL_XY_REG_1_Xstride_WORD,
    BASE_WORDS = CFG_UNP1_ADDR_BASE_REG_1_Base_WORD -
                 CFG_UNP0_ADDR_BASE_REG_1_Base_WORD,
};

/* --- which conversion --- */

/* Modes that choose among conversions of one pair of formats. */
typedef struct Modes {
    bool to_dst, int8_unsigned, fp8_e4m3;
} Modes;

/* A format that becomes itself. */
static uint8_t own_kernel(const TensixFormat *row, Modes modes)
{
    if (modes.fp8_e4m3 && row->unpack_e4m3) {
        return row->unpack_e4m3;
    }
    return modes.int8_unsigned && row->unpack_unsigned ? row->unpack_unsigned
                                                       : row->unpack;
}

/* UNPACK_NONE: there is no conversion.  FP32 is the only format with a choice. */
static uint8_t find_kernel(uint32_t in, uint32_t out, Modes modes)
{
    const TensixFormat *from = &tensix_formats[in], *to = &tensix_formats[out];
    bool from_fp32 = in == TENSIX_FMT_FP32;

    if (modes.to_dst && to->is_word &&
        (in == out || (from_fp32 && to->unpack_fp32))) {
        return UNPACK_BITS32_TO_DST;
    }
    if (from_fp32) {
        return to->unpack_fp32;
    }
    if (out == TENSIX_FMT_BFP8 && from->expands_to_bfp8) {
        return from->unpack;
    }
    return in == out ? own_kernel(from, modes) : UNPACK_NONE;
}

static uint8_t destination(uint8_t kernel, uint32_t out)
{
    if (kernel == UNPACK_BITS32_TO_DST) {
        return UNPACK_DST_32B;
    }
    return tensix_num_format_is_bf16(out) ? UNPACK_DST_8BIT_EXPONENT
                                          : UNPACK_DST_5BIT_EXPONENT;
}

/* --- tile --- */

/* Bit `context` of fields whose contexts 4 to 7 are 16 bits higher. */
static bool context_bit(const TensixUnpack *u, uint32_t word, uint32_t low)
{
    return word >> (low + (u->context & 3) + (u->context & 4) * 4) & 1;
}

static uint32_t one_if_zero(uint32_t x)
{
    return x ? x : 1;
}

static void plan_dimensions(TensixUnpackPlan *p, const TensixUnpack *u)
{
    uint32_t n = u->context & 3;

    p->x_dim = tensix_unpack_descriptor(u, 0) >> 16;
    if (u->multi_context && u->unpacker == 0) {
        p->x_dim = tensix_unpack_halfword(
            SECTION_WORD(u, REG5_Tile_x_dim_cntx0, n / 2), n);
    }
    p->y_dim = tensix_unpack_descriptor(u, 1) & 0xff;
    p->z_dim = one_if_zero(tensix_unpack_descriptor(u, 1) >> 16 & 0xff);
    p->w_dim = one_if_zero(tensix_unpack_descriptor(u, 2) & 0xff);
    p->blobs_per_plane = tensix_unpack_descriptor(u, 0) >> 8 & 7;
}

static void plan_formats(TensixUnpackPlan *p, const TensixUnpack *u)
{
    uint32_t zero_compress =
        SECTION_WORD(u, REG2_Disable_zero_compress_cntx0, 0);

    p->compressed = !(u->multi_context
                      ? context_bit(u, zero_compress, 0)
                      : tensix_unpack_descriptor(u, 0) >> 4 & 1);
    p->in_format = tensix_unpack_descriptor(u, 0) & 0xf;
    p->out_format = SECTION(u, REG2_Out_data_format);
    if (u->multi_context && SECTION(u, REG2_Ovrd_data_format)) {
        uint32_t word = SECTION_WORD(u, REG7_Unpack_data_format_cntx0,
                                     u->context & 3);

        word >>= 16 + (u->context >> 2) * 8;
        p->in_format = word & 0xf;
        p->out_format = word >> 4 & 0xf;
    }
}

/* Does the unpacker write Dst?  Only the first one can. */
static void plan_destination(TensixUnpackPlan *p, const TensixUnpack *u)
{
    uint32_t if_sel = SECTION_WORD(u, REG2_Unpack_if_sel_cntx0, 0);

    p->transpose = SECTION(u, REG2_Haloize_mode);
    if (u->unpacker == 0) {
        p->to_dst = u->multi_context
            ? context_bit(u, if_sel, CFG_THCON_SEC0_REG2_Unpack_if_sel_cntx0_LOW)
            : SECTION(u, REG2_Unpack_If_Sel);
        p->absolute_rows =
            THREAD_CFG_GET(u->c, u->thread, SRCA_SET_SetOvrdWithAddr);
    } else if (p->transpose) {
        p->transpose = false;
        p->problem = UNPACK_TRANSPOSE_IGNORED;
    }
}

static void plan_conversion(TensixUnpackPlan *p, const TensixUnpack *u)
{
    Modes modes = {
        .to_dst = p->to_dst,
        .int8_unsigned = u->unpacker
                         ? FIELD(u, 0, ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                         : FIELD(u, 0, ALU_FORMAT_SPEC_REG0_SrcAUnsigned),
        .fp8_e4m3 = SECTION(u, REG1_Unp_LF8_4b_exp),
    };
    bool block_float = tensix_formats[p->in_format].shared_exponent;

    p->kernel = find_kernel(p->in_format, p->out_format, modes);
    p->dst = destination(p->kernel, p->out_format);
    p->datum_bits = tensix_num_datum_bits(p->in_format);
    p->forced_exponent = block_float &&
                         SECTION(u, REG2_Force_shared_exp);
    p->own_exponents = block_float && !p->forced_exponent;
    p->exponent = u->unpacker ? FIELD(u, 0, UNP1_FORCED_SHARED_EXP_shared_exp)
                              : FIELD(u, 0, UNP0_FORCED_SHARED_EXP_shared_exp);
    if (p->kernel == UNPACK_NONE) {
        p->problem = UNPACK_NO_CONVERSION;
    }
}

/* --- input --- */

static uint32_t round_up(uint32_t x)
{
    return (x + L1_UNIT - 1) & ~(uint32_t)(L1_UNIT - 1);
}

/* Bytes of the row start indices of a compressed tile. */
static uint32_t row_start_size(const TensixUnpackPlan *p)
{
    uint32_t rows = p->blobs_per_plane ? p->blobs_per_plane : p->y_dim;

    return round_up((rows * p->z_dim * p->w_dim + 1) * sizeof(uint16_t));
}

/* Bytes of the exponent section; none may follow from NoBFPExpSection. */
static uint32_t exponent_size(const TensixUnpackPlan *p, const TensixUnpack *u)
{
    bool omitted = tensix_unpack_descriptor(u, 0) >> 5 & 1;
    uint32_t datums = p->x_dim * p->y_dim * p->z_dim * p->w_dim;

    if (p->datum_bits != 8 && omitted) {
        return 0;
    }
    return round_up(datums / UNPACK_ROW_DATUMS + (datums % UNPACK_ROW_DATUMS > 0));
}

static void plan_sections(TensixUnpackPlan *p, const TensixUnpack *u)
{
    uint32_t digest_size = tensix_unpack_descriptor(u, 3) >> 24;

    p->header = (1 + digest_size) * L1_UNIT;
    p->row_starts = p->compressed ? row_start_size(p) : 0;
    p->exponents = p->own_exponents ? exponent_size(p, u) : 0;
    p->limit = SECTION(u, REG2_Unpack_limit_address) * L1_UNIT * 8;
    p->fifo = SECTION(u, REG2_Unpack_fifo_size) * L1_UNIT * 8;
}

static void plan_unpack_rows(TensixUnpackPlan *p, const TensixUnpack *u)
{
    enum { NARROW_ROW = 16, WIDE_ROW = 32, WIDE_FROM_BITS = 16 };

    p->tilize = SECTION(u, REG2_Tileize_mode);
    p->row_width = p->datum_bits >= WIDE_FROM_BITS ? WIDE_ROW : NARROW_ROW;
    p->row_stride = p->row_width * p->datum_bits;
    if (p->tilize) {
        p->row_stride = (SECTION(u, REG2_Shift_amount_cntx0) << 4 |
                         SECTION(u, REG2_Shift_amount_cntx1) << 8 |
                         SECTION(u, REG2_Shift_amount_cntx2) << 12) * 8;
    }
}

/* --- output --- */

static void plan_output(TensixUnpackPlan *p, const TensixUnpack *u)
{
    uint32_t strides = u->unpacker * STRIDE_WORDS;
    uint32_t bits = tensix_num_datum_bits(p->out_format);

    p->out_base = FIELD(u, u->unpacker * BASE_WORDS, UNP0_ADDR_BASE_REG_1_Base);
    p->y_stride = FIELD(u, strides, UNP0_ADDR_CTRL_XY_REG_1_Ystride);
    p->z_stride = FIELD(u, strides, UNP0_ADDR_CTRL_ZW_REG_1_Zstride);
    p->w_stride = FIELD(u, strides, UNP0_ADDR_CTRL_ZW_REG_1_Wstride);
    p->out_shift = bits == 32 ? 2 : bits == 16 ? 1 : 0;
    if (u->multi_context && u->unpacker == 0) {
        p->context_out = true;
        p->only_context_out =
            !p->to_dst &&
            !FIELD(u, 0, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
    }
}

static void plan_upsampling(TensixUnpackPlan *p, const TensixUnpack *u)
{
    uint32_t shifts = SECTION_WORD(u, REG2_Shift_amount_cntx0, 0);

    p->upsample = (1u << SECTION(u, REG2_Upsample_rate)) - 1;
    p->interleave = SECTION(u, REG2_Upsample_and_interleave);
    if (!p->tilize && u->unpacker == 0) {
        p->column_shift =
            shifts >> (CFG_THCON_SEC0_REG2_Shift_amount_cntx0_LOW +
                       4 * (u->context & 3)) & 0xf;
    }
    p->whole_rows = !p->compressed && !p->upsample && !p->column_shift;
    p->row_update = SECTION(u, REG2_Unpack_Src_Reg_Set_Upd);
}

/* "Check that various settings are compatible with each other" */
static void plan_problems(TensixUnpackPlan *p)
{
    if (p->problem == UNPACK_NO_CONVERSION) {
        return;
    }
    if (p->tilize && (p->upsample || p->compressed)) {
        p->problem = UNPACK_TILIZE_ENCODED;
    } else if (p->to_dst && (p->column_shift || p->transpose)) {
        p->problem = UNPACK_DST_REARRANGED;
    } else if (p->to_dst && p->absolute_rows) {
        p->problem = UNPACK_DST_ABSOLUTE;
    } else if (p->tilize && p->datum_bits < 8) {
        p->problem = UNPACK_TILIZE_NARROW;
    }
}

void tensix_unpack_make_plan(TensixUnpackPlan *p, const TensixUnpack *u,
                             uint64_t key)
{
    *p = (TensixUnpackPlan) { .key = key };
    plan_dimensions(p, u);
    plan_formats(p, u);
    plan_destination(p, u);
    plan_conversion(p, u);
    plan_sections(p, u);
    plan_unpack_rows(p, u);
    plan_output(p, u);
    plan_upsampling(p, u);
    plan_problems(p);
}
