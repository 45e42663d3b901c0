/*
 * The engines that reach L1, with operands at their limits: unpackers, packer,
 * mover, Scalar Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   fuzz-memory [SEED [ROUNDS]]
 *
 * L1 is a separate allocation, so that sanitizers see the first byte beside
 * it; the core may report whatever it likes.  Checked: writes stay in L1, each
 * engine changes only what is its own, the state stays valid, and no
 * instruction takes long.  A failing seed repeats itself.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/core-fixture.h"
#include "../unit/tap.h"
#include "config/config.h"

enum {
    DEFAULT_ROUNDS = 200,
    WORDS_A_ROUND = 60,
    L1_SIZE = 0x8000,
    SECTION = TENSIX_CFG_THCON_BASE, SECTION_WORDS = 48,
    SECONDS = 20,                  /* more than any instruction may take */
};

typedef struct Engine {
    const char *name;
    uint8_t opcode[8];             /* 0: no more */
} Engine;

static const Engine engines[] = {
    { "unpackers", { TENSIX_OP_UNPACR, TENSIX_OP_UNPACR, TENSIX_OP_UNPACR_NOP } },
    { "packer", { TENSIX_OP_PACR } },
    { "mover", { TENSIX_OP_XMOV } },
    { "Scalar Unit", { TENSIX_OP_LOADIND, TENSIX_OP_STOREIND,
                       TENSIX_OP_ATINCGET, TENSIX_OP_ATINCGETPTR,
                       TENSIX_OP_ATSWAP, TENSIX_OP_ATCAS, TENSIX_OP_LOADREG,
                       TENSIX_OP_STOREREG } },
};

static CoreFixture f;
static TensixState before;
static unsigned stray, foreign, invalid, reports, writes, useful;
static double longest;

static void l1_write(void *opaque, uint32_t offset, const void *data,
                     uint32_t size)
{
    uint8_t *l1 = opaque;

    if (offset > L1_SIZE || size > L1_SIZE - offset) {
        stray++;
    } else {
        memcpy(l1 + offset, data, size);
        writes++;
    }
}

static TensixResult mmio_write(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value)
{
    stray += address < 0xffb11000 || address > 0xffbffffc || address % 4;
    return value % 8 ? TENSIX_DONE : TENSIX_RETRY;
}

static TensixResult mmio_read(void *opaque, const TensixInsn *by,
                              uint32_t address, uint32_t *value)
{
    *value = address;
    return mmio_write(opaque, by, address, address >> 2);
}

static void violation(void *opaque, const TensixViolation *v)
{
    reports++;
}

static uint32_t pick(uint32_t n)
{
    return fixture_random(&f) % n;
}

/* Where things begin, end, wrap and change sign; now and then anything. */
static uint32_t edge(void)
{
    static const uint32_t edges[] = {
        0, 1, 2, 15, 16, 31, 63, 64, 255, 256, 1023, 1024,
        L1_SIZE / 16 - 2, L1_SIZE / 16 - 1, L1_SIZE / 16, L1_SIZE / 16 + 1,
        L1_SIZE - 1, L1_SIZE, 0xffff, 0x10000, 0x1ffff, 0x3ffff, 0xffffff,
        0xfffffff, 0x10000000, 0x7fffffff, 0x80000000, 0xffff0000, 0xfffffff0,
        0xffffffff,
    };

    return pick(4) ? edges[pick(sizeof(edges) / sizeof(edges[0]))]
                   : fixture_random(&f);
}

/* A word of two fields, each at a limit. */
static uint32_t edge_halves(void)
{
    return (edge() & 0xffff) | edge() << 16;
}

static void set_adcs(void)
{
    for (unsigned n = 0; n < TENSIX_THREADS * TENSIX_ADCS * 2; n++) {
        TensixAdcChannel *ch =
            &f.core.s.adc[n / (TENSIX_ADCS * 2)][n / 2 % TENSIX_ADCS].channel[n % 2];

        *ch = (TensixAdcChannel) {
            .X = edge() & 0x3ffff, .Y = edge() & 0x1fff, .Z = edge() & 0x1fff,
            .W = edge() & 0x1fff, .X_Cr = edge() & 0x3ffff,
            .Y_Cr = edge() & 0x1fff,
        };
        if (pick(2)) {             /* small enough to be of use */
            ch->X &= n / 2 % TENSIX_ADCS == TENSIX_ADC_PACK ? 15 : 0x3ff;
            ch->X |= n % 2 * 15;
            ch->Y &= 3;
            ch->Z &= 1;
            ch->W = 0;
        }
    }
}

/* Half of the rounds leave most at zero, so that not all is refused. */
static void set_config(void)
{
    uint32_t *cfg = f.core.s.cfg[0];
    bool sparse = pick(2);

    for (unsigned n = 0; n < TENSIX_CFG_GLOBAL_BASE; n++) {
        if (!sparse || pick(4) == 0) {
            cfg[n] = pick(2) ? edge_halves() : edge();
        }
    }
    for (unsigned s = 0; s < 2; s++) {
        uint32_t *section = cfg + SECTION + s * SECTION_WORDS, format = pick(16);

        section[0] = format | (edge() & 0xf0) | edge() << 16;
        section[8] = (section[8] & ~0xfu) | (pick(2) ? format : pick(16));
        for (unsigned n = 12; n < 20 && pick(4); n++) {
            section[n] = pick(L1_SIZE / 16 + 2);
        }
    }
    if (pick(4)) {
        cfg[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] = pick(L1_SIZE / 16 + 2);
    }
    memcpy(f.core.s.cfg[1], cfg, sizeof(f.core.s.cfg[1]));
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        for (unsigned n = 0; n < TENSIX_GPRS; n++) {
            f.core.s.gpr[t][n] = pick(2) ? edge() : pick(L1_SIZE / 16);
        }
    }
}

/* Makes equal in both what the engine may change. */
static void forgive(TensixState *a, TensixState *b, uint32_t opcode)
{
    memcpy(a->executed, b->executed, sizeof(a->executed));
    memcpy(a->thread, b->thread, sizeof(a->thread));
    memcpy(a->adc, b->adc, sizeof(a->adc));
    memcpy(a->src_given, b->src_given, sizeof(a->src_given));
    a->src_read = b->src_read;
    switch (opcode) {
    case TENSIX_OP_UNPACR:
        memcpy(a->dst, b->dst, sizeof(a->dst));
        memcpy(a->dst_row_valid, b->dst_row_valid, sizeof(a->dst_row_valid));
        memcpy(a->unpack_context, b->unpack_context, sizeof(a->unpack_context));
        /* fall through */
    case TENSIX_OP_STOREIND:
    case TENSIX_OP_UNPACR_NOP:
        memcpy(a->src, b->src, sizeof(a->src));
        memcpy(a->src_client, b->src_client, sizeof(a->src_client));
        memcpy(a->unpack_bank, b->unpack_bank, sizeof(a->unpack_bank));
        memcpy(a->src_format, b->src_format, sizeof(a->src_format));
        memcpy(a->src_row, b->src_row, sizeof(a->src_row));
        break;
    case TENSIX_OP_PACR:
        a->packer = b->packer;
        memcpy(a->vu.prng, b->vu.prng, sizeof(a->vu.prng));
        break;
    case TENSIX_OP_XMOV:
        memcpy(a->cfg, b->cfg, sizeof(a->cfg));
        memcpy(a->vu.prng, b->vu.prng, sizeof(a->vu.prng));
        break;
    }
    if (tensix_insns[opcode].unit == TENSIX_UNIT_THCON) {
        memcpy(a->gpr, b->gpr, sizeof(a->gpr));
    }
}

static void execute(const Engine *engine)
{
    uint32_t count = strnlen((const char *)engine->opcode,
                             sizeof(engine->opcode));
    uint32_t opcode = engine->opcode[pick(count)];
    uint32_t word = opcode << 24 | (fixture_random(&f) & 0xffffff);
    clock_t start = clock();

    reports = writes = 0;
    memset(f.core.s.src_client, 0, sizeof(f.core.s.src_client));
    before = f.core.s;
    if (opcode == TENSIX_OP_UNPACR && pick(8)) {
        word &= ~TT(UNPACR, .srcb_bcast = 1, .CfgContextCntInc = 1) |
                TT(UNPACR, 0);
    }
    fixture_exec(&f, pick(TENSIX_THREADS), word);
    longest = (double)(clock() - start) / CLOCKS_PER_SEC > longest
              ? (double)(clock() - start) / CLOCKS_PER_SEC : longest;
    useful += !reports || writes;
    forgive(&before, &f.core.s, opcode);
    foreign += memcmp(&before, &f.core.s, sizeof(before)) != 0;
    invalid += !tensix_state_valid(&f.core.s);
}

static void one_round(const Engine *engine, uint8_t *l1, uint64_t seed)
{
    fixture_init(&f);
    f.random_state = seed;
    f.core.host.l1 = l1;
    f.core.host.l1_size = L1_SIZE;
    f.core.host.l1_write = l1_write;
    f.core.host.mmio_read = mmio_read;
    f.core.host.mmio_write = mmio_write;
    f.core.host.violation = violation;
    f.core.host.opaque = l1;
    tensix_set_isa(&f.core, seed % TENSIX_ISAS);
    for (unsigned n = 0; n < L1_SIZE; n++) {
        l1[n] = fixture_random(&f);
    }
    for (unsigned n = 0; n < WORDS_A_ROUND; n++) {
        if (n % 4 == 0) {
            set_config();
        }
        set_adcs();
        execute(engine);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_ROUNDS;
    uint8_t *l1 = malloc(L1_SIZE);

    if (!l1) {
        return 1;
    }
    for (unsigned e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
        stray = foreign = invalid = useful = 0;
        longest = 0;
        for (uint64_t n = 0; n < rounds; n++) {
            one_round(&engines[e], l1, seed + n);
        }
        ok_eq(stray, 0, "%s: nothing written beside L1", engines[e].name);
        ok_eq(foreign, 0, "%s: nothing changed but its own", engines[e].name);
        ok_eq(invalid, 0, "%s: the state stays valid", engines[e].name);
        ok(useful >= rounds, "%s: not all of it was refused", engines[e].name);
        ok(longest < SECONDS, "%s: no instruction takes long", engines[e].name);
        diag("%u instructions wrote or had nothing to report; the longest: "
             "%.1f ms", useful, longest * 1e3);
    }
    free(l1);
    return done_testing();
}
