/*
 * Execution of a NoC request of a Tensix tile.  (BH NoC/MemoryMap.md,
 * Counters.md; alignment: WH NoC/Alignment.md with Blackhole's widths)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A request that breaks a rule is reported, moves no data and still completes:
 * software that polls counters goes on.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "trace.h"

/* Registers of one initiator */
REG32(TARG_ADDR_LO, 0x00)
REG32(TARG_ADDR_MID, 0x04)
REG32(TARG_ADDR_HI, 0x08)
    FIELD(ADDR_HI, X, 0, 6)
    FIELD(ADDR_HI, Y, 6, 6)
    FIELD(ADDR_HI, START_X, 12, 6)
    FIELD(ADDR_HI, START_Y, 18, 6)
REG32(RET_ADDR_LO, 0x0c)
REG32(PACKET_TAG, 0x18)
    FIELD(PACKET_TAG, TO_OVERLAY, 6, 1)
    FIELD(PACKET_TAG, HEADER_STORE, 9, 1)
    FIELD(PACKET_TAG, ID, 10, 4)
REG32(CTRL, 0x1c)
    FIELD(CTRL, TYPE, 0, 2)
    FIELD(CTRL, WR_BE, 2, 1)
    FIELD(CTRL, WR_INLINE, 3, 1)
    FIELD(CTRL, RESP_MARKED, 4, 1)
    FIELD(CTRL, BRCST, 5, 1)
    FIELD(CTRL, SRC_INCLUDE, 17, 1)
    FIELD(CTRL, L1_ACC, 31, 1)
REG32(AT_LEN_BE, 0x20)
REG32(AT_LEN_BE_1, 0x24)
REG32(AT_DATA, 0x28)
REG32(BRCST_EXCLUDE, 0x2c)
REG32(ROUTER_CFG_1, 0x108)         /* columns that opt out of broadcasts */
REG32(ROUTER_CFG_3, 0x110)         /* rows */

enum {
    TYPE_READ,
    TYPE_ATOMIC,
    TYPE_WRITE,

    FLIT_BYTES = 64,
    HEADER_STORE_BYTES = 16,
    LENGTH_LIMIT = 2 * MiB,        /* counters of 8 bits allow no more */
    L1_ALIGN = 16,
    DRAM_READ_ALIGN = 64,
    MMIO_FIRST_BYTE = 0xff,        /* of the 32-bit address */
};

typedef struct NiuRequest {
    TensixNiuState *niu;
    const TensixAccess *access;
    uint32_t *reg;                 /* the initiator's registers */
    uint32_t ctrl, tag, data;
    uint64_t length;               /* bytes, or byte enables */
    uint32_t packets;
    TensixNocAddress targ, ret;
    uint32_t targ_hi, ret_hi;
    bool posted;
    bool broken;                   /* reported: moves no data */
    /* who gets what is sent */
    TensixNocAddress to[TENSIX_NOC_TILES];
    unsigned receivers;
} NiuRequest;

static void G_GNUC_PRINTF(3, 4) refuse(NiuRequest *r, TensixCategory category,
                                       const char *fmt, ...)
{
    g_autofree char *text = NULL;
    va_list ap;

    if (r->broken) {
        return;
    }
    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    tensix_regs_report(r->access, category, "request 0x%08x: %s", r->ctrl,
                       text);
    r->broken = true;
}

static void refuse_if(NiuRequest *r, const char *error)
{
    if (error) {
        refuse(r, TENSIX_BAD_ACCESS, "%s", error);
    }
}

/* --- what is asked for --- */

static TensixNocAddress read_address(const uint32_t *reg)
{
    return (TensixNocAddress) {
        .x = FIELD_EX32(reg[2], ADDR_HI, X),
        .y = FIELD_EX32(reg[2], ADDR_HI, Y),
        .addr = reg[0] | (uint64_t)reg[1] << 32,
    };
}

static void read_request(NiuRequest *r, TensixNiuState *s,
                         const TensixAccess *a, unsigned initiator)
{
    r->niu = s;
    r->access = a;
    r->reg = &s->value[initiator * TENSIX_NIU_INITIATOR_STRIDE / 4];
    r->ctrl = r->reg[R_CTRL];
    r->tag = r->reg[R_PACKET_TAG];
    r->data = r->reg[R_AT_DATA];
    r->length = r->reg[R_AT_LEN_BE] | (uint64_t)r->reg[R_AT_LEN_BE_1] << 32;
    r->targ = read_address(&r->reg[R_TARG_ADDR_LO]);
    r->ret = read_address(&r->reg[R_RET_ADDR_LO]);
    r->targ_hi = r->reg[R_TARG_ADDR_HI];
    r->ret_hi = r->reg[R_RET_ADDR_LO + 2];
    r->packets = 1;
    r->posted = !FIELD_EX32(r->ctrl, CTRL, RESP_MARKED);
    r->broken = false;
    r->receivers = 0;
}

static unsigned request_id(const NiuRequest *r)
{
    return FIELD_EX32(r->tag, PACKET_TAG, ID);
}

static bool is_mmio(const NiuRequest *r, TensixNocAddress a)
{
    return tensix_noc_kind(r->niu->noc, a) != TENSIX_TILE_OTHER &&
           a.addr >> 24 == MMIO_FIRST_BYTE;
}

/* --- rules --- */

static void check_flags(NiuRequest *r)
{
    if (FIELD_EX32(r->tag, PACKET_TAG, TO_OVERLAY)) {
        tensix_regs_report(r->access, TENSIX_UNIMPLEMENTED,
                           "the receiver's overlay is not told");
    }
    if (FIELD_EX32(r->ctrl, CTRL, L1_ACC)) {
        tensix_regs_report(r->access, TENSIX_UNDEFINED_BEHAVIOUR,
                           "accumulation into L1 is unsafe (hardware bug), "
                           "done as a plain write");
    }
    if (FIELD_EX32(r->ctrl, CTRL, BRCST) && r->reg[R_BRCST_EXCLUDE]) {
        tensix_regs_report(r->access, TENSIX_UNIMPLEMENTED,
                           "BRCST_EXCLUDE 0x%08x has no effect",
                           r->reg[R_BRCST_EXCLUDE]);
    }
}

static void check_length(NiuRequest *r)
{
    if (r->length == 0 || r->length > LENGTH_LIMIT) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "length 0x%" PRIx64, r->length);
        r->length = 0;
        return;
    }
    r->packets = DIV_ROUND_UP(r->length, TENSIX_NIU_MAX_PACKET);
    if (r->packets > 1 &&
        (r->targ.addr % FLIT_BYTES || r->ret.addr % FLIT_BYTES)) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "more than %u bytes at addresses that are no multiples of %u",
               TENSIX_NIU_MAX_PACKET, FLIT_BYTES);
    }
}

static void check_alignment(NiuRequest *r, TensixNocAddress from,
                            TensixNocAddress to)
{
    uint64_t differ = from.addr ^ to.addr;
    uint32_t align = tensix_noc_kind(r->niu->noc, from) == TENSIX_TILE_OTHER
                     ? DRAM_READ_ALIGN : L1_ALIGN;

    if (is_mmio(r, from) || is_mmio(r, to)) {
        if (r->length != 4 || from.addr % 4 || to.addr % 4) {
            refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
                   "MMIO 0x%" PRIx64 " to 0x%" PRIx64 ", length %" PRIu64
                   ": only aligned words", from.addr, to.addr, r->length);
        }
    } else if (differ % align) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "0x%" PRIx64 " to 0x%" PRIx64 ": must agree modulo %u",
               from.addr, to.addr, align);
    }
}

/* --- who receives (BH NoC/MemoryMap.md, NOC_TARG_ADDR) --- */

static bool in_span(uint32_t v, uint32_t start, uint32_t end)
{
    return start <= end ? v >= start && v <= end : v <= end || v >= start;
}

/*
 * NoC 1 counts the other way round; with translated coordinates software
 * swaps start and end for it.
 */
static bool in_rectangle(const NiuRequest *r, uint32_t hi, uint32_t x,
                         uint32_t y)
{
    uint32_t x0 = FIELD_EX32(hi, ADDR_HI, START_X);
    uint32_t y0 = FIELD_EX32(hi, ADDR_HI, START_Y);
    uint32_t x1 = FIELD_EX32(hi, ADDR_HI, X);
    uint32_t y1 = FIELD_EX32(hi, ADDR_HI, Y);

    return TENSIX_NIU_GET_CLASS(r->niu)->noc
           ? in_span(x, x1, x0) && in_span(y, y1, y0)
           : in_span(x, x0, x1) && in_span(y, y0, y1);
}

static bool takes_broadcast(const NiuRequest *r, TensixNocAddress a)
{
    const uint32_t *value = r->niu->value;

    if (tensix_noc_kind(r->niu->noc, a) != TENSIX_TILE_TENSIX) {
        return false;
    }
    if (!tensix_noc_is_own(r->niu->noc, a)) {
        return true;
    }
    return FIELD_EX32(r->ctrl, CTRL, SRC_INCLUDE) &&
           !extract32(value[R_ROUTER_CFG_1], a.x, 1) &&
           !extract32(value[R_ROUTER_CFG_3], a.y, 1);
}

static void find_receivers(NiuRequest *r, uint32_t hi, TensixNocAddress to)
{
    if (!FIELD_EX32(r->ctrl, CTRL, BRCST)) {
        r->to[r->receivers++] = to;
        return;
    }
    for (to.y = 0; to.y < TENSIX_NOC_ROWS; to.y++) {
        for (to.x = 0; to.x < TENSIX_NOC_COLUMNS; to.x++) {
            if (in_rectangle(r, hi, to.x, to.y) && takes_broadcast(r, to)) {
                r->to[r->receivers++] = to;
            }
        }
    }
}

static bool own_receives(const NiuRequest *r)
{
    for (unsigned i = 0; i < r->receivers; i++) {
        if (tensix_noc_is_own(r->niu->noc, r->to[i])) {
            return true;
        }
    }
    return false;
}

static void deliver(NiuRequest *r, uint64_t addr, const void *data,
                    uint32_t size)
{
    for (unsigned i = 0; i < r->receivers && !r->broken; i++) {
        TensixNocAddress to = r->to[i];

        to.addr = addr;
        refuse_if(r, tensix_noc_write(r->niu->noc, to, data, size));
    }
}

/* Each receiver acknowledges to `to`; it counts if that is this tile. */
static void acknowledge(NiuRequest *r, TensixNocAddress to, unsigned counter)
{
    if (r->posted || !tensix_noc_is_own(r->niu->noc, to)) {
        return;
    }
    for (unsigned i = 0; i < r->receivers; i++) {
        tensix_niu_count(r->niu, counter, 1);
        tensix_niu_completed(r->niu, request_id(r));
    }
}

static TensixNocAddress own_address(const NiuRequest *r, uint64_t addr)
{
    return (TensixNocAddress) {
        .x = r->niu->noc->x, .y = r->niu->noc->y, .addr = addr,
    };
}

/* --- automatic splitting (BH NoC/Counters.md) --- */

static uint32_t packet_size(const NiuRequest *r, uint32_t packet)
{
    uint64_t left = r->length - (uint64_t)packet * TENSIX_NIU_MAX_PACKET;

    return MIN(left, TENSIX_NIU_MAX_PACKET);
}

static void advance_address(uint32_t *reg, uint64_t by)
{
    uint64_t addr = (reg[0] | (uint64_t)reg[1] << 32) + by;

    reg[0] = addr;
    reg[1] = addr >> 32;
}

/* What hardware leaves in the registers when it has split a request. */
static void advance_registers(NiuRequest *r)
{
    uint64_t sent = (uint64_t)(r->packets - 1) * TENSIX_NIU_MAX_PACKET;

    if (sent) {
        advance_address(&r->reg[R_TARG_ADDR_LO], sent);
        advance_address(&r->reg[R_RET_ADDR_LO], sent);
        r->reg[R_AT_LEN_BE] -= sent;
    }
}

/* --- reads --- */

static void read_packet(NiuRequest *r, uint32_t packet)
{
    TensixNiuState *s = r->niu;
    uint32_t size = packet_size(r, packet);
    uint32_t flits = DIV_ROUND_UP(size, FLIT_BYTES);
    uint64_t offset = (uint64_t)packet * TENSIX_NIU_MAX_PACKET;
    TensixNocAddress from = r->targ;

    from.addr += offset;
    tensix_niu_count(s, TENSIX_NIU_MST_CMD_ACCEPTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_RD_REQ_STARTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_RD_REQ_SENT, 1);
    if (!r->broken) {
        refuse_if(r, tensix_noc_read(s->noc, from, s->packet, size));
        deliver(r, r->ret.addr + offset, s->packet, size);
    }
    if (tensix_noc_is_own(s->noc, from)) {
        tensix_niu_count(s, TENSIX_NIU_SLV_REQ_ACCEPTED, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_RD_REQ_RECEIVED, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_RD_RESP_SENT, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_RD_DATA_WORD_SENT, flits);
    }
    if (tensix_noc_is_own(s->noc, r->ret)) {
        tensix_niu_count(s, TENSIX_NIU_MST_RD_RESP_RECEIVED, 1);
        tensix_niu_count(s, TENSIX_NIU_MST_RD_DATA_WORD_RECEIVED, flits);
        tensix_niu_completed(s, request_id(r));
    }
}

static void execute_read(NiuRequest *r)
{
    if (FIELD_EX32(r->ctrl, CTRL, BRCST)) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "broadcast of a read");
    }
    check_length(r);
    check_alignment(r, r->targ, r->ret);
    r->to[r->receivers++] = r->ret;
    tensix_niu_outstanding(r->niu, request_id(r), r->packets);
    for (uint32_t packet = 0; packet < r->packets; packet++) {
        read_packet(r, packet);
    }
    advance_registers(r);
}

/* --- writes --- */

static void count_write(NiuRequest *r, uint32_t flits, bool inline_data)
{
    TensixNiuState *s = r->niu;

    tensix_niu_count(s, TENSIX_NIU_MST_CMD_ACCEPTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_WR_REQ_STARTED + r->posted, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_WR_REQ_SENT + r->posted, 1);
    if (!inline_data) {
        tensix_niu_count(s, TENSIX_NIU_MST_WR_DATA_WORD_SENT + r->posted,
                         flits);
    }
    if (own_receives(r)) {
        tensix_niu_count(s, TENSIX_NIU_SLV_WR_REQ_STARTED + r->posted, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_WR_REQ_RECEIVED + r->posted, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_WR_DATA_WORD_RECEIVED + r->posted,
                         flits);
        tensix_niu_count(s, TENSIX_NIU_SLV_WR_ACK_SENT, !r->posted);
    }
}

/* A posted write may store its first bytes at a second address as well. */
static void store_header(NiuRequest *r, uint32_t size)
{
    uint32_t n = MIN(size, HEADER_STORE_BYTES);

    if (r->posted && FIELD_EX32(r->tag, PACKET_TAG, HEADER_STORE)) {
        deliver(r, (uint64_t)r->data << 4, r->niu->packet, n);
    }
}

static void write_packet(NiuRequest *r, uint32_t packet)
{
    TensixNiuState *s = r->niu;
    uint32_t size = packet_size(r, packet);
    uint64_t offset = (uint64_t)packet * TENSIX_NIU_MAX_PACKET;

    if (!r->broken) {
        refuse_if(r, tensix_noc_read(s->noc,
                                     own_address(r, r->targ.addr + offset),
                                     s->packet, size));
        deliver(r, r->ret.addr + offset, s->packet, size);
        store_header(r, size);
    }
    count_write(r, DIV_ROUND_UP(size, FLIT_BYTES), false);
    acknowledge(r, r->targ, TENSIX_NIU_MST_WR_ACK_RECEIVED);
}

static void execute_write(NiuRequest *r)
{
    check_length(r);
    check_alignment(r, own_address(r, r->targ.addr), r->ret);
    find_receivers(r, r->ret_hi, r->ret);
    tensix_niu_outstanding(r->niu, request_id(r), r->posted ? 0 : r->packets);
    for (uint32_t packet = 0; packet < r->packets; packet++) {
        write_packet(r, packet);
    }
    advance_registers(r);
}

/* Sends the bytes of packet[] whose bits are set, to base + bit. */
static void deliver_enabled(NiuRequest *r, uint64_t base, uint64_t enables)
{
    while (enables && !r->broken) {
        unsigned first = ctz64(enables);
        unsigned count = cto64(enables >> first);

        deliver(r, base + first, &r->niu->packet[first], count);
        enables &= ~MAKE_64BIT_MASK(first, count);
    }
}

/* Up to 64 bytes under a mask; an MMIO word takes no mask. */
static void write_enabled(NiuRequest *r)
{
    TensixNiuState *s = r->niu;
    bool mmio = is_mmio(r, r->ret);
    uint64_t from = mmio ? r->targ.addr : r->targ.addr & ~(L1_ALIGN - 1ull);
    uint64_t to = mmio ? r->ret.addr : r->ret.addr & ~(L1_ALIGN - 1ull);
    uint64_t enables = mmio ? 0xf : r->length;
    uint32_t size = enables ? 64 - clz64(enables) : 0;

    if (mmio && r->ret.addr % 4) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "MMIO address 0x%" PRIx64
               " is not aligned", r->ret.addr);
    }
    if (!r->broken && size) {
        refuse_if(r, tensix_noc_read(s->noc, own_address(r, from), s->packet,
                                     size));
        deliver_enabled(r, to, enables);
    }
}

static void execute_write_enabled(NiuRequest *r)
{
    find_receivers(r, r->ret_hi, r->ret);
    tensix_niu_outstanding(r->niu, request_id(r), !r->posted);
    write_enabled(r);
    count_write(r, 1, false);
    acknowledge(r, r->targ, TENSIX_NIU_MST_WR_ACK_RECEIVED);
}

/*
 * An inline write to L1: the word goes to every enabled word of 16 bytes (WH
 * NoC/Alignment.md).  Blackhole's is said to be unsafe.
 */
static void write_inline_l1(NiuRequest *r)
{
    uint64_t enables = (r->length | r->length >> L1_ALIGN) & 0xffff;

    tensix_regs_report(r->access, TENSIX_UNDEFINED_BEHAVIOUR,
                       "inline write to L1 address 0x%" PRIx64
                       " is unsafe (hardware bug), done as on Wormhole",
                       r->targ.addr);
    for (unsigned i = 0; i < L1_ALIGN; i += 4) {
        stl_le_p(&r->niu->packet[i], r->data);
    }
    deliver_enabled(r, r->targ.addr & ~(L1_ALIGN - 1ull), enables);
}

static void write_inline(NiuRequest *r)
{
    uint8_t bytes[4];

    if (tensix_noc_kind(r->niu->noc, r->targ) == TENSIX_TILE_OTHER) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "inline write to tile (%u,%u): neither Tensix nor Ethernet",
               r->targ.x, r->targ.y);
    } else if (!is_mmio(r, r->targ)) {
        write_inline_l1(r);
    } else if (r->targ.addr % 4) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "MMIO address 0x%" PRIx64
               " is not aligned", r->targ.addr);
    } else {
        stl_le_p(bytes, r->data);
        deliver(r, r->targ.addr, bytes, sizeof(bytes));
    }
}

static void execute_write_inline(NiuRequest *r)
{
    find_receivers(r, r->targ_hi, r->targ);
    tensix_niu_outstanding(r->niu, request_id(r), !r->posted);
    write_inline(r);
    count_write(r, 1, true);
    acknowledge(r, own_address(r, 0), TENSIX_NIU_MST_WR_ACK_RECEIVED);
}

/* --- atomics --- */

static void check_atomic(NiuRequest *r)
{
    if (tensix_noc_kind(r->niu->noc, r->targ) == TENSIX_TILE_OTHER ||
        is_mmio(r, r->targ) || r->targ.addr % 4) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "atomic at (%u,%u) 0x%" PRIx64 ": no aligned word of L1",
               r->targ.x, r->targ.y, r->targ.addr);
    }
    if (!r->posted && (r->ret.addr % 4 || is_mmio(r, r->ret))) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "atomic's response to 0x%" PRIx64 ": no aligned word of L1",
               r->ret.addr);
    }
    if (!tensix_niu_atomic_implemented(r->length)) {
        refuse(r, TENSIX_UNIMPLEMENTED, "parallel addition in floating point");
    }
}

static void atomic_at(NiuRequest *r, TensixNocAddress at)
{
    TensixNiuState *s = r->niu;
    uint32_t result = 0;
    uint8_t bytes[4];

    refuse_if(r, tensix_niu_atomic(s->noc, at, r->length, r->data, &result));
    if (!r->broken && !r->posted) {
        stl_le_p(bytes, result);
        refuse_if(r, tensix_noc_write(s->noc, r->ret, bytes, sizeof(bytes)));
    }
}

static void count_atomic(NiuRequest *r)
{
    TensixNiuState *s = r->niu;

    tensix_niu_count(s, TENSIX_NIU_MST_CMD_ACCEPTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_NONPOSTED_ATOMIC_STARTED, !r->posted);
    tensix_niu_count(s, TENSIX_NIU_MST_ATOMIC_SENT + r->posted, 1);
    if (own_receives(r)) {
        tensix_niu_count(s, TENSIX_NIU_SLV_REQ_ACCEPTED, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_ATOMIC_RECEIVED + r->posted, 1);
        tensix_niu_count(s, TENSIX_NIU_SLV_ATOMIC_RESP_SENT, !r->posted);
    }
}

static void execute_atomic(NiuRequest *r)
{
    check_atomic(r);
    find_receivers(r, r->targ_hi, r->targ);
    tensix_niu_outstanding(r->niu, request_id(r), !r->posted);
    for (unsigned i = 0; i < r->receivers && !r->broken; i++) {
        atomic_at(r, r->to[i]);
    }
    count_atomic(r);
    acknowledge(r, r->ret, TENSIX_NIU_MST_ATOMIC_RESP_RECEIVED);
}

/* --- all together --- */

typedef struct RequestKind {
    const char *name;
    void (*execute)(NiuRequest *r);
} RequestKind;

static const RequestKind *request_kind(const NiuRequest *r)
{
    static const RequestKind kinds[] = {
        [TYPE_READ] = { "read", execute_read },
        [TYPE_ATOMIC] = { "atomic", execute_atomic },
        [TYPE_WRITE] = { "write", execute_write },
    };
    static const RequestKind enabled = {
        "write with byte enables", execute_write_enabled
    };
    static const RequestKind with_data = {
        "inline write", execute_write_inline
    };
    uint32_t type = FIELD_EX32(r->ctrl, CTRL, TYPE);

    if (type == TYPE_WRITE && FIELD_EX32(r->ctrl, CTRL, WR_INLINE)) {
        return &with_data;
    }
    if (type == TYPE_WRITE && FIELD_EX32(r->ctrl, CTRL, WR_BE)) {
        return &enabled;
    }
    return type < ARRAY_SIZE(kinds) ? &kinds[type] : NULL;
}

void tensix_niu_execute(TensixNiuState *s, const TensixAccess *a,
                        unsigned initiator)
{
    g_autofree NiuRequest *r = g_new(NiuRequest, 1);
    const RequestKind *kind;

    if (s->executing) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "request raised by a request, discarded");
        return;
    }
    read_request(r, s, a, initiator);
    kind = request_kind(r);
    if (!kind) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "request of reserved type 3, discarded");
        return;
    }
    trace_tensix_niu_request(TENSIX_NIU_GET_CLASS(s)->noc, initiator,
                             kind->name, r->ctrl, r->length);
    trace_tensix_niu_address("target", r->targ.x, r->targ.y, r->targ.addr);
    trace_tensix_niu_address("return", r->ret.x, r->ret.y, r->ret.addr);
    s->executing = true;
    check_flags(r);
    kind->execute(r);
    s->executing = false;
}
