/*
 * The event bus of a tile: what happens in it, for instruments that subscribe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Type "tensix-bus", one a tile.  An event is a list of Notifiers
 * (qemu/notify.h); with no subscriber it costs a test of the list.  Subscribers
 * are called in the reverse order of their subscription, where the event
 * happens.
 */

#ifndef HW_TENSTORRENT_TENSIX_BUS_H
#define HW_TENSTORRENT_TENSIX_BUS_H

#include "exec/hwaddr.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "qemu/notify.h"
#include "qemu/queue.h"
#include "qom/object.h"

#define TYPE_TENSIX_BUS "tensix-bus"
OBJECT_DECLARE_SIMPLE_TYPE(TensixBus, TENSIX_BUS)

/* The data of each event; "anywhere": any thread, with or without the BQL. */
typedef enum TensixBusEvent {
    TENSIX_ON_TURN,                /* TensixTurnEvent; BQL held */
    TENSIX_ON_WAIT,                /* NULL: a hart or a thread stalls; anywhere */
    TENSIX_ON_IDLE,                /* TensixHart: waits, is held or paused */
    TENSIX_ON_THREAD_IDLE,         /* NULL: a thread has no work left; in the core */
    TENSIX_ON_RELEASE,             /* TensixHart: it leaves reset; BQL held */
    TENSIX_ON_IRQ_READY,           /* TensixHart: it takes interrupts; BQL held */
    TENSIX_ON_JUMP,                /* TensixJumpEvent; the hart's thread, BQL held */
    TENSIX_ON_PUSH,                /* TensixPushEvent; in the core */
    TENSIX_ON_ISSUE,               /* const TensixExecuted, later; no accesses */
    TENSIX_ON_EXECUTE,             /* const TensixExecuted, any agent's; the same */
    TENSIX_ON_TAKE,                /* const TensixInsn, by an expander; the same */
    TENSIX_ON_HIT,                 /* const TensixHit: a break or watch; the same */
    TENSIX_ON_L1,                  /* const TensixL1Access; in the core */
    TENSIX_ON_LOAD_STORE,          /* TensixLoadStoreEvent; a hart's, no BQL */
    TENSIX_ON_LOCAL,               /* the same, in its local RAM: see below */
    TENSIX_ON_DRAM,                /* const TensixDramEvent; BQL held */
    TENSIX_ON_NOC,                 /* const TensixNocEvent; BQL held */
    TENSIX_ON_REGISTER,            /* const TensixRegisterEvent; BQL held */
    TENSIX_ON_WATCHED,             /* TensixWatchedEvent; a hart's thread, BQL */
    TENSIX_ON_RESET,               /* NULL: begins, loaders write after it; BQL */
    TENSIX_ON_LOAD,                /* NULL: a snapshot's state follows; BQL held */
    TENSIX_ON_RESUME,              /* NULL: the machine runs from now on; BQL held */
    TENSIX_ON_ELF,                 /* NULL: ELFs are about to change; BQL held */
    TENSIX_ON_COUNTED,             /* TensixHart: its count ends; anywhere */
    TENSIX_ON_VIOLATION,           /* TensixViolationEvent; anywhere, in the core */
    TENSIX_ON_STOP,                /* GString for lines about it; anywhere */
    TENSIX_BUS_EVENTS,
} TensixBusEvent;

/*
 * A hart stalls, wakes, leaves reset, ...: cause and detail of a stall, and pc.
 */
typedef struct TensixTurnEvent {
    struct TensixHart *hart;
    TensixHartTurn turn;
    uint32_t cause, detail, pc;
} TensixTurnEvent;

/* Jumps between functions, by the registers that the psABI links with. */
typedef enum TensixJump {
    TENSIX_JUMP_CALL,
    TENSIX_JUMP_RETURN,
    TENSIX_JUMP_INDIRECT,          /* to what a register says, no way back */
} TensixJump;

/* The hart is about to jump. */
typedef struct TensixJumpEvent {
    struct TensixHart *hart;
    TensixJump jump;
    uint32_t pc, target;
} TensixJumpEvent;

/*
 * A word is about to be pushed, or several at consecutive addresses that need no
 * FIFO (tensix_words_at_once()); or, refused, the last `count` of them are not
 * pushed after all.  A subscriber that sets `held` has a word refused: the hart
 * pushes it again once the FIFO has lost a word.
 */
typedef struct TensixPushEvent {
    TensixOrigin origin;           /* of the first one */
    uint32_t thread, word, count;
    bool refused, held;
} TensixPushEvent;

/*
 * A hart is about to load, store or both, from or to L1: perhaps posted twice.
 * pc: tensix_hart_pc(hart, ra).  Fetching instructions is none.  TENSIX_ON_LOCAL:
 * once the hart has been interrupted while that had a subscriber.
 */
typedef struct TensixLoadStoreEvent {
    struct TensixHart *hart;
    uint32_t address, size;
    bool loads, stores;
    uintptr_t ra;
} TensixLoadStoreEvent;

/* A NIU of this tile is about to read or write a bank of DRAM. */
typedef struct TensixDramEvent {
    const TensixActor *by;         /* the NoC, for the sender */
    uint32_t noc, id;              /* the NIU's, and that of the transaction */
    uint32_t bank, size;
    uint64_t address;              /* in the bank */
    bool writes;
} TensixDramEvent;

/* Requests by what answers them. */
typedef enum TensixNocAnswer {
    TENSIX_NOC_ATOMIC_RESPONSE,
    TENSIX_NOC_WRITE_ACK,
    TENSIX_NOC_READ_DATA,
    TENSIX_NOC_ANSWERS,
} TensixNocAnswer;

/* A NIU of this tile is about to execute a request. */
typedef struct TensixNocEvent {
    const TensixActor *by;         /* the NoC, for the sender */
    uint32_t noc;                  /* the NIU's */
    TensixNocAnswer answer;
    bool posted;                   /* it has none */
    bool is_dram;                  /* the other end */
    uint32_t hops, back;           /* routers to that, and to this tile */
    uint32_t packets, flits;       /* of data */
} TensixNocEvent;

/*
 * A load has returned value, or a store of value has taken effect, in the
 * registers and windows of the tile's devices, L1 and push windows excepted:
 * once for each access, also when it had to wait.  Peeks (attrs.debug) are none.
 */
typedef struct TensixRegisterEvent {
    MemTxAttrs attrs;              /* the requester: tensix_origin.h */
    TensixActor by;
    const char *device;            /* its name in the tile: "tile-ctrl" */
    uint32_t view;                 /* TensixHartIndex or TENSIX_VIEW_NOC */
    hwaddr address;                /* in this view; the aperture above 4 GiB */
    uint32_t size;                 /* bytes */
    uint64_t value;
    bool store;
} TensixRegisterEvent;

/*
 * The instruction at pc has accessed a part of L1 that is watched for that
 * (tensix_hart_watch_memory()); one of the vector extension may access many.
 */
typedef struct TensixWatchedEvent {
    struct TensixHart *hart;
    uint32_t pc;
    const struct TensixHartAccess *access;
} TensixWatchedEvent;

/* Whatever the policy and the log. */
typedef struct TensixViolationEvent {
    const TensixViolation *violation;
    bool has_place;                /* it is an instruction's or a hart's */
    uint32_t stop;                 /* subscribers may set the break that stops */
} TensixViolationEvent;

struct TensixBus {
    Object parent_obj;

    NotifierList subscribers[TENSIX_BUS_EVENTS];
    NotifierList first_listener;   /* for publishers: see below */
    QLIST_HEAD(, TensixInstrument) instruments;    /* attached to the tile */
};

/*
 * Calls n->notify from the next such event on, until tensix_bus_unsubscribe().
 * BQL held; for events in the core with its lock held, and for those from
 * anywhere while no hart runs.
 */
void tensix_bus_subscribe(TensixBus *bus, TensixBusEvent event, Notifier *n);
void tensix_bus_unsubscribe(TensixBus *bus, TensixBusEvent event, Notifier *n);

/* A subscription: what is called, and the offset of its Notifier. */
typedef struct TensixSubscription {
    TensixBusEvent event;
    void (*handler)(Notifier *n, void *data);
    size_t notifier;
} TensixSubscription;

/* The same for each row of a table that ends with { }, in the subscriber. */
void tensix_bus_subscribe_all(TensixBus *bus, const TensixSubscription *rows,
                              void *subscriber);
void tensix_bus_unsubscribe_all(TensixBus *bus, const TensixSubscription *rows,
                                void *subscriber);

/*
 * Calls n->notify with a TensixBusEvent * when that event has got its first
 * subscriber or lost its last one: for publishers that prepare for posting
 * it.
 */
void tensix_bus_on_listener(TensixBus *bus, Notifier *n);

static inline bool tensix_bus_has_listener(TensixBus *bus, TensixBusEvent event)
{
    return !QLIST_EMPTY(&bus->subscribers[event].notifiers);
}

static inline bool tensix_bus_has_one_listener(TensixBus *bus,
                                               TensixBusEvent event)
{
    const Notifier *first = QLIST_FIRST(&bus->subscribers[event].notifiers);

    return first && !QLIST_NEXT(first, node);
}

static inline void tensix_bus_post(TensixBus *bus, TensixBusEvent event,
                                   void *data)
{
    Notifier *n, *next;

    /* notifier_list_notify(), in place: words post two events each */
    QLIST_FOREACH_SAFE(n, &bus->subscribers[event].notifiers, node, next) {
        n->notify(n, data);
    }
}

#endif
