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
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        f.core.s.src_client[src][0] = TENSIX_CLIENT_MATRIX_UNIT;
        f.core.s.src_format[src][0] = format;
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
    uint32_t row_a, row_b;         /* that a cell is looked for in */
} Operands;

static void start_int8(TensixIsa isa)
{
    start(isa, TENSIX_FMT_INT8, INT8_ONE);
    f.core.s.cfg[0][CFG_ALU_ACC_CTRL_INT8_math_enabled_WORD] =
        1u << CFG_ALU_ACC_CTRL_INT8_math_enabled_LOW;
    f.core.s.rwc[THREAD].SrcA = f.core.s.rwc[THREAD].SrcB = SRC_ROW;
}

static unsigned with_cell(TensixIsa isa, const Operands *o, uint32_t src,
                          uint32_t row, uint32_t cell)
{
    start_int8(isa);
    f.core.s.src[src][0][row][5] = cell;
    f.core.s.src[src][0][row][0] = cell;
    tensix_derived_forget(&f.core);
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

/* What is decoded is looked at once. */
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
        if (!tensix_isa_available(isa)) {
            skip(tensix_isa_names[isa], "host has none: run on one that has");
            continue;
        }
        test_rows(isa);
        for (unsigned n = 0; n < sizeof(operands) / sizeof(operands[0]); n++) {
            test_cells(isa, &operands[n]);
        }
        test_once(isa);
    }
    return done_testing();
}
