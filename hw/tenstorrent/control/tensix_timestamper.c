/*
 * Debug timestamper of a Tensix tile.  (BH DebugTimestamper.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "hw/tenstorrent/tensix_timestamper.h"

FIELD(STATUS, BUF0_FULL, 0, 1)
FIELD(STATUS, BUF1_FULL, 1, 1)
FIELD(STATUS, BUF0_OVERFLOW, 4, 1)
FIELD(STATUS, BUF1_OVERFLOW, 5, 1)
FIELD(STATUS, ACCUM_64, 8, 1)
FIELD(STATUS, ACCUM_32, 9, 2)
FIELD(STATUS, ACCUM_96, 11, 2)
FIELD(STATUS, BUF0_POSITION, 14, 18)

FIELD(CNTL, BUF0_VALID, 0, 1)
FIELD(CNTL, BUF1_VALID, 1, 1)
FIELD(CNTL, RESET_STREAMS, 31, 1)

/* Low three bits of a header */
enum {
    APPEND_128 = 0,
    APPEND_64 = 1,
    APPEND_32 = 2,
    FLUSH_64 = 3,
    APPEND_96 = 4,
    FLUSH_96 = 7,
    HEADER_COMMANDS = 8,
};

static const struct {
    uint8_t event_size;            /* bits; 0: no such command */
    bool flush;
} commands[HEADER_COMMANDS] = {
    [APPEND_128] = { 128, false },
    [APPEND_64] = { 64, false },
    [APPEND_32] = { 32, false },
    [FLUSH_64] = { 64, true },
    [APPEND_96] = { 96, false },
    [FLUSH_96] = { 96, true },
};

static bool has_room(const TensixTimestampBuffer *b)
{
    return (uint64_t)b->start + b->position <= b->end;
}

/* The first buffer with room; without one all valid ones overflow. */
static TensixTimestampBuffer *find_buffer(TensixTimestamper *t)
{
    for (unsigned i = 0; i < TENSIX_TIMESTAMP_BUFFERS; i++) {
        TensixTimestampBuffer *b = &t->buf[i];

        if (b->valid && has_room(b)) {
            return b;
        }
    }
    for (unsigned i = 0; i < TENSIX_TIMESTAMP_BUFFERS; i++) {
        t->buf[i].overflow |= t->buf[i].valid;
    }
    return NULL;
}

/* False if the buffer lies outside L1. */
static bool write_unit(TensixTimestamper *t, TensixCopState *cop,
                       const TensixActor *by, TensixTimestampBuffer *b)
{
    uint64_t addr = ((uint64_t)b->start + b->position) * TENSIX_TIMESTAMP_UNIT;
    uint32_t le[TENSIX_TIMESTAMP_UNIT / 4];

    b->position++;
    b->full |= !has_room(b);
    if (addr + TENSIX_TIMESTAMP_UNIT > TENSIX_L1_SIZE) {
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(le); i++) {
        le[i] = cpu_to_le32(t->data[i]);
    }
    tensix_l1_write(cop, by, addr, le, sizeof(le));
    return true;
}

static bool flush_record(TensixTimestamper *t, TensixCopState *cop,
                         const TensixActor *by)
{
    TensixTimestampBuffer *b;

    while (t->position < ARRAY_SIZE(t->data)) {
        t->data[t->position++] = 0;
    }
    t->position = 0;
    t->event_size = 0;
    b = find_buffer(t);
    return !b || write_unit(t, cop, by, b);
}

static bool append(TensixTimestamper *t, TensixCopState *cop,
                   const TensixActor *by, uint32_t word)
{
    t->data[t->position++] = word;
    return t->position < ARRAY_SIZE(t->data) || flush_record(t, cop, by);
}

static bool append_event(TensixTimestamper *t, TensixCopState *cop,
                         const TensixActor *by, uint32_t header, uint64_t clock)
{
    const uint32_t words[] = { header, clock, clock >> 32, 0 };
    uint32_t count = t->event_size / 32;
    bool ok = true;

    if (count == 1) {
        return append(t, cop, by, (header & 0xffff) | (clock & 0x001fffe0) << 11);
    }
    for (uint32_t i = 0; i < count; i++) {
        ok &= append(t, cop, by, words[i]);
    }
    return ok;
}

const char *tensix_timestamper_command(TensixTimestamper *t,
                                       TensixCopState *cop,
                                       const TensixActor *by, uint32_t header,
                                       uint64_t clock)
{
    uint32_t size = commands[header % HEADER_COMMANDS].event_size;
    bool ok;

    if (!size) {
        return "header with undefined low bits";
    }
    if (t->event_size && t->event_size != size) {
        return "events of different sizes without a flush between them";
    }
    if (FIELD_EX32(t->cntl, CNTL, RESET_STREAMS)) {
        return NULL;               /* emptied again in every clock */
    }
    t->event_size = size;
    if (commands[header % HEADER_COMMANDS].flush) {
        ok = flush_record(t, cop, by);
    } else {
        ok = append_event(t, cop, by, header, clock);
    }
    return ok ? NULL : "buffer outside L1, unit lost";
}

void tensix_timestamper_write_cntl(TensixTimestamper *t, uint32_t value)
{
    t->cntl = value;
    t->buf[0].valid = FIELD_EX32(value, CNTL, BUF0_VALID);
    t->buf[1].valid = FIELD_EX32(value, CNTL, BUF1_VALID);
    if (FIELD_EX32(value, CNTL, RESET_STREAMS)) {
        for (unsigned i = 0; i < TENSIX_TIMESTAMP_BUFFERS; i++) {
            t->buf[i].full = false;
            t->buf[i].overflow = false;
        }
        t->position = 0;
        t->event_size = 0;
    }
}

uint32_t tensix_timestamper_status(const TensixTimestamper *t)
{
    uint32_t v = 0;

    v = FIELD_DP32(v, STATUS, BUF0_FULL, t->buf[0].full);
    v = FIELD_DP32(v, STATUS, BUF1_FULL, t->buf[1].full);
    v = FIELD_DP32(v, STATUS, BUF0_OVERFLOW, t->buf[0].overflow);
    v = FIELD_DP32(v, STATUS, BUF1_OVERFLOW, t->buf[1].overflow);
    if (t->event_size == 64) {
        v = FIELD_DP32(v, STATUS, ACCUM_64, t->position / 2);
    } else if (t->event_size == 32) {
        v = FIELD_DP32(v, STATUS, ACCUM_32, t->position);
    } else if (t->event_size == 96) {
        v = FIELD_DP32(v, STATUS, ACCUM_96, (4 - t->position) & 3);
    }
    return FIELD_DP32(v, STATUS, BUF0_POSITION, t->buf[0].position & 0x3ffff);
}

void tensix_timestamper_clear_status(TensixTimestamper *t, uint32_t value)
{
    static const struct { uint8_t full, overflow; } bits[] = {
        { R_STATUS_BUF0_FULL_SHIFT, R_STATUS_BUF0_OVERFLOW_SHIFT },
        { R_STATUS_BUF1_FULL_SHIFT, R_STATUS_BUF1_OVERFLOW_SHIFT },
    };

    for (unsigned i = 0; i < TENSIX_TIMESTAMP_BUFFERS; i++) {
        if (extract32(value, bits[i].full, 1)) {
            t->buf[i].full = false;
            t->buf[i].position = 0;
        }
        if (extract32(value, bits[i].overflow, 1)) {
            t->buf[i].overflow = false;
        }
    }
}

void tensix_timestamper_reset(TensixTimestamper *t)
{
    *t = (TensixTimestamper) { 0 };
    tensix_timestamper_write_cntl(t, TENSIX_TIMESTAMP_CNTL_RESET);
}

static bool vmstate_position_valid(void *opaque, int version_id)
{
    TensixTimestamper *t = opaque;

    return t->position < ARRAY_SIZE(t->data);
}

static const VMStateDescription vmstate_tensix_timestamp_buffer = {
    .name = "tensix-timestamper/buffer",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(valid, TensixTimestampBuffer),
        VMSTATE_BOOL(full, TensixTimestampBuffer),
        VMSTATE_BOOL(overflow, TensixTimestampBuffer),
        VMSTATE_UINT32(start, TensixTimestampBuffer),
        VMSTATE_UINT32(end, TensixTimestampBuffer),
        VMSTATE_UINT32(position, TensixTimestampBuffer),
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_tensix_timestamper = {
    .name = "tensix-timestamper",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_ARRAY(buf, TensixTimestamper, TENSIX_TIMESTAMP_BUFFERS,
                             1, vmstate_tensix_timestamp_buffer,
                             TensixTimestampBuffer),
        VMSTATE_UINT32_ARRAY(data, TensixTimestamper,
                             TENSIX_TIMESTAMP_UNIT / 4),
        VMSTATE_UINT32(position, TensixTimestamper),
        VMSTATE_VALIDATE("position", vmstate_position_valid),
        VMSTATE_UINT32(event_size, TensixTimestamper),
        VMSTATE_UINT32(cntl, TensixTimestamper),
        VMSTATE_END_OF_LIST()
    }
};
