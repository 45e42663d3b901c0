/*
 * Packer: what happens to datums between the two conversions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/EdgeMasking.md, ReLU.md, ExponentThresholding.md, Downsampling.md.
 */

#include "pack/pack.h"
#include "config/config.h"
#include "num/num_formats.h"

enum {
    ALL_COLUMNS = 0xffff,
    EDGE_SETS = 3,                 /* mask of a set's number */
    RELU_MODES = 3,
    MINUS_INF_FP16 = 0xffff,
};

/* --- edge masks --- */

/* The columns that pass in tile row `row` of face `face` (EdgeMasking.md). */
static uint32_t edge_mask(const PackRun *r, uint32_t row, uint32_t face)
{
    const uint32_t *cfg = r->cfg;
    uint32_t b = PACK_FIELD(cfg, PCK_EDGE_TILE_ROW_SET_SELECT_select) &
                 EDGE_SETS;
    uint32_t z = PACK_FIELD(cfg, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) + face;

    if (PACK_FIELD(cfg, PCK_EDGE_TILE_FACE_SET_SELECT_enable)) {
        b = PACK_FIELD(cfg, PCK_EDGE_TILE_FACE_SET_SELECT_select) & EDGE_SETS;
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
        [PACK_E8] = NUM_FP32_SIGN | NUM_FP32_INF,
        [PACK_BF16] = (NUM_FP32_SIGN | NUM_FP32_INF) >> 16,
        [PACK_E5] = MINUS_INF_FP16,
        [PACK_INT32] = UINT32_MAX, [PACK_INT16] = 0xffff,
        [PACK_INT8] = 0xff, [PACK_UINT8] = 0,
    };

    return value[family];
}

static void mask_words(uint32_t *v, uint32_t mask, uint32_t replacement)
{
    for (unsigned j = 0; j < PACK_COLUMNS; j++) {
        v[j] = mask >> j & 1 ? v[j] : replacement;
    }
}

static void mask_halves(uint16_t *v, uint32_t mask, uint16_t replacement)
{
    for (unsigned j = 0; j < PACK_COLUMNS; j++) {
        v[j] = mask >> j & 1 ? v[j] : replacement;
    }
}

static void mask_row(PackRun *r, unsigned k, uint32_t mask)
{
    uint32_t replacement = PACK_FIELD(r->cfg, PCK_EDGE_MODE_mode)
                           ? minus_infinity(r->plan->family) : 0;

    if (tensix_pack_is_words(r->plan->family)) {
        mask_words(&r->d->word[k * PACK_COLUMNS], mask, replacement);
    } else {
        mask_halves(&r->d->half[k * PACK_COLUMNS], mask, replacement);
    }
}

/* The k'th enabled interface is at tile row TilePosition + k (BH PACR.md). */
static void apply_edge_masks(PackRun *r)
{
    const TensixPacker *p = &r->c->s.packer;
    bool transposed = PACK_FIELD(r->cfg, PACK_COUNTERS_SEC0_pack_yz_transposed);

    for (unsigned k = 0; k < r->interfaces; k++) {
        uint32_t row = p->tile_row + (transposed ? 0 : k);
        uint32_t face = p->tile_face + (transposed ? k : 0);
        uint32_t mask = edge_mask(r, row, face);

        if (mask != ALL_COLUMNS) {
            mask_row(r, k, mask);
        }
    }
}

/* --- ReLU and threshold --- */

static void apply_relu(PackRun *r)
{
    PackFamily family = r->plan->family;
    uint32_t mode = PACK_FIELD(r->cfg, STACC_RELU_ApplyRelu) & RELU_MODES;
    uint32_t threshold = PACK_FIELD(r->cfg, STACC_RELU_ReluThreshold);

    if (!mode) {
        return;
    }
    if (mode > 1 && (threshold & NUM_HALF_SIGN || family >= PACK_FLOATS)) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "ReLU with a threshold that is negative, or of "
                         "integers");
    }
    tensix_pack_relu(family, mode, threshold, r->d);
}

static void apply_exp_threshold(PackRun *r)
{
    if (!PACK_FIELD(r->cfg, THCON_SEC0_REG1_Exp_threshold_en)) {
        return;
    }
    if (tensix_formats[PACK_FIELD(r->cfg, THCON_SEC0_REG1_In_data_format)]
            .no_threshold) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "exponent threshold with BFP2a");
    }
    tensix_pack_exp_threshold(r->plan->family,
                              PACK_FIELD(r->cfg, THCON_SEC0_REG1_Exp_threshold),
                              r->d);
}

void tensix_pack_filter(PackRun *r)
{
    if (!OPERAND(r->i, PACR, ZeroWrite)) {
        apply_edge_masks(r);
    }
    apply_relu(r);
    apply_exp_threshold(r);
}

/* --- columns --- */

/* Datum `from` to `to`, which is not beyond it. */
static void move_datum(PackRun *r, unsigned to, unsigned from)
{
    if (tensix_pack_is_words(r->plan->family)) {
        r->d->word[to] = r->d->word[from];
    } else {
        r->d->half[to] = r->d->half[from];
    }
}

void tensix_pack_select(PackRun *r)
{
    uint32_t keep = r->plan->keep & ((1u << r->per_row) - 1);
    unsigned out = 0;

    for (unsigned k = 0; k < r->interfaces; k++) {
        for (uint32_t left = keep; left; left &= left - 1) {
            move_datum(r, out++, k * PACK_COLUMNS + r->first_column +
                                 (uint32_t)__builtin_ctz(left));
        }
    }
    r->per_row = __builtin_popcount(keep);
}
