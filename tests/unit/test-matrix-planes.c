/*
 * What the Matrix Unit keeps decoded of SrcA and SrcB: everything that writes
 * a bank, in random order with multiplications, on a core that keeps it and on
 * one that is made to discard it before every instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "regs/regfile.h"
#include "tap.h"
#include "config/config.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1,
    STEPS = 2000,
    MULTIPLICATIONS = 4,           /* after each writer */
    DATUMS = 256,                  /* of an UNPACR */
    SEC1 = 48,                     /* words from THCON_SEC0 to THCON_SEC1 */
    UNCOMPRESSED = 1 << 4,
    ONE_CONTEXT = 1,
    SKIPPED_ROWS = 4,              /* of unpacker 0's output */
    APERTURE_SRC = 0x10000,
    RESET_SRCA_COLUMNS0 = 1 << 19,
    RESET_SRCB = 1 << 16,
};

/* The second invalidates. */
static CoreFixture f[2];

static uint32_t below(uint32_t n)
{
    return fixture_random(&f[0]) % n;
}

static uint32_t random_cell(void)
{
    uint32_t e = below(8) ? 120 + below(16) : below(16) ? 0 : 160 + below(96);

    return below(2) << 18 | below(1024) << 8 | e;
}

/* As tensix_execute() has it; fixture_exec() would discard. */
static void execute(uint32_t word)
{
    TensixInsn insn = {
        .word = word, .thread = THREAD, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
    };

    tensix_derived_invalidate(&f[1].core);
    for (unsigned n = 0; n < 2; n++) {
        tensix_execute(&f[n].core, &insn);
    }
}

static void unpack(uint32_t unpacker)
{
    for (unsigned n = 0; n < 2; n++) {
        TensixState *s = &f[n].core.s;

        s->adc[THREAD][unpacker].channel[0].X = 0;
        s->adc[THREAD][unpacker].channel[1].X = DATUMS - 1;
    }
    execute(TT(UNPACR, .Unpack_block_selection = unpacker));
}

static void unpack_a(void)
{
    unpack(0);
}

static void unpack_b(void)
{
    unpack(1);
}

static void clear_by_unpacker(void)
{
    execute(TT(UNPACR_NOP, .Unpack_Pop = 1, .Stall_Clr_Cntrl = 1,
               .Src_ClrVal_Ctrl = below(2), .Unpacker_Select = below(2)));
}

static void zero(void)
{
    execute(TT(ZEROSRC, .src_mask = 1 + below(3), .write_mode = below(2),
               .bank_mask = below(2), .zero_val = below(2)));
}

static void d_to_a(void)
{
    execute(TT(MOVD2A, .instr_mod = below(2) << 1, .src = below(64),
               .dst = below(64)));
}

static void d_to_b(void)
{
    execute(TT(MOVD2B, .instr_mod = below(2) << 1, .src = below(64),
               .dst = below(64)));
}

static void b_to_a(void)
{
    execute(TT(MOVB2A, .instr_mod = below(2) << 1, .srca = below(64),
               .srcb = below(64)));
}

static void transpose(void)
{
    execute(TT(TRNSPSRCB));
}

static void shift_a(void)
{
    execute(TT(SHIFTXA, .shift_mode = 2 + below(2)));
}

static void shift_b(void)
{
    execute(TT(SHIFTXB, .shift_row = below(64), .rot_shift = below(2)));
}

static void store(void)
{
    uint32_t address = 16 + below(64), data[] = { random_cell(), random_cell() };

    for (unsigned n = 0; n < 2; n++) {
        f[n].core.s.gpr[THREAD][4] = address;
        memcpy(&f[n].core.s.gpr[THREAD][8], data, sizeof(data));
    }
    execute(TT(STOREIND, .AddrRegIndex = 4, .DataRegIndex = 8,
               .OffsetIndex = 20, .RegSizeSel = below(2)));
}

static void poke(void)
{
    uint32_t cell = random_cell();
    uint32_t at = APERTURE_SRC + below(2 * 2 * 64 * 16) * sizeof(cell);

    for (unsigned n = 0; n < 2; n++) {
        tensix_aperture_write(&f[n].core, at, &cell, sizeof(cell));
    }
}

static void reset(void)
{
    uint32_t bits = below(2) ? RESET_SRCB : RESET_SRCA_COLUMNS0 << below(4);

    for (unsigned n = 0; n < 2; n++) {
        tensix_soft_reset(&f[n].core, bits);
        tensix_soft_reset(&f[n].core, 0);
    }
}

static void load(void)
{
    uint32_t cell = random_cell(), n = below(2 * 2 * 64 * 16);

    for (unsigned core = 0; core < 2; core++) {
        (&f[core].core.s.src[0][0][0][0])[n] = cell;
        tensix_state_loaded(&f[core].core);
    }
}

typedef struct Writer {
    const char *name;
    void (*write)(void);
    bool unpackers;                /* they must own the bank */
} Writer;

static const Writer writers[] = {
    { "UNPACR to SrcA", unpack_a, true },
    { "UNPACR to SrcB", unpack_b, true },
    { "UNPACR_NOP", clear_by_unpacker, true },
    { "ZEROSRC", zero, false },
    { "MOVD2A", d_to_a, false },
    { "MOVD2B", d_to_b, false },
    { "MOVB2A", b_to_a, false },
    { "TRNSPSRCB", transpose, false },
    { "SHIFTXA", shift_a, false },
    { "SHIFTXB", shift_b, false },
    { "STOREIND", store, true },
    { "the aperture", poke, false },
    { "soft reset", reset, false },
    { "a loaded state", load, false },
};

enum { WRITERS = sizeof(writers) / sizeof(writers[0]) };

/* Banks, their owner and the operands' rows, the same for both cores. */
static void choose(TensixSrcClient client)
{
    uint32_t a = below(2), b = below(2), ua = below(2), ub = below(2);
    uint32_t row_a = below(3) * 8, row_b = below(3) ? below(2) * 8 : below(64);
    uint32_t phase = below(4), flush = below(4) != 0, wide = below(2);
    static const uint8_t formats[] = { TENSIX_FMT_BF16, TENSIX_FMT_TF32,
                                       TENSIX_FMT_FP16 };
    uint32_t format = below(3) ? TENSIX_FMT_BF16 : formats[below(3)];
    uint32_t int8 = below(8) == 0;

    for (unsigned n = 0; n < 2; n++) {
        TensixState *s = &f[n].core.s;

        s->matrix_bank[0] = a;
        s->matrix_bank[1] = b;
        s->unpack_bank[0] = ua;
        s->unpack_bank[1] = ub;
        for (unsigned bank = 0; bank < 4; bank++) {
            s->src_client[bank / 2][bank % 2] = client;
            s->src_format[bank / 2][bank % 2] = format;
        }
        s->rwc[THREAD] = (TensixRwc) { .Dst = row_a * 2, .SrcA = row_a,
                                       .SrcB = row_b, .FidelityPhase = phase };
        s->cfg[0][1] = wide << 29 | int8 << 31;
        s->cfg[0][2] = !flush;
        tensix_update_places(&f[n].core);
    }
}

/* Is anything of the bank kept decoded? */
static bool is_kept(const TensixDerived *d, unsigned src, unsigned bank)
{
    bool kept = false;

    for (unsigned block = 0; block < TENSIX_PLANES_B; block++) {
        kept |= d->planes.key[src][bank][block].generation == d->src[src][bank];
    }
    return kept;
}

/* Is any cell of a bank new that was kept decoded?  *kept: such were. */
static bool stale(const TensixState *before, const TensixDerived *derived,
                  bool *kept)
{
    const TensixCore *c = &f[0].core;
    bool bad = false;

    for (unsigned n = 0; n < 4; n++) {
        unsigned src = n / 2, bank = n % 2;

        if (memcmp(before->src[src][bank], c->s.src[src][bank],
                   sizeof(c->s.src[src][bank]))) {
            *kept |= is_kept(derived, src, bank);
            bad |= is_kept(&c->derived, src, bank);
        }
    }
    return bad;
}

static bool same_state(void)
{
    return !memcmp(f[0].core.s.src, f[1].core.s.src, sizeof(f[0].core.s.src)) &&
           !memcmp(f[0].core.s.dst, f[1].core.s.dst, sizeof(f[0].core.s.dst));
}

static void multiply(void)
{
    for (unsigned n = 0; n < MULTIPLICATIONS; n++) {
        choose(TENSIX_CLIENT_MATRIX_UNIT);
        execute(TT(MVMUL, .instr_mod19 = below(2)));
    }
}

static void set_up(CoreFixture *x)
{
    TensixState *s = &x->core.s;

    fixture_init(x);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        uint32_t *cfg = s->cfg[0] + unpacker * SEC1;

        cfg[CFG_THCON_SEC0_REG0_TileDescriptor_WORD] =
            TENSIX_FMT_BF16 | UNCOMPRESSED | DATUMS << 16;
        cfg[CFG_THCON_SEC0_REG0_TileDescriptor_WORD + 1] = ONE_CONTEXT;
        cfg[CFG_THCON_SEC0_REG2_Out_data_format_WORD] = TENSIX_FMT_BF16;
    }
    s->cfg[0][CFG_UNP0_ADDR_BASE_REG_1_Base_WORD] =
        SKIPPED_ROWS * TENSIX_COLUMNS * sizeof(uint16_t);
    tensix_state_loaded(&x->core);
}

static void new_numbers(void)
{
    for (unsigned n = 0; n < 4096; n++) {
        uint32_t x = random_cell();

        /* BF16 in L1 and in Dst around 1 */
        f[0].l1[n] = f[1].l1[n] = n % 2 ? 0x3f : x;
        f[0].core.s.dst[n / 16 % 64][n % 16] = (x & 0xff00) | (120 + x % 16);
    }
    memcpy(f[1].core.s.dst, f[0].core.s.dst, sizeof(f[0].core.s.dst));
}

int main(void)
{
    unsigned kept[WRITERS] = { 0 }, bad[WRITERS] = { 0 }, differ = 0;
    static TensixState before;
    static TensixDerived derived;

    set_up(&f[0]);
    set_up(&f[1]);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned w = below(WRITERS);
        bool was_kept = false;

        if (step % 16 == 0) {
            new_numbers();
        }
        multiply();
        choose(writers[w].unpackers ? TENSIX_CLIENT_UNPACKERS
                                    : TENSIX_CLIENT_MATRIX_UNIT);
        before = f[0].core.s;
        derived = f[0].core.derived;
        writers[w].write();
        bad[w] += stale(&before, &derived, &was_kept);
        kept[w] += was_kept;
        multiply();
        differ += !same_state();
    }
    for (unsigned w = 0; w < WRITERS; w++) {
        ok(kept[w] > 5 && !bad[w],
           "%s: %u banks written that were kept, %u not invalidated",
           writers[w].name, kept[w], bad[w]);
    }
    ok(!differ, "%u of %u steps differ from a core that keeps nothing", differ,
       STEPS);
    return done_testing();
}
