/*
 * What the qtests of the NoC share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "niu-qtest.h"

uint32_t get(Tile *t, uint32_t addr)
{
    return tile_readl(t, BRISC, addr);
}

void put(Tile *t, uint32_t addr, uint32_t value)
{
    tile_writel(t, BRISC, addr, value);
}

void start_request(Tile *t, Request r)
{
    uint32_t base = INIT(r.noc, r.init);

    put(t, base + TARG_LO, r.targ);
    put(t, base + TARG_MID, r.targ >> 32);
    put(t, base + TARG_HI, r.targ_hi);
    put(t, base + RET_LO, r.ret);
    put(t, base + RET_MID, r.ret >> 32);
    put(t, base + RET_HI, r.ret_hi);
    put(t, base + TAG, r.tag);
    put(t, base + CTRL, r.ctrl);
    put(t, base + LEN, r.len);
    put(t, base + LEN_1, r.len_1);
    put(t, base + DATA, r.data);
    put(t, base + CMD, 1);
}

void send_request(Tile *t, Request r)
{
    start_request(t, r);
    g_assert_cmphex(get(t, INIT(r.noc, r.init) + CMD), ==, 0);
}

uint64_t window(uint32_t tile, uint64_t addr)
{
    return NOC_WINDOW + ((uint64_t)tile << 36) + addr;
}

uint32_t counter(Tile *t, unsigned noc, unsigned n)
{
    return get(t, COUNTER(noc, n));
}

unsigned violations(Tile *t)
{
    return tile_log_count(t, "\n") - tile_log_count(t, "is memory only");
}
