/*
 * Properties of instructions: the named columns of insn_table.h.inc.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Everybody asks here, by opcode or by word, and compares with no opcode; what
 * depends on the operands is worked out in traits.c.
 */

#ifndef TENSIX_TRAITS_H
#define TENSIX_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/tensix_fields.h"
#include "decode/words.h"

/* What its duration depends on beside occupancy and latency (timing.c). */
typedef enum TensixDuration {
    DURATION_FIXED,
    DURATION_UNPACKED,             /* datums that it unpacks */
    DURATION_PACKED,               /* datums that it packs */
    DURATION_MOVED,                /* bytes that it moves */
    DURATION_GPR_GROUPS,           /* one cycle more for GPRs of two groups */
    DURATION_SHUFFLE,              /* one cycle if it does not shuffle lanes */
} TensixDuration;

/* With whom it keeps order inside its thread (flight.c). */
typedef enum TensixOrderClass {
    ORDER_UNIT,                    /* column only: as all of its port */
    ORDER_NONE,                    /* never starts a flight, waits for all */
    ORDER_MATRIX,
    ORDER_VECTOR,
    ORDER_MATRIX_OR_VECTOR,        /* its RWCs are special: never starts one */
    ORDER_COUNTERS,                /* RWCs alone: never starts a flight */
    ORDER_PACK,
    ORDER_UNPACK0,
    ORDER_UNPACK1,
    ORDER_MOVER,
    ORDER_GPRS,                    /* GPRs alone: never starts a flight */
    ORDER_CLASSES,
    ORDER_SETRWC,                  /* columns only: by the operands */
    ORDER_ZEROACC,
    ORDER_VECTOR_DST,              /* SFPLOAD, SFPSTORE: by the format */
} TensixOrderClass;

/* How it moves the RWCs when it issues. */
typedef enum TensixRwcMove {
    RWC_NOT,                       /* or in a way of its own */
    RWC_ADDR_MOD,                  /* by the AddrMod in bits `addr_mod` up */
    RWC_PARTIAL_ADDR_MOD,          /* the same, Dst and stack pointer alone */
    RWC_ITSELF,                    /* does nothing else, but for banks */
} TensixRwcMove;

/* Words of the columns (insn_table.h.inc). */
enum { TENSIX_ALL_OPERANDS = 0xffffff };
#define TIMING(cycles, until_done, page) \
    .occupancy = cycles, .latency = until_done
#define ADDR_MOD(m, field) \
    .order = ORDER_MATRIX, .rwc_move = RWC_ADDR_MOD, \
    .addr_mod = TENSIX_##m##_##field##_LOW

typedef struct TensixTraits {
    /*
     * Operand bits of no field that are not reported.  A NOP may hold anything;
     * bit 21 of ZEROACC is in LLK's CLR_HALF_32B and CLR_ALL_32B, that of INCRWC
     * in the rwc_cr that LLK's binary operations give it.
     */
    uint32_t unreported;

    /* timing, in cycles; 0 stands for 1 */
    uint8_t occupancy, latency;
    uint8_t duration;              /* TensixDuration */

    /* order */
    uint8_t order;                 /* TensixOrderClass */
    uint8_t rwc_move;              /* TensixRwcMove */
    uint8_t addr_mod;              /* low bit of its AddrMod */
    uint8_t latch;                 /* TensixLatch: what it waits for */
    bool held_by_all;              /* only by all block bits at once */
    bool mop_skips;                /* stands for nothing in a MOP's template */
    bool never_lasts;              /* its unit waits for nothing meanwhile */
    bool runs_in_reset;            /* whatever holds its unit (BH SoftReset.md) */
    bool checks_reserved;          /* reports reserved bits itself */
} TensixTraits;

/* By opcode. */
extern const TensixTraits tensix_traits[256];

static inline const TensixTraits *tensix_traits_of(uint32_t word)
{
    return &tensix_traits[word >> 24];
}

/* Does the block mask of a latched wait keep this opcode at the gate? */
bool tensix_insn_held(uint32_t opcode, uint32_t block_mask);

/* The column with the operands of the word; never ORDER_UNIT. */
TensixOrderClass tensix_insn_order(uint32_t word);

/* Cycles until the unit takes the next instruction, as far as the word says. */
uint32_t tensix_insn_occupancy(uint32_t word);

/* Cycles until its effects are there, as far as the word says. */
uint32_t tensix_insn_latency(uint32_t word);

#endif
