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

/* A value that differs; the name lives as long as the call. */
typedef struct TensixNamedValue {
    TensixNamedGroup group;
    const char *name;
    uint32_t before, after;
    uint32_t offset, mask;         /* where it is: as in TensixNamedWords */
} TensixNamedValue;

typedef void TensixNamedFn(void *opaque, const TensixNamedValue *value);

/*
 * Calls fn for each named value that differs between two states, group by
 * group.  Words of configuration that both banks share are named as bank 0's;
 * bits without a name as "config[0].word[12]".
 */
void tensix_named_changes(const TensixState *before, const TensixState *after,
                          TensixNamedFn *fn, void *opaque);

/* What changes a value. */
typedef enum TensixNamedBy {
    TENSIX_NAMED_BY_EXECUTION,     /* instructions, harts: observe/observe.h */
    TENSIX_NAMED_BY_CONFIGURING,   /* of these, TensixExecuted.configures */
    TENSIX_NAMED_BY_REGISTER,      /* harts' stores to other registers */
    TENSIX_NAMED_BY_EXPANDER,      /* words that pass by */
} TensixNamedBy;

/* Words of TensixState that lie side by side and have named values. */
typedef struct TensixNamedWords {
    TensixNamedBy by;
    uint32_t offset;               /* bytes from the state's start */
    uint32_t count, size;          /* words, and bytes of each: 2 or 4 */
} TensixNamedWords;

typedef void TensixNamedWordsFn(void *opaque, const TensixNamedWords *words);

/* Calls fn for all of them. */
void tensix_named_words(TensixNamedWordsFn *fn, void *opaque);

#endif
