/*
 * Races: L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * L1 is kept in lines of 16 bytes, each access with the bytes that it touches.
 * Harts and atomic instructions synchronise through L1: their loads come after
 * the store whose value they meet, and they do not race with each other.
 * What hosts, debuggers and loaders write was there before; a hart that loads a
 * word of a host or debugger comes after all that harts had done by then, for
 * what such a client has read is not known.
 * (BH MemoryOrdering.md, NoC/Counters.md)
 *
 * Most accesses are of tiles, so the lines of a group are kept as one until a part
 * of them is accessed alone, and again when all have been written together.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

enum {
    LINE_BYTES = RACE_L1_LINE,
    GROUP_LINES = 8,               /* 4 rows of 16-bit datums, as PACR writes */
    GROUP_BYTES = GROUP_LINES * LINE_BYTES,
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

typedef struct RaceGroup {
    RaceLine all;
    RaceLine *line;                /* each of them, while they differ; or NULL */
    bool split;                    /* they do */
} RaceGroup;

struct RaceL1 {
    RaceGroup group[TENSIX_L1_SIZE / GROUP_BYTES];
};

/* The bytes at hand of one line, and whose they are. */
typedef struct Touch {
    RaceOp *op;
    RaceClock *clock;              /* as above, or NULL */
    uint32_t line, lines;          /* it represents those from it on */
    uint16_t bytes;
} Touch;

static RaceGroup *group_at(TensixRaces *r, uint32_t address)
{
    return &r->tile_l1->group[address / GROUP_BYTES];
}

static RaceLine *line_at(TensixRaces *r, uint32_t line)
{
    RaceGroup *group = group_at(r, line * LINE_BYTES);

    return group->split ? &group->line[line % GROUP_LINES] : &group->all;
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
    for (uint32_t n = 0; n < t->lines; n += MAX(t->lines - 1, 1)) {
        race_found(t->op, &other->access, TENSIX_SPACE_L1,
                   (t->line + n) * LINE_BYTES +
                   ctz32(other->bytes & t->bytes), other_writes, writes);
    }
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

static void clear_line(TensixRaces *r, const Touch *t)
{
    overwrite_line(line_at(r, t->line), t->bytes);
}

/* A write that races with nothing, but has a clock. */
static void leave_clock(TensixRaces *r, const Touch *t)
{
    RaceLine *line = line_at(r, t->line);

    overwrite_line(line, t->bytes);
    record_touch(t, &line->write, LINE_WRITERS);
}

/* --- groups of lines --- */

static void copy_access(RaceLineAccess *to, const RaceLineAccess *from)
{
    discard_access(to);
    *to = *from;
    if (to->clock) {
        g_rc_box_acquire(to->clock);
    }
}

static void copy_slots(RaceSlots *to, const RaceSlots *from, unsigned count)
{
    copy_access(&to->first, &from->first);
    if (from->more && !to->more) {
        to->more = g_new0(RaceLineAccess, count - 1);
    }
    for (unsigned n = 0; from->more && n < count - 1; n++) {
        copy_access(&to->more[n], &from->more[n]);
    }
}

static void copy_line(RaceLine *to, const RaceLine *from)
{
    overwrite_line(to, UINT16_MAX);
    copy_slots(&to->write, &from->write, LINE_WRITERS);
    copy_slots(&to->read, &from->read, LINE_READERS);
}

static void split_group(RaceGroup *group)
{
    if (!group->line) {
        group->line = g_new0(RaceLine, GROUP_LINES);
    }
    for (uint32_t n = 0; n < GROUP_LINES; n++) {
        copy_line(&group->line[n], &group->all);
    }
    group->split = true;
}

/* How many lines the one there represents, while so many bytes are accessed. */
static uint32_t lines_at(TensixRaces *r, uint32_t address, uint32_t bytes)
{
    RaceGroup *group = group_at(r, address);

    if (!group->split && !(address % GROUP_BYTES) && bytes >= GROUP_BYTES) {
        return GROUP_LINES;
    }
    if (!group->split) {
        split_group(group);
    }
    return 1;
}

/* After a write from `first` on, if it has now written all of a group. */
static void join_lines(TensixRaces *r, uint32_t first, uint32_t end)
{
    RaceGroup *group = group_at(r, end - 1);

    if (!(end % GROUP_BYTES) && end - first >= GROUP_BYTES && group->split) {
        copy_line(&group->all, &group->line[0]);
        group->split = false;
    }
}

/* At most one access, and no agent's that synchronises. */
static bool is_sole(const RaceSlots *slots)
{
    return !slots->more && !slots->first.clock;
}

static bool races_with_none(const RaceOp *op, const RaceLineAccess *other)
{
    return !other->access.place || race_is_ordered(op, &other->access);
}

/* Whatever comes after this one comes after the other. */
static bool may_replace(const RaceOp *op, const RaceLineAccess *other)
{
    return !other->access.place || other->access.chain == op->access.chain ||
           race_has_ended(&other->access, op->clock);
}

/*
 * A whole group, which most instructions access whose data are tiles, and which
 * one wrote and one read before, in order.  False: not so.
 */
static bool access_group(RaceGroup *group, const RaceOp *op, bool writes)
{
    RaceLineAccess *write = &group->all.write.first;
    RaceLineAccess *read = &group->all.read.first;
    const RaceLineAccess now = { .access = op->access, .bytes = UINT16_MAX };

    if (group->split || !is_sole(&group->all.write) ||
        !is_sole(&group->all.read) || !races_with_none(op, write) ||
        !(writes ? races_with_none(op, read) : may_replace(op, read))) {
        return false;
    }
    if (writes) {
        *read = (RaceLineAccess) { 0 };
    }
    *(writes ? write : read) = now;
    return true;
}

typedef void RaceLineFn(TensixRaces *r, const Touch *t);

static void each_line(TensixRaces *r, RaceOp *op, RaceClock *clock,
                      uint32_t first, uint32_t size, RaceLineFn *access)
{
    uint32_t end = MIN(first + size, TENSIX_L1_SIZE);

    for (uint32_t address = first, bytes; address < end; address += bytes) {
        uint32_t at = address % LINE_BYTES;
        uint32_t lines = lines_at(r, address, end - address);
        Touch t = {
            .op = op, .clock = clock, .line = address / LINE_BYTES,
            .lines = lines,
            .bytes = MAKE_64BIT_MASK(at, MIN(end - address, LINE_BYTES - at)),
        };

        access(r, &t);
        bytes = lines > 1 ? GROUP_BYTES : MIN(end - address, LINE_BYTES - at);
        if (access == write_line || access == clear_line) {
            join_lines(r, first, address + bytes);
        }
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

/* Groups while each is simple, and what comes after them by lines. */
static void access_tile(TensixRaces *r, RaceOp *op, uint32_t address,
                        uint32_t size, bool writes)
{
    uint32_t end = MIN(address + size, TENSIX_L1_SIZE);

    while (!(address % GROUP_BYTES) && address + GROUP_BYTES <= end &&
           access_group(group_at(r, address), op, writes)) {
        address += GROUP_BYTES;
    }
    each_line(r, op, NULL, address, end - address, writes ? write_line
                                                          : read_line);
}

void race_l1_access(TensixRaces *r, RaceOp *op, uint32_t address, uint32_t size,
                    bool writes)
{
    if (tensix_traits_of(op->insn->word)->atomic) {
        atomic_access(r, op, address, size, writes);
    } else {
        access_tile(r, op, address, size, writes);
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

/* In groups that have been accessed: images are large, and most is left alone. */
static void clear_bytes(TensixRaces *r, uint32_t address, uint32_t size)
{
    uint32_t end = MIN(address + size, TENSIX_L1_SIZE), next;
    RaceOp op = { 0 };

    for (; address < end; address = next) {
        const RaceGroup *group = group_at(r, address);

        next = MIN(end, QEMU_ALIGN_DOWN(address, GROUP_BYTES) + GROUP_BYTES);
        if (group->split || group->all.write.first.access.place ||
            group->all.read.first.access.place) {
            each_line(r, &op, NULL, address, next - address, clear_line);
        }
    }
}

/* No count: whatever meets it comes after it. */
static void by_command(TensixRaces *r, const TensixL1Access *a)
{
    RaceOp op = {
        .by = a->by,
        .access = { .place = race_place(r, a->by), .unit = RACE_UNITS },
    };
    RaceClock all = race_all_harts(r);
    RaceClock *clock = g_rc_box_dup(sizeof(all), &all);

    op.clock = clock;
    each_line(r, &op, clock, a->address, a->size, leave_clock);
    g_rc_box_release(clock);
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

/* Of a client that has waited for harts, not an image. */
static bool is_command(const TensixL1Access *a)
{
    return a->size <= LINE_BYTES && (a->by->kind == TENSIX_BY_HOST ||
                                     a->by->kind == TENSIX_BY_DEBUGGER);
}

void race_l1_by_agent(TensixRaces *r, const TensixL1Access *a)
{
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
    } else if (a->by->kind == TENSIX_BY_HART ||
               !(a->accesses & TENSIX_WATCH_WRITE)) {
        return;
    } else if (is_command(a)) {
        by_command(r, a);
    } else {
        clear_bytes(r, a->address, a->size);
    }
}

/* --- life cycle --- */

static void finish_line(RaceLine *line)
{
    overwrite_line(line, UINT16_MAX);
    g_free(line->write.more);
    g_free(line->read.more);
}

static void finish_group(RaceGroup *group)
{
    finish_line(&group->all);
    for (uint32_t n = 0; group->line && n < GROUP_LINES; n++) {
        finish_line(&group->line[n]);
    }
    g_free(group->line);
}

void race_l1_finish(TensixRaces *r)
{
    for (uint32_t n = 0; r->tile_l1 && n < TENSIX_L1_SIZE / GROUP_BYTES; n++) {
        finish_group(&r->tile_l1->group[n]);
    }
    g_clear_pointer(&r->tile_l1, g_free);
}

void race_l1_restart(TensixRaces *r)
{
    race_l1_finish(r);
    r->tile_l1 = g_new0(RaceL1, 1);
}
