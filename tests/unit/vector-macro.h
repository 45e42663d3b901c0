/*
 * Words of the vector unit, executed on one fixture: for the tests of
 * SFPLOADMACRO.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef VECTOR_MACRO_H
#define VECTOR_MACRO_H

#include "core-fixture.h"
#include "vector/vector.h"

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

extern CoreFixture f;

static inline TensixVectorUnit *vu(void)
{
    return &f.core.s.vu;
}

static inline void run(uint32_t word)
{
    fixture_exec(&f, THREAD, word);
}

static inline void nops(unsigned count)
{
    while (count--) {
        run(TT(SFPNOP));
    }
}

static inline void simple(unsigned opcode, unsigned imm, unsigned vc,
                          unsigned vd, unsigned mod)
{
    run(opcode << 24 | imm << 12 | vc << 8 | vd << 4 | mod);
}

#define SIMPLE(m, imm, vc, vd, mod) simple(TENSIX_OP_##m, imm, vc, vd, mod)

static inline void load(unsigned vd, unsigned mod0, unsigned addr_mod, unsigned address)
{
    run(TT(SFPLOAD, .lreg_ind = vd, .instr_mod0 = mod0, .sfpu_addr_mode = addr_mod,
           .dest_reg_addr = address));
}

static inline void store(unsigned vd, unsigned mod0, unsigned addr_mod, unsigned address)
{
    run(TT(SFPSTORE, .lreg_ind = vd, .instr_mod0 = mod0, .sfpu_addr_mode = addr_mod,
           .dest_reg_addr = address));
}

static inline void macro(unsigned number, unsigned vd, unsigned mod0, unsigned addr_mod,
                  unsigned address)
{
    run(TT(SFPLOADMACRO, .lreg_ind = number << 2 | (vd & 3), .instr_mod0 = mod0,
           .sfpu_addr_mode = addr_mod, .dest_reg_addr = address | vd >> 2));
}

static inline void mad(unsigned va, unsigned vb, unsigned vc, unsigned vd, unsigned mod)
{
    run(TT(SFPMAD, .lreg_src_a = va, .lreg_src_b = vb, .lreg_src_c = vc, .lreg_dest = vd,
           .instr_mod1 = mod));
}

static inline void round_to(unsigned vc, unsigned vd, unsigned mod)
{
    run(TT(SFP_STOCH_RND, .lreg_src_b = vc, .lreg_src_c = vc, .lreg_dest = vd,
           .instr_mod1 = mod));
}

static inline void load_imm(unsigned vd, uint32_t value)
{
    run(TT(SFPLOADI, .lreg_ind = vd, .instr_mod0 = 10, .imm16 = value & 0xffff));
    run(TT(SFPLOADI, .lreg_ind = vd, .instr_mod0 = 8, .imm16 = value >> 16));
}

static inline void configure(unsigned destination, uint32_t value)
{
    load_imm(0, value);
    run(TT(SFPCONFIG, .config_dest = destination));
}

static inline void sequence(unsigned number, uint32_t value)
{
    configure(4 + number, value);
}

/* Misc: Mod0 of stores, and that all delays count instructions. */
static inline void misc(unsigned store_mod0, unsigned uses_load_mod0)
{
    configure(8, 0xf00 | uses_load_mod0 << 4 | store_mod0);
}

/* Reset, random cells in Dest, all lanes enabled, then `setup`. */
void vector_prepare(TensixIsa isa, void (*setup)(void));

/* What the kernel of a column's maximum sets up; two macros. */
void column_max_setup(void);

/* A kernel in both forms, for the first VECTORS vectors of Dest. */
typedef struct VectorKernel {
    const char *name;
    void (*setup)(void);           /* templates, sequences, constants */
    void (*straight)(void);
    void (*scheduled)(void);
    unsigned reports;              /* violations that its templates are */
} VectorKernel;

/*
 * A result for each kernel of the list, of that build of the units: Dest is the
 * same after both forms, nothing is left under way, nothing was reported.
 */
void test_vector_kernel_list(const VectorKernel *list, unsigned count, TensixIsa isa);

/* Conversions, selection and columns; reciprocals, exponentials, products. */
void test_vector_kernels(TensixIsa isa);
void test_vector_arithmetic_kernels(TensixIsa isa);

#endif
