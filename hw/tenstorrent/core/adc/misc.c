/*
 * Miscellaneous Unit: what is not an address counter (adc.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "regs/regfile.h"
#include "tensix_internal.h"

/*
 * Not supported on Blackhole, because the implied format becomes
 * unpredictable: reported, then done as on Wormhole; the format stays.
 */
TensixResult tensix_exec_SETDVALID(TensixCore *c, const TensixInsn *i)
{
    tensix_violation(
        c, i, TENSIX_UNPREDICTABLE_VALUE,
        "SETDVALID leaves the implied format unpredictable; use UNPACR_NOP");
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        if (!(OPERAND(i, SETDVALID, setvalid) >> src & 1)) {
            continue;
        }
        c->s.src_given[src][c->s.unpack_bank[src]] = i->origin;
        tensix_src_set_client(c, src, c->s.unpack_bank[src],
                              TENSIX_CLIENT_MATRIX_UNIT);
        tensix_src_flip_unpack_bank(c, src);
        tensix_unpack_reset_row(c, i->thread, src);
    }
    return TENSIX_DONE;
}
