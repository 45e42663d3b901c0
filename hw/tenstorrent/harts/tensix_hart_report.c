/*
 * Baby RISC-V harts: the owner of an access, and reports of what it violates.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_hart.h"

void tensix_report_hart(TensixHart *hart, TensixCategory category, uint32_t pc,
                        const char *fmt, ...)
{
    const TensixActor by = tensix_hart_actor(hart, pc);
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    tensix_report_by(hart->reporter, &by, category, "%s", text);
}

static const struct {
    TensixAgent agent;
    const char *name;              /* for requesters without a hart */
} requesters[] = {
    [TENSIX_REQUESTER_DEBUGGER] = { TENSIX_BY_DEBUGGER, "host" },
    [TENSIX_REQUESTER_NOC] = { TENSIX_BY_NOC, "the NoC" },
    [TENSIX_REQUESTER_HOST] = { TENSIX_BY_HOST, "host" },
    [TENSIX_REQUESTER_RISC_DBG] = { TENSIX_BY_RISC_DBG, "RISC_DBG" },
};

static TensixActor insn_actor(const TensixViolation *insn)
{
    return (TensixActor) {
        .event = 1, .kind = TENSIX_BY_INSTRUCTION, .word = insn->word,
        .pc = insn->origin.pc, .mop_position = insn->mop_position,
        .replay_slot = MIN(insn->replay_slot, TENSIX_NO_SLOT),
        .hart = insn->origin.hart, .thread = insn->thread,
    };
}

TensixActor tensix_hart_actor(const TensixHart *hart, uint32_t pc)
{
    return (TensixActor) {
        .event = 1, .kind = TENSIX_BY_HART, .hart = hart->id, .pc = pc,
    };
}

TensixActor tensix_access_actor(TensixHart *hart, MemTxAttrs attrs)
{
    if (tensix_attrs_of_hart(attrs)) {
        return tensix_hart_actor(hart, tensix_hart_access_pc(hart));
    }
    if (tensix_attrs_of_insn(attrs)) {
        return insn_actor(hart->reporter->accessing);
    }
    if (attrs.requester_id == TENSIX_REQUESTER_NOC && hart->reporter->sender) {
        return *hart->reporter->sender;
    }
    return tensix_agent(requesters[attrs.requester_id].agent);
}

/* With where an expansion was written down, which an actor does not have. */
static void report_accessing(const TensixHart *hart, TensixCategory category,
                             const char *text)
{
    TensixViolation v = *hart->reporter->accessing;

    v.category = category;
    v.text = text;
    tensix_report(hart->reporter, &v);
}

void tensix_report_access(TensixHart *hart, MemTxAttrs attrs,
                          TensixCategory category, const char *fmt, ...)
{
    const TensixActor by = tensix_access_actor(hart, attrs);
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    if (tensix_attrs_of_insn(attrs)) {
        report_accessing(hart, category, text);
    } else if (tensix_attrs_of_hart(attrs)) {
        tensix_report_by(hart->reporter, &by, category, "%s", text);
    } else {
        tensix_report_by(hart->reporter, &by, category, "%s, as %s: %s",
                         requesters[attrs.requester_id].name,
                         tensix_hart_name(hart->id), text);
    }
}
