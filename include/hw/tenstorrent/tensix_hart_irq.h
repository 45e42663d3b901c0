/*
 * How a hart is interrupted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of TensixHart, for the files of a hart; others ask tensix_hart.h.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_IRQ_H
#define HW_TENSTORRENT_TENSIX_HART_IRQ_H

/* Migrated. */
typedef struct TensixHartIrq {
    bool in_handler;               /* between interrupt entry and mret */
    bool pending;
    uint32_t pc;                   /* handler of the pending interrupt */
    uint32_t restore_pc;           /* where mret goes */
} TensixHartIrq;

#endif
