/*
 * UNPACR_NOP: clearing a Src bank and handing it to the Matrix Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_NOP_ZEROSRC.md, UNPACR_NOP_SETDVALID.md, UNPACR_NOP_Nop.md; the
 * Blackhole field layout is LLK's (FACTS 3.1 row 6): one instruction clears
 * and then gives the bank away.
 */

#include "regfile.h"

/* Unpack_Pop */
enum {
    POP_OVERLAY_CLEAR,
    POP_CLEAR_SRC,
    POP_NOTHING,
    POP_OVERLAY_STREAM,
};

/* Src_ClrVal_Ctrl */
enum {
    CLEAR_TO_ZERO,
    CLEAR_TO_MINUS_INF,
    CLEAR_TO_ONE,
    CLEAR_TO_REGISTER,
};

enum { FORMAT_SET_DVALID_ONLY = 3 };  /* in Clr_to1_fmt_Ctrl */

static TensixResult unimplemented(TensixCore *c, const TensixInsn *i,
                                  const char *what)
{
    return tensix_violation(c, i, TENSIX_UNIMPLEMENTED, "UNPACR_NOP that %s",
                            what);
}

/* The bank whose owner must be the unpackers before the clearing starts. */
static uint32_t awaited_bank(const TensixCore *c, const TensixInsn *i,
                             uint32_t src)
{
    return OPERAND(i, UNPACR_NOP, Stall_Clr_Cntrl) ? c->s.unpack_bank[src]
                                                   : c->s.matrix_bank[src];
}

static void clear(TensixCore *c, const TensixInsn *i, uint32_t src)
{
    uint32_t bank = c->s.unpack_bank[src];
    bool minus_inf =
        OPERAND(i, UNPACR_NOP, Src_ClrVal_Ctrl) == CLEAR_TO_MINUS_INF;
    uint32_t value = minus_inf ? SRC_VALUE_MASK : 0;

    if (OPERAND(i, UNPACR_NOP, Bank_Clr_Ctrl)) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "clearing both banks races with the Matrix Unit");
        tensix_src_fill(c, src, bank ^ 1, value);
    }
    tensix_src_fill(c, src, bank, value);
}

static TensixResult clear_src(TensixCore *c, const TensixInsn *i, uint32_t src)
{
    if (OPERAND(i, UNPACR_NOP, Clr_to1_fmt_Ctrl) == FORMAT_SET_DVALID_ONLY) {
        tensix_unpack_hand_over_bank(c, i->thread, src);
        return TENSIX_DONE;
    }
    if (OPERAND(i, UNPACR_NOP, Src_ClrVal_Ctrl) >= CLEAR_TO_ONE) {
        return unimplemented(c, i,
                             "clears to a value other than 0 and -infinity");
    }
    if (!tensix_src_owned_by(c, src, awaited_bank(c, i, src),
                             TENSIX_CLIENT_UNPACKERS)) {
        return tensix_retry(c, i,
                            src == TENSIX_SRCA ? TENSIX_WAIT_SRCA_UNPACK
                                               : TENSIX_WAIT_SRCB_UNPACK,
                            0);
    }
    clear(c, i, src);
    if (OPERAND(i, UNPACR_NOP, Set_Dvalid)) {
        tensix_unpack_hand_over_bank(c, i->thread, src);
    }
    return TENSIX_DONE;
}

TensixResult tensix_exec_UNPACR_NOP(TensixCore *c, const TensixInsn *i)
{
    uint32_t src =
        OPERAND(i, UNPACR_NOP, Unpacker_Select) ? TENSIX_SRCB : TENSIX_SRCA;

    switch (OPERAND(i, UNPACR_NOP, Unpack_Pop)) {
    case POP_CLEAR_SRC:
        return clear_src(c, i, src);
    case POP_NOTHING:
        return TENSIX_DONE;
    default:
        return unimplemented(c, i, "clears messages of an overlay stream");
    }
}
