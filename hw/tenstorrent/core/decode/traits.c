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
