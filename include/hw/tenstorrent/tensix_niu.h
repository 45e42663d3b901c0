/*
 * NIU of a Tensix tile: how its harts send requests over one of the two NoCs.
 * (BH NoC/MemoryMap.md, Counters.md, Atomics.md, Interrupts.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Types "tensix-niu0" and "tensix-niu1" for NoC 0 and 1.
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "noc-port": link to the tile's place on the NoC
 *  + property "pic": link to the PIC, whose hardware interrupt 1 or 2 it drives
 *  + sysbus regions 0..5: the registers at 0xFFB20000 or 0xFFB30000 as each
 *    view sees them
 *
 * A store to CMD_CTRL executes the whole request before it returns; software
 * finds CMD_CTRL 0 and the counters idle.  Exceptions: long requests, and
 * those to the host behind the PCI Express tile.
 */

#ifndef HW_TENSTORRENT_TENSIX_NIU_H
#define HW_TENSTORRENT_TENSIX_NIU_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_noc_port.h"
#include "hw/tenstorrent/tensix_pic.h"
#include "hw/tenstorrent/tensix_pump.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "qom/object.h"

#define TYPE_TENSIX_NIU "tensix-niu"
#define TYPE_TENSIX_NIU0 "tensix-niu0"
#define TYPE_TENSIX_NIU1 "tensix-niu1"
OBJECT_DECLARE_TYPE(TensixNiuState, TensixNiuClass, TENSIX_NIU)

enum {
    TENSIX_NIU_SIZE = 0x2000,
    TENSIX_NIU_INITIATORS = 4,
    TENSIX_NIU_INITIATOR_STRIDE = 0x800,
    TENSIX_NIU_MAX_PACKET = 16384,
    TENSIX_NIU_REQUEST_WORDS = 12, /* TARG_ADDR to BRCST_EXCLUDE */
};

struct TensixNiuClass {
    SysBusDeviceClass parent_class;

    uint32_t noc;                  /* 0, 1 */
};

/* Whose packet waits for the host, for counters and reports. */
typedef struct TensixNiuHostOrigin {
    TensixActor by;                /* the NoC, for the sender */
    uint32_t view, initiator;
    uint32_t ctrl;                 /* NOC_CTRL */
    uint32_t id;                   /* of the transaction */
    uint32_t x, y;                 /* of the PCI Express tile, as sent */
    bool posted;
} TensixNiuHostOrigin;

typedef struct TensixNiuHostPacket TensixNiuHostPacket;
struct TensixNiuHostPacket {
    TensixNocHostRequest request;
    TensixNiuState *niu;
    QTAILQ_ENTRY(TensixNiuHostPacket) next;
    bool asked;                    /* the host has it */

    /* migrated */
    TensixNiuHostOrigin origin;
    bool is_write, answered, failed;
    TensixNocAddress at, ret;
    uint32_t size;
    uint8_t data[TENSIX_NOC_HOST_MAX];
};

/* A request that was sent and is not done yet (migrated). */
typedef struct TensixNiuJob {
    TensixActor by;                /* the NoC, for the sender */
    uint32_t view;                 /* and through which view */
    uint32_t reg[TENSIX_NIU_REQUEST_WORDS];  /* the registers then */
    bool started, broken;
    uint64_t length;               /* bytes that are sent */
    uint32_t packet, packets;      /* the next one, and how many */
} TensixNiuJob;

enum { TENSIX_NIU_KINDS = 3 };    /* of requests: TYPE_READ, ... */

/* Requests whose answer software has not seen, of one kind (migrated). */
typedef struct TensixNiuUnseen {
    uint32_t count;
    TensixActor by;                /* of the latest */
    uint32_t x, y;                 /* where that went, as sent */
    uint64_t address;
} TensixNiuUnseen;

struct TensixNiuState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixNocPort *noc_port;
    TensixPicState *pic;
    TensixCopState *cop;           /* where requests are recorded */
    qemu_irq irq;
    TensixRegBlock regs;
    TensixRegPort port[TENSIX_NUM_VIEWS];
    bool executing;                /* a request is being served now */
    uint8_t packet[TENSIX_NIU_MAX_PACKET];  /* of it; both only meanwhile */

    uint32_t value[TENSIX_NIU_SIZE / 4];
    uint32_t rtz_source;           /* counters that went to zero, by ID */
    TensixNiuJob job[TENSIX_NIU_INITIATORS];
    uint32_t queue[TENSIX_NIU_INITIATORS];  /* whose job is first, next, ... */
    uint32_t jobs;
    TensixPump pump;               /* continues with them */
    TensixNiuUnseen unseen[TENSIX_NIU_KINDS];

    QTAILQ_HEAD(, TensixNiuHostPacket) host_packets;
    bool host_blocks;              /* the first job waits for an answer */
};

/* Counters at offset 0x200, one word each (BH NoC/Counters.md). */
typedef enum TensixNiuCounter {
    TENSIX_NIU_MST_ATOMIC_RESP_RECEIVED = 0,
    TENSIX_NIU_MST_WR_ACK_RECEIVED = 1,
    TENSIX_NIU_MST_RD_RESP_RECEIVED = 2,
    TENSIX_NIU_MST_RD_DATA_WORD_RECEIVED = 3,
    TENSIX_NIU_MST_CMD_ACCEPTED = 4,
    TENSIX_NIU_MST_RD_REQ_SENT = 5,
    TENSIX_NIU_MST_ATOMIC_SENT = 6,            /* + 1: posted */
    TENSIX_NIU_MST_WR_DATA_WORD_SENT = 8,      /* + 1: posted */
    TENSIX_NIU_MST_WR_REQ_SENT = 10,           /* + 1: posted */
    TENSIX_NIU_MST_WR_REQ_STARTED = 12,        /* + 1: posted */
    TENSIX_NIU_MST_RD_REQ_STARTED = 14,
    TENSIX_NIU_MST_NONPOSTED_ATOMIC_STARTED = 15,
    TENSIX_NIU_MST_REQS_OUTSTANDING_ID = 16,   /* 8 bits, one an ID */
    TENSIX_NIU_MST_WRITE_REQS_OUTGOING_ID = 32,
    TENSIX_NIU_SLV_ATOMIC_RESP_SENT = 48,
    TENSIX_NIU_SLV_WR_ACK_SENT = 49,
    TENSIX_NIU_SLV_RD_RESP_SENT = 50,
    TENSIX_NIU_SLV_RD_DATA_WORD_SENT = 51,
    TENSIX_NIU_SLV_REQ_ACCEPTED = 52,
    TENSIX_NIU_SLV_RD_REQ_RECEIVED = 53,
    TENSIX_NIU_SLV_ATOMIC_RECEIVED = 54,       /* + 1: posted */
    TENSIX_NIU_SLV_WR_DATA_WORD_RECEIVED = 56, /* + 1: posted */
    TENSIX_NIU_SLV_WR_REQ_RECEIVED = 58,       /* + 1: posted */
    TENSIX_NIU_SLV_WR_REQ_STARTED = 60,        /* + 1: posted */
    TENSIX_NIU_COUNTERS = 64,
    TENSIX_NIU_IDS = 16,
} TensixNiuCounter;

void tensix_niu_count(TensixNiuState *s, unsigned counter, uint32_t n);

/* Adds n to, or takes 1 from, the requests outstanding with this ID. */
void tensix_niu_outstanding(TensixNiuState *s, unsigned id, uint32_t n);
void tensix_niu_completed(TensixNiuState *s, unsigned id);

/*
 * tensix_niu_request.c: executes initiator's request, the store being `a`, or
 * begins to; tensix_niu_pump() continues.
 */
void tensix_niu_execute(TensixNiuState *s, const TensixAccess *a,
                        unsigned initiator);
void tensix_niu_pump(void *opaque);

/* Is its last request still under way? */
bool tensix_niu_is_sending(const TensixNiuState *s, unsigned initiator);

/*
 * tensix_niu_host.c: a packet for the host behind the PCI Express tile, 1 to
 * TENSIX_NOC_HOST_MAX bytes, not while tensix_niu_host_full().  Counts what was
 * outstanding when it is answered: a read leaves its data at ret, a write that
 * is not posted is acknowledged to ack.
 */
bool tensix_niu_host_full(const TensixNiuState *s);
void tensix_niu_host_read(TensixNiuState *s, const TensixNiuHostOrigin *origin,
                          TensixNocAddress at, TensixNocAddress ret,
                          uint32_t size);
void tensix_niu_host_write(TensixNiuState *s, const TensixNiuHostOrigin *origin,
                           TensixNocAddress at, TensixNocAddress ack,
                           const void *data, uint32_t size);

/* Does what follows from answers, and asks again after a snapshot. */
void tensix_niu_host_pump(TensixNiuState *s);

/* Discards them all. */
void tensix_niu_host_cancel(TensixNiuState *s);

/* After loading the list; false: it cannot be. */
bool tensix_niu_host_loaded(TensixNiuState *s);
extern const VMStateDescription vmstate_tensix_niu_host_packet;

/* Is the packet possible?  False: a stream of state is damaged. */
bool tensix_niu_job_valid(const TensixNiuJob *job);

/* The store to CMD_CTRL through this view, made by `by`, for reports. */
TensixAccess tensix_niu_access(TensixNiuState *s, uint32_t view,
                               unsigned initiator, const TensixActor *by);

/*
 * tensix_niu_atomic.c: performs the atomic operation (NOC_AT_LEN_BE and
 * NOC_AT_DATA) at a place of L1; *result is the word there before.  NULL, or
 * why it cannot be done.
 */
const char *tensix_niu_atomic(TensixNocPort *port, const TensixActor *by,
                              TensixNocAddress at,
                              uint32_t operation, uint32_t data,
                              uint32_t *result);
bool tensix_niu_atomic_implemented(uint32_t operation);

#endif
