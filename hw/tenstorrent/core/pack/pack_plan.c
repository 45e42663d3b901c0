/*
 * Packer: PACR's plan, derived from its configuration, and reports about it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md; WH Packers/FormatConversion.md, EdgeMasking.md.
 *
 * A plan caches what each PACR would otherwise derive again, except for what
 * changes from tile to tile (derived.h).
 */

#include "pack/pack.h"
#include "config/config.h"

enum {
    ALL_COLUMNS = 0xffff,
    COLUMN_MASK = PACK_COLUMNS - 1,
    EDGE_SETS = 4,
    TILE_ROWS = 16,
    RELU_MODES = 3,                /* mask of the mode's number */
};

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

#define EACH_REFUSAL(f) \
    for (const Refusal *f = refusals; \
         f < refusals + sizeof(refusals) / sizeof(refusals[0]); f++)

static bool refused(const Refusal *f, const uint32_t *cfg)
{
    return cfg[f->word] >> f->low & ((1u << f->width) - 1);
}

static bool compresses(const uint32_t *cfg)
{
    return !PACK_FIELD(cfg, THCON_SEC0_REG1_Disable_zero_compress) &&
           !PACK_FIELD(cfg, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd);
}

static PackEarlySpec early_spec(const uint32_t *cfg)
{
    return (PackEarlySpec) {
        .format = PACK_FIELD(cfg, ALU_FORMAT_SPEC_REG_Dstacc_override)
                  ? PACK_FIELD(cfg, ALU_FORMAT_SPEC_REG_Dstacc_val)
                  : PACK_FIELD(cfg, ALU_FORMAT_SPEC_REG2_Dstacc),
        .read_32b = PACK_FIELD(cfg, PCK_DEST_RD_CTRL_Read_32b_data),
        .raw = PACK_FIELD(cfg, PCK_DEST_RD_CTRL_Read_int8),
        .is_unsigned = PACK_FIELD(cfg, PCK_DEST_RD_CTRL_Read_unsigned),
        .round_10b = PACK_FIELD(cfg, PCK_DEST_RD_CTRL_Round_10b_mant),
    };
}

/* Bits of TensixPackPlan.problems; below them one for each refusal. */
enum {
    REFUSALS = sizeof(refusals) / sizeof(refusals[0]),
    PROBLEM_COMPRESSES = 1 << REFUSALS,
    PROBLEM_DESCALES_BY_Z = 2 << REFUSALS,
    PROBLEM_NO_CONVERSION = 4 << REFUSALS,
};

_Static_assert(REFUSALS + 3 <= 16, "problems has 16 bits");

static uint32_t find_problems(const TensixPackPlan *plan, const uint32_t *cfg)
{
    uint32_t problems = 0;

    EACH_REFUSAL(f) {
        problems |= (uint32_t)refused(f, cfg) << (f - refusals);
    }
    if (compresses(cfg)) {
        problems |= PROBLEM_COMPRESSES;
    }
    if (plan->descales && PACK_FIELD(cfg, INT_DESCALE_Enable) &&
        PACK_FIELD(cfg, INT_DESCALE_Mode)) {
        problems |= PROBLEM_DESCALES_BY_Z;
    }
    return plan->defined ? problems : problems | PROBLEM_NO_CONVERSION;
}

/* The formats of a conversion, as one number. */
static uint32_t conversion(const TensixPackPlan *plan, PackEarlySpec spec)
{
    return spec.read_32b | spec.format << 1 | (uint32_t)plan->format << 8;
}

static void report_no_conversion(const PackRun *r, uint32_t *reported)
{
    PackEarlySpec spec = early_spec(r->cfg);

    *reported = conversion(r->plan, spec);
    tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                     "no conversion from %u-bit Dst by way of %s to %s",
                     spec.read_32b ? 32 : 16, tensix_format_name(spec.format),
                     tensix_format_name(r->plan->format));
}

/* What the plan has and `known` has not. */
static void report_plan(const PackRun *r, uint32_t bank, uint32_t known)
{
    uint32_t problems = r->plan->problems & ~known;

    EACH_REFUSAL(f) {
        if (problems >> (f - refusals) & 1) {
            tensix_violation(r->c, r->i, f->category, "%s", f->text);
        }
    }
    if (problems & PROBLEM_COMPRESSES) {
        tensix_violation(r->c, r->i, TENSIX_UNIMPLEMENTED,
                         "zero compression; the data is packed as it is");
    }
    if (problems & PROBLEM_DESCALES_BY_Z) {
        tensix_violation(r->c, r->i, TENSIX_UNPREDICTABLE_VALUE,
                         "no page says which z INT_DESCALE_Mode goes by");
    }
    if (problems & PROBLEM_NO_CONVERSION) {
        report_no_conversion(r, &r->c->reported.pack_formats[bank]);
    }
}

void tensix_pack_report(const PackRun *r, uint32_t unusual)
{
    TensixReported *reported = &r->c->reported;
    uint32_t bank = tensix_cfg_bank(r->c, r->i->thread);

    if (r->plan->problems & ~reported->pack[bank]) {
        report_plan(r, bank, reported->pack[bank]);
        reported->pack[bank] = r->plan->problems;
    }
    if (unusual && unusual != reported->pack_operands) {
        tensix_violation(r->c, r->i, TENSIX_UNIMPLEMENTED,
                         "CtxtCtrl, RowPadZero and CfgContext are ignored");
        reported->pack_operands = unusual;
    }
}

static void clear_format_reports(TensixReported *reported, uint32_t bank,
                                 const TensixPackPlan *plan,
                                 const uint32_t *cfg)
{
    uint32_t holds = plan->problems;

    if (reported->pack_formats[bank] != conversion(plan, early_spec(cfg))) {
        holds &= ~PROBLEM_NO_CONVERSION;
    }
    reported->pack[bank] &= holds;
}

/* --- the plan --- */

/* Do all columns pass, in each row of a tile?  (EdgeMasking.md) */
static bool passes_edges(const uint32_t *cfg)
{
    const uint32_t *masks = &cfg[CFG_PCK_EDGE_OFFSET_SEC0_mask_WORD];
    uint32_t select = PACK_FIELD(cfg, PCK_EDGE_TILE_ROW_SET_SELECT_select);
    uint32_t mapping =
        cfg[CFG_TILE_ROW_SET_MAPPING_0_row_set_mapping_0_WORD +
            select % EDGE_SETS];
    uint32_t columns = ALL_COLUMNS;

    if (PACK_FIELD(cfg, PCK_EDGE_TILE_FACE_SET_SELECT_enable)) {
        return (masks[0] & masks[1] & masks[2] & masks[3] & ALL_COLUMNS) ==
               ALL_COLUMNS;
    }
    for (unsigned row = 0; row < TILE_ROWS; row++, mapping >>= 2) {
        columns &= masks[mapping % EDGE_SETS];
    }
    return columns == ALL_COLUMNS;
}

/* Bytes of a datum as the input address counts them: by In_data_format. */
static uint32_t input_datum_shift(const uint32_t *cfg)
{
    static const uint8_t shift[] = { 2, 1, 0, 0 };

    return shift[PACK_FIELD(cfg, THCON_SEC0_REG1_In_data_format) & 3];
}

static void plan_addresses(TensixPackPlan *plan, const uint32_t *cfg)
{
    plan->shift = input_datum_shift(cfg);
    plan->column_bits = COLUMN_MASK & ~(COLUMN_MASK >> plan->shift);
    plan->base = PACK_FIELD(cfg, PCK0_ADDR_BASE_REG_0_Base);
    plan->x_stride = PACK_FIELD(cfg, PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 0xf;
    plan->y_stride = PACK_FIELD(cfg, PCK0_ADDR_CTRL_XY_REG_0_Ystride);
    plan->z_stride = PACK_FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_0_Zstride);
    plan->w_stride = PACK_FIELD(cfg, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
    plan->rows = PACK_FIELD(cfg, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    plan->transposed = PACK_FIELD(cfg, PACK_COUNTERS_SEC0_pack_yz_transposed);
    plan->auto_last =
        PACK_FIELD(cfg, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel);
}

static void plan_conversions(TensixPackPlan *plan, const uint32_t *cfg)
{
    uint32_t format = PACK_FIELD(cfg, THCON_SEC0_REG1_Out_data_format);
    PackEarlyChoice early = tensix_pack_choose_early(early_spec(cfg));
    PackLateChoice late = tensix_pack_choose_late(
        early, format, PACK_FIELD(cfg, THCON_SEC0_REG1_Pac_LF8_4b_exp));

    plan->format = format;
    plan->early = early.kernel;
    plan->family = early.family;
    plan->wide = PACK_FIELD(cfg, PCK_DEST_RD_CTRL_Read_32b_data);
    plan->descales = early.kernel == EARLY_INT32_INT8 ||
                     early.kernel == EARLY_INT32_UINT8;
    plan->late = late.kernel;
    plan->bits = late.bits;
    plan->shared_exponent = late.shared_exponent;
    plan->defined = early.defined && late.defined;
    plan->from_cells =
        (early.kernel == EARLY_BF16 || early.kernel == EARLY_BF16_RAW) &&
        late.kernel == LATE_AS_IS && late.shared_exponent;
}

/* Storage rows of Dst: tensix_dst_adj16() or _adj32(), as masks. */
static void plan_pack_rows(TensixPackPlan *plan, const TensixCore *c,
                           const uint32_t *cfg)
{
    bool pairs = plan->wide || c->s.dst16b_is_high_half;

    plan->remaps = PACK_FIELD(cfg, DEST_ACCESS_CFG_remap_addrs) ||
                   (pairs && PACK_FIELD(cfg, DEST_ACCESS_CFG_swizzle_32b));
    plan->row_high = pairs ? DST_PAIRS_HIGH : 0;
    plan->row_mask = pairs ? DST_PAIRS_LOW : DST_ROW_MASK;
}

static PackGroup choose_group(const TensixPackPlan *plan)
{
    if (plan->bits <= 8) {
        return plan->bits == 8 && plan->from_cells ? PACK_GROUP_CELLS
                                                   : PACK_GROUP_ANY;
    }
    if (plan->late != LATE_AS_IS) {
        return PACK_GROUP_LATE;
    }
    switch (plan->early) {
    case EARLY_BF16:
        return PACK_GROUP_BF16;
    case EARLY_FP32:
    case EARLY_INT32:
        return PACK_GROUP_WORD;
    default:
        return PACK_GROUP_EARLY;
    }
}

/* Four whole rows of Dst that are packed with nothing but conversions. */
static void plan_group(TensixPackPlan *plan)
{
    plan->group = choose_group(plan);
    plan->bytes = PACK_DATUMS * plan->bits / 8;
    plan->exponents = plan->shared_exponent ? PACK_ROWS : 0;
    plan->plain = !(plan->filters | plan->problems | plan->accumulates |
                    plan->descales | plan->auto_last) &&
                  plan->keep == ALL_COLUMNS;
}

void tensix_pack_make_plan(TensixCore *c, uint32_t bank)
{
    TensixPackPlan *plan = &c->derived.pack_plan[bank];
    const uint32_t *cfg = c->s.cfg[bank];
    uint32_t keep = PACK_FIELD(cfg, THCON_SEC0_REG1_Downsample_mask);

    plan_addresses(plan, cfg);
    plan_conversions(plan, cfg);
    plan_pack_rows(plan, c, cfg);
    plan->keep = keep ? keep : ALL_COLUMNS;
    plan->filters = !passes_edges(cfg) ||
                    PACK_FIELD(cfg, STACC_RELU_ApplyRelu) & RELU_MODES ||
                    PACK_FIELD(cfg, THCON_SEC0_REG1_Exp_threshold_en);
    plan->accumulates = PACK_FIELD(cfg, THCON_SEC0_REG1_Pack_L1_Acc);
    plan->problems = find_problems(plan, cfg);
    plan_group(plan);
    plan->generation = c->derived.config[bank];
    clear_format_reports(&c->reported, bank, plan, cfg);
}
