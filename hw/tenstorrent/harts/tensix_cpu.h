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

/* TCGCPUOps.io_store and io_load: to regions that take them. */
bool tensix_hart_io_store(CPUState *cs, vaddr address, uint32_t value,
                          uintptr_t ra);
bool tensix_hart_io_load(CPUState *cs, vaddr address, uint32_t *value,
                         uintptr_t ra);

/* Reset values of all CSRs. */
void tensix_csr_reset(TensixHart *hart);

static inline uint32_t tensix_hart_env_pc(TensixHart *hart)
{
    return cpu_env(hart->cpu)->pc;
}

static inline void tensix_hart_set_env_pc(TensixHart *hart, uint32_t pc)
{
    cpu_env(hart->cpu)->pc = (target_long)(int32_t)pc;
}

/* Makes its own thread carry out a requested reset, pause or interrupt. */
void tensix_hart_queue_work(TensixHart *hart);

/* In its thread: it leaves reset; it enters the handler. */
void tensix_hart_restart(TensixHart *hart);
void tensix_hart_enter_handler(TensixHart *hart);

/* Reset of the machine. */
void tensix_hart_power_on(TensixHart *hart);

void tensix_hart_vm_state_changed(void *opaque, bool running, RunState state);

/* State of TensixHart's parts */
extern const VMStateDescription vmstate_tensix_hart_stall;
extern const VMStateDescription vmstate_tensix_hart_reset;
extern const VMStateDescription vmstate_tensix_hart_pause;
extern const VMStateDescription vmstate_tensix_hart_irq;
extern const VMStateDescription vmstate_tensix_csrs;

/* Vector and FPU state, for the hart's VMState field `cpu`. */
extern const VMStateDescription vmstate_tensix_cpu_extra;

/* What it did in its latest turns: of TensixHart, on an axis. */
extern const VMStateDescription vmstate_tensix_hart_turns;

/* False if what was loaded could make QEMU's vector code leave its arrays. */
bool tensix_cpu_state_valid(TensixHart *hart);

/* a * b + c as the baby cores round it; flags as of float32_muladd(). */
uint32_t tensix_fpu_muladd(uint32_t a, uint32_t b, uint32_t c, int flags);

#endif
