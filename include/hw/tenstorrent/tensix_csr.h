/*
 * Control and status registers of a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of TensixHart, for the files of a hart; others ask tensix_hart.h.
 */

#ifndef HW_TENSTORRENT_TENSIX_CSR_H
#define HW_TENSTORRENT_TENSIX_CSR_H

/* Index of the live status CSRs 0xBC0..0xBC9. */
enum {
    TENSIX_STATUS_QSTATUS,
    TENSIX_STATUS_BSTATUS,
    TENSIX_STATUS_SSTATUS0,
    TENSIX_STATUS_CSRS = 10,
};

/*
 * CSRs that RISC-V's own state does not hold (BH CSRs.md).  Counters keep
 * their distance from the clock.
 */
typedef struct TensixCsrs {
    uint32_t cfg0;
    uint32_t pmacfg[2];
    uint32_t scratch[4];           /* cfg1, hwa_mask, hwa_cfg, vgsrc */
    uint32_t status[TENSIX_STATUS_CSRS];
    uint32_t intp_restore_pc;
    uint32_t mcountinhibit;
    uint32_t mhpmevent[2];
    uint32_t vlenb;
    uint64_t cycle_base, instret_base;
    uint64_t mhpmcounter[2];
} TensixCsrs;

#endif
