/*
 * Packer: PACR_SETREG, a register write in order with PACRs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH PACR_SETREG.md; its two addresses and four scalers come from TDMA-RISC
 * (WH TDMA-RISC.md).  Blackhole has no such page.
 */

#include "pack/pack.h"
#include "config/config.h"

enum {
    WINDOW_START = 0x11000,        /* offsets from register_space */
    WINDOW_END = 0x80000,
    HIGH_BITS = 0x1ffff,
    HIGH_LOW = 12,                 /* where they start in the value */
    MIDDLE_LOW = 12,               /* of the address, in StreamId */
    /* the bits that the page's only form has fixed, and their values */
    FIXED = 1 << TENSIX_PACR_SETREG_Push_LOW |
            3 << TENSIX_PACR_SETREG_DisableStall_LOW |
            3 << TENSIX_PACR_SETREG_AddrSel_LOW |
            1 << TENSIX_PACR_SETREG_Flush_LOW |
            1 << TENSIX_PACR_SETREG_Last_LOW,
    FIXED_VALUE = FIXED & ~(1 << TENSIX_PACR_SETREG_Last_LOW),
};

static const uint32_t register_space = 0xffb00000;

/* The page calls ModeSel AddrSel, and Unused Value10. */
static uint32_t find_address(const TensixCore *c, const TensixInsn *i)
{
    return c->s.set_reg.base[OPERAND(i, PACR_SETREG, ModeSel)] +
           (OPERAND(i, PACR_SETREG, StreamId) << MIDDLE_LOW);
}

static uint32_t find_value(const TensixCore *c, const TensixInsn *i)
{
    uint32_t low = OPERAND(i, PACR_SETREG, Unused);
    uint32_t format =
        CFG_GET(c, i->thread, THCON_SEC0_REG1_Out_data_format);
    uint32_t high = low * c->s.set_reg.hi_scaler[format & 3];

    return low + ((high & HIGH_BITS) << HIGH_LOW);
}

/* TENSIX_RETRY: nothing has happened. */
static TensixResult write_register(TensixCore *c, const TensixInsn *i,
                                   uint32_t address)
{
    if (!c->host.mmio_write) {
        return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                                "no registers can be reached from here");
    }
    if (c->host.mmio_write(c->host.opaque, i, address, find_value(c, i)) ==
        TENSIX_RETRY) {
        c->signals.changed |= TENSIX_CHANGED_POLL;
        return tensix_retry(c, i, TENSIX_WAIT_MMIO, address);
    }
    return TENSIX_DONE;
}

/* Flushes the packer's buffers and writes one register. */
TensixResult tensix_exec_PACR_SETREG(TensixCore *c, const TensixInsn *i)
{
    uint32_t offset = find_address(c, i);

    if ((i->word & FIXED) != FIXED_VALUE) {
        return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                                "no page gives this form");
    }
    if (offset < WINDOW_START) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "register address 0x%x",
                         (unsigned)(register_space + offset));
    } else if (offset < WINDOW_END &&
               write_register(c, i, register_space + offset) == TENSIX_RETRY) {
        return TENSIX_RETRY;
    }
    tensix_pack_flush(c, i);
    return TENSIX_DONE;
}
