/*
 * Register files: what the units share beside tensix_internal.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_REGFILE_H
#define TENSIX_REGFILE_H

#include <string.h>

#include "config/config.h"
#include "regs/counter.h"

enum {
    DST_ROW_MASK = TENSIX_DST_ROWS - 1,
    DST_PAIRS_HIGH = 0x1f8, /* tensix_dst_adj32(): bits that move up by one */
    DST_PAIRS_LOW = 0x207,  /* and those that stay */
    DST_LOW_HALF_ROWS = 8, /* low 16 bits of Dst32b: 8 rows further on */
    SRC_ROW_MASK = TENSIX_SRC_ROWS - 1,
    SRC_BANK_MASK = TENSIX_SRC_BANKS - 1,
    SRC_VALUE_MASK = 0x7ffff, /* 19 bits; all ones: minus infinity */
};

/* A row of SrcA or SrcB, cells as in TensixState.src. */
typedef uint32_t TensixSrcRow[TENSIX_COLUMNS];

/* The rows of a bank of SrcA or SrcB, to be read. */
static inline const TensixSrcRow *tensix_src_rows(const TensixCore *c,
                                                  uint32_t src, uint32_t bank)
{
    return c->s.src[src][bank & SRC_BANK_MASK];
}

/*
 * The same to be written, by the instruction at hand only.  A writer of a
 * bank gets its rows here, so that the bank's generation grows.
 */
static inline TensixSrcRow *tensix_src_to_write(TensixCore *c, uint32_t src,
                                                uint32_t bank)
{
    uint32_t b = bank & SRC_BANK_MASK;

    c->derived.src[src][b]++;
    return c->s.src[src][b];
}

/*
 * Does the bank belong to the unpackers, or to the Matrix Unit?  To neither, as
 * long as an UNPACR that will hand the bank over is still under way.
 */
static inline bool tensix_src_owned_by(const TensixCore *c, uint32_t src,
                                       uint32_t bank, TensixSrcClient client)
{
    uint32_t b = bank & SRC_BANK_MASK;

    return c->s.src_client[src][b] == client &&
           !c->s.order.hand_over_at[src][b];
}

/*
 * Sets a whole bank of SrcA or SrcB, except columns held by soft reset (BH
 * SoftReset.md: their writes are discarded).
 */
void tensix_src_fill(TensixCore *c, uint32_t src, uint32_t bank,
                     uint32_t value);

/*
 * After a bank was written as if soft reset held none of its columns: makes
 * those that it holds zero again.
 */
void tensix_src_clear_held(TensixCore *c, uint32_t src, uint32_t bank);

/*
 * Changes the owner of a bank, or a unit's bank pointer; does nothing while
 * soft reset holds them (bits 15 and 16).  The pointer functions flip it.
 */
void tensix_src_set_client(TensixCore *c, uint32_t src, uint32_t bank,
                           TensixSrcClient client);
void tensix_src_flip_matrix_bank(TensixCore *c, uint32_t src);
void tensix_src_flip_unpack_bank(TensixCore *c, uint32_t src);

/* CLEARDVALID's reset: all banks to the unpackers, all pointers to bank 0. */
void tensix_src_reset_banks(TensixCore *c);

/* The unpacker's row cursor of this thread back to SRCx_SET_Base * 16. */
void tensix_unpack_reset_row(TensixCore *c, uint32_t thread, uint32_t src);

/* BH Dst.md: the row that DEST_ACCESS_CFG_remap_addrs makes of another. */
static inline uint32_t tensix_dst_remap(const TensixCore *c, uint32_t thread,
                                        uint32_t row)
{
    uint32_t r = row & (TENSIX_DST_ROWS - 1);

    if (CFG_GET(c, thread, DEST_ACCESS_CFG_remap_addrs)) {
        r = (r & 0x3c7) ^ (r & 0x030) >> 1 ^ (r & 0x008) << 2;
    }
    return r;
}

/* Row of Dst storage for row r of Dst16b / Dst32b (spec 000, 1.2): 0..1023. */
static inline uint32_t tensix_dst_adj32(const TensixCore *c, uint32_t thread,
                                        uint32_t row)
{
    uint32_t r = tensix_dst_remap(c, thread, row);

    if (CFG_GET(c, thread, DEST_ACCESS_CFG_swizzle_32b)) {
        r = (r & 0x3f3) ^ (r & 0x018) >> 1 ^ (r & 0x004) << 1;
    }
    return (r & 0x1f8) << 1 | (r & 0x207);
}

/* tensix_dst_adj16() without a guess: for code that seldom asks. */
static inline uint32_t tensix_dst_find16(const TensixCore *c, uint32_t thread,
                                         uint32_t row)
{
    return c->s.dst16b_is_high_half ? tensix_dst_adj32(c, thread, row)
                                    : tensix_dst_remap(c, thread, row);
}

static inline uint32_t tensix_dst_adj16(const TensixCore *c, uint32_t thread,
                                        uint32_t row)
{
    return __builtin_expect(c->derived.place[thread].straight, true)
           ? row & (TENSIX_DST_ROWS - 1) : tensix_dst_find16(c, thread, row);
}

/* Are four rows of storage from `row` on defined? */
static inline bool tensix_dst_4_rows_valid(const TensixCore *c, uint32_t row)
{
    static const uint8_t valid[4] = { 1, 1, 1, 1 };

    return !memcmp(&c->s.dst_row_valid[row], valid, sizeof(valid));
}

/* SEMPOST and SEMGET, also as harts' stores: at most 15, at least 0. */
static inline void tensix_semaphore_post(TensixState *s, uint32_t index,
                                         const TensixOrigin *origin)
{
    TensixSemaphoreUse *use = &s->semaphore_use[index];

    if (s->semaphore[index].value < TENSIX_SEMAPHORE_LIMIT) {
        s->semaphore[index].value++;
    } else {
        use->lost_posts++;
        use->lost_post = *origin;
    }
    use->posts++;
    use->post = *origin;
}

static inline void tensix_semaphore_get(TensixState *s, uint32_t index,
                                        const TensixOrigin *origin)
{
    TensixSemaphoreUse *use = &s->semaphore_use[index];

    if (s->semaphore[index].value > 0) {
        s->semaphore[index].value--;
    } else {
        use->lost_gets++;
        use->lost_get = *origin;
    }
    use->gets++;
    use->get = *origin;
}

/* What every Matrix and Vector Unit access adds to its Dst row, mod 1024. */
static inline uint32_t tensix_dst_base(const TensixCore *c, uint32_t thread)
{
    return (c->s.rwc[thread].Dst + c->derived.place[thread].dst_base) &
           (TENSIX_DST_ROWS - 1);
}

/* The RWCs by AddrMod n, 0..7, without and with the fidelity phase. */
void tensix_advance_rwcs(TensixCore *c, uint32_t thread, uint32_t n);
void tensix_advance_phase(TensixCore *c, uint32_t thread, uint32_t n);

/* Does AddrMod n, 0..7, change anything?  Often it does not. */
static inline bool tensix_addr_mod_moves(const TensixCore *c, uint32_t thread,
                                         uint32_t n)
{
    return c->derived.place[thread].moves >> n & 1;
}

/* Advance the RWCs by AddrMod 0..7 (spec 002, 3.4; 3 bits on Blackhole). */
static inline void tensix_apply_partial_addr_mod(TensixCore *c, uint32_t thread,
                                                 uint32_t addr_mod)
{
    if (tensix_addr_mod_moves(c, thread, addr_mod & 7)) {
        tensix_advance_rwcs(c, thread, addr_mod & 7);
    }
}

static inline void tensix_apply_addr_mod(TensixCore *c, uint32_t thread,
                                         uint32_t addr_mod)
{
    enum {
        PHASE_BITS = THREAD_CFG_ADDR_MOD_DST_SEC0_FidelityIncr_LOW,  /* and on */
    };
    uint32_t n = addr_mod & 7;

    if (tensix_addr_mod_moves(c, thread, n)) {
        tensix_advance_rwcs(c, thread, n);
        if (c->s.thread_cfg[thread]
                [THREAD_CFG_ADDR_MOD_DST_SEC0_FidelityIncr_INDEX + n] >> PHASE_BITS) {
            tensix_advance_phase(c, thread, n);
        }
    }
}

/* Matrix Unit gives its current Src bank back and moves to the other one. */
void tensix_matrix_release_bank(TensixCore *c, uint32_t src, bool give_back);

/*
 * Unpacker is done with its current Src bank and moves on.  The bank is the
 * Matrix Unit's at once, or after an UNPACR when that ends (c->hand_over_at).
 */
void tensix_unpack_hand_over_bank(TensixCore *c, const TensixInsn *i,
                                  uint32_t src);

/* A bank that was on its way becomes the Matrix Unit's. */
void tensix_src_arrives(TensixCore *c, uint32_t src, uint32_t bank);

/* The banks of Src that are on their way do not arrive. */
void tensix_src_cancel_hand_over(TensixState *s, uint32_t src);

#endif
