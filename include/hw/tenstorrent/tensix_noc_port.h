/*
 * A Tensix tile's place on the NoCs: what others reach of it, and how it reaches
 * others.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + property "noc": link to the NoCs
 *  + property "noc-memory": link to the MemoryRegion that the NoC sees of this
 *    tile
 *  + property "reporter": link to the reporter
 *  + property "cop": link to the coprocessor, which has L1
 *  + properties "x", "y": raw coordinates of this tile, default (1,2)
 */

#ifndef HW_TENSTORRENT_TENSIX_NOC_PORT_H
#define HW_TENSTORRENT_TENSIX_NOC_PORT_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_noc.h"
#include "hw/tenstorrent/tensix_once.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "hw/tenstorrent/tensix_report.h"
#include "qemu/bitmap.h"
#include "qom/object.h"

#define TYPE_TENSIX_NOC_PORT "tensix-noc-port"
DECLARE_INSTANCE_CHECKER(TensixNocPort, TENSIX_NOC_PORT, TYPE_TENSIX_NOC_PORT)

enum { TENSIX_NOCS = 2 };

struct TensixNocPort {
    SysBusDevice parent_obj;

    TensixNocState *noc;
    MemoryRegion *noc_memory;
    AddressSpace as;
    TensixReporter *reporter;
    TensixCopState *cop;           /* of this tile's L1 */
    uint32_t x, y;
    struct TensixNiuState *niu[TENSIX_NOCS];  /* each sets its own */
    /* By tile: what has been said of it; no state */
    DECLARE_BITMAP(reported_memory, TENSIX_NOC_TILES);
    TensixOnce reported_reset;
};

bool tensix_noc_port_is_own(const TensixNocPort *s, TensixNocAddress a);

/*
 * As tensix_noc_access(), for a request of this tile or a host's: what
 * software may expect of a tile that is only memory is reported.
 */
const char *tensix_noc_port_read(TensixNocPort *s, const TensixActor *by,
                                 TensixNocAddress a, void *data, uint32_t size);
const char *tensix_noc_port_write(TensixNocPort *s, const TensixActor *by,
                                  TensixNocAddress a, const void *data,
                                  uint32_t size);

/* The same for one of many tiles, which may well be only memory. */
const char *tensix_noc_port_broadcast(TensixNocPort *s, const TensixActor *by,
                                      TensixNocAddress a, const void *data,
                                      uint32_t size);

/* As tensix_noc_modify(). */
const char *tensix_noc_port_modify(TensixNocPort *s, const TensixActor *by,
                                   TensixNocAddress a,
                                   uint32_t (*fn)(void *opaque, uint32_t word),
                                   void *opaque, uint32_t *old);

/* --- for the NoC --- */

/*
 * Copies bytes from or to this tile as the NoC sees it; replaces a word of its
 * L1.  NULL, or why it cannot be done.
 */
const char *tensix_noc_port_serve(TensixNocPort *s, const TensixActor *by,
                                  MemTxAttrs attrs, TensixNocAddress a,
                                  void *data, uint32_t size, bool is_write);
const char *tensix_noc_port_atomic(TensixNocPort *s, const TensixActor *by,
                                   TensixNocAddress a,
                                   uint32_t (*fn)(void *, uint32_t),
                                   void *opaque, uint32_t *old);

#endif
