/*
 * UNPACR: contexts and addresses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md with its Blackhole parts, from the beginning up to the
 * main loop, and ADCs.md; what comes from configuration alone is in
 * unpack_plan.c.
 */

#include "unpack/unpack.h"
#include "config/config.h"

enum {
    CONTEXT_MASK = 7,
    UNPACKER1_CONTEXTS = 2,
};

static bool undefined(TensixUnpack *u, const char *what)
{
    tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR, "%s", what);
    return false;
}

/* --- contexts --- */

/*
 * ContextADC 0 is the own thread, as the bit-exact vectors have it (thread 0
 * on the page; the same thing for T0, which unpacks in all known software).
 */
static bool resolve_context(TensixUnpack *u)
{
    const TensixInsn *i = u->i;
    uint32_t offset;

    u->adc_thread = u->thread;
    if (!u->multi_context) {
        return true;
    }
    offset = u->unpacker
        ? THREAD_CFG_GET(u->c, u->thread, UNPACK_MISC_CFG_CfgContextOffset_1)
        : THREAD_CFG_GET(u->c, u->thread, UNPACK_MISC_CFG_CfgContextOffset_0);
    u->context = OPERAND(i, UNPACR, AutoIncContextID)
                 ? u->c->s.unpack_context[u->thread][u->unpacker]
                 : OPERAND(i, UNPACR, CfgContextId);
    u->context = (u->context + offset) & CONTEXT_MASK;
    if (OPERAND(i, UNPACR, AddrCntContextId)) {
        u->adc_thread = OPERAND(i, UNPACR, AddrCntContextId);
    }
    if (u->adc_thread >= TENSIX_THREADS) {
        return undefined(u, "ContextADC 3 does not exist");
    }
    if (u->unpacker == 1 && u->context >= UNPACKER1_CONTEXTS) {
        return undefined(u, "unpacker 1 has no contexts beyond 1");
    }
    return true;
}

/* --- the plan --- */

/* What decides beside the words of the bank: low bits of a plan's key. */
enum {
    KEY_MULTI_CONTEXT = 1 << 0,
    KEY_ABSOLUTE_ROWS = 1 << 1,
    KEY_CONTEXT_LOW = 2,
    KEY_GENERATION_LOW = 5,
};

/* The plan for the context; made anew if what it came from has changed. */
static const TensixUnpackPlan *find_plan(const TensixUnpack *u)
{
    TensixDerived *d = &u->c->derived;
    uint32_t bank = tensix_cfg_bank(u->c, u->thread);
    TensixUnpackPlan *plan =
        &d->unpack_plan[bank][u->unpacker][u->context % TENSIX_UNPACK_PLANS];
    uint64_t key =
        d->config[bank] << KEY_GENERATION_LOW | u->context << KEY_CONTEXT_LOW |
        (THREAD_CFG_GET(u->c, u->thread, SRCA_SET_SetOvrdWithAddr)
         ? KEY_ABSOLUTE_ROWS : 0) |
        (u->multi_context ? KEY_MULTI_CONTEXT : 0);

    if (plan->key != key) {
        tensix_unpack_make_plan(plan, u, key);
    }
    return plan;
}

/* Reports what is wrong with the plan; can it be executed all the same? */
static __attribute__((noinline)) bool report_problem(TensixUnpack *u)
{
    static const char *const texts[] = {
        [UNPACK_TILIZE_ENCODED] = "tilizing what is compressed or upsampled",
        [UNPACK_DST_REARRANGED] = "transposing or shifting columns into Dest",
        [UNPACK_DST_ABSOLUTE] =
            "unpacking to Dest with SRCA_SET_SetOvrdWithAddr",
    };
    const TensixUnpackPlan *p = u->plan;

    switch (p->problem) {
    case UNPACK_TRANSPOSE_IGNORED:
        tensix_violation(u->c, u->i, TENSIX_NON_CONTRACTUAL,
                         "unpacker 1 ignores that it shall transpose");
        return true;
    case UNPACK_TILIZE_NARROW:
        tensix_violation(u->c, u->i, TENSIX_UNPREDICTABLE_VALUE,
                         "how long rows of %u-bit datums are when tilizing is "
                         "not known: taken as 16 datums", p->datum_bits);
        return true;
    case UNPACK_NO_CONVERSION:
        tensix_violation(u->c, u->i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "%s in L1 cannot become %s in %s",
                         tensix_format_name(p->in_format),
                         tensix_format_name(p->out_format),
                         p->to_dst ? "Dest" : u->unpacker ? "SrcB" : "SrcA");
        return false;
    default:
        return undefined(u, texts[p->problem]);
    }
}

/* --- input --- */

/* Byte address after the tile's header. */
static uint32_t tile_address(const TensixUnpack *u)
{
    uint32_t base = SECTION_WORD(u, REG3_Base_address, u->context);
    uint32_t offset =
        SECTION_WORD(u, REG7_Offset_address, u->context & 3) & 0xffff;

    return (base + offset) * L1_UNIT + u->plan->header;
}

/* X counters: channel 0 the first datum, channel 1 the last one. */
static const TensixAdc *xy_adc(const TensixUnpack *u)
{
    return &u->c->s.adc[u->adc_thread][u->unpacker];
}

/* Bits of channel 0's Y, Z and W that the input address generator has. */
enum { INPUT_COUNTER_MASK = 0xff };

/* The plane that channel 0 of the own ADC's Z and W select. */
static uint32_t plane(const TensixUnpack *u)
{
    const TensixAdcChannel *zw =
        &u->c->s.adc[u->thread][u->unpacker].channel[0];

    return (zw->W & INPUT_COUNTER_MASK) * u->plan->z_dim +
           (zw->Z & INPUT_COUNTER_MASK);
}

/* Four bits where blob n of a row search starts, n 0..7. */
static uint32_t blob_start(const TensixUnpack *u, uint32_t n)
{
    uint32_t starts = tensix_unpack_descriptor(u, 2) >> 16 |
                      tensix_unpack_descriptor(u, 3) << 16;

    if (u->multi_context && u->unpacker == 0) {
        starts = u->context & 2
                 ? FIELD(u, 0, UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start)
                 : FIELD(u, 0, UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
    }
    return starts >> 4 * (n & 7) & 0xf;
}

static uint32_t blob_end(const TensixUnpack *u)
{
    uint32_t next = (xy_adc(u)->channel[0].X & 7) + 1;

    return next == u->plan->blobs_per_plane ? u->plan->x_dim & 0x1f0
                                            : blob_start(u, next) << 4;
}

static bool resolve_uncompressed_range(TensixUnpack *u)
{
    const TensixAdc *adc = xy_adc(u);
    uint32_t x = adc->channel[0].X;
    uint32_t y = adc->channel[0].Y & INPUT_COUNTER_MASK;
    uint32_t end = adc->channel[1].X + 1;

    if (OPERAND(u->i, UNPACR, RowSearch) && u->plan->blobs_per_plane) {
        x = blob_start(u, y) << 4;
        y = 0;
        end = blob_end(u);
    } else if (OPERAND(u->i, UNPACR, RowSearch)) {
        x = 0;
        end = adc->channel[1].X;
    }
    if (end < x) {
        return undefined(u, "the last datum is before the first one");
    }
    u->first_datum = (plane(u) * u->plan->y_dim + y) * u->plan->x_dim + x;
    u->count = end - x;
    u->produce = UINT64_MAX;
    return true;
}

/* Entry n of the row start indices, 16 bits each. */
static bool row_start(TensixUnpack *u, uint32_t table, uint32_t n, uint32_t *value)
{
    return tensix_unpack_read_l1(u, (int64_t)table + (int64_t)n * 2, 2, value);
}

static bool resolve_compressed_range(TensixUnpack *u, uint32_t table)
{
    const TensixUnpackPlan *p = u->plan;
    const TensixAdc *adc = xy_adc(u);
    bool search = OPERAND(u->i, UNPACR, RowSearch);
    uint32_t x = adc->channel[0].X;
    uint32_t y = adc->channel[0].Y & INPUT_COUNTER_MASK;
    uint32_t last = adc->channel[1].X;
    uint32_t rows = search && p->blobs_per_plane ? p->blobs_per_plane : p->y_dim;
    uint32_t row = plane(u) * rows, end;
    bool whole = search || (x == 0 && last == p->x_dim - 1);

    if (!row_start(u, table, row + y, &u->first_datum) ||
        (whole && !row_start(u, table, row + (search ? x & 0xff : y) + 1, &end))) {
        tensix_violation(u->c, u->i, TENSIX_BAD_ACCESS,
                         "row start indices beyond L1");
        return false;
    }
    u->count = UINT32_MAX;
    u->produce = UINT64_MAX;
    if (whole && end < u->first_datum) {
        return undefined(u, "a compressed row ends before it starts");
    } else if (whole) {
        u->count = end - u->first_datum;
    } else if (last + 1 < x) {
        return undefined(u, "the last datum is before the first one");
    } else {
        u->drop = x;
        u->produce = last + 1 - x;
    }
    return true;
}

/* Where the first datum, its exponent and its count of zeroes are. */
static void resolve_first_datum(TensixUnpack *u, uint32_t address)
{
    uint32_t bits = u->plan->datum_bits;
    uint32_t first = u->first_datum;

    u->exponents += first;
    u->data = (int64_t)address * 8;
    if (u->plan->compressed) {
        /* 32 datums and 32 counts of four bits take turns */
        u->data += (int64_t)(first / 32) * (32 * bits + 32 * 4);
        u->deltas = u->data + 32 * bits + first % 32 * 4;
        u->data += first % 32 * bits;
        u->deltas = tensix_unpack_wrap(u, u->deltas);
    } else {
        u->data += (int64_t)first * bits;
    }
    u->data = tensix_unpack_wrap(u, u->data);
    /* sixteenths of a byte to bits and back */
    if (u->exponents > u->plan->limit * 2) {
        u->exponents -= u->plan->fifo * 2;
    }
}

static bool resolve_input(TensixUnpack *u)
{
    uint32_t table = tile_address(u);
    uint32_t exponents = table + u->plan->row_starts;

    if (u->plan->own_exponents) {
        u->exponents = (int64_t)exponents * 16;
    }
    if (!(u->plan->compressed ? resolve_compressed_range(u, table)
                              : resolve_uncompressed_range(u))) {
        return false;
    }
    resolve_first_datum(u, exponents + u->plan->exponents);
    if ((u->plan->transpose || u->plan->tilize) && u->data % (L1_UNIT * 8)) {
        return undefined(u, "transposing or tilizing from an address that is "
                            "not a multiple of 16");
    }
    return true;
}

/* --- output --- */

/* The cell at which the context's output starts. */
static uint32_t context_out(const TensixUnpack *u)
{
    uint32_t n = u->context & 3;

    return tensix_unpack_halfword(
        SECTION_WORD(u, REG5_Dest_cntx0_address, n / 2), n);
}

static bool resolve_output(TensixUnpack *u)
{
    const TensixUnpackPlan *p = u->plan;
    const TensixAdcChannel *adc =
        &u->c->s.adc[u->thread][u->unpacker].channel[1];
    uint32_t bytes = p->out_base + adc->Y * p->y_stride +
                     adc->Z * p->z_stride + adc->W * p->w_stride;

    if (bytes & ((1u << p->out_shift) - 1)) {
        return undefined(u, "output address not aligned to a datum");
    }
    u->out = (p->context_out ? context_out(u) : 0) +
             (p->only_context_out ? 0 : bytes >> p->out_shift);
    return true;
}

bool tensix_unpack_resolve(TensixUnpack *u)
{
    if (!resolve_context(u)) {
        return false;
    }
    u->plan = find_plan(u);
    return (u->plan->problem == UNPACK_NO_PROBLEM || report_problem(u)) &&
           resolve_input(u) && resolve_output(u);
}
