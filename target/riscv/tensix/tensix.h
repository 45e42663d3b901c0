/*
 * Harts of a Tensix tile: the part of the CPU that TCG knows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A baby RISC-V differs from what the privileged architecture says.  None of
 * that is in the way of other RISC-V CPUs: the class of these harts takes the
 * functions below for its TCGCPUOps, and its own decoder comes before QEMU's.
 */

#ifndef TARGET_RISCV_TENSIX_H
#define TARGET_RISCV_TENSIX_H

#include "cpu.h"

/*
 * A flag of blocks, beside the CF_* of TCG: a block that has it calls
 * begins_block().  Set it in CPUState.tcg_cflags, in the CPU's own thread.
 */
#define RISCV_TENSIX_CF_COUNT 0x00800000
/* Another: at RISCVTensixCPU.kept_pc is a jump to itself, whatever is in L1. */
#define RISCV_TENSIX_CF_KEPT 0x00400000

/* Another: the block reports its calls and returns. */
#define RISCV_TENSIX_CF_JUMPS 0x00200000

/* Another: the block counts what its instructions take (translate_time.c.inc). */
#define RISCV_TENSIX_CF_TIME 0x00100000

/* Another: the block adds 1 to RISCVTensixCPU.tally for each instruction. */
#define RISCV_TENSIX_CF_TALLY 0x00080000

/* A kept_pc that no instruction has; the same of a spin_pc. */
#define RISCV_TENSIX_NOT_KEPT 1
#define RISCV_TENSIX_NOT_SPINNING 1

/* Loops up to this length may be such in which a hart waits; bytes */
#define RISCV_TENSIX_LOOP_MAX 128

/* Words of .ttinsn that one call pushes, at most */
#define RISCV_TENSIX_WORDS 64

/* Places in code whose entries are counted */
#define RISCV_TENSIX_PLACES 1024

/* Jumps between functions, by the registers that the psABI links with. */
typedef enum RISCVTensixJump {
    RISCV_TENSIX_NO_JUMP,       /* any other instruction */
    RISCV_TENSIX_CALL,
    RISCV_TENSIX_RETURN,
    RISCV_TENSIX_INDIRECT,      /* to what a register says, no way back */
} RISCVTensixJump;

/* opaque is RISCVTensixCPU.opaque. */
typedef struct RISCVTensixOps {
    /* May this instruction be translated?  Otherwise it is illegal. */
    bool (*insn_ok)(void *opaque, uint32_t insn);
    /* As riscv_csrrw(); there are no other CSRs */
    RISCVException (*csrrw)(void *opaque, int csrno, target_ulong *ret,
                            target_ulong new_value, target_ulong write_mask);
    /* Returns the new pc, or -1 if there is nothing to return from */
    target_ulong (*mret)(void *opaque);
    /*
     * The hart waits for something: it goes round a loop that changes nothing,
     * or executes a FENCE.  True: its turn is over.  BQL not held.
     */
    bool (*waits)(void *opaque, bool fence);
    /* A block with RISCV_TENSIX_CF_COUNT begins.  BQL not held. */
    void (*begins_block)(void *opaque);
    /* In a block with RISCV_TENSIX_CF_JUMPS; BQL not held. */
    void (*jumps)(void *opaque, RISCVTensixJump jump, uint32_t pc,
                  uint32_t target);
    /*
     * In a block with RISCV_TENSIX_CF_TIME, before an access is made.  Returns
     * cycles until what is loaded can be used.
     */
    uint32_t (*accesses)(void *opaque, uint32_t address, bool loads,
                         bool stores, bool atomic);
    /* Multiply-add; flags are float_muladd_negate_* of softfloat */
    uint32_t (*muladd)(uint32_t a, uint32_t b, uint32_t c, int flags);
    /* Is a device at this address? */
    bool (*is_device)(void *opaque, uint32_t addr);
    /* A load or store at pc is not aligned; BQL not held */
    void (*unaligned)(void *opaque, uint32_t pc, uint32_t insn, uint32_t addr);
    /* Where L1 ends: code and atomics above it are refused */
    uint32_t l1_end;
} RISCVTensixOps;

/* A cycle, and by which link of the path; the hart's TensixStamp */
typedef struct RISCVTensixStamp {
    uint64_t at, link;
} RISCVTensixStamp;

typedef struct RISCVTensixCPU {
    RISCVCPU parent_obj;

    const RISCVTensixOps *ops;
    void *opaque;
    /* Of its accesses */
    MemTxAttrs attrs;
    void (*ttinsn_push)(void *opaque, uint32_t word, uint32_t pc,
                        uintptr_t ra);
    uint32_t (*ttinsn_push_words)(void *opaque, const uint32_t *words,
                                  uint32_t count, uint32_t pc);
    void *ttinsn_opaque;
    /* What helper_ttinsn_words() pushes: generated code sets it just before */
    uint32_t words[RISCV_TENSIX_WORDS];
    /* Did the hart write anything since it waited last?  Generated code sets */
    uint8_t wrote;
    /* Where the hart goes round a jump to itself that its cache keeps */
    uint32_t kept_pc;
    /* L1 in the host's memory */
    const uint8_t *l1;
    /* How often cold code was entered at a place, by pc; others share it */
    uint8_t entries[RISCV_TENSIX_PLACES];
    /* Executions of each word of L1; NULL until a block has CF_TALLY */
    uint64_t *tally;
    /* A step of a debugger ends the turn where running would have */
    bool steps_take_turns;

    /* Estimates, by blocks with RISCV_TENSIX_CF_TIME; not migrated */
    uint64_t cycles;            /* when its next instruction issues */
    uint64_t ready[32];         /* when each register has been loaded; x0: none */
    uint32_t loading, latency;  /* of the last load: register, cycles */
    uint32_t serial;            /* cycles of a CSR access and a FENCE */
    uint32_t mispredicted;      /* more of a branch that was, */
    uint32_t l1_access, local_access; /* and of an access to L1, local RAM */
    uint32_t l1_end, local_base, local_size; /* where these are; 0: not timed */
    RISCVTensixStamp *written;  /* when each word of L1 was; NULL: not timed */
    const uint64_t *link;       /* the hart's */
    uint32_t spin_pc;           /* in that loop it waits, or NOT_SPINNING, */
    uint64_t spin_cycles;       /* and that is when it began to */
} RISCVTensixCPU;

static inline RISCVTensixCPU *riscv_tensix_cpu(CPURISCVState *env)
{
    return container_of(env_archcpu(env), RISCVTensixCPU, parent_obj);
}

/* What a taken branch, or a JAL, adds to pc */
int32_t riscv_tensix_branch_offset(uint32_t insn);
int32_t riscv_tensix_jal_offset(uint32_t insn);

RISCVTensixJump riscv_tensix_jump(uint32_t insn);

/* Reports this instruction, if it is a jump between functions. */
void riscv_tensix_report_jump(CPURISCVState *env, uint32_t insn, uint32_t pc);

/* The instruction at pc */
typedef uint32_t RISCVTensixCodeFn(void *opaque, uint32_t pc);

/*
 * Is the jump or branch at pc, to pc + diff, the end of a loop in which the
 * hart waits?  Such a loop stores nothing and is at most RISCV_TENSIX_LOOP_MAX
 * bytes long; only its code is read.
 */
bool riscv_tensix_loop_waits(RISCVTensixCodeFn *code_at, void *opaque,
                             uint32_t pc, int32_t diff);

/*
 * TCGCPUOps.run_cold: interprets code that has been entered a few times only.
 * BQL not held.
 */
bool riscv_tensix_run_cold(CPUState *cs, vaddr pc, uint32_t cflags);

/*
 * There may be new code: resets how often it was entered.  In the CPU's own
 * thread, or while the CPU is stopped.
 */
void riscv_tensix_all_cold(CPUState *cs);

/*
 * Instruction caches are modelled as far as this: a hart that goes round a jump
 * to itself executes what it has in its cache, and does not see a store there.
 * Discards such an instruction.  In the CPU's own thread, or while the CPU is
 * stopped.
 */
void riscv_tensix_discard_kept(CPUState *cs);

/* Sets CPUState.tcg_cflags for kept_pc, which may have any value.  As above. */
void riscv_tensix_load_kept(CPUState *cs);

/* Nothing of the hart continues before that cycle: it has seen what came then. */
void riscv_tensix_time_join(RISCVTensixCPU *cpu, uint64_t cycle);

/* The end of a loop in which the hart waits; only: it did nothing else. */
void riscv_tensix_time_waits(RISCVTensixCPU *cpu, bool only);

/* TCGCPUOps.cpu_exec_enter: a hart that was led elsewhere keeps nothing */
void riscv_tensix_exec_enter(CPUState *cs);

/* TCGCPUOps.translate_code */
void riscv_tensix_translate_code(CPUState *cs, TranslationBlock *tb,
                                 int *max_insns, vaddr pc, void *host_pc);

/* TCGCPUOps.tlb_fill: addresses are physical ones, code is in L1 only */
bool riscv_tensix_tlb_fill(CPUState *cs, vaddr address, int size,
                           MMUAccessType access_type, int mmu_idx,
                           bool probe, uintptr_t retaddr);

/*
 * TCGCPUOps.do_unaligned_access: makes the access as the hardware does, then
 * leaves the block, with pc at the next instruction.  An atomic raises RISC-V's
 * exception.
 */
G_NORETURN void riscv_tensix_unaligned_access(CPUState *cs, vaddr addr,
                                              MMUAccessType access_type,
                                              int mmu_idx, uintptr_t retaddr);

/*
 * TCGCPUOps.store_done: after a store, leaves the block if something has to be
 * done before the next instruction.
 */
void riscv_tensix_store_done(CPUState *cs, uintptr_t retaddr);

#endif
