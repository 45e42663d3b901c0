/*
 * The baby RISC-V CPU type, for the files that make up a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_CPU_H
#define HW_TENSTORRENT_TENSIX_CPU_H

#include "target/riscv/tensix/tensix.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "tensix_isa.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixCPU, TENSIX_CPU)

struct TensixCPU {
    RISCVTensixCPU parent_obj;

    TensixHart *hart;
};

/* One CSR instruction; the CSRs of BH CSRs.md and no others. */
RISCVException tensix_csr_access(TensixHart *hart, int csrno,
                                 target_ulong *ret, target_ulong new_value,
                                 target_ulong write_mask);

/* RISCVCPUClass.gdb_register_csrs: gdb sees the CSRs that the hart has. */
void tensix_csr_register_gdb(CPUState *cs);

/* Reset values of all CSRs. */
void tensix_csr_reset(TensixHart *hart);

/* Vector and FPU state, for the hart's VMState field `cpu`. */
extern const VMStateDescription vmstate_tensix_cpu_extra;

/* What it did in its latest turns: of TensixHart, on an axis. */
extern const VMStateDescription vmstate_tensix_hart_turns;

/* False if what was loaded could make QEMU's vector code leave its arrays. */
bool tensix_cpu_state_valid(TensixHart *hart);

/* a * b + c as the baby cores round it; flags as of float32_muladd(). */
uint32_t tensix_fpu_muladd(uint32_t a, uint32_t b, uint32_t c, int flags);

#endif
