/*
 * Which answers to NoC requests software has seen: it loads a counter of the NIU
 * after they arrived (BH NoC/Counters.md), as barriers of tt-metal do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_report.h"
#include "tensix_niu_request.h"

enum {
    ALL_KINDS = (1 << TENSIX_NIU_KINDS) - 1,
};

static uint32_t kind_of(uint32_t ctrl)
{
    return FIELD_EX32(ctrl, CTRL, TYPE);
}

void tensix_niu_expects(const NiuRequest *r)
{
    uint32_t kind = kind_of(r->ctrl);
    bool inline_data = FIELD_EX32(r->ctrl, CTRL, WR_INLINE);
    bool to_ret = kind == TYPE_WRITE && !inline_data;
    uint32_t hi = to_ret ? r->ret_hi : r->targ_hi;
    TensixNiuUnseen *unseen = &r->niu->unseen[kind];

    if ((kind != TYPE_READ && r->posted) ||
        tensix_actor_hart(&r->origin.by) >= TENSIX_HART_NONE) {
        return;                    /* or a host's, which need not wait here */
    }
    unseen->count++;
    unseen->by = r->origin.by;
    unseen->x = FIELD_EX32(hi, ADDR_HI, X);
    unseen->y = FIELD_EX32(hi, ADDR_HI, Y);
    unseen->address = to_ret ? r->ret.addr : r->targ.addr;
}

/* Is a request of this kind still without its answer? */
static bool is_under_way(const TensixNiuState *s, uint32_t kind)
{
    const TensixNiuHostPacket *p;

    for (unsigned i = 0; i < s->jobs; i++) {
        if (kind_of(s->job[s->queue[i]].reg[R_CTRL]) == kind) {
            return true;
        }
    }
    QTAILQ_FOREACH(p, &s->host_packets, next) {
        if (kind_of(p->origin.ctrl) == kind) {
            return true;
        }
    }
    return false;
}

static void see(TensixNiuState *s, uint32_t kinds)
{
    for (uint32_t kind = 0; kind < TENSIX_NIU_KINDS; kind++) {
        if (extract32(kinds, kind, 1) && !is_under_way(s, kind)) {
            s->unseen[kind].count = 0;
        }
    }
}

void tensix_niu_seen(TensixNiuState *s, unsigned counter)
{
    static const uint8_t kinds[TENSIX_NIU_COUNTERS] = {
        [TENSIX_NIU_MST_ATOMIC_RESP_RECEIVED] = 1 << TYPE_ATOMIC,
        [TENSIX_NIU_MST_WR_ACK_RECEIVED] = 1 << TYPE_WRITE,
        [TENSIX_NIU_MST_RD_RESP_RECEIVED] = 1 << TYPE_READ,
        [TENSIX_NIU_MST_RD_DATA_WORD_RECEIVED] = 1 << TYPE_READ,
        [TENSIX_NIU_MST_REQS_OUTSTANDING_ID ...
         TENSIX_NIU_MST_REQS_OUTSTANDING_ID + TENSIX_NIU_IDS - 1] = ALL_KINDS,
    };

    see(s, kinds[counter % TENSIX_NIU_COUNTERS]);
}

void tensix_niu_seen_all(TensixNiuState *s)
{
    see(s, ALL_KINDS);
}

/* --- what no hart has seen --- */

void tensix_niu_unfinished(Object *obj, TensixUnfinishedList ***tail)
{
    static const char *const names[TENSIX_NIU_KINDS] = {
        [TYPE_READ] = "read", [TYPE_ATOMIC] = "atomic", [TYPE_WRITE] = "write",
    };
    TensixNiuState *s = TENSIX_NIU(obj);
    TensixSources *sources = tensix_cop_reporter(s->cop)->sources;

    for (uint32_t kind = 0; kind < TENSIX_NIU_KINDS; kind++) {
        const TensixNiuUnseen *u = &s->unseen[kind];
        g_autofree char *place = u->count ? tensix_sources_short_location(
            sources, u->by.hart, u->by.pc) : NULL;

        if (u->count) {
            tensix_unfinished_add(
                tail, TENSIX_UNFINISHED_KIND_NOC,
                "NoC %u: %u %s%s %s, the latest of %s %s at tile (%u,%u) 0x%"
                PRIx64, TENSIX_NIU_GET_CLASS(s)->noc, u->count, names[kind],
                u->count == 1 ? "" : "s",
                is_under_way(s, kind) ? "under way"
                : "whose answer no hart has waited for",
                tensix_hart_names[u->by.hart], place, u->x, u->y, u->address);
        }
    }
}

/* --- state --- */

bool tensix_niu_unseen_valid(const TensixNiuState *s)
{
    bool valid = true;

    for (uint32_t kind = 0; kind < TENSIX_NIU_KINDS; kind++) {
        valid = valid && tensix_actor_valid(&s->unseen[kind].by) &&
                (!s->unseen[kind].count ||
                 s->unseen[kind].by.hart < TENSIX_HART_NONE);
    }
    return valid;
}

const VMStateDescription vmstate_tensix_niu_unseen = {
    .name = "tensix-niu/unseen",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(count, TensixNiuUnseen),
        VMSTATE_STRUCT(by, TensixNiuUnseen, 1, vmstate_tensix_actor,
                       TensixActor),
        VMSTATE_UINT32(x, TensixNiuUnseen),
        VMSTATE_UINT32(y, TensixNiuUnseen),
        VMSTATE_UINT64(address, TensixNiuUnseen),
        VMSTATE_END_OF_LIST()
    }
};
