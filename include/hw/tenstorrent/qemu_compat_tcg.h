/*
 * Differences between the releases of QEMU in what users of TCG and RISC-V need.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_QEMU_COMPAT_TCG_H
#define HW_TENSTORRENT_QEMU_COMPAT_TCG_H

#include "hw/tenstorrent/qemu_compat.h"
#include "exec/tb-flush.h"

#if QEMU_RELEASE >= 1002

#include "accel/tcg/cpu-ldst.h"
#include "accel/tcg/cpu-mmu-index.h"
#include "accel/tcg/cpu-ops.h"
#include "accel/tcg/probe.h"
#include "exec/cputlb.h"
#include "exec/target_page.h"
#include "exec/translation-block.h"
#include "exec/watchpoint.h"

#define riscv_class_set_mxl(mcc, mxl) ((mcc)->def->misa_mxl_max = (mxl))
#define RISCV_CLASS_DATA(mxl) (&(const RISCVCPUDef) {   \
        .misa_mxl_max = (mxl),                          \
        .priv_spec = RISCV_PROFILE_ATTR_UNUSED,         \
        .vext_spec = RISCV_PROFILE_ATTR_UNUSED,         \
    })
#define riscv_cfg_set_bare(cfg) ((cfg)->max_satp_mode = VM_1_10_MBARE)
#define vsetvl(env, avl, vtype) helper_vsetvl(env, avl, vtype, 0)
#define invalidate_code(start, last) tb_invalidate_phys_range(NULL, start, last)

#else

#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"

#define riscv_class_set_mxl(mcc, mxl) ((mcc)->misa_mxl_max = (mxl))
#define RISCV_CLASS_DATA(mxl) NULL
#define riscv_cfg_set_bare(cfg) \
    ((cfg)->satp_mode.supported = 1 << VM_1_10_MBARE)
#define vsetvl(env, avl, vtype) helper_vsetvl(env, avl, vtype)
#define queue_tb_flush(cpu) tb_flush(cpu)
#define invalidate_code(start, last) tb_invalidate_phys_range(start, last)

#endif
#endif
