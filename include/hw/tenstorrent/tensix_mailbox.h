/*
 * Mailboxes of a Tensix tile: a queue of words from each of BRISC and the
 * TRISCs to each of them.  (WH BabyRISCV/Mailboxes.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + sysbus regions 0..3: the 16 KiB window as BRISC, TRISC0, TRISC1 and
 *    TRISC2 see it
 */

#ifndef HW_TENSTORRENT_TENSIX_MAILBOX_H
#define HW_TENSTORRENT_TENSIX_MAILBOX_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_words.h"
#include "qom/object.h"

#define TYPE_TENSIX_MAILBOX "tensix-mailbox"
OBJECT_DECLARE_SIMPLE_TYPE(TensixMailboxState, TENSIX_MAILBOX)

enum {
    TENSIX_MAILBOX_USERS = 4,      /* index 0 BRISC, 1..3 TRISC0..2 */
    TENSIX_MAILBOX_BUDGET = 4,     /* words one writer may have under way */
    TENSIX_MAILBOX_STRIDE = 0x1000,
    TENSIX_MAILBOX_WINDOW_SIZE = TENSIX_MAILBOX_USERS * TENSIX_MAILBOX_STRIDE,
};

/* The window of one user; opaque of its region. */
typedef struct TensixMailboxPort {
    TensixMailboxState *dev;
    uint32_t user;
    MemoryRegion mmio;
} TensixMailboxPort;

struct TensixMailboxState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixMailboxPort port[TENSIX_MAILBOX_USERS];
    /* fifo[writer][reader] */
    TensixWords fifo[TENSIX_MAILBOX_USERS][TENSIX_MAILBOX_USERS];
};

/*
 * Empties every mailbox that this hart can write, as entering soft reset does
 * (BH SoftReset.md).  NCRISC has none: no effect.  BQL held.
 */
void tensix_mailbox_empty_writer(TensixMailboxState *s, TensixHartIndex hart);

#endif
