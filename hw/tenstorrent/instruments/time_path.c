/*
 * Estimated cycles in a timeline: issues of each agent, and the critical path.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "time_internal.h"

const char *tensix_time_port_name(unsigned port)
{
    return port == TENSIX_PORT_UNPACK1 ? "unpack1"
           : port == TENSIX_UNIT_UNPACK ? "unpack0" : tensix_unit_names[port];
}

char *tensix_time_agent_name(unsigned agent)
{
    unsigned unit = agent - TENSIX_PATH_UNIT;

    if (agent < TENSIX_PATH_THREAD) {
        return g_strdup(tensix_hart_name(agent));
    }
    if (agent < TENSIX_PATH_UNIT) {
        return g_strdup_printf("thread %u", agent - TENSIX_PATH_THREAD);
    }
    if (agent >= TENSIX_PATH_NOC) {
        return g_strdup_printf("NoC %u", agent - TENSIX_PATH_NOC);
    }
    return g_strdup_printf("%s of thread %u",
                           tensix_time_port_name(unit % TENSIX_PORTS),
                           unit / TENSIX_PORTS);
}

/* --- a timeline --- */

void tensix_time_record_clock(TensixRecorder *recorder, const TensixHart *hart)
{
    uint64_t now = tensix_hart_cycles(hart);

    tensix_record(recorder, CLOCK, hart->id, (uint32_t)now,
                  (uint32_t)(now >> 32));
}

void time_record_issue(const TensixTime *t, const TimeIssue *i)
{
    uint32_t thread = i->insn->thread;
    uint64_t at = i->at.at;

    tensix_record(t->recorder, ISSUED, thread, (uint32_t)at,
                  (uint32_t)(at >> 32), i->waited, i->why);
    tensix_record(t->recorder, RUN, thread, i->word->port,
                  (uint32_t)(i->starts.at - at), i->timing->occupancy,
                  i->timing->latency);
}

static TensixEvent path_event(const TensixPathLink *link, uint64_t last)
{
    return (TensixEvent) {
        .kind = TENSIX_EVENT_PATH,
        .number = { link->work.agent, link->work.hart, link->work.pc,
                    (uint32_t)link->since, (uint32_t)(link->since >> 32),
                    (uint32_t)last, (uint32_t)(last >> 32) },
    };
}

/* Its intervals, the last one first. */
static GArray *intervals(const TensixTimes *times)
{
    GArray *events = g_array_new(false, false, sizeof(TensixEvent));
    TensixStamp stamp = times->end;
    uint64_t last = stamp.at;
    TensixPathLink link;

    for (; tensix_time_path_back(times->path, &stamp, &link); last = stamp.at) {
        if (link.since < last) {
            TensixEvent event = path_event(&link, last);

            g_array_append_val(events, event);
        }
    }
    return events;
}

void tensix_time_record_path(TensixCopState *cop)
{
    g_autoptr(GArray) events = NULL;
    TensixTimes times;

    if (!tensix_time_get(cop, &times)) {
        return;
    }
    events = intervals(&times);
    for (guint n = events->len; n-- > 0;) {
        tensix_record_event(tensix_cop_recorder(cop),
                            &g_array_index(events, TensixEvent, n));
    }
}
