/*
 * Reads of what was never written: each reader, and that reads are noted
 * neither too rarely nor, of LRegs, too often.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <string.h>

#include "core-fixture.h"
#include "config/config.h"
#include "frontend/frontend.h"
#include "num/num.h"
#include "observe/observe.h"
#include "regs/regfile.h"
#include "tap.h"
#include "vector/vector_lregs.h"

enum {
    PC = 0x1000,
    ROUNDS = 60, WORDS = 300,      /* of random words */
    DRAWS = 160, MODES = 16,       /* of vector instructions */
    MAP_BITS = 64,
    L1_PLACE = 0x4000,
    L1_WORDS = FIXTURE_L1_SIZE / MAP_BITS,
};

static const TensixOrigin origin = { PC, TENSIX_HART_TRISC1 };
static CoreFixture f, other;
static TensixObserver observer;
static uint64_t l1_marks[L1_WORDS];
static TensixUnwritten unwritten = { .l1 = l1_marks, .l1_size = FIXTURE_L1_SIZE };

/* What the instruction at hand has been accused of. */
static uint64_t accused[TENSIX_READ_WORDS];    /* of unwritten cells */
static uint32_t accused_lanes[TENSIX_LREGS];
static unsigned accusations;
static char text[2 * TENSIX_UNWRITTEN_TEXT];
static TensixViolation last;

static void take_violation(void *opaque, const TensixViolation *v)
{
    if (v->category == TENSIX_UNWRITTEN) {
        memcpy(accused, observer.accused[TENSIX_MARK_UNWRITTEN],
               sizeof(accused));
        memcpy(accused_lanes, observer.accused_lanes, sizeof(accused_lanes));
        accusations++;
        last = *v;
        snprintf(text, sizeof(text), "%s", v->text);
    }
}

static void no_hit(void *opaque, const TensixHit *hit)
{
}

static void observe(CoreFixture *fixture)
{
    memset(&observer, 0, sizeof(observer));
    observer.hit = no_hit;
    observer.unwritten = &unwritten;
    fixture->core.host.violation = take_violation;
    tensix_set_observer(&fixture->core, &observer);
    tensix_unwritten_reset(&unwritten);
    accusations = 0;
    memset(accused, 0, sizeof(accused));
}

static bool bit(const uint64_t *bits, uint32_t n)
{
    return bits[n / MAP_BITS] >> n % MAP_BITS & 1;
}

/* --- reads are noted: what is not noted makes no difference --- */

/* Values change places there, and what is made of them is seen by a later one. */
static bool only_moves(uint32_t word)
{
    const TensixInsn i = { .word = word };
    TensixVectorLregs l;
    TensixVectorOp op = tensix_vector_decode(&i);

    if (!tensix_vector_rows[word >> 24].is_vector) {
        return false;
    }
    l = tensix_vector_lregs(&f.core.s.vu, &op);
    return l.moves[0] | l.moves[1];
}

/* Mostly small addresses, so that some of them lie in L1. */
static void make_likely(TensixState *s)
{
    static const uint16_t words[] = {
        CFG_THCON_SEC0_REG3_Base_address_WORD, CFG_THCON_SEC1_REG3_Base_address_WORD,
        CFG_THCON_SEC0_REG7_Offset_address_WORD,
        CFG_THCON_SEC0_REG6_Source_address_WORD,
        CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD,
    };

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        for (unsigned bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
            s->cfg[bank][words[n]] &= 0x3ff;
        }
    }
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        for (unsigned n = 0; n < TENSIX_GPRS; n++) {
            s->gpr[t][n] &= n & 1 ? UINT32_MAX : 0x3ff;
        }
    }
}

static void start_random(uint64_t seed)
{
    fixture_init(&f);
    f.random_state = seed;
    fixture_randomise(&f);
    make_likely(&f.core.s);
    for (uint32_t n = 0; n < FIXTURE_L1_SIZE; n++) {
        f.l1[n] = fixture_random(&f);
    }
    for (uint32_t row = 0; row < TENSIX_DST_ROWS; row++) {
        f.core.s.dst_row_valid[row] = fixture_random(&f) & 1;
    }
    f.core.s.vu.use_lane_flags = 0;
    memset(&f.core.s.vu.lane_config, 0, sizeof(f.core.s.vu.lane_config));
    tensix_state_loaded(&f.core);
    observe(&f);
}

/* The cells of a space as bytes. */
static uint8_t *cells(TensixState *s, unsigned space)
{
    uint8_t *const at[] = {
        (uint8_t *)s->dst, (uint8_t *)s->src[TENSIX_SRCA],
        (uint8_t *)s->src[TENSIX_SRCB], (uint8_t *)s->vu.lreg,
    };

    return at[space];
}

static uint32_t src_mask(unsigned space, uint32_t value)
{
    return space == TENSIX_SPACE_SRCA || space == TENSIX_SPACE_SRCB
           ? value & SRC_VALUE_MASK : value;
}

/* A lane of an LReg: no constant, and not accused. */
static bool may_change(uint32_t lreg, uint32_t lane)
{
    return (lreg < 8 || lreg >= 16) && !(accused_lanes[lreg] >> lane & 1);
}

/* Other values in all cells that have not been accused. */
static void scramble(CoreFixture *to)
{
    uint32_t cell = 0;

    for (unsigned space = 0; space < TENSIX_READ_SPACES; space++) {
        uint32_t size = tensix_spaces[space].cell_bytes;
        uint8_t *at = cells(&to->core.s, space);

        for (uint32_t n = 0; n < tensix_spaces[space].cells; n++, cell++) {
            for (uint32_t k = 0; k < size && !bit(accused, cell); k += 4) {
                uint32_t value = src_mask(space, fixture_random(&f));

                if (space != TENSIX_SPACE_LREG || may_change(n, k / 4)) {
                    memcpy(at + n * size + k, &value, sizeof(value));
                }
            }
        }
    }
    for (uint32_t n = 0; n < FIXTURE_L1_SIZE; n++) {
        to->l1[n] ^= bit(l1_marks, n) ? fixture_random(&f) : 0;
    }
}

/* Is each bit what it became with the first values, or else as it was? */
static bool explained(const uint8_t *now, const uint8_t *before,
                      const uint8_t *wanted, uint32_t size)
{
    uint64_t wrong = 0;

    for (uint32_t n = 0; n < size; n += sizeof(wrong)) {
        uint64_t a, b, c;

        memcpy(&a, now + n, sizeof(a));
        memcpy(&b, before + n, sizeof(b));
        memcpy(&c, wanted + n, sizeof(c));
        wrong |= (a ^ b) & (a ^ c);
    }
    return !wrong;
}

static TensixState rest_f, rest_other;
static CoreFixture before, first;

static bool same_rest(void)
{
    rest_f = f.core.s;
    rest_other = other.core.s;
    for (unsigned space = 0; space < TENSIX_READ_SPACES; space++) {
        uint32_t size = tensix_spaces[space].cells *
                        tensix_spaces[space].cell_bytes;

        memset(cells(&rest_f, space), 0, size);
        memset(cells(&rest_other, space), 0, size);
    }
    return !memcmp(&rest_f, &rest_other, sizeof(rest_f));
}

static bool same_cells(void)
{
    bool same = explained(other.l1, before.l1, f.l1, FIXTURE_L1_SIZE);

    for (unsigned space = 0; space < TENSIX_READ_SPACES; space++) {
        same &= explained(cells(&other.core.s, space),
                          cells(&before.core.s, space), cells(&f.core.s, space),
                          tensix_spaces[space].cells *
                          tensix_spaces[space].cell_bytes);
    }
    return same;
}

/* Executes a word twice, with other values where it is said to read nothing. */
static bool reads_are_recorded(uint32_t thread, uint32_t word)
{
    first = f;
    tensix_unwritten_reset(&unwritten);
    memset(accused, 0, sizeof(accused));
    memset(accused_lanes, 0, sizeof(accused_lanes));
    fixture_execute(&f, origin, thread, word);
    other = first;
    other.core.observer = NULL;
    other.core.host.l1 = other.l1;
    other.core.host.opaque = &other;
    scramble(&other);
    tensix_set_observer(&other.core, NULL);
    tensix_state_loaded(&other.core);
    before = other;
    fixture_execute(&other, origin, thread, word);
    return only_moves(word) || (same_rest() && same_cells());
}

static void test_all_recorded(void)
{
    const char *missed = NULL;
    unsigned accused_l1 = 0;

    for (unsigned n = 0; n < ROUNDS && !missed; n++) {
        start_random(n);
        for (unsigned w = 0; w < WORDS && !missed; w++) {
            uint32_t word = fixture_random_word(&f);

            if (!reads_are_recorded(w % TENSIX_THREADS, word)) {
                missed = tensix_insns[word >> 24].mnemonic;
                diag("word 0x%08x: %s %s", word, same_rest() ? "" : "rest",
                     same_cells() ? "" : "cells");
            }
            accused_l1 += strstr(text, "L1") != NULL;
            text[0] = '\0';
            f.core.observer = &observer;
        }
    }
    ok(!missed, "no instruction depends on what it did not note%s%s",
       missed ? ": " : "", missed ? missed : "");
    ok(accused_l1 > ROUNDS, "and some read L1 (%u)", accused_l1);
}

/* --- LRegs: what is noted does make a difference --- */

typedef struct Matters {
    uint16_t recorded, matters;
} Matters;

static Matters matters[256][MODES][VECTOR_LREG_WRITABLE];

/* Numbers near 1, small integers, and any bits. */
static uint32_t likely_value(void)
{
    uint32_t r = fixture_random(&f);

    switch (fixture_random(&f) % 3) {
    case 0:
        return (r & 0x807fffff) | (125 + r / 64 % 5) << 23;
    case 1:
        return r & 0x8000000f;
    default:
        return r;
    }
}

static void fill_lregs(TensixVectorUnit *vu)
{
    memset(vu, 0, sizeof(*vu));
    tensix_vector_reset(&f.core);
    for (unsigned n = 0; n < VECTOR_LREG_WRITABLE; n++) {
        for (unsigned l = 0; l < TENSIX_LANES; l++) {
            vu->lreg[n][l] = likely_value();
        }
    }
    vu->lane_flags = fixture_random(&f);
    vu->use_lane_flags = VECTOR_ALL_LANES;
    vu->flag_stack_depth = 1;
    vu->flag_stack[0].lane_flags = fixture_random(&f);
    tensix_vector_summarise(vu);
}

/* Of one vector instruction with random registers, all below 8. */
static uint32_t vector_word(uint32_t opcode, uint32_t mode)
{
    const TensixInsnDef *def = &tensix_insns[opcode];
    uint32_t word = opcode << 24;

    for (unsigned n = 0; n < def->nfields; n++) {
        const TensixFieldDef *field = &def->fields[n];
        uint32_t value = fixture_random(&f) & ((1u << field->width) - 1);

        if (!strncmp(field->name, "instr_mod", 9)) {
            value = mode;
        } else if (!strncmp(field->name, "lreg_", 5)) {
            value &= VECTOR_LREG_WRITABLE - 1;
        } else if (!strcmp(field->name, "imm12_math")) {
            value &= ~8u;              /* its low bits may be a register */
        }
        word |= value << field->low;
    }
    return word;
}

static bool makes_a_difference(uint32_t word, unsigned lreg)
{
    const TensixVectorUnit start = f.core.s.vu;
    TensixVectorUnit a, b;
    bool differs;
    TensixState *s = &f.core.s;
    uint16_t dst[TENSIX_DST_ROWS][TENSIX_COLUMNS];

    fixture_exec(&f, 0, word);
    a = s->vu;
    memcpy(dst, s->dst, sizeof(dst));
    s->vu = start;
    for (unsigned l = 0; l < TENSIX_LANES; l++) {
        s->vu.lreg[lreg][l] = likely_value();
    }
    memcpy(b.lreg[0], s->vu.lreg[lreg], sizeof(b.lreg[0]));
    fixture_exec(&f, 0, word);
    differs = memcmp(dst, s->dst, sizeof(dst));
    /* what was put into it may be all that is left of the difference */
    if (!memcmp(b.lreg[0], s->vu.lreg[lreg], sizeof(b.lreg[0])) &&
        !memcmp(start.lreg[lreg], a.lreg[lreg], sizeof(b.lreg[0]))) {
        memcpy(s->vu.lreg[lreg], a.lreg[lreg], sizeof(b.lreg[0]));
    }
    differs |= memcmp(&a, &s->vu, sizeof(a)) != 0;
    s->vu = start;
    return differs;
}

static void try_vector(uint32_t opcode, uint32_t mode)
{
    uint32_t word = vector_word(opcode, mode);
    const TensixInsn i = { .word = word };
    TensixVectorOp op = tensix_vector_decode(&i);
    TensixVectorLregs l;

    fill_lregs(&f.core.s.vu);
    l = tensix_vector_lregs(&f.core.s.vu, &op);
    for (unsigned n = 0; n < VECTOR_LREG_WRITABLE; n++) {
        Matters *m = &matters[opcode][mode][n];

        if (l.reads >> n & 1 && m->matters < 3) {
            m->recorded++;
            m->matters += makes_a_difference(word, n);
        }
    }
}

static void test_none_too_often(void)
{
    bool exact = true;

    fixture_init(&f);
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        for (uint32_t mode = 0; mode < MODES; mode++) {
            for (unsigned n = 0; tensix_vector_rows[opcode].is_vector &&
                                 n < DRAWS; n++) {
                try_vector(opcode, mode);
            }
            for (unsigned n = 0; n < VECTOR_LREG_WRITABLE; n++) {
                const Matters *m = &matters[opcode][mode][n];

                if (m->recorded > 12 && !m->matters) {
                    diag("%s mode %u: LReg[%u] %u", tensix_insns[opcode].mnemonic,
                         (unsigned)mode, n, m->recorded);
                    exact = false;
                }
            }
        }
    }
    ok(exact, "no LReg is noted that makes no difference");
}

/* --- LRegs: all that changes is noted, and what is noted changes --- */

static uint32_t changed_lregs(const TensixVectorUnit *before)
{
    uint32_t changed = 0;

    for (unsigned n = 0; n < VECTOR_LREG_WRITABLE; n++) {
        changed |= !!memcmp(before->lreg[n], f.core.s.vu.lreg[n],
                            sizeof(before->lreg[n])) << n;
    }
    return changed;
}

/* Registers of this opcode and mode whose notes are wrong: too few, too many. */
typedef struct Wrong {
    uint32_t unnoted;
    uint8_t recorded[VECTOR_LREG_WRITABLE], changed[VECTOR_LREG_WRITABLE];
} Wrong;

static void try_writes(uint32_t opcode, uint32_t mode, Wrong *wrong)
{
    uint32_t word = vector_word(opcode, mode), changed;
    const TensixInsn i = { .word = word };
    TensixVectorOp op = tensix_vector_decode(&i);
    TensixVectorUnit before;
    TensixVectorLregs l;

    fill_lregs(&f.core.s.vu);
    if (fixture_random(&f) % 4 == 0) {
        f.core.s.vu.lane_flags = 0;    /* no lane is enabled */
    }
    l = tensix_vector_lregs(&f.core.s.vu, &op);
    before = f.core.s.vu;
    fixture_clear_violations(&f);
    fixture_exec(&f, 0, word);
    changed = changed_lregs(&before);
    wrong->unnoted |= changed & ~(l.writes | l.moves[0] | l.moves[1]);
    for (unsigned n = 0; n < VECTOR_LREG_WRITABLE; n++) {
        wrong->recorded[n] += l.writes >> n & !f.violation_count;
        wrong->changed[n] += changed >> n & 1;
    }
}

static bool writes_are_right(uint32_t opcode, uint32_t mode)
{
    enum { TRIES = 100, ENOUGH = 8 };
    Wrong wrong = { 0 };
    bool right;

    for (unsigned n = 0; n < TRIES; n++) {
        try_writes(opcode, mode, &wrong);
    }
    right = !wrong.unnoted;
    for (unsigned n = 0; n < VECTOR_LREG_WRITABLE; n++) {
        right &= wrong.recorded[n] < ENOUGH || wrong.changed[n];
    }
    if (!right) {
        diag("%s mode %u: unnoted 0x%02x", tensix_insns[opcode].mnemonic,
             (unsigned)mode, (unsigned)wrong.unnoted);
    }
    return right;
}

static void test_writes(void)
{
    bool right = true;

    fixture_init(&f);
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        for (uint32_t mode = 0; mode < MODES; mode++) {
            right &= !tensix_vector_rows[opcode].is_vector ||
                     writes_are_right(opcode, mode);
        }
    }
    ok(right, "LRegs that change are those that are noted as written");
}

/* --- each reader --- */

typedef struct Reader {
    const char *name;
    uint32_t word;
    const char *text;              /* how the report begins */
    void (*prepare)(void);
} Reader;

static void give_to_matrix(void)
{
    fixture_give_src(&f, TENSIX_FMT_BF16);
}

static void written_src(void)
{
    uint32_t first_src = TENSIX_DST_ROWS;

    give_to_matrix();
    for (uint32_t n = 0; n < TENSIX_SRCS * TENSIX_SRC_CELLS; n++) {
        unwritten.marks[TENSIX_MARK_UNWRITTEN][(first_src + n) / MAP_BITS] &=
            ~(1ull << (first_src + n) % MAP_BITS);
    }
}

static void point_at_l1(void)
{
    f.core.s.gpr[1][4] = L1_PLACE / 16;
}

static void prepare_xmov(void)
{
    uint32_t *cfg = f.core.s.cfg[0];

    cfg[CFG_THCON_SEC0_REG6_Source_address_WORD] |=
        L1_PLACE / 16 << CFG_THCON_SEC0_REG6_Source_address_LOW;
    cfg[CFG_THCON_SEC0_REG6_Buffer_size_WORD] |=
        4 << CFG_THCON_SEC0_REG6_Buffer_size_LOW;
    cfg[CFG_THCON_SEC0_REG6_Transfer_direction_WORD] |=
        (uint32_t)TENSIX_MOVE_L1_TO_L1 <<
        CFG_THCON_SEC0_REG6_Transfer_direction_LOW;
}

static void start(void)
{
    fixture_init(&f);
    f.core.s.vu.use_lane_flags = 0;
    observe(&f);
    text[0] = '\0';
}

static void try_reader(const Reader *r)
{
    start();
    if (r->prepare) {
        r->prepare();
    }
    tensix_state_loaded(&f.core);
    fixture_execute(&f, origin, 1, r->word);
    if (!ok(!strncmp(text, r->text, strlen(r->text)), "%s: text", r->name)) {
        diag("%s", text);
    }
    ok(last.origin.pc == PC && last.word == r->word && last.thread == 1,
       "%s: by whom", r->name);
    accusations = 0;
    fixture_execute(&f, origin, 1, r->word);
    ok_eq(accusations, 0, "%s: once", r->name);
}

static void test_readers(void)
{
    const Reader readers[] = {
        { "MVMUL: Src", TT(MVMUL), "reads row 0 of Dest to row 7 of Dest: "
          "nothing has written 8 ", written_src },
        { "ELWADD", TT(ELWADD), "reads row 0 of SrcB bank 0 to row 7", give_to_matrix },
        { "ELWMUL", TT(ELWMUL, .dst = 16), "reads row 16 of Dest", written_src },
        { "GMPOOL", TT(GMPOOL), "reads row 0 of Dest, which nothing has "
          "written", written_src },
        { "MOVA2D", TT(MOVA2D, .src = 5), "reads row 5 of SrcA bank 0, which",
          give_to_matrix },
        { "MOVB2D", TT(MOVB2D, .src = 7), "reads row 7 of SrcB bank 0, which",
          give_to_matrix },
        { "MOVD2A", TT(MOVD2A, .dst = 4, .instr_mod = 2),
          "reads row 4 of Dest to row 7 of Dest: nothing has written 4 ",
          give_to_matrix },
        { "SHIFTXB", TT(SHIFTXB), "reads row 0 of SrcB bank 0, which",
          give_to_matrix },
        { "TRNSPSRCB", TT(TRNSPSRCB), "reads row 16 of SrcB bank 0 to row 31",
          give_to_matrix },
        { "SFPLOAD", TT(SFPLOAD, .lreg_ind = 2, .instr_mod0 = 2, .dest_reg_addr = 8),
          "reads row 8 of Dest to row 11 of Dest: nothing has "
          "written 4 ", NULL },
        { "SFPSTORE", TT(SFPSTORE, .lreg_ind = 2), "reads LReg[2], which", NULL },
        { "SFPADD", TT(SFPADD, .lreg_src_a = 10, .lreg_src_b = 3, .lreg_src_c = 4,
                       .lreg_dest = 5),
          "reads LReg[3] to LReg[4]: nothing has written 2 ", NULL },
        { "PACR", TT(PACR, .ReadIntfSel = 1), "reads row 0 of Dest, which", NULL },
        { "LOADIND", TT(LOADIND, .SizeSel = 0, .DataRegIndex = 8, .AddrRegIndex = 4),
          "reads 16 bytes of L1 that nothing has written since reset, the "
          "first at 0x4000", point_at_l1 },
        { "LOADIND of a byte", TT(LOADIND, .SizeSel = 3, .DataRegIndex = 8,
                                  .AddrRegIndex = 4),
          "reads the byte of L1 at 0x4000, which", point_at_l1 },
        { "ATINCGET", TT(ATINCGET, .WrapVal = 31, .DataRegIndex = 8,
                         .AddrRegIndex = 4),
          "reads 4 bytes of L1", point_at_l1 },
        { "XMOV", TT(XMOV), "reads 64 bytes of L1", prepare_xmov },
    };

    for (size_t n = 0; n < sizeof(readers) / sizeof(readers[0]); n++) {
        try_reader(&readers[n]);
    }
}

/* --- what counts as written --- */

/* The second word reads what the first one writes. */
typedef struct Pair {
    const char *name;
    uint32_t writes, reads;
    void (*prepare)(void);
} Pair;

static void clear_banks(void)
{
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        f.core.s.src_format[src][0] = TENSIX_FMT_BF16;
    }
}

static void test_written(void)
{
    const Pair pairs[] = {
        { "ZEROACC", TT(ZEROACC, .clear_mode = 3), TT(SFPLOAD), NULL },
        { "ZEROSRC", TT(ZEROSRC, .src_mask = 3, .zero_val = 0, .write_mode = 1),
          TT(ELWADD), clear_banks },
        { "SFPLOADI of 0", TT(SFPLOADI, .lreg_ind = 3), TT(SFPSTORE, .lreg_ind = 3),
          NULL },
        { "both halves of SFPLOADI", TT(SFPLOADI, .lreg_ind = 3, .instr_mod0 = 10),
          TT(SFPLOADI, .lreg_ind = 3, .instr_mod0 = 8), NULL },
        { "a constant", TT(NOP), TT(SFPSTORE, .lreg_ind = 9), NULL },
        { "SFPTRANSP of nothing", TT(NOP), TT(SFPTRANSP), NULL },
        { "a template for SFPLOADMACRO", TT(NOP),
          TT(SFPMUL, .lreg_src_a = 3, .lreg_src_b = 4, .lreg_src_c = 9,
             .lreg_dest = 13), NULL },
    };

    for (size_t n = 0; n < sizeof(pairs) / sizeof(pairs[0]); n++) {
        start();
        if (pairs[n].prepare) {
            pairs[n].prepare();
        }
        tensix_state_loaded(&f.core);
        fixture_execute(&f, origin, 1, pairs[n].writes);
        fixture_execute(&f, origin, 1, pairs[n].reads);
        if (!ok_eq(accusations, 0, "%s counts as written", pairs[n].name)) {
            diag("%s", text);
        }
    }
}

static void test_l1_marks(void)
{
    TensixBytes bytes;

    tensix_unwritten_reset(&unwritten);
    tensix_unwritten_l1_written(&unwritten, 100, 200);
    bytes = tensix_unwritten_l1_read(&unwritten, 90, 220);
    ok(bytes.first == 90 && bytes.count == 20, "bytes on both sides of a write");
    ok_eq(tensix_unwritten_l1_read(&unwritten, 90, 220).count, 0, "once");
    bytes = tensix_unwritten_l1_read(&unwritten, FIXTURE_L1_SIZE - 8, UINT32_MAX);
    ok(bytes.first == FIXTURE_L1_SIZE - 8 && bytes.count == 8,
       "the end of L1");
    ok_eq(tensix_unwritten_l1_read(&unwritten, FIXTURE_L1_SIZE, 4).count, 0,
          "beyond it");
    tensix_unwritten_clear(&unwritten);
    ok_eq(tensix_unwritten_l1_read(&unwritten, 0x1000, 4).count, 0,
          "of what is not known nothing is said");
}

/* A hart's load in the Dest window. */
static void test_hart(void)
{
    uint32_t value;

    start();
    tensix_observe_begin(&f.core, (TensixActor) {
        .kind = TENSIX_BY_HART, .hart = TENSIX_HART_TRISC2, .pc = 0x6000,
    });
    tensix_dest_window_read(&f.core, 2, 0x40, &value, sizeof(value));
    tensix_observe_end(&f.core);
    ok(!strncmp(text, "reads row 1 of Dest", 19) && last.thread == TENSIX_THREADS &&
           last.origin.hart == TENSIX_HART_TRISC2 && last.origin.pc == 0x6000,
       "a hart's load from Dest");
    diag("%s", text);
    start();
    tensix_observe_begin(&f.core, (TensixActor) { .kind = TENSIX_BY_DEBUGGER });
    tensix_dest_window_read(&f.core, 2, 0x40, &value, sizeof(value));
    tensix_observe_end(&f.core);
    ok_eq(accusations, 0, "a debugger may look at anything");
}

int main(void)
{
    test_all_recorded();
    test_none_too_often();
    test_writes();
    test_readers();
    test_written();
    test_l1_marks();
    test_hart();
    return done_testing();
}
