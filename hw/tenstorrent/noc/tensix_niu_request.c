/*
 * Execution of a NoC request of a Tensix tile.  (BH NoC/MemoryMap.md,
 * Counters.md; alignment: WH NoC/Alignment.md with Blackhole's widths)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A request that breaks a rule is reported, moves no data and still completes:
 * software that polls counters continues.
 *
 * 2 MiB to each of 140 tiles take a second.  So only the first packets are
 * sent at once, the others by a pump; what is under way is a TensixNiuJob, one
 * an initiator, and CMD_CTRL reads 1 until it is done.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "../trace.h"
#include "tensix_niu_request.h"

enum {
    HEADER_STORE_BYTES = 16,
    L1_ALIGN = 16,
    DRAM_READ_ALIGN = 64,
    BYTES_AT_ONCE = 1 * MiB,       /* by one store, or in one slice */
};

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

/* The coordinates that the request had for a tile, as far as it named it. */
static uint32_t sent_coordinates(const NiuRequest *r, TensixNocAddress at)
{
    if (FIELD_EX32(r->ctrl, CTRL, BRCST)) {
        return at.y << R_ADDR_HI_Y_SHIFT | at.x;
    }
    return at.x == r->targ.x && at.y == r->targ.y ? r->targ_hi
           : at.x == r->ret.x && at.y == r->ret.y ? r->ret_hi
           : at.y << R_ADDR_HI_Y_SHIFT | at.x;
}

static void refuse_if(NiuRequest *r, TensixNocAddress at, const char *error)
{
    uint32_t sent = sent_coordinates(r, at);

    if (error) {
        refuse(r, TENSIX_BAD_ACCESS, "tile (%u,%u) address 0x%" PRIx64 ": %s",
               FIELD_EX32(sent, ADDR_HI, X), FIELD_EX32(sent, ADDR_HI, Y),
               at.addr, error);
    }
}

/* --- the request's parameters --- */

static void read_request(NiuRequest *r, TensixNiuState *s,
                         const TensixAccess *a, const TensixNiuJob *job)
{
    uint32_t sent;

    r->niu = s;
    r->access = a;
    r->reg = job->reg;
    r->ctrl = r->reg[R_CTRL];
    r->tag = r->reg[R_PACKET_TAG];
    r->data = r->reg[R_AT_DATA];
    r->length = r->reg[R_AT_LEN_BE] | (uint64_t)r->reg[R_AT_LEN_BE_1] << 32;
    r->targ = niu_read_address(s, &r->reg[R_TARG_ADDR_LO]);
    r->ret = niu_read_address(s, &r->reg[R_RET_ADDR_LO]);
    r->targ_hi = r->reg[R_TARG_ADDR_HI];
    r->ret_hi = r->reg[R_RET_ADDR_LO + 2];
    r->packets = 1;
    r->posted = !FIELD_EX32(r->ctrl, CTRL, RESP_MARKED);
    r->broken = job->broken;
    r->receivers = 0;
    /* a read's host is where it comes from, a write's where it goes */
    sent = FIELD_EX32(r->ctrl, CTRL, TYPE) == TYPE_READ ? r->targ_hi
                                                        : r->ret_hi;
    r->origin = (TensixNiuHostOrigin) {
        .by = job->by,
        .view = a->view,
        .initiator = a->def->offset / TENSIX_NIU_INITIATOR_STRIDE,
        .ctrl = r->ctrl,
        .id = FIELD_EX32(r->tag, PACKET_TAG, ID),
        .x = FIELD_EX32(sent, ADDR_HI, X),
        .y = FIELD_EX32(sent, ADDR_HI, Y),
        .posted = r->posted,
    };
}

static unsigned request_id(const NiuRequest *r)
{
    return r->origin.id;
}

/* --- rules --- */

static void check_flags(NiuRequest *r)
{
    if (FIELD_EX32(r->tag, PACKET_TAG, TO_OVERLAY)) {
        tensix_regs_report(r->access, TENSIX_UNIMPLEMENTED,
                           "the receiver's overlay is not notified");
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
    uint32_t align = niu_has_l1(r, from) ? L1_ALIGN : DRAM_READ_ALIGN;

    if (niu_is_mmio(r, from) || niu_is_mmio(r, to)) {
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

/* Into packet[] of the NIU. */
static void fetch(NiuRequest *r, TensixNocAddress from, uint32_t size)
{
    niu_accesses(r, from, size, false);
    refuse_if(r, from, tensix_noc_port_read(r->niu->noc_port, &r->origin.by,
                                            from, r->niu->packet, size));
}

static void deliver(NiuRequest *r, uint64_t addr, const void *data,
                    uint32_t size)
{
    TensixNocPort *port = r->niu->noc_port;

    for (unsigned i = 0; i < r->receivers && !r->broken; i++) {
        TensixNocAddress to = r->to[i];

        to.addr = addr;
        niu_accesses(r, to, size, true);
        refuse_if(r, to, r->receivers > 1
                  ? tensix_noc_port_broadcast(port, &r->origin.by, to, data,
                                              size)
                  : tensix_noc_port_write(port, &r->origin.by, to, data, size));
    }
}

/* Each receiver acknowledges to `to`; it counts if that is this tile. */
static void acknowledge(NiuRequest *r, TensixNocAddress to, unsigned counter)
{
    if (r->posted || !tensix_noc_port_is_own(r->niu->noc_port, to)) {
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
        .x = r->niu->noc_port->x, .y = r->niu->noc_port->y, .addr = addr,
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

static uint32_t *initiator_regs(TensixNiuState *s, unsigned initiator)
{
    return &s->value[initiator * TENSIX_NIU_INITIATOR_STRIDE / 4];
}

/* What hardware leaves in the registers when it has split a request. */
static void advance_registers(const NiuRequest *r, uint32_t *reg)
{
    uint64_t sent = (uint64_t)(r->packets - 1) * TENSIX_NIU_MAX_PACKET;

    if (sent) {
        advance_address(&reg[R_TARG_ADDR_LO], sent);
        advance_address(&reg[R_RET_ADDR_LO], sent);
        reg[R_AT_LEN_BE] -= sent;
    }
}

/* --- reads --- */

/* Memory outside of this tile that nothing has filled holds no data. */
static void check_written(NiuRequest *r, TensixNocAddress from, uint32_t size)
{
    TensixTileKind kind = tensix_noc_kind(r->niu->noc_port->noc, from);
    uint32_t sent = sent_coordinates(r, from);
    uint64_t first;
    uint32_t count = tensix_noc_unwritten(r->niu->noc_port->noc, from, size,
                                               &first);

    if (count) {
        tensix_regs_report(
            r->access, TENSIX_UNWRITTEN,
            "NoC read of %u bytes at tile (%u,%u), %s, address 0x%" PRIx64
            ": %u bytes from 0x%" PRIx64 " were never written and read as 0%s",
            size, FIELD_EX32(sent, ADDR_HI, X), FIELD_EX32(sent, ADDR_HI, Y),
            tensix_noc_tile_name(kind), from.addr, count, first,
            kind == TENSIX_TILE_DRAM ? ""
            : ": nothing runs at that tile");
    }
}

static void read_packet(NiuRequest *r, uint32_t packet)
{
    TensixNiuState *s = r->niu;
    uint32_t size = packet_size(r, packet);
    uint32_t flits = DIV_ROUND_UP(size, FLIT_BYTES);
    uint64_t offset = (uint64_t)packet * TENSIX_NIU_MAX_PACKET;
    TensixNocAddress from = r->targ, to = r->ret;
    TensixNiuState *sender = niu_at(r, from);

    from.addr += offset;
    to.addr += offset;
    tensix_niu_count(s, TENSIX_NIU_MST_CMD_ACCEPTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_RD_REQ_STARTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_RD_REQ_SENT, 1);
    if (niu_waits_for_host(r)) {
        tensix_niu_host_read(s, &r->origin, from, to, size);
        return;
    }
    if (!r->broken) {
        check_written(r, from, size);
        fetch(r, from, size);
        deliver(r, to.addr, s->packet, size);
    }
    if (sender) {
        tensix_niu_count(sender, TENSIX_NIU_SLV_REQ_ACCEPTED, 1);
        tensix_niu_count(sender, TENSIX_NIU_SLV_RD_REQ_RECEIVED, 1);
        tensix_niu_count(sender, TENSIX_NIU_SLV_RD_RESP_SENT, 1);
        tensix_niu_count(sender, TENSIX_NIU_SLV_RD_DATA_WORD_SENT, flits);
    }
    if (tensix_noc_port_is_own(s->noc_port, r->ret)) {
        tensix_niu_count(s, TENSIX_NIU_MST_RD_RESP_RECEIVED, 1);
        tensix_niu_count(s, TENSIX_NIU_MST_RD_DATA_WORD_RECEIVED, flits);
        tensix_niu_completed(s, request_id(r));
    }
}

static void aim_read(NiuRequest *r)
{
    r->to[r->receivers++] = r->ret;
}

static void start_read(NiuRequest *r)
{
    if (FIELD_EX32(r->ctrl, CTRL, BRCST)) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "broadcast of a read");
    }
    check_length(r);
    check_alignment(r, r->targ, r->ret);
    tensix_niu_outstanding(r->niu, request_id(r), r->packets);
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
    niu_count_received(r, TENSIX_NIU_SLV_WR_REQ_STARTED + r->posted, 1);
    niu_count_received(r, TENSIX_NIU_SLV_WR_REQ_RECEIVED + r->posted, 1);
    niu_count_received(r, TENSIX_NIU_SLV_WR_DATA_WORD_RECEIVED + r->posted,
                       flits);
    niu_count_received(r, TENSIX_NIU_SLV_WR_ACK_SENT, !r->posted);
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
    TensixNocAddress from = own_address(r, r->targ.addr + offset);
    TensixNocAddress to = r->ret;

    to.addr += offset;
    if (!r->broken) {
        fetch(r, from, size);
    }
    count_write(r, DIV_ROUND_UP(size, FLIT_BYTES), false);
    if (niu_waits_for_host(r)) {
        tensix_niu_host_write(s, &r->origin, to, r->targ, s->packet, size);
        return;
    }
    deliver(r, to.addr, s->packet, size);
    store_header(r, size);
    acknowledge(r, r->targ, TENSIX_NIU_MST_WR_ACK_RECEIVED);
}

static void aim_write(NiuRequest *r)
{
    niu_find_receivers(r, r->ret_hi, r->ret);
}

static void start_write(NiuRequest *r)
{
    check_length(r);
    check_alignment(r, own_address(r, r->targ.addr), r->ret);
    if (r->posted && FIELD_EX32(r->tag, PACKET_TAG, HEADER_STORE) &&
        niu_waits_for_host(r)) {
        tensix_regs_report(r->access, TENSIX_UNIMPLEMENTED,
                           "the host's memory takes no second copy of a "
                           "write's first bytes");
    }
    tensix_niu_outstanding(r->niu, request_id(r), r->posted ? 0 : r->packets);
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
    bool mmio = niu_is_mmio(r, r->ret);
    uint64_t from = mmio ? r->targ.addr : r->targ.addr & ~(L1_ALIGN - 1ull);
    uint64_t to = mmio ? r->ret.addr : r->ret.addr & ~(L1_ALIGN - 1ull);
    uint64_t enables = mmio ? 0xf : r->length;
    uint32_t size = enables ? 64 - clz64(enables) : 0;

    if (mmio && r->ret.addr % 4) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "MMIO address 0x%" PRIx64
               " is not aligned", r->ret.addr);
    }
    if (niu_waits_for_host(r)) {
        refuse(r, TENSIX_UNIMPLEMENTED, "byte enables at the PCI Express tile "
               "(%u,%u)", r->origin.x, r->origin.y);
    }
    if (!r->broken && size) {
        fetch(r, own_address(r, from), size);
        deliver_enabled(r, to, enables);
    }
}

static void execute_write_enabled(NiuRequest *r)
{
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

    if (!niu_has_l1(r, r->targ)) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "inline write to tile (%u,%u): neither Tensix nor Ethernet",
               r->targ.x, r->targ.y);
    } else if (!niu_is_mmio(r, r->targ)) {
        write_inline_l1(r);
    } else if (r->targ.addr % 4) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR, "MMIO address 0x%" PRIx64
               " is not aligned", r->targ.addr);
    } else {
        stl_le_p(bytes, r->data);
        deliver(r, r->targ.addr, bytes, sizeof(bytes));
    }
}

static void aim_at_target(NiuRequest *r)
{
    niu_find_receivers(r, r->targ_hi, r->targ);
}

static void execute_write_inline(NiuRequest *r)
{
    tensix_niu_outstanding(r->niu, request_id(r), !r->posted);
    write_inline(r);
    count_write(r, 1, true);
    acknowledge(r, own_address(r, 0), TENSIX_NIU_MST_WR_ACK_RECEIVED);
}

/* --- atomics --- */

static void check_atomic(NiuRequest *r)
{
    if (!niu_has_l1(r, r->targ) || niu_is_mmio(r, r->targ) || r->targ.addr % 4) {
        refuse(r, TENSIX_UNDEFINED_BEHAVIOUR,
               "atomic at (%u,%u) 0x%" PRIx64 ": no aligned word of L1",
               r->targ.x, r->targ.y, r->targ.addr);
    }
    if (!r->posted && (r->ret.addr % 4 || niu_is_mmio(r, r->ret))) {
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
    TensixNocPort *port = r->niu->noc_port;
    uint32_t result = 0;
    uint8_t bytes[4];

    refuse_if(r, at,
              tensix_niu_atomic(port, &r->origin.by, at, r->length, r->data,
                                &result));
    if (!r->broken && !r->posted) {
        stl_le_p(bytes, result);
        refuse_if(r, r->ret,
                  tensix_noc_port_write(port, &r->origin.by, r->ret, bytes,
                                        sizeof(bytes)));
    }
}

static void count_atomic(NiuRequest *r)
{
    TensixNiuState *s = r->niu;

    tensix_niu_count(s, TENSIX_NIU_MST_CMD_ACCEPTED, 1);
    tensix_niu_count(s, TENSIX_NIU_MST_NONPOSTED_ATOMIC_STARTED, !r->posted);
    tensix_niu_count(s, TENSIX_NIU_MST_ATOMIC_SENT + r->posted, 1);
    niu_count_received(r, TENSIX_NIU_SLV_REQ_ACCEPTED, 1);
    niu_count_received(r, TENSIX_NIU_SLV_ATOMIC_RECEIVED + r->posted, 1);
    niu_count_received(r, TENSIX_NIU_SLV_ATOMIC_RESP_SENT, !r->posted);
}

static void execute_atomic(NiuRequest *r)
{
    check_atomic(r);
    tensix_niu_outstanding(r->niu, request_id(r), !r->posted);
    for (unsigned i = 0; i < r->receivers && !r->broken; i++) {
        atomic_at(r, r->to[i]);
    }
    count_atomic(r);
    acknowledge(r, r->ret, TENSIX_NIU_MST_ATOMIC_RESP_RECEIVED);
}

/* --- all together --- */

/* aim: the receivers; start: all but packets; packet: NULL if that was all. */
typedef struct RequestKind {
    const char *name;
    void (*aim)(NiuRequest *r);
    void (*start)(NiuRequest *r);
    void (*packet)(NiuRequest *r, uint32_t packet);
} RequestKind;

static const RequestKind *request_kind(const NiuRequest *r)
{
    static const RequestKind kinds[] = {
        [TYPE_READ] = { "read", aim_read, start_read, read_packet },
        [TYPE_ATOMIC] = { "atomic", aim_at_target, execute_atomic },
        [TYPE_WRITE] = { "write", aim_write, start_write, write_packet },
    };
    static const RequestKind enabled = {
        "write with byte enables", aim_write, execute_write_enabled
    };
    static const RequestKind with_data = {
        "inline write", aim_at_target, execute_write_inline
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

/* --- jobs: requests that may be under way for a while --- */

static void record_place(TensixCopState *cop, uint32_t role, uint32_t x,
                         uint32_t y, uint64_t address)
{
    tensix_cop_record(cop, &(const TensixEvent) {
        .kind = TENSIX_EVENT_NOC_ADDRESS,
        .number = { role, x, y, (uint32_t)address, address >> 32 },
    });
}

/* For a timeline: the request, from where and to where. */
static void record_request(const NiuRequest *r, unsigned initiator)
{
    TensixCopState *cop = r->niu->cop;

    if (tensix_cop_records_all(cop)) {
        tensix_cop_record(cop, &(const TensixEvent) {
            .kind = TENSIX_EVENT_NOC,
            .number = { TENSIX_NIU_GET_CLASS(r->niu)->noc, initiator,
                        FIELD_EX32(r->ctrl, CTRL, TYPE), r->ctrl, r->length },
        });
        record_place(cop, 0, r->targ.x, r->targ.y, r->targ.addr);
        record_place(cop, 1, r->ret.x, r->ret.y, r->ret.addr);
    }
}

static void start_job(NiuRequest *r, TensixNiuJob *job, unsigned initiator,
                      const RequestKind *kind)
{
    trace_tensix_niu_request(TENSIX_NIU_GET_CLASS(r->niu)->noc, initiator,
                             kind->name, r->ctrl, r->length);
    trace_tensix_niu_address("target", r->targ.x, r->targ.y, r->targ.addr);
    trace_tensix_niu_address("return", r->ret.x, r->ret.y, r->ret.addr);
    record_request(r, initiator);
    check_flags(r);
    niu_post_request(r);
    kind->start(r);
    tensix_niu_expects(r);
    job->started = true;
    job->length = r->length;
    job->packets = kind->packet ? r->packets : 0;
}

/*
 * Continues a job for about *bytes and subtracts them.  False: that was not
 * enough.  A packet to all its receivers is not divided; callers that may send
 * one in any case set `force`.
 */
static bool advance_job(NiuRequest *r, TensixNiuJob *job, uint32_t *bytes,
                        bool force, const RequestKind *kind)
{
    r->length = job->length;
    for (; job->packet < job->packets; job->packet++) {
        uint32_t cost = r->broken ? 0
                        : packet_size(r, job->packet) * r->receivers;

        if (niu_waits_for_host(r) && tensix_niu_host_full(r->niu)) {
            r->niu->host_blocks = true;
            return false;
        }
        if (cost > *bytes && !force) {
            return false;
        }
        kind->packet(r, job->packet);
        *bytes -= MIN(cost, *bytes);
        force = false;
    }
    return true;
}

/* One job; false: it is not done. */
static bool run_job(TensixNiuState *s, unsigned initiator, uint32_t *bytes,
                    bool force)
{
    TensixNiuJob *job = &s->job[initiator];
    TensixAccess a = tensix_niu_access(s, job->view, initiator, &job->by);
    g_autofree NiuRequest *r = g_new(NiuRequest, 1);
    const RequestKind *kind;
    bool done;

    read_request(r, s, &a, job);
    kind = request_kind(r);
    kind->aim(r);
    s->executing = true;
    if (!job->started) {
        start_job(r, job, initiator, kind);
    }
    r->packets = job->packets;
    done = advance_job(r, job, bytes, force, kind);
    if (done && job->packets) {
        advance_registers(r, initiator_regs(s, initiator));
    }
    s->executing = false;
    job->broken = r->broken;
    return done;
}

/* A job waits as it was sent, or has packets left to send, not empty ones. */
bool tensix_niu_job_valid(const TensixNiuJob *job)
{
    NiuRequest r = { .ctrl = job->reg[R_CTRL] };
    const RequestKind *kind = request_kind(&r);
    uint64_t packets = DIV_ROUND_UP(job->length, TENSIX_NIU_MAX_PACKET);

    if (!kind || job->view >= TENSIX_NUM_VIEWS ||
        !tensix_actor_valid(&job->by)) {
        return false;
    }
    if (!job->started) {
        return !job->length && !job->packet && !job->packets;
    }
    return kind->packet && job->length <= LENGTH_LIMIT &&
           (job->length || job->broken) && job->packets == MAX(packets, 1);
}

static void run_jobs(TensixNiuState *s, bool force)
{
    uint32_t bytes = BYTES_AT_ONCE;

    s->host_blocks = false;
    while (s->jobs && run_job(s, s->queue[0], &bytes, force)) {
        s->jobs--;
        memmove(s->queue, s->queue + 1, s->jobs * sizeof(s->queue[0]));
        force = false;
    }
    if (s->jobs && !s->host_blocks) {
        tensix_pump_arm(&s->pump);
    }
}

/* An answer of the host's arms it, too. */
void tensix_niu_pump(void *opaque)
{
    tensix_niu_host_pump(opaque);
    run_jobs(opaque, true);
}

bool tensix_niu_is_sending(const TensixNiuState *s, unsigned initiator)
{
    for (unsigned i = 0; i < s->jobs; i++) {
        if (s->queue[i] == initiator) {
            return true;
        }
    }
    return false;
}

/* False, and reported: it is nothing that can be sent. */
static bool can_send(TensixNiuState *s, const TensixAccess *a,
                     unsigned initiator)
{
    NiuRequest kind = { .ctrl = initiator_regs(s, initiator)[R_CTRL] };

    if (s->executing) {
        tensix_regs_report(a, TENSIX_UNIMPLEMENTED,
                           "request raised by a request, discarded");
    } else if (tensix_niu_is_sending(s, initiator)) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "request while CMD_CTRL reads 1, discarded");
    } else if (!request_kind(&kind)) {
        tensix_regs_report(a, TENSIX_UNDEFINED_BEHAVIOUR,
                           "request of reserved type 3, discarded");
    } else {
        return true;
    }
    return false;
}

static unsigned channel_of(TensixNiuState *s, uint32_t ctrl)
{
    return TENSIX_NIU_GET_CLASS(s)->noc |
           (FIELD_EX32(ctrl, CTRL, TYPE) == TYPE_READ ? 0 : TENSIX_NOC_WRITES);
}

void tensix_niu_execute(TensixNiuState *s, const TensixAccess *a,
                        unsigned initiator)
{
    TensixNiuJob *job = &s->job[initiator];

    if (!can_send(s, a, initiator)) {
        return;
    }
    *job = (TensixNiuJob) {
        .by = tensix_agent_for(TENSIX_BY_NOC, tensix_regs_actor(a)),
        .view = a->view,
    };
    memcpy(job->reg, initiator_regs(s, initiator), sizeof(job->reg));
    job->by.channel = channel_of(s, job->reg[R_CTRL]);
    s->queue[s->jobs++] = initiator;
    if (s->jobs == 1) {
        run_jobs(s, false);
    }
}
