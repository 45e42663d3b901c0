/*
 * Tensix coprocessor: the live status CSRs of the harts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH CSRs.md: tt_cfg_qstatus, tt_cfg_bstatus, tt_cfg_sstatus0-7.  A unit is
 * never busy when a hart reads, so bstatus shows what is queued.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/words.h"
#include "tensix_cop_internal.h"

/* Bits of the instruction-type masks. */
enum {
    TYPE_REPLAY = 1 << 0,
    TYPE_MOP = 1 << 1,
    TYPE_THCON = 1 << 2,
    TYPE_XMOV = 1 << 3,
    TYPE_UNPACK = 1 << 4,
    TYPE_PACK = 1 << 5,
    TYPE_CFG = 1 << 6,
    TYPE_SYNC = 1 << 7,
    TYPE_MISC = 1 << 8,            /* misc, mover, scalar, packer, unpacker */
    TYPE_SFPU = 1 << 9,
    TYPE_MATH = 1 << 10,
};

enum {
    QSTATUS_OR_SHIFT = 13,
    QSTATUS_SFPU_CC = 1 << 11,
    QSTATUS_SFPU_CC_COPY = 1 << 24,
    BSTATUS_OR_SHIFT = 11,
};

enum {
    STREAM_ID_TRISC_INDEX = 63,
    STREAM_ID_MASK = 0x3f,
    STREAM_STATUS_CSRS = 4
};

static const uint16_t unit_types[TENSIX_UNITS] = {
    [TENSIX_UNIT_SYNC] = TYPE_SYNC,
    [TENSIX_UNIT_CFG] = TYPE_CFG,
    [TENSIX_UNIT_THCON] = TYPE_THCON | TYPE_MISC,
    [TENSIX_UNIT_MISC] = TYPE_MISC,
    [TENSIX_UNIT_XMOV] = TYPE_XMOV | TYPE_MISC,
    [TENSIX_UNIT_UNPACK] = TYPE_UNPACK | TYPE_MISC,
    [TENSIX_UNIT_PACK] = TYPE_PACK | TYPE_MISC,
    [TENSIX_UNIT_MATRIX] = TYPE_MATH,
    [TENSIX_UNIT_VECTOR] = TYPE_SFPU,
};

static uint32_t word_type(uint32_t word)
{
    if (tensix_word_is_mop(word)) {
        return TYPE_MOP;
    }
    return tensix_word_replays(word) ? TYPE_REPLAY
                                     : unit_types[tensix_insns[word >> 24].unit];
}

static uint32_t queued_types(const TensixThread *t)
{
    uint32_t types = 0;

    for (uint32_t i = 0; i < t->fifo.count; i++) {
        uint32_t at = (t->fifo.head + i) % TENSIX_FIFO_DEPTH;

        types |= word_type(t->fifo.entry[at].word);
    }
    if (t->mop.phase != TENSIX_MOP_IDLE) {
        types |= TYPE_MOP;
    }
    if (t->replay.phase == TENSIX_REPLAY_PLAY) {
        types |= TYPE_REPLAY;
    }
    for (uint32_t i = 0; i < t->flight.count; i++) {
        types |= word_type(t->flight.insn[i].word);
    }
    if (t->gate.pending.valid) {
        types |= word_type(t->gate.pending.word);
    }
    return types;
}

/* Bit per lane: is it enabled now?  (BH VectorUnit.md) */
static uint32_t enabled_lanes(const TensixState *s)
{
    return s->vu.lane_flags | ~s->vu.use_lane_flags;
}

static uint32_t stream_status(TensixCopState *cop, uint32_t thread, unsigned n)
{
    uint32_t index = STREAM_ID_TRISC_INDEX + n % STREAM_STATUS_CSRS;
    uint32_t stream = cop->state->thread_cfg[thread][index] & STREAM_ID_MASK;
    uint32_t number = n < STREAM_STATUS_CSRS ? TENSIX_STREAM_CURR_PHASE
                                             : TENSIX_STREAM_NUM_MSGS_RECEIVED;

    return cop->stream_read
               ? cop->stream_read(cop->stream_opaque, stream,
                                  number * sizeof(uint32_t))
               : 0;
}

uint32_t tensix_cop_status(void *opaque, TensixHartIndex hart, unsigned index)
{
    TensixCopState *cop = opaque;
    const TensixState *s = tensix_core_state(tensix_cop_lock(cop));
    bool is_t = hart >= TENSIX_HART_TRISC0;
    uint32_t any = 0, own, cc;

    for (int t = 0; t < TENSIX_THREADS; t++) {
        any |= queued_types(&s->thread[t]);
    }
    own = is_t ? queued_types(&s->thread[hart - TENSIX_HART_TRISC0]) : any;
    cc = enabled_lanes(s) ? QSTATUS_SFPU_CC | QSTATUS_SFPU_CC_COPY : 0;
    tensix_cop_release(cop);
    switch (index) {
    case TENSIX_STATUS_QSTATUS:
        return own | any << QSTATUS_OR_SHIFT | cc;
    case TENSIX_STATUS_BSTATUS:
        return own | any << BSTATUS_OR_SHIFT;
    default:
        return is_t ? stream_status(cop, hart - TENSIX_HART_TRISC0,
                                    index - TENSIX_STATUS_SSTATUS0) : 0;
    }
}
