/*
 * Auto TTSync: keeps a T hart's loads and stores in order with its pushes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH AutoTTSync.md.  The other direction, instructions waiting for the hart's
 * earlier accesses, needs nothing: an access is over before the next push.
 */

#include "tensix_internal.h"

/* What the instructions of a class do by default. */
typedef struct ClassUse {
    bool reads_cfg, writes_cfg;
    uint8_t reads, writes;         /* TENSIX_RESOURCE_GPR, _TDMA */
} ClassUse;

enum {
    GPR = TENSIX_RESOURCE_GPR,
    TDMA = TENSIX_RESOURCE_TDMA,
    CLASS_MOP = 13,
    CLASS_REPLAY = 14,
};

static const ClassUse class_use[TENSIX_TTSYNC_CLASSES] = {
    [0] = { .reads = GPR, .writes = GPR },               /* scalar arithmetic */
    [1] = { .reads = GPR, .writes = GPR },               /* atomics */
    [2] = { .reads = GPR | TDMA, .writes = GPR | TDMA }, /* REG2FLOP */
    [3] = { .reads = GPR, .writes = GPR },               /* LOADIND, STOREIND */
    [4] = { .reads_cfg = true, .writes_cfg = true },     /* STREAMWRCFG ... */
    [5] = { .reads = GPR },                              /* STOREREG */
    [6] = { .writes = GPR },                             /* LOADREG */
    [7] = { .writes = TDMA },                            /* FLUSHDMA */
    [8] = { .reads = GPR, .writes_cfg = true },          /* WRCFG */
    [9] = { .reads_cfg = true, .writes = GPR },          /* RDCFG */
    [10] = { true, true, GPR, GPR },                     /* XMOV */
    [11] = { .reads_cfg = true, .reads = TDMA, .writes = TDMA }, /* UNPACR */
    [12] = { .reads_cfg = true, .reads = TDMA, .writes = TDMA }, /* PACR */
    [CLASS_MOP] = { true, true, GPR | TDMA, GPR | TDMA },
    [CLASS_REPLAY] = { true, true, GPR | TDMA, GPR | TDMA },
    [15] = { .reads_cfg = true }, /* all others */
};

static bool conflicts(uint32_t class, uint32_t cfg_bank, uint32_t resources,
                      bool is_store)
{
    const ClassUse *use = &class_use[class];
    uint32_t touched = use->writes;

    if (use->writes_cfg || (is_store && use->reads_cfg)) {
        touched |= cfg_bank;
    }
    if (is_store) {
        touched |= use->reads;
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

static bool word_conflicts(uint32_t word, uint32_t cfg_bank, uint32_t resources,
                           bool is_store)
{
    const TensixInsnDef *def = &tensix_insns[word >> 24];

    return def->mnemonic && def->ttsync_class < TENSIX_TTSYNC_CLASSES &&
           conflicts(def->ttsync_class, cfg_bank, resources, is_store);
}

bool tensix_ttsync_must_wait(const TensixCore *c, uint32_t thread,
                             uint32_t resources, bool is_store)
{
    const TensixThread *t = &c->s.thread[thread];
    uint32_t bank = TENSIX_RESOURCE_CFG0 << tensix_cfg_bank(c, thread);

    resources &= tracked(c, thread);
    if (!resources) {
        return false;
    }
    if (t->mop.phase != TENSIX_MOP_IDLE &&
        conflicts(CLASS_MOP, bank, resources, is_store)) {
        return true;
    }
    if (t->replay.phase == TENSIX_REPLAY_PLAY &&
        conflicts(CLASS_REPLAY, bank, resources, is_store)) {
        return true;
    }
    if (t->gate.pending.valid &&
        word_conflicts(t->gate.pending.word, bank, resources, is_store)) {
        return true;
    }
    for (uint32_t i = 0; i < t->flight.count; i++) {
        if (word_conflicts(t->flight.insn[i].word, bank, resources, is_store)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < t->fifo.count; i++) {
        if (word_conflicts(tensix_fifo_peek(&t->fifo, i)->word, bank, resources,
                           is_store)) {
            return true;
        }
    }
    return false;
}
