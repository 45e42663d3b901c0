/*
 * Races: registers of the MOP expanders.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An expander samples MopCfg while it expands, so the hart may write there once
 * the expansion has ended: MOPExpanderDoneCheck shows it, and so does all that
 * shows that a later word of the hart has issued.  A store to MopCfg is taken for
 * processed when the hart pushes its next word, for no page has a way to wait
 * for it.  (WH MOPExpander.md, BH ManualTTSync.md)
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "races_internal.h"

/* Words of MopCfg that the MOP samples, a bit each. */
static uint32_t words_used(uint32_t word, const uint32_t *cfg)
{
    enum { FLAGS = 1, HAS_B = 1 << 0, HAS_A123 = 1 << 1 };
    enum { ALL = 0x1ff, A0 = 1 << 1 | 1 << 3 | 1 << 7, B = 1 << 2 | 1 << 8,
           A123 = 7 << 4 };

    if (TENSIX_FIELD(word, MOP, mop_type)) {
        return ALL;
    }
    return A0 | (cfg[FLAGS] & HAS_B ? B : 0) | (cfg[FLAGS] & HAS_A123 ? A123 : 0);
}

/* The first instruction of a MOP represents all of its expansion. */
static void read_words(TensixRaces *r, const RaceOp *op, const RacePush *push,
                       uint32_t thread)
{
    RaceMop *mop = &r->mop[thread];
    uint32_t used = words_used(push->word, mop->value);
    RaceOp read = *op;

    mop->expanded = push->number;
    read.access = (RaceAccess) {
        .place = race_place(r, op->by), .thread = thread, .unit = RACE_UNITS,
        .chain = RACE_EXPANDED + thread, .count = push->number,
    };
    for (uint32_t n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        if (used >> n & 1) {
            race_read_cell(&read, &mop->word[n], RACE_SPACE_MOP, n, 1);
        }
    }
    race_report(r, &read);
}

void race_mop_expanded(TensixRaces *r, RaceOp *op, const RacePush *push)
{
    uint32_t thread = op->insn->thread;
    bool of_mop = op->by->mop_position != TENSIX_NO_POSITION;

    if (op->insn->origin.hart == TENSIX_HART_BRISC) {
        return;                    /* its words enter behind the expander */
    }
    race_join_chain(&r->thread[thread].now, RACE_EXPANDED + thread,
                    push->number - of_mop);
    if (of_mop && r->mop[thread].expanded != push->number) {
        read_words(r, op, push, thread);
    }
}

void race_mop_store(TensixRaces *r, const TensixRegisterEvent *event,
                    uint32_t thread, uint32_t word)
{
    RaceMop *mop = &r->mop[thread];
    RaceOp op = race_hart_op(r, &event->by);

    if (mop->value[word] != event->value) {
        mop->value[word] = event->value;
        race_write_cell(&op, &mop->word[word], RACE_SPACE_MOP, word, 1);
        race_report(r, &op);
    }
}

void race_mop_restart(TensixRaces *r)
{
    memset(r->mop, 0, sizeof(r->mop));
    for (uint32_t thread = 0; thread < TENSIX_THREADS; thread++) {
        memcpy(r->mop[thread].value, r->state->thread[thread].mop.cfg,
               sizeof(r->mop[thread].value));
    }
}
