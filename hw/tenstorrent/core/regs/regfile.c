/*
 * Register files: rows of Dst, banks of SrcA and SrcB, read/write counters.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH Dst.md (Adj16, Adj32), WH RWCs.md, WH SrcASrcB.md with its Blackhole
 * parts (implied formats), WH UNPACR_NOP_SETDVALID.md, BH SoftReset.md.
 */

#include "regs/regfile.h"
#include "tensix_soft_reset.h"
#include "config/config.h"
#include "observe/note.h"
#include "record/current.h"

enum { COLUMNS_PER_HOLD = 4 };        /* of SrcA, a soft-reset bit */

void tensix_set_dst16b_is_high_half(TensixCore *c, bool high_half)
{
    c->s.dst16b_is_high_half = high_half;
    for (uint32_t bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
        c->derived.config[bank]++;
    }
    tensix_update_places(c);
}

/* Fields of ADDR_MOD_*_SEC<n>: all sections are alike, SEC0 names the bits. */
#define SECTION(c, t, n, name) \
    ((uint32_t)(c)->s.thread_cfg[t][THREAD_CFG_##name##_INDEX + (n)] >> \
     THREAD_CFG_##name##_LOW & THREAD_CFG_##name##_MASK)

static void advance_dst(TensixRwc *rwc, const TensixCore *c, uint32_t thread,
                        uint32_t n)
{
    uint32_t step = SECTION(c, thread, n, ADDR_MOD_DST_SEC0_DestIncr);
    bool clear = SECTION(c, thread, n, ADDR_MOD_DST_SEC0_DestClear);
    bool use_cr = SECTION(c, thread, n, ADDR_MOD_DST_SEC0_DestCR);

    if (!clear && SECTION(c, thread, n, ADDR_MOD_DST_SEC0_DestCToCR)) {
        tensix_counter_set(&rwc->Dst, &rwc->Dst_Cr, rwc->Dst + step,
                           DST_ROW_MASK);
    } else {
        tensix_counter_advance(&rwc->Dst, &rwc->Dst_Cr, step, clear, use_cr,
                               DST_ROW_MASK);
    }
}

#define BITS(name) (THREAD_CFG_##name##_MASK << THREAD_CFG_##name##_LOW)

/* Bits of a section beside its steps. */
enum {
    AB_NO_STEP = BITS(ADDR_MOD_AB_SEC0_SrcAClear) |
                 BITS(ADDR_MOD_AB_SEC0_SrcACR) |
                 BITS(ADDR_MOD_AB_SEC0_SrcBClear) |
                 BITS(ADDR_MOD_AB_SEC0_SrcBCR),
    DST_NO_STEP = BITS(ADDR_MOD_DST_SEC0_DestClear) |
                  BITS(ADDR_MOD_DST_SEC0_DestCR) |
                  BITS(ADDR_MOD_DST_SEC0_DestCToCR),
};

/* Most AddrMods only add. */
static bool only_steps(const TensixCore *c, uint32_t thread, uint32_t n)
{
    const uint16_t *cfg = &c->s.thread_cfg[thread][n];

    return !((cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX] & AB_NO_STEP) |
             (cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX] & DST_NO_STEP) |
             cfg[THREAD_CFG_ADDR_MOD_BIAS_SEC0_BiasIncr_INDEX]);
}

void tensix_advance_rwcs(TensixCore *c, uint32_t thread, uint32_t n)
{
    TensixRwc *rwc = &c->s.rwc[thread];

    if (only_steps(c, thread, n)) {
        tensix_counter_add(&rwc->SrcA,
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcAIncr),
                           SRC_ROW_MASK);
        tensix_counter_add(&rwc->SrcB,
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcBIncr),
                           SRC_ROW_MASK);
        tensix_counter_add(&rwc->Dst,
                           SECTION(c, thread, n, ADDR_MOD_DST_SEC0_DestIncr),
                           DST_ROW_MASK);
        return;
    }
    tensix_counter_advance(&rwc->SrcA, &rwc->SrcA_Cr,
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcAIncr),
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcAClear),
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcACR),
                           SRC_ROW_MASK);
    tensix_counter_advance(&rwc->SrcB, &rwc->SrcB_Cr,
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcBIncr),
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcBClear),
                           SECTION(c, thread, n, ADDR_MOD_AB_SEC0_SrcBCR),
                           SRC_ROW_MASK);
    advance_dst(rwc, c, thread, n);
    /* kept for show: on Blackhole the index has 3 bits and needs no bank bit */
    if (SECTION(c, thread, n, ADDR_MOD_BIAS_SEC0_BiasClear)) {
        rwc->ExtraAddrModBit = 0;
    } else if (SECTION(c, thread, n, ADDR_MOD_BIAS_SEC0_BiasIncr) & 3) {
        rwc->ExtraAddrModBit ^= 1;
    }
}

void tensix_advance_phase(TensixCore *c, uint32_t thread, uint32_t n)
{
    TensixRwc *rwc = &c->s.rwc[thread];

    if (SECTION(c, thread, n, ADDR_MOD_DST_SEC0_FidelityClear)) {
        rwc->FidelityPhase = 0;
    } else {
        rwc->FidelityPhase =
            (rwc->FidelityPhase +
             SECTION(c, thread, n, ADDR_MOD_DST_SEC0_FidelityIncr)) &
            3;
    }
}

static bool column_held(const TensixCore *c, uint32_t src, uint32_t column)
{
    uint32_t held = c->s.soft_reset;

    if (src == TENSIX_SRCB) {
        return held & RESET_SRCB;
    }
    return (held & RESET_FPU_SFPU) ||
           (held & RESET_SRCA_COLUMNS0 << column / COLUMNS_PER_HOLD);
}

void tensix_src_fill(TensixCore *c, uint32_t src, uint32_t bank, uint32_t value)
{
    TensixSrcRow *rows = tensix_src_to_write(c, src, bank);

    tensix_observe_write_src(c, src, bank, 0, TENSIX_SRC_ROWS);
    for (uint32_t column = 0; column < TENSIX_COLUMNS; column++) {
        if (column_held(c, src, column)) {
            continue;
        }
        for (uint32_t row = 0; row < TENSIX_SRC_ROWS; row++) {
            rows[row][column] = value;
        }
    }
}

void tensix_src_clear_held(TensixCore *c, uint32_t src, uint32_t bank)
{
    TensixSrcRow *rows = tensix_src_to_write(c, src, bank);

    if (!c->s.soft_reset) {
        return;
    }
    tensix_observe_write_src(c, src, bank, 0, TENSIX_SRC_ROWS);
    for (uint32_t column = 0; column < TENSIX_COLUMNS; column++) {
        for (uint32_t row = 0; row < TENSIX_SRC_ROWS; row++) {
            if (column_held(c, src, column)) {
                rows[row][column] = 0;
            }
        }
    }
}

static bool clients_held(const TensixCore *c, uint32_t src)
{
    return c->s.soft_reset &
           (src == TENSIX_SRCA ? RESET_SRCA_CLIENT : RESET_SRCB);
}

void tensix_src_set_client(TensixCore *c, uint32_t src, uint32_t bank,
                           TensixSrcClient client)
{
    if (!clients_held(c, src)) {
        c->s.src_client[src][bank & SRC_BANK_MASK] = client;
        if (c->s.matrix_bank[src] == (bank & SRC_BANK_MASK)) {
            c->s.src_read &= ~(1u << src);
        }
        c->signals.changed |= TENSIX_CHANGED_BANK;
        tensix_record_bank(c, src, bank & SRC_BANK_MASK);
    }
}

void tensix_src_flip_matrix_bank(TensixCore *c, uint32_t src)
{
    if (!clients_held(c, src)) {
        c->s.matrix_bank[src] = (c->s.matrix_bank[src] & SRC_BANK_MASK) ^ 1;
        c->s.src_read &= ~(1u << src);
        c->signals.changed |= TENSIX_CHANGED_BANK;
    }
}

void tensix_src_flip_unpack_bank(TensixCore *c, uint32_t src)
{
    if (!clients_held(c, src)) {
        c->s.unpack_bank[src] = (c->s.unpack_bank[src] & SRC_BANK_MASK) ^ 1;
        c->signals.changed |= TENSIX_CHANGED_BANK;
    }
}

void tensix_src_reset_banks(TensixCore *c)
{
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        tensix_src_cancel_hand_over(&c->s, src);
        for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
            tensix_src_set_client(c, src, bank, TENSIX_CLIENT_UNPACKERS);
            c->s.src_format[src][bank] = 0;
        }
        if (!clients_held(c, src)) {
            c->s.matrix_bank[src] = 0;
            c->s.unpack_bank[src] = 0;
        }
    }
    c->signals.changed |= TENSIX_CHANGED_BANK;
}

void tensix_matrix_release_bank(TensixCore *c, uint32_t src, bool give_back)
{
    if (give_back) {
        tensix_src_set_client(c, src, c->s.matrix_bank[src],
                              TENSIX_CLIENT_UNPACKERS);
    }
    tensix_src_flip_matrix_bank(c, src);
}

void tensix_unpack_reset_row(TensixCore *c, uint32_t thread, uint32_t src)
{
    uint32_t base = src == TENSIX_SRCA
                        ? THREAD_CFG_GET(c, thread, SRCA_SET_Base)
                        : THREAD_CFG_GET(c, thread, SRCB_SET_Base);

    c->s.src_row[src][thread] = base << 4;
}

void tensix_src_arrives(TensixCore *c, uint32_t src, uint32_t bank)
{
    c->s.order.hand_over_at[src][bank] = 0;
    c->s.order.handing_over--;
    tensix_src_set_client(c, src, bank, TENSIX_CLIENT_MATRIX_UNIT);
}

void tensix_src_cancel_hand_over(TensixState *s, uint32_t src)
{
    for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
        s->order.handing_over -= s->order.hand_over_at[src][bank] != 0;
        s->order.hand_over_at[src][bank] = 0;
    }
}

/* The bank goes to the Matrix Unit, now or when the UNPACR at hand ends. */
static void send_bank(TensixCore *c, uint32_t src, uint32_t bank)
{
    TensixOrder *o = &c->s.order;

    if (c->hand_over_at <= o->cycle) {
        tensix_src_set_client(c, src, bank, TENSIX_CLIENT_MATRIX_UNIT);
        return;
    }
    o->handing_over += !o->hand_over_at[src][bank];
    o->hand_over_at[src][bank] = c->hand_over_at;
}

void tensix_unpack_hand_over_bank(TensixCore *c, const TensixInsn *i,
                                  uint32_t src)
{
    uint32_t bank = c->s.unpack_bank[src] & SRC_BANK_MASK;
    uint32_t thread = i->thread;

    c->s.src_given[src][bank] = i->origin;
    send_bank(c, src, bank);
    c->s.src_format[src][bank] =
        src == TENSIX_SRCA
            ? CFG_GET(c, thread, THCON_SEC0_REG2_Out_data_format)
            : CFG_GET(c, thread, THCON_SEC1_REG2_Out_data_format);
    tensix_src_flip_unpack_bank(c, src);
    tensix_unpack_reset_row(c, thread, src);
}
