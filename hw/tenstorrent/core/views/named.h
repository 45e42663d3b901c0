/*
 * What a kernel may leave behind, value by value, with names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_NAMED_H
#define TENSIX_NAMED_H

#include "tensix_state.h"

/* Kinds of values; the order is the one in which they are shown. */
typedef enum TensixNamedGroup {
    TENSIX_NAMED_CONFIG,           /* "config[bank].FIELD" */
    TENSIX_NAMED_THREAD_CONFIG,    /* "thread-config[thread].FIELD" */
    TENSIX_NAMED_RWC,              /* "rwc[thread].Dst" */
    TENSIX_NAMED_ADC,              /* "adc[thread].unpacker0[channel].X" */
    TENSIX_NAMED_GPR,              /* "gpr[thread][number]" */
    TENSIX_NAMED_CONSTANT,         /* "lreg[number][lane]", LRegs 11 to 14 */
    TENSIX_NAMED_LANE,             /* "lane-config[lane]", "lane-flags" */
    TENSIX_NAMED_BANK,             /* "srca.owner[bank]", "srca.matrix-bank" */
    TENSIX_NAMED_SEMAPHORE,        /* "semaphore[number].value" */
    TENSIX_NAMED_MUTEX,            /* "mutex[number].owner": thread + 1 */
    TENSIX_NAMED_EXPANDER,         /* "mop-cfg[thread][n]", "replay[..][..]" */
    TENSIX_NAMED_GROUPS,
} TensixNamedGroup;

/* The name lives as long as the call. */
typedef void TensixNamedFn(void *opaque, TensixNamedGroup group,
                           const char *name, uint32_t before, uint32_t after);

/*
 * Calls fn for each named value that differs between two states, group by
 * group.  Words of configuration that both banks share are named as bank 0's;
 * bits without a name as "config[0].word[12]".
 */
void tensix_named_changes(const TensixState *before, const TensixState *after,
                          TensixNamedFn *fn, void *opaque);

#endif
