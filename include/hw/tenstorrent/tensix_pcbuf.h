/*
 * PCBufs of a Tensix tile: a queue of words from BRISC to each TRISC, and
 * BRISC's barrier.  (BH BabyRISCV/PCBufs.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device
 *  + sysbus regions 0..2: BRISC's 64 KiB windows on PCBuf 0..2; every address
 *    is the same: store = push, load = barrier
 *  + sysbus regions 3..5: TRISC 0..2's word: load = pop, stores are discarded
 */

#ifndef HW_TENSTORRENT_TENSIX_PCBUF_H
#define HW_TENSTORRENT_TENSIX_PCBUF_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_words.h"
#include "qom/object.h"

#define TYPE_TENSIX_PCBUF "tensix-pcbuf"
OBJECT_DECLARE_SIMPLE_TYPE(TensixPCBufState, TENSIX_PCBUF)

enum {
    TENSIX_PCBUF_DEPTH = 16,
    TENSIX_PCBUF_WINDOW_SIZE = 0x10000,
};

/* One PCBuf; opaque of its two regions. */
typedef struct TensixPCBuf {
    TensixPCBufState *dev;
    uint32_t thread;
    MemoryRegion brisc_window, trisc_word;
    TensixWords fifo;
} TensixPCBuf;

struct TensixPCBufState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixPCBuf buf[TENSIX_THREADS];
    uint32_t override;             /* TRISC_PC_BUF_OVERRIDE */
};

/*
 * The register TRISC_PC_BUF_OVERRIDE, 0xFFB12090, which tile control shows:
 * 10 bits a PCBuf (Enable, Busy, 8-bit value).  Setting it lets harts continue
 * that no longer need to wait.  BQL held.
 */
void tensix_pcbuf_set_override(TensixPCBufState *s, uint32_t value);

static inline uint32_t tensix_pcbuf_override(const TensixPCBufState *s)
{
    return s->override;
}

/* Are Enable and Busy of this thread's PCBuf set (ends barriers at once)? */
bool tensix_pcbuf_override_busy(const TensixPCBufState *s, uint32_t thread);

/*
 * Empties the PCBuf to a T hart, as leaving soft reset does (BH SoftReset.md).
 * thread 0..2.  BQL held.
 */
void tensix_pcbuf_empty(TensixPCBufState *s, uint32_t thread);

#endif
