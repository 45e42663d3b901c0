/*
 * Estimated cycles of a hart, by published figures.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that is timed runs blocks that count what their instructions take
 * (target/riscv/tensix/translate_time.c.inc): its clock.  Clocks of harts are not
 * the same; where one sees what another agent has done, it continues no earlier
 * than that was done (a join).  This needs -icount, with which one hart runs at a
 * time: nothing here is locked.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_TIME_H
#define HW_TENSTORRENT_TENSIX_HART_TIME_H

#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_time_path.h"

/* What a hart waits for when it joins. */
typedef enum TensixHartWaitFor {
    TENSIX_HART_FOR_L1,            /* a word that another agent writes */
    TENSIX_HART_FOR_FIFO,          /* room for a push */
    TENSIX_HART_FOR_COPROCESSOR,   /* what it has pushed is done */
    TENSIX_HART_FOR_SEMAPHORE,
    TENSIX_HART_FOR_MAILBOX,       /* or a PCBuf */
    TENSIX_HART_FOR_REGISTER,      /* of the tile, a stream */
    TENSIX_HART_FOR_NOC,           /* an answer to its NIU */
    TENSIX_HART_WAITS,
} TensixHartWaitFor;

extern const char *const tensix_hart_wait_names[TENSIX_HART_WAITS];

/* Cycles of a hart: of a CSR access or FENCE, of loads by what they load. */
typedef enum TensixHartFigure {
    TENSIX_HART_SERIAL,
    TENSIX_HART_MISPREDICTED,      /* a branch, more than 1 */
    TENSIX_HART_LOCAL_RAM,         /* its own */
    TENSIX_HART_OTHER_RAM,         /* of any hart, the slow way */
    TENSIX_HART_L1,
    TENSIX_HART_ATOMIC,
    TENSIX_HART_SYNC,              /* mailboxes, PCBufs, semaphores */
    TENSIX_HART_DONE,              /* all that was pushed */
    TENSIX_HART_REGISTER,          /* GPRs, configuration, TDMA */
    TENSIX_HART_TILE,              /* tile control, NoC, overlay, Dest */
    TENSIX_HART_FIGURES,
} TensixHartFigure;

enum { TENSIX_TIME_WORDS = TENSIX_L1_SIZE / sizeof(uint32_t) };

/* What is estimated of a hart, beside the CPU's count. */
typedef struct TensixHartTime {
    TensixStamp *written;          /* of the tile: when each word of L1 was */
    TensixTimePath *path;          /* of the tile */
    uint64_t link;                 /* of what it does now */
    const uint32_t *figure;        /* by TensixHartFigure */
    uint64_t waited[TENSIX_HART_WAITS];
    uint64_t released;             /* when it left reset; before: nothing */
    uint32_t pushed_pc, fused;     /* its last .ttinsn; those of that cycle */
    uint64_t *cycles;              /* the CPU's count, */
    const uint8_t *l1;             /* and its code */
    TensixHart *hart;
} TensixHartTime;

/* Times the hart from its next block on; NULL: no longer.  BQL held. */
void tensix_hart_set_time(TensixHart *hart, TensixHartTime *time);

/* When the hart's next instruction issues, as estimated; 0: it is not timed. */
uint64_t tensix_hart_cycles(const TensixHart *hart);

/* The same and so many cycles, as a stamp.  It is timed. */
TensixStamp tensix_hart_stamp(const TensixHart *hart, uint64_t more);

/* It has seen what came then.  It is timed. */
void tensix_hart_time_join(TensixHart *hart, TensixStamp stamp,
                           TensixHartWaitFor what);

/* The same of a hart that is timed, for what is done for each word. */
static inline TensixStamp tensix_hart_time_now(const TensixHartTime *time)
{
    return (TensixStamp) { *time->cycles, time->link };
}

/* A .ttinsn, not a store: its lowest bits are those of no other instruction. */
static inline bool tensix_hart_time_is_ttinsn(const TensixHartTime *time,
                                              uint32_t pc)
{
    return pc < TENSIX_L1_SIZE && (time->l1[pc] & 3) != 3;
}

/*
 * Does the hart push the .ttinsn at pc with the one before it, in the same
 * cycle?  (BH PushTensixInstruction.md)
 */
static inline bool tensix_hart_time_fuses(const TensixHartTime *time,
                                          uint32_t pc)
{
    enum { FUSED = 4 };

    return pc == time->pushed_pc + sizeof(uint32_t) && time->fused < FUSED &&
           tensix_hart_fuses(time->hart);
}

/*
 * The hart pushes a .ttinsn at pc, or by a store: UINT32_MAX.  The cycle of the
 * .ttinsn before one that fuses has been counted already.
 */
static inline void tensix_hart_time_pushes(TensixHartTime *time, uint32_t pc,
                                           bool fuses)
{
    time->fused = fuses ? time->fused + 1 : 1;
    time->pushed_pc = pc;
    *time->cycles -= fuses;
}

/* It leaves reset then. */
void tensix_hart_time_release(TensixHart *hart, TensixStamp stamp);

/*
 * What a clock shows to the hart: the cycles of a timed one, else
 * tensix_clock().  A loop that reads it comes to an end: each iteration counts.
 */
uint64_t tensix_hart_clock(TensixHart *hart);

/* The word of L1 is written by then. */
static inline void tensix_hart_time_written(const TensixHartTime *time,
                                            uint32_t word, TensixStamp stamp)
{
    if (stamp.at > time->written[word].at) {
        tensix_set_stamp(&time->written[word], stamp);
    }
}

/* --- for the files of a hart --- */

/* Before an access in a timed block: see RISCVTensixOps. */
uint32_t tensix_hart_time_access(TensixHart *hart, uint32_t address, bool loads,
                                 bool stores, bool atomic);

/* The end of a loop in which it waits; only: it did nothing else. */
void tensix_hart_time_waits(TensixHart *hart, bool only);

#endif
