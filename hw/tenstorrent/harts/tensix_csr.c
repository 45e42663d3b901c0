/*
 * Control and status registers of a baby RISC-V (BH CSRs.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One row per CSR; an address without a row does not exist.  The cycle and
 * retirement counters follow the tile's clock: the model has no cycles of its
 * own, and one instruction per clock is the hardware's best.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_hart_time.h"
#include "migration/vmstate.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "exec/gdbstub.h"
#include "gdbstub/helpers.h"
#include "exec/helper-proto.h"

typedef struct CsrDef {
    uint16_t number;
    uint8_t index;                 /* for read and write, of several alike */
    const char *name;
    uint32_t harts;                /* that have it: TENSIX_MASK_* */
    uint32_t (*read)(TensixHart *hart, unsigned index);
    /* NULL: writes have no effect */
    void (*write)(TensixHart *hart, unsigned index, uint32_t value);
} CsrDef;

enum {
    MSTATUS_VALUE = 0x80006600,
    MISA_VALUE = 0x40201123,
    FCSR_FLAGS_MASK = 0x1f,
    FCSR_RM_SHIFT = 5,
    FCSR_RM_MASK = 7,
    VTYPE_MASK = 0xff,
};

static CPURISCVState *hart_env(TensixHart *hart)
{
    return cpu_env(hart->cpu);
}

static uint32_t read_zero(TensixHart *hart, unsigned index)
{
    return 0;
}

static uint32_t read_fcsr(TensixHart *hart, unsigned index)
{
    CPURISCVState *env = hart_env(hart);

    return env->frm << FCSR_RM_SHIFT | riscv_cpu_get_fflags(env);
}

static void write_fcsr(TensixHart *hart, unsigned index, uint32_t value)
{
    CPURISCVState *env = hart_env(hart);

    env->frm = (value >> FCSR_RM_SHIFT) & FCSR_RM_MASK;
    riscv_cpu_set_fflags(env, value & FCSR_FLAGS_MASK);
}

static uint32_t read_vxsat(TensixHart *hart, unsigned index)
{
    return hart_env(hart)->vxsat & 1;
}

static void write_vxsat(TensixHart *hart, unsigned index, uint32_t value)
{
    hart_env(hart)->vxsat = value & 1;
}

static uint32_t read_vxrm(TensixHart *hart, unsigned index)
{
    return hart_env(hart)->vxrm & 3;
}

static void write_vxrm(TensixHart *hart, unsigned index, uint32_t value)
{
    hart_env(hart)->vxrm = value & 3;
}

static uint32_t read_mstatus(TensixHart *hart, unsigned index)
{
    return MSTATUS_VALUE;
}

static uint32_t read_misa(TensixHart *hart, unsigned index)
{
    return MISA_VALUE;
}

static uint32_t read_mcountinhibit(TensixHart *hart, unsigned index)
{
    return hart->csr.mcountinhibit;
}

static void write_mcountinhibit(TensixHart *hart, unsigned index,
                                uint32_t value)
{
    hart->csr.mcountinhibit = value;
}

static uint32_t read_mhpmevent(TensixHart *hart, unsigned index)
{
    return hart->csr.mhpmevent[index];
}

static void write_mhpmevent(TensixHart *hart, unsigned index, uint32_t value)
{
    hart->csr.mhpmevent[index] = value;
}

static uint32_t read_cfg0(TensixHart *hart, unsigned index)
{
    return hart->csr.cfg0;
}

static bool is_trisc(const TensixHart *hart)
{
    return hart->id >= TENSIX_HART_TRISC0;
}

static bool status_is_live(const TensixHart *hart, unsigned index)
{
    bool frozen = hart->csr.cfg0 & TENSIX_CFG0_DIS_TT_STATUS_REG;

    return hart->status_fn && !frozen &&
           (is_trisc(hart) || index < TENSIX_STATUS_SSTATUS0);
}

static void refresh_status(TensixHart *hart, unsigned index)
{
    if (status_is_live(hart, index)) {
        hart->csr.status[index] = hart->status_fn(hart->status_opaque,
                                                  hart->id, index);
    }
}

/* DisTTStatusReg freezes what is there; EnBFloat changes what is translated. */
static void write_cfg0(TensixHart *hart, unsigned index, uint32_t value)
{
    uint32_t changed = hart->csr.cfg0 ^ value;

    if (changed & value & TENSIX_CFG0_DIS_TT_STATUS_REG) {
        for (unsigned i = 0; i < TENSIX_STATUS_CSRS; i++) {
            refresh_status(hart, i);
        }
    }
    hart->csr.cfg0 = value;
    if (changed & TENSIX_CFG0_EN_BFLOAT) {
        queue_tb_flush(hart->cpu);
    }
}

static uint32_t read_pmacfg(TensixHart *hart, unsigned index)
{
    return hart->csr.pmacfg[index];
}

static void write_pmacfg(TensixHart *hart, unsigned index, uint32_t value)
{
    hart->csr.pmacfg[index] = value;
}

static uint32_t read_scratch(TensixHart *hart, unsigned index)
{
    return hart->csr.scratch[index];
}

static void write_scratch(TensixHart *hart, unsigned index, uint32_t value)
{
    hart->csr.scratch[index] = value;
}

/*
 * Clock counters: by index, cycles and instructions retired.  A counter keeps
 * its distance from the clock; a write moves it.
 */
enum {
    COUNTER_CYCLE,
    COUNTER_INSTRET,
    LOW_HALF = 0,                  /* bit that a 32-bit CSR starts at */
    HIGH_HALF = 32,
};

static uint64_t *counter_base(TensixHart *hart, unsigned index)
{
    return index == COUNTER_CYCLE ? &hart->csr.cycle_base
                                  : &hart->csr.instret_base;
}

static void write_counter_half(TensixHart *hart, unsigned index, unsigned half,
                               uint32_t value)
{
    uint64_t *base = counter_base(hart, index);
    uint64_t now = tensix_hart_clock(hart);

    *base = deposit64(now + *base, half, 32, value) - now;
}

static uint32_t read_counter(TensixHart *hart, unsigned index)
{
    return tensix_hart_clock(hart) + *counter_base(hart, index);
}

static uint32_t read_counterh(TensixHart *hart, unsigned index)
{
    return (tensix_hart_clock(hart) + *counter_base(hart, index)) >> HIGH_HALF;
}

static void write_counter(TensixHart *hart, unsigned index, uint32_t value)
{
    write_counter_half(hart, index, LOW_HALF, value);
}

static void write_counterh(TensixHart *hart, unsigned index, uint32_t value)
{
    write_counter_half(hart, index, HIGH_HALF, value);
}

/* No event is ever counted; PmcClrOnRd still clears what was written. */
static uint32_t read_hpm_half(TensixHart *hart, unsigned index, unsigned half)
{
    uint64_t *counter = &hart->csr.mhpmcounter[index];
    uint32_t value = *counter >> half;

    if (hart->csr.cfg0 & TENSIX_CFG0_PMC_CLR_ON_RD) {
        *counter = deposit64(*counter, half, 32, 0);
    }
    return value;
}

static void write_hpm_half(TensixHart *hart, unsigned index, unsigned half,
                           uint32_t value)
{
    uint64_t *counter = &hart->csr.mhpmcounter[index];

    *counter = deposit64(*counter, half, 32, value);
}

static uint32_t read_hpm(TensixHart *hart, unsigned index)
{
    return read_hpm_half(hart, index, LOW_HALF);
}

static uint32_t read_hpmh(TensixHart *hart, unsigned index)
{
    return read_hpm_half(hart, index, HIGH_HALF);
}

static void write_hpm(TensixHart *hart, unsigned index, uint32_t value)
{
    write_hpm_half(hart, index, LOW_HALF, value);
}

static void write_hpmh(TensixHart *hart, unsigned index, uint32_t value)
{
    write_hpm_half(hart, index, HIGH_HALF, value);
}

static uint32_t read_status(TensixHart *hart, unsigned index)
{
    refresh_status(hart, index);
    return hart->csr.status[index];
}

static void write_status(TensixHart *hart, unsigned index, uint32_t value)
{
    hart->csr.status[index] = value;
}

static uint32_t read_restore_pc(TensixHart *hart, unsigned index)
{
    return hart->csr.intp_restore_pc;
}

static void write_restore_pc(TensixHart *hart, unsigned index, uint32_t value)
{
    hart->csr.intp_restore_pc = value;
}

static uint32_t read_vl(TensixHart *hart, unsigned index)
{
    return hart_env(hart)->vl;
}

/* Held to VLMAX: a longer vl has no meaning, and would leave the registers. */
static void write_vl(TensixHart *hart, unsigned index, uint32_t value)
{
    CPURISCVState *env = hart_env(hart);

    vsetvl(env, value, env->vtype);
}

static uint32_t read_vtype(TensixHart *hart, unsigned index)
{
    return hart_env(hart)->vtype & VTYPE_MASK;
}

static void write_vtype(TensixHart *hart, unsigned index, uint32_t value)
{
    CPURISCVState *env = hart_env(hart);

    vsetvl(env, env->vl, value & VTYPE_MASK);
}

static uint32_t read_vlenb(TensixHart *hart, unsigned index)
{
    return hart->csr.vlenb;
}

static void write_vlenb(TensixHart *hart, unsigned index, uint32_t value)
{
    hart->csr.vlenb = value;
}

static const CsrDef csrs[] = {
    { 0x003, 0, "fcsr", TENSIX_MASK_HARTS, read_fcsr, write_fcsr },
    { 0x008, 0, "vstart", TENSIX_MASK_HARTS, read_zero },
    { 0x009, 0, "vxsat", TENSIX_MASK_HARTS, read_vxsat, write_vxsat },
    { 0x00a, 0, "vxrm", TENSIX_MASK_HARTS, read_vxrm, write_vxrm },
    { 0x300, 0, "mstatus", TENSIX_MASK_HARTS, read_mstatus },
    { 0x301, 0, "misa", TENSIX_MASK_HARTS, read_misa },
    { 0x320, 0, "mcountinhibit", TENSIX_MASK_HARTS, read_mcountinhibit,
      write_mcountinhibit },
    { 0x323, 0, "mhpmevent3", TENSIX_MASK_HARTS, read_mhpmevent,
      write_mhpmevent },
    { 0x324, 1, "mhpmevent4", TENSIX_MASK_HARTS, read_mhpmevent,
      write_mhpmevent },
    { 0x7c0, 0, "cfg0", TENSIX_MASK_HARTS, read_cfg0, write_cfg0 },
    { 0x7c1, 0, "pmacfg0", TENSIX_MASK_HARTS, read_pmacfg, write_pmacfg },
    { 0x7c2, 1, "pmacfg1", TENSIX_MASK_HARTS, read_pmacfg, write_pmacfg },
    { 0x7c3, 0, "cfg1", TENSIX_MASK_HARTS, read_scratch, write_scratch },
    { 0x7c4, 1, "hwa_mask", TENSIX_MASK_HARTS, read_scratch, write_scratch },
    { 0x7c5, 2, "hwa_cfg", TENSIX_MASK_HARTS, read_scratch, write_scratch },
    { 0x7c6, 3, "vgsrc", TENSIX_MASK_HARTS, read_scratch, write_scratch },
    { 0xb00, COUNTER_CYCLE, "mcycle", TENSIX_MASK_HARTS, read_counter,
      write_counter },
    { 0xb02, COUNTER_INSTRET, "minstret", TENSIX_MASK_HARTS, read_counter,
      write_counter },
    { 0xb03, 0, "mhpmcounter3", TENSIX_MASK_HARTS, read_hpm, write_hpm },
    { 0xb04, 1, "mhpmcounter4", TENSIX_MASK_HARTS, read_hpm, write_hpm },
    { 0xb80, COUNTER_CYCLE, "mcycleh", TENSIX_MASK_HARTS, read_counterh,
      write_counterh },
    { 0xb82, COUNTER_INSTRET, "minstreth", TENSIX_MASK_HARTS, read_counterh,
      write_counterh },
    { 0xb83, 0, "mhpmcounter3h", TENSIX_MASK_HARTS, read_hpmh, write_hpmh },
    { 0xb84, 1, "mhpmcounter4h", TENSIX_MASK_HARTS, read_hpmh, write_hpmh },
    { 0xbc0, 0, "tt_cfg_qstatus", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc1, 1, "tt_cfg_bstatus", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc2, 2, "tt_cfg_sstatus0", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc3, 3, "tt_cfg_sstatus1", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc4, 4, "tt_cfg_sstatus2", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc5, 5, "tt_cfg_sstatus3", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc6, 6, "tt_cfg_sstatus4", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc7, 7, "tt_cfg_sstatus5", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc8, 8, "tt_cfg_sstatus6", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbc9, 9, "tt_cfg_sstatus7", TENSIX_MASK_HARTS, read_status,
      write_status },
    { 0xbca, 0, "intp_restore_pc", TENSIX_MASK_HARTS, read_restore_pc,
      write_restore_pc },
    { 0xc00, COUNTER_CYCLE, "cycle", TENSIX_MASK_HARTS, read_counter,
      write_counter },
    { 0xc02, COUNTER_INSTRET, "instret", TENSIX_MASK_HARTS, read_counter,
      write_counter },
    { 0xc20, 0, "vl", TENSIX_MASK_T2, read_vl, write_vl },
    { 0xc21, 0, "vtype", TENSIX_MASK_T2, read_vtype, write_vtype },
    { 0xc22, 0, "vlenb", TENSIX_MASK_T2, read_vlenb, write_vlenb },
    { 0xc80, COUNTER_CYCLE, "cycleh", TENSIX_MASK_HARTS, read_counterh,
      write_counterh },
    { 0xc82, COUNTER_INSTRET, "instreth", TENSIX_MASK_HARTS, read_counterh,
      write_counterh },
    { 0xf14, 0, "mhartid", TENSIX_MASK_HARTS, read_zero },
};

static const CsrDef *find_csr(const TensixHart *hart, int csrno)
{
    for (unsigned i = 0; i < ARRAY_SIZE(csrs); i++) {
        if (csrno == csrs[i].number && (csrs[i].harts & (1u << hart->id))) {
            return &csrs[i];
        }
    }
    return NULL;
}

RISCVException tensix_csr_access(TensixHart *hart, int csrno,
                                 target_ulong *ret, target_ulong new_value,
                                 target_ulong write_mask)
{
    const CsrDef *def = find_csr(hart, csrno);
    uint32_t old;

    if (!def) {
        return RISCV_EXCP_ILLEGAL_INST;
    }
    BQL_LOCK_GUARD();
    old = def->read(hart, def->index);
    if (!write_mask) {
        tensix_hart_polls(hart, TENSIX_POLLED(TENSIX_POLLED_CSR, csrno),
                          old);
    }
    /* A bug of the hardware: interrupt handlers cannot write CSRs (OLD PIC.md) */
    if (write_mask && def->write && !hart->irq.in_handler) {
        def->write(hart, def->index,
                   (old & ~write_mask) | (new_value & write_mask));
    }
    *ret = (target_long)(int32_t)old;
    return RISCV_EXCP_NONE;
}

/* --- gdb --- */

/* Reads without side effects.  BQL held. */
static int gdb_get_csr(CPUState *cs, GByteArray *buf, int n)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;
    const CsrDef *def = find_csr(hart, n);
    TensixCsrs saved = hart->csr;
    uint32_t value;

    if (!def) {
        return 0;
    }
    value = def->read(hart, def->index);
    hart->csr = saved;
    return gdb_get_reg32(buf, value);
}

static int gdb_set_csr(CPUState *cs, uint8_t *buf, int n)
{
    target_ulong old;

    tensix_csr_access(TENSIX_CPU(cs)->hart, n, &old, ldl_p(buf), UINT32_MAX);
    return sizeof(uint32_t);
}

void tensix_csr_register_gdb(CPUState *cs)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;
    GDBFeature *feature = &RISCV_CPU(cs)->dyn_csr_feature;
    GDBFeatureBuilder builder;

    gdb_feature_builder_init(&builder, feature, "org.gnu.gdb.riscv.csr",
                             "riscv-csr.xml", cs->gdb_num_regs);
    for (unsigned i = 0; i < ARRAY_SIZE(csrs); i++) {
        if (csrs[i].harts & (1u << hart->id)) {
            gdb_feature_builder_append_reg(&builder, csrs[i].name, 32,
                                           csrs[i].number, "int", NULL);
        }
    }
    gdb_feature_builder_end(&builder);
    gdb_register_coprocessor(cs, gdb_get_csr, gdb_set_csr, feature, 0);
}

void tensix_csr_reset(TensixHart *hart)
{
    uint64_t now = tensix_hart_clock(hart);

    hart->csr = (TensixCsrs) {
        .cfg0 = TENSIX_CFG0_RESET,
        .vlenb = 16,
        .cycle_base = -now,
        .instret_base = -now,
    };
}

const VMStateDescription vmstate_tensix_csrs = {
    .name = "tensix-csrs",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(cfg0, TensixCsrs),
        VMSTATE_UINT32_ARRAY(pmacfg, TensixCsrs, 2),
        VMSTATE_UINT32_ARRAY(scratch, TensixCsrs, 4),
        VMSTATE_UINT32_ARRAY(status, TensixCsrs, TENSIX_STATUS_CSRS),
        VMSTATE_UINT32(intp_restore_pc, TensixCsrs),
        VMSTATE_UINT32(mcountinhibit, TensixCsrs),
        VMSTATE_UINT32_ARRAY(mhpmevent, TensixCsrs, 2),
        VMSTATE_UINT32(vlenb, TensixCsrs),
        VMSTATE_UINT64(cycle_base, TensixCsrs),
        VMSTATE_UINT64(instret_base, TensixCsrs),
        VMSTATE_UINT64_ARRAY(mhpmcounter, TensixCsrs, 2),
        VMSTATE_END_OF_LIST()
    }
};
