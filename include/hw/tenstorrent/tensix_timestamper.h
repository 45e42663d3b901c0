/*
 * Debug timestamper: a stream of events in L1, each with the tile's clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of tile control.  (BH DebugTimestamper.md)
 */

#ifndef HW_TENSTORRENT_TENSIX_TIMESTAMPER_H
#define HW_TENSTORRENT_TENSIX_TIMESTAMPER_H

#include "hw/tenstorrent/tensix_cop.h"
#include "migration/vmstate.h"

enum {
    TENSIX_TIMESTAMP_BUFFERS = 2,
    TENSIX_TIMESTAMP_UNIT = 16,    /* bytes written to L1 at a time */
    TENSIX_TIMESTAMP_CNTL_RESET = 3,
};

/* Buffer in L1; start, end (inclusive) and position in units of 16 bytes. */
typedef struct TensixTimestampBuffer {
    bool valid, full, overflow;
    uint32_t start, end, position;
} TensixTimestampBuffer;

typedef struct TensixTimestamper {
    TensixTimestampBuffer buf[TENSIX_TIMESTAMP_BUFFERS];
    uint32_t data[TENSIX_TIMESTAMP_UNIT / 4];  /* accumulates one unit */
    uint32_t position;             /* words in data */
    uint32_t event_size;           /* bits, 0 = any */
    uint32_t cntl;
} TensixTimestamper;

extern const VMStateDescription vmstate_tensix_timestamper;

void tensix_timestamper_reset(TensixTimestamper *t);

/*
 * A store of header to TIMESTAMP at this clock; full units go to L1,
 * written by `by`.  NULL, or what software did wrong: then nothing has been appended.
 */
const char *tensix_timestamper_command(TensixTimestamper *t,
                                       TensixCopState *cop,
                                       const TensixActor *by, uint32_t header,
                                       uint64_t clock);

void tensix_timestamper_write_cntl(TensixTimestamper *t, uint32_t value);
uint32_t tensix_timestamper_status(const TensixTimestamper *t);
void tensix_timestamper_clear_status(TensixTimestamper *t, uint32_t value);

#endif
