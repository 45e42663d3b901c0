/*
 * The baby RISC-V CPU type, for the files that make up a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_CPU_H
#define HW_TENSTORRENT_TENSIX_CPU_H

#include "cpu.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "tensix_isa.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixCPU, TENSIX_CPU)

struct TensixCPU {
    RISCVCPU parent_obj;

    TensixHart *hart;
};

/* One CSR instruction; the CSRs of BH CSRs.md and no others. */
RISCVException tensix_csr_access(TensixHart *hart, int csrno,
                                 target_ulong *ret, target_ulong new_value,
                                 target_ulong write_mask);

/* Name of a CSR, NULL if this hart has no such one. */
const char *tensix_csr_name(const TensixHart *hart, int csrno);

/* Reads a CSR without side effects; false if there is none.  BQL held. */
bool tensix_csr_peek(TensixHart *hart, int csrno, uint32_t *value);

/* Reset values of all CSRs. */
void tensix_csr_reset(TensixHart *hart);

/* Vector and FPU state, for the hart's VMState field `cpu`. */
extern const VMStateDescription vmstate_tensix_cpu_extra;

/* False if what was loaded could make QEMU's vector code leave its arrays. */
bool tensix_cpu_state_valid(TensixHart *hart);

/* a * b + c as the baby cores round it; flags as of float32_muladd(). */
uint32_t tensix_fpu_muladd(uint32_t a, uint32_t b, uint32_t c, int flags);

#endif
