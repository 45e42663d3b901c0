/*
 * Atomics, TRISC0: adds by ATINCGET, and writes a half by ATSWAP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ATINCGET.md, ATSWAP.md.
 */

#include "atomics.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

enum {
    GPR_ADDRESS = 8,
    GPR_STEP,
    GPR_COUNTER,
    GPR_DATA = 12,                 /* of four; the second is for halves */
    ALL_BITS = 31,                 /* WrapVal: a counter of 32 bits */
    LOW_HALF_OF_WORD_1 = 1 << 2,   /* SwapMask */
};

#define SET_GPR(gpr, value) do { \
        ttinsn(TT_SET_GPR_HALF(2 * (gpr), (value))); \
        ttinsn(TT_SET_GPR_HALF(2 * (gpr) + 1, 0)); \
    } while (0)

int main(void)
{
    SET_GPR(GPR_ADDRESS, SHARED_BASE / L1_UNIT);
    SET_GPR(GPR_STEP, 1);
    SET_GPR(GPR_DATA + 1, 0);
    for (unsigned n = 0; n < ADDITIONS; n++) {
        ttinsn(TT_ADD_GPR(GPR_DATA + 1, GPR_DATA + 1, GPR_STEP));
        SET_GPR(GPR_COUNTER, 1);   /* becomes what the counter was */
        TTINSN(ATINCGET, .AddrRegIndex = GPR_ADDRESS,
               .DataRegIndex = GPR_COUNTER, .WrapVal = ALL_BITS);
        TTINSN(ATSWAP, .AddrRegIndex = GPR_ADDRESS, .DataRegIndex = GPR_DATA,
               .SwapMask = LOW_HALF_OF_WORD_1);
    }
    wait_coprocessor();
    SHARED->trisc0_finished = 1;
    return 0;
}
