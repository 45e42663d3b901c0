/*
 * Rows of the register files as QAPI has them, raw or read in a format.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Storage bit orders: spec 000, sections 1.3 and 2.2.  The decoding here only
 * serves people's eyes; no result of the model depends on it.
 */

#include "qemu/osdep.h"
#include <math.h>
#include "qapi/error.h"
#include "qapi/util.h"
#include "tensix_query.h"
#include "hw/tenstorrent/core/num/num.h"
#include "../common/tensix_insn_info.h"

typedef double DecodeFn(uint32_t cell);

typedef enum File {
    FILE_DEST,
    FILE_SRC,
    FILE_LREG,
    FILES,
} File;

typedef struct Format {
    bool is_32b;                   /* Dest: through Adj32 */
    DecodeFn *decode[FILES];       /* NULL: cannot be read so */
} Format;

/* Cells without numbers. */
static double no_number(uint32_t cell)
{
    return NAN;
}

static double float_from_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* IEEE half: sign, 5 bits of exponent, 10 of mantissa. */
static double half_value(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    double magnitude = exponent ? ldexp(1024 + mantissa, (int)exponent - 25)
                                : ldexp(mantissa, -24);

    return sign ? -magnitude : magnitude;
}

static double dest_bf16(uint32_t cell)
{
    return float_from_bits((cell & 0x8000) << 16 | (cell & 0xff) << 23 |
                           (cell >> 8 & 0x7f) << 16);
}

static double dest_fp16(uint32_t cell)
{
    return half_value(cell >> 15, cell & 0x1f, cell >> 5 & 0x3ff);
}

static double dest_fp32(uint32_t cell)
{
    return float_from_bits(tensix_num_dst_decode32(cell));
}

static double sign_magnitude(uint32_t sign, uint32_t magnitude)
{
    return sign ? -(double)magnitude : (double)magnitude;
}

/* The high half is stored like BF16, as all 32-bit values are (BH Dst.md). */
static double dest_int32(uint32_t cell)
{
    uint32_t bits = tensix_num_dst_decode32(cell);

    return sign_magnitude(bits >> 31, bits & 0x7fffffff);
}

static double dest_int8(uint32_t cell)
{
    return sign_magnitude(cell >> 15, cell >> 5 & 0x3ff);
}

static double dest_int16(uint32_t cell)
{
    return sign_magnitude(cell >> 15, cell & 0x7fff);
}

static double src_tf32(uint32_t cell)
{
    return float_from_bits((cell & 0x40000) << 13 | (cell & 0xff) << 23 |
                           (cell >> 8 & 0x3ff) << 13);
}

static double src_fp16(uint32_t cell)
{
    return half_value(cell >> 18, cell & 0x1f, cell >> 8 & 0x3ff);
}

static double src_int8(uint32_t cell)
{
    return sign_magnitude(cell >> 18, cell >> 8 & 0x3ff);
}

static double lreg_int32(uint32_t cell)
{
    return sign_magnitude(cell >> 31, cell & 0x7fffffff);
}

static double lreg_s32(uint32_t cell)
{
    return (int32_t)cell;
}

static const Format formats[TENSIX_FORMAT__MAX] = {
    [TENSIX_FORMAT_RAW] = { false, { no_number, no_number, no_number } },
    [TENSIX_FORMAT_RAW32] = { true, { no_number } },
    [TENSIX_FORMAT_BF16] = { false, { dest_bf16, src_tf32 } },
    [TENSIX_FORMAT_FP16] = { false, { dest_fp16, src_fp16 } },
    [TENSIX_FORMAT_TF32] = { true, { dest_fp32, src_tf32 } },
    [TENSIX_FORMAT_FP32] = { true, { dest_fp32, src_tf32, float_from_bits } },
    [TENSIX_FORMAT_INT8] = { false, { dest_int8, src_int8 } },
    [TENSIX_FORMAT_INT16] = { false, { dest_int16 } },
    [TENSIX_FORMAT_INT32] = { true, { dest_int32, src_int8, lreg_int32 } },
    [TENSIX_FORMAT_S32] = { false, { NULL, NULL, lreg_s32 } },
};

static TensixFormat format_named(const char *name)
{
    return qapi_enum_parse(&TensixFormat_lookup, name, TENSIX_FORMAT_RAW, NULL);
}

/* False with errp set, which lists the formats, if the file has none such. */
static bool check_format(File file, TensixFormat name, Error **errp)
{
    static const char *const files[FILES] = { "Dest", "SrcA and SrcB", "LReg" };
    g_autoptr(GString) names = g_string_new(NULL);

    if (formats[name].decode[file]) {
        return true;
    }
    for (int n = 0; n < TENSIX_FORMAT__MAX; n++) {
        if (formats[n].decode[file]) {
            g_string_append_printf(names, " %s", TensixFormat_str(n));
        }
    }
    error_setg(errp, "%s cannot be seen as %s, but as%s", files[file],
               TensixFormat_str(name), names->str);
    return false;
}

static TensixNumber *number(double value)
{
    TensixNumber *n = g_new0(TensixNumber, 1);

    if (isfinite(value)) {
        n->type = QTYPE_QNUM;
        n->u.number = value;
    } else {
        n->type = QTYPE_QSTRING;
        n->u.special = isnan(value) ? TENSIX_SPECIAL_NAN
                       : value < 0  ? TENSIX_SPECIAL_MINUS_INF
                                    : TENSIX_SPECIAL_INF;
    }
    return n;
}

static TensixRow *make_row(uint32_t index, const uint32_t *cells,
                           uint32_t count, DecodeFn *decode)
{
    TensixRow *row = g_new0(TensixRow, 1);
    TensixNumberList **tail = &row->values;

    row->row = index;
    row->cells = tensix_words_list(cells, count);
    row->has_values = decode != no_number;
    for (uint32_t i = 0; row->has_values && i < count; i++) {
        QAPI_LIST_APPEND(tail, number(decode(cells[i])));
    }
    return row;
}

/* Sets the end of the requested rows; false with errp set if there are none. */
static bool find_end(const TensixRowsArgs *wanted, uint32_t rows,
                     uint32_t *end, Error **errp)
{
    if (wanted->first >= rows) {
        error_setg(errp, "row %u does not exist: there are %u", wanted->first,
                   rows);
        return false;
    }
    *end = rows;
    if (wanted->count && wanted->count < rows - wanted->first) {
        *end = wanted->first + wanted->count;
    }
    return true;
}

static TensixRow *dest_row(const TensixCore *core, uint32_t row,
                           const Format *format)
{
    uint32_t cells[TENSIX_COLUMNS];
    bool valid = tensix_dst_row(core, row, format->is_32b, cells);
    TensixRow *info = make_row(row, cells, TENSIX_COLUMNS,
                               format->decode[FILE_DEST]);

    info->has_valid = true;
    info->valid = valid;
    return info;
}

TensixRows *tensix_query_dest(TensixCopState *cop,
                              const TensixRowsArgs *wanted, Error **errp)
{
    TensixFormat name = wanted->has_format
                        ? wanted->format
                        : format_named(tensix_dst_format(tensix_cop_core(cop)));
    const Format *format = &formats[name];
    uint32_t rows = format->is_32b ? TENSIX_DST_ROWS / 2 : TENSIX_DST_ROWS;
    TensixRows *info;
    TensixRowList **tail;
    uint32_t end;

    if (!check_format(FILE_DEST, name, errp) ||
        !find_end(wanted, rows, &end, errp)) {
        return NULL;
    }
    info = g_new0(TensixRows, 1);
    info->format = name;
    tail = &info->rows;
    for (uint32_t row = wanted->first; row < end; row++) {
        QAPI_LIST_APPEND(tail, dest_row(tensix_cop_core(cop), row, format));
    }
    return info;
}

TensixSrcRows *tensix_query_src(TensixCopState *cop, TensixSrcName src,
                                const TensixRowsArgs *wanted, Error **errp)
{
    uint32_t bank = wanted->bank;
    TensixFormat name;
    TensixSrcRows *info;
    TensixRowList **tail;
    const TensixState *state = tensix_cop_state(cop);
    uint32_t end;

    if (bank >= TENSIX_SRC_BANKS) {
        error_setg(errp, "bank %u does not exist: there are 0 and 1", bank);
        return NULL;
    }
    name = wanted->has_format
           ? wanted->format
           : format_named(tensix_src_format(tensix_cop_core(cop), src, bank));
    if (!check_format(FILE_SRC, name, errp) ||
        !find_end(wanted, TENSIX_SRC_ROWS, &end, errp)) {
        return NULL;
    }
    info = g_new0(TensixSrcRows, 1);
    info->bank = bank;
    info->owner = state->src_client[src][bank];
    info->format = name;
    tail = &info->rows;
    for (uint32_t row = wanted->first; row < end; row++) {
        QAPI_LIST_APPEND(tail, make_row(row, state->src[src][bank][row],
                                        TENSIX_COLUMNS,
                                        formats[name].decode[FILE_SRC]));
    }
    return info;
}

TensixRows *tensix_query_lregs(TensixCopState *cop,
                               const TensixRowsArgs *wanted, Error **errp)
{
    TensixFormat name = wanted->has_format ? wanted->format
                                           : TENSIX_FORMAT_RAW;
    TensixRows *info;
    TensixRowList **tail;
    const TensixState *state = tensix_cop_state(cop);
    uint32_t end;

    if (!check_format(FILE_LREG, name, errp) ||
        !find_end(wanted, TENSIX_LREGS, &end, errp)) {
        return NULL;
    }
    info = g_new0(TensixRows, 1);
    info->format = name;
    tail = &info->rows;
    for (uint32_t n = wanted->first; n < end; n++) {
        QAPI_LIST_APPEND(tail, make_row(n, state->vu.lreg[n], TENSIX_LANES,
                                        formats[name].decode[FILE_LREG]));
    }
    return info;
}
