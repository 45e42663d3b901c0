/*
 * Observation: breakpoints, watchpoints, last writers, and reads of what
 * nothing has written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An observer is the host's: it gives one to tensix_set_observer() and takes it
 * away again.  It is no part of the state.  With an observer instructions come from
 * a build of the units of their own, TENSIX_OBSERVED, which notes the rows that it
 * reads and writes (note.h), and with breaks or watches every word takes the
 * whole pipeline.  So nothing of this costs anything without an observer.
 *
 * A hit is reported by a callback and holds all instructions at their gates
 * until tensix_observe_resume(): no thread runs on after the one that asked.
 */

#ifndef TENSIX_OBSERVE_H
#define TENSIX_OBSERVE_H

#include <stddef.h>

#include "decode/traits.h"
#include "tensix_state.h"

struct TensixCore;

enum { TENSIX_SRC_CELLS = TENSIX_SRC_BANKS * TENSIX_SRC_ROWS };

/*
 * What can be watched, but for L1; each is an array of cells: S(space, name, cells,
 * bytes of a cell, where they are in TensixState).  Cells are numbered in this
 * order.  Indices: storage row, bank * 64 + row, LReg, thread * 64 + GPR,
 * bank * TENSIX_CFG_WORDS + word, thread * TENSIX_THREAD_CFG_WORDS + index.
 */
#define TENSIX_OBSERVED_SPACES(S) \
    S(DST, "dest", TENSIX_DST_ROWS, TENSIX_COLUMNS * 2, dst) \
    S(SRCA, "srca", TENSIX_SRC_CELLS, TENSIX_COLUMNS * 4, src[TENSIX_SRCA]) \
    S(SRCB, "srcb", TENSIX_SRC_CELLS, TENSIX_COLUMNS * 4, src[TENSIX_SRCB]) \
    S(LREG, "lreg", TENSIX_LREGS, TENSIX_LANES * 4, vu.lreg) \
    S(GPR, "gpr", TENSIX_THREADS * TENSIX_GPRS, 4, gpr) \
    S(CONFIG, "config", TENSIX_CFG_BANKS * TENSIX_CFG_WORDS, 4, cfg) \
    S(THREAD_CONFIG, "thread-config", \
      TENSIX_THREADS * TENSIX_THREAD_CFG_WORDS, 2, thread_cfg) \
    S(SEMAPHORE, "semaphore", TENSIX_SEMAPHORES, sizeof(TensixSemaphore), \
      semaphore) \
    S(MUTEX, "mutex", TENSIX_MUTEXES, 4, mutex_owner)

typedef enum TensixSpace {
#define S(space, name, cells, bytes, member) TENSIX_SPACE_##space,
    TENSIX_OBSERVED_SPACES(S)
#undef S
    TENSIX_SPACE_L1,               /* bytes */
    TENSIX_SPACES,
} TensixSpace;

/* Whose offsets are the numbers of cells, */
typedef struct TensixCellNumbers {
#define S(space, name, cells, bytes, member) uint8_t space[cells];
    TENSIX_OBSERVED_SPACES(S)
#undef S
} TensixCellNumbers;

/* and where they are in a copy of all of them. */
typedef struct TensixCellBytes {
#define S(space, name, cells, bytes, member) uint8_t space[(cells) * (bytes)];
    TENSIX_OBSERVED_SPACES(S)
#undef S
} TensixCellBytes;

enum {
    TENSIX_MAP_BITS = 64,          /* of a word of a set of cells */
    TENSIX_OBSERVED_CELLS = sizeof(TensixCellNumbers),
    TENSIX_OBSERVED_WORDS =
        (TENSIX_OBSERVED_CELLS + TENSIX_MAP_BITS - 1) / TENSIX_MAP_BITS,
    TENSIX_BREAKS = 32,            /* at most, and so many watches */
    TENSIX_HIT_BYTES = 16,         /* of an old and a new value */
    TENSIX_ALL_COLUMNS = 0xffff,
    /* of Dst, SrcA, SrcB and LReg, whose reads are noted */
    TENSIX_READ_CELLS = offsetof(TensixCellNumbers, GPR),
    TENSIX_READ_WORDS =
        (TENSIX_READ_CELLS + TENSIX_MAP_BITS - 1) / TENSIX_MAP_BITS,
    TENSIX_ALL_LANES = 0xffffffff,
    TENSIX_DST_MARK_WORDS = TENSIX_DST_ROWS / 64,
};

/* These are the first spaces. */
#define TENSIX_READ_SPACES TENSIX_SPACE_GPR

_Static_assert(TENSIX_OBSERVED_WORDS <= TENSIX_MAP_BITS,
               "a bit of TensixCellSet.words for each word");

/* Cells, a bit each, and in which words any bit is set. */
typedef struct TensixCellSet {
    uint64_t words;
    uint64_t bits[TENSIX_OBSERVED_WORDS];
} TensixCellSet;

/* What a watch searches for, bits. */
enum { TENSIX_WATCH_WRITE = 1, TENSIX_WATCH_READ = 2 };

/* The writer or reader. */
typedef enum TensixAgent {
    TENSIX_BY_NONE,                /* none since reset, or unknown */
    TENSIX_BY_INSTRUCTION,         /* of the coprocessor */
    TENSIX_BY_HART,                /* its store, or what a device did for it */
    TENSIX_BY_NOC,
    TENSIX_BY_TDMA,                /* its L1 write command */
    TENSIX_BY_RISC_DBG,            /* the debug interface */
    TENSIX_BY_DEBUG_BUS,           /* the sampler of the debug bus */
    TENSIX_BY_TIMESTAMPER,
    TENSIX_BY_HOST,                /* host software */
    TENSIX_BY_DEBUGGER,            /* gdb, the monitor, a test: stops no hart */
    TENSIX_BY_LOADER,              /* of an image, at a reset; likewise */
    TENSIX_AGENTS,
} TensixAgent;

/*
 * One of them, kept small: there is one for each word of L1.  Hart and pc, and
 * those of an instruction, are of the access that set the agent to work;
 * TENSIX_HART_NONE: no hart.  Another tile's if it has a place on the NoC here:
 * raw coordinates, (0,0) is no Tensix tile.
 */
typedef struct TensixActor {
    uint64_t event;                /* number of the write, from 1; 0: none */
    uint32_t word;                 /* of an instruction */
    uint32_t pc;                   /* of the push, or of the store */
    uint32_t mop_position;         /* TENSIX_NO_POSITION: not from a MOP */
    uint8_t replay_slot;           /* TENSIX_NO_SLOT: not from a REPLAY */
    uint8_t hart:4;                /* TensixHartIndex */
    uint8_t channel:4;             /* of a NoC request: TENSIX_NOC_* */
    uint16_t thread:2;
    uint16_t kind:4;               /* TensixAgent */
    uint16_t tile_x:5, tile_y:5;
} TensixActor;

_Static_assert(sizeof(TensixActor) == 24, "one for each word of L1");

#define TENSIX_NO_SLOT UINT8_MAX

/* Without the number of an event. */
TensixActor tensix_instruction_actor(const TensixInsn *i);

/* A channel of requests: the number of their NIU, and whether they write. */
enum { TENSIX_NOC_WRITES = 2, TENSIX_NOC_CHANNELS = 4 };

/* Stops before words whose bits in `mask` are those of `value`. */
typedef struct TensixBreak {
    uint32_t id;                   /* the host's; not 0 */
    uint32_t threads;              /* a bit each */
    uint32_t mask, value;
} TensixBreak;

/* Stops after a write of one of these cells. */
typedef struct TensixWatch {
    uint32_t id;
    TensixSpace space;
    uint32_t first, count;
    uint32_t mask;                 /* bits that have to change; 0: any write */
    uint32_t accesses;             /* TENSIX_WATCH_*; reads: see tensix_observe_read() */
} TensixWatch;

/* A stop; lives as long as the call. */
typedef struct TensixHit {
    uint32_t id;
    bool is_break;                 /* then there is nothing but `by` */
    bool is_read;                  /* old and new are the same */
    TensixActor by;
    TensixSpace space;
    uint32_t index;                /* the first of its cells that was written */
    uint32_t offset;               /* bytes in the cell: where old and new are */
    uint32_t size;                 /* of old and new, TENSIX_HIT_BYTES at most */
    uint8_t old[TENSIX_HIT_BYTES], new[TENSIX_HIT_BYTES];
    bool was_valid, is_valid;      /* rows of Dst: not cleared by ZEROACC */
} TensixHit;

/* An agent makes, or has made, these accesses to L1; lives as long as the call. */
typedef struct TensixL1Access {
    const TensixActor *by;
    uint32_t accesses;             /* TENSIX_WATCH_* */
    uint32_t address, size;
    const uint8_t *old, *new;      /* old: NULL, unless it reads: not known */
} TensixL1Access;

/*
 * An instruction that has been executed, and the cells that it accessed; or those
 * that another agent did, while it held the lock.  L1 has its own events.
 */
typedef struct TensixExecuted {
    const TensixInsn *insn;        /* NULL: another agent */
    const TensixActor *by;
    const TensixCellSet *read, *written; /* see the functions below */
    const TensixTiming *timing;    /* if the observer `times`, as it found it; */
                                   /* not if tensix_insn_is_timed() */
    bool configures;               /* LaneConfig or SFPLOADMACRO's, perhaps */
} TensixExecuted;

/* What is known of a cell of Dst, SrcA or SrcB; a write ends all of it. */
typedef enum TensixMark {
    TENSIX_MARK_UNWRITTEN,         /* since reset */
    TENSIX_MARK_FILLED,            /* by UNPACR, and */
    TENSIX_MARK_RELEASED,          /* by the Matrix Unit since then */
    TENSIX_MARK_CLEARED,           /* by ZEROACC: its value is 0 */
    TENSIX_MARK_NARROW,            /* a row of Dst16b, or */
    TENSIX_MARK_WIDE,              /* half a row of Dst32b, as instructions wrote */
    TENSIX_MARKS,
} TensixMark;

/* A bit a cell. */
typedef uint64_t TensixMarks[TENSIX_MARKS][TENSIX_READ_WORDS];

/*
 * What was written since reset, the host's as well: it outlives observers and
 * goes with snapshots.
 */
typedef struct TensixUnwritten {
    TensixMarks marks;
    uint32_t lanes[TENSIX_LREGS];  /* of an LReg: unwritten where bits are set */
    uint64_t *l1;                  /* a bit a byte; changed by any thread */
    uint32_t l1_size;              /* bytes */
} TensixUnwritten;

/* Bytes of L1, of which not all need lie together. */
typedef struct TensixBytes {
    uint32_t first, count;
} TensixBytes;

/* LRegs, a bit each, that a vector instruction accesses whatever the state. */
typedef struct TensixKnownLregs {
    uint32_t word;                 /* 0: none, for that is no such instruction */
    uint32_t read, written;
} TensixKnownLregs;

enum { TENSIX_KNOWN_WORDS = 1024 };

/* LRegs are bits. */
typedef void TensixExecutedLregsFn(void *opaque, const TensixInsn *i,
                                   uint32_t read, uint32_t written);

typedef struct TensixObserver {
    void (*hit)(void *opaque, const TensixHit *hit);
    void (*read_l1)(void *opaque, const TensixL1Access *access); /* or NULL */
    void (*executed)(void *opaque, const TensixExecuted *e);     /* or NULL */
    void (*issued)(void *opaque, const TensixExecuted *e);       /* or NULL */
    void (*taken)(void *opaque, const TensixInsn *i);            /* or NULL */
    void *opaque;
    /*
     * Instead of `executed`, for an instruction of the Vector Unit whose word
     * says which LRegs it accesses; or NULL.  Not with watches or `unwritten`.
     */
    TensixExecutedLregsFn *executed_lregs;
    void *lregs_opaque;
    TensixUnwritten *unwritten;    /* its reads are reported, or NULL */
    bool times;                    /* an instruction's timing is wanted */
    uint32_t break_count, watch_count;
    TensixBreak breaks[TENSIX_BREAKS];
    TensixWatch watches[TENSIX_BREAKS];

    /* the rest is observe.c's */
    bool stopping;                 /* nothing is executed */
    TensixInsn passed[TENSIX_THREADS]; /* stopped before: valid, it passes */
    TensixActor by;               /* the active agent */
    TensixActor outer;            /* the agent after the instruction */
    uint64_t events;
    TensixCellSet touched;         /* by the present agent */
    TensixCellSet stale;           /* by earlier ones: before[] is older */
    uint32_t compared;             /* spaces, a bit each: what changed is found */
    const TensixInsn *insn;        /* what is executed, or NULL */
    bool retries;                  /* and has to wait */
    bool configures;               /* see TensixExecuted */
    TensixTiming timing;           /* times: before it is executed */
    TensixCellSet read;            /* by the present agent */
    TensixMarks accused;           /* what was wrong with those */
    uint32_t accused_lanes[TENSIX_LREGS];
    TensixBytes accused_l1;
    bool accuses;                  /* anything */
    uint32_t written_lanes[TENSIX_LREGS]; /* by that agent; 0: unknown */
    uint64_t cleared[TENSIX_DST_MARK_WORDS], wide[TENSIX_DST_MARK_WORDS];
    bool marks_writes;             /* any of these three */
    uint32_t src_client[TENSIX_SRCS][TENSIX_SRC_BANKS]; /* when that began */
    TensixKnownLregs known[TENSIX_KNOWN_WORDS]; /* by hash: the latest words */
    TensixActor last[TENSIX_OBSERVED_CELLS];
    uint8_t before[sizeof(TensixCellBytes)] __attribute__((aligned(64)));
    uint8_t row_was_valid[TENSIX_DST_ROWS];
} TensixObserver;

/* A space's name, for people; and how many cells it has (L1: 0). */
typedef struct TensixSpaceDef {
    const char *name;
    uint32_t cells, cell_bytes;
    uint32_t first;                /* its first cell's number among all */
    uint32_t before;               /* its first byte in TensixObserver.before */
    size_t state;                  /* and in TensixState */
} TensixSpaceDef;

extern const TensixSpaceDef tensix_spaces[TENSIX_SPACES];
extern const char *const tensix_agent_names[TENSIX_AGENTS];

/* Its watches are others than before: they see what was there. */
void tensix_observe_watches(struct TensixCore *c);

/* What is watched may have changed otherwise (a reset, a snapshot): no writer. */
void tensix_observe_restart(struct TensixCore *c);

/* After a hit: instructions are executed again, the one in front first. */
void tensix_observe_resume(struct TensixCore *c);

/* The last writer of a cell of a space other than L1; event 0: none. */
TensixActor tensix_observe_writer(const TensixObserver *o, TensixSpace space,
                                   uint32_t index);

/* Does it have breaks or watches? */
static inline bool tensix_observer_stops(const TensixObserver *o)
{
    return o->break_count || o->watch_count || o->stopping;
}

/* --- for writers --- */

/* An agent other than an instruction writes until tensix_observe_end(). */
void tensix_observe_begin(struct TensixCore *c, TensixActor by);

/* Reports writes: of cells that were recorded, and of such as have changed. */
void tensix_observe_end(struct TensixCore *c);

/*
 * Compares an access to L1 with the watches: one that searches for reads and
 * writes reports the write.  The core calls read_l1 for its own reads;
 * the implementation of l1_write reports the writes.
 */
void tensix_observe_l1(TensixObserver *o, const TensixL1Access *access);

/*
 * Cells of these spaces, a bit each, may be written without a note from now
 * until tensix_observe_end(): it compares them with what they are now.
 */
void tensix_observe_compare(struct TensixCore *c, uint32_t spaces);

enum { TENSIX_ALL_SPACES = (1 << TENSIX_SPACE_L1) - 1 };

/* Cells of a space that are written; nothing without an observer. */
void tensix_observe_write(struct TensixCore *c, TensixSpace space,
                          uint32_t first, uint32_t count);

/* LaneConfig, templates or sequences of SFPLOADMACRO may be written. */
static inline void tensix_observe_configures(TensixObserver *o)
{
    o->configures = true;
}

/* An LReg in these lanes, or in more than the instruction writes. */
void tensix_observe_write_lreg(struct TensixCore *c, uint32_t lreg,
                               uint32_t lanes);

/* Of rows that are written: they, and their low halves, are rows of Dst32b. */
void tensix_observe_wide(struct TensixCore *c, uint32_t row, uint32_t count);

/* ZEROACC clears rows, of which none should be marked as `wrong`. */
void tensix_observe_clear(struct TensixCore *c, uint32_t row, uint32_t count,
                          TensixMark wrong);

/* --- for readers --- */

/*
 * Cells of Dst, SrcA, SrcB or LReg that are read, where what they hold matters:
 * before the same instruction writes them.  Nothing without an observer.
 */
void tensix_observe_read(struct TensixCore *c, TensixSpace space, uint32_t first,
                         uint32_t count);

/* An LReg, whose value in these lanes matters. */
void tensix_observe_read_lreg(struct TensixCore *c, uint32_t lreg,
                              uint32_t lanes);

/* PACR reads rows of storage; wide: of Dst32b, without their low halves. */
void tensix_observe_pack(struct TensixCore *c, uint32_t row, uint32_t count,
                         bool wide);

/* `size` bytes of L1 at `address`; nothing if they are not in L1. */
void tensix_observe_read_l1(struct TensixCore *c, uint32_t address,
                            uint32_t size);

/* --- what was never written (unwritten.c) --- */

/* As after a reset: all of it, save LReg[8] to LReg[15], which are constants. */
void tensix_unwritten_reset(TensixUnwritten *u);

/* All of it is taken for written: it is not known. */
void tensix_unwritten_clear(TensixUnwritten *u);

/* An agent writes these bytes of L1; what is beyond its end is left out. */
void tensix_unwritten_l1_written(TensixUnwritten *u, uint32_t address,
                                 uint32_t size);

/*
 * An agent reads these bytes of L1: those that nothing has written.  They are
 * taken for written from now on, for they are reported once.
 */
TensixBytes tensix_unwritten_l1_read(TensixUnwritten *u, uint32_t address,
                                     uint32_t size);

enum { TENSIX_UNWRITTEN_TEXT = 128 };

/* "reads 4 bytes of L1 at 0x1000, which nothing has written ..." into buf. */
void tensix_unwritten_l1_text(char *buf, TensixBytes bytes);

/* Lanes of an LReg that were never written; 0 without unwritten=report. */
uint32_t tensix_unwritten_lanes(const struct TensixCore *c, uint32_t lreg);

/* An instruction has written a cell, or released banks.  (observe.c) */
void tensix_unwritten_written(struct TensixCore *c, TensixSpace space,
                              uint32_t index);
void tensix_unwritten_released(struct TensixCore *c);

/*
 * The Matrix Unit is about to release its banks of Srcs (bit 0: SrcA, bit 1: SrcB):
 * those that no unpacker has given it are reported.
 */
void tensix_unwritten_release(struct TensixCore *c, uint32_t srcs);

/* Reports what the active agent read and nothing has written.  (observe.c) */
void tensix_unwritten_report(struct TensixCore *c);

/* --- for what executes (frontend) --- */

/*
 * Must the instruction at its gate stay there?  What it is, is reported to the
 * host, once.
 */
bool tensix_observe_holds(struct TensixCore *c, const TensixInsn *i);

/* The thread's instruction has left its gate. */
void tensix_observe_passed(struct TensixCore *c, uint32_t thread);

/* i is executed, until tensix_observe_executed(). */
void tensix_observe_instruction(struct TensixCore *c, const TensixInsn *i);

/* i has left its gate, and will be executed later: its accesses are not known. */
void tensix_observe_issued(struct TensixCore *c, const TensixInsn *i);

/* An expander has taken i, which is for the expander itself. */
static inline void tensix_observe_taken(const TensixObserver *o,
                                        const TensixInsn *i)
{
    if (o && o->taken) {
        o->taken(o->opaque, i);
    }
}

/* Ends that, as tensix_observe_end(); not done: it has to wait. */
void tensix_observe_executed(struct TensixCore *c, bool done);

/* The number of a space's first cell: the spaces' cells follow each other. */
static inline uint32_t tensix_first_cell(TensixSpace space)
{
    return tensix_spaces[space].first;
}

static inline bool tensix_has_cell(const TensixCellSet *cells, uint32_t cell)
{
    return cells->bits[cell / TENSIX_MAP_BITS] >> cell % TENSIX_MAP_BITS & 1;
}

void tensix_add_cells(TensixCellSet *cells, uint32_t first, uint32_t count);

/* Have they a cell in common? */
bool tensix_cells_meet(const TensixCellSet *a, const TensixCellSet *b);

/* The first cell from number `from` on that is in the set, or `end`. */
static inline uint32_t tensix_next_cell(const TensixCellSet *cells,
                                        uint32_t from, uint32_t end)
{
    uint32_t word = from / TENSIX_MAP_BITS, next;
    uint64_t words;

    if (from < end && cells->bits[word] >> from % TENSIX_MAP_BITS) {
        next = from + __builtin_ctzll(cells->bits[word] >>
                                      from % TENSIX_MAP_BITS);
        return next < end ? next : end;
    }
    words = cells->words & ~((2ull << word) - 1);
    if (from >= end || !words) {
        return end;
    }
    word = __builtin_ctzll(words);
    next = word * TENSIX_MAP_BITS + __builtin_ctzll(cells->bits[word]);
    return next < end ? next : end;
}

/* Has it read a cell of Dst, SrcA, SrcB or LReg, or written one of any space? */
bool tensix_executed_reads(const TensixExecuted *e, TensixSpace space,
                           uint32_t index);
bool tensix_executed_writes(const TensixExecuted *e, TensixSpace space,
                            uint32_t index);

/*
 * A cell that differs from what observers know without a notification, as
 * space << 16 | index, or UINT32_MAX: for tests.  Asked after each event.
 */
uint32_t tensix_observe_missed(struct TensixCore *c);

#endif
