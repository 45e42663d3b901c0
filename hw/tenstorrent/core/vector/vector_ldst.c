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

#include "num/num.h"
#include "observe/note.h"
#include "regs/regfile.h"
#include "vector/vector_cells.h"
#include "vector/vector_ops.h"
#include "config/config.h"

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
    ADDR_ROWS = TENSIX_DST_ROWS - VECTOR_ROWS,   /* mask: four aligned rows */
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
    uint32_t odd;                  /* bit a lane: odd column of Dst */
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
static inline uint32_t vector_address(const TensixCore *c, uint32_t thread,
                                      uint32_t imm, bool by_stack)
{
    const TensixPlace *place = &c->derived.place[thread];
    uint32_t dst = c->s.rwc[thread].Dst, sp = c->s.rwc[thread].Sp + place->sp_base;
    uint32_t offset;

    if (!by_stack) {
        return (imm + dst + place->dst_base + (sp & 3)) & DST_ROW_MASK;
    }
    offset = THREAD_CFG_GET(c, thread, DEST_TARGET_REG_CFG_MATH_Offset);
    dst += place->dst_base - offset;
    return (imm + offset + sp + (dst & 3)) & DST_ROW_MASK;
}

/* `exchange`: lanes whose column LaneConfig makes odd whatever the address. */
static inline VectorPlace vector_place(const TensixCore *c, uint32_t thread,
                                       uint32_t address, bool wide, uint32_t exchange)
{
    uint32_t first = address & ADDR_ROWS;

    /* one column's lanes are as its lane in row 0 */
    exchange = (exchange & LANES_OF_ROW) * LANES_EACH_ROW;
    return (VectorPlace) {
        .row = wide ? tensix_dst_adj32(c, thread, first)
                    : tensix_dst_adj16(c, thread, first),
        .first = first,
        .odd = address & ADDR_ODD_COLUMNS ? VECTOR_ALL_LANES : exchange,
    };
}

/* Lanes of the rows that are not undefined. */
static uint32_t valid_lanes(const TensixCore *c, const VectorPlace *p)
{
    uint32_t lanes = 0;

    for (uint32_t k = 0; k < VECTOR_ROWS; k++) {
        if (c->s.dst_row_valid[p->row + k]) {
            lanes |= (uint32_t)LANES_OF_ROW << (k * VECTOR_COLUMNS);
        }
    }
    return lanes;
}

/*
 * A load from rows of which some are undefined: these read as zeroes, which is
 * reported, because hardware may give anything (WH ZEROACC.md).
 */
static __attribute__((noinline)) void load_undefined(TensixCore *c,
                                                     const TensixVectorOp *op,
                                                     uint32_t format,
                                                     VectorPlace p, uint32_t lanes,
                                                     uint32_t inf)
{
    static const uint16_t zeroes[DST_LOW_HALF_ROWS + VECTOR_ROWS][TENSIX_COLUMNS];
    uint32_t undefined = lanes & ~valid_lanes(c, &p);
    uint32_t *d = c->s.vu.lreg[op->vd];

    tensix_vector_load_cells[format](d, c->s.dst[p.row], lanes & ~undefined,
                                     p.odd, inf);
    tensix_vector_load_cells[format](d, zeroes[0], undefined, p.odd, inf);
    if (undefined && format != FMT_ZERO) {
        tensix_violation(c, op->insn, TENSIX_UNDEFINED_BEHAVIOUR,
                         "SFPLOAD of Dst row %u, which ZEROACC made undefined",
                         (unsigned)(p.first + __builtin_ctz(undefined) / VECTOR_COLUMNS));
    }
}

/* Lanes that note where their datum came from, for argmin and argmax. */
static void capture_index(TensixVectorUnit *vu, uint32_t vd,
                          const VectorPlace *p, uint32_t lanes)
{
    lanes &= tensix_vector_config_lanes(vu, VECTOR_ENABLE_DEST_INDEX) &
             tensix_vector_config_lanes(vu, VECTOR_CAPTURE_DEFAULT_DEST_INDEX);
    for (uint32_t l = 0; l < TENSIX_LANES; l++) {
        if (lanes & tensix_lane_bit[l]) {
            uint32_t row = p->first + l / VECTOR_COLUMNS;
            uint32_t k = l % VECTOR_COLUMNS;

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

#ifdef TENSIX_OBSERVED
/* note, for each row of Dst that the lanes are in, and those of the low halves. */
static void record_vector_rows(TensixCore *c, uint32_t row, uint32_t lanes,
                               bool wide,
                               void (*note)(TensixCore *c, TensixSpace space,
                                            uint32_t first, uint32_t count))
{
    for (uint32_t k = 0; k < VECTOR_ROWS; k++) {
        if (lanes >> (k * VECTOR_COLUMNS) & LANES_OF_ROW) {
            note(c, TENSIX_SPACE_DST, row + k, 1);
            if (wide) {
                note(c, TENSIX_SPACE_DST, row + k + DST_LOW_HALF_ROWS, 1);
            }
        }
    }
}

/* Of a load; one that gives zeroes reads nothing. */
static void record_load(TensixCore *c, const VectorPlace *p, uint32_t lanes,
                        uint32_t format)
{
    if (format != FMT_ZERO) {
        record_vector_rows(c, p->row, lanes, wide_loads >> format & 1,
                           tensix_observe_read);
    }
}
#endif

/* SFPLOAD to op's VD, in a format that is not SRCB any more. */
static void load(TensixCore *c, const TensixVectorOp *op, uint32_t format,
                 uint32_t address, uint32_t lanes)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t config = c->s.vu.lane_config_any;
    uint32_t exchange =
        config ? tensix_vector_config_lanes(vu, VECTOR_DEST_RD_COL_EXCHANGE) : 0;
    uint32_t inf =
        config ? tensix_vector_config_lanes(vu, VECTOR_ENABLE_FP16A_INF) : 0;
    bool wide = wide_loads >> format & 1;
    VectorPlace p = vector_place(c, op->insn->thread, address, wide, exchange);

    if (config) {
        lanes &= ~tensix_vector_config_lanes(vu,
                                             VECTOR_BLOCK_SFPU_RD_FROM_DEST);
    }
    TENSIX_NOTE(record_load(c, &p, lanes, format));
    if (tensix_dst_4_rows_valid(c, p.row)) {
        tensix_vector_load_cells[format](vu->lreg[op->vd], c->s.dst[p.row],
                                         lanes, p.odd,
                                         inf);
    } else {
        load_undefined(c, op, format, p, lanes, inf);
    }
    if (config && op->vd < 4) {
        capture_index(vu, op->vd, &p, lanes);
    }
}

uint32_t tensix_vector_load(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_backdoor(vu, op);
    uint32_t thread = op->insn->thread;
    uint32_t format = resolve_format(c, thread, op->mod);
    uint32_t address;

    if (format == FMT_INT32_ALL) {
        pop_sp(c, thread);
    } else {
        lanes &= tensix_vector_enabled(vu, op);
    }
    address = vector_address(c, thread, op->imm, format == FMT_INT32_ALL);
    if (op->vd < VECTOR_LREG_WRITABLE) {
        load(c, op, format, address, lanes);
    }
    tensix_apply_partial_addr_mod(c, thread,
                                  OPERAND(op->insn, SFPLOAD, sfpu_addr_mode));
    return address;
}

void tensix_vector_SFPLOAD(TensixCore *c, const TensixVectorOp *op)
{
    tensix_vector_load(c, op);
}

/* Plain, and by the ordinary address. */
static inline bool is_simple(const TensixCore *c, const TensixVectorOp *op)
{
    return tensix_vector_is_plain(c, op) && op->mod != FMT_INT32_ALL;
}

/* A simple load from row `row` on, after which counters move. */
static __attribute__((noinline)) TensixResult load_and_move(
    TensixCore *c, const TensixInsn *i, uint32_t vd, uint32_t format, uint32_t row,
    uint32_t odd)
{
    const TensixVectorOp op = { .plain = true };

    tensix_vector_load_cells[format](c->s.vu.lreg[vd], c->s.dst[row],
                                     tensix_vector_enabled(&c->s.vu, &op), odd, 0);
    tensix_advance_rwcs(c, i->thread, OPERAND(i, SFPLOAD, sfpu_addr_mode));
    return TENSIX_DONE;
}

/* The common case: ends in a tail call, and needs no stack frame. */
static inline __attribute__((always_inline))
TensixResult load_simple(TensixCore *c, TensixVectorOp op, uint32_t format)
{
    const TensixInsn *i = op.insn;
    /* sampled first, while the place of ThreadConfig is at hand */
    bool moves = tensix_addr_mod_moves(c, i->thread,
                                       OPERAND(i, SFPLOAD, sfpu_addr_mode));
    uint32_t address = vector_address(c, i->thread, op.imm, false);
    VectorPlace p = vector_place(c, i->thread, address,
                                 wide_loads >> format & 1, 0);

    op.plain = true;
    if (__builtin_expect(!tensix_dst_4_rows_valid(c, p.row), false)) {
        return tensix_vector_exec_rare(c, i);
    }
    TENSIX_NOTE(record_load(c, &p, tensix_vector_enabled(&c->s.vu, &op),
                            format));
    if (moves) {
        return load_and_move(c, i, op.vd, format, p.row, p.odd);
    }
    return tensix_vector_load_cells[format](
        c->s.vu.lreg[op.vd], c->s.dst[p.row],
        tensix_vector_enabled(&c->s.vu, &op), p.odd, 0);
}

static __attribute__((noinline)) TensixResult load_implied(TensixCore *c,
                                                           const TensixInsn *i)
{
    return load_simple(c, tensix_vector_decode_SFPLOAD(i),
                       resolve_format(c, i->thread, FMT_SRCB));
}

TensixResult tensix_exec_SFPLOAD(TensixCore *c, const TensixInsn *i)
{
    TensixVectorOp op = tensix_vector_decode_SFPLOAD(i);

    if (__builtin_expect(!is_simple(c, &op), false)) {
        return tensix_vector_exec_rare(c, i);
    }
    return op.mod == FMT_SRCB ? load_implied(c, i) : load_simple(c, op, op.mod);
}

/* What is written is defined again. */
static inline void validate_rows(TensixCore *c, uint32_t row, uint32_t lanes,
                                 bool wide)
{
    TENSIX_NOTE(record_vector_rows(c, row, lanes, wide, tensix_observe_write));
    if (wide) {
        TENSIX_WIDE_DST(c, row, VECTOR_ROWS);
    }
    if (__builtin_expect(lanes == VECTOR_ALL_LANES, true)) {
        memset(&c->s.dst_row_valid[row], 1, VECTOR_ROWS);
        return;
    }
    for (uint32_t k = 0; k < VECTOR_ROWS; k++) {
        if (lanes >> (k * VECTOR_COLUMNS) & LANES_OF_ROW) {
            c->s.dst_row_valid[row + k] = 1;
        }
    }
}

static void store(TensixCore *c, const TensixVectorOp *op, uint32_t format,
                  uint32_t address, uint32_t lanes)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t config = c->s.vu.lane_config_any;
    uint32_t exchange =
        config ? tensix_vector_config_lanes(vu, VECTOR_DEST_WR_COL_EXCHANGE) : 0;
    bool wide = wide_stores >> format & 1;
    VectorPlace p = vector_place(c, op->insn->thread, address, wide, exchange);

    if (config) {
        lanes &= ~tensix_vector_config_lanes(vu,
                                             VECTOR_BLOCK_DEST_WR_FROM_SFPU);
    }
    validate_rows(c, p.row, lanes, wide);
    tensix_vector_store_cells[format](vu->lreg[op->vd], c->s.dst[p.row], lanes,
                                      p.odd);
}

/* A scheduled SFPSTORE has its address, and moves no counter but Sp. */
void tensix_vector_SFPSTORE(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t thread = op->insn->thread;
    TensixRwc *rwc = &c->s.rwc[thread];
    uint32_t lanes = tensix_vector_backdoor(vu, op);
    uint32_t format = resolve_format(c, thread, op->mod);
    uint32_t address = op->scheduled
                           ? op->address
                           : vector_address(c, thread, op->imm,
                                            format == FMT_INT32_ALL);

    if (format != FMT_INT32_ALL) {
        lanes &= tensix_vector_enabled(vu, op);
    }
    if (lanes) {
        store(c, op, format, address, lanes);
    }
    if (format == FMT_INT32_ALL) {
        rwc->Sp = (rwc->Sp + THREAD_CFG_GET(c, thread, SFPU_STACK_Incr)) &
                  DST_ROW_MASK;
    }
    if (!op->scheduled) {
        tensix_apply_partial_addr_mod(
            c, thread, OPERAND(op->insn, SFPSTORE, sfpu_addr_mode));
    }
}

/* The common case: ends in a tail call, and needs no stack frame. */
static inline __attribute__((always_inline))
TensixResult store_plain(TensixCore *c, TensixVectorOp op, uint32_t format)
{
    uint32_t thread = op.insn->thread, lanes;
    uint32_t address = vector_address(c, thread, op.imm, false);
    VectorPlace p = vector_place(c, thread, address, wide_stores >> format & 1,
                                 0);

    op.plain = true;
    lanes = tensix_vector_enabled(&c->s.vu, &op);
    validate_rows(c, p.row, lanes, wide_stores >> format & 1);
    return tensix_vector_store_cells[format](c->s.vu.lreg[op.vd],
                                             c->s.dst[p.row], lanes,
                                             p.odd);
}

/* The same, after which counters move. */
static __attribute__((noinline)) TensixResult store_and_move(TensixCore *c,
                                                             const TensixInsn *i,
                                                             uint32_t format)
{
    store_plain(c, tensix_vector_decode_SFPSTORE(i), format);
    tensix_advance_rwcs(c, i->thread, OPERAND(i, SFPSTORE, sfpu_addr_mode));
    return TENSIX_DONE;
}

static inline __attribute__((always_inline))
TensixResult store_simple(TensixCore *c, TensixVectorOp op, uint32_t format)
{
    const TensixInsn *i = op.insn;

    if (tensix_addr_mod_moves(c, i->thread,
                              OPERAND(i, SFPSTORE, sfpu_addr_mode))) {
        return store_and_move(c, i, format);
    }
    return store_plain(c, op, format);
}

static __attribute__((noinline)) TensixResult store_implied(TensixCore *c,
                                                            const TensixInsn *i)
{
    return store_simple(c, tensix_vector_decode_SFPSTORE(i),
                        resolve_format(c, i->thread, FMT_SRCB));
}

TensixResult tensix_exec_SFPSTORE(TensixCore *c, const TensixInsn *i)
{
    TensixVectorOp op = tensix_vector_decode_SFPSTORE(i);

    if (__builtin_expect(!is_simple(c, &op), false)) {
        return tensix_vector_exec_rare(c, i);
    }
    return op.mod == FMT_SRCB ? store_implied(c, i) : store_simple(c, op,
                                                                   op.mod);
}

/* The value in a mode that is neither BF16 nor a half; false: no such mode. */
static bool loadi_other(uint32_t mod, uint32_t imm, uint32_t *value)
{
    switch (mod) {
    case LOADI_FLOATA:
        *value = tensix_num_imm_fp16(imm);
        return true;
    case LOADI_SHORT:
        *value = (imm ^ 0x8000) - 0x8000;
        return true;
    default:
        return false;
    }
}

/* LReg[vd] with `value` in all lanes, or in that half of each. */
static inline Simd32 loadi_lanes(const TensixVectorUnit *vu, uint32_t vd,
                                 uint32_t mod, uint32_t value)
{
    uint32_t keep = mod & LOADI_USHORT ? 0xffff0000 : 0xffff;
    Simd32 r;

    SIMD_EACH(l) {
        r.v[l / SIMD_LANES] =
            mod & LOADI_UPPER ? (simd_load(&vu->lreg[vd][l]) & keep) | value
                              : simd_splat(value);
    }
    return r;
}

/* LReg 11 to 14 are SFPCONFIG's to write. */
void tensix_vector_SFPLOADI(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    uint32_t value = op->mod & LOADI_USHORT ? op->imm : op->imm << 16;
    Simd32 r;

    if (op->vd >= VECTOR_LREG_WRITABLE) {
        return;
    }
    if (op->mod & ~LOADI_LOWER && !loadi_other(op->mod, op->imm, &value)) {
        tensix_violation(c, op->insn, TENSIX_UNDEFINED_BEHAVIOUR,
                         "SFPLOADI mode %u", (unsigned)op->mod);
        return;
    }
    r = loadi_lanes(vu, op->vd, op->mod, value);
    tensix_vector_put(vu, op->vd, &r, lanes);
}

VECTOR_EXEC(SFPLOADI)

void tensix_vector_SFPNOP(TensixCore *c, const TensixVectorOp *op)
{
}

VECTOR_EXEC(SFPNOP)
