/*
 * Where a NoC request goes.  (BH NoC/MemoryMap.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_niu_request.h"

enum { MMIO_FIRST_BYTE = 0xff };   /* of the 32-bit address */

TensixNocAddress niu_read_address(const uint32_t *reg)
{
    return (TensixNocAddress) {
        .x = FIELD_EX32(reg[2], ADDR_HI, X),
        .y = FIELD_EX32(reg[2], ADDR_HI, Y),
        .addr = reg[0] | (uint64_t)reg[1] << 32,
    };
}

bool niu_has_l1(const NiuRequest *r, TensixNocAddress a)
{
    TensixTileKind kind = tensix_noc_kind(r->niu->noc, a);

    return kind == TENSIX_TILE_TENSIX || kind == TENSIX_TILE_ETHERNET;
}

bool niu_is_mmio(const NiuRequest *r, TensixNocAddress a)
{
    return niu_has_l1(r, a) && a.addr >> 24 == MMIO_FIRST_BYTE;
}

bool niu_waits_for_host(const NiuRequest *r)
{
    bool is_read = FIELD_EX32(r->ctrl, CTRL, TYPE) == TYPE_READ;

    return !r->broken && r->receivers == 1 &&
           tensix_noc_has_host(r->niu->noc) &&
           tensix_noc_kind(r->niu->noc, is_read ? r->targ : r->to[0]) ==
           TENSIX_TILE_PCIE;
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

void niu_find_receivers(NiuRequest *r, uint32_t hi, TensixNocAddress to)
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

bool niu_own_receives(const NiuRequest *r)
{
    for (unsigned i = 0; i < r->receivers; i++) {
        if (tensix_noc_is_own(r->niu->noc, r->to[i])) {
            return true;
        }
    }
    return false;
}
