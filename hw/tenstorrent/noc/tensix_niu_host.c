/*
 * Packets of NoC requests that wait for the host behind the PCI Express tile.
 * (BH NoC/MemoryMap.md, Counters.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A request is sent when its packets are: CMD_CTRL reads 0 again, and counters
 * show what is outstanding.  An answer may arrive at any time, also while the
 * machine is stopped; the pump does what follows from it.  A machine that has
 * loaded a snapshot repeats the request.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "migration/vmstate.h"

#define FLIT_BYTES 64

/* Packets under way at once; more wait in their initiator. */
enum { HOST_PACKETS = 8 };

static unsigned count_packets(const TensixNiuState *s)
{
    TensixNiuHostPacket *p;
    unsigned count = 0;

    QTAILQ_FOREACH(p, &s->host_packets, next) {
        count++;
    }
    return count;
}

bool tensix_niu_host_full(const TensixNiuState *s)
{
    return count_packets(s) >= HOST_PACKETS;
}

static void report(TensixNiuHostPacket *p, const char *error)
{
    TensixAccess a = tensix_niu_access(p->niu, p->origin.view,
                                       p->origin.initiator, &p->origin.by);

    tensix_regs_report(&a, TENSIX_BAD_ACCESS,
                       "request 0x%08x: tile (%u,%u) address 0x%" PRIx64
                       ": %s", p->origin.ctrl, p->origin.x, p->origin.y,
                       p->at.addr, error);
}

/* --- what follows from an answer --- */

static void complete_read(TensixNiuHostPacket *p)
{
    TensixNiuState *s = p->niu;
    const char *error = NULL;

    if (!p->failed) {
        s->executing = true;
        error = tensix_noc_port_write(s->noc_port, &p->origin.by, p->ret,
                                      p->data, p->size);
        s->executing = false;
    }
    if (error) {
        report(p, error);
    }
    if (tensix_noc_port_is_own(s->noc_port, p->ret)) {
        tensix_niu_count(s, TENSIX_NIU_MST_RD_RESP_RECEIVED, 1);
        tensix_niu_count(s, TENSIX_NIU_MST_RD_DATA_WORD_RECEIVED,
                         DIV_ROUND_UP(p->size, FLIT_BYTES));
        tensix_niu_completed(s, p->origin.id);
    }
}

static void complete_write(TensixNiuHostPacket *p)
{
    TensixNiuState *s = p->niu;

    if (!p->origin.posted && tensix_noc_port_is_own(s->noc_port, p->ret)) {
        tensix_niu_count(s, TENSIX_NIU_MST_WR_ACK_RECEIVED, 1);
        tensix_niu_completed(s, p->origin.id);
    }
}

static void discard(TensixNiuState *s, TensixNiuHostPacket *p)
{
    QTAILQ_REMOVE(&s->host_packets, p, next);
    g_free(p);
}

/* --- questions --- */

/* The data is there, or none will arrive: the pump completes the request. */
static void answer(TensixNocHostRequest *request, const char *error)
{
    TensixNiuHostPacket *p = container_of(request, TensixNiuHostPacket,
                                          request);

    p->asked = false;
    p->answered = true;
    if (error) {
        p->failed = true;
        report(p, error);
    }
    tensix_pump_arm(&p->niu->pump);
}

static void send_request(TensixNiuHostPacket *p)
{
    const char *error;

    p->request = (TensixNocHostRequest) {
        .is_write = p->is_write,
        .at = p->at,
        .size = p->size,
        .data = p->data,
        .done = answer,
    };
    p->asked = true;
    error = tensix_noc_host_start(p->niu->noc_port->noc, &p->request);
    if (error) {
        answer(&p->request, error);
    }
}

static TensixNiuHostPacket *new_packet(TensixNiuState *s,
                                       const TensixNiuHostOrigin *origin,
                                       TensixNocAddress at,
                                       TensixNocAddress ret, uint32_t size)
{
    TensixNiuHostPacket *p = g_new0(TensixNiuHostPacket, 1);

    assert(!tensix_niu_host_full(s) && size && size <= TENSIX_NOC_HOST_MAX);
    p->niu = s;
    p->origin = *origin;
    p->at = at;
    p->ret = ret;
    p->size = size;
    QTAILQ_INSERT_TAIL(&s->host_packets, p, next);
    return p;
}

void tensix_niu_host_read(TensixNiuState *s, const TensixNiuHostOrigin *origin,
                          TensixNocAddress at, TensixNocAddress ret,
                          uint32_t size)
{
    send_request(new_packet(s, origin, at, ret, size));
}

void tensix_niu_host_write(TensixNiuState *s, const TensixNiuHostOrigin *origin,
                           TensixNocAddress at, TensixNocAddress ack,
                           const void *data, uint32_t size)
{
    TensixNiuHostPacket *p = new_packet(s, origin, at, ack, size);

    p->is_write = true;
    memcpy(p->data, data, size);
    send_request(p);
}

void tensix_niu_host_pump(TensixNiuState *s)
{
    TensixNiuHostPacket *p, *next;

    QTAILQ_FOREACH_SAFE(p, &s->host_packets, next, next) {
        p->niu = s;                /* one that was loaded does not know */
        if (p->answered) {
            p->is_write ? complete_write(p) : complete_read(p);
            discard(s, p);
        } else if (!p->asked) {
            send_request(p);
        }
    }
}

void tensix_niu_host_cancel(TensixNiuState *s)
{
    TensixNiuHostPacket *p, *next;

    QTAILQ_FOREACH_SAFE(p, &s->host_packets, next, next) {
        if (p->asked) {
            tensix_noc_host_cancel(s->noc_port->noc, &p->request);
        }
        discard(s, p);
    }
}

/* --- snapshots --- */

static int pre_load_packet(void *opaque)
{
    TensixNiuHostPacket *p = opaque;

    memset(p, 0, sizeof(*p));
    return 0;
}

/*
 * Incoming state is not trusted; what is refused is not added to the list,
 * which stays usable if later parts of a snapshot cannot be loaded.
 */
static int post_load_packet(void *opaque, int version_id)
{
    const TensixNiuHostPacket *p = opaque;

    return p->size && p->size <= TENSIX_NOC_HOST_MAX &&
           tensix_actor_valid(&p->origin.by) &&
           p->origin.view < TENSIX_NUM_VIEWS &&
           p->origin.initiator < TENSIX_NIU_INITIATORS &&
           p->origin.id < TENSIX_NIU_IDS ? 0 : -EINVAL;
}

bool tensix_niu_host_loaded(TensixNiuState *s)
{
    if (count_packets(s) > HOST_PACKETS) {
        return false;
    }
    if (!QTAILQ_EMPTY(&s->host_packets)) {
        tensix_pump_arm(&s->pump);
    }
    return true;
}

const VMStateDescription vmstate_tensix_niu_host_packet = {
    .name = "tensix-niu/host-packet",
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_load = pre_load_packet,
    .post_load = post_load_packet,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(origin.by, TensixNiuHostPacket, 1, vmstate_tensix_actor,
                       TensixActor),
        VMSTATE_UINT32(origin.view, TensixNiuHostPacket),
        VMSTATE_UINT32(origin.initiator, TensixNiuHostPacket),
        VMSTATE_UINT32(origin.ctrl, TensixNiuHostPacket),
        VMSTATE_UINT32(origin.id, TensixNiuHostPacket),
        VMSTATE_UINT32(origin.x, TensixNiuHostPacket),
        VMSTATE_UINT32(origin.y, TensixNiuHostPacket),
        VMSTATE_BOOL(origin.posted, TensixNiuHostPacket),
        VMSTATE_BOOL(is_write, TensixNiuHostPacket),
        VMSTATE_BOOL(answered, TensixNiuHostPacket),
        VMSTATE_BOOL(failed, TensixNiuHostPacket),
        VMSTATE_UINT32(at.x, TensixNiuHostPacket),
        VMSTATE_UINT32(at.y, TensixNiuHostPacket),
        VMSTATE_UINT64(at.addr, TensixNiuHostPacket),
        VMSTATE_UINT32(ret.x, TensixNiuHostPacket),
        VMSTATE_UINT32(ret.y, TensixNiuHostPacket),
        VMSTATE_UINT64(ret.addr, TensixNiuHostPacket),
        VMSTATE_UINT32(size, TensixNiuHostPacket),
        VMSTATE_UINT8_ARRAY(data, TensixNiuHostPacket, TENSIX_NOC_HOST_MAX),
        VMSTATE_END_OF_LIST()
    }
};
