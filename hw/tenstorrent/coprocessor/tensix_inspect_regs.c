/*
 * Inspection of the register files, raw or decoded in a chosen format.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Storage bit orders: spec 000, sections 1.3 and 2.2.  The decoding here only
 * serves people's eyes; no result of the model depends on it.
 */

#include "qemu/osdep.h"
#include <math.h>
#include "tensix_inspect.h"
#include "hw/tenstorrent/core/num/num.h"

typedef float DecodeFn(uint32_t cell);

typedef struct Format {
    const char *name;
    bool is_32b;                   /* Dest: through Adj32 */
    DecodeFn *dest, *src;
} Format;

static float float_from_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* IEEE half: sign, 5 bits of exponent, 10 of mantissa. */
static float half_value(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    float magnitude = exponent ? ldexpf(1024 + mantissa, (int)exponent - 25)
                               : ldexpf(mantissa, -24);

    return sign ? -magnitude : magnitude;
}

static float dest_bf16(uint32_t cell)
{
    return float_from_bits((cell & 0x8000) << 16 | (cell & 0xff) << 23 |
                           (cell >> 8 & 0x7f) << 16);
}

static float dest_fp16(uint32_t cell)
{
    return half_value(cell >> 15, cell & 0x1f, cell >> 5 & 0x3ff);
}

static float dest_fp32(uint32_t cell)
{
    return float_from_bits(tensix_num_dst_decode32(cell));
}

static float sign_magnitude(uint32_t sign, uint32_t magnitude)
{
    return sign ? -(float)magnitude : (float)magnitude;
}

/* The high half is stored like BF16, as all 32-bit values are (BH Dst.md). */
static float dest_int32(uint32_t cell)
{
    uint32_t bits = tensix_num_dst_decode32(cell);

    return sign_magnitude(bits >> 31, bits & 0x7fffffff);
}

static float dest_int8(uint32_t cell)
{
    return sign_magnitude(cell >> 15, cell >> 5 & 0x3ff);
}

static float src_tf32(uint32_t cell)
{
    return float_from_bits((cell & 0x40000) << 13 | (cell & 0xff) << 23 |
                           (cell >> 8 & 0x3ff) << 13);
}

static float src_fp16(uint32_t cell)
{
    return half_value(cell >> 18, cell & 0x1f, cell >> 8 & 0x3ff);
}

static float src_int8(uint32_t cell)
{
    return sign_magnitude(cell >> 18, cell >> 8 & 0x3ff);
}

static const Format formats[] = {
    { "bf16", false, dest_bf16, src_tf32 },
    { "fp16", false, dest_fp16, src_fp16 },
    { "tf32", true, dest_fp32, src_tf32 },
    { "fp32", true, dest_fp32, src_tf32 },
    { "int8", false, dest_int8, src_int8 },
    { "int32", true, dest_int32, src_int8 },
};

static const Format *find_format(const char *name)
{
    for (int i = 0; name && i < ARRAY_SIZE(formats); i++) {
        if (!strcmp(formats[i].name, name)) {
            return &formats[i];
        }
    }
    return NULL;
}

bool tensix_inspect_format_known(const char *format)
{
    return !strcmp(format, "raw") || find_format(format);
}

/* The format asked for, or else the one that is configured, and says so. */
static const Format *choose_format(TensixEmit *e, const char *wanted,
                                   const char *configured)
{
    if (wanted) {
        return find_format(wanted);
    }
    tensix_emit_string(e, "format", "%s, as configured", configured);
    return find_format(configured);
}

static void emit_row(TensixEmit *e, const char *name, const uint32_t *cells,
                     int n, DecodeFn *decode, int hex_digits)
{
    float values[TENSIX_LANES];

    if (!decode) {
        tensix_emit_raw_row(e, name, cells, n, hex_digits);
        return;
    }
    for (int i = 0; i < n; i++) {
        values[i] = decode(cells[i]);
    }
    tensix_emit_float_row(e, name, values, n);
}

void tensix_inspect_dest(TensixEmit *e, TensixCopState *cop,
                         const TensixInspectArgs *args)
{
    const Format *format = choose_format(e, args->format,
                                         tensix_dst_format(cop->core));
    bool is_32b = format && format->is_32b;
    uint32_t limit = is_32b ? TENSIX_DST_ROWS / 2 : TENSIX_DST_ROWS;
    uint32_t last = MIN(args->first + (args->count ? args->count : 16), limit);

    for (uint32_t row = MIN(args->first, limit); row < last; row++) {
        uint32_t cells[TENSIX_COLUMNS];
        bool valid = tensix_dst_row(cop->core, row, is_32b, cells);
        char name[24];

        snprintf(name, sizeof(name), "%4u%s", row, valid ? "" : " (invalid)");
        emit_row(e, name, cells, TENSIX_COLUMNS, format ? format->dest : NULL,
                 4);
    }
}

static void show_src(TensixEmit *e, TensixCopState *cop, uint32_t src,
                     const TensixInspectArgs *args)
{
    uint32_t bank = args->bank % TENSIX_SRC_BANKS;
    const Format *format = choose_format(e, args->format,
                                         tensix_src_format(cop->core, src,
                                                           bank));
    uint32_t last = MIN(args->first + (args->count ? args->count : 16),
                        (uint32_t)TENSIX_SRC_ROWS);

    tensix_emit_uint(e, "bank", bank);
    tensix_emit_string(e, "owner", "%s",
                       cop->state->src_client[src][bank] ==
                       TENSIX_CLIENT_MATRIX_UNIT ? "matrix unit" : "unpackers");
    for (uint32_t row = MIN(args->first, last); row < last; row++) {
        char name[12];

        snprintf(name, sizeof(name), "%2u", row);
        emit_row(e, name, cop->state->src[src][bank][row], TENSIX_COLUMNS,
                 format ? format->src : NULL, 5);
    }
}

void tensix_inspect_srca(TensixEmit *e, TensixCopState *cop,
                         const TensixInspectArgs *args)
{
    show_src(e, cop, TENSIX_SRCA, args);
}

void tensix_inspect_srcb(TensixEmit *e, TensixCopState *cop,
                         const TensixInspectArgs *args)
{
    show_src(e, cop, TENSIX_SRCB, args);
}

static float lreg_fp32(uint32_t cell)
{
    return float_from_bits(cell);
}

static float lreg_int32(uint32_t cell)
{
    return (float)(int32_t)cell;
}

void tensix_inspect_lregs(TensixEmit *e, TensixCopState *cop,
                          const TensixInspectArgs *args)
{
    const Format *format = find_format(args->format);
    DecodeFn *decode = NULL;

    if (format) {
        decode = format->dest == dest_int32 ? lreg_int32 : lreg_fp32;
    }
    for (int n = 0; n < TENSIX_LREGS; n++) {
        char name[12];

        snprintf(name, sizeof(name), "LReg%d", n);
        emit_row(e, name, cop->state->vu.lreg[n], TENSIX_LANES, decode, 8);
    }
}

void tensix_inspect_gprs(TensixEmit *e, TensixCopState *cop,
                         const TensixInspectArgs *args)
{
    enum { PER_ROW = 8 };

    for (int t = 0; t < TENSIX_THREADS; t++) {
        tensix_emit_open(e, "thread%d", t);
        for (int n = 0; n < TENSIX_GPRS; n += PER_ROW) {
            char name[12];

            snprintf(name, sizeof(name), "%d", n);
            tensix_emit_raw_row(e, name, &cop->state->gpr[t][n], PER_ROW, 8);
        }
        tensix_emit_close(e);
    }
}
