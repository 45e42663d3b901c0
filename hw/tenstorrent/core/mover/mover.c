/*
 * Mover: bulk copies and clears in units of 16 bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Mover.md, XMOV.md; TDMA-RISC asks for moves too.  Blackhole's NCRISC has
 * no instruction RAM, so what would go there goes nowhere.
 */

#include <string.h>

#include "config/config.h"
#include "mover/mover.h"
#include "observe/note.h"
#include "tensix_internal.h"

enum {
    UNIT_SHIFT = 4,
    BURST = 128,                   /* bytes read before they are written */
    BYTES_PER_STEP = 256,          /* that take as long as an instruction */
    CONFIG_WINDOW = 0x10000,
    COUNT_MASK = 0xffff,           /* units */
};

static bool from_l1(const TensixMove *m)
{
    return m->mode == TENSIX_MOVE_L1_TO_L1 || m->mode == TENSIX_MOVE_L1_TO_L0;
}

static bool to_l1(const TensixMove *m)
{
    return m->mode == TENSIX_MOVE_L1_TO_L1 || m->mode == TENSIX_MOVE_L0_TO_L1;
}

static bool in_range(uint32_t start, uint32_t count, uint32_t size)
{
    return count <= size && start <= size - count;
}

/* A burst's data, at most BURST bytes. */
static void read_burst(TensixCore *c, const TensixMove *m, uint32_t at,
                       uint8_t *data, uint32_t size)
{
    if (from_l1(m)) {
        tensix_observe_read_l1(c, m->source + at, size);
        memcpy(data, c->host.l1 + m->source + at, size);
    } else {
        memset(data, 0, size);
    }
}

static void write_config(TensixCore *c, const TensixMove *m, uint32_t at,
                         const uint8_t *data, uint32_t size)
{
    for (uint32_t n = 0; n < size; n += sizeof(uint32_t)) {
        uint32_t word;

        memcpy(&word, data + n, sizeof(word));
        tensix_cfg_put(c, m->destination + at + n, word);
    }
}

static bool is_defined(const TensixCore *c, const TensixMove *m)
{
    uint32_t l1_size = c->host.l1_size;

    return in_range(m->destination, m->count,
                    to_l1(m) ? l1_size : CONFIG_WINDOW) &&
           (!from_l1(m) || in_range(m->source, m->count, l1_size));
}

bool tensix_mover_run(TensixCore *c, const TensixMove *m)
{
    uint8_t data[BURST];

    if (!is_defined(c, m)) {
        return false;
    }
    c->cost += m->count / BYTES_PER_STEP;
    if (c->record.all) {
        tensix_record(&c->record, MOVE, m->destination, m->source, m->count,
                      m->mode);
    }
    for (uint32_t at = 0; at < m->count; at += BURST) {
        uint32_t size = m->count - at < BURST ? m->count - at : BURST;

        read_burst(c, m, at, data, size);
        if (to_l1(m)) {
            c->host.l1_write(c->host.opaque, m->destination + at, data, size);
        } else {
            write_config(c, m, at, data, size);
        }
    }
    return true;
}

/* XMOV: as THCON_SEC0_REG6 of the active bank says. */
TensixResult tensix_exec_XMOV(TensixCore *c, const TensixInsn *i)
{
    uint32_t t = i->thread;
    const TensixMove m = {
        .destination = CFG_GET(c, t, THCON_SEC0_REG6_Destination_address) <<
                       UNIT_SHIFT,
        .source = CFG_GET(c, t, THCON_SEC0_REG6_Source_address) << UNIT_SHIFT,
        .count = (CFG_GET(c, t, THCON_SEC0_REG6_Buffer_size) & COUNT_MASK) <<
                 UNIT_SHIFT,
        .mode = CFG_GET(c, t, THCON_SEC0_REG6_Transfer_direction),
    };

    if (!tensix_mover_run(c, &m)) {
        return tensix_violation(c, i, TENSIX_BAD_ACCESS,
                                "0x%x bytes from 0x%x to 0x%x, mode %u",
                                (unsigned)m.count, (unsigned)m.source,
                                (unsigned)m.destination, (unsigned)m.mode);
    }
    return TENSIX_DONE;
}
