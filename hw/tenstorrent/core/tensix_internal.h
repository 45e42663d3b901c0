/*
 * Tensix core: what its own files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_INTERNAL_H
#define TENSIX_INTERNAL_H

#include "decode/isa.h"
#include "tensix_core.h"
#include "decode/tensix_fields.h"

/* Operand of the instruction at hand: OPERAND(i, SETC16, setc16_reg). */
#define OPERAND(i, mnemonic, field) TENSIX_FIELD((i)->word, mnemonic, field)

/*
 * Configuration fields by name.  A thread reads the bank that its
 * CFG_STATE_ID_StateID selects (BH BackendConfiguration.md).
 */
#define THREAD_CFG_GET(c, thread, name) \
    (((uint32_t)(c)->s.thread_cfg[thread][THREAD_CFG_##name##_INDEX] >> \
      THREAD_CFG_##name##_LOW) & THREAD_CFG_##name##_MASK)
#define CFG_BANK_GET(c, bank, name) \
    (((c)->s.cfg[bank][CFG_##name##_WORD] >> CFG_##name##_LOW) & \
     CFG_##name##_MASK)
#define CFG_GET(c, thread, name) \
    CFG_BANK_GET(c, tensix_cfg_bank(c, thread), name)

enum {
#define THREAD_CFG(name, index, low, width) \
    THREAD_CFG_##name##_INDEX = index, THREAD_CFG_##name##_LOW = low, \
    THREAD_CFG_##name##_MASK = (1u << (width)) - 1u,
#include "config/thread_cfg_table.h.inc"
#undef THREAD_CFG
};

enum {
#define CFG(name, word, low, width) \
    CFG_##name##_WORD = word, CFG_##name##_LOW = low,
#include "config/cfg_table.h.inc"
#undef CFG
};

/* Separate from the enum above: a 32-bit mask is no int. */
#define CFG(name, word, low, width) \
    static const uint32_t CFG_##name##_MASK __attribute__((unused)) = \
        (uint32_t)((1ull << (width)) - 1);
#include "config/cfg_table.h.inc"
#undef CFG

static inline uint32_t tensix_cfg_bank(const TensixCore *c, uint32_t thread)
{
    return THREAD_CFG_GET(c, thread, CFG_STATE_ID_StateID);
}

/* Stream 0..63 that STREAM_ID_SYNC_SEC[select] names, select 0..3. */
static inline uint32_t tensix_sync_stream(const TensixCore *c, uint32_t thread,
                                          uint32_t select)
{
    return c->s.thread_cfg[thread]
                          [THREAD_CFG_STREAM_ID_SYNC_SEC0_BankSel_INDEX +
                           select] &
           THREAD_CFG_STREAM_ID_SYNC_SEC0_BankSel_MASK;
}

/* Dest holds 32-bit rows: FP32 or INT8 accumulation (spec 000, 1.3). */
static inline bool tensix_dst_is_32b(const TensixCore *c, uint32_t thread)
{
    return CFG_GET(c, thread, ALU_ACC_CTRL_Fp32_enabled) ||
           CFG_GET(c, thread, ALU_ACC_CTRL_INT8_math_enabled);
}

/* Of ADDDMAREG and the five others that have its operands, fields included. */
static inline bool tensix_is_gpr_arithmetic(uint32_t opcode)
{
    return opcode == TENSIX_OP_ADDDMAREG || opcode == TENSIX_OP_SUBDMAREG ||
           opcode == TENSIX_OP_MULDMAREG || opcode == TENSIX_OP_CMPDMAREG ||
           opcode == TENSIX_OP_BITWOPDMAREG || opcode == TENSIX_OP_SHIFTDMAREG;
}

/*
 * Operand bits that no field of the instruction has and that are reported.  A NOP
 * may hold anything; bit 21 of ZEROACC is in LLK's CLR_HALF_32B and CLR_ALL_32B,
 * that of INCRWC in the rwc_cr that LLK's binary operations give it.
 */
#define TENSIX_FIELD_MASK(m, field, low, width) | ((1u << (width)) - 1u) << (low)
#define TENSIX_RESERVED(m) \
    (0xffffffu & ~(0u TENSIX_FIELDS_##m(TENSIX_FIELD_MASK)) & \
     ~tensix_reserved_exempt(TENSIX_OP_##m))

static inline __attribute__((always_inline, const))
uint32_t tensix_reserved_exempt(uint32_t opcode)
{
    return opcode == TENSIX_OP_NOP || opcode == TENSIX_OP_DMANOP ||
           opcode == TENSIX_OP_SFPNOP ? UINT32_MAX
                                      : (opcode == TENSIX_OP_ZEROACC ||
                                         opcode == TENSIX_OP_INCRWC) << 21;
}

/* Reports those bits of i's word, as something that has no effect. */
void tensix_report_reserved(TensixCore *c, const TensixInsn *i, uint32_t bits);

/* One prototype per implemented row of the instruction table. */
#define INSN(op, mnemonic, unit, block, class, page) \
    TensixExecFn tensix_exec_##mnemonic TENSIX_ISA_UNIT_##unit( \
        "tensix_exec_" #mnemonic);
#define UNIMP(op, mnemonic, unit, block, class, page)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

/*
 * Functions by opcode, of this build of the units; NULL: no such opcode.  The
 * second half is for the time while SFPLOADMACRO has instructions under way,
 * which is TensixMacro.active: all are tensix_vector_exec_busy().
 */
extern TensixExecTable tensix_exec_table[2]
    TENSIX_ISA_SYMBOL("tensix_exec_table");

/* The tables of the other builds, for the one who chooses.  (isa.c) */
extern TensixExecTable tensix_exec_table_avx2[2];
extern TensixExecTable tensix_exec_table_avx512[2];

/*
 * Executes i, by exec, in a cycle in which something that SFPLOADMACRO scheduled
 * may run as well.  (vector_macro.c)
 */
TensixResult tensix_vector_exec_busy(TensixCore *c, const TensixInsn *i,
                                 TensixExecFn *exec)
    TENSIX_ISA_SYMBOL("tensix_vector_exec_busy");

/*
 * Lets so much time pass that of what SFPLOADMACRO scheduled only that is left
 * which waits for further instructions.  (vector_macro.c)
 */
void tensix_vector_settle(TensixCore *c) TENSIX_ISA_SYMBOL("tensix_vector_settle");

/*
 * The core as it is once what SFPLOADMACRO scheduled has run, for those who
 * look without being noticed.  (aperture.c)
 */
TensixCore tensix_settled_copy(const TensixCore *c);

/*
 * Reports a violation by instruction i and returns TENSIX_DONE, so that
 * `return tensix_violation(...)` drops the instruction.  fmt as for printf.
 */
TensixResult tensix_violation(TensixCore *c, const TensixInsn *i,
                              TensixCategory category, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Notes why i cannot go on, and returns TENSIX_RETRY.  Changes nothing else. */
TensixResult tensix_retry(TensixCore *c, const TensixInsn *i,
                          TensixWaitReason reason, uint32_t detail);

/* Runs the instruction's row; RETRY leaves c->s as it was. */
TensixResult tensix_execute(TensixCore *c, const TensixInsn *i);

/* Config[bank][first..end - 1] := 0, whatever holds the words.  (config.c) */
void tensix_cfg_clear(TensixCore *c, uint32_t bank, uint32_t first,
                      uint32_t end);

/* tensix_cfg_write() for who is no hart: the Mover.  (config.c) */
bool tensix_cfg_put(TensixCore *c, uint32_t offset, uint32_t value);

/*
 * Makes a move, now; false, and nothing done, if it is not defined.  tensix_move()
 * lands first what was asked before.  (mover.c)
 */
bool tensix_mover_run(TensixCore *c, const TensixMove *m);

/* --- front end --- */

/* Next word behind the MOP expander, or false.  (mop.c) */
bool tensix_mop_pull(TensixCore *c, uint32_t thread, TensixInsn *out);

/* Next word behind the REPLAY expander, or false.  (replay.c) */
bool tensix_replay_pull(TensixCore *c, uint32_t thread, TensixInsn *out);

/* Do the latched wait's conditions still hold?  Forgets it if not. (gate.c) */
bool tensix_gate_wait_holds(TensixCore *c, uint32_t thread);

/* May an instruction of this opcode pass the thread's gate now?  (gate.c) */
bool tensix_gate_blocks(TensixCore *c, uint32_t thread, uint32_t opcode);

/*
 * Random schedules (flight.c).  May: this word's unit starts flights.  Start: i
 * has passed the gate and is executed in cycle `due`, or before if it gets in
 * the way; false, and nothing done, if it must be executed now.  In the way: the
 * thread whose oldest instruction under way has to be over before i may be
 * executed, or TENSIX_THREADS.  Finish: executes that; false if there is none
 * or it cannot go on.  Land: executes all that are due, and says how many; or
 * all, before somebody outside changes what they go by.
 */
bool tensix_flight_may(uint32_t word);
bool tensix_flight_start(TensixCore *c, const TensixInsn *i, uint64_t due);
uint32_t tensix_flight_in_the_way(const TensixCore *c, const TensixInsn *i);
bool tensix_flight_finish(TensixCore *c, uint32_t thread);
uint32_t tensix_flight_land(TensixCore *c);
void tensix_flight_land_all(TensixCore *c);

/* Has the thread something under way that gives a bank of Src away? */
bool tensix_flight_flips_banks(const TensixCore *c, uint32_t thread);

/* Conditions of STALLWAIT that the thread's, or any thread's, units hold. */
uint32_t tensix_unit_conditions(const TensixCore *c, uint32_t thread);

/* Where the word is executed: its unit, or TENSIX_PORT_UNPACK1. */
static inline uint32_t tensix_port(uint32_t word)
{
    uint32_t unit = tensix_insns[word >> 24].unit;

    return unit == TENSIX_UNIT_UNPACK &&
                   TENSIX_FIELD(word, UNPACR, Unpack_block_selection)
               ? TENSIX_PORT_UNPACK1 : unit;
}

/*
 * Hazards (hazard.c), only while c->host.hazards is set.  Issue: i has passed
 * its thread's gate and is executed next; the state is as all before it in its
 * thread have left it.  Retry: it was not executed, and will be issued again.
 * Forget: nothing went before.
 */
void tensix_hazard_issue(TensixCore *c, const TensixInsn *i);
void tensix_hazard_retry(TensixCore *c, const TensixInsn *i);
void tensix_hazard_forget(TensixCore *c);

/* What instructions use before any RESOURCEDECL.  (ttsync.c) */
void tensix_ttsync_reset(TensixState *s);

/* Has the thread anything queued, expanding, at its gate or under way? */
bool tensix_thread_has_work(const TensixCore *c, uint32_t thread);

/* Whether SFPLOADMACRO has anything under way, and the functions.  (derived.c) */
void tensix_set_macro_active(TensixCore *c, bool active);

/* Makes derived.slow anew: to be called by whoever sets what it is made of. */
void tensix_update_slow(TensixCore *c);

/* Makes the thread's bit of derived.busy anew from its state.  (derived.c) */
void tensix_update_busy(TensixCore *c, uint32_t thread);

/* The last step of an iteration of either MOP template: migration checks it. */
enum { TENSIX_MOP_LAST_SLOT = 4 };

/*
 * Soft-reset bits that hold something while they are set: back-end units,
 * ZEROACC, and clients and data of the Src register files (BH SoftReset.md).
 */
enum { TENSIX_SOFT_RESET_UNITS = 0x7b87ff };

static inline bool tensix_fifo_empty(const TensixFifo *f)
{
    return f->count == 0;
}

bool tensix_fifo_push(TensixFifo *f, const TensixInsn *insn);
TensixInsn tensix_fifo_pop(TensixFifo *f);
const TensixInsn *tensix_fifo_peek(const TensixFifo *f, uint32_t position);

void tensix_trace(TensixCore *c, TensixTracePoint point, const TensixInsn *i);

/* --- register files (regfile.c) --- */

/* BH Dst.md: the row that DEST_ACCESS_CFG_remap_addrs makes of another. */
static inline uint32_t tensix_dst_remap(const TensixCore *c, uint32_t thread,
                                        uint32_t row)
{
    uint32_t r = row & (TENSIX_DST_ROWS - 1);

    if (CFG_GET(c, thread, DEST_ACCESS_CFG_remap_addrs)) {
        r = (r & 0x3c7) ^ (r & 0x030) >> 1 ^ (r & 0x008) << 2;
    }
    return r;
}

/* Row of Dst storage for row r of Dst16b / Dst32b (spec 000, 1.2): 0..1023. */
static inline uint32_t tensix_dst_adj32(const TensixCore *c, uint32_t thread,
                                        uint32_t row)
{
    uint32_t r = tensix_dst_remap(c, thread, row);

    if (CFG_GET(c, thread, DEST_ACCESS_CFG_swizzle_32b)) {
        r = (r & 0x3f3) ^ (r & 0x018) >> 1 ^ (r & 0x004) << 1;
    }
    return (r & 0x1f8) << 1 | (r & 0x207);
}

static inline uint32_t tensix_dst_adj16(const TensixCore *c, uint32_t thread,
                                        uint32_t row)
{
    return c->s.dst16b_is_high_half ? tensix_dst_adj32(c, thread, row)
                                    : tensix_dst_remap(c, thread, row);
}

/* What every Matrix and Vector Unit access adds to its Dst row, mod 1024. */
static inline uint32_t tensix_dst_base(const TensixCore *c, uint32_t thread)
{
    return (THREAD_CFG_GET(c, thread, DEST_TARGET_REG_CFG_MATH_Offset) +
            c->s.rwc[thread].Dst + CFG_GET(c, thread, DEST_REGW_BASE_Base)) &
           (TENSIX_DST_ROWS - 1);
}

/* The RWCs by AddrMod n, 0..7, without and with the fidelity phase. */
void tensix_advance_rwcs(TensixCore *c, uint32_t thread, uint32_t n);
void tensix_advance_phase(TensixCore *c, uint32_t thread, uint32_t n);

/* Does AddrMod n, 0..7, change anything?  Often it does not. */
static inline bool tensix_addr_mod_moves(const TensixCore *c, uint32_t thread,
                                         uint32_t n)
{
    const uint16_t *cfg = c->s.thread_cfg[thread] + n;

    return cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX] |
           cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX] |
           cfg[THREAD_CFG_ADDR_MOD_BIAS_SEC0_BiasIncr_INDEX];
}

/* Advance the RWCs by AddrMod 0..7 (spec 002, 3.4; 3 bits on Blackhole). */
static inline void tensix_apply_partial_addr_mod(TensixCore *c, uint32_t thread,
                                                 uint32_t addr_mod)
{
    if (tensix_addr_mod_moves(c, thread, addr_mod & 7)) {
        tensix_advance_rwcs(c, thread, addr_mod & 7);
    }
}

static inline void tensix_apply_addr_mod(TensixCore *c, uint32_t thread,
                                         uint32_t addr_mod)
{
    if (tensix_addr_mod_moves(c, thread, addr_mod & 7)) {
        tensix_advance_rwcs(c, thread, addr_mod & 7);
        tensix_advance_phase(c, thread, addr_mod & 7);
    }
}

/* Matrix Unit gives its current Src bank back and moves to the other one. */
void tensix_matrix_release_bank(TensixCore *c, uint32_t src, bool give_back);

/*
 * Unpacker is done with its current Src bank and moves on.  The bank is the
 * Matrix Unit's at once, or after an UNPACR when that ends (c->hand_over_at).
 */
void tensix_unpack_hand_over_bank(TensixCore *c, uint32_t thread, uint32_t src);

/* A bank that was on its way is the Matrix Unit's; or it no longer is. */
void tensix_src_arrives(TensixCore *c, uint32_t src, uint32_t bank);
void tensix_src_forget_hand_over(TensixState *s, uint32_t src);

#endif
