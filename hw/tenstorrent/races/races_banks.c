/*
 * Races: banks of SrcA and SrcB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bank belongs to the unpackers or to the Matrix Unit (WH SrcASrcB.md).  The
 * Matrix Unit's instructions wait at their gate for the banks that they read
 * (WH MVMUL.md, ELWADD.md, MOVA2D.md, MOVB2D.md), not for those that they write
 * (MOVD2A.md, MOVD2B.md, MOVB2A.md, ZEROSRC.md).  An unpacker waits, after its
 * issue, for the bank that it fills (UNPACR_Regular.md).
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/conditions.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

static bool reads_bank(const TensixExecuted *e, uint32_t src, uint32_t bank)
{
    uint32_t first = tensix_first_cell(src == TENSIX_SRCA ? TENSIX_SPACE_SRCA
                                                          : TENSIX_SPACE_SRCB) +
                     bank * TENSIX_SRC_ROWS;
    uint32_t end = first + TENSIX_SRC_ROWS;

    return tensix_next_cell(e->read, first, end) < end;
}

/* Each instruction that reads a bank waits for it: the first of them joins. */
static void join_filled(TensixRaces *r, uint32_t thread, uint32_t src,
                        uint32_t bank)
{
    RaceBanks *banks = &r->banks[src];

    if (!(banks->known[bank] >> thread & 1)) {
        race_thread_join(&r->thread[thread], &banks->filled[bank]);
        banks->known[bank] |= 1 << thread;
    }
}

/* At the gate: all that comes after is ordered as well. */
static void wait_for_filled(TensixRaces *r, RaceOp *op, const TensixExecuted *e)
{
    RaceThread *t = &r->thread[op->access.thread];

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
            if (reads_bank(e, src, bank)) {
                join_filled(r, op->access.thread, src, bank);
            }
        }
    }
    if (op->clock != &t->now) {
        race_join(race_own_clock(r, op), &t->now);
    }
}

/*
 * UNPACR_NOP without Stall_Clr_Cntrl waits for the Matrix Unit's bank, which is
 * free only while none is full: if the two are in step it is the bank to clear.
 * (UNPACR_NOP_ZEROSRC.md, tt-metal issue 55430)
 */
static void wait_for_released(TensixRaces *r, RaceOp *op)
{
    uint32_t word = op->insn->word;
    uint32_t src = TENSIX_FIELD(word, UNPACR, Unpack_block_selection);
    RaceBanks *banks = &r->banks[src];
    bool waits_for_matrix =
        tensix_traits_of(word)->banks_over == BANKS_UNPACR_NOP &&
        !TENSIX_FIELD(word, UNPACR_NOP, Stall_Clr_Cntrl);

    if (tensix_insn_waits_for_bank(word)) {
        race_join(race_own_clock(r, op),
                  &banks->released[waits_for_matrix ? banks->matrix_bank
                                                    : banks->unpack_bank]);
    }
}

void race_banks_at_gate(TensixRaces *r, const TensixInsn *i)
{
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        if (tensix_insn_banks_awaited(i->word) >> src & 1) {
            join_filled(r, i->thread, src, r->banks[src].matrix_bank);
        }
    }
}

void race_banks_before(TensixRaces *r, RaceOp *op, const TensixExecuted *e)
{
    if (op->access.unit == RACE_MATRIX) {
        wait_for_filled(r, op, e);
    } else if (op->access.unit == RACE_UNPACK0 ||
               op->access.unit == RACE_UNPACK1) {
        wait_for_released(r, op);
    }
}

/* Hardware hands a bank over when the unpacker has ended, so some time later. */
static void fill(TensixRaces *r, const RaceOp *op, const RaceClock *done)
{
    uint32_t over = op->insn ? tensix_insn_banks_over(op->insn->word) : 0;

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        RaceBanks *banks = &r->banks[src];

        if (over >> src & 1) {
            banks->filled[banks->unpack_bank] = *done;
            banks->known[banks->unpack_bank] = 0;
        }
    }
}

/*
 * A bank that the Matrix Unit leaves may have been given to it and taken back
 * since the last instruction ended.
 */
static void release(RaceBanks *banks, const uint32_t *client,
                    uint32_t matrix_bank, const RaceClock *done)
{
    for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
        bool left = banks->matrix_bank == bank && matrix_bank != bank;

        if (client[bank] == TENSIX_CLIENT_UNPACKERS &&
            (left || banks->client[bank] != client[bank])) {
            banks->released[bank] = *done;
        }
        banks->client[bank] = client[bank];
    }
}

static bool are_as_before(const RaceBanks *banks, const TensixState *s,
                          uint32_t src)
{
    return banks->matrix_bank == s->matrix_bank[src] &&
           banks->unpack_bank == s->unpack_bank[src] &&
           !memcmp(banks->client, s->src_client[src], sizeof(banks->client));
}

void race_banks_after(TensixRaces *r, const RaceOp *op, const RaceClock *done)
{
    fill(r, op, done);
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        RaceBanks *banks = &r->banks[src];

        if (are_as_before(banks, r->state, src)) {
            continue;
        }
        release(banks, r->state->src_client[src], r->state->matrix_bank[src],
                done);
        if (banks->matrix_bank != r->state->matrix_bank[src]) {
            banks->flip = op->access;
        }
        banks->matrix_bank = r->state->matrix_bank[src];
        banks->unpack_bank = r->state->unpack_bank[src];
    }
}

/*
 * SRCx_VLD tests the bank whose turn it is in the Matrix Unit.  While an
 * instruction that moves the turn has not ended, it may hold for the bank before.
 * (tt-metal PR 52256, issue 55106)
 */
static bool is_settled(const RaceBanks *banks, const RaceClock *now)
{
    return !banks->flip.place || race_has_ended(&banks->flip, now);
}

void race_bank_conditions(TensixRaces *r, uint32_t thread, uint32_t conditions)
{
    RaceThread *t = &r->thread[thread];
    const RaceWait *wait = &t->wait;

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        const RaceBanks *banks = &r->banks[src];

        if (conditions & COND_SRCA_UNPACK << src) {
            race_thread_join(t, &banks->released[wait->unpack_bank[src]]);
        }
        if (conditions & COND_SRCA_MATRIX << src &&
            is_settled(banks, &t->now)) {
            race_thread_join(t, &banks->filled[wait->matrix_bank[src]]);
        }
    }
}

void race_banks_restart(TensixRaces *r)
{
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        RaceBanks *banks = &r->banks[src];

        memset(banks, 0, sizeof(*banks));
        memcpy(banks->client, r->state->src_client[src], sizeof(banks->client));
        banks->matrix_bank = r->state->matrix_bank[src];
        banks->unpack_bank = r->state->unpack_bank[src];
    }
}
