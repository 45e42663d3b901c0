/*
 * Tensix coprocessor: the world as the core sees it, callbacks of TensixHost.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Called inside the core's lock, often without the BQL: they record what
 * happened and make requests, and never enter the core.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "tensix_cop_internal.h"
#include "../trace.h"

static uint32_t host_stream_read(void *opaque, uint32_t stream, uint32_t offset)
{
    TensixCopState *cop = opaque;

    return cop->stream_read
               ? cop->stream_read(cop->stream_opaque, stream, offset)
               : 0;
}

static void host_invalidate_code(void *opaque, uint32_t harts)
{
    static const TensixHartIndex by_bit[] = {
        TENSIX_HART_BRISC, TENSIX_HART_TRISC0, TENSIX_HART_TRISC1,
        TENSIX_HART_TRISC2, TENSIX_HART_NCRISC,
    };
    TensixCopState *cop = opaque;

    for (unsigned n = 0; n < ARRAY_SIZE(by_bit); n++) {
        if (extract32(harts, n, 1)) {
            tensix_hart_invalidate_code(cop->hart[by_bit[n]]);
        }
    }
    tensix_cop_end_words(cop);
}

static void host_violation(void *opaque, const TensixViolation *violation)
{
    TensixCopState *cop = opaque;

    tensix_report(cop->reporter, violation);
    tensix_cop_end_words(cop);
}

static const char *const trace_points[TENSIX_TRACE_POINTS] = {
    [TENSIX_TRACE_PUSH] = "push",
    [TENSIX_TRACE_MOP] = "mop",
    [TENSIX_TRACE_REPLAY] = "replay",
    [TENSIX_TRACE_LATCH] = "latch",
    [TENSIX_TRACE_EXECUTE] = "execute",
    [TENSIX_TRACE_RETRY] = "retry",
};

static void host_trace(void *opaque, TensixTracePoint point,
                       const TensixInsn *i)
{
    char text[96];

    tensix_disas(text, sizeof(text), i->word);
    trace_tensix_insn(trace_points[point], i->thread,
                      tensix_hart_names[i->origin.hart], i->origin.pc,
                      (int32_t)i->mop_position, (int32_t)i->replay_slot, text);
}

static const char *host_semaphore_name(void *opaque, uint32_t index)
{
    TensixCopState *cop = opaque;

    return tensix_sources_semaphore(cop->reporter->sources, index);
}

void tensix_cop_set_callbacks(TensixCopState *cop)
{
    tensix_set_host(cop->core, &(TensixHost) {
        .l1 = memory_region_get_ram_ptr(cop->l1),
        .l1_size = memory_region_size(cop->l1),
        .l1_write = tensix_l1_core_write,
        .l1_replace = tensix_l1_core_replace,
        .stream_read = host_stream_read,
        .mmio_read = tensix_cop_defer_read,
        .mmio_write = tensix_cop_defer_write,
        .invalidate_code = host_invalidate_code,
        .violation = host_violation,
        .trace = host_trace,
        .trace_enabled = &_TRACE_TENSIX_INSN_DSTATE,
        .semaphore_name = host_semaphore_name,
        .opaque = cop,
    });
}
