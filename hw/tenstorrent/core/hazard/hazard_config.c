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
    LOAD_NOPS = 7,                 /* DMANOPs after which it mostly is there */
    ATINCGET_NOPS = 24,
    QUAD = 4, QUAD_GPRS = 0xf,
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

/* Matrix Unit instructions that go by counters and banks alone. */
static bool uses_no_config(uint32_t opcode)
{
    switch (opcode) {
    case TENSIX_OP_SETRWC:
    case TENSIX_OP_INCRWC:
    case TENSIX_OP_CLEARDVALID:
    case TENSIX_OP_CLREXPHIST:
    case TENSIX_OP_GATESRCRST:
    case TENSIX_OP_ZEROSRC:
    case TENSIX_OP_PACR_SETREG:
        return true;
    default:
        return false;
    }
}

static uint32_t user(const HazardCheck *h)
{
    if (uses_no_config(h->opcode)) {
        return 0;
    }
    switch (tensix_insns[h->opcode].unit) {
    case TENSIX_UNIT_MATRIX:
        return USER_MATRIX;
    case TENSIX_UNIT_PACK:
        return USER_PACK;
    case TENSIX_UNIT_XMOV:
        return USER_MOVER;
    case TENSIX_UNIT_UNPACK:       /* UNPACR_NOP selects in the same bit */
        return HAZARD_OPERAND(h, UNPACR, Unpack_block_selection)
               ? USER_UNPACK1 : USER_UNPACK0;
    case TENSIX_UNIT_VECTOR:
        return h->opcode == TENSIX_OP_SFPLOAD ||
               h->opcode == TENSIX_OP_SFPSTORE ||
               h->opcode == TENSIX_OP_SFPLOADMACRO ? USER_VECTOR : 0;
    default:
        return 0;
    }
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
    uint32_t byte = h->opcode - TENSIX_OP_RMWCIB0;
    uint32_t word = HAZARD_OPERAND(h, RMWCIB0, CfgRegAddr);
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
    uint32_t word;

    switch (h->opcode) {
    case TENSIX_OP_WRCFG:
        return wrcfg_changes(h);
    case TENSIX_OP_RMWCIB0:
    case TENSIX_OP_RMWCIB1:
    case TENSIX_OP_RMWCIB2:
    case TENSIX_OP_RMWCIB3:
        return rmwcib_changes(h);
    case TENSIX_OP_CFGSHIFTMASK:
        word = HAZARD_OPERAND(h, CFGSHIFTMASK, CfgReg);
        break;
    case TENSIX_OP_STREAMWRCFG:
        word = HAZARD_OPERAND(h, STREAMWRCFG, CfgReg);
        break;
    default:
        return (TensixHazardConfig) { 0 };
    }
    return (TensixHazardConfig) {
        .first = word, .words = 1, .users = users_of(word, UINT32_MAX),
    };
}

/* --- configuration used too soon --- */

static void check_uses(const HazardCheck *h)
{
    const TensixHazardConfig *config = &h->t->config;
    uint32_t users = user(h);

    if (tensix_hazard_near(h, &config->by, 1) && config->users & users) {
        tensix_hazard_report(h, config->by.insn.word >> 24 == TENSIX_OP_WRCFG
                                ? HAZARD_WRCFG : HAZARD_CFGSHIFTMASK,
                             &config->by);
    }
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        const TensixHazardConfig *stream = &h->t->stream[n];

        if (stream->by.insn.valid && stream->users & users) {
            tensix_hazard_report(h, HAZARD_STREAMWRCFG, &stream->by);
        }
    }
}

/* The word that a Configuration Unit instruction reads or writes first. */
static bool touches(const HazardCheck *h, uint32_t *word)
{
    switch (h->opcode) {
    case TENSIX_OP_RDCFG:
        *word = HAZARD_OPERAND(h, RDCFG, CfgReg);
        return true;
    case TENSIX_OP_WRCFG:
        *word = HAZARD_OPERAND(h, WRCFG, CfgReg);
        return true;
    case TENSIX_OP_RMWCIB0:
    case TENSIX_OP_RMWCIB1:
    case TENSIX_OP_RMWCIB2:
    case TENSIX_OP_RMWCIB3:
        *word = HAZARD_OPERAND(h, RMWCIB0, CfgRegAddr);
        return true;
    case TENSIX_OP_CFGSHIFTMASK:
        *word = HAZARD_OPERAND(h, CFGSHIFTMASK, CfgReg);
        return true;
    default:
        return false;              /* STREAMWRCFGs keep their order */
    }
}

static void check_overtaking(const HazardCheck *h)
{
    uint32_t word;

    for (unsigned n = 0; touches(h, &word) && n < TENSIX_HAZARD_RECORDS; n++) {
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
    if (h->opcode == TENSIX_OP_STREAMWRCFG) {
        t->stream[t->position % TENSIX_HAZARD_RECORDS] = change;
    } else if (h->opcode == TENSIX_OP_WRCFG ||
               h->opcode == TENSIX_OP_CFGSHIFTMASK) {
        t->config = change;
    }
    if (h->opcode == TENSIX_OP_PACR) {
        t->pack = change.by;
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
    uint32_t word;

    if (tensix_hazard_near(h, set, BUNDLE) && (user(h) || touches(h, &word)) &&
        in_one_bundle(h, &set->insn)) {
        tensix_hazard_report(h, HAZARD_STATE_ID, set);
    }
}

static void note_state_id(const HazardCheck *h)
{
    uint32_t bank = HAZARD_OPERAND(h, SETC16, setc16_value) &
                    THREAD_CFG_CFG_STATE_ID_StateID_MASK;

    if (h->opcode == TENSIX_OP_SETC16 &&
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

static uint64_t gpr(uint32_t index)
{
    return 1ull << index;
}

static uint64_t gprs(uint32_t index, bool quad)
{
    return quad ? (uint64_t)QUAD_GPRS << (index & -QUAD) : gpr(index);
}

/* Fields of LOADIND and STOREIND that are alike. */
static uint64_t address_gprs(const HazardCheck *h)
{
    return gpr(HAZARD_OPERAND(h, STOREIND, AddrRegIndex)) |
           gpr(HAZARD_OPERAND(h, STOREIND, OffsetIndex) / 2);
}

/* GPRs that the instruction reads; all of their fields are ADDDMAREG's. */
static uint64_t gprs_read(const HazardCheck *h)
{
    uint64_t a = gpr(HAZARD_OPERAND(h, ADDDMAREG, OpARegIndex));
    uint64_t b = gpr(HAZARD_OPERAND(h, ADDDMAREG, OpBRegIndex));

    if (tensix_traits[h->opcode].duration == DURATION_GPR_GROUPS) {
        return HAZARD_OPERAND(h, ADDDMAREG, OpBisConst) ? a : a | b;
    }
    switch (h->opcode) {
    case TENSIX_OP_LOADIND:
        return address_gprs(h);
    case TENSIX_OP_STOREIND:
        return address_gprs(h) |
               gprs(HAZARD_OPERAND(h, STOREIND, DataRegIndex),
                    !HAZARD_OPERAND(h, STOREIND, RegSizeSel) &&
                    !HAZARD_OPERAND(h, STOREIND, SizeSel));
    case TENSIX_OP_STOREREG:
        return gpr(HAZARD_OPERAND(h, STOREREG, TdmaDataRegIndex));
    case TENSIX_OP_ATSWAP:
    case TENSIX_OP_ATINCGET:
        return a | b;
    case TENSIX_OP_ATCAS:
    case TENSIX_OP_ATINCGETPTR:
    case TENSIX_OP_REG2FLOP:
        return a;
    case TENSIX_OP_WRCFG:
        return gprs(HAZARD_OPERAND(h, WRCFG, GprAddress),
                    HAZARD_OPERAND(h, WRCFG, wr128b));
    default:
        return 0;
    }
}

/* GPRs that come from memory, some time later. */
static uint64_t gprs_loaded(const HazardCheck *h)
{
    switch (h->opcode) {
    case TENSIX_OP_LOADIND:
        return gprs(HAZARD_OPERAND(h, LOADIND, DataRegIndex),
                    !HAZARD_OPERAND(h, LOADIND, SizeSel));
    case TENSIX_OP_LOADREG:
        return gpr(HAZARD_OPERAND(h, LOADREG, TdmaDataRegIndex));
    case TENSIX_OP_ATINCGET:
        return gpr(HAZARD_OPERAND(h, ATINCGET, DataRegIndex));
    default:
        return 0;
    }
}

static void check_loads(const HazardCheck *h, uint64_t read)
{
    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        const TensixHazardGprs *load = &h->t->load[n];
        bool atomic = load->by.insn.word >> 24 == TENSIX_OP_ATINCGET;
        bool is_register = load->by.insn.word >> 24 == TENSIX_OP_LOADREG;

        if (load->gprs & read &&
            tensix_hazard_near(h, &load->by,
                               atomic ? ATINCGET_NOPS : LOAD_NOPS)) {
            tensix_hazard_report(h, atomic ? HAZARD_ATINCGET
                                    : is_register ? HAZARD_LOADREG
                                                  : HAZARD_LOADIND, &load->by);
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

    if ((h->opcode == TENSIX_OP_WRCFG || h->opcode == TENSIX_OP_REG2FLOP) &&
        config->gprs & read && tensix_hazard_near(h, &config->by, 1)) {
        tensix_hazard_report(h, HAZARD_RDCFG, &config->by);
    }
}

void tensix_hazard_gprs(const HazardCheck *h)
{
    TensixHazardThread *t = h->t;
    uint64_t read = gprs_read(h), loaded = gprs_loaded(h);

    check_loads(h, read);
    check_read_config(h, read);
    if (loaded) {
        t->load[t->position % TENSIX_HAZARD_RECORDS] =
            (TensixHazardGprs) { tensix_hazard_site(h), loaded };
    }
    if (h->opcode == TENSIX_OP_RDCFG) {
        t->read_config = (TensixHazardGprs) {
            tensix_hazard_site(h),
            gpr(HAZARD_OPERAND(h, RDCFG, GprAddress)),
        };
    }
}
