/*
 * A NoC request of a Tensix tile, for instruments: how far, how much.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_niu_request.h"

/* Routers from a to b: each NoC flows in one direction (BH NoC/README.md). */
static uint32_t hops_between(const NiuRequest *r, TensixNocAddress a,
                             TensixNocAddress b)
{
    TensixNocAddress from = tensix_noc_raw(a), to = tensix_noc_raw(b);
    bool backwards = TENSIX_NIU_GET_CLASS(r->niu)->noc;
    uint32_t x = TENSIX_NOC_COLUMNS + to.x - from.x;
    uint32_t y = TENSIX_NOC_ROWS + to.y - from.y;

    return backwards ? (2 * TENSIX_NOC_COLUMNS - x) % TENSIX_NOC_COLUMNS +
                       (2 * TENSIX_NOC_ROWS - y) % TENSIX_NOC_ROWS
                     : x % TENSIX_NOC_COLUMNS + y % TENSIX_NOC_ROWS;
}

/* The place that data comes from, or the receiver that is farthest. */
static TensixNocAddress other_end(const NiuRequest *r, TensixNocAddress own)
{
    TensixNocAddress end = r->targ;

    if (FIELD_EX32(r->ctrl, CTRL, TYPE) == TYPE_READ || !r->receivers) {
        return end;
    }
    end = r->to[0];
    for (unsigned i = 1; i < r->receivers; i++) {
        if (hops_between(r, own, r->to[i]) > hops_between(r, own, end)) {
            end = r->to[i];
        }
    }
    return end;
}

/* Bytes that follow headers; byte enables: one flit. */
static uint64_t data_bytes(const NiuRequest *r)
{
    if (FIELD_EX32(r->ctrl, CTRL, TYPE) == TYPE_ATOMIC ||
        FIELD_EX32(r->ctrl, CTRL, WR_INLINE)) {
        return 0;
    }
    return FIELD_EX32(r->ctrl, CTRL, WR_BE)
           ? FLIT_BYTES : MIN(r->length, LENGTH_LIMIT);
}

void niu_post_request(const NiuRequest *r)
{
    static const TensixNocAnswer answers[] = {
        [TYPE_READ] = TENSIX_NOC_READ_DATA,
        [TYPE_ATOMIC] = TENSIX_NOC_ATOMIC_RESPONSE,
        [TYPE_WRITE] = TENSIX_NOC_WRITE_ACK,
    };
    TensixBus *bus = tensix_cop_bus(r->niu->cop);
    TensixNocAddress own = { r->niu->noc_port->x, r->niu->noc_port->y };
    TensixNocAddress end = other_end(r, own);
    uint64_t bytes = data_bytes(r);
    uint32_t type = FIELD_EX32(r->ctrl, CTRL, TYPE);

    if (!tensix_bus_has_listener(bus, TENSIX_ON_NOC)) {
        return;
    }
    tensix_bus_post(bus, TENSIX_ON_NOC, &(TensixNocEvent) {
        .by = &r->origin.by, .noc = TENSIX_NIU_GET_CLASS(r->niu)->noc,
        .answer = answers[type], .posted = type != TYPE_READ && r->posted,
        .is_dram = tensix_noc_kind(r->niu->noc_port->noc, end) ==
                   TENSIX_TILE_DRAM,
        .hops = hops_between(r, own, end), .back = hops_between(r, end, own),
        .packets = MAX(DIV_ROUND_UP(bytes, TENSIX_NIU_MAX_PACKET), 1),
        .flits = DIV_ROUND_UP(bytes, FLIT_BYTES),
    });
}
