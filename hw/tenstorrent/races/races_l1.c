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
    BLOCK_LINES = 64,
    BLOCKS = TENSIX_L1_SIZE / LINE_BYTES / BLOCK_LINES,
    LINE_WRITERS = 5,              /* of a word each, and one more */
    LINE_READERS = 6,
};

typedef struct RaceLineAccess {
    RaceAccess access;
    uint16_t bytes;                /* a bit each */
    RaceClock *clock;              /* of the agent that synchronises */
} RaceLineAccess;

/* Most lines have one of a kind: what they take is what a whole tile costs. */
typedef struct RaceSlots {
    RaceLineAccess first;
    RaceLineAccess *more;          /* the others; or NULL */
} RaceSlots;

typedef struct RaceLine {
    RaceSlots write, read;
} RaceLine;

struct RaceL1 {
    RaceLine *block[BLOCKS];       /* of BLOCK_LINES; NULL: never accessed */
};

/* The bytes at hand of one line, and whose they are. */
typedef struct Touch {
    RaceOp *op;
    RaceClock *clock;              /* as above, or NULL */
    uint32_t line;
    uint16_t bytes;
} Touch;

static RaceLine *line_at(TensixRaces *r, uint32_t line)
{
    RaceLine **at = &r->tile_l1->block[line / BLOCK_LINES];

    if (!*at) {
        *at = g_new0(RaceLine, BLOCK_LINES);
    }
    return &(*at)[line % BLOCK_LINES];
}

/* NULL: it is not in use, nor are those after it. */
static RaceLineAccess *slot_at(RaceSlots *slots, unsigned n)
{
    if (!n) {
        return &slots->first;
    }
    return slots->more ? &slots->more[n - 1] : NULL;
}

static void discard_access(RaceLineAccess *a)
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

/* An agent that synchronises may poll what the NoC writes. */
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
static void record_touch(const Touch *t, RaceSlots *slots, unsigned count)
{
    RaceLineAccess *place = &slots->first;

    for (unsigned n = 0; n < count; n++) {
        RaceLineAccess *slot;

        if (n && !slots->more) {
            slots->more = g_new0(RaceLineAccess, count - 1);
        }
        slot = slot_at(slots, n);
        if (!slot->access.place ||
            (!(slot->bytes & ~t->bytes) &&
             (slot->access.chain == t->op->access.chain ||
              race_has_ended(&slot->access, t->op->clock)))) {
            place = slot;
            break;
        }
    }
    discard_access(place);
    place->bytes = t->bytes;
    place->access = t->op->access;
    place->clock = t->clock ? g_rc_box_acquire(t->clock) : NULL;
}

static void check_all(const Touch *t, RaceSlots *slots, unsigned count,
                      bool other_writes, bool writes)
{
    const RaceLineAccess *slot;

    for (unsigned n = 0; n < count && (slot = slot_at(slots, n)); n++) {
        check(t, slot, other_writes, writes);
    }
}

static void read_line(TensixRaces *r, const Touch *t)
{
    RaceLine *line = line_at(r, t->line);

    check_all(t, &line->write, LINE_WRITERS, true, false);
    record_touch(t, &line->read, LINE_READERS);
}

/* What it overwrites has no bytes left. */
static void overwrite(RaceSlots *slots, unsigned count, uint16_t bytes)
{
    RaceLineAccess *slot;

    for (unsigned n = 0; n < count && (slot = slot_at(slots, n)); n++) {
        slot->bytes &= ~bytes;
        if (slot->access.place && !slot->bytes) {
            discard_access(slot);
        }
    }
}

static void overwrite_line(RaceLine *line, uint16_t bytes)
{
    overwrite(&line->write, LINE_WRITERS, bytes);
    overwrite(&line->read, LINE_READERS, bytes);
}

static void write_line(TensixRaces *r, const Touch *t)
{
    RaceLine *line = line_at(r, t->line);

    check_all(t, &line->write, LINE_WRITERS, true, true);
    check_all(t, &line->read, LINE_READERS, false, true);
    overwrite_line(line, t->bytes);
    record_touch(t, &line->write, LINE_WRITERS);
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
    RaceSlots *writes = &line_at(r, t->line)->write;
    const RaceLineAccess *slot;

    for (unsigned n = 0; n < LINE_WRITERS && (slot = slot_at(writes, n)); n++) {
        if (slot->bytes & t->bytes) {
            acquire(t->clock, slot, t->op->by->hart);
        }
    }
}

static void atomic_access(TensixRaces *r, RaceOp *op, uint32_t address,
                          uint32_t size, bool writes)
{
    RaceThread *thread = &r->thread[op->access.thread];
    RaceClock *clock = op->clock == &thread->now ? &thread->now
                                                 : race_own_clock(r, op);

    each_line(r, op, clock, address, size, acquire_line);
    race_thread_join(thread, clock);
    clock = g_rc_box_dup(sizeof(*clock), clock);
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

static void hart_acquires(TensixRaces *r, RaceHart *hart,
                          const TensixActor *by, uint32_t address,
                          uint32_t size)
{
    RaceClock met = hart->now;
    RaceOp op = { .by = by };

    each_line(r, &op, &met, address, size, acquire_line);
    race_hart_join(hart, &met);
}

/* What its latest load has met, which it made after its event. */
void race_l1_settle(TensixRaces *r, uint32_t hart)
{
    RaceHart *h = &r->hart[hart];

    if (h->loaded_bytes) {
        const TensixActor by = { .hart = hart };

        hart_acquires(r, h, &by, h->loaded, h->loaded_bytes);
        h->loaded_bytes = 0;
    }
}

void race_l1_by_hart(TensixRaces *r, const TensixLoadStoreEvent *event,
                     const TensixActor *by, RaceOp *op)
{
    RaceHart *hart = &r->hart[by->hart];

    *op = race_hart_op(r, by);
    if (event->loads) {
        hart_acquires(r, hart, by, event->address, event->size);
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
    if (r->tile_l1->block[t->line / BLOCK_LINES]) {
        overwrite_line(line_at(r, t->line), t->bytes);
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
        .clock = &hart->now,
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
        .clock = &r->hart[a->by->hart].now,
    };

    each_line(r, &op, NULL, a->address, a->size, write_line);
    race_report(r, &op);
}

/* What orders another tile's write with what is here is not known: nothing. */
static void by_other_tile(TensixRaces *r, const TensixL1Access *a)
{
    static const RaceClock all = {
        .at = { [0 ... RACE_CHAINS - 1] = UINT32_MAX },
    };
    RaceOp op = {
        .by = a->by, .clock = &all,
        .access = { .place = race_place(r, a->by), .unit = RACE_UNITS,
                    .chain = RACE_REMOTE, .count = ++r->remote_writes },
    };

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

static void free_block(RaceLine *block)
{
    for (uint32_t n = 0; block && n < BLOCK_LINES; n++) {
        overwrite_line(&block[n], UINT16_MAX);
        g_free(block[n].write.more);
        g_free(block[n].read.more);
    }
    g_free(block);
}

void race_l1_finish(TensixRaces *r)
{
    for (uint32_t n = 0; r->tile_l1 && n < BLOCKS; n++) {
        free_block(r->tile_l1->block[n]);
    }
    g_clear_pointer(&r->tile_l1, g_free);
}

void race_l1_restart(TensixRaces *r)
{
    race_l1_finish(r);
    r->tile_l1 = g_new0(RaceL1, 1);
}
