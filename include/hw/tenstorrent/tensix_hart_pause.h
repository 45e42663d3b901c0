/*
 * How a hart is paused.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of TensixHart, for the files of a hart; others ask tensix_hart.h.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_PAUSE_H
#define HW_TENSTORRENT_TENSIX_HART_PAUSE_H

/* Migrated. */
typedef struct TensixHartPause {
    bool paused;                   /* by ebreak, ecall or a violation */
    bool gdb_knows;                /* paused into a debugger */
    uint32_t pc;                   /* where it continues after a pause */
} TensixHartPause;

#endif
