/*
 * Tensix coprocessor: its state as VMState, nested like tensix_state.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_cells.h"
#include "tensix_cop_internal.h"
#include "migration/qemu-file-types.h"

#define VMSD(type, fields_array) \
    static const VMStateDescription vmstate_##type = { \
        .name = "tensix-" #type, .version_id = 1, .minimum_version_id = 1, \
        .fields = fields_array, \
    }

static const VMStateField origin_fields[] = {
    VMSTATE_UINT32(pc, TensixOrigin),
    VMSTATE_UINT32(hart, TensixOrigin),
    VMSTATE_END_OF_LIST()
};
VMSD(origin, origin_fields);

static const VMStateField insn_fields[] = {
    VMSTATE_UINT32(valid, TensixInsn),
    VMSTATE_UINT32(word, TensixInsn),
    VMSTATE_UINT32(thread, TensixInsn),
    VMSTATE_UINT32(mop_position, TensixInsn),
    VMSTATE_UINT32(replay_slot, TensixInsn),
    VMSTATE_STRUCT(origin, TensixInsn, 1, vmstate_origin, TensixOrigin),
    VMSTATE_END_OF_LIST()
};
VMSD(insn, insn_fields);

static const VMStateField fifo_fields[] = {
    VMSTATE_UINT32(head, TensixFifo),
    VMSTATE_UINT32(count, TensixFifo),
    VMSTATE_STRUCT_ARRAY(entry, TensixFifo, TENSIX_FIFO_DEPTH, 1,
                         vmstate_insn, TensixInsn),
    VMSTATE_END_OF_LIST()
};
VMSD(fifo, fifo_fields);

static const VMStateField mop_fields[] = {
    VMSTATE_UINT32_ARRAY(cfg, TensixMop, TENSIX_MOP_CFG_WORDS),
    VMSTATE_UINT32(mask_hi, TensixMop),
    VMSTATE_UINT32(phase, TensixMop),
    VMSTATE_UINT32(mask, TensixMop),
    VMSTATE_UINT32(outer, TensixMop),
    VMSTATE_UINT32(outer_count, TensixMop),
    VMSTATE_UINT32(inner, TensixMop),
    VMSTATE_UINT32(inner_count, TensixMop),
    VMSTATE_UINT32(slot, TensixMop),
    VMSTATE_UINT32(emitted, TensixMop),
    VMSTATE_UINT32(index, TensixMop),
    VMSTATE_STRUCT(insn, TensixMop, 1, vmstate_insn, TensixInsn),
    VMSTATE_STRUCT_ARRAY(cfg_origin, TensixMop, TENSIX_MOP_CFG_WORDS, 1,
                         vmstate_origin, TensixOrigin),
    VMSTATE_END_OF_LIST()
};
VMSD(mop, mop_fields);

static const VMStateField replay_fields[] = {
    VMSTATE_UINT32_ARRAY(buffer, TensixReplay, TENSIX_REPLAY_DEPTH),
    VMSTATE_UINT32(phase, TensixReplay),
    VMSTATE_UINT32(index, TensixReplay),
    VMSTATE_UINT32(left, TensixReplay),
    VMSTATE_STRUCT(insn, TensixReplay, 1, vmstate_insn, TensixInsn),
    VMSTATE_STRUCT_ARRAY(recorded, TensixReplay, TENSIX_REPLAY_DEPTH, 1,
                         vmstate_origin, TensixOrigin),
    VMSTATE_END_OF_LIST()
};
VMSD(replay, replay_fields);

static const VMStateField gate_fields[] = {
    VMSTATE_UINT32(opcode, TensixGate),
    VMSTATE_UINT32(block_mask, TensixGate),
    VMSTATE_UINT32(condition_mask, TensixGate),
    VMSTATE_UINT32(semaphore_mask, TensixGate),
    VMSTATE_UINT32(stream_select, TensixGate),
    VMSTATE_UINT32(target, TensixGate),
    VMSTATE_STRUCT(pending, TensixGate, 1, vmstate_insn, TensixInsn),
    VMSTATE_STRUCT(latched, TensixGate, 1, vmstate_insn, TensixInsn),
    VMSTATE_UINT32(wait_reason, TensixGate),
    VMSTATE_UINT32(wait_detail, TensixGate),
    VMSTATE_END_OF_LIST()
};
VMSD(gate, gate_fields);

static const VMStateField rwc_fields[] = {
    VMSTATE_UINT32(Dst, TensixRwc),
    VMSTATE_UINT32(Dst_Cr, TensixRwc),
    VMSTATE_UINT32(SrcA, TensixRwc),
    VMSTATE_UINT32(SrcA_Cr, TensixRwc),
    VMSTATE_UINT32(SrcB, TensixRwc),
    VMSTATE_UINT32(SrcB_Cr, TensixRwc),
    VMSTATE_UINT32(FidelityPhase, TensixRwc),
    VMSTATE_UINT32(ExtraAddrModBit, TensixRwc),
    VMSTATE_UINT32(Sp, TensixRwc),
    VMSTATE_END_OF_LIST()
};
VMSD(rwc, rwc_fields);

static const VMStateField flight_fields[] = {
    VMSTATE_UINT32(count, TensixFlight),
    VMSTATE_STRUCT_ARRAY(insn, TensixFlight, TENSIX_FLIGHT_DEPTH, 1,
                         vmstate_insn, TensixInsn),
    VMSTATE_UINT64_ARRAY(due, TensixFlight, TENSIX_FLIGHT_DEPTH),
    VMSTATE_UINT64_ARRAY(issued, TensixFlight, TENSIX_FLIGHT_DEPTH),
    VMSTATE_STRUCT_ARRAY(rwc, TensixFlight, TENSIX_FLIGHT_DEPTH, 1,
                         vmstate_rwc, TensixRwc),
    VMSTATE_END_OF_LIST()
};
VMSD(flight, flight_fields);

static const VMStateField thread_fields[] = {
    VMSTATE_STRUCT(fifo, TensixThread, 1, vmstate_fifo, TensixFifo),
    VMSTATE_STRUCT(post_fifo, TensixThread, 1, vmstate_fifo, TensixFifo),
    VMSTATE_STRUCT(mop, TensixThread, 1, vmstate_mop, TensixMop),
    VMSTATE_STRUCT(replay, TensixThread, 1, vmstate_replay, TensixReplay),
    VMSTATE_STRUCT(gate, TensixThread, 1, vmstate_gate, TensixGate),
    VMSTATE_STRUCT(flight, TensixThread, 1, vmstate_flight, TensixFlight),
    VMSTATE_END_OF_LIST()
};
VMSD(thread, thread_fields);

static const VMStateField adc_channel_fields[] = {
    VMSTATE_UINT32(X, TensixAdcChannel),
    VMSTATE_UINT32(Y, TensixAdcChannel),
    VMSTATE_UINT32(Z, TensixAdcChannel),
    VMSTATE_UINT32(W, TensixAdcChannel),
    VMSTATE_UINT32(X_Cr, TensixAdcChannel),
    VMSTATE_UINT32(Y_Cr, TensixAdcChannel),
    VMSTATE_UINT32(Z_Cr, TensixAdcChannel),
    VMSTATE_UINT32(W_Cr, TensixAdcChannel),
    VMSTATE_END_OF_LIST()
};
VMSD(adc_channel, adc_channel_fields);

static const VMStateField adc_fields[] = {
    VMSTATE_STRUCT_ARRAY(channel, TensixAdc, 2, 1, vmstate_adc_channel,
                         TensixAdcChannel),
    VMSTATE_END_OF_LIST()
};
VMSD(adc, adc_fields);

static const VMStateField semaphore_fields[] = {
    VMSTATE_UINT32(value, TensixSemaphore),
    VMSTATE_UINT32(max, TensixSemaphore),
    VMSTATE_END_OF_LIST()
};
VMSD(semaphore, semaphore_fields);

static const VMStateField semaphore_use_fields[] = {
    VMSTATE_UINT32(inits, TensixSemaphoreUse),
    VMSTATE_UINT32(posts, TensixSemaphoreUse),
    VMSTATE_UINT32(gets, TensixSemaphoreUse),
    VMSTATE_STRUCT(init, TensixSemaphoreUse, 1, vmstate_origin, TensixOrigin),
    VMSTATE_STRUCT(post, TensixSemaphoreUse, 1, vmstate_origin, TensixOrigin),
    VMSTATE_STRUCT(get, TensixSemaphoreUse, 1, vmstate_origin, TensixOrigin),
    VMSTATE_UINT32(initial, TensixSemaphoreUse),
    VMSTATE_UINT32(lost_posts, TensixSemaphoreUse),
    VMSTATE_UINT32(lost_gets, TensixSemaphoreUse),
    VMSTATE_STRUCT(lost_post, TensixSemaphoreUse, 1, vmstate_origin,
                   TensixOrigin),
    VMSTATE_STRUCT(lost_get, TensixSemaphoreUse, 1, vmstate_origin,
                   TensixOrigin),
    VMSTATE_END_OF_LIST()
};
VMSD(semaphore_use, semaphore_use_fields);

static const VMStateField flag_stack_entry_fields[] = {
    VMSTATE_UINT32(lane_flags, TensixFlagStackEntry),
    VMSTATE_UINT32(use_lane_flags, TensixFlagStackEntry),
    VMSTATE_END_OF_LIST()
};
VMSD(flag_stack_entry, flag_stack_entry_fields);

static const VMStateField load_macro_fields[] = {
    VMSTATE_UINT32_2DARRAY(instruction_template, TensixLoadMacro, 4,
                           TENSIX_LANES),
    VMSTATE_UINT32_2DARRAY(sequence, TensixLoadMacro, 4, TENSIX_LANES),
    VMSTATE_UINT32_ARRAY(misc, TensixLoadMacro, TENSIX_LANES),
    VMSTATE_END_OF_LIST()
};
VMSD(load_macro, load_macro_fields);

static const VMStateField vector_unit_fields[] = {
    VMSTATE_UINT32_2DARRAY(lreg, TensixVectorUnit, TENSIX_LREGS, TENSIX_LANES),
    VMSTATE_UINT32(lane_flags, TensixVectorUnit),
    VMSTATE_UINT32(use_lane_flags, TensixVectorUnit),
    VMSTATE_UINT32(flag_stack_depth, TensixVectorUnit),
    VMSTATE_STRUCT_ARRAY(flag_stack, TensixVectorUnit,
                         TENSIX_FLAG_STACK_DEPTH, 1, vmstate_flag_stack_entry,
                         TensixFlagStackEntry),
    VMSTATE_UINT32_ARRAY(lane_config, TensixVectorUnit, TENSIX_LANES),
    VMSTATE_UINT32_ARRAY(prng, TensixVectorUnit, TENSIX_LANES),
    VMSTATE_STRUCT(load_macro, TensixVectorUnit, 1, vmstate_load_macro,
                   TensixLoadMacro),
    VMSTATE_END_OF_LIST()
};
VMSD(vector_unit, vector_unit_fields);

static const VMStateField scheduled_fields[] = {
    VMSTATE_UINT32(lanes, TensixScheduled),
    VMSTATE_UINT32(word, TensixScheduled),
    VMSTATE_UINT32(vb, TensixScheduled),
    VMSTATE_UINT32(vc, TensixScheduled),
    VMSTATE_UINT32(vd, TensixScheduled),
    VMSTATE_UINT32(mod0, TensixScheduled),
    VMSTATE_UINT32(address, TensixScheduled),
    VMSTATE_UINT32(by_instruction, TensixScheduled),
    VMSTATE_END_OF_LIST()
};
VMSD(scheduled, scheduled_fields);

static const VMStateField macro_fields[] = {
    VMSTATE_STRUCT_2DARRAY(slot, TensixMacro, TENSIX_MACRO_UNITS,
                           TENSIX_MACRO_DELAYS, 1, vmstate_scheduled,
                           TensixScheduled),
    VMSTATE_UINT32(late.lanes, TensixMacro),
    VMSTATE_UINT32_ARRAY(late.vd, TensixMacro, TENSIX_LANES),
    VMSTATE_UINT32_ARRAY(late.value, TensixMacro, TENSIX_LANES),
    VMSTATE_UINT32(swap_lanes, TensixMacro),
    VMSTATE_UINT32(swap_vc, TensixMacro),
    VMSTATE_UINT32(swap_vd, TensixMacro),
    VMSTATE_UINT32(active, TensixMacro),
    VMSTATE_STRUCT(insn, TensixMacro, 1, vmstate_insn, TensixInsn),
    VMSTATE_END_OF_LIST()
};
VMSD(macro, macro_fields);

static const VMStateField packer_fields[] = {
    VMSTATE_UINT32(open, TensixPacker),
    VMSTATE_UINT32(data_bit, TensixPacker),
    VMSTATE_UINT32(exp_byte, TensixPacker),
    VMSTATE_UINT32(tile_row, TensixPacker),
    VMSTATE_UINT32(tile_face, TensixPacker),
    VMSTATE_END_OF_LIST()
};
VMSD(packer, packer_fields);

static const VMStateField set_reg_fields[] = {
    VMSTATE_UINT32_ARRAY(base, TensixSetReg, 2),
    VMSTATE_UINT32_ARRAY(hi_scaler, TensixSetReg, 4),
    VMSTATE_END_OF_LIST()
};
VMSD(set_reg, set_reg_fields);

static const VMStateField order_fields[] = {
    VMSTATE_UINT64(cycle, TensixOrder),
    VMSTATE_UINT64_ARRAY(issue_at, TensixOrder, TENSIX_THREADS),
    VMSTATE_UINT64_ARRAY(free_at, TensixOrder, TENSIX_PORTS),
    VMSTATE_UINT64_2DARRAY(idle_at, TensixOrder, TENSIX_THREADS, TENSIX_PORTS),
    VMSTATE_UINT64_ARRAY(quiet_at, TensixOrder, TENSIX_THREADS),
    VMSTATE_UINT64_2DARRAY(hand_over_at, TensixOrder, TENSIX_SRCS,
                           TENSIX_SRC_BANKS),
    VMSTATE_UINT32(handing_over, TensixOrder),
    VMSTATE_UINT64(rng, TensixOrder),
    VMSTATE_UINT64_ARRAY(held_until, TensixOrder, TENSIX_PUSHERS),
    VMSTATE_UINT32_ARRAY(pace, TensixOrder, TENSIX_PUSHERS),
    VMSTATE_UINT32_ARRAY(mood, TensixOrder, TENSIX_PORTS),
    VMSTATE_BOOL(more, TensixOrder),
    VMSTATE_END_OF_LIST()
};
VMSD(order, order_fields);

static const VMStateField state_fields[] = {
    VMSTATE_TENSIX_CELLS(dst, TensixState, uint16_t),
    VMSTATE_BUFFER(dst_row_valid, TensixState),
    VMSTATE_UINT32(dst16b_is_high_half, TensixState),
    VMSTATE_TENSIX_CELLS(src, TensixState, uint32_t),
    VMSTATE_UINT32_2DARRAY(src_client, TensixState, TENSIX_SRCS,
                           TENSIX_SRC_BANKS),
    VMSTATE_UINT32_ARRAY(matrix_bank, TensixState, TENSIX_SRCS),
    VMSTATE_UINT32_ARRAY(unpack_bank, TensixState, TENSIX_SRCS),
    VMSTATE_UINT32_2DARRAY(src_format, TensixState, TENSIX_SRCS,
                           TENSIX_SRC_BANKS),
    VMSTATE_UINT32_2DARRAY(src_row, TensixState, TENSIX_SRCS, TENSIX_THREADS),
    VMSTATE_UINT32(last_row_a, TensixState),
    VMSTATE_STRUCT_2DARRAY(src_given, TensixState, TENSIX_SRCS,
                           TENSIX_SRC_BANKS, 1, vmstate_origin, TensixOrigin),
    VMSTATE_UINT32(src_read, TensixState),
    VMSTATE_STRUCT(vu, TensixState, 1, vmstate_vector_unit, TensixVectorUnit),
    VMSTATE_STRUCT(macro, TensixState, 1, vmstate_macro, TensixMacro),
    VMSTATE_STRUCT(packer, TensixState, 1, vmstate_packer, TensixPacker),
    VMSTATE_STRUCT(set_reg, TensixState, 1, vmstate_set_reg, TensixSetReg),
    VMSTATE_STRUCT_ARRAY(rwc, TensixState, TENSIX_THREADS, 1, vmstate_rwc,
                         TensixRwc),
    VMSTATE_STRUCT_2DARRAY(adc, TensixState, TENSIX_THREADS, TENSIX_ADCS, 1,
                           vmstate_adc, TensixAdc),
    VMSTATE_UINT32_2DARRAY(unpack_context, TensixState, TENSIX_THREADS, 2),
    VMSTATE_UINT32_2DARRAY(gpr, TensixState, TENSIX_THREADS, TENSIX_GPRS),
    VMSTATE_UINT32_2DARRAY(cfg, TensixState, TENSIX_CFG_BANKS,
                           TENSIX_CFG_WORDS),
    VMSTATE_UINT16_2DARRAY(thread_cfg, TensixState, TENSIX_THREADS,
                           TENSIX_THREAD_CFG_WORDS),
    VMSTATE_STRUCT_ARRAY(semaphore, TensixState, TENSIX_SEMAPHORES, 1,
                         vmstate_semaphore, TensixSemaphore),
    VMSTATE_STRUCT_ARRAY(semaphore_use, TensixState, TENSIX_SEMAPHORES, 1,
                         vmstate_semaphore_use, TensixSemaphoreUse),
    VMSTATE_UINT32_ARRAY(mutex_owner, TensixState, TENSIX_MUTEXES),
    VMSTATE_STRUCT_ARRAY(thread, TensixState, TENSIX_THREADS, 1,
                         vmstate_thread, TensixThread),
    VMSTATE_UINT16_2DARRAY(ttsync_use, TensixState, TENSIX_THREADS,
                           TENSIX_TTSYNC_CLASSES),
    VMSTATE_UINT32(debug_bus, TensixState),
    VMSTATE_STRUCT(order, TensixState, 1, vmstate_order, TensixOrder),
    VMSTATE_UINT32(soft_reset, TensixState),
    VMSTATE_UINT64_ARRAY(executed, TensixState, TENSIX_UNITS),
    VMSTATE_END_OF_LIST()
};

const VMStateDescription vmstate_tensix_state = {
    .name = "tensix-state",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = state_fields,
};

/* --- the trail, on an axis: the past reports again what it did --- */

static const VMStateField hazard_site_fields[] = {
    VMSTATE_STRUCT(insn, TensixHazardSite, 1, vmstate_insn, TensixInsn),
    VMSTATE_UINT64(position, TensixHazardSite),
    VMSTATE_END_OF_LIST()
};
VMSD(hazard_site, hazard_site_fields);

#define SITE(field, type) \
    VMSTATE_STRUCT(field, type, 1, vmstate_hazard_site, TensixHazardSite)

static const VMStateField hazard_rows_fields[] = {
    SITE(by, TensixHazardRows),
    VMSTATE_UINT32(first, TensixHazardRows),
    VMSTATE_UINT32(count, TensixHazardRows),
    VMSTATE_BOOL(wide, TensixHazardRows),
    VMSTATE_END_OF_LIST()
};
VMSD(hazard_rows, hazard_rows_fields);

static const VMStateField hazard_gprs_fields[] = {
    SITE(by, TensixHazardGprs),
    VMSTATE_UINT64(gprs, TensixHazardGprs),
    VMSTATE_END_OF_LIST()
};
VMSD(hazard_gprs, hazard_gprs_fields);

static const VMStateField hazard_config_fields[] = {
    SITE(by, TensixHazardConfig),
    VMSTATE_UINT32(first, TensixHazardConfig),
    VMSTATE_UINT32(words, TensixHazardConfig),
    VMSTATE_UINT32(users, TensixHazardConfig),
    VMSTATE_END_OF_LIST()
};
VMSD(hazard_config, hazard_config_fields);

static const VMStateField hazard_lregs_fields[] = {
    SITE(by, TensixHazardLregs),
    VMSTATE_UINT32(lregs, TensixHazardLregs),
    VMSTATE_UINT32(lanes, TensixHazardLregs),
    VMSTATE_BOOL(indirect, TensixHazardLregs),
    VMSTATE_END_OF_LIST()
};
VMSD(hazard_lregs, hazard_lregs_fields);

#define RECORDS(field, kind, type) \
    VMSTATE_STRUCT_ARRAY(field, TensixHazardThread, TENSIX_HAZARD_RECORDS, 1, \
                         vmstate_hazard_##kind, type)

static const VMStateField hazard_thread_fields[] = {
    VMSTATE_UINT64(position, TensixHazardThread),
    VMSTATE_BOOL(again, TensixHazardThread),
    VMSTATE_BOOL(mop_ended, TensixHazardThread),
    VMSTATE_UINT32(wait_block, TensixHazardThread),
    VMSTATE_UINT32(wait_conditions, TensixHazardThread),
    VMSTATE_STRUCT(late, TensixHazardThread, 1, vmstate_hazard_lregs,
                   TensixHazardLregs),
    SITE(backdoor, TensixHazardThread),
    VMSTATE_UINT32(backdoor_lanes, TensixHazardThread),
    RECORDS(dst_write, rows, TensixHazardRows),
    RECORDS(dst_store, rows, TensixHazardRows),
    RECORDS(load, gprs, TensixHazardGprs),
    VMSTATE_STRUCT(read_config, TensixHazardThread, 1, vmstate_hazard_gprs,
                   TensixHazardGprs),
    VMSTATE_STRUCT(config, TensixHazardThread, 1, vmstate_hazard_config,
                   TensixHazardConfig),
    RECORDS(stream, config, TensixHazardConfig),
    SITE(pack, TensixHazardThread),
    SITE(state_id, TensixHazardThread),
    VMSTATE_END_OF_LIST()
};
VMSD(hazard_thread, hazard_thread_fields);

static const VMStateField trail_fields[] = {
    VMSTATE_UINT32(signals.changed, TensixTrail),
    VMSTATE_BOOL(signals.backlog, TensixTrail),
    VMSTATE_STRUCT_ARRAY(hazards.thread, TensixTrail, TENSIX_THREADS, 1,
                         vmstate_hazard_thread, TensixHazardThread),
    VMSTATE_STRUCT_2DARRAY(hazards.given, TensixTrail, TENSIX_SRCS,
                           TENSIX_SRC_BANKS, 1, vmstate_hazard_site,
                           TensixHazardSite),
    VMSTATE_STRUCT_2DARRAY(hazards.taken, TensixTrail, TENSIX_SRCS,
                           TENSIX_SRC_BANKS, 1, vmstate_hazard_site,
                           TensixHazardSite),
    VMSTATE_UINT32_ARRAY(hazards.site, TensixTrail, TENSIX_HAZARD_SITES),
    VMSTATE_UINT32_ARRAY(reported.rounding, TensixTrail, TENSIX_CFG_BANKS),
    VMSTATE_UINT32_ARRAY(reported.pack, TensixTrail, TENSIX_CFG_BANKS),
    VMSTATE_UINT32_ARRAY(reported.pack_formats, TensixTrail, TENSIX_CFG_BANKS),
    VMSTATE_UINT32(reported.pack_operands, TensixTrail),
    VMSTATE_END_OF_LIST()
};
VMSD(trail, trail_fields);

static bool trail_needed(void *opaque)
{
    return tensix_axis_has(((TensixCopState *)opaque)->hart[0]);
}

static int trail_pre_save(void *opaque)
{
    TensixCopState *cop = opaque;

    tensix_get_trail(cop->core, &cop->moving.trail);
    return 0;
}

static int trail_post_load(void *opaque, int version_id)
{
    TensixCopState *cop = opaque;

    cop->moving.has_trail = true;
    return tensix_trail_valid(&cop->moving.trail) ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_cop_trail = {
    .name = TYPE_TENSIX_COP "/trail",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = trail_needed,
    .pre_save = trail_pre_save,
    .post_load = trail_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(moving.trail, TensixCopState, 1, vmstate_trail,
                       TensixTrail),
        VMSTATE_END_OF_LIST()
    },
};

/* --- the device --- */

/* An access that the core has requested, or none (tensix_cop_defer_write()). */
static bool access_valid(const TensixCopAccess *access)
{
    enum { FIRST = 0xffb11000, LAST = 0xffbffffc };

    return access->state == TENSIX_COP_ACCESS_NONE ||
           (access->state < TENSIX_COP_ACCESS_STATES &&
            tensix_insn_valid(&access->by) &&
            access->address >= FIRST && access->address <= LAST &&
            access->address % sizeof(uint32_t) == 0);
}

static int tensix_cop_pre_save(void *opaque)
{
    TensixCopState *cop = opaque;

    cop->moving.core = *cop->state;
    cop->moving.access = cop->access;
    return 0;
}

static int tensix_cop_pre_load(void *opaque)
{
    TensixCopState *cop = opaque;

    tensix_bus_post(cop->bus, TENSIX_ON_LOAD, NULL);
    cop->moving.has_trail = false;
    return 0;
}

/*
 * Incoming state is not trusted.  State that is refused or incomplete never
 * enters the core, which can still be inspected.
 */
static int tensix_cop_post_load(void *opaque, int version_id)
{
    TensixCopState *cop = opaque;

    if (!tensix_state_valid(&cop->moving.core) ||
        !access_valid(&cop->moving.access)) {
        error_report("%s: the incoming state is none that it could have had",
                     TYPE_TENSIX_COP);
        return -EINVAL;
    }
    *tensix_core_state(cop->core) = cop->moving.core;
    cop->access = cop->moving.access;
    tensix_record(cop->recorder, LOADED);
    tensix_state_loaded(cop->core);
    if (cop->moving.has_trail) {
        tensix_set_trail(cop->core, &cop->moving.trail);
    }
    return 0;
}

static const VMStateField loaded_fields[] = {
    VMSTATE_BOOL(valid, TensixCopLoaded),
    VMSTATE_UINT32(address, TensixCopLoaded),
    VMSTATE_UINT32(value, TensixCopLoaded),
    VMSTATE_END_OF_LIST()
};
VMSD(loaded, loaded_fields);

/* --- cells never written (instruments/tensix_unwritten.c) --- */

enum { MARK_WORDS = TENSIX_MARKS * TENSIX_READ_WORDS };

static uint32_t mark_bytes(const TensixUnwritten *u)
{
    return u->l1_size / 8;
}

static int put_marks(QEMUFile *f, void *opaque, size_t size,
                     const VMStateField *field, JSONWriter *vmdesc)
{
    const TensixUnwritten *u = (*(TensixObserver **)opaque)->unwritten;

    for (unsigned n = 0; n < MARK_WORDS; n++) {
        qemu_put_be64(f, u->marks[n / TENSIX_READ_WORDS]
                                 [n % TENSIX_READ_WORDS]);
    }
    for (unsigned n = 0; n < TENSIX_LREGS; n++) {
        qemu_put_be32(f, u->lanes[n]);
    }
    qemu_put_buffer(f, (const uint8_t *)u->l1, mark_bytes(u));
    return 0;
}

/* Any bits will do: a wrong one is a wrong report. */
static int get_marks(QEMUFile *f, void *opaque, size_t size,
                     const VMStateField *field)
{
    TensixUnwritten *u = (*(TensixObserver **)opaque)->unwritten;
    TensixUnwritten read = { .l1_size = TENSIX_L1_SIZE };
    g_autofree uint8_t *bytes = g_malloc(mark_bytes(&read));

    for (unsigned n = 0; n < MARK_WORDS; n++) {
        read.marks[n / TENSIX_READ_WORDS][n % TENSIX_READ_WORDS] =
            qemu_get_be64(f);
    }
    for (unsigned n = 0; n < TENSIX_LREGS; n++) {
        read.lanes[n] = qemu_get_be32(f);
    }
    if (qemu_get_buffer(f, bytes, mark_bytes(&read)) != mark_bytes(&read)) {
        return -EINVAL;
    }
    if (u) {                       /* else no instrument wants them */
        memcpy(u->marks, read.marks, sizeof(u->marks));
        memcpy(u->lanes, read.lanes, sizeof(u->lanes));
        memcpy(u->l1, bytes, mark_bytes(u));
    }
    return 0;
}

static const VMStateInfo marks_info = {
    .name = "tensix unwritten",
    .get = get_marks,
    .put = put_marks,
};

static bool has_marks(void *opaque)
{
    return ((TensixCopState *)opaque)->observer->unwritten;
}

static const VMStateDescription vmstate_unwritten = {
    .name = TYPE_TENSIX_COP "/unwritten",
    .version_id = 2,
    .minimum_version_id = 2,
    .needed = has_marks,
    .fields = (const VMStateField[]) {
        {
            .name = "unwritten",
            .offset = offsetof(TensixCopState, observer),
            .size = sizeof(TensixObserver *),
            .info = &marks_info,
            .flags = VMS_SINGLE,
        },
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_tensix_cop = {
    .name = TYPE_TENSIX_COP,
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_save = tensix_cop_pre_save,
    .pre_load = tensix_cop_pre_load,
    .post_load = tensix_cop_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(moving.core, TensixCopState, 1, vmstate_tensix_state,
                       TensixState),
        VMSTATE_UINT32(moving.access.state, TensixCopState),
        VMSTATE_UINT32(moving.access.address, TensixCopState),
        VMSTATE_UINT32(moving.access.value, TensixCopState),
        VMSTATE_STRUCT(moving.access.by, TensixCopState, 1, vmstate_insn,
                       TensixInsn),
        VMSTATE_STRUCT_ARRAY(moving.access.loaded, TensixCopState,
                             TENSIX_THREADS, 1, vmstate_loaded,
                             TensixCopLoaded),
        VMSTATE_TIMER_PTR(step_timer, TensixCopState),
        VMSTATE_BOOL(put_off, TensixCopState),
        VMSTATE_TENSIX_PUMP(pump, TensixCopState),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const[]) {
        &vmstate_unwritten,
        &vmstate_cop_trail,
        NULL
    },
};
