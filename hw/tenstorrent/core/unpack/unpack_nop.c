/*
 * UNPACR_NOP: clearing a Src bank and handing it to the Matrix Unit, and
 * freeing messages of an overlay stream.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_NOP_ZEROSRC.md, UNPACR_NOP_SETDVALID.md, UNPACR_NOP_Nop.md,
 * UNPACR_NOP_OverlayClear.md; the Blackhole field layout is LLK's: one
 * instruction clears and then gives the bank away.
 */

#include "regs/regfile.h"
#include "config/config.h"

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

/* Clr_to1_fmt_Ctrl: the format of 1, or another function */
enum {
    ONE_FP16,
    ONE_BF16,
    ONE_INT8,
    FORMAT_SET_DVALID_ONLY,
};

/* The number 1 in a Src cell, by Clr_to1_fmt_Ctrl (SrcASrcB.md). */
static const uint32_t ones[] = {
    [ONE_FP16] = 15,
    [ONE_BF16] = 127,
    [ONE_INT8] = 1 << 8 | 16,
};

/* In Src_ClrVal_Ctrl with POP_OVERLAY_STREAM: LLK's wider form. */
enum { OVERLAY_WIDE = 1 };

/* Registers of overlay streams as a hart sees them (tensix_streams.c). */
static const uint32_t stream_base = 0xffb40000;

enum {
    STREAM_SIZE = 0x1000,
    STREAM_MSG_DATA_CLEAR = 266 * 4,
};

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

static uint32_t clear_value(TensixCore *c, const TensixInsn *i, uint32_t src)
{
    switch (OPERAND(i, UNPACR_NOP, Src_ClrVal_Ctrl)) {
    case CLEAR_TO_MINUS_INF:
        return SRC_VALUE_MASK;
    case CLEAR_TO_ONE:
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "the formats of clearing to 1 are reserved");
        return ones[OPERAND(i, UNPACR_NOP, Clr_to1_fmt_Ctrl)];
    case CLEAR_TO_REGISTER:
        tensix_violation(c, i, TENSIX_UNPREDICTABLE_VALUE,
                         "the layout of UNP%u_NOP_REG_CLR_VAL is not known: "
                         "taken as a cell's 19 bits", (unsigned)src);
        return SRC_VALUE_MASK &
               (src == TENSIX_SRCA
                ? CFG_GET(c, i->thread, UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val)
                : CFG_GET(c, i->thread, UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val));
    default:
        return 0;
    }
}

static void clear(TensixCore *c, const TensixInsn *i, uint32_t src)
{
    uint32_t bank = c->s.unpack_bank[src];
    uint32_t value = clear_value(c, i, src);

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
        tensix_unpack_hand_over_bank(c, i, src);
        return TENSIX_DONE;
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
        tensix_unpack_hand_over_bank(c, i, src);
    }
    return TENSIX_DONE;
}

/* The stream that the instruction names, or else the thread's configuration. */
static uint32_t overlay_stream(const TensixCore *c, const TensixInsn *i,
                               uint32_t src)
{
    if (OPERAND(i, UNPACR_NOP, Unpack_Pop) == POP_OVERLAY_STREAM &&
        OPERAND(i, UNPACR_NOP, Msg_Clr_Cnt)) {
        return OPERAND(i, UNPACR_NOP, Stream_Id);
    }
    return src == TENSIX_SRCA
           ? THREAD_CFG_GET(c, i->thread, NOC_OVERLAY_MSG_CLEAR_StreamId_0)
           : THREAD_CFG_GET(c, i->thread, NOC_OVERLAY_MSG_CLEAR_StreamId_1);
}

/* Writes 1 to the stream's STREAM_MSG_DATA_CLEAR. */
static TensixResult clear_overlay(TensixCore *c, const TensixInsn *i,
                                  uint32_t src)
{
    uint32_t address = stream_base + STREAM_MSG_DATA_CLEAR +
                       overlay_stream(c, i, src) * STREAM_SIZE;

    if (OPERAND(i, UNPACR_NOP, Unpack_Pop) == POP_OVERLAY_STREAM &&
        OPERAND(i, UNPACR_NOP, Src_ClrVal_Ctrl) & OVERLAY_WIDE) {
        return unimplemented(c, i, "writes a register that TDMA-RISC selects");
    }
    if (!c->host.mmio_write) {
        return unimplemented(c, i, "needs overlay streams");
    }
    if (c->host.mmio_write(c->host.opaque, i, address, 1) == TENSIX_RETRY) {
        c->signals.changed |= TENSIX_CHANGED_POLL;
        return tensix_retry(c, i, TENSIX_WAIT_MMIO, address);
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
        return clear_overlay(c, i, src);
    }
}
