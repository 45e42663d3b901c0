/*
 * Tensix coprocessor: the whole architectural state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plain data of fixed size, no pointers: comparing, copying and migrating it
 * is trivial.  Counters and flags that the register-file aperture shows are
 * 32-bit words in the aperture's order (docs/memory-map.rst), whatever
 * their width in hardware; the code that changes them keeps them in range.
 */

#ifndef TENSIX_STATE_H
#define TENSIX_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TENSIX_THREADS = 3,
    TENSIX_COLUMNS = 16,
    TENSIX_DST_ROWS = 1024,
    TENSIX_SRC_BANKS = 2,
    TENSIX_SRC_ROWS = 64,
    TENSIX_LANES = 32,
    TENSIX_LREGS = 17,
    TENSIX_GPRS = 64,
    TENSIX_CFG_BANKS = 2,
    TENSIX_CFG_WORDS = 224,        /* CFG_STATE_SIZE * 4 */
    TENSIX_CFG_THCON_BASE = 64,
    TENSIX_CFG_GLOBAL_BASE = 180,  /* words from here on are in both banks */
    TENSIX_THREAD_CFG_WORDS = 68,  /* THD_STATE_SIZE */
    TENSIX_SEMAPHORES = 8,
    TENSIX_SEMAPHORE_LIMIT = 15,
    TENSIX_MUTEXES = 5,            /* 0, 2, 3, 4 exist (BH ATGETM.md) */
    TENSIX_FIFO_DEPTH = 32,
    TENSIX_MOP_CFG_WORDS = 9,
    TENSIX_REPLAY_DEPTH = 32,
    TENSIX_FLIGHT_DEPTH = 4,
    TENSIX_FLAG_STACK_DEPTH = 8,
    TENSIX_STREAMS = 64,
    TENSIX_STREAM_SELECTS = 4,     /* STREAM_ID_SYNC_SEC0..3 */
    TENSIX_TTSYNC_CLASSES = 16,
    TENSIX_VECTOR_ALIGN = 64,      /* bytes: no vector of lanes crosses a line */
};

/* Where a pushed word came from; every report names it. */
typedef struct TensixOrigin {
    uint32_t pc;
    uint32_t hart;                 /* index 0..4: brisc, ncrisc, trisc0..2 */
} TensixOrigin;

#define TENSIX_NO_POSITION UINT32_MAX

/*
 * A word on its way, from the push to its execution: the same in FIFOs, in
 * expanders, at the gate and beyond, and as what is executed.
 */
typedef struct TensixInsn {
    uint32_t valid;                /* of a place for one: it is not empty */
    uint32_t word;
    uint32_t thread;
    uint32_t mop_position;         /* TENSIX_NO_POSITION: not from a MOP */
    uint32_t replay_slot;          /* TENSIX_NO_POSITION: not from a REPLAY */
    TensixOrigin origin;
    uint32_t extra;                /* of other events than EXECUTE; else 0 */
} TensixInsn;

_Static_assert(sizeof(TensixInsn) == 32,
               "it is an event of the recorder (record/record.h)");

/* Is it a word that a MOP or a REPLAY yields? */
static inline bool tensix_insn_is_expanded(const TensixInsn *i)
{
    return i->mop_position != TENSIX_NO_POSITION ||
           i->replay_slot != TENSIX_NO_POSITION;
}

typedef struct TensixFifo {
    uint32_t head;                 /* index of the oldest entry */
    uint32_t count;                /* 0..TENSIX_FIFO_DEPTH */
    TensixInsn entry[TENSIX_FIFO_DEPTH];
} TensixFifo;

/* MOP expander of one thread: a pull iterator (WH MOPExpander.md). */
typedef enum TensixMopPhase {
    TENSIX_MOP_IDLE,
    TENSIX_MOP_MASK,               /* template 0 */
    TENSIX_MOP_LOOP,               /* template 1 */
} TensixMopPhase;

typedef struct TensixMop {
    uint32_t cfg[TENSIX_MOP_CFG_WORDS];
    uint32_t mask_hi;              /* MOP_CFG's 16 bits; persists */
    uint32_t phase;                /* TensixMopPhase */
    uint32_t mask;                 /* template 0: remaining zmask */
    uint32_t outer, outer_count;   /* iterations done and to do */
    uint32_t inner, inner_count;
    uint32_t slot;                 /* position inside one iteration */
    uint32_t emitted;              /* words yielded so far, for reports */
    uint32_t index;                /* MopCfg's word yielded last, for reports */
    TensixInsn insn;               /* the MOP that is or was expanded */
    TensixOrigin cfg_origin[TENSIX_MOP_CFG_WORDS]; /* of each word's store */
} TensixMop;

/* REPLAY expander of one thread (BH REPLAY.md). */
typedef enum TensixReplayPhase {
    TENSIX_REPLAY_IDLE,
    TENSIX_REPLAY_LOAD,
    TENSIX_REPLAY_LOAD_EXEC,
    TENSIX_REPLAY_PLAY,
} TensixReplayPhase;

typedef struct TensixReplay {
    uint32_t buffer[TENSIX_REPLAY_DEPTH];
    uint32_t phase;                /* TensixReplayPhase */
    uint32_t index;                /* next buffer slot */
    uint32_t left;                 /* words left to load or play */
    TensixInsn insn;               /* the last REPLAY */
    TensixOrigin recorded[TENSIX_REPLAY_DEPTH]; /* of each word's recording */
} TensixReplay;

/* Wait gate of one thread: at most one latched wait (BH STALLWAIT.md). */
typedef struct TensixGate {
    uint32_t opcode; /* latched STALLWAIT/SEMWAIT/STREAMWAIT or 0 */
    uint32_t block_mask;           /* B0..B8 */
    uint32_t condition_mask;       /* C0..C12, or SEMWAIT's two conditions */
    uint32_t semaphore_mask;       /* SEMWAIT */
    uint32_t stream_select;        /* STREAMWAIT: which STREAM_ID_SYNC, 0..3 */
    uint32_t target;               /* STREAMWAIT: value to reach */
    TensixInsn pending;            /* pulled from REPLAY, not yet executed */
    TensixInsn latched;            /* the wait instruction itself, for reports */
    uint32_t wait_reason;  /* TensixWaitReason of pending's last retry */
    uint32_t wait_detail;
} TensixGate;

/* Read/write counters of one thread, aperture order (spec 002, section 2). */
typedef struct TensixRwc {
    uint32_t Dst, Dst_Cr;          /* 10 bits, rows of Dst16b */
    uint32_t SrcA, SrcA_Cr;        /* 6 bits */
    uint32_t SrcB, SrcB_Cr;        /* 6 bits */
    uint32_t FidelityPhase;        /* 2 bits */
    uint32_t ExtraAddrModBit;      /* no effect on Blackhole */
    uint32_t Sp;                   /* 10 bits, SFPU stack pointer */
} TensixRwc;

/* Instructions past the gate, oldest first, not yet executed (flight.c). */
typedef struct TensixFlight {
    uint32_t count;                /* 0..TENSIX_FLIGHT_DEPTH */
    TensixInsn insn[TENSIX_FLIGHT_DEPTH];
    uint64_t due[TENSIX_FLIGHT_DEPTH]; /* cycle in which each is executed */
    uint64_t issued[TENSIX_FLIGHT_DEPTH];
    TensixRwc rwc[TENSIX_FLIGHT_DEPTH]; /* as each that uses them found them */
} TensixFlight;

typedef struct TensixThread {
    TensixFifo fifo; /* T hart's pushes, before the MOP expander */
    TensixFifo post_fifo;          /* BRISC's pushes, after it */
    TensixMop mop;
    TensixReplay replay;
    TensixGate gate;
    TensixFlight flight;
} TensixThread;

/* Address counters: X 18 bits, Y, Z, W 13 bits on Blackhole (BH ADCs.md). */
typedef struct TensixAdcChannel {
    uint32_t X, Y, Z, W, X_Cr, Y_Cr, Z_Cr, W_Cr;
} TensixAdcChannel;

typedef struct TensixAdc {
    TensixAdcChannel channel[2];
} TensixAdc;

enum { TENSIX_ADC_UNP0, TENSIX_ADC_UNP1, TENSIX_ADC_PACK, TENSIX_ADCS };

typedef enum TensixSrcClient {
    TENSIX_CLIENT_UNPACKERS,
    TENSIX_CLIENT_MATRIX_UNIT,
} TensixSrcClient;

enum { TENSIX_SRCA, TENSIX_SRCB, TENSIX_SRCS };

typedef struct TensixSemaphore {
    uint32_t value, max;           /* 4 bits each */
} TensixSemaphore;

/*
 * How a semaphore has been used since its SEMINIT; read by reports alone.  An
 * origin is that of the latest one, if its count is not 0.  What changed
 * nothing, posts at 15 and gets at 0, is counted since reset.
 */
typedef struct TensixSemaphoreUse {
    uint32_t inits, posts, gets;
    TensixOrigin init, post, get;
    uint32_t initial;              /* SEMINIT's value, or 0 */
    uint32_t lost_posts, lost_gets;
    TensixOrigin lost_post, lost_get;
} TensixSemaphoreUse;

typedef struct TensixFlagStackEntry {
    uint32_t lane_flags, use_lane_flags;  /* one bit a lane */
} TensixFlagStackEntry;

/* SFPLOADMACRO's configuration, per lane (BH SFPLOADMACRO.md). */
typedef struct TensixLoadMacro {
    uint32_t instruction_template[4][TENSIX_LANES];
    uint32_t sequence[4][TENSIX_LANES];
    uint32_t misc[TENSIX_LANES];   /* 12 bits */
} TensixLoadMacro;

typedef struct TensixVectorUnit {
    uint32_t lreg[TENSIX_LREGS][TENSIX_LANES]
        __attribute__((aligned(TENSIX_VECTOR_ALIGN)));
    uint32_t lane_config[TENSIX_LANES];
    uint32_t lane_config_any;      /* OR of these: tensix_vector_summarise() */
    uint32_t prng[TENSIX_LANES];
    uint32_t lane_flags;           /* one bit a lane */
    uint32_t use_lane_flags;       /* UseLaneFlagsForLaneEnable */
    uint32_t flag_stack_depth;     /* 0..TENSIX_FLAG_STACK_DEPTH */
    TensixFlagStackEntry flag_stack[TENSIX_FLAG_STACK_DEPTH];
    TensixLoadMacro load_macro;
} TensixVectorUnit;

/* Sub-units that SFPLOADMACRO schedules for, and its longest delay plus one. */
enum { TENSIX_MACRO_UNITS = 4, TENSIX_MACRO_DELAYS = 8 };

/* One instruction that SFPLOADMACRO scheduled; all zero: none. */
typedef struct TensixScheduled {
    uint32_t lanes;                /* one bit a lane; 0: nothing here */
    uint32_t word;                 /* from the template */
    uint32_t vb, vc, vd;           /* instead of the word's: LReg 0..16 */
    uint32_t mod0, address;        /* of SFPSTORE */
    uint32_t by_instruction;       /* delay counts instructions, not cycles */
} TensixScheduled;

/* A result that comes a cycle after its instruction ran. */
typedef struct TensixVectorLate {
    uint32_t lanes;                /* one bit a lane: it has a result */
    uint32_t vd[TENSIX_LANES];     /* LReg 0..16 */
    uint32_t value[TENSIX_LANES];
} TensixVectorLate;

/* What SFPLOADMACRO has under way (vector_macro.c). */
typedef struct TensixMacro {
    /* by sub-unit and remaining delay: [0] runs in the next cycle */
    TensixScheduled slot[TENSIX_MACRO_UNITS][TENSIX_MACRO_DELAYS];
    TensixVectorLate late;         /* of the MAD sub-unit */
    uint32_t swap_lanes;           /* second half of SFPSWAP: lanes, 0: none */
    uint32_t swap_vc, swap_vd;
    uint32_t active;               /* anything of the above */
    TensixInsn insn;               /* the last SFPLOADMACRO */
} TensixMacro;

/* What the packer keeps from one PACR to the next (BH PACR.md). */
typedef struct TensixPacker {
    uint32_t open;                 /* the streams continue where they are */
    uint32_t data_bit;             /* next datum in L1, in bits */
    uint32_t exp_byte;             /* next shared exponent in L1 */
    uint32_t tile_row, tile_face;  /* TilePosition, 8 bits each */
} TensixPacker;

/* From TDMA-RISC to PACR_SETREG (WH TDMA-RISC.md). */
typedef struct TensixSetReg {
    uint32_t base[2];              /* SetRegBase: an offset from 0xffb00000 */
    uint32_t hi_scaler[4];         /* SetRegHiScaler: 9 bits each */
} TensixSetReg;

/* Back-end units, for counters and tables. */
typedef enum TensixUnit {
    TENSIX_UNIT_NONE,
    TENSIX_UNIT_FRONTEND,
    TENSIX_UNIT_SYNC,
    TENSIX_UNIT_CFG,
    TENSIX_UNIT_THCON,
    TENSIX_UNIT_MISC,              /* miscellaneous unit: ADCs, SETDVALID */
    TENSIX_UNIT_XMOV,
    TENSIX_UNIT_UNPACK,
    TENSIX_UNIT_PACK,
    TENSIX_UNIT_MATRIX,
    TENSIX_UNIT_VECTOR,
    TENSIX_UNITS,
} TensixUnit;

/* Where instructions are executed: the units, the second unpacker apart. */
enum {
    TENSIX_PORT_UNPACK1 = TENSIX_UNITS, /* TENSIX_UNIT_UNPACK: unpacker 0 */
    TENSIX_PORTS,
};

/* Sources of pushes: the five harts, and all other agents. */
enum { TENSIX_PUSHERS = 6 };

/* With a random schedule: how fast a hart pushes.  (seeds.c) */
typedef enum TensixPace {
    TENSIX_PACE_NONE,              /* not drawn yet */
    TENSIX_PACE_AT_ONCE,           /* the FIFO fills */
    TENSIX_PACE_EVEN,              /* about as fast as words are executed */
    TENSIX_PACE_SLOW,              /* the thread falls idle between */
    TENSIX_PACE_LAGGING,           /* so it does, but other harts continue */
    TENSIX_PACES,
} TensixPace;

/* With a random schedule: how long a unit takes.  (seeds.c) */
typedef enum TensixMood {
    TENSIX_MOOD_NONE,              /* not drawn yet */
    TENSIX_MOOD_USUAL,             /* longer now and then */
    TENSIX_MOOD_PROMPT,            /* the published minimum */
    TENSIX_MOOD_SLOW,              /* and so do those after it */
    TENSIX_MOOD_LATE,              /* takes words at once, is done much later */
    TENSIX_MOODS,
} TensixMood;

/*
 * The order of events (schedule.c).  Cycles say what comes before what; they
 * are no measure of time.
 */
typedef struct TensixOrder {
    uint64_t cycle;
    uint64_t issue_at[TENSIX_THREADS];   /* its next instruction */
    uint64_t free_at[TENSIX_PORTS];      /* takes its next instruction */
    uint64_t idle_at[TENSIX_THREADS][TENSIX_PORTS]; /* STALLWAIT's conditions */
    uint64_t quiet_at[TENSIX_THREADS];   /* the latest of these */
    /* UNPACR's bank becomes the Matrix Unit's; 0: none is on its way */
    uint64_t hand_over_at[TENSIX_SRCS][TENSIX_SRC_BANKS];
    uint32_t handing_over;               /* how many are */
    /* with a random schedule (seeds.c) */
    uint64_t rng;                        /* of the generator; 0: none */
    uint64_t held_until[TENSIX_PUSHERS]; /* the hart's next push */
    uint32_t pace[TENSIX_PUSHERS];       /* TensixPace */
    uint32_t mood[TENSIX_PORTS];         /* TensixMood */
    /* the latest run ended before its work did (tensix_needs_time()) */
    bool more;
} TensixOrder;

typedef struct TensixState {
    /* Dest: storage bit order of spec 000; 32-bit rows through Adj32 */
    uint16_t dst[TENSIX_DST_ROWS][TENSIX_COLUMNS];
    uint8_t dst_row_valid[TENSIX_DST_ROWS];
    uint32_t dst16b_is_high_half;  /* bit 11 of 0xFFB12068 (BH Dst.md) */
    /* SrcA, SrcB: 19 bits right-aligned, S[18] M[17:8] E[7:0] */
    uint32_t src[TENSIX_SRCS][TENSIX_SRC_BANKS][TENSIX_SRC_ROWS]
                [TENSIX_COLUMNS] __attribute__((aligned(TENSIX_VECTOR_ALIGN)));
    /* aperture order: owner of SrcA[0], SrcA[1], SrcB[0], SrcB[1] */
    uint32_t src_client[TENSIX_SRCS][TENSIX_SRC_BANKS];
    uint32_t matrix_bank[TENSIX_SRCS];    /* MatrixUnit.SrcABank, .SrcBBank */
    uint32_t unpack_bank[TENSIX_SRCS];    /* Unpackers[i].SrcBank */
    uint32_t src_format[TENSIX_SRCS][TENSIX_SRC_BANKS];  /* implied format */
    uint32_t src_row[TENSIX_SRCS][TENSIX_THREADS]; /* Unpackers[i].SrcRow */
    uint32_t last_row_a;                  /* of SrcA, for SHIFTXA */
    /* for reports: what gave the bank to the Matrix Unit; has it read that? */
    TensixOrigin src_given[TENSIX_SRCS][TENSIX_SRC_BANKS];
    uint32_t src_read;                    /* bit a src, of the current bank */

    TensixVectorUnit vu;
    TensixMacro macro;
    TensixPacker packer;
    TensixSetReg set_reg;
    TensixRwc rwc[TENSIX_THREADS];
    TensixAdc adc[TENSIX_THREADS][TENSIX_ADCS];
    uint32_t unpack_context[TENSIX_THREADS][2];  /* CfgContextCnt counters */
    uint32_t gpr[TENSIX_THREADS][TENSIX_GPRS];

    uint32_t cfg[TENSIX_CFG_BANKS][TENSIX_CFG_WORDS];
    uint16_t thread_cfg[TENSIX_THREADS][TENSIX_THREAD_CFG_WORDS];

    TensixSemaphore semaphore[TENSIX_SEMAPHORES];
    TensixSemaphoreUse semaphore_use[TENSIX_SEMAPHORES];
    uint32_t mutex_owner[TENSIX_MUTEXES]; /* thread + 1, 0: free */

    TensixThread thread[TENSIX_THREADS];
    /* What each class of instructions uses (ttsync.c, OLD AutoTTSync.md) */
    uint16_t ttsync_use[TENSIX_THREADS][TENSIX_TTSYNC_CLASSES];
    uint32_t debug_bus;                   /* bit a thread: it alone may push */

    TensixOrder order;
    uint32_t soft_reset;                  /* the bits that hold units */
    uint64_t executed[TENSIX_UNITS];      /* instructions, by unit */
} TensixState;

#endif
