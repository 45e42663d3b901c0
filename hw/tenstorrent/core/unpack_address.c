/*
 * UNPACR: contexts, tile descriptors and addresses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md with its Blackhole parts, from the beginning up to the
 * main loop, and ADCs.md.  The order is the page's.
 */

#include "unpack.h"

/* THCON_SEC1 repeats THCON_SEC0; UNP1's strides repeat UNP0's. */
enum {
    SECTION_WORDS = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                    CFG_THCON_SEC0_REG0_TileDescriptor_WORD,
    STRIDE_WORDS = CFG_UNP1_ADDR_CTRL_XY_REG_1_Xstride_WORD -
                   CFG_UNP0_ADDR_CTRL_XY_REG_1_Xstride_WORD,
    BASE_WORDS = CFG_UNP1_ADDR_BASE_REG_1_Base_WORD -
                 CFG_UNP0_ADDR_BASE_REG_1_Base_WORD,
    L1_UNIT = 16,                  /* bytes, in which L1 is addressed */
    CONTEXT_MASK = 7,
    UNPACKER1_CONTEXTS = 2,
};

#define FIELD(u, word_offset, name) \
    ((u)->cfg[CFG_##name##_WORD + (word_offset)] >> CFG_##name##_LOW & \
     CFG_##name##_MASK)
/* A field of this unpacker's THCON section. */
#define SECTION(u, name) \
    FIELD(u, (u)->unpacker * SECTION_WORDS, THCON_SEC0_##name)
/* A whole word of it, `n` words on from the field's. */
#define SECTION_WORD(u, name, n) \
    ((u)->cfg[CFG_THCON_SEC0_##name##_WORD + (u)->unpacker * SECTION_WORDS + (n)])

static bool undefined(TensixUnpack *u, const char *what)
{
    tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR, "%s", what);
    return false;
}

/* --- contexts --- */

/*
 * ContextADC 0 is the own thread, as the bit-exact vectors have it (thread 0
 * on the page; the same thing for T0, which unpacks in all known software).
 */
static bool resolve_context(TensixUnpack *u)
{
    const TensixInsn *i = u->i;
    uint32_t offset = u->unpacker
        ? THREAD_CFG_GET(u->c, u->thread, UNPACK_MISC_CFG_CfgContextOffset_1)
        : THREAD_CFG_GET(u->c, u->thread, UNPACK_MISC_CFG_CfgContextOffset_0);

    u->multi_context = OPERAND(i, UNPACR, OvrdThreadId);
    u->adc_thread = u->thread;
    if (!u->multi_context) {
        return true;
    }
    u->context = OPERAND(i, UNPACR, AutoIncContextID)
                 ? u->c->s.unpack_context[u->thread][u->unpacker]
                 : OPERAND(i, UNPACR, CfgContextId);
    u->context = (u->context + offset) & CONTEXT_MASK;
    if (OPERAND(i, UNPACR, AddrCntContextId)) {
        u->adc_thread = OPERAND(i, UNPACR, AddrCntContextId);
    }
    if (u->adc_thread >= TENSIX_THREADS) {
        return undefined(u, "ContextADC 3 does not exist");
    }
    if (u->unpacker == 1 && u->context >= UNPACKER1_CONTEXTS) {
        return undefined(u, "unpacker 1 has no contexts beyond 1");
    }
    return true;
}

/* Bit `context` of fields whose contexts 4 to 7 stand 16 bits higher. */
static bool context_bit(const TensixUnpack *u, uint32_t word, uint32_t low)
{
    return word >> (low + (u->context & 3) + (u->context & 4) * 4) & 1;
}

/* Half `n` of halfwords that fill words from the field's on. */
static uint32_t halfword(uint32_t word, uint32_t n)
{
    return word >> (n & 1) * 16 & 0xffff;
}

/* --- tile descriptor --- */

/* Word n of the tile descriptor; its layout is at the end of the page. */
static uint32_t descriptor(const TensixUnpack *u, unsigned n)
{
    return SECTION_WORD(u, REG0_TileDescriptor, n);
}

static uint32_t one_if_zero(uint32_t x)
{
    return x ? x : 1;
}

static void resolve_dimensions(TensixUnpack *u)
{
    uint32_t n = u->context & 3;

    u->x_dim = descriptor(u, 0) >> 16;
    if (u->multi_context && u->unpacker == 0) {
        u->x_dim = halfword(SECTION_WORD(u, REG5_Tile_x_dim_cntx0, n / 2), n);
    }
    u->y_dim = descriptor(u, 1) & 0xff;
    u->z_dim = one_if_zero(descriptor(u, 1) >> 16 & 0xff);
    u->w_dim = one_if_zero(descriptor(u, 2) & 0xff);
}

static uint32_t blobs_per_plane(const TensixUnpack *u)
{
    return descriptor(u, 0) >> 8 & 7;
}

static void resolve_formats(TensixUnpack *u)
{
    uint32_t zero_compress =
        SECTION_WORD(u, REG2_Disable_zero_compress_cntx0, 0);

    u->compressed = !(u->multi_context ? context_bit(u, zero_compress, 0)
                                       : descriptor(u, 0) >> 4 & 1);
    u->in_format = descriptor(u, 0) & 0xf;
    u->out_format = SECTION(u, REG2_Out_data_format);
    if (u->multi_context && SECTION(u, REG2_Ovrd_data_format)) {
        uint32_t word = SECTION_WORD(u, REG7_Unpack_data_format_cntx0,
                                     u->context & 3);

        word >>= 16 + (u->context >> 2) * 8;
        u->in_format = word & 0xf;
        u->out_format = word >> 4 & 0xf;
    }
}

/* Does the unpacker write Dst?  Only the first one can. */
static void resolve_destination(TensixUnpack *u)
{
    uint32_t if_sel = SECTION_WORD(u, REG2_Unpack_if_sel_cntx0, 0);

    u->transpose = SECTION(u, REG2_Haloize_mode);
    u->tilize = SECTION(u, REG2_Tileize_mode);
    u->zero = OPERAND(u->i, UNPACR, ZeroWrite2);
    if (u->unpacker == 0) {
        u->to_dst = u->multi_context
                    ? context_bit(u, if_sel, CFG_THCON_SEC0_REG2_Unpack_if_sel_cntx0_LOW)
                    : SECTION(u, REG2_Unpack_If_Sel);
    } else if (u->transpose) {
        tensix_violation(u->c, u->i, TENSIX_NON_CONTRACTUAL,
                         "unpacker 1 ignores that it shall transpose");
        u->transpose = false;
    }
}

static bool resolve_conversion(TensixUnpack *u)
{
    bool int8_unsigned = u->unpacker
                         ? FIELD(u, 0, ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                         : FIELD(u, 0, ALU_FORMAT_SPEC_REG0_SrcAUnsigned);
    uint32_t modes =
        (u->to_dst ? UNPACK_TO_DST : 0) |
        (int8_unsigned ? UNPACK_INT8_UNSIGNED : 0) |
        (SECTION(u, REG1_Unp_LF8_4b_exp) ? UNPACK_FP8_E4M3 : 0);

    if (!tensix_unpack_conversion(u->in_format, u->out_format, modes,
                                  &u->conversion)) {
        tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "format %u in L1 cannot become format %u in %s",
                         (unsigned)u->in_format, (unsigned)u->out_format,
                         u->to_dst ? "Dest" : u->unpacker ? "SrcB" : "SrcA");
        return false;
    }
    u->forced_exponent = u->conversion.block_float &&
                         SECTION(u, REG2_Force_shared_exp);
    u->exponent = u->unpacker ? FIELD(u, 0, UNP1_FORCED_SHARED_EXP_shared_exp)
                              : FIELD(u, 0, UNP0_FORCED_SHARED_EXP_shared_exp);
    return true;
}

/* --- input --- */

static uint32_t round_up(uint32_t x)
{
    return (x + L1_UNIT - 1) & ~(uint32_t)(L1_UNIT - 1);
}

/* Byte address behind the tile's header. */
static uint32_t tile_address(const TensixUnpack *u)
{
    uint32_t base = SECTION_WORD(u, REG3_Base_address, u->context);
    uint32_t offset =
        SECTION_WORD(u, REG7_Offset_address, u->context & 3) & 0xffff;
    uint32_t digest_size = descriptor(u, 3) >> 24;

    return (base + offset + 1 + digest_size) * L1_UNIT;
}

/* Bytes of the row start indices of a compressed tile. */
static uint32_t row_start_size(const TensixUnpack *u)
{
    uint32_t rows = blobs_per_plane(u) ? blobs_per_plane(u) : u->y_dim;

    return round_up((rows * u->z_dim * u->w_dim + 1) * sizeof(uint16_t));
}

/* Bytes of the exponent section; none may follow from NoBFPExpSection. */
static uint32_t exponent_size(const TensixUnpack *u)
{
    bool always = u->conversion.datum_bits == 8;
    bool omitted = descriptor(u, 0) >> 5 & 1;
    uint32_t datums = u->x_dim * u->y_dim * u->z_dim * u->w_dim;

    if (!always && omitted) {
        return 0;
    }
    return round_up(datums / UNPACK_ROW_DATUMS + (datums % UNPACK_ROW_DATUMS > 0));
}

/* X counters: channel 0 the first datum, channel 1 the last one. */
static const TensixAdc *xy_adc(const TensixUnpack *u)
{
    return &u->c->s.adc[u->adc_thread][u->unpacker];
}

/*
 * The plane that channel 0 of the own ADC's Z and W select; the input address
 * generator has eight bits of each.
 */
static uint32_t plane(const TensixUnpack *u)
{
    const TensixAdcChannel *zw =
        &u->c->s.adc[u->thread][u->unpacker].channel[0];

    return (zw->W & 0xff) * u->z_dim + (zw->Z & 0xff);
}

/* Four bits where blob n of a row search starts, n 0..7. */
static uint32_t blob_start(const TensixUnpack *u, uint32_t n)
{
    uint32_t starts = descriptor(u, 2) >> 16 | descriptor(u, 3) << 16;

    if (u->multi_context && u->unpacker == 0) {
        starts = u->context & 2
                 ? FIELD(u, 0, UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start)
                 : FIELD(u, 0, UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
    }
    return starts >> 4 * (n & 7) & 0xf;
}

static uint32_t blob_end(const TensixUnpack *u)
{
    uint32_t next = (xy_adc(u)->channel[0].X & 7) + 1;

    return next == blobs_per_plane(u) ? u->x_dim & 0x1f0
                                      : blob_start(u, next) << 4;
}

static bool resolve_uncompressed_range(TensixUnpack *u)
{
    const TensixAdc *adc = xy_adc(u);
    uint32_t x = adc->channel[0].X, y = adc->channel[0].Y;
    uint32_t end = adc->channel[1].X + 1;

    if (OPERAND(u->i, UNPACR, RowSearch) && blobs_per_plane(u)) {
        x = blob_start(u, y) << 4;
        y = 0;
        end = blob_end(u);
    } else if (OPERAND(u->i, UNPACR, RowSearch)) {
        x = 0;
        end = adc->channel[1].X;
    }
    if (end < x) {
        return undefined(u, "the last datum stands before the first one");
    }
    u->first_datum = (plane(u) * u->y_dim + y) * u->x_dim + x;
    u->count = end - x;
    u->produce = UINT64_MAX;
    return true;
}

/* Entry n of the row start indices, 16 bits each. */
static bool row_start(TensixUnpack *u, uint32_t table, uint32_t n, uint32_t *value)
{
    return tensix_unpack_read_l1(u, (int64_t)table + (int64_t)n * 2, 2, value);
}

static bool resolve_compressed_range(TensixUnpack *u, uint32_t table)
{
    const TensixAdc *adc = xy_adc(u);
    bool search = OPERAND(u->i, UNPACR, RowSearch);
    uint32_t x = adc->channel[0].X, y = adc->channel[0].Y & 0xff;
    uint32_t last = adc->channel[1].X;
    uint32_t rows = search && blobs_per_plane(u) ? blobs_per_plane(u) : u->y_dim;
    uint32_t row = plane(u) * rows, end;
    bool whole = search || (x == 0 && last == u->x_dim - 1);

    if (!row_start(u, table, row + y, &u->first_datum) ||
        (whole && !row_start(u, table, row + (search ? x & 0xff : y) + 1, &end))) {
        tensix_violation(u->c, u->i, TENSIX_BAD_ACCESS,
                         "row start indices beyond L1");
        return false;
    }
    u->count = UINT32_MAX;
    u->produce = UINT64_MAX;
    if (whole && end < u->first_datum) {
        return undefined(u, "a compressed row ends before it starts");
    } else if (whole) {
        u->count = end - u->first_datum;
    } else if (last + 1 < x) {
        return undefined(u, "the last datum stands before the first one");
    } else {
        u->drop = x;
        u->produce = last + 1 - x;
    }
    return true;
}

/* Where the first datum, its exponent and its count of zeroes are. */
static void resolve_first_datum(TensixUnpack *u, uint32_t address)
{
    uint32_t bits = u->conversion.datum_bits;
    uint32_t first = u->first_datum;

    u->exponents += first;
    u->data = (int64_t)address * 8;
    if (u->compressed) {
        /* 32 datums and 32 counts of four bits take turns */
        u->data += (int64_t)(first / 32) * (32 * bits + 32 * 4);
        u->deltas = u->data + 32 * bits + first % 32 * 4;
        u->data += first % 32 * bits;
        u->deltas = tensix_unpack_wrap(u, u->deltas);
    } else {
        u->data += (int64_t)first * bits;
    }
    u->data = tensix_unpack_wrap(u, u->data);
    /* sixteenths of a byte to bits and back */
    if (u->exponents > u->limit * 2) {
        u->exponents -= u->fifo * 2;
    }
}

static bool resolve_input(TensixUnpack *u)
{
    uint32_t address = tile_address(u), table = address;

    u->limit = (int64_t)SECTION(u, REG2_Unpack_limit_address) * L1_UNIT * 8;
    u->fifo = (int64_t)SECTION(u, REG2_Unpack_fifo_size) * L1_UNIT * 8;
    if (u->compressed) {
        address += row_start_size(u);
    }
    if (u->conversion.block_float && !u->forced_exponent) {
        u->exponents = (int64_t)address * 16;
        address += exponent_size(u);
    }
    if (!(u->compressed ? resolve_compressed_range(u, table)
                        : resolve_uncompressed_range(u))) {
        return false;
    }
    resolve_first_datum(u, address);
    return true;
}

static void resolve_row_stride(TensixUnpack *u)
{
    enum { NARROW_ROW = 16, WIDE_ROW = 32, WIDE_FROM_BITS = 16 };
    uint32_t bits = u->conversion.datum_bits;

    u->row_width = bits >= WIDE_FROM_BITS ? WIDE_ROW : NARROW_ROW;
    if (u->tilize) {
        u->row_stride = (int64_t)(SECTION(u, REG2_Shift_amount_cntx0) << 4 |
                                  SECTION(u, REG2_Shift_amount_cntx1) << 8 |
                                  SECTION(u, REG2_Shift_amount_cntx2) << 12) * 8;
    } else {
        u->row_stride = u->row_width * bits;
    }
}

/* --- output --- */

/* Cells of the output address from its bytes; false: not aligned. */
static bool scale_output(TensixUnpack *u)
{
    uint32_t bits = tensix_unpack_datum_bits(u->out_format);
    uint32_t shift = bits == 32 ? 2 : bits == 16 ? 1 : 0;

    if (u->out & ((1u << shift) - 1)) {
        return undefined(u, "output address not aligned to a datum");
    }
    u->out >>= shift;
    return true;
}

static bool resolve_output(TensixUnpack *u)
{
    const TensixAdcChannel *adc =
        &u->c->s.adc[u->thread][u->unpacker].channel[1];
    uint32_t strides = u->unpacker * STRIDE_WORDS;
    uint32_t n = u->context & 3, context_out;

    u->out = FIELD(u, u->unpacker * BASE_WORDS, UNP0_ADDR_BASE_REG_1_Base) +
             adc->Y * FIELD(u, strides, UNP0_ADDR_CTRL_XY_REG_1_Ystride) +
             adc->Z * FIELD(u, strides, UNP0_ADDR_CTRL_ZW_REG_1_Zstride) +
             adc->W * FIELD(u, strides, UNP0_ADDR_CTRL_ZW_REG_1_Wstride);
    if (!scale_output(u)) {
        return false;
    }
    if (u->multi_context && u->unpacker == 0) {
        context_out = halfword(SECTION_WORD(u, REG5_Dest_cntx0_address, n / 2), n);
        if (!u->to_dst &&
            !FIELD(u, 0, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr)) {
            u->out = 0;
        }
        u->out += context_out;
    }
    return true;
}

static void resolve_upsampling(TensixUnpack *u)
{
    uint32_t shifts = SECTION_WORD(u, REG2_Shift_amount_cntx0, 0);

    u->upsample = (1u << SECTION(u, REG2_Upsample_rate)) - 1;
    u->interleave = SECTION(u, REG2_Upsample_and_interleave);
    if (!u->tilize && u->unpacker == 0) {
        u->column_shift =
            shifts >> (CFG_THCON_SEC0_REG2_Shift_amount_cntx0_LOW +
                       4 * (u->context & 3)) & 0xf;
    }
}

/* "Check that various settings are compatible with each other" */
static bool compatible(TensixUnpack *u)
{
    if ((u->transpose || u->tilize) && u->data % (L1_UNIT * 8) != 0) {
        return undefined(u, "transposing or tilizing from an address that is "
                            "not a multiple of 16");
    }
    if (u->tilize && (u->upsample || u->compressed)) {
        return undefined(u, "tilizing what is compressed or upsampled");
    }
    if (u->to_dst && (u->column_shift || u->transpose)) {
        return undefined(u, "transposing or shifting columns into Dest");
    }
    if (u->to_dst &&
        THREAD_CFG_GET(u->c, u->thread, SRCA_SET_SetOvrdWithAddr)) {
        return undefined(u, "unpacking to Dest with SRCA_SET_SetOvrdWithAddr");
    }
    return true;
}

bool tensix_unpack_resolve(TensixUnpack *u)
{
    if (!resolve_context(u)) {
        return false;
    }
    resolve_dimensions(u);
    resolve_formats(u);
    resolve_destination(u);
    if (!resolve_conversion(u) || !resolve_input(u)) {
        return false;
    }
    resolve_row_stride(u);
    if (!resolve_output(u)) {
        return false;
    }
    resolve_upsampling(u);
    return compatible(u);
}
