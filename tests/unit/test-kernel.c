/*
 * The names that kernels use (include/blackhole-tile) mean what the coprocessor
 * takes them for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Modes of Vector Unit instructions are tried by examples/sfpu_words, by its
 * result.
 */

#include <string.h>

#include "blackhole-tile/kernel.h"
#include "blackhole-tile/tile.h"
#include "core-fixture.h"
#include "frontend/frontend.h"
#include "num/num.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CoreFixture f;
static const TensixOrigin trisc1 = { 0x5000, TENSIX_HART_TRISC1 };

static void test_formats(void)
{
    static const struct {
        const char *name;
        unsigned kernel, core;
    } rows[] = {
#define FORMAT(number, name, ...) { #name, FORMAT_##name, number },
#define NO_FORMAT(...)
#include "num/format_table.h.inc"
#undef FORMAT
#undef NO_FORMAT
    };

    for (unsigned n = 0; n < COUNT(rows); n++) {
        ok_eq(rows[n].kernel, rows[n].core, "FORMAT_%s", rows[n].name);
    }
}

static void test_datum_bytes(void)
{
    static const struct {
        uint8_t format, bytes;
    } rows[] = {
        { FORMAT_FP32, 4 }, { FORMAT_TF32, 4 }, { FORMAT_INT32, 4 },
        { FORMAT_BF16, 2 }, { FORMAT_FP16, 2 }, { FORMAT_INT16, 2 },
        { FORMAT_INT8, 1 }, { FORMAT_FP8, 1 }, { FORMAT_BFP8, 1 },
        { FORMAT_BFP4, 1 }, { FORMAT_BFP2, 1 },
    };

    for (unsigned n = 0; n < COUNT(rows); n++) {
        ok_eq(datum_bytes(rows[n].format), rows[n].bytes, "bytes of format %u",
              rows[n].format);
    }
}

/* --- waiting --- */

static void test_blocks(void)
{
    static const struct {
        const char *name;
        unsigned opcode, bits;
    } rows[] = {
#define ROW(mnemonic, bits) { #mnemonic, TENSIX_OP_##mnemonic, bits }
        ROW(SETADCXX, BLOCK_TDMA),
        ROW(SEMPOST, BLOCK_SYNC),
        ROW(PACR, BLOCK_TDMA | BLOCK_PACK),
        ROW(UNPACR, BLOCK_TDMA | BLOCK_UNPACK),
        ROW(XMOV, BLOCK_TDMA | BLOCK_MOVER),
        ROW(ADDDMAREG, BLOCK_TDMA | BLOCK_SCALAR),
        ROW(MVMUL, BLOCK_MATH),
        ROW(WRCFG, BLOCK_CONFIG),
        ROW(SFPMAD, BLOCK_SFPU),
        ROW(STALLWAIT, BLOCK_ALL),
#undef ROW
    };

    for (unsigned n = 0; n < COUNT(rows); n++) {
        ok_eq(tensix_insns[rows[n].opcode].block, rows[n].bits,
              "BLOCK_* of %s", rows[n].name);
    }
}

/* Which unit's work each condition waits for. */
static void test_unit_conditions(void)
{
    static const struct {
        unsigned port, bits;
    } rows[] = {
        { TENSIX_UNIT_THCON, UNTIL_SCALAR_DONE },
        { TENSIX_UNIT_UNPACK, UNTIL_UNPACKED_A },
        { TENSIX_PORT_UNPACK1, UNTIL_UNPACKED_B },
        { TENSIX_UNIT_PACK, UNTIL_PACKED },
        { TENSIX_UNIT_MATRIX, UNTIL_MATH_DONE },
        { TENSIX_UNIT_XMOV, UNTIL_MOVED },
        { TENSIX_UNIT_VECTOR, UNTIL_SFPU_DONE },
        { TENSIX_UNIT_CFG, UNTIL_CONFIG_DONE },
    };

    for (unsigned n = 0; n < COUNT(rows); n++) {
        fixture_init(&f);
        f.core.s.order.idle_at[1][rows[n].port] = 5;
        f.core.s.order.quiet_at[1] = 5;
        ok_eq(tensix_unit_conditions(&f.core, 1), rows[n].bits,
              "UNTIL_* of unit %u", rows[n].port);
    }
    ok_eq(UNTIL_UNPACKED, UNTIL_UNPACKED_A | UNTIL_UNPACKED_B,
          "UNTIL_UNPACKED is both");
}

static bool stalls(uint32_t condition)
{
    fixture_push(&f, 0, TT(STALLWAIT, .wait_res = condition,
                           .stall_res = BLOCK_ALL));
    fixture_push(&f, 0, TT(DMANOP));
    return !tensix_thread_idle(&f.core, 0);
}

/* Banks belong to the unpackers at first; SETDVALID gives one away. */
static void test_bank_conditions(void)
{
    static const struct {
        const char *name;
        unsigned condition, setvalid;
        bool at_first;
    } rows[] = {
        { "UNTIL_SRCA_VALID", UNTIL_SRCA_VALID, 1, true },
        { "UNTIL_SRCB_VALID", UNTIL_SRCB_VALID, 2, true },
    };

    for (unsigned n = 0; n < COUNT(rows); n++) {
        fixture_init(&f);
        ok(stalls(rows[n].condition), "%s waits", rows[n].name);
        fixture_push(&f, 2, TT(SETDVALID, .setvalid = rows[n].setvalid));
        ok(tensix_thread_idle(&f.core, 0), "%s ends", rows[n].name);
    }
    for (unsigned src = 0; src < 2; src++) {
        uint32_t condition = src ? UNTIL_SRCB_FREE : UNTIL_SRCA_FREE;

        fixture_init(&f);
        ok(!stalls(condition), "UNTIL_SRC%c_FREE passes", 'A' + src);
        fixture_push(&f, 2, TT(SETDVALID, .setvalid = 1 << src));
        fixture_push(&f, 2, TT(SETDVALID, .setvalid = 1 << src));
        ok(stalls(condition), "UNTIL_SRC%c_FREE waits", 'A' + src);
        fixture_push(&f, 1, TT(SETRWC, .clear_ab_vld = src ? RELEASE_SRCB
                                                          : RELEASE_SRCA));
        ok(tensix_thread_idle(&f.core, 0),
           "RELEASE_SRC%c gives a bank back", 'A' + src);
    }
}

static void test_semaphores(void)
{
    fixture_init(&f);
    fixture_push(&f, 1, TT(SEMINIT, .max_value = 1,
                           .sem_sel = SEM_MASK(SEM_MATH_PACK)));
    fixture_push(&f, 0, TT_SEM_WAIT(SEM_MATH_PACK, WHILE_ZERO));
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0), "WHILE_ZERO waits at 0");
    fixture_push(&f, 1, TT(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK)));
    ok(tensix_thread_idle(&f.core, 0), "WHILE_ZERO ends at 1");
    fixture_push(&f, 0, TT_SEM_WAIT(SEM_MATH_PACK, WHILE_FULL));
    fixture_push(&f, 0, TT(DMANOP));
    ok(!tensix_thread_idle(&f.core, 0), "WHILE_FULL waits at the maximum");
    fixture_push(&f, 1, TT(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK)));
    ok(tensix_thread_idle(&f.core, 0), "WHILE_FULL ends below");
}

/* --- counters --- */

static void test_adcs(void)
{
    static const uint8_t sets[] = { ADC_UNPACKER0, ADC_UNPACKER1, ADC_PACKER };

    for (unsigned set = 0; set < COUNT(sets); set++) {
        TensixAdcChannel *c = f.core.s.adc[1][set].channel;

        fixture_init(&f);
        fixture_exec(&f, 1, TT(SETADCXY, .CntSetMask = sets[set],
                               .BitMask = CH0_X | CH1_Y, .Ch0_X = 1,
                               .Ch0_Y = 2, .Ch1_X = 3, .Ch1_Y = 4));
        fixture_exec(&f, 1, TT(SETADCZW, .CntSetMask = sets[set],
                               .BitMask = CH0_W | CH1_Z, .Ch0_X = 1,
                               .Ch0_Y = 2, .Ch1_X = 3, .Ch1_Y = 4));
        ok(c[0].X == 1 && c[0].Y == 0 && c[1].X == 0 && c[1].Y == 4 &&
           c[0].Z == 0 && c[0].W == 2 && c[1].Z == 3 && c[1].W == 0,
           "ADC set %u and its counters", set);
        fixture_exec(&f, 1, TT(SETADCXY, .CntSetMask = sets[set],
                               .BitMask = CH_ALL));
        fixture_exec(&f, 1, TT(SETADCZW, .CntSetMask = sets[set],
                               .BitMask = CH_ALL));
        ok(!c[0].X && !c[1].Y && !c[0].W && !c[1].Z, "CH_ALL of set %u", set);
    }
}

static void seed_rwc(TensixRwc *rwc)
{
    *rwc = (TensixRwc){
        .SrcA = 5, .SrcA_Cr = 3, .SrcB = 7, .SrcB_Cr = 2,
        .Dst = 20, .Dst_Cr = 10, .FidelityPhase = 1,
    };
}

static void test_rwcs(void)
{
    TensixRwc *rwc = &f.core.s.rwc[1];

    fixture_init(&f);
    seed_rwc(rwc);
    fixture_exec(&f, 1, TT(SETRWC, .BitMask = RWC_SRCA | RWC_DEST));
    ok(rwc->SrcA == 0 && rwc->Dst == 0 && rwc->SrcB == 7 &&
       rwc->FidelityPhase == 1, "RWC_SRCA, RWC_DEST");
    seed_rwc(rwc);
    fixture_exec(&f, 1, TT(SETRWC, .BitMask = RWC_SRCB | RWC_FIDELITY));
    ok(rwc->SrcA == 5 && rwc->Dst == 20 && rwc->SrcB == 0 &&
       rwc->FidelityPhase == 0, "RWC_SRCB, RWC_FIDELITY");
}

/* What an address modifier makes of the counters that seed_rwc() sets. */
static void check_addr_mod(AddrMod m, TensixRwc want, const char *name)
{
    enum { NUMBER = 5 };
    TensixRwc *rwc = &f.core.s.rwc[1];

    fixture_init(&f);
    fixture_exec(&f, 1, TT(SETC16, .setc16_value = addr_mod_ab(m),
                           .setc16_reg = NUMBER +
                               THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX));
    fixture_exec(&f, 1, TT(SETC16, .setc16_value = addr_mod_dst(m),
                           .setc16_reg = NUMBER +
                               THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX));
    seed_rwc(rwc);
    fixture_exec(&f, 1, TT(ZEROACC, .addr_mode = NUMBER));
    ok(!memcmp(rwc, &want, sizeof(want)), "address modifier: %s", name);
}

#define ADDR_MOD_ROW(name, counters, ...) do { \
        TensixRwc want; \
        seed_rwc(&want); \
        counters; \
        check_addr_mod((AddrMod){ __VA_ARGS__ }, want, name); \
    } while (0)

static void test_addr_mods(void)
{
    ADDR_MOD_ROW("nothing", (void)0, .dest = { 0 });
    ADDR_MOD_ROW("srca.incr", want.SrcA = 9, .srca = { .incr = 4 });
    ADDR_MOD_ROW("srca.cr", want.SrcA = want.SrcA_Cr = 7,
                 .srca = { .incr = 4, .cr = 1 });
    ADDR_MOD_ROW("srca.clr", want.SrcA = want.SrcA_Cr = 0,
                 .srca = { .clr = 1 });
    ADDR_MOD_ROW("srcb.incr", want.SrcB = 15, .srcb = { .incr = 8 });
    ADDR_MOD_ROW("srcb.cr", want.SrcB = want.SrcB_Cr = 10,
                 .srcb = { .incr = 8, .cr = 1 });
    ADDR_MOD_ROW("srcb.clr", want.SrcB = want.SrcB_Cr = 0,
                 .srcb = { .clr = 1 });
    ADDR_MOD_ROW("dest.incr", want.Dst = 28, .dest = { .incr = 8 });
    ADDR_MOD_ROW("dest.cr", want.Dst = want.Dst_Cr = 18,
                 .dest = { .incr = 8, .cr = 1 });
    ADDR_MOD_ROW("dest.clr", want.Dst = want.Dst_Cr = 0, .dest = { .clr = 1 });
    ADDR_MOD_ROW("dest.c_to_cr", want.Dst = want.Dst_Cr = 28,
                 .dest = { .incr = 8, .c_to_cr = 1 });
    ADDR_MOD_ROW("fidelity.incr", want.FidelityPhase = 3,
                 .fidelity = { .incr = 2 });
    ADDR_MOD_ROW("fidelity.clr", want.FidelityPhase = 0,
                 .fidelity = { .clr = 1 });
}

/* The packer's modifiers by the words that WH ADCs.md gives. */
static void test_pack_addr_mods(void)
{
    ok_eq(addr_mod_pack((AddrModPack){ .y_src = { .incr = 4 } }), 4,
          "packer's modifier: y_src.incr");
    ok_eq(addr_mod_pack((AddrModPack){ .y_src = { .cr = 1, .clr = 1 } }), 0x30,
          "packer's modifier: y_src");
    ok_eq(addr_mod_pack((AddrModPack){ .y_dst = { .incr = 3, .cr = 1,
                                                  .clr = 1 } }), 0xcc0,
          "packer's modifier: y_dst");
    ok_eq(addr_mod_pack((AddrModPack){ .z_src = { .incr = 1, .clr = 1 } }),
          0x3000, "packer's modifier: z_src");
    ok_eq(addr_mod_pack((AddrModPack){ .z_dst = { .incr = 1, .clr = 1 } }),
          0xc000, "packer's modifier: z_dst");
    ok_eq(THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX, 37,
          "packer's modifier 0 is thread configuration 37");
}

/* --- MOP: an instruction with the number n in it --- */

#define WORD(n) TT(DMANOP) + (n)

static uint32_t seen[64];
static unsigned seen_count;

static void record(void *opaque, TensixTracePoint point, const TensixInsn *i)
{
    if (point == TENSIX_TRACE_EXECUTE && seen_count < COUNT(seen)) {
        seen[seen_count++] = i->word & 0xff;
    }
}

static void check_mop(const uint32_t words[MOP_WORDS], uint32_t mop,
                      const char *want, const char *name)
{
    char got[COUNT(seen) + 1] = "";

    fixture_init(&f);
    f.core.host.trace = record;
    fixture_trace(&f);
    seen_count = 0;
    for (unsigned i = 0; i < MOP_WORDS; i++) {
        fixture_mop_cfg(&f, 1, i, words[i]);
    }
    tensix_push_queued(&f.core, 1, mop, trisc1);
    tensix_run(&f.core, TENSIX_ENTRY_BUDGET);
    for (unsigned i = 0; i < seen_count; i++) {
        got[i] = seen[i];
    }
    ok_str(got, want, "%s", name);
}

static void check_loop(MopLoop loop, const char *want, const char *name)
{
    uint32_t words[MOP_WORDS];

    mop_loop_words(&loop, words);
    check_mop(words, TT(MOP, .mop_type = 1), want, name);
}

static void test_mop_loop(void)
{
    check_loop((MopLoop){ .outer = 1, .inner = 3, .op0 = WORD('a') }, "aaa",
               "MOP: one instruction");
    check_loop((MopLoop){ .outer = 2, .inner = 2, .op0 = WORD('a'),
                          .op1 = WORD('b') }, "abababab",
               "MOP: two instructions");
    check_loop((MopLoop){ .outer = 2, .inner = 2, .op0 = WORD('a'),
                          .last_of_all = WORD('z'),
                          .last_of_inner = WORD('i') }, "aiaz",
               "MOP: last ones");
    check_loop((MopLoop){ .outer = 2, .inner = 1, .op0 = WORD('a'),
                          .start = WORD('s'), .end0 = WORD('e'),
                          .end1 = WORD('f') }, "saefsaef",
               "MOP: start and end");
}

static void test_mop_mask(void)
{
    MopMask mask = {
        .has_b = true, .has_a123 = true, .b = WORD('b'), .a0 = WORD('0'),
        .a1 = WORD('1'), .a2 = WORD('2'), .a3 = WORD('3'),
        .skip_a = WORD('x'), .skip_b = WORD('y'),
    };
    uint32_t words[MOP_WORDS];

    mop_mask_words(&mask, words);
    check_mop(words, TT(MOP, .loop_count = 2, .zmask_lo16_or_loop_count = 2),
              "0123bxy0123b", "MOP: with a mask");
    mask.has_a123 = mask.has_b = false;
    mop_mask_words(&mask, words);
    check_mop(words, TT(MOP, .loop_count = 1), "00",
              "MOP: with a mask, one instruction");
}

/* --- modes --- */

static unsigned cleared_rows(uint32_t mode, uint32_t where)
{
    unsigned n = 0;

    fixture_init(&f);
    memset(f.core.s.dst_row_valid, 1, sizeof(f.core.s.dst_row_valid));
    fixture_exec(&f, 1, TT(ZEROACC, .clear_mode = mode, .where = where));
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        n += !f.core.s.dst_row_valid[row];
    }
    return n;
}

static void test_zeroacc(void)
{
    ok_eq(cleared_rows(ZEROACC_ROW, 3), 1, "ZEROACC_ROW");
    ok_eq(cleared_rows(ZEROACC_16_ROWS, 3), 16, "ZEROACC_16_ROWS");
    ok_eq(cleared_rows(ZEROACC_HALF, 1), DEST_HALF_ROWS, "ZEROACC_HALF");
    ok(f.core.s.dst_row_valid[DEST_HALF_ROWS - 1] &&
       !f.core.s.dst_row_valid[DEST_HALF_ROWS], "where = 1 is the second half");
    ok_eq(cleared_rows(ZEROACC_ALL, 0), TENSIX_DST_ROWS, "ZEROACC_ALL");
}

static void test_sfploadi(void)
{
    uint32_t bits = fp32_bits(-1.2345f);

    fixture_init(&f);
    fixture_exec(&f, 1, TT(SFPLOADI, .instr_mod0 = SFPLOADI_UPPER,
                           .imm16 = bits >> 16));
    fixture_exec(&f, 1, TT(SFPLOADI, .instr_mod0 = SFPLOADI_LOWER,
                           .imm16 = bits & 0xffff));
    ok_eq(bits, 0xbf9e0419, "fp32_bits()");
    ok_eq(f.core.s.vu.lreg[0][31], bits, "SFPLOADI_UPPER, SFPLOADI_LOWER");
    ok_eq(f.core.s.vu.lreg[LREG_ONE][0], fp32_bits(1.0f), "LREG_ONE");
    ok_eq(f.core.s.vu.lreg[LREG_ZERO][0], 0, "LREG_ZERO");
}

static void test_gpr_words(void)
{
    fixture_init(&f);
    fixture_exec(&f, 1, TT_SET_GPR_HALF(2 * 7, 0xfedcu));
    fixture_exec(&f, 1, TT_SET_GPR_HALF(2 * 7 + 1, 0x89abu));
    fixture_exec(&f, 1, TT_ADD_GPR(9, 7, 7));
    ok_eq(f.core.s.gpr[1][7], 0x89abfedc, "TT_SET_GPR_HALF");
    ok_eq(f.core.s.gpr[1][9], 0x89abfedc * 2u, "TT_ADD_GPR");
}

int main(void)
{
    test_formats();
    test_datum_bytes();
    test_blocks();
    test_unit_conditions();
    test_bank_conditions();
    test_semaphores();
    test_adcs();
    test_rwcs();
    test_addr_mods();
    test_pack_addr_mods();
    test_mop_loop();
    test_mop_mask();
    test_zeroacc();
    test_sfploadi();
    test_gpr_words();
    return done_testing();
}
