/*
 * Races: interrupt handlers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A handler comes after what its hart has executed before it, and after the
 * handlers before it.  What it learns by its loads the interrupted program does
 * not know: no page says where in the program an interrupt arrives (OLD PIC.md).
 * The program comes after it once it loads what the handler has stored, in the
 * local RAM or in L1.  What a handler does itself is in the order of its hart.
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "races_internal.h"

/* of the local RAM of harts that take interrupts */
enum { WORDS = 8 * KiB / sizeof(uint32_t) };

struct RaceHandlers {
    bool active;
    RaceClock program;             /* when the active one began */
    RaceClock ended;               /* those that have returned */
    RaceClock *stored[WORDS];      /* by a handler, in the local RAM; or NULL */
};

static void set_stored(RaceHandlers *h, uint32_t word, RaceClock *clock)
{
    if (h->stored[word]) {
        g_rc_box_release(h->stored[word]);
    }
    h->stored[word] = clock ? g_rc_box_acquire(clock) : NULL;
}

void race_handler_begins(TensixRaces *r, uint32_t index)
{
    RaceHart *hart = &r->hart[index];

    race_l1_settle(r, index);
    if (!hart->handlers) {
        hart->handlers = g_new0(RaceHandlers, 1);
    }
    hart->handlers->active = true;
    hart->handlers->program = hart->now;
    race_hart_join(hart, &hart->handlers->ended);
}

void race_handler_returns(TensixRaces *r, uint32_t index)
{
    RaceHart *hart = &r->hart[index];
    RaceHandlers *h = hart->handlers;
    uint32_t chain = RACE_HART + index;

    if (h && h->active) {
        race_l1_settle(r, index);
        h->active = false;
        h->ended = hart->now;
        h->program.at[chain] = hart->now.at[chain];
        race_hart_set_clock(hart, &h->program);
    }
}

void race_local_access(TensixRaces *r, const TensixLoadStoreEvent *event)
{
    RaceHart *hart = &r->hart[event->hart->id];
    RaceHandlers *h = hart->handlers;
    uint32_t offset = event->address - TENSIX_LOCAL_RAM_BASE;
    uint32_t end = DIV_ROUND_UP(offset + event->size, sizeof(uint32_t));

    for (uint32_t n = offset / sizeof(uint32_t); h && n < MIN(end, WORDS); n++) {
        if (event->loads && !h->active && h->stored[n]) {
            race_hart_join(hart, h->stored[n]);
        }
        if (event->stores) {
            set_stored(h, n, h->active ? race_hart_clock(hart) : NULL);
        }
    }
}

void race_handlers_discard(RaceHart *hart)
{
    for (uint32_t n = 0; hart->handlers && n < WORDS; n++) {
        set_stored(hart->handlers, n, NULL);
    }
    g_clear_pointer(&hart->handlers, g_free);
}
