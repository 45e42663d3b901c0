/*
 * Estimated cycles: what the files of the instrument share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each hart, thread and unit has its own clock.  What happens is estimated
 * in the order in which the model does it: an event comes no earlier than what it
 * depends on.  So a clock may be less than another one whose events were estimated
 * before; they meet only where one waits for the other.
 */

#ifndef HW_TENSTORRENT_TIME_INTERNAL_H
#define HW_TENSTORRENT_TIME_INTERNAL_H

#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_time.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixTime, TENSIX_TIME)

/*
 * The guest chooses no address here, and registers that are zeroed after each
 * word cost time.
 */
#define TENSIX_TIME_HOT __attribute__((zero_call_used_regs("skip")))

enum {
    TIME_PUSHES = 2 * TENSIX_FIFO_DEPTH,   /* that are remembered */
    TIME_COUNTS = 64,
    TIME_WORDS = 1024,             /* that are known */
    TIME_WRITES = 64,
    TIME_BLOCK_ROWS = 8,           /* of Dst, which instructions accumulate */
    TIME_DST_BLOCKS = TENSIX_DST_ROWS / TIME_BLOCK_ROWS,
};

/* A word in a FIFO. */
typedef struct TimePush {
    uint32_t pc;
    TensixStamp pushed, popped;    /* popped: once it is below TimeQueue.popped */
} TimePush;

enum { TIME_BY_T, TIME_BY_BRISC, TIME_QUEUES };

typedef struct TimeQueue {
    uint64_t count;                /* pushes so far */
    uint64_t popped;               /* of which so many have left, */
    TensixStamp popped_at;         /* the last of them then */
    TimePush ring[TIME_PUSHES];
} TimeQueue;

/* The first n of a kind of event were over by at[n % TIME_COUNTS]. */
typedef struct TimeCounts {
    uint64_t count;
    TensixStamp at[TIME_COUNTS];
} TimeCounts;

typedef struct TimeSemaphore {
    int64_t initial;
    TimeCounts posts, gets;
} TimeSemaphore;

typedef struct TimeFifo {          /* of a mailbox or a PCBuf */
    TimeCounts pushed;
    uint64_t popped;
} TimeFifo;

/* A NIU of the tile. */
typedef struct TimeNoc {
    TensixStamp sent;              /* its last request has left */
    TensixStamp answered[TENSIX_NOC_ANSWERS];
} TimeNoc;

/* A latched wait, and when what it names was over then. */
typedef struct TimeWait {
    bool valid;
    uint32_t word;
    TensixStamp latched, met[TENSIX_WAITED_FOR];
    uint64_t posts[TENSIX_SEMAPHORES], gets[TENSIX_SEMAPHORES];
    uint32_t matrix_bank[TENSIX_SRCS], unpack_bank[TENSIX_SRCS];
} TimeWait;

typedef struct TimeThread {
    TensixStamp issued, next;      /* its last instruction; its next, if it can */
    TensixStamp free[TENSIX_PORTS];    /* takes its next one, */
    TensixStamp done[TENSIX_PORTS];    /* and has ended all of its, */
    TensixStamp ended;             /* of all units */
    TensixStamp last;              /* all of them are over */
    uint32_t last_move;            /* word of the Matrix Unit's last, a move */
    uint64_t unpacked;             /* bytes that both unpackers could read, */
    uint64_t reads[2];             /* and since when each of them reads */
    TimeWait wait;
    bool is_plain;                 /* has issued before, and no wait is latched */
    bool last_is_plain;            /* no: when its latest instruction was over */
    TensixThreadTimes times;
    TimeQueue queue[TIME_QUEUES];
} TimeThread;

/* Where a hart pushes to a thread, or another agent does: TENSIX_HART_NONE. */
typedef struct TimePort {
    TimeThread *thread;
    TimeQueue *queue;
    TensixHartTime *hart;          /* NULL: another agent */
    const uint32_t *in_fifo;       /* words in the model's FIFO */
    uint32_t by_thread, by_vector; /* on the path: by the thread, Vector Unit */
} TimePort;

/* Of SrcA or SrcB, as they were before the instruction at hand. */
typedef struct TimeBanks {
    uint32_t client[TENSIX_SRC_BANKS];
    uint32_t matrix_bank, unpack_bank;
    TensixStamp filled[TENSIX_SRC_BANKS], released[TENSIX_SRC_BANKS];
} TimeBanks;

/* Figures of threads and NoCs; a file of timing=FILE has others. */
typedef enum TimeFigure {
    TIME_PUSHED,                   /* from a push to the gate */
    TIME_ENDED,                    /* until STALLWAIT sees that a unit is done */
    TIME_ACCUMULATED,              /* between sums in the same rows of Dst */
    TIME_UNPACKED,                 /* bytes a cycle of both unpackers */
    TIME_PACKED,                   /* bytes a cycle of a packer's interface */
    TIME_NIU,                      /* between a NIU and its router */
    TIME_HOP,                      /* from router to router */
    TIME_DRAM,                     /* until a bank has answered */
    TIME_FIGURES,
} TimeFigure;

/* What an instruction's word alone decides. */
typedef struct TimeWord {
    uint32_t word;
    bool is_known;
    uint8_t port, unit;
    bool moves_to_src, fills_gap;
    bool waits_for_bank;           /* as an unpacker does */
    bool is_sum;                   /* arithmetic of the Matrix Unit */
    bool is_vector;                /* the Vector Unit's */
    bool is_timed;                 /* and how long it takes */
    TensixTiming timing;
} QEMU_ALIGNED(64) TimeWord;

/* What an instruction accesses. */
typedef struct TimeCells {
    const TensixCellSet *written;  /* NULL: LRegs alone, by the Vector Unit */
    uint32_t lregs_read, lregs_written;    /* a bit each */
} TimeCells;

/* An instruction that is about to issue. */
typedef struct TimeIssue {
    const TensixInsn *insn;
    const TimeCells *cells;
    const TimeWord *word;
    TensixTiming *timing;
    TimeThread *thread;
    TensixStamp at;                /* no earlier, */
    TensixThreadWaitFor why;       /* for this */
    uint64_t pushed;               /* it is there, and the thread is ready */
    uint64_t waited;               /* after the thread's last one */
    TensixStamp starts, ends;      /* in its unit */
} TimeIssue;

typedef struct TimeWrite {
    uint32_t address, size;
} TimeWrite;

struct TensixTime {
    TensixInstrument parent_obj;

    char *file;                    /* property "figures", or NULL */
    uint32_t figure[TIME_FIGURES], of_harts[TENSIX_HART_FIGURES];
    TensixTiming timing[256];      /* by opcode, instead of the table's if not 0 */
    TensixCopState *cop;
    TensixCopTimer timer;
    TimeWord words[TIME_WORDS];    /* by hash, see time_word() */
    const TensixState *state;      /* the core's */
    TensixRecorder *recorder;      /* likewise */
    Notifier execute, push, l1, access, noc_request, release, reset, load;
    Error *blocker;                /* of snapshots */
    struct TensixAxis *axis;       /* of all harts, by the first tile's */
    TensixStamp *written;          /* TENSIX_TIME_WORDS: TensixHartTime */
    TensixTimePath path;
    /* By the hart that pushed, and where: cycles of threads.  As many words. */
    uint64_t *spent[TENSIX_NUM_HARTS];
    TensixHartTime hart[TENSIX_NUM_HARTS];
    TimeThread thread[TENSIX_THREADS];
    TimePort port[TENSIX_THREADS][TENSIX_HART_NONE + 1];
    struct {
        uint32_t thread;
        TensixStamp ready;
    } lreg[TENSIX_LREGS];
    uint64_t lregs_ready;          /* the latest of these; or none waits */
    TimeBanks banks[TENSIX_SRCS];
    TimeSemaphore semaphore[TENSIX_SEMAPHORES];
    TensixStamp dst[TIME_DST_BLOCKS];  /* accumulated: what follows may start */
    TensixStamp mutex[TENSIX_MUTEXES];
    TimeFifo pcbuf[TENSIX_THREADS];
    TimeFifo mailbox[TENSIX_THREADS + 1][TENSIX_THREADS + 1];
    TensixStamp stream[TENSIX_STREAMS], shared;
    TimeNoc noc[TENSIX_PATH_NOCS];
    TensixNocFlits flits[TENSIX_PATH_NOCS];
    TensixStamp landed;            /* what a request at hand moves */
    TensixStamp stored;            /* the last store of a hart to a register */
    TimeWrite write[TIME_WRITES];  /* to L1, by the instruction at hand */
    unsigned writes;
};

static inline void time_not_before(TimeIssue *i, TensixStamp at,
                                   TensixThreadWaitFor why)
{
    if (at.at > i->at.at) {
        tensix_set_stamp(&i->at, at);
        i->why = why;
    }
}

/* --- time_figures.c --- */

/* Those that are published, and those of a file instead, if not "" or NULL. */
bool time_read_figures(TensixTime *t, const char *file, Error **errp);

/* With what a file has instead for the instruction. */
TensixTiming time_replaced(const TensixTime *t, uint32_t word,
                           TensixTiming timing);

/* Of an instruction whose word is not timed. */
TensixTiming time_of_transfer(const TensixTime *t, const TensixExecuted *e);

/* --- time_words.c --- */

void time_find_out(const TensixTime *t, TimeWord *w, uint32_t word);

static inline TimeWord *time_word(TensixTime *t, uint32_t word)
{
    const uint32_t golden = 0x9e3779b1;
    TimeWord *w = &t->words[(word * golden >> 16) % TIME_WORDS];

    if (w->word != word || !w->is_known) {
        time_find_out(t, w, word);
    }
    return w;
}

/* --- the path --- */

static inline TensixPathWork time_work_of(const TensixInsn *insn, uint32_t agent)
{
    return (TensixPathWork) { agent, insn->origin.hart, insn->origin.pc };
}

/* It issues what comes next, unless that waits for something else. */
static inline TensixPathWork time_work_of_thread(const TensixInsn *insn)
{
    return time_work_of(insn, TENSIX_PATH_THREAD + insn->thread);
}

static inline TensixPathWork time_work_of_unit(const TensixInsn *insn, uint32_t port)
{
    return time_work_of(insn, TENSIX_PATH_UNIT + insn->thread * TENSIX_PORTS + port);
}

/* --- time_fifo.c --- */

enum { TIME_ADMITS = 28 };         /* words in a FIFO that takes another one */

void time_init_ports(TensixTime *t);

static inline const TimePort *time_port(const TensixTime *t, uint32_t thread,
                                        uint32_t hart)
{
    return &t->port[thread][MIN(hart, TENSIX_HART_NONE)];
}

/* A hart's word is held as long as the FIFO has no room for it. */
void time_push(TensixTime *t, TensixPushEvent *push);
bool time_push_ttinsn(void *opaque, uint32_t thread, TensixOrigin origin);

/* Words that have left the model's FIFO. */
static inline uint64_t time_taken(const TimePort *port)
{
    return port->queue->count - MIN(*port->in_fifo, port->queue->count);
}

/* When the queue's first word leaves it. */
static inline TensixStamp time_pop_one(const TensixTime *t,
                                       const TimeThread *thread,
                                       TimeQueue *queue)
{
    TimePush *push = &queue->ring[queue->popped++ % TIME_PUSHES];
    TensixStamp popped = tensix_later(
        tensix_after(push->pushed, t->figure[TIME_PUSHED]),
        tensix_later(tensix_after(queue->popped_at, 1), thread->issued));

    tensix_set_stamp(&push->popped, popped);
    tensix_set_stamp(&queue->popped_at, popped);
    return popped;
}

/* The same of all, until so many have left it. */
void time_pop(const TensixTime *t, TimeThread *thread, TimeQueue *queue,
              uint64_t count);

/*
 * When the word left its FIFO that is the instruction, or expands to it: the
 * latest one of its pc that the expanders have taken.  0: not known.
 */
TensixStamp time_popped_at(TensixTime *t, const TensixInsn *insn);

/* --- time_vector.c --- */

void time_execute_insn(TensixTime *t, const TensixExecuted *e);

/* The same of an instruction of the Vector Unit that accesses LRegs alone. */
TensixExecutedLregsFn time_execute_lregs;

/* Of these LRegs, read by the thread, one is ready after *at: then. */
bool time_operand_is_due(const TensixTime *t, uint32_t thread, uint32_t lregs,
                         TensixStamp *at);

/* The thread, whose next instruction may issue then, has written these. */
void time_results_are_due(TensixTime *t, uint32_t thread, uint32_t lregs,
                          uint64_t next, TensixStamp ends);

/* --- time_threads.c --- */

/* The timing may become longer. */
void time_execute_any(TensixTime *t, const TensixInsn *insn,
                      const TimeCells *cells, const TimeWord *w,
                      TensixTiming *timing);

/* Until its thread can issue the next one, on what was pushed there. */
static inline void time_spend(TensixTime *t, const TensixOrigin *from, uint64_t cycles)
{
    uint32_t word = from->pc / sizeof(uint32_t);

    if (from->hart < TENSIX_NUM_HARTS && word < TENSIX_TIME_WORDS) {
        t->spent[from->hart][word] += cycles;
    }
}

/* --- time_path.c --- */

/* For a timeline. */
void time_record_issue(const TensixTime *t, const TimeIssue *i);

/* --- time_sync.c --- */

/* When the thread's latched wait ends. */
TensixStamp time_wait_ends(const TensixTime *t, const TimeWait *wait);

/* All that the thread has issued is over. */
static inline TensixStamp time_thread_done(const TensixTime *t,
                                           const TimeThread *thread)
{
    TensixStamp at = thread->issued;

    if (thread->wait.valid) {
        at = tensix_later(at, time_wait_ends(t, &thread->wait));
    }
    return tensix_later(at, thread->ended);
}

/* What the gate waits for, banks included. */
void time_gate(TensixTime *t, TimeIssue *i);

/* When an unpacker, whose word waits for it, has the bank that it fills. */
TensixStamp time_bank_released(const TensixTime *t, const TensixInsn *insn);

/* What the instruction, which has ended, latches, posts and hands over. */
void time_synchronise(TensixTime *t, const TimeIssue *i);

void time_count(TimeCounts *counts, TensixStamp at);
TensixStamp time_of_count(const TimeCounts *counts, int64_t n);

/* Values that an agent other than an instruction has written, then. */
void time_semaphores_written(TensixTime *t, const TensixExecuted *e,
                             TensixStamp at);

/* When the semaphore had this value. */
TensixStamp time_semaphore_seen(const TensixTime *t, uint32_t index,
                                uint32_t value);

void time_sync_restart(TensixTime *t);

/* --- time_noc.c --- */

void time_noc_request(TensixTime *t, const TensixNocEvent *event);

/* When what a register of a NIU says was so, by its offset from NIU 0's. */
TensixStamp time_noc_seen(const TensixTime *t, uint32_t offset);

/* --- time_harts.c --- */

/* A hart's access to a register, which has taken effect. */
void time_register(TensixTime *t, const TensixRegisterEvent *event);

/* L1 is written by then. */
void time_written(TensixTime *t, uint32_t address, uint32_t size,
                  TensixStamp at);

#endif
