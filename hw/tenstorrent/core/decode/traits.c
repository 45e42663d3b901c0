/*
 * Properties of instructions: what follows from their rows and operands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "decode/sfpu_formats.h"
#include "tensix_internal.h"

const TensixTraits tensix_traits[256] = {
#define INSN(op, m, unit, block, class, page, ...) [op] = { __VA_ARGS__ },
#define UNIMP(op, m, unit, block, class, page, ...) [op] = { __VA_ARGS__ },
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP
};

/* --- the gate --- */

TensixLatch tensix_latch_of(uint32_t opcode)
{
    return opcode < 256 ? tensix_traits[opcode].latch : TENSIX_LATCH_NONE;
}

bool tensix_insn_held(uint32_t opcode, uint32_t block_mask)
{
    enum { ALL_BLOCK_BITS = 0x1ff };

    return tensix_traits[opcode].held_by_all
           ? block_mask == ALL_BLOCK_BITS
           : block_mask & tensix_insns[opcode].block;
}

/* --- order --- */

static TensixOrderClass setrwc_order(uint32_t word)
{
    enum { UNDEFINED = 3 << 4 };   /* in its BitMask */

    if (TENSIX_FIELD(word, SETRWC, BitMask) & UNDEFINED) {
        return ORDER_MATRIX_OR_VECTOR;
    }
    return TENSIX_FIELD(word, SETRWC, clear_ab_vld) ? ORDER_MATRIX
                                                    : ORDER_COUNTERS;
}

/* Those that clear rows and blocks move RWCs. */
static TensixOrderClass zeroacc_order(uint32_t word)
{
    enum { FIRST_THAT_CLEARS_MUCH = 2 };

    return TENSIX_FIELD(word, ZEROACC, clear_mode) < FIRST_THAT_CLEARS_MUCH
           ? ORDER_MATRIX_OR_VECTOR : ORDER_MATRIX;
}

/* With INT32_ALL loads and stores move the stack pointer too. */
static TensixOrderClass vector_dst_order(uint32_t word)
{
    return TENSIX_FIELD(word, SFPSTORE, instr_mod0) == FMT_INT32_ALL
           ? ORDER_MATRIX_OR_VECTOR : ORDER_VECTOR;
}

TensixOrderClass tensix_insn_order(uint32_t word)
{
    static const uint8_t of_port[TENSIX_PORTS] = {
        [TENSIX_UNIT_NONE] = ORDER_NONE,
        [TENSIX_UNIT_FRONTEND] = ORDER_NONE,
        [TENSIX_UNIT_SYNC] = ORDER_NONE,
        [TENSIX_UNIT_CFG] = ORDER_NONE,
        [TENSIX_UNIT_THCON] = ORDER_NONE,
        [TENSIX_UNIT_MISC] = ORDER_NONE,
        [TENSIX_UNIT_MATRIX] = ORDER_MATRIX_OR_VECTOR,
        [TENSIX_UNIT_VECTOR] = ORDER_VECTOR,
        [TENSIX_UNIT_PACK] = ORDER_PACK,
        [TENSIX_UNIT_UNPACK] = ORDER_UNPACK0,
        [TENSIX_PORT_UNPACK1] = ORDER_UNPACK1,
        [TENSIX_UNIT_XMOV] = ORDER_MOVER,
    };
    TensixOrderClass order = tensix_traits_of(word)->order;

    switch (order) {
    case ORDER_UNIT:
        return of_port[tensix_port(word)];
    case ORDER_SETRWC:
        return setrwc_order(word);
    case ORDER_ZEROACC:
        return zeroacc_order(word);
    case ORDER_VECTOR_DST:
        return vector_dst_order(word);
    default:
        return order;
    }
}

/* --- timing --- */

/* Of GPR arithmetic, whose fields are ADDDMAREG's. */
static bool two_gpr_groups(uint32_t word)
{
    enum { GROUP_SHIFT = 2 };      /* four GPRs are read at once */

    return !TENSIX_FIELD(word, ADDDMAREG, OpBisConst) &&
           TENSIX_FIELD(word, ADDDMAREG, OpARegIndex) >> GROUP_SHIFT !=
               TENSIX_FIELD(word, ADDDMAREG, OpBRegIndex) >> GROUP_SHIFT;
}

/* SFPSHFT2 in the modes from SHFLROR1_AND_COPY4 to SHFLSHR1 */
static bool shuffles(uint32_t word)
{
    enum { FIRST = 2, LAST = 4 };
    uint32_t mode = TENSIX_FIELD(word, SFPSHFT2, instr_mod1);

    return mode >= FIRST && mode <= LAST;
}

/* A row's number of cycles, where operands do not make it another one. */
static uint32_t cycles(uint32_t word, uint32_t of_row)
{
    uint32_t duration = tensix_traits_of(word)->duration;

    if (!of_row || (duration == DURATION_SHUFFLE && !shuffles(word))) {
        return 1;
    }
    return of_row + (duration == DURATION_GPR_GROUPS && two_gpr_groups(word));
}

uint32_t tensix_insn_occupancy(uint32_t word)
{
    return cycles(word, tensix_traits_of(word)->occupancy);
}

uint32_t tensix_insn_latency(uint32_t word)
{
    return cycles(word, tensix_traits_of(word)->latency);
}

void tensix_insn_timing(uint32_t word, TensixTiming *timing)
{
    uint32_t occupancy = tensix_insn_occupancy(word);
    uint32_t unit = tensix_insns[word >> 24].unit;

    *timing = (TensixTiming) {
        .occupancy = occupancy,
        .latency = tensix_insn_latency(word),
        .issue = unit == TENSIX_UNIT_THCON ? occupancy : 1,
    };
}

/* --- Dst --- */

static uint32_t dst_rows(TensixDstRows rows, uint32_t word)
{
    enum { BLOCK = 1 << 1,         /* of the moves' instr_mod */
           MOVB2D_TO_8 = 1 << 1, MOVB2D_4 = 1 << 2 };
    bool block = TENSIX_FIELD(word, MOVA2D, instr_mod) & BLOCK;
    uint32_t mod = TENSIX_FIELD(word, MOVB2D, movb2d_instr_mod);

    switch (rows) {
    case DST_4:
    case DST_LANES:
        return 4;
    case DST_8:
        return 8;
    case DST_1_OR_4:
        return block ? 4 : 1;
    case DST_1_OR_8:
        return block ? 8 : 1;
    case DST_1_4_OR_8:
        return mod & MOVB2D_TO_8 ? 8 : mod & MOVB2D_4 ? 4 : 1;
    case DST_8_IF_ADDED:
        return TENSIX_FIELD(word, ELWADD, dest_accum_en) ? 8 : 0;
    default:
        return 0;
    }
}

uint32_t tensix_insn_dst_read(uint32_t word)
{
    return dst_rows(tensix_traits_of(word)->dst_read, word);
}

uint32_t tensix_insn_dst_written(uint32_t word)
{
    return dst_rows(tensix_traits_of(word)->dst_written, word);
}

/* --- banks --- */

enum {
    NOP_CLEAR_SRC = 1,             /* UNPACR_NOP's Unpack_Pop, */
    NOP_ONLY_SET_DVALID = 3,       /* and Clr_to1_fmt_Ctrl */
};

static uint32_t unpacr_banks(uint32_t word)
{
    return TENSIX_FIELD(word, UNPACR, SetDatValid) &&
           !TENSIX_FIELD(word, UNPACR, CfgContextCntInc) &&
           !TENSIX_FIELD(word, UNPACR, SearchCacheFlush)
           ? 1u << TENSIX_FIELD(word, UNPACR, Unpack_block_selection) : 0;
}

static bool nop_only_hands_over(uint32_t word)
{
    return TENSIX_FIELD(word, UNPACR_NOP, Clr_to1_fmt_Ctrl) ==
           NOP_ONLY_SET_DVALID;
}

static uint32_t unpacr_nop_banks(uint32_t word)
{
    return TENSIX_FIELD(word, UNPACR_NOP, Unpack_Pop) == NOP_CLEAR_SRC &&
           (TENSIX_FIELD(word, UNPACR_NOP, Set_Dvalid) ||
            nop_only_hands_over(word))
           ? 1u << TENSIX_FIELD(word, UNPACR_NOP, Unpacker_Select) : 0;
}

uint32_t tensix_insn_banks_over(uint32_t word)
{
    switch (tensix_traits_of(word)->banks_over) {
    case BANKS_SETDVALID:
        return TENSIX_FIELD(word, SETDVALID, setvalid);
    case BANKS_UNPACR:
        return unpacr_banks(word);
    case BANKS_UNPACR_NOP:
        return unpacr_nop_banks(word);
    default:
        return 0;
    }
}

bool tensix_insn_waits_for_bank(uint32_t word)
{
    uint32_t over = tensix_traits_of(word)->banks_over;

    return over == BANKS_UNPACR ||
           (over == BANKS_UNPACR_NOP && !nop_only_hands_over(word));
}

uint32_t tensix_insn_banks_awaited(uint32_t word)
{
    return (SRCA_BANK | SRCB_BANK) & ~tensix_traits_of(word)->banks_unread;
}

uint32_t tensix_insn_banks_back(uint32_t word)
{
    return tensix_traits_of(word)->banks_back
           ? TENSIX_FIELD(word, SETRWC, clear_ab_vld) : 0;
}

/* --- configuration and GPRs --- */

uint32_t tensix_insn_config_word(uint32_t word)
{
    const TensixTraits *t = tensix_traits_of(word);

    return word >> t->config_low & ((1u << t->config_width) - 1);
}

static uint64_t gpr(uint32_t index, bool quad)
{
    enum { QUAD = 4, QUAD_GPRS = 0xf };

    return quad ? (uint64_t)QUAD_GPRS << (index & -QUAD) : 1ull << index;
}

/* SETDMAREG's special results of 128 bits are those four. */
static uint64_t gpr_of_half(uint32_t word)
{
    enum { FIRST_OF_128_BITS = 2 };

    return gpr(TENSIX_FIELD(word, SETDMAREG, RegIndex16b) / 2,
               TENSIX_FIELD(word, SETDMAREG, SetSignalsMode) &&
               TENSIX_FIELD(word, SETDMAREG, Payload_SigSelSize) >=
                   FIRST_OF_128_BITS);
}

static uint64_t named_gprs(uint32_t which, uint32_t word)
{
    uint64_t b = gpr(TENSIX_FIELD(word, ADDDMAREG, OpBRegIndex), false);
    uint64_t b_quad = gpr(TENSIX_FIELD(word, ADDDMAREG, OpBRegIndex), true);
    bool one = TENSIX_FIELD(word, STOREIND, RegSizeSel) ||
               TENSIX_FIELD(word, STOREIND, SizeSel);
    const uint64_t named[] = {
        gpr(TENSIX_FIELD(word, ADDDMAREG, OpARegIndex), false),
        b,
        TENSIX_FIELD(word, ADDDMAREG, OpBisConst) ? 0 : b,
        TENSIX_FIELD(word, LOADIND, SizeSel) ? b : b_quad,
        one ? b : b_quad,
        gpr(TENSIX_FIELD(word, STOREIND, OffsetIndex) / 2, false),
        gpr(TENSIX_FIELD(word, RDCFG, GprAddress), false),
        gpr(TENSIX_FIELD(word, WRCFG, GprAddress),
            TENSIX_FIELD(word, WRCFG, wr128b)),
        gpr(TENSIX_FIELD(word, LOADREG, TdmaDataRegIndex), false),
        gpr(TENSIX_FIELD(word, ADDDMAREG, ResultRegIndex), false),
        TENSIX_FIELD(word, STOREIND, AutoIncSpec)
            ? gpr(TENSIX_FIELD(word, STOREIND, OffsetIndex) / 2, false) : 0,
        gpr_of_half(word),
    };
    uint64_t all = 0;

    for (unsigned n = 0; n < sizeof(named) / sizeof(named[0]); n++) {
        all |= which >> n & 1 ? named[n] : 0;
    }
    return all;
}

/* Few instructions name any. */
static uint64_t gprs(uint32_t which, uint32_t word)
{
    return which ? named_gprs(which, word) : 0;
}

uint64_t tensix_insn_gprs_read(uint32_t word)
{
    return gprs(tensix_traits_of(word)->gprs_read, word);
}

uint64_t tensix_insn_gprs_written(uint32_t word)
{
    const TensixTraits *t = tensix_traits_of(word);

    return gprs(t->gprs_written | t->gprs_late, word);
}

uint64_t tensix_insn_gprs_late(uint32_t word)
{
    return gprs(tensix_traits_of(word)->gprs_late, word);
}
