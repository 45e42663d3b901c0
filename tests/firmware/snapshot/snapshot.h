/*
 * A machine full of half-done work, for snapshots.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When `ready` is set, soon all is idle except BRISC, which polls `go`:
 * TRISC1 stalls on a full push FIFO after a MOP of which two of five outer
 * iterations have run; TRISC0 waits for a mailbox with words left in its
 * PCBuf; TRISC2 waits in CoprocessorDoneCheck after a REPLAY; mailboxes hold
 * words.  Once the host sets `go`, everything runs to one possible end,
 * `done`.
 */

#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "blackhole-tile/kernel.h"

enum { SEM_MOP = 1, SEM_REPLAY = 2 };
enum {
    OUTER = 5,
    OUTER_BEFORE = 2,
    INNER = 3,
    PCBUF_WORDS = 5,
    MAIL_WORDS = 2,
    QUEUED = 64,
    DEST_VALUES = 64,
};

typedef struct {
    volatile uint32_t go;
    volatile uint32_t ready;
    volatile uint32_t done;
    volatile uint32_t pcbuf_sum;
    volatile uint32_t mail_sum;
    volatile uint32_t trisc1_gpr[4];
    volatile uint32_t trisc2_gpr[4];
    volatile uint32_t dest[DEST_VALUES];
} SnapshotShared;

#define SHARED ((SnapshotShared *)SHARED_BASE)

#endif
