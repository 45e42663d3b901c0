/*
 * Soft reset of a hart, and its image at power-on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of TensixHart, for the files of a hart; others ask tensix_hart.h.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_RESET_H
#define HW_TENSTORRENT_TENSIX_HART_RESET_H

typedef struct TensixHartReset {
    /* what the board sets */
    bool start_held;               /* held in reset at power-on */
    bool has_image;                /* its image lies in memory at power-on */
    uint32_t image_pc;             /* pc at power-on if not start_held */

    /* migrated */
    bool held;                     /* by soft reset */
    bool restart;                  /* reset and fetch the reset pc when run */
    bool keep_ram;                 /* DISABLE_RESET: local RAM is not cleared */
    bool image_ram;                /* has_image, and never released yet */
    uint32_t pc;                   /* where it starts when it is released */
    uint32_t boot_pc;              /* pc after the next reset of the CPU */
} TensixHartReset;

#endif
