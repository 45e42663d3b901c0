/*
 * Mover: bulk copies and clears in units of 16 bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Mover.md, XMOV.md.  Blackhole's NCRISC has no instruction RAM, so what
 * would go there goes nowhere.
 */

#include <string.h>

#include "tensix_internal.h"

/* Transfer_direction; "L0" is not L1: see the page. */
typedef enum MoverMode {
    L0_TO_L1,                      /* clear L1 */
    L1_TO_L0,                      /* copy L1 to configuration */
    L0_TO_L0,                      /* clear configuration */
    L1_TO_L1,                      /* copy within L1 */
} MoverMode;

enum {
    UNIT_SHIFT = 4,
    BURST = 128,                   /* bytes read before they are written */
    CONFIG_WINDOW = 0x10000,
    COUNT_MASK = 0xffff,           /* units */
};

typedef struct Move {
    TensixCore *c;
    const TensixInsn *i;
    uint32_t destination, source;  /* bytes */
    uint32_t count;
    MoverMode mode;
} Move;

static bool from_l1(const Move *m)
{
    return m->mode == L1_TO_L1 || m->mode == L1_TO_L0;
}

static bool to_l1(const Move *m)
{
    return m->mode == L1_TO_L1 || m->mode == L0_TO_L1;
}

static bool range_in_l1(const Move *m, uint32_t start)
{
    uint32_t size = m->c->host.l1_size;

    return m->count <= size && start <= size - m->count;
}

/* A burst's data, at most BURST bytes. */
static void read_burst(const Move *m, uint32_t at, uint8_t *data, uint32_t size)
{
    if (from_l1(m)) {
        memcpy(data, m->c->host.l1 + m->source + at, size);
    } else {
        memset(data, 0, size);
    }
}

static void write_config(const Move *m, uint32_t at, const uint8_t *data,
                         uint32_t size)
{
    for (uint32_t n = 0; n < size; n += sizeof(uint32_t)) {
        uint32_t word;

        memcpy(&word, data + n, sizeof(word));
        tensix_cfg_write(m->c, m->destination + at + n, word);
    }
}

static void move(const Move *m)
{
    uint8_t data[BURST];

    for (uint32_t at = 0; at < m->count; at += BURST) {
        uint32_t size = m->count - at < BURST ? m->count - at : BURST;

        read_burst(m, at, data, size);
        if (to_l1(m)) {
            m->c->host.l1_write(m->c->host.opaque, m->destination + at, data,
                                size);
        } else {
            write_config(m, at, data, size);
        }
    }
}

static bool destination_valid(const Move *m)
{
    if (to_l1(m)) {
        return range_in_l1(m, m->destination);
    }
    return m->destination < CONFIG_WINDOW &&
           m->count <= CONFIG_WINDOW - m->destination;
}

/* XMOV: as THCON_SEC0_REG6 of the active bank says. */
TensixResult tensix_exec_XMOV(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    Move m = {
        .c = c,
        .i = i,
        .destination = CFG_GET(c, t, THCON_SEC0_REG6_Destination_address) <<
                       UNIT_SHIFT,
        .source = CFG_GET(c, t, THCON_SEC0_REG6_Source_address) << UNIT_SHIFT,
        .count = (CFG_GET(c, t, THCON_SEC0_REG6_Buffer_size) & COUNT_MASK) <<
                 UNIT_SHIFT,
        .mode = CFG_GET(c, t, THCON_SEC0_REG6_Transfer_direction),
    };

    if (!destination_valid(&m) || (from_l1(&m) && !range_in_l1(&m, m.source))) {
        return tensix_violation(c, i, TENSIX_BAD_ACCESS,
                                "0x%x bytes from 0x%x to 0x%x, mode %u",
                                (unsigned)m.count, (unsigned)m.source,
                                (unsigned)m.destination, (unsigned)m.mode);
    }
    move(&m);
    return TENSIX_DONE;
}
