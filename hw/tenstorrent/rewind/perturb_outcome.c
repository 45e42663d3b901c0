/*
 * Runs of a program with delays: how a run ends, and with which results.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "system/cpus.h"
#include "perturb_internal.h"

/* --- memory --- */

static void read_memory(uint64_t address, void *data, uint64_t size)
{
    memset(data, 0, size);
    address_space_read(&address_space_memory, address,
                       (MemTxAttrs) { .debug = 1 }, data, size);
}

GByteArray *perturb_results(const TensixPerturb *p)
{
    GByteArray *bytes = g_byte_array_new();

    for (const TensixMemoryRangeList *r = p->results; r; r = r->next) {
        guint at = bytes->len;

        g_byte_array_set_size(bytes, at + r->value->size);
        read_memory(r->value->address, bytes->data + at, r->value->size);
    }
    return bytes;
}

uint64_t perturb_differing(const TensixPerturb *p)
{
    g_autoptr(GByteArray) now = perturb_results(p);
    uint64_t differing = 0;

    for (guint i = 0; i < now->len; i++) {
        differing += now->data[i] != p->wanted->data[i];
    }
    return differing;
}

/* --- what ends a run --- */

PerturbActivity perturb_activity(const TensixPerturb *p)
{
    PerturbActivity most = PERTURB_STALLED;

    for (unsigned i = 0; i < tensix_turns_count(p->turns); i++) {
        const TensixHart *hart = tensix_turns_hart(p->turns, i);

        if (!cpu_thread_is_idle(hart->cpu)) {
            most = MAX(most, tensix_hart_spins(hart) ? PERTURB_SPINNING
                                                     : PERTURB_WORKING);
        }
    }
    return most;
}

static bool holds(const TensixWordCondition *c)
{
    uint32_t value, mask = c->has_mask ? c->mask : UINT32_MAX;

    read_memory(c->address, &value, sizeof(value));
    value = le32_to_cpu(value) & mask;
    switch (c->comparison) {
    case TENSIX_COMPARISON_EQUAL:
        return value == (c->value & mask);
    case TENSIX_COMPARISON_DIFFERS:
        return value != (c->value & mask);
    default:
        return value >= (c->value & mask);
    }
}

static bool all_hold(const TensixWordConditionList *list)
{
    for (; list; list = list->next) {
        if (!holds(list->value)) {
            return false;
        }
    }
    return true;
}

/* A jump to itself, with a FENCE or without. */
static bool loops_for_good(TensixHart *hart)
{
    enum { JUMP = 0x6f, JUMP_BACK = 0xffdff06f, FENCE = 0x0f, OPCODE = 0x707f };
    uint32_t code[3] = { };        /* before, at and after the pc */

    cpu_memory_rw_debug(hart->cpu, tensix_hart_pc(hart, 0) - 4, code,
                        sizeof(code), false);
    return code[1] == JUMP ||
           (code[1] == JUMP_BACK && (code[0] & OPCODE) == FENCE) ||
           (code[2] == JUMP_BACK && (code[1] & OPCODE) == FENCE);
}

static bool hart_is_done(TensixHart *hart)
{
    if (tensix_hart_is_held(hart) || tensix_hart_is_paused(hart)) {
        return true;
    }
    return tensix_hart_stall_cause(hart) == TENSIX_STALL_NONE &&
           loops_for_good(hart);
}

/* The whole machine. */
static bool can_continue(const TensixPerturb *p)
{
    return tensix_busy_any(p->devices);
}

static bool is_idle(const TensixPerturb *p)
{
    if (tensix_is_busy(tensix_cop_core(p->cop))) {
        return false;
    }
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (!hart_is_done(tensix_cop_hart(p->cop, i))) {
            return false;
        }
    }
    return !can_continue(p);
}

/*
 * What waits for nothing that comes: so long that a poll cannot be meant.  By
 * seed a poll takes so much virtual time that the limit of that may come first.
 */
static bool is_stuck(TensixPerturb *p)
{
    enum { MOST_POLLS = 20000 };   /* instructions */
    int64_t most = p->seeded && p->timed_out ? 0 : MOST_POLLS;
    int64_t place = tensix_axis_place();
    PerturbActivity activity = perturb_activity(p);

    if (activity == PERTURB_WORKING ||
        tensix_needs_time(tensix_cop_core(p->cop))) {
        p->progressed_at = place;
    }
    return activity == PERTURB_STALLED || place - p->progressed_at > most;
}

bool perturb_ended(TensixPerturb *p, TensixVariantEnd *end)
{
    bool stuck = is_stuck(p);

    *end = TENSIX_VARIANT_END_DONE;
    if (all_hold(p->until) && (!p->until_idle || is_idle(p))) {
        return true;
    }
    *end = stuck ? TENSIX_VARIANT_END_DEADLOCK : TENSIX_VARIANT_END_TIME_OUT;
    return p->timed_out || (stuck && !can_continue(p));
}
