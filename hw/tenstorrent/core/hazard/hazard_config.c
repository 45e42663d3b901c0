/*
 * Hazards of configuration and GPRs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH WRCFG.md, BH CFGSHIFTMASK.md, STREAMWRCFG.md, RDCFG.md, SETC16.md,
 * ConfigurationUnit.md, PACR.md; WH LOADIND.md, LOADREG.md, ATINCGET.md.
 *
 * Only configuration that changes counts: software may write again what is
 * there at any time.
 */

#include <string.h>

#include "hazard/hazard_internal.h"
#include "config/config.h"
#include "config/config_users.h"

enum {
    QUAD = 4,
    LATE_ENOUGH = 3,               /* cycles before a reader of RDCFG's result */
    RMW_BITS = 8,
    BUNDLE = 4,                    /* .ttinsn that a hart may fuse */
    PC_STEP = 4,
    NOT_TTINSN = 3,                /* low bits of a RISC-V instruction */
};

/* --- changes of configuration --- */

static uint32_t config_word(const HazardCheck *h, uint32_t word)
{
    return word < TENSIX_CFG_WORDS
           ? h->c->s.cfg[tensix_cfg_bank(h->c, h->i->thread)][word] : 0;
}

/* Users of what WRCFG is about to change, and where. */
static TensixHazardConfig wrcfg_changes(const HazardCheck *h)
{
    bool quad = HAZARD_OPERAND(h, WRCFG, wr128b);
    uint32_t gpr = HAZARD_OPERAND(h, WRCFG, GprAddress);
    TensixHazardConfig change = {
        .first = HAZARD_OPERAND(h, WRCFG, CfgReg), .words = quad ? QUAD : 1,
    };

    if (quad) {
        change.first &= -QUAD;
        gpr &= -QUAD;
    }
    for (uint32_t n = 0; n < change.words; n++) {
        uint32_t word = change.first + n;

        change.users |= tensix_config_users(word, config_word(h, word) ^
                                       h->c->s.gpr[h->i->thread][gpr + n]);
    }
    return change;
}

static TensixHazardConfig rmwcib_changes(const HazardCheck *h)
{
    uint32_t byte = h->traits->config_byte;
    uint32_t word = tensix_insn_config_word(h->i->word);
    uint32_t old = config_word(h, word) >> (byte * RMW_BITS);
    uint32_t bits = (old ^ HAZARD_OPERAND(h, RMWCIB0, Data)) &
                    HAZARD_OPERAND(h, RMWCIB0, Mask);

    return (TensixHazardConfig) {
        .first = word, .words = 1,
        .users = tensix_config_users(word, bits << (byte * RMW_BITS)),
    };
}

/* Configuration that the instruction writes; words 0: none. */
static TensixHazardConfig changes(const HazardCheck *h)
{
    uint32_t word = tensix_insn_config_word(h->i->word);

    switch (h->traits->config) {
    case CONFIG_USE_FROM_GPRS:
        return wrcfg_changes(h);
    case CONFIG_USE_BYTE:
        return rmwcib_changes(h);
    case CONFIG_USE_MASKED:
    case CONFIG_USE_LATE:
        return (TensixHazardConfig) {
            .first = word, .words = 1, .users = tensix_config_users(word, UINT32_MAX),
        };
    default:
        return (TensixHazardConfig) { 0 };
    }
}

/* --- configuration used too soon --- */

static void check_uses(const HazardCheck *h)
{
    const TensixHazardConfig *config = &h->t->config;
    uint32_t users = tensix_config_user(h->i->word);

    if (tensix_hazard_near(h, &config->by, 1) && config->users & users) {
        tensix_hazard_report(h, tensix_hazard_of(&config->by), &config->by);
    }
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        const TensixHazardConfig *stream = &h->t->stream[n];

        if (stream->by.insn.valid && stream->users & users) {
            tensix_hazard_report(h, tensix_hazard_of(&stream->by),
                                 &stream->by);
        }
    }
}

/* Does it read or write a word at once?  Late ones keep their order. */
static bool touches(const HazardCheck *h)
{
    return h->traits->config && h->traits->config != CONFIG_USE_LATE;
}

static void check_overtaking(const HazardCheck *h)
{
    uint32_t word = tensix_insn_config_word(h->i->word);

    for (unsigned n = 0; touches(h) && n < TENSIX_HAZARD_RECORDS; n++) {
        const TensixHazardConfig *stream = &h->t->stream[n];

        if (stream->by.insn.valid && stream->first == word) {
            tensix_hazard_report(h, HAZARD_STREAMWRCFG_ORDER, &stream->by);
        }
    }
}

static void check_packer(const HazardCheck *h, const TensixHazardConfig *change)
{
    bool address = change->words == 1 &&
                   change->first == CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD;

    if (change->users & TENSIX_USES_PACK && !address && h->t->pack.insn.valid) {
        tensix_hazard_report(h, HAZARD_PACK_CONFIG, &h->t->pack);
    }
}

/* Where such a change is recorded; NULL: it is over at once. */
static TensixHazardConfig *record_of(const HazardCheck *h)
{
    switch (h->traits->hazard) {
    case HAZARD_STREAMWRCFG:
        return &h->t->stream[h->t->position % TENSIX_HAZARD_RECORDS];
    case HAZARD_WRCFG:
    case HAZARD_CFGSHIFTMASK:
        return &h->t->config;
    default:
        return NULL;
    }
}

static void record_change(const HazardCheck *h, const TensixHazardConfig *change)
{
    TensixHazardConfig *record = record_of(h);

    if (record) {
        *record = *change;
        record->by = tensix_hazard_site(h);
    }
}

static void record_pack(const HazardCheck *h)
{
    if (h->traits->hazard == HAZARD_PACK_CONFIG) {
        h->t->pack = tensix_hazard_site(h);
    }
}

/* --- CFG_STATE_ID --- */

/* Does L1 hold this word as a .ttinsn at pc? */
static bool is_ttinsn(const TensixCore *c, uint32_t pc)
{
    uint32_t word;

    if (pc > c->host.l1_size - sizeof(word)) {
        return false;
    }
    memcpy(&word, c->host.l1 + pc, sizeof(word));
    return (word & NOT_TTINSN) != NOT_TTINSN;
}

/* Can a hart have fused both into one bundle? */
static bool in_one_bundle(const HazardCheck *h, const TensixInsn *first)
{
    uint32_t from = first->origin.pc, to = h->i->origin.pc;
    bool fusible = first->origin.hart == h->i->origin.hart &&
                   first->origin.hart >= TENSIX_HART_TRISC0 &&
                   first->origin.hart < TENSIX_HART_NONE &&
                   first->mop_position == TENSIX_NO_POSITION &&
                   first->replay_slot == TENSIX_NO_POSITION &&
                   h->i->mop_position == TENSIX_NO_POSITION &&
                   h->i->replay_slot == TENSIX_NO_POSITION &&
                   to > from && to - from < BUNDLE * PC_STEP;

    for (uint32_t pc = from; fusible && pc <= to; pc += PC_STEP) {
        fusible = is_ttinsn(h->c, pc);
    }
    return fusible;
}

static void check_state_id(const HazardCheck *h)
{
    const TensixHazardSite *set = &h->t->state_id;

    if (tensix_hazard_near(h, set, BUNDLE) &&
        (tensix_config_user(h->i->word) || touches(h)) &&
        in_one_bundle(h, &set->insn)) {
        tensix_hazard_report(h, HAZARD_STATE_ID, set);
    }
}

static void record_state_id(const HazardCheck *h)
{
    uint32_t bank = HAZARD_OPERAND(h, SETC16, setc16_value) &
                    THREAD_CFG_CFG_STATE_ID_StateID_MASK;

    if (h->traits->hazard == HAZARD_STATE_ID &&
        HAZARD_OPERAND(h, SETC16, setc16_reg) ==
            THREAD_CFG_CFG_STATE_ID_StateID_INDEX &&
        bank != tensix_cfg_bank(h->c, h->i->thread)) {
        h->t->state_id = tensix_hazard_site(h);
    }
}

void tensix_hazard_config(const HazardCheck *h)
{
    TensixHazardConfig change;

    check_uses(h);
    if (h->traits->config) {
        change = changes(h);
        check_overtaking(h);
        check_packer(h, &change);
        record_change(h, &change);
    }
    check_state_id(h);
    record_pack(h);
    record_state_id(h);
}

/* --- GPRs --- */

/* What comes from memory mostly is there after its latency. */
static void check_loads(const HazardCheck *h, uint64_t read)
{
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        const TensixHazardGprs *load = &h->t->load[n];
        uint32_t word = load->by.insn.word;

        if (load->gprs & read &&
            tensix_hazard_near(h, &load->by, tensix_insn_latency(word) -
                                             tensix_insn_occupancy(word))) {
            tensix_hazard_report(h, tensix_hazard_of(&load->by), &load->by);
        }
    }
}

/*
 * RDCFG's GPR is there two cycles later.  Scalar instructions of three cycles
 * and more read it late enough: tt-llk's matrix multiplication adds to it at
 * once (llk_unpack_AB_matmul.h).
 */
static void check_read_config(const HazardCheck *h, uint64_t read)
{
    const TensixHazardGprs *config = &h->t->read_config;

    if (tensix_insn_occupancy(h->i->word) < LATE_ENOUGH && config->gprs & read &&
        tensix_hazard_near(h, &config->by, 1)) {
        tensix_hazard_report(h, tensix_hazard_of(&config->by), &config->by);
    }
}

void tensix_hazard_gprs(const HazardCheck *h)
{
    TensixHazardThread *t = h->t;
    uint64_t read = tensix_insn_gprs_read(h->i->word);
    uint64_t late = tensix_insn_gprs_late(h->i->word);

    check_loads(h, read);
    check_read_config(h, read);
    if (late) {
        *(h->traits->hazard == HAZARD_RDCFG
          ? &t->read_config
          : &t->load[t->position % TENSIX_HAZARD_RECORDS]) =
            (TensixHazardGprs) { tensix_hazard_site(h), late };
    }
}
