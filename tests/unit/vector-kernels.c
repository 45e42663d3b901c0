/*
 * Kernels written with SFPLOADMACRO give what the same work does one
 * instruction after the other: conversions, selection, columns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md.  The kernels do what tt-llk's conversions, `where`, and
 * column maximum and minimum do on Blackhole, with the same schedules.
 */

#include <string.h>

#include "vector-macro.h"
#include "tap.h"
#include "config/config.h"

static void u16_to_fp32_setup(void)
{
    SIMPLE(SFPCAST, 0, 0, 12, 0);
    sequence(0, SEQUENCE(SEQ(T0, 0, VD16), 0, 0, SEQ(STORE, 1, VD16)));
    misc(FP32, 0);
}

static void u16_to_fp32_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, 0);
        SIMPLE(SFPCAST, 0, 0, 0, 0);
        store(0, FP32, NEXT, 0);
    }
}

/* One macro a cycle, always into the same register. */
static void u16_to_fp32_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 0, UINT16, NEXT, 0);
    }
    nops(2);
}

static void u16_to_bf16_setup(void)
{
    SIMPLE(SFPCAST, 0, 0, 12, 0);
    round_to(0, 13, 1);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, SEQ(T1, 1, VD16), SEQ(STORE, 2, VD16)));
    misc(SRCB, 0);
}

static void u16_to_bf16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, 0);
        SIMPLE(SFPCAST, 0, 0, 0, 0);
        round_to(0, 0, 1);
        store(0, SRCB, NEXT, 0);
    }
}

static void u16_to_bf16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, n & 1, UINT16, NEXT, 0);
    }
    nops(3);
}

static void fp32_to_u16_setup(void)
{
    SIMPLE(SFPSWAP, 0, ZERO, 12, 15);
    round_to(0, 13, 6);
    sequence(0, SEQUENCE(SEQ(T0, 0, AS_VB), 0, SEQ(T1, 2, VD16), SEQ(STORE, 3, VD16)));
    misc(UINT16, 0);
}

static void fp32_to_u16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, FP32, STAY, 0);
        SIMPLE(SFPSWAP, 0, ZERO, 0, 9);
        round_to(0, 0, 6);
        store(0, UINT16, NEXT, 0);
    }
}

static void fp32_to_u16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, n & 1, FP32, NEXT, 0);
        nops(1);
    }
    nops(3);
}

static void i32_to_u16_setup(void)
{
    SIMPLE(SFPSWAP, 0, ZERO, 12, 15);
    round_to(0, 13, 6);
    sequence(0, SEQUENCE(SEQ(T0, 1, AS_VB), 0, SEQ(T1, 3, VD16), SEQ(STORE, 4, VD16)));
    misc(UINT16, 0);
}

static void i32_to_u16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, INT32, STAY, 0);
        SIMPLE(SFPCAST, 0, 0, 0, 0);
        SIMPLE(SFPSWAP, 0, ZERO, 0, 9);
        round_to(0, 0, 6);
        store(0, UINT16, NEXT, 0);
    }
}

static void i32_to_u16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, n & 1, INT32, NEXT, 0);
        SIMPLE(SFPCAST, 0, n & 1, n & 1, 0);
        nops(1);
    }
    nops(3);
}

/* Rounds to nearest even: + 0x7fff + bit 16, and two stores to one place. */
static void fp32_to_bf16_setup(void)
{
    configure(PROGRAM1, 1);
    configure(PROGRAM2, 0x7fff);
    run(TT(SFPSHFT2, .imm12_math = -16u & 0xfff, .lreg_dest = 12, .instr_mod1 = 6));
    SIMPLE(SFPIADD, 0, PROGRAM2, 13, 4);
    SIMPLE(SFPIADD, 0, 2, 14, 4);
    sequence(0, SEQUENCE(SEQ(T2, 3, AS_VB | VD16), 0, SEQ(T0, 0, AS_VB),
                         SEQ(STORE, 3, 0)));
    sequence(1, SEQUENCE(SEQ(T1, 1, AS_VB), 0, 0, SEQ(STORE, 3, VD16)));
    misc(FP16B, 1);
}

static void fp32_to_bf16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(1, FP32, STAY, 0);
        SIMPLE(SFPSHFT, -16u & 0xfff, 1, 0, 5);
        SIMPLE(SFPAND, 0, PROGRAM1, 0, 0);
        store(0, FP32, STAY, 0);
        SIMPLE(SFPIADD, 0, PROGRAM2, 1, 4);
        SIMPLE(SFPIADD, 0, 0, 1, 4);
        store(1, FP16B, NEXT, 0);
    }
}

static void fp32_to_bf16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, n & 1, FP32, STAY, 0);
        macro(1, 2, FP32, NEXT, 0);
        SIMPLE(SFPAND, 0, PROGRAM1, n & 1, 0);
    }
    nops(3);
}

/* The sign bit chooses between two addends through SFPMAD's indirect VA. */
static void u32_to_fp32_setup(void)
{
    configure(PROGRAM1, -31u);
    SIMPLE(SFPSETSGN, 0, 0, 12, 1);
    SIMPLE(SFPCAST, 0, 2, 13, 0);
    run(TT(SFPSHFT2, .lreg_src_c = PROGRAM1, .lreg_dest = 14, .instr_mod1 = 5));
    mad(0, ONE, 0, 15, 4);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, 0, 0));
    sequence(1, SEQUENCE(SEQ(T1, 0, AS_VB), SEQ(T3, 2, VD16), 0, 0));
    sequence(2, SEQUENCE(0, 0, SEQ(T2, 0, AS_VB), SEQ(STORE, 3, VD16)));
    misc(FP32, 0);
    load_imm(0, 0);
    load_imm(1, 0x4f000000);       /* 2^31 */
}

static void u32_to_fp32_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(2, INT32, STAY, 0);
        SIMPLE(SFPSETSGN, 0, 2, 3, 1);
        SIMPLE(SFPCAST, 0, 3, 3, 0);
        run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
        SIMPLE(SFPSETCC, 0, 2, 0, 0);
        run(TT(SFPADDI, .imm16_math = 0x4f00, .lreg_dest = 3));
        run(TT(SFPENCC));
        store(3, FP32, NEXT, 0);
    }
}

static void u32_to_fp32_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 2, INT32, STAY, 0);
        macro(1, 3, INT32, STAY, 0);
        macro(2, 7, INT32, NEXT, 0);
    }
    nops(4);
}

/* INT32 to FP32 in LReg 0, the most negative number alone. */
static void i32_lanes(void)
{
    load(0, INT32, STAY, 0);
    SIMPLE(SFPABS, 0, 0, 1, 0);
    SIMPLE(SFPCAST, 0, 1, 2, 0);
    SIMPLE(SFPSETSGN, 0, 2, 0, 0);
    run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
    SIMPLE(SFPSETCC, 0, 1, 0, 0);
    load_imm(0, 0xcf000000);
    run(TT(SFPENCC));
}

/* What both conversions from INT32 issue; their macros differ. */
static void i32_issue(unsigned drain)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        unsigned v = 2 + (n & 1);

        macro(0, v, INT32, NEXT, 0);
        SIMPLE(SFPABS, 0, v, 4, 0);
        run(TT(SFPSHFT2, .imm12_math = 4, .lreg_src_c = PROGRAM1, .lreg_dest = 7,
               .instr_mod1 = 5));
        SIMPLE(SFPCAST, 0, 4, 4, 0);
    }
    nops(drain);
}

/* Delays up to 7, and ordinary instructions between them. */
static void i32_to_bf16_setup(void)
{
    configure(PROGRAM1, -31u);
    SIMPLE(SFPSETSGN, 0, 4, 12, 0);
    mad(0, ONE, 0, 13, 4);
    round_to(0, 14, 1);
    sequence(0, SEQUENCE(SEQ(T0, 3, AS_VB), SEQ(T1, 4, 0), SEQ(T2, 6, VD16),
                         SEQ(STORE, 7, VD16)));
    misc(SRCB, 0);
    load_imm(0, 0);
    load_imm(1, 0xcf000000);       /* -2^31 */
}

static void i32_to_bf16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        i32_lanes();
        round_to(0, 0, 1);
        store(0, SRCB, NEXT, 0);
    }
}

static void i32_to_bf16_scheduled(void)
{
    i32_issue(5);
}

static void i32_to_fp32_setup(void)
{
    configure(PROGRAM1, -31u);
    SIMPLE(SFPSETSGN, 0, 4, 12, 0);
    mad(0, ONE, 0, 13, 4);
    sequence(0, SEQUENCE(SEQ(T0, 3, AS_VB), SEQ(T1, 4, VD16), 0, SEQ(STORE, 6, VD16)));
    misc(FP32, 0);
    load_imm(0, 0);
    load_imm(1, 0xcf000000);       /* -2^31 */
}

static void i32_to_fp32_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        i32_lanes();
        store(0, FP32, NEXT, 0);
    }
}

static void i32_to_fp32_scheduled(void)
{
    i32_issue(4);
}

/* What is issued changes the register that macros have scheduled uses of. */
static void u32_to_bf16_setup(void)
{
    configure(PROGRAM1, -31u);
    SIMPLE(SFPCAST, 0, 0, 12, 0);
    mad(0, ONE, 0, 13, 4);
    round_to(0, 14, 1);
    sequence(0, SEQUENCE(SEQ(T0, 2, 0), SEQ(T1, 3, 0), SEQ(T2, 5, VD16),
                         SEQ(STORE, 6, VD16)));
    misc(SRCB, 0);
    load_imm(0, 0);
    load_imm(1, 0x4f000000);       /* 2^31 */
}

static void u32_to_bf16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(2, INT32, STAY, 0);
        SIMPLE(SFPSETSGN, 0, 2, 3, 1);
        SIMPLE(SFPCAST, 0, 3, 3, 0);
        run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
        SIMPLE(SFPSETCC, 0, 2, 0, 0);
        run(TT(SFPADDI, .imm16_math = 0x4f00, .lreg_dest = 3));
        run(TT(SFPENCC));
        round_to(3, 3, 1);
        store(3, SRCB, NEXT, 0);
    }
}

static void u32_to_bf16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        unsigned v = 2 + (n & 1);

        macro(0, v, INT32, NEXT, 0);
        run(TT(SFPSHFT2, .imm12_math = v, .lreg_src_c = PROGRAM1, .lreg_dest = 7,
               .instr_mod1 = 5));
        SIMPLE(SFPSETSGN, 0, v, v, 1);
    }
    nops(5);
}

/* A store and nothing else, one a cycle. */
static void u16_to_u32_setup(void)
{
    sequence(0, SEQUENCE(0, 0, 0, SEQ(STORE, 0, 0)));
    misc(INT32, 0);
}

static void u16_to_u32_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, 0);
        store(0, INT32, NEXT, 0);
    }
}

static void u16_to_u32_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 0, UINT16, NEXT, 0);
    }
    nops(1);
}

/* Comparison in one macro, its use in the next one: -1 where above zero. */
static void u32_to_u16_setup(void)
{
    SIMPLE(SFPGT, 0, ZERO, 12, 8);
    SIMPLE(SFPOR, 0, 0, 13, 0);
    sequence(0, SEQUENCE(SEQ(T0, 0, AS_VB), 0, 0, 0));
    sequence(1, SEQUENCE(SEQ(T1, 0, AS_VB), 0, 0, SEQ(STORE, 1, 0)));
    misc(UINT16, 0);
}

static void u32_to_u16_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, UINT16, STAY, 0);
        SIMPLE(SFPGT, 0, ZERO, 0, 8);
        load(1, INT32, STAY, 0);
        SIMPLE(SFPOR, 0, 0, 1, 0);
        store(1, UINT16, NEXT, 0);
    }
}

static void u32_to_u16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 0, UINT16, STAY, 0);
        macro(1, 1, INT32, NEXT, 0);
    }
    nops(2);
}

/* Loads predicated by what was scheduled for the cycle before them. */
static void where_setup(void)
{
    SIMPLE(SFPSETCC, 0, 0, 12, 6);
    run(TT(SFPENCC, .lreg_dest = 13));
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, 0, SEQ(STORE, 2, 0)));
    sequence(2, SEQUENCE(SEQ(T1, 0, 0), 0, 0, 0));
    misc(0, 7);
    run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
}

static void where_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, SRCB, STAY, 0);
        load(1, SRCB, STAY, 64);
        SIMPLE(SFPSETCC, 0, 0, 0, 6);
        load(1, SRCB, STAY, 128);
        run(TT(SFPENCC));
        store(1, SRCB, NEXT, 0);
    }
}

static void where_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(0, 0, SRCB, STAY, 0);
        macro(2, 0, SRCB, STAY, 64);
        load(0, SRCB, NEXT, 128);
    }
    nops(3);
}

/* The same with its result elsewhere: the store is issued, not scheduled. */
static void where_apart_setup(void)
{
    SIMPLE(SFPSETCC, 0, 0, 12, 6);
    run(TT(SFPENCC, .lreg_dest = 13));
    sequence(1, SEQ(T0, 0, 0));
    sequence(2, SEQ(T1, 0, 0));
    misc(0, 7);
    run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
}

static void where_apart_straight(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, INT32, STAY, 0);
        load(1, INT32, STAY, 64);
        SIMPLE(SFPSETCC, 0, 0, 0, 6);
        load(1, INT32, STAY, 128);
        run(TT(SFPENCC));
        store(1, INT32, NEXT, 192);
    }
}

static void where_apart_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        macro(1, 0, INT32, STAY, 0);
        macro(2, 0, INT32, STAY, 64);
        load(0, INT32, STAY, 128);
        store(0, INT32, NEXT, 192);
    }
}

/* Maxima of columns over rows; SFPSWAP's second half meets a load. */
enum { COLUMN_STEPS = 3, LANE_CONFIG = 15, EXCHANGE_SRCB_SRCC = 1 << 8 };

static unsigned column_mod0;

void column_max_setup(void)
{
    column_mod0 = SRCB;
    SIMPLE(SFPSWAP, 0, 4, 12, 1);
    SIMPLE(SFPSWAP, 0, 5, 13, 1);
    sequence(0, SEQ(T0, 0, AS_VB));
    sequence(1, SEQ(T1, 0, AS_VB));
}

static void column_max_ends(void (*use)(unsigned, unsigned, unsigned, unsigned))
{
    static const unsigned address[] = { 0, 2, 16, 18 };

    for (unsigned n = 0; n < 4; n++) {
        use(4 + n, column_mod0, STAY, address[n]);
    }
}

static void column_max_straight(void)
{
    static const unsigned address[] = { 0, 2, 16, 18 };

    column_max_ends(load);
    for (unsigned step = 0; step < COLUMN_STEPS; step++) {
        run(TT(INCRWC, .rwc_d = 4));
        for (unsigned n = 0; n < 4; n++) {
            load(0, column_mod0, STAY, address[n]);
            SIMPLE(SFPSWAP, 0, 4 + n, 0, 1);
        }
    }
    column_max_ends(store);
}

static void column_max_scheduled(void)
{
    column_max_ends(load);
    for (unsigned step = 0; step < COLUMN_STEPS; step++) {
        run(TT(INCRWC, .rwc_d = 4));
        macro(1, 1, column_mod0, STAY, 2);
        load(0, column_mod0, STAY, 16);
        load(1, column_mod0, STAY, 18);
        SIMPLE(SFPSWAP, 0, 7, 1, 1);
        nops(1);
        SIMPLE(SFPSWAP, 0, 6, 0, 1);
        nops(1);
        macro(0, 0, column_mod0, STAY, 0);
    }
    nops(2);
    column_max_ends(store);
}

/* Minima: the comparison is turned round by configuration. */
static void column_min_setup(void)
{
    column_max_setup();
    configure(LANE_CONFIG, EXCHANGE_SRCB_SRCC);
}

static void column_max_u16_setup(void)
{
    column_max_setup();
    column_mod0 = UINT16;
}

static void column_min_fp32_setup(void)
{
    column_min_setup();
    column_mod0 = FP32;
}

#define COLUMN_KERNEL(name) \
    { #name, name##_setup, column_max_straight, column_max_scheduled }
#define KERNEL(name, ...) \
    { #name, name##_setup, name##_straight, name##_scheduled, __VA_ARGS__ }

static const VectorKernel kernels[] = {
    KERNEL(u16_to_fp32), KERNEL(u16_to_bf16), KERNEL(u16_to_u32),
    /* SFPSWAP's mode 15, as in LLK */
    KERNEL(fp32_to_u16, .reports = 1), KERNEL(i32_to_u16, .reports = 1),
    KERNEL(fp32_to_bf16), KERNEL(i32_to_fp32), KERNEL(i32_to_bf16),
    KERNEL(u32_to_fp32), KERNEL(u32_to_bf16), KERNEL(u32_to_u16),
    KERNEL(where), KERNEL(where_apart),
    COLUMN_KERNEL(column_max), COLUMN_KERNEL(column_min),
    COLUMN_KERNEL(column_max_u16), COLUMN_KERNEL(column_min_fp32),
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

/* Random cells, among them zeroes, ones and small numbers. */
static uint16_t random_cell(void)
{
    static const uint16_t special[] = {
        0, 0x8000, 0xffff, 0x7fff, 1, 0x00ff, 0x3f80, 0x0080
    };
    uint32_t r = fixture_random(&f);

    return r % 4 ? r >> 16 : special[r >> 8 & 7];
}

void vector_prepare(TensixIsa isa, void (*setup)(void))
{
    fixture_clear_violations(&f);
    memset(&f.core.s, 0, sizeof(f.core.s));
    tensix_reset(&f.core);
    tensix_set_isa(&f.core, isa);
    for (unsigned row = 0; row < 256; row++) {
        for (unsigned column = 0; column < TENSIX_COLUMNS; column++) {
            f.core.s.dst[row][column] = random_cell();
        }
    }
    run(TT(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_DST_SEC6_DestIncr_INDEX,
           .setc16_value = 2));
    run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
    setup();
}

/* Runs both forms from the same state; compares Dest. */
static bool kernel_agrees(const VectorKernel *k, TensixIsa isa)
{
    TensixState start;
    uint16_t want[TENSIX_DST_ROWS][TENSIX_COLUMNS];

    vector_prepare(isa, k->setup);
    start = f.core.s;
    k->straight();
    memcpy(want, f.core.s.dst, sizeof(want));
    f.core.s = start;
    tensix_state_loaded(&f.core);
    k->scheduled();
    return !memcmp(want, f.core.s.dst, sizeof(want)) && !f.core.s.macro.active &&
           f.violation_count == k->reports;
}

void test_vector_kernel_list(const VectorKernel *list, unsigned count, TensixIsa isa)
{
    for (unsigned n = 0; n < count; n++) {
        unsigned bad = 0;

        for (unsigned trial = 0; trial < TRIALS; trial++) {
            bad += !kernel_agrees(&list[n], isa);
        }
        ok_eq(bad, 0, "SFPLOADMACRO kernel %s, %s", list[n].name, tensix_isa_names[isa]);
        if (bad && f.violation_count) {
            diag("%s", f.violation_text);
        }
    }
}

void test_vector_kernels(TensixIsa isa)
{
    test_vector_kernel_list(kernels, KERNELS, isa);
}
