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

/* Who uses configuration, a bit each. */
typedef enum HazardUser {
    USER_MATRIX = 1 << 0,
    USER_VECTOR = 1 << 1,          /* what reads or writes Dest */
    USER_PACK = 1 << 2,
    USER_UNPACK0 = 1 << 3,
    USER_UNPACK1 = 1 << 4,
    USER_MOVER = 1 << 5,
} HazardUser;

enum {
    QUAD = 4,
    LATE_ENOUGH = 3,               /* cycles of who reads what RDCFG writes */
    RMW_BITS = 8,
    BUNDLE = 4,                    /* .ttinsn that a hart may fuse */
    PC_STEP = 4,
    NOT_TTINSN = 3,                /* low bits of a RISC-V instruction */
};

/* --- who uses what --- */

typedef struct Use {
    uint16_t first, last;          /* words */
    uint32_t bits;                 /* of each */
    uint32_t users;
} Use;

#define FIELD_BITS(low, width) (((1u << (width)) - 1) << (low))

/* By the names of the fields; L1_Dest_addr is taken when a stream opens. */
static const Use uses[] = {
    { 0, 0, FIELD_BITS(0, 10), USER_MATRIX },      /* ALU_FORMAT_SPEC_REG */
    { 0, 0, FIELD_BITS(5, 5), USER_VECTOR },       /* its SrcB */
    { 0, 0, FIELD_BITS(10, 5), USER_PACK },        /* its Dstacc */
    { 1, 1, FIELD_BITS(0, 1) | FIELD_BITS(13, 12), USER_MATRIX },
    { 1, 1, FIELD_BITS(1, 2) | FIELD_BITS(25, 4), USER_PACK },
    { 1, 1, FIELD_BITS(21, 4) | FIELD_BITS(30, 1), USER_VECTOR },
    { 1, 1, FIELD_BITS(29, 1) | 1u << 31, USER_MATRIX },
    { 2, 2, FIELD_BITS(0, 2), USER_MATRIX },       /* Zero_Flag_disabled */
    { 2, 2, FIELD_BITS(2, 20), USER_PACK },        /* STACC_RELU */
    { 6, 7, UINT32_MAX, USER_MATRIX | USER_VECTOR },   /* DEST_REGW, SP */
    { 8, 8, UINT32_MAX, USER_PACK },               /* INT_DESCALE */
    { 12, 40, UINT32_MAX, USER_PACK },             /* PCK, PACK, TILE */
    { 44, 45, UINT32_MAX, USER_UNPACK0 },
    { 46, 47, UINT32_MAX, USER_UNPACK1 },
    { 48, 57, UINT32_MAX, USER_UNPACK0 },
    { 58, 63, UINT32_MAX, USER_UNPACK1 },
    { 64, 67, UINT32_MAX, USER_UNPACK0 },          /* THCON_SEC0 */
    { 68, 71, UINT32_MAX, USER_PACK },
    { 72, 87, UINT32_MAX, USER_UNPACK0 },
    { 88, 91, UINT32_MAX, USER_MOVER },
    { 92, 95, UINT32_MAX, USER_UNPACK0 },
    { 112, 115, UINT32_MAX, USER_UNPACK1 },        /* THCON_SEC1 */
    { 120, 135, UINT32_MAX, USER_UNPACK1 },
    { 140, 143, UINT32_MAX, USER_UNPACK1 },
    { 180, 183, UINT32_MAX, USER_PACK },           /* DEST_TARGET_REG_CFG */
    { 187, 202, UINT32_MAX, USER_PACK },           /* INT_DESCALE_VALUES */
    { 220, 220, UINT32_MAX, USER_MATRIX | USER_VECTOR | USER_PACK },
};

static uint32_t users_of(uint32_t word, uint32_t bits)
{
    uint32_t users = 0;

    for (unsigned n = 0; n < sizeof(uses) / sizeof(uses[0]); n++) {
        if (word >= uses[n].first && word <= uses[n].last &&
            bits & uses[n].bits) {
            users |= uses[n].users;
        }
    }
    return users;
}

static uint32_t user(const HazardCheck *h)
{
    static const uint8_t of_port[TENSIX_PORTS] = {
        [TENSIX_UNIT_MATRIX] = USER_MATRIX,
        [TENSIX_UNIT_PACK] = USER_PACK,
        [TENSIX_UNIT_XMOV] = USER_MOVER,
        [TENSIX_UNIT_UNPACK] = USER_UNPACK0,
        [TENSIX_PORT_UNPACK1] = USER_UNPACK1,
        [TENSIX_UNIT_VECTOR] = USER_VECTOR,
    };
    uint32_t users = of_port[tensix_port(h->i->word)];
    bool meets_dst = h->traits->dst_read || h->traits->dst_written;

    return h->traits->uses_no_config || (users == USER_VECTOR && !meets_dst)
           ? 0 : users;
}

/* --- who changes what --- */

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

        change.users |= users_of(word, config_word(h, word) ^
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
        .users = users_of(word, bits << (byte * RMW_BITS)),
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
            .first = word, .words = 1, .users = users_of(word, UINT32_MAX),
        };
    default:
        return (TensixHazardConfig) { 0 };
    }
}

/* --- configuration used too soon --- */

static void check_uses(const HazardCheck *h)
{
    const TensixHazardConfig *config = &h->t->config;
    uint32_t users = user(h);

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

    if (change->users & USER_PACK && !address && h->t->pack.insn.valid) {
        tensix_hazard_report(h, HAZARD_PACK_CONFIG, &h->t->pack);
    }
}

static void note_change(const HazardCheck *h, TensixHazardConfig change)
{
    TensixHazardThread *t = h->t;

    change.by = tensix_hazard_site(h);
    switch (h->traits->hazard) {
    case HAZARD_STREAMWRCFG:
        t->stream[t->position % TENSIX_HAZARD_RECORDS] = change;
        break;
    case HAZARD_WRCFG:
    case HAZARD_CFGSHIFTMASK:
        t->config = change;
        break;
    case HAZARD_PACK_CONFIG:
        t->pack = change.by;
        break;
    default:
        break;
    }
}

/* --- CFG_STATE_ID --- */

/* Is what stands at pc in L1 this word as a .ttinsn? */
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

    if (tensix_hazard_near(h, set, BUNDLE) && (user(h) || touches(h)) &&
        in_one_bundle(h, &set->insn)) {
        tensix_hazard_report(h, HAZARD_STATE_ID, set);
    }
}

static void note_state_id(const HazardCheck *h)
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
    TensixHazardConfig change = changes(h);

    check_uses(h);
    check_overtaking(h);
    check_packer(h, &change);
    check_state_id(h);
    note_change(h, change);
    note_state_id(h);
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
    TensixHazardGprs late = {
        tensix_hazard_site(h), tensix_insn_gprs_late(h->i->word),
    };

    check_loads(h, read);
    check_read_config(h, read);
    if (!late.gprs) {
        return;
    }
    if (h->traits->hazard == HAZARD_RDCFG) {
        t->read_config = late;
    } else {
        t->load[t->position % TENSIX_HAZARD_RECORDS] = late;
    }
}
