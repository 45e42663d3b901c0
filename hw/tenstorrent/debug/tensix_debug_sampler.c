/*
 * The debug bus writes samples to L1 (WH DebugDaisychain.md,
 * "RISCV_DEBUG_REG_DBG_L1_MEM_REG2").
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A series is taken in slices, each with the samples that are due, so samples
 * of one slice are the same.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "tensix_debug_internal.h"

FIELD(L1_MEM_REG2, MODE, 0, 4)
FIELD(L1_MEM_REG2, INTERVAL, 4, 8)
FIELD(L1_MEM_REG2, TRIGGER, 12, 1)

enum {
    MODE_SAME_ADDRESS = 0,
    MODE_NEXT_ADDRESS = 1,
    MODE_SERIES = 4,
    MODE_PREPARE = 15,
    SAMPLE_BYTES = 16,
    LOW_L1_SAMPLES = 0x100000 / SAMPLE_BYTES,
    SLICE_SAMPLES = 256,
};

/* Where a sample goes: the low 1 MiB of L1. */
static uint32_t sample_address(uint32_t sample)
{
    return sample % LOW_L1_SAMPLES * SAMPLE_BYTES;
}

static void take_sample(TensixDebugState *s)
{
    TensixBusSelect b = tensix_debug_bus_select(s);
    uint32_t data[TENSIX_BUS_WORDS] = { };
    bool known;

    for (uint32_t i = 0; b.enabled && i < TENSIX_BUS_WORDS; i++) {
        data[i] = tensix_debug_bus_word(s, b.daisy, b.signal, i, &known);
    }
    tensix_l1_write(s->cop, &s->sampler.by, sample_address(s->sampler.next),
                    data, sizeof(data));
}

/* --- series --- */

static uint32_t due_samples(TensixDebugState *s)
{
    uint32_t interval =
        FIELD_EX32(tensix_debug_register(s, TENSIX_DBG_L1_MEM_REG2),
                   L1_MEM_REG2, INTERVAL) + 1;
    uint64_t now = tensix_clock();
    uint64_t due = MAX((now - s->sampler.last) / interval, 1);

    s->sampler.last = now;
    return MIN(due, SLICE_SAMPLES);
}

static void slice(void *opaque)
{
    TensixDebugState *s = opaque;
    TensixDebugSampler *p = &s->sampler;

    if (!p->running) {
        return;
    }
    for (uint32_t n = due_samples(s); n && p->next != p->end; n--) {
        take_sample(s);
        p->next = (p->next + 1) % LOW_L1_SAMPLES;
    }
    p->running = p->next != p->end;
    if (p->running) {
        tensix_pump_arm(&p->pump);
    }
}

static void start_series(TensixDebugState *s)
{
    TensixDebugSampler *p = &s->sampler;

    p->end = tensix_debug_register(s, TENSIX_DBG_L1_MEM_REG1) % LOW_L1_SAMPLES;
    p->running = true;
    p->last = tensix_clock();
    slice(s);
}

/* --- */

static void trigger(TensixDebugState *s, const TensixAccess *a, uint32_t mode)
{
    s->sampler.by = tensix_agent_for(TENSIX_BY_DEBUG_BUS, tensix_regs_actor(a));
    switch (mode) {
    case MODE_SAME_ADDRESS:
        take_sample(s);
        break;
    case MODE_NEXT_ADDRESS:
        take_sample(s);
        s->sampler.next = (s->sampler.next + 1) % LOW_L1_SAMPLES;
        break;
    case MODE_SERIES:
        start_series(s);
        break;
    default:
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "WriteMode %u is not described", mode);
        break;
    }
}

void tensix_debug_sampler_control(TensixDebugState *s, const TensixAccess *a,
                                  uint32_t old)
{
    uint32_t value = tensix_debug_register(s, TENSIX_DBG_L1_MEM_REG2);
    uint32_t mode = FIELD_EX32(value, L1_MEM_REG2, MODE);

    if (mode == MODE_PREPARE) {
        s->sampler.running = false;
        return;
    }
    if (FIELD_EX32(old, L1_MEM_REG2, MODE) == MODE_PREPARE) {
        s->sampler.next = tensix_debug_register(s, TENSIX_DBG_L1_MEM_REG0) %
                          LOW_L1_SAMPLES;
    }
    if (FIELD_EX32(value & ~old, L1_MEM_REG2, TRIGGER)) {
        trigger(s, a, mode);
    }
}

bool tensix_debug_sampler_valid(const TensixDebugSampler *p)
{
    return tensix_actor_valid(&p->by) && p->next < LOW_L1_SAMPLES &&
           p->end < LOW_L1_SAMPLES;
}

void tensix_debug_sampler_init(TensixDebugState *s)
{
    tensix_pump_init(&s->sampler.pump, slice, s);
}

void tensix_debug_sampler_finish(TensixDebugState *s)
{
    tensix_pump_finish(&s->sampler.pump);
}

void tensix_debug_sampler_reset(TensixDebugState *s)
{
    tensix_pump_cancel(&s->sampler.pump);
    s->sampler.by = tensix_agent(TENSIX_BY_DEBUG_BUS);
    s->sampler.next = s->sampler.end = 0;
    s->sampler.running = false;
    s->sampler.last = 0;
}
