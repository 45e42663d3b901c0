/*
 * Register-file aperture: the state as bytes, for tests, gdb and the monitor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Layout: docs/memory-map.rst.  The state's arrays are in the aperture's
 * order, so a region is an offset into TensixState; after a write, the region's
 * mask takes away the bits that the hardware does not have.  Little-endian hosts
 * only, as the rest of the core.
 */

#include <string.h>

#include "regs/regfile.h"
#include "vector/vector.h"
#include "observe/observe.h"
#include "derived/update.h"

typedef struct Region {
    uint32_t offset;               /* in the aperture */
    uint32_t size;
    uint32_t state;                /* offset in TensixState */
    uint32_t mask;                 /* of every 32-bit cell; ~0u: none */
} Region;

enum {
    ROW_VALID_MASK = 0x01010101,   /* bytes */
    APERTURE_ADCS = 0x24000,
};

#define STATE(field) offsetof(TensixState, field)
#define SIZE(field) sizeof(((TensixState *)0)->field)
#define RWC(t, field, bits) \
    { 0x21000 + 0x40 * (t) + offsetof(TensixRwc, field), 4, STATE(rwc[t].field), \
      (1u << (bits)) - 1 }
#define RWCS(t) \
    RWC(t, Dst, 10), RWC(t, Dst_Cr, 10), RWC(t, SrcA, 6), RWC(t, SrcA_Cr, 6), \
    RWC(t, SrcB, 6), RWC(t, SrcB_Cr, 6), RWC(t, FidelityPhase, 2), \
    RWC(t, ExtraAddrModBit, 1), RWC(t, Sp, 10)
#define ADCS(t) \
    { APERTURE_ADCS + 0x100 * (t), SIZE(adc[t]), STATE(adc[t]), ADC_X_MASK }

static const Region regions[] = {
    { 0x00000, SIZE(dst), STATE(dst), ~0u },
    { 0x08000, SIZE(dst_row_valid), STATE(dst_row_valid), ROW_VALID_MASK },
    { 0x10000, SIZE(src[0]), STATE(src[TENSIX_SRCA]), SRC_VALUE_MASK },
    { 0x12000, SIZE(src[0]), STATE(src[TENSIX_SRCB]), SRC_VALUE_MASK },
    { 0x20000, SIZE(vu.lreg), STATE(vu.lreg), ~0u },
    { 0x20c00, 4, STATE(vu.lane_flags), ~0u },
    { 0x20c04, 4, STATE(vu.use_lane_flags), ~0u },
    { 0x20c08, 4, STATE(vu.flag_stack_depth), ~0u },
    { 0x20d00, SIZE(vu.lane_config), STATE(vu.lane_config),
     VECTOR_LANE_CONFIG_MASK },
    { 0x20e00, SIZE(vu.prng), STATE(vu.prng), ~0u },
    RWCS(0), RWCS(1), RWCS(2),
    { 0x22000, SIZE(src_client), STATE(src_client), 1 },
    { 0x22010, SIZE(matrix_bank), STATE(matrix_bank), 1 },
    { 0x22018, SIZE(unpack_bank), STATE(unpack_bank), 1 },
    { 0x23000, SIZE(semaphore), STATE(semaphore), TENSIX_SEMAPHORE_LIMIT },
    ADCS(0), ADCS(1), ADCS(2),
};

enum { REGIONS = sizeof(regions) / sizeof(regions[0]) };

/* The part of [offset, offset + size) that lies in r; 0 if none. */
static uint32_t overlap(const Region *r, uint32_t offset, uint32_t size,
                        uint32_t *start)
{
    uint32_t end = offset + size < r->offset + r->size ? offset + size
                                                       : r->offset + r->size;

    *start = offset > r->offset ? offset : r->offset;
    return end > *start ? end - *start : 0;
}

/*
 * Z and W of an ADC have 13 bits on Blackhole, but the debug view of them has
 * always been of the low eight (newest WH ADCs.md), and so is this one.
 * `info tensix adcs` shows all.
 */
static void hide_high_zw(uint8_t *data, uint32_t start, uint32_t length)
{
    enum {
        ZW_CELLS = 2 * sizeof(uint32_t),
        BYTE_OF_CELL = sizeof(uint32_t) - 1
    };

    for (uint32_t at = 0; at < length; at++) {
        if (((start + at) & ZW_CELLS) && ((start + at) & BYTE_OF_CELL)) {
            data[at] = 0;
        }
    }
}

void tensix_aperture_read(const TensixCore *c, uint32_t offset, void *data,
                          uint32_t size)
{
    if (c->s.macro.active) {
        const TensixCore copy = tensix_drained_copy(c);

        tensix_aperture_read(&copy, offset, data, size);
        return;
    }
    memset(data, 0, size);
    for (int i = 0; i < REGIONS; i++) {
        const Region *r = &regions[i];
        uint8_t *out = data;
        uint32_t start;
        uint32_t length = overlap(r, offset, size, &start);

        if (!length) {
            continue;
        }
        out += start - offset;
        memcpy(out, (const uint8_t *)&c->s + r->state + (start - r->offset),
               length);
        if (r->offset >= APERTURE_ADCS) {
            hide_high_zw(out, start, length);
        }
    }
}

static void mask_cells(TensixState *s, const Region *r)
{
    for (uint32_t at = 0; r->mask != ~0u && at < r->size;
         at += sizeof(uint32_t)) {
        uint8_t *p = (uint8_t *)s + r->state + at;
        uint32_t cell;

        memcpy(&cell, p, sizeof(cell));
        cell &= r->mask;
        memcpy(p, &cell, sizeof(cell));
    }
}

/* What a poke may not leave behind: lengths and widths that code relies on. */
static void normalise(TensixState *s)
{
    if (s->vu.flag_stack_depth > TENSIX_FLAG_STACK_DEPTH) {
        s->vu.flag_stack_depth = TENSIX_FLAG_STACK_DEPTH;
    }
    for (int t = 0; t < TENSIX_THREADS; t++) {
        for (int u = 0; u < TENSIX_ADCS; u++) {
            for (int ch = 0; ch < 2; ch++) {
                TensixAdcChannel *a = &s->adc[t][u].channel[ch];

                a->Y &= ADC_YZW_MASK;
                a->Z &= ADC_YZW_MASK;
                a->W &= ADC_YZW_MASK;
                a->Y_Cr &= ADC_YZW_MASK;
                a->Z_Cr &= ADC_YZW_MASK;
                a->W_Cr &= ADC_YZW_MASK;
            }
        }
    }
}

void tensix_aperture_write(TensixCore *c, uint32_t offset, const void *data,
                           uint32_t size)
{
    tensix_observe_compare(c, TENSIX_ALL_SPACES);
    for (int i = 0; i < REGIONS; i++) {
        const Region *r = &regions[i];
        uint32_t start;
        uint32_t length = overlap(r, offset, size, &start);

        if (length) {
            memcpy((uint8_t *)&c->s + r->state + (start - r->offset),
                   (const uint8_t *)data + (start - offset), length);
            mask_cells(&c->s, r);
        }
    }
    normalise(&c->s);
    tensix_derived_invalidate(c);
    c->signals.changed |= TENSIX_CHANGED_SEMAPHORE | TENSIX_CHANGED_BANK;
}
