/*
 * Configuration of the coprocessor: fields by their names, address modifiers,
 * templates of the MOP expander.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of fields are those of tt-metal's cfg_defines.h without the ending;
 * config/cfg_table.h.inc and config/thread_cfg_table.h.inc list them.
 * (BH BackendConfiguration.md, WH RWCs.md, ADCs.md, MOPExpander.md)
 */

#ifndef BLACKHOLE_TILE_CONFIG_H
#define BLACKHOLE_TILE_CONFIG_H

/* CFG_<field>_WORD, its lowest bit _LOW and number of bits _WIDTH */
#define CFG(name, word, low, width) \
    CFG_##name##_WORD = (word), CFG_##name##_LOW = (low), \
    CFG_##name##_WIDTH = (width),
enum {
#include "config/cfg_table.h.inc"
};
#undef CFG

/* What FIELD() calls for a constant that the field cannot hold */
#define CFG(name, word, low, width) \
    void cfg_cut_##name(void) \
        __attribute__((error("field " #name " has " #width " bits")));
#include "config/cfg_table.h.inc"
#undef CFG

/* The same of the fields that each thread has for itself (SETC16) */
#define THREAD_CFG(name, index, low, width) \
    THREAD_CFG_##name##_INDEX = (index), THREAD_CFG_##name##_LOW = (low), \
    THREAD_CFG_##name##_WIDTH = (width),
enum {
#include "config/thread_cfg_table.h.inc"
};
#undef THREAD_CFG

#define THREAD_CFG(name, index, low, width) \
    void thread_cfg_cut_##name(void) \
        __attribute__((error("field " #name " has " #width " bits")));
#include "config/thread_cfg_table.h.inc"
#undef THREAD_CFG

#include "blackhole-tile/insn.h"
#include "blackhole-tile/map.h"

/*
 * A value at its field's place in the word:
 *
 *   CFG[CFG_x_WORD] = FIELD(x, 1) | FIELD(y_of_that_word, 2);
 *
 * A constant that the field cannot hold is an error; other values are checked
 * with BLACKHOLE_TILE_DEBUG.  FIELD() checks literal constants only: functions
 * that have a TileFormats keep their size for the compiler's inliner.
 */
#define FIELD(name, value) \
    FIELD_AT(#name, value, FIELD_CONSTANT(value), CFG_##name##_LOW, \
             CFG_##name##_WIDTH, cfg_cut_##name)
#define THREAD_FIELD(name, value) \
    FIELD_AT(#name, value, field_, THREAD_CFG_##name##_LOW, \
             THREAD_CFG_##name##_WIDTH, thread_cfg_cut_##name)
#define FIELD_AT(name, value, checked, low, width, error) \
    __extension__({ \
        uint32_t field_ = (uint32_t)(value); \
        TENSIX_CHECK("", name, checked, width, error, TENSIX_PLACE) \
        (field_ & (UINT32_MAX >> (32 - (width)))) << (low); \
    })
#ifdef BLACKHOLE_TILE_DEBUG
#define FIELD_CONSTANT(value) field_
#elif defined __cplusplus
#define FIELD_CONSTANT(value) (TENSIX_IS_CONSTANT(value) ? field_ : 0)
#else
#define FIELD_CONSTANT(value) \
    (uint32_t)__builtin_choose_expr(TENSIX_IS_CONSTANT(value), value, 0)
#endif

/* SETC16: a thread's own configuration word becomes the value of one field. */
#define TT_SET_THREAD_CFG(name, value) \
    TT(SETC16, .setc16_reg = THREAD_CFG_##name##_INDEX, \
       .setc16_value = THREAD_FIELD(name, value))

/* --- address modifiers --- */

/*
 * What is added to the RWCs after an instruction of the Matrix Unit or the
 * Vector Unit whose addr_mode is this modifier's number, 0 to 7.  incr is in
 * rows; with cr it is added to the counter's CR copy, and both become the sum;
 * clr makes both 0.  With c_to_cr incr is added to the counter, and CR becomes
 * the same.
 */
typedef struct AddrMod {
    struct {
        uint32_t incr, cr, clr;
    } srca, srcb;
    struct {
        uint32_t incr, cr, clr, c_to_cr;
    } dest;
    struct {
        uint32_t incr, clr;
    } fidelity, bias;
} AddrMod;

/* The three words of a modifier. */
static inline __attribute__((always_inline)) uint32_t addr_mod_ab(AddrMod m)
{
    return THREAD_FIELD(ADDR_MOD_AB_SEC0_SrcAIncr, m.srca.incr) |
           THREAD_FIELD(ADDR_MOD_AB_SEC0_SrcACR, m.srca.cr) |
           THREAD_FIELD(ADDR_MOD_AB_SEC0_SrcAClear, m.srca.clr) |
           THREAD_FIELD(ADDR_MOD_AB_SEC0_SrcBIncr, m.srcb.incr) |
           THREAD_FIELD(ADDR_MOD_AB_SEC0_SrcBCR, m.srcb.cr) |
           THREAD_FIELD(ADDR_MOD_AB_SEC0_SrcBClear, m.srcb.clr);
}

static inline __attribute__((always_inline)) uint32_t addr_mod_dst(AddrMod m)
{
    return THREAD_FIELD(ADDR_MOD_DST_SEC0_DestIncr, m.dest.incr) |
           THREAD_FIELD(ADDR_MOD_DST_SEC0_DestCR, m.dest.cr) |
           THREAD_FIELD(ADDR_MOD_DST_SEC0_DestClear, m.dest.clr) |
           THREAD_FIELD(ADDR_MOD_DST_SEC0_DestCToCR, m.dest.c_to_cr) |
           THREAD_FIELD(ADDR_MOD_DST_SEC0_FidelityIncr, m.fidelity.incr) |
           THREAD_FIELD(ADDR_MOD_DST_SEC0_FidelityClear, m.fidelity.clr);
}

static inline __attribute__((always_inline)) uint32_t addr_mod_bias(AddrMod m)
{
    return THREAD_FIELD(ADDR_MOD_BIAS_SEC0_BiasIncr, m.bias.incr) |
           THREAD_FIELD(ADDR_MOD_BIAS_SEC0_BiasClear, m.bias.clr);
}

/* The number of a modifier, of `count` that exist */
void addr_mod_none(void) __attribute__((error("no such address modifier")));
static inline __attribute__((always_inline))
uint32_t addr_mod_number(uint32_t number, uint32_t count)
{
    if (TENSIX_IS_CONSTANT(number) && number >= count) {
        addr_mod_none();
    }
    return number;
}

enum { ADDR_MODS = 8, ADDR_MODS_PACK = 4 };

/* SET_ADDR_MOD(0, .srca = { .incr = 8 }, .dest = { .incr = 8 }) */
#define SET_ADDR_MOD(number, ...) do { \
        TTINSN(SETC16, .setc16_value = addr_mod_ab((AddrMod){ __VA_ARGS__ }), \
               .setc16_reg = THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX + \
                             addr_mod_number(number, ADDR_MODS)); \
        TTINSN(SETC16, .setc16_value = addr_mod_dst((AddrMod){ __VA_ARGS__ }), \
               .setc16_reg = THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + \
                             addr_mod_number(number, ADDR_MODS)); \
        TTINSN(SETC16, \
               .setc16_value = addr_mod_bias((AddrMod){ __VA_ARGS__ }), \
               .setc16_reg = THREAD_CFG_ADDR_MOD_BIAS_SEC0_BiasIncr_INDEX + \
                             addr_mod_number(number, ADDR_MODS)); \
    } while (0)

/*
 * The packer's modifiers, 0 to 3 (AddrMode of PACR), change the ADCs of the
 * packer: channel 0 (src) says where it reads, channel 1 (dst) where to.
 */
typedef struct AddrModPack {
    struct {
        uint32_t incr, cr, clr;
    } y_src, y_dst;
    struct {
        uint32_t incr, clr;
    } z_src, z_dst;
} AddrModPack;

static inline __attribute__((always_inline))
uint32_t addr_mod_pack(AddrModPack m)
{
    return THREAD_FIELD(ADDR_MOD_PACK_SEC0_YsrcIncr, m.y_src.incr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_YsrcCR, m.y_src.cr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_YsrcClear, m.y_src.clr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_YdstIncr, m.y_dst.incr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_YdstCR, m.y_dst.cr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_YdstClear, m.y_dst.clr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_ZsrcIncr, m.z_src.incr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_ZsrcClear, m.z_src.clr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_ZdstIncr, m.z_dst.incr) |
           THREAD_FIELD(ADDR_MOD_PACK_SEC0_ZdstClear, m.z_dst.clr);
}

/* SET_ADDR_MOD_PACK(0, .y_src = { .incr = 4 }) */
#define SET_ADDR_MOD_PACK(number, ...) \
    TTINSN(SETC16, \
           .setc16_value = addr_mod_pack((AddrModPack){ __VA_ARGS__ }), \
           .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_SEC0_YsrcIncr_INDEX + \
                         addr_mod_number(number, ADDR_MODS_PACK))

/* --- the MOP expander --- */

/*
 * The double loop that MOP with mop_type 1 runs: `outer` times (0 to 127)
 *
 *   start; `inner` times (0 to 1023) op0 and, if there is one, op1; end0; end1
 *
 * The last of the inner instructions is last_of_inner instead, and in the last
 * outer round last_of_all.  An instruction that is 0 is left out; a last one
 * that is 0 is that which it replaces.  (LLK: ckernel_template)
 */
typedef struct MopLoop {
    uint32_t outer, inner;
    uint32_t start, end0, end1;
    uint32_t op0, op1;
    uint32_t last_of_all, last_of_inner;
} MopLoop;

/*
 * What MOP with mop_type 0 runs, loop_count + 1 times: a0, with `has_a123` also
 * a1, a2 and a3, with `has_b` also b; for each bit of its mask that is set
 * skip_a, with `has_b` also skip_b.  (LLK: ckernel_unpack_template)
 */
typedef struct MopMask {
    bool has_b, has_a123;
    uint32_t b, a0, a1, a2, a3;
    uint32_t skip_a, skip_b;
} MopMask;

enum { MOP_WORDS = 9, MOP_WIDTH_outer = 7, MOP_WIDTH_inner = 10 };

/* The words of MopCfg for a template. */
static inline void mop_loop_words(const MopLoop *m, uint32_t words[MOP_WORDS])
{
    uint32_t last = m->op1 ? m->op1 : m->op0;

    words[0] = m->outer;
    words[1] = m->inner;
    words[2] = m->start ? m->start : TT_NOP;
    words[3] = m->end0 ? m->end0 : TT_NOP;
    words[4] = m->end1 ? m->end1 : TT_NOP;
    words[5] = m->op0;
    words[6] = m->op1 ? m->op1 : TT_NOP;
    words[7] = m->last_of_all ? m->last_of_all : last;
    words[8] = m->last_of_inner ? m->last_of_inner : last;
}

static inline void mop_mask_words(const MopMask *m, uint32_t words[MOP_WORDS])
{
    words[0] = 0;
    words[1] = m->has_b | m->has_a123 << 1;
    words[2] = m->b;
    words[3] = m->a0;
    words[4] = m->a1;
    words[5] = m->a2;
    words[6] = m->a3;
    words[7] = m->skip_a;
    words[8] = m->skip_b;
}

/* For a TRISC: its MOP expander gets the words once it is idle. */
static inline void write_mop(const uint32_t words[MOP_WORDS])
{
    wait_mop_expander();
    for (unsigned i = 0; i < MOP_WORDS; i++) {
        MOP_CFG[i] = words[i];
    }
}

static inline void set_mop_loop(const MopLoop *m)
{
    uint32_t words[MOP_WORDS];

    mop_loop_words(m, words);
    write_mop(words);
}

static inline void set_mop_mask(const MopMask *m)
{
    uint32_t words[MOP_WORDS];

    mop_mask_words(m, words);
    write_mop(words);
}

/* What SET_MOP_LOOP() calls for a constant that the expander cannot hold */
void mop_loop_cut_outer(void)
    __attribute__((error("MopLoop.outer has 7 bits")));
void mop_loop_cut_inner(void)
    __attribute__((error("MopLoop.inner has 10 bits")));

/* SET_MOP_LOOP(.outer = 1, .inner = 8, .op0 = TT(...)); then RUN_MOP_LOOP(); */
#define SET_MOP_LOOP(...) do { \
        const MopLoop loop_ = { __VA_ARGS__ }; \
        MOP_COUNT_CHECK(outer) \
        MOP_COUNT_CHECK(inner) \
        set_mop_loop(&loop_); \
    } while (0)
#define MOP_COUNT_CHECK(name) \
    TENSIX_CHECK("MopLoop.", #name, loop_.name, MOP_WIDTH_##name, \
                 mop_loop_cut_##name, TENSIX_PLACE)
#define SET_MOP_MASK(...) set_mop_mask(&(MopMask){ __VA_ARGS__ })
#define RUN_MOP_LOOP() TTINSN(MOP, .mop_type = 1)

#endif
