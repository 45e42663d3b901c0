/*
 * Hazards: reports of broken rules that hardware does not enforce.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules are in hazard_table.h.inc, their checks in hazard_vector.c,
 * hazard_macro.c, hazard_dst.c and hazard_config.c.  This file has the stream
 * of a thread's instructions, the waits in it, and reports.
 *
 * A wait instruction only latches.  Its conditions have ended when an
 * instruction that it blocks passes the gate; one that it does not block may
 * pass earlier (BH STALLWAIT.md).
 */

#include <stdio.h>
#include <string.h>

#include "config/config_users.h"
#include "decode/conditions.h"
#include "hazard/hazard_internal.h"
#include "vector/vector_decode.h"

enum {
    TEXT_SIZE = 512 + TENSIX_DISAS_NAMED,
    INSN_SIZE = TENSIX_DISAS_NAMED,
    PC_SIZE = 32,                  /* "trisc1 pc 0x00001000 ()" */

    FLUSH_SCALAR_MEMORY = 1 << 0,  /* FLUSHDMA's C0 */
};

/* --- reports --- */

typedef struct Rule {
    const char *name, *what, *missing, *document;
} Rule;

static const Rule rules[HAZARD_RULES] = {
#define HAZARD(rule, name, what, missing, document) \
    [HAZARD_##rule] = { name, what, missing, document },
#include "decode/hazard_table.h.inc"
#undef HAZARD
};

static uint32_t hash_mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

/* What makes two reports the same one; never 0. */
static uint32_t hash_of(const HazardCheck *h, TensixHazardRule rule,
                        const TensixHazardSite *first)
{
    uint32_t hash = hash_mix(rule, h->i->word);

    hash = hash_mix(hash, h->i->origin.pc);
    hash = hash_mix(hash, h->i->origin.hart);
    hash = hash_mix(hash, first->insn.word);
    hash = hash_mix(hash, first->insn.origin.pc);
    return hash_mix(hash, first->insn.origin.hart) | 1;
}

/* Was this reported before?  Records it; an older entry may be evicted. */
static bool is_known(TensixHazards *all, uint32_t hash)
{
    enum { PLACES = 8 };
    uint32_t *site = &all->site[hash / 2 % (TENSIX_HAZARD_SITES / PLACES) *
                                PLACES];

    for (unsigned n = 0; n < PLACES; n++) {
        if (site[n] == hash) {
            return true;
        }
    }
    memmove(site + 1, site, (PLACES - 1) * sizeof(site[0]));
    site[0] = hash;
    return false;
}

/*
 * "trisc1 pc 0x00001000, MOP word 3 from ..., REPLAY slot 7 from ...
 * (ttatgetm mutex_index=2)"
 */
static void first_text(char *buf, size_t size, const TensixCore *c,
                       const TensixInsn *p)
{
    char insn[INSN_SIZE], expansion[TENSIX_EXPANSION_TEXT];
    TensixRecorded recorded;

    if (!p->valid) {
        snprintf(buf, size, "no instruction");
        return;
    }
    recorded = tensix_recorded(c, p);
    tensix_disas_named(insn, sizeof(insn), p->word);
    tensix_expansion_text(expansion, p->mop_position, p->replay_slot,
                          &recorded);
    snprintf(buf, size, "%s pc 0x%08x%s (%s)",
             tensix_hart_names[p->origin.hart], (unsigned)p->origin.pc,
             expansion, insn);
}

void tensix_hazard_report(const HazardCheck *h, TensixHazardRule rule,
                          const TensixHazardSite *first)
{
    const Rule *r = &rules[rule];
    char by[PC_SIZE + TENSIX_EXPANSION_TEXT + INSN_SIZE], text[TEXT_SIZE];

    if (is_known(&h->c->hazards, hash_of(h, rule, first))) {
        return;
    }
    first_text(by, sizeof(by), h->c, &first->insn);
    snprintf(text, sizeof(text), "%s: %s %s: missing: %s (%s)", r->name,
             r->what, by, r->missing, r->document);
    tensix_violation(h->c, h->i, TENSIX_HAZARD, "%s", text);
}

TensixHazardSite tensix_hazard_site(const HazardCheck *h)
{
    return (TensixHazardSite) { .insn = *h->i, .position = h->t->position };
}

/* --- waits --- */

static void discard_rows(TensixHazardRows *rows)
{
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        rows[n].by.insn.valid = 0;
    }
}

static void discard_loads(TensixHazardThread *t)
{
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        t->load[n].by.insn.valid = 0;
    }
}

static void discard_config(TensixHazardThread *t)
{
    t->config.by.insn.valid = 0;
    t->read_config.by.insn.valid = 0;
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        t->stream[n].by.insn.valid = 0;
    }
}

/* The thread has found these conditions met. */
static void conditions_met(TensixHazardThread *t, uint32_t conditions)
{
    if (conditions & COND_SCALAR_UNIT) {
        discard_loads(t);
    }
    if (conditions & COND_PACKER) {
        t->pack.insn.valid = 0;
    }
    if (conditions & COND_MATRIX_UNIT) {
        discard_rows(t->dst_write);
    }
    if (conditions & COND_VECTOR_UNIT) {
        discard_rows(t->dst_store);
    }
    if (conditions & COND_CONFIG_UNIT) {
        discard_config(t);
    }
}

/* Did a latched wait keep the instruction back until it was over? */
static void end_wait(const HazardCheck *h)
{
    TensixHazardThread *t = h->t;

    if (t->wait_block && tensix_insn_held(h->i->word >> 24, t->wait_block)) {
        conditions_met(t, t->wait_conditions);
        t->wait_block = 0;
    }
}

static void latch_wait(const HazardCheck *h)
{
    uint32_t block = HAZARD_OPERAND(h, STALLWAIT, stall_res);
    uint32_t conditions = HAZARD_OPERAND(h, STALLWAIT, wait_res);
    uint32_t flush = HAZARD_OPERAND(h, FLUSHDMA, FlushSpec);

    if (h->traits->latch == TENSIX_LATCH_CONDITIONS) {
        h->t->wait_block = block ? block : DEFAULT_BLOCK;
        h->t->wait_conditions = conditions ? conditions : DEFAULT_CONDITIONS;
    } else if (h->traits->latch) {
        h->t->wait_block = 0;      /* it ends nothing that is kept here */
    }
    if (h->traits->flushes && (!flush || flush & FLUSH_SCALAR_MEMORY)) {
        discard_loads(h->t);
    }
}

/* --- the stream --- */

/*
 * The MOP expander emits nothing in the cycle after a MOP if something else
 * follows, which counts like an instruction.  A REPLAY out of the MOP may hide
 * that cycle.  (WH MOPExpander.md, "Performance")
 */
static void count(const HazardCheck *h)
{
    const TensixInsn *i = h->i;
    bool from_mop = i->mop_position != TENSIX_NO_POSITION;
    bool after_expander = i->origin.hart == TENSIX_HART_BRISC ||
                          i->origin.hart == TENSIX_HART_NONE;

    h->t->position += 1 + (h->t->mop_ended && !from_mop && !after_expander);
    h->t->mop_ended = from_mop && i->replay_slot == TENSIX_NO_POSITION;
}

/* Each rule of a unit, if the instruction can break it or make it hold. */
static void check_rules(const HazardCheck *h)
{
    const TensixTraits *t = h->traits;

    if (tensix_vector_rows[h->i->word >> 24].is_vector) {
        tensix_hazard_vector(h);
    }
    if (t->hazard == HAZARD_DST_MACRO) {
        tensix_hazard_macro(h);
    }
    if (t->dst_read || t->dst_written) {
        tensix_hazard_dst(h);
    }
    if (t->banks_over || t->banks_back || t->moves_to_srca ||
        t->moves_to_srcb) {
        tensix_hazard_banks(h);
    }
    if (t->config || t->hazard || tensix_config_user(h->i->word)) {
        tensix_hazard_config(h);
    }
    if (t->gprs_read || t->gprs_late) {
        tensix_hazard_gprs(h);
    }
    if (t->latch || t->flushes) {
        latch_wait(h);
    }
}

void tensix_hazard_issue(TensixCore *c, const TensixInsn *i)
{
    HazardCheck h = {
        .c = c, .i = i, .t = &c->hazards.thread[i->thread],
        .traits = tensix_traits_of(i->word),
    };

    if (!tensix_insns[i->word >> 24].mnemonic) {
        return;
    }
    if (h.t->again) {              /* the rules have checked it already */
        h.t->again = false;
        return;
    }
    count(&h);
    end_wait(&h);
    check_rules(&h);
}

void tensix_hazard_retry(TensixCore *c, const TensixInsn *i)
{
    c->hazards.thread[i->thread].again = true;
}

void tensix_hazard_discard(TensixCore *c)
{
    memset(&c->hazards, 0, sizeof(c->hazards));
}
