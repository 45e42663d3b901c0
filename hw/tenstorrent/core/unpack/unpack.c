/*
 * UNPACR: tiles and rows from L1 to SrcA, SrcB or Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR.md and its pages UNPACR_Regular.md (shared with Blackhole),
 * UNPACR_IncrementContextCounter.md, UNPACR_FlushCache.md.  Here: waiting for
 * the bank, and counters; addresses are in unpack_address.c, datums in
 * unpack_move.c.
 */

#include "unpack/unpack.h"
#include "config/config.h"
#include "regs/regfile.h"

enum {
    ROWS_PER_SET = 16,
    INCREMENT_MASK = 3,
};

/* Increments in AddrMode, two bits each. */
enum { CH0_Z = 0, CH0_Y = 2, CH1_Z = 4, CH1_Y = 6 };

static uint32_t context_count(TensixCore *c, const TensixInsn *i)
{
    return 1u << (OPERAND(i, UNPACR, Unpack_block_selection)
                  ? CFG_GET(c, i->thread, THCON_SEC1_REG2_Context_count)
                  : CFG_GET(c, i->thread, THCON_SEC0_REG2_Context_count));
}

/* The thread's counter := the context after this one, from 0 again at the end. */
static void set_next_context(TensixCore *c, const TensixInsn *i, uint32_t context)
{
    uint32_t next = (context + 1) & 7;

    c->s.unpack_context[i->thread][OPERAND(i, UNPACR, Unpack_block_selection)] =
        next >= context_count(c, i) ? 0 : next;
}

static TensixResult increment_context(TensixCore *c, const TensixInsn *i)
{
    uint32_t unpacker = OPERAND(i, UNPACR, Unpack_block_selection);

    set_next_context(c, i, c->s.unpack_context[i->thread][unpacker]);
    return TENSIX_DONE;
}

static void advance_one(uint32_t *counter, uint32_t increments, unsigned low)
{
    tensix_counter_add(counter, increments >> low & INCREMENT_MASK,
                       ADC_YZW_MASK);
}

static void advance_unpack_adc(TensixAdc *adc, uint32_t increments)
{
    TensixAdcChannel *in = &adc->channel[0], *out = &adc->channel[1];

    advance_one(&in->Y, increments, CH0_Y);
    advance_one(&in->Z, increments, CH0_Z);
    advance_one(&out->Y, increments, CH1_Y);
    advance_one(&out->Z, increments, CH1_Z);
}

static void advance_adcs(const TensixUnpack *u)
{
    uint32_t increments = OPERAND(u->i, UNPACR, AddrMode);
    TensixState *s = &u->c->s;

    if (!increments) {
        return;
    }
    advance_unpack_adc(&s->adc[u->thread][u->unpacker], increments);
    if (u->adc_thread != u->thread) {
        advance_unpack_adc(&s->adc[u->adc_thread][u->unpacker], increments);
    }
}

/* Row base of the unpacker's cursor: SRCx_SET_Base sets of 16 rows. */
static uint32_t row_base(const TensixUnpack *u)
{
    return ROWS_PER_SET *
           (u->unpacker ? THREAD_CFG_GET(u->c, u->thread, SRCB_SET_Base)
                        : THREAD_CFG_GET(u->c, u->thread, SRCA_SET_Base));
}

/* The bank to the Matrix Unit, with its implied format, or the row cursor on. */
static void advance_bank(const TensixUnpack *u)
{
    TensixState *s = &u->c->s;
    uint32_t bank = s->unpack_bank[u->unpacker] & SRC_BANK_MASK;
    uint32_t *row = &s->src_row[u->unpacker][u->thread];

    if (OPERAND(u->i, UNPACR, SetDatValid)) {
        tensix_unpack_hand_over_bank(u->c, u->i, u->unpacker);
        s->src_format[u->unpacker][bank] = u->plan->out_format;
    } else if (u->plan->row_update) {
        *row = (*row + ROWS_PER_SET + row_base(u)) & SRC_ROW_MASK;
    }
}

static TensixResult unpack_datums(TensixCore *c, const TensixInsn *i)
{
    TensixUnpack u = {
        .c = c, .i = i, .thread = i->thread,
        .cfg = c->s.cfg[tensix_cfg_bank(c, i->thread)],
        .unpacker = OPERAND(i, UNPACR, Unpack_block_selection),
        .multi_context = OPERAND(i, UNPACR, OvrdThreadId),
        .zero = OPERAND(i, UNPACR, ZeroWrite2),
    };

    if (!tensix_unpack_resolve(&u)) {
        return TENSIX_DONE;
    }
    tensix_unpack_move(&u);
    if (c->s.soft_reset && !u.plan->to_dst) {
        tensix_src_clear_held(c, u.unpacker, c->s.unpack_bank[u.unpacker]);
    }
    if (u.multi_context && OPERAND(i, UNPACR, AutoIncContextID)) {
        set_next_context(c, i, u.context);
    }
    advance_adcs(&u);
    advance_bank(&u);
    return TENSIX_DONE;
}

/*
 * UNPACR waits for its bank even if it writes Dst.  The cache that
 * SearchCacheFlush empties is not modelled: it holds no state here.
 */
TensixResult tensix_exec_UNPACR(TensixCore *c, const TensixInsn *i)
{
    uint32_t src = OPERAND(i, UNPACR, Unpack_block_selection);

    if (OPERAND(i, UNPACR, CfgContextCntInc)) {
        return increment_context(c, i);
    }
    if (OPERAND(i, UNPACR, SearchCacheFlush)) {
        return TENSIX_DONE;
    }
    if (OPERAND(i, UNPACR, srcb_bcast)) {
        return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                                "UNPACR with srcb_bcast");
    }
    if (!tensix_src_owned_by(c, src, c->s.unpack_bank[src],
                             TENSIX_CLIENT_UNPACKERS)) {
        return tensix_retry(c, i,
                            src == TENSIX_SRCA ? TENSIX_WAIT_SRCA_UNPACK
                                               : TENSIX_WAIT_SRCB_UNPACK,
                            0);
    }
    return unpack_datums(c, i);
}
