/*
 * What harts reach of the coprocessor by plain loads and stores.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config/config.h"
#include "frontend/frontend.h"
#include "mover/mover.h"
#include "observe/note.h"
#include "record/current.h"
#include "regs/regfile.h"
#include "tensix_internal.h"

/*
 * Instructions take their configuration when they start, so flights land first:
 * LLK reuses a context of the unpackers without waiting for its UNPACRs.
 */
bool tensix_cfg_write(TensixCore *c, uint32_t offset, uint32_t value)
{
    tensix_flight_land_all(c);
    return tensix_cfg_put(c, offset, value);
}

uint32_t tensix_semaphore_read(const TensixCore *c, uint32_t index)
{
    return c->s.semaphore[index].value;
}

void tensix_semaphore_write(TensixCore *c, uint32_t index, uint32_t value,
                            TensixOrigin origin)
{
    if (value & 1) {
        tensix_semaphore_get(&c->s, index, &origin);
    } else {
        tensix_semaphore_post(&c->s, index, &origin);
    }
    tensix_note_write(c, TENSIX_SPACE_SEMAPHORE, index, 1);
    c->signals.changed |= TENSIX_CHANGED_SEMAPHORE;
    tensix_record_semaphore(c, index);
}

/* The Mover serves all requesters in order. */
bool tensix_move(TensixCore *c, const TensixMove *m)
{
    tensix_flight_land_all(c);
    return tensix_mover_run(c, m);
}
