/*
 * The parts of tensix-host: sessions, accesses, runs, violations kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A session is one client.  It takes a request, has it done, sends the answer,
 * then takes the next one.  All that follows is called with the BQL held, in the
 * main loop or a mailbox's thread, unless it says otherwise.
 */

#ifndef HW_TENSTORRENT_HOST_TENSIX_HOST_INTERNAL_H
#define HW_TENSTORRENT_HOST_TENSIX_HOST_INTERNAL_H

#include "chardev/char-fe.h"
#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_host.h"
#include "hw/tenstorrent/tensix_host_mailbox.h"
#include "hw/tenstorrent/tensix_noc_port.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "hw/tenstorrent/tensix_wire.h"
#include "io/net-listener.h"

/* --- accesses: tensix_host_access.c --- */

/* Registers of a Tensix tile lie from here on. */
#define HOST_MMIO_BASE 0xff000000u

/* Bytes that a part has at most. */
enum { HOST_PART = 256 * 1024 };

/*
 * size bytes from or to a place; the first `done` of them are done.  For the
 * next ones there are `room` bytes at data: all the rest, unless it is long.
 */
typedef struct HostAccess {
    TensixNocAddress at;
    uint8_t *data;
    uint32_t size, done, room;
    bool is_write;
} HostAccess;

/*
 * Does a part that takes some microseconds; nothing if that is a part of a word
 * of a register, of which there is not yet room for the rest.  NULL, or why it
 * cannot be done: what came before stays.
 */
const char *tensix_host_access_part(TensixHostState *s, HostAccess *a);

/* NULL, or why there cannot be such an access */
const char *tensix_host_check_request(const TensixWireRequest *request);

/* Which access failed, and why; to be freed. */
char *tensix_host_describe(const TensixWireRequest *request,
                           const char *error);

/* --- mailboxes: tensix_host_mailbox.c --- */

typedef struct HostMailbox HostMailbox;

/* For one client; NULL with errp set: there is none. */
HostMailbox *tensix_host_mailbox_new(TensixHostState *s);

/* Files for the client; they are closed by tensix_host_mailbox_sent(). */
void tensix_host_mailbox_files(const HostMailbox *m,
                               int files[TENSIX_HOST_MAILBOX_FILES]);
void tensix_host_mailbox_sent(HostMailbox *m);

/* The client has disconnected: nothing of it happens after that. */
void tensix_host_mailbox_close(HostMailbox *m);

/* Is a request being carried out? */
bool tensix_host_mailbox_is_busy(const HostMailbox *m);

/* --- sessions: tensix_host_session.c --- */

/* Is notified when the run that it waits for is over; may run another. */
typedef struct HostWaiter HostWaiter;
struct HostWaiter {
    void (*ran)(HostWaiter *waiter);
    bool any_thread;               /* ran() also takes a hart's, BQL held */
};

typedef enum HostPhase {
    HOST_RECEIVES,
    HOST_TAKES,                    /* a long write, as its data come */
    HOST_ACCESSES,                 /* in slices */
    HOST_RUNS,                     /* waits for harts */
    HOST_ANSWERS,                  /* as fast as the client takes it */
} HostPhase;

enum {
    /* Answers to this size are sent in one piece */
    HOST_SMALL = 4096,
    /*
     * Longer requests and answers are never whole in memory: they are accesses
     * to other tiles, where nothing in the middle can fail
     */
    HOST_LONG = TENSIX_VIEW_SIZE - HOST_MMIO_BASE,
};

typedef struct HostSession HostSession;
struct HostSession {
    TensixHostState *host;
    CharFrontend chr;
    bool of_listener;              /* lives as long as its connection */
    bool open, disconnected;       /* closed, not yet cleaned up */
    HostPhase phase;
    HostWaiter waiter;
    HostMailbox *mailbox;          /* or NULL */
    QEMUBH *bh;                    /* continues, or cleans up */

    uint8_t *in;                   /* received and not yet dropped */
    uint32_t in_size, in_used;
    uint32_t frame;                /* bytes of the frame at hand, 0: unknown */
    uint32_t rest;                 /* or of a long one: those not yet taken */
    uint32_t lead;                 /* of them, before the next data */
    unsigned refused;              /* status of a long one, or 0 ... */
    char *refusal;                 /* ... and the reason */
    TensixWireRequest request;
    HostAccess access;
    unsigned long *held;           /* bitmap of harts, before a write */

    TensixWireFrame out;
    uint8_t *small;                /* the answer, if it is small */
    uint64_t sent;
    uint32_t filled, dropped;      /* tail's bytes so far, and not kept */
    guint watch;
    void *bytes;                   /* owned: what the answer's tail is */
    bool last;                     /* close the connection after it */
    bool shut_down;                /* and QEMU */
};

void tensix_host_session_init(HostSession *session, TensixHostState *s);
void tensix_host_session_finish(HostSession *session);

/* Starts serving its chardev, which is set. */
void tensix_host_session_serve(HostSession *session);

/* --- listener: tensix_host_listen.c --- */

typedef struct HostListener {
    QIONetListener *net;
    GPtrArray *sessions;           /* HostSession * */
    Notifier exit;
} HostListener;

bool tensix_host_listen(TensixHostState *s, const char *path, Error **errp);
void tensix_host_unlisten(TensixHostState *s);

/* A session of the listener has ended: it is freed. */
void tensix_host_drop_session(HostSession *session);

/* --- runs: tensix_host_run.c --- */

typedef struct HostCounted {
    TensixHostState *host;
    Notifier notifier;
} HostCounted;

typedef struct HostRuns {
    GQueue waiting;                /* HostRun *, one a waiter at most */
    struct HostRun *now;           /* under way, or NULL */
    HostWaiter *waiter;            /* whose run is under way, or NULL */
    bool lockstep;
    bool under_way;
    bool arming, due, over;        /* read by any thread */
    QEMUTimer *until;              /* -icount: not before */
    QEMUTimer *at_most;            /* else, by the host's clock */
    int64_t limit;                 /* its, of the run under way; 0: none */
    QEMUBH *bh;
    HostCounted *counted;          /* one for each hart, used for a tile's first */
} HostRuns;

void tensix_host_runs_init(TensixHostState *s);
void tensix_host_runs_finish(TensixHostState *s);

/* The harts of all tiles. */
unsigned tensix_host_harts(const TensixHostState *s);
TensixHart *tensix_host_hart(const TensixHostState *s, unsigned i);

/* Those that are held in reset; harts: bitmap. */
void tensix_host_held_harts(const TensixHostState *s, unsigned long *harts);

/*
 * Lets each hart of the bitmap (NULL: all; it is freed) that can run execute
 * insns instructions or more, or wait; the waiter is called then, perhaps at
 * once, and not in lockstep after at_most_ns of running, unless that is 0.
 * While the machine is stopped the run waits for it to continue.
 */
void tensix_host_run(TensixHostState *s, HostWaiter *waiter,
                     unsigned long *harts, uint64_t insns, int64_t at_most_ns);

/*
 * After a write: if harts are released that were held before it, they run as
 * far as hosts expect of a hart that has begun; false: there are none.
 */
bool tensix_host_run_released(TensixHostState *s, HostWaiter *waiter,
                              const unsigned long *held_before);

/* In lockstep: a write of registers has had its effect on harts. */
void tensix_host_settle(TensixHostState *s);

/* Discards the waiter's run: its client has disconnected. */
void tensix_host_run_cancel(TensixHostState *s, HostWaiter *waiter);

/* Is a run under way that has to be the same each time? */
bool tensix_host_runs_in_lockstep(const TensixHostState *s);

/* --- requests of the tile: tensix_host_dma.c --- */

typedef struct HostDma {
    TensixHostState *host;
    CharFrontend chr;
    bool open;
    GQueue asked;                  /* HostQuestion *, in order */
    GByteArray *in, *out;          /* not taken, not sent yet */
    guint watch;
    QEMUBH *bh;
} HostDma;

/* With its chardev set; connects it to the NoC. */
void tensix_host_dma_init(TensixHostState *s);
void tensix_host_dma_finish(TensixHostState *s);

/* All that was asked has been answered: a run in lockstep may begin. */
void tensix_host_dma_is_done(TensixHostState *s);

/* --- violations: tensix_host_violations.c --- */

typedef struct HostViolations {
    QemuMutex lock;
    TensixSources *sources;
    struct TensixSites *sites;
    GString *lines;                /* the first of each site */
    Notifier violation;
} HostViolations;

void tensix_host_violations_init(HostViolations *v, TensixReporter *reporter);
void tensix_host_violations_finish(HostViolations *v);

/* Text of those since the last time; to be freed. */
char *tensix_host_violations_take(HostViolations *v);

/* --- what clients read: tensix_host_identity.c --- */

/* Sets soc_descriptor; false with errp set: its file cannot be read. */
bool tensix_host_find_soc_descriptor(TensixHostState *s, Error **errp);

/* Its text is s's. */
TensixWireDeviceInfo tensix_host_device_info(const TensixHostState *s);

/* --- simulation server: tensix_host_server.c --- */

/* Makes a folder and sets socket; false with errp set: there is none. */
bool tensix_host_make_server(TensixHostState *s, Error **errp);

/* Removes the folder, if there is one, after its socket. */
void tensix_host_remove_server(TensixHostState *s);

/* --- device: tensix_host.c --- */

struct TensixHostState {
    SysBusDevice parent_obj;

    TensixNocPort *noc_port;
    TensixReporter *reporter;
    TensixHart *hart;              /* the machine's first one */

    char *socket, *soc_descriptor_file;
    char *soc_descriptor;          /* text */
    bool server;                   /* the socket is a simulation server's */
    char *server_folder;           /* or NULL */
    char *simulator;               /* path of this program */
    bool exit, accessed;           /* accessed: a client has used the tile */
    QEMUTimer *loaded;             /* asks whether the state has been loaded */

    HostSession main;
    HostListener listener;
    HostRuns runs;
    HostDma dma;
    HostViolations violations;
};

/* A client has disconnected. */
void tensix_host_client_left(const HostSession *session);

/* May requests be done?  Not while a state is being loaded. */
bool tensix_host_is_ready(const TensixHostState *s);

/* lib/soc_descriptor.yaml, made into C by the build */
extern const char tensix_host_soc_descriptor[];

#endif
