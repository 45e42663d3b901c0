/*
 * Tensix state as gdb registers of the three TRISCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Group "tensix": the vector unit's LRegs and flags, the semaphores, and the
 * RWCs of the hart's own thread.  They are windows on the register-file
 * aperture, so reading disturbs nothing and writing is a poke, which threads
 * notice when the machine resumes.  Each thread has its own description,
 * because the RWCs differ.
 */

#include "qemu/osdep.h"
#include "exec/gdbstub.h"
#include "tensix_cop_internal.h"

typedef struct GdbRegister {
    const char *name;
    uint32_t offset;               /* in the aperture, for thread 0 */
    uint32_t thread_stride;        /* what another thread adds */
    uint32_t bytes;
} GdbRegister;

enum {
    AP_LREG = 0x20000,
    AP_FLAGS = 0x20c00,
    AP_RWC = 0x21000,
    AP_SEMAPHORE = 0x23000,
    RWC_STRIDE = 0x40,
    LREG_BYTES = TENSIX_LANES * 4,
};

#define LREG(n) { "lreg" #n, AP_LREG + LREG_BYTES * (n), 0, LREG_BYTES }
#define SEMAPHORE(n) { "sem" #n, AP_SEMAPHORE + 8 * (n), 0, 4 }
#define RWC(text, n) { text, AP_RWC + 4 * (n), RWC_STRIDE, 4 }

static const GdbRegister gdb_registers[] = {
    RWC("rwc_dst", 0), RWC("rwc_dst_cr", 1), RWC("rwc_srca", 2),
    RWC("rwc_srca_cr", 3), RWC("rwc_srcb", 4), RWC("rwc_srcb_cr", 5),
    RWC("rwc_fidelity", 6), RWC("rwc_sp", 8),
    { "lane_flags", AP_FLAGS, 0, 4 },
    { "use_lane_flags", AP_FLAGS + 4, 0, 4 },
    { "flag_stack_depth", AP_FLAGS + 8, 0, 4 },
    SEMAPHORE(0), SEMAPHORE(1), SEMAPHORE(2), SEMAPHORE(3),
    SEMAPHORE(4), SEMAPHORE(5), SEMAPHORE(6), SEMAPHORE(7),
    LREG(0), LREG(1), LREG(2), LREG(3), LREG(4), LREG(5), LREG(6), LREG(7),
    LREG(8), LREG(9), LREG(10), LREG(11), LREG(12), LREG(13), LREG(14),
    LREG(15), LREG(16),
};

/* Offset of this hart's register in the aperture. */
static uint32_t aperture_offset(const TensixHart *hart, const GdbRegister *r)
{
    return r->offset + r->thread_stride * tensix_hart_thread(hart);
}

static int get_register(void *opaque, const TensixHart *hart, GByteArray *buf,
                        int n)
{
    const GdbRegister *r = &gdb_registers[n];
    TensixCopState *cop = opaque;
    uint8_t data[LREG_BYTES];

    if (n < 0 || n >= ARRAY_SIZE(gdb_registers)) {
        return 0;
    }
    tensix_aperture_read(tensix_cop_lock(cop), aperture_offset(hart, r), data,
                         r->bytes);
    tensix_cop_release(cop);
    g_byte_array_append(buf, data, r->bytes);
    return r->bytes;
}

static int set_register(void *opaque, const TensixHart *hart, uint8_t *buf,
                        int n)
{
    const GdbRegister *r = &gdb_registers[n];
    TensixCopState *cop = opaque;

    if (n < 0 || n >= ARRAY_SIZE(gdb_registers)) {
        return 0;
    }
    tensix_aperture_write(tensix_cop_lock(cop), aperture_offset(hart, r), buf,
                          r->bytes);
    tensix_cop_unlock_poked(cop);
    return r->bytes;
}

static const TensixGdbOps gdb_ops = {
    .read = get_register,
    .write = set_register,
};

static GDBFeature *describe(CPUState *cpu, int thread)
{
    g_autofree char *xml = g_strdup_printf("tensix-thread%d.xml", thread);
    GDBFeature *feature = g_new0(GDBFeature, 1);
    GDBFeatureBuilder builder;

    gdb_feature_builder_init(&builder, feature, "com.tenstorrent.tensix",
                             g_steal_pointer(&xml), cpu->gdb_num_regs);
    gdb_feature_builder_append_tag(&builder,
                                   "<vector id=\"v32u\" type=\"uint32\""
                                   " count=\"%d\"/>",
                                   TENSIX_LANES);
    gdb_feature_builder_append_tag(&builder,
                                   "<vector id=\"v32f\" type=\"ieee_single\""
                                   " count=\"%d\"/>",
                                   TENSIX_LANES);
    gdb_feature_builder_append_tag(
        &builder,
        "<union id=\"lreg\">"
        "<field name=\"u\" type=\"v32u\"/>"
        "<field name=\"f\" type=\"v32f\"/></union>%s",
        "");
    for (int n = 0; n < ARRAY_SIZE(gdb_registers); n++) {
        const GdbRegister *r = &gdb_registers[n];

        gdb_feature_builder_append_reg(&builder, r->name, r->bytes * 8, n,
                                       r->bytes == 4 ? "uint32" : "lreg",
                                       "tensix");
    }
    gdb_feature_builder_end(&builder);
    return feature;
}

void tensix_gdb_register(TensixCopState *cop)
{
    for (int t = 0; t < TENSIX_THREADS; t++) {
        TensixHart *hart = cop->hart[TENSIX_HART_TRISC0 + t];

        tensix_hart_add_gdb(hart, &gdb_ops, describe(hart->cpu, t), cop);
    }
}
