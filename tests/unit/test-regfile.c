/*
 * Register files: rows of Dst, counters and AddrMods, hand-over of Src banks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "regs/regfile.h"
#include "tap.h"

enum { ADDR_MOD_ROUNDS = 4000, CFG_ACCESS = 220 };

static CoreFixture f;

static unsigned bit(uint32_t x, int n)
{
    return x >> n & 1;
}

/* Remapping turns bits 3, 4, 5 of a row round: 3 to 5, 5 to 4, 4 to 3. */
static uint32_t remapped(uint32_t row, bool remap)
{
    if (!remap) {
        return row;
    }
    return row / 64 * 64 + bit(row, 3) * 32 + bit(row, 5) * 16 +
           bit(row, 4) * 8 + row % 8;
}

static uint32_t row32(uint32_t row, bool remap, bool swizzle)
{
    uint32_t r = remapped(row, remap);

    if (swizzle) {
        r = r / 16 * 16 + (bit(r, 4) ^ bit(r, 2)) * 8 + bit(r, 3) * 4 + r % 4;
    }
    /* eight rows of high halves, then eight of low halves */
    return (r & 0x200) | (r / 8 % 64 * 16 & 0x3ff) | r % 8;
}

static void test_rows(bool remap, bool swizzle)
{
    static uint8_t used16[1024], used32[1024];
    unsigned wrong = 0, distinct16 = 0, distinct32 = 0;

    memset(used16, 0, sizeof(used16));
    memset(used32, 0, sizeof(used32));
    f.core.s.cfg[0][CFG_ACCESS] = f.core.s.cfg[1][CFG_ACCESS] =
        swizzle | remap << 1;
    tensix_derived_invalidate(&f.core);
    for (uint32_t row = 0; row < 1024; row++) {
        uint32_t a = tensix_dst_adj16(&f.core, 1, row);
        uint32_t b = tensix_dst_adj32(&f.core, 1, row);

        wrong += a != remapped(row, remap) || b != row32(row, remap, swizzle);
        wrong += b + 8 > 1023;
        distinct16 += !used16[a & 1023]++;
        if (row < 512) {
            distinct32 += !used32[b & 1023]++;
            distinct32 += !used32[(b + 8) & 1023]++;
        }
    }
    ok_eq(wrong, 0, "rows with remap %d, swizzle %d", remap, swizzle);
    ok_eq(distinct16, 1024, "Dst16b: each row once, remap %d", remap);
    ok_eq(distinct32, 1024, "Dst32b: each half row once, remap %d, swizzle %d",
          remap, swizzle);
}

static void test_base(void)
{
    f.core.s.thread_cfg[2][0] = 1;               /* bank 1 */
    f.core.s.thread_cfg[2][1] = 0x7f0;           /* MATH_Offset */
    f.core.s.rwc[2].Dst = 0x215;
    f.core.s.cfg[0][6] = 0x111;
    f.core.s.cfg[1][6] = 0x102;                  /* DEST_REGW_BASE */
    tensix_derived_invalidate(&f.core);
    ok_eq(
        tensix_dst_base(&f.core, 2), (0x7f0 + 0x215 + 0x102) % 1024,
        "Dst base: offset + counter + base of the thread's bank, modulo 1024");
}

/* One counter of spec 002, 3.4. */
typedef struct Step {
    unsigned incr;
    bool cr, clear, to_cr;
} Step;

static void step_oracle(uint32_t *value, uint32_t *copy, Step s,
                        unsigned modulus)
{
    if (s.clear) {
        *value = 0;
        *copy = 0;
    } else if (s.to_cr) {
        *value = (*value + s.incr) % modulus;
        *copy = *value;
    } else if (s.cr) {
        *copy = (*copy + s.incr) % modulus;
        *value = *copy;
    } else {
        *value = (*value + s.incr) % modulus;
    }
}

static void random_rwc(TensixRwc *r)
{
    r->Dst = fixture_random(&f) % 1024;
    r->Dst_Cr = fixture_random(&f) % 1024;
    r->SrcA = fixture_random(&f) % 64;
    r->SrcA_Cr = fixture_random(&f) % 64;
    r->SrcB = fixture_random(&f) % 64;
    r->SrcB_Cr = fixture_random(&f) % 64;
    r->FidelityPhase = fixture_random(&f) % 4;
    r->ExtraAddrModBit = fixture_random(&f) % 2;
    r->Sp = fixture_random(&f) % 1024;
}

static TensixRwc addr_mod_oracle(TensixRwc r, const uint16_t *cfg, unsigned n,
                                 bool fidelity)
{
    unsigned ab = cfg[12 + n], dst = cfg[28 + n], bias = cfg[47 + n];
    Step a = { ab & 63, bit(ab, 6), bit(ab, 7), false };
    Step b = { ab >> 8 & 63, bit(ab, 14), bit(ab, 15), false };
    Step d = { dst & 1023, bit(dst, 10), bit(dst, 11), bit(dst, 12) };

    step_oracle(&r.SrcA, &r.SrcA_Cr, a, 64);
    step_oracle(&r.SrcB, &r.SrcB_Cr, b, 64);
    step_oracle(&r.Dst, &r.Dst_Cr, d, 1024);
    if (fidelity) {
        r.FidelityPhase =
            bit(dst, 15) ? 0 : (r.FidelityPhase + (dst >> 13 & 3)) % 4;
    }
    if (bias & 16) {
        r.ExtraAddrModBit = 0;
    } else if (bias & 3) {
        r.ExtraAddrModBit = !r.ExtraAddrModBit;
    }
    return r;
}

static void test_addr_mods(void)
{
    unsigned wrong[2] = { 0, 0 };

    for (unsigned n = 0; n < ADDR_MOD_ROUNDS; n++) {
        unsigned thread = n % TENSIX_THREADS;
        TensixRwc want;

        for (unsigned k = 0; k < TENSIX_THREAD_CFG_WORDS; k++) {
            f.core.s.thread_cfg[thread][k] = fixture_random(&f);
        }
        tensix_derived_invalidate(&f.core);
        random_rwc(&f.core.s.rwc[thread]);
        want = addr_mod_oracle(f.core.s.rwc[thread],
                               f.core.s.thread_cfg[thread], n % 8, n & 8);
        if (n & 8) {
            tensix_apply_addr_mod(&f.core, thread, n % 8);
        } else {
            tensix_apply_partial_addr_mod(&f.core, thread, n % 8);
        }
        wrong[!!(n & 8)] +=
            memcmp(&want, &f.core.s.rwc[thread], sizeof(want)) != 0;
    }
    ok_eq(wrong[1], 0, "eight AddrMods: all counters");
    ok_eq(wrong[0], 0,
          "eight AddrMods: fidelity phase stays in the partial form");
}

static void test_hand_over(unsigned src)
{
    TensixState *s = &f.core.s;
    unsigned thread = 1;
    TensixInsn i = { .thread = thread, .origin = { 0x2000, 3 } };

    s->thread_cfg[thread][0] = 1;
    s->thread_cfg[thread][5] = 2;                /* SRCA_SET_Base */
    s->thread_cfg[thread][6] = 3;                /* SRCB_SET_Base */
    s->cfg[1][72] = 5; /* THCON_SEC0_REG2_Out_data_format */
    s->cfg[1][120] = 9;
    f.core.signals.changed = 0;
    for (unsigned n = 0; n < 3; n++) {
        unsigned bank = s->unpack_bank[src];

        s->src_row[src][thread] = 7;
        s->src_format[src][bank] = 15;
        tensix_unpack_hand_over_bank(&f.core, &i, src);
        ok_eq(s->src_given[src][bank].pc, 0x2000, "Src %u: by whom", src);
        ok_eq(s->src_client[src][bank], TENSIX_CLIENT_MATRIX_UNIT,
              "Src %u: bank %u given", src, bank);
        ok_eq(s->unpack_bank[src], !bank, "Src %u: unpacker moves on", src);
        ok_eq(s->src_format[src][bank], src ? 9 : 5, "Src %u: implied format",
              src);
        ok_eq(s->src_row[src][thread], src ? 48 : 32, "Src %u: row cursor",
              src);
    }
    ok(f.core.signals.changed & TENSIX_CHANGED_BANK, "Src %u: wakes", src);
    for (unsigned n = 0; n < 4; n++) {
        unsigned bank = s->matrix_bank[src];

        s->src_client[src][bank] = TENSIX_CLIENT_MATRIX_UNIT;
        tensix_matrix_release_bank(&f.core, src, n & 1);
        ok_eq(s->src_client[src][bank], n & 1 ? 0 : 1, "Src %u: given back %u",
              src, n & 1);
        ok_eq(s->matrix_bank[src], !bank, "Src %u: Matrix Unit moves on", src);
    }
}

/* Bits 15 and 16 of the soft reset hold owners and pointers. */
static void test_held(unsigned src)
{
    TensixState *s = &f.core.s;
    unsigned unpack = s->unpack_bank[src], matrix = s->matrix_bank[src];
    uint32_t client[2] = { s->src_client[src][0], s->src_client[src][1] };
    TensixInsn i = { .thread = 0 };

    s->soft_reset = src ? 1 << 16 : 1 << 15;
    tensix_unpack_hand_over_bank(&f.core, &i, src);
    tensix_matrix_release_bank(&f.core, src, true);
    ok(s->unpack_bank[src] == unpack && s->matrix_bank[src] == matrix &&
           !memcmp(client, s->src_client[src], sizeof(client)),
       "Src %u: held by soft reset", src);
    s->soft_reset = 0;
}

static void test_fill(void)
{
    TensixState *s = &f.core.s;
    unsigned wrong = 0;

    memset(s->src, 0x11, sizeof(s->src));
    s->soft_reset = 1 << 20;                     /* SrcA columns 4..7 */
    tensix_src_fill(&f.core, TENSIX_SRCA, 1, 0x7ffff);
    s->soft_reset = 0;
    for (unsigned n = 0; n < 2 * 2 * 64 * 16; n++) {
        unsigned column = n % 16, bank = n / 1024 % 2, src = n / 2048;
        bool set = src == TENSIX_SRCA && bank == 1 && column / 4 != 1;

        wrong += s->src[src][bank][n / 16 % 64][column] !=
                 (set ? 0x7ffff : 0x11111111);
    }
    ok_eq(wrong, 0, "filling a bank, except columns in reset");
    s->soft_reset = 1 << 10;                     /* Matrix and Vector Unit */
    tensix_src_fill(&f.core, TENSIX_SRCA, 0, 0x7ffff);
    tensix_src_fill(&f.core, TENSIX_SRCB, 0, 0x7ffff);
    s->soft_reset = 0;
    ok(s->src[TENSIX_SRCA][0][5][5] == 0x11111111 &&
       s->src[TENSIX_SRCB][0][5][5] == 0x7ffff, "bit 10 holds all of SrcA");
}

/* DBG_FEATURE_DISABLE bit 11: Dst16b becomes the high half of Dst32b. */
static void test_dst16b_is_high_half(void)
{
    bool same = true, apart = true;

    fixture_init(&f);
    tensix_set_dst16b_is_high_half(&f.core, true);
    for (uint32_t row = 0; row < TENSIX_DST_ROWS; row++) {
        same = same && tensix_dst_adj16(&f.core, 0, row) ==
                       tensix_dst_adj32(&f.core, 0, row);
    }
    ok(same, "bit 11 set: Adj16 is Adj32");
    tensix_set_dst16b_is_high_half(&f.core, false);
    for (uint32_t row = 0; row < TENSIX_DST_ROWS; row++) {
        apart = apart && tensix_dst_adj16(&f.core, 0, row) == row;
    }
    ok(apart, "clear: the rows themselves again");
}

int main(void)
{
    fixture_init(&f);
    for (int n = 0; n < 4; n++) {
        test_rows(n & 1, n & 2);
    }
    test_base();
    test_addr_mods();
    fixture_init(&f);
    test_hand_over(TENSIX_SRCA);
    test_hand_over(TENSIX_SRCB);
    test_held(TENSIX_SRCA);
    test_held(TENSIX_SRCB);
    test_fill();
    test_dst16b_is_high_half();
    return done_testing();
}
