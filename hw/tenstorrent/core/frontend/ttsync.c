/*
 * Auto TTSync: keeps a T hart's loads and stores in order with its pushes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * OLD AutoTTSync.md.  The other direction, instructions waiting for the hart's
 * earlier accesses, needs nothing: an access is over before the next push.
 */

#include <string.h>

#include "config/config.h"
#include "frontend/frontend.h"
#include "tensix_internal.h"

/* What a class of instructions uses: bits of RESOURCEDECL's operand. */
enum {
    READ_CFG = 1 << 0,
    WRITE_CFG = 1 << 1,
    ALL_CFG = 7 << 2,              /* unpacker 0's, unpacker 1's, the rest */
    REST_OF_CFG = 1 << 4,
    READ_GPR = 1 << 5,
    WRITE_GPR = 1 << 6,
    READ_TDMA = 1 << 7,
    WRITE_TDMA = 1 << 8,

    GPR = READ_GPR | WRITE_GPR,
    TDMA = READ_TDMA | WRITE_TDMA,
    CFG = READ_CFG | WRITE_CFG | ALL_CFG,

    CLASS_MOP = 13,
    CLASS_REPLAY = 14,
};

static const uint16_t default_use[TENSIX_TTSYNC_CLASSES] = {
    [0] = GPR,                                 /* scalar arithmetic */
    [1] = GPR,                                 /* atomics */
    [2] = GPR | TDMA,                          /* REG2FLOP */
    [3] = GPR,                                 /* LOADIND, STOREIND */
    [4] = CFG,                                 /* STREAMWRCFG, CFGSHIFTMASK */
    [5] = READ_GPR,                            /* STOREREG */
    [6] = WRITE_GPR,                           /* LOADREG */
    [7] = WRITE_TDMA,                          /* FLUSHDMA */
    [8] = READ_GPR | WRITE_CFG | ALL_CFG,      /* WRCFG */
    [9] = READ_CFG | ALL_CFG | WRITE_GPR,      /* RDCFG */
    [10] = CFG | GPR,                          /* XMOV */
    [11] = READ_CFG | ALL_CFG | TDMA,          /* UNPACR, UNPACR_NOP */
    [12] = READ_CFG | REST_OF_CFG | TDMA,      /* PACR */
    [CLASS_MOP] = CFG | GPR | TDMA,
    [CLASS_REPLAY] = CFG | GPR | TDMA,
    [15] = READ_CFG | REST_OF_CFG,             /* all others */
};

void tensix_ttsync_reset(TensixState *s)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        memcpy(s->ttsync_use[t], default_use, sizeof(default_use));
    }
}

/*
 * RESOURCEDECL: what this thread's instructions of a class use, from now on.
 * How long a store lingers makes no difference here.  (Its page names no
 * operands: they and the bits are those of LLK's instruction description.)
 */
TensixResult tensix_exec_RESOURCEDECL(TensixCore *c, const TensixInsn *i)
{
    c->s.ttsync_use[i->thread][OPERAND(i, RESOURCEDECL, op_class)] =
        OPERAND(i, RESOURCEDECL, resources);
    return TENSIX_DONE;
}

/* Do instructions of this use get in the way of an access to the resources? */
static bool conflicts(uint32_t use, uint32_t cfg_bank, uint32_t resources,
                      bool is_store)
{
    uint32_t in_the_way = WRITE_CFG | WRITE_GPR | WRITE_TDMA;
    uint32_t touched = 0;

    if (is_store) {
        in_the_way |= READ_CFG | READ_GPR | READ_TDMA;
    }
    use &= in_the_way;
    if (use & CFG) {
        touched |= cfg_bank;
    }
    if (use & GPR) {
        touched |= TENSIX_RESOURCE_GPR;
    }
    if (use & TDMA) {
        touched |= TENSIX_RESOURCE_TDMA;
    }
    return touched & resources;
}

/* Resources of this mask that software lets Auto TTSync track. */
static uint32_t tracked(const TensixCore *c, uint32_t thread)
{
    uint32_t mask = 0;

    if (!THREAD_CFG_GET(c, thread, TENSIX_TRISC_SYNC_TrackTensixInstructions)) {
        return 0;
    }
    if (THREAD_CFG_GET(c, thread, TENSIX_TRISC_SYNC_TrackGlobalCfg)) {
        mask |= TENSIX_RESOURCE_CFG;
    }
    if (THREAD_CFG_GET(c, thread, TENSIX_TRISC_SYNC_TrackGPR)) {
        mask |= TENSIX_RESOURCE_GPR;
    }
    if (THREAD_CFG_GET(c, thread, TENSIX_TRISC_SYNC_TrackTDMARegs)) {
        mask |= TENSIX_RESOURCE_TDMA;
    }
    return mask;
}

/* An access that may have to wait for its thread's instructions. */
typedef struct Access {
    const TensixCore *c;
    uint32_t thread;
    uint32_t resources;
    bool is_store;
} Access;

static bool class_conflicts(const Access *a, uint32_t class)
{
    return conflicts(a->c->s.ttsync_use[a->thread][class],
                     TENSIX_RESOURCE_CFG0 << tensix_cfg_bank(a->c, a->thread),
                     a->resources, a->is_store);
}

static bool word_conflicts(const Access *a, uint32_t word)
{
    const TensixInsnDef *def = &tensix_insns[word >> 24];

    return def->mnemonic && def->ttsync_class < TENSIX_TTSYNC_CLASSES &&
           class_conflicts(a, def->ttsync_class);
}

static bool expansion_conflicts(const Access *a, const TensixThread *t)
{
    return (t->mop.phase != TENSIX_MOP_IDLE &&
            class_conflicts(a, CLASS_MOP)) ||
           (t->replay.phase == TENSIX_REPLAY_PLAY &&
            class_conflicts(a, CLASS_REPLAY));
}

bool tensix_ttsync_must_wait(const TensixCore *c, uint32_t thread,
                             uint32_t resources, bool is_store)
{
    const TensixThread *t = &c->s.thread[thread];
    Access a = { c, thread, resources & tracked(c, thread), is_store };

    if (!a.resources) {
        return false;
    }
    if (expansion_conflicts(&a, t) ||
        (t->gate.pending.valid && word_conflicts(&a, t->gate.pending.word))) {
        return true;
    }
    for (uint32_t i = 0; i < t->flight.count; i++) {
        if (word_conflicts(&a, t->flight.insn[i].word)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < t->fifo.count; i++) {
        if (word_conflicts(&a, tensix_fifo_peek(&t->fifo, i)->word)) {
            return true;
        }
    }
    return false;
}
