/*
 * A vector instruction does the same whichever way it is executed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ways: as the plain instruction that its function is built for once more;
 * with a LaneConfig, which is not plain, but here has no effect; among cycles of
 * SFPLOADMACRO; and scheduled by SFPLOADMACRO.  Each instruction meets random
 * operands, numbers, flags and counters.
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "unused-modes.h"
#include "config/config.h"
#include "vector/vector_decode.h"

enum {
    THREAD = 1,
    TRIALS = 150,
    OPCODES = 256,
    OPERAND_BITS = 24,
    VD_LOW = 4, VC_LOW = 8,        /* of instructions with Mod1 */
    VD_LOW_MOD0 = 20,              /* of those with Mod0 */
    LREG_MASK = 15,
    LREGS = 8,                     /* that an instruction may write */
    LOADED = 5,
    SWAPPED = 3,                   /* the other register of SFPSWAP */
    STAY = 7,                      /* AddrMod that moves nothing */
    ADDRESS = 16,
    LANE_CONFIG = 15,              /* SFPCONFIG's VD, SFPMOV's special VC */
    MOV_FROM_SPECIAL = 8,
    DISABLE_BACKDOOR_LOAD = 2,     /* no effect on a VD below 12 */
    KIND_STORE = 3,
    KIND_TEMPLATE0 = 4,
    SEQ_BITS = 8,
    FORMATS = 16,
};

/* What an execution leaves. */
typedef struct Result {
    TensixVectorUnit vu;
    TensixRwc rwc;
    unsigned violations;
    uint16_t dst[TENSIX_DST_ROWS][TENSIX_COLUMNS];
    uint8_t valid[TENSIX_DST_ROWS];
} Result;

static CoreFixture f;
static TensixState begin;
static Result expected, got;

static uint32_t random_number(void)
{
    static const uint32_t some[] = {
        0, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 1,
        0x00400000, 0xffffffff, 0x7fffffff, 0x40000000,
    };
    uint32_t r = fixture_random(&f);

    switch (r & 3) {
    case 0:
        return some[(r >> 2) % (sizeof(some) / sizeof(some[0]))];
    case 1:
        return (fixture_random(&f) & 0x83ffffff) | 0x3c000000;
    default:
        return fixture_random(&f);
    }
}

static void random_vu(TensixVectorUnit *vu)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        for (unsigned lreg = 0; lreg < LREGS; lreg++) {
            vu->lreg[lreg][lane] = random_number();
        }
        vu->prng[lane] = fixture_random(&f);
    }
    vu->lane_flags = fixture_random(&f);
    vu->use_lane_flags = fixture_random(&f) & 1 ? 0 : fixture_random(&f);
    vu->flag_stack_depth = fixture_random(&f) % (TENSIX_FLAG_STACK_DEPTH + 1);
    for (unsigned n = 0; n < TENSIX_FLAG_STACK_DEPTH; n++) {
        vu->flag_stack[n].lane_flags = fixture_random(&f);
        vu->flag_stack[n].use_lane_flags = fixture_random(&f);
    }
}

/* `begin`: Dest, registers and counters at random, no LaneConfig. */
static void random_state(TensixIsa isa)
{
    uint64_t random_state = f.random_state;
    TensixState *s = &f.core.s;

    tensix_set_isa(&f.core, isa);
    tensix_reset(&f.core);
    f.random_state = random_state;
    random_vu(&s->vu);
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        s->dst_row_valid[row] = fixture_random(&f) % 64 > 0;
        for (unsigned k = 0; k < TENSIX_COLUMNS; k++) {
            s->dst[row][k] = fixture_random(&f);
        }
    }
    s->rwc[THREAD].Dst = fixture_random(&f) % TENSIX_DST_ROWS;
    s->rwc[THREAD].Sp = fixture_random(&f) % 4;
    for (unsigned n = 0; n < STAY; n++) {
        s->thread_cfg[THREAD][THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + n] =
            fixture_random(&f) & 0x3f;
    }
    begin = *s;
}

static void run(uint32_t word)
{
    fixture_exec(&f, THREAD, word);
}

static void start(void)
{
    f.core.s = begin;
    fixture_clear_violations(&f);
}

static void finish(Result *r)
{
    memset(r, 0, sizeof(*r));
    r->vu = f.core.s.vu;
    memset(r->vu.lane_config, 0, sizeof(r->vu.lane_config));
    tensix_vector_summarise(&r->vu);
    r->rwc = f.core.s.rwc[THREAD];
    r->violations = f.violation_count;
    memcpy(r->dst, f.core.s.dst, sizeof(r->dst));
    memcpy(r->valid, f.core.s.dst_row_valid, sizeof(r->valid));
}

static bool has_mod0(uint32_t opcode)
{
    return opcode <= TENSIX_OP_SFPLUT || opcode == TENSIX_OP_SFPLOADMACRO;
}

static uint32_t with_lreg(uint32_t word, unsigned low, uint32_t lreg)
{
    return (word & ~((uint32_t)LREG_MASK << low)) | lreg << low;
}

/* Random operands, but for a VD that can be written. */
static uint32_t random_word(uint32_t opcode)
{
    uint32_t word = opcode << OPERAND_BITS |
                    (fixture_random(&f) & ((1u << OPERAND_BITS) - 1));

    return with_lreg(word, has_mod0(opcode) ? VD_LOW_MOD0 : VD_LOW,
                     fixture_random(&f) % LREGS);
}

/* Does the instruction show what LaneConfig is? */
static bool sees_lane_config(uint32_t word)
{
    return word >> OPERAND_BITS == TENSIX_OP_SFPMOV && word & MOV_FROM_SPECIAL &&
           (word >> VC_LOW & LREG_MASK) == LANE_CONFIG;
}

static void by_lane_config(uint32_t word)
{
    start();
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        f.core.s.vu.lane_config[lane] = DISABLE_BACKDOOR_LOAD;
    }
    run(word);
    finish(&got);
}

/* Something is under way in the Store sub-unit, far from its time. */
static void among_cycles(uint32_t word)
{
    start();
    f.core.s.macro.slot[3][7] = (TensixScheduled) {
        .lanes = 1, .word = TT(SFPSTORE), .by_instruction = 1,
    };
    f.core.s.macro.active = 1;
    run(word);
    finish(&got);
}

static bool is_same(void)
{
    return !memcmp(&got, &expected, sizeof(got));
}

static void test_issued(uint32_t opcode, TensixIsa isa)
{
    const char *name = tensix_insns[opcode].mnemonic;
    unsigned not_plain = 0, busy = 0;

    for (unsigned n = 0; n < TRIALS; n++) {
        uint32_t word = random_word(opcode);

        random_state(isa);
        start();
        run(word);
        finish(&expected);
        if (!sees_lane_config(word)) {
            by_lane_config(word);
            not_plain += !is_same();
        }
        /* one that schedules leaves what it schedules under way */
        if (opcode != TENSIX_OP_SFPLOADMACRO) {
            among_cycles(word);
            busy += !is_same();
        }
    }
    ok_eq(not_plain, 0, "%s by %s: with a LaneConfig as without", name,
          tensix_isa_names[isa]);
    ok_eq(busy, 0, "%s by %s: among cycles as alone", name,
          tensix_isa_names[isa]);
}

/* --- scheduled --- */

/* Bit 0 of the address is that of the register for SFPLOADMACRO. */
static uint32_t load_word(uint32_t opcode, uint32_t lreg, uint32_t format)
{
    return opcode << OPERAND_BITS | lreg << VD_LOW_MOD0 | format << 16 |
           STAY << 13 | ADDRESS | LOADED >> 2;
}

/* What is reserved is reported when an instruction is issued. */
static uint32_t without_reserved(uint32_t word)
{
    uint32_t opcode = word >> OPERAND_BITS, bits = 0;
    const TensixInsnDef *def = &tensix_insns[opcode];

    for (unsigned n = 0; n < def->nfields; n++) {
        bits |= ((1u << def->fields[n].width) - 1) << def->fields[n].low;
    }
    word &= (bits & ~unused_mode_bits(opcode)) | ~0u << OPERAND_BITS;
    return opcode == TENSIX_OP_SFPSWAP && (word & 15) > 9 ? word & ~6u : word;
}

/* All that a macro replaces is what it replaces it by: LReg 5. */
static uint32_t on_loaded(uint32_t word)
{
    uint32_t opcode = word >> OPERAND_BITS;

    if (has_mod0(opcode)) {
        return with_lreg(word, VD_LOW_MOD0, LOADED);
    }
    word = with_lreg(word, VD_LOW,
                     opcode == TENSIX_OP_SFPSWAP ? SWAPPED : LOADED);
    if (opcode != TENSIX_OP_SFPADDI && opcode != TENSIX_OP_SFPMULI &&
        opcode != TENSIX_OP_SFPCONFIG) {
        word = with_lreg(word, VC_LOW, LOADED);
    }
    return word;
}

/* Macro 1 schedules `word` for that sub-unit's next cycle. */
static void prepare(uint32_t word, unsigned unit, uint32_t format)
{
    uint32_t kind = unit == 3 ? KIND_STORE : KIND_TEMPLATE0;

    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        begin.vu.load_macro.instruction_template[0][lane] = word;
        begin.vu.load_macro.sequence[1][lane] = kind << (unit * SEQ_BITS);
        begin.vu.load_macro.misc[lane] = format;
    }
}

/* Is it the word's sub-unit?  Others make it a NOP, or undefined. */
static bool is_scheduled_by(uint32_t word, unsigned unit)
{
    start();
    run(load_word(TENSIX_OP_SFPLOADMACRO, 4 | (LOADED & 3), 0));
    return f.core.s.macro.slot[unit][0].word == word;
}

static void scheduled(uint32_t format)
{
    start();
    run(load_word(TENSIX_OP_SFPLOADMACRO, 4 | (LOADED & 3), format));
    for (unsigned n = 0; n < 3; n++) {
        run(TT(SFPNOP));
    }
    finish(&got);
}

static void one_by_one(uint32_t word, uint32_t format)
{
    start();
    run(load_word(TENSIX_OP_SFPLOAD, LOADED, format));
    run(word);
    finish(&expected);
}

/* The sub-unit that takes the opcode, or TENSIX_MACRO_UNITS. */
static unsigned sub_unit_of(uint32_t opcode)
{
    unsigned unit = 0;

    if (opcode == TENSIX_OP_SFPSTORE) {
        return 3;
    }
    while (unit < TENSIX_MACRO_UNITS) {
        prepare(opcode << OPERAND_BITS, unit, 0);
        if (is_scheduled_by(opcode << OPERAND_BITS, unit)) {
            break;
        }
        unit++;
    }
    return unit;
}

static uint32_t scheduled_word(uint32_t opcode, uint32_t format)
{
    return opcode == TENSIX_OP_SFPSTORE
           ? load_word(opcode, LOADED, format)
           : without_reserved(on_loaded(random_word(opcode)));
}

/* SFPSTORE's stack pointer moves between the two, and so would its address. */
static uint32_t random_format(uint32_t opcode)
{
    uint32_t format = fixture_random(&f) % FORMATS;

    return opcode == TENSIX_OP_SFPSTORE && format == 10 ? 4 : format;
}

static void test_scheduled(uint32_t opcode, TensixIsa isa)
{
    unsigned unit, different = 0;

    random_state(isa);
    unit = sub_unit_of(opcode);
    if (unit == TENSIX_MACRO_UNITS || opcode == TENSIX_OP_SFPNOP) {
        return;
    }
    for (unsigned n = 0; n < TRIALS; n++) {
        uint32_t format = random_format(opcode);
        uint32_t word = scheduled_word(opcode, format);

        random_state(isa);
        prepare(opcode == TENSIX_OP_SFPSTORE ? 0 : word, unit, format);
        one_by_one(word, format);
        scheduled(format);
        if (!is_same() && !different++) {
            diag("0x%08x format %u", word, format);
        }
    }
    ok_eq(different, 0, "%s by %s: scheduled as issued",
          tensix_insns[opcode].mnemonic, tensix_isa_names[isa]);
}

/* insn_table.h.inc and vector_table.h.inc name the same instructions. */
static void test_tables(void)
{
    static const bool executed[OPCODES] = {
#define INSN(op, mnemonic, ...) [op] = true,
#define UNIMP(op, mnemonic, ...)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP
    };

    for (uint32_t opcode = 0; opcode < OPCODES; opcode++) {
        bool is_vector = executed[opcode] &&
                         tensix_insns[opcode].unit == TENSIX_UNIT_VECTOR;

        if (is_vector != tensix_vector_rows[opcode].is_vector) {
            ok(false, "opcode 0x%02x is in one table only", opcode);
        }
    }
    ok(true, "tables compared");
}

int main(void)
{
    fixture_init(&f);
    test_tables();
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (!fixture_has_isa(isa)) {
            continue;
        }
        for (uint32_t opcode = 0; opcode < OPCODES; opcode++) {
            if (tensix_insns[opcode].unit == TENSIX_UNIT_VECTOR) {
                test_issued(opcode, isa);
                test_scheduled(opcode, isa);
            }
        }
    }
    return done_testing();
}
