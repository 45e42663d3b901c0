/*
 * Where a NoC request goes.  (BH NoC/MemoryMap.md, Coordinates.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_niu_request.h"

enum {
    MMIO_FIRST_BYTE = 0xff,        /* of the 32-bit address */

    DDR_WEST = 0,                  /* columns that the table of DRAM is for */
    DDR_EAST = 9,
};

/* --- coordinates (BH NoC/Coordinates.md, "Translation Algorithm") --- */

/* Entry i of a table of 5 bits an entry, six in a register */
static uint32_t table_entry(const TensixNiuState *s, unsigned reg, uint32_t i)
{
    enum { IN_A_REGISTER = 6, WIDTH = 5 };

    return extract32(s->value[reg + i / IN_A_REGISTER],
                     i % IN_A_REGISTER * WIDTH, WIDTH);
}

/* Is the translation of DRAM's own in use for this column? */
static bool is_ddr_column(const TensixNiuState *s, uint32_t x)
{
    uint32_t last = s->value[R_DDR_COORD_TABLE_5];

    return (x == DDR_EAST && FIELD_EX32(last, DDR_COORD_TABLE_5, EAST)) ||
           (x == DDR_WEST && FIELD_EX32(last, DDR_COORD_TABLE_5, WEST));
}

static uint32_t translate_x(const TensixNiuState *s, uint32_t x, uint32_t y)
{
    uint32_t x31 = x % TENSIX_NOC_TABLE_ENTRIES;
    uint32_t y31 = y % TENSIX_NOC_TABLE_ENTRIES;

    if (extract32(s->value[R_DDR_COORD_COL_SWAP], y31, 1) &&
        is_ddr_column(s, x31 ^ DDR_EAST)) {
        return x31 ^ DDR_EAST;
    }
    return extract32(s->value[R_ID_ROW_MASK], y31, 1)
           ? x : table_entry(s, R_X_ID_TABLE, x31);
}

static uint32_t translate_y(const TensixNiuState *s, uint32_t x, uint32_t y)
{
    uint32_t x31 = x % TENSIX_NOC_TABLE_ENTRIES;
    uint32_t y31 = y % TENSIX_NOC_TABLE_ENTRIES;

    if (is_ddr_column(s, x31)) {
        return table_entry(s, R_DDR_COORD_TABLE, y31);
    }
    return extract32(s->value[R_ID_COL_MASK], x31, 1)
           ? y : table_entry(s, R_Y_ID_TABLE, y31);
}

/* Coordinates of this NIU's NoC for those in a register. */
static void untranslated(const TensixNiuState *s, uint32_t *x, uint32_t *y)
{
    uint32_t x0 = *x, y0 = *y;

    if (FIELD_EX32(s->value[R_NIU_CFG_0], NIU_CFG_0, TRANSLATE)) {
        *x = translate_x(s, x0, y0);
        *y = translate_y(s, x0, y0);
    }
}

/* The same tile as the other NoC counts. */
static uint32_t mirrored(uint32_t v, uint32_t size)
{
    return size - 1 - v;
}

TensixNocAddress niu_read_address(const TensixNiuState *s, const uint32_t *reg)
{
    TensixNocAddress a = {
        .x = FIELD_EX32(reg[2], ADDR_HI, X),
        .y = FIELD_EX32(reg[2], ADDR_HI, Y),
        .addr = reg[0] | (uint64_t)reg[1] << 32,
    };

    untranslated(s, &a.x, &a.y);
    if (a.x >= TENSIX_NOC_COLUMNS || a.y >= TENSIX_NOC_ROWS) {
        a.x = TENSIX_NOC_NOWHERE;
        a.y = 0;
    } else if (TENSIX_NIU_GET_CLASS(s)->noc) {
        a.x = mirrored(a.x, TENSIX_NOC_COLUMNS);
        a.y = mirrored(a.y, TENSIX_NOC_ROWS);
    }
    return a;
}

/* --- what is there --- */

TensixNiuState *niu_at(const NiuRequest *r, TensixNocAddress a)
{
    TensixNocPort *tile = tensix_noc_tile(r->niu->noc_port->noc, a);

    return tile ? tile->niu[TENSIX_NIU_GET_CLASS(r->niu)->noc] : NULL;
}

bool niu_has_l1(const NiuRequest *r, TensixNocAddress a)
{
    TensixTileKind kind = tensix_noc_kind(r->niu->noc_port->noc, a);

    return kind == TENSIX_TILE_TENSIX || kind == TENSIX_TILE_ETHERNET;
}

bool niu_is_mmio(const NiuRequest *r, TensixNocAddress a)
{
    return niu_has_l1(r, a) && a.addr >> 24 == MMIO_FIRST_BYTE;
}

void niu_accesses(const NiuRequest *r, TensixNocAddress a, uint32_t size,
                  bool writes)
{
    TensixBus *bus = tensix_cop_bus(r->niu->cop);
    TensixNocAddress raw = tensix_noc_raw(a);

    if (tensix_bus_has_listener(bus, TENSIX_ON_DRAM) &&
        tensix_noc_kind(r->niu->noc_port->noc, a) == TENSIX_TILE_DRAM) {
        tensix_bus_post(bus, TENSIX_ON_DRAM, &(TensixDramEvent) {
            .by = &r->origin.by, .noc = TENSIX_NIU_GET_CLASS(r->niu)->noc,
            .id = r->origin.id, .bank = tensix_noc_dram_bank(raw.x, raw.y),
            .size = size, .address = a.addr, .writes = writes,
        });
    }
}

bool niu_waits_for_host(const NiuRequest *r)
{
    bool is_read = FIELD_EX32(r->ctrl, CTRL, TYPE) == TYPE_READ;
    const TensixNocState *noc = r->niu->noc_port->noc;

    return !r->broken && r->receivers == 1 &&
           tensix_noc_has_host(noc) &&
           tensix_noc_kind(noc, is_read ? r->targ : r->to[0]) ==
           TENSIX_TILE_PCIE;
}

/* --- receivers (BH NoC/MemoryMap.md, NOC_TARG_ADDR) --- */

static bool in_span(uint32_t v, uint32_t start, uint32_t end)
{
    return start <= end ? v >= start && v <= end : v <= end || v >= start;
}

/* Corners of a broadcast, as the NIU's NoC counts */
typedef struct Rectangle {
    uint32_t x0, y0, x1, y1;
} Rectangle;

static Rectangle read_rectangle(const TensixNiuState *s, uint32_t hi)
{
    Rectangle r = {
        .x0 = FIELD_EX32(hi, ADDR_HI, START_X),
        .y0 = FIELD_EX32(hi, ADDR_HI, START_Y),
        .x1 = FIELD_EX32(hi, ADDR_HI, X),
        .y1 = FIELD_EX32(hi, ADDR_HI, Y),
    };

    untranslated(s, &r.x0, &r.y0);
    untranslated(s, &r.x1, &r.y1);
    return r;
}

/* Of coordinates as the NIU's NoC counts: does this tile take no broadcasts? */
static bool opts_out(const TensixNiuState *s, uint32_t x, uint32_t y)
{
    return extract32(s->value[R_ROUTER_CFG_1], x, 1) ||
           extract32(s->value[R_ROUTER_CFG_3], y, 1);
}

static bool takes_broadcast(const NiuRequest *r, const Rectangle *to,
                            TensixNocAddress a)
{
    const TensixNiuState *niu = niu_at(r, a);
    bool noc1 = TENSIX_NIU_GET_CLASS(r->niu)->noc;
    uint32_t x = noc1 ? mirrored(a.x, TENSIX_NOC_COLUMNS) : a.x;
    uint32_t y = noc1 ? mirrored(a.y, TENSIX_NOC_ROWS) : a.y;

    if (!in_span(x, to->x0, to->x1) || !in_span(y, to->y0, to->y1) ||
        tensix_noc_kind(r->niu->noc_port->noc, a) != TENSIX_TILE_TENSIX) {
        return false;
    }
    return (niu != r->niu || FIELD_EX32(r->ctrl, CTRL, SRC_INCLUDE)) &&
           !(niu && opts_out(niu, x, y));
}

void niu_find_receivers(NiuRequest *r, uint32_t hi, TensixNocAddress to)
{
    Rectangle rectangle;

    if (!FIELD_EX32(r->ctrl, CTRL, BRCST)) {
        r->to[r->receivers++] = to;
        return;
    }
    rectangle = read_rectangle(r->niu, hi);
    for (to.y = 0; to.y < TENSIX_NOC_ROWS; to.y++) {
        for (to.x = 0; to.x < TENSIX_NOC_COLUMNS; to.x++) {
            if (takes_broadcast(r, &rectangle, to)) {
                r->to[r->receivers++] = to;
            }
        }
    }
}

void niu_count_received(const NiuRequest *r, unsigned counter, uint32_t n)
{
    for (unsigned i = 0; i < r->receivers; i++) {
        TensixNiuState *niu = niu_at(r, r->to[i]);

        if (niu) {
            tensix_niu_count(niu, counter, n);
        }
    }
}
