/*
 * Races: L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * L1 is kept in lines of 16 bytes, each access with the bytes that it touches.
 * Harts and atomic instructions synchronise through L1: their loads come after
 * the store whose value they meet, and they do not race with each other.
 * What hosts, debuggers and loaders write was there before.
 * (BH MemoryOrdering.md, NoC/Counters.md)
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

enum {
    LINE_BYTES = 16,
    LINES = TENSIX_L1_SIZE / LINE_BYTES,
    LINE_WRITERS = 5,              /* of a word each, and one more */
    LINE_READERS = 6,
};

typedef struct RaceLineAccess {
    RaceAccess access;
    uint16_t bytes;                /* a bit each */
    RaceClock *clock;              /* who synchronises: what it comes after */
} RaceLineAccess;

typedef struct RaceLine {
    RaceLineAccess write[LINE_WRITERS];
    RaceLineAccess read[LINE_READERS];
} RaceLine;

struct RaceL1 {
    RaceLine *line[LINES];         /* NULL: never accessed */
};

/* The bytes at hand of one line, and whose they are. */
typedef struct Touch {
    RaceOp *op;
    RaceClock *clock;              /* of who synchronises, or NULL */
    uint32_t line;
    uint16_t bytes;
} Touch;

static RaceLine *line_at(TensixRaces *r, uint32_t line)
{
    RaceLine **at = &r->tile_l1->line[line];

    if (!*at) {
        *at = g_new0(RaceLine, 1);
    }
    return *at;
}

static void forget(RaceLineAccess *a)
{
    if (a->clock) {
        g_rc_box_release(a->clock);
    }
    memset(a, 0, sizeof(*a));
}

static bool is_noc(const RaceAccess *a)
{
    return a->chain >= RACE_NOC && a->chain <= RACE_TDMA;
}

/* Who synchronises may poll what the NoC writes. */
static bool synchronises(const Touch *t, const RaceLineAccess *other,
                         bool other_writes)
{
    return other->clock &&
           (t->clock || (!other_writes && is_noc(&t->op->access)));
}

static void check(const Touch *t, const RaceLineAccess *other,
                  bool other_writes, bool writes)
{
    if (!other->access.place || !(other->bytes & t->bytes) ||
        synchronises(t, other, other_writes) ||
        race_is_ordered(t->op, &other->access)) {
        return;
    }
    race_found(t->op, &other->access, TENSIX_SPACE_L1,
               t->line * LINE_BYTES + ctz32(other->bytes & t->bytes),
               other_writes, writes);
}

/*
 * In the place of one that comes before it and has none but its bytes, or of the
 * first.
 */
static void remember(const Touch *t, RaceLineAccess *slots, unsigned count)
{
    RaceLineAccess *place = &slots[0];

    for (unsigned n = 0; n < count; n++) {
        if (!slots[n].access.place ||
            (!(slots[n].bytes & ~t->bytes) &&
             (slots[n].access.chain == t->op->access.chain ||
              race_has_ended(&slots[n].access, &t->op->clock)))) {
            place = &slots[n];
            break;
        }
    }
    forget(place);
    place->bytes = t->bytes;
    place->access = t->op->access;
    place->clock = t->clock ? g_rc_box_acquire(t->clock) : NULL;
}

static void read_line(TensixRaces *r, const Touch *t)
{
    RaceLine *line = line_at(r, t->line);

    for (unsigned n = 0; n < LINE_WRITERS; n++) {
        check(t, &line->write[n], true, false);
    }
    remember(t, line->read, LINE_READERS);
}

/* What it overwrites has no bytes left. */
static void overwrite(RaceLineAccess *slots, unsigned count, uint16_t bytes)
{
    for (unsigned n = 0; n < count; n++) {
        slots[n].bytes &= ~bytes;
        if (!slots[n].bytes) {
            forget(&slots[n]);
        }
    }
}

static void overwrite_line(RaceLine *line, uint16_t bytes)
{
    overwrite(line->write, LINE_WRITERS, bytes);
    overwrite(line->read, LINE_READERS, bytes);
}

static void write_line(TensixRaces *r, const Touch *t)
{
    RaceLine *line = line_at(r, t->line);

    for (unsigned n = 0; n < LINE_WRITERS; n++) {
        check(t, &line->write[n], true, true);
    }
    for (unsigned n = 0; n < LINE_READERS; n++) {
        check(t, &line->read[n], false, true);
    }
    overwrite_line(line, t->bytes);
    remember(t, line->write, LINE_WRITERS);
}

typedef void RaceLineFn(TensixRaces *r, const Touch *t);

static void each_line(TensixRaces *r, RaceOp *op, RaceClock *clock,
                      uint32_t address, uint32_t size, RaceLineFn *access)
{
    uint32_t end = MIN(address + size, TENSIX_L1_SIZE);

    while (address < end) {
        uint32_t at = address % LINE_BYTES;
        uint32_t bytes = MIN(end - address, LINE_BYTES - at);
        Touch t = {
            .op = op, .clock = clock, .line = address / LINE_BYTES,
            .bytes = MAKE_64BIT_MASK(at, bytes),
        };

        access(r, &t);
        address += bytes;
    }
}

/* --- harts and atomic instructions --- */

/* What is met there comes before, if it synchronises, or is of the NoC. */
static void acquire(RaceClock *clock, const RaceLineAccess *a, uint32_t hart)
{
    bool other_noc = is_noc(&a->access) &&
                     (a->access.chain - RACE_NOC) / TENSIX_NOC_CHANNELS != hart;

    if (a->clock) {
        race_join(clock, a->clock);
    }
    if (a->clock || other_noc) {
        race_join_chain(clock, a->access.chain, a->access.count);
    }
}

/* The access that synchronises comes after what it meets. */
static void acquire_line(TensixRaces *r, const Touch *t)
{
    const RaceLine *line = r->tile_l1->line[t->line];

    for (unsigned n = 0; line && n < LINE_WRITERS; n++) {
        if (line->write[n].bytes & t->bytes) {
            acquire(&t->op->clock, &line->write[n], t->op->by->hart);
        }
    }
}

static void atomic_access(TensixRaces *r, RaceOp *op, uint32_t address,
                          uint32_t size, bool writes)
{
    RaceThread *thread = &r->thread[op->access.thread];
    RaceClock *clock;

    each_line(r, op, NULL, address, size, acquire_line);
    race_join(&thread->now, &op->clock);
    clock = g_rc_box_dup(sizeof(op->clock), &op->clock);
    each_line(r, op, clock, address, size, writes ? write_line : read_line);
    g_rc_box_release(clock);
}

void race_l1_access(TensixRaces *r, RaceOp *op, uint32_t address, uint32_t size,
                    bool writes)
{
    if (tensix_traits_of(op->insn->word)->atomic) {
        atomic_access(r, op, address, size, writes);
    } else {
        each_line(r, op, NULL, address, size, writes ? write_line : read_line);
    }
}

/* What its latest load has met, which it made behind its event. */
void race_l1_settle(TensixRaces *r, uint32_t hart)
{
    RaceHart *h = &r->hart[hart];
    const TensixActor by = { .hart = hart };
    RaceOp op;

    if (!h->loaded_bytes) {
        return;
    }
    op = (RaceOp) { .by = &by, .clock = h->now };
    each_line(r, &op, NULL, h->loaded, h->loaded_bytes, acquire_line);
    race_hart_join(h, &op.clock);
    h->loaded_bytes = 0;
}

void race_l1_by_hart(TensixRaces *r, const TensixLoadStoreEvent *event,
                     const TensixActor *by, RaceOp *op)
{
    RaceHart *hart = &r->hart[by->hart];

    *op = race_hart_op(r, by);
    if (event->loads) {
        each_line(r, op, NULL, event->address, event->size, acquire_line);
        race_hart_join(hart, &op->clock);
        each_line(r, op, race_hart_clock(hart), event->address, event->size,
                  read_line);
        hart->loaded = event->address;
        hart->loaded_bytes = event->size;
    }
    if (event->stores) {
        each_line(r, op, race_hart_clock(hart), event->address, event->size,
                  write_line);
    }
}

/* --- other agents --- */

static void clear_line(TensixRaces *r, const Touch *t)
{
    RaceLine *line = r->tile_l1->line[t->line];

    if (line) {
        overwrite_line(line, t->bytes);
    }
}

/* For a hart of this tile: over when that hart has seen a counter say so. */
static void by_noc(TensixRaces *r, const TensixL1Access *a)
{
    RaceHart *hart = &r->hart[a->by->hart];
    RaceOp op = {
        .by = a->by,
        .access = { .place = race_place(r, a->by), .unit = RACE_UNITS,
                    .chain = race_noc_chain(a->by->hart, a->by->channel),
                    .count = ++hart->requests[a->by->channel] },
        .clock = hart->now,
    };

    each_line(r, &op, NULL, a->address, a->size,
              a->accesses & TENSIX_WATCH_WRITE ? write_line : read_line);
    race_report(r, &op);
}

/* Done some time after the command; no page has a way to wait for it. */
static void by_tdma(TensixRaces *r, const TensixL1Access *a)
{
    RaceOp op = {
        .by = a->by,
        .access = { .place = race_place(r, a->by), .unit = RACE_UNITS,
                    .chain = RACE_TDMA, .count = ++r->tdma_writes },
        .clock = r->hart[a->by->hart].now,
    };

    each_line(r, &op, NULL, a->address, a->size, write_line);
    race_report(r, &op);
}

/* What orders another tile's write with what is here is not known: nothing. */
static void by_other_tile(TensixRaces *r, const TensixL1Access *a)
{
    RaceOp op = {
        .by = a->by,
        .access = { .place = race_place(r, a->by), .unit = RACE_UNITS,
                    .chain = RACE_REMOTE, .count = ++r->remote_writes },
    };

    memset(&op.clock, UINT8_MAX, sizeof(op.clock));
    each_line(r, &op, NULL, a->address, a->size, write_line);
}

void race_l1_by_agent(TensixRaces *r, const TensixL1Access *a)
{
    RaceOp op = { 0 };

    if (a->by->kind == TENSIX_BY_NOC && tensix_actor_is_here(a->by) &&
        a->by->hart < TENSIX_HART_NONE) {
        by_noc(r, a);
    } else if (a->by->kind == TENSIX_BY_TDMA &&
               a->by->hart < TENSIX_HART_NONE) {
        by_tdma(r, a);
    } else if (a->by->kind == TENSIX_BY_NOC && !tensix_actor_is_here(a->by)) {
        if (a->accesses & TENSIX_WATCH_WRITE) {
            by_other_tile(r, a);
        }
    } else if (a->by->kind != TENSIX_BY_HART &&
               a->accesses & TENSIX_WATCH_WRITE) {
        each_line(r, &op, NULL, a->address, a->size, clear_line);
    }
}

/* --- life cycle --- */

void race_l1_finish(TensixRaces *r)
{
    for (uint32_t n = 0; r->tile_l1 && n < LINES; n++) {
        RaceLine *line = r->tile_l1->line[n];

        if (line) {
            overwrite_line(line, UINT16_MAX);
            g_free(line);
        }
    }
    g_clear_pointer(&r->tile_l1, g_free);
}

void race_l1_restart(TensixRaces *r)
{
    race_l1_finish(r);
    r->tile_l1 = g_new0(RaceL1, 1);
}
