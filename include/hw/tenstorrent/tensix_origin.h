/*
 * The agent of an access in a Tensix tile: MemTxAttrs.requester_id.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The id travels with the access, so that a device knows the agent without
 * asking which thread of QEMU it runs in.  A hart's pc is that of its access
 * (tensix_hart_access_pc()), an instruction is TensixReporter.accessing.
 */

#ifndef HW_TENSTORRENT_TENSIX_ORIGIN_H
#define HW_TENSTORRENT_TENSIX_ORIGIN_H

#include "exec/memattrs.h"
#include "hw/tenstorrent/core/tensix_core.h"

enum {
    TENSIX_REQUESTER_DEBUGGER,     /* gdb, a monitor, qtest: says nothing */
    TENSIX_REQUESTER_HART,         /* + TensixHartIndex */
    TENSIX_REQUESTER_THREAD = TENSIX_REQUESTER_HART + TENSIX_HART_NONE,
    TENSIX_REQUESTER_NOC = TENSIX_REQUESTER_THREAD + TENSIX_THREADS,
    TENSIX_REQUESTER_HOST,         /* bears that the BQL goes */
    TENSIX_REQUESTER_RISC_DBG,     /* the debug interface, for a hart */
};

/* An agent that neither a hart nor an instruction started. */
static inline TensixActor tensix_agent(TensixAgent kind)
{
    return (TensixActor) { .event = 1, .kind = kind, .hart = TENSIX_HART_NONE };
}

/* The agent that `cause` set to work. */
static inline TensixActor tensix_agent_for(TensixAgent kind, TensixActor cause)
{
    cause.kind = kind;
    return cause;
}

/* Are hart, pc and instruction those of the tile that the access is made in? */
static inline bool tensix_actor_is_here(const TensixActor *by)
{
    return !by->tile_x && !by->tile_y;
}

/* TensixHartIndex of this tile's hart, or TENSIX_HART_NONE. */
static inline unsigned tensix_actor_hart(const TensixActor *by)
{
    return tensix_actor_is_here(by) ? by->hart : TENSIX_HART_NONE;
}

/* " of tile (2,2)", or nothing. */
void tensix_actor_tile_text(const TensixActor *by, GString *text);

/*
 * "trisc1 pc 0x00001000, MOP word 3 (ttelwadd ...)": the instruction, or the hart
 * or agent that did it.
 */
void tensix_actor_text(const TensixActor *by, GString *text);

/* The instruction of an actor that has one. */
TensixInsn tensix_actor_insn(const TensixActor *by);

/* Of loaded state: all indices are in range. */
bool tensix_actor_valid(const TensixActor *by);

extern const VMStateDescription vmstate_tensix_actor;

static inline TensixOrigin tensix_actor_origin(const TensixActor *by)
{
    return (TensixOrigin) { .pc = by->pc, .hart = tensix_actor_hart(by) };
}

static inline MemTxAttrs tensix_attrs(uint32_t requester)
{
    return (MemTxAttrs) { .requester_id = requester };
}

static inline bool tensix_attrs_of_hart(MemTxAttrs attrs)
{
    return attrs.requester_id >= TENSIX_REQUESTER_HART &&
           attrs.requester_id < TENSIX_REQUESTER_THREAD;
}

/* Of an instruction of the coprocessor. */
static inline bool tensix_attrs_of_insn(MemTxAttrs attrs)
{
    return attrs.requester_id >= TENSIX_REQUESTER_THREAD &&
           attrs.requester_id < TENSIX_REQUESTER_NOC;
}

#endif
