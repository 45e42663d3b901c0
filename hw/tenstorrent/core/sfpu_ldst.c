/*
 * Vector Unit: loads, stores and immediates (load and store sub-units).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOAD.md, BH SFPSTORE.md, BH SFPLOADI.md, BH SFPNOP.md.
 *
 * A vector is four rows of Dst of eight columns, even or odd ones.  Row
 * remapping keeps four aligned rows together, so one physical row is enough to
 * know where they are.
 */

#include <string.h>

#include "num.h"
#include "regfile.h"
#include "sfpu_ops.h"

/* Mod0 of SFPLOAD and SFPSTORE. */
enum {
    FMT_SRCB,
    FMT_FP16,
    FMT_BF16,
    FMT_FP32,
    FMT_INT32,
    FMT_INT8,
    FMT_UINT16,
    FMT_HI16,
    FMT_INT16,
    FMT_LO16,
    FMT_INT32_ALL,
    FMT_ZERO,
    FMT_INT32_SM,
    FMT_INT8_COMP,
    FMT_LO16_ONLY,
    FMT_HI16_ONLY,
};

/* Mod0 of SFPLOADI. */
enum {
    LOADI_FLOATB = 0,
    LOADI_FLOATA = 1,
    LOADI_USHORT = 2,
    LOADI_SHORT = 4,
    LOADI_UPPER = 8,
    LOADI_LOWER = 10,
};

enum {
    ADDR_ODD_COLUMNS = 2,
    ADDR_ROWS = TENSIX_DST_ROWS - VU_ROWS,   /* mask: four aligned rows */
    ALL_COLUMNS = 0xff,
    LANES_OF_ROW = 0xff,
    LANES_EACH_ROW = 0x01010101,   /* times a row of bits: every row's lanes */
};

/* Formats of 32 bits in Dst; LO16 and HI16 are, for stores only. */
static const uint32_t wide_loads =
    1u << FMT_FP32 | 1u << FMT_INT32 | 1u << FMT_INT32_ALL | 1u << FMT_INT32_SM;
static const uint32_t wide_stores = 1u << FMT_FP32 | 1u << FMT_INT32 |
                                    1u << FMT_INT32_ALL | 1u << FMT_INT32_SM |
                                    1u << FMT_LO16 | 1u << FMT_HI16;

/* Where in Dst a vector is. */
typedef struct VectorPlace {
    uint32_t row;                  /* first of four physical rows */
    uint32_t first;                /* logical row of lane 0 */
    uint32_t odd;                  /* bit a column of the grid: odd in Dst */
    bool wide;
} VectorPlace;

static uint32_t resolve_format(const TensixCore *c, uint32_t thread,
                               uint32_t mod)
{
    uint32_t format;

    if (mod != FMT_SRCB) {
        return mod;
    }
    if (CFG_GET(c, thread, ALU_ACC_CTRL_SFPU_Fp32_enabled)) {
        return FMT_FP32;
    }
    if (THREAD_CFG_GET(c, thread, SFPU_DEST_FMT_Enable)) {
        format = THREAD_CFG_GET(c, thread, SFPU_DEST_FMT_Base);
    } else if (CFG_GET(c, thread, ALU_FORMAT_SPEC_REG_SrcB_override)) {
        format = CFG_GET(c, thread, ALU_FORMAT_SPEC_REG_SrcB_val);
    } else {
        format = CFG_GET(c, thread, ALU_FORMAT_SPEC_REG1_SrcB);
    }
    return tensix_num_format_is_bf16(format) ? FMT_BF16 : FMT_FP16;
}

/*
 * Address of a vector, 10 bits: rows in the upper eight, odd columns in bit 1.
 * INT32_ALL goes by the stack pointer and takes only the low bits of the
 * ordinary counters; all other formats the other way round.
 */
static uint32_t vector_address(const TensixCore *c, uint32_t thread,
                               uint32_t imm, uint32_t format)
{
    uint32_t dst =
        c->s.rwc[thread].Dst + CFG_GET(c, thread, DEST_REGW_BASE_Base);
    uint32_t sp = c->s.rwc[thread].Sp + CFG_GET(c, thread, DEST_SP_BASE_Base);
    uint32_t address =
        imm + THREAD_CFG_GET(c, thread, DEST_TARGET_REG_CFG_MATH_Offset);

    address += format == FMT_INT32_ALL ? sp + (dst & 3) : dst + (sp & 3);
    return address & DST_ROW_MASK;
}

/* `exchange`: columns that LaneConfig makes odd whatever the address says. */
static VectorPlace vector_place(const TensixCore *c, uint32_t thread,
                                uint32_t address, bool wide, uint32_t exchange)
{
    VectorPlace p = {
        .first = address & ADDR_ROWS,
        .odd =
            address & ADDR_ODD_COLUMNS ? ALL_COLUMNS : exchange & ALL_COLUMNS,
        .wide = wide,
    };

    p.row = wide ? tensix_dst_adj32(c, thread, p.first)
                 : tensix_dst_adj16(c, thread, p.first);
    return p;
}

/*
 * Two neighbouring columns of a row as one word: the even one in the low half,
 * whatever the host's byte order.
 */
static inline uint32_t pair_order(uint32_t pair)
{
    const union {
        uint16_t half[2];
        uint32_t word;
    } probe = { { 1, 0 } };

    return probe.word == 1 ? pair : pair << 16 | pair >> 16;
}

/*
 * Columns 2k and 2k + 1 of four rows, in the order of the lanes: the rows are
 * next to each other, so this is a copy.
 */
static void read_pairs(const TensixCore *c, uint32_t row, TensixLanes *pair)
{
    memcpy(pair->x, c->s.dst[row], sizeof(pair->x));
    for (int l = 0; l < TENSIX_LANES; l++) {
        pair->x[l] = pair_order(pair->x[l]);
    }
}

/* Raw 16-bit cells; odd is all ones in the lanes of odd columns. */
static void read_half(const TensixCore *c, uint32_t row, const TensixLanes *odd,
                      TensixLanes *r)
{
    read_pairs(c, row, r);
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t pair = r->x[l];

        r->x[l] = odd->x[l] ? pair >> 16 : pair & 0xffff;
    }
}

/* Lanes of the rows that are not undefined. */
static uint32_t valid_lanes(const TensixCore *c, const VectorPlace *p)
{
    static const uint8_t all[VU_ROWS] = { 1, 1, 1, 1 };
    uint32_t lanes = 0;

    if (!memcmp(&c->s.dst_row_valid[p->row], all, sizeof(all))) {
        return VU_ALL_LANES;
    }
    for (uint32_t k = 0; k < VU_ROWS; k++) {
        if (c->s.dst_row_valid[p->row + k]) {
            lanes |= (uint32_t)LANES_OF_ROW << (k * VU_COLUMNS);
        }
    }
    return lanes;
}

/* The cells of all lanes; undefined rows give zeroes. */
static void read_cells(const TensixCore *c, const VectorPlace *p,
                       uint32_t valid, TensixLanes *r)
{
    TensixLanes odd, low, mask;

    tensix_vu_expand(&odd, p->odd * LANES_EACH_ROW);
    read_half(c, p->row, &odd, r);
    if (p->wide) {
        read_half(c, p->row + DST_LOW_HALF_ROWS, &odd, &low);
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = r->x[l] << 16 | low.x[l];
        }
    }
    if (valid != VU_ALL_LANES) {
        tensix_vu_expand(&mask, valid);
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] &= mask.x[l];
        }
    }
}

/* The hardware's answer for an undefined row is not defined (WH ZEROACC.md). */
static void check_rows(TensixCore *c, const TensixInsn *i, const VectorPlace *p,
                       uint32_t undefined)
{
    if (undefined) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "SFPLOAD of Dst row %u, which ZEROACC made undefined",
                         (unsigned)(p->first +
                                    __builtin_ctz(undefined) / VU_COLUMNS));
    }
}

/* r->x[l] = expression in x, the value so far, for all lanes l. */
#define EACH_LANE(expression) \
    do { \
        for (int l = 0; l < TENSIX_LANES; l++) { \
            uint32_t x = r->x[l]; \
            r->x[l] = (expression); \
        } \
    } while (0)

/* Cells to lane values; old is what the destination holds. */
static void convert_load(TensixLanes *r, uint32_t format, const uint32_t *old,
                         uint32_t max_is_inf)
{
    switch (format) {
    case FMT_FP16:
        EACH_LANE(tensix_num_load_fp16(x, max_is_inf & tensix_lane_bit[l]));
        break;
    case FMT_BF16:
        EACH_LANE(tensix_num_load_bf16(x));
        break;
    case FMT_FP32:
    case FMT_INT32:
    case FMT_INT32_ALL:
    case FMT_INT32_SM:
        EACH_LANE(tensix_num_dst_decode32(x));
        break;
    case FMT_INT8:
        EACH_LANE(tensix_num_load_int8(x));
        break;
    case FMT_INT8_COMP:
        EACH_LANE(tensix_num_load_int10(x));
        break;
    case FMT_INT16:
        EACH_LANE(tensix_num_load_int16(x));
        break;
    case FMT_HI16:
        EACH_LANE(x << 16);
        break;
    case FMT_LO16_ONLY:
        EACH_LANE((old[l] & 0xffff0000) | x);
        break;
    case FMT_HI16_ONLY:
        EACH_LANE((old[l] & 0xffff) | x << 16);
        break;
    case FMT_ZERO:
        EACH_LANE(x & 0);
        break;
    default:                       /* UINT16 and LO16: as they are */
        break;
    }
}

/* Lanes that note where their datum came from, for argmin and argmax. */
static void capture_index(TensixVectorUnit *vu, uint32_t vd,
                          const VectorPlace *p, uint32_t lanes)
{
    lanes &= tensix_vu_config_lanes(vu, VU_ENABLE_DEST_INDEX) &
             tensix_vu_config_lanes(vu, VU_CAPTURE_DEFAULT_DEST_INDEX);
    for (uint32_t l = 0; l < TENSIX_LANES; l++) {
        if (lanes & tensix_lane_bit[l]) {
            uint32_t row = p->first + l / VU_COLUMNS;
            uint32_t k = l % VU_COLUMNS;

            vu->lreg[vd + 4][l] = row << 4 | (2 * k + (p->odd >> k & 1));
        }
    }
}

/* Pops the stack pointer before the load, unless it is at the bottom. */
static void pop_sp(TensixCore *c, uint32_t thread)
{
    TensixRwc *rwc = &c->s.rwc[thread];

    if (rwc->Sp) {
        rwc->Sp = (rwc->Sp - THREAD_CFG_GET(c, thread, SFPU_STACK_Incr)) &
                  DST_ROW_MASK;
    }
}

/* SFPLOAD to LReg[vd], in a format that is not SRCB any more. */
static void load(TensixCore *c, const TensixInsn *i, uint32_t vd,
                 uint32_t format, uint32_t address, uint32_t lanes)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t config = tensix_vu_config_any(vu);
    uint32_t exchange =
        config ? tensix_vu_config_lanes(vu, VU_DEST_RD_COL_EXCHANGE) : 0;
    uint32_t inf = config ? tensix_vu_config_lanes(vu, VU_ENABLE_FP16A_INF) : 0;
    bool wide = wide_loads >> format & 1;
    VectorPlace p = vector_place(c, i->thread, address, wide, exchange);
    uint32_t valid = valid_lanes(c, &p);
    TensixLanes r;

    if (config) {
        lanes &= ~tensix_vu_config_lanes(vu, VU_BLOCK_SFPU_RD_FROM_DEST);
    }
    if (format != FMT_ZERO) {
        check_rows(c, i, &p, lanes & ~valid);
    }
    read_cells(c, &p, valid, &r);
    convert_load(&r, format, vu->lreg[vd], inf);
    tensix_vu_write(vu, vd, &r, lanes);
    if (config && vd < 4) {
        capture_index(vu, vd, &p, lanes);
    }
}

uint32_t tensix_vu_load(TensixCore *c, const TensixInsn *i,
                        const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vu_backdoor(vu, op);
    uint32_t format = resolve_format(c, i->thread, op->mod);
    uint32_t address;

    if (format == FMT_INT32_ALL) {
        pop_sp(c, i->thread);
    } else {
        lanes &= tensix_vu_enabled(vu);
    }
    address = vector_address(c, i->thread, op->imm, format);
    if (op->vd < VU_LREG_WRITABLE) {
        load(c, i, op->vd, format, address, lanes);
    }
    tensix_apply_partial_addr_mod(c, i->thread,
                                  OPERAND(i, SFPLOAD, sfpu_addr_mode));
    return address;
}

TensixResult tensix_exec_SFPLOAD(TensixCore *c, const TensixInsn *i)
{
    TensixVuOp op = tensix_vu_decode_mod0(i->word);

    tensix_vu_load(c, i, &op);
    return TENSIX_DONE;
}

/* Lane values to cells: 16 bits, or 32 for the wide formats. */
static void convert_store(TensixLanes *r, uint32_t format)
{
    switch (format) {
    case FMT_FP16:
        EACH_LANE(tensix_num_store_fp16(x));
        break;
    case FMT_BF16:
        EACH_LANE(tensix_num_store_bf16(x));
        break;
    case FMT_FP32:
        EACH_LANE(tensix_num_store_fp32(x));
        break;
    case FMT_INT32:
    case FMT_INT32_ALL:
    case FMT_INT32_SM:
        EACH_LANE(tensix_num_dst_encode32(x));
        break;
    case FMT_INT8:
    case FMT_INT8_COMP:
        EACH_LANE(tensix_num_store_int8(x));
        break;
    case FMT_INT16:
        EACH_LANE(tensix_num_store_int16(x));
        break;
    case FMT_UINT16:
    case FMT_LO16_ONLY:
        EACH_LANE(x & 0xffff);
        break;
    case FMT_HI16_ONLY:
        EACH_LANE(x >> 16);
        break;
    case FMT_LO16:
        EACH_LANE(x << 16 | x >> 16);
        break;
    case FMT_ZERO:
        EACH_LANE(x & 0);
        break;
    default:                       /* HI16: opaque 32 bits */
        break;
    }
}

/* 16-bit cells, where mask is all ones. */
static void write_half(TensixCore *c, uint32_t row, const TensixLanes *odd,
                       const TensixLanes *x, const TensixLanes *mask)
{
    TensixLanes pair;

    read_pairs(c, row, &pair);
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t m = mask->x[l] & (odd->x[l] ? 0xffff0000u : 0xffff);
        uint32_t cell = odd->x[l] ? x->x[l] << 16 : x->x[l];

        pair.x[l] = pair_order((pair.x[l] & ~m) | (cell & m));
    }
    memcpy(c->s.dst[row], pair.x, sizeof(pair.x));
}

static void write_cells(TensixCore *c, const VectorPlace *p,
                        const TensixLanes *r, uint32_t lanes)
{
    TensixLanes odd, mask, high;

    tensix_vu_expand(&odd, p->odd * LANES_EACH_ROW);
    tensix_vu_expand(&mask, lanes);
    for (uint32_t k = 0; k < VU_ROWS; k++) {
        if (lanes >> (k * VU_COLUMNS) & LANES_OF_ROW) {
            c->s.dst_row_valid[p->row + k] = 1;
        }
    }
    if (!p->wide) {
        write_half(c, p->row, &odd, r, &mask);
        return;
    }
    for (int l = 0; l < TENSIX_LANES; l++) {
        high.x[l] = r->x[l] >> 16;
    }
    write_half(c, p->row, &odd, &high, &mask);
    write_half(c, p->row + DST_LOW_HALF_ROWS, &odd, r, &mask);
}

static void store(TensixCore *c, const TensixInsn *i, uint32_t vd,
                  uint32_t format, uint32_t address, uint32_t lanes)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t config = tensix_vu_config_any(vu);
    uint32_t exchange =
        config ? tensix_vu_config_lanes(vu, VU_DEST_WR_COL_EXCHANGE) : 0;
    bool wide = wide_stores >> format & 1;
    VectorPlace p = vector_place(c, i->thread, address, wide, exchange);
    TensixLanes r;

    if (config) {
        lanes &= ~tensix_vu_config_lanes(vu, VU_BLOCK_DEST_WR_FROM_SFPU);
    }
    memcpy(r.x, vu->lreg[vd], sizeof(r.x));
    convert_store(&r, format);
    write_cells(c, &p, &r, lanes);
}

/* Scheduled, it has its address, and leaves the counters but Sp alone. */
void tensix_vu_SFPSTORE(TensixCore *c, const TensixInsn *i,
                        const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    TensixRwc *rwc = &c->s.rwc[i->thread];
    uint32_t lanes = tensix_vu_backdoor(vu, op);
    uint32_t format = resolve_format(c, i->thread, op->mod);
    uint32_t address = op->scheduled
                           ? op->address
                           : vector_address(c, i->thread, op->imm, format);

    if (format != FMT_INT32_ALL) {
        lanes &= tensix_vu_enabled(vu);
    }
    if (lanes) {
        store(c, i, op->vd, format, address, lanes);
    }
    if (format == FMT_INT32_ALL) {
        rwc->Sp = (rwc->Sp + THREAD_CFG_GET(c, i->thread, SFPU_STACK_Incr)) &
                  DST_ROW_MASK;
    }
    if (!op->scheduled) {
        tensix_apply_partial_addr_mod(c, i->thread,
                                      OPERAND(i, SFPSTORE, sfpu_addr_mode));
    }
}

VU_EXEC(SFPSTORE, mod0)

/* What LOADI leaves of the old value, and what it adds; false: no such mode. */
static bool loadi_value(uint32_t mod, uint32_t imm, uint32_t *keep,
                        uint32_t *value)
{
    *keep = 0;
    switch (mod) {
    case LOADI_FLOATB:
        *value = imm << 16;
        return true;
    case LOADI_FLOATA:
        *value = tensix_num_imm_fp16(imm);
        return true;
    case LOADI_USHORT:
        *value = imm;
        return true;
    case LOADI_SHORT:
        *value = (imm ^ 0x8000) - 0x8000;
        return true;
    case LOADI_UPPER:
        *keep = 0xffff;
        *value = imm << 16;
        return true;
    case LOADI_LOWER:
        *keep = 0xffff0000;
        *value = imm;
        return true;
    default:
        return false;
    }
}

TensixResult tensix_exec_SFPLOADI(TensixCore *c, const TensixInsn *i)
{
    TensixVectorUnit *vu = &c->s.vu;
    TensixVuOp op = {
        .word = i->word,
        .vd = OPERAND(i, SFPLOADI, lreg_ind),
        .mod = OPERAND(i, SFPLOADI, instr_mod0),
        .imm = OPERAND(i, SFPLOADI, imm16),
    };
    uint32_t lanes = tensix_vu_issue(vu, &op);
    uint32_t keep, value;
    TensixLanes r;

    if (op.vd >= VU_LREG_WRITABLE) {
        return TENSIX_DONE;        /* LReg 11..14 are SFPCONFIG's to write */
    }
    if (!loadi_value(op.mod, op.imm, &keep, &value)) {
        return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                                "SFPLOADI mode %u", (unsigned)op.mod);
    }
    for (int l = 0; l < TENSIX_LANES; l++) {
        r.x[l] = (vu->lreg[op.vd][l] & keep) | value;
    }
    tensix_vu_write(vu, op.vd, &r, lanes);
    return TENSIX_DONE;
}

TensixResult tensix_exec_SFPNOP(TensixCore *c, const TensixInsn *i)
{
    return TENSIX_DONE;
}
