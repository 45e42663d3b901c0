/*
 * Vectors on the core alone: addresses become calls of the core's functions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensix_core.h"
#include "vectors.h"

#define L1_SIZE 0x180000u
#define VIEW_APERTURE 0xf

enum {
    GPR_BASE = 0xffe00000u,
    GPR_SIZE = TENSIX_THREADS * TENSIX_GPRS * 4,
    PUSH_BASE = 0xffe40000u,
    PUSH_STRIDE = 0x10000,
    SEM_BASE = 0xffe80020u,
    SEM_SIZE = TENSIX_SEMAPHORES * 4,
    MOP_CFG_BASE = 0xffb80000u,
    MOP_CFG_SIZE = TENSIX_MOP_CFG_WORDS * 4,
    CFG_BASE = 0xffef0000u,
    CFG_SIZE = 0x10000,
};

/* More instructions than any case executes, as a bound on a runaway. */
#define RUN_BUDGET 100000000u

typedef struct CoreTarget {
    VectorTarget target;
    TensixCore *core;
    uint64_t schedule;
    const char *lacking;
    char complaint[160];
    uint8_t l1[L1_SIZE];
} CoreTarget;

/* One device: a range of one or more views, accessed in words. */
typedef struct Region {
    uint32_t base, size;
    const char *(*write)(CoreTarget *t, uint32_t view, uint32_t offset,
                         uint32_t value);
    const char *(*read)(CoreTarget *t, uint32_t view, uint32_t offset,
                        uint32_t *value);
} Region;

static bool is_trisc(uint32_t view)
{
    return view >= 3 && view < 3 + TENSIX_THREADS;
}

static const char *gpr_slot(CoreTarget *t, uint32_t view, uint32_t offset,
                            uint32_t **slot)
{
    uint32_t thread = offset / (TENSIX_GPRS * 4);

    if (is_trisc(view)) {
        if (thread != 0) {
            return "GPR outside the TRISC's own block";
        }
        thread = view - 3;
    }
    *slot = &tensix_core_state(t->core)->gpr[thread][offset / 4 % TENSIX_GPRS];
    return NULL;
}

static const char *gpr_write(CoreTarget *t, uint32_t view, uint32_t offset,
                             uint32_t value)
{
    uint32_t *slot;
    const char *error = gpr_slot(t, view, offset, &slot);

    if (!error) {
        *slot = value;
    }
    return error;
}

static const char *gpr_read(CoreTarget *t, uint32_t view, uint32_t offset,
                            uint32_t *value)
{
    uint32_t *slot;
    const char *error = gpr_slot(t, view, offset, &slot);

    if (!error) {
        *value = *slot;
    }
    return error;
}

static const char *cfg_write(CoreTarget *t, uint32_t view, uint32_t offset,
                             uint32_t value)
{
    tensix_cfg_write(t->core, offset, value);
    return NULL;
}

static const char *cfg_read(CoreTarget *t, uint32_t view, uint32_t offset,
                            uint32_t *value)
{
    *value = tensix_cfg_read(t->core, offset);
    return NULL;
}

static const char *mop_cfg_write(CoreTarget *t, uint32_t view, uint32_t offset,
                                 uint32_t value)
{
    if (!is_trisc(view)) {
        return "MOP configuration is a TRISC's own";
    }
    tensix_mop_cfg_write(t->core, view - 3, offset / 4, value,
                         (TensixOrigin) { .hart = TENSIX_HART_NONE });
    return NULL;
}

static const char *sem_write(CoreTarget *t, uint32_t view, uint32_t offset,
                             uint32_t value)
{
    tensix_semaphore_write(t->core, offset / 4, value,
                           (TensixOrigin) { .hart = TENSIX_HART_NONE });
    return NULL;
}

static const char *push_write(CoreTarget *t, uint32_t view, uint32_t offset,
                              uint32_t value)
{
    TensixOrigin origin = { .hart = TENSIX_HART_BRISC };
    uint32_t thread = offset / PUSH_STRIDE;

    if (is_trisc(view)) {
        if (thread != 0) {
            return "TRISC pushes to its own window only";
        }
        thread = view - 3;
        origin.hart = TENSIX_HART_TRISC0 + thread;
    }
    if (!tensix_push(t->core, thread, value, origin)) {
        return "push into a full FIFO";
    }
    return NULL;
}

static const char *no_read(CoreTarget *t, uint32_t view, uint32_t offset,
                           uint32_t *value)
{
    return "write-only register";
}

static const Region regions[] = {
    { GPR_BASE, GPR_SIZE, gpr_write, gpr_read },
    { PUSH_BASE, TENSIX_THREADS * PUSH_STRIDE, push_write, no_read },
    { SEM_BASE, SEM_SIZE, sem_write, no_read },
    { CFG_BASE, CFG_SIZE, cfg_write, cfg_read },
    { MOP_CFG_BASE, MOP_CFG_SIZE, mop_cfg_write, no_read },
};

static const Region *region_find(uint32_t addr)
{
    for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        if (addr - regions[i].base < regions[i].size) {
            return &regions[i];
        }
    }
    return NULL;
}

static bool in_l1(uint64_t addr, size_t size)
{
    return addr < L1_SIZE && size <= L1_SIZE - addr;
}

static bool in_aperture(uint64_t addr, size_t size)
{
    return addr >> 32 == VIEW_APERTURE &&
           (uint32_t)addr + size <= TENSIX_APERTURE_SIZE;
}

static void settle(CoreTarget *t)
{
    tensix_run(t->core, RUN_BUDGET);
}

static const char *words_write(CoreTarget *t, uint64_t addr,
                               const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        const Region *r = region_find((uint32_t)(addr + i));
        uint32_t value;
        const char *error;

        if (!r) {
            return "no such address";
        }
        memcpy(&value, data + i, 4);
        error = r->write(t, addr >> 32, (uint32_t)(addr + i) - r->base, value);
        if (error) {
            return error;
        }
        settle(t);
    }
    return NULL;
}

static const char *core_write(VectorTarget *target, uint64_t addr,
                              const void *data, size_t size)
{
    CoreTarget *t = (CoreTarget *)target;

    if (in_aperture(addr, size)) {
        tensix_aperture_write(t->core, (uint32_t)addr, data, size);
        settle(t);
        return NULL;
    }
    if (in_l1(addr, size)) {
        memcpy(t->l1 + addr, data, size);
        settle(t);
        return NULL;
    }
    if (addr % 4 || size % 4) {
        return "not aligned";
    }
    return words_write(t, addr, data, size);
}

static const char *words_read(CoreTarget *t, uint64_t addr, uint8_t *data,
                              size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        const Region *r = region_find((uint32_t)(addr + i));
        uint32_t value = 0;
        const char *error;

        if (!r) {
            return "no such address";
        }
        error = r->read(t, addr >> 32, (uint32_t)(addr + i) - r->base, &value);
        if (error) {
            return error;
        }
        memcpy(data + i, &value, 4);
    }
    return NULL;
}

static const char *core_read(VectorTarget *target, uint64_t addr, void *data,
                             size_t size)
{
    CoreTarget *t = (CoreTarget *)target;

    if (in_aperture(addr, size)) {
        tensix_aperture_read(t->core, (uint32_t)addr, data, size);
        return NULL;
    }
    if (in_l1(addr, size)) {
        memcpy(data, t->l1 + addr, size);
        return NULL;
    }
    if (addr % 4 || size % 4) {
        return "not aligned";
    }
    return words_read(t, addr, data, size);
}

static void core_begin(VectorTarget *target)
{
    CoreTarget *t = (CoreTarget *)target;

    t->lacking = NULL;
    t->complaint[0] = '\0';
}

static const char *core_lacking(VectorTarget *target)
{
    return ((CoreTarget *)target)->lacking;
}

static const char *core_complaint(VectorTarget *target)
{
    CoreTarget *t = (CoreTarget *)target;

    return t->complaint[0] ? t->complaint : NULL;
}

static void core_reset(VectorTarget *target)
{
    CoreTarget *t = (CoreTarget *)target;

    memset(t->l1, 0, sizeof(t->l1));
    tensix_reset(t->core);
    tensix_set_schedule(t->core, t->schedule);
}

static void l1_write(void *opaque, uint32_t offset, const void *data,
                     uint32_t size)
{
    CoreTarget *t = opaque;

    memcpy(t->l1 + offset, data, size);
}

static uint32_t stream_read(void *opaque, uint32_t stream, uint32_t offset)
{
    return 0;
}

static void violation(void *opaque, const TensixViolation *v)
{
    CoreTarget *t = opaque;

    if (v->category == TENSIX_UNIMPLEMENTED && !t->lacking) {
        /* mnemonics are constants of the instruction table */
        t->lacking = *v->mnemonic ? v->mnemonic : "a configuration";
    } else if (v->category == TENSIX_BAD_ACCESS) {
        snprintf(t->complaint, sizeof(t->complaint), "%s: %s",
                 tensix_category_names[v->category], v->text);
    }
}

static bool set_isa(TensixCore *c, const char *name)
{
    for (uint32_t n = 0; n < TENSIX_ISAS; n++) {
        if (strcmp(tensix_isa_names[n], name) == 0) {
            return tensix_set_isa(c, n);
        }
    }
    return false;
}

/* `--schedule SEED`, `--isa BUILD`: the core's own; what is left follows. */
static int take_options(CoreTarget *t, int argc, char **argv)
{
    int used = 0;

    for (; used + 2 < argc; used += 2) {
        const char *option = argv[used + 1], *value = argv[used + 2];

        if (strcmp(option, "--schedule") == 0) {
            t->schedule = strtoull(value, NULL, 0);
        } else if (strcmp(option, "--isa") != 0) {
            break;
        } else if (!set_isa(t->core, value)) {
            fprintf(stderr, "%s: --isa %s: not here\n", argv[0], value);
            exit(1);
        }
    }
    argv[used] = argv[0];
    return used;
}

int main(int argc, char **argv)
{
    static CoreTarget target;
    CoreTarget *t = &target;
    void *memory;
    int used, status;

    t->target = (VectorTarget) {
        .name = "core", .write = core_write, .read = core_read,
        .begin = core_begin, .lacking = core_lacking,
        .complaint = core_complaint, .reset = core_reset,
    };
    memory = aligned_alloc(TENSIX_CORE_ALIGN, tensix_core_size());
    if (!memory) {
        perror("core-runner");
        return 1;
    }
    t->core = tensix_core_init(memory);
    tensix_set_host(t->core, &(TensixHost) {
        .l1 = t->l1, .l1_size = L1_SIZE, .l1_write = l1_write,
        .stream_read = stream_read, .violation = violation, .opaque = t,
    });
    used = take_options(t, argc, argv);
    core_reset(&t->target);
    status = vectors_main(&t->target, argc - used, argv + used);
    free(t->core);
    return status;
}
