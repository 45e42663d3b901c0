/*
 * How long instructions take at least.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Most of it is in the rows (insn_table.h.inc).  Here: what depends on counters
 * and configuration.  If these make no sense, the time is merely short.
 */

#include "num/num.h"
#include "config/config.h"
#include "tensix_internal.h"
#include "frontend/timing.h"

enum {
    COLUMN_MASK = TENSIX_COLUMNS - 1,

    /* UNPACR (WH UNPACR_Regular.md, "Performance") */
    UNPACK_ADDRESS = 2,            /* for the first address */
    UNPACK_X1_LOG = 7,             /* bits a cycle: 128; x2 and x4 shift it */
    UNPACK_X4_SHIFT = 2,
    UNPACK_X1_DATUM = 2,           /* bits of those that are never faster */

    /* PACR, XMOV (WH L1.md, Mover.md) */
    L1_WRITE_LOG = 7,              /* bits a cycle: 128 */
    L1_ACCUMULATE_LOG = 6,         /* one write in two cycles */
    COPY_BURST_LOG = 10,           /* bits: 1024, in so many cycles */
    COPY_BURST_CYCLES = 11,
    MOVE_UNIT = 16,
    MOVE_COUNT_MASK = 0xffff,
};

static uint32_t no_fewer(uint32_t minimum, uint64_t cycles)
{
    return cycles < minimum ? minimum : (uint32_t)cycles;
}

/* Cycles for that many bits at 1 << speed_log of them a cycle. */
static uint64_t cycles_of(uint64_t bits, uint32_t speed_log)
{
    return (bits + (1ull << speed_log) - 1) >> speed_log;
}

/* --- UNPACR --- */

/* Configuration words of unpacker 1 are those of unpacker 0, so much later. */
enum {
    SECTION_WORDS = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                    CFG_THCON_SEC0_REG0_TileDescriptor_WORD,
};

#define SECTION(c, i, name) \
    ((c)->s.cfg[tensix_cfg_bank(c, (i)->thread)] \
               [CFG_THCON_SEC0_##name##_WORD + \
                OPERAND(i, UNPACR, Unpack_block_selection) * SECTION_WORDS] \
     >> CFG_THCON_SEC0_##name##_LOW & CFG_THCON_SEC0_##name##_MASK)

/* Does it read L1 at all? */
static bool unpacks(const TensixInsn *i)
{
    return !OPERAND(i, UNPACR, CfgContextCntInc) &&
           !OPERAND(i, UNPACR, SearchCacheFlush);
}

static uint32_t unpack_format(const TensixCore *c, const TensixInsn *i)
{
    uint32_t word;

    if (!OPERAND(i, UNPACR, OvrdThreadId) ||
        !SECTION(c, i, REG2_Ovrd_data_format)) {
        return SECTION(c, i, REG0_TileDescriptor) & 0xf;
    }
    word = SECTION(c, i, REG7_Unpack_data_format_cntx0);
    return word & 0xf;
}

/* Bits a cycle with one unpacker busy, as a logarithm. */
static uint32_t unpack_speed_log(const TensixCore *c, const TensixInsn *i,
                                 uint32_t format)
{
    uint32_t shift = SECTION(c, i, REG2_Throttle_mode);

    if (tensix_num_datum_bits(format) == UNPACK_X1_DATUM) {
        return UNPACK_X1_LOG;
    }
    return UNPACK_X1_LOG + (shift < UNPACK_X4_SHIFT ? shift : UNPACK_X4_SHIFT);
}

/* Bits of the datums that an UNPACR fetches, the range of its X counters. */
static uint64_t unpack_bits(const TensixCore *c, const TensixInsn *i,
                            uint32_t format)
{
    const TensixAdc *adc =
        &c->s.adc[i->thread][OPERAND(i, UNPACR, Unpack_block_selection)];
    uint32_t first = adc->channel[0].X, last = adc->channel[1].X;
    uint64_t datums = last < first ? 1 : last - first + 1;

    return OPERAND(i, UNPACR, ZeroWrite2)
           ? 0 : datums * tensix_num_datum_bits(format);
}

static void unpacr(const TensixCore *c, const TensixInsn *i,
                   TensixTiming *timing)
{
    uint32_t format = unpack_format(c, i);
    uint64_t bits, fetch;

    if (!unpacks(i)) {
        *timing = (TensixTiming) { 1, 1, 1 };
        return;
    }
    bits = unpack_bits(c, i, format);
    fetch = cycles_of(bits, unpack_speed_log(c, i, format));
    *timing = (TensixTiming) {
        .occupancy = no_fewer(UNPACK_ADDRESS, fetch),
        .latency = no_fewer(UNPACK_ADDRESS, UNPACK_ADDRESS + fetch),
        .issue = UNPACK_ADDRESS,
        .bytes = bits / 8,
        .transfer = fetch,
    };
}

/* --- PACR --- */

/* Rows that the read interfaces give; none selected: all four. */
static uint32_t pacr_rows(const TensixInsn *i)
{
    uint32_t select = OPERAND(i, PACR, ReadIntfSel);

    return select ? __builtin_popcount(select) : 4;
}

static uint32_t pack_columns(const TensixCore *c, const TensixInsn *i)
{
    const TensixAdc *adc = &c->s.adc[i->thread][TENSIX_ADC_PACK];
    uint32_t first = adc->channel[0].X & COLUMN_MASK;
    uint32_t last = adc->channel[1].X & COLUMN_MASK;

    return last < first ? 1 : last - first + 1;
}

static void pacr(const TensixCore *c, const TensixInsn *i,
                 TensixTiming *timing)
{
    uint32_t format = CFG_GET(c, i->thread, THCON_SEC0_REG1_Out_data_format);
    uint32_t speed_log = CFG_GET(c, i->thread, THCON_SEC0_REG1_Pack_L1_Acc)
                         ? L1_ACCUMULATE_LOG : L1_WRITE_LOG;
    uint64_t bits = (uint64_t)pacr_rows(i) * pack_columns(c, i) *
                    tensix_num_datum_bits(format);
    uint32_t cycles = no_fewer(1, cycles_of(bits, speed_log));

    *timing = OPERAND(i, PACR, Flush)
              ? (TensixTiming) { 1, 1, 1 }
              : (TensixTiming) { cycles, cycles, 1, bits / 8, cycles };
}

/* --- XMOV --- */

/* The mover takes the next move when it has done this one. */
static void xmov(const TensixCore *c, const TensixInsn *i,
                 TensixTiming *timing)
{
    uint32_t mode = CFG_GET(c, i->thread, THCON_SEC0_REG6_Transfer_direction);
    uint64_t bits = (uint64_t)MOVE_UNIT * 8 *
                     (CFG_GET(c, i->thread, THCON_SEC0_REG6_Buffer_size) &
                      MOVE_COUNT_MASK);
    bool copies = mode == TENSIX_MOVE_L1_TO_L1 || mode == TENSIX_MOVE_L1_TO_L0;
    uint32_t cycles =
        no_fewer(1, copies ? cycles_of(bits * COPY_BURST_CYCLES, COPY_BURST_LOG)
                           : cycles_of(bits, L1_WRITE_LOG));

    *timing = (TensixTiming) { cycles, cycles, 1 };
}

/* --- all of them --- */

void tensix_timing(const TensixCore *c, const TensixInsn *i,
                   TensixTiming *timing)
{
    switch (tensix_traits_of(i->word)->duration) {
    case DURATION_UNPACKED:
        unpacr(c, i, timing);
        break;
    case DURATION_PACKED:
        pacr(c, i, timing);
        break;
    case DURATION_MOVED:
        xmov(c, i, timing);
        break;
    default:
        tensix_insn_timing(i->word, timing);
        break;
    }
}
