/*
 * The checker of races: what its files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_RACES_INTERNAL_H
#define TENSIX_RACES_INTERNAL_H

#include "qemu/thread.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_races.h"
#include "hw/tenstorrent/tensix_report.h"
#include "../common/tensix_actors.h"
#include "races_clock.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixRaces, TENSIX_RACES)

enum {
    RACE_PUSHES = 64,              /* latest ones of a FIFO, more than it holds */
    RACE_READERS = 6,              /* of a cell, that no write has come after */
    RACE_FINDINGS = 8,             /* of one access, against others */
    RACE_COUNTS = 16,              /* latest posts, or gets; a value is below */
    RACE_STREAMS = 64,             /* of the overlay */
    RACE_UNPACR_NOP = 8,           /* beside contexts 0 to 7 of an unpacker */
    RACE_CONTEXTS,
    RACE_PARTIAL_WORDS = 4,        /* that instructions of a unit read in part */
    RACE_MAILBOX_USERS = 4,        /* BRISC, TRISC0 to TRISC2 */
    /* rows of Dest, SrcA and SrcB, LRegs, GPRs: the first spaces */
    RACE_CELLS = TENSIX_READ_CELLS + TENSIX_THREADS * TENSIX_GPRS,
    RACE_GROUP = 4,                /* rows that most instructions access together */
    RACE_GROUPS = offsetof(TensixCellNumbers, LREG) / RACE_GROUP,
    RACE_WORD_BITS = 32,
    RACE_L1_LINE = 16,             /* bytes that are kept together */
    RACE_CONFIG_CELLS = TENSIX_CFG_BANKS * TENSIX_CFG_WORDS,
    /* of findings, beside TensixSpace */
    RACE_SPACE_MOP = TENSIX_SPACES,
};

/*
 * Words that were pushed at once, and what had happened before.  A MOP, a wait and
 * all that is in a FIFO are pushed alone.
 */
typedef struct RacePush {
    uint32_t pc, word;             /* of the first one */
    uint32_t words;
    uint32_t number;               /* of the first one in its FIFO, from 1 */
    uint32_t gpr_stores, config_stores;    /* of its hart, until then */
    uint32_t count;                /* in its hart's chain */
    uint32_t joins;                /* its hart's, when it was pushed */
    uint32_t clock;                /* number in the queue; its own chain apart */
    uint32_t hart;
} RacePush;

typedef struct RaceQueue {
    uint32_t count;                /* words that were accepted */
    uint32_t pushes;               /* in the ring, ever */
    uint32_t joins;                /* their hart's, that its thread knows, */
    uint32_t clock_joins;          /* and those of the latest clock */
    uint32_t clocks;               /* in the ring, ever */
    RacePush ring[RACE_PUSHES];
    RaceClock clock[RACE_PUSHES];
} RaceQueue;

/* What no order protects, of one access. */
typedef struct RaceFinding {
    RaceAccess other;
    uint32_t space;                /* TensixSpace, or RACE_SPACE_* */
    uint32_t first, last;          /* cells; of configuration: word * 32 + bit */
    bool other_writes, writes;
} RaceFinding;

/* The access at hand. */
typedef struct RaceOp {
    RaceAccess access;
    const RaceClock *clock;        /* what has happened before it */
    RaceClock *ends;               /* to join what ends with it; or NULL */
    bool flies;                    /* is executed some time after its issue */
    bool writes_dst;               /* when it was executed */
    uint32_t exponents;            /* in chain RACE_EXPONENTS; 0: none read */
    const TensixActor *by;
    const TensixInsn *insn;        /* NULL: a hart's */
    TensixActor actor;             /* of a flight */
    unsigned findings;
    RaceFinding finding[RACE_FINDINGS];
} RaceOp;

/* An instruction that has issued, and is not yet executed. */
typedef struct RaceFlight {
    RaceOp op;
    RaceClock clock;               /* when it issued */
} RaceFlight;

/* A wait that is latched at a thread's gate. */
typedef struct RaceWait {
    bool valid;
    uint32_t word;
    RaceClock clock;               /* what the units that it names have done */
    uint32_t posts[TENSIX_SEMAPHORES], gets[TENSIX_SEMAPHORES];    /* until then */
    uint32_t matrix_bank[TENSIX_SRCS], unpack_bank[TENSIX_SRCS];
} RaceWait;

/* An instruction that used configuration: which bank, and not these bits of it. */
typedef struct RaceUse {
    RaceAccess access;
    uint64_t changes;              /* of configuration, all read in order; or 0 */
    uint32_t bank;
    uint32_t ignored[RACE_PARTIAL_WORDS];
} RaceUse;

/* The pusher. */
enum { RACE_BY_T, RACE_BY_BRISC, RACE_QUEUES };

typedef struct RaceThread {
    RaceClock now;                 /* what its next instruction comes after */
    uint32_t joins;                /* how often more than RACE_STEPS changed */
    RaceClock done[RACE_UNITS];    /* when the last instruction of each ends */
    uint32_t done_joins[RACE_UNITS];   /* those that are in done[] */
    RaceUse last[RACE_UNITS][RACE_CONTEXTS];
    RaceQueue queue[RACE_QUEUES];
    RaceWait wait;
    RaceAccess run;                /* first of an open run; place 0: none is */
    TensixOrigin run_origin;       /* of the latest, */
    bool run_behind;               /* whose push has not been joined */
    RaceFlight flight[TENSIX_FLIGHT_DEPTH];
    unsigned flights;
    uint32_t done_count[RACE_UNITS];
    uint32_t waited, released;     /* places of its latest wait and release */
    unsigned long pending[RACE_UNITS][BITS_TO_LONGS(RACE_CONFIG_CELLS)];
} RaceThread;

typedef struct RaceHandlers RaceHandlers;

typedef struct RaceHart {
    RaceClock now;
    uint32_t joins;                /* how often more than its own chain changed */
    RaceClock *shared;             /* a copy that stores have; or NULL */
    uint32_t gpr_stores, config_stores;
    uint32_t requests[TENSIX_NOC_CHANNELS];
    uint32_t loaded, loaded_bytes; /* of L1, by its latest load */
    RaceHandlers *handlers;        /* of interrupts; NULL: there was none */
} RaceHart;

/* The k-th post of a semaphore publishes the clocks of all k. */
typedef struct RaceCounts {
    uint32_t count;
    RaceClock clock[RACE_COUNTS];  /* of the latest, each with those before it */
} RaceCounts;

/* Words on their way from one hart to another. */
typedef struct RaceFifo {
    RaceCounts pushed;
    uint32_t popped;
} RaceFifo;

typedef struct RaceSemaphore {
    RaceCounts posts, gets;
    int initial, max;
    int max_before;                /* before the SEMINIT that has changed it, */
    RaceClock max_set;             /* and what had happened by then */
} RaceSemaphore;

typedef struct RaceCell {
    RaceAccess write;
    RaceAccess read[RACE_READERS];
} RaceCell;

/* MopCfg of a thread. */
typedef struct RaceMop {
    RaceCell word[TENSIX_MOP_CFG_WORDS];
    uint32_t value[TENSIX_MOP_CFG_WORDS];
    uint32_t expanded;             /* number of the push that was read for */
} RaceMop;

/* A byte of configuration. */
typedef struct RaceByte {
    RaceAccess write;              /* the last that changed it */
    RaceAccess equal;              /* since then: one that wrote what was there */
    uint8_t changed;               /* bits, by the first, */
    uint8_t written, equal_written;        /* and those that each wrote */
} RaceByte;

/* Banks of SrcA or SrcB, as they were when the last instruction ended. */
typedef struct RaceBanks {
    uint32_t matrix_bank, unpack_bank;
    uint32_t client[TENSIX_SRC_BANKS];
    RaceClock filled[TENSIX_SRC_BANKS], released[TENSIX_SRC_BANKS];
    uint8_t known[TENSIX_SRC_BANKS];       /* threads that have joined filled[] */
    RaceAccess flip;               /* the last to move matrix_bank */
} RaceBanks;

/* Accesses of LRegs, a bit each, by a run that cells do not have yet. */
typedef struct RacePending {
    RaceAccess access;             /* the run's, but for places */
    uint64_t checked;              /* that no other thread has accessed since */
    uint64_t read, written;
    TensixActor reader[TENSIX_LREGS], writer[TENSIX_LREGS];
} RacePending;

/* An access to L1 by the instruction that is executed. */
typedef struct RaceBytes {
    uint64_t event;                /* its TensixActor.event */
    uint32_t address, size;
    bool writes;
} RaceBytes;

typedef struct RaceL1 RaceL1;

/* Values of a semaphore, both ends included. */
typedef struct RaceRange {
    uint32_t least, most;
} RaceRange;

struct TensixRaces {
    TensixInstrument parent_obj;

    TensixCopState *cop;
    const TensixState *state;
    TensixReporter *reporter;
    Notifier issue, execute, push, l1, load_store, local, access, release, turn;
    Notifier reset, load, resume;
    bool stale;                    /* what is known is of an earlier state */
    uint32_t generation;           /* how often it has been discarded */
    uint32_t events;               /* since then */

    QemuSpin lock;                 /* harts load and store in their own threads */
    TensixActors *places;
    GHashTable *reported;          /* pairs of places, the latest ones */
    GArray *bytes;                 /* RaceBytes */
    RaceOp op;                     /* the instruction at hand, */
    RaceClock own;                 /* and its clock, unless that is its thread's */
    RacePending pending;
    RaceThread thread[TENSIX_THREADS];
    RaceHart hart[TENSIX_HART_NONE];
    RaceSemaphore semaphore[TENSIX_SEMAPHORES];
    RaceClock mutex[TENSIX_MUTEXES];
    RaceClock shared;              /* what registers of PIC and tile publish */
    RaceClock stream[RACE_STREAMS];        /* and those of each stream */
    RaceFifo pcbuf[TENSIX_THREADS];
    RaceFifo mailbox[RACE_MAILBOX_USERS][RACE_MAILBOX_USERS];
    RaceBanks banks[TENSIX_SRCS];
    uint32_t context[TENSIX_THREADS][2];   /* unpackers' counters */
    RaceMop mop[TENSIX_THREADS];
    RaceCell cell[RACE_CELLS];
    /* groups whose cells differ; of the others only the first one is up to date */
    unsigned long split[BITS_TO_LONGS(RACE_GROUPS)];
    RaceByte config[RACE_CONFIG_CELLS][4];
    uint32_t config_value[RACE_CONFIG_CELLS];
    uint64_t config_changes;       /* of its bytes, from 1 */
    RaceL1 *tile_l1;
    uint32_t remote_writes, tdma_writes;
};

/* --- races_threads.c --- */

/* A word is pushed, or (refused) that push has not happened. */
void race_push(TensixRaces *r, const TensixPushEvent *push);

/* An instruction has issued that will be executed later. */
void race_issue(TensixRaces *r, const TensixExecuted *e);

/* An instruction has been executed, or a hart's access to cells has. */
void race_execute(TensixRaces *r, const TensixExecuted *e);

/* After the others' restart: what has issued and will be executed later. */
void race_flights_restart(TensixRaces *r);

/* The thread's next instruction comes after that. */
void race_thread_join(RaceThread *t, const RaceClock *clock);

/* A clock of the operation alone, which may be changed. */
RaceClock *race_own_clock(TensixRaces *r, RaceOp *op);

/* The thread comes after that push, which is NULL if it is not known. */
const RacePush *race_join_push(TensixRaces *r, uint32_t thread,
                               TensixOrigin origin);

/* --- races_runs.c --- */

/* The instruction belongs to its thread's run, and has been dealt with. */
bool race_run_continues(TensixRaces *r, const TensixExecuted *e);

/* It may be the first of one. */
void race_run_begins(TensixRaces *r, const RaceOp *op, const TensixExecuted *e);

/* What the thread executes from now on has a later place. */
void race_run_ends(TensixRaces *r, uint32_t thread);

/* Before cells of LRegs are accessed apart from runs. */
void race_runs_settle(TensixRaces *r);

/* --- races_cells.c --- */

/* All cells of the event, and GPRs that its row says are read. */
void race_cells(TensixRaces *r, RaceOp *op, const TensixExecuted *e);

/* One of them, of that space; it represents `count` cells. */
void race_read_cell(RaceOp *op, RaceCell *cell, uint32_t space, uint32_t index,
                    uint32_t count);
void race_write_cell(RaceOp *op, RaceCell *cell, uint32_t space,
                     uint32_t index, uint32_t count);

/* Has the other ended, or does its unit keep the two in order? */
bool race_is_ordered(const RaceOp *op, const RaceAccess *other);

/* --- races_l1.c --- */

void race_l1_access(TensixRaces *r, RaceOp *op, uint32_t address, uint32_t size,
                    bool writes);

/* An agent other than an instruction has accessed L1; NOC: for this hart. */
void race_l1_by_agent(TensixRaces *r, const TensixL1Access *access);

/* A hart loads from L1, stores there, or both: *op, which is to be reported. */
void race_l1_by_hart(TensixRaces *r, const TensixLoadStoreEvent *event,
                     const TensixActor *by, RaceOp *op);

/* Before an event of the hart: its latest load has been made by now. */
void race_l1_settle(TensixRaces *r, uint32_t hart);

void race_l1_restart(TensixRaces *r);
void race_l1_finish(TensixRaces *r);

/* --- races_config.c --- */

/* Words that the operation writes; those that its unit uses. */
void race_config_writes(TensixRaces *r, const RaceOp *op,
                        const TensixExecuted *e);
void race_config_uses(TensixRaces *r, RaceOp *op);

/* Configuration that a debugger or a host has written. */
void race_config_renew(TensixRaces *r, const TensixExecuted *e);

/* The configuration is what it is now, and no write of it is known. */
void race_config_restart(TensixRaces *r);

/* --- races_sync.c --- */

/* SEMPOST, SEMGET, SEMINIT, ATGETM, ATRELM, STALLWAIT and its kin, FLUSHDMA. */
void race_synchronise(TensixRaces *r, RaceOp *op, const RacePush *push);

/* What the Vector Unit did when the operation, if it is a wait, was latched. */
void race_wait_covers(TensixRaces *r, const RaceOp *op, const RaceAccess *done);

/* A latched wait is over: its thread comes after what it waited for. */
void race_end_wait(TensixRaces *r, uint32_t thread);

/* A hart has posted or got a semaphore, whose value is this now. */
void race_hart_semaphores(TensixRaces *r, const RaceClock *clock,
                          const TensixExecuted *e);

/* Semaphores that a debugger or a host has written. */
void race_semaphores_renew(TensixRaces *r, const TensixExecuted *e);

/* A hart has read a semaphore's value: one that it cannot tell from these. */
void race_semaphore_seen(TensixRaces *r, RaceClock *clock, uint32_t index,
                         RaceRange value);

/* One more; and what the first n of them have published. */
void race_count(RaceCounts *counts, const RaceClock *clock);
void race_join_counts(RaceClock *clock, const RaceCounts *counts, int64_t n);

void race_semaphores_restart(TensixRaces *r);

/* After race_flights_restart(): waits that are latched now. */
void race_waits_restart(TensixRaces *r);

/* --- races_polls.c --- */

/*
 * The hart has loaded that value of a semaphore, 0..15, at the actor's pc: the
 * values that its branches cannot tell from it.  Itself alone: none follows.
 */
RaceRange race_poll_range(TensixRaces *r, const TensixActor *by, uint32_t value);

/* --- races_harts.c --- */

/* A hart's access to a register, which has taken effect. */
void race_register(TensixRaces *r, const TensixRegisterEvent *event);

/* The same of STOREREG, or of LOADREG. */
void race_register_by_insn(TensixRaces *r, const TensixRegisterEvent *event);

/* All that harts have done, and requests and stores that they have made. */
RaceClock race_all_harts(TensixRaces *r);

/* The hart leaves reset. */
void race_hart_released(TensixRaces *r, uint32_t hart);

/* An access in the program of a hart, which is by->hart. */
RaceOp race_hart_op(TensixRaces *r, const TensixActor *by);

/* A hart's store to configuration or a GPR is processed if hardware sees to it. */
void race_auto_ttsync(TensixRaces *r, const RaceAccess *store, uint32_t hart);

void race_hart_join(RaceHart *hart, const RaceClock *clock);
void race_hart_join_chain(RaceHart *hart, uint32_t chain, uint32_t count);

/* What the hart's next store publishes, for g_rc_box_acquire(). */
RaceClock *race_hart_clock(RaceHart *hart);

/* What the hart knows from now on, which may be less than before. */
void race_hart_set_clock(RaceHart *hart, const RaceClock *clock);

void race_harts_restart(TensixRaces *r);

/* --- races_handlers.c --- */

/* An interrupt handler of the hart begins; it returns to the program. */
void race_handler_begins(TensixRaces *r, uint32_t hart);
void race_handler_returns(TensixRaces *r, uint32_t hart);

/* TENSIX_ON_LOCAL */
void race_local_access(TensixRaces *r, const TensixLoadStoreEvent *event);

void race_handlers_discard(RaceHart *hart);

/* --- races_mop.c --- */

/* That push yields the instruction: all before it have been expanded. */
void race_mop_expanded(TensixRaces *r, RaceOp *op, const RacePush *push);

/* The hart of a thread stores to a word of MopCfg. */
void race_mop_store(TensixRaces *r, const TensixRegisterEvent *event,
                    uint32_t thread, uint32_t word);

void race_mop_restart(TensixRaces *r);

/* --- races_banks.c --- */

/* The banks that it waits for, if it issues now and is executed later. */
void race_banks_at_gate(TensixRaces *r, const TensixInsn *i);

/* What an instruction waits for in its unit: banks of SrcA and SrcB. */
void race_banks_before(TensixRaces *r, RaceOp *op, const TensixExecuted *e);

/* Banks that changed hands by it, which ends as `done` says. */
void race_banks_after(TensixRaces *r, const RaceOp *op, const RaceClock *done);

/* Joins what conditions C5 to C8 of its latched wait say of banks. */
void race_bank_conditions(TensixRaces *r, uint32_t thread, uint32_t conditions);

void race_banks_restart(TensixRaces *r);

/* --- races_text.c --- */

/* The number of the source line and instruction that this actor is at. */
uint32_t race_place(TensixRaces *r, const TensixActor *by);

/* No order between the operation and the other, at one more cell. */
void race_found(RaceOp *op, const RaceAccess *other, uint32_t space,
                uint32_t index, bool other_writes, bool writes);

/* Reports the operation's findings, except for pairs reported not long ago. */
void race_report(TensixRaces *r, const RaceOp *op);

void race_places_restart(TensixRaces *r);
void race_places_finish(TensixRaces *r);

#endif
