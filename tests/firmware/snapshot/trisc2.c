/*
 * Snapshot, TRISC2: a REPLAY that a semaphore stops half way, and a load from
 * CoprocessorDoneCheck after it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "snapshot.h"

enum { GPR_COUNT = 20, GPR_STEP, GPR_LAST };
enum { PROGRAM_LENGTH = 4 };

int main(void)
{
    PUSH_OWN = TT_SET_GPR_HALF(2 * GPR_COUNT, 5u);
    PUSH_OWN = TT_SET_GPR_HALF(2 * GPR_COUNT + 1, 0u);
    PUSH_OWN = TT_SET_GPR_HALF(2 * GPR_STEP, 3u);
    PUSH_OWN = TT_SET_GPR_HALF(2 * GPR_STEP + 1, 0u);
    TTINSN(REPLAY, .load_mode = 1, .start_idx = 30, .len = PROGRAM_LENGTH);
    ttinsn(TT_ADD_GPR(GPR_COUNT, GPR_COUNT, GPR_STEP));
    ttinsn(TT_SEM_WAIT(SEM_REPLAY, WHILE_ZERO));
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_REPLAY));
    ttinsn(TT_ADD_GPR(GPR_LAST, GPR_COUNT, GPR_COUNT));
    TTINSN(REPLAY, .start_idx = 30, .len = PROGRAM_LENGTH);
    wait_coprocessor();
    for (unsigned i = 0; i < 3; i++) {
        SHARED->trisc2_gpr[i] = GPRS[GPR_COUNT + i];
    }
    (void)PCBUF_OWN;
    return 0;
}
