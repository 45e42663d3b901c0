/*
 * Tile control, debug and status registers of a Tensix tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_tile_ctrl.h
 *
 * OLD TileControlDebugStatus.md lists the registers; the pages that describe
 * them are named at each part.  Registers that only steer clock gates, ECC and
 * the watchdog are kept and do nothing.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_cells.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_time.h"
#include "hw/tenstorrent/tensix_tile_ctrl.h"
#include "../trace.h"

REG32(CFGREG_RDDATA, 0x78)
    FIELD(CFGREG_RD_CNTL, INDEX, 0, 11)
REG32(DBG_ARRAY_RD_EN, 0x60)
REG32(DBG_ARRAY_RD_CMD, 0x64)
    FIELD(DBG_ARRAY_RD_CMD, ROW, 0, 12)
    FIELD(DBG_ARRAY_RD_CMD, PAIR, 12, 4)
    FIELD(DBG_ARRAY_RD_CMD, ARRAY, 16, 3)
    FIELD(DBG_ARRAY_RD_CMD, BANK, 19, 1)
    FIELD(DBG_ARRAY_RD_CMD, RESERVED, 20, 12)
    FIELD(DBG_FEATURE_DISABLE, DST16B_IS_HIGH_HALF, 11, 1)
REG32(INSTRN_BUF_CTRL0, 0xa0)
    FIELD(INSTRN_BUF_CTRL0, TAKE, 0, 3)
    FIELD(INSTRN_BUF_CTRL0, PUSH, 4, 3)
REG32(INSTRN_BUF_CTRL1, 0xa4)
    FIELD(INSTRN_BUF_STATUS, EMPTY, 4, 3)
REG32(SOFT_RESET_0, 0x1b0)
    FIELD(SOFT_RESET_0, TDMA, 8, 1)
REG32(DISABLE_RESET, 0x224)
REG32(TRISC0_RESET_PC, 0x228)
REG32(TRISC_RESET_PC_OVERRIDE, 0x234)
REG32(NCRISC_RESET_PC, 0x238)
REG32(NCRISC_RESET_PC_OVERRIDE, 0x23c)

#define SOFT_RESET_BITS 0x00ffffff

enum {
    DEBUG_ARRAY_SRCA, DEBUG_ARRAY_SRCB, DEBUG_ARRAY_DST, DEBUG_ARRAY_MAX_EXP,
    DEBUG_ARRAYS = 1 << 3,         /* as many as the field can name */
};

/* Bits of DISABLE_RESET that keep local RAM; the next: DRs (BH SoftReset.md) */
static const uint8_t keep_ram_bit[TENSIX_NUM_HARTS] = {
    [TENSIX_HART_BRISC] = 6,
    [TENSIX_HART_NCRISC] = 8,
    [TENSIX_HART_TRISC0] = 0,
    [TENSIX_HART_TRISC1] = 2,
    [TENSIX_HART_TRISC2] = 4,
};

/* --- soft reset (BH SoftReset.md) --- */

static void hart_enters_reset(TensixTileCtrlState *s, unsigned id)
{
    tensix_mailbox_empty_writer(s->mailbox, id);
    tensix_hart_hold_reset(s->hart[id], true);
}

static void hart_leaves_reset(TensixTileCtrlState *s, unsigned id)
{
    if (id >= TENSIX_HART_TRISC0) {
        tensix_pcbuf_empty(s->pcbuf, id - TENSIX_HART_TRISC0);
    }
    tensix_hart_hold_reset(s->hart[id], false);
}

static void hold_harts(TensixTileCtrlState *s, uint32_t old, uint32_t new)
{
    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        uint32_t bit = tensix_hart_soft_reset_bit(id);

        if (new & ~old & bit) {
            hart_enters_reset(s, id);
        } else if (old & ~new & bit) {
            hart_leaves_reset(s, id);
        }
    }
}

static void apply_soft_reset(TensixTileCtrlState *s, uint32_t old, uint32_t new)
{
    tensix_cop_keep_out(s->cop);
    tensix_soft_reset(tensix_cop_lock(s->cop), new);
    tensix_cop_unlock(s->cop);
    tensix_tdma_hold_reset(s->tdma, FIELD_EX32(new, SOFT_RESET_0, TDMA));
    hold_harts(s, old, new);
    tensix_pic_update(s->pic);
    tensix_cop_let_in(s->cop);
}

/* A host that holds a hart writes its memory at once. */
static void end_counts_of_held(TensixTileCtrlState *s, uint32_t entered)
{
    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        if (entered & tensix_hart_soft_reset_bit(id)) {
            tensix_hart_leave_code(s->hart[id]);
        }
    }
}

static void soft_reset_write(void *opaque, const TensixAccess *a,
                             uint32_t value)
{
    TensixTileCtrlState *s = opaque;
    uint32_t old = s->value[R_SOFT_RESET_0];

    tensix_regs_store(a, value);
    trace_tensix_tile_ctrl_soft_reset(old, s->value[R_SOFT_RESET_0]);
    apply_soft_reset(s, old, s->value[R_SOFT_RESET_0]);
    if (tensix_regs_may_wait(a)) {
        end_counts_of_held(s, s->value[R_SOFT_RESET_0] & ~old);
    }
}

static void set_reset_pc(TensixTileCtrlState *s, unsigned id, bool is_override,
                         uint32_t override)
{
    tensix_hart_set_reset_pc(s->hart[id], is_override
                             ? override : tensix_hart_fixed_reset_pc(id));
}

static void reset_pc_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    tensix_regs_store(a, value);
    for (unsigned t = 0; t < TENSIX_THREADS; t++) {
        set_reset_pc(s, TENSIX_HART_TRISC0 + t,
                     extract32(s->value[R_TRISC_RESET_PC_OVERRIDE], t, 1),
                     s->value[R_TRISC0_RESET_PC + t]);
    }
    set_reset_pc(s, TENSIX_HART_NCRISC, s->value[R_NCRISC_RESET_PC_OVERRIDE],
                 s->value[R_NCRISC_RESET_PC]);
}

static void disable_reset_write(void *opaque, const TensixAccess *a,
                                uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    tensix_regs_store(a, value);
    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        tensix_hart_set_keep_ram(s->hart[id],
                                 extract32(value, keep_ram_bit[id], 1));
        tensix_hart_set_keep_debug(s->hart[id],
                                   extract32(value, keep_ram_bit[id] + 1, 1));
    }
}

/* --- clock and timestamper (BH DebugTimestamper.md) --- */

/* The latest of the harts' clocks: only with timing= they differ. */
static uint64_t latest_clock(TensixTileCtrlState *s)
{
    uint64_t latest = 0;

    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        latest = MAX(latest, tensix_hart_clock(s->hart[id]));
    }
    return latest;
}

/* That of the access's hart, or of all. */
static uint64_t clock_of_access(TensixTileCtrlState *s, const TensixAccess *a)
{
    unsigned id = a->attrs.requester_id - TENSIX_REQUESTER_HART;
    bool by_hart = tensix_attrs_of_hart(a->attrs) && id < TENSIX_NUM_HARTS;

    return by_hart ? tensix_hart_clock(s->hart[id]) : latest_clock(s);
}

/* Since the tile's reset. */
static uint64_t clock_now(TensixTileCtrlState *s, const TensixAccess *a)
{
    return clock_of_access(s, a) - s->clock_base;
}

static uint32_t wall_clock_low_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;
    uint64_t now = clock_now(s, a);

    if (!a->attrs.debug) {
        s->clock_high = now >> 32;
    }
    return now;
}

static void wall_clock_low_write(void *opaque, const TensixAccess *a,
                                 uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    s->clock_high = clock_now(s, a) >> 32;
}

static uint32_t wall_clock_high_read(void *opaque, const TensixAccess *a)
{
    return clock_now(opaque, a) >> 32;
}

static uint32_t wall_clock_latched_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return s->clock_high;
}

static void timestamp_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixTileCtrlState *s = opaque;
    const TensixActor by = tensix_agent_for(TENSIX_BY_TIMESTAMPER,
                                            tensix_regs_actor(a));
    const char *error = tensix_timestamper_command(&s->timestamper, s->cop, &by,
                                                   value, clock_now(s, a));

    if (error) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR, "%s", error);
    }
}

static uint32_t timestamp_cntl_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return s->timestamper.cntl;
}

static void timestamp_cntl_write(void *opaque, const TensixAccess *a,
                                 uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    tensix_timestamper_write_cntl(&s->timestamper, value);
}

static uint32_t timestamp_status_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return tensix_timestamper_status(&s->timestamper);
}

static void timestamp_status_write(void *opaque, const TensixAccess *a,
                                   uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    tensix_timestamper_clear_status(&s->timestamper, value);
}

/* Buffer limits: start and end of buffer 0, then of buffer 1 */
static uint32_t *timestamp_limit(TensixTileCtrlState *s, uint32_t index)
{
    TensixTimestampBuffer *b = &s->timestamper.buf[index / 2];

    return index % 2 ? &b->end : &b->start;
}

static uint32_t timestamp_limit_read(void *opaque, const TensixAccess *a)
{
    return *timestamp_limit(opaque, a->index);
}

static void timestamp_limit_write(void *opaque, const TensixAccess *a,
                                  uint32_t value)
{
    *timestamp_limit(opaque, a->index) = value;
}

/* --- PCBuf override (BH PCBufs.md) --- */

static uint32_t pcbuf_override_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return tensix_pcbuf_override(s->pcbuf);
}

static void pcbuf_override_write(void *opaque, const TensixAccess *a,
                                 uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    tensix_pcbuf_set_override(s->pcbuf, value & a->def->writable);
}

/* --- debug access to instruction FIFOs (BH PushTensixInstruction.md) --- */

static void debug_push(TensixTileCtrlState *s, const TensixAccess *a,
                       uint32_t thread)
{
    TensixOrigin origin = { .pc = 0, .hart = TENSIX_HART_NONE };
    TensixCore *c = tensix_cop_lock(s->cop);
    bool pushed = tensix_push(c, thread, s->value[R_INSTRN_BUF_CTRL1], origin);

    tensix_cop_unlock(s->cop);
    if (!pushed) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "push to the full FIFO of thread %u, word lost",
                           thread);
    }
}

static void instrn_buf_ctrl0_write(void *opaque, const TensixAccess *a,
                                   uint32_t value)
{
    TensixTileCtrlState *s = opaque;
    uint32_t rising = value & ~s->value[R_INSTRN_BUF_CTRL0];
    uint32_t taken = FIELD_EX32(value, INSTRN_BUF_CTRL0, TAKE);
    uint32_t push = FIELD_EX32(rising, INSTRN_BUF_CTRL0, PUSH) & taken;

    tensix_regs_store(a, value);
    tensix_set_debug_bus(tensix_cop_lock(s->cop), taken);
    tensix_cop_unlock(s->cop);
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (extract32(push, t, 1)) {
            debug_push(s, a, t);
        }
    }
}

static uint32_t instrn_buf_status_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;
    TensixCore *c = tensix_cop_lock(s->cop);
    uint32_t not_full = 0, empty = 0;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        not_full |= tensix_can_push(c, t, TENSIX_HART_NONE) << t;
        empty |= !tensix_cop_state(s->cop)->thread[t].post_fifo.count << t;
    }
    tensix_cop_release(s->cop);
    return FIELD_DP32(not_full, INSTRN_BUF_STATUS, EMPTY, empty);
}

/* --- debug access to configuration (BH BackendConfiguration.md) --- */

static void cfgreg_rd_cntl_write(void *opaque, const TensixAccess *a,
                                 uint32_t value)
{
    TensixTileCtrlState *s = opaque;
    uint32_t index = FIELD_EX32(value, CFGREG_RD_CNTL, INDEX);

    tensix_regs_store(a, value);
    s->value[R_CFGREG_RDDATA] = tensix_cfg_read(tensix_cop_lock(s->cop),
                                                index * 4);
    tensix_cop_release(s->cop);
}

/* --- debug access to register arrays --- */

/* Two columns of a row of Dest, also of an undefined row (ttsim). */
static uint32_t read_dst_pair(TensixTileCtrlState *s, uint32_t row,
                              uint32_t pair)
{
    const TensixState *t = tensix_core_state(tensix_cop_lock(s->cop));
    uint32_t value = deposit32(t->dst[row][2 * pair], 16, 16,
                               t->dst[row][2 * pair + 1]);

    tensix_cop_release(s->cop);
    return value;
}

/* Why the arrays that have a name show nothing; LLK's ckernel_debug.h. */
static const char *const debug_array_errors[DEBUG_ARRAYS] = {
    [DEBUG_ARRAY_SRCA] = "SrcA cannot be read so: MOVDBGA2D copies its rows to "
                         "Dest",
    [DEBUG_ARRAY_SRCB] = "SrcB: which bits of a cell are shown is not public",
    [DEBUG_ARRAY_DST] = "there is no such row, pair or bank of Dest",
    [DEBUG_ARRAY_MAX_EXP] = "the largest exponents: not public",
};

static void report_array_read(TensixTileCtrlState *s, const TensixAccess *a,
                              uint32_t cmd)
{
    uint32_t array = FIELD_EX32(cmd, DBG_ARRAY_RD_CMD, ARRAY);
    const char *why = debug_array_errors[array] ?: "there is no such array";

    if (!s->value[R_DBG_ARRAY_RD_EN]) {
        why = "DBG_ARRAY_RD_EN is 0";
    }
    tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                       "array read with command 0x%08x: %s", cmd, why);
}

/* No page describes this: fields are LLK's, what is read of Dest is ttsim's. */
static uint32_t array_rd_data_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;
    uint32_t cmd = s->value[R_DBG_ARRAY_RD_CMD];
    uint32_t row = FIELD_EX32(cmd, DBG_ARRAY_RD_CMD, ROW);
    uint32_t pair = FIELD_EX32(cmd, DBG_ARRAY_RD_CMD, PAIR);

    if (s->value[R_DBG_ARRAY_RD_EN] &&
        FIELD_EX32(cmd, DBG_ARRAY_RD_CMD, ARRAY) == DEBUG_ARRAY_DST &&
        !FIELD_EX32(cmd, DBG_ARRAY_RD_CMD, BANK) &&
        !FIELD_EX32(cmd, DBG_ARRAY_RD_CMD, RESERVED) &&
        row < TENSIX_DST_ROWS && pair < TENSIX_COLUMNS / 2) {
        return read_dst_pair(s, row, pair);
    }
    if (!a->attrs.debug) {
        report_array_read(s, a, cmd);
    }
    return 0;
}

static void feature_disable_write(void *opaque, const TensixAccess *a,
                                  uint32_t value)
{
    TensixTileCtrlState *s = opaque;
    bool high_half = FIELD_EX32(value, DBG_FEATURE_DISABLE,
                                DST16B_IS_HIGH_HALF);

    tensix_regs_store(a, value);
    tensix_set_dst16b_is_high_half(tensix_cop_lock(s->cop), high_half);
    tensix_cop_unlock(s->cop);
}

/* --- debug hardware: room debug --- */

static uint32_t debug_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return s->debug_ops ? s->debug_ops->read(s->debug_opaque, a) : 0;
}

static void debug_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixTileCtrlState *s = opaque;

    if (s->debug_ops) {
        s->debug_ops->write(s->debug_opaque, a, value);
    }
}

void tensix_tile_ctrl_set_debug(TensixTileCtrlState *s,
                                const TensixTileDebugOps *ops, void *opaque)
{
    s->debug_ops = ops;
    s->debug_opaque = opaque;
}

static uint32_t unimplemented_read(void *opaque, const TensixAccess *a)
{
    if (!a->attrs.debug) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED, "reads as 0");
    }
    return 0;
}

/* --- performance counters: tensix_perf.c --- */

static void perf_write(void *opaque, const TensixAccess *a, uint32_t value)
{
    TensixTileCtrlState *s = opaque;
    uint32_t old = s->value[a->word];

    tensix_regs_store(a, value);
    tensix_perf_stored(&s->perf, a, old, value, clock_of_access(s, a));
}

static uint32_t perf_out_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return tensix_perf_read(&s->perf, a, clock_of_access(s, a));
}

/* --- the registers --- */

#define ALL 0xffffffff
#define RW(n, o, c) { .name = n, .offset = o, .count = c, .writable = ALL }
#define UNIMP(n, o, c) { .name = n, .offset = o, .count = c, .writable = ALL, \
                         .flags = TENSIX_REG_UNIMP }

#define PERF(n, o, c) { .name = n, .offset = o, .count = c, .writable = ALL, \
                        .write = perf_write }

#define UNIMP_READ(n, o, c) { .name = n, .offset = o, .count = c, \
                              .read = unimplemented_read, \
                              .write = tensix_regs_ignore }

static const TensixRegDef tile_ctrl_regs[] = {
    PERF("PERF_CNT_INSTRN_THREAD", 0x000, TENSIX_PERF_REGS),
    PERF("PERF_CNT_TDMA_UNPACK", 0x00c, TENSIX_PERF_REGS),
    PERF("PERF_CNT_FPU", 0x018, TENSIX_PERF_REGS),
    PERF("PERF_CNT_L1", 0x030, TENSIX_PERF_REGS),
    PERF("PERF_CNT_ALL", 0x03c, 1),
    { "DBG_L1_MEM_REG", TENSIX_DBG_L1_MEM_REG0, 3, 0, ALL,
      .write = debug_write },
    { "DBG_BUS_CTRL", TENSIX_DBG_BUS_CTRL, 1, 0, ALL, .write = debug_write },
    { "CFGREG_RD_CNTL", 0x058, 1, 0, ALL, .write = cfgreg_rd_cntl_write },
    { "DBG_RD_DATA", TENSIX_DBG_RD_DATA, 1, .read = debug_read,
      .write = tensix_regs_ignore },
    { "DBG_ARRAY_RD_EN", 0x060, 1, 0, 1 },
    RW("DBG_ARRAY_RD_CMD", 0x064, 1),
    { "DBG_FEATURE_DISABLE", 0x068, 1, 0, ALL, .write = feature_disable_write },
    { "DBG_ARRAY_RD_DATA", 0x06c, 1, .read = array_rd_data_read },
    RW("CG_CTRL_HYST", 0x070, 2),
    { "CFGREG_RDDATA", 0x078, 1 },
    RW("CG_CTRL_HYST2", 0x07c, 1),
    { "RISC_DBG_CNTL_0", TENSIX_RISC_DBG_CNTL_0, 1, 0, ALL,
      .write = debug_write },
    RW("RISC_DBG_CNTL_1", TENSIX_RISC_DBG_CNTL_1, 1),
    { "RISC_DBG_STATUS_0", TENSIX_RISC_DBG_STATUS_0, 1, .read = debug_read,
      .write = tensix_regs_ignore },
    { "RISC_DBG_STATUS_1", TENSIX_RISC_DBG_STATUS_1, 1,
      .write = tensix_regs_ignore },
    { "TRISC_PC_BUF_OVERRIDE", 0x090, 1, 0, 0x3fffffff,
      .read = pcbuf_override_read, .write = pcbuf_override_write },
    UNIMP_READ("DBG_INVALID_INSTRN", 0x094, 1),
    { "INSTRN_BUF_CTRL0", 0x0a0, 1, 0, 0xff, .write = instrn_buf_ctrl0_write },
    RW("INSTRN_BUF_CTRL1", 0x0a4, 1),
    { "INSTRN_BUF_STATUS", 0x0a8, 1, .read = instrn_buf_status_read },
    UNIMP("STOCH_RND_MASK", 0x0ac, 2),
    { "FPU_STICKY_BITS", 0x0b4, 1, 0, ALL, .read = unimplemented_read },
    PERF("PERF_CNT_TDMA_PACK", 0x0f0, TENSIX_PERF_REGS),
    { "PERF_CNT_OUT", 0x100, 2 * TENSIX_PERF_BANKS, .read = perf_out_read },
    { "SOFT_RESET_0", 0x1b0, 1, TENSIX_SOFT_RESET_ALL_HARTS, SOFT_RESET_BITS,
      .write = soft_reset_write },
    UNIMP("BREAKPOINT_CTRL", 0x1c0, 1),
    UNIMP_READ("BREAKPOINT_STATUS", 0x1c4, 1),
    UNIMP_READ("BREAKPOINT_DATA", 0x1c8, 1),
    RW("ECC_CTRL", 0x1d0, 1),
    RW("ECC_STATUS", 0x1d4, 1),
    RW("WATCHDOG_TIMER", 0x1e0, 1),
    UNIMP("WDT_CNTL", 0x1e4, 1),
    RW("WDT_STATUS", 0x1e8, 1),
    { "WALL_CLOCK_L", 0x1f0, 1, .read = wall_clock_low_read,
      .write = wall_clock_low_write },
    { "WALL_CLOCK_H_LIVE", 0x1f4, 1, .read = wall_clock_high_read,
      .write = tensix_regs_ignore },
    { "WALL_CLOCK_H", 0x1f8, 1, .read = wall_clock_latched_read,
      .write = tensix_regs_ignore },
    { "TIMESTAMP", 0x1fc, 1, .flags = TENSIX_REG_WRITE_ONLY,
      .write = timestamp_write },
    { "TIMESTAMP_CNTL", 0x200, 1, .read = timestamp_cntl_read,
      .write = timestamp_cntl_write },
    { "TIMESTAMP_STATUS", 0x204, 1, .read = timestamp_status_read,
      .write = timestamp_status_write },
    { "TIMESTAMP_LIMIT", 0x208, 4, .read = timestamp_limit_read,
      .write = timestamp_limit_write },
    RW("PERF_CNT_MUX_CTRL", 0x218, 1),
    RW("DBG_L1_READBACK_OFFSET", 0x21c, 1),
    RW("LFSR_HIT_MASK", 0x220, 1),
    { "DISABLE_RESET", 0x224, 1, 0, 0x3ff, .write = disable_reset_write },
    { "TRISC_RESET_PC", 0x228, 3, 0, ALL, .write = reset_pc_write },
    { "TRISC_RESET_PC_OVERRIDE", 0x234, 1, 0, 7, .write = reset_pc_write },
    { "NCRISC_RESET_PC", 0x238, 1, 0, ALL, .write = reset_pc_write },
    { "NCRISC_RESET_PC_OVERRIDE", 0x23c, 1, 0, 1, .write = reset_pc_write },
    RW("DEST_CG_CTRL", 0x240, 1),
    RW("CG_CTRL_EN", 0x244, 1),
    RW("CG_KICK", 0x248, 1),
};

static uint32_t pc_snapshot_read(void *opaque, const TensixAccess *a)
{
    TensixTileCtrlState *s = opaque;

    return tensix_hart_shown_pc(s->hart[a->index]);
}

static const TensixRegDef snapshot_regs[] = {
    { "PC_SNAPSHOT", 0, TENSIX_NUM_HARTS, .read = pc_snapshot_read },
};

/* --- QOM --- */

/* Which harts hold in reset at power-on is the board's choice. */
static void tensix_tile_ctrl_reset_exit(Object *obj, ResetType type)
{
    TensixTileCtrlState *s = TENSIX_TILE_CTRL(obj);
    uint32_t held = 0;

    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        if (tensix_hart_is_held(s->hart[id])) {
            held |= tensix_hart_soft_reset_bit(id);
        }
    }
    s->value[R_SOFT_RESET_0] = held;
    tensix_soft_reset(tensix_cop_lock(s->cop), held);
    tensix_cop_unlock(s->cop);
}

static void tensix_tile_ctrl_reset_hold(Object *obj, ResetType type)
{
    TensixTileCtrlState *s = TENSIX_TILE_CTRL(obj);

    tensix_regs_reset(&s->regs);
    tensix_timestamper_reset(&s->timestamper);
    tensix_perf_reset(&s->perf);
    s->clock_base = latest_clock(s);
    s->clock_high = 0;
}

static void tensix_tile_ctrl_init(Object *obj)
{
    TensixTileCtrlState *s = TENSIX_TILE_CTRL(obj);

    s->regs = (TensixRegBlock) {
        .name = TYPE_TENSIX_TILE_CTRL,
        .defs = tile_ctrl_regs,
        .ndefs = ARRAY_SIZE(tile_ctrl_regs),
        .size = TENSIX_TILE_CTRL_SIZE,
        .value = s->value,
        .opaque = s,
        .hart = s->hart,
        .no_guard = true,
    };
    s->snapshot = (TensixRegBlock) {
        .name = "tensix-pc-snapshot",
        .defs = snapshot_regs,
        .ndefs = ARRAY_SIZE(snapshot_regs),
        .size = TENSIX_PC_SNAPSHOT_SIZE,
        .value = s->no_state,
        .opaque = s,
        .hart = s->hart,
    };
    tensix_regs_init_mmio(&s->regs, obj, s->port);
    tensix_regs_init_mmio(&s->snapshot, obj, s->snapshot_port);
}

static void tensix_tile_ctrl_realize(DeviceState *dev, Error **errp)
{
    TensixTileCtrlState *s = TENSIX_TILE_CTRL(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    tensix_perf_init(&s->perf, s->cop, s->value);
}

static void tensix_tile_ctrl_unrealize(DeviceState *dev)
{
    tensix_perf_finish(&TENSIX_TILE_CTRL(dev)->perf);
}

static int tensix_tile_ctrl_post_load(void *opaque, int version_id)
{
    TensixTileCtrlState *s = opaque;

    tensix_perf_loaded(&s->perf);
    return 0;
}

static const VMStateDescription vmstate_tensix_tile_ctrl = {
    .name = TYPE_TENSIX_TILE_CTRL,
    .version_id = 2,
    .minimum_version_id = 2,
    .post_load = tensix_tile_ctrl_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_TENSIX_CELLS(value, TensixTileCtrlState, uint32_t),
        VMSTATE_UINT64(clock_base, TensixTileCtrlState),
        VMSTATE_UINT32(clock_high, TensixTileCtrlState),
        VMSTATE_STRUCT(timestamper, TensixTileCtrlState, 1,
                       vmstate_tensix_timestamper, TensixTimestamper),
        VMSTATE_STRUCT(perf, TensixTileCtrlState, 1, vmstate_tensix_perf,
                       TensixPerf),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_tile_ctrl_properties[] = {
    TENSIX_PROP_HARTS(TensixTileCtrlState),
    DEFINE_PROP_LINK("cop", TensixTileCtrlState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_LINK("pcbuf", TensixTileCtrlState, pcbuf, TYPE_TENSIX_PCBUF,
                     TensixPCBufState *),
    DEFINE_PROP_LINK("mailbox", TensixTileCtrlState, mailbox,
                     TYPE_TENSIX_MAILBOX, TensixMailboxState *),
    DEFINE_PROP_LINK("tdma", TensixTileCtrlState, tdma, TYPE_TENSIX_TDMA,
                     TensixTdmaState *),
    DEFINE_PROP_LINK("pic", TensixTileCtrlState, pic, TYPE_TENSIX_PIC,
                     TensixPicState *),
};

static void tensix_tile_ctrl_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "Tensix tile control, debug and status registers";
    dc->realize = tensix_tile_ctrl_realize;
    dc->unrealize = tensix_tile_ctrl_unrealize;
    dc->vmsd = &vmstate_tensix_tile_ctrl;
    rc->phases.hold = tensix_tile_ctrl_reset_hold;
    rc->phases.exit = tensix_tile_ctrl_reset_exit;
    device_class_set_props(dc, tensix_tile_ctrl_properties);
}

static const TypeInfo tensix_tile_ctrl_types[] = {
    {
        .name = TYPE_TENSIX_TILE_CTRL,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixTileCtrlState),
        .instance_init = tensix_tile_ctrl_init,
        .class_init = tensix_tile_ctrl_class_init,
    },
};

DEFINE_TYPES(tensix_tile_ctrl_types)
