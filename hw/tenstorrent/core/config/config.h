/*
 * Configuration by name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_CONFIG_H
#define TENSIX_CONFIG_H

#include "config/cfg_names.h"
#include "tensix_internal.h"

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

static inline uint32_t tensix_cfg_bank(const TensixCore *c, uint32_t thread)
{
    return THREAD_CFG_GET(c, thread, CFG_STATE_ID_StateID);
}

/*
 * Recomputes derived.place of the thread: every writer of its ThreadConfig calls
 * it, and for all threads those of Config (except of a tile's bits) and of
 * dst16b_is_high_half.  (config.c)
 */
void tensix_update_place(TensixCore *c, uint32_t thread);

static inline void tensix_update_places(TensixCore *c)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_update_place(c, t);
    }
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

/* Config[bank][first..end - 1] := 0, whatever holds the words.  (config.c) */
void tensix_cfg_clear(TensixCore *c, uint32_t bank, uint32_t first,
                      uint32_t end);

/* tensix_cfg_write() of the Mover, before which no flights land.  (config.c) */
bool tensix_cfg_put(TensixCore *c, uint32_t offset, uint32_t value);

#endif
