/*
 * State of the coprocessor as QAPI has it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each function reads the core, which the caller has locked, and returns what
 * is to be freed with qapi_free_...().  QMP commands and `info tensix` are
 * built from these.
 */

#ifndef HW_TENSTORRENT_TENSIX_QUERY_H
#define HW_TENSTORRENT_TENSIX_QUERY_H

#include "hw/tenstorrent/core/views/named.h"
#include "hw/tenstorrent/core/views/why.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "qapi/qapi-types-tenstorrent.h"
#include "qapi/qapi-types-tenstorrent-registers.h"
#include "qapi/qapi-types-tenstorrent-state.h"

/*
 * The tile of a command's argument, locked; NULL and errp set if there is none
 * of that path, or, without a path, not exactly one.  BQL held; to be followed
 * by tensix_cop_release().
 */
TensixCopState *tensix_query_begin(const char *path, Error **errp);

/* --- waits (tensix_query_why.c) --- */

/*
 * The graph of five harts and three threads; nodes are zero before.  What they
 * wait for in words is only there for threads.
 */
void tensix_query_graph(TensixCopState *cop, TensixWhyNode *nodes);
TensixWhy *tensix_query_why(TensixCopState *cop);
TensixHartInfoList *tensix_query_harts(TensixCopState *cop);

/* A row for each thing that is unfinished (tensix_query_unfinished.c).  BQL held. */
TensixUnfinishedList *tensix_query_unfinished(TensixCopState *cop);

/* What the instruction at its gate, or an idle thread, waits for, or NULL. */
TensixWait *tensix_query_thread_wait(TensixCopState *cop, uint32_t thread);

/* --- threads (tensix_query_threads.c) --- */

/* With where its expansion was written down; NULL if the place is empty. */
TensixInsnInfo *tensix_query_insn(TensixCopState *cop, const TensixInsn *insn);

TensixThreadInfoList *tensix_query_threads(TensixCopState *cop);
TensixMacroInfo *tensix_query_macro(TensixCopState *cop);

/* --- small registers and configuration (tensix_query_state.c) --- */

TensixSemaphoreInfo *tensix_query_semaphore(TensixCopState *cop,
                                            uint32_t index);
TensixSemaphoreInfoList *tensix_query_semaphores(TensixCopState *cop);
TensixMutexInfoList *tensix_query_mutexes(TensixCopState *cop);
TensixRwcInfoList *tensix_query_rwcs(TensixCopState *cop);
TensixAdcInfoList *tensix_query_adcs(TensixCopState *cop);
TensixFlagsInfo *tensix_query_flags(TensixCopState *cop);
TensixGprInfoList *tensix_query_gprs(TensixCopState *cop);
TensixBankInfoList *tensix_query_banks(TensixCopState *cop);
TensixUnitInfoList *tensix_query_units(TensixCopState *cop);

/* Estimated cycles (tensix_query_time.c); NULL with errp set: not estimated. */
TensixTimeInfo *tensix_query_time(TensixCopState *cop, Error **errp);

/*
 * Fields of Config in both banks or, `threads`, of the threads' ThreadConfig,
 * that are not 0, or all, or, of any value, those of these names; NULL with errp
 * set if there is no such name.
 */
TensixConfigFieldList *tensix_query_config(TensixCopState *cop, bool threads,
                                           strList *names, bool all,
                                           Error **errp);

/* --- rows of register files (tensix_query_rows.c) --- */

/* Which rows, and how they are read. */
typedef struct TensixRowsArgs {
    uint32_t first, count;         /* count 0: all that follow */
    bool has_format;               /* else: the configured one */
    TensixFormat format;
    uint32_t bank;                 /* of SrcA or SrcB */
    bool details;                  /* of `info tensix why` */
} TensixRowsArgs;

/* NULL and errp set if there is no such row, bank or format. */
TensixRows *tensix_query_lregs(TensixCopState *cop,
                               const TensixRowsArgs *wanted, Error **errp);
TensixRows *tensix_query_dest(TensixCopState *cop,
                              const TensixRowsArgs *wanted, Error **errp);
TensixSrcRows *tensix_query_src(TensixCopState *cop, TensixSrcName src,
                                const TensixRowsArgs *wanted, Error **errp);

/* --- what a kernel leaves (tensix_marks.c) --- */

/* A moment, to be freed with qemu_vfree(): the state is aligned. */
TensixState *tensix_query_copy(const TensixState *state);

/* The value as QAPI has it, with a name that is to be freed. */
void tensix_query_change(const TensixNamedValue *value, TensixChange *change);

#endif
