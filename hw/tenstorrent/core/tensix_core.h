/*
 * Tensix coprocessor core: what the world calls, and what the core calls back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core is plain C on libc: no globals, no allocation, no host pointers in
 * its state.  A pushed word travels
 *
 *   tensix_push -> FIFO -> MOP -> REPLAY -> wait gate -> tensix_exec_<mnemonic>
 *
 * and every arrow is one function (README.md walks along it).
 */

#ifndef TENSIX_CORE_H
#define TENSIX_CORE_H

#include "decode/tensix_fields.h"
#include "observe/observe.h"
#include "record/record.h"
#include "tensix_state.h"

/* The coprocessor; what is in it, only the core's own files see. */
typedef struct TensixCore TensixCore;

/*
 * What an instruction came to.  DONE: executed (also after a violation that
 * it reported).  RETRY: must wait; nothing was changed.
 */
typedef enum TensixResult {
    TENSIX_DONE,
    TENSIX_RETRY,
} TensixResult;

typedef enum TensixHartIndex {
    TENSIX_HART_BRISC,
    TENSIX_HART_NCRISC,
    TENSIX_HART_TRISC0,
    TENSIX_HART_TRISC1,
    TENSIX_HART_TRISC2,
    TENSIX_HART_NONE,              /* the debug bus, a test */
} TensixHartIndex;

/* Kinds of violations (docs/reports.rst, "Violations"). */
typedef enum TensixCategory {
    TENSIX_UNDEFINED_BEHAVIOUR,
    TENSIX_UNPREDICTABLE_VALUE,
    TENSIX_NON_CONTRACTUAL,
    TENSIX_UNIMPLEMENTED,
    TENSIX_BAD_ACCESS,
    TENSIX_HAZARD,                 /* only with tensix_set_hazards() */
    TENSIX_UNWRITTEN,              /* only with TensixObserver.unwritten */
    TENSIX_RACE,                   /* only the host's: races=report */
    TENSIX_LEAK,                   /* the same: leaks=report */
    TENSIX_BOUNDS,                 /* the same: bounds=report */
    TENSIX_CATEGORIES,
} TensixCategory;

/*
 * Where the words of an expansion were written down, which the word's own origin
 * does not say: that is the push of the MOP or REPLAY.  Hart TENSIX_HART_NONE:
 * not from there, or not known any more.
 */
typedef struct TensixRecorded {
    TensixOrigin mop;              /* the store to MopCfg */
    TensixOrigin replay;           /* push of the word that was recorded */
} TensixRecorded;

/* One report; the strings live as long as the call. */
typedef struct TensixViolation {
    TensixCategory category;
    uint32_t thread;               /* TENSIX_THREADS: not a Tensix thread's */
    uint32_t word;                 /* the Tensix instruction, 0 if none */
    TensixOrigin origin;
    uint32_t mop_position;         /* TENSIX_NO_POSITION: not from a MOP */
    uint32_t replay_slot;
    TensixRecorded recorded;       /* where its expansion was written down */
    const char *mnemonic;          /* "" if no instruction */
    const char *text;
} TensixViolation;

/* Bits of TensixSignals.changed: what may have ended a wait. */
enum {
    TENSIX_CHANGED_FIFO = 1 << 0,       /* a FIFO lost a word */
    TENSIX_CHANGED_IDLE = 1 << 1,       /* a thread or a MOP expander emptied */
    TENSIX_CHANGED_SEMAPHORE = 1 << 2,
    TENSIX_CHANGED_MUTEX = 1 << 3,
    TENSIX_CHANGED_BANK = 1 << 4,       /* owner of a Src bank */
    TENSIX_CHANGED_GATE = 1 << 5,       /* an instruction passed a gate */
    TENSIX_CHANGED_POLL = 1 << 6,       /* tensix_polls() may have become true */
    TENSIX_CHANGED_HOST = 1 << 7,       /* the host's own: set in its callbacks */
};

/* What the core reports to its host. */
typedef struct TensixSignals {
    uint32_t changed;              /* TENSIX_CHANGED_*; the host clears it */
    bool backlog;                  /* a run's budget ended before its work */
} TensixSignals;

/* Steps of the pipeline that can be traced. */
typedef enum TensixTracePoint {
    TENSIX_TRACE_PUSH,
    TENSIX_TRACE_MOP,
    TENSIX_TRACE_REPLAY,
    TENSIX_TRACE_LATCH,
    TENSIX_TRACE_EXECUTE,
    TENSIX_TRACE_RETRY,
    TENSIX_TRACE_POINTS,
} TensixTracePoint;

/* Registers of a NoC overlay stream: byte offset = 4 * number (Blackhole's). */
enum {
    TENSIX_STREAM_CURR_PHASE = 29,
    TENSIX_STREAM_NUM_MSGS_RECEIVED = 259,
};

/*
 * The world.  l1_write goes through the memory API, because harts execute from
 * L1; l1 is for reading.  Offsets are bytes from the start of L1 and are in
 * range: the core checks them.  stream_read reads a NoC overlay register
 * (byte offset inside the stream's 4 KiB).  l1_write and violation are always
 * there; trace may be NULL, and is called only while *trace_enabled is not
 * zero, which may change at any time.
 * mmio_read and mmio_write are one 32-bit access to 0xffb11000..0xffbffffc by
 * instruction `by`; with TENSIX_RETRY they ask, having done nothing, to be called
 * again when threads run next.  NULL: nothing can be reached.  l1_replace writes
 * an aligned word of L1 if it is what is expected, and says whether it was, in
 * one step for all agents that may write there; NULL: no other agent does.
 * invalidate_code empties the instruction caches of harts, a mask: bits 0 to 4 are
 * B, T0, T1, T2, NC; NULL: there are none.
 */
typedef struct TensixHost {
    const uint8_t *l1;
    uint32_t l1_size;
    void (*l1_write)(void *opaque, uint32_t offset, const void *data,
                     uint32_t size);
    bool (*l1_replace)(void *opaque, uint32_t offset, uint32_t expected,
                       uint32_t value);
    uint32_t (*stream_read)(void *opaque, uint32_t stream, uint32_t offset);
    TensixResult (*mmio_read)(void *opaque, const TensixInsn *by,
                              uint32_t address, uint32_t *value);
    TensixResult (*mmio_write)(void *opaque, const TensixInsn *by,
                               uint32_t address, uint32_t value);
    void (*invalidate_code)(void *opaque, uint32_t harts);
    void (*violation)(void *opaque, const TensixViolation *violation);
    void (*trace)(void *opaque, TensixTracePoint point, const TensixInsn *insn);
    const uint16_t *trace_enabled; /* NULL: never */
    /* what the program calls a semaphore, a string that lasts; NULL: unknown */
    const char *(*semaphore_name)(void *opaque, uint32_t index);
    void *opaque;
} TensixHost;

/* What a delay holds back. */
typedef enum TensixDelayKind {
    TENSIX_DELAY_HART,             /* before it pushes the word */
    TENSIX_DELAY_THREAD,           /* before it issues the word */
    /*
     * A unit (+ its number, below TENSIX_PORTS): its instructions end
     * later, the word itself included, and take effect only at their end.
     */
    TENSIX_DELAY_PORT,
    /* a store of the hart to GPRs or configuration, at the site's pc */
    TENSIX_DELAY_STORE = TENSIX_DELAY_PORT + TENSIX_PORTS,
} TensixDelayKind;

/* Where a hart's stores may be processed some time after it (late.c). */
typedef enum TensixStoreRegion {
    TENSIX_STORE_GPR,
    TENSIX_STORE_CONFIG,
    TENSIX_STORE_REGIONS,
} TensixStoreRegion;

typedef struct TensixHartStore {
    TensixOrigin by;
    TensixStoreRegion region;
    uint32_t offset;               /* bytes in TensixState.gpr, or in the window */
    uint32_t size, value;
} TensixHartStore;

enum { TENSIX_LATE_STORES = 4 };   /* entries of a hart's store queue */

/* Stores of one hart to one region, oldest first. */
typedef struct TensixLateQueue {
    uint32_t count;
    struct {
        TensixHartStore store;
        uint64_t due;              /* cycle */
    } entry[TENSIX_LATE_STORES];
} TensixLateQueue;

/*
 * One delay, the host's, which changes it while no hart runs.  Its site is each
 * word that this hart pushes at this pc.
 */
typedef struct TensixDelays {
    TensixOrigin at;
    uint32_t word;                 /* of an expansion only this one; 0: all */
    uint32_t what;                 /* TensixDelayKind */
    uint32_t cycles;               /* 0: no delay */
    /* each word that issues; NULL: not called.  Inside the core. */
    void (*issued)(void *opaque, const TensixInsn *i);
    /* each store to such a region, likewise */
    void (*stored)(void *opaque, TensixOrigin by);
    void *opaque;
    /* the core's: the word at the gate, the hart's next push have been delayed */
    bool thread_done[TENSIX_THREADS], hart_done[TENSIX_PUSHERS];
    TensixLateQueue late[TENSIX_PUSHERS * TENSIX_STORE_REGIONS]; /* by hart */
} TensixDelays;

/* Builds of the back-end units (isa.h); all give the same results. */
typedef enum TensixIsa {
    TENSIX_ISA_PORTABLE,
    TENSIX_ISA_AVX2,
    TENSIX_ISA_AVX512,
    TENSIX_ISAS,
} TensixIsa;

/* Why the instruction at a gate waits; texts in tensix_wait_text(). */
typedef enum TensixWaitReason {
    TENSIX_WAIT_NONE,
    TENSIX_WAIT_LATCHED,           /* held by the latched wait instruction */
    TENSIX_WAIT_MUTEX,             /* detail: mutex */
    TENSIX_WAIT_SRCA_MATRIX,       /* SrcA bank not given to the Matrix Unit */
    TENSIX_WAIT_SRCB_MATRIX,
    TENSIX_WAIT_SRCA_UNPACK,       /* SrcA bank not given back to unpackers */
    TENSIX_WAIT_SRCB_UNPACK,
    TENSIX_WAIT_UNIT_RESET,        /* its unit is held by soft reset */
    TENSIX_WAIT_UNIT_BUSY,         /* its unit is active */
    TENSIX_WAIT_L1,                /* detail: address of the counter in L1 */
    TENSIX_WAIT_MMIO,              /* detail: address of the register */
    TENSIX_WAIT_OBSERVER,          /* a break or a watch stopped the machine */
    TENSIX_WAIT_REASONS,
} TensixWaitReason;

/* --- life cycle (core.c) --- */

/*
 * Bytes of a core, and of its alignment: the host has the memory, the core
 * allocates nothing.
 */
size_t tensix_core_size(void);
enum { TENSIX_CORE_ALIGN = TENSIX_VECTOR_ALIGN };

/*
 * Makes a core of memory of that size and alignment; there is nothing to be
 * freed but that.  A host and tensix_reset() have to follow.
 */
TensixCore *tensix_core_init(void *memory);

/* The world around the core from now on; *host is copied. */
void tensix_set_host(TensixCore *c, const TensixHost *host);

/*
 * The state, and what is reported to the host.  Both stay where they are.
 * After a write to anything but GPRs and set_reg, call tensix_state_loaded().
 */
TensixState *tensix_core_state(TensixCore *c);
TensixSignals *tensix_core_signals(TensixCore *c);

/*
 * What records what happens (record/record.h).  It stays where it is, too, and is
 * touched only by what may touch the core.
 */
TensixRecorder *tensix_core_recorder(TensixCore *c);

/*
 * Power-on state (BH SoftReset.md and the units' pages; what they leave open is
 * zero).  Keeps the host, the schedule's seed and the build of the units; if no
 * build has been chosen, chooses the best that this machine can run.
 */
void tensix_reset(TensixCore *c);

/* Can this machine run that build of the units, and was it compiled? */
bool tensix_isa_available(TensixIsa isa);

/* Chooses the build of the units; false, and nothing done, if unavailable. */
bool tensix_set_isa(TensixCore *c, TensixIsa isa);

/*
 * Starts or stops reports of hazards: rules that hardware does not enforce, as
 * violations of category TENSIX_HAZARD, once for each pair of instructions.
 * (frontend/isa.c)
 */
void tensix_set_hazards(TensixCore *c, bool enabled);

/*
 * Observes with o (observe.h), which the host has filled with zeroes and a
 * callback, or stops observing: NULL.  Not from a callback.  The observer outlives
 * resets and snapshots.  (isa.c)
 */
void tensix_set_observer(TensixCore *c, TensixObserver *o);

/* To be called when breaks or watches of its observer have changed. */
void tensix_observer_changed(TensixCore *c);

/*
 * Records all that there is to record from now on: full is called
 * with opaque, from inside the core, when the ring is full (tensix_record_all()).
 * Every word then takes the whole pipeline.  NULL: does so no longer.
 * (frontend.c)
 */
void tensix_set_timeline(TensixCore *c, void (*full)(void *opaque),
                         void *opaque);

/* 0: in order; anything else seeds random times.  While all are idle. */
void tensix_set_schedule(TensixCore *c, uint64_t seed);

/*
 * With a random schedule nothing is random any more: each push lets a few cycles
 * pass, units take their published minimum, and what they do takes effect when it
 * issues, save for a delay.  d outlives the core's use of it; NULL: random again.
 * While all are idle.  (delays.c)
 */
void tensix_set_delays(TensixCore *c, TensixDelays *d);

/* Discards a delay that is under way: another state was loaded. */
void tensix_delays_restart(TensixDelays *d);

/*
 * With delays: a hart's store to GPRs or configuration is processed some time
 * after it, in order with the hart's other accesses to that region, and in no
 * order with what the hart pushes (BH MemoryOrdering.md).  True: the store is put
 * off; false: it is to be made now.  Before a load from the region the hart's
 * stores there are processed; finish processes all.  (late.c)
 */
bool tensix_late_store(TensixCore *c, const TensixHartStore *store);
void tensix_late_load(TensixCore *c, uint32_t hart, TensixStoreRegion region);
void tensix_late_finish(TensixCore *c);

/* Recomputes what is derived from c->s, after it was loaded or poked. */
void tensix_state_loaded(TensixCore *c);

/*
 * False, and nothing else, if a field of c->s holds what the core could not
 * have put there and could not bear (migration).  (state_valid.c)
 */
bool tensix_state_valid(const TensixState *s);
bool tensix_insn_valid(const TensixInsn *i);

/* --- front end (frontend.c, mop.c, replay.c, gate.c, schedule.c) --- */

/*
 * Pushes one instruction word to thread 0..2.  BRISC (and the debug bus) enter
 * behind the MOP expander, a T hart before it.  False: the FIFO is full and
 * nothing was changed.  Everything that can run has run on return, unless there
 * is a backlog (tensix_run()) or a random schedule.
 * (BH PushTensixInstruction.md)
 */
bool tensix_push(TensixCore *c, uint32_t thread, uint32_t word,
                 TensixOrigin origin);

/*
 * Pushes one word or more of those that the hart has at consecutive addresses, as
 * tensix_push() does; origin is the first one's.  Returns how many: it ends
 * after a word that leaves something to the host (TensixSignals.changed,
 * .backlog), and 0 if the first one does not fit or is a REPLAY that records.
 */
uint32_t tensix_push_words(TensixCore *c, uint32_t thread, const uint32_t *words,
                           uint32_t count, TensixOrigin origin);

/*
 * How many of the words tensix_push_words() would push now if none left anything
 * to the host, without one in a FIFO or at a gate; 1: one by one.
 */
uint32_t tensix_words_at_once(const TensixCore *c, uint32_t thread,
                              const uint32_t *words, uint32_t count);

/*
 * The same through every stage, so that each step is traced: tensix_push() lets
 * words of an idle thread go past the FIFO and the gate.
 */
bool tensix_push_queued(TensixCore *c, uint32_t thread, uint32_t word,
                        TensixOrigin origin);

/*
 * tensix_push_queued() beside a delay (tensix_set_delays()), which may hold the
 * hart back, then as many cycles as tensix_run() would pass for the caller.  It
 * may be called without the BQL, so what issues is not recorded.  False: nothing
 * has happened, as the hart must wait, which tensix_held_back() says again, or
 * as TensixDelays.issued is set.
 */
bool tensix_push_delayed(TensixCore *c, uint32_t thread, uint32_t word,
                         TensixOrigin origin);

/*
 * The debug bus takes the FIFOs of these threads, a bit each: a hart's push to
 * them is lost from then on, and reported.  (BH PushTensixInstruction.md)
 */
void tensix_set_debug_bus(TensixCore *c, uint32_t threads);

/* Is there room for a push by this hart into this thread's FIFO? */
bool tensix_can_push(const TensixCore *c, uint32_t thread, uint32_t hart);

/*
 * Runs until no thread can continue; true: `budget` was used up before, and
 * there is more to do.  It counts steps, of which each takes some 50 ns, or
 * cycles with a random schedule.  Never to be called from a callback.
 */
bool tensix_run(TensixCore *c, uint32_t budget);

/*
 * Does each thread that has work wait for a change that another agent has to
 * make?  Then tensix_run() would do nothing: until a semaphore, a mutex or a
 * bank changes.  False while anything is observed.
 */
bool tensix_is_settled(const TensixCore *c);

/* What a push and an access to the core may do before others get a turn. */
enum { TENSIX_ENTRY_BUDGET = 20000 };

/*
 * Does a thread wait for something whose change is not signalled (a word in L1,
 * a register)?  Then tensix_run() is to be called again after a while.
 */
bool tensix_polls(const TensixCore *c);

/*
 * Budget of an entry by a push of this hart or, TENSIX_HART_NONE, by an access:
 * ENTRY_BUDGET, or with a random schedule a few cycles.
 */
uint32_t tensix_entry_budget(TensixCore *c, uint32_t hart);

/*
 * With a random schedule: is this hart slow just now, so that its push of this
 * word comes later?  TENSIX_CHANGED_FIFO is set when it may push.
 */
bool tensix_held_back(TensixCore *c, uint32_t thread, uint32_t word,
                      TensixOrigin origin);

/*
 * With a random schedule: is there anything that more cycles would change?  A
 * thread that only another agent can release wants none.
 */
bool tensix_needs_time(const TensixCore *c);

/* Has any thread work in its pipeline? */
bool tensix_is_busy(const TensixCore *c);

/* Has the thread nothing in flight (CoprocessorDoneCheck)? */
bool tensix_thread_idle(const TensixCore *c, uint32_t thread);

/* Is no MOP queued or being expanded (MOPExpanderDoneCheck)? */
bool tensix_mop_idle(const TensixCore *c, uint32_t thread);

/* Writes MopCfg[index], index 0..8; origin: the store (WH MOPExpander.md). */
void tensix_mop_cfg_write(TensixCore *c, uint32_t thread, uint32_t index,
                          uint32_t value, TensixOrigin origin);

/* Discards a T hart's FIFO and MOP expansion (BH SoftReset.md). */
void tensix_thread_reset_frontend(TensixCore *c, uint32_t thread);

/* The n-th oldest word of a FIFO, n < count. */
const TensixInsn *tensix_fifo_peek(const TensixFifo *f, uint32_t n);

/*
 * Auto TTSync (ttsync.c, OLD AutoTTSync.md): resources, as a mask.  The six
 * configuration pieces count by bank here: a superset, which is safe.
 */
enum {
    TENSIX_RESOURCE_CFG0 = 1 << 0,
    TENSIX_RESOURCE_CFG1 = 1 << 1,
    TENSIX_RESOURCE_GPR = 1 << 2,
    TENSIX_RESOURCE_TDMA = 1 << 3,
    TENSIX_RESOURCE_CFG = TENSIX_RESOURCE_CFG0 | TENSIX_RESOURCE_CFG1,
};

/*
 * Must T hart `thread`'s access to these resources wait for instructions that
 * it pushed earlier and that have not been executed?  A store waits for
 * readers and writers, a load for writers.  False while software has not
 * enabled Auto TTSync for the resource.
 */
bool tensix_ttsync_must_wait(const TensixCore *c, uint32_t thread,
                             uint32_t resources, bool is_store);

/*
 * Where the expansion that this instruction comes from was written down.  Its
 * thread has not proceeded to other words, save those of a later expansion that
 * wrote the same words.  (recorded.c)
 */
TensixRecorded tensix_recorded(const TensixCore *c, const TensixInsn *i);

/* A violation by instruction i, not reported yet; text lives as long as it does. */
TensixViolation tensix_insn_violation(const TensixCore *c, const TensixInsn *i,
                                      TensixCategory category,
                                      const char *text);

/* "hazard", by TensixCategory.  (report.c) */
extern const char *const tensix_category_names[TENSIX_CATEGORIES];

enum { TENSIX_EXPANSION_TEXT = 112 };

/*
 * ", MOP word 3 from trisc1 pc 0x00006014, REPLAY slot 7 from ..." into a buffer
 * of TENSIX_EXPANSION_TEXT bytes; "" for a word that was pushed as it is.
 * Positions may be TENSIX_NO_POSITION, recorded NULL: it is not known.
 */
void tensix_expansion_text(char *buf, uint32_t mop_position,
                           uint32_t replay_slot,
                           const TensixRecorded *recorded);

/* What the program calls semaphore 0 to 7, or else LLK. */
const char *tensix_semaphore_name(const TensixCore *c, uint32_t index);

/* Text for a wait, into buf: "SEMWAIT until MATH_PACK (semaphore 1) is not 0" */
void tensix_wait_text(const TensixCore *c, uint32_t thread, char *buf,
                      size_t size);

/* What is waited for, by TensixWaitReason, without its number: "mutex". */
extern const char *const tensix_wait_names[TENSIX_WAIT_REASONS];

/*
 * An event of the recorder in one line, without the newline: "execute thread 1,
 * trisc1 pc 0x00007010, MOP word 3: ttmvmul clear_dvalid=0, ...".  Returns the length
 * that the whole text has, like snprintf; "" if there is no event.  (views/event_text.c)
 */
size_t tensix_event_text(char *buf, size_t size, const TensixEvent *event);

/* --- what harts load and store (hart_access/) --- */

/*
 * Config space, byte offset from 0xFFEF0000, aligned words.  Beyond its end
 * reads give 0; a store there or to ThreadConfig does nothing and returns
 * false.  (BH BackendConfiguration.md)
 */
uint32_t tensix_cfg_read(const TensixCore *c, uint32_t offset);
bool tensix_cfg_write(TensixCore *c, uint32_t offset, uint32_t value);

/* Config[bank][word] with the documented side effects. */
void tensix_cfg_store(TensixCore *c, uint32_t bank, uint32_t word,
                      uint32_t value, uint32_t mask);

/*
 * Semaphore window: read value; write with bit 0 clear posts, set gets.
 * origin: of the store, for reports.
 */
uint32_t tensix_semaphore_read(const TensixCore *c, uint32_t index);
void tensix_semaphore_write(TensixCore *c, uint32_t index, uint32_t value,
                            TensixOrigin origin);

/* Soft reset bits of 0xFFB121B0 that hold parts of the coprocessor. */
void tensix_soft_reset(TensixCore *c, uint32_t bits);

/* Transfer_direction; "L0" is not L1: zeroes, or Config (WH Mover.md). */
typedef enum TensixMoveMode {
    TENSIX_MOVE_L0_TO_L1,          /* clear L1 */
    TENSIX_MOVE_L1_TO_L0,          /* copy L1 to configuration */
    TENSIX_MOVE_L0_TO_L0,          /* clear configuration */
    TENSIX_MOVE_L1_TO_L1,          /* copy within L1 */
} TensixMoveMode;

/* Bytes, multiples of 16; addresses of configuration are from 0xFFEF0000. */
typedef struct TensixMove {
    uint32_t destination, source, count;
    TensixMoveMode mode;
} TensixMove;

/*
 * The mover, at once.  False: it would leave L1 or the configuration's 64 KiB,
 * and nothing was done.  (mover.c, WH Mover.md)
 */
bool tensix_move(TensixCore *c, const TensixMove *m);

/*
 * Bit 11 of DBG_FEATURE_DISABLE: Dst16b is the high half of Dst32b instead of
 * separate rows.  A store to it leaves the low half, garbage on hardware, as
 * it was.  (BH Dst.md)
 */
void tensix_set_dst16b_is_high_half(TensixCore *c, bool high_half);

/*
 * Dest window of T hart `thread` (BH Dst.md): byte offset 0..0x7fff, size 1, 2,
 * 4, 8 or 16 bytes.  False: undefined (wrong width, reserved format); reads
 * then give zeroes, writes do nothing.  A peek reads without being noticed, and
 * has any width: a debugger's is not the elements'.
 */
bool tensix_dest_window_peek(const TensixCore *c, uint32_t thread,
                             uint32_t offset, void *data, uint32_t size);
bool tensix_dest_window_read(TensixCore *c, uint32_t thread, uint32_t offset,
                             void *data, uint32_t size);
bool tensix_dest_window_write(TensixCore *c, uint32_t thread, uint32_t offset,
                              const void *data, uint32_t size);

/*
 * A row of Dst16b (0..1023) or, is_32b, Dst32b (0..511) as the math thread
 * addresses it: its 16 cells in storage order.  False: the row is not valid.
 * (views/formats.c)
 */
bool tensix_dst_row(const TensixCore *c, uint32_t row, bool is_32b,
                    uint32_t *cells);

/*
 * What cells of Dest and of a bank of SrcA or SrcB are taken for while the math
 * thread's configuration and the bank's last unpack hold: "bf16", "fp16",
 * "tf32", "fp32", "int8" or "int32".
 */
const char *tensix_dst_format(const TensixCore *c);
const char *tensix_src_format(const TensixCore *c, uint32_t src, uint32_t bank);

/* --- register-file aperture (aperture.c, docs/memory-map.rst) --- */

enum { TENSIX_APERTURE_SIZE = 0x25000 };

/* Offset and size in bytes, any alignment; unassigned bytes read as zero. */
void tensix_aperture_read(const TensixCore *c, uint32_t offset, void *data,
                          uint32_t size);
void tensix_aperture_write(TensixCore *c, uint32_t offset, const void *data,
                           uint32_t size);

/* --- tables (decode.c, disas.c) --- */

typedef struct TensixFieldDef {
    const char *name;
    uint8_t low, width;
} TensixFieldDef;

typedef struct TensixInsnDef {
    const char *mnemonic;          /* NULL: no such opcode */
    const TensixFieldDef *fields;
    const char *page;
    uint16_t block;                /* mask B0..B8 */
    uint8_t nfields;
    uint8_t unit;                  /* TensixUnit */
    uint8_t ttsync_class;          /* TENSIX_TTSYNC_CLASSES: none */
    bool implemented;
} TensixInsnDef;

extern const TensixInsnDef tensix_insns[256];
extern const char *const tensix_isa_names[TENSIX_ISAS];
extern const char *const tensix_unit_names[TENSIX_UNITS];
extern const char *const tensix_hart_names[];

/* Where the word is executed: its unit, or TENSIX_PORT_UNPACK1. */
static inline uint32_t tensix_port(uint32_t word)
{
    uint32_t unit = tensix_insns[word >> 24].unit;

    return unit == TENSIX_UNIT_UNPACK &&
                   TENSIX_FIELD(word, UNPACR, Unpack_block_selection)
               ? TENSIX_PORT_UNPACK1 : unit;
}

/*
 * Assembly text as tt-objdump prints it, "ttmvmul 0,0,1,0", operands from the
 * high field down; ".word" for an opcode that does not exist.  Returns the
 * length that the whole text has, like snprintf.
 */
int tensix_disas(char *buf, size_t size, uint32_t word);

/*
 * The same with the operands' names, for people: "ttmvmul clear_dvalid=0,
 * instr_mod19=0, addr_mode=1, dst=0".
 */
enum { TENSIX_DISAS_NAMED = 240 }; /* bytes that are enough for each one */
int tensix_disas_named(char *buf, size_t size, uint32_t word);

/* The bits of an operand. */
uint32_t tensix_operand(uint32_t word, const TensixFieldDef *field);

typedef struct TensixCfgField {
    const char *name;
    uint16_t word;
    uint8_t low, width;
} TensixCfgField;

/* The fields of a bank of Config, or of a thread's ThreadConfig. */
typedef struct TensixCfgTable {
    const char *name;              /* "config", "thread-config" */
    const TensixCfgField *fields;
    unsigned field_count;
    uint32_t words;
} TensixCfgTable;

extern const TensixCfgTable tensix_cfg_table, tensix_thread_cfg_table;

/* The one of that name, or NULL. */
const TensixCfgField *tensix_cfg_find(const TensixCfgTable *table,
                                      const char *name);

#endif
