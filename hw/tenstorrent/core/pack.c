/*
 * Packer: PACR, from rows of Dst to a stream of bytes in L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md for the read interfaces and the tile position; WH Packers/
 * InputAddressGenerator.md, EdgeMasking.md, ReLU.md, ExponentThresholding.md,
 * Downsampling.md and OutputAddressGenerator.md for the stages behind them.
 *
 * One instruction reads up to four rows, converts their 64 datums at once and
 * writes them with one burst for the data and one for the exponents.  The
 * hardware gathers 16 bytes before it writes; here bytes reach L1 with the
 * PACR that made them, and Last or Flush fill up the last 16 with zeroes.
 */

#include <string.h>

#include "num_pack.h"
#include "regfile.h"

enum {
    L1_UNIT = 16,                  /* bytes of one address unit */
    L1_UNITS = 0x20000,            /* addresses wrap at this many units */
    STREAM_BITS = L1_UNITS * L1_UNIT * 8,
    STREAM_BYTES = L1_UNITS * L1_UNIT,
    ALL_INTERFACES = 0xf,
    STRIDED_ROWS = 16,             /* between rows with DstAccessMode */
    COLUMN_MASK = PACK_COLUMNS - 1,
    TILE_ROW_LIMIT = 0xff,         /* TilePosition has 8 bits */
    ADC_YZ_MASK = 0x1fff,
    ADC_X_LIMIT = 0x3ffff,
    ALL_COLUMNS = 0xffff,
    EDGE_SETS = 3,                 /* mask of a set's number */
    RELU_MODES = 3,
    WORD_FORMATS = 70,             /* THCON_SEC0_REG1, third word */
    WORD_SAMPLING = 71,
    MINUS_INF_FP16 = 0xffff,
    ALL_VALID = 0x01010101,        /* four rows' DstRowValid */
};

/* One PACR's way through the packer. */
typedef struct PackRun {
    TensixCore *c;
    const TensixInsn *i;
    const uint32_t *cfg;           /* the active bank */
    const TensixPackPlan *plan;
    uint32_t format;               /* Out_data_format */
    unsigned interfaces;           /* how many rows */
    unsigned per_row;              /* datums of each row that are packed */
    unsigned first_column;
    uint32_t start_row;
    uint32_t mask;                 /* read interfaces */
    uint32_t v[PACK_DATUMS];
    uint8_t exponents[PACK_ROWS];
} PackRun;

#define FIELD(cfg, name) ((cfg)[CFG_##name##_WORD] >> CFG_##name##_LOW & \
                          CFG_##name##_MASK)

/* --- what is not modelled, or not defined --- */

/* A configuration field that has to be zero. */
typedef struct Refusal {
    uint8_t word, low, width;
    TensixCategory category;
    const char *text;
} Refusal;

#define REFUSE(name, width, category, text) \
    { CFG_##name##_WORD, CFG_##name##_LOW, width, category, text }

static const Refusal refusals[] = {
    REFUSE(THCON_SEC0_REG1_Add_l1_dest_addr_offset, 1, TENSIX_UNIMPLEMENTED,
           "Add_l1_dest_addr_offset"),
    REFUSE(THCON_SEC0_REG1_Dis_shared_exp_assembler, 1, TENSIX_UNIMPLEMENTED,
           "Dis_shared_exp_assembler"),
    REFUSE(THCON_SEC0_REG1_Enable_out_fifo, 1, TENSIX_UNIMPLEMENTED,
           "Enable_out_fifo"),
    REFUSE(THCON_SEC0_REG1_Source_interface_selection, 1, TENSIX_UNIMPLEMENTED,
           "packing from L1 (Source_interface_selection)"),
    REFUSE(THCON_SEC0_REG1_pack_start_intf_pos, 4, TENSIX_UNIMPLEMENTED,
           "pack_start_intf_pos"),
    REFUSE(THCON_SEC0_REG1_Add_tile_header_size, 1, TENSIX_UNIMPLEMENTED,
           "Add_tile_header_size"),
    REFUSE(THCON_SEC0_REG1_Downsample_rate, 3, TENSIX_UNIMPLEMENTED,
           "Downsample_rate"),
    REFUSE(ALU_ROUNDING_MODE_Gasket_srnd_en, 1, TENSIX_UNPREDICTABLE_VALUE,
           "stochastic rounding (Gasket_srnd_en), done to nearest"),
    REFUSE(ALU_ROUNDING_MODE_Packer_srnd_en, 1, TENSIX_UNPREDICTABLE_VALUE,
           "stochastic rounding (Packer_srnd_en), done to nearest"),
};

enum {
    REFUSED_FORMATS = 1 << 1 | 1 << 12 | 1 << 14 | 0x1f << 16 | 1 << 22,
    REFUSED_SAMPLING = 7 << 16,
    REFUSED_ROUNDING = 1 << 1 | 1 << 2,
    UNUSUAL = 3 << TENSIX_PACR_CtxtCtrl_LOW | 7 << TENSIX_PACR_RowPadZero_LOW |
              3 << TENSIX_PACR_CfgContext_LOW,
};

static void report_fields(PackRun *r)
{
    for (unsigned n = 0; n < sizeof(refusals) / sizeof(refusals[0]); n++) {
        const Refusal *f = &refusals[n];

        if (r->cfg[f->word] >> f->low & ((1u << f->width) - 1)) {
            tensix_violation(r->c, r->i, f->category, "%s", f->text);
        }
    }
}

static bool compresses(const PackRun *r)
{
    return !FIELD(r->cfg, THCON_SEC0_REG1_Disable_zero_compress) &&
           !FIELD(r->cfg, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd);
}

/* Operands that the page leaves open, and configuration as above. */
static void report_unsupported(PackRun *r)
{
    const TensixInsn *i = r->i;

    if ((r->cfg[WORD_FORMATS] & REFUSED_FORMATS) |
        (r->cfg[WORD_SAMPLING] & REFUSED_SAMPLING) |
        (r->cfg[CFG_ALU_ROUNDING_MODE_Gasket_srnd_en_WORD] &
         REFUSED_ROUNDING)) {
        report_fields(r);
    }
    if (compresses(r)) {
        tensix_violation(r->c, i, TENSIX_UNIMPLEMENTED,
                         "zero compression; the data is packed as it is");
    }
    if (OPERAND(i, PACR, CtxtCtrl) | OPERAND(i, PACR, RowPadZero) |
        OPERAND(i, PACR, CfgContext)) {
        tensix_violation(r->c, i, TENSIX_UNIMPLEMENTED,
                         "CtxtCtrl, RowPadZero and CfgContext are ignored");
    }
}

/* --- input --- */

static TensixAdc *find_adc(PackRun *r)
{
    uint32_t which = r->i->thread;

    if (OPERAND(r->i, PACR, OvrdThreadId)) {
        which = OPERAND(r->i, PACR, AddrCntContext);
        which = which < TENSIX_THREADS ? which : 0;
    }
    return &r->c->s.adc[which][TENSIX_ADC_PACK];
}

/* Bytes of a datum as the input address counts them: by In_data_format. */
static uint32_t input_datum_shift(const PackRun *r)
{
    static const uint8_t shift[] = { 2, 1, 0, 0 };

    return shift[FIELD(r->cfg, THCON_SEC0_REG1_In_data_format) & 3];
}

/* First row and column, and how many datums of each row there are. */
static void find_input(PackRun *r, const TensixAdc *adc)
{
    const TensixAdcChannel *ch = &adc->channel[0];
    const uint32_t *cfg = r->cfg;
    uint32_t shift = input_datum_shift(r);
    uint32_t x_mask = COLUMN_MASK >> shift;
    uint32_t bytes =
        FIELD(cfg, PCK0_ADDR_BASE_REG_0_Base) +
        ch->X * (FIELD(cfg, PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 0xf) +
        ch->Y * FIELD(cfg, PCK0_ADDR_CTRL_XY_REG_0_Ystride) +
        ch->Z * FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_0_Zstride) +
        ch->W * FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
    uint32_t datum = (bytes >> shift & ~x_mask) + (ch->X & x_mask);
    uint32_t count = (adc->channel[1].X - ch->X + 1) & ADC_X_LIMIT;

    r->first_column = datum & COLUMN_MASK;
    r->start_row = (datum >> 4) + FIELD(cfg, DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
    if (count > PACK_COLUMNS - r->first_column) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "%u datums from column %u of rows of 16",
                         (unsigned)count, r->first_column);
        count = PACK_COLUMNS - r->first_column;
    }
    r->per_row = OPERAND(r->i, PACR, Flush) ? 0 : count;
}

/* Rows left in the xy plane, if fewer than the instruction would read. */
static uint32_t last_mask(const PackRun *r, uint32_t mask)
{
    uint32_t rows = FIELD(r->cfg, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    uint32_t left = rows - r->c->s.packer.tile_row;

    return left < (uint32_t)__builtin_popcount(mask) ? (1u << left) - 1 : mask;
}

static void find_interfaces(PackRun *r)
{
    uint32_t mask = OPERAND(r->i, PACR, ReadIntfSel);
    bool strided = OPERAND(r->i, PACR, DstAccessMode);

    mask = mask ? mask : ALL_INTERFACES;
    if (FIELD(r->cfg, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel)) {
        mask = last_mask(r, mask);
    }
    if (!strided && mask << (r->start_row & 3) > ALL_INTERFACES) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "read interfaces leave a group of four rows");
    }
    r->mask = mask;
    r->interfaces = __builtin_popcount(mask);
}

static void read_row(const PackRun *r, uint32_t row, bool wide,
                     uint16_t *high, uint16_t *low)
{
    const TensixState *s = &r->c->s;
    uint32_t at = wide ? tensix_dst_adj32(r->c, r->i->thread, row)
                       : tensix_dst_adj16(r->c, r->i->thread, row);

    if (!s->dst_row_valid[at]) {
        memset(high, 0, sizeof(s->dst[0]));
        memset(low, 0, sizeof(s->dst[0]));
        return;
    }
    memcpy(high, s->dst[at], sizeof(s->dst[0]));
    if (wide) {
        memcpy(low, s->dst[(at + DST_LOW_HALF_ROWS) & DST_ROW_MASK],
               sizeof(s->dst[0]));
    }
}

/* Right shift of integers that become INT8 (INT_DESCALE). */
static uint32_t descale_shift(PackRun *r, const TensixAdc *adc)
{
    uint32_t z = adc->channel[0].Z;

    if (!FIELD(r->cfg, INT_DESCALE_Enable)) {
        return 0;
    }
    if (!FIELD(r->cfg, INT_DESCALE_Mode)) {
        return r->cfg[CFG_INT_DESCALE_VALUES_SEC0_Value_WORD] & 31;
    }
    tensix_violation(r->c, r->i, TENSIX_UNPREDICTABLE_VALUE,
                     "no page says which z INT_DESCALE_Mode goes by");
    return r->cfg[CFG_INT_DESCALE_VALUES_SEC0_Value_WORD + ((z & 63) >> 2)] >>
           (z & 3) * 8 & 31;
}

/*
 * The storage row of the first interface, if the rows of all are valid and next
 * to each other: row remapping keeps four aligned rows together.  Else -1.
 */
static int adjacent_rows(const PackRun *r, bool wide)
{
    const TensixState *s = &r->c->s;
    uint32_t row = r->start_row, valid, at;

    if ((row & 3) | (r->mask & (r->mask + 1)) |
        OPERAND(r->i, PACR, DstAccessMode)) {
        return -1;
    }
    at = wide ? tensix_dst_adj32(r->c, r->i->thread, row)
              : tensix_dst_adj16(r->c, r->i->thread, row);
    if (at & 3) {
        return -1;
    }
    memcpy(&valid, &s->dst_row_valid[at], sizeof(valid));
    return valid == ALL_VALID ? (int)at : -1;
}

static void gather_rows(PackRun *r, bool wide, uint16_t *high, uint16_t *low)
{
    uint32_t step = OPERAND(r->i, PACR, DstAccessMode) ? STRIDED_ROWS : 1;
    unsigned n = 0;

    for (uint32_t left = r->mask; left; left &= left - 1) {
        uint32_t row = r->start_row + step * (uint32_t)__builtin_ctz(left);

        read_row(r, row, wide, &high[n], &low[n]);
        n += PACK_COLUMNS;
    }
}

static void fetch(PackRun *r, const TensixAdc *adc)
{
    bool wide = FIELD(r->cfg, PCK_DEST_RD_CTRL_Read_32b_data);
    int at = adjacent_rows(r, wide);

    if (at >= 0) {
        uint32_t low = (at + DST_LOW_HALF_ROWS) & DST_ROW_MASK;

        tensix_pack_early(r->plan->early, r->v, r->c->s.dst[at],
                          r->c->s.dst[low], descale_shift(r, adc));
    } else {
        uint16_t high[PACK_DATUMS] = { 0 }, low[PACK_DATUMS] = { 0 };

        gather_rows(r, wide, high, low);
        tensix_pack_early(r->plan->early, r->v, high, low,
                          descale_shift(r, adc));
    }
}

/* --- edge masks --- */

/* The columns that pass in tile row `row` of face `face` (EdgeMasking.md). */
static uint32_t edge_mask(const PackRun *r, uint32_t row, uint32_t face)
{
    const uint32_t *cfg = r->cfg;
    uint32_t b = FIELD(cfg, PCK_EDGE_TILE_ROW_SET_SELECT_select) & EDGE_SETS;
    uint32_t z = FIELD(cfg, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) + face;

    if (FIELD(cfg, PCK_EDGE_TILE_FACE_SET_SELECT_enable)) {
        b = FIELD(cfg, PCK_EDGE_TILE_FACE_SET_SELECT_select) & EDGE_SETS;
        b = cfg[CFG_TILE_FACE_SET_MAPPING_0_face_set_mapping_0_WORD + b] >>
            2 * (z & 0xf) & EDGE_SETS;
    }
    b = cfg[CFG_TILE_ROW_SET_MAPPING_0_row_set_mapping_0_WORD + b] >>
        2 * (row & 0xf) & EDGE_SETS;
    return cfg[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD + b] & ALL_COLUMNS;
}

static uint32_t minus_infinity(PackFamily family)
{
    static const uint32_t value[PACK_FAMILIES] = {
        [PACK_E8] = NUM_FP32_SIGN | NUM_FP32_INF, [PACK_E5] = MINUS_INF_FP16,
        [PACK_INT32] = UINT32_MAX, [PACK_INT16] = 0xffff,
        [PACK_INT8] = 0xff, [PACK_UINT8] = 0,
    };

    return value[family];
}

static void mask_row(uint32_t *v, uint32_t mask, uint32_t replacement)
{
    for (unsigned j = 0; j < PACK_COLUMNS; j++) {
        v[j] = mask >> j & 1 ? v[j] : replacement;
    }
}

/* The k'th enabled interface is at tile row TilePosition + k (BH PACR.md). */
static void apply_edge_masks(PackRun *r)
{
    const TensixPacker *p = &r->c->s.packer;
    bool transposed = FIELD(r->cfg, PACK_COUNTERS_SEC0_pack_yz_transposed);
    uint32_t replacement = FIELD(r->cfg, PCK_EDGE_MODE_mode)
                           ? minus_infinity(r->plan->family) : 0;

    for (unsigned k = 0; k < r->interfaces; k++) {
        uint32_t row = p->tile_row + (transposed ? 0 : k);
        uint32_t face = p->tile_face + (transposed ? k : 0);
        uint32_t mask = edge_mask(r, row, face);

        if (mask != ALL_COLUMNS) {
            mask_row(&r->v[k * PACK_COLUMNS], mask, replacement);
        }
    }
}

static void advance_tile_position(PackRun *r)
{
    TensixPacker *p = &r->c->s.packer;
    uint32_t limit = FIELD(r->cfg, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    bool transposed = FIELD(r->cfg, PACK_COUNTERS_SEC0_pack_yz_transposed);
    uint32_t *inner = transposed ? &p->tile_face : &p->tile_row;
    uint32_t *outer = transposed ? &p->tile_row : &p->tile_face;

    *inner = (*inner + r->interfaces) & TILE_ROW_LIMIT;
    if (*inner == limit) {
        *inner = 0;
        *outer = (*outer + 1) & TILE_ROW_LIMIT;
    }
}

/* --- the datums between the conversions --- */

static void apply_relu(PackRun *r)
{
    uint32_t mode = FIELD(r->cfg, STACC_RELU_ApplyRelu) & RELU_MODES;
    uint32_t threshold = FIELD(r->cfg, STACC_RELU_ReluThreshold);

    if (!mode) {
        return;
    }
    if (mode > 1 && (threshold & NUM_HALF_SIGN || r->plan->family > PACK_E5)) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "ReLU with a threshold that is negative, or of "
                         "integers");
    }
    tensix_pack_relu(r->plan->family, mode, threshold, r->v);
}

static void apply_exp_threshold(PackRun *r)
{
    if (!FIELD(r->cfg, THCON_SEC0_REG1_Exp_threshold_en)) {
        return;
    }
    if (FIELD(r->cfg, THCON_SEC0_REG1_In_data_format) == TENSIX_FMT_BFP2A) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "exponent threshold with BFP2a");
    }
    tensix_pack_exp_threshold(r->plan->family,
                              FIELD(r->cfg, THCON_SEC0_REG1_Exp_threshold),
                              r->v);
}

/*
 * Leaves only the datums that are packed: the X range of each row, and of
 * those the ones that Downsample_mask names (Downsampling.md).
 */
static void select_datums(PackRun *r)
{
    uint32_t mask = FIELD(r->cfg, THCON_SEC0_REG1_Downsample_mask);
    unsigned out = 0, kept = 0;

    mask = mask ? mask : ALL_COLUMNS;
    if (mask == ALL_COLUMNS && r->per_row == PACK_COLUMNS) {
        return;
    }
    for (unsigned k = 0; k < r->interfaces; k++) {
        const uint32_t *row = &r->v[k * PACK_COLUMNS + r->first_column];

        kept = out;
        for (unsigned j = 0; j < r->per_row; j++) {
            if (mask >> j & 1) {
                r->v[out++] = row[j];
            }
        }
        kept = out - kept;
    }
    r->per_row = kept;
}

/* --- output --- */

/* Where the stream starts in L1, in units of 16 bytes. */
static uint32_t output_address(const PackRun *r, const TensixAdc *adc)
{
    const TensixAdcChannel *ch = &adc->channel[1];
    const uint32_t *cfg = r->cfg;
    uint32_t yzw = FIELD(cfg, PCK0_ADDR_BASE_REG_1_Base) +
                   ch->Y * FIELD(cfg, PCK0_ADDR_CTRL_XY_REG_1_Ystride) +
                   ch->Z * FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_1_Zstride) +
                   ch->W * FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
    uint32_t address = FIELD(cfg, THCON_SEC0_REG1_L1_Dest_addr) +
                       !FIELD(cfg, THCON_SEC0_REG1_Sub_l1_tile_header_size) +
                       yzw / L1_UNIT;

    if (address > FIELD(cfg, THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1) {
        address -= FIELD(cfg, THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
    }
    return address;
}

static void open_streams(PackRun *r, const TensixAdc *adc)
{
    TensixPacker *p = &r->c->s.packer;
    uint32_t address;

    if (p->open) {
        return;
    }
    address = output_address(r, adc);
    p->exp_byte = address % L1_UNITS * L1_UNIT;
    if (r->plan->bits < 16) {
        address += FIELD(r->cfg, THCON_SEC0_REG1_Exp_section_size);
    }
    p->data_bit = address % L1_UNITS * L1_UNIT * 8;
    p->open = 1;
}

/* Into L1, if all of it is there. */
static void burst(PackRun *r, uint32_t address, const uint8_t *data,
                  uint32_t size)
{
    TensixHost *host = &r->c->host;

    if (address > host->l1_size || size > host->l1_size - address) {
        tensix_violation(r->c, r->i, TENSIX_BAD_ACCESS,
                         "%u bytes to 0x%x, outside L1", (unsigned)size,
                         (unsigned)address);
    } else if (size) {
        host->l1_write(host->opaque, address, data, size);
    }
}

static uint8_t l1_byte(const PackRun *r, uint32_t address)
{
    return address < r->c->host.l1_size ? r->c->host.l1[address] : 0;
}

/* A burst; which member holds it depends on the width of a datum. */
typedef union PackBurst {
    uint32_t word[PACK_DATUMS];
    uint16_t half[PACK_DATUMS];
    uint8_t byte[PACK_BURST_BYTES];
} PackBurst;

static void narrow(PackBurst *out, const uint32_t *v, unsigned bits)
{
    if (bits == 32) {
        memcpy(out->word, v, sizeof(out->word));
    } else if (bits == 16) {
        for (unsigned j = 0; j < PACK_DATUMS; j++) {
            out->half[j] = v[j];
        }
    } else {
        for (unsigned j = 0; j < PACK_DATUMS; j++) {
            out->byte[j] = v[j];
        }
    }
}

/* Several datums a byte, first datum lowest; `used` bits of out[0] are kept. */
static void squeeze(uint8_t *out, const uint32_t *v, unsigned n, unsigned bits,
                    unsigned used)
{
    uint32_t byte = out[0] & ((1u << used) - 1);
    unsigned at = 0;

    for (unsigned j = 0; j < n; j++) {
        byte |= (v[j] & ((1u << bits) - 1)) << used;
        used += bits;
        if (used >= 8) {
            out[at++] = byte;
            byte >>= 8;
            used -= 8;
        }
    }
    out[at] = byte;
}

static void accumulate(PackRun *r, uint32_t address, unsigned n)
{
    uint32_t size = n * r->plan->bits / 8;

    if (r->format != TENSIX_FMT_FP32 && r->format != TENSIX_FMT_FP16 &&
        r->format != TENSIX_FMT_BF16) {
        tensix_violation(r->c, r->i, TENSIX_UNIMPLEMENTED,
                         "accumulation in L1 of format %u",
                         (unsigned)r->format);
    } else if (size <= r->c->host.l1_size &&
               address <= r->c->host.l1_size - size) {
        tensix_pack_accumulate(r->format, r->v, r->c->host.l1 + address, n);
    }
}

static void write_data(PackRun *r)
{
    TensixPacker *p = &r->c->s.packer;
    unsigned n = r->interfaces * r->per_row;
    /* part of a byte is left over only where a byte holds several datums */
    uint32_t start = r->plan->bits < 8 ? p->data_bit : (p->data_bit + 7) & ~7u;
    uint32_t address = start / 8, used = start % 8;
    uint32_t bits = used + n * r->plan->bits;
    PackBurst out;

    if (FIELD(r->cfg, THCON_SEC0_REG1_Pack_L1_Acc)) {
        accumulate(r, address, n);
    }
    if (r->plan->bits >= 8) {
        narrow(&out, r->v, r->plan->bits);
    } else {
        out.byte[0] = l1_byte(r, address);
        squeeze(out.byte, r->v, n, r->plan->bits, used);
    }
    burst(r, address, out.byte, (bits + 7) / 8);
    p->data_bit = (start + n * r->plan->bits) % STREAM_BITS;
}

static void write_exponents(PackRun *r)
{
    TensixPacker *p = &r->c->s.packer;

    burst(r, p->exp_byte, r->exponents, r->interfaces);
    p->exp_byte = (p->exp_byte + r->interfaces) % STREAM_BYTES;
}

/* Fills the last 16 bytes of a stream with zeroes. */
static void pad(PackRun *r, uint32_t end)
{
    static const uint8_t zeroes[L1_UNIT];

    if (end % L1_UNIT) {
        burst(r, end, zeroes, L1_UNIT - end % L1_UNIT);
    }
}

static void close_streams(PackRun *r)
{
    TensixPacker *p = &r->c->s.packer;

    if (p->open) {
        pad(r, (p->data_bit + 7) / 8);
        if (r->plan->shared_exponent) {
            pad(r, p->exp_byte);
        }
    }
    memset(p, 0, sizeof(*p));
}

/* --- the instruction --- */

/* The words of configuration that a plan depends on. */
static const uint8_t key_words[TENSIX_PACK_KEY_WORDS] = {
    0, 1, 2, 8, 18, 24, 25, 26, 27, WORD_FORMATS, WORD_SAMPLING,
};

static PackEarlySpec early_spec(const uint32_t *cfg)
{
    return (PackEarlySpec) {
        .format = FIELD(cfg, ALU_FORMAT_SPEC_REG_Dstacc_override)
                  ? FIELD(cfg, ALU_FORMAT_SPEC_REG_Dstacc_val)
                  : FIELD(cfg, ALU_FORMAT_SPEC_REG2_Dstacc),
        .read_32b = FIELD(cfg, PCK_DEST_RD_CTRL_Read_32b_data),
        .raw = FIELD(cfg, PCK_DEST_RD_CTRL_Read_int8),
        .is_unsigned = FIELD(cfg, PCK_DEST_RD_CTRL_Read_unsigned),
        .round_10b = FIELD(cfg, PCK_DEST_RD_CTRL_Round_10b_mant),
    };
}

/* Are there only conversions to do, and nothing to report? */
static bool is_plain(const PackRun *r)
{
    const uint32_t *cfg = r->cfg;
    uint32_t downsample = FIELD(cfg, THCON_SEC0_REG1_Downsample_mask);

    return (cfg[24] & cfg[25] & cfg[26] & cfg[27] & ALL_COLUMNS) ==
               ALL_COLUMNS &&
           !FIELD(cfg, STACC_RELU_ApplyRelu) &&
           !FIELD(cfg, THCON_SEC0_REG1_Exp_threshold_en) &&
           (downsample == 0 || downsample == ALL_COLUMNS) &&
           !(cfg[WORD_FORMATS] & REFUSED_FORMATS) &&
           !(cfg[WORD_SAMPLING] & REFUSED_SAMPLING) &&
           !(cfg[1] & REFUSED_ROUNDING) && !compresses(r);
}

static void make_plan(const PackRun *r, TensixPackPlan *plan)
{
    const uint32_t *cfg = r->cfg;
    PackEarlyChoice early = tensix_pack_choose_early(early_spec(cfg));
    PackLateChoice late = tensix_pack_choose_late(
        early.family, FIELD(cfg, THCON_SEC0_REG1_Out_data_format),
        FIELD(cfg, THCON_SEC0_REG1_Pac_LF8_4b_exp));

    for (unsigned n = 0; n < TENSIX_PACK_KEY_WORDS; n++) {
        plan->key[n] = cfg[key_words[n]];
    }
    plan->early = early.kernel;
    plan->family = early.family;
    plan->narrow = early.narrow;
    plan->late = late.kernel;
    plan->bits = late.bits;
    plan->shared_exponent = late.shared_exponent;
    plan->defined = early.defined && late.defined;
    plan->plain = plan->defined && is_plain(r);
    plan->made = 1;
}

static const TensixPackPlan *find_plan(const PackRun *r)
{
    TensixPackPlan *plan = &r->c->pack_plan;
    const uint32_t *k = plan->key, *cfg = r->cfg;

    if (((k[0] ^ cfg[0]) | (k[1] ^ cfg[1]) | (k[2] ^ cfg[2]) |
         (k[3] ^ cfg[8]) | (k[4] ^ cfg[18]) | (k[5] ^ cfg[24]) |
         (k[6] ^ cfg[25]) | (k[7] ^ cfg[26]) | (k[8] ^ cfg[27]) |
         (k[9] ^ cfg[WORD_FORMATS]) | (k[10] ^ cfg[WORD_SAMPLING])) ||
        !plan->made) {
        make_plan(r, plan);
    }
    return plan;
}

static void report_undefined(PackRun *r)
{
    PackEarlySpec spec = early_spec(r->cfg);

    if (!r->plan->defined) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "no conversion from %u-bit Dst by way of format %u "
                         "to format %u", spec.read_32b ? 32 : 16,
                         (unsigned)spec.format, (unsigned)r->format);
    }
}

/* Datums of zero, without Dst, its masks and the early conversion. */
static void fetch_zeroes(PackRun *r)
{
    memset(r->v, 0, sizeof(r->v));
}

static void share_exponents(PackRun *r)
{
    for (unsigned k = 0; k < r->interfaces; k++) {
        r->exponents[k] = tensix_pack_share_exponent(&r->v[k * r->per_row],
                                                     r->per_row, r->plan->bits);
    }
}

static void filter_datums(PackRun *r)
{
    if (!OPERAND(r->i, PACR, ZeroWrite)) {
        apply_edge_masks(r);
    }
    apply_relu(r);
    apply_exp_threshold(r);
}

static void pack_rows(PackRun *r, const TensixAdc *adc)
{
    if (OPERAND(r->i, PACR, ZeroWrite)) {
        fetch_zeroes(r);
    } else {
        fetch(r, adc);
    }
    if (!r->plan->plain) {
        filter_datums(r);
    }
    select_datums(r);
    tensix_pack_late(r->plan->late, !r->plan->narrow, r->v);
    if (r->plan->shared_exponent) {
        share_exponents(r);
        write_exponents(r);
    }
    write_data(r);
    advance_tile_position(r);
}

static void advance(uint32_t *counter, uint32_t *cr, uint32_t step, bool clear,
                    bool use_cr)
{
    if (clear) {
        *counter = *cr = 0;
    } else if (use_cr) {
        *counter = *cr = (*cr + step) & ADC_YZ_MASK;
    } else {
        *counter = (*counter + step) & ADC_YZ_MASK;
    }
}

/* AddrMode: Y and Z of both channels, for the next PACR. */
static void advance_adc(const PackRun *r, TensixAdc *adc)
{
    const uint16_t *sections =
        &r->c->s.thread_cfg[r->i->thread]
                           [THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX];
    uint32_t m = sections[OPERAND(r->i, PACR, AddrMode)];
    TensixAdcChannel *in = &adc->channel[0], *out = &adc->channel[1];

#define MOD(name) (m >> THREAD_CFG_ADDR_MOD_PACK_SEC0_##name##_LOW & \
                   THREAD_CFG_ADDR_MOD_PACK_SEC0_##name##_MASK)
    advance(&in->Y, &in->Y_Cr, MOD(YsrcIncr), MOD(YsrcClear), MOD(YsrcCR));
    advance(&in->Z, &in->Z_Cr, MOD(ZsrcIncr), MOD(ZsrcClear), false);
    advance(&out->Y, &out->Y_Cr, MOD(YdstIncr), MOD(YdstClear), MOD(YdstCR));
    advance(&out->Z, &out->Z_Cr, MOD(ZdstIncr), MOD(ZdstClear), false);
#undef MOD
}

/* PACR (BH PACR.md). */
TensixResult tensix_exec_PACR(TensixCore *c, const TensixInsn *i)
{
    TensixAdc *adc;
    PackRun r;

    r.c = c;
    r.i = i;
    r.cfg = c->s.cfg[tensix_cfg_bank(c, i->thread)];
    r.format = FIELD(r.cfg, THCON_SEC0_REG1_Out_data_format);
    r.plan = find_plan(&r);
    adc = find_adc(&r);
    if (!r.plan->plain || i->word & UNUSUAL) {
        report_unsupported(&r);
        report_undefined(&r);
    }
    find_input(&r, adc);
    open_streams(&r, adc);
    if (r.per_row) {
        find_interfaces(&r);
        pack_rows(&r, adc);
    }
    if (OPERAND(i, PACR, Last) || OPERAND(i, PACR, Flush)) {
        close_streams(&r);
    }
    advance_adc(&r, adc);
    return TENSIX_DONE;
}
