/*
 * Matrix Unit: what it reports of rows and cells.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "core-fixture.h"
#include "num/num.h"
#include "regs/regfile.h"
#include "tap.h"
#include "config/config.h"

enum {
    THREAD = 1,
    INT8_ONE = 1 << 8 | 16,        /* a cell of integer "8" */
    BF16_ONE = 127,
    SRC_ROW = 8,                   /* first row of both operands */
};

static CoreFixture f;

/* Both banks the Matrix Unit's, full of such cells. */
static void start(TensixIsa isa, uint32_t format, uint32_t cell)
{
    fixture_init(&f);
    tensix_set_isa(&f.core, isa);
    fixture_give_src(&f, format);
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        tensix_src_fill(&f.core, src, 0, cell);
    }
}

/* Reports by one more of the word, on a core that keeps what it has decoded. */
static unsigned reports(uint32_t word)
{
    fixture_clear_violations(&f);
    fixture_push(&f, THREAD, word);
    return f.violation_count;
}

/* --- SrcA's rows --- */

/* Of the 64 rows that the counter can name, how many go wrong? */
static unsigned wrong_rows(TensixIsa isa, uint32_t word)
{
    unsigned wrong = 0;

    for (uint32_t row = 0; row < TENSIX_SRC_ROWS; row++) {
        bool beyond = row >= TENSIX_SRC_ROWS - 8;

        start(isa, TENSIX_FMT_BF16, BF16_ONE);
        f.core.s.rwc[THREAD].SrcA = row;
        wrong += reports(word) != beyond ||
                 f.violations[TENSIX_UNDEFINED_BEHAVIOUR] != beyond;
    }
    return wrong;
}

static void test_rows(TensixIsa isa)
{
    const uint32_t words[] = { TT(MVMUL), TT(DOTPV), TT(GAPOOL) };

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        ok_eq(wrong_rows(isa, words[n]), 0,
              "%s, %s: SrcA's rows beyond 63 are reported, others not",
              tensix_isa_names[isa], tensix_insns[words[n] >> 24].mnemonic);
    }
}

/* --- cells of integer arithmetic --- */

typedef struct Operands {
    const char *name;
    uint32_t word;
    uint32_t row_a, row_b;         /* to search for a cell */
} Operands;

static void start_int8(TensixIsa isa)
{
    start(isa, TENSIX_FMT_INT8, INT8_ONE);
    f.core.s.cfg[0][CFG_ALU_ACC_CTRL_INT8_math_enabled_WORD] =
        1u << CFG_ALU_ACC_CTRL_INT8_math_enabled_LOW;
    f.core.s.rwc[THREAD].SrcA = f.core.s.rwc[THREAD].SrcB = SRC_ROW;
    tensix_derived_invalidate(&f.core);
}

static unsigned with_cell(TensixIsa isa, const Operands *o, uint32_t src,
                          uint32_t row, uint32_t cell)
{
    start_int8(isa);
    f.core.s.src[src][0][row][5] = cell;
    f.core.s.src[src][0][row][0] = cell;
    tensix_derived_invalidate(&f.core);
    return reports(o->word);
}

static void test_cells(TensixIsa isa, const Operands *o)
{
    const char *isa_name = tensix_isa_names[isa];

    start_int8(isa);
    ok_eq(reports(o->word), 0, "%s, %s: integers", isa_name, o->name);
    ok_eq(with_cell(isa, o, TENSIX_SRCA, o->row_a, 0), 0, "a zero in SrcA");
    ok_eq(with_cell(isa, o, TENSIX_SRCB, o->row_b, 0), 0, "and in SrcB");
    ok_eq(with_cell(isa, o, TENSIX_SRCA, 40, BF16_ONE), 0, "another row");
    ok_eq(with_cell(isa, o, TENSIX_SRCA, o->row_a, 1 << 8 | 17), 1,
          "exponent 17 in SrcA: reported");
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1, "as not contractual");
    ok_eq(with_cell(isa, o, TENSIX_SRCB, o->row_b, BF16_ONE), 1,
          "a float in SrcB: reported");
    /* rows that results of no interest come from may hold anything */
    ok_eq(with_cell(isa, o, TENSIX_SRCB, o->row_b + 1, BF16_ONE), 0,
          "in SrcB's next row");
}

/* A decoded word is checked once. */
static void test_once(TensixIsa isa)
{
    start_int8(isa);
    tensix_src_fill(&f.core, TENSIX_SRCA, 0, BF16_ONE);
    ok_eq(reports(TT(MVMUL)), 1, "%s: the first MVMUL reports",
          tensix_isa_names[isa]);
    ok_eq(reports(TT(MVMUL)), 0, "the next one, of the same rows, does not");
    tensix_src_fill(&f.core, TENSIX_SRCA, 0, BF16_ONE);
    ok_eq(reports(TT(MVMUL)), 1, "but of a bank that was written again");
}

/* --- modes --- */

static void set_cfg(unsigned word, uint32_t bits)
{
    f.core.s.cfg[0][word] |= bits;
    tensix_state_loaded(&f.core);
}

/* Reports of `category` by the word on BF16 data with a configuration bit set. */
static unsigned with_cfg(TensixIsa isa, uint32_t word, unsigned cfg,
                         unsigned low, TensixCategory category)
{
    start(isa, TENSIX_FMT_BF16, BF16_ONE);
    set_cfg(cfg, 1u << low);
    reports(word);
    return f.violations[category];
}

static void test_kept_zeroes(TensixIsa isa)
{
    const struct {
        uint32_t word;
        bool reported;
    } cases[] = {
        { TT(MVMUL), true }, { TT(DOTPV), true }, { TT(GAPOOL), true },
        { TT(ELWADD), true }, { TT(ELWSUB), true }, { TT(ELWMUL), true },
        { TT(GMPOOL), false }, { TT(MOVA2D), false }, { TT(MOVB2D), false },
        { TT(MOVB2A), false },
    };

    for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
        ok_eq(with_cfg(isa, cases[n].word,
                       CFG_ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD,
                       CFG_ALU_ACC_CTRL_Zero_Flag_disabled_src_LOW,
                       TENSIX_NON_CONTRACTUAL), cases[n].reported,
              "%s with Zero_Flag_disabled_src",
              tensix_insns[cases[n].word >> 24].mnemonic);
        start(isa, TENSIX_FMT_BF16, BF16_ONE);
        ok_eq(reports(cases[n].word), 0, "and without");
    }
}

/* Which of SrcB's formats there is does not matter if all of the bank is 0. */
static void test_formats_apart(TensixIsa isa)
{
    static const uint8_t cells[][2] = {
        { 0, 0 }, { 0, TENSIX_COLUMNS - 1 }, { TENSIX_SRC_ROWS - 1, 0 },
        { TENSIX_SRC_ROWS - 1, TENSIX_COLUMNS - 1 },
    };

    for (unsigned n = 0; n <= sizeof(cells) / sizeof(cells[0]); n++) {
        bool none = n == sizeof(cells) / sizeof(cells[0]);

        start(isa, TENSIX_FMT_FP16, BF16_ONE);
        f.core.s.src_format[TENSIX_SRCB][0] = TENSIX_FMT_BF16;
        tensix_src_fill(&f.core, TENSIX_SRCB, 0, 0);
        if (!none) {
            f.core.s.src[TENSIX_SRCB][0][cells[n][0]][cells[n][1]] = BF16_ONE;
        }
        tensix_derived_invalidate(&f.core);
        reports(TT(ELWADD));
        ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], !none,
              "%s: FP16 and BF16, %s", tensix_isa_names[isa],
              none ? "SrcB is 0" : "one cell is not 0");
    }
}

/* UseDst32bLo is TEN-4245's where Dest accumulates in FP32. */
static void test_low_half(TensixIsa isa)
{
    const uint32_t words[] = {
        TT(MOVA2D, .dest_32b_lo = 1), TT(MOVB2D, .dest_32b_lo = 1),
        TT(MOVA2D), TT(MOVB2D),
    };

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        ok_eq(with_cfg(isa, words[n], CFG_ALU_ACC_CTRL_Fp32_enabled_WORD,
                       CFG_ALU_ACC_CTRL_Fp32_enabled_LOW,
                       TENSIX_UNDEFINED_BEHAVIOUR), n < 2,
              "%s %s dest_32b_lo and Fp32_enabled",
              tensix_insns[words[n] >> 24].mnemonic, n < 2 ? "with" : "without");
        start(isa, TENSIX_FMT_BF16, BF16_ONE);
        ok_eq(reports(words[n]), 0, "and without Fp32_enabled");
        start(isa, TENSIX_FMT_TF32, BF16_ONE);
        reports(words[n]);
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], n < 2, "TF32");
    }
}

/* Rows of 16 bits have no low halves, and no TF32. */
static void test_from_dst(TensixIsa isa)
{
    enum { BLOCK = 2 };
    const uint32_t words[] = {
        TT(MOVD2A), TT(MOVD2B), TT(MOVD2A, .instr_mod = BLOCK),
        TT(MOVD2B, .instr_mod = BLOCK),
    };

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        const char *name = tensix_insns[words[n] >> 24].mnemonic;

        start(isa, TENSIX_FMT_BF16, BF16_ONE);
        ok_eq(reports(words[n]), 0, "%s of 16-bit rows, mode %u", name, n / 2 * BLOCK);
        reports(words[n] | TT(MOVD2A, .dest_32b_lo = 1));
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1, "their low halves");
        start(isa, TENSIX_FMT_TF32, BF16_ONE);
        reports(words[n]);
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1, "as TF32");
    }
}

static void test_no_formats(TensixIsa isa)
{
    const uint32_t words[] = {
        TT(MVMUL), TT(ELWADD), TT(GMPOOL), TT(MOVA2D), TT(MOVB2D),
    };

    for (unsigned n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        for (uint32_t format = 0; format < 16; format++) {
            bool exists = format != 12 && format != 13;

            start(isa, format, 1);
            reports(words[n]);
            ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR] > 0, !exists,
                  "%s of format %u", tensix_insns[words[n] >> 24].mnemonic,
                  format);
        }
    }
}

/* Rows 2, 5 and 7 of eight are those whose flags the broadcast gets wrong. */
static void test_broadcast_flags(TensixIsa isa)
{
    for (unsigned row = 0; row < 8; row++) {
        bool odd = row == 2 || row == 5 || row == 7;

        start(isa, TENSIX_FMT_BF16, BF16_ONE);
        f.core.s.dst_row_valid[row] = 0;
        tensix_state_loaded(&f.core);
        ok_eq(reports(TT(MVMUL, .instr_mod19 = 1)), odd,
              "MVMUL broadcasts with row %u undefined", row);
        ok_eq(f.core.s.dst_row_valid[row], row != 2 && row != 1 && row != 3,
              "whose flag is then so");
    }
}

int main(void)
{
    const Operands operands[] = {
        { "MVMUL", TT(MVMUL), SRC_ROW + 15, SRC_ROW },
        { "DOTPV", TT(DOTPV), SRC_ROW + 15, SRC_ROW },
        { "GAPOOL", TT(GAPOOL), SRC_ROW + 15, SRC_ROW },
        { "ELWADD", TT(ELWADD), SRC_ROW, SRC_ROW },
        { "ELWSUB", TT(ELWSUB), SRC_ROW, SRC_ROW },
        { "ELWMUL", TT(ELWMUL), SRC_ROW, SRC_ROW },
        { "ELWADD of a column", TT(ELWADD, .instr_mod19 = 1), SRC_ROW, SRC_ROW },
    };

    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (!fixture_has_isa(isa)) {
            continue;
        }
        test_rows(isa);
        for (unsigned n = 0; n < sizeof(operands) / sizeof(operands[0]); n++) {
            test_cells(isa, &operands[n]);
        }
        test_once(isa);
        test_kept_zeroes(isa);
        test_formats_apart(isa);
        test_low_half(isa);
        test_from_dst(isa);
        test_no_formats(isa);
        test_broadcast_flags(isa);
    }
    return done_testing();
}
