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
    RWC_NOT,                       /* or in another way */
    RWC_ADDR_MOD,                  /* by the AddrMod in bits `addr_mod` up */
    RWC_PARTIAL_ADDR_MOD,          /* the same, Dst and stack pointer alone */
    RWC_ITSELF,                    /* does nothing else, but for banks */
} TensixRwcMove;

/* Rows of Dst, as far as the checker of hazards needs them. */
typedef enum TensixDstRows {
    DST_NONE,
    DST_4,
    DST_8,
    DST_1_OR_4,                    /* by the operands, */
    DST_1_OR_8,
    DST_1_4_OR_8,
    DST_8_IF_ADDED,                /* with dest_accum_en */
    DST_LANES,                     /* the Vector Unit's, with its formats */
} TensixDstRows;

/* How it hands banks of Src to the Matrix Unit. */
typedef enum TensixBanksOver {
    BANKS_NOT,
    BANKS_SETDVALID,
    BANKS_UNPACR,
    BANKS_UNPACR_NOP,
} TensixBanksOver;

/* What it does to semaphores, or to a mutex. */
typedef enum TensixSync {
    SYNC_NOT,
    SYNC_SEMINIT,
    SYNC_SEMPOST,
    SYNC_SEMGET,
    SYNC_ATGETM,
    SYNC_ATRELM,
} TensixSync;

/* What it does with the word of configuration that it names. */
typedef enum TensixConfigUse {
    CONFIG_USE_NONE,
    CONFIG_USE_READ,
    CONFIG_USE_FROM_GPRS,          /* writes it, and perhaps three more */
    CONFIG_USE_BYTE,               /* writes byte `config_byte` */
    CONFIG_USE_MASKED,             /* writes what others do not know, */
    CONFIG_USE_LATE,               /* and some time later */
} TensixConfigUse;

/* Where GPRs are named, a bit each: low bit of the field. */
typedef enum TensixGprs {
    GPR_A = 1 << 0,                /* 0 */
    GPR_B = 1 << 1,                /* 6 */
    GPR_B_OR_CONST = 1 << 2,       /* 6, unless OpBisConst */
    GPR_LOADIND = 1 << 3,          /* 6; four if the size says so */
    GPR_STOREIND = 1 << 4,
    GPR_OFFSET = 1 << 5,           /* 14, of halves */
    GPR_CFG = 1 << 6,              /* 16 */
    GPR_CFG_OR_QUAD = 1 << 7,      /* 16; four with wr128b */
    GPR_TDMA = 1 << 8,             /* 18 */
    GPR_RESULT = 1 << 9,           /* 12 */
    GPR_OFFSET_MOVED = 1 << 10,    /* the same, if AutoIncSpec moves it */
    GPR_HALF = 1 << 11,            /* SETDMAREG's, or the four around it */
} TensixGprs;

/* Rules that hardware does not enforce (hazard_table.h.inc). */
typedef enum TensixHazardRule {
    HAZARD_NONE,
#define HAZARD(rule, name, what, missing, document) HAZARD_##rule,
#include "decode/hazard_table.h.inc"
#undef HAZARD
    HAZARD_RULES,
} TensixHazardRule;

/* Words of the columns (insn_table.h.inc). */
#define TIMING(cycles, until_done, page) \
    .occupancy = cycles, .latency = until_done
#define ADDR_MOD(m, field) \
    .order = ORDER_MATRIX, .rwc_move = RWC_ADDR_MOD, \
    .addr_mod = TENSIX_##m##_##field##_LOW
#define CONFIG(use, m, field) \
    .config = CONFIG_USE_##use, .config_low = TENSIX_##m##_##field##_LOW, \
    .config_width = TENSIX_##m##_##field##_WIDTH

enum { SRCA_BANK = 1 << 0, SRCB_BANK = 1 << 1 };

typedef struct TensixTraits {
    /* timing, in cycles; 0 means 1 */
    uint8_t occupancy, latency;
    uint8_t duration;              /* TensixDuration */

    /* order */
    uint8_t order;                 /* TensixOrderClass */
    uint8_t rwc_move;              /* TensixRwcMove */
    uint8_t addr_mod;              /* low bit of its AddrMod */
    uint8_t latch;                 /* TensixLatch: what it waits for */
    uint8_t sync;                  /* TensixSync */
    bool held_by_all;              /* only by all block bits at once */
    bool mop_skips;                /* is no instruction in a MOP's template */
    bool never_lasts;              /* its unit waits for nothing meanwhile */
    bool runs_in_reset;            /* whatever holds its unit (BH SoftReset.md) */
    bool checks_reserved;          /* reports reserved bits itself */

    /* registers, for the checker of hazards */
    uint8_t dst_read, dst_written; /* TensixDstRows; written some cycles later */
    uint8_t banks_over;            /* TensixBanksOver */
    uint8_t banks_unread;          /* of a Matrix Unit's: SRCA_BANK, SRCB_BANK */
    bool banks_back;               /* by its clear_dvalid, where SETRWC's is */
    bool moves_to_srca, moves_to_srcb; /* without waiting for the bank */
    bool uses_no_config;           /* unlike others of its unit */
    uint8_t config;                /* TensixConfigUse */
    uint8_t config_low, config_width, config_byte;
    uint16_t gprs_read;            /* TensixGprs */
    uint16_t gprs_written;         /* at once, */
    uint16_t gprs_late;            /* or when the data arrives */
    bool flushes;                  /* waits for those itself */
    bool fills_gap;                /* issues in the second cycle of a swap */
    bool atomic;                   /* reads and writes L1 in one */
    uint8_t hazard;                /* TensixHazardRule that it makes hold */
} TensixTraits;

/* How long an instruction takes at least; in cycles, all at least 1. */
typedef struct TensixTiming {
    uint32_t occupancy;            /* until its unit takes the next one */
    uint32_t latency;              /* until its effects are there */
    uint32_t issue;                /* until its thread may issue again */
    uint32_t bytes;                /* of L1 that it unpacks or packs, */
    uint32_t transfer;             /* and in so many cycles */
} TensixTiming;

/* By opcode. */
extern const TensixTraits tensix_traits[256];

static inline const TensixTraits *tensix_traits_of(uint32_t word)
{
    return &tensix_traits[word >> 24];
}

/* Do the word's bits alone decide how long it takes?  Then: that. */
static inline bool tensix_insn_is_timed(uint32_t word)
{
    uint32_t duration = tensix_traits_of(word)->duration;

    return duration != DURATION_UNPACKED && duration != DURATION_PACKED &&
           duration != DURATION_MOVED;
}

/* Into *timing: a value would be stored by members and loaded as a whole. */
void tensix_insn_timing(uint32_t word, TensixTiming *timing);

/* Does the block mask of a latched wait keep this opcode at the gate? */
bool tensix_insn_held(uint32_t opcode, uint32_t block_mask);

/* The column with the operands of the word; never ORDER_UNIT. */
TensixOrderClass tensix_insn_order(uint32_t word);

/* Cycles until the unit takes the next instruction, as far as the word says. */
uint32_t tensix_insn_occupancy(uint32_t word);

/* Cycles until its effects are there, as far as the word says. */
uint32_t tensix_insn_latency(uint32_t word);

/* Rows of Dst that it reads; those that it writes.  0: none. */
uint32_t tensix_insn_dst_read(uint32_t word);
uint32_t tensix_insn_dst_written(uint32_t word);

/* Banks that it hands to the Matrix Unit: SrcA bit 0, SrcB bit 1. */
uint32_t tensix_insn_banks_over(uint32_t word);

/* Does it wait for such a bank until it is the unpackers'? */
bool tensix_insn_waits_for_bank(uint32_t word);

/* Banks, likewise, that a Matrix Unit's instruction waits for at the gate. */
uint32_t tensix_insn_banks_awaited(uint32_t word);

/* Banks that it gives back to the unpackers. */
uint32_t tensix_insn_banks_back(uint32_t word);

/* The first word of configuration that it names, if it has a use of any. */
uint32_t tensix_insn_config_word(uint32_t word);

/* GPRs that it reads; that it writes; those of them late.  A bit each. */
uint64_t tensix_insn_gprs_read(uint32_t word);
uint64_t tensix_insn_gprs_written(uint32_t word);
uint64_t tensix_insn_gprs_late(uint32_t word);

#endif
