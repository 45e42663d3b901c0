/*
 * SFPLOADMACRO: kernels written with it give what the same work does one
 * instruction after the other; and its rules one by one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md.  The kernels do what tt-llk's conversions, reciprocals and
 * column maximum do on Blackhole, with the same schedules.
 */

#include <string.h>

#include "core-fixture.h"
#include "sfpu.h"
#include "tap.h"

enum { THREAD = 1, VECTORS = 16, TRIALS = 40 };

/* AddrMods: STAY moves nothing, NEXT goes to the next vector. */
enum { NEXT = 6, STAY = 7 };

/* Mod0 of loads and stores. */
enum { SRCB, FP16A, FP16B, FP32, INT32, INT8, UINT16, LO16 = 9, LO16_ONLY = 14 };

/* Constant registers. */
enum { ZERO = 9, ONE = 10, PROGRAM0 = 11, PROGRAM1 = 12, PROGRAM2 = 13 };

/* A sequence byte: what runs (3: store, 4..7: template), when, and how. */
#define SEQ(kind, delay, flags) ((flags) | (delay) << 3 | (kind))
enum { VD16 = 0x40, AS_VB = 0x80, STORE = 3, T0 = 4, T1, T2, T3 };
#define SEQUENCE(simple, mad, round, store) \
    ((uint32_t)(simple) | (uint32_t)(mad) << 8 | (uint32_t)(round) << 16 | \
     (uint32_t)(store) << 24)

static CoreFixture f;

static TensixVectorUnit *vu(void)
{
    return &f.core.s.vu;
}

static void run(uint32_t word)
{
    fixture_exec(&f, THREAD, word);
}

static void nops(unsigned count)
{
    while (count--) {
        run(TT(SFPNOP));
    }
}

static void simple(unsigned opcode, unsigned imm, unsigned vc, unsigned vd, unsigned mod)
{
    run(opcode << 24 | imm << 12 | vc << 8 | vd << 4 | mod);
}

#define SIMPLE(m, imm, vc, vd, mod) simple(TENSIX_OP_##m, imm, vc, vd, mod)

static void load(unsigned vd, unsigned mod0, unsigned addr_mod, unsigned address)
{
    run(TT(SFPLOAD, .lreg_ind = vd, .instr_mod0 = mod0, .sfpu_addr_mode = addr_mod,
           .dest_reg_addr = address));
}

static void store(unsigned vd, unsigned mod0, unsigned addr_mod, unsigned address)
{
    run(TT(SFPSTORE, .lreg_ind = vd, .instr_mod0 = mod0, .sfpu_addr_mode = addr_mod,
           .dest_reg_addr = address));
}

static void macro(unsigned number, unsigned vd, unsigned mod0, unsigned addr_mod,
                  unsigned address)
{
    run(TT(SFPLOADMACRO, .lreg_ind = number << 2 | (vd & 3), .instr_mod0 = mod0,
           .sfpu_addr_mode = addr_mod, .dest_reg_addr = address | vd >> 2));
}

static void mad(unsigned va, unsigned vb, unsigned vc, unsigned vd, unsigned mod)
{
    run(TT(SFPMAD, .lreg_src_a = va, .lreg_src_b = vb, .lreg_src_c = vc, .lreg_dest = vd,
           .instr_mod1 = mod));
}

static void round_to(unsigned vc, unsigned vd, unsigned mod)
{
    run(TT(SFP_STOCH_RND, .lreg_src_b = vc, .lreg_src_c = vc, .lreg_dest = vd,
           .instr_mod1 = mod));
}

static void load_imm(unsigned vd, uint32_t value)
{
    run(TT(SFPLOADI, .lreg_ind = vd, .instr_mod0 = 10, .imm16 = value & 0xffff));
    run(TT(SFPLOADI, .lreg_ind = vd, .instr_mod0 = 8, .imm16 = value >> 16));
}

static void configure(unsigned destination, uint32_t value)
{
    load_imm(0, value);
    run(TT(SFPCONFIG, .config_dest = destination));
}

static void sequence(unsigned number, uint32_t value)
{
    configure(4 + number, value);
}

/* Misc: Mod0 of stores, and that all delays count instructions. */
static void misc(unsigned store_mod0, unsigned uses_load_mod0)
{
    configure(8, 0xf00 | uses_load_mod0 << 4 | store_mod0);
}

/* --- kernels: a set-up, a straight-line body, a macro body --- */

typedef struct Kernel {
    const char *name;
    void (*setup)(void);           /* templates, sequences, constants */
    void (*straight)(void);        /* VECTORS vectors of Dest */
    void (*scheduled)(void);
} Kernel;

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
        load(0, INT32, STAY, 0);
        SIMPLE(SFPABS, 0, 0, 1, 0);
        SIMPLE(SFPCAST, 0, 1, 2, 0);
        SIMPLE(SFPSETSGN, 0, 2, 0, 0);
        run(TT(SFPENCC, .instr_mod1 = 2, .imm12_math = 1));
        SIMPLE(SFPSETCC, 0, 1, 0, 0);
        load_imm(0, 0xcf000000);
        run(TT(SFPENCC));
        round_to(0, 0, 1);
        store(0, SRCB, NEXT, 0);
    }
}

static void i32_to_bf16_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS; n++) {
        unsigned v = 2 + (n & 1);

        macro(0, v, INT32, NEXT, 0);
        SIMPLE(SFPABS, 0, v, 4, 0);
        run(TT(SFPSHFT2, .imm12_math = 4, .lreg_src_c = PROGRAM1, .lreg_dest = 7,
               .instr_mod1 = 5));
        SIMPLE(SFPCAST, 0, 4, 4, 0);
    }
    nops(5);
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

/*
 * Reciprocal corrected by one step of Newton's: x and t share a register, which
 * works only because a multiply-add's result comes two cycles after its start.
 */
enum { RECIP_X = 1, RECIP_T = 1, BACK = -4u & 0x3ff };

static void recip_setup(void)
{
    SIMPLE(SFPARECIP, 0, 0, 12, 0);
    mad(ZERO, ZERO, 0, 13, 8);     /* to LReg[LReg[7]] */
    mad(RECIP_X, 0, PROGRAM0, 14, 0);
    SIMPLE(SFPIADD, 0, RECIP_T, 15, 4);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), SEQ(T1, 0, 0), 0, SEQ(STORE, 0, AS_VB)));
    sequence(1, SEQUENCE(SEQ(T3, 5, AS_VB | VD16), SEQ(T2, 0, AS_VB | VD16), 0,
                         SEQ(STORE, 2, VD16)));
    sequence(2, SEQUENCE(0, 0, 0, SEQ(STORE, 1, VD16)));
    misc(SRCB, 0);
    load_imm(0, 0x80000000);
    load_imm(7, RECIP_X);
}

static void recip_straight(void)
{
    load_imm(2, 0x8000);
    for (unsigned n = 0; n < VECTORS; n++) {
        load(0, SRCB, STAY, 0);
        mad(ZERO, ZERO, 0, 1, 0);
        SIMPLE(SFPARECIP, 0, 0, 0, 0);
        SIMPLE(SFPOR, 0, 2, 0, 0);
        mad(1, 0, PROGRAM0, 1, 0);
        SIMPLE(SFPSHFT, -16u & 0xfff, 1, 1, 5);
        SIMPLE(SFPIADD, 0, 1, 0, 4);
        store(0, SRCB, NEXT, 0);
    }
}

/* Three loads for each vector; the third belongs to the vector before last. */
static void recip_scheduled(void)
{
    for (unsigned n = 0; n < VECTORS + 2; n++) {
        unsigned y = 3 + n % 3;

        if (n < VECTORS) {
            macro(0, y, SRCB, STAY, 0);
        } else {
            nops(1);
        }
        if (n >= 2) {
            macro(2, RECIP_T, LO16, n < VECTORS ? STAY : NEXT, BACK);
        } else {
            nops(1);
        }
        if (n < VECTORS) {
            macro(1, y, LO16_ONLY, NEXT, 0);
        } else {
            nops(1);
        }
    }
    nops(1);
}

/* Maxima of columns over rows; SFPSWAP's second half meets a load. */
enum { COLUMN_STEPS = 3 };

static void column_max_setup(void)
{
    SIMPLE(SFPSWAP, 0, 4, 12, 1);
    SIMPLE(SFPSWAP, 0, 5, 13, 1);
    sequence(0, SEQ(T0, 0, AS_VB));
    sequence(1, SEQ(T1, 0, AS_VB));
}

static void column_max_ends(void (*use)(unsigned, unsigned, unsigned, unsigned))
{
    static const unsigned address[] = { 0, 2, 16, 18 };

    for (unsigned n = 0; n < 4; n++) {
        use(4 + n, SRCB, STAY, address[n]);
    }
}

static void column_max_straight(void)
{
    static const unsigned address[] = { 0, 2, 16, 18 };

    column_max_ends(load);
    for (unsigned step = 0; step < COLUMN_STEPS; step++) {
        run(TT(INCRWC, .rwc_d = 4));
        for (unsigned n = 0; n < 4; n++) {
            load(0, SRCB, STAY, address[n]);
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
        macro(1, 1, SRCB, STAY, 2);
        load(0, SRCB, STAY, 16);
        load(1, SRCB, STAY, 18);
        SIMPLE(SFPSWAP, 0, 7, 1, 1);
        nops(1);
        SIMPLE(SFPSWAP, 0, 6, 0, 1);
        nops(1);
        macro(0, 0, SRCB, STAY, 0);
    }
    nops(2);
    column_max_ends(store);
}

#define KERNEL(name) { #name, name##_setup, name##_straight, name##_scheduled }

static const Kernel kernels[] = {
    KERNEL(u16_to_fp32), KERNEL(u16_to_bf16), KERNEL(fp32_to_u16), KERNEL(i32_to_u16),
    KERNEL(fp32_to_bf16), KERNEL(u32_to_fp32), KERNEL(i32_to_bf16), KERNEL(u32_to_u16),
    KERNEL(where), KERNEL(recip), KERNEL(column_max),
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

/* Random cells, among them zeroes, ones and small numbers. */
static uint16_t random_cell(void)
{
    static const uint16_t special[] =
        { 0, 0x8000, 0xffff, 0x7fff, 1, 0x00ff, 0x3f80, 0x0080 };
    uint32_t r = fixture_random(&f);

    return r % 4 ? r >> 16 : special[r >> 8 & 7];
}

static void prepare(const Kernel *k, TensixIsa isa)
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
    k->setup();
}

/* Runs both forms from the same state; compares Dest. */
static bool kernel_agrees(const Kernel *k, TensixIsa isa)
{
    TensixState start;
    uint16_t want[TENSIX_DST_ROWS][TENSIX_COLUMNS];

    prepare(k, isa);
    start = f.core.s;
    k->straight();
    memcpy(want, f.core.s.dst, sizeof(want));
    f.core.s = start;
    tensix_state_loaded(&f.core);
    k->scheduled();
    return !memcmp(want, f.core.s.dst, sizeof(want)) && !f.core.s.macro.active &&
           f.violation_count == 0;
}

static void test_kernels(TensixIsa isa)
{
    for (unsigned n = 0; n < KERNELS; n++) {
        unsigned bad = 0;

        for (unsigned trial = 0; trial < TRIALS; trial++) {
            bad += !kernel_agrees(&kernels[n], isa);
        }
        ok_eq(bad, 0, "SFPLOADMACRO kernel %s, %s", kernels[n].name,
              tensix_isa_names[isa]);
        if (bad && f.violation_count) {
            diag("%s", f.violation_text);
        }
    }
}

/* --- one rule after the other --- */

enum { BY_CYCLE = 0, BY_INSTRUCTION = 0xf00 };

/* Macro 0: SFPNOT of the loaded register into itself, after `delay`. */
static void prepare_not(unsigned delay, unsigned delay_kind)
{
    static const Kernel none = { .setup = column_max_setup };

    prepare(&none, f.core.isa);
    SIMPLE(SFPNOT, 0, 0, 12, 0);
    SIMPLE(SFPNOT, 0, 0, 13, 0);
    sequence(0, SEQ(T0, delay, 0));
    sequence(1, 0);
    configure(8, delay_kind);
    fixture_clear_violations(&f);
}

static uint32_t loaded(void)
{
    return (uint32_t)f.core.s.dst[0][0];
}

static bool inverted(unsigned reg)
{
    return vu()->lreg[reg][0] == ~loaded();
}

static void test_delay(unsigned delay_kind, const char *kind)
{
    for (unsigned delay = 0; delay < 8; delay++) {
        bool early;

        prepare_not(delay, delay_kind);
        macro(0, 1, UINT16, STAY, 0);
        nops(delay);
        early = inverted(1);
        nops(1);
        ok(!early && inverted(1) && !f.core.s.macro.active, "SFPLOADMACRO delay %u by %s",
           delay, kind);
    }
}

static void test_time(void)
{
    prepare_not(2, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    run(TT(DMANOP));
    run(TT(DMANOP));
    ok(!inverted(1), "SFPLOADMACRO by cycle: not before its time");
    run(TT(DMANOP));
    ok(inverted(1), "SFPLOADMACRO by cycle: other instructions of the thread count");

    prepare_not(2, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    for (unsigned n = 0; n < 8; n++) {
        fixture_exec(&f, THREAD + 1, TT(DMANOP));
    }
    ok(!inverted(1), "SFPLOADMACRO by cycle: other threads' do not");
    for (unsigned n = 0; n < 3; n++) {
        fixture_exec(&f, THREAD + 1, TT(SFPNOP));
    }
    ok(inverted(1), "SFPLOADMACRO by cycle: but their vector instructions do");

    prepare_not(2, BY_INSTRUCTION);
    macro(0, 1, UINT16, STAY, 0);
    for (unsigned n = 0; n < 8; n++) {
        run(TT(DMANOP));
    }
    ok(!inverted(1), "SFPLOADMACRO by instruction: other instructions do not count");
    nops(2);
    run(TT(DMANOP));
    ok(inverted(1), "SFPLOADMACRO by instruction: with none left, time is enough");
}

static void test_waits(void)
{
    uint32_t stall = TT(STALLWAIT, .stall_res = 1 << 8, .wait_res = 1 << 11);
    uint32_t value;

    prepare_not(5, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    tensix_aperture_read(&f.core, 0x20000 + 128, &value, 4);
    ok(!inverted(1) && value == ~loaded(),
       "SFPLOADMACRO: the aperture shows what will be");
    run(stall);
    ok(inverted(1), "SFPLOADMACRO: STALLWAIT lets it run");

    prepare_not(5, BY_INSTRUCTION);
    macro(0, 1, UINT16, STAY, 0);
    run(stall);
    ok(!inverted(1), "SFPLOADMACRO: STALLWAIT does not count as instructions");
}

static void test_forget(void)
{
    prepare_not(2, BY_CYCLE);
    sequence(1, SEQ(T0, 0, 0));
    macro(0, 1, UINT16, STAY, 0);
    load_imm(0, 0);
    load_imm(0, 0);
    ok(inverted(1), "SFPLOADMACRO: runs among other instructions");
    macro(1, 2, UINT16, STAY, 0);
    macro(1, 3, UINT16, STAY, 0);
    nops(2);
    ok(inverted(2) && inverted(3), "SFPLOADMACRO: one after the other");

    prepare_not(1, BY_CYCLE);
    sequence(1, SEQ(T0, 0, 0));
    macro(0, 1, UINT16, STAY, 0);
    macro(1, 2, UINT16, STAY, 0);
    nops(4);
    ok(!inverted(1) && inverted(2),
       "SFPLOADMACRO: what runs at the same time in the same sub-unit is forgotten");

    prepare_not(1, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    macro(1, 2, UINT16, STAY, 0);
    nops(4);
    ok(inverted(1), "SFPLOADMACRO: a byte of zero forgets nothing");

    prepare_not(2, BY_CYCLE);
    sequence(1, SEQ(0, 1, 0));
    macro(0, 1, UINT16, STAY, 0);
    macro(1, 2, UINT16, STAY, 0);
    nops(4);
    ok(!inverted(1), "SFPLOADMACRO: a delay without instruction forgets");
}

static void test_discard(void)
{
    prepare_not(0, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    vu()->lreg[2][0] = 5;
    SIMPLE(SFPMOV, 0, 2, 3, 0);
    ok(inverted(1) && vu()->lreg[3][0] != 5, "SFPLOADMACRO: beats an issued instruction");
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1, "SFPLOADMACRO: and says so");
    macro(0, 1, UINT16, STAY, 0);
    run(TT(SFPMUL, .lreg_src_a = ONE, .lreg_src_b = ONE, .lreg_src_c = ZERO,
           .lreg_dest = 3));
    ok(inverted(1) && vu()->lreg[3][0] == 0x3f800000,
       "SFPLOADMACRO: other sub-units take instructions");
}

static void test_kinds(void)
{
    prepare_not(0, BY_CYCLE);
    sequence(0, SEQ(1, 0, 0));
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1, "SFPLOADMACRO kind 1: undefined");

    prepare_not(0, BY_CYCLE);
    sequence(0, SEQUENCE(SEQ(2, 0, 0), SEQ(T0, 0, 0), SEQ(T0, 0, 0), 0));
    macro(0, 1, UINT16, STAY, 0);
    nops(2);
    ok(!inverted(1) && f.violation_count == 0,
       "SFPLOADMACRO: a template for another sub-unit is SFPNOP");

    prepare_not(0, BY_CYCLE);
    sequence(0, SEQUENCE(0, 0, 0, SEQ(T0, 0, 0)));
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SFPLOADMACRO: but undefined for the store sub-unit");

    prepare_not(0, BY_CYCLE);
    round_to(0, 14, 1);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, SEQ(T2, 0, 0), 0));
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SFPLOADMACRO: simple and round need one VD 16 between them");
}

static bool stored(unsigned row, uint32_t value)
{
    return f.core.s.dst[row][0] == (value & 0xffff);
}

static void test_store(void)
{
    prepare_not(0, BY_CYCLE);
    store(12, FP32, STAY, 40);     /* template 0, by the backdoor */
    configure(8, UINT16 | BY_CYCLE);
    sequence(0, SEQUENCE(0, 0, 0, SEQ(STORE, 2, 0)));
    sequence(1, SEQUENCE(0, 0, 0, SEQ(T0, 0, 0x80)));
    macro(0, 1, UINT16, NEXT, 4);
    vu()->lreg[1][0] = 0x1234;
    run(TT(INCRWC, .rwc_d = 8));
    nops(2);
    ok(stored(4, 0x1234), "SFPLOADMACRO store: Misc's Mod0, the address of the load");
    ok_eq(f.core.s.rwc[THREAD].Dst, 10, "SFPLOADMACRO store: leaves the counters alone");

    vu()->lreg[12][0] = 0xabcd;
    f.core.s.rwc[THREAD].Dst = 0;
    macro(1, 1, UINT16, STAY, 12);
    nops(1);
    ok(stored(12, 0xabcd), "SFPLOADMACRO store: the template's VD");

    configure(8, FP32 | 1 << 4);
    vu()->lreg[16][0] = 0x4321;
    sequence(0, SEQUENCE(0, 0, 0, SEQ(STORE, 0, VD16)));
    macro(0, 1, UINT16, STAY, 20);
    nops(1);
    ok(stored(20, 0x4321), "SFPLOADMACRO store: the load's Mod0, LReg 16");
}

/* A multiply-add's result and a swap's exchange come one cycle later. */
static void test_latency(void)
{
    prepare_not(0, BY_CYCLE);
    mad(ZERO, ZERO, 0, 12, 0);
    sequence(0, SEQUENCE(0, SEQ(T0, 0, 0), 0, 0));
    macro(0, 1, UINT16, STAY, 16);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        vu()->lreg[1][lane] = 0x00400000;         /* denormal: flushed by the MAD */
    }
    nops(1);
    ok_eq(vu()->lreg[1][5], 0x00400000, "SFPLOADMACRO: no MAD result in its own cycle");
    nops(1);
    ok_eq(vu()->lreg[1][5], 0, "SFPLOADMACRO: MAD result a cycle later");

    prepare_not(0, BY_CYCLE);
    SIMPLE(SFPSWAP, 0, 2, 12, 0);
    sequence(0, SEQ(T0, 0, AS_VB));
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    vu()->lreg[2][0] = 77;
    ok_eq(vu()->lreg[1][0], loaded(), "SFPLOADMACRO: SFPSWAP compares first");
    nops(1);
    ok(vu()->lreg[1][0] == 77 && vu()->lreg[2][0] == loaded(),
       "SFPLOADMACRO: and exchanges what is there a cycle later");
}

/* Operands: which of VB and VC is the loaded register, and VD. */
static void test_operands(void)
{
    prepare_not(0, BY_CYCLE);
    SIMPLE(SFPIADD, 0, 2, 12 | 3, 4 | 2);  /* template 3: VC - VB, VC 2, VD 15 */
    for (unsigned n = 0; n < 4; n++) {
        unsigned flags = (n & 1 ? AS_VB : 0) | (n & 2 ? VD16 : 0);
        uint32_t sub = 1000 + n, other;

        sequence(0, SEQ(T3, 0, flags));
        macro(0, 4, UINT16, STAY, 0);
        vu()->lreg[2][0] = sub;
        other = vu()->lreg[15][0];
        nops(1);
        ok_eq(vu()->lreg[n & 2 ? 16 : 4][0], n & 1 ? sub - loaded() : loaded() - other,
              "SFPLOADMACRO operands: %s, VD %s", n & 1 ? "VB" : "VC",
              n & 2 ? "16" : "loaded");
    }
}

static void test_lanes(void)
{
    prepare_not(0, BY_CYCLE);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane += 2) {
        vu()->load_macro.sequence[0][lane] = 0;
    }
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    ok(!inverted(1) && vu()->lreg[1][1] == ~(uint32_t)f.core.s.dst[0][2] &&
       f.violation_count == 0, "SFPLOADMACRO: lanes without a sequence stay out");
    vu()->load_macro.sequence[0][0] = SEQ(T1, 0, 0);
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1,
          "SFPLOADMACRO: different instructions in different lanes are reported");
}

/* A snapshot in the middle: the rest runs as if nothing had happened. */
static void test_snapshot(void)
{
    static TensixState saved;

    prepare_not(3, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    saved = f.core.s;
    ok(tensix_state_valid(&saved), "SFPLOADMACRO snapshot: valid");
    tensix_reset(&f.core);
    nops(5);
    ok(!f.core.s.macro.active, "SFPLOADMACRO reset: nothing left");
    f.core.s = saved;
    tensix_state_loaded(&f.core);
    nops(3);
    ok(inverted(1), "SFPLOADMACRO snapshot: goes on");
    saved.macro.slot[0][0].vd = 17;
    ok(!tensix_state_valid(&saved), "SFPLOADMACRO snapshot: indices are checked");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_isa_available(isa)) {
            test_kernels(isa);
        }
    }
    test_delay(BY_CYCLE, "cycle");
    test_delay(BY_INSTRUCTION, "instruction");
    test_time();
    test_waits();
    test_forget();
    test_discard();
    test_kinds();
    test_store();
    test_latency();
    test_operands();
    test_lanes();
    test_snapshot();
    return done_testing();
}
