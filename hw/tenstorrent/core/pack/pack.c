/*
 * Packer: PACR, from rows of Dst to a stream of bytes in L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md for the read interfaces and the tile position; WH Packers/
 * InputAddressGenerator.md.  The later stages have their own files (pack.h).
 *
 * One instruction reads up to four rows, converts their 64 datums at once and
 * writes them with one burst for the data and one for the exponents.
 */

#include <string.h>

#include "pack/pack.h"
#include "config/config.h"
#include "regs/regfile.h"

enum {
    ALL_INTERFACES = 0xf,
    STRIDED_ROWS = 16,             /* between rows with DstAccessMode */
    COLUMN_MASK = PACK_COLUMNS - 1,
    TILE_ROW_LIMIT = 0xff,         /* TilePosition has 8 bits */
    ALL_COLUMNS = 0xffff,
    ALL_VALID = 0x01010101,        /* four rows' DstRowValid */
    MODS_YSRC = 0x003f,            /* of an ADDR_MOD_PACK section */
    MODS_OTHERS = 0xffc0,
    /* operands that are reported */
    UNUSUAL = 3 << TENSIX_PACR_CtxtCtrl_LOW | 7 << TENSIX_PACR_RowPadZero_LOW |
              3 << TENSIX_PACR_CfgContext_LOW,
    /* operands that only pack_any() does */
    NOT_PLAIN = UNUSUAL | 1 << TENSIX_PACR_Flush_LOW |
                1 << TENSIX_PACR_ZeroWrite_LOW |
                1 << TENSIX_PACR_DstAccessMode_LOW,
    /* and those that only pack() does, or reports */
    NOT_GOING_ON = NOT_PLAIN | 1 << TENSIX_PACR_OvrdThreadId_LOW,
    /* ReadIntfSel + 1 has none of these bits if ReadIntfSel is 0 or all */
    ONE_INTERFACE = 1 << TENSIX_PACR_ReadIntfSel_LOW,
    SOME_INTERFACES = 0xe << TENSIX_PACR_ReadIntfSel_LOW,
};

/* --- input --- */

/* The thread whose address counters the instruction uses. */
static uint32_t adc_thread(const TensixInsn *i)
{
    uint32_t which;

    if (!OPERAND(i, PACR, OvrdThreadId)) {
        return i->thread;
    }
    which = OPERAND(i, PACR, AddrCntContext);
    return which < TENSIX_THREADS ? which : 0;
}

/* The first datum, counted from the start of Dst. */
static uint32_t find_datum(const TensixPackPlan *plan,
                           const TensixAdcChannel *ch)
{
    uint32_t bytes = plan->base + ch->X * plan->x_stride +
                     ch->Y * plan->y_stride + ch->Z * plan->z_stride +
                     ch->W * plan->w_stride;
    uint32_t datum = bytes >> plan->shift;
    uint32_t x_mask = COLUMN_MASK >> plan->shift;

    return (datum & ~x_mask) + (ch->X & x_mask);
}

_Static_assert((int)CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD >=
               (int)TENSIX_CFG_GLOBAL_BASE, "it is the same in both banks");

/* The row of `datum`, which need not be right about the column. */
static inline uint32_t find_row(const TensixCore *c, uint32_t datum)
{
    return datum / PACK_COLUMNS +
           PACK_FIELD(c->s.cfg[0], DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
}

static void find_input(PackRun *r, const TensixAdc *adc)
{
    uint32_t datum = find_datum(r->plan, &adc->channel[0]);
    uint32_t count = (adc->channel[1].X - adc->channel[0].X + 1) & ADC_X_MASK;

    r->first_column = datum & COLUMN_MASK;
    r->start_row = find_row(r->c, datum);
    if (count > PACK_COLUMNS - r->first_column) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "%u datums from column %u of rows of 16",
                         (unsigned)count, r->first_column);
        count = PACK_COLUMNS - r->first_column;
    }
    r->per_row = OPERAND(r->i, PACR, Flush) ? 0 : count;
}

/* Rows left in the xy plane, if fewer than the instruction would read. */
static uint32_t last_mask(const PackRun *r, uint32_t mask)
{
    uint32_t left = r->plan->rows - r->c->s.packer.tile_row;

    return left < (uint32_t)__builtin_popcount(mask) ? (1u << left) - 1 : mask;
}

static void find_interfaces(PackRun *r)
{
    uint32_t mask = OPERAND(r->i, PACR, ReadIntfSel);
    bool strided = OPERAND(r->i, PACR, DstAccessMode);

    mask = mask ? mask : ALL_INTERFACES;
    if (r->plan->auto_last) {
        mask = last_mask(r, mask);
    }
    if (!strided && mask << (r->start_row & 3) > ALL_INTERFACES) {
        tensix_violation(r->c, r->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "read interfaces leave a group of four rows");
    }
    r->mask = mask;
    r->interfaces = __builtin_popcount(mask);
}

/* Right shift of integers that become INT8 (INT_DESCALE); by z: a guess. */
static uint32_t descale_shift(const PackRun *r, const TensixAdc *adc)
{
    uint32_t z = adc->channel[0].Z;

    if (!r->plan->descales || !PACK_FIELD(r->cfg, INT_DESCALE_Enable)) {
        return 0;
    }
    if (!PACK_FIELD(r->cfg, INT_DESCALE_Mode)) {
        return r->cfg[CFG_INT_DESCALE_VALUES_SEC0_Value_WORD] & 31;
    }
    return r->cfg[CFG_INT_DESCALE_VALUES_SEC0_Value_WORD + ((z & 63) >> 2)] >>
           (z & 3) * 8 & 31;
}

static inline uint32_t storage_row(const TensixCore *c, uint32_t thread,
                                   uint32_t row, bool wide)
{
    return wide ? tensix_dst_adj32(c, thread, row)
                : tensix_dst_find16(c, thread, row);
}

#ifdef TENSIX_OBSERVED
static inline void record_pack_reads(TensixCore *c, const TensixPackPlan *plan,
                                     uint32_t at, uint32_t rows)
{
    TENSIX_READS_DST(c, at, rows);
    tensix_observe_pack(c, at, rows, plan->wide);
    if (plan->wide) {
        TENSIX_READS_DST(c, (at + DST_LOW_HALF_ROWS) & DST_ROW_MASK, rows);
    }
}
#endif

static void read_row(const PackRun *r, uint32_t row, uint16_t *high,
                     uint16_t *low)
{
    const TensixState *s = &r->c->s;
    uint32_t at = storage_row(r->c, r->i->thread, row, r->plan->wide);
    uint32_t low_at = (at + DST_LOW_HALF_ROWS) & DST_ROW_MASK;

    TENSIX_NOTE(record_pack_reads(r->c, r->plan, at, 1));
    if (s->dst_row_valid[at]) {
        memcpy(high, s->dst[at], sizeof(s->dst[0]));
        memcpy(low, s->dst[low_at], sizeof(s->dst[0]));
    } else {
        memset(high, 0, sizeof(s->dst[0]));
        memset(low, 0, sizeof(s->dst[0]));
    }
}

static void fetch(PackRun *r, const TensixAdc *adc)
{
    uint32_t step = OPERAND(r->i, PACR, DstAccessMode) ? STRIDED_ROWS : 1;
    uint16_t high[PACK_DATUMS] = { 0 }, low[PACK_DATUMS] = { 0 };
    unsigned n = 0;

    for (uint32_t left = r->mask; left; left &= left - 1) {
        uint32_t row = r->start_row + step * (uint32_t)__builtin_ctz(left);

        read_row(r, row, &high[n], &low[n]);
        n += PACK_COLUMNS;
    }
    tensix_pack_early[r->plan->early](r->d, high, low, descale_shift(r, adc));
}

/* --- counters --- */

static inline void count_rows(uint32_t *inner, uint32_t *outer, unsigned rows,
                              uint32_t limit)
{
    *inner = (*inner + rows) & TILE_ROW_LIMIT;
    if (*inner == limit) {
        *inner = 0;
        *outer = (*outer + 1) & TILE_ROW_LIMIT;
    }
}

static inline void advance_tile_position(TensixPacker *p,
                                         const TensixPackPlan *plan,
                                         unsigned rows)
{
    if (__builtin_expect(plan->transposed, false)) {
        count_rows(&p->tile_face, &p->tile_row, rows, plan->rows);
    } else {
        count_rows(&p->tile_row, &p->tile_face, rows, plan->rows);
    }
}

#define MOD(m, name) ((m) >> THREAD_CFG_ADDR_MOD_PACK_SEC0_##name##_LOW & \
                      THREAD_CFG_ADDR_MOD_PACK_SEC0_##name##_MASK)

/* A section's bits for one counter of a channel: Ysrc, Ydst, Zsrc or Zdst. */
#define ADVANCE_Y(ch, m, name) \
    tensix_counter_advance(&(ch)->Y, &(ch)->Y_Cr, MOD(m, name##Incr), \
                           MOD(m, name##Clear), MOD(m, name##CR), ADC_YZW_MASK)
#define ADVANCE_Z(ch, m, name) \
    tensix_counter_advance(&(ch)->Z, &(ch)->Z_Cr, MOD(m, name##Incr), \
                           MOD(m, name##Clear), false, ADC_YZW_MASK)

/* AddrMode: Y and Z of both channels, for the next PACR of such a thread. */
static inline void advance_pack_adc(const uint16_t *thread_cfg,
                                    const TensixInsn *i, TensixAdc *adc)
{
    uint32_t m = thread_cfg[THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX +
                            OPERAND(i, PACR, AddrMode)];
    TensixAdcChannel *in = &adc->channel[0], *out = &adc->channel[1];

    if (m & MODS_YSRC) {
        ADVANCE_Y(in, m, Ysrc);
    }
    if (m & MODS_OTHERS) {
        ADVANCE_Z(in, m, Zsrc);
        ADVANCE_Y(out, m, Ydst);
        ADVANCE_Z(out, m, Zdst);
    }
}

/* --- the instruction --- */

enum { NO_GROUP = UINT32_MAX };

/*
 * The storage row of what nearly all PACRs read: four whole rows, valid and next
 * to each other.  NO_GROUP if it is not so.  Row remapping keeps four aligned rows
 * together.
 */
static inline __attribute__((always_inline))
uint32_t find_group(const TensixCore *c, const TensixInsn *i,
                    const TensixPackPlan *plan, const TensixAdc *adc)
{
    const TensixAdcChannel *ch = &adc->channel[0];
    uint32_t bytes = plan->base + ch->Y * plan->y_stride +
                     ch->Z * plan->z_stride + ch->W * plan->w_stride; /* X: 0 */
    uint32_t datum = bytes >> plan->shift;
    uint32_t row = find_row(c, datum), valid, at;

    if ((ch->X | (adc->channel[1].X ^ COLUMN_MASK)) |
        ((datum & plan->column_bits) | (row & (PACK_ROWS - 1)))) {
        return NO_GROUP;
    }
    at = (row & plan->row_high) << 1 | (row & plan->row_mask);
    if (__builtin_expect(plan->remaps, false)) {
        at = storage_row(c, i->thread, row, plan->wide);
    }
    memcpy(&valid, &c->s.dst_row_valid[at], sizeof(valid));
    return valid == ALL_VALID ? at : NO_GROUP;
}

/* Packs such a group; the streams are open. */
static inline __attribute__((always_inline))
TensixResult pack_group(TensixCore *c, const TensixInsn *i,
                        const TensixPackPlan *plan, uint32_t at)
{
    TensixPacker *p = &c->s.packer;
    uint32_t address = tensix_pack_next_byte(p), exponents = p->exp_byte;

    TENSIX_NOTE(record_pack_reads(c, plan, at, PACK_ROWS));
    advance_tile_position(p, plan, PACK_ROWS);
    if (plan->group != PACK_GROUP_ANY) {
        p->data_bit = (address + plan->bytes) * 8 % PACK_STREAM_BITS;
        p->exp_byte = (exponents + plan->exponents) % PACK_STREAM_BYTES;
    }
    return tensix_pack_groups[plan->group](c, i, plan, at, address, exponents);
}

/* The last one of a tile, if it leaves nothing to be filled up. */
static __attribute__((noinline))
TensixResult pack_last_group(TensixCore *c, const TensixInsn *i,
                             const TensixPackPlan *plan, uint32_t at)
{
    TensixPacker *p = &c->s.packer;
    uint32_t address = tensix_pack_next_byte(p), exponents = p->exp_byte;

    if (plan->group == PACK_GROUP_ANY || address % PACK_L1_UNIT ||
        (exponents + plan->exponents) % PACK_L1_UNIT) {
        pack_group(c, i, plan, at);
        tensix_pack_close(c, i);
        return TENSIX_DONE;
    }
    TENSIX_NOTE(record_pack_reads(c, plan, at, PACK_ROWS));
    memset(p, 0, sizeof(*p));
    return tensix_pack_groups[plan->group](c, i, plan, at, address, exponents);
}

static void pack_rows(PackRun *r, const TensixAdc *adc)
{
    const TensixPackPlan *plan = r->plan;

    r->d = &r->buffer[0];
    if (OPERAND(r->i, PACR, ZeroWrite)) {
        memset(r->d, 0, sizeof(*r->d));
    } else {
        fetch(r, adc);
    }
    if (plan->filters) {
        tensix_pack_filter(r);
    }
    if (plan->keep != ALL_COLUMNS || r->per_row != PACK_COLUMNS) {
        tensix_pack_select(r);
    }
    if (plan->late != LATE_AS_IS) {
        tensix_pack_late[plan->late](&r->buffer[1], r->d);
        r->d = &r->buffer[1];
    }
    tensix_pack_write(r->c, r->i, plan, r->d, r->interfaces, r->per_row);
    advance_tile_position(&r->c->s.packer, plan, r->interfaces);
}

/* Any PACR, however rare its configuration and operands are. */
static __attribute__((noinline))
void pack_any(TensixCore *c, const TensixInsn *i, const TensixPackPlan *plan,
              const uint32_t *cfg, const TensixAdc *adc)
{
    PackRun r;

    r.c = c;
    r.i = i;
    r.cfg = cfg;
    r.plan = plan;
    if (plan->problems || i->word & UNUSUAL) {
        tensix_pack_report(&r, i->word & UNUSUAL);
    }
    find_input(&r, adc);
    if (!c->s.packer.open) {
        tensix_pack_open(c, i, plan, cfg, adc);
    }
    if (r.per_row) {
        find_interfaces(&r);
        pack_rows(&r, adc);
    }
}

/* Does the word read all four rows, and has it none of the operands `not`? */
static inline bool is_plain(uint32_t word, uint32_t not)
{
    return !((word & not) | ((word + ONE_INTERFACE) & SOME_INTERFACES));
}

/* Four whole rows and nothing but conversions; false, and nothing done, else. */
static bool pack_whole_rows(TensixCore *c, const TensixInsn *i,
                            const TensixPackPlan *plan, const uint32_t *cfg,
                            const TensixAdc *adc)
{
    uint32_t at = plan->plain && is_plain(i->word, NOT_PLAIN)
                  ? find_group(c, i, plan, adc) : NO_GROUP;

    if (at == NO_GROUP) {
        return false;
    }
    if (!c->s.packer.open) {
        tensix_pack_open(c, i, plan, cfg, adc);
    }
    pack_group(c, i, plan, at);
    return true;
}

/* PACR, whatever it asks for. */
static __attribute__((noinline)) TensixResult pack(TensixCore *c,
                                                   const TensixInsn *i)
{
    uint32_t bank = tensix_cfg_bank(c, i->thread);
    TensixAdc *adc = &c->s.adc[adc_thread(i)][TENSIX_ADC_PACK];
    TensixPackPlan *plan = &c->derived.pack_plan[bank];
    const uint32_t *cfg = c->s.cfg[bank];

    if (plan->generation != c->derived.config[bank]) {
        tensix_pack_make_plan(c, bank);
    }
    if (!pack_whole_rows(c, i, plan, cfg, adc)) {
        pack_any(c, i, plan, cfg, adc);
    }
    if (OPERAND(i, PACR, Last) || OPERAND(i, PACR, Flush)) {
        tensix_pack_close(c, i);
    }
    advance_pack_adc(c->s.thread_cfg[i->thread], i, adc);
    if (i->word & TENSIX_RESERVED(PACR)) {
        tensix_report_reserved(c, i, i->word & TENSIX_RESERVED(PACR));
    }
    return TENSIX_DONE;
}

/*
 * PACR (BH PACR.md).  The common case is done here: streams are open, the plan
 * holds.  It ends in a tail call, and needs no stack frame.
 */
TensixResult tensix_exec_PACR(TensixCore *c, const TensixInsn *i)
{
    const uint16_t *thread_cfg = c->s.thread_cfg[i->thread];
    uint32_t bank = tensix_cfg_bank(c, i->thread), at;
    TensixAdc *adc = &c->s.adc[i->thread][TENSIX_ADC_PACK];
    const TensixPackPlan *plan = &c->derived.pack_plan[bank];

    /* pointers that the compiler would form again for each of their fields */
    __asm__("" : "+r"(plan), "+r"(adc), "+r"(thread_cfg));
    if (plan->generation != c->derived.config[bank] ||
        !(plan->plain & c->s.packer.open) ||
        !is_plain(i->word, NOT_GOING_ON | TENSIX_RESERVED(PACR))) {
        return pack(c, i);
    }
    at = find_group(c, i, plan, adc);
    if (at == NO_GROUP) {
        return pack(c, i);
    }
    advance_pack_adc(thread_cfg, i, adc);
    return OPERAND(i, PACR, Last) ? pack_last_group(c, i, plan, at)
                                  : pack_group(c, i, plan, at);
}
