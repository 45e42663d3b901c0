/*
 * The debug bus: signals of the tile in groups of 128 bits (WH
 * DebugDaisychain.md; where bits lie on Blackhole: tt-exalens' list of signals).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row of the table says which bits of a group show what.  Signals that are no
 * state of the model (queues inside of units, requests in flight) have none and
 * read 0.
 */

#include "qemu/osdep.h"
#include "hw/registerfields.h"
#include "tensix_debug_internal.h"

FIELD(BUS_CTRL, SIGNAL, 0, 16)
FIELD(BUS_CTRL, DAISY, 16, 8)
FIELD(BUS_CTRL, WORD, 25, 2)
FIELD(BUS_CTRL, ENABLED, 29, 1)

enum {
    DAISY_FRONTEND = 1,
    DAISY_RWC = 3,
    DAISY_ADC = 6,
    DAISY_HARTS = 7,
    DAISY_LAST = 14,
    SIGNAL_SELF_TEST = 255,
};

/* One getter's argument: a hart or thread, and which of its things */
typedef uint32_t BusGetter(TensixDebugState *s, uint32_t id, uint32_t what);

typedef struct BusSignal {
    uint8_t daisy, signal;
    uint8_t low, width;            /* bits of the 128; width up to 32 */
    BusGetter *get;
    uint8_t id, what;
} BusSignal;

static const TensixState *core_of(TensixDebugState *s)
{
    return tensix_cop_state(s->cop);
}

/* --- harts --- */

static uint32_t hart_pc(TensixDebugState *s, uint32_t id, uint32_t what)
{
    return tensix_hart_shown_pc(s->hart[id]);
}

/* Whether the next instruction can retire: only of a stopped hart known */
static uint32_t hart_can_retire(TensixDebugState *s, uint32_t id,
                                uint32_t what)
{
    return tensix_hart_is_paused(s->hart[id]);
}

/* Stalled for this cause?  The detail is the number of what it waits for. */
static bool waits(const TensixHart *hart, uint32_t cause, uint32_t detail)
{
    return tensix_hart_stall_cause(hart) == cause &&
           tensix_hart_stall_detail(hart) == detail;
}

/* Harts in the order of mailboxes: B, T0, T1, T2 */
static TensixHart *mailbox_hart(TensixDebugState *s, uint32_t index)
{
    return s->hart[index ? TENSIX_HART_TRISC0 + index - 1 : TENSIX_HART_BRISC];
}

/* 0: reader `what` waits for a word from writer `who` */
static uint32_t mailbox_ready(TensixDebugState *s, uint32_t id, uint32_t what)
{
    return !waits(mailbox_hart(s, what), TENSIX_STALL_MAILBOX_EMPTY, id);
}

enum {
    PCBUF_EMPTY, PCBUF_FULL, PCBUF_MOPS, PCBUF_BUSY, PCBUF_B_READS,
    PCBUF_T_SYNCS, PCBUF_T_READS,
};

static bool thread_syncs(TensixDebugState *s, uint32_t thread)
{
    const TensixHart *hart = s->hart[TENSIX_HART_TRISC0 + thread];

    return waits(hart, TENSIX_STALL_COP_DONE, thread) ||
           waits(hart, TENSIX_STALL_MOP_DONE, thread);
}

static uint32_t pcbuf(TensixDebugState *s, uint32_t thread, uint32_t what)
{
    uint32_t count = s->pcbuf->buf[thread].fifo.count;

    switch (what) {
    case PCBUF_EMPTY:
        return !count;
    case PCBUF_FULL:
        return count == TENSIX_PCBUF_DEPTH;
    case PCBUF_MOPS:
        return !tensix_mop_idle(tensix_cop_core(s->cop), thread);
    case PCBUF_BUSY:
        return !tensix_thread_idle(tensix_cop_core(s->cop), thread);
    case PCBUF_B_READS:
        return waits(s->hart[TENSIX_HART_BRISC], TENSIX_STALL_PCBUF_BARRIER,
                     thread);
    case PCBUF_T_SYNCS:
        return thread_syncs(s, thread);
    default:
        return waits(s->hart[TENSIX_HART_TRISC0 + thread],
                     TENSIX_STALL_PCBUF_EMPTY, thread);
    }
}

/* The next word, from this bit on */
static uint32_t pcbuf_word(TensixDebugState *s, uint32_t thread, uint32_t bit)
{
    const TensixWords *fifo = &s->pcbuf->buf[thread].fifo;

    return fifo->count ? tensix_words_peek(fifo) >> bit : 0;
}

/* Harts' SEMPOSTs and SEMGETs are done at once: none is ever pending */
static uint32_t semaphores_pending(TensixDebugState *s, uint32_t thread,
                                   uint32_t what)
{
    return 0;
}

/* --- front end --- */

enum { MOP_TEMPLATE_0, MOP_TEMPLATE_1, MOP_VALID, MOP_FULL, MOP_EMPTY };

static uint32_t mop(TensixDebugState *s, uint32_t thread, uint32_t what)
{
    const TensixThread *t = &core_of(s)->thread[thread];

    switch (what) {
    case MOP_TEMPLATE_0:
        return t->mop.phase == TENSIX_MOP_MASK;
    case MOP_TEMPLATE_1:
        return t->mop.phase == TENSIX_MOP_LOOP;
    case MOP_VALID:
        return t->mop.phase != TENSIX_MOP_IDLE || t->fifo.count;
    case MOP_FULL:
        return t->fifo.count == TENSIX_FIFO_DEPTH;
    default:
        return !t->fifo.count;
    }
}

/* The active MOP, or the word before the expander */
static uint32_t mop_word(TensixDebugState *s, uint32_t thread, uint32_t what)
{
    const TensixThread *t = &core_of(s)->thread[thread];

    if (t->mop.phase != TENSIX_MOP_IDLE) {
        return t->mop.insn.word;
    }
    return t->fifo.count ? t->fifo.entry[t->fifo.head].word : 0;
}

static const TensixInsn *at_gate(TensixDebugState *s, uint32_t thread)
{
    return &core_of(s)->thread[thread].gate.pending;
}

static uint32_t gate_word(TensixDebugState *s, uint32_t thread, uint32_t what)
{
    const TensixInsn *i = at_gate(s, thread);

    return i->valid ? i->word : 0;
}

static uint32_t gate_empty(TensixDebugState *s, uint32_t thread, uint32_t what)
{
    return !at_gate(s, thread)->valid;
}

/* Is what is at the gate, and so waits, for this unit? */
static uint32_t gate_unit(TensixDebugState *s, uint32_t thread, uint32_t unit)
{
    const TensixInsn *i = at_gate(s, thread);

    return i->valid && tensix_insns[i->word >> 24].unit == unit;
}

/* UNPACR and UNPACR_NOP: bit 23 names the unpacker */
static uint32_t gate_unpack(TensixDebugState *s, uint32_t thread,
                            uint32_t what)
{
    return gate_unit(s, thread, TENSIX_UNIT_UNPACK)
           << extract32(at_gate(s, thread)->word, 23, 1);
}

static uint32_t thread_busy(TensixDebugState *s, uint32_t thread,
                            uint32_t what)
{
    return !tensix_thread_idle(tensix_cop_core(s->cop), thread);
}

/* --- counters --- */

/* what: index of the field in TensixRwc */
static uint32_t rwc(TensixDebugState *s, uint32_t thread, uint32_t what)
{
    return ((const uint32_t *)&core_of(s)->rwc[thread])[what];
}

/* Bits above the lowest eight of Dst, in the next group */
static uint32_t rwc0_dst_high(TensixDebugState *s, uint32_t thread,
                              uint32_t what)
{
    return core_of(s)->rwc[0].Dst >> 8;
}

/* who: thread * TENSIX_ADCS + counter set; what: field, + 8 for channel 1 */
static uint32_t adc(TensixDebugState *s, uint32_t id, uint32_t what)
{
    const TensixAdc *a = &core_of(s)->adc[id / TENSIX_ADCS][id % TENSIX_ADCS];

    return ((const uint32_t *)&a->channel[what / 8])[what % 8];
}

/* --- Src banks --- */

static uint32_t src_owned_by_matrix(TensixDebugState *s, uint32_t src,
                                    uint32_t bank)
{
    return core_of(s)->src_client[src][bank] == TENSIX_CLIENT_MATRIX_UNIT;
}

static uint32_t src_ready(TensixDebugState *s, uint32_t src, uint32_t what)
{
    return src_owned_by_matrix(s, src, core_of(s)->matrix_bank[src]);
}

static uint32_t both_src_ready(TensixDebugState *s, uint32_t src, uint32_t what)
{
    return src_ready(s, TENSIX_SRCA, 0) && src_ready(s, TENSIX_SRCB, 0);
}

static uint32_t src_write_ready(TensixDebugState *s, uint32_t src,
                                uint32_t what)
{
    return !src_owned_by_matrix(s, src, core_of(s)->unpack_bank[src]);
}

static uint32_t src_matrix_bank(TensixDebugState *s, uint32_t src,
                                uint32_t what)
{
    return core_of(s)->matrix_bank[src];
}

static uint32_t src_unpack_bank(TensixDebugState *s, uint32_t src,
                                uint32_t what)
{
    return core_of(s)->unpack_bank[src];
}

/* --- Vector Unit --- */

/* Bit 4 * i + j is lane i + 8 * j */
static uint32_t lanes_enabled(TensixDebugState *s, uint32_t id, uint32_t what)
{
    const TensixVectorUnit *vu = &core_of(s)->vu;
    uint32_t lanes = vu->lane_flags | ~vu->use_lane_flags, bits = 0;

    for (uint32_t n = 0; n < TENSIX_LANES; n++) {
        bits |= extract32(lanes, n / 4 + 8 * (n % 4), 1) << n;
    }
    return bits;
}

/* --- the table --- */

#define HART(a, b, hart)                                                  \
    { DAISY_HARTS, a, 0, 31, hart_pc, hart },                             \
    { DAISY_HARTS, a, 31, 1, hart_can_retire, hart },                     \
    { DAISY_HARTS, a, 64, 30, hart_pc, hart },                            \
    { DAISY_HARTS, b, 32, 30, hart_pc, hart }

#define MAILBOX(signal, low, writer)                                      \
    { DAISY_HARTS, signal, low, 1, mailbox_ready, writer, 0 },            \
    { DAISY_HARTS, signal, (low) + 1, 1, mailbox_ready, writer, 1 },      \
    { DAISY_HARTS, signal, (low) + 2, 1, mailbox_ready, writer, 2 },      \
    { DAISY_HARTS, signal, (low) + 3, 1, mailbox_ready, writer, 3 }

/*
 * Its first group ends with the PCBuf's next word, which the second continues
 */
#define THREAD_QUEUES(signal, t)                                          \
    { DAISY_HARTS, (signal) - 1, 119, 9, pcbuf_word, t, 0 },              \
    { DAISY_HARTS, signal, 0, 23, pcbuf_word, t, 9 },                     \
    { DAISY_HARTS, signal, 23, 1, pcbuf, t, PCBUF_EMPTY },                \
    { DAISY_HARTS, signal, 24, 1, pcbuf, t, PCBUF_FULL },                 \
    { DAISY_HARTS, signal, 25, 1, pcbuf, t, PCBUF_MOPS },                 \
    { DAISY_HARTS, signal, 26, 1, pcbuf, t, PCBUF_BUSY },                 \
    { DAISY_HARTS, signal, 28, 1, pcbuf, t, PCBUF_B_READS },              \
    { DAISY_HARTS, signal, 30, 1, pcbuf, t, PCBUF_T_SYNCS },              \
    { DAISY_HARTS, signal, 31, 1, pcbuf, t, PCBUF_T_READS },              \
    { DAISY_HARTS, signal, 32, 16, semaphores_pending, t },               \
    { DAISY_HARTS, signal, 84, 1, mop, t, MOP_TEMPLATE_0 },               \
    { DAISY_HARTS, signal, 85, 1, mop, t, MOP_TEMPLATE_1 },               \
    { DAISY_HARTS, signal, 86, 32, mop_word, t },                         \
    { DAISY_HARTS, signal, 118, 1, mop, t, MOP_VALID },                   \
    { DAISY_HARTS, signal, 125, 1, mop, t, MOP_FULL },                    \
    { DAISY_HARTS, signal, 126, 1, mop, t, MOP_EMPTY }

#define GATE_UNIT(signal, low, t, unit)                                   \
    { DAISY_FRONTEND, signal, low, 1, gate_unit, t, TENSIX_UNIT_##unit }

#define FRONTEND(signal, t)                                               \
    GATE_UNIT(signal, 18, t, VECTOR), GATE_UNIT(signal, 19, t, CFG),      \
    GATE_UNIT(signal, 20, t, SYNC), GATE_UNIT(signal, 21, t, THCON),      \
    GATE_UNIT(signal, 23, t, XMOV), GATE_UNIT(signal, 24, t, MISC),       \
    GATE_UNIT(signal, 25, t, MATRIX),                                     \
    { DAISY_FRONTEND, signal, 26, 2, gate_unpack, t },                    \
    GATE_UNIT(signal, 28, t, PACK), GATE_UNIT(signal, 29, t, CFG),        \
    GATE_UNIT(signal, 30, t, SYNC), GATE_UNIT(signal, 31, t, THCON),      \
    { DAISY_FRONTEND, signal, 33, 2, gate_unpack, t },                    \
    GATE_UNIT(signal, 35, t, VECTOR), GATE_UNIT(signal, 36, t, XMOV),     \
    GATE_UNIT(signal, 37, t, PACK), GATE_UNIT(signal, 38, t, MISC),       \
    GATE_UNIT(signal, 39, t, MATRIX),                                     \
    { DAISY_FRONTEND, signal, 40, 32, gate_word, t },                     \
    { DAISY_FRONTEND, signal, 73, 1, gate_empty, t },                     \
    { DAISY_FRONTEND, signal, 80, 1, thread_busy, t }

#define RWC(signal, low, width, t, field)                                 \
    { DAISY_RWC, signal, low, width, rwc, t,                              \
      offsetof(TensixRwc, field) / sizeof(uint32_t) }

#define ADC_FIELD(signal, low, width, id, channel, field)                 \
    { DAISY_ADC, signal, low, width, adc, id, 8 * (channel) +             \
      offsetof(TensixAdcChannel, field) / sizeof(uint32_t) }
#define ADC_CHANNEL(signal, id, channel)                                  \
    ADC_FIELD(signal, 0, 18, id, channel, X),                             \
    ADC_FIELD(signal, 18, 18, id, channel, X_Cr),                         \
    ADC_FIELD(signal, 64, 13, id, channel, Y),                            \
    ADC_FIELD(signal, 80, 13, id, channel, Y_Cr),                         \
    ADC_FIELD(signal, 96, 8, id, channel, Z),                             \
    ADC_FIELD(signal, 104, 8, id, channel, Z_Cr),                         \
    ADC_FIELD(signal, 112, 8, id, channel, W),                            \
    ADC_FIELD(signal, 120, 8, id, channel, W_Cr)
#define ADC(signal, thread, set)                                          \
    ADC_CHANNEL(signal, (thread) * TENSIX_ADCS + (set), 0),               \
    ADC_CHANNEL((signal) + 1, (thread) * TENSIX_ADCS + (set), 1)

static const BusSignal signals[] = {
    HART(10, 11, TENSIX_HART_BRISC),
    HART(12, 13, TENSIX_HART_TRISC0),
    HART(14, 15, TENSIX_HART_TRISC1),
    HART(16, 17, TENSIX_HART_TRISC2),
    HART(24, 25, TENSIX_HART_NCRISC),
    MAILBOX(1, 115, 0),
    MAILBOX(18, 106, 1), THREAD_QUEUES(19, 0),
    MAILBOX(20, 106, 2), THREAD_QUEUES(21, 1),
    MAILBOX(22, 106, 3), THREAD_QUEUES(23, 2),
    { DAISY_HARTS, 28, 0, 32, lanes_enabled },

    FRONTEND(12, 0), FRONTEND(8, 1), FRONTEND(4, 2),

    { DAISY_RWC, 1, 116, 1, src_write_ready, TENSIX_SRCA },
    { DAISY_RWC, 1, 117, 1, src_write_ready, TENSIX_SRCB },
    { DAISY_RWC, 1, 118, 1, src_ready, TENSIX_SRCA },
    { DAISY_RWC, 1, 119, 1, src_ready, TENSIX_SRCB },
    { DAISY_RWC, 1, 120, 1, both_src_ready },
    { DAISY_RWC, 6, 61, 1, src_write_ready, TENSIX_SRCB },
    { DAISY_RWC, 6, 98, 1, src_write_ready, TENSIX_SRCA },
    RWC(2, 0, 6, 0, SrcA), RWC(2, 10, 6, 0, SrcA_Cr),
    RWC(2, 24, 6, 1, SrcA), RWC(2, 30, 6, 1, SrcA_Cr),
    RWC(2, 40, 6, 2, SrcA), RWC(2, 50, 6, 2, SrcA_Cr),
    RWC(2, 60, 6, 0, SrcB), RWC(2, 70, 6, 0, SrcB_Cr),
    RWC(2, 84, 6, 1, SrcB), RWC(2, 90, 6, 1, SrcB_Cr),
    RWC(2, 100, 6, 2, SrcB), RWC(2, 110, 6, 2, SrcB_Cr),
    RWC(2, 120, 8, 0, Dst),
    { DAISY_RWC, 3, 0, 2, rwc0_dst_high },
    RWC(3, 2, 10, 0, Dst_Cr),
    RWC(3, 12, 10, 1, Dst), RWC(3, 22, 10, 1, Dst_Cr),
    RWC(3, 32, 10, 2, Dst), RWC(3, 42, 10, 2, Dst_Cr),
    RWC(4, 60, 2, 0, FidelityPhase), RWC(4, 62, 2, 1, FidelityPhase),
    RWC(4, 64, 2, 2, FidelityPhase),

    ADC(0, 0, TENSIX_ADC_UNP0), ADC(2, 0, TENSIX_ADC_UNP1),
    ADC(4, 2, TENSIX_ADC_PACK),
    /* Exponents (100, 103, 104) go with the mantissas here */
    { DAISY_ADC, 9, 100, 1, src_matrix_bank, TENSIX_SRCB },
    { DAISY_ADC, 9, 101, 1, src_matrix_bank, TENSIX_SRCB },
    { DAISY_ADC, 9, 102, 1, src_unpack_bank, TENSIX_SRCB },
    { DAISY_ADC, 9, 103, 1, src_owned_by_matrix, TENSIX_SRCB, 0 },
    { DAISY_ADC, 9, 104, 1, src_owned_by_matrix, TENSIX_SRCB, 1 },
    { DAISY_ADC, 9, 105, 1, src_owned_by_matrix, TENSIX_SRCB, 0 },
    { DAISY_ADC, 9, 106, 1, src_owned_by_matrix, TENSIX_SRCB, 1 },
};

/* --- reading --- */

/* The part of the signal that is in this word, at its place */
static uint32_t signal_part(TensixDebugState *s, const BusSignal *b,
                            uint32_t word)
{
    uint64_t value = extract64(b->get(s, b->id, b->what), 0, b->width);
    int shift = b->low - (int)word * 32;

    return shift >= 0 ? value << shift : value >> -shift;
}

static bool is_in_word(const BusSignal *b, uint32_t word)
{
    return b->low < (word + 1) * 32 && b->low + b->width > word * 32;
}

static uint32_t self_test(uint32_t daisy, uint32_t word)
{
    return word == 0 ? daisy : word == 2 ? 0x5a5a5a5a : 0xa5a5a5a5;
}

/*
 * The getters have no side effects; they read what tile control and the harts
 * hold under the BQL, and the core under its lock.
 */
uint32_t tensix_debug_bus_word(TensixDebugState *s, uint32_t daisy,
                               uint32_t signal, uint32_t word, bool *known)
{
    uint32_t value = 0;

    *known = signal == SIGNAL_SELF_TEST && daisy <= DAISY_LAST;
    if (*known) {
        return self_test(daisy, word);
    }
    tensix_cop_lock(s->cop);
    for (unsigned i = 0; i < ARRAY_SIZE(signals); i++) {
        const BusSignal *b = &signals[i];

        if (b->daisy == daisy && b->signal == signal && is_in_word(b, word)) {
            *known = true;
            value |= signal_part(s, b, word);
        }
    }
    tensix_cop_release(s->cop);
    return value;
}

TensixBusSelect tensix_debug_bus_select(const TensixDebugState *s)
{
    uint32_t control = tensix_debug_register(s, TENSIX_DBG_BUS_CTRL);

    return (TensixBusSelect) {
        .daisy = FIELD_EX32(control, BUS_CTRL, DAISY),
        .signal = FIELD_EX32(control, BUS_CTRL, SIGNAL),
        .word = FIELD_EX32(control, BUS_CTRL, WORD),
        .enabled = FIELD_EX32(control, BUS_CTRL, ENABLED),
    };
}

static void report_unknown(TensixDebugState *s, const TensixAccess *a,
                           const TensixBusSelect *b)
{
    uint32_t key = b->signal << 10 | b->daisy << 2 | b->word;

    if (tensix_once(&s->reported, key)) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "debug bus, daisy_sel %u, sig_sel %u, rd_sel %u "
                           "reads as 0", b->daisy, b->signal, b->word);
    }
}

uint32_t tensix_debug_bus_read(TensixDebugState *s, const TensixAccess *a)
{
    TensixBusSelect b = tensix_debug_bus_select(s);
    uint32_t value;
    bool known;

    if (!b.enabled) {
        return 0;
    }
    value = tensix_debug_bus_word(s, b.daisy, b.signal, b.word, &known);
    if (!known && !a->attrs.debug) {
        report_unknown(s, a, &b);
    }
    return value;
}
